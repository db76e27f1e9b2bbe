/* Writes the verdict on a program recorded from outside: its headline, and the sentence below the headline. */
#include "webreport/document/words/program_words.h"

#include "webreport/measure/program/program_waits.h"
#include "webreport/model/numbers.h"
#include "writer/text/format.h"

const char *tp_wall_part_words(unsigned part)
{
    static const char *const words[TP_WALL_COUNT] = {
        [TP_WALL_RUNNING] = "running",
        [TP_WALL_READY] = "ready without a CPU",
        [TP_WALL_WAITS + TP_WAIT_DISK] = "waiting for the disk",
        [TP_WALL_WAITS + TP_WAIT_PAGE_FAULT] = "waiting for a page of memory",
        [TP_WALL_WAITS + TP_WAIT_SOCKET] = "waiting for a socket",
        [TP_WALL_WAITS + TP_WAIT_TERMINAL] = "waiting for the terminal",
        [TP_WALL_WAITS + TP_WAIT_SLEEP] = "sleeping",
        [TP_WALL_WAITS + TP_WAIT_LOCK] = "waiting for a lock",
        [TP_WALL_WAITS + TP_WAIT_KERNEL_LOCK] = "waiting for a lock of the Linux kernel",
        [TP_WALL_WAITS + TP_WAIT_FILE] = "waiting for a file",
        [TP_WALL_WAITS + TP_WAIT_PIPE] = "waiting for a pipe",
        [TP_WALL_WAITS + TP_WAIT_POLL] = "waiting for events (poll)",
        [TP_WALL_WAITS + TP_WAIT_SIGNAL] = "waiting for a signal",
        [TP_WALL_WAITS + TP_WAIT_STOPPED] = "stopped",
        [TP_WALL_WAITS + TP_WAIT_CHILD] = "waiting for a child process",
        [TP_WALL_WAITS + TP_WAIT_EXIT] = "exiting",
        [TP_WALL_WAITS + TP_WAIT_RECORDING] = "waiting for the recording",
        [TP_WALL_WAITS + TP_WAIT_UNKNOWN] = "blocked for an unknown reason"};
    return words[part];
}

const char *tp_steps_part_words(unsigned part)
{
    static const char *const words[TP_STEPS_WAITS] = {"running, native code", "running, Python",
                                                      "running, in the Linux kernel", "running", "ready without a CPU"};
    return part < TP_STEPS_WAITS     ? words[part]
           : part == TP_STEPS_UNSEEN ? "not recorded from outside"
                                     : tp_wall_part_words(TP_WALL_WAITS + part - TP_STEPS_WAITS);
}

const char *tp_program_python_text(const struct tp_program_view *view, struct tp_arena *arena)
{
    return tp_program_function_text_at(tp_program_function_at(&view->functions, view->python.function),
                                       view->python.line, arena);
}

const char *tp_program_lock_holder_text(const struct tp_program_view *view, const struct tp_wait_group *group,
                                        struct tp_arena *arena)
{
    if (group->holder == TP_NO_ID)
        return NULL;
    const struct tp_thread *row = &view->tree.trace->threads[view->tree.threads[group->holder].row];
    struct tp_str name = tp_program_thread_name(row);
    const char *text = tp_text_printf(arena, "most likely held by %.*s %lld", (int)name.len, name.ptr,
                                      row->tid.is_text ? -1ll : (long long)row->tid.number);
    if (group->holder_function == TP_NO_ID)
        return text;
    return tp_text_printf(arena, "%s, in %s", text,
                          tp_program_function_text_at(tp_program_function_at(&view->functions, group->holder_function),
                                                      group->holder_line, arena));
}

/* ---- the headline ---- */

static const char *part_share_text(const struct tp_program_view *view, unsigned part, struct tp_arena *arena)
{
    return tp_text_of_percent(arena, tp_wall_part_percent(&view->parts, part));
}

static const char *total_cpu_time_text(const struct tp_program_view *view, struct tp_arena *arena)
{
    return tp_text_of_time(arena, view->state_ns[TP_STATE_RUNNING]);
}

/* Returns a time as a percentage of the program's CPU time. */
static const char *share_of_cpu_time_text(const struct tp_program_view *view, int64_t ns, struct tp_arena *arena)
{
    return tp_text_of_percent(arena, tp_percent(ns, view->state_ns[TP_STATE_RUNNING]));
}

static const struct tp_program_function *hottest_function(const struct tp_program_view *view)
{
    return tp_program_function_at(&view->functions, view->story.hottest);
}

/* Returns a sentence about the native function that takes the most time inside the Python function of the headline,
 * such as " Inside this function, pymalloc_alloc takes the most time, 12.0 % of the function's time."; "" if it is
 * unknown. */
