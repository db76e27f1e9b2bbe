/* Defines the collectives of a trace: host calls, kernels, metadata and data sizes (docs/definitions.md, D10). */
#ifndef TP_WEBREPORT_MODEL_COLLECTIVES_H
#define TP_WEBREPORT_MODEL_COLLECTIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/interval.h"
#include "writer/base/str.h"

/* One collective. Its ranges are the interval of the host call and the intervals of its kernels, sorted by (start, end
 * descending). */
struct tp_collective {
    struct tp_str name;
    uint32_t event; /* event of the host call or kernel, index in trace->events */
    bool is_device; /* true if the record was made from a kernel, because the trace has no host calls of collectives */
    int64_t start_ns, end_ns;
    struct tp_interval *ranges;
    uint32_t range_count, kernel_count;
    int64_t kernel_time_ns;
    uint32_t comm; /* metadata of the collective, index in trace->comms; TP_NO_ID: no metadata */
    int64_t bytes; /* size of the communicated data, bytes; TP_NULL_INT if unknown */
};

struct tp_collectives {
    struct tp_collective *items; /* collectives sorted by (start, end descending, position in the file) */
    uint32_t count;
    uint64_t kernels_without_record;
    const char *libraries[16]; /* names of the communication libraries in the trace, sorted; static texts */
    uint32_t library_count;
};

#endif
