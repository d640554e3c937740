import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyFileAccess
import LatchkeyKeychainMessages
import SecurityTesting
import Testing

/// Domains are names of folders in a restore: those that lead elsewhere are refused where the index is read.
@Suite("Hostile domains")
struct HostileDomainTests {
    private static let domains = [
        "..", ".", "../.ssh", "/escaped", "HomeDomain/link", "AppDomain-x./../../escaped", "HomeDomain/..", "a\nb",
        "a\u{7F}b", String(repeating: "n", count: 256), "HomeDomain/", "/",
    ]
    private static let path = "authorized_keys"

    private static func file(_ path: String, domain: BackupDomain = .home) -> FileRecord {
        var record = FileRecord(domain: domain, path: path, kind: .file, mode: 0o100644)
        record.size = 4
        return record
    }

    /// A backup with these rows beside the good ones, each with the content "harm".
    private static func backup(
        _ domains: [String], _ records: [FileRecord] = [], in machine: BackedUpHome
    ) throws -> OpenedBackup {
        try machine.backUp(encrypted: false, sources: [])
        let folder = try BackupFolder(machine.folder)
        let index = try BackupIndex(folder.bytes(of: BackupNames.index))
        let stage = try BackupStage(in: machine.backups, named: machine.description.identifier)
        let template = file(path)
        try index.change { changes in
            for domain in domains { try changes.testOnlyPut(domain: domain, path: path, like: template) }
            for record in records { try changes.put(record) }
        }
        let files = records.filter { $0.kind == .file }.map(\.fileID)
        for id in domains.map({ FileID(domain: $0, path: path) }) + files {
            let writer = PayloadWriter(try stage.payload(id), path: "", key: nil)
            try writer.write(Array("harm".utf8))
            _ = try writer.finish()
        }
        try stage.write(index.stored(key: nil), as: BackupNames.index)
        #expect(try stage.commit(removing: []) == .inPlace)
        return try machine.opened()
    }

    /// Everything below a directory, by its path there.
    private static func entries(_ directory: String) -> Set<String> {
        Set(FileManager.default.subpaths(atPath: directory) ?? [])
    }

    @Test("no such name is a domain", arguments: domains + ["", "a\0b"])
    func names(_ name: String) {
        #expect(BackupDomain(name) == nil)
    }

    @Test("names that look alike are two domains")
    func twins() {
        let domains = ["App-o\u{308}", "App-\u{F6}"].compactMap { BackupDomain($0) }
        #expect(Set(domains).count == 2 && domains[0] != domains[1])
    }

    @Test("the index gives no record of such a domain", arguments: domains)
    func index(_ domain: String) throws {
        let machine = try Machine(hasPasscode: false)
        let backup = try Self.backup([domain], in: machine)
        let refused = BackupFailure.badRecord(domain: domain, path: Self.path, .path)
        #expect(throws: refused) { try backup.index.record(FileID(domain: domain, path: Self.path)) }
        var failures: [BackupFailure] = []
        try backup.index.visit { row in
            if case .failure(let failure) = row { failures.append(failure) }
            return true
        }
        #expect(failures == [refused])
    }

