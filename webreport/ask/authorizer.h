/* Limits a database to reading. */
#ifndef TP_WEBREPORT_ASK_AUTHORIZER_H
#define TP_WEBREPORT_ASK_AUTHORIZER_H

#include <sqlite3.h>

/* Limits the memory of all databases of the process. Called before the first use of SQLite. Temporary tables count,
 * because tp_authorizer_set keeps them in memory. */
void tp_authorizer_limit_memory(void);

/* Forbids all statements except queries, all functions that read or write files or give different results for the same
 * data, and values and statements of unusual size. Returns SQLITE_OK or an error of SQLite. */
int tp_authorizer_set(sqlite3 *db);

#endif
