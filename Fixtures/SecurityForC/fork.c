/* A child of fork that goes on: it has a device of its own, what calls have handed out, and nothing else of its parent. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include <stdint.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PARENTS_ITEMS = 20, CHILDS_ITEMS = 20 };

static CFMutableDictionaryRef item(const char *owner, int number) {
    CFStringRef account = CFStringCreateWithFormat(NULL, NULL, CFSTR("%s %d"), owner, number);
    CFMutableDictionaryRef made =
        pairs(kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("fork"), kSecAttrAccount, account, NULL);
    CFRelease(account);
    return made;
}

static void add(const char *owner, int count) {
    for (int number = 0; number < count; number++) {
        CFDataRef secret = data(owner);
        CFMutableDictionaryRef made = item(owner, number);
        CFDictionarySetValue(made, kSecValueData, secret);
        EXPECT(SecItemAdd(made, NULL), errSecSuccess);
        CFRelease(made);
        CFRelease(secret);
    }
}

static void find(const char *owner, int count) {
    for (int number = 0; number < count; number++) {
        CFMutableDictionaryRef query = item(owner, number);
        CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
        CFTypeRef result = NULL;
        EXPECT(SecItemCopyMatching(query, &result), errSecSuccess);
        CHECK(is_data(result, owner));
        release(result);
        CFRelease(query);
    }
}

/* All items of the class, with their attributes: each row is opened. */
static CFIndex count_all(void) {
    CFMutableDictionaryRef query = pairs(
        kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("fork"), kSecMatchLimit, kSecMatchLimitAll,
        kSecReturnAttributes, kCFBooleanTrue, NULL);
    CFTypeRef result = NULL;
    OSStatus status = SecItemCopyMatching(query, &result);
    CFRelease(query);
    CFIndex count = status == errSecSuccess ? CFArrayGetCount((CFArrayRef)result) : 0;
    release(result);
    return count;
}

static void key_signs(SecKeyRef key) {
    CFErrorRef error = NULL;
    CFDataRef message = data("message");
    SecKeyRef public_key = SecKeyCopyPublicKey(key);
    CFDataRef signature =
        SecKeyCreateSignature(key, kSecKeyAlgorithmECDSASignatureMessageX962SHA256, message, &error);
    CHECK(signature != NULL);
    if (signature != NULL) {
        CHECK(SecKeyVerifySignature(
            public_key, kSecKeyAlgorithmECDSASignatureMessageX962SHA256, message, signature, &error));
        CFRelease(signature);
    }
    release(error);
    CFRelease(public_key);
    CFRelease(message);
}

static SecKeyRef key_in_software(void) {
    int bits = 256;
    CFNumberRef size = CFNumberCreate(NULL, kCFNumberIntType, &bits);
    CFDataRef tag = data("fork");
    CFMutableDictionaryRef own = pairs(kSecAttrIsPermanent, kCFBooleanTrue, kSecAttrApplicationTag, tag, NULL);
    CFMutableDictionaryRef parameters = pairs(
        kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits, size, kSecPrivateKeyAttrs, own, NULL);
    CFErrorRef error = NULL;
    SecKeyRef made = SecKeyCreateRandomKey(parameters, &error);
    CHECK(made != NULL);
    release(made);
    CFMutableDictionaryRef query = pairs(
        kSecClass, kSecClassKey, kSecAttrApplicationTag, tag, kSecAttrKeyClass, kSecAttrKeyClassPrivate, kSecReturnRef,
        kCFBooleanTrue, NULL);
    CFTypeRef found = NULL;
    EXPECT(SecItemCopyMatching(query, &found), errSecSuccess);
    CFRelease(query);
    CFRelease(parameters);
    CFRelease(own);
    CFRelease(tag);
    CFRelease(size);
    return (SecKeyRef)(uintptr_t)found;
}

static void wait_for(pid_t child) {
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

int main(void) {
    add("parent", PARENTS_ITEMS);
    SecKeyRef key = key_in_software();
    CFMutableDictionaryRef query = item("parent", 0);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CFTypeRef bytes = NULL;
    EXPECT(SecItemCopyMatching(query, &bytes), errSecSuccess);
    CFRelease(query);

    /* A child that does nothing with the keychain, and one that ends as programs do. */
    fflush(stdout);
    pid_t idle = fork();
    if (idle == 0) _exit(0);
    wait_for(idle);

    pid_t child = fork();
    if (child == 0) {
        CHECK(is_data(bytes, "parent"));
        key_signs(key);
        CHECK(count_all() >= PARENTS_ITEMS);
        add("child", CHILDS_ITEMS);
        find("parent", PARENTS_ITEMS);
        pid_t grandchild = fork();
        if (grandchild == 0) {
            add("grandchild", 1);
            find("child", CHILDS_ITEMS);
            key_signs(key);
            fflush(stdout);
            _exit(failures != 0);
        }
        wait_for(grandchild);
        find("grandchild", 1);
        CFRelease(bytes);
        CFRelease(key);
        fflush(stdout);
        _exit(failures != 0);
    }
    /* Both write at once. */
    add("parent beside", CHILDS_ITEMS);
    wait_for(child);
    CHECK(is_data(bytes, "parent"));
    key_signs(key);
    CHECK(count_all() == PARENTS_ITEMS + 2 * CHILDS_ITEMS + 1);
    find("parent", PARENTS_ITEMS);
    find("parent beside", CHILDS_ITEMS);
    find("child", CHILDS_ITEMS);
    find("grandchild", 1);
    release(bytes);
    release(key);
    return verdict();
}
