/* Certificates. */
#ifndef LATCHKEY_SECURITY_SECCERTIFICATE_H
#define LATCHKEY_SECURITY_SECCERTIFICATE_H

#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFData.h>
#include <CoreFoundation/CFDate.h>
#include <CoreFoundation/CFDictionary.h>
#include <CoreFoundation/CFError.h>
#include <Security/SecBase.h>

#pragma clang system_header

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

CFTypeID SecCertificateGetTypeID(void);

/* Makes a certificate from DER; NULL if the data is not one. */
SecCertificateRef _Nullable SecCertificateCreateWithData(CFAllocatorRef _Nullable allocator, CFDataRef data);

/* Returns the certificate as DER. */
CFDataRef SecCertificateCopyData(SecCertificateRef certificate);

/* Returns a short name of the subject for people. */
CFStringRef _Nullable SecCertificateCopySubjectSummary(SecCertificateRef certificate);

/* Fetches the common name of the subject; errSecInternal if it has none. */
OSStatus SecCertificateCopyCommonName(
    SecCertificateRef certificate, CFStringRef _Nullable *_Nonnull CF_RETURNS_RETAINED commonName);

OSStatus SecCertificateCopyEmailAddresses(
    SecCertificateRef certificate, CFArrayRef _Nullable *_Nonnull CF_RETURNS_RETAINED emailAddresses);

/* Return names as they are compared: a sequence in DER. */
CFDataRef _Nullable SecCertificateCopyNormalizedIssuerSequence(SecCertificateRef certificate);
CFDataRef _Nullable SecCertificateCopyNormalizedSubjectSequence(SecCertificateRef certificate);

/* Returns the public key; NULL if it is of a kind that is not supported. */
SecKeyRef _Nullable SecCertificateCopyKey(SecCertificateRef certificate);
SecKeyRef _Nullable SecCertificateCopyPublicKey(SecCertificateRef certificate) LK_SECURITY_DEPRECATED;

/* Returns the serial number, big-endian. */
CFDataRef _Nullable SecCertificateCopySerialNumberData(
    SecCertificateRef certificate, CFErrorRef _Nullable *_Nullable error);
/* As on iOS, with one parameter. */
CFDataRef _Nullable SecCertificateCopySerialNumber(SecCertificateRef certificate) LK_SECURITY_DEPRECATED;

CFDateRef _Nullable SecCertificateCopyNotValidBeforeDate(SecCertificateRef certificate);
CFDateRef _Nullable SecCertificateCopyNotValidAfterDate(SecCertificateRef certificate);

/* Returns the fields of a certificate by their object identifiers, as on macOS.
   keys: identifiers of the fields to return; NULL for all. */
CFDictionaryRef _Nullable SecCertificateCopyValues(
    SecCertificateRef certificate, CFArrayRef _Nullable keys, CFErrorRef _Nullable *_Nullable error);

/* Keys of a field, and types of its value. */
extern const CFStringRef kSecPropertyKeyType;
extern const CFStringRef kSecPropertyKeyLabel;
extern const CFStringRef kSecPropertyKeyLocalizedLabel;
extern const CFStringRef kSecPropertyKeyValue;
extern const CFStringRef kSecPropertyTypeTitle;
extern const CFStringRef kSecPropertyTypeError;
extern const CFStringRef kSecPropertyTypeWarning;
extern const CFStringRef kSecPropertyTypeSuccess;
extern const CFStringRef kSecPropertyTypeSection;
extern const CFStringRef kSecPropertyTypeData;
extern const CFStringRef kSecPropertyTypeString;
extern const CFStringRef kSecPropertyTypeURL;
extern const CFStringRef kSecPropertyTypeDate;
extern const CFStringRef kSecPropertyTypeArray;
extern const CFStringRef kSecPropertyTypeNumber;

/* Object identifiers of fields. */
extern const CFStringRef kSecOIDX509V1Version;
extern const CFStringRef kSecOIDX509V1SerialNumber;
extern const CFStringRef kSecOIDX509V1IssuerName;
extern const CFStringRef kSecOIDX509V1ValidityNotBefore;
extern const CFStringRef kSecOIDX509V1ValidityNotAfter;
extern const CFStringRef kSecOIDX509V1SubjectName;
extern const CFStringRef kSecOIDX509V1SubjectPublicKeyAlgorithm;
extern const CFStringRef kSecOIDX509V1SubjectPublicKey;
extern const CFStringRef kSecOIDX509V1Signature;
extern const CFStringRef kSecOIDX509V1SignatureAlgorithm;
extern const CFStringRef kSecOIDSubjectKeyIdentifier;
extern const CFStringRef kSecOIDKeyUsage;
extern const CFStringRef kSecOIDSubjectAltName;
extern const CFStringRef kSecOIDIssuerAltName;
extern const CFStringRef kSecOIDBasicConstraints;
extern const CFStringRef kSecOIDNameConstraints;
extern const CFStringRef kSecOIDCrlDistributionPoints;
extern const CFStringRef kSecOIDCertificatePolicies;
extern const CFStringRef kSecOIDAuthorityKeyIdentifier;
extern const CFStringRef kSecOIDExtendedKeyUsage;
extern const CFStringRef kSecOIDAuthorityInfoAccess;
extern const CFStringRef kSecOIDCommonName;
extern const CFStringRef kSecOIDCountryName;
extern const CFStringRef kSecOIDLocalityName;
extern const CFStringRef kSecOIDStateProvinceName;
extern const CFStringRef kSecOIDOrganizationName;
extern const CFStringRef kSecOIDOrganizationalUnitName;
extern const CFStringRef kSecOIDEmailAddress;

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
