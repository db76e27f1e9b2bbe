/* Makes tables, folded stacks and summaries of a trace or spool, for a program that analyzes its own recording
 * (collector/analysis_bridge.c). The functions print no messages and have no global state, so any thread may call
 * them. */
#ifndef TP_WEBREPORT_SESSION_IN_PROCESS_H
#define TP_WEBREPORT_SESSION_IN_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/torch_tables/profile_table.h"
#include "writer/base/error.h"

struct tp_in_process_table {
    bool by_shape; /* true: group rows by input shapes in addition to the name */
    /* number of stack frames to group rows by, in addition to the name; 0: no frames */
    unsigned stack_depth;
    const char *sort_by; /* sort key, named like the attribute of torch; NULL for the order of first use */
    int row_limit;       /* maximum number of rows; negative for all rows */
};

/* Appends a table as text to a buffer. tp_print_key_averages (webreport/print/table_outputs.h) has this type. */
typedef int tp_in_process_print(struct tp_buf *out, const struct tp_profile_table *table, struct tp_arena *arena,
                                struct tp_error *err);

/* Makes the key_averages table of the trace at `path` as text. *text: the table, to be freed by the caller with free();
 * NULL on failure. Returns 0, TP_EIO, TP_EFORMAT, TP_ELIMIT, TP_ENOMEM, or TP_EUSAGE for an unknown sort key. */
int tp_in_process_table(char **text, const char *path, const struct tp_in_process_table *options,
                        tp_in_process_print *print, struct tp_error *err);

/* Writes the folded stacks of the trace at `path` to the file `out`, which gets its name only after it is complete.
 * metric: a name of folded_stacks.h; NULL for "self_cpu_time_total". Returns 0, TP_EIO, TP_EFORMAT, TP_ELIMIT,
 * TP_ENOMEM, or TP_EUSAGE for an unknown metric. */
int tp_in_process_stacks(const char *out, const char *path, const char *metric, struct tp_error *err);

/* The output file of a summary, and the identity of the process. The rank comes from the trace. */
struct tp_in_process_summary {
    const char *out, *worker;
    uint32_t span; /* number of the recording in its process, from 1 */
};

/* Writes the summary of the trace at `path` to a `.tps` file, which gets its name only after it is complete. Returns 0,
 * TP_EIO, TP_EFORMAT, TP_ELIMIT or TP_ENOMEM. */
int tp_in_process_summary(const struct tp_in_process_summary *options, const char *path, struct tp_error *err);

#endif
