/* Tracks the processes in a recording of whole CPUs: see watched_processes.h. */
#include "collector/outside/tree/watched_processes.h"

#include <stdlib.h>

#include "collector/outside/events/perf_record.h"

struct item {
    int64_t since_ns;
    bool is_ours; /* true if the process is recorded; false if the id now belongs to a process that is not recorded */
};

struct fork {
    int64_t time_ns;
    uint32_t parent, child;
};

void tp_watched_processes_init(struct tp_watched_processes *watched, struct tp_arena *arena)
{
    tp_id_map_init(&watched->numbers, arena);
    watched->items = TP_VEC(arena, struct item);
    watched->forks = TP_VEC(arena, struct fork);
}

static struct item *find_process(const struct tp_watched_processes *watched, uint32_t pid)
{
    const uint32_t *number = tp_id_map_find(&watched->numbers, pid);
    return number ? TP_AT(&watched->items, struct item, *number) : NULL;
}

void tp_watched_processes_add(struct tp_watched_processes *watched, uint32_t pid, int64_t time_ns)
{
    struct item *item = find_process(watched, pid);
    if (!item) {
        *tp_id_map_find_or_add(&watched->numbers, pid) = (uint32_t)watched->items.count;
        item = tp_vec_push(&watched->items);
    }
    *item = (struct item){time_ns, true};
}

bool tp_watched_processes_has(const struct tp_watched_processes *watched, uint32_t pid)
{
    const struct item *item = find_process(watched, pid);
    return item && item->is_ours;
}

void tp_watched_processes_store_fork(void *context, const struct perf_event_header *head)
{
    struct tp_watched_processes *watched = context;
    struct tp_perf_record r;
    if (tp_perf_record_read(&r, head) && r.type == PERF_RECORD_FORK && r.pid != r.parent_pid)
        *(struct fork *)tp_vec_push(&watched->forks) = (struct fork){(int64_t)r.time_ns, r.parent_pid, r.pid};
}

static int compare_by_time(const void *x, const void *y)
{
    const struct fork *a = x, *b = y;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return a->child < b->child ? -1 : a->child > b->child;
}

void tp_watched_processes_add_forks(struct tp_watched_processes *watched)
{
    const struct fork *forks = watched->forks.data;
    if (watched->forks.count > 1)
        qsort(watched->forks.data, watched->forks.count, sizeof *forks, compare_by_time);
    for (size_t i = 0; i < watched->forks.count; i++) {
        struct item *child = find_process(watched, forks[i].child);
        if (tp_watched_processes_has(watched, forks[i].parent))
            tp_watched_processes_add(watched, forks[i].child, forks[i].time_ns);
        else if (child && forks[i].time_ns > child->since_ns)
            child->is_ours = false;
    }
    watched->forks.count = 0;
}
