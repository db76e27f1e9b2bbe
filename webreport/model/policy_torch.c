/* Which events of a trace are torch's, under which name and in which order: see policy_torch.h. */
#include "webreport/model/policy_torch.h"

#include "webreport/model/marks.h"
#include "webreport/model/policy_torch_parts.h"
#include "webreport/trace/regions.h"
#include "writer/base/sort.h"

/* ---- names ---- */

/* Utility operators that torch leaves out; memory records come back as items of their own. */
static const char *const left_out[] = {
    "[memory]",        "[OutOfMemory]",  "profiler::_record_function_enter", "profiler::_record_function_enter_new",
    "aten::output_nr", "aten::_version", "profiler::_record_function_exit",  "aten::is_leaf",
};

/* Ids beyond the trace's own names, for texts the trace may not have. */
enum { EXTRA_STEP, EXTRA_MEMORY, EXTRA_OUT_OF_MEMORY };
static const char *const extra_names[] = {TP_PROFILER_STEP_LABEL, "[memory]", "[OutOfMemory]"};

static uint32_t extra_name(const struct tp_trace *trace, unsigned extra)
{
    uint32_t id = tp_strings_find(&trace->names, tp_str_of(extra_names[extra]));
    return id == TP_NO_ID ? trace->names.count + extra : id;
}

struct tp_str tp_function_name(const struct tp_functions *functions, uint32_t name)
{
    uint32_t known = functions->trace->names.count;
    return name < known ? tp_strings_get(&functions->trace->names, name) : tp_str_of(extra_names[name - known]);
}

/* By name id of the trace: the name shown, TP_NO_ID for events that are left out. */
static uint32_t *shown_names(const struct tp_functions *functions)
{
    const struct tp_strings *names = &functions->trace->names;
    uint32_t *shown = tp_arena_array(functions->arena, names->count, sizeof *shown);
    for (uint32_t i = 0; i < names->count; i++)
        shown[i] = tp_regions_of_name(names->items[i]) & TP_REGION_PROFILER_STEP ? functions->step_name : i;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        uint32_t id = tp_strings_find(names, tp_str_of(left_out[i]));
        if (id != TP_NO_ID)
            shown[id] = TP_NO_ID;
    }
    return shown;
}

/* ---- kinds ---- */

/* Categories without a kind that torch has as device events. */
static const struct {
    const char *cat;
    unsigned flags;
} other_cats[] = {{"cuda_sync", TP_FUNCTION_DEVICE},
                  {"cuda_event", TP_FUNCTION_DEVICE},
                  {"cuda_profiler_range", TP_FUNCTION_DEVICE},
                  {"xpu_sync", TP_FUNCTION_DEVICE},
                  {"mtia_ccp_events", TP_FUNCTION_DEVICE | TP_FUNCTION_UNOWNED | TP_FUNCTION_WORK}};

static unsigned *flags_of_cats(const struct tp_functions *functions)
{
    const struct tp_strings *cats = &functions->trace->cats;
    unsigned *flags = tp_arena_array(functions->arena, cats->count, sizeof *flags);
    for (size_t i = 0; i < sizeof other_cats / sizeof *other_cats; i++) {
        uint32_t id = tp_strings_find(cats, tp_str_of(other_cats[i].cat));
        if (id != TP_NO_ID)
            flags[id] = other_cats[i].flags;
    }
    return flags;
}

/* What a backend of communication does itself ends on a thread of its own. */
static bool is_of_backend(struct tp_str name)
{
    const char *backend = tp_name_comm_backend(name);
    return backend && strcmp(backend, "c10d") != 0;
}

/* Flags of an event; 0: none of torch's. */
static unsigned flags_of(const struct tp_trace *trace, const struct tp_event *e, const unsigned *cat_flags)
{
    switch (e->kind) {
    case TP_KIND_OPERATOR:
        return TP_FUNCTION_OPERATOR;
    case TP_KIND_ANNOTATION:
        return e->flags & TP_EVENT_WAS_OPERATOR ? TP_FUNCTION_OPERATOR : TP_FUNCTION_ANNOTATION;
    case TP_KIND_RUNTIME:
        return TP_FUNCTION_RUNTIME;
    case TP_KIND_FRAME:
    case TP_KIND_MODULE:
        return TP_FUNCTION_FRAME;
    case TP_KIND_KERNEL:
    case TP_KIND_MEMCPY:
    case TP_KIND_MEMSET:
        return TP_FUNCTION_DEVICE | TP_FUNCTION_WORK;
    case TP_KIND_GPU_ANNOTATION:
        return TP_FUNCTION_DEVICE | TP_FUNCTION_ANNOTATION;
    default:
        if (e->kind == TP_KIND_OTHER)
            return cat_flags[trace->others[e->detail].cat];
        /* overheads are plain host events: bits of no consequence */
        return e->kind == TP_KIND_OVERHEAD ? TP_FUNCTION_RUNTIME | TP_FUNCTION_UNOWNED : 0;
    }
}

