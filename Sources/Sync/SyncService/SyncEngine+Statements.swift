internal import LatchkeyItemDatabase
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncKeys
package import LatchkeySyncStore

/// The exchange of statements with the store.
extension SyncEngine {
    /// The bytes after which no further statements are read in one exchange. The next goes on.
    private static let statementByteLimit = 16 << 20

    /// Takes new statements, and writes those that the store lacks.
    /// - Returns: true if there are new ones.
    func exchangeStatements() throws(StoreFailure) -> Bool {
        try exchangeStatements(shown: Set(try store.list(.statements).names))
    }

    /// - Parameter shown: the statements that the store shows.
    func exchangeStatements(shown: Set<StoreObjectName>) throws(StoreFailure) -> Bool {
        let known = Set(environment.graph.statements.map { StoreObjectName.statement($0.hash) })
        let isChanged = try readStatements(statementSieve.wanted(shown, known: known, at: parts.now.uptime))
        let missing = known.subtracting(shown)
        if !missing.isEmpty {
            do throws(StoreFailure) {
                try writeStatements(missing)
                writeFailure = nil
            } catch {
                writeFailure = error
            }
        }
        if isChanged { try? shareKeys() }
        return isChanged
    }

    private func readStatements(_ names: [StoreObjectName]) throws(StoreFailure) -> Bool {
        guard !names.isEmpty else { return false }
        let read = try store.readAll(names, byteLimit: Self.statementByteLimit)
        var signed: [SignedStatement] = []
        for (name, bytes) in read.objects {
            if let statement = try? SignedStatement(parsing: bytes), name == .statement(statement.hash) {
                signed.append(statement)
            } else {
                statementSieve.note(damaged: name, at: parts.now.uptime)
            }
        }
        for name in read.damaged { statementSieve.note(damaged: name, at: parts.now.uptime) }
        return take(signed)
    }

    /// Exchanges statements alone, for a device that has left the circle, and for one whose identity runs twice.
    package func exchangeStatementsAlone() {
        do throws(StoreFailure) {
            readFailure = nil
            if try exchangeStatements() { circleChanged() }
        } catch {
            readFailure = error
        }
    }

    /// True if the store shows every statement that this device knows.
    package func hasPutOutStatements() throws(StoreFailure) -> Bool {
        _ = try exchangeStatements()
        let shown = Set(try store.list(.statements).names)
        return environment.graph.statements.allSatisfy { shown.contains(.statement($0.hash)) }
    }

    private func take(_ signed: [SignedStatement]) -> Bool {
        let settings = membership.settings
        let results = environment.graph.insert(all: signed, verifier: P256StatementVerifier())
        for (statement, result) in zip(signed, results) { note(result, of: .statement(statement.hash)) }
        let accepted = zip(signed, results).filter { $0.1 == .accepted }.map(\.0)
        guard !accepted.isEmpty else { return false }
        defer {
            takeKeys()
            // An epoch among them may be the one that is wanted. A locked device would write another one after the
            // unlock.
            writeOwedEpoch()
        }
        let rows = accepted.map { SyncStatementRow(hash: $0.hash.bytes, bytes: $0.bytes) }
        // Those that are not stored are read again after the next start.
        let isOtherGroups = membership.settings.allowedGroups != settings.allowedGroups
        let graph = environment.graph
        var hasVersions = false
        try? parts.items.write { writer in
            for row in rows { try writer.addSyncStatement(row) }
            hasVersions = try SyncMembership.raiseClock(graph, writer)
            if isOtherGroups { try writer.nameAllAgain() }
        }
        if hasVersions { reportAgain() }
        // Every member reads both statements, so no device has to pass the evidence on.
        let forked = Set(environment.graph.evidence.map(\.device)).intersection(membership.members)
        for device in forked.subtracting(state.duplicated) { enqueue(.evidence(against: device)) }
        return true
    }

    private func note(_ result: StatementInsertion, of name: StoreObjectName) {
        switch result {
        case .accepted, .known: statementSieve.forget(name)
        case .waiting(let parents): statementSieve.note(name, waitsFor: Set(parents.map(StoreObjectName.statement)))
        case .refused: statementSieve.note(judged: name)
        }
    }

    private func writeStatements(_ names: Set<StoreObjectName>) throws(StoreFailure) {
        let read = try? parts.items.read { reader in
            (try reader.syncStatements().map(\.bytes), try reader.syncValue(named: CircleValue.founding))
        }
        guard let stored = read else { return }
        var objects: [StoreObjectName: [UInt8]] = [:]
        for bytes in stored.0 + (stored.1.map { [$0] } ?? []) {
            guard let hash = try? SignedStatement(parsing: bytes).hash, names.contains(.statement(hash)) else {
                continue
            }
            objects[.statement(hash)] = bytes
        }
        try store.create(objects)
    }
}
