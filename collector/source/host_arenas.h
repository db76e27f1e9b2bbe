/* The memory of Python's small objects. */
#ifndef TP_COLLECTOR_SOURCE_HOST_ARENAS_H
#define TP_COLLECTOR_SOURCE_HOST_ARENAS_H

#include <stdint.h>

/* Calls `change` for each arena that the interpreter takes (bytes > 0) or gives back (bytes < 0): arenas of 256 KiB or 1
 * MiB come from mmap, so malloc's hooks never see them. Does nothing in a program that is no Python, or whose
 * interpreter has no arenas (free-threaded builds). `change` gets the arena's address and is called by any thread.
 * Call once, before the interpreter starts. */
void tp_arenas_watch(void (*change)(const void *block, int64_t bytes));

#endif
