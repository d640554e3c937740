/// The volumes that are mounted, as the kernel lists them.
package struct MountedVolumes: Sendable, Equatable {
    package static let fileSystem = "fuse.latchkey"

    /// Where they are mounted, in the kernel's order.
    package let paths: [String]

    /// - Parameter mountInformation: the text of `/proc/self/mountinfo`.
    package init(mountInformation text: String) {
        paths = text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            // A word "-" ends a list of fields of any length; the type follows.
            guard words.count > 5, let end = words.dropFirst(5).firstIndex(of: "-"), words.indices.contains(end + 1),
                words[end + 1] == Self.fileSystem
            else { return nil }
            return Self.unescaped(words[4])
        }
    }

    /// Blanks, tabs, line breaks and backslashes stand as three octal digits behind a backslash.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            guard byte == UInt8(ascii: "\\"), digits.count == 3,
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(code)
            rest = rest.dropFirst(3)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
