/// The name of an entry in a directory, as the system has it: not every name is UTF-8.
package struct FileName: Hashable, Comparable, Sendable {
    /// As the system takes it, with the zero behind it.
    package let characters: [CChar]

    /// - Parameter bytes: without zeros and slashes.
    package init(_ bytes: some Sequence<UInt8>) {
        characters = bytes.map { CChar(bitPattern: $0) } + [0]
    }

    package init(_ bytes: [UInt8]) {
        var characters = [CChar](repeating: 0, count: bytes.count + 1)
        for index in bytes.indices { characters[index] = CChar(bitPattern: bytes[index]) }
        self.characters = characters
    }

    package init(_ text: String) {
        self.init(text.utf8)
    }

    /// The names in a path, split as the system splits it: by bytes. A slash and a combining mark behind it are one
    /// `Character`, so `split(separator: "/")` leaves names that lead through links.
    package static func parts(of path: String) -> [FileName] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { FileName($0) }
    }

    /// Without the zero at the end.
    package var bytes: [UInt8] { characters.dropLast().map { UInt8(bitPattern: $0) } }

    /// For people: bytes that are not UTF-8 are replaced.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package static func < (one: FileName, other: FileName) -> Bool {
        // The zero behind a name is less than all that may follow it.
        one.characters.lexicographicallyPrecedes(other.characters) { UInt8(bitPattern: $0) < UInt8(bitPattern: $1) }
    }
}
