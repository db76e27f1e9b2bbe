/* Fills the tables of a program that was recorded from outside: see program_rows.h. */
#include "webreport/export/rows/program_rows.h"

#include "webreport/model/tree_threads.h"
#include "writer/base/saturate.h"

#define INT TP_ROWS_INT
#define TEXT TP_ROWS_TEXT

struct frame {
    uint32_t stack, depth, function;
    int32_t line;
};

static void add_stack(struct tp_program_rows *rows, struct tp_keys *seen, uint32_t stack)
{
    const struct tp_vec *path = &rows->sampled.functions.path;
    uint32_t count = tp_keys_count(seen);
    if (stack == TP_NO_ID || tp_keys_pair(seen, stack, 0) < count)
        return;
    tp_sampled_read_stack(&rows->sampled, stack);
    for (size_t k = path->count; k-- > 0;)
        *(struct frame *)tp_vec_push(&rows->frames) =
            (struct frame){stack, (uint32_t)(path->count - 1 - k), *TP_AT(path, uint32_t, k),
                           tp_sampled_line_of_frame(&rows->sampled, k)};
}

struct tp_program_rows *tp_program_rows_new(const struct tp_trace *trace, struct tp_arena *arena)
{
    struct tp_program_rows *rows = tp_arena_alloc(arena, sizeof *rows);
    struct tp_keys seen;
    tp_sampled_build(&rows->sampled, trace, arena);
    rows->frames = TP_VEC(arena, struct frame);
    tp_keys_init(&seen, arena, 2);
    for (uint32_t i = 0; i < trace->sample_count; i++)
        add_stack(rows, &seen, trace->samples[i].stack);
    for (uint32_t i = 0; i < rows->sampled.view.tree.slice_count; i++)
        add_stack(rows, &seen, rows->sampled.view.tree.slices[i].stack);
    return rows;
}

/* ---- cells ---- */

static void add_int_cell(struct tp_rows_cell **cell, int64_t value)
{
    (*cell)++->integer = value;
}

static void add_text_cell(struct tp_rows_cell **cell, struct tp_str text)
{
    (*cell)++->text = text;
}

static void add_id_cell(struct tp_rows_cell **cell, uint32_t id)
{
    add_int_cell(cell, id == TP_NO_ID ? TP_NULL_INT : (int64_t)id);
}

static void add_time_cell(struct tp_rows_cell **cell, const struct tp_rows *rows, int64_t at_ns)
{
    add_int_cell(cell, tp_sat_sub(at_ns, rows->first_ns));
}

static const struct tp_process_tree *process_tree(const struct tp_rows *rows)
{
    return &rows->program->sampled.view.tree;
}

/* ---- processes ---- */

static const struct tp_rows_column process_columns[] = {
    {"process_id", INT,
     "number of the process in the tables of the database; a parent has a smaller number than its children", true},
    {"pid", INT, "process id that the Linux kernel gave the process", true},
    {"parent_process_id", INT, "process_id of the parent process", true},
    {"command", TEXT, "command line of the process; if the process called exec, also each later command line", false},
    {"start_ns", INT, "start of the process, nanoseconds since the first event", false},
    {"end_ns", INT, "end of the last thread of the process, nanoseconds since the first event", false},
    {"cpu_ns", INT, "CPU time of the threads of the process, nanoseconds", false},
    {"ready_ns", INT,
     "time in which threads of the process could run but no CPU was free, summed over the threads, nanoseconds", false},
    {"blocked_ns", INT, "time in which threads of the process waited, summed over the threads, nanoseconds", false},
    {"threads", INT, "number of threads of the process", false},
    {"samples", INT, "number of samples of the threads of the process", false},
    {"peak_bytes", INT, "largest resident memory of the process", false},
    {"read_bytes", INT, "bytes read by system calls of the process and of the child processes that it waited for",
     false},
    {"written_bytes", INT, "bytes written by system calls of the process and of the child processes that it waited for",
     false},
    {"disk_read_bytes", INT, "bytes read from disks for the process and for the child processes that it waited for",
     false},
    {"disk_written_bytes", INT, "bytes written to disks for the process and for the child processes that it waited for",
     false},
    {"exit", TEXT, "exit code of the process, or the signal that ended the process", false},
};

static uint32_t process_count(const struct tp_rows *rows)
{
    return process_tree(rows)->process_count;
}

