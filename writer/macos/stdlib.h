/* Adds secure_getenv: see README.md. */
#ifndef TP_WRITER_MACOS_STDLIB_H
#define TP_WRITER_MACOS_STDLIB_H

#include_next <stdlib.h>
#include <unistd.h>

static inline char *secure_getenv(const char *name)
{
    return issetugid() ? NULL : getenv(name);
}

#endif
