/* Writes the reasons of idle time for the tree of a device's time. */
#include "webreport/document/words/words.h"

#include <string.h>

#include "webreport/measure/idle/idle_reasons.h"

static const char *const reasons[TP_IDLE_REASONS] = {
    [TP_IDLE_BY_LATENCY] = "start latency",
    [TP_IDLE_BY_GRAPH] = "between kernels of one graph",
    [TP_IDLE_BY_QUEUE] = "the next operation waits for its stream, an event or a copy",
    [TP_IDLE_BY_EARLIER_WORK] =
        "long wait at the start of the recording, because of earlier work or a stall of the device",
    [TP_IDLE_BY_EDGE] = "before the first or after the last recorded operation",
    [TP_IDLE_BY_UNKNOWN] = "the launch of the next operation, or the work that the host waits for, was not recorded",
    [TP_IDLE_BY_EARLIER_WORK_LAUNCH] = "the first call of the recording blocks: ",
};

/* Returns `text`, followed by the name of the call in `node`. node: text of a tree node: a fixed prefix, then the name
 * of the call. */
static struct tp_str append_call_name(const char *text, struct tp_str node, struct tp_arena *arena)
{
    size_t skip = sizeof TP_TIME_FIRST_CALL - 1, before = strlen(text), size = before + node.len - skip;
    char *joined = tp_arena_alloc(arena, size);
    memcpy(joined, text, before);
    memcpy(joined + before, node.ptr + skip, node.len - skip);
    return (struct tp_str){joined, size};
}

void tp_fill_time_tree_texts(struct tp_time_trees *trees, struct tp_arena *arena)
{
    for (uint32_t t = 0; t < trees->count; t++)
        for (uint32_t i = 0; i < trees->items[t].node_count; i++) {
            struct tp_time_node *node = &trees->items[t].nodes[i];
            if (!reasons[node->reason])
                continue;
            if (node->reason == TP_IDLE_BY_EARLIER_WORK_LAUNCH && tp_str_starts(node->text, TP_TIME_FIRST_CALL))
                node->text = append_call_name(reasons[node->reason], node->text, arena);
            else if (node->reason != TP_IDLE_BY_EARLIER_WORK_LAUNCH)
                node->text = tp_str_of(reasons[node->reason]);
        }
}
