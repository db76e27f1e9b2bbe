/* Finds what to improve in a program. See program_verdict.h. docs/definitions.md section 23 has the conditions. */
#include <math.h>

#include "webreport/measure/program/program_starts.h"
#include "webreport/measure/program/program_verdict.h"
#include "webreport/model/numbers.h"
#include "webreport/trace/json/value.h"
#include "writer/base/saturate.h"

enum { FEW_SAMPLES = 10 };
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

static void find_waits_for_cpu(struct tp_program_view *view)
{
    if (view->rule != TP_PROGRAM_WAITS_FOR_CPU)
        return;
    tp_program_finding_add(view,
                           &(struct tp_program_finding){.kind = TP_PROGRAM_FINDS_READY,
                                                        .weight = TP_PROGRAM_HIGH,
                                                        .time_ns = view->parts.part_ns[TP_WALL_READY],
                                                        .percent = tp_wall_part_percent(&view->parts, TP_WALL_READY),
                                                        .whole = "wall"});
}

/* ---- functions ---- */

/* Adds the finding about the Python function with the most processor time, including the native code that it calls. */
static void add_finding_about_python(struct tp_program_view *view)
{
    const struct tp_program_python *python = &view->python;
    double percent = tp_percent(python->time_ns, cpu_ns(view));
    tp_program_finding_add(
        view, &(struct tp_program_finding){.kind = TP_PROGRAM_FINDS_FUNCTION,
                                           .weight = percent >= HOT_PERCENT ? TP_PROGRAM_MEDIUM : TP_PROGRAM_LOW,
                                           .is_python = true,
                                           .function = python->function,
                                           .sample_count = python->sample_count,
                                           .time_ns = python->time_ns,
                                           .percent = percent,
                                           .whole = "CPU"});
}

/* Returns the build-id of the file of a function, by which debug packages are found (debuginfod, .build-id below
 * /usr/lib/debug). */
static struct tp_str find_build_id(const struct tp_program_view *view, const struct tp_program_function *f,
                                   struct tp_arena *arena)
{
    struct tp_str ids = tp_trace_header(view->tree.trace, "tracepress_build_ids");
    if (!ids.ptr)
        return TP_STR("");
    return tp_value_text(arena, tp_value_member(ids, tp_arena_copy(arena, f->file.ptr, f->file.len)));
}

static void add_finding_about_function(struct tp_program_view *view, struct tp_arena *arena)
{
    const struct tp_program_function *f = NULL;
    uint32_t number = TP_NO_ID;
    /* finds the largest function with a known name */
    for (uint32_t at = 0; at < view->functions.sampled_function_count && !f; at++) {
        number = view->functions.order[at];
        f = tp_program_function_at(&view->functions, number);
        f = tp_str_starts(f->name, "[unknown]") || f->is_recording ? NULL : f;
    }
    if (!f || f->sample_count < FEW_SAMPLES)
        return;
    double percent = tp_percent(f->self_ns, cpu_ns(view));
    tp_program_finding_add(
        view, &(struct tp_program_finding){.kind = TP_PROGRAM_FINDS_FUNCTION,
                                           .weight = percent >= HOT_PERCENT ? TP_PROGRAM_MEDIUM : TP_PROGRAM_LOW,
                                           .function = number,
                                           .sample_count = f->sample_count,
                                           .build_id = f->is_nameless ? find_build_id(view, f, arena) : TP_STR(""),
                                           .time_ns = f->self_ns,
                                           .percent = percent,
                                           .whole = "CPU"});
}

static void add_finding_about_kernel(struct tp_program_view *view)
{
    uint32_t most = TP_NO_ID;
    uint64_t samples = 0;
    int64_t ns = tp_sat_sub(view->kernel_ns, tp_program_thread_start_kernel_ns(view));
    double percent = tp_percent(ns, cpu_ns(view));
    for (uint32_t i = 0; i < view->functions.sampled_function_count; i++) {
        const struct tp_program_function *f = tp_program_function_at(&view->functions, view->functions.order[i]);
        if (f->kind != TP_FUNCTION_KERNEL || f->is_recording)
            continue;
        most = most == TP_NO_ID ? view->functions.order[i] : most;
        samples += f->sample_count;
    }
    if (percent < KERNEL_PERCENT || samples < FEW_SAMPLES)
        return;
    tp_program_finding_add(view, &(struct tp_program_finding){.kind = TP_PROGRAM_FINDS_KERNEL,
                                                              .weight = TP_PROGRAM_MEDIUM,
                                                              .function = most,
                                                              .sample_count = samples,
                                                              .time_ns = ns,
                                                              .percent = percent,
                                                              .whole = "CPU"});
}

