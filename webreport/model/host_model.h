/* The advice's model of one trace: host tree, calls that launch, device operations, steps, windows, gaps, waits.
 *
 * Built once by tp_host_build in the order of the members; the views and rules read it. Events are meant by their
 * `role`. Definitions: advice-definitions D1.4 to D3 and D6. All times are absolute nanoseconds of the trace. */
#ifndef TP_WEBREPORT_MODEL_HOST_MODEL_H
#define TP_WEBREPORT_MODEL_HOST_MODEL_H

#include "webreport/model/host_frames.h"
#include "webreport/model/host_names.h"
#include "webreport/model/numbers.h"
#include "webreport/model/order.h"
#include "writer/base/interval.h"

/* A runtime or driver call with what stands above it in the host tree. Ordered by (thread, start, end descending,
 * ordinal). */
struct tp_host_call {
    int64_t ts_ns, dur_ns; /* copied from the event: calls are looked at often, out of order */
    uint32_t name, thread;
    uint32_t event;
    uint32_t line; /* innermost project line at or above it */
    uint32_t top_op, inner_op,
        gemm_op;       /* events: outermost, innermost operator above it; innermost one of the GEMM set */
    uint32_t first_op; /* the first device operation it launched; the others follow by next_of_call */
    uint8_t has_shape_op, has_scalar_op; /* among the operators above it */
    uint8_t has_fused, has_fill;         /* among all names above it and its own */
};

/* A kernel, copy or set. Ordered by (start, end descending, ordinal). */
struct tp_device_op {
    struct tp_event copy; /* of its event: operations are looked at often, and not in file order */
    uint32_t event;
    uint32_t call;         /* that launched it, TP_NO_ID when unlinked */
    uint32_t device;       /* index in devices */
    uint32_t next_of_call; /* next operation of the same call */
    uint32_t lane;         /* number of its (device, stream) */
    uint32_t step;         /* index in steps, TP_NO_ID when launched in none of them */
};

enum tp_gap_class { TP_GAP_HOST, TP_GAP_DEPENDENCY, TP_GAP_UNKNOWN };

/* A time without device work; next is the operation that ends it, TP_NO_ID at the tail. */
struct tp_gap {
    int64_t a, b;
    uint32_t next;
    uint8_t class;
    bool is_in_graph; /* of class dependency, before an operation of a graph launch */
};

struct tp_host_device {
    int64_t number;
    uint32_t *ops; /* its operations, in order */
    uint32_t op_count, stream_count;
    uint32_t main_thread; /* that launched most of them, TP_NO_ID when none is linked */
    int64_t first, last;  /* first start, last end */
    int64_t *latest_end;  /* of the operations 0..i */
    struct tp_intervals busy;
    struct tp_gap *gaps;
    uint32_t gap_count;
};

/* A step; window [window_start, window_end) is what rules and idle view look at. */
struct tp_host_step {
    struct tp_str name;
    int64_t start, end, window_start, window_end;
    uint32_t event; /* TP_NO_ID for the whole trace */
    bool is_partial, has_ops;
};

/* A host call that waits for the device (D6), in order of the calls' key. */
struct tp_host_wait {
    uint32_t call, device; /* device index, TP_NO_ID without devices */
    bool is_copy;
    int64_t bubble, cost, at; /* the cost lies at [at, at + cost) */
};

enum tp_program {
    TP_PROGRAM_GPU,
    TP_PROGRAM_OTHER_DEVICE,
    TP_PROGRAM_DEVICE_MISSING,
    TP_PROGRAM_CPU,
    TP_PROGRAM_EMPTY
};

struct tp_host {
    const struct tp_trace *trace;
    struct tp_arena *arena;
    uint64_t *marks; /* TP_NAME_*, by name id */
    struct tp_host_frames frames;
    int64_t start, end, profile_span, longest_ns; /* longest_ns: of host events and device operations */
    bool has_python, has_modules, has_dims;       /* what the host events show of the recording's options */
    uint32_t *overheads, overhead_count;          /* events of role overhead, in file order */
    uint32_t *marked, marked_count; /* events of list that are marked TP_NAME_REGION: steps, optimizers, loaders .. */

