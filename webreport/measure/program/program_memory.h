/* Resident memory of all processes of a program over time. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_MEMORY_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_MEMORY_H

#include "webreport/model/process_tree.h"

struct tp_memory_sums {
    int64_t *times, *bytes; /* in order of time; a point of a long curve is the largest value of its stretch */
    size_t count;
    int64_t peak_bytes; /* largest sum; TP_NULL_INT without looks */
};

/* Adds up, at each look, the memory of each living process at its last look. At most max_points points; memory comes
 * from `arena` (guard set by the caller). */
void tp_program_memory_sums(struct tp_memory_sums *sums, const struct tp_process_tree *tree, size_t max_points,
                            struct tp_arena *arena);

#endif
