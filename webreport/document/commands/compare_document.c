/* Makes the document of a comparison. See compare_document.h. */
#include "webreport/document/commands/compare_document.h"
#include "webreport/document/commands/compare_parts.h"
#include "webreport/document/commands/compare_program.h"

#include <math.h>
#include <string.h>

#include "webreport/document/commands/compare_words.h"
#include "webreport/document/section.h"
#include "webreport/document/section_verdict.h"
#include "writer/text/format.h"

enum { MOST_OWNERS = 20 };

/* ---- the sides ---- */

static const char *comparability_text(const struct tp_compare_wording *w)
{
    static const char *const texts[] = {"the same workload", "it is unknown whether the workload is the same",
                                        "another workload"};
    return texts[w->c->comparability.workload];
}

static struct tp_str title_of_side(const struct tp_compare_wording *w, int side)
{
    bool is_trace = w->pictures && w->pictures[side].is_present && w->c->sides.side[side].input->is_one_trace;
    return is_trace ? tp_str_of(w->pictures[side].title) : tp_shown_text(w->naming, tp_str_of(w->c->names[side]));
}

static void put_title(const struct tp_compare_wording *w)
{
    struct tp_str base = title_of_side(w, TP_BASE), new_name = title_of_side(w, TP_NEW);
    if (tp_str_equal(base, new_name)) {
        base = tp_shown_text(w->naming, tp_str_of(w->c->names[TP_BASE]));
        new_name = tp_shown_text(w->naming, tp_str_of(w->c->names[TP_NEW]));
    }
    tp_document_add_title(w->document,
                          &(struct tp_title_block){tp_text_printf(w->arena, "%.*s against %.*s", (int)new_name.len,
                                                                  new_name.ptr, (int)base.len, base.ptr),
                                                   "diff", "Changes"});
}

static void put_names_of_sides(const struct tp_compare_wording *w)
{
    for (int s = 0; s < TP_SIDES; s++) {
        const struct tp_side *side = &w->c->sides.side[s];
        tp_document_add_fact(
            w->document, s == TP_BASE ? "base" : "new",
            tp_text_printf(w->arena, "%s, %s", tp_text_of_counted_noun(w->arena, side->input->run_count, "run", "runs"),
                           tp_text_of_counted_noun(w->arena, (int64_t)side->step_count, "step", "steps")));
    }
}

/* Adds the kinds of data that the comparison leaves out, because the profiler of one side does not record them. */
static void put_left_out_data(const struct tp_compare_wording *w)
{
    const char *text = tp_compare_left_out_text(w->c, w->arena);
    if (*text)
        tp_document_add_fact(w->document, "not compared", text);
}

static void put_differing_facts(const struct tp_compare_wording *w)
{
    const struct tp_comparability *facts = &w->c->comparability;
    bool has_any = false;
    for (uint32_t i = 0; i < facts->fact_count; i++)
        has_any |= facts->facts[i].verdict == TP_FACT_DIFFERS && facts->facts[i].class != TP_FACT_RESULT;
    if (!has_any)
        return;
    tp_document_add_notice(w->document, facts->is_not_comparable ? TP_TONE_BAD : TP_TONE_UNSURE,
                           facts->workload == TP_WORKLOAD_OTHER ? "The workload differs, so times get no verdict"
                           : facts->is_not_comparable           ? "The workload may differ, so times get no verdict"
                                                      : "The two sides differ slightly, but they can be compared",
                           "");
    for (uint32_t i = 0; i < facts->fact_count; i++) {
        const struct tp_fact_pair *fact = &facts->facts[i];
        if (fact->verdict != TP_FACT_DIFFERS || fact->class == TP_FACT_RESULT)
            continue;
        struct tp_str base = tp_text_shorten(w->arena, tp_shown_text(w->naming, fact->values[TP_BASE]), 200);
        struct tp_str new_value = tp_text_shorten(w->arena, tp_shown_text(w->naming, fact->values[TP_NEW]), 200);
        tp_document_add_notice_point(w->document, tp_text_printf(w->arena, "%.*s: %.*s \xe2\x86\x92 %.*s",
                                                                 (int)fact->name.len, fact->name.ptr, (int)base.len,
                                                                 base.ptr, (int)new_value.len, new_value.ptr));
    }
}

