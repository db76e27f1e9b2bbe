/* Writes the title, evidence and advice of each finding about a program recorded from outside. */
#include "webreport/document/words/program_finding_words.h"

#include <ctype.h>

#include "webreport/document/words/program_words.h"
#include "webreport/measure/program/program_waits.h"
#include "writer/base/utf8.h"
#include "writer/text/format.h"
#include "writer/text/marked_text.h"

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

static const char CALLERS[] = "The flame graph shows the callers of the function and the functions that it calls.";

/* Sets the title from a text of this project with backticks around code. */
static void set_title(struct words *w, const char *own)
{
    w->finding->marked_title = tp_marked_text(w->arena, own);
}

/* Returns a command or the name of a function, cut to at most `bytes` bytes. *dots: an ellipsis if the text was cut,
 * else
 * "". */
static struct tp_str shorten_name(struct tp_str name, size_t bytes, const char **dots)
{
    size_t shown = tp_utf8_fitting_bytes(name.ptr, name.len, bytes);
    *dots = shown < name.len ? "\xe2\x80\xa6" : "";
    return (struct tp_str){name.ptr, shown};
}

enum { TITLE_NAME_BYTES = 48 };

static void write_ready_finding(struct words *w)
{
    bool is_limited = w->view->throttled_ns > 0;
    set_title(w, is_limited ? "Raise the CPU limit `cpu.max`, or run fewer threads"
                            : "Run fewer jobs at the same time, or use more CPUs");
    w->finding->detail = tp_text_printf(
        w->arena, "The threads ran for %s and were ready without a CPU for %s (summed over the threads).",
        time_text(w, w->view->state_ns[TP_STATE_RUNNING]), time_text(w, w->view->state_ns[TP_STATE_READY]));
    w->finding->advice = is_limited
                             ? "The limit belongs to the program's cgroup or container."
                             : "Threads are ready to run, but no CPU is free. In a container, check the CPU limit.";
}

static void write_spinning_finding(struct words *w)
{
    set_title(w, "Balance the work of the threads: they spin at a barrier");
    w->finding->detail =
        tp_text_printf(w->arena, "In %s, a thread runs only to wait for other threads.", samples_text(w));
    w->finding->advice = "Give all threads equal work, use fewer threads, or let the threads sleep while they wait.";
}

static void write_faults_finding(struct words *w)
{
    set_title(w, "Reuse memory, and use larger pages: page faults take CPU time");
    w->finding->detail =
        tp_text_printf(w->arena, "In %s, the Linux kernel provides new pages of memory.", samples_text(w));
    w->finding->advice = "Keep freed memory instead of returning it to the system. Larger pages help for large arrays.";
}

/* ---- functions ---- */

/* Returns the part of a path after the last slash. */
static struct tp_str last_part_of_path(struct tp_str path)
{
    size_t at = path.len;
    while (at && path.ptr[at - 1] != '/')
        at--;
    return (struct tp_str){path.ptr + at, path.len - at};
}

/* Sets a title with the name of a function. A function without an own name, such as "<module>", gets the name of its
 * file and line. */
static void set_title_of_function(struct words *w, const struct tp_program_function *f, int64_t line)
{
    const char *dots;
    struct tp_str file = last_part_of_path(f->file), name = f->name;
    if (tp_str_starts(name, "<") && file.len && line > 0)
        name = tp_str_of(tp_text_printf(w->arena, "%.*s:%lld", (int)file.len, file.ptr, (long long)line));
    name = shorten_name(name, TITLE_NAME_BYTES, &dots);
    w->finding->marked_title =
        tp_marked_printf(w->arena, "Make `%.*s%s` cheaper, or call it less often", (int)name.len, name.ptr, dots);
}

static void write_python_finding(struct words *w)
{
    const struct tp_program_python *python = &w->view->python;
    const char *inside = "";
    if (python->inner != TP_NO_ID) {
        const struct tp_program_function *f = tp_program_function_at(&w->view->functions, python->inner);
        inside = tp_text_printf(w->arena, ", of which %s in %s", time_text(w, python->inner_ns),
                                tp_program_function_text(f, w->arena));
    }
    set_title_of_function(w, tp_program_function_at(&w->view->functions, python->function), python->line);
    w->finding->detail = tp_text_printf(w->arena, "%s and the C code that it calls take %s of CPU time (%s)%s.",
                                        tp_program_python_text(w->view, w->arena), time_text(w, python->time_ns),
                                        samples_text(w), inside);
    w->finding->advice = CALLERS;
}

