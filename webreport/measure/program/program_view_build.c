/* Builds the view of a program. See program_view.h. */
#include "webreport/measure/program/program_view.h"

#include <math.h>

#include "webreport/measure/program/program_holders.h"
#include "webreport/measure/program/program_verdict.h"
#include "webreport/measure/program/program_waits.h"
#include "webreport/model/tree_threads.h"
#include "webreport/trace/json/value.h"
#include "writer/base/saturate.h"
#include "writer/text/format.h"

#define BYTES(name, title, definition)                                                                                 \
    {                                                                                                                  \
        name, title, "bytes", definition, TP_COLUMN_BYTES                                                              \
    }
#define TIME(name, title, definition)                                                                                  \
    {                                                                                                                  \
        name, title, "us", definition, TP_COLUMN_NS                                                                    \
    }

const struct tp_column_def tp_program_process_columns[TP_PROGRAM_PROCESS_COLUMNS] = {
    {"command", "Command", "", "Command line of the process; if the process called exec, also each later command line.",
     TP_COLUMN_TEXT},
    {"pid", "Pid", "", "Id of the process.", TP_COLUMN_INT},
    {"parent_pid", "Parent", "", "Id of the parent process.", TP_COLUMN_INT},
    {"depth", "Depth", "", "Depth of the process in the process tree.", TP_COLUMN_INT},
    TIME("begin_us", "Begin", "Start time, relative to the start of the first process."),
    TIME("wall_us", "Wall", "Time from the start of the process to the end of its last thread."),
    TIME("cpu_us", "CPU", "CPU time of all threads of the process, from the kernel's context switches."),
    TIME("ready_us", "Ready", "Time in which threads could run but no CPU was free, summed over the threads."),
    TIME("blocked_us", "Blocked", "Time in which threads waited, summed over the threads."),
    {"threads", "Threads", "", "Number of threads of the process.", TP_COLUMN_INT},
    {"samples", "Samples", "", "Number of samples in which a thread of the process was running.", TP_COLUMN_INT},
    BYTES("peak_bytes", "Peak", "Largest resident memory of the process, measured every 20 ms."),
    BYTES("read_bytes", "Read",
          "Bytes read by system calls of the process and of the child processes that it waited for."),
    BYTES("written_bytes", "Written",
          "Bytes written by system calls of the process and of the child processes that it waited for."),
    BYTES("disk_read_bytes", "From disk",
          "Bytes that the kernel read from disks for the process and for the child processes that it waited for."),
    BYTES("disk_written_bytes", "To disk",
          "Bytes that the kernel wrote to disks for the process and for the child processes that it waited for."),
    {"exit", "Exit", "", "Exit code of the process, or the signal that ended it.", TP_COLUMN_TEXT}};

static const struct tp_column_def thread_defs[TP_PROGRAM_THREAD_COLUMNS] = {
    {"thread", "Thread", "", "Name of the thread.", TP_COLUMN_TEXT},
    {"pid", "Pid", "", "Id of the thread's process.", TP_COLUMN_INT},
    {"tid", "Tid", "", "Id of the thread.", TP_COLUMN_INT},
    TIME("begin_us", "Begin", "Start time, relative to the start of the first process."),
    TIME("wall_us", "Wall", "Lifetime of the thread: running, ready and blocked time together."),
    TIME("running_us", "Running", "Time in which the thread ran on a CPU."),
    TIME("ready_us", "Ready", "Time in which the thread could run but no CPU was free."),
    TIME("blocked_us", "Blocked", "Time in which the thread waited, including the time of the wake-up."),
    {"wake_ups", "Wake-ups", "", "Number of completed waits of the thread.", TP_COLUMN_INT}};

const struct tp_column_def tp_program_function_columns[TP_PROGRAM_FUNCTION_COLUMNS] = {
    {"function", "Function", "", "Name of the function; for code without a name, the file and the offset in it.",
     TP_COLUMN_TEXT},
    {"file", "File", "", "Source file of the function; if it is unknown, the program or library.", TP_COLUMN_TEXT},
    {"line", "Line", "", "Source line that takes most of the function's own time.", TP_COLUMN_INT},
    {"kind", "Kind", "", "Kind of code: native, python or kernel.", TP_COLUMN_WORD},
    TIME("self_us", "Self", "CPU time while the function itself was running."),
    TIME("total_us", "Total", "CPU time while the function or a function that it called was running."),
    {"self_percent", "Self of CPU", "%", "Own time of the function as a share of the CPU time of all processes.",
     TP_COLUMN_REAL},
    {"error_points", "\xc2\xb1 (95 %)", "points",
     "Uncertainty of the function's share of the CPU time: 1.96 standard errors, computed from the number of samples.",
     TP_COLUMN_REAL},
    {"samples", "Samples", "", "Number of samples in which the function itself was running.", TP_COLUMN_INT}};

