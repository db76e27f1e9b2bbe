/* Implements lane_search.h. */
#include "webreport/what_if/lane_search.h"

uint32_t tp_graph_nodes_before(const struct tp_graph_build *build, uint32_t thread, int64_t at, bool including)
{
    uint32_t lo = build->graph->lanes[thread].first, hi = build->graph->lanes[thread].end;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        int64_t start = tp_graph_node(build, mid)->start_ns;
        if (start < at || (including && start == at))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo - build->graph->lanes[thread].first;
}

static bool is_end_of_call(const struct tp_replay_node *node)
{
    return node->kind == TP_NODE_WAKE || node->kind == TP_NODE_ARRIVAL;
}

uint32_t tp_graph_node_at(const struct tp_graph_build *build, uint32_t thread, int64_t at)
{
    uint32_t first = build->graph->lanes[thread].first, i = tp_graph_nodes_before(build, thread, at, true);
    if (!i)
        return TP_NO_ID;
    i--;
    while (i > 0 && is_end_of_call(tp_graph_node(build, first + i)) &&
           tp_graph_node(build, first + i)->start_ns == at && tp_graph_node(build, first + i - 1)->start_ns == at)
        i--;
    return first + i;
}

uint32_t tp_graph_next_on_thread(const struct tp_graph_build *build, uint32_t node)
{
    uint32_t inserted = tp_id_map_get(&build->next_on_thread, node);
    if (inserted != TP_NO_ID)
        return inserted;
    bool has_next =
        node + 1 < build->graph->first_device && tp_graph_node(build, node + 1)->flags & TP_NODE_HAS_PREVIOUS;
    return has_next ? node + 1 : TP_NO_ID;
}
