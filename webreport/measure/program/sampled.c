/* Assigns processes and threads with unique names to samples. See sampled.h. */
#include "webreport/measure/program/sampled.h"

#include "webreport/measure/program/program_waits.h"
#include "writer/base/keys.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/base/utf8.h"
#include "writer/text/format.h"

/* ---- unique names ---- */

/* Number of uses of each pair (group, name). */
struct unique_names {
    struct tp_arena *arena;
    struct tp_strings names;
    struct tp_keys keys;
    struct tp_vec counts; /* for each key: number of uses; elements: uint32_t */
};

static void unique_names_init(struct unique_names *unique_names, struct tp_arena *arena)
{
    unique_names->arena = arena;
    tp_strings_init(&unique_names->names, arena, 0);
    tp_keys_init(&unique_names->keys, arena, 2);
    unique_names->counts = TP_VEC(arena, uint32_t);
}

/* Returns a unique name in the group: the name itself for its first use, and the name with a number for later uses. */
static struct tp_str unique_name(struct unique_names *unique_names, uint32_t group, struct tp_str name)
{
    uint32_t key = tp_keys_pair(&unique_names->keys, group, tp_strings_add(&unique_names->names, name));
    while (unique_names->counts.count <= key)
        *(uint32_t *)tp_vec_push(&unique_names->counts) = 0;
    uint32_t count = ++*TP_AT(&unique_names->counts, uint32_t, key);
    return count == 1
               ? name
               : tp_str_of(tp_text_printf(unique_names->arena, "%.*s #%u", (int)name.len, name.ptr, (unsigned)count));
}

/* ---- processes and threads ---- */

static void add_tree(struct tp_sampled *sampled, struct tp_arena *arena)
{
    const struct tp_process_tree *tree = &sampled->view.tree;
    struct unique_names commands;
    unique_names_init(&commands, arena);
    sampled->process_count = tree->process_count;
    sampled->processes = tp_arena_array(arena, tree->process_count + 1, sizeof *sampled->processes);
    for (uint32_t i = 0; i < tree->process_count; i++) {
        const struct tp_tree_process *p = &tree->processes[i];
        struct tp_str command =
            tp_last_program_of_command(tp_table_text(&sampled->view.processes, TP_PROGRAM_PROCESS_COMMAND)[i]);
        command.len = tp_utf8_fitting_bytes(command.ptr, command.len, TP_MAX_SHOWN_NAME_BYTES);
        sampled->processes[i] =
            (struct tp_sampled_process){unique_name(&commands, 0, command), p->pid, p->begin_ns, p->end_ns};
    }
}

static struct tp_str process_name(const struct tp_trace *trace, uint32_t row, struct tp_arena *arena)
{
    const struct tp_row_id *pid = &trace->threads[row].pid;
    for (uint32_t i = 0; i < trace->process_count; i++) {
        const struct tp_process *process = &trace->processes[i];
        bool is_same = process->pid.is_text == pid->is_text &&
                       (pid->is_text ? tp_str_equal(process->pid.text, pid->text) : process->pid.number == pid->number);
        if (is_same && process->name.len)
            return process->name;
    }
    return pid->is_text ? pid->text : tp_str_of(tp_text_printf(arena, "process %lld", (long long)pid->number));
}

/* Returns the index of the process with the pid of a thread row. Adds the process if it is new. */
static uint32_t add_process_of_row(struct tp_sampled *sampled, struct tp_vec *processes, struct unique_names *names,
                                   uint32_t row)
{
    const struct tp_row_id *pid = &sampled->trace->threads[row].pid;
    int64_t number = pid->is_text ? -1 : pid->number;
    for (uint32_t i = (uint32_t)processes->count; i-- > 0;)
        if (number >= 0 && TP_AT(processes, struct tp_sampled_process, i)->pid == number)
            return i;
    struct tp_str name = process_name(sampled->trace, row, processes->arena);
    *(struct tp_sampled_process *)tp_vec_push(processes) =
        (struct tp_sampled_process){unique_name(names, 0, name), number, INT64_MAX, INT64_MIN};
    return (uint32_t)processes->count - 1;
}

