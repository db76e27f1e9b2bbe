/* Finds user functions inside the data loader: their calls per step and the own time of a call. See signature.h.
 *
 * The own time of a call excludes other user functions that the call contains. Other programs on the machine delay some
 * calls, so the shortest tenth of a function's calls shows its undisturbed time. Definitions: docs/definitions.md,
 * section 22. */
#include "webreport/measure/summary/signature_parts.h"
#include "writer/base/limits.h"

/* low_ns of n calls is the time of the call at index (n - 1) / LOW_PART, sorted with the shortest call first */
static const unsigned LOW_PART = 10;

struct call {
    uint32_t function, step;
    int64_t own_ns;
};

/* A call that has not ended. number: index of the call in `calls`. */
struct open_call {
    int64_t end_ns;
    size_t number;
};

struct loading {
    struct tp_summary_work *work;
    uint32_t first_step, end_step;
    struct tp_count_places places;
    struct tp_strings functions; /* labels of the functions */
    struct tp_vec calls;         /* elements: struct call */
};

static void add_call(struct loading *l, struct tp_vec *open, const struct tp_event *e, uint32_t step)
{
    const struct tp_trace *trace = l->work->source->trace;
    while (open->count && TP_AT(open, struct open_call, open->count - 1)->end_ns <= e->ts_ns)
        open->count--;
    if (open->count)
        TP_AT(&l->calls, struct call, TP_AT(open, struct open_call, open->count - 1)->number)->own_ns -= e->dur_ns;
    *(struct open_call *)tp_vec_push(open) = (struct open_call){tp_event_end(e), l->calls.count};
    struct tp_str label = tp_frames_label_text(&trace->frames, tp_frames_label(&trace->frames, e->name));
    *(struct call *)tp_vec_push(&l->calls) = (struct call){tp_strings_add(&l->functions, label), step, e->dur_ns};
}

static void list_calls(struct loading *l)
{
    const struct tp_model *model = l->work->source->model;
    for (uint32_t t = 0; t < model->trace->thread_count; t++) {
        struct tp_vec open = TP_VEC(l->work->scratch, struct open_call);
        uint32_t near = 0;
        size_t loading = 0;
        for (uint32_t i = model->order->thread_first[t]; i < model->order->thread_first[t + 1]; i++) {
            const struct tp_event *e = &model->trace->events[model->order->host[i]];
            if (!tp_kind_is_frame(e->kind) ||
                !tp_intervals_contain_near(model->category_times[TP_CATEGORY_DATALOADER], e->ts_ns, &loading) ||
                !tp_frames_is_user_code(&model->trace->frames, e->name))
                continue;
            uint32_t step = tp_step_of_host_time_near(model, e->ts_ns, &near);
            if (step != TP_NO_ID && step >= l->first_step && step < l->end_step)
                add_call(l, &open, e, step);
        }
    }
}

static int compare_by_function(const void *x, const void *y, const void *context)
{
    const struct call *a = x, *b = y;
    (void)context;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return (a->own_ns > b->own_ns) - (a->own_ns < b->own_ns);
}

static int compare_by_place(const void *x, const void *y, const void *context)
{
    (void)context;
    return tp_str_compare(((const struct tp_count_function *)x)->place, ((const struct tp_count_function *)y)->place);
}

void tp_signature_loader_build(struct tp_summary_work *work, uint32_t first_step, uint32_t end_step)
{
    struct tp_signature *s = &work->out->signature;
    struct tp_arena *scratch = work->scratch;
    uint32_t steps = end_step - first_step;
    struct loading l = {
        .work = work, .first_step = first_step, .end_step = end_step, .calls = TP_VEC(scratch, struct call)};
    tp_count_places_init(&l.places, work);
    tp_strings_init(&l.functions, scratch, UINT64_MAX);
    list_calls(&l);
    if (!l.functions.count || l.functions.count > TP_MAX_SIGNATURE_FUNCTIONS)
        return;
    const struct call *calls = l.calls.data;
    uint32_t *by_step = tp_arena_array(scratch, steps, sizeof *by_step);
    struct tp_keyed *sorted = tp_arena_array(scratch, steps, sizeof *sorted);
    tp_merge_sort(scratch, l.calls.data, l.calls.count, sizeof *calls, compare_by_function, NULL);
    s->functions = tp_arena_array(work->arena, l.functions.count, sizeof *s->functions);
    for (size_t i = 0, end; i < l.calls.count; i = end) {
        struct tp_count_function *function = &s->functions[s->function_count++];
        memset(by_step, 0, steps * sizeof *by_step);
        for (end = i; end < l.calls.count && calls[end].function == calls[i].function; end++)
            by_step[calls[end].step - first_step]++;
        function->place = tp_summary_intern_text(work, tp_strings_get(&l.functions, calls[i].function));
        function->seen = (uint32_t)(end - i);
        function->low_ns = calls[i + (end - i - 1) / LOW_PART].own_ns;
        function->low_ns = function->low_ns < 0 ? 0 : function->low_ns;
        function->calls = tp_count_most_common(by_step, sorted, steps, &function->is_exact, scratch);
    }
    tp_merge_sort(scratch, s->functions, s->function_count, sizeof *s->functions, compare_by_place, NULL);
}
