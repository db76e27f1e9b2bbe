/* Writes the title, evidence and advice of each finding about a program recorded from outside. */
#include "webreport/document/words/program_finding_words.h"

#include "webreport/document/words/program_words.h"
#include "webreport/measure/program/program_waits.h"
#include "writer/base/utf8.h"
#include "writer/text/format.h"

/* Arguments that the functions of this file share: the finding whose sentences are written, and its program. */
struct words {
    const struct tp_program_view *view;
    struct tp_program_finding *finding;
    struct tp_arena *arena;
};

static const char *time_text(const struct words *w, int64_t ns)
{
    return tp_text_of_time(w->arena, ns);
}

static const char *samples_text(const struct words *w)
{
    return tp_text_of_counted_noun(w->arena, (int64_t)w->finding->sample_count, "sample", "samples");
}

static const char CHEAPER[] =
    "Make the function cheaper, or call it less often. The flame graph shows the callers of the function.";

static void write_ready_finding(struct words *w)
{
    w->finding->title = "A thread is ready and no CPU is free";
    w->finding->detail = tp_text_printf(
        w->arena, "The threads ran for %s and were ready without a CPU for %s (summed over the threads).",
        time_text(w, w->view->state_ns[TP_STATE_RUNNING]), time_text(w, w->view->state_ns[TP_STATE_READY]));
    w->finding->advice =
        w->view->throttled_ns > 0
            ? "Raise the CPU limit of the program's cgroup (cpu.max) or container, or run fewer threads."
            : "Run fewer jobs at the same time, or use more CPUs. In a container, check the CPU limit.";
}

static void write_spinning_finding(struct words *w)
{
    w->finding->title = "Threads spin at a barrier";
    w->finding->detail =
        tp_text_printf(w->arena, "In %s, a thread runs only to wait for other threads.", samples_text(w));
    w->finding->advice =
        "Distribute the work more evenly, use fewer threads, or let the threads sleep while they wait.";
}

static void write_faults_finding(struct words *w)
{
    w->finding->title = "Page faults take CPU time";
    w->finding->detail =
        tp_text_printf(w->arena, "In %s, the Linux kernel provides new pages of memory.", samples_text(w));
    w->finding->advice = "Reuse memory instead of returning it to the system, and use larger pages for large arrays.";
}

/* ---- functions ---- */

static void write_python_finding(struct words *w)
{
    const struct tp_program_python *python = &w->view->python;
    const char *inside = "";
    if (python->inner != TP_NO_ID) {
        const struct tp_program_function *f = tp_program_function_at(&w->view->functions, python->inner);
        inside = tp_text_printf(w->arena, " Inside this function, %s takes the most time, %s.",
                                tp_program_function_text(f, w->arena), time_text(w, python->inner_ns));
    }
    w->finding->title = tp_program_python_text(w->view, w->arena);
    w->finding->detail = tp_text_printf(
        w->arena, "This Python function takes the most CPU time, %s including the C code that it calls (%s).%s",
        time_text(w, python->time_ns), samples_text(w), inside);
    w->finding->advice = CHEAPER;
}

/* Returns the advice for a finding about a function whose library has no symbols. */
static const char *advice_for_unnamed_function(const struct words *w, const struct tp_program_function *f)
{
    struct tp_str id = w->finding->build_id;
    if (!id.len)
        return tp_text_printf(w->arena,
                              "%.*s has no symbols. The debug package of this file contains the name of the function.",
                              (int)f->file.len, f->file.ptr);
    return tp_text_printf(w->arena,
                          "Install the debug package of build-id %.*s and record again. %.*s has no symbols, and the "
                          "debug package contains the name of this function.",
                          (int)id.len, id.ptr, (int)f->file.len, f->file.ptr);
}

static void write_function_finding(struct words *w)
{
    if (w->finding->is_python) {
        write_python_finding(w);
        return;
    }
    const struct tp_program_function *f = tp_program_function_at(&w->view->functions, w->finding->function);
    w->finding->title = tp_program_function_text(f, w->arena);
    w->finding->detail = tp_text_printf(w->arena,
                                        "This function takes the most CPU time, %s in the function itself and %s "
                                        "including the functions that it calls (%s).",
                                        time_text(w, f->self_ns), time_text(w, f->total_ns), samples_text(w));
    w->finding->advice = tp_str_starts(f->name, "[jit]")
                             ? "Let the JIT compiler of this function write a map of its code (node --perf-basic-prof, "
                               "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit)."
                         : f->is_nameless ? advice_for_unnamed_function(w, f)
                                          : CHEAPER;
}

