#define _GNU_SOURCE
#include "memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

void lk_wipe(void *bytes, size_t count) {
    explicit_bzero(bytes, count);
}

__attribute__((noinline)) void lk_wipe_stack(void) {
    unsigned char stretch[64 << 10];
    explicit_bzero(stretch, sizeof stretch);
}

void lk_overwrite_freed_memory(void) {
    mallopt(M_PERTURB, 0x5C);
    /* Set, it stays where it is. Else it grows with what is freed, and large blocks stay in the process, overwritten. */
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
}

void lk_keep_little_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 64 << 10);
    mallopt(M_ARENA_MAX, 1);
}

void lk_use_one_heap(void) {
    mallopt(M_ARENA_MAX, 1);
}

void lk_return_freed_memory(void) {
    malloc_trim(0);
}

int lk_random(void *bytes, size_t count) {
    unsigned char *next = bytes;
    while (count > 0) {
        ssize_t taken = getrandom(next, count, 0);
        if (taken < 0) {
            if (errno == EINTR) continue;
            return -errno;
        }
        next += taken;
        count -= (size_t)taken;
    }
    return 0;
}

static size_t whole_pages(size_t count) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (count + page - 1) / page * page;
}

/* Makes the inside of an inaccessible mapping usable; without memory unmaps all of it. */
static void *opened(unsigned char *pages, size_t inner, size_t page, enum lk_secret_fork fork, int *locked) {
    if (mprotect(pages, inner, PROT_READ | PROT_WRITE) != 0) {
        munmap(pages - page, inner + 2 * page);
        return NULL;
    }
    madvise(pages, inner, MADV_DONTDUMP);
    if (fork == LK_SECRET_WIPED_ON_FORK) madvise(pages, inner, MADV_WIPEONFORK);
    if (locked) *locked = mlock(pages, inner) == 0;
    return pages;
}

static void *map_pages(size_t count, enum lk_secret_fork fork, int *locked) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t inner = whole_pages(count);
    unsigned char *outer = mmap(NULL, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (outer == MAP_FAILED) return NULL;
    return opened(outer + page, inner, page, fork, locked);
}

void *lk_map_secret_pages(size_t count, int *locked) {
    return map_pages(count, LK_SECRET_WIPED_ON_FORK, locked);
}

static void *with_head(void *pages, uint64_t kind) {
    if (pages != NULL) *(struct lk_secret_head *)pages = (struct lk_secret_head){lk_process_mark(), kind};
    return pages;
}

void *lk_map_secrets(size_t count, enum lk_secret_fork fork, uint64_t kind, int *locked) {
    return with_head(map_pages(count, fork, locked), kind);
}

void *lk_map_secret_slab(size_t count, enum lk_secret_fork fork, uint64_t kind, int *locked) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t total = 2 * count + 2 * page;
    unsigned char *outer = mmap(NULL, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (outer == MAP_FAILED) return NULL;
    unsigned char *pages = (unsigned char *)(((uintptr_t)outer + page + count - 1) & ~(uintptr_t)(count - 1));
    unsigned char *start = pages - page, *end = pages + count + page;
    if (start > outer) munmap(outer, (size_t)(start - outer));
    if (end < outer + total) munmap(end, (size_t)(outer + total - end));
    return with_head(opened(pages, count, page, fork, locked), kind);
}

void lk_end_for_wiped_secret(void) {
    static const char text[] =
        "latchkey: after a fork, this process used a secret of its parent, which only the parent has. It ends here, because "
        "it would go on with a key of zeros. Open what it uses again in the child, or fork before its first use.\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) { /* The process ends in any case. */ }
    __builtin_trap();
}

void lk_unmap_secret_pages(void *bytes, size_t count) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap((unsigned char *)bytes - page, whole_pages(count) + 2 * page);
}

/* The mark of this process, in a page that is zero in a child; or `no_page` if the kernel has no such pages (before 4.14). */
static uint64_t *mark;
static uint64_t no_page;
/* Memory that a child has as its parent had it. */
static uint64_t last_mark;

static uint64_t *mark_of_process(void) {
    uint64_t *known = __atomic_load_n(&mark, __ATOMIC_ACQUIRE);
    if (known) return known;
    size_t count = whole_pages(sizeof *known);
    uint64_t *made = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int is_mapped = made != MAP_FAILED;
    if (!is_mapped || madvise(made, count, MADV_WIPEONFORK) != 0) {
        if (is_mapped) munmap(made, count);
        is_mapped = 0;
        made = &no_page;
    }
    if (__atomic_compare_exchange_n(&mark, &known, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return made;
    /* Another thread was first. */
    if (is_mapped) munmap(made, count);
    return known;
}

uint64_t lk_process_mark(void) {
    uint64_t *place = mark_of_process();
    if (place == &no_page) return (uint64_t)getpid();
    uint64_t known = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (known) return known;
    uint64_t next = __atomic_add_fetch(&last_mark, 1, __ATOMIC_RELAXED);
    return __atomic_compare_exchange_n(place, &known, next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ? next : known;
}

uintptr_t lk_address_load(const uintptr_t *place) {
    return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

int lk_address_replace(uintptr_t *place, uintptr_t *expected, uintptr_t wanted) {
    return __atomic_compare_exchange_n(place, expected, wanted, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

int lk_equal_bytes(const void *one, const void *other, size_t count) {
    const volatile unsigned char *a = one, *b = other;
    unsigned char difference = 0;
    for (size_t i = 0; i < count; i++) difference |= a[i] ^ b[i];
    return difference == 0;
}
