/* Splits the wall time of steps by the state of the main thread. See program_steps.h. */
#include "webreport/measure/program/program_steps.h"

#include "webreport/measure/program/program_verdict.h"
#include "webreport/model/numbers.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

enum { LEAST_SAMPLES = 10 }; /* least number of samples; with fewer samples, shares are not reliable */

#define TIME(name, title, definition)                                                                                  \
    {                                                                                                                  \
        name, title, "us", definition, TP_COLUMN_NS                                                                    \
    }
#define CAUSE(cause, name, title)                                                                                      \
    [TP_STEPS_CAUSES + (cause)] =                                                                                      \
        TIME(name, title, "Time in which the main thread waited because of the cause in the title of the column.")

static const struct tp_column_def step_defs[TP_STEPS_COLUMNS] = {
    [TP_STEPS_NAME] = {"step", "Step", "", "Name of the step in PyTorch's trace.", TP_COLUMN_TEXT},
    [TP_STEPS_WALL] = TIME("wall_us", "Wall",
                           "Length of the step on the host; the times in the other columns add up to this length."),
    [TP_STEPS_RUNNING] = TIME("running_us", "Running", "Time in which the main thread ran on a CPU."),
    [TP_STEPS_READY_TIME] = TIME("ready_us", "Ready", "Time in which the main thread could run but no CPU was free."),
    CAUSE(TP_WAIT_DISK, "disk_us", "Disk"),
    CAUSE(TP_WAIT_PAGE_FAULT, "page_fault_us", "Page fault"),
    CAUSE(TP_WAIT_SOCKET, "socket_us", "Socket"),
    CAUSE(TP_WAIT_TERMINAL, "terminal_us", "Terminal"),
    CAUSE(TP_WAIT_SLEEP, "sleep_us", "Sleep"),
    CAUSE(TP_WAIT_LOCK, "lock_us", "Lock"),
    CAUSE(TP_WAIT_KERNEL_LOCK, "kernel_lock_us", "Kernel lock"),
    CAUSE(TP_WAIT_FILE, "file_us", "File"),
    CAUSE(TP_WAIT_PIPE, "pipe_us", "Pipe"),
    CAUSE(TP_WAIT_POLL, "poll_us", "Poll"),
    CAUSE(TP_WAIT_SIGNAL, "signal_us", "Signal"),
    CAUSE(TP_WAIT_STOPPED, "stopped_us", "Stopped"),
    CAUSE(TP_WAIT_CHILD, "child_us", "Child"),
    CAUSE(TP_WAIT_EXIT, "exit_us", "Exit"),
    CAUSE(TP_WAIT_RECORDING, "recording_us", "Recording"),
    CAUSE(TP_WAIT_UNKNOWN, "unknown_us", "Unknown"),
    [TP_STEPS_UNSEEN_TIME] =
        TIME("unseen_us", "Not seen", "Time in which the state of the main thread was not recorded."),
};

static const struct tp_column_def part_defs[TP_STEPS_PART_COLUMNS] = {
    {"part", "The main thread", "", "State of the main thread.", TP_COLUMN_TEXT},
    TIME("time_us", "All steps", "Time of the main thread in this state, summed over the analysed steps."),
    {"percent", "Of wall time", "%", "Time in this state as a share of the wall time of the analysed steps.",
     TP_COLUMN_REAL},
    TIME("per_step_us", "Per step",
         "Mean time of the main thread in this state per analysed step, rounded down to nanoseconds.")};

static const struct tp_column_def function_defs[TP_PROGRAM_FUNCTION_COLUMNS] = {
    {"function", "Function", "", "Name of the function; for code without a name, the file and the offset in it.",
     TP_COLUMN_TEXT},
    {"file", "File", "", "Source file of the function; if it is unknown, the program or library.", TP_COLUMN_TEXT},
    {"line", "Line", "", "Source line that takes most of the function's own time in the whole program.", TP_COLUMN_INT},
    {"kind", "Kind", "", "Kind of code: native, python or kernel.", TP_COLUMN_WORD},
    TIME("self_us", "Self",
         "CPU time of the main thread in the function itself, within steps while no {operator} ran."),
    TIME("total_us", "Total",
         "CPU time of the main thread in the function and the functions that it called, within steps while no "
         "{operator} "
         "ran."),
    {"self_percent", "Self share", "%",
     "Self time as a share of the CPU time of the main thread within steps while no {operator} ran.", TP_COLUMN_REAL},
    {"error_points", "\xc2\xb1 (95 %)", "points",
     "Uncertainty of the function's share of the CPU time: 1.96 standard errors, computed from the number of samples.",
     TP_COLUMN_REAL},
    {"samples", "Samples", "", "Number of samples in which the function itself was running.", TP_COLUMN_INT}};

