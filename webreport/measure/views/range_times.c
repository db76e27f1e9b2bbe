/* Implements range_times.h: finds the device operations of each range (docs/definitions.md, section 34).
 *
 * One pass over the host events of each thread finds the stretches of time in which each row has an open range, and the
 * calls that launch work, with the innermost annotation around them. Then each row visits the launches within its
 * stretches, and the backward launches whose forward operator is within them. Times of nested rows overlap, so the work
 * is proportional to the pairs of a row and an operation; MOST_PAIRS limits these pairs. */
#include "webreport/measure/views/range_times.h"

#include "webreport/measure/views/captured_modules.h"
#include "webreport/model/capture/graph_annotations.h"
#include "webreport/model/numbers.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* A stretch of time of one thread in which a row always has an open range. It contains the events that come after
 * `first` in the order of the host tree and start before `end_ns`. */
struct stretch {
    int64_t end_ns;
    uint32_t row, first; /* first: index in order->host of the first range */
    uint32_t work;       /* first work that comes after `first`, index in `works` */
};

/* A call that launched device operations. A large trace has many calls, so other data is found through them. */
struct work {
    uint32_t at;             /* index of the call in order->host */
    uint32_t first;          /* first device operation of the call, index in devices */
    uint32_t inner;          /* row of the innermost annotation around the call, without steps; TP_NO_ID: none */
    uint32_t target;         /* forward operator of the call, index in `targets`; TP_NO_ID: the call is not backward */
    unsigned is_in_step : 1; /* 1: an analysed step made the call */
    unsigned counted : 31;   /* 1 + last row that counted the operations */
};

/* A forward operator of backward work: its index in order->host, and the row of the innermost annotation around it. */
struct target {
    uint32_t at, inner;
};

/* A range or backward operator that is open on the current thread. value: row or index in `targets`. */
struct open {
    int64_t end_ns;
    uint32_t value;
};

struct builder {
    const struct tp_model *model;
    struct tp_arena *arena;
    uint32_t *row_of_label[2]; /* for annotations and modules: 1 + row of each label id; 0: no row */
    struct tp_vec rows;        /* elements: struct tp_range_row */
    struct tp_vec stretches;   /* elements: struct stretch */
    struct work *works;        /* thread by thread, by start */
    uint32_t work_count, work_capacity;
    uint32_t *first_work;          /* for each thread: index of its first work; thread_count + 1 entries */
    struct tp_event_map target_of; /* for each forward operator of backward work: index in `targets` */
    struct target *targets;
    struct tp_vec annotations, backwards; /* open ranges and operators of the current thread; elements: struct open */
    struct tp_vec open_ranges[2];         /* open annotations, also steps, and open modules; elements: struct open */
    uint32_t *by_target;                  /* backward works, sorted by the place of their forward operator */
    size_t backward_count, backward_capacity;
    /* operations of captured calls, and annotated operations of graphs: key: row, item: index in devices; sorted by row
     */
    struct tp_keyed *captured, *annotated;
    size_t captured_count, annotated_count;
    /* operations of the current row: a bit for each device operation; bits outside of [busy_from, busy_end) are 0 */
    uint64_t *busy_bits;
    uint32_t busy_from, busy_end;
    uint64_t pairs;   /* number of visited pairs of a row and an operation */
    uint32_t near;    /* step that the last search found, for tp_step_of_host_time_near */
    size_t window_at; /* interval of the window that the last search found, for tp_window_length_within */
};

static const uint64_t MOST_PAIRS = UINT64_C(1) << 28;

static struct tp_range_row *row_at(const struct builder *b, uint32_t row)
{
    return TP_AT(&b->rows, struct tp_range_row, row);
}

static struct work *work_at(const struct builder *b, uint32_t work)
{
    return &b->works[work];
}

static const struct tp_event *host_event(const struct builder *b, uint32_t at)
{
    return &b->model->trace->events[b->model->order->host[at]];
}

/* ---- rows ---- */

static uint32_t row_of_label(struct builder *b, unsigned kind, uint32_t label)
{
    uint32_t *known = &b->row_of_label[kind == TP_KIND_MODULE][label];
    if (!*known) {
        *(struct tp_range_row *)tp_vec_push(&b->rows) =
            (struct tp_range_row){.label = label, .kind = kind, .thread = TP_NO_ID};
        *known = (uint32_t)b->rows.count;
    }
    return *known - 1;
}

