/* Adds the scalars and histograms of each step that are computed from single events: costliest kernels and operators,
 * launches and waits. */
#include "webreport/export/tfevents/tfevents_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/document/name_text.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

enum { NS_PER_MS = 1000000, HEAVIEST = 8 };

/* ---- columns of the costliest kernels and operators ---- */

struct heaviest {
    double *values[HEAVIEST]; /* values[column]: for each step, time of the column's kernel or operator, ms */
    uint8_t *of_name;         /* for each name id of the trace: 1 + index in `values`, or 0 if the name has no column */
};

/* Adds a column for each of the first rows of a table that is sorted by time. Names that give the same tag share a
 * column. */
static void find_costliest(const struct tp_tf_run *run, struct tp_tf_columns *columns, struct heaviest *heaviest,
                           const struct tp_table *table, const char *group, bool is_kernel)
{
    const struct tp_strings *names = &run->export->profile->trace->names;
    const char *tags[HEAVIEST];
    uint32_t count = 0;
    heaviest->of_name = tp_arena_array(columns->arena, names->count, sizeof *heaviest->of_name);
    for (size_t row = 0; row < table->row_count && row < HEAVIEST; row++) {
        struct tp_str name = tp_table_text(table, 0)[row];
        struct tp_str shown = is_kernel ? tp_kernel_short_name(columns->arena, name) : name;
        const char *tag = tp_text_printf(columns->arena, "%s/%s", group, tp_tf_tag_part(columns->arena, shown));
        uint32_t id = tp_strings_find(names, name), at = 0;
        while (at < count && strcmp(tags[at], tag) != 0)
            at++;
        if (id == TP_NO_ID)
            continue;
        if (at == count) {
            tags[count] = tag;
            heaviest->values[count++] = tp_tf_column_new(
                columns, tag,
                is_kernel ? "Time in this kernel during the step (kernels that start in it)."
                          : "Self time of this operator during the step (calls that start in it): on the device where "
                            "there is one, else on the host.");
            memset(heaviest->values[at], 0, run->step_count * sizeof *heaviest->values[at]);
        }
        heaviest->of_name[id] = (uint8_t)(at + 1);
    }
}

static void add_time_of_name(const struct tp_tf_run *run, struct heaviest *heaviest, const struct tp_event *event,
                             int64_t ns)
{
    unsigned at = heaviest->of_name[event->name];
    uint32_t step = at ? tp_tf_step_of_time(run, event->ts_ns) : TP_NO_ID;
    if (step != TP_NO_ID)
        heaviest->values[at - 1][step] += (double)ns / NS_PER_MS;
}

static void add_costliest_rows(const struct tp_tf_run *run, struct tp_tf_columns *columns)
{
    const struct tp_profile *profile = run->export->profile;
    const struct tp_model *model = profile->model;
    const struct tp_operators *ops = &model->operators;
    struct heaviest kernels = {0}, operators = {0};
    if (profile->views->kernels.is_present) {
        find_costliest(run, columns, &kernels, &profile->views->kernels.by_name, "profile_top_kernels_ms", true);
        for (uint32_t i = 0; i < model->devices.count; i++) {
            const struct tp_event *event = tp_device_event(model, i);
            if (event->kind == TP_KIND_KERNEL)
                add_time_of_name(run, &kernels, event, event->dur_ns);
        }
    }
    find_costliest(run, columns, &operators, &profile->views->operators.by_name, "profile_top_ops_ms", false);
    for (uint32_t i = 0; i < ops->finished_count; i++)
        add_time_of_name(run, &operators, tp_operator_event(model, i),
                         profile->views->operators.sorted_by_device ? tp_narrow_get(&ops->device_self, i)
                                                                    : tp_narrow_get(&ops->host_self, i));
}

/* ---- columns of launches and waits ---- */

