#include "PocketCore.h"

#include <Security/Security.h>

static const CFStringRef encoding_test = CFSTR("a constant");

int pocket_has(const char *service, const char *account) {
    CFStringRef texts[] = {
        CFStringCreateWithCString(NULL, service, kCFStringEncodingUTF8),
        CFStringCreateWithCString(NULL, account, kCFStringEncodingUTF8),
    };
    const void *keys[] = {kSecClass, kSecAttrService, kSecAttrAccount};
    const void *values[] = {kSecClassGenericPassword, texts[0], texts[1]};
    CFDictionaryRef query = CFDictionaryCreate(
        NULL, keys, values, 3, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    OSStatus status = CFStringGetLength(encoding_test) == 10 ? SecItemCopyMatching(query, NULL) : errSecInternalComponent;
    CFRelease(query);
    CFRelease(texts[0]);
    CFRelease(texts[1]);
    return status == errSecSuccess ? 1 : status == errSecItemNotFound ? 0 : (int)status;
}
