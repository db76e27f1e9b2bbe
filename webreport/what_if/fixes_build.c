/* Finds the nodes that fixes change: see fix.h. */
#include "webreport/model/numbers.h"
#include "webreport/what_if/fix.h"

/* Adds a fix to the list of a node. */
static void add_to_node(struct tp_fixes *fixes, struct tp_vec *nodes, uint32_t node, uint32_t fix, uint32_t least,
                        uint32_t most)
{
    *(struct tp_node_fix *)tp_vec_push(nodes) = (struct tp_node_fix){fixes->first_of_node[node], least, most, fix};
    fixes->first_of_node[node] = (uint32_t)nodes->count;
}

/* Returns the nodes of the calls of all fixes: for each event, the first of its nodes. */
static void find_calls(struct tp_id_map *node_of_event, const struct tp_fixes *fixes,
                       const struct tp_replay_graph *graph)
{
    for (uint32_t f = 0; f < fixes->count; f++)
        for (uint32_t i = 0; i < fixes->items[f].call_count; i++)
            tp_id_map_find_or_add(node_of_event, fixes->items[f].calls[i].index);
    for (uint32_t n = 0; n < graph->first_device && node_of_event->count; n++) {
        const struct tp_replay_node *node = &graph->nodes[n];
        uint32_t *found = node->kind == TP_NODE_LAUNCH || node->kind == TP_NODE_WAIT
                              ? tp_id_map_find(node_of_event, node->event)
                              : NULL;
        if (found)
            *found = n;
    }
}

/* Adds a fix to the node of a call, and to the end of its wait. */
static void add_call(struct tp_fixes *fixes, struct tp_vec *nodes, const struct tp_replay_graph *graph, uint32_t node,
                     uint32_t fix, uint32_t part)
{
    add_to_node(fixes, nodes, node, fix, part, part);
    if (graph->nodes[node].kind == TP_NODE_WAIT && node + 1 < graph->first_device &&
        graph->nodes[node + 1].kind == TP_NODE_WAKE)
        add_to_node(fixes, nodes, node + 1, fix, part, part);
}

static void add_operation(struct tp_fixes *fixes, struct tp_vec *nodes, const struct tp_replay_graph *graph,
                          const struct tp_fix_item *item, uint32_t fix)
{
    add_to_node(fixes, nodes, graph->first_device + item->index, fix, item->part, item->part);
}

/* Adds a fix to the nodes of the host whose work it removes. */
static void add_host(struct tp_fixes *fixes, struct tp_vec *nodes, const struct tp_replay_graph *graph, uint32_t fix)
{
    const struct tp_fix *item = &fixes->items[fix];
    for (uint32_t n = 0; n < graph->first_device; n++) {
        const struct tp_replay_node *node = &graph->nodes[n];
        int64_t length = node->end_ns - node->start_ns;
        if ((node->kind != TP_NODE_HOST && node->kind != TP_NODE_LAUNCH) || length <= 0)
            continue;
        int64_t least_ns = tp_intervals_length_within(item->host, node->start_ns, node->end_ns), most_ns = least_ns;
        if (item->spares_host)
            most_ns = length - tp_intervals_length_within(item->kept, node->start_ns, node->end_ns);
        if (least_ns > 0 || most_ns > 0)
            add_to_node(fixes, nodes, n, fix, (uint32_t)tp_ns_scaled(TP_FIX_WHOLE, least_ns, length),
                        (uint32_t)tp_ns_scaled(TP_FIX_WHOLE, most_ns, length));
    }
}

void tp_fixes_build(struct tp_fixes *fixes, const struct tp_fix *items, uint32_t count,
                    const struct tp_replay_graph *graph, struct tp_arena *arena)
{
    struct tp_vec nodes = TP_VEC(arena, struct tp_node_fix);
    struct tp_id_map node_of_event;
    *fixes = (struct tp_fixes){.items = items, .count = count};
    fixes->first_of_node = tp_arena_array(arena, graph->node_count, sizeof *fixes->first_of_node);
    tp_id_map_init(&node_of_event, arena);
    find_calls(&node_of_event, fixes, graph);
    for (uint32_t f = 0; f < count; f++) {
        for (uint32_t i = 0; i < items[f].operation_count; i++)
            add_operation(fixes, &nodes, graph, &items[f].operations[i], f);
        for (uint32_t i = 0; i < items[f].call_count; i++) {
            uint32_t node = tp_id_map_get(&node_of_event, items[f].calls[i].index);
            if (node != TP_NO_ID)
                add_call(fixes, &nodes, graph, node, f, items[f].calls[i].part);
        }
        if (items[f].host.count || items[f].spares_host)
            add_host(fixes, &nodes, graph, f);
    }
    fixes->nodes = nodes.data;
    tp_id_map_release(&node_of_event);
}
