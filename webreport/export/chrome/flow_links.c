/* Finds links between events: see flow_links.h. */
#include "webreport/export/chrome/flow_links.h"

const char *tp_link_name(enum tp_link_kind kind)
{
    return kind == TP_LINK_LAUNCH ? "launch" : "backward";
}

static void add_link(struct tp_vec *items, uint32_t from, uint32_t to, enum tp_link_kind kind)
{
    *(struct tp_link *)tp_vec_push(items) = (struct tp_link){from, to, kind};
}

/* Returns the outermost operator of the thread that starts exactly at `at_ns` (time in the trace, ns), or TP_NO_ID. */
static uint32_t operator_at(const struct tp_model *model, uint32_t thread, int64_t at_ns)
{
    uint32_t low = model->operators.thread_first[thread], end = model->operators.thread_first[thread + 1];
    for (uint32_t high = end; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (tp_operator_event(model, middle)->ts_ns < at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && tp_operator_event(model, low)->ts_ns == at_ns ? model->operators.event[low] : TP_NO_ID;
}

/* Begin and end of the flow with one id. A flow with exactly one begin and one end is a link; other flows are
 * ambiguous. */
struct flow_ends {
    uint32_t begin, end; /* 1 + index of the event; 0 until the event is found */
    bool has_repeated_end;
};

static void add_links_to_backward(struct tp_vec *items, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_trace *trace = model->trace;
    struct flow_ends *by_id = tp_arena_array(arena, trace->texts.count, sizeof *by_id);
    for (uint32_t i = 0; i < trace->flow_count; i++) {
        struct flow_ends *ends = trace->flows[i].id < trace->texts.count ? &by_id[trace->flows[i].id] : NULL;
        uint32_t *side = !ends ? NULL : trace->flows[i].is_start ? &ends->begin : &ends->end;
        if (!side)
            continue;
        ends->has_repeated_end |= *side != 0;
        *side = i + 1;
    }
    for (uint32_t i = 0; i < trace->flow_count; i++) {
        const struct tp_flow *begin = &trace->flows[i];
        const struct flow_ends *ends = begin->id < trace->texts.count ? &by_id[begin->id] : NULL;
        if (!ends || ends->begin != i + 1 || ends->end == 0 || ends->has_repeated_end)
            continue;
        const struct tp_flow *end = &trace->flows[ends->end - 1];
        uint32_t from = operator_at(model, begin->thread, begin->ts_ns);
        uint32_t to = operator_at(model, end->thread, end->ts_ns);
        if (from != TP_NO_ID && to != TP_NO_ID && begin->ts_ns <= end->ts_ns)
            add_link(items, from, to, TP_LINK_BACKWARD);
    }
    tp_arena_free_item(arena, by_id, trace->texts.count * sizeof *by_id);
}

void tp_links_build(struct tp_links *links, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_vec items = TP_VEC(arena, struct tp_link);
    for (uint32_t i = 0; i < model->devices.count; i++)
        if (model->devices.launch[i] != TP_NO_ID)
            add_link(&items, model->launches.event[model->devices.launch[i]], model->devices.event[i], TP_LINK_LAUNCH);
    add_links_to_backward(&items, model, arena);
    *links = (struct tp_links){items.data, (uint32_t)items.count};
}
