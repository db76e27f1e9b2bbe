/* Implements overview.h: builds the table of steps, the averages and the communication overlap. overview_gpus.c builds
 * the table of GPUs. */
#include "webreport/measure/views/overview.h"

#include <stdio.h>

#include "webreport/measure/audience/wording.h"
#include "webreport/measure/views/overview_parts.h"
#include "webreport/model/numbers.h"
#include "writer/base/ratio.h"
#include "writer/base/saturate.h"

static const struct tp_column_def step_defs[TP_STEP_COLUMNS] = {
    {"name", "Step", "", "Number or name of the step's marker on the host; 0 if the whole recording is one step.",
     TP_COLUMN_TEXT},
    {"used", "Used", "", "yes if the statistics use this step.", TP_COLUMN_BOOL},
    {"left_out", "Left out", "",
     "Reason why the statistics do not use the step: warm-up (longer than the other steps), unfinished, or different "
     "(other work than the typical step).",
     TP_COLUMN_TEXT},
    {"start_us", "Start", "us",
     "Start of the step's marker on the host, or end of the previous step's device work, whichever is later.",
     TP_COLUMN_NS},
    {"end_us", "End", "us",
     "End of the step's marker on the host, or end of the last device event launched in the step, whichever is later.",
     TP_COLUMN_NS},
    {"kernel_us", "Kernel", "us", "Time of the step in which a compute kernel (a kernel that is not a collective) ran.",
     TP_COLUMN_NS},
    {"memcpy_us", "Memcpy", "us", "Time of the step in which a copy ran, but no compute kernel.", TP_COLUMN_NS},
    {"memset_us", "Memset", "us", "Time of the step in which a memset ran, but no compute kernel or copy.",
     TP_COLUMN_NS},
    {"communication_us", "Communication", "us",
     "Time of the step in which a collective (its kernel or its host call) ran, but no other device work.",
     TP_COLUMN_NS},
    {"runtime_us", "Runtime", "us",
     "Time of the step in which a CUDA, HIP or XPU runtime or driver call ran, but no device work or communication.",
     TP_COLUMN_NS},
    {"dataloader_us", "DataLoader", "us",
     "Time of the step in which the data loader ran, but no device work, communication or runtime call.", TP_COLUMN_NS},
    {"cpu_exec_us", "CPU exec", "us",
     "Time of the step in which {an operator} or {annotation} ran on the host, but no device work, communication, "
     "runtime "
     "call or data loading.",
     TP_COLUMN_NS},
    {"other_us", "Other", "us", "Time of the step in which nothing was recorded.", TP_COLUMN_NS},
    {"total_us", "Total", "us", "Length of the step; the times of the categories add up to it exactly.", TP_COLUMN_NS},
    {"host_start_us", "Host start", "us", "Start of the step's marker on the host.", TP_COLUMN_NS},
    {"host_end_us", "Host end", "us", "End of the step's marker on the host.", TP_COLUMN_NS},
    {"device_busy_us", "{GPU} busy", "us", "Time of the step in which any device ran a kernel, copy or memset.",
     TP_COLUMN_NS},
};

static const struct tp_column_def overlap_defs[TP_OVERLAP_COLUMNS] = {
    {"step", "Step", "", "Name of the step.", TP_COLUMN_TEXT},
    {"computation_us", "Computation", "us",
     "Time of the step in which a compute kernel ran. In a trace without compute kernels, time in which {an operator} "
     "or "
     "{annotation} ran on the host.",
     TP_COLUMN_NS},
    {"communication_us", "Communication", "us",
     "Time of the step in which a collective ran, with or without computation.", TP_COLUMN_NS},
    {"overlap_us", "Overlap", "us", "Time of the step in which computation and communication ran at the same time.",
     TP_COLUMN_NS},
    {"other_us", "Other", "us", "Time of the step without computation and without communication.", TP_COLUMN_NS},
};

const struct tp_column_def tp_average_defs[TP_AVERAGE_COUNT] = {
    {"kernel_us", "Kernel", "us", "Mean time per step in kernels that are not collectives.", TP_COLUMN_REAL},
    {"memcpy_us", "Memcpy", "us", "Mean time per step in copies while no compute kernel runs.", TP_COLUMN_REAL},
    {"memset_us", "Memset", "us", "Mean time per step in memsets while no compute kernel or copy runs.",
     TP_COLUMN_REAL},
    {"communication_us", "Communication", "us", "Mean time per step in collectives while no other device work runs.",
     TP_COLUMN_REAL},
    {"runtime_us", "Runtime", "us",
     "Mean time per step in runtime or driver calls while no device work or communication runs.", TP_COLUMN_REAL},
    {"dataloader_us", "DataLoader", "us",
     "Mean time per step in the data loader while no device work, communication or runtime call runs.", TP_COLUMN_REAL},
    {"cpu_exec_us", "CPU exec", "us",
     "Mean time per step in {operators} or {annotations} on the host while no device work, communication, runtime call "
     "or "
     "data loading runs.",
     TP_COLUMN_REAL},
    {"other_us", "Other", "us", "Mean time per step in which nothing was recorded.", TP_COLUMN_REAL},
    {"total_us", "Step time", "us", "Mean length of an analysed step.", TP_COLUMN_REAL},
    {"device_busy_us", "{GPU} busy", "us", "Mean time per step in which a device ran an operation.", TP_COLUMN_REAL},
};

