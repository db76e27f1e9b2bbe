/* Divides the time of each thread into nodes: calls that launch or wait, calls of loaders, and the time between them.
 */
#include "webreport/what_if/graph_add.h"
#include "webreport/what_if/graph_stages.h"
#include "webreport/what_if/host_parts.h"

/* A call, or a range of a loader, that is a node of its own. launch: index in the model's launches, or TP_NO_ID. */
struct special {
    int64_t start_ns, end_ns;
    uint32_t event, launch;
    enum tp_node_kind kind;
};

/* State while one thread is divided. */
struct thread_cut {
    struct tp_graph_build *build;
    uint32_t thread;
    struct tp_vec specials; /* elements: struct special, sorted by (start, end) */
    struct tp_vec cuts;     /* further times at which a node ends; elements: int64_t, ascending */
    size_t next_special, next_cut;
};

static void add_cut(struct thread_cut *cut, int64_t at)
{
    *(int64_t *)tp_vec_push(&cut->cuts) = at;
}

static void add_special(struct thread_cut *cut, const struct tp_event *e, uint32_t event, uint32_t launch,
                        enum tp_node_kind kind)
{
    *(struct special *)tp_vec_push(&cut->specials) = (struct special){e->ts_ns, tp_event_end(e), event, launch, kind};
}

/* Adds a call to the list if it launches or waits. */
static void add_call(struct thread_cut *cut, const struct tp_event *e, uint32_t event, uint32_t launch)
{
    const struct tp_graph_build *build = cut->build;
    if (build->waiting_of[launch] != TP_NO_ID)
        add_special(cut, e, event, launch, TP_NODE_WAIT);
    else if (build->model->launches.first_device_operation[launch] != TP_NO_ID)
        add_special(cut, e, event, launch, TP_NODE_LAUNCH);
}

