/* Decides the verdict on a program: see program_verdict.h. docs/definitions.md section 23 has the rules. */
#include "webreport/measure/program/program_verdict.h"

#include "webreport/measure/program/program_holders.h"
#include "webreport/trace/json/value.h"
#include "writer/base/buf.h"
#include "writer/text/format.h"

enum { FEW_SAMPLES = 20 };
static const int64_t SHORT_NS = 100000000;
static const double IDLE_PERCENT = 80, IDLE_RUNNING_PERCENT = 10, CPU_PERCENT = 50, WAIT_PERCENT = 20,
                    BOUND_PERCENT = 60, HOT_PERCENT = 10, DELAY_PERCENT = 10;

/* Waits that can decide a verdict, in the order in which the rules apply. */
static const struct {
    enum tp_wait_cause cause;
    enum tp_program_rule rule;
} waits[] = {{TP_WAIT_DISK, TP_PROGRAM_WAITS_FOR_DISK},
             {TP_WAIT_SOCKET, TP_PROGRAM_WAITS_FOR_SOCKET},
             {TP_WAIT_TERMINAL, TP_PROGRAM_WAITS_FOR_TERMINAL},
             {TP_WAIT_SLEEP, TP_PROGRAM_SLEEPS},
             {TP_WAIT_LOCK, TP_PROGRAM_WAITS_FOR_LOCK}};
enum { WAITS = sizeof waits / sizeof *waits };

const char *tp_program_rule_id(enum tp_program_rule rule)
{
    static const char *const ids[TP_PROGRAM_RULES] = {"P0", "P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9"};
    return ids[rule];
}

const char *tp_wall_part_words(unsigned part)
{
    static const char *const words[TP_WALL_COUNT] = {
        [TP_WALL_RUNNING] = "running",
        [TP_WALL_READY] = "ready, but without a CPU",
        [TP_WALL_WAITS + TP_WAIT_DISK] = "waiting for the disk",
        [TP_WALL_WAITS + TP_WAIT_PAGE_FAULT] = "waiting for a page of memory",
        [TP_WALL_WAITS + TP_WAIT_SOCKET] = "waiting for a socket",
        [TP_WALL_WAITS + TP_WAIT_TERMINAL] = "waiting for the terminal",
        [TP_WALL_WAITS + TP_WAIT_SLEEP] = "sleeping",
        [TP_WALL_WAITS + TP_WAIT_LOCK] = "waiting for a lock",
        [TP_WALL_WAITS + TP_WAIT_KERNEL_LOCK] = "waiting for a lock of the kernel",
        [TP_WALL_WAITS + TP_WAIT_FILE] = "waiting for a file",
        [TP_WALL_WAITS + TP_WAIT_PIPE] = "waiting for a pipe",
        [TP_WALL_WAITS + TP_WAIT_POLL] = "waiting for events (poll)",
        [TP_WALL_WAITS + TP_WAIT_SIGNAL] = "waiting for a signal",
        [TP_WALL_WAITS + TP_WAIT_STOPPED] = "stopped",
        [TP_WALL_WAITS + TP_WAIT_CHILD] = "waiting for a child",
        [TP_WALL_WAITS + TP_WAIT_EXIT] = "ending",
        [TP_WALL_WAITS + TP_WAIT_RECORDING] = "waiting for the recording",
        [TP_WALL_WAITS + TP_WAIT_UNKNOWN] = "blocked, cause not seen"};
    return words[part];
}

static double share(const struct tp_program_view *view, unsigned part)
{
    return tp_wall_share(&view->parts, part);
}

static double wait_share(const struct tp_program_view *view, enum tp_wait_cause cause)
{
    return share(view, TP_WALL_WAITS + (unsigned)cause);
}

