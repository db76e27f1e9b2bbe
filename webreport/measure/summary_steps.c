/* Steps of a summary, and which step an event belongs to. */
#include "webreport/measure/summary_parts.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"

/* ---- which step ---- */

/* Last step that starts at or before `at`; host: by host markers. TP_NO_ID: none. */
static uint32_t last_before(const struct tp_summary_work *work, int64_t at, bool host)
{
    const struct tp_step *steps = work->source->model->steps;
    uint32_t lo = 0, hi = work->out->step_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if ((host ? steps[mid].host_start_ns : steps[mid].start_ns) <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? lo - 1 : TP_NO_ID;
}

uint32_t tp_summary_step_of_host(const struct tp_summary_work *work, int64_t at_ns)
{
    uint32_t step = last_before(work, at_ns, true);
    return step != TP_NO_ID && at_ns < work->source->model->steps[step].host_end_ns ? step : TP_NO_ID;
}

uint32_t tp_summary_step_of_device(const struct tp_summary_work *work, uint32_t device)
{
    const struct tp_model *model = work->source->model;
    uint32_t launch = model->devices.launch[device];
    if (launch != TP_NO_ID)
        return tp_summary_step_of_host(work, tp_launch_event(model, launch)->ts_ns);
    int64_t at = tp_device_event(model, device)->ts_ns;
    uint32_t step = last_before(work, at, false);
    return step != TP_NO_ID && at < model->steps[step].end_ns ? step : TP_NO_ID;
}

/* ---- parts ---- */

/* Columns of the step table that are parts, in the order of enum tp_summary_part. */
static const uint8_t part_columns[] = {TP_STEP_KERNEL,  TP_STEP_MEMCPY,     TP_STEP_MEMSET,   TP_STEP_COMMUNICATION,
                                       TP_STEP_RUNTIME, TP_STEP_DATALOADER, TP_STEP_CPU_EXEC, TP_STEP_OTHER};

static void fill_step(struct tp_summary_work *work, uint32_t i)
{
    const struct tp_overview *overview = &work->source->views->overview;
    struct tp_summary_step *step = &work->out->steps[i];
    step->name = tp_summary_text(work, tp_table_text(&overview->steps, TP_STEP_NAME)[i]);
    step->start_ns = tp_sat_sub(work->source->model->steps[i].start_ns, work->out->start_ns);
    step->total_ns = tp_table_int(&overview->steps, TP_STEP_TOTAL)[i];
    for (unsigned p = 0; p < TP_PART_COUNT; p++)
        step->part_ns[p] = TP_NULL_INT;
    for (unsigned p = 0; p < sizeof part_columns; p++)
        step->part_ns[p] = tp_table_int(&overview->steps, part_columns[p])[i];
    const struct tp_table *overlap = &overview->communication_overlap;
    if (work->source->model->has_role[TP_ROLE_COMMUNICATION])
        step->part_ns[TP_PART_EXPOSED_COMMUNICATION] = tp_sat_sub(tp_table_int(overlap, TP_OVERLAP_COMMUNICATION)[i],
                                                                  tp_table_int(overlap, TP_OVERLAP_OVERLAP)[i]);
}

/* The idle view finds steps of its own, by the same markers: a step is the same one when its marker is as long. Its
 * window begins with the marker, or with the device's first work if that is later. A single step that stands for the
 * whole trace begins with another event there. */
static uint32_t step_of_idle(const struct tp_summary_work *work, int64_t start_ns, int64_t duration_ns)
{
    const struct tp_step *steps = work->source->model->steps;
    uint32_t at = last_before(work, start_ns, true);
    for (unsigned tries = 0; tries < 2 && at != TP_NO_ID; tries++) {
        if (tp_sat_sub(steps[at].host_end_ns, steps[at].host_start_ns) == duration_ns)
            return at;
        at = at ? at - 1 : TP_NO_ID;
    }
    return TP_NO_ID;
}

static void add_idle(struct tp_summary_work *work, const struct tp_table *steps)
{
    static const uint8_t columns[] = {TP_IDLE_STEP_HOST, TP_IDLE_STEP_DEPENDENCY, TP_IDLE_STEP_UNKNOWN};
    bool is_whole = work->out->step_count == 1 && work->source->model->step_marker == TP_MARKER_WINDOW;
    for (size_t i = 0; i < steps->row_count; i++) {
        int64_t start = tp_sat_add(tp_table_int(steps, TP_IDLE_STEP_START)[i], work->source->model->first_ns);
        uint32_t step = is_whole ? 0 : step_of_idle(work, start, tp_table_int(steps, TP_IDLE_STEP_DURATION)[i]);
        for (unsigned c = 0; c < sizeof columns && step != TP_NO_ID; c++) {
            int64_t *part = &work->out->steps[step].part_ns[TP_PART_IDLE_HOST + c];
            *part = tp_sat_add(*part == TP_NULL_INT ? 0 : *part, tp_table_int(steps, columns[c])[i]);
        }
    }
}

void tp_summary_steps_build(struct tp_summary_work *work)
{
    const struct tp_idle_view *idle = &work->source->advice->idle;
    size_t count = work->source->views->overview.steps.row_count;
    if (count > TP_MAX_SUMMARY_STEPS) {
        work->left_out[TP_CUT_STEPS] = count - TP_MAX_SUMMARY_STEPS;
        count = TP_MAX_SUMMARY_STEPS;
    }
    work->out->steps = tp_arena_array(work->arena, count, sizeof *work->out->steps);
    work->out->step_count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++)
        fill_step(work, i);
    for (uint32_t d = 0; d < idle->device_count; d++)
        add_idle(work, &idle->devices[d].steps);
}
