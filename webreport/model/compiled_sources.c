/* Chooses one source line for each call of a compiled graph (docs/definitions.md, section 36).
 *
 * A call has several tracebacks if Inductor fused several lines. If all have the same innermost user frame, this is the
 * line. Otherwise the frames are compared from the outermost one inwards. If the first different frames are in the same
 * function, the line is the range of their lines; otherwise it is the last common frame. */
#include "webreport/model/compiled_parts.h"

#include "webreport/trace/frame.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

enum frame_class { CLASS_UNKNOWN, CLASS_USER, CLASS_LIBRARY, CLASS_OTHER };

/* ---- folder that torch cuts from paths ---- */

/* Returns true if the event is the outermost frame of its thread and runs a script. */
static bool is_script(const struct tp_model *model, uint32_t event)
{
    const struct tp_event *e = &model->trace->events[event];
    if (e->kind != TP_KIND_FRAME || !tp_str_ends(tp_trace_event_name(model->trace, e), ": <module>"))
        return false;
    for (uint32_t i = tp_find_next_event_around(model, event, e->ts_ns); i != TP_NO_ID;
         i = tp_find_next_event_around(model, i, e->ts_ns))
        if (model->trace->events[i].kind == TP_KIND_FRAME)
            return false;
    return true;
}

/* Returns the part of an absolute path before the script: "/home/me/" for "/home/me/train.py" and "train.py". Returns
 * ptr NULL if the path does not end with the script. */
static struct tp_str folder_before(struct tp_str path, struct tp_str script)
{
    size_t before = path.len > script.len ? path.len - script.len : 0;
    bool fits = before && path.ptr[before - 1] == '/' && memcmp(path.ptr + before, script.ptr, script.len) == 0;
    return (struct tp_str){fits ? path.ptr : NULL, fits ? before : 0};
}

/* The best pair of a path in the log and a script in the trace: the longest path, then the first in the alphabet. */
struct folder {
    struct tp_str path, script, prefix;
};

static void use_path(struct folder *best, struct tp_str path, struct tp_str script)
{
    struct tp_str prefix = folder_before(path, script);
    int order = best->path.len != path.len ? (best->path.len > path.len) - (best->path.len < path.len)
                                           : tp_str_compare(path, best->path);
    if (!order)
        order = tp_str_compare(script, best->script);
    if (prefix.ptr && (!best->prefix.ptr || order < 0))
        *best = (struct folder){path, script, prefix};
}

static struct tp_str find_prefix(const struct tp_model *model, const struct tp_compile_log *log, struct tp_arena *arena)
{
    struct tp_strings scripts;
    struct folder best = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    struct tp_frame frame;
    tp_strings_init(&scripts, arena, 0);
    for (uint32_t i = 0; i < model->order->host_count; i++)
        if (is_script(model, model->order->host[i]) &&
            tp_frame_parse(&frame, tp_trace_event_name(model->trace, &model->trace->events[model->order->host[i]])) &&
            *frame.path.ptr != '<' && *frame.path.ptr != '/')
            tp_strings_add(&scripts, frame.path);
    for (uint32_t s = 0; s < scripts.count && s < TP_MAX_COMPILE_SCRIPTS; s++)
        for (uint32_t i = 0; i < log->frames.count; i++)
            if (tp_frame_parse(&frame, tp_strings_get(&log->frames, i)))
                use_path(&best, frame.path, tp_strings_get(&scripts, s));
    return best.prefix;
}

static struct tp_str cut_prefix(const struct tp_compiled_sources *sources, struct tp_str text)
{
    struct tp_str prefix = sources->prefix;
    bool has = prefix.len && text.len >= prefix.len && memcmp(text.ptr, prefix.ptr, prefix.len) == 0;
    return has ? (struct tp_str){text.ptr + prefix.len, text.len - prefix.len} : text;
}

/* ---- the line of a call ---- */

void tp_compiled_sources_init(struct tp_compiled_sources *sources, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_compile_log *log = model->trace->compile_log;
    *sources = (struct tp_compiled_sources){.trace = model->trace, .log = log, .arena = arena};
    sources->of_call = tp_arena_array(arena, log->graphs.count, sizeof *sources->of_call);
    for (size_t i = 0; i < log->graphs.count; i++)
        sources->of_call[i] = tp_arena_array(arena, tp_compile_graph_at(log, i)->call_count, sizeof **sources->of_call);
    sources->class_of_frame = tp_arena_array(arena, log->frames.count, sizeof *sources->class_of_frame);
    sources->seen = tp_arena_array(arena, log->frames.count, sizeof *sources->seen);
    sources->prefix = find_prefix(model, log, arena);
}

static enum frame_class class_of_frame(struct tp_compiled_sources *sources, uint32_t frame)
{
    uint8_t *known = &sources->class_of_frame[frame];
    struct tp_frame parts;
    if (*known == CLASS_UNKNOWN) {
        struct tp_str text = tp_strings_get(&sources->log->frames, frame);
        enum tp_code_origin origin = tp_frames_code(&sources->trace->frames, &parts, text).origin;
        *known = origin == TP_ORIGIN_USER ? CLASS_USER : origin == TP_ORIGIN_LIBRARY ? CLASS_LIBRARY : CLASS_OTHER;
    }
    return *known;
}

/* Appends to `ids` the frames of a traceback that are user code; without user code, those of packages. Returns their
 * number. */
