/* Defines the members of findings and recommendations in JSON (structs of rules.h). */
#include "webreport/measure/rules/rules.h"

#include <string.h>

#include "webreport/model/numbers.h"

static struct tp_json_value rule_id(const struct tp_record *record)
{
    return tp_json_value_text(((const struct tp_finding *)record->at)->rule->id);
}

static struct tp_json_value counted_value(const struct tp_record *record)
{
    const struct tp_finding *f = record->at;
    return f->counted_percent < f->high_percent ? tp_json_value_real(f->counted_percent) : tp_json_value_absent();
}

static struct tp_json_value doc_url_value(const struct tp_record *record)
{
    const struct tp_finding *f = record->at;
    return tp_json_value_text(f->doc_url ? f->doc_url : "");
}

static struct tp_json_value shown_title_value(const struct tp_record *record)
{
    const struct tp_finding *f = record->at;
    return strcmp(f->shown_title, f->title) != 0 ? tp_json_value_text(f->shown_title) : tp_json_value_absent();
}

static struct tp_json_value shown_advice_value(const struct tp_record *record)
{
    const struct tp_finding *f = record->at;
    return strcmp(f->shown_advice, f->advice) != 0 ? tp_json_value_text(f->shown_advice) : tp_json_value_absent();
}

/* Return the share of a fix's time that the fix removes, percent. */
static struct tp_json_value least_removed_value(const struct tp_record *record)
{
    const struct tp_fix_price *price = record->at;
    return tp_json_value_real(100.0 * price->low / TP_FIX_WHOLE);
}

static struct tp_json_value most_removed_value(const struct tp_record *record)
{
    const struct tp_fix_price *price = record->at;
    return tp_json_value_real(100.0 * price->high / TP_FIX_WHOLE);
}

static const char *group_word(unsigned group)
{
    return tp_path_group_text((enum tp_path_group)group);
}

#define F struct tp_fix_price
static const struct tp_json_field price_fields[] = {
    {"removed_low_percent", TP_COMPUTED(TP_AS_REAL, least_removed_value),
     TP_DEFINITION("least share that a fix removes of the time it is about, percent")},
    {"removed_high_percent", TP_COMPUTED(TP_AS_REAL, most_removed_value),
     TP_DEFINITION("greatest share that a fix removes of the time it is about, percent")},
    {"gain_low_ns", TP_PLAIN(F, alone_low_ns), TP_DEFINITION("least gain of this fix alone, ns per step")},
    {"gain_high_ns", TP_PLAIN(F, alone_high_ns), TP_DEFINITION("greatest gain of this fix alone, ns per step")},
    {"step_ns", TP_PLAIN(F, step_ns),
     TP_DEFINITION("length of a step after this fix and the fixes of all earlier findings, ns")},
    {"then", TP_WORD(F, then, group_word), TP_DEFINITION("what limits the step then")},
    {"then_percent", TP_PLAIN(F, then_percent), TP_DEFINITION("its part of the critical path, percent")},
};
#undef F
static const struct tp_fields price = TP_FIELDS("Price of a fix by replay", price_fields);

#define F struct tp_fix_total
static const struct tp_json_field total_fields[] = {
    {"gain_low_ns", TP_PLAIN(F, low_ns), TP_DEFINITION("least gain of all these fixes together, ns per step")},
    {"gain_high_ns", TP_PLAIN(F, high_ns), TP_DEFINITION("greatest gain of all these fixes together, ns per step")},
    {"step_ns", TP_PLAIN(F, step_ns), TP_DEFINITION("length of a step after all these fixes, ns")},
    {"then", TP_WORD(F, then, group_word), TP_DEFINITION("what limits the step then")},
    {"then_percent", TP_PLAIN(F, then_percent), TP_DEFINITION("its part of the critical path, percent")},
};
#undef F
static const struct tp_fields total_price = TP_FIELDS("Price of all fixes together by replay", total_fields);

static struct tp_json_value gone_with_value(const struct tp_record *record)
{
    const struct tp_finding *f = record->at;
    return f->gone_with == TP_NO_ID ? tp_json_value_absent() : tp_json_value_int((int64_t)f->gone_with + 1);
}

