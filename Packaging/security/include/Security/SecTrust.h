/* Evaluation of certificates. */
#ifndef LATCHKEY_SECURITY_SECTRUST_H
#define LATCHKEY_SECURITY_SECTRUST_H

#include <dispatch/dispatch.h>
#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFData.h>
#include <CoreFoundation/CFDate.h>
#include <CoreFoundation/CFDictionary.h>
#include <CoreFoundation/CFError.h>
#include <Security/SecBase.h>

#pragma clang system_header

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

typedef CF_ENUM(uint32_t, SecTrustResultType) {
    kSecTrustResultInvalid = 0,
    kSecTrustResultProceed = 1,
    kSecTrustResultConfirm = 2,
    kSecTrustResultDeny = 3,
    kSecTrustResultUnspecified = 4,
    kSecTrustResultRecoverableTrustFailure = 5,
    kSecTrustResultFatalTrustFailure = 6,
    kSecTrustResultOtherError = 7,
};

/* Entries of a trust's result. */
extern const CFStringRef kSecTrustEvaluationDate;
extern const CFStringRef kSecTrustExtendedValidation;
extern const CFStringRef kSecTrustOrganizationName;
extern const CFStringRef kSecTrustResultValue;
extern const CFStringRef kSecTrustRevocationChecked;
extern const CFStringRef kSecTrustRevocationReason;
extern const CFStringRef kSecTrustRevocationValidUntilDate;
extern const CFStringRef kSecTrustCertificateTransparency;
extern const CFStringRef kSecTrustResultDetails;
extern const CFStringRef kSecTrustQCStatements;
extern const CFStringRef kSecTrustQWACValidation;
extern const CFStringRef kSecTrustCertificateTransparencyWhiteList LK_SECURITY_DEPRECATED;

CFTypeID SecTrustGetTypeID(void);

/* Makes a trust.
   certificates: a certificate or an array of them, the one to evaluate first.
   policies: a policy or an array of them; NULL for the basic one. */
OSStatus SecTrustCreateWithCertificates(
    CFTypeRef certificates, CFTypeRef _Nullable policies,
    SecTrustRef _Nullable *_Nonnull CF_RETURNS_RETAINED trust);

OSStatus SecTrustSetPolicies(SecTrustRef trust, CFTypeRef policies);
OSStatus SecTrustCopyPolicies(SecTrustRef trust, CFArrayRef _Nullable *_Nonnull CF_RETURNS_RETAINED policies);

/* Sets anchors, and trusts no others; NULL goes back to the system's. */
OSStatus SecTrustSetAnchorCertificates(SecTrustRef trust, CFArrayRef _Nullable anchorCertificates);
OSStatus SecTrustSetAnchorCertificatesOnly(SecTrustRef trust, Boolean anchorCertificatesOnly);
OSStatus SecTrustCopyCustomAnchorCertificates(
    SecTrustRef trust, CFArrayRef _Nullable *_Nonnull CF_RETURNS_RETAINED anchors);

OSStatus SecTrustSetVerifyDate(SecTrustRef trust, CFDateRef verifyDate);
CFAbsoluteTime SecTrustGetVerifyTime(SecTrustRef trust);

/* Nothing is fetched from the network, whatever is set. */
OSStatus SecTrustSetNetworkFetchAllowed(SecTrustRef trust, Boolean allowFetch);
OSStatus SecTrustGetNetworkFetchAllowed(SecTrustRef trust, Boolean *allowFetch);

/* Evidence of a server, which is checked for its form and ignored. */
OSStatus SecTrustSetOCSPResponse(SecTrustRef trust, CFTypeRef _Nullable responseData);
OSStatus SecTrustSetSignedCertificateTimestamps(SecTrustRef trust, CFArrayRef _Nullable sctArray);

/* Returns true if the certificate is trusted. error is written whenever it is not, and is to be released. */
bool SecTrustEvaluateWithError(SecTrustRef trust, CFErrorRef _Nullable *_Nullable CF_RETURNS_RETAINED error)
    __attribute__((warn_unused_result));

#ifdef __BLOCKS__
typedef void (^SecTrustCallback)(SecTrustRef trustRef, SecTrustResultType trustResult);
typedef void (^SecTrustWithErrorCallback)(SecTrustRef trustRef, bool result, CFErrorRef _Nullable error);

/* Evaluate on a queue and call back there. */
OSStatus SecTrustEvaluateAsyncWithError(
    SecTrustRef trust, dispatch_queue_t queue, SecTrustWithErrorCallback result);
OSStatus SecTrustEvaluateAsync(SecTrustRef trust, dispatch_queue_t _Nullable queue, SecTrustCallback result)
    LK_SECURITY_DEPRECATED;
#endif

/* Deprecated: use SecTrustEvaluateWithError. */
OSStatus SecTrustEvaluate(SecTrustRef trust, SecTrustResultType *result) LK_SECURITY_DEPRECATED;

/* Returns the last result without evaluating: kSecTrustResultInvalid if something was set since. */
OSStatus SecTrustGetTrustResult(SecTrustRef trust, SecTrustResultType *result);

/* Returns the public key of the certificate, trusted or not. */
SecKeyRef _Nullable SecTrustCopyKey(SecTrustRef trust);
SecKeyRef _Nullable SecTrustCopyPublicKey(SecTrustRef trust) LK_SECURITY_DEPRECATED;

/* Return the chain, the certificate itself first. */
CFArrayRef _Nullable SecTrustCopyCertificateChain(SecTrustRef trust);
CFIndex SecTrustGetCertificateCount(SecTrustRef trust);
/* Not to be released; valid until the trust is changed or released. */
SecCertificateRef _Nullable SecTrustGetCertificateAtIndex(SecTrustRef trust, CFIndex ix) LK_SECURITY_DEPRECATED;

CFDictionaryRef _Nullable SecTrustCopyResult(SecTrustRef trust);
CFArrayRef _Nullable SecTrustCopyProperties(SecTrustRef trust) LK_SECURITY_DEPRECATED;

/* Exceptions: failures that a user decided to ignore for this certificate. */
CFDataRef _Nullable SecTrustCopyExceptions(SecTrustRef trust);
bool SecTrustSetExceptions(SecTrustRef trust, CFDataRef _Nullable exceptions);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
