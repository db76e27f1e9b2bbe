/* Chooses the points of the curve, and measures the allocated bytes of each category at these points: see
 * snapshot_parts.h. The choice of points is that of other curves (docs/definitions.md, section 10). */
#include <string.h>

#include "webreport/measure/snapshot/snapshot_parts.h"
#include "writer/base/sort.h"

enum { MOST_POINTS = 1024, GROUPS = MOST_POINTS / 4 - 1, SHOWN_CATEGORIES = 8 };

static struct tp_snapshot_moment moment_at(const struct tp_snapshot_device *device, size_t position)
{
    const struct tp_allocator_amounts *amounts = position ? &device->replay.curve[position - 1] : &device->replay.start;
    /* the first point, before the first event, has the time of the first event */
    int64_t index = (int64_t)position - 1, time = TP_NULL_INT;
    if (device->has_time || position)
        time = position ? device->replay.events[index].time_us : device->first_us;
    return (struct tp_snapshot_moment){.index = index,
                                       .time_us = time,
                                       .allocated_bytes = amounts->allocated,
                                       .active_bytes = amounts->active,
                                       .reserved_bytes = amounts->reserved,
                                       .requested_bytes = amounts->requested};
}

static void add_point(struct tp_snapshot_device *device, size_t position)
{
    device->points[device->point_count++] = moment_at(device, position);
}

/* Adds the first, the first lowest, the first highest and the last position of a group, in their order. */
static void add_group(struct tp_snapshot_device *device, size_t from, size_t to)
{
    size_t low = from, high = from;
    if (from == to)
        return;
    for (size_t i = from; i < to; i++) {
        if (tp_snapshot_allocated_at(device, i) < tp_snapshot_allocated_at(device, low))
            low = i;
        if (tp_snapshot_allocated_at(device, i) > tp_snapshot_allocated_at(device, high))
            high = i;
    }
    const size_t order[] = {from, low < high ? low : high, low < high ? high : low, to - 1};
    for (unsigned i = 0; i < 4; i++)
        if (i == 0 || order[i] != order[i - 1])
            add_point(device, order[i]);
}

static void choose_points(struct tp_snapshot_device *device)
{
    size_t count = device->replay.event_count + 1;
    device->points =
        tp_arena_array(device->context.arena, count < MOST_POINTS ? count : MOST_POINTS, sizeof *device->points);
    if (count <= MOST_POINTS) {
        for (size_t i = 0; i < count; i++)
            add_point(device, i);
        return;
    }
    add_point(device, 0);
    for (size_t i = 0; i < GROUPS; i++)
        add_group(device, 1 + i * (count - 2) / GROUPS, 1 + (i + 1) * (count - 2) / GROUPS);
    add_point(device, count - 1);
}

/* ---- categories ---- */

/* Returns the number of points whose index is below `index`. */
static size_t points_before(const struct tp_snapshot_device *device, int64_t index)
{
    size_t low = 0, high = device->point_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (device->points[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds the changes that each block makes to the bytes of its category; the sums of the changes are the bytes. */
static void add_changes(struct tp_snapshot_device *device, struct tp_vec *categories)
{
    struct tp_arena *arena = device->context.arena;
    struct tp_id_map by_name;
    tp_id_map_init(&by_name, arena);
    for (uint32_t i = 0; i < device->replay.blocks.count; i++) {
        const struct tp_allocator_block *block = tp_replay_block(&device->replay, i);
        if (block->free_requested < 0)
            continue;
        uint32_t name = tp_live_category(&device->context, block);
        uint32_t *index = tp_id_map_find_or_add(&by_name, name);
        if (*index == UINT32_MAX) {
            *index = (uint32_t)categories->count;
            *(struct tp_snapshot_category *)tp_vec_push(categories) =
                (struct tp_snapshot_category){.name = tp_code_name(device->context.stacks, name),
                                              .bytes = tp_arena_array(arena, device->point_count + 1, sizeof(uint64_t)),
                                              .point_count = device->point_count};
        }
        uint64_t *bytes = TP_AT(categories, struct tp_snapshot_category, *index)->bytes;
        bytes[points_before(device, block->allocated)] += block->size;
        if (block->free_requested != TP_NO_EVENT)
            bytes[points_before(device, block->free_requested)] -= block->size;
    }
}

static void add_up(struct tp_snapshot_category *category)
{
    for (uint64_t i = 0; i < category->point_count; i++) {
        category->bytes[i] += i ? category->bytes[i - 1] : 0;
        if (category->bytes[i] > category->largest)
            category->largest = category->bytes[i];
    }
}

static int compare_categories(const void *x, const void *y, const void *context)
{
    const struct tp_snapshot_category *a = x, *b = y;
    (void)context; /* all data is in the categories */
    if (a->largest != b->largest)
        return a->largest < b->largest ? 1 : -1;
    int order = memcmp(a->name.ptr, b->name.ptr, a->name.len < b->name.len ? a->name.len : b->name.len);
    return order ? order : (a->name.len > b->name.len) - (a->name.len < b->name.len);
}

/* Adds the categories after the largest ones up to one category. */
static void join_others(struct tp_vec *categories)
{
    if (categories->count <= SHOWN_CATEGORIES)
        return;
    struct tp_snapshot_category *all = categories->data, *others = &all[SHOWN_CATEGORIES];
    for (size_t k = SHOWN_CATEGORIES + 1; k < categories->count; k++)
        for (uint64_t i = 0; i < others->point_count; i++)
            others->bytes[i] += all[k].bytes[i];
    others->name = tp_str_of("all others");
    categories->count = SHOWN_CATEGORIES + 1;
}

void tp_snapshot_measure_curve(struct tp_snapshot_device *device)
{
    struct tp_vec categories = TP_VEC(device->context.arena, struct tp_snapshot_category);
    choose_points(device);
    add_changes(device, &categories);
    for (size_t i = 0; i < categories.count; i++)
        add_up(TP_AT(&categories, struct tp_snapshot_category, i));
    tp_merge_sort(device->context.arena, categories.data, categories.count, sizeof(struct tp_snapshot_category),
                  compare_categories, NULL);
    join_others(&categories);
    device->categories = categories.data;
    device->category_count = categories.count;
}
