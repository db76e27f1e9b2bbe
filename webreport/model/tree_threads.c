/* Builds the threads in a trace of `record --outside`, their states and samples: see tree_threads.h. */
#include "webreport/model/tree_threads.h"

#include "webreport/model/tree_processes.h"
#include "webreport/model/tree_waits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

static const char *const cause_texts[TP_WAIT_COUNT] = {[TP_WAIT_DISK] = "disk",
                                                       [TP_WAIT_PAGE_FAULT] = "page fault",
                                                       [TP_WAIT_SOCKET] = "socket",
                                                       [TP_WAIT_TERMINAL] = "terminal",
                                                       [TP_WAIT_SLEEP] = "sleep",
                                                       [TP_WAIT_LOCK] = "lock",
                                                       [TP_WAIT_KERNEL_LOCK] = "kernel lock",
                                                       [TP_WAIT_FILE] = "file",
                                                       [TP_WAIT_PIPE] = "pipe",
                                                       [TP_WAIT_POLL] = "poll",
                                                       [TP_WAIT_SIGNAL] = "signal",
                                                       [TP_WAIT_STOPPED] = "stopped",
                                                       [TP_WAIT_CHILD] = "child",
                                                       [TP_WAIT_EXIT] = "exit",
                                                       [TP_WAIT_RECORDING] = "recording",
                                                       [TP_WAIT_UNKNOWN] = "?"};

const char *tp_wait_cause_text(enum tp_wait_cause cause)
{
    return cause_texts[cause];
}

/* Returns an array that maps each text id to the wait cause with this name, or to TP_WAIT_UNKNOWN. */
static uint8_t *make_cause_by_text(const struct tp_trace *trace, struct tp_arena *arena)
{
    uint8_t *causes = tp_arena_alloc(arena, trace->texts.count + 1);
    memset(causes, TP_WAIT_UNKNOWN, trace->texts.count + 1);
    for (uint32_t cause = 0; cause < TP_WAIT_UNKNOWN; cause++) {
        uint32_t text = tp_strings_find(&trace->texts, tp_str_of(cause_texts[cause]));
        if (text != TP_NO_ID)
            causes[text] = (uint8_t)cause;
    }
    return causes;
}

/* ---- slices of thread states ---- */

struct cutting {
    struct tp_process_tree *tree;
    struct tp_arena *arena;
    const uint8_t *cause_of_text;
    struct tp_recorder_waits own;
    struct tp_vec threads, slices;
};

/* Returns the states sorted by thread, time and position in the file. Sets *first to an array with the index of the
 * first state of each thread, followed by the number of all states. */
static struct tp_keyed *sort_states_by_thread(const struct tp_trace *trace, uint32_t **first, struct tp_arena *arena)
{
    struct tp_keyed *states = tp_arena_array(arena, trace->state_count + 1, sizeof *states);
    uint32_t *at = tp_arena_array(arena, trace->thread_count + 2, sizeof *at);
    for (uint32_t i = 0; i < trace->state_count; i++)
        at[trace->states[i].thread + 2]++;
    for (uint32_t row = 0; row < trace->thread_count; row++)
        at[row + 2] += at[row + 1];
    for (uint32_t i = 0; i < trace->state_count; i++)
        states[at[trace->states[i].thread + 1]++] = (struct tp_keyed){trace->states[i].ts_ns, i, i};
    for (uint32_t row = 0; row < trace->thread_count; row++)
        tp_sort_keyed(states + at[row], at[row + 1] - at[row], arena);
    *first = at;
    return states;
}

/* Returns the thread to which slices of a row belong. Adds a thread if the row is new, or if another process now has
 * the row's pid. */
