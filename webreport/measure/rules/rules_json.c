/* Recommendations as JSON. See rules.h. */
#include "webreport/measure/rules/rules.h"

#include "webreport/model/numbers.h"

static void evidence_json(const struct tp_finding *f, struct tp_json *json)
{
    tp_json_key(json, "evidence");
    tp_json_array(json);
    for (unsigned i = 0; i < f->evidence_count; i++) {
        tp_json_object(json);
        tp_json_member_int(json, "event_ordinal", f->evidence[i].ordinal);
        tp_json_member_us(json, "ts_us", f->evidence[i].ts_ns);
        tp_json_member_str(json, "name", f->evidence[i].name);
        tp_json_member_str(json, "file_line", f->evidence[i].file_line);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
    tp_json_member_int(json, "evidence_total", f->evidence_total);
}

void tp_finding_json(const struct tp_finding *f, struct tp_json *json)
{
    tp_json_object(json);
    tp_json_member_text(json, "id", f->rule->id);
    tp_json_member_text(json, "cause", f->cause);
    tp_json_member_text(json, "title", f->title);
    tp_json_member_text(json, "severity", tp_severity_text(f->severity));
    tp_json_member_text(json, "confidence", tp_confidence_text(f->confidence));
    tp_json_member_int(json, "right", f->right);
    tp_json_member_int(json, "known", f->known);
    tp_json_key(json, "weakened_by");
    tp_json_array(json);
    for (unsigned i = 0; i < f->weakened_by_count; i++)
        tp_json_text(json, f->weakened_by[i]);
    tp_json_array_end(json);
    tp_json_member_real(json, "ceiling_us_per_step", f->ceiling_us_per_step);
    tp_json_member_real(json, "share_of_step_percent", f->share_percent);
    tp_json_member_real(json, "low_percent", f->low_percent);
    tp_json_member_real(json, "high_percent", f->high_percent);
    if (f->counted_percent < f->high_percent)
        tp_json_member_real(json, "counted_percent", f->counted_percent);
    evidence_json(f, json);
    tp_json_member_str(json, "detail", f->detail);
    tp_json_member_text(json, "advice", f->advice);
    tp_json_member_text(json, "doc_url", f->doc_url ? f->doc_url : "");
    if (f->shown_title != f->title)
        tp_json_member_text(json, "shown_title", f->shown_title);
    if (f->shown_advice != f->advice)
        tp_json_member_text(json, "shown_advice", f->shown_advice);
    tp_json_object_end(json);
}

void tp_recommendations_json(const struct tp_recommendations *r, struct tp_json *json)
{
    tp_json_object(json);
    tp_json_member_text(json, "program", r->program);
    tp_json_member_text(json, "step_marker", r->step_marker);
    tp_json_member_int(json, "steps", r->step_count);
    tp_json_member_us(json, "window_us", r->window_ns);
    tp_json_member_us(json, "judged_us", r->judged_ns);
    tp_json_member_real(json, "step_us", r->step_us);
    tp_json_member_real(json, "total_ceiling_us_per_step", r->total_ceiling_us_per_step);
    tp_json_member_real(json, "total_ceiling_percent", r->total_ceiling_percent);
    tp_json_member_real(json, "total_gain_us_per_step", r->total_gain_us_per_step);
    tp_json_member_real(json, "total_gain_percent", r->total_gain_percent);
    if (r->overhead.cost_ns) {
        tp_json_member_us(json, "recording_us", r->overhead.cost_ns);
        tp_json_member_real(json, "recording_percent", tp_percent(r->overhead.cost_ns, r->overhead.starved_ns));
    }
    tp_json_key(json, "findings");
    tp_json_array(json);
    for (uint32_t i = 0; i < r->finding_count; i++)
        tp_finding_json(&r->findings[i], json);
    tp_json_array_end(json);
    tp_json_key(json, "rules_not_evaluated");
    tp_json_array(json);
    for (uint32_t i = 0; i < r->not_evaluated_count; i++) {
        tp_json_object(json);
        tp_json_member_text(json, "id", r->not_evaluated[i].rule->id);
        tp_json_member_text(json, "reason", r->not_evaluated[i].reason);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
    tp_json_object_end(json);
}
