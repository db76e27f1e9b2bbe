/* Builds the merged tree. Adds host events first, nested by time, and memory records at their times. Then adds device
 * operations below their launches, and those of graphs below their captured calls (calltree_captured.c). */
#include "webreport/measure/charts/calltree_merge.h"

#include "webreport/measure/audience/wording.h"
#include "webreport/measure/charts/calltree_captured.h"
#include "webreport/measure/charts/calltree_labels.h"
#include "writer/base/interval.h"
#include "writer/base/saturate.h"

enum { MAX_STACK_FRAMES = 40 };

/* An event that has not ended yet at the current position of the walk. end: end of the event, ns; node: node of the
 * event in the tree. */
struct open {
    int64_t end;
    uint32_t node;
};

struct walk {
    struct tp_merge *merge;
    struct tp_vec open;      /* stack of open events; elements: struct open */
    struct tp_vec frames;    /* working memory of descend_stack */
    uint32_t *node_of_event; /* node of each event, for operators and runtime calls; TP_NO_ID for other events */
    uint32_t main_thread, step_label, backward_label, threads_label, unknown_label;
    struct tp_captured_tree captured;
    const uint32_t *records; /* memory records of the thread, in order of time */
    uint32_t record_count;
};

/* ---- labels ---- */

static uint32_t host_label(const struct walk *w, const struct tp_event *event)
{
    struct tp_merge *merge = w->merge;
    uint32_t *known = &merge->label_of_name[(size_t)event->name * 2];
    if (*known)
        return *known - 1;
    struct tp_str name = tp_trace_event_name(merge->model->trace, event);
    unsigned kind = event->kind, label;
    if (merge->model->marks[event->name] & TP_MARK_STEP)
        label = w->step_label;
    else if (kind == TP_KIND_MODULE)
        label = tp_merge_module_label(merge, name);
    else if (kind == TP_KIND_FRAME)
        label = tp_merge_add_frame_label(merge, name);
    else
        label = tp_merge_add_label(merge, name, kind == TP_KIND_OPERATOR ? TP_CALL_OPERATOR : TP_CALL_PHASE);
    *known = label + 1;
    return label;
}

static uint32_t device_label(struct tp_merge *merge, const struct tp_event *event)
{
    uint32_t *known = &merge->label_of_name[(size_t)event->name * 2 + 1];
    if (!*known)
        *known = tp_merge_add_label(merge, tp_trace_event_name(merge->model->trace, event), TP_CALL_KERNEL) + 1;
    return *known - 1;
}

/* ---- parents of events without an open caller ---- */

/* Returns the label of a frame of a "Call stack" argument. */
static uint32_t stack_label(struct tp_merge *merge, uint32_t frame)
{
    uint32_t *known = &merge->label_of_frame[frame];
    struct tp_str text = tp_stack_frame_text(merge->model->trace->stacks, frame);
    while (!*known && text.len && text.ptr[0] == ' ')
        text.ptr++, text.len--;
    if (!*known)
        *known = (text.len ? tp_merge_add_frame_label(merge, text) : TP_MERGE_SKIPPED) + 1;
    return *known - 1;
}

/* Adds the frames of a "Call stack" argument below `node`, outermost frame first. Returns the node of the innermost
 * frame. */
static uint32_t descend_stack(struct walk *w, uint32_t node, uint32_t argument)
{
    const struct tp_stacks *stacks = w->merge->model->trace->stacks;
    tp_stack_frames(stacks, tp_stacks_node_of_text(stacks, argument), MAX_STACK_FRAMES, &w->frames);
    for (size_t i = 0; i < w->frames.count; i++) {
        uint32_t label = stack_label(w->merge, *TP_AT(&w->frames, uint32_t, i));
        if (label != TP_MERGE_SKIPPED)
            node = tp_merge_find_or_add_child(w->merge, node, label);
    }
    return node;
}

static bool is_backward(const struct tp_model *model, const struct tp_event *event)
{
    return (model->marks[event->name] & TP_MARK_BACKWARD_NODE) ||
           tp_str_find(tp_trace_event_name(model->trace, event), "Backward") >= 0;
}

/* Returns the parent node for an event without an enclosing event on its thread. */
static uint32_t find_outermost_parent(struct walk *w, const struct tp_event *event)
{
    struct tp_merge *merge = w->merge;
    if (event->thread == w->main_thread)
        return 0;
    if (event->kind == TP_KIND_OPERATOR && is_backward(merge->model, event)) {
        bool has_steps = merge->model->step_marker == TP_MARKER_PROFILER_STEP;
        return tp_merge_find_or_add_child(merge, has_steps ? tp_merge_find_or_add_child(merge, 0, w->step_label) : 0,
                                          w->backward_label);
    }
    return tp_merge_find_or_add_child(merge, 0, w->threads_label);
}

