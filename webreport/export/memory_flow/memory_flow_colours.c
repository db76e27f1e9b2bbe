/* Chooses the colors of memory blocks: by lifetime, or by the operators, modules or lines that use the most memory. See
 * memory_flow.h. */
#include "webreport/export/memory_flow/memory_flow.h"
#include "webreport/measure/snapshot/snapshot_result.h"
#include "writer/base/sort.h"

/* Limits of the lifetime classes, as in MegEngine's memory_flow.svg, or in events of a memory snapshot. The colors are
 * darker for longer lifetimes. */
static const struct {
    int64_t below_ns, below_events;
    const char *fill, *label, *event_label;
} LIVES[] = {
    {100000, 10, "#D5E6F7", "under 100 µs", "under 10 events"},
    {1000000, 100, "#A9CDEE", "100 µs to 1 ms", "10 to 100 events"},
    {10000000, 1000, "#78ACDD", "1 to 10 ms", "100 to 1,000 events"},
    {100000000, 10000, "#4A87C4", "10 to 100 ms", "1,000 to 10,000 events"},
    {1000000000, 100000, "#28619F", "100 ms to 1 s", "10,000 to 100,000 events"},
    {INT64_MAX, INT64_MAX, "#123E6E", "1 s and more", "100,000 events and more"},
};
enum { LIFE_COUNT = sizeof LIVES / sizeof *LIVES };

static const char *const PALETTE[] = {"#4A87C4", "#E69F45", "#5BA05B", "#C85A54", "#8C6BB1", "#9C755F",
                                      "#E08DB8", "#3FA7A3", "#B8A132", "#7F8FA6", "#6FB7E0"};
enum { NAMED = sizeof PALETTE / sizeof *PALETTE };

static int64_t lifetime_ns(const struct tp_flow_block *block)
{
    return block->end_ns - block->start_ns;
}

static void colour_by_lifetime(struct tp_flow_colours *colours, const struct tp_memory_flow *flow)
{
    colours->count = LIFE_COUNT;
    for (unsigned i = 0; i < LIFE_COUNT; i++) {
        colours->fill[i] = LIVES[i].fill;
        colours->label[i] = tp_str_of(flow->is_by_event ? LIVES[i].event_label : LIVES[i].label);
    }
    for (uint32_t i = 0; i < flow->count; i++) {
        uint8_t *colour = &colours->colour_by_block[i];
        int64_t life = lifetime_ns(&flow->blocks[i]);
        while (*colour < LIFE_COUNT - 1 &&
               life >= (flow->is_by_event ? LIVES[*colour].below_events : LIVES[*colour].below_ns))
            ++*colour;
    }
}

struct tp_str tp_flow_operator(const struct tp_memory_flow *flow, const struct tp_flow_block *block)
{
    if (block->owner == TP_NO_ID)
        return (struct tp_str){"", 0};
    return tp_trace_event_name(flow->model->trace, tp_operator_event(flow->model, block->owner));
}

struct tp_str tp_flow_module(const struct tp_memory_flow *flow, const struct tp_flow_block *block)
{
    const struct tp_model *model = flow->model;
    uint32_t module =
        block->owner == TP_NO_ID || !model->operators.module ? TP_NO_ID : model->operators.module[block->owner];
    if (module == TP_NO_ID)
        return (struct tp_str){"", 0};
    return tp_trace_event_name(model->trace, &model->trace->events[model->modules.event[module]]);
}

static struct tp_str snapshot_property(const struct tp_memory_flow *flow, const struct tp_flow_block *block,
                                       enum tp_export_colour kind)
{
    static const enum tp_live_key keys[] = {[TP_EXPORT_BY_MODULE] = TP_LIVE_MODULE,
                                            [TP_EXPORT_BY_LINE] = TP_LIVE_LINE_OR_SITE,
                                            [TP_EXPORT_BY_CATEGORY] = TP_LIVE_CATEGORY,
                                            [TP_EXPORT_BY_STREAM] = TP_LIVE_STREAM};
    return tp_live_property(&flow->snapshot->context, keys[kind],
                            tp_replay_block(&flow->snapshot->replay, block->owner));
}

struct tp_str tp_flow_property(const struct tp_memory_flow *flow, const struct tp_flow_block *block,
                               enum tp_export_colour kind)
{
    if (flow->snapshot)
        return snapshot_property(flow, block, kind);
    return kind == TP_EXPORT_BY_MODULE ? tp_flow_module(flow, block) : tp_flow_operator(flow, block);
}

/* Operators or modules, each with the memory of its blocks over time. */
struct holders {
    struct tp_strings names;
    struct tp_vec held; /* elements: double, one for each name: sum of size * lifetime over its blocks, bytes * ns */
};

static int compare_by_memory_use(const void *context, uint32_t x, uint32_t y)
{
    const struct holders *holders = context;
    double a = *TP_AT(&holders->held, double, x), b = *TP_AT(&holders->held, double, y);
    if (a != b)
        return a > b ? -1 : 1;
    return tp_str_compare(holders->names.items[x], holders->names.items[y]);
}

static void colour_by_name(struct tp_flow_colours *colours, const struct tp_memory_flow *flow, struct tp_arena *arena)
{
    struct holders holders = {.held = TP_VEC(arena, double)};
    uint32_t *name_of = tp_arena_array(arena, flow->count, sizeof *name_of);
    tp_strings_init(&holders.names, arena, 0);
    for (uint32_t i = 0; i < flow->count; i++) {
        const struct tp_flow_block *block = &flow->blocks[i];
        struct tp_str name = tp_flow_property(flow, block, colours->kind);
        name_of[i] = tp_strings_add(&holders.names, name.len ? name : TP_STR("(unknown)"));
        while (holders.held.count <= name_of[i])
            tp_vec_push(&holders.held);
        *TP_AT(&holders.held, double, name_of[i]) += (double)block->bytes * (double)lifetime_ns(block);
    }
    uint32_t count = holders.names.count, *order = tp_arena_array(arena, count, sizeof *order);
    uint8_t *colour_of = tp_arena_array(arena, count, sizeof *colour_of);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    tp_sort_rows(order, count, compare_by_memory_use, &holders, arena);
    for (uint32_t i = 0; i < count; i++) {
        unsigned rank = colour_of[order[i]] = (uint8_t)(i < NAMED ? i : NAMED);
        colours->fill[rank] = rank < NAMED ? PALETTE[rank] : "#B9BEC6";
        colours->label[rank] = rank < NAMED ? holders.names.items[order[i]] : TP_STR("(all others)");
        colours->count = rank + 1;
    }
    for (uint32_t i = 0; i < flow->count; i++)
        colours->colour_by_block[i] = colour_of[name_of[i]];
}

void tp_flow_colours_build(struct tp_flow_colours *colours, const struct tp_memory_flow *flow,
                           enum tp_export_colour kind, struct tp_arena *arena)
{
    *colours = (struct tp_flow_colours){.kind = kind};
    colours->colour_by_block = tp_arena_array(arena, flow->count, sizeof *colours->colour_by_block);
    if (kind == TP_EXPORT_BY_LIFETIME)
        colour_by_lifetime(colours, flow);
    else
        colour_by_name(colours, flow, arena);
}