static void put_comparison_figure(const struct tp_compare_wording *w, const char *label, const char *value,
                                  const char *unit, const char *note)
{
    tp_document_add_figure(w->document, &(struct tp_figure_block){
                                            .label = label, .value = value, .unit = unit, .note = note, .meter = NAN});
}

/* Returns a duration without its unit, and sets *unit. */
static const char *split_unit(const struct tp_compare_wording *w, const char *text, const char **unit)
{
    const char *space = strrchr(text, ' ');
    *unit = space ? space + 1 : "";
    return space ? tp_arena_copy(w->arena, text, (size_t)(space - text)) : text;
}

static const char *rows_note(const struct tp_compare_wording *w)
{
    const struct {
        uint32_t count;
        const char *word;
    } counts[] = {
        {w->c->regressed_count, "slower"}, {w->c->improved_count, "faster"}, {w->c->replaced_count, "replaced"}};
    const char *text = "";
    for (unsigned i = 0; i < 3; i++)
        if (counts[i].count)
            text = tp_text_printf(w->arena, "%s%s%u %s", text, *text ? ", " : "", counts[i].count, counts[i].word);
    return text;
}

static void put_step_figures(const struct tp_compare_wording *w)
{
    const struct tp_compare *c = w->c;
    double base = c->sides.side[TP_BASE].total_ns, now = c->sides.side[TP_NEW].total_ns;
    const char *unit, *value;
    if (!isnan(base) && !isnan(now)) {
        value = split_unit(w, tp_signed_time_text(w->arena, llround(now - base)), &unit);
        put_comparison_figure(
            w, "Mean step", value, unit,
            tp_text_printf(w->arena, "%s %%", tp_signed_percent_text(w->arena, 100 * (now - base) / base)));
    }
    if (!isnan(c->step_ns[TP_BASE]) && !isnan(c->step_ns[TP_NEW])) {
        value = split_unit(w, tp_text_of_time(w->arena, llround(c->step_ns[TP_NEW])), &unit);
        put_comparison_figure(
            w, "Median step", value, unit,
            tp_text_printf(w->arena, "was %s", tp_text_of_time(w->arena, llround(c->step_ns[TP_BASE]))));
    }
}

static void put_comparison_figures(const struct tp_compare_wording *w)
{
    const struct tp_compare *c = w->c;
    const struct tp_table *memory = &c->tables[TP_COMPARE_MEMORY];
    const struct tp_run_change *step = &c->totals[TP_QUANTITY_STEP].change;
    if (!tp_compare_is_between_programs(c))
        put_step_figures(w);
    if (!c->is_open)
        put_comparison_figure(w, "Changed rows",
                              tp_text_of_count(w->arena, c->regressed_count + c->improved_count + c->replaced_count),
                              "", rows_note(w));
    if (memory->row_count) {
        const char *unit,
            *value = split_unit(
                w, tp_signed_bytes_text(w->arena, tp_table_int(memory, TP_MEMORY_DIFF_CHANGE)[memory->row_count - 1]),
                &unit);
        put_comparison_figure(w, "Memory peak", value, unit, tp_change_verdict_name(c->memory_verdict));
    }
    put_comparison_figure(w, "Work of a step", tp_compare_work_figure(c, w->arena), "", "");
    if (!isnan(step->detectable))
        put_comparison_figure(w, "Detectable", tp_text_of_fixed(w->arena, 100 * step->detectable, 1), "%",
                              "of a step or more");
}

/* ---- changes ---- */

static const char *calls_text(struct tp_arena *arena, double calls)
{
    return tp_text_of_fixed(arena, calls, calls == round(calls) ? 0 : 1);
}

static const char *call_or_calls(double calls)
{
    return calls == 1 ? "call" : "calls";
}

/* Returns the number of calls on both sides and how it changes the time, such as "10 → 11 calls a step: +75.0 µs by
 * count, +7.0 µs by time"; NULL if calls are not counted. */
