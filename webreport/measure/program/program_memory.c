/* Adds up the resident memory of a program's processes over time. See program_memory.h. */
#include "webreport/measure/program/program_memory.h"

#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* Returns the memory readings and the exits of processes, sorted by time. An item below process_memory_count is the
 * index of a reading; any other item is process_memory_count + index of a process. */
static struct tp_keyed *sort_changes(const struct tp_process_tree *tree, size_t *count, struct tp_arena *arena)
{
    const struct tp_trace *trace = tree->trace;
    struct tp_keyed *changes =
        tp_arena_array(arena, (size_t)trace->process_memory_count + tree->process_count + 1, sizeof *changes);
    uint32_t at = 0;
    for (; at < trace->process_memory_count; at++)
        changes[at] = (struct tp_keyed){trace->process_memory[at].ts_ns, at, at};
    for (uint32_t i = 0; i < tree->process_count; i++, at++)
        changes[at] = (struct tp_keyed){tree->processes[i].end_ns, at, at};
    tp_sort_keyed(changes, at, arena);
    *count = at;
    return changes;
}

static void add_point_to_curve(struct tp_memory_sums *sums, int64_t at_ns, int64_t bytes, int64_t stretch_ns)
{
    size_t last = sums->count - 1;
    sums->peak_bytes = bytes > sums->peak_bytes ? bytes : sums->peak_bytes;
    if (sums->count && at_ns - sums->times[last] < stretch_ns) {
        sums->bytes[last] = bytes > sums->bytes[last] ? bytes : sums->bytes[last];
        return;
    }
    sums->times[sums->count] = at_ns;
    sums->bytes[sums->count++] = bytes;
}

void tp_program_memory_sums(struct tp_memory_sums *sums, const struct tp_process_tree *tree, size_t max_points,
                            struct tp_arena *arena)
{
    const struct tp_trace *trace = tree->trace;
    size_t count;
    const struct tp_keyed *changes = sort_changes(tree, &count, arena);
    int64_t *had = tp_arena_array(arena, tree->process_count + 1, sizeof *had), sum = 0;
    int64_t stretch_ns = (tree->end_ns - tree->begin_ns) / (int64_t)max_points + 1;
    *sums = (struct tp_memory_sums){tp_arena_array(arena, count + 1, sizeof(int64_t)),
                                    tp_arena_array(arena, count + 1, sizeof(int64_t)), 0, TP_NULL_INT};
    for (size_t i = 0; i < count; i++) {
        uint32_t item = changes[i].item;
        bool is_look = item < trace->process_memory_count;
        uint32_t process = is_look ? tp_process_of_row_at(tree, trace->process_memory[item].thread, changes[i].key)
                                   : item - trace->process_memory_count;
        int64_t bytes = is_look ? trace->process_memory[item].bytes : 0;
        if (process == TP_NO_ID || (!is_look && !had[process]))
            continue;
        sum = tp_sat_add(tp_sat_sub(sum, had[process]), bytes);
        had[process] = bytes;
        if (i + 1 == count || changes[i + 1].key != changes[i].key)
            add_point_to_curve(sums, changes[i].key, sum, stretch_ns);
    }
}
