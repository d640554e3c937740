import CLatchkeyLibcrypto
import CLatchkeyShims

/// The key of a cipher with blocks of eight bytes, or of RC4, ready for use.
///
/// libcrypto's newer interface has most of these in a module that may not be installed, so its older functions are
/// called, which need no file.
@safe struct BlockKey {
    let algorithm: CipherAlgorithm
    private let schedule: UnsafeMutableRawBufferPointer

    init(_ algorithm: CipherAlgorithm, key: UnsafeRawPointer, keyByteCount: Int) {
        self.algorithm = algorithm
        let byteCount =
            switch algorithm {
            case .aes: preconditionFailure("AES has an interface of its own")
            case .des: MemoryLayout<DES_key_schedule>.stride
            case .tripleDES: 3 * MemoryLayout<DES_key_schedule>.stride
            case .cast: MemoryLayout<CAST_KEY>.stride
            case .rc4: MemoryLayout<RC4_KEY>.stride
            case .rc2: MemoryLayout<RC2_KEY>.stride
            case .blowfish: MemoryLayout<BF_KEY>.stride
            }
        unsafe schedule = .allocate(byteCount: byteCount, alignment: 16)
        unsafe schedule.initializeMemory(as: UInt8.self, repeating: 0)
        let bytes = unsafe key.assumingMemoryBound(to: UInt8.self)
        let count = Int32(keyByteCount)
        switch algorithm {
        case .aes: break
        // Weak keys are accepted, and the parity is not checked.
        case .des, .tripleDES:
            for index in 0..<(algorithm == .des ? 1 : 3) {
                var part = unsafe (key + index * 8).loadUnaligned(as: DES_cblock.self)
                unsafe DES_set_key_unchecked(&part, des + index)
                unsafe lk_wipe(&part, 8)
            }
        case .cast: unsafe CAST_set_key(cast, count, bytes)
        case .rc4: unsafe RC4_set_key(rc4, count, bytes)
        // All bits of the key count.
        case .rc2: unsafe RC2_set_key(rc2, count, bytes, count * 8)
        case .blowfish: unsafe BF_set_key(blowfish, count, bytes)
        }
    }

    func release() {
        unsafe lk_wipe(schedule.baseAddress, schedule.count)
        unsafe schedule.deallocate()
    }

    private func typed<Schedule>(_ type: Schedule.Type) -> UnsafeMutablePointer<Schedule>? {
        unsafe schedule.baseAddress?.assumingMemoryBound(to: Schedule.self)
    }

    var des: UnsafeMutablePointer<DES_key_schedule> {
        guard let first = unsafe typed(DES_key_schedule.self) else { preconditionFailure("a key has memory") }
        return unsafe first
    }
    var cast: UnsafeMutablePointer<CAST_KEY>? { unsafe typed(CAST_KEY.self) }
    var rc4: UnsafeMutablePointer<RC4_KEY>? { unsafe typed(RC4_KEY.self) }
    var rc2: UnsafeMutablePointer<RC2_KEY>? { unsafe typed(RC2_KEY.self) }
    var blowfish: UnsafeMutablePointer<BF_KEY>? { unsafe typed(BF_KEY.self) }

    /// Processes one block. The output may be the input.
    func block(_ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, isEncrypting: Bool) {
        let (input, output) = unsafe (
            input.assumingMemoryBound(to: UInt8.self), output.assumingMemoryBound(to: UInt8.self)
        )
        let direction: Int32 = isEncrypting ? 1 : 0
        switch algorithm {
        case .aes, .rc4: break
        case .des, .tripleDES:
            let from = unsafe UnsafeMutableRawPointer(mutating: input).assumingMemoryBound(to: DES_cblock.self)
            let to = unsafe UnsafeMutableRawPointer(output).assumingMemoryBound(to: DES_cblock.self)
            if algorithm == .des {
                unsafe DES_ecb_encrypt(from, to, des, direction)
            } else {
                unsafe DES_ecb3_encrypt(from, to, des, des + 1, des + 2, direction)
            }
        case .cast: unsafe CAST_ecb_encrypt(input, output, cast, direction)
        case .rc2: unsafe RC2_ecb_encrypt(input, output, rc2, direction)
        case .blowfish: unsafe BF_ecb_encrypt(input, output, blowfish, direction)
        }
    }
}
