/* A comparison as JSON and as Markdown: see compare.h. */
#include <math.h>

#include "webreport/compare/compare.h"
#include "webreport/measure/evidence_json.h"
#include "writer/base/json_out.h"
#include "writer/text/format.h"
#include "writer/text/markdown_escape.h"

enum { MARKDOWN_ROWS = 20 };

/* ---- JSON ---- */

static void put_percent(struct tp_json *json, const char *key, double ratio)
{
    tp_json_member_real(json, key, isfinite(ratio) ? 100 * ratio : NAN);
}

static void put_side(struct tp_json *json, const struct tp_compare *c, int side)
{
    const struct tp_side *own = &c->sides.side[side];
    tp_json_key(json, side == TP_BASE ? "base" : "new");
    tp_json_object(json);
    tp_json_member_text(json, "name", c->names[side]);
    tp_json_member_int(json, "runs", own->input->run_count);
    tp_json_member_int(json, "steps", (int64_t)own->step_count);
    tp_json_key(json, "step_median_us");
    tp_json_real(json, c->step_ns[side] / 1000);
    tp_json_key(json, "step_mean_us");
    tp_json_real(json, own->total.mean / 1000);
    tp_json_object_end(json);
}

/* Of every run of each side. */
static void put_evidence(struct tp_json *json, const struct tp_compare *c)
{
    tp_json_key(json, "evidence");
    tp_json_object(json);
    for (int s = 0; s < TP_SIDES; s++) {
        const struct tp_side_input *side = c->sides.side[s].input;
        tp_json_key(json, s == TP_BASE ? "base" : "new");
        tp_json_array(json);
        for (uint32_t i = 0; i < side->run_count; i++) {
            tp_json_object(json);
            tp_json_member_str(json, "file", side->runs[i].file);
            tp_json_key(json, "evidence");
            tp_evidence_json(json, &side->runs[i].evidence, c->arena);
            tp_json_object_end(json);
        }
        tp_json_array_end(json);
    }
    tp_json_object_end(json);
}

static void put_verdict(struct tp_json *json, const struct tp_compare *c)
{
    tp_json_member_text(json, "verdict", tp_change_verdict_name(c->verdict));
    tp_json_member_text(json, "summary", tp_compare_verdict_text(c));
    tp_json_member_text(json, "damage", *c->damage ? c->damage : NULL);
    put_evidence(json, c);
    tp_json_key(json, "step_time");
    tp_json_object(json);
    tp_json_member_text(json, "verdict", tp_change_verdict_name(c->step_verdict));
    put_percent(json, "change_percent", c->step.estimate);
    put_percent(json, "low_percent", c->step.low);
    put_percent(json, "high_percent", c->step.high);
    tp_json_object_end(json);
    tp_json_member_text(json, "memory_verdict", tp_change_verdict_name(c->memory_verdict));
    put_percent(json, "confidence_percent", TP_CHANGE_CONFIDENCE);
    put_percent(json, "noise_floor_percent", c->noise_floor);
    put_percent(json, "threshold_percent", c->options.threshold);
    put_percent(json, "least_share_percent", TP_CHANGE_LEAST_SHARE);
    tp_json_key(json, "comparability");
    tp_json_object(json);
    tp_json_member_int(json, "score", c->comparability.score);
    tp_json_member_bool(json, "is_comparable", !c->comparability.is_low);
    tp_json_object_end(json);
    tp_json_key(json, "counts");
    tp_json_object(json);
    tp_json_member_int(json, "regressed", c->regressed_count);
    tp_json_member_int(json, "improved", c->improved_count);
    tp_json_member_int(json, "replaced", c->replaced_count);
    tp_json_member_int(json, "tested", c->changes.tested_count);
    tp_json_object_end(json);
}

static void put_ns(struct tp_json *json, const char *key, double ns)
{
    tp_json_member_us(json, key, (int64_t)llround(fmin(fmax(ns, -9e18), 9e18)));
}

static void put_tree(struct tp_json *json, const struct tp_difftree *tree)
{
    tp_json_key(json, "call_tree");
    tp_json_object(json);
    tp_json_member_text(json, "time", tree->has_device ? "device" : "host");
    tp_json_key(json, "calls");
    tp_json_array(json);
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct tp_diffcall *call = &tree->calls[i];
        tp_json_object(json);
        tp_json_member_int(json, "depth", call->depth);
        tp_json_member_str(json, "name", call->name);
        put_ns(json, "base_us", call->ns[TP_BASE]);
        put_ns(json, "new_us", call->ns[TP_NEW]);
        tp_json_member_real(json, "base_calls", call->calls[TP_BASE]);
        tp_json_member_real(json, "new_calls", call->calls[TP_NEW]);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
    tp_json_object_end(json);
}

