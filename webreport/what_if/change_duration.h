/* Computes the durations of parts and nodes after a change. */
#ifndef TP_WEBREPORT_WHAT_IF_CHANGE_DURATION_H
#define TP_WEBREPORT_WHAT_IF_CHANGE_DURATION_H

#include "webreport/model/numbers.h"
#include "webreport/what_if/change.h"

/* Returns a time multiplied by a factor, rounded down, ns. */
static inline int64_t tp_fraction_of(int64_t ns, struct tp_fraction f)
{
    return f.num == f.den ? ns : !f.num ? 0 : f.num == 1 && f.den == 2 ? ns >> 1 : tp_ns_scaled(ns, f.num, f.den);
}

/* Returns the duration of a part of a node under the fixes of a change, ns. They change neither the loading of data nor
 * communication of the host. */
static inline int64_t tp_fixed_part_ns(const struct tp_fix_choice *fixes, const struct tp_replay_graph *graph,
                                       uint32_t node, uint32_t part)
{
    int64_t ns = tp_part_ns(graph, part);
    unsigned kind = graph->labels[graph->parts[part].label].kind;
    if (kind == TP_PATH_INPUT || (kind == TP_PATH_COMMUNICATION && node < graph->first_device))
        return ns;
    return tp_ns_scaled(ns, TP_FIX_WHOLE - tp_fix_part_of_node(fixes, node), TP_FIX_WHOLE);
}

/* Returns whether a change makes a fix of this node. */
static inline bool tp_change_fixes_node(const struct tp_what_if_change *change, uint32_t node)
{
    const struct tp_fixes *fixes = change->fixes.fixes;
    for (uint32_t i = fixes ? fixes->first_of_node[node] : 0; i; i = fixes->nodes[i - 1].next)
        if (change->fixes.chosen >> fixes->nodes[i - 1].fix & 1)
            return true;
    return false;
}

/* Returns whether a change gives a node another duration than its labels. */
static inline bool tp_change_is_special(const struct tp_what_if_change *change, uint32_t node)
{
    return (change->of_node && change->of_node[node].den) || (change->without_wait && change->without_wait[node]) ||
           (change->more_ns && node < change->more_count && change->more_ns[node]) ||
           tp_change_fixes_node(change, node);
}

/* Returns the duration of a part of a node after the change without its fixes, ns. part: index in graph->parts. */
static inline int64_t tp_unfixed_part_ns(const struct tp_what_if_change *change, const struct tp_replay_graph *graph,
                                         uint32_t node, uint32_t part)
{
    int64_t ns = tp_part_ns(graph, part);
    uint32_t label = graph->parts[part].label;
    if (change->of_node && change->of_node[node].den)
        return tp_ns_scaled(ns, change->of_node[node].num, change->of_node[node].den);
    if (change->without_wait && change->without_wait[node] && graph->labels[label].kind == TP_PATH_WAIT)
        return 0;
    return change->of_label ? tp_fraction_of(ns, change->of_label[label]) : ns;
}

/* Returns the duration of a part of a node after the change, ns. part: index in graph->parts. Fixes remove the same
 * time at most once. */
static inline int64_t tp_change_part_ns(const struct tp_what_if_change *change, const struct tp_replay_graph *graph,
                                        uint32_t node, uint32_t part)
{
    int64_t ns = tp_unfixed_part_ns(change, graph, node, part);
    return tp_change_fixes_node(change, node) ? tp_ns_min(ns, tp_fixed_part_ns(&change->fixes, graph, node, part)) : ns;
}

/* Returns the duration of a node after the change, ns. */
int64_t tp_change_node_ns(const struct tp_what_if_change *change, const struct tp_replay_graph *graph, uint32_t node);

#endif
