/* Evidence as JSON: see evidence_json.h. */
#include "webreport/measure/summary/evidence_json.h"

static void write_needs(struct tp_json *json, const char *key, unsigned needs)
{
    tp_json_key(json, key);
    tp_json_array(json);
    for (unsigned need = 1; need <= TP_PRESENT_ANNOTATIONS; need <<= 1)
        if (needs & need)
            tp_json_text(json, tp_need_text((enum tp_need)need));
    tp_json_array_end(json);
}

void tp_evidence_json(struct tp_json *json, const struct tp_input_evidence *e, struct tp_arena *arena)
{
    if (!e->is_known) {
        tp_json_null(json);
        return;
    }
    tp_json_object(json);
    tp_json_member_bool(json, "clean", !tp_evidence_broken(e));
    tp_json_member_text(json, "reason", tp_evidence_reason(e, TP_NEED_ALL, arena));
    tp_json_member_text(json, "crc", tp_crc_text(e->crc));
    tp_json_member_text(json, "eof", tp_eof_text(e->eof));
    tp_json_member_text(json, "recorder", tp_recorder_text(e->recorder));
    tp_json_member_text(json, "clock", tp_clock_text(e->clock));
    tp_json_member_int(json, "bytes", e->file_bytes);
    tp_json_member_int(json, "events", e->event_count);
    tp_json_member_int(json, "repaired", e->repaired);
    write_needs(json, "present", e->present);
    write_needs(json, "asked", e->asked);
    tp_json_key(json, "lost");
    tp_json_object(json);
    for (int i = 0; i < TP_LOST_COUNT; i++)
        if (e->lost[i])
            tp_json_member_int(json, tp_lost_text((enum tp_lost)i), e->lost[i]);
    tp_json_object_end(json);
    tp_json_object_end(json);
}
