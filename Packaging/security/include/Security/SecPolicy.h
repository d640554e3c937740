/* Policies by which certificates are evaluated. */
#ifndef LATCHKEY_SECURITY_SECPOLICY_H
#define LATCHKEY_SECURITY_SECPOLICY_H

#include <CoreFoundation/CFDictionary.h>
#include <Security/SecBase.h>

#pragma clang system_header

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/* Identifiers of policies. */
extern const CFStringRef kSecPolicyAppleX509Basic;
extern const CFStringRef kSecPolicyAppleSSL;
extern const CFStringRef kSecPolicyAppleSMIME;
extern const CFStringRef kSecPolicyAppleEAP;
extern const CFStringRef kSecPolicyAppleIPsec;
extern const CFStringRef kSecPolicyAppleCodeSigning;
extern const CFStringRef kSecPolicyAppleIDValidation;
extern const CFStringRef kSecPolicyMacAppStoreReceipt;
extern const CFStringRef kSecPolicyAppleTimeStamping;
extern const CFStringRef kSecPolicyAppleRevocation;
extern const CFStringRef kSecPolicyApplePassbookSigning;
extern const CFStringRef kSecPolicyApplePayIssuerEncryption;

/* Properties of a policy. */
extern const CFStringRef kSecPolicyOid;
extern const CFStringRef kSecPolicyName;
extern const CFStringRef kSecPolicyClient;
extern const CFStringRef kSecPolicyRevocationFlags;
extern const CFStringRef kSecPolicyTeamIdentifier;

/* Methods of checking revocation. */
CF_ENUM(CFOptionFlags) {
    kSecRevocationOCSPMethod = (1 << 0),
    kSecRevocationCRLMethod = (1 << 1),
    kSecRevocationPreferCRL = (1 << 2),
    kSecRevocationRequirePositiveResponse = (1 << 3),
    kSecRevocationNetworkAccessDisabled = (1 << 4),
    kSecRevocationUseAnyAvailableMethod = (kSecRevocationOCSPMethod | kSecRevocationCRLMethod),
};

CFTypeID SecPolicyGetTypeID(void);

SecPolicyRef SecPolicyCreateBasicX509(void);

/* Makes the policy for certificates of TLS.
   server: whether the certificate is a server's.
   hostname: the name that the certificate must be for; NULL allows any. */
SecPolicyRef SecPolicyCreateSSL(Boolean server, CFStringRef _Nullable hostname);

/* Makes the policy that checks whether certificates were revoked; NULL without any flag. */
SecPolicyRef _Nullable SecPolicyCreateRevocation(CFOptionFlags revocationFlags);

/* Makes the policy of an identifier; NULL for one that is not supported. */
SecPolicyRef _Nullable SecPolicyCreateWithProperties(
    CFTypeRef policyIdentifier, CFDictionaryRef _Nullable properties);

CFDictionaryRef _Nullable SecPolicyCopyProperties(SecPolicyRef policyRef);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
