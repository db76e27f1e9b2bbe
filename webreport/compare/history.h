/* Stored runs in their order. */
#ifndef TP_WEBREPORT_COMPARE_HISTORY_H
#define TP_WEBREPORT_COMPARE_HISTORY_H

#include "webreport/measure/summary.h"

/* A stored run: what a `.tps` file holds, one process or the ranks of a job. */
struct tp_history_run {
    struct tp_str label; /* name of the file without .tps */
    const struct tp_summary *items;
    size_t count; /* above 0 */
};

/* Orders the runs: by the time they began where all tell a wall time, else by label. arena: scratch. */
void tp_history_sort(struct tp_history_run *runs, size_t count, struct tp_arena *arena);

#endif
