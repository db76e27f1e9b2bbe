/* Implements value_stacks.h. Finds the stack of every host event once, then adds the items of each value. */
#include "webreport/measure/charts/value_stacks.h"

#include "webreport/measure/audience/wording.h"
#include "webreport/measure/views/sample_view.h"
#include "webreport/model/capture/captured_stack.h"
#include "webreport/model/device_origin.h"
#include "webreport/model/stack_walk.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

enum { CALL_STACK_FRAMES = 64 }; /* largest number of frames that the argument "Call stack" adds */

static const struct {
    const char *name, *title;
} values[TP_VALUES] = {
    [TP_VALUE_DEVICE] = {"device", "device time"},
    [TP_VALUE_HOST] = {"host", "host time"},
    [TP_VALUE_OPERATORS] = {"operators", "host self time of operators"},
    [TP_VALUE_IDLE] = {"idle", "idle time"},
    [TP_VALUE_DEVICE_BYTES] = {"device_bytes", "allocated device memory"},
    [TP_VALUE_HOST_BYTES] = {"host_bytes", "allocated host memory"},
};

const char *tp_value_name(enum tp_value value)
{
    return values[value].name;
}

const char *tp_value_title(enum tp_value value)
{
    return values[value].title;
}

/* The state of a build. */
struct build {
    struct tp_value_stacks *stacks;
    const struct tp_model *model;
    uint32_t *node_of_event;  /* for each event of the host: node of its stack */
    uint32_t *frame_of_label; /* for each label id and kind of a host event: 1 + frame; 0: not made yet */
    struct tp_vec frames;     /* working memory: frames of a "Call stack", elements: uint32_t */
    struct tp_vec captured;   /* working memory; elements: struct tp_captured_frame */
    struct tp_keys known;     /* pairs (stack of the launch, captured call), because launches share captured calls */
    struct tp_vec nodes;      /* for each pair: stack of the captured call; elements: uint32_t */
    uint32_t idle_frame[TP_IDLE_PARTS];
    uint32_t no_event_node;   /* stack of a time without a host event */
    const struct tp_gpu *gpu; /* device whose idle time is being visited */
};

/* ---- frames and stacks ---- */

static uint32_t add_frame(struct tp_value_stacks *stacks, enum tp_value_frame_kind kind, struct tp_str text)
{
    struct tp_frame parts = {{NULL, 0}, {NULL, 0}, 0, false};
    bool is_code = kind == TP_VALUE_FRAME_PYTHON && tp_frame_parse(&parts, text) && parts.function.len;
    struct tp_str name = is_code ? parts.function : text;
    uint32_t name_id = tp_strings_add(&stacks->texts, name.len ? name : TP_STR("_"));
    uint32_t file = tp_strings_add(&stacks->texts, is_code ? parts.path : TP_STR(""));
    uint32_t line = is_code && parts.line > 0 ? (uint32_t)parts.line : 0;
    return tp_keys_add(&stacks->frames, (uint32_t[]){name_id, file, line, (uint32_t)kind});
}

/* Returns the stack in which a frame was called by the stack `caller`. At the limit of depth, returns `caller`. */
static uint32_t add_node(struct tp_value_stacks *stacks, uint32_t caller, uint32_t frame)
{
    uint32_t depth = caller == TP_NO_ID ? 0 : *TP_AT(&stacks->depths, uint32_t, caller);
    if (depth >= TP_MAX_FOLDED_DEPTH)
        return caller;
    uint32_t node = tp_keys_pair(&stacks->nodes, caller, frame);
    if (node == stacks->depths.count)
        *(uint32_t *)tp_vec_push(&stacks->depths) = depth + 1;
    return node;
}

static enum tp_value_frame_kind frame_kind_of_event(unsigned kind)
{
    switch (kind) {
    case TP_KIND_ANNOTATION:
        return TP_VALUE_FRAME_RANGE;
    case TP_KIND_FRAME:
        return TP_VALUE_FRAME_PYTHON;
    case TP_KIND_MODULE:
        return TP_VALUE_FRAME_MODULE;
    case TP_KIND_OPERATOR:
        return TP_VALUE_FRAME_OPERATOR;
    default:
        return TP_VALUE_FRAME_CALL;
    }
}

