#define _GNU_SOURCE
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

int lk_file_copy_attribute(int from, int to, const char *name) {
    /* Larger than any file capability or access control list. */
    char value[16 * 1024];
    ssize_t count = fgetxattr(from, name, value, sizeof value);
    if (count < 0) return errno == ENODATA || errno == EOPNOTSUPP ? 0 : -errno;
    return fsetxattr(to, name, value, (size_t)count, 0) == 0 ? 0 : -errno;
}

/* Uses /proc, because only root may link an open descriptor itself. */
static void own_descriptor(int descriptor, char path[static 32]) {
    snprintf(path, 32, "/proc/self/fd/%d", descriptor);
}

int lk_file_open_unnamed(const char *directory) {
    int descriptor = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    /* Kernels and file systems without such files take this for opening a directory. */
    if (descriptor < 0) return errno == EISDIR || errno == EINVAL ? -EOPNOTSUPP : -errno;
    /* Independent of the umask; a file system without modes refuses it. */
    (void)fchmod(descriptor, 0600);
    char path[32];
    own_descriptor(descriptor, path);
    if (access(path, F_OK) == 0) return descriptor;
    close(descriptor);
    return -EOPNOTSUPP;
}

int lk_file_name(int descriptor, const char *path) {
    char own[32];
    own_descriptor(descriptor, own);
    return linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : -errno;
}

int lk_file_move_to_new(const char *from, const char *to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -errno;
    /* Other file systems: a second name, which is refused if the file exists, and then the first one is removed. */
    if (link(from, to) != 0) return -errno;
    unlink(from);
    return 0;
}

int lk_file_move_entry(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
    return renameat2(from_directory, from, to_directory, to, flags) == 0 ? 0 : -errno;
}

int64_t lk_file_birth(const char *path) {
    struct statx status;
    if (statx(AT_FDCWD, path, 0, STATX_BTIME, &status) != 0) return 0;
    if (!(status.stx_mask & STATX_BTIME)) return 0;
    return status.stx_btime.tv_sec * INT64_C(1000000000) + status.stx_btime.tv_nsec;
}

static int64_t nanoseconds(struct statx_timestamp time) { return time.tv_sec * INT64_C(1000000000) + time.tv_nsec; }

static int known_status(int descriptor, const char *path, int flags, struct lk_known_status *status) {
    struct statx known;
    if (statx(descriptor, path, flags | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &known) != 0) return -errno;
    *status = (struct lk_known_status){
        .device = makedev(known.stx_dev_major, known.stx_dev_minor),
        .number = known.stx_ino,
        .size = (int64_t)known.stx_size,
        .modified = nanoseconds(known.stx_mtime),
        .changed = nanoseconds(known.stx_ctime),
        .mode = known.stx_mode,
        .user = known.stx_uid,
        .group = known.stx_gid,
    };
    return 0;
}

int lk_file_known_status(int descriptor, struct lk_known_status *status) {
    return known_status(descriptor, "", AT_EMPTY_PATH, status);
}

int lk_file_known_status_at(const char *path, struct lk_known_status *status) {
    return known_status(AT_FDCWD, path, 0, status);
}

/* readdir allocates memory, which a signal handler must not do. */
struct entry {
    uint64_t number;
    int64_t offset;
    unsigned short size;
    unsigned char type;
    char name[];
};

enum { deepest = 16, most_passes = 8 };

static int remove_entry(int parent, const char *name, int depth);

/* Returns the number of entries found. */
static int remove_entries(int directory, int depth) {
    _Alignas(struct entry) char buffer[1024];
    int count = 0;
    for (;;) {
        long filled = syscall(SYS_getdents64, directory, buffer, sizeof buffer);
        if (filled <= 0) return count;
        for (long offset = 0; offset < filled;) {
            const struct entry *entry = (const struct entry *)(buffer + offset);
            offset += entry->size;
            if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0) continue;
            count++;
            remove_entry(directory, entry->name, depth + 1);
        }
    }
}

static int remove_entry(int parent, const char *name, int depth) {
    if (unlinkat(parent, name, 0) == 0) return 0;
    if (errno != EISDIR && errno != EPERM) return -errno;
    if (depth > deepest) return -ELOOP;
    int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0) return -errno;
    /* Repeats until none is found: another thread may still write, and removing entries may hide others. */
    for (int pass = 0; pass < most_passes && remove_entries(directory, depth) > 0; pass++)
        if (lseek(directory, 0, SEEK_SET) != 0) break;
    close(directory);
    return unlinkat(parent, name, AT_REMOVEDIR) == 0 ? 0 : -errno;
}

int lk_directory_remove(const char *path) {
    return remove_entry(AT_FDCWD, path, 0);
}

