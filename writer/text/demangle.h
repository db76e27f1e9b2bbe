/* Names of functions as people read them: C++ by the system's C++ runtime where there is one, Rust by own code. */
#ifndef TP_WRITER_TEXT_DEMANGLE_H
#define TP_WRITER_TEXT_DEMANGLE_H

#include "writer/base/arena.h"
#include "writer/base/str.h"

struct tp_demangle {
    char *(*function)(const char *mangled, char *buffer, size_t *size, int *status); /* NULL: none found */
};

/* Finds the runtime; nothing is to be released (it stays in the process, as it would in any C++ program). */
void tp_demangle_init(struct tp_demangle *demangle);

/* The name in the source's language; `name` itself when it is not mangled, too long, or cannot be read. The copy is the
 * arena's. About a microsecond: for distinct names. */
struct tp_str tp_demangle(const struct tp_demangle *demangle, struct tp_str name, struct tp_arena *arena);

#endif
