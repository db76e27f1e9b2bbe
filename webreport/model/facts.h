/* The facts of one trace: its host tree, operators, launches, device operations, steps, window, idle time and waits.
 *
 * There is one set of facts, made by tp_model_build (build.h) and read by every table, rule, verdict and export. Plain
 * arrays, everything in the arena of the trace, read-only afterwards; any thread may read. Definitions of all words:
 * docs/definitions.md; reasons of a rule are in the code. Absent indexes are TP_NO_ID, times are int64
 * nanoseconds as the file has them, intervals are half open. An operator is numbered in pre-order per thread, so a
 * parent has a smaller number than its children and a subtree is the range [i, subtree_end[i]).
 *
 * This header has structs and inline access only; build.h declares the functions that fill them. */
#ifndef TP_WEBREPORT_MODEL_FACTS_H
#define TP_WEBREPORT_MODEL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/model/collectives.h"
#include "webreport/model/marks.h"
#include "webreport/model/order.h"
#include "webreport/trace/trace.h"
#include "writer/base/interval.h"
#include "writer/base/narrow.h"

/* An operator and the event of the innermost operator that was folded into it (D7). */
struct tp_absorbed {
    uint32_t op, event;
};

/* Host operators: finished ones thread by thread in pre-order, then the unfinished ones (D19). */
struct tp_operators {
    uint32_t count, finished_count;
    uint32_t *thread_first; /* thread_count + 1 entries: thread t owns operators [first[t], first[t + 1]) */
    uint32_t *event;        /* index in trace->events */
    uint32_t *parent;
    uint32_t *subtree_end;
    uint32_t *stack;              /* node in trace->stacks */
    uint32_t *module;             /* index in modules; NULL without modules */
    struct tp_vec clipped;        /* struct tp_listed: ends clipped to the end of the parent (D4) */
    struct tp_absorbed *absorbed; /* ascending by operator */
    uint32_t absorbed_count;
    struct tp_narrow host_self;                           /* ns (D14) */
    /* ns of device operations that the operator owns; total: also those of its children */
    struct tp_narrow device_self, device_total;
    struct tp_narrow tensor_core_self, tensor_core_total; /* ns of tensor-core kernels */
    bool has_tensor_cores; /* some kernel uses tensor cores; if false, the two tensor-core columns are empty */
    uint8_t *flags;        /* enum tp_operator_flag */
    /* clipped_count includes operators that were folded later */
    uint64_t clipped_count, folded_count, unfinished_count;
};

enum tp_operator_flag {
    TP_OPERATOR_UNFINISHED = 1,
    TP_OPERATOR_ELIGIBLE = 2,       /* for tensor cores: by name, by own kernels or by a child */
    TP_OPERATOR_ELIGIBLE_CHILD = 4, /* some child is eligible */
    TP_OPERATOR_OUTERMOST = 8,      /* no ancestor has the same name (D6) */
    TP_OPERATOR_CLIPPED = 16,       /* its end is listed in `clipped` */
    TP_OPERATOR_ABSORBED = 32       /* it is listed in `absorbed` */
};

/* Runtime and driver calls, thread by thread in order of start. */
struct tp_launches {
    uint32_t count;
    uint32_t *thread_first;
    uint32_t *event, *op;   /* op: innermost operator that contains the start, or begins just after it (section 3) */
    uint32_t *module;       /* NULL without modules */
    uint32_t *first_device; /* first device operation that the call started, in order; the others: next_of_launch */
    uint32_t *step; /* step whose marker contains the call; TP_NO_ID outside all steps; step_count and above for
                       removed steps. NULL without markers or without device operations */
    uint64_t outside_operator_count, early_count; /* early_count: calls that begin before their operator */
};

/* Device operations (kernels, copies, sets): item k is trace->events[event[k]], by (start, place in the file). */
struct tp_devices {
    uint32_t count;
    const uint32_t *event;    /* order->device */
    uint32_t *launch;         /* index in launches */
    uint32_t *owner;          /* index in operators */
    uint32_t *module;         /* NULL without modules */
    uint32_t *gpu;            /* index in gpus */
    uint32_t *next_of_launch; /* next operation of the same launch */
    uint64_t without_launch_count, by_external_id_count, launched_outside_count, unlinked_count;
    int64_t time_ns, kernel_time_ns, unlinked_time_ns, unlinked_kernel_time_ns;
};

/* Reason why a device is idle (section 6). host: the next operation is not called yet. launch: its call is running.
 * queue: it is called but not started. outside: before or after the recorded work. unknown: the next operation has no
 * launch. In host and launch the device waits for the host. */
