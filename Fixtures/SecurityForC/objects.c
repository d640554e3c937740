/* Objects at the border of the calls on items: dictionaries without callbacks, null pointers, other types, and those
   that a program changes. */
#include "check.h"

static const CFStringRef account = CFSTR("anna");

static CFMutableDictionaryRef search(CFStringRef key, CFTypeRef value) {
    return pairs(kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("items"), key, value, NULL);
}

/* Keys that are compared by address, nothing that is retained. */
static void null_callbacks(void) {
    CFStringRef own = CFStringCreateWithCString(NULL, "class", kCFStringEncodingASCII);
    CFDataRef value = data("unretained");
    const void *keys[] = {own, kSecAttrAccount, kSecAttrService, kSecValueData, kSecReturnData};
    const void *values[] = {kSecClassGenericPassword, CFSTR("unretained"), CFSTR("items"), value, kCFBooleanTrue};
    CFDictionaryRef item = CFDictionaryCreate(NULL, keys, values, 5, NULL, NULL);
    CFTypeRef result = NULL;
    EXPECT(SecItemAdd(item, &result), errSecSuccess);
    CHECK(is_data(result, "unretained"));
    release(result);
    CFMutableDictionaryRef mutable_one = CFDictionaryCreateMutable(NULL, 0, NULL, NULL);
    for (int index = 0; index < 3; index++) CFDictionarySetValue(mutable_one, keys[index], values[index]);
    EXPECT(SecItemCopyMatching(mutable_one, NULL), errSecSuccess);
    CFMutableDictionaryRef changes = CFDictionaryCreateMutable(NULL, 0, NULL, NULL);
    CFDictionarySetValue(changes, kSecAttrLabel, CFSTR("label"));
    EXPECT(SecItemUpdate(mutable_one, changes), errSecSuccess);
    EXPECT(SecItemDelete(mutable_one), errSecSuccess);
    CFRelease(changes);
    CFRelease(mutable_one);

    /* A null pointer as a value, as a key, and further inside. */
    values[1] = NULL;
    CFDictionaryRef hollow = CFDictionaryCreate(NULL, keys, values, 3, NULL, NULL);
    EXPECT(SecItemAdd(hollow, NULL), errSecParam);
    EXPECT(SecItemCopyMatching(hollow, NULL), errSecParam);
    EXPECT(SecItemUpdate(hollow, hollow), errSecParam);
    EXPECT(SecItemDelete(hollow), errSecParam);
    CFMutableDictionaryRef query = search(kSecAttrAccount, account);
    EXPECT(SecItemUpdate(query, hollow), errSecParam);
    const void *nothing[] = {NULL};
    CFArrayRef list = CFArrayCreate(NULL, nothing, 1, NULL);
    CFDictionarySetValue(query, kSecMatchItemList, list);
    EXPECT(SecItemCopyMatching(query, NULL), errSecParam);
    CFRelease(list);
    CFRelease(query);
    CFRelease(hollow);
    CFRelease(item);
    CFRelease(value);
    CFRelease(own);
}

static void other_objects(void) {
    CFStringRef text = CFSTR("no dictionary");
    CFTypeRef wrong[] = {NULL, text, kCFBooleanTrue, kCFNull};
    CFDictionaryRef empty = pairs(NULL);
    for (int index = 0; index < 4; index++) {
        CFDictionaryRef other = (CFDictionaryRef)wrong[index];
        CFTypeRef result = text;
        EXPECT(SecItemAdd(other, &result), errSecParam);
        EXPECT(SecItemCopyMatching(other, &result), errSecParam);
        CHECK(result == (CFTypeRef)text);
        EXPECT(SecItemUpdate(other, empty), errSecParam);
        EXPECT(SecItemUpdate(empty, other), errSecParam);
        EXPECT(SecItemDelete(other), errSecParam);
    }
    CFRelease(empty);

    /* Values of other types. */
    CFMutableDictionaryRef query = search(kSecAttrAccount, kCFNull);
    EXPECT(SecItemAdd(query, NULL), errSecParam);
    CFErrorRef error = CFErrorCreate(NULL, kCFErrorDomainPOSIX, 1, NULL);
    CFDictionarySetValue(query, kSecAttrAccount, error);
    EXPECT(SecItemAdd(query, NULL), errSecParam);
    CFRelease(error);
    CFSetRef set = CFSetCreate(NULL, NULL, 0, &kCFTypeSetCallBacks);
    CFDictionarySetValue(query, kSecAttrAccount, set);
    EXPECT(SecItemAdd(query, NULL), errSecParam);
    CFRelease(set);
    CFRelease(query);

    /* An identifier is its text, and a number stays one; a number is not the truth. */
    CFUUIDRef identifier = CFUUIDCreateFromString(NULL, CFSTR("E621E1F8-C36C-495A-93FC-0C247A3E6E5F"));
    int forty_two = 42;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &forty_two);
    CFTypeRef values[] = {identifier, number};
    CFTypeRef wanted[] = {CFSTR("E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), number};
    for (int index = 0; index < 2; index++) {
        query = search(kSecAttrAccount, values[index]);
        EXPECT(SecItemAdd(query, NULL), errSecSuccess);
        CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
        CFTypeRef result = NULL;
        EXPECT(SecItemCopyMatching(query, &result), errSecSuccess);
        if (result != NULL) {
            CFTypeRef found = CFDictionaryGetValue((CFDictionaryRef)result, kSecAttrAccount);
            CHECK(found != NULL && CFEqual(found, wanted[index]));
        }
        release(result);
        CFDictionaryRemoveValue(query, kSecReturnAttributes);
        EXPECT(SecItemDelete(query), errSecSuccess);
        CFRelease(query);
    }
    query = search(kSecReturnData, number);
    EXPECT(SecItemCopyMatching(query, NULL), errSecParam);
    CFRelease(query);
    CFRelease(number);
    CFRelease(identifier);
}

/* What a program changes after a call is not changed in the keychain. */
static void changed_afterwards(void) {
    CFMutableStringRef name = CFStringCreateMutableCopy(NULL, 0, CFSTR("before"));
    CFMutableDataRef value = CFDataCreateMutable(NULL, 0);
    CFDataAppendBytes(value, (const UInt8 *)"before", 6);
    CFMutableDictionaryRef item = search(kSecAttrAccount, name);
    CFDictionarySetValue(item, kSecValueData, value);
    CFDictionarySetValue(item, kSecReturnAttributes, kCFBooleanTrue);
    CFDictionarySetValue(item, kSecReturnData, kCFBooleanTrue);
    CFTypeRef result = NULL;
    EXPECT(SecItemAdd(item, &result), errSecSuccess);
    CFStringReplaceAll(name, CFSTR("after"));
    CFDataGetMutableBytePtr(value)[0] = 'X';
    CFDictionaryRemoveAllValues(item);
    CHECK(result != NULL && is_text(CFDictionaryGetValue((CFDictionaryRef)result, kSecAttrAccount), CFSTR("before")));
    CHECK(result != NULL && is_data(CFDictionaryGetValue((CFDictionaryRef)result, kSecValueData), "before"));
    release(result);
    CFMutableDictionaryRef query = search(kSecAttrAccount, CFSTR("before"));
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    EXPECT(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK(is_data(result, "before"));
    release(result);
    CFDictionaryRemoveValue(query, kSecReturnData);
    EXPECT(SecItemDelete(query), errSecSuccess);
    CFRelease(query);
    CFRelease(item);
    CFRelease(value);
    CFRelease(name);
}

int main(void) {
    null_callbacks();
    other_objects();
    changed_afterwards();
    return verdict();
}
