/* Fills the step slots of a simulated rank from its calls with other ranks. See plan.h. */
#include <stdio.h>

#include "tests/job/plan.h"
#include "writer/base/limits.h"

static const char *const names[] = {"tensor", "data", "world"}, *const described[] = {"tp", "dp", "default_pg"};

/* Returns the ranks of the group, which are equally spaced. */
static struct tp_rank_stride ranks_in_group(const struct plan *plan, enum plan_kind kind, uint32_t group)
{
    uint32_t data = plan->ranks / plan->tensor / plan->pipeline;
    if (kind == PLAN_TENSOR)
        return (struct tp_rank_stride){(int64_t)group * plan->tensor, 1, plan->tensor};
    if (kind == PLAN_DATA)
        return (struct tp_rank_stride){(int64_t)(group / plan->tensor) * data * plan->tensor + group % plan->tensor,
                                       plan->tensor, data};
    return (struct tp_rank_stride){0, 1, plan->ranks};
}

static void add_group_of_rank(const struct plan *plan, struct tp_step_slots *slots, struct tp_slot_group group,
                              struct tp_rank_stride run, struct tp_arena *arena)
{
    group.size = run.length;
    if (plan->fault >= PLAN_EVEN) {
        group.runs = tp_arena_array(arena, 1, sizeof *group.runs);
        *group.runs = run;
        group.run_count = 1;
    }
    slots->groups[slots->group_count++] = group;
}

static void add_groups(const struct plan *plan, uint32_t rank, struct tp_step_slots *slots, uint32_t *group_of,
                       struct tp_arena *arena)
{
    uint32_t stage_size = plan->ranks / plan->pipeline;
    slots->groups = tp_arena_array(arena, 4, sizeof *slots->groups);
    for (enum plan_kind kind = PLAN_TENSOR; kind <= PLAN_WORLD; kind++) {
        char name[32];
        uint32_t group = plan_rank_group(plan, kind, rank);
        int size = snprintf(name, sizeof name, "%s %u", names[kind], group);
        group_of[kind] = slots->group_count;
        if (plan_group_size(plan, kind) < 2)
            continue;
        add_group_of_rank(
            plan, slots,
            (struct tp_slot_group){.name = {tp_arena_copy(arena, name, (size_t)size), (size_t)size},
                                   .description = plan->fault >= PLAN_EVEN ? tp_str_of(described[kind]) : TP_STR("")},
            ranks_in_group(plan, kind, group), arena);
    }
    if (plan->fault >= PLAN_EVEN && plan->pipeline > 1)
        add_group_of_rank(plan, slots, (struct tp_slot_group){.name = TP_STR(""), .description = TP_STR("pp")},
                          (struct tp_rank_stride){rank % stage_size, stage_size, plan->pipeline}, arena);
}

/* Fills one step: for each call the work before it and the time in it. Calls of groups with one rank are omitted. */
static void fill_step(const struct plan *plan, uint32_t rank, struct tp_step_slots *slots, uint32_t step)
{
    size_t at = (size_t)rank * plan->steps + step, first = (size_t)rank * plan->calls + (size_t)step * PLAN_CALLS;
    int64_t kernel = 0, end = plan->step_start[at];
    uint32_t slot = 0;
    for (uint32_t c = 0; c < PLAN_CALLS; c++) {
        int64_t arrival = plan->arrival_ns[first + c];
        kernel += c < PLAN_SEGMENTS ? plan->compute_ns[at] / PLAN_SEGMENTS : 0;
        if (plan_group_size(plan, plan_call_kind(c)) < 2)
            continue;
        size_t cell = tp_slot_cell(slots, slot, step);
        int64_t input = slot ? 0 : plan->data_ns[at];
        slots->us[TP_SLOT_KERNEL][cell] = kernel / 1000;
        slots->us[TP_SLOT_INPUT][cell] = input / 1000;
        slots->us[TP_SLOT_PAUSE][cell] = (arrival - end) / 1000 - kernel / 1000 - input / 1000;
        if (slots->us[TP_SLOT_PAUSE][cell] < 0)
            slots->us[TP_SLOT_PAUSE][cell] = 0;
        end = plan->end_ns[first + c];
        slots->us[TP_SLOT_WITHIN][cell] = (end - arrival) / 1000;
        kernel = 0;
        slot++;
    }
}

void plan_slots(const struct plan *plan, uint32_t rank, struct tp_step_slots *slots, struct tp_arena *arena)
{
    uint32_t group_of[PLAN_WORLD + 1], most = TP_MAX_SLOT_CELLS / (PLAN_CALLS + 1);
    char host[32];
    int size = snprintf(host, sizeof host, "node%u", rank / PLAN_HOST_RANKS);
    *slots = (struct tp_step_slots){.host = TP_STR("")};
    if (plan->fault >= PLAN_EVEN)
        slots->host = (struct tp_str){tp_arena_copy(arena, host, (size_t)size), (size_t)size};
    if (plan->ranks < 2)
        return;
    add_groups(plan, rank, slots, group_of, arena);
    slots->slots = tp_arena_array(arena, PLAN_CALLS + 1, sizeof *slots->slots);
    for (uint32_t c = 0; c < PLAN_CALLS; c++) { /* all calls are all-reduces */
        double n = plan_group_size(plan, plan_call_kind(c)), moved = (double)plan_call_bytes(c) * 2 * (n - 1) / n;
        if (n >= 2)
            slots->slots[slots->slot_count++] =
                (struct tp_slot){group_of[plan_call_kind(c)], 1, 1, 0, true, (int64_t)moved};
    }
    slots->slots[slots->slot_count++] = (struct tp_slot){TP_NO_ID, 0, 1, 0, true, 0};
    slots->step_count = plan->steps < most ? plan->steps : most;
    slots->steps = tp_arena_array(arena, slots->step_count, sizeof *slots->steps);
    for (unsigned p = 0; p < TP_SLOT_PARTS; p++)
        slots->us[p] = tp_arena_array(arena, (size_t)slots->slot_count * slots->step_count, sizeof(int64_t));
    for (uint32_t s = 0; s < slots->step_count; s++) {
        slots->steps[s] = s;
        fill_step(plan, rank, slots, s);
    }
}
