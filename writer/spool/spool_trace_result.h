/* Defines results of the conversion of a spool: its statistics, and its progress. */
#ifndef TP_WRITER_SPOOL_SPOOL_TRACE_RESULT_H
#define TP_WRITER_SPOOL_SPOOL_TRACE_RESULT_H

#include <stdbool.h>
#include <stdint.h>

/* Statistics of a conversion, for messages and tests. */
struct tp_spool_trace_result {
    uint64_t range_count; /* number of ranges, operators, modules and steps */
    /* number of ranges, operators, modules and steps that were open at the end of the recording; the trace marks them
     * as unfinished */
    uint64_t open_count;
    uint64_t event_count;  /* number of all other recorded events */
    uint64_t broken_count; /* number of records that could not be read */
    int64_t start_ns;      /* time of the first record, ns since the epoch; 0: no record */
    /* true: the recording was stopped in the regular way; false: the program was killed, or is still running */
    bool was_stopped;
};

/* Returns the end of the message about open ranges; open_count is the number in front of it. */
static inline const char *tp_spool_open_text(uint64_t open_count)
{
    return open_count == 1 ? "range was still open; it ends with the recording and is marked unfinished"
                           : "ranges were still open; they end with the recording and are marked unfinished";
}

/* Receiver of the progress of a conversion. */
struct tp_spool_watch {
    /* Called often. bytes: number of bytes of the spool that were converted since the previous call, approximately. */
    void (*seen)(void *context, uint64_t bytes);
    void *context;
};

#endif
