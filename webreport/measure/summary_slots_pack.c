/* Step slots to the columns of a summary's file and back: see summary_slots.h. */
#include "webreport/measure/summary_slots.h"
#include "webreport/measure/summary_columns.h"

#include "writer/base/limits.h"
#include "writer/proto/summary.pb-c.h"

#define COLUMN(field, count) TP_COLUMN_OF(to, arena, field, count)

static void pack_groups(Tp__SummaryProcess *to, const struct tp_step_slots *from, struct tp_strings *texts,
                        struct tp_arena *arena)
{
    size_t runs = 0;
    for (uint32_t g = 0; g < from->group_count; g++)
        runs += from->groups[g].run_count;
    COLUMN(group_name, from->group_count);
    COLUMN(group_description, from->group_count);
    COLUMN(group_size, from->group_count);
    COLUMN(group_runs, from->group_count);
    COLUMN(run_first, runs);
    COLUMN(run_stride, runs);
    COLUMN(run_length, runs);
    runs = 0;
    for (uint32_t g = 0; g < from->group_count; g++) {
        const struct tp_slot_group *group = &from->groups[g];
        to->group_name[g] = tp_column_text(texts, group->name);
        to->group_description[g] = tp_column_text(texts, group->description);
        to->group_size[g] = group->size;
        to->group_runs[g] = group->run_count;
        for (uint32_t i = 0; i < group->run_count; i++, runs++) {
            to->run_first[runs] = group->runs[i].first;
            to->run_stride[runs] = group->runs[i].stride;
            to->run_length[runs] = group->runs[i].length;
        }
    }
}

/* Differences to the first step are small numbers; they wrap around, and adding them up again does, too. */
static void pack_lengths(int64_t *to, const struct tp_step_slots *from, enum tp_slot_part part)
{
    for (uint32_t k = 0; k < from->slot_count; k++)
        for (uint32_t s = 0; s < from->step_count; s++) {
            uint64_t first = s ? (uint64_t)from->us[part][tp_slot_cell(from, k, 0)] : 0;
            to[tp_slot_cell(from, k, s)] = (int64_t)((uint64_t)from->us[part][tp_slot_cell(from, k, s)] - first);
        }
}

void tp_slots_pack(Tp__SummaryProcess *to, const struct tp_step_slots *from, struct tp_strings *texts,
                   struct tp_arena *arena)
{
    size_t cells = (size_t)from->slot_count * from->step_count;
    to->host = tp_column_text(texts, from->host);
    pack_groups(to, from, texts, arena);
    COLUMN(slot_group, from->slot_count);
    COLUMN(slot_calls, from->slot_count);
    for (uint32_t k = 0; k < from->slot_count; k++) {
        to->slot_group[k] = from->slots[k].group + 1; /* TP_NO_ID becomes 0 */
        to->slot_calls[k] = from->slots[k].calls;
    }
    COLUMN(slot_step, from->step_count);
    for (uint32_t s = 0; s < from->step_count; s++)
        to->slot_step[s] = from->steps[s] - (s ? from->steps[s - 1] : 0);
    COLUMN(slot_kernel_us, cells);
    COLUMN(slot_pause_us, cells);
    COLUMN(slot_input_us, cells);
    COLUMN(slot_within_us, cells);
    pack_lengths(to->slot_kernel_us, from, TP_SLOT_KERNEL);
    pack_lengths(to->slot_pause_us, from, TP_SLOT_PAUSE);
    pack_lengths(to->slot_input_us, from, TP_SLOT_INPUT);
    pack_lengths(to->slot_within_us, from, TP_SLOT_WITHIN);
}

/* ---- unpacked ---- */

static bool is_rank(int64_t number)
{
    return number >= 0 && number <= TP_MAX_JOB_NUMBER;
}