/* Returns the column of the step table whose mean is this average. */
static unsigned column_of_average(unsigned average)
{
    return average < TP_AVERAGE_DEVICE_BUSY ? TP_STEP_KERNEL + average : TP_STEP_DEVICE_BUSY;
}

/* ---- steps ---- */

/* Sets out[i] to the length of the part of x in step i, ns. Makes one pass over steps and intervals. */
static void lengths_in_steps(const struct tp_model *model, struct tp_intervals x, int64_t *out)
{
    size_t j = 0;
    for (uint32_t i = 0; i < model->step_count; i++) {
        const struct tp_step *step = &model->steps[i];
        out[i] = 0;
        while (j < x.count && x.items[j].b <= step->start_ns)
            j++;
        for (size_t k = j; k < x.count && x.items[k].a < step->end_ns; k++) {
            int64_t a = x.items[k].a > step->start_ns ? x.items[k].a : step->start_ns;
            int64_t b = x.items[k].b < step->end_ns ? x.items[k].b : step->end_ns;
            if (b > a)
                out[i] += b - a;
            if (x.items[k].b <= step->end_ns)
                j = k + 1;
        }
    }
}

/* Sets out[i] to the length of the intersection of x, y and step i, ns. Does not build the list of the intersection. */
static void common_lengths_in_steps(const struct tp_model *model, struct tp_intervals x, struct tp_intervals y,
                                    int64_t *out)
{
    uint32_t step = 0;
    memset(out, 0, model->step_count * sizeof *out);
    for (size_t i = 0, j = 0; i < x.count && j < y.count;) {
        int64_t a = x.items[i].a > y.items[j].a ? x.items[i].a : y.items[j].a;
        int64_t b = x.items[i].b < y.items[j].b ? x.items[i].b : y.items[j].b;
        while (step < model->step_count && model->steps[step].end_ns <= a)
            step++;
        for (uint32_t s = step; a < b && s < model->step_count && model->steps[s].start_ns < b; s++) {
            int64_t from = a > model->steps[s].start_ns ? a : model->steps[s].start_ns;
            int64_t to = b < model->steps[s].end_ns ? b : model->steps[s].end_ns;
            if (to > from)
                out[s] += to - from;
        }
        if (y.items[j].b < x.items[i].b)
            j++;
        else
            i++;
    }
}

/* Assigns each moment of a step to the first category that contains it (D1). Steps are disjoint and in order of time,
 * so one pass over each category is enough. */
static void fill_categories(struct tp_overview *view, const struct tp_model *model)
{
    size_t at[TP_CATEGORY_COUNT] = {0};
    for (uint32_t i = 0; i < model->step_count; i++) {
        int64_t sums[TP_CATEGORY_COUNT + 1] = {0}, end = model->steps[i].end_ns;
        for (int64_t t = model->steps[i].start_ns, stop; t < end; t = stop) {
            unsigned category = TP_CATEGORY_COUNT; /* initial value, which means the category "other" */
            stop = end;
            for (unsigned r = 0; r < category; r++) {
                const struct tp_intervals *set = &model->category_times[r];
                while (at[r] < set->count && set->items[at[r]].b <= t)
                    at[r]++;
                if (at[r] == set->count)
                    continue;
                const struct tp_interval *next = &set->items[at[r]];
                category = next->a <= t ? r : category;
                stop = tp_ns_min(stop, next->a <= t ? next->b : next->a);
            }
            sums[category] += stop - t;
        }
        for (unsigned c = 0; c <= TP_CATEGORY_COUNT; c++)
            tp_table_int(&view->steps, TP_STEP_KERNEL + c)[i] = sums[c];
    }
}

