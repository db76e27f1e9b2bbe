/* Decodes what only torch's CUPTI backend (Cuspy) writes: counters of devices and nodes of graphs. Recognizes this
 * backend. See decode.h.
 *
 * Source of the format: torch/profiler/_cupti_monitor_trace.py in torch 2.13, and its successor of 2026. */
#include "webreport/trace/copy_class.h"
#include "webreport/trace/decode_parts.h"

#define CUSPY "PyTorch, Cuspy (CUPTI monitor)"

/* ---- counters ---- */

/* Returns the number N in the token of a process id "GPU N Counters"; TP_NULL_INT for other tokens. */
static int64_t device_of_counter_process(struct tp_str token)
{
    static const char before[] = "\"GPU ", after[] = " Counters\"";
    const size_t fixed = sizeof before - 1 + sizeof after - 1;
    int64_t device;
    if (token.len <= fixed || memcmp(token.ptr, before, sizeof before - 1) != 0 ||
        memcmp(token.ptr + token.len - (sizeof after - 1), after, sizeof after - 1) != 0)
        return TP_NULL_INT;
    struct tp_str digits = {token.ptr + sizeof before - 1, token.len - fixed};
    return tp_number_parse_int(digits, &device) == TP_NUMBER_OK && device >= 0 ? device : TP_NULL_INT;
}

bool tp_decode_device_counter(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_device_counter counter = {.device = device_of_counter_process(tp_span_text(e->spans, TP_FIELD_PID))};
    if (counter.device == TP_NULL_INT)
        return false;
    d->cuspy.is_recognized = true;
    if (!e->has_name || !tp_span_has_value(e->spans, TP_ARG_VALUE) ||
        tp_element_time(d, e, TP_FIELD_TS, &counter.ts_ns) != TP_NUMBER_OK)
        return true;
    counter.value = tp_number_parse_real(e->spans->field[TP_ARG_VALUE]);
    counter.name = tp_element_intern(d, e, &d->sink->texts, tp_token_contents(e->spans->field[TP_FIELD_NAME]));
    tp_sink_add_device_counter(d->sink, &counter);
    return true;
}

/* ---- recognition ---- */

void tp_decode_cuspy_signs(struct tp_decoder *d, const struct tp_element *e, unsigned kind)
{
    if (kind == TP_KIND_KERNEL)
        d->cuspy.is_recognized |= tp_spans_has(e->spans, TP_ARG_CHANNEL_TYPE);
    if (kind != TP_KIND_OTHER)
        return;
    struct tp_str cat = tp_strings_get(&d->trace->cats, e->cat_id);
    bool is_event = tp_str_equal(cat, TP_STR("graph_event_node")),
         is_host = tp_str_equal(cat, TP_STR("graph_host_node"));
    d->cuspy.event_nodes += is_event;
    d->cuspy.host_nodes += is_host;
    d->cuspy.is_recognized |= is_event || is_host;
}

/* Returns whether the direction of a copy is unknown. */
static bool has_copy_without_direction(const struct tp_sink *sink)
{
    for (size_t i = 0; i < sink->events.count; i++) {
        const struct tp_event *event = TP_AT(&sink->events, struct tp_event, i);
        if (event->kind == TP_KIND_MEMCPY &&
            tp_copy_direction_of_name(tp_strings_get(&sink->trace->names, event->name)) == TP_COPY_UNKNOWN)
            return true;
    }
    return false;
}

void tp_decode_cuspy_finish(struct tp_decoder *d)
{
    const struct {
        const char *what;
        uint64_t count;
    } unread[] = {{"graph_event_node", d->cuspy.event_nodes},
                  {"graph_host_node", d->cuspy.host_nodes},
                  {"graph dependency arrows", d->cuspy.graph_dependencies}};
    if (!d->cuspy.is_recognized || d->trace->input.producer.ptr)
        return;
    tp_sink_set_producer(d->sink, TP_STR(CUSPY));
    d->trace->input.is_of_torch_profiler = true;
    if (has_copy_without_direction(d->sink))
        tp_sink_add_unknown(d->sink, TP_UNKNOWN_COPY_DIRECTION);
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        if (unread[i].count)
            tp_sink_count_dropped(d->sink, unread[i].what, unread[i].count, 0);
}
