/* Makes the document of a comparison. See compare_document.h. */
#include "webreport/document/commands/compare_document.h"
#include "webreport/document/commands/compare_parts.h"
#include "webreport/document/commands/compare_program.h"

#include <math.h>

#include "webreport/document/commands/compare_words.h"
#include "webreport/document/section.h"
#include "webreport/document/section_verdict.h"
#include "writer/text/format.h"

enum { MOST_OWNERS = 20 };

/* Input and output of the functions that make parts of the document. */
struct wording {
    struct tp_document *document;
    const struct tp_compare *c;
    const struct tp_naming *naming;
    struct tp_arena *arena;
    size_t max_rows;
};

/* ---- the sides ---- */

static const char *comparable_facts_text(const struct wording *w)
{
    const struct tp_comparability *facts = &w->c->comparability;
    uint32_t differ = facts->counts[TP_FACT_DIFFERS];
    return tp_text_printf(w->arena, "%s the same, %u %s, and %u %s unknown",
                          tp_text_of_counted_noun(w->arena, facts->counts[TP_FACT_SAME], "fact is", "facts are"),
                          differ, differ == 1 ? "differs" : "differ", facts->counts[TP_FACT_UNKNOWN],
                          facts->counts[TP_FACT_UNKNOWN] == 1 ? "is" : "are");
}

static const char *comparability_text(const struct wording *w)
{
    static const char *const texts[] = {"the same workload", "it is unknown whether the workload is the same",
                                        "another workload"};
    return texts[w->c->comparability.workload];
}

static void put_title(const struct wording *w)
{
    struct tp_str base = tp_shown_text(w->naming, tp_str_of(w->c->names[TP_BASE]));
    struct tp_str new_name = tp_shown_text(w->naming, tp_str_of(w->c->names[TP_NEW]));
    tp_document_add_title(w->document,
                          &(struct tp_title_block){tp_text_printf(w->arena, "%.*s against %.*s", (int)new_name.len,
                                                                  new_name.ptr, (int)base.len, base.ptr),
                                                   "diff", "Changes"});
}

static void put_names_of_sides(const struct wording *w)
{
    for (int s = 0; s < TP_SIDES; s++) {
        const struct tp_side *side = &w->c->sides.side[s];
        tp_document_add_fact(
            w->document, s == TP_BASE ? "base" : "new",
            tp_text_printf(w->arena, "%s, %s", tp_text_of_counted_noun(w->arena, side->input->run_count, "run", "runs"),
                           tp_text_of_counted_noun(w->arena, (int64_t)side->step_count, "step", "steps")));
    }
}

/* Returns the verdict classes of a side's runs in their order, such as "Launch-bound (2 runs), Balanced (1 run)", or
 * "". */
static const char *classes_text(const struct wording *w, const struct tp_side_input *side)
{
    const char *text = "";
    for (uint32_t i = 0; i < side->run_count; i++) {
        struct tp_str class = side->runs[i].verdict;
        uint32_t before = 0, count = 0;
        for (uint32_t k = 0; k < side->run_count; k++) {
            bool is_same = tp_str_equal(side->runs[k].verdict, class);
            before += is_same && k < i;
            count += is_same;
        }
        if (class.len && !before)
            text = tp_text_printf(w->arena, "%s%s%s (%s)", text, *text ? ", " : "",
                                  tp_stored_verdict_block(w->naming, class, TP_STR("")).class,
                                  tp_text_of_counted_noun(w->arena, count, "run", "runs"));
    }
    return text;
}

/* Adds the verdict of each side. */
static void put_verdicts_of_sides(const struct wording *w)
{
    for (int s = 0; s < TP_SIDES; s++) {
        const struct tp_side_input *side = w->c->sides.side[s].input;
        const char *text = side->run_count > 1 ? classes_text(w, side) : "";
        if (side->run_count == 1 && side->runs[0].verdict.len) {
            struct tp_verdict_block verdict =
                tp_stored_verdict_block(w->naming, side->runs[0].verdict, side->runs[0].headline);
            text = tp_text_printf(w->arena, "%s. %s", verdict.class, verdict.headline);
        }
        if (*text)
            tp_document_add_note(w->document, tp_text_printf(w->arena, "%s: %s", s == TP_BASE ? "base" : "new", text));
    }
}

