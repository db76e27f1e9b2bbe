/* Computes the analysed steps of each lane of a pass from the replayed times (docs/definitions.md, section 5). */
#include "webreport/what_if/replay_steps.h"

#include "webreport/model/numbers.h"

static uint32_t step_count(const struct tp_pass *p)
{
    return p->graph->model->step_count;
}

static bool is_whole(const struct tp_pass *p)
{
    return p->graph->model->step_marker == TP_MARKER_WINDOW;
}

/* Returns the step that launched an operation. A trace without markers has one step, 0. Without a step, returns the
 * number of steps if the operation ends before the first step, otherwise TP_NO_ID. */
static uint32_t find_step(const struct tp_pass *p, uint32_t k)
{
    const struct tp_model *model = p->graph->model;
    uint32_t launch = model->devices.launch[k];
    if (is_whole(p))
        return 0;
    uint32_t step = launch == TP_NO_ID || !model->launches.step ? TP_NO_ID : model->launches.step[launch];
    if (step < model->step_count)
        return step;
    return tp_event_end(tp_device_event(model, k)) < p->frame->first_start_ns ? model->step_count : TP_NO_ID;
}

/* Sets the step of the operations that may end it: the last ones of each stream. If operations overlap, all may. */
static void find_last_operations(struct tp_pass *p)
{
    const struct tp_replay_graph *graph = p->graph;
    const struct tp_model *model = graph->model;
    p->step_of = tp_arena_array(p->arena, model->devices.count, sizeof *p->step_of);
    for (uint32_t k = 0; k < model->devices.count; k++)
        p->step_of[k] = find_step(p, k);
    for (uint32_t k = 0; k < model->devices.count && !graph->counts.overlaps; k++) {
        const struct tp_replay_node *n = &graph->nodes[graph->first_device + k];
        for (uint32_t i = n->first_edge; i < n[1].first_edge; i++) {
            const struct tp_replay_edge *e = &graph->edges[i];
            uint32_t before = e->source - graph->first_device;
            if (e->reason == TP_EDGE_STREAM && !e->from_start && find_step(p, before) == find_step(p, k))
                p->step_of[before] = TP_NO_ID;
        }
    }
}

static void add_point(struct tp_pass *p, uint32_t node)
{
    uint32_t *point = tp_id_map_find_or_add(&p->points, node);
    if (*point == TP_NO_ID)
        *point = p->points.count - 1;
    p->is_point[node / 64] |= UINT64_C(1) << node % 64;
}

static struct tp_row *make_rows(const struct tp_pass *p, size_t count, double value)
{
    struct tp_row *rows = tp_arena_array(p->arena, count * p->blocks, sizeof *rows);
    for (size_t i = 0; i < count * p->blocks * TP_BLOCK; i++)
        tp_rows_values(rows)[i] = value;
    return rows;
}

static uint32_t *make_nodes(const struct tp_pass *p, size_t count)
{
    uint32_t *nodes = tp_arena_array(p->arena, count * p->path_count + 1, sizeof *nodes);
    memset(nodes, 0xFF, count * p->path_count * sizeof *nodes);
    return nodes;
}

void tp_pass_prepare_steps(struct tp_pass *p)
{
    const struct tp_replay_graph *graph = p->graph;
    tp_id_map_init(&p->points, p->arena);
    p->is_point = tp_arena_array(p->arena, (size_t)graph->node_count / 64 + 1, sizeof *p->is_point);
    for (uint32_t s = 0; s < step_count(p) && p->frame->begins; s++) {
        add_point(p, p->frame->begins[s].node);
        add_point(p, p->frame->ends[s].node);
    }
    if (is_whole(p) && graph->reference_count) {
        add_point(p, graph->reference_nodes[0]);
        add_point(p, graph->reference_nodes[graph->reference_count - 1]);
    }
    if (p->frame->begins_on_host)
        add_point(p, graph->main_first);
    find_last_operations(p);
    p->step_end = make_rows(p, (size_t)step_count(p) + 1, TP_NEVER);
    p->step_last = make_nodes(p, (size_t)step_count(p) + 1);
    p->point_start = make_rows(p, p->points.count, 0);
    p->point_end = make_rows(p, p->points.count, 0);
    p->point_first = make_nodes(p, p->points.count);
    p->thread_end = make_rows(p, 1, TP_NEVER);
    p->thread_first = make_nodes(p, 1);
    p->window_start = make_rows(p, 1, -TP_NEVER);
}