enum tp_idle_part { TP_IDLE_HOST, TP_IDLE_LAUNCH, TP_IDLE_QUEUE, TP_IDLE_OUTSIDE, TP_IDLE_UNKNOWN, TP_IDLE_PARTS };

/* Longest time by which a call may begin before the operator that its External id names. */
enum { TP_EARLY_CALL_NS = 5000 };

/* A device counts as free if its first operation starts within this time after the call. */
enum { TP_PROMPT_NS = 100000 };

/* Returns the word of a part in JSON and tables: "host", "launch" .. Static. */
const char *tp_idle_part_text(enum tp_idle_part part);

/* A piece of a gap with one reason. The pieces of a device are sorted, disjoint and not empty; together they are
 * exactly W without busy time. A gap across a border of W is cut there. */
struct tp_idle_piece {
    int64_t a, b;
    uint32_t next; /* device operation that ends the gap; TP_NO_ID after the last operation */
    uint8_t part;  /* enum tp_idle_part */
};

static inline bool tp_idle_is_starved(const struct tp_idle_piece *piece)
{
    return piece->part <= TP_IDLE_LAUNCH;
}

/* A device with operations. Devices are sorted by id; unions are of the whole recording. */
struct tp_gpu {
    int64_t id;
    bool is_own;        /* the program itself declared this device; only its name and its work are known */
    struct tp_str name; /* name that the program gave it, or the name of its process if it has no number; else "" */
    const char *word;   /* word for such devices: "GPU", "NPU" .. Static. */
    uint32_t *events;   /* indexes into tp_devices, in time order */
    uint32_t count, stream_count;
    /* main thread of the host if it launches on the device, else the thread with most launches, or TP_NO_ID */
    uint32_t main_thread;
    struct tp_intervals busy, kernels;
    struct tp_intervals compute, communication, copies; /* compute kernels, communication kernels, copies */
    /* time without compute; exposed_copy: also without communication */
    struct tp_intervals exposed_communication, exposed_copy;
    struct tp_idle_piece *idle;                              /* within W */
    uint32_t idle_count;
};

/* A call that waits for the device, or a range of the kind sync (section 9). Sorted by (start, place in the file). */
struct tp_wait {
    uint32_t event;          /* the call, or the range */
    uint32_t op;             /* innermost operator around the call, or TP_NO_ID */
    uint32_t gpu;            /* index in gpus; TP_NO_ID without devices */
    enum tp_range_kind kind; /* TP_RANGE_COPY for a blocking copy, or TP_RANGE_SYNC */
    int64_t bubble_ns, cost_ns;
    int64_t at_ns;  /* start of the cost, which ends at at_ns + cost_ns */
    int64_t own_ns; /* start of the device operation of the call itself; INT64_MAX if it has none */
};

/* Processes of the trace, with device numbers for operations that do not name their device (device_rows.h). */
struct tp_device_rows {
    struct tp_device_row *rows;
    uint32_t count;
    uint32_t *of_thread; /* by thread: index in rows */
};

/* Module calls, thread by thread in pre-order. */
struct tp_modules {
    uint32_t count;
    uint32_t *event, *parent;
    int64_t *clipped_end;
};

/* Categories of a step's time. A moment counts for the first category that contains it (D1). */
enum tp_role {
    TP_ROLE_KERNEL,
    TP_ROLE_MEMCPY,
    TP_ROLE_MEMSET,
    TP_ROLE_COMMUNICATION,
    TP_ROLE_RUNTIME,
    TP_ROLE_DATALOADER,
    TP_ROLE_CPU_EXEC,
    TP_ROLE_COUNT
};

enum tp_step_marker {
    TP_MARKER_PROFILER_STEP,
    TP_MARKER_EXECUTE_CONTEXT,
    TP_MARKER_STEP,
    TP_MARKER_OPTIMIZER,
    TP_MARKER_MODULES, /* inferred from calls of a module; the next two are inferred as well */
    TP_MARKER_BACKWARD, /* backward passes */
    TP_MARKER_OPERATORS, /* a sequence of operators or ranges */
    TP_MARKER_WINDOW
};

/* Returns "ProfilerStep", "execute_context", "step[]", "Optimizer.step", "modules", "backward", "operators" or
 * "window". Static. */
const char *tp_step_marker_text(enum tp_step_marker marker);

