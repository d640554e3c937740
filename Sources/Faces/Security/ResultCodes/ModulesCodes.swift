// The codes of security modules and their parameters.

public let errSecNotInitialized: OSStatus = -67667
public let errSecInvalidHandleUsage: OSStatus = -67668
public let errSecPVCReferentNotFound: OSStatus = -67669
public let errSecFunctionIntegrityFail: OSStatus = -67670
public let errSecInternalError: OSStatus = -67671
public let errSecMemoryError: OSStatus = -67672
public let errSecInvalidData: OSStatus = -67673
public let errSecMDSError: OSStatus = -67674
public let errSecInvalidPointer: OSStatus = -67675
public let errSecSelfCheckFailed: OSStatus = -67676
public let errSecFunctionFailed: OSStatus = -67677
public let errSecModuleManifestVerifyFailed: OSStatus = -67678
public let errSecInvalidGUID: OSStatus = -67679
public let errSecInvalidHandle: OSStatus = -67680
public let errSecInvalidDBList: OSStatus = -67681
public let errSecInvalidPassthroughID: OSStatus = -67682
public let errSecInvalidNetworkAddress: OSStatus = -67683
public let errSecCRLAlreadySigned: OSStatus = -67684
public let errSecInvalidNumberOfFields: OSStatus = -67685
public let errSecVerificationFailure: OSStatus = -67686
public let errSecUnknownTag: OSStatus = -67687
public let errSecInvalidSignature: OSStatus = -67688
public let errSecInvalidName: OSStatus = -67689
public let errSecInvalidCertificateRef: OSStatus = -67690
public let errSecInvalidCertificateGroup: OSStatus = -67691
public let errSecTagNotFound: OSStatus = -67692
public let errSecInvalidQuery: OSStatus = -67693
public let errSecInvalidValue: OSStatus = -67694
public let errSecCallbackFailed: OSStatus = -67695
public let errSecACLDeleteFailed: OSStatus = -67696
public let errSecACLReplaceFailed: OSStatus = -67697
public let errSecACLAddFailed: OSStatus = -67698
public let errSecACLChangeFailed: OSStatus = -67699
public let errSecInvalidAccessCredentials: OSStatus = -67700
public let errSecInvalidRecord: OSStatus = -67701
public let errSecInvalidACL: OSStatus = -67702
public let errSecInvalidSampleValue: OSStatus = -67703
public let errSecIncompatibleVersion: OSStatus = -67704
public let errSecPrivilegeNotGranted: OSStatus = -67705
public let errSecInvalidScope: OSStatus = -67706
public let errSecPVCAlreadyConfigured: OSStatus = -67707
public let errSecInvalidPVC: OSStatus = -67708
public let errSecEMMLoadFailed: OSStatus = -67709
public let errSecEMMUnloadFailed: OSStatus = -67710
public let errSecAddinLoadFailed: OSStatus = -67711
public let errSecInvalidKeyRef: OSStatus = -67712
public let errSecInvalidKeyHierarchy: OSStatus = -67713
public let errSecAddinUnloadFailed: OSStatus = -67714
public let errSecLibraryReferenceNotFound: OSStatus = -67715
public let errSecInvalidAddinFunctionTable: OSStatus = -67716
public let errSecInvalidServiceMask: OSStatus = -67717
public let errSecModuleNotLoaded: OSStatus = -67718
public let errSecInvalidSubServiceID: OSStatus = -67719
public let errSecAttributeNotInContext: OSStatus = -67720
public let errSecModuleManagerInitializeFailed: OSStatus = -67721
public let errSecModuleManagerNotFound: OSStatus = -67722
public let errSecEventNotificationCallbackNotFound: OSStatus = -67723
public let errSecInputLengthError: OSStatus = -67724
public let errSecOutputLengthError: OSStatus = -67725
public let errSecPrivilegeNotSupported: OSStatus = -67726
public let errSecDeviceError: OSStatus = -67727
public let errSecAttachHandleBusy: OSStatus = -67728
public let errSecNotLoggedIn: OSStatus = -67729
public let errSecAlgorithmMismatch: OSStatus = -67730
public let errSecKeyUsageIncorrect: OSStatus = -67731
public let errSecKeyBlobTypeIncorrect: OSStatus = -67732
public let errSecKeyHeaderInconsistent: OSStatus = -67733
public let errSecUnsupportedKeyFormat: OSStatus = -67734
public let errSecUnsupportedKeySize: OSStatus = -67735
public let errSecInvalidKeyUsageMask: OSStatus = -67736
public let errSecUnsupportedKeyUsageMask: OSStatus = -67737
public let errSecInvalidKeyAttributeMask: OSStatus = -67738
public let errSecUnsupportedKeyAttributeMask: OSStatus = -67739
public let errSecInvalidKeyLabel: OSStatus = -67740
public let errSecUnsupportedKeyLabel: OSStatus = -67741
public let errSecInvalidKeyFormat: OSStatus = -67742
public let errSecUnsupportedVectorOfBuffers: OSStatus = -67743
public let errSecInvalidInputVector: OSStatus = -67744
public let errSecInvalidOutputVector: OSStatus = -67745
public let errSecInvalidContext: OSStatus = -67746

