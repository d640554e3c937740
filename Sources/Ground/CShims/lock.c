#define _GNU_SOURCE
#include "include/lock.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's number of this thread, 0 before it is asked for. The thread of a child that fork makes has another one. */
static _Thread_local uint32_t own_number;

static void forget_number(void) { own_number = 0; }

static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_number); }

uint32_t lk_thread_number(void) {
    if (own_number == 0) {
        static pthread_once_t once = PTHREAD_ONCE_INIT;
        pthread_once(&once, watch_forks);
        own_number = (uint32_t)syscall(SYS_gettid);
    }
    return own_number;
}

int lk_owned_try_lock(uint32_t *word) {
    uint32_t nobody = 0;
    return __atomic_compare_exchange_n(word, &nobody, lk_thread_number(), 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED) ? 0 : -EBUSY;
}

int lk_owned_lock(uint32_t *word) {
    while (lk_owned_try_lock(word) != 0) {
        if (syscall(SYS_futex, word, FUTEX_LOCK_PI_PRIVATE, 0, NULL) == 0) return 0;
        if (errno != EINTR && errno != EAGAIN) return -errno;
    }
    return 0;
}

int lk_owned_unlock(uint32_t *word) {
    uint32_t mine = lk_thread_number();
    if (__atomic_compare_exchange_n(word, &mine, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) return 0;
    /* The kernel compares the owner once more. */
    return syscall(SYS_futex, word, FUTEX_UNLOCK_PI_PRIVATE) == 0 ? 0 : -errno;
}

int lk_owned_is_mine(const uint32_t *word) {
    return (__atomic_load_n(word, __ATOMIC_RELAXED) & FUTEX_TID_MASK) == lk_thread_number();
}
