/* Demangles names of Rust functions in both manglings of rustc. The result contains no hashes, and no numbers that
 * only distinguish crates of the same name. */
#ifndef TP_WRITER_TEXT_DEMANGLE_RUST_H
#define TP_WRITER_TEXT_DEMANGLE_RUST_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Demangles "_R..." (v0: Rust RFC 2603) and "_ZN...17h0123456789abcdefE" (legacy). Returns false, without changing
 * *text, if the name has neither form, is damaged, or its text would exceed 64 KiB. The text is in the arena, whose
 * guard the caller has set. */
bool tp_demangle_rust(struct tp_str name, struct tp_str *text, struct tp_arena *arena);

#endif
