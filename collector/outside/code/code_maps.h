/* Stores the executable mappings of one process, as the kernel reports them. A process shares the mappings of its
 * parent until it maps something itself. Memory is in the arena of the recording. */
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
    struct tp_code_map *items; /* oldest first; of two at one address the later one counts */
    uint32_t count, room;      /* room 0: the list belongs to the parent */
    uint32_t image;            /* image of code generated at run time, see code_places.h; 0: none */
    bool has_own_image;        /* false: the image is the parent's */
};

/* Adds a mapping and removes those that it covers. */
void tp_code_maps_add(struct tp_code_maps *maps, struct tp_code_places *places, const struct tp_perf_record *mapping);

/* Returns the mapping at an address, or NULL. Valid until the next mapping is added. */
const struct tp_code_map *tp_code_maps_find(const struct tp_code_maps *maps, uint64_t address);

/* Returns the node of a program address that was called from `outer`. Returns `outer` itself if both are unknown
 * code. */
uint32_t tp_code_maps_frame(const struct tp_code_maps *maps, struct tp_code_places *places, uint32_t outer,
                            uint64_t address);

/* Returns the node of a chain of addresses, leaf first; 0: none. Kernel frames are placed inside the program's
 * frames. */
uint32_t tp_code_maps_stack(const struct tp_code_maps *maps, struct tp_code_places *places, const uint64_t *chain,
                            size_t count);

/* Does the same if the node of the program's part is already known. */
uint32_t tp_code_maps_kernel(struct tp_code_places *places, uint32_t program, const uint64_t *chain, size_t count);

#endif
