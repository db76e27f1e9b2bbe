/* Makes one step of a recording without markers (docs/definitions.md, section 5): see steps_parts.h. */
#include "webreport/model/numbers.h"
#include "webreport/model/steps_parts.h"
#include "writer/base/saturate.h"

void tp_steps_add(struct tp_model *model, struct tp_str name, int64_t start, int64_t end, uint32_t event)
{
    model->steps[model->step_count++] = (struct tp_step){name, start, end, start, end, event, TP_STEP_USED, 0};
}

enum work_level { WORK_OPERATORS, WORK_HOST, WORK_DEVICE, WORK_ANY, WORK_LEVELS };

static bool is_work(const struct tp_model *model, const struct tp_event *e, enum work_level level)
{
    switch (level) {
    case WORK_OPERATORS:
        return e->kind == TP_KIND_OPERATOR ||
               (e->kind == TP_KIND_ANNOTATION && (model->marks[e->name] & TP_MARK_REGION));
    case WORK_HOST:
        return e->kind == TP_KIND_ANNOTATION || e->kind == TP_KIND_RUNTIME;
    case WORK_DEVICE:
        return tp_kind_is_device(e->kind);
    default:
        return tp_kind_is_host(e->kind);
    }
}

struct tp_interval tp_steps_host_extent(const struct tp_model *model)
{
    struct tp_interval extent = {model->first_ns, model->first_ns};
    for (unsigned level = 0; level < WORK_LEVELS; level++) {
        bool has_any = false;
        for (uint32_t i = 0; i < model->trace->event_count; i++) {
            const struct tp_event *e = &model->trace->events[i];
            if (!is_work(model, e, level))
                continue;
            int64_t end = tp_event_end(e);
            if (!has_any || e->ts_ns < extent.a)
                extent.a = e->ts_ns;
            if (!has_any || end > extent.b)
                extent.b = end;
            has_any = true;
        }
        if (has_any)
            break;
    }
    return extent;
}

/* Returns true if the device was free before its first operation. The evidence is that this operation started promptly
 * after its call. In this case the time before the operation belongs to the recorded program. Otherwise the earlier
 * activity of the device is unknown. */
static bool begins_with_free_devices(const struct tp_model *model)
{
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k), *launch = tp_launch_of_device(model, k);
        if (e->dur_ns > 0)
            return launch && tp_sat_sub(e->ts_ns, tp_event_end(launch)) <= TP_PROMPT_NS;
    }
    return false;
}

static void extend_step_over(struct tp_step *step, const struct tp_model *model, const uint32_t *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_event *e = &model->trace->events[items[i]];
        step->start_ns = i && step->start_ns < e->ts_ns ? step->start_ns : e->ts_ns;
        step->end_ns = i && step->end_ns > tp_event_end(e) ? step->end_ns : tp_event_end(e);
    }
}

void tp_steps_add_whole_recording(struct tp_model *model, struct tp_interval extent)
{
    const struct tp_order *order = model->order;
    model->step_marker = TP_MARKER_WINDOW;
    model->steps = tp_arena_array(model->arena, 1, sizeof *model->steps);
    tp_steps_add(model, TP_STR("0"), extent.a, extent.b, TP_NO_ID);
    struct tp_step *step = &model->steps[0];
    step->operation_count = order->device_count;
    uint32_t first = 0, host_count = 0;
    if (model->host_main != TP_NO_ID) {
        first = order->thread_first[model->host_main];
        host_count = order->thread_first[model->host_main + 1] - first;
    }
    if (!order->device_count) {
        extend_step_over(step, model, order->host + first, host_count);
        return;
    }
    extend_step_over(step, model, order->device, order->device_count);
    if (host_count && begins_with_free_devices(model))
        step->start_ns = tp_ns_min(step->start_ns, model->trace->events[order->host[first]].ts_ns);
}
