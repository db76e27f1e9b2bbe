/* Declares getrandom: see ../README.md. */
#ifndef TP_WRITER_WINDOWS_SYS_RANDOM_H
#define TP_WRITER_WINDOWS_SYS_RANDOM_H

#include <stddef.h>
#include <sys/types.h>

#define GRND_NONBLOCK 1

ssize_t getrandom(void *to, size_t size, unsigned flags);

#endif
