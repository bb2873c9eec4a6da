// sqlite3_config is variadic, which Swift cannot call. Its header is another module's, so it is declared here.
#pragma once

int sqlite3_config(int option, ...);

// SQLITE_CONFIG_STMTJRNL_SPILL: what a savepoint would restore is kept in memory, never in a temporary file.
static inline int csqlite_keep_savepoints_in_memory(void) { return sqlite3_config(26, -1); }
