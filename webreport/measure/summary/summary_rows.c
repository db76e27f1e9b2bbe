/* Makes the rows of every kind from the calls of the model. */
#include "webreport/measure/summary/summary_parts.h"
#include "webreport/model/device_origin.h"
#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"

/* Converts ids of the trace to ids in a gather's table of texts. Each id is converted once. */
struct texts {
    struct tp_summary_gather *gather;
    const struct tp_trace *trace;
    /* for each id in the trace's names or values: 1 + converted id; 0: not converted yet */
    uint32_t *name, *shape, *dtype;
};

static void init_texts(struct texts *t, struct tp_summary_gather *gather)
{
    const struct tp_trace *trace = gather->work->source->trace;
    t->gather = gather;
    t->trace = trace;
    t->name = tp_arena_array(gather->work->scratch, trace->names.count, sizeof *t->name);
    t->shape = tp_arena_array(gather->work->scratch, trace->values.count, sizeof *t->shape);
    t->dtype = tp_arena_array(gather->work->scratch, trace->values.count, sizeof *t->dtype);
}

static void release_texts(struct texts *t)
{
    struct tp_arena *scratch = t->gather->work->scratch;
    tp_arena_free_item(scratch, t->name, t->trace->names.count * sizeof *t->name);
    tp_arena_free_item(scratch, t->shape, t->trace->values.count * sizeof *t->shape);
    tp_arena_free_item(scratch, t->dtype, t->trace->values.count * sizeof *t->dtype);
}

static uint32_t name_id(struct texts *t, uint32_t name)
{
    if (!t->name[name])
        t->name[name] = 1 + tp_strings_add(&t->gather->texts, tp_strings_get(&t->trace->names, name));
    return t->name[name] - 1;
}

static uint32_t shape_id(struct texts *t, uint32_t value)
{
    if (value == TP_NO_ID)
        return TP_NO_ID;
    if (!t->shape[value]) {
        struct tp_str text = tp_value_shape_text(t->gather->work->scratch, t->trace->values.items[value]);
        t->shape[value] = 1 + tp_strings_add(&t->gather->texts, text);
    }
    return t->shape[value] - 1;
}

struct tp_str tp_summary_dtype_text(struct tp_summary_work *work, struct tp_str types)
{
    struct tp_str item, text;
    size_t size = 0;
    bool is_first = true;
    if (!tp_value_starts_with(types, '['))
        return tp_value_text(work->scratch, types);
    /* each "," becomes ", ", so the result has at most twice the length */
    char *out = tp_arena_alloc(work->scratch, 2 * types.len + 1);
    for (size_t at = 0; tp_value_next(types, &at, NULL, &item);) {
        text = tp_value_text(work->scratch, item);
        if (!is_first) {
            memcpy(out + size, ", ", 2);
            size += 2;
        }
        is_first = false;
        if (text.len)
            memcpy(out + size, text.ptr, text.len);
        size += text.len;
    }
    return (struct tp_str){out, size};
}

static uint32_t dtype_id(struct texts *t, uint32_t value)
{
    if (value == TP_NO_ID)
        return TP_NO_ID;
    if (!t->dtype[value]) {
        struct tp_str text = tp_summary_dtype_text(t->gather->work, t->trace->values.items[value]);
        t->dtype[value] = 1 + tp_strings_add(&t->gather->texts, text.ptr ? text : TP_STR(""));
    }
    return t->dtype[value] - 1;
}

/* ---- operators ---- */

static void add_operators(struct tp_summary_work *work, enum tp_summary_kind kind, struct tp_vec *rows)
{
    const struct tp_model *model = work->source->model;
    struct tp_summary_gather gather;
    struct texts texts;
    tp_summary_gather_init(&gather, work, kind);
    init_texts(&texts, &gather);
    for (uint32_t i = 0; i < model->operators.count; i++) {
        const struct tp_event *e = tp_operator_event(model, i);
        const struct tp_host_detail *detail = &work->source->trace->hosts[e->detail];
        bool is_host = kind == TP_SUMMARY_OPERATOR_HOST;
        int64_t ns =
            is_host ? tp_narrow_get(&model->operators.host_self, i) : tp_narrow_get(&model->operators.device_self, i);
        if (!is_host && ns <= 0)
            continue;
        struct tp_summary_call call = {.name = name_id(&texts, e->name),
                                       .owner = TP_NO_ID,
                                       .shape = shape_id(&texts, detail->dims),
                                       .dtype = dtype_id(&texts, detail->types),
                                       .line = TP_NO_ID,
                                       .ns = ns,
                                       .bytes = TP_NULL_INT,
                                       .step = tp_summary_step_of_host(work, e->ts_ns)};
        tp_summary_gather_add_call(&gather, &call);
    }
    release_texts(&texts);
    tp_summary_gather_make_rows(&gather, rows);
}

