/* Implements os_call_view.h. */
#include "webreport/measure/views/os_call_view.h"

#include <math.h>

#include "webreport/measure/views/sample_view.h"
#include "webreport/model/numbers.h"
#include "writer/base/interval.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

static const struct tp_column_def defs[TP_OS_CALL_COLUMNS] = {
    {"thread", "Thread", "", "Thread that makes the calls.", TP_COLUMN_TEXT},
    {"function", "Function", "", "Function of the operating system.", TP_COLUMN_TEXT},
    {"calls", "Calls", "", "Number of calls in the whole recording.", TP_COLUMN_INT},
    {"total_us", "Total", "us", "Time in the calls in the whole recording. Time in two calls counts once.",
     TP_COLUMN_NS},
    {"p99_us", "p99", "us", "Duration that 99 % of the calls do not exceed (nearest rank).", TP_COLUMN_NS},
    {"max_us", "Longest", "us", "Duration of the longest call.", TP_COLUMN_NS},
    {"in_steps_us", "In steps", "us", "Time in the calls within the analysed steps.", TP_COLUMN_NS},
    {"in_steps_percent", "Of steps", "%", "Time in the calls, as a percentage of the time of the analysed steps.",
     TP_COLUMN_REAL},
    {"idle_us", "During idle time", "us",
     "Time in the calls during which a device is idle whose work this thread launches. Empty for other threads.",
     TP_COLUMN_NS}};

/* A set of intervals, with the length of all intervals before each one. */
struct measured {
    struct tp_intervals set;
    int64_t *before_ns;
};

static struct measured measure(struct tp_intervals set, struct tp_arena *arena)
{
    struct measured measured = {set, tp_arena_array(arena, set.count + 1, sizeof *measured.before_ns)};
    for (size_t i = 0; i < set.count; i++)
        measured.before_ns[i + 1] = measured.before_ns[i] + (set.items[i].b - set.items[i].a);
    return measured;
}

/* Returns the length of the part of the set before a time, ns. */
static int64_t length_before(const struct measured *measured, int64_t at)
{
    size_t low = 0, high = measured->set.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (measured->set.items[middle].a < at)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return 0;
    const struct tp_interval *last = &measured->set.items[low - 1];
    return measured->before_ns[low - 1] + tp_ns_min(at, last->b) - last->a;
}

static int64_t common_length(const struct measured *measured, struct tp_intervals other)
{
    int64_t sum = 0;
    for (size_t i = 0; i < other.count; i++)
        sum += length_before(measured, other.items[i].b) - length_before(measured, other.items[i].a);
    return sum;
}

/* ---- threads that launch ---- */

/* Idle time of the devices on which one thread launches. */
struct launcher {
    struct measured idle;
    struct tp_vec calls; /* intervals of all its calls; elements: struct tp_interval */
};

struct calls {
    const struct tp_model *model;
    struct tp_arena *arena;
    uint32_t *order;         /* calls, sorted by thread, function and start */
    struct tp_vec launchers; /* elements: struct launcher */
    uint32_t *launcher_of;   /* for each thread: 1 + index in launchers; 0: it launches nothing */
    struct measured window;
};

static struct tp_intervals idle_times_of_thread(const struct tp_model *model, uint32_t thread, struct tp_arena *arena)
{
    struct tp_vec idle = TP_VEC(arena, struct tp_interval);
    for (uint32_t g = 0; g < model->gpu_count; g++)
        for (uint32_t i = 0; model->gpus[g].main_thread == thread && i < model->gpus[g].idle_count; i++)
            tp_intervals_push(&idle, model->gpus[g].idle[i].a, model->gpus[g].idle[i].b);
    return tp_intervals_from_vec(&idle);
}

static void find_launchers(struct calls *calls)
{
    const struct tp_model *model = calls->model;
    calls->launchers = TP_VEC(calls->arena, struct launcher);
    calls->launcher_of = tp_arena_array(calls->arena, model->trace->thread_count, sizeof *calls->launcher_of);
    for (uint32_t g = 0; g < model->gpu_count; g++) {
        uint32_t thread = model->gpus[g].main_thread;
        if (thread == TP_NO_ID || calls->launcher_of[thread])
            continue;
        *(struct launcher *)tp_vec_push(&calls->launchers) =
            (struct launcher){measure(idle_times_of_thread(model, thread, calls->arena), calls->arena),
                              TP_VEC(calls->arena, struct tp_interval)};
        calls->launcher_of[thread] = (uint32_t)calls->launchers.count;
    }
}

static struct launcher *launcher_of(const struct calls *calls, uint32_t thread)
{
    uint32_t index = calls->launcher_of[thread];
    return index ? TP_AT(&calls->launchers, struct launcher, index - 1) : NULL;
}

/* ---- rows ---- */

struct row {
    uint32_t thread, function;
    int64_t count, total_ns, p99_ns, max_ns, in_window_ns, idle_ns;
};

static int compare_calls(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_trace *trace = context;
    const struct tp_os_call *a = &trace->input.os_calls[x], *b = &trace->input.os_calls[y];
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    if (a->ts_ns != b->ts_ns)
        return a->ts_ns < b->ts_ns ? -1 : 1;
    return (x > y) - (x < y);
}

