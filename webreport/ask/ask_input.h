/* Defines an opened input, and the kinds of inputs. */
#ifndef TP_WEBREPORT_ASK_ASK_INPUT_H
#define TP_WEBREPORT_ASK_ASK_INPUT_H

#include "webreport/ask/call.h"
#include "webreport/measure/summary/summary.h"
#include "webreport/session/opened_trace.h"

struct tp_ask_kind;

enum { TP_ASK_ID_DIGITS = 12 };

/* An opened input. */
struct tp_ask_input {
    const struct tp_ask_kind *kind;
    const char *path;    /* real path */
    const char *process; /* number of the process or rank in a file with several; NULL for the whole file */
    struct tp_file_identity identity;
    char id[TP_ASK_ID_DIGITS + 1];     /* from the content and the size of the file: see docs/ask.md */
    char old_id[TP_ASK_ID_DIGITS + 1]; /* id before the file changed in this session; "" if it did not */
    struct tp_arena arena;             /* memory of the input, except that of `trace` */
    struct tp_opened_trace trace;      /* only if is_trace */
    bool is_trace;
    struct tp_summary *summaries; /* summary of the trace, or of all processes of a job */
    size_t summary_count;
    const char *step_window; /* window of numbers per step: "used steps", or "recording" without steps; static */
    size_t failed_count;     /* files of a folder that could not be used */
    void *database;          /* sqlite3 * with the tables of the input; NULL before the first query */
    uint64_t database_bytes; /* size of the database, bytes */
};

/* A kind of input: how it is recognised and opened, and how questions about it are answered. inputs_kinds.c has a row
 * for each. */
struct tp_ask_kind {
    const char *name; /* "trace", "summary" */
    /* Returns whether the file or folder is of this kind. */
    bool (*is_kind)(const char *path, bool is_folder);
    /* Fills the input, whose arena has its guard set. Returns 0 or a negative tp_status. */
    int (*open)(struct tp_ask_input *input, const struct tp_ask *ask, struct tp_error *err);
    enum tp_ask_code (*digest)(struct tp_ask_call *call);
    enum tp_ask_code (*explain)(struct tp_ask_call *call);
    enum tp_ask_code (*evidence)(struct tp_ask_call *call); /* NULL: inputs of this kind have no events */
};

/* ---- functions to which the table of kinds refers ---- */

/* Answer questions about one trace (digest_trace.c, findings_trace.c). */
enum tp_ask_code tp_digest_of_trace(struct tp_ask_call *call);
enum tp_ask_code tp_explain_in_trace(struct tp_ask_call *call);
enum tp_ask_code tp_evidence_in_trace(struct tp_ask_call *call);

/* Answer questions about summaries (digest_summaries.c). */
enum tp_ask_code tp_digest_of_summaries(struct tp_ask_call *call);
enum tp_ask_code tp_explain_in_summaries(struct tp_ask_call *call);

#endif
