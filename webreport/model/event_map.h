/* Maps few of a trace's events to numbers. Needs about two bits for each event, and 4 bytes for each event with a
 * number. */
#ifndef TP_WEBREPORT_MODEL_EVENT_MAP_H
#define TP_WEBREPORT_MODEL_EVENT_MAP_H

#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

struct tp_event_map {
    uint64_t *bits;       /* a bit for each event, 1 if the event has a number; NULL if the map is empty */
    uint32_t *before;     /* for each 64 bits: number of events with a number in the earlier bits */
    uint32_t *values;     /* the numbers, in the order of the events */
    uint32_t count;       /* number of events with a number */
    uint32_t event_count; /* larger events have no number */
};

/* Builds the map from one number for each event; TP_NO_ID: no number. Allocates from `arena`. */
void tp_event_map_build(struct tp_event_map *map, const uint32_t *numbers, uint32_t event_count,
                        struct tp_arena *arena);

/* Gives the memory of a large map back to the arena, and empties the map. */
void tp_event_map_release(struct tp_event_map *map, struct tp_arena *arena);

/* Returns the number of an event; TP_NO_ID if it has none. */
static inline uint32_t tp_event_map_get(const struct tp_event_map *map, uint32_t event)
{
    if (!map->bits || event >= map->event_count)
        return TP_NO_ID;
    uint64_t word = map->bits[event / 64], bit = UINT64_C(1) << event % 64;
    if (!(word & bit))
        return TP_NO_ID;
    return map->values[map->before[event / 64] + (uint32_t)__builtin_popcountll(word & (bit - 1))];
}

#endif