static const char *const running_parts[TP_STEPS_WAITS] = {"native", "python", "kernel", "running", "ready"};

const char *tp_steps_part_text(unsigned part)
{
    return part < TP_STEPS_WAITS     ? running_parts[part]
           : part == TP_STEPS_UNSEEN ? "unseen"
                                     : tp_wall_part_text(TP_WALL_WAITS + part - TP_STEPS_WAITS);
}

/* ---- the main thread and the clock of both recordings ---- */

/* The recording from outside and PyTorch's trace of the same run, and how their threads and times correspond. */
struct matching {
    const struct tp_model *model;
    const struct tp_program_view *program;
    const struct tp_tree_thread *thread;
    int64_t shift_ns; /* clock of the program's recording minus clock of PyTorch's trace, ns */
    struct tp_arena *arena;
    struct tp_program_steps *out;
};

/* Finds the program's thread that is the main thread of the model. When several threads have the same number,
 * chooses the one that lives longest within the steps. Returns false if no thread matches. */
static bool find_thread_of_steps(struct matching *matching)
{
    const struct tp_model *model = matching->model;
    const struct tp_process_tree *tree = &matching->program->tree;
    if (model->host_main == TP_NO_ID || !model->step_count)
        return false;
    const struct tp_thread *main = &model->trace->threads[model->host_main];
    int64_t begin = model->steps[0].host_start_ns, end = model->steps[model->step_count - 1].host_end_ns, most = 0;
    if (main->pid.is_text || main->tid.is_text)
        return false;
    matching->shift_ns =
        tp_sat_sub(tp_trace_base_ns(model->trace, begin), tp_trace_base_ns(tree->trace, tree->begin_ns));
    begin = tp_sat_add(begin, matching->shift_ns);
    end = tp_sat_add(end, matching->shift_ns);
    for (uint32_t i = 0; i < tree->thread_count; i++) {
        const struct tp_tree_thread *thread = &tree->threads[i];
        const struct tp_thread *row = &tree->trace->threads[thread->row];
        bool is_same = !row->tid.is_text && row->tid.number == main->tid.number &&
                       tree->processes[thread->process].pid == main->pid.number;
        int64_t from = thread->begin_ns > begin ? thread->begin_ns : begin;
        int64_t common = is_same ? (thread->end_ns < end ? thread->end_ns : end) - from : 0;
        if (common <= most)
            continue;
        most = common;
        matching->thread = thread;
    }
    return matching->thread != NULL;
}

/* ---- states in steps ---- */

static const struct tp_thread_slice *first_slice(const struct matching *matching)
{
    return matching->program->tree.slices + matching->thread->first;
}

static unsigned column_of_thread_state(const struct tp_thread_slice *piece)
{
    return piece->state == TP_STATE_RUNNING ? (unsigned)TP_STEPS_RUNNING
           : piece->state == TP_STATE_READY ? (unsigned)TP_STEPS_READY_TIME
                                            : (unsigned)TP_STEPS_CAUSES + piece->cause;
}

/* Fills a row of the table of steps. *at: index of the first interval of the thread that can overlap the step. */
static void fill_step(const struct matching *matching, const struct tp_step *step, size_t row, uint32_t *at)
{
    const struct tp_thread_slice *slices = first_slice(matching);
    struct tp_table *table = &matching->out->steps;
    int64_t a = tp_sat_add(step->host_start_ns, matching->shift_ns),
            b = tp_sat_add(step->host_end_ns, matching->shift_ns);
    int64_t left = b > a ? b - a : 0;
    tp_table_text(table, TP_STEPS_NAME)[row] = step->name;
    tp_table_int(table, TP_STEPS_WALL)[row] = left;
    while (*at < matching->thread->count && slices[*at].end_ns <= a)
        ++*at;
    for (uint32_t i = *at; i < matching->thread->count && slices[i].begin_ns < b; i++) {
        int64_t from = slices[i].begin_ns > a ? slices[i].begin_ns : a,
                to = slices[i].end_ns < b ? slices[i].end_ns : b;
        tp_table_int(table, column_of_thread_state(&slices[i]))[row] += to - from;
        left -= to - from;
    }
    tp_table_int(table, TP_STEPS_UNSEEN_TIME)[row] = left;
}

