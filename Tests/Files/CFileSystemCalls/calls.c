#define _GNU_SOURCE
#include "calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

const int lkfs_O_TMPFILE = O_TMPFILE, lkfs_O_PATH = O_PATH, lkfs_SEEK_DATA = SEEK_DATA, lkfs_SEEK_HOLE = SEEK_HOLE;
/* As in linux/falloc.h. */
const int lkfs_KEEP_SIZE = 1, lkfs_PUNCH_HOLE = 2, lkfs_ZERO_RANGE = 16, lkfs_COLLAPSE_RANGE = 8;
const int lkfs_RENAME_NOREPLACE = RENAME_NOREPLACE, lkfs_RENAME_EXCHANGE = RENAME_EXCHANGE;
const int lkfs_XATTR_CREATE = XATTR_CREATE, lkfs_XATTR_REPLACE = XATTR_REPLACE;

static long result(long value) { return value < 0 ? -(long)errno : value; }

const char *lkfs_error_name(int number) {
    const char *name = strerrorname_np(number);
    return name ? name : "unknown error";
}

long lkfs_open(const char *path, int flags, unsigned mode) { return result(open(path, flags | O_CLOEXEC, mode)); }
long lkfs_open_at(int directory, const char *path, int flags, unsigned mode) {
    return result(openat(directory, path, flags | O_CLOEXEC, mode));
}
long lkfs_close(int descriptor) { return result(close(descriptor)); }

long lkfs_read(int descriptor, void *bytes, size_t count, int64_t offset) {
    size_t done = 0;
    while (done < count) {
        ssize_t part = pread(descriptor, (char *)bytes + done, count - done, offset + (int64_t)done);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return result(part);
        if (part == 0) break;
        done += (size_t)part;
    }
    return (long)done;
}
long lkfs_read_on(int descriptor, void *bytes, size_t count) { return result(read(descriptor, bytes, count)); }
long lkfs_write(int descriptor, const void *bytes, size_t count, int64_t offset) {
    size_t done = 0;
    while (done < count) {
        ssize_t part = pwrite(descriptor, (const char *)bytes + done, count - done, offset + (int64_t)done);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return result(part);
        done += (size_t)part;
    }
    return (long)done;
}
long lkfs_write_on(int descriptor, const void *bytes, size_t count) { return result(write(descriptor, bytes, count)); }
long lkfs_seek(int descriptor, int64_t offset, int whence) { return result(lseek(descriptor, offset, whence)); }
long lkfs_truncate(const char *path, int64_t size) { return result(truncate(path, size)); }
long lkfs_ftruncate(int descriptor, int64_t size) { return result(ftruncate(descriptor, size)); }
long lkfs_fsync(int descriptor) { return result(fsync(descriptor)); }
long lkfs_fdatasync(int descriptor) { return result(fdatasync(descriptor)); }
long lkfs_fallocate(int descriptor, int mode, int64_t offset, int64_t count) {
    return result(fallocate(descriptor, mode, offset, count));
}
long lkfs_drop_pages(int descriptor) { return -(long)posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED); }
long lkfs_copy_range(int from, int64_t from_offset, int to, int64_t to_offset, size_t count) {
    off64_t source = from_offset, target = to_offset;
    return result(copy_file_range(from, &source, to, &target, count, 0));
}
long lkfs_sendfile(int to, int from, int64_t offset, size_t count) {
    off_t position = offset;
    return result(sendfile(to, from, &position, count));
}

long lkfs_mkdir(const char *path, unsigned mode) { return result(mkdir(path, mode)); }
long lkfs_rmdir(const char *path) { return result(rmdir(path)); }
long lkfs_unlink(const char *path) { return result(unlink(path)); }
long lkfs_link(const char *path, const char *other) { return result(linkat(AT_FDCWD, path, AT_FDCWD, other, 0)); }
long lkfs_link_descriptor(int descriptor, const char *path) {
    char name[40];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    return result(linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW));
}
long lkfs_symlink(const char *target, const char *path) { return result(symlink(target, path)); }
long lkfs_readlink(const char *path, void *bytes, size_t capacity) { return result(readlink(path, bytes, capacity)); }
long lkfs_rename(const char *path, const char *other, unsigned flags) {
    return result(renameat2(AT_FDCWD, path, AT_FDCWD, other, flags));
}
long lkfs_make_fifo(const char *path, unsigned mode) { return result(mkfifo(path, mode)); }

