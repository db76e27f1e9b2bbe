/* Adds the records about the whole trace: the metrics of the HParams table, which are the main figures of the trace,
 * and the charts of Custom Scalars. */
#include "webreport/export/tfevents/tfevents_run.h"
#include "webreport/measure/audience/phrases.h"

#include <math.h>
#include <string.h>

#include "writer/text/format.h"

enum { US_PER_MS = 1000, BYTES_PER_MIB = 1 << 20 };

enum metric { STEP_TIME, GPU_UTILIZATION, DATALOADER, COMM_EXPOSED, PEAK_MEMORY, TENSOR_CORE, GEMM_PEAK, MFU, METRICS };

static const struct tp_tf_metric metrics[METRICS] = {
    {"profile_summary/step_time_ms", "Step time (ms)", "Mean length of a step."},
    {"profile_summary/gpu_utilization_pct", "{GPU} utilization (%)",
     "Share of all steps' time in which a kernel ran, mean over the devices."},
    {"profile_summary/dataloader_pct", "Data loading (%)", "Share of the mean step in which it waits for input."},
    {"profile_summary/comm_exposed_pct", "Exposed communication (%)",
     "Share of all steps' time in which communication runs and no computation."},
    {"profile_summary/peak_memory_mib", "Peak memory (MiB)",
     "Highest number of bytes in tensors, on the device that held most."},
    {"profile_summary/tensor_core_pct", "Tensor cores (%)",
     "Share of kernel time in kernels that use tensor cores, mean over the devices."},
    {"profile_summary/gemm_pct_of_peak", "Matrix products of peak (%)",
     "What matrix products reach of the device's peak while they run."},
    {"profile_summary/mfu_pct", "MFU (%)",
     "What steps reach of the device's peak: their operations over their length."},
};

/* Returns the metrics with texts that fit the traced program and name its devices. */
static const struct tp_tf_metric *metrics_with_titles(const struct tp_tf_run *run)
{
    const struct tp_model *model = run->export->profile->model;
    struct tp_arena *arena = run->export->arena;
    struct tp_tf_metric *titled = tp_arena_array(arena, METRICS, sizeof *titled);
    memcpy(titled, metrics, sizeof metrics);
    titled[GPU_UTILIZATION].title = tp_words_for_trace(model, metrics[GPU_UTILIZATION].title, arena);
    titled[DATALOADER].title = tp_text_printf(arena, "%s (%%)", tp_phrase(TP_PHRASE_INPUT, model->producer));
    return titled;
}

static double mean_of_gpus(const struct tp_overview *overview, unsigned column)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < overview->gpu_summary.row_count; i++)
        if (!isnan(tp_table_real(&overview->gpu_summary, column)[i])) {
            sum += tp_table_real(&overview->gpu_summary, column)[i];
            count++;
        }
    return count ? 100 * sum / (double)count : NAN;
}

static double curve_peak_mib(const struct tp_table *curve)
{
    const int64_t *bytes = tp_table_int(curve, TP_CURVE_ALLOCATED);
    double peak = NAN;
    for (size_t i = 0; i < curve->row_count; i++)
        if (bytes[i] != TP_NULL_INT)
            peak = fmax(peak, (double)bytes[i] / BYTES_PER_MIB);
    return peak;
}

/* Returns the peak memory of all devices except the CPU, MiB, or of the CPU if the trace has no other device. */
static double peak_memory_mib(const struct tp_tf_run *run)
{
    const struct tp_memory_view *view = &run->export->profile->views->memory;
    double device = NAN, host = NAN;
    for (uint32_t i = 0; view->is_present && i < view->device_count; i++) {
        struct tp_table curve = tp_tf_memory_curve(run, i);
        double peak = curve_peak_mib(&curve);
        if (view->devices[i].type == TP_DEVICE_CPU)
            host = fmax(host, peak);
        else
            device = fmax(device, peak);
    }
    return isnan(device) ? host : device;
}

static void add_metrics(const struct tp_tf_run *run)
{
    const struct tp_views *views = run->export->profile->views;
    const struct tp_overview *overview = &views->overview;
    double total = overview->average_us[TP_AVERAGE_TOTAL];
    double exposed_ns = (double)overview->communication_ns - (double)overview->hidden_communication_ns;
    struct tp_tf_scalar scalars[METRICS];
    const double values[METRICS] = {
        [STEP_TIME] = total / US_PER_MS,
        [GPU_UTILIZATION] = mean_of_gpus(overview, TP_GPU_UTILIZATION),
        [DATALOADER] = total > 0 ? 100 * overview->average_us[TP_CATEGORY_DATALOADER] / total : NAN,
        [COMM_EXPOSED] = run->export->profile->model->has_category[TP_CATEGORY_COMMUNICATION] && overview->window_ns > 0
                             ? 100 * exposed_ns / (double)overview->window_ns
                             : NAN,
        [PEAK_MEMORY] = peak_memory_mib(run),
        [TENSOR_CORE] = tp_has_only_devices_of_program(run->export->profile->model)
                            ? NAN /* unknown, because the trace does not show which resources the kernels use */
                            : mean_of_gpus(overview, TP_GPU_TENSOR_CORE),
        [GEMM_PEAK] = run->export->profile->advice->rates.products_percent,
        [MFU] = run->export->profile->advice->rates.step_percent,
    };
    for (int i = 0; i < METRICS; i++)
        scalars[i] = (struct tp_tf_scalar){metrics[i].tag, metrics[i].description, values[i], true};
    tp_tfevents_put_scalars(run->events, run->last, scalars, METRICS);
}

