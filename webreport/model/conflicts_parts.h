/* Declares the functions that count each kind of conflict for conflicts.c, and the data that their files share. */
#ifndef TP_WEBREPORT_MODEL_CONFLICTS_PARTS_H
#define TP_WEBREPORT_MODEL_CONFLICTS_PARTS_H

#include "webreport/model/order.h"
#include "webreport/trace/trace.h"

/* Returns the number of records that contradict the totals or the order of the device's other records. */
uint64_t tp_conflicts_of_memory(const struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena);

/* Returns the number of events with an impossible process, thread, device, stream or time. */
uint64_t tp_conflicts_of_rows(const struct tp_trace *trace, const struct tp_order *order, struct tp_arena *arena);

/* Returns the number of operators whose matrices do not fit, plus the number of type lists with a misspelled type. */
uint64_t tp_conflicts_of_shapes(const struct tp_trace *trace, struct tp_arena *arena);

/* Use of each name: number of events and their kinds. Arrays are indexed by name id. */
struct tp_name_use {
    uint32_t *count;
    uint16_t *kinds; /* bit k is set if an event of kind k (enum tp_kind) has the name */
};

/* Kernels grouped by name. The kernels of name n are rows[first[n]] to rows[first[n + 1] - 1], as indexes in
 * trace->devices. */
struct tp_name_kernels {
    uint32_t *first, *rows; /* NULL until one of the functions below needs the groups */
};

/* Returns whether the only kernel of a name has recorded its grid, block, registers and shared memory. */
bool tp_name_has_setup(struct tp_name_kernels *kernels, const struct tp_trace *trace, uint32_t name,
                       struct tp_arena *arena);

/* Returns whether the only kernel of `name` has the same grid, block, registers and shared memory as a kernel of
 * `other`. */
bool tp_name_has_equal_setup(struct tp_name_kernels *kernels, const struct tp_trace *trace, uint32_t name,
                             uint32_t other, struct tp_arena *arena);

/* Returns the memory of the groups to the arena. */
void tp_name_kernels_drop(struct tp_name_kernels *kernels, const struct tp_trace *trace, struct tp_arena *arena);

/* Sets is_found[id] for each misspelled name. Only names of a single event are checked. */
void tp_conflicts_find_misspelled(bool *is_found, const struct tp_trace *trace, const struct tp_name_use *use,
                                  struct tp_name_kernels *kernels, struct tp_arena *arena);

/* Returns the number of events whose name is cut or misspelled, or contradicts another name. */
uint64_t tp_conflicts_of_names(const struct tp_trace *trace, const struct tp_name_use *use, struct tp_arena *arena);

/* Returns `odd` if few of `count` events break a rule (less than 5 %, or one of at least eight), otherwise 0. */
static inline uint64_t tp_conflicts_count_few(uint64_t odd, uint64_t count)
{
    enum { ONE_IN = 20, LEAST = 8 };
    return odd * ONE_IN < count || (odd == 1 && count >= LEAST) ? odd : 0;
}

#endif
