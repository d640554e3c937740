package import LatchkeyBackupFormat
import LatchkeyEncoding
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
        /// The system did not let it be read, with its `errno`. It may be sound.
        case unreadable(Int32)
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
    package private(set) var damagedItems: [DamagedItem] = []
    /// Payloads that no row names. They do no harm.
    package private(set) var strayPayloads = 0

    package var isSound: Bool { findings.isEmpty && damagedItems.isEmpty }

    /// True if something is damaged or missing, and not only out of reach at this moment.
    package var isDamaged: Bool {
        !damagedItems.isEmpty
            || findings.contains { finding in
                if case .unreadable = finding.fault { false } else { true }
            }
    }

    /// - Parameters:
    ///   - domains: whose files are read; nil for all.
    ///   - withItems: false to leave the items out.
    ///   - look: at the items of the backup, if there was one already.
    ///   - proceed: is told of bytes that were read, and returns false to end.
    package init(
        _ backup: OpenedBackup, domains: Set<BackupDomain>? = nil, withItems: Bool = true, look: ItemLook? = nil,
        proceed: (Int) -> Bool
    ) throws {
        func isChosen(_ domain: BackupDomain) -> Bool {
            domain == .keychain ? withItems : domains?.contains(domain) ?? true
        }
        // Payloads of domains that are left out have their rows.
        var named: Set<FileID>? = domains == nil ? [] : nil
        try backup.index.visit { row in
            let record: FileRecord
            switch row {
            case .success(let read): record = read
            case .failure(.badRecord(let domain, let path, let fault)):
                named?.insert(FileID(domain: domain, path: path))
                // Rows of a domain that is not valid are named in any case.
                if BackupDomain(domain).map(isChosen) ?? true { add(domain, path, .record(fault)) }
                return true
            case .failure(let failure): throw failure
            }
            named?.insert(record.fileID)
            guard record.kind == .file, isChosen(record.domain) else { return true }
            return try check(record, backup, proceed)
        }
        if let named { strayPayloads = backup.folder.storedPayloads().subtracting(named).count }
        if withItems { try checkItems(backup, look, proceed) }
    }

    private mutating func checkItems(
        _ backup: OpenedBackup, _ known: ItemLook?, _ proceed: (Int) -> Bool
    ) throws {
        do throws(BackupFailure) {
            guard let list = try backup.items() else { return }
            let look = if let known { known } else { try Self.look(list, backup.keys, proceed) }
            items = look.count
            damagedItems = look.damaged
        } catch .cancelled {
            throw RunFailure.cancelled
        } catch .keysRefused(let reason) {
            throw RunFailure.backup(.keysRefused(reason))
        } catch .system(_, let number) where !StorageObstacle(systemError: number).isOtherKind {
            guard !findings.contains(where: { $0.domain == BackupDomain.keychain.name }) else { return }
            add(BackupDomain.keychain.name, BackupNames.keychainFile, .unreadable(number))
        } catch {
            // Its payload may have been found damaged already.
            guard !findings.contains(where: { $0.domain == BackupDomain.keychain.name }) else { return }
            add(BackupDomain.keychain.name, BackupNames.keychainFile, .damaged)
        }
    }

    private static func look(
        _ list: KeychainBackupReader, _ keys: BackupKeys, _ proceed: (Int) -> Bool
    ) throws(BackupFailure) -> ItemLook {
        var isWanted = true
        do {
            let look = try ItemLook(list, keys) {
                isWanted = isWanted && proceed(0)
                return isWanted
            }
            guard isWanted else { throw BackupFailure.cancelled }
            return look
        } catch let failure as BackupFailure {
            throw failure
        } catch {
            throw .damaged(BackupNames.keychainFile)
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
            try content.check(tag: record.tag) { count throws(BackupFailure) in
                byteCount += UInt64(count)
                isWanted = isWanted && proceed(count)
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
            case .system(_, let number):
                // Something else in the place of the payload is a fault of the backup; all other obstacles pass.
                add(record, StorageObstacle(systemError: number).isOtherKind ? .damaged : .unreadable(number))
            case .beyondLimits, .unsupported, .notABackup, .severalBackups, .missing, .damaged, .wrongPassword, .keybag,
                .keysRefused, .changedMeanwhile, .beingMoved, .beingRead:
                throw RunFailure.backup(error)
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