static enum tp_program_rule rule_of(const struct tp_program_view *view)
{
    double running = share(view, TP_WALL_RUNNING), ready = share(view, TP_WALL_READY);
    if (view->tree.trace->sample_count < FEW_SAMPLES && view->parts.wall_ns < SHORT_NS)
        return TP_PROGRAM_TOO_SHORT;
    if (tp_percent(view->parts.idle_ns, view->parts.wall_ns) >= IDLE_PERCENT && running < IDLE_RUNNING_PERCENT)
        return TP_PROGRAM_IDLE;
    if (view->state_ns[TP_STATE_READY] > view->state_ns[TP_STATE_RUNNING] && running + ready >= CPU_PERCENT)
        return TP_PROGRAM_WAITS_FOR_CPU;
    for (size_t i = 0; i < WAITS; i++) {
        double waiting = wait_share(view, waits[i].cause);
        if (waiting >= WAIT_PERCENT && waiting >= running / 2)
            return waits[i].rule;
    }
    return running + ready >= BOUND_PERCENT ? TP_PROGRAM_CPU_BOUND : TP_PROGRAM_MIXED;
}

/* ---- words ---- */

/* Returns the program's function with most self time; NULL: no sample has a stack. */
static const struct tp_program_function *hottest(const struct tp_program_view *view)
{
    const struct tp_program_function *f = NULL;
    for (uint32_t at = 0; at < view->functions.found_count && !f; at++) {
        f = tp_program_function_at(&view->functions, view->functions.order[at]);
        f = f->is_recording ? NULL : f;
    }
    return f && f->sample_count ? f : NULL;
}

static double self_percent(const struct tp_program_view *view, const struct tp_program_function *f)
{
    return tp_percent(f->self_ns, view->state_ns[TP_STATE_RUNNING]);
}

/* Returns the share of the Python function with most processor time; 0: there is none. */
static double python_percent(const struct tp_program_view *view)
{
    return tp_percent(view->python.time_ns, view->state_ns[TP_STATE_RUNNING]);
}

/* Returns "; inside it most is pymalloc_alloc, 12.0 %", or "". */
static const char *inside_words(const struct tp_program_view *view, struct tp_arena *arena)
{
    if (view->python.inner == TP_NO_ID)
        return "";
    struct tp_str name = tp_program_function_at(&view->functions, view->python.inner)->name;
    return tp_text_printf(arena, "; inside it most is %.*s, %s", (int)name.len, name.ptr,
                          tp_text_of_percent(arena, tp_percent(view->python.inner_ns, view->python.time_ns)));
}

/* Returns "It ran for 12.3 ms, 40.1 % of it in score (prep.py:13)." */
static const char *busy_words(const struct tp_program_view *view, struct tp_arena *arena)
{
    const struct tp_program_function *f = hottest(view);
    const char *cpu = tp_text_of_time(arena, view->state_ns[TP_STATE_RUNNING]);
    if (!f)
        return tp_text_printf(arena, "It ran for %s, over no known function.", cpu);
    if (view->python.function != TP_NO_ID)
        return tp_text_printf(
            arena, "It ran for %s, %s of it in %s%s.", cpu, tp_text_of_percent(arena, python_percent(view)),
            tp_program_python_words(&view->python, &view->functions, arena), inside_words(view, arena));
    return tp_text_printf(arena, "It ran for %s, %s of it in %s.", cpu,
                          tp_text_of_percent(arena, self_percent(view, f)), tp_program_function_words(f, arena));
}

static const char *too_short(const struct tp_program_view *view, struct tp_arena *arena)
{
    return tp_text_printf(arena, "Too short to judge: %s, %s; the tree and times alone say something.",
                          tp_text_of_time(arena, view->parts.wall_ns),
                          tp_text_of_some(arena, view->tree.trace->sample_count, "sample", "samples"));
}

static const char *idle(const struct tp_program_view *view, struct tp_arena *arena)
{
    int64_t ups = (int64_t)view->wake_up_count, cpu = view->state_ns[TP_STATE_RUNNING];
    double waiting = tp_percent(view->parts.idle_ns, view->parts.wall_ns);
    return tp_text_printf(arena, "It waits for work for %s of the time: %s, %s of CPU each.",
                          tp_text_of_percent(arena, waiting), tp_text_of_some(arena, ups, "wake-up", "wake-ups"),
                          tp_text_of_time(arena, ups ? cpu / ups : cpu));
}

