/* Writes the planes of devices. Streams are lines. Kernels, copies and sets have the stats that XProf reads, and steps
 * have 1 ns marker events.
 *
 * XProf recognizes a kernel by the stat kernel_details, a copy by a name such as MemcpyHToD, and a collective by a name
 * that starts with nccl. The stat tf_op names the operator. Durations equal those of the trace; a kernel may take 0
 * ns. */
#include <stdio.h>

#include "webreport/export/xplane/xplane_parts.h"
#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

enum { DEVICE_PLANES = 10, LINE_MOST = 1000000, MARK_LINE = 2 * LINE_MOST };

enum stream_use { USE_COMPUTE = 1, USE_H2D = 2, USE_D2H = 4, USE_D2D = 8, USE_P2P = 16, USE_COPY = 32, USE_SET = 64 };

static const struct {
    /* found: part of the copy's name in Kineto; name: the copy's name in XProf; use: word for the copy in the name of
     * the stream's line */
    const char *found, *name, *use;
    enum stream_use bit;
} copies[] = {{"HtoD", "MemcpyHToD", "MemcpyH2D", USE_H2D},
              {"DtoH", "MemcpyDToH", "MemcpyD2H", USE_D2H},
              {"DtoD", "MemcpyDToD", "MemcpyD2D", USE_D2D},
              {"PtoP", "MemcpyPToP", "MemcpyP2P", USE_P2P},
              {"", "Memcpy", "Memcpy", USE_COPY}};
enum { COPY_KINDS = sizeof copies / sizeof *copies };

struct device {
    struct tp_xexport *x;
    struct tp_xplane *plane;
    const struct tp_gpu *gpu;
    uint32_t number; /* number of the device's plane */
    uint32_t *names; /* for each name id of the trace: 1 + id of the name in the plane; 0: no id yet */
    uint32_t correlation, op, kernel, copy, set;
};

static uint32_t index_of_copy_kind(struct tp_str name)
{
    uint32_t kind = 0;
    while (tp_str_find(name, copies[kind].found) < 0)
        kind++;
    return kind;
}

/* ---- events ---- */

/* Limits `value` to the range that XProf parses, 0 to 2^31 - 1. Returns `absent` for TP_NULL_INT. */
static long long clamp_to_positive(int64_t value, long long absent)
{
    return value == TP_NULL_INT ? absent : value < 0 ? 0 : value > INT32_MAX ? INT32_MAX : value;
}

static void parse_three_numbers(const struct tp_trace *trace, uint32_t value, long long out[3])
{
    size_t at = 0;
    struct tp_str item;
    for (int i = 0; i < 3; i++)
        out[i] = tp_value_next(tp_strings_get(&trace->values, value), &at, NULL, &item)
                     ? clamp_to_positive(tp_value_int(item), 1)
                     : 1;
}

static uint32_t kernel_details(const struct device *d, const struct tp_device_setup *setup)
{
    const struct tp_trace *trace = d->x->trace;
    char text[320];
    long long grid[3], block[3];
    parse_three_numbers(trace, setup->grid, grid);
    parse_three_numbers(trace, setup->block, block);
    double occupancy = setup->occupancy_pct_e9 == TP_NULL_INT ? 0 : (double)setup->occupancy_pct_e9 / 1e9;
    int n = snprintf(text, sizeof text,
                     "regs:%lld\nstatic_shared:%lld\ndynamic_shared:0\ngrid:%lld,%lld,%lld\nblock:%lld,%lld,%lld\n"
                     "occ_pct:%.6g",
                     clamp_to_positive(tp_value_int(tp_strings_get(&trace->values, setup->registers)), 0),
                     clamp_to_positive(tp_value_int(tp_strings_get(&trace->values, setup->shared_memory)), 0), grid[0],
                     grid[1], grid[2], block[0], block[1], block[2], occupancy);
    return tp_xplane_add_text(d->plane, (struct tp_str){text, (size_t)n});
}

static uint32_t copy_details(const struct device *d, const struct tp_device_setup *setup, const char *kind)
{
    char text[96];
    int n = snprintf(text, sizeof text, "kind:%s\nnum_bytes:%lld\nasync:1", kind,
                     (long long)(setup->bytes == TP_NULL_INT || setup->bytes < 0 ? 0 : setup->bytes));
    return tp_xplane_add_text(d->plane, (struct tp_str){text, (size_t)n});
}

static uint32_t device_name(struct device *d, const struct tp_event *e)
{
    uint32_t *id = &d->names[e->name];
    if (*id)
        return *id - 1;
    struct tp_str name = tp_trace_event_name(d->x->trace, e);
    if (e->kind == TP_KIND_MEMCPY)
        name = tp_str_of(copies[index_of_copy_kind(name)].name);
    else if (e->kind == TP_KIND_MEMSET)
        name = TP_STR("Memset");
    *id = tp_xplane_add_name(d->plane, name, TP_STR("")) + 1;
    return *id - 1;
}