static char doomed_file[PATH_MAX];
static atomic_int has_doomed_file;
static char doomed_directory[PATH_MAX];
static atomic_int has_doomed_directory;
static atomic_flag is_ending = ATOMIC_FLAG_INIT;

static void remove_and_end(int signal_number) {
    /* A second signal, in another thread, does not end the process before everything is removed. */
    if (atomic_flag_test_and_set(&is_ending)) return;
    if (atomic_exchange(&has_doomed_file, 0)) unlink(doomed_file);
    if (atomic_exchange(&has_doomed_directory, 0)) lk_directory_remove(doomed_directory);
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigemptyset(&usual.sa_mask);
    sigaction(signal_number, &usual, NULL);
    /* The signal is delivered when this handler ends. */
    raise(signal_number);
}

static int remove_at_signal(const char *path, char doomed[static PATH_MAX], atomic_int *has_doomed) {
    atomic_store(has_doomed, 0);
    if (path == NULL) return 0;
    size_t count = strlen(path) + 1;
    if (count > PATH_MAX) return -ENAMETOOLONG;
    memcpy(doomed, path, count);
    atomic_store(has_doomed, 1);
    static const int ending[] = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGPIPE, SIGALRM,   SIGUSR1,
                                 SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO,   SIGSTKFLT, SIGPWR};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction before, action = {.sa_handler = remove_and_end};
        sigemptyset(&action.sa_mask);
        for (size_t j = 0; j < sizeof ending / sizeof *ending; j++) sigaddset(&action.sa_mask, ending[j]);
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(ending[i], &action, NULL);
    }
    return 0;
}

int lk_file_remove_at_signal(const char *path) {
    return remove_at_signal(path, doomed_file, &has_doomed_file);
}

int lk_directory_remove_at_signal(const char *path) {
    return remove_at_signal(path, doomed_directory, &has_doomed_directory);
}

int lk_file_occupy_standard_descriptors(void) {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
        /* This gets the lowest free number. It is opened for the direction that is not used. */
        if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return -errno;
    }
    return 0;
}

int lk_file_lock(int descriptor, enum lk_lock lock) {
    struct flock range = {.l_whence = SEEK_SET};
    range.l_type = lock == LK_LOCK_ALONE ? F_WRLCK : lock == LK_LOCK_SHARED ? F_RDLCK : F_UNLCK;
    if (fcntl(descriptor, F_OFD_SETLK, &range) == 0) return 0;
    return errno == EACCES ? -EAGAIN : -errno;
}

long lk_attribute_get(const char *path, const char *name, void *value, size_t size) {
    ssize_t count = getxattr(path, name, value, size);
    return count < 0 ? -errno : count;
}

int lk_attribute_set(const char *path, const char *name, const void *value, size_t size) {
    return setxattr(path, name, value, size, 0) == 0 ? 0 : -errno;
}

long lk_attribute_get_open(int descriptor, const char *name, void *value, size_t size) {
    ssize_t count = fgetxattr(descriptor, name, value, size);
    return count < 0 ? -errno : count;
}

int lk_attribute_set_open(int descriptor, const char *name, const void *value, size_t size, int flags) {
    return fsetxattr(descriptor, name, value, size, flags) == 0 ? 0 : -errno;
}

long lk_attribute_list_open(int descriptor, char *names, size_t size) {
    ssize_t count = flistxattr(descriptor, names, size);
    return count < 0 ? -errno : count;
}

int lk_attribute_remove_open(int descriptor, const char *name) {
    return fremovexattr(descriptor, name) == 0 ? 0 : -errno;
}

int lk_attribute_remove(const char *path, const char *name) {
    return removexattr(path, name) == 0 || errno == ENODATA ? 0 : -errno;
}

static int is_copied(const char *name, const char *except) {
    return strncmp(name, "user.", 5) == 0 && strncmp(name, except, strlen(except)) != 0;
}

static int is_unsupported(int number) {
    return number == EOPNOTSUPP || number == ENODATA;
}

int lk_file_take_access_list(const char *from, int to) {
    enum { limit = 1 << 16 };
    static const char name[] = "system.posix_acl_access";
    char *value = malloc(limit);
    if (value == NULL) return -ENOMEM;
    ssize_t size = getxattr(from, name, value, limit);
    int outcome = 0;
    if (size >= 0)
        outcome = fsetxattr(to, name, value, (size_t)size, 0);
    else if (is_unsupported(errno))
        /* The new file may have the list that its folder gives to new files. */
        outcome = fremovexattr(to, name);
    else
        outcome = -1;
    int result = outcome == 0 || is_unsupported(errno) ? 0 : -errno;
    free(value);
    return result;
}

