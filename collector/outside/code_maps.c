/* Mappings of code, and stacks by them: see code_maps.h. */
#include "collector/outside/code_maps.h"

#include <string.h>

#include "writer/base/limits.h"

enum { ADDRESS_BITS = 47 }; /* of a program; the kernel's are above all of them */

static void make_room(struct tp_code_maps *maps, struct tp_arena *arena)
{
    if (maps->count < maps->room)
        return;
    uint32_t room = maps->count < 16 ? 32 : maps->count * 2;
    struct tp_code_map *items = tp_arena_array(arena, room, sizeof *items);
    if (maps->count)
        memcpy(items, maps->items, maps->count * sizeof *items);
    if (maps->room)
        tp_arena_drop(arena, maps->items, maps->room * sizeof *items);
    maps->items = items;
    maps->room = room;
}

void tp_code_maps_add(struct tp_code_maps *maps, struct tp_code_places *places, const struct tp_perf_record *mapping)
{
    uint32_t kept = 0;
    uint64_t end = mapping->start + mapping->length;
    make_room(maps, places->arena);
    for (uint32_t i = 0; i < maps->count; i++)
        if (maps->items[i].start < mapping->start || maps->items[i].end > end)
            maps->items[kept++] = maps->items[i];
    maps->count = kept;
    if (kept == TP_MAX_OUTSIDE_MAPS) /* a compiler in the program that maps without end: the oldest goes */
        memmove(maps->items, maps->items + 1, --maps->count * sizeof *maps->items);
    maps->items[maps->count++] = (struct tp_code_map){.start = mapping->start,
                                                      .end = end,
                                                      .offset = mapping->offset,
                                                      .file = tp_code_file_of(places, tp_str_of(mapping->text))};
}

static const struct tp_code_map *map_at(const struct tp_code_maps *maps, uint64_t address)
{
    for (uint32_t i = maps->count; i-- > 0;)
        if (address >= maps->items[i].start && address < maps->items[i].end)
            return &maps->items[i];
    return NULL;
}

/* What a function without frame pointers left may be any number, also one of the kernel's addresses. */
static uint32_t add_frame(const struct tp_code_maps *maps, struct tp_code_places *places, uint32_t outer,
                          uint64_t address)
{
    const struct tp_code_map *map = map_at(maps, address);
    uint32_t file = map ? map->file : TP_CODE_UNKNOWN;
    bool is_unknown_twice = !map && outer && tp_code_frame_at(places, outer)->file == TP_CODE_UNKNOWN;
    if (is_unknown_twice)
        return outer;
    return tp_code_node_of(places, outer, file,
                           map ? tp_code_address(places, file, address - map->start + map->offset) : 0);
}

/* Chains tell where calls return to, but for the first address of the kernel's part and of the program's: the call
 * stands before that. */
uint32_t tp_code_maps_stack(const struct tp_code_maps *maps, struct tp_code_places *places, const uint64_t *chain,
                            size_t count)
{
    uint32_t node = 0;
    size_t user = 0; /* where the program's part begins */
    while (user < count && chain[user] != (uint64_t)PERF_CONTEXT_USER)
        user++;
    for (size_t i = count; i-- > 0;) {
        bool is_mark = chain[i] >= (uint64_t)PERF_CONTEXT_MAX, is_first = i == 0;
        is_first = is_first || chain[i - 1] >= (uint64_t)PERF_CONTEXT_MAX;
        uint64_t address = chain[i] - (is_first ? 0 : 1);
        if (!is_mark && i < user && address >> ADDRESS_BITS)
            node = tp_code_node_of(places, node, TP_CODE_KERNEL, address);
        else if (!is_mark)
            node = add_frame(maps, places, node, address);
    }
    return node;
}
