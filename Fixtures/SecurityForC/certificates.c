/* Certificates, identities and imports.
   Arguments: a certificate and its issuer as DER, and a PKCS#12 file of the certificate with the password "secret". */
#include "papers.h"

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

static void accessors(SecCertificateRef leaf, SecCertificateRef issuer) {
    CHECK(CFGetTypeID(leaf) == SecCertificateGetTypeID() && !CFEqual(leaf, issuer));
    CFStringRef text = SecCertificateCopySubjectSummary(leaf);
    CHECK(is_text(text, CFSTR("leaf.example.com")));
    release(text);
    text = NULL;
    EXPECT(SecCertificateCopyCommonName(leaf, &text), errSecSuccess);
    CHECK(is_text(text, CFSTR("leaf.example.com")));
    release(text);
    CFArrayRef addresses = NULL;
    EXPECT(SecCertificateCopyEmailAddresses(leaf, &addresses), errSecSuccess);
    CHECK(addresses != NULL && CFArrayGetCount(addresses) == 1);
    CHECK(is_text(CFArrayGetValueAtIndex(addresses, 0), CFSTR("leaf@example.com")));
    release(addresses);
    CFDataRef one = SecCertificateCopyNormalizedIssuerSequence(leaf);
    CFDataRef other = SecCertificateCopyNormalizedSubjectSequence(issuer);
    CHECK(one != NULL && CFEqual(one, other));
    release(one);
    release(other);
    SecKeyRef key = SecCertificateCopyKey(leaf), same = SecCertificateCopyPublicKey(leaf);
    CHECK(key != NULL && CFGetTypeID(key) == SecKeyGetTypeID() && CFEqual(key, same));
    release(key);
    release(same);
    CFErrorRef error = NULL;
    one = SecCertificateCopySerialNumberData(leaf, &error);
    other = SecCertificateCopySerialNumber(leaf);
    CHECK(one != NULL && CFDataGetLength(one) == 1 && CFDataGetBytePtr(one)[0] == 5 && CFEqual(one, other));
    release(one);
    release(other);
    CFDateRef before = SecCertificateCopyNotValidBeforeDate(leaf), after = SecCertificateCopyNotValidAfterDate(leaf);
    CHECK(CFDateCompare(before, after, NULL) == kCFCompareLessThan);
    release(before);
    release(after);
    CFDictionaryRef values = SecCertificateCopyValues(leaf, NULL, &error);
    CHECK(values != NULL && CFDictionaryGetCount(values) > 5);
    release(values);
    CFTypeRef wanted[] = {kSecOIDX509V1SubjectName};
    CFArrayRef keys = CFArrayCreate(NULL, wanted, 1, &kCFTypeArrayCallBacks);
    values = SecCertificateCopyValues(leaf, keys, &error);
    CHECK(values != NULL && CFDictionaryGetCount(values) == 1);
    if (values != NULL) {
        CFDictionaryRef entry = (CFDictionaryRef)CFDictionaryGetValue(values, kSecOIDX509V1SubjectName);
        CHECK(is_text(CFDictionaryGetValue(entry, kSecPropertyKeyType), kSecPropertyTypeSection));
        CHECK(CFGetTypeID(CFDictionaryGetValue(entry, kSecPropertyKeyValue)) == CFArrayGetTypeID());
    }
    release(values);
    CFRelease(keys);
    CHECK(error == NULL);
}

static void identities(const char *path, SecCertificateRef leaf) {
    CFDataRef file = contents(path);
    CFMutableDictionaryRef options = pairs(kSecImportExportPassphrase, CFSTR("wrong"), NULL);
    CFArrayRef imported = NULL;
    EXPECT(SecPKCS12Import(file, options, &imported), errSecAuthFailed);
    CHECK(imported == NULL);
    CFDictionarySetValue(options, kSecImportExportPassphrase, CFSTR("secret"));
    EXPECT(SecPKCS12Import(file, options, &imported), errSecSuccess);
    CHECK(imported != NULL && CFArrayGetCount(imported) == 1);
    CFRelease(options);
    CFRelease(file);
    if (imported == NULL) return;
    CFDictionaryRef entry = (CFDictionaryRef)CFArrayGetValueAtIndex(imported, 0);
    SecIdentityRef identity = (SecIdentityRef)(void *)CFDictionaryGetValue(entry, kSecImportItemIdentity);
    CHECK(CFGetTypeID(identity) == SecIdentityGetTypeID());
    CHECK(CFGetTypeID(CFDictionaryGetValue(entry, kSecImportItemTrust)) == SecTrustGetTypeID());
    CHECK(CFArrayGetCount((CFArrayRef)CFDictionaryGetValue(entry, kSecImportItemCertChain)) >= 1);
    SecCertificateRef own = NULL;
    SecKeyRef key = NULL;
    EXPECT(SecIdentityCopyCertificate(identity, &own), errSecSuccess);
    EXPECT(SecIdentityCopyPrivateKey(identity, &key), errSecSuccess);
    CHECK(CFEqual(own, leaf));
    SecIdentityRef made = SecIdentityCreate(NULL, own, key);
    CHECK(made != NULL && CFEqual(made, identity));
    release(made);

    /* In the keychain. */
    CFMutableDictionaryRef item = pairs(kSecValueRef, identity, NULL);
    EXPECT(SecItemAdd(item, NULL), errSecSuccess);
    made = NULL;
    EXPECT(SecIdentityCreateWithCertificate(NULL, own, &made), errSecSuccess);
    CHECK(made != NULL && CFEqual(made, identity));
    release(made);
    CFMutableDictionaryRef query = pairs(kSecClass, kSecClassIdentity, kSecReturnRef, kCFBooleanTrue, NULL);
    CFTypeRef found = NULL;
    EXPECT(SecItemCopyMatching(query, &found), errSecSuccess);
    CHECK(found != NULL && CFGetTypeID(found) == SecIdentityGetTypeID() && CFEqual(found, identity));
    release(found);
    CFRelease(query);
    EXPECT(SecItemDelete(item), errSecSuccess);
    made = NULL;
    EXPECT(SecIdentityCreateWithCertificate(NULL, own, &made), errSecItemNotFound);
    CFRelease(item);
    release(key);
    release(own);
    CFRelease(imported);
}

