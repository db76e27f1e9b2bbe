/* Words the findings about a program recorded from outside: title, evidence and advice of each kind. */
#include "webreport/document/words/program_finding_words.h"

#include "webreport/document/words/program_words.h"
#include "webreport/measure/program/program_waits.h"
#include "writer/base/utf8.h"
#include "writer/text/format.h"

/* A finding whose sentences are filled in. */
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
    return tp_text_of_some(w->arena, (int64_t)w->finding->sample_count, "sample", "samples");
}

static const char CHEAPER[] = "Make it cheaper, or call it less often: the flame shows who calls it.";

static void word_ready(struct words *w)
{
    w->finding->title = "A thread is ready and no CPU is free";
    w->finding->detail = tp_text_printf(w->arena, "Running %s, ready without a CPU %s, summed over threads.",
                                        time_text(w, w->view->state_ns[TP_STATE_RUNNING]),
                                        time_text(w, w->view->state_ns[TP_STATE_READY]));
    w->finding->advice =
        w->view->throttled_ns > 0
            ? "Raise the CPU limit of its cgroup (cpu.max; in a container its CPU limit), or run fewer "
              "threads under it."
            : "Run fewer jobs at the same time, or use more CPUs; in a container, check its CPU limit.";
}

static void word_spinning(struct words *w)
{
    w->finding->title = "Threads spin at a barrier";
    w->finding->detail =
        tp_text_printf(w->arena, "%s found a thread that runs only to wait for others.", samples_text(w));
    w->finding->advice = "Share the work out more evenly, use fewer threads, or let them sleep while they wait.";
}

static void word_faults(struct words *w)
{
    w->finding->title = "Faults of pages take CPU time";
    w->finding->detail = tp_text_printf(w->arena, "%s found the kernel making pages of memory.", samples_text(w));
    w->finding->advice = "Use memory again instead of returning it; larger pages for large arrays.";
}

/* ---- functions ---- */

static void word_python(struct words *w)
{
    const struct tp_program_python *python = &w->view->python;
    const char *inside = "";
    if (python->inner != TP_NO_ID) {
        const struct tp_program_function *f = tp_program_function_at(&w->view->functions, python->inner);
        inside = tp_text_printf(w->arena, "; inside it most is %s, %s", tp_program_function_words(f, w->arena),
                                time_text(w, python->inner_ns));
    }
    w->finding->title = tp_program_python_words(w->view, w->arena);
    w->finding->detail =
        tp_text_printf(w->arena, "Most CPU time of all functions of Python: %s with the code in C that it calls, %s%s.",
                       time_text(w, python->time_ns), samples_text(w), inside);
    w->finding->advice = CHEAPER;
}

/* Returns the advice for a function without a name. */
static const char *nameless_advice(const struct words *w, const struct tp_program_function *f)
{
    struct tp_str id = w->finding->build_id;
    const char *which = id.len ? tp_text_printf(w->arena, "the debug package of build-id %.*s", (int)id.len, id.ptr)
                               : "its debug package";
    return tp_text_printf(w->arena, "%.*s has no symbols: %s says which function this is.%s", (int)f->file.len,
                          f->file.ptr, which, id.len ? " Install that, and record again." : "");
}

static void word_function(struct words *w)
{
    if (w->finding->is_python) {
        word_python(w);
        return;
    }
    const struct tp_program_function *f = tp_program_function_at(&w->view->functions, w->finding->function);
    w->finding->title = tp_program_function_words(f, w->arena);
    w->finding->detail =
        tp_text_printf(w->arena, "Most CPU time of all functions: %s itself, %s with what it calls, %s.",
                       time_text(w, f->self_ns), time_text(w, f->total_ns), samples_text(w));
    w->finding->advice = tp_str_starts(f->name, "[jit]")
                             ? "A compiler in the program made it: let it write a map of the "
                               "functions that it makes (node --perf-basic-prof, java "
                               "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit)."
                         : f->is_nameless ? nameless_advice(w, f)
                                          : CHEAPER;
}

