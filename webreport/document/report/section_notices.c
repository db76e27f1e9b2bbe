/* Adds a notice above the verdict about damaged input, and notices below the findings about contradictions and about
 * missing device work, steps or sections. */
#include <string.h>

#include "webreport/document/report/sections.h"
#include "webreport/document/words/device_words.h"
#include "webreport/document/words/input_words.h"

static bool has_notices(const struct tp_reading *reading, bool of_damage)
{
    for (enum tp_notice i = 0; i < TP_NOTICE_COUNT; i++)
        if (reading->notices[i] && tp_notice_is_damage(i) == of_damage)
            return true;
    return false;
}

/* Adds a line for each kind of damage (of_damage) or for each other kind of notice, with description and count. Lines
 * about damage also have the byte offset of the first occurrence. */
static void add_notice_points(struct tp_document *document, const struct tp_reading *reading, bool of_damage)
{
    struct tp_arena *arena = document->arena;

    for (enum tp_notice i = 0; i < TP_NOTICE_COUNT; i++) {
        const char *count = tp_text_of_count(arena, (int64_t)reading->notices[i]);
        if (!reading->notices[i] || tp_notice_is_damage(i) != of_damage)
            continue;
        tp_document_add_notice_point(
            document, of_damage ? tp_text_printf(arena, "%s: %s, first at byte %s", tp_notice_text(i), count,
                                                 tp_text_of_count(arena, (int64_t)reading->notice_offset[i]))
                                : tp_text_printf(arena, "%s: %s", tp_notice_text(i), count));
    }
}

static void add_damage_notice(struct tp_document *document, const struct tp_profile *profile)
{
    struct tp_arena *arena = document->arena;
    const struct tp_reading *reading = &profile->trace->reading;

    if (has_notices(reading, true)) {
        tp_document_add_notice(
            document, TP_TONE_WARN,
            tp_text_printf(arena, "This trace is damaged: only %s could be read",
                           tp_text_of_counted_noun(arena, profile->advice->quality.events_total, "event", "events")),
            "All numbers come from the readable part of the file.");
        add_notice_points(document, reading, true);
    }
}

/* Adds a notice about events that cannot be true together, because their times are unchanged. */
static void add_notice_of_contradictions(struct tp_document *document, const struct tp_reading *reading)
{
    if (!reading->notices[TP_NOTICE_TIME_OUTLIER] && !reading->notices[TP_NOTICE_OVERLAP])
        return;
    tp_document_add_notice(document, TP_TONE_UNSURE, "Some events of this trace contradict each other",
                           "The events are shown unchanged, and overlapping times are counted once.");
    add_notice_points(document, reading, false);
}

/* Adds a notice about known losses of the input, because the report's numbers may cover only a part of the
 * recording. */
static void add_evidence_notice(struct tp_document *document, const struct tp_profile *profile)
{
    const char *reason = tp_evidence_reason(&profile->trace->evidence, TP_NEED_ALL, document->arena);
    if (*reason)
        tp_document_add_notice(
            document, TP_TONE_WARN, "This trace is incomplete",
            tp_text_printf(
                document->arena,
                "Reason: %s. tracepress check and tracepress diff give no verdict on numbers that the damage affects.",
                reason));
}

enum { LEAST_UNREAD_PERCENT = 1 };

/* Returns the unknown event categories that take at least 1 % of the recorded time, or "". *count: number of their
 * events. */
static const char *unknown_categories_text(const struct tp_section *section, int64_t *count)
{
    struct tp_arena *arena = section->arena;
    const struct tp_trace *trace = section->profile->trace;
    const struct tp_model *model = section->profile->model;
    int64_t whole_ns = model->last_ns - model->first_ns;
    const char *text = "";
    *count = 0;
    for (unsigned i = 0; i < TP_UNKNOWN_CATEGORIES; i++) {
        const struct tp_unknown_category *unread = &trace->reading.unknown_categories[i];
        struct tp_str cat = tp_shown_text(&section->naming, tp_strings_get(&trace->cats, unread->cat));
        if (!unread->count || tp_percent(unread->time_ns, whole_ns) < LEAST_UNREAD_PERCENT)
            continue;
        cat = cat.len ? cat : TP_STR("no category");
        text = tp_text_printf(
            arena, "%s%s%.*s: %s, %s (%s of the recorded time)", text, *text ? "; " : "", (int)cat.len, cat.ptr,
            tp_text_of_counted_noun(arena, (int64_t)unread->count, "event", "events"),
            tp_text_of_time(arena, unread->time_ns), tp_text_of_percent(arena, tp_percent(unread->time_ns, whole_ns)));
        *count += (int64_t)unread->count;
    }
    return text;
}

