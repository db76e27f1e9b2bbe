/* Writes the recording as a trace: see outside_trace.h.
 *
 * A process is a slice (cat "process") in the row of its first thread. A state of a thread is a slice (cat
 * "thread_state") in that thread's row. A sample has the same form as a sample recorded inside a program (cat
 * "cpu_sample"). Each sample represents an equal part of the running time of its process. So the times of functions add
 * up to the processor time at any sampling rate. */
#include "collector/outside/trace/outside_trace.h"

#include <string.h>
#include <sys/wait.h>

#include "collector/outside/code/kernel_functions.h"
#include "collector/outside/stacks/stack_texts.h"
#include "collector/outside/trace/nameless_files.h"
#include "collector/outside/tree/wait_estimates.h"
#include "collector/outside/waits/proc_waits.h"
#include "collector/outside/waits/wait_causes.h"
#include "writer/base/limits.h"
#include "writer/trace_json.h"

enum { MOST_ARGS = 20, MOST_ID_BYTES = 1 << 16 };

struct writing {
    const struct tp_outside_trace *trace;
    const char *path;
    struct tp_arena arena;
    struct tp_trace_out *out;
    struct tp_stack_texts words;
    struct tp_buf nameless;              /* build-ids of files without function names, as JSON */
    const struct tp_str *causes;         /* known causes of waits; the index is the stack node */
    const struct tp_wait_guess *guesses; /* estimated causes of waits; the index is the number of the state change */
    int64_t shift_ns;                    /* trace clock minus tree clock, ns */
};

/* Arguments of a trace slice, collected one by one. */
struct args {
    struct tp_trace_out_arg items[MOST_ARGS];
    size_t count;
};

static struct tp_trace_out_arg *add_text_arg(struct args *args, const char *name, enum tp_trace_out_type type)
{
    struct tp_trace_out_arg *arg = &args->items[args->count++];
    *arg = (struct tp_trace_out_arg){.key = TP_OUT_NAMED, .type = type, .name = tp_str_of(name)};
    return arg;
}

static void add_int(struct args *args, const char *name, int64_t value)
{
    add_text_arg(args, name, TP_OUT_INT)->value.integer = value;
}

/* Returns a slice in the row of a thread; the caller sets its name. */
static struct tp_trace_out_event make_thread_slice(const struct writing *w, const struct tp_outside_thread *row,
                                                   const struct args *args, int64_t begin_ns, int64_t end_ns)
{
    return (struct tp_trace_out_event){.category = TP_OUT_OTHER,
                                       .pid = (int64_t)tp_outside_process_at(w->trace->tree, row->process)->pid,
                                       .tid = (int64_t)row->tid,
                                       .ts_ns = begin_ns + w->shift_ns,
                                       .dur_ns = end_ns - begin_ns,
                                       .args = args->items,
                                       .arg_count = args->count};
}

/* ---- processes ---- */

/* Returns the name of a process: its first argument without the folders, or, if it has no arguments, the kernel's
 * name. */
static struct tp_str process_display_name(const struct tp_outside_process *process)
{
    if (!process->program_count)
        return TP_STR("[unknown]");
    const struct tp_outside_program *program = &process->programs[process->program_count - 1];
    struct tp_str word = program->words.len ? tp_str_of(program->words.ptr) : program->path;
    const char *slash = word.len ? memrchr(word.ptr, '/', word.len) : NULL;
    if (slash && slash + 1 < word.ptr + word.len)
        word = (struct tp_str){slash + 1, word.len - (size_t)(slash + 1 - word.ptr)};
    return word.len ? word : tp_str_of(program->name);
}

/* Adds the arguments of a program to the slice as a list. If they are unknown, adds the path of the program's file or
 * the program's name. */
static void add_program_arguments(struct writing *w, struct args *args, const struct tp_outside_program *program)
{
    struct tp_vec list = TP_VEC(&w->arena, struct tp_str);
    for (size_t at = 0; at < program->words.len; at += strlen(program->words.ptr + at) + 1)
        *(struct tp_str *)tp_vec_push(&list) = tp_str_of(program->words.ptr + at);
    if (!list.count)
        *(struct tp_str *)tp_vec_push(&list) = program->path.len ? program->path : tp_str_of(program->name);
    struct tp_trace_out_arg *arg = add_text_arg(args, "argv", TP_OUT_TEXTS);
    arg->value.texts.items = list.data;
    arg->value.texts.count = list.count;
}

