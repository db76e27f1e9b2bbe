/* Finds and compares the tensors of two runs. */
#ifndef TP_WEBREPORT_SESSION_TENSOR_RUNS_H
#define TP_WEBREPORT_SESSION_TENSOR_RUNS_H

#include "webreport/compare/tensors/precision.h"
#include "webreport/session/console.h"

struct tp_tensor_runs {
    const char *paths[2]; /* base, new: see tp_inventory_find */
    struct tp_console *console;
    uint64_t max_input_bytes; /* 0: TP_MAX_INPUT_BYTES */
    bool is_bfloat16;         /* uint16 arrays whose type no trace records are bfloat16 bits */
    bool is_strict;
    const char *include;             /* pattern for folders: see struct tp_run_search */
    struct tp_precision_options how; /* except progress, which the console shows */
};

/* Compares the runs in `arena` (guard set by the caller), shows progress and prints what could not be used. Returns 0;
 * TP_ENOTFOUND for a run without tensors; TP_ELIMIT. */
int tp_tensor_runs_compare(struct tp_precision *precision, const struct tp_tensor_runs *runs, struct tp_arena *arena,
                           struct tp_error *err);

#endif
