/* Numbers the streams of all devices, and finds their operations and the records of waits. */
#ifndef TP_WEBREPORT_WHAT_IF_STREAMS_H
#define TP_WEBREPORT_WHAT_IF_STREAMS_H

#include "webreport/what_if/graph_parts.h"

/* Finds streams and records of waits. Returns false if there are too many streams. */
bool tp_graph_find_streams(struct tp_graph_build *build);
/* Returns the index of the stream of a device; TP_NO_ID: no operation ran on it. */
uint32_t tp_graph_find_stream(const struct tp_graph_build *build, int64_t device, int64_t stream);
/* Returns the record of a call's wait; NULL: none. correlation: that of the call. */
const struct tp_sync_record *tp_graph_sync_of(const struct tp_graph_build *build, int64_t correlation);
/* Returns the number of operations in stream->launched whose call starts before the time `at`. */
uint32_t tp_graph_launched_before(const struct tp_graph_build *build, const struct tp_graph_stream *stream, int64_t at);
/* Returns the correlation of the call with this index in the model's launches; TP_NULL_INT if absent. */
int64_t tp_graph_correlation(const struct tp_graph_build *build, uint32_t launch);

#endif
