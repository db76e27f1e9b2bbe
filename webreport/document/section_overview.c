/* Overview: the first screen. Verdict, where a step's time goes, six figures, findings, steps, the heaviest rows. */
#include "webreport/document/chart.h"
#include "webreport/document/section.h"

#include <math.h>
#include <string.h>

static void add_meta(struct tp_list *list, const char *text)
{
    if (text && *text)
        tp_object_text(tp_list_object(list), "text", text);
}

static const char *step_range(struct tp_arena *arena, const struct tp_table *steps)
{
    struct tp_str first, last;

    if (!steps->row_count)
        return NULL;
    first = tp_text_cut(arena, tp_table_text(steps, TP_STEP_NAME)[0], 40);
    last = tp_text_cut(arena, tp_table_text(steps, TP_STEP_NAME)[steps->row_count - 1], 40);
    if (steps->row_count == 1)
        return tp_text_printf(arena, "step %.*s", (int)first.len, first.ptr);
    return tp_text_printf(arena, "steps %.*s\xe2\x80\x93%.*s", (int)first.len, first.ptr, (int)last.len, last.ptr);
}

static const char *device_text(const struct tp_section *section)
{
    const struct tp_table *gpus = &section->profile->views->overview.gpu_summary;
    struct tp_str name;

    if (!gpus->row_count)
        return "CPU";
    name = tp_shown_text(&section->naming, tp_table_text(gpus, TP_GPU_NAME)[0]);
    if (!name.ptr || !name.len)
        name = TP_STR("GPU");
    return gpus->row_count > 1
               ? tp_text_printf(section->arena, "%zu \xc3\x97 %.*s", gpus->row_count, (int)name.len, name.ptr)
               : tp_text_printf(section->arena, "%.*s", (int)name.len, name.ptr);
}

static void put_head(const struct tp_section *section, struct tp_object *overview)
{
    const struct tp_profile *profile = section->profile;
    const struct tp_quality *quality = &profile->advice->quality;
    struct tp_list *meta = tp_object_list(overview, "meta");
    struct tp_arena *arena = section->arena;
    struct tp_str worker = tp_shown_text(&section->naming, profile->worker);

    tp_object_text(overview, "title", section->title);
    if (!section->is_one_of_many)
        add_meta(meta, tp_text_printf(arena, "%.*s", (int)worker.len, worker.ptr));
    add_meta(meta, device_text(section));
    if (strcmp(profile->views->facts.step_marker, "window") != 0)
        add_meta(meta, step_range(arena, &profile->views->overview.steps));
    add_meta(meta, tp_text_printf(arena, "%s recorded",
                                  tp_text_of_time(arena, profile->model->last_ns - profile->model->first_ns)));
    add_meta(meta, tp_text_of_some(arena, quality->events_total, "event", "events"));
    add_meta(meta,
             tp_text_of_date(arena, profile->trace->base_time_ns > 0 && profile->model->first_ns < 946684800000000000
                                        ? profile->trace->base_time_ns + profile->model->first_ns
                                        : profile->model->first_ns));
}

static void put_verdict(const struct tp_section *section, struct tp_object *overview)
{
    struct tp_verdict_words words = tp_section_verdict(&section->naming, section->profile);

    tp_object_text(overview, "verdict_tag", words.tag);
    tp_object_text(overview, "verdict_tone", words.tone);
    tp_object_text(overview, "verdict_headline", words.headline);
    tp_object_text(overview, "verdict_text", words.text);
}

static void put_split(const struct tp_section *section, struct tp_object *overview)
{
    const struct tp_overview *view = &section->profile->views->overview;
    bool is_gpu = view->gpu_summary.row_count > 0;
    struct tp_chart_part parts[TP_CHART_KINDS];
    struct tp_object *split;

    if (!(view->average_us[TP_AVERAGE_TOTAL] > 0)) {
        tp_object_bool(overview, "split", false);
        return;
    }
    for (enum tp_chart_kind kind = 0; kind < TP_CHART_KINDS; kind++) {
        unsigned average = tp_chart_average(kind);

        parts[kind] = (struct tp_chart_part){kind, tp_chart_label(kind, is_gpu), tp_average_defs[average].definition,
                                             view->average_us[average] * 1000};
    }
    split = tp_object_object(overview, "split");
    tp_chart_put_split(split, section->arena, parts, TP_CHART_KINDS);
    tp_object_text(
        split, "split_caption",
        tp_text_printf(section->arena, view->used_count > 1 ? "Where an average step of %s goes" : "Where the %s go",
                       tp_text_of_time(section->arena, (int64_t)llround(view->average_us[TP_AVERAGE_TOTAL] * 1000))));
}

