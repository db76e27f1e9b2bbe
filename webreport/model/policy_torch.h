/* Lists the events of a trace in torch's order, with torch's tree and sums, for tables equal to the tables of
 * torch.profiler.
 *
 * Events, kinds, order and owners come from the model. This file implements the differences to torch
 * (torch/autograd/profiler.py, profiler_util.py, 2.13). A runtime call belongs to the thread of the operator that its
 * External id names. An event that ends after the event around it has no parent, and the event around it gets no more
 * children. A parent owns the kernels of a child that is folded into it. The bytes of a memory record are added to
 * every event around the record's time, on any thread.
 *
 * Reports, gates and comparisons do not use this list; their numbers come from facts.h. Results equal torch's results
 * even in the order of summing doubles. So times are stored as exact nanoseconds and as the doubles that torch
 * computes. The list does not change after it is built. */
#ifndef TP_WEBREPORT_MODEL_POLICY_TORCH_H
#define TP_WEBREPORT_MODEL_POLICY_TORCH_H

#include "webreport/model/policy_torch_memory.h"
#include "webreport/trace/trace.h"
#include "writer/base/id_map.h"
#include "writer/base/saturate.h"

/* Properties of an item in torch's tables, as bits; 0 if the tables do not contain the item. */
enum tp_torch_flag {
    TP_TORCH_OPERATOR = 1, /* event with category cpu_op */
    /* event with category user_annotation, or gpu_user_annotation if TP_TORCH_DEVICE is also set */
    TP_TORCH_ANNOTATION = 2,
    TP_TORCH_FRAME = 4,    /* event with category python_function */
    TP_TORCH_CALL = 8,     /* runtime or driver call, or work of the recorder itself */
    TP_TORCH_DEVICE = 16,  /* kernel, copy, set or device-side wait, which has its own row */
    TP_TORCH_UNOWNED = 32, /* work of an MTIA device, which torch never adds to operators */
    TP_TORCH_ASYNC = 64,   /* unfinished or asynchronous event: has no parent, children or self time */
    TP_TORCH_FOLDED = 128, /* event that was folded into its parent of the same name; its call is not counted */
    TP_TORCH_WORK = 256    /* device work, but not a wait or an annotation */
};

/* Versions of the rules for the list. torch 2.13 and 2.6 differ in the memory records of an event, and in whether
 * frames can be parents. With the rules of cProfile, the list has only Python frames, sorted by thread, and no event is
 * folded into another. */
enum tp_torch_rules { TP_TORCH_2_13, TP_TORCH_2_6, TP_CPROFILE };
#define TP_TORCH_RULES "2.13|2.6" /* values of the option --torch, for the first two versions */

struct tp_torch_time {
    int64_t ns;
    double us;
};

/* Torch's list of items. The arrays of this struct are indexed by item. Item i is event i if i < trace->event_count;
 * higher items are memory records outside of all events. */
struct tp_torch {
    const struct tp_trace *trace;
    struct tp_arena *arena;
    enum tp_torch_rules rules;
    /* items in the order of torch's list: by start, end descending, position in the file */
    uint32_t *order;
    uint32_t count;  /* number of entries in `order` */
    uint16_t *flags; /* bits of enum tp_torch_flag for each item */
    uint32_t *parent, *first_child, *next_sibling;
    /* name of the profiled device: "CUDA", "XPU", "MTIA" or "DEVICE"; NULL if no device was profiled */
    const char *device;
    /* for each event: device time; for a host event, this is the time of its own kernels and of its children's
     * kernels */
    struct tp_torch_time *device_time;
    /* for each event of a device operation: item whose device time includes the operation itself; TP_NO_ID for other
     * events. NULL unless tp_torch_build_with_owners built the list */
    uint32_t *owner;
    /* for each event: bytes of the memory records during the event, on any thread; NULL if the trace has no records */
    struct tp_memory_bytes *bytes;
    uint32_t *records; /* records[item - trace->event_count]: memory record, index in trace->memory */
    uint32_t record_count;
    uint32_t *shown;         /* for each name id: id of the name to show; TP_NO_ID if it is not shown */
    uint32_t memory_name[2]; /* name ids of memory records: [0] for "[memory]", [1] for "[OutOfMemory]" */
    struct tp_id_map moved;  /* for each event of a call that torch moves to another thread: this thread */
    /* for each unfinished event: the event whose end it gets; TP_NO_ID if it gets the end of the profiler's span */
    struct tp_id_map around;
    /* base_ns: start of the profiler's span, ns, which is 0 in torch's doubles; end_ns: end of the profiler's span,
     * ns */
    int64_t base_ns, end_ns;
};

/* Times and memory of an item. */
struct tp_torch_sum {
    struct tp_torch_time cpu, device;
    struct tp_memory_bytes bytes;
};

/* Builds torch's list of a trace in `arena`, whose guard must be set. The trace must outlive the list. */
void tp_torch_build(struct tp_torch *torch, const struct tp_trace *trace, enum tp_torch_rules rules,
                    struct tp_arena *arena);

