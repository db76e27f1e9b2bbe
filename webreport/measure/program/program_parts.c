/* Splits the wall time of a process tree into parts. See program_parts.h. */
#include "webreport/measure/program/program_parts.h"

#include "webreport/model/tree_threads.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

const char *tp_wall_part_text(unsigned part)
{
    return part == TP_WALL_RUNNING ? "running"
           : part == TP_WALL_READY ? "ready"
                                   : tp_wait_cause_text((enum tp_wait_cause)(part - TP_WALL_WAITS));
}

unsigned tp_wall_part_of_slice(const struct tp_thread_slice *piece)
{
    return piece->state == TP_STATE_RUNNING ? TP_WALL_RUNNING
           : piece->state == TP_STATE_READY ? TP_WALL_READY
                                            : TP_WALL_WAITS + (unsigned)piece->cause;
}

static bool are_threads_idle(const uint32_t live[TP_WALL_COUNT])
{
    static const uint8_t busy[] = {TP_WALL_RUNNING,
                                   TP_WALL_READY,
                                   TP_WALL_WAITS + TP_WAIT_DISK,
                                   TP_WALL_WAITS + TP_WAIT_PAGE_FAULT,
                                   TP_WALL_WAITS + TP_WAIT_SOCKET,
                                   TP_WALL_WAITS + TP_WAIT_TERMINAL,
                                   TP_WALL_WAITS + TP_WAIT_SLEEP,
                                   TP_WALL_WAITS + TP_WAIT_KERNEL_LOCK,
                                   TP_WALL_WAITS + TP_WAIT_FILE,
                                   TP_WALL_WAITS + TP_WAIT_PIPE};
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++)
        if (live[busy[i]])
            return false;
    return live[TP_WALL_WAITS + TP_WAIT_POLL] || live[TP_WALL_WAITS + TP_WAIT_SIGNAL];
}

/* Returns the part to which an interval belongs, from the number of threads in each state. Returns TP_WALL_COUNT if no
 * thread lives. is_idle_now: the tree only waits for events or signals, so the function ignores waits of idle workers
 * for locks. */
static unsigned part_of_states(const uint32_t live[TP_WALL_COUNT], bool is_idle_now)
{
    unsigned part = is_idle_now ? TP_WALL_WAITS + TP_WAIT_POLL : 0;
    while (part < TP_WALL_COUNT && !live[part])
        part++;
    return part;
}

void tp_wall_parts_build(struct tp_wall_parts *parts, const struct tp_process_tree *tree, struct tp_arena *arena)
{
    size_t count = (size_t)tree->slice_count * 2;
    /* item: 2 * interval index for the start of an interval, 2 * interval index + 1 for its end */
    struct tp_keyed *borders = tp_arena_array(arena, count + 1, sizeof *borders);
    uint32_t live[TP_WALL_COUNT] = {0};
    *parts = (struct tp_wall_parts){0};
    for (uint32_t i = 0; i < tree->slice_count; i++) {
        borders[2 * i] = (struct tp_keyed){tree->slices[i].begin_ns, 2 * i, 2 * i};
        borders[2 * i + 1] = (struct tp_keyed){tree->slices[i].end_ns, 2 * i + 1, 2 * i + 1};
    }
    tp_sort_keyed(borders, count, arena);
    for (size_t i = 0; i < count; i++) {
        bool is_idle_now = are_threads_idle(live);
        unsigned part = part_of_states(live, is_idle_now);
        int64_t length = i ? tp_sat_sub(borders[i].key, borders[i - 1].key) : 0;
        if (part < TP_WALL_COUNT && length) {
            parts->part_ns[part] = tp_sat_add(parts->part_ns[part], length);
            parts->wall_ns = tp_sat_add(parts->wall_ns, length);
            parts->idle_ns = tp_sat_add(parts->idle_ns, is_idle_now ? length : 0);
            parts->busy_ns = tp_sat_add(parts->busy_ns, tp_sat_mul(length, live[TP_WALL_RUNNING]));
        }
        part = tp_wall_part_of_slice(&tree->slices[borders[i].item / 2]);
        live[part] += borders[i].item % 2 ? UINT32_MAX : 1;
    }
    tp_arena_free_item(arena, borders, (count + 1) * sizeof *borders);
}

double tp_wall_part_percent(const struct tp_wall_parts *parts, unsigned part)
{
    return tp_percent(parts->part_ns[part], parts->wall_ns);
}

unsigned tp_wall_parts_sort(const struct tp_wall_parts *parts, unsigned order[TP_WALL_COUNT])
{
    unsigned count = 0;
    for (unsigned part = 0; part < TP_WALL_COUNT; part++) {
        unsigned at = count;
        if (!parts->part_ns[part])
            continue;
        for (; at && parts->part_ns[order[at - 1]] < parts->part_ns[part]; at--)
            order[at] = order[at - 1];
        order[at] = part;
        count++;
    }
    return count;
}
