/* Makes the overview: verdict, parts of a step's time, figures, findings, steps, and the kernels or operators with
 * the most time. */
#include "webreport/document/charts/chart.h"
#include "webreport/document/name_text.h"
#include "webreport/document/report/program_document.h"
#include "webreport/document/report/sections.h"
#include "webreport/measure/views/costliest.h"

#include <math.h>
#include <string.h>

#include "writer/base/saturate.h"
#include "writer/text/marked_text.h"

static void add_fact(struct tp_document *document, const char *text)
{
    if (text && *text)
        tp_document_add_fact(document, "", text);
}

/* Returns the names of the first and the last step, or the number of steps if the names are long. */
static const char *numbers_of_steps_text(struct tp_arena *arena, const struct tp_table *steps)
{
    if (!steps->row_count)
        return NULL;
    const struct tp_str *names = tp_table_text(steps, TP_STEP_NAME);
    const char *range = tp_step_range_text(arena, names[0], names[steps->row_count - 1]);
    if (!range)
        return tp_text_of_counted_noun(arena, (int64_t)steps->row_count, "step", "steps");
    return tp_text_printf(arena, steps->row_count == 1 ? "step %s" : "steps %s", range);
}

static const char *device_text(const struct tp_section *section)
{
    const struct tp_table *gpus = &section->profile->views->overview.gpu_summary;
    struct tp_str name;

    if (!gpus->row_count)
        return "CPU";
    name = tp_shown_text(&section->naming, tp_table_text(gpus, TP_GPU_NAME)[0]);
    if (!name.ptr || !name.len)
        name = tp_str_of(tp_devices_word(section->profile->model));
    return gpus->row_count > 1
               ? tp_text_printf(section->arena, "%zu \xc3\x97 %.*s", gpus->row_count, (int)name.len, name.ptr)
               : tp_text_printf(section->arena, "%.*s", (int)name.len, name.ptr);
}

/* Returns the day of the recording, such as "2021-06-08"; NULL if it is unknown. */
static const char *day_text(const struct tp_section *section)
{
    enum { DAY_BYTES = 10 };
    const struct tp_profile *profile = section->profile;
    const char *date =
        tp_text_of_date(section->arena, tp_sat_add(tp_trace_base_ns(profile->trace, profile->model->first_ns),
                                                   profile->model->first_ns));
    return date ? tp_arena_copy(section->arena, date, DAY_BYTES) : NULL;
}

/* Adds the facts next to the title of the page, such as the kind of program, the device and the steps. */
static void put_title_facts(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_profile *profile = section->profile;
    add_fact(document, tp_program_use_title(profile->advice->use.of));
    add_fact(document, device_text(section));
    if (strcmp(profile->views->facts.step_marker, "window") != 0)
        add_fact(document, numbers_of_steps_text(section->arena, &profile->views->overview.steps));
    add_fact(document, day_text(section));
}

/* ---- parts of a step's time ---- */

static int64_t step_ns(const struct tp_overview *view)
{
    return (int64_t)llround(view->average_us[TP_AVERAGE_TOTAL] * 1000);
}

/* Returns a remark on which part of a step gets the time that several parts share; "" if no parts can overlap. */
static const char *remark_on_overlap(const struct tp_overview *view)
{
    bool has_communication = view->average_us[tp_chart_average_index_of_kind(TP_CHART_COMM)] > 0;
    double copies_us = view->average_us[tp_chart_average_index_of_kind(TP_CHART_MEMCPY)] +
                       view->average_us[tp_chart_average_index_of_kind(TP_CHART_MEMSET)];
    if (!has_communication)
        return "";
    if (copies_us > 0)
        return ". If parts overlap, the time counts once: first for kernels, then for copies, then for communication.";
    bool has_operators =
        !view->gpu_summary.row_count && view->average_us[tp_chart_average_index_of_kind(TP_CHART_CPU)] > 0;
    return has_operators ? ". If parts overlap, the time counts once, for communication." : "";
}

/* Returns whether the window of analysed steps has no unjudged time (docs/definitions.md), so that percentages of the
 * steps are meaningful. */
static bool are_shares_meaningful(const struct tp_section *section)
{
    return section->profile->advice->verdict.unjudged.reason == TP_UNJUDGED_NOTHING;
}