/* Returns the advice for a finding about a function whose library has no symbols. */
static const char *advice_for_unnamed_function(const struct words *w, const struct tp_program_function *f)
{
    struct tp_str id = w->finding->build_id;
    if (!id.len)
        return tp_text_printf(w->arena, "%.*s has no symbols. The debug package of this file contains the name.",
                              (int)f->file.len, f->file.ptr);
    return tp_text_printf(w->arena, "Install the debug package of build-id %.*s and record again. %.*s has no symbols.",
                          (int)id.len, id.ptr, (int)f->file.len, f->file.ptr);
}

static const char JIT_ADVICE[] =
    "The JIT compiler of this function can write a map of its code, which names the function (node --perf-basic-prof, "
    "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit).";

/* Sets title and advice for a finding about a function. A function without a name needs symbols first. */
static void advise_on_function(struct words *w, const struct tp_program_function *f)
{
    const char *dots;
    if (tp_str_starts(f->name, "[jit]")) {
        set_title(w, "Write a map of JIT code: `node --perf-basic-prof`, `java -XX:+DumpPerfMapAtExit`");
        w->finding->advice = JIT_ADVICE;
    } else if (f->is_nameless) {
        struct tp_str file = shorten_name(last_part_of_path(f->file), TITLE_NAME_BYTES, &dots);
        w->finding->marked_title =
            tp_marked_printf(w->arena, "Install the symbols of `%.*s%s`: its hottest function has no name",
                             (int)file.len, file.ptr, dots);
        w->finding->advice = advice_for_unnamed_function(w, f);
    } else {
        set_title_of_function(w, f, 0);
        w->finding->advice = CALLERS;
    }
}

static void write_function_finding(struct words *w)
{
    if (w->finding->is_python) {
        write_python_finding(w);
        return;
    }
    const struct tp_program_function *f = tp_program_function_at(&w->view->functions, w->finding->function);
    w->finding->detail = tp_text_printf(
        w->arena, "%s takes the most CPU time, %s itself and %s with the functions that it calls (%s).",
        tp_program_function_text(f, w->arena), time_text(w, f->self_ns), time_text(w, f->total_ns), samples_text(w));
    advise_on_function(w, f);
}

static void write_kernel_finding(struct words *w)
{
    struct tp_str name = tp_program_function_at(&w->view->functions, w->finding->function)->name;
    set_title(w, "Make fewer system calls: larger reads and writes, fewer processes");
    w->finding->detail = tp_text_printf(w->arena, "System calls and page faults take %s, mainly in %.*s.",
                                        time_text(w, w->finding->time_ns), (int)name.len, name.ptr);
    w->finding->advice = "The Linux kernel uses much of the CPU time. Reusing memory also saves page faults.";
}

/* ---- waits ---- */

/* Returns a clause about the thread that likely held a lock, or "". */
static const char *likely_lock_holder_clause(const struct words *w)
{
    const char *words = tp_program_lock_holder_text(w->view, w->finding->wait, w->arena);
    return words ? tp_text_printf(w->arena, "; for %s, the lock is %s", time_text(w, w->finding->wait->held_ns), words)
                 : "";
}

static const char *wait_detail(const struct words *w)
{
    const struct tp_wait_group *group = w->finding->wait;
    struct tp_str name = tp_strings_get(&w->view->waits.texts, group->name);
    struct tp_str stack = tp_strings_get(&w->view->waits.texts, group->stack);
    return tp_text_printf(w->arena, "%s of threads named %.*s%s%.*s, the longest for %s%s.",
                          tp_text_of_counted_noun(w->arena, (int64_t)w->finding->count, "wait", "waits"), (int)name.len,
                          name.ptr, stack.len ? " in " : "", (int)stack.len, stack.ptr, time_text(w, group->longest_ns),
                          likely_lock_holder_clause(w));
}

