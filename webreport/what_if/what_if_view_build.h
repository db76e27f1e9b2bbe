/* Validates the replay of a trace, and prices changes. */
#ifndef TP_WEBREPORT_WHAT_IF_WHAT_IF_VIEW_BUILD_H
#define TP_WEBREPORT_WHAT_IF_WHAT_IF_VIEW_BUILD_H

#include "webreport/what_if/change_make.h"
#include "webreport/what_if/fix.h"
#include "webreport/what_if/joined_graph.h"
#include "webreport/what_if/what_if_view.h"
#include "writer/base/error.h"

/* What is asked. */
struct tp_what_if_question {
    const struct tp_model *model;
    /* ranks of a job, whose graphs are joined; the first has `model`. rank_count 0: one trace */
    const struct tp_rank_model *ranks;
    uint32_t rank_count;
    const struct tp_str *changes; /* changes as tp_change_parse reads them, for several ranks also "rank:N". NULL: those
                                   * that the critical path suggests, or for several ranks "rank:N" of each rank */
    size_t change_count;
    uint64_t most_nodes;                 /* with more activities, only a part of the trace is replayed; 0: no limit */
    const struct tp_fix_question *fixes; /* fixes to price; NULL: none. Prices stay unknown if answers are withheld */
    bool wants_times;                    /* true: answers have the times in which their changes act */
    bool is_host_slowed;  /* true if the recording took so much time that answers about the host are less sure */
    tp_find_rates *rates; /* peak rates for changes of the device; may be NULL */
};

/* Validates the replay of a trace and prices changes. keep: arena of the result. temporary: arena for the graph and the
 * replays, which may be released afterwards; names in the result are in the trace or in `keep`. Returns 0, or TP_EUSAGE
 * for a change that cannot be read. Both guards must be set. */
int tp_what_if_view_build(struct tp_what_if_view *result, const struct tp_what_if_question *question,
                          struct tp_arena *keep, struct tp_arena *temporary, struct tp_error *err);

#endif