/* Threads, one for each pair (process, row), in order of first appearance. */
struct threads {
    struct tp_keys keys;
    struct tp_vec items; /* elements: struct tp_sampled_thread */
};

static uint32_t find_or_add_thread(const struct tp_sampled *sampled, struct threads *threads, uint32_t process,
                                   uint32_t row)
{
    uint32_t key = tp_keys_pair(&threads->keys, process, row);
    if (key == threads->items.count) {
        const struct tp_thread *named = &sampled->trace->threads[row];
        *(struct tp_sampled_thread *)tp_vec_push(&threads->items) = (struct tp_sampled_thread){
            process, tp_program_thread_name(named), named->tid.is_text ? -1 : named->tid.number, INT64_MAX, INT64_MIN};
    }
    return key;
}

static void widen_range(int64_t *begin, int64_t *end, int64_t at)
{
    *begin = at < *begin ? at : *begin;
    *end = at > *end ? at : *end;
}

static void add_samples(struct tp_sampled *sampled, struct threads *threads, struct tp_vec *processes,
                        struct tp_arena *arena)
{
    const struct tp_trace *trace = sampled->trace;
    struct unique_names names;
    unique_names_init(&names, arena);
    sampled->thread_by_sample = tp_arena_array(arena, trace->sample_count + 1, sizeof *sampled->thread_by_sample);
    for (uint32_t i = 0; i < trace->sample_count; i++) {
        const struct tp_sample *sample = &trace->samples[i];
        bool has_states = sampled->view.is_present;
        uint32_t process = has_states ? sampled->view.tree.process_of_sample[i]
                                      : add_process_of_row(sampled, processes, &names, sample->thread);
        uint32_t number = find_or_add_thread(sampled, threads, process, sample->thread);
        struct tp_sampled_thread *thread = TP_AT(&threads->items, struct tp_sampled_thread, number);
        sampled->thread_by_sample[i] = number;
        widen_range(&thread->begin_ns, &thread->end_ns, sample->ts_ns);
        if (has_states)
            continue;
        struct tp_sampled_process *p = TP_AT(processes, struct tp_sampled_process, process);
        widen_range(&p->begin_ns, &p->end_ns, sample->ts_ns);
    }
}

static int compare_by_process(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_sampled_thread *items = context;
    if (items[x].process != items[y].process)
        return items[x].process < items[y].process ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Sorts the threads by process, gives each thread a unique name, and updates the samples. */
static void order_threads(struct tp_sampled *sampled, const struct threads *threads, struct tp_arena *arena)
{
    uint32_t count = (uint32_t)threads->items.count;
    uint32_t *order = tp_arena_array(arena, count + 1, sizeof *order),
             *place = tp_arena_array(arena, count + 1, sizeof *place);
    struct unique_names names;
    unique_names_init(&names, arena);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    tp_sort_rows(order, count, compare_by_process, threads->items.data, arena);
    sampled->threads = tp_arena_array(arena, count + 1, sizeof *sampled->threads);
    sampled->thread_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct tp_sampled_thread *thread = &sampled->threads[i];
        *thread = *TP_AT(&threads->items, struct tp_sampled_thread, order[i]);
        thread->name = unique_name(&names, thread->process, thread->name);
        place[order[i]] = i;
    }
    for (uint32_t i = 0; i < sampled->trace->sample_count; i++)
        sampled->thread_by_sample[i] = place[sampled->thread_by_sample[i]];
    for (uint32_t i = 0; sampled->thread_by_tree_thread && i < sampled->view.tree.thread_count; i++)
        sampled->thread_by_tree_thread[i] = place[sampled->thread_by_tree_thread[i]];
}

