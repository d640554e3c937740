internal import Glibc
internal import LatchkeyEtcdMessages
package import LatchkeySyncStore
internal import Synchronization

extension EtcdStore {
    /// The entries that one listing looks at.
    private static let entriesOfListing = 65_536
    /// The keys of one question for objects. Fewer, if the answer is too long.
    static let namesOfQuestion = 64

    package func list(_ prefix: ObjectPrefix) throws(StoreFailure) -> StoreListing {
        var listing = StoreListing()
        var (revisions, revision) = ([StoreObjectName: Int64](), Int64(0))
        var range = layout.range(of: prefix)
        var (left, page) = (Self.entriesOfListing, options.pageEntries)
        while true {
            let query = EtcdQuery(range, limit: min(page, left), isOfKeysOnly: true, mayBeOld: true)
            guard let answer = try client.readFresh([query]) else {
                // Long keys of other programs.
                guard page > 1 else { throw .refused(.obstructed) }
                page = max(1, page / 8)
                continue
            }
            let reading = answer.readings[0]
            revision = answer.revision
            for entry in reading.entries {
                if let name = layout.name(of: entry.key, under: prefix) {
                    listing.names.append(name)
                    if prefix == .heads { revisions[name] = entry.revision }
                } else {
                    listing.foreignCount += 1
                }
            }
            left -= reading.entries.count
            guard reading.isCut, let last = reading.entries.last else { break }
            guard left > 0 else {
                listing.isComplete = false
                break
            }
            guard let end = range.end, last.key.lexicographicallyPrecedes(end) else { throw .system(EPROTO) }
            range = EtcdKeyRange(from: last.key + [0], upTo: end)
        }
        if prefix == .heads { state.withLock { $0.heads.list(revisions, at: revision) } }
        // A server may say anything twice.
        listing.names = Set(listing.names).sorted()
        if listing.names.count > StoreLimits.listedNames {
            listing.names.removeLast(listing.names.count - StoreLimits.listedNames)
            listing.isComplete = false
        }
        return listing
    }

    /// One transaction, unless the circle has more than a page of anything.
    package func news(knowing known: [StoreObjectName: HeadMark]) throws(StoreFailure) -> StoreNews {
        let heads = layout.range(of: .heads)
        let next = state.withLock { $0.heads.next }
        let queries = [
            EtcdQuery(
                layout.range(of: .statements), limit: options.pageEntries, isOfKeysOnly: true, mayBeOld: true),
            EtcdQuery(heads, limit: options.pageEntries, isOfKeysOnly: true, mayBeOld: true),
            EtcdQuery(heads, limit: Self.namesOfQuestion, mayBeOld: true, changedSince: next),
        ]
        guard let answer = try client.readFresh(queries), answer.readings.allSatisfy({ !$0.isCut }) else {
            return try newsInParts(knowing: known)
        }
        let (statements, listed, changed) = (answer.readings[0], answer.readings[1], answer.readings[2])
        let found = state.withLock { state in
            var revisions: [StoreObjectName: Int64] = [:]
            for entry in listed.entries {
                if let name = layout.name(of: entry.key, under: .heads) { revisions[name] = entry.revision }
            }
            state.heads.list(revisions, at: answer.revision)
            for entry in changed.entries {
                if let name = layout.name(of: entry.key, under: .heads) { state.heads.note(entry, of: name) }
            }
            return revisions.keys.sorted().map { ($0, state.heads[$0]?.value) }
        }
        var objects: [StoreObjectName: [UInt8]] = [:]
        for (name, bytes) in found {
            if let bytes, StoredForm.isWhole(bytes, of: name) { objects[name] = bytes }
        }
        let missing = found.filter { $0.1 == nil }.map(\.0)
        if !missing.isEmpty { objects.merge(try readAll(missing).objects) { first, _ in first } }
        let names = Set(statements.entries.compactMap { layout.name(of: $0.key, under: .statements) })
        return StoreNews(statements: names.sorted(), heads: objects, knowing: known)
    }

