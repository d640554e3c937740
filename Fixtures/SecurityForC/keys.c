/* Keys: made, imported, used, and as objects. */
#include "check.h"

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

static SecKeyRef new_key(CFStringRef type, int bits, const void *more, CFTypeRef value) {
    CFNumberRef size = CFNumberCreate(NULL, kCFNumberIntType, &bits);
    CFMutableDictionaryRef parameters = pairs(kSecAttrKeyType, type, kSecAttrKeySizeInBits, size, NULL);
    if (more != NULL) CFDictionarySetValue(parameters, more, value);
    CFErrorRef error = NULL;
    SecKeyRef key = SecKeyCreateRandomKey(parameters, &error);
    CHECK(key != NULL && error == NULL);
    if (key == NULL) printf("no key: %ld\n", (long)code_of(&error));
    CFRelease(parameters);
    CFRelease(size);
    return key;
}

static void signatures(SecKeyRef key, SecKeyAlgorithm algorithm) {
    SecKeyRef public_key = SecKeyCopyPublicKey(key);
    CFDataRef message = data("to be signed"), other = data("something else");
    CFErrorRef error = NULL;
    CHECK(SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeSign, algorithm));
    CHECK(!SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeEncrypt, algorithm));
    CHECK(!SecKeyIsAlgorithmSupported(key, (SecKeyOperationType)99, algorithm));
    CFDataRef signature = SecKeyCreateSignature(key, algorithm, message, &error);
    CHECK(signature != NULL && error == NULL);
    CHECK(SecKeyVerifySignature(public_key, algorithm, message, signature, &error) && error == NULL);
    CHECK(!SecKeyVerifySignature(public_key, algorithm, other, signature, &error));
    CHECK(code_of(&error) == errSecVerifyFailed);
    CHECK(!SecKeyVerifySignature(public_key, algorithm, other, signature, NULL));
    CHECK(SecKeyCreateSignature(public_key, algorithm, message, &error) == NULL);
    CHECK(code_of(&error) == errSecParam);
    release(signature);
    CFRelease(other);
    CFRelease(message);
    CFRelease(public_key);
}

static void elliptic_curves(void) {
    SecKeyRef key = new_key(kSecAttrKeyTypeECSECPrimeRandom, 256, NULL, NULL);
    SecKeyRef peer = new_key(kSecAttrKeyTypeECSECPrimeRandom, 256, NULL, NULL);
    CHECK(SecKeyGetBlockSize(key) == 32);
    signatures(key, kSecKeyAlgorithmECDSASignatureMessageX962SHA256);

    /* Out and in again: an equal key. */
    CFErrorRef error = NULL;
    CFDataRef bytes = SecKeyCopyExternalRepresentation(key, &error);
    CHECK(bytes != NULL && CFDataGetLength(bytes) == 97 && error == NULL);
    CFMutableDictionaryRef attributes = pairs(
        kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass, kSecAttrKeyClassPrivate, NULL);
    SecKeyRef again = SecKeyCreateWithData(bytes, attributes, &error);
    CHECK(again != NULL && CFEqual(key, again) && CFHash(key) == CFHash(again) && !CFEqual(key, peer));
    release(again);
    CFDataRef nonsense = data("no key");
    CHECK(SecKeyCreateWithData(nonsense, attributes, &error) == NULL);
    CHECK(code_of(&error) == errSecParam);
    CHECK(SecKeyCreateWithData(nonsense, attributes, NULL) == NULL);
    CFRelease(nonsense);
    CFRelease(attributes);
    release(bytes);

    /* As objects. */
    CHECK(CFGetTypeID(key) == SecKeyGetTypeID() && SecKeyGetTypeID() != 0);
    CFStringRef description = CFCopyDescription(key);
    CHECK(description != NULL && CFStringFind(description, CFSTR("ECPrivateKey"), 0).location != kCFNotFound);
    release(description);
    CFTypeRef both[] = {key, peer};
    CFArrayRef array = CFArrayCreate(NULL, both, 2, &kCFTypeArrayCallBacks);
    CHECK(CFArrayContainsValue(array, CFRangeMake(0, 2), peer));
    CFRelease(array);
    CFDictionaryRef found = SecKeyCopyAttributes(key);
    CHECK(found != NULL && is_text(CFDictionaryGetValue(found, kSecAttrKeyType), kSecAttrKeyTypeECSECPrimeRandom));
    CHECK(found != NULL && is_text(CFDictionaryGetValue(found, kSecAttrKeyClass), kSecAttrKeyClassPrivate));
    release(found);

    /* An exchange and its parameters. */
    int sixteen = 16;
    CFNumberRef size = CFNumberCreate(NULL, kCFNumberIntType, &sixteen);
    CFMutableDictionaryRef parameters = pairs(kSecKeyKeyExchangeParameterRequestedSize, size, NULL);
    SecKeyRef public_key = SecKeyCopyPublicKey(key), public_peer = SecKeyCopyPublicKey(peer);
    SecKeyAlgorithm exchange = kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA256;
    CFDataRef one = SecKeyCopyKeyExchangeResult(key, exchange, public_peer, parameters, &error);
    CFDataRef other = SecKeyCopyKeyExchangeResult(peer, exchange, public_key, parameters, NULL);
    CHECK(one != NULL && other != NULL && CFEqual(one, other) && CFDataGetLength(one) == 16);
    release(one);
    release(other);
    CHECK(SecKeyCopyKeyExchangeResult(key, exchange, peer, parameters, &error) == NULL);
    CHECK(code_of(&error) == errSecParam);
    CFDataRef shared = data("info");
    CFDictionarySetValue(parameters, kSecKeyKeyExchangeParameterSharedInfo, shared);
    one = SecKeyCopyKeyExchangeResult(key, exchange, public_peer, parameters, &error);
    CHECK(one != NULL);
    release(one);
    CFRelease(shared);

    /* Encryption to the public key. */
    CFDataRef plain = data("plain");
    SecKeyAlgorithm ecies = kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM;
    CFDataRef sealed = SecKeyCreateEncryptedData(public_key, ecies, plain, &error);
    CHECK(sealed != NULL);
    CFDataRef opened = SecKeyCreateDecryptedData(key, ecies, sealed, &error);
    CHECK(is_data(opened, "plain"));
    release(opened);
    CHECK(SecKeyCreateDecryptedData(peer, ecies, sealed, &error) == NULL);
    CHECK(code_of(&error) == errSecParam);
    CHECK(SecKeyCreateEncryptedData(public_key, exchange, plain, &error) == NULL);
    CHECK(code_of(&error) == errSecParam);
    release(sealed);
    CFRelease(plain);
    CFRelease(public_peer);
    CFRelease(public_key);
    CFRelease(parameters);
    CFRelease(size);
    release(peer);
    release(key);
}

