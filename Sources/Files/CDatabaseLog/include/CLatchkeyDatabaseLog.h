#ifndef LATCHKEY_DATABASE_LOG_H
#define LATCHKEY_DATABASE_LOG_H

/* Hands a message to the error log of SQLite (SQLITE_CONFIG_LOG). Swift cannot call sqlite3_log, which is variadic. */
void lk_database_log(int code, const char *message);

#endif
