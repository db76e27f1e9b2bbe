/* Contains the state of parsing a mangled Rust name, and the printed text, for demangle_rust*.c. */
#ifndef TP_WRITER_TEXT_RUST_NAME_H
#define TP_WRITER_TEXT_RUST_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

enum { TP_RUST_LONGEST = 1 << 16 }; /* longest text of one name in bytes */

struct tp_rust_name {
    const char *begin, *at, *end;
    struct tp_vec text; /* bytes of the printed text */
    uint64_t lifetimes; /* count of lifetimes that are bound at the current position */
    uint32_t depth, steps;
    bool is_silent; /* true while a part is parsed but not printed, such as the impl that contains a path */
    bool is_wrong;  /* true if the name is damaged or too long; parsing and printing then stop */
};

/* tp_rust_print* append to the printed text, unless the name is silent or wrong. */
void tp_rust_print(struct tp_rust_name *name, struct tp_str part);
void tp_rust_print_text(struct tp_rust_name *name, const char *text);
void tp_rust_print_number(struct tp_rust_name *name, uint64_t number);
void tp_rust_print_character(struct tp_rust_name *name, uint32_t character);

/* Returns the next letter. At the end of the name, returns 0 and marks the name as wrong. */
char tp_rust_next(struct tp_rust_name *name);

/* Skips `letter` if it is next. Returns whether it was next. */
bool tp_rust_skip(struct tp_rust_name *name, char letter);

/* Reads a decimal length. Returns 0 and marks the name as wrong if fewer bytes follow. */
size_t tp_rust_read_length(struct tp_rust_name *name);

/* Reads the rest of a legacy name after "_Z" and "N": {length bytes} "17h" hash "E". */
void tp_rust_read_legacy(struct tp_rust_name *name);

#endif
