import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyBinaryPropertyList
import LatchkeyFileAccess
import LatchkeyTestSupport
import Testing

/// Lists and indexes that are sound and cannot be read, or not now: none of them is called damaged.
@Suite("Sound files of a backup that are not read") struct SoundListTests {
    private static func failure(_ body: () throws -> Void) -> BackupFailure? {
        do { try body() } catch { return error as? BackupFailure }
        return nil
    }

    private static func reason(_ body: () throws -> Void) -> String? {
        if case .unsupported(_, let why)? = failure(body) { why } else { nil }
    }

    @Test(
        "a list in another encoding than UTF-8 names it",
        arguments: [
            (String.Encoding.utf16, "UTF-16", "UTF-16"), (.utf16LittleEndian, "UTF-16", "UTF-16"),
            (.utf16BigEndian, "UTF-16", "UTF-16"), (.utf32, "UTF-32", "UTF-32"),
            (.isoLatin1, "ISO-8859-1", "ISO-8859-1"),
        ])
    func encodings(_ encoding: String.Encoding, _ declared: String, _ named: String) throws {
        let text = "<?xml version=\"1.0\" encoding=\"\(declared)\"?><plist version=\"1.0\"><dict/></plist>"
        let bytes = [UInt8](try #require(text.data(using: encoding)))
        let reason = Self.reason { _ = try ListFile.value(bytes, name: "list") }
        #expect(reason?.contains(named) == true, "\(reason ?? "nil")")
    }

    @Test("a list in UTF-8 is read, however it says so", arguments: ["UTF-8", "utf-8", "UTF8", "US-ASCII"])
    func utf8(_ declared: String) throws {
        let text = "<?xml version=\"1.0\" encoding='\(declared)'?><plist version=\"1.0\"><dict/></plist>"
        #expect(try ListFile.value(Array(text.utf8), name: "list").pairs?.isEmpty == true)
    }

    @Test("a binary list of a later version, and one with a wider number, are told from damage")
    func laterLists() throws {
        let later = Array("bplist16".utf8) + [UInt8](repeating: 0, count: 40)
        #expect(Self.reason { _ = try ListFile.value(later, name: "list") }?.contains("later version") == true)
        // One number of 16 bytes.
        let wide =
            Array("bplist00".utf8) + [0x14] + [UInt8](repeating: 0xFF, count: 16) + [8]
            + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0] + [
                0, 0, 0, 0, 0, 0, 0, 25,
            ]
        #expect(Self.reason { _ = try ListFile.value(wide, name: "list") }?.contains("64 bits") == true)
        let short = Array("bplist00".utf8) + [UInt8](repeating: 0, count: 20)
        #expect(Self.failure { _ = try ListFile.value(short, name: "list") } == .damaged("list"))
    }

    @Test("a manifest of a later format without a keybag is not damaged", arguments: [("11.0", true), ("10.0", false)])
    func laterManifest(_ version: String, _ isLater: Bool) throws {
        let bytes = ListWriter.encode(.dictionary(["IsEncrypted": .boolean(true), "Version": .string(version)]))
        if isLater {
            #expect(Self.reason { _ = try BackupManifest(bytes) }?.contains("later version of Latchkey") == true)
        } else {
            #expect(Self.failure { _ = try BackupManifest(bytes) } == .damaged(BackupNames.manifest))
        }
    }

    @Test("an index of another schema says what SQLite answers")
    func otherSchema() throws {
        let script =
            "import sqlite3, sys; base = sqlite3.connect(':memory:'); "
            + "base.executescript('CREATE TABLE Files (fileID TEXT, domain TEXT, relativePath TEXT, flags INTEGER, content BLOB)'); "
            + "sys.stdout.buffer.write(base.serialize())"
        let index = try BackupIndex(Program.run(["/usr/bin/python3", "-c", script]).output)
        #expect(Self.reason { try index.visit { _ in true } }?.contains("no such column") == true)
        #expect(Self.reason { _ = try index.record(.keychain) }?.contains("no such column") == true)
    }

    /// The descriptor behind a list of items becomes a directory: the system refuses to read it.
    @Test("items that cannot be read at this moment are not damaged")
    func items() throws {
        let folder = try TemporaryDirectory()
        let descriptor = open(folder.path("list"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        let file = OwnedDescriptor(owning: descriptor)
        let payload = PayloadWriter(file, path: "list", key: nil)
        var writer = KeychainBackupWriter(keybag: [UInt8](repeating: 1, count: 16))
        let count = 200
        for number in 0..<count {
            let item = BackedUpItem(
                table: "genp", blob: [UInt8](repeating: UInt8(number), count: 9000), reference: [UInt8(number)])
            try writer.add(item) { bytes throws(BackupFailure) in try payload.write(bytes) }
        }
        try writer.finish { bytes throws(BackupFailure) in try payload.write(bytes) }
        _ = try payload.finish()
        let reader = try KeychainBackupReader(PayloadReader(file, of: .keychain, key: nil))
        #expect(reader.count == count)
        let directory = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try #require(dup2(directory, descriptor) == descriptor)
        close(directory)
        var damaged = 0
        let failure = Self.failure {
            try reader.visit { item in
                if item == nil { damaged += 1 }
                return true
            }
        }
        guard case .system(_, EISDIR)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(damaged == 0)
    }

    /// The limit belongs to the process, so it is changed in one of its own.
    @Test("a backup that this process cannot open is there")
    func descriptorsInOwnProcess() async throws {
        await #expect(processExitsWith: .success) {
            let sample = Sample("unencrypted")
            let above = URL(fileURLWithPath: sample.path).deletingLastPathComponent().path
            var former = rlimit()
            precondition(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &former) == 0)
            let free = open("/dev/null", O_RDONLY)
            close(free)
            var refusals = 0
            for path in [sample.path, above] {
                for count in 1...6 {
                    var limit = former
                    limit.rlim_cur = rlim_t(Int(free) + count)
                    precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
                    let outcome = Result { try BackupFolder.find(path) }
                    precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &former) == 0)
                    guard case .failure(let error) = outcome else { continue }
                    guard case BackupFailure.system(_, EMFILE) = error else {
                        preconditionFailure("\(count): \(error)")
                    }
                    refusals += 1
                }
            }
            precondition(refusals >= 2)
        }
    }
}
