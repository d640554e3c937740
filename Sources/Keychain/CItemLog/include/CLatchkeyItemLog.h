#ifndef LATCHKEY_ITEM_LOG_H
#define LATCHKEY_ITEM_LOG_H

#include <stdint.h>

/// The name of the file system.
extern const char *const lk_item_log_name;

/// Adds the file system to SQLite's list, above the one that is the default now. Not to be called by two threads at once.
///
/// - Parameter becomes_default: not 0 to let every database use it that names no other one, from now on.
/// - Returns: a result code of SQLite.
int lk_item_log_register(int becomes_default);

/// A database that a process has open.
struct lk_open_database;

/// Called before this process opens a database: if a parent of it has the file open, SQLite is kept from sharing the parent's locks.
///
/// - Parameter process: the mark of this process; each of its parents has another one.
/// - Returns: a result code of SQLite; the file must not be opened if it is not SQLITE_OK.
int lk_item_database_begin(const char *path, uint64_t process);

/// Notes that this process has opened a database. Null if no memory is left.
struct lk_open_database *lk_item_database_note(const char *path, uint64_t process);

/// Notes that the process that opened a database has closed it.
void lk_item_database_forget(struct lk_open_database *database);

#endif
