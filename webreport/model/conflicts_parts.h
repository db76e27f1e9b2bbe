/* The kinds of conflicts, each in a file of its own, for conflicts.c; and what these files share. */
#ifndef TP_WEBREPORT_MODEL_CONFLICTS_PARTS_H
#define TP_WEBREPORT_MODEL_CONFLICTS_PARTS_H

#include "webreport/model/order.h"
#include "webreport/trace/trace.h"

/* Returns the number of records that contradict the totals or the order of the device's other records. */
uint64_t tp_conflicts_of_memory(const struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena);

/* Returns the number of events that are in a row, or at a time, where they cannot be. */
uint64_t tp_conflicts_of_rows(const struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena);

/* Returns the number of operators whose matrices do not fit, and of lists of types with a misspelt one. */
uint64_t tp_conflicts_of_shapes(const struct tp_trace *trace, struct tp_arena *arena);

/* Events by name: how many, and of which kinds. Arrays by id of the name. */
struct tp_name_use {
    uint32_t *count;
    uint16_t *kinds; /* bit k: an event of kind k (enum tp_kind) has the name */
};

/* Kernels by name: those of name n are rows[first[n]] to rows[first[n + 1] - 1], as indexes in trace->devices. */
struct tp_name_kernels {
    uint32_t *first, *rows; /* NULL until a function below needs them */
};

/* Returns whether the one kernel of a name says its grid, block, registers and shared memory. */
bool tp_name_knows_setup(struct tp_name_kernels *kernels, const struct tp_trace *trace, uint32_t name,
                         struct tp_arena *arena);

/* Returns whether the one kernel of a name has the same grid, block, registers and shared memory as a kernel of the
 * other name. */
bool tp_name_runs_alike(struct tp_name_kernels *kernels, const struct tp_trace *trace, uint32_t name, uint32_t other,
                        struct tp_arena *arena);

/* Gives the memory of the kernels back. */
void tp_name_kernels_drop(struct tp_name_kernels *kernels, const struct tp_trace *trace, struct tp_arena *arena);

/* Sets is_found[id] of each name that one event alone has and that is misspelt. */
void tp_conflicts_find_misspelt(bool *is_found, const struct tp_trace *trace, const struct tp_name_use *use,
                                struct tp_name_kernels *kernels, struct tp_arena *arena);

/* Returns the number of events whose name lost its end or is misspelt, or whose name another name contradicts. */
uint64_t tp_conflicts_of_names(const struct tp_trace *trace, const struct tp_name_use *use, struct tp_arena *arena);

/* Returns `odd` when few of `count` events break a rule, else 0. One event is few of eight. */
static inline uint64_t tp_conflicts_if_few(uint64_t odd, uint64_t count)
{
    enum { ONE_IN = 20, LEAST = 8 };
    return odd * ONE_IN < count || (odd == 1 && count >= LEAST) ? odd : 0;
}

#endif
