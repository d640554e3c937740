#include "CLatchkeyDatabaseLog.h"

#include <sqlite3.h>

void lk_database_log(int code, const char *message) { sqlite3_log(code, "%s", message); }
