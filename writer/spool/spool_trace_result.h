/* What the conversion of a spool reports: its statistics, and its progress. */
#ifndef TP_WRITER_SPOOL_SPOOL_TRACE_RESULT_H
#define TP_WRITER_SPOOL_SPOOL_TRACE_RESULT_H

#include <stdbool.h>
#include <stdint.h>

/* Statistics of a conversion, for messages and tests. */
struct tp_spool_trace_result {
    uint64_t range_count;  /* ranges, operators, modules, steps */
    uint64_t open_count;   /* of these, still open at the end of the recording; they end there and are marked */
    uint64_t event_count;  /* everything else that was recorded */
    uint64_t broken_count; /* records that could not be read */
    int64_t start_ns;      /* first record, ns since the epoch; 0: none */
    bool was_stopped;      /* false: the program was killed, or is still running */
};

/* Receives the progress of a conversion. */
struct tp_spool_watch {
    void (*seen)(void *context, uint64_t bytes); /* called often; about this many more bytes of the spool are done */
    void *context;
};

#endif
