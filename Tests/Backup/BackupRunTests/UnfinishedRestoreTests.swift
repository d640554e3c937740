import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyTestSupport
import Security
import SecurityTesting
import Testing

/// Trouble that can be seen before the first item ends a restore there; a later end says what was done.
@Suite("Restores that end early")
struct UnfinishedRestoreTests {
    private static let policies = RestorePolicy.allCases

    /// A machine with a backup of two items and three files, which has another item since.
    private static func machine(_ protection: FileProtection? = nil) throws -> Machine {
        let machine = try Machine(hasPasscode: protection != nil)
        for account in ["one", "two"] { machine.add(account, kSecAttrAccessibleWhenUnlocked, "secret") }
        try machine.write("a", [UInt8](repeating: 1, count: 3_000_000))
        try machine.write("b/c", [2], protection)
        try machine.write("d", [3])
        try machine.setPassword()
        try machine.backUp(encrypted: true)
        machine.deleteItems()
        machine.add("later", kSecAttrAccessibleWhenUnlocked, "stays")
        return machine
    }

    /// The failure of a restore that has changed no item.
    private static func refusal(
        _ machine: Machine, to target: String, _ policy: RestorePolicy, skipsDamage: Bool = false,
        _ backup: OpenedBackup? = nil
    ) throws -> RunFailure? {
        do {
            _ = try machine.restore(backup ?? machine.opened(), to: target, policy, skipsDamage: skipsDamage)
            Issue.record("it was restored")
            return nil
        } catch let failure as RunFailure {
            #expect(machine.secret("later") == "stays" && machine.secret("one") == nil)
            return failure
        }
    }

    // MARK: Before the first item

    enum Trouble: CaseIterable, Sendable {
        case file, noParent, inUse
    }

    @Test("trouble with the directory ends a restore before the first item", arguments: Trouble.allCases, policies)
    func directory(_ trouble: Trouble, _ policy: RestorePolicy) throws {
        let machine = try Self.machine()
        let place = machine.path + "/place"
        let target = trouble == .noParent ? place + "/none/restored" : place
        var lock: Int32 = -1
        defer { close(lock) }
        switch trouble {
        case .file: try Data([1]).write(to: URL(fileURLWithPath: place))
        case .noParent: break
        case .inUse:
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            lock = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        }
        let failure = try #require(try Self.refusal(machine, to: target, policy))
        switch (failure, trouble) {
        case (.target(target, ENOTDIR), .file), (.target(target, ENOENT), .noParent), (.inUse(target), .inUse): break
        default: Issue.record("\(failure)")
        }
    }

    @Test(
        "a full disk ends a restore before the first item", .needsMounts,
        arguments: policies)
    func fullDisk(_ policy: RestorePolicy) throws {
        let (machine, disk) = (try Self.machine(), try SmallDisk(megabytes: 2))
        guard case .noRoom(disk.path, let needed, let free)? = try Self.refusal(machine, to: disk.path, policy) else {
            Issue.record("there is room")
            return
        }
        #expect(needed > 3_000_000 && free < needed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
        // A dry run says what a restore would give.
        #expect(try machine.restore(machine.opened(), to: disk.path, policy, isDryRun: true).restored == 3)
    }

    @Test(
        "a read-only disk ends a restore before the first item", .needsMounts,
        arguments: policies)
    func readOnlyDisk(_ policy: RestorePolicy) throws {
        let (machine, disk) = (try Self.machine(), try SmallDisk(megabytes: 16))
        try disk.makeReadOnly()
        guard case .target(disk.path, EROFS)? = try Self.refusal(machine, to: disk.path, policy) else {
            Issue.record("another failure")
            return
        }
    }

    @Test("files of a locked class end a restore before the first item", arguments: policies)
    func locked(_ policy: RestorePolicy) throws {
        let machine = try Self.machine(.complete)
        let backup = try machine.opened()
        try machine.device.lock()
        let target = machine.path + "/restored"
        #expect {
            try machine.restore(backup, to: target, policy, withItems: false)
        } throws: {
            guard case .lockedForWriting("HomeDomain/b/c")? = $0 as? RunFailure else { return false }
            return true
        }
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    /// A backup with these records, each file of the content "harm", beside one item.
    private static func backup(_ records: [FileRecord], in machine: Machine) throws -> OpenedBackup {
        try machine.backUp(encrypted: false, sources: [])
        let index = try BackupIndex(BackupFolder(machine.folder).bytes(of: BackupNames.index))
        let stage = try BackupStage(in: machine.backups, named: machine.description.identifier)
        try index.change { changes in
            for record in records { try changes.put(record) }
        }
        for record in records where record.kind == .file {
            let writer = PayloadWriter(try stage.payload(record.fileID), path: "", key: nil)
            try writer.write(Array("harm".utf8))
            _ = try writer.finish()
        }
        try stage.write(index.stored(key: nil), as: BackupNames.index)
        #expect(try stage.commit(removing: []) == .inPlace)
        return try machine.opened()
    }

