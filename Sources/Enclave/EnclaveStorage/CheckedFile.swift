import LatchkeyCryptoSuite
import LatchkeySecretMemory

/// The frame of a file of the root of trust: magic (4) || version (u32 BE) || content || check (32).
struct CheckedFile: Sendable {
    static let version: UInt8 = 1
    static let headerByteCount = 8
    static let checkByteCount = 32

    let magic: String
    /// The key of an HMAC-SHA256 check. Nil if the check is a plain SHA-256, which detects only accidents.
    let key: SecretBox?

    func bytes(content: SecretBox) -> SecretBox {
        let header = Self.header(magic: magic)
        let framedByteCount = header.count + content.count
        return unsafe SecretBox(count: framedByteCount + Self.checkByteCount) { bytes in
            unsafe bytes.copyBytes(from: header)
            unsafe content.withBytes {
                unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[header.count...]).copyMemory(from: $0)
            }
            let check = unsafe check(over: UnsafeRawBufferPointer(rebasing: bytes[..<framedByteCount]))
            unsafe check.withBytes {
                unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[framedByteCount...]).copyMemory(from: $0)
            }
        }
    }

    /// Returns the content of an unchecked file.
    func content(of file: SecretBox, path: String) throws(StorageFailure) -> SecretBox {
        guard file.count >= Self.headerByteCount + Self.checkByteCount else {
            throw .damaged(path: path, what: "it is cut off after \(file.count) bytes")
        }
        try Self.checkHeader(of: file, magic: magic, path: path)
        return try unsafe file.withBytes { bytes throws(StorageFailure) in
            let framed = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropLast(Self.checkByteCount))
            let found = unsafe SecretBox(copying: UnsafeRawBufferPointer(rebasing: bytes.suffix(Self.checkByteCount)))
            guard unsafe check(over: framed).equals(found) else {
                throw .damaged(path: path, what: "its check value does not match its content")
            }
            return unsafe SecretBox(copying: UnsafeRawBufferPointer(rebasing: framed[Self.headerByteCount...]))
        }
    }

    static func header(magic: String) -> [UInt8] {
        Array(magic.utf8) + [0, 0, 0, version]
    }

    static func checkHeader(of file: SecretBox, magic: String, path: String) throws(StorageFailure) {
        guard file.count >= headerByteCount else {
            throw .damaged(path: path, what: "it is cut off after \(file.count) bytes")
        }
        guard unsafe file.withBytes({ unsafe $0.starts(with: magic.utf8) }) else {
            throw .damaged(path: path, what: "it does not begin with \(magic)")
        }
        guard unsafe file.withBytes({ unsafe $0.starts(with: header(magic: magic)) }) else {
            let found = unsafe file.withBytes { bytes in
                unsafe bytes[magic.utf8.count..<headerByteCount].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
            // Zero was never a version.
            guard found > UInt32(version) else { throw .damaged(path: path, what: "its format version is \(found)") }
            throw .newerVersion(path: path, version: found)
        }
    }

    private func check(over bytes: UnsafeRawBufferPointer) -> SecretBox {
        if let key { return unsafe HMACSHA256.secret(over: bytes, key: key) }
        var digest = RunningDigest(.sha256)
        unsafe digest.update(bytes)
        return digest.finishSecret()
    }
}
