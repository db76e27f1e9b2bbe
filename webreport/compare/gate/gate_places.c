/* Finds the places in the code for a failed line. See gate_parts.h. Lines that limit findings, or metrics that a
 * finding explains, point to the evidence of the findings. Lines that limit waits point to the places that wait. With a
 * baseline, a place is listed only if the baseline lacks the place or waits there less often. Places are compared by
 * function, because line numbers change. Other metrics have no place. */
#include "webreport/compare/gate/gate_parts.h"
#include "webreport/measure/metrics/metric_values.h"
#include "webreport/measure/rules/rules.h"
#include "webreport/trace/frame.h"
#include "writer/text/format.h"

static void add_place_in_source(struct tp_vec *places, struct tp_str rule, struct tp_str file_line, const char *text)
{
    if (places->count < TP_CHECK_PLACES && file_line.len)
        *(struct tp_check_place *)tp_vec_push(places) =
            (struct tp_check_place){rule, file_line, tp_str_of(text), TP_STR(""), 0, 0};
}

/* ---- findings ---- */

/* The rules of findings that explain a broken limit of a metric, by prefix of the metric's name. */
static const struct {
    const char *metric, *rule;
} explained[] = {
    {"h2d.pageable.", "B3"}, {"d2h.pageable.", "B3"}, {"gemm.fp32.", "C1"}, {"step.dataloader.", "B1"},
    {"idle.", "A13"},        {"memory.frag", "D3"},   {"sets.", "C7"},      {"communication.exposed.", "E1"},
};

/* Returns the id of the rule whose findings explain a metric; NULL if no rule does. */
static const char *rule_of_metric(const struct tp_metric *metric)
{
    for (size_t i = 0; i < sizeof explained / sizeof *explained; i++)
        if (tp_str_starts(tp_str_of(metric->name), explained[i].metric))
            return explained[i].rule;
    return NULL;
}

static bool is_finding_counted(const struct tp_metric *metric, const struct tp_summary_finding *finding)
{
    if (rule_of_metric(metric))
        return tp_str_equal(finding->rule, tp_str_of(rule_of_metric(metric)));
    if (metric->value == tp_metric_of_rule)
        return tp_str_equal(finding->rule, tp_str_of(tp_rule_at((unsigned)metric->which)->id));
    return metric->which >= TP_FINDINGS_ALL || metric->which == finding->severity;
}

/* Returns whether the newest run of the baseline has a finding of the same rule in the same function. */
static bool is_in_baseline(const struct tp_check_subject *s, const struct tp_summary_finding *finding)
{
    const struct tp_summary *base = &s->base[s->base_count - 1];
    for (uint32_t i = 0; i < base->finding_count; i++)
        if (tp_str_equal(base->findings[i].rule, finding->rule) &&
            tp_frame_same_function(base->findings[i].file_line, finding->file_line))
            return true;
    return false;
}

/* Returns the detail of a finding without the source line at its start, which is shown separately. */
static struct tp_str detail_without_source_line(const struct tp_summary_finding *f)
{
    size_t cut = f->file_line.len + 2;
    if (f->file_line.len && f->detail.len > cut && memcmp(f->detail.ptr, f->file_line.ptr, f->file_line.len) == 0 &&
        memcmp(f->detail.ptr + cut - 2, ": ", 2) == 0)
        return (struct tp_str){f->detail.ptr + cut, f->detail.len - cut};
    return f->detail;
}

static void find_new_findings(struct tp_vec *places, const struct tp_check_item *item, const struct tp_check_subject *s,
                              struct tp_arena *arena)
{
    const struct tp_summary *run = &s->runs[0];
    bool is_against = item->line->kind != TP_LIMIT_ABSOLUTE && s->base_count;
    for (uint32_t i = 0; i < run->finding_count; i++) {
        const struct tp_summary_finding *f = &run->findings[i];
        struct tp_str detail = detail_without_source_line(f);
        if (is_finding_counted(&tp_metrics[item->line->metric], f) && !(is_against && is_in_baseline(s, f)))
            add_place_in_source(places, f->rule, f->file_line,
                                tp_text_printf(arena, "%.*s: %.*s%s%.*s", (int)f->rule.len, f->rule.ptr,
                                               (int)f->title.len, f->title.ptr, detail.len ? ": " : "", (int)detail.len,
                                               detail.ptr));
    }
}

/* ---- waits ---- */

/* Returns the number of waits per step in the function of `place`, in one run. */
static double waits_per_step(const struct tp_summary *run, const struct tp_summary_row *place)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < run->row_count; i++) {
        const struct tp_summary_row *row = &run->rows[i];
        if (row->kind == TP_SUMMARY_SYNC && tp_str_equal(row->owner, place->owner) &&
            tp_str_equal(row->name, place->name) && tp_frame_same_function(row->shape, place->shape))
            count += row->time.count;
    }
    uint32_t steps = tp_summary_used_steps(run);
    return steps ? (double)count / steps : (double)count;
}

static void find_new_waits(struct tp_vec *places, const struct tp_check_item *item, const struct tp_check_subject *s,
                           struct tp_arena *arena)
{
    const struct tp_summary *run = &s->runs[0];
    bool is_against = item->line->kind != TP_LIMIT_ABSOLUTE && s->base_count;
    for (uint32_t i = 0; i < run->row_count; i++) {
        const struct tp_summary_row *row = &run->rows[i];
        if (row->kind != TP_SUMMARY_SYNC)
            continue;
        double now = waits_per_step(run, row),
               before = is_against ? waits_per_step(&s->base[s->base_count - 1], row) : 0;
        if (now <= before)
            continue;
        const char *what = row->owner.len ? tp_text_printf(arena, "%.*s in %.*s", (int)row->name.len, row->name.ptr,
                                                           (int)row->owner.len, row->owner.ptr)
                                          : tp_text_printf(arena, "%.*s", (int)row->name.len, row->name.ptr);
        add_place_in_source(places, TP_STR(""), row->shape,
                            is_against
                                ? tp_text_printf(arena, "waits for the device: %s, %s per step (baseline: %s)", what,
                                                 tp_text_of_fixed(arena, now, 2), tp_text_of_fixed(arena, before, 2))
                                : tp_text_printf(arena, "waits for the device: %s, %s per step", what,
                                                 tp_text_of_fixed(arena, now, 2)));
    }
}

void tp_check_find_places(struct tp_check_item *item, const struct tp_check_subject *s, struct tp_arena *arena)
{
    const struct tp_metric *metric = &tp_metrics[item->line->metric];
    struct tp_vec places = TP_VEC(arena, struct tp_check_place);
    if (metric->value == tp_metric_of_findings || metric->value == tp_metric_of_rule || rule_of_metric(metric))
        find_new_findings(&places, item, s, arena);
    if (metric->value == tp_metric_of_work)
        tp_check_find_work_places(&places, item, s, arena);
    if (metric->value == tp_metric_of_waits)
        find_new_waits(&places, item, s, arena);
    item->places = places.data;
    item->place_count = (uint32_t)places.count;
}