/* Returns the row of a range. All numbered steps of the profiler share the row of their label. */
static uint32_t row_of_range(struct builder *b, const struct tp_event *e)
{
    bool is_step = e->kind == TP_KIND_ANNOTATION && b->model->marks[e->name] & TP_MARK_PROFILER_STEP;
    uint32_t label = is_step ? tp_frames_label(&b->model->trace->frames, e->name) : e->name;
    uint32_t row = row_of_label(b, e->kind, label);
    row_at(b, row)->is_step |= is_step;
    return row;
}

/* Adds a range to its row. at: index of the range in order->host. */
static uint32_t add_range(struct builder *b, const struct tp_event *e, uint32_t at)
{
    uint32_t number = row_of_range(b, e);
    struct tp_range_row *row = row_at(b, number);
    bool is_new_thread = row->thread != e->thread;
    struct stretch *last = is_new_thread ? NULL : TP_AT(&b->stretches, struct stretch, row->stretch);
    int64_t end = tp_event_end(e);
    row->calls++;
    row->threads += is_new_thread;
    row->thread = e->thread;
    if (last && e->ts_ns < last->end_ns) { /* a range of the row is open */
        last->end_ns = end > last->end_ns ? end : last->end_ns;
        return number;
    }
    row->host_ns = tp_sat_add(row->host_ns, e->dur_ns);
    row->host_step_ns = tp_sat_add(row->host_step_ns, tp_window_length_within(b->model, &b->window_at, e->ts_ns, end));
    row->stretch = (uint32_t)b->stretches.count;
    *(struct stretch *)tp_vec_push(&b->stretches) = (struct stretch){end, number, at, b->work_count};
    return number;
}

/* ---- the events of a thread ---- */

/* Returns the value of the innermost item that is open at the time `at`, ns; TP_NO_ID if none is open. Removes the
 * items that have ended from the top of the stack. */
static uint32_t innermost_open(struct tp_vec *stack, int64_t at)
{
    while (stack->count && TP_AT(stack, struct open, stack->count - 1)->end_ns <= at)
        stack->count--;
    return stack->count ? TP_AT(stack, struct open, stack->count - 1)->value : TP_NO_ID;
}

static void push_open(struct tp_vec *stack, const struct tp_event *e, uint32_t value)
{
    innermost_open(stack, e->ts_ns);
    *(struct open *)tp_vec_push(stack) = (struct open){tp_event_end(e), value};
}

/* Adds the host time of a range to the self time of its row, and removes it from that of the range around it. */
static void add_host_self(struct builder *b, const struct tp_event *e, uint32_t row)
{
    struct tp_vec *stack = &b->open_ranges[e->kind == TP_KIND_MODULE];
    uint32_t around = innermost_open(stack, e->ts_ns);
    row_at(b, row)->host_self_ns = tp_sat_add(row_at(b, row)->host_self_ns, e->dur_ns);
    if (around != TP_NO_ID) {
        int64_t end = tp_ns_min(tp_event_end(e), TP_AT(stack, struct open, stack->count - 1)->end_ns);
        row_at(b, around)->host_self_ns = tp_sat_sub(row_at(b, around)->host_self_ns, tp_sat_sub(end, e->ts_ns));
    }
    push_open(stack, e, row);
}

/* Notes that an operator is the forward operator of backward work, or that it is a backward operator itself. */
static void add_operator(struct builder *b, uint32_t event, uint32_t at)
{
    const struct tp_event *e = &b->model->trace->events[event];
    uint32_t target = tp_event_map_get(&b->target_of, event), forward = tp_event_map_get(&b->model->forward, event);
    if (target != TP_NO_ID)
        b->targets[target] = (struct target){at, innermost_open(&b->annotations, e->ts_ns)};
    if (forward != TP_NO_ID)
        push_open(&b->backwards, e, tp_event_map_get(&b->target_of, forward));
}

