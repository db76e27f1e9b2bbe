/* Findings: what could be gained at most, why, what to try, and the events that prove it. */
#include <math.h>
#include <string.h>

#include "webreport/document/section.h"

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

/* What the rule saw beyond its title. */
static struct tp_str why_text(const struct tp_section *section, const struct tp_finding *finding)
{
    return tp_shown_text(&section->naming, finding->detail);
}

/* How sure it is, which flaws of the trace make it less sure, and how many events prove it. */
static const char *proof_text(struct tp_arena *arena, const struct tp_finding *finding, unsigned shown)
{
    const char *weakened = "", *evidence = "";

    for (unsigned i = 0; i < finding->weakened_by_count; i++)
        weakened = tp_text_printf(arena, "%s%s%s", weakened, i ? ", " : ", weakened by ", finding->weakened_by[i]);
    if (shown && shown < finding->evidence_total)
        evidence = tp_text_printf(arena, " \xc2\xb7 evidence, %u of %s events", shown,
                                  tp_text_of_count(arena, finding->evidence_total));
    else if (shown)
        evidence = tp_text_printf(arena, " \xc2\xb7 evidence, %s", tp_text_of_some(arena, shown, "event", "events"));
    return tp_text_printf(arena, "Rule %s \xc2\xb7 confidence %s%s%s", finding->rule->id,
                          tp_confidence_text(finding->confidence), weakened, evidence);
}

static void put_evidence(const struct tp_section *section, struct tp_object *item, const struct tp_finding *finding)
{
    struct tp_arena *arena = section->arena;
    struct tp_list *list = tp_object_list(item, "evidence");
    unsigned count = finding->evidence_count < section->limits->evidence ? finding->evidence_count
                                                                         : (unsigned)section->limits->evidence;

    tp_object_bool(item, "has_evidence", count > 0);
    tp_object_text(item, "proof", proof_text(section->arena, finding, count));
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

/* Rules that name a remedy for what another rule found: shown beneath it (docs/definitions.md, section 15). */
static const char *parent_rule(const char *id)
{
    return strcmp(id, "B2") == 0 ? "B1" : strcmp(id, "A2") == 0 ? "A1" : NULL;
}

static bool has_finding(const struct tp_recommendations *found, const char *id)
{
    for (uint32_t i = 0; id && i < found->finding_count; i++)
        if (strcmp(found->findings[i].rule->id, id) == 0)
            return true;
    return false;
}

static void put_remedies(const struct tp_section *section, struct tp_object *item, const char *id)
{
    const struct tp_recommendations *found = &section->profile->advice->recommendations;
    struct tp_list *remedies = tp_object_list(item, "remedies");

    for (uint32_t i = 0; i < found->finding_count; i++) {
        const struct tp_finding *finding = &found->findings[i];
        const char *parent = parent_rule(finding->rule->id);
        struct tp_object *remedy;

        if (!parent || strcmp(parent, id) != 0)
            continue;
        remedy = tp_list_object(remedies);
        tp_object_text(remedy, "remedy_rule", finding->rule->id);
        tp_object_text(remedy, "remedy_title", finding->rule->title);
        tp_object_text(remedy, "remedy_advice", finding->rule->advice);
        tp_object_str(remedy, "remedy_detail", why_text(section, finding));
    }
}

static void put_finding(const struct tp_section *section, struct tp_list *list, const struct tp_finding *finding)
{
    struct tp_object *item = tp_list_object(list);

    tp_object_text(item, "severity", tp_severity_text(finding->severity));
    tp_object_text(item, "severity_text", severity_title(finding->severity));
    tp_object_text(item, "finding_title", finding->rule->title);
    put_impact(item, section->arena, finding);
    tp_object_str(item, "why", why_text(section, finding));
    tp_object_text(item, "advice", finding->rule->advice);
    tp_object_text(item, "doc_url", finding->rule->doc_url ? finding->rule->doc_url : "");
    put_remedies(section, item, finding->rule->id);
    put_evidence(section, item, finding);
}

void tp_section_put_findings(const struct tp_section *section, struct tp_object *overview)
{
    const struct tp_recommendations *found = &section->profile->advice->recommendations;
    struct tp_arena *arena = section->arena;
    struct tp_list *list = tp_object_list(overview, "findings");
    size_t shown = 0;

    for (size_t i = 0; i < found->finding_count && shown < section->limits->findings; i++) {
        if (has_finding(found, parent_rule(found->findings[i].rule->id)))
            continue;
        put_finding(section, list, &found->findings[i]);
        shown++;
    }
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