static void write_kernel_finding(struct words *w)
{
    struct tp_str name = tp_program_function_at(&w->view->functions, w->finding->function)->name;
    w->finding->title = "The Linux kernel uses much of the CPU time";
    w->finding->detail = tp_text_printf(w->arena, "System calls and page faults take %s, mainly in %.*s.",
                                        time_text(w, w->finding->time_ns), (int)name.len, name.ptr);
    w->finding->advice = "Use fewer and larger reads and writes, start fewer processes, and reuse memory.";
}

/* ---- waits ---- */

/* Returns a sentence about the thread that likely held a lock, or "". The sentence gives the reason for this guess,
 * because the recording does not show the owner of a lock. */
static const char *likely_lock_holder_sentence(const struct words *w)
{
    const char *words = tp_program_lock_holder_text(w->view, w->finding->wait, w->arena);
    return words
               ? tp_text_printf(w->arena,
                                " For %s, the lock is %s, because this thread runs longest and last during the waits.",
                                time_text(w, w->finding->wait->held_ns), words)
               : "";
}

static const char *wait_detail(const struct words *w)
{
    const struct tp_wait_group *group = w->finding->wait;
    struct tp_str name = tp_strings_get(&w->view->waits.texts, group->name);
    struct tp_str stack = tp_strings_get(&w->view->waits.texts, group->stack);
    return tp_text_printf(w->arena,
                          "%s of threads named %.*s%s%.*s, summed over the threads. The longest wait takes %s.%s",
                          tp_text_of_counted_noun(w->arena, (int64_t)w->finding->count, "wait", "waits"), (int)name.len,
                          name.ptr, stack.len ? " in " : "", (int)stack.len, stack.ptr, time_text(w, group->longest_ns),
                          likely_lock_holder_sentence(w));
}

static void write_lock_finding(struct words *w)
{
    w->finding->title = "Threads wait for each other";
    w->finding->detail = wait_detail(w);
    w->finding->advice =
        "Hold the lock for a shorter time, do the work outside the lock, or give each thread its own data.";
}

static void write_disk_finding(struct words *w)
{
    w->finding->title = "Threads wait for the disk";
    w->finding->detail = wait_detail(w);
    w->finding->advice = "Use fewer syncs and larger, sequential reads and writes, or do other work meanwhile.";
}

/* ---- threads and processes ---- */

static void write_threads_finding(struct words *w)
{
    uint64_t alive = w->finding->most_simultaneous_count;
    const char *most = alive > 1 ? tp_text_printf(w->arena, "At most %s of these threads exist at the same time. ",
                                                  tp_text_of_count(w->arena, (int64_t)alive))
                                 : "";
    const char *how = w->finding->sample_count
                          ? tp_text_printf(w->arena, "In %s, a CPU starts, ends or joins threads", samples_text(w))
                          : "Starting, ending and joining a thread takes about 10 \xc2\xb5s of CPU time";
    w->finding->title = tp_text_printf(w->arena, "The program starts %s threads",
                                       tp_text_of_count(w->arena, (int64_t)w->finding->count));
    w->finding->detail = tp_text_printf(w->arena, "%s%s, not counting the overhead of the recording.", most, how);
    w->finding->advice = "Use a pool of threads, or give each thread more work.";
}

/* Returns a command, cut to at most `bytes` bytes. *dots: an ellipsis if the command was cut, else "". */
static struct tp_str shorten_command(struct tp_str command, size_t bytes, const char **dots)
{
    size_t shown = tp_utf8_fitting_bytes(command.ptr, command.len, bytes);
    *dots = shown < command.len ? "\xe2\x80\xa6" : "";
    return (struct tp_str){command.ptr, shown};
}

/* Returns the child processes that the finding names and the time for which each ran, such as "g++ a.cpp (21.9 s), g++
 * b.cpp (6.62 s)". */
static const char *names_of_children_text(const struct words *w)
{
    enum { NAME_BYTES = 60 };
    const char *names = "", *dots;
    for (unsigned n = 0; n < w->finding->named_count; n++) {
        uint32_t i = w->finding->processes[n];
        struct tp_str all = tp_table_text(&w->view->processes, TP_PROGRAM_PROCESS_COMMAND)[i];
        struct tp_str command = shorten_command(tp_last_program_of_command(all), NAME_BYTES, &dots);
        names = tp_text_printf(w->arena, "%s%s%.*s%s (%s)", names, *names ? ", " : "", (int)command.len, command.ptr,
                               dots, time_text(w, tp_table_int(&w->view->processes, TP_PROGRAM_PROCESS_WALL)[i]));
    }
    return names;
}

