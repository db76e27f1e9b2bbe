/* Watches the memory that Python's interpreter uses for small objects. */
#ifndef TP_COLLECTOR_SOURCE_HOST_ARENAS_H
#define TP_COLLECTOR_SOURCE_HOST_ARENAS_H

#include <stdint.h>

/* Calls `change` for each arena that the interpreter allocates (bytes > 0) or releases (bytes < 0). Arenas have 256
 * KiB or 1 MiB and come from mmap, so that the hooks of malloc never see them. Does nothing in programs other than
 * Python, or if the interpreter has no arenas (free-threaded builds). `change` receives the address of the arena, on
 * any thread. Call tp_arenas_report_changes once, before the interpreter starts. */
void tp_arenas_report_changes(void (*change)(const void *block, int64_t bytes));

#endif
