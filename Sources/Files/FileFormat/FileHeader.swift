internal import LatchkeyCryptoSuite
internal import LatchkeySecretMemory

/// The values of one header copy. `Docs/Formats/protected-file.md` has the bytes.
package struct FileHeader: Sendable, Equatable {
    package static let version: UInt32 = 1
    /// 128 TiB.
    package static let maximumLength: UInt64 = 1 << 47
    static let maximumExtent: UInt64 = 1 << 37
    /// All generations are below.
    static let generationLimit: UInt64 = 1 << 62
    package static let maximumWrappedKeyByteCount = 1024
    static let identifierByteCount = 16
    /// Both copies stand at the beginning of the backing, one in each of the first two blocks.
    static let copyCount = 2
    static let recordByteCount = 2048

    var generation: UInt64
    /// True if everything below was durable before this header was written. If not, it was never acknowledged as
    /// durable, and power loss may leave it without its blocks.
    var isSettled: Bool
    package var identifier: [UInt8]
    package var length: UInt64
    /// All positions of the tree are below; in blocks of the backing.
    var extent: UInt64
    var depth: Int
    var root: BlockReference
    package var protectionClass: UInt8
    package var wrappedKey: [UInt8]
    /// Nil for a file that belongs to no database.
    package var tie: FileTie?

    /// True if both are wrapped in the same way.
    func hasSameProtection(as other: FileHeader) -> Bool {
        protectionClass == other.protectionClass && wrappedKey == other.wrappedKey
    }
}

/// A header copy as it was found, before a key is known.
enum HeaderCopy: Sendable, Equatable {
    /// Only zeros: never written.
    case blank
    /// Neither blank nor complete: torn by a loss of power, damaged, or of another format.
    case incomplete
    case newerVersion(UInt32)
    /// Complete by its checksum. `isAuthentic` has to be asked with the key.
    case complete(FileHeader, record: [UInt8])

    var header: FileHeader? {
        if case .complete(let header, _) = self { header } else { nil }
    }
}

extension FileHeader {
    static let magic = Array("LKPF".utf8)
    private static let tieOffset = 102
    private static let wrappedKeyOffset = 120
    private static let checksumOffset = 2000
    private static let codeOffset = 2016

    /// Encodes one block of the backing.
    func encoded(key: SecretBox) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(TreeShape.blockByteCount)
        bytes += Self.magic + Self.bigEndian(UInt64(Self.version), 4)
        bytes += Self.bigEndian(generation, 8) + identifier + Self.bigEndian(length, 8) + Self.bigEndian(extent, 8)
        bytes += unsafe [UInt8](unsafeUninitializedCapacity: BlockReference.byteCount) { buffer, count in
            unsafe root.write(to: UnsafeMutableRawBufferPointer(buffer))
            count = BlockReference.byteCount
        }
        bytes += [UInt8(depth), protectionClass, isSettled ? 1 : 0, tie?.role.rawValue ?? 0]
        bytes += Self.bigEndian(UInt64(wrappedKey.count), 2) + (tie?.database ?? [])
        bytes += repeatElement(0, count: Self.wrappedKeyOffset - bytes.count)
        bytes += wrappedKey
        bytes += repeatElement(0, count: Self.checksumOffset - bytes.count)
        bytes += sha256(bytes).prefix(Self.codeOffset - Self.checksumOffset)
        bytes += HMACSHA256.code(over: bytes, key: key)
        bytes += repeatElement(0, count: TreeShape.blockByteCount - bytes.count)
        return bytes
    }

    /// Returns true if a record of 2048 bytes was written by a holder of the key.
    static func isAuthentic(_ record: [UInt8], key: SecretBox) -> Bool {
        HMACSHA256.isCode(Array(record[codeOffset...]), over: Array(record[..<codeOffset]), key: key)
    }

    /// Parses a record of 2048 bytes.
    static func parse(_ record: [UInt8]) -> HeaderCopy {
        guard record.count == recordByteCount, record.contains(where: { $0 != 0 }) else {
            return record.count == recordByteCount ? .blank : .incomplete
        }
        guard Array(record[..<4]) == magic else { return .incomplete }
        let version = UInt32(number(record[4..<8]))
        let checksum = sha256(Array(record[..<checksumOffset])).prefix(codeOffset - checksumOffset)
        // All versions have magic, version and checksum in these places.
        guard version > 0, checksum.elementsEqual(record[checksumOffset..<codeOffset]) else { return .incomplete }
        guard version == Self.version else { return .newerVersion(version) }
        let root = unsafe record.withUnsafeBytes { bytes in
            unsafe BlockReference(UnsafeRawBufferPointer(rebasing: bytes[48..<96]))
        }
        let header = FileHeader(
            generation: number(record[8..<16]), isSettled: record[98] & 1 == 1, identifier: Array(record[16..<32]),
            length: number(record[32..<40]), extent: number(record[40..<48]), depth: Int(record[96]), root: root,
            protectionClass: record[97], wrappedKey: [])
        let keyCount = Int(number(record[100..<102]))
        guard header.isPlausible, record[98] <= 1, keyCount <= maximumWrappedKeyByteCount else { return .incomplete }
        var whole = header
        whole.wrappedKey = Array(record[wrappedKeyOffset..<wrappedKeyOffset + keyCount])
        // A role that this version does not know is not its database's.
        whole.tie = FileTie([record[99]] + record[tieOffset..<tieOffset + identifierByteCount])
        return .complete(whole, record: record)
    }

    /// Limits that keep all later arithmetic within 64 bits, and descents short.
    var isPlausible: Bool {
        generation < Self.generationLimit && length <= Self.maximumLength && extent >= UInt64(Self.copyCount)
            && extent <= Self.maximumExtent
            && depth <= TreeShape.maximumDepth && (root.isHole || root.position < extent)
    }

    private static func bigEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