static struct row make_row(const struct calls *calls, size_t first, size_t end, struct tp_vec *spans,
                           struct tp_vec *durations)
{
    const struct tp_os_call *os_calls = calls->model->trace->input.os_calls, *call = &os_calls[calls->order[first]];
    struct launcher *launcher = launcher_of(calls, call->thread);
    struct row row = {.thread = call->thread, .function = call->name, .count = (int64_t)(end - first)};
    spans->count = durations->count = 0;
    for (size_t i = first; i < end; i++) {
        call = &os_calls[calls->order[i]];
        tp_intervals_push(spans, call->ts_ns, call->ts_ns + call->dur_ns);
        *(int64_t *)tp_vec_push(durations) = call->dur_ns;
    }
    tp_sort_integers(durations->data, durations->count);
    row.p99_ns = *TP_AT(durations, int64_t, tp_nearest_rank(durations->count, 99));
    row.max_ns = *TP_AT(durations, int64_t, durations->count - 1);
    struct tp_intervals set = tp_intervals_from_vec_temporary(spans);
    row.total_ns = tp_intervals_length(set);
    row.in_window_ns = common_length(&calls->window, set);
    row.idle_ns = launcher ? common_length(&launcher->idle, set) : TP_NULL_INT;
    if (launcher)
        tp_intervals_append(&launcher->calls, set);
    return row;
}

static int compare_rows(const void *x, const void *y, const void *context)
{
    const struct tp_trace *trace = context;
    const struct row *a = x, *b = y;
    if (a->idle_ns != b->idle_ns) /* TP_NULL_INT is the lowest number */
        return a->idle_ns > b->idle_ns ? -1 : 1;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return tp_str_compare(tp_strings_get(&trace->texts, a->function), tp_strings_get(&trace->texts, b->function));
}

static struct tp_vec make_rows(struct calls *calls)
{
    const struct tp_trace *trace = calls->model->trace;
    struct tp_vec rows = TP_VEC(calls->arena, struct row), spans = TP_VEC(calls->arena, struct tp_interval),
                  durations = TP_VEC(calls->arena, int64_t);
    calls->order = tp_arena_array(calls->arena, trace->input.os_call_count, sizeof *calls->order);
    for (uint32_t i = 0; i < trace->input.os_call_count; i++)
        calls->order[i] = i;
    tp_sort_rows(calls->order, trace->input.os_call_count, compare_calls, trace, calls->arena);
    for (size_t i = 0, end; i < trace->input.os_call_count; i = end) {
        const struct tp_os_call *first = &trace->input.os_calls[calls->order[i]];
        for (end = i + 1; end < trace->input.os_call_count; end++) {
            const struct tp_os_call *next = &trace->input.os_calls[calls->order[end]];
            if (next->thread != first->thread || next->name != first->name)
                break;
        }
        struct row row = make_row(calls, i, end, &spans, &durations);
        *(struct row *)tp_vec_push(&rows) = row;
    }
    tp_merge_sort(calls->arena, rows.data, rows.count, sizeof(struct row), compare_rows, trace);
    return rows;
}

/* ---- the view ---- */

static void fill_table(struct tp_table *table, const struct calls *calls, const struct tp_vec *rows)
{
    const struct tp_trace *trace = calls->model->trace;
    tp_table_init(table, calls->arena, "os_calls", defs, TP_OS_CALL_COLUMNS, rows->count);
    table->title = "Calls of the operating system";
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = TP_AT(rows, struct row, i);
        tp_table_text(table, TP_OS_CALL_THREAD)[i] = tp_sample_thread_name(calls->arena, &trace->threads[row->thread]);
        tp_table_text(table, TP_OS_CALL_FUNCTION)[i] = tp_strings_get(&trace->texts, row->function);
        tp_table_int(table, TP_OS_CALL_COUNT)[i] = row->count;
        tp_table_int(table, TP_OS_CALL_TOTAL)[i] = row->total_ns;
        tp_table_int(table, TP_OS_CALL_P99)[i] = row->p99_ns;
        tp_table_int(table, TP_OS_CALL_MAX)[i] = row->max_ns;
        tp_table_int(table, TP_OS_CALL_IN_WINDOW)[i] = row->in_window_ns;
        tp_table_real(table, TP_OS_CALL_WINDOW_PERCENT)[i] = tp_percent(row->in_window_ns, calls->model->window_ns);
        tp_table_int(table, TP_OS_CALL_IDLE)[i] = row->idle_ns;
    }
}

void tp_os_call_view_build(struct tp_os_call_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    struct calls calls = {.model = model, .arena = arena};
    *view = (struct tp_os_call_view){.is_present = model->trace->input.os_call_count > 0,
                                     .count = model->trace->input.os_call_count,
                                     .during_percent = NAN};
    if (!view->is_present)
        return;
    calls.window = measure(model->window, arena);
    find_launchers(&calls);
    struct tp_vec rows = make_rows(&calls);
    fill_table(&view->calls, &calls, &rows);
    for (size_t i = 0; i < calls.launchers.count; i++) {
        struct launcher *launcher = TP_AT(&calls.launchers, struct launcher, i);
        view->idle_ns += launcher->idle.before_ns[launcher->idle.set.count];
        view->during_ns += common_length(&launcher->idle, tp_intervals_from_vec(&launcher->calls));
    }
    if (view->idle_ns)
        view->during_percent = tp_percent(view->during_ns, view->idle_ns);
}

#define F struct tp_os_call_view
static const struct tp_json_field fields[] = {
    {"call_count", TP_PLAIN(F, count), TP_DEFINITION("number of calls of the operating system")},
    {"idle_us", TP_US(F, idle_ns),
     TP_DEFINITION("idle time of the devices within the analysed steps, for each thread that launches on them")},
    {"idle_in_calls_us", TP_US(F, during_ns),
     TP_DEFINITION("part of idle_us during which the launching thread is in a call of the operating system")},
    {"idle_in_calls_percent", TP_PLAIN(F, during_percent),
     TP_DEFINITION("idle_in_calls_us as a percentage of idle_us; null without idle time")},
    {"calls", TP_PLAIN(F, calls), TP_DEFINITION("calls by thread and function")},
};
#undef F
const struct tp_fields tp_os_call_view_fields = TP_FIELDS("Calls of the operating system", fields);
