/// A block of a PEM text (RFC 7468), found in place: it may be secret, so its content is not copied.
package struct PEMBlock: Sendable, Equatable {
    /// The words after BEGIN: `CERTIFICATE`, `PRIVATE KEY`, …
    package let label: String
    /// The two boundary lines and what is between them.
    package let range: Range<Int>
    /// The base64 between the boundary lines, with its line ends.
    package let content: Range<Int>

    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)
    private static let labelLimit = 64

    /// Returns true if a block begins anywhere.
    package static func begins(in bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe index(of: begin, in: bytes, from: 0) != nil
    }

    /// Returns all blocks, in their order. A block without an end does not count; nor does the text after it.
    package static func all(in bytes: UnsafeRawBufferPointer) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        while let block = unsafe PEMBlock(in: bytes, from: blocks.last?.range.upperBound ?? 0) { blocks.append(block) }
        return blocks
    }

    private init?(in bytes: UnsafeRawBufferPointer, from start: Int) {
        guard let first = unsafe Self.index(of: Self.begin, in: bytes, from: start) else { return nil }
        let labelStart = first + Self.begin.count
        guard let labelEnd = unsafe Self.index(of: Self.dashes, in: bytes, from: labelStart),
            labelEnd - labelStart <= Self.labelLimit,
            case let label = unsafe Array(bytes[labelStart..<labelEnd]),
            case let contentStart = labelEnd + Self.dashes.count,
            case let lastLine = Self.end + label + Self.dashes,
            let last = unsafe Self.index(of: lastLine, in: bytes, from: contentStart)
        else { return nil }
        var upper = last + lastLine.count
        // The line's end belongs to the block.
        while unsafe upper < bytes.count && [0x0D, 0x0A].contains(bytes[upper]) { upper += 1 }
        self.label = String(decoding: label, as: UTF8.self)
        range = first..<upper
        content = contentStart..<last
    }

    private static func index(of pattern: [UInt8], in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard bytes.count >= pattern.count, start <= bytes.count - pattern.count else { return nil }
        return (start...(bytes.count - pattern.count)).first { index in
            pattern.indices.allSatisfy { unsafe bytes[index + $0] == pattern[$0] }
        }
    }
}