/* Returns the arguments as one text, separated by spaces. */
static struct tp_str make_command_line(struct writing *w, const struct tp_outside_program *program)
{
    if (!program->words.len)
        return program->path.len ? program->path : tp_str_of(program->name);
    size_t size = program->words.len - (program->words.ptr[program->words.len - 1] == '\0');
    char *line = tp_arena_copy(&w->arena, program->words.ptr, size);
    for (size_t i = 0; i < size; i++)
        line[i] = line[i] ? line[i] : ' ';
    return (struct tp_str){line, size};
}

static void add_programs(struct writing *w, struct args *args, const struct tp_outside_process *process)
{
    uint32_t count = process->program_count;
    struct tp_str *lines = tp_arena_array(&w->arena, count + 1, sizeof *lines);
    if (count)
        add_program_arguments(w, args, &process->programs[count - 1]);
    for (uint32_t i = 0; i < process->exec_count; i++)
        lines[i] = make_command_line(w, &process->programs[i]);
    struct tp_trace_out_arg *arg = add_text_arg(args, "execs", TP_OUT_TEXTS);
    arg->value.texts.items = lines;
    arg->value.texts.count = process->exec_count;
}

static void add_exit(struct args *args, const struct tp_outside_process *process)
{
    if (process->has_status && WIFSIGNALED(process->status))
        add_int(args, "signal", WTERMSIG(process->status));
    if (process->has_status)
        add_int(args, "exit",
                WIFSIGNALED(process->status) ? 128 + WTERMSIG(process->status) : WEXITSTATUS(process->status));
    else
        add_text_arg(args, "end", TP_OUT_TEXT)->value.text = process->is_out_of_sight ? TP_STR("out of sight")
                                                             : process->is_over ? TP_STR("exited, the exit code is "
                                                                                         "unknown")
                                                                                : TP_STR("still runs");
}

static void add_usage(struct args *args, const struct tp_outside_process *process)
{
    if (process->usage.resident_bytes)
        add_int(args, "peak resident bytes", process->usage.resident_bytes);
    if (!process->has_usage)
        return;
    add_int(args, "read bytes", process->usage.read_call_bytes);
    add_int(args, "written bytes", process->usage.write_call_bytes);
    add_int(args, "disk read bytes", process->usage.read_disk_bytes);
    add_int(args, "disk written bytes", process->usage.write_disk_bytes);
}

static void write_process(struct writing *w, const struct tp_outside_process *process,
                          const struct tp_outside_thread *first)
{
    struct args args = {0};
    const struct tp_outside_tree *tree = w->trace->tree;
    add_programs(w, &args, process);
    add_int(&args, "ppid", process->parent != TP_NO_ID ? tp_outside_process_at(tree, process->parent)->pid : 0);
    add_exit(&args, process);
    add_int(&args, "running ns", process->running_ns);
    add_int(&args, "samples", process->sample_count);
    add_usage(&args, process);
    if (process != tp_outside_process_at(tree, 0)) /* the row of the first process was already written */
        tp_trace_out_process(w->out, (int64_t)process->pid, process_display_name(process), TP_STR("CPU"), TP_NULL_INT);
    struct tp_trace_out_event slice = make_thread_slice(w, first, &args, process->begin_ns, process->end_ns);
    slice.other_category = TP_STR("process");
    slice.name = process_display_name(process);
    tp_trace_out_complete(w->out, &slice);
}

static void write_processes(struct writing *w)
{
    const struct tp_outside_tree *tree = w->trace->tree;
    uint8_t *is_written = tp_arena_alloc(&w->arena, tree->processes.count + 1);
    for (uint32_t i = 0; i < tree->threads.count; i++) {
        const struct tp_outside_thread *thread = tp_outside_thread_at(tree, i);
        const struct tp_outside_process *process = tp_outside_process_at(tree, thread->process);
        if (!is_written[thread->process])
            write_process(w, process, thread);
        is_written[thread->process] = true;
        if (!thread->is_ours)
            tp_trace_out_thread(w->out, (int64_t)process->pid, (int64_t)thread->tid, tp_str_of(thread->name));
    }
}

