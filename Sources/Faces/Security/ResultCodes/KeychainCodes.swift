// The codes of calls on items, keys and access controls.

public let errSecSuccess: OSStatus = 0
public let errSecUnimplemented: OSStatus = -4
public let errSecDiskFull: OSStatus = -34
public let errSecIO: OSStatus = -36
public let errSecOpWr: OSStatus = -49
public let errSecParam: OSStatus = -50
public let errSecWrPerm: OSStatus = -61
public let errSecAllocate: OSStatus = -108
public let errSecUserCanceled: OSStatus = -128
public let errSecBadReq: OSStatus = -909
public let errSecInternalComponent: OSStatus = -2070
public let errSecCoreFoundationUnknown: OSStatus = -4960
public let errSecACLNotSimple: OSStatus = -25240
public let errSecUnsupportedFormat: OSStatus = -25256
public let errSecUnknownFormat: OSStatus = -25257
public let errSecKeyIsSensitive: OSStatus = -25258
public let errSecMultiplePrivKeys: OSStatus = -25259
public let errSecPassphraseRequired: OSStatus = -25260
public let errSecInvalidPasswordRef: OSStatus = -25261
public let errSecPkcs12VerifyFailure: OSStatus = -25264
public let errSecNotAvailable: OSStatus = -25291
public let errSecReadOnly: OSStatus = -25292
public let errSecAuthFailed: OSStatus = -25293
public let errSecNoSuchKeychain: OSStatus = -25294
public let errSecInvalidKeychain: OSStatus = -25295
public let errSecDuplicateKeychain: OSStatus = -25296
public let errSecDuplicateItem: OSStatus = -25299
public let errSecItemNotFound: OSStatus = -25300
public let errSecBufferTooSmall: OSStatus = -25301
public let errSecDataTooLarge: OSStatus = -25302
public let errSecNoSuchAttr: OSStatus = -25303
public let errSecInvalidItemRef: OSStatus = -25304
public let errSecInvalidSearchRef: OSStatus = -25305
public let errSecNoSuchClass: OSStatus = -25306
public let errSecNoDefaultKeychain: OSStatus = -25307
public let errSecInteractionNotAllowed: OSStatus = -25308
public let errSecReadOnlyAttr: OSStatus = -25309
public let errSecWrongSecVersion: OSStatus = -25310
public let errSecKeySizeNotAllowed: OSStatus = -25311
public let errSecInteractionRequired: OSStatus = -25315
public let errSecDataNotAvailable: OSStatus = -25316
public let errSecDataNotModifiable: OSStatus = -25317
public let errSecInDarkWake: OSStatus = -25320
public let errSecNotSigner: OSStatus = -26267
public let errSecDecode: OSStatus = -26275
public let errSecMissingEntitlement: OSStatus = -34018
public let errSecRestrictedAPI: OSStatus = -34020
public let errSecServiceNotAvailable: OSStatus = -67585
public let errSecVerifyFailed: OSStatus = -67808

