/* Event files: the Graphs tab. A tree of scopes as a GraphDef, and what its nodes cost as RunMetadata. */
#include "writer/tfevents.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writer/base/limits.h"
#include "writer/proto/tb_event.pb-c.h"
#include "writer/proto/tb_graph.pb-c.h"
#include "writer/tfevents_message.h"

enum { PRODUCER = 22, ATTRIBUTES = 4 };

static const char gpu[] = "/device:GPU:0", cpu[] = "/device:CPU:0"; /* the only form of name that is offered */

struct graph {
    const struct tp_tf_node *nodes;
    uint32_t count;
    char **paths;    /* by node: scopes and name joined by '/' */
    uint32_t *order; /* nodes so that each scope is one piece: by path, '/' before everything else */
    struct tp_arena *scratch;
};

static void join_paths(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct tp_tf_node *node = &graph->nodes[i];
        const char *above = node->parent == TP_NO_ID ? "" : graph->paths[node->parent];
        size_t above_size = strlen(above), size = strlen(node->name);
        char *path = tp_arena_alloc(graph->scratch, above_size + size + 2);
        memcpy(path, above, above_size);
        if (above_size)
            path[above_size++] = '/';
        memcpy(path + above_size, node->name, size);
        graph->paths[i] = path;
    }
}

/* Depth first: children follow their parent. Counting from the end gives each node the size of its subtree; a child's
 * place is behind its parent's and behind the siblings before it. */
static void order_nodes(struct graph *graph)
{
    uint32_t *sizes = tp_arena_array(graph->scratch, graph->count, sizeof *sizes);
    uint32_t *next = tp_arena_array(graph->scratch, graph->count, sizeof *next), top = 0;
    for (uint32_t i = graph->count; i-- > 0;) {
        sizes[i]++;
        if (graph->nodes[i].parent != TP_NO_ID)
            sizes[graph->nodes[i].parent] += sizes[i];
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        uint32_t *place = graph->nodes[i].parent == TP_NO_ID ? &top : &next[graph->nodes[i].parent];
        graph->order[*place] = i;
        next[i] = *place + 1;
        *place += sizes[i];
    }
}

/* ---- the graph ---- */

static Tp__AttrEntry *attribute(struct graph *graph, const char *key)
{
    Tp__AttrEntry *entry = tp_arena_alloc(graph->scratch, sizeof *entry);
    tp__attr_entry__init(entry);
    entry->key = tp_tfevents_chars(key);
    entry->value = tp_arena_alloc(graph->scratch, sizeof *entry->value);
    tp__attr_value__init(entry->value);
    return entry;
}

static Tp__AttrEntry *number_attribute(struct graph *graph, const char *key, double number)
{
    Tp__AttrEntry *entry = attribute(graph, key);
    entry->value->value_case = TP__ATTR_VALUE__VALUE_F;
    entry->value->f = (float)number;
    return entry;
}

static Tp__NodeDef *node_message(struct graph *graph, uint32_t i)
{
    const struct tp_tf_node *node = &graph->nodes[i];
    Tp__NodeDef *message = tp_arena_alloc(graph->scratch, sizeof *message);
    tp__node_def__init(message);
    message->name = graph->paths[i];
    message->op = tp_tfevents_chars(node->op);
    message->device = tp_tfevents_chars(node->device_us_per_step > 0 ? gpu : cpu);
    if (node->follows != TP_NO_ID) {
        const char *before = graph->paths[node->follows];
        char *input = tp_arena_alloc(graph->scratch, strlen(before) + 2);
        input[0] = '^'; /* a control edge: order, no data */
        strcpy(input + 1, before);
        message->input = tp_arena_array(graph->scratch, 1, sizeof *message->input);
        message->input[message->n_input++] = input;
    }
    message->attr = tp_arena_array(graph->scratch, ATTRIBUTES, sizeof(void *));
    message->attr[message->n_attr++] = number_attribute(graph, "calls_per_step", node->calls_per_step);
    message->attr[message->n_attr++] = number_attribute(graph, "device_us_per_step", node->device_us_per_step);
    message->attr[message->n_attr++] = number_attribute(graph, "cpu_self_us_per_step", node->host_us_per_step);
    if (node->site) {
        Tp__AttrEntry *site = attribute(graph, "call_site");
        site->value->value_case = TP__ATTR_VALUE__VALUE_S;
        site->value->s = tp_tfevents_bytes(tp_str_of(node->site));
        message->attr[message->n_attr++] = site;
    }
    return message;
}

