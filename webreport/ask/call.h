/* Defines a running call of a tool: its arguments, its input and its answer. */
#ifndef TP_WEBREPORT_ASK_CALL_H
#define TP_WEBREPORT_ASK_CALL_H

#include <stdatomic.h>

#include "webreport/ask/ask.h"
#include "webreport/ask/roots.h"
#include "writer/base/json_out.h"
#include "writer/base/limits.h"

struct tp_ask_input;
struct tp_ask_kind;

/* The arguments of all tools. tool_arguments.c has a row for each. */
enum tp_ask_argument {
    TP_ASK_TRACE,
    TP_ASK_ID,
    TP_ASK_TABLE,
    TP_ASK_WHERE,
    TP_ASK_QUERY,
    TP_ASK_CHANGES,
    TP_ASK_BASELINE,
    TP_ASK_LIMIT,
    TP_ASK_CURSOR,
    TP_ASK_MAX_BYTES,
    TP_ASK_ARGUMENTS
};

/* Why a call has no answer. */
struct tp_ask_problem {
    enum tp_ask_code code;
    char message[256];
    const char *hint; /* how to ask instead; lives as long as the call, "" without a hint */
};

/* A session. */
struct tp_ask {
    struct tp_ask_options options;
    struct tp_roots roots;
    const struct tp_ask_kind *kinds;                /* kinds of inputs; the last one takes all inputs */
    struct tp_ask_input *inputs[TP_MAX_ASK_TRACES]; /* opened inputs, last used first; NULL after the last one */
    atomic_bool is_cancelled;
};

struct tp_ask_call {
    struct tp_ask *ask;
    const struct tp_tool *tool;
    struct tp_arena *arena; /* memory of the call, whose guard is set */
    /* text of each argument, decoded; a list is compact JSON. ptr NULL: not given */
    struct tp_str text[TP_ASK_ARGUMENTS];
    int64_t number[TP_ASK_ARGUMENTS]; /* value of each argument that is a number; its default if it is not given */
    struct tp_ask_input *input;       /* the input that TP_ASK_TRACE names; NULL for tools without this argument */
    /* id of the input, and its id before the file changed in this session; "" without one */
    const char *input_id, *old_input_id;
    struct tp_buf answer;
    struct tp_json json; /* writes into `answer` */
    struct tp_ask_problem problem;
    bool is_damaged; /* true: the answer is about a damaged recording */
};

/* Sets the reason why the call has no answer. hint: lives as long as the call. Returns `code`. */
enum tp_ask_code tp_call_fail(struct tp_ask_call *call, enum tp_ask_code code, const char *hint, const char *format,
                              ...) __attribute__((format(printf, 4, 5)));

/* Begins a new answer: empties it, and writes the brace and the id of the input. */
void tp_call_begin(struct tp_ask_call *call);

/* Writes a text, cut to TP_MAX_ASK_TEXT_CHARACTERS characters and "..."; NULL as null. */
void tp_call_str(struct tp_ask_call *call, struct tp_str text);
void tp_call_member_str(struct tp_ask_call *call, const char *key, struct tp_str text);
/* Writes a member with all of a text, which may be ill-formed, such as the name of a file. */
void tp_call_member_whole(struct tp_ask_call *call, const char *key, struct tp_str text);
void tp_call_member_text(struct tp_ask_call *call, const char *key, const char *text);

/* A place in the answer to which tp_call_undo returns. */
struct tp_call_mark {
    size_t size;
    bool needs_comma;
};

/* tp_call_mark returns the current place, between two items of a list. tp_call_undo removes what was written since. */
struct tp_call_mark tp_call_mark(const struct tp_ask_call *call);
void tp_call_undo(struct tp_ask_call *call, struct tp_call_mark mark);

/* Returns whether the answer, with `more` further bytes, fits into the size that the question names. */
bool tp_call_fits(const struct tp_ask_call *call, size_t more);

/* Writes the members "status": "absent" and "reason". */
void tp_call_absent(struct tp_ask_call *call, const char *reason);

/* Writes an answer. level: 0 for the whole answer; each further level leaves more out. Returns whether there is a
 * shorter answer. */
typedef bool tp_call_writer(struct tp_ask_call *call, unsigned level);

/* Writes the longest answer that fits into the size that the question names. Returns TP_ASK_ANSWERED, or
 * TP_ASK_TOO_LARGE if even the shortest answer does not fit. */
enum tp_ask_code tp_call_fit(struct tp_ask_call *call, tp_call_writer *write);

#endif
