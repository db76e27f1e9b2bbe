/* Words the headline of a verdict: what the device or the host does for most of the steps, with the numbers. */
#include "webreport/measure/verdict/verdict_parts.h"

#include <string.h>

#include "webreport/measure/audience/wording.h"
#include "webreport/model/numbers.h"
#include "writer/base/buf.h"
#include "writer/text/format.h"

static const double NEXT_PERCENT = 10; /* the headline names a second cause that takes at least this share of W */

/* "GPU 0 <words> for 12.3 % of the steps". */
static const char *const cause_words[TP_TIME_DEVICE_COUNT] = {
    [TP_TIME_COMPUTE] = "computes",
    [TP_TIME_COMMUNICATION] = "runs communication that no kernel hides",
    [TP_TIME_COPY] = "runs copies that no kernel hides",
    [TP_TIME_INPUT] = "waits for input data",
    [TP_TIME_SYNC] = "waits because the host waited for it",
    [TP_TIME_LAUNCH] = "waits for the host to launch work",
    [TP_TIME_QUEUE] = "is idle although the next operation had been called",
    [TP_TIME_OUTSIDE] = "has no recorded work before its first or after its last operation",
    [TP_TIME_UNKNOWN] = "is idle before operations whose launch call is not recorded",
};

/* Returns the words of a cause. On a device that the program itself describes no call launches work, so only ranges can
 * tell what it waits for. */
static const char *words_of(const struct tp_trace_verdict *v, const struct tp_model *model, enum tp_time_cause cause)
{
    bool is_own = tp_is_own_device(model, v->device);
    if (cause == TP_TIME_UNKNOWN && v->unrecorded_wait_ns > v->cause_ns[cause] / 2)
        return "has no recorded work while the host waits for it";
    if (is_own && cause == TP_TIME_SYNC)
        return "is idle while the program waits";
    return is_own && cause == TP_TIME_UNKNOWN ? "is idle, and no range says why" : cause_words[cause];
}

/* Returns the time that the headline gives a cause: without the wait for communication, which has its own words. */
static int64_t told_ns(const struct tp_trace_verdict *v, enum tp_time_cause cause)
{
    int64_t ns = v->cause_ns[cause];
    return cause == TP_TIME_QUEUE ? ns - v->awaited_communication_ns : ns;
}

static double share(const struct tp_trace_verdict *v, const struct tp_model *model, enum tp_time_cause cause)
{
    return tp_percent(told_ns(v, cause), model->window_ns);
}

static const char *share_text(const struct tp_trace_verdict *v, const struct tp_model *model, enum tp_time_cause cause,
                              struct tp_arena *arena)
{
    return tp_text_of_percent(arena, share(v, model, cause));
}

const char *tp_verdict_period(const struct tp_model *model)
{
    if (model->step_marker == TP_MARKER_WINDOW) {
        bool is_whole = model->steps[0].start_ns < tp_device_event(model, 0)->ts_ns;
        return is_whole ? "the recording" : "the time from the first device operation on";
    }
    return model->used_count == 1 ? "the step" : "the steps";
}

static struct tp_str moved(struct tp_buf *text, struct tp_arena *arena)
{
    size_t size = text->size;
    return (struct tp_str){tp_buf_move(text, arena), size};
}

static bool has_line(const struct tp_trace_verdict *v)
{
    return v->has_gap && strcmp(v->gap.kind, "none") != 0;
}

static struct tp_str stall_words(const struct tp_trace_verdict *v, const struct tp_model *model, struct tp_arena *arena)
{
    const char *percent = tp_text_of_percent(arena, v->gap.percent);
    struct tp_buf text;
    tp_buf_init(&text, 0);
    struct tp_str device = tp_device_title(model, v->device, arena);
    tp_buf_printf(&text, "One gap is %s of %s: %.*s waits for the host", percent, tp_verdict_period(model), (int)device.len,
                  device.ptr);
    if (has_line(v)) {
        tp_buf_puts(&text, TP_HEADLINE_AT);
        tp_buf_add(&text, v->gap.line.ptr, v->gap.line.len);
    }
    tp_buf_putc(&text, '.');
    return moved(&text, arena);
}

/* Returns the largest cause except the first one and compute; ties: the earlier one. */
static enum tp_time_cause second_cause(const struct tp_trace_verdict *v)
{
    enum tp_time_cause best = TP_TIME_NONE;
    for (enum tp_time_cause c = TP_TIME_COMMUNICATION; c < TP_TIME_DEVICE_COUNT; c++)
        if (c != v->cause && (best == TP_TIME_NONE || told_ns(v, c) > told_ns(v, best)))
            best = c;
    return best;
}

