/// A dictionary that forgets its oldest entries once it is full.
struct RecentTable<Key: Hashable, Value> {
    private struct Entry {
        var value: Value
        let stamp: Int
    }

    private let limit: Int
    private var entries: [Key: Entry] = [:]
    /// Keys in order of insertion, with those that were removed since: their stamp differs from the entry's.
    private var order: [(key: Key, stamp: Int)] = []
    private var first = 0
    private var stamp = 0

    /// - Parameter limit: the maximum number of entries, at least one.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    var count: Int { entries.count }

    /// From the oldest to the newest.
    var elements: [(key: Key, value: Value)] {
        order[first...].compactMap { key, stamp in
            entries[key].flatMap { $0.stamp == stamp ? (key, $0.value) : nil }
        }
    }

    /// In the same order.
    var values: [Value] { elements.map(\.value) }

    /// Looks up, inserts, changes in place, or removes with nil.
    subscript(key: Key) -> Value? {
        get { entries[key]?.value }
        set {
            guard let newValue else {
                entries[key] = nil
                return
            }
            if entries[key] != nil {
                entries[key]?.value = newValue
            } else {
                insert(newValue, for: key)
            }
        }
    }

    private mutating func insert(_ value: Value, for key: Key) {
        stamp += 1
        entries[key] = Entry(value: value, stamp: stamp)
        order.append((key, stamp))
        while entries.count > limit { dropFirst() }
        guard order.count > 4 * limit || first > limit else { return }
        order = order[first...].filter { entries[$0.key]?.stamp == $0.stamp }
        first = 0
    }

    private mutating func dropFirst() {
        let oldest = order[first]
        first += 1
        if entries[oldest.key]?.stamp == oldest.stamp { entries[oldest.key] = nil }
    }
}
