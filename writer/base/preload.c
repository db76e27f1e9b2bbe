/* Edits the value of LD_PRELOAD: see preload.h. */
#include "writer/base/preload.h"

#include <stdbool.h>
#include <string.h>

#include "writer/base/error.h"

/* Finds the next library in a list and moves *at after it. Returns false at the end of the list. */
static bool next_library(const char **at, const char **library, size_t *length)
{
    *at += strspn(*at, ": ");
    *library = *at;
    *length = strcspn(*at, ": ");
    *at += *length;
    return *length > 0;
}

static bool is_sanitizer_runtime(const char *library, size_t length)
{
    static const char *const runtimes[] = {"libasan.", "libtsan.", "libubsan.", "liblsan.", "libclang_rt."};
    size_t name = length;
    while (name > 0 && library[name - 1] != '/')
        name--;
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        if (strncmp(library + name, runtimes[i], strlen(runtimes[i])) == 0)
            return true;
    return false;
}

/* Appends a library, and a colon before it if needed. */
static void append_library(char *value, size_t *used, const char *library, size_t length)
{
    if (*used)
        value[(*used)++] = ':';
    memcpy(value + *used, library, length);
    *used += length;
    value[*used] = '\0';
}

static bool is_same(const char *library, size_t length, const char *other)
{
    return strlen(other) == length && memcmp(library, other, length) == 0;
}

int tp_preload_list_add(char *value, size_t size, const char *before, const char *library)
{
    const char *at = before ? before : "", *name;
    size_t length, used = 0;
    bool is_there = false;
    if (strlen(at) + strlen(library) + 2 > size)
        return TP_ELIMIT;
    while (next_library(&at, &name, &length)) {
        if (is_same(name, length, library))
            continue;
        if (!is_there && !is_sanitizer_runtime(name, length)) {
            append_library(value, &used, library, strlen(library));
            is_there = true;
        }
        append_library(value, &used, name, length);
    }
    if (!is_there)
        append_library(value, &used, library, strlen(library));
    return TP_OK;
}

void tp_preload_list_remove(char *value, const char *before, const char *library)
{
    const char *at = before, *name;
    size_t length, used = 0;
    *value = '\0';
    while (next_library(&at, &name, &length))
        if (!is_same(name, length, library))
            append_library(value, &used, name, length);
}
