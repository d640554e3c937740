#ifndef LATCHKEY_MEMORY_H
#define LATCHKEY_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Overwrites memory in a way the compiler may not remove. */
void lk_wipe(void *bytes, size_t count);

/* Overwrites the next 64 KiB of the calling thread's stack: the data that functions left there before they returned. */
void lk_wipe_stack(void);

/* From now on, blocks that this process frees are overwritten as they are freed. Blocks of up to 1 KiB only if the
   process runs without each thread's cache for them (GLIBC_TUNABLES: glibc.malloc.tcache_count=0). Blocks of 256 KiB and
   more go back to the kernel. */
void lk_overwrite_freed_memory(void);

/* For a process that allocates little, of which no thread waits for another one's allocations: one area for all threads, and
   blocks of 64 KiB and more go back to the kernel. Before threads are started. */
void lk_keep_little_memory(void);

/* One area for all threads: it grows by 128 KiB at a time, where the area of one thread grows page by page. Before threads are
   started. */
void lk_use_one_heap(void);

/* Gives the kernel back the whole pages that are free. */
void lk_return_freed_memory(void);

/* Fills memory from the kernel's random source; 0, or -errno. */
int lk_random(void *bytes, size_t count);

/* Maps page-aligned memory between two guard pages, keeps it out of core dumps and out of children, and locks it
   into RAM as far as RLIMIT_MEMLOCK allows. Returns NULL if no memory is left. `locked` says whether the lock held;
   without it nothing is locked. */
void *lk_map_secret_pages(size_t count, int *locked);
void lk_unmap_secret_pages(void *bytes, size_t count);

/* The first bytes of memory for secrets. In a child of fork they are zero with the secrets behind them. */
struct lk_secret_head {
    /* The mark of the process that mapped the memory. */
    uint64_t maker;
    /* A number of the owner. */
    uint64_t kind;
};

/* The head takes so many bytes; the secrets begin behind it. */
enum { LK_SECRET_HEAD_BYTES = 64 };

enum lk_secret_fork {
    /* A child has zeros instead, the head among them. */
    LK_SECRET_WIPED_ON_FORK = 0,
    /* A child has a copy. */
    LK_SECRET_KEPT_ON_FORK = 1,
};

/* The same as lk_map_secret_pages, beginning with a head. `count` includes it. */
void *lk_map_secrets(size_t count, enum lk_secret_fork fork, uint64_t kind, int *locked);
/* The same for a power of two of at least a page, at a multiple of it. Both are unmapped by lk_unmap_secret_pages. */
void *lk_map_secret_slab(size_t count, enum lk_secret_fork fork, uint64_t kind, int *locked);

/* Ends the process with a line on standard error: the secret belongs to the parent of this process and was wiped here. */
__attribute__((noreturn, cold)) void lk_end_for_wiped_secret(void);

/* A number that is never 0, and another one in a child of fork than in the processes that it comes from. */
uint64_t lk_process_mark(void);

/* An address that threads exchange: a value other than 0 was complete before it was stored. */
uintptr_t lk_address_load(const uintptr_t *place);
/* Stores `wanted` if `expected` is stored, and returns 1. Else returns 0, with the stored value in `expected`. */
int lk_address_replace(uintptr_t *place, uintptr_t *expected, uintptr_t wanted);

/* 1 if the two areas hold the same bytes; the time does not depend on where they differ. */
int lk_equal_bytes(const void *one, const void *other, size_t count);

#endif
