/* Finds the boundaries of steps, and the lines whose live bytes grow from step to step: see snapshot_parts.h. */
#include <stdio.h>
#include <string.h>

#include "webreport/measure/snapshot/snapshot_parts.h"
#include "webreport/trace/regions.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

enum { LAST_STEPS = 4, SHOWN_LINES = 30, LEAST_VALLEYS = 4 };

/* ---- boundaries ---- */

static void add_boundary(struct tp_vec *boundaries, int64_t index, struct tp_str name)
{
    *(struct tp_snapshot_boundary *)tp_vec_push(boundaries) =
        (struct tp_snapshot_boundary){.index = index, .name = name};
}

/* Returns the number of events up to a time. Times may step back by some µs, so this is a binary search and not a
 * count. */
static int64_t events_until(const struct tp_replay *replay, int64_t time_us)
{
    size_t low = 0, high = replay->event_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (time_us < replay->events[middle].time_us)
            high = middle;
        else
            low = middle + 1;
    }
    return (int64_t)low;
}

/* Finds boundaries at the ends of the ranges of a kind. Returns false for fewer than two. */
static bool find_annotations(const struct tp_snapshot_device *device, enum tp_region_bit kind,
                             struct tp_vec *boundaries)
{
    const struct tp_vec *annotations = &device->context.snapshot->annotations;
    size_t positions = device->replay.event_count + 1, found = 0;
    bool *is_end = tp_arena_array(boundaries->arena, positions, sizeof *is_end);
    struct tp_vec names = TP_VEC(boundaries->arena, struct tp_str);
    for (size_t i = 0; i < annotations->count && device->has_time; i++) {
        const struct tp_snapshot_annotation *a = TP_AT(annotations, struct tp_snapshot_annotation, i);
        if (!a->is_end || !(a->kinds & kind) || (a->device != device->device && a->device != TP_NULL_INT))
            continue;
        is_end[events_until(&device->replay, a->time_us)] = true;
        if (found++ < positions)
            *(struct tp_str *)tp_vec_push(&names) = a->name;
    }
    boundaries->count = 0;
    if (found < 2)
        return false;
    for (size_t i = 0; i < positions; i++) /* ranges that end at one event are one step; names keep their order */
        if (is_end[i])
            add_boundary(boundaries, (int64_t)i - 1, *TP_AT(&names, struct tp_str, boundaries->count));
    return true;
}

/* Finds boundaries where the text that the program set changes. Returns false for fewer than two. */
static bool find_metadata_changes(const struct tp_snapshot_device *device, struct tp_vec *boundaries)
{
    const struct tp_snapshot *snapshot = device->context.snapshot;
    const struct tp_replay *replay = &device->replay;
    uint32_t before = snapshot->no_text;
    boundaries->count = 0;
    for (size_t i = 0; i < replay->event_count; i++) {
        uint32_t text = replay->events[i].metadata;
        if (text == snapshot->no_text)
            continue;
        if (before != snapshot->no_text && text != before)
            add_boundary(boundaries, (int64_t)i - 1,
                         i ? tp_strings_get(&snapshot->texts, replay->events[i - 1].metadata) : (struct tp_str){"", 0});
        before = text;
    }
    if (boundaries->count < 2)
        return false;
    add_boundary(boundaries, (int64_t)replay->event_count - 1,
                 tp_strings_get(&snapshot->texts, replay->events[replay->event_count - 1].metadata));
    return true;
}

/* Finds the lows of the curve between two rises of at least a quarter of its range. */
static void find_valleys(const struct tp_snapshot_device *device, struct tp_vec *boundaries)
{
    size_t count = device->replay.event_count + 1, extreme_at = 0;
    uint64_t lowest = UINT64_MAX, highest = 0, extreme = tp_snapshot_allocated_at(device, 0);
    bool seeks_high = true;
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = tp_snapshot_allocated_at(device, i);
        lowest = bytes < lowest ? bytes : lowest;
        highest = bytes > highest ? bytes : highest;
    }
    double threshold = (double)(highest - lowest) / 4;
    boundaries->count = 0;
    for (size_t i = 0; i < count && highest > lowest; i++) {
        uint64_t bytes = tp_snapshot_allocated_at(device, i);
        if (seeks_high ? bytes > extreme : bytes < extreme) {
            extreme = bytes;
            extreme_at = i;
            continue;
        }
        double change = seeks_high ? (double)(extreme - bytes) : (double)(bytes - extreme);
        if (change < threshold || bytes == extreme)
            continue;
        if (!seeks_high && extreme_at > 0)
            add_boundary(boundaries, (int64_t)extreme_at - 1, (struct tp_str){"", 0});
        seeks_high = !seeks_high;
        extreme = bytes;
        extreme_at = i;
    }
    if (highest > lowest && !seeks_high && extreme_at > 0)
        add_boundary(boundaries, (int64_t)extreme_at - 1, (struct tp_str){"", 0});
}

