/* Chooses the part of the wall time that limits a program. See program_view.h (struct tp_program_answer). */
#include "webreport/measure/program/program_verdict.h"
#include "webreport/model/numbers.h"

/* A part of at least MOST_PERCENT of the wall time that nothing can shorten is named instead of an avoidable part of
 * less than LEAST_PERCENT. SEGMENT_PERCENT: smallest share of the wall time that a function needs for its own segment.
 */
static const double LEAST_PERCENT = 10, MOST_PERCENT = 50, SEGMENT_PERCENT = 5;

/* Returns whether the program's own threads keep each other from the CPUs: threads are ready, but mostly while other
 * threads of the program run, and no limit of CPU time stops them. */
static bool has_too_many_threads(const struct tp_program_view *view)
{
    return view->rule == TP_PROGRAM_WAITS_FOR_CPU && view->throttled_ns <= 0 &&
           view->parts.part_ns[TP_WALL_READY] < view->parts.part_ns[TP_WALL_RUNNING];
}

/* Returns whether another program or another machine could shorten a part of the wall time. Running time counts only if
 * the verdict names it. */
static bool is_part_avoidable(const struct tp_program_view *view, unsigned part)
{
    static const uint8_t waits[] = {TP_WAIT_DISK, TP_WAIT_PAGE_FAULT,  TP_WAIT_SOCKET, TP_WAIT_TERMINAL, TP_WAIT_SLEEP,
                                    TP_WAIT_LOCK, TP_WAIT_KERNEL_LOCK, TP_WAIT_FILE,   TP_WAIT_PIPE};
    if (view->rule == TP_PROGRAM_TOO_SHORT || view->rule == TP_PROGRAM_IDLE)
        return false;
    if (part == TP_WALL_RUNNING)
        return view->rule == TP_PROGRAM_CPU_BOUND || view->rule == TP_PROGRAM_MIXED || has_too_many_threads(view);
    for (size_t i = 0; i < sizeof waits; i++)
        if (part == TP_WALL_WAITS + (unsigned)waits[i])
            return true;
    return part == TP_WALL_READY;
}

/* Returns the largest part other than `except` that is avoidable, or of all parts; TP_WALL_COUNT if no part is. */
static unsigned largest_part(const struct tp_program_view *view, unsigned except, bool is_of_all)
{
    unsigned best = TP_WALL_COUNT;
    for (unsigned part = 0; part < TP_WALL_COUNT; part++)
        if (part != except && (is_of_all || view->answer.is_avoidable[part]) && view->parts.part_ns[part] > 0 &&
            (best == TP_WALL_COUNT || view->parts.part_ns[part] > view->parts.part_ns[best]))
            best = part;
    return best;
}

static double part_percent(const struct tp_program_view *view, unsigned part)
{
    return part == TP_WALL_COUNT ? 0 : tp_wall_part_percent(&view->parts, part);
}

static void choose_main_parts(struct tp_program_view *view)
{
    struct tp_program_answer *answer = &view->answer;
    unsigned largest = largest_part(view, TP_WALL_COUNT, true);
    answer->main = largest_part(view, TP_WALL_COUNT, false);
    bool is_small = part_percent(view, answer->main) < LEAST_PERCENT && part_percent(view, largest) >= MOST_PERCENT;
    if (view->rule != TP_PROGRAM_TOO_SHORT && (is_small || answer->main == TP_WALL_COUNT)) {
        for (unsigned part = 0; part < TP_WALL_COUNT; part++)
            answer->is_avoidable[part] = false;
        answer->main = largest;
    }
    answer->second = answer->main == TP_WALL_COUNT ? TP_WALL_COUNT : largest_part(view, answer->main, false);
    if (answer->second != TP_WALL_COUNT &&
        view->parts.part_ns[answer->second] < view->parts.part_ns[answer->main] / 3 * 2)
        answer->second = TP_WALL_COUNT;
}

/* ---- the running time by function ---- */

/* Adds the segment of a function, if it is large enough. Threads run at the same time, so a function gets its share of
 * the CPU time as its share of the running time. */
static void add_segment(struct tp_program_view *view, uint32_t function, int64_t cpu_ns, int64_t *left_ns)
{
    struct tp_program_answer *answer = &view->answer;
    int64_t running_ns = view->parts.part_ns[TP_WALL_RUNNING], all_ns = view->state_ns[TP_STATE_RUNNING];
    int64_t ns = all_ns > 0 ? (int64_t)((double)running_ns * (double)cpu_ns / (double)all_ns) : 0;
    if (tp_percent(ns, view->parts.wall_ns) < SEGMENT_PERCENT || answer->segment_count + 1 == TP_PROGRAM_SEGMENTS)
        return;
    answer->segments[answer->segment_count++] = (struct tp_program_segment){function, ns};
    *left_ns -= ns;
}

static void split_running_time(struct tp_program_view *view)
{
    struct tp_program_answer *answer = &view->answer;
    int64_t left_ns = view->parts.part_ns[TP_WALL_RUNNING];
    if (view->python.function != TP_NO_ID)
        add_segment(view, view->python.function, view->python.time_ns, &left_ns);
    for (uint32_t i = 0; i < view->functions.sampled_function_count && view->python.function == TP_NO_ID; i++) {
        const struct tp_program_function *f = tp_program_function_at(&view->functions, view->functions.order[i]);
        if (!f->is_recording && f->sample_count)
            add_segment(view, view->functions.order[i], f->self_ns, &left_ns);
    }
    if (left_ns > 0)
        answer->segments[answer->segment_count++] = (struct tp_program_segment){TP_NO_ID, left_ns};
}

/* Returns the largest group of waits that belong to a part of the wall time, in a known function. Prefers functions of
 * the program to functions of the C library. */
static const struct tp_wait_group *largest_group_in_known_function(const struct tp_program_view *view, unsigned part)
{
    const struct tp_wait_group *found = NULL;
    for (uint32_t i = 0; i < view->waits.count && part < TP_WALL_COUNT; i++) { /* largest group first */
        const struct tp_wait_group *group = &view->waits.groups[i];
        if (TP_WALL_WAITS + (unsigned)group->cause != part || group->place == TP_NO_ID)
            continue;
        if (!tp_program_function_is_system(tp_program_function_at(&view->functions, group->place)))
            return group;
        found = found ? found : group;
    }
    return found;
}

void tp_program_answer_build(struct tp_program_view *view)
{
    view->answer = (struct tp_program_answer){.has_too_many_threads = has_too_many_threads(view)};
    for (unsigned part = 0; part < TP_WALL_COUNT; part++)
        view->answer.is_avoidable[part] = is_part_avoidable(view, part);
    choose_main_parts(view);
    split_running_time(view);
    view->story.wait = largest_group_in_known_function(view, view->answer.main);
}
