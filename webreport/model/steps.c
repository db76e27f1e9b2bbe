/* Finds the steps and the window of analysed steps (docs/definitions.md, section 5). Chooses the host markers by
 * priority (D3), then extends each step by the device work that it launched. The window is the union of the analysed
 * steps. */
#include <stdio.h>

#include "webreport/model/facts.h"
#include "webreport/model/numbers.h"
#include "webreport/model/stages.h"
#include "webreport/model/steps_parts.h"
#include "writer/base/sort.h"

/* ---- markers of steps ---- */

static bool is_host(const struct tp_event *e)
{
    return e->kind == TP_KIND_OPERATOR || e->kind == TP_KIND_ANNOTATION;
}

/* Returns the thread with the most markers. found: markers sorted by start, then by position in the file. Returns
 * TP_NO_ID if there are no markers. */
static uint32_t busiest_thread(const struct tp_model *model, const struct tp_keyed *found, size_t count)
{
    uint32_t *marks = tp_arena_array(model->arena, model->trace->thread_count, sizeof *marks);
    uint32_t best = TP_NO_ID;
    for (size_t i = 0; i < count; i++)
        marks[model->trace->events[found[i].item].thread]++;
    for (size_t i = 0; i < count;
         i++) { /* if threads have equally many markers, the thread with the first marker is returned */
        uint32_t thread = model->trace->events[found[i].item].thread;
        if (best == TP_NO_ID || marks[thread] > marks[best])
            best = thread;
    }
    return best;
}

/* Returns the outermost markers of the thread with the most markers, as event indexes sorted by start. meaning:
 * TP_MARK_* bits of marker names. name: id of the only name to use; TP_NO_ID for all names. */
static struct tp_vec find_markers(const struct tp_model *model, uint64_t meaning, uint32_t name)
{
    struct tp_vec found = TP_VEC(model->arena, struct tp_keyed), out = TP_VEC(model->arena, uint32_t);
    for (uint32_t i = 0; i < model->trace->event_count; i++) {
        const struct tp_event *e = &model->trace->events[i];
        if (is_host(e) && (model->marks[e->name] & meaning) && (name == TP_NO_ID || e->name == name))
            *(struct tp_keyed *)tp_vec_push(&found) = (struct tp_keyed){e->ts_ns, i, i};
    }
    tp_sort_keyed(found.data, found.count, model->arena);
    uint32_t thread = busiest_thread(model, found.data, found.count);
    uint32_t *mine = tp_arena_array(model->arena, found.count, sizeof *mine), count = 0;
    for (size_t i = 0; i < found.count; i++)
        if (model->trace->events[TP_AT(&found, struct tp_keyed, i)->item].thread == thread)
            mine[count++] = TP_AT(&found, struct tp_keyed, i)->item;
    tp_order_sort(model->trace, mine, count, model->arena);
    int64_t end = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_event *e = &model->trace->events[mine[i]];
        if (e->ts_ns >= end) {
            *(uint32_t *)tp_vec_push(&out) = mine[i];
            end = tp_event_end(e);
        }
    }
    return out;
}

/* Returns the number in ProfilerStep#N without leading zeros. */
static struct tp_str step_number(struct tp_str name)
{
    const size_t prefix = sizeof "ProfilerStep#" - 1;
    struct tp_str digits = name.len > prefix ? (struct tp_str){name.ptr + prefix, name.len - prefix} : name;
    if (digits.len > 1 && digits.ptr[digits.len - 1] == '\n')
        digits.len--;
    while (digits.len > 1 && digits.ptr[0] == '0')
        digits.ptr++, digits.len--;
    return digits;
}

