/* Finds the calls of compiled regions and their source lines: see compiled.h. */
#include "webreport/model/compiled_parts.h"

#include "webreport/model/compiled_lookup.h"
#include "webreport/model/forward.h"
#include "webreport/model/stages.h"
#include "webreport/trace/code_origin.h"
#include "webreport/trace/compile_log/compile_names.h"
#include "writer/base/align.h"
#include "writer/base/sort.h"

#define REGION_RANGE "## Call CompiledFxGraph"

/* ---- regions ---- */

enum name_meaning { NAME_OTHER, NAME_RANGE, NAME_CODE };

/* Returns true for the function of generated code that calls the kernels of a graph. */
static bool is_generated_call(struct tp_str name)
{
    struct tp_frame frame;
    if (!tp_frame_parse(&frame, name) || tp_code_of_path(frame.path).origin != TP_ORIGIN_GENERATED)
        return false;
    if (tp_str_equal(frame.function, TP_STR("call")))
        return true;
    size_t at = sizeof "partition_" - 1;
    if (!tp_str_starts(frame.function, "partition_") || frame.function.len == at)
        return false;
    while (at < frame.function.len && tp_is_digit(frame.function.ptr[at]))
        at++;
    return at == frame.function.len;
}

/* Returns the meaning of each name of the trace; NULL if no name is that of a region. */
static uint8_t *find_region_names(const struct tp_trace *trace, struct tp_arena *arena)
{
    uint8_t *meanings = NULL;
    for (uint32_t i = 0; i < trace->names.count; i++) {
        struct tp_str name = tp_strings_get(&trace->names, i);
        enum name_meaning meaning = tp_str_starts(name, REGION_RANGE) ? NAME_RANGE
                                    : is_generated_call(name)         ? NAME_CODE
                                                                      : NAME_OTHER;
        if (meaning != NAME_OTHER && !meanings)
            meanings = tp_arena_array(arena, trace->names.count, sizeof *meanings);
        if (meaning != NAME_OTHER)
            meanings[i] = (uint8_t)meaning;
    }
    return meanings;
}

/* Returns the region whose call an operator is: the outermost range of a compiled graph around the operator, otherwise
 * the generated function. Returns TP_NO_ID if another operator is between them, or without a region. */
static uint32_t find_region(const struct tp_model *model, const uint8_t *meanings, uint32_t event)
{
    const struct tp_event *events = model->trace->events;
    int64_t at = events[event].ts_ns;
    uint32_t region = TP_NO_ID;
    for (uint32_t i = tp_find_next_event_around(model, event, at); i != TP_NO_ID;
         i = tp_find_next_event_around(model, i, at)) {
        bool is_range = events[i].kind == TP_KIND_ANNOTATION && meanings[events[i].name] == NAME_RANGE;
        bool is_code = events[i].kind == TP_KIND_FRAME && meanings[events[i].name] == NAME_CODE;
        if (region == TP_NO_ID && events[i].kind == TP_KIND_OPERATOR)
            return TP_NO_ID;
        if (is_range || (is_code && region == TP_NO_ID))
            region = i;
    }
    return region;
}

/* Collects the calls of all regions, grouped by region. */
static void collect_calls(struct tp_compiled *compiled, const struct tp_model *model, const uint8_t *meanings)
{
    struct tp_vec found = TP_VEC(model->arena, struct tp_compiled_call);
    struct tp_keys regions;
    tp_keys_init(&regions, model->arena, 1);
    for (uint32_t i = 0; i < model->order->host_count; i++) {
        uint32_t event = model->order->host[i];
        uint32_t region =
            model->trace->events[event].kind == TP_KIND_OPERATOR ? find_region(model, meanings, event) : TP_NO_ID;
        if (region == TP_NO_ID)
            continue;
        tp_keys_add(&regions, &region);
        *(struct tp_compiled_call *)tp_vec_push(&found) = (struct tp_compiled_call){.event = event, .region = region};
    }
    uint32_t count = (uint32_t)found.count, *ends = tp_arena_array(model->arena, regions.count + 1, sizeof *ends);
    compiled->calls = tp_arena_array(model->arena, count, sizeof *compiled->calls);
    compiled->count = count;
    for (uint32_t i = 0; i < count; i++)
        ends[tp_keys_find(&regions, &TP_AT(&found, struct tp_compiled_call, i)->region) + 1]++;
    for (uint32_t i = 1; i <= regions.count; i++)
        ends[i] += ends[i - 1];
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_compiled_call *call = TP_AT(&found, struct tp_compiled_call, i);
        compiled->calls[ends[tp_keys_find(&regions, &call->region)]++] = *call;
    }
    tp_keys_release(&regions);
}

/* ---- lines ---- */

/* Sets the lines of the calls of one region. names: room for the names of the calls. */
static void set_lines_of_region(const struct tp_model *model, struct tp_compiled_call *calls, uint32_t count,
                                struct tp_compiled_graphs *graphs, struct tp_compiled_sources *sources)
{
    struct tp_str caller = tp_work_line(model, calls[0].event);
    bool is_backward = tp_forward_of_event(model, calls[0].event) != TP_NO_ID;
    for (uint32_t i = 0; i < count; i++) {
        calls[i].line = caller.len ? caller : (struct tp_str){NULL, 0};
        calls[i].is_backward = is_backward;
    }
    if (!graphs)
        return;
    uint32_t *names = tp_arena_array(model->arena, count, sizeof *names);
    for (uint32_t i = 0; i < count; i++)
        names[i] =
            tp_compiled_name_id(graphs, tp_trace_event_name(model->trace, &model->trace->events[calls[i].event]));
    const struct tp_compiled_match *match = tp_compiled_match(graphs, names, count);
    for (size_t i = 0; i < match->pairs.count; i++) {
        const struct tp_align_pair *pair = TP_AT(&match->pairs, struct tp_align_pair, i);
        const struct tp_compiled_source *source = tp_compiled_source(sources, match->graph, pair->a);
        calls[pair->b].source = source->line.ptr || source->call->node_count ? source : NULL;
        if (source->line.ptr)
            calls[pair->b].line = source->line;
    }
    tp_arena_free_item(model->arena, names, count * sizeof *names);
}

