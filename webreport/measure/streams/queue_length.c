/* Implements queue_length.h. */
#include "webreport/measure/streams/queue_length.h"

#include "webreport/model/numbers.h"
#include "writer/base/stats.h"

/* ---- curves ---- */

void tp_part_curve_init(struct tp_part_curve *curve, const struct tp_model *model)
{
    int64_t length_ns = tp_ns_max(tp_sat_sub(model->last_ns, model->first_ns), 1);
    *curve = (struct tp_part_curve){.first_ns = model->first_ns,
                                    .part_ns = length_ns / TP_CURVE_PARTS + (length_ns % TP_CURVE_PARTS > 0)};
}

static unsigned part_at(const struct tp_part_curve *curve, int64_t at)
{
    int64_t part = tp_sat_sub(at, curve->first_ns) / curve->part_ns;
    return part < 0 ? 0 : part < TP_CURVE_PARTS ? (unsigned)part : TP_CURVE_PARTS - 1;
}

void tp_part_curve_add(struct tp_part_curve *curve, int64_t at, double value)
{
    unsigned part = part_at(curve, at);
    curve->sum[part] += value;
    curve->weight[part]++;
}

void tp_part_curve_add_interval(struct tp_part_curve *curve, int64_t a, int64_t b, double value)
{
    while (a < b) {
        unsigned part = part_at(curve, a);
        int64_t end = tp_sat_add(curve->first_ns, tp_sat_mul(curve->part_ns, part + 1));
        end = part == TP_CURVE_PARTS - 1 || end > b ? b : end;
        double length_ns = (double)end - (double)a;
        curve->sum[part] += value * length_ns;
        curve->weight[part] += length_ns;
        a = end;
    }
}

/* ---- queue ---- */

/* Visits the changes of a queue in order of time. A call precedes the start of an operation at the same time. */
struct sweep {
    const struct tp_queue_times *times;
    size_t calls, starts; /* numbers of visited calls and starts */
    int64_t at_ns;        /* time of the last change, ns */
    int64_t length; /* length of the queue after the last change; below 0 if operations start before their calls */
};

/* Returns false after the last change. */
static inline bool visit_change(struct sweep *sweep)
{
    const struct tp_queue_times *times = sweep->times;
    if (sweep->starts == times->count && sweep->calls == times->count)
        return false;
    bool is_call = sweep->calls < times->count &&
                   (sweep->starts == times->count || times->calls[sweep->calls] <= times->starts[sweep->starts]);
    sweep->at_ns = is_call ? times->calls[sweep->calls++] : times->starts[sweep->starts++];
    sweep->length += is_call ? 1 : -1;
    return true;
}

/* Finds the minimum, the maximum and the means. */
static void find_means(struct tp_queue_length *queue, const struct tp_queue_times *times, struct tp_part_curve *curve)
{
    struct sweep sweep = {.times = times};
    int64_t first_ns = tp_ns_min(times->calls[0], times->starts[0]), before_ns = first_ns, before = 0;
    __int128 sum = 0, area = 0; /* products of a length and a time may exceed 64 bits */
    while (visit_change(&sweep)) {
        area += (__int128)before * (sweep.at_ns - before_ns);
        if (curve)
            tp_part_curve_add_interval(curve, before_ns, sweep.at_ns, (double)before);
        before_ns = sweep.at_ns;
        before = sweep.length;
        sum += before;
        queue->min = tp_ns_min(queue->min, before);
        queue->max = tp_ns_max(queue->max, before);
    }
    queue->mean = before_ns > first_ns ? (double)area / (double)(before_ns - first_ns) : 0;
    queue->mean_at_changes = (double)sum / (double)queue->change_count;
}

/* Returns the length at the rank (from 0) of the sorted lengths. counts: number of changes to each length from min on.
 */
static int64_t length_of_rank(const uint32_t *counts, int64_t min, size_t rank)
{
    for (; rank >= *counts; counts++, min++)
        rank -= *counts;
    return min;
}

void tp_queue_length_find(struct tp_queue_length *queue, const struct tp_queue_times *times,
                          struct tp_part_curve *curve, struct tp_arena *arena)
{
    enum { NEAR_MAX_TENTHS = 9 };
    size_t changes = 2 * times->count;
    *queue = (struct tp_queue_length){.change_count = (int64_t)changes, .min = INT64_MAX, .max = INT64_MIN};
    find_means(queue, times, curve);
    size_t lengths = (size_t)(queue->max - queue->min) + 1;
    uint32_t *counts = tp_arena_array(arena, lengths, sizeof *counts);
    struct sweep sweep = {.times = times};
    int64_t near_since_ns = 0;
    bool is_near = false;
    while (visit_change(&sweep)) {
        counts[sweep.length - queue->min]++;
        queue->near_max_ns += is_near ? sweep.at_ns - near_since_ns : 0;
        is_near = sweep.length * 10 >= queue->max * NEAR_MAX_TENTHS;
        near_since_ns = sweep.at_ns;
    }
    queue->median = length_of_rank(counts, queue->min, tp_nearest_rank(changes, 50));
    queue->p75 = length_of_rank(counts, queue->min, tp_nearest_rank(changes, 75));
    tp_arena_free_item(arena, counts, lengths * sizeof *counts);
}
