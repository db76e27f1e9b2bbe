/* Reads filters of rows: COLUMN OP VALUE [and COLUMN OP VALUE ...]. A filter is no SQL: its parts are checked, and its
 * values are bound. */
#ifndef TP_WEBREPORT_ASK_WHERE_H
#define TP_WEBREPORT_ASK_WHERE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/limits.h"
#include "writer/base/str.h"

struct tp_where_term {
    struct tp_str column;
    const char *comparison; /* "=", "!=", "<", ">", "<=", ">=" or "like"; static */
    bool is_text, is_integer;
    struct tp_str text; /* value of a text */
    int64_t integer;
    double real;
};

struct tp_where {
    struct tp_where_term terms[TP_MAX_ASK_WHERE_TERMS];
    unsigned count;
};

/* Reads a filter; "" has no terms. Column names borrow from `text`; values are in `arena`. Returns 0, or TP_EUSAGE
 * with the position of the mistake. */
int tp_where_read(struct tp_where *where, struct tp_str text, struct tp_arena *arena, struct tp_error *err);

#endif
