/* Where the code of one process lies: the mappings that can be executed, as the kernel tells them. What a process
 * inherits it shares with its parent until it maps something itself. In the arena of the recording. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_CODE_MAPS_H
#define TP_COLLECTOR_OUTSIDE_CODE_CODE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/outside/code/code_places.h"
#include "collector/outside/events/perf_record.h"

struct tp_code_map {
    uint64_t start, end, offset;
    uint32_t file;
};

struct tp_code_maps {
    struct tp_code_map *items; /* oldest first: of two at one place the later counts */
    uint32_t count, room;      /* room 0: they are the parent's */
    uint32_t image;            /* of code made at run time: code_places.h; 0: there is none */
    bool has_own_image;        /* else it is the parent's */
};

/* Adds a mapping; those that it covers go. */
void tp_code_maps_add(struct tp_code_maps *maps, struct tp_code_places *places, const struct tp_perf_record *mapping);

/* The mapping at an address, or NULL; until the next one is added. */
const struct tp_code_map *tp_code_maps_find(const struct tp_code_maps *maps, uint64_t address);

/* The node of an address of the program, called from `outer`; outer itself: it is unknown as that one is. */
uint32_t tp_code_maps_frame(const struct tp_code_maps *maps, struct tp_code_places *places, uint32_t outer,
                            uint64_t address);

/* The node of a chain of addresses, leaf first; 0: it has none. What the kernel was doing comes inside of what the
 * program was. */
uint32_t tp_code_maps_stack(const struct tp_code_maps *maps, struct tp_code_places *places, const uint64_t *chain,
                            size_t count);

/* The same with the node of the program's part, which is known: what the kernel was doing comes inside of it. */
uint32_t tp_code_maps_kernel(struct tp_code_places *places, uint32_t program, const uint64_t *chain, size_t count);

#endif
