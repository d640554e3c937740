import Glibc
import LatchkeyCryptoSuite
import LatchkeyEncoding
package import LatchkeyFileAccess
package import LatchkeySecretMemory

/// Authenticates a payload as it is stored. The format of others has nothing of the kind; readers of others ignore it.
enum PayloadTag {
    /// Of a file without a key, the tag shows damage and no intent.
    private static let publicKey = SecretBox(copying: [UInt8](repeating: 0, count: 32))

    static func running(_ key: SecretBox?) -> RunningGMAC {
        RunningGMAC(
            key: HMACSHA256.secret(over: Array("latchkey backup payload".utf8), key: key ?? publicKey))
    }
}

/// Writes the payload of a file: as it is, or encrypted under the file's key.
package final class PayloadWriter {
    private let file: OwnedDescriptor
    private let path: String
    private let cipher: RunningCBC?
    private let tag: RunningGMAC
    private let buffer: SecretBuffer
    /// The bytes in the buffer that are not encrypted yet.
    private var filled = 0
    private var position: UInt64 = 0
    package private(set) var size: UInt64 = 0

    private static let bufferByteCount: UInt64 = 1 << 18
    private static let smallBufferByteCount: UInt64 = 1 << 13

    /// - Parameters:
    ///   - key: nil for a backup that is not encrypted.
    ///   - path: for failures.
    ///   - expectedSize: of the content. Locked memory is costly, and most files are small.
    package init(_ file: OwnedDescriptor, path: String, key: SecretBox?, expectedSize: UInt64 = .max) {
        self.file = file
        let byteCount = min(Self.bufferByteCount, expectedSize / Self.smallBufferByteCount * Self.smallBufferByteCount)
        buffer = SecretBuffer(count: Int(max(Self.smallBufferByteCount, byteCount)))
        self.path = path
        cipher = key.map { RunningCBC(key: $0, encrypting: true) }
        tag = PayloadTag.running(key)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(BackupFailure) {
        size += UInt64(bytes.count)
        guard cipher != nil else { return try unsafe store(bytes) }
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            // A whole buffer is encrypted from where it lies.
            if filled == 0, unsafe rest.count >= buffer.count {
                try unsafe encrypt(UnsafeRawBufferPointer(rebasing: rest.prefix(buffer.count)))
                unsafe rest = rest.dropFirst(buffer.count)
                continue
            }
            let count = unsafe min(rest.count, buffer.count - filled)
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[filled...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            filled += count
            unsafe rest = rest.dropFirst(count)
            if filled == buffer.count { try encryptWholeBlocks() }
        }
    }

    package func write(_ bytes: [UInt8]) throws(BackupFailure) {
        try unsafe bytes.lend { (bytes) throws(BackupFailure) in try unsafe write(bytes) }
    }

    /// Ends the payload. It is not durable yet.
    ///
    /// - Returns: what authenticates it.
    package func finish() throws(BackupFailure) -> [UInt8] {
        if let cipher {
            try encryptWholeBlocks()
            let last = unsafe cipher.finish(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<filled]))
            try unsafe last.lend { (last) throws(BackupFailure) in try unsafe store(last) }
        }
        return tag.finish()
    }

    /// Encrypts whole blocks, at most as many as the buffer holds, and stores them.
    private func encrypt(_ blocks: UnsafeRawBufferPointer) throws(BackupFailure) {
        let target = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<blocks.count])
        unsafe cipher?.run(blocks, into: target)
        try unsafe store(UnsafeRawBufferPointer(target))
    }

    private func encryptWholeBlocks() throws(BackupFailure) {
        let whole = filled - filled % RunningCBC.blockByteCount
        try unsafe encrypt(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<whole]))
        let rest = filled - whole
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<rest]).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: buffer.bytes[whole..<filled]))
        filled = rest
    }

    private func store(_ bytes: UnsafeRawBufferPointer) throws(BackupFailure) {
        unsafe tag.update(bytes)
        do throws(AccessFailure) {
            try unsafe file.write(at: position, from: bytes)
        } catch {
            throw .system(path: path, errno: error.number)
        }
        position += UInt64(bytes.count)
    }
}

