/* Starts CoreFoundation, and ends: it makes the query of client.c, whose names are its own. */
#include <CoreFoundation/CoreFoundation.h>

int main(void) {
    CFMutableDictionaryRef query =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFStringRef account = CFStringCreateWithCString(NULL, "person-0@example.com", kCFStringEncodingUTF8);
    CFDictionarySetValue(query, account, kCFBooleanTrue);
    int is_right = CFDictionaryGetCount(query) == 1;
    CFRelease(account);
    CFRelease(query);
    return is_right ? 0 : 1;
}