/* Notes the end of an operation that may end its step. Of operations with equal ends, the first with an edge counts. */
static void note_operation(struct tp_pass *p, uint32_t node, uint32_t step, const struct tp_row *end)
{
    const struct tp_replay_node *n = &p->graph->nodes[node];
    uint32_t *last = p->step_last + (size_t)step * p->path_count;
    const double *ends = tp_rows_const_values(end);
    double *latest = tp_rows_values(p->step_end + (size_t)step * p->blocks);
    bool has_edge = n[1].first_edge > n->first_edge;
    for (uint32_t i = 0; i < p->path_count; i++) {
        const struct tp_replay_node *other = last[i] == TP_NO_ID ? NULL : &p->graph->nodes[last[i]];
        bool is_equal = ends[i] == latest[i],
             is_better = !other || (has_edge && other[1].first_edge == other->first_edge);
        if (ends[i] > latest[i] || (is_equal && is_better) || (is_equal && node < last[i] && has_edge))
            last[i] = node;
    }
    for (uint32_t i = 0; i < p->blocks * TP_BLOCK; i++)
        latest[i] = ends[i] > latest[i] ? ends[i] : latest[i];
}

/* Notes from which node on the reference thread has the same end. */
static void note_thread(struct tp_pass *p, uint32_t node, const struct tp_row *end)
{
    const double *ends = tp_rows_const_values(end);
    double *latest = tp_rows_values(p->thread_end);
    for (uint32_t i = 0; i < p->path_count; i++)
        if (ends[i] > latest[i]) {
            latest[i] = ends[i];
            p->thread_first[i] = node;
        }
}

void tp_pass_note_times(struct tp_pass *p, uint32_t node, const struct tp_row *start, const struct tp_row *end)
{
    const struct tp_replay_graph *graph = p->graph;
    uint32_t k = node - graph->first_device;
    if (node >= graph->first_device && k < graph->model->devices.count) {
        if (p->step_of[k] != TP_NO_ID)
            note_operation(p, node, p->step_of[k], end);
        const double *starts = tp_rows_const_values(start);
        double *firsts = tp_rows_values(p->window_start);
        for (uint32_t i = 0; is_whole(p) && i < p->blocks * TP_BLOCK; i++)
            firsts[i] = starts[i] < firsts[i] ? starts[i] : firsts[i];
        return;
    }
    if (graph->reference != TP_NO_ID && node < graph->lanes[graph->reference].end)
        note_thread(p, node, end); /* the nodes of the reference thread come first */
    if (!(p->is_point[node / 64] >> node % 64 & 1))
        return;
    const uint32_t *point = tp_id_map_find(&p->points, node);
    memcpy(p->point_start + (size_t)*point * p->blocks, start, p->blocks * sizeof *start);
    memcpy(p->point_end + (size_t)*point * p->blocks, end, p->blocks * sizeof *end);
    for (uint32_t i = 0; i < p->path_count; i++)
        p->point_first[(size_t)*point * p->path_count + i] =
            tp_rows_get(p->thread_end, i) == tp_rows_get(end, i) ? p->thread_first[i] : node;
}

/* ---- steps of a lane ---- */

static double time_at(const struct tp_pass *p, uint32_t lane, uint32_t node, bool is_end)
{
    uint32_t point = tp_id_map_get(&p->points, node);
    return tp_rows_get((is_end ? p->point_end : p->point_start) + (size_t)point * p->blocks, lane);
}

static double time_of_point(const struct tp_pass *p, uint32_t lane, const struct tp_step_point *point)
{
    return time_at(p, lane, point->node, point->is_end) + (double)point->distance_ns;
}

static int64_t absolute(const struct tp_pass *p, double at)
{
    return at >= 9e18 ? INT64_MAX : at <= -9e18 ? INT64_MIN + 1 : tp_sat_add(p->base_ns, (int64_t)at);
}

static void add_step(const struct tp_pass *p, struct tp_replay_lane *lane, double a, double b)
{
    struct tp_interval step = {absolute(p, a), absolute(p, b)};
    lane->steps[lane->step_count++] = step;
    lane->ns = tp_sat_add(lane->ns, tp_sat_sub(step.b, step.a));
}

/* Chooses the node with which a step ends at `end`: an operation, or a node of the reference thread. An operation
 * without an edge has no reason for its end, so the thread comes before it. */
