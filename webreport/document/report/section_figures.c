/* Adds up to six figures below the verdict, each with its definition. The contents of the trace determine which figures
 * are shown. */
#include <math.h>
#include <string.h>

#include "webreport/document/charts/chart.h"
#include "webreport/document/report/sections.h"
#include "webreport/document/words/answer_words.h"

/* Returns a figure from a text such as "59.3 ms"; the part after the last space is the unit. */
static struct tp_figure_block make_text_figure(struct tp_arena *arena, const char *label, const char *text)
{
    const char *space = strrchr(text, ' ');
    struct tp_figure_block figure = {.label = label, .meter = NAN, .unit = ""};

    figure.value = space ? tp_arena_copy(arena, text, (size_t)(space - text)) : text;
    if (space)
        figure.unit = space + 1;
    return figure;
}

static struct tp_figure_block make_percentage_figure(struct tp_arena *arena, const char *label, double percent)
{
    struct tp_figure_block figure = make_text_figure(arena, label, tp_text_of_percent(arena, percent));

    figure.meter = percent;
    return figure;
}

static enum tp_tone tone_of_percentage(double percent, double bad, double warn)
{
    return isnan(percent) ? TP_TONE_PLAIN : percent < bad ? TP_TONE_BAD : percent < warn ? TP_TONE_WARN : TP_TONE_PLAIN;
}

static struct tp_figure_block make_step_figure(const struct tp_section *section)
{
    const struct tp_overview *overview = &section->profile->views->overview;
    const struct tp_table *steps = &overview->steps;
    struct tp_arena *arena = section->arena;
    struct tp_figure_block figure =
        make_text_figure(arena, section->profile->is_helper ? "Time" : "Step time",
                         tp_text_of_time(arena, (int64_t)llround(overview->average_us[TP_AVERAGE_TOTAL] * 1000)));
    int64_t min = INT64_MAX, max = 0;

    for (size_t i = 0; i < steps->row_count; i++) {
        int64_t total = tp_table_int(steps, TP_STEP_TOTAL)[i];

        if (!tp_table_bool(steps, TP_STEP_IS_USED)[i])
            continue;
        min = total < min ? total : min;
        max = total > max ? total : max;
    }
    if (overview->used_count > 1)
        figure.note =
            strstr(tp_range_of_time_text(arena, min, max), " to ") ? tp_range_of_time_text(arena, min, max) : "";
    else
        figure.note =
            strcmp(section->profile->views->facts.step_marker, "window") == 0 ? "the whole recording" : "one step";
    figure.definition =
        tp_mentions_launches(section->profile->model)
            ? "Mean length of the analysed steps. A step lasts from its marker's start to the end of the GPU work that "
              "the step launched."
            : "Mean length of the analysed steps. A step lasts from its marker's start to its marker's end.";
    if (tp_steps_are_inferred(section->profile->model))
        figure.definition =
            "Mean length of the analysed steps. No step is marked, so a step lasts from one repetition of "
            "the work to the next.";
    return figure;
}

static const struct tp_gpu_property *device_property(const struct tp_trace *trace, int64_t id)
{
    return tp_model_gpu_property(trace, id);
}

/* Converts a percentage of the window of analysed steps to a percentage of the window without unjudged time
 * (docs/definitions.md), from 0 to 100; NaN if all time is unjudged. The device is idle in unjudged time. */
static double percent_of_judged_time(const struct tp_section *section, double percent)
{
    const struct tp_unjudged *unjudged = &section->profile->advice->verdict.unjudged;
    int64_t window_ns = section->profile->model->window_ns, rest_ns = window_ns - unjudged->ns;
    if (unjudged->reason == TP_UNJUDGED_NOTHING)
        return percent;
    return rest_ns > 0 ? fmin(100, percent * (double)window_ns / (double)rest_ns) : NAN;
}

/* Returns the note that names the time to which percent_of_judged_time refers; `usual` if the window has no unjudged
 * time. */
static const char *base_of_percentages_text(const struct tp_section *section, const char *usual)
{
    const struct tp_unjudged *unjudged = &section->profile->advice->verdict.unjudged;
    int64_t rest_ns = section->profile->model->window_ns - unjudged->ns;
    if (unjudged->reason == TP_UNJUDGED_NOTHING)
        return usual;
    uint32_t steps = section->profile->advice->verdict.steps_used;
    return rest_ns > 0 ? tp_text_printf(section->arena, "of the judged %s",
                                        tp_text_of_time(section->arena, steps ? rest_ns / steps : rest_ns))
                       : "too little to judge";
}