static void add_launches(const struct tp_tf_run *run, struct tp_tf_columns *columns)
{
    const struct tp_model *model = run->export->profile->model;
    const struct tp_trace *trace = run->export->profile->trace;
    if (model->launches.count == 0)
        return;
    /* for each name id: 0 if not checked yet, 1 for no wait, 2 for a wait */
    uint8_t *is_wait = tp_arena_array(columns->arena, trace->names.count, sizeof *is_wait);
    double *counts = tp_tf_column_new(columns, "profile_host/launches_per_step",
                                      "Runtime and driver calls that started work on a device, by their start.");
    double *waits = tp_tf_column_new(columns, "profile_host/sync_ms",
                                     "Time in runtime calls that wait for the device (names with Synchronize).");
    memset(counts, 0, run->step_count * sizeof *counts);
    memset(waits, 0, run->step_count * sizeof *waits);
    for (uint32_t i = 0; i < model->launches.count; i++) {
        const struct tp_event *event = tp_launch_event(model, i);
        uint32_t step;
        if (!is_wait[event->name])
            is_wait[event->name] = tp_str_find(tp_trace_event_name(trace, event), "Synchronize") >= 0 ? 2 : 1;
        if (is_wait[event->name] == 2 && (step = tp_tf_step_of_time(run, event->ts_ns)) != TP_NO_ID)
            waits[step] += (double)event->dur_ns / NS_PER_MS;
    }
    bool *has_started = tp_arena_array(columns->arena, model->launches.count, sizeof *has_started);
    for (uint32_t i = 0; i < model->devices.count; i++) {
        uint32_t launch = model->devices.launch[i];
        uint32_t step = launch == TP_NO_ID ? TP_NO_ID : tp_tf_step_of_time(run, tp_launch_event(model, launch)->ts_ns);
        if (step != TP_NO_ID && !has_started[launch]) {
            has_started[launch] = true;
            counts[step]++;
        }
    }
}

/* ---- distributions ---- */

/* Returns the time from the start of a launch to the start of its device work, us; NaN if the trace lacks the
 * launch. */
static double launch_delay_us(const struct tp_model *model, uint32_t device)
{
    uint32_t launch = model->devices.launch[device];
    if (launch == TP_NO_ID)
        return NAN;
    double ns = (double)tp_device_event(model, device)->ts_ns - (double)tp_launch_event(model, launch)->ts_ns;
    return ns > 0 ? ns / 1000 : 0;
}

/* State of an iteration over the device operations that calls `use` for each step. Device operations are sorted by
 * start, so that the operations of a step are adjacent. */
struct step_kernels {
    const struct tp_tf_run *run;
    /* values of the kernels in the current step: duration, and delay from launch to start; elements: double, us */
    struct tp_vec durations, delays;
    void (*use)(struct step_kernels *kernels, uint32_t step);
    double *delay_p50; /* for each step: median delay, us, which a function `use` sets */
};

static void find_launch_delays_of_steps(struct step_kernels *kernels)
{
    const struct tp_model *model = kernels->run->export->profile->model;
    struct tp_arena *arena = kernels->run->export->arena;
    uint32_t at = 0;
    kernels->durations = TP_VEC(arena, double);
    kernels->delays = TP_VEC(arena, double);
    for (uint32_t step = 0; step < kernels->run->step_count; step++) {
        kernels->durations.count = kernels->delays.count = 0;
        for (; at < model->devices.count; at++) {
            const struct tp_event *event = tp_device_event(model, at);
            if (event->ts_ns >= model->steps[step].end_ns)
                break;
            if (event->kind != TP_KIND_KERNEL || event->ts_ns < model->steps[step].start_ns)
                continue;
            *(double *)tp_vec_push(&kernels->durations) = (double)event->dur_ns / 1000;
            double delay = launch_delay_us(model, at);
            if (!isnan(delay))
                *(double *)tp_vec_push(&kernels->delays) = delay;
        }
        kernels->use(kernels, step);
    }
}

static void set_median_delay(struct step_kernels *kernels, uint32_t step)
{
    struct tp_vec *delays = &kernels->delays;
    if (delays->count == 0)
        return;
    tp_sort_reals(delays->data, delays->count);
    kernels->delay_p50[step] = *TP_AT(delays, double, tp_nearest_rank(delays->count, 50));
}

static void add_delay_histogram(struct step_kernels *kernels, uint32_t step)
{
    struct tp_tfevents_at at = tp_tf_position_of_step_end(kernels->run, step);
    tp_tfevents_put_histogram(kernels->run->events, at, "profile_kernel_us", "Durations of the step's kernels, in us.",
                              kernels->durations.data, kernels->durations.count);
    tp_tfevents_put_histogram(kernels->run->events, at, "profile_launch_delay_us",
                              "From the start of the launching call to the start of the kernel, in us.",
                              kernels->delays.data, kernels->delays.count);
}

void tp_tf_add_kernel_columns(const struct tp_tf_run *run, struct tp_tf_columns *columns)
{
    struct step_kernels kernels = {.run = run, .use = set_median_delay};
    add_launches(run, columns);
    if (run->export->profile->model->devices.count) {
        kernels.delay_p50 = tp_tf_column_new(
            columns, "profile_host/launch_delay_us_p50",
            "Median over the step's kernels of the time from the start of the launching call to the kernel's start.");
        find_launch_delays_of_steps(&kernels);
    }
    add_costliest_rows(run, columns);
}

void tp_tf_add_histograms(const struct tp_tf_run *run)
{
    struct step_kernels kernels = {.run = run, .use = add_delay_histogram};
    find_launch_delays_of_steps(&kernels);
}
