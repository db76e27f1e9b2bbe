/* Finds problems with the threads and processes that a program starts. See program_starts.h. */
#include "webreport/measure/program/program_starts.h"

#include "webreport/measure/program/program_verdict.h"
#include "webreport/model/numbers.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

enum { FEW_SAMPLES = 10, MANY_THREADS = 100, REUSE = 4, MANY_CHILDREN = 20 };
/* THREAD_NS: least time to start, end and join a thread */
static const int64_t SHORT_CHILD_NS = 10000000, THREAD_NS = 10000;
static const double THREADS_PERCENT = 5, MANY_THREADS_PERCENT = 20, CHILDREN_PERCENT = 10, RUNS_PERCENT = 5;

/* ---- threads ---- */

/* Total time of the samples that start, end or join threads, ns. */
struct thread_work {
    int64_t ns, kernel_ns;
    uint64_t sample_count;
};

/* Returns whether a sample starts, ends or joins a thread. This is the case if the innermost function outside the
 * kernel is `clone`, or if any function of the stack starts, ends or joins threads. */
static bool is_thread_work(const struct tp_program_functions *functions, bool *is_kernel)
{
    static const char *const parts[] = {"pthread_create", "pthread_clockjoin", "pthread_join",   "_M_start_thread",
                                        "thread::join",   "copy_process",      "allocate_stack", "nptl_deallocate"};
    const struct tp_program_function *inner = NULL;
    bool is_found = false;
    for (size_t i = functions->path.count; i-- > 0;) {
        const struct tp_program_function *f = tp_program_function_at(functions, *TP_AT(&functions->path, uint32_t, i));
        *is_kernel = i + 1 == functions->path.count ? f->kind == TP_FUNCTION_KERNEL : *is_kernel;
        is_found = is_found || tp_str_equal(f->name, TP_STR("do_exit"));
        for (size_t part = 0; part < sizeof parts / sizeof *parts && !is_found; part++)
            is_found = tp_str_find(f->name, parts[part]) >= 0;
        if (!inner && f->kind != TP_FUNCTION_KERNEL) {
            inner = f;
            is_found = is_found || tp_str_find(f->name, "clone") >= 0;
        }
    }
    return is_found;
}

static struct thread_work measure_thread_work(const struct tp_program_view *view)
{
    const struct tp_trace *trace = view->tree.trace;
    struct tp_program_functions functions = view->functions;
    struct thread_work work = {0};
    for (uint32_t i = 0; i < trace->sample_count; i++) {
        bool is_kernel = false;
        tp_program_functions_of_stack(&functions, trace->samples[i].stack);
        if (tp_program_functions_end_in_recording(&functions) || !is_thread_work(&functions, &is_kernel))
            continue;
        work.ns = tp_sat_add(work.ns, view->tree.weight_of_sample_ns[i]);
        work.kernel_ns = tp_sat_add(work.kernel_ns, is_kernel ? view->tree.weight_of_sample_ns[i] : 0);
        work.sample_count++;
    }
    return work;
}

/* Returns the number of threads of the program, including threads without a state. */
static int64_t count_threads(const struct tp_process_tree *tree)
{
    const struct tp_trace *trace = tree->trace;
    int64_t count = 0;
    for (uint32_t row = 0; row < trace->thread_count; row++) {
        const struct tp_row_id *tid = &trace->threads[row].tid;
        bool is_thread = !tid->is_text && tid->number > 0;
        count += is_thread && tp_process_of_row_at(tree, row, 0) != TP_NO_ID;
    }
    return count - trace->recorder.thread_count;
}

/* Returns whether a new thread with a reused number begins at a slice; the system reuses the numbers of ended
 * threads. A running thread always has some state until it ends, and a new thread is ready before it runs. */
static bool is_new_thread(const struct tp_thread_slice *piece)
{
    return piece[-1].state == TP_STATE_RUNNING && piece->state == TP_STATE_READY && piece->begin_ns > piece[-1].end_ns;
}

