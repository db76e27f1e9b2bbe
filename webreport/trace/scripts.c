/* Finds the scripts of a trace: see scripts.h.
 *
 * A script is a path whose frame "path(line): <module>" is the outermost frame of a thread. Only few frames have such a
 * text, so these candidates are sorted. One pass over the events then finds the last end among the frames before each
 * candidate: a candidate is outermost if this end is not after its start. */
#include "webreport/trace/scripts.h"

#include "writer/base/sort.h"

struct candidate {
    int64_t start_ns, end_ns, before_ns; /* before_ns: last end of a frame of the thread that sorts before this frame */
    uint32_t thread, ordinal, name;
};

static struct candidate make_candidate(const struct tp_event *e)
{
    return (struct candidate){e->ts_ns, tp_event_end(e), INT64_MIN, e->thread, e->ordinal, e->name};
}

/* Compares frames by thread and start. A frame comes before the frames that it encloses. */
static int compare_candidates(const void *x, const void *y, const void *context)
{
    const struct candidate *a = x, *b = y;
    (void)context;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns ? -1 : 1;
    return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

static struct tp_vec find_candidates(const struct tp_trace *trace)
{
    struct tp_vec found = TP_VEC(trace->arena, struct candidate);
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (trace->events[i].kind == TP_KIND_FRAME && trace->frames.can_be_script[trace->events[i].name])
            *(struct candidate *)tp_vec_push(&found) = make_candidate(&trace->events[i]);
    tp_merge_sort(trace->arena, found.data, found.count, sizeof(struct candidate), compare_candidates, NULL);
    return found;
}

/* Sets before_ns of the first candidate after each frame. */
static void add_ends_of_frames(const struct tp_trace *trace, struct candidate *candidates, size_t count)
{
    for (uint32_t i = 0; i < trace->event_count; i++) {
        if (trace->events[i].kind != TP_KIND_FRAME)
            continue;
        struct candidate frame = make_candidate(&trace->events[i]);
        size_t low = 0, high = count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (compare_candidates(&candidates[middle], &frame, NULL) > 0)
                high = middle;
            else
                low = middle + 1;
        }
        if (low < count && candidates[low].thread == frame.thread && candidates[low].before_ns < frame.end_ns)
            candidates[low].before_ns = frame.end_ns;
    }
}

void tp_scripts_find(struct tp_trace *trace)
{
    struct tp_frame frame;
    if (!trace->frames.can_be_script)
        return;
    struct tp_vec found = find_candidates(trace);
    struct candidate *candidates = found.data;
    add_ends_of_frames(trace, candidates, found.count);
    for (size_t i = 0; i < found.count; i++) {
        if (i && candidates[i].thread == candidates[i - 1].thread &&
            candidates[i].before_ns < candidates[i - 1].before_ns)
            candidates[i].before_ns = candidates[i - 1].before_ns;
        if (candidates[i].before_ns <= candidates[i].start_ns &&
            tp_frame_parse(&frame, tp_strings_get(&trace->names, candidates[i].name)))
            tp_frames_add_script(&trace->frames, frame.path);
    }
    tp_arena_free_item(trace->arena, found.data, found.capacity * sizeof *candidates);
    if (trace->frames.scripts.count)
        tp_frames_apply_scripts(&trace->frames, trace->arena);
}
