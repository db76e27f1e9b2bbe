/* Groups events by key and adds them up. See key_averages.h. */
#include "webreport/measure/torch_tables/key_averages.h"

#include "webreport/measure/torch_tables/key_labels.h"
#include "webreport/measure/torch_tables/key_shapes.h"
#include "webreport/model/flops.h"
#include "writer/base/keys.h"
#include "writer/base/saturate.h"

struct build {
    struct tp_key_averages *averages;
    const struct tp_key_options *options;
    struct tp_arena *arena;
    struct tp_key_labels labels; /* labels of items; unused when the grouping is by name */
    struct tp_key_shapes shapes;
    /* first frames of stacks; keys (index of the key without the last frame, last frame) */
    struct tp_keys prefixes;
    uint32_t *prefix_of_list; /* for each list of frames: index in `prefixes` + 2; 0: not yet known */
    /* keys (label, flags, shape, prefix of the stack); the index of a key is the index of its row */
    struct tp_keys keys;
    struct tp_vec rows;
    struct tp_keys places;   /* keys (row, thread) of the items */
    struct tp_vec place_end; /* for each key of `places`: end of the outermost item so far, ns; elements: int64_t */
    struct tp_flops flops;
};

static uint32_t stack_prefix_id(struct build *b, uint32_t item)
{
    const struct tp_key_stacks *stacks = &b->averages->stacks;
    if (!b->options->stack_depth)
        return 0;
    uint32_t *known = &b->prefix_of_list[stacks->list_of[item]];
    if (!*known) {
        struct tp_frame_list list = tp_key_stack(stacks, item);
        uint32_t prefix = TP_NO_ID;
        for (uint32_t i = 0; i < list.count && i < b->options->stack_depth; i++)
            prefix = tp_keys_pair(&b->prefixes, prefix, *TP_AT(&stacks->frames, uint32_t, list.first + i));
        /* 2 is added so that TP_NO_ID (a stack without frames) becomes 1, and 0 is free for "not yet known" */
        *known = prefix + 2;
    }
    return *known;
}

static struct tp_key_row make_row(const struct build *b, uint32_t item, uint32_t label, uint32_t shape)
{
    const struct tp_torch *torch = &b->averages->torch;
    unsigned flags = tp_torch_flags(torch, item);
    bool is_by_name = b->options->group == TP_KEY_NAME || b->options->group == TP_KEY_KERNEL;
    struct tp_key_row row = {.key = is_by_name ? tp_torch_name_text(torch, label)
                                               : tp_strings_get(&b->labels.texts, label),
                             .is_device = flags & TP_TORCH_DEVICE,
                             .is_annotation = flags & TP_TORCH_ANNOTATION,
                             .is_async = flags & TP_TORCH_ASYNC,
                             .has_parent = torch->parent[item] != TP_NO_ID};
    if (b->options->by_shape)
        row.shapes = tp_strings_get(&b->shapes.texts, shape);
    if (b->options->stack_depth) {
        row.stack = tp_key_stack(&b->averages->stacks, item);
        if (row.stack.count > b->options->stack_depth)
            row.stack.count = b->options->stack_depth;
    }
    return row;
}

/* Returns the row of an item. Adds a new row for a new key. */
static uint32_t find_or_add_row(struct build *b, uint32_t item, uint32_t label)
{
    const struct tp_torch *torch = &b->averages->torch;
    uint32_t shape = b->options->by_shape ? tp_key_shape_id(&b->shapes, torch, item) : 0;
    bool is_by_name = b->options->group == TP_KEY_NAME;
    uint32_t kind = is_by_name ? tp_torch_flags(torch, item) & (TP_TORCH_DEVICE | TP_TORCH_ANNOTATION) : 0;
    uint32_t row = tp_keys_add(&b->keys, (uint32_t[]){label, kind, shape, stack_prefix_id(b, item)});
    if (row == b->rows.count)
        *(struct tp_key_row *)tp_vec_push(&b->rows) = make_row(b, item, label, shape);
    return row;
}

/* Returns whether no other item of the same row encloses this item. Except in the grouping by name, only such items are
 * added to the total. In the grouping by name, recursive calls are added too, as in torch. */