static void make_steps_of_markers(struct tp_model *model, const struct tp_vec *found, enum tp_step_marker marker)
{
    model->step_marker = marker;
    model->steps = tp_arena_array(model->arena, found->count, sizeof *model->steps);
    for (size_t i = 0; i < found->count; i++) {
        uint32_t event = *TP_AT(found, uint32_t, i);
        const struct tp_event *e = &model->trace->events[event];
        struct tp_str name = tp_trace_event_name(model->trace, e);
        tp_steps_add(model, marker == TP_MARKER_PROFILER_STEP ? step_number(name) : name, e->ts_ns, tp_event_end(e),
                     event);
    }
}

/* Makes a step from each Optimizer.step range. A step lasts from the end of the previous range to the end of its own
 * range. Ranges are used only if they have the same name as the range that ends last. start: start of the first step,
 * ns. */
static void make_steps_of_optimizer(struct tp_model *model, int64_t start)
{
    const struct tp_event *last = NULL;
    for (uint32_t i = 0; i < model->trace->event_count; i++) {
        const struct tp_event *e = &model->trace->events[i];
        if (is_host(e) && (model->marks[e->name] & TP_MARK_OPTIMIZER_STEP) &&
            (!last || tp_event_end(e) >= tp_event_end(last)))
            last = e;
    }
    if (!last)
        return;
    struct tp_vec found = find_markers(model, TP_MARK_OPTIMIZER_STEP, last->name);
    if (found.count < 2)
        return;
    model->step_marker = TP_MARKER_OPTIMIZER;
    model->steps = tp_arena_array(model->arena, found.count, sizeof *model->steps);
    for (size_t i = 0; i < found.count; i++) {
        uint32_t event = *TP_AT(&found, uint32_t, i);
        int64_t end = tp_event_end(&model->trace->events[event]);
        char digits[24];
        int n = snprintf(digits, sizeof digits, "%zu", i);
        struct tp_str name = {tp_arena_copy(model->arena, digits, (size_t)n), (size_t)n};
        tp_steps_add(model, name, start, end, event);
        start = end;
    }
}

static void find_host_steps(struct tp_model *model)
{
    static const struct {
        uint64_t meaning;
        uint8_t marker, least;
    } markers[] = {{TP_MARK_PROFILER_STEP, TP_MARKER_PROFILER_STEP, 1},
                   /* a single marked call does not show where steps start, so at least two are needed */
                   {TP_MARK_EXECUTE_CONTEXT, TP_MARKER_EXECUTE_CONTEXT, 2},
                   {TP_MARK_STEP_BRACKET, TP_MARKER_STEP, 2}};
    uint64_t present = 0;
    for (uint32_t i = 0; i < model->trace->names.count; i++)
        present |= model->marks[i];
    for (unsigned m = 0; m < sizeof markers / sizeof *markers && !model->step_count; m++) {
        if (!(present & markers[m].meaning))
            continue;
        struct tp_vec found = find_markers(model, markers[m].meaning, TP_NO_ID);
        if (found.count >= markers[m].least)
            make_steps_of_markers(model, &found, markers[m].marker);
    }
    if (model->step_count)
        return;
    struct tp_interval extent = tp_steps_host_extent(model);
    if (present & TP_MARK_OPTIMIZER_STEP)
        make_steps_of_optimizer(model, extent.a);
    /* a single marker is one step; repetitions inside it are parts of this step */
    if (!(present & (TP_MARK_OPTIMIZER_STEP | TP_MARK_EXECUTE_CONTEXT | TP_MARK_STEP_BRACKET | TP_MARK_STEP)))
        tp_steps_infer(model);
    if (!model->step_count)
        tp_steps_add_whole_recording(model, extent);
}

/* ---- device work of each step ---- */

/* Device work of each step: the operations that the step launched. */
struct step_work {
    uint64_t *count; /* for each step: number of device operations that the step launched */
    int64_t *last_end;
    int64_t first_start; /* earliest start of the device work of step 0, ns; set if count[0] > 0 */
    bool has_any;
};

/* Returns the first step at or after index `from` whose marker ends at or after the time `at`, ns. If `after` is true,
 * the marker must end after that time. */
