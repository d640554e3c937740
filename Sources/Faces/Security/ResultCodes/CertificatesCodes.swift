// The codes of certificates, requests and timestamps.

public let errSecDeviceVerifyFailed: OSStatus = -67812
public let errSecInvalidLoginName: OSStatus = -67813
public let errSecAlreadyLoggedIn: OSStatus = -67814
public let errSecInvalidDigestAlgorithm: OSStatus = -67815
public let errSecInvalidCRLGroup: OSStatus = -67816
public let errSecCertificateCannotOperate: OSStatus = -67817
public let errSecCertificateExpired: OSStatus = -67818
public let errSecCertificateNotValidYet: OSStatus = -67819
public let errSecCertificateRevoked: OSStatus = -67820
public let errSecCertificateSuspended: OSStatus = -67821
public let errSecInsufficientCredentials: OSStatus = -67822
public let errSecInvalidAction: OSStatus = -67823
public let errSecInvalidAuthority: OSStatus = -67824
public let errSecVerifyActionFailed: OSStatus = -67825
public let errSecInvalidCertAuthority: OSStatus = -67826
public let errSecInvalidCRLAuthority: OSStatus = -67827
public let errSecInvalidCRLEncoding: OSStatus = -67828
public let errSecInvalidCRLType: OSStatus = -67829
public let errSecInvalidCRL: OSStatus = -67830
public let errSecInvalidFormType: OSStatus = -67831
public let errSecInvalidID: OSStatus = -67832
public let errSecInvalidIdentifier: OSStatus = -67833
public let errSecInvalidIndex: OSStatus = -67834
public let errSecInvalidPolicyIdentifiers: OSStatus = -67835
public let errSecInvalidTimeString: OSStatus = -67836
public let errSecInvalidReason: OSStatus = -67837
public let errSecInvalidRequestInputs: OSStatus = -67838
public let errSecInvalidResponseVector: OSStatus = -67839
public let errSecInvalidStopOnPolicy: OSStatus = -67840
public let errSecInvalidTuple: OSStatus = -67841
public let errSecMultipleValuesUnsupported: OSStatus = -67842
public let errSecNotTrusted: OSStatus = -67843
public let errSecNoDefaultAuthority: OSStatus = -67844
public let errSecRejectedForm: OSStatus = -67845
public let errSecRequestLost: OSStatus = -67846
public let errSecRequestRejected: OSStatus = -67847
public let errSecUnsupportedAddressType: OSStatus = -67848
public let errSecUnsupportedService: OSStatus = -67849
public let errSecInvalidTupleGroup: OSStatus = -67850
public let errSecInvalidBaseACLs: OSStatus = -67851
public let errSecInvalidTupleCredentials: OSStatus = -67852
public let errSecInvalidEncoding: OSStatus = -67853
public let errSecInvalidValidityPeriod: OSStatus = -67854
public let errSecInvalidRequestor: OSStatus = -67855
public let errSecRequestDescriptor: OSStatus = -67856
public let errSecInvalidBundleInfo: OSStatus = -67857
public let errSecInvalidCRLIndex: OSStatus = -67858
public let errSecNoFieldValues: OSStatus = -67859
public let errSecUnsupportedFieldFormat: OSStatus = -67860
public let errSecUnsupportedIndexInfo: OSStatus = -67861
public let errSecUnsupportedLocality: OSStatus = -67862
public let errSecUnsupportedNumAttributes: OSStatus = -67863
public let errSecUnsupportedNumIndexes: OSStatus = -67864
public let errSecUnsupportedNumRecordTypes: OSStatus = -67865
public let errSecFieldSpecifiedMultiple: OSStatus = -67866
public let errSecIncompatibleFieldFormat: OSStatus = -67867
public let errSecInvalidParsingModule: OSStatus = -67868
public let errSecDatabaseLocked: OSStatus = -67869
public let errSecDatastoreIsOpen: OSStatus = -67870
public let errSecMissingValue: OSStatus = -67871
public let errSecUnsupportedQueryLimits: OSStatus = -67872
public let errSecUnsupportedNumSelectionPreds: OSStatus = -67873
public let errSecUnsupportedOperator: OSStatus = -67874
public let errSecInvalidDBLocation: OSStatus = -67875
public let errSecInvalidAccessRequest: OSStatus = -67876
public let errSecInvalidIndexInfo: OSStatus = -67877
public let errSecInvalidNewOwner: OSStatus = -67878
public let errSecInvalidModifyMode: OSStatus = -67879
public let errSecMissingRequiredExtension: OSStatus = -67880
public let errSecExtendedKeyUsageNotCritical: OSStatus = -67881
public let errSecTimestampMissing: OSStatus = -67882
public let errSecTimestampInvalid: OSStatus = -67883
public let errSecTimestampNotTrusted: OSStatus = -67884
public let errSecTimestampServiceNotAvailable: OSStatus = -67885
public let errSecTimestampBadAlg: OSStatus = -67886
public let errSecTimestampBadRequest: OSStatus = -67887
public let errSecTimestampBadDataFormat: OSStatus = -67888
public let errSecTimestampTimeNotAvailable: OSStatus = -67889
public let errSecTimestampUnacceptedPolicy: OSStatus = -67890
public let errSecTimestampUnacceptedExtension: OSStatus = -67891
public let errSecTimestampAddInfoNotAvailable: OSStatus = -67892
public let errSecTimestampSystemFailure: OSStatus = -67893
public let errSecSigningTimeMissing: OSStatus = -67894
public let errSecTimestampRejection: OSStatus = -67895
public let errSecTimestampWaiting: OSStatus = -67896
public let errSecTimestampRevocationWarning: OSStatus = -67897
public let errSecTimestampRevocationNotification: OSStatus = -67898
public let errSecCertificatePolicyNotAllowed: OSStatus = -67899
public let errSecCertificateNameNotAllowed: OSStatus = -67900
public let errSecCertificateValidityPeriodTooLong: OSStatus = -67901
public let errSecCertificateIsCA: OSStatus = -67902
public let errSecCertificateDuplicateExtension: OSStatus = -67903
public let errSecMissingQualifiedCertStatement: OSStatus = -67904

