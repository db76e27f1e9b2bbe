/* Formats the verdict of the analysis: its class as a tag, its headline, and a line with the step time and the longest
 * gap. */
#include "webreport/document/section_verdict.h"

#include <math.h>
#include <string.h>

#include "webreport/document/looks.h"
#include "webreport/document/words/device_words.h"
#include "webreport/document/words/verdict_words.h"
#include "webreport/measure/audience/wording.h"

static const struct {
    const char *tag;
    enum tp_tone tone;
} CLASSES[TP_CLASS_COUNT] = {
    [TP_CLASS_COMPUTE_BOUND] = {"Compute-bound", TP_TONE_GOOD},
    [TP_CLASS_BALANCED] = {"Balanced", TP_TONE_UNSURE},
    [TP_CLASS_NOT_SHOWN] = {"Cause unknown", TP_TONE_UNSURE},
    [TP_CLASS_STALL] = {"Stall", TP_TONE_PLAIN},
    [TP_CLASS_COMMUNICATION_BOUND] = {"Communication-bound", TP_TONE_PLAIN},
    [TP_CLASS_COPY_BOUND] = {"Copy-bound", TP_TONE_PLAIN},
    [TP_CLASS_INPUT_BOUND] = {"Input-bound", TP_TONE_PLAIN},
    [TP_CLASS_SYNC_BOUND] = {"Sync-bound", TP_TONE_PLAIN},
    [TP_CLASS_LAUNCH_BOUND] = {"Launch-bound", TP_TONE_PLAIN},
    [TP_CLASS_CPU] = {"CPU only", TP_TONE_UNSURE},
    [TP_CLASS_DEVICE_MISSING] = {"Device missing", TP_TONE_UNSURE},
    [TP_CLASS_OTHER_DEVICE] = {"Other device", TP_TONE_UNSURE},
    [TP_CLASS_SAMPLES] = {"Samples only", TP_TONE_UNSURE},
    [TP_CLASS_EMPTY] = {"No data", TP_TONE_UNSURE},
    [TP_CLASS_TOO_LITTLE] = {"Too little work", TP_TONE_UNSURE},
    [TP_CLASS_CAPTURE] = {"Graph capture", TP_TONE_UNSURE},
    [TP_CLASS_FIRST_USE] = {"First use", TP_TONE_UNSURE},
    [TP_CLASS_PROGRAM + TP_PROGRAM_TOO_SHORT] = {"Too short", TP_TONE_UNSURE},
    [TP_CLASS_PROGRAM + TP_PROGRAM_IDLE] = {"Idle server", TP_TONE_UNSURE},
    [TP_CLASS_PROGRAM + TP_PROGRAM_WAITS_FOR_CPU] = {"Waiting for a CPU", TP_TONE_PLAIN},
    [TP_CLASS_PROGRAM + TP_PROGRAM_WAITS_FOR_DISK] = {"Waiting for the disk", TP_TONE_PLAIN},
    [TP_CLASS_PROGRAM + TP_PROGRAM_WAITS_FOR_SOCKET] = {"Waiting for a socket", TP_TONE_PLAIN},
    [TP_CLASS_PROGRAM + TP_PROGRAM_WAITS_FOR_TERMINAL] = {"Waiting for the terminal", TP_TONE_PLAIN},
    [TP_CLASS_PROGRAM + TP_PROGRAM_SLEEPS] = {"Sleeping", TP_TONE_PLAIN},
    [TP_CLASS_PROGRAM + TP_PROGRAM_WAITS_FOR_LOCK] = {"Waiting for a lock", TP_TONE_PLAIN},
    [TP_CLASS_PROGRAM + TP_PROGRAM_CPU_BOUND] = {"CPU-bound", TP_TONE_GOOD},
    [TP_CLASS_PROGRAM + TP_PROGRAM_MIXED] = {"Mixed", TP_TONE_UNSURE},
};