/* ---- the walk over a thread ---- */

static uint32_t innermost_open_node(const struct walk *w)
{
    return w->open.count ? TP_AT(&w->open, struct open, w->open.count - 1)->node : TP_NO_ID;
}

static void close_events_until(struct walk *w, int64_t time)
{
    while (w->open.count && TP_AT(&w->open, struct open, w->open.count - 1)->end <= time)
        w->open.count--;
}

static void add_memory_record(struct walk *w, const struct tp_memory *record)
{
    close_events_until(w, record->ts_ns);
    uint32_t node = innermost_open_node(w);
    struct tp_merge_node *at = tp_merge_node(w->merge, node == TP_NO_ID ? 0 : node);
    at->bytes = tp_sat_add(at->bytes, record->bytes);
}

/* Subtracts the time of a step from the open calls that enclose the step, because the tree has steps at its top. */
static void subtract_step_from_open_calls(struct walk *w, const struct tp_event *step)
{
    uint32_t previous = TP_NO_ID;
    for (size_t i = 0; i < w->open.count && i < TP_MERGE_MAX_DEPTH; i++) {
        uint32_t node = TP_AT(&w->open, struct open, i)->node;
        struct tp_merge_node *around = tp_merge_node(w->merge, node);
        if (node != previous)
            around->host_ns = around->host_ns > step->dur_ns ? around->host_ns - step->dur_ns : 0;
        previous = node;
    }
}

static void open_event(struct walk *w, const struct tp_event *event, uint32_t index)
{
    struct tp_merge *merge = w->merge;
    unsigned kind = event->kind;
    uint32_t node = innermost_open_node(w);
    if (kind == TP_KIND_RUNTIME) {
        w->node_of_event[index] = node;
        return;
    }
    bool has_frames_above =
        node != TP_NO_ID &&
        TP_AT(&merge->labels, struct tp_label, tp_merge_node(merge, node)->label)->kind >= TP_CALL_FRAME;
    if (node == TP_NO_ID)
        node = find_outermost_parent(w, event);
    if (kind == TP_KIND_OPERATOR && !has_frames_above && event->detail != TP_NO_ID &&
        merge->model->trace->hosts[event->detail].stack != TP_NO_ID)
        node = descend_stack(w, node, merge->model->trace->hosts[event->detail].stack);
    uint32_t label = host_label(w, event);
    if (label == w->step_label) {
        subtract_step_from_open_calls(w, event);
        node = 0;
    }
    uint32_t reached = label == TP_MERGE_SKIPPED ? node : tp_merge_find_or_add_child(merge, node, label);
    if (reached != node) {
        struct tp_merge_node *own = tp_merge_node(merge, reached);
        own->host_ns = tp_sat_add(own->host_ns, event->dur_ns);
        own->call_count++;
    }
    w->node_of_event[index] = reached;
    struct open *open = tp_vec_push(&w->open);
    *open = (struct open){tp_event_end(event), reached};
}

/* Walks the events of a thread. An open event encloses the next event only if the open event lasts beyond the middle of
 * the next event. Example: step 2 begins inside the frame that finishes step 1, but is not nested in this frame. */
static void add_events_of_thread(struct walk *w, uint32_t thread)
{
    const struct tp_order *order = w->merge->model->order;
    const struct tp_event *events = w->merge->model->trace->events;
    const struct tp_memory *memory = w->merge->model->trace->memory;
    uint32_t at = 0;
    w->open.count = 0;
    for (uint32_t i = order->thread_first[thread]; i < order->thread_first[thread + 1]; i++) {
        const struct tp_event *event = &events[order->host[i]];
        for (; at < w->record_count && memory[w->records[at]].ts_ns < event->ts_ns; at++)
            add_memory_record(w, &memory[w->records[at]]);
        close_events_until(w, event->ts_ns + event->dur_ns / 2);
        open_event(w, event, order->host[i]);
    }
    for (; at < w->record_count; at++)
        add_memory_record(w, &memory[w->records[at]]);
}

/* ---- memory records ---- */

struct records {
    uint32_t *items; /* indexes in trace->memory, in order of time */
    uint32_t *first; /* the records of thread t are items[first[t]] to items[first[t + 1] - 1] */
};