int lk_file_copy_attributes(int from, int to, const char *except) {
    /* The kernel's limits: XATTR_LIST_MAX and XATTR_SIZE_MAX. */
    enum { limit = 1 << 16 };
    char *names = malloc(limit), *value = malloc(limit);
    char path[32];
    own_descriptor(from, path);
    int result = lk_file_take_access_list(path, to);
    if (names == NULL || value == NULL) result = -ENOMEM;
    ssize_t count = result == 0 ? flistxattr(from, names, limit) : 0;
    if (count < 0) result = is_unsupported(errno) ? 0 : -errno;
    for (char *name = names; result == 0 && name < names + count; name += strlen(name) + 1) {
        if (!is_copied(name, except)) continue;
        ssize_t size = fgetxattr(from, name, value, limit);
        if (size < 0)
            result = is_unsupported(errno) ? 0 : -errno;
        else if (fsetxattr(to, name, value, (size_t)size, 0) != 0)
            result = is_unsupported(errno) ? 0 : -errno;
    }
    free(names);
    free(value);
    return result;
}

int lk_file_lease(int descriptor) {
    /* Without it SIGIO would end the process; SIGURG is ignored unless a program wants it. */
    if (fcntl(descriptor, F_SETSIG, SIGURG) != 0) return -errno;
    return fcntl(descriptor, F_SETLEASE, F_RDLCK) == 0 ? 0 : errno == EACCES ? -EPERM : -errno;
}

int lk_file_lease_holds(int descriptor) {
    return fcntl(descriptor, F_GETLEASE) == F_RDLCK;
}

void lk_file_end_lease(int descriptor) {
    (void)fcntl(descriptor, F_SETLEASE, F_UNLCK);
}

int lk_file_exchange(int directory, const char *one, const char *other) {
    return renameat2(directory, one, directory, other, RENAME_EXCHANGE) == 0 ? 0 : -errno;
}

int lk_file_next_data(int descriptor, int64_t offset, int64_t *start, int64_t *end) {
    off_t found = lseek(descriptor, offset, SEEK_DATA);
    if (found < 0) return errno == ENXIO ? 0 : -errno;
    off_t hole = lseek(descriptor, found, SEEK_HOLE);
    if (hole < 0) return -errno;
    *start = found;
    *end = hole;
    return 1;
}

int lk_file_is_on_fuse(int descriptor) {
    enum { fuse = 0x65735546 };
    struct statfs status;
    return fstatfs(descriptor, &status) == 0 && status.f_type == fuse;
}

int lk_fuse_connection(const char *folder, uint64_t *number) {
    struct lk_known_status status;
    int outcome = lk_file_known_status_at(folder, &status);
    /* The kernel's own form of a device number. */
    if (outcome == 0) *number = (uint64_t)major(status.device) << 20 | minor(status.device);
    return outcome;
}

int lk_fuse_connections_are_listed(const char *directory) {
    enum { fusectl = 0x65735543 };
    struct statfs status;
    return statfs(directory, &status) == 0 && status.f_type == fusectl;
}

/* The kernel's list of connections, mounted nowhere. */
static int fuse_list_open(void) {
    int context = fsopen("fusectl", FSOPEN_CLOEXEC);
    if (context < 0) return -errno;
    int list = fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0
                   ? fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)
                   : -1;
    int error = errno;
    close(context);
    return list < 0 ? -error : list;
}

int lk_fuse_switch_open(const char *directory, uint64_t number) {
    int list = lk_fuse_connections_are_listed(directory) ? open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (list < 0) list = fuse_list_open();
    if (list < 0) return list;
    char name[40];
    snprintf(name, sizeof name, "%" PRIu64 "/abort", number);
    int opened = openat(list, name, O_WRONLY | O_CLOEXEC);
    int error = errno;
    close(list);
    return opened < 0 ? -error : opened;
}

int lk_file_system_is_remote(int descriptor) {
    /* Of linux/magic.h, and of file systems that are not in it. */
    static const uint32_t remote[] = {
        0x6969 /* NFS */,     0x517B /* SMB */,      0xFF534D42 /* CIFS */, 0xFE534D42 /* SMB2 */, 0x65735546 /* FUSE */,
        0x01021997 /* 9P */,  0x5346414F /* AFS */,  0x6B414653 /* kAFS */, 0x00C36400 /* Ceph */, 0x73757245 /* Coda */,
    };
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return 0;
    for (size_t i = 0; i < sizeof remote / sizeof *remote; i++)
        if ((uint32_t)status.f_type == remote[i]) return 1;
    return 0;
}

int lk_file_synchronize_all(int descriptor)
{
    return syncfs(descriptor) == 0 ? 0 : -errno;
}
