/* Adds the parts of the page of a comparison below its answer, with their tables. See compare_parts.h. */
#include <string.h>

#include "webreport/document/commands/compare_parts.h"
#include "webreport/document/commands/compare_words.h"
#include "webreport/document/section.h"
#include "webreport/document/section_verdict.h"
#include "writer/text/format.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *tp_compare_facts_text(const struct tp_compare_wording *w)
{
    const struct tp_comparability *facts = &w->c->comparability;
    uint32_t differ = facts->counts[TP_FACT_DIFFERS];
    return tp_text_printf(w->arena, "%s the same, %u %s, and %u %s unknown",
                          tp_text_of_counted_noun(w->arena, facts->counts[TP_FACT_SAME], "fact is", "facts are"),
                          differ, differ == 1 ? "differs" : "differ", facts->counts[TP_FACT_UNKNOWN],
                          facts->counts[TP_FACT_UNKNOWN] == 1 ? "is" : "are");
}

/* Returns the verdict classes of a side's runs in their order, such as "Launch-bound (2 runs), Balanced (1 run)", or
 * "". */
static const char *classes_text(const struct tp_compare_wording *w, const struct tp_side_input *side)
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

void tp_compare_put_verdicts_of_sides(const struct tp_compare_wording *w)
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

enum place { WHOLE_WIDTH, HALF_WIDTH, FOLDED };

/* The parts of the page, with their tables. The rates of a serving engine are in the lead of their part
 * (tp_compare_serving_text). */
static const struct part {
    const char *id, *label, *title, *lead;
    enum place place;
    enum tp_compare_table tables[4]; /* tables of the part; the list ends with TP_COMPARE_CHANGES */
} parts[] = {
    {"diff-serving", "Serving", "Steps of the engine", NULL, WHOLE_WIDTH, {TP_COMPARE_SERVING}},
    {"diff-wall", "Wall time", "Wall time", "Parts of the wall time.", HALF_WIDTH, {TP_COMPARE_WALL}},
    {"diff-functions",
     "Functions",
     "Functions",
     "CPU time by samples. Functions with few samples are uncertain.",
     HALF_WIDTH,
     {TP_COMPARE_FUNCTIONS}},
    {"diff-host",
     "Host",
     "On the host",
     "Self time per step of operators on the CPU, largest change first.",
     HALF_WIDTH,
     {TP_COMPARE_OPERATORS_HOST}},
    {"diff-device",
     "{GPU}",
     "On the {GPU}",
     "Time per step of the work that each operator launches, largest change first.",
     HALF_WIDTH,
     {TP_COMPARE_OPERATORS_DEVICE}},
    {"diff-kernels",
     "Kernels",
     "Kernels",
     "Kernels are matched by name, operator and shapes. Renamed, fused and split kernels are matched within their "
     "operator.",
     WHOLE_WIDTH,
     {TP_COMPARE_KERNELS}},
    {"diff-copies",
     NULL,
     "Copies and waits",
     "Every added or removed synchronisation counts as a change, however short it is.",
     FOLDED,
     {TP_COMPARE_COPIES, TP_COMPARE_SYNCS}},
    {"diff-runtime", NULL, "Runtime calls", "Time of the calls on the CPU.", FOLDED, {TP_COMPARE_RUNTIME}},
    {"diff-modules-device",
     NULL,
     "Modules on the {GPU}",
     "Time of each module with everything that it calls.",
     FOLDED,
     {TP_COMPARE_MODULES_DEVICE}},
    {"diff-modules-host",
     NULL,
     "Modules on the host",
     "Time of each module with everything that it calls.",
     FOLDED,
     {TP_COMPARE_MODULES_HOST}},
    {"diff-memory",
     NULL,
     "Memory",
     "Memory peak of each device, and the code that allocated the memory.",
     FOLDED,
     {TP_COMPARE_MEMORY, TP_COMPARE_OWNERS}},
    {"diff-findings", NULL, "Findings", "Findings of both sides.", FOLDED, {TP_COMPARE_FINDINGS}},
};

static const char *words_for_device(const struct tp_compare_wording *w, const char *text)
{
    bool is_torch = tp_uses_torch_words(tp_sides_producer(&w->c->sides));
    const char *at = text ? strstr(text, "{GPU}") : NULL;
    if (!at)
        return text;
    const char *word = is_torch ? "GPU" : at == text ? "Device" : "device";
    return tp_text_printf(w->arena, "%.*s%s%s", (int)(at - text), text, word, at + strlen("{GPU}"));
}

static void put_section(const struct tp_compare_wording *w, const struct tp_section_block *section)
{
    tp_document_add_section(w->document, section);
}

/* Adds a table if it has rows. is_only: true if the part of the page has no other table, so that the title of the part
 * is the heading of the table in pages. */