static uint32_t find_step_ending_after(const struct tp_model *model, uint32_t from, int64_t at, bool after)
{
    while (from < model->step_count &&
           (model->steps[from].host_end_ns < at || (after && model->steps[from].host_end_ns == at)))
        from++;
    return from;
}

/* Returns, for each step, the event of the first launch in the file that has a length > 0 and starts exactly at the end
 * of the step, or UINT32_MAX. This launch and later launches with the same start belong to the next step. */
static uint32_t *find_launches_after(const struct tp_model *model)
{
    uint32_t *launch_after = tp_arena_array(model->arena, model->step_count, sizeof *launch_after);
    memset(launch_after, 0xFF, model->step_count * sizeof *launch_after);
    for (uint32_t t = 0; t < model->trace->thread_count; t++) {
        uint32_t step = 0;
        for (uint32_t i = model->launches.thread_first[t]; i < model->launches.thread_first[t + 1]; i++) {
            const struct tp_event *e = tp_launch_event(model, i);
            step = find_step_ending_after(model, step, e->ts_ns, false);
            if (step < model->step_count && model->steps[step].host_end_ns == e->ts_ns && e->dur_ns > 0 &&
                model->launches.event[i] < launch_after[step])
                launch_after[step] = model->launches.event[i];
        }
    }
    return launch_after;
}

/* Assigns each launch to the step that contains it. Launches are visited in order of time and file, so the index of the
 * current step only increases. A launch belongs to a step after all steps that ended before it. A launch with length >
 * 0 also belongs to a step after a step that ends exactly at its start. */
static void assign_launches(struct tp_model *model)
{
    uint32_t *launch_after = find_launches_after(model);
    model->launches.step = tp_arena_array(model->arena, model->launches.count, sizeof *model->launches.step);
    for (uint32_t t = 0; t < model->trace->thread_count; t++) {
        uint32_t first = 0;
        for (uint32_t i = model->launches.thread_first[t]; i < model->launches.thread_first[t + 1]; i++) {
            const struct tp_event *e = tp_launch_event(model, i);
            first = find_step_ending_after(model, first, e->ts_ns, false);
            uint32_t step = first;
            if (step < model->step_count && (e->dur_ns > 0 || launch_after[step] < model->launches.event[i]))
                step = find_step_ending_after(model, step, e->ts_ns, true);
            bool is_inside = step < model->step_count && e->ts_ns >= model->steps[step].host_start_ns &&
                             tp_event_end(e) <= model->steps[step].host_end_ns;
            model->launches.step[i] = is_inside ? step : TP_NO_ID;
        }
    }
    tp_arena_free_item(model->arena, launch_after, model->step_count * sizeof *launch_after);
}

static uint32_t step_of_device(const struct tp_model *model, uint32_t k)
{
    uint32_t launch = model->devices.launch[k];
    return launch == TP_NO_ID ? TP_NO_ID : model->launches.step[launch];
}

static void count_work_per_step(struct tp_model *model, struct step_work *work)
{
    memset(work, 0, sizeof *work);
    work->count = tp_arena_array(model->arena, model->step_count, sizeof *work->count);
    work->last_end = tp_arena_array(model->arena, model->step_count, sizeof *work->last_end);
    if (!model->devices.count)
        return;
    assign_launches(model);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        uint32_t step = step_of_device(model, k);
        if (step == TP_NO_ID)
            continue;
        int64_t start = tp_device_event(model, k)->ts_ns, end = tp_event_end(tp_device_event(model, k));
        if (step == 0 && (!work->count[0] || start < work->first_start))
            work->first_start = start;
        if (!work->count[step]++ || end > work->last_end[step])
            work->last_end[step] = end;
        work->has_any = true;
    }
}

/* Returns the start of step 0, ns: the start of its marker, or the end of earlier device work that no step launched,
 * whichever is later. */
