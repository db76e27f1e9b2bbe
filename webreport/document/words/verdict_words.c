/* Writes the headline of a verdict: what limits the steps, with the numbers. There is one function for each group of
 * sentences; the table in `tp_fill_verdict_texts` at the end lists the functions by enum tp_headline. */
#include "webreport/document/words/verdict_words.h"

#include <math.h>
#include <string.h>

#include "webreport/document/words/detail_words.h"
#include "webreport/document/words/device_words.h"
#include "webreport/document/words/words.h"
#include "webreport/measure/audience/phrases.h"
#include "webreport/model/numbers.h"
#include "writer/base/buf.h"
#include "writer/text/format.h"

/* Arguments that the functions of this file share. */
struct words {
    const struct tp_trace_verdict *v;
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_str device; /* title of the device, such as "GPU 0" */
    const char *whole;    /* time to which percentages refer, such as "the step time" */
};

/* Words for each cause of time, used as in "GPU 0 <words> for 12.3 % of the step time". */
static const char *const cause_words[TP_TIME_DEVICE_COUNT] = {
    [TP_TIME_COMPUTE] = "computes",
    [TP_TIME_COMMUNICATION] = "runs communication that no kernel hides",
    [TP_TIME_COPY] = "runs copies that no kernel hides",
    [TP_TIME_INPUT] = "waits for input data",
    [TP_TIME_SYNC] = "is idle because the host waited for the device",
    [TP_TIME_LAUNCH] = "waits for the host to launch work",
    [TP_TIME_QUEUE] = "is idle although the next operation had been called",
    [TP_TIME_OUTSIDE] = "has no recorded work before its first or after its last operation",
    [TP_TIME_UNKNOWN] = "is idle before operations whose launch call is not recorded",
};

/* Returns the words for a cause. If the program itself defined the device, no call launches the device's work, so that
 * only ranges of the program show why the device waits. */
static const char *cause_text(const struct words *w, enum tp_time_cause cause)
{
    const struct tp_trace_verdict *v = w->v;
    if (cause == TP_TIME_UNKNOWN && v->unrecorded_wait_ns > v->cause_ns[cause] / 2)
        return "has no recorded work while the host waits for it";
    if (v->is_own_device && cause == TP_TIME_SYNC)
        return "is idle while the program waits";
    return v->is_own_device && cause == TP_TIME_UNKNOWN ? "is idle, and no range says why" : cause_words[cause];
}

/* Returns a time as a percentage of the window of used steps, such as "12.3 %". */
static const char *share_of_window_text(const struct words *w, int64_t ns)
{
    return tp_text_of_percent(w->arena, tp_percent(ns, w->model->window_ns));
}

static const char *name_of_period(enum tp_verdict_period period)
{
    static const char *const texts[] = {[TP_PERIOD_STEP] = "the step",
                                        [TP_PERIOD_STEPS] = "the step time",
                                        [TP_PERIOD_RECORDING] = "the recording",
                                        [TP_PERIOD_FROM_DEVICE] = "the time from the first device operation on"};
    return texts[period];
}

static struct tp_str move_buffer_to_arena(struct tp_buf *text, struct tp_arena *arena)
{
    size_t size = text->size;
    return (struct tp_str){tp_buf_move(text, arena), size};
}

static bool has_code_line(const struct tp_trace_verdict *v)
{
    return v->has_gap && strcmp(v->gap.kind, "none") != 0;
}

/* ---- traces with a device ---- */

static struct tp_str longest_gap_headline(const struct words *w)
{
    const struct tp_trace_verdict *v = w->v;
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_buf_printf(&text, "One gap is %s of %s: %.*s waits for the host", tp_text_of_percent(w->arena, v->gap.percent),
                  w->whole, (int)w->device.len, w->device.ptr);
    if (has_code_line(v)) {
        tp_buf_puts(&text, TP_HEADLINE_AT);
        tp_buf_add(&text, v->gap.line.ptr, v->gap.line.len);
    }
    tp_buf_putc(&text, '.');
    return move_buffer_to_arena(&text, w->arena);
}

/* Returns the headline if a single collective takes half of the window, because the window then does not represent
 * usual steps. */
