/* Private interfaces of Apple that programs and tests declare for themselves.

   They are not part of the public headers, on Apple platforms they may change, and Security.h does not include them. */
#ifndef LATCHKEY_SECURITY_SECURITYPRIV_H
#define LATCHKEY_SECURITY_SECURITYPRIV_H

#include <Security/Security.h>

#pragma clang system_header

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/* Deletes the items of every class that the program may delete: errSecSuccess also if there are none. */
OSStatus SecItemDeleteAll(void);

/* Returns the public half of a private key; NULL for another key. */
SecKeyRef _Nullable SecKeyCreatePublicFromPrivate(SecKeyRef privateKey);

/* Accessors of certificates. */
SecCertificateRef _Nullable SecCertificateCreateWithBytes(
    CFAllocatorRef _Nullable allocator, const UInt8 *bytes, CFIndex length);
CFDataRef _Nullable SecCertificateCopyIssuerSequence(SecCertificateRef certificate);
CFDataRef _Nullable SecCertificateCopySubjectSequence(SecCertificateRef certificate);
CFDataRef _Nullable SecCertificateCopySHA256Digest(SecCertificateRef certificate);
CFDataRef _Nullable SecCertificateCopyPublicKeySHA1Digest(SecCertificateRef certificate);
CFArrayRef _Nullable SecCertificateCopyRFC822Names(SecCertificateRef certificate);
CFIndex SecCertificateVersion(SecCertificateRef certificate);
CFAbsoluteTime SecCertificateNotValidBefore(SecCertificateRef certificate);
CFAbsoluteTime SecCertificateNotValidAfter(SecCertificateRef certificate);
bool SecCertificateIsValid(SecCertificateRef certificate, CFAbsoluteTime verifyTime);
OSStatus SecCertificateIsSelfSigned(SecCertificateRef certificate, Boolean *isSelfSigned);

/* Returns the value of kSecAttrAccessible. Not to be released. */
CFTypeRef _Nullable SecAccessControlGetProtection(SecAccessControlRef access_control);

/* Returns what an operation asks for: kCFBooleanTrue for nothing, a dictionary for conditions; NULL if it is refused. Not
   to be released. Operations are "od" (decrypt), "oe" (encrypt), "odel" (delete), "osgn" (sign), "ock" (agree on a key),
   "odc" (decapsulate), "oa" (attest) and "dacl" (all others). The dictionary has "cpo" for presence, "cbio" with "any" or
   "current", "cup" for the passcode, "cwtch" for a companion, and with several of them "ckon", the number that is needed. */
CFTypeRef _Nullable SecAccessControlGetConstraint(SecAccessControlRef access_control, CFTypeRef operation);

/* Result codes. */
enum {
    errSecMPSignatureInvalid = -25327,
    errSecOTRTooOld = -25328,
    errSecOTRIDTooNew = -25329,
    errSecAuthNeeded = -25330,
    errSecOTRNotReady = -25331,
    errSecPolicyDenied = -26270,
    errSecInternal = -26276,
    errSecWaitForCallback = -34017,
    errSecUpgradePending = -34019,
    errSSLCrypto = -9809,
    errSecInvalidKey = errSecDecode,
    errSecInvalidCertificate = errSecDecode,
    errSecUnsupportedAlgorithm = errSecUnimplemented,
    errSecUnsupportedOperation = errSecUnimplemented,
    errSecUnsupportedPadding = errSecParam,
    errSecItemInvalidKey = errSecParam,
    errSecItemInvalidKeyType = errSecParam,
    errSecItemInvalidValue = errSecParam,
    errSecItemClassMissing = errSecParam,
    errSecItemMatchUnsupported = errSecParam,
    errSecUseItemListUnsupported = errSecParam,
    errSecUseKeychainUnsupported = errSecParam,
    errSecUseKeychainListUnsupported = errSecParam,
    errSecReturnDataUnsupported = errSecParam,
    errSecReturnAttributesUnsupported = errSecParam,
    errSecReturnRefUnsupported = errSecParam,
    errSecReturnPersistentRefUnsupported = errSecParam,
    errSecValueRefUnsupported = errSecParam,
    errSecValuePersistentRefUnsupported = errSecParam,
    errSecReturnMissingPointer = errSecParam,
    errSecMatchLimitUnsupported = errSecParam,
    errSecItemIllegalQuery = errSecParam,
};

