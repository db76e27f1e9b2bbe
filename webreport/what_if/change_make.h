/* Makes changes of a program, from their texts or from a list of calls. */
#ifndef TP_WEBREPORT_WHAT_IF_CHANGE_MAKE_H
#define TP_WEBREPORT_WHAT_IF_CHANGE_MAKE_H

#include "webreport/what_if/change.h"
#include "writer/base/error.h"

/* Peak rates of a device. */
struct tp_device_rates {
    int64_t tflops;      /* half-precision products, 10^12 operations per second */
    int64_t memory_gb_s; /* memory, 10^9 bytes per second */
};

/* Fills *rates for a device that the user names with one word, such as "H100". Returns false if they are unknown. */
typedef bool tp_find_rates(struct tp_str name, struct tp_device_rates *rates);

/* What a change is made from. */
struct tp_change_source {
    struct tp_arena *arena; /* memory of the change */
    tp_find_rates *rates;   /* NULL: no rates of devices are known */
};

/* Makes the change that does nothing. */
void tp_change_init(struct tp_what_if_change *change);

/* Reads a change from its text: "kernel:NAME=F", "operator:NAME=F", "kind:KIND=F", "host=F", "launches=0", "graph=0",
 * "copies=F", "communication=F", "overlap", "input=F", "line:TEXT=F", "waits=0", "wait:CALL[ LINE]" or "gpu:OLD=NEW",
 * where F is a decimal number or a fraction. Returns 0, or TP_EUSAGE with a message that says what to write. */
int tp_change_parse(struct tp_what_if_change *change, const struct tp_replay_graph *graph, struct tp_str text,
                    const struct tp_change_source *source, struct tp_error *err);

/* Makes the change "no CALL in LINE", which removes the waits of the calls whose events are listed. name, text: without
 * copies; the caller keeps them. */
void tp_change_without_waits(struct tp_what_if_change *change, const struct tp_replay_graph *graph,
                             const uint32_t *events, uint32_t count, struct tp_arena *arena);

/* Makes the second end of the range of a change of the device: all kernels become faster by the smaller of the two
 * factors. */
void tp_change_least(struct tp_what_if_change *out, const struct tp_what_if_change *change,
                     const struct tp_replay_graph *graph, struct tp_arena *arena);

#endif