static void word_kernel(struct words *w)
{
    struct tp_str name = tp_program_function_at(&w->view->functions, w->finding->function)->name;
    w->finding->title = "Much of the CPU time is the kernel's";
    w->finding->detail = tp_text_printf(w->arena, "%s in system calls and faults; the most in %.*s.",
                                        time_text(w, w->finding->time_ns), (int)name.len, name.ptr);
    w->finding->advice = "Fewer and larger reads and writes, fewer processes, memory used again.";
}

/* ---- waits ---- */

/* Returns a sentence about the likely holder of a lock. The recording does not see the lock, so the words say that this
 * is a guess. */
static const char *holder_sentence(const struct words *w)
{
    const char *words = tp_program_holder_words(w->view, w->finding->wait, w->arena);
    return words ? tp_text_printf(w->arena, " For %s it is %s: it runs meanwhile, and last.",
                                  time_text(w, w->finding->wait->held_ns), words)
                 : "";
}

static const char *wait_detail(const struct words *w)
{
    const struct tp_wait_group *group = w->finding->wait;
    struct tp_str name = tp_strings_get(&w->view->waits.texts, group->name);
    struct tp_str stack = tp_strings_get(&w->view->waits.texts, group->stack);
    return tp_text_printf(w->arena, "%s of %.*s%s%.*s, the longest %s; summed over threads.%s",
                          tp_text_of_some(w->arena, (int64_t)w->finding->count, "wait", "waits"), (int)name.len,
                          name.ptr, stack.len ? " in " : "", (int)stack.len, stack.ptr, time_text(w, group->longest_ns),
                          holder_sentence(w));
}

static void word_lock(struct words *w)
{
    w->finding->title = "Threads wait for each other";
    w->finding->detail = wait_detail(w);
    w->finding->advice = "Hold the lock for less: do the work outside of it, or give each thread data of its own.";
}

static void word_disk(struct words *w)
{
    w->finding->title = "Waits for the disk";
    w->finding->detail = wait_detail(w);
    w->finding->advice = "Fewer syncs, larger and sequential reads and writes, or other work meanwhile.";
}

/* ---- threads and processes ---- */

static void word_threads(struct words *w)
{
    uint64_t alive = w->finding->most_alive;
    const char *most = alive > 1 ? tp_text_printf(w->arena, "At most %s of them live at once. ",
                                                  tp_text_of_count(w->arena, (int64_t)alive))
                                 : "";
    const char *how =
        w->finding->sample_count
            ? tp_text_printf(w->arena, "%s found a CPU that starts, ends or joins threads", samples_text(w))
            : "To start, end and join a thread takes about 10 \xc2\xb5s of CPU time";
    w->finding->title = tp_text_printf(w->arena, "The program starts %s threads",
                                       tp_text_of_count(w->arena, (int64_t)w->finding->count));
    w->finding->detail = tp_text_printf(w->arena, "%s%s, without what the recording adds.", most, how);
    w->finding->advice = "Keep a pool of threads and give it the work, or give each thread more of it.";
}

/* Returns a command, at most `bytes` of it; *dots: what marks the cut. */
static struct tp_str cut(struct tp_str command, size_t bytes, const char **dots)
{
    size_t shown = tp_utf8_cut(command.ptr, command.len, bytes);
    *dots = shown < command.len ? "\xe2\x80\xa6" : "";
    return (struct tp_str){command.ptr, shown};
}

/* Returns the named children with their lives: "g++ a.cpp for 21.9 s, g++ b.cpp for 6.62 s". */
static const char *children_text(const struct words *w)
{
    enum { NAME_BYTES = 60 };
    const char *names = "", *dots;
    for (unsigned n = 0; n < w->finding->named_count; n++) {
        uint32_t i = w->finding->processes[n];
        struct tp_str all = tp_table_text(&w->view->processes, TP_PROGRAM_PROCESS_COMMAND)[i];
        struct tp_str command = cut(tp_last_program(all), NAME_BYTES, &dots);
        names = tp_text_printf(w->arena, "%s%s%.*s%s for %s", names, *names ? ", " : "", (int)command.len, command.ptr,
                               dots, time_text(w, tp_table_int(&w->view->processes, TP_PROGRAM_PROCESS_WALL)[i]));
    }
    return names;
}