/* Returns what the busy time contains in addition to the computation that the headline names. */
static const char *contents_of_busy_time_text(const struct tp_section *section)
{
    bool has_communication = section->profile->advice->answer.parts[TP_ANSWER_COMMUNICATION].ns > 0;
    return has_communication ? "with copies and communication" : "with copies";
}

static struct tp_figure_block make_busy_figure(const struct tp_section *section)
{
    const struct tp_table *gpus = &section->profile->views->overview.gpu_summary;
    struct tp_arena *arena = section->arena;
    size_t row = tp_overview_main_gpu(&section->profile->views->overview);
    double busy = percent_of_judged_time(section, 100 * tp_table_real(gpus, TP_GPU_BUSY_RATIO)[row]);
    struct tp_figure_block figure =
        make_percentage_figure(arena, tp_section_words_for_producer(section, "{GPU} busy"), busy);

    const char *name = tp_section_device_name(section, tp_table_int(gpus, TP_GPU_ID)[row]);
    figure.note = gpus->row_count > 1 ? tp_text_printf(arena, "%s, the busiest of %zu", name, gpus->row_count)
                                      : base_of_percentages_text(section, contents_of_busy_time_text(section));
    figure.tone = tone_of_percentage(busy, 40, 70);
    figure.definition = gpus->defs[TP_GPU_BUSY_RATIO].definition;
    return figure;
}

/* Returns the figure of the occupancy. If it is unknown but the energy of a step is known, returns that figure, because
 * profilers with counters of devices record no occupancy. */
static struct tp_figure_block make_occupancy_or_energy_figure(const struct tp_section *section, double occupancy)
{
    const struct tp_views *views = section->profile->views;
    double energy_j = views->counters.energy_per_step_j;
    struct tp_figure_block figure;
    if (!isnan(occupancy) || isnan(energy_j)) {
        figure = make_percentage_figure(section->arena, "Occupancy", occupancy);
        figure.note = "estimated";
        figure.definition = views->overview.gpu_summary.defs[TP_GPU_OCCUPANCY].definition;
        return figure;
    }
    figure = make_text_figure(
        section->arena, "Energy per step",
        tp_text_printf(section->arena, "%s%.3g J", views->counters.energy_is_at_least ? "≥ " : "", energy_j));
    figure.note = "all devices";
    figure.definition = "Energy of all devices in an analysed step, from the samples of the counter Power (W).";
    return figure;
}

static void add_gpu_figures(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_table *gpus = &section->profile->views->overview.gpu_summary;
    struct tp_arena *arena = section->arena;
    size_t row = tp_overview_main_gpu(&section->profile->views->overview);
    double sm = percent_of_judged_time(section, 100 * tp_table_real(gpus, TP_GPU_SM_EFFICIENCY)[row]);
    double eligible = 100 * section->profile->views->overview.tensor_core_eligible_ratio,
           used = 100 * tp_table_real(gpus, TP_GPU_TENSOR_CORE)[row];
    struct tp_figure_block figure = make_percentage_figure(arena, "SM efficiency", sm);

    figure.note = "estimated";
    figure.note = base_of_percentages_text(section, figure.note);
    figure.tone = tone_of_percentage(sm, 30, 60);
    figure.definition = gpus->defs[TP_GPU_SM_EFFICIENCY].definition;
    tp_document_add_figure(document, &figure);
    figure = make_occupancy_or_energy_figure(section, tp_table_real(gpus, TP_GPU_OCCUPANCY)[row]);
    tp_document_add_figure(document, &figure);
    figure = make_percentage_figure(arena, "Tensor Core time", used);
    figure.note = eligible > 0 && eligible >= used
                      ? tp_text_printf(arena, "of kernel time, %s possible", tp_text_of_percent(arena, eligible))
                      : tp_section_words_for_producer(
                            section, eligible > 0 || used >= 0.05 ? "of kernel time" : "no {operator} could use them");
    figure.tone = eligible >= 10 && used < 0.05 ? TP_TONE_BAD : TP_TONE_PLAIN;
    figure.definition = gpus->defs[TP_GPU_TENSOR_CORE].definition;
    tp_document_add_figure(document, &figure);
}

