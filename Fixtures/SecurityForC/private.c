/* Private functions that Apple's own tests declare. Argument: a certificate as DER. */
#include "check.h"

#include <Security/SecurityPriv.h>

static void items(void) {
    CFStringRef classes[] = {kSecClassGenericPassword, kSecClassInternetPassword};
    CFTypeRef truths[] = {kCFBooleanTrue, kCFBooleanFalse};
    EXPECT(SecItemDeleteAll(), errSecSuccess);
    for (int index = 0; index < 4; index++) {
        CFMutableDictionaryRef item =
            pairs(kSecClass, classes[index / 2], kSecAttrSynchronizable, truths[index % 2], NULL);
        EXPECT(SecItemAdd(item, NULL), errSecSuccess);
        CFRelease(item);
    }
    EXPECT(SecItemDeleteAll(), errSecSuccess);
    for (int index = 0; index < 2; index++) {
        CFMutableDictionaryRef query =
            pairs(kSecClass, classes[index], kSecAttrSynchronizable, kSecAttrSynchronizableAny, NULL);
        EXPECT(SecItemCopyMatching(query, NULL), errSecItemNotFound);
        CFRelease(query);
    }
}

static void keys(void) {
    int bits = 256;
    CFNumberRef size = CFNumberCreate(NULL, kCFNumberIntType, &bits);
    CFMutableDictionaryRef parameters =
        pairs(kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits, size, NULL);
    SecKeyRef key = SecKeyCreateRandomKey(parameters, NULL);
    SecKeyRef one = SecKeyCreatePublicFromPrivate(key), other = SecKeyCopyPublicKey(key);
    CHECK(one != NULL && CFEqual(one, other));
    CHECK(SecKeyCreatePublicFromPrivate(one) == NULL);
    CHECK(SecKeyCreatePublicFromPrivate((SecKeyRef)(void *)CFSTR("text")) == NULL);
    release(one);
    release(other);
    release(key);
    CFRelease(parameters);
    CFRelease(size);
}

static void certificates(const char *path) {
    UInt8 bytes[16384];
    FILE *file = fopen(path, "rb");
    CFIndex count = file != NULL ? (CFIndex)fread(bytes, 1, sizeof bytes, file) : 0;
    if (file != NULL) fclose(file);
    SecCertificateRef certificate = SecCertificateCreateWithBytes(NULL, bytes, count);
    CHECK(certificate != NULL && SecCertificateCreateWithBytes(NULL, bytes, 3) == NULL);
    CHECK(SecCertificateCreateWithBytes(NULL, bytes, -1) == NULL);
    if (certificate == NULL) return;
    CFDataRef issuer = SecCertificateCopyIssuerSequence(certificate);
    CFDataRef subject = SecCertificateCopySubjectSequence(certificate);
    CHECK(issuer != NULL && subject != NULL && !CFEqual(issuer, subject));
    release(issuer);
    release(subject);
    CFDataRef digest = SecCertificateCopySHA256Digest(certificate);
    CHECK(digest != NULL && CFDataGetLength(digest) == 32);
    release(digest);
    digest = SecCertificateCopyPublicKeySHA1Digest(certificate);
    CHECK(digest != NULL && CFDataGetLength(digest) == 20);
    release(digest);
    CFArrayRef addresses = SecCertificateCopyRFC822Names(certificate);
    CHECK(addresses != NULL && CFArrayGetCount(addresses) == 1);
    release(addresses);
    CHECK(SecCertificateVersion(certificate) == 3);
    CFAbsoluteTime before = SecCertificateNotValidBefore(certificate), after = SecCertificateNotValidAfter(certificate);
    CHECK(before < after && SecCertificateIsValid(certificate, before) && SecCertificateIsValid(certificate, after));
    CHECK(!SecCertificateIsValid(certificate, before - 1) && !SecCertificateIsValid(certificate, after + 1));
    Boolean is_self_signed = 9;
    EXPECT(SecCertificateIsSelfSigned(certificate, &is_self_signed), errSecSuccess);
    CHECK(is_self_signed == 0);
    CFRelease(certificate);
    EXPECT(SecCertificateIsSelfSigned((SecCertificateRef)(void *)kCFNull, &is_self_signed), errSecParam);
    CHECK(SecCertificateCopySHA256Digest((SecCertificateRef)(void *)kCFNull) == NULL);
}

static void access_controls(void) {
    SecAccessControlRef plain = SecAccessControlCreateWithFlags(
        NULL, kSecAttrAccessibleAfterFirstUnlock, (SecAccessControlCreateFlags)0, NULL);
    CHECK(is_text(SecAccessControlGetProtection(plain), kSecAttrAccessibleAfterFirstUnlock));
    CHECK(SecAccessControlGetConstraint(plain, CFSTR("od")) == kCFBooleanTrue);
    CFRelease(plain);
    SecAccessControlRef guarded = SecAccessControlCreateWithFlags(
        NULL, kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
        (SecAccessControlCreateFlags)(
            kSecAccessControlBiometryCurrentSet | kSecAccessControlDevicePasscode | kSecAccessControlOr),
        NULL);
    CFTypeRef protection = SecAccessControlGetProtection(guarded);
    CFTypeRef conditions = SecAccessControlGetConstraint(guarded, CFSTR("od"));
    CHECK(SecAccessControlGetConstraint(guarded, CFSTR("odel")) == kCFBooleanTrue);
    CHECK(SecAccessControlGetConstraint(guarded, CFSTR("osgn")) == NULL);
    CHECK(SecAccessControlGetConstraint(guarded, kCFNull) == NULL);
    /* They outlive what they were got from. */
    CFRelease(guarded);
    CHECK(is_text(protection, kSecAttrAccessibleWhenUnlockedThisDeviceOnly));
    CHECK(conditions != NULL && CFGetTypeID(conditions) == CFDictionaryGetTypeID());
    if (conditions != NULL) {
        CFDictionaryRef found = (CFDictionaryRef)conditions;
        int one = 1;
        CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &one);
        CHECK(CFDictionaryGetCount(found) == 3);
        CHECK(is_text(CFDictionaryGetValue(found, CFSTR("cbio")), CFSTR("current")));
        CHECK(CFDictionaryGetValue(found, CFSTR("cup")) == kCFBooleanTrue);
        CHECK(CFEqual(CFDictionaryGetValue(found, CFSTR("ckon")), number));
        CFRelease(number);
    }
    SecAccessControlRef none = (SecAccessControlRef)(void *)CFSTR("text");
    CHECK(SecAccessControlGetProtection(none) == NULL && SecAccessControlGetConstraint(none, CFSTR("od")) == NULL);
}

int main(int count, char **arguments) {
    if (count != 2) return 64;
    items();
    keys();
    certificates(arguments[1]);
    access_controls();
    return verdict();
}
