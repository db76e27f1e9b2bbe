/* Finds the cause of slow data loading: reading, transforming samples, or assembling batches. The Python frames in the
 * loading time show the cause. Without recorded stacks the cause is unknown. */
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/model/operator_shapes.h"

/* LEAST_PYTHON: the time of making tensors is ignored if other Python code takes less than 1 / LEAST_PYTHON of the
 * time */
enum { SMALL_NS = 20000, LEAST_PYTHON = 5 };

/* a tensor that the program makes from Python numbers while it assembles a batch. is_shaped: the tensor has two
 * dimensions or more; sizes: its first two sizes. */
struct made_tensor {
    struct tp_interval time;
    bool is_shaped;
    int64_t sizes[2];
};

/* the time of each part of data loading on one thread */
struct parts {
    const struct tp_model *model;
    uint32_t fetch; /* index of the event of the last fetch; TP_NO_ID: no fetch yet */
    /* elements: struct tp_interval. samples: time of transforming samples; batches: time of assembling batches; others:
     * time of waits and operators */
    struct tp_vec samples, batches, others;
    /* time of making tensors from existing data, which any way of assembling a batch needs; elements: struct
     * tp_interval */
    struct tp_vec making;
    struct tp_vec made;    /* tensors of the current batch that are made from numbers; elements: struct made_tensor */
    struct tp_vec derived; /* time of making tensors that code can compute from others; elements: struct tp_interval */
    bool has_tensor;       /* true if a tensor has been made for the current batch */
    bool reads_tensors;    /* true if a batch has read tensors as its inputs before it made a tensor */
    bool converts_tensors; /* true if a batch has made Python numbers of tensors before it made a tensor */
    struct tp_picks of_samples, of_batches;
};

static bool is_waiting_function(struct tp_str name)
{
    static const char *const begins[] = {
        "<built-in function sleep>",    "<built-in function open>",     "<built-in function read>",
        "<built-in function pread>",    "<built-in function stat>",     "<built-in method read of",
        "<built-in method readinto of", "<built-in method readline of", "<built-in method recv of",
        "<built-in method recv_into",   "<built-in method acquire of",  "<built-in function poll>",
        "<built-in method poll of",     "<built-in function select>",   NULL};
    return tp_str_starts_with_one_of(name, begins);
}

static bool is_tensor_making_function(struct tp_str name)
{
    static const char *const begins[] = {
        "<built-in method tensor of type", "<built-in method as_tensor of type", "<built-in method stack of type",
        "<built-in method cat of type",    "<built-in method from_numpy of",     "<built-in function array>",
        "<built-in method array of",       "<built-in function stack>",          NULL};
    return tp_str_starts_with_one_of(name, begins);
}

/* Returns whether a function shows that the samples are tensors or arrays. */
static bool is_tensor_reading_function(struct tp_str name)
{
    static const char *const begins[] = {"<built-in method numpy of Tensor", NULL};
    return tp_str_starts_with_one_of(name, begins);
}

/* Returns whether a function makes Python numbers of a tensor or an array. */
static bool is_number_making_function(struct tp_str name)
{
    static const char *const begins[] = {"<built-in method tolist of Tensor", "<built-in method item of Tensor",
                                         "<built-in method tolist of numpy.", "<built-in method item of numpy.", NULL};
    return tp_str_starts_with_one_of(name, begins);
}

/* Returns the shorter time of two tensors of a batch with the same first two sizes. Such a tensor is often a mask of
 * the other one, which code can compute from the lengths of the samples. Later comparisons use the longer time. */
static struct tp_interval take_shorter(struct made_tensor *one, struct made_tensor *other)
{
    if (other->time.b - other->time.a > one->time.b - one->time.a) {
        struct tp_interval shorter = one->time;
        one->time = other->time;
        return shorter;
    }
    return other->time;
}

/* Ends a batch: adds the times of tensors that code can compute from others to `derived`. */
static void end_batch(struct parts *p)
{
    enum { MOST_TENSORS = 32 };
    for (size_t i = 0; i < p->made.count && i < MOST_TENSORS; i++) {
        struct made_tensor *one = TP_AT(&p->made, struct made_tensor, i);
        for (size_t k = i + 1; k < p->made.count && k < MOST_TENSORS && one->is_shaped; k++) {
            struct made_tensor *other = TP_AT(&p->made, struct made_tensor, k);
            if (!other->is_shaped || other->sizes[0] != one->sizes[0] || other->sizes[1] != one->sizes[1])
                continue;
            struct tp_interval shorter = take_shorter(one, other);
            tp_intervals_push(&p->derived, shorter.a, shorter.b);
            other->is_shaped = false;
        }
    }
    p->made.count = 0;
}

/* Sets the sizes of the last tensor from an operator that gets this tensor, in the call that makes the tensor. */
static void set_sizes_of_tensor(struct parts *p, const struct tp_event *op)
{
    struct made_tensor *last = p->made.count ? TP_AT(&p->made, struct made_tensor, p->made.count - 1) : NULL;
    if (!last || op->ts_ns >= last->time.b ||
        !tp_str_equal(tp_trace_event_name(p->model->trace, op), TP_STR("aten::to")))
        return;
    struct tp_shape shape =
        tp_shape_input(tp_strings_get(&p->model->trace->values, p->model->trace->hosts[op->detail].dims), 0);
    last->is_shaped = shape.is_known && shape.rank >= 2;
    for (unsigned i = 0; i < 2 && last->is_shaped; i++)
        last->sizes[i] = shape.sizes[i];
}

static bool is_fetch_frame(const struct tp_frame *frame)
{
    return tp_str_ends(frame->path, "torch/utils/data/_utils/fetch.py") &&
           tp_str_equal(frame->function, TP_STR("fetch"));
}

