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

/* Words for a cause of time, used as in "GPU 0 <what> for 12.3 % of the step time<why>". */
struct cause_words {
    const char *what, *why;
};

/* Returns the words for a cause. If the program itself defined the device, no call launches the device's work, so that
 * only ranges of the program show why the device waits. */
static struct cause_words words_for_cause(const struct words *w, enum tp_time_cause cause)
{
    static const struct cause_words words[TP_TIME_DEVICE_COUNT] = {
        [TP_TIME_COMPUTE] = {"computes", ""},
        [TP_TIME_COMMUNICATION] = {"runs communication that no kernel hides", ""},
        [TP_TIME_COPY] = {"runs copies that no kernel hides", ""},
        [TP_TIME_INPUT] = {"waits for input data", ""},
        [TP_TIME_SYNC] = {"is idle", " because the host waited for the device"},
        [TP_TIME_LAUNCH] = {"waits for the host to launch work", ""},
        [TP_TIME_QUEUE] = {"is idle", " although the next operation was already launched"},
        [TP_TIME_OUTSIDE] = {"has no recorded work", ", before its first or after its last operation"},
        [TP_TIME_UNKNOWN] = {"is idle", " before operations whose launch was not recorded"},
    };
    const struct tp_trace_verdict *v = w->v;
    if (cause == TP_TIME_UNKNOWN && v->unrecorded_wait_ns > v->cause_ns[cause] / 2)
        return (struct cause_words){"has no recorded work", " while the host waits for the device"};
    if (v->is_own_device && cause == TP_TIME_SYNC)
        return (struct cause_words){"is idle", " while the program waits"};
    if (v->is_own_device && cause == TP_TIME_UNKNOWN)
        return (struct cause_words){"is idle", ", and no range of the program shows why"};
    return words[cause];
}

/* Returns a time as a percentage of the window of analysed steps, such as "12.3 %". */
static const char *share_of_window_text(const struct words *w, int64_t ns)
{
    return tp_text_of_percent(w->arena, tp_percent(ns, w->model->window_ns));
}

