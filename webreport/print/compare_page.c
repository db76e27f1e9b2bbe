/* A comparison as HTML: see compare_page.h. */
#include "webreport/print/compare_page.h"

#include <math.h>

#include "webreport/document/section.h"
#include "webreport/print/html.h"
#include "writer/base/limits.h"
#include "writer/text/format.h"

/* ---- head ---- */

static const char *const tones[TP_CHANGE_VERDICTS] = {"low", "good", "", "low"};
static const char *const tags[TP_CHANGE_VERDICTS] = {"Neutral", "Improved", "Regressed", "Inconclusive"};

static const char *interval_text(const struct tp_compare *c, struct tp_arena *arena)
{
    if (isnan(c->step.low))
        return "too few steps for an interval";
    return tp_text_printf(arena, "99 %% interval %s%s to %s%s %%", c->step.low > 0 ? "+" : "",
                          tp_text_of_fixed(arena, 100 * c->step.low, 1), c->step.high > 0 ? "+" : "",
                          tp_text_of_fixed(arena, 100 * c->step.high, 1));
}

/* That nothing changed is said only where the interval leaves no room for more than the floor. */
static const char *unchanged_words(const struct tp_compare *c, struct tp_arena *arena)
{
    double percent = 100 * c->step.estimate;
    bool is_sure = c->step.low >= -c->floor && c->step.high <= c->floor; /* NaN is not */
    if (isnan(percent))
        return "No step times to compare";
    const char *change = tp_text_printf(arena, "%s%s %%", percent > 0 ? "+" : "", tp_text_of_fixed(arena, percent, 1));
    return is_sure ? tp_text_printf(arena, "Steps take as long as before (%s)", change)
                   : tp_text_printf(arena, "No sure change of the step (%s, %s)", change, interval_text(c, arena));
}

static const char *step_words(const struct tp_compare *c, struct tp_arena *arena)
{
    double percent = 100 * c->step.estimate;
    const char *amount = tp_text_of_fixed(arena, fabs(percent), 1);
    switch (c->step_verdict) {
    case TP_CHANGE_REGRESSED:
        return tp_text_printf(arena, "Steps take %s %% longer", amount);
    case TP_CHANGE_IMPROVED:
        return tp_text_printf(arena, "Steps take %s %% less time", amount);
    case TP_CHANGE_INCONCLUSIVE:
        return tp_text_printf(arena, "Steps differ by %s %%, but too few of them tell", amount);
    default:
        return unchanged_words(c, arena);
    }
}

static const char *headline(const struct tp_compare *c, struct tp_arena *arena)
{
    if (*c->damage)
        return tp_text_printf(arena, "An input is damaged: %s", c->damage);
    if (c->comparability.is_low)
        return "The two sides are not comparable";
    if (c->step_verdict != TP_CHANGE_NEUTRAL || c->verdict == TP_CHANGE_NEUTRAL)
        return step_words(c, arena);
    return tp_text_printf(arena, "%s; %s: %s", step_words(c, arena), tp_change_verdict_name(c->verdict),
                          tp_compare_reason_text(c));
}

static void put_verdict(const struct tp_compare *c, struct tp_object *object, struct tp_arena *arena)
{
    uint32_t count = c->regressed_count + c->improved_count + c->replaced_count;
    tp_object_text(object, "verdict_tag", tags[c->verdict]);
    tp_object_text(object, "verdict_tone", tones[c->verdict]);
    tp_object_text(object, "verdict_headline", headline(c, arena));
    tp_object_printf(object, "verdict_text",
                     "Median step %s \xe2\x86\x92 %s, %s. A change counts when its whole interval lies beyond %s %%. "
                     "%s changed beyond noise: %u slower, %u faster, %u replaced.",
                     tp_text_of_time(arena, isnan(c->step_ns[TP_BASE]) ? TP_NULL_INT : llround(c->step_ns[TP_BASE])),
                     tp_text_of_time(arena, isnan(c->step_ns[TP_NEW]) ? TP_NULL_INT : llround(c->step_ns[TP_NEW])),
                     interval_text(c, arena), tp_text_of_fixed(arena, 100 * c->floor, 1),
                     tp_text_of_some(arena, count, "row", "rows"), c->regressed_count, c->improved_count,
                     c->replaced_count);
}

