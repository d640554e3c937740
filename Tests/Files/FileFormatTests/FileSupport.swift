import Foundation
import LatchkeyCryptoSuite
import LatchkeyFileFormat
import LatchkeySecretMemory
import LatchkeyTestSupport
import Synchronization

/// Random bytes that are the same in every run.
final class SeededEntropy: Entropy {
    private let random: Mutex<SplitMix>

    init(seed: UInt64) {
        random = Mutex(SplitMix(seed: seed))
    }

    func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        random.withLock { random in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        }
    }
}

enum Sample {
    static let block = 4096
    static let key = SecretBox(copying: [UInt8](1...32))
    static let otherKey = SecretBox(copying: [UInt8](2...33))
    static let strict = [UInt8](repeating: 0xA5, count: 40)
    static let weak = [UInt8](repeating: 0xD7, count: 40)

    static func file(in backing: any Backing, limit: ProtectedFile.MemoryLimit = .init()) throws -> ProtectedFile {
        try ProtectedFile.create(
            in: backing, fileKey: key, protectionClass: 4, wrappedKey: weak, limit: limit,
            entropy: SeededEntropy(seed: 1))
    }

    static func bytes(_ count: Int, seed: UInt64 = 7) -> [UInt8] {
        var random = SplitMix(seed: seed)
        return [UInt8](unsafeUninitializedCapacity: count + 8) { buffer, initialized in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            for start in stride(from: 0, to: count, by: 8) {
                bytes.storeBytes(of: random.next(), toByteOffset: start, as: UInt64.self)
            }
            initialized = count
        }
    }

    /// A small limit, so that blocks and nodes are written out often.
    static let tight: ProtectedFile.MemoryLimit = {
        var limit = ProtectedFile.MemoryLimit()
        limit.blocks = 3
        limit.logBlocks = 3
        limit.nodes = 16
        return limit
    }()
}

extension ProtectedFile {
    func bytes(at offset: UInt64, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: count)
        let read = try bytes.withUnsafeMutableBytes { try self.read(at: offset, into: $0) }
        return Array(bytes.prefix(read))
    }

    var contents: [UInt8] { get throws { try bytes(at: 0, count: Int(size)) } }

    func write(_ bytes: [UInt8], at offset: UInt64) throws {
        try bytes.withUnsafeBytes { try write(at: offset, from: $0) }
    }

    static func opened(
        _ backing: any Backing, access: Access = .readWrite, limit: MemoryLimit = .init()
    ) throws -> ProtectedFile {
        try open(backing, fileKey: Sample.key, access: access, limit: limit)
    }
}

extension FaultyBacking {
    /// True if the bytes occur anywhere on the disk.
    func contains(_ bytes: [UInt8]) -> Bool {
        // Foundation's search is fast in a debug build as well.
        Data(cached).range(of: Data(bytes)) != nil
    }
}