static uint32_t add_own_frames(struct tp_compiled_sources *sources, struct tp_compile_stack stack, struct tp_vec *ids)
{
    const uint32_t *frames = (const uint32_t *)sources->log->frame_ids.data + stack.first;
    size_t before = ids->count;
    for (unsigned class = CLASS_USER; class <= CLASS_LIBRARY && ids->count == before; class ++)
        for (uint32_t i = 0; i < stack.count; i++)
            if (class_of_frame(sources, frames[i]) == class)
                *(uint32_t *)tp_vec_push(ids) = frames[i];
    return (uint32_t)(ids->count - before);
}

/* The user frames of the tracebacks of one call, outermost first. */
struct own_stacks {
    struct tp_vec ids;    /* frames of all stacks; elements: uint32_t */
    struct tp_vec stacks; /* elements: struct tp_compile_stack, indexes in ids */
};

static uint32_t frame_at(const struct own_stacks *own, size_t stack, uint32_t depth)
{
    struct tp_compile_stack s = *TP_AT(&own->stacks, struct tp_compile_stack, stack);
    return *TP_AT(&own->ids, uint32_t, s.first + (depth < s.count ? depth : s.count - 1));
}

/* Returns true if all stacks have a frame at this depth. *is_same: true if the frame is the same one. */
static bool all_have_depth(const struct own_stacks *own, uint32_t depth, bool *is_same)
{
    *is_same = true;
    for (size_t i = 0; i < own->stacks.count; i++) {
        if (TP_AT(&own->stacks, struct tp_compile_stack, i)->count <= depth)
            return false;
        *is_same &= frame_at(own, i, depth) == frame_at(own, 0, depth);
    }
    return true;
}

/* Returns the range of the lines of the frames at a depth: "model.py(11-13): forward". Returns ptr NULL if they are in
 * different functions. */
static struct tp_str range_at(const struct tp_compiled_sources *sources, const struct own_stacks *own, uint32_t depth)
{
    const struct tp_strings *frames = &sources->log->frames;
    struct tp_frame first, frame;
    int32_t low, high;
    if (!tp_frame_parse(&first, tp_strings_get(frames, frame_at(own, 0, depth))))
        return (struct tp_str){NULL, 0};
    low = high = first.line;
    for (size_t i = 1; i < own->stacks.count; i++) {
        if (!tp_frame_parse(&frame, tp_strings_get(frames, frame_at(own, i, depth))) ||
            !tp_str_equal(frame.path, first.path) || !tp_str_equal(frame.function, first.function))
            return (struct tp_str){NULL, 0};
        low = frame.line < low ? frame.line : low;
        high = frame.line > high ? frame.line : high;
    }
    return tp_str_of(tp_text_printf(sources->arena, "%.*s(%d-%d): %.*s", (int)first.path.len, first.path.ptr, low, high,
                                    (int)first.function.len, first.function.ptr));
}

static int compare_texts(const void *x, const void *y, const void *context)
{
    (void)context;
    return tp_str_compare(*(const struct tp_str *)x, *(const struct tp_str *)y);
}

/* Fills the innermost lines of a source, sorted. */
static void fill_lines(struct tp_compiled_sources *sources, struct tp_compiled_source *source,
                       const struct own_stacks *own)
{
    struct tp_vec lines = TP_VEC(sources->arena, struct tp_str);
    sources->source_count++;
    for (size_t i = 0; i < own->stacks.count; i++) {
        uint32_t frame = frame_at(own, i, UINT32_MAX);
        if (sources->seen[frame] == sources->source_count)
            continue;
        sources->seen[frame] = sources->source_count;
        *(struct tp_str *)tp_vec_push(&lines) = cut_prefix(sources, tp_strings_get(&sources->log->frames, frame));
    }
    source->lines = lines.data;
    source->line_count = (uint32_t)lines.count;
    tp_merge_sort(sources->arena, lines.data, lines.count, sizeof(struct tp_str), compare_texts, NULL);
}

static void fill_source(struct tp_compiled_sources *sources, struct tp_compiled_source *source,
                        const struct own_stacks *own)
{
    const struct tp_strings *frames = &sources->log->frames;
    uint32_t depth = 0;
    bool is_same, have_depth;
    fill_lines(sources, source, own);
    if (source->line_count == 1) {
        source->line = source->lines[0];
        return;
    }
    while ((have_depth = all_have_depth(own, depth, &is_same)) && is_same)
        depth++;
    struct tp_str line = have_depth ? range_at(sources, own, depth) : (struct tp_str){NULL, 0};
    if (!line.ptr)
        line = tp_strings_get(frames, depth ? frame_at(own, 0, depth - 1) : frame_at(own, 0, UINT32_MAX));
    source->line = cut_prefix(sources, line);
}

const struct tp_compiled_source *tp_compiled_source(struct tp_compiled_sources *sources, size_t graph, uint32_t call)
{
    struct tp_compiled_source **slot = &sources->of_call[graph][call], *source = *slot;
    const struct tp_compile_call *c = &tp_compile_graph_at(sources->log, graph)->calls[call];
    struct own_stacks own = {TP_VEC(sources->arena, uint32_t), TP_VEC(sources->arena, struct tp_compile_stack)};
    if (source)
        return source;
    *slot = source = tp_arena_alloc(sources->arena, sizeof *source);
    source->key = c->key;
    source->call = c;
    for (uint32_t i = 0; i < c->stack_count; i++) {
        struct tp_compile_stack stack = {(uint32_t)own.ids.count, 0};
        stack.count = add_own_frames(sources, tp_compile_stack_at(sources->log, c->first_stack + i), &own.ids);
        if (stack.count)
            *(struct tp_compile_stack *)tp_vec_push(&own.stacks) = stack;
    }
    if (own.stacks.count)
        fill_source(sources, source, &own);
    return source;
}
