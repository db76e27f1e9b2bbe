/* Reads names of generated code from a map that JIT compilers write for perf: /tmp/perf-PID.map with lines "START SIZE
 * NAME" in hexadecimal. Later lines are newer, so the last line for an address is valid. The file comes from the
 * program, so invalid lines are ignored, and the number of bytes read is limited. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_JIT_MAP_H
#define TP_COLLECTOR_OUTSIDE_CODE_JIT_MAP_H

#include "writer/base/input.h"
#include "writer/base/str.h"

enum { TP_JIT_NAME_BYTES = 512 }; /* length of the longest name in bytes; longer names are cut */

/* An address whose name is wanted. */
struct tp_jit_wanted {
    uint64_t address;
    uint32_t number;     /* set by the caller, and not changed here */
    uint32_t name_bytes; /* length of the address's name; 0: no line contains the address */
    uint64_t name_at;    /* file offset of the address's name */
};

/* A range of code of `length` bytes, and the file offset of its name. */
struct tp_jit_name {
    uint64_t start, length;
    uint64_t at, bytes;
};

/* Sets the name of all wanted addresses in the range, and replaces earlier names. Subtracts the number of these
 * addresses from *hits_left and stops when it is 0. */
void tp_jit_name(struct tp_jit_wanted *wanted, size_t count, struct tp_jit_name name, uint64_t *hits_left);

/* Finds the names of addresses, given in ascending order, in the first *left_bytes of an open file. Reads at most
 * TP_MAX_OUTSIDE_GENERATED_BYTES. Subtracts the bytes that it read from *left_bytes. */
void tp_jit_map_find(struct tp_jit_wanted *wanted, size_t count, const struct tp_input *map, uint64_t *left_bytes);

/* Writes the text of a frame for a name: "/x/a.js(12): f" if the name contains a position, as those of V8, otherwise
 * "NAME [jit]". The text has at most `size` bytes with its NUL. Returns its length. */
size_t tp_jit_frame(char *frame, size_t size, struct tp_str name);

#endif
