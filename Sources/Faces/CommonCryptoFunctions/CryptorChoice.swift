import CommonCrypto
import CommonCryptoSPI

/// The cipher, mode, padding and direction that a caller chose, if they are supported.
struct CipherChoice {
    enum Direction: UInt32 {
        case encrypting = 0
        case decrypting = 1
        /// As each call says, for the ciphers of disks.
        case both = 3
    }

    let algorithm: CipherAlgorithm
    let mode: CipherMode
    let direction: Direction
    let padding: CipherPadding

    var isEncrypting: Bool { direction == .encrypting }
    var blockByteCount: Int { algorithm.blockByteCount }

    /// The older functions: CBC, ECB as an option, or RC4.
    init(_ operation: CCOperation, _ algorithm: CCAlgorithm, options: CCOptions) throws(CryptorRefusal) {
        let mode: CipherMode = options & CCOptions(kCCOptionECBMode) != 0 ? .ecb : .cbc
        let isPadded = options & CCOptions(kCCOptionPKCS7Padding) != 0
        try self.init(
            operation, algorithm, mode: mode.rawValue, padding: CCPadding(isPadded ? ccPKCS7Padding : ccNoPadding))
    }

    /// Checks in the order of Apple's code: the first failed check determines the status.
    init(
        _ operation: CCOperation, _ algorithm: CCAlgorithm, mode: CCMode, padding: CCPadding
    ) throws(CryptorRefusal) {
        guard let algorithm = CipherAlgorithm(rawValue: algorithm),
            let direction = Direction(rawValue: operation),
            // RC4 is not a block cipher: the mode is ignored.
            let mode = algorithm == .rc4 ? .rc4 : CipherMode(rawValue: mode),
            mode != .rc4 || algorithm == .rc4
        else { throw CryptorRefusal(.parameter) }
        switch mode {
        case .ccm: throw CryptorRefusal(.unimplemented)
        case .xts, .gcm: guard algorithm == .aes else { throw CryptorRefusal(.unimplemented) }
        case .ecb, .cbc, .cfb, .ctr, .ofb, .rc4, .cfb8: break
        }
        // A running streaming cipher has one direction.
        guard direction != .both || !mode.isStreaming else { throw CryptorRefusal(.parameter) }
        self.algorithm = algorithm
        self.mode = mode
        self.direction = direction
        self.padding = CipherPadding(padding)
        // Stealing chains blocks, which these modes do not.
        guard self.padding != .stealing || mode == .cbc || mode.isStreaming else { throw CryptorRefusal(.parameter) }
    }

    /// The room for the output of `CCCryptorUpdate` for so many bytes in all, or with `final` also of `CCCryptorFinal`.
    func outputByteCount(_ total: UInt, final: Bool) -> UInt {
        guard !mode.isStreaming else { return total }
        return padding.outputByteCount(
            total, blockByteCount: UInt(blockByteCount), isEncrypting: isEncrypting, final: final)
    }
}
