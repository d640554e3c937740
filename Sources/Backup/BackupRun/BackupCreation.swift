import Glibc
package import LatchkeyBackupFormat
package import LatchkeyCryptoSuite
package import LatchkeyEncoding
package import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyItemModel
import LatchkeyKeybag
package import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// One run that backs up a device's items and the files of some folders.
///
/// A folder with an earlier backup under the same keybag keeps the payloads of files that have not changed. The former
/// backup stays whole until the new one is.
package struct BackupCreation {
    package let keychain: any Keychain
    package let grant: BackupGrant
    package let isEncrypted: Bool
    package let sources: [BackupSource]
    package let device: DeviceDescription
    package let applications: [BackupManifest.Application]
    package let hasPasscode: Bool
    /// Seconds since 2001.
    package let now: WallTime
    /// Nanoseconds since 1970, by the clock that stamps files.
    package let fileTime: Int64
    /// True for a directory that is left out with everything in it.
    package let isExcluded: (OpenDirectory) -> Bool
    /// Is told of bytes that were read, and returns false to end the run.
    package let proceed: (Phase, Int) -> Bool
    package var testOnlyAt: ((BackupStage.Point) throws(BackupFailure) -> Void)?
    private let entropy: any Entropy

    package enum Phase: Sendable, Hashable {
        case looking
        case copying(total: UInt64)
        case items
    }

    /// The result of a run.
    package struct Report: Sendable {
        package fileprivate(set) var path: String
        package fileprivate(set) var isFull: Bool
        package fileprivate(set) var placement = BackupStage.Placement.inPlace
        package fileprivate(set) var copied = 0
        package fileprivate(set) var copiedByteCount: UInt64 = 0
        package fileprivate(set) var unchanged = 0
        package fileprivate(set) var removed = 0
        package fileprivate(set) var items = 0
        /// Items that no backup holds, by reason.
        package fileprivate(set) var leftOutItems: [String: Int64] = [:]
        package fileprivate(set) var left: [LeftEntry] = []
        /// Files that were changed while they were copied: the next run copies them again.
        package fileprivate(set) var changing: [String] = []
    }

    package init(
        _ keychain: any Keychain, _ grant: BackupGrant, isEncrypted: Bool, sources: [BackupSource],
        device: DeviceDescription, applications: [BackupManifest.Application], hasPasscode: Bool, now: WallTime,
        fileTime: Int64? = nil, entropy: any Entropy = SystemEntropy(),
        isExcluded: @escaping (OpenDirectory) -> Bool, proceed: @escaping (Phase, Int) -> Bool
    ) {
        self.keychain = keychain
        self.grant = grant
        self.isEncrypted = isEncrypted
        self.sources = sources
        self.device = device
        self.applications = applications
        self.hasPasscode = hasPasscode
        self.now = now
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        self.fileTime = fileTime ?? time.nanoseconds
        self.entropy = entropy
        self.isExcluded = isExcluded
        self.proceed = proceed
    }

    /// Backs up into a folder named after the device, in `parent`.
    ///
    /// - Parameter patience: with readers of the last backup, who keep the new one from its place.
    package func run(in parent: String, patience: LockPatience = .upTo()) throws -> Report {
        let path = FilePath.entry(device.identifier, of: parent)
        let stage: BackupStage
        do throws(BackupFailure) {
            stage = try BackupStage(in: parent, named: device.identifier, patience: patience)
        } catch .system(_, EBUSY) {
            throw RunFailure.inUse(path: path)
        } catch {
            throw RunFailure.backup(error)
        }
        stage.testOnlyAt = testOnlyAt
        do {
            return try run(stage, patience)
        } catch let failure as BackupFailure {
            stage.discardUnlessCommitted()
            throw RunFailure.backup(failure)
        } catch {
            stage.discardUnlessCommitted()
            throw error
        }
    }

    private func run(_ stage: BackupStage, _ patience: LockPatience) throws -> Report {
        let keys = BackupKeys(keychain, grant)
        let keybag = try Keybag(parsing: grant.keybag).header.uuid
        let former = FormerBackup(stage.path, keys, keybag: grant.keybag, isEncrypted: isEncrypted)
        var report = Report(path: stage.path, isFull: former == nil)

        var isWanted = true
        let own = FileIdentity(ofFileAt: stage.path)
        let tree = try SourceTree(sources) { directory in
            isExcluded(directory) || FileIdentity(ofFileAt: directory.ownPath) == own
        } proceed: {
            isWanted = isWanted && proceed(.looking, 0)
            return isWanted
        }
        report.left = tree.left

        let known = try former?.index.fileIDs() ?? []
        let stored = former?.folder.storedPayloads() ?? []
        var state = RunState(keybag: keybag)
        var changed: [(entry: SourceEntry, id: FileID)] = []
        var current: Set<FileID> = [.keychain]
        for entry in tree.entries {
            let id = FileID(domain: entry.domain, path: entry.relativePath)
            guard current.insert(id).inserted else { continue }
            // A payload that is gone is written again.
            if let before = former?.state.files[id], known.contains(id), before.stamp == entry.stamp,
                !before.isDoubtful, entry.kind != .file || stored.contains(id)
            {
                state.files[id] = before
                report.unchanged += 1
            } else {
                changed.append((entry, id))
            }
        }
        let index = try former?.index ?? BackupIndex()
        var records = try copy(changed, stage, KeySupply(keys), &state, &report) { id in
            guard known.contains(id) else { return nil }
            // The copy of the former backup stays: it is better than none.
            return former?.state.files[id]
        }
        records.append(try backUpItems(stage, keys, keybag, &report))
        let removed = Array(known.subtracting(current))
        report.removed = removed.count
        try index.change { changes in
            for id in removed { try changes.remove(id) }
            for record in records { try changes.put(record) }
        }
        try finish(stage, index, state, keys, isFull: former == nil)
        // A directory or a link in the place of a file has no payload.
        let replaced = records.filter { $0.kind != .file }.map(\.fileID).filter { stored.contains($0) }
        report.placement = try stage.commit(removing: removed + replaced, patience: patience)
        return report
    }

    // MARK: Files

    private func copy(
        _ changed: [(entry: SourceEntry, id: FileID)], _ stage: BackupStage, _ supply: KeySupply,
        _ state: inout RunState, _ report: inout Report, former: (FileID) -> RunState.File?
    ) throws -> [FileRecord] {
        let total = changed.reduce(UInt64(0)) { sum, one in
            one.entry.kind == .file ? sum + UInt64(max(0, one.entry.stamp.size)) : sum
        }
        let finder = SourceFinder(sources)
        let vault = FileVault.of(keychain)
        var records: [FileRecord] = []
        records.reserveCapacity(changed.count)
        for (entry, id) in changed {
            do throws(AccessFailure) {
                let record: FileRecord
                var isDoubtful = entry.stamp.isTooYoung(at: fileTime)
                switch entry.kind {
                case .directory: record = try directoryRecord(entry, finder)
                case .link: record = try linkRecord(entry, finder)
                case .file:
                    let isSteady: Bool
                    (record, isSteady) = try fileRecord(entry, id, stage, supply, finder, vault, total)
                    if !isSteady {
                        report.changing.append(finder.path(of: entry))
                        isDoubtful = true
                    }
                    report.copied += 1
                    report.copiedByteCount += UInt64(record.size)
                }
                records.append(record)
                state.files[id] = RunState.File(stamp: entry.stamp, isDoubtful: isDoubtful)
            } catch {
                stage.remove(id)
                let path = finder.path(of: entry)
                if case .refused(let refusal) = error, refusal.code == .interactionNotAllowed {
                    throw RunFailure.locked(path: path)
                }
                if case .system(_, ECANCELED) = error {
                    if let failure = failures.first { throw failure }
                    throw RunFailure.cancelled
                }
                report.left.append(LeftEntry(path: path, reason: error.leftReason))
                state.files[id] = former(id).map { RunState.File(stamp: $0.stamp, isDoubtful: true) }
            }
        }
        return records
    }

    private func record(_ entry: SourceEntry, _ kind: FileRecord.Kind) -> FileRecord {
        var record = FileRecord(domain: entry.domain, path: entry.relativePath, kind: kind, mode: entry.stamp.mode)
        record.owner = entry.stamp.owner
        record.group = entry.stamp.group
        record.birth = entry.birth
        record.modified = entry.stamp.modified / 1_000_000_000
        record.changed = entry.stamp.changed / 1_000_000_000
        record.inode = entry.stamp.number
        return record
    }

    private func directoryRecord(_ entry: SourceEntry, _ finder: SourceFinder) throws(AccessFailure) -> FileRecord {
        var record = record(entry, .directory)
        let directory = try finder.directory(entry.relativePath, of: entry.domain)
        record.attributes = withExtendedLifetime(directory) { ExtendedAttributes.of(directory.number) }
        if let protection = DirectoryProtection.own(ofDirectoryAt: directory.ownPath) {
            record.attributes[DirectoryProtection.attribute] = Array(protection.rawValue.utf8)
        }
        return record
    }

    private func linkRecord(_ entry: SourceEntry, _ finder: SourceFinder) throws(AccessFailure) -> FileRecord {
        var record = record(entry, .link)
        let place = try finder.place(of: entry)
        let target = try place.directory.target(ofLink: place.name)
        guard let text = String(validating: target.bytes, as: UTF8.self) else {
            throw .system(call: "readlinkat", errno: EILSEQ)
        }
        record.target = text
        return record
    }

    private func fileRecord(
        _ entry: SourceEntry, _ id: FileID, _ stage: BackupStage, _ supply: KeySupply, _ finder: SourceFinder,
        _ vault: FileVault, _ total: UInt64
    ) throws(AccessFailure) -> (FileRecord, isSteady: Bool) {
        var record = record(entry, .file)
        let content = try SourceContent(finder.place(of: entry), vault)
        record.attributes = withExtendedLifetime(content) { ExtendedAttributes.of(content.descriptor.number) }
        if let protection = content.protection {
            record.attributes[DirectoryProtection.attribute] = Array(protection.rawValue.utf8)
        }
        record.tie = content.tie?.bytes
        record.protectionClass = Int((content.protection ?? FileProtection.none).keyClass.rawValue)
        var wrapped: NewBackupKey?
        if isEncrypted {
            wrapped = try lifted(entry) { () throws(BackupFailure) in try supply.take(record.protectionClass) }
            record.wrappedKey = wrapped?.wrapped.bytes
        }
        let key = wrapped?.key
        let writer = try lifted(entry) { () throws(BackupFailure) in
            PayloadWriter(
                try stage.payload(id), path: id.description, key: key, expectedSize: content.size)
        }
        let pieces = ReadAhead(content)
        defer { pieces.end() }
        while let piece = try unsafe pieces.next() {
            try lifted(entry) { () throws(BackupFailure) in try unsafe writer.write(piece) }
            guard proceed(.copying(total: total), piece.count) else {
                throw .system(call: "read", errno: ECANCELED)
            }
        }
        record.tag = try lifted(entry) { () throws(BackupFailure) in try writer.finish() }
        record.size = Int64(writer.size)
        return (record, FileStamp(try content.descriptor.status()) == entry.stamp)
    }

    /// A failure of the backup ends the run, unlike one of a file: it is told as one of the disk.
    private func lifted<Value>(
        _ entry: SourceEntry, _ body: () throws(BackupFailure) -> Value
    ) throws(AccessFailure) -> Value {
        do throws(BackupFailure) {
            return try body()
        } catch {
            failures.first = failures.first ?? error
            throw .system(call: "write", errno: ECANCELED)
        }
    }

    // MARK: Items

    private func backUpItems(
        _ stage: BackupStage, _ keys: BackupKeys, _ keybag: [UInt8], _ report: inout Report
    ) throws -> FileRecord {
        var record = FileRecord(
            domain: BackupNames.keychainDomain, path: BackupNames.keychainFile, kind: .file, mode: 0o100600)
        record.protectionClass = Int(KeyClass.fileUntilFirstUserAuthentication.rawValue)
        record.modified = Int64(now.secondsSince1970)
        record.changed = record.modified
        record.birth = record.modified
        let key = isEncrypted ? try keys.make([record.protectionClass]).first : nil
        record.wrappedKey = key?.wrapped.bytes
        let writer = PayloadWriter(
            try stage.payload(.keychain), path: BackupNames.keychainFile, key: key?.key)
        var list = KeychainBackupWriter(keybag: keybag)
        var place: ItemPlace?
        repeat {
            let page: BackedUpItems
            do throws(DeviceRefusal) {
                page = try keychain.ask(BackUpItems(grant.token, after: place))
            } catch {
                throw RunFailure.device(error)
            }
            for item in page.items {
                try list.add(BackedUpItem(table: item.itemClass, blob: item.blob, reference: item.reference)) {
                    bytes throws(BackupFailure) in try writer.write(bytes)
                }
            }
            report.items += page.items.count
            report.leftOutItems.merge(page.leftOut) { $0 + $1 }
            guard proceed(.items, page.items.count) else { throw RunFailure.cancelled }
            place = page.next
        } while place != nil
        try list.finish { bytes throws(BackupFailure) in try writer.write(bytes) }
        record.tag = try writer.finish()
        record.size = Int64(writer.size)
        return record
    }

    // MARK: Lists

    private func finish(
        _ stage: BackupStage, _ index: BackupIndex, _ state: RunState, _ keys: BackupKeys, isFull: Bool
    ) throws {
        var indexKey: NewBackupKey?
        var stateKey: NewBackupKey?
        if isEncrypted {
            let made = try keys.make([4, 4])
            (indexKey, stateKey) = (made[0], made[1])
        }
        try stage.write(index.stored(key: indexKey?.key), as: BackupNames.index)
        try stage.write(
            state.encoded(
                key: stateKey?.key, wrappedKey: stateKey?.wrapped.bytes ?? [], entropy: entropy),
            as: BackupNames.state)
        let manifest = BackupManifest(
            keybag: grant.keybag, isEncrypted: isEncrypted, indexKey: indexKey?.wrapped, wasPasscodeSet: hasPasscode,
            date: now, device: device, applications: applications)
        try stage.write(manifest.encoded, as: BackupNames.manifest)
        let info = BackupInfo(
            device: device, applications: applications.map(\.identifier), date: now, maker: "12.13.0.9")
        try stage.write(info.encoded, as: BackupNames.info)
        let status = BackupStatus(
            isFull: isFull, isFinished: true, date: now, uuid: UUIDText.text(entropy.bytes(16)).uppercased())
        try stage.write(status.encoded, as: BackupNames.status)
    }

    /// The failure of the backup that ended a run.
    private final class Failures {
        var first: BackupFailure?
    }

    private let failures = Failures()
}