/* Writes the event of a device operation. k: index in the list of device operations (model->devices). */
static void put_device_event(struct device *d, uint32_t k)
{
    const struct tp_model *model = d->x->model;
    const struct tp_event *e = tp_device_event(model, k);
    const struct tp_device_setup *setup = tp_device_setup(d->x->trace, e->detail);
    int64_t correlation = d->x->trace->devices[e->detail].correlation;
    uint32_t owner = model->devices.owner[k];
    uint32_t scope = owner == TP_NO_ID ? TP_NO_ID : d->x->scope[model->operators.event[owner]];
    struct tp_xstat stats[3];
    unsigned count = 0;
    if (correlation != TP_NULL_INT)
        stats[count++] = tp_xstat_int(d->correlation, correlation);
    if (e->kind == TP_KIND_KERNEL)
        stats[count++] = tp_xstat_text(d->kernel, kernel_details(d, setup));
    else if (e->kind == TP_KIND_MEMSET)
        stats[count++] = tp_xstat_text(d->set, copy_details(d, setup, "Memset"));
    else
        stats[count++] = tp_xstat_text(
            d->copy, copy_details(d, setup, copies[index_of_copy_kind(tp_trace_event_name(d->x->trace, e))].name));
    if (scope != TP_NO_ID)
        stats[count++] = tp_xstat_text(d->op, tp_xscopes_text(&d->x->scopes, scope, d->plane, d->number));
    tp_xplane_add_event(d->plane, &(struct tp_xevent){.start_ns = e->ts_ns - d->x->first_ns,
                                                      .dur_ns = e->dur_ns,
                                                      .name = device_name(d, e),
                                                      .stat_count = count,
                                                      .stats = stats});
}

/* ---- streams ---- */

static unsigned stream_use_of_event(const struct tp_xexport *x, const struct tp_event *e)
{
    if (e->kind == TP_KIND_KERNEL)
        return USE_COMPUTE;
    return e->kind == TP_KIND_MEMSET ? (unsigned)USE_SET
                                     : (unsigned)copies[index_of_copy_kind(tp_trace_event_name(x->trace, e))].bit;
}

/* Writes the name of a stream, such as "Stream #7(Compute,MemcpyH2D)". XProf treats lines with such names as streams.
 * Returns the length of the name. */
static size_t stream_name(char *text, size_t size, long long number, unsigned use)
{
    int n = snprintf(text, size, "Stream #%lld(", number);
    const char *comma = "";
    if (use & USE_COMPUTE) {
        n += snprintf(text + n, size - (size_t)n, "Compute");
        comma = ",";
    }
    for (unsigned i = 0; i < COPY_KINDS; i++)
        if (use & copies[i].bit) {
            n += snprintf(text + n, size - (size_t)n, "%s%s", comma, copies[i].use);
            comma = ",";
        }
    n += snprintf(text + n, size - (size_t)n, use & USE_SET ? "%sMemset)" : ")", comma);
    return (size_t)n;
}

/* Returns the device's events, sorted by stream, then by time. If the tid of a stream is not a number, the sort key
 * comes from the text of the tid. */
static struct tp_keyed *sort_streams(const struct device *d)
{
    const struct tp_model *model = d->x->model;
    struct tp_keyed *items = tp_arena_array(d->x->arena, d->gpu->count, sizeof *items);
    for (uint32_t i = 0; i < d->gpu->count; i++) {
        const struct tp_device_setup *setup =
            tp_device_setup(d->x->trace, tp_device_event(model, d->gpu->events[i])->detail);
        int64_t key = setup->stream;
        if (key == TP_NULL_INT)
            key += 1 + (int64_t)(setup->stream_value == TP_NO_ID ? 0 : setup->stream_value + 1);
        items[i] = (struct tp_keyed){key, i, d->gpu->events[i]};
    }
    tp_sort_keyed(items, d->gpu->count, d->x->arena);
    return items;
}

static void write_streams(struct device *d)
{
    const struct tp_model *model = d->x->model;
    struct tp_keyed *items = sort_streams(d);
    uint32_t odd = 0;
    for (uint32_t i = 0, end; i < d->gpu->count; i = end) {
        char name[128];
        unsigned use = 0;
        for (end = i; end < d->gpu->count && items[end].key == items[i].key; end++)
            use |= stream_use_of_event(d->x, tp_device_event(model, items[end].item));
        bool is_usual = items[i].key >= 0 && items[i].key < LINE_MOST;
        int64_t line = is_usual ? items[i].key : LINE_MOST + odd++;
        size_t size = stream_name(name, sizeof name, line, use);
        tp_xplane_begin_line(d->plane, line, (struct tp_str){name, size});
        for (uint32_t k = i; k < end; k++)
            if (tp_xexport_contains(d->x, tp_device_event(model, items[k].item)->ts_ns))
                put_device_event(d, items[k].item);
    }
    tp_arena_free_item(d->x->arena, items, d->gpu->count * sizeof *items);
}