static struct tp_str longest_collective_text(const struct words *w)
{
    int64_t rest_ns = w->model->window_ns - w->v->one_collective_ns;
    double percent = tp_percent(w->v->cause_ns[TP_TIME_COMPUTE], rest_ns);
    return tp_str_of(tp_text_printf(w->arena,
                                    "One collective takes %s of %s: other ranks came late, or the recording began "
                                    "before they did. %.*s computes for "
                                    "%s of the rest.",
                                    share_of_window_text(w, w->v->one_collective_ns), w->whole, (int)w->device.len,
                                    w->device.ptr, tp_text_of_percent(w->arena, percent)));
}

static struct tp_str device_headline(const struct words *w)
{
    const struct tp_trace_verdict *v = w->v;
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_buf_printf(&text, "%.*s %s for %s of %s", (int)w->device.len, w->device.ptr, cause_text(w, v->cause),
                  share_of_window_text(w, tp_verdict_cause_ns(v, v->cause)), w->whole);
    if (v->class == TP_CLASS_COMMUNICATION_BOUND && v->awaited_communication_ns)
        tp_buf_printf(&text, " and waits for it to begin for %s", share_of_window_text(w, v->awaited_communication_ns));
    if (v->cause == TP_TIME_OUTSIDE && has_code_line(v) && v->gap.part_ns[TP_IDLE_OUTSIDE]) {
        tp_buf_puts(&text, TP_HEADLINE_RAN);
        tp_buf_add(&text, v->gap.line.ptr, v->gap.line.len);
        tp_buf_putc(&text, ')');
    }
    if (v->class == TP_CLASS_BALANCED)
        tp_buf_puts(&text, ", less than half, and no other cause takes a fifth");
    else if (v->class == TP_CLASS_COMPUTE_BOUND && v->percent < TP_BOUND_PERCENT)
        tp_buf_puts(&text, ", and no other cause takes a fifth");
    /* for a device that the program itself defined, cause_text has already said this */
    else if (v->class == TP_CLASS_NOT_SHOWN && !v->is_own_device)
        tp_buf_puts(&text, "; the trace does not show the reason");
    if (v->cause != TP_TIME_COMPUTE)
        tp_buf_printf(&text, "; it computes for %s", share_of_window_text(w, v->cause_ns[TP_TIME_COMPUTE]));
    if (v->next != TP_TIME_NONE)
        tp_buf_printf(&text, ". In addition, %.*s %s for %s", (int)w->device.len, w->device.ptr, cause_text(w, v->next),
                      share_of_window_text(w, tp_verdict_cause_ns(v, v->next)));
    tp_buf_putc(&text, '.');
    return move_buffer_to_arena(&text, w->arena);
}

/* ---- traces in which most of the time cannot be judged ---- */

/* Returns a sentence about the time that can be judged, such as "GPU 0 computes for 12.3 % of the rest." */
static const char *compute_share_text(const struct words *w)
{
    int64_t rest_ns = tp_sat_sub(w->model->window_ns, w->v->unjudged.ns);
    double percent = rest_ns > 0 ? fmin(100, tp_percent(w->v->cause_ns[TP_TIME_COMPUTE], rest_ns)) : 0;
    return tp_text_printf(w->arena, "%.*s computes for %s of the rest.", (int)w->device.len, w->device.ptr,
                          tp_text_of_percent(w->arena, percent));
}

static const char *unjudged_text(const struct words *w)
{
    const struct tp_unjudged *unjudged = &w->v->unjudged;
    const char *part = share_of_window_text(w, unjudged->ns);
    struct tp_str detail;
    switch (w->v->headline_id) {
    case TP_HEADLINE_CAPTURE:
        return tp_text_printf(w->arena,
                              "Record the replay of the graph: for %s of %s the program only captures a graph, so its "
                              "launches do not run.",
                              part, w->whole);
    case TP_HEADLINE_TOO_LITTLE_WORK:
        detail = tp_detail_text(unjudged->details, w->model, w->arena);
        return tp_text_printf(w->arena, "Record several steps after a warm-up: %.*s.", (int)detail.len, detail.ptr);
    case TP_HEADLINE_FIRST_USE:
        return tp_text_printf(w->arena,
                              "Record later steps: for %s of %s %.*s waits for work that a program does only once, "
                              "such as allocating memory and loading modules. %s",
                              part, w->whole, (int)w->device.len, w->device.ptr, compute_share_text(w));
    default:
        return tp_text_printf(w->arena,
                              "Record more steps: for %s of %s it is unknown whether %.*s was idle or worked on "
                              "operations from before the recording. %s",
                              part, w->whole, (int)w->device.len, w->device.ptr, compute_share_text(w));
    }
}

