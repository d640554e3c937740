import DataProtection
import Foundation
import Glibc
import Security
import SecurityTesting
import Testing

@Suite("Files in backups of a virtual device")
struct BackedUpFilesTests {
    private static func write(_ device: VirtualDevice, _ name: String, _ text: String, _ options: Data.WritingOptions)
        throws
    {
        try device.run { try Data(text.utf8).writeProtected(to: device.files.url(name), options: options) }
    }

    private static func text(_ device: VirtualDevice, _ name: String) throws -> String {
        try device.run { String(decoding: try Data(contentsOfProtected: device.files.url(name)), as: UTF8.self) }
    }

    private static let options: [(name: String, options: Data.WritingOptions)] = [
        ("complete", .completeFileProtection), ("unlessOpen", .completeFileProtectionUnlessOpen),
        ("untilFirst", .completeFileProtectionUntilFirstUserAuthentication), ("none", .noFileProtection),
    ]

    @Test(
        "protected files of every class are in a backup, and move to another device", arguments: [true, false],
        [VirtualDevice.Backend.embedded, .processes])
    func moving(isEncrypted: Bool, backend: VirtualDevice.Backend) throws {
        let (old, new) = (try VirtualDevice(backend: backend), try VirtualDevice(backend: backend))
        for (name, options) in Self.options { try Self.write(old, name, "text of \(name)", options) }
        try Data("in clear".utf8).write(to: old.files.url("clear"))
        let backup = try old.backup(encrypted: isEncrypted)
        #expect(backup.fileCount == Self.options.count + 1)
        #expect(backup.leftOutFiles.isEmpty, "\(backup.leftOutFiles)")
        let result = try new.restore(backup)
        #expect(result.restoredFiles == Self.options.count + 1)
        #expect(result.leftOutFiles.isEmpty, "\(result.leftOutFiles)")
        func classes(_ device: VirtualDevice) -> [String: String] {
            device.files.all.reduce(into: [:]) { $0[$1.name] = $1.protection?.rawValue ?? "clear" }
        }
        #expect(classes(new) == classes(old) && Set(classes(new).values).count == Self.options.count + 1)
        for (name, _) in Self.options { #expect(try Self.text(new, name) == "text of \(name)") }
        #expect(try Data(contentsOf: new.files.url("clear")) == Data("in clear".utf8))
        let again = try new.restore(backup)
        #expect(again.restoredFiles == 0 && again.identicalFiles == Self.options.count + 1)
    }

    @Test("what a backup leaves out, and what a restore leaves as it is, is named")
    func named() throws {
        let device = try VirtualDevice()
        try Self.write(device, "kept", "older", .completeFileProtection)
        try #require(mkfifo(device.files.url("pipe").path, 0o600) == 0)
        let backup = try device.backup()
        #expect(backup.fileCount == 1 && backup.leftOutFiles == ["pipe": "special"])
        try Self.write(device, "kept", "newer and longer", .completeFileProtection)
        let later = timespec(tv_sec: time(nil) + 1000, tv_nsec: 0)
        var times = [later, later]
        try #require(utimensat(AT_FDCWD, device.files.url("kept").path, &times, 0) == 0)
        let result = try device.restore(backup, keepingItems: true)
        #expect(result.restoredFiles == 0 && Array(result.leftOutFiles.keys) == ["kept"], "\(result.leftOutFiles)")
        #expect(try Self.text(device, "kept") == "newer and longer")
        #expect(try device.restore(backup).restoredFiles == 1)
        #expect(try Self.text(device, "kept") == "older")
    }

    @Test("the folder of a backup goes with the object")
    func folderGoes() throws {
        let device = try VirtualDevice()
        var backup: VirtualBackup? = try device.backup(encrypted: false)
        let path = try #require(backup?.directory.path)
        #expect(FileManager.default.fileExists(atPath: path))
        backup = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// Devices and backups that are in use when their process ends. Their paths go to a file, which the test reads.
    private static func endInUse(_ backends: [VirtualDevice.Backend], _ list: String, forking: Bool) throws {
        var paths: [String] = []
        for backend in backends {
            let device = try VirtualDevice(backend: backend)
            try write(device, "secret", "in clear in the backup", .completeFileProtection)
            let backup = try device.backup(encrypted: false)
            _ = Unmanaged.passRetained(device)
            _ = Unmanaged.passRetained(backup)
            paths += [device.directory.path, backup.directory.deletingLastPathComponent().path]
        }
        precondition(paths.allSatisfy { FileManager.default.fileExists(atPath: $0) })
        if forking {
            // The child ends as a program does, with all that is registered for the end of a process.
            let child = forkProcess()
            if child == 0 { exit(0) }
            var status: CInt = -1
            precondition(waitpid(child, &status, 0) == child && status == 0, "\(status)")
            precondition(paths.allSatisfy { FileManager.default.fileExists(atPath: $0) }, "gone with the child")
        }
        try paths.joined(separator: "\n").write(toFile: list, atomically: true, encoding: .utf8)
    }

    private static func left(_ list: String) throws -> [String] {
        let paths = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").map(String.init)
        try FileManager.default.removeItem(atPath: list)
        try #require(!paths.isEmpty)
        return paths.filter { FileManager.default.fileExists(atPath: $0) }
    }

    private static var newList: String { FileManager.default.temporaryDirectory.path + "/lk-list-\(UUID().uuidString)" }

    @Test("devices and backups that are in use at the end of their process leave nothing")
    func endOfProcessInOwnProcess() async throws {
        let list = Self.newList
        await #expect(processExitsWith: .success) { [list = list as String] in
            try Self.endInUse([.embedded], list, forking: false)
        }
        #expect(try Self.left(list) == [])
    }

    @Test("the programs of a device end with the process that made it, and then its directory goes")
    func programsInOwnProcess() async throws {
        let list = Self.newList
        await #expect(processExitsWith: .success) { [list = list as String] in
            try Self.endInUse([.processes], list, forking: false)
        }
        let paths = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(try Self.left(list) == [])
        let programs = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
        for program in programs {
            let command = (try? String(contentsOfFile: "/proc/\(program)/cmdline", encoding: .utf8)) ?? ""
            #expect(!paths.contains { command.contains($0) }, "\(command)")
        }
    }

    @Test("a forked child removes nothing of its parent's")
    func forkedChildInOwnProcess() async throws {
        let list = Self.newList
        await #expect(processExitsWith: .success) { [list = list as String] in
            try Self.endInUse([.embedded], list, forking: true)
        }
        #expect(try Self.left(list) == [])
    }

    /// In a child, the last use of a copy calls its deinitializer.
    @Test("a copy of a backup and of a device that goes in a forked child takes nothing along")
    func copiesInOwnProcess() async throws {
        await #expect(processExitsWith: .success) {
            var device: VirtualDevice? = try VirtualDevice()
            var backup: VirtualBackup? = try device?.backup(encrypted: false)
            let paths = [device?.directory.path, backup?.directory.path].compactMap { $0 }
            precondition(paths.count == 2)
            let child = forkProcess()
            if child == 0 {
                backup = nil
                device = nil
                _exit(0)
            }
            var status: CInt = -1
            precondition(waitpid(child, &status, 0) == child && status == 0, "\(status)")
            precondition(paths.allSatisfy { FileManager.default.fileExists(atPath: $0) }, "gone with the child")
            precondition(device != nil && backup != nil)
        }
    }
}

/// Calls `fork`, which Swift hides.
private func forkProcess() -> pid_t {
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = dlsym(nil, "fork") else { return -1 }
    return unsafeBitCast(symbol, to: Fork.self)()
}
