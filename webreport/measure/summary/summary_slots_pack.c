/* Packs step slots into the columns of a summary's file and unpacks them: see summary_slots.h. */
#include "webreport/measure/summary/summary_columns.h"
#include "webreport/measure/summary/summary_slots.h"

#include "writer/base/limits.h"

/* ---- packing ---- */

/* Returns the times of a slot in a step, in the form in which they are stored. Steps after the first store the
 * difference to the first step, which is small. Differences and their sums may wrap around. */
static struct tp_stored_times make_stored_times(const struct tp_step_slots *slots, uint32_t slot, uint32_t step)
{
    struct tp_stored_times times;
    for (unsigned part = 0; part < TP_SLOT_PARTS; part++) {
        uint64_t first = step ? (uint64_t)slots->us[part][tp_slot_cell(slots, slot, 0)] : 0;
        times.us[part] = (int64_t)((uint64_t)slots->us[part][tp_slot_cell(slots, slot, step)] - first);
    }
    return times;
}

static void pack_times(struct tp_column_writer *writer, const struct tp_step_slots *slots)
{
    size_t count = (size_t)slots->slot_count * slots->step_count;
    struct tp_stored_times *times = tp_arena_array(writer->arena, count, sizeof *times);
    for (uint32_t k = 0; k < slots->slot_count; k++)
        for (uint32_t s = 0; s < slots->step_count; s++)
            times[tp_slot_cell(slots, k, s)] = make_stored_times(slots, k, s);
    tp_columns_write(&tp_list_slot_times, writer, times, count);
    tp_columns_write(&tp_list_slot_overlap, writer, times, count);
}

void tp_slots_pack(struct tp_column_writer *writer, const struct tp_step_slots *slots)
{
    tp_columns_write(&tp_record_slots, writer, slots, 1);
    tp_columns_write(&tp_list_groups, writer, slots->groups, slots->group_count);
    tp_columns_write(&tp_list_group_kinds, writer, slots->groups, slots->group_count);
    tp_columns_write(&tp_list_slots, writer, slots->slots, slots->slot_count);
    tp_columns_write(&tp_list_slot_waits, writer, slots->slots, slots->slot_count);
    tp_columns_write(&tp_list_slot_bytes, writer, slots->slots, slots->slot_count);
    tp_columns_write(&tp_list_slot_steps, writer, slots->steps, slots->step_count);
    pack_times(writer, slots);
}

/* ---- unpacking ---- */

static bool is_valid_rank(int64_t number)
{
    return number >= 0 && number <= TP_MAX_JOB_NUMBER;
}

static bool is_valid_rank_run(const struct tp_rank_stride *run)
{
    return is_valid_rank(run->first) && is_valid_rank(run->stride) && run->stride != 0 && run->length >= 1 &&
           run->length <= TP_MAX_JOB_RANKS;
}

static void unpack_groups(struct tp_column_reader *reader, struct tp_step_slots *slots)
{
    slots->groups = tp_columns_read(&tp_list_groups, reader, &slots->group_count);
    tp_columns_fill(&tp_list_group_kinds, reader, slots->groups, slots->group_count);
    reader->is_bad |= slots->group_count > TP_MAX_SLOT_GROUPS;
    for (uint32_t g = 0; g < slots->group_count && !reader->is_bad; g++)
        for (uint32_t i = 0; i < slots->groups[g].run_count; i++)
            reader->is_bad |= !is_valid_rank_run(&slots->groups[g].runs[i]);
}

static void unpack_slots(struct tp_column_reader *reader, struct tp_step_slots *slots)
{
    slots->slots = tp_columns_read(&tp_list_slots, reader, &slots->slot_count);
    tp_columns_fill(&tp_list_slot_waits, reader, slots->slots, slots->slot_count);
    tp_columns_fill(&tp_list_slot_bytes, reader, slots->slots, slots->slot_count);
    for (uint32_t k = 0; k < slots->slot_count; k++) {
        const struct tp_slot *slot = &slots->slots[k];
        uint32_t later = slots->slot_count - (k + 1 < slots->slot_count ? k + 1 : k);
        reader->is_bad |= slot->group != TP_NO_ID && slot->group >= slots->group_count;
        reader->is_bad |= slot->waits < 1 || slot->waits > later;
    }
}

static void unpack_steps(struct tp_column_reader *reader, struct tp_step_slots *slots, uint32_t step_count)
{
    slots->steps = tp_columns_read(&tp_list_slot_steps, reader, &slots->step_count);
    for (uint32_t s = 0; s < slots->step_count; s++)
        reader->is_bad |= slots->steps[s] >= step_count;
}

static void unpack_times(struct tp_column_reader *reader, struct tp_step_slots *slots)
{
    uint32_t count;
    struct tp_stored_times *times = tp_columns_read_scratch(&tp_list_slot_times, reader, &count);
    tp_columns_fill(&tp_list_slot_overlap, reader, times, count);
    for (unsigned part = 0; part < TP_SLOT_PARTS; part++) {
        int64_t *us = slots->us[part] = tp_arena_array(reader->arena, count, sizeof *us);
        for (uint32_t cell = 0; cell < count; cell++) {
            uint32_t step = cell % slots->step_count;
            uint64_t first = step ? (uint64_t)us[cell - step] : 0;
            us[cell] = (int64_t)((uint64_t)times[cell].us[part] + first);
            reader->is_bad |= us[cell] < 0 || us[cell] > TP_MAX_SLOT_US;
        }
    }
}

void tp_slots_unpack(struct tp_column_reader *reader, struct tp_step_slots *slots, uint32_t step_count)
{
    size_t slot_count = tp_columns_length(&tp_list_slots, reader->from);
    size_t cell_count = tp_columns_length(&tp_list_slot_times, reader->from);
    *slots = (struct tp_step_slots){.slot_count = 0};
    tp_columns_fill(&tp_record_slots, reader, slots, 1);
    unpack_groups(reader, slots);
    reader->is_bad |= slot_count > TP_MAX_SLOTS || cell_count > TP_MAX_SLOT_CELLS;
    reader->is_bad |= cell_count != (uint64_t)slot_count * tp_columns_length(&tp_list_slot_steps, reader->from);
    if (reader->is_bad)
        return;
    unpack_steps(reader, slots, step_count);
    unpack_slots(reader, slots);
    unpack_times(reader, slots);
}