static const char *inner_function_text(const struct tp_program_view *view, struct tp_arena *arena)
{
    if (view->python.inner == TP_NO_ID)
        return "";
    struct tp_str name = tp_program_function_at(&view->functions, view->python.inner)->name;
    return tp_text_printf(arena, " Inside this function, %.*s takes the most time, %s of the function's time.",
                          (int)name.len, name.ptr,
                          tp_text_of_percent(arena, tp_percent(view->python.inner_ns, view->python.time_ns)));
}

static const char *too_short_headline(const struct tp_program_view *view, struct tp_arena *arena)
{
    return tp_text_printf(
        arena,
        "The program ran for only %s (%s), too short for a verdict. Only the process tree and the times are reliable.",
        tp_text_of_time(arena, view->parts.wall_ns),
        tp_text_of_counted_noun(arena, view->tree.trace->sample_count, "sample", "samples"));
}

static const char *idle_program_headline(const struct tp_program_view *view, struct tp_arena *arena)
{
    int64_t ups = (int64_t)view->wake_up_count, cpu = view->state_ns[TP_STATE_RUNNING];
    double waiting = tp_percent(view->parts.idle_ns, view->parts.wall_ns);
    return tp_text_printf(arena,
                          "The program waits for work for %s of the wall time. The program used %s of CPU time%s (%s).",
                          tp_text_of_percent(arena, waiting), tp_text_of_time(arena, ups ? cpu / ups : cpu),
                          ups ? " per wake-up" : "", tp_text_of_counted_noun(arena, ups, "wake-up", "wake-ups"));
}

/* Returns the headline about threads that were ready but had no CPU. */
static const char *ready_time_headline(const struct tp_program_view *view, struct tp_arena *arena)
{
    const char *of_others = part_share_text(view, TP_WALL_READY, arena);
    if (view->story.headline == TP_PROGRAM_HEADLINE_THROTTLED)
        return tp_text_printf(arena,
                              "The program was throttled. For %s of the wall time, a thread was ready but no CPU was "
                              "free. A CPU limit (cgroup) stopped the program, and others with the same limit, for %s.",
                              of_others, tp_text_of_time(arena, view->throttled_ns));
    if (view->story.headline == TP_PROGRAM_HEADLINE_OTHER_PROGRAMS)
        return tp_text_printf(arena,
                              "For %s of the wall time, a thread was ready but no CPU was free. The machine was busy "
                              "with other work, or the program's CPU time is limited.",
                              of_others);
    return tp_text_printf(
        arena,
        "The program has more active threads than CPUs. Summed over the threads, the time ready without a CPU is %s, "
        "and the running time is %s.",
        tp_text_of_time(arena, view->state_ns[TP_STATE_READY]), total_cpu_time_text(view, arena));
}

static const char *waiting(const struct tp_program_view *view, struct tp_arena *arena)
{
    const struct tp_wait_group *group = view->story.wait;
    unsigned number = TP_WALL_WAITS + (unsigned)view->story.cause;
    const char *part = tp_wall_part_words(number), *percent = part_share_text(view, number, arena);
    if (!group)
        return tp_text_printf(arena, "For %s of the wall time, the program is %s.", percent, part);
    const char *holder = tp_program_lock_holder_text(view, group, arena);
    return tp_text_printf(
        arena, "For %s of the wall time, the program is %s, mainly in %s.%s%s%s", percent, part,
        tp_program_function_text_at(tp_program_function_at(&view->functions, group->place), group->line, arena),
        holder ? " The lock is " : "", holder ? holder : "", holder ? "." : "");
}

static const char *function_headline(const struct tp_program_view *view, struct tp_arena *arena)
{
    return tp_text_printf(
        arena, "%s takes %s of the program's %s of CPU time.", tp_program_function_text(hottest_function(view), arena),
        share_of_cpu_time_text(view, hottest_function(view)->self_ns, arena), total_cpu_time_text(view, arena));
}

static const char *spread_cpu_time_headline(const struct tp_program_view *view, struct tp_arena *arena)
{
    return tp_text_printf(arena, "The CPU time is spread over %s. %s has the largest self time, %s of the CPU time.",
                          tp_text_of_counted_noun(arena, view->story.sampled_count, "function", "functions"),
                          tp_program_function_text(hottest_function(view), arena),
                          share_of_cpu_time_text(view, hottest_function(view)->self_ns, arena));
}

static const char *unknown_function_text(const struct tp_program_view *view, struct tp_arena *arena)
{
    double percent =
        tp_wall_part_percent(&view->parts, TP_WALL_RUNNING) + tp_wall_part_percent(&view->parts, TP_WALL_READY);
    return tp_text_printf(arena,
                          "The program runs, or waits for a CPU, for %s of the wall time, but no function is known.",
                          tp_text_of_percent(arena, percent));
}