static bool is_allocation(const struct tp_trace *trace, const struct tp_memory *memory, bool device_only)
{
    return !(memory->flags & TP_MEMORY_OUT_OF_MEMORY) && memory->bytes > 0 &&
           (!device_only || tp_memory_is_on_device(trace, memory));
}

static struct records collect_records(const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_trace *trace = model->trace;
    struct records found = {.first = tp_arena_array(arena, (size_t)trace->thread_count + 2, sizeof(uint32_t))};
    bool device_only = false;
    for (uint32_t i = 0; i < trace->memory_count && !device_only; i++)
        device_only = is_allocation(trace, &trace->memory[i], true);
    uint32_t count = 0;
    for (uint32_t i = 0; i < trace->memory_count; i++)
        if (is_allocation(trace, &trace->memory[i], device_only)) {
            found.first[trace->memory[i].thread + 2]++;
            count++;
        }
    found.items = tp_arena_array(arena, count, sizeof *found.items);
    for (uint32_t t = 0; t < trace->thread_count; t++)
        found.first[t + 2] += found.first[t + 1];
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        uint32_t record = model->order->memory[i];
        if (is_allocation(trace, &trace->memory[record], device_only))
            found.items[found.first[trace->memory[record].thread + 1]++] = record;
    }
    return found;
}

/* ---- devices ---- */

/* Returns the node of a device operation's owner. Without an owner, returns the node of the launch. */
static uint32_t find_launching_node(const struct walk *w, uint32_t device)
{
    const struct tp_model *model = w->merge->model;
    uint32_t owner = model->devices.owner[device], launch = model->devices.launch[device], node = TP_NO_ID;
    if (owner != TP_NO_ID)
        node = w->node_of_event[model->operators.event[owner]];
    if (node == TP_NO_ID && launch != TP_NO_ID)
        node = w->node_of_event[model->launches.event[launch]];
    return node == TP_NO_ID ? tp_merge_find_or_add_child(w->merge, 0, w->unknown_label) : node;
}

static void add_device_operations(struct walk *w)
{
    struct tp_merge *merge = w->merge;
    for (uint32_t i = 0; i < merge->model->devices.count; i++) {
        const struct tp_event *event = tp_device_event(merge->model, i);
        uint32_t parent = tp_captured_tree_descend(&w->captured, find_launching_node(w, i), i);
        uint32_t node = tp_merge_find_or_add_child(merge, parent, device_label(merge, event));
        struct tp_merge_node *kernel = tp_merge_node(merge, node);
        kernel->device_ns = tp_sat_add(kernel->device_ns, event->dur_ns);
        kernel->call_count++;
    }
}

/* ---- the whole tree ---- */

void tp_merge_build(struct tp_merge *merge, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_trace *trace = model->trace;
    tp_merge_init(merge, model, arena);
    struct walk w = {.merge = merge, .open = TP_VEC(arena, struct open), .frames = TP_VEC(arena, uint32_t)};
    w.main_thread = model->host_main;
    w.step_label = tp_merge_add_label(merge, TP_STR(TP_MERGE_STEP), TP_CALL_PHASE);
    w.backward_label = tp_merge_add_label(merge, TP_STR("backward"), TP_CALL_PHASE);
    w.threads_label = tp_merge_add_label(merge, TP_STR("other threads"), TP_CALL_PHASE);
    w.unknown_label =
        tp_merge_add_label(merge,
                           tp_has_only_devices_of_program(model) ? TP_STR("on devices that the program itself defines")
                                                                 : TP_STR("launched outside the recorded calls"),
                           TP_CALL_PHASE);
    tp_captured_tree_init(&w.captured, merge);
    w.node_of_event = tp_arena_array(arena, trace->event_count, sizeof *w.node_of_event);
    /* 0xFF bytes make every entry TP_NO_ID */
    memset(w.node_of_event, 0xFF, trace->event_count * sizeof *w.node_of_event);
    struct records records = collect_records(model, arena);
    for (uint32_t t = 0; t < trace->thread_count; t++) {
        w.records = records.items + records.first[t];
        w.record_count = records.first[t + 1] - records.first[t];
        add_events_of_thread(&w, t);
    }
    add_device_operations(&w);
    tp_arena_free_item(arena, w.node_of_event, trace->event_count * sizeof *w.node_of_event);
    tp_arena_free_item(arena, records.items, (size_t)records.first[trace->thread_count] * sizeof *records.items);
}
