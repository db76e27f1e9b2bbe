/* Finds both ends of each arrow: see raw_flows.h. */
#include "webreport/export/chrome/raw_flows.h"

#include "webreport/trace/decode_parts.h"

/* Values of by_id: 2 * index in `waiting`, plus 1 if the waiting element is the end of an arrow; IS_WHOLE if begin and
 * end are written. */
enum { IS_WHOLE = 0xFFFFFFFE, MOST_WAITING = 1 << 30 };

void tp_raw_flows_init(struct tp_raw_flows *flows, struct tp_arena *arena)
{
    tp_id_map_init(&flows->by_id, arena);
    flows->waiting = TP_VEC(arena, struct tp_raw_flow);
    flows->unused = TP_VEC(arena, uint32_t);
}

static char event_phase(const struct tp_event_text *event)
{
    struct tp_str ph = event->spans ? tp_span_text(event->spans, TP_FIELD_PH) : TP_STR("");
    return ph.len == 3 ? ph.ptr[1] : '\0';
}

bool tp_raw_flows_is_flow_element(const struct tp_event_text *event)
{
    char phase = event_phase(event);
    return phase == 's' || phase == 't' || phase == 'f';
}

/* Returns the key of a flow, made from its category and id. The number 5 and the text "5" are the same id, as in the
 * report. */
static uint64_t flow_key(const struct tp_spans *spans)
{
    struct tp_str cat = tp_span_text(spans, TP_FIELD_CAT), id = tp_span_text(spans, TP_FIELD_ID);
    if (tp_token_is_string(id))
        id = tp_token_contents(id);
    return tp_hash_mix(tp_hash_bytes(cat.ptr, cat.len), tp_hash_bytes(id.ptr, id.len) ^ 0x9E3779B97F4A7C15ull);
}

static uint32_t store_waiting_flow(struct tp_raw_flows *flows, struct tp_str text)
{
    uint32_t place = (uint32_t)flows->waiting.count;
    if (flows->unused.count)
        place = *TP_AT(&flows->unused, uint32_t, --flows->unused.count);
    else
        tp_vec_push(&flows->waiting);
    struct tp_raw_flow *flow = TP_AT(&flows->waiting, struct tp_raw_flow, place);
    flow->size = (uint16_t)text.len;
    memcpy(flow->text, text.ptr, text.len);
    return place;
}

bool tp_raw_flows_add(struct tp_raw_flows *flows, const struct tp_event_text *event, struct tp_str *first)
{
    uint32_t is_end = event_phase(event) != 's', *known = tp_id_map_find_or_add(&flows->by_id, flow_key(event->spans));
    *first = (struct tp_str){"", 0};
    if (*known == IS_WHOLE)
        return true; /* a graph launch has one begin and many ends, all of which are kept */
    if (*known != TP_NO_ID && (*known & 1) != is_end) {
        uint32_t place = *known >> 1;
        struct tp_raw_flow *flow = TP_AT(&flows->waiting, struct tp_raw_flow, place);
        *first = (struct tp_str){flow->text, flow->size};
        *(uint32_t *)tp_vec_push(&flows->unused) = place;
        *known = IS_WHOLE;
        return true;
    }
    if (*known != TP_NO_ID) /* the same begin or end was read before; only the first of them is kept */
        return false;
    if (event->text.len > TP_RAW_FLOW_BYTES || flows->waiting.count >= MOST_WAITING) {
        /* the element is written immediately, because it is too long to store; no known writer makes such elements */
        *known = IS_WHOLE;
        return true;
    }
    *known = store_waiting_flow(flows, event->text) << 1 | is_end;
    return false;
}
