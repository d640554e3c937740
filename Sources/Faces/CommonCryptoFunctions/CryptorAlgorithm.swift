import CommonCrypto

/// The ciphers of the header, by its numbers.
enum CipherAlgorithm: UInt32 {
    case aes, des, tripleDES, cast, rc4, rc2, blowfish

    /// RC4 has no blocks: each byte is encrypted on its own.
    var blockByteCount: Int {
        switch self {
        case .aes: kCCBlockSizeAES128
        case .rc4: 1
        case .des, .tripleDES, .cast, .rc2, .blowfish: 8
        }
    }

    func takesKey(ofByteCount count: Int) -> Bool {
        switch self {
        case .aes: count == kCCKeySizeAES128 || count == kCCKeySizeAES192 || count == kCCKeySizeAES256
        case .des: count == kCCKeySizeDES
        case .tripleDES: count == kCCKeySize3DES
        case .cast: (kCCKeySizeMinCAST...kCCKeySizeMaxCAST).contains(count)
        case .rc4: (kCCKeySizeMinRC4...kCCKeySizeMaxRC4).contains(count)
        case .rc2: (kCCKeySizeMinRC2...kCCKeySizeMaxRC2).contains(count)
        case .blowfish: (kCCKeySizeMinBlowfish...kCCKeySizeMaxBlowfish).contains(count)
        }
    }
}

/// The modes of operation, by the numbers of the headers.
enum CipherMode: UInt32 {
    case ecb = 1
    case cbc = 2
    case cfb = 3
    case ctr = 4
    case ofb = 7
    case xts = 8
    case rc4 = 9
    case cfb8 = 10
    case gcm = 11
    case ccm = 12

    /// True if every byte of input gives output at once.
    var isStreaming: Bool {
        switch self {
        case .ecb, .cbc, .xts: false
        case .cfb, .ctr, .ofb, .rc4, .cfb8, .gcm, .ccm: true
        }
    }
}

/// A refused call, with its status.
struct CryptorRefusal: Error {
    let status: CCCryptorStatus

    init(_ status: CCCryptorStatus) {
        self.status = status
    }
}
