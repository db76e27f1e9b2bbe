/* Converts time stamps of packets to nanoseconds of the trace's clock (BOOTTIME).
 *
 * Each packet names a clock. Clocks from 64 to 127 belong to a sequence, and clocks from 128 on to the producer of the
 * trace. Both count from their last snapshot, in their own unit. If they are incremental, each time is the difference
 * from the previous one. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_CLOCKS_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_CLOCKS_H

#include "webreport/trace/inputs/perfetto/interned.h"

enum {
    TP_CLOCK_REALTIME = 1,
    TP_CLOCK_MONOTONIC = 3,
    TP_CLOCK_BOOTTIME = 6,
    TP_CLOCK_FIRST_OWN = 64,
    TP_CLOCK_FIRST_GLOBAL = 128
};

struct tp_clocks {
    uint64_t offsets[TP_CLOCK_FIRST_OWN]; /* offset of each built-in clock from BOOTTIME, ns, modulo 2^64 */
    uint64_t known;                       /* bits of the built-in clocks whose offset is known */
    struct tp_vec global;                 /* clocks of the producer; elements: struct tp_own_clock */
    bool has_snapshot;
    int64_t first_snapshot_ns; /* time of the first snapshot, ns */
};

void tp_clocks_init(struct tp_clocks *clocks, struct tp_arena *arena);

/* Reads a ClockSnapshot of a sequence. Returns false if the message is broken. */
bool tp_clocks_read_snapshot(struct tp_clocks *clocks, struct tp_sequence *sequence, struct tp_str message);

/* Converts a time stamp. clock: id of the packet's clock. Returns false if the clock is unknown. */
bool tp_clocks_convert(struct tp_clocks *clocks, struct tp_sequence *sequence, uint64_t clock, uint64_t timestamp,
                       int64_t *ns);

/* Returns the time that must be added to times of the trace to get times since 1970, ns; 0 if unknown. */
int64_t tp_clocks_realtime_offset(const struct tp_clocks *clocks);

#endif
