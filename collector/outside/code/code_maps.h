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
    struct tp_code_map
        *items;           /* list of mappings, oldest first; if two have the same address, the later one is valid */
    uint32_t count, room; /* room: capacity of the list; 0: the list belongs to the parent */
    uint32_t image;       /* number of the image for code generated at run time, see code_places.h; 0: none */
    bool has_own_image;   /* false: `image` is the parent's */
};

/* Adds a mapping and removes those that it covers. */
void tp_code_maps_add(struct tp_code_maps *maps, struct tp_code_places *places, const struct tp_perf_record *mapping);

/* Returns the mapping that contains an address, or NULL. The pointer is valid until the next mapping is added. */
const struct tp_code_map *tp_code_maps_find(const struct tp_code_maps *maps, uint64_t address);

/* Returns the node of a program address that was called from `outer`. Returns `outer` itself if both are in unknown
 * code. */
uint32_t tp_code_maps_frame(const struct tp_code_maps *maps, struct tp_code_places *places, uint32_t outer,
                            uint64_t address);

/* Returns the node of a chain of addresses, whose first element is the leaf; 0: no frames. Kernel frames are placed
 * inside the program's frames. */
uint32_t tp_code_maps_stack(const struct tp_code_maps *maps, struct tp_code_places *places, const uint64_t *chain,
                            size_t count);

/* Returns the node of a chain as tp_code_maps_stack does, for a known node `program` of the program's part. */
uint32_t tp_code_maps_kernel(struct tp_code_places *places, uint32_t program, const uint64_t *chain, size_t count);

#endif
