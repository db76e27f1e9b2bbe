/* Finds and compares the tensors of two runs. */
#ifndef TP_WEBREPORT_SESSION_TENSOR_RUNS_H
#define TP_WEBREPORT_SESSION_TENSOR_RUNS_H

#include "webreport/compare/tensors/precision.h"
#include "webreport/session/console.h"

struct tp_tensor_runs {
    const char *paths[2]; /* paths of the tensors of the base and of the new run, as for tp_inventory_find */
    struct tp_console *console;
    uint64_t max_input_bytes; /* maximum size of the inflated text of a trace, bytes; 0 for TP_MAX_INPUT_BYTES */
    bool is_bfloat16;         /* true: treat uint16 arrays as bfloat16 numbers, unless a trace records their type */
    bool is_strict;
    const char *include;             /* pattern for the names of files in folders: see struct tp_run_search */
    struct tp_precision_options how; /* options of the comparison; `progress` and `context` are overwritten, so that the
                                        console shows progress */
};

/* Compares the tensors of two runs. Shows progress, and prints which files are unusable. Allocates from `arena`, whose
 * guard the caller sets. Returns 0, TP_ENOTFOUND if a run has no tensors, or TP_ELIMIT. */
int tp_tensor_runs_compare(struct tp_precision *precision, const struct tp_tensor_runs *runs, struct tp_arena *arena,
                           struct tp_error *err);

#endif
