/* Finds launches that waited because the queue of their device was full. Such a launch returns when the operation that
 * was launched Q launches earlier has ended. */
#include "webreport/what_if/graph_add.h"
#include "webreport/what_if/graph_stages.h"
#include "webreport/what_if/lane_search.h"
#include "writer/base/stats.h"

/* A queue is known from at least CALLS_MIN long calls. DEPTH_MIN: smallest depth; LONG_NS: shortest long call, ns. */
enum { DEPTH_MIN = 256, CALLS_MIN = 8, LONG_NS = 20000 };

/* A call that launched operations on the device. */
struct launching {
    uint32_t launch;
    uint32_t last;    /* operation of the call that ends last */
    int64_t usual_ns; /* usual length of calls with this name */
};

struct queue {
    struct tp_graph_build *build;
    struct launching *calls; /* by (start, position in the file) */
    uint32_t count;
};

static const struct tp_event *event_of(const struct queue *queue, uint32_t i)
{
    return tp_launch_event(queue->build->model, queue->calls[i].launch);
}

static int64_t last_end(const struct queue *queue, uint32_t i)
{
    return tp_event_end(tp_device_event(queue->build->model, queue->calls[i].last));
}

/* Lists the calls that launched operations on a device. */
static void list_calls(struct queue *queue, uint32_t gpu)
{
    const struct tp_model *model = queue->build->model;
    struct tp_arena *arena = queue->build->arena;
    struct tp_keyed *keys = tp_arena_array(arena, model->launches.count, sizeof *keys);
    uint32_t *last = tp_arena_array(arena, model->launches.count, sizeof *last);
    memset(last, 0xFF, model->launches.count * sizeof *last);
    for (uint32_t i = 0; i < model->gpus[gpu].count; i++) {
        uint32_t k = model->gpus[gpu].events[i], launch = model->devices.launch[k];
        if (launch == TP_NO_ID)
            continue;
        uint32_t event = model->launches.event[launch];
        if (last[launch] == TP_NO_ID)
            keys[queue->count++] = (struct tp_keyed){model->trace->events[event].ts_ns, event, launch};
        int64_t end = tp_event_end(tp_device_event(model, k));
        int64_t best = last[launch] == TP_NO_ID ? INT64_MIN : tp_event_end(tp_device_event(model, last[launch]));
        if (end > best || (end == best && model->devices.event[k] > model->devices.event[last[launch]]))
            last[launch] = k;
    }
    tp_sort_keyed(keys, queue->count, arena);
    queue->calls = tp_arena_array(arena, queue->count, sizeof *queue->calls);
    for (uint32_t i = 0; i < queue->count; i++)
        queue->calls[i] = (struct launching){keys[i].item, last[keys[i].item], 0};
    tp_arena_free_item(arena, keys, model->launches.count * sizeof *keys);
    tp_arena_free_item(arena, last, model->launches.count * sizeof *last);
}

/* Sets the usual length of each call: the lower decile of the lengths of calls with its name. With a full queue even
 * the median call waits. */
static void set_usual_lengths(struct queue *queue)
{
    struct tp_arena *arena = queue->build->arena;
    struct tp_keyed *keys = tp_arena_array(arena, queue->count, sizeof *keys);
    int64_t *lengths = tp_arena_array(arena, queue->count, sizeof *lengths);
    for (uint32_t i = 0; i < queue->count; i++)
        keys[i] = (struct tp_keyed){event_of(queue, i)->name, i, i};
    tp_sort_keyed(keys, queue->count, arena);
    for (uint32_t i = 0, end; i < queue->count; i = end) {
        for (end = i; end < queue->count && keys[end].key == keys[i].key; end++)
            lengths[end - i] = event_of(queue, keys[end].item)->dur_ns;
        tp_sort_integers(lengths, end - i);
        for (uint32_t k = i; k < end; k++)
            queue->calls[keys[k].item].usual_ns = lengths[(end - i - 1) / 10];
    }
    tp_arena_free_item(arena, keys, queue->count * sizeof *keys);
    tp_arena_free_item(arena, lengths, queue->count * sizeof *lengths);
}

