/* Makes the list of actions about a program recorded from outside. See program_actions.h. */
#include "webreport/document/report/program_actions.h"

#include <math.h>

#include "webreport/document/charts/chart_lanes.h"
#include "webreport/measure/program/program_verdict.h"
#include "writer/text/marked_text.h"

/* Returns whether a finding is not listed as an action: it only informs, or its saving is below 0.3 % of the wall time
 * or 0.1 ms. */
static bool is_small_saving(const struct tp_program_view *view, const struct tp_program_finding *finding)
{
    static const double LEAST_PERCENT = 0.3;
    enum { LEAST_NS = 100000 };
    if (finding->saving_ns == TP_NULL_INT)
        return finding->weight == TP_PROGRAM_INFO;
    return finding->saving_ns < LEAST_NS || tp_percent(finding->saving_ns, view->parts.wall_ns) < LEAST_PERCENT;
}

static void fill_saving(const struct tp_section *section, struct tp_finding_block *block,
                        const struct tp_program_finding *finding)
{
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_arena *arena = section->arena;
    double percent = tp_percent(finding->saving_ns, view->parts.wall_ns);
    block->saving = block->saving_share = "";
    if (finding->saving_ns == TP_NULL_INT)
        return;
    block->saving = tp_text_printf(arena, "saves up to %s", tp_text_of_time(arena, finding->saving_ns));
    block->saving_share =
        tp_text_printf(arena, "up to %s %%", tp_text_of_fixed(arena, percent, percent < 9.95 ? 1 : 0));
    block->high_percent = fmin(100, percent);
}

static struct tp_finding_block make_finding(const struct tp_section *section, const struct tp_program_finding *finding)
{
    static const enum tp_tone tones[] = {TP_TONE_BAD, TP_TONE_WARN, TP_TONE_UNSURE, TP_TONE_PLAIN};
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_arena *arena = section->arena;
    struct tp_str shown = tp_shown_text(&section->naming, tp_str_of(finding->marked_title));
    const char *title = tp_text_printf(arena, "%.*s", (int)shown.len, shown.ptr);
    struct tp_str detail = tp_shown_text(&section->naming, tp_str_of(finding->detail));
    struct tp_finding_block block = {
        .tone = tones[finding->weight],
        .status = tp_program_weight_text(finding->weight),
        .id = tp_program_finding_id(finding->kind),
        .title = tp_marked_plain(arena, title),
        .marked_title = title,
        .value = tp_text_of_time(arena, finding->time_ns),
        .change = isnan(finding->percent) ? NULL : tp_text_of_percent(arena, finding->percent),
        .scope = finding->whole ? tp_text_printf(arena, "of the %s", finding->whole) : NULL,
        .reasons = {tp_text_printf(arena, "%.*s", (int)detail.len, detail.ptr)},
        .advice = finding->advice,
        .look = tp_look_name(finding->part == TP_WALL_COUNT ? TP_LOOK_NONE : tp_program_part_look(finding->part)),
        .is_small = is_small_saving(view, finding),
        .proof = tp_text_printf(arena, "Finding %s", tp_program_finding_id(finding->kind))};
    fill_saving(section, &block, finding);
    if (finding->sample_count)
        block.proof =
            tp_text_printf(arena, "%s \xc2\xb7 %s", block.proof,
                           tp_text_of_counted_noun(arena, (int64_t)finding->sample_count, "sample", "samples"));
    return block;
}

void tp_program_put_actions(const struct tp_section *section, struct tp_document *document)
{
    enum { OPEN_ITEMS = 3 };
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_arena *arena = section->arena;
    unsigned actions = 0;
    struct tp_findings_block list = {.heading = "What to change, best first",
                                     .none = "No rule found a problem.",
                                     .id_title = "id",
                                     .title_column_title = "finding",
                                     .value_title = "time",
                                     .change_title = "share",
                                     .reason_title = "what to try",
                                     .items = tp_arena_array(arena, TP_PROGRAM_FINDINGS, sizeof *list.items)};
    for (unsigned i = 0; i < view->finding_count; i++) {
        list.items[list.count] = make_finding(section, &view->findings[i]);
        actions += !list.items[list.count++].is_small;
    }
    list.shown = list.open_count = list.count;
    if (actions)
        list.note = tp_text_printf(arena, "share of the %s", tp_text_of_time(arena, view->parts.wall_ns));
    if (actions > OPEN_ITEMS)
        list.more_title = tp_text_of_counted_noun(arena, actions - OPEN_ITEMS, "smaller change", "smaller changes");
    tp_document_add_findings(document, &list);
}

unsigned tp_program_finding_number(const struct tp_program_view *view, unsigned index)
{
    unsigned number = 0;
    for (unsigned i = 0; i <= index; i++)
        number += !is_small_saving(view, &view->findings[i]);
    return is_small_saving(view, &view->findings[index]) ? 0 : number;
}
