// Codes with names of Apple's private headers, and further names of public codes.

import LatchkeyItemModel

public let errSecMPSignatureInvalid: OSStatus = -25327
public let errSecOTRTooOld: OSStatus = -25328
public let errSecOTRIDTooNew: OSStatus = -25329
public let errSecAuthNeeded: OSStatus = -25330
public let errSecOTRNotReady: OSStatus = -25331
public let errSecPolicyDenied: OSStatus = -26270
public let errSecInternal: OSStatus = ResultCode.internalError.rawValue
public let errSecWaitForCallback: OSStatus = -34017
public let errSecUpgradePending: OSStatus = -34019
/// The code that SecureTransport's calls report for a failed signature.
public let errSSLCrypto: OSStatus = -9809

// The same as errSecDecode.
public let errSecInvalidKey: OSStatus = errSecDecode
public let errSecInvalidCertificate: OSStatus = errSecDecode

// The same as errSecUnimplemented.
public let errSecUnsupportedAlgorithm: OSStatus = errSecUnimplemented
public let errSecUnsupportedOperation: OSStatus = errSecUnimplemented

// The same as errSecParam.
public let errSecUnsupportedPadding: OSStatus = errSecParam
public let errSecItemInvalidKey: OSStatus = errSecParam
public let errSecItemInvalidKeyType: OSStatus = errSecParam
public let errSecItemInvalidValue: OSStatus = errSecParam
public let errSecItemClassMissing: OSStatus = errSecParam
public let errSecItemMatchUnsupported: OSStatus = errSecParam
public let errSecUseItemListUnsupported: OSStatus = errSecParam
public let errSecUseKeychainUnsupported: OSStatus = errSecParam
public let errSecUseKeychainListUnsupported: OSStatus = errSecParam
public let errSecReturnDataUnsupported: OSStatus = errSecParam
public let errSecReturnAttributesUnsupported: OSStatus = errSecParam
public let errSecReturnRefUnsupported: OSStatus = errSecParam
public let errSecReturnPersistentRefUnsupported: OSStatus = errSecParam
public let errSecValueRefUnsupported: OSStatus = errSecParam
public let errSecValuePersistentRefUnsupported: OSStatus = errSecParam
public let errSecReturnMissingPointer: OSStatus = errSecParam
public let errSecMatchLimitUnsupported: OSStatus = errSecParam
public let errSecItemIllegalQuery: OSStatus = errSecParam

extension ResultMessage {
    static let privateCodes: [ResultMessage] = [
        .init(
            "errSecMPSignatureInvalid", errSecMPSignatureInvalid,
            "The signature of a synchronisation message is not valid."),
        .init("errSecOTRTooOld", errSecOTRTooOld, "The synchronisation message belongs to an older session."),
        .init("errSecOTRIDTooNew", errSecOTRIDTooNew, "The synchronisation message belongs to a newer session."),
        .init("errSecAuthNeeded", errSecAuthNeeded, "The item's conditions have to be fulfilled first."),
        .init("errSecOTRNotReady", errSecOTRNotReady, "The synchronisation session is not ready yet."),
        .init("errSecPolicyDenied", errSecPolicyDenied, "The trust policy does not allow this."),
        .init("errSecInternal", errSecInternal, "An internal error happened."),
        .init("errSecWaitForCallback", errSecWaitForCallback, "The operation continues; its result comes later."),
        .init(
            "errSecUpgradePending", errSecUpgradePending,
            "The keychain is updated once the device is unlocked."),
        .init("errSSLCrypto", errSSLCrypto, "The cryptographic operation failed."),
        .init("errSecInvalidKey", sameAs: errSecDecode),
        .init("errSecInvalidCertificate", sameAs: errSecDecode),
        .init("errSecUnsupportedAlgorithm", sameAs: errSecUnimplemented),
        .init("errSecUnsupportedOperation", sameAs: errSecUnimplemented),
        .init("errSecUnsupportedPadding", sameAs: errSecParam),
        .init("errSecItemInvalidKey", sameAs: errSecParam),
        .init("errSecItemInvalidKeyType", sameAs: errSecParam),
        .init("errSecItemInvalidValue", sameAs: errSecParam),
        .init("errSecItemClassMissing", sameAs: errSecParam),
        .init("errSecItemMatchUnsupported", sameAs: errSecParam),
        .init("errSecUseItemListUnsupported", sameAs: errSecParam),
        .init("errSecUseKeychainUnsupported", sameAs: errSecParam),
        .init("errSecUseKeychainListUnsupported", sameAs: errSecParam),
        .init("errSecReturnDataUnsupported", sameAs: errSecParam),
        .init("errSecReturnAttributesUnsupported", sameAs: errSecParam),
        .init("errSecReturnRefUnsupported", sameAs: errSecParam),
        .init("errSecReturnPersistentRefUnsupported", sameAs: errSecParam),
        .init("errSecValueRefUnsupported", sameAs: errSecParam),
        .init("errSecValuePersistentRefUnsupported", sameAs: errSecParam),
        .init("errSecReturnMissingPointer", sameAs: errSecParam),
        .init("errSecMatchLimitUnsupported", sameAs: errSecParam),
        .init("errSecItemIllegalQuery", sameAs: errSecParam),
    ]
}
