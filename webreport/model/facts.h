/* Defines the facts of one trace: its host tree, operators, launches, device operations, steps, window of analysed
 * steps, idle time and waits.
 *
 * tp_model_build (build.h) makes the facts. Every table, rule, verdict and export reads these facts. Facts are plain
 * arrays in the arena of the trace. They do not change afterwards, and any thread may read them. docs/definitions.md
 * defines all terms; comments in the code explain the reasons of rules.
 *
 * Absent indexes are TP_NO_ID. Times are int64 nanoseconds as in the file, and intervals are half open. The operators
 * of a thread are numbered in pre-order. So a parent has a smaller number than its children, and a subtree is the range
 * [i, subtree_end[i]).
 *
 * This header has only structs and inline access. build.h declares the functions that fill the structs. */
#ifndef TP_WEBREPORT_MODEL_FACTS_H
#define TP_WEBREPORT_MODEL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/model/capture/joined.h"
#include "webreport/model/collectives.h"
#include "webreport/model/compiled.h"
#include "webreport/model/event_map.h"
#include "webreport/model/marks.h"
#include "webreport/model/order.h"
#include "webreport/model/producer_kind.h"
#include "webreport/trace/trace.h"
#include "writer/base/interval.h"
#include "writer/base/narrow.h"

/* An operator that absorbed other operators, and the event of the innermost absorbed operator (D7). */
struct tp_absorbed {
    uint32_t op, event;
};

/* Host operators: finished operators thread by thread in pre-order, then the unfinished operators (D19). */
struct tp_operators {
    uint32_t count, finished_count;
    /* count, plus the operators of capture traces, which follow; only event, parent, subtree_end, stack, module and
     * flags have items for them */
    uint32_t all_count;
    /* index of the first operator of each thread; thread t has the operators first[t] to first[t + 1] - 1; thread_count
     * + 1 entries */
    uint32_t *thread_first;
    uint32_t *event; /* event of the operator, index in trace->events */
    uint32_t *parent;
    uint32_t *subtree_end;
    uint32_t *stack;       /* call stack of the operator, node in trace->stacks */
    uint32_t *module;      /* innermost module, index in modules; NULL if the trace has no modules */
    struct tp_vec clipped; /* ends that were clipped to the end of the parent (D4), ns; elements: struct tp_listed */
    struct tp_absorbed *absorbed; /* operators that absorbed others, sorted by operator */
    uint32_t absorbed_count;
    struct tp_narrow host_self; /* host self time, ns (D14) */
    /* device_self: time of the device operations that the operator owns, ns; device_total: this time, plus the time of
     * the operations that its children own, ns */
    struct tp_narrow device_self, device_total;
    /* tensor_core_self, tensor_core_total: as device_self and device_total, but only kernels that use tensor cores,
     * ns */
    struct tp_narrow tensor_core_self, tensor_core_total;
    /* true if some kernel uses tensor cores; otherwise tensor_core_self and tensor_core_total are empty */
    bool has_tensor_cores;
    uint8_t *flags; /* bits of enum tp_operator_flag */
    /* clipped_count: number of clipped ends (also of operators that were folded later); folded_count: number of folded
     * operators; unfinished_count: number of unfinished operators */
    uint64_t clipped_count, folded_count, unfinished_count;
};

enum tp_operator_flag {
    TP_OPERATOR_UNFINISHED = 1,
    /* true if the operator can use tensor cores, according to its name, its kernels or a child */
    TP_OPERATOR_ELIGIBLE = 2,
    TP_OPERATOR_ELIGIBLE_CHILD = 4, /* at least one child can use tensor cores */
    TP_OPERATOR_OUTERMOST = 8,      /* no ancestor of the operator has the same name (D6) */
    TP_OPERATOR_CLIPPED = 16,       /* the end of the operator is in the list `clipped` */
    TP_OPERATOR_ABSORBED = 32       /* the operator is in the list `absorbed` */
};

