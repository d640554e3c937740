/* A file system that hands each request to the directory below: what FUSE itself costs a server in C. */
#define _GNU_SOURCE
#define FUSE_USE_VERSION 314
#include "CLatchkeyBenchPeers.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse_lowlevel.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As long as a volume lets the kernel keep names and attributes. */
static const double CACHE_SECONDS = 86400;

/* A file or directory that the kernel knows. The number of a node is its address. */
struct node {
    int place; /* O_PATH */
    dev_t device;
    ino_t number;
    uint64_t lookups;
    struct node *next;
};

static struct node root;
static struct node *nodes;
static pthread_mutex_t nodes_lock = PTHREAD_MUTEX_INITIALIZER;

static struct node *node_of(fuse_ino_t number) {
    return number == FUSE_ROOT_ID ? &root : (struct node *)(uintptr_t)number;
}

/* The node of an O_PATH descriptor, which becomes the node's; one more lookup is counted. */
static struct node *found(int place, const struct stat *status) {
    pthread_mutex_lock(&nodes_lock);
    struct node *node = nodes;
    while (node && (node->device != status->st_dev || node->number != status->st_ino)) node = node->next;
    if (node) {
        close(place);
    } else if ((node = calloc(1, sizeof *node))) {
        *node = (struct node){.place = place, .device = status->st_dev, .number = status->st_ino, .next = nodes};
        nodes = node;
    } else {
        close(place);
    }
    if (node) node->lookups++;
    pthread_mutex_unlock(&nodes_lock);
    return node;
}

static void forget_some(fuse_ino_t number, uint64_t count) {
    struct node *node = node_of(number), **link = &nodes;
    if (node == &root) return;
    pthread_mutex_lock(&nodes_lock);
    node->lookups -= count;
    if (node->lookups == 0) {
        while (*link != node) link = &(*link)->next;
        *link = node->next;
        close(node->place);
        free(node);
    }
    pthread_mutex_unlock(&nodes_lock);
}

/* 0, or the number of the error. */
static int find(fuse_ino_t parent, const char *name, struct fuse_entry_param *entry) {
    memset(entry, 0, sizeof *entry);
    entry->attr_timeout = entry->entry_timeout = CACHE_SECONDS;
    int place = openat(node_of(parent)->place, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (place < 0) return errno;
    if (fstatat(place, "", &entry->attr, AT_EMPTY_PATH) != 0) {
        int error = errno;
        close(place);
        return error;
    }
    struct node *node = found(place, &entry->attr);
    entry->ino = (uintptr_t)node;
    return node ? 0 : ENOMEM;
}

/* Opens the file of a node anew: its own descriptor cannot read or write. */
static int reopen(fuse_ino_t number, int flags) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", node_of(number)->place);
    return open(path, (flags & ~O_NOFOLLOW) | O_CLOEXEC);
}

static void begin(void *data, struct fuse_conn_info *connection) {
    (void)data;
    connection->want &= ~(unsigned)FUSE_CAP_AUTO_INVAL_DATA;
}

static void look_up(fuse_req_t request, fuse_ino_t parent, const char *name) {
    struct fuse_entry_param entry;
    int error = find(parent, name, &entry);
    if (error && error != ENOENT) {
        fuse_reply_err(request, error);
        return;
    }
    /* An entry without a number is one that is not there, which the kernel remembers. */
    fuse_reply_entry(request, &entry);
}

static void forget(fuse_req_t request, fuse_ino_t number, uint64_t count) {
    forget_some(number, count);
    fuse_reply_none(request);
}

static void forget_many(fuse_req_t request, size_t count, struct fuse_forget_data *list) {
    for (size_t i = 0; i < count; i++) forget_some(list[i].ino, list[i].nlookup);
    fuse_reply_none(request);
}

static void reply_attributes(fuse_req_t request, fuse_ino_t number) {
    struct stat status;
    if (fstatat(node_of(number)->place, "", &status, AT_EMPTY_PATH) != 0)
        fuse_reply_err(request, errno);
    else
        fuse_reply_attr(request, &status, CACHE_SECONDS);
}

static void attributes(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info) {
    (void)info;
    reply_attributes(request, number);
}

