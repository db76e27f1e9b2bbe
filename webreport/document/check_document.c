/* The verdict of `tracepress check` in words: see check_document.h. */
#include "webreport/document/check_document.h"

#include <math.h>

#include "webreport/compare/metric_amount.h"
#include "webreport/document/name_text.h"
#include "writer/text/format.h"

enum { MAX_ROWS = 200 };

static enum tp_metric_unit unit_of(const struct tp_check_item *item)
{
    return tp_metrics[item->line->metric].unit;
}

static const char *side_text(struct tp_arena *arena, const struct tp_check_side *side)
{
    if (side->count == 1)
        return tp_text_printf(arena, "%.200s", side->name);
    return tp_text_printf(arena, "%.200s (%zu profiles)", side->name, side->count);
}

static bool has_damage(const struct tp_check *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].cause == TP_CAUSE_DAMAGED)
            return true;
    return false;
}

/* "2 of 6 limits broken, 1 inconclusive, 1 warning" */
static const char *headline(const struct tp_check *c, struct tp_arena *arena)
{
    size_t failed = c->counts[TP_CHECK_FAIL], kept = c->count - failed - c->counts[TP_CHECK_INCONCLUSIVE];
    const char *text =
        tp_text_printf(arena, "%zu of %zu limits %s", failed ? failed : kept, c->count, failed ? "broken" : "kept");
    if (c->counts[TP_CHECK_INCONCLUSIVE])
        text = tp_text_printf(arena, "%s, %zu inconclusive", text, c->counts[TP_CHECK_INCONCLUSIVE]);
    if (c->counts[TP_CHECK_WARN])
        text = tp_text_printf(arena, "%s, %s", text,
                              tp_text_of_some(arena, (int64_t)c->counts[TP_CHECK_WARN], "warning", "warnings"));
    if (c->is_damaged)
        text = tp_text_printf(arena, "%s: %s", text, has_damage(c) ? "input damaged" : "input incomplete");
    return text;
}

static const char *sides_text(const struct tp_check *c, struct tp_arena *arena)
{
    const char *run = side_text(arena, &c->input->run);
    if (!c->input->base.name)
        return run;
    return tp_text_printf(arena, "%s against %s, comparable %u of 100", run, side_text(arena, &c->input->base),
                          c->score);
}

static enum tp_tone tone_of(enum tp_check_status status)
{
    static const enum tp_tone tones[TP_CHECK_STATUS_COUNT] = {TP_TONE_GOOD, TP_TONE_WARN, TP_TONE_UNSURE, TP_TONE_BAD};
    return tones[status];
}

static const char *title_of(const struct tp_check_item *item, struct tp_arena *arena)
{
    const char *limit = tp_amount_limit(arena, item->line), *name = tp_metrics[item->line->metric].name;
    if (item->subject.len)
        return tp_text_printf(arena, "%.*s: %s %s", (int)item->subject.len, item->subject.ptr, name, limit);
    return tp_text_printf(arena, "%s %s", name, limit);
}

/* One sentence: the value, the baseline's, the change, the limit, the reason. */
static const char *message_of(const struct tp_finding_block *finding, const struct tp_check_item *item,
                              struct tp_arena *arena)
{
    const char *name = tp_metrics[item->line->metric].name, *text = name;
    if (finding->value)
        text = tp_text_printf(arena, "%s is %s", name, finding->value);
    if (finding->base)
        text = tp_text_printf(arena, "%s, in the baseline %s", text, finding->base);
    if (finding->change)
        text = tp_text_printf(arena, "%s (%s)", text, finding->change);
    text = tp_text_printf(arena, "%s; the limit is %s", text, tp_amount_limit(arena, item->line));
    if (item->status == TP_CHECK_INCONCLUSIVE)
        text = tp_text_printf(arena, "%s; inconclusive", text);
    return *item->reason ? tp_text_printf(arena, "%s: %s", text, item->reason) : text;
}

