/// A path as the kernel sees it: bytes, which need not be UTF-8.
package struct Path: Sendable, Hashable, Comparable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    CustomStringConvertible
{
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    package init(stringLiteral text: String) {
        bytes = Array(text.utf8)
    }

    /// Printable ASCII as it is, every other byte escaped: what is printed names exactly one path.
    package var description: String {
        bytes.count > 200
            ? Self.escaped(bytes.prefix(60)) + "… (\(bytes.count) bytes)" : Self.escaped(bytes[...])
    }

    /// For programs and libraries that take text. The paths of the tests' own directories are text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package static func / (directory: Path, name: Path) -> Path {
        directory.bytes.isEmpty ? name : Path(bytes: directory.bytes + [UInt8(ascii: "/")] + name.bytes)
    }

    package static func < (one: Path, other: Path) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }

    private static func escaped(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { byte in
            (32..<127).contains(byte) && byte != UInt8(ascii: "\\")
                ? String(UnicodeScalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
