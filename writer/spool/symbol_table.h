/* The functions of one file by address: read once, sorted, then found by halving.
 *
 * libdw's own search walks the whole table for every address (0.4 ms in a compiler of 27,000 functions); this one takes
 * about 0.15 us for each symbol once, and then less than a microsecond for an address. */
#ifndef TP_WRITER_SPOOL_SYMBOL_TABLE_H
#define TP_WRITER_SPOOL_SYMBOL_TABLE_H

#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/spool/libdw.h"
#include "writer/spool/spans.h"

struct tp_function_symbol {
    uint64_t start;
    uint32_t number; /* in the file */
    uint32_t section : 24, binding : 7;
    uint32_t has_size : 1;
};

struct tp_symbol_table {
    Dwfl_Module *file;
    const struct tp_function_symbol *symbols; /* as they stand in the file */
    struct tp_spans functions;                /* those with a size */
    struct tp_spans labels;                   /* those without, each one byte long */
};

/* Reads the functions of `file` (symbols of its own, else of its debug file, else dynamic ones). Addresses are those of
 * memory, as libdw was told where the file lies. The table is the arena's, whose guard is set. */
void tp_symbol_table_read(struct tp_symbol_table *table, Dwfl_Module *file, struct tp_arena *arena);

/* The function at an address: the one that begins last of those that contain it; of equal ones the shortest, then the
 * one of the strongest binding, then the first of the file. Else the last label without a size, where no function ends
 * behind it and the code is of its section. NULL: none. */
const struct tp_function_symbol *tp_symbol_table_find(const struct tp_symbol_table *table, uint64_t address);

/* Its name, never empty; the file's, so valid until it is closed. NULL: it cannot be read. */
const char *tp_symbol_table_name(const struct tp_symbol_table *table, const struct tp_function_symbol *symbol);

#endif
