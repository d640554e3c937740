#ifndef LATCHKEY_SANDBOX_H
#define LATCHKEY_SANDBOX_H

#include <stddef.h>

/* Restrictions on files for the calling thread and the threads it starts later. A sandboxed thread can no longer
   inspect other processes (/proc/PID/exe), whatever its user. */

/* Version of Landlock in the kernel; 0 if it has none. */
int lk_landlock_version(void);

/* Restricts file access to the two lists: everything beneath `writable`, reading beneath `readable`. Reading is not
   restricted at all if `readable_count` is 0. Paths that do not exist are left out. 0 or -errno. */
int lk_landlock_restrict(
    const char *const *writable, size_t writable_count, const char *const *readable, size_t readable_count);

/* Refuses system calls that a key service never needs: EPERM, in all threads of the process or only in this one and those that
   it starts later. Without programs also execve and new processes; without the Internet all sockets that are not local; with the
   Internet and without programs waiting for connections. 0 or -errno; -ENOSYS if the architecture is not known. */
int lk_seccomp_refuse(int allow_programs, int allow_internet, int only_this_thread);

#endif
