/* Implements sample_view.h: sums samples by function and by line. */
#include "webreport/measure/views/sample_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "writer/base/keys.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

static const struct tp_column_def function_defs[TP_SAMPLE_COLUMNS] = {
    {"function", "Function", "", "Function with its file or library.", TP_COLUMN_TEXT},
    {"self_us", "CPU self", "us", "CPU time while the function itself was running.", TP_COLUMN_NS},
    {"total_us", "CPU total", "us", "CPU time while the function or a function that it called was running.",
     TP_COLUMN_NS},
    {"samples", "Samples", "", "Number of samples in which the function itself was running.", TP_COLUMN_INT}};

static const struct tp_column_def untimed_function_defs[] = {
    {"function", "Function", "", "Function with its module.", TP_COLUMN_TEXT},
    {"self_samples", "Self", "", "Number of samples in which the function itself was running.", TP_COLUMN_INT},
    {"total_samples", "Total", "", "Number of samples in which the function or a function that it called was running.",
     TP_COLUMN_INT}};

static const struct tp_column_def thread_defs[] = {
    {"thread", "Thread", "", "Thread that was running.", TP_COLUMN_TEXT},
    {"samples", "Samples", "", "Number of samples of the thread.", TP_COLUMN_INT}};

static const struct tp_column_def thread_function_defs[TP_SAMPLE_THREAD_COLUMNS] = {
    {"thread", "Thread", "", "Thread that was running.", TP_COLUMN_TEXT},
    {"function", "Function", "", "Function with its module.", TP_COLUMN_TEXT},
    {"self_samples", "Self", "", "Number of samples of the thread in which the function itself was running.",
     TP_COLUMN_INT},
    {"total_samples", "Total", "",
     "Number of samples of the thread in which the function or a function that it called was running.", TP_COLUMN_INT}};

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
    const struct tp_trace *trace;
    struct tp_sample_functions functions;
    struct tp_strings lines; /* distinct texts of innermost frames */
    struct places by_function, by_line;
    struct tp_keys thread_functions;  /* keys: thread, function; only for samples without times */
    struct tp_vec by_thread_function; /* sums of each key in thread_functions; elements: struct place */
    int64_t *of_thread;               /* number of samples of each thread */
};

static void add_self_time_of_sample(struct place *place, int64_t weight_ns)
{
    place->self_ns = tp_sat_add(place->self_ns, weight_ns);
    place->count++;
}

/* Adds sample i to the total time of a place, unless the place is in the stack of the sample twice. */
static void add_total_time_of_sample(struct place *place, uint32_t i, int64_t weight_ns)
{
    if (place->last == i + 1)
        return;
    place->last = i + 1;
    place->total_ns = tp_sat_add(place->total_ns, weight_ns);
}

static struct place *find_or_add_thread_function(struct counting *c, uint32_t thread, uint32_t function)
{
    uint32_t key = tp_keys_pair(&c->thread_functions, thread, function);
    if (key == c->by_thread_function.count)
        tp_vec_push(&c->by_thread_function);
    return TP_AT(&c->by_thread_function, struct place, key);
}

/* Adds a sample to the functions of its thread. */
static void count_sample_of_thread(struct counting *c, uint32_t i)
{
    const struct tp_sample *sample = &c->trace->samples[i];
    struct place *innermost = NULL;
    c->of_thread[sample->thread]++;
    for (size_t k = 0; k < c->functions.path.count; k++) {
        innermost = find_or_add_thread_function(c, sample->thread, *TP_AT(&c->functions.path, uint32_t, k));
        add_total_time_of_sample(innermost, i, 1);
    }
    if (innermost)
        add_self_time_of_sample(innermost, 1);
}