static const char *call_count_change_line(const struct tp_compare_wording *w, const struct tp_table *t, size_t row)
{
    double base = tp_table_real(t, TP_ROW_BASE_CALLS)[row], new_calls = tp_table_real(t, TP_ROW_NEW_CALLS)[row];
    if (isnan(base))
        return NULL;
    if (base == new_calls)
        return tp_text_printf(w->arena, "%s %s per step, %s \xe2\x86\x92 %s per call", calls_text(w->arena, base),
                              call_or_calls(base), tp_text_of_time(w->arena, tp_table_int(t, TP_ROW_BASE_CALL)[row]),
                              tp_text_of_time(w->arena, tp_table_int(t, TP_ROW_NEW_CALL)[row]));
    return tp_text_printf(w->arena,
                          "%s \xe2\x86\x92 %s %s per step: %s by the number of calls, %s by the time per call",
                          calls_text(w->arena, base), calls_text(w->arena, new_calls), call_or_calls(new_calls),
                          tp_signed_time_text(w->arena, tp_table_int(t, TP_ROW_BY_COUNT)[row]),
                          tp_signed_time_text(w->arena, tp_table_int(t, TP_ROW_BY_TIME)[row]));
}

/* Returns the operator and shapes of a row, such as "in aten::addmm, [[1000], [64, 512]]"; NULL if both are unknown. */
static const char *operator_and_shapes_line(const struct tp_compare_wording *w, const struct tp_table *t, size_t row)
{
    struct tp_str owner = tp_shown_text(w->naming, tp_table_text(t, TP_ROW_OWNER)[row]);
    struct tp_str shape = tp_shown_text(w->naming, tp_table_text(t, TP_ROW_SHAPE)[row]);
    if (!owner.len && !shape.len)
        return NULL;
    return tp_text_printf(w->arena, "%s%.*s%s%.*s", owner.len ? "in " : "", (int)owner.len, owner.ptr,
                          !shape.len  ? ""
                          : owner.len ? ", "
                                      : "at ",
                          (int)shape.len, shape.ptr);
}

/* Returns the source line of a kernel or copy, such as "at train.py(7): step"; NULL if it is unknown or part of the
 * row's name. */
static const char *source_line(const struct tp_compare_wording *w, const struct tp_table *t, size_t row)
{
    struct tp_str line = tp_table_text(t, TP_ROW_LINE)[row];
    if (!line.len || tp_compare_is_named_by_line(w->c, t, row))
        return NULL;
    line = tp_shown_text(w->naming, line);
    return tp_text_printf(w->arena, "at %.*s", (int)line.len, line.ptr);
}

static enum tp_tone verdict_tone(struct tp_str verdict)
{
    return tp_str_equal(verdict, TP_STR("regressed"))  ? TP_TONE_BAD
           : tp_str_equal(verdict, TP_STR("improved")) ? TP_TONE_GOOD
                                                       : TP_TONE_PLAIN;
}

/* Returns the number of samples of a function, such as "91 \u2192 185 samples a run; the change: +189 to +834 ms (99
 * %)". */
static const char *sample_count_line(const struct tp_compare_wording *w, size_t row)
{
    const struct tp_table *t = &w->c->tables[TP_COMPARE_CHANGES];
    return tp_text_printf(w->arena, "%s \xe2\x86\x92 %s samples per run; the change is %s to %s (99 %% interval)",
                          calls_text(w->arena, tp_table_real(t, TP_ROW_BASE_CALLS)[row]),
                          calls_text(w->arena, tp_table_real(t, TP_ROW_NEW_CALLS)[row]),
                          tp_signed_time_text(w->arena, tp_table_int(t, TP_ROW_LOW)[row]),
                          tp_signed_time_text(w->arena, tp_table_int(t, TP_ROW_HIGH)[row]));
}

