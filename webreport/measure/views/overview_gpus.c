/* Builds the table of GPUs: utilization, estimated SM efficiency and occupancy, tensor cores and busy time of each
 * device (docs/definitions.md, section 7). */
#include <stdio.h>

#include "webreport/measure/views/overview_parts.h"
#include "webreport/model/numbers.h"
#include "writer/base/ratio.h"
#include "writer/base/saturate.h"

enum { UNIT_E9 = 1000000000 };

static const struct tp_column_def gpu_defs[TP_GPU_COLUMNS] = {
    {"gpu_id", "{GPU}", "", "Number of the device.", TP_COLUMN_INT},
    {"name", "Name", "", "Name of the device in the list deviceProperties of the trace.", TP_COLUMN_TEXT},
    {"memory_bytes", "Memory", "bytes", "Total memory of the device.", TP_COLUMN_BYTES},
    {"compute_capability", "Compute capability", "", "Version of the device's instruction set.", TP_COLUMN_TEXT},
    {"utilization_ratio", "Utilization", "ratio", "Share of the step time in which a kernel ran on the device.",
     TP_COLUMN_REAL},
    {"est_sm_efficiency_ratio", "Est. SM efficiency", "ratio",
     "Number of blocks of the running kernels per SM, but at most 1, averaged over the step time.", TP_COLUMN_REAL},
    {"est_achieved_occupancy_percent", "Est. achieved occupancy", "%",
     "Mean estimated occupancy of the kernels, weighted by their time in the analysed steps.", TP_COLUMN_REAL},
    {"tensor_core_kernel_time_ratio", "Tensor core time", "ratio",
     "Share of the device's kernel time in kernels whose name shows that they use tensor cores.", TP_COLUMN_REAL},
    {"tensor_core_unknown_time_ratio", "Tensor core unknown", "ratio",
     "Share of the device's kernel time in kernels whose name does not show whether they use tensor cores.",
     TP_COLUMN_REAL},
    {"busy_us", "Busy", "us", "Time of the analysed steps in which a kernel, copy or memset ran on the device.",
     TP_COLUMN_NS},
    {"busy_ratio", "Busy share", "ratio", "Busy time as a share of the step time.", TP_COLUMN_REAL},
    {"recorded_busy_us", "Recorded busy", "us",
     "Time of the whole recording in which a kernel, copy or memset ran on the device.", TP_COLUMN_NS},
    {"recorded_kernel_busy_us", "Recorded kernel busy", "us",
     "Time of the whole recording in which a kernel ran on the device.", TP_COLUMN_NS},
    {"kernel_time_us", "Kernel time", "us",
     "Sum of the durations of all recorded kernels; larger than busy time when streams overlap.", TP_COLUMN_NS},
    {"kernel_count", "Kernels", "", "Number of kernels in the whole recording.", TP_COLUMN_INT},
    {"copy_count", "Copies and sets", "", "Number of copies and memsets in the whole recording.", TP_COLUMN_INT},
    {"streams", "Streams", "", "Number of streams in the whole recording.", TP_COLUMN_INT},
};

/* ---- SM efficiency ---- */

/* a running kernel; the heap of running kernels is ordered by the kernels' ends */
struct running {
    int64_t end, level_e9;
};

struct sweep {
    struct running *heap;
    size_t count;
    struct tp_intervals window;
    size_t at; /* index in the window's intervals of the first interval that ends after time `last` */
    __int128 level, area, covered; /* level: total blocks per SM of the running kernels, billionths */
    int64_t last;
    bool has_last;
};