static void put_table(const struct tp_compare_wording *w, enum tp_compare_table which, bool is_only)
{
    unsigned places = w->document->places;
    if (!w->c->tables[which].row_count)
        return;
    struct tp_shown_table *shown = tp_compare_shown_table(w->c, w->naming, which, w->max_rows);
    if (is_only) {
        bool is_by_name = which == TP_COMPARE_OPERATORS_DEVICE || which == TP_COMPARE_OPERATORS_HOST;
        struct tp_shown_table *page = tp_arena_alloc(w->arena, sizeof *page);
        *page = is_by_name ? *tp_compare_names_table(w->c, w->naming, which, w->max_rows) : *shown;
        page->heading = NULL;
        w->document->places = TP_IN_PAGES;
        tp_document_add_table(w->document, page, NULL);
        w->document->places = places & ~(unsigned)TP_IN_PAGES;
    }
    tp_document_add_table(w->document, shown, "; --row-limit -1 shows all");
    w->document->places = places;
}

static bool is_memory_changed(const struct tp_compare_wording *w, const struct part *part)
{
    return part->tables[0] == TP_COMPARE_MEMORY && w->c->memory_verdict != TP_CHANGE_NEUTRAL;
}

static void put_part_with_tables(const struct tp_compare_wording *w, const struct part *part)
{
    unsigned count = 0;
    for (unsigned i = 0; part->tables[i] != TP_COMPARE_CHANGES; i++)
        count += w->c->tables[part->tables[i]].row_count > 0;
    if (!count)
        return;
    put_section(w, &(struct tp_section_block){.id = part->id,
                                              .label = words_for_device(w, part->label),
                                              .title = words_for_device(w, part->title),
                                              .lead = part->lead ? part->lead : tp_compare_serving_text(w->c, w->arena),
                                              .is_half = part->place == HALF_WIDTH,
                                              .is_folded = part->place == FOLDED && !is_memory_changed(w, part)});
    for (unsigned i = 0; part->tables[i] != TP_COMPARE_CHANGES; i++)
        put_table(w, part->tables[i], count == 1);
}

static void put_call_tree_table(const struct tp_compare_wording *w)
{
    enum { PAGE_ROWS = 16 };
    unsigned places = w->document->places;
    if (w->c->tree.count < 2)
        return;
    put_section(w, &(struct tp_section_block){
                       .id = "diff-calltree",
                       .is_folded = true,
                       .title = "Call tree",
                       .lead = tp_text_printf(
                           w->arena,
                           "%s per step of both sides. Calls with the same callers are merged. The width of a box "
                           "is the larger time of both sides.",
                           !w->c->tree.has_device                                 ? "CPU time"
                           : tp_uses_torch_words(tp_sides_producer(&w->c->sides)) ? "GPU time"
                                                                                  : "Device time")});
    tp_document_add_chart(w->document, "icicle", tp_compare_icicle_data(w->c, w->naming), NULL);
    for (int is_page = 0; is_page < 2; is_page++) {
        struct tp_shown_table *table =
            tp_compare_tree_table(w->c, w->naming, is_page && w->max_rows > PAGE_ROWS ? PAGE_ROWS : w->max_rows);
        w->document->places = is_page ? places & TP_IN_PAGES : places & ~(unsigned)TP_IN_PAGES;
        if (table)
            tp_document_add_table(w->document, table, NULL);
    }
    w->document->places = places;
}

static void put_facts_table(const struct tp_compare_wording *w)
{
    static const char *const leads[] = {"The workload is the same", "The workload may differ", "The workload differs"};
    if (!w->c->tables[TP_COMPARE_FACTS].row_count)
        return;
    put_section(
        w, &(struct tp_section_block){.id = "diff-common",
                                      .label = "Facts",
                                      .title = tp_compare_table_title(TP_COMPARE_FACTS),
                                      .lead = tp_text_printf(w->arena, "%s: %s.", leads[w->c->comparability.workload],
                                                             tp_compare_facts_text(w)),
                                      .is_half = true});
    put_table(w, TP_COMPARE_FACTS, true);
}

void tp_compare_put_method(const struct tp_compare_wording *w)
{
    put_section(w,
                &(struct tp_section_block){.id = "diff-method", .title = "How this was measured", .is_folded = true});
    tp_document_add_note(w->document, tp_compare_statistics_text(w->c, w->arena));
    tp_compare_put_verdicts_of_sides(w);
    tp_document_add_note(w->document, "The step is the mean over all analysed steps. The work of a step and the facts "
                                      "that decide whether two runs can be compared are defined in "
                                      "docs/definitions.md, section 22.");
}

static void put_work_section(const struct tp_compare_wording *w)
{
    unsigned places = w->document->places;
    w->document->places = TP_IN_PAGES;
    tp_compare_put_work_section(w->document, w->c, w->naming);
    w->document->places = places;
}

void tp_compare_put_parts(const struct tp_compare_wording *w)
{
    if (w->c->has_change_in_limited_work)
        put_work_section(w);
    for (unsigned i = 0; i < COUNT(parts); i++)
        if (parts[i].place != FOLDED)
            put_part_with_tables(w, &parts[i]);
    if (!w->c->has_change_in_limited_work)
        put_work_section(w);
    put_facts_table(w);
    for (unsigned i = 0; i < COUNT(parts); i++)
        if (parts[i].place == FOLDED)
            put_part_with_tables(w, &parts[i]);
    put_call_tree_table(w);
}
