/* Policies and trust, and calls with blocks. Arguments: a certificate and its issuer as DER. */
#include "papers.h"

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

static void policies(void) {
    SecPolicyRef basic = SecPolicyCreateBasicX509();
    CHECK(basic != NULL && CFGetTypeID(basic) == SecPolicyGetTypeID());
    CFDictionaryRef properties = SecPolicyCopyProperties(basic);
    CHECK(is_text(CFDictionaryGetValue(properties, kSecPolicyOid), kSecPolicyAppleX509Basic));
    release(properties);
    SecPolicyRef server = SecPolicyCreateSSL(true, CFSTR("leaf.example.com"));
    properties = SecPolicyCopyProperties(server);
    CHECK(is_text(CFDictionaryGetValue(properties, kSecPolicyName), CFSTR("leaf.example.com")));
    release(properties);
    CFMutableDictionaryRef given = pairs(kSecPolicyName, CFSTR("leaf.example.com"), NULL);
    SecPolicyRef same = SecPolicyCreateWithProperties(kSecPolicyAppleSSL, given);
    CHECK(same != NULL && CFEqual(server, same) && !CFEqual(server, basic));
    release(same);
    SecPolicyRef client = SecPolicyCreateSSL(false, NULL);
    properties = SecPolicyCopyProperties(client);
    CHECK(CFDictionaryGetValue(properties, kSecPolicyClient) == kCFBooleanTrue);
    release(properties);
    SecPolicyRef revocation = SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod);
    CHECK(revocation != NULL && SecPolicyCreateRevocation(0) == NULL);
    CHECK(SecPolicyCreateWithProperties(CFSTR("1.2.3"), NULL) == NULL);
    CHECK(SecPolicyCreateSSL(true, (CFStringRef)given) == NULL);
    release(revocation);
    CFRelease(given);
    release(client);
    release(server);
    release(basic);
}

