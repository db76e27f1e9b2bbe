/* Matches the blocks of two memory snapshots: see snapshot_diff_rows.h. */
#include "webreport/compare/snapshot/snapshot_diff_rows.h"

#include <stdlib.h>

#include "writer/base/sort.h"

/* Rows while blocks are added. */
struct matching {
    struct tp_arena *arena;
    struct tp_strings names;   /* names of the rows */
    struct tp_vec rows;        /* elements: struct tp_snapshot_diff_row, by id of the name */
    struct tp_id_map by_stack; /* row of each stack of the current side */
};

static void begin(struct matching *matching, struct tp_arena *arena)
{
    *matching = (struct matching){.arena = arena, .rows = TP_VEC(arena, struct tp_snapshot_diff_row)};
    tp_strings_init(&matching->names, arena, 0);
}

/* Returns the index of the row with a name. */
static uint32_t row_of_name(struct matching *matching, struct tp_str name)
{
    uint32_t id = tp_strings_add(&matching->names, name);
    if (id == matching->rows.count)
        *(struct tp_snapshot_diff_row *)tp_vec_push(&matching->rows) =
            (struct tp_snapshot_diff_row){.name = tp_strings_get(&matching->names, id)};
    return id;
}

/* Returns the name under which the blocks of a stack are compared. */
static struct tp_str name_of_stack(struct tp_code_stacks *stacks, uint32_t stack)
{
    const struct tp_code_stack *code = tp_code_stack(stacks, stack);
    struct tp_str line = tp_code_name(stacks, code->line), site = tp_code_name(stacks, code->site);
    if (line.len)
        return tp_code_name(stacks, code->place);
    return site.len ? site : TP_STR("(no stack)");
}

static void add_block(struct matching *matching, const struct tp_snapshot_device *device, unsigned side, uint32_t stack,
                      uint64_t bytes)
{
    uint32_t *row = tp_id_map_find_or_add(&matching->by_stack, stack);
    if (*row == UINT32_MAX)
        *row = row_of_name(matching, name_of_stack(device->context.stacks, stack));
    struct tp_snapshot_diff_row *at = TP_AT(&matching->rows, struct tp_snapshot_diff_row, *row);
    at->bytes[side] += bytes;
    at->blocks[side]++;
}

static int compare_rows(const void *x, const void *y, const void *context)
{
    const struct tp_snapshot_diff_row *a = x, *b = y;
    int64_t p = llabs(a->delta_bytes), q = llabs(b->delta_bytes);
    (void)context; /* all data is in the rows */
    return p != q ? (p < q ? 1 : -1) : tp_str_compare(a->name, b->name);
}

/* Moves the rows to a table, the largest change first. keeps_equal: rows without a change stay. */
static void finish(struct matching *matching, struct tp_snapshot_diff_table *table, bool keeps_equal)
{
    struct tp_snapshot_diff_row *rows = matching->rows.data;
    size_t count = 0;
    for (size_t i = 0; i < matching->rows.count; i++) {
        struct tp_snapshot_diff_row row = rows[i];
        row.delta_bytes = (int64_t)(row.bytes[TP_SNAPSHOT_AFTER] - row.bytes[TP_SNAPSHOT_BEFORE]);
        if (keeps_equal || row.delta_bytes || row.blocks[TP_SNAPSHOT_BEFORE] != row.blocks[TP_SNAPSHOT_AFTER])
            rows[count++] = row;
    }
    tp_merge_sort(matching->arena, rows, count, sizeof *rows, compare_rows, NULL);
    *table = (struct tp_snapshot_diff_table){
        .rows = rows, .row_count = count < TP_SNAPSHOT_DIFF_ROWS ? count : TP_SNAPSHOT_DIFF_ROWS, .rows_total = count};
}

void tp_snapshot_diff_match_peak(struct tp_snapshot_diff_device *device, struct tp_arena *arena)
{
    struct matching matching;
    begin(&matching, arena);
    for (unsigned side = 0; side < TP_SNAPSHOT_SIDES; side++) {
        const struct tp_snapshot_device *at = device->sides[side].device;
        tp_id_map_init(&matching.by_stack, arena);
        for (size_t i = 0; at && i < at->peak_block_count; i++)
            add_block(&matching, at, side, at->peak_blocks[i]->stack, at->peak_blocks[i]->size);
        tp_id_map_release(&matching.by_stack);
    }
    finish(&matching, &device->at_peak, false);
}

/* Adds the allocated blocks that the file records. */
static void add_end(struct matching *matching, const struct tp_snapshot_device *device, unsigned side)
{
    const struct tp_snapshot *snapshot = device->context.snapshot;
    for (size_t i = 0; i < snapshot->segments.count; i++) {
        const struct tp_snapshot_segment *segment = TP_AT(&snapshot->segments, struct tp_snapshot_segment, i);
        for (size_t k = 0; k < segment->block_count && segment->device == device->device; k++)
            if (segment->blocks[k].state == TP_BLOCK_ALLOCATED)
                add_block(matching, device, side, segment->blocks[k].stack, segment->blocks[k].size);
    }
}

void tp_snapshot_diff_match_end(struct tp_snapshot_diff_device *device, struct tp_arena *arena)
{
    struct matching matching;
    begin(&matching, arena);
    for (unsigned side = 0; side < TP_SNAPSHOT_SIDES; side++) {
        tp_id_map_init(&matching.by_stack, arena);
        if (device->sides[side].device)
            add_end(&matching, device->sides[side].device, side);
        tp_id_map_release(&matching.by_stack);
    }
    finish(&matching, &device->at_end, false);
}

void tp_snapshot_diff_match_categories(struct tp_snapshot_diff_device *device, struct tp_arena *arena)
{
    struct matching matching;
    begin(&matching, arena);
    for (unsigned side = 0; side < TP_SNAPSHOT_SIDES; side++) {
        const struct tp_snapshot_device *at = device->sides[side].device;
        const struct tp_live_table *table = at ? &at->peak.live_by.by[TP_LIVE_CATEGORY] : NULL;
        for (uint64_t i = 0; table && i < table->row_count; i++) {
            uint32_t row = row_of_name(&matching, table->rows[i].name);
            struct tp_snapshot_diff_row *to = TP_AT(&matching.rows, struct tp_snapshot_diff_row, row);
            to->bytes[side] += table->rows[i].bytes;
            to->blocks[side] += table->rows[i].blocks;
        }
    }
    finish(&matching, &device->categories, true);
}