/* Words the verdict about threads without a CPU. Time in which none of its threads runs although one is ready is due to
 * other programs; the rest is due to its own threads. */
static const char *ready(const struct tp_program_view *view, struct tp_arena *arena)
{
    double of_others = share(view, TP_WALL_READY), running = share(view, TP_WALL_RUNNING);
    if (view->throttled_ns > 0)
        return tp_text_printf(
            arena,
            "It was throttled: for %s of the time a thread was ready and got no CPU, and a limit of CPU time "
            "(cgroup) held it and what shares that limit back for %s.",
            tp_text_of_percent(arena, of_others), tp_text_of_time(arena, view->throttled_ns));
    if (of_others >= running)
        return tp_text_printf(arena,
                              "For %s of the time a thread was ready and got no CPU: the machine was busy with other "
                              "work, or the program's CPU time is limited.",
                              tp_text_of_percent(arena, of_others));
    return tp_text_printf(arena,
                          "Its threads were ready without a CPU for %s and ran for %s: more of them want to run "
                          "than there are CPUs for them.",
                          tp_text_of_time(arena, view->state_ns[TP_STATE_READY]),
                          tp_text_of_time(arena, view->state_ns[TP_STATE_RUNNING]));
}

static const struct tp_wait_group *largest_wait(const struct tp_program_view *view, enum tp_wait_cause cause)
{
    for (uint32_t i = 0; i < view->waits.count; i++) /* largest first */
        if (view->waits.groups[i].cause == cause && view->waits.groups[i].place != TP_NO_ID)
            return &view->waits.groups[i];
    return NULL;
}

static const char *waiting(const struct tp_program_view *view, enum tp_wait_cause cause, struct tp_arena *arena)
{
    const struct tp_wait_group *group = largest_wait(view, cause);
    const char *part = tp_wall_part_words(TP_WALL_WAITS + (unsigned)cause);
    const char *percent = tp_text_of_percent(arena, wait_share(view, cause));
    if (!group)
        return tp_text_printf(arena, "%s of the time it is %s.", percent, part);
    const char *holder = tp_program_holder_words(view, group, arena);
    return tp_text_printf(
        arena, "%s of the time it is %s, most of it in %s%s%s.", percent, part,
        tp_program_function_words_at(tp_program_function_at(&view->functions, group->place), group->line, arena),
        holder ? "; " : "", holder ? holder : "");
}

static const char *cpu_bound(const struct tp_program_view *view, struct tp_arena *arena)
{
    const struct tp_program_function *f = hottest(view);
    unsigned sampled = 0;
    if (!f)
        return tp_text_printf(arena, "It runs, or waits for a CPU, for %s of the time, over no known function.",
                              tp_text_of_percent(arena, share(view, TP_WALL_RUNNING) + share(view, TP_WALL_READY)));
    const char *words = tp_program_function_words(f, arena);
    const char *percent = tp_text_of_percent(arena, self_percent(view, f));
    if (self_percent(view, f) >= HOT_PERCENT)
        return tp_text_printf(arena, "%s takes %s of its %s of CPU time.", words, percent,
                              tp_text_of_time(arena, view->state_ns[TP_STATE_RUNNING]));
    for (uint32_t i = 0; i < view->functions.items.count; i++)
        sampled += tp_program_function_at(&view->functions, i)->sample_count > 0;
    return tp_text_printf(arena, "Its CPU time is spread over %s; the largest, %s, takes %s.",
                          tp_text_of_some(arena, sampled, "function", "functions"), words, percent);
}

