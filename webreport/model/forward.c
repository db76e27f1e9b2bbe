/* Finds the forward operator of each backward operator, and the line and module that backward work takes from it: see
 * forward.h and docs/definitions.md, section 34.
 *
 * A forward-backward link names the forward operator. Without a link, the forward operator is the latest earlier
 * operator with the same sequence number. Traces without backward operators and links cost one pass over the arguments
 * of operators. */
#include "webreport/model/forward.h"

#include "webreport/model/stages.h"
#include "writer/base/sort.h"

static struct tp_host_rare operator_arguments(const struct tp_trace *trace, uint32_t event)
{
    return tp_host_rare(trace, &trace->hosts[trace->events[event].detail]);
}

static bool is_backward(struct tp_host_rare arguments)
{
    return arguments.forward_thread != TP_NULL_INT && arguments.forward_thread != 0;
}

/* Returns true if an operator of the trace has the arguments of a backward operator. */
static bool has_backward_operators(const struct tp_trace *trace)
{
    for (uint32_t i = 0; i < trace->host_count; i++)
        if (trace->hosts[i].more != TP_NO_ID && is_backward(tp_host_rare(trace, &trace->hosts[i])))
            return true;
    return false;
}

/* ---- links ---- */

/* Returns the first operator in the file, on this thread, that starts exactly at `at`, ns; TP_NO_ID: no operator. */
static uint32_t first_operator_at(const struct tp_model *model, uint32_t thread, int64_t at)
{
    const struct tp_order *order = model->order;
    uint32_t found = TP_NO_ID;
    for (uint32_t i = tp_order_first_from(order, model->trace, thread, at); i < order->thread_first[thread + 1]; i++) {
        uint32_t event = order->host[i];
        if (model->trace->events[event].ts_ns != at)
            break;
        if (model->trace->events[event].kind == TP_KIND_OPERATOR && event < found)
            found = event;
    }
    return found;
}

/* Returns the operator at each end of a link, indexed as trace->flows. Sorts the ends, so that each moment of a thread
 * is searched once. */
static uint32_t *find_operators_of_links(const struct tp_model *model)
{
    const struct tp_trace *trace = model->trace;
    struct tp_keyed *ends = tp_arena_array(model->arena, trace->flow_count, sizeof *ends);
    uint32_t *operators = tp_arena_array(model->arena, trace->flow_count, sizeof *operators);
    for (uint32_t i = 0; i < trace->flow_count; i++)
        ends[i] = (struct tp_keyed){trace->flows[i].ts_ns, trace->flows[i].thread, i};
    tp_sort_keyed(ends, trace->flow_count, model->arena);
    for (uint32_t i = 0; i < trace->flow_count; i++) {
        bool is_same = i && ends[i].key == ends[i - 1].key && ends[i].tie == ends[i - 1].tie;
        operators[ends[i].item] =
            is_same ? operators[ends[i - 1].item] : first_operator_at(model, ends[i].tie, ends[i].key);
    }
    tp_arena_free_item(model->arena, ends, trace->flow_count * sizeof *ends);
    return operators;
}

/* The ends of the link with one id, as indexes in trace->flows; TP_NO_ID: no such end. If an id has several starts or
 * ends, the last of them is used. */
struct link {
    uint32_t start, end;
};

static void pair_by_links(const struct tp_model *model, uint32_t *forward)
{
    const struct tp_trace *trace = model->trace;
    uint32_t count = trace->texts.count, *operators = find_operators_of_links(model);
    struct link *links = tp_arena_array(model->arena, count, sizeof *links);
    for (uint32_t i = 0; i < count; i++)
        links[i] = (struct link){TP_NO_ID, TP_NO_ID};
    for (uint32_t i = 0; i < trace->flow_count; i++)
        *(trace->flows[i].is_start ? &links[trace->flows[i].id].start : &links[trace->flows[i].id].end) = i;
    /* the ids in the order of their first ends in the file; each id is used once */
    for (uint32_t i = 0; i < trace->flow_count; i++) {
        struct link *link = &links[trace->flows[i].id];
        if (link->start != TP_NO_ID && link->end != TP_NO_ID && operators[link->start] != TP_NO_ID &&
            operators[link->end] != TP_NO_ID)
            forward[operators[link->end]] = operators[link->start];
        *link = (struct link){TP_NO_ID, TP_NO_ID};
    }
    tp_arena_free_item(model->arena, links, count * sizeof *links);
    tp_arena_free_item(model->arena, operators, trace->flow_count * sizeof *operators);
}

/* ---- sequence numbers ---- */

/* Returns the operators of the forward pass that have a sequence number, sorted by sequence number, start, and position
 * in the file. Sets *count. */
static struct tp_keyed *sort_forward_operators(const struct tp_model *model, size_t *count)
{
    const struct tp_trace *trace = model->trace;
    struct tp_vec found = TP_VEC(model->arena, struct tp_keyed);
    for (uint32_t i = 0; i < trace->event_count; i++) {
        struct tp_host_rare arguments;
        if (trace->events[i].kind != TP_KIND_OPERATOR)
            continue;
        arguments = operator_arguments(trace, i);
        if (arguments.sequence >= 0 && !is_backward(arguments))
            *(struct tp_keyed *)tp_vec_push(&found) = (struct tp_keyed){trace->events[i].ts_ns, i, i};
    }
    struct tp_keyed *sorted = found.data;
    *count = found.count;
    tp_sort_keyed(sorted, found.count, model->arena);
    for (uint32_t i = 0; i < found.count; i++)
        sorted[i] = (struct tp_keyed){operator_arguments(trace, sorted[i].item).sequence, i, sorted[i].item};
    tp_sort_keyed(sorted, found.count, model->arena);
    return sorted;
}