static void build_steps(struct tp_overview *view, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_table *table = &view->steps;
    size_t count = model->step_count;
    tp_table_init(table, arena, "steps", step_defs, TP_STEP_COLUMNS, count);
    table->title = "Steps";
    for (size_t i = 0; i < count; i++) {
        const struct tp_step *step = &model->steps[i];
        tp_table_text(table, TP_STEP_NAME)[i] = step->name;
        tp_table_bool(table, TP_STEP_IS_USED)[i] = tp_step_is_used(step);
        if (!tp_step_is_used(step))
            tp_table_text(table, TP_STEP_LEFT_OUT)[i] = tp_str_of(tp_unused_reason_text(step->left_out));
        tp_table_int(table, TP_STEP_START)[i] = step->start_ns;
        tp_table_int(table, TP_STEP_END)[i] = step->end_ns;
        tp_table_int(table, TP_STEP_TOTAL)[i] = tp_sat_sub(step->end_ns, step->start_ns);
        tp_table_int(table, TP_STEP_HOST_START)[i] = step->host_start_ns;
        tp_table_int(table, TP_STEP_HOST_END)[i] = step->host_end_ns;
    }
    fill_categories(view, model);
    lengths_in_steps(model, model->device_busy, tp_table_int(table, TP_STEP_DEVICE_BUSY));
    view->busy_by_gpu_ns = tp_arena_array(arena, count, model->gpu_count * sizeof *view->busy_by_gpu_ns);
    int64_t *busy = tp_arena_array(arena, count, sizeof *busy);
    for (uint32_t g = 0; g < model->gpu_count; g++) {
        lengths_in_steps(model, model->gpus[g].busy, busy);
        for (size_t i = 0; i < count; i++)
            view->busy_by_gpu_ns[i * model->gpu_count + g] = busy[i];
    }
}

static void build_overlap(struct tp_overview *view, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_table *table = &view->communication_overlap;
    struct tp_intervals computation = model->category_times[TP_CATEGORY_KERNEL];
    if (!computation.count)
        computation = model->category_times[TP_CATEGORY_CPU_EXEC];
    tp_table_init(table, arena, "communication_overlap", overlap_defs, TP_OVERLAP_COLUMNS, model->step_count);
    table->title = "Communication and computation";
    lengths_in_steps(model, computation, tp_table_int(table, TP_OVERLAP_COMPUTATION));
    lengths_in_steps(model, model->category_times[TP_CATEGORY_COMMUNICATION],
                     tp_table_int(table, TP_OVERLAP_COMMUNICATION));
    common_lengths_in_steps(model, computation, model->category_times[TP_CATEGORY_COMMUNICATION],
                            tp_table_int(table, TP_OVERLAP_OVERLAP));
    for (uint32_t i = 0; i < model->step_count; i++) {
        int64_t all = tp_table_int(&view->steps, TP_STEP_TOTAL)[i];
        int64_t x = tp_table_int(table, TP_OVERLAP_COMPUTATION)[i],
                y = tp_table_int(table, TP_OVERLAP_COMMUNICATION)[i];
        tp_table_text(table, TP_OVERLAP_STEP)[i] = model->steps[i].name;
        tp_table_int(table, TP_OVERLAP_OTHER)[i] =
            tp_sat_sub(tp_sat_sub(tp_sat_add(all, tp_table_int(table, TP_OVERLAP_OVERLAP)[i]), x), y);
        if (!tp_step_is_used(&model->steps[i]))
            continue;
        view->communication_ns = tp_sat_add(view->communication_ns, y);
        view->hidden_communication_ns =
            tp_sat_add(view->hidden_communication_ns, tp_table_int(table, TP_OVERLAP_OVERLAP)[i]);
    }
}

/* ---- averages of the whole trace ---- */

static void build_averages(struct tp_overview *view)
{
    const uint8_t *is_used = tp_table_bool(&view->steps, TP_STEP_IS_USED);
    for (unsigned a = 0; a < TP_AVERAGE_COUNT; a++) {
        const int64_t *cells = tp_table_int(&view->steps, column_of_average(a));
        int64_t sum = 0;
        for (size_t i = 0; i < view->steps.row_count; i++)
            if (is_used[i])
                sum = tp_sat_add(sum, cells[i]);
        view->average_us[a] = tp_mean_us(sum, view->used_count);
    }
}

/* Returns the share of the total kernel time (0 to 1) of kernels whose owner is an eligible operator without eligible
 * children (D11). An eligible operator is one that could use tensor cores. */
static double tensor_core_eligible_share(const struct tp_model *model)
{
    const struct tp_devices *devices = &model->devices;
    int64_t sum = 0;
    for (uint32_t k = 0; k < devices->count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        if (e->kind != TP_KIND_KERNEL || devices->owner[k] == TP_NO_ID)
            continue;
        if (tp_operator_is_eligible(model, devices->owner[k]))
            sum = tp_sat_add(sum, e->dur_ns);
    }
    return tp_ratio(sum, devices->kernel_time_ns);
}

