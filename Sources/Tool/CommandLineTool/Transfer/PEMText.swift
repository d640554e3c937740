package import LatchkeySecretMemory

/// The blocks of a PEM text (RFC 7468), found without copying their content into text.
package enum PEMText {
    /// One block, its two boundary lines included.
    package struct Block: Sendable {
        /// The word after BEGIN: `CERTIFICATE`, `PRIVATE KEY`, …
        package let label: String
        package let text: SecretBox
    }

    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)
    private static let labelLimit = 64

    /// Returns true if a block begins anywhere.
    package static func isPEM(_ bytes: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBytes { unsafe find(begin, in: $0, from: 0) != nil }
    }

    package static func isPEM(_ contents: SecretBox) -> Bool {
        unsafe contents.withBytes { unsafe find(begin, in: $0, from: 0) != nil }
    }

    /// All blocks, in their order. A block without an end does not count; nor does the text after it.
    package static func blocks(of contents: SecretBox) -> [Block] {
        var blocks: [Block] = []
        var position = 0
        while let (label, range) = unsafe contents.withBytes({ unsafe block(in: $0, from: position) }) {
            blocks.append(Block(label: label, text: contents.slice(range)))
            position = range.upperBound
        }
        return blocks
    }

    private static func block(in bytes: UnsafeRawBufferPointer, from start: Int) -> (String, Range<Int>)? {
        guard let first = unsafe find(begin, in: bytes, from: start) else { return nil }
        let nameStart = first + begin.count
        guard let nameEnd = unsafe find(dashes, in: bytes, from: nameStart), nameEnd - nameStart <= labelLimit,
            case let name = unsafe Array(bytes[nameStart..<nameEnd]),
            let last = unsafe find(end + name + dashes, in: bytes, from: nameEnd)
        else { return nil }
        var upper = last + end.count + name.count + dashes.count
        // The line's end belongs to the block.
        while unsafe upper < bytes.count && [0x0D, 0x0A].contains(bytes[upper]) { upper += 1 }
        return (String(decoding: name, as: UTF8.self), first..<upper)
    }

    private static func find(_ pattern: [UInt8], in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard bytes.count >= pattern.count, start <= bytes.count - pattern.count else { return nil }
        return (start...(bytes.count - pattern.count)).first { place in
            pattern.indices.allSatisfy { unsafe bytes[place + $0] == pattern[$0] }
        }
    }
}
