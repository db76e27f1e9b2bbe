/* One side of a comparison: its runs read and packed, with their call trees. */
#ifndef TP_WEBREPORT_SESSION_DIFF_SIDE_H
#define TP_WEBREPORT_SESSION_DIFF_SIDE_H

#include "webreport/compare/compare.h"
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

/* Reads a trace, a .tps file or a folder of either. Always to be closed; side->code is what it returns. */
int tp_diff_side_load(struct tp_diff_side *side, const char *path, const struct tp_diff_read *options);
void tp_diff_side_close(struct tp_diff_side *side);

/* Keeps the call tree of an analysed trace as that of the next summary. Always returns; what failed is in
 * side->tree_code. Guard of side->arena set by the caller. */
void tp_diff_side_keep_tree(struct tp_diff_side *side, const struct tp_analysis *analysis);

/* What a comparison takes. NULL trees unless every summary has one. */
struct tp_side_input tp_diff_side_input(const struct tp_diff_side *side);
const struct tp_calltree *tp_diff_side_trees(const struct tp_diff_side *side);

#endif
