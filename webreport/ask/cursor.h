/* Cursors: texts with which a client asks for the next part of an answer. A cursor is bound to one question about one
 * file. */
#ifndef TP_WEBREPORT_ASK_CURSOR_H
#define TP_WEBREPORT_ASK_CURSOR_H

#include "webreport/ask/call.h"

enum { TP_CURSOR_BYTES = 64 };

/* The question to which cursors belong. */
struct tp_cursor_key {
    char hash[13];     /* 12 hexadecimal digits, and NUL */
    char old_hash[13]; /* the same for the file before it changed; "" if it did not change */
    int64_t offset;    /* number of items that earlier answers gave */
};

/* Makes the key of a question, and reads TP_ASK_CURSOR. question: text that identifies the question, without the file.
 * Returns TP_ASK_ANSWERED, TP_ASK_STALE_CURSOR for a cursor of another question, or TP_ASK_CHANGED for one of an
 * earlier version of the file. */
enum tp_ask_code tp_cursor_read(struct tp_cursor_key *key, struct tp_ask_call *call, struct tp_str question);

/* Writes the member "next_cursor": the cursor of the item `offset`; null if offset is negative. */
void tp_cursor_write(struct tp_ask_call *call, const struct tp_cursor_key *key, int64_t offset);

#endif
