/* The wall time of a tree of processes, split into parts that add up to it: running while any thread of the tree runs;
 * else ready while any thread is ready; else the first cause, in the order of enum tp_wait_cause, that one of its
 * threads waits for. Time without a live thread does not count. docs/definitions.md section 23. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_PARTS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_PARTS_H

#include "webreport/model/process_tree.h"

enum { TP_WALL_RUNNING, TP_WALL_READY, TP_WALL_WAITS, TP_WALL_COUNT = TP_WALL_WAITS + TP_WAIT_COUNT };

struct tp_wall_parts {
    int64_t wall_ns, part_ns[TP_WALL_COUNT]; /* from TP_WALL_WAITS on: by enum tp_wait_cause */
    int64_t busy_ns;                         /* running time, summed over all threads */
    /* Time in which no thread runs or is ready, some thread waits for events or a signal, and all others wait for a
     * lock, a child or their end, or for an unknown cause: the workers of a server without work wait for locks. */
    int64_t idle_ns;
};

void tp_wall_parts_build(struct tp_wall_parts *parts, const struct tp_process_tree *tree, struct tp_arena *arena);

/* Returns "running", "ready", "disk" and so on. Static. */
const char *tp_wall_part_text(unsigned part);

/* Returns a part in percent of the wall time; 0 if that is 0. */
double tp_wall_share(const struct tp_wall_parts *parts, unsigned part);

/* Fills `order` with the parts that are not 0, largest first; ties: in order of their numbers. Returns their number. */
unsigned tp_wall_parts_order(const struct tp_wall_parts *parts, unsigned order[TP_WALL_COUNT]);

#endif