static int compare_specials(const void *x, const void *y, const void *context)
{
    const struct special *a = x, *b = y;
    (void)context;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

static int compare_times(const void *x, const void *y, const void *context)
{
    const int64_t *a = x, *b = y;
    (void)context;
    return *a < *b ? -1 : *a > *b;
}

/* Finds the nodes with an event, and the times at which the other nodes end. Returns the extent of the thread. */
static struct tp_interval find_specials_and_cuts(struct thread_cut *cut)
{
    const struct tp_graph_build *build = cut->build;
    const struct tp_model *model = build->model;
    const struct tp_order *order = model->order;
    uint32_t launch = model->launches.thread_first[cut->thread];
    struct tp_interval extent = {INT64_MAX, INT64_MIN};
    for (uint32_t i = order->thread_first[cut->thread]; i < order->thread_first[cut->thread + 1]; i++) {
        const struct tp_event *e = &model->trace->events[order->host[i]];
        extent.a = e->ts_ns < extent.a ? e->ts_ns : extent.a;
        extent.b = tp_event_end(e) > extent.b ? tp_event_end(e) : extent.b;
        if (e->kind == TP_KIND_RUNTIME) {
            add_call(cut, e, order->host[i], launch++);
            continue;
        }
        uint64_t marks = tp_kind_is_frame(e->kind) ? 0 : model->marks[e->name];
        if (marks & TP_MARK_LOADER && marks & TP_MARK_WORKER_LOADER) {
            add_special(cut, e, order->host[i], TP_NO_ID, TP_NODE_INPUT);
        } else if (marks & TP_MARK_LOADER) {
            add_cut(cut, e->ts_ns);
            add_cut(cut, tp_event_end(e));
        }
    }
    for (uint32_t i = 0; i < model->step_count && cut->thread == build->graph->reference; i++) {
        add_cut(cut, model->steps[i].host_start_ns);
        add_cut(cut, model->steps[i].host_end_ns);
    }
    tp_merge_sort(build->arena, cut->specials.data, cut->specials.count, sizeof(struct special), compare_specials,
                  NULL);
    tp_merge_sort(build->arena, cut->cuts.data, cut->cuts.count, sizeof(int64_t), compare_times, NULL);
    return extent;
}

/* Returns the time that the call itself costs: its length if it found nothing to wait for, otherwise the usual length
 * of such calls. */
static int64_t own_cost(const struct tp_graph_build *build, uint32_t launch)
{
    const struct tp_event *call = tp_launch_event(build->model, launch);
    const struct tp_waiting_call *wait = TP_AT(&build->waiting, struct tp_waiting_call, build->waiting_of[launch]);
    if (!wait->is_blocked)
        return call->dur_ns;
    uint32_t known = tp_id_map_get(&build->own_costs, call->name);
    int64_t own = known == TP_NO_ID ? TP_OWN_DEFAULT_NS : TP_AT(&build->typicals, struct tp_typical_latency, known)->ns;
    return own < call->dur_ns ? own : call->dur_ns;
}

static void add_special_nodes(struct thread_cut *cut, const struct special *s, int64_t end)
{
    if (s->launch != TP_NO_ID)
        cut->build->launch_node[s->launch] = (uint32_t)cut->build->nodes.count;
    if (s->kind == TP_NODE_WAIT) {
        int64_t own = own_cost(cut->build, s->launch), length = end - s->start_ns;
        tp_graph_add_node(cut->build, TP_NODE_WAIT, s->start_ns, s->start_ns + (own < length ? own : length), s->event);
        uint32_t wake = tp_graph_add_node(cut->build, TP_NODE_WAKE, end, end, s->event);
        bool has_operations = cut->build->model->launches.first_device_operation[s->launch] != TP_NO_ID;
        tp_graph_node(cut->build, wake)->flags |= has_operations ? TP_NODE_HAS_OPERATIONS : 0;
        *(struct tp_graph_wake *)tp_vec_push(&cut->build->wakes) =
            (struct tp_graph_wake){wake, cut->build->waiting_of[s->launch]};
        return;
    }
    tp_graph_add_node(cut->build, s->kind, s->start_ns, end, s->event);
    if (s->kind == TP_NODE_INPUT)
        tp_graph_add_node(cut->build, TP_NODE_ARRIVAL, end, end, s->event);
}

/* Makes the nodes of [a, b), in which the thread has no hole. */
static void divide_interval(struct thread_cut *cut, int64_t a, int64_t b)
{
    const struct special *specials = cut->specials.data;
    const int64_t *cuts = cut->cuts.data;
    for (int64_t at = a; at < b;) {
        /* calls inside of an earlier call are no nodes */
        while (cut->next_special < cut->specials.count && specials[cut->next_special].start_ns < at)
            cut->next_special++;
        const struct special *s = cut->next_special < cut->specials.count ? &specials[cut->next_special] : NULL;
        if (s && s->start_ns == at) {
            cut->next_special++;
            int64_t end = s->end_ns < b ? s->end_ns : b;
            add_special_nodes(cut, s, end);
            at = end;
            continue;
        }
        while (cut->next_cut < cut->cuts.count && cuts[cut->next_cut] <= at)
            cut->next_cut++;
        int64_t stop = s && s->start_ns < b ? s->start_ns : b;
        if (cut->next_cut < cut->cuts.count && cuts[cut->next_cut] < stop)
            stop = cuts[cut->next_cut];
        tp_graph_add_node(cut->build, TP_NODE_HOST, at, stop, TP_NO_ID);
        at = stop;
    }
}

static void add_nodes_of_thread(struct tp_graph_build *build, uint32_t thread)
{
    struct thread_cut cut = {.build = build, .thread = thread};
    cut.specials = TP_VEC(build->arena, struct special);
    cut.cuts = TP_VEC(build->arena, int64_t);
    struct tp_interval extent = find_specials_and_cuts(&cut);
    const struct tp_intervals *holes = &build->holes[thread];
    build->graph->lanes[thread].first = (uint32_t)build->nodes.count;
    int64_t at = extent.a;
    for (size_t i = 0; i < holes->count; i++) {
        divide_interval(&cut, at, holes->items[i].a);
        at = holes->items[i].b;
    }
    divide_interval(&cut, at, extent.b);
    build->graph->lanes[thread].end = (uint32_t)build->nodes.count;
    for (uint32_t node = build->graph->lanes[thread].first + 1; node < build->graph->lanes[thread].end; node++)
        tp_graph_node(build, node)->flags |= TP_NODE_HAS_PREVIOUS;
    tp_graph_fill_parts(build, thread);
    tp_arena_free_item(build->arena, cut.specials.data, cut.specials.capacity * cut.specials.item_size);
}

void tp_graph_add_host_nodes(struct tp_graph_build *build)
{
    build->graph->lanes = tp_arena_array(build->arena, build->model->trace->thread_count, sizeof *build->graph->lanes);
    build->launch_node = tp_arena_array(build->arena, build->model->launches.count, sizeof *build->launch_node);
    memset(build->launch_node, 0xFF, build->model->launches.count * sizeof *build->launch_node);
    for (uint32_t i = 0; i < build->thread_count; i++)
        add_nodes_of_thread(build, build->threads[i]);
}

void tp_graph_add_device_nodes(struct tp_graph_build *build)
{
    const struct tp_model *model = build->model;
    build->graph->first_device = (uint32_t)build->nodes.count;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        bool is_kernel = e->kind == TP_KIND_KERNEL, is_communication = is_kernel && tp_is_communication(model, k);
        enum tp_node_kind kind = !is_kernel ? TP_NODE_COPY : is_communication ? TP_NODE_COMMUNICATION : TP_NODE_COMPUTE;
        enum tp_path_kind part = !is_kernel ? TP_PATH_COPY : is_communication ? TP_PATH_COMMUNICATION : TP_PATH_COMPUTE;
        tp_graph_add_node(build, kind, e->ts_ns, tp_event_end(e), model->devices.event[k]);
        tp_graph_add_part(build, tp_graph_label_of_name(build, part, e->name), e->dur_ns);
    }
}
