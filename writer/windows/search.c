/* Implements the search for bytes: see string.h. */
#include <string.h>

void *memmem(const void *in, size_t size, const void *what, size_t what_size)
{
    const char *at = in, *first = what;
    if (what_size == 0)
        return (void *)(size_t)in;
    while (size >= what_size) {
        const char *found = memchr(at, *first, size - what_size + 1);
        if (!found || memcmp(found, what, what_size) == 0)
            return (void *)(size_t)found;
        size -= (size_t)(found + 1 - at);
        at = found + 1;
    }
    return NULL;
}

void *memrchr(const void *in, int byte, size_t size)
{
    const unsigned char *start = in;
    while (size-- > 0)
        if (start[size] == (unsigned char)byte)
            return (void *)(size_t)(start + size);
    return NULL;
}