static void fill_process(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    static const enum tp_program_process_column numbers[] = {
        TP_PROGRAM_PROCESS_CPU,         TP_PROGRAM_PROCESS_READY,   TP_PROGRAM_PROCESS_BLOCKED,
        TP_PROGRAM_PROCESS_THREADS,     TP_PROGRAM_PROCESS_SAMPLES, TP_PROGRAM_PROCESS_PEAK,
        TP_PROGRAM_PROCESS_READ,        TP_PROGRAM_PROCESS_WRITTEN, TP_PROGRAM_PROCESS_DISK_READ,
        TP_PROGRAM_PROCESS_DISK_WRITTEN};
    const struct tp_table *table = &rows->program->sampled.view.processes;
    const struct tp_tree_process *process = &process_tree(rows)->processes[row];
    add_int_cell(&cell, row);
    add_int_cell(&cell, process->pid);
    add_id_cell(&cell, process->parent);
    add_text_cell(&cell, tp_table_text(table, TP_PROGRAM_PROCESS_COMMAND)[row]);
    add_time_cell(&cell, rows, process->begin_ns);
    add_time_cell(&cell, rows, process->end_ns);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_int_cell(&cell, tp_table_int(table, numbers[i])[row]);
    add_text_cell(&cell, tp_table_text(table, TP_PROGRAM_PROCESS_EXIT)[row]);
}

/* ---- threads ---- */

static const struct tp_rows_column thread_columns[] = {
    {"thread_id", INT, "number of the thread in the tables of the database", true},
    {"process_id", INT, "process_id of the process to which the thread belongs", true},
    {"tid", INT, "thread id that the Linux kernel gave the thread", true},
    {"name", TEXT, "name of the thread; a number is added if several threads of the process have the same name", false},
    {"start_ns", INT, "start of the thread, nanoseconds since the first event", false},
    {"end_ns", INT, "end of the thread, nanoseconds since the first event", false},
};

static uint32_t thread_count(const struct tp_rows *rows)
{
    return rows->program->sampled.thread_count;
}

static void fill_thread(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_sampled_thread *thread = &rows->program->sampled.threads[row];
    add_int_cell(&cell, row);
    add_int_cell(&cell, thread->process);
    add_int_cell(&cell, thread->tid);
    add_text_cell(&cell, thread->name);
    add_time_cell(&cell, rows, thread->begin_ns);
    add_time_cell(&cell, rows, thread->end_ns);
}

/* ---- states ---- */

static const struct tp_rows_column state_columns[] = {
    {"state_id", INT, "number of the state", true},
    {"thread_id", INT, "thread_id of the thread that was in the state", true},
    {"start_ns", INT, "start of the state, nanoseconds since the first event", true},
    {"duration_ns", INT, "duration of the state, nanoseconds", false},
    {"state", TEXT, "state of the thread: running, ready (could run but no CPU was free) or blocked", true},
    {"cause", TEXT, "cause of the wait, such as disk, pipe or lock; ?: unknown; null: the thread was not blocked",
     false},
    {"is_estimated", INT,
     "1: the recorder guessed the cause of the wait, and the column 'cause' does not show the guess", false},
    {"stack_id", INT, "stack_id of the call stack of the wait", false},
};

static uint32_t state_count(const struct tp_rows *rows)
{
    return process_tree(rows)->slice_count;
}

/* Returns the thread to which a state belongs. state: index in tree->slices, which is sorted by thread. */
static uint32_t thread_of_state(const struct tp_process_tree *tree, uint32_t state)
{
    uint32_t low = 0, high = tree->thread_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(tree->threads[middle].first <= state ? &low : &high) = middle;
    }
    return low;
}

static void fill_state(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_thread_slice *piece = &process_tree(rows)->slices[row];
    bool is_wait = piece->state == TP_STATE_BLOCKED;
    add_int_cell(&cell, row);
    add_int_cell(&cell, rows->program->sampled.thread_by_tree_thread[thread_of_state(process_tree(rows), row)]);
    add_time_cell(&cell, rows, piece->begin_ns);
    add_int_cell(&cell, piece->end_ns - piece->begin_ns);
    add_text_cell(&cell, tp_str_of(tp_thread_state_name(piece->state)));
    add_text_cell(&cell,
                  is_wait ? tp_str_of(tp_wait_cause_text((enum tp_wait_cause)piece->cause)) : (struct tp_str){NULL, 0});
    add_int_cell(&cell, is_wait ? piece->is_estimated : TP_NULL_INT);
    add_id_cell(&cell, is_wait ? piece->stack : TP_NO_ID);
}

/* ---- samples ---- */