void tp_overview_build(struct tp_overview *view, const struct tp_model *model, struct tp_arena *arena)
{
    memset(view, 0, sizeof *view);
    bool has_device = model->devices.count || model->launches.count;
    view->device_type = !has_device ? "CPU" : tp_has_only_devices_of_program(model) ? "GPU" : tp_devices_word(model);
    view->gpus = model->gpus;
    view->gpu_count = model->gpu_count;
    view->window_ns = model->window_ns;
    view->used_count = model->used_count;
    build_steps(view, model, arena);
    build_overlap(view, model, arena);
    build_averages(view);
    tp_gpu_summary_build(&view->gpu_summary, model, arena);
    view->device_busy_ns = tp_intervals_intersection_length(model->device_busy, model->window);
    view->recorded_device_busy_ns = tp_intervals_length(model->device_busy);
    view->tensor_core_eligible_ratio = tensor_core_eligible_share(model);
    tp_step_counts_build(&view->in_steps, model);
}

size_t tp_overview_main_gpu(const struct tp_overview *view)
{
    const int64_t *busy = tp_table_int(&view->gpu_summary, TP_GPU_BUSY);
    size_t best = 0;
    for (size_t i = 1; i < view->gpu_summary.row_count; i++)
        if (busy[i] > busy[best])
            best = i;
    return best;
}

/* ---- fields ---- */

/* Writes the busy time of one device per call. record->index: index of the step. */
static bool next_device_busy_time(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_overview *view = record->at;
    if (*cursor >= view->gpu_count)
        return false;
    snprintf(item->room, sizeof item->room, "%lld", (long long)view->gpus[*cursor].id);
    item->key = tp_str_of(item->room);
    item->value = tp_json_value_us(view->busy_by_gpu_ns[record->index * view->gpu_count + *cursor]);
    ++*cursor;
    return true;
}

static bool next_average(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_overview *view = record->at;
    if (*cursor >= TP_AVERAGE_COUNT)
        return false;
    item->key = tp_str_of(tp_average_defs[*cursor].name);
    item->value = tp_json_value_real(view->average_us[*cursor]);
    ++*cursor;
    return true;
}

#define F struct tp_overview
static const struct tp_json_field step_fields[] = {
    {NULL, TP_ROW(F, steps, 0, 0)},
    {"device_busy_by_gpu_us", TP_MAP(next_device_busy_time, NULL),
     TP_DEFINITION("busy time of each device in the step")},
};
static const struct tp_fields step = TP_FIELDS("A step", step_fields);

static const struct tp_json_field count_fields[] = {
    {"operators", TP_PLAIN(struct tp_step_counts, operators), TP_DEFINITION("number of calls of operators")},
    {"runtime_calls", TP_PLAIN(struct tp_step_counts, runtime_calls),
     TP_DEFINITION("number of calls of the device's runtime or driver")},
    {"collectives", TP_PLAIN(struct tp_step_counts, collectives), TP_DEFINITION("number of collectives")},
    {"device_allocations", TP_PLAIN(struct tp_step_counts, device_allocations),
     TP_DEFINITION("number of allocations on devices")},
    {"host_allocations", TP_PLAIN(struct tp_step_counts, host_allocations),
     TP_DEFINITION("number of allocations on the host")},
};
static const struct tp_fields counts = TP_FIELDS("Counts in the analysed steps", count_fields);

static const struct tp_json_field fields[] = {
    {"device_type", TP_PLAIN(F, device_type),
     TP_DEFINITION("type of the devices, such as GPU or NPU; CPU: no device was used")},
    {"window_us", TP_US(F, window_ns), TP_DEFINITION("total length of the analysed steps")},
    {"steps_used", TP_PLAIN(F, used_count), TP_DEFINITION("number of analysed steps")},
    {"steps", TP_EACH_ROW(F, steps, &step), TP_DEFINITION("steps in order of time")},
    {"average", TP_MAP(next_average, NULL),
     TP_DEFINITION("mean time per analysed step in kernels, copies, communication, runtime calls, data loading and "
                   "other activities, in microseconds")},
    {"gpu_summary", TP_PLAIN(F, gpu_summary), TP_DEFINITION("busy time, kernels and copies of each device")},
    {"device_busy_us", TP_US(F, device_busy_ns), TP_DEFINITION("time in the analysed steps with work on any device")},
    {"recorded_device_busy_us", TP_US(F, recorded_device_busy_ns),
     TP_DEFINITION("time in the whole recording with work on any device")},
    {"tensor_core_eligible_operator_kernel_time_ratio", TP_PLAIN(F, tensor_core_eligible_ratio),
     TP_DEFINITION("share of the kernel time that belongs to operators that can use tensor cores")},
    {"in_steps", TP_RECORD(F, in_steps, &counts), TP_DEFINITION("counts of events in the analysed steps")},
    {"communication_overlap", TP_PLAIN(F, communication_overlap),
     TP_DEFINITION("time of each step in communication and in computation")},
};
#undef F

const struct tp_fields tp_overview_fields = TP_FIELDS("Overview", fields);