static void put_graph(struct tp_tfevents *events, struct tp_tfevents_at at, struct graph *graph)
{
    Tp__GraphDef message = TP__GRAPH_DEF__INIT;
    Tp__VersionDef version = TP__VERSION_DEF__INIT;
    Tp__Event event = TP__EVENT__INIT;
    struct tp_buf packed;
    version.producer = PRODUCER;
    message.versions = &version;
    message.node = tp_arena_array(graph->scratch, graph->count, sizeof(void *));
    for (uint32_t i = 0; i < graph->count; i++)
        message.node[message.n_node++] = node_message(graph, graph->order[i]);
    tp_buf_init(&packed, events->out.max_bytes);
    event.wall_time = at.wall_s;
    event.what_case = TP__EVENT__WHAT_GRAPH_DEF;
    event.graph_def = tp_tfevents_pack(&packed, &message.base);
    tp_tfevents_put(events, &event.base);
    tp_tfevents_end_pack(events, &packed);
}

/* ---- its cost ---- */

/* The nodes one after the other. Starts begin at 1 and times are at least 1 us: a zero would not be sent, and not be
 * shown. Rounding the running sum keeps the whole exact. */
static void fill_costs(struct graph *graph, Tp__DeviceStepStats *device, bool is_gpu)
{
    double sum = 1;
    device->node_stats = tp_arena_array(graph->scratch, graph->count, sizeof(void *));
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct tp_tf_node *node = &graph->nodes[graph->order[i]];
        double us = is_gpu ? node->device_us_per_step : node->host_us_per_step;
        int64_t start = (int64_t)llround(sum);
        if (us <= 0 || sum + us > (double)TP_MAX_GRAPH_US)
            continue;
        sum += us;
        int64_t length = (int64_t)llround(sum) - start;
        if (length < 1)
            continue;
        Tp__NodeExecStats *stats = tp_arena_alloc(graph->scratch, sizeof *stats);
        tp__node_exec_stats__init(stats);
        stats->node_name = graph->paths[graph->order[i]];
        stats->all_start_micros = start;
        stats->op_end_rel_micros = stats->all_end_rel_micros = length;
        device->node_stats[device->n_node_stats++] = stats;
    }
}

static void put_costs(struct tp_tfevents *events, struct tp_tfevents_at at, struct graph *graph, bool is_gpu)
{
    Tp__DeviceStepStats device = TP__DEVICE_STEP_STATS__INIT, *devices = &device;
    Tp__StepStats steps = TP__STEP_STATS__INIT;
    Tp__RunMetadata message = TP__RUN_METADATA__INIT;
    Tp__TaggedRunMetadata tagged = TP__TAGGED_RUN_METADATA__INIT;
    Tp__Event event = TP__EVENT__INIT;
    struct tp_buf packed;
    fill_costs(graph, &device, is_gpu);
    if (device.n_node_stats == 0)
        return;
    device.device = tp_tfevents_chars(is_gpu ? gpu : cpu);
    steps.n_dev_stats = 1;
    steps.dev_stats = &devices;
    message.step_stats = &steps;
    tp_buf_init(&packed, events->out.max_bytes);
    tagged.tag = tp_tfevents_chars(is_gpu ? "device time per step" : "CPU self time per step");
    tagged.run_metadata = tp_tfevents_pack(&packed, &message.base);
    event.wall_time = at.wall_s;
    event.step = at.step;
    event.what_case = TP__EVENT__WHAT_TAGGED_RUN_METADATA;
    event.tagged_run_metadata = &tagged;
    tp_tfevents_put(events, &event.base);
    tp_tfevents_end_pack(events, &packed);
}

void tp_tfevents_graph(struct tp_tfevents *events, struct tp_tfevents_at at, const struct tp_tf_node *nodes,
                       uint32_t count, struct tp_arena *scratch)
{
    struct graph graph = {.nodes = nodes, .count = count, .scratch = scratch};
    if (count == 0)
        return;
    graph.paths = tp_arena_array(scratch, count, sizeof *graph.paths);
    graph.order = tp_arena_array(scratch, count, sizeof *graph.order);
    join_paths(&graph);
    order_nodes(&graph);
    put_graph(events, at, &graph);
    put_costs(events, at, &graph, true);
    put_costs(events, at, &graph, false);
}