/* Runtime and driver calls, thread by thread, sorted by start. */
struct tp_launches {
    uint32_t count;
    uint32_t *thread_first;
    /* op: innermost operator that contains the start of the call, or that starts just after this start or ends just
     * before it (docs/definitions.md, section 3) */
    uint32_t *event, *op;
    uint32_t *module; /* innermost module around each call; NULL if the trace has no modules */
    /* first device operation that the call started; next_in_launch leads to the other operations */
    uint32_t *first_device_operation;
    /* step whose marker contains the call. TP_NO_ID: outside all steps; step_count or more: in a removed step. NULL
     * if the trace has no markers or no device operations. */
    uint32_t *step;
    /* launched_outside_operator_count: number of calls outside of operators; early_count: number of calls that start
     * outside their operator */
    uint64_t launched_outside_operator_count, early_count;
};

/* Device operations (kernels, copies, sets), sorted by (start, position in the file). Operation k is
 * trace->events[event[k]]. */
struct tp_devices {
    uint32_t count;
    const uint32_t *event;    /* events of the operations, indexes in trace->events; the same array as order->device */
    uint32_t *launch;         /* launch of each operation, index in launches; TP_NO_ID if unknown */
    uint32_t *owner;          /* owner of each operation, index in operators; TP_NO_ID if unknown */
    uint32_t *module;         /* module of each operation, index in modules; NULL if the trace has no modules */
    uint32_t *gpu;            /* device of each operation, index in gpus */
    uint32_t *next_in_launch; /* next operation of the same launch; TP_NO_ID for the last operation of a launch */
    uint64_t without_launch_count, linked_by_external_id_count, launched_outside_count, unlinked_count;
    int64_t time_ns, kernel_time_ns, unlinked_time_ns, unlinked_kernel_time_ns;
};

/* Reasons why a device is idle (docs/definitions.md, section 6). host: the call of the next operation has not started.
 * launch: this call is running. queue: this call has returned, but the operation has not started. outside: time before
 * or after the recorded work. unknown: the next operation has no launch, or the device works on something unrecorded.
 * If the reason is host or launch, the device waits for the host. */
enum tp_idle_part { TP_IDLE_HOST, TP_IDLE_LAUNCH, TP_IDLE_QUEUE, TP_IDLE_OUTSIDE, TP_IDLE_UNKNOWN, TP_IDLE_PARTS };

/* Longest time, ns, by which a call may start before or after the operator that its External id names. */
enum { TP_EARLY_CALL_NS = 5000 };

/* A device is treated as free before its first operation if this operation starts at most this time, ns, after its
 * call. */
enum { TP_PROMPT_NS = 100000 };

/* Returns the name of a reason in JSON and tables: "host", "launch" .. Static text. */
const char *tp_idle_part_text(enum tp_idle_part part);

/* A part of the idle time of a device, with one reason. The slices of a device are sorted, disjoint and not empty.
 * Together they are the window of analysed steps without the busy time of the device. */
struct tp_idle_slice {
    int64_t a, b;
    uint32_t next; /* device operation that ends the gap; TP_NO_ID if no operation follows */
    uint8_t part;  /* reason for the idle time, enum tp_idle_part */
};

static inline bool tp_idle_waits_for_host(const struct tp_idle_slice *piece)
{
    return piece->part <= TP_IDLE_LAUNCH;
}

/* A device with operations. Devices are sorted by id. Their sets of intervals cover the whole recording, not only the
 * window of analysed steps. */
struct tp_gpu {
    int64_t id;
    /* true if the program itself declared the device, so that only its name and its work are known */
    bool is_own;
    /* name that the program gave to the device; for a device without a number, the name of its process; otherwise "" */
    struct tp_str name;
    const char *word; /* name of the device type: "GPU", "NPU" .. Static text. */
    uint32_t *events; /* operations of the device, indexes in tp_devices, in time order */
    uint32_t count, stream_count;
    /* main thread of the host if it launches on this device; otherwise the thread with the most launches on this
     * device; TP_NO_ID if no thread launches on it */
    uint32_t main_thread;
    struct tp_intervals busy, kernels;
    /* compute: intervals of compute kernels; communication: intervals of communication kernels; copies: intervals of
     * copies and memory sets */
    struct tp_intervals compute, communication, copies;
    /* exposed_communication: communication during which no compute kernel runs; exposed_copy: copies during which no
     * compute kernel and no communication runs */
    struct tp_intervals exposed_communication, exposed_copy;
    struct tp_idle_slice *idle; /* parts of the window of analysed steps in which the device is idle */
    uint32_t idle_count;
};

