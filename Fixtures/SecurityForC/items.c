/* The calls on items, and what crosses the border with them. */
#include "check.h"

/* Constants are true constants: their addresses and CFSTR may stand here. */
static const CFStringRef *const names[] = {&kSecClass, &kSecAttrAccount, &kSecValueData};
static const CFStringRef account = CFSTR("anna");

/* Runs before main, as the constructors of C++ do. */
static OSStatus early_status = 1;
__attribute__((constructor)) static void early(void) {
    CFMutableDictionaryRef query = pairs(kSecClass, kSecClassGenericPassword, kSecAttrAccount, account, NULL);
    early_status = SecItemCopyMatching(query, NULL);
    CFRelease(query);
}

static CFMutableDictionaryRef search(CFStringRef key, CFTypeRef value) {
    return pairs(kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("items"), key, value, NULL);
}

static void add(CFStringRef name, const char *secret) {
    CFDataRef value = data(secret);
    CFMutableDictionaryRef item = search(kSecAttrAccount, name);
    CFDictionarySetValue(item, kSecValueData, value);
    EXPECT(SecItemAdd(item, NULL), errSecSuccess);
    CFRelease(item);
    CFRelease(value);
}

static void shapes(void) {
    CFDataRef value = data("secret");
    CFMutableDictionaryRef item = search(kSecAttrAccount, account);
    CFDictionarySetValue(item, kSecValueData, value);
    CFDictionarySetValue(item, kSecReturnData, kCFBooleanTrue);
    CFTypeRef result = NULL;
    EXPECT(SecItemAdd(item, &result), errSecSuccess);
    CHECK(is_data(result, "secret"));
    release(result);

    /* On failure nothing is written. */
    result = account;
    EXPECT(SecItemAdd(item, &result), errSecDuplicateItem);
    CHECK(result == (CFTypeRef)account);
    CFRelease(item);

    CFMutableDictionaryRef query = search(kSecAttrAccount, account);
    EXPECT(SecItemCopyMatching(query, NULL), errSecSuccess);
    result = account;
    EXPECT(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK(result == NULL);
    CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    EXPECT(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK(result != NULL && CFGetTypeID(result) == CFDictionaryGetTypeID());
    if (result != NULL) {
        CFDictionaryRef found = (CFDictionaryRef)result;
        CHECK(is_text(CFDictionaryGetValue(found, kSecAttrAccount), CFSTR("anna")));
        CHECK(is_text(CFDictionaryGetValue(found, kSecAttrAccessible), kSecAttrAccessibleWhenUnlocked));
        CHECK(!CFDictionaryContainsKey(found, kSecValueData));
        CFTypeRef date = CFDictionaryGetValue(found, kSecAttrCreationDate);
        CHECK(date != NULL && CFGetTypeID(date) == CFDateGetTypeID());
        CFTypeRef control = CFDictionaryGetValue(found, kSecAttrAccessControl);
        CHECK(control != NULL && CFGetTypeID(control) == SecAccessControlGetTypeID());
        CFTypeRef synchronizable = CFDictionaryGetValue(found, kSecAttrSynchronizable);
        CHECK(synchronizable != NULL && CFGetTypeID(synchronizable) == CFNumberGetTypeID());
        /* A real dictionary: it can be copied, described and changed. */
        CFMutableDictionaryRef copy = CFDictionaryCreateMutableCopy(NULL, 0, found);
        CFDictionaryRemoveValue(copy, kSecAttrAccount);
        CHECK(CFDictionaryGetCount(copy) == CFDictionaryGetCount(found) - 1);
        CFStringRef description = CFCopyDescription(copy);
        CHECK(description != NULL);
        release(description);
        CFRelease(copy);
    }
    release(result);
    CFDictionaryRemoveValue(query, kSecReturnAttributes);

    CFDictionarySetValue(query, kSecReturnPersistentRef, kCFBooleanTrue);
    EXPECT(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK(result != NULL && CFGetTypeID(result) == CFDataGetTypeID() && CFDataGetLength((CFDataRef)result) == 20);
    CFMutableDictionaryRef reference = pairs(kSecValuePersistentRef, result, kSecReturnData, kCFBooleanTrue, NULL);
    release(result);
    result = NULL;
    EXPECT(SecItemCopyMatching(reference, &result), errSecSuccess);
    CHECK(is_data(result, "secret"));
    release(result);
    CFRelease(reference);
    CFRelease(query);

    add(CFSTR("bert"), "other");
    query = search(kSecMatchLimit, kSecMatchLimitAll);
    CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    EXPECT(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK(result != NULL && CFGetTypeID(result) == CFArrayGetTypeID() && CFArrayGetCount((CFArrayRef)result) == 2);
    if (result != NULL) {
        for (CFIndex index = 0; index < CFArrayGetCount((CFArrayRef)result); index++) {
            CFDictionaryRef one = (CFDictionaryRef)CFArrayGetValueAtIndex((CFArrayRef)result, index);
            CHECK(CFGetTypeID(one) == CFDictionaryGetTypeID() && CFDictionaryContainsKey(one, kSecValueData));
        }
        CFArrayRef copy = CFArrayCreateCopy(NULL, (CFArrayRef)result);
        CHECK(CFEqual(copy, result));
        CFRelease(copy);
    }
    release(result);
    CFRelease(query);

    query = search(kSecAttrAccount, account);
    CFDataRef changed = data("changed");
    CFMutableDictionaryRef changes = pairs(kSecValueData, changed, kSecAttrLabel, CFSTR("label"), NULL);
    EXPECT(SecItemUpdate(query, changes), errSecSuccess);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    EXPECT(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK(is_data(result, "changed"));
    release(result);
    CFRelease(changes);
    CFRelease(changed);
    CFRelease(query);

    query = search(kSecAttrLabel, CFSTR("label"));
    EXPECT(SecItemDelete(query), errSecSuccess);
    EXPECT(SecItemDelete(query), errSecItemNotFound);
    CFRelease(query);
    CFRelease(value);
}

static void access_controls(void) {
    CFErrorRef error = NULL;
    SecAccessControlRef control = SecAccessControlCreateWithFlags(
        NULL, kSecAttrAccessibleAfterFirstUnlock, (SecAccessControlCreateFlags)0, &error);
    CHECK(control != NULL && error == NULL);
    SecAccessControlRef same = SecAccessControlCreateWithFlags(
        kCFAllocatorDefault, kSecAttrAccessibleAfterFirstUnlock, (SecAccessControlCreateFlags)0, NULL);
    CHECK(CFEqual(control, same) && CFHash(control) == CFHash(same));
    CHECK(CFGetTypeID(control) == SecAccessControlGetTypeID());
    CFStringRef description = CFCopyDescription(control);
    CHECK(description != NULL && CFStringHasPrefix(description, CFSTR("<SecAccessControlRef: ck")));
    release(description);
    CFMutableDictionaryRef item = search(kSecAttrAccessControl, control);
    CFRelease(control);
    CFDictionarySetValue(item, kSecReturnAttributes, kCFBooleanTrue);
    CFTypeRef result = NULL;
    EXPECT(SecItemAdd(item, &result), errSecSuccess);
    if (result != NULL) {
        CHECK(CFEqual(CFDictionaryGetValue((CFDictionaryRef)result, kSecAttrAccessControl), same));
        CHECK(is_text(
            CFDictionaryGetValue((CFDictionaryRef)result, kSecAttrAccessible), kSecAttrAccessibleAfterFirstUnlock));
    }
    release(result);
    CFRelease(same);
    CFDictionaryRemoveValue(item, kSecReturnAttributes);
    CFDictionaryRemoveValue(item, kSecAttrAccessControl);
    EXPECT(SecItemDelete(item), errSecSuccess);
    CFRelease(item);

    CHECK(SecAccessControlCreateWithFlags(NULL, CFSTR("never"), kSecAccessControlUserPresence, &error) == NULL);
    CHECK(code_of(&error) == errSecParam);
    CHECK(SecAccessControlCreateWithFlags(NULL, kCFNull, kSecAccessControlUserPresence, &error) == NULL);
    CHECK(code_of(&error) == errSecParam);
    CHECK(SecAccessControlCreateWithFlags(NULL, CFSTR("never"), kSecAccessControlUserPresence, NULL) == NULL);
}

static void small_calls(void) {
    EXPECT(early_status, errSecItemNotFound);
    unsigned char bytes[64] = {0}, others[64] = {0};
    EXPECT(SecRandomCopyBytes(kSecRandomDefault, sizeof bytes, bytes), errSecSuccess);
    EXPECT(SecRandomCopyBytes(NULL, sizeof others, others), errSecSuccess);
    CHECK(memcmp(bytes, others, sizeof bytes) != 0);
    CFStringRef message = SecCopyErrorMessageString(errSecItemNotFound, NULL);
    CHECK(message != NULL && CFStringGetLength(message) > 10);
    CFStringRef other = SecCopyErrorMessageString(123456789, NULL);
    CHECK(other != NULL && CFStringFind(other, CFSTR("123456789"), 0).location != kCFNotFound);
    CHECK(!CFEqual(message, other));
    release(message);
    release(other);
    CFStringRef password = SecCreateSharedWebCredentialPassword();
    CHECK(password != NULL && CFStringGetLength(password) == 15);
    release(password);
    /* A constant may be released once too often: it is not counted. */
    CFRelease(kSecClass);
    CFRelease(kSecClass);
    CHECK(is_text(kSecClass, CFSTR("class")) && is_text(*names[1], CFSTR("acct")) && is_text(*names[2], CFSTR("v_Data")));
}

int main(void) {
    shapes();
    access_controls();
    small_calls();
    return verdict();
}
