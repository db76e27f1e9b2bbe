/* Findings: what could be gained at most, why, what to try, and the events that prove it. */
#include <math.h>

#include "webreport/render/section.h"

static const char *severity_title(enum tp_severity severity)
{
    static const char *const TITLES[] = {"High", "Medium", "Low", "Info"};

    return TITLES[severity];
}

static void put_impact(struct tp_object *item, struct tp_arena *arena, const struct tp_finding *finding)
{
    bool has_time = !isnan(finding->ceiling_us_per_step);

    if (has_time)
        tp_object_text(item, "impact", tp_text_of_time(arena, (int64_t)llround(finding->ceiling_us_per_step * 1000)));
    else
        tp_object_text(item, "impact", "");
    tp_object_text(item, "impact_share",
                   isnan(finding->share_percent) ? "" : tp_text_of_percent(arena, finding->share_percent));
    tp_object_text(item, "scope",
                   has_time                        ? "per step, at most"
                   : isnan(finding->share_percent) ? ""
                                                   : "of the step concerned");
}

/* Why: what the rule saw, how sure it is, and which flaws of the trace make it less sure. */
static const char *why_text(const struct tp_section *section, const struct tp_finding *finding)
{
    struct tp_arena *arena = section->arena;
    struct tp_str detail = tp_shown_text(&section->naming, tp_str_of(finding->detail ? finding->detail : ""));
    const char *weakened = "";

    for (unsigned i = 0; i < finding->weakened_by_count; i++)
        weakened = tp_text_printf(arena, "%s%s%s", weakened, i ? ", " : ", weakened by ", finding->weakened_by[i]);
    return tp_text_printf(arena, "%.*s%sConfidence %s%s. Rule %s, %s.", (int)detail.len, detail.ptr,
                          detail.len ? ". " : "", tp_confidence_text(finding->confidence), weakened, finding->rule->id,
                          tp_text_of_some(arena, finding->evidence_total, "event", "events"));
}

static void put_evidence(const struct tp_section *section, struct tp_object *item, const struct tp_finding *finding)
{
    struct tp_arena *arena = section->arena;
    struct tp_list *list = tp_object_list(item, "evidence");
    unsigned count = finding->evidence_count < section->limits->evidence ? finding->evidence_count
                                                                         : (unsigned)section->limits->evidence;

    tp_object_bool(item, "has_evidence", count > 0);
    tp_object_text(item, "evidence_head",
                   count < finding->evidence_total ? tp_text_printf(arena, "Evidence, %u of %s", count,
                                                                    tp_text_of_count(arena, finding->evidence_total))
                                                   : "Evidence");
    for (unsigned i = 0; i < count; i++) {
        const struct tp_evidence *evidence = &finding->evidence[i];
        struct tp_object *event = tp_list_object(list);

        tp_object_text(event, "at", tp_text_of_time(arena, evidence->ts_ns));
        tp_object_str(
            event, "event",
            tp_text_cut(arena, tp_shown_text(&section->naming, tp_kernel_short_name(arena, evidence->name)), 120));
        tp_object_str(event, "place", tp_shown_text(&section->naming, evidence->file_line));
        tp_object_text(event, "place_href", tp_source_link(&section->naming, evidence->file_line));
    }
}

static void put_finding(const struct tp_section *section, struct tp_list *list, const struct tp_finding *finding)
{
    struct tp_object *item = tp_list_object(list);

    tp_object_text(item, "severity", tp_severity_text(finding->severity));
    tp_object_text(item, "severity_text", severity_title(finding->severity));
    tp_object_text(item, "finding_title", finding->rule->title);
    put_impact(item, section->arena, finding);
    tp_object_text(item, "why", why_text(section, finding));
    tp_object_text(item, "advice", finding->rule->advice);
    tp_object_text(item, "doc_url", finding->rule->doc_url ? finding->rule->doc_url : "");
    put_evidence(section, item, finding);
}

void tp_section_put_findings(const struct tp_section *section, struct tp_object *overview)
{
    const struct tp_recommendations *found = &section->profile->advice->recommendations;
    struct tp_arena *arena = section->arena;
    struct tp_list *list = tp_object_list(overview, "findings");
    size_t count = found->finding_count < section->limits->findings ? found->finding_count : section->limits->findings;

    for (size_t i = 0; i < count; i++)
        put_finding(section, list, &found->findings[i]);
    if (!found->finding_count)
        tp_object_text(
            overview, "findings_none",
            "Nothing stands out: no rule found time that could be saved. What was checked and what could not be "
            "is listed under trace quality.");
    tp_object_text(overview, "findings_head",
                   found->finding_count ? tp_text_printf(arena, "%u, most useful first", found->finding_count) : "");
    if (found->finding_count > 1 && found->total_ceiling_us_per_step > 0)
        tp_object_text(overview, "findings_note",
                       tp_text_printf(arena,
                                      "All of them together: at most %s per step (%s), because their times overlap.",
                                      tp_text_of_time(arena, (int64_t)llround(found->total_ceiling_us_per_step * 1000)),
                                      tp_text_of_percent(arena, found->total_ceiling_percent)));
}
