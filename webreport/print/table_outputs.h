/* The output of `tracepress table`: the tables of profiles, one after the other, in one file that appears whole or not
 * at all. One profile is in memory at a time. */
#ifndef TP_WEBREPORT_PRINT_TABLE_OUTPUTS_H
#define TP_WEBREPORT_PRINT_TABLE_OUTPUTS_H

#include "webreport/document/tables/table_document.h"
#include "writer/base/error.h"
#include "writer/base/json_out.h"

enum tp_table_format { TP_TABLE_TEXT, TP_TABLE_CSV, TP_TABLE_JSON, TP_TABLE_MARKDOWN };

struct tp_outfile;

/* Zeroed but for the first three, which the caller sets. */
struct tp_table_outputs {
    const char *path; /* "-": standard output */
    enum tp_table_format format;
    struct tp_table_style style;
    struct tp_outfile *file; /* opened with the first table */
    struct tp_buf text;      /* not yet written */
    struct tp_json json;
    size_t count; /* of tables */
};

/* Prints and writes one table. outputs: struct tp_table_outputs. Returns 0, TP_EIO, TP_ENOMEM. */
int tp_table_outputs_add(void *outputs, const struct tp_profile_table *table, struct tp_arena *arena,
                         struct tp_error *err);
/* The end, when there was a table. */
int tp_table_outputs_commit(struct tp_table_outputs *outputs, struct tp_error *err);
/* An output that was not committed vanishes. */
void tp_table_outputs_close(struct tp_table_outputs *outputs);

/* Appends the text of one table, in torch's style. Returns 0. For programs that look at their own recording. */
int tp_print_key_averages(struct tp_buf *out, const struct tp_profile_table *table, struct tp_arena *arena,
                          struct tp_error *err);

#endif
