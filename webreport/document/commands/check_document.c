/* Makes the document of `tracepress check`. See check_document.h. */
#include "webreport/document/commands/check_document.h"

#include <math.h>
#include <string.h>

#include "webreport/compare/gate/metric_amount.h"
#include "webreport/document/commands/work_record.h"
#include "webreport/document/section.h"
#include "webreport/document/section_verdict.h"
#include "webreport/measure/audience/wording.h"
#include "webreport/measure/metrics/metric_values.h"
#include "webreport/measure/rules/rule_words.h"
#include "writer/text/format.h"

enum { MAX_ROWS = 200 };

static enum tp_metric_unit metric_unit(const struct tp_check_item *item)
{
    return tp_metrics[item->line->metric].unit;
}

/* Returns the name of the metric, with its operator, function or category instead of NAME, or its change instead of
 * CHANGE. */
static const char *metric_text(const struct tp_check_item *item, struct tp_arena *arena)
{
    struct tp_str operator= item->line->operator;
    const struct tp_metric *metric = &tp_metrics[item->line->metric];
    const char *placeholder = metric->value == tp_metric_of_change ? "CHANGE" : "NAME";
    const char *name = metric->name, *at = strstr(name, placeholder);
    if (!operator.ptr || !at)
        return name;
    return tp_text_printf(arena, "%.*s%.*s%s", (int)(at - name), name, (int)(operator.len < 200 ? operator.len : 200),
                          operator.ptr, at + strlen(placeholder));
}

static const char *name_of_side_text(struct tp_arena *arena, const struct tp_check_side *side)
{
    if (side->count == 1)
        return tp_text_printf(arena, "%.200s", side->name);
    return tp_text_printf(arena, "%.200s (%zu profiles)", side->name, side->count);
}

static bool has_damage(const struct tp_check *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].cause == TP_CAUSE_DAMAGED && !c->items[i].is_data_unknown)
            return true;
    return false;
}

static bool has_unknown_data(const struct tp_check *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].is_data_unknown)
            return true;
    return false;
}

/* Returns the headline, such as "2 of 6 limits broken, 1 inconclusive, 1 warning". */
static const char *headline_text(const struct tp_check *c, struct tp_arena *arena)
{
    size_t failed = c->counts[TP_CHECK_FAIL], kept = c->counts[TP_CHECK_PASS];
    const char *text =
        tp_text_printf(arena, "%zu of %zu limits %s", failed ? failed : kept, c->count, failed ? "broken" : "kept");
    if (c->counts[TP_CHECK_INCONCLUSIVE])
        text = tp_text_printf(arena, "%s, %zu inconclusive", text, c->counts[TP_CHECK_INCONCLUSIVE]);
    if (c->counts[TP_CHECK_WARN])
        text = tp_text_printf(arena, "%s, %s", text,
                              tp_text_of_counted_noun(arena, (int64_t)c->counts[TP_CHECK_WARN], "warning", "warnings"));
    if (c->lacks_baseline && !c->is_damaged)
        text = tp_text_printf(arena, "no baseline: %s", text);
    if (c->is_damaged)
        text = tp_text_printf(arena, "%s: %s",
                              has_damage(c)         ? "input damaged"
                              : has_unknown_data(c) ? "different data"
                                                    : "input incomplete",
                              text);
    return text;
}

static const char *names_of_sides_text(const struct tp_check *c, struct tp_arena *arena)
{
    const char *run = name_of_side_text(arena, &c->input->run);
    if (!c->input->base.name)
        return run;
    static const char *const words[] = {"the same workload", "possibly another workload", "another workload"};
    return tp_text_printf(arena, "%s compared with %s, %s%s%s", run, name_of_side_text(arena, &c->input->base),
                          words[c->workload], *c->differs ? ": " : "", c->differs);
}

