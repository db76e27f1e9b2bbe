/* Finds waits for locks of the recorder and waits for child processes: see tree_waits.h. */
#include "webreport/model/tree_waits.h"

#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"

/* ---- waits for locks of the recorder ---- */

void tp_recorder_waits_init(struct tp_recorder_waits *own, const struct tp_trace *trace, struct tp_arena *arena)
{
    struct tp_str seen = tp_trace_header(trace, "tracepress_seen");
    bool is_marked = seen.ptr && tp_value_member(seen, "own_waits").ptr;
    *own = (struct tp_recorder_waits){.trace = trace};
    if (!is_marked)
        own->known = tp_arena_alloc(arena, trace->stack_texts.count + 1);
}

/* Returns true if a stack waits for the recorder's lock. Needed for recorders that remove their own frames from stacks
 * but do not mark their waits. Such a stack takes a lock with a timeout, or takes a lock in a destructor at the exit of
 * a thread (nptl_deallocate_tsd), where no program takes locks. */
static bool is_recorder_stack(struct tp_str stack)
{
    bool has_timeout =
        tp_str_find(stack, "pthread_mutex_timedlock") >= 0 || tp_str_find(stack, "pthread_mutex_clocklock") >= 0;
    return (has_timeout && tp_str_find(stack, "timed_mutex") < 0) ||
           tp_str_find(stack, "_pthread_mutex_lock;./nptl/nptl_deallocate_tsd.c(") >= 0;
}

bool tp_recorder_waits_contain(struct tp_recorder_waits *own, uint32_t stack)
{
    if (!own->known || stack == TP_NO_ID)
        return false;
    uint8_t *known = &own->known[stack];
    if (!*known)
        *known = is_recorder_stack(tp_strings_get(&own->trace->stack_texts, stack)) ? 2 : 1;
    return *known == 2;
}

/* ---- waits for the exit of child processes ---- */

/* Returns the longest allowed time, ns, between the exit of a child and the end of the wait for the child. On a busy
 * machine, the parent continues late. */
static int64_t tolerance_ns(const struct tp_thread_slice *wait)
{
    enum { LATE_NS = 5000000 };
    int64_t length = wait->end_ns - wait->begin_ns, half = length / 2, hundredth = length / 100;
    int64_t short_ns = half < LATE_NS ? half : LATE_NS;
    return hundredth > short_ns ? hundredth : short_ns;
}

static bool is_wait_without_cause(const struct tp_thread_slice *piece)
{
    return piece->state == TP_STATE_BLOCKED && piece->cause == TP_WAIT_UNKNOWN;
}

static int64_t distance_to_child_end_ns(const struct tp_thread_slice *wait, const struct tp_tree_process *child)
{
    return wait->end_ns > child->end_ns ? tp_sat_sub(wait->end_ns, child->end_ns)
                                        : tp_sat_sub(child->end_ns, wait->end_ns);
}

/* Returns the index after the last slice of a thread that starts before time_ns; thread->first if there is no such
 * slice. */
static uint32_t find_slice_before(const struct tp_process_tree *tree, const struct tp_tree_thread *thread,
                                  int64_t time_ns)
{
    uint32_t low = thread->first, high = thread->first + thread->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tree->slices[middle].begin_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the index of the slice in which a thread waits for the exit of `child`; TP_NO_ID: no such slice. */
static uint32_t find_wait_for_child(const struct tp_process_tree *tree, const struct tp_tree_thread *thread,
                                    const struct tp_tree_process *child)
{
    /* number of slices to check: reading the child's last output, work of the thread on this output, waiting for the
     * exit */
    enum { NEAR = 3 };
    uint32_t end_index = find_slice_before(tree, thread, child->end_ns), found = TP_NO_ID;
    for (uint32_t i = end_index; i > thread->first && end_index - i < NEAR; i--) {
        const struct tp_thread_slice *piece = &tree->slices[i - 1];
        bool is_one = is_wait_without_cause(piece) && piece->begin_ns >= child->begin_ns &&
                      distance_to_child_end_ns(piece, child) <= tolerance_ns(piece);
        if (is_one && (found == TP_NO_ID ||
                       distance_to_child_end_ns(piece, child) < distance_to_child_end_ns(&tree->slices[found], child)))
            found = i - 1;
    }
    return found;
}

/* Marks the slice `wait` as a wait for the child. Also marks earlier waits of the thread for this child: a parent often
 * wakes up to read output of its child, then waits again. */
static void mark_child_waits(struct tp_process_tree *tree, uint32_t first, uint32_t wait,
                             const struct tp_tree_process *child)
{
    enum { PART = 10 }; /* the running time between two waits must be at most 1 / PART of the later waits */
    int64_t waited_ns = 0, between_ns = 0;
    for (uint32_t i = wait + 1; i > first; i--) {
        struct tp_thread_slice *piece = &tree->slices[i - 1];
        int64_t length = piece->end_ns - piece->begin_ns;
        if (piece->begin_ns < child->begin_ns || (piece->state == TP_STATE_BLOCKED && !is_wait_without_cause(piece)))
            return;
        if (piece->state != TP_STATE_BLOCKED) {
            between_ns = tp_sat_add(between_ns, length);
            continue;
        }
        if (between_ns > waited_ns / PART)
            return;
        piece->cause = TP_WAIT_CHILD;
        waited_ns = tp_sat_add(waited_ns, length);
    }
}

/* Returns an array with the index of the first thread of each process, followed by the number of all threads. */
static uint32_t *find_first_threads(const struct tp_process_tree *tree, struct tp_arena *arena)
{
    uint32_t *first = tp_arena_array(arena, (size_t)tree->process_count + 1, sizeof *first), t = 0;
    for (uint32_t process = 0; process <= tree->process_count; process++) {
        while (t < tree->thread_count && tree->threads[t].process < process)
            t++;
        first[process] = t;
    }
    return first;
}

static bool has_recorded_end(const struct tp_tree_process *process)
{
    return process->seen && process->seen->end == TP_NO_ID;
}

void tp_child_waits_mark(struct tp_process_tree *tree, struct tp_arena *arena)
{
    const uint32_t *first = find_first_threads(tree, arena);
    uint32_t steps_left = TP_MAX_CHILD_STEPS;
    for (uint32_t i = 0; i < tree->process_count; i++) {
        const struct tp_tree_process *child = &tree->processes[i];
        uint32_t parent = child->parent, found = TP_NO_ID, of = 0;
        for (uint32_t t = parent == TP_NO_ID || !has_recorded_end(child) ? UINT32_MAX : first[parent];
             parent != TP_NO_ID && t < first[parent + 1] && steps_left; t++, steps_left--) {
            const struct tp_tree_thread *thread = &tree->threads[t];
            uint32_t wait = thread->begin_ns <= child->end_ns ? find_wait_for_child(tree, thread, child) : TP_NO_ID;
            if (wait == TP_NO_ID || (found != TP_NO_ID && distance_to_child_end_ns(&tree->slices[wait], child) >=
                                                              distance_to_child_end_ns(&tree->slices[found], child)))
                continue;
            found = wait;
            of = t;
        }
        if (found != TP_NO_ID)
            mark_child_waits(tree, tree->threads[of].first, found, child);
    }
}