static void count_sample_by_place(struct tp_sample_view *view, struct counting *c, uint32_t i)
{
    const struct tp_sample *sample = &c->trace->samples[i];
    int64_t weight_ns = tp_input_sample_weight(&c->trace->input, sample->cpu_ns);
    struct place *innermost = NULL;
    view->cpu_ns = tp_sat_add(view->cpu_ns, weight_ns);
    tp_sample_functions_read(&c->functions, sample);
    for (size_t k = 0; k < c->functions.path.count; k++) {
        innermost = find_or_add_place(&c->by_function, *TP_AT(&c->functions.path, uint32_t, k));
        add_total_time_of_sample(innermost, i, weight_ns);
    }
    if (view->is_untimed)
        count_sample_of_thread(c, i);
    view->without_stack += !innermost;
    if (!innermost)
        return;
    add_self_time_of_sample(innermost, weight_ns);
    add_self_time_of_sample(find_or_add_place(&c->by_line, tp_strings_add(&c->lines, c->functions.innermost)),
                            weight_ns);
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

static void fill_functions(struct tp_table *table, struct places *places, bool is_untimed, struct tp_arena *arena)
{
    const uint32_t *order = sort_places(places, arena);
    tp_table_init(table, arena, "functions", is_untimed ? untimed_function_defs : function_defs,
                  is_untimed ? TP_SAMPLE_COUNT : TP_SAMPLE_COLUMNS, places->items.count);
    table->title = "Functions";
    for (size_t row = 0; row < places->items.count; row++) {
        const struct place *place = TP_AT(&places->items, struct place, order[row]);
        tp_table_text(table, TP_SAMPLE_FUNCTION)[row] = tp_strings_get(places->texts, order[row]);
        tp_table_int(table, TP_SAMPLE_SELF)[row] = place->self_ns;
        tp_table_int(table, TP_SAMPLE_TOTAL)[row] = place->total_ns;
        if (!is_untimed)
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

static int compare_threads(const void *context, uint32_t x, uint32_t y)
{
    const struct counting *c = context;
    if (c->of_thread[x] != c->of_thread[y])
        return c->of_thread[x] > c->of_thread[y] ? -1 : 1;
    return (x > y) - (x < y);
}

static int compare_thread_functions(const void *context, uint32_t x, uint32_t y)
{
    const struct counting *c = context;
    const uint32_t *a = tp_keys_get(&c->thread_functions, x), *b = tp_keys_get(&c->thread_functions, y);
    const struct place *p = TP_AT(&c->by_thread_function, struct place, x),
                       *q = TP_AT(&c->by_thread_function, struct place, y);
    if (a[0] != b[0])
        return compare_threads(context, a[0], b[0]);
    if (p->self_ns != q->self_ns)
        return p->self_ns > q->self_ns ? -1 : 1;
    if (p->total_ns != q->total_ns)
        return p->total_ns > q->total_ns ? -1 : 1;
    return tp_str_compare(tp_strings_get(&c->functions.texts, a[1]), tp_strings_get(&c->functions.texts, b[1]));
}

static uint32_t *sort_numbers(uint32_t count, tp_row_order order, const struct counting *c, struct tp_arena *arena)
{
    uint32_t *rows = tp_arena_array(arena, count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = i;
    tp_sort_rows(rows, count, order, c, arena);
    return rows;
}

static void fill_threads(struct tp_sample_view *view, const struct counting *c, struct tp_arena *arena)
{
    const struct tp_trace *trace = c->trace;
    uint32_t count = 0, functions = tp_keys_count(&c->thread_functions);
    const uint32_t *order = sort_numbers(trace->thread_count, compare_threads, c, arena);
    while (count < trace->thread_count && c->of_thread[order[count]])
        count++;
    tp_table_init(&view->threads, arena, "threads", thread_defs, 2, count);
    view->threads.title = "Threads";
    for (uint32_t row = 0; row < count; row++) {
        tp_table_text(&view->threads, 0)[row] = tp_sample_thread_name(arena, &trace->threads[order[row]]);
        tp_table_int(&view->threads, 1)[row] = c->of_thread[order[row]];
    }
    order = sort_numbers(functions, compare_thread_functions, c, arena);
    tp_table_init(&view->thread_functions, arena, "thread_functions", thread_function_defs, TP_SAMPLE_THREAD_COLUMNS,
                  functions);
    view->thread_functions.title = "Functions by thread";
    for (uint32_t row = 0; row < functions; row++) {
        const uint32_t *key = tp_keys_get(&c->thread_functions, order[row]);
        const struct place *place = TP_AT(&c->by_thread_function, struct place, order[row]);
        tp_table_text(&view->thread_functions, TP_SAMPLE_THREAD)[row] =
            tp_sample_thread_name(arena, &trace->threads[key[0]]);
        tp_table_text(&view->thread_functions, TP_SAMPLE_THREAD_FUNCTION)[row] =
            tp_strings_get(&c->functions.texts, key[1]);
        tp_table_int(&view->thread_functions, TP_SAMPLE_THREAD_SELF)[row] = place->self_ns;
        tp_table_int(&view->thread_functions, TP_SAMPLE_THREAD_TOTAL)[row] = place->total_ns;
    }
}

void tp_sample_view_build(struct tp_sample_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_trace *trace = model->trace;
    struct counting c = {.trace = trace, .by_thread_function = TP_VEC(arena, struct place)};
    *view = (struct tp_sample_view){.is_present = trace->sample_count > 0,
                                    .count = trace->sample_count,
                                    .is_timed = !trace->input.has_untimed_samples,
                                    .is_untimed = trace->input.has_untimed_samples};
    if (!view->is_present)
        return;
    tp_keys_init(&c.thread_functions, arena, 2);
    c.of_thread = tp_arena_array(arena, trace->thread_count, sizeof *c.of_thread);
    tp_sample_functions_init(&c.functions, trace, arena);
    tp_strings_init(&c.lines, arena, 0);
    c.by_function = (struct places){&c.functions.texts, TP_VEC(arena, struct place)};
    c.by_line = (struct places){&c.lines, TP_VEC(arena, struct place)};
    for (uint32_t i = 0; i < trace->sample_count; i++)
        count_sample_by_place(view, &c, i);
    fill_functions(&view->functions, &c.by_function, view->is_untimed, arena);
    if (view->is_untimed)
        fill_threads(view, &c, arena);
    else
        fill_lines(&view->lines, &c.by_line, arena);
}

#define F struct tp_sample_view
static const struct tp_json_field fields[] = {
    {"sample_count", TP_PLAIN(F, count), TP_DEFINITION("number of samples of running threads")},
    {"without_stack", TP_PLAIN(F, without_stack),
     TP_DEFINITION("number of samples without a stack; their time is part of cpu_us, but the tables `functions` and "
                   "`lines` do not include it")},
    {"cpu_us", TP_US(F, cpu_ns), TP_ONLY_IF(F, is_timed), TP_DEFINITION("CPU time of all samples")},
    {"functions", TP_PLAIN(F, functions), TP_DEFINITION("CPU time, or number of samples, by function")},
    {"lines", TP_PLAIN(F, lines), TP_ONLY_IF(F, is_timed), TP_DEFINITION("CPU time by source line")},
    {"threads", TP_PLAIN(F, threads), TP_ONLY_IF(F, is_untimed),
     TP_DEFINITION("number of samples by thread, if the samples have no times")},
    {"thread_functions", TP_PLAIN(F, thread_functions), TP_ONLY_IF(F, is_untimed),
     TP_DEFINITION("number of samples by thread and function, if the samples have no times")},
};
#undef F

const struct tp_fields tp_sample_view_fields = TP_FIELDS("Samples", fields);
