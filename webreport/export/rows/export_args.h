/* Reads the arguments of the trace's events for the table args of csv and sqlite. It reads the file a second time,
 * because the trace in memory has only the arguments that the report needs. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_EXPORT_ARGS_H
#define TP_WEBREPORT_EXPORT_ROWS_EXPORT_ARGS_H

#include "webreport/export/export_formats.h"
#include "webreport/trace/json/scan.h"
#include "writer/base/buf.h"

/* Takes the arguments of an event. event: the event_id of the other tables; args: an object, valid JSON, as in the
 * trace unless it needed a repair; borrowed for the call. Returns 0, or a negative code that ends the walk (it fills
 * err). */
typedef int tp_args_take(void *context, uint32_t event, struct tp_str args, struct tp_error *err);

/* Calls `take` for each event with arguments, in the order of the file. Memory comes from `arena`; the function sets
 * its guard, so the caller may hold files, and may be a second thread with its own arena. Returns 0, the code of
 * `take`, TP_ENOMEM, TP_ELIMIT, or TP_ENOTFOUND when the file cannot be read again or has changed. */
int tp_args_walk(const struct tp_export *export, struct tp_arena *arena, tp_args_take *take, void *context,
                 struct tp_error *err);

/* One argument. Texts are valid UTF-8, and live until the next argument. */
struct tp_arg {
    struct tp_str key;
    bool is_text;       /* true: text is the content of a string; false: a number, word, list or object as written */
    struct tp_str text; /* ptr NULL: null */
};

/* A cursor over the arguments in the text that `take` got. */
struct tp_args {
    struct tp_scan scan;
    struct tp_buf key, text; /* repaired copies, when needed */
};

void tp_args_init(struct tp_args *args);
void tp_args_release(struct tp_args *args);
void tp_args_begin(struct tp_args *args, struct tp_str text);
bool tp_args_next(struct tp_args *args, struct tp_arg *arg);

/* Definitions of the table and of its columns event_id, key and value. */
#define TP_ARGS_DEFINITION "arguments of the events, also those that no column of another table has"
struct tp_args_column {
    const char *name, *definition;
};
extern const struct tp_args_column tp_args_columns[3];

#endif