/* Returns marked text without its marks. */
static const char *text_without_marks(struct tp_arena *arena, const char *marked)
{
    struct tp_marked_walk walk = {.rest = marked};
    struct tp_marked_run run;
    const char *text = "";
    while (tp_marked_next_run(&walk, &run))
        text = tp_text_printf(arena, "%s%.*s", text, (int)run.text.len, run.text.ptr);
    return text;
}

/* Adds the parts of a step and the input data as facts, for outputs without charts. */
static void put_facts(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_overview *view = &section->profile->views->overview;
    const struct tp_quality *quality = &section->profile->advice->quality;
    struct tp_arena *arena = section->arena;
    double total = view->average_us[TP_AVERAGE_TOTAL];
    const char *split = "", *flags = "";

    for (enum tp_chart_kind kind = 0; kind < TP_CHART_KINDS && total > 0; kind++) {
        double us = view->average_us[tp_chart_average_index_of_kind(kind)];

        if (us > 0)
            split =
                tp_text_printf(arena, "%s%s%s %s%s", split, *split ? ", " : "",
                               tp_chart_label(kind, view->gpu_summary.row_count > 0, section->profile->model, arena),
                               tp_text_of_time(arena, (int64_t)llround(us * 1000)),
                               are_shares_meaningful(section)
                                   ? tp_text_printf(arena, " (%s)", tp_text_of_percent(arena, 100 * us / total))
                                   : "");
    }
    if (*split)
        tp_document_add_fact(document, tp_text_of_counted_noun(arena, view->used_count, "step", "steps, on average"),
                             tp_text_printf(arena, "%s%s", split, remark_on_overlap(view)));
    for (unsigned i = 0; i < TP_QUALITY_FLAGS; i++)
        if (quality->flags[i].is_raised)
            flags = tp_text_printf(arena, "%s%s%s (%s)", flags, *flags ? ", " : "", quality->flags[i].id,
                                   quality->flags[i].text);
    if (section->profile->advice->verdict.class < TP_CLASS_PROGRAM)
        tp_document_add_fact(document, "Details", tp_verdict_full_text(&section->naming, section->profile));
    const char *line = tp_section_critical_path_line(section);
    if (line)
        tp_document_add_fact(document, "Critical path", text_without_marks(arena, line));
    tp_section_put_data_notices(section, document);
    const char *reason = tp_evidence_reason(&section->profile->trace->evidence, TP_NEED_ALL, arena);
    tp_document_add_fact(document, "Trace",
                         tp_text_printf(arena, "%s, %s repaired. Quality checks that report a problem: %s.%s%s%s",
                                        tp_text_of_counted_noun(arena, quality->events_total, "event", "events"),
                                        tp_text_of_count(arena, quality->repaired), *flags ? flags : "none",
                                        *reason ? " The trace has a defect: " : "", reason, *reason ? "." : ""));
}

/* ---- kernels with most time, or operators if there are no kernels ---- */

enum { SHORT_ROWS = 5, NAME_BYTES = 80 };

/* Adds the first rows of a table of costliest.h, for outputs with little space. */
static void put_costliest_rows_in_short_output(const struct tp_section *section, struct tp_document *document,
                                               const struct tp_table *table, const char *title)
{
    struct tp_arena *arena = section->arena;
    struct tp_shown_column *shown_columns = tp_arena_array(arena, 3, sizeof *shown_columns);
    struct tp_shown_table *shown;

    if (!table->row_count)
        return;
    shown_columns[0] = (struct tp_shown_column){.format = TP_SHOW_COUNT, .column = TP_HEAVY_CALLS, .title = "calls"};
    shown_columns[1] = (struct tp_shown_column){.format = TP_SHOW_TIME, .column = TP_HEAVY_TIME, .title = "time"};
    shown_columns[2] = (struct tp_shown_column){.format = TP_SHOW_SHARE, .column = TP_HEAVY_TIME, .title = "share"};
    shown = tp_section_table_new(section, table, shown_columns, 3, SHORT_ROWS);
    shown->name_title = title;
    for (size_t i = 0; i < shown->row_count; i++) {
        struct tp_str name = tp_table_text(table, TP_HEAVY_NAME)[i];

        shown->rows[i].name = tp_text_shorten(arena, tp_shown_kernel_name(&section->naming, name), NAME_BYTES);
    }
    tp_shown_table_distinguish_rows(&section->naming, shown, TP_HEAVY_NAME);
    if (shown->row_count)
        tp_document_add_table(document, shown, NULL);
}

