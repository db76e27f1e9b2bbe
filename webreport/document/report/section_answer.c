/* Adds the charts of the first screen: the bar by cause, the ribbon of steps, and the strip of a step. */
#include <string.h>

#include "webreport/document/charts/causes.h"
#include "webreport/document/report/sections.h"
#include "webreport/document/words/answer_words.h"
#include "writer/base/saturate.h"

enum { LANE_HEIGHT = 20, FILE_HEIGHT = 16 };

static const struct tp_answer *answer_of(const struct tp_section *section)
{
    return &section->profile->advice->answer;
}

/* ---- the bar ---- */

static int64_t step_ns(const struct tp_section *section, int64_t ns)
{
    uint32_t steps = section->profile->advice->verdict.steps_used;
    return steps ? ns / steps : ns;
}

static struct tp_bar_segment *add_segment(struct tp_bar_segment *segment, const char *label, int64_t ns,
                                          enum tp_look look)
{
    *segment = (struct tp_bar_segment){.label = label, .ns = ns, .look = look};
    return segment + 1;
}

/* Adds a part to the bar: work as one segment for each of its kinds, other parts as one segment. */
static struct tp_bar_segment *add_part(const struct tp_section *section, struct tp_bar_segment *segment,
                                       const struct tp_answer_part *part)
{
    const struct tp_answer *answer = answer_of(section);
    struct tp_bar_segment *first = segment;
    if (part->ns <= 0)
        return segment;
    for (unsigned i = 0; i < part->segment_count; i++)
        segment = add_segment(
            segment,
            part->segment_count == 1
                ? tp_section_words_for_producer(section, tp_answer_part_title(part->kind, answer->has_device))
                : tp_answer_segment_title(section->profile->model, &part->segments[i], section->arena),
            step_ns(section, part->segments[i].ns),
            tp_look_of_part(part->kind, part->segment_count == 1       ? 0
                                        : i + 1 == part->segment_count ? 2
                                                                       : i));
    if (!part->segment_count)
        segment = add_segment(
            segment, tp_section_words_for_producer(section, tp_answer_part_title(part->kind, answer->has_device)),
            step_ns(section, part->ns), tp_look_of_part(part->kind, 0));
    first->is_avoidable = part->is_avoidable;
    first->cause_ns = part->ns;
    return segment;
}

/* Fills the order of the bar: the part of the headline, the other avoidable parts by time, work, and what is not
 * judged. */
static void order_parts(const struct tp_answer *answer, enum tp_answer_part_kind order[TP_ANSWER_KINDS])
{
    bool is_used[TP_ANSWER_KINDS] = {false};
    for (unsigned n = 0; n < TP_ANSWER_KINDS; n++) {
        enum tp_answer_part_kind best = TP_ANSWER_KINDS;
        for (enum tp_answer_part_kind k = 0; k < TP_ANSWER_KINDS; k++) {
            if (is_used[k])
                continue;
            const struct tp_answer_part *part = &answer->parts[k];
            const struct tp_answer_part *other = best == TP_ANSWER_KINDS ? NULL : &answer->parts[best];
            if (!other || part->is_avoidable > other->is_avoidable ||
                (part->is_avoidable == other->is_avoidable &&
                 (k == TP_ANSWER_NOT_SHOWN) < (best == TP_ANSWER_NOT_SHOWN)) ||
                (part->is_avoidable == other->is_avoidable &&
                 (k == TP_ANSWER_NOT_SHOWN) == (best == TP_ANSWER_NOT_SHOWN) && part->ns > other->ns))
                best = k;
        }
        is_used[best] = true;
        order[n] = best;
    }
}

static void put_bar(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_answer *answer = answer_of(section);
    struct tp_bar_segment segments[TP_ANSWER_KINDS + TP_ANSWER_SEGMENTS], *end = segments;
    enum tp_answer_part_kind order[TP_ANSWER_KINDS];
    if (!answer->whole_ns)
        return;
    order_parts(answer, order);
    for (unsigned i = 0; i < TP_ANSWER_KINDS; i++)
        end = add_part(section, end, &answer->parts[order[i]]);
    const char *caption = tp_text_printf(section->arena, "Where the %s of the step go",
                                         tp_text_of_time(section->arena, step_ns(section, answer->whole_ns)));
    tp_document_add_chart(document, "causes",
                          tp_chart_causes(section->arena, caption, "By cause", segments, (size_t)(end - segments)),
                          NULL);
}

/* ---- the ribbon ---- */

static void put_ribbon(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_answer *answer = answer_of(section);
    const struct tp_model *model = section->profile->model;
    struct tp_ribbon_step *steps = tp_arena_array(section->arena, answer->step_count + 1, sizeof *steps);
    size_t count = 0, shown = 0;
    if (!answer->strip_count)
        return;
    for (uint32_t i = 0; i < answer->step_count && count < section->limits->step_bars; i++) {
        const struct tp_answer_step *row = &answer->steps[i];
        struct tp_ribbon_step *step = &steps[count];
        step->name = tp_shown_text(&section->naming, model->steps[row->step].name);
        step->total_ns = tp_sat_sub(model->steps[row->step].end_ns, model->steps[row->step].start_ns);
        for (enum tp_answer_part_kind k = 0; k < TP_ANSWER_KINDS; k++)
            step->look_ns[tp_look_of_part(k, 0)] += row->part_ns[k];
        shown = row->step == answer->strips[0].step ? count : shown;
        count++;
    }
    tp_document_add_chart(
        document, "ribbon",
        tp_chart_ribbon(section->arena, steps, count, shown, answer->strip_count == answer->step_count), NULL);
}

/* ---- the strip ---- */