static uint32_t choose_last(const struct tp_pass *p, uint32_t lane, uint32_t step, double end, uint32_t host,
                            double host_end)
{
    uint32_t device = p->step_last[(size_t)step * p->path_count + lane];
    if (device != TP_NO_ID && tp_rows_get(p->step_end + (size_t)step * p->blocks, lane) != end)
        device = TP_NO_ID;
    uint32_t point = host == TP_NO_ID || host_end != end ? TP_NO_ID : tp_id_map_get(&p->points, host);
    uint32_t thread = point == TP_NO_ID ? TP_NO_ID : p->point_first[(size_t)point * p->path_count + lane];
    const struct tp_replay_node *n = device == TP_NO_ID ? NULL : &p->graph->nodes[device];
    return n && (n[1].first_edge > n->first_edge || thread == TP_NO_ID) ? device : thread;
}

/* The window of a trace without markers: from the first operation, or the start of the main thread, to the end of the
 * last operation. */
static void find_window(const struct tp_pass *p, uint32_t i, struct tp_replay_lane *lane)
{
    const struct tp_replay_graph *graph = p->graph;
    if (graph->model->devices.count) {
        double a = tp_rows_get(p->window_start, i), b = tp_rows_get(p->step_end, i);
        if (p->frame->begins_on_host && time_at(p, i, graph->main_first, false) < a)
            a = time_at(p, i, graph->main_first, false);
        add_step(p, lane, a, b);
        lane->last_node = i < p->path_count ? choose_last(p, i, 0, b, TP_NO_ID, 0) : TP_NO_ID;
    } else if (graph->reference_count) {
        uint32_t last = graph->reference_nodes[graph->reference_count - 1];
        double b = time_at(p, i, last, true);
        add_step(p, lane, time_at(p, i, graph->reference_nodes[0], false), b);
        lane->last_node = i < p->path_count ? choose_last(p, i, 0, b, last, b) : TP_NO_ID;
    }
}

/* A step lasts until its last operation ends, and does not begin before the step before it has ended. */
static void find_steps(const struct tp_pass *p, uint32_t i, struct tp_replay_lane *lane)
{
    const struct tp_step_frame *frame = p->frame;
    double previous = TP_NEVER, last_start = TP_NEVER, last_end = TP_NEVER;
    if (frame->has_operations) {
        double earlier = tp_rows_get(p->step_end + (size_t)step_count(p) * p->blocks, i);
        previous = time_of_point(p, i, &frame->begins[0]);
        previous = earlier > previous ? earlier : previous;
    }
    for (uint32_t s = 0; s < step_count(p); s++) {
        double a = time_of_point(p, i, &frame->begins[s]), host_end = time_of_point(p, i, &frame->ends[s]),
               b = host_end;
        if (frame->has_operations) {
            double device_end = tp_rows_get(p->step_end + (size_t)s * p->blocks, i);
            a = a > previous ? a : previous;
            b = b > a ? b : a;
            previous = b = b > device_end ? b : device_end;
        }
        if (!tp_step_is_used(&p->graph->model->steps[s]))
            continue;
        add_step(p, lane, a, b);
        if (i < p->path_count && (a > last_start || (a == last_start && b > last_end))) {
            last_start = a;
            last_end = b;
            host_end = frame->ends[s].distance_ns ? TP_NEVER : host_end;
            lane->last_node = choose_last(p, i, s, b, frame->ends[s].node, host_end);
        }
    }
}

void tp_pass_finish_steps(struct tp_pass *p)
{
    for (uint32_t i = 0; i < p->lane_count; i++) {
        struct tp_replay_lane *lane = &p->replay->lanes[p->first_lane + i];
        lane->steps = tp_arena_array(p->arena, (size_t)step_count(p) + 1, sizeof *lane->steps);
        lane->step_count = 0;
        lane->ns = 0;
        lane->last_node = TP_NO_ID;
        if (is_whole(p))
            find_window(p, i, lane);
        else if (p->frame->begins)
            find_steps(p, i, lane);
        for (uint32_t g = 0; lane->change->hides_communication && g < p->graph->model->gpu_count; g++)
            lane->ns = tp_ns_max(lane->ns, tp_intervals_intersection_length(p->graph->model->gpus[g].communication,
                                                                            p->graph->model->window));
    }
    tp_arena_free_item(p->arena, p->step_of, p->graph->model->devices.count * sizeof *p->step_of);
}
