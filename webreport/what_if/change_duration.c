/* Implements change_duration.h. */
#include "webreport/what_if/change_duration.h"

int64_t tp_change_node_ns(const struct tp_what_if_change *change, const struct tp_replay_graph *graph, uint32_t node)
{
    int64_t ns = 0;
    for (uint32_t p = graph->nodes[node].first_part; p < graph->nodes[node + 1].first_part; p++)
        ns = tp_sat_add(ns, tp_change_part_ns(change, graph, node, p));
    if (change->more_ns && node < change->more_count) {
        ns = tp_sat_sub(ns, tp_ns_scaled(change->more_ns[node], change->more.den - change->more.num, change->more.den));
        ns = ns > 0 ? ns : 0;
    }
    return ns;
}
