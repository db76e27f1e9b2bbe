/* Segments of the allocator at one moment: see segment_set.h. */
#include "webreport/model/allocator/segment_set.h"

static struct tp_segment_range *range_at(const struct tp_segment_set *set, uint32_t index)
{
    return TP_AT(&set->ranges, struct tp_segment_range, index);
}

void tp_segment_set_init(struct tp_segment_set *set, struct tp_arena *arena)
{
    *set = (struct tp_segment_set){.ranges = TP_VEC(arena, struct tp_segment_range), .unused = TP_VEC(arena, uint32_t)};
    tp_address_map_init(&set->starts, arena);
}

static void insert(struct tp_segment_set *set, const struct tp_segment_range *range)
{
    uint32_t index = (uint32_t)set->ranges.count;
    if (set->unused.count)
        index = *TP_AT(&set->unused, uint32_t, --set->unused.count);
    else
        tp_vec_push(&set->ranges);
    *range_at(set, index) = *range;
    tp_address_map_put(&set->starts, range->address, index);
    set->total_bytes += range->size;
}

void tp_segment_set_copy(struct tp_segment_set *set, const struct tp_segment_set *other)
{
    struct tp_address_entry entry;
    bool has_entry = tp_address_map_from(&other->starts, 0, &entry);
    tp_address_map_clear(&set->starts);
    set->ranges.count = set->unused.count = 0;
    set->total_bytes = 0;
    for (; has_entry; has_entry = tp_address_entry_next(&entry))
        insert(set, range_at(other, tp_address_entry_value(&entry)));
}

static struct tp_segment_range *find_start(const struct tp_segment_set *set, uint64_t address)
{
    const uint32_t *index = tp_address_map_find(&set->starts, address);
    return index ? range_at(set, *index) : NULL;
}

const struct tp_segment_range *tp_segment_set_find(const struct tp_segment_set *set, uint64_t address)
{
    struct tp_address_entry entry;
    const struct tp_segment_range *range = find_start(set, address);
    if (!range && tp_address_map_before(&set->starts, address, &entry))
        range = range_at(set, tp_address_entry_value(&entry));
    return range && address - range->address < range->size ? range : NULL;
}

/* Removes the segment that begins at an address, and returns it. */
static struct tp_segment_range take(struct tp_segment_set *set, uint64_t address)
{
    uint32_t index = *tp_address_map_find(&set->starts, address);
    *(uint32_t *)tp_vec_push(&set->unused) = index;
    tp_address_map_remove(&set->starts, address);
    set->total_bytes -= range_at(set, index)->size;
    return *range_at(set, index);
}

static bool merges_with(const struct tp_segment_range *neighbor, const struct tp_segment_range *range)
{
    return neighbor && neighbor->is_expandable && neighbor->stream == range->stream;
}

bool tp_segment_set_add(struct tp_segment_set *set, struct tp_segment_range range)
{
    if (range.is_expandable) {
        const struct tp_segment_range *before = range.address ? tp_segment_set_find(set, range.address - 1) : NULL;
        if (merges_with(before, &range) && before->address + before->size == range.address) {
            struct tp_segment_range joined = take(set, before->address);
            joined.size += range.size;
            range = joined;
        }
        const struct tp_segment_range *after = find_start(set, range.address + range.size);
        if (merges_with(after, &range))
            range.size += take(set, after->address).size;
    }
    if (find_start(set, range.address))
        return false;
    insert(set, &range);
    return true;
}

bool tp_segment_set_cut(struct tp_segment_set *set, uint64_t address, uint64_t size, bool is_expandable)
{
    const struct tp_segment_range *found = is_expandable ? tp_segment_set_find(set, address) : find_start(set, address);
    if (!found || (!is_expandable && found->size != size))
        return false;
    uint64_t before = address - found->address;
    if (size > found->size - before)
        return false;
    struct tp_segment_range left = take(set, found->address), right = left;
    left.size = before;
    left.is_expandable = true;
    right.address = address + size;
    right.size -= before + size;
    right.is_expandable = true;
    if (left.size)
        tp_segment_set_add(set, left);
    if (right.size)
        tp_segment_set_add(set, right);
    return true;
}
