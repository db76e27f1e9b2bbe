/* Finds what to improve in a program: see program_verdict.h. docs/definitions.md section 23 has the conditions. */
#include <math.h>

#include "webreport/measure/program/program_holders.h"
#include "webreport/measure/program/program_starts.h"
#include "webreport/measure/program/program_verdict.h"
#include "webreport/trace/json/value.h"
#include "writer/base/saturate.h"
#include "writer/base/utf8.h"
#include "writer/text/format.h"

enum { FEW_SAMPLES = 10, NAMED = 3, NAME_BYTES = 80 };
static const double WAIT_PERCENT = 5, KERNEL_PERCENT = 30, FAULT_PERCENT = 5, SPIN_PERCENT = 20, HOT_PERCENT = 10,
                    WAITER_RUNS_PERCENT = 3;

const char *tp_program_finding_id(enum tp_program_finding_kind kind)
{
    static const char *const ids[TP_PROGRAM_FINDINGS] = {
        "ready",           "spinning",        "lock",   "disk",        "function", "kernel", "page_faults", "threads",
        "child_processes", "short_processes", "failed", "left_running"};
    return ids[kind];
}

const char *tp_program_weight_text(enum tp_program_weight weight)
{
    static const char *const texts[] = {"high", "medium", "low", "info"};
    return texts[weight];
}

static int64_t cpu_ns(const struct tp_program_view *view)
{
    return view->state_ns[TP_STATE_RUNNING];
}

static void find_ready(struct tp_program_view *view, struct tp_arena *arena)
{
    if (view->rule != TP_PROGRAM_WAITS_FOR_CPU)
        return;
    tp_program_finding_add(
        view, &(struct tp_program_finding){
                  .kind = TP_PROGRAM_FINDS_READY,
                  .weight = TP_PROGRAM_HIGH,
                  .title = "A thread is ready and no CPU is free",
                  .detail = tp_text_printf(arena, "Running %s, ready without a CPU %s, summed over threads.",
                                           tp_text_of_time(arena, cpu_ns(view)),
                                           tp_text_of_time(arena, view->state_ns[TP_STATE_READY])),
                  .advice = view->throttled_ns > 0
                                ? "Raise the CPU limit of its cgroup (cpu.max; in a container its CPU limit), or "
                                  "run fewer threads under it."
                                : "Fewer jobs at once or more CPUs; in a container, look at its CPU limit.",
                  .time_ns = view->parts.part_ns[TP_WALL_READY],
                  .percent = tp_wall_share(&view->parts, TP_WALL_READY),
                  .whole = "wall"});
}

/* ---- functions ---- */

/* Adds the finding about the Python function with most processor time, which includes the native code that it calls. */
static void find_python(struct tp_program_view *view, struct tp_arena *arena)
{
    const struct tp_program_python *python = &view->python;
    double percent = tp_percent(python->time_ns, cpu_ns(view));
    const char *inside = "";
    if (python->inner != TP_NO_ID) {
        const struct tp_program_function *f = tp_program_function_at(&view->functions, python->inner);
        inside = tp_text_printf(arena, "; inside it most is %s, %s", tp_program_function_words(f, arena),
                                tp_text_of_time(arena, python->inner_ns));
    }
    tp_program_finding_add(
        view, &(struct tp_program_finding){
                  .kind = TP_PROGRAM_FINDS_FUNCTION,
                  .weight = percent >= HOT_PERCENT ? TP_PROGRAM_MEDIUM : TP_PROGRAM_LOW,
                  .title = tp_program_python_words(python, &view->functions, arena),
                  .detail = tp_text_printf(
                      arena, "Most CPU time of all functions of Python: %s with the code in C that it calls, %s%s.",
                      tp_text_of_time(arena, python->time_ns),
                      tp_text_of_some(arena, (int64_t)python->sample_count, "sample", "samples"), inside),
                  .advice = "Make it cheaper, or call it less often: the flame shows who calls it.",
                  .time_ns = python->time_ns,
                  .percent = percent,
                  .whole = "CPU"});
}

/* Returns the advice for a function without a name. Debug packages are found by build-id (debuginfod, .build-id below
 * /usr/lib/debug). */
