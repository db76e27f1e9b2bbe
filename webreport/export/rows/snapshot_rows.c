/* Fills the tables of a memory snapshot: see snapshot_rows.h. Section 32 of docs/definitions.md defines the numbers. */
#include "webreport/export/rows/snapshot_rows.h"

#define INT TP_ROWS_INT
#define TEXT TP_ROWS_TEXT

void tp_snapshot_rows_build(struct tp_rows *rows, const struct tp_snapshot_result *result, struct tp_arena *arena)
{
    struct tp_snapshot_rows *data = tp_arena_alloc(arena, sizeof *data);
    const struct tp_snapshot_stacks *stacks = &result->snapshot->stacks;
    uint32_t stack_count = tp_snapshot_stacks_count(stacks);
    *rows = (struct tp_rows){.arena = arena, .snapshot = data};
    data->result = result;
    data->devices = tp_arena_array(arena, result->device_count, sizeof *data->devices);
    data->depths = tp_arena_array(arena, stack_count, sizeof *data->depths);
    for (uint32_t i = 1; i < stack_count; i++) /* the stack of the callers has a smaller number */
        data->depths[i] = 1 + data->depths[tp_snapshot_stacks_parent(stacks, i)];
    for (uint64_t i = 0; i < result->device_count; i++) {
        const struct tp_snapshot_device *device = &result->devices[i];
        struct tp_snapshot_rows_device *out = &data->devices[i];
        size_t block_count = device->replay.blocks.count;
        out->end_of_block = tp_arena_array(arena, block_count, sizeof *out->end_of_block);
        out->lacking = tp_arena_array(arena, device->end_block_count, sizeof *out->lacking);
        for (size_t k = 0; k < block_count; k++)
            out->end_of_block[k] = TP_NO_ID;
        for (size_t k = 0; k < device->end_block_count; k++)
            if (device->end_block_origins[k] == TP_NO_ID)
                out->lacking[out->lacking_count++] = (uint32_t)k;
            else
                out->end_of_block[device->end_block_origins[k]] = (uint32_t)k;
    }
}

/* ---- cells and rows ---- */

static void add_int(struct tp_rows_cell **cell, int64_t value)
{
    (*cell)++->integer = value;
}

static void add_text(struct tp_rows_cell **cell, struct tp_str text)
{
    (*cell)++->text = text;
}

/* Adds the number of a stack; null for the empty stack. */
static void add_stack(struct tp_rows_cell **cell, uint32_t stack)
{
    add_int(cell, stack ? (int64_t)stack : TP_NULL_INT);
}

typedef uint32_t count_of_device(const struct tp_snapshot_rows *data, uint64_t device);

static uint32_t count_rows(const struct tp_rows *rows, count_of_device *count)
{
    uint32_t sum = 0;
    for (uint64_t i = 0; i < rows->snapshot->result->device_count; i++)
        sum += count(rows->snapshot, i);
    return sum;
}

/* Returns the number of the device to which a row belongs, in the result. *row: becomes the number of the row among
 * those of the device. */
static uint64_t find_device(const struct tp_rows *rows, count_of_device *count, uint32_t *row)
{
    uint64_t device = 0;
    for (uint32_t of_device; *row >= (of_device = count(rows->snapshot, device)); device++)
        *row -= of_device;
    return device;
}

static const struct tp_snapshot_device *device_at(const struct tp_rows *rows, uint64_t device)
{
    return &rows->snapshot->result->devices[device];
}

static struct tp_str snapshot_text(const struct tp_rows *rows, uint32_t id)
{
    return tp_strings_get(&rows->snapshot->result->snapshot->texts, id);
}

/* ---- blocks ---- */

