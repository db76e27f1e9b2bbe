/* Finds the processes in a trace of `record --outside`: see tree_processes.h. */
#include "webreport/model/tree_processes.h"

#include "writer/base/keys.h"
#include "writer/base/rule_sort.h"
#include "writer/base/saturate.h"

static bool comes_before_by_pid(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_tree_process *p = context, *a = &p[x], *b = &p[y];
    return a->pid != b->pid ? a->pid < b->pid : a->begin_ns != b->begin_ns ? a->begin_ns < b->begin_ns : x < y;
}

static bool comes_before_by_time(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_tree_process *p = context;
    return p[x].begin_ns != p[y].begin_ns ? p[x].begin_ns < p[y].begin_ns : x < y;
}

static uint32_t *sort_processes(const struct tp_tree_process *processes, uint32_t count, tp_comes_before *comes_before,
                                struct tp_arena *arena)
{
    uint32_t *order = tp_arena_array(arena, count + 1, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    tp_sort_by_rule(order, count, arena, processes, comes_before);
    return order;
}

/* ---- list of processes ---- */

static struct tp_vec list_recorded_processes(const struct tp_trace *trace, struct tp_arena *arena)
{
    struct tp_vec processes = TP_VEC(arena, struct tp_tree_process);
    for (uint32_t i = 0; i < trace->recorded_process_count; i++) {
        const struct tp_recorded_process *seen = &trace->recorded_processes[i];
        *(struct tp_tree_process *)tp_vec_push(&processes) =
            (struct tp_tree_process){.seen = seen,
                                     .pid = tp_row_pid(trace, seen->thread),
                                     .begin_ns = seen->ts_ns,
                                     .end_ns = tp_sat_add(seen->ts_ns, seen->dur_ns)};
    }
    return processes;
}

/* Adds a process for each pid that has states or samples but no process record. Its states and samples determine the
 * times of the process. */
static void add_unrecorded_processes(struct tp_vec *processes, const struct tp_process_tree *seen,
                                     const uint8_t *has_any, struct tp_arena *arena)
{
    struct tp_keys pids;
    tp_keys_init(&pids, arena, 2);
    for (uint32_t row = 0; row < seen->trace->thread_count; row++) {
        int64_t pid = tp_row_pid(seen->trace, row);
        if (!has_any[row] || tp_process_index_at(seen, pid, 0) != TP_NO_ID)
            continue;
        uint32_t known = tp_keys_count(&pids);
        if (tp_keys_pair(&pids, (uint32_t)pid, (uint32_t)((uint64_t)pid >> 32)) == known)
            *(struct tp_tree_process *)tp_vec_push(processes) =
                (struct tp_tree_process){.pid = pid, .begin_ns = INT64_MAX, .end_ns = INT64_MIN + 1};
    }
    tp_keys_release(&pids);
}

static void widen_process_times(struct tp_process_tree *tree, uint32_t row, int64_t begin_ns, int64_t end_ns)
{
    struct tp_tree_process *process = &tree->processes[tp_process_of_row_at(tree, row, begin_ns)];
    if (process->seen)
        return;
    process->begin_ns = begin_ns < process->begin_ns ? begin_ns : process->begin_ns;
    process->end_ns = end_ns > process->end_ns ? end_ns : process->end_ns;
}

static void list_processes(struct tp_process_tree *tree, struct tp_arena *arena)
{
    const struct tp_trace *trace = tree->trace;
    uint8_t *has_any = tp_arena_alloc(arena, trace->thread_count + 1);
    struct tp_vec processes = list_recorded_processes(trace, arena);
    tree->processes = processes.data;
    tree->process_count = (uint32_t)processes.count;
    tree->by_pid = sort_processes(tree->processes, tree->process_count, comes_before_by_pid, arena);
    for (uint32_t i = 0; i < trace->state_count; i++)
        has_any[trace->states[i].thread] = true;
    for (uint32_t i = 0; i < trace->sample_count; i++)
        has_any[trace->samples[i].thread] = true;
    add_unrecorded_processes(&processes, tree, has_any, arena);
    if (processes.count == tree->process_count)
        return;
    tree->processes = processes.data;
    tree->process_count = (uint32_t)processes.count;
    tree->by_pid = sort_processes(tree->processes, tree->process_count, comes_before_by_pid, arena);
    for (uint32_t i = 0; i < trace->state_count; i++) {
        const struct tp_state *state = &trace->states[i];
        widen_process_times(tree, state->thread, state->ts_ns, tp_sat_add(state->ts_ns, state->dur_ns));
    }
    for (uint32_t i = 0; i < trace->sample_count; i++)
        widen_process_times(tree, trace->samples[i].thread, trace->samples[i].ts_ns, trace->samples[i].ts_ns);
}

/* ---- parents of processes ---- */

/* Returns the parent of a process: the last process with the parent's pid that started before the process. Returns
 * TP_NO_ID if there is no such process. */
static uint32_t find_parent(const struct tp_process_tree *tree, uint32_t index)
{
    const struct tp_tree_process *process = &tree->processes[index];
    if (!process->seen || process->seen->parent_pid == TP_NULL_INT || process->seen->parent_pid < 0)
        return TP_NO_ID;
    int64_t pid = process->seen->parent_pid;
    uint32_t low = 0, high = tree->process_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, other = tree->by_pid[middle];
        if (tree->processes[other].pid < pid ||
            (tree->processes[other].pid == pid && comes_before_by_time(tree->processes, other, index)))
            low = middle + 1;
        else
            high = middle;
    }
    return low && tree->processes[tree->by_pid[low - 1]].pid == pid ? tree->by_pid[low - 1] : TP_NO_ID;
}

