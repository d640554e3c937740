// The codes of trust policies, revocation and account services.

public let errSecPolicyNotFound: OSStatus = -25241
public let errSecInvalidTrustSetting: OSStatus = -25242
public let errSecNoAccessForItem: OSStatus = -25243
public let errSecInvalidOwnerEdit: OSStatus = -25244
public let errSecTrustNotAvailable: OSStatus = -25245
public let errSecInvalidTrustSettings: OSStatus = -25262
public let errSecNoTrustSettings: OSStatus = -25263
public let errSecDuplicateCallback: OSStatus = -25297
public let errSecInvalidCallback: OSStatus = -25298
public let errSecNoStorageModule: OSStatus = -25312
public let errSecNoCertificateModule: OSStatus = -25313
public let errSecNoPolicyModule: OSStatus = -25314
public let errSecCreateChainFailed: OSStatus = -25318
public let errSecInvalidPrefsDomain: OSStatus = -25319
public let errSecInsufficientClientID: OSStatus = -67586
public let errSecDeviceReset: OSStatus = -67587
public let errSecDeviceFailed: OSStatus = -67588
public let errSecAppleAddAppACLSubject: OSStatus = -67589
public let errSecApplePublicKeyIncomplete: OSStatus = -67590
public let errSecAppleSignatureMismatch: OSStatus = -67591
public let errSecAppleInvalidKeyStartDate: OSStatus = -67592
public let errSecAppleInvalidKeyEndDate: OSStatus = -67593
public let errSecConversionError: OSStatus = -67594
public let errSecAppleSSLv2Rollback: OSStatus = -67595
public let errSecQuotaExceeded: OSStatus = -67596
public let errSecFileTooBig: OSStatus = -67597
public let errSecInvalidDatabaseBlob: OSStatus = -67598
public let errSecInvalidKeyBlob: OSStatus = -67599
public let errSecIncompatibleDatabaseBlob: OSStatus = -67600
public let errSecIncompatibleKeyBlob: OSStatus = -67601
public let errSecHostNameMismatch: OSStatus = -67602
public let errSecUnknownCriticalExtensionFlag: OSStatus = -67603
public let errSecNoBasicConstraints: OSStatus = -67604
public let errSecNoBasicConstraintsCA: OSStatus = -67605
public let errSecInvalidAuthorityKeyID: OSStatus = -67606
public let errSecInvalidSubjectKeyID: OSStatus = -67607
public let errSecInvalidKeyUsageForPolicy: OSStatus = -67608
public let errSecInvalidExtendedKeyUsage: OSStatus = -67609
public let errSecInvalidIDLinkage: OSStatus = -67610
public let errSecPathLengthConstraintExceeded: OSStatus = -67611
public let errSecInvalidRoot: OSStatus = -67612
public let errSecCRLExpired: OSStatus = -67613
public let errSecCRLNotValidYet: OSStatus = -67614
public let errSecCRLNotFound: OSStatus = -67615
public let errSecCRLServerDown: OSStatus = -67616
public let errSecCRLBadURI: OSStatus = -67617
public let errSecUnknownCertExtension: OSStatus = -67618
public let errSecUnknownCRLExtension: OSStatus = -67619
public let errSecCRLNotTrusted: OSStatus = -67620
public let errSecCRLPolicyFailed: OSStatus = -67621
public let errSecIDPFailure: OSStatus = -67622
public let errSecSMIMEEmailAddressesNotFound: OSStatus = -67623
public let errSecSMIMEBadExtendedKeyUsage: OSStatus = -67624
public let errSecSMIMEBadKeyUsage: OSStatus = -67625
public let errSecSMIMEKeyUsageNotCritical: OSStatus = -67626
public let errSecSMIMENoEmailAddress: OSStatus = -67627
public let errSecSMIMESubjAltNameNotCritical: OSStatus = -67628
public let errSecSSLBadExtendedKeyUsage: OSStatus = -67629
public let errSecOCSPBadResponse: OSStatus = -67630
public let errSecOCSPBadRequest: OSStatus = -67631
public let errSecOCSPUnavailable: OSStatus = -67632
public let errSecOCSPStatusUnrecognized: OSStatus = -67633
public let errSecEndOfData: OSStatus = -67634
public let errSecIncompleteCertRevocationCheck: OSStatus = -67635
public let errSecNetworkFailure: OSStatus = -67636
public let errSecOCSPNotTrustedToAnchor: OSStatus = -67637
public let errSecRecordModified: OSStatus = -67638
public let errSecOCSPSignatureError: OSStatus = -67639
public let errSecOCSPNoSigner: OSStatus = -67640
public let errSecOCSPResponderMalformedReq: OSStatus = -67641
public let errSecOCSPResponderInternalError: OSStatus = -67642
public let errSecOCSPResponderTryLater: OSStatus = -67643
public let errSecOCSPResponderSignatureRequired: OSStatus = -67644
public let errSecOCSPResponderUnauthorized: OSStatus = -67645
public let errSecOCSPResponseNonceMismatch: OSStatus = -67646
public let errSecCodeSigningBadCertChainLength: OSStatus = -67647
public let errSecCodeSigningNoBasicConstraints: OSStatus = -67648
public let errSecCodeSigningBadPathLengthConstraint: OSStatus = -67649
public let errSecCodeSigningNoExtendedKeyUsage: OSStatus = -67650
public let errSecCodeSigningDevelopment: OSStatus = -67651
public let errSecResourceSignBadCertChainLength: OSStatus = -67652
public let errSecResourceSignBadExtKeyUsage: OSStatus = -67653
public let errSecTrustSettingDeny: OSStatus = -67654
public let errSecInvalidSubjectName: OSStatus = -67655
public let errSecUnknownQualifiedCertStatement: OSStatus = -67656
public let errSecMobileMeRequestQueued: OSStatus = -67657
public let errSecMobileMeRequestRedirected: OSStatus = -67658
public let errSecMobileMeServerError: OSStatus = -67659
public let errSecMobileMeServerNotAvailable: OSStatus = -67660
public let errSecMobileMeServerAlreadyExists: OSStatus = -67661
public let errSecMobileMeServerServiceErr: OSStatus = -67662
public let errSecMobileMeRequestAlreadyPending: OSStatus = -67663
public let errSecMobileMeNoRequestPending: OSStatus = -67664
public let errSecMobileMeCSRVerifyFailure: OSStatus = -67665
public let errSecMobileMeFailedConsistencyCheck: OSStatus = -67666

