#ifndef LATCHKEY_LOCK_H
#define LATCHKEY_LOCK_H

#include <stdint.h>

/* A lock in four bytes: 0, or the number of the thread that owns it, with the kernel's mark while others wait
   (futex(2), "Priority-inheritance futexes"). Each returns 0 or -errno. */

/* -EDEADLK if this thread is the owner; -ESRCH if the owner has ended. */
int lk_owned_lock(uint32_t *word);
/* -EBUSY if it has an owner. */
int lk_owned_try_lock(uint32_t *word);
/* -EPERM if this thread is not the owner. */
int lk_owned_unlock(uint32_t *word);
/* 1 if this thread is the owner. */
int lk_owned_is_mine(const uint32_t *word);

/* The kernel's number of this thread: another one than that of every thread that lives. */
uint32_t lk_thread_number(void);

#endif