static void add_launch(struct builder *b, uint32_t launch, const struct tp_event *e, uint32_t at)
{
    uint32_t first = b->model->launches.first_device_operation[launch];
    if (first == TP_NO_ID)
        return;
    b->works[b->work_count++] = (struct work){
        .first = first,
        .at = at,
        .inner = innermost_open(&b->annotations, e->ts_ns),
        .target = innermost_open(&b->backwards, e->ts_ns),
        .is_in_step = tp_is_in_used_step(b->model, tp_step_of_host_time_near(b->model, e->ts_ns, &b->near))};
}

static void add_thread(struct builder *b, uint32_t thread)
{
    const struct tp_order *order = b->model->order;
    uint32_t launch = b->model->launches.thread_first[thread];
    b->annotations.count = b->backwards.count = b->open_ranges[0].count = b->open_ranges[1].count = 0;
    b->window_at = b->near = 0;
    b->first_work[thread] = b->work_count;
    for (uint32_t at = order->thread_first[thread]; at < order->thread_first[thread + 1]; at++) {
        const struct tp_event *e = host_event(b, at);
        if (e->kind == TP_KIND_ANNOTATION || e->kind == TP_KIND_MODULE) {
            uint32_t row = add_range(b, e, at);
            add_host_self(b, e, row);
            if (e->kind == TP_KIND_ANNOTATION && !(b->model->marks[e->name] & TP_MARK_STEP))
                push_open(&b->annotations, e, row);
        } else if (e->kind == TP_KIND_RUNTIME) {
            add_launch(b, launch++, e, at);
        } else if (e->kind == TP_KIND_OPERATOR && b->target_of.count) {
            add_operator(b, order->host[at], at);
        }
    }
}

/* Numbers the forward operators of backward work. */
static void number_targets(struct builder *b)
{
    uint32_t count = b->model->trace->event_count, target_count = 0;
    if (!b->model->forward.count)
        return;
    uint32_t *numbers = tp_arena_array(b->arena, count, sizeof *numbers);
    memset(numbers, 0xFF, count * sizeof *numbers);
    for (uint32_t i = 0; i < b->model->forward.count; i++)
        if (numbers[b->model->forward.values[i]] == TP_NO_ID)
            numbers[b->model->forward.values[i]] = target_count++;
    tp_event_map_build(&b->target_of, numbers, count, b->arena);
    tp_arena_free_item(b->arena, numbers, count * sizeof *numbers);
    b->targets = tp_arena_array(b->arena, target_count, sizeof *b->targets);
}

static void find_ranges_and_works(struct builder *b)
{
    const struct tp_trace *trace = b->model->trace;
    size_t labels = (size_t)trace->frames.name_count + trace->frames.extra.count;
    b->first_work = tp_arena_array(b->arena, (size_t)trace->thread_count + 1, sizeof *b->first_work);
    for (int is_module = 0; is_module < 2; is_module++)
        b->row_of_label[is_module] = tp_arena_array(b->arena, labels, sizeof *b->row_of_label[is_module]);
    for (uint32_t i = 0; i < b->model->launches.count; i++)
        b->work_capacity += b->model->launches.first_device_operation[i] != TP_NO_ID;
    b->works = tp_arena_array(b->arena, b->work_capacity, sizeof *b->works);
    number_targets(b);
    for (uint32_t thread = 0; thread < trace->thread_count; thread++)
        add_thread(b, thread);
    b->first_work[trace->thread_count] = b->work_count;
}

/* Assigns the operations of graph launches to the rows of the modules around their captured calls. */
static void find_captured(struct builder *b)
{
    struct tp_vec found = tp_captured_modules_find(b->model, b->arena);
    b->captured = tp_arena_array(b->arena, found.count, sizeof *b->captured);
    b->captured_count = found.count;
    for (size_t i = 0; i < found.count; i++) {
        const struct tp_captured_module *module = TP_AT(&found, struct tp_captured_module, i);
        uint32_t row = row_of_label(b, TP_KIND_MODULE, module->name);
        b->captured[i] = (struct tp_keyed){row, (uint32_t)i, module->device};
    }
    tp_sort_keyed(b->captured, b->captured_count, b->arena);
}