static const char *nameless_advice(const struct tp_program_view *view, const struct tp_program_function *f,
                                   struct tp_arena *arena)
{
    const char *file = tp_text_printf(arena, "%.*s", (int)f->file.len, f->file.ptr);
    struct tp_str ids = tp_trace_header(view->tree.trace, "tracepress_build_ids");
    struct tp_str id = ids.ptr ? tp_value_text(arena, tp_value_member(ids, file)) : (struct tp_str){NULL, 0};
    const char *which =
        id.len ? tp_text_printf(arena, "the debug package of build-id %.*s", (int)id.len, id.ptr) : "its debug package";
    return tp_text_printf(arena, "%s has no symbols: %s says which function this is.%s", file, which,
                          id.len ? " Install that, and record again." : "");
}

static void find_function(struct tp_program_view *view, struct tp_arena *arena)
{
    uint32_t at = 0, count = view->functions.found_count;
    const struct tp_program_function *f = NULL;
    for (; at < count && !f; at++) { /* the largest function with a known name */
        f = tp_program_function_at(&view->functions, view->functions.order[at]);
        f = tp_str_starts(f->name, "[unknown]") || f->is_recording ? NULL : f;
    }
    if (!f || f->sample_count < FEW_SAMPLES)
        return;
    double percent = tp_percent(f->self_ns, cpu_ns(view));
    tp_program_finding_add(
        view,
        &(struct tp_program_finding){
            .kind = TP_PROGRAM_FINDS_FUNCTION,
            .weight = percent >= HOT_PERCENT ? TP_PROGRAM_MEDIUM : TP_PROGRAM_LOW,
            .title = tp_program_function_words(f, arena),
            .detail = tp_text_printf(arena, "Most CPU time of all functions: %s itself, %s with what it calls, %s.",
                                     tp_text_of_time(arena, f->self_ns), tp_text_of_time(arena, f->total_ns),
                                     tp_text_of_some(arena, (int64_t)f->sample_count, "sample", "samples")),
            .advice = tp_str_starts(f->name, "[jit]")
                          ? "A compiler in the program made it: let it write a map of what it "
                            "makes (node --perf-basic-prof, java "
                            "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit)."
                      : f->is_nameless ? nameless_advice(view, f, arena)
                                       : "Make it cheaper, or call it less often: the flame shows who calls it.",
            .time_ns = f->self_ns,
            .percent = percent,
            .whole = "CPU"});
}

static void find_kernel(struct tp_program_view *view, struct tp_arena *arena)
{
    const struct tp_program_function *most = NULL;
    uint64_t samples = 0;
    int64_t ns = tp_sat_sub(view->kernel_ns, tp_program_starts_kernel_ns(view));
    double percent = tp_percent(ns, cpu_ns(view));
    for (uint32_t i = 0; i < view->functions.found_count; i++) {
        const struct tp_program_function *f = tp_program_function_at(&view->functions, view->functions.order[i]);
        if (f->kind != TP_FUNCTION_KERNEL || f->is_recording)
            continue;
        most = most ? most : f;
        samples += f->sample_count;
    }
    if (percent < KERNEL_PERCENT || samples < FEW_SAMPLES)
        return;
    tp_program_finding_add(
        view, &(struct tp_program_finding){
                  .kind = TP_PROGRAM_FINDS_KERNEL,
                  .weight = TP_PROGRAM_MEDIUM,
                  .title = "Much of the CPU time is the kernel's",
                  .detail = tp_text_printf(arena, "%s in system calls and faults; the most in %.*s.",
                                           tp_text_of_time(arena, ns), (int)most->name.len, most->name.ptr),
                  .advice = "Fewer and larger reads and writes, fewer processes, memory used again.",
                  .time_ns = ns,
                  .percent = percent,
                  .whole = "CPU"});
}

/* Returns the time of the samples for whose functions `is_one` is true. *samples is their number. */
static int64_t time_of_samples(struct tp_program_view *view, bool (*is_one)(const struct tp_program_functions *),
                               uint64_t *samples)
{
    const struct tp_trace *trace = view->tree.trace;
    int64_t ns = 0;
    *samples = 0;
    for (uint32_t i = 0; i < trace->sample_count; i++) {
        tp_program_functions_of(&view->functions, trace->samples[i].stack);
        if (tp_program_functions_end_in_recording(&view->functions) || !is_one(&view->functions))
            continue;
        ns = tp_sat_add(ns, view->tree.weight_of_sample[i]);
        ++*samples;
    }
    return ns;
}