static int64_t first_start(const struct tp_model *model, const struct step_work *work)
{
    int64_t start = model->steps[0].host_start_ns;
    if (!work->count[0])
        return start;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        int64_t end = tp_event_end(tp_device_event(model, k));
        if (end < work->first_start && end > start && step_of_device(model, k) == TP_NO_ID)
            start = end;
    }
    return start;
}

/* Removes the steps after the last step that has device work. Also removes this last step if it has less than 80 % of
 * the device operations of the previous step. */
static void remove_incomplete_last_steps(struct tp_model *model, const struct step_work *work)
{
    uint32_t last = 0, kept = model->step_count;
    if (model->step_count > 1) {
        for (uint32_t i = 0; i < model->step_count; i++)
            if (work->count[i])
                last = i;
        kept = last + 1;
        if (last > 0 && work->count[last - 1] * 4 > work->count[last] * 5)
            kept = last;
    }
    model->removed_step_count = model->step_count - kept;
    model->step_count = kept;
}

static void extend_by_device_work(struct tp_model *model)
{
    struct step_work work;
    count_work_per_step(model, &work);
    for (uint32_t i = 0; i < model->step_count; i++)
        model->steps[i].operation_count = work.count[i];
    if (work.has_any) {
        int64_t previous = first_start(model, &work);
        for (uint32_t i = 0; i < model->step_count; i++) {
            struct tp_step *step = &model->steps[i];
            step->start_ns = previous > step->host_start_ns ? previous : step->host_start_ns;
            step->end_ns = step->host_end_ns > step->start_ns ? step->host_end_ns : step->start_ns;
            if (work.count[i] && work.last_end[i] > step->end_ns)
                step->end_ns = work.last_end[i];
            previous = step->end_ns;
        }
        remove_incomplete_last_steps(model, &work);
    }
}

/* ---- analysed steps ---- */

static bool is_unfinished(const struct tp_model *model, const struct tp_step *step)
{
    return model->trace->events[step->event].flags & TP_EVENT_UNFINISHED;
}

/* Excludes steps that were still running when the recording ended. Does nothing if this is true for all steps. */
static void exclude_unfinished_steps(struct tp_model *model)
{
    bool has_finished = false;
    for (uint32_t i = 0; i < model->step_count; i++)
        has_finished |= !is_unfinished(model, &model->steps[i]);
    for (uint32_t i = 0; i < model->step_count && has_finished; i++)
        if (is_unfinished(model, &model->steps[i]))
            model->steps[i].left_out = TP_STEP_UNFINISHED;
}

/* Sorted lengths of steps, from which lengths are removed one by one. `middle` is always the index of the lower median
 * of the remaining lengths. */
struct median {
    struct tp_keyed *sorted; /* key: length of the step, ns; item: position of the step among the analysed steps */
    uint32_t *rank;          /* index in `sorted` of the length of each analysed step */
    /* for each index in `sorted`: nearest remaining index before and after it; TP_NO_ID: no such index */
    uint32_t *before, *after;
    uint32_t middle, count;
};

static void remove_length_from_median(struct median *m, uint32_t number)
{
    uint32_t at = m->rank[number];
    bool is_left = at < m->middle, is_middle = at == m->middle;
    if (m->count % 2 == 0 && (is_left || is_middle))
        m->middle = m->after[m->middle];
    else if (m->count % 2 && !is_left)
        m->middle = m->before[m->middle];
    if (m->before[at] != TP_NO_ID)
        m->after[m->before[at]] = m->after[at];
    if (m->after[at] != TP_NO_ID)
        m->before[m->after[at]] = m->before[at];
    m->count--;
}

static __int128 twice_the_median(const struct median *m)
{
    uint32_t upper = m->count % 2 ? m->middle : m->after[m->middle];
    return (__int128)m->sorted[m->middle].key + m->sorted[upper].key;
}

