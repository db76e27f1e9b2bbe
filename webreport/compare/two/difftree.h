/* Merges the call trees of both sides: equal paths become one node with its times per step on each side. A function
 * whose line moved is the same function (trace/frame_pairs.h) and has its name in NEW. */
#ifndef TP_WEBREPORT_COMPARE_TWO_DIFFTREE_H
#define TP_WEBREPORT_COMPARE_TWO_DIFFTREE_H

#include "webreport/compare/sides.h"
#include "webreport/measure/charts/calltree.h"

struct tp_diffcall {
    struct tp_str name;
    double ns[TP_SIDES]; /* time per step including children: device time if has_device, else host time */
    double calls[TP_SIDES];
    uint32_t parent, subtree_end; /* descendants of node i are [i + 1, subtree_end) */
    uint16_t depth;
    uint8_t kind; /* enum tp_call_kind */
};

struct tp_difftree {
    struct tp_diffcall *calls; /* depth first, root first; children by the larger time of both sides, then name */
    uint32_t count;            /* 0 if a side has no tree */
    bool has_device;
    double largest; /* greatest change (ns, absolute) of a node that is not the root */
};

enum { TP_DIFFTREE_NODES = 4000 }; /* nodes of each call tree; enough to match small nodes */

/* Merges the trees of every run of both sides in `arena`. trees[side]: an array of run_count trees, or NULL. Names are
 * borrowed from the trees. */
void tp_difftree_build(struct tp_difftree *tree, const struct tp_sides *sides,
                       const struct tp_calltree *const trees[TP_SIDES], struct tp_arena *arena);

/* Copies a call tree, with nodes and names in `arena`, so that it outlives its trace. */
void tp_calltree_keep(struct tp_calltree *kept, const struct tp_calltree *tree, struct tp_arena *arena);

#endif