static void add_cpu_figures(const struct tp_section *section, struct tp_document *document)
{
    enum tp_producer producer = section->profile->model->producer;
    const struct {
        unsigned average;
        const char *label, *definition;
    } SHARES[] = {
        {TP_CATEGORY_CPU_EXEC, tp_phrase(TP_PHRASE_HOST_SHARE, producer),
         tp_section_words_for_producer(
             section, "Share of step time in which {an operator} or {an annotation} runs on at least one thread.")},
        {TP_CATEGORY_DATALOADER, tp_phrase(TP_PHRASE_INPUT, producer), tp_phrase(TP_PHRASE_INPUT_SHARE, producer)},
        {TP_CATEGORY_COMMUNICATION, "Communication",
         "Share of step time in which a collective runs, but no kernel, copy or memset."},
    };
    const struct tp_overview *overview = &section->profile->views->overview;
    double total = overview->average_us[TP_AVERAGE_TOTAL];
    struct tp_figure_block figure;
    unsigned places = document->places;

    /* the bar of pages has the shares of parts that exclude each other */
    if (section->profile->advice->answer.whole_ns > 0)
        document->places &= ~(unsigned)TP_IN_PAGES;
    for (size_t i = 0; i < sizeof(SHARES) / sizeof(SHARES[0]); i++) {
        if (i && !(overview->average_us[SHARES[i].average] > 0))
            continue; /* many programs neither load data nor communicate */
        figure = make_percentage_figure(section->arena, SHARES[i].label,
                                        total > 0 ? 100 * overview->average_us[SHARES[i].average] / total : 0);
        figure.note = "of the step time";
        figure.definition = SHARES[i].definition;
        tp_document_add_figure(document, &figure);
    }
    document->places = places;
    if (!section->profile->views->facts.operator_count)
        return;
    figure = make_text_figure(section->arena, tp_section_words_for_producer(section, "{Operators called}"),
                              tp_text_of_count(section->arena, (int64_t)section->profile->views->facts.operator_count));
    figure.note = tp_text_printf(section->arena, "of %s",
                                 tp_text_of_counted_noun(section->arena,
                                                         (int64_t)section->profile->views->operators.by_name.row_count,
                                                         "kind", "kinds"));
    figure.definition =
        tp_section_words_for_producer(section, "Number of {operator calls} in the whole trace. {An operator} that only "
                                               "calls another {operator} of the same name counts once.");
    tp_document_add_figure(document, &figure);
}

/* Adds the memory peak of one device, a GPU if possible. */
static void add_memory_figures(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_memory_peak *memory = &section->profile->advice->memory;
    const struct tp_memory_device *best = NULL;
    struct tp_figure_block figure = {
        .label = "Peak memory", .value = "\xe2\x80\x93", .unit = "", .note = "not recorded", .meter = NAN};

    for (uint32_t i = 0; i < memory->device_count; i++) {
        const struct tp_memory_device *device = &memory->devices[i];

        if (!best || (device->device_type != 0) > (best->device_type != 0) ||
            ((device->device_type != 0) == (best->device_type != 0) &&
             device->peak_allocated_bytes > best->peak_allocated_bytes))
            best = device;
    }
    if (best) {
        const struct tp_gpu_property *property =
            best->device_type ? device_property(section->profile->trace, best->device_id) : NULL;

        figure = make_text_figure(section->arena,
                                  best->device_type ? tp_section_words_for_producer(section, "Peak {GPU} memory")
                                                    : "Peak CPU memory",
                                  tp_text_of_bytes(section->arena, best->peak_allocated_bytes));
        figure.note = best->totals_known ? "" : "above the start";
        if (property && property->total_memory_bytes > 0 && best->totals_known)
            figure.note =
                tp_text_printf(section->arena, "of %s", tp_text_of_bytes(section->arena, property->total_memory_bytes));
    }
    figure.definition = "Largest number of bytes that were allocated at the same time.";
    tp_document_add_figure(document, &figure);
}

static bool has_known_gpu(const struct tp_model *model)
{
    bool is_any = false;
    for (uint32_t g = 0; g < model->gpu_count; g++)
        is_any |= !model->gpus[g].is_own;
    return is_any;
}

void tp_section_put_figures(const struct tp_section *section, struct tp_document *document)
{
    unsigned places = document->places;
    if (section->profile->is_silent) { /* the steps are too short for meaningful percentages */
        document->places = TP_IN_PAGES;
        add_memory_figures(section, document);
        document->places = places;
        return;
    }
    struct tp_figure_block figure = make_step_figure(section);
    tp_document_add_figure(document, &figure);
    if (section->profile->views->overview.gpu_summary.row_count) {
        figure = make_busy_figure(section);
        tp_document_add_figure(document, &figure);
    }
    document->places = TP_IN_PAGES; /* other outputs get only the two figures above */
    if (!section->profile->views->overview.gpu_summary.row_count)
        add_cpu_figures(section, document);
    else if (has_known_gpu(
                 section->profile->model)) /* for devices that the program defined, these figures are unknown */
        add_gpu_figures(section, document);
    add_memory_figures(section, document);
    document->places = places;
}
