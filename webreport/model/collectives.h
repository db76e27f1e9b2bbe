/* Collectives of one trace (D10): host records, the kernels that belong to them, their metadata and sizes. */
#ifndef TP_WEBREPORT_MODEL_COLLECTIVES_H
#define TP_WEBREPORT_MODEL_COLLECTIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/interval.h"
#include "writer/base/str.h"

/* One collective call. Ranges: its host interval and its kernels, by (start, end desc). */
struct tp_collective {
    struct tp_str name;
    uint32_t event; /* index in trace->events */
    bool is_device; /* a kernel without a host record in the trace */
    int64_t start_ns, end_ns;
    struct tp_interval *ranges;
    uint32_t range_count, kernel_count;
    int64_t kernel_time_ns;
    uint32_t comm; /* index of the metadata in trace->comms, or TP_NO_ID */
    int64_t bytes; /* TP_NULL_INT when unknown */
};

struct tp_collectives {
    struct tp_collective *items; /* by (start, end desc, file position) */
    uint32_t count;
    uint64_t kernels_without_record;
    const char *libraries[16]; /* sorted; static texts */
    uint32_t library_count;
};

#endif
