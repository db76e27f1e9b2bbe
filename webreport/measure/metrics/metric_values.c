/* Computes metrics from the views, as declared in metric_values.h. A metric that the trace does not contain is NaN,
 * with a reason. */
#include "webreport/measure/metrics/metric_values.h"

#include <math.h>
#include <stdlib.h>

#include "webreport/trace/copy_class.h"
#include "writer/base/saturate.h"
#include "writer/base/stats.h"

static struct tp_metric_value make_known_value(double value)
{
    return (struct tp_metric_value){.value = value};
}

static struct tp_metric_value make_unknown_value(enum tp_metric_reason reason)
{
    return (struct tp_metric_value){.value = NAN, .reason = reason};
}

/* Returns part / whole. If the whole is 0, returns an unknown value with the given reason. */
static struct tp_metric_value make_quotient_value(double part, double whole, enum tp_metric_reason reason)
{
    return whole > 0 ? make_known_value(part / whole) : make_unknown_value(reason);
}

static double step_count(const struct tp_metric_source *s)
{
    return s->views->overview.used_count;
}

static struct tp_metric_value make_value_per_step(const struct tp_metric_source *s, double amount)
{
    return make_quotient_value(amount, step_count(s), TP_REASON_NO_STEPS);
}

/* Returns the metric value for a number of the views. NaN, which JSON writes as null, becomes an unknown value with
 * the given reason. */
static struct tp_metric_value make_value_unless_nan(double value, enum tp_metric_reason reason)
{
    return isnan(value) ? make_unknown_value(reason) : make_known_value(value);
}

/* ---- steps ---- */

static double step_quantile(const double *sorted, size_t count, enum tp_metric_step which)
{
    switch (which) {
    case TP_STEPS_MIN:
        return sorted[0];
    case TP_STEPS_MAX:
        return sorted[count - 1];
    case TP_STEPS_P90:
        return sorted[tp_nearest_rank(count, 90)];
    default:
        return tp_sorted_median(sorted, count);
    }
}

struct tp_metric_value tp_metric_of_steps(const struct tp_metric_source *s, int which)
{
    const struct tp_table *steps = &s->views->overview.steps;
    size_t count = s->views->overview.used_count, at = 0;
    if (!s->views->facts.event_count || !count)
        return make_unknown_value(TP_REASON_NO_EVENTS);
    if (which == TP_STEPS_COUNT)
        return make_known_value((double)count);
    if (which == TP_STEPS_MEAN)
        return make_known_value(s->views->overview.average_us[TP_AVERAGE_TOTAL] * 1000);
    double *sorted = tp_arena_array(s->model->arena, count, sizeof *sorted);
    for (size_t i = 0; i < steps->row_count; i++)
        if (tp_table_bool(steps, TP_STEP_IS_USED)[i])
            sorted[at++] = (double)tp_table_int(steps, TP_STEP_TOTAL)[i];
    tp_sort_reals(sorted, count);
    double value = step_quantile(sorted, count, (enum tp_metric_step)which);
    tp_arena_free_item(s->model->arena, sorted, count * sizeof *sorted);
    return make_known_value(value);
}

struct tp_metric_value tp_metric_average_time(const struct tp_metric_source *s, int which)
{
    return s->views->facts.event_count
               ? make_value_unless_nan(s->views->overview.average_us[which] * 1000, TP_REASON_NO_STEPS)
               : make_unknown_value(TP_REASON_NO_EVENTS);
}

struct tp_metric_value tp_metric_average_share(const struct tp_metric_source *s, int which)
{
    const double *average = s->views->overview.average_us;
    return make_quotient_value(100 * average[which], average[TP_AVERAGE_TOTAL], TP_REASON_NO_LENGTH);
}

/* ---- kernels ---- */

static double sum_of_column(const struct tp_table *table, unsigned column)
{
    int64_t sum = 0;
    for (size_t i = 0; i < table->row_count; i++)
        sum = tp_sat_add(sum, tp_table_int(table, column)[i]);
    return (double)sum;
}