static struct tp_tree_thread *find_or_add_thread(struct cutting *c, uint32_t row, uint32_t process)
{
    struct tp_tree_thread *last =
        c->threads.count ? TP_AT(&c->threads, struct tp_tree_thread, c->threads.count - 1) : NULL;
    if (last && last->row == row && last->process == process)
        return last;
    last = tp_vec_push(&c->threads);
    *last = (struct tp_tree_thread){.row = row, .process = process, .first = (uint32_t)c->slices.count};
    return last;
}

/* Returns the cause of a wait. Ignores a cause that the recorder estimated, because it was derived from other waits. */
static uint8_t wait_cause(struct cutting *c, const struct tp_state *state)
{
    if (state->state == TP_STATE_BLOCKED && state->is_recording)
        return TP_WAIT_RECORDING;
    if (state->state != TP_STATE_BLOCKED || state->is_estimated)
        return TP_WAIT_UNKNOWN;
    uint8_t cause = state->cause != TP_NO_ID ? c->cause_of_text[state->cause] : TP_WAIT_UNKNOWN;
    return cause == TP_WAIT_LOCK && tp_recorder_waits_contain(&c->own, state->stack) ? TP_WAIT_RECORDING : cause;
}

static void add_slice(struct cutting *c, const struct tp_state *state, int64_t begin_ns, int64_t end_ns)
{
    uint32_t process = tp_process_of_row_at(c->tree, state->thread, state->ts_ns);
    struct tp_tree_thread *thread = find_or_add_thread(c, state->thread, process);
    *(struct tp_thread_slice *)tp_vec_push(&c->slices) = (struct tp_thread_slice){.begin_ns = begin_ns,
                                                                                  .end_ns = end_ns,
                                                                                  .stack = state->stack,
                                                                                  .state = state->state,
                                                                                  .cause = wait_cause(c, state),
                                                                                  .is_estimated = state->is_estimated};
    thread->begin_ns = thread->count ? thread->begin_ns : begin_ns;
    thread->end_ns = end_ns;
    thread->count++;
    thread->state_ns[state->state] = tp_sat_add(thread->state_ns[state->state], end_ns - begin_ns);
}

static void clip_states_of_thread(struct cutting *c, const struct tp_keyed *states, uint32_t count)
{
    int64_t free_from = INT64_MIN + 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_state *state = &c->tree->trace->states[states[i].item];
        int64_t begin = state->ts_ns < free_from ? free_from : state->ts_ns;
        int64_t end = tp_sat_add(state->ts_ns, state->dur_ns);
        c->tree->overlapping_state_count += begin > state->ts_ns && state->dur_ns > 0;
        if (end <= begin)
            continue;
        free_from = end;
        add_slice(c, state, begin, end);
    }
}

/* ---- threads ---- */

static int compare_by_process(const void *x, const void *y, const void *context)
{
    const struct tp_tree_thread *a = x, *b = y;
    (void)context;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return a->begin_ns != b->begin_ns ? (a->begin_ns < b->begin_ns ? -1 : 1) : a->row < b->row ? -1 : 1;
}

/* Adds the times of a thread to its process, and extends the time of the whole tree. */
static void add_thread_to_process(struct tp_process_tree *tree, struct tp_tree_thread *thread)
{
    struct tp_tree_process *process = &tree->processes[thread->process];
    const struct tp_thread_slice *slices = tree->slices + thread->first;
    for (uint32_t i = 0; i + 1 < thread->count; i++)
        thread->wake_up_count += slices[i].state == TP_STATE_BLOCKED && slices[i + 1].state != TP_STATE_BLOCKED;
    for (unsigned state = 0; state < TP_STATE_COUNT; state++)
        process->state_ns[state] = tp_sat_add(process->state_ns[state], thread->state_ns[state]);
    process->thread_count++;
    if (thread == tree->threads || thread->begin_ns < tree->begin_ns)
        tree->begin_ns = thread->begin_ns;
    if (thread == tree->threads || thread->end_ns > tree->end_ns)
        tree->end_ns = thread->end_ns;
}