/* Advice and link of a finding; of other metrics what they are made of. */
static struct tp_rule_block rule_of(const struct tp_metric *metric, struct tp_arena *arena)
{
    struct tp_rule_block rule = {.id = metric->name, .title = tp_metric_title(metric)};
    unsigned count;
    const struct tp_rule *rules = tp_rules(&count);
    rule.help =
        tp_text_printf(arena, "Unit: %s. In report --json: %s.", tp_metric_unit_text(metric->unit), metric->json);
    for (unsigned i = 0; i < count; i++)
        if (rules[i].title == rule.title)
            rule.help = tp_text_printf(arena, "%s %s", rules[i].advice, rules[i].doc_url ? rules[i].doc_url : "");
    return rule;
}

static const struct tp_place_block *places_of(const struct tp_check_item *item, struct tp_arena *arena)
{
    struct tp_place_block *places = tp_arena_array(arena, item->place_count, sizeof *places);
    for (uint32_t i = 0; i < item->place_count; i++)
        places[i] = (struct tp_place_block){item->places[i].file_line, item->places[i].text,
                                            tp_frame_function_name(item->places[i].file_line)};
    return places;
}

static void fill_finding(struct tp_finding_block *finding, const struct tp_check_item *item,
                         const struct tp_rule_block *rule, struct tp_arena *arena)
{
    *finding = (struct tp_finding_block){
        .tone = tone_of(item->status),
        .status = tp_check_status_text(item->status),
        .title = title_of(item, arena),
        .base = isnan(item->base_value) ? NULL : tp_amount_text(arena, unit_of(item), item->base_value),
        .value = isnan(item->value) ? NULL : tp_amount_text(arena, unit_of(item), item->value),
        .change = isnan(item->change) ? NULL : tp_amount_change(arena, unit_of(item), item->line->kind, item->change),
        .reasons = {*item->reason ? item->reason : NULL},
        .places = places_of(item, arena),
        .place_count = item->place_count,
        .rule = rule,
        .cause = tp_check_cause_text(item->cause),
        .is_input_fault = item->status == TP_CHECK_INCONCLUSIVE &&
                          (item->cause == TP_CAUSE_DAMAGED || item->cause == TP_CAUSE_MISSING),
        .subject = item->subject,
        .line = item->line->number};
    finding->message = message_of(finding, item, arena);
}

void tp_check_document(struct tp_document *document, const struct tp_check *check, struct tp_arena *arena)
{
    const char *file = check->input->budget->file;
    struct tp_rule_block *rules = tp_arena_array(arena, TP_METRIC_COUNT, sizeof *rules);
    struct tp_findings_block list = {.title_head = "limit",
                                     .base_head = "baseline",
                                     .value_head = "value",
                                     .change_head = "change",
                                     .reason_head = "why",
                                     .name = "tracepress check",
                                     .source = file ? file : "default budget",
                                     .is_source_file = file != NULL,
                                     .input = check->input->run.name,
                                     .count = check->count,
                                     .shown = check->count < MAX_ROWS ? check->count : MAX_ROWS,
                                     .open_count = check->count - check->counts[TP_CHECK_PASS],
                                     .more = "; --json has all"};
    tp_document_init(document, arena);
    tp_document_verdict(document, &(struct tp_verdict_block){.tone = tone_of(check->verdict),
                                                             .class = tp_check_status_text(check->verdict),
                                                             .headline = headline(check, arena),
                                                             .text = sides_text(check, arena)});
    list.items = tp_arena_array(arena, check->count, sizeof *list.items);
    for (size_t i = 0; i < check->count; i++) {
        struct tp_rule_block *rule = &rules[check->items[i].line->metric];
        if (!rule->id)
            *rule = rule_of(&tp_metrics[check->items[i].line->metric], arena);
        fill_finding(&list.items[i], &check->items[i], rule, arena);
    }
    tp_document_findings(document, &list);
}