/* Returns the time of all samples for which `is_one` returns true for the functions of their stack. *samples: number
 * of these samples. */
static int64_t time_of_matching_samples(struct tp_program_view *view,
                                        bool (*is_one)(const struct tp_program_functions *), uint64_t *samples)
{
    const struct tp_trace *trace = view->tree.trace;
    int64_t ns = 0;
    *samples = 0;
    for (uint32_t i = 0; i < trace->sample_count; i++) {
        tp_program_functions_of_stack(&view->functions, trace->samples[i].stack);
        if (tp_program_functions_end_in_recording(&view->functions) || !is_one(&view->functions))
            continue;
        ns = tp_sat_add(ns, view->tree.weight_of_sample_ns[i]);
        ++*samples;
    }
    return ns;
}

static const struct tp_program_function *function_of_path_at(const struct tp_program_functions *functions, size_t index)
{
    return tp_program_function_at(functions, *TP_AT(&functions->path, uint32_t, index));
}

static bool is_page_fault(const struct tp_program_functions *functions)
{
    for (size_t i = functions->path.count; i-- > 0;) {
        const struct tp_program_function *f = function_of_path_at(functions, i);
        if (f->kind != TP_FUNCTION_KERNEL)
            return false;
        if (tp_str_find(f->name, "page_fault") >= 0 || tp_str_find(f->name, "handle_mm_fault") >= 0)
            return true;
    }
    return false;
}

/* Returns whether a sample is busy waiting for other threads: in the OpenMP library, or by repeated sched_yield. */
static bool is_spinning(const struct tp_program_functions *functions)
{
    for (size_t i = functions->path.count; i-- > 0;) {
        const struct tp_program_function *f = function_of_path_at(functions, i);
        if (tp_str_find(f->name, "sched_yield") >= 0)
            return true;
        if (f->kind != TP_FUNCTION_KERNEL)
            return tp_str_starts(f->file, "libgomp.so") || tp_str_starts(f->name, "gomp_") ||
                   tp_str_starts(f->file, "libiomp5.so") || tp_str_starts(f->file, "libomp.so");
    }
    return false;
}

/* Adds a finding about the processor time of samples for which `is_one` returns true, if there are enough such
 * samples. */
static void add_finding_about_samples(struct tp_program_view *view, bool (*is_one)(const struct tp_program_functions *),
                                      double least_percent, struct tp_program_finding finding)
{
    finding.time_ns = time_of_matching_samples(view, is_one, &finding.sample_count);
    finding.percent = tp_percent(finding.time_ns, cpu_ns(view));
    finding.whole = "CPU";
    if (finding.sample_count >= FEW_SAMPLES && finding.percent >= least_percent)
        tp_program_finding_add(view, &finding);
}

/* ---- waits ---- */

/* Returns the running time of all threads that have a wait in the group, ns. */
static int64_t running_ns_of_group(const struct tp_program_view *view, uint32_t group)
{
    int64_t ns = 0;
    for (uint32_t i = 0; i < view->tree.thread_count; i++) {
        const struct tp_tree_thread *thread = &view->tree.threads[i];
        const uint32_t *groups = view->waits.group_by_slice + thread->first;
        uint32_t at = 0;
        while (at < thread->count && groups[at] != group)
            at++;
        ns = tp_sat_add(ns, at < thread->count ? thread->state_ns[TP_STATE_RUNNING] : 0);
    }
    return ns;
}

/* Returns whether waits for a lock are contention. A thread that waits for others waits often and runs in between; a
 * thread that waits for work hardly runs. A stack with only the C library does not show the owner of the lock. */
static bool is_lock_contention(const struct tp_program_view *view, const struct tp_wait_group *group)
{
    if (group->place != TP_NO_ID &&
        tp_program_function_is_system(tp_program_function_at(&view->functions, group->place)))
        return false;
    int64_t running_ns = running_ns_of_group(view, (uint32_t)(group - view->waits.groups));
    return group->count >= FEW_SAMPLES && tp_percent(running_ns, group->total_ns) >= WAITER_RUNS_PERCENT;
}

