/* Implements fragment.h: determines whether a trace has too little work for findings. */
#include "webreport/measure/views/fragment.h"

#include "webreport/model/main_thread.h"
#include "writer/base/saturate.h"

static const int64_t LEAST_NS = 100000000; /* limit, ns: a recording that is shorter, or has less work, is a fragment */

/* Returns whether the program works during an event. Waits are not work. Frames, modules and steps are not work either,
 * because they only show the place in the program. */
static bool is_host_work(const struct tp_model *model, const struct tp_event *e)
{
    const unsigned waits = TP_RANGE_BIT(INPUT) | TP_RANGE_BIT(WAIT) | TP_RANGE_BIT(SYNC);
    return e->kind == TP_KIND_OPERATOR || e->kind == TP_KIND_RUNTIME ||
           (e->kind == TP_KIND_ANNOTATION && !(model->marks[e->name] & TP_MARK_STEP) &&
            !(waits >> tp_event_range_kind(model, e) & 1));
}

static bool has_step_with_work(const struct tp_model *model)
{
    bool has_work = false;
    for (uint32_t i = 0; i < model->trace->event_count && model->step_marker != TP_MARKER_WINDOW && !has_work; i++) {
        const struct tp_event *e = &model->trace->events[i];
        has_work =
            (is_host_work(model, e) || tp_kind_is_device(e->kind)) && tp_intervals_contain(model->window, e->ts_ns);
    }
    return has_work;
}

/* Returns the time in which the thread works, ns. Time in several overlapping events is added only once. */
static int64_t work_ns_of_thread(const struct tp_model *model, uint32_t thread)
{
    const struct tp_order *order = model->order;
    int64_t sum = 0, end = INT64_MIN;
    for (uint32_t i = order->thread_first[thread]; i < order->thread_first[thread + 1]; i++) {
        const struct tp_event *e = &model->trace->events[order->host[i]];
        int64_t begin = e->ts_ns > end ? e->ts_ns : end;
        if (!is_host_work(model, e) || tp_event_end(e) <= begin)
            continue;
        end = tp_event_end(e);
        sum = tp_sat_add(sum, tp_sat_sub(end, begin));
    }
    return sum;
}

/* Returns whether the total work of all threads and devices is at least least_ns. The time of samples is work of their
 * thread. */
static bool has_enough_work(const struct tp_model *model, int64_t least_ns)
{
    const struct tp_trace *trace = model->trace;
    int64_t sum = 0;
    for (uint32_t t = 0; t < trace->thread_count && sum < least_ns; t++)
        sum = tp_sat_add(sum, work_ns_of_thread(model, t));
    for (uint32_t i = 0; i < trace->event_count && sum < least_ns; i++)
        if (tp_kind_is_device(trace->events[i].kind))
            sum = tp_sat_add(sum, trace->events[i].dur_ns);
    for (uint32_t i = 0; i < trace->sample_count && sum < least_ns; i++)
        sum = tp_sat_add(sum, trace->samples[i].cpu_ns > 0 ? trace->samples[i].cpu_ns : 0);
    return sum >= least_ns;
}

bool tp_is_fragment(const struct tp_model *model, int64_t recorded_ns, struct tp_arena *arena)
{
    bool is_host = model->program == TP_RECORDED_CPU;
    if ((!is_host && model->program != TP_RECORDED_GPU) || !model->window_ns)
        return false;
    if (has_step_with_work(model) || has_enough_work(model, LEAST_NS))
        return false;
    return recorded_ns >= LEAST_NS || (is_host && tp_intervals_length(tp_main_thread_loading(model, arena)) > 0);
}