/* ---- traces without a device ---- */

/* Returns sentences such as "Copying takes 30.0 % of the step time; no device was recorded. Longest in: save." */
static struct tp_str range_text(const struct words *w, const char *work)
{
    struct tp_str name = w->v->largest.name;
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_buf_printf(&text, "%s takes %s of %s; no device was recorded.", work,
                  tp_text_of_percent(w->arena, w->v->percent), w->whole);
    if (name.ptr) {
        tp_buf_puts(&text, " Longest in: ");
        tp_buf_add(&text, name.ptr, name.len); /* adds bytes, because names may contain zero bytes */
        tp_buf_putc(&text, '.');
    }
    return move_buffer_to_arena(&text, w->arena);
}

/* Returns sentences such as "backward takes 72.0 % of the step time. Computing takes 90.0 % of the step time, code in
 * no range .." */
static struct tp_str ranges_headline(const struct words *w)
{
    const struct tp_verdict_largest *largest = &w->v->largest;
    struct tp_buf text;
    tp_buf_init(&text, 0);
    if (largest->name.ptr) {
        tp_buf_add(&text, largest->name.ptr, largest->name.len);
        tp_buf_printf(&text, " takes %s of %s. ", tp_text_of_percent(w->arena, largest->percent), w->whole);
    }
    tp_buf_printf(
        &text,
        "Computing takes %s of %s, and code outside of ranges with a known kind takes %s; no device was recorded.",
        tp_text_of_percent(w->arena, w->v->percent), w->whole,
        share_of_window_text(w, w->v->cause_ns[TP_TIME_BETWEEN]));
    return move_buffer_to_arena(&text, w->arena);
}

/* Returns sentences such as "Operators take 40.0 % of the step time, code between them 41.0 %; no device was recorded.
 * Largest operator: .." */
static struct tp_str host_calls_headline(const struct words *w)
{
    bool is_torch = tp_uses_torch_words(w->model->producer);
    const struct tp_verdict_largest *largest = &w->v->largest;
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_buf_printf(&text, "%s take %s of %s, code between them %s; no device was recorded.",
                  is_torch ? "Operators" : "Recorded calls", tp_text_of_percent(w->arena, w->v->percent), w->whole,
                  share_of_window_text(w, w->v->cause_ns[TP_TIME_BETWEEN]));
    if (largest->name.ptr) {
        tp_buf_puts(&text, is_torch ? " Largest operator: " : " Largest call: ");
        tp_buf_add(&text, largest->name.ptr, largest->name.len);
        tp_buf_printf(&text, is_torch ? ", %s of operator time." : ", %s of the time in calls.",
                      tp_text_of_percent(w->arena, largest->percent));
    }
    return move_buffer_to_arena(&text, w->arena);
}

static const char *communication_headline(const struct words *w)
{
    return tp_text_printf(w->arena, "Communication that no recorded %s hides takes %s of %s; no device was recorded.",
                          tp_uses_torch_words(w->model->producer) ? "operator" : "work",
                          tp_text_of_percent(w->arena, w->v->percent), w->whole);
}

static const char *thread_samples_headline(const struct words *w)
{
    return tp_text_printf(w->arena, "The trace has %s of running threads (%s of CPU time), but no recorded call.",
                          tp_text_of_counted_noun(w->arena, (int64_t)w->v->sample_count, "sample", "samples"),
                          tp_text_of_time(w->arena, w->v->samples_ns));
}

static const char *fragment_headline(const struct words *w)
{
    return tp_uses_torch_words(w->model->producer)
               ? "Too little to judge: no whole step, and less than 100 ms of operators and device work."
               : "Too little to judge: no whole step, and less than 100 ms of calls and device work.";
}

/* ---- choice of the headline ---- */

