internal import LatchkeyEtcdMessages
internal import LatchkeySyncStore

/// The heads of a circle as they were read last. A device looks at all of them with each hint, and most of them have not changed: the
/// listing tells by their revisions which ones have.
struct KnownHeads {
    private var listed: [StoreObjectName: Int64] = [:]
    private var entries: [StoreObjectName: EtcdEntry] = [:]
    private var byteCount = 0
    /// The revision of the store at the last listing.
    private var revision: Int64 = 0
    private var emptiedAt: ContinuousClock.Instant?

    /// Far more than a circle has. A server may list, and have, anything.
    private static let listedLimit = 1_024
    private static let byteLimit = 4 << 20
    /// A store that was set back, and has come as far again, may have another head with an old number.
    private static let age: Duration = .seconds(3_600)

    /// The first revision whose changes are in no listing yet.
    var next: Int64 { revision + 1 }

    /// Takes a new listing of all heads, with the revisions of their last changes. Heads that are not listed any more are forgotten.
    /// - Parameter revision: the one of the store.
    mutating func list(
        _ revisions: [StoreObjectName: Int64], at revision: Int64, _ now: ContinuousClock.Instant = .now
    ) {
        if revision < self.revision || emptiedAt.map({ now - $0 > Self.age }) ?? true {
            (entries, byteCount, emptiedAt) = ([:], 0, now)
        }
        self.revision = revision
        listed = revisions.count > Self.listedLimit ? [:] : revisions
        for (name, entry) in entries where listed[name] != entry.revision { forget(name) }
    }

    /// Returns the head if it is the one that was listed last.
    subscript(name: StoreObjectName) -> EtcdEntry? {
        guard let entry = entries[name], listed[name] == entry.revision else { return nil }
        return entry
    }

    mutating func note(_ entry: EtcdEntry, of name: StoreObjectName) {
        guard case .head = name, listed[name] != nil else { return }
        forget(name)
        guard byteCount + entry.value.count <= Self.byteLimit else { return }
        byteCount += entry.value.count
        entries[name] = entry
    }

    private mutating func forget(_ name: StoreObjectName) {
        guard let entry = entries.removeValue(forKey: name) else { return }
        byteCount -= entry.value.count
    }
}