struct tp_metric_value tp_metric_of_kernels(const struct tp_metric_source *s, int which)
{
    const struct tp_trace_facts *facts = &s->views->facts;
    const struct tp_kernel_view *kernels = &s->views->kernels;
    if (!kernels->is_present)
        return make_unknown_value(TP_REASON_NO_DEVICE);
    switch ((enum tp_metric_kernel)which) {
    case TP_KERNELS_PER_STEP:
        return make_value_per_step(s, sum_of_column(&kernels->by_name, TP_KERNEL_CALLS_IN_STEPS));
    case TP_KERNELS_TIME_PER_STEP:
        return make_value_per_step(s, sum_of_column(&kernels->by_name, TP_KERNEL_IN_STEPS));
    case TP_KERNELS_TIME_MEAN:
        return make_quotient_value((double)facts->kernel_time_ns, (double)facts->kernel_count, TP_REASON_NO_KERNELS);
    case TP_KERNELS_DISTINCT:
        return make_known_value((double)kernels->by_name.row_count);
    case TP_KERNELS_TENSOR_CORE:
        return make_value_unless_nan(100 * kernels->using_ratio, TP_REASON_NO_DEVICE);
    case TP_KERNELS_ELIGIBLE:
        return make_value_unless_nan(100 * s->views->overview.tensor_core_eligible_ratio, TP_REASON_NO_DEVICE);
    default:
        return make_known_value(s->advice->quality.flags[2].percent); /* index 2 is the quality flag F3 */
    }
}

struct tp_metric_value tp_metric_of_gpus(const struct tp_metric_source *s, int which)
{
    const struct tp_table *gpus = &s->views->overview.gpu_summary;
    double sum = 0, count = 0;
    for (size_t i = 0; i < gpus->row_count; i++) {
        double value = tp_table_real(gpus, (unsigned)which)[i];
        if (isnan(value))
            continue;
        sum += which == TP_GPU_OCCUPANCY ? value : 100 * value;
        count++;
    }
    return make_quotient_value(sum, count, gpus->row_count ? TP_REASON_NOT_IN_KERNELS : TP_REASON_NO_DEVICE);
}

static bool contains_any(struct tp_str text, const char *const *parts)
{
    for (; *parts; parts++)
        if (tp_str_find_ignore_case(text, *parts) >= 0)
            return true;
    return false;
}

/* Returns metrics of matrix products. Products are recognized by the names of kernels, because traces of device graphs
 * can have kernels without operators. */
struct tp_metric_value tp_metric_of_gemms(const struct tp_metric_source *s, int which)
{
    static const char *const gemm[] = {"gemm", "scudnn", "cijk_", "nvjet", "convolve", NULL};
    static const char *const single[] = {"sgemm", "scudnn", "f32f32_f32f32", "_sb_", NULL};
    const struct tp_kernel_view *view = &s->views->kernels;
    const struct tp_table *rows = &view->by_name;
    double all = 0, gemms = 0, singles = 0;
    if (!view->is_present)
        return make_unknown_value(TP_REASON_NO_DEVICE);
    for (size_t i = 0; i < rows->row_count; i++) {
        struct tp_str name = tp_table_text(rows, TP_KERNEL_NAME)[i];
        double time = (double)tp_table_int(rows, TP_KERNEL_TOTAL)[i];
        all += time;
        if (!contains_any(name, gemm))
            continue;
        gemms += time;
        if (!tp_table_bool(rows, TP_KERNEL_USES_TC)[i] && contains_any(name, single))
            singles += time;
    }
    if (which == TP_GEMM_FP32_SHARE)
        return make_known_value(gemms > 0 ? 100 * singles / gemms : 0);
    return make_quotient_value(100 * gemms, all, TP_REASON_NO_KERNELS);
}

struct tp_metric_value tp_metric_of_peak(const struct tp_metric_source *s, int which)
{
    const struct tp_work_rates *rates = &s->advice->rates;
    bool is_gemm = which == TP_RATE_GEMM;
    enum tp_rate_reason why = is_gemm ? rates->products_reason : rates->step_reason;
    return (struct tp_metric_value){.value = is_gemm ? rates->products_percent : rates->step_percent,
                                    .reason = why == TP_RATE_KNOWN ? TP_REASON_NONE : TP_REASON_RATES + why};
}

struct tp_metric_value tp_metric_of_energy(const struct tp_metric_source *s, int which)
{
    (void)which;
    const struct tp_counter_view *counters = &s->views->counters;
    return make_value_unless_nan(counters->energy_is_at_least ? NAN : counters->energy_per_step_j, TP_REASON_NO_POWER);
}

struct tp_metric_value tp_metric_of_work(const struct tp_metric_source *s, int which)
{
    (void)s;
    (void)which;
    return make_unknown_value(TP_REASON_NEEDS_TWO_RUNS);
}