/* Returns the sentence about many events of unknown categories; "" if they are few. */
static const char *many_unknown_events_text(const struct tp_section *section)
{
    return tp_input_unknown_categories_text(section->profile->trace, tp_shown_text_for_viewer, &section->naming,
                                            section->arena);
}

static void add_notice_of_skipped_events(struct tp_document *document, const struct tp_section *section)
{
    struct tp_arena *arena = document->arena;
    int64_t count;
    const char *text = unknown_categories_text(section, &count);
    if (count)
        tp_document_add_notice(
            document, TP_TONE_WARN,
            tp_text_printf(arena, "%s ignored, because tracepress does not know the category",
                           tp_text_of_counted_noun(arena, count, "event is", "events are")),
            tp_text_printf(arena, "No number of this report includes the ignored events. %s.", text));
    text = count ? "" : many_unknown_events_text(section);
    if (*text)
        tp_document_add_notice(document, TP_TONE_WARN, "Some events have an unknown category",
                               tp_text_printf(arena, "%s.", text));
}

/* Texts for events whose end time in the file is impossible, and the events themselves. */
struct impossible_ends {
    const char *singular, *plural, *rule;
    const struct tp_cut *cut;
};

/* Returns a text about the longest event with an impossible end, such as "The longest one is gemm: 3.40 s in the
 * file, shortened to 35 us". */
static const char *longest_impossible_event_text(const struct tp_section *section, const struct tp_cut *cut)
{
    struct tp_arena *arena = section->arena;
    struct tp_str name = tp_shown_text(&section->naming, tp_strings_get(&section->profile->trace->names, cut->name));
    return tp_text_printf(arena, "The longest one is %.*s: %s in the file, shortened to %s", (int)name.len, name.ptr,
                          tp_text_of_time(arena, cut->recorded_ns), tp_text_of_time(arena, cut->kept_ns));
}

static void list_impossible_ends(const struct tp_section *section, struct impossible_ends list[2])
{
    const struct tp_reading *reading = &section->profile->trace->reading;
    list[0] = (struct impossible_ends){
        "device operation", "device operations",
        "Operations of a stream run one after the other, but a later operation ended before an earlier one.",
        &reading->cut_operations};
    list[1] = (struct impossible_ends){
        "Python call", "Python calls",
        "A call must end before its caller ends, but the profiler missed the end of the call.", &reading->cut_frames};
}

static void add_notice_of_impossible_ends(struct tp_document *document, const struct tp_section *section)
{
    struct tp_arena *arena = document->arena;
    struct impossible_ends list[2];
    list_impossible_ends(section, list);
    for (unsigned i = 0; i < 2; i++)
        if (list[i].cut->count)
            tp_document_add_notice(
                document, TP_TONE_WARN,
                tp_text_printf(
                    arena, "%s %s shortened, because the recorded end is impossible",
                    tp_text_of_counted_noun(arena, (int64_t)list[i].cut->count, list[i].singular, list[i].plural),
                    list[i].cut->count == 1 ? "was" : "were"),
                tp_text_printf(arena, "%s %s.", list[i].rule, longest_impossible_event_text(section, list[i].cut)));
}

void tp_section_put_data_notices(const struct tp_section *section, struct tp_document *document)
{
    struct tp_arena *arena = section->arena;
    struct impossible_ends list[2];
    int64_t count;
    const char *unread = unknown_categories_text(section, &count);
    if (count)
        tp_document_add_fact(document, "Ignored events of an unknown category", unread);
    else if (*(unread = many_unknown_events_text(section)))
        tp_document_add_fact(document, "Ignored events of an unknown category", unread);
    list_impossible_ends(section, list);
    for (unsigned i = 0; i < 2; i++)
        if (list[i].cut->count)
            tp_document_add_fact(document, "Shortened, because the recorded end is impossible",
                                 tp_text_printf(arena, "%s. %s.",
                                                tp_text_of_counted_noun(arena, (int64_t)list[i].cut->count,
                                                                        list[i].singular, list[i].plural),
                                                longest_impossible_event_text(section, list[i].cut)));
}

