/* Compares two sides: reads the runs of each and keeps their summaries and call trees.
 *
 * A side is read trace by trace, and only the summary and the call tree of each trace are kept: one trace is in memory
 * at a time, regardless of the number of runs. */
#ifndef TP_WEBREPORT_SESSION_COMPARISON_H
#define TP_WEBREPORT_SESSION_COMPARISON_H

#include "webreport/compare/two/compare.h"
#include "webreport/session/console.h"
#include "webreport/session/summaries.h"

/* The runs of a side with their call trees; everything lives in `arena`. */
struct tp_diff_side {
    struct tp_arena arena;
    struct tp_summaries summaries;
    struct tp_vec runs;  /* struct tp_summary: runs added one by one, after those in `summaries` */
    struct tp_vec trees; /* struct tp_calltree, by summary of a trace; summaries from files have no tree */
    const char *name;
    int tree_code; /* 0, or the status of a tree that could not be kept */
    int code;      /* status of loading; if negative, `err` has the reason */
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

/* Reads both sides, each a trace, a .tps file or a folder of either. The caller closes it even after a failure. Returns
 * the result of tp_summaries_load; the name of the side precedes the reason. */
int tp_comparison_open(struct tp_comparison *comparison, const char *const paths[TP_SIDES],
                       const struct tp_diff_read *how, struct tp_error *err);
/* Reads only the base; the caller adds the runs of the new side with tp_comparison_add. Borrows `name`, the name of the
 * new side. Otherwise like tp_comparison_open. */
int tp_comparison_open_base(struct tp_comparison *comparison, const char *path, const char *name,
                            const struct tp_diff_read *how, struct tp_error *err);
void tp_comparison_close(struct tp_comparison *comparison);

/* Adds a run to the new side. Returns 0, TP_ENOMEM, TP_ELIMIT. */
int tp_comparison_add(struct tp_comparison *comparison, const struct tp_run_file *file,
                      const struct tp_analysis *analysis, struct tp_error *err);

/* Compares the sides and fills comparison->compare, in `arena` (guard set by the caller). */
void tp_comparison_build(struct tp_comparison *comparison, const struct tp_compare_options *options,
                         struct tp_arena *arena);

#endif