static void put_meta(const struct tp_compare *c, struct tp_object *object, struct tp_arena *arena)
{
    struct tp_list *meta = tp_object_list(object, "meta");
    for (int s = 0; s < TP_SIDES; s++) {
        const struct tp_side *side = &c->sides.side[s];
        tp_object_printf(tp_list_object(meta), "text", "%s: %s, %s", s == TP_BASE ? "base" : "new",
                         tp_text_of_some(arena, side->input->run_count, "run", "runs"),
                         tp_text_of_some(arena, (int64_t)side->step_count, "step", "steps"));
    }
}

static void put_notices(const struct tp_compare *c, struct tp_object *object)
{
    struct tp_list *notices = tp_object_list(object, "notices"), *points;
    if (!c->comparability.counts[TP_FACT_DIFFERS])
        return;
    struct tp_object *notice = tp_list_object(notices);
    tp_object_text(notice, "tone", c->comparability.is_low ? "err" : "info");
    tp_object_text(notice, "head",
                   c->comparability.is_low ? "The sides differ in what must be the same: nothing below is a regression"
                                           : "The sides differ in something, but may be compared");
    tp_object_text(notice, "text", "");
    tp_object_bool(notice, "has_points", true);
    points = tp_object_list(notice, "points");
    for (uint32_t i = 0; i < c->comparability.fact_count; i++) {
        const struct tp_fact_pair *fact = &c->comparability.facts[i];
        if (fact->verdict == TP_FACT_DIFFERS)
            tp_object_printf(
                tp_list_object(points), "point", "%.*s: %.200s \xe2\x86\x92 %.200s", (int)fact->name.len,
                fact->name.ptr,
                tp_text_printf(c->arena, "%.*s", (int)fact->values[TP_BASE].len, fact->values[TP_BASE].ptr),
                tp_text_printf(c->arena, "%.*s", (int)fact->values[TP_NEW].len, fact->values[TP_NEW].ptr));
    }
}

static void put_figure(struct tp_list *list, const char *label, const char *value, const char *unit, const char *note)
{
    struct tp_object *figure = tp_list_object(list);
    tp_object_text(figure, "label", label);
    tp_object_text(figure, "value", value);
    tp_object_text(figure, "unit", unit);
    tp_object_text(figure, "note", note);
}

static void put_figures(const struct tp_compare *c, struct tp_object *object, struct tp_arena *arena)
{
    struct tp_list *list = tp_object_list(object, "figures");
    const struct tp_table *memory = &c->tables[TP_COMPARE_MEMORY];
    int64_t peak_change =
        memory->row_count ? tp_table_int(memory, TP_MEMORY_DIFF_CHANGE)[memory->row_count - 1] : TP_NULL_INT;
    put_figure(list, "Step time",
               tp_text_printf(arena, "%s%s", c->step.estimate > 0 ? "+" : "",
                              tp_text_of_fixed(arena, 100 * c->step.estimate, 1)),
               "%", interval_text(c, arena));
    put_figure(list, "Regressed", tp_text_of_count(arena, c->regressed_count), "rows", "slower, or called more often");
    put_figure(list, "Improved", tp_text_of_count(arena, c->improved_count), "rows", "faster, or called less often");
    put_figure(list, "Replaced", tp_text_of_count(arena, c->replaced_count), "kernels", "another name, as fast");
    put_figure(list, "Memory peak",
               tp_text_printf(arena, "%s%s", peak_change > 0 ? "+" : "", tp_text_of_bytes(arena, peak_change)), "",
               tp_change_verdict_name(c->memory_verdict));
    put_figure(list, "Comparable", tp_text_of_count(arena, c->comparability.score), "of 100",
               c->comparability.is_low ? "too low to judge" : "same conditions on both sides");
}

/* ---- the sections ---- */

