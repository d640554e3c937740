/// One key in one cipher, as its program chose them. The bytes are valid only during the call.
@safe package struct CipherUse {
    package enum Cipher: Sendable, Hashable {
        case aes, des, tripleDES, cast, rc4, rc2, blowfish
    }

    package enum Mode: Sendable, Hashable {
        case ecb, cbc, cfb, cfb8, ctr, ofb, xts, rc4, gcm

        /// True if it only adds a stream of bytes that does not depend on the text.
        var isStream: Bool { self == .ctr || self == .ofb || self == .rc4 }
    }

    package let cipher: Cipher
    package let mode: Mode
    package let isEncrypting: Bool
    package let key: UnsafeRawBufferPointer
    /// Nil if the program gave none.
    package let iv: UnsafeRawBufferPointer?
    /// XTS: true if its second key equals the first.
    package let hasEqualKeys: Bool

    package init(
        cipher: Cipher, mode: Mode, isEncrypting: Bool, key: UnsafeRawBufferPointer, iv: UnsafeRawBufferPointer?,
        hasEqualKeys: Bool = false
    ) {
        self.hasEqualKeys = hasEqualKeys
        self.cipher = cipher
        self.mode = mode
        self.isEncrypting = isEncrypting
        unsafe self.key = unsafe key
        unsafe self.iv = unsafe iv
    }
}

/// PBKDF2, as its program chose it. The bytes are valid only during the call.
@safe package struct DerivationUse {
    package enum PseudoRandomFunction: Sendable, Hashable {
        case sha1, sha224, sha256, sha384, sha512
    }

    package let function: PseudoRandomFunction
    package let rounds: UInt32
    package let salt: UnsafeRawBufferPointer
    /// Nil if it is not reported.
    package let password: UnsafeRawBufferPointer?

    package init(
        function: PseudoRandomFunction, rounds: UInt32, salt: UnsafeRawBufferPointer,
        password: UnsafeRawBufferPointer? = nil
    ) {
        unsafe self.password = unsafe password
        self.function = function
        self.rounds = rounds
        unsafe self.salt = unsafe salt
    }
}
