// sqlite3_db_config is variadic, which Swift cannot call.
#pragma once
#include <sqlite3.h>

static inline int csqlite_configure(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}
