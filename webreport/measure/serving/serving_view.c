/* Implements serving_view.h: finds the steps of serving engines and sums their classes. */
#include "webreport/measure/serving/serving_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "webreport/measure/idle/idle_reasons.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

enum { MARK = 1, NO_MARK };

static const struct tp_column_def step_defs[TP_SERVED_COLUMNS] = {
    {"name", "Step", "",
     "Annotation with which the engine marks the step. Values that the {annotation} lacks, such as the number of "
     "tokens, "
     "come from {annotations} inside the step.",
     TP_COLUMN_TEXT},
    {"phase", "Phase", "", "Phase of the step, such as prefill, decode or mixed (prefill and decode).", TP_COLUMN_WORD},
    {"class", "Class", "",
     "Phase and size of the step. The size is the number of tokens (tok) of a prefill or mixed step, or the number of "
     "requests (bs) of any other step, rounded up to a power of two.",
     TP_COLUMN_TEXT},
    {"requests", "Requests", "", "Number of requests in the batch.", TP_COLUMN_INT},
    {"prefill_requests", "Prefill requests", "", "Number of requests whose prompt the step reads.", TP_COLUMN_INT},
    {"decode_requests", "Decode requests", "", "Number of requests for which the step generates a token.",
     TP_COLUMN_INT},
    {"tokens", "Tokens", "", "Number of tokens in the batch.", TP_COLUMN_INT},
    {"prefill_tokens", "Prefill tokens", "", "Number of prompt tokens in the batch.", TP_COLUMN_INT},
    {"decode_tokens", "Decode tokens", "", "Number of tokens that the step generates.", TP_COLUMN_INT},
    {"keys_read", "Keys read", "", "Number of cached keys that the decoding requests attend to.", TP_COLUMN_INT},
    {"start_us", "Start", "us", "Start of the step on the host, relative to the first event of the trace.",
     TP_COLUMN_NS},
    {"host_us", "Host", "us", "Length of the step on the host.", TP_COLUMN_NS},
    {"span_us", "Span", "us",
     "Time from the start of the first to the end of the last device operation that the step launched.", TP_COLUMN_NS},
    {"step_us", "Time", "us",
     "Length of the step on the device: time from the first to the last device operation of the step, minus the time "
     "in the column 'Outside'.",
     TP_COLUMN_NS},
    {"busy_us", "Busy", "us", "Time in which device work of this step ran.", TP_COLUMN_NS},
    {"outside_us", "Outside", "us",
     "Time between the first and the last device operation of the step in which the device may have run unrecorded "
     "work.",
     TP_COLUMN_NS},
    {"queued_us", "Queued", "us",
     "Time from the end of a launch to the start of its operation, for the first device operation of the step.",
     TP_COLUMN_NS},
    {"host_gap_us", "Host gap", "us", "Time on the host from the end of this step to the start of the next step.",
     TP_COLUMN_NS},
    {"operations", "Operations", "", "Number of device operations that the step launched.", TP_COLUMN_INT},
    {"graph_launches", "Graph launches", "", "Number of graph launches in the step.", TP_COLUMN_INT},
    {"graph_operations", "In graphs", "", "Number of device operations of the step that CUDA graphs launched.",
     TP_COLUMN_INT},
    {"tokens_per_s", "Tokens/s", "1/s",
     "Tokens generated (decode) or processed (prefill, mixed), divided by the length of the step on the device.",
     TP_COLUMN_REAL},
};

