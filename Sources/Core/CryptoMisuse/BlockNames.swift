/// The first blocks of a message, by name.
struct BlockNames: Sendable {
    /// Blocks beyond this are not compared.
    static let limit = 256

    private let fingerprints: Fingerprints
    private let blockByteCount: Int
    private var names: [Fingerprints.Name] = []
    /// The incomplete block.
    private var rest: Fingerprints.Stream

    init(_ fingerprints: Fingerprints, blockByteCount: Int) {
        self.fingerprints = fingerprints
        self.blockByteCount = blockByteCount
        rest = fingerprints.stream()
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while offset < bytes.count, names.count < Self.limit {
            let length = min(blockByteCount - rest.count, bytes.count - offset)
            unsafe rest.feed(UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)]))
            offset += length
            guard rest.count == blockByteCount else { continue }
            names.append(rest.name)
            rest = fingerprints.stream()
        }
    }

    /// The number of known bytes in a block: the last one may be cut.
    func byteCount(of index: Int) -> Int {
        index < names.count ? blockByteCount : index == names.count ? rest.count : 0
    }

    /// Nil for an unknown block.
    subscript(index: Int) -> Fingerprints.Name? {
        if index < names.count { return names[index] }
        return index == names.count && rest.count > 0 ? rest.name : nil
    }
}
