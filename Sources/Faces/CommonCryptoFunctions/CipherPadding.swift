import CommonCrypto
import CommonCryptoSPI

/// The handling of a message that is not a whole number of blocks.
enum CipherPadding {
    case none
    case pkcs7
    /// Ciphertext stealing, with the last two blocks always swapped.
    case stealing

    /// Unknown padding numbers mean no padding, as in Apple's code.
    init(_ padding: CCPadding) {
        switch Int(padding) {
        case ccPKCS7Padding: self = .pkcs7
        case ccCBCCTS3: self = .stealing
        default: self = .none
        }
    }

    /// The largest output for so many bytes, in arithmetic that wraps around like Apple's.
    func outputByteCount(_ total: UInt, blockByteCount block: UInt, isEncrypting: Bool, final: Bool) -> UInt {
        func whole(_ count: UInt) -> UInt { count / block * block }
        switch (self, final, isEncrypting) {
        case (.none, _, _): return whole(total)
        case (.pkcs7, true, true): return whole(total &+ block)
        case (.pkcs7, true, false): return total
        case (.pkcs7, false, true): return whole(total)
        // The last whole block may be the padding: it is held until more comes.
        case (.pkcs7, false, false): return total == 0 ? 0 : whole(total - 1)
        case (.stealing, true, true): return whole(total &+ block &- 1)
        case (.stealing, false, true): return total <= block ? 0 : whole(total - block)
        case (.stealing, _, false): return total
        }
    }

    /// The number of bytes that go through the cipher now; the others are held for the next call.
    func processedByteCount(_ total: Int, blockByteCount block: Int, isEncrypting: Bool) -> Int {
        let reserve: Int
        switch self {
        case .none: reserve = 0
        case .pkcs7: reserve = isEncrypting ? 0 : block
        case .stealing: reserve = 2 * block
        }
        guard total > reserve else { return 0 }
        let remainder = total % block
        let held = remainder == 0 ? reserve : max(reserve, block) - block + remainder
        return total - held
    }

    /// The number of bytes of PKCS #7's padding in a decrypted block.
    ///
    /// Like Apple's code, this reads only the last byte, and an impossible one means no padding. An attacker who learns
    /// whether a padding was right can decrypt without the key.
    static func paddingByteCount(endingIn last: UInt8, blockByteCount: Int) -> Int {
        last <= blockByteCount ? Int(last) : 0
    }
}
