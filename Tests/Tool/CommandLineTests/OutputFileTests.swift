import Foundation
import Glibc
import LatchkeyCommandLineTool
import Testing

@Suite("Files that are there when they are complete", .serialized)
struct OutputFileTests {
    /// A directory that is gone after the test.
    private final class Place {
        let path: String

        init() throws {
            var template = Array("/tmp/latchkey-output.XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func path(_ name: String) -> String { path + "/" + name }
        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path) }

        func make(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: URL(filePath: path(name)))
        }

        func text(_ name: String) throws -> String {
            try String(contentsOfFile: path(name), encoding: .utf8)
        }

        func mode(_ name: String) throws -> mode_t {
            var information = stat()
            try #require(lstat(path(name), &information) == 0)
            return information.st_mode & 0o7777
        }
    }

    private func write(_ text: String, to file: OutputFile) throws {
        try Array(text.utf8).withUnsafeBytes { try file.write($0) }
    }

    @Test("a new file has its name only when it is complete, and is its owner's alone", arguments: [false, true])
    func complete(isNamed: Bool) throws {
        let place = try Place()
        let file = try OutputFile(.file(place.path("f"), replacing: false), testOnlyNamed: isNamed)
        try write("one", to: file)
        try write("", to: file)
        try write("two", to: file)
        #expect(!FileManager.default.fileExists(atPath: place.path("f")))
        #expect(try place.names().count == (isNamed ? 1 : 0))
        try file.complete()
        #expect(try place.names() == ["f"])
        #expect(try place.text("f") == "onetwo")
        #expect(try place.mode("f") == 0o600)
    }

    @Test("what is given up leaves nothing", arguments: [false, true], [false, true])
    func abandoned(isNamed: Bool, replacing: Bool) throws {
        let place = try Place()
        if replacing { try place.make("f", "before") }
        do {
            let file = try OutputFile(.file(place.path("f"), replacing: replacing), testOnlyNamed: isNamed)
            try write("half", to: file)
        }
        #expect(try place.names() == (replacing ? ["f"] : []))
        if replacing { #expect(try place.text("f") == "before") }
    }

    @Test("a file that is there stays, also one that comes meanwhile", arguments: [false, true])
    func existing(isNamed: Bool) throws {
        let place = try Place()
        let target = OutputTarget.file(place.path("f"), replacing: false)
        let file = try OutputFile(target, testOnlyNamed: isNamed)
        try write("new", to: file)
        try place.make("f", "other")
        #expect { try file.complete() } throws: { ($0 as? CommandFailure)?.status == .outputExists }
        #expect(try place.text("f") == "other")
        #expect { try OutputFile(target) } throws: { ($0 as? CommandFailure)?.status == .outputExists }
        withExtendedLifetime(file) {}
    }

    @Test("a replaced file is whole at every moment, and the new one is its owner's alone", arguments: [false, true])
    func replaced(isNamed: Bool) throws {
        let place = try Place()
        try place.make("f", "before")
        let file = try OutputFile(.file(place.path("f"), replacing: true), testOnlyNamed: isNamed)
        try write("after", to: file)
        #expect(try place.text("f") == "before")
        try file.complete()
        #expect(try place.text("f") == "after")
        #expect(try place.mode("f") == 0o600)
        #expect(try place.names() == ["f"])
    }

    @Test("only files are replaced: no link, no directory, no device")
    func special() throws {
        let place = try Place()
        try place.make("f", "before")
        try FileManager.default.createSymbolicLink(atPath: place.path("link"), withDestinationPath: "f")
        try FileManager.default.createDirectory(atPath: place.path("directory"), withIntermediateDirectories: false)
        for path in [place.path("link"), place.path("directory"), "/dev/null"] {
            let failure = #expect(throws: CommandFailure.self) { try OutputFile(.file(path, replacing: true)) }
            #expect(failure?.status == .outputNotWritten)
        }
        #expect(try place.text("f") == "before")
    }

    @Test("a directory that is not there is named")
    func noDirectory() throws {
        let failure = #expect(throws: CommandFailure.self) {
            try OutputFile(.file("/nonexistent/f", replacing: false))
        }
        #expect(failure?.status == .outputNotWritten)
        #expect(failure?.text.contains("/nonexistent/f") == true)
        #expect(failure?.text.contains("No such file") == true)
    }

    @Test("a copy of what can be read once is read back, and has no name")
    func spool() throws {
        let place = try Place()
        let spool = try SpoolFile(in: place.path)
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try bytes.withUnsafeBytes {
            try spool.append(UnsafeRawBufferPointer(rebasing: $0[..<4000]))
            try spool.append(UnsafeRawBufferPointer(rebasing: $0[4000...]))
        }
        #expect(try place.names().isEmpty)
        var read = [UInt8](repeating: 0, count: 6000)
        #expect(try read.withUnsafeMutableBytes { try spool.read(into: $0, at: 1000) } == 6000)
        #expect(read == Array(bytes[1000..<7000]))
        #expect(try read.withUnsafeMutableBytes { try spool.read(into: $0, at: 9000) } == 1000)
        let failure = #expect(throws: CommandFailure.self) { try SpoolFile(in: "/nonexistent") }
        #expect(failure?.status == .outputNotWritten)
        #expect(failure?.advice?.contains("TMPDIR") == true)
    }

    @Test("the marks of a first pass fit the same pieces at the same places, and no others")
    func marks() {
        let pieces: [[UInt8]] = [[1, 2, 3], [4], []]
        var marks = PieceMarks()
        for piece in pieces { piece.withUnsafeBytes { marks.append($0) } }
        for (index, piece) in pieces.enumerated() {
            for place in 0..<5 { #expect(piece.withUnsafeBytes { marks.fit($0, at: place) } == (place == index)) }
        }
    }
}