static const struct tp_column_def class_defs[TP_SERVING_CLASS_COLUMNS] = {
    {"class", "Class", "",
     "Phase and size of the step. The size is the number of tokens (tok) of a prefill or mixed step, or the number of "
     "requests (bs) of any other step, rounded up to a power of two.",
     TP_COLUMN_TEXT},
    {"steps", "Steps", "", "Number of steps of this class with device work.", TP_COLUMN_INT},
    {"p50_us", "p50", "us", "Median length of the steps of this class on the device.", TP_COLUMN_NS},
    {"p90_us", "p90", "us", "90th percentile of the step length on the device, for the steps of this class.",
     TP_COLUMN_NS},
    {"busy_percent", "Busy", "%",
     "Time in which device work of the steps of this class runs, as a share of the time of these steps on the device.",
     TP_COLUMN_REAL},
    {"host_gap_us", "Host gap", "us",
     "Median time on the host from the end of a step of this class to the start of the next step.", TP_COLUMN_NS},
    {"graph_percent", "In graphs", "%",
     "Percentage of the device operations in steps of this class that were launched by CUDA graphs.", TP_COLUMN_REAL},
    {"tokens_per_s", "Tokens/s", "1/s",
     "Tokens generated (decode) or processed (prefill, mixed) by the steps of this class, divided by the time of these "
     "steps on the device.",
     TP_COLUMN_REAL},
    {"weights_us", "Weights", "us",
     "Time to read the weights of the model once at the peak bandwidth of the device's memory, without the caches of "
     "keys and values. The cell is empty if this time is longer than the median step.",
     TP_COLUMN_NS},
    {"weights_percent", "Of p50", "%", "Time to read the weights of the model once, as a share of the median step.",
     TP_COLUMN_REAL},
    {"kinds", "Kinds of work", "",
     "Kinds of work in the steps of this class, with their shares of the kernel time, largest first.", TP_COLUMN_TEXT},
};

struct step {
    struct tp_serving_mark mark;
    uint32_t event; /* index of the step's outermost range in trace->events */
    int64_t a, b;   /* start and end on the host, ns */
    int64_t first_ns, last_ns, queued_ns, busy_until_ns, busy_ns, outside_ns;
    int64_t operations, graphs, graph_operations;
    int64_t kind_ns[TP_WORK_COUNT];
    /* sums over the matrix products with known shapes: bytes of weights; kernel time, ns */
    int64_t weight_bytes, product_kernel_ns;
};

struct builder {
    const struct tp_work_kinds *kinds;
    const struct tp_work_units *units;
    const struct tp_model *model;
    struct tp_arena *arena;
    struct step *steps;
    uint32_t count;
};

/* ---- ranges ---- */

/* Returns whether an event is a range that the program marked, so that its name may be a mark of an engine. */
static bool is_range_event(const struct tp_event *event)
{
    return event->kind == TP_KIND_ANNOTATION;
}

