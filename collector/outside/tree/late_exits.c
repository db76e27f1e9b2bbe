/* Waits for late exit statuses: see late_exits.h. */
#include "collector/outside/tree/late_exits.h"

struct late_end {
    uint32_t process;
    int64_t until_ns;
};

void tp_late_exits_init(struct tp_late_exits *ends, struct tp_arena *arena)
{
    *ends = (struct tp_late_exits){.items = TP_VEC(arena, struct late_end)};
}

void tp_late_exits_add(struct tp_late_exits *ends, uint32_t process, int64_t until_ns)
{
    *(struct late_end *)tp_vec_push(&ends->items) = (struct late_end){process, until_ns};
}

void tp_late_exits_check(struct tp_late_exits *ends, struct tp_outside_tree *tree, struct tp_exit_codes *codes,
                         int64_t now_ns)
{
    struct late_end *items = ends->items.data;
    size_t kept = 0;
    for (size_t i = 0; i < ends->items.count; i++) {
        struct tp_outside_process *process = tp_outside_process_at(tree, items[i].process);
        bool keeps_asking = now_ns < items[i].until_ns;
        process->has_status = tp_exit_codes_find_status(codes, process->pid, keeps_asking, &process->status);
        if (!process->has_status && keeps_asking)
            items[kept++] = items[i];
        else
            ends->missed += !process->has_status;
    }
    ends->items.count = kept;
}
