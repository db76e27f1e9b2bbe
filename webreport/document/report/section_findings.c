/* Adds the findings, largest gain first. Each finding has its reason, advice, and the events that are its evidence. */
#include <math.h>
#include <string.h>

#include "webreport/document/name_text.h"
#include "webreport/document/report/price_words.h"
#include "webreport/document/report/sections.h"
#include "webreport/document/report/time_marks.h"
#include "webreport/document/words/answer_words.h"
#include "writer/base/buf.h"
#include "writer/base/saturate.h"
#include "writer/text/marked_text.h"

enum { EVENT_BYTES = 120 };

/* Returns the number of events that are evidence, with the name of their kind if all have the same kind, such as
 * "52 kernels". */
static const char *event_count_text(const struct tp_section *section, const struct tp_finding *finding)
{
    static const struct {
        const char *one, *many;
    } nouns[TP_KIND_COUNT] = {
        [TP_KIND_OPERATOR] = {"{operator} call", "{operator} calls"},
        [TP_KIND_ANNOTATION] = {"recorded range", "recorded ranges"},
        [TP_KIND_RUNTIME] = {"runtime call", "runtime calls"},
        [TP_KIND_FRAME] = {"Python call", "Python calls"},
        [TP_KIND_MODULE] = {"module call", "module calls"},
        [TP_KIND_KERNEL] = {"kernel", "kernels"},
        [TP_KIND_MEMCPY] = {"copy", "copies"},
        [TP_KIND_MEMSET] = {"memset", "memsets"},
    };
    unsigned kind = finding->evidence[0].kind;
    for (unsigned i = 1; i < finding->evidence_count; i++)
        kind = finding->evidence[i].kind == kind ? kind : TP_KIND_NONE;
    if (!nouns[kind].one)
        return tp_text_of_counted_noun(section->arena, finding->evidence_total, "event", "events");
    return tp_text_of_counted_noun(section->arena, finding->evidence_total,
                                   tp_section_words_for_producer(section, nouns[kind].one),
                                   tp_section_words_for_producer(section, nouns[kind].many));
}

/* Returns the line of the first event that is evidence, or its name if the line is unknown; "" without both. */
static const char *example_text(const struct tp_section *section, const struct tp_finding *finding)
{
    enum { NAME_BYTES = 60 };
    const struct tp_evidence *first = &finding->evidence[0];
    struct tp_str line = tp_shown_text(&section->naming, tp_line_last_part(first->file_line));
    bool is_device_work = first->kind >= TP_KIND_KERNEL && first->kind <= TP_KIND_MEMSET;
    struct tp_str name = is_device_work ? tp_shown_kernel_name(&section->naming, first->name)
                                        : tp_shown_text(&section->naming, first->name);
    name = tp_text_shorten(section->arena, name, NAME_BYTES);
    if (line.len)
        return tp_text_printf(section->arena, ", for example in %.*s", (int)line.len, line.ptr);
    return name.len ? tp_text_printf(section->arena, ", for example %.*s", (int)name.len, name.ptr) : "";
}

/* Returns a sentence with the number of events that are evidence, and the first one as an example; NULL without
 * evidence. */
static const char *events_text(const struct tp_section *section, const struct tp_finding *finding)
{
    struct tp_arena *arena = section->arena;
    bool is_one = finding->evidence_total == 1;
    if (!finding->evidence_total)
        return NULL;
    const char *effect = isnan(finding->share_percent)
                             ? is_one ? "shows this" : "show this"
                             : tp_text_printf(arena, "%s for %s of the step time", is_one ? "accounts" : "account",
                                              tp_text_of_percent(arena, finding->share_percent));
    return tp_text_printf(arena, "%s %s%s.", event_count_text(section, finding), effect,
                          example_text(section, finding));
}

/* Returns the evidence of a finding in a sentence: its detail, or the number of its events. NULL without evidence. */
static const char *detail_text(const struct tp_section *section, const struct tp_finding *finding)
{
    struct tp_str text = tp_shown_text(&section->naming, finding->detail);

    return text.len ? tp_text_printf(section->arena, "%.*s", (int)text.len, text.ptr) : events_text(section, finding);
}