    uint32_t *list, *thread_first; /* host events thread by thread, as tp_order */
    uint32_t list_count;
    uint32_t *parent; /* by event, TP_NO_ID for roots */
    struct tp_host_call *calls;
    uint32_t call_count, *thread_calls; /* thread t owns calls[thread_calls[t] .. thread_calls[t + 1]) */
    uint64_t bad_nesting;

    struct tp_device_op *ops;
    uint32_t op_count, lane_count;
    struct tp_host_device *devices; /* by number */
    uint32_t device_count;
    uint32_t main_device, main_thread; /* index, thread; TP_NO_ID when there is none */
    enum tp_program program;

    struct tp_host_step *steps; /* used ones, in order of time */
    uint32_t step_count, steps_found, steps_partial;
    uint32_t *step_slots; /* of the search below: index in steps or TP_NO_ID */
    int64_t *step_starts, *step_ends;
    uint32_t step_slot_count;
    const char *step_source; /* NULL: whole trace */
    bool is_whole, first_dropped;
    struct tp_intervals windows;
    int64_t windows_ns;

    struct tp_host_wait *waits;
    uint32_t wait_count;
};

/* Builds everything. `trace` and `order` must outlive *host. */
void tp_host_build(struct tp_host *host, const struct tp_trace *trace, const struct tp_order *order,
                   struct tp_arena *arena);

/* Gives the large arrays back; texts and devices stay. */
void tp_host_drop(struct tp_host *host);

/* Innermost project line among an event and its ancestors; the empty text when there is none or event is TP_NO_ID. */
struct tp_str tp_host_line_of(struct tp_host *host, uint32_t event);

/* Order of threads in ties: numbers before texts, pid before tid. */
int tp_host_thread_compare(const struct tp_trace *trace, uint32_t x, uint32_t y);

/* The order of everything: start, end descending, ordinal. */
static inline int tp_event_compare(const struct tp_event *x, const struct tp_event *y)
{
    if (x->ts_ns != y->ts_ns)
        return x->ts_ns < y->ts_ns ? -1 : 1;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

static inline const struct tp_event *tp_host_event(const struct tp_host *host, uint32_t event)
{
    return &host->trace->events[event];
}

static inline uint64_t tp_host_marks(const struct tp_host *host, uint32_t event)
{
    return host->marks[host->trace->events[event].name];
}

static inline const struct tp_event *tp_op_event(const struct tp_host *host, uint32_t op)
{
    return &host->ops[op].copy;
}

/* The call that launched the operation, NULL when unlinked. */
static inline const struct tp_host_call *tp_op_call(const struct tp_host *host, uint32_t op)
{
    uint32_t call = host->ops[op].call;
    return call == TP_NO_ID ? NULL : &host->calls[call];
}

static inline const struct tp_event *tp_call_event(const struct tp_host *host, const struct tp_host_call *call)
{
    return &host->trace->events[call->event];
}

static inline int64_t tp_call_end(const struct tp_host_call *call)
{
    return call->ts_ns + call->dur_ns;
}

/* Arguments of a device operation, NULL when it has none. */
static inline const struct tp_device_detail *tp_op_detail(const struct tp_host *host, uint32_t op)
{
    uint32_t detail = tp_op_event(host, op)->detail;
    return detail == TP_NO_ID ? NULL : &host->trace->devices[detail];
}

/* Arguments of an operator or annotation, NULL when it has none. */
static inline const struct tp_host_detail *tp_host_detail_of(const struct tp_host *host, uint32_t event)
{
    uint32_t detail = host->trace->events[event].detail;
    return detail == TP_NO_ID ? NULL : &host->trace->hosts[detail];
}

/* A kernel of a communication library. */
static inline bool tp_op_is_communication(const struct tp_host *host, uint32_t op)
{
    const struct tp_event *e = tp_op_event(host, op);
    return tp_old_role(e) == TP_KIND_KERNEL && host->marks[e->name] & TP_NAME_COMMUNICATION;
}

/* Launched by a graph launch. op may be TP_NO_ID. */
static inline bool tp_op_is_graph(const struct tp_host *host, uint32_t op)
{
    const struct tp_host_call *call = op == TP_NO_ID ? NULL : tp_op_call(host, op);
    return call && host->marks[call->name] & TP_NAME_GRAPH_LAUNCH;
}

#endif
