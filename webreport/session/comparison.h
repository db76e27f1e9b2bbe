/* Two sides compared: their runs read and packed, with their call trees.
 *
 * A side is read trace by trace, and what stays of a trace is its summary and its call tree: memory holds one trace,
 * whatever the number of runs. */
#ifndef TP_WEBREPORT_SESSION_COMPARISON_H
#define TP_WEBREPORT_SESSION_COMPARISON_H

#include "webreport/compare/two/compare.h"
#include "webreport/session/console.h"
#include "webreport/session/summaries.h"

/* The runs of a side with their call trees; everything lives in `arena`. */
struct tp_diff_side {
    struct tp_arena arena;
    struct tp_summaries summaries;
    struct tp_vec runs;  /* struct tp_summary: of a side that is filled run by run, behind `summaries` */
    struct tp_vec trees; /* struct tp_calltree by summary of a trace; those of files have none */
    const char *name;
    int tree_code; /* 0, or why a tree could not be kept */
    int code;      /* of loading; then `err` */
    struct tp_error err;
};

struct tp_diff_read {
    struct tp_trace_options read;
    const struct tp_rule_overrides *rules; /* NULL: the defaults */
    struct tp_console *console;
    bool has_trees;
};

struct tp_comparison {
    struct tp_diff_side sides[TP_SIDES];
    struct tp_compare compare;
};

/* Reads both sides, each a trace, a .tps file or a folder of either. To be closed in any case. Returns 0 or what
 * tp_summaries_load does, with the side's name before the reason. */
int tp_comparison_open(struct tp_comparison *comparison, const char *const paths[TP_SIDES],
                       const struct tp_diff_read *how, struct tp_error *err);
/* The same of the base alone; the runs of the new side, whose name is borrowed, are added one by one. */
int tp_comparison_open_base(struct tp_comparison *comparison, const char *path, const char *name,
                            const struct tp_diff_read *how, struct tp_error *err);
void tp_comparison_close(struct tp_comparison *comparison);

/* Adds a run to the new side. Returns 0, TP_ENOMEM, TP_ELIMIT. */
int tp_comparison_add(struct tp_comparison *comparison, const struct tp_run_file *file,
                      const struct tp_analysis *analysis, struct tp_error *err);

/* Compares in `arena` (guard set by the caller): comparison->compare. */
void tp_comparison_build(struct tp_comparison *comparison, const struct tp_compare_options *options,
                         struct tp_arena *arena);

#endif