/* ---- Custom Scalars ---- */

/* Returns a regular expression that matches only this tag. */
static const char *exact_pattern(struct tp_arena *arena, const char *tag)
{
    char *text = tp_arena_alloc(arena, 2 * strlen(tag) + 3), *end = text;
    *end++ = '^';
    for (; *tag; tag++) {
        if (strchr(".*+?()[]{}|^$\\", *tag))
            *end++ = '\\';
        *end++ = *tag;
    }
    *end++ = '$';
    *end = '\0';
    return text;
}

/* Adds a separate chart for each counter of the program, because a loss and a learning rate need different axes. */
static void add_counter_charts(const struct tp_tf_run *run, struct tp_vec *charts)
{
    struct tp_arena *arena = run->export->arena;
    for (size_t c = 0; c < run->columns->items.count; c++) {
        const struct tp_tf_column *column = TP_AT(&run->columns->items, struct tp_tf_column, c);
        if (strncmp(column->tag, TP_TF_COUNTERS, strlen(TP_TF_COUNTERS)) == 0)
            *(struct tp_tf_chart *)tp_vec_push(charts) =
                (struct tp_tf_chart){.category = "Program",
                                     .title = column->tag + strlen(TP_TF_COUNTERS),
                                     .tags = exact_pattern(arena, column->tag)};
    }
}

static void add_layout(const struct tp_tf_run *run)
{
    enum { UTILIZATION = 4 };
    static const struct {
        const char *begin, *end; /* prefix and suffix of the tags that the chart shows */
        struct tp_tf_chart chart;
    } charts[] = {
        {"profile_step/", "time_ms", {"Steps", "Step time (ms)", .tags = "profile_step/time_ms$"}},
        {"profile_breakdown_ms/", "", {"Steps", "Where a step's time goes (ms)", .tags = "profile_breakdown_ms/"}},
        {"profile_host/", "sync_ms", {"Host", "Waiting for the device (ms)", .tags = "profile_host/sync_ms$"}},
        {"profile_top_ops_ms/", "", {"Operators", "Heaviest operators (ms)", .tags = "profile_top_ops_ms/"}},
        [UTILIZATION] = {"profile_gpu",
                         "_pct",
                         {"{GPU}", "Utilization, SM efficiency, occupancy (%)", .tags = "profile_gpu[0-9]+/.*_pct$"}},
        {"profile_gpu", "/idle_ms", {"{GPU}", "Idle (ms)", .tags = "profile_gpu[0-9]+/idle_ms$"}},
        {"profile_top_kernels_ms/", "", {"{GPU}", "Heaviest kernels (ms)", .tags = "profile_top_kernels_ms/"}},
        {"profile_comm/", "_ms", {"Communication", "Busy and exposed (ms)", .tags = "profile_comm/.*_ms$"}},
        {"profile_memory_mib/", "", {"Memory", "Allocated and reserved peak (MiB)", .tags = "profile_memory_mib/"}},
    };
    struct tp_vec shown = TP_VEC(run->export->arena, struct tp_tf_chart);
    /* omits charts that have no tags */
    for (size_t i = 0; i < sizeof charts / sizeof *charts; i++) {
        if (tp_tf_column_find(run->columns, charts[i].begin, charts[i].end, false)) {
            struct tp_tf_chart *chart = tp_vec_push(&shown);
            *chart = charts[i].chart;
            chart->category = tp_words_for_trace(run->export->profile->model, chart->category, run->export->arena);
            if (i == UTILIZATION && tp_has_only_devices_of_program(run->export->profile->model))
                chart->title = "Utilization (%)";
        }
        if (i == 1)
            add_counter_charts(run, &shown);
    }
    tp_tfevents_put_layout(run->events, run->first, shown.data, shown.count);
}

void tp_tf_add_summary(const struct tp_tf_run *run)
{
    tp_tf_add_hparams(run, metrics_with_titles(run), METRICS);
    add_metrics(run);
    add_layout(run);
}