/* Words the headline for one collective that takes half of W: it says nothing about the steps. */
static struct tp_str late_ranks_words(const struct tp_trace_verdict *v, const struct tp_model *model,
                                      struct tp_arena *arena)
{
    int64_t rest_ns = model->window_ns - v->one_collective_ns;
    struct tp_str device = tp_device_title(model, v->device, arena);
    return tp_str_of(tp_text_printf(
        arena,
        "One collective takes %s of %s: other ranks came late, or the recording began before they did. %.*s computes for "
        "%s of the rest.",
        tp_text_of_percent(arena, tp_percent(v->one_collective_ns, model->window_ns)), tp_verdict_period(model), (int)device.len,
        device.ptr, tp_text_of_percent(arena, tp_percent(v->cause_ns[TP_TIME_COMPUTE], rest_ns))));
}

struct tp_str tp_verdict_device_words(const struct tp_trace_verdict *v, const struct tp_model *model,
                                      struct tp_arena *arena)
{
    struct tp_buf text;
    enum tp_time_cause second = second_cause(v);
    if (v->class == TP_CLASS_STALL && v->cause == TP_TIME_COMMUNICATION)
        return late_ranks_words(v, model, arena);
    if (v->class == TP_CLASS_STALL)
        return stall_words(v, model, arena);
    const char *decided = share_text(v, model, v->cause, arena), *next = share_text(v, model, second, arena);
    const char *computes = share_text(v, model, TP_TIME_COMPUTE, arena);
    tp_buf_init(&text, 0);
    struct tp_str device = tp_device_title(model, v->device, arena);
    tp_buf_printf(&text, "%.*s %s for %s of %s", (int)device.len, device.ptr, words_of(v, model, v->cause), decided,
                  tp_verdict_period(model));
    if (v->class == TP_CLASS_COMMUNICATION_BOUND && v->awaited_communication_ns)
        tp_buf_printf(&text, " and waits for it to begin for %s",
                      tp_text_of_percent(arena, tp_percent(v->awaited_communication_ns, model->window_ns)));
    if (v->cause == TP_TIME_OUTSIDE && has_line(v) && v->gap.part_ns[TP_IDLE_OUTSIDE]) {
        tp_buf_puts(&text, TP_HEADLINE_RAN);
        tp_buf_add(&text, v->gap.line.ptr, v->gap.line.len);
        tp_buf_putc(&text, ')');
    }
    if (v->class == TP_CLASS_BALANCED)
        tp_buf_puts(&text, ", less than half, and no other cause takes a fifth");
    else if (v->class == TP_CLASS_COMPUTE_BOUND && v->percent < TP_BOUND_PERCENT)
        tp_buf_puts(&text, ", and no other cause takes a fifth");
    /* of its own device, words_of has said so */
    else if (v->class == TP_CLASS_NOT_SHOWN && !tp_is_own_device(model, v->device))
        tp_buf_puts(&text, "; the trace does not show why");
    if (v->cause != TP_TIME_COMPUTE)
        tp_buf_printf(&text, "; it computes for %s", computes);
    if (share(v, model, second) >= NEXT_PERCENT)
        tp_buf_printf(&text, ". Next: it %s for %s", words_of(v, model, second), next);
    tp_buf_putc(&text, '.');
    return moved(&text, arena);
}

/* ---- no device ---- */

/* Adds " Largest operator: aten::mm, 12.3 % of operator time.": the one of the main thread with the most host self
 * time; ties by name. */
static void add_largest_operator(struct tp_buf *text, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_strings *names = &model->trace->names;
    int64_t *self_ns = tp_arena_array(arena, names->count, sizeof *self_ns), total = 0;
    uint32_t best = TP_NO_ID;
    for (uint32_t i = 0; i < model->operators.count; i++) {
        uint32_t name = tp_operator_event(model, i)->name;
        if (tp_operator_event(model, i)->thread != model->host_main)
            continue;
        self_ns[name] = tp_sat_add(self_ns[name], tp_narrow_get(&model->operators.host_self, i));
        total = tp_sat_add(total, tp_narrow_get(&model->operators.host_self, i));
    }
    for (uint32_t n = 0; n < names->count && total; n++)
        if (best == TP_NO_ID || self_ns[n] > self_ns[best] ||
            (self_ns[n] == self_ns[best] && tp_str_compare(names->items[n], names->items[best]) < 0))
            best = n;
    if (best != TP_NO_ID) {
        tp_buf_puts(text, tp_spoken(tp_speech_of(model), " Largest operator: ", arena));
        tp_buf_add(text, names->items[best].ptr, names->items[best].len);
        tp_buf_printf(text, tp_speaks_torch(model->producer) ? ", %s of operator time." : ", %s of the time in calls.",
                      tp_text_of_percent(arena, tp_percent(self_ns[best], total)));
    }
    tp_arena_drop(arena, self_ns, names->count * sizeof *self_ns);
}

