/* The model of one trace: what the views mean by operator, launch, device event, module, step and collective.
 *
 * Built once per trace from the decoded events and their order; plain arrays, everything in the trace's arena,
 * read-only afterwards. Definitions: views-definitions.md (D1..D20); where a rule needs a reason it stands at the code.
 * Absent indexes are TP_NO_ID. Names here: an operator is numbered in nesting pre-order per thread, so a parent has a
 * smaller number than its children and a subtree is the range [i, subtree_end[i]). */
#ifndef TP_WEBREPORT_MODEL_MODEL_H
#define TP_WEBREPORT_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "webreport/model/collectives.h"
#include "webreport/model/interval.h"
#include "webreport/model/names.h"
#include "webreport/model/order.h"
#include "webreport/model/stacks.h"
#include "webreport/trace/trace.h"

/* Host operators that are rows: finished ones thread by thread in pre-order, then the unfinished ones (D19). */
struct tp_operators {
    uint32_t count, finished_count;
    uint32_t *thread_first; /* thread_count + 1 entries: thread t owns operators [first[t], first[t + 1]) */
    uint32_t *event;        /* index in trace->events */
    uint32_t *parent;
    uint32_t *subtree_end;
    uint32_t *stack;                     /* node in model->stacks */
    uint32_t *module;                    /* index in modules; NULL without modules */
    int64_t *clipped_end;                /* ns; end after clipping to the parent (D4) */
    int64_t *host_self;                  /* ns (D14) */
    int64_t *device_self, *device_total; /* ns of device events owned, and with children */
    int64_t *tensor_core_self,
        *tensor_core_total; /* ns of tensor-core kernels; NULL when no kernel uses tensor cores */
    uint8_t *flags;         /* enum tp_operator_flag */
    uint64_t clipped_count, folded_count, unfinished_count;
};

enum tp_operator_flag {
    TP_OPERATOR_UNFINISHED = 1,
    TP_OPERATOR_ELIGIBLE = 2,       /* for tensor cores: by name, by own kernels or by a child */
    TP_OPERATOR_ELIGIBLE_CHILD = 4, /* some child is eligible */
    TP_OPERATOR_OUTERMOST = 8       /* no ancestor has the same name (D6) */
};

/* Runtime and driver calls, thread by thread in order of start. */
struct tp_launches {
    uint32_t count;
    uint32_t *thread_first;
    uint32_t *event, *op; /* innermost operator that contains the start */
    uint32_t *module;     /* NULL without modules */
    uint64_t outside_operator_count;
};

/* Device events: item k is trace->events[order->device[k]], by (start, end desc, ordinal). */
struct tp_devices {
    uint32_t count;
    const uint32_t *event; /* order->device */
    uint32_t *launch;      /* index in launches */
    uint32_t *owner;       /* index in operators */
    uint32_t *module;      /* NULL without modules */
    uint32_t *gpu;         /* index in gpus */
    uint64_t without_launch_count, by_external_id_count, launched_outside_count, unlinked_count;
    int64_t time_ns, kernel_time_ns, unlinked_time_ns, unlinked_kernel_time_ns;
};

/* One device that has events, ascending by id. */
struct tp_gpu {
    int64_t id;
    uint32_t *events; /* indexes into tp_devices, in time order */
    uint32_t count;
    struct tp_intervals busy, kernels;
};

/* Module calls, thread by thread in pre-order. */
struct tp_modules {
    uint32_t count;
    uint32_t *event, *parent;
    int64_t *clipped_end;
};

/* What a step's time is split into, in the order in which categories take it (D1). */
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
    TP_MARKER_WINDOW
};

/* A step: its host marker, and the range prolonged by its device work. Disjoint, in time order. */
struct tp_step {
    struct tp_str name;
    int64_t start_ns, end_ns, host_start_ns, host_end_ns;
};

struct tp_model {
    const struct tp_trace *trace;
    const struct tp_order *order;
    struct tp_arena *arena;
    int64_t first_ns;     /* start of the earliest kept event; 0 without events */
    uint64_t event_count; /* kept events: complete ones and memory records */
    uint64_t kind_count[TP_KIND_COUNT];
    uint64_t memory_count, out_of_memory_count;
    struct tp_names names;
    struct tp_stacks stacks;
    struct tp_operators operators;
    struct tp_launches launches;
    struct tp_devices devices;
    struct tp_gpu *gpus;
    uint32_t gpu_count;
    struct tp_modules modules;
    struct tp_collectives collectives;
    struct tp_intervals roles[TP_ROLE_COUNT]; /* union of each category */
    bool has_role[TP_ROLE_COUNT];             /* some event is of it, even of length 0 */
    struct tp_intervals device_busy;          /* all devices merged (D13) */
    enum tp_step_marker step_marker;
    struct tp_step *steps; /* at least one */
    uint32_t step_count, removed_step_count;
};

/* Builds the model in `arena` (guard set by the caller). trace and order must outlive it. */
void tp_model_build(struct tp_model *model, const struct tp_trace *trace, const struct tp_order *order,
                    struct tp_arena *arena);

/* deviceProperties entry of a device (D18); NULL when unknown. */
const struct tp_gpu_property *tp_model_gpu_property(const struct tp_trace *trace, int64_t id);

static inline const struct tp_event *tp_operator_event(const struct tp_model *model, uint32_t op)
{
    return &model->trace->events[model->operators.event[op]];
}
static inline const struct tp_event *tp_device_event(const struct tp_model *model, uint32_t device)
{
    return &model->trace->events[model->devices.event[device]];
}
static inline const struct tp_event *tp_launch_event(const struct tp_model *model, uint32_t launch)
{
    return &model->trace->events[model->launches.event[launch]];
}

#endif