static void fill_steps(const struct matching *matching)
{
    const struct tp_model *model = matching->model;
    struct tp_program_steps *out = matching->out;
    uint32_t at = 0;
    size_t row = 0;
    tp_table_init(&out->steps, matching->arena, "steps", step_defs, TP_STEPS_COLUMNS, model->used_count);
    out->steps.title = "Steps by state of the main thread";
    for (uint32_t i = 0; i < model->step_count; i++)
        if (tp_step_is_used(&model->steps[i]))
            fill_step(matching, &model->steps[i], row++, &at);
    for (row = 0; row < out->steps.row_count; row++) {
        out->wall_ns = tp_sat_add(out->wall_ns, tp_table_int(&out->steps, TP_STEPS_WALL)[row]);
        out->running_ns = tp_sat_add(out->running_ns, tp_table_int(&out->steps, TP_STEPS_RUNNING)[row]);
        for (unsigned part = TP_STEPS_READY; part < TP_STEPS_PARTS; part++) /* parts and columns have the same order */
            out->part_ns[part] = tp_sat_add(
                out->part_ns[part], tp_table_int(&out->steps, TP_STEPS_READY_TIME + part - TP_STEPS_READY)[row]);
    }
}

/* ---- samples ---- */

/* Intervals in which samples of the main thread are counted, on the clock of the program's recording. */
struct places {
    struct tp_intervals steps, outside; /* steps: the analysed steps; outside: their parts without a running operator */
};

static struct tp_intervals operator_times_of_main_thread(const struct matching *matching)
{
    const struct tp_model *model = matching->model;
    struct tp_vec alive = TP_VEC(matching->arena, struct tp_interval);
    for (uint32_t op = 0; op < model->operators.count; op++) {
        const struct tp_event *e = tp_operator_event(model, op);
        if (e->thread == model->host_main)
            tp_intervals_push(&alive, tp_sat_add(e->ts_ns, matching->shift_ns),
                              tp_sat_add(tp_operator_end(model, op), matching->shift_ns));
    }
    return tp_intervals_from_vec(&alive);
}

static void find_slices_of_samples(const struct matching *matching, struct places *places)
{
    const struct tp_model *model = matching->model;
    const struct tp_thread_slice *slices = first_slice(matching);
    struct tp_vec steps = TP_VEC(matching->arena, struct tp_interval),
                  running = TP_VEC(matching->arena, struct tp_interval);
    for (uint32_t i = 0; i < model->step_count; i++)
        if (tp_step_is_used(&model->steps[i]))
            tp_intervals_push(&steps, tp_sat_add(model->steps[i].host_start_ns, matching->shift_ns),
                              tp_sat_add(model->steps[i].host_end_ns, matching->shift_ns));
    for (uint32_t i = 0; i < matching->thread->count; i++)
        if (slices[i].state == TP_STATE_RUNNING)
            tp_intervals_push(&running, slices[i].begin_ns, slices[i].end_ns);
    places->steps = tp_intervals_from_vec(&steps);
    places->outside = tp_intervals_difference(matching->arena, places->steps, operator_times_of_main_thread(matching));
    matching->out->outside_ns = tp_intervals_intersection_length(places->outside, tp_intervals_from_vec(&running));
}

/* A time to be divided among samples. Each sample gets the remaining time divided by the number of remaining samples,
 * so that the shares add up to the time. */
struct division {
    int64_t left_ns;
    uint64_t left_count;
};

static int64_t take_equal_share_of_time(struct division *division)
{
    int64_t share = division->left_ns / (int64_t)division->left_count--;
    division->left_ns -= share;
    return share;
}

/* Time and sample count of each function, by number of the function. */
struct sums {
    /* copy of the program's functions with a separate path; no function is added to the copy, because the original has
     * all stacks */
    struct tp_program_functions functions;
    int64_t *self_ns, *total_ns;
    uint64_t *count;
    uint32_t *last; /* for each function: 1 + index of the last sample added to its total */
};

static void add_sample(struct sums *sums, uint32_t sample, int64_t ns)
{
    const struct tp_vec *path = &sums->functions.path;
    for (size_t k = 0; k < path->count; k++) {
        uint32_t number = *TP_AT(path, uint32_t, k);
        if (sums->last[number] != sample + 1) /* adds a recursive function only once per sample */
            sums->total_ns[number] = tp_sat_add(sums->total_ns[number], ns);
        sums->last[number] = sample + 1;
        if (k + 1 == path->count) {
            sums->self_ns[number] = tp_sat_add(sums->self_ns[number], ns);
            sums->count[number]++;
        }
    }
}

