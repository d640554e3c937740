#include "SecurityBorder.h"

#include <stdint.h>
#include <stdlib.h>

// Exported by Foundation.
extern unsigned long CFGetTypeID(const void *object);
extern unsigned long CFDictionaryGetTypeID(void);
extern unsigned long CFArrayGetTypeID(void);
extern long CFDictionaryGetCount(const void *dictionary);
extern void CFDictionaryGetKeysAndValues(const void *dictionary, const void **keys, const void **values);
extern long CFArrayGetCount(const void *array);
extern const void *CFArrayGetValueAtIndex(const void *array, long index);
extern const void *CFDictionaryCreate(
    const void *allocator, const void **keys, const void **values, long count, const void *key_callbacks,
    const void *value_callbacks);
extern const void *CFArrayCreate(const void *allocator, const void **values, long count, const void *callbacks);
extern const void *CFErrorCreate(const void *allocator, const void *domain, long code, const void *information);
extern const void *CFRetain(const void *object);
extern void CFRelease(const void *object);
extern const void *const kCFNull;
extern const char kCFTypeDictionaryKeyCallBacks[], kCFTypeDictionaryValueCallBacks[], kCFTypeArrayCallBacks[];

// Exported by libBlocksRuntime and libdispatch, which Foundation needs.
extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);
extern void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags);
extern void dispatch_async_f(const void *queue, void *context, void (*work)(void *context));

// Deeper values make no sense to any call, and are refused by their depth.
static const int depth_limit = 4;

static bool holds_null(const void *object, int depth) {
    if (object == NULL) return true;
    if (depth == depth_limit) return false;
    unsigned long type = CFGetTypeID(object);
    bool found = false;
    if (type == CFDictionaryGetTypeID()) {
        long count = CFDictionaryGetCount(object);
        if (count <= 0) return false;
        const void **entries = calloc((size_t)count * 2, sizeof(void *));
        if (entries == NULL) abort();
        CFDictionaryGetKeysAndValues(object, entries, entries + count);
        for (long index = 0; index < count * 2 && !found; index++) found = holds_null(entries[index], depth + 1);
        free(entries);
    } else if (type == CFArrayGetTypeID()) {
        long count = CFArrayGetCount(object);
        for (long index = 0; index < count && !found; index++)
            found = holds_null(CFArrayGetValueAtIndex(object, index), depth + 1);
    }
    return found;
}

bool lk_holds_null(const void *object) { return holds_null(object, 0); }

const void *lk_dictionary(const void **keys, const void **values, long count) {
    return CFDictionaryCreate(
        NULL, keys, values, count, kCFTypeDictionaryKeyCallBacks, kCFTypeDictionaryValueCallBacks);
}

const void *lk_array(const void **values, long count) {
    return CFArrayCreate(NULL, values, count, kCFTypeArrayCallBacks);
}

const void *lk_error(const void *domain, long code, const void *information) {
    return CFErrorCreate(NULL, domain, code, information);
}

const void *lk_null(void) { return CFRetain(kCFNull); }

void lk_release(const void *object) { CFRelease(object); }

// The layout of a block is part of its binary interface.
struct block {
    const void *isa;
    int flags;
    int reserved;
    void (*invoke)(void);
};

#define INVOKE(block_, type) ((type)((const struct block *)(block_))->invoke)

const void *lk_block_copy(const void *block) { return _Block_copy(block); }

void lk_block_release(const void *block) { _Block_release(block); }

void lk_block_call_object(const void *block, const void *one) {
    INVOKE(block, void (*)(const void *, const void *))(block, one);
}

void lk_block_call_objects(const void *block, const void *one, const void *two) {
    INVOKE(block, void (*)(const void *, const void *, const void *))(block, one, two);
}

void lk_block_call_result(const void *block, const void *one, unsigned int two) {
    INVOKE(block, void (*)(const void *, const void *, unsigned int))(block, one, two);
}

void lk_block_call_verdict(const void *block, const void *one, bool two, const void *three) {
    INVOKE(block, void (*)(const void *, const void *, bool, const void *))(block, one, two, three);
}

void lk_dispatch(const void *queue, void *context, void (*work)(void *)) {
    dispatch_async_f(queue != NULL ? queue : dispatch_get_global_queue(0, 0), context, work);
}