static const char *name_of_period(enum tp_verdict_period period)
{
    static const char *const texts[] = {[TP_PERIOD_STEP] = "the step time",
                                        [TP_PERIOD_STEPS] = "the step time",
                                        [TP_PERIOD_RECORDING] = "the recorded time",
                                        [TP_PERIOD_FROM_DEVICE] = "the time since the first device operation"};
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

/* Appends the code that the host ran for most of the longest gap. The text ends with the name of the code, because
 * readers of stored headlines search for the words before this name. */
static void put_code_of_gap(struct tp_buf *text, const struct tp_trace_verdict *v)
{
    tp_buf_puts(text, TP_HEADLINE_CODE);
    tp_buf_add(text, v->gap.line.ptr, v->gap.line.len);
    tp_buf_putc(text, '.');
}

static struct tp_str longest_gap_headline(const struct words *w)
{
    const struct tp_trace_verdict *v = w->v;
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_buf_printf(&text, "%.*s waits for the host in one gap of %s of %s.", (int)w->device.len, w->device.ptr,
                  tp_text_of_percent(w->arena, v->gap.percent), w->whole);
    if (has_code_line(v))
        put_code_of_gap(&text, v);
    return move_buffer_to_arena(&text, w->arena);
}

/* Returns the headline if a single collective takes half of the window, because the window then does not represent
 * usual steps. */
static struct tp_str longest_collective_text(const struct words *w)
{
    int64_t rest_ns = w->model->window_ns - w->v->one_collective_ns;
    double percent = tp_percent(w->v->cause_ns[TP_TIME_COMPUTE], rest_ns);
    return tp_str_of(tp_text_printf(w->arena,
                                    "One collective takes %s of %s. Other ranks called the collective late, or started "
                                    "after this recording began. %.*s computes for %s of the remaining time.",
                                    share_of_window_text(w, w->v->one_collective_ns), w->whole, (int)w->device.len,
                                    w->device.ptr, tp_text_of_percent(w->arena, percent)));
}

/* Appends words such as "GPU 0 waits for input data for 12.3 % of the step time". */
static void put_cause(struct tp_buf *text, const struct words *w, enum tp_time_cause cause)
{
    struct cause_words words = words_for_cause(w, cause);
    tp_buf_printf(text, "%.*s %s for %s of %s%s", (int)w->device.len, w->device.ptr, words.what,
                  share_of_window_text(w, tp_verdict_cause_ns(w->v, cause)), w->whole, words.why);
}

static struct tp_str device_headline(const struct words *w)
{
    const struct tp_trace_verdict *v = w->v;
    bool is_awaited = v->class == TP_CLASS_COMMUNICATION_BOUND && v->awaited_communication_ns;
    struct tp_buf text;
    tp_buf_init(&text, 0);
    put_cause(&text, w, v->cause);
    if (is_awaited)
        tp_buf_printf(&text, ", waits for collectives to start for %s",
                      share_of_window_text(w, v->awaited_communication_ns));
    if (v->class == TP_CLASS_NOT_SHOWN) {
        /* for a device that the program itself defined, put_cause has already said that the reason is unknown */
        tp_buf_puts(&text, v->is_own_device ? ". " : ". The trace does not show the reason. ");
        put_cause(&text, w, TP_TIME_COMPUTE);
    } else if (v->cause != TP_TIME_COMPUTE) {
        tp_buf_printf(&text, "%s and computes for %s", is_awaited || *words_for_cause(w, v->cause).why ? "," : "",
                      share_of_window_text(w, v->cause_ns[TP_TIME_COMPUTE]));
    }
    tp_buf_putc(&text, '.');
    if (v->class == TP_CLASS_BALANCED || (v->class == TP_CLASS_COMPUTE_BOUND && v->percent < TP_BOUND_PERCENT))
        tp_buf_printf(&text, " Nothing else takes 20 %% or more of %s.", w->whole);
    if (v->next != TP_TIME_NONE) {
        tp_buf_puts(&text, " In addition, ");
        put_cause(&text, w, v->next);
        tp_buf_putc(&text, '.');
    }
    if (v->cause == TP_TIME_OUTSIDE && has_code_line(v) && v->gap.part_ns[TP_IDLE_OUTSIDE])
        put_code_of_gap(&text, v);
    return move_buffer_to_arena(&text, w->arena);
}

/* ---- traces in which most of the time cannot be judged ---- */

/* Returns a sentence about the time that can be judged, such as "GPU 0 computes for 12.3 % of the remaining time." */
static const char *compute_share_text(const struct words *w)
{
    int64_t rest_ns = tp_sat_sub(w->model->window_ns, w->v->unjudged.ns);
    double percent = rest_ns > 0 ? fmin(100, tp_percent(w->v->cause_ns[TP_TIME_COMPUTE], rest_ns)) : 0;
    return tp_text_printf(w->arena, "%.*s computes for %s of the remaining time.", (int)w->device.len, w->device.ptr,
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
                              "Record the replay of the graph. For %s of %s, the program only captures a graph, and "
                              "captured launches do not run.",
                              part, w->whole);
    case TP_HEADLINE_TOO_LITTLE_WORK:
        detail = tp_detail_text(unjudged->details, w->model, w->arena);
        return tp_text_printf(w->arena, "Record several steps after a warm-up. %.*s", (int)detail.len, detail.ptr);
    case TP_HEADLINE_FIRST_USE:
        return tp_text_printf(w->arena,
                              "Record later steps. For %s of %s, %.*s waits for work that a program does only once, "
                              "such as allocating memory and loading modules. %s",
                              part, w->whole, (int)w->device.len, w->device.ptr, compute_share_text(w));
    default:
        return tp_text_printf(w->arena,
                              "Record more steps. For %s of %s, the trace does not show whether %.*s was idle or "
                              "ran work launched before the recording. %s",
                              part, w->whole, (int)w->device.len, w->device.ptr, compute_share_text(w));
    }
}

/* ---- traces without a device ---- */

/* Returns sentences such as "Copying takes 30.0 % of the step time. No device was recorded. The range with the most
 * time is save." */