static const struct tp_rows_column block_columns[] = {
    {"block_id", INT, "number of the row", true},
    {"device", INT, "number of the device", false},
    {"address", INT, "first address of the block", true},
    {"bytes", INT, "size of the block in the allocator, bytes", false},
    {"requested_bytes", INT, "bytes that the program requested", false},
    {"alloc_index", INT,
     "event_index of the allocation; -1: before the first event; null: the file has the block only at the end, and the "
     "events contradict it",
     true},
    {"free_index", INT,
     "event_index at which the program freed the block; -1: before the first event; null: not freed. The program uses "
     "a block after the event N if alloc_index <= N and free_index is null or above N",
     true},
    {"complete_index", INT,
     "event_index at which the allocator could use the memory again; null: not in the recording. Until then, the block "
     "is active",
     false},
    {"alloc_us", INT, "Unix time of the allocation, microseconds; null: unknown", false},
    {"free_us", INT, "Unix time at which the program freed the block, microseconds; null: unknown or not freed", false},
    {"stream", INT, "CUDA stream of the block; 0 is the default stream", false},
    {"pool", TEXT, "pool of the block, and small (up to 1 MiB) or large", false},
    {"line", TEXT, "innermost line of the user in the stack of the allocation; empty: unknown", true},
    {"site", TEXT, "innermost line of the user or of a package other than torch; empty: unknown", true},
    {"category", TEXT, "purpose of the block, which follows from its stacks and its life", true},
    {"stack_id", INT, "stack of the allocation in the table 'stacks'; null: no stack", true},
    {"free_stack_id", INT, "stack at which the program freed the block; null: unknown", false},
    {"user_metadata", TEXT, "text that the program set with _set_memory_metadata", false},
    {"end_state", TEXT, "state of the block in the recorded end: allocated or pending; null: the block is gone", false},
    {"is_estimated", INT, "1: the block is gone at the end, so its size follows from the request", false},
};

static uint32_t blocks_of_device(const struct tp_snapshot_rows *data, uint64_t device)
{
    return (uint32_t)data->result->devices[device].replay.blocks.count + data->devices[device].lacking_count;
}

static uint32_t block_count(const struct tp_rows *rows)
{
    return count_rows(rows, blocks_of_device);
}

static int64_t index_of_event(int32_t event)
{
    return event == TP_NO_EVENT ? TP_NULL_INT : event;
}

static int64_t time_of_event(const struct tp_snapshot_device *device, int32_t event)
{
    return event == TP_NO_EVENT || event < 0 ? TP_NULL_INT : device->replay.events[event].time_us;
}

static void fill_block(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    static const enum tp_live_key properties[] = {TP_LIVE_POOL, TP_LIVE_LINE, TP_LIVE_SITE, TP_LIVE_CATEGORY};
    uint32_t at = row;
    uint64_t number = find_device(rows, blocks_of_device, &at);
    const struct tp_snapshot_device *device = device_at(rows, number);
    const struct tp_snapshot_rows_device *more = &rows->snapshot->devices[number];
    size_t replayed = device->replay.blocks.count;
    bool is_replayed = at < replayed;
    uint32_t end_index = is_replayed ? more->end_of_block[at] : more->lacking[at - replayed];
    const struct tp_allocator_block *end = end_index == TP_NO_ID ? NULL : &device->end_blocks[end_index];
    const struct tp_allocator_block *block = is_replayed ? tp_replay_block(&device->replay, at) : end;
    add_int(&cell, row);
    add_int(&cell, device->device);
    add_int(&cell, (int64_t)block->address);
    add_int(&cell, (int64_t)block->size);
    add_int(&cell, (int64_t)block->requested);
    add_int(&cell, is_replayed ? block->allocated : TP_NULL_INT);
    add_int(&cell, index_of_event(block->free_requested));
    add_int(&cell, index_of_event(block->free_completed));
    add_int(&cell, time_of_event(device, block->allocated));
    add_int(&cell, time_of_event(device, block->free_requested));
    add_int(&cell, block->stream);
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        add_text(&cell, tp_live_property(&device->context, properties[i], block));
    add_stack(&cell, block->stack);
    add_stack(&cell, block->free_stack);
    add_text(&cell, snapshot_text(rows, block->metadata));
    add_text(&cell, !end                                 ? (struct tp_str){NULL, 0}
                    : end->free_requested == TP_NO_EVENT ? TP_STR("allocated")
                                                         : TP_STR("pending"));
    add_int(&cell, block->is_estimated);
}

/* ---- events ---- */