static struct tp_str host_headline(const struct words *w)
{
    switch (w->v->headline_id) {
    case TP_HEADLINE_INPUT:
        return range_text(w, tp_phrase(TP_PHRASE_LOADING, w->model->producer));
    case TP_HEADLINE_COMMUNICATION:
        return tp_str_of(communication_headline(w));
    case TP_HEADLINE_COPY:
        return range_text(w, "Copying");
    case TP_HEADLINE_WAIT:
        return range_text(w, "Waiting");
    case TP_HEADLINE_RANGES:
        return ranges_headline(w);
    case TP_HEADLINE_NO_RANGE:
        return TP_STR("The ranges have no known kind, and no range waits or communicates for 20 % of the time; no "
                      "device was recorded.");
    default:
        return host_calls_headline(w);
    }
}

static struct tp_str headline_text(struct words *w, const struct tp_program_view *program)
{
    switch (w->v->headline_id) {
    case TP_HEADLINE_EMPTY:
        return TP_STR("The trace contains no events that tracepress can judge.");
    case TP_HEADLINE_FRAGMENT:
        return tp_str_of(fragment_headline(w));
    case TP_HEADLINE_DEVICE_MISSING:
        return tp_device_missing_headline(w->model, w->arena);
    case TP_HEADLINE_OTHER_DEVICE:
        return TP_STR("The trace contains work of an accelerator whose records tracepress does not read.");
    case TP_HEADLINE_SAMPLES:
        return tp_str_of(thread_samples_headline(w));
    case TP_HEADLINE_PROGRAM:
        return program->headline;
    case TP_HEADLINE_INSIDE:
        return TP_STR("This trace was recorded inside a process: memory, waits and calls of libraries. Another trace "
                      "of this run shows the verdict on the process.");
    case TP_HEADLINE_DEVICE:
        return device_headline(w);
    case TP_HEADLINE_GAP:
        return longest_gap_headline(w);
    case TP_HEADLINE_COLLECTIVE:
        return longest_collective_text(w);
    case TP_HEADLINE_CAPTURE:
    case TP_HEADLINE_TOO_LITTLE_WORK:
    case TP_HEADLINE_FIRST_USE:
    case TP_HEADLINE_EDGE:
        return tp_str_of(unjudged_text(w));
    default:
        w->whole = w->v->period == TP_PERIOD_RECORDING ? "the main thread's time" : "the step time";
        return host_headline(w);
    }
}

/* Appends a sentence on the cost of recording to the headline. */
static const char *add_sentence_on_recording_cost(const struct words *w, struct tp_str text)
{
    return tp_text_printf(
        w->arena, "%.*s Recording itself takes %s %s of %s: record once without %s before you change the program.",
        (int)text.len, text.ptr,
        w->v->has_device ? "at least" : "about", /* without a device, the cost is an estimate */
        tp_text_of_percent(w->arena, w->v->recording_percent),
        w->model->step_marker == TP_MARKER_WINDOW ? "that time" : "the step time",
        w->v->is_recording_of_stacks ? "stacks" : "shapes and memory");
}

/* Adds a sentence on the time in which no CPU was free for the main thread: after the headline if the trace has a
 * device, else before it. */
static const char *add_sentence_on_ready_time(const struct words *w, struct tp_str text)
{
    const char *ready =
        tp_text_printf(w->arena, "For %s of the step time the main thread could run, but no CPU was free.",
                       tp_text_of_percent(w->arena, w->v->ready_percent));
    return w->v->has_device ? tp_text_printf(w->arena, "%.*s %s", (int)text.len, text.ptr, ready)
                            : tp_text_printf(w->arena, "%s %.*s", ready, (int)text.len, text.ptr);
}

void tp_fill_verdict_texts(struct tp_trace_verdict *v, const struct tp_program_view *program,
                           const struct tp_model *model, struct tp_arena *arena)
{
    struct words w = {.v = v, .model = model, .arena = arena, .whole = name_of_period(v->period)};
    if (v->has_device)
        w.device = tp_device_title(model, v->device, arena);
    v->headline = headline_text(&w, program);
    if (v->recording_percent > 0)
        v->headline = tp_str_of(add_sentence_on_recording_cost(&w, v->headline));
    if (v->ready_percent > 0)
        v->headline = tp_str_of(add_sentence_on_ready_time(&w, v->headline));
}
