/* Defines one address space for all code files: each file has its own range of 1 TiB, the same for all processes. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_CODE_SPACE_H
#define TP_COLLECTOR_OUTSIDE_CODE_CODE_SPACE_H

#include "collector/outside/code/code_maps.h"

enum { TP_CODE_SPACE_BITS = 40 };

/* Returns the start of a file's range. It is above all addresses of a process. The space contains at most 2^22
 * files. */
static inline uint64_t tp_code_space_start(uint32_t file)
{
    return (uint64_t)1 << 62 | (uint64_t)file << TP_CODE_SPACE_BITS;
}

/* Converts an address of a process to the shared space. Returns the address unchanged if no code file is mapped
 * there. */
static inline uint64_t tp_code_space_address(const struct tp_code_maps *maps, const struct tp_code_places *places,
                                             uint64_t address)
{
    const struct tp_code_map *map = tp_code_maps_find_mapping(maps, address);
    uint64_t in_file = map && map->file >= TP_CODE_FIRST_FILE
                           ? tp_code_file_address(places, map->file, address - map->start + map->offset)
                           : UINT64_MAX;
    return in_file >> TP_CODE_SPACE_BITS ? address : tp_code_space_start(map->file) + in_file;
}

/* Splits an address of the shared space into a file and an address in the file. Returns false if the address is not in
 * the range of a file. */
static inline bool tp_code_space_split(const struct tp_code_places *places, uint64_t place, uint32_t *file,
                                       uint64_t *address)
{
    *file = (uint32_t)(place >> TP_CODE_SPACE_BITS & ((1u << 22) - 1));
    *address = place & (((uint64_t)1 << TP_CODE_SPACE_BITS) - 1);
    return place >> 62 == 1 && *file >= TP_CODE_FIRST_FILE && *file < places->files.count;
}

#endif
