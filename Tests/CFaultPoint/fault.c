#define _GNU_SOURCE
#include "fault.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint64_t calls;
/* Written before a thread makes a call that counts. */
static uint64_t deadly, first_failure, failures;
static int failure;
static _Atomic int armed;

static void arm(void) {
    atomic_store(&calls, 0);
    atomic_store(&armed, 1);
}

void lkfp_kill_before(uint64_t number) {
    deadly = number;
    failures = 0;
    arm();
}

void lkfp_fail_from(uint64_t number, uint64_t count, int error) {
    deadly = 0;
    first_failure = number;
    failures = number == 0 ? 0 : count;
    failure = error;
    arm();
}

static int counts_openings;

void lkfp_count_openings(int counts) { counts_openings = counts; }

uint64_t lkfp_calls(void) { return atomic_load(&calls); }

/* Returns 1 for a call that fails. */
static int reach(void) {
    if (!atomic_load(&armed)) return 0;
    uint64_t call = atomic_fetch_add(&calls, 1) + 1;
    if (call == deadly) {
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    if (call < first_failure || call - first_failure >= failures) return 0;
    errno = failure;
    return 1;
}

static int reach_file(int descriptor) {
    struct stat status;
    if (!atomic_load(&armed) || fstat(descriptor, &status) != 0) return 0;
    return (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) && reach();
}

/* The functions of libc that change files. This program's come before libc's in the loader's order, for libraries
   too. */
#define REAL(name)                                                                                                     \
    static typeof(&name) real;                                                                                         \
    if (!real) real = (typeof(&name))dlsym(RTLD_NEXT, #name)

#define CHANGES(type, name, parameters, arguments)                                                                     \
    type name parameters {                                                                                             \
        REAL(name);                                                                                                    \
        return reach() ? -1 : real arguments;                                                                          \
    }
#define CHANGES_FILE(type, name, parameters, arguments)                                                                \
    type name parameters {                                                                                             \
        REAL(name);                                                                                                    \
        return reach_file(file) ? -1 : real arguments;                                                                 \
    }

CHANGES(int, mkdir, (const char *path, mode_t mode), (path, mode))
CHANGES(int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode))
CHANGES(int, rename, (const char *from, const char *to), (from, to))
CHANGES(int, renameat, (int at, const char *from, int other, const char *to), (at, from, other, to))
CHANGES(int, renameat2, (int at, const char *from, int other, const char *to, unsigned flags),
        (at, from, other, to, flags))
CHANGES(int, unlink, (const char *path), (path))
CHANGES(int, unlinkat, (int at, const char *path, int flags), (at, path, flags))
CHANGES(int, rmdir, (const char *path), (path))
CHANGES(int, link, (const char *from, const char *to), (from, to))
CHANGES(int, linkat, (int at, const char *from, int other, const char *to, int flags), (at, from, other, to, flags))
CHANGES(int, symlink, (const char *target, const char *path), (target, path))
CHANGES(int, symlinkat, (const char *target, int at, const char *path), (target, at, path))
CHANGES(int, utimensat, (int at, const char *path, const struct timespec times[2], int flags),
        (at, path, times, flags))
CHANGES(int, setxattr, (const char *path, const char *name, const void *value, size_t size, int flags),
        (path, name, value, size, flags))

CHANGES_FILE(ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size))
CHANGES_FILE(ssize_t, writev, (int file, const struct iovec *parts, int number), (file, parts, number))
CHANGES_FILE(ssize_t, pwrite, (int file, const void *bytes, size_t size, off_t offset), (file, bytes, size, offset))
CHANGES_FILE(ssize_t, pwrite64, (int file, const void *bytes, size_t size, off64_t offset),
             (file, bytes, size, offset))
CHANGES_FILE(ssize_t, pwritev, (int file, const struct iovec *parts, int number, off_t offset),
             (file, parts, number, offset))
CHANGES_FILE(int, ftruncate, (int file, off_t size), (file, size))
CHANGES_FILE(int, ftruncate64, (int file, off64_t size), (file, size))
CHANGES_FILE(int, fallocate, (int file, int mode, off_t offset, off_t size), (file, mode, offset, size))
CHANGES_FILE(int, fsync, (int file), (file))
CHANGES_FILE(int, fdatasync, (int file), (file))
CHANGES_FILE(int, syncfs, (int file), (file))
CHANGES_FILE(int, fchmod, (int file, mode_t mode), (file, mode))
CHANGES_FILE(int, fchown, (int file, uid_t user, gid_t group), (file, user, group))
CHANGES_FILE(int, futimens, (int file, const struct timespec times[2]), (file, times))
CHANGES_FILE(int, fsetxattr, (int file, const char *name, const void *value, size_t size, int flags),
             (file, name, value, size, flags))
CHANGES_FILE(int, fremovexattr, (int file, const char *name), (file, name))

/* Opening makes or empties files. */
#define OPENS(name, parameters, arguments)                                                                             \
    int name parameters {                                                                                              \
        REAL(name);                                                                                                    \
        mode_t mode = 0;                                                                                               \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                                           \
            va_list rest;                                                                                              \
            va_start(rest, flags);                                                                                     \
            mode = va_arg(rest, mode_t);                                                                               \
            va_end(rest);                                                                                              \
        }                                                                                                              \
        int counts = counts_openings || flags & (O_CREAT | O_TRUNC);                                                   \
        return counts && reach() ? -1 : real arguments;                                                                \
    }

OPENS(open, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))
OPENS(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode))
