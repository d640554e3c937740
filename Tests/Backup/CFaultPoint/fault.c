#define _GNU_SOURCE
#include "fault.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Calls that may still be made, the deadly one included; 0 while nothing is to be killed. */
static _Atomic uint64_t left;

void lkfp_kill_before(uint64_t number) { atomic_store(&left, number); }

static void reach(void) {
    if (atomic_load(&left) == 0 || atomic_fetch_sub(&left, 1) > 1) return;
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static void reach_file(int descriptor) {
    struct stat status;
    if (atomic_load(&left) == 0 || fstat(descriptor, &status) != 0) return;
    if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) reach();
}

/* The functions of libc that change files. This program's come before libc's in the loader's order, for libraries
   too. */
#define REAL(name)                                                                                                     \
    static typeof(&name) real;                                                                                         \
    if (!real) real = (typeof(&name))dlsym(RTLD_NEXT, #name)

#define CHANGES(type, name, parameters, arguments)                                                                     \
    type name parameters {                                                                                             \
        REAL(name);                                                                                                    \
        reach();                                                                                                       \
        return real arguments;                                                                                         \
    }
#define CHANGES_FILE(type, name, parameters, arguments)                                                                \
    type name parameters {                                                                                             \
        REAL(name);                                                                                                    \
        reach_file(file);                                                                                              \
        return real arguments;                                                                                         \
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
        if (flags & (O_CREAT | O_TRUNC)) reach();                                                                      \
        return real arguments;                                                                                         \
    }

OPENS(open, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))
OPENS(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode))
