/* Reads memory and I/O of processes: see usage_polls.h. */
#include "collector/outside/tree/usage_polls.h"

enum { MOST_POLLED_PROCESSES = 64 }; /* maximum number of processes that one poll reads, to limit its time */

void tp_usage_polls_init(struct tp_usage_polls *usage, struct tp_arena *arena)
{
    *usage = (struct tp_usage_polls){.looks = TP_VEC(arena, struct tp_usage_poll), .alive = TP_VEC(arena, uint32_t)};
}

static void poll_process(struct tp_usage_polls *usage, struct tp_outside_tree *tree, struct tp_buf *text,
                         uint32_t number)
{
    struct tp_outside_process *process = tp_outside_process_at(tree, number);
    struct tp_proc_usage now = process->usage;
    now.resident_bytes = 0;
    if (!tp_proc_read_usage(&now, process->pid, text))
        return;
    if (now.resident_bytes)
        *(struct tp_usage_poll *)tp_vec_push(&usage->looks) =
            (struct tp_usage_poll){usage->time_ns, number, now.resident_bytes};
    int64_t peak = process->usage.resident_bytes;
    process->usage = now;
    process->usage.resident_bytes = peak > now.resident_bytes ? peak : now.resident_bytes;
    process->has_usage = true;
}

static void list_living_processes(struct tp_usage_polls *usage, const struct tp_outside_tree *tree)
{
    uint32_t *alive = usage->alive.data;
    size_t kept = 0;
    for (size_t i = 0; i < usage->alive.count; i++)
        if (!tp_outside_process_at(tree, alive[i])->is_over)
            alive[kept++] = alive[i];
    usage->alive.count = kept;
    for (; usage->known_processes < tree->processes.count; usage->known_processes++)
        if (!tp_outside_process_at(tree, usage->known_processes)->is_over)
            *(uint32_t *)tp_vec_push(&usage->alive) = usage->known_processes;
}

void tp_usage_polls_read(struct tp_usage_polls *usage, struct tp_outside_tree *tree, struct tp_buf *text,
                         int64_t time_ns)
{
    usage->time_ns = time_ns;
    list_living_processes(usage, tree);
    for (size_t i = 0, looks = 0; looks < MOST_POLLED_PROCESSES && i < usage->alive.count;
         i++, usage->next_polled_index++) {
        uint32_t number = *TP_AT(&usage->alive, uint32_t, usage->next_polled_index % usage->alive.count);
        if (!tp_outside_process_at(tree, number)->has_run)
            continue; /* a process that did not run has no new values */
        tp_outside_process_at(tree, number)->has_run = false;
        poll_process(usage, tree, text, number);
        looks++;
    }
}
