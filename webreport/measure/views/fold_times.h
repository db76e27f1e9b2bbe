/* Sums time by fold of the stack (webreport/model/stack_walk.h), to find the line, range or call of the host with most
 * time. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_FOLD_TIMES_H
#define TP_WEBREPORT_MEASURE_VIEWS_FOLD_TIMES_H

#include "webreport/model/stack_walk.h"

struct tp_fold_times {
    struct tp_id_map rows;
    struct tp_vec items; /* struct tp_fold_time, in the order of first appearance */
};

struct tp_fold_time {
    struct tp_fold fold;
    int64_t ns;
};

void tp_fold_times_init(struct tp_fold_times *times, struct tp_arena *arena);

/* Adds a segment of a walk; times: a struct tp_fold_times. A tp_stack_visit. */
void tp_fold_times_add(void *times, const struct tp_stack_segment *segment);

/* Returns the fold with the longest time (ties: the first by kind and text); "[no host event]" and 0 without folds. */
struct tp_fold_time tp_fold_times_longest(const struct tp_fold_times *times, const struct tp_model *model);

#endif
