/* Makes sorted lists of host events by thread, of device operations and of memory records.
 *
 * Host events are in the order of the host tree, so that an event comes after all events around it. They are sorted by
 * start. Among events with equal starts, runtime calls come last, and longer events come before shorter events. The
 * next criteria are the kind (Python frames and modules, annotations, operators) and the position in the file. Device
 * operations and memory records are sorted by start, then by position in the file. */
#ifndef TP_WEBREPORT_MODEL_ORDER_H
#define TP_WEBREPORT_MODEL_ORDER_H

#include "webreport/trace/trace.h"

struct tp_order {
    uint32_t *host; /* operators, annotations, runtime calls, frames and modules, grouped by thread */
    uint32_t host_count;
    /* for each thread: index in `host` of its first event; thread_count + 1 entries, the last of which is the end of
     * `host` */
    uint32_t *thread_first;
    uint32_t *device; /* kernels, copies and memory sets, indexes in tp_trace.events */
    uint32_t device_count;
    uint32_t *memory; /* memory records, indexes in tp_trace.memory */
};

/* Builds the sorted lists in `arena`. */
void tp_order_build(struct tp_order *order, const struct tp_trace *trace, struct tp_arena *arena);

/* Sorts indexes of events by (start, end descending, position in the file). Fast if the indexes are nearly sorted. */
void tp_order_sort(const struct tp_trace *trace, uint32_t *indexes, uint32_t count, struct tp_arena *arena);

/* Returns the position in order->host of the first event of a thread that starts at or after `at`, ns. */
uint32_t tp_order_first_from(const struct tp_order *order, const struct tp_trace *trace, uint32_t thread, int64_t at);

/* Compares two pids or two tids. Numbers come before texts. Returns <0, 0 or >0. */
int tp_row_id_compare(const struct tp_row_id *x, const struct tp_row_id *y);

/* Compares two threads by pid, then by tid. Numbers come before texts. Returns <0, 0 or >0. */
int tp_thread_compare(const struct tp_thread *x, const struct tp_thread *y);

#endif
