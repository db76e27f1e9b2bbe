/* Reads interned data: texts with numbers, and names of counters. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_INTERNED_DATA_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_INTERNED_DATA_H

#include "webreport/trace/inputs/perfetto/interned.h"

/* Reads InternedData into the tables of a sequence. Returns false if the message is broken. */
bool tp_interned_data_read(struct tp_interned *interned, struct tp_sequence *sequence, struct tp_str message);

/* Reads the name and the integer of an ExtraComputeArg; *value is unchanged if the argument has no integer. Returns
 * false if the message is broken. */
bool tp_interned_data_read_argument(const struct tp_interned *interned, const struct tp_sequence *sequence,
                                    struct tp_str message, struct tp_str *name, int64_t *value);

/* Reads a GpuCounterDescriptor, the names of counters of a device, as the description with this iid. Returns false if
 * the message is broken. */
bool tp_interned_data_read_counters(struct tp_interned *interned, const struct tp_sequence *sequence, uint64_t iid,
                                    uint64_t device, struct tp_str message);

#endif
