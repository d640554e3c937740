import Foundation
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyCryptoSuite
import LatchkeyKeybag
import LatchkeyTestSupport
import Security
import Testing

/// Tools that others wrote. Some of them cannot do this:
///
/// - iphone_backup_decrypt reads encrypted backups alone, and so does `mvt-ios decrypt-backup`, which ends with 1 for others.
/// - `mvt-ios check-backup` reads backups in clear, an encrypted one after `decrypt-backup`; it extracts no files, and says what is
///   in the index and of which device the backup is.
/// - iOSbackup knows an empty file by its key alone, and makes a directory of one in clear; a wrong password is an `Exception`
///   that only its text tells from others.
/// - dissect.target shows where files lie on a phone, and no domains.
@Suite("Readers of others")
struct OtherReadersTests {
    private static let readers = [
        "iphone_backup_decrypt", "pyiosbackup", "iOSbackup", "mvt-ios decrypt-backup", "dissect.target",
    ]
    private static let readersOfClear = ["pyiosbackup", "iOSbackup", "dissect.target"]

    private static let home = "HomeDomain"
    private static let app = "AppDomain-org.example.app"
    private static let group = "AppDomainGroup-group.org.example"

    private static let files: [(domain: String, name: String, count: Int, protection: FileProtection?)] = [
        (home, "a/complete.bin", 5000, .complete), (home, "a/open.bin", 4096, .completeUnlessOpen),
        (home, "until.bin", 1 << 20, .completeUntilFirstUserAuthentication), (home, "none.bin", 1, FileProtection.none),
        (home, "clear/plain.txt", 17, nil), (home, "clear/block.txt", 32, nil), (home, "clear/Straße.txt", 100, nil),
        (home, "empty.bin", 0, .complete), (home, "clear/empty", 0, nil), (home, "clear/sixteen", 16, nil),
        (app, "Documents/note", 33, .complete), (app, "Documents/none.txt", 12, nil),
        (group, "shared.db", 8192, .complete),
        ("RootDomain", "Library/settings.plist", 48, nil),
    ]

    private static func machine() throws -> (Machine, [BackupSource]) {
        let machine = try Machine()
        var sources: Set<BackupSource> = []
        for (place, file) in files.enumerated() {
            let directory = file.domain == home ? machine.home : machine.path + "/" + file.domain
            try machine.write(file.name, bytes(file.count, place), file.protection, in: directory)
            sources.insert(try #require(BackupSource(domain: file.domain, root: directory)))
        }
        machine.add("item", kSecAttrAccessibleWhenUnlocked, "secret")
        try machine.setPassword()
        return (machine, Array(sources))
    }

    private static func bytes(_ count: Int, _ seed: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed &* 7 &+ $0 >> 8) }
    }

    /// Each file with its digest: those that were backed up, and the items as this project reads them.
    private static func expected(_ machine: Machine) throws -> Set<String> {
        func line(_ bytes: [UInt8], _ name: String) -> String {
            "\(sha256(bytes).map { String(format: "%02x", $0) }.joined()) \(name)"
        }
        let backup = try machine.opened()
        let items = try #require(try backup.index.record(.keychain))
        var list: [UInt8] = []
        try unsafe backup.content(of: items).pieces(tag: items.tag) { unsafe list += $0 }
        return Set(files.enumerated().map { line(bytes($1.count, $0), "\($1.domain)/\($1.name)") })
            .union([line(list, "\(BackupNames.keychainDomain)/\(BackupNames.keychainFile)")])
    }

    @Test("extract every file of an encrypted backup, also after a second run; no wrong password", arguments: readers)
    func encrypted(_ reader: String) throws {
        let (machine, sources) = try Self.machine()
        try machine.backUp(encrypted: true, sources: sources)
        let first = try Self.read(machine.folder, reader, Machine.password)
        #expect(try Set(first.lines) == Self.expected(machine), "\(first.errors)")
        // The same bytes under another class, and an item more.
        try machine.write("until.bin", Self.bytes(1 << 20, 2), .complete)
        machine.add("other", kSecAttrAccessibleWhenUnlocked, "secret")
        try machine.backUp(encrypted: true, sources: sources)
        let second = try Self.read(machine.folder, reader, Machine.password)
        #expect(try Set(second.lines) == Self.expected(machine), "\(second.errors)")
        let wrong = try Self.read(machine.folder, reader, "wrong")
        #expect(wrong.status == 3 && wrong.lines.isEmpty, "\(wrong.errors)")
    }

    @Test("extract every file of a backup without a password", arguments: readersOfClear)
    func clear(_ reader: String) throws {
        let (machine, sources) = try Self.machine()
        try machine.backUp(encrypted: false, sources: sources)
        let read = try Self.read(machine.folder, reader, "")
        #expect(try Set(read.lines) == Self.expected(machine), "\(read.errors)")
    }

    @Test("mvt-ios check-backup finds the device and every row", arguments: [true, false])
    func check(isEncrypted: Bool) throws {
        let (machine, sources) = try Self.machine()
        try machine.backUp(encrypted: isEncrypted, sources: sources)
        var expected = ["device \(machine.description.identifier.uppercased())"]
        try machine.opened().index.visit { row in
            let record = try row.get()
            expected.append("\(record.size) \(record.kind.rawValue) \(record.domain)/\(record.path)")
            return true
        }
        let read = try Self.read(machine.folder, "mvt-ios check-backup", isEncrypted ? Machine.password : "")
        #expect(read.lines.sorted() == expected.sorted(), "\(read.errors)")
    }

    private static func read(
        _ folder: String, _ reader: String, _ password: String
    ) throws -> (lines: [String], errors: String, status: Int32) {
        let scratch = FileManager.default.temporaryDirectory.path + "/latchkey-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        // Through files: a pipe that is full would hold up both sides.
        let (input, output, errors) = (scratch + "/in", scratch + "/out", scratch + "/errors")
        try Data((password + "\n").utf8).write(to: URL(fileURLWithPath: input))
        for path in [output, errors] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        let python = Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        python.arguments = [PackageFolder.file("Fixtures/Readers/read-backup.py").path, reader, folder]
        python.environment = [
            "PYTHONPATH": PackageFolder.file(".build/python").path, "TMPDIR": scratch, "HOME": scratch,
            "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
        ]
        python.standardInput = FileHandle(forReadingAtPath: input)
        python.standardOutput = FileHandle(forWritingAtPath: output)
        python.standardError = FileHandle(forWritingAtPath: errors)
        try python.run()
        python.waitUntilExit()
        let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map(String.init)
        let said = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
        #expect(python.terminationStatus != 4, "\(said)")
        return (lines, String(said.suffix(2000)), python.terminationStatus)
    }
}
