#define _GNU_SOURCE
#include "include/CLatchkeyComparisonWatch.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define LATCHKEY_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LATCHKEY_SANITIZED 1
#endif

typedef int comparison(const void *, const void *, size_t);

#define LONGEST 8192

/* Null until the loader has relocated the program: what compares before that has to do without the C library. */
static comparison *memory_comparison, *byte_comparison;
static lk_comparison_listener *listener;
/* How many expect comparisons of each length. */
static uint32_t expected[LONGEST + 1];
static _Thread_local int pause_depth;

bool lk_comparison_watch_exists(void) {
#ifdef LATCHKEY_SANITIZED
    return false;
#else
    return true;
#endif
}

void lk_comparison_watch_expect(size_t count) {
    if (count <= LONGEST) __atomic_add_fetch(&expected[count], 1, __ATOMIC_RELAXED);
}

void lk_comparison_watch_forget(size_t count) {
    if (count <= LONGEST) __atomic_sub_fetch(&expected[count], 1, __ATOMIC_RELAXED);
}

int lk_comparison_watch_pause(int depth) {
    int before = pause_depth;
    pause_depth = depth;
    return before;
}

#ifdef LATCHKEY_SANITIZED

void lk_comparison_watch_begin(lk_comparison_listener *first) { listener = first; }

#else

/* Those of the C library, which is behind the program in the loader's order. */
static comparison *real_memcmp, *real_bcmp;

/* Byte by byte, and never turned into a call of the very function that this stands for. */
__attribute__((no_builtin, noinline)) static int compare_early(const unsigned char *one, const unsigned char *other,
                                                                size_t count) {
    for (size_t i = 0; i < count; i++)
        if (one[i] != other[i]) return one[i] < other[i] ? -1 : 1;
    return 0;
}

static void tell(const void *one, const void *other, size_t count) {
    if (count > LONGEST || pause_depth != 0 || one == other) return;
    if (__atomic_load_n(&expected[count], __ATOMIC_RELAXED) == 0) return;
    lk_comparison_listener *hears = __atomic_load_n(&listener, __ATOMIC_ACQUIRE);
    if (hears == NULL) return;
    /* Who compares does not expect that it changes this. */
    int error = errno;
    pause_depth = 1;
    hears(one, other, count);
    pause_depth = 0;
    errno = error;
}

static int watched_memcmp(const void *one, const void *other, size_t count) {
    int result = real_memcmp(one, other, count);
    tell(one, other, count);
    return result;
}

static int watched_bcmp(const void *one, const void *other, size_t count) {
    int result = real_bcmp(one, other, count);
    tell(one, other, count);
    return result;
}

__attribute__((constructor(101))) static void find_real_ones(void) {
    real_memcmp = (comparison *)dlsym(RTLD_NEXT, "memcmp");
    real_bcmp = (comparison *)dlsym(RTLD_NEXT, "bcmp");
    __atomic_store_n(&memory_comparison, real_memcmp, __ATOMIC_RELEASE);
    __atomic_store_n(&byte_comparison, real_bcmp, __ATOMIC_RELEASE);
}

void lk_comparison_watch_begin(lk_comparison_listener *first) {
    if (real_memcmp == NULL || real_bcmp == NULL) return;
    lk_comparison_listener *nobody = NULL;
    if (!__atomic_compare_exchange_n(&listener, &nobody, first, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return;
    __atomic_store_n(&memory_comparison, watched_memcmp, __ATOMIC_RELEASE);
    __atomic_store_n(&byte_comparison, watched_bcmp, __ATOMIC_RELEASE);
}

/* One load, and a jump. */
__attribute__((no_builtin, visibility("default"))) int memcmp(const void *one, const void *other, size_t count) {
    comparison *compare = __atomic_load_n(&memory_comparison, __ATOMIC_RELAXED);
    return compare == NULL ? compare_early(one, other, count) : compare(one, other, count);
}

__attribute__((no_builtin, visibility("default"))) int bcmp(const void *one, const void *other, size_t count) {
    comparison *compare = __atomic_load_n(&byte_comparison, __ATOMIC_RELAXED);
    return compare == NULL ? compare_early(one, other, count) : compare(one, other, count);
}

#endif
