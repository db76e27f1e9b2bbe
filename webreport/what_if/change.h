/* Changes of a program that a replay can price: some parts of nodes take less time, some edges go away.
 *
 * A change multiplies durations by a fraction. It never changes the graph, the order or the contention of the work.
 * docs/definitions.md, section "What if", lists the changes and their texts. */
#ifndef TP_WEBREPORT_WHAT_IF_CHANGE_H
#define TP_WEBREPORT_WHAT_IF_CHANGE_H

#include "webreport/what_if/fix.h"

/* A factor; den > 0. x * factor is x * num / den, rounded down. */
struct tp_fraction {
    int64_t num, den;
};

struct tp_what_if_change {
    struct tp_str name; /* as the user writes it: "kernel:gemm=1/2" */
    struct tp_str text; /* what it means: "kernel gemm at 1/2" */
    /* factor of each label; NULL: all factors are 1 */
    struct tp_fraction *of_label;
    /* factor of each node, which replaces those of its labels; den 0: none; NULL: none for all nodes */
    struct tp_fraction *of_node;
    /* own cost of calls that wait, and edges to their ends: true for each node of a changed call; NULL: no call */
    bool *without_wait;
    unsigned dropped, prompt; /* bits 1 << enum tp_edge_reason: edges that go away; edges whose latency becomes 0 */
    /* for the high end of an operator's range: time that each node spends for the operator's calls, ns, and the factor
     * of this time; more_ns is NULL for all other changes */
    int64_t *more_ns;
    uint32_t more_count; /* number of items of more_ns; nodes without an item have no such time */
    struct tp_fraction more;
    uint32_t operator_name; /* name id of the operator of a change "operator:NAME"; TP_NO_ID for other changes */
    /* true if the window cannot become shorter than the communication */
    bool hides_communication;
    bool frees_communication;   /* true if kernels next to communication would also become faster */
    bool is_unsure;             /* true if the answer is only a rough estimate */
    struct tp_fix_choice fixes; /* the fixes that the change makes */
    /* for a joined graph: the change of each rank, made for the graph of the rank; NULL for the graph of one trace, and
     * for changes of one rank */
    const struct tp_what_if_change *of_rank;
    /* for a change of the device: factors of kernels with and without tensor cores; den 0 for other changes */
    struct tp_fraction tensor, memory;
};

/* Returns the latency of an edge after the change, ns. */
static inline int64_t tp_change_latency(const struct tp_what_if_change *change, const struct tp_replay_edge *edge)
{
    return change->prompt >> edge->reason & 1 ? 0 : edge->latency_ns;
}

#endif
