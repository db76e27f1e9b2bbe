/* Adds memrchr: see README.md. */
#ifndef TP_WRITER_MACOS_STRING_H
#define TP_WRITER_MACOS_STRING_H

#include_next <string.h>

static inline void *memrchr(const void *bytes, int wanted, size_t size)
{
    const unsigned char *first = (const unsigned char *)bytes;
    while (size > 0)
        if (first[--size] == (unsigned char)wanted)
            return (void *)(first + size);
    return NULL;
}

#endif
