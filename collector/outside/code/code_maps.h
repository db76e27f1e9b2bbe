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
        *items;           /* list of mappings, oldest first; of two mappings at one address, the later one is valid */
    uint32_t count, room; /* number of mappings, and capacity of the list; room 0: the list belongs to the parent
                           * process */
    uint32_t image;       /* number that identifies the process image, and so the code generated at run time
                           * (code_places.h); 0: none */
    bool has_image_of_this_process; /* true: `image` is the image of this process; false: the image of its parent */
};

/* Adds a mapping and removes all mappings inside its address range. */
void tp_code_maps_add_mapping(struct tp_code_maps *maps, struct tp_code_places *places,
                              const struct tp_perf_record *mapping);

/* Returns the mapping that contains an address, or NULL. The pointer is valid until the next mapping is added. */
const struct tp_code_map *tp_code_maps_find_mapping(const struct tp_code_maps *maps, uint64_t address);

/* Returns the stack node for a program address that was called from node `outer`. Returns `outer` if both are in
 * unknown code. */
uint32_t tp_code_maps_add_frame(const struct tp_code_maps *maps, struct tp_code_places *places, uint32_t outer,
                                uint64_t address);

/* Converts a call chain, innermost address first, to a stack and returns its node; 0: no frames. Kernel frames become
 * callees of the program's frames. */
uint32_t tp_code_maps_add_stack(const struct tp_code_maps *maps, struct tp_code_places *places, const uint64_t *chain,
                                size_t count);

/* Adds the kernel frames of a call chain to the stack `program`, and returns the node of the result. */
uint32_t tp_code_maps_add_kernel_stack(struct tp_code_places *places, uint32_t program, const uint64_t *chain,
                                       size_t count);

#endif