static struct tp_str range_text(const struct words *w, const char *work)
{
    struct tp_str name = w->v->largest.name;
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_buf_printf(&text, "%s takes %s of %s. No device was recorded.", work,
                  tp_text_of_percent(w->arena, w->v->percent), w->whole);
    if (name.ptr) {
        tp_buf_puts(&text, " The range with the most time is ");
        tp_buf_add(&text, name.ptr, name.len); /* adds bytes, because names may contain zero bytes */
        tp_buf_putc(&text, '.');
    }
    return move_buffer_to_arena(&text, w->arena);
}

/* Returns sentences such as "backward takes 72.0 % of the step time. Computing takes 90.0 % of the step time, and code
 * outside of .." */
static struct tp_str ranges_headline(const struct words *w)
{
    const struct tp_verdict_largest *largest = &w->v->largest;
    struct tp_buf text;
    tp_buf_init(&text, 0);
    if (largest->name.ptr) {
        tp_buf_add(&text, largest->name.ptr, largest->name.len);
        tp_buf_printf(&text, " takes %s of %s. ", tp_text_of_percent(w->arena, largest->percent), w->whole);
    }
    tp_buf_printf(&text,
                  "Computing takes %s of %s, and code outside of calls and ranges with a kind takes %s. No device was "
                  "recorded.",
                  tp_text_of_percent(w->arena, w->v->percent), w->whole,
                  share_of_window_text(w, w->v->cause_ns[TP_TIME_BETWEEN]));
    return move_buffer_to_arena(&text, w->arena);
}

/* Returns sentences such as "Operators take 40.0 % of the step time, and code between operators takes 41.0 %. No device
 * was recorded. The operator with the most self time is .." */
static struct tp_str host_calls_headline(const struct words *w)
{
    bool is_torch = tp_uses_torch_words(w->model->producer);
    const char *calls = is_torch ? "operators" : "calls";
    const struct tp_verdict_largest *largest = &w->v->largest;
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_buf_printf(&text, "%s take %s of %s, and code between %s takes %s. No device was recorded.",
                  is_torch ? "Operators" : "Recorded calls", tp_text_of_percent(w->arena, w->v->percent), w->whole,
                  calls, share_of_window_text(w, w->v->cause_ns[TP_TIME_BETWEEN]));
    if (largest->name.ptr) {
        tp_buf_printf(&text, " The %s with the most self time is ", is_torch ? "operator" : "call");
        tp_buf_add(&text, largest->name.ptr, largest->name.len);
        tp_buf_printf(&text, " (%s of the time in %s).", tp_text_of_percent(w->arena, largest->percent), calls);
    }
    return move_buffer_to_arena(&text, w->arena);
}

static const char *communication_headline(const struct words *w)
{
    return tp_text_printf(w->arena, "Communication that no recorded %s hides takes %s of %s. No device was recorded.",
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
               ? "Record more steps. This recording contains no complete step with work, and less than 100 ms of "
                 "operators and device work."
               : "Record more steps. This recording contains no complete step with work, and less than 100 ms of calls "
                 "and device work.";
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
        return tp_str_of(tp_text_printf(w->arena,
                                        "No range has the kind compute. Input, communication, copies and waits each "
                                        "take less than 20 %% of %s. No device was recorded.",
                                        w->whole));
    default:
        return host_calls_headline(w);
    }
}

static struct tp_str headline_text(struct words *w, const struct tp_program_view *program)
{
    switch (w->v->headline_id) {
    case TP_HEADLINE_EMPTY:
        return TP_STR("The trace contains no events that tracepress can analyse.");
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
        return TP_STR(
            "This trace contains memory, waits and library calls that were recorded inside a process. Another "
            "trace of this run has the verdict on the process.");
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
    return tp_text_printf(w->arena,
                          "%.*s Record once without %s before you change the program, because the recording itself "
                          "takes %s %s of %s.",
                          (int)text.len, text.ptr, w->v->is_recording_of_stacks ? "stacks" : "shapes and memory",
                          w->v->has_device ? "at least" : "about", /* without a device, the cost is an estimate */
                          tp_text_of_percent(w->arena, w->v->recording_percent), w->whole);
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