/* Returns the frame of a host event. Events that differ only in an address or in the number of a step share a frame. */
static uint32_t frame_of_host_event(struct build *b, const struct tp_event *event)
{
    const struct tp_frames *frames = &b->model->trace->frames;
    uint32_t label = tp_frames_label(frames, event->name);
    enum tp_value_frame_kind kind = frame_kind_of_event(event->kind);
    uint32_t *known = &b->frame_of_label[(size_t)label * TP_VALUE_FRAME_DEVICE + kind];
    if (!*known)
        *known = 1 + add_frame(b->stacks, kind, tp_frames_label_text(frames, label));
    return *known - 1;
}

/* Returns true if a stack has a frame of code, a module or an operator at its inner end. */
static bool ends_in_code(const struct tp_value_stacks *stacks, uint32_t node)
{
    if (node == TP_NO_ID)
        return false;
    enum tp_value_frame_kind kind = tp_value_frame_at(stacks, tp_keys_get(&stacks->nodes, node)[1]).kind;
    return kind == TP_VALUE_FRAME_PYTHON || kind == TP_VALUE_FRAME_MODULE || kind == TP_VALUE_FRAME_OPERATOR;
}

/* Adds the frames of the argument "Call stack" of an operator, if the trace has no events for these frames. */
static uint32_t add_call_stack(struct build *b, uint32_t node, const struct tp_event *event)
{
    const struct tp_trace *trace = b->model->trace;
    if (event->kind != TP_KIND_OPERATOR || event->detail == TP_NO_ID || ends_in_code(b->stacks, node))
        return node;
    uint32_t text = trace->hosts[event->detail].stack;
    tp_stack_frames(trace->stacks, tp_stacks_node_of_text(trace->stacks, text), CALL_STACK_FRAMES, &b->frames);
    for (size_t i = 0; i < b->frames.count; i++) {
        struct tp_str frame = tp_str_trim(tp_stack_frame_text(trace->stacks, *TP_AT(&b->frames, uint32_t, i)));
        if (frame.len)
            node = add_node(b->stacks, node, add_frame(b->stacks, TP_VALUE_FRAME_PYTHON, frame));
    }
    return node;
}

/* Finds the stack of each host event. An event comes after all events around it. */
static void find_stacks_of_events(struct build *b)
{
    const struct tp_order *order = b->model->order;
    const struct tp_trace *trace = b->model->trace;
    b->node_of_event = tp_arena_array(b->stacks->arena, trace->event_count, sizeof *b->node_of_event);
    memset(b->node_of_event, 0xFF, trace->event_count * sizeof *b->node_of_event); /* every entry is TP_NO_ID */
    for (uint32_t i = 0; i < order->host_count; i++) {
        uint32_t index = order->host[i], around = b->model->inside[index];
        const struct tp_event *event = &trace->events[index];
        uint32_t node = add_call_stack(b, around == TP_NO_ID ? TP_NO_ID : b->node_of_event[around], event);
        b->node_of_event[index] = add_node(b->stacks, node, frame_of_host_event(b, event));
    }
}

/* Returns the stack of an event; the stack of a time without a host event for TP_NO_ID. */
static uint32_t stack_of_event(const struct build *b, uint32_t event)
{
    return event == TP_NO_ID ? b->no_event_node : b->node_of_event[event];
}

/* ---- tracks and items ---- */

static void begin_track(struct build *b, enum tp_value value, struct tp_str name, uint32_t thread)
{
    *(struct tp_value_track *)tp_vec_push(&b->stacks->tracks) =
        (struct tp_value_track){value, name, thread, (uint32_t)b->stacks->items.count, 0};
}

/* Adds an item to the last track. Amounts of 0 are not added. */
static void add_item(struct build *b, int64_t ts_ns, uint32_t stack, int64_t amount)
{
    struct tp_value_stacks *stacks = b->stacks;
    struct tp_value_track *track = TP_AT(&stacks->tracks, struct tp_value_track, stacks->tracks.count - 1);
    if (amount <= 0)
        return;
    *(struct tp_value_item *)tp_vec_push(&stacks->items) = (struct tp_value_item){ts_ns, amount, stack};
    track->count++;
    stacks->sums[track->value] = tp_sat_add(stacks->sums[track->value], amount);
}

