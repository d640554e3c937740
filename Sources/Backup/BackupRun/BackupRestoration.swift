import Glibc
package import LatchkeyBackupFormat
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyItemModel
import LatchkeyKeybag
package import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// One run that restores a backup: its items to a device, and the files of its domains to directories.
///
/// What is there already and the same is left as it is, so that a run that was interrupted goes on with the same call.
package struct BackupRestoration {
    package let backup: OpenedBackup
    package let keychain: any Keychain
    /// The directory of each domain that is restored; others are counted.
    package let targets: [BackupDomain: RestoreDestination]
    package let policy: RestorePolicy
    /// The access groups whose items are restored; nil for all.
    package let groups: Set<String>?
    /// False for a backup of another system, whose users are not those of this machine.
    package let keepsOwners: Bool
    package let isDryRun: Bool
    /// False: everything that would be restored is looked at first, and nothing is restored if any of it is damaged.
    package let skipsDamage: Bool
    /// Is told of bytes that were restored, and returns false to end the run.
    package let proceed: (Int) -> Bool
    /// Is told of bytes that were looked at, and returns false to end the run.
    package var proceedLooking: ((Int) -> Bool)?
    /// A look at the items that was made before.
    package var knownItems: ItemLook?

    /// - Parameter targets: a directory for each domain.
    package init(
        _ backup: OpenedBackup, to keychain: any Keychain, targets: [BackupDomain: String], policy: RestorePolicy,
        groups: Set<String>? = nil, keepsOwners: Bool = true, isDryRun: Bool, skipsDamage: Bool,
        proceed: @escaping (Int) -> Bool
    ) {
        self.init(
            backup, to: keychain, destinations: targets.mapValues { .directory($0) }, policy: policy, groups: groups,
            keepsOwners: keepsOwners, isDryRun: isDryRun, skipsDamage: skipsDamage, proceed: proceed)
    }

    package init(
        _ backup: OpenedBackup, to keychain: any Keychain, destinations: [BackupDomain: RestoreDestination],
        policy: RestorePolicy,
        groups: Set<String>? = nil, keepsOwners: Bool = true, isDryRun: Bool, skipsDamage: Bool,
        proceed: @escaping (Int) -> Bool
    ) {
        self.backup = backup
        self.keychain = keychain
        targets = destinations
        self.policy = policy
        self.groups = groups
        self.keepsOwners = keepsOwners
        self.isDryRun = isDryRun
        self.skipsDamage = skipsDamage
        self.proceed = proceed
    }

    package struct Report: Sendable {
        package fileprivate(set) var items: [RestoredItems.Outcome: Int] = [:]
        /// By access group; those of items that were not opened, under an empty name.
        package fileprivate(set) var groups: [String: [RestoredItems.Outcome: Int]] = [:]
        package fileprivate(set) var restored = 0
        package fileprivate(set) var identical = 0
        /// Files on this machine that stay, because they are newer or are to be kept.
        package fileprivate(set) var kept: [String] = []
        package fileprivate(set) var replaced = 0
        /// Files of domains that have no directory here.
        package fileprivate(set) var withoutTarget: [String: Int] = [:]
        package fileprivate(set) var byteCount: UInt64 = 0
        package fileprivate(set) var device = DeviceChanges()

        /// Items of the backup that cannot be read.
        package fileprivate(set) var damagedItems: [DamagedItem] = []
        /// Items that were not restored, because they are damaged, of another device, or of no use here.
        package fileprivate(set) var leftItems: Set<ItemPosition> = []
        private var failures = FailedFiles()

        /// Files of the backup that could not be restored, with the reason for people.
        package var failed: [FailedFile] { failures.list }

        /// Makes one of a restore that has done nothing.
        package init() {}

        /// True if everything of the backup that was chosen could be read and restored.
        package var isWhole: Bool { failed.isEmpty && damagedItems.isEmpty }
        /// True if anything of the backup cannot be restored anywhere.
        package var hasDamage: Bool { !damagedItems.isEmpty || failed.contains { $0.reason.isOfBackup } }
        /// True if nothing on this machine has changed.
        package var isEmpty: Bool {
            device == DeviceChanges() && restored == 0 && replaced == 0
                && items[.restored] == nil && items[.replaced] == nil
        }

        fileprivate mutating func noteRestored(_ size: UInt64, replacing: Bool) {
            if replacing { replaced += 1 } else { restored += 1 }
            byteCount += size
        }

        fileprivate mutating func note(_ path: String, _ obstacle: FileObstacle) {
            failures.add(FailedFile(path: path, reason: obstacle))
        }

        /// The class keys of a backup without a password open on the device that made it alone, and on another one an item
        /// looks as a damaged one does. If none opened, this is another one.
        ///
        /// - Parameter unreadable: items that are damaged on every device.
        fileprivate mutating func noteOwnersDevice(_ manifest: BackupManifest, unreadable: [DamagedItem]) {
            let unopened: Set<RestoredItems.Outcome> = [.damaged, .otherDevice]
            guard !manifest.isEncrypted, items.keys.allSatisfy(unopened.contains) else { return }
            let count = items.values.reduce(0, +) - unreadable.count
            guard count > 0 else { return }
            items = [.otherDevice: count]
            groups = ["": items]
            damagedItems = unreadable
            if !unreadable.isEmpty { items[.damaged] = unreadable.count }
        }
    }

    /// Changes of the device beside the items that came.
    package struct DeviceChanges: Sendable, Hashable {
        /// True if items were deleted first, to make place for those of the backup.
        package fileprivate(set) var hasMadePlace = false
        /// Items that were sent to the device when it stopped answering: it may have them.
        package fileprivate(set) var unansweredItems = 0
    }

    /// Files that could not be restored, each path once.
    private struct FailedFiles {
        private(set) var list: [FailedFile] = []
        private var paths: Set<[UInt8]> = []

        mutating func add(_ file: FailedFile) {
            if paths.insert(Array(file.path.utf8)).inserted { list.append(file) }
        }
    }

    /// A file of the backup that could not be restored: domain and path.
    package struct FailedFile: Sendable, Hashable {
        package let path: String
        package let reason: FileObstacle

        package init(path: String, reason: FileObstacle) {
            self.path = path
            self.reason = reason
        }
    }

    package enum FileObstacle: Sendable, Hashable {
        case damaged
        case missing
        /// The path leads out of its domain.
        case path
        /// Another entry of the backup has its place, or a part of its path.
        case conflict
        /// It is sound as far as can be known, and larger or of another form than this release reads.
        case beyondLimits
        /// Its key is bound to another device, or this device gives it out to no one.
        case noKey
        /// The payload in the backup cannot be read.
        case system(Int32)
        /// Something of another kind is in its place here, and stays.
        case obstructed(EntryKind)
        /// A part of its path here is not a directory.
        case noDirectory
        /// It cannot be written here.
        case target(Int32)

        /// True if the backup is at fault, false if this machine is.
        package var isOfBackup: Bool {
            switch self {
            case .damaged, .missing, .path, .conflict, .beyondLimits, .noKey, .system: true
            case .obstructed, .noDirectory, .target: false
            }
        }
    }

    /// The kind of what is in the place of an entry.
    package enum EntryKind: Sendable, Hashable {
        case file, directory, link, special

        init(_ status: stat) {
            switch status.st_mode & S_IFMT {
            case S_IFREG: self = .file
            case S_IFDIR: self = .directory
            case S_IFLNK: self = .link
            default: self = .special
            }
        }
    }

    /// Looks at the whole index and at the directories, then restores.
    ///
    /// - Parameter grant: for the items; nil to leave them out.
    /// - Throws: ``RunFailure``. All but ``RunFailure/unfinished(_:_:)`` mean that nothing was restored or deleted.
    package func run(_ grant: BackupGrant?) throws -> Report {
        var report = Report()
        var work: Work
        do {
            work = try prepare(withItems: grant != nil, &report)
        } catch {
            throw RunFailure(any: error)
        }
        do {
            if let grant { try restoreItems(grant, &report) }
            try restoreFiles(&work, &report)
        } catch {
            do throws(BackupFailure) {
                try backup.checkUnchanged()
            } catch .changedMeanwhile {
                throw ended(report, .backup(.changedMeanwhile))
            } catch {}
            throw ended(report, RunFailure(any: error))
        }
        do throws(BackupFailure) {
            try backup.checkUnchanged()
        } catch {
            throw ended(report, .backup(error))
        }
        return report
    }

    /// A dry run changes nothing, wherever it ends.
    private func ended(_ report: Report, _ cause: RunFailure) -> RunFailure {
        isDryRun ? cause : .unfinished(report, cause)
    }

    /// The directories, open, and the entries that cannot be restored beside others.
    private struct Work {
        let targets: RestoreTargets
        var conflicts: RestoreConflicts
    }

    /// Does everything that can end the run before anything is restored.
    private func prepare(withItems: Bool, _ report: inout Report) throws -> Work {
        let opened = try RestoreTargets(targets, isDryRun: isDryRun)
        do {
            let conflicts = try backup.reading {
                if !skipsDamage { try look(withItems: withItems, &report) }
                return try RestoreConflicts(backup.index, places: opened.places)
            }
            var work = Work(targets: opened, conflicts: conflicts)
            try noteConflicts(&work, &report)
            guard skipsDamage || isDryRun || !report.hasDamage else {
                throw RunFailure.damage(files: report.failed, items: report.damagedItems)
            }
            if !isDryRun {
                try RestoreOutlook(backup, opened, policy) { proceedLooking?(0) ?? proceed(0) }
                    .check(FileVault.of(keychain))
            }
            return work
        } catch {
            opened.withdraw()
            throw error
        }
    }

    /// Looks at everything that is to be restored, and names what is damaged.
    private func look(withItems: Bool, _ report: inout Report) throws {
        let check = try BackupCheck(
            backup, domains: Set(targets.keys), withItems: withItems, look: knownItems
        ) { count in
            proceedLooking?(count) ?? proceed(0)
        }
        guard !check.isSound else { return }
        // A file that cannot be read at this moment may be sound: the user is not to give it up as damaged.
        for finding in check.findings where !isDryRun {
            guard case .unreadable(let number) = finding.fault else { continue }
            throw RunFailure.backup(.system(path: finding.domain + "/" + finding.path, errno: number))
        }
        for finding in check.findings {
            report.note(finding.domain + "/" + finding.path, FileObstacle(finding.fault))
        }
        report.damagedItems = check.damagedItems
    }

    private func noteConflicts(_ work: inout Work, _ report: inout Report) throws {
        for domain in work.targets.domains {
            try backup.index.visit(domain: domain) { row in
                if let record = try? row.get(), work.conflicts.block(record) { report.note(record.name, .conflict) }
                return true
            }
        }
    }

    // MARK: Items

    private func restoreItems(_ grant: BackupGrant, _ report: inout Report) throws {
        let list: KeychainBackupReader
        do throws(BackupFailure) {
            guard let found = try backup.items() else { return }
            list = found
        } catch .cancelled {
            throw RunFailure.cancelled
        } catch {
            return try note(
                BackupNames.keychainFile, BackupDomain.keychain.name, FileObstacle(error), &report)
        }
        try checkTag(&report)
        var page = Page()
        var unreadable: [DamagedItem] = []
        try list.visitEntries { entry in
            guard let item = entry.item else {
                report.items[.damaged, default: 0] += 1
                unreadable.append(DamagedItem(table: entry.table, number: entry.number))
                return true
            }
            page.add(item, entry)
            if page.isFull { try send(&page, grant, &report) }
            return true
        }
        try send(&page, grant, &report)
        let all = Set(report.damagedItems).union(unreadable)
        report.damagedItems = all.sorted { ($0.table, $0.number) < ($1.table, $1.number) }
        report.noteOwnersDevice(backup.manifest, unreadable: unreadable)
    }

    /// Compares the list of items with its tag, unless everything was looked at already. Items that open are restored even if
    /// the tag of the list is another one: each has a tag of its own.
    private func checkTag(_ report: inout Report) throws {
        guard skipsDamage, !isDryRun, let record = try backup.index.record(.keychain) else { return }
        do throws(BackupFailure) {
            try backup.content(of: record).check(tag: record.tag) { _ throws(BackupFailure) in
                guard proceed(0) else { throw .cancelled }
            }
        } catch .cancelled {
            throw RunFailure.cancelled
        } catch {
            try note(record.path, record.domain.name, FileObstacle(error), &report)
        }
    }

    /// Items that one message carries, with their places in the list.
    private struct Page {
        private(set) var items: [SealedItem] = []
        private(set) var entries: [KeychainBackupReader.Entry] = []
        private var byteCount = 0

        var isFull: Bool { items.count == SealedItem.limit || byteCount >= SealedItem.bodyByteLimit }

        mutating func add(_ item: BackedUpItem, _ entry: KeychainBackupReader.Entry) {
            items.append(SealedItem(itemClass: item.table, blob: item.blob, reference: item.reference))
            entries.append(entry)
            byteCount += item.blob.count
        }
    }

    private func send(_ page: inout Page, _ grant: BackupGrant, _ report: inout Report) throws {
        guard !page.items.isEmpty else { return }
        let answer: RestoredItems
        do throws(DeviceRefusal) {
            answer = try keychain.ask(
                RestoreItems(grant.token, isDryRun: isDryRun, page.items, groups: groups?.sorted()))
        } catch {
            if case .unreachable = error, !isDryRun { report.device.unansweredItems += page.items.count }
            throw RunFailure.device(error)
        }
        let came: Set<RestoredItems.Outcome> = [.restored, .replaced, .identical, .kept]
        if policy == .replace, !isDryRun, answer.outcomes.contains(where: came.contains) {
            report.device.hasMadePlace = true
        }
        for (entry, (outcome, group)) in zip(page.entries, zip(answer.outcomes, answer.groups)) {
            report.items[outcome, default: 0] += 1
            report.groups[group, default: [:]][outcome, default: 0] += 1
            guard !came.contains(outcome) else { continue }
            report.leftItems.insert(ItemPosition(table: entry.table, number: entry.number))
            guard outcome == .damaged else { continue }
            report.damagedItems.append(
                DamagedItem(table: entry.table, number: entry.number, group: group.isEmpty ? nil : group))
        }
        page = Page()
        guard proceed(0) else { throw RunFailure.cancelled }
    }

    // MARK: Files

    private func restoreFiles(_ work: inout Work, _ report: inout Report) throws {
        let vault = FileVault.of(keychain)
        for domain in work.targets.domains {
            let target = try work.targets.target(of: domain)
            /// Directories get their attributes after their entries, the inner ones first.
            var directories: [FileRecord] = []
            try backup.index.visit(domain: domain) { row in
                let record: FileRecord
                switch row {
                case .success(let read): record = read
                case .failure(.badRecord(_, let path, let fault)):
                    try note(path, domain.name, fault == .path ? .path : .damaged, &report)
                    return true
                case .failure(let failure): throw failure
                }
                guard !work.conflicts.block(record) else {
                    report.note(record.name, .conflict)
                    return true
                }
                do {
                    switch record.kind {
                    case .directory:
                        _ = try target?.directory(record.path, isMade: !isDryRun)
                        directories.append(record)
                    case .file: try restoreFile(record, target, vault, &report)
                    case .link: try restoreLink(record, target, &report)
                    }
                } catch let failure as AccessFailure {
                    try note(failure, record, &report)
                } catch BackupFailure.payloadMissing {
                    try note(record.path, domain.name, .missing, &report)
                } catch BackupFailure.payloadDamaged, BackupFailure.keyNotAuthentic, BackupFailure.keyMissing,
                    BackupFailure.badRecord
                {
                    try note(record.path, domain.name, .damaged, &report)
                } catch BackupFailure.system(_, let number) {
                    // Of the payload: it cannot be read.
                    try note(record.path, domain.name, .system(number), &report)
                }
                return true
            }
            guard !isDryRun, let target else { continue }
            for record in directories.sorted(by: { $0.path > $1.path }) {
                guard let directory = try? target.directory(record.path, isMade: false) else { continue }
                // The root of a domain is this machine's own directory.
                guard !record.path.isEmpty else { continue }
                if let protection = ExtendedAttributes.protection(in: record.attributes) {
                    try? DirectoryProtection.set(protection, ofDirectoryAt: directory.ownPath)
                }
                try? withExtendedLifetime(directory) { () throws(AccessFailure) in
                    try record.restoredAttributes(keepsOwner: keepsOwners).give(to: directory.number)
                }
            }
            try target.synchronize()
        }
        try countOthers(&report)
    }

    private func countOthers(_ report: inout Report) throws {
        try backup.index.visit { row in
            switch row {
            case .success(let record):
                if record.kind == .file, targets[record.domain] == nil, record.domain != .keychain {
                    report.withoutTarget[record.domain.name, default: 0] += 1
                }
            // No directory can be that of such a domain.
            case .failure(.badRecord(let domain, let path, let fault)) where BackupDomain(domain) == nil:
                try note(path, domain, fault == .path ? .path : .damaged, &report)
            case .failure: break
            }
            return true
        }
    }

    /// Failures of every file after this one, too.
    private static let lasting: Set<Int32> = [ENOSPC, EDQUOT, EROFS, EMFILE, ENFILE, ENOMEM]
    /// A part of the path is here, and not a directory.
    private static let noDirectory: Set<Int32> = [ENOTDIR, ELOOP]

    /// Names a file that cannot be written, or ends the run if no other one can.
    private func note(_ failure: AccessFailure, _ record: FileRecord, _ report: inout Report) throws {
        if case .refused = failure { throw RunFailure(failure, writing: record.name) }
        guard !Self.lasting.contains(failure.number) else { throw RunFailure(failure, writing: record.name) }
        let isBlocked = Self.noDirectory.contains(failure.number)
        report.note(record.name, isBlocked ? .noDirectory : .target(failure.number))
    }

    /// Names something of the backup that cannot be read. Without leave to skip it, it was looked at before, and the run ends.
    private func note(
        _ path: String, _ domain: String, _ obstacle: FileObstacle, _ report: inout Report
    ) throws {
        report.note(domain + "/" + path, obstacle)
        guard skipsDamage || isDryRun else {
            throw RunFailure.damage(files: report.failed, items: report.damagedItems)
        }
    }

    private func restoreFile(
        _ record: FileRecord, _ target: RestoreTarget?, _ vault: FileVault, _ report: inout Report
    ) throws {
        let tie = try restoredTie(of: record, target, failed: report.failed)
        guard tie.comes else {
            report.kept.append(record.name)
            return
        }
        let content = try backup.content(of: record)
        let place = try target?.place(record.path, isMade: !isDryRun)
        let former = try place?.status()
        var replaces = false
        if let former, let place {
            // A directory or a link in the place of a file stays: nothing of it is in the backup.
            guard EntryKind(former) == .file else {
                return report.note(record.name, .obstructed(EntryKind(former)))
            }
            switch try decision(record, content, former, place) {
            case .identical:
                report.identical += 1
                return
            case .kept:
                report.kept.append(record.name)
                return
            case .replaced: replaces = true
            }
        }
        guard !isDryRun, let place else {
            report.noteRestored(content.size, replacing: replaces)
            guard proceed(Int(clamping: content.size)) else { throw RunFailure.cancelled }
            return
        }
        let attributes = record.restoredAttributes(keepsOwner: keepsOwners)
        var failure: AccessFailure?
        do {
            try unsafe place.restore(record.fileID, record.restoredProtection, tie: tie.tie, attributes, in: vault) {
                write in
                try unsafe content.pieces(tag: record.tag) { piece throws(BackupFailure) in
                    do throws(AccessFailure) {
                        try unsafe write(piece)
                    } catch {
                        failure = error
                        throw .cancelled
                    }
                    guard proceed(piece.count) else { throw .cancelled }
                }
            }
        } catch BackupFailure.cancelled {
            if let failure { throw failure }
            throw RunFailure.cancelled
        }
        report.noteRestored(content.size, replacing: replaces)
    }

    enum Decision { case identical, kept, replaced }

    func decision(
        _ record: FileRecord, _ content: PayloadReader, _ former: stat, _ place: FilePlace
    ) throws(AccessFailure) -> Decision {
        let descriptor = try place.directory.file(place.name)
        let length = try descriptor.contentLength
        let protection = try StoredProtection(of: descriptor).protection
        if Int64(former.st_mtim.tv_sec) == record.modified, length == content.size,
            protection == record.restoredProtection
        {
            return .identical
        }
        switch policy {
        case .replace: return .replaced
        case .keep: return .kept
        case .merge: return Int64(former.st_mtim.tv_sec) > record.modified ? .kept : .replaced
        }
    }

    private func restoreLink(_ record: FileRecord, _ target: RestoreTarget?, _ report: inout Report) throws {
        guard let text = record.target, !text.isEmpty, text.utf8.count < Int(PATH_MAX), !text.utf8.contains(0) else {
            return try note(record.path, record.domain.name, .damaged, &report)
        }
        guard let place = try target?.place(record.path, isMade: !isDryRun) else {
            report.restored += 1
            return
        }
        let former = try place.status()
        if let former {
            switch EntryKind(former) {
            case .link:
                if try place.directory.target(ofLink: place.name) == FileName(text) {
                    report.identical += 1
                    return
                }
                guard policy == .replace else {
                    report.kept.append(record.name)
                    return
                }
            case .file where policy == .replace: break
            case let kind: return report.note(record.name, .obstructed(kind))
            }
        }
        if !isDryRun { try place.restore(record.fileID, linkTo: text, modified: record.modified) }
        report.noteRestored(0, replacing: former != nil)
    }
}

