/* The tool `whatif`: the step after a change, by a replay of the trace. */
#include "webreport/ask/completeness.h"
#include "webreport/ask/tool.h"
#include "webreport/document/words/reason_words.h"
#include "webreport/measure/result/priced_changes.h"
#include "webreport/trace/json/value.h"

/* Returns the changes of the question. */
static struct tp_str *read_changes(struct tp_ask_call *call, size_t *count)
{
    struct tp_str *texts = tp_arena_array(call->arena, TP_MAX_ASK_CHANGES, sizeof *texts), item;
    *count = 0;
    for (size_t at = 0; call->text[TP_ASK_CHANGES].ptr && tp_value_next(call->text[TP_ASK_CHANGES], &at, NULL, &item);)
        texts[(*count)++] = tp_value_text(call->arena, item);
    return texts;
}

static void write_answer(struct tp_ask_call *call, const struct tp_what_if_row *row)
{
    struct tp_json *json = &call->json;
    tp_json_object(json);
    tp_call_member_str(call, "change", row->change);
    tp_json_member_us(json, "step_us", row->step_ns);
    tp_json_member_us(json, "gain_us", row->gain_ns);
    tp_json_member_us(json, "gain_low_us", row->gain_low_ns);
    tp_json_member_us(json, "gain_high_us", row->gain_high_ns);
    tp_json_member_real(json, "gain_percent", row->gain_percent);
    tp_json_member_text(json, "then", tp_path_group_text(row->then));
    tp_json_member_text(json, "confidence", tp_replay_confidence_text(row->confidence));
    tp_json_object_end(json);
}

static void write_view(struct tp_ask_call *call, const struct tp_what_if_view *view, uint32_t most)
{
    struct tp_json *json = &call->json;
    uint32_t shown = view->answer_count < most ? view->answer_count : most;
    tp_json_member_text(json, "window", call->input->step_window);
    tp_json_member_text(json, "definition",
                        "length of a step in a replay after the change; gain: the step before minus the step after");
    tp_json_member_us(json, "step_us", view->step_ns);
    tp_json_member_text(json, "limit", tp_path_group_text(view->limit));
    tp_json_member_text(json, "confidence", tp_replay_confidence_text(view->confidence));
    tp_json_key(json, "answers");
    tp_json_array(json);
    for (uint32_t i = 0; i < shown; i++)
        write_answer(call, &view->answers[i]);
    tp_json_array_end(json);
    if (shown < view->answer_count)
        tp_json_member_int(json, "answers_left_out", view->answer_count - shown);
    tp_completeness_write(call, false);
}

static enum tp_ask_code fail_withheld(struct tp_ask_call *call, const struct tp_what_if_view *view)
{
    unsigned reason = 0;
    while (!(view->withheld >> reason & 1))
        reason++;
    struct tp_str text = view->withheld_count ? view->withheld_texts[0] : TP_STR("the replay cannot be trusted");
    return tp_call_fail(call, TP_ASK_DAMAGED, tp_withheld_advice((enum tp_withheld)reason), "%.*s",
                        text.len < 200 ? (int)text.len : 200, text.ptr);
}

enum tp_ask_code tp_tool_whatif(struct tp_ask_call *call)
{
    struct tp_what_if_view view;
    struct tp_error err = {0};
    size_t count;
    struct tp_str *texts = read_changes(call, &count);
    const struct tp_asked_changes asked = {.texts = texts, .count = count};
    if (!call->input->is_trace)
        return tp_call_fail(call, TP_ASK_BAD_ARGUMENT, "for ranks of a job: tracepress whatif DIR",
                            "only one trace can be replayed");
    if (tp_changes_price(&view, &call->input->trace.analysis.model, &asked, call->arena, &err) < 0)
        return tp_call_fail(call, TP_ASK_BAD_ARGUMENT, "`tracepress help whatif` lists the changes", "%.200s",
                            err.text);
    if (view.withheld)
        return fail_withheld(call, &view);
    for (uint32_t most = view.answer_count;; most /= 2) {
        tp_call_begin(call);
        write_view(call, &view, most);
        tp_json_object_end(&call->json);
        if (tp_call_fits(call, 0) || most == 0)
            return TP_ASK_ANSWERED;
    }
}
