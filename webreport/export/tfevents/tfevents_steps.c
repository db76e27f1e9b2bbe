/* Adds the scalars of each step from the tables of the report: time and its parts, devices, communication and
 * memory. */
#include <math.h>
#include <string.h>

#include "webreport/document/charts/chart.h"
#include "webreport/export/tfevents/tfevents_run.h"
#include "webreport/measure/audience/phrases.h"
#include "writer/base/limits.h"
#include "writer/text/format.h"
#include "writer/tfevents_file.h"

/* ---- counters that the program recorded (loss, learning rate ..): the last value in each step ---- */

enum { MOST_COUNTERS = 64 };

struct counter {
    const char *tag;
    double *values;
    int64_t *times; /* for each step: time of the counter's last value, ns */
};

/* Returns the tag of a counter, which is the same as in the event file that the program writes live. */
static const char *counter_tag(const struct tp_tf_run *run, uint32_t name)
{
    struct tp_arena *arena = run->export->arena;
    const char *part = tp_tf_tag_part(arena, tp_strings_get(&run->export->profile->trace->names, name));
    char *clean = tp_arena_copy(arena, part, strlen(part));
    tp_tfevents_clean_name(clean);
    return tp_text_printf(arena, TP_TF_COUNTERS "%s", clean);
}

/* Returns the counter with this tag; adds the counter if it is new. Returns NULL if there are too many counters. */
static struct counter *find_or_add_counter(const struct tp_tf_run *run, struct tp_tf_columns *columns,
                                           struct tp_vec *counters, const char *tag)
{
    for (size_t i = 0; i < counters->count; i++)
        if (strcmp(TP_AT(counters, struct counter, i)->tag, tag) == 0)
            return TP_AT(counters, struct counter, i);
    if (counters->count == MOST_COUNTERS)
        return NULL;
    struct counter *counter = tp_vec_push(counters);
    counter->tag = tag;
    counter->values = tp_tf_column_new(columns, tag, "Last value of this counter in the step.");
    counter->times = tp_arena_array(columns->arena, run->step_count, sizeof *counter->times);
    return counter;
}

static void add_counter_columns(const struct tp_tf_run *run, struct tp_tf_columns *columns)
{
    const struct tp_trace *trace = run->export->profile->trace;
    struct tp_vec counters = TP_VEC(columns->arena, struct counter);
    /* for each name id: 1 + index of the counter; 0: no counter yet; TP_NO_ID: no counter, because there are too
     * many */
    uint32_t *by_name = tp_arena_array(columns->arena, trace->names.count, sizeof *by_name);
    for (uint32_t i = 0; i < trace->counter_count; i++) {
        const struct tp_counter *value = &trace->counters[i];
        uint32_t step = isnan(value->value) ? TP_NO_ID : tp_tf_step_of_time(run, value->ts_ns);
        if (step == TP_NO_ID || by_name[value->name] == TP_NO_ID)
            continue;
        if (!by_name[value->name]) {
            struct counter *found = find_or_add_counter(run, columns, &counters, counter_tag(run, value->name));
            by_name[value->name] = found ? (uint32_t)(found - TP_AT(&counters, struct counter, 0)) + 1 : TP_NO_ID;
            i--; /* repeats the loop for the same value, because by_name is now set for its name */
            continue;
        }
        struct counter *counter = TP_AT(&counters, struct counter, by_name[value->name] - 1);
        if (isnan(counter->values[step]) || value->ts_ns >= counter->times[step]) {
            counter->values[step] = value->value;
            counter->times[step] = value->ts_ns;
        }
    }
}

enum { NS_PER_MS = 1000000, BYTES_PER_MIB = 1 << 20 };

static void add_time_columns(const struct tp_tf_run *run, struct tp_tf_columns *columns)
{
    static const struct {
        unsigned column;
        const char *tag;
    } parts[] = {{TP_STEP_TOTAL, "profile_step/time_ms"},
                 {TP_STEP_KERNEL, "profile_breakdown_ms/kernel"},
                 {TP_STEP_COMMUNICATION, "profile_breakdown_ms/communication"},
                 {TP_STEP_MEMCPY, "profile_breakdown_ms/memcpy"},
                 {TP_STEP_MEMSET, "profile_breakdown_ms/memset"},
                 {TP_STEP_RUNTIME, "profile_breakdown_ms/runtime"},
                 {TP_STEP_DATALOADER, "profile_breakdown_ms/dataloader"},
                 {TP_STEP_CPU_EXEC, "profile_breakdown_ms/cpu_exec"},
                 {TP_STEP_OTHER, "profile_breakdown_ms/other"}};
    const struct tp_table *steps = &run->export->profile->views->overview.steps;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        double *values =
            tp_tf_column_new(columns, parts[p].tag,
                             tp_words_for_trace(run->export->profile->model, steps->defs[parts[p].column].definition,
                                                run->export->arena));
        for (uint32_t i = 0; i < run->step_count; i++)
            values[i] = (double)tp_table_int(steps, parts[p].column)[i] / NS_PER_MS;
    }
}

