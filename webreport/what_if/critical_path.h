/* Finds the critical path of a replay. */
#ifndef TP_WEBREPORT_WHAT_IF_CRITICAL_PATH_H
#define TP_WEBREPORT_WHAT_IF_CRITICAL_PATH_H

#include "webreport/what_if/path_spans.h"
#include "webreport/what_if/replay_lanes.h"

/* Finds the critical path of a path lane. Adds the sums to *sums, which must be zeros. details: NULL, or receives the
 * details, in `keep`, unless the lane has no steps. Other memory comes from `arena`. Any thread. */
void tp_critical_path(const struct tp_what_if_replay *replay, uint32_t lane, struct tp_path_sums *sums,
                      struct tp_path_details *details, struct tp_arena *keep, struct tp_arena *arena);

/* Finds the sums of the critical paths of all path lanes. sums: an element of zeros for each path lane. Memory comes
 * from `arena`. Any thread. */
void tp_critical_path_sums(const struct tp_what_if_replay *replay, struct tp_path_sums *sums, struct tp_arena *arena);

/* Returns the group with the most time; of equal groups the first. */
enum tp_path_group tp_path_limit(const struct tp_path_sums *sums);

#endif
