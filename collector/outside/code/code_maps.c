/* Stores code mappings and builds stacks from them: see code_maps.h. */
#include "collector/outside/code/code_maps.h"

#include <string.h>

#include "writer/base/limits.h"

enum { ADDRESS_BITS = 47 }; /* number of bits of an address in the program; addresses in the kernel are larger */

static void make_room_for_mapping(struct tp_code_maps *maps, struct tp_arena *arena)
{
    if (maps->count < maps->room)
        return;
    uint32_t room = maps->count < 16 ? 32 : maps->count * 2;
    struct tp_code_map *items = tp_arena_array(arena, room, sizeof *items);
    if (maps->count)
        memcpy(items, maps->items, maps->count * sizeof *items);
    if (maps->room)
        tp_arena_free_item(arena, maps->items, maps->room * sizeof *items);
    maps->items = items;
    maps->room = room;
}

void tp_code_maps_add_mapping(struct tp_code_maps *maps, struct tp_code_places *places,
                              const struct tp_perf_record *mapping)
{
    uint32_t kept = 0;
    uint64_t end = mapping->start + mapping->length;
    make_room_for_mapping(maps, places->arena);
    for (uint32_t i = 0; i < maps->count; i++)
        if (maps->items[i].start < mapping->start || maps->items[i].end > end)
            maps->items[kept++] = maps->items[i];
    maps->count = kept;
    if (kept == TP_MAX_OUTSIDE_MAPS) /* limits the list by removing the oldest mapping, because a JIT compiler may
                                      * create any number of mappings */
        memmove(maps->items, maps->items + 1, --maps->count * sizeof *maps->items);
    maps->items[maps->count++] = (struct tp_code_map){.start = mapping->start,
                                                      .end = end,
                                                      .offset = mapping->offset,
                                                      .file = tp_code_file_number(places, tp_str_of(mapping->text))};
    if (maps->items[maps->count - 1].file == TP_CODE_JIT && !maps->has_image_of_this_process) {
        maps->image = tp_code_add_image(places);
        maps->has_image_of_this_process = true;
    }
}

const struct tp_code_map *tp_code_maps_find_mapping(const struct tp_code_maps *maps, uint64_t address)
{
    if (address >> ADDRESS_BITS)
        return NULL;
    for (uint32_t i = maps->count; i-- > 0;)
        if (address >= maps->items[i].start && address < maps->items[i].end)
            return &maps->items[i];
    return NULL;
}

/* Returns the stack node for one address, called from `outer`. The address may be any number, because functions without
 * frame pointers leave other values in a call chain. */
uint32_t tp_code_maps_add_frame(const struct tp_code_maps *maps, struct tp_code_places *places, uint32_t outer,
                                uint64_t address)
{
    const struct tp_code_map *map = tp_code_maps_find_mapping(maps, address);
    uint32_t file = map ? map->file : TP_CODE_UNKNOWN;
    bool is_unknown_twice = !map && outer && tp_code_frame_at(places, outer)->file == TP_CODE_UNKNOWN;
    if (is_unknown_twice)
        return outer;
    if (file == TP_CODE_JIT)
        return tp_code_add_jit_node(places, outer, maps->image, address);
    return tp_code_add_node(places, outer, file,
                            map ? tp_code_file_address(places, file, address - map->start + map->offset) : 0);
}

static bool is_context_marker(uint64_t address)
{
    return address >= (uint64_t)PERF_CONTEXT_MAX;
}

/* Returns the address of the call instruction for element `i` of a call chain. Most elements are return addresses, so 1
 * is subtracted. The first kernel address and the first program address are not return addresses, so they stay
 * unchanged. */
static uint64_t call_address(const uint64_t *chain, size_t i)
{
    bool is_first = i == 0 || is_context_marker(chain[i - 1]);
    return chain[i] - (is_first ? 0 : 1);
}

/* Returns the index of the first program address in the call chain, which is after the kernel addresses. */
static size_t find_first_program_address(const uint64_t *chain, size_t count)
{
    size_t at = 0;
    while (at < count && chain[at] != (uint64_t)PERF_CONTEXT_USER)
        at++;
    return at;
}

uint32_t tp_code_maps_add_kernel_stack(struct tp_code_places *places, uint32_t program, const uint64_t *chain,
                                       size_t count)
{
    uint32_t node = program;
    for (size_t i = find_first_program_address(chain, count); i-- > 0;)
        if (!is_context_marker(chain[i]) && chain[i] >> ADDRESS_BITS)
            node = tp_code_add_node(places, node, TP_CODE_KERNEL, call_address(chain, i));
    return node;
}

uint32_t tp_code_maps_add_stack(const struct tp_code_maps *maps, struct tp_code_places *places, const uint64_t *chain,
                                size_t count)
{
    uint32_t node = 0;
    for (size_t i = count, user = find_first_program_address(chain, count); i-- > user;)
        if (!is_context_marker(chain[i]))
            node = tp_code_maps_add_frame(maps, places, node, call_address(chain, i));
    return tp_code_maps_add_kernel_stack(places, node, chain, count);
}