/* Returns a pointer to the first `part` in `text`; NULL if `part` does not occur. Both may contain any bytes. */
static const char *find_text_in_text(struct tp_str text, struct tp_str part)
{
    for (size_t i = 0; part.len && i + part.len <= text.len; i++)
        if (memcmp(text.ptr + i, part.ptr, part.len) == 0)
            return text.ptr + i;
    return NULL;
}

/* Returns the headline; its source line is shortened, and private parts are removed if naming->redact is set. */
static const char *shown_headline(const struct tp_naming *naming, const struct tp_trace_verdict *verdict)
{
    bool is_shown = verdict->class >= TP_CLASS_PROGRAM; /* headlines of these classes contain names at any position */
    struct tp_str text = is_shown ? tp_shown_text(naming, verdict->headline) : verdict->headline;
    const char *at = verdict->has_gap ? find_text_in_text(text, verdict->gap.line) : NULL;
    if (!at)
        return tp_text_printf(naming->arena, "%.*s", (int)text.len, text.ptr);
    struct tp_str line = tp_shown_text(naming, verdict->gap.line);
    size_t before = (size_t)(at - text.ptr), after = before + verdict->gap.line.len;
    return tp_text_printf(naming->arena, "%.*s%.*s%.*s", (int)before, text.ptr, (int)line.len, line.ptr,
                          (int)(text.len - after), text.ptr + after);
}

const char *tp_step_source_text(const struct tp_naming *naming, const struct tp_model *model)
{
    struct tp_arena *arena = naming->arena;
    struct tp_str name = tp_shown_text(naming, tp_step_source_name(model));
    const char *passes = tp_text_of_count(arena, model->step_passes);
    if (model->step_marker == TP_MARKER_BACKWARD)
        return model->step_passes > 1 ? tp_text_printf(arena, "the backward passes (%s in each step)", passes)
                                      : "the backward passes";
    if (model->step_marker == TP_MARKER_MODULES)
        return model->step_passes > 1
                   ? tp_text_printf(arena, "the calls of %.*s (%s in each step)", (int)name.len, name.ptr, passes)
                   : tp_text_printf(arena, "the calls of %.*s", (int)name.len, name.ptr);
    return tp_text_printf(arena, "a sequence with %.*s that repeats", (int)name.len, name.ptr);
}

/* Returns why a repeated sequence of calls does not count as steps, and what to record instead; "" if there is no
 * repeated sequence. */
static const char *no_steps_text(const struct tp_naming *naming, const struct tp_model *model)
{
    if (!model->repeat_count)
        return "";
    struct tp_str name = tp_shown_text(naming, model->trace->names.items[model->repeated_name]);
    return tp_text_printf(naming->arena,
                          " A sequence with %.*s repeats %s times, but the trace does not show whether the repetitions "
                          "are steps or layers of a model. Record with stacks or mark the steps.",
                          (int)name.len, name.ptr, tp_text_of_count(naming->arena, model->repeat_count));
}

/* Returns the number of steps as text, such as "18 steps; 1 left out as warm-up". */
static const char *steps_text(struct tp_arena *arena, const struct tp_trace_verdict *verdict)
{
    uint32_t count[TP_STEP_DIFFERENT + 1] = {0};
    const char *text = tp_text_of_counted_noun(arena, verdict->steps_used, "step", "steps");
    for (uint32_t i = 0; i < verdict->step_count; i++)
        count[verdict->steps[i].left_out]++;
    for (unsigned reason = TP_STEP_WARM_UP; reason <= TP_STEP_DIFFERENT; reason++)
        if (count[reason])
            text = tp_text_printf(arena, "%s, %s left out as %s", text, tp_text_of_count(arena, count[reason]),
                                  tp_unused_reason_text((enum tp_unused_reason)reason));
    return text;
}

static const double LEAST_GAP_PERCENT = 0.1; /* shortest gap that the text mentions, percent */

