/* Limits a database to reading. */
#ifndef TP_WEBREPORT_ASK_AUTHORIZER_H
#define TP_WEBREPORT_ASK_AUTHORIZER_H

#include <sqlite3.h>

#include "webreport/ask/call.h"

/* Forbids all statements except queries, all functions that read or write files or give different results for the same
 * data, and values and statements of unusual size. Returns SQLITE_OK or an error of SQLite. */
int tp_authorizer_set(sqlite3 *db, struct tp_ask *ask);

#endif