    private static func record(_ path: String, _ kind: FileRecord.Kind = .file) -> FileRecord {
        var record = FileRecord(domain: .home, path: path, kind: kind, mode: kind == .directory ? 0o40755 : 0o100644)
        record.size = kind == .file ? 4 : 0
        if kind == .link { record.target = "elsewhere" }
        return record
    }

    /// Paths through what is a file or a link in the same backup.
    private static let conflicts: [(records: [FileRecord], named: Set<String>)] = [
        ([record("a"), record("a/b"), record("good")], ["a/b"]),
        ([record("a/b"), record("good"), record("a")], ["a/b"]),
        ([record("a", .link), record("a/x/b"), record("good")], ["a/x/b"]),
        ([record("a"), record("a/x", .directory), record("a/x/b"), record("good")], ["a/x", "a/x/b"]),
    ]

    @Test(
        "entries in each other's way end a restore before the first item, and are named",
        arguments: conflicts.indices, policies)
    func conflict(_ number: Int, _ policy: RestorePolicy) throws {
        let (records, named) = Self.conflicts[number]
        let machine = try Machine(hasPasscode: false)
        machine.add("one", kSecAttrAccessibleWhenUnlocked, "secret")
        let backup = try Self.backup(records, in: machine)
        machine.deleteItems()
        machine.add("later", kSecAttrAccessibleWhenUnlocked, "stays")
        let target = machine.path + "/restored"
        let failure = try Self.refusal(machine, to: target, policy, backup)
        guard case .damage(let files, let items)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        let paths = Set(named.map { "HomeDomain/" + $0 })
        #expect(Set(files.map(\.path)) == paths && items.isEmpty && files.allSatisfy { $0.reason == .conflict })
        #expect(!FileManager.default.fileExists(atPath: target))
        let report = try machine.restore(backup, to: target, policy, skipsDamage: true)
        #expect(Set(report.failed.map(\.path)) == paths && report.hasDamage)
        #expect(report.restored == records.count - named.count && report.items[.restored] == 1)
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: target)) == ["a", "good"])
    }

    @Test("two domains that bring one path to one directory end a restore before the first item")
    func conflictOfDomains() throws {
        let machine = try Machine(hasPasscode: false)
        var other = FileRecord(domain: "AppDomain-a", path: "same", kind: .file, mode: 0o100644)
        other.size = 4
        let backup = try Self.backup([Self.record("same"), other, Self.record("good")], in: machine)
        let target = machine.path + "/restored"
        func restoration(skipsDamage: Bool) -> BackupRestoration {
            BackupRestoration(
                backup, to: machine.keychain, targets: ["AppDomain-a": target, .home: target], policy: .merge,
                isDryRun: false, skipsDamage: skipsDamage
            ) { _ in
                true
            }
        }
        #expect {
            try restoration(skipsDamage: false).run(nil)
        } throws: {
            guard case .damage(let files, _)? = $0 as? RunFailure else { return false }
            return files == [.init(path: "HomeDomain/same", reason: .conflict)]
        }
        let report = try restoration(skipsDamage: true).run(nil)
        #expect(report.restored == 2 && report.failed.map(\.path) == ["HomeDomain/same"])
    }

    // MARK: Something else in the place of a file

    enum Obstacle: CaseIterable, Sendable {
        case directory, link, pipe, fileAbove, linkAbove

        /// Puts it in the place of `b/c`, or above it.
        func put(in target: String) throws {
            let (above, place) = (target + "/b", target + "/b/c")
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
            switch self {
            case .fileAbove: try Data([1]).write(to: URL(fileURLWithPath: above))
            case .linkAbove: #expect(symlink("elsewhere", above) == 0)
            case .directory:
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            case .link, .pipe:
                try FileManager.default.createDirectory(atPath: above, withIntermediateDirectories: false)
                #expect((self == .link ? symlink("elsewhere", place) : mkfifo(place, 0o600)) == 0)
            }
        }

        var reason: BackupRestoration.FileObstacle {
            switch self {
            case .directory: .obstructed(.directory)
            case .link: .obstructed(.link)
            case .pipe: .obstructed(.special)
            case .fileAbove, .linkAbove: .noDirectory
            }
        }
    }

    @Test(
        "something of another kind in the place of a file stays and is named, and the rest is restored",
        arguments: Obstacle.allCases, policies)
    func obstacle(_ obstacle: Obstacle, _ policy: RestorePolicy) throws {
        let machine = try Self.machine()
        let target = machine.path + "/restored"
        try obstacle.put(in: target)
        let backup = try machine.opened()
        let dry = try machine.restore(backup, to: target, policy, isDryRun: true)
        let report = try machine.restore(backup, to: target, policy)
        for one in [dry, report] {
            #expect(one.restored == 2 && one.kept.isEmpty && !one.isWhole && !one.hasDamage)
            #expect(one.failed.contains(.init(path: "HomeDomain/b/c", reason: obstacle.reason)))
            // The directory of the file, too, if there is none.
            #expect(one.failed.allSatisfy { $0.path.hasPrefix("HomeDomain/b") && $0.reason == obstacle.reason })
        }
        #expect(report.items[.restored] == 2)
        #expect(try machine.content("d", in: target) == [3])
        var status = stat()
        #expect(lstat(target + (obstacle.reason == .noDirectory ? "/b" : "/b/c"), &status) == 0)
        #expect(status.st_mode & S_IFMT != (obstacle.reason == .noDirectory ? S_IFDIR : S_IFREG))
    }

    // MARK: After the first item

    /// A device that fails at a page of items.
    private struct Failing: Keychain {
        let keychain: any Keychain
        let failure: DeviceRefusal
        /// True if it takes the page before.
        let takes: Bool

        func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
            guard let page = question as? RestoreItems, page.items.count < SealedItem.limit else {
                return try keychain.ask(question)
            }
            if takes { _ = try keychain.ask(question) }
            throw failure
        }

        var identity: ObjectIdentifier { keychain.identity }
        func perform(_ request: ItemRequest) -> ItemReply { keychain.perform(request) }
        func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
            try keychain.ask(question)
        }
        func ask<Question: FileKeyQuestion>(_ question: Question) throws(FileKeyRefusal) -> Question.Answer {
            try keychain.ask(question)
        }
        func openSession() -> any AuthenticationSession { keychain.openSession() }
        func watchProtectedData() -> any ProtectedDataWatch { keychain.watchProtectedData() }
    }

    private static let away = Refusal(.daemonUnreachable, "a socket", "no answer")

    @Test(
        "a device that fails at the second page ends a restore, which says what it has done",
        arguments: [RestorePolicy.merge, .replace], [true, false])
    func secondPage(_ policy: RestorePolicy, isUnreachable: Bool) throws {
        let machine = try Machine(hasPasscode: false)
        for number in 0..<(SealedItem.limit + 4) {
            machine.add("\(number)", kSecAttrAccessibleAfterFirstUnlock, "secret")
        }
        try machine.setPassword()
        try machine.backUp(encrypted: true)
        let backup = try machine.opened()
        let other = try Machine(hasPasscode: false)
        let failure: DeviceRefusal =
            isUnreachable ? .unreachable(Self.away) : .declined(.interactionNotAllowed, Self.away)
        let failing = BackedUpHome(
            Failing(keychain: other.keychain, failure: failure, takes: isUnreachable), path: machine.path,
            hasPasscode: false)
        do {
            try failing.restore(backup, to: other.path + "/restored", policy)
            Issue.record("it was restored")
        } catch RunFailure.unfinished(let report, .device(failure)) {
            #expect(report.items == [.restored: SealedItem.limit] && !report.isEmpty)
            #expect(report.device.hasMadePlace == (policy == .replace))
            #expect(report.device.unansweredItems == (isUnreachable ? 4 : 0))
        }
    }

    @Test("a device that fails at the first page has restored nothing, unless it did not answer")
    func firstPage() throws {
        for isUnreachable in [true, false] {
            let machine = try Self.machine()
            let failure: DeviceRefusal =
                isUnreachable ? .unreachable(Self.away) : .declined(.interactionNotAllowed, Self.away)
            let failing = BackedUpHome(
                Failing(keychain: machine.keychain, failure: failure, takes: false), path: machine.path,
                hasPasscode: false)
            do {
                try failing.restore(machine.opened(), to: machine.path + "/restored", .replace)
                Issue.record("it was restored")
            } catch RunFailure.unfinished(let report, .device(failure)) {
                #expect(report.isEmpty == !isUnreachable && report.device.unansweredItems == (isUnreachable ? 2 : 0))
                #expect(!report.device.hasMadePlace && machine.secret("later") == "stays")
            }
        }
    }

    @Test("a backup that another one replaces amid a restore is not called damaged: the report has what was done")
    func changed() throws {
        let machine = try Self.machine()
        let lock = machine.folder + "/" + BackupNames.lock
        try FileManager.default.removeItem(atPath: lock)
        try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
        let backup = try machine.opened()
        var isChanged = false
        do {
            try machine.restore(backup, to: machine.path + "/restored", .replace) { _ in
                guard !isChanged else { return true }
                isChanged = true
                try? FileManager.default.removeItem(atPath: machine.home + "/d")
                #expect(throws: Never.self) { try machine.backUp(encrypted: true) }
                return true
            }
            Issue.record("it was restored")
        } catch RunFailure.unfinished(let report, .backup(.changedMeanwhile)) {
            #expect(report.items[.restored] == 2 && report.device.hasMadePlace)
        }
    }

    @Test(
        "a disk that fills amid a restore ends it as trouble of this machine, not as damage",
        .needsMounts)
    func fillingDisk() throws {
        let (machine, disk) = (try Self.machine(), try SmallDisk(megabytes: 8))
        do {
            try machine.restore(machine.opened(), to: disk.path, .merge) { _ in
                try? disk.fill()
                return true
            }
            Issue.record("it was restored")
        } catch RunFailure.unfinished(let report, .target("HomeDomain/a", ENOSPC)) {
            #expect(report.items[.restored] == 2 && report.failed.isEmpty)
        }
    }
}
