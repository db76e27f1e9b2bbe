/* Joins a memory snapshot with a trace: see trace_join.h.
 *
 * torch's allocator reports each allocation and each free to the profiler right behind the event of the snapshot, with
 * the address and the size of the block (reportMemoryUsageToProfiler in c10/cuda/CUDACachingAllocator.cpp). */
#include "webreport/measure/snapshot/trace_join.h"

#include <stdlib.h>

#include "webreport/measure/memory/memory_code.h"
#include "webreport/measure/snapshot/pair_run.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

enum { SNAPSHOT, TRACE, SIDES };
enum { MOST_DIFFERENCE = 512 }; /* bytes by which the allocated bytes of a pair may differ */

/* Outside of the common run, an event and a memory record are one pair only if their times, after the offset is
 * applied, differ by at most this. */
#define NEAR_NS 1000000

struct joining {
    struct tp_trace_join *join;
    const struct tp_snapshot_device *device;
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_pair *pairs[SIDES];
    uint32_t *origins[SIDES]; /* event or memory record of each pair */
    size_t counts[SIDES];
    uint32_t *record_of_event; /* index in trace->memory; TP_NO_ID without a record */
    bool *has_event;           /* for each record of trace->memory: some event has it */
    int64_t base_ns;           /* added to times of the trace for Unix times */
    struct tp_strings texts;
};

/* ---- both sequences ---- */

static uint64_t key_of(uint64_t address, bool is_free)
{
    return address << 1 | is_free;
}

static void list_events(struct joining *j)
{
    const struct tp_replay *replay = &j->device->replay;
    j->pairs[SNAPSHOT] = tp_arena_array(j->arena, replay->event_count, sizeof **j->pairs);
    j->origins[SNAPSHOT] = tp_arena_array(j->arena, replay->event_count, sizeof **j->origins);
    for (uint64_t i = 0; i < replay->event_count; i++) {
        const struct tp_snapshot_event *event = &replay->events[i];
        if (event->action != TP_ACTION_ALLOC && event->action != TP_ACTION_FREE_REQUESTED)
            continue;
        size_t at = j->counts[SNAPSHOT]++;
        j->origins[SNAPSHOT][at] = (uint32_t)i;
        j->pairs[SNAPSHOT][at] = (struct tp_pair){key_of(event->address, event->action != TP_ACTION_ALLOC),
                                                  event->time_us == TP_NULL_INT ? 0 : tp_sat_mul(event->time_us, 1000)};
    }
}

static void list_records(struct joining *j)
{
    const struct tp_trace *trace = j->model->trace;
    j->pairs[TRACE] = tp_arena_array(j->arena, trace->memory_count, sizeof **j->pairs);
    j->origins[TRACE] = tp_arena_array(j->arena, trace->memory_count, sizeof **j->origins);
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        uint32_t record = j->model->order->memory[i];
        const struct tp_memory *memory = &trace->memory[record];
        const struct tp_memory_place *place = tp_memory_place(trace, memory);
        int64_t address = tp_memory_rare(trace, memory)->address;
        bool is_gpu = place->type == TP_DEVICE_CUDA || place->type == TP_DEVICE_HIP;
        if (!is_gpu || place->id != j->device->device || memory->flags & TP_MEMORY_OUT_OF_MEMORY ||
            address == TP_NULL_INT || memory->bytes == 0 || memory->bytes == TP_NULL_INT)
            continue;
        size_t at = j->counts[TRACE]++;
        j->origins[TRACE][at] = record;
        j->pairs[TRACE][at] =
            (struct tp_pair){key_of((uint64_t)address, memory->bytes < 0), tp_sat_add(memory->ts_ns, j->base_ns)};
    }
    j->join->trace_records = j->counts[TRACE];
}

/* ---- the run ---- */

