/* Finds the functions that contain an address, from debug information: the function at the address, and the functions
 * that were inlined there.
 *
 * libdw's own search reads the whole compilation unit for every address (0.1 to 2 ms). This module reads each unit
 * once, when an address in it is looked up for the first time. */
#ifndef TP_WRITER_SPOOL_INLINED_H
#define TP_WRITER_SPOOL_INLINED_H

#include "writer/base/arena.h"
#include "writer/spool/libdw.h"
#include "writer/spool/spans.h"

struct tp_inlined {
    struct tp_vec units;       /* compilation units of the file; elements: struct inlined_unit */
    struct tp_spans addresses; /* address ranges of the compilation units in the file */
    Dwarf_Addr bias;           /* address in memory minus address in the file, bytes */
};

/* A function, inlined or not, that has code at an address. */
struct tp_inlined_function {
    Dwarf_Die *die;
    const struct tp_inlined_function *outer; /* function into which this function was inlined; NULL: not inlined */
    uint32_t depth;                          /* nesting depth of the function's debug entry in the compilation unit */
};

/* Lists the compilation units of a file. All memory is in the arena, whose guard the caller sets in every call of this
 * module. */
void tp_inlined_read(struct tp_inlined *inlined, Dwfl_Module *file, struct tp_arena *arena);

/* Returns the innermost function at an address in memory, or NULL if it is unknown. *unit: set to the compilation unit
 * of the address, if known. */
const struct tp_inlined_function *tp_inlined_find(struct tp_inlined *inlined, uint64_t address, Dwarf_Die **unit);

#endif