const struct tp_column_def tp_program_wait_columns[TP_PROGRAM_WAIT_COLUMNS] = {
    {"cause", "Cause", "", "Cause of the wait, such as a lock, a disk or a child process.", TP_COLUMN_TEXT},
    {"stack", "Stack", "", "Call stack of the wait, innermost function first.", TP_COLUMN_TEXT},
    {"thread", "Thread", "", "Name of the threads that waited.", TP_COLUMN_TEXT},
    {"count", "Times", "", "Number of waits in the row.", TP_COLUMN_INT},
    TIME("total_us", "Sum",
         "Sum of the durations of all waits in the row; simultaneous waits of several threads are all added."),
    TIME("longest_us", "Longest", "Duration of the longest wait in the row."),
    TIME("estimated_us", "Guessed",
         "Part of the sum for which the recorder guessed the cause from other waits of the thread. The report does not "
         "use guessed causes."),
    {"place", "Where", "", "Function, file and line of the longest wait.", TP_COLUMN_TEXT},
    {"holder", "Most likely held by", "",
     "Thread that probably held the lock: the thread of the process that ran longest, and also last, during the wait.",
     TP_COLUMN_TEXT},
    {"holder_tid", "Holder's tid", "", "Id of the thread that probably held the lock.", TP_COLUMN_INT},
    {"holder_place", "Holder is in", "",
     "Function that the probable lock holder ran most during the wait, or in which it waited.", TP_COLUMN_TEXT},
    TIME("held_us", "Held", "Part of the sum for which the thread in 'Most likely held by' probably held the lock.")};

/* ---- processes ---- */

static struct tp_str process_command(const struct tp_tree_process *process, const struct tp_trace *trace,
                                     struct tp_arena *arena)
{
    const char *text = "";
    size_t at = 0;
    struct tp_str item, name;
    if (!process->seen)
        return TP_STR("(not recorded)");
    if (process->seen->execs != TP_NO_ID)
        while (tp_value_next(tp_strings_get(&trace->values, process->seen->execs), &at, NULL, &item)) {
            struct tp_str program = tp_value_text(arena, item);
            text = tp_text_printf(arena, "%s%s%.*s", text, *text ? TP_PROGRAM_SEPARATOR : "", (int)program.len,
                                  program.ptr);
        }
    name = tp_strings_get(&trace->names, process->seen->name);
    return *text ? tp_str_of(text) : name.len ? name : TP_STR("(no name)");
}

static struct tp_str exit_text(const struct tp_tree_process *process, const struct tp_trace *trace,
                               struct tp_arena *arena)
{
    const struct tp_recorded_process *seen = process->seen;
    if (seen && seen->signal != TP_NULL_INT)
        return tp_str_of(tp_text_printf(arena, "signal %lld", (long long)seen->signal));
    if (seen && seen->exit_code != TP_NULL_INT)
        return tp_str_of(tp_text_printf(arena, "%lld", (long long)seen->exit_code));
    return seen && seen->end != TP_NO_ID ? tp_strings_get(&trace->texts, seen->end) : TP_STR("?");
}

