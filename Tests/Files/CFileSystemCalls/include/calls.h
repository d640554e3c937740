/* System calls on files, as the tests of file systems make them: by path or descriptor, with no library in between. Each
   function returns a result, or -errno; a Swift caller then never reads an errno that another call has changed. */
#ifndef LATCHKEY_FILE_SYSTEM_CALLS_H
#define LATCHKEY_FILE_SYSTEM_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

extern const int lkfs_O_TMPFILE, lkfs_O_PATH, lkfs_SEEK_DATA, lkfs_SEEK_HOLE;
extern const int lkfs_KEEP_SIZE, lkfs_PUNCH_HOLE, lkfs_ZERO_RANGE, lkfs_COLLAPSE_RANGE;
extern const int lkfs_RENAME_NOREPLACE, lkfs_RENAME_EXCHANGE;
extern const int lkfs_XATTR_CREATE, lkfs_XATTR_REPLACE;

/* The name of an errno, for instance "ENOENT". */
const char *lkfs_error_name(int number);

struct lkfs_status {
    uint64_t device, inode, links;
    uint32_t mode, owner, group;
    int64_t size, blocks;
    /* Nanoseconds since 1970. */
    int64_t accessed, modified, changed;
};

struct lkfs_space {
    uint64_t block_size, blocks, free, name_max;
};

long lkfs_open(const char *path, int flags, unsigned mode);
long lkfs_open_at(int directory, const char *path, int flags, unsigned mode);
long lkfs_close(int descriptor);
/* The whole range, or up to the end of the file. */
long lkfs_read(int descriptor, void *bytes, size_t count, int64_t offset);
/* From the descriptor's own offset, one call. */
long lkfs_read_on(int descriptor, void *bytes, size_t count);
long lkfs_write(int descriptor, const void *bytes, size_t count, int64_t offset);
long lkfs_write_on(int descriptor, const void *bytes, size_t count);
long lkfs_seek(int descriptor, int64_t offset, int whence);
long lkfs_truncate(const char *path, int64_t size);
long lkfs_ftruncate(int descriptor, int64_t size);
long lkfs_fsync(int descriptor);
long lkfs_fdatasync(int descriptor);
long lkfs_fallocate(int descriptor, int mode, int64_t offset, int64_t count);
/* Drops the file's pages from the cache of the kernel, as far as it can. */
long lkfs_drop_pages(int descriptor);
long lkfs_copy_range(int from, int64_t from_offset, int to, int64_t to_offset, size_t count);
long lkfs_sendfile(int to, int from, int64_t offset, size_t count);

long lkfs_mkdir(const char *path, unsigned mode);
long lkfs_rmdir(const char *path);
long lkfs_unlink(const char *path);
long lkfs_link(const char *path, const char *other);
/* Gives a name to a file that has none. */
long lkfs_link_descriptor(int descriptor, const char *path);
long lkfs_symlink(const char *target, const char *path);
long lkfs_readlink(const char *path, void *bytes, size_t capacity);
long lkfs_rename(const char *path, const char *other, unsigned flags);
long lkfs_make_fifo(const char *path, unsigned mode);
long lkfs_bind_socket(const char *path);
long lkfs_connect_socket(const char *path);
long lkfs_listen(int descriptor);

long lkfs_status(const char *path, int follow, struct lkfs_status *status);
long lkfs_descriptor_status(int descriptor, struct lkfs_status *status);
long lkfs_space(const char *path, struct lkfs_space *space);
long lkfs_chmod(const char *path, unsigned mode);
long lkfs_fchmod(int descriptor, unsigned mode);
long lkfs_chown(const char *path, unsigned owner, unsigned group, int follow);
/* Nanoseconds since 1970; negative: left as it is. */
long lkfs_set_times(const char *path, int64_t accessed, int64_t modified, int follow);
long lkfs_set_descriptor_times(int descriptor, int64_t accessed, int64_t modified);
long lkfs_set_times_to_now(const char *path);
long lkfs_access(const char *path, int mode);

long lkfs_set_attribute(const char *path, const char *name, const void *value, size_t count, int flags);
long lkfs_attribute(const char *path, const char *name, void *value, size_t capacity);
long lkfs_attributes(const char *path, void *names, size_t capacity);
long lkfs_remove_attribute(const char *path, const char *name);

long lkfs_flock(int descriptor, int operation);
enum lkfs_lock { LKFS_UNLOCK, LKFS_SHARED, LKFS_EXCLUSIVE };
/* A lock of this process. -EAGAIN if another process is in the way. */
long lkfs_lock(int descriptor, enum lkfs_lock lock, int64_t offset, int64_t count);
/* The process whose lock would be in the way of an exclusive one, or 0. */
long lkfs_lock_holder(int descriptor, int64_t offset, int64_t count);

/* Maps a file for reading and writing. 0 or -errno. */
long lkfs_map(int descriptor, int64_t offset, size_t count, int shared, void **memory);
long lkfs_sync_map(void *memory, size_t count);
long lkfs_unmap(void *memory, size_t count);

/* An open directory, or NULL with -errno in `failure`. */
void *lkfs_open_directory(const char *path, long *failure);
struct lkfs_entry {
    uint64_t inode;
    int64_t next_position;
    unsigned char type;
    size_t name_count;
    char name[256];
};
/* 1 with an entry, 0 at the end, or -errno. */
long lkfs_next_entry(void *directory, struct lkfs_entry *entry);
int64_t lkfs_directory_position(void *directory);
void lkfs_set_directory_position(void *directory, int64_t position);
void lkfs_rewind_directory(void *directory);
void lkfs_close_directory(void *directory);

/* From now on the calling thread touches files as this user, without any right of root. The thread ends after it: it
   does not become root again. */
void lkfs_become_on_files(unsigned user, unsigned group);

long lkfs_pipe(int descriptors[2]);
/* Ends a process at once. */
long lkfs_kill(int process);
unsigned lkfs_user(void);
/* The umask of the process, which other threads may need at the same time: it is not set to be read. */
unsigned lkfs_umask(void);
void lkfs_yield(void);

#endif