/* Adds samples and tokens per second of each step: the number that the program recorded, divided by the length of the
 * step. */
static void add_rate_columns(const struct tp_tf_run *run, struct tp_tf_columns *columns)
{
    static const struct {
        const char *key, *tag, *text;
    } rates[] = {{"batch_size", "profile_step/samples_per_s", "batch_size over the step's time."},
                 {"tokens_per_step", "profile_step/tokens_per_s", "tokens_per_step over the step's time."}};
    const int64_t *times = tp_table_int(&run->export->profile->views->overview.steps, TP_STEP_TOTAL);
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
        double number = tp_tf_user_number(run, rates[r].key);
        double *values = number > 0 ? tp_tf_column_new(columns, rates[r].tag, rates[r].text) : NULL;
        for (uint32_t i = 0; values && i < run->step_count; i++)
            values[i] = times[i] > 0 ? number * 1e9 / (double)times[i] : NAN;
    }
}

static void add_gpu_columns(const struct tp_tf_run *run, struct tp_tf_columns *columns, uint32_t g)
{
    const struct tp_model *model = run->export->profile->model;
    const struct tp_overview *overview = &run->export->profile->views->overview;
    const struct tp_gpu *gpu = &model->gpus[g];
    const struct tp_column_def *defs = overview->gpu_summary.defs;
    struct tp_arena *arena = columns->arena;
    static const char *const names[] = {"utilization_pct", "est_sm_efficiency_pct", "est_occupancy_pct",
                                        "tensor_core_pct", "kernels_per_step",      "mean_kernel_us",
                                        "idle_ms"};
    const char *const texts[] = {
        "Share of the step in which a kernel ran on the device.",
        defs[TP_GPU_SM_EFFICIENCY].definition,
        defs[TP_GPU_OCCUPANCY].definition,
        defs[TP_GPU_TENSOR_CORE].definition,
        "Kernels that start in the step.",
        "Mean duration of the step's kernels; below 5 us the step is likely bound by launching.",
        "Part of the step in which no kernel, copy or set ran on the device."};
    double *values[7];
    for (size_t k = 0; k < 7; k++)
        values[k] = tp_tf_column_new(columns, tp_text_printf(arena, "profile_gpu%lld/%s", (long long)gpu->id, names[k]),
                                     texts[k]);
    for (uint32_t i = 0; i < run->step_count; i++) {
        struct tp_gpu_window window;
        const struct tp_step *step = &model->steps[i];
        int64_t busy = overview->busy_by_gpu_ns[(size_t)i * overview->gpu_count + g];
        if (step->end_ns <= step->start_ns)
            continue;
        tp_gpu_window_build(&window, model, gpu, (struct tp_interval){step->start_ns, step->end_ns}, arena);
        values[0][i] = 100 * window.utilization_ratio;
        values[1][i] = 100 * window.sm_efficiency_ratio;
        values[2][i] = window.occupancy_percent;
        values[3][i] = 100 * window.tensor_core_ratio;
        values[4][i] = (double)window.kernel_count;
        values[5][i] = window.kernel_count ? (double)window.kernel_time_ns / (double)window.kernel_count / 1000 : NAN;
        values[6][i] = (double)(step->end_ns - step->start_ns - busy) / NS_PER_MS;
    }
}

static void add_communication_columns(const struct tp_tf_run *run, struct tp_tf_columns *columns)
{
    const struct tp_table *table = &run->export->profile->views->overview.communication_overlap;
    if (!run->export->profile->model->has_category[TP_CATEGORY_COMMUNICATION])
        return;
    double *busy = tp_tf_column_new(columns, "profile_comm/busy_ms", table->defs[TP_OVERLAP_COMMUNICATION].definition);
    double *exposed = tp_tf_column_new(columns, "profile_comm/exposed_ms",
                                       "Communication during which no computation ran: what it costs the step.");
    double *overlap = tp_tf_column_new(columns, "profile_comm/overlap_pct",
                                       "Share of the communication that overlapped computation.");
    for (uint32_t i = 0; i < run->step_count; i++) {
        double all = (double)tp_table_int(table, TP_OVERLAP_COMMUNICATION)[i];
        double hidden = (double)tp_table_int(table, TP_OVERLAP_OVERLAP)[i];
        busy[i] = all / NS_PER_MS;
        exposed[i] = (all - hidden) / NS_PER_MS;
        overlap[i] = all > 0 ? 100 * hidden / all : NAN;
    }
}

