import CLatchkeyShims
import CommonCrypto

/// The object behind a `CCCryptorRef`.
@safe struct Cryptor {
    /// In a caller's memory, which has only this field: the address of the cryptor.
    let elsewhere: UnsafeMutablePointer<Cryptor>?

    let choice: CipherChoice
    /// One of the two, or both for the ciphers of disks; GCM has neither.
    var encryption: CipherEngine?
    var decryption: CipherEngine?
    /// The other direction, if a block is processed in it.
    private var opposite = OppositeDirection()
    var gcm: GCMEngine?
    /// Bytes that wait for the rest of their block, or that may be the padding.
    var held = HeldBytes()
    /// The key, in a process that watches its use of CommonCrypto.
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
            // XTS has both directions, whichever was chosen.
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

    /// Keeps the state that ECB and CBC need for the direction that was not chosen. Called on a cryptor in its final
    /// memory, which is wiped when it is released: no other memory gets the key, and none has it if ``init`` throws.
    mutating func keepOpposite(key: UnsafeRawPointer, keyByteCount: Int, iv: UnsafeRawPointer?) {
        guard choice.mode == .ecb || choice.mode == .cbc, choice.direction != .both else { return }
        unsafe opposite.keep(choice, key: key, keyByteCount: keyByteCount, iv: iv)
    }

    /// Makes the engine of the direction that was not chosen, for ECB and CBC. False for a cryptor without that
    /// direction.
    mutating func open(isEncrypting: Bool) -> Bool {
        if isEncrypting ? encryption != nil : decryption != nil { return true }
        let other = isEncrypting ? decryption : encryption
        guard let made = opposite.engine(choice, of: other, isEncrypting: isEncrypting) else { return false }
        if isEncrypting { encryption = made } else { decryption = made }
        return true
    }

    /// Wipes the keys and all state.
    mutating func release() {
        if opposite.sharesEngineKey {
            // The engine of the other direction, if it was made, has the same memory.
            if choice.direction == .encrypting { encryption?.release() } else { decryption?.release() }
        } else {
            encryption?.release()
            decryption?.release()
        }
        opposite.wipe()
        gcm?.release()
        held.wipe()
        watched?.release()
    }

    /// Runs the engine of `CCCryptorUpdate` and `CCCryptorFinal`, which a cryptor for both directions does not have.
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

/// The initial state of the engine for the direction that was not chosen: ECB and CBC run single blocks in both.
private struct OppositeDirection {
    /// Ciphers other than AES have one key schedule for both directions.
    private(set) var sharesEngineKey = false
    /// AES alone, until its engine was made: libcrypto's context does not return the key.
    private var key: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    /// 0 if there is no such direction.
    private var keyByteCount = 0
    private var vector: (UInt64, UInt64) = (0, 0)

    mutating func keep(_ choice: CipherChoice, key: UnsafeRawPointer, keyByteCount: Int, iv: UnsafeRawPointer?) {
        sharesEngineKey = choice.algorithm != .aes
        self.keyByteCount = keyByteCount
        if !sharesEngineKey {
            unsafe withUnsafeMutableBytes(of: &self.key) {
                unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: key, count: min(keyByteCount, $0.count)))
            }
        }
        guard choice.mode == .cbc, let iv = unsafe iv else { return }
        unsafe withUnsafeMutableBytes(of: &vector) {
            unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: iv, count: choice.blockByteCount))
        }
    }

    /// Makes the engine and hands it the key, which is wiped here. Called in place, so that the key is not copied.
    mutating func engine(_ choice: CipherChoice, of other: CipherEngine?, isEncrypting: Bool) -> CipherEngine? {
        guard keyByteCount > 0 else { return nil }
        let (vector, keyByteCount, sharesEngineKey) = (vector, keyByteCount, sharesEngineKey)
        let made = unsafe withUnsafeMutableBytes(of: &key) { key in
            unsafe withUnsafeBytes(of: vector) { vector -> CipherEngine? in
                guard let iv = vector.baseAddress, let key = key.baseAddress else { return nil }
                guard !sharesEngineKey else { return unsafe other?.opposite(iv: iv) }
                return unsafe try? CipherEngine(
                    choice, key: key, keyByteCount: keyByteCount, iv: iv, isEncrypting: isEncrypting)
            }
        }
        if made != nil { wipe() }
        return made
    }

    mutating func wipe() {
        unsafe withUnsafeMutableBytes(of: &key) { unsafe lk_wipe($0.baseAddress, $0.count) }
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

    /// Removes and returns the first bytes.
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
