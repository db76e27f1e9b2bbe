/* Answers questions of scripts and agents about traces, in few bytes.
 *
 * The tools (tools.h) are the same for `tracepress ask` and for the server `tracepress mcp`. An answer is one JSON
 * object without spaces. The same question about the same file gives the same bytes. docs/ask.md describes all tools,
 * and the limits of their answers.
 *
 * One thread at a time calls tp_ask_run. Any thread may call tp_ask_cancel. */
#ifndef TP_WEBREPORT_ASK_ASK_H
#define TP_WEBREPORT_ASK_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/session/console.h"
#include "writer/base/buf.h"
#include "writer/base/error.h"
#include "writer/base/str.h"

struct tp_ask;
struct tp_tool;

/* Result of a call. tp_ask_code_text returns its name in answers, such as "outside_roots". */
enum tp_ask_code {
    TP_ASK_ANSWERED,
    TP_ASK_OUTSIDE_ROOTS,
    TP_ASK_NOT_FOUND,
    TP_ASK_NOT_A_TRACE,
    TP_ASK_DAMAGED,
    TP_ASK_BAD_ARGUMENT,
    TP_ASK_UNKNOWN_ID,
    TP_ASK_SQL_ERROR,
    TP_ASK_NOT_ALLOWED,
    TP_ASK_TOO_SLOW,
    TP_ASK_TOO_LARGE,
    TP_ASK_STALE_CURSOR,
    TP_ASK_CHANGED,
    TP_ASK_CANCELLED, /* no answer, because tp_ask_cancel was called */
    TP_ASK_CODES
};

const char *tp_ask_code_text(enum tp_ask_code code);

struct tp_ask_options {
    const char *const *roots; /* folders below which files may be read */
    size_t root_count;        /* 0: all files may be read */
    int64_t max_bytes;        /* size of an answer if the question names none, bytes; 0: TP_ASK_ANSWER_BYTES */
    int64_t sql_ms;           /* time of a query, ms; 0: TP_ASK_SQL_MS */
    uint64_t cache_bytes;     /* memory of all opened traces; 0: TP_ASK_CACHE_BYTES */
    uint64_t max_input_bytes; /* maximum size of the inflated text of a trace; 0: TP_MAX_INPUT_BYTES */
    struct tp_console *console;
};

/* Begins a session. Returns 0, TP_ENOMEM, or TP_ENOTFOUND if a root is no folder. */
int tp_ask_new(struct tp_ask **out, const struct tp_ask_options *options, struct tp_error *err);
/* Ends a session and closes its traces. ask: may be NULL. */
void tp_ask_free(struct tp_ask *ask);

/* Calls a tool, and appends its answer, or a description of the error, to `answer`. arguments: an object as compact
 * JSON (tp_clean_value). *is_damaged: set to true if the answer is about a recording that is damaged; may be NULL. */
enum tp_ask_code tp_ask_run(struct tp_ask *ask, const struct tp_tool *tool, struct tp_str arguments,
                            struct tp_buf *answer, bool *is_damaged);

/* Stops the call that runs at the moment, as soon as possible; its result is TP_ASK_CANCELLED. Also affects later
 * calls, until is_cancelled is set to false. */
void tp_ask_cancel(struct tp_ask *ask, bool is_cancelled);

#endif