/* Attributes, and values of attributes. */
extern const CFStringRef kSecAttrVolume;
extern const CFStringRef kSecAttrAddress;
extern const CFStringRef kSecAttrAFPServerSignature;
extern const CFStringRef kSecAttrAlias;
extern const CFStringRef kSecAttrIsPrivate;
extern const CFStringRef kSecAttrIsModifiable;
extern const CFStringRef kSecAttrKeyCreator;
extern const CFStringRef kSecAttrStartDate;
extern const CFStringRef kSecAttrEndDate;
extern const CFStringRef kSecAttrWasAlwaysSensitive;
extern const CFStringRef kSecAttrWasNeverExtractable;
extern const CFStringRef kSecAttrCanSignRecover;
extern const CFStringRef kSecAttrCanVerifyRecover;
extern const CFStringRef kSecAttrSyncViewHint;
extern const CFStringRef kSecAttrScriptCode;
extern const CFStringRef kSecAttrHasCustomIcon;
extern const CFStringRef kSecAttrCRLType;
extern const CFStringRef kSecAttrCRLEncoding;
extern const CFStringRef kSecAttrTombstone;
extern const CFStringRef kSecAttrMultiUser;
extern const CFStringRef kSecAttrNoLegacy;
extern const CFStringRef kSecAttrTokenOID;
extern const CFStringRef kSecAttrUUID;
extern const CFStringRef kSecAttrPersistantReference;
extern const CFStringRef kSecAttrPersistentReference;
extern const CFStringRef kSecAttrSysBound;
extern const CFStringRef kSecAttrSHA1;
extern const CFStringRef kSecAttrDeriveSyncIDFromItemAttributes;
extern const CFStringRef kSecAttrPCSPlaintextServiceIdentifier;
extern const CFStringRef kSecAttrPCSPlaintextPublicKey;
extern const CFStringRef kSecAttrPCSPlaintextPublicIdentity;
extern const CFStringRef kSecDataInetExtraNotes;
extern const CFStringRef kSecDataInetExtraHistory;
extern const CFStringRef kSecDataInetExtraClientDefined0;
extern const CFStringRef kSecDataInetExtraClientDefined1;
extern const CFStringRef kSecDataInetExtraClientDefined2;
extern const CFStringRef kSecDataInetExtraClientDefined3;
extern const CFStringRef kSecAttrSecureEnclaveKeyBlob;
extern const CFStringRef kSecAttrSharingGroup;
extern const CFStringRef kSecAttrAccessibleAlwaysPrivate;
extern const CFStringRef kSecAttrAccessibleAlwaysThisDeviceOnlyPrivate;
extern const CFStringRef kSecAttrAccessibleUntilReboot;
extern const CFStringRef kSecClassAppleSharePassword;
extern const CFStringRef kSecAttrTokenIDAppleKeyStore;
extern const CFStringRef kSecAttrTokenIDSecureElement;
extern const CFStringRef kSOSInternalAccessGroup;
extern const CFStringRef kSecAttrSharingGroupNone;

/* Ways of working. */
extern const CFStringRef kSecUseTombstones;
extern const CFStringRef kSecUseCredentialReference;
extern const CFStringRef kSecUseSystemKeychainAlways;
extern const CFStringRef kSecUseSystemKeychainAlwaysDarwinOSOnlyUnavailableOnMacOS;
extern const CFStringRef kSecUseSystemKeychain;
extern const CFStringRef kSecUseSyncBubbleKeychain;
extern const CFStringRef kSecUseCallerName;
extern const CFStringRef kSecUseTokenRawItems;
extern const CFStringRef kSecUseCertificatesWithMatchIssuers;