/* Returns a title without private parts. */
static const char *shown_title(const struct tp_section *section, const char *title)
{
    struct tp_str shown = tp_shown_text(&section->naming, tp_str_of(title));
    return tp_text_printf(section->arena, "%.*s", (int)shown.len, shown.ptr);
}

/* Returns a note on how much of a finding's estimate the total counts; "" if the total counts the whole estimate. The
 * total may count less for waits: without a wait, the host launches work earlier, perhaps in idle time that another
 * finding already counts. */
static const char *part_in_total_gain_text(struct tp_arena *arena, const struct tp_finding *finding)
{
    if (!(finding->high_percent - finding->counted_percent >= 0.05))
        return "";
    return tp_text_printf(arena, " \xc2\xb7 adds %s of the step time to the total estimate",
                          tp_text_of_percent(arena, finding->counted_percent));
}

/* Returns the confidence in a finding, the flaws of the trace that reduce it, and the number of events that are
 * evidence. */
static const char *confidence_and_evidence_text(struct tp_arena *arena, const struct tp_finding *finding,
                                                unsigned shown)
{
    const char *weakened = "", *evidence = "", *known = "";

    for (unsigned i = 0; i < finding->weakened_by_count; i++)
        weakened = tp_text_printf(arena, "%s%s%s", weakened,
                                  i                                ? ", "
                                  : finding->weakened_by_count > 1 ? ", lowered by quality checks "
                                                                   : ", lowered by quality check ",
                                  finding->weakened_by[i]);
    if (shown && shown < finding->evidence_total)
        evidence = tp_text_printf(arena, " \xc2\xb7 %u of %s events are listed as evidence", shown,
                                  tp_text_of_count(arena, finding->evidence_total));
    else if (shown)
        evidence =
            tp_text_printf(arena, " \xc2\xb7 evidence: %s", tp_text_of_counted_noun(arena, shown, "event", "events"));
    if (finding->known)
        known = tp_text_printf(arena, " \xc2\xb7 named the main cause in %u of %s", finding->right,
                               tp_text_of_counted_noun(arena, finding->known, "test case", "test cases"));
    return tp_text_printf(arena, "Rule %s \xc2\xb7 confidence %s%s%s%s%s", finding->rule->id,
                          tp_confidence_text(finding->confidence), weakened, known,
                          part_in_total_gain_text(arena, finding), evidence);
}

static void fill_evidence(const struct tp_section *section, struct tp_finding_block *block,
                          const struct tp_finding *finding)
{
    struct tp_arena *arena = section->arena;
    unsigned count = finding->evidence_count < section->limits->evidence ? finding->evidence_count
                                                                         : (unsigned)section->limits->evidence;
    struct tp_place_block *places = tp_arena_array(arena, count, sizeof *places);

    for (unsigned i = 0; i < count; i++) {
        const struct tp_evidence *evidence = &finding->evidence[i];

        places[i] = (struct tp_place_block){
            .file_line = tp_shown_text(&section->naming, evidence->file_line),
            .text = tp_text_shorten(arena, tp_shown_kernel_name(&section->naming, evidence->name), EVENT_BYTES),
            .at = tp_text_of_time(arena, evidence->ts_ns),
            .at_ns = tp_text_printf(arena, "%lld", (long long)evidence->ts_ns),
            .href = tp_source_link(&section->naming, evidence->file_line)};
    }
    block->places = places;
    block->place_count = count;
    block->proof = confidence_and_evidence_text(arena, finding, count);
}

/* Returns the rule whose finding lists a finding of rule `id` as a remedy (docs/definitions.md, section 15); NULL if
 * findings of the rule are listed separately. */
static const char *parent_rule_id(const char *id)
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

static void fill_finding(const struct tp_section *section, struct tp_finding_block *block,
                         const struct tp_finding *finding);

static void fill_remedies(const struct tp_section *section, struct tp_finding_block *block, const char *id)
{
    const struct tp_recommendations *found = &section->profile->advice->recommendations;
    struct tp_finding_block *remedies = tp_arena_array(section->arena, found->finding_count, sizeof *remedies);

    for (uint32_t i = 0; i < found->finding_count; i++) {
        const char *parent = parent_rule_id(found->findings[i].rule->id);

        if (parent && strcmp(parent, id) == 0)
            fill_finding(section, &remedies[block->remedy_count++], &found->findings[i]);
    }
    block->remedies = remedies;
}

