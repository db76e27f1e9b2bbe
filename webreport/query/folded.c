/* Folded stacks: see folded.h. */
#include "webreport/query/folded.h"

#include "webreport/model/saturate.h"
#include "writer/base/fs.h"
#include "writer/base/limits.h"

enum { CHUNK = 1 << 16 };

/* ---- metrics ---- */

struct tp_folded_metric {
    const char *name;
    bool is_torch;
    bool wants_device;
    int64_t (*value)(const struct tp_functions *functions, const struct tp_function *f); /* of ours; self */
};

static int64_t self_cpu_ns(const struct tp_functions *functions, const struct tp_function *f)
{
    int64_t ns = f->end_ns - f->start_ns;
    if (f->flags & (TP_FUNCTION_ASYNC | TP_FUNCTION_DEVICE))
        return 0;
    for (uint32_t i = f->first_child; i != TP_NO_ID; i = functions->items[i].next_sibling)
        ns = tp_sat_sub(ns, functions->items[i].end_ns - functions->items[i].start_ns);
    return ns;
}

static int64_t self_device_ns(const struct tp_functions *functions, const struct tp_function *f)
{
    (void)functions;
    return f->flags & (TP_FUNCTION_ASYNC | TP_FUNCTION_DEVICE) ? 0 : f->kernels_ns;
}

static int64_t self_bytes(const struct tp_functions *functions, const struct tp_function *f)
{
    int64_t bytes = tp_sat_add(f->cpu_bytes, f->device_bytes);
    if (f->flags & (TP_FUNCTION_ASYNC | TP_FUNCTION_DEVICE))
        return 0;
    for (uint32_t i = f->first_child; i != TP_NO_ID; i = functions->items[i].next_sibling) {
        const struct tp_function *child = &functions->items[i];
        bytes = tp_sat_sub(bytes, tp_sat_add(child->cpu_bytes, child->device_bytes));
    }
    return bytes;
}

static int64_t one_call(const struct tp_functions *functions, const struct tp_function *f)
{
    (void)functions;
    return f->flags & (TP_FUNCTION_ASYNC | TP_FUNCTION_DEVICE) ? 0 : 1;
}

static const struct tp_folded_metric metrics[] = {
    {"self_cpu_time_total", true, false, NULL},
    {"self_cuda_time_total", true, true, NULL},
    {"self_device_time_total", true, true, NULL},
    {"self_xpu_time_total", true, true, NULL},
    {"self_privateuse1_time_total", true, true, NULL},
    {"cpu", false, false, self_cpu_ns},
    {"device", false, true, self_device_ns},
    {"bytes", false, false, self_bytes},
    {"calls", false, false, one_call},
};

const struct tp_folded_metric *tp_folded_metric(const char *name)
{
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (strcmp(metrics[i].name, name) == 0)
            return &metrics[i];
    return NULL;
}

static bool is_time(const struct tp_folded_metric *metric)
{
    return metric->value == self_cpu_ns || metric->value == self_device_ns;
}

/* ---- lines ---- */

static void put_frame(struct tp_buf *out, struct tp_str frame)
{
    for (size_t i = 0; i < frame.len; i++) {
        unsigned char c = (unsigned char)frame.ptr[i];
        tp_buf_putc(out, c == ' ' || c == ';' || c == '\t' || c == '\n' ? '_' : (char)c);
    }
}

static void put_value(struct tp_buf *out, int64_t value)
{
    tp_buf_putc(out, ' ');
    tp_buf_int(out, value);
    tp_buf_putc(out, '\n');
}

/* int(evt.self_*_time_total) of torch: whole microseconds of its double. */
static int64_t torch_value(const struct tp_folded *folded, const struct tp_function *f)
{
    const struct tp_functions *functions = &folded->functions;
    bool is_device = folded->metric->wants_device;
    double us = is_device ? f->device_us : tp_function_us(functions, f), children_us = 0;
    if ((f->flags & TP_FUNCTION_ASYNC) || (!is_device && (f->flags & TP_FUNCTION_DEVICE)))
        return 0;
    for (uint32_t i = f->first_child; i != TP_NO_ID; i = functions->items[i].next_sibling) {
        const struct tp_function *child = &functions->items[i];
        children_us += is_device ? child->device_us : tp_function_us(functions, child);
    }
    us -= children_us;
    return us >= 1 && us < 9e18 ? (int64_t)us : 0;
}