extension BackupRestoration.FileObstacle {
    fileprivate init(_ fault: BackupCheck.Fault) {
        switch fault {
        case .record(.path): self = .path
        case .missing: self = .missing
        case .unreadable(let number): self = .system(number)
        case .record, .damaged, .size, .keyNotAuthentic: self = .damaged
        }
    }

    fileprivate init(_ failure: BackupFailure) {
        switch failure {
        case .payloadMissing, .missing: self = .missing
        case .system(_, let number): self = .system(number)
        case .keyMissing, .keysRefused: self = .noKey
        case .beyondLimits, .unsupported: self = .beyondLimits
        case .damaged, .wrongPassword, .keybag, .keyNotAuthentic, .badRecord, .payloadDamaged, .notABackup,
            .severalBackups, .cancelled, .changedMeanwhile, .beingMoved, .beingRead:
            self = .damaged
        }
    }
}

extension FileRecord {
    /// For people.
    var name: String { domain.name + "/" + path }

    /// The class that a restored file has; nil for one in clear.
    ///
    /// A file of another system's backup says its class in the record alone: there every file has one.
    var restoredProtection: FileProtection? {
        if let named = ExtendedAttributes.protection(in: attributes) { return named }
        guard tag == nil else { return nil }
        return UInt8(exactly: protectionClass).flatMap { KeyClass(rawValue: $0) }?.fileProtection
    }

    func restoredAttributes(keepsOwner: Bool) -> RestoredAttributes {
        RestoredAttributes(
            mode: mode, owner: keepsOwner ? (owner, group) : nil, modified: modified, extended: attributes)
    }
}

extension RunFailure {
    /// The failure of a run that any of its parts has thrown.
    package init(any error: any Error) {
        switch error {
        case let failure as RunFailure: self = failure
        case BackupFailure.cancelled: self = .cancelled
        case let failure as BackupFailure: self = .backup(failure)
        default: self = .unexpected("\(error)")
        }
    }
}
