import Security
import Testing

@Suite("Constants of certificates and trust")
struct TrustConstantTests {
    @Test("texts have the values that other programs rely on")
    func texts() {
        let table: [(CFString, String)] = [
            (kSecPolicyAppleX509Basic, "1.2.840.113635.100.1.2"), (kSecPolicyAppleSSL, "1.2.840.113635.100.1.3"),
            (kSecPolicyAppleSMIME, "1.2.840.113635.100.1.8"), (kSecPolicyAppleEAP, "1.2.840.113635.100.1.9"),
            (kSecPolicyAppleIPsec, "1.2.840.113635.100.1.11"),
            (kSecPolicyAppleCodeSigning, "1.2.840.113635.100.1.16"),
            (kSecPolicyAppleIDValidation, "1.2.840.113635.100.1.18"),
            (kSecPolicyMacAppStoreReceipt, "1.2.840.113635.100.1.19"),
            (kSecPolicyAppleTimeStamping, "1.2.840.113635.100.1.20"),
            (kSecPolicyAppleRevocation, "1.2.840.113635.100.1.21"),
            (kSecPolicyApplePassbookSigning, "1.2.840.113635.100.1.22"),
            (kSecPolicyApplePayIssuerEncryption, "1.2.840.113635.100.1.39"), (kSecPolicyOid, "SecPolicyOid"),
            (kSecPolicyName, "SecPolicyName"), (kSecPolicyClient, "SecPolicyClient"),
            (kSecPolicyRevocationFlags, "SecPolicyRevocationFlags"),
            (kSecPolicyTeamIdentifier, "SecPolicyTeamIdentifier"), (kSecTrustEvaluationDate, "TrustEvaluationDate"),
            (kSecTrustExtendedValidation, "TrustExtendedValidation"), (kSecTrustOrganizationName, "Organization"),
            (kSecTrustResultValue, "TrustResultValue"), (kSecTrustRevocationChecked, "TrustRevocationChecked"),
            (kSecTrustRevocationReason, "TrustRevocationReason"),
            (kSecTrustRevocationValidUntilDate, "TrustExpirationDate"),
            (kSecTrustCertificateTransparency, "TrustCertificateTransparency"),
            (kSecTrustQCStatements, "TrustQCStatements"), (kSecTrustQWACValidation, "TrustQWACValidation"),
            (kSecPolicyAppleSSLServer, "1.2.840.113635.100.1.3.1"),
            (kSecPolicyAppleSSLClient, "1.2.840.113635.100.1.3.2"),
            (kSecPolicyAppleEAPServer, "1.2.840.113635.100.1.9.1"),
            (kSecPolicyAppleEAPClient, "1.2.840.113635.100.1.9.2"),
            (kSecPolicyAppleIPSecServer, "1.2.840.113635.100.1.11.1"),
            (kSecPolicyAppleIPSecClient, "1.2.840.113635.100.1.11.2"),
            (kSecTrustResultDetails, "TrustResultDetails"), (kSecPropertyKeyType, "type"),
            (kSecPropertyKeyLabel, "label"), (kSecPropertyKeyLocalizedLabel, "localized label"),
            (kSecPropertyKeyValue, "value"), (kSecPropertyTypeTitle, "title"), (kSecPropertyTypeError, "error"),
            (kSecPropertyTypeSection, "section"), (kSecPropertyTypeData, "data"), (kSecPropertyTypeString, "string"),
            (kSecPropertyTypeURL, "url"), (kSecPropertyTypeDate, "date"), (kSecPropertyTypeArray, "array"),
            (kSecPropertyTypeNumber, "number"), (kSecPropertyTypeWarning, "warning"),
            (kSecPropertyTypeSuccess, "success"), (kSecOIDX509V1SubjectName, "2.16.840.1.113741.2.1.1.1.8"),
            (kSecOIDX509V1IssuerName, "2.16.840.1.113741.2.1.1.1.5"),
            (kSecOIDX509V1SerialNumber, "2.16.840.1.113741.2.1.1.1.3"),
            (kSecOIDX509V1ValidityNotBefore, "2.16.840.1.113741.2.1.1.1.6"),
            (kSecOIDX509V1ValidityNotAfter, "2.16.840.1.113741.2.1.1.1.7"), (kSecOIDCommonName, "2.5.4.3"),
        ]
        for (constant, value) in table { #expect(constant as String == value) }
    }

    @Test("results have their numbers")
    func results() {
        let table: [(SecTrustResultType, UInt32)] = [
            (.invalid, 0), (.proceed, 1), (.deny, 3), (.unspecified, 4), (.recoverableTrustFailure, 5),
            (.fatalTrustFailure, 6), (.otherError, 7),
        ]
        for (result, number) in table { #expect(result.rawValue == number) }
    }
}
