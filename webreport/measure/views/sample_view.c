/* Implements sample_view.h: sums samples by function and by line. */
#include "webreport/measure/views/sample_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "writer/base/saturate.h"
#include "writer/base/sort.h"

static const struct tp_column_def function_defs[TP_SAMPLE_COLUMNS] = {
    {"function", "Function", "", "Function with its file or library.", TP_COLUMN_TEXT},
    {"self_us", "CPU self", "us", "CPU time while the function itself was running.", TP_COLUMN_NS},
    {"total_us", "CPU total", "us", "CPU time while the function or a function that it called was running.",
     TP_COLUMN_NS},
    {"samples", "Samples", "", "Number of samples in which the function itself was running.", TP_COLUMN_INT}};

static const struct tp_column_def line_defs[TP_SAMPLE_LINE_COLUMNS] = {
    {"line", "Line", "", "File, line and function of the running code.", TP_COLUMN_TEXT},
    {"self_us", "CPU self", "us", "CPU time while the line itself was running.", TP_COLUMN_NS},
    {"samples", "Samples", "", "Number of samples in which the line was running.", TP_COLUMN_INT}};

/* sums for a function or for a line; times in ns */
struct place {
    int64_t self_ns, total_ns, count;
    uint32_t last; /* index + 1 of the last sample that total_ns includes; 0: no sample yet */
};

/* a set of distinct texts with the sums for each text */
struct places {
    const struct tp_strings *texts;
    struct tp_vec items; /* elements: struct place, indexed by text id */
};

/* ---- functions of frames ---- */

static struct tp_str function_text(struct tp_arena *arena, struct tp_str frame)
{
    ptrdiff_t library = tp_str_starts(frame, "+0x") ? tp_str_find(frame, " [") : -1;
    if (library >= 0)
        return (struct tp_str){frame.ptr + library + 1, frame.len - (size_t)library - 1};
    struct tp_frame parts;
    if (!tp_frame_parse(&parts, frame))
        return frame;
    size_t size = parts.function.len + 2 + parts.path.len;
    char *text = tp_arena_alloc(arena, size + 1);
    memcpy(text, parts.function.ptr, parts.function.len);
    memcpy(text + parts.function.len, "  ", 2);
    memcpy(text + parts.function.len + 2, parts.path.ptr, parts.path.len);
    return (struct tp_str){text, size};
}

void tp_sample_functions_init(struct tp_sample_functions *functions, const struct tp_trace *trace,
                              struct tp_arena *arena)
{
    *functions = (struct tp_sample_functions){.stacks = trace->stacks, .path = TP_VEC(arena, uint32_t)};
    tp_strings_init(&functions->texts, arena, 0);
    functions->of_frame = tp_arena_array(arena, trace->stacks->frames.count, sizeof *functions->of_frame);
}

void tp_sample_functions_read(struct tp_sample_functions *functions, const struct tp_sample *sample)
{
    struct tp_vec *path = &functions->path;
    size_t kept = 0;
    functions->innermost = TP_STR("");
    tp_stack_frames(functions->stacks, tp_stacks_node_of_text(functions->stacks, sample->stack), SIZE_MAX, path);
    for (size_t i = 0; i < path->count; i++) {
        uint32_t frame = *TP_AT(path, uint32_t, i), *known = &functions->of_frame[frame];
        struct tp_str text = tp_str_trim(tp_stack_frame_text(functions->stacks, frame));
        if (!text.len)
            continue;
        if (!*known)
            *known = tp_strings_add(&functions->texts, function_text(path->arena, text)) + 1;
        *TP_AT(path, uint32_t, kept++) = *known - 1;
        functions->innermost = text;
    }
    path->count = kept;
}

struct tp_str tp_sample_thread_name(struct tp_arena *arena, const struct tp_thread *thread)
{
    char number[32];
    if (thread->name.len)
        return thread->name;
    if (thread->tid.is_text)
        return thread->tid.text;
    int n = snprintf(number, sizeof number, "thread %" PRId64, thread->tid.number);
    return (struct tp_str){tp_arena_copy(arena, number, (size_t)n), (size_t)n};
}

/* ---- sums ---- */

static struct place *find_or_add_place(struct places *places, uint32_t id)
{
    while (places->items.count <= id)
        tp_vec_push(&places->items);
    return TP_AT(&places->items, struct place, id);
}

struct counting {
    struct tp_sample_functions functions;
    struct tp_strings lines; /* distinct texts of innermost frames */
    struct places by_function, by_line;
};

static void add_self_time_of_sample(struct place *place, const struct tp_sample *sample)
{
    place->self_ns = tp_sat_add(place->self_ns, sample->cpu_ns);
    place->count++;
}

