import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyFileAccess
import LatchkeyKeybag
import LatchkeyKeychainMessages
import Security
import SecurityTesting
import Testing

@Suite("A backup and back")
struct RoundTripTests {
    /// The values of `kSecAttrAccessible`.
    private static let classes = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]

    private static func machineWithItems() throws -> Machine {
        let machine = try Machine()
        for account in classes {
            #expect(machine.add(account, account as CFString, "secret of \(account)") == errSecSuccess)
        }
        return machine
    }

    /// `Docs/Formats/backup.md`: which items come back where.
    @Test(
        "items by class, kind of backup and device",
        arguments: [true, false], [true, false])
    func items(isEncrypted: Bool, isSameDevice: Bool) throws {
        let machine = try Self.machineWithItems()
        try machine.setPassword()
        let report = try machine.backUp(encrypted: isEncrypted)
        #expect(report.items == 6 && report.leftOutItems == ["passcodeSet": 1])
        let backup = try machine.opened()
        let other = isSameDevice ? machine : try Machine()
        if isSameDevice { machine.deleteItems() }
        let restored = try other.restore(backup, to: other.path + "/restored")
        let portable: Set = isEncrypted ? ["ak", "ck", "dk"] : []
        let expected = isSameDevice ? Set(["ak", "ck", "dk", "aku", "cku", "dku"]) : portable
        for account in Self.classes {
            let secret = other.secret(account)
            #expect(secret == (expected.contains(account) ? "secret of \(account)" : nil), "\(account)")
        }
        #expect(restored.items[.restored, default: 0] == expected.count)
        #expect(restored.items[.otherDevice, default: 0] == 6 - expected.count && restored.items[.damaged] == nil)
        // Once more changes nothing.
        let again = try other.restore(backup, to: other.path + "/restored")
        #expect(again.items[.identical, default: 0] == expected.count && again.items[.restored] == nil)
    }

    /// The passcode is the last dimension of the table: without one there is no item of its class, and the others migrate alike.
    @Test("items of a device without a passcode", arguments: [true, false])
    func withoutPasscode(isSameDevice: Bool) throws {
        let machine = try Machine(hasPasscode: false)
        for account in Self.classes {
            // No item of the class that needs a passcode.
            let status = machine.add(account, account as CFString, "secret of \(account)")
            #expect(status == (account == "akpu" ? -25291 : errSecSuccess), "\(account)")
        }
        try machine.setPassword()
        #expect(try machine.backUp(encrypted: true).items == 6)
        let backup = try machine.opened()
        let other = isSameDevice ? machine : try Machine()
        if isSameDevice { machine.deleteItems() }
        try other.restore(backup, to: other.path + "/restored")
        for account in Self.classes where account != "akpu" {
            let comes = isSameDevice || !account.hasSuffix("u")
            #expect(other.secret(account) == (comes ? "secret of \(account)" : nil), "\(account)")
        }
    }

    private static let files: [(name: String, count: Int, protection: FileProtection?)] = [
        ("a/complete.bin", 5000, .complete), ("a/open.bin", 4096, .completeUnlessOpen),
        ("until.bin", 3 << 20, .completeUntilFirstUserAuthentication), ("none.bin", 1, FileProtection.none),
        ("empty.bin", 0, .complete), ("clear/plain.txt", 17, nil), ("clear/block.txt", 32, nil),
        ("clear/großer Name", 100, nil), ("clear/empty", 0, nil),
    ]

    private static func bytes(_ count: Int, _ seed: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed &* 7 &+ $0 >> 8) }
    }

    @Test("files keep their content, class, permissions, times and attributes", arguments: [true, false])
    func files(isEncrypted: Bool) throws {
        let machine = try Machine()
        for (place, file) in Self.files.enumerated() {
            try machine.write(file.name, Self.bytes(file.count, place), file.protection)
        }
        try DirectoryProtection.set(.complete, ofDirectoryAt: machine.home + "/a")
        #expect(unsafe chmod(machine.home + "/clear/plain.txt", 0o4640) == 0)
        #expect(unsafe symlink("../until.bin", machine.home + "/clear/link") == 0)
        #expect(unsafe mkfifo(machine.home + "/pipe", 0o600) == 0)
        try machine.setPassword()
        let report = try machine.backUp(encrypted: isEncrypted)
        #expect(report.copied == Self.files.count && report.isFull)
        #expect(report.left.map(\.path) == [machine.home + "/pipe"] && report.left.map(\.reason) == [.special])
        let backup = try machine.opened()
        let check = try BackupCheck(backup) { _ in true }
        #expect(check.findings.isEmpty && check.strayPayloads == 0 && check.unauthenticated == 0)

        let other = try Machine()
        let target = other.path + "/restored"
        let restored = try other.restore(backup, to: target)
        #expect(restored.failed.isEmpty && restored.restored == Self.files.count + 1)
        for (place, file) in Self.files.enumerated() {
            #expect(try other.content(file.name, in: target) == Self.bytes(file.count, place), "\(file.name)")
            #expect(try StoredProtection.ofItem(at: target + "/" + file.name) == file.protection, "\(file.name)")
            var (one, two) = (stat(), stat())
            #expect(unsafe stat(machine.home + "/" + file.name, &one) == 0)
            #expect(unsafe stat(target + "/" + file.name, &two) == 0)
            #expect(one.st_mtim.tv_sec == two.st_mtim.tv_sec && one.st_mode & ~0o6000 == two.st_mode, "\(file.name)")
        }
        #expect(DirectoryProtection.own(ofDirectoryAt: target + "/a") == .complete)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: target + "/clear/link") == "../until.bin")
        let again = try other.restore(backup, to: target)
        #expect(again.identical == Self.files.count + 1 && again.restored == 0 && again.replaced == 0)
    }

    @Test("two restores into one directory at once are refused, and a rehearsal of one is not")
    func twiceAtOnce() throws {
        let machine = try Machine()
        try machine.setPassword()
        try machine.write("file", [1, 2, 3])
        try machine.backUp(encrypted: true)
        let backup = try machine.opened()
        let target = machine.path + "/restored"
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        let other = open(target, O_RDONLY | O_DIRECTORY)
        #expect(flock(other, LOCK_EX) == 0)
        #expect {
            try machine.restore(backup, to: target)
        } throws: {
            if case .inUse(target)? = $0 as? RunFailure { true } else { false }
        }
        #expect(try machine.restore(backup, to: target, isDryRun: true).restored == 1)
        close(other)
        #expect(try machine.restore(backup, to: target).restored == 1)
    }

    /// Items come in pages, each whole or not at all.
    @Test("a restore of items that was ended goes on with the same call", arguments: [RestorePolicy.merge, .replace])
    func resumed(_ policy: RestorePolicy) throws {
        let machine = try Machine(hasPasscode: false)
        let count = SealedItem.limit + 20
        for number in 0..<count { machine.add("\(number)", kSecAttrAccessibleAfterFirstUnlock, "secret \(number)") }
        try machine.setPassword()
        try machine.backUp(encrypted: true)
        let backup = try machine.opened()
        let other = try Machine(hasPasscode: false)
        #expect {
            try other.restore(backup, to: other.path + "/restored", policy) { _ in false }
        } throws: {
            guard case .unfinished(let report, .cancelled)? = $0 as? RunFailure else { return false }
            return report.items == [.restored: SealedItem.limit] && report.device.hasMadePlace == (policy == .replace)
        }
        let first = (0..<count).filter { other.secret("\($0)") != nil }
        #expect(first.count == SealedItem.limit)
        let report = try other.restore(backup, to: other.path + "/restored", policy)
        // As on a phone, items make place first for a replacement.
        #expect(
            report.items
                == (policy == .merge
                    ? [.identical: SealedItem.limit, .restored: count - SealedItem.limit] : [.restored: count]))
        for number in 0..<count { #expect(other.secret("\(number)") == "secret \(number)") }
    }

    @Test("a wrong password opens nothing")
    func wrongPassword() throws {
        let machine = try Self.machineWithItems()
        try machine.setPassword()
        try machine.backUp(encrypted: true)
        #expect(throws: BackupFailure.wrongPassword) { try machine.opened(password: "wrong") }
    }

    @Test("what was changed here since wins or goes, by the policy", arguments: RestorePolicy.allCases)
    func conflicts(_ policy: RestorePolicy) throws {
        let machine = try Machine()
        machine.add("both", kSecAttrAccessibleWhenUnlocked, "old")
        machine.add("gone", kSecAttrAccessibleWhenUnlocked, "gone")
        try machine.setPassword()
        try machine.backUp(encrypted: true)
        machine.deleteItems()
        try machine.device.advance(by: .seconds(60))
        machine.add("both", kSecAttrAccessibleWhenUnlocked, "new")
        machine.add("here", kSecAttrAccessibleWhenUnlocked, "here")
        machine.add("akpu", kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, "stays")
        let backup = try machine.opened()
        let dry = try machine.restore(backup, to: machine.path + "/restored", policy, isDryRun: true)
        #expect(machine.secret("both") == "new" && machine.secret("gone") == nil)
        let report = try machine.restore(backup, to: machine.path + "/restored", policy)
        if policy != .replace { #expect(dry.items == report.items) }
        #expect(machine.secret("gone") == "gone")
        #expect(machine.secret("both") == (policy == .replace ? "old" : "new"))
        #expect(machine.secret("here") == (policy == .replace ? nil : "here"))
        #expect(machine.secret("akpu") == "stays")
    }
}
