import CLatchkeyLibcrypto
import CLatchkeyShims

/// The digests that libcrypto computes without an object on the heap, over contexts that the caller provides.
///
/// Its newer interface keeps a digest's state behind a pointer, which a context that is copied by assignment and never
/// released cannot have. So the older functions are called, which work on plain structs.
enum Digest: UInt32, CaseIterable {
    case md4, md5, ripemd160, sha1, sha224, sha256, sha384, sha512

    /// Room for the running state of every digest.
    static let stateByteCount = 216
    static let longestBlock = 128
    static let longestDigest = 64
    static let longestChain = 80

    /// The name of the digest in libcrypto.
    var name: StaticString {
        switch self {
        case .md4: "MD4"
        case .md5: "MD5"
        case .ripemd160: "RIPEMD160"
        case .sha1: "SHA1"
        case .sha224: "SHA2-224"
        case .sha256: "SHA2-256"
        case .sha384: "SHA2-384"
        case .sha512: "SHA2-512"
        }
    }

    var byteCount: Int {
        switch self {
        case .md4, .md5: 16
        case .ripemd160, .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    var blockByteCount: Int {
        switch self {
        case .md4, .md5, .ripemd160, .sha1, .sha224, .sha256: 64
        case .sha384, .sha512: 128
        }
    }

    /// The number of bytes at the start of a running state that describe all whole blocks so far.
    var chainByteCount: Int {
        switch self {
        case .md4, .md5: 16 + 8
        case .ripemd160, .sha1: 20 + 8
        case .sha224, .sha256: 32 + 8
        case .sha384, .sha512: 64 + 16
        }
    }

    /// - Parameter state: ``stateByteCount`` bytes, aligned to 8.
    func start(_ state: UnsafeMutableRawPointer) {
        switch self {
        case .md4: unsafe MD4_Init(state.assumingMemoryBound(to: MD4_CTX.self))
        case .md5: unsafe MD5_Init(state.assumingMemoryBound(to: MD5_CTX.self))
        case .ripemd160: unsafe RIPEMD160_Init(state.assumingMemoryBound(to: RIPEMD160_CTX.self))
        case .sha1: unsafe SHA1_Init(state.assumingMemoryBound(to: SHA_CTX.self))
        case .sha224: unsafe SHA224_Init(state.assumingMemoryBound(to: SHA256_CTX.self))
        case .sha256: unsafe SHA256_Init(state.assumingMemoryBound(to: SHA256_CTX.self))
        case .sha384: unsafe SHA384_Init(state.assumingMemoryBound(to: SHA512_CTX.self))
        case .sha512: unsafe SHA512_Init(state.assumingMemoryBound(to: SHA512_CTX.self))
        }
    }

    func update(_ state: UnsafeMutableRawPointer, _ bytes: UnsafeRawPointer?, _ count: Int) {
        guard count > 0 else { return }
        switch self {
        case .md4: unsafe MD4_Update(state.assumingMemoryBound(to: MD4_CTX.self), bytes, count)
        case .md5: unsafe MD5_Update(state.assumingMemoryBound(to: MD5_CTX.self), bytes, count)
        case .ripemd160: unsafe RIPEMD160_Update(state.assumingMemoryBound(to: RIPEMD160_CTX.self), bytes, count)
        case .sha1: unsafe SHA1_Update(state.assumingMemoryBound(to: SHA_CTX.self), bytes, count)
        case .sha224: unsafe SHA224_Update(state.assumingMemoryBound(to: SHA256_CTX.self), bytes, count)
        case .sha256: unsafe SHA256_Update(state.assumingMemoryBound(to: SHA256_CTX.self), bytes, count)
        case .sha384: unsafe SHA384_Update(state.assumingMemoryBound(to: SHA512_CTX.self), bytes, count)
        case .sha512: unsafe SHA512_Update(state.assumingMemoryBound(to: SHA512_CTX.self), bytes, count)
        }
    }

    /// Writes ``byteCount`` bytes.
    func finish(_ state: UnsafeMutableRawPointer, into output: UnsafeMutableRawPointer) {
        let output = unsafe output.assumingMemoryBound(to: UInt8.self)
        switch self {
        case .md4: unsafe MD4_Final(output, state.assumingMemoryBound(to: MD4_CTX.self))
        case .md5: unsafe MD5_Final(output, state.assumingMemoryBound(to: MD5_CTX.self))
        case .ripemd160: unsafe RIPEMD160_Final(output, state.assumingMemoryBound(to: RIPEMD160_CTX.self))
        case .sha1: unsafe SHA1_Final(output, state.assumingMemoryBound(to: SHA_CTX.self))
        case .sha224: unsafe SHA224_Final(output, state.assumingMemoryBound(to: SHA256_CTX.self))
        case .sha256: unsafe SHA256_Final(output, state.assumingMemoryBound(to: SHA256_CTX.self))
        case .sha384: unsafe SHA384_Final(output, state.assumingMemoryBound(to: SHA512_CTX.self))
        case .sha512: unsafe SHA512_Final(output, state.assumingMemoryBound(to: SHA512_CTX.self))
        }
    }

    /// Computes the digest of a complete message; nil if Apple's one-shot functions would refuse.
    func digest(
        _ data: UnsafeRawPointer?, _ count: Int, _ md: UnsafeMutablePointer<UInt8>?
    ) -> UnsafeMutablePointer<UInt8>? {
        guard let md = unsafe md, unsafe data != nil || count == 0 else { return nil }
        unsafe Self.withState { state in
            unsafe start(state)
            unsafe update(state, data, count)
            unsafe finish(state, into: md)
        }
        return unsafe md
    }

    /// Calls `body` with room for the state of any digest, and wipes it afterwards.
    static func withState<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
        unsafe withUnsafeTemporaryAllocation(byteCount: stateByteCount, alignment: 8) { state in
            // The requested size is not 0, so there is a first byte.
            let state = unsafe state.baseAddress.unsafelyUnwrapped
            defer { unsafe lk_wipe(state, stateByteCount) }
            return unsafe body(state)
        }
    }
}
