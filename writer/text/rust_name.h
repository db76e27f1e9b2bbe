/* A mangled Rust name while it is read, and what of it is shown: for demangle_rust*.c. */
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
    uint64_t lifetimes; /* bound around the place at hand */
    uint32_t depth, steps;
    bool is_silent; /* read, not shown: which impl a path is from */
    bool is_wrong;  /* damaged or too much: nothing is shown any more */
};

/* Adds to the text, unless the name is silent or wrong. */
void tp_rust_show(struct tp_rust_name *name, struct tp_str part);
void tp_rust_show_text(struct tp_rust_name *name, const char *text);
void tp_rust_show_number(struct tp_rust_name *name, uint64_t number);
void tp_rust_show_character(struct tp_rust_name *name, uint32_t character);

/* The next letter; at the end of the name it is wrong, and the letter is 0. */
char tp_rust_next(struct tp_rust_name *name);

/* Goes past `letter` if it is next; whether it was. */
bool tp_rust_takes(struct tp_rust_name *name, char letter);

/* A decimal number of bytes that are all there, else the name is wrong and it is 0. */
size_t tp_rust_read_length(struct tp_rust_name *name);

/* "N" {length bytes} "17h" hash "E", after "_Z" and "N". */
void tp_rust_read_legacy(struct tp_rust_name *name);

#endif