/* ---- the device ---- */

static void add_device_events(struct tp_summary_work *work, enum tp_summary_kind kind, struct tp_vec *rows)
{
    const struct tp_model *model = work->source->model;
    const struct tp_trace *trace = work->source->trace;
    struct tp_summary_gather gather;
    struct texts texts;
    tp_summary_gather_init(&gather, work, kind);
    init_texts(&texts, &gather);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        bool has_shapes;
        uint32_t op = tp_operator_of_device(model, k, &has_shapes);
        if ((e->kind == TP_KIND_KERNEL) != (kind == TP_SUMMARY_KERNEL))
            continue;
        struct tp_summary_call call = {.name = name_id(&texts, e->name),
                                       .owner = TP_NO_ID,
                                       .shape = TP_NO_ID,
                                       .dtype = TP_NO_ID,
                                       .line = TP_NO_ID,
                                       .ns = e->dur_ns,
                                       .bytes = TP_NULL_INT,
                                       .step = tp_summary_step_of_device(work, k)};
        if (op != TP_NO_ID) {
            call.owner = name_id(&texts, tp_operator_event(model, op)->name);
            if (has_shapes)
                call.shape = shape_id(&texts, trace->hosts[tp_operator_event(model, op)->detail].dims);
        }
        struct tp_str line = tp_device_line(model, k);
        if (line.len)
            call.line = tp_strings_add(&gather.texts, line);
        if (kind == TP_SUMMARY_COPY)
            call.bytes = tp_device_setup(trace, e->detail)->bytes;
        tp_summary_gather_add_call(&gather, &call);
    }
    release_texts(&texts);
    tp_summary_gather_make_rows(&gather, rows);
}

/* ---- runtime calls, waits ---- */

static void add_runtime(struct tp_summary_work *work, struct tp_vec *rows)
{
    const struct tp_model *model = work->source->model;
    struct tp_summary_gather gather;
    struct texts texts;
    tp_summary_gather_init(&gather, work, TP_SUMMARY_RUNTIME);
    init_texts(&texts, &gather);
    for (uint32_t i = 0; i < model->launches.count; i++) {
        const struct tp_event *e = tp_launch_event(model, i);
        struct tp_summary_call call = {.name = name_id(&texts, e->name),
                                       .owner = TP_NO_ID,
                                       .shape = TP_NO_ID,
                                       .dtype = TP_NO_ID,
                                       .line = TP_NO_ID,
                                       .ns = e->dur_ns,
                                       .bytes = TP_NULL_INT,
                                       .step = tp_summary_step_of_host(work, e->ts_ns)};
        tp_summary_gather_add_call(&gather, &call);
    }
    release_texts(&texts);
    tp_summary_gather_make_rows(&gather, rows);
}

/* Adds the waits for the device that start in the analysed steps, as the sync table does. */
static void add_waits(struct tp_summary_work *work, struct tp_vec *rows)
{
    const struct tp_model *model = work->source->model;
    struct tp_summary_gather gather;
    tp_summary_gather_init(&gather, work, TP_SUMMARY_SYNC);
    for (uint32_t i = 0; i < model->wait_count; i++) {
        const struct tp_wait *wait = &model->waits[i];
        int64_t start = model->trace->events[wait->event].ts_ns;
        if (!tp_intervals_contain(model->window, start))
            continue;
        struct tp_wait_place place = tp_wait_place(model, wait);
        struct tp_summary_call call = {.name = tp_strings_add(&gather.texts, place.api),
                                       .owner = tp_strings_add(&gather.texts, place.op),
                                       .shape = tp_strings_add(&gather.texts, place.line),
                                       .dtype = TP_NO_ID,
                                       .line = TP_NO_ID,
                                       .ns = wait->cost_ns,
                                       .bytes = TP_NULL_INT,
                                       .step = tp_summary_step_of_host(work, start)};
        tp_summary_gather_add_call(&gather, &call);
    }
    tp_summary_gather_make_rows(&gather, rows);
}

/* ---- a program recorded from outside ---- */

