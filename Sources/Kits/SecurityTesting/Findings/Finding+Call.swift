extension Finding {
    /// The call that a finding is about: the function of the keychain that the app called, or a family of
    /// `CommonCrypto`. Keys of `CryptoKit` are called "SecureEnclave PrivateKey.", and the function.
    public struct Call: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public init(_ call: KeychainCall) {
            rawValue = call.rawValue
        }

        public static let add = Call(.add)
        public static let copyMatching = Call(.copyMatching)
        public static let update = Call(.update)
        public static let delete = Call(.delete)
        public static let evaluatePolicy = Call(.evaluatePolicy)
        public static let evaluateAccessControl = Call(.evaluateAccessControl)
        public static let createRandomKey = Call(.createRandomKey)
        public static let createSignature = Call(.createSignature)
        public static let copyKeyExchangeResult = Call(.copyKeyExchangeResult)
        public static let generatePair = Call(rawValue: "SecKeyGeneratePair")
        public static let rawSign = Call(rawValue: "SecKeyRawSign")
        public static let createDecryptedData = Call(rawValue: "SecKeyCreateDecryptedData")
        public static let importPKCS12 = Call(rawValue: "SecPKCS12Import")

        /// `CCCrypt` and all of `CCCryptor…`.
        public static let crypt = Call(rawValue: "CCCrypt")
        /// `CCHmac`, `CCHmacInit` and `CCAESCmac`.
        public static let messageAuthentication = Call(rawValue: "CCHmac")
        /// `CC_MD5`, `CC_SHA1`, those in pieces and by number; also a cipher whose key is such a digest.
        public static let digest = Call(rawValue: "CC_SHA1")
        public static let keyDerivation = Call(rawValue: "CCKeyDerivationPBKDF")
        /// `ProtectedFileHandle`, and what else keeps a protected file open.
        public static let fileHandle = Call(rawValue: "ProtectedFileHandle")
        /// Foundation's, which ignores classes.
        public static let dataWrite = Call(rawValue: "Data.write(to:options:)")
        /// A look at the files that are stored; the call that wrote them is not known.
        public static let storedFile = Call(rawValue: "stored file")
        /// `memcmp`, `bcmp`, and what ends in them, such as `==` of two `Data`.
        public static let comparison = Call(rawValue: "memcmp")
    }
}
