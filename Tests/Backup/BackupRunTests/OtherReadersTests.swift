import Foundation
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyCryptoSuite
import LatchkeyKeybag
import LatchkeyTestSupport
import Security
import Testing

@Suite("Readers of others")
struct OtherReadersTests {
    private static let readers = ["iphone_backup_decrypt", "pyiosbackup", "iOSbackup", "mvt", "dissect.target"]
    /// These read backups without a password, too.
    private static let readersOfClear = ["mvt", "dissect.target"]

    private static let files: [(name: String, count: Int, protection: FileProtection?)] = [
        ("a/complete.bin", 5000, .complete), ("a/open.bin", 4096, .completeUnlessOpen),
        ("until.bin", 1 << 20, .completeUntilFirstUserAuthentication), ("none.bin", 1, FileProtection.none),
        ("clear/plain.txt", 17, nil), ("clear/block.txt", 32, nil), ("clear/Straße.txt", 100, nil),
    ]

    private static func machine() throws -> Machine {
        let machine = try Machine()
        for (place, file) in files.enumerated() {
            try machine.write(file.name, bytes(file.count, place), file.protection)
        }
        machine.add("item", kSecAttrAccessibleWhenUnlocked, "secret")
        try machine.setPassword()
        return machine
    }

    private static func bytes(_ count: Int, _ seed: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed &* 7 &+ $0 >> 8) }
    }

    private static var expected: Set<String> {
        Set(
            files.enumerated().map { place, file in
                "\(sha256(bytes(file.count, place)).map { String(format: "%02x", $0) }.joined()) \(file.name)"
            })
    }

    @Test("open an encrypted backup, also after a second run; no wrong password", arguments: readers)
    func encrypted(_ reader: String) throws {
        let machine = try Self.machine()
        try machine.backUp(encrypted: true)
        let first = try Self.read(machine.folder, reader, Machine.password)
        #expect(Set(first.lines) == Self.expected, "\(first.errors)")
        try machine.write("until.bin", Self.bytes(1 << 20, 2), .complete)
        try machine.backUp(encrypted: true)
        let second = try Self.read(machine.folder, reader, Machine.password)
        #expect(Set(second.lines) == Self.expected, "\(second.errors)")
        let wrong = try Self.read(machine.folder, reader, "wrong")
        #expect(wrong.status == 3 && wrong.lines.isEmpty, "\(wrong.errors)")
    }

    @Test("open a backup without a password", arguments: readersOfClear)
    func unencrypted(_ reader: String) throws {
        let machine = try Self.machine()
        try machine.backUp(encrypted: false)
        let read = try Self.read(machine.folder, reader, "")
        #expect(Set(read.lines) == Self.expected, "\(read.errors)")
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