static void add_functions(struct tp_summary_work *work, struct tp_vec *rows)
{
    const struct tp_program_view *view = &work->source->advice->program;
    const struct tp_trace *trace = work->source->trace;
    /* copies the struct, so that the view stays unchanged; adds no function, because all stacks are known */
    struct tp_program_functions functions = view->functions;
    struct tp_summary_gather gather;
    tp_summary_gather_init(&gather, work, TP_SUMMARY_FUNCTION);
    functions.path = functions.frames = TP_VEC(work->scratch, uint32_t);
    for (uint32_t i = 0; i < trace->sample_count; i++) {
        tp_program_functions_of_stack(&functions, trace->samples[i].stack);
        if (!functions.path.count)
            continue;
        const struct tp_program_function *f =
            tp_program_function_at(&functions, *TP_AT(&functions.path, uint32_t, functions.path.count - 1));
        struct tp_summary_call call = {.name = tp_strings_add(&gather.texts, f->name),
                                       .owner = tp_strings_add(&gather.texts, f->file),
                                       .shape = TP_NO_ID,
                                       .dtype = TP_NO_ID,
                                       .line = TP_NO_ID,
                                       .ns = view->tree.weight_of_sample_ns[i],
                                       .bytes = TP_NULL_INT,
                                       .step = 0};
        tp_summary_gather_add_call(&gather, &call);
    }
    tp_summary_gather_make_rows(&gather, rows);
}

static void add_parts(struct tp_summary_work *work, struct tp_vec *rows)
{
    const struct tp_wall_parts *parts = &work->source->advice->program.parts;
    struct tp_summary_gather gather;
    tp_summary_gather_init(&gather, work, TP_SUMMARY_PART);
    for (unsigned part = 0; part < TP_WALL_COUNT; part++) {
        if (!parts->part_ns[part])
            continue;
        struct tp_summary_call call = {.name = tp_strings_add(&gather.texts, tp_str_of(tp_wall_part_text(part))),
                                       .owner = TP_NO_ID,
                                       .shape = TP_NO_ID,
                                       .dtype = TP_NO_ID,
                                       .line = TP_NO_ID,
                                       .ns = parts->part_ns[part],
                                       .bytes = TP_NULL_INT,
                                       .step = 0};
        tp_summary_gather_add_call(&gather, &call);
    }
    tp_summary_gather_make_rows(&gather, rows);
}

/* ---- modules ---- */

/* Paths of modules, as keys (parent path + 1, name id). Only kept rows get a text for their path, because modules may
 * be deeply nested. */
struct paths {
    struct tp_keys nodes;
    uint32_t *of_call;
    int64_t *device_total; /* for each module call: total device time, ns */
};

static struct tp_str module_name(const struct tp_trace *trace, uint32_t name)
{
    return tp_frame_module_name(tp_strings_get(&trace->names, name));
}

/* Returns a path such as "Net_0/Sequential_1/Linear_4". If the path is too long, returns a hash of the whole path,
 * followed by the inner end of the path. */
static struct tp_str path_text(const struct tp_summary_gather *gather, uint32_t path)
{
    enum { ROOM = TP_MAX_SUMMARY_TEXT_BYTES, HASH_ROOM = 24 };
    const struct paths *paths = gather->context;
    const struct tp_trace *trace = gather->work->source->trace;
    char *text = tp_arena_alloc(gather->work->scratch, ROOM + 1);
    size_t at = ROOM;
    uint64_t above = 0;
    for (uint32_t node = path + 1; node;) {
        const uint32_t *pair = tp_keys_get(&paths->nodes, node - 1);
        struct tp_str name = module_name(trace, pair[1]);
        if (above || name.len + 1 + HASH_ROOM > at) {
            above = tp_hash_mix(above ^ tp_hash_bytes(name.ptr, name.len), 0x9E3779B97F4A7C15ull) | 1;
        } else {
            at -= at < ROOM;
            text[at] = '/';
            at -= name.len;
            memcpy(text + at, name.ptr, name.len);
        }
        node = pair[0];
    }
    for (unsigned i = 0; above && i < 16; i++)
        text[--at] = "0123456789abcdef"[above >> 4 * i & 15];
    text[ROOM] = '\0';
    return (struct tp_str){text + at, ROOM - at};
}

