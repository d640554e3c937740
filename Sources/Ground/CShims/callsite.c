#include "include/findings.h"
#include "symbol.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

/* A function of the Swift runtime, if the program has it. */
extern char *swift_demangle(const char *, size_t, char *, size_t *, uint32_t) __attribute__((weak));

static const char *const own_beginnings[] = {
    "$s20LatchkeyCryptoMisuse", "$s29LatchkeyCommonCryptoFunctions", "CCCrypt", "CC_",     "CCHmac", "CCKeyDerivation",
    "CCCalibrate",      "CCSymmetric",              "CCRandom", "CCDigest", "lk_",
};

static int is_own(const struct lk_symbol *symbol) {
    for (size_t i = 0; i < sizeof own_beginnings / sizeof own_beginnings[0]; i++)
        if (strncmp(symbol->function, own_beginnings[i], strlen(own_beginnings[i])) == 0) return 1;
    return 0;
}

/* Functions of CommonCrypto from all of its files: NULL in a program that is not linked with it. */
#define FUNCTIONS(do) \
    do(CCCrypt) do(CCCryptorCreate) do(CCCryptorCreateFromData) do(CCCryptorCreateFromDataWithMode) \
    do(CCCryptorCreateWithMode) do(CCCryptorFinal) do(CCCryptorGCM) do(CCCryptorGCMAddIV) do(CCCryptorGCMOneshotDecrypt) \
    do(CCCryptorGCMOneshotEncrypt) do(CCCryptorRelease) do(CCCryptorReset) do(CCCryptorUpdate) do(CCHmac) \
    do(CCHmacFinal) do(CCHmacInit) do(CCHmacUpdate) do(CCKeyDerivationPBKDF) do(CCCalibratePBKDF) do(CCDigest) \
    do(CC_MD5) do(CC_SHA1) do(CC_SHA256) do(CC_SHA512) do(CCRandomGenerateBytes) do(CCSymmetricKeyWrap)
#define DECLARE(name) extern void name(void) __attribute__((weak));
#define ADDRESS(name) (uintptr_t)name,
FUNCTIONS(DECLARE)

/* A program without symbols still has its functions in the order of their files, and a table of their addresses. */
static int is_among_functions(uintptr_t address) {
    const uintptr_t functions[] = {FUNCTIONS(ADDRESS)};
    uintptr_t first = UINTPTR_MAX, last = 0;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (functions[i] == 0) continue;
        if (functions[i] < first) first = functions[i];
        if (functions[i] > last) last = functions[i];
    }
    if (address < first) return 0;
    return address <= last || (uintptr_t)_Unwind_FindEnclosingFunction((void *)address) == last;
}

struct text {
    char *bytes;
    size_t count, capacity;
};

static void append(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t room = text->capacity - text->count;
    int count = vsnprintf(text->bytes + text->count, room, format, arguments);
    va_end(arguments);
    if (count > 0) text->count += (size_t)count < room ? (size_t)count : room - 1;
}

static void append_place(struct text *text, const struct lk_symbol *symbol) {
    if (symbol->image == NULL) {
        append(text, "an unknown place");
    } else if (symbol->function[0] == 0) {
        append(text, "%s+0x%zx", symbol->image, (size_t)symbol->offset);
    } else {
        char *readable = NULL;
        if (swift_demangle != NULL)
            readable = swift_demangle(symbol->function, strlen(symbol->function), NULL, NULL, 0);
        append(text, "%s (%s+0x%zx)", readable != NULL ? readable : symbol->function, symbol->image,
               (size_t)symbol->offset);
        free(readable);
    }
}

bool lk_symbol_readable(const char *name, char *text, size_t capacity) {
    if (swift_demangle == NULL || capacity == 0) return false;
    char *readable = swift_demangle(name, strlen(name), NULL, NULL, 0);
    if (readable == NULL) return false;
    snprintf(text, capacity, "%s", readable);
    free(readable);
    return true;
}

/* A return address is behind its call, which may be the last instruction of its function. */
static void find_call(uintptr_t address, struct lk_symbol *symbol) { lk_symbol_find(address - 1, symbol); }

bool lk_call_function(uintptr_t address, char *name, size_t capacity) {
    struct lk_symbol symbol;
    find_call(address, &symbol);
    size_t count = strlen(symbol.function);
    /* A name that fills the buffer may have been cut off. */
    if (count == 0 || count + 1 >= sizeof symbol.function || count >= capacity) return false;
    memcpy(name, symbol.function, count + 1);
    return true;
}

void lk_call_describe(const uintptr_t *addresses, size_t count, char *text, size_t capacity) {
    struct text place = {text, 0, capacity};
    if (capacity == 0) return;
    text[0] = 0;
    struct lk_symbol here, symbol;
    lk_symbol_find((uintptr_t)&lk_call_describe, &here);
    int is_library = here.image != NULL && !here.is_program;
    int has_names = is_library || here.function[0] != 0;
    /* Behind the last one of CommonCrypto: code of the language may lie between its functions. */
    size_t caller = 0;
    for (size_t i = 0; i < count; i++) {
        if (has_names) {
            find_call(addresses[i], &symbol);
            if (is_own(&symbol) || (is_library && symbol.base == here.base)) caller = i + 1;
        } else if (is_among_functions(addresses[i] - 1)) {
            caller = i + 1;
        }
    }
    /* An address without a name says little: then the callers are listed, too. */
    size_t places = !has_names ? 4 : caller > 0 && caller < count ? 1 : 8;
    if (caller >= count) caller = 0;
    for (size_t i = caller; i < count && i < caller + places; i++) {
        find_call(addresses[i], &symbol);
        if (i > caller) append(&place, " < ");
        append_place(&place, &symbol);
    }
}