static void build_threads(struct tp_process_tree *tree, struct tp_arena *arena)
{
    struct cutting c = {.tree = tree,
                        .arena = arena,
                        .cause_of_text = make_cause_by_text(tree->trace, arena),
                        .threads = TP_VEC(arena, struct tp_tree_thread),
                        .slices = TP_VEC(arena, struct tp_thread_slice)};
    uint32_t *first;
    struct tp_keyed *states = sort_states_by_thread(tree->trace, &first, arena);
    tp_recorder_waits_init(&c.own, tree->trace, arena);
    for (uint32_t row = 0; row < tree->trace->thread_count; row++)
        clip_states_of_thread(&c, states + first[row], first[row + 1] - first[row]);
    tp_arena_free_item(arena, states, (tree->trace->state_count + 1) * sizeof *states);
    tp_vec_fit(&c.slices);
    tree->threads = c.threads.data;
    tree->thread_count = (uint32_t)c.threads.count;
    tree->slices = c.slices.data;
    tree->slice_count = (uint32_t)c.slices.count;
    if (tree->thread_count > 1)
        tp_merge_sort(arena, tree->threads, tree->thread_count, sizeof *tree->threads, compare_by_process, NULL);
    for (uint32_t i = 0; i < tree->thread_count; i++)
        add_thread_to_process(tree, &tree->threads[i]);
    tp_child_waits_mark(tree, arena);
}

/* ---- processes and weights of samples ---- */

static void weigh_samples_by_cpu_time(struct tp_process_tree *tree, struct tp_arena *arena)
{
    const struct tp_trace *trace = tree->trace;
    uint64_t *left = tp_arena_array(arena, tree->process_count + 1, sizeof *left);
    int64_t *left_ns = tp_arena_array(arena, tree->process_count + 1, sizeof *left_ns);
    tree->process_of_sample = tp_arena_array(arena, trace->sample_count + 1, sizeof *tree->process_of_sample);
    tree->weight_of_sample_ns = tp_arena_array(arena, trace->sample_count + 1, sizeof *tree->weight_of_sample_ns);
    for (uint32_t i = 0; i < trace->sample_count; i++) {
        uint32_t process = tp_process_of_row_at(tree, trace->samples[i].thread, trace->samples[i].ts_ns);
        tree->process_of_sample[i] = process;
        tree->processes[process].sample_count++;
    }
    for (uint32_t i = 0; i < tree->process_count; i++) {
        left[i] = tree->processes[i].sample_count;
        left_ns[i] = tree->processes[i].state_ns[TP_STATE_RUNNING];
    }
    for (uint32_t i = 0; i < trace->sample_count; i++) {
        uint32_t process = tree->process_of_sample[i];
        tree->weight_of_sample_ns[i] = left_ns[process] / (int64_t)left[process];
        left_ns[process] -= tree->weight_of_sample_ns[i];
        left[process]--;
    }
}

static void find_memory_peaks(struct tp_process_tree *tree)
{
    const struct tp_trace *trace = tree->trace;
    for (uint32_t i = 0; i < trace->process_memory_count; i++) {
        uint32_t process = tp_process_of_row_at(tree, trace->process_memory[i].thread, trace->process_memory[i].ts_ns);
        if (process != TP_NO_ID && trace->process_memory[i].bytes > tree->processes[process].peak_bytes)
            tree->processes[process].peak_bytes = trace->process_memory[i].bytes;
    }
}

void tp_process_tree_build(struct tp_process_tree *tree, const struct tp_trace *trace, struct tp_arena *arena)
{
    *tree = (struct tp_process_tree){.is_present = trace->state_count > 0, .trace = trace};
    if (!tree->is_present)
        return;
    tp_tree_processes_build(tree, trace, arena);
    build_threads(tree, arena);
    weigh_samples_by_cpu_time(tree, arena);
    find_memory_peaks(tree);
    tree->is_present = tree->thread_count > 0;
}
