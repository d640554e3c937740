internal import Glibc
internal import LatchkeyEtcdMessages
internal import LatchkeySyncStore
internal import Synchronization

extension EtcdStore {
    typealias Batch = [(name: StoreObjectName, bytes: [UInt8])]

    /// Objects in the order of their names, in transactions that are not too large.
    func batches(of objects: [StoreObjectName: [UInt8]]) throws(StoreFailure) -> [Batch] {
        var batches: [Batch] = []
        var byteCount = 0
        for (name, bytes) in objects.sorted(by: { $0.key < $1.key }) {
            guard StoredForm.isWritable(bytes, as: name) else { throw .unsuitable(name) }
            let isFull = byteCount + bytes.count > options.transactionByteCount
            // One operation is left for the head.
            if batches.isEmpty || isFull || batches[batches.count - 1].count == options.operations - 1 {
                batches.append([])
                byteCount = 0
            }
            batches[batches.count - 1].append((name, bytes))
            byteCount += bytes.count
        }
        return batches
    }

    /// Writes objects and the head in one transaction. Returns false, and has written nothing, if one of them exists, or the head is not
    /// known to be the expected one.
    func publishAtOnce(
        _ batch: Batch, _ head: [UInt8], _ mark: HeadMark, replacing replaced: HeadMark?
    ) throws(StoreFailure) -> Bool {
        let known = state.withLock { $0.head }
        guard known?.mark == replaced else { return false }
        let byteCount = batch.reduce(head.count) { $0 + $1.bytes.count }
        // A head beside an object of the greatest size would be more than a server takes.
        guard batch.count < 2 || byteCount <= options.transactionByteCount + head.count,
            byteCount <= options.transactionByteCount + (256 << 10)
        else { return false }
        var transaction = insertion(of: batch.map { ($0.name, $0.bytes, 0) })
        let key = layout.key(of: .head(writer))
        transaction.conditions.append(.init(key, revision: known?.revision ?? 0))
        transaction.operations.append(.put(key: key, value: head))
        guard let answer = try client.transact(transaction), answer.isDone else { return false }
        noteWrite(of: mark, answer.revision)
        return true
    }

    private func noteWrite(of mark: HeadMark, _ revision: Int64) {
        client.note(revision)
        state.withLock { $0.head = (mark, revision) }
    }

    private func insertion(
        of objects: [(name: StoreObjectName, bytes: [UInt8], revision: Int64)]
    ) -> EtcdTransaction {
        EtcdTransaction(
            conditions: objects.map { .init(layout.key(of: $0.name), revision: $0.revision) },
            operations: objects.map { .put(key: layout.key(of: $0.name), value: $0.bytes) })
    }

    /// Creates the objects of one transaction.
    func create(_ batch: Batch) throws(StoreFailure) {
        var missing = batch.map { (name: $0.name, bytes: $0.bytes, revision: Int64(0)) }
        for _ in 0..<Self.attempts {
            guard !missing.isEmpty else { return }
            guard let answer = try client.transact(insertion(of: missing)) else { throw .unsuitable(missing[0].name) }
            if answer.isDone {
                client.note(answer.revision)
                return
            }
            missing = try notCreated(batch)
        }
        // Another writer changes what is there, again and again.
        throw .refused(.obstructed)
    }

    /// Returns the objects that are missing, or not whole, with the revisions of what is in their place.
    private func notCreated(
        _ batch: Batch
    ) throws(StoreFailure) -> [(name: StoreObjectName, bytes: [UInt8], revision: Int64)] {
        var missing: [(name: StoreObjectName, bytes: [UInt8], revision: Int64)] = []
        var (start, size) = (0, batch.count)
        while start < batch.count {
            let part = batch[start..<min(start + size, batch.count)]
            guard let entries = try entries(of: part.map(\.name), mayBeOld: false) else {
                guard size > 1 else { throw .refused(.obstructed) }
                size = max(1, size / 8)
                continue
            }
            for (object, entry) in zip(part, entries) {
                guard let entry, StoredForm.isWhole(entry.value, of: object.name) else {
                    missing.append((object.name, object.bytes, entry?.revision ?? 0))
                    continue
                }
                guard entry.value == object.bytes else { throw .taken(object.name) }
            }
            start = part.endIndex
        }
        return missing
    }

    /// Replaces the head, unless the store has another one than the caller believes.
    func replace(_ head: [UInt8], _ replacement: HeadReplacement) throws(StoreFailure) {
        for _ in 0..<Self.attempts {
            guard let revision = try revision(for: replacement) else { return }
            if try put(head, replacement.mark, over: revision) { return }
        }
        throw .headReplaced
    }

    /// Returns the revision of the head that may be replaced, 0 if there is none; nil if the new head is there already.
    func revision(for replacement: HeadReplacement) throws(StoreFailure) -> Int64? {
        let entry = try entries(of: [StoreObjectName.head(writer)])?[0]
        guard try replacement.isNeeded(over: entry?.value) else { return nil }
        return entry?.revision ?? 0
    }

    private func put(_ head: [UInt8], _ mark: HeadMark, over revision: Int64) throws(StoreFailure) -> Bool {
        guard let answer = try client.transact(insertion(of: [(.head(writer), head, revision)])), answer.isDone else {
            return false
        }
        noteWrite(of: mark, answer.revision)
        return true
    }
}
