import Foundation
import LatchkeyTestSupport
import RNCryptor
import Testing

@Suite("RNCryptor and Python's package rncryptor")
struct PythonTests {
    /// Opens our message, checks it and writes one of its own for each line of password and message.
    private static let program = """
        import sys
        try:
            import rncryptor
        except ImportError:
            sys.exit("rncryptor is missing (Scripts/install-python)")
        class Cryptor(rncryptor.RNCryptor):
            def post_decrypt_data(self, data):
                return data[:-data[-1]]
        for line in sys.stdin:
            password, message = (bytes.fromhex(word) for word in line.split())
            plaintext = Cryptor().decrypt(message, password.decode())
            print(plaintext.hex() or "-", Cryptor().encrypt(plaintext, password.decode()).hex())
        """

    @Test("read each other's messages")
    func bothWays() throws {
        let cases: [(String, Data)] = [
            ("a", Data()), ("\u{4E2D}\u{6587} \u{1F511}", Data(0..<255)), ("x", Data(repeating: 8, count: 70_000)),
        ]
        let input = cases.map { password, plaintext in
            let message = RNCryptor.encrypt(data: plaintext, withPassword: password)
            return Self.hex(Data(password.utf8)) + " " + Self.hex(message) + "\n"
        }
        let lines = try Self.run(input.joined()).split(separator: "\n")
        #expect(lines.count == cases.count)
        for (line, (password, plaintext)) in zip(lines, cases) {
            let words = line.split(separator: " ").map(String.init)
            #expect(words[0] == (plaintext.isEmpty ? "-" : Self.hex(plaintext)))
            #expect(try RNCryptor.decrypt(data: Self.data(words[1]), withPassword: password) == plaintext)
        }
    }

    private static func run(_ input: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rncryptor-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Through files: a pipe that is full would hold up both sides.
        let (source, output) = (folder.appendingPathComponent("in"), folder.appendingPathComponent("out"))
        try Data(input.utf8).write(to: source)
        try Data().write(to: output)
        let python = Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        python.arguments = ["-c", program]
        python.environment = ["PYTHONPATH": PackageFolder.file(".build/python").path]
        python.standardInput = try FileHandle(forReadingFrom: source)
        python.standardOutput = try FileHandle(forWritingTo: output)
        let errors = Pipe()
        python.standardError = errors
        try python.run()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        python.waitUntilExit()
        #expect(python.terminationStatus == 0, "\(String(decoding: said, as: UTF8.self))")
        return try String(contentsOf: output, encoding: .utf8)
    }

    private static func hex(_ data: Data) -> String {
        data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func data(_ hex: String) -> Data {
        let digits = Array(hex.utf8)
        return Data(
            stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
            })
    }
}