static void word_children(struct words *w)
{
    w->finding->title = "The program waits for its child processes";
    w->finding->detail = tp_text_printf(w->arena, "%s of process %lld. Its children that live longest: %s.",
                                        tp_text_of_some(w->arena, (int64_t)w->finding->count, "wait", "waits"),
                                        (long long)w->view->tree.processes[w->finding->process].pid, children_text(w));
    w->finding->advice =
        "Start them earlier, let them run next to other work, or keep what they make for the next run.";
}

static void word_short(struct words *w)
{
    w->finding->title =
        tp_text_printf(w->arena, "%s short processes", tp_text_of_count(w->arena, (int64_t)w->finding->count));
    w->finding->detail = tp_text_printf(w->arena, "Each lives for less than 10 ms; all of them together for %s.",
                                        time_text(w, w->finding->time_ns));
    w->finding->advice = "Beginning a process costs about a millisecond: do the work of many in one.";
}

/* Returns the named processes with their ends: "sh (exit code 1), sort (SIGKILL) and others". */
static const char *processes_text(const struct words *w)
{
    enum { NAME_BYTES = 80 };
    const struct tp_program_view *view = w->view;
    const char *names = "", *dots;
    for (unsigned n = 0; n < w->finding->named_count; n++) {
        uint32_t i = w->finding->processes[n];
        const struct tp_recorded_process *seen = view->tree.processes[i].seen;
        struct tp_str all = tp_table_text(&view->processes, TP_PROGRAM_PROCESS_COMMAND)[i];
        struct tp_str command = cut(all, NAME_BYTES, &dots);
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

static void word_failed(struct words *w)
{
    w->finding->title = tp_text_printf(w->arena, "%s ended with an error or by a signal",
                                       tp_text_of_some(w->arena, (int64_t)w->finding->count, "process", "processes"));
    w->finding->detail = tp_text_printf(w->arena, "%s.", processes_text(w));
    w->finding->advice = "Where that is no answer to a question, what they were for was not done.";
}

static void word_left(struct words *w)
{
    w->finding->title = tp_text_printf(w->arena, "%s of it went on when the program was over",
                                       tp_text_of_some(w->arena, (int64_t)w->finding->count, "process", "processes"));
    w->finding->detail = tp_text_printf(w->arena, "%s: recorded until then.", processes_text(w));
    w->finding->advice = "What they do is recorded by record -p PID.";
}

void tp_word_program_finding(const struct tp_program_view *view, struct tp_program_finding *finding,
                             struct tp_arena *arena)
{
    static void (*const words[TP_PROGRAM_FINDINGS])(struct words *) = {
        [TP_PROGRAM_FINDS_READY] = word_ready,       [TP_PROGRAM_FINDS_SPINNING] = word_spinning,
        [TP_PROGRAM_FINDS_LOCK] = word_lock,         [TP_PROGRAM_FINDS_DISK] = word_disk,
        [TP_PROGRAM_FINDS_FUNCTION] = word_function, [TP_PROGRAM_FINDS_KERNEL] = word_kernel,
        [TP_PROGRAM_FINDS_FAULTS] = word_faults,     [TP_PROGRAM_FINDS_THREADS] = word_threads,
        [TP_PROGRAM_FINDS_CHILDREN] = word_children, [TP_PROGRAM_FINDS_SHORT] = word_short,
        [TP_PROGRAM_FINDS_FAILED] = word_failed,     [TP_PROGRAM_FINDS_LEFT] = word_left};
    words[finding->kind](&(struct words){view, finding, arena});
}