static enum tp_tone status_tone(enum tp_check_status status)
{
    static const enum tp_tone tones[TP_CHECK_STATUS_COUNT] = {TP_TONE_GOOD, TP_TONE_WARN, TP_TONE_UNSURE, TP_TONE_BAD};
    return tones[status];
}

static const char *item_title(const struct tp_check_item *item, struct tp_arena *arena)
{
    const char *limit = tp_amount_limit_text(arena, item->line), *name = metric_text(item, arena);
    if (item->subject.len)
        return tp_text_printf(arena, "%.*s: %s %s", (int)item->subject.len, item->subject.ptr, name, limit);
    return tp_text_printf(arena, "%s %s", name, limit);
}

/* Returns one sentence with value, baseline, change, limit and reason of a finding. */
static const char *finding_message(const struct tp_finding_block *finding, const struct tp_check_item *item,
                                   struct tp_arena *arena)
{
    const char *name = metric_text(item, arena), *text = name;
    if (finding->value)
        text = tp_text_printf(arena, "%s is %s", name, finding->value);
    if (finding->base)
        text = tp_text_printf(arena, "%s, compared with %s in the baseline", text, finding->base);
    if (finding->change)
        text = tp_text_printf(arena, "%s (%s)", text, finding->change);
    text = tp_text_printf(arena, "%s; the limit is %s", text, tp_amount_limit_text(arena, item->line));
    if (item->status == TP_CHECK_INCONCLUSIVE)
        text = tp_text_printf(arena, "%s; inconclusive", text);
    return *item->reason ? tp_text_printf(arena, "%s: %s", text, item->reason) : text;
}

/* Returns the description of a metric in the form of a rule. Its help text is the rule's advice and link if the metric
 * is the number of findings of one rule, else the unit of the metric and its member in the report. */
static struct tp_rule_block make_rule_block(const struct tp_metric *metric, enum tp_producer producer,
                                            struct tp_arena *arena)
{
    /* start of metric->json for a metric that is not a member of the report */
    static const char elsewhere[] = "none: ";
    struct tp_rule_block rule = {.id = metric->name, .title = tp_metric_title(metric)};
    bool is_elsewhere = strncmp(metric->json, elsewhere, sizeof elsewhere - 1) == 0;
    rule.help =
        tp_text_printf(arena, "Unit: %s. In %s%s.", tp_metric_unit_text(metric->unit),
                       is_elsewhere ? "" : "report --json: ", metric->json + (is_elsewhere ? sizeof elsewhere - 1 : 0));
    if (metric->value == tp_metric_of_rule) {
        struct tp_rule_words words = tp_rule_words(tp_rule_at((unsigned)metric->which), producer);
        rule.title = words.title;
        rule.help = tp_text_printf(arena, "%s %s", words.advice, words.doc_url ? words.doc_url : "");
    }
    return rule;
}

static const struct tp_place_block *make_place_blocks(const struct tp_check_item *item, struct tp_arena *arena)
{
    struct tp_place_block *places = tp_arena_array(arena, item->place_count, sizeof *places);
    for (uint32_t i = 0; i < item->place_count; i++)
        places[i] = (struct tp_place_block){.file_line = item->places[i].file_line,
                                            .text = item->places[i].text,
                                            .function = tp_frame_function_name(item->places[i].file_line)};
    return places;
}

static void fill_finding(struct tp_finding_block *finding, const struct tp_check_item *item,
                         const struct tp_rule_block *rule, struct tp_arena *arena)
{
    *finding = (struct tp_finding_block){
        .tone = status_tone(item->status),
        .status = tp_check_status_text(item->status),
        .title = item_title(item, arena),
        .base = isnan(item->base_value) ? NULL : tp_amount_text(arena, metric_unit(item), item->base_value),
        .value = isnan(item->value) ? NULL : tp_amount_text(arena, metric_unit(item), item->value),
        .change = isnan(item->change) ? NULL
                                      : tp_amount_change_text(arena, metric_unit(item), item->line->kind, item->change),
        .reasons = {*item->reason ? item->reason : NULL},
        .places = make_place_blocks(item, arena),
        .place_count = item->place_count,
        .rule = rule,
        .cause = tp_check_cause_text(item->cause),
        .is_inconclusive_by_noise = item->cause == TP_CAUSE_NOISE,
        .is_inconclusive_by_input = item->status == TP_CHECK_INCONCLUSIVE &&
                                    (item->cause == TP_CAUSE_DAMAGED || item->cause == TP_CAUSE_MISSING),
        .subject = item->subject,
        .line = item->line->number};
    finding->message = finding_message(finding, item, arena);
}

