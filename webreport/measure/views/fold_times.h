/* Sums time by the fold of the stack: the line, range or call that represents the whole stack
 * (webreport/model/stack_walk.h). The sums show what the host does most of the time. */
#ifndef TP_WEBREPORT_MEASURE_VIEWS_FOLD_TIMES_H
#define TP_WEBREPORT_MEASURE_VIEWS_FOLD_TIMES_H

#include "webreport/model/stack_walk.h"

struct tp_fold_times {
    struct tp_id_map rows;
    struct tp_vec items; /* elements: struct tp_fold_time, in the order in which folds first appear */
};

struct tp_fold_time {
    struct tp_fold fold;
    int64_t ns;
};

void tp_fold_times_init(struct tp_fold_times *times, struct tp_arena *arena);

/* Adds a segment of a stack walk to its fold. The function can be used as tp_stack_visit. times: a struct
 * tp_fold_times. */
void tp_fold_times_add(void *times, const struct tp_stack_segment *segment);

/* Returns the fold with the most time. If several folds have the most time, returns the first of them by kind and text.
 * If there are no folds, returns "[no host event]" with 0 ns. */
struct tp_fold_time tp_fold_times_longest(const struct tp_fold_times *times, const struct tp_model *model);

#endif