static bool is_sample_of_thread(const struct matching *matching, uint32_t sample)
{
    const struct tp_process_tree *tree = &matching->program->tree;
    return tree->trace->samples[sample].thread == matching->thread->row &&
           tree->process_of_sample[sample] == matching->thread->process;
}

static void count_samples_per_slice(const struct matching *matching, const struct places *places)
{
    const struct tp_trace *trace = matching->program->tree.trace;
    for (uint32_t i = 0; i < trace->sample_count; i++) {
        int64_t at = trace->samples[i].ts_ns;
        if (!is_sample_of_thread(matching, i) || !tp_intervals_contain(places->steps, at))
            continue;
        matching->out->sample_count++;
        matching->out->outside_count += tp_intervals_contain(places->outside, at);
    }
}

static void add_samples(const struct matching *matching, const struct places *places, struct sums *sums)
{
    const struct tp_trace *trace = matching->program->tree.trace;
    struct tp_program_steps *out = matching->out;
    struct division all = {out->running_ns, out->sample_count}, outside = {out->outside_ns, out->outside_count};
    bool is_enough = all.left_count >= LEAST_SAMPLES, is_enough_outside = outside.left_count >= LEAST_SAMPLES;
    for (uint32_t i = 0; i < trace->sample_count && is_enough; i++) {
        int64_t at = trace->samples[i].ts_ns;
        if (!is_sample_of_thread(matching, i) || !tp_intervals_contain(places->steps, at))
            continue;
        int64_t share = take_equal_share_of_time(&all);
        tp_program_functions_of_stack(&sums->functions, trace->samples[i].stack);
        const struct tp_vec *path = &sums->functions.path;
        unsigned part = TP_STEPS_UNSAMPLED; /* initial value, used if the stack could not be unwound */
        if (path->count)
            part = tp_program_function_at(&sums->functions, *TP_AT(path, uint32_t, path->count - 1))->kind;
        out->part_ns[part] = tp_sat_add(out->part_ns[part], share);
        if (is_enough_outside && tp_intervals_contain(places->outside, at))
            add_sample(sums, i, take_equal_share_of_time(&outside));
    }
    out->part_ns[TP_STEPS_UNSAMPLED] = tp_sat_add(out->part_ns[TP_STEPS_UNSAMPLED], all.left_ns);
}

static int compare_by_self(const void *context, uint32_t x, uint32_t y)
{
    const struct sums *sums = context;
    if (sums->self_ns[x] != sums->self_ns[y])
        return sums->self_ns[x] > sums->self_ns[y] ? -1 : 1;
    if (sums->total_ns[x] != sums->total_ns[y])
        return sums->total_ns[x] > sums->total_ns[y] ? -1 : 1;
    const struct tp_program_function *a = tp_program_function_at(&sums->functions, x),
                                     *b = tp_program_function_at(&sums->functions, y);
    int names = tp_str_compare(a->name, b->name);
    return names ? names : tp_str_compare(a->file, b->file);
}

static void fill_functions(const struct matching *matching, const struct sums *sums)
{
    struct tp_program_steps *out = matching->out;
    size_t all = sums->functions.items.count, count = 0;
    struct tp_table *t = &out->functions;
    out->function_by_row = tp_arena_array(matching->arena, all + 1, sizeof *out->function_by_row);
    for (uint32_t i = 0; i < all; i++)
        if (sums->last[i])
            out->function_by_row[count++] = i;
    tp_sort_rows(out->function_by_row, count, compare_by_self, sums, matching->arena);
    tp_table_init(t, matching->arena, "functions", function_defs, TP_PROGRAM_FUNCTION_COLUMNS, count);
    t->title = "Functions outside of operators";
    for (size_t row = 0; row < count; row++) {
        uint32_t number = out->function_by_row[row];
        const struct tp_program_function *f = tp_program_function_at(&sums->functions, number);
        tp_program_function_fill_row(t, row,
                                     &(struct tp_program_function_row){f, sums->self_ns[number], sums->total_ns[number],
                                                                       sums->count[number], out->outside_ns,
                                                                       out->outside_count});
    }
}

