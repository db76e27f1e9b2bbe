/* Reads the arguments of the trace's events for the table args of the formats csv and sqlite. The file is read a second
 * time, because the trace in memory has only the arguments that the report needs. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_EXPORT_ARGS_H
#define TP_WEBREPORT_EXPORT_ROWS_EXPORT_ARGS_H

#include "webreport/export/export_formats.h"
#include "webreport/trace/json/scan.h"
#include "writer/base/buf.h"

/* Gets the arguments of one event. event: value of event_id in the other tables. args: a valid JSON object, copied from
 * the trace and repaired where necessary; valid during the call. Returns 0, or a negative code that stops the reading,
 * with the reason in err. */
typedef int tp_args_receiver(void *context, uint32_t event, struct tp_str args, struct tp_error *err);

/* Calls `take` for each event with arguments, in the order of the file. Sets the guard of `arena` itself, so that the
 * caller may have open files. May run in a second thread with its own arena. Returns 0, the code of `take`, TP_ENOMEM
 * or TP_ELIMIT. Returns TP_ENOTFOUND if the file cannot be read again or has changed. */
int tp_args_visit_all(const struct tp_export *export, struct tp_arena *arena, tp_args_receiver *take, void *context,
                      struct tp_error *err);

/* One argument of an event. Texts are valid UTF-8, and valid until the next argument is read. */
struct tp_arg {
    struct tp_str key;
    /* true: `text` is the content of a string; false: `text` is a number, word, list or object, unchanged from the
     * file */
    bool is_text;
    struct tp_str text; /* value of the argument; ptr NULL for the JSON value null */
};

/* Iterates over the arguments in the text that a tp_args_receiver gets. */
struct tp_args {
    struct tp_scan scan;
    struct tp_buf key, text; /* buffers for a key and a text after decoding or repairs */
};

void tp_args_init(struct tp_args *args);
void tp_args_release(struct tp_args *args);
void tp_args_begin(struct tp_args *args, struct tp_str text);
bool tp_args_next(struct tp_args *args, struct tp_arg *arg);

/* Definitions of the table args and its columns event_id, key and value. */
#define TP_ARGS_DEFINITION "all arguments of the events, including arguments that have no column in another table"
struct tp_args_column {
    const char *name, *definition;
};
extern const struct tp_args_column tp_args_columns[3];

#endif