static int compare_times(const void *x, const void *y, const void *context)
{
    (void)context;
    int64_t a = ((const struct tp_value_item *)x)->ts_ns, b = ((const struct tp_value_item *)y)->ts_ns;
    return (a > b) - (a < b);
}

/* Sorts the items of the last track by time, or removes the track if it is empty. */
static void end_track(struct build *b)
{
    struct tp_value_stacks *stacks = b->stacks;
    struct tp_value_track *track = TP_AT(&stacks->tracks, struct tp_value_track, stacks->tracks.count - 1);
    if (!track->count)
        stacks->tracks.count--;
    else
        tp_merge_sort(stacks->arena, TP_AT(&stacks->items, struct tp_value_item, track->first), track->count,
                      sizeof(struct tp_value_item), compare_times, NULL);
}

/* ---- device time ---- */

/* Returns true if `event` or an event around it is `wanted`. */
static bool is_inside(const struct tp_model *model, uint32_t event, uint32_t wanted)
{
    for (unsigned depth = 0; event != TP_NO_ID && depth < TP_MAX_FOLDED_DEPTH; depth++, event = model->inside[event])
        if (event == wanted)
            return true;
    return false;
}

/* Returns the stack of the call that started a device operation. If the owner of the operation is not around the call,
 * the stack is the stack of the owner, followed by the call. */
static uint32_t stack_of_launch(struct build *b, uint32_t device)
{
    const struct tp_model *model = b->model;
    uint32_t launch = model->devices.launch[device], owner = model->devices.owner[device];
    uint32_t call = launch == TP_NO_ID ? TP_NO_ID : model->launches.event[launch];
    uint32_t op = owner == TP_NO_ID ? TP_NO_ID : model->operators.event[owner];
    if (op == TP_NO_ID && call == TP_NO_ID)
        return TP_NO_ID;
    if (op == TP_NO_ID || call == TP_NO_ID)
        return stack_of_event(b, op == TP_NO_ID ? call : op);
    if (is_inside(model, call, op))
        return b->node_of_event[call];
    return add_node(b->stacks, b->node_of_event[op], frame_of_host_event(b, &model->trace->events[call]));
}

/* Adds the frames of the call that captured a kernel of a graph to the stack of its launch. */
static uint32_t add_captured_frames(struct build *b, uint32_t node, uint32_t device)
{
    node = add_node(b->stacks, node, add_frame(b->stacks, TP_VALUE_FRAME_RANGE, TP_STR("[" TP_FROM_CAPTURE "]")));
    tp_captured_stack(b->model, device, &b->captured);
    for (size_t i = 0; i < b->captured.count; i++) {
        const struct tp_captured_frame *frame = TP_AT(&b->captured, struct tp_captured_frame, i);
        node = add_node(b->stacks, node, add_frame(b->stacks, frame_kind_of_event(frame->kind), frame->text));
    }
    return node;
}

/* Returns the stack of a device operation whose launch has the stack `node`: for a kernel of a graph, the stack of the
 * captured call. */
static uint32_t captured_stack(struct build *b, uint32_t node, uint32_t device)
{
    const struct tp_joined_row *row = tp_joined_row_of(b->model, device);
    if (!row)
        return node;
    if (row->call == TP_NO_ID)
        return add_captured_frames(b, node, device);
    uint32_t id = tp_keys_pair(&b->known, node, row->call);
    if (id == b->nodes.count) {
        uint32_t captured = add_captured_frames(b, node, device);
        *(uint32_t *)tp_vec_push(&b->nodes) = captured;
    }
    return *TP_AT(&b->nodes, uint32_t, id);
}

static void add_device_time(struct build *b, const struct tp_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->count; i++) {
        const struct tp_event *event = tp_device_event(b->model, gpu->events[i]);
        uint32_t node = captured_stack(b, stack_of_launch(b, gpu->events[i]), gpu->events[i]);
        uint32_t frame = add_frame(b->stacks, TP_VALUE_FRAME_DEVICE, tp_trace_event_name(b->model->trace, event));
        add_item(b, event->ts_ns, add_node(b->stacks, node, frame), event->dur_ns);
    }
}

