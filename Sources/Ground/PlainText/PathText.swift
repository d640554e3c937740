/// The parts of a file's path, divided at each byte `/`, like in the system.
///
/// `String.split` and `lastIndex(of:)` compare whole characters, and a slash with a combining mark behind it is another
/// character: they would skip a directory whose name begins with such a mark.
package enum PathText {
    private static let slash = UInt8(ascii: "/")

    /// Returns the names between the slashes without empty ones.
    package static func parts(of path: some StringProtocol) -> [String] {
        path.utf8.split(separator: slash).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the part after the last slash; all of a path without one.
    package static func name(of path: some StringProtocol) -> String {
        let name = path.utf8.reversed().prefix { $0 != slash }.reversed()
        return String(decoding: Array(name), as: UTF8.self)
    }

    /// Returns the part before the last slash, which is empty for a file in the root directory; nil for a path without
    /// a slash.
    package static func parent(of path: String) -> String? {
        path.utf8.lastIndex(of: slash).map { String(path[..<$0]) }
    }

    /// Returns the directory to open for the file of a path.
    package static func directory(of path: String) -> String {
        guard let parent = parent(of: path) else { return "." }
        return parent.isEmpty ? "/" : parent
    }

    package static func isAbsolute(_ path: some StringProtocol) -> Bool { path.utf8.first == slash }
}