    @Test("a restore of every domain stays in its folder, and names the others")
    func restore() throws {
        let machine = try Machine(hasPasscode: false)
        let backup = try Self.backup(Self.domains, [Self.file("good")], in: machine)
        let place = machine.path + "/in"
        try FileManager.default.createDirectory(atPath: place + "/files", withIntermediateDirectories: true)
        let before = Self.entries(machine.path)
        func restoration(skipsDamage: Bool) -> BackupRestoration {
            BackupRestoration(
                backup, to: machine.keychain, destinations: [.home: .folder(place + "/files")], policy: .merge,
                isDryRun: false, skipsDamage: skipsDamage
            ) { _ in
                true
            }
        }
        #expect {
            try restoration(skipsDamage: false).run(nil)
        } throws: {
            guard case .damage(let files, _)? = $0 as? RunFailure else { return false }
            return files.count == Self.domains.count && files.allSatisfy { $0.reason == .path }
        }
        #expect(Self.entries(machine.path) == before)
        let report = try restoration(skipsDamage: true).run(nil)
        #expect(report.restored == 1 && report.failed.count == Self.domains.count)
        #expect(Self.entries(place) == ["files", "files/HomeDomain", "files/HomeDomain/good"])
        #expect(!FileManager.default.fileExists(atPath: "/escaped"))
        let named = Set(try BackupCheck(backup) { _ in true }.findings.map(\.domain))
        #expect(named.isSuperset(of: Self.domains))
    }

    @Test("a link that lies in the folder under the name of a domain is not followed")
    func linkInFolder() throws {
        let machine = try Machine(hasPasscode: false)
        let backup = try Self.backup([], [Self.file("good")], in: machine)
        let (folder, outside) = (machine.path + "/files", machine.path + "/outside")
        for path in [folder, outside] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        try FileManager.default.createSymbolicLink(atPath: folder + "/HomeDomain", withDestinationPath: outside)
        for isDryRun in [true, false] {
            #expect {
                try BackupRestoration(
                    backup, to: machine.keychain, destinations: [.home: .folder(folder)], policy: .replace,
                    isDryRun: isDryRun, skipsDamage: true
                ) { _ in
                    true
                }.run(nil)
            } throws: {
                if case .target(folder + "/HomeDomain", _)? = $0 as? RunFailure { true } else { false }
            }
        }
        #expect(Self.entries(outside).isEmpty)
    }

    @Test("a link that one domain brings does not lead the next one away")
    func linkBetweenDomains() throws {
        let machine = try Machine(hasPasscode: false)
        let outside = machine.path + "/outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
        var link = FileRecord(domain: "AppDomain-a", path: "home", kind: .link, mode: 0o120777)
        link.target = outside
        let backup = try Self.backup([], [link, Self.file("good")], in: machine)
        let target = machine.path + "/restored"
        _ = try BackupRestoration(
            backup, to: machine.keychain, targets: ["AppDomain-a": target, .home: target + "/home"], policy: .replace,
            isDryRun: false, skipsDamage: true
        ) { _ in
            true
        }.run(nil)
        #expect(Self.entries(outside).isEmpty)
        #expect(Self.entries(target) == ["home", "home/good"])
    }

    @Test("two domains can be restored to one directory")
    func sameDirectory() throws {
        let machine = try Machine(hasPasscode: false)
        let other = Self.file("other", domain: "AppDomain-a")
        let backup = try Self.backup([], [other, Self.file("good")], in: machine)
        let target = machine.path + "/restored"
        let report = try BackupRestoration(
            backup, to: machine.keychain, targets: ["AppDomain-a": target, .home: target], policy: .merge,
            isDryRun: false, skipsDamage: false
        ) { _ in
            true
        }.run(nil)
        #expect(report.restored == 2 && Self.entries(target) == ["good", "other"])
    }

    @Test("a rehearsal names them and stays in its folder")
    func rehearsal() throws {
        let machine = try Machine(hasPasscode: false)
        let backup = try Self.backup(Self.domains, [Self.file("good")], in: machine)
        let folder = machine.path + "/rehearsal"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let other = try Machine(hasPasscode: false)
        let rehearsal = try BackupRehearsal(
            backup, passwordKey: machine.passwordKey(of: backup), on: other.keychain, in: folder
        ) { _ in
            true
        }
        #expect(!rehearsal.isWhole && rehearsal.report.failed.count == Self.domains.count)
        #expect(rehearsal.filesRead == 1 && rehearsal.alteredFiles.isEmpty)
        #expect(Self.entries(folder) == ["HomeDomain", "HomeDomain/good"])
    }

    @Test("a virtual device refuses such a backup and says why")
    func virtualDevice() throws {
        let device = try VirtualDevice()
        let backup = try device.backup(encrypted: false)
        let folder = backup.directory.path
        let index = try BackupIndex(BackupFolder(folder).bytes(of: BackupNames.index))
        let template = Self.file(Self.path)
        try index.change { try $0.testOnlyPut(domain: "../.ssh", path: Self.path, like: template) }
        try Data(index.stored(key: nil)).write(to: URL(fileURLWithPath: folder + "/" + BackupNames.index))
        #expect {
            try device.restore(backup)
        } throws: {
            guard let error = $0 as? VirtualDeviceError else { return false }
            return error.code == .backupFailed && "\(error)".contains("../.ssh")
        }
    }
}
