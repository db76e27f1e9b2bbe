/* Adds getrandom: see ../README.md. */
#ifndef TP_WRITER_MACOS_SYS_RANDOM_H
#define TP_WRITER_MACOS_SYS_RANDOM_H

#include_next <sys/random.h>
#include <sys/types.h>

#define GRND_NONBLOCK 1

static inline ssize_t getrandom(void *to, size_t size, unsigned flags)
{
    (void)flags; /* the flags have no effect, because the call never blocks */
    return getentropy(to, size) == 0 ? (ssize_t)size : -1;
}

#endif