extension ResultMessage {
    static let keychain: [ResultMessage] = [
        .init("errSecSuccess", errSecSuccess, "The operation succeeded."),
        .init("errSecUnimplemented", errSecUnimplemented, "This function or algorithm is not implemented."),
        .init("errSecDiskFull", errSecDiskFull, "The disk is full."),
        .init("errSecIO", errSecIO, "Reading or writing a file failed."),
        .init("errSecOpWr", errSecOpWr, "The file is already open for writing."),
        .init(
            "errSecParam", errSecParam,
            "A parameter is not valid: a key, a value or a combination that this call does not accept."),
        .init("errSecWrPerm", errSecWrPerm, "There is no permission to write."),
        .init("errSecAllocate", errSecAllocate, "Memory could not be allocated."),
        .init("errSecUserCanceled", errSecUserCanceled, "The user cancelled the operation."),
        .init("errSecBadReq", errSecBadReq, "The request cannot be carried out in this state."),
        .init("errSecInternalComponent", errSecInternalComponent, "An internal component failed."),
        .init(
            "errSecCoreFoundationUnknown", errSecCoreFoundationUnknown,
            "An unknown failure happened in a system library."),
        .init("errSecACLNotSimple", errSecACLNotSimple, "The access control list is not in its simple form."),
        .init("errSecUnsupportedFormat", errSecUnsupportedFormat, "This format cannot be imported or exported."),
        .init("errSecUnknownFormat", errSecUnknownFormat, "The format of the imported data is not known."),
        .init("errSecKeyIsSensitive", errSecKeyIsSensitive, "The key can only be exported encrypted."),
        .init("errSecMultiplePrivKeys", errSecMultiplePrivKeys, "Only one private key can be imported at a time."),
        .init("errSecPassphraseRequired", errSecPassphraseRequired, "A passphrase is needed to import or export."),
        .init("errSecInvalidPasswordRef", errSecInvalidPasswordRef, "The reference to a password is not valid."),
        .init(
            "errSecPkcs12VerifyFailure", errSecPkcs12VerifyFailure,
            "The PKCS #12 data does not verify: the passphrase is wrong or the data is damaged."),
        .init(
            "errSecNotAvailable", errSecNotAvailable,
            "No keychain is available, or the key of the item's protection class does not exist."),
        .init("errSecReadOnly", errSecReadOnly, "The keychain cannot be changed."),
        .init("errSecAuthFailed", errSecAuthFailed, "Authentication failed."),
        .init("errSecNoSuchKeychain", errSecNoSuchKeychain, "The keychain does not exist."),
        .init("errSecInvalidKeychain", errSecInvalidKeychain, "The file is not a keychain."),
        .init("errSecDuplicateKeychain", errSecDuplicateKeychain, "A keychain of this name exists already."),
        .init("errSecDuplicateItem", errSecDuplicateItem, "The item exists already in the keychain."),
        .init("errSecItemNotFound", errSecItemNotFound, "The item was not found in the keychain."),
        .init("errSecBufferTooSmall", errSecBufferTooSmall, "The buffer is too small for the result."),
        .init("errSecDataTooLarge", errSecDataTooLarge, "The data is too large for this kind of item."),
        .init("errSecNoSuchAttr", errSecNoSuchAttr, "Items of this class have no such attribute."),
        .init(
            "errSecInvalidItemRef", errSecInvalidItemRef,
            "The item is not valid, perhaps because it has been deleted."),
        .init("errSecInvalidSearchRef", errSecInvalidSearchRef, "The search cannot be continued."),
        .init("errSecNoSuchClass", errSecNoSuchClass, "There is no such item class."),
        .init("errSecNoDefaultKeychain", errSecNoDefaultKeychain, "There is no default keychain."),
        .init(
            "errSecInteractionNotAllowed", errSecInteractionNotAllowed,
            "The item cannot be used while the device is locked or the user may not be asked."),
        .init("errSecReadOnlyAttr", errSecReadOnlyAttr, "The attribute cannot be changed."),
        .init("errSecWrongSecVersion", errSecWrongSecVersion, "The data was written by another version."),
        .init("errSecKeySizeNotAllowed", errSecKeySizeNotAllowed, "Keys of this size are not allowed."),
        .init(
            "errSecInteractionRequired", errSecInteractionRequired,
            "The user has to be asked, which is not allowed here."),
        .init("errSecDataNotAvailable", errSecDataNotAvailable, "The contents of the item cannot be read."),
        .init("errSecDataNotModifiable", errSecDataNotModifiable, "The contents of the item cannot be changed."),
        .init("errSecInDarkWake", errSecInDarkWake, "The user cannot be asked while the display sleeps."),
        .init("errSecNotSigner", errSecNotSigner, "The certificate is not signed by the issuer it names."),
        .init("errSecDecode", errSecDecode, "The data cannot be decoded."),
        .init(
            "errSecMissingEntitlement", errSecMissingEntitlement,
            "The program may not use this access group, or lacks an entitlement that the call needs."),
        .init("errSecRestrictedAPI", errSecRestrictedAPI, "The program may not use this function."),
        .init("errSecServiceNotAvailable", errSecServiceNotAvailable, "The service is not available."),
        .init("errSecVerifyFailed", errSecVerifyFailed, "The signature does not match the data and the key."),
    ]
}