static void write_lock_finding(struct words *w)
{
    bool has_holder = w->finding->wait->holder != TP_NO_ID;
    set_title(w, "Hold the lock for a shorter time: threads wait for each other");
    w->finding->detail = wait_detail(w);
    w->finding->advice =
        has_holder
            ? "Do the work outside the lock, or give each thread its own data. The likely holder is the thread that "
              "runs longest and last during the waits, because the recording does not show owners of locks."
            : "Do the work outside the lock, or give each thread its own data.";
}

static void write_disk_finding(struct words *w)
{
    set_title(w, "Use fewer syncs, and larger reads and writes: threads wait for disks");
    w->finding->detail = wait_detail(w);
    w->finding->advice = "Sequential reads and writes are fastest. Other threads can work meanwhile.";
}

/* ---- threads and processes ---- */

static void write_threads_finding(struct words *w)
{
    uint64_t alive = w->finding->most_simultaneous_count;
    const char *how = w->finding->sample_count
                          ? tp_text_printf(w->arena, "in %s a CPU starts, ends or joins threads", samples_text(w))
                          : "starting, ending and joining a thread takes about 10 \xc2\xb5s of CPU time";
    w->finding->marked_title = tp_marked_printf(w->arena, "Use a pool of threads instead of starting %s threads",
                                                tp_text_of_count(w->arena, (int64_t)w->finding->count));
    w->finding->detail = alive > 1
                             ? tp_text_printf(w->arena, "At most %s of these threads exist at the same time, and %s.",
                                              tp_text_of_count(w->arena, (int64_t)alive), how)
                             : tp_text_printf(w->arena, "%c%s.", toupper((unsigned char)*how), how + 1);
    w->finding->advice = "A pool keeps its threads. Alternatively, give each thread more work. The overhead of the "
                         "recording is not counted.";
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
        struct tp_str command = shorten_name(tp_last_program_of_command(all), NAME_BYTES, &dots);
        names = tp_text_printf(w->arena, "%s%s%.*s%s (%s)", names, *names ? ", " : "", (int)command.len, command.ptr,
                               dots, time_text(w, tp_table_int(&w->view->processes, TP_PROGRAM_PROCESS_WALL)[i]));
    }
    return names;
}

static void write_children_finding(struct words *w)
{
    set_title(w, "Start child processes earlier, or in parallel: the program waits for them");
    w->finding->detail = tp_text_printf(w->arena, "Process %lld has %s, and %s %s.",
                                        (long long)w->view->tree.processes[w->finding->process].pid,
                                        tp_text_of_counted_noun(w->arena, (int64_t)w->finding->count, "wait", "waits"),
                                        w->finding->named_count == 1 ? "the child process that runs longest is"
                                                                     : "the child processes that run longest are",
                                        names_of_children_text(w));
    w->finding->advice =
        "The program can do other work meanwhile, or keep the results of the processes for its next run.";
}

static void write_short_processes_finding(struct words *w)
{
    w->finding->marked_title = tp_marked_printf(w->arena, "Do the work of %s short processes in one process",
                                                tp_text_of_count(w->arena, (int64_t)w->finding->count));
    w->finding->detail = tp_text_printf(
        w->arena, "Each of these processes runs for less than 10 ms, and all of them together run for %s.",
        time_text(w, w->finding->time_ns));
    w->finding->advice = "Starting a process takes about a millisecond.";
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
        struct tp_str command = shorten_name(all, NAME_BYTES, &dots);
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
    w->finding->marked_title =
        tp_marked_printf(w->arena, "Check why %s failed, unless this is intended",
                         tp_text_of_counted_noun(w->arena, (int64_t)w->finding->count, "process", "processes"));
    w->finding->detail = tp_text_printf(w->arena, "%s ended with an error or by a signal.", names_of_processes_text(w));
    w->finding->advice = "Processes that another process stops on purpose are also counted.";
}

static void write_left_processes_finding(struct words *w)
{
    w->finding->marked_title =
        tp_marked_printf(w->arena, "Record %s that outlived the program: `tracepress record -p PID`",
                         tp_text_of_counted_noun(w->arena, (int64_t)w->finding->count, "process", "processes"));
    w->finding->detail =
        tp_text_printf(w->arena, "%s continued to run after the program exited and the recording stopped.",
                       names_of_processes_text(w));
    w->finding->advice = "Replace PID by the number of the process.";
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
    finding->title = tp_marked_plain(arena, finding->marked_title);
}
