/* Why a device was idle, piece by piece: the parts of the idle view, and what their gaps tell beyond them
 * (docs/definitions.md, section 20). One definition for the tree of time and for the rules. */
#ifndef TP_WEBREPORT_MEASURE_IDLE_IDLE_REASONS_H
#define TP_WEBREPORT_MEASURE_IDLE_IDLE_REASONS_H

#include "webreport/model/facts.h"

enum tp_idle_reason {
    TP_IDLE_BY_HOST,        /* the next operation was not called yet */
    TP_IDLE_BY_LAUNCH,      /* inside the call of the next operation */
    TP_IDLE_BY_BLOCKED,     /* the same, and the call blocks: longer than 1 ms and 20 latencies */
    TP_IDLE_BY_HELD_LAUNCH, /* the same, and held: see below */
    TP_IDLE_BY_LATENCY,     /* called, as long as a start takes */
    TP_IDLE_BY_GRAPH,       /* between kernels of one graph */
    TP_IDLE_BY_QUEUE,       /* waits for its stream, an event or a copy */
    TP_IDLE_BY_HELD,        /* long, and hardly any recorded work had run: work of before the recording, or a stall */
    TP_IDLE_BY_EDGE,        /* before the first or after the last recorded operation */
    TP_IDLE_BY_UNKNOWN,     /* the launch of the next operation is not recorded */
    TP_IDLE_REASONS
};

/* What a call of the runtime is for, by its name. */
enum tp_call_use {
    TP_CALL_SYNCHRONISE,
    TP_CALL_COPY,
    TP_CALL_ALLOCATE,
    TP_CALL_LAUNCH,
    TP_CALL_SET_UP, /* modules, functions, handles, streams */
    TP_CALL_OTHER
};

enum tp_call_use tp_call_use_of(struct tp_str name);
/* "synchronise", "copy call" .. Static. */
const char *tp_call_use_text(enum tp_call_use use);

struct tp_idle_reasons {
    int64_t latency_ns; /* from the end of a launch to the start of its operation on a device that was free */
    int64_t ns[TP_IDLE_REASONS];
};

/* Sums the reasons of a device. visit: NULL, or called for each piece in order of time, one or two times, with the
 * reason and the time of it that is of that reason. What is needed meanwhile is given back to `arena`. */
void tp_idle_reasons_find(struct tp_idle_reasons *found, const struct tp_model *model, const struct tp_gpu *gpu,
                          struct tp_arena *arena,
                          void (*visit)(void *context, enum tp_idle_reason reason, const struct tp_idle_piece *piece,
                                        int64_t ns),
                          void *context);

/* Time that says nothing about the program: the device was at work of before the recording, or none was recorded. */
static inline int64_t tp_idle_away(const struct tp_idle_reasons *found)
{
    return found->ns[TP_IDLE_BY_EDGE] + found->ns[TP_IDLE_BY_HELD] + found->ns[TP_IDLE_BY_HELD_LAUNCH];
}

#endif
