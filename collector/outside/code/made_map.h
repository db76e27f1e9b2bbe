/* A map of code that a program made while it ran, as compilers at run time write them for perf: /tmp/perf-PID.map, lines
 * "START SIZE NAME" in hexadecimal, in the order of time, so the last line that has an address counts. The file is the
 * program's, so nothing of it is believed: lines that are none are left out, and what is read is bounded. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_MADE_MAP_H
#define TP_COLLECTOR_OUTSIDE_CODE_MADE_MAP_H

#include "writer/base/input.h"
#include "writer/base/str.h"

enum { TP_MADE_NAME_BYTES = 512 }; /* longer names are cut */

/* An address whose name is wanted. */
struct tp_made_wanted {
    uint64_t address;
    uint32_t number;     /* the caller's */
    uint32_t name_bytes; /* 0: no line has it */
    uint64_t name_at;    /* where its name stands in the file */
};

/* Code of `length` bytes from `start` on, and where its name stands in the file. */
struct tp_made_name {
    uint64_t start, length;
    uint64_t at, bytes;
};

/* Gives a name to the addresses in its code, whatever they were named before; at most *hits_left of them, which shrinks. */
void tp_made_name(struct tp_made_wanted *wanted, size_t count, struct tp_made_name name, uint64_t *hits_left);

/* Finds the names of addresses, which are in ascending order, in the first *left_bytes of a file that is open, at most
 * TP_MAX_OUTSIDE_MADE_BYTES; *left_bytes shrinks by what was read. */
void tp_made_map_find(struct tp_made_wanted *wanted, size_t count, const struct tp_input *map, uint64_t *left_bytes);

/* The frame that a name becomes, at most `size` bytes with its NUL: "/x/a.js(12): f" where V8 tells that, else
 * "NAME [jit]". Returns its length. */
size_t tp_made_frame(char *frame, size_t size, struct tp_str name);

#endif
