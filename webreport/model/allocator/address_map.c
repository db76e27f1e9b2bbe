/* Maps addresses to numbers in the order of the addresses: see address_map.h. */
#include "webreport/model/allocator/address_map.h"

#include <string.h>

enum { HALF = TP_ADDRESS_BUCKET / 2, FIRST_CAPACITY = 64 };

void tp_address_map_init(struct tp_address_map *map, struct tp_arena *arena)
{
    *map = (struct tp_address_map){.arena = arena};
}

static void give_back(struct tp_address_map *map, struct tp_address_bucket *bucket)
{
    bucket->count = 0;
    bucket->next_free = map->free;
    map->free = bucket;
}

void tp_address_map_clear(struct tp_address_map *map)
{
    for (size_t i = 0; i < map->bucket_count; i++)
        give_back(map, map->buckets[i]);
    map->bucket_count = map->count = 0;
}

/* Returns the number of the bucket that may contain the address: the last bucket that does not begin after it; 0 if all
 * buckets begin after it. */
static size_t find_bucket(const struct tp_address_map *map, uint64_t address)
{
    size_t low = 0, high = map->bucket_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (map->first[middle] <= address)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns the index of the first entry of a bucket that is at least `address`; the number of entries if none is. */
static uint32_t find_index(const struct tp_address_bucket *bucket, uint64_t address)
{
    uint32_t low = 0, high = bucket->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (bucket->addresses[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t *tp_address_map_find(const struct tp_address_map *map, uint64_t address)
{
    if (map->bucket_count == 0)
        return NULL;
    struct tp_address_bucket *bucket = map->buckets[find_bucket(map, address)];
    uint32_t index = find_index(bucket, address);
    return index < bucket->count && bucket->addresses[index] == address ? &bucket->values[index] : NULL;
}

static void insert_bucket(struct tp_address_map *map, size_t at, struct tp_address_bucket *bucket)
{
    if (map->bucket_count == map->capacity) {
        size_t capacity = map->capacity ? map->capacity * 2 : FIRST_CAPACITY;
        map->buckets = tp_arena_resize(map->arena, map->buckets, map->capacity * sizeof *map->buckets,
                                       capacity * sizeof *map->buckets);
        map->first =
            tp_arena_resize(map->arena, map->first, map->capacity * sizeof *map->first, capacity * sizeof *map->first);
        map->capacity = capacity;
    }
    memmove(map->buckets + at + 1, map->buckets + at, (map->bucket_count - at) * sizeof *map->buckets);
    memmove(map->first + at + 1, map->first + at, (map->bucket_count - at) * sizeof *map->first);
    map->buckets[at] = bucket;
    map->bucket_count++;
}

static struct tp_address_bucket *take_bucket(struct tp_address_map *map)
{
    struct tp_address_bucket *bucket = map->free;
    if (!bucket)
        return tp_arena_alloc(map->arena, sizeof *bucket);
    map->free = bucket->next_free;
    return bucket;
}

/* Moves the upper half of a full bucket to a new bucket after it. */
static void split(struct tp_address_map *map, size_t at)
{
    struct tp_address_bucket *lower = map->buckets[at], *upper = take_bucket(map);
    memcpy(upper->addresses, lower->addresses + HALF, HALF * sizeof *upper->addresses);
    memcpy(upper->values, lower->values + HALF, HALF * sizeof *upper->values);
    lower->count = upper->count = HALF;
    insert_bucket(map, at + 1, upper);
    map->first[at + 1] = upper->addresses[0];
}

void tp_address_map_put(struct tp_address_map *map, uint64_t address, uint32_t value)
{
    if (map->bucket_count == 0)
        insert_bucket(map, 0, take_bucket(map));
    size_t at = find_bucket(map, address);
    struct tp_address_bucket *bucket = map->buckets[at];
    uint32_t index = find_index(bucket, address);
    if (index < bucket->count && bucket->addresses[index] == address) {
        bucket->values[index] = value;
        return;
    }
    if (bucket->count == TP_ADDRESS_BUCKET) {
        split(map, at);
        at += index > HALF;
        bucket = map->buckets[at];
        index = find_index(bucket, address);
    }
    memmove(bucket->addresses + index + 1, bucket->addresses + index,
            (bucket->count - index) * sizeof *bucket->addresses);
    memmove(bucket->values + index + 1, bucket->values + index, (bucket->count - index) * sizeof *bucket->values);
    bucket->addresses[index] = address;
    bucket->values[index] = value;
    bucket->count++;
    map->first[at] = bucket->addresses[0];
    map->count++;
}

bool tp_address_map_remove(struct tp_address_map *map, uint64_t address)
{
    if (map->bucket_count == 0)
        return false;
    size_t at = find_bucket(map, address);
    struct tp_address_bucket *bucket = map->buckets[at];
    uint32_t index = find_index(bucket, address);
    if (index == bucket->count || bucket->addresses[index] != address)
        return false;
    bucket->count--;
    map->count--;
    memmove(bucket->addresses + index, bucket->addresses + index + 1,
            (bucket->count - index) * sizeof *bucket->addresses);
    memmove(bucket->values + index, bucket->values + index + 1, (bucket->count - index) * sizeof *bucket->values);
    if (bucket->count) {
        map->first[at] = bucket->addresses[0];
        return true;
    }
    give_back(map, bucket);
    map->bucket_count--;
    memmove(map->buckets + at, map->buckets + at + 1, (map->bucket_count - at) * sizeof *map->buckets);
    memmove(map->first + at, map->first + at + 1, (map->bucket_count - at) * sizeof *map->first);
    return true;
}

bool tp_address_map_from(const struct tp_address_map *map, uint64_t address, struct tp_address_entry *entry)
{
    if (map->bucket_count == 0)
        return false;
    *entry = (struct tp_address_entry){.map = map, .bucket = find_bucket(map, address)};
    entry->index = find_index(map->buckets[entry->bucket], address);
    if (entry->index < map->buckets[entry->bucket]->count)
        return true;
    entry->index = 0;
    return ++entry->bucket < map->bucket_count;
}

bool tp_address_map_before(const struct tp_address_map *map, uint64_t address, struct tp_address_entry *entry)
{
    if (map->bucket_count == 0)
        return false;
    *entry = (struct tp_address_entry){.map = map, .bucket = find_bucket(map, address)};
    uint32_t index = find_index(map->buckets[entry->bucket], address);
    if (index == 0 && entry->bucket > 0)
        index = map->buckets[--entry->bucket]->count;
    entry->index = index - 1;
    return index > 0;
}

bool tp_address_entry_next(struct tp_address_entry *entry)
{
    if (++entry->index < entry->map->buckets[entry->bucket]->count)
        return true;
    entry->index = 0;
    return ++entry->bucket < entry->map->bucket_count;
}
