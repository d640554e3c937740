internal import Glibc
internal import LatchkeyEtcdMessages
internal import LatchkeySyncCore
package import LatchkeySyncStore
internal import LatchkeyThreading
internal import Synchronization

/// The objects of a circle in etcd (`Docs/Formats/sync.md`, "etcd").
///
/// Own heads that are compared are read from the leader, everything else from any member: the protocol asks for no order. A state that this process has seen
/// is seen by its later calls, because an older answer is not taken.
package final class EtcdStore: SyncStore {
    struct State {
        /// The own head as it was read or written last, with the revision of that write.
        var head: (mark: HeadMark, revision: Int64)?
        var heads = KnownHeads()
        /// The first revision whose changes were not reported. Nil before the first look.
        var next: Int64?
        /// The objects that are read at once.
        var readCount = EtcdStore.namesOfQuestion
    }

    let client: EtcdClient
    let layout: EtcdLayout
    let writer: DeviceIdentifier
    let state = Mutex(State())

    /// The times that a write is tried again whose conditions changed meanwhile.
    static let attempts = 4

    init(_ client: EtcdClient, circle: CircleIdentifier, writer: DeviceIdentifier) {
        self.client = client
        layout = EtcdLayout(circle)
        self.writer = writer
    }

    var options: EtcdOptions { client.options }

    package func create(_ objects: [StoreObjectName: [UInt8]]) throws(StoreFailure) {
        for batch in try batches(of: objects) { try create(batch) }
    }

    package func publish(
        _ objects: [StoreObjectName: [UInt8]], head: [UInt8], replacing replaced: HeadMark?
    ) throws(StoreFailure) -> HeadMark {
        guard StoredForm.isWhole(head, of: .head(writer)) else { throw .unsuitable(.head(writer)) }
        var batches = try batches(of: objects)
        let last = batches.popLast() ?? []
        let replacement = HeadReplacement(of: head, named: .head(writer), expecting: replaced)
        if !batches.isEmpty { _ = try revision(for: replacement) }
        for batch in batches { try create(batch) }
        if try publishAtOnce(last, head, replacement.mark, replacing: replaced) { return replacement.mark }
        // Something is there already, or is not what was expected: one after the other then.
        _ = try revision(for: replacement)
        try create(last)
        try replace(head, replacement)
        return replacement.mark
    }

    package func remove(_ names: [StoreObjectName]) throws(StoreFailure) {
        for start in stride(from: 0, to: names.count, by: options.operations) {
            let part = names[start..<min(start + options.operations, names.count)]
            let transaction = EtcdTransaction(operations: part.map { .remove(key: layout.key(of: $0)) })
            guard let answer = try client.transact(transaction) else { throw .system(EPROTO) }
            client.note(answer.revision)
        }
    }
}