/* Returns the last of the sorted operators with this sequence number that starts before `at`, ns; TP_NO_ID: no such
 * operator. */
static uint32_t find_forward(const struct tp_trace *trace, const struct tp_keyed *sorted, size_t count,
                             int64_t sequence, int64_t at)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_earlier = sorted[middle].key != sequence ? sorted[middle].key < sequence
                                                         : trace->events[sorted[middle].item].ts_ns < at;
        *(is_earlier ? &low : &high) = is_earlier ? middle + 1 : middle;
    }
    return low && sorted[low - 1].key == sequence ? sorted[low - 1].item : TP_NO_ID;
}

static void pair_by_sequence_numbers(const struct tp_model *model, uint32_t *forward)
{
    const struct tp_trace *trace = model->trace;
    size_t count;
    struct tp_keyed *sorted = sort_forward_operators(model, &count);
    for (uint32_t i = 0; i < trace->event_count; i++) {
        if (trace->events[i].kind != TP_KIND_OPERATOR || forward[i] != TP_NO_ID)
            continue;
        struct tp_host_rare arguments = operator_arguments(trace, i);
        if (arguments.sequence >= 0 && is_backward(arguments))
            forward[i] = find_forward(trace, sorted, count, arguments.sequence, trace->events[i].ts_ns);
    }
    tp_arena_free_item(model->arena, sorted, count * sizeof *sorted);
}

/* The module view and the tree of time define the forward operator in other ways (docs/definitions.md, sections 11 and
 * 24), and their numbers depend on these ways. The module view follows a link to the innermost operator, and adds the
 * whole autograd node once. The tree of time prefers deep operators inside modules. So both keep their own search. */
void tp_model_find_forwards(struct tp_model *model)
{
    const struct tp_trace *trace = model->trace;
    bool has_backward = has_backward_operators(trace);
    if (!has_backward && !trace->flow_count)
        return;
    uint32_t *forward = tp_arena_array(model->arena, trace->event_count, sizeof *forward);
    for (uint32_t i = 0; i < trace->event_count; i++)
        forward[i] = TP_NO_ID;
    pair_by_links(model, forward);
    if (has_backward)
        pair_by_sequence_numbers(model, forward);
    tp_event_map_build(&model->forward, forward, trace->event_count, model->arena);
    tp_arena_free_item(model->arena, forward, trace->event_count * sizeof *forward);
}

/* ---- lines and modules ---- */

/* Returns the innermost operator with a forward operator among `event` and the events around it; TP_NO_ID: none. */
static uint32_t backward_operator(const struct tp_model *model, uint32_t event)
{
    if (event == TP_NO_ID || !model->forward.count)
        return TP_NO_ID;
    int64_t at = model->trace->events[event].ts_ns;
    while (event != TP_NO_ID && tp_event_map_get(&model->forward, event) == TP_NO_ID)
        event = tp_find_next_event_around(model, event, at);
    return event;
}

uint32_t tp_forward_of_event(const struct tp_model *model, uint32_t event)
{
    uint32_t operator_event = backward_operator(model, event);
    return operator_event == TP_NO_ID ? TP_NO_ID : tp_event_map_get(&model->forward, operator_event);
}

/* Returns the line id of the innermost user code around an event, up to the event `end`, without its line. Returns
 * TP_NO_ID if there is no user code. end: TP_NO_ID for all events around `event`. */
static uint32_t user_line_id(const struct tp_model *model, uint32_t event, uint32_t end)
{
    const struct tp_frames *frames = &model->trace->frames;
    int64_t at = model->trace->events[event].ts_ns;
    for (uint32_t i = event; i != end && i != TP_NO_ID; i = tp_find_next_event_around(model, i, at)) {
        const struct tp_event *e = &model->trace->events[i];
        if (tp_kind_is_frame(e->kind) && tp_frames_line(frames, e->name) != TP_NO_ID &&
            tp_frames_is_user_code(frames, e->name))
            return tp_frames_line(frames, e->name);
    }
    return TP_NO_ID;
}

uint32_t tp_work_line_id(const struct tp_model *model, uint32_t event)
{
    uint32_t backward = backward_operator(model, event);
    if (backward == TP_NO_ID)
        return tp_event_line_id(model, event);
    uint32_t inside = user_line_id(model, event, backward), forward = tp_event_map_get(&model->forward, backward);
    if (inside != TP_NO_ID)
        return inside;
    uint32_t of_forward = tp_event_line_id(model, forward), own = tp_event_line_id(model, event);
    bool is_forward_user = user_line_id(model, forward, TP_NO_ID) != TP_NO_ID;
    bool is_own_user = user_line_id(model, event, TP_NO_ID) != TP_NO_ID;
    return of_forward != TP_NO_ID && (is_forward_user || !is_own_user) ? of_forward : own;
}

struct tp_str tp_work_line(const struct tp_model *model, uint32_t event)
{
    uint32_t line = tp_work_line_id(model, event);
    return line == TP_NO_ID ? TP_STR("") : tp_frames_line_text(&model->trace->frames, line);
}

uint32_t tp_module_event_of_device(const struct tp_model *model, uint32_t device)
{
    const struct tp_devices *devices = &model->devices;
    uint32_t launch = devices->launch[device], module = devices->module ? devices->module[device] : TP_NO_ID;
    if (module != TP_NO_ID)
        return model->modules.event[module];
    uint32_t i = launch == TP_NO_ID ? TP_NO_ID : tp_forward_of_event(model, model->launches.event[launch]);
    int64_t at = i == TP_NO_ID ? 0 : model->trace->events[i].ts_ns;
    while (i != TP_NO_ID && model->trace->events[i].kind != TP_KIND_MODULE)
        i = tp_find_next_event_around(model, i, at);
    return i;
}