struct tp_metric_value tp_metric_of_serving(const struct tp_metric_source *s, int which)
{
    const struct tp_serving_view *view = &s->advice->serving;
    int phase = which / TP_SERVING_PHASE_FACTOR, rest = which % TP_SERVING_PHASE_FACTOR,
        exponent = (rest - TP_SERVING_P50) / 2;
    if (!rest)
        return make_value_unless_nan(view->tokens_per_s[phase], TP_REASON_NO_SERVING);
    int64_t ns = (rest - TP_SERVING_P50) % 2 ? view->p90_ns[phase][exponent] : view->p50_ns[phase][exponent];
    return ns == TP_NULL_INT ? make_unknown_value(TP_REASON_NO_SERVING) : make_known_value((double)ns);
}

/* ---- memory snapshots ---- */

struct tp_metric_value tp_metric_of_snapshot(const struct tp_metric_source *s, int which)
{
    (void)s;
    (void)which; /* no trace has the metrics of memory snapshots */
    return make_unknown_value(TP_REASON_NEEDS_SNAPSHOT);
}

/* ---- a program recorded from outside ---- */

struct tp_metric_value tp_metric_of_program(const struct tp_metric_source *s, int which)
{
    const struct tp_program_view *view = &s->advice->program;
    int64_t peak = TP_NULL_INT;
    if (!view->is_present)
        return make_unknown_value(TP_REASON_NO_PROGRAM);
    if (which != TP_PROGRAM_METRIC_PEAK)
        return make_known_value(
            (double)(which == TP_PROGRAM_METRIC_WALL ? view->parts.wall_ns : view->state_ns[TP_STATE_RUNNING]));
    for (uint32_t i = 0; i < view->tree.process_count; i++)
        peak = view->tree.processes[i].peak_bytes > peak ? view->tree.processes[i].peak_bytes : peak;
    return peak == TP_NULL_INT ? make_unknown_value(TP_REASON_NO_MEMORY_READING) : make_known_value((double)peak);
}

struct tp_metric_value tp_metric_of_function(const struct tp_metric_source *s, int which)
{
    (void)s;
    (void)which;
    return make_unknown_value(TP_REASON_NEEDS_FUNCTION);
}

struct tp_metric_value tp_metric_of_range(const struct tp_metric_source *s, int which)
{
    (void)s;
    (void)which;
    return make_unknown_value(TP_REASON_NEEDS_RANGE);
}

/* ---- host ---- */

struct tp_metric_value tp_metric_of_host(const struct tp_metric_source *s, int which)
{
    const struct tp_trace_facts *facts = &s->views->facts;
    if (which == TP_HOST_RUNTIME_PER_STEP)
        return facts->runtime_count ? make_value_per_step(s, (double)s->views->overview.in_steps.runtime_calls)
                                    : make_unknown_value(TP_REASON_NO_RUNTIME);
    if (!facts->operator_count)
        return make_unknown_value(TP_REASON_NO_OPERATORS);
    return which == TP_HOST_OPERATORS_PER_STEP ? make_value_per_step(s, (double)s->views->overview.in_steps.operators)
                                               : make_known_value((double)s->views->operators.by_name.row_count);
}

/* ---- copies ---- */

/* Returns whether a row of the table of copies is a memset. Recorders use different names for memsets. */
static bool is_memset_name(struct tp_str name)
{
    static const char *const sets[] = {"memset", "fillbuffer", "memoryfill", "mem_set", NULL};
    return contains_any(name, sets);
}

static bool is_copy_in_direction(struct tp_str name, int which)
{
    static const enum tp_copy_direction directions[] = {
        [TP_COPIES_H2D] = TP_COPY_HTOD, [TP_COPIES_D2H] = TP_COPY_DTOH, [TP_COPIES_D2D] = TP_COPY_DTOD};
    int way = which & ~TP_COPIES_PAGEABLE;
    bool is_set = is_memset_name(name);
    if ((which & TP_COPIES_PAGEABLE) && tp_str_find_ignore_case(name, "pageable") < 0)
        return false;
    if (way == TP_COPIES_ALL || way == TP_COPIES_SETS)
        return is_set == (way == TP_COPIES_SETS);
    enum tp_copy_direction direction = tp_copy_direction_of_name(name);
    return !is_set && (direction == TP_COPY_PTOP ? way == TP_COPIES_D2D : direction == directions[way]);
}

/* Returns why the metric `which` of copies is unknown; TP_REASON_NONE if the metric is known. Memsets need no
 * direction. */
static enum tp_metric_reason unknown_copies_reason(const struct tp_table *rows, int which)
{
    static const char *const memories[] = {"pageable", "pinned", "managed", NULL};
    int way = which & ~TP_COPIES_PAGEABLE;
    for (size_t i = 0; i < rows->row_count && way != TP_COPIES_SETS; i++) {
        struct tp_str name = tp_table_text(rows, TP_COPY_NAME)[i];
        if (is_memset_name(name))
            continue;
        if (tp_copy_direction_of_name(name) == TP_COPY_UNKNOWN)
            return TP_REASON_NO_DIRECTION;
        if (which & TP_COPIES_PAGEABLE && is_copy_in_direction(name, way) && !contains_any(name, memories))
            return TP_REASON_NO_MEMORY_KIND;
    }
    return TP_REASON_NONE;
}

