/* Makes the picture of a trace for a page about several traces (../charts/trace_picture.h). */
#include <string.h>

#include "webreport/document/report/sections.h"

static const char *copy_text(struct tp_arena *arena, const char *text)
{
    return text ? tp_arena_copy(arena, text, strlen(text)) : NULL;
}

static struct tp_str copy_str(struct tp_arena *arena, struct tp_str text)
{
    return text.ptr ? (struct tp_str){tp_arena_copy(arena, text.ptr, text.len), text.len} : text;
}

/* ---- findings ---- */

static void copy_finding(struct tp_finding_block *to, const struct tp_finding_block *from, struct tp_arena *arena)
{
    *to = (struct tp_finding_block){.tone = from->tone,
                                    .status = copy_text(arena, from->status),
                                    .id = copy_text(arena, from->id),
                                    .title = copy_text(arena, from->title),
                                    .marked_title = copy_text(arena, from->marked_title),
                                    .value = copy_text(arena, from->value),
                                    .change = copy_text(arena, from->change),
                                    .reasons = {copy_text(arena, from->reasons[0])},
                                    .short_reason = copy_text(arena, from->short_reason),
                                    .more_reason = copy_text(arena, from->more_reason),
                                    .advice = copy_text(arena, from->advice),
                                    .link = copy_text(arena, from->link),
                                    .proof = copy_text(arena, from->proof),
                                    .look = copy_text(arena, from->look),
                                    .saving = copy_text(arena, from->saving),
                                    .then = copy_text(arena, from->then),
                                    .saving_share = copy_text(arena, from->saving_share),
                                    .low_percent = from->low_percent,
                                    .high_percent = from->high_percent,
                                    .is_small = from->is_small};
    struct tp_finding_block *remedies = tp_arena_array(arena, from->remedy_count + 1, sizeof *remedies);
    struct tp_place_block *places = tp_arena_array(arena, from->place_count + 1, sizeof *places);
    for (uint32_t i = 0; i < from->remedy_count; i++)
        remedies[i] = (struct tp_finding_block){.id = copy_text(arena, from->remedies[i].id),
                                                .title = copy_text(arena, from->remedies[i].title),
                                                .marked_title = copy_text(arena, from->remedies[i].marked_title),
                                                .advice = copy_text(arena, from->remedies[i].advice),
                                                .reasons = {copy_text(arena, from->remedies[i].reasons[0])}};
    for (uint32_t i = 0; i < from->place_count; i++)
        places[i] = (struct tp_place_block){.file_line = copy_str(arena, from->places[i].file_line),
                                            .text = copy_str(arena, from->places[i].text),
                                            .at = copy_text(arena, from->places[i].at),
                                            .href = copy_text(arena, from->places[i].href)};
    to->remedies = remedies;
    to->remedy_count = from->remedy_count;
    to->places = places;
    to->place_count = from->place_count;
}

void tp_findings_copy(struct tp_findings_block *to, const char *heading, const struct tp_section *section,
                      struct tp_arena *arena)
{
    struct tp_document document;
    tp_document_init(&document, "Findings", section->arena);
    tp_section_put_findings(section, &document);
    const struct tp_findings_block *from = &tp_document_block_at(&document, 0)->findings;
    *to = (struct tp_findings_block){.heading = heading,
                                     .remark = copy_text(arena, from->remark),
                                     .note = copy_text(arena, from->note),
                                     .items = tp_arena_array(arena, from->count + 1, sizeof *to->items),
                                     .count = from->count,
                                     .shown = from->shown,
                                     .open_count = from->open_count,
                                     .more_title = copy_text(arena, from->more_title)};
    for (size_t i = 0; i < from->count; i++)
        copy_finding(&to->items[i], &from->items[i], arena);
}

/* ---- the step in time ---- */

static void copy_lane(struct tp_strip_row *to, const struct tp_strip_row *from, struct tp_arena *arena)
{
    struct tp_row_slice *slices = tp_arena_array(arena, from->count + 1, sizeof *slices);
    for (size_t i = 0; i < from->count; i++) {
        slices[i] = from->slices[i];
        slices[i].text = copy_str(arena, slices[i].text);
    }
    *to = *from;
    to->label = copy_text(arena, from->label);
    to->slices = slices;
}

void tp_trace_picture_build(struct tp_trace_picture *picture, const struct tp_profile *profile,
                            const struct tp_section_options *options, struct tp_arena *arena)
{
    const struct tp_answer *answer = &profile->advice->answer;
    struct tp_section section;
    struct tp_page_limits limits;
    tp_page_limits_fill(&limits, 0, SIZE_MAX, TP_TIMELINE_LONGEST);
    tp_section_init(&section, arena, profile, options);
    section.limits = &limits;
    *picture = (struct tp_trace_picture){.is_present = true, .title = copy_text(arena, section.title)};
    tp_findings_copy(&picture->findings, "What to do next, best first", &section, arena);
    if (!answer->strip_count)
        return;
    const struct tp_strip *strip = &answer->strips[0];
    struct tp_str step = tp_shown_text(&section.naming, profile->model->steps[strip->step].name);
    picture->start_ns = strip->start_ns;
    picture->end_ns = strip->end_ns;
    picture->step = tp_text_printf(arena, "%.*s", (int)step.len, step.ptr);
    picture->lane_count = strip->lane_count;
    for (unsigned i = 0; i < strip->lane_count; i++) {
        struct tp_strip_row lane = tp_section_strip_row(&section, &strip->lanes[i]);
        copy_lane(&picture->lanes[i], &lane, arena);
    }
}
