/* Converts addresses of a recorded program to frames: "src/train.c(42): forward_layer", including inlined functions.
 *
 * Names come from symbol tables and debug information of the loaded files, through elfutils' libdw, which is loaded
 * when the first address is looked up. C++ names are demangled if libstdc++ is installed. A function without a name, in
 * a stripped file, becomes "libfoo.so+0x1a20 [libfoo.so]" with the address of its beginning in the file, so that all
 * code of the function has the same name. If even the function is unknown, an address becomes "+0x1a2b [libfoo.so]".
 * Nothing is downloaded. */
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
    struct tp_vec modules; /* loaded programs and libraries; elements: struct tp_symbol_module */
    struct tp_vec known;   /* cached results, hashed by address; elements: struct tp_symbol_name */
    uint32_t known_count;
    struct tp_demangle demangle;
};

/* Initializes *symbols. Names are in `arena`, whose guard the caller sets in all calls except release. */
void tp_symbols_init(struct tp_symbols *symbols, struct tp_arena *arena);

/* Adds a file that was mapped at [start, end) from the time `since` on. All times must be on the same clock. bias:
 * address in memory minus address in the file. Call this function before the first tp_symbols_frames. path: borrowed
 * until tp_symbols_release. */
void tp_symbols_add(struct tp_symbols *symbols, uint64_t start, uint64_t end, uint64_t bias, uint64_t since,
                    struct tp_str path);

/* The frames at an address: the functions that were inlined there, and finally the function that contains them.
 * Functions from headers of libtracepress are left out if frames of the program are around them. */
struct tp_symbol_frames {
    struct tp_str text;     /* texts of the frames, innermost first, each ended by ';'; never empty */
    struct tp_str first;    /* text of the innermost frame, a part of `text` */
    struct tp_str function; /* name of the function that is not inlined, a part of `text` */
    bool is_nameless;       /* true if the function has no symbol in the file, and no debug package was found */
    /* true if all frames belong to libtracepress, its preload library or its headers, and none to the program */
    bool is_own;
};

/* Returns the frames of the code at `address` at the time `time`. is_return: `address` is a return address, so the
 * call before it is looked up. The result is in the arena. */
struct tp_symbol_frames tp_symbols_frames(struct tp_symbols *symbols, uint64_t address, uint64_t time, bool is_return);

/* Returns the build-id of the file at an address, in hexadecimal, with which the debug package of the file can be
 * found. ptr is NULL if the file has no build-id, or was not opened for a frame. The result is in the arena. */
struct tp_str tp_symbols_build_id(struct tp_symbols *symbols, uint64_t address, uint64_t time);

/* Closes the files, also after the arena was released. Accepts a zeroed struct. */
void tp_symbols_release(struct tp_symbols *symbols);

#endif