/* ---- states and samples ---- */

static void write_state(struct writing *w, const struct tp_outside_change *change, int64_t end_ns)
{
    struct args args = {0};
    struct tp_str leaf;
    const struct tp_wait_guess *guess =
        &w->guesses[change - (const struct tp_outside_change *)w->trace->tree->changes.data];
    struct tp_str cause = change->call ? tp_proc_wait_text(change->call) : w->causes[change->stack];
    if (change->state == TP_STATE_BLOCKED && cause.len)
        add_text_arg(&args, "cause", TP_OUT_TEXT)->value.text = cause;
    else if (guess->cause.len) {
        add_text_arg(&args, "cause", TP_OUT_TEXT)->value.text = guess->cause;
        add_int(&args, guess->is_child ? "child ended" : "estimated", 1);
    }
    struct tp_str stack = change->state == TP_STATE_BLOCKED
                              ? tp_stack_texts_write_stack(&w->words, change->stack, true, &leaf)
                              : (struct tp_str){0};
    if (stack.len)
        add_text_arg(&args, "stack", TP_OUT_TEXT)->value.text = stack;
    if (change->state == TP_STATE_BLOCKED && tp_stack_texts_is_recording(&w->words, change->stack, true))
        add_int(&args, "recording", 1);
    const struct tp_outside_thread *thread = tp_outside_thread_at(w->trace->tree, change->thread);
    struct tp_trace_out_event slice = make_thread_slice(w, thread, &args, change->time_ns, end_ns);
    slice.other_category = TP_STR("thread_state");
    slice.name = tp_str_of(tp_thread_state_name(change->state));
    if (end_ns > change->time_ns && !thread->is_ours)
        tp_trace_out_complete(w->out, &slice);
}

static void write_states(struct writing *w)
{
    const struct tp_outside_tree *tree = w->trace->tree;
    uint32_t *last = tp_arena_array(&w->arena, tree->threads.count + 1, sizeof *last); /* index of a thread's last
                                                                                        * change plus 1; 0: none yet */
    for (uint32_t i = 0; i < tree->changes.count; i++) {
        const struct tp_outside_change *change = TP_AT(&tree->changes, struct tp_outside_change, i);
        if (last[change->thread])
            write_state(w, TP_AT(&tree->changes, struct tp_outside_change, last[change->thread] - 1), change->time_ns);
        last[change->thread] = i + 1;
    }
    for (uint32_t i = 0; i < tree->threads.count; i++)
        if (last[i])
            write_state(w, TP_AT(&tree->changes, struct tp_outside_change, last[i] - 1),
                        tp_outside_thread_at(tree, i)->end_ns);
}

static void write_samples(struct writing *w)
{
    const struct tp_outside_tree *tree = w->trace->tree;
    int64_t *left_ns = tp_arena_array(&w->arena, tree->processes.count + 1, sizeof *left_ns);
    uint32_t *left = tp_arena_array(&w->arena, tree->processes.count + 1, sizeof *left);
    for (uint32_t i = 0; i < tree->processes.count; i++) {
        left_ns[i] = tp_outside_process_at(tree, i)->running_ns;
        left[i] = tp_outside_process_at(tree, i)->sample_count;
    }
    for (size_t i = 0; i < tree->samples.count; i++) {
        const struct tp_outside_sample *sample = TP_AT(&tree->samples, struct tp_outside_sample, i);
        const struct tp_outside_thread *thread = tp_outside_thread_at(tree, sample->thread);
        int64_t part_ns = left_ns[thread->process] / left[thread->process];
        struct tp_str leaf, stack = tp_stack_texts_write_stack(&w->words, sample->stack, false, &leaf);
        struct args args = {.items = {tp_trace_out_int_arg(TP_OUT_CPU_NS, part_ns)}, .count = 1};
        if (stack.len)
            args.items[args.count++] = tp_trace_out_text_arg(TP_OUT_CALL_STACK, stack);
        if (sample->is_cut)
            add_int(&args, "cut", 1);
        if (tp_stack_texts_is_recording(&w->words, sample->stack, false))
            add_int(&args, "recording", 1);
        left_ns[thread->process] -= part_ns;
        left[thread->process]--;
        tp_trace_out_sample(
            w->out, &(struct tp_trace_out_event){.category = TP_OUT_OTHER,
                                                 .other_category = TP_STR("cpu_sample"),
                                                 .name = leaf.len ? leaf : TP_STR("[unknown]"),
                                                 .pid = (int64_t)tp_outside_process_at(tree, thread->process)->pid,
                                                 .tid = (int64_t)thread->tid,
                                                 .ts_ns = sample->time_ns + w->shift_ns,
                                                 .args = args.items,
                                                 .arg_count = args.count});
    }
}