/* Returns a range such as "12.3 to 15.6 %", or a single percentage if rounding makes both ends equal. */
static const char *percent_range_text(struct tp_arena *arena, double low, double high)
{
    const char *most = tp_text_of_percent(arena, high);
    if (strcmp(tp_text_of_percent(arena, low), most) == 0)
        return most;
    return tp_text_printf(arena, "%s to %s", tp_text_of_fixed(arena, low, 1), most);
}

/* Returns a range of times as text. low and high: ends of the range, us. */
static const char *time_range_text(struct tp_arena *arena, double low, double high)
{
    const char *least = tp_text_of_time(arena, (int64_t)llround(low * 1000));
    const char *most = tp_text_of_time(arena, (int64_t)llround(high * 1000));
    const char *unit = strrchr(least, ' ');
    if (strcmp(least, most) == 0)
        return most;
    if (unit && (low <= 0 || (strrchr(most, ' ') && strcmp(unit, strrchr(most, ' ')) == 0)))
        return tp_text_printf(arena, "%.*s to %s", (int)(unit - least), least, most);
    return tp_text_printf(arena, "%s to %s", least, most);
}

const char *tp_finding_gain_text(const struct tp_finding *finding, struct tp_arena *arena)
{
    if (isnan(finding->high_percent))
        return isnan(finding->share_percent) ? NULL : tp_text_of_percent(arena, finding->share_percent);
    if (finding->high_percent < 0.05 && finding->share_percent >= 0.05)
        return finding->is_priced && finding->gone_with == TP_NO_ID ? "no effect" : "counted in a finding above";
    return percent_range_text(arena, finding->low_percent, finding->high_percent);
}

/* Returns the estimated gain of a finding as a range of times, such as "12.1 to 15.6 ms". The finding must have an
 * estimate. */
static const char *time_gain_range_text(const struct tp_finding *finding, struct tp_arena *arena)
{
    double high = tp_finding_max_gain_us(finding);
    double low = finding->high_percent > 0 ? high * finding->low_percent / finding->high_percent : 0;
    return time_range_text(arena, low, high);
}

/* Returns the words for a priced finding that saves nothing. */
static const char *nothing_text(const struct tp_section *section, const struct tp_finding *finding)
{
    const struct tp_finding *all = section->profile->advice->recommendations.findings;
    unsigned number = finding->gone_with == TP_NO_ID ? 0 : tp_finding_number(section, &all[finding->gone_with]);
    return tp_price_nothing_text(finding, number, section->arena);
}

/* Returns the saving as words: "saves 38 to 47 ms", or "saves up to 47 ms" if the least saving is unknown; "" if the
 * saving is unknown. */
static const char *saving_text(const struct tp_section *section, const struct tp_finding *finding)
{
    struct tp_arena *arena = section->arena;
    int64_t high_ns = (int64_t)llround(tp_finding_max_gain_us(finding) * 1000);
    if (isnan(finding->ceiling_us_per_step))
        return "";
    if (finding->is_priced && tp_price_is_nothing(finding))
        return nothing_text(section, finding);
    if (finding->high_percent < 0.05)
        return finding->share_percent >= 0.05 ? "counted above" : "";
    int64_t low_ns = (int64_t)((double)high_ns * finding->low_percent / finding->high_percent);
    return tp_text_printf(arena, "saves %s", tp_range_of_time_text(arena, low_ns, high_ns));
}

/* Returns the share of the saving, such as "18 to 23 %", or "up to 23 %". */
static const char *share_text(const struct tp_finding *finding, struct tp_arena *arena)
{
    if (isnan(finding->ceiling_us_per_step))
        return isnan(finding->share_percent) ? NULL : tp_text_of_percent(arena, finding->share_percent);
    if (finding->high_percent < 0.05 || (finding->is_priced && tp_price_is_nothing(finding)))
        return NULL;
    unsigned decimals = finding->high_percent < 9.95;
    const char *high = tp_text_of_fixed(arena, finding->high_percent, decimals);
    const char *low = tp_text_of_fixed(arena, finding->low_percent, decimals);
    if (finding->low_percent <= 0)
        return tp_text_printf(arena, "up to %s %%", high);
    return strcmp(low, high) == 0 ? tp_text_printf(arena, "%s %%", high)
                                  : tp_text_printf(arena, "%s to %s %%", low, high);
}

