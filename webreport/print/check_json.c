/* The verdict of `tracepress check` as JSON: see check_json.h. Values are in the metric's unit: counts, ns, bytes, %.
 */
#include "webreport/print/check_json.h"

#include <math.h>

#include "webreport/measure/evidence_json.h"
#include "writer/base/json_out.h"
#include "writer/text/format.h"

static void member_real(struct tp_json *json, const char *key, double value)
{
    tp_json_member_real(json, key, isfinite(value) ? value : NAN);
}

static void place_json(struct tp_json *json, const struct tp_check_place *place)
{
    tp_json_object(json);
    tp_json_member_str(json, "rule", place->rule);
    tp_json_member_str(json, "file_line", place->file_line);
    tp_json_member_str(json, "text", place->text);
    tp_json_object_end(json);
}

static void line_json(struct tp_json *json, const struct tp_budget_line *line)
{
    static const char *const kinds[] = {"absolute", "delta", "relative"};
    tp_json_member_text(json, "metric", tp_metrics[line->metric].name);
    tp_json_member_text(json, "unit", tp_metric_unit_text(tp_metrics[line->metric].unit));
    tp_json_member_text(json, "op", tp_budget_op_text(line->op));
    tp_json_member_text(json, "limit_kind", kinds[line->kind]);
    member_real(json, "limit", line->limit);
    tp_json_member_text(json, "level", line->is_warning ? "warn" : "fail");
    tp_json_member_bool(json, "optional", line->is_optional);
    tp_json_member_int(json, "line", line->number);
    tp_json_member_str(json, "text", line->text);
}

static void item_json(struct tp_json *json, const struct tp_check_item *item)
{
    tp_json_object(json);
    line_json(json, item->line);
    tp_json_member_str(json, "subject", item->subject);
    tp_json_member_text(json, "status", tp_check_status_text(item->status));
    tp_json_member_text(json, "cause", tp_check_cause_text(item->cause));
    member_real(json, "value", item->value);
    member_real(json, "baseline", item->base_value);
    member_real(json, "change", item->change);
    member_real(json, "change_low", item->low);
    member_real(json, "change_high", item->high);
    member_real(json, "noise_floor", item->floor);
    tp_json_member_text(json, "reason", item->reason);
    tp_json_key(json, "places");
    tp_json_array(json);
    for (uint32_t i = 0; i < item->place_count; i++)
        place_json(json, &item->places[i]);
    tp_json_array_end(json);
    tp_json_object_end(json);
}

static void int_or_null(struct tp_json *json, const char *key, int64_t value)
{
    if (value == TP_NULL_INT)
        tp_json_member_null(json, key);
    else
        tp_json_member_int(json, key, value);
}

/* All metrics of a run; what it does not tell is null, and named with its reason. */
static void run_json(struct tp_json *json, const struct tp_summary *run, struct tp_arena *arena)
{
    tp_json_object(json);
    tp_json_member_str(json, "worker", run->key.worker);
    int_or_null(json, "rank", run->key.rank);
    int_or_null(json, "span", run->key.span);
    tp_json_member_str(json, "file", run->file);
    tp_json_key(json, "evidence");
    tp_evidence_json(json, &run->evidence, arena);
    tp_json_key(json, "metrics");
    tp_json_object(json);
    for (int i = 0; i < TP_METRIC_COUNT; i++)
        member_real(json, tp_metrics[i].name, run->metrics[i].value);
    tp_json_object_end(json);
    tp_json_key(json, "unknown");
    tp_json_object(json);
    for (int i = 0; i < TP_METRIC_COUNT; i++)
        if (isnan(run->metrics[i].value))
            tp_json_member_text(json, tp_metrics[i].name, run->metrics[i].why ? run->metrics[i].why : "");
    tp_json_object_end(json);
    tp_json_object_end(json);
}

static void side_json(struct tp_json *json, const char *key, const struct tp_check_side *side, struct tp_arena *arena)
{
    tp_json_key(json, key);
    if (!side->name) {
        tp_json_null(json);
        return;
    }
    tp_json_object(json);
    tp_json_member_text(json, "name", side->name);
    tp_json_key(json, "profiles");
    tp_json_array(json);
    for (size_t i = 0; i < side->count; i++)
        run_json(json, &side->items[i], arena);
    tp_json_array_end(json);
    tp_json_object_end(json);
}

void tp_check_json(struct tp_buf *out, const struct tp_check *c, const struct tp_document *document)
{
    const struct tp_verdict_block *verdict = &tp_document_at(document, 0)->verdict;
    struct tp_json json;
    tp_json_init(&json, out);
    tp_json_object(&json);
    tp_json_member_text(&json, "schema", "tracepress-check");
    tp_json_member_int(&json, "schema_version", 1);
    tp_json_member_text(&json, "verdict", tp_check_status_text(c->verdict));
    tp_json_member_text(&json, "verdict_line",
                        tp_text_printf(document->arena, "%s: %s", verdict->class, verdict->headline));
    tp_json_member_bool(&json, "damaged", c->is_damaged);
    tp_json_member_text(&json, "sides", verdict->text);
    tp_json_key(&json, "counts");
    tp_json_object(&json);
    for (int i = 0; i < TP_CHECK_STATUS_COUNT; i++)
        tp_json_member_int(&json, tp_check_status_text((enum tp_check_status)i), (int64_t)c->counts[i]);
    tp_json_object_end(&json);
    tp_json_member_text(&json, "budget", c->input->budget->file);
    tp_json_key(&json, "comparability_score");
    if (c->input->base.count)
        tp_json_int(&json, c->score);
    else
        tp_json_null(&json);
    tp_json_key(&json, "items");
    tp_json_array(&json);
    for (size_t i = 0; i < c->count; i++)
        item_json(&json, &c->items[i]);
    tp_json_array_end(&json);
    side_json(&json, "run", &c->input->run, document->arena);
    side_json(&json, "baseline", &c->input->base, document->arena);
    tp_json_object_end(&json);
    tp_buf_putc(out, '\n');
}