/* Returns, by name, how long the ranges of the main thread that state one of the kinds take within W. */
static int64_t *said_by_name(const struct tp_model *model, unsigned kinds, struct tp_arena *arena)
{
    const struct tp_order *order = model->order;
    int64_t *ns = tp_arena_array(arena, model->trace->names.count, sizeof *ns);
    size_t at = 0;
    for (uint32_t i = order->thread_first[model->host_main]; i < order->thread_first[model->host_main + 1]; i++) {
        const struct tp_event *e = &model->trace->events[order->host[i]];
        if (e->kind == TP_KIND_ANNOTATION && kinds >> tp_event_said(e) & 1)
            ns[e->name] = tp_sat_add(ns[e->name], tp_window_within(model, &at, e->ts_ns, tp_event_end(e)));
    }
    return ns;
}

/* Adds "backward takes 72.0 % of the steps. ": the range that computes longest, when it takes at least a fifth; ties by
 * name. */
static void add_longest_computing(struct tp_buf *text, const struct tp_model *model, const char *whole, struct tp_arena *arena)
{
    static const double SAID_PERCENT = 20;
    const struct tp_strings *names = &model->trace->names;
    uint32_t best = TP_NO_ID;
    if (model->host_main == TP_NO_ID)
        return;
    int64_t *ns = said_by_name(model, TP_RANGE_BIT(COMPUTE), arena);
    for (uint32_t n = 0; n < names->count; n++)
        if (ns[n] && (best == TP_NO_ID || ns[n] > ns[best] ||
                      (ns[n] == ns[best] && tp_str_compare(names->items[n], names->items[best]) < 0)))
            best = n;
    if (best != TP_NO_ID && tp_percent(ns[best], model->window_ns) >= SAID_PERCENT) {
        tp_buf_add(text, names->items[best].ptr, names->items[best].len);
        tp_buf_printf(text, " takes %s of %s. ", tp_text_of_percent(arena, tp_percent(ns[best], model->window_ns)), whole);
    }
    tp_arena_drop(arena, ns, names->count * sizeof *ns);
}

/* Adds " Most in "wait for the writer".": the name with most of that time; ties by name. */
static void add_largest_range(struct tp_buf *text, const struct tp_model *model, unsigned kinds, struct tp_arena *arena)
{
    const struct tp_strings *names = &model->trace->names;
    uint32_t best = TP_NO_ID;
    if (model->host_main == TP_NO_ID)
        return;
    int64_t *ns = said_by_name(model, kinds, arena);
    for (uint32_t n = 0; n < names->count; n++)
        if (ns[n] && (best == TP_NO_ID || ns[n] > ns[best] ||
                      (ns[n] == ns[best] && tp_str_compare(names->items[n], names->items[best]) < 0)))
            best = n;
    if (best != TP_NO_ID) {
        tp_buf_puts(text, " Longest in: ");
        tp_buf_add(text, names->items[best].ptr, names->items[best].len);
        tp_buf_putc(text, '.');
    }
    tp_arena_drop(arena, ns, names->count * sizeof *ns);
}

struct tp_str tp_verdict_host_words(const struct tp_trace_verdict *v, const struct tp_model *model,
                                    struct tp_arena *arena)
{
    const char *whole = model->step_marker == TP_MARKER_WINDOW ? "the main thread's time" : "the steps";
    const char *decided = tp_text_of_percent(arena, v->percent);
    const char *between = share_text(v, model, TP_TIME_BETWEEN, arena);
    struct tp_buf text;
    tp_buf_init(&text, 0);
    if (v->cause == TP_TIME_INPUT) {
        tp_buf_printf(&text, "%s takes %s of %s; no device was recorded.",
                      tp_phrase(TP_PHRASE_LOADING, model->producer), decided, whole);
    } else if (v->cause == TP_TIME_COMMUNICATION) {
        tp_buf_printf(&text, "Communication that no recorded %s hides takes %s of %s; no device was recorded.",
                      tp_speaks_torch(model->producer) ? "operator" : "work", decided, whole);
    } else if (v->cause == TP_TIME_COPY || v->cause == TP_TIME_SYNC) {
        bool is_copy = v->cause == TP_TIME_COPY;
        tp_buf_printf(&text, "%s takes %s of %s; no device was recorded.", is_copy ? "Copying" : "Waiting", decided,
                      whole);
        add_largest_range(&text, model, is_copy ? TP_RANGE_BIT(COPY) : TP_RANGE_BIT(WAIT) | TP_RANGE_BIT(SYNC), arena);
    } else if (tp_any_says(model, TP_RANGE_BIT(COMPUTE))) {
        add_longest_computing(&text, model, whole, arena);
        tp_buf_printf(&text,
                      "Computing takes %s of %s, code in no range that says its kind %s; no device was recorded.",
                      decided, whole, between);
    } else if (!tp_speaks_torch(model->producer) && !model->operators.count) {
        tp_buf_puts(&text, "No range says what it does, and none waits or communicates for a fifth of the time; no "
                           "device was recorded.");
    } else {
        tp_buf_printf(&text, "%s take %s of %s, code between them %s; no device was recorded.",
                      tp_speaks_torch(model->producer) ? "Operators" : "Recorded calls", decided, whole, between);
        add_largest_operator(&text, model, arena);
    }
    return moved(&text, arena);
}
