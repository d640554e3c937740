/// The parts of `syncitems` that are looked for often, and the digest of the live items.
struct ItemIndex: Sendable {
    /// Items and tombstones that wait for their segment: while there are any, the items are not those of the vector.
    private(set) var unpublished: Set<ItemName> = []
    private(set) var tombstones: Set<ItemName> = []
    /// Items whose content this device does not have.
    private(set) var withheld: Set<ItemName> = []
    private(set) var digest = StateDigest.zero

    init(_ items: [ItemName: KnownItem], in environment: some ReplicaEnvironment) {
        for (name, item) in items { add(item, name, in: environment) }
    }

    mutating func replace(
        _ old: KnownItem?, by new: KnownItem?, _ name: ItemName, in environment: some ReplicaEnvironment
    ) {
        if let old {
            if let content = old.digest, old.isAlive {
                digest -= environment.digestTerm(name, old.version, content)
            }
            if old.dot == nil { unpublished.remove(name) }
            switch old.state {
            case .gone: tombstones.remove(name)
            case .absentHere, .missing: withheld.remove(name)
            case .live: break
            }
        }
        if let new { add(new, name, in: environment) }
    }

    private mutating func add(_ item: KnownItem, _ name: ItemName, in environment: some ReplicaEnvironment) {
        if let content = item.digest, item.isAlive {
            digest += environment.digestTerm(name, item.version, content)
        }
        if item.dot == nil { unpublished.insert(name) }
        switch item.state {
        case .gone: tombstones.insert(name)
        case .absentHere, .missing: withheld.insert(name)
        case .live: break
        }
    }
}