/* ---- the plane ---- */

static void write_step_mark(struct device *d, uint32_t name, uint32_t step, int64_t at)
{
    struct tp_xstat stat = tp_xstat_int(d->correlation, (1ll << TP_XSTEP_CORRELATION) + step);
    if (at >= d->x->first_ns && at - d->x->first_ns <= TP_MAX_XEVENT_NS)
        tp_xplane_add_event(
            d->plane, &(struct tp_xevent){
                          .start_ns = at - d->x->first_ns, .dur_ns = 1, .name = name, .stat_count = 1, .stats = &stat});
}

/* Writes one event of 1 ns at the start, and one at the end, of each step. */
static void write_step_marks(struct device *d)
{
    const struct tp_model *model = d->x->model;
    uint32_t begin = tp_xplane_add_name(d->plane, TP_STR("step_begin"), TP_STR(""));
    uint32_t end = tp_xplane_add_name(d->plane, TP_STR("step_end"), TP_STR(""));
    tp_xplane_begin_line(d->plane, MARK_LINE, TP_STR("Step boundary"));
    for (uint32_t i = 0; i < model->step_count; i++) {
        write_step_mark(d, begin, i, model->steps[i].start_ns);
        if (model->steps[i].end_ns - 1 > model->steps[i].start_ns)
            write_step_mark(d, end, i, model->steps[i].end_ns - 1);
    }
}

static void write_int_stat(struct device *d, const char *name, int64_t value)
{
    struct tp_xstat stat = tp_xstat_int(tp_xplane_add_text(d->plane, tp_str_of(name)), value);
    if (value != TP_NULL_INT)
        tp_xplane_add_stat(d->plane, &stat);
}

static void write_text_stat(struct device *d, const char *name, struct tp_str value)
{
    struct tp_xstat stat =
        tp_xstat_text(tp_xplane_add_text(d->plane, tp_str_of(name)), tp_xplane_add_text(d->plane, value));
    if (value.len)
        tp_xplane_add_stat(d->plane, &stat);
}

/* Writes the device properties that the trace contains. No trace contains the clock rate or the memory bandwidth. */
static void write_device_properties(struct device *d)
{
    const struct tp_gpu_property *p = tp_model_gpu_property(d->x->trace, d->gpu->id);
    if (!p)
        return;
    bool is_amd = tp_str_find_ignore_case(p->name, "amd") >= 0 || tp_str_find_ignore_case(p->name, "radeon") >= 0;
    struct tp_xstat memory = tp_xstat_uint(tp_xplane_add_text(d->plane, TP_STR("memory_size")),
                                           p->total_memory_bytes > 0 ? (uint64_t)p->total_memory_bytes : 0);
    write_int_stat(d, "core_count", p->sm_count);
    tp_xplane_add_stat(d->plane, &memory);
    write_int_stat(d, "compute_cap_major", p->major);
    write_int_stat(d, "compute_cap_minor", p->minor);
    write_text_stat(d, "device_vendor", is_amd ? TP_STR("AMD") : TP_STR("Nvidia"));
    write_text_stat(d, "gpu_device_name", p->name);
}

static void write_device_plane(struct tp_xexport *x, uint32_t index)
{
    const struct tp_gpu *gpu = &x->model->gpus[index];
    char name[48];
    long long shown = gpu->id >= 0 && gpu->id < LINE_MOST ? gpu->id : LINE_MOST + (long long)index;
    int n = snprintf(name, sizeof name, "/device:GPU:%lld", shown);
    struct tp_xplane *p =
        tp_xspace_add_plane(x->space, DEVICE_PLANES + (int64_t)index, (struct tp_str){name, (size_t)n});
    struct device d = {.x = x,
                       .plane = p,
                       .gpu = gpu,
                       .number = DEVICE_PLANES + index,
                       .names = tp_arena_array(x->arena, x->trace->names.count, sizeof *d.names),
                       .correlation = tp_xplane_add_text(p, TP_STR("correlation_id")),
                       .op = tp_xplane_add_text(p, TP_STR("tf_op")),
                       .kernel = tp_xplane_add_text(p, TP_STR("kernel_details")),
                       .copy = tp_xplane_add_text(p, TP_STR("memcpy_details")),
                       .set = tp_xplane_add_text(p, TP_STR("memset_details"))};
    write_device_properties(&d);
    write_streams(&d);
    write_step_marks(&d);
    tp_arena_free_item(x->arena, d.names, x->trace->names.count * sizeof *d.names);
}

void tp_xexport_devices(struct tp_xexport *x)
{
    for (uint32_t i = 0; i < x->model->gpu_count; i++)
        write_device_plane(x, i);
}