/* Sets the offset to the median of the differences in time, and measures how far the pairs are from it. */
static void measure_times(struct joining *j, const struct tp_pair_run *run)
{
    int64_t *apart = tp_arena_array(j->arena, run->count, sizeof *apart), most = 0;
    for (size_t i = 0; i < run->count; i++)
        apart[i] = tp_sat_sub(j->pairs[TRACE][run->first[TRACE] + i].time_ns,
                              j->pairs[SNAPSHOT][run->first[SNAPSHOT] + i].time_ns);
    j->join->offset_ns = tp_lower_median(apart, run->count);
    for (size_t i = 0; i < run->count; i++) {
        int64_t from_offset = tp_sat_sub(apart[i], j->join->offset_ns);
        from_offset = from_offset < 0 ? -from_offset : from_offset;
        most = from_offset > most ? from_offset : most;
    }
    j->join->time_difference_ns = most;
    tp_arena_free_item(j->arena, apart, run->count * sizeof *apart);
}

/* Finds the pair whose allocated bytes differ most. */
static void measure_bytes(struct joining *j, const struct tp_pair_run *run)
{
    const struct tp_trace *trace = j->model->trace;
    for (size_t i = 0; i < run->count; i++) {
        uint32_t record = j->origins[TRACE][run->first[TRACE] + i];
        uint32_t event = j->origins[SNAPSHOT][run->first[SNAPSHOT] + i];
        int64_t total = tp_memory_rare(trace, &trace->memory[record])->total_allocated;
        int64_t allocated = (int64_t)j->device->replay.curve[event].allocated;
        if (total == TP_NULL_INT)
            continue;
        int64_t difference = tp_sat_sub(total, allocated);
        difference = difference < 0 ? -difference : difference;
        if (j->join->allocated_difference != TP_NULL_INT && difference <= j->join->allocated_difference)
            continue;
        j->join->allocated_difference = difference;
        j->join->snapshot_allocated = allocated;
        j->join->trace_allocated = total;
    }
}

/* ---- pairs ---- */

static void pair_run(struct joining *j, const struct tp_pair_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        uint32_t record = j->origins[TRACE][run->first[TRACE] + i];
        j->record_of_event[j->origins[SNAPSHOT][run->first[SNAPSHOT] + i]] = record;
        j->has_event[record] = true;
    }
}

/* Returns the record with a key that is closest to a time, among those from `next` on; SIZE_MAX if none is near. */
static size_t closest_record(const struct joining *j, size_t next, uint64_t key, int64_t time)
{
    enum { MOST_EXAMINED = 1024 };
    size_t best = SIZE_MAX;
    int64_t best_apart = NEAR_NS;
    for (size_t k = next; k < j->counts[TRACE] && k < next + MOST_EXAMINED; k++) {
        int64_t apart = tp_sat_sub(j->pairs[TRACE][k].time_ns, time);
        if (apart > best_apart)
            break;
        apart = apart < 0 ? -apart : apart;
        if (apart > best_apart || j->pairs[TRACE][k].key != key || j->has_event[j->origins[TRACE][k]])
            continue;
        best = k;
        best_apart = apart;
    }
    return best;
}

/* An event that is closest to a record. */
struct claim {
    uint32_t pair; /* index of its pair; TP_NO_ID if no event claims the record */
    int64_t apart;
};

/* Pairs each event outside of the run with the closest record of the same address and sign. If a record is the closest
 * one of several events, the event closest to it gets the record. */
static void pair_others(struct joining *j)
{
    size_t next = 0, count = j->counts[TRACE];
    struct claim *claims = tp_arena_array(j->arena, count, sizeof *claims);
    for (size_t k = 0; k < count; k++)
        claims[k] = (struct claim){TP_NO_ID, INT64_MAX};
    for (size_t i = 0; i < j->counts[SNAPSHOT]; i++) {
        int64_t time = tp_sat_add(j->pairs[SNAPSHOT][i].time_ns, j->join->offset_ns);
        while (next < count && j->pairs[TRACE][next].time_ns < tp_sat_sub(time, NEAR_NS))
            next++;
        if (j->record_of_event[j->origins[SNAPSHOT][i]] != TP_NO_ID)
            continue;
        size_t closest = closest_record(j, next, j->pairs[SNAPSHOT][i].key, time);
        int64_t apart = closest == SIZE_MAX ? INT64_MAX : tp_sat_sub(j->pairs[TRACE][closest].time_ns, time);
        apart = apart < 0 ? -apart : apart;
        if (closest != SIZE_MAX && apart < claims[closest].apart)
            claims[closest] = (struct claim){(uint32_t)i, apart};
    }
    for (size_t k = 0; k < count; k++)
        if (claims[k].pair != TP_NO_ID)
            j->record_of_event[j->origins[SNAPSHOT][claims[k].pair]] = j->origins[TRACE][k];
}

