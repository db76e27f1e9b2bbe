/* Groups and sums: see key_averages.h. */
#include "webreport/measure/key_averages.h"

#include "webreport/measure/key_labels.h"
#include "webreport/measure/key_shapes.h"
#include "webreport/model/flops.h"
#include "writer/base/keys.h"
#include "writer/base/saturate.h"

struct build {
    struct tp_key_averages *averages;
    const struct tp_key_options *options;
    struct tp_arena *arena;
    struct tp_key_labels labels; /* of groups other than by name */
    struct tp_key_shapes shapes;
    struct tp_keys prefixes;  /* (enclosing prefix, frame): the first frames of a stack as one number */
    uint32_t *prefix_of_list; /* by list of stacks: prefix + 1; 0 not asked yet */
    struct tp_keys keys;      /* (label, flags, shape, stack prefix) */
    struct tp_vec rows;
    struct tp_keys places;   /* (row, thread) .. */
    struct tp_vec place_end; /* .. and where its outermost function ends, int64_t */
    const int64_t *flops;
};

static uint32_t prefix_of(struct build *b, uint32_t function)
{
    const struct tp_function_stacks *stacks = &b->averages->stacks;
    if (!b->options->stack_depth)
        return 0;
    uint32_t *known = &b->prefix_of_list[stacks->list_of[function]];
    if (!*known) {
        struct tp_frame_list list = tp_function_stack(stacks, function);
        uint32_t prefix = TP_NO_ID;
        for (uint32_t i = 0; i < list.count && i < b->options->stack_depth; i++)
            prefix = tp_keys_pair(&b->prefixes, prefix, *TP_AT(&stacks->frames, uint32_t, list.first + i));
        *known = prefix + 2; /* TP_NO_ID, no frames, is 1 */
    }
    return *known;
}

static struct tp_key_row make_row(const struct build *b, uint32_t function, uint32_t label, uint32_t shape)
{
    const struct tp_functions *functions = &b->averages->functions;
    const struct tp_function *f = &functions->items[function];
    bool is_by_name = b->options->group == TP_KEY_NAME || b->options->group == TP_KEY_KERNEL;
    struct tp_key_row row = {.key = is_by_name ? tp_function_name(functions, label)
                                               : tp_strings_get(&b->labels.texts, label),
                             .is_device = f->flags & TP_FUNCTION_DEVICE,
                             .is_annotation = f->flags & TP_FUNCTION_ANNOTATION,
                             .is_async = f->flags & TP_FUNCTION_ASYNC,
                             .has_parent = f->parent != TP_NO_ID};
    if (b->options->by_shape)
        row.shapes = tp_strings_get(&b->shapes.texts, shape);
    if (b->options->stack_depth) {
        row.stack = tp_function_stack(&b->averages->stacks, function);
        if (row.stack.count > b->options->stack_depth)
            row.stack.count = b->options->stack_depth;
    }
    return row;
}

/* Row of a function, made when new. */
static uint32_t row_of(struct build *b, uint32_t function, uint32_t label)
{
    const struct tp_functions *functions = &b->averages->functions;
    const struct tp_function *f = &functions->items[function];
    uint32_t shape = b->options->by_shape ? tp_key_shape(&b->shapes, functions, f) : 0;
    bool is_by_name = b->options->group == TP_KEY_NAME;
    uint32_t kind = is_by_name ? f->flags & (TP_FUNCTION_DEVICE | TP_FUNCTION_ANNOTATION) : 0;
    uint32_t row = tp_keys_add(&b->keys, (uint32_t[]){label, kind, shape, prefix_of(b, function)});
    if (row == b->rows.count)
        *(struct tp_key_row *)tp_vec_push(&b->rows) = make_row(b, function, label, shape);
    return row;
}

static void add_time(struct tp_key_time *sum, int64_t ns, double us)
{
    sum->ns = tp_sat_add(sum->ns, ns);
    sum->us += us;
}

/* What a function's children took from it. */
struct share {
    struct tp_key_time cpu, device;
    int64_t cpu_bytes, device_bytes;
};

static struct share share_of_children(const struct tp_functions *functions, const struct tp_function *f)
{
    struct share share = {0};
    for (uint32_t i = f->first_child; i != TP_NO_ID; i = functions->items[i].next_sibling) {
        const struct tp_function *child = &functions->items[i];
        add_time(&share.cpu, child->end_ns - child->start_ns, tp_function_us(functions, child));
        add_time(&share.device, child->device_ns, child->device_us);
        share.cpu_bytes = tp_sat_add(share.cpu_bytes, child->cpu_bytes);
        share.device_bytes = tp_sat_add(share.device_bytes, child->device_bytes);
    }
    return share;
}

