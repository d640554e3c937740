import CLatchkeyShims
import CommonCrypto
import LatchkeyCryptoMisuse

/// A running HMAC of RFC 2104.
///
/// Callers keep it in a `CCHmacContext`, where nothing is aligned: the functions work on a copy, which is wiped.
@safe struct MessageAuthentication {
    // A state consists of the mark, the digest, the inner digest past the block of the key, and, of the outer digest
    // past its block, the part that depends on the key.
    private static let digestOffset = 4
    private static let innerOffset = 8
    private static let outerOffset = innerOffset + Digest.stateByteCount
    private static let byteCount = outerOffset + Digest.longestChain

    /// The mark of a context that was initialised and has had no error since.
    private static let sound: UInt32 = 0x484D_4143

    private let bytes: UnsafeMutableRawPointer

    /// Calls `body` with room for a state that is not initialised yet, and wipes it afterwards.
    static func withState(_ body: (MessageAuthentication) -> Void) {
        unsafe withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { scratch in
            // The requested size is not 0, so there is a first byte.
            let start = unsafe scratch.baseAddress.unsafelyUnwrapped
            unsafe start.storeBytes(of: 0, as: UInt32.self)
            body(unsafe MessageAuthentication(bytes: start))
            unsafe lk_wipe(start, byteCount)
        }
    }

    func load(from context: UnsafeMutablePointer<CCHmacContext>) {
        unsafe bytes.copyMemory(from: context, byteCount: Self.byteCount)
    }

    func store(in context: UnsafeMutablePointer<CCHmacContext>) {
        unsafe UnsafeMutableRawPointer(context).copyMemory(from: bytes, byteCount: Self.byteCount)
    }

    /// The digest of an initialised state.
    var digest: Digest? {
        guard unsafe bytes.load(as: UInt32.self) == Self.sound else { return nil }
        return unsafe Digest(rawValue: bytes.load(fromByteOffset: Self.digestOffset, as: UInt32.self))
    }

    private func spoil() {
        unsafe bytes.storeBytes(of: 0, as: UInt32.self)
    }

    func start(_ digest: Digest?, key: UnsafeRawPointer?, _ keyByteCount: Int) {
        unsafe lk_wipe(bytes, Self.byteCount)
        guard let digest, keyByteCount >= 0, unsafe key != nil || keyByteCount == 0 else { return }
        unsafe bytes.storeBytes(of: Self.sound, as: UInt32.self)
        unsafe bytes.storeBytes(of: digest.rawValue, toByteOffset: Self.digestOffset, as: UInt32.self)
        let inner = unsafe bytes + Self.innerOffset
        unsafe withUnsafeTemporaryAllocation(byteCount: Digest.longestBlock, alignment: 8) { block in
            let start = unsafe block.baseAddress.unsafelyUnwrapped
            unsafe block.initializeMemory(as: UInt8.self, repeating: 0)
            if keyByteCount > digest.blockByteCount {
                unsafe digest.start(inner)
                unsafe digest.update(inner, key, keyByteCount)
                unsafe digest.finish(inner, into: start)
            } else if let key = unsafe key {
                unsafe start.copyMemory(from: key, byteCount: keyByteCount)
            }
            for index in 0..<digest.blockByteCount { unsafe block[index] ^= 0x5C }
            unsafe digest.start(inner)
            unsafe digest.update(inner, start, digest.blockByteCount)
            unsafe (bytes + Self.outerOffset).copyMemory(from: inner, byteCount: Digest.longestChain)
            for index in 0..<digest.blockByteCount { unsafe block[index] ^= 0x5C ^ 0x36 }
            unsafe digest.start(inner)
            unsafe digest.update(inner, start, digest.blockByteCount)
            unsafe lk_wipe(start, Digest.longestBlock)
        }
    }

    /// - Parameter context: the address that tells this code from others for the observer.
    func update(_ data: UnsafeRawPointer?, _ count: Int, context: UnsafeRawPointer) {
        guard count != 0, let digest else { return }
        guard count > 0, let data = unsafe data else {
            spoil()
            return
        }
        unsafe digest.update(bytes + Self.innerOffset, data, count)
        if CryptoWatch.isOn {
            unsafe CryptoWatch.authenticates(UnsafeRawBufferPointer(start: data, count: count), context: context)
        }
    }

    /// Writes the code of an initialised state, and nothing for another.
    func finish(into output: UnsafeMutableRawPointer, context: UnsafeRawPointer) {
        guard let digest else { return }
        let state = unsafe bytes + Self.innerOffset
        unsafe withUnsafeTemporaryAllocation(byteCount: Digest.longestDigest, alignment: 8) { inner in
            let start = unsafe inner.baseAddress.unsafelyUnwrapped
            unsafe digest.finish(state, into: start)
            unsafe digest.start(state)
            unsafe state.copyMemory(from: bytes + Self.outerOffset, byteCount: digest.chainByteCount)
            unsafe digest.update(state, start, digest.byteCount)
            unsafe lk_wipe(start, Digest.longestDigest)
        }
        unsafe digest.finish(state, into: output)
        if CryptoWatch.isOn {
            unsafe CryptoWatch.authenticated(
                UnsafeRawBufferPointer(start: output, count: digest.byteCount), context: context)
        }
    }

    /// Reports the key of a code to the watch of the process.
    static func tell(key: UnsafeRawPointer?, _ byteCount: Int) {
        guard CryptoWatch.isOn, let key = unsafe key, byteCount > 0 else { return }
        unsafe CryptoWatch.codeStarts(key: UnsafeRawBufferPointer(start: key, count: byteCount))
    }

    /// Computes a code in one call.
    static func code(
        _ digest: Digest?, _ key: UnsafeRawPointer?, _ keyByteCount: Int, _ data: UnsafeRawPointer?, _ byteCount: Int,
        into output: UnsafeMutableRawPointer?
    ) {
        guard let output = unsafe output else { return }
        unsafe tell(key: key, keyByteCount)
        withState { state in
            unsafe state.start(digest, key: key, keyByteCount)
            unsafe state.update(data, byteCount, context: state.bytes)
            unsafe state.finish(into: output, context: state.bytes)
        }
    }
}
