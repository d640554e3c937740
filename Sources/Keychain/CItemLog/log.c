// A file system for SQLite that writes the frames of a transaction into a write-ahead log together.
//
// SQLite writes each frame with two calls, 24 bytes and a page, and a transaction of a keychain has ten of them: the calls cost more than
// the bytes. Here frames wait in memory until the last one of their transaction is there. No connection looks for them before: the
// transaction is in the index of the log only after all of them, and after the log was synchronized. Every other use of the log's file
// writes out first what waits. Other files are those of the file system below, untouched.
//
// A connection that writes needs `PRAGMA cache_spill = OFF`. Else frames of a transaction that is undone could wait on, and be written over
// those of another connection.
//
// "The WAL File Format" and "WAL Frame Header" in SQLite's documentation of its database file format.

#include "CLatchkeyItemLog.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER_BYTES = 24,
    /// Where a frame's header has the size of the database, in pages. It is 0 in all frames but the last one of a transaction.
    SIZE_PLACE = 4,
    SIZE_BYTES = 4,
    /// 29 frames of 4 KiB. More are written sooner. SQLite's file system for Unix takes at most 131,071 bytes with one call.
    WAITING_LIMIT = 120 << 10,
};

/// The log of one connection. The file of the file system below follows it in memory.
struct log_file {
    sqlite3_file file;
    sqlite3_file *below;
    /// The bytes that were not written yet, from `place` on. Allocated with the first frame.
    unsigned char *waiting;
    int count;
    sqlite3_int64 place;
    /// The end of the last write: a frame there is a new one.
    sqlite3_int64 end;
    /// The last header was that of a transaction's last frame.
    int ends_transaction;
    /// 0 for a disk on which SQLite fills the last sector of a transaction up: what it writes there is not always whole frames.
    int is_batching;
};

const char *const lk_item_log_name = "latchkey-log";

static struct log_file *log_of(sqlite3_file *file) { return (struct log_file *)file; }

static sqlite3_vfs *below(sqlite3_vfs *vfs) { return vfs->pAppData; }

/// Writes what waits. After a failure it is gone: SQLite undoes the transaction.
static int write_out(struct log_file *log) {
    if (log->count == 0) return SQLITE_OK;
    int count = log->count;
    log->count = 0;
    return log->below->pMethods->xWrite(log->below, log->waiting, count, log->place);
}

static int is_last_frame(const unsigned char *header) {
    static const unsigned char none[SIZE_BYTES];
    return memcmp(header + SIZE_PLACE, none, SIZE_BYTES) != 0;
}

/// Returns true if the bytes may wait: they begin a new frame, or go on with what waits.
static int may_wait(struct log_file *log, int count, sqlite3_int64 place) {
    if (log->count > 0) return place == log->place + log->count && count <= WAITING_LIMIT - log->count;
    if (!log->is_batching || count != HEADER_BYTES || place != log->end) return 0;
    if (log->waiting == NULL) log->waiting = malloc(WAITING_LIMIT);
    return log->waiting != NULL;
}

static int write_log(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 place) {
    struct log_file *log = log_of(file);
    int waits = may_wait(log, count, place);
    if (!waits) {
        int outcome = write_out(log);
        if (outcome != SQLITE_OK) return outcome;
        // A frame that had no room is the first of the next ones.
        waits = may_wait(log, count, place);
    }
    if (count == HEADER_BYTES) log->ends_transaction = is_last_frame(bytes);
    if (!waits) {
        log->end = place + count;
        return log->below->pMethods->xWrite(log->below, bytes, count, place);
    }
    if (log->count == 0) log->place = place;
    memcpy(log->waiting + log->count, bytes, (size_t)count);
    log->count += count;
    log->end = place + count;
    return count != HEADER_BYTES && log->ends_transaction ? write_out(log) : SQLITE_OK;
}

// MARK: The other methods of a log

static int close_log(sqlite3_file *file) {
    struct log_file *log = log_of(file);
    int outcome = write_out(log);
    int closing = log->below->pMethods->xClose(log->below);
    free(log->waiting);
    log->waiting = NULL;
    return outcome != SQLITE_OK ? outcome : closing;
}

static int read_log(sqlite3_file *file, void *bytes, int count, sqlite3_int64 place) {
    struct log_file *log = log_of(file);
    int outcome = write_out(log);
    return outcome != SQLITE_OK ? outcome : log->below->pMethods->xRead(log->below, bytes, count, place);
}

static int truncate_log(sqlite3_file *file, sqlite3_int64 size) {
    struct log_file *log = log_of(file);
    int outcome = write_out(log);
    return outcome != SQLITE_OK ? outcome : log->below->pMethods->xTruncate(log->below, size);
}

static int synchronize_log(sqlite3_file *file, int flags) {
    struct log_file *log = log_of(file);
    int outcome = write_out(log);
    return outcome != SQLITE_OK ? outcome : log->below->pMethods->xSync(log->below, flags);
}

static int size_of_log(sqlite3_file *file, sqlite3_int64 *size) {
    struct log_file *log = log_of(file);
    int outcome = write_out(log);
    return outcome != SQLITE_OK ? outcome : log->below->pMethods->xFileSize(log->below, size);
}