static struct tp_function make_function(const struct tp_functions *functions, uint32_t event, uint32_t name,
                                        unsigned flags)
{
    const struct tp_event *e = &functions->trace->events[event];
    struct tp_function f = {.start_ns = e->ts_ns,
                            .end_ns = tp_event_end(e),
                            .event = event,
                            .name = name,
                            .thread = e->thread,
                            .parent = TP_NO_ID,
                            .first_child = TP_NO_ID,
                            .last_child = TP_NO_ID,
                            .next_sibling = TP_NO_ID,
                            .flags = flags};
    if ((flags & TP_FUNCTION_DEVICE) && (flags & TP_FUNCTION_ANNOTATION)) {
        /* Kineto widens them by a nanosecond on both sides */
        f.start_ns++;
        f.end_ns = f.end_ns - 1 > f.start_ns ? f.end_ns - 1 : f.start_ns;
    }
    if (e->flags & TP_EVENT_UNFINISHED)
        f.flags |= TP_FUNCTION_ASYNC | TP_FUNCTION_UNFINISHED;
    if (flags == TP_FUNCTION_ANNOTATION && is_of_backend(tp_function_name(functions, name)))
        f.flags |= TP_FUNCTION_ASYNC;
    return f;
}

/* ---- filling ---- */

/* Events that torch numbers stand before those that only Kineto has; so do their items. */
static bool is_numbered(unsigned flags)
{
    return flags & (TP_FUNCTION_OPERATOR | TP_FUNCTION_FRAME) || flags == TP_FUNCTION_ANNOTATION;
}

static void fill(struct tp_functions *functions, uint32_t capacity)
{
    const struct tp_trace *trace = functions->trace;
    const uint32_t *shown = shown_names(functions);
    const unsigned *cat_flags = flags_of_cats(functions);
    bool has_frames = functions->rules != TP_TORCH_2_6;
    functions->items = tp_arena_array(functions->arena, capacity, sizeof *functions->items);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < trace->event_count; i++) {
            const struct tp_event *e = &trace->events[i];
            unsigned flags = flags_of(trace, e, cat_flags);
            if (!flags || shown[e->name] == TP_NO_ID || is_numbered(flags) != (pass == 0) ||
                ((flags & TP_FUNCTION_FRAME) && !has_frames))
                continue;
            functions->items[functions->count++] = make_function(functions, i, shown[e->name], flags);
        }
}

/* ---- the profiler's span and device ---- */

static void find_span(struct tp_functions *functions)
{
    const struct tp_trace *trace = functions->trace;
    const struct tp_event *span = NULL;
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        first = e->ts_ns < first ? e->ts_ns : first;
        last = tp_event_end(e) > last ? tp_event_end(e) : last;
        if (e->kind == TP_KIND_SPAN && (!span || !tp_str_starts(tp_trace_name(trace, span), "PyTorch Profiler")))
            span = e;
    }
    functions->base_ns = span ? span->ts_ns : first == INT64_MAX ? 0 : first;
    functions->end_ns = span ? tp_event_end(span) : last == INT64_MIN ? 0 : last;
}

static bool has_cat(const struct tp_trace *trace, const char *cat)
{
    return tp_strings_find(&trace->cats, tp_str_of(cat)) != TP_NO_ID;
}

static const char *find_device(const struct tp_functions *functions)
{
    const struct tp_trace *trace = functions->trace;
    if (has_cat(trace, "xpu_runtime") || has_cat(trace, "xpu_driver"))
        return "XPU";
    if (has_cat(trace, "mtia_runtime") || has_cat(trace, "mtia_ccp_events"))
        return "MTIA";
    if (trace->gpu_count)
        return "CUDA";
    for (uint32_t i = 0; i < functions->count; i++)
        if (functions->items[i].flags & TP_FUNCTION_DEVICE)
            return "CUDA";
    return NULL;
}

/* ---- order ---- */

/* Sorts a group of equal starts by end descending; ties keep their order. */
static void sort_group(const struct tp_functions *functions, struct tp_keyed *group, size_t count)
{
    for (size_t i = 0; i < count; i++)
        group[i] = (struct tp_keyed){-functions->items[group[i].item].end_ns, group[i].item, group[i].item};
    tp_sort_keyed(group, count, functions->arena);
}

static void sort(struct tp_functions *functions)
{
    struct tp_arena *arena = functions->arena;
    uint32_t count = functions->count;
    struct tp_keyed *keys = tp_arena_array(arena, count, sizeof *keys);
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct tp_keyed){functions->items[i].start_ns, i, i};
    tp_sort_keyed(keys, count, arena);
    for (uint32_t first = 0, end; first < count; first = end) {
        int64_t start = keys[first].key;
        for (end = first + 1; end < count && keys[end].key == start;)
            end++;
        if (end - first > 1)
            sort_group(functions, keys + first, end - first);
    }
    struct tp_function *sorted = tp_arena_array(arena, count, sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = functions->items[keys[i].item];
    tp_arena_drop(arena, functions->items, count * sizeof *sorted);
    tp_arena_drop(arena, keys, count * sizeof *keys);
    functions->items = sorted;
}

void tp_functions_build(struct tp_functions *functions, const struct tp_trace *trace, enum tp_torch_rules rules,
                        struct tp_arena *arena)
{
    uint32_t capacity = trace->event_count + trace->memory_count;
    memset(functions, 0, sizeof *functions);
    functions->trace = trace;
    functions->arena = arena;
    functions->rules = rules;
    functions->step_name = extra_name(trace, EXTRA_STEP);
    functions->memory_name = extra_name(trace, EXTRA_MEMORY);
    functions->out_of_memory_name = extra_name(trace, EXTRA_OUT_OF_MEMORY);
    find_span(functions);
    fill(functions, capacity);
    functions->device = find_device(functions);
    tp_functions_close(functions);
    bool is_linked = tp_functions_link_by_id(functions);
    tp_functions_add_memory(functions);
    sort(functions);
    tp_functions_nest(functions);
    if (!is_linked)
        tp_functions_link_by_launch(functions);
    tp_functions_fold(functions);
    tp_functions_sum_devices(functions);
}
