import Foundation
import Glibc
import Testing

@Suite("The tour")
struct TourTests {
    /// The throwaway directory that the tour's output names: below TMPDIR, where that is not too long for sockets.
    private func directory(_ output: String) throws -> String {
        let match = try #require(output.firstMatch(of: #/for (/.*latchkey-tour\.[A-Za-z0-9]{6})/#))
        return String(match.output.1)
    }

    @Test("it does all it says with both kinds of files, and leaves nothing behind", arguments: ["netrc", "csv"])
    func tour(_ format: String) throws {
        let input = Installation.repositoryFile("Examples/Input/sample.\(format)")
        let ending = try run(try Installation.program("latchkey"), ["tour", input])
        #expect(ending.status == 0, "\(ending.errors)")
        for part in ["-25308 errSecInteractionNotAllowed", "why:", "none is there", "latchkey passcode set"] {
            #expect(ending.output.contains(part))
        }
        #expect(!FileManager.default.fileExists(atPath: try directory(ending.output)))
    }

    @Test("a file without passwords ends it with the tour's exit code")
    func emptyInput() throws {
        #expect(try run(try Installation.program("latchkey"), ["tour", "/dev/null"]).status == 50)
    }

    @Test("interrupted, it removes its processes and its directory")
    func interrupted() throws {
        let process = Process()
        process.executableURL = try Installation.program("latchkey")
        process.arguments = ["tour", Installation.repositoryFile("Examples/Input/sample.netrc")]
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        var text = ""
        while !text.contains("Started"), let more = try output.fileHandleForReading.read(upToCount: 1) {
            text += String(decoding: more, as: UTF8.self)
        }
        while text.firstMatch(of: /latchkey-tour\.[A-Za-z0-9]{6}/) == nil,
            let more = try output.fileHandleForReading.read(upToCount: 1)
        { text += String(decoding: more, as: UTF8.self) }
        kill(process.processIdentifier, SIGINT)
        _ = try output.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        #expect(!FileManager.default.fileExists(atPath: try directory(text)))
    }
}
