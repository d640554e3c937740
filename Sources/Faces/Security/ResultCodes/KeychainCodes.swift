// The codes of calls on items, keys and access controls.

import LatchkeyItemModel

public let errSecSuccess: OSStatus = ResultCode.success.rawValue
public let errSecUnimplemented: OSStatus = ResultCode.unimplemented.rawValue
public let errSecDiskFull: OSStatus = ResultCode.diskFull.rawValue
public let errSecIO: OSStatus = ResultCode.io.rawValue
public let errSecOpWr: OSStatus = -49
public let errSecParam: OSStatus = ResultCode.param.rawValue
public let errSecWrPerm: OSStatus = -61
public let errSecAllocate: OSStatus = -108
public let errSecUserCanceled: OSStatus = ResultCode.userCanceled.rawValue
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
public let errSecNotAvailable: OSStatus = ResultCode.notAvailable.rawValue
public let errSecReadOnly: OSStatus = ResultCode.readOnly.rawValue
public let errSecAuthFailed: OSStatus = ResultCode.authFailed.rawValue
public let errSecNoSuchKeychain: OSStatus = -25294
public let errSecInvalidKeychain: OSStatus = -25295
public let errSecDuplicateKeychain: OSStatus = -25296
public let errSecDuplicateItem: OSStatus = ResultCode.duplicateItem.rawValue
public let errSecItemNotFound: OSStatus = ResultCode.itemNotFound.rawValue
public let errSecBufferTooSmall: OSStatus = -25301
public let errSecDataTooLarge: OSStatus = ResultCode.dataTooLarge.rawValue
public let errSecNoSuchAttr: OSStatus = ResultCode.noSuchAttr.rawValue
public let errSecInvalidItemRef: OSStatus = -25304
public let errSecInvalidSearchRef: OSStatus = -25305
public let errSecNoSuchClass: OSStatus = ResultCode.noSuchClass.rawValue
public let errSecNoDefaultKeychain: OSStatus = -25307
public let errSecInteractionNotAllowed: OSStatus = ResultCode.interactionNotAllowed.rawValue
public let errSecReadOnlyAttr: OSStatus = -25309
public let errSecWrongSecVersion: OSStatus = -25310
public let errSecKeySizeNotAllowed: OSStatus = -25311
public let errSecInteractionRequired: OSStatus = -25315
public let errSecDataNotAvailable: OSStatus = -25316
public let errSecDataNotModifiable: OSStatus = -25317
public let errSecInDarkWake: OSStatus = -25320
public let errSecNotSigner: OSStatus = -26267
public let errSecDecode: OSStatus = ResultCode.decode.rawValue
public let errSecMissingEntitlement: OSStatus = ResultCode.missingEntitlement.rawValue
public let errSecRestrictedAPI: OSStatus = ResultCode.restrictedAPI.rawValue
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
