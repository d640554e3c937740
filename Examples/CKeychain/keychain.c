/* Keeps a password in the keychain, from C: stores, prints or deletes it.
 *
 *   clang -o keychain keychain.c $(pkg-config --cflags --libs security)
 *   ./keychain add ACCOUNT <password     ./keychain find ACCOUNT     ./keychain delete ACCOUNT
 */
#include <Security/Security.h>
#include <stdio.h>
#include <string.h>

/* The item of an account: what the calls have in common. NULL if the account is not UTF-8: without it, the query would be for all. */
static CFMutableDictionaryRef item_of(const char *account) {
    CFStringRef name = CFStringCreateWithCString(NULL, account, kCFStringEncodingUTF8);
    if (name == NULL) return NULL;
    CFMutableDictionaryRef item =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFDictionarySetValue(item, kSecClass, kSecClassGenericPassword);
    CFDictionarySetValue(item, kSecAttrService, CFSTR("org.example.keychain"));
    CFDictionarySetValue(item, kSecAttrAccount, name);
    CFRelease(name);
    return item;
}

static OSStatus add(CFMutableDictionaryRef item) {
    char password[1024];
    size_t count = fread(password, 1, sizeof password, stdin);
    /* A part of it would be another password. */
    if (count == sizeof password) return errSecDataTooLarge;
    CFDataRef data = CFDataCreate(NULL, (const UInt8 *)password, (CFIndex)count);
    CFDictionarySetValue(item, kSecValueData, data);
    CFDictionarySetValue(item, kSecAttrAccessible, kSecAttrAccessibleWhenUnlockedThisDeviceOnly);
    OSStatus status = SecItemAdd(item, NULL);
    CFRelease(data);
    return status;
}

static OSStatus find(CFMutableDictionaryRef item) {
    CFTypeRef data = NULL;
    CFDictionarySetValue(item, kSecReturnData, kCFBooleanTrue);
    OSStatus status = SecItemCopyMatching(item, &data);
    if (status == errSecSuccess && data != NULL) {
        fwrite(CFDataGetBytePtr((CFDataRef)data), 1, (size_t)CFDataGetLength((CFDataRef)data), stdout);
        CFRelease(data);
    }
    return status;
}

static OSStatus delete(CFMutableDictionaryRef item) { return SecItemDelete(item); }

int main(int count, char **arguments) {
    OSStatus (*call)(CFMutableDictionaryRef) = NULL;
    if (count == 3 && strcmp(arguments[1], "add") == 0) call = add;
    if (count == 3 && strcmp(arguments[1], "find") == 0) call = find;
    if (count == 3 && strcmp(arguments[1], "delete") == 0) call = delete;
    CFMutableDictionaryRef item = call == NULL ? NULL : item_of(arguments[2]);
    if (item == NULL) {
        fprintf(stderr, "usage: keychain add|find|delete ACCOUNT\n");
        return 64;
    }
    OSStatus status = call(item);
    CFRelease(item);
    if (status != errSecSuccess) {
        char text[256] = "";
        CFStringRef message = SecCopyErrorMessageString(status, NULL);
        CFStringGetCString(message, text, sizeof text, kCFStringEncodingUTF8);
        CFRelease(message);
        fprintf(stderr, "keychain: %s (%d)\n", text, (int)status);
    }
    return status == errSecSuccess ? 0 : 1;
}