void tp_compare_json_object(struct tp_json *json, const struct tp_compare *c)
{
    tp_json_object(json);
    tp_json_member_text(json, "schema", "tracepress-diff");
    tp_json_member_int(json, "schema_version", 1);
    put_verdict(json, c);
    for (int s = 0; s < TP_SIDES; s++)
        put_side(json, c, s);
    for (enum tp_compare_table i = 0; i < TP_COMPARE_TABLES; i++) {
        tp_json_key(json, tp_compare_table_key(i));
        tp_table_json(&c->tables[i], json);
    }
    put_tree(json, &c->tree);
    tp_json_object_end(json);
}

void tp_compare_json(struct tp_buf *out, const struct tp_compare *c)
{
    struct tp_json json;
    tp_json_init(&json, out);
    tp_compare_json_object(&json, c);
    tp_buf_putc(out, '\n');
}

/* ---- Markdown ---- */

static void put_text(struct tp_buf *out, const char *before, struct tp_str text, const char *behind)
{
    tp_buf_puts(out, before);
    tp_markdown_escape(out, text);
    tp_buf_puts(out, behind);
}

static void put_time(struct tp_buf *out, const struct tp_compare *c, int64_t ns, bool is_signed)
{
    tp_buf_printf(out, " %s%s |", is_signed && ns > 0 ? "+" : "", tp_text_of_time(c->arena, ns));
}

static void put_step(struct tp_buf *out, const struct tp_compare *c)
{
    const struct tp_table *t = &c->tables[TP_COMPARE_STEP];
    tp_buf_puts(out, "| Mean step | Base | New | Change |\n| --- | ---: | ---: | ---: |\n");
    for (size_t row = 0; row < t->row_count; row++) {
        put_text(out, "| ", tp_table_text(t, TP_PART_NAME)[row], " |");
        put_time(out, c, tp_table_int(t, TP_PART_BASE)[row], false);
        put_time(out, c, tp_table_int(t, TP_PART_NEW)[row], false);
        put_time(out, c, tp_table_int(t, TP_PART_CHANGE)[row], true);
        tp_buf_putc(out, '\n');
    }
}

static void put_changes(struct tp_buf *out, const struct tp_compare *c)
{
    const struct tp_table *t = &c->tables[TP_COMPARE_CHANGES];
    if (!t->row_count) {
        tp_buf_printf(out, "\n%s\n", tp_compare_nothing_text(c));
        return;
    }
    tp_buf_puts(out, "\n| Verdict | What | Name | In | Base | New | Change | Calls |\n"
                     "| --- | --- | --- | --- | ---: | ---: | ---: | ---: |\n");
    for (size_t row = 0; row < t->row_count && row < MARKDOWN_ROWS; row++) {
        struct tp_str shape = tp_table_text(t, TP_ROW_SHAPE)[row], owner = tp_table_text(t, TP_ROW_OWNER)[row];
        struct tp_str match = tp_table_text(t, TP_ROW_MATCH)[row];
        put_text(out, "| ", tp_table_text(t, TP_ROW_VERDICT)[row], " | ");
        if (!tp_str_equal(match, TP_STR("same")))
            put_text(out, "", match, " ");
        put_text(out, "", tp_table_text(t, TP_ROW_KIND)[row], " | ");
        put_text(out, "", tp_table_text(t, TP_ROW_NAME)[row], " | ");
        put_text(out, "", owner, owner.len && shape.len ? ", " : "");
        put_text(out, "", shape, " |");
        put_time(out, c, tp_table_int(t, TP_ROW_BASE_TIME)[row], false);
        put_time(out, c, tp_table_int(t, TP_ROW_NEW_TIME)[row], false);
        put_time(out, c, tp_table_int(t, TP_ROW_CHANGE)[row], true);
        tp_buf_printf(out, " %s \xe2\x86\x92 %s |\n",
                      tp_text_of_fixed(c->arena, tp_table_real(t, TP_ROW_BASE_CALLS)[row], 1),
                      tp_text_of_fixed(c->arena, tp_table_real(t, TP_ROW_NEW_CALLS)[row], 1));
    }
    if (t->row_count > MARKDOWN_ROWS)
        tp_buf_printf(out, "\n%zu more rows changed.\n", t->row_count - MARKDOWN_ROWS);
}

