/* Visits the stacks of a thread, divided at the ends of the nodes of the thread. */
#include "webreport/what_if/lane_walk.h"

/* State of a walk: the next node that the segments reach. */
struct cursor {
    const struct tp_lane_visit *visit;
    const struct tp_replay_node *nodes, *at, *end;
};

/* Returns the end of the time of a node: for a launch that waited for the queue, the return of its call. */
static int64_t end_of_node(const struct tp_replay_node *node, const struct tp_replay_node *end,
                           const struct tp_model *model)
{
    if (node->kind != TP_NODE_LAUNCH || node->event == TP_NO_ID)
        return node->end_ns;
    int64_t returned = tp_event_end(&model->trace->events[node->event]);
    return node + 1 < end && node[1].start_ns < returned ? node[1].start_ns : returned;
}

/* Divides a segment at the ends of nodes. The tag of a segment is not used. */
struct division {
    struct cursor *cursor;
    const struct tp_model *model;
};

static void divide_segment(void *context, const struct tp_stack_segment *segment)
{
    struct division *division = context;
    struct cursor *cursor = division->cursor;
    struct tp_stack_segment part = *segment;
    while (part.a < segment->b && cursor->at < cursor->end) {
        int64_t end = end_of_node(cursor->at, cursor->end, division->model);
        if (end <= part.a) {
            cursor->at++;
            continue;
        }
        part.a = cursor->at->start_ns > part.a ? cursor->at->start_ns : part.a;
        part.b = end < segment->b ? end : segment->b;
        if (part.a < part.b) {
            part.tag = (uint32_t)(cursor->at - cursor->nodes);
            cursor->visit->visit(cursor->visit->context, &part);
            part.a = part.b;
        } else {
            return; /* the node begins after the segment */
        }
    }
}

void tp_graph_walk_lane(struct tp_stack_walk *walk, const struct tp_replay_node *nodes, uint32_t thread,
                        struct tp_graph_lane lane, const struct tp_lane_visit *visit)
{
    struct cursor cursor = {visit, nodes, nodes + lane.first, nodes + lane.end};
    struct division division = {&cursor, walk->model};
    const struct tp_replay_node *last = nodes + lane.end - 1;
    struct tp_stack_slice slice = {nodes[lane.first].start_ns, end_of_node(last, cursor.end, walk->model), 0};
    walk->visit = divide_segment;
    walk->context = &division;
    tp_stack_walk(walk, thread, &slice, 1);
}
