/* Reads the arguments of the trace's events for the table args of csv and sqlite. The file is read a second time,
 * because the trace in memory contains only the arguments that the report needs. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_EXPORT_ARGS_H
#define TP_WEBREPORT_EXPORT_ROWS_EXPORT_ARGS_H

#include "webreport/export/export_formats.h"
#include "webreport/trace/json/scan.h"
#include "writer/base/buf.h"

/* Receives the arguments of one event. event: value of event_id in the other tables. args: an object in valid JSON,
 * copied from the trace except for repairs; borrowed for the call. Returns 0, or a negative code that stops the walk,
 * with the reason in err. */
typedef int tp_args_receiver(void *context, uint32_t event, struct tp_str args, struct tp_error *err);

/* Calls `take` for each event with arguments, in the order of the file. Sets the guard of `arena` itself, so the
 * caller may have files open. May run in a second thread with an arena of its own. Returns 0, the code of `take`,
 * TP_ENOMEM or TP_ELIMIT. Returns TP_ENOTFOUND if the file cannot be read again or has changed. */
int tp_args_walk(const struct tp_export *export, struct tp_arena *arena, tp_args_receiver *take, void *context,
                 struct tp_error *err);

/* One argument of an event. Texts are valid UTF-8, and valid until the next argument is read. */
struct tp_arg {
    struct tp_str key;
    /* true if `text` is the content of a string; false if `text` is a number, word, list or object as in the file */
    bool is_text;
    struct tp_str text; /* value of the argument; ptr NULL for the JSON value null */
};

/* A position in the arguments that `take` received. */
struct tp_args {
    struct tp_scan scan;
    struct tp_buf key, text; /* buffers for a key and a text that need repairs */
};

void tp_args_init(struct tp_args *args);
void tp_args_release(struct tp_args *args);
void tp_args_begin(struct tp_args *args, struct tp_str text);
bool tp_args_next(struct tp_args *args, struct tp_arg *arg);

/* Definitions of the table args and of its columns event_id, key and value. */
#define TP_ARGS_DEFINITION "arguments of the events, also those that no column of another table has"
struct tp_args_column {
    const char *name, *definition;
};
extern const struct tp_args_column tp_args_columns[3];

#endif
