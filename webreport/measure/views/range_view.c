/* Implements range_view.h: sums the ranges and the counters of a program by name. */
#include "webreport/measure/views/range_view.h"

#include <math.h>

#include "webreport/model/numbers.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

static const struct tp_column_def range_defs[TP_RANGE_COLUMNS] = {
    {"range", "Range", "", "Name that the program gave the range or counter.", TP_COLUMN_TEXT},
    {"kind", "Kind", "", "Kind of work in the range, as set by the program or guessed from the range's name.",
     TP_COLUMN_WORD},
    {"calls", "Calls", "", "Number of ranges with this name that overlap the analysed steps.", TP_COLUMN_INT},
    {"self_us", "Self", "us", "Time of the ranges in the analysed steps, without the time of inner ranges.",
     TP_COLUMN_NS},
    {"total_us", "Total", "us",
     "Time of the ranges in the analysed steps. A range inside a range with the same name adds no time.", TP_COLUMN_NS},
    {"share_percent", "Share", "%", "Total time as a share of the step time. The times of several threads are added.",
     TP_COLUMN_REAL},
    {"per_step_us", "Per step", "us", "Total time divided by the number of analysed steps.", TP_COLUMN_NS}};

static const struct tp_column_def counter_defs[TP_COUNTER_COLUMNS] = {
    {"counter", "Counter", "", "Name that the program gave the range or counter.", TP_COLUMN_TEXT},
    {"values", "Values", "", "Number of numeric values of the counter.", TP_COLUMN_INT},
    {"first", "First", "", "First value of the counter.", TP_COLUMN_REAL},
    {"last", "Last", "", "Last value of the counter.", TP_COLUMN_REAL},
    {"min", "Lowest", "", "Lowest value of the counter.", TP_COLUMN_REAL},
    {"max", "Highest", "", "Highest value of the counter.", TP_COLUMN_REAL}};

/* ---- ranges ---- */

/* sums over all ranges of one name; times in ns */
struct sum {
    uint32_t name;
    uint32_t depth; /* number of open ranges of this name on the current thread */
    uint8_t kind;   /* kind of the first range of this name that has a kind (enum tp_range_kind); 0: no range has one */
    int64_t calls, self_ns, total_ns;
};

/* a range that is open on the current thread; times in ns */
struct open_range {
    uint32_t name;
    int64_t end_ns,
        child_ranges_ns; /* child_ranges_ns: time of the direct child ranges within the window of analysed steps */
    int64_t own_ns;      /* time of this range within the window of analysed steps, including nested ranges */
};

struct summing {
    const struct tp_model *model;
    struct sum *sums;    /* sums for each name id */
    struct tp_vec stack; /* elements: struct open_range */
    size_t window_at;    /* index of the window's interval that the last search found, for tp_window_length_within */
};

static bool is_range(const struct tp_model *model, const struct tp_event *e)
{
    return e->kind == TP_KIND_ANNOTATION && !(model->marks[e->name] & (TP_MARK_STEP | TP_MARK_STEP_BRACKET));
}

static void close_last_range(struct summing *s)
{
    struct open_range *range = TP_AT(&s->stack, struct open_range, s->stack.count - 1);
    struct sum *sum = &s->sums[range->name];
    sum->self_ns =
        tp_sat_add(sum->self_ns, range->own_ns > range->child_ranges_ns ? range->own_ns - range->child_ranges_ns : 0);
    sum->depth--;
    s->stack.count--;
}

/* Opens a range. The caller must pass the ranges of a thread in order of start, each before its nested ranges. A range
 * that ends after its enclosing range is shortened to that end. */
static void open_next_range(struct summing *s, const struct tp_event *e)
{
    int64_t end_ns = tp_event_end(e);
    while (s->stack.count && TP_AT(&s->stack, struct open_range, s->stack.count - 1)->end_ns <= e->ts_ns)
        close_last_range(s);
    struct open_range *outer = s->stack.count ? TP_AT(&s->stack, struct open_range, s->stack.count - 1) : NULL;
    end_ns = outer && outer->end_ns < end_ns ? outer->end_ns : end_ns;
    int64_t own_ns = tp_window_length_within(s->model, &s->window_at, e->ts_ns, end_ns);
    struct sum *sum = &s->sums[e->name];
    if (outer)
        outer->child_ranges_ns = tp_sat_add(outer->child_ranges_ns, own_ns);
    sum->calls += own_ns > 0;
    sum->total_ns = tp_sat_add(sum->total_ns, sum->depth ? 0 : own_ns);
    sum->kind = sum->kind ? sum->kind : (uint8_t)tp_event_declared_kind(e);
    sum->depth++;
    *(struct open_range *)tp_vec_push(&s->stack) = (struct open_range){e->name, end_ns, 0, own_ns};
}

static void add_thread(struct summing *s, uint32_t thread)
{
    const struct tp_order *order = s->model->order;
    s->window_at = 0;
    for (uint32_t i = order->thread_first[thread]; i < order->thread_first[thread + 1]; i++) {
        const struct tp_event *e = &s->model->trace->events[order->host[i]];
        if (is_range(s->model, e))
            open_next_range(s, e);
    }
    while (s->stack.count)
        close_last_range(s);
}

static int compare_by_total(const void *x, const void *y, const void *context)
{
    const struct sum *a = x, *b = y;
    const struct tp_strings *names = context;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return tp_str_compare(names->items[a->name], names->items[b->name]);
}

