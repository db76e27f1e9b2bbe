/* Draws the states of threads over time. See chart_lanes.h. */
#include "webreport/document/charts/chart_lanes.h"

#include <stdio.h>

#include "writer/text/format.h"

enum tp_chart_kind tp_program_part_kind(unsigned part)
{
    static const uint8_t kinds[TP_WALL_COUNT] = {[TP_WALL_RUNNING] = TP_CHART_KERNEL,
                                                 [TP_WALL_READY] = TP_CHART_RUNTIME,
                                                 [TP_WALL_WAITS + TP_WAIT_DISK] = TP_CHART_DATA,
                                                 [TP_WALL_WAITS + TP_WAIT_PAGE_FAULT] = TP_CHART_DATA,
                                                 [TP_WALL_WAITS + TP_WAIT_SOCKET] = TP_CHART_MEMCPY,
                                                 [TP_WALL_WAITS + TP_WAIT_TERMINAL] = TP_CHART_MEMSET,
                                                 [TP_WALL_WAITS + TP_WAIT_SLEEP] = TP_CHART_OTHER,
                                                 [TP_WALL_WAITS + TP_WAIT_LOCK] = TP_CHART_COMM,
                                                 [TP_WALL_WAITS + TP_WAIT_KERNEL_LOCK] = TP_CHART_COMM,
                                                 [TP_WALL_WAITS + TP_WAIT_FILE] = TP_CHART_DATA,
                                                 [TP_WALL_WAITS + TP_WAIT_PIPE] = TP_CHART_CPU,
                                                 [TP_WALL_WAITS + TP_WAIT_POLL] = TP_CHART_OTHER,
                                                 [TP_WALL_WAITS + TP_WAIT_SIGNAL] = TP_CHART_OTHER,
                                                 [TP_WALL_WAITS + TP_WAIT_STOPPED] = TP_CHART_OTHER,
                                                 [TP_WALL_WAITS + TP_WAIT_CHILD] = TP_CHART_OTHER,
                                                 [TP_WALL_WAITS + TP_WAIT_EXIT] = TP_CHART_OTHER,
                                                 [TP_WALL_WAITS + TP_WAIT_RECORDING] = TP_CHART_OTHER,
                                                 [TP_WALL_WAITS + TP_WAIT_UNKNOWN] = TP_CHART_OTHER};
    return (enum tp_chart_kind)kinds[part];
}

/* Several intervals that are drawn as one, with the total time of each state. */
struct joined {
    int64_t begin_ns, end_ns;
    int64_t part_ns[TP_WALL_COUNT];
};

struct lane {
    const struct tp_process_tree *tree;
    struct tp_vec paths[TP_CHART_KINDS][TP_STATE_COUNT]; /* elements: char, path data for each color and height */
    double scale;                                        /* drawing units per nanosecond */
};

static unsigned wall_part_of_slice(const struct tp_thread_slice *piece)
{
    return piece->state == TP_STATE_RUNNING ? TP_WALL_RUNNING
           : piece->state == TP_STATE_READY ? TP_WALL_READY
                                            : TP_WALL_WAITS + (unsigned)piece->cause;
}

static enum tp_thread_state thread_state_of_wall_part(unsigned part)
{
    return part == TP_WALL_RUNNING ? TP_STATE_RUNNING : part == TP_WALL_READY ? TP_STATE_READY : TP_STATE_BLOCKED;
}

static void draw_interval_of_part(struct lane *lane, unsigned part, double x, double width)
{
    static const int heights[TP_STATE_COUNT] = {TP_LANE_HEIGHT, 12, 6};
    enum tp_thread_state state = thread_state_of_wall_part(part);
    struct tp_vec *path = &lane->paths[tp_program_part_kind(part)][state];
    int height = heights[state];
    char text[96];
    int size =
        snprintf(text, sizeof text, "M%.6g %dh%.4gv%dh-%.4gz", x, (TP_LANE_HEIGHT - height) / 2, width, height, width);
    for (int i = 0; i < size; i++)
        *(char *)tp_vec_push(path) = text[i];
}

/* Draws joined intervals as three parts: running, ready, then waits in the order of their causes. The length of each
 * part is its total time. */
static void draw_joined_slices(struct lane *lane, const struct joined *joined)
{
    int64_t at_ns = joined->begin_ns;
    for (unsigned part = 0; part < TP_WALL_COUNT; part++) {
        if (!joined->part_ns[part])
            continue;
        draw_interval_of_part(lane, part, (double)(at_ns - lane->tree->begin_ns) * lane->scale,
                              (double)joined->part_ns[part] * lane->scale);
        at_ns += joined->part_ns[part];
    }
}

/* Returns the length that joined intervals must reach so that a lane has at most max_intervals of them, ns. */
static int64_t shortest_joined_ns(const struct tp_process_tree *tree, uint32_t max_intervals)
{
    int64_t length = tree->end_ns - tree->begin_ns;
    return length / (max_intervals ? max_intervals : 1) + 1;
}

void tp_chart_put_lane(struct tp_list *paths, struct tp_arena *arena, const struct tp_process_tree *tree,
                       uint32_t thread, uint32_t max_intervals)
{
    const struct tp_tree_thread *t = &tree->threads[thread];
    struct lane *lane = tp_arena_alloc(arena, sizeof *lane);
    struct joined joined = {0};
    int64_t length = tree->end_ns - tree->begin_ns, least = shortest_joined_ns(tree, max_intervals);
    bool joins = t->count > max_intervals;
    lane->tree = tree;
    for (unsigned i = 0; i < TP_CHART_KINDS * TP_STATE_COUNT; i++)
        lane->paths[i / TP_STATE_COUNT][i % TP_STATE_COUNT] = TP_VEC(arena, char);
    lane->scale = length > 0 ? (double)TP_LANE_WIDTH / (double)length : 0;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct tp_thread_slice *piece = &tree->slices[t->first + i];
        bool is_apart = joined.end_ns != piece->begin_ns; /* intervals are joined only if they are adjacent */
        if (i && (is_apart || !joins || joined.end_ns - joined.begin_ns >= least)) {
            draw_joined_slices(lane, &joined);
            joined = (struct joined){0};
        }
        if (!joined.end_ns && !joined.begin_ns)
            joined.begin_ns = piece->begin_ns;
        joined.end_ns = piece->end_ns;
        joined.part_ns[wall_part_of_slice(piece)] += piece->end_ns - piece->begin_ns;
    }
    if (t->count)
        draw_joined_slices(lane, &joined);
    for (unsigned kind = 0; kind < TP_CHART_KINDS; kind++)
        for (unsigned state = 0; state < TP_STATE_COUNT; state++) {
            struct tp_vec *path = &lane->paths[kind][state];
            if (!path->count)
                continue;
            struct tp_object *object = tp_list_add_object(paths);
            tp_chart_put_kind(object, (enum tp_chart_kind)kind);
            tp_object_add_str(object, "path", (struct tp_str){path->data, path->count});
        }
}

void tp_chart_put_lane_times(struct tp_list *times, struct tp_arena *arena, const struct tp_process_tree *tree)
{
    double length = (double)(tree->end_ns - tree->begin_ns), top;
    if (!(length > 0))
        return;
    double tick = tp_chart_tick_distance(length, &top);
    for (double at = 0; at <= length * 0.97; at += tick) {
        struct tp_object *time = tp_list_add_object(times);
        tp_chart_put_percent(time, "x", 100 * at / length);
        tp_object_add_text(time, "label", tp_text_of_time(arena, (int64_t)at));
        tp_object_add_text(time, "anchor", at > 0 ? "middle" : "start");
    }
}