/* Assigns the annotated operations of graphs to the rows of their annotations. */
static void find_annotated(struct builder *b)
{
    struct tp_vec found = TP_VEC(b->arena, struct tp_keyed), row_of = TP_VEC(b->arena, uint32_t);
    struct tp_strings labels;
    tp_strings_init(&labels, b->arena, 0);
    for (uint32_t k = 0; b->model->trace->capture.argument_count && k < b->model->devices.count; k++) {
        struct tp_str text = tp_graph_annotation(b->model, k, b->arena);
        uint32_t label = text.ptr ? tp_strings_add(&labels, text) : TP_NO_ID;
        if (label == row_of.count) {
            *(uint32_t *)tp_vec_push(&row_of) = (uint32_t)b->rows.count;
            *(struct tp_range_row *)tp_vec_push(&b->rows) = (struct tp_range_row){
                .label = TP_NO_ID, .text = text, .kind = TP_KIND_GPU_ANNOTATION, .thread = TP_NO_ID};
        }
        if (label != TP_NO_ID)
            *(struct tp_keyed *)tp_vec_push(&found) = (struct tp_keyed){*TP_AT(&row_of, uint32_t, label), k, k};
    }
    b->annotated = found.data;
    b->annotated_count = found.count;
    tp_sort_keyed(b->annotated, b->annotated_count, b->arena);
}

/* Sorts the stretches by row. The stretches of a row stay in the order of order->host. */
static void sort_stretches(struct builder *b)
{
    uint32_t count = (uint32_t)b->stretches.count, at = 0;
    struct stretch *sorted = tp_arena_array(b->arena, count, sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        row_at(b, TP_AT(&b->stretches, struct stretch, i)->row)->end++;
    for (uint32_t i = 0; i < b->rows.count; i++) {
        struct tp_range_row *row = row_at(b, i);
        uint32_t size = row->end;
        row->first = row->end = at;
        at += size;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct stretch *stretch = TP_AT(&b->stretches, struct stretch, i);
        sorted[row_at(b, stretch->row)->end++] = *stretch;
    }
    tp_arena_free_item(b->arena, b->stretches.data, b->stretches.capacity * sizeof *sorted);
    b->stretches.data = sorted;
    b->stretches.capacity = count;
}

/* ---- device time ---- */

static int64_t time_of_call(const struct builder *b, const struct work *work)
{
    return host_event(b, work->at)->ts_ns;
}

static int64_t time_of_work(const struct builder *b, const struct work *work)
{
    int64_t sum = 0;
    for (uint32_t k = work->first; k != TP_NO_ID; k = b->model->devices.next_in_launch[k])
        sum = tp_sat_add(sum, tp_device_event(b->model, k)->dur_ns);
    return sum;
}

static void mark_busy(struct builder *b, uint32_t device)
{
    b->busy_bits[device / 64] |= UINT64_C(1) << device % 64;
    b->busy_from = device < b->busy_from ? device : b->busy_from;
    b->busy_end = device >= b->busy_end ? device + 1 : b->busy_end;
}

/* Returns the length of the union of the marked operations, ns, and clears the marks. Operations are sorted by start.
 */
static int64_t take_busy_time(struct builder *b)
{
    int64_t sum = 0, end = INT64_MIN;
    for (uint32_t word = b->busy_from / 64; b->busy_from < b->busy_end && word <= (b->busy_end - 1) / 64; word++) {
        for (uint64_t bits = b->busy_bits[word]; bits; bits &= bits - 1) {
            const struct tp_event *e = tp_device_event(b->model, word * 64 + (uint32_t)__builtin_ctzll(bits));
            int64_t from = e->ts_ns > end ? e->ts_ns : end;
            if (tp_event_end(e) > from) {
                sum = tp_sat_add(sum, tp_event_end(e) - from);
                end = tp_event_end(e);
            }
        }
        b->busy_bits[word] = 0;
    }
    b->busy_from = UINT32_MAX;
    b->busy_end = 0;
    return sum;
}

/* Adds the operations of a call to a row, once for each row. sum: forward or backward time of the row, ns. */
static void add_work(struct builder *b, uint32_t number, struct work *work, int64_t *sum)
{
    struct tp_range_row *row = row_at(b, number);
    int64_t ns = 0;
    if (work->counted == number + 1)
        return;
    work->counted = (number + 1) & INT32_MAX;
    b->pairs--; /* the caller counts the first operation */
    for (uint32_t k = work->first; k != TP_NO_ID; k = b->model->devices.next_in_launch[k]) {
        mark_busy(b, k);
        ns = tp_sat_add(ns, tp_device_event(b->model, k)->dur_ns);
        row->operations++;
        b->pairs++;
    }
    *sum = tp_sat_add(*sum, ns);
    row->device_step_ns = tp_sat_add(row->device_step_ns, work->is_in_step ? ns : 0);
}

/* Returns the place in order->host of the forward operator of a backward work. k: index in by_target. */
static uint32_t place_of_forward(const struct builder *b, size_t k)
{
    return b->targets[work_at(b, b->by_target[k])->target].at;
}

/* Returns the first backward work, from index `from` on, whose forward operator comes after the index `at` of
 * order->host. Near results are found in few steps. */
static size_t first_backward_after(const struct builder *b, size_t from, uint32_t at)
{
    size_t low = from, high = from, step = 1;
    while (high < b->backward_count && place_of_forward(b, high) <= at) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    high = high < b->backward_count ? high : b->backward_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = place_of_forward(b, middle) <= at;
        *(is_before ? &low : &high) = is_before ? middle + 1 : middle;
    }
    return low;
}

