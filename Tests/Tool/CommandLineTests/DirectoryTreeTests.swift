import Foundation
import LatchkeyCommandLineTool
import Testing

@Suite("Directories") struct DirectoryTreeTests {
    private let place = FileManager.default.temporaryDirectory.appending(path: "lk-\(UUID().uuidString)").path

    @Test("a directory that cannot be read does not count as empty")
    func unreadable() {
        #expect(throws: UnreadableDirectory.self) { try DirectoryTree.names(in: place) }
        #expect(throws: UnreadableDirectory.self) { try DirectoryTree.files(below: place) }
    }

    @Test("a tree goes with everything in it, and no link is followed")
    func removal() throws {
        let other = place + "-other"
        defer { try? FileManager.default.removeItem(atPath: other) }
        for directory in [place + "/a/b/c", place + "/many", other] {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        for file in [other + "/kept", place + "/a/b/c/f"] + (0..<300).map({ place + "/many/\($0)" }) {
            try Data("x".utf8).write(to: URL(filePath: file))
        }
        for link in [place + "/link", place + "/a/link"] { try #require(symlink(other, link) == 0) }
        #expect(try DirectoryTree.files(below: place).count == 301)
        DirectoryTree.remove(place)
        #expect(!FileManager.default.fileExists(atPath: place))
        #expect(try DirectoryTree.names(in: other) == ["kept"])
    }
}