static uint32_t count_ended(const int64_t *ends, uint32_t count, int64_t at)
{
    uint32_t lo = 0, hi = count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (ends[mid] <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Returns the depth of the queue: the launches whose operations had not ended when a long launch returned. Returns 0
 * unless enough long launches agree to within an eighth. */
static uint32_t find_depth(const struct queue *queue)
{
    struct tp_arena *arena = queue->build->arena;
    int64_t *ends = tp_arena_array(arena, queue->count, sizeof *ends);
    int64_t *pending = tp_arena_array(arena, queue->count, sizeof *pending), depth = 0;
    uint32_t count = 0, near = 0;
    for (uint32_t i = 0; i < queue->count; i++)
        ends[i] = last_end(queue, i);
    tp_sort_integers(ends, queue->count);
    for (uint32_t i = 0; i < queue->count; i++) {
        int64_t length = event_of(queue, i)->dur_ns;
        if (length < LONG_NS || length / 4 < queue->calls[i].usual_ns)
            continue;
        int64_t waiting = (int64_t)i + 1 - count_ended(ends, queue->count, tp_event_end(event_of(queue, i)));
        if (waiting >= DEPTH_MIN)
            pending[count++] = waiting;
    }
    if (count >= CALLS_MIN)
        depth = tp_lower_median(pending, count);
    for (uint32_t i = 0; i < count && depth; i++)
        near += (pending[i] > depth ? pending[i] - depth : depth - pending[i]) * 8 <= depth;
    tp_arena_free_item(arena, ends, queue->count * sizeof *ends);
    tp_arena_free_item(arena, pending, queue->count * sizeof *pending);
    return 2 * near > count ? (uint32_t)depth : 0;
}

static void set_previous(struct tp_graph_build *build, uint32_t node, uint32_t previous)
{
    tp_graph_node(build, node)->flags |= TP_NODE_HAS_PREVIOUS | TP_NODE_AFTER_INSERTED;
    *tp_id_map_find_or_add(&build->graph->inserted, node) = previous;
}

/* Inserts a node for the end of a launch, after the node of the launch. */
static void insert_wake(struct tp_graph_build *build, uint32_t launch_node, uint32_t source,
                        const struct tp_event *call, uint32_t event)
{
    uint32_t next = tp_graph_next_on_thread(build, launch_node);
    uint32_t wake = tp_graph_add_node(build, TP_NODE_WAKE, tp_event_end(call), tp_event_end(call), event);
    set_previous(build, wake, launch_node);
    tp_graph_add_edge(build, wake,
                      (struct tp_replay_edge){.source = build->graph->first_device + source, .reason = TP_EDGE_QUEUE});
    if (next != TP_NO_ID) {
        set_previous(build, next, wake);
        *tp_id_map_find_or_add(&build->next_on_thread, wake) = next;
    }
    *tp_id_map_find_or_add(&build->next_on_thread, launch_node) = wake;
}

/* Shortens the node of a launch to the usual length; the rest of the call is its wait. */
static void shorten_launch(struct tp_graph_build *build, uint32_t node, int64_t usual)
{
    struct tp_replay_node *n = tp_graph_node(build, node);
    for (uint32_t p = n->first_part; p < n[1].first_part; p++) {
        struct tp_replay_part *part = TP_AT(&build->parts, struct tp_replay_part, p);
        if (part->short_ns > usual) /* also true for a part whose time is in long_parts */
            part->short_ns = (uint32_t)usual;
    }
    n->end_ns = n->start_ns + usual;
}

/* Divides every launch that could have waited into its usual length and the wait for an earlier operation. */
static void divide_launches(const struct queue *queue, uint32_t depth)
{
    struct tp_graph_build *build = queue->build;
    for (uint32_t i = depth; i < queue->count; i++) {
        const struct tp_event *call = event_of(queue, i);
        uint32_t source = queue->calls[i - depth].last, event = build->model->launches.event[queue->calls[i].launch];
        int64_t end = tp_event_end(tp_device_event(build->model, source)), usual = queue->calls[i].usual_ns;
        uint32_t node = build->launch_node[queue->calls[i].launch];
        const struct tp_replay_node *n = node == TP_NO_ID ? NULL : tp_graph_node(build, node);
        if (!n || n->kind != TP_NODE_LAUNCH || !call->dur_ns || end > tp_event_end(call))
            continue;
        if (call->dur_ns / 2 >= usual && call->dur_ns > 2 * usual && end > call->ts_ns)
            shorten_launch(build, node, usual);
        insert_wake(build, node, source, call, event);
    }
}

/* Returns whether enough calls are so long that they may have waited for the queue. */
static bool has_long_calls(const struct tp_model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->launches.count && count < CALLS_MIN; i++)
        count += tp_launch_event(model, i)->dur_ns >= LONG_NS && model->launches.first_device_operation[i] != TP_NO_ID;
    return count >= CALLS_MIN;
}

void tp_graph_add_queue_edges(struct tp_graph_build *build)
{
    for (uint32_t gpu = 0; gpu < build->model->gpu_count && has_long_calls(build->model); gpu++) {
        struct queue queue = {.build = build};
        list_calls(&queue, gpu);
        if (queue.count < DEPTH_MIN)
            continue;
        set_usual_lengths(&queue);
        uint32_t depth = find_depth(&queue);
        if (!depth)
            continue;
        if (depth > build->graph->counts.queue_depth)
            build->graph->counts.queue_depth = depth;
        divide_launches(&queue, depth);
    }
}
