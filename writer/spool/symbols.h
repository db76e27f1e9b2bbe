/* Addresses of a recorded program become frames: "src/train.c(42): forward_layer", functions that were inlined
 * included.
 *
 * Names come from the symbol tables and the debug information of the files that were loaded, by elfutils' libdw, which
 * is loaded when the first address is asked for; C++ names are demangled where a libstdc++ is there. A function without
 * a name, in a file that was stripped, is "libfoo.so+0x1a20 [libfoo.so]": where it begins, by the address in the file,
 * so that all code of it has one name. Where not even that is known, an address is "+0x1a2b [libfoo.so]". Nothing is
 * fetched from anywhere. */
#ifndef TP_WRITER_SPOOL_SYMBOLS_H
#define TP_WRITER_SPOOL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"
#include "writer/text/demangle.h"

struct tp_symbol_module;

struct tp_symbols {
    struct tp_arena *arena;
    struct tp_vec modules; /* struct tp_symbol_module */
    struct tp_vec known;   /* struct tp_symbol_name, hashed by address */
    uint32_t known_count;
    struct tp_demangle demangle;
};

/* Names live in `arena`, whose guard is set by the caller in all calls but release. */
void tp_symbols_init(struct tp_symbols *symbols, struct tp_arena *arena);

/* A file that lay at [start, end) from `since` on (any clock, the same for all); bias: address in memory minus address
 * in the file. All before the first tp_symbols_frames. path: borrowed for the life of symbols. */
void tp_symbols_add(struct tp_symbols *symbols, uint64_t start, uint64_t end, uint64_t bias, uint64_t since,
                    struct tp_str path);

/* The frames of an address: the functions that were inlined there, and last the one they are in. Functions of our headers
 * are left out where the program has frames around them. */
struct tp_symbol_frames {
    struct tp_str text;     /* innermost first, each ended by ';'; never empty */
    struct tp_str first;    /* the innermost frame, in text */
    struct tp_str function; /* name of the function that is not inlined, in text */
    bool is_nameless;       /* its file has no symbol for it, and no debug package of it was found */
    bool is_own;            /* code of libtracepress, its preload library or its headers alone, not the program's */
};

/* Frames of the code at `address` at a time. is_return: it is where a call returns to, so the call before it is meant.
 * Lives in the arena. */
struct tp_symbol_frames tp_symbols_frames(struct tp_symbols *symbols, uint64_t address, uint64_t time, bool is_return);

/* The build-id of the file at an address, in hexadecimal, by which its debug package is found; absent: it has none, or was
 * not opened for a frame. Lives in the arena. */
struct tp_str tp_symbols_build_id(struct tp_symbols *symbols, uint64_t address, uint64_t time);

/* Closes the files; also after the arena's guard was taken. Accepts a zeroed struct. */
void tp_symbols_release(struct tp_symbols *symbols);

#endif