static int compare_by_event(const void *x, const void *y, const void *context)
{
    const struct tp_compiled_call *calls = context;
    uint32_t a = calls[*(const uint32_t *)x].event, b = calls[*(const uint32_t *)y].event;
    return (a > b) - (a < b);
}

static void sort_by_event(struct tp_compiled *compiled, struct tp_arena *arena)
{
    compiled->by_event = tp_arena_array(arena, compiled->count, sizeof *compiled->by_event);
    for (uint32_t i = 0; i < compiled->count; i++)
        compiled->by_event[i] = i;
    tp_merge_sort(arena, compiled->by_event, compiled->count, sizeof *compiled->by_event, compare_by_event,
                  compiled->calls);
}

/* ---- kernels outside of regions ---- */

/* A call in the artifacts, and the next call with the same name. */
struct named_call {
    size_t graph;
    uint32_t call, next;
};

/* The calls in the artifacts by name. */
struct named_calls {
    struct tp_vec calls; /* elements: struct named_call */
    struct tp_vec names; /* by name id; elements: struct name */
};

struct name {
    uint32_t first, last, now; /* first and last call; call of the next kernel with this name; TP_NO_ID: none */
};

static void add_named_call(struct named_calls *named, uint32_t id, size_t graph, uint32_t call)
{
    while (named->names.count <= id)
        *(struct name *)tp_vec_push(&named->names) = (struct name){TP_NO_ID, TP_NO_ID, TP_NO_ID};
    struct name *name = TP_AT(&named->names, struct name, id);
    uint32_t index = (uint32_t)named->calls.count;
    *(struct named_call *)tp_vec_push(&named->calls) = (struct named_call){graph, call, TP_NO_ID};
    if (name->first == TP_NO_ID)
        name->first = name->now = index;
    else
        TP_AT(&named->calls, struct named_call, name->last)->next = index;
    name->last = index;
}

/* Sets the sources of kernels outside of all regions: the k-th kernel with a name is the k-th call with this name in
 * the artifacts. After the last call, the first one follows. */
static void set_sources_of_devices(struct tp_model *model, struct tp_compiled_sources *sources)
{
    struct tp_compiled *compiled = &model->compiled;
    const struct tp_compile_log *log = compiled->log;
    struct named_calls named = {TP_VEC(model->arena, struct named_call), TP_VEC(model->arena, struct name)};
    struct tp_strings names;
    tp_strings_init(&names, model->arena, 0);
    for (size_t g = 0; g < log->graphs.count; g++)
        for (uint32_t k = 0; k < tp_compile_graph_at(log, g)->call_count && !tp_compile_graph_at(log, g)->is_code; k++)
            add_named_call(&named, tp_strings_add(&names, tp_compile_graph_at(log, g)->calls[k].name), g, k);
    for (uint32_t i = 0; i < model->devices.count; i++) {
        const struct tp_event *e = tp_device_event(model, i);
        uint32_t id =
            e->kind == TP_KIND_KERNEL ? tp_strings_find(&names, tp_trace_event_name(model->trace, e)) : TP_NO_ID;
        if (id == TP_NO_ID)
            continue;
        struct name *name = TP_AT(&named.names, struct name, id);
        const struct named_call *call = TP_AT(&named.calls, struct named_call, name->now);
        name->now = call->next == TP_NO_ID ? name->first : call->next;
        const struct tp_compiled_call *inside = tp_compiled_call_of_operator(model, model->devices.owner[i]);
        if (inside && inside->source)
            continue;
        if (!compiled->of_device)
            compiled->of_device = tp_arena_array(model->arena, model->devices.count, sizeof *compiled->of_device);
        compiled->of_device[i] = tp_compiled_source(sources, call->graph, call->call);
    }
}

void tp_model_find_compiled_calls(struct tp_model *model)
{
    struct tp_compiled *compiled = &model->compiled;
    struct tp_compiled_graphs graphs;
    struct tp_compiled_sources sources;
    if (!tp_compile_has_name(&model->trace->names))
        return;
    uint8_t *meanings = find_region_names(model->trace, model->arena);
    compiled->log = model->trace->compile_log;
    if (compiled->log) {
        tp_compiled_graphs_init(&graphs, compiled->log, model->arena);
        tp_compiled_sources_init(&sources, model, model->arena);
    }
    if (meanings)
        collect_calls(compiled, model, meanings);
    for (uint32_t first = 0, end; first < compiled->count; first = end) {
        for (end = first; end < compiled->count && compiled->calls[end].region == compiled->calls[first].region; end++)
            ;
        set_lines_of_region(model, compiled->calls + first, end - first, compiled->log ? &graphs : NULL, &sources);
    }
    sort_by_event(compiled, model->arena);
    if (compiled->log)
        set_sources_of_devices(model, &sources);
}
