/* Names of Rust functions as people read them: both manglings of rustc, without hashes and without the numbers that
 * only tell crates of one name apart. */
#ifndef TP_WRITER_TEXT_DEMANGLE_RUST_H
#define TP_WRITER_TEXT_DEMANGLE_RUST_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Reads "_R..." (v0: Rust RFC 2603) and "_ZN...17h0123456789abcdefE" (legacy). False: it is neither, it is damaged, or
 * its text would be longer than 64 KiB; *text is then left alone. The text is the arena's, whose guard is set. */
bool tp_demangle_rust(struct tp_str name, struct tp_str *text, struct tp_arena *arena);

#endif