static void fill_change(struct tp_finding_block *finding, const struct tp_compare_wording *w, size_t row)
{
    const struct tp_table *t = &w->c->tables[TP_COMPARE_CHANGES];
    struct tp_str match = tp_table_text(t, TP_ROW_MATCH)[row], verdict = tp_table_text(t, TP_ROW_VERDICT)[row];
    struct tp_str kind = tp_table_text(t, TP_ROW_KIND)[row], was = tp_table_text(t, TP_ROW_BASE_NAME)[row];
    struct tp_str name = tp_compare_row_name(w->c, w->naming, t, row);
    bool is_same = tp_str_equal(match, TP_STR("same"));
    unsigned count = 0;
    *finding = (struct tp_finding_block){
        .tone = verdict_tone(verdict),
        .status = tp_str_equal(verdict, TP_STR("neutral"))
                      ? "replaced"
                      : tp_text_printf(w->arena, "%.*s", (int)verdict.len, verdict.ptr),
        .title = tp_text_printf(w->arena, "%.*s%s%.*s: %.*s", is_same ? 0 : (int)match.len, match.ptr,
                                is_same ? "" : " ", (int)kind.len, kind.ptr, (int)name.len, name.ptr),
        .base = tp_text_of_time(w->arena, tp_table_int(t, TP_ROW_BASE_TIME)[row]),
        .value = tp_text_of_time(w->arena, tp_table_int(t, TP_ROW_NEW_TIME)[row]),
        .change = tp_signed_time_text(w->arena, tp_table_int(t, TP_ROW_CHANGE)[row])};
    finding->amounts = tp_text_printf(w->arena, "%s \xe2\x86\x92 %s per step, %s (%s %% of the step time)",
                                      finding->base, finding->value, finding->change,
                                      tp_signed_percent_text(w->arena, tp_table_real(t, TP_ROW_SHARE)[row]));
    if (was.ptr) {
        was = tp_shown_text(w->naming, was);
        finding->reasons[count++] = tp_text_printf(w->arena, "was %.*s", (int)was.len, was.ptr);
    }
    bool is_function = tp_compare_is_between_programs(w->c);
    if (is_function)
        finding->amounts = tp_text_printf(w->arena, "%s \xe2\x86\x92 %s of CPU time per run, %s", finding->base,
                                          finding->value, finding->change);
    const char *const lines[] = {operator_and_shapes_line(w, t, row), source_line(w, t, row),
                                 is_function ? sample_count_line(w, row) : call_count_change_line(w, t, row)};
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        if (lines[i])
            finding->reasons[count++] = lines[i];
}

/* Returns the rows that differ most, such as "gemm 8\u00d78 +10.8 \u00b5s; relu +2.0 \u00b5s", or "". The document
 * shows this text if no row has a certain change. */
static const char *largest_differences_text(const struct tp_compare_wording *w)
{
    enum { SHOWN = 3 };
    static const enum tp_compare_table order[] = {TP_COMPARE_KERNELS, TP_COMPARE_OPERATORS_HOST};
    const struct tp_table *t = &w->c->tables[order[!w->c->tables[order[0]].row_count]];
    const char *text = "";
    for (size_t row = 0; row < t->row_count && row < SHOWN; row++) {
        int64_t change = tp_table_int(t, TP_ROW_CHANGE)[row];
        struct tp_str name = tp_kernel_short_name(w->arena, tp_table_text(t, TP_ROW_NAME)[row]);
        struct tp_str shape = tp_shapes_text(w->arena, tp_table_text(t, TP_ROW_SHAPE)[row]);
        name = tp_shown_text(w->naming, name);
        if (change && change != TP_NULL_INT)
            text =
                tp_text_printf(w->arena, "%s%s%.*s%s%.*s %s", text, *text ? "; " : "", (int)name.len, name.ptr,
                               shape.len ? " " : "", (int)shape.len, shape.ptr, tp_signed_time_text(w->arena, change));
    }
    return text;
}

/* Returns whether a time total changed: kernels, host operators or the step. */
static bool has_changed_total(const struct tp_compare *c)
{
    for (unsigned i = 0; i < TP_QUANTITIES; i++)
        if (c->totals[i].verdict == TP_CHANGE_REGRESSED || c->totals[i].verdict == TP_CHANGE_IMPROVED)
            return true;
    return false;
}

/* Returns the sentence for a comparison in which no change of a row is certain. The verdict can still report a change
 * of a total, of work or of memory. */