static void other_objects(SecCertificateRef leaf) {
    CFTypeRef wrong[] = {NULL, CFSTR("text"), kCFNull};
    for (int index = 0; index < 3; index++) {
        void *other = (void *)wrong[index];
        CFErrorRef error = NULL;
        CFTypeRef slot = NULL;
        Boolean flag = 0;
        SecTrustResultType outcome = kSecTrustResultInvalid;
        CHECK(SecCertificateCreateWithData(NULL, (CFDataRef)other) == NULL);
        CHECK(SecCertificateCopyData((SecCertificateRef)other) == NULL);
        CHECK(SecCertificateCopySubjectSummary((SecCertificateRef)other) == NULL);
        CHECK(SecCertificateCopyKey((SecCertificateRef)other) == NULL);
        CHECK(SecCertificateCopyNormalizedIssuerSequence((SecCertificateRef)other) == NULL);
        CHECK(SecCertificateCopyNotValidAfterDate((SecCertificateRef)other) == NULL);
        CHECK(SecCertificateCopyValues((SecCertificateRef)other, NULL, &error) == NULL);
        CHECK(code_of(&error) == errSecParam);
        CHECK(SecCertificateCopySerialNumberData((SecCertificateRef)other, &error) == NULL);
        CHECK(code_of(&error) == errSecParam);
        EXPECT(SecCertificateCopyCommonName((SecCertificateRef)other, (CFStringRef *)&slot), errSecParam);
        EXPECT(SecCertificateCopyEmailAddresses((SecCertificateRef)other, (CFArrayRef *)&slot), errSecParam);
        EXPECT(SecIdentityCopyCertificate((SecIdentityRef)other, (SecCertificateRef *)&slot), errSecParam);
        EXPECT(SecIdentityCopyPrivateKey((SecIdentityRef)other, (SecKeyRef *)&slot), errSecParam);
        EXPECT(SecIdentityCreateWithCertificate(NULL, (SecCertificateRef)other, (SecIdentityRef *)&slot), errSecParam);
        CHECK(SecIdentityCreate(NULL, leaf, (SecKeyRef)other) == NULL);
        EXPECT(SecPKCS12Import((CFDataRef)other, (CFDictionaryRef)other, (CFArrayRef *)&slot), errSecParam);
        CHECK(SecPolicyCreateWithProperties((CFTypeRef)other, NULL) == NULL);
        CHECK(SecPolicyCopyProperties((SecPolicyRef)other) == NULL);
        EXPECT(SecTrustCreateWithCertificates((CFTypeRef)other, NULL, (SecTrustRef *)&slot), errSecParam);
        EXPECT(SecTrustSetPolicies((SecTrustRef)other, (CFTypeRef)other), errSecParam);
        EXPECT(SecTrustSetAnchorCertificates((SecTrustRef)other, NULL), errSecParam);
        EXPECT(SecTrustSetVerifyDate((SecTrustRef)other, (CFDateRef)other), errSecParam);
        EXPECT(SecTrustGetNetworkFetchAllowed((SecTrustRef)other, &flag), errSecParam);
        EXPECT(SecTrustGetTrustResult((SecTrustRef)other, &outcome), errSecParam);
        EXPECT(SecTrustEvaluate((SecTrustRef)other, &outcome), errSecParam);
        CHECK(!SecTrustEvaluateWithError((SecTrustRef)other, &error) && code_of(&error) == errSecParam);
        CHECK(SecTrustCopyKey((SecTrustRef)other) == NULL && SecTrustCopyResult((SecTrustRef)other) == NULL);
        CHECK(SecTrustCopyCertificateChain((SecTrustRef)other) == NULL);
        CHECK(SecTrustGetCertificateCount((SecTrustRef)other) == 0);
        CHECK(SecTrustCopyExceptions((SecTrustRef)other) == NULL);
        CHECK(!SecTrustSetExceptions((SecTrustRef)other, NULL));
        CHECK(slot == NULL);
    }
}

int main(int count, char **arguments) {
    if (count != 4) return 64;
    SecCertificateRef leaf = certificate(arguments[1]), issuer = certificate(arguments[2]);
    accessors(leaf, issuer);
    identities(arguments[3], leaf);
    other_objects(leaf);
    CFRelease(leaf);
    CFRelease(issuer);
    return verdict();
}
