/* What torch.profiler's tables are made of: the events of a trace, in torch's order, with torch's tree and sums.
 *
 * Events, kinds, order and owners are the model's. This policy is what torch (torch/autograd/profiler.py,
 * profiler_util.py, 2.13) counts otherwise: a call of the runtime stands on the thread of the operator that its
 * External id names; an event that sticks out of another has no parent there, and the other gets no children behind it;
 * a parent takes the kernels of the child that it absorbs for its own; memory belongs to every event around its time,
 * on any thread. No number of the report, of a gate or of a comparison comes from here: those have the facts (facts.h).
 * Here equality with torch is the point, down to the order in which doubles are summed. Times stand as exact
 * nanoseconds and as the doubles torch computes from them. Read-only once built. */
#ifndef TP_WEBREPORT_MODEL_POLICY_TORCH_H
#define TP_WEBREPORT_MODEL_POLICY_TORCH_H

#include "webreport/model/policy_torch_memory.h"
#include "webreport/trace/trace.h"
#include "writer/base/id_map.h"
#include "writer/base/saturate.h"

/* What an event is to torch; 0 for an event that its tables do not have. */
enum tp_torch_flag {
    TP_TORCH_OPERATOR = 1,   /* category cpu_op */
    TP_TORCH_ANNOTATION = 2, /* user_annotation, and gpu_user_annotation together with DEVICE */
    TP_TORCH_FRAME = 4,      /* python_function */
    TP_TORCH_CALL = 8,       /* runtime and driver calls, and what the recorder does itself */
    TP_TORCH_DEVICE = 16,    /* kernels, copies, waits: rows of their own */
    TP_TORCH_UNOWNED = 32,   /* of a device whose work torch never counts for operators (MTIA) */
    TP_TORCH_ASYNC = 64,     /* neither parent nor child, no self time */
    TP_TORCH_FOLDED = 128,   /* absorbed by its equally named parent: counts nowhere any more */
    TP_TORCH_WORK = 256      /* of a device, and neither a wait nor an annotation */
};

/* Whose rules. Those of torch differ in which memory records an event gets and in whether frames are parents; cProfile
 * has frames alone, thread by thread, and absorbs none. */
enum tp_torch_rules { TP_TORCH_2_13, TP_TORCH_2_6, TP_CPROFILE };
#define TP_TORCH_RULES "2.13|2.6" /* the first two as choices of an option */

struct tp_torch_time {
    int64_t ns;
    double us;
};

/* Columns are by item: i < trace->event_count is that event, others are memory records outside of every event. */
struct tp_torch {
    const struct tp_trace *trace;
    struct tp_arena *arena;
    enum tp_torch_rules rules;
    uint32_t *order; /* items by (start, end descending, place): the order of torch's list */
    uint32_t count;  /* of order */
    uint16_t *flags; /* enum tp_torch_flag */
    uint32_t *parent, *first_child, *next_sibling;
    const char *device;                /* "CUDA", "XPU", "MTIA"; NULL: no device was profiled */
    struct tp_torch_time *device_time; /* by event; of all but device events: of its kernels and its children's */
    struct tp_memory_bytes *bytes;     /* by event: memory records inside it, of any thread; NULL without records */
    uint32_t *records;                 /* of items that are no events: index in trace->memory */
    uint32_t record_count;
    uint32_t *shown;         /* by name id: as which it is shown, TP_NO_ID: not at all */
    uint32_t memory_name[2]; /* of records; [true]: of [OutOfMemory] */
    struct tp_id_map moved;  /* of calls that stand on another thread than their own: that thread */
    struct tp_id_map around; /* of unfinished events: the event whose end is theirs, TP_NO_ID: the profiler's span */
    int64_t base_ns, end_ns; /* that span; doubles are relative to its start */
};

/* What an item took. */
struct tp_torch_sum {
    struct tp_torch_time cpu, device;
    struct tp_memory_bytes bytes;
};

/* Builds it in `arena` (guard set by the caller; more than fits leaves through it). The trace must outlive it. */
void tp_torch_build(struct tp_torch *torch, const struct tp_trace *trace, enum tp_torch_rules rules,
                    struct tp_arena *arena);

