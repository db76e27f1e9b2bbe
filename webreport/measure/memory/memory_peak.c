/* Implements memory_peak.h: computes the allocated bytes of each device over time, the live blocks at the first
 * maximum, and the growth over the steps. */
#include "webreport/measure/memory/memory_peak.h"

#include <math.h>
#include <string.h>

#include "webreport/measure/memory/memory_category.h"
#include "webreport/measure/memory/memory_code.h"
#include "webreport/measure/program/program_stacks.h"
#include "webreport/model/numbers.h"
#include "writer/base/id_map.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

enum { OPERATOR = TP_MEMORY_OPERATOR, MODULE, LINE, CATEGORY, STACK, GROUPINGS };

/* MAX_STEP_ENDS limits the listed step ends of all devices together. A damaged trace can contain any number of devices
 * and steps; a real trace has few. */
enum { MAX_STEP_ENDS = 1 << 20, MAX_DEVICES = 1 << 16, USUAL_DEVICES = 2 };

static const struct tp_column_def live_columns[TP_LIVE_COLUMNS] = {
    {"name", "Allocated in", "",
     "{Operator}, module, line or stack that allocated the blocks, or purpose of the blocks; empty if unknown.",
     TP_COLUMN_TEXT},
    {"bytes", "Bytes", "bytes", "Number of bytes in blocks that are allocated at the peak.", TP_COLUMN_BYTES},
    {"blocks", "Blocks", "", "Number of blocks that are allocated at the peak.", TP_COLUMN_INT},
};

/* the records of one device, in order of time */
struct series {
    const struct tp_model *model;
    const uint32_t *records; /* indexes in trace->memory */
    uint32_t count;
    bool totals_known;
    int64_t *allocated;    /* allocated bytes after each record */
    uint32_t *step_ends;   /* number of step ends that can still be listed; shared by all devices */
    struct stacks *stacks; /* texts of the stacks; NULL if no record has a stack */
    struct tp_arena *arena;
};

/* texts of the call stacks that allocated memory */
struct stacks {
    struct tp_program_functions functions;
    struct tp_program_stacks words;
    struct tp_strings texts;
    uint32_t *name_of; /* for each stack id in `words`: id of its text in `texts`, plus 1; 0: no text yet */
};

static const struct tp_memory *record_at(const struct series *s, uint32_t i)
{
    return &s->model->trace->memory[s->records[i]];
}

static const struct tp_memory_rare *rare_record_at(const struct series *s, uint32_t i)
{
    return tp_memory_rare(s->model->trace, record_at(s, i));
}

static int64_t reserved_at(const struct series *s, uint32_t i)
{
    int64_t reserved = rare_record_at(s, i)->total_reserved;
    return reserved == TP_NULL_INT ? 0 : reserved;
}

static void fill_series(struct series *s, struct tp_memory_device *out)
{
    int64_t sum = 0;
    s->totals_known = true;
    for (uint32_t i = 0; i < s->count; i++)
        if (rare_record_at(s, i)->total_allocated == TP_NULL_INT)
            s->totals_known = false;
    s->allocated = tp_arena_array(s->arena, s->count, sizeof *s->allocated);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct tp_memory *m = record_at(s, i);
        sum = tp_sat_add(sum, m->bytes);
        s->allocated[i] = s->totals_known ? rare_record_at(s, i)->total_allocated : sum;
        out->allocation_count += m->bytes > 0;
        out->release_count += m->bytes < 0;
    }
}

/* ---- live blocks at the peak ---- */

struct live_group {
    struct tp_str name;
    int64_t bytes, blocks;
};

static int compare_by_bytes(const void *x, const void *y, const void *context)
{
    (void)context;
    const struct live_group *a = x, *b = y;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    if (a->blocks != b->blocks)
        return a->blocks > b->blocks ? -1 : 1;
    return tp_str_compare(a->name, b->name);
}

struct grouping {
    struct tp_id_map ids;
    struct tp_vec groups; /* elements: struct live_group */
};

static void add_block_to_group(struct grouping *grouping, uint32_t id, struct tp_str name, int64_t bytes)
{
    uint32_t *slot = tp_id_map_find_or_add(&grouping->ids, id);
    if (*slot == TP_NO_ID) {
        *slot = (uint32_t)grouping->groups.count;
        ((struct live_group *)tp_vec_push(&grouping->groups))->name = name;
    }
    struct live_group *group = TP_AT(&grouping->groups, struct live_group, *slot);
    group->bytes = tp_sat_add(group->bytes, bytes);
    group->blocks++;
}

