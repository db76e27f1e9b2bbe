/* Reads names of generated code from a map that JIT compilers write for perf: /tmp/perf-PID.map with lines "START SIZE
 * NAME" in hexadecimal. Later lines are newer, so the last line for an address is valid. The file comes from the
 * program, so invalid lines are ignored, and the number of bytes read is limited. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_JIT_MAP_H
#define TP_COLLECTOR_OUTSIDE_CODE_JIT_MAP_H

#include "writer/base/input.h"
#include "writer/base/str.h"

enum { TP_JIT_NAME_BYTES = 512 }; /* length of the longest name in bytes; the end of a longer name is dropped */

/* Address whose function name is requested. */
struct tp_jit_wanted {
    uint64_t address;
    uint32_t number;     /* number of the request, set by the caller and not changed here */
    uint32_t name_bytes; /* length of the found name; 0: no line contains the address */
    uint64_t name_at;    /* file offset of the found name */
};

/* Range of generated code, `length` bytes long, and the file offset of its name. */
struct tp_jit_name {
    uint64_t start, length;
    uint64_t at, bytes;
};

/* Stores the name for all requested addresses in its range, and replaces earlier names. Subtracts the number of these
 * addresses from *hits_left, and stops when *hits_left is 0. */
void tp_jit_name(struct tp_jit_wanted *wanted, size_t count, struct tp_jit_name name, uint64_t *hits_left);

/* Finds the names of `count` addresses, which are in ascending order, in an open map file. Reads at most
 * TP_MAX_OUTSIDE_GENERATED_BYTES and at most *left_bytes, and subtracts the bytes read from *left_bytes. */
void tp_jit_map_find_names(struct tp_jit_wanted *wanted, size_t count, const struct tp_input *map,
                           uint64_t *left_bytes);

/* Writes the text of a frame: "/x/a.js(12): f" if the name contains a position, as names of V8 do, otherwise "NAME
 * [jit]". Writes at most `size` bytes with the NUL. Returns the length of the text. */
size_t tp_jit_write_frame(char *frame, size_t size, struct tp_str name);

#endif