static void count_pairs(struct joining *j)
{
    size_t count = j->counts[TRACE];
    for (size_t i = 0; i < j->counts[SNAPSHOT]; i++) {
        int64_t time = tp_sat_add(j->pairs[SNAPSHOT][i].time_ns, j->join->offset_ns);
        bool is_paired = j->record_of_event[j->origins[SNAPSHOT][i]] != TP_NO_ID;
        j->join->paired_events += is_paired;
        j->join->events_in_trace +=
            is_paired || (count && time >= j->pairs[TRACE][0].time_ns && time <= j->pairs[TRACE][count - 1].time_ns);
    }
}

/* ---- what the trace knows ---- */

static struct tp_str keep(struct joining *j, struct tp_str text)
{
    return tp_strings_get(&j->texts, tp_strings_add(&j->texts, text));
}

/* Returns the name of the step at a time of the trace; "" outside of marked and inferred steps. */
static struct tp_str step_at(struct joining *j, int64_t ts_ns)
{
    uint32_t step = tp_step_of_host_time(j->model, ts_ns);
    return step < j->model->step_count && j->model->step_marker != TP_MARKER_WINDOW
               ? keep(j, j->model->steps[step].name)
               : TP_STR("");
}

/* Returns the name of the last kernel that started on the device before a time and did not end. */
static struct tp_str kernel_at(struct joining *j, int64_t ts_ns)
{
    const struct tp_trace *trace = j->model->trace;
    const struct tp_event *found = NULL;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *event = &trace->events[i];
        if (event->kind != TP_KIND_KERNEL || event->ts_ns > ts_ns || tp_event_end(event) <= ts_ns ||
            event->detail == TP_NO_ID)
            continue;
        if (trace->setups[trace->devices[event->detail].setup].device == j->device->device &&
            (!found || event->ts_ns > found->ts_ns))
            found = event;
    }
    return found ? keep(j, tp_strings_get(&trace->names, found->name)) : TP_STR("");
}

static void find_code(struct joining *j, uint32_t record, struct tp_str *op, struct tp_str *module)
{
    *op = *module = TP_STR("");
    if (record == TP_NO_ID)
        return;
    struct tp_memory_code code = tp_memory_find_code(j->model, &j->model->trace->memory[record]);
    tp_memory_code_text(j->model, &code, TP_MEMORY_OPERATOR, op);
    tp_memory_code_text(j->model, &code, TP_MEMORY_MODULE, module);
    *op = keep(j, *op);
    *module = keep(j, *module);
}

/* Returns the time of an event in the trace; TP_NULL_INT if it is unknown or outside of the trace. */
static int64_t trace_time(const struct joining *j, int64_t index)
{
    int64_t time_us = index < 0 ? TP_NULL_INT : j->device->replay.events[index].time_us;
    uint32_t record = index < 0 ? TP_NO_ID : j->record_of_event[index];
    if (record != TP_NO_ID)
        return j->model->trace->memory[record].ts_ns;
    if (time_us == TP_NULL_INT)
        return TP_NULL_INT;
    int64_t ts_ns = tp_sat_sub(tp_sat_add(tp_sat_mul(time_us, 1000), j->join->offset_ns), j->base_ns);
    return ts_ns < j->model->first_ns || ts_ns > j->model->last_ns ? TP_NULL_INT : ts_ns;
}

static void fill_moment(struct joining *j, struct tp_joined_moment *moment, int64_t index)
{
    int64_t ts_ns = trace_time(j, index);
    *moment = (struct tp_joined_moment){.index = index,
                                        .time_ns = TP_NULL_INT,
                                        .step = TP_STR(""),
                                        .op = TP_STR(""),
                                        .module = TP_STR(""),
                                        .kernel = TP_STR("")};
    if (ts_ns == TP_NULL_INT)
        return;
    moment->time_ns = ts_ns - j->model->first_ns;
    moment->step = step_at(j, ts_ns);
    moment->kernel = kernel_at(j, ts_ns);
    find_code(j, j->record_of_event[index], &moment->op, &moment->module);
}

