import LatchkeyCryptoSuite
import LatchkeySecretMemory

/// A file that a holder of the key made by hand: all of it is authentic, and its references and numbers are hostile.
struct ForgedFile {
    struct Reference {
        var position: UInt64
        var salt = [UInt8](repeating: 0, count: 16)
        var counter: UInt64 = 0
        var tag = [UInt8](repeating: 0, count: 16)

        static let hole = Reference(position: 0)

        var bytes: [UInt8] { bigEndian(position, 8) + salt + bigEndian(counter, 8) + tag }
    }

    private static let identifier = [UInt8](repeating: 7, count: 16)
    private static let salt = [UInt8](repeating: 9, count: 16)

    private(set) var disk = [UInt8](repeating: 0, count: 2 * Sample.block)
    private let cipher: BlockCipher
    private var counter: UInt64 = 0

    init() {
        let blocks = HMACSHA256.secret(over: Array("latchkey protected file 1: blocks".utf8), key: Sample.key)
        let session = HMACSHA256.secret(over: Self.salt + Self.identifier, key: blocks)
        cipher = BlockCipher(key: session, direction: .sealing)
    }

    /// Seals a block or node at the end of the disk.
    mutating func seal(_ plain: [UInt8], level: Int) -> Reference {
        var output = [UInt8](repeating: 0, count: Sample.block)
        var reference = Reference(position: UInt64(disk.count / Sample.block), salt: Self.salt, counter: counter)
        plain.withUnsafeBytes { plain in
            output.withUnsafeMutableBytes { output in
                reference.tag.withUnsafeMutableBytes { tag in
                    cipher.seal(
                        plain, nonce: .init(counter: counter, purpose: UInt32(level)), into: output, tag: tag)
                }
            }
        }
        counter += 1
        disk += output
        return reference
    }

    mutating func node(_ references: [Reference], level: Int) -> Reference {
        let bytes = references.flatMap(\.bytes)
        return seal(bytes + [UInt8](repeating: 0, count: Sample.block - bytes.count), level: level)
    }

    /// Writes a settled header.
    mutating func header(
        copy: Int = 0, generation: UInt64 = 5, length: Int, extent: UInt64, depth: UInt8, root: Reference
    ) {
        var bytes = Array("LKPF".utf8) + bigEndian(1, 4) + bigEndian(generation, 8) + Self.identifier
        bytes += bigEndian(UInt64(length), 8) + bigEndian(extent, 8) + root.bytes + [depth, 4, 1, 0] + bigEndian(3, 2)
        bytes += [UInt8](repeating: 0, count: 120 - bytes.count) + [1, 2, 3]
        bytes += [UInt8](repeating: 0, count: 2000 - bytes.count)
        bytes += sha256(bytes).prefix(16)
        let key = HMACSHA256.secret(over: Array("latchkey protected file 1: header".utf8), key: Sample.key)
        bytes += HMACSHA256.code(over: bytes, key: key)
        disk.replaceSubrange(copy * Sample.block..<copy * Sample.block + 2048, with: bytes)
    }
}

private func bigEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
}
