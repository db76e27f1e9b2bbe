/* Tables of a trace file or a spool in one call, for a program that analyses its own recording (collector/analysis_bridge.c).
 * Nothing of the command line is needed, nothing is printed, no state is kept: any thread may call. */
#ifndef TP_WEBREPORT_SESSION_IN_PROCESS_H
#define TP_WEBREPORT_SESSION_IN_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/measure/torch_tables/profile_table.h"
#include "writer/base/error.h"

struct tp_in_process_table {
    bool by_shape;        /* rows by name and input shapes */
    unsigned stack_depth; /* rows by name and that many frames; 0: not */
    const char *sort_by;  /* torch's attribute names; NULL: in order of first use */
    int row_limit;        /* negative: all */
};

/* Appends the text of a table: tp_print_key_averages (webreport/print/table_outputs.h). */
typedef int tp_in_process_print(struct tp_buf *out, const struct tp_profile_table *table, struct tp_arena *arena,
                                struct tp_error *err);

/* The key_averages table of the trace at `path` as text. *text: for free(), NULL on failure. Returns 0, TP_EIO,
 * TP_EFORMAT, TP_ELIMIT, TP_ENOMEM, TP_EUSAGE (no such sort key). */
int tp_in_process_table(char **text, const char *path, const struct tp_in_process_table *options,
                        tp_in_process_print *print, struct tp_error *err);

/* Folded stacks of the trace at `path` to the file `out`, which appears whole or not at all. metric: see
 * folded_stacks.h; NULL: "self_cpu_time_total". Returns as above, TP_EUSAGE when there is no such metric. */
int tp_in_process_stacks(const char *out, const char *path, const char *metric, struct tp_error *err);

/* Where a summary goes and which process it is of; its rank is that of the trace. */
struct tp_in_process_summary {
    const char *out, *worker;
    uint32_t span; /* number of the recording in its process, from 1 */
};

/* The summary of the trace at `path` to a `.tps` file, which appears whole or not at all. Returns 0, TP_EIO,
 * TP_EFORMAT, TP_ELIMIT, TP_ENOMEM. */
int tp_in_process_summary(const struct tp_in_process_summary *options, const char *path, struct tp_error *err);

#endif
