/* Compares two sides, the base and the new runs. Reads the runs of each side and keeps their summaries and call trees.
 * Reads one trace at a time, so that memory never contains more than one trace. */
#ifndef TP_WEBREPORT_SESSION_COMPARISON_H
#define TP_WEBREPORT_SESSION_COMPARISON_H

#include "webreport/compare/two/compare.h"
#include "webreport/session/console.h"
#include "webreport/session/summaries.h"

/* The runs of one side and their call trees. All data is in `arena`. */
struct tp_diff_side {
    struct tp_arena arena;
    struct tp_summaries summaries;
    /* summaries that tp_comparison_add made, to which `summaries` points; elements: struct tp_summary */
    struct tp_vec runs;
    /* call tree of each summary that was made from a trace; summaries from files have none; elements: struct
     * tp_calltree */
    struct tp_vec trees;
    const char *name;
    int tree_status; /* 0, or a negative tp_status if a call tree could not be stored */
    int code;        /* 0, or a negative tp_status if loading failed for the reason in `err` */
    struct tp_error err;
};

struct tp_diff_read {
    struct tp_trace_options read;
    const struct tp_rule_overrides *rules; /* changes to rules by the option --rule; NULL for the default rules */
    struct tp_console *console;
    bool has_trees;
    /* Called for the first usable trace of each side, after its whole advice is built; NULL for no call. `arena`: the
     * arena of the side, whose guard is set. The page shows this trace next to the comparison. */
    void (*advised)(void *context, int side, const struct tp_run_file *file, const struct tp_analysis *analysis,
                    struct tp_arena *arena);
    void *context;
};

struct tp_comparison {
    struct tp_diff_side sides[TP_SIDES];
    struct tp_compare compare;
};

/* Reads both sides. Each path is a trace, a .tps file, or a folder of traces or .tps files. The caller closes the
 * comparison even after a failure. Returns the result of tp_summaries_load; the error message begins with the name of
 * the side. */
int tp_comparison_open(struct tp_comparison *comparison, const char *const paths[TP_SIDES],
                       const struct tp_diff_read *how, struct tp_error *err);
/* Reads only the base. The caller adds runs to the new side with tp_comparison_add, and closes the comparison even
 * after a failure. name: name of the new side, borrowed. Returns the result of tp_summaries_load. */
int tp_comparison_open_base(struct tp_comparison *comparison, const char *path, const char *name,
                            const struct tp_diff_read *how, struct tp_error *err);
void tp_comparison_close(struct tp_comparison *comparison);

/* Adds a run to the new side. file, analysis: trace file of the run and its analysis. Returns 0, TP_ENOMEM or
 * TP_ELIMIT. */
int tp_comparison_add(struct tp_comparison *comparison, const struct tp_run_file *file,
                      const struct tp_analysis *analysis, struct tp_error *err);

/* Compares the two sides and fills comparison->compare. Allocates from `arena`, whose guard the caller sets. */
void tp_comparison_build(struct tp_comparison *comparison, const struct tp_compare_options *options,
                         struct tp_arena *arena);

#endif
