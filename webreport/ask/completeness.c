/* Writes whether recordings are complete: see completeness.h. */
#include "webreport/ask/completeness.h"

static const struct tp_input_evidence *find_damaged(const struct tp_ask_input *input, unsigned needs)
{
    for (size_t i = 0; i < input->summary_count; i++) {
        const struct tp_input_evidence *evidence = &input->summaries[i].evidence;
        if (evidence->is_known && tp_evidence_unmet_needs(evidence) & needs)
            return evidence;
    }
    return NULL;
}

unsigned tp_completeness_unmet(const char **why, struct tp_ask_call *call, unsigned needs)
{
    const struct tp_input_evidence *damaged = find_damaged(call->input, needs);
    *why = damaged ? tp_evidence_reason(damaged, needs, call->arena) : "";
    return damaged ? tp_evidence_unmet_needs(damaged) & needs : 0;
}

bool tp_completeness_is_clock_wrong(const struct tp_ask_call *call)
{
    bool is_wrong = false;
    for (size_t i = 0; i < call->input->summary_count; i++)
        is_wrong |= call->input->summaries[i].evidence.clock >= TP_CLOCK_JUMP;
    return is_wrong;
}

/* Writes the sums over all recordings of the input. */
static void write_lost(struct tp_ask_call *call)
{
    const struct tp_ask_input *input = call->input;
    tp_json_key(&call->json, "lost");
    tp_json_object(&call->json);
    for (unsigned k = 0; k < TP_LOST_COUNT; k++) {
        int64_t count = 0;
        for (size_t i = 0; i < input->summary_count; i++)
            if (input->summaries[i].evidence.is_known && input->summaries[i].evidence.lost[k] < INT64_MAX - count)
                count += input->summaries[i].evidence.lost[k];
        if (count)
            tp_json_member_int(&call->json, tp_lost_text((enum tp_lost)k), count);
    }
    if (input->failed_count)
        tp_json_member_int(&call->json, "unreadable_files", (int64_t)input->failed_count);
    tp_json_object_end(&call->json);
}

void tp_completeness_write(struct tp_ask_call *call, bool is_always)
{
    const char *why;
    bool is_clean = !tp_completeness_unmet(&why, call, TP_NEED_ALL) && call->input->failed_count == 0;
    call->is_damaged |= !is_clean;
    if (is_clean && !is_always)
        return;
    tp_json_member_bool(&call->json, "clean", is_clean);
    write_lost(call);
    if (*why)
        tp_call_member_text(call, "damage", why);
}