/* Adds a notice if a large part of the delay on the host is the cost of recording. */
static void add_notice_of_recording_overhead(struct tp_document *document, const struct tp_profile *profile)
{
    static const double LEAST_PERCENT = 10, LEAST_STARVED_PERCENT = 20;
    const struct tp_recommendations *found = &profile->advice->recommendations;
    const struct tp_overhead *overhead = &found->overhead;
    struct tp_arena *arena = document->arena;
    double part = tp_percent(overhead->cost_ns, overhead->starved_ns);
    double ms = (double)overhead->starved_ns / 1e6;

    if (strcmp(found->program, "gpu") != 0 || part < LEAST_PERCENT ||
        tp_percent(overhead->starved_ns, found->window_ns) < LEAST_STARVED_PERCENT)
        return;
    tp_document_add_notice(
        document, TP_TONE_UNSURE, "The profiler slows the host down",
        tp_text_printf(arena,
                       "Record once %s before you change the program. At least %s of the time in which the device "
                       "waits for the host is overhead of the profiler. The profiler records %s Python frames and %s "
                       "operators per millisecond of this time. The estimates exclude the overhead.",
                       overhead->frames ? "without stacks (with_stack=False)" : "without shapes and memory",
                       tp_text_of_percent(arena, part), tp_text_of_fixed(arena, (double)overhead->frames / ms, 0),
                       tp_text_of_fixed(arena, (double)overhead->operators / ms, 0)));
}

/* Returns a sentence that says how the user marks steps. */
static const char *advice_on_steps(const struct tp_profile *profile)
{
    return tp_input_is_of_another_tool(&profile->trace->input)
               ? "To mark steps, open a range, such as an NVTX or roctx range, once per iteration."
               : tp_phrase(TP_PHRASE_MARK_STEPS, profile->model->producer);
}

static void add_notice_of_missing_sections(struct tp_document *document, const struct tp_section *section)
{
    const struct tp_profile *profile = section->profile;
    struct tp_arena *arena = document->arena;
    const struct tp_views *views = profile->views;
    const struct tp_recommendations *found = &profile->advice->recommendations;
    const char *how_device = tp_phrase(TP_PHRASE_RECORD_DEVICE, profile->model->producer);

    if (strcmp(found->program, "device_missing") == 0)
        tp_document_add_notice(document, TP_TONE_BAD, "No device work was recorded",
                               tp_text_printf(arena, "The sections about the GPU are left out. %s",
                                              tp_device_missing_advice(profile->model, arena)));
    else if (!views->facts.device_time_ns && !views->kernels.is_present && how_device)
        tp_document_add_notice(document, TP_TONE_UNSURE, "This trace contains no GPU activity",
                               tp_text_printf(arena, "The sections about the GPU are left out. %s",
                                              tp_input_is_of_another_tool(&profile->trace->input) ? "" : how_device));
    if (strcmp(views->facts.step_marker, "window") == 0 && profile->advice->serving.is_present)
        tp_document_add_notice(
            document, TP_TONE_UNSURE, "The trace has too few engine steps to compare",
            tp_text_printf(
                arena,
                "The whole recording of %s counts as one step. The section Serving lists the engine's own steps.",
                tp_text_of_time(arena, profile->model->window_ns)));
    else if (strcmp(views->facts.step_marker, "window") == 0 && !profile->is_silent)
        tp_document_add_notice(document, TP_TONE_UNSURE, "No steps are marked in this trace",
                               tp_text_printf(arena, "The whole recorded time of %s counts as one step. %s",
                                              tp_text_of_time(arena, profile->model->window_ns),
                                              advice_on_steps(profile)));
    else if (tp_steps_are_inferred(profile->model) && !profile->is_silent)
        tp_document_add_notice(document, TP_TONE_UNSURE, "No steps are marked in this trace",
                               tp_text_printf(arena, "Steps are inferred from %s. %s",
                                              tp_step_source_text(&section->naming, profile->model),
                                              advice_on_steps(profile)));
    add_notice_of_recording_overhead(document, profile);
    if (profile->model->trace->reading.counter_events)
        tp_document_add_notice(
            document, TP_TONE_UNSURE, "This page does not show the hardware counters of the trace",
            tp_text_printf(
                arena,
                "The counters of CuptiRangeProfiler are in %s. To read the counters, open the JSON of the trace "
                "and search for the category cuda_profiler_range.",
                tp_text_of_counted_noun(arena, (int64_t)profile->model->trace->reading.counter_events, "event",
                                        "events")));
    if (profile->advice->quality.out_of_memory_events)
        tp_document_add_notice(
            document, TP_TONE_BAD,
            tp_text_printf(
                arena, "The allocator ran out of memory %s",
                tp_text_of_counted_noun(arena, profile->advice->quality.out_of_memory_events, "time", "times")),
            "");
}