static const struct tp_program_function *function_at(const struct tp_program_functions *functions, size_t index)
{
    return tp_program_function_at(functions, *TP_AT(&functions->path, uint32_t, index));
}

static bool is_fault(const struct tp_program_functions *functions)
{
    for (size_t i = functions->path.count; i-- > 0;) {
        const struct tp_program_function *f = function_at(functions, i);
        if (f->kind != TP_FUNCTION_KERNEL)
            return false;
        if (tp_str_find(f->name, "page_fault") >= 0 || tp_str_find(f->name, "handle_mm_fault") >= 0)
            return true;
    }
    return false;
}

/* Returns whether a sample spins while it waits for others: in the OpenMP library, or by repeated sched_yield. */
static bool is_spin(const struct tp_program_functions *functions)
{
    for (size_t i = functions->path.count; i-- > 0;) {
        const struct tp_program_function *f = function_at(functions, i);
        if (tp_str_find(f->name, "sched_yield") >= 0)
            return true;
        if (f->kind != TP_FUNCTION_KERNEL)
            return tp_str_starts(f->file, "libgomp.so") || tp_str_starts(f->name, "gomp_") ||
                   tp_str_starts(f->file, "libiomp5.so") || tp_str_starts(f->file, "libomp.so");
    }
    return false;
}

static void find_faults(struct tp_program_view *view, struct tp_arena *arena)
{
    uint64_t samples;
    int64_t ns = time_of_samples(view, is_fault, &samples);
    if (samples < FEW_SAMPLES || tp_percent(ns, cpu_ns(view)) < FAULT_PERCENT)
        return;
    tp_program_finding_add(view,
                           &(struct tp_program_finding){
                               .kind = TP_PROGRAM_FINDS_FAULTS,
                               .weight = TP_PROGRAM_LOW,
                               .title = "Faults of pages take CPU time",
                               .detail = tp_text_printf(arena, "%s found the kernel making pages of memory.",
                                                        tp_text_of_some(arena, (int64_t)samples, "sample", "samples")),
                               .advice = "Use memory again instead of returning it; larger pages for large arrays.",
                               .time_ns = ns,
                               .percent = tp_percent(ns, cpu_ns(view)),
                               .whole = "CPU"});
}

static void find_spinning(struct tp_program_view *view, struct tp_arena *arena)
{
    uint64_t samples;
    int64_t ns = time_of_samples(view, is_spin, &samples);
    if (samples < FEW_SAMPLES || tp_percent(ns, cpu_ns(view)) < SPIN_PERCENT)
        return;
    tp_program_finding_add(
        view, &(struct tp_program_finding){
                  .kind = TP_PROGRAM_FINDS_SPINNING,
                  .weight = TP_PROGRAM_HIGH,
                  .title = "Threads spin at a barrier",
                  .detail = tp_text_printf(arena, "%s found a thread that runs only to wait for others.",
                                           tp_text_of_some(arena, (int64_t)samples, "sample", "samples")),
                  .advice = "Share the work out more evenly, use fewer threads, or let them sleep while they wait.",
                  .time_ns = ns,
                  .percent = tp_percent(ns, cpu_ns(view)),
                  .whole = "CPU"});
}

/* ---- waits ---- */

/* Returns the running time of all threads with a wait of the group. */
static int64_t running_of(const struct tp_program_view *view, uint32_t group)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < view->tree.thread_count; i++) {
        const struct tp_tree_thread *thread = &view->tree.threads[i];
        const uint32_t *groups = view->waits.group_of_piece + thread->first;
        uint32_t at = 0;
        while (at < thread->count && groups[at] != group)
            at++;
        ns = tp_sat_add(ns, at < thread->count ? thread->state_ns[TP_STATE_RUNNING] : 0);
    }
    return ns;
}

/* Returns whether waits for a lock are contention: a thread that waits for others waits often and runs in between; a
 * thread that waits for work hardly runs. A stack with only the C library does not show whose lock it is. */
