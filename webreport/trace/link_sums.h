/* Defines sums over the links between calls and device operations, with which the ends of links are compared. */
#ifndef TP_WEBREPORT_TRACE_LINK_SUMS_H
#define TP_WEBREPORT_TRACE_LINK_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

/* Number of sums in each array of struct tp_link_sums. An event or a link end adds a hash of its number and start
 * time to the sum that its number selects. Equal sets of events have equal sums. */
enum { TP_LINK_SUMS = 64 };

struct tp_link_sums {
    uint64_t starts[TP_LINK_SUMS], ends[TP_LINK_SUMS]; /* sums over the starts and over the ends of links */
    uint64_t events[TP_LINK_SUMS];                     /* sums over events with a correlation */
    uint64_t devices[TP_LINK_SUMS];                    /* sums over device operations with a correlation */
    bool is_unreadable;                                /* true if a number or start time cannot be read */
};

static inline void tp_link_sums_add(uint64_t *sums, int64_t number, int64_t ts_ns)
{
    sums[(uint64_t)number % TP_LINK_SUMS] +=
        tp_hash_mix((uint64_t)number ^ UINT64_C(0x9E3779B97F4A7C15), (uint64_t)ts_ns ^ UINT64_C(0xE7037ED1A0B428DB));
}

#endif