static void put_torch_line(const struct tp_folded *folded, uint32_t function, struct tp_buf *out)
{
    const struct tp_function *f = &folded->functions.items[function];
    struct tp_frame_list list = tp_function_stack(&folded->stacks, function);
    int64_t value = (f->flags & TP_FUNCTION_FOLDED) || list.count == 0 ? 0 : torch_value(folded, f);
    if (value <= 0)
        return;
    for (uint32_t i = list.count; i-- > 0;) {
        put_frame(out, tp_frame_text(&folded->stacks, list.first + i));
        if (i > 0)
            tp_buf_putc(out, ';');
    }
    put_value(out, value);
}

static void put_path_line(const struct tp_folded *folded, uint32_t path, struct tp_buf *out)
{
    uint32_t chain[TP_MAX_FOLDED_DEPTH + 1];
    unsigned depth = 0;
    int64_t value = *TP_AT(&folded->values, int64_t, path);
    if (is_time(folded->metric))
        value /= 1000;
    if (value <= 0)
        return;
    for (; path != TP_NO_ID && depth <= TP_MAX_FOLDED_DEPTH; path = tp_tuples_get(&folded->paths, path)[0])
        chain[depth++] = path;
    while (depth-- > 0) {
        put_frame(out, tp_function_name(&folded->functions, tp_tuples_get(&folded->paths, chain[depth])[1]));
        if (depth > 0)
            tp_buf_putc(out, ';');
    }
    put_value(out, value);
}

bool tp_folded_more(struct tp_folded *folded, struct tp_buf *out)
{
    uint32_t count = folded->metric->is_torch ? folded->functions.count : tp_tuples_count(&folded->paths);
    size_t goal = out->size + CHUNK;
    if (folded->at >= count)
        return false;
    while (folded->at < count && out->size < goal && !out->failed) {
        if (folded->metric->is_torch)
            put_torch_line(folded, folded->at++, out);
        else
            put_path_line(folded, folded->at++, out);
    }
    return true;
}

/* ---- building ---- */

/* The path of every function; one that is too deep counts for the deepest path around it that is kept. */
static void find_paths(struct tp_folded *folded, struct tp_arena *arena)
{
    const struct tp_functions *functions = &folded->functions;
    uint32_t *path_of = tp_arena_array(arena, functions->count, sizeof *path_of);
    uint16_t *depth = tp_arena_array(arena, functions->count, sizeof *depth);
    tp_tuples_init(&folded->paths, arena, 2);
    folded->values = TP_VEC(arena, int64_t);
    for (uint32_t i = 0; i < functions->count; i++) {
        const struct tp_function *f = &functions->items[i];
        bool is_root = f->parent == TP_NO_ID;
        if (f->flags & (TP_FUNCTION_FOLDED | TP_FUNCTION_DEVICE | TP_FUNCTION_ASYNC))
            continue;
        depth[i] = is_root ? 0 : depth[f->parent];
        path_of[i] = is_root ? TP_NO_ID : path_of[f->parent];
        if (depth[i] < TP_MAX_FOLDED_DEPTH) {
            depth[i]++;
            path_of[i] = tp_tuples_pair(&folded->paths, path_of[i], f->name);
        }
        while (folded->values.count <= path_of[i])
            tp_vec_push(&folded->values);
        int64_t *value = TP_AT(&folded->values, int64_t, path_of[i]);
        *value = tp_sat_add(*value, folded->metric->value(functions, f));
    }
}

void tp_folded_build(struct tp_folded *folded, const struct tp_trace *trace, const struct tp_folded_metric *metric,
                     enum tp_torch_rules rules, struct tp_arena *arena)
{
    memset(folded, 0, sizeof *folded);
    folded->metric = metric;
    tp_functions_build(&folded->functions, trace, rules, arena);
    if (metric->is_torch)
        tp_function_stacks_build(&folded->stacks, &folded->functions, arena);
    else
        find_paths(folded, arena);
}

int tp_folded_write(struct tp_folded *folded, const char *path, struct tp_error *err)
{
    struct tp_outfile *file;
    struct tp_buf text;
    int code = tp_outfile_open(&file, path, err);
    if (code < 0)
        return code;
    tp_buf_init(&text, 0);
    while (code == TP_OK && tp_folded_more(folded, &text)) {
        code = text.failed ? tp_error_set(err, text.failed, 0, "out of memory")
                           : tp_outfile_write(file, text.data ? text.data : "", text.size, err);
        tp_buf_clear(&text);
    }
    tp_buf_release(&text);
    if (code == TP_OK)
        return tp_outfile_commit(&file, err);
    tp_outfile_discard(&file);
    return code;
}