static bool is_contention(const struct tp_program_view *view, const struct tp_wait_group *group)
{
    if (group->place != TP_NO_ID &&
        tp_program_function_is_system(tp_program_function_at(&view->functions, group->place)))
        return false;
    int64_t running_ns = running_of(view, (uint32_t)(group - view->waits.groups));
    return group->count >= FEW_SAMPLES && tp_percent(running_ns, group->total_ns) >= WAITER_RUNS_PERCENT;
}

/* Returns a sentence about the likely holder of a lock. The recording does not see the lock, so the words say that this
 * is a guess. */
static const char *holder_sentence(const struct tp_program_view *view, const struct tp_wait_group *group,
                                   struct tp_arena *arena)
{
    const char *words = tp_program_holder_words(view, group, arena);
    return words ? tp_text_printf(arena, " For %s it is %s: it runs meanwhile, and last.",
                                  tp_text_of_time(arena, group->held_ns), words)
                 : "";
}

static void find_wait(struct tp_program_view *view, enum tp_wait_cause cause, const struct tp_program_finding *finding,
                      struct tp_arena *arena)
{
    const struct tp_wait_group *group = NULL;
    for (uint32_t i = 0; i < view->waits.count && !group; i++)
        if (view->waits.groups[i].cause == cause &&
            (cause != TP_WAIT_LOCK || is_contention(view, &view->waits.groups[i])))
            group = &view->waits.groups[i];
    if (!group || tp_percent(group->total_ns, view->parts.wall_ns) < WAIT_PERCENT)
        return;
    struct tp_str name = tp_strings_get(&view->waits.texts, group->name);
    struct tp_str stack = tp_strings_get(&view->waits.texts, group->stack);
    struct tp_program_finding found = *finding;
    found.detail = tp_text_printf(arena, "%s of %.*s%s%.*s, the longest %s; summed over threads.%s",
                                  tp_text_of_some(arena, (int64_t)group->count, "wait", "waits"), (int)name.len,
                                  name.ptr, stack.len ? " in " : "", (int)stack.len, stack.ptr,
                                  tp_text_of_time(arena, group->longest_ns), holder_sentence(view, group, arena));
    found.time_ns = group->total_ns;
    found.percent = tp_percent(group->total_ns, view->parts.wall_ns);
    found.whole = "wall";
    tp_program_finding_add(view, &found);
}

/* ---- processes ---- */

static bool has_failed(const struct tp_tree_process *process)
{
    return process->seen && process->seen->exit_code != TP_NULL_INT && process->seen->exit_code != 0;
}

/* Processes of one kind: the names of the first few, their number and their summed wall time. */
struct named {
    const char *names;
    uint64_t count;
    int64_t wall_ns;
};

/* Returns `names` followed by process i and how it ended. */
static const char *named_too(const struct tp_program_view *view, const char *names, uint32_t i, struct tp_arena *arena)
{
    struct tp_str command = tp_table_text(&view->processes, TP_PROGRAM_PROCESS_COMMAND)[i];
    struct tp_str how = tp_table_text(&view->processes, TP_PROGRAM_PROCESS_EXIT)[i];
    size_t shown = tp_utf8_cut(command.ptr, command.len, NAME_BYTES);
    const char *cut = shown < command.len ? "\xe2\x80\xa6" : "", *comma = *names ? ", " : "";
    if (!has_failed(&view->tree.processes[i]))
        return tp_text_printf(arena, "%s%s%.*s%s (pid %lld)", names, comma, (int)shown, command.ptr, cut,
                              (long long)view->tree.processes[i].pid);
    return tp_text_printf(arena, "%s%s%.*s%s (%s%.*s)", names, comma, (int)shown, command.ptr, cut,
                          view->tree.processes[i].seen->signal == TP_NULL_INT ? "exit code " : "", (int)how.len,
                          how.ptr);
}

static void name_process(struct named *named, const struct tp_program_view *view, uint32_t i, struct tp_arena *arena)
{
    named->wall_ns = tp_sat_add(named->wall_ns, tp_table_int(&view->processes, TP_PROGRAM_PROCESS_WALL)[i]);
    if (named->count++ < NAMED)
        named->names = named_too(view, named->names, i, arena);
}

