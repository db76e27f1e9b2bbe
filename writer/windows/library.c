/* Finds libraries by name: see dlfcn.h. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

char *__cxa_demangle(const char *name, char *to, size_t *size, int *status);

static const char runtime[] = "libstdc++.so.6";

void *dlopen(const char *name, int how)
{
    (void)how;
    return strcmp(name, runtime) == 0 ? (void *)(size_t)runtime : NULL;
}

void *dlsym(void *library, const char *name)
{
    return library && strcmp(name, "__cxa_demangle") == 0 ? (void *)(size_t)__cxa_demangle : NULL;
}