/* A call that waits for the device, or a range with the kind sync (docs/definitions.md, section 9). Waits are sorted by
 * (start, position in the file). */
struct tp_wait {
    uint32_t event;          /* event of the call or range, index in trace->events */
    uint32_t op;             /* innermost operator around the call; TP_NO_ID: no operator */
    uint32_t gpu;            /* device for which the call waits, index in gpus; TP_NO_ID if the trace has no devices */
    enum tp_range_kind kind; /* TP_RANGE_COPY for a blocking copy, otherwise TP_RANGE_SYNC */
    int64_t bubble_ns, cost_ns;
    int64_t at_ns;  /* start of the idle time that the wait causes, ns; this time ends at at_ns + cost_ns */
    int64_t own_ns; /* start of the device operation that the call itself started, ns; INT64_MAX: no such operation */
};

/* Processes of the trace with their devices, for operations that do not name a device (device_rows.h). */
struct tp_device_rows {
    struct tp_device_row *rows;
    uint32_t count;
    uint32_t *of_thread; /* for each thread: row of its process, index in rows */
};

/* Module calls, grouped by thread in pre-order. */
struct tp_modules {
    uint32_t count;
    uint32_t all_count; /* count, plus the modules of capture traces, which follow */
    uint32_t *event, *parent;
    int64_t *clipped_end_ns;
};

/* Categories of the time of a step. A moment that is in several categories belongs to the first of them (D1). */
enum tp_time_category {
    TP_CATEGORY_KERNEL,
    TP_CATEGORY_MEMCPY,
    TP_CATEGORY_MEMSET,
    TP_CATEGORY_COMMUNICATION,
    TP_CATEGORY_RUNTIME,
    TP_CATEGORY_DATALOADER,
    TP_CATEGORY_CPU_EXEC,
    TP_CATEGORY_COUNT
};

enum tp_step_marker {
    TP_MARKER_PROFILER_STEP,
    TP_MARKER_EXECUTE_CONTEXT,
    TP_MARKER_STEP,
    TP_MARKER_OPTIMIZER,
    TP_MARKER_MODULES,   /* steps inferred from calls of a module */
    TP_MARKER_BACKWARD,  /* steps inferred from backward passes */
    TP_MARKER_OPERATORS, /* steps inferred from a repeated sequence of operators or ranges */
    TP_MARKER_WINDOW
};

/* Returns "ProfilerStep", "execute_context", "step[]", "Optimizer.step", "modules", "backward", "operators" or
 * "window". Static text. */
const char *tp_step_marker_text(enum tp_step_marker marker);

/* Reasons why a step is not used. */
enum tp_unused_reason {
    TP_STEP_USED,
    TP_STEP_WARM_UP,
    TP_STEP_UNFINISHED,
    TP_STEP_DIFFERENT,
    TP_STEP_LEAD_IN /* of a part of a trace: the device may still do work of the steps before the part */
};

/* Returns "warm-up", "unfinished", "different" or "lead-in"; NULL for TP_STEP_USED. Static text. */
const char *tp_unused_reason_text(enum tp_unused_reason reason);

/* A step: its marker on the host, and its range from start_ns to end_ns, which includes its device work. Steps are
 * sorted by time, and analysed steps are disjoint. */
struct tp_step {
    struct tp_str name;
    int64_t start_ns, end_ns, host_start_ns, host_end_ns;
    uint32_t event;           /* event of the marker, or first event of an inferred step; TP_NO_ID: no event */
    uint8_t left_out;         /* reason why the step is not used, enum tp_unused_reason */
    uint64_t operation_count; /* number of device operations that the step started */
};

/* Kinds of recorded programs (docs/definitions.md, section 3). */
enum tp_program_kind {
    TP_RECORDED_GPU,
    TP_RECORDED_OTHER_DEVICE,
    TP_RECORDED_DEVICE_MISSING,
    TP_RECORDED_CPU,
    TP_RECORDED_EMPTY
};

/* Evidence that a program used a device whose work was not recorded. */
enum tp_missing_device {
    TP_MISSING_NONE,
    TP_MISSING_CALLS,       /* calls that only programs with a device make: launches, copies, allocations .. */
    TP_MISSING_COLLECTIVES, /* collectives of a library that moves data of devices only */
    TP_MISSING_MEMORY,      /* memory records of a device */
    /* the metadata names a GPU, and no event shows that the program ran on the CPU only */
    TP_MISSING_HEAD
};