static const char *others_words(const struct named *named)
{
    return named->count > NAMED ? " and others" : "";
}

static void find_failed(struct tp_program_view *view, struct tp_arena *arena)
{
    struct named failed = {.names = ""};
    bool has_signal = false;
    for (uint32_t i = 0; i < view->tree.process_count; i++) {
        if (!has_failed(&view->tree.processes[i]))
            continue;
        has_signal |= view->tree.processes[i].seen->signal != TP_NULL_INT;
        name_process(&failed, view, i, arena);
    }
    if (!failed.count)
        return;
    tp_program_finding_add(
        view, &(struct tp_program_finding){
                  .kind = TP_PROGRAM_FINDS_FAILED,
                  .weight = has_signal || has_failed(&view->tree.processes[0]) ? TP_PROGRAM_MEDIUM : TP_PROGRAM_INFO,
                  .title = tp_text_printf(arena, "%s ended with an error or by a signal",
                                          tp_text_of_some(arena, (int64_t)failed.count, "process", "processes")),
                  .detail = tp_text_printf(arena, "%s%s.", failed.names, others_words(&failed)),
                  .advice = "Where that is no answer to a question, what they were for was not done.",
                  .time_ns = failed.wall_ns,
                  .percent = NAN,
                  .whole = NULL});
}

static bool still_runs(const struct tp_program_view *view, uint32_t i)
{
    const struct tp_seen_process *seen = view->tree.processes[i].seen;
    return seen && seen->end != TP_NO_ID &&
           tp_str_equal(tp_strings_get(&view->tree.trace->texts, seen->end), TP_STR("still runs"));
}

/* Finds daemons: processes that still ran when the program ended, which ends the recording. When the recording attached
 * to a process, the first process still runs, too: then there is no such finding. */
static void find_left(struct tp_program_view *view, struct tp_arena *arena)
{
    struct named left = {.names = ""};
    for (uint32_t i = 1; i < view->tree.process_count && !still_runs(view, 0); i++)
        if (still_runs(view, i))
            name_process(&left, view, i, arena);
    if (!left.count)
        return;
    tp_program_finding_add(
        view, &(struct tp_program_finding){
                  .kind = TP_PROGRAM_FINDS_LEFT,
                  .weight = TP_PROGRAM_INFO,
                  .title = tp_text_printf(arena, "%s of it went on when the program was over",
                                          tp_text_of_some(arena, (int64_t)left.count, "process", "processes")),
                  .detail = tp_text_printf(arena, "%s%s: recorded until then.", left.names, others_words(&left)),
                  .advice = "What they do is recorded by record -p PID.",
                  .time_ns = left.wall_ns,
                  .percent = NAN,
                  .whole = NULL});
}

void tp_program_findings_build(struct tp_program_view *view, struct tp_arena *arena)
{
    static const struct tp_program_finding locks = {
        .kind = TP_PROGRAM_FINDS_LOCK,
        .weight = TP_PROGRAM_MEDIUM,
        .title = "Threads wait for each other",
        .advice = "Hold the lock for less: do the work outside of it, or give each thread data of its own."};
    static const struct tp_program_finding disks = {
        .kind = TP_PROGRAM_FINDS_DISK,
        .weight = TP_PROGRAM_MEDIUM,
        .title = "Waits for the disk",
        .advice = "Fewer syncs, larger and sequential reads and writes, or other work meanwhile."};
    view->finding_count = 0;
    if (view->rule == TP_PROGRAM_TOO_SHORT) {
        find_failed(view, arena);
        find_left(view, arena);
        return;
    }
    find_ready(view, arena);
    find_spinning(view, arena);
    find_wait(view, TP_WAIT_LOCK, &locks, arena);
    find_wait(view, TP_WAIT_DISK, &disks, arena);
    tp_program_find_starts(view, arena);
    if (view->python.function != TP_NO_ID && view->python.sample_count >= FEW_SAMPLES)
        find_python(view, arena);
    else
        find_function(view, arena);
    find_kernel(view, arena);
    find_faults(view, arena);
    find_failed(view, arena);
    find_left(view, arena);
}