/* Reason why a step is not used. */
enum tp_left_out { TP_STEP_USED, TP_STEP_WARM_UP, TP_STEP_UNFINISHED, TP_STEP_DIFFERENT };

/* Returns "warm-up", "unfinished" or "different", or NULL for TP_STEP_USED. Static. */
const char *tp_left_out_text(enum tp_left_out reason);

/* A step: its host marker, and its range, which includes its device work. Sorted by time; used steps are disjoint. */
struct tp_step {
    struct tp_str name;
    int64_t start_ns, end_ns, host_start_ns, host_end_ns;
    uint32_t event;           /* event of the marker, or of the first work of an inferred step, or TP_NO_ID */
    uint8_t left_out;         /* enum tp_left_out */
    uint64_t operation_count; /* device operations started in it */
};

/* Kind of the recorded program (section 3). */
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
    TP_MISSING_COLLECTIVES, /* collectives of a library that moves device data only */
    TP_MISSING_MEMORY,      /* memory records of a device */
    /* the head of the trace names a GPU, and no event shows that the program ran on the CPU only */
    TP_MISSING_HEAD
};

/* Returns "gpu", "other_device", "device_missing", "cpu" or "empty". Static. */
const char *tp_program_kind_text(enum tp_program_kind program);

/* Producer of the trace. It decides the vocabulary of advice (docs/definitions.md, section 15). */
enum tp_producer {
    TP_PRODUCER_TORCH,      /* PyTorch's profiler, or a recording with Python frames */
    TP_PRODUCER_TRACEPRESS, /* our recorder in a C or C++ program */
    TP_PRODUCER_MPI,        /* our recorder in a C or C++ program with MPI collectives */
    TP_PRODUCER_OTHER,      /* another producer: events that neither PyTorch nor our recorder writes */
    TP_PRODUCER_COUNT
};

struct tp_model {
    const struct tp_trace *trace;
    const struct tp_order *order;
    struct tp_arena *arena;
    int64_t first_ns;     /* start of the earliest kept event; 0 without events */
    uint64_t event_count; /* kept events: complete ones and memory records */
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
    struct tp_intervals roles[TP_ROLE_COUNT]; /* union of each category */
    bool has_role[TP_ROLE_COUNT];             /* the category has an event, which may have length 0 */
    struct tp_intervals device_busy;          /* all devices merged (D13) */
    enum tp_step_marker step_marker;
    struct tp_step *steps; /* at least one */
    uint32_t step_count, removed_step_count;
    /* of inferred steps: name of the module or of the first operator; TP_NO_ID for backward passes */
    uint32_t step_source;
    uint32_t step_passes; /* of inferred steps: calls or backward passes in each */
    /* A repeated sequence of operators, either a loop or the layers of one call: name of one of its operators, and how
     * often it repeats; 0: there is none, or steps are known. */
    uint32_t repeat_name, repeat_count;

    const uint64_t *marks; /* TP_MARK_*, by name id */
    uint32_t *inside;      /* by event: the host event around a host event (section 3), or TP_NO_ID */
    uint64_t badly_nested_count;
    int64_t last_ns;             /* end of the latest kept event; first_ns without events */
    uint32_t used_count;         /* N: steps with left_out == TP_STEP_USED */
    struct tp_intervals window;  /* W: union of the used steps */
    int64_t window_ns;           /* |W| */
    int64_t *window_before;      /* by piece of W: ns of W before it */
    struct tp_intervals starved; /* times of W in which some device is idle for the reason host or launch */
    uint32_t main_gpu;           /* index of the device with most operations (ties: smallest id), or TP_NO_ID */
    uint32_t host_main;          /* main thread of the host; TP_NO_ID without host events */
    enum tp_program_kind program;
    enum tp_missing_device missing; /* evidence, if the program is TP_PROGRAM_DEVICE_MISSING */
    enum tp_producer producer;
    struct tp_wait *waits;
    uint32_t wait_count;
};

/* Returns the length of [a, b) within W, ns. at: place of the caller in W, 0 before the first call; calls with the same
 * `at` have ascending a. */
int64_t tp_window_within(const struct tp_model *model, size_t *at, int64_t a, int64_t b);

/* Returns the step whose marker contains the host moment, used or not, or TP_NO_ID. Without markers, here and below,
 * all work belongs to the single step. */