/* Returns the number of threads that reuse the number of an earlier thread. */
static int64_t count_reused_numbers(const struct tp_process_tree *tree)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < tree->thread_count; i++)
        for (uint32_t k = 1; k < tree->threads[i].count; k++)
            count += is_new_thread(&tree->slices[tree->threads[i].first + k]);
    return count;
}

/* Returns the largest number of threads that were alive at the same time. again: result of count_reused_numbers. */
static int64_t count_simultaneous_threads(const struct tp_process_tree *tree, int64_t again, struct tp_arena *arena)
{
    size_t count = ((size_t)tree->thread_count + (size_t)again) * 2, at = 0;
    /* item: 1 for the start of a thread, 0 for its end */
    struct tp_keyed *borders = tp_arena_array(arena, count + 1, sizeof *borders);
    int64_t alive = 0, most = 0;
    for (uint32_t i = 0; i < tree->thread_count; i++) {
        const struct tp_tree_thread *thread = &tree->threads[i];
        borders[at++] = (struct tp_keyed){thread->begin_ns, 1, 1};
        for (uint32_t k = thread->first + 1; k < thread->first + thread->count; k++) {
            if (!is_new_thread(&tree->slices[k]))
                continue;
            borders[at++] = (struct tp_keyed){tree->slices[k - 1].end_ns, 0, 0};
            borders[at++] = (struct tp_keyed){tree->slices[k].begin_ns, 1, 1};
        }
        borders[at++] = (struct tp_keyed){thread->end_ns, 0, 0};
    }
    tp_sort_keyed(borders, count, arena);
    for (size_t i = 0; i < count; i++) {
        alive += borders[i].item ? 1 : -1;
        most = alive > most ? alive : most;
    }
    tp_arena_free_item(arena, borders, (count + 1) * sizeof *borders);
    return most;
}

static void find_thread_starts(struct tp_program_view *view, struct tp_arena *arena)
{
    int64_t again = count_reused_numbers(&view->tree), count = count_threads(&view->tree) + again;
    int64_t cpu_ns = view->state_ns[TP_STATE_RUNNING], at_once;
    if (count < MANY_THREADS)
        return;
    struct thread_work work = measure_thread_work(view);
    bool is_sampled = work.sample_count >= FEW_SAMPLES;
    int64_t ns = is_sampled ? work.ns : tp_sat_mul(count, THREAD_NS);
    double percent = tp_percent(ns, cpu_ns);
    at_once = count_simultaneous_threads(&view->tree, again, arena);
    if (percent < THREADS_PERCENT || percent > 100 || at_once > count / REUSE)
        return;
    view->thread_kernel_ns = is_sampled ? work.kernel_ns : 0;
    tp_program_finding_add(view, &(struct tp_program_finding){
                                     .kind = TP_PROGRAM_FINDS_THREADS,
                                     .weight = percent >= MANY_THREADS_PERCENT ? TP_PROGRAM_HIGH : TP_PROGRAM_MEDIUM,
                                     .count = (uint64_t)count,
                                     .sample_count = is_sampled ? work.sample_count : 0,
                                     .most_simultaneous_count = (uint64_t)at_once,
                                     .time_ns = ns,
                                     .percent = percent,
                                     .whole = "CPU"});
}

int64_t tp_program_thread_start_kernel_ns(const struct tp_program_view *view)
{
    return view->thread_kernel_ns;
}

/* ---- waits for child processes ---- */

/* Returns the longest total time that one thread of a process waited for children. *count: number of waits of that
 * thread. */