extension ResultMessage {
    static let modules: [ResultMessage] = [
        .init("errSecNotInitialized", errSecNotInitialized, "The module was used before it was initialised."),
        .init("errSecInvalidHandleUsage", errSecInvalidHandleUsage, "The handle cannot be used for this."),
        .init("errSecPVCReferentNotFound", errSecPVCReferentNotFound, "The reference to the caller was not found."),
        .init(
            "errSecFunctionIntegrityFail", errSecFunctionIntegrityFail,
            "The integrity check of a function failed."),
        .init("errSecInternalError", errSecInternalError, "An internal error happened."),
        .init("errSecMemoryError", errSecMemoryError, "A memory error happened."),
        .init("errSecInvalidData", errSecInvalidData, "The data is not valid."),
        .init("errSecMDSError", errSecMDSError, "The module directory reported an error."),
        .init("errSecInvalidPointer", errSecInvalidPointer, "The pointer is not valid."),
        .init("errSecSelfCheckFailed", errSecSelfCheckFailed, "The module's check of itself failed."),
        .init("errSecFunctionFailed", errSecFunctionFailed, "The function failed."),
        .init(
            "errSecModuleManifestVerifyFailed", errSecModuleManifestVerifyFailed,
            "The manifest of the module does not verify."),
        .init("errSecInvalidGUID", errSecInvalidGUID, "The module identifier is not valid."),
        .init("errSecInvalidHandle", errSecInvalidHandle, "The handle is not valid."),
        .init("errSecInvalidDBList", errSecInvalidDBList, "The list of databases is not valid."),
        .init(
            "errSecInvalidPassthroughID", errSecInvalidPassthroughID,
            "The identifier of the passed-through function is not valid."),
        .init("errSecInvalidNetworkAddress", errSecInvalidNetworkAddress, "The network address is not valid."),
        .init("errSecCRLAlreadySigned", errSecCRLAlreadySigned, "The revocation list is signed already."),
        .init("errSecInvalidNumberOfFields", errSecInvalidNumberOfFields, "The number of fields is not valid."),
        .init("errSecVerificationFailure", errSecVerificationFailure, "The verification failed."),
        .init("errSecUnknownTag", errSecUnknownTag, "The tag is not known."),
        .init("errSecInvalidSignature", errSecInvalidSignature, "The signature is not valid."),
        .init("errSecInvalidName", errSecInvalidName, "The name is not valid."),
        .init(
            "errSecInvalidCertificateRef", errSecInvalidCertificateRef,
            "The reference to a certificate is not valid."),
        .init(
            "errSecInvalidCertificateGroup", errSecInvalidCertificateGroup,
            "The group of certificates is not valid."),
        .init("errSecTagNotFound", errSecTagNotFound, "The tag was not found."),
        .init("errSecInvalidQuery", errSecInvalidQuery, "The query is not valid."),
        .init("errSecInvalidValue", errSecInvalidValue, "The value is not valid."),
        .init("errSecCallbackFailed", errSecCallbackFailed, "A callback failed."),
        .init(
            "errSecACLDeleteFailed", errSecACLDeleteFailed,
            "An entry of the access control list could not be deleted."),
        .init(
            "errSecACLReplaceFailed", errSecACLReplaceFailed,
            "An entry of the access control list could not be replaced."),
        .init("errSecACLAddFailed", errSecACLAddFailed, "An entry could not be added to the access control list."),
        .init("errSecACLChangeFailed", errSecACLChangeFailed, "The access control list could not be changed."),
        .init(
            "errSecInvalidAccessCredentials", errSecInvalidAccessCredentials,
            "The access credentials are not valid."),
        .init("errSecInvalidRecord", errSecInvalidRecord, "The record is not valid."),
        .init("errSecInvalidACL", errSecInvalidACL, "The access control list is not valid."),
        .init("errSecInvalidSampleValue", errSecInvalidSampleValue, "The sample value is not valid."),
        .init("errSecIncompatibleVersion", errSecIncompatibleVersion, "The version is not compatible."),
        .init("errSecPrivilegeNotGranted", errSecPrivilegeNotGranted, "The privilege was not granted."),
        .init("errSecInvalidScope", errSecInvalidScope, "The scope is not valid."),
        .init(
            "errSecPVCAlreadyConfigured", errSecPVCAlreadyConfigured,
            "The check of callers is configured already."),
        .init("errSecInvalidPVC", errSecInvalidPVC, "The check of callers is not valid."),
        .init("errSecEMMLoadFailed", errSecEMMLoadFailed, "The elective module manager could not be loaded."),
        .init("errSecEMMUnloadFailed", errSecEMMUnloadFailed, "The elective module manager could not be unloaded."),
        .init("errSecAddinLoadFailed", errSecAddinLoadFailed, "The add-in could not be loaded."),
        .init("errSecInvalidKeyRef", errSecInvalidKeyRef, "The reference to a key is not valid."),
        .init("errSecInvalidKeyHierarchy", errSecInvalidKeyHierarchy, "The key hierarchy is not valid."),
        .init("errSecAddinUnloadFailed", errSecAddinUnloadFailed, "The add-in could not be unloaded."),
        .init(
            "errSecLibraryReferenceNotFound", errSecLibraryReferenceNotFound,
            "The reference to a library was not found."),
        .init(
            "errSecInvalidAddinFunctionTable", errSecInvalidAddinFunctionTable,
            "The function table of the add-in is not valid."),
        .init("errSecInvalidServiceMask", errSecInvalidServiceMask, "The service mask is not valid."),
        .init("errSecModuleNotLoaded", errSecModuleNotLoaded, "The module is not loaded."),
        .init(
            "errSecInvalidSubServiceID", errSecInvalidSubServiceID,
            "The identifier of the subservice is not valid."),
        .init("errSecAttributeNotInContext", errSecAttributeNotInContext, "The attribute is not in the context."),
        .init(
            "errSecModuleManagerInitializeFailed", errSecModuleManagerInitializeFailed,
            "The module manager could not be initialised."),
        .init("errSecModuleManagerNotFound", errSecModuleManagerNotFound, "The module manager was not found."),
        .init(
            "errSecEventNotificationCallbackNotFound", errSecEventNotificationCallbackNotFound,
            "The callback for events was not found."),
        .init("errSecInputLengthError", errSecInputLengthError, "The input has the wrong length."),
        .init("errSecOutputLengthError", errSecOutputLengthError, "The output has the wrong length."),
        .init("errSecPrivilegeNotSupported", errSecPrivilegeNotSupported, "The privilege is not supported."),
        .init("errSecDeviceError", errSecDeviceError, "The device reported an error."),
        .init("errSecAttachHandleBusy", errSecAttachHandleBusy, "The handle is in use."),
        .init("errSecNotLoggedIn", errSecNotLoggedIn, "No user is logged in."),
        .init("errSecAlgorithmMismatch", errSecAlgorithmMismatch, "The algorithms do not match."),
        .init("errSecKeyUsageIncorrect", errSecKeyUsageIncorrect, "The key may not be used for this."),
        .init("errSecKeyBlobTypeIncorrect", errSecKeyBlobTypeIncorrect, "The stored key is of another type."),
        .init(
            "errSecKeyHeaderInconsistent", errSecKeyHeaderInconsistent,
            "The header of the key contradicts itself."),
        .init("errSecUnsupportedKeyFormat", errSecUnsupportedKeyFormat, "The key format is not supported."),
        .init("errSecUnsupportedKeySize", errSecUnsupportedKeySize, "The key size is not supported."),
        .init("errSecInvalidKeyUsageMask", errSecInvalidKeyUsageMask, "The key usage mask is not valid."),
        .init("errSecUnsupportedKeyUsageMask", errSecUnsupportedKeyUsageMask, "The key usage mask is not supported."),
        .init("errSecInvalidKeyAttributeMask", errSecInvalidKeyAttributeMask, "The key attribute mask is not valid."),
        .init(
            "errSecUnsupportedKeyAttributeMask", errSecUnsupportedKeyAttributeMask,
            "The key attribute mask is not supported."),
        .init("errSecInvalidKeyLabel", errSecInvalidKeyLabel, "The key label is not valid."),
        .init("errSecUnsupportedKeyLabel", errSecUnsupportedKeyLabel, "The key label is not supported."),
        .init("errSecInvalidKeyFormat", errSecInvalidKeyFormat, "The key format is not valid."),
        .init(
            "errSecUnsupportedVectorOfBuffers", errSecUnsupportedVectorOfBuffers,
            "Several buffers at once are not supported."),
        .init("errSecInvalidInputVector", errSecInvalidInputVector, "The vector of inputs is not valid."),
        .init("errSecInvalidOutputVector", errSecInvalidOutputVector, "The vector of outputs is not valid."),
        .init("errSecInvalidContext", errSecInvalidContext, "The context is not valid."),
    ]
}
