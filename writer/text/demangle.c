/* Demangles names of C++ and Rust functions: see demangle.h. */
#include "writer/text/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "writer/text/demangle_rust.h"

enum { LONGEST = 8192, LONGEST_RESULT = 1 << 16 };

void tp_demangle_init(struct tp_demangle *demangle)
{
    static const char *const names[] = {"libstdc++.so.6", "libc++abi.so.1", "/usr/lib/libc++abi.dylib"};
    void *runtime = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !runtime; i++)
        runtime = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    *(void **)&demangle->function = runtime ? dlsym(runtime, "__cxa_demangle") : NULL;
}

struct tp_str tp_demangle(const struct tp_demangle *demangle, struct tp_str name, struct tp_arena *arena)
{
    int status = -1;
    struct tp_str plain;
    if (name.len <= LONGEST && tp_demangle_rust(name, &plain, arena))
        return plain; /* Rust is tried first, because older Rust names are also well-formed C++ names */
    if (!demangle->function || name.len > LONGEST || !tp_str_starts(name, "_Z") || memchr(name.ptr, '\0', name.len))
        return name;
    char *text = demangle->function(tp_arena_copy(arena, name.ptr, name.len), NULL, NULL, &status);
    if (!text)
        return name;
    size_t size = strnlen(text, LONGEST_RESULT);
    if (size == 0 || size == LONGEST_RESULT) {
        free(text);
        return name;
    }
    /* if the allocation jumps to the arena's guard, the small buffer `text` leaks */
    char *copy = tp_arena_alloc(arena, size + 1);
    memcpy(copy, text, size);
    free(text);
    return (struct tp_str){copy, size};
}