/* Returns whether a finding is not listed as an action: it only informs, or its saving is below 0.3 % of the step or
 * 0.1 ms. */
static bool is_small_saving(const struct tp_finding *finding)
{
    static const double LEAST_PERCENT = 0.3, LEAST_US = 100;
    if (isnan(finding->ceiling_us_per_step))
        return finding->severity == TP_SEVERITY_INFO && !finding->is_first;
    if (finding->is_priced && finding->gone_with == TP_NO_ID)
        return finding->high_percent < LEAST_PERCENT;
    return finding->high_percent > 0 && !finding->is_first && finding->share_percent < 1 &&
           (finding->high_percent < LEAST_PERCENT || tp_finding_max_gain_us(finding) < LEAST_US);
}

/* Returns the color of a finding: that of the part of the step which contains most of its time. */
static const char *look_of_finding(const struct tp_section *section, const struct tp_finding *finding)
{
    const struct tp_answer *answer = &section->profile->advice->answer;
    size_t index = (size_t)(finding - section->profile->advice->recommendations.findings);
    if (!answer->part_of_finding)
        return tp_look_name(TP_LOOK_NONE);
    return tp_look_name(tp_look_of_part(answer->part_of_finding[index], 0));
}

unsigned tp_finding_number(const struct tp_section *section, const struct tp_finding *finding)
{
    const struct tp_recommendations *found = &section->profile->advice->recommendations;
    unsigned number = 0;
    for (uint32_t i = 0; i < found->finding_count; i++) {
        const struct tp_finding *at = &found->findings[i];
        bool is_action = !is_small_saving(at) && !has_finding(found, parent_rule_id(at->rule->id));
        number += is_action;
        if (at == finding)
            return is_action ? number : 0;
    }
    return 0;
}

/* Splits the detail into its first sentence, which the list of actions shows, and the rest. */
static void fill_short_reason(struct tp_finding_block *block, struct tp_arena *arena)
{
    const char *text = block->reasons[0], *at = text;
    while (at && (at = strstr(at, ". ")) && !(at[2] >= 'A' && at[2] <= 'Z'))
        at++;
    block->short_reason = at ? tp_arena_copy(arena, text, (size_t)(at + 1 - text)) : text;
    block->more_reason = at ? at + 2 : NULL;
}

static void fill_finding(const struct tp_section *section, struct tp_finding_block *block,
                         const struct tp_finding *finding)
{
    static const enum tp_tone tones[] = {TP_TONE_BAD, TP_TONE_WARN, TP_TONE_UNSURE, TP_TONE_PLAIN};
    struct tp_arena *arena = section->arena;
    bool has_time = !isnan(finding->ceiling_us_per_step), has_share = !isnan(finding->share_percent);
    bool is_nothing = finding->is_priced && tp_price_is_nothing(finding);
    const char *title = shown_title(section, finding->marked_title);

    *block = (struct tp_finding_block){.tone = tones[finding->severity],
                                       .status = tp_severity_text(finding->severity),
                                       .id = finding->rule->id,
                                       .title = tp_marked_plain(arena, title),
                                       .marked_title = title,
                                       .value = is_nothing ? nothing_text(section, finding)
                                                : has_time ? time_gain_range_text(finding, arena)
                                                           : NULL,
                                       .change = share_text(finding, arena),
                                       .scope = has_share && !has_time ? "of the step time is affected" : NULL,
                                       .saving = saving_text(section, finding),
                                       .then = tp_price_step_text(section, finding),
                                       .low_percent = fmax(0, finding->low_percent),
                                       .high_percent = finding->high_percent > 0 ? finding->high_percent : 0,
                                       .look = look_of_finding(section, finding),
                                       .marks = tp_time_marks_text(section, finding->spans),
                                       .is_small = is_small_saving(finding),
                                       .reasons = {detail_text(section, finding)},
                                       .advice = finding->shown_advice,
                                       .link = finding->doc_url};
    fill_short_reason(block, arena);
    fill_remedies(section, block, finding->rule->id);
    fill_evidence(section, block, finding);
}

