/* Prices the changes that a command asks for, and keeps the smallest gain of each for `check`. */
#ifndef TP_WEBREPORT_MEASURE_RESULT_PRICED_CHANGES_H
#define TP_WEBREPORT_MEASURE_RESULT_PRICED_CHANGES_H

#include "webreport/what_if/fix.h"
#include "webreport/what_if/joined_graph.h"
#include "webreport/what_if/what_if_view.h"

/* Changes that a command asks for, as tp_change_parse reads them. The caller owns the texts. */
struct tp_asked_changes {
    const struct tp_str *texts;
    size_t count;                        /* 0: the usual changes */
    uint64_t most_nodes;                 /* with more activities, only a part of the trace is replayed; 0: no limit */
    const struct tp_fix_question *fixes; /* fixes to price; NULL: none */
    bool wants_times;                    /* true: answers have the times in which their changes act */
};

/* The smallest gain of a change per step. */
struct tp_change_gain {
    struct tp_str change;
    int64_t low_ns;  /* TP_NULL_INT: unknown */
    const char *why; /* why the trace has no answer for this change; NULL if it has one, or if no change has one */
};

struct tp_change_gains {
    struct tp_change_gain *items; /* in the order of the asked changes */
    uint32_t count;
};

/* The answers for one profile, or for several joined ranks of a job. A withheld profile has no answers. */
struct tp_what_if_profile {
    struct tp_str label, file; /* label: RUN/WORKER; file: base name of the input; for joined ranks, both are empty */
    const struct tp_rank_model *ranks; /* joined ranks; NULL: one profile */
    uint32_t rank_count;
    bool is_one_of_many;    /* true if the input has several profiles */
    bool are_changes_usual; /* true if the answers are those of the usual changes */
    const struct tp_what_if_view *view;
};

/* Name of the change that makes all work of the host free. */
#define TP_CHANGE_HOST_FREE "graph=0"

/* Replays a trace and prices changes. The graph needs much memory, which is released afterwards. Returns 0, or a
 * negative status with *err if one of the asked changes cannot be read. The guard of `arena` must be set. */
int tp_changes_price(struct tp_what_if_view *result, const struct tp_model *model, const struct tp_asked_changes *asked,
                     struct tp_arena *arena, struct tp_error *err);

/* Does the same for several ranks of a job, whose graphs are joined. ranks: at least two, by number. */
int tp_changes_price_ranks(struct tp_what_if_view *result, const struct tp_rank_model *ranks, uint32_t count,
                           const struct tp_asked_changes *asked, struct tp_arena *arena, struct tp_error *err);

/* Prices TP_CHANGE_HOST_FREE and the asked changes. A change that cannot be read has no gain, but a reason. The guard
 * of `arena` must be set. */
void tp_change_gains_build(struct tp_change_gains *gains, struct tp_what_if_view *view, const struct tp_model *model,
                           const struct tp_asked_changes *asked, struct tp_arena *arena);

#endif