static const struct tp_rows_column sample_columns[] = {
    {"sample_id", INT, "number of the sample", true},
    {"thread_id", INT, "thread_id of the thread that was running", true},
    {"time_ns", INT, "time of the sample, nanoseconds since the first event", true},
    {"cpu_ns", INT,
     "CPU time that the sample represents; the samples of a process add up to the CPU time of the process", false},
    {"stack_id", INT, "stack_id of the call stack, in the table 'stacks'", true},
    {"function_id", INT, "function_id of the innermost function of the call stack", true},
};

static uint32_t sample_count(const struct tp_rows *rows)
{
    return rows->program->sampled.trace->sample_count;
}

static void fill_sample(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    struct tp_sampled *sampled = &rows->program->sampled;
    const struct tp_vec *path = &sampled->functions.path;
    const struct tp_sample *sample = &sampled->trace->samples[row];
    tp_sampled_read_stack(sampled, sample->stack);
    add_int_cell(&cell, row);
    add_int_cell(&cell, sampled->thread_by_sample[row]);
    add_time_cell(&cell, rows, sample->ts_ns);
    add_int_cell(&cell, tp_sampled_time_of_sample(sampled, row));
    add_id_cell(&cell, sample->stack);
    add_id_cell(&cell, path->count ? *TP_AT(path, uint32_t, path->count - 1) : TP_NO_ID);
}

/* ---- tables of functions and stacks ---- */

static const struct tp_rows_column function_columns[] = {
    {"function_id", INT, "number of the function in the tables of the database", true},
    {"name", TEXT, "name of the function; for code without a name, the file and the offset in it", true},
    {"file", TEXT, "source file of the function; if it is unknown, the program or library", false},
    {"line", INT, "source line that takes most of the function's own time", false},
    {"kind", TEXT, "kind of code: native, python or kernel", false},
    {"self_ns", INT, "CPU time while the function itself was running, nanoseconds", false},
    {"total_ns", INT, "CPU time while the function or a function that it called was running, nanoseconds", false},
};

static uint32_t function_count(const struct tp_rows *rows)
{
    return (uint32_t)rows->program->sampled.functions.items.count;
}

static void fill_function(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_program_function *f = tp_program_function_at(&rows->program->sampled.functions, row);
    add_int_cell(&cell, row);
    add_text_cell(&cell, f->name);
    add_text_cell(&cell, f->file.len ? f->file : (struct tp_str){NULL, 0});
    add_int_cell(&cell, f->line ? f->line : TP_NULL_INT);
    add_text_cell(&cell, tp_str_of(tp_function_kind_text((enum tp_function_kind)f->kind)));
    add_int_cell(&cell, f->self_ns);
    add_int_cell(&cell, f->total_ns);
}

static const struct tp_rows_column stack_columns[] = {
    {"frame_id", INT, "number of the row in this table", true},
    {"stack_id", INT, "number of the call stack to which the frame belongs", true},
    {"depth", INT, "position of the frame in the call stack; 0 is the innermost frame", false},
    {"function_id", INT, "function_id of the function of the frame", true},
    {"line", INT, "line in the source file of the function", false},
};

static uint32_t frame_count(const struct tp_rows *rows)
{
    return (uint32_t)rows->program->frames.count;
}

static void fill_frame(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct frame *frame = TP_AT(&rows->program->frames, struct frame, row);
    add_int_cell(&cell, row);
    add_int_cell(&cell, frame->stack);
    add_int_cell(&cell, frame->depth);
    add_int_cell(&cell, frame->function);
    add_int_cell(&cell, frame->line ? frame->line : TP_NULL_INT);
}

#define COLUMNS(list) (list), sizeof(list) / sizeof *(list)

const struct tp_rows_table tp_program_rows_tables[] = {
    {"processes", "processes of the program", COLUMNS(process_columns), process_count, fill_process},
    {"threads", "threads of the processes", COLUMNS(thread_columns), thread_count, fill_thread},
    {"states", "states of each thread in order of time: running, ready or blocked", COLUMNS(state_columns), state_count,
     fill_state},
    {"samples", "samples of running threads", COLUMNS(sample_columns), sample_count, fill_sample},
    {"functions", "functions in the call stacks of samples and waits", COLUMNS(function_columns), function_count,
     fill_function},
    {"stacks", "frames of call stacks, one row for each frame", COLUMNS(stack_columns), frame_count, fill_frame},
    {NULL, NULL, NULL, 0, NULL, NULL},
};