#define F struct tp_evidence
static const struct tp_json_field evidence_fields[] = {
    {"event_ordinal", TP_PLAIN(F, ordinal),
     TP_DEFINITION("position of the event in the array traceEvents of the file")},
    {"ts_us", TP_US(F, ts_ns), TP_DEFINITION("start of the event, from the start of the trace")},
    {"name", TP_PLAIN(F, name), TP_DEFINITION("name of the event")},
    {"file_line", TP_PLAIN(F, file_line),
     TP_DEFINITION("project line of the event or its launch: the innermost line of the user's code, otherwise of a "
                   "library; empty if unknown")},
};
#undef F
static const struct tp_fields evidence = TP_FIELDS("An event that a finding is about", evidence_fields);

#define F struct tp_finding
static const struct tp_json_field finding_fields[] = {
    {"id", TP_COMPUTED(TP_AS_TEXT, rule_id), TP_DEFINITION("id of the rule; it does not change between versions")},
    {"cause", TP_PLAIN(F, cause), .is_optional = true,
     TP_DEFINITION("name of the cause; null if several causes have the same effect")},
    {"title", TP_PLAIN(F, title), TP_DEFINITION("what to do, in at most 14 words; code is between backticks")},
    {"severity", TP_WORD(F, severity, tp_severity_text),
     TP_DEFINITION("severity of the finding: high, medium, low or info")},
    {"confidence", TP_WORD(F, confidence, tp_confidence_text),
     TP_DEFINITION("confidence in the finding: high, medium or low")},
    {"right", TP_PLAIN(F, right),
     TP_DEFINITION("number of test programs in which the rule reported a finding and named the right cause")},
    {"known", TP_PLAIN(F, known),
     TP_DEFINITION("number of test programs with a known cause in which the rule reported a finding")},
    {"weakened_by", TP_ARRAY(F, weakened_by, weakened_by_count),
     TP_DEFINITION("ids of the quality checks that lower the confidence")},
    {"ceiling_us_per_step", TP_PLAIN(F, ceiling_us_per_step),
     TP_DEFINITION("time per step that the finding affects; null if unknown")},
    {"share_of_step_percent", TP_PLAIN(F, share_percent),
     TP_DEFINITION("share of the step time that the finding affects; null if unknown")},
    {"low_percent", TP_PLAIN(F, low_percent),
     TP_DEFINITION("lower end of the estimated saving after a fix of all earlier findings in the list, in percent of "
                   "the step time")},
    {"high_percent", TP_PLAIN(F, high_percent),
     TP_DEFINITION("upper end of the estimated saving after a fix of all earlier findings in the list, in percent of "
                   "the step time")},
    {"counted_percent", TP_COMPUTED(TP_AS_REAL, counted_value),
     TP_DEFINITION("percentage that the sum total_gain_percent includes for this finding instead of high_percent; "
                   "absent if the sum includes high_percent")},
    {"replay", TP_RECORD(F, price, &price), TP_ONLY_IF(F, is_priced),
     TP_DEFINITION("price of a fix by replay, from which low_percent and high_percent follow; absent if these follow "
                   "from the time of the finding")},
    {"gone_with", TP_COMPUTED(TP_AS_INT, gone_with_value), .is_optional = true,
     TP_DEFINITION("position in the list, from 1, of the finding whose fix, with those before it, leaves no effect for "
                   "this one; absent without such a finding")},
    {"evidence", TP_RECORDS(F, evidence, evidence_count, &evidence),
     TP_DEFINITION("first events that show the problem")},
    {"evidence_total", TP_PLAIN(F, evidence_total), TP_DEFINITION("number of events that show the problem")},
    {"detail", TP_PLAIN(F, detail), TP_DEFINITION("evidence for the finding, in words")},
    {"advice", TP_PLAIN(F, advice), TP_DEFINITION("advice on what to do")},
    {"doc_url", TP_COMPUTED(TP_AS_TEXT, doc_url_value),
     TP_DEFINITION("address of a page that explains the problem; empty without a page")},
    {"shown_title", TP_COMPUTED(TP_AS_TEXT, shown_title_value), .is_optional = true,
     TP_DEFINITION("title for this kind of program; absent if it equals the title")},
    {"shown_advice", TP_COMPUTED(TP_AS_TEXT, shown_advice_value), .is_optional = true,
     TP_DEFINITION("advice for this kind of program; absent if it equals the advice")},
};
#undef F
const struct tp_fields tp_finding_fields = TP_FIELDS("A finding", finding_fields);

