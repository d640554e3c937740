import LatchkeyPlainText
import Testing

/// A slash with a combining mark behind it is another character in Swift, and the same separator for the system.
@Suite("Paths are divided at each byte that is a slash") struct PathTextTests {
    private static let mark = "\u{301}"

    @Test(
        "into the names between the slashes",
        arguments: [
            ("", []), ("/", []), ("//a//", ["a"]), ("a/b", ["a", "b"]), ("/a/\(mark)b/c", ["a", "\(mark)b", "c"]),
            ("/\(mark)", ["\(mark)"]), ("é/\u{0}", ["é", "\u{0}"]),
        ])
    func parts(_ path: String, _ parts: [String]) {
        #expect(PathText.parts(of: path) == parts)
    }

    @Test(
        "into a parent and a name",
        arguments: [
            ("", nil, ""), ("a", nil, "a"), ("/", "", ""), ("/a", "", "a"), ("a/b", "a", "b"), ("/a/", "/a", ""),
            ("/a/\(mark)b", "/a", "\(mark)b"), ("a//b", "a/", "b"),
        ])
    func parent(_ path: String, _ parent: String?, _ name: String) {
        #expect(PathText.parent(of: path) == parent)
        #expect(PathText.name(of: path) == name)
    }

    @Test(
        "so the directory of a file is one that can be opened",
        arguments: [
            ("", "."), ("a", "."), ("/a", "/"), ("a/b", "a"), ("/a/b", "/a"), ("/a/", "/a"), ("/\(mark)b", "/"),
        ])
    func directory(_ path: String, _ directory: String) {
        #expect(PathText.directory(of: path) == directory)
    }

    @Test("and begin with one if they are absolute")
    func absolute() {
        #expect(PathText.isAbsolute("/\(Self.mark)b") && PathText.isAbsolute("/"))
        #expect(!PathText.isAbsolute("a/b") && !PathText.isAbsolute(""))
    }
}
