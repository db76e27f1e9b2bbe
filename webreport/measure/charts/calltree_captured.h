/* Adds the stacks of captured calls to the call tree, below the nodes that launch graphs. Private to the call tree
 * view. */
#ifndef TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_CAPTURED_H
#define TP_WEBREPORT_MEASURE_CHARTS_CALLTREE_CAPTURED_H

#include "webreport/measure/charts/calltree_nodes.h"

struct tp_captured_tree {
    struct tp_merge *merge;
    struct tp_strings texts; /* texts of the entries of stacks */
    struct tp_keys entries;  /* pairs (kind, text) */
    struct tp_vec labels;    /* for each pair: label, or TP_MERGE_SKIPPED; elements: uint32_t */
    struct tp_keys known;    /* pairs (launching node, captured call) */
    struct tp_vec nodes;     /* for each pair: innermost node of the captured stack; elements: uint32_t */
    struct tp_vec frames;    /* working memory; elements: struct tp_captured_frame */
    uint32_t mark;           /* label of the node above captured stacks */
};

/* Prepares the stacks of a merge. Allocates only if the trace has joined operations. */
void tp_captured_tree_init(struct tp_captured_tree *tree, struct tp_merge *merge);

/* Returns the node of a device operation's captured call, below a node that marks captured data, below `launch`.
 * Returns `launch` if the operation was not joined. device: index in devices. */
uint32_t tp_captured_tree_descend(struct tp_captured_tree *tree, uint32_t launch, uint32_t device);

#endif
