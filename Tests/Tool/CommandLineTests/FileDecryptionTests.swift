import Foundation
import Glibc
import LatchkeyCommandLineTool
import LatchkeySecretMemory
import Testing

@Suite("A file that is changed between its check and its decryption", .serialized)
struct FileDecryptionTests {
    private static let byteCount = 3 * FileSize.piece + 100

    /// A directory with the encrypted file `message`, which holds bytes of value 7; gone after the test.
    private final class Stage {
        let path: String
        var message: String { path + "/message" }
        var output: String { path + "/output" }

        init() throws {
            var template = Array("/tmp/latchkey-decryption.XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            try Data(repeating: 7, count: FileDecryptionTests.byteCount).write(to: URL(filePath: path + "/plain"))
            let encryption = FileEncryption(
                input: try InputFile(path + "/plain"), output: try OutputFile(.file(message, replacing: false)),
                progress: nil)
            #expect(try encryption.run(password: SecretBox("pw")) == FileDecryptionTests.byteCount)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// The bytes that were written, complete or not.
        func written() throws -> Data {
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            let name = try #require(names.first { $0 == "output" || $0.hasPrefix(".latchkey-") })
            return try Data(contentsOf: URL(filePath: path + "/" + name))
        }

        /// Writes one byte of the message anew.
        func alter(at offset: Int) {
            let descriptor = open(message, O_RDWR)
            defer { close(descriptor) }
            var byte: UInt8 = 0
            pread(descriptor, &byte, 1, offset)
            byte ^= 1
            pwrite(descriptor, &byte, 1, offset)
        }
    }

    @Test("a file that stays as it is is decrypted", arguments: [false, true])
    func unchanged(isRevocable: Bool) throws {
        let stage = try Stage()
        var decryption = try FileDecryption(InputFile(stage.message), progress: nil)
        let output = try OutputFile(.file(stage.output, replacing: false), testOnlyNamed: true)
        let count = try decryption.run(password: SecretBox("pw"), into: output, isRevocable: isRevocable)
        #expect(count == Self.byteCount)
        #expect(try stage.written() == Data(repeating: 7, count: Self.byteCount))
        #expect(decryption.version == 3)
    }

    @Test(
        "a changed one is refused, and of what cannot be taken back no changed piece is released",
        arguments: [false, true], [100, FileSize.piece + 5, 2 * FileSize.piece, 3 * FileSize.piece + 90])
    func changed(isRevocable: Bool, offset: Int) throws {
        let stage = try Stage()
        var decryption = try FileDecryption(InputFile(stage.message), progress: nil)
        decryption.testOnlyBetweenPasses = { stage.alter(at: offset) }
        let output = try OutputFile(.file(stage.output, replacing: false), testOnlyNamed: true)
        let failure = #expect(throws: CommandFailure.self) {
            try decryption.run(password: SecretBox("pw"), into: output, isRevocable: isRevocable)
        }
        #expect(failure?.status == .inputUnreadable)
        #expect(!FileManager.default.fileExists(atPath: stage.output))
        let written = try stage.written()
        let words =
            isRevocable || written.isEmpty ? "Nothing was left behind." : "only the first \(written.count) bytes"
        #expect(failure?.advice?.contains(words) == true, "\(failure?.text ?? "")")
        guard !isRevocable else { return }
        #expect(written == Data(repeating: 7, count: written.count))
        #expect(written.count <= offset / FileSize.piece * FileSize.piece)
        withExtendedLifetime(output) {}
    }

    @Test("so is one that shrinks or grows", arguments: [false, true], [-FileSize.piece, -16, 16, FileSize.piece])
    func resized(isRevocable: Bool, difference: Int) throws {
        let stage = try Stage()
        var decryption = try FileDecryption(InputFile(stage.message), progress: nil)
        let path = stage.message
        decryption.testOnlyBetweenPasses = {
            var information = stat()
            stat(path, &information)
            truncate(path, information.st_size + difference)
        }
        let output = try OutputFile(.file(stage.output, replacing: false))
        let failure = #expect(throws: CommandFailure.self) {
            try decryption.run(password: SecretBox("pw"), into: output, isRevocable: isRevocable)
        }
        #expect(failure?.status == .inputUnreadable)
        #expect(!FileManager.default.fileExists(atPath: stage.output))
    }
}