/* Excludes the first analysed step as warm-up if it is longer than 1.5 times the median of the other analysed steps.
 * Repeats this while at least three steps are used. */
static void exclude_warm_up_steps(struct tp_model *model)
{
    struct tp_arena *arena = model->arena;
    uint32_t *used = tp_arena_array(arena, model->step_count, sizeof *used), count = 0;
    for (uint32_t i = 0; i < model->step_count; i++)
        if (tp_step_is_used(&model->steps[i]))
            used[count++] = i;
    if (count < 3)
        return;
    struct median m = {.sorted = tp_arena_array(arena, count, sizeof *m.sorted), .count = count};
    m.rank = tp_arena_array(arena, count, sizeof *m.rank);
    m.before = tp_arena_array(arena, count, sizeof *m.before);
    m.after = tp_arena_array(arena, count, sizeof *m.after);
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_step *step = &model->steps[used[i]];
        m.sorted[i] = (struct tp_keyed){step->end_ns - step->start_ns, i, i};
    }
    tp_sort_keyed(m.sorted, count, arena);
    for (uint32_t i = 0; i < count; i++) {
        m.rank[m.sorted[i].item] = i;
        m.before[i] = i ? i - 1 : TP_NO_ID;
        m.after[i] = i + 1 < count ? i + 1 : TP_NO_ID;
    }
    m.middle = (count - 1) / 2;
    for (uint32_t first = 0; count - first >= 3; first++) {
        remove_length_from_median(&m, first);
        struct tp_step *step = &model->steps[used[first]];
        if ((__int128)4 * (step->end_ns - step->start_ns) <= 3 * twice_the_median(&m))
            break;
        step->left_out = TP_STEP_WARM_UP;
    }
}

/* Leaves out the first steps of a part of a trace, in which devices still do work of earlier steps. The last step
 * always stays. */
static void exclude_lead_in(struct tp_model *model)
{
    const struct tp_trace *trace = model->trace;
    for (uint32_t i = 0; trace->is_part && i + 1 < model->step_count; i++)
        if (model->steps[i].host_start_ns < trace->lead_in_until_ns)
            model->steps[i].left_out = TP_STEP_LEAD_IN;
}

static void find_window_of_used_steps(struct tp_model *model)
{
    struct tp_vec window = TP_VEC(model->arena, struct tp_interval);
    for (uint32_t i = 0; i < model->step_count; i++) {
        const struct tp_step *step = &model->steps[i];
        if (!tp_step_is_used(step))
            continue;
        model->used_count++;
        tp_intervals_push(&window, step->start_ns, step->end_ns);
    }
    model->window = tp_intervals_from_vec(&window);
    model->length_before_interval =
        tp_arena_array(model->arena, model->window.count, sizeof *model->length_before_interval);
    for (size_t i = 0; i < model->window.count; i++) {
        model->length_before_interval[i] = model->window_ns;
        model->window_ns += model->window.items[i].b - model->window.items[i].a;
    }
}

void tp_model_find_steps(struct tp_model *model)
{
    find_host_steps(model);
    if (model->step_marker != TP_MARKER_WINDOW) {
        extend_by_device_work(model);
        exclude_unfinished_steps(model);
        exclude_lead_in(model);
        exclude_warm_up_steps(model);
    }
    find_window_of_used_steps(model);
}

const char *tp_unused_reason_text(enum tp_unused_reason reason)
{
    static const char *const texts[] = {
        [TP_STEP_WARM_UP] = "warm-up",
        [TP_STEP_UNFINISHED] = "unfinished",
        [TP_STEP_DIFFERENT] = "different",
        [TP_STEP_LEAD_IN] = "lead-in",
    };
    return texts[reason];
}