static void build_live_table(struct tp_table *table, struct grouping *grouping, const char *title,
                             struct tp_arena *arena)
{
    struct live_group *groups = grouping->groups.data;
    tp_merge_sort(arena, groups, grouping->groups.count, sizeof *groups, compare_by_bytes, NULL);
    tp_table_init(table, arena, "live", live_columns, TP_LIVE_COLUMNS, grouping->groups.count);
    table->title = title;
    for (size_t i = 0; i < grouping->groups.count; i++) {
        tp_table_text(table, TP_LIVE_NAME)[i] = groups[i].name;
        tp_table_int(table, TP_LIVE_BYTES)[i] = groups[i].bytes;
        tp_table_int(table, TP_LIVE_BLOCKS)[i] = groups[i].blocks;
    }
}

/* Records of a block that is live at the peak: indexes of the allocation and of the release. freed: TP_NO_ID if the
 * block is never released. */
struct live_block {
    uint32_t made, freed;
};

/* Finds the blocks that are live at the peak. Returns false if a record up to the peak lacks an address.
 *
 * Up to the peak, a record with bytes > 0 sets the block at its address and replaces an older block. Any other record
 * removes the block. After the peak, the next record at the address releases the block, whether it is an allocation or
 * a release. An empty slot of `live` has `made` TP_NO_ID. In tracepress recordings, records without an address are sums
 * of small blocks; the bytes of these records are added to *small_bytes. */
static bool find_live_blocks_at_peak(const struct series *s, uint32_t peak, struct tp_vec *live, int64_t *small_bytes)
{
    struct tp_id_map slots;
    tp_id_map_init(&slots, s->arena);
    bool is_known = true;
    for (uint32_t i = 0; i < s->count && is_known; i++) {
        const struct tp_memory *m = record_at(s, i);
        int64_t address = rare_record_at(s, i)->address;
        is_known = address != TP_NULL_INT || i > peak || s->stacks;
        if (address == TP_NULL_INT && i <= peak)
            *small_bytes = tp_sat_add(*small_bytes, m->bytes);
        if (address == TP_NULL_INT)
            continue;
        uint32_t *slot = tp_id_map_find(&slots, (uint64_t)address);
        if (!slot && m->bytes > 0 && i <= peak) {
            slot = tp_id_map_find_or_add(&slots, (uint64_t)address);
            *slot = (uint32_t)live->count;
            tp_vec_push(live);
        }
        if (!slot)
            continue;
        struct live_block *block = TP_AT(live, struct live_block, *slot);
        if (i <= peak)
            *block = (struct live_block){m->bytes > 0 ? i : TP_NO_ID, TP_NO_ID};
        else if (block->freed == TP_NO_ID)
            block->freed = i;
    }
    tp_id_map_release(&slots);
    return is_known;
}

/* Returns the id in `texts` of a stack's text. The text has file names without folders: "grow <- main (a.c:12)". */
static uint32_t stack_text_id(const struct series *s, uint32_t stack)
{
    const struct tp_program_stack_words *words = tp_program_stacks_of(&s->stacks->words, stack);
    struct tp_program_function place = *tp_program_function_at(&s->stacks->functions, words->place.function);
    struct tp_str text = tp_strings_get(&s->stacks->texts, words->text);
    place.line = words->place.line;
    const char *slash = memrchr(place.file.ptr, '/', place.file.len);
    if (slash)
        place.file = (struct tp_str){slash + 1, (size_t)(place.file.ptr + place.file.len - slash - 1)};
    const char *where = tp_program_function_place_text(&place, s->arena);
    const char *name = tp_text_printf(s->arena, *where ? "%.*s (%s)" : "%.*s%s", (int)text.len, text.ptr, where);
    return tp_strings_add(&s->stacks->texts, tp_str_of(name));
}

/* Adds an allocation to the group of its call stack. Allocations without a stack share the group with the empty
 * name. */