static const struct tp_rows_column event_columns[] = {
    {"event_id", INT, "number of the row", true},
    {"device", INT, "number of the device", false},
    {"event_index", INT, "position of the event among the events of its device, from 0", true},
    {"action", TEXT,
     "what happened: alloc, free_requested (the program frees), free_completed (the memory can be used again), "
     "segment_alloc, segment_free, segment_map, segment_unmap, snapshot or oom (out of memory)",
     true},
    {"address", INT, "address of the block or of the segment; null for an out-of-memory event", true},
    {"bytes", INT,
     "requested bytes of the block; bytes of the segment; for an out-of-memory event, rounded bytes of the request",
     false},
    {"stream", INT, "CUDA stream; 0 is the default stream", false},
    {"time_us", INT, "Unix time, microseconds; null: unknown", true},
    {"line", TEXT, "innermost line of the user in the stack; empty: unknown", true},
    {"stack_id", INT, "stack of the event in the table 'stacks'; null: no stack", true},
    {"user_metadata", TEXT, "text that the program set with _set_memory_metadata", false},
    {"device_free_bytes", INT, "free memory of the device, bytes; only for out-of-memory events", false},
};

static uint32_t events_of_device(const struct tp_snapshot_rows *data, uint64_t device)
{
    return (uint32_t)data->result->devices[device].replay.event_count;
}

static uint32_t event_count(const struct tp_rows *rows)
{
    return count_rows(rows, events_of_device);
}

static void fill_event(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    uint32_t at = row;
    const struct tp_snapshot_device *device = device_at(rows, find_device(rows, events_of_device, &at));
    const struct tp_snapshot_event *event = &device->replay.events[at];
    struct tp_code_stacks *stacks = device->context.stacks;
    bool is_oom = event->action == TP_ACTION_OOM;
    add_int(&cell, row);
    add_int(&cell, device->device);
    add_int(&cell, at);
    add_text(&cell, tp_str_of(tp_snapshot_action_text((enum tp_snapshot_action)event->action)));
    add_int(&cell, is_oom ? TP_NULL_INT : (int64_t)event->address);
    add_int(&cell, (int64_t)event->size);
    add_int(&cell, event->stream);
    add_int(&cell, event->time_us);
    add_text(&cell, tp_code_name(stacks, tp_code_stack(stacks, event->stack)->line));
    add_stack(&cell, event->stack);
    add_text(&cell, snapshot_text(rows, event->metadata));
    add_int(&cell, is_oom ? (int64_t)event->address : TP_NULL_INT);
}

/* ---- segments ---- */

static const struct tp_rows_column segment_columns[] = {
    {"segment_id", INT, "number of the row", true},
    {"device", INT, "number of the device", false},
    {"address", INT, "first address of the segment", true},
    {"bytes", INT, "size of the segment, bytes", false},
    {"allocated_bytes", INT, "bytes of its blocks that the program uses", false},
    {"active_bytes", INT, "the same, and bytes of its blocks whose free waits for another stream", false},
    {"free_bytes", INT, "bytes of its free blocks", false},
    {"blocks", INT, "number of its blocks that are not free", false},
    {"stream", INT, "CUDA stream of the segment; 0 is the default stream", false},
    {"pool_first", INT, "first number of the pool; the default pool is (0, 0)", false},
    {"pool_second", INT, "second number of the pool", false},
    {"kind", TEXT, "small: for blocks of at most 1 MiB; large: for other blocks", false},
    {"is_expandable", INT, "1: the segment is a mapped range of an expandable segment", false},
};

static uint32_t segment_count(const struct tp_rows *rows)
{
    return (uint32_t)rows->snapshot->result->snapshot->segments.count;
}

