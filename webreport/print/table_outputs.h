/* Writes the output of `tracepress table`: the tables of all profiles in one file, which gets its name only after it is
 * complete. Only one profile is in memory at a time. */
#ifndef TP_WEBREPORT_PRINT_TABLE_OUTPUTS_H
#define TP_WEBREPORT_PRINT_TABLE_OUTPUTS_H

#include "webreport/document/tables/table_document.h"
#include "writer/base/error.h"
#include "writer/base/json_out.h"

enum tp_table_format { TP_TABLE_TEXT, TP_TABLE_CSV, TP_TABLE_JSON, TP_TABLE_MARKDOWN };

struct tp_outfile;

/* State of the output. The caller sets the first three members and zeroes all others. */
struct tp_table_outputs {
    const char *path; /* path of the output; "-": standard output */
    enum tp_table_format format;
    struct tp_table_style style;
    struct tp_outfile *file; /* output file, opened for the first table */
    struct tp_buf text;      /* text that is not yet written to `file` */
    struct tp_json json;
    size_t count; /* number of tables added so far */
};

/* Adds one table to the output. outputs: a struct tp_table_outputs. Returns 0, TP_EIO or TP_ENOMEM. */
int tp_table_outputs_add(void *outputs, const struct tp_profile_table *table, struct tp_arena *arena,
                         struct tp_error *err);
/* Completes the output if at least one table was added. */
int tp_table_outputs_commit(struct tp_table_outputs *outputs, struct tp_error *err);
/* Releases all memory, and removes the file if it is not complete. */
void tp_table_outputs_close(struct tp_table_outputs *outputs);

/* Appends one table in torch's style as text, for programs that print their own recording. Returns 0. */
int tp_print_key_averages(struct tp_buf *out, const struct tp_profile_table *table, struct tp_arena *arena,
                          struct tp_error *err);

#endif