/* Linked lists of the children of each process, in order of time. The list at index process_count contains the
 * processes without a parent. */
struct children {
    uint32_t *first, *next;
};

static struct children link_children(const struct tp_process_tree *tree, const uint32_t *by_time,
                                     const uint32_t *parents, struct tp_arena *arena)
{
    uint32_t count = tree->process_count;
    struct children children = {tp_arena_array(arena, count + 1, sizeof(uint32_t)),
                                tp_arena_array(arena, count + 1, sizeof(uint32_t))};
    memset(children.first, 0xFF, (count + 1) * sizeof(uint32_t)); /* sets all entries to TP_NO_ID */
    for (uint32_t i = count; i-- > 0;) {
        uint32_t child = by_time[i], parent = parents[child] == TP_NO_ID ? count : parents[child];
        children.next[child] = children.first[parent];
        children.first[parent] = child;
    }
    return children;
}

/* Sorts the processes so that parents come before their children, and children are in order of time. */
static void sort_processes_into_tree(struct tp_process_tree *tree, struct tp_arena *arena)
{
    uint32_t count = tree->process_count, placed = 0;
    const uint32_t *by_time = sort_processes(tree->processes, count, comes_before_by_time, arena);
    uint32_t *parents = tp_arena_array(arena, count + 1, sizeof *parents);
    /* for each old index: new index of the process */
    uint32_t *place = tp_arena_array(arena, count + 1, sizeof *place);
    struct tp_tree_process *ordered = tp_arena_array(arena, count + 1, sizeof *ordered);
    for (uint32_t i = 0; i < count; i++)
        parents[i] = find_parent(tree, i);
    struct children children = link_children(tree, by_time, parents, arena);
    struct tp_vec pending = TP_VEC(arena, uint32_t);
    *(uint32_t *)tp_vec_push(&pending) = children.first[count];
    while (
        pending
            .count) { /* `pending` contains, for each level of the tree, the unvisited part of one list of children */
        uint32_t *rest = TP_AT(&pending, uint32_t, pending.count - 1), at = *rest;
        if (at == TP_NO_ID) {
            pending.count--;
            continue;
        }
        *rest = children.next[at];
        ordered[placed] = tree->processes[at];
        ordered[placed].parent = parents[at] == TP_NO_ID ? TP_NO_ID : place[parents[at]];
        ordered[placed].depth = (uint32_t)pending.count - 1;
        ordered[placed].peak_bytes = ordered[placed].seen ? ordered[placed].seen->peak_bytes : TP_NULL_INT;
        place[at] = placed++;
        *(uint32_t *)tp_vec_push(&pending) = children.first[at];
    }
    for (uint32_t i = 0; i < count; i++) {
        tree->by_pid[i] = place[tree->by_pid[i]];
        if (ordered[i].parent != TP_NO_ID)
            ordered[ordered[i].parent].child_count++;
    }
    tree->processes = ordered;
}

void tp_tree_processes_build(struct tp_process_tree *tree, const struct tp_trace *trace, struct tp_arena *arena)
{
    tree->trace = trace;
    list_processes(tree, arena);
    sort_processes_into_tree(tree, arena);
}
