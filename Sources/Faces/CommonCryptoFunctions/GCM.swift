import CLatchkeyLibcrypto
import CLatchkeyShims
import CommonCrypto

/// AES-GCM in steps.
@safe struct GCMEngine {
    /// The next possible steps.
    private enum Step: Int, Comparable {
        case vector, associated, text, nothing

        static func < (one: Step, other: Step) -> Bool { one.rawValue < other.rawValue }
    }

    static let tagByteCount = 16
    static let shortestTag = 8
    static let shortestVector = 12

    /// The longest IV that libcrypto's cipher accepts.
    private static let longestVector = 128

    private let context: OpaquePointer
    /// GCM for other IVs; `isComposed` says that the current message has one.
    private let blocks: GCMBlocks
    private var isComposed = false
    private let direction: Int32
    private var step = Step.vector

    /// - Parameter key: 16, 24 or 32 bytes.
    init(key: UnsafeRawPointer, keyByteCount: Int, isEncrypting: Bool) throws(CryptorRefusal) {
        let cipher = unsafe AESCipher.fetched(.gcm, keyByteCount: keyByteCount)
        guard let cipher = unsafe cipher, let context = unsafe EVP_CIPHER_CTX_new() else {
            throw CryptorRefusal(.memory)
        }
        guard let blocks = unsafe GCMBlocks(key: key, keyByteCount: keyByteCount) else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw CryptorRefusal(.memory)
        }
        unsafe self.context = unsafe context
        self.blocks = blocks
        direction = isEncrypting ? 1 : 0
        guard
            unsafe EVP_CipherInit_ex2(
                context, cipher, key.assumingMemoryBound(to: UInt8.self), nil, direction, nil) == 1
        else {
            blocks.release()
            unsafe EVP_CIPHER_CTX_free(context)
            throw CryptorRefusal(.memory)
        }
    }

    var isEncrypting: Bool { direction == 1 }

    func release() {
        blocks.release()
        unsafe EVP_CIPHER_CTX_free(context)
    }

    /// Returns to the step where an IV is expected.
    mutating func reset() {
        step = .vector
    }

    /// Starts with an IV of any length; an empty one is for legacy programs, and never to be used twice with a key.
    mutating func start(_ iv: UnsafeRawPointer?, _ count: Int) -> CCCryptorStatus {
        guard step == .vector else { return .callSequence }
        guard (0...Cryptor.longestPiece).contains(count), unsafe count == 0 || iv != nil else { return .parameter }
        isComposed = count == 0 || count > Self.longestVector
        if isComposed {
            unsafe blocks.start(iv, count)
        } else {
            guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(count), nil) == 1,
                unsafe EVP_CipherInit_ex2(
                    context, nil, nil, iv?.assumingMemoryBound(to: UInt8.self), direction, nil) == 1
            else { return refused() }
        }
        step = .associated
        return .success
    }

    mutating func authenticate(_ data: UnsafeRawPointer?, _ count: Int) -> CCCryptorStatus {
        guard step == .associated else { return .callSequence }
        guard count != 0 else { return .success }
        guard let data = unsafe data, (0...Cryptor.longestPiece).contains(count) else { return .parameter }
        return unsafe pass(data, nil, count)
    }

    /// The output may be the input's own memory, or overlap it.
    mutating func update(
        _ input: UnsafeRawPointer?, _ output: UnsafeMutableRawPointer?, _ count: Int
    ) -> CCCryptorStatus {
        guard step == .associated || step == .text else { return .callSequence }
        guard (0...Cryptor.longestPiece).contains(count) else { return .parameter }
        step = .text
        guard count > 0 else { return .success }
        guard var input = unsafe input, let output = unsafe output else { return .parameter }
        if unsafe overlaps(input, output, count) {
            unsafe output.copyMemory(from: input, byteCount: count)
            unsafe input = UnsafeRawPointer(output)
        }
        return unsafe pass(input, output, count)
    }

    /// Computes the tag of the message and ends it.
    /// - Parameter tag: room for 16 bytes.
    mutating func finish(_ tag: UnsafeMutableRawPointer) -> CCCryptorStatus {
        guard step == .associated || step == .text else { return .callSequence }
        step = .nothing
        guard !isComposed else {
            unsafe blocks.finish(tag)
            return .success
        }
        var count: Int32 = 0
        let bytes = unsafe tag.assumingMemoryBound(to: UInt8.self)
        // A context that decrypts only compares tags. Switched to encrypting at this point, it returns the tag: that is
        // over ciphertext, which has already been processed.
        guard unsafe isEncrypting || EVP_CipherInit_ex2(context, nil, nil, nil, 1, nil) == 1,
            unsafe EVP_CipherFinal_ex(context, bytes, &count) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagByteCount), tag) == 1
        else { return refused() }
        return .success
    }

    /// Passes the bytes on in pieces, because libcrypto counts in 32 bits. Without an output they are associated data.
    private func pass(
        _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer?, _ count: Int
    ) -> CCCryptorStatus {
        guard !isComposed else {
            let isDone =
                unsafe output.map { unsafe blocks.update(input, $0, count, isEncrypting: isEncrypting) }
                ?? blocks.authenticate(input, count)
            return isDone ? .success : .parameter
        }
        var done = 0
        while done < count {
            let step = min(count - done, 1 << 30)
            var given: Int32 = 0
            let to = unsafe output.map { unsafe ($0 + done).assumingMemoryBound(to: UInt8.self) }
            let from = unsafe (input + done).assumingMemoryBound(to: UInt8.self)
            guard unsafe EVP_CipherUpdate(context, to, &given, from, Int32(step)) == 1 else { return refused() }
            done += step
        }
        return .success
    }

    /// Refuses a message beyond GCM's limit. libcrypto's report stays among the caller's errors: removing only that
    /// would require a mark before each call.
    private func refused() -> CCCryptorStatus {
        .parameter
    }
}