static void add_works_of_row(struct builder *b, uint32_t number)
{
    struct tp_range_row *row = row_at(b, number);
    const uint32_t *thread_first = b->model->order->thread_first;
    size_t k = 0;
    for (uint32_t i = row->first; i < row->end; i++) {
        const struct stretch *stretch = TP_AT(&b->stretches, struct stretch, i);
        uint32_t thread = host_event(b, stretch->first)->thread;
        for (uint32_t work = stretch->work; work < b->first_work[thread + 1]; work++, b->pairs++) {
            if (time_of_call(b, work_at(b, work)) >= stretch->end_ns)
                break;
            add_work(b, number, work_at(b, work), &row->forward_ns);
        }
    }
    for (uint32_t i = row->first; i < row->end && k < b->backward_count; i++) {
        const struct stretch *stretch = TP_AT(&b->stretches, struct stretch, i);
        uint32_t thread_end = thread_first[host_event(b, stretch->first)->thread + 1];
        for (k = first_backward_after(b, k, stretch->first); k < b->backward_count; k++, b->pairs++) {
            uint32_t at = place_of_forward(b, k);
            if (at >= thread_end || host_event(b, at)->ts_ns >= stretch->end_ns)
                break;
            add_work(b, number, work_at(b, b->by_target[k]), &row->backward_ns);
        }
    }
}

static int compare_targets(const void *context, uint32_t x, uint32_t y)
{
    const struct builder *b = context;
    uint32_t at_x = b->targets[work_at(b, x)->target].at, at_y = b->targets[work_at(b, y)->target].at;
    return at_x != at_y ? (at_x > at_y ? 1 : -1) : (x > y) - (x < y);
}

static void sort_backward_works(struct builder *b)
{
    for (uint32_t i = 0; i < b->work_count; i++)
        b->backward_capacity += work_at(b, i)->target != TP_NO_ID;
    b->by_target = tp_arena_array(b->arena, b->backward_capacity, sizeof *b->by_target);
    for (uint32_t i = 0; i < b->work_count; i++)
        if (work_at(b, i)->target != TP_NO_ID)
            b->by_target[b->backward_count++] = i;
    tp_sort_rows(b->by_target, b->backward_count, compare_targets, b, b->arena);
}

/* Adds operations of graphs to a row. items: sorted by row; next: first item of this row or of a later one. Returns the
 * first item of a later row. */
static size_t add_graph_work(struct builder *b, uint32_t number, const struct tp_keyed *items, size_t count,
                             size_t next)
{
    struct tp_range_row *row = row_at(b, number);
    for (; next < count && items[next].key == number; next++) {
        uint32_t step = tp_step_of_device_near(b->model, items[next].item, &b->near);
        int64_t ns = tp_device_event(b->model, items[next].item)->dur_ns;
        mark_busy(b, items[next].item);
        row->operations++;
        row->captured_ns = tp_sat_add(row->captured_ns, items == b->captured ? ns : 0);
        row->forward_ns = tp_sat_add(row->forward_ns, ns);
        row->device_step_ns = tp_sat_add(row->device_step_ns, tp_is_in_used_step(b->model, step) ? ns : 0);
    }
    return next;
}

