/* Resident memory of all processes of a program over time. */
#ifndef TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_MEMORY_H
#define TP_WEBREPORT_MEASURE_PROGRAM_PROGRAM_MEMORY_H

#include "webreport/model/process_tree.h"

struct tp_memory_sums {
    /* points of the curve, sorted by time: ns and bytes. A point of a long curve is the largest value of its
     * interval */
    int64_t *times, *bytes;
    size_t count;
    int64_t peak_bytes; /* largest point of the curve, bytes; TP_NULL_INT without memory readings */
};

/* Computes the curve of memory. Each point is the sum of the last readings of all living processes. The curve has about
 * max_points points at most, in `arena` (guard set by the caller). */
void tp_program_memory_sums(struct tp_memory_sums *sums, const struct tp_process_tree *tree, size_t max_points,
                            struct tp_arena *arena);

#endif