/* Sets peaks[i] to the largest value of a curve in step i, MiB. The peak of a step includes the value at its start. */
static void fill_peaks(const struct tp_tf_run *run, const struct tp_table *curve, unsigned column, int64_t first_ns,
                       double *peaks)
{
    const struct tp_model *model = run->export->profile->model;
    const int64_t *times = tp_table_int(curve, TP_CURVE_TIME), *bytes = tp_table_int(curve, column);
    double held = NAN;
    size_t at = 0;
    for (uint32_t i = 0; i < run->step_count; i++) {
        for (; at < curve->row_count && times[at] + first_ns < model->steps[i].start_ns; at++)
            held = bytes[at] == TP_NULL_INT ? held : (double)bytes[at];
        double peak = held;
        for (; at < curve->row_count && times[at] + first_ns < model->steps[i].end_ns; at++) {
            held = bytes[at] == TP_NULL_INT ? held : (double)bytes[at];
            peak = fmax(peak, held);
        }
        peaks[i] = peak / BYTES_PER_MIB;
    }
}

static void add_memory_columns(const struct tp_tf_run *run, struct tp_tf_columns *columns)
{
    const struct tp_memory_view *view = &run->export->profile->views->memory;
    for (uint32_t d = 0; view->is_present && d < view->device_count; d++) {
        const struct tp_device_memory *device = &view->devices[d];
        const char *name = tp_tf_tag_part(columns->arena, device->name);
        if (device->shown != d)
            continue;
        struct tp_table curve = tp_tf_memory_curve(run, d);
        fill_peaks(run, &curve, TP_CURVE_ALLOCATED, view->first_ns,
                   tp_tf_column_new(columns,
                                    tp_text_printf(columns->arena, "profile_memory_mib/%s_allocated_peak", name),
                                    "Highest number of bytes in tensors during the step, in MiB; since the start of "
                                    "the recording where the trace has no totals."));
        fill_peaks(run, &curve, TP_CURVE_RESERVED, view->first_ns,
                   tp_tf_column_new(columns,
                                    tp_text_printf(columns->arena, "profile_memory_mib/%s_reserved_peak", name),
                                    "Highest number of bytes reserved by the allocator during the step, in MiB."));
    }
}

/* Sets is_flat for columns that are zero in every step, because their charts show nothing. Counters of the program are
 * always written. */
static void mark_zero_columns(struct tp_tf_columns *columns)
{
    for (size_t c = 0; c < columns->items.count; c++) {
        struct tp_tf_column *column = TP_AT(&columns->items, struct tp_tf_column, c);
        column->is_flat = strncmp(column->tag, TP_TF_COUNTERS, strlen(TP_TF_COUNTERS)) != 0;
        for (uint32_t i = 0; i < columns->step_count; i++)
            column->is_flat &= column->values[i] == 0 || isnan(column->values[i]);
    }
}

static void write_columns(const struct tp_tf_run *run, const struct tp_tf_columns *columns)
{
    struct tp_tf_scalar *row = tp_arena_array(columns->arena, columns->items.count, sizeof *row);
    bool *is_known = tp_arena_array(columns->arena, columns->items.count, sizeof *is_known);
    for (uint32_t i = 0; i < run->step_count; i++) {
        for (size_t c = 0; c < columns->items.count; c++) {
            const struct tp_tf_column *column = TP_AT(&columns->items, struct tp_tf_column, c);
            double value = column->is_flat ? NAN : column->values[i];
            row[c] = (struct tp_tf_scalar){column->tag, column->description, value, !is_known[c]};
            is_known[c] |= !isnan(value);
        }
        tp_tfevents_put_scalars(run->events, tp_tf_position_of_step_end(run, i), row, columns->items.count);
    }
}

void tp_tf_add_steps(const struct tp_tf_run *run)
{
    struct tp_tf_columns *columns = run->columns;
    add_time_columns(run, columns);
    add_rate_columns(run, columns);
    for (uint32_t g = 0; g < run->export->profile->model->gpu_count && g < TP_MAX_EXPORT_DEVICES; g++)
        add_gpu_columns(run, columns, g);
    add_communication_columns(run, columns);
    add_memory_columns(run, columns);
    add_counter_columns(run, columns);
    tp_tf_add_kernel_columns(run, columns);
    mark_zero_columns(columns);
    write_columns(run, columns);
    tp_tf_add_histograms(run);
    double *times = tp_arena_array(columns->arena, run->step_count, sizeof *times);
    for (uint32_t i = 0; i < run->step_count; i++)
        times[i] = (double)tp_table_int(&run->export->profile->views->overview.steps, TP_STEP_TOTAL)[i] / NS_PER_MS;
    tp_tfevents_put_histogram(run->events, run->last, "profile_step_ms", "Durations of the capture's steps, in ms.",
                              times, run->step_count);
}
