/* Files of certificates. */
#ifndef PAPERS_H
#define PAPERS_H

#include "check.h"

static inline CFDataRef contents(const char *path) {
    UInt8 bytes[16384];
    FILE *file = fopen(path, "rb");
    size_t count = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file != NULL) fclose(file);
    return CFDataCreate(NULL, bytes, (CFIndex)count);
}

static inline SecCertificateRef certificate(const char *path) {
    CFDataRef der = contents(path);
    SecCertificateRef made = SecCertificateCreateWithData(NULL, der);
    CHECK(made != NULL);
    CFDataRef again = SecCertificateCopyData(made);
    CHECK(CFEqual(der, again));
    CFRelease(again);
    CFRelease(der);
    return made;
}

#endif
