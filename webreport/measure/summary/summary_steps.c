/* Adds the steps of a summary, and finds the step of an event. */
#include "webreport/measure/summary/summary_parts.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"

/* ---- the step of an event ---- */

static uint32_t used_step_or_no_id(const struct tp_summary_work *work, uint32_t step)
{
    return step < work->out->step_count ? step : TP_NO_ID;
}

uint32_t tp_summary_step_of_host(const struct tp_summary_work *work, int64_t at_ns)
{
    return used_step_or_no_id(work, tp_step_of_host_time(work->source->model, at_ns));
}

uint32_t tp_summary_step_of_device(const struct tp_summary_work *work, uint32_t device)
{
    return used_step_or_no_id(work, tp_step_of_device(work->source->model, device));
}

/* ---- parts ---- */

/* Columns of the step table for the first parts, in the order of enum tp_summary_part. */
static const uint8_t part_columns[] = {TP_STEP_KERNEL,  TP_STEP_MEMCPY,     TP_STEP_MEMSET,   TP_STEP_COMMUNICATION,
                                       TP_STEP_RUNTIME, TP_STEP_DATALOADER, TP_STEP_CPU_EXEC, TP_STEP_OTHER};

static void fill_step(struct tp_summary_work *work, uint32_t i)
{
    const struct tp_overview *overview = &work->source->views->overview;
    struct tp_summary_step *step = &work->out->steps[i];
    step->name = tp_summary_intern_text(work, tp_table_text(&overview->steps, TP_STEP_NAME)[i]);
    step->start_ns = tp_sat_sub(work->source->model->steps[i].start_ns, work->source->model->first_ns);
    step->total_ns = tp_table_int(&overview->steps, TP_STEP_TOTAL)[i];
    step->is_left_out = !tp_table_bool(&overview->steps, TP_STEP_IS_USED)[i];
    for (unsigned p = 0; p < TP_PART_COUNT; p++)
        step->part_ns[p] = TP_NULL_INT;
    for (unsigned p = 0; p < sizeof part_columns; p++)
        step->part_ns[p] = tp_table_int(&overview->steps, part_columns[p])[i];
    const struct tp_table *overlap = &overview->communication_overlap;
    if (work->source->model->has_category[TP_CATEGORY_COMMUNICATION])
        step->part_ns[TP_PART_EXPOSED_COMMUNICATION] = tp_sat_sub(tp_table_int(overlap, TP_OVERLAP_COMMUNICATION)[i],
                                                                  tp_table_int(overlap, TP_OVERLAP_OVERLAP)[i]);
}

/* Returns the part of a step's time to which an idle time of a device belongs. */
static enum tp_summary_part part_of_idle_slice(const struct tp_idle_slice *piece)
{
    static const uint8_t parts[TP_IDLE_PARTS] = {[TP_IDLE_HOST] = TP_PART_IDLE_HOST,
                                                 [TP_IDLE_LAUNCH] = TP_PART_IDLE_LAUNCH,
                                                 [TP_IDLE_QUEUE] = TP_PART_IDLE_QUEUE,
                                                 [TP_IDLE_OUTSIDE] = TP_PART_IDLE_OUTSIDE,
                                                 [TP_IDLE_UNKNOWN] = TP_PART_IDLE_UNKNOWN};
    return parts[piece->part];
}

/* Adds the idle times of one device to the parts of analysed steps. Idle times and steps are in order of time. One idle
 * time may span several adjacent steps. */
static void add_idle_times(struct tp_summary_work *work, const struct tp_gpu *gpu)
{
    const struct tp_model *model = work->source->model;
    uint32_t first = 0;
    for (uint32_t s = 0; s < work->out->step_count; s++) {
        const struct tp_step *step = &model->steps[s];
        int64_t *parts = work->out->steps[s].part_ns;
        if (!tp_step_is_used(step))
            continue;
        for (unsigned p = TP_PART_IDLE_HOST; p <= TP_PART_IDLE_OUTSIDE; p++)
            if (p != TP_PART_EXPOSED_COMMUNICATION && parts[p] == TP_NULL_INT)
                parts[p] = 0;
        while (first < gpu->idle_count && gpu->idle[first].b <= step->start_ns)
            first++;
        for (uint32_t i = first; i < gpu->idle_count && gpu->idle[i].a < step->end_ns; i++) {
            const struct tp_idle_slice *piece = &gpu->idle[i];
            int64_t *part = &parts[part_of_idle_slice(piece)];
            int64_t a = piece->a > step->start_ns ? piece->a : step->start_ns;
            int64_t b = piece->b < step->end_ns ? piece->b : step->end_ns;
            *part = tp_sat_add(*part, b - a);
        }
    }
}

/* ---- sums ---- */

static void set_part_to_zero(struct tp_summary_work *work, enum tp_summary_part part)
{
    for (uint32_t s = 0; s < work->out->step_count; s++)
        work->out->steps[s].part_ns[part] = 0;
}

static void add_time_to_part(struct tp_summary_work *work, enum tp_summary_part part, uint32_t step, int64_t ns)
{
    if (step == TP_NO_ID)
        return;
    int64_t *sum = &work->out->steps[step].part_ns[part];
    *sum = tp_sat_add(*sum, ns);
}

/* Adds the total device and host time of each step. A comparison examines these totals first, because they include work
 * whose rows the summary does not keep. */
static void add_sums(struct tp_summary_work *work)
{
    const struct tp_model *model = work->source->model;
    if (model->devices.count)
        set_part_to_zero(work, TP_PART_DEVICE_SUM);
    if (model->operators.count)
        set_part_to_zero(work, TP_PART_HOST_SUM);
    for (uint32_t k = 0; k < model->devices.count; k++)
        add_time_to_part(work, TP_PART_DEVICE_SUM, tp_summary_step_of_device(work, k),
                         tp_device_event(model, k)->dur_ns);
    for (uint32_t i = 0; i < model->operators.count; i++)
        add_time_to_part(work, TP_PART_HOST_SUM, tp_summary_step_of_host(work, tp_operator_event(model, i)->ts_ns),
                         tp_narrow_get(&model->operators.host_self, i));
}

void tp_summary_steps_build(struct tp_summary_work *work)
{
    const struct tp_model *model = work->source->model;
    size_t count = model->step_count;
    if (count > TP_MAX_SUMMARY_STEPS) {
        work->left_out[TP_CUT_STEPS] = count - TP_MAX_SUMMARY_STEPS;
        count = TP_MAX_SUMMARY_STEPS;
    }
    work->out->steps = tp_arena_array(work->arena, count, sizeof *work->out->steps);
    work->out->step_count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++)
        fill_step(work, i);
    if (count && tp_advice_is_for_program(work->source->advice, model)) /* treats the whole program as one step */
        work->out->steps[0].total_ns = work->source->advice->program.parts.wall_ns;
    for (uint32_t g = 0; g < model->gpu_count; g++)
        add_idle_times(work, &model->gpus[g]);
    if (work->source->extent != TP_SUMMARY_JUDGED)
        add_sums(work);
}