/* ---- live blocks ---- */

static int compare_blocks(const void *x, const void *y, const void *context)
{
    const struct tp_allocator_block *a = *(const struct tp_allocator_block *const *)x,
                                    *b = *(const struct tp_allocator_block *const *)y;
    (void)context; /* all data is in the blocks */
    if (a->size != b->size)
        return a->size < b->size ? 1 : -1;
    return (a->address > b->address) - (a->address < b->address);
}

static int compare_rows(const void *x, const void *y, const void *context)
{
    const struct tp_live_row *a = x, *b = y;
    (void)context; /* all data is in the rows */
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    return tp_str_compare(a->name, b->name);
}

struct grouping {
    struct tp_id_map ids;
    struct tp_vec rows; /* elements: struct tp_live_row */
};

static void add_to_group(struct joining *j, struct grouping *grouping, struct tp_str name,
                         const struct tp_allocator_block *block)
{
    uint32_t *slot = tp_id_map_find_or_add(&grouping->ids, tp_strings_add(&j->texts, name));
    if (*slot == TP_NO_ID) {
        *slot = (uint32_t)grouping->rows.count;
        ((struct tp_live_row *)tp_vec_push(&grouping->rows))->name = name;
    }
    struct tp_live_row *row = TP_AT(&grouping->rows, struct tp_live_row, *slot);
    row->bytes += block->size;
    row->requested_bytes += block->requested;
    row->blocks++;
}

static void finish_group(struct joining *j, struct grouping *grouping, struct tp_live_table *table)
{
    tp_merge_sort(j->arena, grouping->rows.data, grouping->rows.count, sizeof(struct tp_live_row), compare_rows, NULL);
    table->rows = grouping->rows.data;
    table->rows_total = grouping->rows.count;
    table->row_count = grouping->rows.count < TP_LIVE_ROWS ? grouping->rows.count : TP_LIVE_ROWS;
}

/* Returns the blocks that are live at the last out-of-memory event, otherwise at the peak. */
static const struct tp_allocator_block **shown_blocks(const struct joining *j, size_t *count)
{
    const struct tp_snapshot_device *device = j->device;
    const struct tp_snapshot_oom *oom = device->oom_count ? &device->ooms[device->oom_count - 1] : NULL;
    *count = oom ? oom->live_count : device->peak_block_count;
    const struct tp_allocator_block **blocks = tp_arena_array(j->arena, *count, sizeof *blocks);
    for (size_t i = 0; i < *count; i++)
        blocks[i] = oom ? tp_replay_block(&device->replay, oom->live_blocks[i]) : device->peak_blocks[i];
    return blocks;
}

static void group_live_blocks(struct joining *j)
{
    size_t count;
    const struct tp_allocator_block **blocks = shown_blocks(j, &count);
    struct grouping groupings[2];
    for (unsigned g = 0; g < 2; g++) {
        tp_id_map_init(&groupings[g].ids, j->arena);
        groupings[g].rows = TP_VEC(j->arena, struct tp_live_row);
    }
    tp_merge_sort(j->arena, blocks, count, sizeof *blocks, compare_blocks, NULL);
    for (size_t i = 0; i < count; i++) {
        struct tp_str op, module;
        int64_t ts_ns = trace_time(j, blocks[i]->allocated);
        find_code(j, blocks[i]->allocated < 0 ? TP_NO_ID : j->record_of_event[blocks[i]->allocated], &op, &module);
        add_to_group(j, &groupings[0], op, blocks[i]);
        add_to_group(j, &groupings[1], module, blocks[i]);
        if (j->join->largest_count < TP_JOIN_LARGEST)
            j->join->largest[j->join->largest_count++] = (struct tp_joined_block){
                blocks[i]->address,
                blocks[i]->size,
                tp_code_name(j->device->context.stacks,
                             tp_code_line_or_site(j->device->context.stacks, blocks[i]->stack)),
                ts_ns == TP_NULL_INT ? TP_STR("") : step_at(j, ts_ns),
                op,
                module};
    }
    finish_group(j, &groupings[0], &j->join->by_operator);
    finish_group(j, &groupings[1], &j->join->by_module);
}