/* Only lengths: the rows set nothing else. */
static void set_attributes(fuse_req_t request, fuse_ino_t number, struct stat *status, int set,
                           struct fuse_file_info *info) {
    int file = -1, error = ENOTSUP;
    if (set & FUSE_SET_ATTR_SIZE) {
        file = info ? (int)info->fh : reopen(number, O_WRONLY);
        error = file < 0 || ftruncate(file, status->st_size) != 0 ? errno : 0;
        if (!info && file >= 0) close(file);
    }
    if (error)
        fuse_reply_err(request, error);
    else
        reply_attributes(request, number);
}

static void create(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode,
                   struct fuse_file_info *info) {
    struct fuse_entry_param entry;
    int file = openat(node_of(parent)->place, name, (info->flags | O_CREAT | O_CLOEXEC) & ~O_NOFOLLOW, mode);
    int error = file < 0 ? errno : find(parent, name, &entry);
    if (error) {
        if (file >= 0) close(file);
        fuse_reply_err(request, error);
        return;
    }
    info->fh = (uint64_t)file;
    info->keep_cache = 1;
    fuse_reply_create(request, &entry, info);
}

static void open_file(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info) {
    int file = reopen(number, info->flags);
    if (file < 0) {
        fuse_reply_err(request, errno);
        return;
    }
    info->fh = (uint64_t)file;
    info->keep_cache = 1;
    info->noflush = (info->flags & O_ACCMODE) == O_RDONLY;
    fuse_reply_open(request, info);
}

static void read_file(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *info) {
    (void)number;
    char *bytes = malloc(size);
    ssize_t count = bytes ? pread((int)info->fh, bytes, size, offset) : -1;
    if (count < 0)
        fuse_reply_err(request, bytes ? errno : ENOMEM);
    else
        fuse_reply_buf(request, bytes, (size_t)count);
    free(bytes);
}

static void write_file(fuse_req_t request, fuse_ino_t number, const char *bytes, size_t size, off_t offset,
                       struct fuse_file_info *info) {
    (void)number;
    ssize_t count = pwrite((int)info->fh, bytes, size, offset);
    if (count < 0)
        fuse_reply_err(request, errno);
    else
        fuse_reply_write(request, (size_t)count);
}

static void flush_file(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info) {
    (void)number;
    fuse_reply_err(request, close(dup((int)info->fh)) == 0 ? 0 : errno);
}

static void synchronize(fuse_req_t request, fuse_ino_t number, int dataOnly, struct fuse_file_info *info) {
    (void)number;
    int result = dataOnly ? fdatasync((int)info->fh) : fsync((int)info->fh);
    fuse_reply_err(request, result == 0 ? 0 : errno);
}

static void release_file(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info) {
    (void)number;
    close((int)info->fh);
    fuse_reply_err(request, 0);
}

static void remove_file(fuse_req_t request, fuse_ino_t parent, const char *name) {
    fuse_reply_err(request, unlinkat(node_of(parent)->place, name, 0) == 0 ? 0 : errno);
}

static const struct fuse_lowlevel_ops operations = {
    .init = begin,
    .lookup = look_up,
    .forget = forget,
    .forget_multi = forget_many,
    .getattr = attributes,
    .setattr = set_attributes,
    .create = create,
    .open = open_file,
    .read = read_file,
    .write = write_file,
    .flush = flush_file,
    .fsync = synchronize,
    .release = release_file,
    .unlink = remove_file,
};

int lkb_passthrough_run(const char *store, const char *folder) {
    char *list[] = {"latchkey-bench-passthrough", "-o", "default_permissions,fsname=latchkey-bench-passthrough"};
    struct fuse_args arguments = FUSE_ARGS_INIT(3, list);
    int result = -1;
    umask(0);
    root.place = open(store, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct fuse_session *session =
        root.place < 0 ? NULL : fuse_session_new(&arguments, &operations, sizeof operations, NULL);
    if (session && fuse_set_signal_handlers(session) == 0) {
        if (fuse_session_mount(session, folder) == 0) {
            /* The loop as libfuse has it: a thread for each request that waits. */
            result = fuse_session_loop_mt(session, NULL);
            fuse_session_unmount(session);
        }
        fuse_remove_signal_handlers(session);
    }
    if (session) fuse_session_destroy(session);
    fuse_opt_free_args(&arguments);
    if (root.place >= 0) close(root.place);
    return result;
}