static void fill_process(struct tp_program_view *view, uint32_t row, struct tp_arena *arena)
{
    const struct tp_tree_process *p = &view->tree.processes[row];
    const struct tp_recorded_process *seen = p->seen;
    struct tp_table *t = &view->processes;
    const int64_t numbers[][2] = {{TP_PROGRAM_PROCESS_PID, p->pid},
                                  {TP_PROGRAM_PROCESS_PARENT, seen ? seen->parent_pid : TP_NULL_INT},
                                  {TP_PROGRAM_PROCESS_DEPTH, p->depth},
                                  {TP_PROGRAM_PROCESS_BEGIN, tp_sat_sub(p->begin_ns, view->tree.begin_ns)},
                                  {TP_PROGRAM_PROCESS_WALL, tp_sat_sub(p->end_ns, p->begin_ns)},
                                  {TP_PROGRAM_PROCESS_CPU, p->state_ns[TP_STATE_RUNNING]},
                                  {TP_PROGRAM_PROCESS_READY, p->state_ns[TP_STATE_READY]},
                                  {TP_PROGRAM_PROCESS_BLOCKED, p->state_ns[TP_STATE_BLOCKED]},
                                  {TP_PROGRAM_PROCESS_THREADS, (int64_t)p->thread_count},
                                  {TP_PROGRAM_PROCESS_SAMPLES, (int64_t)p->sample_count},
                                  {TP_PROGRAM_PROCESS_PEAK, p->peak_bytes},
                                  {TP_PROGRAM_PROCESS_READ, seen ? seen->read_bytes : TP_NULL_INT},
                                  {TP_PROGRAM_PROCESS_WRITTEN, seen ? seen->written_bytes : TP_NULL_INT},
                                  {TP_PROGRAM_PROCESS_DISK_READ, seen ? seen->disk_read_bytes : TP_NULL_INT},
                                  {TP_PROGRAM_PROCESS_DISK_WRITTEN, seen ? seen->disk_written_bytes : TP_NULL_INT}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        tp_table_int(t, (unsigned)numbers[i][0])[row] = numbers[i][1];
    tp_table_text(t, TP_PROGRAM_PROCESS_COMMAND)[row] = process_command(p, view->tree.trace, arena);
    tp_table_text(t, TP_PROGRAM_PROCESS_EXIT)[row] = exit_text(p, view->tree.trace, arena);
    view->failed_count += seen && seen->exit_code != TP_NULL_INT && seen->exit_code != 0;
}

static void fill_thread(struct tp_program_view *view, uint32_t row)
{
    const struct tp_tree_thread *thread = &view->tree.threads[row];
    const struct tp_thread *named = &view->tree.trace->threads[thread->row];
    struct tp_table *t = &view->threads;
    int64_t wall_ns = 0;
    tp_table_text(t, TP_PROGRAM_THREAD_NAME)[row] = tp_program_thread_name(named);
    tp_table_int(t, TP_PROGRAM_THREAD_PID)[row] = view->tree.processes[thread->process].pid;
    tp_table_int(t, TP_PROGRAM_THREAD_TID)[row] = named->tid.is_text ? -1 : named->tid.number;
    tp_table_int(t, TP_PROGRAM_THREAD_BEGIN)[row] = tp_sat_sub(thread->begin_ns, view->tree.begin_ns);
    for (unsigned state = 0; state < TP_STATE_COUNT; state++) {
        tp_table_int(t, TP_PROGRAM_THREAD_RUNNING + state)[row] = thread->state_ns[state];
        view->state_ns[state] = tp_sat_add(view->state_ns[state], thread->state_ns[state]);
        wall_ns = tp_sat_add(wall_ns, thread->state_ns[state]);
    }
    tp_table_int(t, TP_PROGRAM_THREAD_WALL)[row] = wall_ns;
    tp_table_int(t, TP_PROGRAM_THREAD_WAKE_UPS)[row] = (int64_t)thread->wake_up_count;
    view->wake_up_count += thread->wake_up_count;
}

/* Returns the bytes that the whole tree read or wrote, as described in program_view.h. In the table, children must
 * come after their parents. */
static int64_t sum_moved_bytes(const struct tp_program_view *view, unsigned column, struct tp_arena *arena)
{
    const struct tp_process_tree *tree = &view->tree;
    int64_t *below = tp_arena_array(arena, tree->process_count + 1, sizeof *below), all = 0;
    bool is_known = false;
    for (uint32_t i = tree->process_count; i-- > 0;) {
        int64_t own = tp_table_int(&view->processes, column)[i];
        int64_t *above = tree->processes[i].parent == TP_NO_ID ? &all : &below[tree->processes[i].parent];
        is_known |= own != TP_NULL_INT;
        *above = tp_sat_add(*above, own > below[i] ? own : below[i]);
    }
    return is_known ? all : TP_NULL_INT;
}

static void fill_tree(struct tp_program_view *view, struct tp_arena *arena)
{
    const struct tp_process_tree *tree = &view->tree;
    tp_table_init(&view->processes, arena, "processes", tp_program_process_columns, TP_PROGRAM_PROCESS_COLUMNS,
                  tree->process_count);
    tp_table_init(&view->threads, arena, "threads", thread_defs, TP_PROGRAM_THREAD_COLUMNS, tree->thread_count);
    view->processes.title = "Processes";
    view->threads.title = "Threads";
    for (uint32_t i = 0; i < tree->process_count; i++)
        fill_process(view, i, arena);
    for (uint32_t i = 0; i < tree->thread_count; i++)
        fill_thread(view, i);
    view->disk_read_bytes = sum_moved_bytes(view, TP_PROGRAM_PROCESS_DISK_READ, arena);
    view->disk_written_bytes = sum_moved_bytes(view, TP_PROGRAM_PROCESS_DISK_WRITTEN, arena);
    view->command = tp_table_text(&view->processes, TP_PROGRAM_PROCESS_COMMAND)[0];
    for (uint32_t i = 0; i < tree->process_count; i++)
        if (!tree->processes[i].sample_count)
            view->unsampled_ns = tp_sat_add(view->unsampled_ns, tree->processes[i].state_ns[TP_STATE_RUNNING]);
}

/* ---- functions and waits ---- */

double tp_program_percent_error(double percent, uint64_t samples)
{
    double p = percent / 100;
    return samples ? 196 * sqrt(p * (1 - p) / (double)samples) : NAN;
}

void tp_program_function_fill_row(struct tp_table *t, size_t row, const struct tp_program_function_row *of)
{
    const struct tp_program_function *f = of->function;
    double percent = tp_percent(of->self_ns, of->whole_ns);
    tp_table_text(t, TP_PROGRAM_FUNCTION_NAME)[row] = f->name;
    tp_table_text(t, TP_PROGRAM_FUNCTION_FILE)[row] = f->file.len ? f->file : (struct tp_str){NULL, 0};
    tp_table_int(t, TP_PROGRAM_FUNCTION_LINE)[row] = f->line ? f->line : TP_NULL_INT;
    tp_table_text(t, TP_PROGRAM_FUNCTION_KIND)[row] = tp_str_of(tp_function_kind_text((enum tp_function_kind)f->kind));
    tp_table_int(t, TP_PROGRAM_FUNCTION_SELF)[row] = of->self_ns;
    tp_table_int(t, TP_PROGRAM_FUNCTION_TOTAL)[row] = of->total_ns;
    tp_table_real(t, TP_PROGRAM_FUNCTION_SELF_PERCENT)[row] = percent;
    tp_table_real(t, TP_PROGRAM_FUNCTION_ERROR)[row] = tp_program_percent_error(percent, of->samples_for_error);
    tp_table_int(t, TP_PROGRAM_FUNCTION_SAMPLES)[row] = (int64_t)of->sample_count;
}

static void fill_functions(struct tp_program_view *view, uint32_t count, struct tp_arena *arena)
{
    struct tp_table *t = &view->function_rows;
    tp_table_init(t, arena, "functions", tp_program_function_columns, TP_PROGRAM_FUNCTION_COLUMNS, count);
    t->title = "Functions";
    for (uint32_t row = 0; row < count; row++) {
        const struct tp_program_function *f = tp_program_function_at(&view->functions, view->functions.order[row]);
        tp_program_function_fill_row(t, row,
                                     &(struct tp_program_function_row){f, f->self_ns, f->total_ns, f->sample_count,
                                                                       view->state_ns[TP_STATE_RUNNING],
                                                                       view->tree.trace->sample_count});
        if (f->is_recording)
            view->recording = (struct tp_program_recording){.sample_ns = f->self_ns, .sample_count = f->sample_count};
        else if (f->kind == TP_FUNCTION_KERNEL)
            view->kernel_ns = tp_sat_add(view->kernel_ns, f->self_ns);
    }
}

static struct tp_str function_text_at(const struct tp_program_view *view, uint32_t function, int32_t line,
                                      struct tp_arena *arena)
{
    if (function == TP_NO_ID)
        return (struct tp_str){NULL, 0};
    return tp_str_of(tp_program_function_text_at(tp_program_function_at(&view->functions, function), line, arena));
}

static void fill_place(struct tp_program_view *view, const struct tp_wait_group *group, size_t row,
                       struct tp_arena *arena)
{
    struct tp_table *t = &view->wait_rows;
    const struct tp_thread *holder =
        group->holder != TP_NO_ID ? &view->tree.trace->threads[view->tree.threads[group->holder].row] : NULL;
    tp_table_text(t, TP_PROGRAM_WAIT_PLACE)[row] = function_text_at(view, group->place, group->line, arena);
    tp_table_text(t, TP_PROGRAM_WAIT_HOLDER)[row] = holder ? tp_program_thread_name(holder) : (struct tp_str){NULL, 0};
    tp_table_int(t, TP_PROGRAM_WAIT_HOLDER_TID)[row] =
        holder ? (holder->tid.is_text ? -1 : holder->tid.number) : TP_NULL_INT;
    tp_table_text(t, TP_PROGRAM_WAIT_HELD_IN)[row] =
        function_text_at(view, group->holder_function, group->holder_line, arena);
    tp_table_int(t, TP_PROGRAM_WAIT_HELD)[row] = group->held_ns;
}

static void fill_waits(struct tp_program_view *view, struct tp_arena *arena)
{
    struct tp_table *t = &view->wait_rows;
    size_t count = 0, row = 0;
    for (uint32_t i = 0; i < view->waits.count; i++)
        count += tp_wait_group_is_listed(&view->waits.groups[i]);
    tp_table_init(t, arena, "waits", tp_program_wait_columns, TP_PROGRAM_WAIT_COLUMNS, count);
    t->title = "Waits";
    for (uint32_t i = 0; i < view->waits.count; i++) {
        const struct tp_wait_group *group = &view->waits.groups[i];
        if (group->cause == TP_WAIT_RECORDING) {
            view->recording.wait_ns = tp_sat_add(view->recording.wait_ns, group->total_ns);
            view->recording.wait_count += group->count;
        }
        if (!tp_wait_group_is_listed(group))
            continue;
        tp_table_text(t, TP_PROGRAM_WAIT_CAUSE)[row] = tp_str_of(tp_wait_cause_text((enum tp_wait_cause)group->cause));
        tp_table_text(t, TP_PROGRAM_WAIT_STACK)[row] = tp_strings_get(&view->waits.texts, group->stack);
        tp_table_text(t, TP_PROGRAM_WAIT_THREAD)[row] = tp_strings_get(&view->waits.texts, group->name);
        tp_table_int(t, TP_PROGRAM_WAIT_COUNT)[row] = (int64_t)group->count;
        tp_table_int(t, TP_PROGRAM_WAIT_TOTAL)[row] = group->total_ns;
        tp_table_int(t, TP_PROGRAM_WAIT_LONGEST)[row] = group->longest_ns;
        tp_table_int(t, TP_PROGRAM_WAIT_ESTIMATED)[row] = group->estimated_ns;
        fill_place(view, group, row, arena);
        row++;
    }
}

static int64_t throttled_ns(const struct tp_trace *trace)
{
    struct tp_str seen = tp_trace_header(trace, "tracepress_seen");
    struct tp_str value = seen.ptr ? tp_value_member(seen, "throttled_ns") : (struct tp_str){NULL, 0};
    return value.ptr ? tp_value_int(value) : TP_NULL_INT;
}

void tp_program_view_build(struct tp_program_view *view, const struct tp_trace *trace, struct tp_arena *arena)
{
    *view = (struct tp_program_view){0};
    tp_process_tree_build(&view->tree, trace, arena);
    view->is_present = view->tree.is_present;
    if (!view->is_present)
        return;
    tp_wall_parts_build(&view->parts, &view->tree, arena);
    view->throttled_ns = throttled_ns(trace);
    fill_tree(view, arena);
    tp_program_functions_init(&view->functions, trace, arena);
    tp_program_functions_sum_times(&view->functions, &view->tree);
    fill_functions(view, view->functions.sampled_function_count, arena);
    tp_program_python_build(&view->python, &view->functions, &view->tree, view->state_ns[TP_STATE_RUNNING], arena);
    tp_program_waits_build(&view->waits, &view->tree, &view->functions, arena);
    tp_program_holders_build(view, arena);
    fill_waits(view, arena);
    tp_program_verdict_build(view, arena);
    tp_program_answer_build(view);
    tp_program_findings_build(view, arena);
    tp_program_savings_build(view, arena);
}