/* ---- the join ---- */

/* Decides how the files are joined. Sets `why` if not by pairs. */
static void choose_method(struct joining *j, const struct tp_pair_run *run)
{
    struct tp_trace_join *join = j->join;
    int64_t first_ns = tp_sat_add(j->model->first_ns, j->base_ns), last_ns = tp_sat_add(j->model->last_ns, j->base_ns);
    bool has_time = j->device->has_time && j->device->replay.event_count;
    bool overlaps = has_time && tp_sat_mul(j->device->first_us, 1000) <= last_ns &&
                    tp_sat_mul(j->device->last_us, 1000) >= first_ns;
    if (run->count >= TP_JOIN_LEAST_PAIRS && has_time) {
        measure_times(j, run);
        measure_bytes(j, run);
        join->method = TP_JOIN_PAIRS;
        if (join->allocated_difference != TP_NULL_INT && join->allocated_difference > MOST_DIFFERENCE) {
            join->method = TP_JOIN_NONE;
            join->why =
                tp_text_printf(j->arena,
                               "The allocated bytes differ at the same call: the snapshot has %lld B, the trace "
                               "has %lld B. The files are of different processes or devices.",
                               (long long)join->snapshot_allocated, (long long)join->trace_allocated);
        }
        return;
    }
    if (overlaps) {
        join->method = TP_JOIN_CLOCKS;
        join->offset_ns = 0;
        join->why =
            j->counts[TRACE]
                ? tp_text_printf(j->arena,
                                 "Only %llu consecutive allocations and frees are the same in both files, so that "
                                 "the files are joined by their clocks.",
                                 (unsigned long long)run->count)
                : "The trace has no allocations of this device (profile_memory=True records them), so that the "
                  "files are joined by their clocks.";
        return;
    }
    join->why = !j->device->replay.event_count ? "The snapshot has no events."
                : !has_time
                    ? "The events of the snapshot have no times."
                    : tp_text_printf(
                          j->arena, "The times of the files do not overlap: the snapshot begins %s %s the trace.",
                          tp_text_of_time(j->arena, llabs(tp_sat_sub(tp_sat_mul(j->device->first_us, 1000), first_ns))),
                          tp_sat_mul(j->device->first_us, 1000) < first_ns ? "before" : "after");
}

void tp_trace_join_build(struct tp_trace_join *join, const struct tp_snapshot_device *device,
                         const struct tp_model *model, struct tp_arena *arena)
{
    struct joining j = {.join = join, .device = device, .model = model, .arena = arena};
    struct tp_pair_run run;
    *join = (struct tp_trace_join){.device = device->device,
                                   .offset_ns = TP_NULL_INT,
                                   .time_difference_ns = TP_NULL_INT,
                                   .allocated_difference = TP_NULL_INT,
                                   .snapshot_allocated = TP_NULL_INT,
                                   .trace_allocated = TP_NULL_INT};
    j.base_ns = tp_trace_base_ns(model->trace, model->first_ns);
    tp_strings_init(&j.texts, arena, 0);
    list_events(&j);
    list_records(&j);
    tp_pair_run_find(&run, (const struct tp_pair *const *)j.pairs, j.counts, arena);
    join->pairs = run.count;
    choose_method(&j, &run);
    if (join->method == TP_JOIN_NONE)
        return;
    j.record_of_event = tp_arena_array(arena, device->replay.event_count, sizeof *j.record_of_event);
    for (uint64_t i = 0; i < device->replay.event_count; i++)
        j.record_of_event[i] = TP_NO_ID;
    j.has_event = tp_arena_array(arena, model->trace->memory_count, sizeof *j.has_event);
    if (join->method == TP_JOIN_PAIRS)
        pair_run(&j, &run);
    pair_others(&j);
    count_pairs(&j);
    fill_moment(&j, &join->peak, device->peak.at.index);
    join->has_oom = device->oom_count > 0;
    if (join->has_oom)
        fill_moment(&j, &join->oom, device->ooms[device->oom_count - 1].index);
    group_live_blocks(&j);
}