static void add_stack(const struct series *s, const struct tp_memory *m, struct grouping *grouping)
{
    const struct tp_trace *trace = s->model->trace;
    uint32_t stack = trace->memory_stacks[m - trace->memory];
    if (stack == TP_NO_ID) {
        add_block_to_group(grouping, TP_NO_ID, TP_STR(""), m->bytes);
        return;
    }
    uint32_t *known = &s->stacks->name_of[stack];
    if (!*known)
        *known = stack_text_id(s, stack) + 1;
    add_block_to_group(grouping, *known - 1, tp_strings_get(&s->stacks->texts, *known - 1), m->bytes);
}

static void add_live_block_to_groups(const struct series *s, const struct live_block *block, struct grouping *groupings,
                                     struct tp_memory_device *out)
{
    const struct tp_memory *m = record_at(s, block->made);
    struct tp_memory_code code = tp_memory_find_code(s->model, m);
    out->live_bytes = tp_sat_add(out->live_bytes, m->bytes);
    out->live_block_count++;
    for (int g = 0; g < CATEGORY; g++) {
        struct tp_str name;
        uint32_t id = tp_memory_code_text(s->model, &code, (enum tp_memory_code_part)g, &name);
        add_block_to_group(&groupings[g], id, name, m->bytes);
    }
    enum tp_memory_category category =
        tp_memory_category_of_block(s->model, m, block->freed == TP_NO_ID ? NULL : record_at(s, block->freed));
    add_block_to_group(&groupings[CATEGORY], category, tp_str_of(tp_memory_category_text(category)), m->bytes);
    if (s->stacks)
        add_stack(s, m, &groupings[STACK]);
}

/* Adds a row for bytes that belong to no block. The number of blocks of this row is TP_NULL_INT. */
static void add_unexplained_bytes(struct grouping *grouping, enum tp_memory_category category, int64_t bytes)
{
    if (bytes <= 0)
        return;
    add_block_to_group(grouping, category, tp_str_of(tp_memory_category_text(category)), bytes);
    TP_AT(&grouping->groups, struct live_group, grouping->groups.count - 1)->blocks = TP_NULL_INT;
}

/* Adds a row for the small blocks. The number of blocks is unknown, because the recording has only the sum of the
 * bytes. */
static void add_small_blocks(struct grouping *grouping, int64_t bytes, struct tp_memory_device *out)
{
    enum { SMALL = 0xFFFFFFFE }; /* an id that no stack has */
    add_block_to_group(grouping, SMALL, TP_STR("(small blocks)"), bytes);
    TP_AT(&grouping->groups, struct live_group, grouping->groups.count - 1)->blocks = TP_NULL_INT;
    out->live_bytes = tp_sat_add(out->live_bytes, bytes);
}

static void group_live_blocks_at_peak(const struct series *s, uint32_t peak, struct tp_memory_device *out)
{
    struct grouping groupings[GROUPINGS];
    struct tp_vec live = TP_VEC(s->arena, struct live_block);
    for (int g = 0; g < GROUPINGS; g++) {
        tp_id_map_init(&groupings[g].ids, s->arena);
        groupings[g].groups = TP_VEC(s->arena, struct live_group);
    }
    int64_t small_bytes = 0;
    out->addresses_known = find_live_blocks_at_peak(s, peak, &live, &small_bytes);
    out->preexisting_bytes = out->live_bytes = out->live_block_count = TP_NULL_INT;
    if (out->addresses_known) {
        out->live_bytes = out->live_block_count = 0;
        for (size_t i = 0; i < live.count; i++)
            if (TP_AT(&live, struct live_block, i)->made != TP_NO_ID)
                add_live_block_to_groups(s, TP_AT(&live, struct live_block, i), groupings, out);
        if (small_bytes > 0)
            add_small_blocks(&groupings[STACK], small_bytes, out);
        out->preexisting_bytes = tp_sat_sub(out->peak_allocated_bytes, out->live_bytes);
        if (s->totals_known) {
            add_unexplained_bytes(&groupings[CATEGORY], TP_MEMORY_BEFORE_RECORDING, out->preexisting_bytes);
            add_unexplained_bytes(&groupings[CATEGORY], TP_MEMORY_RESERVED,
                                  tp_sat_sub(out->reserved_at_peak_bytes, out->peak_allocated_bytes));
        }
    }
    build_live_table(&out->live_by_op, &groupings[OPERATOR], "Alive at the peak, by operator", s->arena);
    build_live_table(&out->live_by_module, &groupings[MODULE], "Alive at the peak, by module", s->arena);
    build_live_table(&out->live_by_line, &groupings[LINE], "Alive at the peak, by line", s->arena);
    build_live_table(&out->live_by_stack, &groupings[STACK], "Alive at the peak, by stack", s->arena);
    build_live_table(&out->live_by_category, &groupings[CATEGORY], "Memory at the peak, by purpose", s->arena);
    tp_arena_free_item(s->arena, live.data, live.capacity * sizeof(struct live_block));
}