extension ResultMessage {
    static let policies: [ResultMessage] = [
        .init("errSecPolicyNotFound", errSecPolicyNotFound, "The policy was not found."),
        .init("errSecInvalidTrustSetting", errSecInvalidTrustSetting, "The trust setting is not valid."),
        .init("errSecNoAccessForItem", errSecNoAccessForItem, "The item has no access control."),
        .init("errSecInvalidOwnerEdit", errSecInvalidOwnerEdit, "The owner of an item cannot be changed this way."),
        .init("errSecTrustNotAvailable", errSecTrustNotAvailable, "There is no result of a trust evaluation."),
        .init("errSecInvalidTrustSettings", errSecInvalidTrustSettings, "The trust settings are damaged."),
        .init("errSecNoTrustSettings", errSecNoTrustSettings, "There are no trust settings."),
        .init("errSecDuplicateCallback", errSecDuplicateCallback, "This callback is registered already."),
        .init("errSecInvalidCallback", errSecInvalidCallback, "The callback is not valid."),
        .init("errSecNoStorageModule", errSecNoStorageModule, "A storage module is missing."),
        .init("errSecNoCertificateModule", errSecNoCertificateModule, "A certificate module is missing."),
        .init("errSecNoPolicyModule", errSecNoPolicyModule, "A policy module is missing."),
        .init("errSecCreateChainFailed", errSecCreateChainFailed, "No certificate chain could be built."),
        .init("errSecInvalidPrefsDomain", errSecInvalidPrefsDomain, "The preference domain is not valid."),
        .init("errSecInsufficientClientID", errSecInsufficientClientID, "The client is not identified well enough."),
        .init("errSecDeviceReset", errSecDeviceReset, "The device was reset."),
        .init("errSecDeviceFailed", errSecDeviceFailed, "The device failed."),
        .init(
            "errSecAppleAddAppACLSubject", errSecAppleAddAppACLSubject,
            "The program could not be added to the access control list."),
        .init(
            "errSecApplePublicKeyIncomplete", errSecApplePublicKeyIncomplete,
            "The public key is incomplete: parameters are missing."),
        .init(
            "errSecAppleSignatureMismatch", errSecAppleSignatureMismatch,
            "The program's signature is not the expected one."),
        .init(
            "errSecAppleInvalidKeyStartDate", errSecAppleInvalidKeyStartDate,
            "The start date of the key is not valid."),
        .init("errSecAppleInvalidKeyEndDate", errSecAppleInvalidKeyEndDate, "The end date of the key is not valid."),
        .init("errSecConversionError", errSecConversionError, "The data could not be converted."),
        .init("errSecAppleSSLv2Rollback", errSecAppleSSLv2Rollback, "A fallback to version 2 of SSL was detected."),
        .init("errSecQuotaExceeded", errSecQuotaExceeded, "The quota is exceeded."),
        .init("errSecFileTooBig", errSecFileTooBig, "The file is too big."),
        .init(
            "errSecInvalidDatabaseBlob", errSecInvalidDatabaseBlob,
            "The database contains data that is not valid."),
        .init("errSecInvalidKeyBlob", errSecInvalidKeyBlob, "The stored key is not valid."),
        .init(
            "errSecIncompatibleDatabaseBlob", errSecIncompatibleDatabaseBlob,
            "The database was written in an incompatible form."),
        .init("errSecIncompatibleKeyBlob", errSecIncompatibleKeyBlob, "The key was stored in an incompatible form."),
        .init(
            "errSecHostNameMismatch", errSecHostNameMismatch,
            "The host name is not one of those in the certificate."),
        .init(
            "errSecUnknownCriticalExtensionFlag", errSecUnknownCriticalExtensionFlag,
            "The certificate has an unknown extension that must be understood."),
        .init("errSecNoBasicConstraints", errSecNoBasicConstraints, "The certificate has no basic constraints."),
        .init(
            "errSecNoBasicConstraintsCA", errSecNoBasicConstraintsCA,
            "The basic constraints do not allow the certificate to issue others."),
        .init(
            "errSecInvalidAuthorityKeyID", errSecInvalidAuthorityKeyID,
            "The authority key identifier is not valid."),
        .init("errSecInvalidSubjectKeyID", errSecInvalidSubjectKeyID, "The subject key identifier is not valid."),
        .init(
            "errSecInvalidKeyUsageForPolicy", errSecInvalidKeyUsageForPolicy,
            "The policy does not accept the key usage of the certificate."),
        .init(
            "errSecInvalidExtendedKeyUsage", errSecInvalidExtendedKeyUsage,
            "The extended key usage of the certificate is not valid."),
        .init(
            "errSecInvalidIDLinkage", errSecInvalidIDLinkage,
            "The key identifiers of certificate and issuer do not match."),
        .init(
            "errSecPathLengthConstraintExceeded", errSecPathLengthConstraintExceeded,
            "The certificate chain is longer than one of its certificates allows."),
        .init("errSecInvalidRoot", errSecInvalidRoot, "The root certificate is not valid."),
        .init("errSecCRLExpired", errSecCRLExpired, "The revocation list has expired."),
        .init("errSecCRLNotValidYet", errSecCRLNotValidYet, "The revocation list is not valid yet."),
        .init("errSecCRLNotFound", errSecCRLNotFound, "The revocation list was not found."),
        .init("errSecCRLServerDown", errSecCRLServerDown, "The server of the revocation list does not answer."),
        .init("errSecCRLBadURI", errSecCRLBadURI, "The address of the revocation list is not valid."),
        .init("errSecUnknownCertExtension", errSecUnknownCertExtension, "The certificate has an unknown extension."),
        .init(
            "errSecUnknownCRLExtension", errSecUnknownCRLExtension,
            "The revocation list has an unknown extension."),
        .init("errSecCRLNotTrusted", errSecCRLNotTrusted, "The revocation list is not trusted."),
        .init("errSecCRLPolicyFailed", errSecCRLPolicyFailed, "The revocation list does not fulfil its policy."),
        .init(
            "errSecIDPFailure", errSecIDPFailure,
            "The issuing distribution point of the revocation list is not valid."),
        .init(
            "errSecSMIMEEmailAddressesNotFound", errSecSMIMEEmailAddressesNotFound,
            "The certificate does not contain the mail address."),
        .init(
            "errSecSMIMEBadExtendedKeyUsage", errSecSMIMEBadExtendedKeyUsage,
            "The extended key usage does not allow signed or encrypted mail."),
        .init(
            "errSecSMIMEBadKeyUsage", errSecSMIMEBadKeyUsage,
            "The key usage does not allow signed or encrypted mail."),
        .init(
            "errSecSMIMEKeyUsageNotCritical", errSecSMIMEKeyUsageNotCritical,
            "The key usage of the mail certificate is not marked as critical."),
        .init(
            "errSecSMIMENoEmailAddress", errSecSMIMENoEmailAddress,
            "The mail certificate contains no mail address."),
        .init(
            "errSecSMIMESubjAltNameNotCritical", errSecSMIMESubjAltNameNotCritical,
            "The alternative name of the mail certificate is not marked as critical."),
        .init(
            "errSecSSLBadExtendedKeyUsage", errSecSSLBadExtendedKeyUsage,
            "The extended key usage does not allow TLS."),
        .init("errSecOCSPBadResponse", errSecOCSPBadResponse, "The OCSP response cannot be read or is not valid."),
        .init("errSecOCSPBadRequest", errSecOCSPBadRequest, "The OCSP request is not valid."),
        .init("errSecOCSPUnavailable", errSecOCSPUnavailable, "The OCSP service is not available."),
        .init(
            "errSecOCSPStatusUnrecognized", errSecOCSPStatusUnrecognized,
            "The OCSP service does not know the certificate."),
        .init("errSecEndOfData", errSecEndOfData, "The end of the data was reached."),
        .init(
            "errSecIncompleteCertRevocationCheck", errSecIncompleteCertRevocationCheck,
            "The revocation of the certificate could not be checked completely."),
        .init("errSecNetworkFailure", errSecNetworkFailure, "The network failed."),
        .init(
            "errSecOCSPNotTrustedToAnchor", errSecOCSPNotTrustedToAnchor,
            "The OCSP response does not lead to a trusted root."),
        .init("errSecRecordModified", errSecRecordModified, "The record was changed in the meantime."),
        .init(
            "errSecOCSPSignatureError", errSecOCSPSignatureError,
            "The signature of the OCSP response is not valid."),
        .init("errSecOCSPNoSigner", errSecOCSPNoSigner, "The OCSP response names no signer."),
        .init(
            "errSecOCSPResponderMalformedReq", errSecOCSPResponderMalformedReq,
            "The OCSP service could not read the request."),
        .init(
            "errSecOCSPResponderInternalError", errSecOCSPResponderInternalError,
            "The OCSP service had an internal error."),
        .init(
            "errSecOCSPResponderTryLater", errSecOCSPResponderTryLater,
            "The OCSP service is busy; try again later."),
        .init(
            "errSecOCSPResponderSignatureRequired", errSecOCSPResponderSignatureRequired,
            "The OCSP service requires signed requests."),
        .init(
            "errSecOCSPResponderUnauthorized", errSecOCSPResponderUnauthorized,
            "The OCSP service refused the request."),
        .init(
            "errSecOCSPResponseNonceMismatch", errSecOCSPResponseNonceMismatch,
            "The OCSP response belongs to another request."),
        .init(
            "errSecCodeSigningBadCertChainLength", errSecCodeSigningBadCertChainLength,
            "The certificate chain of the signed code has the wrong length."),
        .init(
            "errSecCodeSigningNoBasicConstraints", errSecCodeSigningNoBasicConstraints,
            "A certificate of the signed code has no basic constraints."),
        .init(
            "errSecCodeSigningBadPathLengthConstraint", errSecCodeSigningBadPathLengthConstraint,
            "A certificate of the signed code has a wrong path length."),
        .init(
            "errSecCodeSigningNoExtendedKeyUsage", errSecCodeSigningNoExtendedKeyUsage,
            "The certificate has no extended key usage for signing code."),
        .init(
            "errSecCodeSigningDevelopment", errSecCodeSigningDevelopment,
            "The certificate signs code for development only."),
        .init(
            "errSecResourceSignBadCertChainLength", errSecResourceSignBadCertChainLength,
            "The certificate chain of the signed resources has the wrong length."),
        .init(
            "errSecResourceSignBadExtKeyUsage", errSecResourceSignBadExtKeyUsage,
            "The extended key usage does not allow signing resources."),
        .init("errSecTrustSettingDeny", errSecTrustSettingDeny, "The trust settings refuse this certificate."),
        .init(
            "errSecInvalidSubjectName", errSecInvalidSubjectName,
            "The subject of the certificate is empty or not valid."),
        .init(
            "errSecUnknownQualifiedCertStatement", errSecUnknownQualifiedCertStatement,
            "The certificate has an unknown qualified statement."),
        .init(
            "errSecMobileMeRequestQueued", errSecMobileMeRequestQueued,
            "The request to the account server is queued."),
        .init(
            "errSecMobileMeRequestRedirected", errSecMobileMeRequestRedirected,
            "The request to the account server was redirected."),
        .init("errSecMobileMeServerError", errSecMobileMeServerError, "The account server reported an error."),
        .init(
            "errSecMobileMeServerNotAvailable", errSecMobileMeServerNotAvailable,
            "The account server is not available."),
        .init(
            "errSecMobileMeServerAlreadyExists", errSecMobileMeServerAlreadyExists,
            "The account server reports that the item exists already."),
        .init(
            "errSecMobileMeServerServiceErr", errSecMobileMeServerServiceErr,
            "A service of the account server failed."),
        .init(
            "errSecMobileMeRequestAlreadyPending", errSecMobileMeRequestAlreadyPending,
            "A request to the account server is pending already."),
        .init(
            "errSecMobileMeNoRequestPending", errSecMobileMeNoRequestPending,
            "No request to the account server is pending."),
        .init(
            "errSecMobileMeCSRVerifyFailure", errSecMobileMeCSRVerifyFailure,
            "The account server could not verify the signing request."),
        .init(
            "errSecMobileMeFailedConsistencyCheck", errSecMobileMeFailedConsistencyCheck,
            "The account server found the request inconsistent."),
    ]
}
