import CLatchkeyShims
import CommonCrypto

/// What a `CCCryptorRef` points to.
@safe struct Cryptor {
    /// In memory that a caller lent, which has nothing else: where the cryptor is.
    let elsewhere: UnsafeMutablePointer<Cryptor>?

    let choice: CipherChoice
    /// One of them, or both for the ciphers of disks; GCM has neither.
    var encryption: CipherEngine?
    var decryption: CipherEngine?
    var gcm: GCMEngine?
    /// Bytes that wait for the rest of their block, or for what may be the padding.
    var held = HeldBytes()
    /// The key, in a process that watches.
    var watched: WatchedKey?

    init(
        _ choice: CipherChoice, key: UnsafeRawPointer, keyByteCount: Int, tweak: UnsafeRawPointer?,
        iv: UnsafeRawPointer?
    ) throws(CryptorRefusal) {
        guard choice.algorithm.takesKey(ofByteCount: keyByteCount) else { throw CryptorRefusal(.keySize) }
        unsafe elsewhere = nil
        self.choice = choice
        switch choice.mode {
        case .gcm:
            gcm = unsafe try GCMEngine(
                key: key, keyByteCount: keyByteCount, isEncrypting: choice.direction == .encrypting)
        case .xts where unsafe tweak == nil:
            throw CryptorRefusal(.parameter)
        default:
            func engine(isEncrypting: Bool) throws(CryptorRefusal) -> CipherEngine {
                try unsafe CipherEngine(
                    choice, key: key, keyByteCount: keyByteCount, tweak: tweak, iv: iv,
                    isEncrypting: isEncrypting)
            }
            // XTS has both directions whichever is named.
            let isBoth = choice.direction == .both || choice.mode == .xts
            if choice.direction == .encrypting || isBoth { encryption = try engine(isEncrypting: true) }
            if choice.direction == .decrypting || isBoth {
                do throws(CryptorRefusal) {
                    decryption = try engine(isEncrypting: false)
                } catch {
                    encryption?.release()
                    throw error
                }
            }
        }
    }

    /// Wipes what it has.
    mutating func release() {
        encryption?.release()
        decryption?.release()
        gcm?.release()
        held.wipe()
        watched?.release()
    }

    /// The engine of `CCCryptorUpdate` and `CCCryptorFinal`, which a cryptor for both directions does not have.
    mutating func run(_ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int) -> CCCryptorStatus {
        // A unit of XTS begins with a tweak, which these calls do not have.
        guard choice.mode != .xts else { return .parameter }
        switch choice.direction {
        case .encrypting: return unsafe encryption?.run(input, output, count) == true ? .success : .parameter
        case .decrypting: return unsafe decryption?.run(input, output, count) == true ? .success : .parameter
        case .both: return .parameter
        }
    }
}

/// Up to two blocks.
struct HeldBytes {
    private var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    private(set) var count = 0

    mutating func append(_ start: UnsafeRawPointer, _ added: Int) {
        let count = count
        unsafe withUnsafeMutableBytes(of: &bytes) {
            unsafe UnsafeMutableRawBufferPointer(rebasing: $0[count...]).copyMemory(
                from: UnsafeRawBufferPointer(start: start, count: added))
        }
        self.count += added
    }

    /// Takes the first bytes out.
    mutating func takeFirst(_ taken: Int) -> HeldBytes {
        var first = HeldBytes()
        let rest = count - taken
        unsafe withUnsafeMutableBytes(of: &bytes) {
            guard let start = $0.baseAddress else { return }
            unsafe first.append(start, taken)
            unsafe start.copyMemory(from: start + taken, byteCount: rest)
        }
        count = rest
        return first
    }

    func copy(into output: UnsafeMutableRawPointer) {
        unsafe withUnsafeBytes(of: bytes) {
            guard let start = $0.baseAddress else { return }
            unsafe output.copyMemory(from: start, byteCount: count)
        }
    }

    mutating func wipe() {
        unsafe withUnsafeMutableBytes(of: &bytes) { unsafe lk_wipe($0.baseAddress, $0.count) }
        count = 0
    }
}