extension ResultMessage {
    static let certificates: [ResultMessage] = [
        .init("errSecDeviceVerifyFailed", errSecDeviceVerifyFailed, "The device could not be verified."),
        .init("errSecInvalidLoginName", errSecInvalidLoginName, "The login name is not valid."),
        .init("errSecAlreadyLoggedIn", errSecAlreadyLoggedIn, "The user is logged in already."),
        .init("errSecInvalidDigestAlgorithm", errSecInvalidDigestAlgorithm, "The digest algorithm is not valid."),
        .init("errSecInvalidCRLGroup", errSecInvalidCRLGroup, "The group of revocation lists is not valid."),
        .init(
            "errSecCertificateCannotOperate", errSecCertificateCannotOperate,
            "The certificate cannot be used for this."),
        .init("errSecCertificateExpired", errSecCertificateExpired, "The certificate has expired."),
        .init("errSecCertificateNotValidYet", errSecCertificateNotValidYet, "The certificate is not valid yet."),
        .init("errSecCertificateRevoked", errSecCertificateRevoked, "The certificate was revoked."),
        .init("errSecCertificateSuspended", errSecCertificateSuspended, "The certificate is suspended."),
        .init("errSecInsufficientCredentials", errSecInsufficientCredentials, "The credentials are not sufficient."),
        .init("errSecInvalidAction", errSecInvalidAction, "The action is not valid."),
        .init("errSecInvalidAuthority", errSecInvalidAuthority, "The authority is not valid."),
        .init("errSecVerifyActionFailed", errSecVerifyActionFailed, "The verification of an action failed."),
        .init("errSecInvalidCertAuthority", errSecInvalidCertAuthority, "The certificate authority is not valid."),
        .init(
            "errSecInvalidCRLAuthority", errSecInvalidCRLAuthority,
            "The authority of the revocation list is not valid."),
        .init(
            "errSecInvalidCRLEncoding", errSecInvalidCRLEncoding,
            "The encoding of the revocation list is not valid."),
        .init("errSecInvalidCRLType", errSecInvalidCRLType, "The type of the revocation list is not valid."),
        .init("errSecInvalidCRL", errSecInvalidCRL, "The revocation list is not valid."),
        .init("errSecInvalidFormType", errSecInvalidFormType, "The type of the form is not valid."),
        .init("errSecInvalidID", errSecInvalidID, "The ID is not valid."),
        .init("errSecInvalidIdentifier", errSecInvalidIdentifier, "The identifier is not valid."),
        .init("errSecInvalidIndex", errSecInvalidIndex, "The index is not valid."),
        .init(
            "errSecInvalidPolicyIdentifiers", errSecInvalidPolicyIdentifiers,
            "The policy identifiers are not valid."),
        .init("errSecInvalidTimeString", errSecInvalidTimeString, "The time is not written in a valid form."),
        .init("errSecInvalidReason", errSecInvalidReason, "The reason is not valid."),
        .init("errSecInvalidRequestInputs", errSecInvalidRequestInputs, "The inputs of the request are not valid."),
        .init("errSecInvalidResponseVector", errSecInvalidResponseVector, "The vector of responses is not valid."),
        .init("errSecInvalidStopOnPolicy", errSecInvalidStopOnPolicy, "The policy for stopping is not valid."),
        .init("errSecInvalidTuple", errSecInvalidTuple, "The tuple is not valid."),
        .init(
            "errSecMultipleValuesUnsupported", errSecMultipleValuesUnsupported,
            "Several values are not supported here."),
        .init("errSecNotTrusted", errSecNotTrusted, "The certificate is not trusted."),
        .init("errSecNoDefaultAuthority", errSecNoDefaultAuthority, "There is no default authority."),
        .init("errSecRejectedForm", errSecRejectedForm, "The form was rejected."),
        .init("errSecRequestLost", errSecRequestLost, "The request was lost."),
        .init("errSecRequestRejected", errSecRequestRejected, "The request was rejected."),
        .init("errSecUnsupportedAddressType", errSecUnsupportedAddressType, "The type of address is not supported."),
        .init("errSecUnsupportedService", errSecUnsupportedService, "The service is not supported."),
        .init("errSecInvalidTupleGroup", errSecInvalidTupleGroup, "The group of tuples is not valid."),
        .init("errSecInvalidBaseACLs", errSecInvalidBaseACLs, "The basic access control lists are not valid."),
        .init(
            "errSecInvalidTupleCredentials", errSecInvalidTupleCredentials,
            "The credentials of the tuple are not valid."),
        .init("errSecInvalidEncoding", errSecInvalidEncoding, "The encoding is not valid."),
        .init("errSecInvalidValidityPeriod", errSecInvalidValidityPeriod, "The validity period is not valid."),
        .init("errSecInvalidRequestor", errSecInvalidRequestor, "The requestor is not valid."),
        .init("errSecRequestDescriptor", errSecRequestDescriptor, "The descriptor of the request is not valid."),
        .init("errSecInvalidBundleInfo", errSecInvalidBundleInfo, "The bundle information is not valid."),
        .init("errSecInvalidCRLIndex", errSecInvalidCRLIndex, "The index in the revocation list is not valid."),
        .init("errSecNoFieldValues", errSecNoFieldValues, "There are no values for the fields."),
        .init(
            "errSecUnsupportedFieldFormat", errSecUnsupportedFieldFormat,
            "The format of the field is not supported."),
        .init("errSecUnsupportedIndexInfo", errSecUnsupportedIndexInfo, "The index information is not supported."),
        .init("errSecUnsupportedLocality", errSecUnsupportedLocality, "The locality is not supported."),
        .init(
            "errSecUnsupportedNumAttributes", errSecUnsupportedNumAttributes,
            "This number of attributes is not supported."),
        .init("errSecUnsupportedNumIndexes", errSecUnsupportedNumIndexes, "This number of indexes is not supported."),
        .init(
            "errSecUnsupportedNumRecordTypes", errSecUnsupportedNumRecordTypes,
            "This number of record types is not supported."),
        .init("errSecFieldSpecifiedMultiple", errSecFieldSpecifiedMultiple, "The field is given more than once."),
        .init(
            "errSecIncompatibleFieldFormat", errSecIncompatibleFieldFormat,
            "The format of the field is not compatible."),
        .init("errSecInvalidParsingModule", errSecInvalidParsingModule, "The parsing module is not valid."),
        .init("errSecDatabaseLocked", errSecDatabaseLocked, "The database is locked."),
        .init("errSecDatastoreIsOpen", errSecDatastoreIsOpen, "The data store is open."),
        .init("errSecMissingValue", errSecMissingValue, "A value is missing."),
        .init(
            "errSecUnsupportedQueryLimits", errSecUnsupportedQueryLimits,
            "The limits of the query are not supported."),
        .init(
            "errSecUnsupportedNumSelectionPreds", errSecUnsupportedNumSelectionPreds,
            "This number of conditions is not supported."),
        .init("errSecUnsupportedOperator", errSecUnsupportedOperator, "The operator is not supported."),
        .init("errSecInvalidDBLocation", errSecInvalidDBLocation, "The location of the database is not valid."),
        .init("errSecInvalidAccessRequest", errSecInvalidAccessRequest, "The access request is not valid."),
        .init("errSecInvalidIndexInfo", errSecInvalidIndexInfo, "The index information is not valid."),
        .init("errSecInvalidNewOwner", errSecInvalidNewOwner, "The new owner is not valid."),
        .init("errSecInvalidModifyMode", errSecInvalidModifyMode, "The mode of modification is not valid."),
        .init(
            "errSecMissingRequiredExtension", errSecMissingRequiredExtension,
            "The certificate lacks a required extension."),
        .init(
            "errSecExtendedKeyUsageNotCritical", errSecExtendedKeyUsageNotCritical,
            "The extended key usage is not marked as critical."),
        .init("errSecTimestampMissing", errSecTimestampMissing, "A timestamp is expected and missing."),
        .init("errSecTimestampInvalid", errSecTimestampInvalid, "The timestamp is not valid."),
        .init("errSecTimestampNotTrusted", errSecTimestampNotTrusted, "The timestamp is not trusted."),
        .init(
            "errSecTimestampServiceNotAvailable", errSecTimestampServiceNotAvailable,
            "The timestamp service is not available."),
        .init(
            "errSecTimestampBadAlg", errSecTimestampBadAlg,
            "The timestamp uses an algorithm that is not known or not supported."),
        .init(
            "errSecTimestampBadRequest", errSecTimestampBadRequest,
            "The timestamp request is not allowed or not supported."),
        .init(
            "errSecTimestampBadDataFormat", errSecTimestampBadDataFormat,
            "The data of the timestamp request has a wrong format."),
        .init(
            "errSecTimestampTimeNotAvailable", errSecTimestampTimeNotAvailable,
            "The timestamp service has no time source."),
        .init(
            "errSecTimestampUnacceptedPolicy", errSecTimestampUnacceptedPolicy,
            "The timestamp service does not support the requested policy."),
        .init(
            "errSecTimestampUnacceptedExtension", errSecTimestampUnacceptedExtension,
            "The timestamp service does not support the requested extension."),
        .init(
            "errSecTimestampAddInfoNotAvailable", errSecTimestampAddInfoNotAvailable,
            "The requested additional information is not available."),
        .init(
            "errSecTimestampSystemFailure", errSecTimestampSystemFailure,
            "The timestamp service had a system failure."),
        .init("errSecSigningTimeMissing", errSecSigningTimeMissing, "The signing time is expected and missing."),
        .init("errSecTimestampRejection", errSecTimestampRejection, "The timestamp request was rejected."),
        .init("errSecTimestampWaiting", errSecTimestampWaiting, "The timestamp request is waiting."),
        .init(
            "errSecTimestampRevocationWarning", errSecTimestampRevocationWarning,
            "The certificate of the timestamp service is about to be revoked."),
        .init(
            "errSecTimestampRevocationNotification", errSecTimestampRevocationNotification,
            "The certificate of the timestamp service was revoked."),
        .init(
            "errSecCertificatePolicyNotAllowed", errSecCertificatePolicyNotAllowed,
            "The policy of the certificate is not allowed."),
        .init(
            "errSecCertificateNameNotAllowed", errSecCertificateNameNotAllowed,
            "The name in the certificate is not allowed."),
        .init(
            "errSecCertificateValidityPeriodTooLong", errSecCertificateValidityPeriodTooLong,
            "The certificate is valid for longer than allowed."),
        .init(
            "errSecCertificateIsCA", errSecCertificateIsCA,
            "The certificate belongs to an authority where that is not allowed."),
        .init(
            "errSecCertificateDuplicateExtension", errSecCertificateDuplicateExtension,
            "The certificate has an extension more than once."),
        .init(
            "errSecMissingQualifiedCertStatement", errSecMissingQualifiedCertStatement,
            "The certificate lacks a required qualified statement."),
    ]
}