static void unpack_runs(struct tp_unpack *u, struct tp_rank_stride *runs)
{
    const Tp__SummaryProcess *from = u->from;
    for (size_t i = 0; i < from->n_run_first; i++) {
        runs[i] = (struct tp_rank_stride){from->run_first[i], from->run_stride[i], from->run_length[i]};
        u->is_bad |= !is_rank(runs[i].first) || !is_rank(runs[i].stride) || runs[i].stride == 0 || runs[i].length < 1 ||
                     runs[i].length > TP_MAX_JOB_RANKS;
    }
}

static void unpack_groups(struct tp_unpack *u, struct tp_step_slots *to)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_rank_stride *runs = tp_arena_array(u->arena, from->n_run_first, sizeof *runs);
    uint64_t at = 0;
    unpack_runs(u, runs);
    to->group_count = (uint32_t)from->n_group_name;
    to->groups = tp_arena_array(u->arena, to->group_count, sizeof *to->groups);
    for (uint32_t g = 0; g < to->group_count && !u->is_bad; g++) {
        to->groups[g] = (struct tp_slot_group){tp_unpack_text(u, from->group_name[g]),
                                               tp_unpack_text(u, from->group_description[g]), from->group_size[g],
                                               runs + at, from->group_runs[g]};
        at += from->group_runs[g];
        u->is_bad |= at > from->n_run_first || from->group_runs[g] > TP_MAX_SLOT_RUNS;
    }
    u->is_bad |= at != from->n_run_first || to->group_count > TP_MAX_SLOT_GROUPS;
}

static int64_t *unpack_lengths(struct tp_unpack *u, const struct tp_step_slots *to, const int64_t *from)
{
    int64_t *us = tp_arena_array(u->arena, (size_t)to->slot_count * to->step_count, sizeof *us);
    for (uint32_t k = 0; k < to->slot_count; k++)
        for (uint32_t s = 0; s < to->step_count; s++) {
            size_t cell = tp_slot_cell(to, k, s);
            uint64_t first = s ? (uint64_t)us[tp_slot_cell(to, k, 0)] : 0;
            us[cell] = (int64_t)((uint64_t)from[cell] + first);
            u->is_bad |= us[cell] < 0 || us[cell] > TP_MAX_SLOT_US;
        }
    return us;
}

void tp_slots_unpack(struct tp_unpack *u)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_step_slots *to = &u->to->slots;
    *to = (struct tp_step_slots){.host = tp_unpack_text(u, from->host)};
    unpack_groups(u, to);
    u->is_bad |= from->n_slot_kernel_us != (uint64_t)from->n_slot_group * from->n_slot_step ||
                 from->n_slot_group > TP_MAX_SLOTS || from->n_slot_kernel_us > TP_MAX_SLOT_CELLS;
    if (u->is_bad)
        return;
    to->slot_count = (uint32_t)from->n_slot_group;
    to->step_count = (uint32_t)from->n_slot_step;
    to->slots = tp_arena_array(u->arena, to->slot_count, sizeof *to->slots);
    to->steps = tp_arena_array(u->arena, to->step_count, sizeof *to->steps);
    for (uint32_t k = 0; k < to->slot_count; k++) {
        to->slots[k] = (struct tp_slot){from->slot_group[k] - 1, from->slot_calls[k]}; /* 0 becomes TP_NO_ID */
        u->is_bad |= from->slot_group[k] > to->group_count;
    }
    for (uint32_t s = 0; s < to->step_count; s++) {
        uint64_t step = (uint64_t)from->slot_step[s] + (s ? to->steps[s - 1] : 0);
        u->is_bad |= step >= u->to->step_count || (s && from->slot_step[s] == 0);
        to->steps[s] = (uint32_t)step;
    }
    to->us[TP_SLOT_KERNEL] = unpack_lengths(u, to, from->slot_kernel_us);
    to->us[TP_SLOT_PAUSE] = unpack_lengths(u, to, from->slot_pause_us);
    to->us[TP_SLOT_INPUT] = unpack_lengths(u, to, from->slot_input_us);
    to->us[TP_SLOT_WITHIN] = unpack_lengths(u, to, from->slot_within_us);
}