/* Returns a sentence about sections that are missing because a recording option was off; NULL if all sections have
 * data. */
static const char *missing_sections_text(struct tp_arena *arena, const struct tp_profile *profile)
{
    const struct tp_views *views = profile->views;
    const char *memory = tp_phrase(TP_PHRASE_RECORD_MEMORY, profile->model->producer);
    const char *modules = tp_phrase(TP_PHRASE_RECORD_MODULES, profile->model->producer);

    if (views->memory.is_present && views->modules.is_present)
        return NULL;
    return tp_text_printf(arena, "This trace does not contain %s%s%s.", views->memory.is_present ? "" : memory,
                          views->memory.is_present || views->modules.is_present ? "" : " or ",
                          views->modules.is_present ? "" : modules);
}

/* Adds a notice that names the producer of the input and what the input cannot show, with the notes of the reader as
 * points. */
static void add_notice_of_input(struct tp_document *document, const struct tp_profile *profile)
{
    const struct tp_input_facts *facts = &profile->trace->input;
    struct tp_arena *arena = document->arena;
    const char *unknown = tp_input_unknown_text(facts, arena);
    if (!facts->producer.ptr && !*unknown)
        return;
    const char *head = facts->producer.ptr
                           ? tp_text_printf(arena, "Input: %.*s", (int)facts->producer.len, facts->producer.ptr)
                           : "A part of the data is not in this trace";
    tp_document_add_notice(document, TP_TONE_UNSURE, head,
                           *unknown ? tp_text_printf(arena, "%s Numbers that need this data are unknown.", unknown)
                                    : "");
    for (uint32_t i = 0; i < facts->note_count; i++)
        tp_document_add_notice_point(document,
                                     tp_text_printf(arena, "%.*s", (int)facts->notes[i].len, facts->notes[i].ptr));
    for (uint32_t i = 0; i < facts->dropped_count; i++)
        tp_document_add_notice_point(document,
                                     tp_text_printf(arena, "%.*s: %s not read", (int)facts->dropped[i].what.len,
                                                    facts->dropped[i].what.ptr,
                                                    tp_text_of_count(arena, (int64_t)facts->dropped[i].count)));
}

void tp_section_put_notices(const struct tp_section *section, struct tp_document *document)
{
    add_damage_notice(document, section->profile);
    add_notice_of_input(document, section->profile);
}

/* Returns whether the page lists the recording options that were off at its end. */
static bool has_flag_of_options(const struct tp_quality *quality)
{
    for (unsigned i = 0; i < TP_QUALITY_FLAGS; i++)
        if (strcmp(quality->flags[i].id, "F7") == 0)
            return quality->flags[i].is_raised;
    return false;
}

/* Adds a note on missing sections. Pages omit it if they list the recording options instead. */
static void add_note_of_missing_sections(struct tp_document *document, const struct tp_section *section)
{
    const char *absent = missing_sections_text(section->arena, section->profile);
    unsigned places = document->places;
    if (!absent || tp_input_is_of_another_tool(&section->profile->trace->input))
        return;
    if (has_flag_of_options(&section->profile->advice->quality))
        document->places &= ~(unsigned)TP_IN_PAGES;
    tp_document_add_note(document, absent);
    document->places = places;
}

void tp_section_put_later_notices(const struct tp_section *section, struct tp_document *document)
{
    add_evidence_notice(document, section->profile);
    add_notice_of_contradictions(document, &section->profile->trace->reading);
    if (tp_advice_is_for_program(section->profile->advice, section->profile->model))
        return; /* the other notices describe steps, devices or allocators, which a program recorded from outside does
                   not have */
    add_notice_of_skipped_events(document, section);
    add_notice_of_impossible_ends(document, section);
    add_notice_of_missing_sections(document, section);
    add_note_of_missing_sections(document, section);
}