/* Returns "gpu", "other_device", "device_missing", "cpu" or "empty". Static text. */
const char *tp_program_kind_text(enum tp_program_kind program);

struct tp_model {
    const struct tp_trace *trace;
    const struct tp_order *order;
    struct tp_arena *arena;
    int64_t first_ns; /* start of the first event, ns; 0 without events */
    /* number of complete events and memory records, without the recorder's own work and events of TP_KIND_OTHER */
    uint64_t event_count;
    uint64_t kind_count[TP_KIND_COUNT];
    uint64_t memory_count, out_of_memory_count;
    struct tp_operators operators;
    struct tp_launches launches;
    struct tp_devices devices;
    struct tp_gpu *gpus;
    uint32_t gpu_count;
    struct tp_device_rows device_rows;
    struct tp_modules modules;
    struct tp_collectives collectives;
    struct tp_intervals category_times[TP_CATEGORY_COUNT]; /* intervals of each category */
    bool has_category[TP_CATEGORY_COUNT];                  /* true if an event has the category, even one of length 0 */
    struct tp_intervals device_busy;                       /* union of the busy times of all devices (D13) */
    enum tp_step_marker step_marker;
    struct tp_step *steps; /* steps of the trace, at least one */
    uint32_t step_count, removed_step_count;
    /* for inferred steps: name id of the module or of the first operator; TP_NO_ID for backward passes */
    uint32_t step_source;
    uint32_t step_passes; /* for inferred steps: number of module calls or backward passes per step */
    /* repeated_name: name id of an operator in a repeated sequence; repeat_count: number of repetitions. The sequence
     * is a loop or the layers of one call. repeat_count is 0 if there is no such sequence, or if the steps are
     * known. */
    uint32_t repeated_name, repeat_count;

    const uint64_t *marks; /* TP_MARK_* bits of each name, indexed by name id */
    /* for each host event: the innermost event around it (docs/definitions.md, section 3); TP_NO_ID: no such event */
    uint32_t *inside;
    struct tp_event_map forward; /* for each backward operator with a known forward operator: event of the latter */
    uint64_t badly_nested_count;
    int64_t last_ns;     /* end of the last event, ns; first_ns without events */
    uint32_t used_count; /* number of analysed steps, called N in docs/definitions.md */
    /* the window of analysed steps as intervals: union of the analysed steps, called W in docs/definitions.md */
    struct tp_intervals window;
    int64_t window_ns; /* length of the window of analysed steps, ns */
    /* for each interval of the window of analysed steps: total length of the earlier intervals, ns */
    int64_t *length_before_interval;
    struct tp_intervals
        starved; /* parts of the window of analysed steps in which any device is idle because of the host */
    /* device with the most operations, or of several such devices the one with the lowest id: index in gpus; TP_NO_ID:
     * no device */
    uint32_t main_gpu;
    uint32_t host_main; /* main thread of the host; TP_NO_ID if the host has no events */
    enum tp_program_kind program;
    /* evidence that a device was used but not recorded, if `program` is TP_RECORDED_DEVICE_MISSING */
    enum tp_missing_device missing;
    enum tp_producer producer;
    struct tp_wait *waits;
    uint32_t wait_count;
    const struct tp_joined *joined; /* kernels of graphs, joined with captured calls; NULL if nothing was captured */
    struct tp_compiled compiled;    /* calls of compiled regions, with their source lines */
};

/* Returns the length of the part of [a, b) in the window of analysed steps, ns. *at: index of an interval of the
 * window, which the function updates; 0 before the first call. Calls with the same `at` must have ascending `a`. */
int64_t tp_window_length_within(const struct tp_model *model, size_t *at, int64_t a, int64_t b);

/* Returns the step, used or not, whose marker contains the host time `at`, ns; TP_NO_ID: no such step. In a trace
 * without markers, this function and the functions below return the only step. */
uint32_t tp_step_of_host_time(const struct tp_model *model, int64_t at);
/* Returns the step of the launch of a device operation. If the operation has no launch, returns the step whose range
 * contains its start. */
