import LatchkeyCryptoSuite

/// The digests of a file's pieces in a first pass. A piece that changed afterwards is not released.
///
/// Takes 16 bytes for each piece. Half of a SHA-256 is enough: another piece has to fit a mark that is there already.
package struct PieceMarks {
    private static let byteCount = 16

    private var marks: [UInt8] = []

    package init() {}

    package mutating func append(_ piece: UnsafeRawBufferPointer) {
        unsafe marks.append(contentsOf: Self.mark(of: piece))
    }

    /// Returns true if this is the piece that was seen at this index.
    package func fit(_ piece: UnsafeRawBufferPointer, at index: Int) -> Bool {
        let start = index * Self.byteCount
        guard start + Self.byteCount <= marks.count else { return false }
        return unsafe Self.mark(of: piece).elementsEqual(marks[start..<start + Self.byteCount])
    }

    private static func mark(of piece: UnsafeRawBufferPointer) -> ArraySlice<UInt8> {
        var digest = RunningDigest(.sha256)
        unsafe digest.update(piece)
        return digest.finish().prefix(byteCount)
    }
}
