/* Reads what old producers write in place of types, tracks and times of packets: phases of Chrome's JSON, ids of
 * asynchronous slices, descriptions of threads, and times in us. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_PERFETTO_LEGACY_EVENTS_H
#define TP_WEBREPORT_TRACE_INPUTS_PERFETTO_LEGACY_EVENTS_H

#include "webreport/trace/inputs/perfetto/perfetto_parts.h"

/* The LegacyEvent of a track event. Numbers are 0 if they are absent. */
struct tp_legacy_event {
    uint64_t phase, name_iid, duration_us, pid, tid;
    uint64_t id;           /* id of an asynchronous slice */
    bool is_local;         /* true if the id belongs to a process */
    bool has_pid, has_tid; /* true if the event names its process or thread */
};

/* Reads a LegacyEvent. Returns false if the message is broken. */
bool tp_legacy_read(struct tp_legacy_event *legacy, struct tp_str message);

/* Returns the type of a track event (1 begin, 2 end, 3 instant) that has the meaning of a phase; 0 for phases that are
 * not read, such as links. */
unsigned tp_legacy_type(const struct tp_legacy_event *legacy);

/* Returns true if the phase is the begin or the end of an asynchronous slice. */
static inline bool tp_legacy_is_async(const struct tp_legacy_event *legacy)
{
    return legacy->phase == 'b' || legacy->phase == 'e' || legacy->phase == 'S' || legacy->phase == 'F';
}

/* Reads the ThreadDescriptor of a packet: the thread of the sequence, and the time from which its times count. Returns
 * false if the message is broken. So does the next function, which reads a ProcessDescriptor. */
bool tp_legacy_read_thread(struct tp_perfetto *p, struct tp_sequence *sequence, struct tp_str message);
bool tp_legacy_read_process(struct tp_perfetto *p, struct tp_str message);

#endif