/* ---- the JSON record; values are in the unit of the metric: counts, ns, bytes, % ---- */

static void add_line_to_record(struct tp_object *object, const struct tp_budget_line *line)
{
    static const char *const kinds[] = {"absolute", "delta", "relative"};
    tp_object_add_text(object, "metric", tp_metrics[line->metric].name);
    tp_object_add_text(object, "unit", tp_metric_unit_text(tp_metrics[line->metric].unit));
    tp_object_add_text(object, "op", tp_budget_op_text(line->op));
    tp_object_add_text(object, "limit_kind", kinds[line->kind]);
    tp_object_add_real(object, "limit", line->limit);
    tp_object_add_text(object, "level", line->is_warning ? "warn" : "fail");
    tp_object_add_bool(object, "optional", line->is_optional);
    tp_object_add_int(object, "line", line->number);
    tp_object_add_str(object, "text", line->text);
}

static void add_item_to_record(struct tp_object *object, const struct tp_check_item *item)
{
    add_line_to_record(object, item->line);
    tp_object_add_str(object, "subject", item->subject);
    tp_object_add_text(object, "status", tp_check_status_text(item->status));
    tp_object_add_text(object, "cause", tp_check_cause_text(item->cause));
    tp_object_add_real(object, "value", item->value);
    tp_object_add_real(object, "baseline", item->base_value);
    tp_object_add_real(object, "change", item->change);
    tp_object_add_real(object, "change_low", item->low);
    tp_object_add_real(object, "change_high", item->high);
    tp_object_add_real(object, "sees", item->detectable);
    tp_object_add_int(object, "baseline_runs", (int64_t)item->base_runs);
    tp_object_add_int(object, "runs", (int64_t)item->runs);
    tp_object_add_text(object, "reason", item->reason);
    struct tp_list *places = tp_object_add_list(object, "places");
    for (uint32_t i = 0; i < item->place_count; i++) {
        struct tp_object *place = tp_list_add_object(places);
        tp_object_add_str(place, "rule", item->places[i].rule);
        tp_object_add_str(place, "file_line", item->places[i].file_line);
        tp_object_add_str(place, "text", item->places[i].text);
    }
}

/* Adds all metrics of a run to an object. An unknown metric is null, and a separate list has the reasons. */
static void add_run_to_record(struct tp_object *object, const struct tp_summary *run)
{
    tp_object_add_str(object, "worker", run->key.worker);
    tp_object_add_int_or_null(object, "rank", run->key.rank);
    tp_object_add_int_or_null(object, "span", run->key.span);
    tp_object_add_str(object, "file", run->file);
    tp_object_add_str(object, "verdict", run->verdict);
    tp_object_add_str(object, "headline", run->headline);
    tp_object_add_evidence(object, "evidence", &run->evidence);
    struct tp_object *metrics = tp_object_add_object(object, "metrics");
    struct tp_object *unknown = tp_object_add_object(object, "unknown");
    for (int i = 0; i < TP_METRIC_COUNT; i++) {
        if (tp_metric_is_omitted(&tp_metrics[i], run->metrics[i].value))
            continue;
        tp_object_add_real(metrics, tp_metrics[i].name, run->metrics[i].value);
        if (isnan(run->metrics[i].value))
            tp_object_add_text(unknown, tp_metrics[i].name, run->metrics[i].why ? run->metrics[i].why : "");
    }
}

