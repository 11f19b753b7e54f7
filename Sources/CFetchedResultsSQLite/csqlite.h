// The system's SQLite for Swift, and the few shims that Swift cannot write itself: variadic functions, macros that do
// not import, and functions that a system's library may lack.

#ifndef FETCHEDRESULTS_CSQLITE_H
#define FETCHEDRESULTS_CSQLITE_H

#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#define SQLITE_ENABLE_SESSION 1
#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

// SQLITE_TRANSIENT is a cast, which does not import.
static inline sqlite3_destructor_type frc_transient(void) { return SQLITE_TRANSIENT; }

// Bind a copy. Their addresses are in the table that rows and parameters call through.
static inline int frc_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int frc_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// How many times a statement was compiled again.
static inline int frc_preparations(sqlite3_stmt *statement) {
  return sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0);
}

// sqlite3_db_config is variadic; these are the switches that the store sets.
static inline int frc_db_config(sqlite3 *db, int option, int on) {
  int now = 0;
  return sqlite3_db_config(db, option, on, &now);
}

// Toggles a setting and restores it: SQLite then compiles every statement of the connection again before its next run.
static inline void frc_expire_statements(sqlite3 *db) {
  int now = 0;
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_QPSG, -1, &now);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_QPSG, !now, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_QPSG, now, NULL);
}

// Turns off SQLite's memory statistics, which take a lock for every allocation. Call it before SQLite is first used.
static inline void frc_count_no_memory(void) { (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// So many pieces of so many bytes, which a connection takes its small memory from before it asks the system for any.
static inline int frc_set_lookaside(sqlite3 *db, int size, int count) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_LOOKASIDE, NULL, size, count);
}

// sqlite3_error_offset came with 3.38.
static inline int frc_error_offset(sqlite3 *db) {
#if SQLITE_VERSION_NUMBER >= 3038000
  return sqlite3_error_offset(db);
#else
  (void)db;
  return -1;
#endif
}

// The preupdate hook is a compile-time option of the library: Debian's has it, Apple's has not. A weak reference links
// either way, and frc_has_preupdate_hook says which it is.
#if defined(__APPLE__)
#define FRC_PREUPDATE 0
#else
#define FRC_PREUPDATE 1
extern void *sqlite3_preupdate_hook(
    sqlite3 *db,
    void (*hook)(void *, sqlite3 *, int, char const *, char const *, sqlite3_int64, sqlite3_int64),
    void *context) __attribute__((weak));
extern int sqlite3_preupdate_old(sqlite3 *, int, sqlite3_value **) __attribute__((weak));
extern int sqlite3_preupdate_new(sqlite3 *, int, sqlite3_value **) __attribute__((weak));
#endif

typedef void (*frc_preupdate_callback)(
    void *, sqlite3 *, int, char const *, char const *, sqlite3_int64, sqlite3_int64);

static inline int frc_has_preupdate_hook(void) {
#if FRC_PREUPDATE
  return sqlite3_preupdate_hook != NULL && sqlite3_preupdate_old != NULL && sqlite3_preupdate_new != NULL;
#else
  return 0;
#endif
}

static inline void frc_preupdate_hook(sqlite3 *db, frc_preupdate_callback hook, void *context) {
#if FRC_PREUPDATE
  if (sqlite3_preupdate_hook) sqlite3_preupdate_hook(db, hook, context);
#else
  (void)db, (void)hook, (void)context;
#endif
}

static inline int frc_preupdate_old(sqlite3 *db, int column, sqlite3_value **value) {
#if FRC_PREUPDATE
  if (sqlite3_preupdate_old) return sqlite3_preupdate_old(db, column, value);
#else
  (void)db, (void)column, (void)value;
#endif
  return SQLITE_MISUSE;
}

static inline int frc_preupdate_new(sqlite3 *db, int column, sqlite3_value **value) {
#if FRC_PREUPDATE
  if (sqlite3_preupdate_new) return sqlite3_preupdate_new(db, column, value);
#else
  (void)db, (void)column, (void)value;
#endif
  return SQLITE_MISUSE;
}

#endif
