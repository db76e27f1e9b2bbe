/* The members of findings and recommendations in JSON: see rules.h. */
#include "webreport/measure/rules/rules.h"

#include "webreport/model/numbers.h"

static struct tp_json_value rule_id(const struct tp_record *record)
{
    return tp_as_text(((const struct tp_finding *)record->at)->rule->id);
}

static struct tp_json_value counted(const struct tp_record *record)
{
    const struct tp_finding *f = record->at;
    return f->counted_percent < f->high_percent ? tp_as_real(f->counted_percent) : tp_as_absent();
}

static struct tp_json_value doc_url(const struct tp_record *record)
{
    const struct tp_finding *f = record->at;
    return tp_as_text(f->doc_url ? f->doc_url : "");
}

static struct tp_json_value shown_title(const struct tp_record *record)
{
    const struct tp_finding *f = record->at;
    return f->shown_title != f->title ? tp_as_text(f->shown_title) : tp_as_absent();
}

static struct tp_json_value shown_advice(const struct tp_record *record)
{
    const struct tp_finding *f = record->at;
    return f->shown_advice != f->advice ? tp_as_text(f->shown_advice) : tp_as_absent();
}

#define F struct tp_evidence
static const struct tp_json_field evidence_fields[] = {
    {"event_ordinal", TP_PLAIN(F, ordinal), .definition = "position of the event in the file"},
    {"ts_us", TP_US(F, ts_ns), .definition = "start of the event, from the start of the trace"},
    {"name", TP_PLAIN(F, name), .definition = "name of the event"},
    {"file_line", TP_PLAIN(F, file_line), .definition = "line of the program that caused it; empty: unknown"},
};
#undef F
static const struct tp_fields evidence = TP_FIELDS("An event that a finding is about", evidence_fields);

#define F struct tp_finding
static const struct tp_json_field finding_fields[] = {
    {"id", TP_COMPUTED(TP_AS_TEXT, rule_id), .definition = "id of the rule; it does not change between versions"},
    {"cause", TP_PLAIN(F, cause), .definition = "word for what is wrong; null: several causes look alike"},
    {"title", TP_PLAIN(F, title), .definition = "the finding"},
    {"severity", TP_WORD(F, severity, tp_severity_text), .definition = "high, medium, low or info"},
    {"confidence", TP_WORD(F, confidence, tp_confidence_text), .definition = "high, medium or low"},
    {"right", TP_PLAIN(F, right), .definition = "known programs in which the rule named the cause"},
    {"known", TP_PLAIN(F, known), .definition = "known programs in which the rule reported"},
    {"weakened_by", TP_ARRAY(F, weakened_by, weakened_by_count),
     .definition = "quality flags that make the finding less certain"},
    {"ceiling_us_per_step", TP_PLAIN(F, ceiling_us_per_step),
     .definition = "time per step that the finding is about; null: unknown"},
    {"share_of_step_percent", TP_PLAIN(F, share_percent), .definition = "share of a step; null: unknown"},
    {"low_percent", TP_PLAIN(F, low_percent),
     .definition = "least gain of mending it after the findings before it, in percent of a step"},
    {"high_percent", TP_PLAIN(F, high_percent), .definition = "largest gain of that, in percent of a step"},
    {"counted_percent", TP_COMPUTED(TP_AS_REAL, counted),
     .definition = "part of high_percent in the sum of all findings; absent: all of it"},
    {"evidence", TP_RECORDS(F, evidence, evidence_count, &evidence),
     .definition = "the first events that the finding is about"},
    {"evidence_total", TP_PLAIN(F, evidence_total), .definition = "number of all these events"},
    {"detail", TP_PLAIN(F, detail), .definition = "evidence in words"},
    {"advice", TP_PLAIN(F, advice), .definition = "what to do"},
    {"doc_url", TP_COMPUTED(TP_AS_TEXT, doc_url), .definition = "page that explains it; empty: no page"},
    {"shown_title", TP_COMPUTED(TP_AS_TEXT, shown_title),
     .definition = "title for this kind of program; absent: the title"},
    {"shown_advice", TP_COMPUTED(TP_AS_TEXT, shown_advice),
     .definition = "advice for this kind of program; absent: the advice"},
};
#undef F
const struct tp_fields tp_finding_fields = TP_FIELDS("A finding", finding_fields);

static struct tp_json_value note_id(const struct tp_record *record)
{
    return tp_as_text(((const struct tp_rule_note *)record->at)->rule->id);
}

static const struct tp_json_field note_fields[] = {
    {"id", TP_COMPUTED(TP_AS_TEXT, note_id), .definition = "id of the rule"},
    {"reason", TP_PLAIN(struct tp_rule_note, reason), .definition = "why the rule cannot decide"},
};
static const struct tp_fields note = TP_FIELDS("A rule without a decision", note_fields);

static struct tp_json_value recording_percent(const struct tp_record *record)
{
    const struct tp_recommendations *r = record->at;
    return tp_as_real(tp_percent(r->overhead.cost_ns, r->overhead.starved_ns));
}

#define F struct tp_recommendations
static const struct tp_json_field fields[] = {
    {"program", TP_PLAIN(F, program), .definition = "gpu, other_device, device_missing, cpu or empty"},
    {"step_marker", TP_PLAIN(F, step_marker), .definition = "what marks the steps"},
    {"steps", TP_PLAIN(F, step_count), .definition = "number of used steps"},
    {"window_us", TP_US(F, window_ns), .definition = "length of the used steps"},
    {"judged_us", TP_US(F, judged_ns), .definition = "part of it that shares are of"},
    {"step_us", TP_PLAIN(F, step_us), .definition = "mean length of the used steps"},
    {"total_ceiling_us_per_step", TP_PLAIN(F, total_ceiling_us_per_step),
     .definition = "time per step that all findings together are about"},
    {"total_ceiling_percent", TP_PLAIN(F, total_ceiling_percent), .definition = "share of that time in a step"},
    {"total_gain_us_per_step", TP_PLAIN(F, total_gain_us_per_step),
     .definition = "largest gain of mending all findings, per step"},
    {"total_gain_percent", TP_PLAIN(F, total_gain_percent), .definition = "share of that gain in a step"},
    {"recording_us", TP_US(F, overhead.cost_ns), TP_ONLY_IF(F, overhead.cost_ns),
     .definition = "time that the recording takes from the main thread"},
    {"recording_percent", TP_COMPUTED(TP_AS_REAL, recording_percent), TP_ONLY_IF(F, overhead.cost_ns),
     .definition = "share of it in the time that the device waits for the host, or in the steps without a device"},
    {"findings", TP_RECORDS(F, findings, finding_count, &tp_finding_fields),
     .definition = "findings, most severe first"},
    {"rules_not_evaluated", TP_RECORDS(F, not_evaluated, not_evaluated_count, &note),
     .definition = "rules without a decision"},
};
#undef F

const struct tp_fields tp_recommendations_fields = TP_FIELDS("Recommendations", fields);
