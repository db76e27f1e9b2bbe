/* The events of a trace in torch's order, with torch's tree and sums, for tables equal to those of torch.profiler.
 * Events, kinds, order and owners come from the model. This policy covers the differences of torch
 * (torch/autograd/profiler.py, profiler_util.py, 2.13). A call of the runtime belongs to the thread of the operator
 * that its External id names. An event that ends after the event around it has no parent, and the event around it gets
 * no further children. A parent owns the kernels of a child that it absorbs. Memory belongs to every event around its
 * time, on any thread. Reports, gates and comparisons do not use this policy; their numbers come from the facts
 * (facts.h). Results equal torch's down to the order in which doubles are summed, so times are kept as exact
 * nanoseconds and as the doubles that torch computes. Read-only once built. */
#ifndef TP_WEBREPORT_MODEL_POLICY_TORCH_H
#define TP_WEBREPORT_MODEL_POLICY_TORCH_H

#include "webreport/model/policy_torch_memory.h"
#include "webreport/trace/trace.h"
#include "writer/base/id_map.h"
#include "writer/base/saturate.h"

/* Kind of an event in torch's tables; 0 if they do not include it. */
enum tp_torch_flag {
    TP_TORCH_OPERATOR = 1,   /* category cpu_op */
    TP_TORCH_ANNOTATION = 2, /* user_annotation, and gpu_user_annotation together with DEVICE */
    TP_TORCH_FRAME = 4,      /* python_function */
    TP_TORCH_CALL = 8,       /* runtime and driver calls, and the recorder's own work */
    TP_TORCH_DEVICE = 16,    /* kernels, copies, waits: rows of their own */
    TP_TORCH_UNOWNED = 32,   /* work of a device that torch never counts for operators (MTIA) */
    TP_TORCH_ASYNC = 64,     /* neither parent nor child, no self time */
    TP_TORCH_FOLDED = 128,   /* absorbed by its parent of the same name; not counted */
    TP_TORCH_WORK = 256      /* device work that is neither a wait nor an annotation */
};

/* Rules to follow. The versions of torch differ in the memory records of an event and in whether frames are parents;
 * cProfile has Python frames only, thread by thread, and absorbs none. */
enum tp_torch_rules { TP_TORCH_2_13, TP_TORCH_2_6, TP_CPROFILE };
#define TP_TORCH_RULES "2.13|2.6" /* the first two rules as choices of an option */

struct tp_torch_time {
    int64_t ns;
    double us;
};

/* Columns are indexed by item: item i < trace->event_count is event i, higher items are memory records outside of all
 * events. */
struct tp_torch {
    const struct tp_trace *trace;
    struct tp_arena *arena;
    enum tp_torch_rules rules;
    uint32_t *order; /* items by (start, end descending, place): the order of torch's list */
    uint32_t count;  /* of order */
    uint16_t *flags; /* enum tp_torch_flag */
    uint32_t *parent, *first_child, *next_sibling;
    const char *device;                /* "CUDA", "XPU" or "MTIA", or NULL if no device was profiled */
    /* by event; for host events the time of their kernels and of their children's kernels */
    struct tp_torch_time *device_time;
    struct tp_memory_bytes *bytes;     /* by event: memory records inside it, of any thread; NULL without records */
    uint32_t *records;                 /* for items that are memory records: index in trace->memory */
    uint32_t record_count;
    uint32_t *shown;         /* by name id: id of the name to show, or TP_NO_ID if it is not shown */
    uint32_t memory_name[2]; /* name ids of memory records; [true]: of [OutOfMemory] */
    struct tp_id_map moved;  /* calls that torch assigns to another thread: that thread */
    /* unfinished events: the event whose end they get, or TP_NO_ID for the end of the profiler's span */
    struct tp_id_map around;
    int64_t base_ns, end_ns; /* the profiler's span; doubles are relative to its start */
};

/* Time and memory of an item. */
struct tp_torch_sum {
    struct tp_torch_time cpu, device;
    struct tp_memory_bytes bytes;
};

/* Builds the tables' events in `arena`, whose guard is set; the trace must outlive them. */
void tp_torch_build(struct tp_torch *torch, const struct tp_trace *trace, enum tp_torch_rules rules,
                    struct tp_arena *arena);

/* Returns the number of the name that is shown for an item, below tp_torch_name_count; for keys. */
uint32_t tp_torch_name(const struct tp_torch *torch, uint32_t item);
uint32_t tp_torch_name_count(const struct tp_torch *torch);
/* Returns the text of that name: from the trace, "ProfilerStep*" for every step, or "[memory]". Borrowed from the
 * trace. */
struct tp_str tp_torch_name_text(const struct tp_torch *torch, uint32_t name);

static inline void tp_torch_add_time(struct tp_torch_time *sum, struct tp_torch_time time)
{
    sum->ns = tp_sat_add(sum->ns, time.ns);
    sum->us += time.us;
}

/* Return the sums of an item with its children and without them. Children with one of the flags `kept` count as self
 * time. */
struct tp_torch_sum tp_torch_total(const struct tp_torch *torch, uint32_t item);
struct tp_torch_sum tp_torch_self(const struct tp_torch *torch, uint32_t item, unsigned kept);

/* Returns the end of an unfinished event: that of the innermost event of its thread that was open when it began. */
int64_t tp_torch_late_end(const struct tp_torch *torch, uint32_t event);

static inline bool tp_torch_is_record(const struct tp_torch *torch, uint32_t item)
{
    return item >= torch->trace->event_count;
}

static inline const struct tp_memory *tp_torch_record(const struct tp_torch *torch, uint32_t item)
{
    return &torch->trace->memory[torch->records[item - torch->trace->event_count]];
}

/* Returns the event of an item, or NULL for a memory record. */
static inline const struct tp_event *tp_torch_event(const struct tp_torch *torch, uint32_t item)
{
    return tp_torch_is_record(torch, item) ? NULL : &torch->trace->events[item];
}

/* Returns the flags (enum tp_torch_flag) of an item; 0 for a memory record. */
static inline unsigned tp_torch_flags(const struct tp_torch *torch, uint32_t item)
{
    return tp_torch_is_record(torch, item) ? 0 : torch->flags[item];
}

/* Returns the length of columns that are indexed by item. */
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

/* Returns the start of an item. Kineto widens device regions by a nanosecond on both sides; this reverts it. */
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

/* Returns the duration of an item, in ns and as torch's double of microseconds. */
static inline struct tp_torch_time tp_torch_duration(const struct tp_torch *torch, uint32_t item)
{
    int64_t start = tp_torch_start(torch, item), end = tp_torch_end(torch, item);
    return (struct tp_torch_time){end - start,
                                  (double)(end - torch->base_ns) / 1000 - (double)(start - torch->base_ns) / 1000};
}

/* Returns the details ("Input Dims" ..) of an operator or annotation, or NULL. */
static inline const struct tp_host_detail *tp_torch_detail(const struct tp_torch *torch, uint32_t item)
{
    const struct tp_event *e = tp_torch_event(torch, item);
    bool has_detail = e && (e->kind == TP_KIND_OPERATOR || e->kind == TP_KIND_ANNOTATION) && e->detail != TP_NO_ID;
    return has_detail ? &torch->trace->hosts[e->detail] : NULL;
}

#endif