static void items(void) {
    SecKeyRef key = new_key(kSecAttrKeyTypeECSECPrimeRandom, 256, kSecAttrIsPermanent, kCFBooleanTrue);
    CFMutableDictionaryRef query = pairs(
        kSecClass, kSecClassKey, kSecAttrKeyClass, kSecAttrKeyClassPrivate, kSecReturnRef, kCFBooleanTrue, NULL);
    CFTypeRef result = NULL;
    EXPECT(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK(result != NULL && CFGetTypeID(result) == SecKeyGetTypeID() && CFEqual(result, key));
    signatures((SecKeyRef)result, kSecKeyAlgorithmECDSASignatureDigestX962);
    release(result);
    CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    EXPECT(SecItemCopyMatching(query, &result), errSecSuccess);
    if (result != NULL) {
        CFTypeRef reference = CFDictionaryGetValue((CFDictionaryRef)result, kSecValueRef);
        CHECK(reference != NULL && CFEqual(reference, key));
    }
    release(result);
    CFRelease(query);
    query = pairs(kSecValueRef, key, NULL);
    EXPECT(SecItemDelete(query), errSecSuccess);
    EXPECT(SecItemAdd(query, NULL), errSecSuccess);
    EXPECT(SecItemDelete(query), errSecSuccess);
    CFRelease(query);
    release(key);
}

static void enclave(void) {
    SecAccessControlRef control = SecAccessControlCreateWithFlags(
        NULL, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, kSecAccessControlPrivateKeyUsage, NULL);
    CFMutableDictionaryRef half = pairs(kSecAttrAccessControl, control, NULL);
    int bits = 256;
    CFNumberRef size = CFNumberCreate(NULL, kCFNumberIntType, &bits);
    CFMutableDictionaryRef parameters = pairs(
        kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits, size, kSecAttrTokenID,
        kSecAttrTokenIDSecureEnclave, kSecPrivateKeyAttrs, half, NULL);
    CFErrorRef error = NULL;
    SecKeyRef key = SecKeyCreateRandomKey(parameters, &error);
    CHECK(key != NULL && error == NULL);
    signatures(key, kSecKeyAlgorithmECDSASignatureMessageX962SHA256);
    CHECK(SecKeyCopyExternalRepresentation(key, &error) == NULL);
    CHECK(code_of(&error) != 0);
    CHECK(SecKeyCopyExternalRepresentation(key, NULL) == NULL);
    release(key);
    CFRelease(parameters);
    CFRelease(size);
    CFRelease(half);
    CFRelease(control);
}

static void older_calls(void) {
    int bits = 2048;
    CFNumberRef size = CFNumberCreate(NULL, kCFNumberIntType, &bits);
    CFMutableDictionaryRef parameters = pairs(kSecAttrKeyType, kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits, size, NULL);
    SecKeyRef public_key = NULL, key = NULL;
    EXPECT(SecKeyGeneratePair(parameters, &public_key, &key), errSecSuccess);
    CHECK(SecKeyGetBlockSize(key) == 256);
    signatures(key, kSecKeyAlgorithmRSASignatureMessagePSSSHA256);
    uint8_t digest[32] = {1, 2, 3}, signature[256], sealed[256], opened[256];
    size_t length = sizeof signature;
    EXPECT(SecKeyRawSign(key, kSecPaddingPKCS1SHA256, digest, sizeof digest, signature, &length), errSecSuccess);
    CHECK(length == 256);
    EXPECT(SecKeyRawVerify(public_key, kSecPaddingPKCS1SHA256, digest, sizeof digest, signature, length), errSecSuccess);
    digest[0] = 9;
    CHECK(SecKeyRawVerify(public_key, kSecPaddingPKCS1SHA256, digest, sizeof digest, signature, length) != 0);
    length = sizeof sealed;
    EXPECT(SecKeyEncrypt(public_key, kSecPaddingOAEP, digest, sizeof digest, sealed, &length), errSecSuccess);
    size_t room = sizeof opened;
    EXPECT(SecKeyDecrypt(key, kSecPaddingOAEP, sealed, length, opened, &room), errSecSuccess);
    CHECK(room == sizeof digest && memcmp(opened, digest, room) == 0);
    /* No room, no output, no input. */
    length = 1;
    CHECK(SecKeyRawSign(key, kSecPaddingPKCS1SHA256, digest, sizeof digest, signature, &length) != errSecSuccess);
    const uint8_t *no_bytes = NULL;
    size_t *no_length = NULL;
    EXPECT(SecKeyRawSign(key, kSecPaddingPKCS1SHA256, digest, sizeof digest, signature, no_length), errSecParam);
    EXPECT(SecKeyRawSign(key, kSecPaddingPKCS1SHA256, no_bytes, 32, signature, &length), errSecParam);
    release(public_key);
    release(key);
    EXPECT(SecKeyGeneratePair(parameters, NULL, NULL), errSecSuccess);
    CFDictionarySetValue(parameters, kSecAttrKeyType, kSecAttrKeyTypeDSA);
    public_key = key = (SecKeyRef)(void *)0;
    CHECK(SecKeyGeneratePair(parameters, &public_key, &key) != errSecSuccess);
    CHECK(public_key == NULL && key == NULL);
    CFRelease(parameters);
    CFRelease(size);
}

/* Objects of other types in every place. */
static void other_objects(void) {
    SecKeyRef key = new_key(kSecAttrKeyTypeECSECPrimeRandom, 256, NULL, NULL);
    CFDataRef bytes = data("bytes");
    CFMutableDictionaryRef empty = pairs(NULL);
    SecKeyAlgorithm algorithm = kSecKeyAlgorithmECDSASignatureMessageX962SHA256;
    CFTypeRef wrong[] = {NULL, CFSTR("text"), kCFNull};
    for (int index = 0; index < 3; index++) {
        SecKeyRef other_key = (SecKeyRef)(void *)wrong[index];
        CFDataRef other_data = (CFDataRef)wrong[index];
        CFDictionaryRef other_dictionary = (CFDictionaryRef)wrong[index];
        CFErrorRef error = NULL;
#define REFUSED(call) CHECK(!(call) && code_of(&error) == errSecParam)
        REFUSED(SecKeyCreateRandomKey(other_dictionary, &error));
        REFUSED(SecKeyCreateWithData(other_data, empty, &error));
        REFUSED(SecKeyCreateWithData(bytes, other_dictionary, &error));
        REFUSED(SecKeyCopyExternalRepresentation(other_key, &error));
        REFUSED(SecKeyCreateSignature(other_key, algorithm, bytes, &error));
        REFUSED(SecKeyCreateSignature(key, algorithm, other_data, &error));
        REFUSED(SecKeyCreateSignature(key, (CFStringRef)wrong[index], bytes, &error));
        REFUSED(SecKeyVerifySignature(other_key, algorithm, bytes, bytes, &error));
        REFUSED(SecKeyVerifySignature(key, algorithm, bytes, other_data, &error));
        REFUSED(SecKeyCreateEncryptedData(other_key, algorithm, bytes, &error));
        REFUSED(SecKeyCreateDecryptedData(other_key, algorithm, bytes, &error));
        REFUSED(SecKeyCopyKeyExchangeResult(key, algorithm, other_key, empty, &error));
        REFUSED(SecKeyCopyKeyExchangeResult(key, algorithm, key, other_dictionary, &error));
        CHECK(SecKeyCreateSignature(other_key, algorithm, bytes, NULL) == NULL);
        CHECK(SecKeyCopyPublicKey(other_key) == NULL && SecKeyCopyAttributes(other_key) == NULL);
        CHECK(SecKeyGetBlockSize(other_key) == 0);
        CHECK(!SecKeyIsAlgorithmSupported(other_key, kSecKeyOperationTypeSign, algorithm));
        EXPECT(SecKeyGeneratePair(other_dictionary, NULL, NULL), errSecParam);
    }
    CFRelease(empty);
    CFRelease(bytes);
    release(key);
}

int main(void) {
    elliptic_curves();
    items();
    enclave();
    older_calls();
    other_objects();
    return verdict();
}
