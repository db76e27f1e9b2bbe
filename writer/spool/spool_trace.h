/* A spool becomes a trace: what a recorded program left behind, as torch.profiler would have written it. */
#ifndef TP_WRITER_SPOOL_SPOOL_TRACE_H
#define TP_WRITER_SPOOL_SPOOL_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/error.h"

/* What came out; for messages and tests. */
struct tp_spool_trace_result {
    uint64_t range_count;  /* ranges, operators, modules, steps */
    uint64_t open_count;   /* of these, open when the recording ended: they end with it, and say so */
    uint64_t event_count;  /* everything else that was recorded */
    uint64_t broken_count; /* records that could not be read */
    int64_t start_ns;      /* wall clock of the first record; 0 without one */
    bool was_stopped;      /* false: the program was killed, or is still running */
};

/* Who is told how far a conversion is. */
struct tp_spool_watch {
    void (*seen)(void *context, uint64_t bytes); /* as many more of the spool's are done, about; often */
    void *context;
};

/* Reads the spool and writes `trace`, gzip when is_gzip. result and watch may be NULL. Returns 0; TP_EIO; TP_EFORMAT
 * when the spool is none; TP_ENOMEM. On an error no trace is left. Any thread; takes memory of about 64 bytes per
 * range. */
int tp_spool_trace(const char *spool, const char *trace, bool is_gzip, struct tp_spool_trace_result *result,
                   const struct tp_spool_watch *watch, struct tp_error *err);

#endif
