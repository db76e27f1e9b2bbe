/* What NVTX's own events and those of its extension share (nvtx.c, nvtx_extension.c). */
#ifndef TP_COLLECTOR_SOURCE_NVTX_H
#define TP_COLLECTOR_SOURCE_NVTX_H

#include <stdint.h>

/* The number that a handle of a domain or a string is. */
static inline uint32_t tp_nvtx_number(const void *handle)
{
    return (uint32_t)(uintptr_t)handle & 0x7fffffffu; /* the highest bit: TP_SPOOL_ITT */
}

/* Ranges of this thread in a domain: how deep the one is that was just opened; how many there are when the innermost
 * has ended, which this records. As NVTX returns them; below 0: not known, or none. */
int tp_nvtx_deeper(uint32_t domain);
int tp_nvtx_pop(uint32_t domain);

/* A key for a range that may overlap others. */
uint64_t tp_nvtx_next_key(void);

#endif