/* The address of a path: short enough, or -ENAMETOOLONG. */
static long address_of(const char *path, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) return -ENAMETOOLONG;
    strcpy(address->sun_path, path);
    return 0;
}
static long socket_with(const char *path, int (*call)(int, const struct sockaddr *, socklen_t)) {
    struct sockaddr_un address;
    long outcome = address_of(path, &address);
    if (outcome < 0) return outcome;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return result(descriptor);
    if (call(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    outcome = -(long)errno;
    close(descriptor);
    return outcome;
}
static int bind_call(int descriptor, const struct sockaddr *address, socklen_t count) {
    return bind(descriptor, address, count);
}
static int connect_call(int descriptor, const struct sockaddr *address, socklen_t count) {
    return connect(descriptor, address, count);
}
long lkfs_bind_socket(const char *path) { return socket_with(path, bind_call); }
long lkfs_connect_socket(const char *path) { return socket_with(path, connect_call); }
long lkfs_listen(int descriptor) { return result(listen(descriptor, 1)); }

static int64_t nanoseconds(struct timespec time) { return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec; }
static void fill(const struct stat *from, struct lkfs_status *to) {
    *to = (struct lkfs_status){
        .device = from->st_dev, .inode = from->st_ino, .links = from->st_nlink, .mode = from->st_mode,
        .owner = from->st_uid, .group = from->st_gid, .size = from->st_size, .blocks = from->st_blocks,
        .accessed = nanoseconds(from->st_atim), .modified = nanoseconds(from->st_mtim),
        .changed = nanoseconds(from->st_ctim),
    };
}
long lkfs_status(const char *path, int follow, struct lkfs_status *status) {
    struct stat found;
    if (fstatat(AT_FDCWD, path, &found, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0) return result(-1);
    fill(&found, status);
    return 0;
}
long lkfs_descriptor_status(int descriptor, struct lkfs_status *status) {
    struct stat found;
    if (fstat(descriptor, &found) < 0) return result(-1);
    fill(&found, status);
    return 0;
}
long lkfs_space(const char *path, struct lkfs_space *space) {
    struct statvfs found;
    if (statvfs(path, &found) < 0) return result(-1);
    *space = (struct lkfs_space){
        .block_size = found.f_frsize, .blocks = found.f_blocks, .free = found.f_bfree, .name_max = found.f_namemax};
    return 0;
}
long lkfs_chmod(const char *path, unsigned mode) { return result(chmod(path, mode)); }
long lkfs_fchmod(int descriptor, unsigned mode) { return result(fchmod(descriptor, mode)); }
long lkfs_chown(const char *path, unsigned owner, unsigned group, int follow) {
    return result(fchownat(AT_FDCWD, path, owner, group, follow ? 0 : AT_SYMLINK_NOFOLLOW));
}
static struct timespec time_of(int64_t nanoseconds) {
    if (nanoseconds < 0) return (struct timespec){.tv_sec = 0, .tv_nsec = UTIME_OMIT};
    return (struct timespec){.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
}
long lkfs_set_times(const char *path, int64_t accessed, int64_t modified, int follow) {
    struct timespec times[2] = {time_of(accessed), time_of(modified)};
    return result(utimensat(AT_FDCWD, path, times, follow ? 0 : AT_SYMLINK_NOFOLLOW));
}
long lkfs_set_descriptor_times(int descriptor, int64_t accessed, int64_t modified) {
    struct timespec times[2] = {time_of(accessed), time_of(modified)};
    return result(futimens(descriptor, times));
}
long lkfs_set_times_to_now(const char *path) { return result(utimensat(AT_FDCWD, path, NULL, 0)); }
long lkfs_access(const char *path, int mode) { return result(access(path, mode)); }

long lkfs_set_attribute(const char *path, const char *name, const void *value, size_t count, int flags) {
    return result(lsetxattr(path, name, value, count, flags));
}
long lkfs_attribute(const char *path, const char *name, void *value, size_t capacity) {
    return result(lgetxattr(path, name, value, capacity));
}
long lkfs_attributes(const char *path, void *names, size_t capacity) {
    return result(llistxattr(path, names, capacity));
}
long lkfs_remove_attribute(const char *path, const char *name) { return result(lremovexattr(path, name)); }

long lkfs_flock(int descriptor, int operation) { return result(flock(descriptor, operation | LOCK_NB)); }
static struct flock region(enum lkfs_lock lock, int64_t offset, int64_t count) {
    static const short types[] = {F_UNLCK, F_RDLCK, F_WRLCK};
    return (struct flock){.l_type = types[lock], .l_whence = SEEK_SET, .l_start = offset, .l_len = count};
}
long lkfs_lock(int descriptor, enum lkfs_lock lock, int64_t offset, int64_t count) {
    struct flock wanted = region(lock, offset, count);
    long outcome = result(fcntl(descriptor, F_SETLK, &wanted));
    return outcome == -EACCES ? -EAGAIN : outcome;
}
long lkfs_lock_holder(int descriptor, int64_t offset, int64_t count) {
    struct flock wanted = region(LKFS_EXCLUSIVE, offset, count);
    if (fcntl(descriptor, F_GETLK, &wanted) < 0) return result(-1);
    return wanted.l_type == F_UNLCK ? 0 : wanted.l_pid;
}

long lkfs_map(int descriptor, int64_t offset, size_t count, int shared, void **memory) {
    void *mapped =
        mmap(NULL, count, PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE, descriptor, offset);
    if (mapped == MAP_FAILED) return result(-1);
    *memory = mapped;
    return 0;
}
long lkfs_sync_map(void *memory, size_t count) { return result(msync(memory, count, MS_SYNC)); }
long lkfs_unmap(void *memory, size_t count) { return result(munmap(memory, count)); }

void *lkfs_open_directory(const char *path, long *failure) {
    DIR *directory = opendir(path);
    *failure = directory ? 0 : result(-1);
    return directory;
}
long lkfs_next_entry(void *directory, struct lkfs_entry *entry) {
    errno = 0;
    struct dirent *found = readdir(directory);
    if (!found) return errno ? result(-1) : 0;
    size_t count = strlen(found->d_name);
    if (count >= sizeof entry->name) return -ENAMETOOLONG;
    *entry = (struct lkfs_entry){
        .inode = found->d_ino, .next_position = found->d_off, .type = found->d_type, .name_count = count};
    memcpy(entry->name, found->d_name, count);
    return 1;
}
int64_t lkfs_directory_position(void *directory) { return telldir(directory); }
void lkfs_set_directory_position(void *directory, int64_t position) { seekdir(directory, position); }
void lkfs_rewind_directory(void *directory) { rewinddir(directory); }
void lkfs_close_directory(void *directory) { closedir(directory); }

void lkfs_become_on_files(unsigned user, unsigned group) {
    setfsgid(group);
    setfsuid(user);
}

long lkfs_pipe(int descriptors[2]) { return result(pipe2(descriptors, O_CLOEXEC)); }
long lkfs_kill(int process) { return result(kill(process, SIGKILL)); }
unsigned lkfs_user(void) { return getuid(); }
unsigned lkfs_umask(void) {
    unsigned mask = 022;
    char line[256];
    FILE *status = fopen("/proc/self/status", "re");
    if (!status) return mask;
    while (fgets(line, sizeof line, status)) {
        if (sscanf(line, "Umask: %o", &mask) == 1) break;
    }
    fclose(status);
    return mask;
}
void lkfs_yield(void) { sched_yield(); }