/* Returns the time to which the percentage of the longest gap refers, such as "of the time of the 18 steps". */
static const char *gap_reference_text(struct tp_arena *arena, const struct tp_profile *profile)
{
    const struct tp_model *model = profile->model;
    if (model->step_marker == TP_MARKER_WINDOW)
        return "of the recorded time";
    return model->used_count > 1
               ? tp_text_printf(arena, "of the time of the %s steps", tp_text_of_count(arena, model->used_count))
               : "of the step time";
}

/* Returns whether the state of the device is unknown for more than half of the longest gap. */
static bool is_state_unknown(const struct tp_trace_verdict *verdict)
{
    int64_t untold_ns = 0;
    for (unsigned part = TP_IDLE_QUEUE; part < TP_IDLE_PARTS; part++)
        untold_ns += verdict->gap.part_ns[part];
    return untold_ns > verdict->gap.total_ns / 2;
}

/* Returns sentences on what the host did during the longest gap, such as " During this gap, the host mostly ran step.
 * The call hipLaunchKernel takes 6.54 ms of the gap."; "" if nothing is known about it. */
static const char *host_activity_text(const struct tp_naming *naming, const struct tp_verdict_gap *gap)
{
    struct tp_str line = tp_shown_text(naming, gap->line), call = tp_shown_text(naming, gap->call);
    const char *text =
        strcmp(gap->kind, "none") == 0
            ? ""
            : tp_text_printf(naming->arena, " During this gap, the host mostly ran %.*s.", (int)line.len, line.ptr);
    if (!call.len || tp_str_equal(call, line))
        return text;
    return tp_text_printf(naming->arena, "%s The call %.*s takes %s of the gap.", text, (int)call.len, call.ptr,
                          tp_text_of_time(naming->arena, gap->call_ns));
}

static const char *longest_gap_text(const struct tp_naming *naming, const struct tp_profile *profile)
{
    const struct tp_trace_verdict *verdict = &profile->advice->verdict;
    return tp_text_printf(naming->arena, " The longest gap without recorded device work is %s (%s %s).%s%s",
                          tp_text_of_time(naming->arena, verdict->gap.total_ns),
                          tp_text_of_percent(naming->arena, verdict->gap.percent),
                          gap_reference_text(naming->arena, profile),
                          is_state_unknown(verdict) ? " The trace does not show the reason for this gap." : "",
                          host_activity_text(naming, &verdict->gap));
}

/* Returns a sentence about the time outside the window of analysed steps, such as " Of the recording, 97.7 % (5.01 s of
 * 5.13 s) is outside the steps, most of it before the first step. The host ran X for 5.00 s of this time."; "" if
 * nothing is known about it. */
static const char *left_out_time_text(const struct tp_naming *naming, const struct tp_profile *profile)
{
    const struct tp_outside_part *part = &profile->advice->verdict.left_out;
    struct tp_arena *arena = naming->arena;
    bool is_marked = profile->model->step_marker != TP_MARKER_WINDOW, is_before = part->before_ns >= part->after_ns;
    const char *where = is_before   ? is_marked ? "before the first step" : "before the first device operation"
                        : is_marked ? "after the last step"
                                    : "after the last device operation";
    if (!part->is_named)
        return "";
    struct tp_str line = tp_shown_text(naming, part->line);
    const char *what =
        !part->is_device && strcmp(part->kind, "none") == 0
            ? ", where nothing was recorded."
            : tp_text_printf(arena, ". The %s ran %.*s for %s of this time.", part->is_device ? "device" : "host",
                             (int)line.len, line.ptr, tp_text_of_time(arena, part->line_ns));
    return tp_text_printf(arena, " Of the recording, %s (%s of %s) is outside the steps, most of it %s%s",
                          tp_text_of_percent(arena, tp_percent(part->total_ns, part->recorded_ns)),
                          tp_text_of_time(arena, part->total_ns), tp_text_of_time(arena, part->recorded_ns), where,
                          what);
}

/* Returns a sentence on how steps were inferred, such as " Steps are inferred from the calls of ResNet, because no
 * steps are marked."; "" if steps are marked. */
