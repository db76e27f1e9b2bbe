/* The functions around an address by debug information: those that were inlined there, and the one that they are in.
 *
 * libdw's own search walks the whole unit for every address (0.1 to 2 ms); here each unit is walked once, when the
 * first address of it is asked for. */
#ifndef TP_WRITER_SPOOL_INLINED_H
#define TP_WRITER_SPOOL_INLINED_H

#include "writer/base/arena.h"
#include "writer/spool/libdw.h"
#include "writer/spool/spans.h"

struct tp_inlined {
    struct tp_vec units;       /* struct inlined_unit */
    struct tp_spans addresses; /* of units, in the file */
    Dwarf_Addr bias;           /* address in memory minus address in the file */
};

/* A function, inlined or not, that has code at the address asked for. */
struct tp_inlined_function {
    Dwarf_Die *die;
    const struct tp_inlined_function *outer; /* that it was inlined into; NULL: it is no inlined one */
    uint32_t depth;                          /* in the unit */
};

/* Gathers the units of a file. All is the arena's, whose guard is set in every call. */
void tp_inlined_read(struct tp_inlined *inlined, Dwfl_Module *file, struct tp_arena *arena);

/* The innermost function at an address in memory; NULL: not known. *unit: what it stands in, where it is known. */
const struct tp_inlined_function *tp_inlined_find(struct tp_inlined *inlined, uint64_t address, Dwarf_Die **unit);

#endif
