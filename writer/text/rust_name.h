/* State of a mangled Rust name during parsing, and its printed text: for demangle_rust*.c. */
#ifndef TP_WRITER_TEXT_RUST_NAME_H
#define TP_WRITER_TEXT_RUST_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

enum { TP_RUST_LONGEST = 1 << 16 }; /* text of one name, in bytes */

struct tp_rust_name {
    const char *begin, *at, *end;
    struct tp_vec text; /* char */
    uint64_t lifetimes; /* bound around the current position */
    uint32_t depth, steps;
    bool is_silent; /* parsed but not printed: the impl that a path is from */
    bool is_wrong;  /* damaged or too long; nothing more is printed */
};

/* Append to the text, unless the name is silent or wrong. */
void tp_rust_show(struct tp_rust_name *name, struct tp_str part);
void tp_rust_show_text(struct tp_rust_name *name, const char *text);
void tp_rust_show_number(struct tp_rust_name *name, uint64_t number);
void tp_rust_show_character(struct tp_rust_name *name, uint32_t character);

/* Returns the next letter. At the end of the name returns 0 and marks the name as wrong. */
char tp_rust_next(struct tp_rust_name *name);

/* Skips `letter` if it is next, and returns whether it was. */
bool tp_rust_takes(struct tp_rust_name *name, char letter);

/* Reads a decimal length. Returns 0 and marks the name as wrong if fewer bytes follow. */
size_t tp_rust_read_length(struct tp_rust_name *name);

/* Reads "N" {length bytes} "17h" hash "E", after "_Z" and "N". */
void tp_rust_read_legacy(struct tp_rust_name *name);

#endif