/// Reads the payload of a file.
package final class PayloadReader {
    private let file: OwnedDescriptor
    private let key: SecretBox?
    private let id: FileID
    private let storedCount: UInt64
    /// Of the content.
    package let size: UInt64

    private static let block = UInt64(RunningCBC.blockByteCount)

    /// - Parameter key: nil for a backup that is not encrypted.
    /// - Throws: ``BackupFailure/payloadDamaged(_:)`` if the last block has no padding: another key, or damage.
    package init(_ file: OwnedDescriptor, of id: FileID, key: SecretBox?) throws(BackupFailure) {
        self.file = file
        self.id = id
        self.key = key
        do throws(AccessFailure) {
            storedCount = UInt64(max(0, try file.status().st_size))
        } catch {
            throw .system(path: id.description, errno: error.number)
        }
        guard key != nil else {
            size = storedCount
            return
        }
        guard storedCount > 0, storedCount % Self.block == 0 else { throw .payloadDamaged(id) }
        let last = try Self.decrypted(file, id, key, storedCount - Self.block..<storedCount)
        let padding = unsafe last.withBytes { unsafe RunningCBC.padding(of: $0) }
        guard let padding else { throw .payloadDamaged(id) }
        size = storedCount - UInt64(padding)
    }

    /// Calls `body` with the content, piece by piece.
    ///
    /// - Parameters:
    ///   - tag: what the stored payload is compared with in the end; nil for payloads of others.
    /// - Throws: ``BackupFailure/payloadDamaged(_:)`` if it is not the payload that was stored: what `body` was given is then
    ///   not to be used.
    package func pieces(
        tag: [UInt8]?, _ body: (UnsafeRawBufferPointer) throws(BackupFailure) -> Void
    ) throws(BackupFailure) {
        let check = tag.map { PayloadTagCheck($0, key, id) }
        let cipher = key.map { RunningCBC(key: $0, encrypting: false) }
        var (stored, rest, isCompared) = (StoredPass(file, id, storedCount), size, false)
        let pieces = unsafe ReadAhead<BackupFailure>(expecting: storedCount) { bytes throws(BackupFailure) in
            let piece = try unsafe stored.next(into: bytes)
            unsafe check?.update(UnsafeRawBufferPointer(piece))
            unsafe cipher?.run(UnsafeRawBufferPointer(piece), into: piece)
            // The last piece is not given out before the tag was compared.
            if stored.isAtEnd, !isCompared {
                isCompared = true
                try check?.finish()
            }
            let useful = min(UInt64(piece.count), rest)
            rest -= useful
            return Int(useful)
        }
        defer { pieces.end() }
        while let piece = unsafe try pieces.next() { try unsafe body(piece) }
    }

    /// Reads the payload to its end, as it is stored, and compares it with its tag.
    ///
    /// - Parameters:
    ///   - tag: nil for payloads of others, which have nothing to compare.
    ///   - body: is told the bytes of content that were read.
    /// - Throws: ``BackupFailure/payloadDamaged(_:)`` if it is not the payload that was stored.
    package func check(
        tag: [UInt8]?, _ body: (Int) throws(BackupFailure) -> Void
    ) throws(BackupFailure) {
        let check = tag.map { PayloadTagCheck($0, key, id) }
        var (stored, rest) = (StoredPass(file, id, storedCount), size)
        let pieces = unsafe ReadAhead<BackupFailure>(expecting: storedCount) { bytes throws(BackupFailure) in
            try unsafe stored.next(into: bytes).count
        }
        defer { pieces.end() }
        while let piece = unsafe try pieces.next() {
            unsafe check?.update(piece)
            let useful = min(UInt64(piece.count), rest)
            rest -= useful
            try body(Int(useful))
        }
        try check?.finish()
    }

    /// The content of a range, wherever it is.
    package func content(_ range: Range<UInt64>) throws(BackupFailure) -> [UInt8] {
        guard range.upperBound <= size, !range.isEmpty else {
            if range.isEmpty { return [] }
            throw .payloadDamaged(id)
        }
        guard key != nil else {
            let buffer = SecretBuffer(count: range.count)
            guard try unsafe Self.read(file, id, at: range.lowerBound, into: buffer.bytes) == range.count else {
                throw .payloadDamaged(id)
            }
            return unsafe Array(buffer.bytes)
        }
        let start = range.lowerBound - range.lowerBound % Self.block
        let end = (range.upperBound + Self.block - 1) / Self.block * Self.block
        let opened = try Self.decrypted(file, id, key, start..<end)
        return unsafe opened.withBytes {
            unsafe Array($0[Int(range.lowerBound - start)..<Int(range.upperBound - start)])
        }
    }

    /// Decrypts whole blocks. The vector of a block is the block before it.
    private static func decrypted(
        _ file: OwnedDescriptor, _ id: FileID, _ key: SecretBox?, _ range: Range<UInt64>
    ) throws(BackupFailure) -> SecretBox {
        guard let key else { preconditionFailure("only payloads with a key are encrypted") }
        let before = range.lowerBound == 0 ? 0 : Int(block)
        let stored = SecretBuffer(count: range.count + before)
        guard try unsafe read(file, id, at: range.lowerBound - UInt64(before), into: stored.bytes) == stored.count
        else {
            throw .payloadDamaged(id)
        }
        let cipher = RunningCBC(key: key, encrypting: false)
        unsafe cipher.run(UnsafeRawBufferPointer(stored.bytes), into: stored.bytes)
        // The block before decrypts to nothing of use, and is left out.
        return unsafe SecretBox(copying: UnsafeRawBufferPointer(rebasing: stored.bytes[before...]))
    }

    fileprivate static func read(
        _ file: OwnedDescriptor, _ id: FileID, at position: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(BackupFailure) -> Int {
        do throws(AccessFailure) {
            return try unsafe file.read(at: position, into: bytes)
        } catch {
            throw .system(path: id.description, errno: error.number)
        }
    }
}

/// Compares a payload, as it is stored, with its tag.
private final class PayloadTagCheck {
    private let expected: [UInt8]
    private let running: RunningGMAC
    private let id: FileID

    init(_ expected: [UInt8], _ key: SecretBox?, _ id: FileID) {
        self.expected = expected
        self.id = id
        running = PayloadTag.running(key)
    }

    func update(_ stored: UnsafeRawBufferPointer) { unsafe running.update(stored) }

    func finish() throws(BackupFailure) {
        guard running.finish() == expected else { throw .payloadDamaged(id) }
    }
}

/// A pass over a payload as it is stored.
private struct StoredPass {
    private let file: OwnedDescriptor
    private let id: FileID
    private let end: UInt64
    private var position: UInt64 = 0

    init(_ file: OwnedDescriptor, _ id: FileID, _ end: UInt64) {
        self.file = file
        self.id = id
        self.end = end
    }

    var isAtEnd: Bool { position == end }

    /// Reads what comes next into the start of `bytes`, and returns that part; an empty one at the end.
    mutating func next(
        into bytes: UnsafeMutableRawBufferPointer
    ) throws(BackupFailure) -> UnsafeMutableRawBufferPointer {
        let wanted = Int(min(UInt64(bytes.count), end - position))
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted])
        guard wanted > 0 else { return unsafe room }
        guard try unsafe PayloadReader.read(file, id, at: position, into: room) == wanted else {
            throw .payloadDamaged(id)
        }
        position += UInt64(wanted)
        return unsafe room
    }
}
