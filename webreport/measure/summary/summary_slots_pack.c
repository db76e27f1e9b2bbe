/* Packs step slots into the columns of a summary's file and unpacks them: see summary_slots.h. */
#include "webreport/measure/summary/summary_columns.h"
#include "webreport/measure/summary/summary_slots.h"

#include "writer/base/limits.h"
#include "writer/proto/summary.pb-c.h"

#define COLUMN(field, count) TP_COLUMN_OF(to, arena, field, count)

static void pack_groups(Tp__SummaryProcess *to, const struct tp_step_slots *from, struct tp_strings *texts,
                        struct tp_arena *arena)
{
    size_t runs = 0;
    for (uint32_t g = 0; g < from->group_count; g++)
        runs += from->groups[g].run_count;
    tp_columns_pack(TP_LIST_GROUPS, to, from->groups, from->group_count, texts, arena);
    tp_columns_make(TP_LIST_RUNS, to, runs, arena);
    runs = 0;
    for (uint32_t g = 0; g < from->group_count; g++)
        for (uint32_t i = 0; i < from->groups[g].run_count; i++)
            tp_columns_put(TP_LIST_RUNS, to, runs++, &from->groups[g].runs[i], texts);
}

/* Packs lengths as differences to the first step, which are small; they wrap around, and so do their sums. */
static void pack_lengths(int64_t *to, const struct tp_step_slots *from, enum tp_slot_part part)
{
    for (uint32_t k = 0; k < from->slot_count; k++)
        for (uint32_t s = 0; s < from->step_count; s++) {
            uint64_t first = s ? (uint64_t)from->us[part][tp_slot_cell(from, k, 0)] : 0;
            to[tp_slot_cell(from, k, s)] = (int64_t)((uint64_t)from->us[part][tp_slot_cell(from, k, s)] - first);
        }
}

static void pack_moved(Tp__SummaryProcess *to, const struct tp_step_slots *from, struct tp_arena *arena)
{
    bool is_known = false;
    for (uint32_t k = 0; k < from->slot_count; k++)
        is_known |= from->slots[k].moved_bytes > 0;
    COLUMN(slot_moved_bytes, is_known ? from->slot_count : 0);
    for (size_t k = 0; k < to->n_slot_moved_bytes; k++)
        to->slot_moved_bytes[k] = (uint64_t)from->slots[k].moved_bytes;
}

/* Packs the columns for pairs of ranks and for collectives that overlap work; absent if there are none. */
static void pack_beside(Tp__SummaryProcess *to, const struct tp_step_slots *from, struct tp_arena *arena)
{
    size_t cells = (size_t)from->slot_count * from->step_count, beside = 0;
    bool has_pair = false, has_place = false;
    for (uint32_t g = 0; g < from->group_count; g++)
        has_pair |= from->groups[g].kind != TP_GROUP_ALL;
    for (uint32_t k = 0; k < from->slot_count; k++)
        has_place |= from->slots[k].waits != 1 || from->slots[k].before || !from->slots[k].is_seen;
    for (size_t i = 0; i < cells; i++)
        beside += from->us[TP_SLOT_BESIDE][i] != 0;
    COLUMN(group_kind, has_pair ? from->group_count : 0);
    COLUMN(slot_waits, has_place ? from->slot_count : 0);
    COLUMN(slot_before, has_place ? from->slot_count : 0);
    COLUMN(slot_seen, has_place ? from->slot_count : 0);
    COLUMN(slot_beside_us, beside ? cells : 0);
    for (size_t g = 0; g < to->n_group_kind; g++)
        to->group_kind[g] = from->groups[g].kind;
    for (size_t k = 0; k < to->n_slot_waits; k++) {
        to->slot_waits[k] = from->slots[k].waits;
        to->slot_before[k] = from->slots[k].before;
        to->slot_seen[k] = from->slots[k].is_seen;
    }
    if (beside)
        pack_lengths(to->slot_beside_us, from, TP_SLOT_BESIDE);
}

void tp_slots_pack(Tp__SummaryProcess *to, const struct tp_step_slots *from, struct tp_strings *texts,
                   struct tp_arena *arena)
{
    size_t cells = (size_t)from->slot_count * from->step_count;
    to->host = tp_column_text(texts, from->host);
    pack_groups(to, from, texts, arena);
    tp_columns_pack(TP_LIST_SLOTS, to, from->slots, from->slot_count, texts, arena);
    COLUMN(slot_step, from->step_count);
    for (uint32_t s = 0; s < from->step_count; s++)
        to->slot_step[s] = from->steps[s] - (s ? from->steps[s - 1] : 0);
    tp_columns_make(TP_LIST_LENGTHS, to, cells, arena);
    pack_lengths(to->slot_kernel_us, from, TP_SLOT_KERNEL);
    pack_lengths(to->slot_pause_us, from, TP_SLOT_PAUSE);
    pack_lengths(to->slot_input_us, from, TP_SLOT_INPUT);
    pack_lengths(to->slot_within_us, from, TP_SLOT_WITHIN);
    pack_beside(to, from, arena);
    pack_moved(to, from, arena);
}