static void put_memory(struct tp_buf *out, const struct tp_compare *c)
{
    const struct tp_table *t = &c->tables[TP_COMPARE_MEMORY];
    if (!t->row_count)
        return;
    tp_buf_puts(out, "\n| Peak memory | Base | New | Change | Verdict |\n| --- | ---: | ---: | ---: | --- |\n");
    for (size_t row = 0; row < t->row_count; row++) {
        put_text(out, "| ", tp_table_text(t, TP_MEMORY_DIFF_DEVICE)[row], " |");
        for (unsigned column = TP_MEMORY_DIFF_BASE; column <= TP_MEMORY_DIFF_CHANGE; column++)
            tp_buf_printf(out, " %s |", tp_text_of_bytes(c->arena, tp_table_int(t, column)[row]));
        put_text(out, " ", tp_table_text(t, TP_MEMORY_DIFF_VERDICT)[row], " |\n");
    }
}

/* Who holds what came or went, where a device changed. */
static void put_owners(struct tp_buf *out, const struct tp_compare *c)
{
    const struct tp_table *t = &c->tables[TP_COMPARE_OWNERS];
    const char *before = "\n";
    size_t left = MARKDOWN_ROWS;
    for (size_t row = 0; row < t->row_count && left; row++) {
        struct tp_str name = tp_table_text(t, TP_OWNER_DIFF_NAME)[row];
        int64_t change = tp_table_int(t, TP_OWNER_DIFF_CHANGE)[row];
        if (tp_str_equal(tp_table_text(t, TP_OWNER_DIFF_VERDICT)[row], TP_STR("neutral")) || !name.len)
            continue;
        left--;
        tp_buf_printf(out, "%s- memory: %s%s by ", before, change > 0 ? "+" : "", tp_text_of_bytes(c->arena, change));
        before = "";
        put_text(out, "", tp_table_text(t, TP_OWNER_DIFF_KIND)[row], " ");
        put_text(out, "", name, "\n");
    }
}

static void put_findings(struct tp_buf *out, const struct tp_compare *c)
{
    const struct tp_table *t = &c->tables[TP_COMPARE_FINDINGS];
    const char *before = "\n";
    for (size_t row = 0; row < t->row_count; row++) {
        struct tp_str status = tp_table_text(t, TP_FINDING_DIFF_STATUS)[row];
        struct tp_str line = tp_table_text(t, TP_FINDING_DIFF_LINE)[row];
        if (tp_str_equal(status, TP_STR("both")))
            continue;
        tp_buf_puts(out, before);
        before = "";
        put_text(out, "- finding ", status, ": ");
        put_text(out, "", tp_table_text(t, TP_FINDING_DIFF_TITLE)[row], line.len ? ", " : "");
        put_text(out, "", line, "\n");
    }
}

static void put_facts(struct tp_buf *out, const struct tp_compare *c)
{
    const struct tp_comparability *facts = &c->comparability;
    for (uint32_t i = 0; i < facts->fact_count; i++) {
        const struct tp_fact_pair *fact = &facts->facts[i];
        if (fact->verdict != TP_FACT_DIFFERS)
            continue;
        put_text(out, "- differs: ", fact->name, ": ");
        put_text(out, "", fact->values[TP_BASE], " \xe2\x86\x92 ");
        put_text(out, "", fact->values[TP_NEW], "\n");
    }
}

void tp_compare_markdown(struct tp_buf *out, const struct tp_compare *c)
{
    put_text(out, "### ", tp_str_of(tp_compare_verdict_text(c)), "\n\n");
    put_text(out, "", tp_str_of(c->names[TP_BASE]), " \xe2\x86\x92 ");
    put_text(out, "", tp_str_of(c->names[TP_NEW]), ". ");
    put_text(out, "", tp_str_of(tp_compare_facts_text(c)), ".\n\n");
    put_facts(out, c);
    if (c->comparability.counts[TP_FACT_DIFFERS])
        tp_buf_putc(out, '\n');
    put_step(out, c);
    put_changes(out, c);
    put_memory(out, c);
    put_owners(out, c);
    put_findings(out, c);
}
