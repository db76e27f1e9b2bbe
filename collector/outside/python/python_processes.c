/* Tracks the processes that run Python: see python_processes.h. */
#include "collector/outside/python/python_processes.h"

#include "writer/base/str.h"

void tp_python_processes_init(struct tp_python_processes *processes, struct tp_arena *arena)
{
    *processes = (struct tp_python_processes){.items = TP_VEC(arena, struct tp_python_process)};
    tp_id_map_init(&processes->ids, arena);
}

static struct tp_python_process *find_process(const struct tp_python_processes *processes, uint32_t pid)
{
    const uint32_t *number = tp_id_map_find(&processes->ids, pid);
    return number ? TP_AT(&processes->items, struct tp_python_process, *number) : NULL;
}

static struct tp_python_process *find_or_add_process(struct tp_python_processes *processes, uint32_t pid)
{
    uint32_t *number = tp_id_map_find_or_add(&processes->ids, pid);
    if (*number == TP_NO_ID) {
        *number = (uint32_t)processes->items.count;
        struct tp_python_process *process = tp_vec_push(&processes->items);
        *process = (struct tp_python_process){.pid = pid, .begun_ns = INT64_MIN, .last_fork_ns = INT64_MIN};
    }
    return TP_AT(&processes->items, struct tp_python_process, *number);
}

/* Chooses the interpreter that a process runs: the first one mapped since the process last started a program. */
static void choose_interpreter(struct tp_python_processes *processes, struct tp_python_process *process)
{
    struct tp_python_mapping now = process->mapping_count ? process->mappings[0] : (struct tp_python_mapping){0};
    processes->living_count += (now.address != 0) - (process->now.address != 0);
    if (now.address != process->now.address || now.since_ns != process->now.since_ns) {
        process->layout = (struct tp_python_layout){0};
        process->is_python_unreadable = false;
    }
    process->now = now;
}

static void insert_mapping_by_time(struct tp_python_process *process, struct tp_python_mapping mapping)
{
    unsigned at = process->mapping_count;
    if (mapping.since_ns < process->begun_ns || at == TP_PYTHON_MAPPINGS)
        return;
    for (; at && process->mappings[at - 1].since_ns > mapping.since_ns; at--)
        process->mappings[at] = process->mappings[at - 1];
    process->mappings[at] = mapping;
    process->mapping_count++;
}

/* Stores the time of a fork, exec or exit, and drops earlier mappings. */
static void begin_program(struct tp_python_process *process, int64_t time_ns)
{
    unsigned gone = 0;
    if (time_ns > process->begun_ns)
        process->begun_ns = time_ns;
    while (gone < process->mapping_count && process->mappings[gone].since_ns < process->begun_ns)
        gone++;
    process->mapping_count -= gone;
    for (unsigned i = 0; i < process->mapping_count; i++)
        process->mappings[i] = process->mappings[i + gone];
}

void tp_python_processes_add_mapping(struct tp_python_processes *processes, uint32_t pid,
                                     struct tp_python_mapping mapping)
{
    struct tp_python_process *process = find_or_add_process(processes, pid);
    insert_mapping_by_time(process, mapping);
    choose_interpreter(processes, process);
}

/* Gives a child the interpreter that its parent ran at the time of the fork. */
static void inherit_interpreter(struct tp_python_processes *processes, struct tp_python_process *child)
{
    const struct tp_python_process *parent = find_process(processes, child->parent);
    if (!parent || child->begun_ns != child->last_fork_ns || !parent->now.address ||
        parent->now.since_ns > child->last_fork_ns)
        return;
    struct tp_python_mapping mapping = parent->now;
    mapping.since_ns = child->last_fork_ns;
    insert_mapping_by_time(child, mapping);
    choose_interpreter(processes, child);
}

void tp_python_processes_add_fork(struct tp_python_processes *processes, uint32_t pid, uint32_t parent, int64_t time_ns)
{
    struct tp_python_process *child = find_or_add_process(processes, pid);
    begin_program(child, time_ns);
    child->parent = parent;
    child->last_fork_ns = time_ns;
    choose_interpreter(processes, child);
    inherit_interpreter(processes, child);
}

void tp_python_processes_end_process(struct tp_python_processes *processes, uint32_t pid, int64_t time_ns)
{
    struct tp_python_process *process = find_or_add_process(processes, pid);
    begin_program(process, time_ns);
    choose_interpreter(processes, process);
}

struct tp_python_process *tp_python_processes_find(struct tp_python_processes *processes, uint32_t pid)
{
    struct tp_python_process *process = find_process(processes, pid);
    if (process && !process->now.address)
        inherit_interpreter(processes, process); /* tried again at each search, because the record of the parent's
                                                  * mapping can arrive after the record of the fork */
    return process && process->now.address ? process : NULL;
}