/* Kinds of keys, and parameters of making keys and passwords. */
extern const CFStringRef kSecAttrKeyTypeECSECPrimeRandomPKA;
extern const CFStringRef kSecAttrKeyTypeSecureEnclaveAttestation;
extern const CFStringRef kSecAttrKeyTypeSecureEnclaveAnonymousAttestation;
extern const CFStringRef kSecAttrKeyTypeEd25519;
extern const CFStringRef kSecAttrKeyTypeX25519;
extern const CFStringRef kSecAttrKeyTypeEd448;
extern const CFStringRef kSecAttrKeyTypeX448;
extern const CFStringRef kSecAttrKeyTypeKyber;
extern const CFStringRef kSecAttrKeySizeKyber768;
extern const CFStringRef kSecAttrKeySizeKyber1024;
extern const CFStringRef kSecKeyApplePayEnabled;
extern const CFStringRef kSecKeyOSBound;
extern const CFStringRef kSecKeySealedHashesBound;
extern const CFStringRef kSecPasswordMaxLength;
extern const CFStringRef kSecPasswordMinLength;
extern const CFStringRef kSecPasswordAllowedCharacters;
extern const CFStringRef kSecPasswordRequiredCharacters;
extern const CFStringRef kSecSymmetricKeyAttrs;

/* Views of synchronizable items. */
extern const CFStringRef kSecAttrViewHintWiFi;
extern const CFStringRef kSecAttrViewHintAutofillPasswords;
extern const CFStringRef kSecAttrViewHintSafariCreditCards;
extern const CFStringRef kSecAttrViewHintiCloudIdentity;
extern const CFStringRef kSecAttrViewHintBackupBagV0;
extern const CFStringRef kSecAttrViewHintOtherSyncable;
extern const CFStringRef kSecAttrViewHintContinuityUnlock;
extern const CFStringRef kSecAttrViewHintAppleTV;
extern const CFStringRef kSecAttrViewHintHomeKit;
extern const CFStringRef kSecAttrViewHintAccessoryPairing;
extern const CFStringRef kSecAttrViewHintPCSCloudKit;
extern const CFStringRef kSecAttrViewHintPCSEscrow;
extern const CFStringRef kSecAttrViewHintPCSFDE;
extern const CFStringRef kSecAttrViewHintPCSFeldspar;
extern const CFStringRef kSecAttrViewHintPCSMailDrop;
extern const CFStringRef kSecAttrViewHintPCSMasterKey;
extern const CFStringRef kSecAttrViewHintPCSNotes;
extern const CFStringRef kSecAttrViewHintPCSPhotos;
extern const CFStringRef kSecAttrViewHintPCSSharing;
extern const CFStringRef kSecAttrViewHintPCSiCloudBackup;
extern const CFStringRef kSecAttrViewHintPCSiCloudDrive;
extern const CFStringRef kSecAttrViewHintPCSiMessage;
extern const CFStringRef kSecAttrViewHintNanoRegistry;
extern const CFStringRef kSecAttrViewHintWatchMigration;
extern const CFStringRef kSecAttrViewHintEngram;
extern const CFStringRef kSecAttrViewHintManatee;
extern const CFStringRef kSecAttrViewHintAutoUnlock;
extern const CFStringRef kSecAttrViewHintHealth;
extern const CFStringRef kSecAttrViewHintApplePay;
extern const CFStringRef kSecAttrViewHintHome;
extern const CFStringRef kSecAttrViewHintLimitedPeersAllowed;
extern const CFStringRef kSecAttrViewHintMFi;
extern const CFStringRef kSecAttrViewHintMail;
extern const CFStringRef kSecAttrViewHintContacts;
extern const CFStringRef kSecAttrViewHintPhotos;
extern const CFStringRef kSecAttrViewHintGroups;
extern const CFStringRef kSecAttrViewHintFindMy;

/* Identifiers of policies. */
extern const CFStringRef kSecPolicyAppleSSLServer;
extern const CFStringRef kSecPolicyAppleSSLClient;
extern const CFStringRef kSecPolicyAppleEAPServer;
extern const CFStringRef kSecPolicyAppleEAPClient;
extern const CFStringRef kSecPolicyAppleIPSecServer;
extern const CFStringRef kSecPolicyAppleIPSecClient;

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