static const char *inferred_steps_text(const struct tp_naming *naming, const struct tp_model *model)
{
    return tp_steps_are_inferred(model)
               ? tp_text_printf(naming->arena, " Steps are inferred from %s, because no steps are marked.",
                                tp_step_source_text(naming, model))
               : "";
}

/* Returns a sentence on the time to which percentages refer if a part of the window is unjudged (docs/definitions.md),
 * else "". */
static const char *unjudged_time_text(const struct tp_profile *profile, struct tp_arena *arena)
{
    const struct tp_trace_verdict *verdict = &profile->advice->verdict;
    int64_t rest_ns = profile->model->window_ns - verdict->unjudged.ns;
    if (verdict->unjudged.reason == TP_UNJUDGED_NOTHING)
        return "";
    if (verdict->unjudged.reason == TP_UNJUDGED_TOO_LITTLE_WORK)
        return " The recording contains too little work for percentages.";
    return tp_text_printf(arena, " %s of the step time cannot be analysed, so the percentages refer to the other %s.",
                          tp_text_of_time(arena, verdict->unjudged.ns), tp_text_of_time(arena, rest_ns));
}

/* Returns the text below the headline, such as "A step takes 12.3 ms (18 steps, 1 left out as warm-up). The longest
 * time without device work takes .." */
static const char *text_below_headline(const struct tp_naming *naming, const struct tp_profile *profile)
{
    const struct tp_trace_verdict *verdict = &profile->advice->verdict;
    struct tp_arena *arena = naming->arena;
    if (verdict->class >= TP_CLASS_PROGRAM) {
        struct tp_str advice = tp_shown_text(naming, profile->advice->program.advice);
        return tp_text_printf(arena, "%.*s", (int)advice.len, advice.ptr);
    }
    const char *step = tp_text_of_time(arena, (int64_t)llround(verdict->step_us * 1000));
    const char *text;
    bool is_unjudged = verdict->unjudged.reason != TP_UNJUDGED_NOTHING;
    if (verdict->class == TP_CLASS_TOO_LITTLE && !is_unjudged)
        return "The recording contains too little work for percentages, so the tables only list the recorded events.";
    if (verdict->cause == TP_TIME_NONE && !is_unjudged)
        return verdict->class == TP_CLASS_EMPTY ? "The end of the report page lists the events that were read."
               : verdict->class == TP_CLASS_DEVICE_MISSING ? tp_device_missing_advice(profile->model, arena)
               : verdict->class == TP_CLASS_SAMPLES
                   ? "The section on samples shows the functions that used the CPU time."
                   : "";
    if (profile->is_helper)
        text = tp_text_printf(arena, "This is a helper process, so the numbers of the run exclude its %s.", step);
    else if (profile->model->step_marker != TP_MARKER_WINDOW)
        text = tp_text_printf(arena, "A step takes %s (%s).%s", step, steps_text(arena, verdict),
                              inferred_steps_text(naming, profile->model));
    else
        text = tp_text_printf(arena, "No steps are marked, so all %s count as one step.%s", step,
                              no_steps_text(naming, profile->model));
    bool has_gap = verdict->has_gap && verdict->gap.percent >= LEAST_GAP_PERCENT;
    return tp_text_printf(arena, "%s%s%s%s", text, unjudged_time_text(profile, arena),
                          has_gap ? longest_gap_text(naming, profile) : "", left_out_time_text(naming, profile));
}

/* ---- verdicts of summaries ---- */

static enum tp_verdict_class class_by_text(struct tp_str text)
{
    unsigned i = 0;
    while (i < TP_CLASS_COUNT && !tp_str_equal(text, tp_str_of(tp_verdict_class_text((enum tp_verdict_class)i))))
        i++;
    return (enum tp_verdict_class)i;
}

/* Returns a stored headline; the source line at its end, its only private part, is shortened and redacted as `naming`
 * requires. */
