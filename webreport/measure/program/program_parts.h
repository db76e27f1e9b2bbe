/* The wall time of a tree of processes, cut so that its parts add up to it: running where any thread of the tree runs;
 * else ready where any is ready; else what comes first in the order of enum tp_wait_cause among what its threads wait
 * for. Time in which no thread lives is none. docs/definitions.md section 23. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_PARTS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_PARTS_H

#include "webreport/model/process_tree.h"

enum { TP_WALL_RUNNING, TP_WALL_READY, TP_WALL_WAITS, TP_WALL_COUNT = TP_WALL_WAITS + TP_WAIT_COUNT };

struct tp_wall_parts {
    int64_t wall_ns, part_ns[TP_WALL_COUNT]; /* from TP_WALL_WAITS on: by enum tp_wait_cause */
    int64_t busy_ns;                         /* of all threads that run, added up */
    /* Nobody runs or is ready, somebody waits for events or a signal, and the others for no more than a lock, a child
     * or their end, or nobody knows what: the workers of a server that has nothing to do wait for locks. */
    int64_t idle_ns;
};

void tp_wall_parts_build(struct tp_wall_parts *parts, const struct tp_process_tree *tree, struct tp_arena *arena);

/* "running", "ready", "disk" .. Static. */
const char *tp_wall_part_text(unsigned part);

/* Percent of the wall; 0 without any. */
double tp_wall_share(const struct tp_wall_parts *parts, unsigned part);

/* The parts that are not 0, the largest first, equal ones in their order; returns how many. */
unsigned tp_wall_parts_order(const struct tp_wall_parts *parts, unsigned order[TP_WALL_COUNT]);

#endif
