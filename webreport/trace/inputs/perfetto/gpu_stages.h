/* Reads GPU stages (kernels, copies, memory sets, annotations) and counters of devices. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_GPU_STAGES_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_GPU_STAGES_H

#include "webreport/trace/inputs/perfetto/perfetto_parts.h"

/* Sets the texts that the reader of stages needs. */
void tp_stages_init(struct tp_perfetto *p);

/* Returns the row of a stream. Valid until the next call. */
struct tp_stream_row *tp_stages_row(struct tp_perfetto *p, int64_t device, int64_t stream);

/* Sets the process and the thread of an event to a device and a stream, and the stream as an argument. */
void tp_stages_place(struct tp_perfetto *p, int64_t device, int64_t stream, struct tp_built_event *built);

/* Reads the GpuRenderStageEvent of a packet. Returns false if the message is broken. So does the next function, which
 * reads the GpuCounterEvent. */
bool tp_stages_read(struct tp_perfetto *p, struct tp_sequence *sequence, const struct tp_packet *packet);
bool tp_stages_read_counters(struct tp_perfetto *p, struct tp_sequence *sequence, const struct tp_packet *packet);

#endif
