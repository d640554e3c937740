/// The name of an entry in the directory that stores a volume.
struct BackingName: Sendable, Hashable {
    /// With the NUL behind it.
    let characters: [CChar]

    init(_ bytes: some Sequence<UInt8>) {
        characters = bytes.map { CChar(bitPattern: $0) } + [0]
    }

    init(_ text: String) {
        self.init(text.utf8)
    }

    var bytes: [UInt8] { characters.dropLast().map { UInt8(bitPattern: $0) } }
}