static void name_valleys(struct tp_vec *boundaries)
{
    for (size_t i = 0; i < boundaries->count; i++) {
        char name[32];
        int size = snprintf(name, sizeof name, "valley %zu", i + 1);
        TP_AT(boundaries, struct tp_snapshot_boundary, i)->name =
            (struct tp_str){tp_arena_copy(boundaries->arena, name, (size_t)size), (size_t)size};
    }
}

/* Keeps the last TP_MAX_SNAPSHOT_STEPS boundaries. */
static void drop_first_boundaries(struct tp_vec *boundaries)
{
    if (boundaries->count <= TP_MAX_SNAPSHOT_STEPS)
        return;
    memmove(boundaries->data, TP_AT(boundaries, struct tp_snapshot_boundary, boundaries->count - TP_MAX_SNAPSHOT_STEPS),
            TP_MAX_SNAPSHOT_STEPS * sizeof(struct tp_snapshot_boundary));
    boundaries->count = TP_MAX_SNAPSHOT_STEPS;
}

/* Finds the boundaries, and returns how; NULL if no boundary exists. */
static const char *find_boundaries(const struct tp_snapshot_device *device, struct tp_vec *boundaries)
{
    if (find_annotations(device, TP_REGION_PROFILER_STEP, boundaries))
        return TP_PROFILER_STEP;
    if (find_annotations(device, TP_REGION_OPTIMIZER_STEP, boundaries))
        return TP_OPTIMIZER_STEP_WORD;
    if (find_metadata_changes(device, boundaries))
        return "user_metadata";
    boundaries->count = 0;
    if (!device->replay.event_count)
        return NULL;
    find_valleys(device, boundaries);
    if (boundaries->count < LEAST_VALLEYS) {
        boundaries->count = 0;
        return NULL;
    }
    name_valleys(boundaries);
    return "valleys";
}

/* Fills the amounts of each step, which lasts from the boundary before it up to its own boundary. */
static void measure_steps(const struct tp_snapshot_device *device, struct tp_snapshot_growth *growth)
{
    const struct tp_replay *replay = &device->replay;
    int64_t at = 0;
    for (uint64_t k = 0; k < growth->boundary_count; k++) {
        struct tp_snapshot_boundary *boundary = &growth->boundaries[k];
        boundary->allocated_bytes = tp_snapshot_allocated_at(device, (size_t)(boundary->index + 1));
        boundary->peak_bytes = TP_NULL_INT;
        for (; at <= boundary->index; at++) {
            unsigned action = replay->events[at].action;
            int64_t bytes = (int64_t)replay->curve[at].allocated;
            if (boundary->peak_bytes == TP_NULL_INT || bytes > boundary->peak_bytes)
                boundary->peak_bytes = bytes;
            boundary->allocs += action == TP_ACTION_ALLOC;
            boundary->segment_allocs += action == TP_ACTION_SEGMENT_ALLOC || action == TP_ACTION_SEGMENT_MAP;
        }
    }
}

/* ---- growth of lines ---- */

/* Live bytes of a line at the last boundaries. */
struct line {
    struct tp_str name;
    uint64_t bytes[LAST_STEPS], blocks;
    uint32_t id;                         /* id of the name */
    struct tp_snapshot_growing *growing; /* NULL if the line does not grow, or is not shown */
};

struct lines {
    const struct tp_snapshot_device *device;
    struct tp_vec items; /* elements: struct line */
    struct tp_id_map by_name;
    uint32_t before_name, no_stack_name;
};

