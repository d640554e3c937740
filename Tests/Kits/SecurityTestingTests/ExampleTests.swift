import Foundation
import Testing

@Suite("The example programs")
struct ExampleTests {
    @Test(
        "do what they say",
        arguments: [
            "AddQueryUpdateDelete", "SharedGroup", "LockedPhone", "NewPhone", "SignedApp", "AppLock", "TwoSecrets",
            "EnrolmentChange", "SignedLogin", "SharedSecret", "PublicKeyExport", "OldCipher", "EnclaveSignature",
            "RememberMe", "ProtectedPDF", "BackgroundUploader", "TrackRecorder", "SharedVault",
        ])
    func runSoak(_ name: String) throws {
        let device = FileManager.default.temporaryDirectory.appendingPathComponent(
            "latchkey-example-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: device) }
        let program = Process()
        program.executableURL = try Self.executable(name)
        program.environment = ProcessInfo.processInfo.environment.merging(["LATCHKEY_DEVICE": "dir:\(device.path)"]) {
            $1
        }
        let output = Pipe()
        program.standardOutput = output
        program.standardError = output
        try program.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        program.waitUntilExit()
        #expect(program.terminationStatus == 0, "\(name) said:\n\(text)")
        #expect(text.split(separator: "\n").count >= 5, "\(name) prints its steps:\n\(text)")
    }

    /// The package manager puts executables and tests beside each other.
    private static func executable(_ name: String) throws -> URL {
        var directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        for _ in 0..<4 {
            directory = directory.deletingLastPathComponent()
            let executable = directory.appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: executable.path) { return executable }
        }
        return try #require(nil as URL?, "\(name) is not beside the tests; build the package first")
    }
}
