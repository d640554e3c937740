/// The known items of a device by name. Packed, because a device may know 100,000 of them and has all in memory.
package struct ItemTable: Sendable {
    private var index = NameIndex()
    private var names: [ItemName] = []
    private var rows: [PackedItem] = []
    /// The devices that rows name by number. Members are few, but a hostile one can name any number of others.
    private(set) var devices: [DeviceIdentifier] = []
    private var numbers: [DeviceIdentifier: UInt32] = [:]

    package init() {}

    package subscript(name: ItemName) -> KnownItem? {
        get { index.find(name, in: names).map { item(at: $0) } }
        set {
            guard let newValue else { return remove(name) }
            // A row names three at most, so most of them are named no more. Before the row is packed: this changes the numbers.
            if devices.count > 64 + 4 * rows.count { forgetUnusedDevices() }
            let row = PackedItem(newValue) { number(of: $0) }
            if let place = index.find(name, in: names) {
                rows[place] = row
            } else {
                if rows.count == rows.capacity { makeRoom() }
                names.append(name)
                rows.append(row)
                index.addLast(of: names)
            }
        }
    }

    package var keys: [ItemName] { names }
    package var values: some Collection<KnownItem> { lazy.map(\.value) }

    private func item(at place: Int) -> KnownItem { rows[place].item { devices[Int($0)] } }

    /// An array that grows by itself doubles, and half of it may stay empty.
    private mutating func makeRoom() {
        let capacity = rows.count + Swift.max(16, rows.count / 8)
        names.reserveCapacity(capacity)
        rows.reserveCapacity(capacity)
    }

    /// The last row takes the place of the removed one.
    private mutating func remove(_ name: ItemName) {
        guard let place = index.find(name, in: names) else { return }
        index.remove(place, of: names)
        let (lastName, lastRow) = (names.removeLast(), rows.removeLast())
        guard place < names.count else { return }
        index.renumber(lastName, from: names.count, to: place)
        names[place] = lastName
        rows[place] = lastRow
    }

    private mutating func number(of device: DeviceIdentifier) -> UInt32 {
        if let number = numbers[device] { return number }
        let number = UInt32(devices.count)
        devices.append(device)
        numbers[device] = number
        return number
    }

    private mutating func forgetUnusedDevices() {
        let all = Array(self)
        self = ItemTable()
        for (name, item) in all { self[name] = item }
    }
}

extension ItemTable: RandomAccessCollection {
    package typealias Element = (key: ItemName, value: KnownItem)

    package var startIndex: Int { 0 }
    package var endIndex: Int { rows.count }

    package subscript(place: Int) -> Element { (names[place], item(at: place)) }
}

extension ItemTable: Hashable {
    /// The order in which items came does not matter.
    package static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(count)
    }
}

/// A ``KnownItem`` in 88 bytes instead of 168, with numbers for devices.
private struct PackedItem: Sendable {
    private var digest: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    private var segment: UInt64 = 0
    private var version: PackedVersion
    private var base = PackedVersion()
    private var author: UInt32 = 0
    private var state: KnownItem.State
    private var zone: ZoneClass
    /// Nil without a dot.
    private var authorZone: ZoneClass?
    private var has: Parts = []

    /// An optional of each would take the space of another word.
    private struct Parts: OptionSet {
        let rawValue: UInt8

        static let digest = Parts(rawValue: 1)
        static let base = Parts(rawValue: 2)
    }

    init(_ item: KnownItem, _ number: (DeviceIdentifier) -> UInt32) {
        version = PackedVersion(item.version, number)
        state = item.state
        zone = item.zone
        if let base = item.base {
            self.base = PackedVersion(base, number)
            has.insert(.base)
        }
        if let dot = item.dot {
            segment = dot.number
            author = number(dot.stream.device)
            authorZone = dot.stream.zone
        }
        if let digest = item.digest {
            self.digest = digest.words
            has.insert(.digest)
        }
    }

    func item(_ device: (UInt32) -> DeviceIdentifier) -> KnownItem {
        KnownItem(
            version: version.version(device), base: has.contains(.base) ? base.version(device) : nil,
            dot: authorZone.map { Dot(StreamIdentifier(device(author), $0), segment) }, state: state, zone: zone,
            digest: has.contains(.digest) ? ObjectHash(words: digest) : nil)
    }
}

/// In 20 bytes that may lie at any multiple of four.
private struct PackedVersion: Sendable {
    private var time: (UInt32, UInt32) = (0, 0)
    private var epoch: UInt32 = 0
    private var count: UInt32 = 0
    private var device: UInt32 = 0

    init() {}

    init(_ version: ItemVersion, _ number: (DeviceIdentifier) -> UInt32) {
        time = (UInt32(version.time >> 32), UInt32(truncatingIfNeeded: version.time))
        (epoch, count) = (version.epoch.rawValue, version.count)
        device = number(version.device)
    }

    func version(_ device: (UInt32) -> DeviceIdentifier) -> ItemVersion {
        ItemVersion(
            epoch: EpochNumber(epoch), time: UInt64(time.0) << 32 | UInt64(time.1), count: count,
            device: device(self.device))
    }
}