static void add_side_to_record(struct tp_object *record, const char *key, const struct tp_check_side *side)
{
    if (!side->name) {
        tp_object_add_null(record, key);
        return;
    }
    struct tp_object *object = tp_object_add_object(record, key);
    tp_object_add_text(object, "name", side->name);
    struct tp_list *profiles = tp_object_add_list(object, "profiles");
    for (size_t i = 0; i < side->count; i++)
        add_run_to_record(tp_list_add_object(profiles), &side->items[i]);
}

/* Adds the comparison of workload and work to the record; null without a baseline. */
static void add_work_to_record(struct tp_object *record, const struct tp_check *c)
{
    if (!c->input->base.count) {
        tp_object_add_null(record, "identity");
        tp_object_add_null(record, "changes");
        return;
    }
    struct tp_object *identity = tp_object_add_object(record, "identity");
    tp_object_add_text(identity, "workload", tp_workload_name(c->workload));
    tp_object_add_text(identity, "differs", c->differs);
    struct tp_list *list = tp_object_add_list(record, "changes");
    for (size_t i = 0; i < c->change_count; i++) {
        struct tp_object *object = tp_list_add_object(list);
        tp_object_add_str(object, "subject", c->changes[i].subject);
        tp_work_change_fill_record(object, &c->changes[i].change, record->members.arena);
    }
}

static void fill_record(const struct tp_document *document, const struct tp_check *c,
                        const struct tp_verdict_block *verdict)
{
    struct tp_object *record = document->record;
    tp_object_add_text(record, "schema", "tracepress-check");
    tp_object_add_int(record, "schema_version", 1);
    tp_object_add_text(record, "verdict", tp_check_status_text(c->verdict));
    tp_object_add_text(record, "verdict_line", tp_verdict_block_line(document, verdict));
    tp_object_add_bool(record, "damaged", c->is_damaged);
    tp_object_add_text(record, "sides", verdict->text);
    struct tp_object *counts = tp_object_add_object(record, "counts");
    for (int i = 0; i < TP_CHECK_STATUS_COUNT; i++)
        tp_object_add_int(counts, tp_check_status_text((enum tp_check_status)i), (int64_t)c->counts[i]);
    tp_object_add_text(record, "budget", c->input->budget->file);
    add_work_to_record(record, c);
    struct tp_list *items = tp_object_add_list(record, "items");
    for (size_t i = 0; i < c->count; i++)
        add_item_to_record(tp_list_add_object(items), &c->items[i]);
    add_side_to_record(record, "run", &c->input->run);
    add_side_to_record(record, "baseline", &c->input->base);
}

/* Adds the verdict of a side that has a single run. For several runs, only the record has the verdicts. */
static void add_run_verdict(struct tp_document *document, const char *what, const struct tp_check_side *side)
{
    if (side->count != 1 || !side->items[0].verdict.len)
        return;
    struct tp_naming naming = {.arena = document->arena};
    struct tp_verdict_block verdict = tp_stored_verdict_block(&naming, side->items[0].verdict, side->items[0].headline);
    tp_document_add_note(document,
                         tp_text_printf(document->arena, "%s: %s. %s", what, verdict.class, verdict.headline));
}

/* Returns the producer of a side's first run, because all runs of a side are of one program. */
static enum tp_producer side_producer(const struct tp_check_side *side)
{
    return side->count ? side->items[0].producer : TP_PRODUCER_TORCH;
}