/* ---- unpacking ---- */

static bool is_rank(int64_t number)
{
    return number >= 0 && number <= TP_MAX_JOB_NUMBER;
}

static struct tp_rank_stride *unpack_runs(struct tp_unpack *u)
{
    uint32_t count;
    struct tp_rank_stride *runs = tp_columns_unpack(TP_LIST_RUNS, u, &count);
    for (uint32_t i = 0; i < count; i++)
        u->is_bad |= !is_rank(runs[i].first) || !is_rank(runs[i].stride) || runs[i].stride == 0 || runs[i].length < 1 ||
                     runs[i].length > TP_MAX_JOB_RANKS;
    return runs;
}

static void unpack_groups(struct tp_unpack *u, struct tp_step_slots *to)
{
    const Tp__SummaryProcess *from = u->from;
    struct tp_rank_stride *runs = unpack_runs(u);
    uint64_t at = 0;
    to->groups = tp_columns_unpack(TP_LIST_GROUPS, u, &to->group_count);
    for (uint32_t g = 0; g < to->group_count && !u->is_bad; g++) {
        to->groups[g].runs = runs + at;
        to->groups[g].kind = from->n_group_kind ? (enum tp_group_kind)from->group_kind[g] : 0;
        at += to->groups[g].run_count;
        u->is_bad |= at > from->n_run_first || to->groups[g].run_count > TP_MAX_SLOT_RUNS ||
                     (uint32_t)to->groups[g].kind >= TP_GROUP_KINDS;
    }
    u->is_bad |= at != from->n_run_first || to->group_count > TP_MAX_SLOT_GROUPS;
}

/* Returns whether a column is complete or absent. */
static bool is_whole(size_t count, size_t whole)
{
    return count == 0 || count == whole;
}

static int64_t *unpack_lengths(struct tp_unpack *u, const struct tp_step_slots *to, const int64_t *from)
{
    int64_t *us = tp_arena_array(u->arena, (size_t)to->slot_count * to->step_count, sizeof *us);
    for (uint32_t k = 0; k < to->slot_count && from; k++)
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
    u->is_bad |= !is_whole(from->n_group_kind, from->n_group_name);
    unpack_groups(u, to);
    u->is_bad |= !is_whole(from->n_slot_beside_us, from->n_slot_kernel_us) ||
                 !is_whole(from->n_slot_waits, from->n_slot_group) ||
                 !is_whole(from->n_slot_moved_bytes, from->n_slot_group) || from->n_slot_before != from->n_slot_waits ||
                 from->n_slot_seen != from->n_slot_waits ||
                 from->n_slot_kernel_us != (uint64_t)from->n_slot_group * from->n_slot_step ||
                 from->n_slot_group > TP_MAX_SLOTS || from->n_slot_kernel_us > TP_MAX_SLOT_CELLS;
    if (u->is_bad)
        return;
    to->step_count = (uint32_t)from->n_slot_step;
    to->slots = tp_columns_unpack(TP_LIST_SLOTS, u, &to->slot_count);
    to->steps = tp_arena_array(u->arena, to->step_count, sizeof *to->steps);
    for (uint32_t k = 0; k < to->slot_count; k++) {
        to->slots[k].waits = 1;
        to->slots[k].is_seen = true;
        if (from->n_slot_waits) {
            to->slots[k].waits = from->slot_waits[k];
            to->slots[k].before = from->slot_before[k];
            to->slots[k].is_seen = from->slot_seen[k];
        }
        if (from->n_slot_moved_bytes)
            to->slots[k].moved_bytes = (int64_t)from->slot_moved_bytes[k];
        u->is_bad |= to->slots[k].moved_bytes < 0;
        u->is_bad |= from->slot_group[k] > to->group_count || to->slots[k].before > TP_SLOT_WHOLE ||
                     to->slots[k].waits < 1 ||
                     to->slots[k].waits > to->slot_count - (k + 1 < to->slot_count ? k + 1 : k);
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
    to->us[TP_SLOT_BESIDE] = unpack_lengths(u, to, from->n_slot_beside_us ? from->slot_beside_us : NULL);
}