static int64_t child_wait_ns(const struct tp_process_tree *tree, uint32_t process, uint64_t *count)
{
    int64_t most_ns = 0;
    *count = 0;
    for (uint32_t t = 0; t < tree->thread_count; t++) {
        const struct tp_tree_thread *thread = &tree->threads[t];
        int64_t ns = 0;
        uint64_t waits = 0;
        for (uint32_t i = thread->first; thread->process == process && i < thread->first + thread->count; i++) {
            const struct tp_thread_slice *piece = &tree->slices[i];
            bool is_one = piece->state == TP_STATE_BLOCKED && piece->cause == TP_WAIT_CHILD;
            ns = tp_sat_add(ns, is_one ? piece->end_ns - piece->begin_ns : 0);
            waits += is_one;
        }
        *count = ns > most_ns ? waits : *count;
        most_ns = ns > most_ns ? ns : most_ns;
    }
    return most_ns;
}

/* Adds the longest-living children to a finding. */
static void list_longest_children(struct tp_program_finding *finding, const struct tp_program_view *view)
{
    const int64_t *walls = tp_table_int(&view->processes, TP_PROGRAM_PROCESS_WALL);
    uint32_t last = TP_NO_ID;
    while (finding->named_count < TP_PROGRAM_NAMED) {
        uint32_t best = TP_NO_ID;
        for (uint32_t i = 0; i < view->tree.process_count; i++) {
            bool is_behind = last == TP_NO_ID || walls[i] < walls[last] || (walls[i] == walls[last] && i > last);
            if (view->tree.processes[i].parent == finding->process && is_behind &&
                (best == TP_NO_ID || walls[i] > walls[best]))
                best = i;
        }
        if (best == TP_NO_ID)
            break;
        finding->processes[finding->named_count++] = best;
        last = best;
    }
}

/* Adds a finding about the process that waits longest for its children. Ignores processes that hardly run, because a
 * shell or make only waits for children by design. */
static void find_child_waits(struct tp_program_view *view)
{
    const struct tp_process_tree *tree = &view->tree;
    uint32_t found = TP_NO_ID;
    uint64_t count = 0;
    int64_t most_ns = 0;
    for (uint32_t i = 0; i < tree->process_count; i++) {
        uint64_t waits = 0;
        bool runs = tree->processes[i].child_count &&
                    tp_percent(tree->processes[i].state_ns[TP_STATE_RUNNING], view->parts.wall_ns) >= RUNS_PERCENT;
        int64_t ns = runs ? child_wait_ns(tree, i, &waits) : 0;
        if (ns <= most_ns)
            continue;
        found = i;
        count = waits;
        most_ns = ns;
    }
    if (found == TP_NO_ID || tp_percent(most_ns, view->parts.wall_ns) < CHILDREN_PERCENT)
        return;
    struct tp_program_finding finding = {.kind = TP_PROGRAM_FINDS_CHILDREN,
                                         .weight = TP_PROGRAM_MEDIUM,
                                         .count = count,
                                         .process = found,
                                         .time_ns = most_ns,
                                         .percent = tp_percent(most_ns, view->parts.wall_ns),
                                         .whole = "wall"};
    list_longest_children(&finding, view);
    tp_program_finding_add(view, &finding);
}

static void find_short_processes(struct tp_program_view *view)
{
    int64_t count = 0, wall_ns = 0;
    for (uint32_t i = 0; i < view->tree.process_count; i++) {
        int64_t length = tp_table_int(&view->processes, TP_PROGRAM_PROCESS_WALL)[i];
        if (view->tree.processes[i].parent == TP_NO_ID || length >= SHORT_CHILD_NS)
            continue;
        count++;
        wall_ns = tp_sat_add(wall_ns, length);
    }
    if (count <= MANY_CHILDREN)
        return;
    tp_program_finding_add(view, &(struct tp_program_finding){.kind = TP_PROGRAM_FINDS_SHORT,
                                                              .weight = TP_PROGRAM_MEDIUM,
                                                              .count = (uint64_t)count,
                                                              .time_ns = wall_ns,
                                                              .percent = tp_percent(wall_ns, view->parts.wall_ns),
                                                              .whole = "wall"});
}

void tp_program_find_start_problems(struct tp_program_view *view, struct tp_arena *arena)
{
    find_thread_starts(view, arena);
    find_child_waits(view);
    find_short_processes(view);
}
