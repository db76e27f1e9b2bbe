/* Sorted lists of host events (by thread), device operations and memory records, as indexes in tp_trace.events.
 *
 * Host events are in the order of the tree. They are sorted by start. Of equal starts, calls of the runtime are last,
 * and longer events come before shorter ones. Then come Python frames and modules before annotations before operators,
 * and finally the position in the file. So an event comes after all events around it. Device operations and memory
 * records are sorted by start, then by position in the file. */
#ifndef TP_WEBREPORT_MODEL_ORDER_H
#define TP_WEBREPORT_MODEL_ORDER_H

#include "webreport/trace/trace.h"

struct tp_order {
    uint32_t *host; /* operators, annotations, runtime calls, frames and modules, grouped by thread */
    uint32_t host_count;
    /* first event of each thread: thread t owns host[thread_first[t] .. thread_first[t + 1]); thread_count + 1 entries
     */
    uint32_t *thread_first;
    uint32_t *device; /* kernels, copies, sets */
    uint32_t device_count;
    uint32_t *memory; /* memory records, as indexes in tp_trace.memory */
};

/* Builds the sorted lists in `arena`. */
void tp_order_build(struct tp_order *order, const struct tp_trace *trace, struct tp_arena *arena);

/* Sorts indexes of events by (start, end descending, position in the file). Fast if the events are nearly sorted. */
void tp_order_sort(const struct tp_trace *trace, uint32_t *indexes, uint32_t count, struct tp_arena *arena);

/* Compares two pids or tids; numbers come before texts. Returns <0, 0 or >0. */
int tp_row_id_compare(const struct tp_row_id *x, const struct tp_row_id *y);

/* Compares two threads by (pid, tid); numbers come before texts. Returns <0, 0 or >0. */
int tp_thread_compare(const struct tp_thread *x, const struct tp_thread *y);

#endif