static const char *python_headline(const struct tp_program_view *view, struct tp_arena *arena)
{
    return tp_text_printf(arena, "%s takes %s of the program's %s of CPU time.%s", tp_program_python_text(view, arena),
                          share_of_cpu_time_text(view, view->python.time_ns, arena), total_cpu_time_text(view, arena),
                          inner_function_text(view, arena));
}

static const char *mixed_headline(const struct tp_program_view *view, struct tp_arena *arena)
{
    unsigned order[TP_WALL_COUNT], count = tp_wall_parts_sort(&view->parts, order);
    if (!count)
        return "";
    if (count == 1)
        return tp_text_printf(arena, "The program is %s.", tp_wall_part_words(order[0]));
    return tp_text_printf(arena, "The program is %s for %s of the wall time and %s for %s.",
                          tp_wall_part_words(order[0]), part_share_text(view, order[0], arena),
                          tp_wall_part_words(order[1]), part_share_text(view, order[1], arena));
}

static const char *headline_text(const struct tp_program_view *view, struct tp_arena *arena)
{
    static const char *(*const words[])(const struct tp_program_view *, struct tp_arena *) = {
        [TP_PROGRAM_HEADLINE_TOO_SHORT] = too_short_headline,
        [TP_PROGRAM_HEADLINE_IDLE] = idle_program_headline,
        [TP_PROGRAM_HEADLINE_THROTTLED] = ready_time_headline,
        [TP_PROGRAM_HEADLINE_OTHER_PROGRAMS] = ready_time_headline,
        [TP_PROGRAM_HEADLINE_TOO_MANY_THREADS] = ready_time_headline,
        [TP_PROGRAM_HEADLINE_WAITS] = waiting,
        [TP_PROGRAM_HEADLINE_PYTHON] = python_headline,
        [TP_PROGRAM_HEADLINE_FUNCTION] = function_headline,
        [TP_PROGRAM_HEADLINE_SPREAD] = spread_cpu_time_headline,
        [TP_PROGRAM_HEADLINE_UNKNOWN] = unknown_function_text,
        [TP_PROGRAM_HEADLINE_MIXED] = mixed_headline};
    const char *text = words[view->story.headline](view, arena);
    if (view->story.root_program_count < 2)
        return text;
    return tp_text_printf(arena, "%s together: %s", /* several programs ran, and the headline describes their total */
                          tp_text_of_counted_noun(arena, view->story.root_program_count, "program", "programs"), text);
}

/* ---- the sentence below the headline ---- */

/* Returns a sentence about the function with the most CPU time, such as "The program used 12.3 ms of CPU time, 40.1 %
 * of it in score (prep.py:13)." */
static const char *cpu_time_sentence(const struct tp_program_view *view, struct tp_arena *arena)
{
    const char *cpu = total_cpu_time_text(view, arena);
    if (view->story.hottest == TP_NO_ID)
        return tp_text_printf(arena, "The program used %s of CPU time, but no function is known.", cpu);
    if (view->python.function != TP_NO_ID)
        return tp_text_printf(arena, "The program used %s of CPU time, %s of it in %s.%s", cpu,
                              share_of_cpu_time_text(view, view->python.time_ns, arena),
                              tp_program_python_text(view, arena), inner_function_text(view, arena));
    return tp_text_printf(arena, "The program used %s of CPU time, %s of it in %s.", cpu,
                          share_of_cpu_time_text(view, hottest_function(view)->self_ns, arena),
                          tp_program_function_text(hottest_function(view), arena));
}

static const char *remark_text(const struct tp_program_view *view, struct tp_arena *arena)
{
    struct tp_str refusal = view->story.refusal;
    switch (view->story.remark) {
    case TP_PROGRAM_REMARK_RAN:
        return cpu_time_sentence(view, arena);
    case TP_PROGRAM_REMARK_DELAY:
        return tp_text_printf(
            arena,
            "For %s of the wall time, the program was ready but no CPU was free, because other work ran on the CPUs.",
            part_share_text(view, TP_WALL_READY, arena));
    case TP_PROGRAM_REMARK_REFUSED:
        return tp_text_printf(arena, "No functions were recorded, because %.*s.", (int)refusal.len, refusal.ptr);
    default:
        return "";
    }
}

void tp_fill_program_headline(struct tp_program_view *view, struct tp_arena *arena)
{
    view->headline = tp_str_of(headline_text(view, arena));
    view->advice = tp_str_of(remark_text(view, arena));
}
