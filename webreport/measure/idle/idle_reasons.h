/* Finds the reason of each idle interval of a device. The reasons subdivide enum tp_idle_part by properties of the gaps
 * (docs/definitions.md, section 20). The tree of time and the rules use the same reasons. */
#ifndef TP_WEBREPORT_MEASURE_IDLE_IDLE_REASONS_H
#define TP_WEBREPORT_MEASURE_IDLE_IDLE_REASONS_H

#include "webreport/model/facts.h"

enum tp_idle_reason {
    TP_IDLE_BY_HOST,   /* before the host calls the next operation */
    TP_IDLE_BY_LAUNCH, /* during the host's call of the next operation */
    /* during the call of the next operation, if the call takes more than 1 ms and more than 20 usual latencies */
    TP_IDLE_BY_BLOCKED_CALL,
    TP_IDLE_BY_EARLIER_WORK_LAUNCH, /* like TP_IDLE_BY_EARLIER_WORK, but during the call of the next operation */
    TP_IDLE_BY_LATENCY,             /* after the call of the next operation, up to the usual latency of a start */
    TP_IDLE_BY_GRAPH,               /* between kernels of one device graph */
    TP_IDLE_BY_QUEUE,               /* the next operation waits for its stream, an event or a copy */
    /* a long wait at the start of the recording: the device executes work from before the recording, or is stalled */
    TP_IDLE_BY_EARLIER_WORK,
    TP_IDLE_BY_EDGE,    /* before the first or after the last recorded operation of the device */
    TP_IDLE_BY_UNKNOWN, /* the launch of the next operation is not recorded */
    TP_IDLE_REASONS
};

/* Purpose of a runtime call, recognized by its name. */
enum tp_call_use {
    TP_CALL_SYNCHRONISE,
    TP_CALL_COPY,
    TP_CALL_ALLOCATE,
    TP_CALL_LAUNCH,
    TP_CALL_SET_UP, /* work with modules, functions, handles or streams */
    TP_CALL_OTHER
};

enum tp_call_use tp_call_use_by_name(struct tp_str name);
/* Returns the purpose as text, such as "synchronise" or "copy call". Static. */
const char *tp_call_use_text(enum tp_call_use use);

struct tp_idle_reasons {
    int64_t latency_ns; /* usual time from the end of a launch to the start of its operation on an idle device, ns */
    int64_t ns[TP_IDLE_REASONS];
};

/* Sums the idle time of a device by reason. If `visit` is not NULL, calls `visit` once or twice for each idle interval,
 * in order of time. Each call reports a reason and its share of the interval in ns. Releases working memory to
 * `arena`. */
void tp_idle_reasons_find(struct tp_idle_reasons *found, const struct tp_model *model, const struct tp_gpu *gpu,
                          struct tp_arena *arena,
                          void (*visit)(void *context, enum tp_idle_reason reason, const struct tp_idle_slice *piece,
                                        int64_t ns),
                          void *context);

/* Returns idle time that the program did not cause, ns. During this time the device executed unrecorded work or work
 * from before the recording. */
static inline int64_t tp_idle_outside_program_ns(const struct tp_idle_reasons *found)
{
    return found->ns[TP_IDLE_BY_EDGE] + found->ns[TP_IDLE_BY_EARLIER_WORK] + found->ns[TP_IDLE_BY_EARLIER_WORK_LAUNCH];
}

#endif
