/* Names the places of calls that wait. */
#ifndef TP_WEBREPORT_WHAT_IF_WAIT_PLACE_H
#define TP_WEBREPORT_WHAT_IF_WAIT_PLACE_H

#include "webreport/what_if/replay_graph.h"

/* Returns the place of a call that waits: its source line, otherwise the name of the outermost operator around it; ""
 * if there is neither. */
struct tp_str tp_change_place_of_wait(const struct tp_replay_graph *graph, uint32_t event);

#endif
