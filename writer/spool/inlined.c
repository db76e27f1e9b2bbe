/* Finds the functions at an address from debug information: see inlined.h. */
#include "writer/spool/inlined.h"

#include <stdbool.h>

#include "writer/base/limits.h"

struct inlined_unit {
    Dwarf_Die die;
    /* address ranges of the unit's functions; `item` of a range is the index of its function */
    struct tp_spans addresses;
    struct tp_vec functions; /* functions of the unit; elements: struct tp_inlined_function * */
    bool is_read;
};

/* State of reading all debug entries of a compilation unit. */
struct walk {
    struct tp_arena *arena;
    struct tp_vec *functions, spans;
    uint64_t steps; /* number of debug entries that the walk is still allowed to visit */
};

/* Adds the address ranges of a debug entry's code to `spans`. Returns false if the entry has no code. */
static bool add_ranges(struct tp_vec *spans, Dwarf_Die *die, uint32_t item)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t offset = 0;
    bool has_some = false;
    for (uint32_t count = 0; count < TP_MAX_CODE_RANGES; count++) {
        offset = tp_libdw()->dwarf_ranges(die, offset, &base, &start, &end);
        if (offset <= 0)
            break;
        if (start >= end)
            continue;
        *(struct tp_span *)tp_vec_push(spans) = (struct tp_span){.start = start, .end = end, .item = item};
        has_some = true;
    }
    return has_some;
}

void tp_inlined_read(struct tp_inlined *inlined, Dwfl_Module *file, struct tp_arena *arena)
{
    struct tp_vec spans = TP_VEC(arena, struct tp_span);
    Dwarf_Addr bias = 0;
    *inlined = (struct tp_inlined){.units = TP_VEC(arena, struct inlined_unit)};
    for (Dwarf_Die *unit = NULL; (unit = tp_libdw()->dwfl_module_nextcu(file, unit, &bias)) != NULL;)
        if (add_ranges(&spans, unit, (uint32_t)inlined->units.count)) {
            *(struct inlined_unit *)tp_vec_push(&inlined->units) = (struct inlined_unit){.die = *unit};
            inlined->bias = bias;
        }
    inlined->addresses = tp_spans_sort(&spans, NULL, NULL);
}

/* Compares functions with the same address range. A search finds the last of them, so the innermost function comes
 * last; of several innermost functions, the first in the unit comes last. */
static int compare_by_depth(const void *left, const void *right, const void *context)
{
    const struct tp_inlined_function *const *functions = context;
    uint32_t x = ((const struct tp_span *)left)->item, y = ((const struct tp_span *)right)->item;
    if (functions[x]->depth != functions[y]->depth)
        return functions[x]->depth < functions[y]->depth ? -1 : 1;
    return x > y ? -1 : x < y;
}

/* Adds the function of a debug entry. Returns NULL if the entry is not a function or has no code. */
static const struct tp_inlined_function *add_inlined_function(struct walk *walk, Dwarf_Die *die,
                                                              const struct tp_inlined_function *outer, uint32_t depth)
{
    int tag = tp_libdw()->dwarf_tag(die);
    bool is_inlined = tag == DW_TAG_inlined_subroutine;
    if ((!is_inlined && tag != DW_TAG_subprogram) || !add_ranges(&walk->spans, die, (uint32_t)walk->functions->count))
        return NULL;
    struct {
        struct tp_inlined_function function;
        Dwarf_Die die;
    } *kept = tp_arena_alloc(walk->arena, sizeof *kept);
    kept->die = *die;
    kept->function = (struct tp_inlined_function){&kept->die, is_inlined ? outer : NULL, depth};
    *(const struct tp_inlined_function **)tp_vec_push(walk->functions) = &kept->function;
    return &kept->function;
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, const struct tp_inlined_function *outer, uint32_t depth)
{
    Dwarf_Die die;
    if (depth == TP_MAX_CODE_DEPTH || tp_libdw()->dwarf_child(parent, &die) != 0)
        return;
    do {
        const struct tp_inlined_function *function = add_inlined_function(walk, &die, outer, depth);
        walk_children(walk, &die, function ? function : outer, depth + 1);
    } while (walk->steps && walk->steps-- && tp_libdw()->dwarf_siblingof(&die, &die) == 0);
}

const struct tp_inlined_function *tp_inlined_find(struct tp_inlined *inlined, uint64_t address, Dwarf_Die **unit)
{
    const struct tp_span *at = tp_spans_find(inlined->addresses, address - inlined->bias, NULL);
    struct inlined_unit *found = at ? TP_AT(&inlined->units, struct inlined_unit, at->item) : NULL;
    if (!found)
        return NULL;
    if (!found->is_read) {
        struct tp_arena *arena = inlined->units.arena;
        found->functions = TP_VEC(arena, const struct tp_inlined_function *);
        struct walk walk = {arena, &found->functions, TP_VEC(arena, struct tp_span), TP_MAX_CODE_ENTRIES};
        walk_children(&walk, &found->die, NULL, 0);
        found->addresses = tp_spans_sort(&walk.spans, compare_by_depth, found->functions.data);
        found->is_read = true;
    }
    *unit = &found->die;
    at = tp_spans_find(found->addresses, address - inlined->bias, NULL);
    return at ? *TP_AT(&found->functions, const struct tp_inlined_function *, at->item) : NULL;
}