static void trusts(SecCertificateRef leaf, SecCertificateRef issuer) {
    SecPolicyRef policy = SecPolicyCreateSSL(true, CFSTR("leaf.example.com"));
    SecTrustRef trust = NULL;
    EXPECT(SecTrustCreateWithCertificates(leaf, policy, &trust), errSecSuccess);
    CHECK(CFGetTypeID(trust) == SecTrustGetTypeID());
    SecTrustResultType outcome = kSecTrustResultOtherError;
    EXPECT(SecTrustGetTrustResult(trust, &outcome), errSecSuccess);
    CHECK(outcome == kSecTrustResultInvalid);
    CFErrorRef error = NULL;
    CHECK(!SecTrustEvaluateWithError(trust, &error));
    CHECK(code_of(&error) != 0);
    CHECK(!SecTrustEvaluateWithError(trust, NULL));
    EXPECT(SecTrustEvaluate(trust, &outcome), errSecSuccess);
    CHECK(outcome == kSecTrustResultRecoverableTrustFailure);
    CFDictionaryRef result = SecTrustCopyResult(trust);
    CHECK(result != NULL && CFDictionaryContainsKey(result, kSecTrustEvaluationDate));
    CHECK(CFGetTypeID(CFDictionaryGetValue(result, kSecTrustResultDetails)) == CFArrayGetTypeID());
    release(result);
    CFArrayRef properties = SecTrustCopyProperties(trust);
    CHECK(properties != NULL && CFArrayGetCount(properties) > 0);
    release(properties);

    /* A person ignores the failures. */
    CFDataRef exceptions = SecTrustCopyExceptions(trust);
    CHECK(SecTrustSetExceptions(trust, exceptions));
    CHECK(SecTrustEvaluateWithError(trust, &error) && error == NULL);
    CHECK(!SecTrustSetExceptions(trust, NULL) && !SecTrustEvaluateWithError(trust, NULL));
    release(exceptions);

    /* The array is the program's: it changes it afterwards. */
    CFMutableArrayRef anchors = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    CFArrayAppendValue(anchors, issuer);
    EXPECT(SecTrustSetAnchorCertificates(trust, anchors), errSecSuccess);
    CFArrayRemoveAllValues(anchors);
    CHECK(SecTrustEvaluateWithError(trust, &error) && error == NULL);
    CFRelease(anchors);
    CFArrayRef copied = NULL;
    EXPECT(SecTrustCopyCustomAnchorCertificates(trust, &copied), errSecSuccess);
    CHECK(copied != NULL && CFArrayGetCount(copied) == 1 && CFEqual(CFArrayGetValueAtIndex(copied, 0), issuer));
    release(copied);
    EXPECT(SecTrustSetAnchorCertificatesOnly(trust, true), errSecSuccess);
    CFArrayRef chain = SecTrustCopyCertificateChain(trust);
    CHECK(chain != NULL && CFArrayGetCount(chain) == 2 && SecTrustGetCertificateCount(trust) == 2);
    CHECK(CFEqual(SecTrustGetCertificateAtIndex(trust, 0), leaf));
    CHECK(CFEqual(SecTrustGetCertificateAtIndex(trust, 1), issuer));
    CHECK(SecTrustGetCertificateAtIndex(trust, 2) == NULL && SecTrustGetCertificateAtIndex(trust, -1) == NULL);
    release(chain);
    SecKeyRef key = SecTrustCopyKey(trust), same = SecTrustCopyPublicKey(trust);
    CHECK(key != NULL && CFEqual(key, same));
    release(key);
    release(same);

    CFDateRef date = CFDateCreate(NULL, 0);
    EXPECT(SecTrustSetVerifyDate(trust, date), errSecSuccess);
    CHECK(SecTrustGetVerifyTime(trust) == 0);
    CHECK(!SecTrustEvaluateWithError(trust, &error));
    CHECK(code_of(&error) == errSecCertificateExpired);
    CFRelease(date);
    Boolean allowed = 9;
    EXPECT(SecTrustSetNetworkFetchAllowed(trust, false), errSecSuccess);
    EXPECT(SecTrustGetNetworkFetchAllowed(trust, &allowed), errSecSuccess);
    CHECK(allowed == 0);
    EXPECT(SecTrustSetPolicies(trust, policy), errSecSuccess);
    EXPECT(SecTrustCopyPolicies(trust, &copied), errSecSuccess);
    CHECK(copied != NULL && CFArrayGetCount(copied) == 1);
    release(copied);
    CFDataRef response = data("response");
    EXPECT(SecTrustSetOCSPResponse(trust, response), errSecSuccess);
    EXPECT(SecTrustSetOCSPResponse(trust, CFSTR("text")), errSecParam);
    EXPECT(SecTrustSetSignedCertificateTimestamps(trust, NULL), errSecSuccess);
    CFRelease(response);

    /* Answers on a queue. */
    dispatch_semaphore_t answered = dispatch_semaphore_create(0);
    dispatch_queue_t queue = dispatch_queue_create("answers", NULL);
    __block CFIndex code = 0;
    EXPECT(
        SecTrustEvaluateAsyncWithError(trust, queue, ^(SecTrustRef asked, bool is_trusted, CFErrorRef failure) {
          CHECK(asked == trust && !is_trusted && failure != NULL);
          code = failure != NULL ? CFErrorGetCode(failure) : 0;
          dispatch_semaphore_signal(answered);
        }),
        errSecSuccess);
    dispatch_semaphore_wait(answered, DISPATCH_TIME_FOREVER);
    CHECK(code == errSecCertificateExpired);
    EXPECT(
        SecTrustEvaluateAsync(trust, NULL, ^(SecTrustRef asked, SecTrustResultType found) {
          CHECK(asked == trust && found == kSecTrustResultRecoverableTrustFailure);
          dispatch_semaphore_signal(answered);
        }),
        errSecSuccess);
    dispatch_semaphore_wait(answered, DISPATCH_TIME_FOREVER);
    SecAddSharedWebCredential(CFSTR("example.com"), CFSTR("anna"), NULL, ^(CFErrorRef failure) {
      CHECK(failure != NULL && CFErrorGetCode(failure) == errSecUnimplemented);
      dispatch_semaphore_signal(answered);
    });
    dispatch_semaphore_wait(answered, DISPATCH_TIME_FOREVER);
    SecRequestSharedWebCredential(NULL, NULL, ^(CFArrayRef credentials, CFErrorRef failure) {
      CHECK(credentials == NULL && failure != NULL && CFErrorGetCode(failure) == errSecUnimplemented);
      dispatch_semaphore_signal(answered);
    });
    dispatch_semaphore_wait(answered, DISPATCH_TIME_FOREVER);
    dispatch_release(queue);
    dispatch_release(answered);
    release(trust);
    release(policy);
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    SecCertificateRef leaf = certificate(arguments[1]), issuer = certificate(arguments[2]);
    policies();
    trusts(leaf, issuer);
    CFRelease(leaf);
    CFRelease(issuer);
    return verdict();
}