static void write_children_finding(struct words *w)
{
    w->finding->title = "The program waits for its child processes";
    w->finding->detail = tp_text_printf(w->arena, "%s of process %lld. %s %s.",
                                        tp_text_of_counted_noun(w->arena, (int64_t)w->finding->count, "wait", "waits"),
                                        (long long)w->view->tree.processes[w->finding->process].pid,
                                        w->finding->named_count == 1 ? "The child process that runs longest is"
                                                                     : "The child processes that run longest are",
                                        names_of_children_text(w));
    w->finding->advice = "Start the child processes earlier, run them in parallel with other work, or keep their "
                         "results for the next run.";
}

static void write_short_processes_finding(struct words *w)
{
    w->finding->title = tp_text_printf(w->arena, "The program starts %s short processes",
                                       tp_text_of_count(w->arena, (int64_t)w->finding->count));
    w->finding->detail = tp_text_printf(
        w->arena, "Each of these processes runs for less than 10 ms. Together, these processes run for %s.",
        time_text(w, w->finding->time_ns));
    w->finding->advice = "Do the work of many processes in one process, because starting a process takes about a "
                         "millisecond.";
}

/* Returns the processes that the finding names and how each ended, such as "sh (exit code 1), sort (SIGKILL) and
 * others". */
static const char *names_of_processes_text(const struct words *w)
{
    enum { NAME_BYTES = 80 };
    const struct tp_program_view *view = w->view;
    const char *names = "", *dots;
    for (unsigned n = 0; n < w->finding->named_count; n++) {
        uint32_t i = w->finding->processes[n];
        const struct tp_recorded_process *seen = view->tree.processes[i].seen;
        struct tp_str all = tp_table_text(&view->processes, TP_PROGRAM_PROCESS_COMMAND)[i];
        struct tp_str command = shorten_command(all, NAME_BYTES, &dots);
        struct tp_str how = tp_table_text(&view->processes, TP_PROGRAM_PROCESS_EXIT)[i];
        names = tp_text_printf(w->arena, "%s%s%.*s%s", names, *names ? ", " : "", (int)command.len, command.ptr, dots);
        if (seen && seen->exit_code != TP_NULL_INT && seen->exit_code != 0)
            names = tp_text_printf(w->arena, "%s (%s%.*s)", names, seen->signal == TP_NULL_INT ? "exit code " : "",
                                   (int)how.len, how.ptr);
        else
            names = tp_text_printf(w->arena, "%s (pid %lld)", names, (long long)view->tree.processes[i].pid);
    }
    return w->finding->count > w->finding->named_count ? tp_text_printf(w->arena, "%s and others", names) : names;
}

static void write_failed_processes_finding(struct words *w)
{
    w->finding->title =
        tp_text_printf(w->arena, "%s ended with an error or by a signal",
                       tp_text_of_counted_noun(w->arena, (int64_t)w->finding->count, "process", "processes"));
    w->finding->detail = tp_text_printf(w->arena, "%s.", names_of_processes_text(w));
    w->finding->advice = "Check the reason for each exit, unless the exit is intended.";
}

static void write_left_processes_finding(struct words *w)
{
    w->finding->title =
        tp_text_printf(w->arena, "%s continued to run after the program exited",
                       tp_text_of_counted_noun(w->arena, (int64_t)w->finding->count, "process", "processes"));
    w->finding->detail =
        tp_text_printf(w->arena, "%s. The recording stopped when the program exited.", names_of_processes_text(w));
    w->finding->advice = "To record such a process further, run: tracepress record -p PID.";
}

void tp_fill_program_finding_texts(const struct tp_program_view *view, struct tp_program_finding *finding,
                                   struct tp_arena *arena)
{
    static void (*const words[TP_PROGRAM_FINDINGS])(struct words *) = {
        [TP_PROGRAM_FINDS_READY] = write_ready_finding,
        [TP_PROGRAM_FINDS_SPINNING] = write_spinning_finding,
        [TP_PROGRAM_FINDS_LOCK] = write_lock_finding,
        [TP_PROGRAM_FINDS_DISK] = write_disk_finding,
        [TP_PROGRAM_FINDS_FUNCTION] = write_function_finding,
        [TP_PROGRAM_FINDS_KERNEL] = write_kernel_finding,
        [TP_PROGRAM_FINDS_FAULTS] = write_faults_finding,
        [TP_PROGRAM_FINDS_THREADS] = write_threads_finding,
        [TP_PROGRAM_FINDS_CHILDREN] = write_children_finding,
        [TP_PROGRAM_FINDS_SHORT] = write_short_processes_finding,
        [TP_PROGRAM_FINDS_FAILED] = write_failed_processes_finding,
        [TP_PROGRAM_FINDS_LEFT] = write_left_processes_finding};
    words[finding->kind](&(struct words){view, finding, arena});
}