static bool is_sample_function(struct tp_str function)
{
    return tp_str_equal(function, TP_STR("__getitem__")) || tp_str_equal(function, TP_STR("__getitems__")) ||
           tp_str_equal(function, TP_STR("__next__"));
}

static struct tp_intervals last_interval(const struct tp_vec *times)
{
    return (struct tp_intervals){TP_AT(times, struct tp_interval, times->count - 1), 1};
}

static void examine_loader_event(struct parts *p, uint32_t event)
{
    const struct tp_event *e = &p->model->trace->events[event];
    struct tp_str name = tp_trace_event_name(p->model->trace, e);
    struct tp_frame frame;
    if (is_waiting_function(name))
        tp_intervals_push(&p->others, e->ts_ns, tp_event_end(e));
    if (is_tensor_making_function(name)) {
        tp_intervals_push(&p->making, e->ts_ns, tp_event_end(e));
        p->has_tensor = true;
        if (tp_str_starts(name, "<built-in method tensor of type"))
            *(struct made_tensor *)tp_vec_push(&p->made) = (struct made_tensor){.time = {e->ts_ns, tp_event_end(e)}};
    }
    bool is_before_tensor =
        p->batches.count && !p->has_tensor && tp_intervals_contain(last_interval(&p->batches), e->ts_ns);
    p->converts_tensors |= is_before_tensor && is_number_making_function(name);
    p->reads_tensors |= is_before_tensor && (is_tensor_reading_function(name) || is_number_making_function(name));
    if (!tp_frame_parse(&frame, name))
        return;
    if (is_fetch_frame(&frame)) {
        p->fetch = event;
    } else if (is_sample_function(frame.function) && tp_frames_line(&p->model->trace->frames, e->name) != TP_NO_ID) {
        tp_intervals_push(&p->samples, e->ts_ns, tp_event_end(e));
        tp_picks_add_by_length(&p->of_samples, p->model, event);
    } else if (p->fetch != TP_NO_ID && p->model->inside[event] == p->fetch && frame.function.ptr &&
               /* functions named "<..>" directly inside a fetch are comprehensions, which read samples */
               !tp_str_starts(frame.function, "<")) {
        tp_intervals_push(&p->batches, e->ts_ns, tp_event_end(e));
        tp_picks_add_by_length(&p->of_batches, p->model, event);
        p->has_tensor = false;
        end_batch(p);
    }
}

struct tp_loader_cause tp_find_loader_cause(struct tp_advisor *a, uint32_t thread, struct tp_intervals loading,
                                            struct tp_picks *picks)
{
    struct tp_loader_cause found = {.name = NULL};
    const struct tp_order *order = a->model->order;
    struct tp_vec none = TP_VEC(a->arena, struct tp_interval);
    struct parts p = {
        .model = a->model, .fetch = TP_NO_ID, .samples = none, .batches = none, .others = none, .making = none};
    p.made = TP_VEC(a->arena, struct made_tensor);
    p.derived = none;
    for (uint32_t i = order->thread_first[thread]; i < order->thread_first[thread + 1]; i++) {
        const struct tp_event *e = &a->model->trace->events[order->host[i]];
        if (!tp_intervals_contain(loading, e->ts_ns))
            continue;
        if (e->kind == TP_KIND_OPERATOR)
            set_sizes_of_tensor(&p, e);
        if (e->kind == TP_KIND_OPERATOR && p.batches.count && !p.has_tensor)
            p.reads_tensors |= tp_intervals_contain(last_interval(&p.batches), e->ts_ns);
        /* operators shorter than SMALL_NS insert single numbers for Python code, so their time belongs to that code */
        if (e->kind == TP_KIND_OPERATOR && e->dur_ns >= SMALL_NS)
            tp_intervals_push(&p.others, e->ts_ns, tp_event_end(e));
        else if (tp_kind_is_frame(e->kind))
            examine_loader_event(&p, order->host[i]);
    }
    end_batch(&p);
    struct tp_intervals others = tp_intervals_from_vec(&p.others);
    struct tp_intervals samples = tp_intervals_difference(a->arena, tp_intervals_from_vec(&p.samples), others);
    struct tp_intervals batches = tp_intervals_difference(a->arena, tp_intervals_from_vec(&p.batches), others);
    int64_t of_samples = tp_intervals_intersection_length(samples, loading), half = tp_intervals_length(loading) / 2;
    int64_t of_batches = tp_intervals_intersection_length(batches, loading);
    if (of_samples <= half && of_batches <= half)
        return found;
    *picks = of_batches > of_samples ? p.of_batches : p.of_samples;
    found.name = of_batches > of_samples ? "input.collate" : "input.transform";
    found.part = tp_intervals_intersection(a->arena, of_batches > of_samples ? batches : samples, loading);
    if (of_batches <= of_samples)
        return found;
    struct tp_intervals python = tp_intervals_difference(a->arena, found.part, tp_intervals_from_vec(&p.making));
    found.python_ns = tp_intervals_length(python);
    found.making_ns = tp_intervals_length(found.part) - found.python_ns;
    bool keeps_tensors = !p.converts_tensors && LEAST_PYTHON * found.python_ns < tp_intervals_length(found.part);
    if (!p.reads_tensors || keeps_tensors) { /* excludes calls that make a tensor from existing data */
        struct tp_vec needless = TP_VEC(a->arena, struct tp_interval);
        tp_intervals_append(&needless, python);
        tp_intervals_append(&needless,
                            tp_intervals_intersection(a->arena, tp_intervals_from_vec(&p.derived), found.part));
        found.part = tp_intervals_from_vec(&needless);
    }
    return found;
}