static void push_running_kernel(struct sweep *s, struct running x)
{
    size_t i = s->count++;
    for (; i > 0 && s->heap[(i - 1) / 2].end > x.end; i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = x;
}

static struct running pop_running(struct sweep *s)
{
    struct running top = s->heap[0], x = s->heap[--s->count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < s->count; i = child) {
        if (child + 1 < s->count && s->heap[child + 1].end < s->heap[child].end)
            child++;
        if (s->heap[child].end >= x.end)
            break;
        s->heap[i] = s->heap[child];
    }
    s->heap[i] = x;
    return top;
}

/* Returns the length of the part of [a, b) in the window, ns. Each call must begin where the previous call ended, or
 * later. */
static int64_t length_within_window(struct sweep *s, int64_t a, int64_t b)
{
    int64_t sum = 0;
    while (s->at < s->window.count && s->window.items[s->at].b <= a)
        s->at++;
    for (size_t i = s->at; i < s->window.count && s->window.items[i].a < b; i++)
        sum += tp_ns_min(b, s->window.items[i].b) - tp_ns_max(a, s->window.items[i].a);
    return sum;
}

/* Adds the length of the window's part of the time from `last` to `at` to `covered`. Adds this length times the current
 * level to `area`. */
static void add_time_until(struct sweep *s, int64_t at)
{
    if (s->level > 0 && s->has_last) {
        int64_t inside = length_within_window(s, s->last, at);
        s->area += (s->level < UNIT_E9 ? s->level : UNIT_E9) * inside;
        s->covered += inside;
    }
    s->last = at;
    s->has_last = true;
}

static double sm_efficiency(const struct tp_model *model, const struct tp_gpu *gpu, struct tp_arena *arena)
{
    struct sweep s = {.window = model->window, .heap = tp_arena_array(arena, (size_t)gpu->count + 1, sizeof *s.heap)};
    for (uint32_t i = 0; i < gpu->count; i++) {
        const struct tp_event *e = tp_device_event(model, gpu->events[i]);
        int64_t level = tp_device_setup(model->trace, e->detail)->blocks_per_sm_e9;
        if (e->kind != TP_KIND_KERNEL || level == TP_NULL_INT || level <= 0)
            continue;
        while (s.count && s.heap[0].end <= e->ts_ns) {
            struct running done = pop_running(&s);
            add_time_until(&s, done.end);
            s.level -= done.level_e9;
        }
        add_time_until(&s, e->ts_ns);
        s.level += level;
        push_running_kernel(&s, (struct running){tp_event_end(e), level});
    }
    while (s.count) {
        struct running done = pop_running(&s);
        add_time_until(&s, done.end);
        s.level -= done.level_e9;
    }
    tp_arena_free_item(arena, s.heap, ((size_t)gpu->count + 1) * sizeof *s.heap);
    return s.covered ? tp_ratio(s.area, (__int128)UNIT_E9 * model->window_ns) : NAN;
}

/* ---- sums ---- */

struct gpu_sums {
    int64_t kernel_ns, tensor_core_kernel_ns, unknown_tensor_core_ns;
    int64_t kernel_count, copy_count;
    unsigned __int128 occupancy;
    __int128 occupancy_time;
};

static void sum_activity_of_gpu(struct gpu_sums *sums, const struct tp_model *model, const struct tp_gpu *gpu)
{
    size_t at = 0;
    memset(sums, 0, sizeof *sums);
    for (uint32_t i = 0; i < gpu->count; i++) {
        const struct tp_event *e = tp_device_event(model, gpu->events[i]);
        if (e->kind != TP_KIND_KERNEL) {
            sums->copy_count++;
            continue;
        }
        sums->kernel_count++;
        sums->kernel_ns = tp_sat_add(sums->kernel_ns, e->dur_ns);
        if (model->marks[e->name] & TP_MARK_TC_YES)
            sums->tensor_core_kernel_ns = tp_sat_add(sums->tensor_core_kernel_ns, e->dur_ns);
        if (model->marks[e->name] & TP_MARK_TC_UNKNOWN)
            sums->unknown_tensor_core_ns = tp_sat_add(sums->unknown_tensor_core_ns, e->dur_ns);
        int64_t occupancy = tp_device_setup(model->trace, e->detail)->occupancy_pct_e9;
        if (occupancy == TP_NULL_INT || occupancy < 0)
            continue;
        int64_t inside = tp_window_length_within(model, &at, e->ts_ns, tp_event_end(e));
        sums->occupancy += (unsigned __int128)occupancy * (uint64_t)inside;
        sums->occupancy_time += inside;
    }
}

static double mean_occupancy(const struct gpu_sums *sums)
{
    return sums->occupancy_time ? tp_ratio((__int128)sums->occupancy, sums->occupancy_time * UNIT_E9) : NAN;
}

static struct tp_str compute_capability(const struct tp_gpu_property *property, struct tp_arena *arena)
{
    if (!property || !property->major_text.ptr || !property->minor_text.ptr)
        return (struct tp_str){NULL, 0};
    size_t n = property->major_text.len + 1 + property->minor_text.len;
    char *text = tp_arena_alloc(arena, n + 1);
    snprintf(text, n + 1, "%.*s.%.*s", (int)property->major_text.len, property->major_text.ptr,
             (int)property->minor_text.len, property->minor_text.ptr);
    return (struct tp_str){text, n};
}

static void fill_row(struct tp_table *table, size_t row, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_gpu *gpu = &model->gpus[row];
    const struct tp_gpu_property *property = tp_model_gpu_property(model->trace, gpu->id);
    struct gpu_sums sums;
    sum_activity_of_gpu(&sums, model, gpu);
    int64_t busy = tp_intervals_intersection_length(gpu->busy, model->window);
    tp_table_int(table, TP_GPU_ID)[row] = gpu->id;
    tp_table_text(table, TP_GPU_NAME)[row] = property ? property->name : (struct tp_str){NULL, 0};
    tp_table_int(table, TP_GPU_MEMORY)[row] = property ? property->total_memory_bytes : TP_NULL_INT;
    tp_table_text(table, TP_GPU_COMPUTE_CAPABILITY)[row] = compute_capability(property, arena);
    tp_table_real(table, TP_GPU_UTILIZATION)[row] =
        tp_ratio(tp_intervals_intersection_length(gpu->kernels, model->window), model->window_ns);
    tp_table_real(table, TP_GPU_SM_EFFICIENCY)[row] = sm_efficiency(model, gpu, arena);
    tp_table_real(table, TP_GPU_OCCUPANCY)[row] = mean_occupancy(&sums);
    tp_table_real(table, TP_GPU_TENSOR_CORE)[row] =
        sums.kernel_count ? tp_ratio(sums.tensor_core_kernel_ns, sums.kernel_ns) : NAN;
    tp_table_real(table, TP_GPU_TENSOR_CORE_UNKNOWN)[row] =
        sums.kernel_count ? tp_ratio(sums.unknown_tensor_core_ns, sums.kernel_ns) : NAN;
    tp_table_int(table, TP_GPU_BUSY)[row] = busy;
    tp_table_real(table, TP_GPU_BUSY_RATIO)[row] = tp_ratio(busy, model->window_ns);
    tp_table_int(table, TP_GPU_RECORDED_BUSY)[row] = tp_intervals_length(gpu->busy);
    tp_table_int(table, TP_GPU_RECORDED_KERNEL_BUSY)[row] = tp_intervals_length(gpu->kernels);
    tp_table_int(table, TP_GPU_KERNEL_TIME)[row] = sums.kernel_ns;
    tp_table_int(table, TP_GPU_KERNEL_COUNT)[row] = sums.kernel_count;
    tp_table_int(table, TP_GPU_COPY_COUNT)[row] = sums.copy_count;
    tp_table_int(table, TP_GPU_STREAMS)[row] = gpu->stream_count;
}

void tp_gpu_summary_build(struct tp_table *table, const struct tp_model *model, struct tp_arena *arena)
{
    tp_table_init(table, arena, "gpu_summary", gpu_defs, TP_GPU_COLUMNS, model->gpu_count);
    table->title = "GPUs";
    for (uint32_t g = 0; g < model->gpu_count; g++)
        fill_row(table, g, model, arena);
}

void tp_gpu_window_build(struct tp_gpu_window *out, const struct tp_model *model, const struct tp_gpu *gpu,
                         struct tp_interval window, struct tp_arena *arena)
{
    struct tp_model narrow =
        *model; /* a copy of the model with the given window instead of the window of analysed steps */
    struct tp_gpu part = *gpu;
    struct gpu_sums sums;
    int64_t nothing_before = 0;
    narrow.window = (struct tp_intervals){&window, 1};
    narrow.length_before_interval = &nothing_before;
    narrow.window_ns = window.b - window.a;
    uint32_t low = 0, high = gpu->count;
    while (low < high) { /* finds the first event that starts in the window */
        uint32_t middle = low + (high - low) / 2;
        if (tp_device_event(model, gpu->events[middle])->ts_ns < window.a)
            low = middle + 1;
        else
            high = middle;
    }
    part.events += low;
    for (part.count = 0; low + part.count < gpu->count; part.count++)
        if (tp_device_event(model, part.events[part.count])->ts_ns >= window.b)
            break;
    sum_activity_of_gpu(&sums, &narrow, &part);
    out->kernel_count = sums.kernel_count;
    out->kernel_time_ns = sums.kernel_ns;
    out->utilization_ratio = tp_ratio(tp_intervals_length_within(gpu->kernels, window.a, window.b), narrow.window_ns);
    out->sm_efficiency_ratio = sm_efficiency(&narrow, &part, arena);
    out->occupancy_percent = mean_occupancy(&sums);
    out->tensor_core_ratio = sums.kernel_count ? tp_ratio(sums.tensor_core_kernel_ns, sums.kernel_ns) : NAN;
}
