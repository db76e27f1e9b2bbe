/* Computes how much wall time each finding can save at most, the part of the wall time that it concerns, and the times
 * at which it happens (docs/definitions.md, section 23). */
#include <stdlib.h>

#include "webreport/measure/program/program_verdict.h"
#include "webreport/model/numbers.h"
#include "writer/base/saturate.h"

/* Returns the part of the running time that corresponds to CPU time of all threads. */
static int64_t wall_ns_of_cpu_ns(const struct tp_program_view *view, int64_t ns)
{
    return (int64_t)((double)view->parts.part_ns[TP_WALL_RUNNING] * tp_percent(ns, view->state_ns[TP_STATE_RUNNING]) /
                     100);
}

/* Appends the waits of a group. Returns the longest time that one thread waits in them: without these waits, the
 * program is shorter by at most this time. */
static int64_t add_waits(const struct tp_program_view *view, uint32_t group, struct tp_vec *spans)
{
    const struct tp_process_tree *tree = &view->tree;
    int64_t most_ns = 0;
    for (uint32_t t = 0; t < tree->thread_count; t++) {
        const struct tp_tree_thread *thread = &tree->threads[t];
        int64_t ns = 0;
        for (uint32_t i = thread->first; i < thread->first + thread->count; i++) {
            if (view->waits.group_by_slice[i] != group)
                continue;
            tp_intervals_push(spans, tree->slices[i].begin_ns, tree->slices[i].end_ns);
            ns = tp_sat_add(ns, tree->slices[i].end_ns - tree->slices[i].begin_ns);
        }
        most_ns = ns > most_ns ? ns : most_ns;
    }
    return most_ns;
}

static void add_ready_times(const struct tp_program_view *view, struct tp_vec *spans)
{
    for (uint32_t i = 0; i < view->tree.slice_count; i++)
        if (view->tree.slices[i].state == TP_STATE_READY)
            tp_intervals_push(spans, view->tree.slices[i].begin_ns, view->tree.slices[i].end_ns);
}

/* Appends the waits of a process for its child processes. */
static void add_waits_for_children(const struct tp_program_view *view, uint32_t process, struct tp_vec *spans)
{
    for (uint32_t t = 0; t < view->tree.thread_count; t++) {
        const struct tp_tree_thread *thread = &view->tree.threads[t];
        for (uint32_t i = thread->first; thread->process == process && i < thread->first + thread->count; i++)
            if (view->tree.slices[i].state == TP_STATE_BLOCKED && view->tree.slices[i].cause == TP_WAIT_CHILD)
                tp_intervals_push(spans, view->tree.slices[i].begin_ns, view->tree.slices[i].end_ns);
    }
}

static int64_t smaller_of(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static void fill_saving(const struct tp_program_view *view, struct tp_program_finding *finding, struct tp_arena *arena)
{
    struct tp_vec spans = TP_VEC(arena, struct tp_interval);
    finding->part = TP_WALL_COUNT;
    finding->saving_ns = TP_NULL_INT;
    switch (finding->kind) {
    case TP_PROGRAM_FINDS_READY:
        add_ready_times(view, &spans);
        finding->part = view->answer.has_too_many_threads ? TP_WALL_RUNNING : TP_WALL_READY;
        finding->saving_ns = view->answer.has_too_many_threads ? TP_NULL_INT : finding->time_ns;
        break;
    case TP_PROGRAM_FINDS_LOCK:
    case TP_PROGRAM_FINDS_DISK:
        finding->part = TP_WALL_WAITS + finding->wait->cause;
        finding->saving_ns = add_waits(view, (uint32_t)(finding->wait - view->waits.groups), &spans);
        break;
    case TP_PROGRAM_FINDS_CHILDREN:
        add_waits_for_children(view, finding->process, &spans);
        finding->part = TP_WALL_WAITS + TP_WAIT_CHILD;
        finding->saving_ns = smaller_of(finding->time_ns, view->parts.wall_ns);
        break;
    case TP_PROGRAM_FINDS_SHORT:
        finding->part = TP_WALL_RUNNING;
        finding->saving_ns = smaller_of(finding->time_ns, view->parts.wall_ns);
        break;
    case TP_PROGRAM_FINDS_FAILED:
    case TP_PROGRAM_FINDS_LEFT:
        break;
    default:
        finding->part = TP_WALL_RUNNING;
        finding->saving_ns = wall_ns_of_cpu_ns(view, finding->time_ns);
    }
    finding->spans = tp_intervals_from_vec(&spans);
}

/* Returns a number by which findings are sorted: first those about the part that the headline names, then those with a
 * known saving. */
static int group_of_finding(const struct tp_program_view *view, const struct tp_program_finding *finding)
{
    return finding->part < TP_WALL_COUNT && finding->part == view->answer.main ? 0
           : finding->saving_ns != TP_NULL_INT                                 ? 1
                                                                               : 2;
}

static bool is_before(const struct tp_program_view *view, const struct tp_program_finding *x,
                      const struct tp_program_finding *y)
{
    int a = group_of_finding(view, x), b = group_of_finding(view, y);
    return a != b ? a < b : x->saving_ns > y->saving_ns; /* TP_NULL_INT is smaller than all savings */
}

void tp_program_savings_build(struct tp_program_view *view, struct tp_arena *arena)
{
    for (unsigned i = 0; i < view->finding_count; i++) {
        fill_saving(view, &view->findings[i], arena);
        struct tp_program_finding finding = view->findings[i];
        unsigned at = i;
        for (; at && is_before(view, &finding, &view->findings[at - 1]); at--)
            view->findings[at] = view->findings[at - 1];
        view->findings[at] = finding;
    }
}