static struct tp_data section_data(const struct tp_compare_view *view)
{
    struct tp_object *root = tp_object_new(view->arena);
    const struct tp_compare *c = view->compare;
    struct tp_str base = tp_shown_text(view->naming, tp_str_of(c->names[TP_BASE]));
    struct tp_str new_name = tp_shown_text(view->naming, tp_str_of(c->names[TP_NEW]));
    tp_object_text(root, "p", "");
    tp_object_bool(root, "is_part", view->is_part);
    tp_object_printf(root, "title", "%.*s against %.*s", (int)new_name.len, new_name.ptr, (int)base.len, base.ptr);
    put_meta(c, root, view->arena);
    put_notices(c, root);
    put_verdict(c, root, view->arena);
    tp_object_put(root, "waterfall", tp_compare_waterfall(c, view->arena));
    put_figures(c, root, view->arena);
    if (c->tables[TP_COMPARE_CHANGES].row_count)
        tp_object_put(root, "changed", tp_compare_shown_table(view, TP_COMPARE_CHANGES));
    else
        tp_object_text(root, "changed_none", tp_compare_nothing_text(c));
    tp_compare_put_parts(view, root);
    return tp_data_of_object(root);
}

struct tp_data tp_compare_section(const struct tp_compare *compare, const struct tp_naming *naming, size_t max_bytes)
{
    enum { ROW_BYTES = 10000, MOST_ROWS = 100 }; /* a row of each table */
    size_t rows = max_bytes / ROW_BYTES;
    struct tp_compare_view view = {compare, naming, naming->arena, rows < MOST_ROWS ? rows : MOST_ROWS, true};
    return section_data(&view);
}

/* The sections at the richest level that fits; the shortest form when none does. */
static int render(struct tp_buf *out, const struct tp_compare_view *full, struct tp_templates *templates,
                  size_t max_bytes, struct tp_error *err)
{
    static const size_t levels[] = {300, 100, 30, 10, 3, 0};
    struct tp_compare_view view = *full;
    for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++) {
        view.max_rows = levels[i];
        out->size = 0;
        int code = tp_template_render(templates, "diff", section_data(&view), out, err);
        if (code || out->failed || out->size <= max_bytes)
            return code;
    }
    return TP_OK;
}

/* ---- the page ---- */

enum { SHELL_BYTES = 16384 };

int tp_compare_page(struct tp_buf *out, const struct tp_compare *compare, const struct tp_compare_page_options *options,
                    struct tp_arena *arena, struct tp_error *err)
{
    struct tp_assets assets;
    struct tp_templates templates;
    struct tp_html html;
    struct tp_naming naming = {.arena = arena, .redact = options->redact, .source_url = options->source_url};
    struct tp_compare_view view = {compare, &naming, arena, 1, false};
    struct tp_object *root = tp_object_new(arena);
    size_t ceiling = options->max_bytes ? options->max_bytes : TP_MAX_PAGE_BYTES;
    int code = tp_source_url_check(options->source_url, err);
    tp_assets_init(&assets, arena, options->templates_dir);
    tp_templates_init(&templates, arena, tp_assets_load, &assets);
    code = code ? code : tp_html_build(&html, &assets, false, err);
    if (code)
        return code;
    size_t used = SHELL_BYTES + html.css.len + html.js.len;
    code = render(out, &view, &templates, ceiling > used ? ceiling - used : 0, err);
    if (code || out->failed)
        return code;
    struct tp_str fragment = {tp_arena_copy(arena, out->data, out->size), out->size};
    out->size = 0;
    tp_html_put(&html, root);
    tp_object_text(root, "version", TP_VERSION);
    tp_object_text(root, "page_title", "Comparison");
    struct tp_list *links = tp_object_list(root, "links");
    struct tp_object *first = tp_list_object(links);
    tp_object_text(first, "target", "diff");
    tp_object_text(first, "label", "Changes");
    tp_compare_put_links(&view, links);
    tp_object_str(tp_list_object(tp_object_list(root, "parts")), "fragments", fragment);
    code = tp_template_render(&templates, "report", tp_data_of_object(root), out, err);
    if (code == TP_OK && out->size > ceiling)
        return tp_error_set(err, TP_ELIMIT, 0, "the shortest page has %zu bytes, more than --max-size", out->size);
    return code;
}
