// sqlite3_config and sqlite3_db_config are variadic, which Swift cannot call.
#pragma once
#include <sqlite3.h>

// Statistics that nobody reads cost every allocation a lock.
static inline int csqlite_omit_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// What a savepoint would restore is kept in memory, never in a temporary file.
static inline int csqlite_keep_savepoints_in_memory(void) { return sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, -1); }

static inline int csqlite_configure(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}