/* Returns the number of boundaries before the event `index`. */
static size_t boundaries_before(const struct tp_snapshot_growth *growth, int64_t index)
{
    size_t low = 0, high = growth->boundary_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (growth->boundaries[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the line of a block, which is added if it is missing. Valid until the next call. */
static struct line *find_line(struct lines *lines, const struct tp_allocator_block *block)
{
    uint32_t name = tp_snapshot_line_or_site(lines->device, block->stack);
    if (name == lines->device->context.stacks->frames.no_name)
        name = block->allocated < 0 ? lines->before_name : lines->no_stack_name;
    uint32_t *index = tp_id_map_find_or_add(&lines->by_name, name);
    if (*index == UINT32_MAX) {
        *index = (uint32_t)lines->items.count;
        *(struct line *)tp_vec_push(&lines->items) =
            (struct line){.id = name, .name = tp_code_name(lines->device->context.stacks, name)};
    }
    return TP_AT(&lines->items, struct line, *index);
}

/* Finds the boundaries at which a block is live: from *first up to before *end. */
static void live_boundaries(const struct tp_snapshot_growth *growth, const struct tp_allocator_block *block,
                            size_t *first, size_t *end)
{
    *first = boundaries_before(growth, block->allocated);
    *end = block->free_requested == TP_NO_EVENT ? growth->boundary_count
                                                : boundaries_before(growth, block->free_requested);
}

/* Adds the bytes of each block to its line, at the last boundaries. */
static void add_last_steps(struct lines *lines)
{
    const struct tp_snapshot_growth *growth = &lines->device->growth;
    const struct tp_replay *replay = &lines->device->replay;
    size_t from = growth->boundary_count - LAST_STEPS, first, end;
    for (uint32_t i = 0; i < replay->blocks.count; i++) {
        const struct tp_allocator_block *block = tp_replay_block(replay, i);
        live_boundaries(growth, block, &first, &end);
        if (end <= from || first >= end)
            continue;
        struct line *line = find_line(lines, block);
        for (size_t k = first > from ? first : from; k < end; k++)
            line->bytes[k - from] += block->size;
        line->blocks += end == growth->boundary_count;
    }
}

static int compare_growing(const void *x, const void *y, const void *context)
{
    const struct tp_snapshot_growing *a = x, *b = y;
    (void)context; /* all data is in the rows */
    if (a->bytes_per_step != b->bytes_per_step)
        return a->bytes_per_step < b->bytes_per_step ? 1 : -1;
    int order = memcmp(a->name.ptr, b->name.ptr, a->name.len < b->name.len ? a->name.len : b->name.len);
    return order ? order : (a->name.len > b->name.len) - (a->name.len < b->name.len);
}

static void list_growing(struct lines *lines, struct tp_snapshot_growth *growth)
{
    struct tp_arena *arena = lines->items.arena;
    struct tp_vec rows = TP_VEC(arena, struct tp_snapshot_growing);
    for (size_t i = 0; i < lines->items.count; i++) {
        const struct line *line = TP_AT(&lines->items, struct line, i);
        bool grows = true;
        for (unsigned k = 1; k < LAST_STEPS; k++)
            grows &= line->bytes[k - 1] < line->bytes[k];
        if (grows)
            *(struct tp_snapshot_growing *)tp_vec_push(&rows) = (struct tp_snapshot_growing){
                .name = line->name,
                .name_id = line->id,
                .bytes_per_step = (line->bytes[LAST_STEPS - 1] - line->bytes[0]) / (LAST_STEPS - 1),
                .blocks = line->blocks};
    }
    tp_merge_sort(arena, rows.data, rows.count, sizeof(struct tp_snapshot_growing), compare_growing, NULL);
    growth->growing = rows.data;
    growth->growing_count = rows.count < SHOWN_LINES ? rows.count : SHOWN_LINES;
}

/* Fills the live bytes of the growing lines at all boundaries. */
static void measure_growing(struct lines *lines, struct tp_snapshot_growth *growth)
{
    const struct tp_replay *replay = &lines->device->replay;
    for (uint64_t i = 0; i < growth->growing_count; i++) {
        struct tp_snapshot_growing *row = &growth->growing[i];
        row->live_bytes = tp_arena_array(lines->items.arena, growth->boundary_count + 1, sizeof *row->live_bytes);
        row->live_count = growth->boundary_count;
        for (size_t k = 0; k < lines->items.count; k++)
            if (TP_AT(&lines->items, struct line, k)->id == row->name_id)
                TP_AT(&lines->items, struct line, k)->growing = row;
    }
    for (uint32_t i = 0; i < replay->blocks.count; i++) {
        const struct tp_allocator_block *block = tp_replay_block(replay, i);
        const struct tp_snapshot_growing *row = find_line(lines, block)->growing;
        size_t first, end;
        if (!row)
            continue;
        live_boundaries(growth, block, &first, &end);
        if (first >= end)
            continue;
        row->live_bytes[first] += block->size;
        row->live_bytes[end] -= block->size;
    }
    for (uint64_t i = 0; i < growth->growing_count; i++)
        for (uint64_t k = 1; k < growth->boundary_count; k++)
            growth->growing[i].live_bytes[k] += growth->growing[i].live_bytes[k - 1];
}

static int64_t floor_third(int64_t number)
{
    int64_t third = number / 3;
    return third - (number % 3 < 0);
}

void tp_snapshot_measure_growth(struct tp_snapshot_device *device)
{
    struct tp_snapshot_growth *growth = &device->growth;
    struct tp_arena *arena = device->context.arena;
    struct tp_strings *names = &device->context.stacks->frames.names;
    struct tp_vec boundaries = TP_VEC(arena, struct tp_snapshot_boundary);
    growth->bytes_per_step = TP_NULL_INT;
    growth->by = find_boundaries(device, &boundaries);
    drop_first_boundaries(&boundaries);
    growth->boundaries = boundaries.data;
    growth->boundary_count = boundaries.count;
    measure_steps(device, growth);
    if (growth->boundary_count < LAST_STEPS)
        return;
    const struct tp_snapshot_boundary *last = &growth->boundaries[growth->boundary_count - LAST_STEPS];
    growth->bytes_per_step =
        floor_third((int64_t)last[LAST_STEPS - 1].allocated_bytes - (int64_t)last[0].allocated_bytes);
    growth->floor_rises = true;
    for (unsigned k = 1; k < LAST_STEPS; k++)
        growth->floor_rises &= last[k - 1].allocated_bytes < last[k].allocated_bytes;
    struct lines lines = {.device = device,
                          .items = TP_VEC(arena, struct line),
                          .before_name = tp_strings_add(names, tp_str_of("(before)")),
                          .no_stack_name = tp_strings_add(names, tp_str_of("(no stack)"))};
    tp_id_map_init(&lines.by_name, arena);
    add_last_steps(&lines);
    list_growing(&lines, growth);
    measure_growing(&lines, growth);
}
