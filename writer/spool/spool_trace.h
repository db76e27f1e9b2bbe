/* Converts a spool to a trace as torch.profiler would have written it. */
#ifndef TP_WRITER_SPOOL_SPOOL_TRACE_H
#define TP_WRITER_SPOOL_SPOOL_TRACE_H

#include <stdbool.h>

#include "writer/base/error.h"
#include "writer/spool/spool_trace_result.h"
#include "writer/trace_receiver.h"

/* Reads the spool and writes the trace, with gzip if is_gzip. result and watch may be NULL. Returns 0, TP_EIO,
 * TP_ENOMEM, or TP_EFORMAT if the file is not a spool. After an error no trace exists. Any thread may call this
 * function. The conversion needs about 64 bytes of memory per range. */
int tp_spool_trace(const char *spool, const char *trace, bool is_gzip, struct tp_spool_trace_result *result,
                   const struct tp_spool_watch *watch, struct tp_error *err);

/* Reads the spool and passes the records of its trace to the receiver, without writing a file. The receiver must not
 * jump to the guard of an outer arena. Returns the same codes as tp_spool_trace. */
int tp_spool_deliver(const char *spool, const struct tp_trace_receiver *receiver, struct tp_spool_trace_result *result,
                     struct tp_error *err);

#endif