static void fill_segment(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_snapshot *snapshot = rows->snapshot->result->snapshot;
    const struct tp_snapshot_segment *segment = tp_snapshot_segment(snapshot, row);
    const struct tp_snapshot_pool *pool = tp_snapshot_pool(snapshot, segment->pool);
    uint64_t bytes[] = {[TP_BLOCK_ALLOCATED] = 0, [TP_BLOCK_PENDING] = 0, [TP_BLOCK_FREE] = 0};
    int64_t blocks = 0;
    for (size_t i = 0; i < segment->block_count; i++) {
        bytes[segment->blocks[i].state] += segment->blocks[i].size;
        blocks += segment->blocks[i].state != TP_BLOCK_FREE;
    }
    add_int(&cell, row);
    add_int(&cell, segment->device);
    add_int(&cell, (int64_t)segment->address);
    add_int(&cell, (int64_t)segment->size);
    add_int(&cell, (int64_t)bytes[TP_BLOCK_ALLOCATED]);
    add_int(&cell, (int64_t)(bytes[TP_BLOCK_ALLOCATED] + bytes[TP_BLOCK_PENDING]));
    add_int(&cell, (int64_t)bytes[TP_BLOCK_FREE]);
    add_int(&cell, blocks);
    add_int(&cell, segment->stream);
    add_int(&cell, pool->first);
    add_int(&cell, pool->second);
    add_text(&cell, segment->is_small ? TP_STR("small") : TP_STR("large"));
    add_int(&cell, segment->is_expandable);
}

/* ---- stacks ---- */

static const struct tp_rows_column stack_columns[] = {
    {"stack_id", INT, "number of the stack", true},
    {"caller_stack_id", INT, "stack of the callers of the innermost frame; null: the frame has no caller", true},
    {"depth", INT, "number of frames", false},
    {"function", TEXT, "function of the innermost frame", true},
    {"file", TEXT, "file of the innermost frame", true},
    {"line_number", INT, "line in the file; 0 for frames of C++", false},
};

static uint32_t stack_count(const struct tp_rows *rows)
{
    return tp_snapshot_stacks_count(&rows->snapshot->result->snapshot->stacks) - 1;
}

static void fill_stack(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_snapshot_stacks *stacks = &rows->snapshot->result->snapshot->stacks;
    struct tp_snapshot_frame frame = tp_snapshot_stacks_frame(stacks, row + 1);
    add_int(&cell, row + 1);
    add_stack(&cell, tp_snapshot_stacks_parent(stacks, row + 1));
    add_int(&cell, rows->snapshot->depths[row + 1]);
    add_text(&cell, snapshot_text(rows, frame.name));
    add_text(&cell, snapshot_text(rows, frame.file));
    add_int(&cell, frame.line);
}

/* ---- curve ---- */

static const struct tp_rows_column curve_columns[] = {
    {"device", INT, "number of the device", false},
    {"event_index", INT, "event after which the amounts are valid; -1: before the first event", true},
    {"time_us", INT, "Unix time of the event, microseconds; before the first event: time of this event; null: unknown",
     false},
    {"allocated_bytes", INT, "sizes of the blocks that the program uses", false},
    {"active_bytes", INT, "the same, and sizes of blocks whose free waits for another stream", false},
    {"reserved_bytes", INT, "sizes of the segments", false},
    {"requested_bytes", INT, "requested bytes of the blocks that the program uses", false},
};

static uint32_t points_of_device(const struct tp_snapshot_rows *data, uint64_t device)
{
    return 1 + events_of_device(data, device);
}

static uint32_t point_count(const struct tp_rows *rows)
{
    return count_rows(rows, points_of_device);
}

static void fill_point(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_snapshot_device *device = device_at(rows, find_device(rows, points_of_device, &row));
    const struct tp_replay *replay = &device->replay;
    const struct tp_allocator_amounts *amounts = row ? &replay->curve[row - 1] : &replay->start;
    add_int(&cell, device->device);
    add_int(&cell, (int64_t)row - 1);
    add_int(&cell, replay->event_count ? replay->events[row ? row - 1 : 0].time_us : TP_NULL_INT);
    add_int(&cell, (int64_t)amounts->allocated);
    add_int(&cell, (int64_t)amounts->active);
    add_int(&cell, (int64_t)amounts->reserved);
    add_int(&cell, (int64_t)amounts->requested);
}

/* ---- steps ---- */

