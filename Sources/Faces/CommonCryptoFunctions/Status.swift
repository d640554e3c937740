import CommonCrypto

extension CCCryptorStatus {
    static let success = CCCryptorStatus(kCCSuccess)
    static let parameter = CCCryptorStatus(kCCParamError)
    static let bufferTooSmall = CCCryptorStatus(kCCBufferTooSmall)
    static let memory = CCCryptorStatus(kCCMemoryFailure)
    static let alignment = CCCryptorStatus(kCCAlignmentError)
    static let decode = CCCryptorStatus(kCCDecodeError)
    static let unimplemented = CCCryptorStatus(kCCUnimplemented)
    static let unspecified = CCCryptorStatus(kCCUnspecifiedError)
    static let callSequence = CCCryptorStatus(kCCCallSequenceError)
    static let keySize = CCCryptorStatus(kCCKeySizeError)
}
