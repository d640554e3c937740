// Databases that a child of fork opens although its parent has them open.
//
// The locks of POSIX belong to a process, and a child has none of its parent's. SQLite's file system for Unix keeps a list of the files that
// are open, with the locks that "this process" has on each, because closing a file would end all of them. A child has that list as its
// parent had it: a connection that it opens would take no lock where the list has one, and others would remove the log below it. SQLite
// knows a file by the numbers of its device and of the file itself, which it asks the system for. In a child the number of the device is
// another one for each file that a parent had open, so that SQLite makes an entry of its own. The entries of the parent, and the
// connections that use them, stay as they are and are never used.
//
// "How To Corrupt An SQLite Database File", 2.6, and os_unix.c, `findInodeInfo`.

#define _FILE_OFFSET_BITS 64

#include "CLatchkeyItemLog.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>

struct lk_open_database {
    dev_t device;
    ino_t number;
    /// The process that opened it.
    uint64_t process;
    int is_closed;
    struct lk_open_database *next;
};

typedef int (*fstat_call)(int, struct stat *);
typedef int (*stat_call)(const char *, struct stat *);

/// All that were opened in this process and in those that it comes from. Without a lock: another thread of the parent may have held it.
static struct lk_open_database *opened;
/// The process in which the calls below work; 0 before.
static uint64_t own_process;
static fstat_call next_fstat;
static stat_call next_stat;

static int is_parents(const struct stat *status, uint64_t process) {
    for (struct lk_open_database *database = __atomic_load_n(&opened, __ATOMIC_ACQUIRE); database != NULL; database = database->next)
        if (database->process != process && database->device == status->st_dev && database->number == status->st_ino
            && !__atomic_load_n(&database->is_closed, __ATOMIC_RELAXED))
            return 1;
    return 0;
}

static void move_apart(struct stat *status) {
    uint64_t process = __atomic_load_n(&own_process, __ATOMIC_RELAXED);
    if (is_parents(status, process)) status->st_dev ^= (dev_t)(process << 40);
}

static int fstat_apart(int descriptor, struct stat *status) {
    int outcome = __atomic_load_n(&next_fstat, __ATOMIC_ACQUIRE)(descriptor, status);
    if (outcome == 0) move_apart(status);
    return outcome;
}

static int stat_apart(const char *path, struct stat *status) {
    int outcome = __atomic_load_n(&next_stat, __ATOMIC_ACQUIRE)(path, status);
    if (outcome == 0) move_apart(status);
    return outcome;
}

/// Puts the calls above in front of those that SQLite uses. Threads may do so at the same time: each finds the same calls below.
static int move_databases_apart(void) {
    sqlite3_vfs *vfs = sqlite3_vfs_find("unix");
    if (vfs == NULL || vfs->iVersion < 3) return SQLITE_ERROR;
    fstat_call below_fstat = (fstat_call)vfs->xGetSystemCall(vfs, "fstat");
    stat_call below_stat = (stat_call)vfs->xGetSystemCall(vfs, "stat");
    if (below_fstat == NULL || below_stat == NULL) return SQLITE_ERROR;
    if (below_fstat != fstat_apart) __atomic_store_n(&next_fstat, below_fstat, __ATOMIC_RELEASE);
    if (below_stat != stat_apart) __atomic_store_n(&next_stat, below_stat, __ATOMIC_RELEASE);
    int outcome = vfs->xSetSystemCall(vfs, "fstat", (sqlite3_syscall_ptr)fstat_apart);
    if (outcome != SQLITE_OK) return outcome;
    return vfs->xSetSystemCall(vfs, "stat", (sqlite3_syscall_ptr)stat_apart);
}

int lk_item_database_begin(const char *path, uint64_t process) {
    // Also where no parent has this file open: a child of a child has the calls of its parent, and must not take its own files for others'.
    __atomic_store_n(&own_process, process, __ATOMIC_RELAXED);
    struct stat status;
    if (stat(path, &status) != 0 || !is_parents(&status, process)) return SQLITE_OK;
    return move_databases_apart();
}

struct lk_open_database *lk_item_database_note(const char *path, uint64_t process) {
    struct stat status;
    struct lk_open_database *made = malloc(sizeof *made);
    if (made == NULL || stat(path, &status) != 0) {
        free(made);
        return NULL;
    }
    *made = (struct lk_open_database){status.st_dev, status.st_ino, process, 0, __atomic_load_n(&opened, __ATOMIC_RELAXED)};
    while (!__atomic_compare_exchange_n(&opened, &made->next, made, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    return made;
}

void lk_item_database_forget(struct lk_open_database *database) {
    if (database != NULL) __atomic_store_n(&database->is_closed, 1, __ATOMIC_RELAXED);
}