/* ---- idle time ---- */

static void add_idle_segment(void *context, const struct tp_stack_segment *segment)
{
    struct build *b = context;
    unsigned part = b->gpu->idle[segment->tag].part;
    add_item(b, segment->a, add_node(b->stacks, stack_of_event(b, segment->event), b->idle_frame[part]),
             tp_sat_sub(segment->b, segment->a));
}

/* Adds the idle time of a device. has_stacks: false for idle time without the stacks of the host. */
static void add_idle_time(struct build *b, const struct tp_gpu *gpu, bool has_stacks)
{
    struct tp_stack_walk walk = {.model = b->model, .arena = b->stacks->arena, .visit = add_idle_segment, .context = b};
    b->gpu = gpu;
    if (has_stacks)
        tp_stack_walk_idle(&walk, gpu, 0, gpu->idle_count);
    for (uint32_t i = 0; i < gpu->idle_count && !has_stacks; i++)
        add_item(b, gpu->idle[i].a, add_node(b->stacks, b->no_event_node, b->idle_frame[gpu->idle[i].part]),
                 tp_sat_sub(gpu->idle[i].b, gpu->idle[i].a));
}

/* Makes the frames that are not events of the trace. */
static void make_frames(struct build *b)
{
    const struct tp_frames *frames = &b->model->trace->frames;
    uint32_t no_event = add_frame(b->stacks, TP_VALUE_FRAME_RANGE, tp_frames_label_text(frames, frames->no_event));
    b->no_event_node = add_node(b->stacks, TP_NO_ID, no_event);
    for (unsigned part = 0; part < TP_IDLE_PARTS; part++) {
        const char *text = tp_text_printf(b->stacks->arena, "[idle: %s]", tp_idle_part_text((enum tp_idle_part)part));
        b->idle_frame[part] = add_frame(b->stacks, TP_VALUE_FRAME_IDLE, tp_str_of(text));
    }
}

/* Adds the tracks of device time and of idle time. */
static void add_devices(struct build *b, enum tp_value value)
{
    /* idle time of further devices has no stacks, because each device needs a walk over the events of all threads */
    for (uint32_t g = 0; g < b->model->gpu_count; g++) {
        const struct tp_gpu *gpu = &b->model->gpus[g];
        begin_track(b, value, tp_device_title(b->model, gpu->id, b->stacks->arena), TP_NO_ID);
        if (value == TP_VALUE_DEVICE)
            add_device_time(b, gpu);
        else
            add_idle_time(b, gpu, g < TP_MAX_EXPORT_DEVICES);
        end_track(b);
    }
}

/* ---- host time ---- */

static void add_host_segment(void *context, const struct tp_stack_segment *segment)
{
    struct build *b = context;
    if (segment->event != TP_NO_ID)
        add_item(b, segment->a, b->node_of_event[segment->event], tp_sat_sub(segment->b, segment->a));
}

static void add_host_time(struct build *b, uint32_t thread, struct tp_stack_walk *walk)
{
    const struct tp_stack_slice slice = {b->model->first_ns, b->model->last_ns, 0};
    if (slice.b > slice.a)
        tp_stack_walk(walk, thread, &slice, 1);
}

/* Adds the host self time of the operators of a thread, each with the stack of the operator. */
static void add_operators(struct build *b, uint32_t first, uint32_t end)
{
    const struct tp_operators *ops = &b->model->operators;
    for (uint32_t op = first; op < end; op++)
        add_item(b, tp_operator_event(b->model, op)->ts_ns, stack_of_event(b, ops->event[op]),
                 tp_narrow_get(&ops->host_self, op));
}

static void add_threads(struct build *b, enum tp_value value)
{
    const struct tp_trace *trace = b->model->trace;
    const uint32_t *first = b->model->operators.thread_first;
    struct tp_stack_walk walk = {.model = b->model, .arena = b->stacks->arena, .visit = add_host_segment, .context = b};
    for (uint32_t t = 0; t < trace->thread_count; t++) {
        begin_track(b, value, tp_sample_thread_name(b->stacks->arena, &trace->threads[t]), t);
        if (value == TP_VALUE_HOST)
            add_host_time(b, t, &walk);
        else
            add_operators(b, first[t], first[t + 1]);
        end_track(b);
    }
}

