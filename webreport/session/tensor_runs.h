/* Finds and compares the tensors of two runs. */
#ifndef TP_WEBREPORT_SESSION_TENSOR_RUNS_H
#define TP_WEBREPORT_SESSION_TENSOR_RUNS_H

#include "webreport/compare/tensors/precision.h"
#include "webreport/session/console.h"

struct tp_tensor_runs {
    const char *paths[2]; /* paths of base and new: see tp_inventory_find */
    struct tp_console *console;
    uint64_t max_input_bytes; /* 0 selects TP_MAX_INPUT_BYTES */
    bool is_bfloat16;         /* uint16 arrays have bfloat16 bits if no trace records their type */
    bool is_strict;
    const char *include;             /* pattern of file names in folders: see struct tp_run_search */
    struct tp_precision_options how; /* options; `progress` is replaced, because the console shows progress */
};

/* Compares the tensors of the runs, shows progress, and prints what could not be used. Allocates from `arena`, whose
 * guard the caller sets. Returns 0, TP_ENOTFOUND if a run has no tensors, or TP_ELIMIT. */
int tp_tensor_runs_compare(struct tp_precision *precision, const struct tp_tensor_runs *runs, struct tp_arena *arena,
                           struct tp_error *err);

#endif