static bool is_outermost_item_of_row(struct build *b, uint32_t row, uint32_t item)
{
    const struct tp_torch *torch = &b->averages->torch;
    if (tp_torch_flags(torch, item) & (TP_TORCH_DEVICE | TP_TORCH_ASYNC))
        return true;
    uint32_t place = tp_keys_pair(&b->places, row, tp_torch_thread(torch, item));
    if (place == b->place_end.count) {
        *(int64_t *)tp_vec_push(&b->place_end) = INT64_MIN;
    }
    int64_t *end = TP_AT(&b->place_end, int64_t, place);
    if (tp_torch_start(torch, item) < *end)
        return false;
    *end = tp_torch_end(torch, item);
    return true;
}

static void add_item_to_row(struct build *b, uint32_t item)
{
    const struct tp_torch *torch = &b->averages->torch;
    bool is_by_name = b->options->group == TP_KEY_NAME || b->options->group == TP_KEY_KERNEL;
    uint32_t label = is_by_name ? tp_torch_name(torch, item) : b->labels.label_of_item[item];
    if (label == TP_NO_ID)
        return;
    uint32_t number = find_or_add_row(b, item, label);
    struct tp_key_row *row = TP_AT(&b->rows, struct tp_key_row, number);
    struct tp_torch_sum self = tp_torch_self_sum(torch, item, 0);
    row->count += is_by_name || tp_key_labels_is_counted(&b->labels, torch, item);
    row->flops = tp_sat_add(row->flops, tp_flops_of_item(&b->flops, torch, item));
    tp_torch_add_time(&row->self_cpu, self.cpu);
    tp_torch_add_time(&row->self_device, self.device);
    row->self_cpu_bytes = tp_sat_add(row->self_cpu_bytes, self.bytes.cpu);
    row->self_device_bytes = tp_sat_add(row->self_device_bytes, self.bytes.gpu);
    if (!is_by_name && !is_outermost_item_of_row(b, number, item))
        return;
    struct tp_torch_sum total = tp_torch_total_sum(torch, item);
    tp_torch_add_time(&row->cpu, total.cpu);
    tp_torch_add_time(&row->device, total.device);
    row->cpu_bytes = tp_sat_add(row->cpu_bytes, total.bytes.cpu);
    row->device_bytes = tp_sat_add(row->device_bytes, total.bytes.gpu);
}

static bool is_item_wanted(const struct tp_key_options *options, unsigned flags)
{
    if (flags & TP_TORCH_FOLDED)
        return false;
    if (options->group == TP_KEY_KERNEL)
        return flags & TP_TORCH_WORK;
    /* skips device events, because their time is part of the operators that launched them */
    if (options->group == TP_KEY_MODULE || options->group == TP_KEY_LINE)
        return !(flags & TP_TORCH_DEVICE);
    return options->includes_frames || !(flags & TP_TORCH_FRAME);
}

void tp_key_averages_build(struct tp_key_averages *averages, const struct tp_trace *trace,
                           const struct tp_key_options *options, struct tp_arena *arena)
{
    struct build b = {.averages = averages, .options = options, .arena = arena};
    struct tp_torch *torch = &averages->torch;
    memset(averages, 0, sizeof *averages);
    tp_torch_build(torch, trace, options->rules, arena);
    if (options->stack_depth) {
        tp_key_stacks_build(&averages->stacks, torch, arena);
        b.prefix_of_list = tp_arena_array(arena, averages->stacks.lists.count, sizeof *b.prefix_of_list);
    }
    tp_key_labels_init(&b.labels, torch, options->group, arena);
    tp_key_shapes_init(&b.shapes, arena);
    tp_keys_init(&b.prefixes, arena, 2);
    tp_keys_init(&b.keys, arena, 4);
    tp_keys_init(&b.places, arena, 2);
    b.place_end = TP_VEC(arena, int64_t);
    b.rows = TP_VEC(arena, struct tp_key_row);
    tp_flops_init(&b.flops, trace, arena);
    for (uint32_t k = 0; k < torch->count; k++)
        if (is_item_wanted(options, tp_torch_flags(torch, torch->order[k])))
            add_item_to_row(&b, torch->order[k]);
    averages->rows = b.rows.data;
    averages->count = (uint32_t)b.rows.count;
    averages->has_device_rows = options->group != TP_KEY_MODULE && options->group != TP_KEY_LINE;
    averages->has_memory = (trace->options & TP_OPTION_PROFILE_MEMORY) || trace->memory_count;
    averages->has_flops = trace->options & TP_OPTION_WITH_FLOPS;
}
