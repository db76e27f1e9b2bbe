/* Writes the Graphs tab: a tree of scopes as a GraphDef, and the cost of its nodes as RunMetadata. */
#include "writer/tfevents.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writer/base/limits.h"
#include "writer/proto/tb_event.pb-c.h"
#include "writer/proto/tb_graph.pb-c.h"
#include "writer/tfevents_message.h"

enum { PRODUCER = 22, ATTRIBUTES = 5 };

static const char gpu[] = "/device:GPU:0", cpu[] = "/device:CPU:0"; /* names of devices, in the only form that
                                                                     * TensorBoard offers */

struct graph {
    const struct tp_tf_node *nodes;
    uint32_t count;
    char **paths;    /* path of each node, by its index: the names of its scopes and its own name, joined by '/' */
    uint32_t *order; /* indexes of nodes in depth-first order, so that each scope is contiguous */
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

/* Sorts the nodes depth first, so that children follow their parent. Counts the sizes of the subtrees from the last
 * node to the first. The position of a child is after its parent and after its previous siblings with their
 * subtrees. */
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

static Tp__AttrEntry *new_attribute(struct graph *graph, const char *key)
{
    Tp__AttrEntry *entry = tp_arena_alloc(graph->scratch, sizeof *entry);
    tp__attr_entry__init(entry);
    entry->key = tp_tfevents_chars(key);
    entry->value = tp_arena_alloc(graph->scratch, sizeof *entry->value);
    tp__attr_value__init(entry->value);
    return entry;
}

static Tp__AttrEntry *new_number_attribute(struct graph *graph, const char *key, double number)
{
    Tp__AttrEntry *entry = new_attribute(graph, key);
    entry->value->value_case = TP__ATTR_VALUE__VALUE_F;
    entry->value->f = (float)number;
    return entry;
}

static Tp__NodeDef *new_node_message(struct graph *graph, uint32_t i)
{
    const struct tp_tf_node *node = &graph->nodes[i];
    Tp__NodeDef *message = tp_arena_alloc(graph->scratch, sizeof *message);
    tp__node_def__init(message);
    message->name = graph->paths[i];
    message->op = tp_tfevents_chars(node->op);
    message->device = tp_tfevents_chars(node->device_us_per_step > 0 ? gpu : cpu);
    if (node->previous_sibling != TP_NO_ID) {
        const char *before = graph->paths[node->previous_sibling];
        char *input = tp_arena_alloc(graph->scratch, strlen(before) + 2);
        input[0] = '^'; /* '^' marks a control edge, which is an order without data */
        strcpy(input + 1, before);
        message->input = tp_arena_array(graph->scratch, 1, sizeof *message->input);
        message->input[message->n_input++] = input;
    }
    message->attr = tp_arena_array(graph->scratch, ATTRIBUTES, sizeof(void *));
    message->attr[message->n_attr++] = new_number_attribute(graph, "calls_per_step", node->calls_per_step);
    message->attr[message->n_attr++] = new_number_attribute(graph, "device_us_per_step", node->device_us_per_step);
    message->attr[message->n_attr++] = new_number_attribute(graph, "cpu_self_us_per_step", node->host_us_per_step);
    if (node->bytes_per_step > 0)
        message->attr[message->n_attr++] =
            new_number_attribute(graph, "allocated_bytes_per_step", node->bytes_per_step);
    if (node->site) {
        Tp__AttrEntry *site = new_attribute(graph, "call_site");
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
        message.node[message.n_node++] = new_node_message(graph, graph->order[i]);
    tp_buf_init(&packed, events->out.max_bytes);
    event.wall_time = at.wall_s;
    event.what_case = TP__EVENT__WHAT_GRAPH_DEF;
    event.graph_def = tp_tfevents_pack(&packed, &message.base);
    tp_tfevents_put(events, &event.base);
    tp_tfevents_end_pack(events, &packed);
}

/* ---- cost of the nodes ---- */

/* A kind of cost. Each kind has its own tag, because a sum over different devices would have no meaning. */
struct cost {
    /* tag, device: where TensorBoard shows the cost; allocator: name of the allocator if the cost is in bytes, NULL if
     * the cost is a time */
    const char *tag, *device, *allocator;
    size_t member; /* offset of the cost in struct tp_tf_node, bytes; the cost is a double */
};

static const struct cost costs[] = {
    {"device time per step", gpu, NULL, offsetof(struct tp_tf_node, device_us_per_step)},
    {"CPU self time per step", cpu, NULL, offsetof(struct tp_tf_node, host_us_per_step)},
    {"memory allocated per step", cpu, "all devices", offsetof(struct tp_tf_node, bytes_per_step)},
};

static Tp__NodeExecStats *new_stats(struct graph *graph, uint32_t node, int64_t start, int64_t length)
{
    Tp__NodeExecStats *stats = tp_arena_alloc(graph->scratch, sizeof *stats);
    tp__node_exec_stats__init(stats);
    stats->node_name = graph->paths[node];
    stats->all_start_micros = start;
    stats->op_end_rel_micros = stats->all_end_rel_micros = length;
    return stats;
}

static void add_memory(struct graph *graph, Tp__NodeExecStats *stats, const char *allocator, double bytes)
{
    Tp__AllocatorMemoryUsed *used = tp_arena_alloc(graph->scratch, sizeof *used);
    tp__allocator_memory_used__init(used);
    used->allocator_name = tp_tfevents_chars(allocator);
    used->total_bytes = used->peak_bytes = (int64_t)llround(bytes);
    stats->memory = tp_arena_array(graph->scratch, 1, sizeof(void *));
    stats->memory[stats->n_memory++] = used;
}

/* Places the nodes one after the other on a time axis. Starts begin at 1 and times are at least 1 us, because
 * TensorBoard neither receives nor shows a zero. The running sum is rounded instead of each time, so that the total is
 * exact. */
static void fill_costs(struct graph *graph, Tp__DeviceStepStats *device, const struct cost *cost)
{
    double sum = 1;
    device->node_stats = tp_arena_array(graph->scratch, graph->count, sizeof(void *));
    for (uint32_t i = 0; i < graph->count; i++) {
        double amount, us;
        memcpy(&amount, (const char *)&graph->nodes[graph->order[i]] + cost->member, sizeof amount);
        int64_t start = (int64_t)llround(sum);
        us = cost->allocator ? 1 : amount;
        if (amount <= 0 || amount > (double)TP_MAX_GRAPH_US || sum + us > (double)TP_MAX_GRAPH_US)
            continue;
        sum += us;
        int64_t length = (int64_t)llround(sum) - start;
        if (length < 1)
            continue;
        Tp__NodeExecStats *stats = new_stats(graph, graph->order[i], start, length);
        if (cost->allocator)
            add_memory(graph, stats, cost->allocator, amount);
        device->node_stats[device->n_node_stats++] = stats;
    }
}

static void put_costs(struct tp_tfevents *events, struct tp_tfevents_at at, struct graph *graph,
                      const struct cost *cost)
{
    Tp__DeviceStepStats device = TP__DEVICE_STEP_STATS__INIT, *devices = &device;
    Tp__StepStats steps = TP__STEP_STATS__INIT;
    Tp__RunMetadata message = TP__RUN_METADATA__INIT;
    Tp__TaggedRunMetadata tagged = TP__TAGGED_RUN_METADATA__INIT;
    Tp__Event event = TP__EVENT__INIT;
    struct tp_buf packed;
    fill_costs(graph, &device, cost);
    if (device.n_node_stats == 0)
        return;
    device.device = tp_tfevents_chars(cost->device);
    steps.n_dev_stats = 1;
    steps.dev_stats = &devices;
    message.step_stats = &steps;
    tp_buf_init(&packed, events->out.max_bytes);
    tagged.tag = tp_tfevents_chars(cost->tag);
    tagged.run_metadata = tp_tfevents_pack(&packed, &message.base);
    event.wall_time = at.wall_s;
    event.step = at.step;
    event.what_case = TP__EVENT__WHAT_TAGGED_RUN_METADATA;
    event.tagged_run_metadata = &tagged;
    tp_tfevents_put(events, &event.base);
    tp_tfevents_end_pack(events, &packed);
}

void tp_tfevents_put_graph(struct tp_tfevents *events, struct tp_tfevents_at at, const struct tp_tf_node *nodes,
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
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        put_costs(events, at, &graph, &costs[i]);
}