struct tp_strip_row tp_section_strip_row(const struct tp_section *section, const struct tp_strip_lane *lane)
{
    const struct tp_trace *trace = section->profile->trace;
    struct tp_row_slice *slices = tp_arena_array(section->arena, lane->count + 1, sizeof *slices);
    bool is_torch =
        tp_uses_torch_words(section->profile->model->producer) && !tp_input_is_of_another_tool(&trace->input);
    for (uint32_t i = 0; i < lane->count; i++) {
        const struct tp_strip_slice *slice = &lane->slices[i];
        slices[i] =
            (struct tp_row_slice){.a = slice->a, .b = slice->b, .look = tp_look_of_part(slice->part, slice->shade)};
        if (lane->is_host && slice->name != TP_NO_ID)
            slices[i].text = tp_shown_text(&section->naming, tp_short_host_name(trace->names.items[slice->name]));
    }
    bool has_device = section->profile->advice->answer.has_device;
    return (struct tp_strip_row){.label = lane->is_host ? !is_torch    ? "Host"
                                                          : has_device ? "Python"
                                                                       : "Thread"
                                                        : tp_section_device_name(section, lane->id),
                                 .height = LANE_HEIGHT,
                                 .slices = slices,
                                 .count = lane->count};
}

/* Returns the times of the findings in the order of the list of actions, for marks in the strip. */
static size_t find_marks(const struct tp_section *section, struct tp_row_marks *marks)
{
    const struct tp_recommendations *found = &section->profile->advice->recommendations;
    size_t count = 0;
    for (uint32_t i = 0; i < found->finding_count; i++)
        if (found->findings[i].spans.count)
            marks[count++] = (struct tp_row_marks){tp_finding_number(section, &found->findings[i]),
                                                   found->findings[i].spans.items, found->findings[i].spans.count};
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (marks[i].number)
            marks[kept++] = marks[i];
    return kept;
}

static void add_strip(const struct tp_section *section, struct tp_list *list, const struct tp_strip *strip)
{
    const struct tp_answer *answer = answer_of(section);
    const struct tp_model *model = section->profile->model;
    struct tp_strip_row lanes[2];
    struct tp_row_marks *marks =
        tp_arena_array(section->arena, section->profile->advice->recommendations.finding_count + 1, sizeof *marks);
    size_t number = 0;
    for (uint32_t i = 0; i < answer->step_count; i++)
        number = answer->steps[i].step == strip->step ? i : number;
    for (unsigned i = 0; i < strip->lane_count; i++)
        lanes[i] = tp_section_strip_row(section, &strip->lanes[i]);
    struct tp_strip_chart chart = {.caption = answer->step_count > 1
                                                  ? tp_text_printf(section->arena, "Step %.*s in time",
                                                                   (int)model->steps[strip->step].name.len,
                                                                   model->steps[strip->step].name.ptr)
                                                  : "The step in time",
                                   .start_ns = strip->start_ns,
                                   .end_ns = strip->end_ns,
                                   .lanes = lanes,
                                   .lane_count = strip->lane_count,
                                   .marks = marks,
                                   .mark_count = find_marks(section, marks),
                                   .named_ns = strip->first_work_ns,
                                   .named = tp_section_words_for_producer(section, "first {GPU} work"),
                                   .step = answer->step_count > 2 ? tp_text_printf(section->arena, "%zu", number) : "",
                                   .note = "",
                                   .is_hidden = strip != &answer->strips[0]};
    tp_chart_put_strip(tp_list_add_object(list), section->arena, &chart);
}

/* Adds the file as a lane, if much of it is outside of the steps: judged time, and the rest hatched. */
static void add_file_strip(const struct tp_section *section, struct tp_list *list)
{
    static const double LEAST_PERCENT = 20;
    const struct tp_model *model = section->profile->model;
    int64_t whole_ns = tp_sat_sub(model->last_ns, model->first_ns), outside_ns = tp_sat_sub(whole_ns, model->window_ns);
    size_t count = 0;
    if (!answer_of(section)->whole_ns || tp_percent(outside_ns, whole_ns) < LEAST_PERCENT)
        return;
    struct tp_row_slice *slices = tp_arena_array(section->arena, model->window.count + 1, sizeof *slices);
    slices[count++] = (struct tp_row_slice){model->first_ns, model->last_ns, TP_LOOK_HATCH, {NULL, 0}};
    for (size_t i = 0; i < model->window.count; i++)
        slices[count++] =
            (struct tp_row_slice){model->window.items[i].a, model->window.items[i].b, TP_LOOK_GPU, {NULL, 0}};
    struct tp_strip_row lane = {.label = "File", .height = FILE_HEIGHT, .slices = slices, .count = count};
    struct tp_strip_chart chart = {.caption = "The file in time",
                                   .start_ns = model->first_ns,
                                   .end_ns = model->last_ns,
                                   .lanes = &lane,
                                   .lane_count = 1,
                                   .named_ns = INT64_MAX,
                                   .step = "",
                                   .note = tp_text_printf(section->arena,
                                                          "%s are outside of the analysed steps and not judged",
                                                          tp_part_of_time_text(section->arena, outside_ns, whole_ns))};
    tp_chart_put_strip(tp_list_add_object(list), section->arena, &chart);
}

void tp_section_put_charts(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_answer *answer = answer_of(section);
    struct tp_list *list = tp_list_new(section->arena);
    put_bar(section, document);
    put_ribbon(section, document);
    for (uint32_t i = 0; i < answer->strip_count && section->limits->step_bars; i++)
        add_strip(section, list, &answer->strips[i]);
    add_file_strip(section, list);
    tp_document_add_chart(document, "strips", tp_data_of_list(list), NULL);
}