static void find_device_times(struct builder *b)
{
    size_t captured = 0, annotated = 0;
    b->near = 0;
    sort_backward_works(b);
    b->busy_bits = tp_arena_array(b->arena, b->model->devices.count / 64 + 1, sizeof *b->busy_bits);
    b->busy_from = UINT32_MAX;
    for (uint32_t i = 0; i < b->rows.count; i++) {
        struct tp_range_row *row = row_at(b, i);
        if (b->pairs > MOST_PAIRS) {
            row->forward_ns = row->backward_ns = row->busy_ns = row->operations = row->device_step_ns = TP_NULL_INT;
            continue;
        }
        add_works_of_row(b, i);
        captured = add_graph_work(b, i, b->captured, b->captured_count, captured);
        annotated = add_graph_work(b, i, b->annotated, b->annotated_count, annotated);
        row->busy_ns = take_busy_time(b);
    }
}

/* ---- self time ---- */

/* Returns true if a range of the row is around the call. */
static bool is_around_work(const struct builder *b, uint32_t number, const struct work *work)
{
    const struct tp_range_row *row = row_at(b, number);
    uint32_t low = row->first, high = row->end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        bool is_before = TP_AT(&b->stretches, struct stretch, middle)->first < work->at;
        *(is_before ? &low : &high) = is_before ? middle + 1 : middle;
    }
    const struct stretch *last = low > row->first ? TP_AT(&b->stretches, struct stretch, low - 1) : NULL;
    return last && host_event(b, last->first)->thread == host_event(b, work->at)->thread &&
           time_of_call(b, work) < last->end_ns;
}

/* Adds the operations of each call to the self time of one row: of the innermost annotation around its forward operator
 * if this annotation is not around the call, otherwise of the innermost annotation around the call. Returns the time of
 * the operations that belong to no row, ns. */
static int64_t find_self_times(struct builder *b)
{
    int64_t outside = b->model->devices.time_ns;
    for (uint32_t i = 0; i < b->work_count; i++) {
        const struct work *work = work_at(b, i);
        uint32_t inner = work->inner, of_forward = work->target == TP_NO_ID ? TP_NO_ID : b->targets[work->target].inner;
        if (of_forward != TP_NO_ID && (inner == TP_NO_ID || !is_around_work(b, of_forward, work)))
            inner = of_forward;
        if (inner == TP_NO_ID)
            continue;
        int64_t ns = time_of_work(b, work);
        row_at(b, inner)->self_ns = tp_sat_add(row_at(b, inner)->self_ns, ns);
        outside = tp_sat_sub(outside, ns);
    }
    return outside;
}

/* Gives the memory of the search back to the arena. */
static void release(struct builder *b)
{
    tp_arena_free_item(b->arena, b->stretches.data, b->stretches.capacity * sizeof(struct stretch));
    tp_arena_free_item(b->arena, b->by_target, b->backward_capacity * sizeof *b->by_target);
    tp_arena_free_item(b->arena, b->works, b->work_capacity * sizeof *b->works);
    tp_arena_free_item(b->arena, b->targets, b->target_of.count * sizeof *b->targets);
    tp_event_map_release(&b->target_of, b->arena);
}

void tp_range_times_build(struct tp_range_times *view, const struct tp_model *model, struct tp_arena *arena)
{
    struct builder b = {.model = model,
                        .arena = arena,
                        .rows = TP_VEC(arena, struct tp_range_row),
                        .stretches = TP_VEC(arena, struct stretch),
                        .annotations = TP_VEC(arena, struct open),
                        .backwards = TP_VEC(arena, struct open),
                        .open_ranges = {TP_VEC(arena, struct open), TP_VEC(arena, struct open)}};
    *view = (struct tp_range_times){.outside_ns = model->devices.time_ns};
    if (model->kind_count[TP_KIND_ANNOTATION] || model->kind_count[TP_KIND_MODULE] || model->joined ||
        model->trace->capture.argument_count) {
        find_ranges_and_works(&b);
        find_captured(&b);
        find_annotated(&b);
        sort_stretches(&b);
        find_device_times(&b);
        view->outside_ns = find_self_times(&b);
        release(&b);
    }
    view->has_device_time = tp_range_table_fill(&view->table, b.rows.data, b.rows.count, model, arena);
}
