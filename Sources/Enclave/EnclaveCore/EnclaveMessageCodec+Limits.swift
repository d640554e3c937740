/// What the codec of requests and replies keeps to.
extension EnclaveMessageCodec {
    static let wrappedKeyByteCount = 256
    /// Longer than a passcode may be, so that one that is too long gets an answer that says so.
    static let passcodeLengths = 0...4 * EnclaveLimits.passcodeByteCount
    static let applicationPasswordLengths = 0...EnclaveLimits.applicationPasswordByteCount
    static let sensorDigestByteCount = 64
    static let keyLengths = KeyWrapping.keyByteCount...KeyWrapping.keyByteCount

    static func header(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> UInt8 {
        let version = try reader.byte()
        guard version == Self.version else { throw .unknownVersion(version) }
        return try reader.byte()
    }
}
