#define _GNU_SOURCE
#include "include/CLatchkeyComparisonWatch.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

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

/* Null until the loader has relocated the program: earlier comparisons have to do without the C library. */
static comparison *memory_comparison, *byte_comparison;
static lk_comparison_listener *listener;
/* The number of expectations for each length. */
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

/* A library whose comparisons are its own business. libcrypto and SQLite compare their names and records; the Swift
   runtime compares the keys of its tables of types with bcmp, in a debug build at nearly every call of generic code,
   and strings with memcmp. */
struct library {
    const char *name;
    bool only_bcmp;
    uintptr_t begin, end;
};
static struct library quiet[] = {
    {"libswiftCore.so", true, 0, 0},
    {"libcrypto.so", false, 0, 0},
    {"libsqlite3.so", false, 0, 0},
};
#define QUIET_COUNT (sizeof quiet / sizeof quiet[0])

static int find_quiet(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash == NULL ? info->dlpi_name : slash + 1;
    for (size_t i = 0; i < QUIET_COUNT; i++) {
        if (strncmp(name, quiet[i].name, strlen(quiet[i].name)) != 0) continue;
        for (size_t j = 0; j < info->dlpi_phnum; j++) {
            const ElfW(Phdr) *part = &info->dlpi_phdr[j];
            if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
            quiet[i].begin = info->dlpi_addr + part->p_vaddr;
            quiet[i].end = quiet[i].begin + part->p_memsz;
        }
    }
    return 0;
}

static bool is_quiet(const void *caller, bool is_bcmp) {
    for (size_t i = 0; i < QUIET_COUNT; i++)
        if ((uintptr_t)caller - quiet[i].begin < quiet[i].end - quiet[i].begin) return is_bcmp || !quiet[i].only_bcmp;
    return false;
}

/* Byte by byte, and never turned into a call of the very function that this stands for. */
__attribute__((no_builtin, noinline)) static int compare_early(const unsigned char *one, const unsigned char *other,
                                                                size_t count) {
    for (size_t i = 0; i < count; i++)
        if (one[i] != other[i]) return one[i] < other[i] ? -1 : 1;
    return 0;
}

static bool is_expected(const void *one, const void *other, size_t count) {
    return count <= LONGEST && __atomic_load_n(&expected[count], __ATOMIC_RELAXED) != 0 && one != other;
}

static void tell(const void *one, const void *other, size_t count, const void *caller, bool is_bcmp) {
    lk_comparison_listener *hears = __atomic_load_n(&listener, __ATOMIC_ACQUIRE);
    if (hears == NULL || pause_depth != 0 || is_quiet(caller, is_bcmp)) return;
    /* The caller of a comparison does not expect that it changes this. */
    int error = errno;
    pause_depth = 1;
    hears(one, other, count);
    pause_depth = 0;
    errno = error;
}

/* Those of the C library are behind the program in the loader's order. */
__attribute__((constructor(101))) static void find_real_ones(void) {
    __atomic_store_n(&memory_comparison, (comparison *)dlsym(RTLD_NEXT, "memcmp"), __ATOMIC_RELEASE);
    __atomic_store_n(&byte_comparison, (comparison *)dlsym(RTLD_NEXT, "bcmp"), __ATOMIC_RELEASE);
}

void lk_comparison_watch_begin(lk_comparison_listener *first) {
    static bool has_begun;
    if (__atomic_exchange_n(&has_begun, true, __ATOMIC_ACQ_REL)) return;
    dl_iterate_phdr(find_quiet, NULL);
    __atomic_store_n(&listener, first, __ATOMIC_RELEASE);
}

/* Lengths that are not expected cost little more than a jump. */
__attribute__((no_builtin, visibility("default"))) int memcmp(const void *one, const void *other, size_t count) {
    comparison *compare = __atomic_load_n(&memory_comparison, __ATOMIC_ACQUIRE);
    int result = compare == NULL ? compare_early(one, other, count) : compare(one, other, count);
    if (is_expected(one, other, count)) tell(one, other, count, __builtin_return_address(0), false);
    return result;
}

__attribute__((no_builtin, visibility("default"))) int bcmp(const void *one, const void *other, size_t count) {
    comparison *compare = __atomic_load_n(&byte_comparison, __ATOMIC_ACQUIRE);
    int result = compare == NULL ? compare_early(one, other, count) : compare(one, other, count);
    if (is_expected(one, other, count)) tell(one, other, count, __builtin_return_address(0), true);
    return result;
}

#endif
