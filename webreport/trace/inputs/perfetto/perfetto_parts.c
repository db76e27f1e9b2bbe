/* Finds times and texts of the reader of Perfetto traces: see perfetto_parts.h. */
#include "webreport/trace/inputs/perfetto/perfetto_parts.h"

#include "writer/base/limits.h"
#include "writer/base/put.h"

bool tp_perfetto_time(struct tp_perfetto *p, struct tp_sequence *sequence, const struct tp_packet *packet, int64_t *ns)
{
    const int64_t least_epoch_ns = 100000000000000000; /* times above this value count from 1970 */
    uint64_t clock = tp_packet_has(packet, TP_PART_CLOCK) ? packet->clock
                     : sequence->has_default_clock        ? sequence->default_clock
                                                          : 0;
    if (!tp_packet_has(packet, TP_PART_TIMESTAMP) ||
        !tp_clocks_convert(&p->clocks, sequence, clock, packet->timestamp, ns)) {
        p->dropped[TP_DROP_CLOCKS]++;
        return false;
    }
    if (*ns < 0 && !p->is_own)
        *ns = INT64_MAX; /* no clock counts so far; the decoder counts a time out of range */
    if (!p->has_base) {
        p->has_base = true;
        p->base_ns = *ns > least_epoch_ns && p->clocks.has_snapshot ? p->clocks.first_snapshot_ns : 0;
    }
    *ns = (int64_t)((uint64_t)*ns - (uint64_t)p->base_ns);
    return true;
}

uint32_t tp_perfetto_name(struct tp_perfetto *p, uint32_t text)
{
    struct tp_interned_text *details = tp_interned_details(&p->interned, text);
    if (details->name == TP_NO_ID)
        details->name = tp_sink_intern_text(p->sink, &p->sink->names, tp_interned_text(&p->interned, text));
    return details->name;
}

uint32_t tp_perfetto_category(struct tp_perfetto *p, uint32_t text)
{
    struct tp_interned_text *details = tp_interned_details(&p->interned, text);
    if (details->cat == TP_NO_ID)
        details->cat = tp_sink_intern_text(p->sink, &p->sink->cats, tp_interned_text(&p->interned, text));
    return details->cat;
}

uint32_t tp_perfetto_name_of_text(struct tp_perfetto *p, const char *text)
{
    return tp_perfetto_name(p, tp_interned_add_text(&p->interned, tp_str_of(text)));
}

uint32_t tp_perfetto_category_of_text(struct tp_perfetto *p, const char *text)
{
    return tp_perfetto_category(p, tp_interned_add_text(&p->interned, tp_str_of(text)));
}

struct tp_str tp_perfetto_json(struct tp_perfetto *p, uint32_t text)
{
    struct tp_interned_text *details = tp_interned_details(&p->interned, text);
    struct tp_buf json;
    if (details->json.ptr)
        return details->json;
    tp_buf_init(&json, 0);
    tp_put_string(&json, tp_interned_text(&p->interned, text), TP_MAX_NAME_BYTES);
    size_t size = json.size;
    tp_buf_add(&json, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 15);
    details->json = (struct tp_str){tp_buf_move(&json, p->sink->trace->arena), size};
    return details->json;
}
