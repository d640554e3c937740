/* What the programs of this folder share. They are C99 and C++17 at once. */
#ifndef CHECK_H
#define CHECK_H

#include <Security/Security.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            failures++;                                                               \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);            \
        }                                                                             \
    } while (0)

/* Expects a result code. */
#define EXPECT(call, wanted)                                                              \
    do {                                                                                  \
        OSStatus status_ = (call);                                                        \
        if (status_ != (wanted)) {                                                        \
            failures++;                                                                   \
            printf("%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, (int)status_);       \
        }                                                                                 \
    } while (0)

/* A dictionary of pairs, which end with NULL. The caller releases it. */
static inline CFMutableDictionaryRef pairs(const void *key, ...) {
    CFMutableDictionaryRef made =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    va_list rest;
    va_start(rest, key);
    while (key != NULL) {
        CFDictionarySetValue(made, key, va_arg(rest, const void *));
        key = va_arg(rest, const void *);
    }
    va_end(rest);
    return made;
}

static inline CFDataRef data(const char *text) {
    return CFDataCreate(NULL, (const UInt8 *)text, (CFIndex)strlen(text));
}

static inline Boolean is_data(CFTypeRef object, const char *text) {
    if (object == NULL || CFGetTypeID(object) != CFDataGetTypeID()) return 0;
    CFDataRef found = (CFDataRef)object;
    return CFDataGetLength(found) == (CFIndex)strlen(text) && memcmp(CFDataGetBytePtr(found), text, strlen(text)) == 0;
}

static inline Boolean is_text(CFTypeRef object, CFStringRef text) {
    return object != NULL && CFGetTypeID(object) == CFStringGetTypeID() && CFEqual(object, text);
}

/* The code of an error that a call left, and releases it; 0 if there is none. */
static inline CFIndex code_of(CFErrorRef *error) {
    if (*error == NULL) return 0;
    CHECK(CFGetTypeID(*error) == CFErrorGetTypeID());
    CHECK(CFEqual(CFErrorGetDomain(*error), CFSTR("NSOSStatusErrorDomain")));
    CFStringRef text = CFErrorCopyDescription(*error);
    CHECK(text != NULL && CFStringGetLength(text) > 0);
    if (text != NULL) CFRelease(text);
    CFDictionaryRef information = CFErrorCopyUserInfo(*error);
    CHECK(information != NULL && CFDictionaryGetCount(information) > 0);
    if (information != NULL) CFRelease(information);
    CFIndex code = CFErrorGetCode(*error);
    CFRelease(*error);
    *error = NULL;
    return code;
}

static inline void release(CFTypeRef object) {
    if (object != NULL) CFRelease(object);
}

static inline int verdict(void) {
    if (failures == 0) printf("all as it should be\n");
    return failures == 0 ? 0 : 1;
}

#endif