static struct tp_json_value note_id(const struct tp_record *record)
{
    return tp_json_value_text(((const struct tp_rule_note *)record->at)->rule->id);
}

static const struct tp_json_field note_fields[] = {
    {"id", TP_COMPUTED(TP_AS_TEXT, note_id), TP_DEFINITION("id of the rule")},
    {"reason", TP_PLAIN(struct tp_rule_note, reason), TP_DEFINITION("reason why the rule was not evaluated")},
};
static const struct tp_fields note = TP_FIELDS("A rule that was not evaluated", note_fields);

static struct tp_json_value recording_percent_value(const struct tp_record *record)
{
    const struct tp_recommendations *r = record->at;
    return tp_json_value_real(tp_percent(r->overhead.cost_ns, r->overhead.starved_ns));
}

#define F struct tp_recommendations
static const struct tp_json_field fields[] = {
    {"program", TP_PLAIN(F, program),
     TP_DEFINITION("kind of the recorded program: gpu, other_device, device_missing, cpu or empty")},
    {"step_marker", TP_PLAIN(F, step_marker), TP_DEFINITION("kind of event that marks the steps")},
    {"steps", TP_PLAIN(F, step_count), TP_DEFINITION("number of analysed steps")},
    {"window_us", TP_US(F, window_ns), TP_DEFINITION("total length of the analysed steps")},
    {"judged_us", TP_US(F, judged_ns),
     TP_DEFINITION("time of the analysed steps that the rules evaluate; the percentages of the findings are shares of "
                   "this time")},
    {"step_us", TP_PLAIN(F, step_us), TP_DEFINITION("mean length of the analysed steps")},
    {"total_ceiling_us_per_step", TP_PLAIN(F, total_ceiling_us_per_step),
     TP_DEFINITION("time per step that all findings together affect")},
    {"total_ceiling_percent", TP_PLAIN(F, total_ceiling_percent),
     TP_DEFINITION("share of the step time that all findings together affect")},
    {"total_gain_us_per_step", TP_PLAIN(F, total_gain_us_per_step),
     TP_DEFINITION("upper bound of the time per step that would be saved by fixing all findings")},
    {"total_gain_percent", TP_PLAIN(F, total_gain_percent),
     TP_DEFINITION("upper bound of the share of the step time that would be saved by fixing all findings")},
    {"replay", TP_RECORD(F, all_priced, &total_price), TP_ONLY_IF(F, priced_count),
     TP_DEFINITION("price of the fixes of all findings with a price, from one replay")},
    {"recording_us", TP_US(F, overhead.cost_ns), TP_ONLY_IF(F, overhead.cost_ns),
     TP_DEFINITION("time that the profiler itself takes on the main thread; if a device is used, only while the device "
                   "waits for the host")},
    {"recording_percent", TP_COMPUTED(TP_AS_REAL, recording_percent_value), TP_ONLY_IF(F, overhead.cost_ns),
     TP_DEFINITION("recording_us in percent of the time in which the device waits for the host; if no device is used, "
                   "in percent of window_us")},
    {"findings", TP_RECORDS(F, findings, finding_count, &tp_finding_fields),
     TP_DEFINITION("findings, most useful first")},
    {"rules_not_evaluated", TP_RECORDS(F, not_evaluated, not_evaluated_count, &note),
     TP_DEFINITION("rules that were not evaluated, each with the reason")},
};
#undef F

const struct tp_fields tp_recommendations_fields = TP_FIELDS("Recommendations", fields);