/* The part that belongs to the function alone (FunctionEvent.self_*): nothing of async ones. */
static void add_self(struct tp_key_row *row, const struct tp_functions *functions, const struct tp_function *f)
{
    if (f->flags & TP_FUNCTION_ASYNC)
        return;
    if (f->flags & TP_FUNCTION_DEVICE) {
        add_time(&row->self_device, f->device_ns, f->device_us);
        return;
    }
    struct share taken = share_of_children(functions, f);
    add_time(&row->self_cpu, tp_sat_sub(f->end_ns - f->start_ns, taken.cpu.ns),
             tp_function_us(functions, f) - taken.cpu.us);
    if (functions->device)
        add_time(&row->self_device, tp_sat_sub(f->device_ns, taken.device.ns), f->device_us - taken.device.us);
    row->self_cpu_bytes = tp_sat_add(row->self_cpu_bytes, tp_sat_sub(f->cpu_bytes, taken.cpu_bytes));
    row->self_device_bytes = tp_sat_add(row->self_device_bytes, tp_sat_sub(f->device_bytes, taken.device_bytes));
}

static void add_total(struct tp_key_row *row, const struct tp_functions *functions, const struct tp_function *f)
{
    if (!(f->flags & TP_FUNCTION_DEVICE))
        add_time(&row->cpu, f->end_ns - f->start_ns, tp_function_us(functions, f));
    add_time(&row->device, f->device_ns, f->device_us);
    row->cpu_bytes = tp_sat_add(row->cpu_bytes, f->cpu_bytes);
    row->device_bytes = tp_sat_add(row->device_bytes, f->device_bytes);
}

/* True when no function of the same row is around it: in groups that hold callers and callees, only such ones make up
 * the total. (torch's groups by name count recursion twice, so ours do.) */
static bool is_outermost(struct build *b, uint32_t row, const struct tp_function *f)
{
    if (f->flags & (TP_FUNCTION_DEVICE | TP_FUNCTION_ASYNC))
        return true;
    uint32_t place = tp_keys_pair(&b->places, row, f->thread);
    if (place == b->place_end.count) {
        *(int64_t *)tp_vec_push(&b->place_end) = INT64_MIN;
    }
    int64_t *end = TP_AT(&b->place_end, int64_t, place);
    if (f->start_ns < *end)
        return false;
    *end = f->end_ns;
    return true;
}

static void add(struct build *b, uint32_t function)
{
    const struct tp_functions *functions = &b->averages->functions;
    const struct tp_function *f = &functions->items[function];
    bool is_by_name = b->options->group == TP_KEY_NAME || b->options->group == TP_KEY_KERNEL;
    uint32_t label = is_by_name ? f->name : b->labels.of_function[function];
    if (label == TP_NO_ID)
        return;
    uint32_t number = row_of(b, function, label);
    struct tp_key_row *row = TP_AT(&b->rows, struct tp_key_row, number);
    row->count += is_by_name || tp_key_labels_counts(&b->labels, functions, function);
    row->flops = tp_sat_add(row->flops, b->flops[function]);
    add_self(row, functions, f);
    if (is_by_name || is_outermost(b, number, f))
        add_total(row, functions, f);
}

static bool is_wanted(const struct tp_key_options *options, const struct tp_function *f)
{
    if (f->flags & TP_FUNCTION_FOLDED)
        return false;
    if (options->group == TP_KEY_KERNEL)
        return f->flags & TP_FUNCTION_WORK;
    if (options->group == TP_KEY_MODULE || options->group == TP_KEY_LINE) /* device time is with its operators there */
        return !(f->flags & TP_FUNCTION_DEVICE);
    return options->includes_frames || !(f->flags & TP_FUNCTION_FRAME);
}

void tp_key_averages_build(struct tp_key_averages *averages, const struct tp_trace *trace,
                           const struct tp_key_options *options, struct tp_arena *arena)
{
    struct build b = {.averages = averages, .options = options, .arena = arena};
    struct tp_functions *functions = &averages->functions;
    memset(averages, 0, sizeof *averages);
    tp_functions_build(functions, trace, options->rules, arena);
    if (options->stack_depth) {
        tp_function_stacks_build(&averages->stacks, functions, arena);
        b.prefix_of_list = tp_arena_array(arena, averages->stacks.lists.count, sizeof *b.prefix_of_list);
    }
    tp_key_labels_init(&b.labels, functions, options->group, arena);
    tp_key_shapes_init(&b.shapes, arena);
    tp_keys_init(&b.prefixes, arena, 2);
    tp_keys_init(&b.keys, arena, 4);
    tp_keys_init(&b.places, arena, 2);
    b.place_end = TP_VEC(arena, int64_t);
    b.rows = TP_VEC(arena, struct tp_key_row);
    b.flops = tp_functions_flops(functions, arena);
    for (uint32_t i = 0; i < functions->count; i++)
        if (is_wanted(options, &functions->items[i]))
            add(&b, i);
    averages->rows = b.rows.data;
    averages->count = (uint32_t)b.rows.count;
    averages->has_device_rows = options->group != TP_KEY_MODULE && options->group != TP_KEY_LINE;
    averages->has_memory = (trace->options & TP_OPTION_PROFILE_MEMORY) || trace->memory_count;
    averages->has_flops = trace->options & TP_OPTION_WITH_FLOPS;
}
