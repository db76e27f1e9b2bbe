/* Builds maps of events: see event_map.h. */
#include "webreport/model/event_map.h"

static size_t count_words(const struct tp_event_map *map)
{
    return (size_t)map->event_count / 64 + 1;
}

void tp_event_map_build(struct tp_event_map *map, const uint32_t *numbers, uint32_t event_count, struct tp_arena *arena)
{
    *map = (struct tp_event_map){.event_count = event_count};
    for (uint32_t i = 0; i < event_count; i++)
        map->count += numbers[i] != TP_NO_ID;
    if (!map->count)
        return;
    map->bits = tp_arena_array(arena, count_words(map), sizeof *map->bits);
    map->before = tp_arena_array(arena, count_words(map), sizeof *map->before);
    map->values = tp_arena_array(arena, map->count, sizeof *map->values);
    for (uint32_t i = 0, at = 0; i < event_count; i++) {
        if (i % 64 == 0)
            map->before[i / 64] = at;
        if (numbers[i] == TP_NO_ID)
            continue;
        map->bits[i / 64] |= UINT64_C(1) << i % 64;
        map->values[at++] = numbers[i];
    }
}

void tp_event_map_release(struct tp_event_map *map, struct tp_arena *arena)
{
    if (!map->count)
        return;
    tp_arena_free_item(arena, map->bits, count_words(map) * sizeof *map->bits);
    tp_arena_free_item(arena, map->before, count_words(map) * sizeof *map->before);
    tp_arena_free_item(arena, map->values, map->count * sizeof *map->values);
    *map = (struct tp_event_map){0};
}
