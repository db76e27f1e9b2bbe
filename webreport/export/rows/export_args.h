/* The arguments of the trace's events, for the table args of csv and sqlite: read from the file a second time, since
 * the trace in memory has only those that the report needs. */
#ifndef TP_WEBREPORT_EXPORT_ROWS_EXPORT_ARGS_H
#define TP_WEBREPORT_EXPORT_ROWS_EXPORT_ARGS_H

#include "webreport/export/export_formats.h"
#include "webreport/trace/scan.h"
#include "writer/base/buf.h"

/* Takes the arguments of an event. event: as event_id of the other tables; args: an object, valid JSON, as written in
 * the trace unless it had to be repaired; borrowed for the call. 0, or a negative code that ends the walk (it fills
 * err). */
typedef int tp_args_take(void *context, uint32_t event, struct tp_str args, struct tp_error *err);

/* Calls take for each event that has arguments, in the order of the file. Memory comes from `arena`, whose guard is set
 * inside: the caller may hold files, and be another thread than the export's with an arena of its own. 0, take's code,
 * TP_ENOMEM, TP_ELIMIT, or TP_ENOTFOUND when the file cannot be read again as it was. */
int tp_args_walk(const struct tp_export *export, struct tp_arena *arena, tp_args_take *take, void *context,
                 struct tp_error *err);

/* One argument. Texts are valid UTF-8, and live until the next one. */
struct tp_arg {
    struct tp_str key;
    bool is_text;       /* text is what a string means; else a number, a word, a list or an object as written */
    struct tp_str text; /* ptr NULL: null */
};

/* The arguments in the text that take got, one after the other. */
struct tp_args {
    struct tp_scan scan;
    struct tp_buf key, text; /* cleaned, where they have to be */
};

void tp_args_init(struct tp_args *args);
void tp_args_release(struct tp_args *args);
void tp_args_begin(struct tp_args *args, struct tp_str text);
bool tp_args_next(struct tp_args *args, struct tp_arg *arg);

/* What the table and its columns event_id, key and value mean. */
#define TP_ARGS_DEFINITION "arguments of the events, also those that no column of another table has"
struct tp_args_column {
    const char *name, *definition;
};
extern const struct tp_args_column tp_args_columns[3];

#endif