static const char *python_bound(const struct tp_program_view *view, struct tp_arena *arena)
{
    return tp_text_printf(arena, "%s takes %s of its %s of CPU time%s.",
                          tp_program_python_words(&view->python, &view->functions, arena),
                          tp_text_of_percent(arena, python_percent(view)),
                          tp_text_of_time(arena, view->state_ns[TP_STATE_RUNNING]), inside_words(view, arena));
}

static const char *mixed(const struct tp_program_view *view, struct tp_arena *arena)
{
    unsigned order[TP_WALL_COUNT], count = tp_wall_parts_order(&view->parts, order);
    if (!count)
        return "";
    if (count == 1)
        return tp_text_printf(arena, "It is %s.", tp_wall_part_words(order[0]));
    return tp_text_printf(arena, "It is %s for %s of the time and %s for %s.", tp_wall_part_words(order[0]),
                          tp_text_of_percent(arena, share(view, order[0])), tp_wall_part_words(order[1]),
                          tp_text_of_percent(arena, share(view, order[1])));
}

/* Returns why no function is known and how to see functions, as the recorder wrote it; "": unknown. */
static const char *unseen_words(const struct tp_program_view *view, struct tp_arena *arena)
{
    struct tp_str seen = tp_trace_header(view->tree.trace, "tracepress_seen");
    if (!seen.ptr || view->tree.trace->sample_count)
        return "";
    struct tp_str refusal = tp_value_text(arena, tp_value_member(seen, "refusal"));
    return refusal.len ? tp_text_printf(arena, "Functions were not seen, for %.*s.", (int)refusal.len, refusal.ptr)
                       : "";
}

static const char *headline_of(const struct tp_program_view *view, struct tp_arena *arena)
{
    switch (view->rule) {
    case TP_PROGRAM_TOO_SHORT:
        return too_short(view, arena);
    case TP_PROGRAM_IDLE:
        return idle(view, arena);
    case TP_PROGRAM_WAITS_FOR_CPU:
        return ready(view, arena);
    case TP_PROGRAM_CPU_BOUND:
        return python_percent(view) >= HOT_PERCENT ? python_bound(view, arena) : cpu_bound(view, arena);
    case TP_PROGRAM_MIXED:
        return mixed(view, arena);
    default:
        break;
    }
    for (size_t i = 0; i < WAITS; i++)
        if (waits[i].rule == view->rule)
            return waiting(view, waits[i].cause, arena);
    return "";
}

/* Returns a sentence about time without a CPU: a program that computes takes longer when others compute, too. */
static const char *delay_words(const struct tp_program_view *view, struct tp_arena *arena)
{
    double percent = share(view, TP_WALL_READY);
    if (percent < DELAY_PERCENT)
        return "";
    return tp_text_printf(arena, "For %s of the time it was ready and got no CPU: other work ran there.",
                          tp_text_of_percent(arena, percent));
}

/* Returns the headline; with several programs it starts with their number, because it is about all of them. */
static const char *of_all(const struct tp_program_view *view, const char *headline, struct tp_arena *arena)
{
    int64_t roots = 0;
    for (size_t i = 0; i < view->processes.row_count; i++)
        roots += tp_table_int(&view->processes, TP_PROGRAM_PROCESS_DEPTH)[i] == 0;
    return roots > 1 ? tp_text_printf(arena, "%s together: %s", tp_text_of_some(arena, roots, "program", "programs"),
                                      headline)
                     : headline;
}

void tp_program_verdict_build(struct tp_program_view *view, struct tp_arena *arena)
{
    view->rule = rule_of(view);
    view->headline = tp_str_of(of_all(view, headline_of(view, arena), arena));
    if (view->rule == TP_PROGRAM_TOO_SHORT)
        view->advice = TP_STR("");
    else
        view->advice =
            tp_str_of(view->rule == TP_PROGRAM_CPU_BOUND ? delay_words(view, arena) : busy_words(view, arena));
    if (view->rule == TP_PROGRAM_CPU_BOUND && !hottest(view))
        view->advice = tp_str_of(unseen_words(view, arena));
}
