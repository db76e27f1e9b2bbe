/* The call trees of both sides as one: equal paths are one node, with what it took on each side, per step. A function
 * whose line moved is equal to itself (trace/frame_pairs.h) and is called as in NEW. */
#ifndef TP_WEBREPORT_COMPARE_TWO_DIFFTREE_H
#define TP_WEBREPORT_COMPARE_TWO_DIFFTREE_H

#include "webreport/compare/sides.h"
#include "webreport/measure/charts/calltree.h"

struct tp_diffcall {
    struct tp_str name;
    double ns[TP_SIDES]; /* per step: device time when has_device, else host time; with everything below */
    double calls[TP_SIDES];
    uint32_t parent, subtree_end; /* the nodes below are [i + 1, subtree_end) */
    uint16_t depth;
    uint8_t kind; /* enum tp_call_kind */
};

struct tp_difftree {
    struct tp_diffcall *calls; /* depth first; children by the greater time of both sides, then name; 0: the root */
    uint32_t count;            /* 0: nothing to show */
    bool has_device;
    double largest; /* greatest change (ns, absolute) of a node that is not the root */
};

enum { TP_DIFFTREE_NODES = 4000 }; /* asked of each call tree, so that small nodes meet their equals */

/* Merges the trees of every run of both sides in `arena`. trees[side]: an array of run_count trees, or NULL: no tree at
 * all. Names are borrowed from the trees. */
void tp_difftree_build(struct tp_difftree *tree, const struct tp_sides *sides,
                       const struct tp_calltree *const trees[TP_SIDES], struct tp_arena *arena);

/* A copy of a call tree that outlives its trace: nodes and names in `arena`. */
void tp_calltree_keep(struct tp_calltree *kept, const struct tp_calltree *tree, struct tp_arena *arena);

#endif