/* Builds the same list, with the owners of device operations. */
void tp_torch_build_with_owners(struct tp_torch *torch, const struct tp_trace *trace, enum tp_torch_rules rules,
                                struct tp_arena *arena);

/* Returns the number of the name that is shown for an item. Numbers are below tp_torch_name_count and can be used as
 * keys. */
uint32_t tp_torch_name(const struct tp_torch *torch, uint32_t item);
uint32_t tp_torch_name_count(const struct tp_torch *torch);
/* Returns the text of a name number: a name of the trace, "ProfilerStep*" for all steps, or "[memory]". Borrowed
 * from the trace. */
struct tp_str tp_torch_name_text(const struct tp_torch *torch, uint32_t name);

static inline void tp_torch_add_time(struct tp_torch_time *sum, struct tp_torch_time time)
{
    sum->ns = tp_sat_add(sum->ns, time.ns);
    sum->us += time.us;
}

/* Returns times and memory of an item, including its children. */
struct tp_torch_sum tp_torch_total_sum(const struct tp_torch *torch, uint32_t item);
/* Returns times and memory of an item without its children. Children that have one of the flags `kept` (enum
 * tp_torch_flag) are not subtracted. */
struct tp_torch_sum tp_torch_self_sum(const struct tp_torch *torch, uint32_t item, unsigned kept);

/* Returns the end of an unfinished event, ns. This is the end of the innermost event that was open on its thread when
 * it started. If there is no such event, this is the end of the profiler's span. */
int64_t tp_torch_unfinished_end(const struct tp_torch *torch, uint32_t event);

static inline bool tp_torch_is_record(const struct tp_torch *torch, uint32_t item)
{
    return item >= torch->trace->event_count;
}

static inline const struct tp_memory *tp_torch_memory_record(const struct tp_torch *torch, uint32_t item)
{
    return &torch->trace->memory[torch->records[item - torch->trace->event_count]];
}

/* Returns the event of an item; NULL if the item is a memory record. */
static inline const struct tp_event *tp_torch_event(const struct tp_torch *torch, uint32_t item)
{
    return tp_torch_is_record(torch, item) ? NULL : &torch->trace->events[item];
}

/* Returns the flags (enum tp_torch_flag) of an item; 0 for a memory record. */
static inline unsigned tp_torch_flags(const struct tp_torch *torch, uint32_t item)
{
    return tp_torch_is_record(torch, item) ? 0 : torch->flags[item];
}

/* Returns the number of items, which is the length of the arrays indexed by item. */
static inline size_t tp_torch_item_count(const struct tp_torch *torch)
{
    return (size_t)torch->trace->event_count + torch->record_count;
}

static inline uint32_t tp_torch_thread(const struct tp_torch *torch, uint32_t item)
{
    const struct tp_event *e = tp_torch_event(torch, item);
    bool may_move = e && e->kind == TP_KIND_RUNTIME && torch->moved.count;
    const uint32_t *moved = may_move ? tp_id_map_find(&torch->moved, item) : NULL;
    return moved ? *moved : e ? e->thread : tp_torch_memory_record(torch, item)->thread;
}

/* Returns the start of an item, ns. Kineto makes device annotations longer by one nanosecond at the start and at the
 * end; this function removes the nanosecond at the start. */
static inline int64_t tp_torch_start(const struct tp_torch *torch, uint32_t item)
{
    const struct tp_event *e = tp_torch_event(torch, item);
    return e ? e->ts_ns + (e->kind == TP_KIND_GPU_ANNOTATION) : tp_torch_memory_record(torch, item)->ts_ns;
}

static inline int64_t tp_torch_end(const struct tp_torch *torch, uint32_t item)
{
    const struct tp_event *e = tp_torch_event(torch, item);
    if (!e)
        return tp_torch_memory_record(torch, item)->ts_ns;
    if (e->flags & TP_EVENT_UNFINISHED)
        return tp_torch_unfinished_end(torch, item);
    int64_t end = tp_event_end(e), start = e->ts_ns + 1;
    return e->kind != TP_KIND_GPU_ANNOTATION ? end : end - 1 > start ? end - 1 : start;
}

/* Returns the duration of an item, as ns and as the double of microseconds that torch computes. */
static inline struct tp_torch_time tp_torch_duration(const struct tp_torch *torch, uint32_t item)
{
    int64_t start = tp_torch_start(torch, item), end = tp_torch_end(torch, item);
    return (struct tp_torch_time){end - start,
                                  (double)(end - torch->base_ns) / 1000 - (double)(start - torch->base_ns) / 1000};
}

/* Returns the details ("Input Dims" ..) of an operator or annotation; NULL for other items. */
static inline const struct tp_host_detail *tp_torch_detail(const struct tp_torch *torch, uint32_t item)
{
    const struct tp_event *e = tp_torch_event(torch, item);
    bool has_detail = e && (e->kind == TP_KIND_OPERATOR || e->kind == TP_KIND_ANNOTATION) && e->detail != TP_NO_ID;
    return has_detail ? &torch->trace->hosts[e->detail] : NULL;
}

#endif