/* ---- the heaviest kernels, or operators where there are none ---- */

enum { HEAVY_ROWS = 6 };

static void put_heavy(const struct tp_section *section, struct tp_object *card, const struct tp_table *table,
                      const unsigned columns[3])
{
    struct tp_list *rows = tp_object_list(card, "heavy");
    const int64_t *totals = tp_table_int(table, columns[1]);
    const int64_t *calls = tp_table_int(table, columns[2]);
    double sum = 0;
    int64_t max_mean = 0, max = table->row_count ? totals[0] : 0;
    size_t count = table->row_count < HEAVY_ROWS ? table->row_count : HEAVY_ROWS;
    struct tp_unit total_unit = tp_unit_of_time(max), mean_unit;

    for (size_t i = 0; i < table->row_count; i++)
        sum += (double)totals[i];
    for (size_t i = 0; i < count; i++)
        if (calls[i] > 0 && totals[i] / calls[i] > max_mean)
            max_mean = totals[i] / calls[i];
    mean_unit = tp_unit_of_time(max_mean);
    tp_object_text(card, "total_unit", total_unit.text);
    tp_object_text(card, "mean_unit", mean_unit.text);
    for (size_t i = 0; i < count; i++) {
        struct tp_object *row = tp_list_object(rows);
        struct tp_str name = tp_table_text(table, columns[0])[i];

        tp_object_str(row, "full_name", tp_shown_text(&section->naming, name));
        tp_object_str(row, "short_name", tp_shown_text(&section->naming, tp_kernel_short_name(section->arena, name)));
        tp_object_text(row, "share", tp_text_of_percent(section->arena, sum > 0 ? 100 * (double)totals[i] / sum : 0));
        tp_object_text(row, "total_time",
                       tp_text_of_fixed(section->arena, (double)totals[i] / total_unit.divisor, total_unit.decimals));
        tp_object_text(row, "mean_time",
                       tp_text_of_fixed(section->arena,
                                        calls[i] > 0 ? (double)totals[i] / (double)calls[i] / mean_unit.divisor : 0,
                                        mean_unit.decimals));
    }
}

static void put_heaviest(const struct tp_section *section, struct tp_object *overview)
{
    const struct tp_views *views = section->profile->views;
    bool has_kernels = views->kernels.is_present && views->kernels.by_name.row_count;
    const struct tp_table *table = has_kernels ? &views->kernels.by_name : &views->operators.by_name;
    struct tp_object *card;

    if (!table->row_count) {
        tp_object_bool(overview, "heaviest", false);
        return;
    }
    card = tp_object_object(overview, "heaviest");
    tp_object_text(card, "heaviest_title", has_kernels ? "Heaviest kernels" : "Heaviest operators");
    tp_object_text(card, "heaviest_name", has_kernels ? "Kernel" : "Operator, self time");
    tp_object_text(card, "heaviest_target", has_kernels ? "kernels" : "operators");
    tp_object_text(
        card, "heaviest_all",
        tp_text_printf(section->arena, "all %s", tp_text_of_count(section->arena, (int64_t)table->row_count)));
    if (has_kernels)
        put_heavy(section, card, table, (unsigned[]){TP_KERNEL_NAME, TP_KERNEL_TOTAL, TP_KERNEL_CALLS});
    else
        put_heavy(section, card, table, (unsigned[]){TP_OP_NAME, TP_OP_HOST_SELF, TP_OP_CALLS});
}

struct tp_data tp_section_overview(const struct tp_section *section)
{
    struct tp_object *overview = tp_object_new(section->arena);

    put_head(section, overview);
    tp_section_put_notices(section, overview);
    put_verdict(section, overview);
    put_split(section, overview);
    tp_section_put_figures(section, overview);
    tp_section_put_findings(section, overview);
    tp_object_put(overview, "steps",
                  tp_chart_steps(section->arena, &section->profile->views->overview, section->limits->step_bars));
    put_heaviest(section, overview);
    return tp_data_of_object(overview);
}