uint32_t tp_step_of_host(const struct tp_model *model, int64_t at);
/* Returns the step of a device operation: that of its launch, or the step whose range contains its start. */
uint32_t tp_step_of_device(const struct tp_model *model, uint32_t device);
/* Like tp_step_of_host, faster for moments that mostly ascend. *near: 0 before the first call. */
uint32_t tp_step_of_host_near(const struct tp_model *model, int64_t at, uint32_t *near);
uint32_t tp_step_of_device_near(const struct tp_model *model, uint32_t device, uint32_t *near);
/* Returns the step in which a collective starts: by the host marker, or by device time for kernels without a host
 * record (section 12). */
uint32_t tp_step_of_collective(const struct tp_model *model, const struct tp_collective *record);

/* Returns the times of W in which some device is idle, in `arena`. is_starved: count the reasons host and launch
 * only. */
struct tp_intervals tp_model_idle(const struct tp_model *model, bool is_starved, struct tp_arena *arena);

/* Returns the deviceProperties entry of a device (D18), or NULL. */
const struct tp_gpu_property *tp_model_gpu_property(const struct tp_trace *trace, int64_t id);

/* Returns whether a device has a name and no property of a GPU, as devices that a program declares itself. p: may be
 * NULL. */
static inline bool tp_is_bare_property(const struct tp_gpu_property *p)
{
    return p && p->name.len && p->major == TP_NULL_INT && p->sm_count == TP_NULL_INT &&
           p->total_memory_bytes == TP_NULL_INT && !p->has_warp_size;
}

static inline const struct tp_event *tp_operator_event(const struct tp_model *model, uint32_t op)
{
    return &model->trace->events[model->operators.event[op]];
}
/* Returns the event that did the operator's work: the innermost operator that was folded into it, else its own
 * event. */
static inline const struct tp_event *tp_operator_worker(const struct tp_model *model, uint32_t op)
{
    const struct tp_operators *ops = &model->operators;
    uint32_t low = 0, high = ops->flags[op] & TP_OPERATOR_ABSORBED ? ops->absorbed_count : 0;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(ops->absorbed[middle].op <= op ? &low : &high) = middle;
    }
    return high ? &model->trace->events[ops->absorbed[low].event] : tp_operator_event(model, op);
}
/* Returns the end of an operator, clipped to the end of its parent (D4). */
static inline int64_t tp_operator_end(const struct tp_model *model, uint32_t op)
{
    const struct tp_operators *ops = &model->operators;
    return ops->flags[op] & TP_OPERATOR_CLIPPED ? tp_listed_value(ops->clipped.data, ops->clipped.count, op)
                                                : tp_event_end(tp_operator_event(model, op));
}

/* Returns whether the operator is eligible for tensor cores and has no eligible child that does its matrix work. */
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

/* Returns the TP_MARK_* bits of the name of an event. */
static inline uint64_t tp_marks_of(const struct tp_model *model, uint32_t event)
{
    return model->marks[model->trace->events[event].name];
}

/* Returns the innermost host event that contains `at` among `event` and the events around it, or TP_NO_ID. To walk
 * outwards from an event e: i = tp_alive_at(model, model->inside[e], start of e), then again from model->inside[i]. */
static inline uint32_t tp_alive_at(const struct tp_model *model, uint32_t event, int64_t at)
{
    while (event != TP_NO_ID && tp_event_end(&model->trace->events[event]) <= at)
        event = model->inside[event];
    return event;
}

/* Returns the next event outwards that contains `at`, or TP_NO_ID. event: contains `at`. */
static inline uint32_t tp_next_alive(const struct tp_model *model, uint32_t event, int64_t at)
{
    return tp_alive_at(model, model->inside[event], at);
}

/* Returns the id of the innermost line of the user's own code around an event, or of a package if no line is the
 * user's. TP_NO_ID without any line, or if event is TP_NO_ID. */
static inline uint32_t tp_line_id_of(const struct tp_model *model, uint32_t event)
{
    const struct tp_trace *trace = model->trace;
    int64_t at = event == TP_NO_ID ? 0 : trace->events[event].ts_ns;
    uint32_t of_package = TP_NO_ID;
    for (uint32_t i = event; i != TP_NO_ID; i = tp_next_alive(model, i, at)) {
        const struct tp_event *e = &trace->events[i];
        uint32_t line = tp_kind_is_frame(e->kind) ? tp_frames_line(&trace->frames, e->name) : TP_NO_ID;
        if (line != TP_NO_ID && tp_frames_is_users(&trace->frames, e->name))
            return line;
        of_package = of_package != TP_NO_ID ? of_package : line;
    }
    return of_package;
}

