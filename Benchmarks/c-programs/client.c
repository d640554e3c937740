/* Client+C.swift in C: waits for commands, one a line, and answers each with the nanoseconds that the calls took.
 *
 * fill COUNT adds the first passwords of a population, find COUNT ITEMS finds random ones. With the argument "once" it
 * finds one and ends.
 */
#include <Security/Security.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t nanoseconds(void) {
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    return (uint64_t)moment.tv_sec * 1000000000 + (uint64_t)moment.tv_nsec;
}

static void set_text(CFMutableDictionaryRef dictionary, CFStringRef key, const char *format, int number) {
    char text[128];
    snprintf(text, sizeof text, format, number);
    CFStringRef value = CFStringCreateWithCString(NULL, text, kCFStringEncodingUTF8);
    CFDictionarySetValue(dictionary, key, value);
    CFRelease(value);
}

/* The same items as those of SampleItems.swift. */
static CFMutableDictionaryRef item(int index) {
    CFMutableDictionaryRef item =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFDictionarySetValue(item, kSecClass, kSecClassGenericPassword);
    set_text(item, kSecAttrService, "service-%d.example.com", index % 100);
    set_text(item, kSecAttrAccount, "person-%d@example.com", index);
    return item;
}

static CFMutableDictionaryRef query(int index) {
    CFMutableDictionaryRef query = item(index);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecMatchLimit, kSecMatchLimitOne);
    return query;
}

static int is_password(CFTypeRef data, int index) {
    char text[128];
    int count = snprintf(text, sizeof text, "correct horse %d battery", index);
    return data != NULL && CFGetTypeID(data) == CFDataGetTypeID() && CFDataGetLength((CFDataRef)data) == count &&
           memcmp(CFDataGetBytePtr((CFDataRef)data), text, (size_t)count) == 0;
}

static OSStatus fill(int count) {
    for (int index = 0; index < count; index++) {
        char text[128];
        int length = snprintf(text, sizeof text, "correct horse %d battery", index);
        CFMutableDictionaryRef new = item(index);
        CFDataRef data = CFDataCreate(NULL, (const UInt8 *)text, length);
        CFDictionarySetValue(new, kSecValueData, data);
        OSStatus status = SecItemAdd(new, NULL);
        CFRelease(data);
        CFRelease(new);
        if (status != errSecSuccess) return status;
    }
    return errSecSuccess;
}

/* The time is that of the calls: queries are made before, results looked at after it. */
static OSStatus find(int count, int item_count, uint64_t *time) {
    int *wanted = malloc(sizeof *wanted * (size_t)count);
    CFMutableDictionaryRef *queries = malloc(sizeof *queries * (size_t)count);
    CFTypeRef *results = calloc((size_t)count, sizeof *results);
    OSStatus *statuses = malloc(sizeof *statuses * (size_t)count);
    OSStatus failed = errSecSuccess;
    for (int place = 0; place < count; place++) {
        wanted[place] = rand() % item_count;
        queries[place] = query(wanted[place]);
    }
    uint64_t start = nanoseconds();
    for (int place = 0; place < count; place++) statuses[place] = SecItemCopyMatching(queries[place], &results[place]);
    *time = nanoseconds() - start;
    for (int place = 0; place < count; place++) {
        if (statuses[place] != errSecSuccess) failed = statuses[place];
        else if (!is_password(results[place], wanted[place])) failed = errSecInternalError;
        if (results[place] != NULL) CFRelease(results[place]);
        CFRelease(queries[place]);
    }
    free(wanted);
    free(queries);
    free(results);
    free(statuses);
    return failed;
}

int main(int count, char **arguments) {
    uint64_t time = 0;
    if (count == 2 && strcmp(arguments[1], "once") == 0) return find(1, 1, &time) == errSecSuccess ? 0 : 1;
    char line[128];
    while (fgets(line, sizeof line, stdin) != NULL) {
        int number = 0, items = 0;
        OSStatus status = errSecParam;
        uint64_t start = nanoseconds();
        if (sscanf(line, "find %d %d", &number, &items) == 2 && items > 0) {
            status = find(number, items, &time);
        } else if (sscanf(line, "fill %d", &number) == 1) {
            status = fill(number);
            time = nanoseconds() - start;
        }
        if (status == errSecSuccess) printf("done %llu\n", (unsigned long long)time);
        else printf("failed %d\n", (int)status);
        fflush(stdout);
    }
    return 0;
}