uint32_t tp_step_of_device(const struct tp_model *model, uint32_t device);
/* Works like tp_step_of_host_time, but is faster if most times ascend from call to call. *near: index that the function
 * updates; 0 before the first call. */
uint32_t tp_step_of_host_time_near(const struct tp_model *model, int64_t at, uint32_t *near);
uint32_t tp_step_of_device_near(const struct tp_model *model, uint32_t device, uint32_t *near);
/* Returns the step that contains the host start of a collective. For a kernel without a host record, uses the start on
 * the device (docs/definitions.md, section 12). */
uint32_t tp_step_of_collective(const struct tp_model *model, const struct tp_collective *record);

/* Returns the parts of the window of analysed steps in which at least one device is idle, in `arena`. If is_starved is
 * true, uses only idle time with the reasons host and launch. */
struct tp_intervals tp_model_idle_times(const struct tp_model *model, bool is_starved, struct tp_arena *arena);

/* Returns the device with this number; NULL if the trace has no operations of it. */
struct tp_gpu *tp_model_gpu(const struct tp_model *model, int64_t number);

/* Returns the entry of deviceProperties for a device number (D18); NULL: no entry. */
const struct tp_gpu_property *tp_model_gpu_property(const struct tp_trace *trace, int64_t id);

/* Returns true if the properties of a device have only a name. Devices that a program itself declares have such
 * properties. p: may be NULL. */
static inline bool tp_is_bare_property(const struct tp_gpu_property *p)
{
    return p && p->name.len && p->major == TP_NULL_INT && p->sm_count == TP_NULL_INT &&
           p->total_memory_bytes == TP_NULL_INT && !p->has_warp_size;
}

static inline const struct tp_event *tp_operator_event(const struct tp_model *model, uint32_t op)
{
    return &model->trace->events[model->operators.event[op]];
}
/* Returns the event that did the work of an operator: the innermost operator that was folded into this operator, or the
 * operator's own event. */
static inline const struct tp_event *tp_operator_work_event(const struct tp_model *model, uint32_t op)
{
    const struct tp_operators *ops = &model->operators;
    uint32_t low = 0, high = ops->flags[op] & TP_OPERATOR_ABSORBED ? ops->absorbed_count : 0;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(ops->absorbed[middle].op <= op ? &low : &high) = middle;
    }
    return high ? &model->trace->events[ops->absorbed[low].event] : tp_operator_event(model, op);
}
/* Returns the end of an operator, ns, clipped to the end of its parent (D4). */
static inline int64_t tp_operator_end(const struct tp_model *model, uint32_t op)
{
    const struct tp_operators *ops = &model->operators;
    return ops->flags[op] & TP_OPERATOR_CLIPPED ? tp_listed_value(ops->clipped.data, ops->clipped.count, op)
                                                : tp_event_end(tp_operator_event(model, op));
}

/* Returns true if the operator can use tensor cores and none of its children can. Such an operator does the matrix work
 * itself. */
static inline bool tp_operator_is_eligible(const struct tp_model *model, uint32_t op)
{
    unsigned both = TP_OPERATOR_ELIGIBLE | TP_OPERATOR_ELIGIBLE_CHILD;
    return (model->operators.flags[op] & both) == TP_OPERATOR_ELIGIBLE;
}

static inline const struct tp_event *tp_device_event(const struct tp_model *model, uint32_t device)
{
    return &model->trace->events[model->devices.event[device]];
}
static inline const struct tp_event *tp_launch_event(const struct tp_model *model, uint32_t launch)
{
    return &model->trace->events[model->launches.event[launch]];
}