/* Returns the text of that line, or "". */
static inline struct tp_str tp_line_of(const struct tp_model *model, uint32_t event)
{
    uint32_t line = tp_line_id_of(model, event);
    return line == TP_NO_ID ? TP_STR("") : tp_frames_line_text(&model->trace->frames, line);
}

/* Returns the innermost host event of a thread that contains `at`, or TP_NO_ID. */
static inline uint32_t tp_innermost_at(const struct tp_model *model, uint32_t thread, int64_t at)
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
    return lo == first ? TP_NO_ID : tp_alive_at(model, order->host[lo - 1], at);
}

/* Returns the event of the launch of a device operation, or NULL. */
static inline const struct tp_event *tp_launch_of_device(const struct tp_model *model, uint32_t device)
{
    uint32_t launch = model->devices.launch[device];
    return launch == TP_NO_ID ? NULL : tp_launch_event(model, launch);
}

/* Returns whether a graph launch started the device operation. device may be TP_NO_ID. */
static inline bool tp_is_graph_launched(const struct tp_model *model, uint32_t device)
{
    const struct tp_event *launch = device == TP_NO_ID ? NULL : tp_launch_of_device(model, device);
    return launch && model->marks[launch->name] & TP_MARK_GRAPH_LAUNCH;
}

/* Returns the kind of a range, a call or device work: the kind that the program declared, else the kind of its name
 * (docs/definitions.md, section 2). Verdict, findings, categories and waits use this function only. */
static inline enum tp_range_kind tp_range_kind_of(const struct tp_model *model, const struct tp_event *e)
{
    enum tp_range_kind said = tp_event_said(e);
    return said ? said : tp_marks_range_kind(model->marks[e->name], e->kind);
}

/* Returns whether some event declares one of these kinds (bits). */
static inline bool tp_any_says(const struct tp_model *model, unsigned kinds)
{
    return model->trace->reading.said_kinds & kinds;
}

/* Returns whether the innermost operator around the launch communicates and the kernel's name does not say that it
 * computes. */
static inline bool tp_is_launched_by_communication(const struct tp_model *model, uint32_t device)
{
    uint32_t launch = model->devices.launch[device];
    uint32_t op = launch == TP_NO_ID ? TP_NO_ID : model->launches.op[launch];
    return op != TP_NO_ID && tp_marks_of(model, model->operators.event[op]) & TP_MARK_HOST_COMM &&
           !(model->marks[tp_device_event(model, device)->name] & TP_MARK_COMPUTE_KERNEL);
}

/* Returns whether a kernel communicates: by its arguments, its name or its launch (section 12). */
static inline bool tp_is_communication(const struct tp_model *model, uint32_t device)
{
    const struct tp_event *e = tp_device_event(model, device);
    enum tp_range_kind said = tp_event_said(e);
    if (e->kind != TP_KIND_KERNEL || said)
        return e->kind == TP_KIND_KERNEL && said == TP_RANGE_COMMUNICATION;
    return model->marks[e->name] & TP_MARK_COMM_KERNEL || tp_is_launched_by_communication(model, device);
}

/* Returns the number of steps that are left out for the reason. */
static inline uint32_t tp_steps_left_out(const struct tp_model *model, enum tp_left_out reason)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->step_count; i++)
        count += model->steps[i].left_out == reason;
    return count;
}

/* Returns the stream of a device operation: args.stream, else the tid if it is a number, else -1. */
static inline int64_t tp_stream_number(const struct tp_model *model, const struct tp_event *operation)
{
    int64_t number = tp_device_setup(model->trace, operation->detail)->stream;
    if (number != TP_NULL_INT)
        return number;
    const struct tp_row_id *tid = &model->trace->threads[operation->thread].tid;
    return tid->is_text ? -1 : tid->number;
}

/* Returns whether steps were inferred from what repeats, because nothing marks them. */
static inline bool tp_steps_are_inferred(const struct tp_model *model)
{
    return model->step_marker >= TP_MARKER_MODULES && model->step_marker <= TP_MARKER_OPERATORS;
}

/* Returns the source of inferred steps: the class of the module, "backward", or the name of an operator. */
struct tp_str tp_step_source_name(const struct tp_model *model);

static inline bool tp_step_is_used(const struct tp_step *step)
{
    return step->left_out == TP_STEP_USED;
}

/* step: index in steps, or TP_NO_ID. */
static inline bool tp_is_in_used_step(const struct tp_model *model, uint32_t step)
{
    return step != TP_NO_ID && tp_step_is_used(&model->steps[step]);
}

#endif
