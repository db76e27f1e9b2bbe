/* Completes a Perfetto trace after its last packet. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_PERFETTO_FINISH_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_PERFETTO_FINISH_H

#include "webreport/trace/inputs/perfetto/perfetto_parts.h"

/* Pairs all slices, and adds the elements that end a trace: span, marks and members. Returns 0, or TP_EFORMAT if the
 * trace has neither track events nor GPU stages, or is damaged and must be exact. */
int tp_perfetto_finish(struct tp_perfetto *p);

#endif