/* ---- growth ---- */

/* Returns the allocated bytes after the last record up to time `at`; TP_NULL_INT if `at` is before the first record. */
static int64_t allocated_bytes_at(const struct series *s, int64_t at)
{
    uint32_t lo = 0, hi = s->count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (record_at(s, mid)->ts_ns <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? s->allocated[lo - 1] : TP_NULL_INT;
}

static void measure_growth(const struct series *s, struct tp_memory_device *out)
{
    const struct tp_model *model = s->model;
    int64_t first = TP_NULL_INT, last = TP_NULL_INT, points = 0, rise = 0;
    bool is_listed = model->step_marker != TP_MARKER_WINDOW && model->used_count <= *s->step_ends;
    *s->step_ends -= is_listed ? model->used_count : 0;
    out->step_end_bytes = tp_arena_array(s->arena, is_listed ? model->used_count : 0, sizeof *out->step_end_bytes);
    for (uint32_t i = 0; i < model->step_count && is_listed; i++) {
        if (!tp_step_is_used(&model->steps[i]))
            continue;
        int64_t bytes = allocated_bytes_at(s, model->steps[i].host_end_ns);
        out->step_end_bytes[out->step_end_count++] = bytes;
        if (bytes == TP_NULL_INT)
            continue;
        if (points++ == 0)
            first = bytes;
        else
            rise = bytes > last ? rise + 1 : 0;
        out->longest_rise_steps = tp_ns_max(out->longest_rise_steps, rise);
        last = bytes;
    }
    out->creep_bytes_per_step = points >= 2 ? (double)tp_sat_sub(last, first) / (double)(points - 1) : NAN;
}

static void build_device(struct series *s, struct tp_memory_device *out)
{
    uint32_t peak = 0, reserved_peak = 0;
    out->record_count = s->count;
    fill_series(s, out);
    for (uint32_t i = 1; i < s->count; i++) {
        peak = s->allocated[i] > s->allocated[peak] ? i : peak;
        reserved_peak = reserved_at(s, i) > reserved_at(s, reserved_peak) ? i : reserved_peak;
    }
    int64_t reserved = reserved_at(s, peak), allocated = s->allocated[peak];
    out->totals_known = s->totals_known;
    out->peak_allocated_bytes = allocated;
    out->peak_at_ns = tp_sat_sub(record_at(s, peak)->ts_ns, s->model->first_ns);
    out->peak_event = record_at(s, peak)->ordinal;
    out->reserved_at_peak_bytes = reserved;
    out->peak_reserved_bytes = reserved_at(s, reserved_peak);
    out->peak_reserved_at_ns = tp_sat_sub(record_at(s, reserved_peak)->ts_ns, s->model->first_ns);
    out->fragmentation_percent = reserved > 0 ? tp_percent(tp_sat_sub(reserved, allocated), reserved) : NAN;
    group_live_blocks_at_peak(s, peak, out);
    measure_growth(s, out);
    tp_arena_free_item(s->arena, s->allocated, s->count * sizeof *s->allocated);
}

/* the records of one device, in order of time */
struct bucket {
    int64_t type, id;
    struct tp_vec records; /* indexes in trace->memory; elements: uint32_t */
};

static int compare_by_device(const void *x, const void *y, const void *context)
{
    (void)context;
    const struct bucket *a = x, *b = y;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

/* Returns the index of the bucket for a device type and id, and adds the bucket if needed. most: maximum number of
 * records of a bucket. */
static uint32_t find_or_add_bucket(struct tp_vec *buckets, struct tp_id_map maps[2], int64_t type, int64_t id,
                                   size_t most)
{
    uint32_t *type_slot = tp_id_map_find_or_add(&maps[0], (uint64_t)type);
    if (*type_slot == TP_NO_ID)
        *type_slot = maps[0].count - 1;
    uint32_t number = *type_slot, *id_slot = tp_id_map_find_or_add(&maps[0], (uint64_t)id);
    if (*id_slot == TP_NO_ID)
        *id_slot = maps[0].count - 1;
    uint32_t *slot = tp_id_map_find_or_add(&maps[1], tp_id_pair(number, *id_slot));
    if (*slot == TP_NO_ID) {
        *slot = (uint32_t)buckets->count;
        struct bucket *bucket = tp_vec_push(buckets);
        *bucket = (struct bucket){type, id, TP_VEC(buckets->arena, uint32_t)};
        /* reserves space for all records, because a growing vector would use twice the memory */
        if (buckets->count <= USUAL_DEVICES)
            tp_vec_grow(&bucket->records, most);
    }
    return *slot;
}

/* Sorts records into one bucket per device. A record without a device type is assigned to host memory, and a record
 * without a device id to device -1. Therefore several pairs (type, id) of the trace can share a bucket. */
static struct tp_vec sort_into_buckets(const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_trace *trace = model->trace;
    struct tp_vec buckets = TP_VEC(arena, struct bucket);
    struct tp_id_map maps[2];
    /* for each pair (type, id) in the trace: index of the bucket + 1; 0: no bucket yet */
    uint32_t *of_place = tp_arena_array(arena, trace->memory_place_count, sizeof *of_place);
    tp_id_map_init(&maps[0], arena);
    tp_id_map_init(&maps[1], arena);
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        uint32_t record = model->order->memory[i];
        const struct tp_memory *m = &trace->memory[record];
        const struct tp_memory_place *place = tp_memory_place(trace, m);
        uint32_t *bucket = &of_place[m->device];
        if (m->flags & TP_MEMORY_OUT_OF_MEMORY)
            continue;
        if (!*bucket)
            *bucket = 1 + find_or_add_bucket(&buckets, maps, place->type == TP_NULL_INT ? 0 : place->type,
                                             place->id == TP_NULL_INT ? -1 : place->id, trace->memory_count);
        *(uint32_t *)tp_vec_push(&TP_AT(&buckets, struct bucket, *bucket - 1)->records) = record;
    }
    tp_merge_sort(arena, buckets.data, buckets.count, sizeof(struct bucket), compare_by_device, NULL);
    return buckets;
}

/* Returns texts for the stacks of records; NULL if no record has a stack. Ignores the Python stacks in PyTorch's
 * records, because the tables by line and module already show them. */
static struct stacks *make_stack_texts(const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_trace *trace = model->trace;
    if (!trace->memory_stacks || model->producer == TP_PRODUCER_TORCH)
        return NULL;
    struct stacks *stacks = tp_arena_alloc(arena, sizeof *stacks);
    tp_strings_init(&stacks->texts, arena, 0);
    stacks->name_of = tp_arena_array(arena, trace->stack_texts.count, sizeof *stacks->name_of);
    tp_program_functions_init(&stacks->functions, trace, arena);
    tp_program_stacks_init(&stacks->words, trace, &stacks->functions, &stacks->texts, arena);
    return stacks;
}

void tp_memory_peak_build(struct tp_memory_peak *peak, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_vec buckets = sort_into_buckets(model, arena);
    uint32_t step_ends = MAX_STEP_ENDS;
    struct stacks *stacks = make_stack_texts(model, arena);
    peak->device_count = buckets.count < MAX_DEVICES ? (uint32_t)buckets.count : MAX_DEVICES;
    peak->devices = tp_arena_array(arena, peak->device_count, sizeof *peak->devices);
    for (size_t i = 0; i < peak->device_count; i++) {
        const struct bucket *bucket = TP_AT(&buckets, struct bucket, i);
        const struct tp_vec *records = &bucket->records;
        struct series s = {.model = model,
                           .records = records->data,
                           .count = (uint32_t)records->count,
                           .step_ends = &step_ends,
                           .stacks = stacks,
                           .arena = arena};
        peak->devices[i].device_type = bucket->type;
        peak->devices[i].device_id = bucket->id;
        build_device(&s, &peak->devices[i]);
        tp_arena_free_item(arena, records->data, records->capacity * sizeof(uint32_t));
    }
}

/* ---- fields ---- */

static struct tp_json_value live_by_stack(const struct tp_record *record)
{
    const struct tp_memory_device *device = record->at;
    return device->live_by_stack.row_count ? tp_json_value_table(&device->live_by_stack) : tp_json_value_absent();
}

#define F struct tp_memory_device
static const struct tp_json_field live_fields[] = {
    {"op", TP_PLAIN(F, live_by_op),
     TP_DEFINITION("bytes of the live blocks by the operator that allocates the blocks")},
    {"module", TP_PLAIN(F, live_by_module),
     TP_DEFINITION("bytes of the live blocks by the module that allocates the blocks")},
    {"line", TP_PLAIN(F, live_by_line),
     TP_DEFINITION("bytes of the live blocks by the source line that allocates the blocks")},
    {"category", TP_PLAIN(F, live_by_category),
     TP_DEFINITION("bytes of the live blocks by purpose, such as optimizer state or workspace")},
    {"stack", TP_COMPUTED(TP_AS_TABLE, live_by_stack),
     TP_DEFINITION("bytes of the live blocks by the call stack that allocates the blocks")},
};
static const struct tp_fields live = TP_FIELDS("Blocks that are live at the peak", live_fields);

static const struct tp_json_field fields[] = {
    {"device_type", TP_PLAIN(F, device_type), TP_DEFINITION("type of the device: 0 CPU, 1 CUDA, 6 HIP, 12 XPU")},
    {"device_id", TP_PLAIN(F, device_id), TP_DEFINITION("index of the device")},
    {"records", TP_PLAIN(F, record_count), TP_DEFINITION("number of memory records of the device")},
    {"totals_known", TP_PLAIN(F, totals_known), TP_DEFINITION("true if the records have totals of the allocator")},
    {"addresses_known", TP_PLAIN(F, addresses_known), TP_DEFINITION("true if the records have addresses")},
    {"allocations", TP_PLAIN(F, allocation_count), TP_DEFINITION("number of recorded allocations")},
    {"releases", TP_PLAIN(F, release_count), TP_DEFINITION("number of recorded releases")},
    {"peak_allocated_bytes", TP_PLAIN(F, peak_allocated_bytes),
     TP_DEFINITION("largest number of bytes allocated at the same time")},
    {"peak_allocated_at_us", TP_US(F, peak_at_ns),
     TP_DEFINITION("time of the peak of allocated bytes, relative to the start of the profile")},
    {"peak_event", TP_PLAIN(F, peak_event), TP_DEFINITION("position in the file of the memory record with the peak")},
    {"reserved_at_peak_bytes", TP_PLAIN(F, reserved_at_peak_bytes),
     TP_DEFINITION("bytes that the allocator had reserved at the peak of allocated bytes")},
    {"peak_reserved_bytes", TP_PLAIN(F, peak_reserved_bytes),
     TP_DEFINITION("largest number of bytes reserved at the same time")},
    {"peak_reserved_at_us", TP_US(F, peak_reserved_at_ns),
     TP_DEFINITION("time of the peak of reserved bytes, relative to the start of the profile")},
    {"fragmentation_percent", TP_PLAIN(F, fragmentation_percent),
     TP_DEFINITION("percentage of the reserved bytes that are not allocated at the peak of allocated bytes")},
    {"preexisting_bytes", TP_PLAIN(F, preexisting_bytes),
     TP_DEFINITION("bytes at the peak in blocks that were allocated before the recording; null: unknown")},
    {"live_bytes", TP_PLAIN(F, live_bytes),
     TP_DEFINITION("bytes of the blocks that are live at the peak; null: unknown")},
    {"live_blocks", TP_PLAIN(F, live_block_count),
     TP_DEFINITION("number of blocks that are live at the peak; null: unknown")},
    {"live_by", TP_PART(&live), TP_DEFINITION("blocks that are live at the peak, largest first")},
    {"step_end_bytes", TP_ARRAY(F, step_end_bytes, step_end_count),
     TP_DEFINITION("bytes allocated at the end of each analysed step; null for a step before the first memory record")},
    {"creep_bytes_per_step", TP_PLAIN(F, creep_bytes_per_step),
     TP_DEFINITION("growth of the allocated bytes per step; null: unknown")},
    {"longest_rise_steps", TP_PLAIN(F, longest_rise_steps),
     TP_DEFINITION("largest number of consecutive steps that each end with more allocated bytes than the step before")},
};
#undef F

const struct tp_fields tp_memory_device_fields = TP_FIELDS("Memory of a device at its peak", fields);