void tp_sampled_build(struct tp_sampled *sampled, const struct tp_trace *trace, struct tp_arena *arena)
{
    struct tp_vec processes = TP_VEC(arena, struct tp_sampled_process);
    struct threads threads = {.items = TP_VEC(arena, struct tp_sampled_thread)};
    *sampled = (struct tp_sampled){.trace = trace};
    tp_keys_init(&threads.keys, arena, 2);
    tp_program_view_build(&sampled->view, trace, arena);
    if (sampled->view.is_present) {
        const struct tp_process_tree *tree = &sampled->view.tree;
        sampled->functions = sampled->view.functions;
        add_tree(sampled, arena);
        sampled->thread_by_tree_thread =
            tp_arena_array(arena, tree->thread_count + 1, sizeof *sampled->thread_by_tree_thread);
        for (uint32_t i = 0; i < tree->thread_count; i++) {
            uint32_t number = find_or_add_thread(sampled, &threads, tree->threads[i].process, tree->threads[i].row);
            struct tp_sampled_thread *thread = TP_AT(&threads.items, struct tp_sampled_thread, number);
            sampled->thread_by_tree_thread[i] = number;
            widen_range(&thread->begin_ns, &thread->end_ns, tree->threads[i].begin_ns);
            widen_range(&thread->begin_ns, &thread->end_ns, tree->threads[i].end_ns);
        }
    } else {
        tp_program_functions_init(&sampled->functions, trace, arena);
        for (uint32_t i = 0; i < trace->sample_count; i++)
            tp_sampled_read_stack(sampled, trace->samples[i].stack);
    }
    sampled->functions.path = sampled->functions.frames = TP_VEC(arena, uint32_t);
    add_samples(sampled, &threads, &processes, arena);
    if (!sampled->view.is_present) {
        sampled->processes = processes.data;
        sampled->process_count = (uint32_t)processes.count;
    }
    order_threads(sampled, &threads, arena);
}

struct tp_sampled_span tp_sampled_span(const struct tp_sampled *sampled)
{
    struct tp_sampled_span span = {INT64_MAX, INT64_MIN, 0};
    int64_t sum_ns = 0;
    for (uint32_t i = 0; i < sampled->thread_count; i++) {
        widen_range(&span.begin_ns, &span.end_ns, sampled->threads[i].begin_ns);
        widen_range(&span.begin_ns, &span.end_ns, sampled->threads[i].end_ns);
    }
    for (uint32_t i = 0; i < sampled->trace->sample_count; i++)
        sum_ns = tp_sat_add(sum_ns, tp_sampled_time_of_sample(sampled, i));
    if (sampled->trace->sample_count && !sampled->trace->input.has_untimed_samples)
        span.mean_ns = sum_ns / (int64_t)sampled->trace->sample_count;
    if (!sampled->thread_count)
        span.begin_ns = span.end_ns = 0;
    return span;
}

static int compare_by_thread_and_time(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_sampled *sampled = context;
    uint32_t a = sampled->thread_by_sample[x], b = sampled->thread_by_sample[y];
    int64_t at = sampled->trace->samples[x].ts_ns, other = sampled->trace->samples[y].ts_ns;
    if (a != b)
        return a < b ? -1 : 1;
    return at != other ? (at < other ? -1 : 1) : x < y ? -1 : x > y;
}

uint32_t *tp_sampled_sort_by_thread(const struct tp_sampled *sampled, uint32_t **order, struct tp_arena *arena)
{
    uint32_t count = sampled->trace->sample_count;
    uint32_t *first = tp_arena_array(arena, (size_t)sampled->thread_count + 1, sizeof *first);
    *order = tp_arena_array(arena, (size_t)count + 1, sizeof **order);
    for (uint32_t i = 0; i < count; i++) {
        (*order)[i] = i;
        first[sampled->thread_by_sample[i] + 1]++;
    }
    for (uint32_t t = 0; t < sampled->thread_count; t++)
        first[t + 1] += first[t];
    tp_sort_rows(*order, count, compare_by_thread_and_time, sampled, arena);
    return first;
}