static int compare_by_start(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_event *events = context;
    if (events[x].ts_ns != events[y].ts_ns)
        return events[x].ts_ns < events[y].ts_ns ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Finds the ranges whose names are marks of serving engines, in order of time. */
static struct tp_vec find_marks(const struct builder *m)
{
    const struct tp_trace *trace = m->model->trace;
    const struct tp_order *order = m->model->order;
    struct tp_vec found = TP_VEC(m->arena, uint32_t);
    struct tp_serving_mark mark;
    uint8_t *is_mark = tp_arena_array(m->arena, trace->names.count, 1);
    uint32_t end = 0; /* number of host events to search; 0 if no name is a mark, as in most traces */
    for (uint32_t i = 0; i < trace->names.count; i++) {
        is_mark[i] = tp_serving_mark_read(&mark, trace->names.items[i]);
        end = is_mark[i] ? order->thread_first[trace->thread_count] : end;
    }
    for (uint32_t i = 0; i < end; i++) {
        const struct tp_event *event = &trace->events[order->host[i]];
        if (is_mark[event->name] && is_range_event(event))
            *(uint32_t *)tp_vec_push(&found) = order->host[i];
    }
    tp_arena_free_item(m->arena, is_mark, trace->names.count);
    tp_sort_rows(found.data, found.count, compare_by_start, trace->events, m->arena);
    return found;
}

/* Copies the numbers that `outer` lacks from the mark of an inner range. */
static void add_numbers_of_inner_range(struct tp_serving_mark *outer, const struct tp_serving_mark *inner)
{
    for (unsigned i = 0; i < TP_SERVING_NUMBERS; i++)
        if (outer->numbers[i] == TP_NULL_INT)
            outer->numbers[i] = inner->numbers[i];
}

static void make_steps(struct builder *m)
{
    const struct tp_trace *trace = m->model->trace;
    struct tp_vec marks = find_marks(m);
    m->steps = tp_arena_array(m->arena, marks.count, sizeof *m->steps);
    for (size_t i = 0; i < marks.count; i++) {
        uint32_t at = *TP_AT(&marks, uint32_t, i);
        const struct tp_event *event = &trace->events[at];
        struct step *last = m->count ? &m->steps[m->count - 1] : NULL;
        struct tp_serving_mark mark;
        tp_serving_mark_read(&mark, tp_trace_event_name(trace, event));
        if (last && event->ts_ns < last->b) {
            add_numbers_of_inner_range(&last->mark, &mark);
            continue;
        }
        m->steps[m->count++] = (struct step){.mark = mark, .event = at, .a = event->ts_ns, .b = tp_event_end(event)};
    }
}

/* ---- device work of the steps ---- */

/* Returns the step whose range contains the time `at`; NULL if no step does. */
static struct step *find_step_at(const struct builder *m, int64_t at)
{
    uint32_t low = 0, high = m->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->steps[middle].a <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low && at < m->steps[low - 1].b ? &m->steps[low - 1] : NULL;
}

/* Adds a device operation to a step. The caller must add operations in order of start. */
static void add_operation(const struct builder *m, struct step *step, uint32_t device)
{
    const struct tp_event *event = tp_device_event(m->model, device);
    int64_t end = tp_event_end(event);
    uint32_t launch = m->model->devices.launch[device];
    int64_t *kind = &step->kind_ns[m->kinds->of_device[device]];
    if (!step->operations++) {
        step->first_ns = step->busy_until_ns = event->ts_ns;
        step->queued_ns = tp_sat_sub(event->ts_ns, tp_event_end(tp_launch_event(m->model, launch)));
        step->last_ns = end;
    }
    int64_t from = event->ts_ns > step->busy_until_ns ? event->ts_ns : step->busy_until_ns;
    step->busy_ns = tp_sat_add(step->busy_ns, end > from ? end - from : 0);
    step->busy_until_ns = end > step->busy_until_ns ? end : step->busy_until_ns;
    step->last_ns = step->busy_until_ns;
    *kind = tp_sat_add(*kind, event->dur_ns);
    if (!tp_is_graph_launched(m->model, device))
        return;
    step->graph_operations++;
    step->graphs += m->model->launches.first_device_operation[launch] == device;
}

/* Returns the step to whose work a device operation belongs; NULL without a step. */
static struct step *find_step_of_operation(const struct builder *m, uint32_t device)
{
    const struct tp_event *launch = tp_launch_of_device(m->model, device);
    bool is_work = m->model->devices.gpu[device] == m->model->main_gpu && m->kinds->of_device[device] != TP_WORK_WAIT;
    return launch && is_work ? find_step_at(m, launch->ts_ns) : NULL;
}

static void add_operations(struct builder *m)
{
    for (uint32_t k = 0; k < m->model->devices.count; k++) {
        struct step *step = find_step_of_operation(m, k);
        if (step)
            add_operation(m, step, k);
    }
}

/* Returns whether the products with known shapes read all weights of the model. Returns false for a step with experts,
 * because one operator represents all experts. */
static bool are_all_weights_read_in_step(const struct step *step)
{
    return 2 * step->graph_operations < step->operations && !step->kind_ns[TP_WORK_MOE] &&
           (double)step->product_kernel_ns >= 0.8 * (double)step->kind_ns[TP_WORK_GEMM];
}

/* Finds the bytes of weights that one pass of the model reads. This is the largest value of all steps whose products
 * read all weights. Steps that replay a graph have no shapes, so they are ignored. */
static void find_weight_bytes_of_pass(struct tp_serving_view *view, struct builder *m)
{
    const struct tp_model *model = m->model;
    const struct tp_peaks *peaks = model->main_gpu == TP_NO_ID ? NULL : m->units->peaks[model->main_gpu];
    int64_t most = 0;
    for (uint32_t i = 0; i < m->units->count; i++) {
        const struct tp_work_unit *unit = &m->units->items[i];
        const struct tp_event *launch = tp_launch_of_device(model, unit->main);
        struct step *step = launch ? find_step_at(m, launch->ts_ns) : NULL;
        if (!step || model->devices.gpu[unit->main] != model->main_gpu)
            continue;
        bool is_product = m->kinds->of_device[unit->main] == TP_WORK_GEMM;
        step->weight_bytes = tp_sat_add(step->weight_bytes, m->units->costs[unit->cost].weight_bytes);
        step->product_kernel_ns = tp_sat_add(step->product_kernel_ns, is_product ? unit->ns : 0);
    }
    for (uint32_t i = 0; i < m->count; i++)
        if (are_all_weights_read_in_step(&m->steps[i]) && m->steps[i].weight_bytes > most)
            most = m->steps[i].weight_bytes;
    view->weight_bytes = most ? most : TP_NULL_INT;
    if (most && peaks && peaks->memory_gb_s > 0)
        view->weight_read_ns = (int64_t)llround((double)most / peaks->memory_gb_s);
}

/* Adds idle time to the steps that contain it, if the device executed work from outside the recording during this
 * time. */
static void add_outside_time(void *context, enum tp_idle_reason reason, const struct tp_idle_slice *piece, int64_t ns)
{
    struct builder *m = context;
    if (reason != TP_IDLE_BY_EDGE && reason != TP_IDLE_BY_EARLIER_WORK && reason != TP_IDLE_BY_EARLIER_WORK_LAUNCH)
        return;
    int64_t a = piece->b - ns, b = piece->b;
    for (uint32_t i = 0; i < m->count; i++) {
        struct step *step = &m->steps[i];
        int64_t from = a > step->first_ns ? a : step->first_ns, to = b < step->last_ns ? b : step->last_ns;
        if (step->operations && to > from)
            step->outside_ns = tp_sat_add(step->outside_ns, to - from);
    }
}

/* ---- classes ---- */

static bool counts_requests(enum tp_serving_phase phase)
{
    return phase != TP_SERVING_PREFILL && phase != TP_SERVING_MIXED;
}

/* Returns the exponent of the smallest power of two that is not less than the size of the step. The size is the
 * number of requests or tokens. */
static unsigned step_size_class(const struct step *step)
{
    int64_t number = step->mark.numbers[counts_requests(step->mark.phase) ? TP_SERVING_REQUESTS : TP_SERVING_TOKENS];
    unsigned exponent = 0;
    while (number > (INT64_C(1) << exponent) && exponent + 1 < TP_SERVING_SIZES)
        exponent++;
    return exponent;
}

/* Returns the number of a step's class, in order of phase, then size. */
static unsigned class_number(const struct step *step)
{
    return step->mark.phase * TP_SERVING_SIZES + step_size_class(step);
}

static struct tp_str class_name(struct tp_arena *arena, enum tp_serving_phase phase, unsigned exponent)
{
    return tp_str_of(tp_text_printf(arena, "%s.%s%d", tp_serving_phase_text(phase),
                                    counts_requests(phase) ? "bs" : "tok", 1 << exponent));
}

static int64_t step_time_ns(const struct step *step)
{
    return step->operations ? tp_sat_sub(tp_sat_sub(step->last_ns, step->first_ns), step->outside_ns) : TP_NULL_INT;
}

/* Returns the number of tokens that a step adds to the rate of its phase; TP_NULL_INT if unknown. */
static int64_t step_token_count(const struct step *step)
{
    if (step->mark.phase == TP_SERVING_DECODE)
        return step->mark.numbers[TP_SERVING_DECODE_TOKENS];
    return counts_requests(step->mark.phase) ? TP_NULL_INT : step->mark.numbers[TP_SERVING_TOKENS];
}

static int64_t gap_after_step_ns(const struct builder *m, uint32_t i)
{
    return i + 1 < m->count ? tp_sat_sub(m->steps[i + 1].a, m->steps[i].b) : TP_NULL_INT;
}

static double rate_per_second(double tokens, double ns)
{
    return ns > 0 ? tokens / ns * 1e9 : NAN;
}

static double percent_or_nan(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

/* Returns the quantile `part` (0 to 1) of sorted values; TP_NULL_INT without values. */
static int64_t quantile(const int64_t *sorted, size_t count, double part)
{
    size_t at = (size_t)(part * (double)count);
    return count ? sorted[at < count ? at : count - 1] : TP_NULL_INT;
}

struct class_sums {
    struct tp_vec times, gaps; /* durations of the steps, and gaps between the steps, ns; elements: int64_t */
    double ns, busy_ns, tokens, token_ns, operations, graph_operations;
    int64_t kind_ns[TP_WORK_COUNT];
};

static void add_to_class(const struct builder *m, struct class_sums *sums, uint32_t i)
{
    const struct step *step = &m->steps[i];
    int64_t tokens = step_token_count(step);
    *(int64_t *)tp_vec_push(&sums->times) = step_time_ns(step);
    if (gap_after_step_ns(m, i) != TP_NULL_INT)
        *(int64_t *)tp_vec_push(&sums->gaps) = gap_after_step_ns(m, i);
    sums->ns += (double)step_time_ns(step);
    sums->busy_ns += (double)step->busy_ns;
    sums->tokens += tokens == TP_NULL_INT ? 0 : (double)tokens;
    sums->token_ns += tokens == TP_NULL_INT ? 0 : (double)step_time_ns(step);
    sums->operations += (double)step->operations;
    sums->graph_operations += (double)step->graph_operations;
    for (unsigned k = 0; k < TP_WORK_COUNT; k++)
        sums->kind_ns[k] = tp_sat_add(sums->kind_ns[k], step->kind_ns[k]);
}

/* Returns the kinds of work with most kernel time as text, four at most: "gemm 85.3 %, norm 5.3 %, attention 4.3 %". */
static struct tp_str make_kinds_text(const int64_t *kind_ns, struct tp_arena *arena)
{
    enum { SHOWN = 4 };
    const char *text = "";
    bool is_said[TP_WORK_COUNT] = {false};
    double all = 0;
    for (unsigned k = 0; k < TP_WORK_COUNT; k++)
        all += (double)kind_ns[k];
    for (unsigned n = 0; n < SHOWN; n++) {
        unsigned most = TP_WORK_COUNT;
        for (unsigned k = 0; k < TP_WORK_COUNT; k++)
            if (!is_said[k] && kind_ns[k] && (most == TP_WORK_COUNT || kind_ns[k] > kind_ns[most]))
                most = k;
        if (most == TP_WORK_COUNT)
            break;
        is_said[most] = true;
        text = tp_text_printf(arena, "%s%s%s %s", text, n ? ", " : "", tp_work_text(most),
                              tp_text_of_percent(arena, percent_or_nan((double)kind_ns[most], all)));
    }
    return tp_str_of(text);
}

static void fill_class(struct tp_serving_view *view, size_t row, struct class_sums *sums, unsigned phase,
                       unsigned exponent, struct tp_arena *arena)
{
    struct tp_table *table = &view->classes;
    int64_t *times = sums->times.data, *gaps = sums->gaps.data;
    tp_sort_integers(times, sums->times.count);
    if (sums->gaps.count)
        tp_sort_integers(gaps, sums->gaps.count);
    view->p50_ns[phase][exponent] = quantile(times, sums->times.count, 0.5);
    view->p90_ns[phase][exponent] = quantile(times, sums->times.count, 0.9);
    tp_table_text(table, TP_SERVING_CLASS_NAME)[row] = class_name(arena, phase, exponent);
    tp_table_int(table, TP_SERVING_CLASS_STEPS)[row] = (int64_t)sums->times.count;
    tp_table_int(table, TP_SERVING_CLASS_P50)[row] = view->p50_ns[phase][exponent];
    tp_table_int(table, TP_SERVING_CLASS_P90)[row] = view->p90_ns[phase][exponent];
    tp_table_real(table, TP_SERVING_CLASS_BUSY)[row] = percent_or_nan(sums->busy_ns, sums->ns);
    tp_table_int(table, TP_SERVING_CLASS_GAP)[row] = quantile(gaps, sums->gaps.count, 0.5);
    tp_table_real(table, TP_SERVING_CLASS_GRAPHS)[row] = percent_or_nan(sums->graph_operations, sums->operations);
    tp_table_real(table, TP_SERVING_CLASS_RATE)[row] = rate_per_second(sums->tokens, sums->token_ns);
    /* false if the steps are shorter than the time to read all weights: either the steps do not read all weights, or
     * the peak is wrong */
    bool is_bound = view->weight_read_ns != TP_NULL_INT && view->weight_read_ns <= view->p50_ns[phase][exponent];
    view->has_shorter_steps |= view->weight_read_ns != TP_NULL_INT && !is_bound;
    tp_table_int(table, TP_SERVING_CLASS_BOUND)[row] = is_bound ? view->weight_read_ns : TP_NULL_INT;
    tp_table_real(table, TP_SERVING_CLASS_OF_BOUND)[row] =
        is_bound ? percent_or_nan((double)view->weight_read_ns, (double)view->p50_ns[phase][exponent]) : NAN;
    tp_table_text(table, TP_SERVING_CLASS_KINDS)[row] = make_kinds_text(sums->kind_ns, arena);
}

static void make_classes(struct tp_serving_view *view, const struct builder *m)
{
    struct class_sums *sums = tp_arena_array(m->arena, (size_t)TP_SERVING_PHASES * TP_SERVING_SIZES, sizeof *sums);
    size_t rows = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        const struct step *step = &m->steps[i];
        struct class_sums *class = &sums[class_number(step)];
        if (!step->operations)
            continue;
        if (!class->times.arena) {
            class->times = class->gaps = TP_VEC(m->arena, int64_t);
            rows++;
        }
        add_to_class(m, class, i);
    }
    tp_table_init(&view->classes, m->arena, "serving_classes", class_defs, TP_SERVING_CLASS_COLUMNS, rows);
    view->classes.title = "Classes of steps";
    rows = 0;
    for (unsigned phase = 0; phase < TP_SERVING_PHASES; phase++) {
        double tokens = 0, ns = 0;
        for (unsigned exponent = 0; exponent < TP_SERVING_SIZES; exponent++) {
            struct class_sums *class = &sums[phase * TP_SERVING_SIZES + exponent];
            if (!class->times.arena)
                continue;
            fill_class(view, rows++, class, phase, exponent, m->arena);
            tokens += class->tokens;
            ns += class->token_ns;
        }
        view->tokens_per_s[phase] = rate_per_second(tokens, ns);
    }
}

/* ---- operators of the classes ---- */

/* Fills the table of operators, if the steps have kernels of graphs whose captured calls are known. */
static void make_operators(struct tp_serving_view *view, const struct builder *m)
{
    struct tp_serving_operators operators;
    if (!m->model->joined || !m->model->joined->row_count)
        return;
    struct tp_serving_operator_class *classes =
        tp_arena_array(m->arena, (size_t)TP_SERVING_PHASES * TP_SERVING_SIZES, sizeof *classes);
    tp_serving_operators_init(&operators, m->model, m->arena);
    for (uint32_t i = 0; i < m->count; i++) {
        struct tp_serving_operator_class *class = &classes[class_number(&m->steps[i])];
        class->step_count += m->steps[i].operations > 0;
        class->name = class_name(m->arena, m->steps[i].mark.phase, step_size_class(&m->steps[i]));
    }
    for (uint32_t k = 0; k < m->model->devices.count; k++) {
        const struct step *step = find_step_of_operation(m, k);
        if (step)
            tp_serving_operators_add(&operators, class_number(step), k);
    }
    view->has_operators = operators.has_captured;
    if (view->has_operators)
        tp_serving_operators_fill(&view->operators, &operators, classes);
}

/* ---- tables ---- */

static void fill_step(struct tp_table *table, const struct builder *m, uint32_t i)
{
    const struct step *step = &m->steps[i];
    int64_t tokens = step_token_count(step), ns = step_time_ns(step);
    bool has_work = step->operations > 0;
    tp_table_text(table, TP_SERVED_NAME)[i] =
        tp_trace_event_name(m->model->trace, &m->model->trace->events[step->event]);
    tp_table_text(table, TP_SERVED_PHASE)[i] = tp_str_of(tp_serving_phase_text(step->mark.phase));
    tp_table_text(table, TP_SERVED_CLASS)[i] = class_name(m->arena, step->mark.phase, step_size_class(step));
    for (unsigned n = 0; n < TP_SERVING_NUMBERS; n++)
        tp_table_int(table, TP_SERVED_REQUESTS + n)[i] = step->mark.numbers[n];
    const struct {
        unsigned column;
        int64_t value;
        bool is_of_work;
    } cells[] = {{TP_SERVED_START, tp_sat_sub(step->a, m->model->first_ns), false},
                 {TP_SERVED_HOST, tp_sat_sub(step->b, step->a), false},
                 {TP_SERVED_SPAN, tp_sat_sub(step->last_ns, step->first_ns), true},
                 {TP_SERVED_TIME, ns, true},
                 {TP_SERVED_BUSY, step->busy_ns, true},
                 {TP_SERVED_OUTSIDE, step->outside_ns, true},
                 {TP_SERVED_QUEUED, step->queued_ns, true},
                 {TP_SERVED_GAP, gap_after_step_ns(m, i), false},
                 {TP_SERVED_OPERATIONS, step->operations, false},
                 {TP_SERVED_GRAPHS, step->graphs, false},
                 {TP_SERVED_GRAPH_OPERATIONS, step->graph_operations, false}};
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++)
        tp_table_int(table, cells[c].column)[i] = cells[c].is_of_work && !has_work ? TP_NULL_INT : cells[c].value;
    tp_table_real(table, TP_SERVED_RATE)[i] =
        has_work && tokens != TP_NULL_INT ? rate_per_second((double)tokens, (double)ns) : NAN;
}

