#ifndef LATCHKEY_ITEM_LOG_H
#define LATCHKEY_ITEM_LOG_H

/// The name of the file system.
extern const char *const lk_item_log_name;

/// Adds the file system to SQLite's list, above the one that is the default now. Not to be called by two threads at once.
///
/// - Parameter becomes_default: not 0 to let every database use it that names no other one, from now on.
/// - Returns: a result code of SQLite.
int lk_item_log_register(int becomes_default);

#endif