    package func read(_ names: [StoreObjectName]) throws(StoreFailure) -> StoreReading {
        var reading = StoreReading()
        var (byteCount, start) = (0, 0)
        while start < names.count {
            let size = state.withLock { $0.readCount }
            let part = names[start..<min(start + size, names.count)]
            guard let entries = try knownOrRead(part) else {
                guard part.count > 1 else {
                    // One value that is longer than any object.
                    reading.damaged.insert(names[start])
                    start += 1
                    continue
                }
                state.withLock { $0.readCount = max(1, part.count / 4) }
                continue
            }
            adapt(size, to: entries)
            for (position, (name, entry)) in zip(part.indices, zip(part, entries)) {
                guard let entry else { continue }
                guard StoredForm.isWhole(entry.value, of: name) else {
                    if !entry.value.isEmpty { reading.damaged.insert(name) }
                    continue
                }
                if !reading.objects.isEmpty, byteCount + entry.value.count > StoreLimits.messageByteCount {
                    reading.rest = Array(names[position...])
                    return reading
                }
                byteCount += entry.value.count
                reading.objects[name] = entry.value
            }
            start = part.endIndex
        }
        return reading
    }

    /// Asks for more objects at once when they are small: the answer has to stay within its limit.
    private func adapt(_ size: Int, to entries: [EtcdEntry?]) {
        let byteCount = entries.reduce(0) { $0 + ($1?.value.count ?? 0) }
        guard entries.count == size, byteCount < StoreLimits.messageByteCount / 4 else { return }
        state.withLock { $0.readCount = min(Self.namesOfQuestion, size * 2) }
    }

    /// The same as ``entries(of:mayBeOld:)``, without a question for heads that have not changed since they were read.
    private func knownOrRead(_ names: ArraySlice<StoreObjectName>) throws(StoreFailure) -> [EtcdEntry?]? {
        let own = StoreObjectName.head(writer)
        let known = state.withLock { state in names.map { $0 == own ? nil : state.heads[$0] } }
        let missing = zip(names, known).compactMap { $1 == nil ? $0 : nil }
        guard let entries = try entries(of: missing) else { return nil }
        var read = zip(missing, entries).makeIterator()
        return state.withLock { state in
            known.map { entry in
                if let entry { return entry }
                guard let (name, found) = read.next(), let found else { return nil }
                state.heads.note(found, of: name)
                return found
            }
        }
    }

    /// Returns the entry of each name, nil for those that are missing; nil if the answer is too long.
    func entries(
        of names: some Collection<StoreObjectName>, mayBeOld: Bool = true
    ) throws(StoreFailure) -> [EtcdEntry?]? {
        guard !names.isEmpty else { return [] }
        let own = StoreObjectName.head(writer)
        // In a transaction all of it is old, or nothing is.
        let isOld = mayBeOld && !names.contains(own)
        let keys = names.map { layout.key(of: $0) }
        guard let answer = try client.readFresh(keys.map { EtcdQuery(EtcdKeyRange($0), mayBeOld: isOld) }) else {
            return nil
        }
        var entries: [EtcdEntry?] = []
        for (name, (key, reading)) in zip(names, zip(keys, answer.readings)) {
            guard reading.entries.count <= 1, reading.entries.allSatisfy({ $0.key == key }) else {
                throw .system(EPROTO)
            }
            let entry = reading.entries.first
            if name == own { noteHead(entry) }
            entries.append(entry)
        }
        return entries
    }

    /// Remembers the own head, so that the next one can replace it in one step.
    func noteHead(_ entry: EtcdEntry?) {
        state.withLock { state in
            state.head = entry.flatMap { entry in
                StoredForm.isWhole(entry.value, of: .head(writer))
                    ? (HeadMark(of: entry.value), entry.revision) : nil
            }
        }
    }
}
