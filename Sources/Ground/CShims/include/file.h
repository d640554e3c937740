#ifndef LATCHKEY_FILE_H
#define LATCHKEY_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Gives the file `to` the extended attribute of the file `from`, if that has it. 0, or -errno. */
int lk_file_copy_attribute(int from, int to, const char *name);

/* Opens a new file of mode 0600 in `directory` for reading and writing, which has no name yet and is removed with its
   last descriptor. -EOPNOTSUPP if the file system does not support that, or could not name the file later. */
int lk_file_open_unnamed(const char *directory);
/* Gives it an unused name: 0, -EEXIST, or another -errno. */
int lk_file_name(int descriptor, const char *path);
/* Moves a file to an unused name: 0, -EEXIST, or another -errno. */
int lk_file_move_to_new(const char *from, const char *to);

/* renameat2: 0 or -errno. */
int lk_file_move_entry(int from_directory, const char *from, int to_directory, const char *to, unsigned flags);

/* The time when the file was made, in nanoseconds since 1970; links are followed. 0 if the file system does not say. */
int64_t lk_file_birth(const char *path);

/* The attributes of an open file as the kernel knows them: the file system is not asked, which could be the one that this
   process serves. Returns 0 or -errno. */
struct lk_known_status {
    uint64_t device, number;
    /* In bytes, and nanoseconds since 1970. */
    int64_t size, modified, changed;
    uint32_t mode, user, group;
};
int lk_file_known_status(int descriptor, struct lk_known_status *status);
/* The same of the file under a path; links are followed. */
int lk_file_known_status_at(const char *path, struct lk_known_status *status);

/* Removes the file of that name if a signal ends the process; NULL: no longer. One at a time. Not for SIGKILL,
   real-time signals and faults (SIGSEGV, SIGABRT and the like), nor for signals that are ignored or handled otherwise:
   they stay so. 0, or -ENAMETOOLONG. */
int lk_file_remove_at_signal(const char *path);

/* Removes the directory with everything below it, links not followed. 0, or -errno. Signal handlers may call it. */
int lk_directory_remove(const char *path);
/* Removes the directory in this way if a signal ends the process, like lk_file_remove_at_signal for a file; NULL: no
   longer. One at a time, beside a file. 0, or -ENAMETOOLONG. */
int lk_directory_remove_at_signal(const char *path);

/* Opens a file for each of the descriptors 0 to 2 that is closed, so that no other file gets its number and is taken
   for standard input or written into. Reading the one and writing the others still fails with EBADF. 0, or -errno. */
int lk_file_occupy_standard_descriptors(void);

enum lk_lock { LK_LOCK_NONE, LK_LOCK_SHARED, LK_LOCK_ALONE };

/* Locks a whole file against other openings of it, in this process or another, without waiting. The lock ends with the open
   file. 0, or -EAGAIN if another one is in the way, or another -errno. */
int lk_file_lock(int descriptor, enum lk_lock lock);

/* Reads an extended attribute: its length, or -errno. */
long lk_attribute_get(const char *path, const char *name, void *value, size_t size);

/* The same of an open file. */
long lk_attribute_get_open(int descriptor, const char *name, void *value, size_t size);
/* `flags` are those of setxattr. 0 or -errno. */
int lk_attribute_set_open(int descriptor, const char *name, const void *value, size_t size, int flags);
/* The names, each with a NUL behind it: their length, or -errno. */
long lk_attribute_list_open(int descriptor, char *names, size_t size);
/* 0 or -errno. */
int lk_attribute_remove_open(int descriptor, const char *name);

/* 0 or -errno. */
int lk_attribute_set(const char *path, const char *name, const void *value, size_t size);

/* 0, also if the directory or file has no such attribute, or -errno. */
int lk_attribute_remove(const char *path, const char *name);

/* Gives the file `to` the extended attributes of the file `from` that belong to its content and its rights: those of users,
   but for names that begin with `except`, and the access control list. A file system without them is no failure. 0, or
   -errno. */
int lk_file_copy_attributes(int from, int to, const char *except);

/* Gives the file `to` the access control list of the file under the path `from`, or none if that one has none. A file
   system without them is no failure. 0, or -errno. */
int lk_file_take_access_list(const char *from, int to);

/* Takes a lease on a file that is open for reading: until it ends, a program that opens the file for writing or cuts it has
   to wait (at most 45 seconds). 0; -EAGAIN if the file is open for writing; another -errno where there are no leases. The
   process gets no signal that has an effect. */
int lk_file_lease(int descriptor);
/* 1 as long as no program waits for the end of the lease. */
int lk_file_lease_holds(int descriptor);
void lk_file_end_lease(int descriptor);

/* Swaps two names of a directory. 0; -EINVAL or -ENOSYS where that is not supported; another -errno. */
int lk_file_exchange(int directory, const char *one, const char *other);

/* The next bytes from `offset` on that are stored, and not a hole: 1, 0 if none is left, or -errno. A file system without
   holes has everything. */
int lk_file_next_data(int descriptor, int64_t offset, int64_t *start, int64_t *end);

/* True for a file on a file system of FUSE. */
int lk_file_is_on_fuse(int descriptor);
/* The number under which the kernel lists the connection of a file system of FUSE; asks the kernel alone. Returns 0, or -errno. */
int lk_fuse_connection(const char *folder, uint64_t *number);
/* True if the kernel's list of connections is mounted at this directory. */
int lk_fuse_connections_are_listed(const char *directory);
/* Opens the switch that ends a connection of FUSE, in the kernel's list at `directory` or, for root, in a mount of that list that
   nobody else sees. The descriptor, or -errno. */
int lk_fuse_switch_open(const char *directory, uint64_t number);
/* True for a folder that other machines, or a program of this one, may change without inotify reporting it: NFS, SMB, 9P, AFS,
   Ceph, Coda, FUSE. */
int lk_file_system_is_remote(int descriptor);
/* Makes everything durable that was written to the file system of an open file. Returns 0 or a negative error number. */
int lk_file_synchronize_all(int descriptor);

#endif
