import Foundation
import Glibc
import LatchkeyCommandLineTool
import Testing

/// A slash with a combining mark behind it is another character in Swift, and the same separator for the system.
@Suite("Paths are divided as the system divides them") struct PathTextTests {
    private static let mark = "\u{301}"

    @Test("a result is written in its own directory, not in the one above")
    func output() throws {
        let place = try TemporaryPlace()
        let directory = place.path + "/inner"
        try #require(mkdir(directory, 0o700) == 0)
        let file = try OutputFile(.file("\(directory)/\(Self.mark)out", replacing: false), testOnlyNamed: true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["inner"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 1)
        try file.complete()
        #expect(access("\(directory)/\(Self.mark)out", F_OK) == 0)
    }

    @Test("doctor sees a directory that others can change above a file whose name begins with such a mark")
    func changeable() throws {
        let place = try TemporaryPlace()
        let open = place.path + "/open"
        try #require(mkdir(open, 0o700) == 0 && chmod(open, 0o777) == 0)
        let program = "\(open)/\(Self.mark)latchkeyd"
        try #require(FileManager.default.createFile(atPath: program, contents: nil))
        try #require(chmod(program, 0o755) == 0)
        #expect(FileFacts.changeable(program, by: geteuid()) == open)
    }
}

/// A directory that is gone after the test.
private final class TemporaryPlace {
    let path: String

    init() throws {
        var template = Array("/tmp/latchkey-path.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