static void count_sample_by_place(struct tp_sample_view *view, struct counting *c, const struct tp_trace *trace,
                                  uint32_t i)
{
    const struct tp_sample *sample = &trace->samples[i];
    struct place *innermost = NULL;
    view->cpu_ns = tp_sat_add(view->cpu_ns, sample->cpu_ns);
    tp_sample_functions_read(&c->functions, sample);
    for (size_t k = 0; k < c->functions.path.count; k++) {
        innermost = find_or_add_place(&c->by_function, *TP_AT(&c->functions.path, uint32_t, k));
        if (innermost->last == i + 1)
            continue; /* adds the sample only once to a recursive function */
        innermost->last = i + 1;
        innermost->total_ns = tp_sat_add(innermost->total_ns, sample->cpu_ns);
    }
    view->without_stack += !innermost;
    if (!innermost)
        return;
    add_self_time_of_sample(innermost, sample);
    add_self_time_of_sample(find_or_add_place(&c->by_line, tp_strings_add(&c->lines, c->functions.innermost)), sample);
}

/* ---- tables ---- */

static int compare_by_size(const void *x, const void *y, const void *context)
{
    const struct places *places = context;
    uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
    const struct place *a = TP_AT(&places->items, struct place, i), *b = TP_AT(&places->items, struct place, k);
    if (a->self_ns != b->self_ns)
        return a->self_ns < b->self_ns ? 1 : -1;
    if (a->total_ns != b->total_ns)
        return a->total_ns < b->total_ns ? 1 : -1;
    return tp_str_compare(tp_strings_get(places->texts, i), tp_strings_get(places->texts, k));
}

static uint32_t *sort_places(struct places *places, struct tp_arena *arena)
{
    uint32_t *order = tp_arena_array(arena, places->items.count, sizeof *order);
    for (uint32_t i = 0; i < places->items.count; i++)
        order[i] = i;
    tp_merge_sort(arena, order, places->items.count, sizeof *order, compare_by_size, places);
    return order;
}

static void fill_functions(struct tp_table *table, struct places *places, struct tp_arena *arena)
{
    const uint32_t *order = sort_places(places, arena);
    tp_table_init(table, arena, "functions", function_defs, TP_SAMPLE_COLUMNS, places->items.count);
    table->title = "Functions";
    for (size_t row = 0; row < places->items.count; row++) {
        const struct place *place = TP_AT(&places->items, struct place, order[row]);
        tp_table_text(table, TP_SAMPLE_FUNCTION)[row] = tp_strings_get(places->texts, order[row]);
        tp_table_int(table, TP_SAMPLE_SELF)[row] = place->self_ns;
        tp_table_int(table, TP_SAMPLE_TOTAL)[row] = place->total_ns;
        tp_table_int(table, TP_SAMPLE_COUNT)[row] = place->count;
    }
}

static void fill_lines(struct tp_table *table, struct places *places, struct tp_arena *arena)
{
    const uint32_t *order = sort_places(places, arena);
    tp_table_init(table, arena, "lines", line_defs, TP_SAMPLE_LINE_COLUMNS, places->items.count);
    table->title = "Lines";
    for (size_t row = 0; row < places->items.count; row++) {
        const struct place *place = TP_AT(&places->items, struct place, order[row]);
        tp_table_text(table, TP_SAMPLE_LINE)[row] = tp_strings_get(places->texts, order[row]);
        tp_table_int(table, TP_SAMPLE_LINE_SELF)[row] = place->self_ns;
        tp_table_int(table, TP_SAMPLE_LINE_COUNT)[row] = place->count;
    }
}

void tp_sample_view_build(struct tp_sample_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_trace *trace = model->trace;
    struct counting c;
    *view = (struct tp_sample_view){.is_present = trace->sample_count > 0, .count = trace->sample_count};
    if (!view->is_present)
        return;
    tp_sample_functions_init(&c.functions, trace, arena);
    tp_strings_init(&c.lines, arena, 0);
    c.by_function = (struct places){&c.functions.texts, TP_VEC(arena, struct place)};
    c.by_line = (struct places){&c.lines, TP_VEC(arena, struct place)};
    for (uint32_t i = 0; i < trace->sample_count; i++)
        count_sample_by_place(view, &c, trace, i);
    fill_functions(&view->functions, &c.by_function, arena);
    fill_lines(&view->lines, &c.by_line, arena);
}

#define F struct tp_sample_view
static const struct tp_json_field fields[] = {
    {"sample_count", TP_PLAIN(F, count), .definition = "number of samples of running threads"},
    {"without_stack", TP_PLAIN(F, without_stack),
     .definition = "number of samples without a stack; their time is part of cpu_us, but the tables `functions` and "
                   "`lines` do not include it"},
    {"cpu_us", TP_US(F, cpu_ns), .definition = "CPU time of all samples"},
    {"functions", TP_PLAIN(F, functions), .definition = "CPU time by function"},
    {"lines", TP_PLAIN(F, lines), .definition = "CPU time by source line"},
};
#undef F

const struct tp_fields tp_sample_view_fields = TP_FIELDS("Samples", fields);
