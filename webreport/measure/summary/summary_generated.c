/* Lists the kernels that compilers generated, in the order of their first calls, with hashes and source lines. */
#include "webreport/measure/summary/summary_parts.h"
#include "webreport/model/compiled_lookup.h"
#include "webreport/trace/compile_log/compile_names.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

/* A generated kernel. ptr of hash and line is NULL until a call shows the text. */
struct kernel {
    int64_t first_ns; /* start of the first call, ns; INT64_MAX without calls */
    struct tp_str name, hash, line;
};

struct kernels {
    struct tp_vec items; /* elements: struct kernel */
    uint32_t *of_name;   /* for each name id: 1 + index in items; 0: the name has no number of a compiler */
};

/* Adds the names with a number of a compiler. */
static void find_names(struct kernels *kernels, const struct tp_strings *names, struct tp_arena *arena)
{
    kernels->items = TP_VEC(arena, struct kernel);
    kernels->of_name = tp_arena_array(arena, names->count, sizeof *kernels->of_name);
    for (uint32_t i = 0; i < names->count; i++) {
        struct tp_str name = names->items[i], family = name.len ? tp_compile_kernel_family(name) : name;
        if (family.ptr + family.len == name.ptr + name.len)
            continue;
        *(struct kernel *)tp_vec_push(&kernels->items) = (struct kernel){.first_ns = INT64_MAX, .name = name};
        kernels->of_name[i] = (uint32_t)kernels->items.count;
    }
}

/* Adds a text of one call. A text that differs between calls becomes "". */
static void add_text(struct tp_str *known, struct tp_str text)
{
    if (!text.len || (known->ptr && tp_str_equal(*known, text)))
        return;
    *known = known->ptr ? TP_STR("") : text;
}

static void add_call(struct kernels *kernels, const struct tp_event *e, struct tp_str hash, struct tp_str line)
{
    struct kernel *kernel = TP_AT(&kernels->items, struct kernel, kernels->of_name[e->name] - 1);
    kernel->first_ns = e->ts_ns < kernel->first_ns ? e->ts_ns : kernel->first_ns;
    add_text(&kernel->hash, hash);
    add_text(&kernel->line, line);
}

static struct tp_str line_of_source(const struct tp_compiled_source *source)
{
    return source && source->line.ptr ? source->line : TP_STR("");
}

static void add_calls(struct kernels *kernels, const struct tp_model *model, struct tp_arena *arena)
{
    for (uint32_t i = 0; i < model->operators.count; i++) {
        uint32_t event = model->operators.event[i];
        const struct tp_event *e = tp_operator_event(model, i);
        if (!kernels->of_name[e->name])
            continue;
        const struct tp_compiled_call *call = tp_compiled_call_of_event(model, event);
        add_call(kernels, e, tp_compiled_hash_of_event(model, event, arena),
                 line_of_source(call ? call->source : NULL));
    }
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        if (kernels->of_name[e->name])
            add_call(kernels, e, tp_compiled_hash_of_device(model, k, arena),
                     line_of_source(model->compiled.of_device ? model->compiled.of_device[k] : NULL));
    }
}

static int compare_by_first_call(const void *x, const void *y, const void *context)
{
    const struct kernel *a = x, *b = y;
    (void)context;
    if (a->first_ns != b->first_ns)
        return a->first_ns < b->first_ns ? -1 : 1;
    return tp_str_compare(a->name, b->name);
}

/* Returns a number for the text of a hash, which is not 0. */
static uint64_t number_of_hash(struct tp_str hash)
{
    uint64_t number = tp_hash_bytes(hash.ptr, hash.len);
    return number ? number : 1;
}

void tp_summary_generated_build(struct tp_summary_work *work)
{
    const struct tp_model *model = work->source->model;
    struct kernels kernels;
    find_names(&kernels, &model->trace->names, work->scratch);
    if (!kernels.items.count)
        return;
    add_calls(&kernels, model, work->scratch);
    tp_merge_sort(work->scratch, kernels.items.data, kernels.items.count, sizeof(struct kernel), compare_by_first_call,
                  NULL);
    uint32_t count = 0;
    while (count < kernels.items.count && TP_AT(&kernels.items, struct kernel, count)->first_ns != INT64_MAX)
        count++;
    uint32_t kept = count < TP_MAX_SUMMARY_GENERATED ? count : TP_MAX_SUMMARY_GENERATED;
    work->left_out[TP_CUT_GENERATED] += count - kept;
    work->out->generated = tp_arena_array(work->arena, kept, sizeof *work->out->generated);
    work->out->generated_count = kept;
    for (uint32_t i = 0; i < kept; i++) {
        const struct kernel *kernel = TP_AT(&kernels.items, struct kernel, i);
        work->out->generated[i] =
            (struct tp_summary_generated){.name = tp_summary_intern_text(work, kernel->name),
                                          .line = tp_summary_intern_text(work, kernel->line),
                                          .hash = kernel->hash.len ? number_of_hash(kernel->hash) : 0};
    }
}