static void add_finding_about_wait(struct tp_program_view *view, enum tp_wait_cause cause,
                                   enum tp_program_finding_kind kind)
{
    const struct tp_wait_group *group = NULL;
    for (uint32_t i = 0; i < view->waits.count && !group; i++)
        if (view->waits.groups[i].cause == cause &&
            (cause != TP_WAIT_LOCK || is_lock_contention(view, &view->waits.groups[i])))
            group = &view->waits.groups[i];
    if (!group || tp_percent(group->total_ns, view->parts.wall_ns) < WAIT_PERCENT)
        return;
    tp_program_finding_add(view,
                           &(struct tp_program_finding){.kind = kind,
                                                        .weight = TP_PROGRAM_MEDIUM,
                                                        .wait = group,
                                                        .count = group->count,
                                                        .time_ns = group->total_ns,
                                                        .percent = tp_percent(group->total_ns, view->parts.wall_ns),
                                                        .whole = "wall"});
}

/* ---- processes ---- */

static bool has_exited_with_error(const struct tp_tree_process *process)
{
    return process->seen && process->seen->exit_code != TP_NULL_INT && process->seen->exit_code != 0;
}

/* Counts process i in a finding. The finding names only the first few processes. */
static void add_process(struct tp_program_finding *finding, const struct tp_program_view *view, uint32_t i)
{
    finding->time_ns = tp_sat_add(finding->time_ns, tp_table_int(&view->processes, TP_PROGRAM_PROCESS_WALL)[i]);
    if (finding->count++ < TP_PROGRAM_NAMED)
        finding->processes[finding->named_count++] = i;
}

static void find_failed_processes(struct tp_program_view *view)
{
    struct tp_program_finding failed = {.kind = TP_PROGRAM_FINDS_FAILED, .percent = NAN};
    bool has_signal = false;
    for (uint32_t i = 0; i < view->tree.process_count; i++) {
        if (!has_exited_with_error(&view->tree.processes[i]))
            continue;
        has_signal |= view->tree.processes[i].seen->signal != TP_NULL_INT;
        add_process(&failed, view, i);
    }
    failed.weight = has_signal || has_exited_with_error(&view->tree.processes[0]) ? TP_PROGRAM_MEDIUM : TP_PROGRAM_INFO;
    if (failed.count)
        tp_program_finding_add(view, &failed);
}

static bool is_still_running(const struct tp_program_view *view, uint32_t i)
{
    const struct tp_recorded_process *seen = view->tree.processes[i].seen;
    return seen && seen->end != TP_NO_ID &&
           tp_str_equal(tp_strings_get(&view->tree.trace->texts, seen->end), TP_STR("still runs"));
}

/* Finds daemons: processes that still ran when the recording stopped because the program exited. After attaching to
 * a running process there is no such finding, because the first process also still runs. */
static void find_processes_left_running(struct tp_program_view *view)
{
    struct tp_program_finding left = {.kind = TP_PROGRAM_FINDS_LEFT, .weight = TP_PROGRAM_INFO, .percent = NAN};
    for (uint32_t i = 1; i < view->tree.process_count && !is_still_running(view, 0); i++)
        if (is_still_running(view, i))
            add_process(&left, view, i);
    if (left.count)
        tp_program_finding_add(view, &left);
}

void tp_program_findings_build(struct tp_program_view *view, struct tp_arena *arena)
{
    view->finding_count = 0;
    if (view->rule == TP_PROGRAM_TOO_SHORT) {
        find_failed_processes(view);
        find_processes_left_running(view);
        return;
    }
    find_waits_for_cpu(view);
    add_finding_about_samples(
        view, is_spinning, SPIN_PERCENT,
        (struct tp_program_finding){.kind = TP_PROGRAM_FINDS_SPINNING, .weight = TP_PROGRAM_HIGH});
    add_finding_about_wait(view, TP_WAIT_LOCK, TP_PROGRAM_FINDS_LOCK);
    add_finding_about_wait(view, TP_WAIT_DISK, TP_PROGRAM_FINDS_DISK);
    tp_program_find_start_problems(view, arena);
    if (view->python.function != TP_NO_ID && view->python.sample_count >= FEW_SAMPLES)
        add_finding_about_python(view);
    else
        add_finding_about_function(view, arena);
    add_finding_about_kernel(view);
    add_finding_about_samples(view, is_page_fault, FAULT_PERCENT,
                              (struct tp_program_finding){.kind = TP_PROGRAM_FINDS_FAULTS, .weight = TP_PROGRAM_LOW});
    find_failed_processes(view);
    find_processes_left_running(view);
}