static const char *no_change_text(const struct tp_compare_wording *w)
{
    static const char *const texts[] = {
        [TP_WORK_CHANGED_NOTHING] = "These runs show no significant change.",
        [TP_WORK_CHANGED_TIMES] = "These runs show no other significant change of a time.",
        [TP_WORK_CHANGED_FUNCTIONS] = "These runs show no other significant change of a time.",
        [TP_WORK_CHANGED_OTHER] = "These runs show no significant change of a time.",
    };
    const struct tp_compare *c = w->c;
    if (c->is_data_unknown)
        return "The inputs show different data, so tracepress does not report which times changed.";
    if (*c->damage)
        return "An input is damaged, so tracepress does not report which times changed.";
    if (c->is_open)
        return "The times of these runs get no verdict.";
    if (c->verdict == TP_CHANGE_INCONCLUSIVE)
        return "These runs are too few, too short or too noisy to show which times changed.";
    if (has_changed_total(c)) {
        const char *largest = largest_differences_text(w);
        return tp_text_printf(w->arena, "No single kernel or operator shows a significant change%s%s.",
                              *largest ? "; the largest differences per step: " : "", largest);
    }
    return c->verdict == TP_CHANGE_NEUTRAL ? texts[tp_compare_work_change_kinds(c)] : texts[TP_WORK_CHANGED_OTHER];
}

/* Returns the heading of the list of rows. The heading must not state more than the verdicts of the rows. */
static const char *changes_heading(const struct tp_compare *c)
{
    if (c->is_open)
        return "Rows that differ (without verdict)";
    return c->hint_count && !(c->regressed_count + c->improved_count + c->replaced_count)
               ? "Times that may have changed"
               : tp_compare_table_title(TP_COMPARE_CHANGES);
}

static void put_changes(const struct tp_compare_wording *w)
{
    size_t count = w->c->tables[TP_COMPARE_CHANGES].row_count;
    struct tp_findings_block list = {.heading = changes_heading(w->c),
                                     .title_column_title = "What changed",
                                     .base_title = "Base",
                                     .value_title = "New",
                                     .change_title = "Change",
                                     .count = count,
                                     .shown = count,
                                     .open_count = count,
                                     .more = "; --row-limit -1 shows all"};
    if (!count) {
        tp_document_add_note(w->document, no_change_text(w));
        return;
    }
    list.items = tp_arena_array(w->arena, count, sizeof *list.items);
    for (size_t row = 0; row < count; row++)
        fill_change(&list.items[row], w, row);
    tp_document_add_findings(w->document, &list);
}

/* ---- memory and findings in short outputs ---- */

static void put_device_figure(const struct tp_compare_wording *w, size_t row)
{
    const struct tp_table *t = &w->c->tables[TP_COMPARE_MEMORY], *owners = &w->c->tables[TP_COMPARE_OWNERS];
    struct tp_str device = tp_table_text(t, TP_MEMORY_DIFF_DEVICE)[row];
    struct tp_str verdict = tp_table_text(t, TP_MEMORY_DIFF_VERDICT)[row];
    if (tp_str_equal(verdict, TP_STR("neutral")))
        return;
    tp_document_add_heading(
        w->document, tp_text_printf(w->arena, "Memory of %.*s: %.*s, peak %s \xe2\x86\x92 %s (%s)", (int)device.len,
                                    device.ptr, (int)verdict.len, verdict.ptr,
                                    tp_text_of_bytes(w->arena, tp_table_int(t, TP_MEMORY_DIFF_BASE)[row]),
                                    tp_text_of_bytes(w->arena, tp_table_int(t, TP_MEMORY_DIFF_NEW)[row]),
                                    tp_signed_bytes_text(w->arena, tp_table_int(t, TP_MEMORY_DIFF_CHANGE)[row])));
    for (size_t i = 0, left = MOST_OWNERS; i < owners->row_count && left; i++) {
        struct tp_str kind = tp_table_text(owners, TP_OWNER_DIFF_KIND)[i];
        struct tp_str name = tp_shown_text(w->naming, tp_table_text(owners, TP_OWNER_DIFF_NAME)[i]);
        if (!tp_str_equal(tp_table_text(owners, TP_OWNER_DIFF_DEVICE)[i], device) || !name.len ||
            tp_str_equal(tp_table_text(owners, TP_OWNER_DIFF_VERDICT)[i], TP_STR("neutral")))
            continue;
        left--;
        tp_document_add_point(
            w->document, tp_text_printf(w->arena, "%s by %.*s %.*s",
                                        tp_signed_bytes_text(w->arena, tp_table_int(owners, TP_OWNER_DIFF_CHANGE)[i]),
                                        (int)kind.len, kind.ptr, (int)name.len, name.ptr));
    }
}

