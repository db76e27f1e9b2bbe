/* Merges the call trees of both sides. Equal paths become one node, with its time per step on each side. A function
 * whose line moved is the same function (trace/frame_pairs.h) and has its name in NEW. */
#ifndef TP_WEBREPORT_COMPARE_TWO_DIFFTREE_H
#define TP_WEBREPORT_COMPARE_TWO_DIFFTREE_H

#include "webreport/compare/numbered_kernels.h"
#include "webreport/measure/charts/calltree.h"

struct tp_diffcall {
    struct tp_str name;
    double ns[TP_SIDES]; /* time per step, including children, ns; device time if has_device is set, else host time */
    double calls[TP_SIDES];
    uint32_t parent, subtree_end; /* the descendants of node i are nodes i + 1 to subtree_end - 1 */
    uint16_t depth;
    uint8_t kind; /* value of enum tp_call_kind */
};

struct tp_difftree {
    /* nodes in depth-first order from the root; children are sorted by the larger time of both sides, then by name */
    struct tp_diffcall *calls;
    uint32_t count; /* number of nodes; 0 if a side has no tree */
    bool has_device;
    double largest; /* largest absolute change of any node except the root, ns */
};

/* largest number of nodes in a call tree; this is enough to match nodes with little time */
enum { TP_DIFFTREE_NODES = 4000 };

/* Merges the trees of all runs of both sides. trees[side]: one tree per run, or NULL. renamed: new names of generated
 * kernels. Names are borrowed from the trees. Allocates from `arena`. */
void tp_difftree_build(struct tp_difftree *tree, const struct tp_sides *sides,
                       const struct tp_calltree *const trees[TP_SIDES], const struct tp_numbered_runs *renamed,
                       struct tp_arena *arena);

/* Copies a call tree with its nodes and names into `arena`, so that it outlives its trace. */
void tp_calltree_copy(struct tp_calltree *kept, const struct tp_calltree *tree, struct tp_arena *arena);

#endif
