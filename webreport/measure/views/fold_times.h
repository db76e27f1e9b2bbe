/* Sums time by fold of the stack (webreport/model/stack_walk.h), to find the line, range or call of the host that takes
 * most time. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_FOLD_TIMES_H
#define TP_WEBREPORT_MEASURE_VIEWS_FOLD_TIMES_H

#include "webreport/model/stack_walk.h"

struct tp_fold_times {
    struct tp_id_map rows;
    struct tp_vec items; /* struct tp_fold_time in the order of first appearance */
};

struct tp_fold_time {
    struct tp_fold fold;
    int64_t ns;
};

void tp_fold_times_init(struct tp_fold_times *times, struct tp_arena *arena);

/* Adds a segment of a walk. Its type is tp_stack_visit. times: a struct tp_fold_times. */
void tp_fold_times_add(void *times, const struct tp_stack_segment *segment);

/* Returns the fold with the longest time; of several, the first by kind and text. Returns "[no host event]" and 0 if
 * there are no folds. */
struct tp_fold_time tp_fold_times_longest(const struct tp_fold_times *times, const struct tp_model *model);

#endif