static void put_short_tables(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_views *views = section->profile->views;
    bool is_gpu = views->operators.sorted_by_device && !tp_has_only_devices_of_program(section->profile->model);

    struct tp_table *tables = tp_arena_array(section->arena, 2, sizeof *tables);
    if (views->kernels.is_present) {
        tp_find_costliest_kernels(&tables[0], &views->kernels, section->arena);
        put_costliest_rows_in_short_output(section, document, &tables[0], "kernel");
    }
    tp_find_costliest_operators(&tables[1], section->profile->model, is_gpu, section->arena);
    put_costliest_rows_in_short_output(
        section, document, &tables[1],
        tp_section_words_for_producer(section, is_gpu ? "{operator}, {GPU} self time" : "{operator}, CPU self time"));
}

/* ---- the whole overview ---- */

void tp_report_document(struct tp_document *document, const struct tp_section *section)
{
    const struct tp_profile *profile = section->profile;

    tp_document_init(document, "Report", section->arena);
    if (tp_section_is_program(section)) {
        tp_program_document(document, section);
        return;
    }
    struct tp_verdict_block verdict = tp_section_verdict_block(&section->naming, profile);
    tp_document_add_title(document, &(struct tp_title_block){section->title, "overview", "Overview"});
    verdict.limit = tp_section_critical_path_line(section);
    tp_document_add_verdict(document, &verdict);
    document->places = TP_IN_PAGES;
    put_title_facts(section, document);
    tp_section_put_notices(section, document);
    tp_section_put_charts(section, document);
    document->places = TP_EVERYWHERE;
    tp_section_put_figures(section, document);
    document->places = TP_IN_TEXT | TP_IN_MARKDOWN;
    put_facts(section, document);
    document->places = TP_EVERYWHERE;
    tp_section_put_findings(section, document);
    document->places = TP_IN_PAGES;
    tp_section_put_later_notices(section, document);
    document->places = TP_IN_TEXT | TP_IN_MARKDOWN;
    tp_section_put_ranges(section, document);
    tp_section_put_serving(section, document);
    tp_section_put_wall(section, document);
    put_short_tables(section, document);
}

static const char *first_finding_title(const struct tp_finding *finding, const struct tp_naming *naming)
{
    const char *gain = tp_finding_gain_text(finding, naming->arena);
    struct tp_str title = tp_shown_text(naming, tp_str_of(finding->shown_title));
    return tp_text_printf(naming->arena, "; %s %.*s%s%s", finding->rule->id, (int)title.len, title.ptr,
                          gain ? ", " : "", gain ? gain : "");
}

void tp_document_add_profile_line(struct tp_document *document, const struct tp_section *section)
{
    const struct tp_profile *profile = section->profile;
    const struct tp_recommendations *found = &profile->advice->recommendations;
    struct tp_arena *arena = section->arena;
    struct tp_str run = tp_shown_text(&section->naming, profile->run);
    const char *finding = "";

    if (found->finding_count && !tp_section_is_program(section))
        finding = first_finding_title(&found->findings[0], &section->naming);
    tp_document_init(document, "Report", arena);
    bool is_program = tp_section_is_program(section);
    int64_t ns = is_program ? profile->advice->program.parts.wall_ns : step_ns(&profile->views->overview);
    tp_document_add_fact(document,
                         tp_text_printf(arena, "%.*s%s%s", (int)run.len, run.ptr, run.len ? " / " : "", section->title),
                         tp_text_printf(arena, "%s, %s %s%s", tp_section_verdict_block(&section->naming, profile).class,
                                        tp_text_of_time(arena, ns), is_program ? "wall time" : "per step", finding));
}

void tp_document_add_failed_input(struct tp_document *document, const struct tp_naming *naming, struct tp_str file,
                                  const char *why)
{
    struct tp_str name = tp_shown_text(naming, file), reason = tp_shown_text(naming, tp_str_of(why));

    tp_document_init(document, "Report", naming->arena);
    tp_document_add_fact(
        document, "Not usable",
        tp_text_printf(naming->arena, "%.*s: %.*s", (int)name.len, name.ptr, (int)reason.len, reason.ptr));
}
