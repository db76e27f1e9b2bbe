/* Finds the reason of each idle piece of a device: the parts of the idle view, divided further by properties of the
 * gaps (docs/definitions.md, section 20). The tree of time and the rules share this definition. */
#ifndef TP_WEBREPORT_MEASURE_IDLE_IDLE_REASONS_H
#define TP_WEBREPORT_MEASURE_IDLE_IDLE_REASONS_H

#include "webreport/model/facts.h"

enum tp_idle_reason {
    TP_IDLE_BY_HOST,        /* the next operation is not called yet */
    TP_IDLE_BY_LAUNCH,      /* during the call of the next operation */
    TP_IDLE_BY_BLOCKED,     /* during a blocking call, longer than 1 ms and 20 latencies */
    TP_IDLE_BY_HELD_LAUNCH, /* during the call, and held (see below) */
    TP_IDLE_BY_LATENCY,     /* after the call, for the usual latency of a start */
    TP_IDLE_BY_GRAPH,       /* between kernels of one graph */
    TP_IDLE_BY_QUEUE,       /* the operation waits for its stream, an event or a copy */
    TP_IDLE_BY_HELD,        /* long and before most recorded work: work from before the recording, or a stall */
    TP_IDLE_BY_EDGE,        /* before the first or after the last recorded operation */
    TP_IDLE_BY_UNKNOWN,     /* the launch of the next operation is not recorded */
    TP_IDLE_REASONS
};

/* Purpose of a runtime call, by its name. */
enum tp_call_use {
    TP_CALL_SYNCHRONISE,
    TP_CALL_COPY,
    TP_CALL_ALLOCATE,
    TP_CALL_LAUNCH,
    TP_CALL_SET_UP, /* modules, functions, handles, streams */
    TP_CALL_OTHER
};

enum tp_call_use tp_call_use_of(struct tp_str name);
/* Returns "synchronise", "copy call" .. Static. */
const char *tp_call_use_text(enum tp_call_use use);

struct tp_idle_reasons {
    int64_t latency_ns; /* from the end of a launch to the start of its operation on a device that was free */
    int64_t ns[TP_IDLE_REASONS];
};

/* Sums the reasons of a device. visit: may be NULL; called once or twice for each piece, in order of time, with a
 * reason and its part of the piece. Working memory is returned to `arena`. */
void tp_idle_reasons_find(struct tp_idle_reasons *found, const struct tp_model *model, const struct tp_gpu *gpu,
                          struct tp_arena *arena,
                          void (*visit)(void *context, enum tp_idle_reason reason, const struct tp_idle_piece *piece,
                                        int64_t ns),
                          void *context);

/* Returns the idle time that does not concern the program: the device did work from before the recording, or unrecorded
 * work. */
static inline int64_t tp_idle_away(const struct tp_idle_reasons *found)
{
    return found->ns[TP_IDLE_BY_EDGE] + found->ns[TP_IDLE_BY_HELD] + found->ns[TP_IDLE_BY_HELD_LAUNCH];
}

#endif