void tp_check_document(struct tp_document *document, const struct tp_check *check, struct tp_arena *arena)
{
    const char *file = check->input->budget->file;
    struct tp_rule_block *rules = tp_arena_array(arena, TP_METRIC_COUNT, sizeof *rules);
    struct tp_findings_block list = {.title_column_title = "limit",
                                     .base_title = "baseline",
                                     .value_title = "value",
                                     .change_title = "change",
                                     .reason_title = "reason",
                                     .name = "tracepress check",
                                     .source = file ? file : "default budget",
                                     .is_source_file = file != NULL,
                                     .input = check->input->run.name,
                                     .count = check->count,
                                     .shown = check->count < MAX_ROWS ? check->count : MAX_ROWS,
                                     .open_count = check->count - check->counts[TP_CHECK_PASS],
                                     .more = "; --json lists all"};
    struct tp_verdict_block verdict = {.tone = status_tone(check->verdict),
                                       .class = tp_check_status_text(check->verdict),
                                       .headline = headline_text(check, arena),
                                       .text = names_of_sides_text(check, arena)};
    tp_document_init(document, "Check", arena);
    fill_record(document, check, &verdict);
    tp_document_add_verdict(document, &verdict);
    list.items = tp_arena_array(arena, check->count, sizeof *list.items);
    for (size_t i = 0; i < check->count; i++) {
        struct tp_rule_block *rule = &rules[check->items[i].line->metric];
        if (!rule->id)
            *rule =
                make_rule_block(&tp_metrics[check->items[i].line->metric], side_producer(&check->input->run), arena);
        fill_finding(&list.items[i], &check->items[i], rule, arena);
    }
    tp_document_add_findings(document, &list);
    add_run_verdict(document, "The run", &check->input->run);
    add_run_verdict(document, "The baseline", &check->input->base);
}

/* ---- the list of metrics ---- */

static void add_metric_to_record(struct tp_object *object, const struct tp_metric *metric)
{
    tp_object_add_text(object, "name", metric->name);
    tp_object_add_text(object, "unit", tp_metric_unit_text(metric->unit));
    tp_object_add_text(object, "judged", metric->is_timed ? "time" : "count");
    tp_object_add_text(object, "better", metric->is_lower_better ? "lower" : "higher");
    struct tp_list *needs = tp_object_add_list(object, "needs");
    for (unsigned need = 1; need <= TP_NEED_ALL; need <<= 1)
        if (metric->needs & need)
            tp_list_add(needs, tp_data_text(tp_need_text((enum tp_need)need)));
    tp_object_add_text(object, "title", tp_metric_title(metric));
    tp_object_add_text(object, "json", metric->json);
}

void tp_metric_list_document(struct tp_document *document, struct tp_arena *arena)
{
    struct tp_findings_block list = {.title_column_title = "metric",
                                     .value_title = "compared by",
                                     .change_title = "better",
                                     .reason_title = "meaning",
                                     .items = tp_arena_array(arena, TP_METRIC_COUNT, sizeof *list.items)};
    tp_document_init(document, "Metrics", arena);
    tp_object_add_text(document->record, "schema", "tracepress-metrics");
    tp_object_add_int(document->record, "schema_version", 1);
    struct tp_list *metrics = tp_object_add_list(document->record, "metrics");
    for (int i = 0; i < TP_METRIC_COUNT; i++) {
        const struct tp_metric *metric = &tp_metrics[i];
        add_metric_to_record(tp_list_add_object(metrics), metric);
        if (tp_metric_is_larger_duplicate(metric))
            continue;
        list.items[list.count++] = (struct tp_finding_block){
            .status = tp_metric_unit_text(metric->unit),
            .title = metric->name,
            .value = metric->is_timed ? "statistics" : "count",
            .change = metric->is_lower_better ? "lower" : "higher",
            .reasons = {tp_metric_title(metric), tp_text_printf(arena, "= %s", metric->json)}};
    }
    list.shown = list.open_count = list.count;
    tp_document_add_note(
        document,
        "The columns are the unit, the name, how the metric is compared with a baseline (times by statistics, counts "
        "directly), and whether lower or higher is better. Then follow the meaning and the member of report --json.");
    tp_document_add_findings(document, &list);
}