static void put_findings(const struct tp_compare_wording *w)
{
    const struct tp_table *t = &w->c->tables[TP_COMPARE_FINDINGS];
    bool has_head = false;
    for (size_t row = 0; row < t->row_count; row++) {
        struct tp_str status = tp_table_text(t, TP_FINDING_DIFF_STATUS)[row];
        struct tp_str title = tp_table_text(t, TP_FINDING_DIFF_TITLE)[row];
        struct tp_str line = tp_shown_text(w->naming, tp_table_text(t, TP_FINDING_DIFF_LINE)[row]);
        if (tp_str_equal(status, TP_STR("both")))
            continue;
        if (!has_head)
            tp_document_add_heading(w->document, tp_compare_table_title(TP_COMPARE_FINDINGS));
        has_head = true;
        tp_document_add_point(w->document,
                              tp_text_printf(w->arena, "%.*s: %.*s%s%.*s", (int)status.len, status.ptr, (int)title.len,
                                             title.ptr, line.len ? ", " : "", (int)line.len, line.ptr));
    }
}

/* Adds the rates of a serving engine to output formats without sections. */
static void put_serving(const struct tp_compare_wording *w)
{
    if (!w->c->tables[TP_COMPARE_SERVING].row_count)
        return;
    tp_document_add_note(w->document, tp_compare_serving_text(w->c, w->arena));
    tp_document_add_table(w->document, tp_compare_shown_table(w->c, w->naming, TP_COMPARE_SERVING, w->max_rows), NULL);
}

/* ---- the whole document ---- */

/* Adds the answer: headline, figures, waterfall, the steps of both traces, and what to do next. */
static void put_answer(const struct tp_compare_wording *w)
{
    struct tp_document *document = w->document;
    struct tp_verdict_block verdict = tp_compare_verdict(w->c, w->arena);
    /* the title is not shown on terminals, where the verdict replaces it */
    document->places = TP_IN_PAGES | TP_IN_MARKDOWN;
    put_title(w);
    document->places = TP_EVERYWHERE;
    tp_document_add_verdict(document, &verdict);
    document->places = TP_IN_TEXT | TP_IN_MARKDOWN;
    tp_document_add_note(document, tp_compare_statistics_text(w->c, w->arena));
    document->places = TP_EVERYWHERE;
    put_names_of_sides(w);
    put_left_out_data(w);
    document->places = TP_IN_TEXT | TP_IN_MARKDOWN;
    tp_document_add_fact(document, comparability_text(w), tp_compare_facts_text(w));
    tp_compare_put_verdicts_of_sides(w);
    document->places = TP_EVERYWHERE;
    put_differing_facts(w);
    if (!tp_compare_is_between_programs(w->c))
        tp_document_add_chart(document, "waterfall", tp_compare_waterfall_data(w->c, w->arena),
                              tp_compare_shown_table(w->c, w->naming, TP_COMPARE_STEP, w->max_rows));
    document->places = TP_IN_PAGES;
    tp_document_add_chart(document, "strips", tp_compare_strips_data(w->pictures, w->arena), NULL);
    put_comparison_figures(w);
    if (w->pictures && w->pictures[TP_NEW].is_present && w->pictures[TP_NEW].findings.count)
        tp_document_add_findings(document, &w->pictures[TP_NEW].findings);
    document->places = TP_EVERYWHERE;
}

void tp_compare_document(struct tp_document *document, const struct tp_compare_shown *shown)
{
    const struct tp_compare *compare = shown->compare;
    struct tp_compare_wording w = {document,        compare,        shown->naming, shown->naming->arena,
                                   shown->max_rows, shown->pictures};
    struct tp_verdict_block verdict = tp_compare_verdict(compare, w.arena);
    tp_document_init(document, "Comparison", w.arena);
    tp_compare_fill_record(document, compare, &verdict);
    put_answer(&w);
    document->places = TP_IN_TEXT | TP_IN_MARKDOWN;
    tp_compare_put_work(document, compare, w.naming);
    put_changes(&w);
    put_serving(&w);
    for (size_t row = 0; row < compare->tables[TP_COMPARE_MEMORY].row_count; row++)
        put_device_figure(&w, row);
    put_findings(&w);
    document->places = TP_IN_PAGES | TP_IN_DETAILED_TEXT;
    tp_compare_put_parts(&w);
    document->places = TP_IN_PAGES;
    tp_compare_put_method(&w);
    document->places = TP_EVERYWHERE;
}
