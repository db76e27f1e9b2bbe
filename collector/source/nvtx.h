/* Declares functions that NVTX's own events and the events of its extension share (nvtx.c, nvtx_extension.c). */
#ifndef TP_COLLECTOR_SOURCE_NVTX_H
#define TP_COLLECTOR_SOURCE_NVTX_H

#include <stdint.h>

/* Returns the number of the name of a domain or string, from its handle. */
static inline uint32_t tp_nvtx_handle_number(const void *handle)
{
    return (uint32_t)(uintptr_t)handle & 0x7fffffffu; /* removes the highest bit, which is TP_SPOOL_ITT */
}

/* tp_nvtx_push_depth counts a new range of this thread in a domain and returns the depth of this range.
 * tp_nvtx_pop_depth records the end of the innermost range and returns the depth of this range. The results are those
 * that NVTX defines. A negative result means that the depth is unknown, or that there is no range. */
int tp_nvtx_push_depth(uint32_t domain);
int tp_nvtx_pop_depth(uint32_t domain);

/* Returns a new key for a range that may overlap others. */
uint64_t tp_nvtx_next_key(void);

#endif
