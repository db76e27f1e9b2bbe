/* Makes tables, folded stacks and summaries of a trace file or a spool in one call, for a program that analyzes its own
 * recording (collector/analysis_bridge.c). The functions print nothing and keep no state: any thread may call them. */
#ifndef TP_WEBREPORT_SESSION_IN_PROCESS_H
#define TP_WEBREPORT_SESSION_IN_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/torch_tables/profile_table.h"
#include "writer/base/error.h"

struct tp_in_process_table {
    bool by_shape;        /* rows by name and input shapes */
    unsigned stack_depth; /* rows by name and this many frames; 0: by name alone */
    const char *sort_by;  /* torch's attribute names; NULL: in order of first use */
    int row_limit;        /* negative: all */
};

/* Appends the text of a table: tp_print_key_averages (webreport/print/table_outputs.h). */
typedef int tp_in_process_print(struct tp_buf *out, const struct tp_profile_table *table, struct tp_arena *arena,
                                struct tp_error *err);

/* Makes the key_averages table of the trace at `path` as text. *text: the caller calls free(); NULL on failure. Returns
 * 0, TP_EIO, TP_EFORMAT, TP_ELIMIT, TP_ENOMEM, TP_EUSAGE (no such sort key). */
int tp_in_process_table(char **text, const char *path, const struct tp_in_process_table *options,
                        tp_in_process_print *print, struct tp_error *err);

/* Writes the folded stacks of the trace at `path` to the file `out`, which appears whole or not at all. metric: see
 * folded_stacks.h; NULL: "self_cpu_time_total". Returns a status as above; TP_EUSAGE: no such metric. */
int tp_in_process_stacks(const char *out, const char *path, const char *metric, struct tp_error *err);

/* The output file of a summary and the process it describes; the rank comes from the trace. */
struct tp_in_process_summary {
    const char *out, *worker;
    uint32_t span; /* number of the recording in its process, from 1 */
};

/* Writes the summary of the trace at `path` to a `.tps` file, which appears whole or not at all. Returns 0, TP_EIO,
 * TP_EFORMAT, TP_ELIMIT, TP_ENOMEM. */
int tp_in_process_summary(const struct tp_in_process_summary *options, const char *path, struct tp_error *err);

#endif
