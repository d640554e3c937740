#define _GNU_SOURCE
#include "fault.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
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

static int counts_readings;

void lkfp_count_readings(int counts) { counts_readings = counts; }

uint64_t lkfp_calls(void) { return atomic_load(&calls); }

static void lose_power(void);

/* Returns 1 for a call that fails. */
static int reach(void) {
    if (!atomic_load(&armed)) return 0;
    uint64_t call = atomic_fetch_add(&calls, 1) + 1;
    if (call == deadly) {
        lose_power();
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

/* A loss of power takes pages of files that were written and not synchronized. Changes of names, attributes and
   lengths by other calls are in the order of the calls, as in the journal of a file system. */
enum { PAGE = 4096, PATH = 4096 };
struct lost_page {
    off_t at;
    ssize_t had; /* bytes before */
    unsigned char old[PAGE];
};
struct lost_file {
    dev_t device;
    ino_t number;
    off_t size; /* that is durable */
    size_t count, room;
    struct lost_page *pages;
};
static char lost_below[PATH];
static uint64_t lost_random;
static struct lost_file *lost_files;
static size_t lost_count;
static pthread_mutex_t lost_lock = PTHREAD_MUTEX_INITIALIZER;

void lkfp_lose_power_before(uint64_t number, uint64_t seed, const char *below) {
    snprintf(lost_below, sizeof lost_below, "%s/", below);
    lost_random = seed;
    lkfp_kill_before(number);
}

static uint64_t next_random(void) {
    /* SplitMix */
    uint64_t value = lost_random += 0x9E3779B97F4A7C15;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
    value = (value ^ value >> 27) * 0x94D049BB133111EB;
    return value ^ value >> 31;
}

static struct lost_file *find_lost(const struct stat *status) {
    for (size_t index = 0; index < lost_count; index++)
        if (lost_files[index].number == status->st_ino && lost_files[index].device == status->st_dev)
            return &lost_files[index];
    return NULL;
}

/* The record of a file below the directory; NULL for others. */
static struct lost_file *lost_file(int file) {
    if (!atomic_load(&armed) || !lost_below[0]) return NULL;
    char name[64], path[PATH];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0 || strncmp(path, lost_below, strlen(lost_below)) != 0) return NULL;
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return NULL;
    struct lost_file *found = find_lost(&status);
    if (found) return found;
    lost_files = realloc(lost_files, (lost_count + 1) * sizeof *lost_files);
    if (!lost_files) abort();
    lost_files[lost_count] =
        (struct lost_file){.device = status.st_dev, .number = status.st_ino, .size = status.st_size};
    return &lost_files[lost_count++];
}

static void note_write(int file, off_t offset, size_t size) {
    pthread_mutex_lock(&lost_lock);
    struct lost_file *lost = lost_file(file);
    for (off_t at = offset / PAGE * PAGE; lost && at < offset + (off_t)size; at += PAGE) {
        size_t index = 0;
        while (index < lost->count && lost->pages[index].at != at) index++;
        if (index < lost->count) continue;
        if (lost->count == lost->room) {
            lost->room = lost->room * 2 + 16;
            lost->pages = realloc(lost->pages, lost->room * sizeof *lost->pages);
            if (!lost->pages) abort();
        }
        struct lost_page *page = &lost->pages[lost->count++];
        page->at = at;
        page->had = syscall(SYS_pread64, file, page->old, (size_t)PAGE, at);
    }
    pthread_mutex_unlock(&lost_lock);
}

static void note_cut(int file, off_t size) {
    pthread_mutex_lock(&lost_lock);
    struct lost_file *lost = lost_file(file);
    if (lost && size < lost->size) lost->size = size;
    for (size_t index = 0; lost && index < lost->count;) {
        if (lost->pages[index].at >= size) lost->pages[index] = lost->pages[--lost->count];
        else index++;
    }
    pthread_mutex_unlock(&lost_lock);
}

static void note_sync(int file) {
    struct stat status;
    pthread_mutex_lock(&lost_lock);
    struct lost_file *lost = lost_count > 0 && fstat(file, &status) == 0 ? find_lost(&status) : NULL;
    if (lost) {
        free(lost->pages);
        *lost = lost_files[--lost_count];
    }
    pthread_mutex_unlock(&lost_lock);
}

static int lose(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)place;
    struct lost_file *lost = kind == FTW_F && S_ISREG(status->st_mode) ? find_lost(status) : NULL;
    if (!lost) return 0;
    int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (file < 0) return 0;
    /* All of them, none, or some. */
    int choice = next_random() % 4;
    off_t end = lost->size < status->st_size ? lost->size : status->st_size;
    for (size_t index = 0; index < lost->count; index++) {
        struct lost_page *page = &lost->pages[index];
        if (choice == 0 || (choice > 1 && next_random() % 2 == 0)) {
            static const unsigned char zeros[PAGE];
            off_t room = status->st_size - page->at;
            size_t size = room < PAGE ? (room < 0 ? 0 : (size_t)room) : PAGE;
            size_t had = page->had < 0 ? 0 : (size_t)page->had;
            syscall(SYS_pwrite64, file, zeros, size, page->at);
            syscall(SYS_pwrite64, file, page->old, had < size ? had : size, page->at);
        } else if (page->at + PAGE > end) {
            end = page->at + PAGE;
        }
    }
    /* A length is lost with the pages behind it, or is there without them. */
    if (end < status->st_size && choice != 3) syscall(SYS_ftruncate, file, end);
    close(file);
    return 0;
}