/* Number of a name that is shown, for keys: below tp_torch_name_count. */
uint32_t tp_torch_name(const struct tp_torch *torch, uint32_t item);
uint32_t tp_torch_name_count(const struct tp_torch *torch);
/* Its text: that of the trace, "ProfilerStep*" for every step, "[memory]". Borrowed from the trace. */
struct tp_str tp_torch_name_text(const struct tp_torch *torch, uint32_t name);

static inline void tp_torch_add_time(struct tp_torch_time *sum, struct tp_torch_time time)
{
    sum->ns = tp_sat_add(sum->ns, time.ns);
    sum->us += time.us;
}

/* With children; without them. The children that have one of the flags `kept` stay in the self time. */
struct tp_torch_sum tp_torch_total(const struct tp_torch *torch, uint32_t item);
struct tp_torch_sum tp_torch_self(const struct tp_torch *torch, uint32_t item, unsigned kept);

/* End of an unfinished event: that of the innermost event of its thread which was open when it began. */
int64_t tp_torch_late_end(const struct tp_torch *torch, uint32_t event);

static inline bool tp_torch_is_record(const struct tp_torch *torch, uint32_t item)
{
    return item >= torch->trace->event_count;
}

static inline const struct tp_memory *tp_torch_record(const struct tp_torch *torch, uint32_t item)
{
    return &torch->trace->memory[torch->records[item - torch->trace->event_count]];
}

/* NULL for a memory record. */
static inline const struct tp_event *tp_torch_event(const struct tp_torch *torch, uint32_t item)
{
    return tp_torch_is_record(torch, item) ? NULL : &torch->trace->events[item];
}

/* enum tp_torch_flag; none of a memory record. */
static inline unsigned tp_torch_flags(const struct tp_torch *torch, uint32_t item)
{
    return tp_torch_is_record(torch, item) ? 0 : torch->flags[item];
}

/* How long a column by item is. */
static inline size_t tp_torch_items(const struct tp_torch *torch)
{
    return (size_t)torch->trace->event_count + torch->record_count;
}

static inline uint32_t tp_torch_thread(const struct tp_torch *torch, uint32_t item)
{
    const struct tp_event *e = tp_torch_event(torch, item);
    bool may_move = e && e->kind == TP_KIND_RUNTIME && torch->moved.count;
    const uint32_t *moved = may_move ? tp_id_map_find(&torch->moved, item) : NULL;
    return moved ? *moved : e ? e->thread : tp_torch_record(torch, item)->thread;
}

/* Kineto widens regions of a device by a nanosecond on both sides. */
static inline int64_t tp_torch_start(const struct tp_torch *torch, uint32_t item)
{
    const struct tp_event *e = tp_torch_event(torch, item);
    return e ? e->ts_ns + (e->kind == TP_KIND_GPU_ANNOTATION) : tp_torch_record(torch, item)->ts_ns;
}

static inline int64_t tp_torch_end(const struct tp_torch *torch, uint32_t item)
{
    const struct tp_event *e = tp_torch_event(torch, item);
    if (!e)
        return tp_torch_record(torch, item)->ts_ns;
    if (e->flags & TP_EVENT_UNFINISHED)
        return tp_torch_late_end(torch, item);
    int64_t end = tp_event_end(e), start = e->ts_ns + 1;
    return e->kind != TP_KIND_GPU_ANNOTATION ? end : end - 1 > start ? end - 1 : start;
}

/* A duration, also as torch's double of microseconds. */
static inline struct tp_torch_time tp_torch_duration(const struct tp_torch *torch, uint32_t item)
{
    int64_t start = tp_torch_start(torch, item), end = tp_torch_end(torch, item);
    return (struct tp_torch_time){end - start,
                                  (double)(end - torch->base_ns) / 1000 - (double)(start - torch->base_ns) / 1000};
}

/* "Input Dims" and the like of an operator or annotation; NULL for everything else. */
static inline const struct tp_host_detail *tp_torch_detail(const struct tp_torch *torch, uint32_t item)
{
    const struct tp_event *e = tp_torch_event(torch, item);
    bool has_detail = e && (e->kind == TP_KIND_OPERATOR || e->kind == TP_KIND_ANNOTATION) && e->detail != TP_NO_ID;
    return has_detail ? &torch->trace->hosts[e->detail] : NULL;
}

#endif
