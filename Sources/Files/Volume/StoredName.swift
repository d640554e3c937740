import Glibc
import LatchkeyCryptoSuite
import LatchkeyFileAccess

/// A name of the volume as its entry in the storing directory is called.
struct StoredName: Sendable {
    let entry: FileName
    /// For a name that is too long when sealed: the file beside the entry, and the sealed name that it has.
    let longName: (file: FileName, content: [UInt8])?

    private static let entryByteLimit = 255
    private static let longMark = UInt8(ascii: "+")
    private static let longNameMark = UInt8(ascii: "=")
    private static let newMark = UInt8(ascii: ".")
    static let longNameByteLimit = 512

    init(sealed: [UInt8]) {
        let text = SealedText.encode(sealed)
        guard text.count > Self.entryByteLimit else {
            entry = FileName(text)
            longName = nil
            return
        }
        let digest = SealedText.encode(sha256(sealed))
        entry = FileName([Self.longMark] + digest)
        longName = (FileName([Self.longNameMark] + digest), sealed)
    }

    /// The kinds of entries in a storing directory.
    enum Entry {
        case sealed([UInt8])
        /// The sealed name is in this file.
        case long(nameIn: FileName)
        /// The sealed name of this entry.
        case longName(of: FileName)
        /// Made by an operation that was cut off.
        case unfinished
        /// Nothing that a volume makes.
        case foreign
    }

    static func entry(_ name: FileName) -> Entry {
        let bytes = name.bytes
        switch bytes.first {
        case longMark?: return .long(nameIn: FileName([longNameMark] + bytes.dropFirst()))
        case longNameMark?: return .longName(of: FileName([longMark] + bytes.dropFirst()))
        case newMark?: return bytes.starts(with: unfinishedPrefix) ? .unfinished : .foreign
        default: return SealedText.decode(bytes).map { .sealed($0) } ?? .foreign
        }
    }

    private static let unfinishedPrefix = Array(".new-".utf8)

    /// A name for something that gets its own name when it is complete.
    static func unfinished(_ entropy: any Entropy) -> FileName {
        FileName(unfinishedPrefix + SealedText.encode(entropy.bytes(12)))
    }
}