void tp_serving_init_empty(struct tp_serving_view *view)
{
    *view = (struct tp_serving_view){.weight_bytes = TP_NULL_INT, .weight_read_ns = TP_NULL_INT};
    for (unsigned phase = 0; phase < TP_SERVING_PHASES; phase++) {
        view->tokens_per_s[phase] = NAN;
        for (unsigned i = 0; i < TP_SERVING_SIZES; i++)
            view->p50_ns[phase][i] = view->p90_ns[phase][i] = TP_NULL_INT;
    }
}

void tp_serving_build(struct tp_serving_view *view, const struct tp_work_kinds *kinds,
                      const struct tp_work_units *units, struct tp_arena *arena)
{
    const struct tp_model *model = kinds->model;
    struct builder m = {.kinds = kinds, .units = units, .model = model, .arena = arena};
    struct tp_idle_reasons unused;
    tp_serving_init_empty(view);
    make_steps(&m);
    if (!m.count)
        return;
    view->is_present = true;
    add_operations(&m);
    find_weight_bytes_of_pass(view, &m);
    if (model->main_gpu != TP_NO_ID)
        tp_idle_reasons_find(&unused, model, &model->gpus[model->main_gpu], arena, add_outside_time, &m);
    tp_table_init(&view->steps, arena, "serving_steps", step_defs, TP_SERVED_COLUMNS, m.count);
    view->steps.title = "Steps";
    for (uint32_t i = 0; i < m.count; i++)
        fill_step(&view->steps, &m, i);
    make_classes(view, &m);
    make_operators(view, &m);
}

#define F struct tp_serving_view
static const struct tp_json_field fields[] = {
    {"steps", TP_PLAIN(F, steps), TP_DEFINITION("steps in order of time")},
    {"classes", TP_PLAIN(F, classes),
     TP_DEFINITION("times of the steps with the same phase (such as prefill or decode) and a similar number of tokens "
                   "or requests")},
    {"operators", TP_PLAIN(F, operators), TP_ONLY_IF(F, has_operators),
     TP_DEFINITION("operators of each class of steps that take the most device time, ten at most; only if the steps "
                   "replay graphs whose captured calls are known")},
    {"weight_bytes", TP_PLAIN(F, weight_bytes),
     TP_DEFINITION("bytes of weights that one pass of the model reads; null: unknown")},
};
#undef F

const struct tp_fields tp_serving_fields = TP_FIELDS("Steps of a serving engine", fields);