static const struct tp_rows_column step_columns[] = {
    {"device", INT, "number of the device", false},
    {"step", INT, "number of the step, from 0", false},
    {"name", TEXT, "name of the step", false},
    {"found_by", TEXT, "what shows the ends of the steps, such as ProfilerStep", false},
    {"event_index", INT, "last event of the step", false},
    {"allocated_bytes", INT, "allocated bytes after this event", false},
    {"peak_bytes", INT, "largest allocated bytes since the end of the step before; null: no event is between", false},
    {"allocs", INT, "number of allocations since the end of the step before", false},
    {"segment_allocs", INT, "number of new segments since the end of the step before", false},
};

static uint32_t steps_of_device(const struct tp_snapshot_rows *data, uint64_t device)
{
    return (uint32_t)data->result->devices[device].growth.boundary_count;
}

static uint32_t step_count(const struct tp_rows *rows)
{
    return count_rows(rows, steps_of_device);
}

static void fill_step(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_snapshot_device *device = device_at(rows, find_device(rows, steps_of_device, &row));
    const struct tp_snapshot_boundary *step = &device->growth.boundaries[row];
    add_int(&cell, device->device);
    add_int(&cell, row);
    add_text(&cell, step->name);
    add_text(&cell, tp_str_of(device->growth.by));
    add_int(&cell, step->index);
    add_int(&cell, (int64_t)step->allocated_bytes);
    add_int(&cell, step->peak_bytes);
    add_int(&cell, (int64_t)step->allocs);
    add_int(&cell, (int64_t)step->segment_allocs);
}

/* ---- findings ---- */

static const struct tp_rows_column finding_columns[] = {
    {"device", INT, "number of the device", false},
    {"finding", TEXT, "stable name of the problem", false},
    {"severity", TEXT, "high, medium, low or info", false},
    {"gain_bytes", INT, "bytes that the action saves, at most", false},
    {"text", TEXT, "the problem, with its numbers", false},
    {"action", TEXT, "what to do", false},
    {"line", TEXT, "line that causes the problem; null: no single line", false},
    {"bytes", INT, "bytes that the problem is about; null: none", false},
    {"count", INT, "number of times; null: none", false},
};

static uint32_t findings_of_device(const struct tp_snapshot_rows *data, uint64_t device)
{
    return (uint32_t)data->result->devices[device].finding_count;
}

static uint32_t finding_count(const struct tp_rows *rows)
{
    return count_rows(rows, findings_of_device);
}

static void fill_finding(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_snapshot_device *device = device_at(rows, find_device(rows, findings_of_device, &row));
    const struct tp_snapshot_finding *finding = &device->findings[row];
    add_int(&cell, device->device);
    add_text(&cell, tp_str_of(tp_snapshot_finding_text(finding->id)));
    add_text(&cell, tp_str_of(tp_snapshot_severity_text(finding->severity)));
    add_int(&cell, (int64_t)finding->gain_bytes);
    add_text(&cell, tp_str_of(finding->text));
    add_text(&cell, tp_str_of(finding->action));
    add_text(&cell, finding->has_line ? finding->line : (struct tp_str){NULL, 0});
    add_int(&cell, finding->has_bytes ? finding->bytes : TP_NULL_INT);
    add_int(&cell, finding->has_count ? finding->count : TP_NULL_INT);
}

/* ---- tables ---- */

#define COLUMNS(list) (list), sizeof(list) / sizeof *(list)

const struct tp_rows_table tp_snapshot_rows_tables[] = {
    {"blocks", "blocks of the allocator, one row from each allocation to its release", COLUMNS(block_columns),
     block_count, fill_block},
    {"events", "events of the allocator", COLUMNS(event_columns), event_count, fill_event},
    {"segments", "segments at the end of the recording", COLUMNS(segment_columns), segment_count, fill_segment},
    {"stacks", "call stacks; a stack is its innermost frame and the stack of the callers", COLUMNS(stack_columns),
     stack_count, fill_stack},
    {"curve", "memory after each event", COLUMNS(curve_columns), point_count, fill_point},
    {"steps", "ends of the steps of the program", COLUMNS(step_columns), step_count, fill_step},
    {"findings", "problems, gravest first", COLUMNS(finding_columns), finding_count, fill_finding},
    {.name = NULL},
};
