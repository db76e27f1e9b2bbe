/* `report --baseline`: the runs of a report compared with a baseline, as one more section. */
#ifndef TP_WEBREPORT_CLI_REPORT_BASELINE_H
#define TP_WEBREPORT_CLI_REPORT_BASELINE_H

#include "webreport/cli/report_outputs.h"
#include "webreport/cli/run_diff.h"

struct tp_baseline {
    struct tp_diff_side sides[TP_SIDES];
    struct tp_compare compare;
};

/* Reads the baseline: a trace, a .tps file or a folder of either. To be closed in any case. name: of the report's side,
 * borrowed. Returns 0 or what tp_summaries_load does. */
int tp_baseline_open(struct tp_baseline *baseline, const char *path, const char *name, const struct tp_diff_read *how,
                     struct tp_error *err);
void tp_baseline_close(struct tp_baseline *baseline);

/* Adds a run of the report. Returns 0, TP_ENOMEM, TP_ELIMIT. */
int tp_baseline_add(struct tp_baseline *baseline, const struct tp_run_file *file, const struct tp_analysis *analysis,
                    struct tp_error *err);

/* Compares in `arena` (guard set by the caller until the outputs are committed), and hands the result to every output.
 * Returns 0 or their codes. */
int tp_baseline_compare(struct tp_baseline *baseline, struct tp_outputs *outputs, struct tp_arena *arena,
                        struct tp_error *err);

#endif
