import CLatchkeyLibcrypto
import CLatchkeyShims
import CommonCrypto
import LatchkeyCryptoMisuse

/// A cryptor's key, kept in a process that watches its use of CommonCrypto: each message reports it again.
///
/// Its address tells apart ciphers that run at the same time.
@safe struct WatchedKey {
    /// Stands for bytes that were not read: neither a letter nor padding.
    private static let noText: UInt8 = 0x80

    private let key: UnsafeMutableRawBufferPointer
    private let context: UnsafeRawPointer
    private let choice: CipherChoice
    /// The reported direction, which the ciphers of disks change.
    private var isEncrypting: Bool
    /// XTS: true if its second key equals the first.
    private var hasEqualKeys = false

    /// Reports the start of a cipher, if there is an observer. The key may have a length that is then refused.
    ///
    /// The bytes of such a key are never read, because they need not all exist: only its length is reported.
    static func starting(
        _ choice: CipherChoice, key: UnsafeRawPointer, keyByteCount: Int, iv: UnsafeRawPointer?,
        tweak: UnsafeRawPointer? = nil
    ) -> WatchedKey? {
        guard CryptoWatch.isOn else { return nil }
        let count = min(max(keyByteCount, 0), kCCKeySizeMaxRC4)
        let start = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 8)
        if choice.algorithm.takesKey(ofByteCount: keyByteCount) {
            unsafe start.copyMemory(from: key, byteCount: count)
        } else {
            unsafe start.initializeMemory(as: UInt8.self, repeating: noText, count: count)
        }
        var watched = unsafe WatchedKey(start, count, choice)
        if choice.mode == .xts, let tweak = unsafe tweak, choice.algorithm.takesKey(ofByteCount: keyByteCount) {
            watched.hasEqualKeys = unsafe CRYPTO_memcmp(key, tweak, count) == 0
        }
        // The message of GCM starts when its IV is known.
        guard choice.mode != .gcm else { return watched }
        let isChained = choice.mode != .ecb && choice.mode != .rc4 && choice.mode != .xts
        unsafe watched.start(isChained ? iv : nil, choice.blockByteCount)
        return watched
    }

    private init(_ start: UnsafeMutableRawPointer, _ count: Int, _ choice: CipherChoice) {
        unsafe key = unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
        unsafe context = UnsafeRawPointer(start)
        self.choice = choice
        isEncrypting = choice.isEncrypting
    }

    func start(_ iv: UnsafeRawPointer?, _ count: Int) {
        let iv = unsafe iv.map { unsafe UnsafeRawBufferPointer(start: $0, count: count) }
        let use = unsafe CipherUse(
            cipher: choice.algorithm.watched, mode: choice.mode.watched, isEncrypting: isEncrypting,
            key: UnsafeRawBufferPointer(key), iv: iv, hasEqualKeys: hasEqualKeys)
        unsafe CryptoWatch.cipherStarts(use, context: context)
    }

    /// Returns true if the next block of a cipher for both directions is to be reported: a cipher starts again when the
    /// direction changes. A chained one continues instead: the direction that it was not made for is never reported.
    mutating func turn(isEncrypting: Bool) -> Bool {
        guard isEncrypting != self.isEncrypting else { return true }
        guard choice.mode != .cbc else { return false }
        self.isEncrypting = isEncrypting
        unsafe start(nil, 0)
        return true
    }

    /// Reports input that exists: the call was checked.
    func takes(_ input: UnsafeRawPointer?, _ count: Int) {
        guard count > 0 else { return }
        unsafe CryptoWatch.cipherTakes(UnsafeRawBufferPointer(start: input, count: count), context: context)
    }

    func gives(_ output: UnsafeRawPointer?, _ count: Int) {
        guard count > 0 else { return }
        unsafe CryptoWatch.cipherGives(UnsafeRawBufferPointer(start: output, count: count), context: context)
    }

    func authenticated(_ tag: UnsafeRawBufferPointer) {
        unsafe CryptoWatch.authenticated(tag, context: context)
    }

    func end() {
        unsafe CryptoWatch.cipherEnds(context: context)
    }

    /// Wipes the copy and reports that the cipher is finished.
    func release() {
        end()
        unsafe lk_wipe(key.baseAddress, key.count)
        unsafe context.deallocate()
    }
}

extension CipherAlgorithm {
    fileprivate var watched: CipherUse.Cipher {
        switch self {
        case .aes: .aes
        case .des: .des
        case .tripleDES: .tripleDES
        case .cast: .cast
        case .rc4: .rc4
        case .rc2: .rc2
        case .blowfish: .blowfish
        }
    }
}

extension CipherMode {
    fileprivate var watched: CipherUse.Mode {
        switch self {
        case .ecb: .ecb
        case .cbc: .cbc
        case .cfb: .cfb
        case .ctr: .ctr
        case .ofb: .ofb
        case .xts: .xts
        case .rc4: .rc4
        case .cfb8: .cfb8
        case .gcm, .ccm: .gcm
        }
    }
}
