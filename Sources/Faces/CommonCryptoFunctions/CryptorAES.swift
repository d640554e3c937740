import CLatchkeyLibcrypto

/// libcrypto's AES in each mode, looked up once per process.
enum AESCipher {
    private static let modes: [(CipherMode, String)] = [
        (.ecb, "ECB"), (.cbc, "CBC"), (.cfb, "CFB"), (.cfb8, "CFB8"), (.ctr, "CTR"), (.ofb, "OFB"), (.xts, "XTS"),
        (.gcm, "GCM"),
    ]

    /// By mode and length of the key. Written by the initializer alone, so that sharing it is safe.
    private nonisolated(unsafe) static let table: UnsafeMutablePointer<OpaquePointer?> = {
        let table = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: 16 * 3)
        unsafe table.initialize(repeating: nil, count: 16 * 3)
        guard Libcrypto.isReady else { return unsafe table }
        // A missing cipher (XTS with 192 bits) is not an error.
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        for (mode, name) in modes {
            for (index, bits) in [128, 192, 256].enumerated() {
                unsafe table[Int(mode.rawValue) * 3 + index] = unsafe EVP_CIPHER_fetch(nil, "AES-\(bits)-\(name)", nil)
            }
        }
        return unsafe table
    }()

    /// - Parameter keyByteCount: 16, 24 or 32.
    static func fetched(_ mode: CipherMode, keyByteCount: Int) -> OpaquePointer? {
        unsafe table[Int(mode.rawValue) * 3 + (keyByteCount >> 3) - 2]
    }
}

/// A running AES: libcrypto's context, which wipes its key when it is released.
@safe struct AESEngine {
    private let context: OpaquePointer
    /// CTR alone: the number of bytes until the counter, the last eight bytes of the block, is zero again.
    private var bytesBeforeWrap = UInt64.max
    private var counterPrefix: UInt64 = 0

    /// - Parameters:
    ///   - key: 16, 24 or 32 bytes; with XTS both keys.
    ///   - iv: 16 bytes, of which ECB and XTS read none.
    init?(
        _ mode: CipherMode, key: UnsafeRawPointer, keyByteCount: Int, iv: UnsafeRawPointer, isEncrypting: Bool
    ) {
        let cipher = unsafe AESCipher.fetched(mode, keyByteCount: keyByteCount)
        guard let cipher = unsafe cipher, let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        unsafe self.context = unsafe context
        let start = unsafe mode == .ecb || mode == .xts ? nil : iv.assumingMemoryBound(to: UInt8.self)
        // Only XTS can refuse a key. All other failures are failed allocations, which stay among the caller's errors: a
        // mark would cost more than a short message.
        if mode == .xts { ERR_set_mark() }
        defer { if mode == .xts { ERR_pop_to_mark() } }
        guard
            unsafe EVP_CipherInit_ex2(
                context, cipher, key.assumingMemoryBound(to: UInt8.self), start, isEncrypting ? 1 : 0, nil) == 1
        else {
            unsafe EVP_CIPHER_CTX_free(context)
            return nil
        }
        if mode == .ctr { unsafe noteCounter(iv) }
    }

    func release() {
        unsafe EVP_CIPHER_CTX_free(context)
    }

    /// Processes whole blocks, or any number of bytes in the streaming modes. The output is the input's memory or apart
    /// from it.
    mutating func run(_ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        guard UInt64(count) >= bytesBeforeWrap else {
            if bytesBeforeWrap != .max { bytesBeforeWrap -= UInt64(count) }
            return unsafe pass(input, output, count)
        }
        // libcrypto would carry into the first half of the block.
        let first = Int(bytesBeforeWrap)
        guard unsafe pass(input, output, first) else { return false }
        var start = (counterPrefix, UInt64(0))
        let isSet = unsafe withUnsafeBytes(of: &start) { unsafe setVector($0.baseAddress) }
        bytesBeforeWrap = .max
        return unsafe isSet && pass(input + first, output + first, count - first)
    }

    /// XTS: processes one unit, which begins with a tweak.
    func runUnit(
        _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int, tweak: UnsafeRawPointer
    ) -> Bool {
        unsafe setVector(tweak) && pass(input, output, count)
    }

    /// Restarts with the same key.
    mutating func restart(_ mode: CipherMode, iv: UnsafeRawPointer) -> Bool {
        if mode == .ctr { unsafe noteCounter(iv) }
        return unsafe setVector(iv)
    }

    /// Reads the 16 bytes that CBC chains to the next block.
    func readVector(into iv: UnsafeMutableRawPointer) -> Bool {
        unsafe EVP_CIPHER_CTX_get_updated_iv(context, iv, 16) == 1
    }

    private func setVector(_ iv: UnsafeRawPointer?) -> Bool {
        unsafe EVP_CipherInit_ex2(context, nil, nil, iv?.assumingMemoryBound(to: UInt8.self), -1, nil) == 1
    }

    private mutating func noteCounter(_ iv: UnsafeRawPointer) {
        counterPrefix = unsafe iv.loadUnaligned(as: UInt64.self)
        let counter = unsafe UInt64(bigEndian: iv.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let (bytes, overflow) = (~counter).addingReportingOverflow(1)
        // Only a counter that was chosen near its end can wrap around.
        bytesBeforeWrap = overflow || bytes > UInt64(Int.max) >> 4 ? .max : bytes << 4
    }

    /// Passes the bytes on in pieces, because libcrypto counts in 32 bits.
    private func pass(_ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        var done = 0
        while done < count {
            let step = min(count - done, 1 << 30)
            let given = unsafe EVP_Cipher(
                context, (output + done).assumingMemoryBound(to: UInt8.self),
                (input + done).assumingMemoryBound(to: UInt8.self), UInt32(step))
            guard given >= 0 else { return false }
            done += step
        }
        return true
    }
}