/* Returns the total gain of the findings as text; NULL if fewer than two findings have a gain. */
static const char *total_gain_text(struct tp_arena *arena, const struct tp_recommendations *found)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < found->finding_count; i++)
        count += found->findings[i].high_percent > 0;
    if (count < 2)
        return NULL;
    return tp_text_printf(arena, "together they save at most %s",
                          tp_part_of_time_text(arena, (int64_t)llround(found->total_gain_us_per_step * 1000),
                                               (int64_t)llround(found->step_us * 1000)));
}

/* Returns the summary of the actions after the third, such as "3 smaller changes, together up to 24 ms"; NULL if there
 * are at most three. items: all findings of the list, in its order. */
static const char *more_title(struct tp_arena *arena, const struct tp_findings_block *list,
                              const struct tp_finding *const *findings)
{
    enum { OPEN_ITEMS = 3 };
    unsigned shown = 0, more = 0;
    double us = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].is_small || ++shown <= OPEN_ITEMS)
            continue;
        more++;
        if (findings[i]->high_percent > 0)
            us += tp_finding_max_gain_us(findings[i]) * findings[i]->counted_percent / findings[i]->high_percent;
    }
    const char *count = tp_text_of_counted_noun(arena, more, "smaller change", "smaller changes");
    if (!more || us <= 0)
        return more ? count : NULL;
    return tp_text_printf(arena, "%s, %sup to %s", count, more > 1 ? "together " : "",
                          tp_text_of_time(arena, (int64_t)llround(us * 1000)));
}

/* Returns a sentence on the cost of the profiler, which the estimated gains exclude; NULL if this cost is small. */
static const char *base_of_shares_text(const struct tp_section *section)
{
    const struct tp_recommendations *found = &section->profile->advice->recommendations;
    bool is_of_recording = section->profile->model->program == TP_RECORDED_CPU;
    int64_t cost_ns = found->window_ns - found->judged_ns, steps = found->step_count;
    if (!is_of_recording || !found->finding_count || !steps || cost_ns < found->window_ns / 20)
        return NULL;
    const char *left = tp_text_of_time(section->arena, found->judged_ns / steps);
    return tp_text_printf(
        section->arena,
        "The profiler itself takes about %s of each %s step. The estimates are shares of the remaining %s.",
        tp_text_of_time(section->arena, cost_ns / steps), tp_text_of_time(section->arena, found->window_ns / steps),
        left);
}

static const char *notes_of_findings_text(const struct tp_section *section)
{
    const char *by_replay = tp_price_total_text(section);
    const char *total =
        by_replay ? by_replay : total_gain_text(section->arena, &section->profile->advice->recommendations);
    const char *judged = base_of_shares_text(section);
    return total && judged ? tp_text_printf(section->arena, "%s. %s", total, judged) : total ? total : judged;
}

static const char *no_findings_text(const struct tp_section *section)
{
    if (section->profile->is_silent)
        return "The findings are on the page of the whole program. This page shows only the part recorded inside a "
               "process.";
    if (section->profile->main_worker.len)
        return "The findings are in the section of PyTorch's trace of the same process.";
    return "No rule found time that could be saved. The end of the report page lists the rules that could not be "
           "checked.";
}

void tp_section_put_findings(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_recommendations *found = &section->profile->advice->recommendations;
    struct tp_arena *arena = section->arena;
    struct tp_findings_block list = {.heading = "What to change, best first",
                                     .none = no_findings_text(section),
                                     .id_title = "id",
                                     .title_column_title = "finding",
                                     .value_title = "estimate per step",
                                     .change_title = "of the step time",
                                     .reason_title = "what to try",
                                     .items = tp_arena_array(arena, found->finding_count, sizeof *list.items)};

    const struct tp_finding **findings = tp_arena_array(arena, found->finding_count + 1, sizeof *findings);
    for (size_t i = 0; i < found->finding_count; i++) {
        if (has_finding(found, parent_rule_id(found->findings[i].rule->id)))
            continue;
        findings[list.count] = &found->findings[i];
        fill_finding(section, &list.items[list.count++], &found->findings[i]);
    }
    list.shown = list.count < section->limits->findings ? list.count : section->limits->findings;
    list.open_count = list.count;
    if (found->finding_count)
        list.remark = tp_text_printf(arena, "%u, most useful first", found->finding_count);
    list.note = notes_of_findings_text(section);
    list.more_title = more_title(arena, &list, findings);
    tp_document_add_findings(document, &list);
}
