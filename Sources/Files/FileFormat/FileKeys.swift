internal import LatchkeyCryptoSuite
internal import LatchkeySecretMemory

/// The keys of one opening: the header's key, a fresh key for sealing, and those of earlier sessions for opening
/// blocks.
///
/// Every opening seals under a key of its own, derived from a random salt, and counts the blocks: no nonce is used
/// twice under one key. All keys are wiped when this object is released.
final class FileKeys {
    private typealias Session = (salt: SessionSalt, cipher: FileCipher, counter: UInt64, process: ProcessMark)

    let header: SecretBox
    private let blocks: SecretBox
    private let identifier: [UInt8]
    private let entropy: any Entropy

    private var sealing: Session?
    private var ownSalts: Set<SessionSalt> = []
    private var opening: [SessionSalt: FileCipher] = [:]
    /// The number of ciphers that were made to open blocks.
    private(set) var derivedCount = 0
    private var latest: (salt: SessionSalt, cipher: FileCipher)?

    /// Ciphers of so many sessions are kept; each is about 1 KiB.
    private static let openingLimit = 16
    /// A session that sealed so many blocks is followed by another.
    private static let sessionBlockLimit: UInt64 = 1 << 32

    init(fileKey: SecretBox, identifier: [UInt8], entropy: any Entropy) {
        header = Self.headerKey(fileKey)
        blocks = HMACSHA256.secret(over: Array("latchkey protected file 1: blocks".utf8), key: fileKey)
        self.identifier = identifier
        self.entropy = entropy
    }

    static func headerKey(_ fileKey: SecretBox) -> SecretBox {
        HMACSHA256.secret(over: Array("latchkey protected file 1: header".utf8), key: fileKey)
    }

    /// Derives the key for sealing now, and not with the first block.
    func beginSession() {
        if sealing == nil { sealing = newSession() }
    }

    /// Encrypts a block of 4096 bytes and returns the reference to it.
    func seal(
        _ block: UnsafeRawBufferPointer, level: Int, position: UInt64, into output: UnsafeMutableRawBufferPointer
    ) -> BlockReference {
        var session = sealing ?? newSession()
        // A forked child has the parent's cipher and counter, and must not go on with them. It has no key for another session: its
        // first one ends the process.
        if session.counter >= Self.sessionBlockLimit || session.process != .current { session = newSession() }
        sealing = (session.salt, session.cipher, session.counter + 1, session.process)
        var tag = BlockTag()
        unsafe withUnsafeMutableBytes(of: &tag) { tag in
            unsafe session.cipher.seal(
                block, nonce: .init(counter: session.counter, purpose: UInt32(level)), into: output, tag: tag)
        }
        return BlockReference(position: position, salt: session.salt, counter: session.counter, tag: tag)
    }

    /// Returns true if the salt is of a session of this opening.
    func hasSealed(under salt: SessionSalt) -> Bool {
        sealing?.salt == salt || ownSalts.contains(salt)
    }

    /// Decrypts a block of 4096 bytes, in place if input and output are the same.
    ///
    /// - Returns: false, with the output wiped, if the bytes are not those that the reference means.
    func open(
        _ block: UnsafeRawBufferPointer, level: Int, reference: BlockReference,
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let nonce = FileCipher.Nonce(counter: reference.counter, purpose: UInt32(level))
        let cipher = cipher(for: reference.salt)
        var tag = reference.tag
        return unsafe withUnsafeBytes(of: &tag) { unsafe cipher.open(block, nonce: nonce, tag: $0, into: output) }
    }

    private func newSession() -> Session {
        let bytes = entropy.bytes(SessionSalt.byteCount)
        let words = bytes.indices.reduce(into: (UInt64(0), UInt64(0))) { words, index in
            if index < 8 { words.0 = words.0 << 8 | UInt64(bytes[index]) }
            if index >= 8 { words.1 = words.1 << 8 | UInt64(bytes[index]) }
        }
        let salt = SessionSalt(high: words.0, low: words.1)
        ownSalts.insert(salt)
        return (salt, FileCipher(key: sessionKey(salt), direction: .sealing), 0, .current)
    }

    private func cipher(for salt: SessionSalt) -> FileCipher {
        if let latest, latest.salt == salt { return latest.cipher }
        if let cipher = opening[salt] {
            latest = (salt, cipher)
            return cipher
        }
        let cipher = FileCipher(key: sessionKey(salt), direction: .opening)
        derivedCount += 1
        if opening.count >= Self.openingLimit { opening.removeAll(keepingCapacity: true) }
        opening[salt] = cipher
        latest = (salt, cipher)
        return cipher
    }

    private func sessionKey(_ salt: SessionSalt) -> SecretBox {
        HMACSHA256.secret(over: salt.bytes + identifier, key: blocks)
    }
}