static int control_log(sqlite3_file *file, int request, void *argument) {
    struct log_file *log = log_of(file);
    int outcome = write_out(log);
    return outcome != SQLITE_OK ? outcome : log->below->pMethods->xFileControl(log->below, request, argument);
}

// SQLite locks the database, and never its log.
static int lock_log(sqlite3_file *file, int lock) {
    struct log_file *log = log_of(file);
    return log->below->pMethods->xLock(log->below, lock);
}

static int unlock_log(sqlite3_file *file, int lock) {
    struct log_file *log = log_of(file);
    return log->below->pMethods->xUnlock(log->below, lock);
}

static int is_log_reserved(sqlite3_file *file, int *result) {
    struct log_file *log = log_of(file);
    return log->below->pMethods->xCheckReservedLock(log->below, result);
}

static int sector_size_of_log(sqlite3_file *file) {
    struct log_file *log = log_of(file);
    return log->below->pMethods->xSectorSize(log->below);
}

static int characteristics_of_log(sqlite3_file *file) {
    struct log_file *log = log_of(file);
    return log->below->pMethods->xDeviceCharacteristics(log->below);
}

static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xClose = close_log,
    .xRead = read_log,
    .xWrite = write_log,
    .xTruncate = truncate_log,
    .xSync = synchronize_log,
    .xFileSize = size_of_log,
    .xLock = lock_log,
    .xUnlock = unlock_log,
    .xCheckReservedLock = is_log_reserved,
    .xFileControl = control_log,
    .xSectorSize = sector_size_of_log,
    .xDeviceCharacteristics = characteristics_of_log,
};

// MARK: The file system

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *opened) {
    sqlite3_vfs *base = below(vfs);
    if ((flags & SQLITE_OPEN_WAL) == 0) return base->xOpen(base, name, file, flags, opened);
    struct log_file *log = log_of(file);
    *log = (struct log_file){.below = (sqlite3_file *)(log + 1)};
    log->below->pMethods = NULL;
    int outcome = base->xOpen(base, name, log->below, flags, opened);
    // SQLite closes a file that has methods.
    if (log->below->pMethods != NULL) log->file.pMethods = &log_methods;
    if (outcome == SQLITE_OK) {
        int characteristics = log->below->pMethods->xDeviceCharacteristics(log->below);
        log->is_batching = (characteristics & SQLITE_IOCAP_POWERSAFE_OVERWRITE) != 0;
    }
    return outcome;
}

static int remove_file(sqlite3_vfs *vfs, const char *name, int synchronizes) {
    return below(vfs)->xDelete(below(vfs), name, synchronizes);
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    return below(vfs)->xAccess(below(vfs), name, flags, result);
}

static int full_path(sqlite3_vfs *vfs, const char *name, int count, char *path) {
    return below(vfs)->xFullPathname(below(vfs), name, count, path);
}

static void *open_library(sqlite3_vfs *vfs, const char *name) { return below(vfs)->xDlOpen(below(vfs), name); }

static void library_error(sqlite3_vfs *vfs, int count, char *message) {
    below(vfs)->xDlError(below(vfs), count, message);
}

static void (*library_symbol(sqlite3_vfs *vfs, void *library, const char *name))(void) {
    return below(vfs)->xDlSym(below(vfs), library, name);
}

static void close_library(sqlite3_vfs *vfs, void *library) { below(vfs)->xDlClose(below(vfs), library); }

static int randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    return below(vfs)->xRandomness(below(vfs), count, bytes);
}

static int sleep_for(sqlite3_vfs *vfs, int microseconds) { return below(vfs)->xSleep(below(vfs), microseconds); }

static int current_time(sqlite3_vfs *vfs, double *time) { return below(vfs)->xCurrentTime(below(vfs), time); }

static int last_error(sqlite3_vfs *vfs, int count, char *message) {
    return below(vfs)->xGetLastError(below(vfs), count, message);
}

static int current_milliseconds(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    return below(vfs)->xCurrentTimeInt64(below(vfs), time);
}

int lk_item_log_register(int becomes_default) {
    static sqlite3_vfs vfs;
    static int is_default;
    if (vfs.zName == NULL) {
        sqlite3_vfs *base = sqlite3_vfs_find(NULL);
        if (base == NULL || base->iVersion < 2) return SQLITE_ERROR;
        vfs = (sqlite3_vfs){
            .iVersion = 2,
            .szOsFile = base->szOsFile + (int)sizeof(struct log_file),
            .mxPathname = base->mxPathname,
            .zName = lk_item_log_name,
            .pAppData = base,
            .xOpen = open_file,
            .xDelete = remove_file,
            .xAccess = access_file,
            .xFullPathname = full_path,
            .xDlOpen = open_library,
            .xDlError = library_error,
            .xDlSym = library_symbol,
            .xDlClose = close_library,
            .xRandomness = randomness,
            .xSleep = sleep_for,
            .xCurrentTime = current_time,
            .xGetLastError = last_error,
            .xCurrentTimeInt64 = current_milliseconds,
        };
    }
    is_default = is_default || becomes_default;
    return sqlite3_vfs_register(&vfs, is_default);
}
