import Security

extension SwiftConstants {
    /// Algorithms of keys, under the names that C has for the members of `SecKeyAlgorithm`.
    static var algorithms: [(String, CFString)] {
        [
            ("kSecKeyAlgorithmRSASignatureRaw", SecKeyAlgorithm.rsaSignatureRaw.rawValue),
            ("kSecKeyAlgorithmRSASignatureDigestPKCS1v15Raw", SecKeyAlgorithm.rsaSignatureDigestPKCS1v15Raw.rawValue),
            ("kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA1", SecKeyAlgorithm.rsaSignatureDigestPKCS1v15SHA1.rawValue),
            (
                "kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA224",
                SecKeyAlgorithm.rsaSignatureDigestPKCS1v15SHA224.rawValue
            ),
            (
                "kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA256",
                SecKeyAlgorithm.rsaSignatureDigestPKCS1v15SHA256.rawValue
            ),
            (
                "kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA384",
                SecKeyAlgorithm.rsaSignatureDigestPKCS1v15SHA384.rawValue
            ),
            (
                "kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA512",
                SecKeyAlgorithm.rsaSignatureDigestPKCS1v15SHA512.rawValue
            ),
            ("kSecKeyAlgorithmRSASignatureDigestPSSSHA1", SecKeyAlgorithm.rsaSignatureDigestPSSSHA1.rawValue),
            ("kSecKeyAlgorithmRSASignatureDigestPSSSHA224", SecKeyAlgorithm.rsaSignatureDigestPSSSHA224.rawValue),
            ("kSecKeyAlgorithmRSASignatureDigestPSSSHA256", SecKeyAlgorithm.rsaSignatureDigestPSSSHA256.rawValue),
            ("kSecKeyAlgorithmRSASignatureDigestPSSSHA384", SecKeyAlgorithm.rsaSignatureDigestPSSSHA384.rawValue),
            ("kSecKeyAlgorithmRSASignatureDigestPSSSHA512", SecKeyAlgorithm.rsaSignatureDigestPSSSHA512.rawValue),
            (
                "kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA1",
                SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA1.rawValue
            ),
            (
                "kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA224",
                SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA224.rawValue
            ),
            (
                "kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256",
                SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA256.rawValue
            ),
            (
                "kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA384",
                SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA384.rawValue
            ),
            (
                "kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA512",
                SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA512.rawValue
            ),
            ("kSecKeyAlgorithmRSASignatureMessagePSSSHA1", SecKeyAlgorithm.rsaSignatureMessagePSSSHA1.rawValue),
            ("kSecKeyAlgorithmRSASignatureMessagePSSSHA224", SecKeyAlgorithm.rsaSignatureMessagePSSSHA224.rawValue),
            ("kSecKeyAlgorithmRSASignatureMessagePSSSHA256", SecKeyAlgorithm.rsaSignatureMessagePSSSHA256.rawValue),
            ("kSecKeyAlgorithmRSASignatureMessagePSSSHA384", SecKeyAlgorithm.rsaSignatureMessagePSSSHA384.rawValue),
            ("kSecKeyAlgorithmRSASignatureMessagePSSSHA512", SecKeyAlgorithm.rsaSignatureMessagePSSSHA512.rawValue),
            ("kSecKeyAlgorithmECDSASignatureRFC4754", "algid:sign:ECDSA:RFC4754"),
            ("kSecKeyAlgorithmECDSASignatureDigestRFC4754", SecKeyAlgorithm.ecdsaSignatureDigestRFC4754.rawValue),
            (
                "kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA1",
                SecKeyAlgorithm.ecdsaSignatureDigestRFC4754SHA1.rawValue
            ),
            (
                "kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA224",
                SecKeyAlgorithm.ecdsaSignatureDigestRFC4754SHA224.rawValue
            ),
            (
                "kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA256",
                SecKeyAlgorithm.ecdsaSignatureDigestRFC4754SHA256.rawValue
            ),
            (
                "kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA384",
                SecKeyAlgorithm.ecdsaSignatureDigestRFC4754SHA384.rawValue
            ),
            (
                "kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA512",
                SecKeyAlgorithm.ecdsaSignatureDigestRFC4754SHA512.rawValue
            ),
            (
                "kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA1",
                SecKeyAlgorithm.ecdsaSignatureMessageRFC4754SHA1.rawValue
            ),
            (
                "kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA224",
                SecKeyAlgorithm.ecdsaSignatureMessageRFC4754SHA224.rawValue
            ),
            (
                "kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA256",
                SecKeyAlgorithm.ecdsaSignatureMessageRFC4754SHA256.rawValue
            ),
            (
                "kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA384",
                SecKeyAlgorithm.ecdsaSignatureMessageRFC4754SHA384.rawValue
            ),
            (
                "kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA512",
                SecKeyAlgorithm.ecdsaSignatureMessageRFC4754SHA512.rawValue
            ),
            ("kSecKeyAlgorithmECDSASignatureDigestX962", SecKeyAlgorithm.ecdsaSignatureDigestX962.rawValue),
            ("kSecKeyAlgorithmECDSASignatureDigestX962SHA1", SecKeyAlgorithm.ecdsaSignatureDigestX962SHA1.rawValue),
            ("kSecKeyAlgorithmECDSASignatureDigestX962SHA224", SecKeyAlgorithm.ecdsaSignatureDigestX962SHA224.rawValue),
            ("kSecKeyAlgorithmECDSASignatureDigestX962SHA256", SecKeyAlgorithm.ecdsaSignatureDigestX962SHA256.rawValue),
            ("kSecKeyAlgorithmECDSASignatureDigestX962SHA384", SecKeyAlgorithm.ecdsaSignatureDigestX962SHA384.rawValue),
            ("kSecKeyAlgorithmECDSASignatureDigestX962SHA512", SecKeyAlgorithm.ecdsaSignatureDigestX962SHA512.rawValue),
            ("kSecKeyAlgorithmECDSASignatureMessageX962SHA1", SecKeyAlgorithm.ecdsaSignatureMessageX962SHA1.rawValue),
            (
                "kSecKeyAlgorithmECDSASignatureMessageX962SHA224",
                SecKeyAlgorithm.ecdsaSignatureMessageX962SHA224.rawValue
            ),
            (
                "kSecKeyAlgorithmECDSASignatureMessageX962SHA256",
                SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256.rawValue
            ),
            (
                "kSecKeyAlgorithmECDSASignatureMessageX962SHA384",
                SecKeyAlgorithm.ecdsaSignatureMessageX962SHA384.rawValue
            ),
            (
                "kSecKeyAlgorithmECDSASignatureMessageX962SHA512",
                SecKeyAlgorithm.ecdsaSignatureMessageX962SHA512.rawValue
            ),
            ("kSecKeyAlgorithmRSAEncryptionRaw", SecKeyAlgorithm.rsaEncryptionRaw.rawValue),
            ("kSecKeyAlgorithmRSAEncryptionPKCS1", SecKeyAlgorithm.rsaEncryptionPKCS1.rawValue),
            ("kSecKeyAlgorithmRSAEncryptionOAEPSHA1", SecKeyAlgorithm.rsaEncryptionOAEPSHA1.rawValue),
            ("kSecKeyAlgorithmRSAEncryptionOAEPSHA224", SecKeyAlgorithm.rsaEncryptionOAEPSHA224.rawValue),
            ("kSecKeyAlgorithmRSAEncryptionOAEPSHA256", SecKeyAlgorithm.rsaEncryptionOAEPSHA256.rawValue),
            ("kSecKeyAlgorithmRSAEncryptionOAEPSHA384", SecKeyAlgorithm.rsaEncryptionOAEPSHA384.rawValue),
            ("kSecKeyAlgorithmRSAEncryptionOAEPSHA512", SecKeyAlgorithm.rsaEncryptionOAEPSHA512.rawValue),
            ("kSecKeyAlgorithmRSAEncryptionOAEPSHA1AESGCM", SecKeyAlgorithm.rsaEncryptionOAEPSHA1AESGCM.rawValue),
            ("kSecKeyAlgorithmRSAEncryptionOAEPSHA224AESGCM", SecKeyAlgorithm.rsaEncryptionOAEPSHA224AESGCM.rawValue),
            ("kSecKeyAlgorithmRSAEncryptionOAEPSHA256AESGCM", SecKeyAlgorithm.rsaEncryptionOAEPSHA256AESGCM.rawValue),
            ("kSecKeyAlgorithmRSAEncryptionOAEPSHA384AESGCM", SecKeyAlgorithm.rsaEncryptionOAEPSHA384AESGCM.rawValue),
            ("kSecKeyAlgorithmRSAEncryptionOAEPSHA512AESGCM", SecKeyAlgorithm.rsaEncryptionOAEPSHA512AESGCM.rawValue),
            (
                "kSecKeyAlgorithmECIESEncryptionStandardX963SHA1AESGCM",
                SecKeyAlgorithm.eciesEncryptionStandardX963SHA1AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionStandardX963SHA224AESGCM",
                SecKeyAlgorithm.eciesEncryptionStandardX963SHA224AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM",
                SecKeyAlgorithm.eciesEncryptionStandardX963SHA256AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionStandardX963SHA384AESGCM",
                SecKeyAlgorithm.eciesEncryptionStandardX963SHA384AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionStandardX963SHA512AESGCM",
                SecKeyAlgorithm.eciesEncryptionStandardX963SHA512AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionCofactorX963SHA1AESGCM",
                SecKeyAlgorithm.eciesEncryptionCofactorX963SHA1AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionCofactorX963SHA224AESGCM",
                SecKeyAlgorithm.eciesEncryptionCofactorX963SHA224AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionCofactorX963SHA256AESGCM",
                SecKeyAlgorithm.eciesEncryptionCofactorX963SHA256AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionCofactorX963SHA384AESGCM",
                SecKeyAlgorithm.eciesEncryptionCofactorX963SHA384AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionCofactorX963SHA512AESGCM",
                SecKeyAlgorithm.eciesEncryptionCofactorX963SHA512AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA224AESGCM",
                SecKeyAlgorithm.eciesEncryptionStandardVariableIVX963SHA224AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA256AESGCM",
                SecKeyAlgorithm.eciesEncryptionStandardVariableIVX963SHA256AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA384AESGCM",
                SecKeyAlgorithm.eciesEncryptionStandardVariableIVX963SHA384AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA512AESGCM",
                SecKeyAlgorithm.eciesEncryptionStandardVariableIVX963SHA512AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA224AESGCM",
                SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA224AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA256AESGCM",
                SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA256AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA384AESGCM",
                SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA384AESGCM.rawValue
            ),
            (
                "kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA512AESGCM",
                SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA512AESGCM.rawValue
            ),
            ("kSecKeyAlgorithmECDHKeyExchangeStandard", SecKeyAlgorithm.ecdhKeyExchangeStandard.rawValue),
            (
                "kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA1",
                SecKeyAlgorithm.ecdhKeyExchangeStandardX963SHA1.rawValue
            ),
            (
                "kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA224",
                SecKeyAlgorithm.ecdhKeyExchangeStandardX963SHA224.rawValue
            ),
            (
                "kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA256",
                SecKeyAlgorithm.ecdhKeyExchangeStandardX963SHA256.rawValue
            ),
            (
                "kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA384",
                SecKeyAlgorithm.ecdhKeyExchangeStandardX963SHA384.rawValue
            ),
            (
                "kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA512",
                SecKeyAlgorithm.ecdhKeyExchangeStandardX963SHA512.rawValue
            ),
            ("kSecKeyAlgorithmECDHKeyExchangeCofactor", SecKeyAlgorithm.ecdhKeyExchangeCofactor.rawValue),
            (
                "kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA1",
                SecKeyAlgorithm.ecdhKeyExchangeCofactorX963SHA1.rawValue
            ),
            (
                "kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA224",
                SecKeyAlgorithm.ecdhKeyExchangeCofactorX963SHA224.rawValue
            ),
            (
                "kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA256",
                SecKeyAlgorithm.ecdhKeyExchangeCofactorX963SHA256.rawValue
            ),
            (
                "kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA384",
                SecKeyAlgorithm.ecdhKeyExchangeCofactorX963SHA384.rawValue
            ),
            (
                "kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA512",
                SecKeyAlgorithm.ecdhKeyExchangeCofactorX963SHA512.rawValue
            ),
            ("kSecKeyKeyExchangeParameterRequestedSize", SecKeyKeyExchangeParameter.requestedSize.rawValue),
            ("kSecKeyKeyExchangeParameterSharedInfo", SecKeyKeyExchangeParameter.sharedInfo.rawValue),
        ]
    }
}