static void fill_function_times_of_steps(const struct matching *matching)
{
    struct places places;
    struct sums sums = {.functions = matching->program->functions};
    size_t count = sums.functions.items.count + 1;
    sums.functions.path = TP_VEC(matching->arena, uint32_t);
    sums.functions.frames = TP_VEC(matching->arena, uint32_t);
    sums.self_ns = tp_arena_array(matching->arena, count, sizeof *sums.self_ns);
    sums.total_ns = tp_arena_array(matching->arena, count, sizeof *sums.total_ns);
    sums.count = tp_arena_array(matching->arena, count, sizeof *sums.count);
    sums.last = tp_arena_array(matching->arena, count, sizeof *sums.last);
    find_slices_of_samples(matching, &places);
    count_samples_per_slice(matching, &places);
    add_samples(matching, &places, &sums);
    fill_functions(matching, &sums);
}

/* ---- table of parts ---- */

static int compare_by_time(const void *context, uint32_t x, uint32_t y)
{
    const int64_t *part_ns = context;
    return part_ns[x] != part_ns[y] ? (part_ns[x] > part_ns[y] ? -1 : 1) : x < y ? -1 : x > y;
}

static void fill_step_part_table(const struct matching *matching)
{
    struct tp_program_steps *out = matching->out;
    uint32_t order[TP_STEPS_PARTS], count = 0;
    for (uint32_t part = 0; part < TP_STEPS_PARTS; part++)
        if (out->part_ns[part])
            order[count++] = part;
    tp_sort_rows(order, count, compare_by_time, out->part_ns, matching->arena);
    tp_table_init(&out->parts, matching->arena, "parts", part_defs, TP_STEPS_PART_COLUMNS, count);
    out->parts.title = "Wall time of the steps";
    out->part_by_row = tp_arena_alloc(matching->arena, count + 1);
    for (uint32_t row = 0; row < count; row++) {
        int64_t ns = out->part_ns[order[row]];
        out->part_by_row[row] = (uint8_t)order[row];
        tp_table_text(&out->parts, TP_STEPS_PART_NAME)[row] = tp_str_of(tp_steps_part_text(order[row]));
        tp_table_int(&out->parts, TP_STEPS_PART_TIME)[row] = ns;
        tp_table_real(&out->parts, TP_STEPS_PART_PERCENT)[row] = tp_percent(ns, out->wall_ns);
        tp_table_int(&out->parts, TP_STEPS_PART_MEAN)[row] = ns / (int64_t)out->steps.row_count;
    }
}

double tp_program_steps_ready_percent(const struct tp_program_steps *steps)
{
    static const double SAID_PERCENT = 20;
    double percent = tp_percent(steps->part_ns[TP_STEPS_READY], steps->wall_ns);
    return percent >= SAID_PERCENT ? percent : 0;
}

bool tp_program_steps_build(struct tp_program_steps *steps, const struct tp_model *model,
                            const struct tp_program_view *program, struct tp_arena *arena)
{
    struct matching matching = {.model = model, .program = program, .arena = arena, .out = steps};
    *steps = (struct tp_program_steps){0};
    if (!program->is_present || !model->used_count || !find_thread_of_steps(&matching))
        return false;
    const struct tp_thread *main = &model->trace->threads[model->host_main];
    steps->pid = main->pid.number;
    steps->tid = main->tid.number;
    fill_steps(&matching);
    fill_function_times_of_steps(&matching);
    fill_step_part_table(&matching);
    return true;
}

#define F struct tp_program_steps
static const struct tp_json_field fields[] = {
    {"pid", TP_PLAIN(F, pid), TP_DEFINITION("id of the process of the main thread")},
    {"tid", TP_PLAIN(F, tid), TP_DEFINITION("id of the main thread")},
    {"wall_us", TP_US(F, wall_ns), TP_DEFINITION("wall time of the analysed steps")},
    {"running_us", TP_US(F, running_ns), TP_DEFINITION("CPU time of the main thread in the steps")},
    {"samples", TP_PLAIN(F, sample_count), TP_DEFINITION("number of samples of the main thread in the steps")},
    {"parts", TP_PLAIN(F, parts), TP_DEFINITION("time of the steps by state of the main thread, longest first")},
    {"steps", TP_PLAIN(F, steps), TP_DEFINITION("analysed steps in order of time")},
    {"outside_operators_us", TP_US(F, outside_ns),
     TP_DEFINITION("CPU time of the main thread in the steps while no operator ran")},
    {"outside_operators_samples", TP_PLAIN(F, outside_count),
     TP_DEFINITION("number of samples of the main thread in the steps while no operator ran")},
    {"functions_outside_operators", TP_PLAIN(F, functions),
     TP_DEFINITION("functions of the main thread in the steps while no operator ran")},
};
#undef F

const struct tp_fields tp_program_steps_fields = TP_FIELDS("Steps of PyTorch in a recording from outside", fields);
