/* Declares functions for conflicts.c. Each function counts one kind of conflict. Also defines the data that the files
 * conflicts_*.c share. */
#ifndef TP_WEBREPORT_MODEL_CONFLICTS_PARTS_H
#define TP_WEBREPORT_MODEL_CONFLICTS_PARTS_H

#include "webreport/model/order.h"
#include "webreport/trace/trace.h"

/* Returns the number of memory records that contradict the totals or the order of other records of their device. */
uint64_t tp_conflicts_count_memory(const struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena);

/* Returns the number of events with an impossible process, thread, device, stream or time. */
uint64_t tp_conflicts_count_rows(const struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena);

/* Returns the number of operators that multiply matrices of unequal inner size, plus the number of type lists with a
 * misspelled type. */
uint64_t tp_conflicts_count_shapes(const struct tp_trace *trace, struct tp_arena *arena);

/* Number and kinds of the events of each name. The arrays are indexed by name id. */
struct tp_name_use {
    uint32_t *count;
    uint16_t *kinds; /* bit k is set if an event of the kind k (enum tp_kind) has the name */
};

/* The kernels grouped by name. The kernels with name id n are rows[first[n]] to rows[first[n + 1] - 1], as indexes in
 * trace->devices. */
struct tp_name_kernels {
    uint32_t *first, *rows; /* NULL until one of the functions below groups the kernels */
};

/* Returns true if the name has exactly one kernel, and the trace contains the kernel's grid, block, registers and
 * shared memory. */
bool tp_name_has_setup(struct tp_name_kernels *kernels, const struct tp_trace *trace, uint32_t name,
                       struct tp_arena *arena);

/* Returns true if `name` has exactly one kernel, and a kernel of `other` has the same grid, block, registers and
 * shared memory. */
bool tp_name_has_equal_setup(struct tp_name_kernels *kernels, const struct tp_trace *trace, uint32_t name,
                             uint32_t other, struct tp_arena *arena);

/* Releases the memory of the groups to the arena. */
void tp_name_kernels_free(struct tp_name_kernels *kernels, const struct tp_trace *trace, struct tp_arena *arena);

/* Sets is_found[id] for each misspelled name. Checks only names that have exactly one event. */
void tp_conflicts_find_misspelled(bool *is_found, const struct tp_trace *trace, const struct tp_name_use *use,
                                  struct tp_name_kernels *kernels, struct tp_arena *arena);

/* Returns the number of events whose name is truncated or misspelled, or contradicts another name. */
uint64_t tp_conflicts_count_names(const struct tp_trace *trace, const struct tp_name_use *use, struct tp_arena *arena);

/* Returns `odd`, the number of events that break a rule, if `odd` is small compared with `count`: less than 5 %, or 1
 * of at least 8. Otherwise returns 0, because this file probably does not follow the rule. */
static inline uint64_t tp_conflicts_count_if_few(uint64_t odd, uint64_t count)
{
    enum { ONE_IN = 20, LEAST = 8 };
    return odd * ONE_IN < count || (odd == 1 && count >= LEAST) ? odd : 0;
}

#endif