static void put_differing_facts(const struct wording *w)
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

static void put_comparison_figure(const struct wording *w, const char *label, const char *value, const char *unit,
                                  const char *note)
{
    tp_document_add_figure(w->document, &(struct tp_figure_block){
                                            .label = label, .value = value, .unit = unit, .note = note, .meter = NAN});
}

/* Adds a figure with a number of rows. The number is unknown, not 0, if the sides are not comparable. */
static void put_rows_figure(const struct wording *w, const char *label, uint32_t count, const char *unit,
                            const char *note)
{
    if (w->c->is_open)
        put_comparison_figure(w, label, "\xe2\x80\x93", "", "no verdict on these rows");
    else
        put_comparison_figure(w, label, tp_text_of_count(w->arena, count), unit, note);
}

static void put_comparison_figures(const struct wording *w)
{
    const struct tp_compare *c = w->c;
    const struct tp_table *memory = &c->tables[TP_COMPARE_MEMORY];
    int64_t peak_change =
        memory->row_count ? tp_table_int(memory, TP_MEMORY_DIFF_CHANGE)[memory->row_count - 1] : TP_NULL_INT;
    const struct tp_run_change *step = &c->totals[TP_QUANTITY_STEP].change;
    put_comparison_figure(w, "Step time", tp_signed_percent_text(w->arena, 100 * step->estimate), "%",
                          tp_interval_text(step, w->arena));
    put_rows_figure(w, "Regressed", c->regressed_count, "rows", "slower, or called more often");
    put_rows_figure(w, "Improved", c->improved_count, "rows", "faster, or called less often");
    put_rows_figure(w, "Replaced", c->replaced_count, "kernels", "replaced by another kernel, equally fast");
    put_comparison_figure(w, "Memory peak", tp_signed_bytes_text(w->arena, peak_change), "",
                          tp_change_verdict_name(c->memory_verdict));
    put_comparison_figure(w, "Work", tp_compare_work_figure(c, w->arena), "",
                          "changes of the operators, copies and waits in a step");
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
static const char *call_count_change_line(const struct wording *w, const struct tp_table *t, size_t row)
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
static const char *operator_and_shapes_line(const struct wording *w, const struct tp_table *t, size_t row)
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

static enum tp_tone verdict_tone(struct tp_str verdict)
{
    return tp_str_equal(verdict, TP_STR("regressed"))  ? TP_TONE_BAD
           : tp_str_equal(verdict, TP_STR("improved")) ? TP_TONE_GOOD
                                                       : TP_TONE_PLAIN;
}

/* Returns the number of samples of a function, such as "91 \u2192 185 samples a run; the change: +189 to +834 ms (99
 * %)". */
static const char *sample_count_line(const struct wording *w, size_t row)
{
    const struct tp_table *t = &w->c->tables[TP_COMPARE_CHANGES];
    return tp_text_printf(w->arena, "%s \xe2\x86\x92 %s samples per run; the change is %s to %s (99 %% interval)",
                          calls_text(w->arena, tp_table_real(t, TP_ROW_BASE_CALLS)[row]),
                          calls_text(w->arena, tp_table_real(t, TP_ROW_NEW_CALLS)[row]),
                          tp_signed_time_text(w->arena, tp_table_int(t, TP_ROW_LOW)[row]),
                          tp_signed_time_text(w->arena, tp_table_int(t, TP_ROW_HIGH)[row]));
}

static void fill_change(struct tp_finding_block *finding, const struct wording *w, size_t row)
{
    const struct tp_table *t = &w->c->tables[TP_COMPARE_CHANGES];
    struct tp_str match = tp_table_text(t, TP_ROW_MATCH)[row], verdict = tp_table_text(t, TP_ROW_VERDICT)[row];
    struct tp_str kind = tp_table_text(t, TP_ROW_KIND)[row], was = tp_table_text(t, TP_ROW_BASE_NAME)[row];
    struct tp_str name = tp_shown_text(w->naming, tp_table_text(t, TP_ROW_NAME)[row]);
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
    const char *const lines[] = {operator_and_shapes_line(w, t, row),
                                 is_function ? sample_count_line(w, row) : call_count_change_line(w, t, row)};
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        if (lines[i])
            finding->reasons[count++] = lines[i];
}

/* Returns the rows that differ most, such as "gemm 8\u00d78 +10.8 \u00b5s; relu +2.0 \u00b5s", or "". The document
 * shows this text if no row has a certain change. */
static const char *largest_differences_text(const struct wording *w)
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
static const char *no_change_text(const struct wording *w)
{
    static const char *const texts[] = {
        [TP_WORK_CHANGED_NOTHING] = "These runs show no significant change.",
        [TP_WORK_CHANGED_TIMES] = "These runs show no other significant change of a time.",
        [TP_WORK_CHANGED_FUNCTIONS] = "These runs show no other significant change of a time.",
        [TP_WORK_CHANGED_OTHER] = "These runs show no significant change of a time.",
    };
    const struct tp_compare *c = w->c;
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

static void put_changes(const struct wording *w)
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
    list.table = tp_compare_shown_table(w->c, w->naming, TP_COMPARE_CHANGES, w->max_rows);
    list.table->heading = list.table->caption = list.heading;
    tp_document_add_findings(w->document, &list);
}

/* ---- memory and findings in short outputs ---- */

static void put_device_figure(const struct wording *w, size_t row)
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

static void put_findings(const struct wording *w)
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
static void put_serving(const struct wording *w)
{
    if (!w->c->tables[TP_COMPARE_SERVING].row_count)
        return;
    tp_document_add_note(w->document, tp_compare_serving_text(w->c, w->arena));
    tp_document_add_table(w->document, tp_compare_shown_table(w->c, w->naming, TP_COMPARE_SERVING, w->max_rows), NULL);
}

/* ---- sections ---- */

/* The parts of the page, with their tables. The rates of a serving engine are in the lead of their part
 * (tp_compare_serving_text). */
static const struct part {
    const char *id, *label, *title, *lead;
    enum tp_compare_table tables[4]; /* tables of the part; the list ends with TP_COMPARE_CHANGES */
} parts[] = {
    {"diff-serving", "Serving", "Steps of the engine", NULL, {TP_COMPARE_SERVING}},
    {"diff-program",
     "Program",
     "The program",
     "The tables compare the parts of the wall time, and the CPU time of functions by samples. Functions with few "
     "samples are uncertain.",
     {TP_COMPARE_WALL, TP_COMPARE_FUNCTIONS}},
    {"diff-operators",
     "Operators",
     "Operators",
     "The tables compare self times per step, the largest change first. Each change has two parts: the effect of the "
     "number of calls and the effect of the time per call.",
     {TP_COMPARE_OPERATORS_DEVICE, TP_COMPARE_OPERATORS_HOST}},
    {"diff-kernels",
     "Kernels",
     "Kernels",
     "Kernels are matched by name, operator and shapes. Renamed, fused and split kernels are matched within their "
     "operator.",
     {TP_COMPARE_KERNELS}},
    {"diff-copies",
     "Copies, waits",
     "Copies, synchronisations, runtime calls",
     "Synchronisations are listed by source line. Every added or removed synchronisation counts as a change, however "
     "short it is.",
     {TP_COMPARE_COPIES, TP_COMPARE_SYNCS, TP_COMPARE_RUNTIME}},
    {"diff-modules",
     "Modules",
     "Modules",
     "The tables compare the time of each module, including everything that the module calls.",
     {TP_COMPARE_MODULES_DEVICE, TP_COMPARE_MODULES_HOST}},
    {"diff-memory",
     "Memory",
     "Memory",
     "The tables compare the memory peak of each device, and the code that allocated the memory.",
     {TP_COMPARE_MEMORY, TP_COMPARE_OWNERS}},
    {"diff-findings", "Findings", "Findings", "The table lists the findings on both sides.", {TP_COMPARE_FINDINGS}},
};

static void put_section(const struct wording *w, const char *id, const char *label, const char *title, const char *lead)
{
    tp_document_add_section(w->document,
                            &(struct tp_section_block){.id = id, .label = label, .title = title, .lead = lead});
}

static void put_table(const struct wording *w, enum tp_compare_table which)
{
    if (w->c->tables[which].row_count)
        tp_document_add_table(w->document, tp_compare_shown_table(w->c, w->naming, which, w->max_rows),
                              "; --row-limit -1 shows all");
}

static void put_part_with_tables(const struct wording *w, const struct part *part)
{
    bool has_rows = false;
    for (unsigned i = 0; part->tables[i] != TP_COMPARE_CHANGES; i++)
        has_rows |= w->c->tables[part->tables[i]].row_count > 0;
    if (!has_rows)
        return;
    put_section(w, part->id, part->label, part->title,
                part->lead ? part->lead : tp_compare_serving_text(w->c, w->arena));
    for (unsigned i = 0; part->tables[i] != TP_COMPARE_CHANGES; i++)
        put_table(w, part->tables[i]);
}

static void put_call_tree_table(const struct wording *w)
{
    struct tp_shown_table *table = tp_compare_tree_table(w->c, w->naming, w->max_rows);
    if (w->c->tree.count < 2)
        return;
    put_section(w, "diff-calltree", "Call tree", "Call tree",
                tp_text_printf(w->arena,
                               "%s per step of both sides. Calls with the same callers are merged. The width of a box "
                               "is the larger time of both sides.",
                               !w->c->tree.has_device                                 ? "CPU time"
                               : tp_uses_torch_words(tp_sides_producer(&w->c->sides)) ? "GPU time"
                                                                                      : "Device time"));
    tp_document_add_chart(w->document, "icicle", tp_compare_icicle_data(w->c, w->naming), NULL);
    if (table)
        tp_document_add_table(w->document, table, NULL);
}

static void put_parts_with_tables(const struct wording *w)
{
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        put_part_with_tables(w, &parts[i]);
    put_call_tree_table(w);
    if (!w->c->tables[TP_COMPARE_FACTS].row_count)
        return;
    static const char *const leads[] = {"The workload is the same", "The workload may differ", "The workload differs"};
    put_section(
        w, "diff-common", "Facts", tp_compare_table_title(TP_COMPARE_FACTS),
        tp_text_printf(w->arena,
                       "%s. %s. Only facts of the class \"defining\" determine whether the workloads are the same.",
                       leads[w->c->comparability.workload], comparable_facts_text(w)));
    put_table(w, TP_COMPARE_FACTS);
}

/* ---- the whole document ---- */

void tp_compare_document(struct tp_document *document, const struct tp_compare *compare, const struct tp_naming *naming,
                         size_t max_rows)
{
    struct wording w = {document, compare, naming, naming->arena, max_rows};
    struct tp_verdict_block verdict = tp_compare_verdict(compare, w.arena);
    tp_document_init(document, "Comparison", w.arena);
    tp_compare_fill_record(document, compare, &verdict);
    /* the title is not shown on terminals, where the verdict replaces it */
    document->places = TP_IN_PAGES | TP_IN_MARKDOWN;
    put_title(&w);
    document->places = TP_EVERYWHERE;
    tp_document_add_verdict(document, &verdict);
    put_names_of_sides(&w);
    document->places = TP_IN_TEXT | TP_IN_MARKDOWN;
    tp_document_add_fact(document, comparability_text(&w), comparable_facts_text(&w));
    document->places = TP_EVERYWHERE;
    put_verdicts_of_sides(&w);
    put_differing_facts(&w);
    if (!tp_compare_is_between_programs(compare))
        tp_document_add_chart(document, "waterfall", tp_compare_waterfall_data(compare, w.arena),
                              tp_compare_shown_table(compare, naming, TP_COMPARE_STEP, max_rows));
    document->places = TP_IN_PAGES;
    put_comparison_figures(&w);
    document->places = TP_EVERYWHERE;
    tp_compare_put_work(document, compare, naming);
    put_changes(&w);
    document->places = TP_IN_TEXT | TP_IN_MARKDOWN;
    put_serving(&w);
    for (size_t row = 0; row < compare->tables[TP_COMPARE_MEMORY].row_count; row++)
        put_device_figure(&w, row);
    put_findings(&w);
    document->places = TP_IN_PAGES | TP_IN_DETAILED_TEXT;
    put_parts_with_tables(&w);
}