static void find_paths(struct tp_summary_work *work, struct paths *paths)
{
    const struct tp_model *model = work->source->model;
    const struct tp_modules *modules = &model->modules;
    tp_keys_init(&paths->nodes, work->scratch, 2);
    paths->of_call = tp_arena_array(work->scratch, modules->count, sizeof *paths->of_call);
    paths->device_total = tp_arena_array(work->scratch, modules->count, sizeof *paths->device_total);
    for (uint32_t m = 0; m < modules->count; m++) {
        uint32_t above = modules->parent[m] == TP_NO_ID ? 0 : paths->of_call[modules->parent[m]] + 1;
        paths->of_call[m] = tp_keys_pair(&paths->nodes, above, model->trace->events[modules->event[m]].name);
    }
    for (uint32_t k = 0; k < model->devices.count; k++)
        if (model->devices.module[k] != TP_NO_ID) {
            int64_t *total = &paths->device_total[model->devices.module[k]];
            *total = tp_sat_add(*total, tp_device_event(model, k)->dur_ns);
        }
    /* visits children before their parents, because children have higher numbers */
    for (uint32_t m = modules->count; m-- > 0;)
        if (modules->parent[m] != TP_NO_ID) {
            int64_t *total = &paths->device_total[modules->parent[m]];
            *total = tp_sat_add(*total, paths->device_total[m]);
        }
}

static void add_modules(struct tp_summary_work *work, const struct paths *paths, enum tp_summary_kind kind,
                        struct tp_vec *rows)
{
    const struct tp_modules *modules = &work->source->model->modules;
    struct tp_summary_gather gather;
    tp_summary_gather_init(&gather, work, kind);
    gather.name_text = path_text;
    gather.context = paths;
    for (uint32_t m = 0; m < modules->count; m++) {
        const struct tp_event *e = &work->source->trace->events[modules->event[m]];
        bool is_host = kind == TP_SUMMARY_MODULE_HOST;
        if (!is_host && paths->device_total[m] <= 0)
            continue;
        struct tp_summary_call call = {.name = paths->of_call[m],
                                       .owner = TP_NO_ID,
                                       .shape = TP_NO_ID,
                                       .dtype = TP_NO_ID,
                                       .line = TP_NO_ID,
                                       .ns = is_host ? e->dur_ns : paths->device_total[m],
                                       .bytes = TP_NULL_INT,
                                       .step = tp_summary_step_of_host(work, e->ts_ns)};
        tp_summary_gather_add_call(&gather, &call);
    }
    tp_summary_gather_make_rows(&gather, rows);
}

/* Adds the rows of device operations and modules. */
static void add_work(struct tp_summary_work *work, struct tp_vec *rows)
{
    add_device_events(work, TP_SUMMARY_KERNEL, rows);
    add_device_events(work, TP_SUMMARY_COPY, rows);
    if (work->source->model->modules.count) {
        struct paths paths;
        find_paths(work, &paths);
        add_modules(work, &paths, TP_SUMMARY_MODULE_HOST, rows);
        add_modules(work, &paths, TP_SUMMARY_MODULE_DEVICE, rows);
    }
}

void tp_summary_rows_build(struct tp_summary_work *work)
{
    struct tp_vec rows = TP_VEC(work->scratch, struct tp_summary_row);
    bool is_whole = work->source->extent == TP_SUMMARY_WHOLE;
    if (work->source->extent != TP_SUMMARY_JUDGED) {
        add_operators(work, TP_SUMMARY_OPERATOR_HOST, &rows);
        add_operators(work, TP_SUMMARY_OPERATOR_DEVICE, &rows);
    }
    if (is_whole)
        add_work(work, &rows);
    add_waits(work, &rows);
    if (is_whole)
        add_runtime(work, &rows);
    if (work->source->advice->program.is_present) {
        add_functions(work, &rows);
        add_parts(work, &rows);
    }
    work->out->row_count = (uint32_t)rows.count;
    work->out->rows = tp_arena_array(work->arena, rows.count, sizeof *work->out->rows);
    if (rows.count)
        memcpy(work->out->rows, rows.data, rows.count * sizeof *work->out->rows);
}

const char *tp_summary_kind_text(enum tp_summary_kind kind)
{
    static const char *const texts[TP_SUMMARY_KIND_COUNT] = {
        [TP_SUMMARY_OPERATOR_HOST] = "operator_host",
        [TP_SUMMARY_OPERATOR_DEVICE] = "operator_device",
        [TP_SUMMARY_KERNEL] = "kernel",
        [TP_SUMMARY_COPY] = "copy",
        [TP_SUMMARY_MODULE_HOST] = "module_host",
        [TP_SUMMARY_MODULE_DEVICE] = "module_device",
        [TP_SUMMARY_SYNC] = "sync",
        [TP_SUMMARY_RUNTIME] = "runtime",
        [TP_SUMMARY_FUNCTION] = "function",
        [TP_SUMMARY_PART] = "wall_part",
    };
    return texts[kind];
}
