/* Splits the wall time of a tree of processes into parts that add up to it (docs/definitions.md, section 23).
 *
 * Time is "running" while any thread of the tree runs, and otherwise "ready" while any thread is ready. Other time
 * belongs to the first cause, in the order of enum tp_wait_cause, for which a thread waits. Wall time excludes time
 * without a live thread. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_PARTS_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_PARTS_H

#include "webreport/model/process_tree.h"

enum { TP_WALL_RUNNING, TP_WALL_READY, TP_WALL_WAITS, TP_WALL_COUNT = TP_WALL_WAITS + TP_WAIT_COUNT };

struct tp_wall_parts {
    /* lengths, ns; parts from TP_WALL_WAITS on have the order of enum tp_wait_cause */
    int64_t wall_ns, part_ns[TP_WALL_COUNT];
    int64_t busy_ns; /* running time, summed over all threads, ns */
    /* Time in which no thread runs or is ready, and at least one thread waits for events or a signal, ns. All other
     * threads wait for a lock, a child, its exit, or an unknown cause. An idle server is in this state, because its
     * workers wait for locks. */
    int64_t idle_ns;
};

void tp_wall_parts_build(struct tp_wall_parts *parts, const struct tp_process_tree *tree, struct tp_arena *arena);

/* Returns the part to which a slice of a thread belongs while no other thread decides. */
unsigned tp_wall_part_of_slice(const struct tp_thread_slice *slice);

/* Returns the name of a part in JSON, such as "running", "ready" or "disk". The text is static. */
const char *tp_wall_part_text(unsigned part);

/* Returns a part as a percentage of the wall time; 0 if the wall time is 0. */
double tp_wall_part_percent(const struct tp_wall_parts *parts, unsigned part);

/* Fills `order` with the parts that are not 0, largest first, then by number. Returns the number of these parts. */
unsigned tp_wall_parts_sort(const struct tp_wall_parts *parts, unsigned order[TP_WALL_COUNT]);

#endif