/* ---- bytes ---- */

static void add_bytes(struct build *b, enum tp_value value)
{
    const struct tp_trace *trace = b->model->trace;
    begin_track(b, value, TP_STR(""), TP_NO_ID);
    for (uint32_t i = 0; i < trace->memory_count; i++) {
        const struct tp_memory *record = &trace->memory[b->model->order->memory[i]];
        if (tp_memory_is_on_device(trace, record) != (value == TP_VALUE_DEVICE_BYTES) ||
            record->flags & TP_MEMORY_OUT_OF_MEMORY)
            continue;
        add_item(b, record->ts_ns, stack_of_event(b, tp_innermost_event(b->model, record->thread, record->ts_ns)),
                 record->bytes);
    }
    end_track(b);
}

/* ---- all values ---- */

void tp_value_stacks_build(struct tp_value_stacks *stacks, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_frames *frames = &model->trace->frames;
    size_t labels = (size_t)frames->name_count + frames->extra.count;
    struct build b = {.stacks = stacks,
                      .model = model,
                      .frames = TP_VEC(arena, uint32_t),
                      .captured = TP_VEC(arena, struct tp_captured_frame),
                      .nodes = TP_VEC(arena, uint32_t)};
    *stacks = (struct tp_value_stacks){.model = model,
                                       .arena = arena,
                                       .depths = TP_VEC(arena, uint32_t),
                                       .tracks = TP_VEC(arena, struct tp_value_track),
                                       .items = TP_VEC(arena, struct tp_value_item)};
    tp_strings_init(&stacks->texts, arena, 0);
    tp_keys_init(&stacks->frames, arena, 4);
    tp_keys_init(&stacks->nodes, arena, 2);
    tp_keys_init(&b.known, arena, 2);
    b.frame_of_label = tp_arena_array(arena, labels * TP_VALUE_FRAME_DEVICE, sizeof *b.frame_of_label);
    find_stacks_of_events(&b);
    make_frames(&b);
    add_devices(&b, TP_VALUE_DEVICE);
    add_threads(&b, TP_VALUE_HOST);
    add_threads(&b, TP_VALUE_OPERATORS);
    add_devices(&b, TP_VALUE_IDLE);
    add_bytes(&b, TP_VALUE_DEVICE_BYTES);
    add_bytes(&b, TP_VALUE_HOST_BYTES);
}

struct tp_value_frame tp_value_frame_at(const struct tp_value_stacks *stacks, uint32_t frame)
{
    const uint32_t *key = tp_keys_get(&stacks->frames, frame);
    return (struct tp_value_frame){tp_strings_get(&stacks->texts, key[0]), tp_strings_get(&stacks->texts, key[1]),
                                   key[2], (enum tp_value_frame_kind)key[3]};
}

void tp_value_stack_path(const struct tp_value_stacks *stacks, uint32_t node, struct tp_vec *path)
{
    path->count = 0;
    for (; node != TP_NO_ID; node = tp_keys_get(&stacks->nodes, node)[0])
        *(uint32_t *)tp_vec_push(path) = tp_keys_get(&stacks->nodes, node)[1];
}

void tp_value_sums_of_track(struct tp_value_sums *sums, const struct tp_value_stacks *stacks,
                            const struct tp_value_track *track)
{
    const struct tp_value_item *items = tp_value_items_of(stacks, track);
    struct tp_id_map seen; /* stack: index in sums->items */
    tp_id_map_init(&seen, stacks->arena);
    *sums = (struct tp_value_sums){tp_arena_array(stacks->arena, track->count, sizeof *sums->items), 0};
    for (uint32_t i = 0; i < track->count; i++) {
        uint32_t *row = tp_id_map_find_or_add(&seen, items[i].stack);
        if (*row == TP_NO_ID) {
            *row = sums->count;
            sums->items[sums->count++] = items[i];
        } else {
            sums->items[*row].amount = tp_sat_add(sums->items[*row].amount, items[i].amount);
        }
    }
    tp_id_map_release(&seen);
}
