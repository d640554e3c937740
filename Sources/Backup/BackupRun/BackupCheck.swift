package import LatchkeyBackupFormat
import LatchkeySecretMemory

/// Reads everything that a backup holds and names what is not as it should be.
package struct BackupCheck: Sendable {
    package enum Fault: Sendable, Hashable {
        /// A row of the index that is damaged, or that leads out of its domain.
        case record(BackupFailure.RecordFault)
        case missing
        /// The payload does not decrypt, or is not the one that was stored.
        case damaged
        /// Less or more content than the index says.
        case size(found: UInt64, expected: UInt64)
        case keyNotAuthentic
        case unreadable
    }

    package struct Finding: Sendable, Hashable {
        package let domain: String
        package let path: String
        package let fault: Fault
    }

    package private(set) var findings: [Finding] = []
    package private(set) var files = 0
    package private(set) var byteCount: UInt64 = 0
    /// Payloads that only their padding and size speak for: others store nothing that authenticates them.
    package private(set) var unauthenticated = 0
    package private(set) var items = 0
    package private(set) var damagedItems = 0
    /// Payloads that no row names. They do no harm.
    package private(set) var strayPayloads = 0

    /// - Parameter proceed: is told of bytes that were read, and returns false to end.
    package init(_ backup: OpenedBackup, proceed: (Int) -> Bool) throws {
        var named: Set<FileID> = []
        try backup.index.visit { row in
            let record: FileRecord
            switch row {
            case .success(let read): record = read
            case .failure(.badRecord(let domain, let path, let fault)):
                named.insert(FileID(domain: domain, path: path))
                add(domain, path, .record(fault))
                return true
            case .failure(let failure): throw failure
            }
            named.insert(record.fileID)
            guard record.kind == .file else { return true }
            return try check(record, backup, proceed)
        }
        strayPayloads = backup.folder.storedPayloads().subtracting(named).count
        let keychain: KeychainBackupReader
        do throws(BackupFailure) {
            guard let found = try backup.keychain() else { return }
            keychain = found
        } catch {
            // Its payload may have been found damaged already.
            if !findings.contains(where: { $0.domain == BackupDomain.keychain.name }) {
                add(BackupDomain.keychain.name, BackupNames.keychainFile, .damaged)
            }
            return
        }
        try keychain.visit { item in
            items += 1
            if item == nil { damagedItems += 1 }
            return proceed(0)
        }
    }

    private mutating func check(
        _ record: FileRecord, _ backup: OpenedBackup, _ proceed: (Int) -> Bool
    ) throws -> Bool {
        files += 1
        var isWanted = true
        do throws(BackupFailure) {
            let content = try backup.content(of: record)
            if record.tag == nil { unauthenticated += 1 }
            try unsafe content.pieces(tag: record.tag) { piece throws(BackupFailure) in
                byteCount += UInt64(piece.count)
                isWanted = isWanted && proceed(piece.count)
                if !isWanted { throw .cancelled }
            }
            // Live databases of phones have other sizes than the index says.
            if content.size != UInt64(record.size), record.tag != nil {
                add(record, .size(found: content.size, expected: UInt64(record.size)))
            }
        } catch {
            switch error {
            case .cancelled: throw RunFailure.cancelled
            case .payloadMissing: add(record, .missing)
            case .payloadDamaged: add(record, .damaged)
            case .keyNotAuthentic, .keyMissing: add(record, .keyNotAuthentic)
            case .badRecord(_, _, let fault): add(record, .record(fault))
            default: add(record, .unreadable)
            }
        }
        return isWanted
    }

    private mutating func add(_ record: FileRecord, _ fault: Fault) {
        add(record.domain.name, record.path, fault)
    }

    private mutating func add(_ domain: String, _ path: String, _ fault: Fault) {
        findings.append(Finding(domain: domain, path: path, fault: fault))
    }
}
