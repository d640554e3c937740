/// The local changes that are in no item yet: a restart has them reported again.
struct WaitingChanges: Sendable {
    /// Calls of which the items do not know yet, in their order. While there are any, nothing is applied.
    private(set) var calls: [StampedChange] = []
    private var unversioned: [ItemName: Unversioned] = [:]
    private var lastNumber = 0

    /// A change without a version: an item that the circle does not have in this form, or a deletion of a device that had not joined.
    struct Unversioned: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case put(ItemContent)
            case delete(leavesTombstone: Bool)
        }

        let kind: Kind
        var isRestored = false
        /// The change only gives a new version to what a joining device knows.
        var isRenewal = false
        /// Greater for the later change.
        fileprivate(set) var number = 0

        var content: ItemContent? {
            if case .put(let content) = kind { content } else { nil }
        }
    }

    var isEmpty: Bool { calls.isEmpty && unversioned.isEmpty }
    var count: Int { calls.count + unversioned.count }
    var hasUnversioned: Bool { !unversioned.isEmpty }

    /// The changes without a version, in their order.
    var inOrder: [(name: ItemName, change: Unversioned)] {
        unversioned.sorted { $0.value.number < $1.value.number }.map { (name: $0.key, change: $0.value) }
    }

    subscript(name: ItemName) -> Unversioned? { unversioned[name] }

    /// Returns true if a change of the item waits.
    func contains(_ name: ItemName) -> Bool {
        unversioned[name] != nil || calls.contains { $0.change.names.contains(name) }
    }

    /// Returns true for an item that only gets a new version, or that waits for nothing.
    func isOnlyRenewed(_ name: ItemName) -> Bool { unversioned[name]?.isRenewal ?? !contains(name) }

    /// Returns true if an item has changed without a version that waits, and is live.
    func holdsContent(where qualifies: (ItemName, ItemContent) -> Bool) -> Bool {
        unversioned.contains { name, change in change.content.map { qualifies(name, $0) } ?? false }
    }

    mutating func add(_ call: StampedChange) { calls.append(call) }

    mutating func set(_ change: Unversioned, of name: ItemName) {
        lastNumber += 1
        unversioned[name] = change
        unversioned[name]?.number = lastNumber
    }

    mutating func remove(_ name: ItemName) { unversioned[name] = nil }

    /// Takes all calls, to be met or added again.
    mutating func takeCalls() -> [StampedChange] {
        defer { calls = [] }
        return calls
    }

    /// Forgets what is reported again, or was replaced by what is reported.
    mutating func forget(_ names: Set<ItemName>) {
        for name in names { unversioned[name] = nil }
        guard calls.contains(where: { !names.isDisjoint(with: $0.change.names) }) else { return }
        calls = calls.flatMap { call in
            call.change.parts(without: names).map { StampedChange($0, call.stamp) }
        }
    }
}

extension LocalChange {
    /// The change as it is, or what is left of it without some names.
    fileprivate func parts(without names: Set<ItemName>) -> [LocalChange] {
        if names.isDisjoint(with: self.names) { return [self] }
        return parts.filter { names.isDisjoint(with: $0.names) }
    }

    /// The changes of single names of which the change consists.
    var parts: [LocalChange] {
        guard case .rename(let old, let new, let content) = self else { return [self] }
        return [.delete(old, leavesTombstone: true), .put(new, content)]
    }
}
