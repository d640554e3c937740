// Constants of `SecCertificateCopyValues`: keys of its entries, types of their values, names of the fields.
//
// All are immutable objects: sharing them is safe.
public import Foundation

// MARK: Keys of an entry

nonisolated(unsafe) public let kSecPropertyKeyType: CFString = "type"
nonisolated(unsafe) public let kSecPropertyKeyLabel: CFString = "label"
nonisolated(unsafe) public let kSecPropertyKeyLocalizedLabel: CFString = "localized label"
nonisolated(unsafe) public let kSecPropertyKeyValue: CFString = "value"

// MARK: Types of a value

nonisolated(unsafe) public let kSecPropertyTypeTitle: CFString = "title"
nonisolated(unsafe) public let kSecPropertyTypeError: CFString = "error"
nonisolated(unsafe) public let kSecPropertyTypeWarning: CFString = "warning"
nonisolated(unsafe) public let kSecPropertyTypeSuccess: CFString = "success"
nonisolated(unsafe) public let kSecPropertyTypeSection: CFString = "section"
nonisolated(unsafe) public let kSecPropertyTypeData: CFString = "data"
nonisolated(unsafe) public let kSecPropertyTypeString: CFString = "string"
nonisolated(unsafe) public let kSecPropertyTypeURL: CFString = "url"
nonisolated(unsafe) public let kSecPropertyTypeDate: CFString = "date"
nonisolated(unsafe) public let kSecPropertyTypeArray: CFString = "array"
nonisolated(unsafe) public let kSecPropertyTypeNumber: CFString = "number"

// MARK: Fields of a certificate

nonisolated(unsafe) public let kSecOIDX509V1Version: CFString = "2.16.840.1.113741.2.1.1.1.2"
nonisolated(unsafe) public let kSecOIDX509V1SerialNumber: CFString = "2.16.840.1.113741.2.1.1.1.3"
nonisolated(unsafe) public let kSecOIDX509V1IssuerName: CFString = "2.16.840.1.113741.2.1.1.1.5"
nonisolated(unsafe) public let kSecOIDX509V1ValidityNotBefore: CFString = "2.16.840.1.113741.2.1.1.1.6"
nonisolated(unsafe) public let kSecOIDX509V1ValidityNotAfter: CFString = "2.16.840.1.113741.2.1.1.1.7"
nonisolated(unsafe) public let kSecOIDX509V1SubjectName: CFString = "2.16.840.1.113741.2.1.1.1.8"
nonisolated(unsafe) public let kSecOIDX509V1SubjectPublicKeyAlgorithm: CFString = "2.16.840.1.113741.2.1.1.1.9"
nonisolated(unsafe) public let kSecOIDX509V1SubjectPublicKey: CFString = "2.16.840.1.113741.2.1.1.1.10"
nonisolated(unsafe) public let kSecOIDX509V1Signature: CFString = "2.16.840.1.113741.2.1.3.2.2"
nonisolated(unsafe) public let kSecOIDX509V1SignatureAlgorithm: CFString = "2.16.840.1.113741.2.1.3.2.1"

// MARK: Extensions

nonisolated(unsafe) public let kSecOIDSubjectKeyIdentifier: CFString = "2.5.29.14"
nonisolated(unsafe) public let kSecOIDKeyUsage: CFString = "2.5.29.15"
nonisolated(unsafe) public let kSecOIDSubjectAltName: CFString = "2.5.29.17"
nonisolated(unsafe) public let kSecOIDIssuerAltName: CFString = "2.5.29.18"
nonisolated(unsafe) public let kSecOIDBasicConstraints: CFString = "2.5.29.19"
nonisolated(unsafe) public let kSecOIDNameConstraints: CFString = "2.5.29.30"
nonisolated(unsafe) public let kSecOIDCrlDistributionPoints: CFString = "2.5.29.31"
nonisolated(unsafe) public let kSecOIDCertificatePolicies: CFString = "2.5.29.32"
nonisolated(unsafe) public let kSecOIDAuthorityKeyIdentifier: CFString = "2.5.29.35"
nonisolated(unsafe) public let kSecOIDExtendedKeyUsage: CFString = "2.5.29.37"
nonisolated(unsafe) public let kSecOIDAuthorityInfoAccess: CFString = "1.3.6.1.5.5.7.1.1"

// MARK: Parts of a name

nonisolated(unsafe) public let kSecOIDCommonName: CFString = "2.5.4.3"
nonisolated(unsafe) public let kSecOIDCountryName: CFString = "2.5.4.6"
nonisolated(unsafe) public let kSecOIDLocalityName: CFString = "2.5.4.7"
nonisolated(unsafe) public let kSecOIDStateProvinceName: CFString = "2.5.4.8"
nonisolated(unsafe) public let kSecOIDOrganizationName: CFString = "2.5.4.10"
nonisolated(unsafe) public let kSecOIDOrganizationalUnitName: CFString = "2.5.4.11"
nonisolated(unsafe) public let kSecOIDEmailAddress: CFString = "1.2.840.113549.1.9.1"