/* Returns the index in gpu->events of the first operation that starts at or after the time `at`, ns. */
static inline uint32_t tp_first_operation_from(const struct tp_model *model, const struct tp_gpu *gpu, int64_t at)
{
    uint32_t lo = 0, hi = gpu->count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (tp_device_event(model, gpu->events[mid])->ts_ns < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Returns true if a memory record is about memory of a device, not of the host. */
static inline bool tp_memory_is_on_device(const struct tp_trace *trace, const struct tp_memory *record)
{
    int64_t type = tp_memory_place(trace, record)->type;
    return type != TP_NULL_INT && type != TP_DEVICE_CPU;
}

/* Returns the TP_MARK_* bits of an event's name. */
static inline uint64_t tp_event_marks(const struct tp_model *model, uint32_t event)
{
    return model->marks[model->trace->events[event].name];
}

/* Returns the innermost host event that contains the time `at`, ns, among `event` and the events around it; TP_NO_ID:
 * no such event. To visit the events around an event e from the inside out, first call this function with
 * model->inside[e], then with model->inside[i] of each result i. Pass the start of e each time. */
static inline uint32_t tp_find_event_around(const struct tp_model *model, uint32_t event, int64_t at)
{
    while (event != TP_NO_ID && tp_event_end(&model->trace->events[event]) <= at)
        event = model->inside[event];
    return event;
}

/* Returns the innermost event around `event` that contains the time `at`, ns; TP_NO_ID: no such event. `event` must
 * contain `at`. */
static inline uint32_t tp_find_next_event_around(const struct tp_model *model, uint32_t event, int64_t at)
{
    return tp_find_event_around(model, model->inside[event], at);
}

/* Returns true if an event is a frame that can be the line of the events inside it (docs/definitions.md, section 6). */
static inline bool tp_event_is_line(const struct tp_trace *trace, const struct tp_event *event)
{
    return tp_kind_is_frame(event->kind) && tp_frames_line(&trace->frames, event->name) != TP_NO_ID;
}

/* Returns the line id of the innermost user code around an event. Without user code, returns the innermost line of a
 * library. Returns TP_NO_ID if there is no line, or if `event` is TP_NO_ID. */
static inline uint32_t tp_event_line_id(const struct tp_model *model, uint32_t event)
{
    const struct tp_trace *trace = model->trace;
    int64_t at = event == TP_NO_ID ? 0 : trace->events[event].ts_ns;
    uint32_t of_library = TP_NO_ID;
    for (uint32_t i = event; i != TP_NO_ID; i = tp_find_next_event_around(model, i, at)) {
        const struct tp_event *e = &trace->events[i];
        uint32_t line = tp_kind_is_frame(e->kind) ? tp_frames_line(&trace->frames, e->name) : TP_NO_ID;
        if (line != TP_NO_ID && tp_frames_is_user_code(&trace->frames, e->name))
            return line;
        of_library = of_library != TP_NO_ID ? of_library : line;
    }
    return of_library;
}

/* Returns the text of the line that tp_event_line_id finds; "" if there is no line. */
static inline struct tp_str tp_event_line(const struct tp_model *model, uint32_t event)
{
    uint32_t line = tp_event_line_id(model, event);
    return line == TP_NO_ID ? TP_STR("") : tp_frames_line_text(&model->trace->frames, line);
}

/* Returns the innermost host event of a thread that contains the time `at`, ns; TP_NO_ID: no such event. */
static inline uint32_t tp_innermost_event(const struct tp_model *model, uint32_t thread, int64_t at)
{
    const struct tp_order *order = model->order;
    uint32_t first = order->thread_first[thread], lo = first, hi = order->thread_first[thread + 1];
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (model->trace->events[order->host[mid]].ts_ns <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo == first ? TP_NO_ID : tp_find_event_around(model, order->host[lo - 1], at);
}

/* Returns the event of the launch of a device operation; NULL if it has no launch. */
static inline const struct tp_event *tp_launch_of_device(const struct tp_model *model, uint32_t device)
{
    uint32_t launch = model->devices.launch[device];
    return launch == TP_NO_ID ? NULL : tp_launch_event(model, launch);
}

/* Returns what a capture shows about a device operation; NULL if the operation was not joined with a captured call.
 * device: not TP_NO_ID. */
static inline const struct tp_joined_row *tp_joined_row_of(const struct tp_model *model, uint32_t device)
{
    uint32_t row = model->joined ? model->joined->row_of_device[device] : TP_NO_ID;
    return row == TP_NO_ID ? NULL : &model->joined->rows[row];
}

/* Returns the operator to which a device operation belongs: for a kernel of a graph the operator around the captured
 * call, otherwise the owner. Returns TP_NO_ID if unknown. *has_shapes: whether the shapes of the operator are those of
 * the operation; may be NULL. The result may have an index from operators.count to operators.all_count - 1. */
static inline uint32_t tp_operator_of_device(const struct tp_model *model, uint32_t device, bool *has_shapes)
{
    const struct tp_joined_row *joined = tp_joined_row_of(model, device);
    bool is_captured = joined && joined->op != TP_NO_ID;
    if (has_shapes)
        *has_shapes = !is_captured || joined->has_shapes;
    return is_captured ? joined->op : model->devices.owner[device];
}

/* Returns true if the launch of a graph started the device operation. device: may be TP_NO_ID. */
static inline bool tp_is_graph_launched(const struct tp_model *model, uint32_t device)
{
    const struct tp_event *launch = device == TP_NO_ID ? NULL : tp_launch_of_device(model, device);
    return launch && model->marks[launch->name] & TP_MARK_GRAPH_LAUNCH;
}

/* Returns the kind of a range, call or device operation: the kind that the program declared, otherwise the kind that
 * the name implies (docs/definitions.md, section 2). Verdict, findings, categories and waits must use this function to
 * determine a kind. */
static inline enum tp_range_kind tp_event_range_kind(const struct tp_model *model, const struct tp_event *e)
{
    enum tp_range_kind declared = tp_event_declared_kind(e);
    return declared ? declared : tp_marks_range_kind(model->marks[e->name], e->kind);
}

/* Returns true if at least one event has one of these kinds as its declared kind. kinds: set of bits 1 << enum
 * tp_range_kind. */
static inline bool tp_has_declared_kind(const struct tp_model *model, unsigned kinds)
{
    return model->trace->reading.declared_kind_bits & kinds;
}

/* Returns true if the innermost operator around the launch of a kernel communicates, unless the name of the kernel
 * shows that the kernel computes. */
static inline bool tp_is_launched_by_communication(const struct tp_model *model, uint32_t device)
{
    uint32_t launch = model->devices.launch[device];
    uint32_t op = launch == TP_NO_ID ? TP_NO_ID : model->launches.op[launch];
    return op != TP_NO_ID && tp_event_marks(model, model->operators.event[op]) & TP_MARK_HOST_COMM &&
           !(model->marks[tp_device_event(model, device)->name] & TP_MARK_COMPUTE_KERNEL);
}

/* Returns true if a kernel communicates, according to its arguments, its name or its launch (docs/definitions.md,
 * section 12). */
static inline bool tp_is_communication(const struct tp_model *model, uint32_t device)
{
    const struct tp_event *e = tp_device_event(model, device);
    enum tp_range_kind declared = tp_event_declared_kind(e);
    if (e->kind != TP_KIND_KERNEL || declared)
        return e->kind == TP_KIND_KERNEL && declared == TP_RANGE_COMMUNICATION;
    return model->marks[e->name] & TP_MARK_COMM_KERNEL || tp_is_launched_by_communication(model, device);
}

/* Returns the number of steps that are not used for this reason. */
static inline uint32_t tp_unused_step_count(const struct tp_model *model, enum tp_unused_reason reason)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->step_count; i++)
        count += model->steps[i].left_out == reason;
    return count;
}

/* Returns the stream of a device operation: the argument "stream", otherwise the tid if it is a number, otherwise
 * -1. */
static inline int64_t tp_stream_number(const struct tp_model *model, const struct tp_event *operation)
{
    int64_t number = tp_device_setup(model->trace, operation->detail)->stream;
    if (number != TP_NULL_INT)
        return number;
    const struct tp_row_id *tid = &model->trace->threads[operation->thread].tid;
    return tid->is_text ? -1 : tid->number;
}

/* Returns true if the trace has no markers and its steps were inferred from repetitions. */
static inline bool tp_steps_are_inferred(const struct tp_model *model)
{
    return model->step_marker >= TP_MARKER_MODULES && model->step_marker <= TP_MARKER_OPERATORS;
}

/* Returns the name of the calls from which steps were inferred: the class of a module, "backward", or the name of an
 * operator. */
struct tp_str tp_step_source_name(const struct tp_model *model);

static inline bool tp_step_is_used(const struct tp_step *step)
{
    return step->left_out == TP_STEP_USED;
}

/* Returns true if `step` is the index of an analysed step. step: may be TP_NO_ID. */
static inline bool tp_is_in_used_step(const struct tp_model *model, uint32_t step)
{
    return step != TP_NO_ID && tp_step_is_used(&model->steps[step]);
}

#endif
