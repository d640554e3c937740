import LatchkeyPropertyListDER

/// The pairs of a dictionary in the order of their keys. Keys that no dictionary can have are refused here.
///
/// The pairs stay where they are, and their order is a list of places beside them: nothing is allocated.
struct SortedPairs {
    private let pairs: [QueryPair]
    /// The shape of each pair's key, at the pair's own place.
    private var shapes = InlineArray<128, KeyShape>(repeating: .withoutEffect)
    /// The places of the pairs, in the order of their keys.
    private var order = InlineArray<128, UInt8>(repeating: 0)
    private var count = 0
    private(set) var itemClass: PropertyValue?

    init(_ pairs: [QueryPair]) throws(QueryRefusal) {
        self.pairs = pairs
        guard pairs.count <= QueryGrammar.pairLimit else {
            throw QueryRefusal(.param, .tooManyPairs, pairs.count)
        }
        var numberKey = false
        for (place, pair) in pairs.enumerated() {
            if let unstorable = UnstorableValue(pair.key) ?? UnstorableValue(pair.value) { throw unstorable.refusal }
            switch pair.key {
            case .string(let key):
                try sort(key, at: place)
                shapes[place] = try KeyShape(key)
                if shapes[place] == .itemClass { itemClass = pair.value }
            case .integer: numberKey = true
            default:
                throw QueryRefusal(.param, .keyNotText)
            }
        }
        if numberKey {
            throw QueryRefusal(.noSuchAttr, as: .numberAsKey)
        }
    }

    /// The pairs of a shape in the order of their keys, so that the answer does not depend on the order of the pairs.
    func all(_ shape: KeyShape) -> OfShape {
        OfShape(pairs: self, shape: shape)
    }

    /// The first pair of a shape, in the order of the dictionary.
    func first(
        _ shape: KeyShape, where isMeant: (String, PropertyValue) -> Bool = { _, _ in true }
    ) -> (key: String, value: PropertyValue)? {
        for place in pairs.indices where shapes[place] == shape {
            let pair = pair(at: place)
            if isMeant(pair.key, pair.value) { return pair }
        }
        return nil
    }

    /// Puts the place of a key into the order.
    private mutating func sort(_ key: String, at place: Int) throws(QueryRefusal) {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            let other = pair(at: Int(order[middle])).key
            // A dictionary cannot have duplicate keys: a client sends them so that two rules read different values.
            guard other != key else {
                throw QueryRefusal(.param, .duplicateKey)
            }
            if other < key { low = middle + 1 } else { high = middle }
        }
        for next in stride(from: count, to: low, by: -1) { order[next] = order[next - 1] }
        order[low] = UInt8(place)
        count += 1
    }

    private func pair(at place: Int) -> (key: String, value: PropertyValue) {
        guard case .string(let key) = pairs[place].key else { preconditionFailure("a key without text has a shape") }
        return (key, pairs[place].value)
    }

    struct OfShape: Sequence, IteratorProtocol {
        let pairs: SortedPairs
        let shape: KeyShape
        private var position = 0

        init(pairs: SortedPairs, shape: KeyShape) {
            self.pairs = pairs
            self.shape = shape
        }

        mutating func next() -> (key: String, value: PropertyValue)? {
            while position < pairs.count {
                defer { position += 1 }
                let place = Int(pairs.order[position])
                if pairs.shapes[place] == shape { return pairs.pair(at: place) }
            }
            return nil
        }
    }
}