static void write_usage_polls(struct writing *w)
{
    for (size_t i = 0; i < w->trace->looks->count; i++) {
        const struct tp_usage_poll *look = TP_AT(w->trace->looks, struct tp_usage_poll, i);
        const struct tp_trace_out_value value = {TP_STR("resident bytes"), (double)look->resident_bytes};
        tp_trace_out_counter(w->out, TP_STR("process memory"),
                             (int64_t)tp_outside_process_at(w->trace->tree, look->process)->pid,
                             look->time_ns + w->shift_ns, &value, 1);
    }
}

/* ---- the whole trace ---- */

static int write_whole_trace(void *context, struct tp_error *err)
{
    struct writing *w = context;
    const struct tp_outside_trace *trace = w->trace;
    const struct tp_str *kernel = tp_kernel_functions_read(&trace->tree->places, &w->arena);
    const struct tp_outside_process *root = trace->tree->processes.count ? tp_outside_process_at(trace->tree, 0) : NULL;
    struct tp_trace_out_options options = TP_TRACE_OUT_OPTIONS;
    int64_t base_ns = tp_trace_out_base_time_ns(trace->begin_ns + trace->clock_ns);
    w->shift_ns = trace->clock_ns - base_ns;
    w->causes = tp_wait_causes_of_stacks(&trace->tree->places, kernel, &w->arena);
    w->guesses = tp_wait_estimates_make(trace->tree, w->causes, &w->arena);
    tp_stack_texts_init(&w->words, &trace->tree->places, kernel, &w->arena);
    tp_nameless_files_put(&w->nameless, trace->tree, &w->words);
    if (w->nameless.failed)
        return tp_error_set(err, w->nameless.failed, 0, "cannot write the build-ids of files");
    const struct tp_trace_out_meta metadata[] = {
        {TP_STR("tracepress_recorder"), TP_STR("outside"), false},
        {TP_STR("tracepress_seen"), trace->seen, true},
        {TP_STR("tracepress_build_ids"), {w->nameless.data, w->nameless.size}, true}};
    options.is_gzip = true;
    options.base_time_ns = base_ns;
    options.begin_ns = trace->begin_ns + w->shift_ns;
    options.process_id = root ? (int64_t)root->pid : 0;
    options.process_name = root ? process_display_name(root) : trace->name;
    options.metadata = metadata;
    options.metadata_count = sizeof metadata / sizeof *metadata;
    int code = tp_trace_out_open(&w->out, w->path, &options, err);
    if (code < 0)
        return code;
    write_processes(w);
    write_states(w);
    write_samples(w);
    write_usage_polls(w);
    return tp_trace_out_close(&w->out, trace->end_ns + w->shift_ns, err);
}

int tp_outside_trace_write(const struct tp_outside_trace *trace, const char *path, struct tp_error *err)
{
    struct writing w = {.trace = trace, .path = path};
    tp_arena_init(&w.arena, 0);
    tp_buf_init(&w.nameless, MOST_ID_BYTES);
    int code = tp_arena_run(&w.arena, write_whole_trace, &w, err);
    tp_trace_out_discard(&w.out);
    tp_stack_texts_release(&w.words);
    tp_buf_release(&w.nameless);
    tp_arena_release(&w.arena);
    return code;
}