static void fill_range(struct tp_table *table, size_t row, const struct sum *sum, const struct tp_model *model)
{
    const char *kind = tp_range_kind_text((enum tp_range_kind)sum->kind);
    tp_table_text(table, TP_RANGE_NAME)[row] = tp_strings_get(&model->trace->names, sum->name);
    tp_table_text(table, TP_RANGE_KIND)[row] = kind ? tp_str_of(kind) : (struct tp_str){NULL, 0};
    tp_table_int(table, TP_RANGE_CALLS)[row] = sum->calls;
    tp_table_int(table, TP_RANGE_SELF)[row] = sum->self_ns;
    tp_table_int(table, TP_RANGE_TOTAL)[row] = sum->total_ns;
    tp_table_real(table, TP_RANGE_SHARE)[row] = tp_percent(sum->total_ns, model->window_ns);
    tp_table_int(table, TP_RANGE_PER_STEP)[row] = model->used_count ? sum->total_ns / model->used_count : TP_NULL_INT;
}

static void build_ranges(struct tp_range_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    uint32_t name_count = model->trace->names.count, count = 0;
    struct summing s = {.model = model,
                        .sums = tp_arena_array(arena, (size_t)name_count + 1, sizeof(struct sum)),
                        .stack = TP_VEC(arena, struct open_range)};
    for (uint32_t thread = 0; thread < model->trace->thread_count; thread++)
        add_thread(&s, thread);
    for (uint32_t name = 0; name < name_count; name++)
        if (s.sums[name].calls) {
            s.sums[count] = s.sums[name];
            s.sums[count++].name = name;
        }
    if (count)
        tp_merge_sort(arena, s.sums, count, sizeof *s.sums, compare_by_total, &model->trace->names);
    tp_table_init(&view->ranges, arena, "ranges", range_defs, TP_RANGE_COLUMNS, count);
    view->ranges.title = "Ranges";
    for (uint32_t row = 0; row < count; row++)
        fill_range(&view->ranges, row, &s.sums[row], model);
}

/* ---- counters ---- */

/* the numeric values of all counters with the same name */
struct values {
    uint32_t name;
    int64_t count, first_at_ns, last_at_ns;
    double first, last, min, max;
};

static void add_counter_value(struct values *v, const struct tp_counter *counter)
{
    if (!v->count || counter->ts_ns < v->first_at_ns) {
        v->first = counter->value;
        v->first_at_ns = counter->ts_ns;
    }
    if (!v->count || counter->ts_ns >= v->last_at_ns) {
        v->last = counter->value;
        v->last_at_ns = counter->ts_ns;
    }
    v->min = v->count ? fmin(v->min, counter->value) : counter->value;
    v->max = v->count ? fmax(v->max, counter->value) : counter->value;
    v->count++;
}

static int compare_by_name(const void *x, const void *y, const void *context)
{
    const struct values *a = x, *b = y;
    const struct tp_strings *names = context;
    return tp_str_compare(names->items[a->name], names->items[b->name]);
}

static void build_counters(struct tp_range_view *view, const struct tp_trace *trace, struct tp_arena *arena)
{
    struct values *all = tp_arena_array(arena, (size_t)trace->names.count + 1, sizeof *all);
    uint32_t count = 0;
    for (uint32_t i = 0; i < trace->counter_count; i++)
        if (isfinite(trace->counters[i].value))
            add_counter_value(&all[trace->counters[i].name], &trace->counters[i]);
    for (uint32_t name = 0; name < trace->names.count; name++)
        if (all[name].count) {
            all[count] = all[name];
            all[count++].name = name;
        }
    if (count)
        tp_merge_sort(arena, all, count, sizeof *all, compare_by_name, &trace->names);
    tp_table_init(&view->counters, arena, "counters", counter_defs, TP_COUNTER_COLUMNS, count);
    view->counters.title = "Counters";
    view->counter_names = tp_arena_array(arena, (size_t)count + 1, sizeof *view->counter_names);
    for (uint32_t row = 0; row < count; row++) {
        view->counter_names[row] = all[row].name;
        tp_table_text(&view->counters, TP_COUNTER_NAME)[row] = tp_strings_get(&trace->names, all[row].name);
        tp_table_int(&view->counters, TP_COUNTER_COUNT)[row] = all[row].count;
        tp_table_real(&view->counters, TP_COUNTER_FIRST)[row] = all[row].first;
        tp_table_real(&view->counters, TP_COUNTER_LAST)[row] = all[row].last;
        tp_table_real(&view->counters, TP_COUNTER_MIN)[row] = all[row].min;
        tp_table_real(&view->counters, TP_COUNTER_MAX)[row] = all[row].max;
    }
}

/* ---- view ---- */

void tp_range_view_build(struct tp_range_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    *view = (struct tp_range_view){0};
    if (model->producer != TP_PRODUCER_TRACEPRESS && model->producer != TP_PRODUCER_MPI)
        return;
    build_ranges(view, model, arena);
    build_counters(view, model->trace, arena);
    view->is_present = view->ranges.row_count || view->counters.row_count;
}

#define F struct tp_range_view
static const struct tp_json_field fields[] = {
    {"ranges", TP_PLAIN(F, ranges), TP_DEFINITION("ranges of the program by name")},
    {"counters", TP_PLAIN(F, counters), TP_DEFINITION("counters of the program by name")},
};
#undef F

const struct tp_fields tp_range_view_fields = TP_FIELDS("Ranges and counters", fields);