static void lose_power(void) {
    if (!lost_below[0]) return;
    pthread_mutex_lock(&lost_lock);
    atomic_store(&armed, 0);
    nftw(lost_below, lose, 16, FTW_PHYS);
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
CHANGES(int, mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device))
CHANGES(int, mknodat, (int at, const char *path, mode_t mode, dev_t device), (at, path, mode, device))
CHANGES(int, mkfifo, (const char *path, mode_t mode), (path, mode))
CHANGES(int, mkfifoat, (int at, const char *path, mode_t mode), (at, path, mode))
CHANGES(int, chmod, (const char *path, mode_t mode), (path, mode))
CHANGES(int, fchmodat, (int at, const char *path, mode_t mode, int flags), (at, path, mode, flags))
CHANGES(int, fchownat, (int at, const char *path, uid_t user, gid_t group, int flags), (at, path, user, group, flags))
CHANGES(int, truncate, (const char *path, off_t size), (path, size))
CHANGES(int, removexattr, (const char *path, const char *name), (path, name))
CHANGES(int, lsetxattr, (const char *path, const char *name, const void *value, size_t size, int flags),
        (path, name, value, size, flags))
CHANGES(int, utimensat, (int at, const char *path, const struct timespec times[2], int flags),
        (at, path, times, flags))
CHANGES(int, setxattr, (const char *path, const char *name, const void *value, size_t size, int flags),
        (path, name, value, size, flags))

CHANGES_FILE(ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size))
CHANGES_FILE(ssize_t, writev, (int file, const struct iovec *parts, int number), (file, parts, number))
CHANGES_FILE(ssize_t, pwritev, (int file, const struct iovec *parts, int number, off_t offset),
             (file, parts, number, offset))
CHANGES_FILE(int, fallocate, (int file, int mode, off_t offset, off_t size), (file, mode, offset, size))
CHANGES_FILE(int, syncfs, (int file), (file))
CHANGES_FILE(int, fchmod, (int file, mode_t mode), (file, mode))
CHANGES_FILE(int, fchown, (int file, uid_t user, gid_t group), (file, user, group))
CHANGES_FILE(int, futimens, (int file, const struct timespec times[2]), (file, times))
CHANGES_FILE(int, fsetxattr, (int file, const char *name, const void *value, size_t size, int flags),
             (file, name, value, size, flags))
CHANGES_FILE(int, fremovexattr, (int file, const char *name), (file, name))

#define WRITES(name, off)                                                                                              \
    ssize_t name(int file, const void *bytes, size_t size, off offset) {                                               \
        REAL(name);                                                                                                    \
        if (reach_file(file)) return -1;                                                                               \
        note_write(file, offset, size);                                                                                \
        return real(file, bytes, size, offset);                                                                        \
    }
#define CUTS(name, off)                                                                                                \
    int name(int file, off size) {                                                                                     \
        REAL(name);                                                                                                    \
        if (reach_file(file)) return -1;                                                                               \
        note_cut(file, size);                                                                                          \
        return real(file, size);                                                                                       \
    }
#define SYNCS(name)                                                                                                    \
    int name(int file) {                                                                                               \
        REAL(name);                                                                                                    \
        if (reach_file(file)) return -1;                                                                               \
        int result = real(file);                                                                                       \
        if (result == 0) note_sync(file);                                                                              \
        return result;                                                                                                 \
    }

WRITES(pwrite, off_t)
WRITES(pwrite64, off64_t)
CUTS(ftruncate, off_t)
CUTS(ftruncate64, off64_t)
SYNCS(fsync)
SYNCS(fdatasync)

/* Reading counts only if it is to. */
#define READS(type, name, parameters, arguments)                                                                       \
    type name parameters {                                                                                             \
        REAL(name);                                                                                                    \
        return counts_readings && reach() ? -1 : real arguments;                                                       \
    }
#define READS_FILE(type, name, parameters, arguments)                                                                  \
    type name parameters {                                                                                             \
        REAL(name);                                                                                                    \
        return counts_readings && reach_file(file) ? -1 : real arguments;                                              \
    }

READS_FILE(ssize_t, read, (int file, void *bytes, size_t size), (file, bytes, size))
READS_FILE(ssize_t, readv, (int file, const struct iovec *parts, int number), (file, parts, number))
READS_FILE(ssize_t, pread, (int file, void *bytes, size_t size, off_t offset), (file, bytes, size, offset))
READS_FILE(ssize_t, pread64, (int file, void *bytes, size_t size, off64_t offset), (file, bytes, size, offset))
READS_FILE(ssize_t, preadv, (int file, const struct iovec *parts, int number, off_t offset),
           (file, parts, number, offset))
READS_FILE(ssize_t, fgetxattr, (int file, const char *name, void *value, size_t size), (file, name, value, size))
READS_FILE(ssize_t, flistxattr, (int file, char *names, size_t size), (file, names, size))
READS(ssize_t, getxattr, (const char *path, const char *name, void *value, size_t size), (path, name, value, size))
READS(ssize_t, listxattr, (const char *path, char *names, size_t size), (path, names, size))
READS(ssize_t, readlinkat, (int at, const char *path, char *target, size_t size), (at, path, target, size))
READS(int, fstatat, (int at, const char *path, struct stat *status, int flags), (at, path, status, flags))

struct dirent *readdir(DIR *directory) {
    REAL(readdir);
    return counts_readings && reach() ? NULL : real(directory);
}

struct dirent64 *readdir64(DIR *directory) {
    REAL(readdir64);
    return counts_readings && reach() ? NULL : real(directory);
}

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
