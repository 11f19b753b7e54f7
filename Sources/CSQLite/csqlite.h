// The system's SQLite for Swift, and the few shims that Swift cannot write itself: variadic functions, macros that do
// not import, and functions that a system's library may lack.

#ifndef FETCHEDRESULTS_CSQLITE_H
#define FETCHEDRESULTS_CSQLITE_H

#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#define SQLITE_ENABLE_SESSION 1
#include <sqlite3.h>

#endif