struct tp_metric_value tp_metric_copies_per_step(const struct tp_metric_source *s, int which)
{
    const struct tp_table *rows = &s->views->kernels.copies;
    int64_t count = 0;
    if (!s->views->kernels.is_present)
        return make_unknown_value(TP_REASON_NO_DEVICE);
    enum tp_metric_reason why = unknown_copies_reason(rows, which);
    if (why != TP_REASON_NONE)
        return make_unknown_value(why);
    for (size_t i = 0; i < rows->row_count; i++)
        if (is_copy_in_direction(tp_table_text(rows, TP_COPY_NAME)[i], which))
            count = tp_sat_add(count, tp_table_int(rows, TP_COPY_CALLS_IN_STEPS)[i]);
    return make_value_per_step(s, (double)count);
}

struct tp_metric_value tp_metric_copied_bytes(const struct tp_metric_source *s, int which)
{
    const struct tp_table *rows = &s->views->kernels.copies;
    int64_t sum = 0;
    if (!s->views->kernels.is_present)
        return make_unknown_value(TP_REASON_NO_DEVICE);
    enum tp_metric_reason why = unknown_copies_reason(rows, which);
    if (why != TP_REASON_NONE)
        return make_unknown_value(why);
    for (size_t i = 0; i < rows->row_count; i++) {
        int64_t bytes = tp_table_int(rows, TP_COPY_BYTES)[i];
        if (!is_copy_in_direction(tp_table_text(rows, TP_COPY_NAME)[i], which))
            continue;
        if (bytes == TP_NULL_INT)
            return make_unknown_value(TP_REASON_NO_SIZES);
        sum = tp_sat_add(sum, bytes);
    }
    return make_known_value((double)sum);
}

/* ---- waits ---- */

/* Returns whether a row is a wait for the whole device outside all operators and without a known source line. */
static bool is_device_wait_without_source(const struct tp_table *rows, size_t i)
{
    return tp_str_ends(tp_table_text(rows, TP_SYNC_API)[i], "DeviceSynchronize") &&
           tp_table_text(rows, TP_SYNC_OP)[i].len == 0 && tp_table_text(rows, TP_SYNC_LINE)[i].len == 0;
}

struct tp_metric_value tp_metric_of_waits(const struct tp_metric_source *s, int which)
{
    const struct tp_sync_table *table = &s->advice->syncs;
    const struct tp_table *rows = &table->rows;
    int64_t count[2] = {0, 0};
    bool has_bare = false;
    if (!s->views->facts.runtime_count)
        return make_unknown_value(TP_REASON_NO_RUNTIME);
    if (which == TP_WAITS_TIME)
        return make_value_per_step(s, (double)table->host_wait_ns);
    if (which == TP_WAITS_COST)
        return make_quotient_value(100 * (double)table->cost_ns, (double)s->views->overview.window_ns,
                                   TP_REASON_NO_LENGTH);
    for (size_t i = 0; i < rows->row_count; i++) {
        bool is_sync = tp_str_equal(tp_table_text(rows, TP_SYNC_KIND)[i], TP_STR("sync"));
        count[!is_sync] = tp_sat_add(count[!is_sync], tp_table_int(rows, TP_SYNC_COUNT)[i]);
        has_bare |= is_sync && is_device_wait_without_source(rows, i);
    }
    /* a profiler waits for the device when it stops; this wait at the end of nearly every trace is not part of the
     * run */
    return make_value_per_step(s, (double)(which == TP_WAITS_SYNC ? count[0] - has_bare : count[1]));
}

/* ---- idle ---- */

struct tp_metric_value tp_metric_of_idle(const struct tp_metric_source *s, int which)
{
    const struct tp_idle_view *idle = &s->advice->idle;
    int64_t part = 0, window = 0;
    for (uint32_t i = 0; i < idle->device_count; i++) {
        const struct tp_idle_split *split = &idle->devices[i].idle;
        part = tp_sat_add(part, which == TP_METRIC_IDLE_ALL ? split->total_ns : split->part_ns[which]);
        window = tp_sat_add(window, split->window_ns);
    }
    return make_quotient_value(100 * (double)part, (double)window, TP_REASON_NO_DEVICE);
}
