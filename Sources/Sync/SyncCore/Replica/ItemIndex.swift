/// The parts of `syncitems` that are looked for often, and the digest of the live items.
struct ItemIndex: Sendable {
    /// Items and tombstones that wait for their segment: while there are any, the items are not those of the vector.
    private(set) var unpublished: Set<ItemName> = []
    private(set) var tombstones: Set<ItemName> = []
    /// Items whose content this device does not have.
    private(set) var withheld: Set<ItemName> = []
    /// The number of items whose version each device published.
    private(set) var authors: [DeviceIdentifier: Int] = [:]
    /// Nil until it was computed: before the first unlock the digest key is not at hand.
    private var digest: StateDigest?

    init(_ items: ItemTable) {
        for (name, item) in items { add(item, name) }
    }

    /// Returns the digest of the live items. Nil if its key is not at hand.
    mutating func digest(of items: ItemTable, in environment: some ReplicaEnvironment) -> StateDigest? {
        if let digest { return digest }
        var sum = StateDigest.zero
        for (name, item) in items where item.isAlive {
            guard let content = item.digest else { continue }
            guard let term = environment.digestTerm(name, item.version, content) else { return nil }
            sum += term
        }
        digest = sum
        return sum
    }

    mutating func replace(
        _ old: KnownItem?, by new: KnownItem?, _ name: ItemName, in environment: some ReplicaEnvironment
    ) {
        if digest != nil, let terms = terms(old, new, name, in: environment) {
            if let term = terms.old { digest? -= term }
            if let term = terms.new { digest? += term }
        } else {
            digest = nil
        }
        if let old {
            if let author = old.dot?.stream.device {
                let count = authors[author, default: 1] - 1
                authors[author] = count > 0 ? count : nil
            } else {
                unpublished.remove(name)
                // A set keeps its room for what was removed: after the founding of a circle that is room for every item.
                if unpublished.isEmpty { unpublished = [] }
            }
            switch old.state {
            case .gone: tombstones.remove(name)
            case .absentHere, .missing: withheld.remove(name)
            case .live: break
            }
        }
        if let new { add(new, name) }
    }

    /// Returns what a change takes from the digest and adds to it. Nil if the key is not at hand.
    private func terms(
        _ old: KnownItem?, _ new: KnownItem?, _ name: ItemName, in environment: some ReplicaEnvironment
    ) -> (old: StateDigest?, new: StateDigest?)? {
        var terms: (old: StateDigest?, new: StateDigest?) = (nil, nil)
        if let old, old.isAlive, let content = old.digest {
            guard let term = environment.digestTerm(name, old.version, content) else { return nil }
            terms.old = term
        }
        if let new, new.isAlive, let content = new.digest {
            guard let term = environment.digestTerm(name, new.version, content) else { return nil }
            terms.new = term
        }
        return terms
    }

    private mutating func add(_ item: KnownItem, _ name: ItemName) {
        if let author = item.dot?.stream.device {
            authors[author, default: 0] += 1
        } else {
            unpublished.insert(name)
        }
        switch item.state {
        case .gone: tombstones.insert(name)
        case .absentHere, .missing: withheld.insert(name)
        case .live: break
        }
    }
}
