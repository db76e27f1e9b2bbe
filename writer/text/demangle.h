/* Demangles names of functions: C++ with the system's C++ runtime if there is one, Rust with demangle_rust.h. */
#ifndef TP_WRITER_TEXT_DEMANGLE_H
#define TP_WRITER_TEXT_DEMANGLE_H

#include "writer/base/arena.h"
#include "writer/base/str.h"

struct tp_demangle {
    /* function __cxa_demangle of the C++ runtime; NULL: not found */
    char *(*function)(const char *mangled, char *buffer, size_t *size, int *status);
};

/* Finds the C++ runtime. There is nothing to release: the runtime stays in the process, as in any C++ program. */
void tp_demangle_init(struct tp_demangle *demangle);

/* Returns the name in the source language. Returns `name` itself if it is not mangled, too long, or cannot be read. The
 * result is in the arena. The call takes about a microsecond, so call it once for each distinct name. */
struct tp_str tp_demangle(const struct tp_demangle *demangle, struct tp_str name, struct tp_arena *arena);

#endif