const char *tp_step_marker_text(enum tp_step_marker marker)
{
    static const char *const texts[] = {
        [TP_MARKER_PROFILER_STEP] = "ProfilerStep",
        [TP_MARKER_EXECUTE_CONTEXT] = "execute_context",
        [TP_MARKER_STEP] = "step[]",
        [TP_MARKER_OPTIMIZER] = "Optimizer.step",
        [TP_MARKER_MODULES] = "modules",
        [TP_MARKER_BACKWARD] = "backward",
        [TP_MARKER_OPERATORS] = "operators",
        [TP_MARKER_WINDOW] = "window",
    };
    return texts[marker];
}

/* ---- lookup of steps and window by time ---- */

/* Returns the index of the last interval that starts before the time b, ns. The interval at index `from` must start
 * before b. */
static size_t find_last_interval_before(struct tp_intervals window, size_t from, int64_t b)
{
    size_t low = from, high = window.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (window.items[middle].a < b)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t tp_window_length_within(const struct tp_model *model, size_t *at, int64_t a, int64_t b)
{
    struct tp_intervals window = model->window;
    while (*at < window.count && window.items[*at].b <= a)
        ++*at;
    if (*at == window.count || window.items[*at].a >= b)
        return 0;
    const struct tp_interval *first = &window.items[*at];
    a = tp_ns_max(a, first->a);
    if (b <= first->b)
        return b - a;
    size_t i = find_last_interval_before(window, *at, b);
    int64_t in_last = tp_ns_min(b, window.items[i].b) - window.items[i].a;
    return model->length_before_interval[i] - model->length_before_interval[*at] - (a - first->a) + in_last;
}

/* Returns the step that contains the time `at`, ns, in its marker if is_host is true, otherwise in its whole range.
 * Returns TP_NO_ID if there is no such step. The markers of steps are sorted and disjoint; so are their ranges. */
static uint32_t find_step_at(const struct tp_model *model, int64_t at, bool is_host)
{
    uint32_t low = 0, high = model->step_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct tp_step *step = &model->steps[middle];
        if ((is_host ? step->host_end_ns : step->end_ns) <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == model->step_count)
        return TP_NO_ID;
    return (is_host ? model->steps[low].host_start_ns : model->steps[low].start_ns) <= at ? low : TP_NO_ID;
}

uint32_t tp_step_of_host_time(const struct tp_model *model, int64_t at)
{
    return model->step_marker == TP_MARKER_WINDOW ? 0 : find_step_at(model, at, true);
}

/* Returns true if the marker of the step contains the time `at`, ns. step: may be TP_NO_ID or step_count. */
static bool has_marker_around(const struct tp_model *model, uint32_t step, int64_t at)
{
    return step < model->step_count && model->steps[step].host_start_ns <= at && at < model->steps[step].host_end_ns;
}

uint32_t tp_step_of_host_time_near(const struct tp_model *model, int64_t at, uint32_t *near)
{
    if (model->step_marker == TP_MARKER_WINDOW)
        return 0;
    if (has_marker_around(model, *near, at))
        return *near;
    uint32_t step = find_step_at(model, at, true);
    *near = step == TP_NO_ID ? *near : step;
    return step;
}

uint32_t tp_step_of_device_near(const struct tp_model *model, uint32_t device, uint32_t *near)
{
    const struct tp_event *launch = tp_launch_of_device(model, device);
    return launch ? tp_step_of_host_time_near(model, launch->ts_ns, near) : tp_step_of_device(model, device);
}

uint32_t tp_step_of_device(const struct tp_model *model, uint32_t device)
{
    const struct tp_event *launch = tp_launch_of_device(model, device);
    if (model->step_marker == TP_MARKER_WINDOW)
        return 0;
    return launch ? find_step_at(model, launch->ts_ns, true)
                  : find_step_at(model, tp_device_event(model, device)->ts_ns, false);
}

uint32_t tp_step_of_collective(const struct tp_model *model, const struct tp_collective *record)
{
    return find_step_at(model, record->start_ns, !record->is_device);
}