extension AccessFailure {
    fileprivate var leftReason: LeftEntry.Reason {
        switch self {
        case .system(_, EILSEQ): .nameIsNotText
        default: .unreadable(number)
        }
    }
}

/// The backup that a folder holds already, if the next one can go on from it.
private struct FormerBackup {
    let folder: BackupFolder
    let index: BackupIndex
    let state: RunState

    /// Nil if there is none, or if it is under other keys: the next one is then whole.
    init?(_ path: String, _ keys: BackupKeys, keybag: [UInt8], isEncrypted: Bool) {
        guard let folder = try? BackupFolder(path), let manifest = try? folder.manifest(),
            manifest.isEncrypted == isEncrypted, !isEncrypted || manifest.keybag == keybag,
            let status = try? folder.status(), status.isFinished,
            let opened = try? OpenedBackup(former: folder, keys: keys),
            let bytes = try? folder.bytes(of: BackupNames.state, limit: 1 << 30),
            let stored = RunState.Stored(bytes)
        else { return nil }
        var key: SecretBox?
        if isEncrypted {
            guard let found = try? keys.open(WrappedBackupKey(classNumber: 4, bytes: stored.wrappedKey)) else {
                return nil
            }
            key = found
        }
        guard let state = stored.opened(key: key) else { return nil }
        self.folder = folder
        index = opened.index
        self.state = state
    }
}