static const char *stored_headline(const struct tp_naming *naming, struct tp_str text)
{
    static const char *const before_line[] = {TP_HEADLINE_CODE, TP_HEADLINE_EARLIER_AT, TP_HEADLINE_EARLIER_RAN};
    for (unsigned i = 0; i < sizeof before_line / sizeof *before_line; i++) {
        const char *at = find_text_in_text(text, tp_str_of(before_line[i]));
        if (!at)
            continue;
        size_t before = (size_t)(at - text.ptr) + strlen(before_line[i]);
        struct tp_str rest = tp_shown_text(naming, (struct tp_str){text.ptr + before, text.len - before});
        return tp_text_printf(naming->arena, "%.*s%.*s", (int)before, text.ptr, (int)rest.len, rest.ptr);
    }
    return tp_text_printf(naming->arena, "%.*s", (int)text.len, text.ptr);
}

struct tp_verdict_block tp_stored_verdict_block(const struct tp_naming *naming, struct tp_str class,
                                                struct tp_str headline)
{
    enum tp_verdict_class known = class_by_text(class);
    if (known == TP_CLASS_COUNT) /* the class is unknown, because another version of tracepress wrote the summary */
        return (struct tp_verdict_block){.tone = TP_TONE_UNSURE,
                                         .class = tp_arena_copy(naming->arena, class.ptr, class.len),
                                         .headline = stored_headline(naming, headline),
                                         .text = ""};
    return (struct tp_verdict_block){.tone = CLASSES[known].tone,
                                     .class = CLASSES[known].tag,
                                     .headline = stored_headline(naming, headline),
                                     .text = ""};
}

const char *tp_verdict_full_text(const struct tp_naming *naming, const struct tp_profile *profile)
{
    return tp_text_printf(naming->arena, "%s %s", shown_headline(naming, &profile->advice->verdict),
                          text_below_headline(naming, profile));
}

static const char *copy_of_text(struct tp_arena *arena, struct tp_str text)
{
    return tp_text_printf(arena, "%.*s", (int)text.len, text.ptr ? text.ptr : "");
}

/* Marks the words about the parts of the wall time. A name before them can be shortened, so they are searched. */
static void put_marks_of_program(struct tp_verdict_block *block, const struct tp_program_view *view)
{
    const unsigned parts[] = {view->answer.main, view->answer.second};
    const char *at = block->headline;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts && view->marks[i].len; i++) {
        at = find_text_in_text(tp_str_of(at), view->marks[i]);
        if (!at)
            return;
        block->marks[block->mark_count++] = (struct tp_headline_mark){
            (size_t)(at - block->headline), view->marks[i].len, tp_look_name(tp_program_part_look(parts[i]))};
        at += view->marks[i].len;
    }
}

struct tp_verdict_block tp_section_verdict_block(const struct tp_naming *naming, const struct tp_profile *profile)
{
    const struct tp_trace_verdict *verdict = &profile->advice->verdict;
    const struct tp_answer *answer = &profile->advice->answer;
    struct tp_verdict_block block = {.class = CLASSES[verdict->class].tag, .tone = CLASSES[verdict->class].tone};
    if (verdict->class >= TP_CLASS_PROGRAM) {
        block.headline = shown_headline(naming, verdict);
        block.text = text_below_headline(naming, profile);
        put_marks_of_program(&block, &profile->advice->program);
        return block;
    }
    block.headline = copy_of_text(naming->arena, answer->headline);
    block.text = copy_of_text(naming->arena, answer->why);
    if (verdict->class == TP_CLASS_EMPTY || verdict->class == TP_CLASS_SAMPLES)
        block.text = text_below_headline(naming, profile);
    for (unsigned i = 0; i < answer->mark_count; i++)
        block.marks[block.mark_count++] = (struct tp_headline_mark){
            answer->marks[i].start, answer->marks[i].size, tp_look_name(tp_look_of_part(answer->marks[i].part, 0))};
    return block;
}
