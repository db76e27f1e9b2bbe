/* Pairs the communication kernels of several ranks, and aligns the clocks of the ranks at their ends
 * (docs/definitions.md, section 37, "Several ranks"). */
#ifndef TP_WEBREPORT_WHAT_IF_JOINED_COLLECTIVES_H
#define TP_WEBREPORT_WHAT_IF_JOINED_COLLECTIVES_H

#include "webreport/what_if/replay_graph.h"

/* The collectives that all ranks have. Collective c of rank r has the index c * rank_count + r in `nodes`. */
struct tp_joined_collectives {
    uint32_t count;
    uint32_t *nodes;      /* the kernel: node in the graph of its rank */
    int64_t *shift_ns;    /* for each rank: time that is added to its times, ns */
    int64_t *transfer_ns; /* for each collective: shortest time that a rank spends in it, ns */
    bool is_matched;      /* true if all ranks have the same collectives, at least one */
};

/* Fills *found for the graphs of `rank_count` ranks. Kernels belong together if they have the same process group
 * (without a group: the same stream), the same name up to "(", and the same number in this sequence. If the ranks
 * differ, only is_matched is set. All memory comes from `arena`, whose guard must be set. */
void tp_joined_collectives_find(struct tp_joined_collectives *found, const struct tp_replay_graph *graphs,
                                uint32_t rank_count, struct tp_arena *arena);

#endif
