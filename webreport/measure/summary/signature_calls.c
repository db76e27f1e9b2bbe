/* Lists the operators of the usual step in order, each with its place in the program. See signature.h.
 *
 * The place of an operator is the innermost user function around it. An operator of the backward pass has the place of
 * the forward operator with the same sequence number. Without a user function, the place is the path of the modules
 * around the operator; without modules, the innermost function outside frameworks. Torch records the line of the
 * function's `def`. */
#include "webreport/measure/summary/signature_parts.h"
#include "writer/base/limits.h"

/* An operator of the usual step during the build. */
struct item {
    uint32_t event, key, depth, place, thread;
    bool is_user_code; /* true: `place` is a user function */
};

/* ---- one place ---- */

static struct tp_str event_label(const struct tp_model *model, const struct tp_event *e)
{
    return tp_frames_label_text(&model->trace->frames, tp_frames_label(&model->trace->frames, e->name));
}

/* Returns the number of the module path of the call `event`, such as "Net_0/Linear_1". A path that is too long keeps
 * only its inner end. */
static uint32_t module_place(struct tp_count_places *p, uint32_t event, int64_t at)
{
    const struct tp_model *model = p->work->source->model;
    char text[TP_MAX_SIGNATURE_TEXT_BYTES];
    size_t begin = sizeof text;
    for (uint32_t i = event; i != TP_NO_ID; i = tp_find_next_event_around(model, i, at)) {
        const struct tp_event *e = &model->trace->events[i];
        struct tp_str name = e->kind == TP_KIND_MODULE ? tp_frame_module_name(event_label(model, e)) : TP_STR("");
        if (!name.len)
            continue;
        if (name.len + 1 > begin)
            break;
        if (begin < sizeof text)
            text[--begin] = '/';
        begin -= name.len;
        memcpy(text + begin, name.ptr, name.len);
    }
    return tp_strings_add(&p->texts, (struct tp_str){text + begin, sizeof text - begin});
}

void tp_count_places_init(struct tp_count_places *places, struct tp_summary_work *work)
{
    *places = (struct tp_count_places){.work = work, .last_enclosing_event = TP_NO_ID - 1};
    tp_strings_init(&places->texts, work->scratch, UINT64_MAX);
    tp_strings_add(&places->texts, TP_STR(""));
}

/* Caches the place of the last call, because consecutive operators are mostly inside the same call. */
uint32_t tp_count_find_place(struct tp_count_places *p, uint32_t inside, int64_t at)
{
    const struct tp_model *model = p->work->source->model;
    uint32_t first = inside, module = TP_NO_ID, library = TP_NO_ID;
    while (first != TP_NO_ID && !tp_kind_is_frame(model->trace->events[first].kind))
        first = tp_find_next_event_around(model, first, at);
    if (first == p->last_enclosing_event)
        return p->last_place_of_operator;
    p->last_enclosing_event = first;
    p->last_place_of_operator = 0;
    p->is_last_user_code = false;
    for (uint32_t i = first; i != TP_NO_ID && !p->is_last_user_code; i = tp_find_next_event_around(model, i, at)) {
        const struct tp_event *e = &model->trace->events[i];
        if (!tp_kind_is_frame(e->kind))
            continue;
        p->is_last_user_code = tp_frames_is_user_code(&model->trace->frames, e->name);
        if (p->is_last_user_code)
            p->last_place_of_operator = tp_strings_add(&p->texts, event_label(model, e));
        if (module == TP_NO_ID && e->kind == TP_KIND_MODULE)
            module = i;
        if (library == TP_NO_ID && tp_frames_line(&model->trace->frames, e->name) != TP_NO_ID)
            library = i;
    }
    if (!p->is_last_user_code && module != TP_NO_ID)
        p->last_place_of_operator = module_place(p, module, at);
    else if (!p->is_last_user_code && library != TP_NO_ID)
        p->last_place_of_operator = tp_strings_add(&p->texts, event_label(model, &model->trace->events[library]));
    return p->last_place_of_operator;
}

/* ---- forward and backward ---- */

static const struct tp_host_rare *rare_host_detail(const struct tp_trace *trace, const struct item *item)
{
    uint32_t more = trace->hosts[trace->events[item->event].detail].more;
    return more == TP_NO_ID ? NULL : &trace->host_rare[more];
}

static bool is_backward(const struct tp_host_rare *more)
{
    return more->forward_thread != TP_NULL_INT && more->forward_thread != 0;
}

static bool has_sequence(const struct tp_host_rare *more)
{
    return more && more->sequence != TP_NULL_INT && more->sequence != -1;
}

/* Sets the place of each operator of the backward pass to the place of the first operator in the file that has the same
 * sequence number. */
static void set_places_of_backward(const struct tp_count_places *p, struct item *items, size_t count)
{
    const struct tp_trace *trace = p->work->source->trace;
    struct tp_vec forward = TP_VEC(p->work->scratch, struct tp_keyed);
    for (size_t i = 0; i < count; i++) {
        const struct tp_host_rare *more = rare_host_detail(trace, &items[i]);
        if (has_sequence(more) && !is_backward(more) && items[i].is_user_code)
            *(struct tp_keyed *)tp_vec_push(&forward) = (struct tp_keyed){
                more->sequence, items[i].event, items[i].place}; /* items are in the order of the file */
    }
    const struct tp_keyed *sorted = forward.data;
    tp_sort_keyed(forward.data, forward.count, p->work->scratch);
    for (size_t i = 0; i < count; i++) {
        const struct tp_host_rare *more = rare_host_detail(trace, &items[i]);
        if (!has_sequence(more) || !is_backward(more))
            continue;
        size_t low = 0, high = forward.count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (sorted[middle].key < more->sequence)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < forward.count && sorted[low].key == more->sequence)
            items[i].place = sorted[low].item;
    }
}

/* ---- the step ---- */

/* Appends the operators of a thread in the step, with their nesting depth. */
static void add_operators_of_thread(struct tp_count_places *p, struct tp_count_keys *keys, struct tp_vec *items,
                                    uint32_t thread, const struct tp_step *step)
{
    const struct tp_model *model = p->work->source->model;
    const struct tp_trace *trace = model->trace;
    struct tp_vec open = TP_VEC(p->work->scratch, int64_t);
    size_t loading = 0;
    uint32_t end = model->order->thread_first[thread + 1];
    p->last_enclosing_event = TP_NO_ID - 1;
    for (uint32_t i = tp_order_first_from(model->order, model->trace, thread, step->host_start_ns); i < end; i++) {
        uint32_t event = model->order->host[i];
        const struct tp_event *e = &trace->events[event];
        if (e->ts_ns >= step->host_end_ns || items->count > TP_MAX_SIGNATURE_CALLS)
            break;
        if (e->kind != TP_KIND_OPERATOR)
            continue;
        while (open.count && *TP_AT(&open, int64_t, open.count - 1) <= e->ts_ns)
            open.count--;
        bool is_loading = tp_intervals_contain_near(model->category_times[TP_CATEGORY_DATALOADER], e->ts_ns, &loading);
        struct item item = {.event = event, .depth = (uint32_t)open.count, .thread = thread};
        *(int64_t *)tp_vec_push(&open) = tp_event_end(e);
        if (is_loading)
            continue;
        item.key = tp_count_operator_key(keys, trace, e, false);
        item.place = tp_count_find_place(p, tp_find_event_around(model, model->inside[event], e->ts_ns), e->ts_ns);
        item.is_user_code = p->is_last_user_code;
        *(struct item *)tp_vec_push(items) = item;
    }
}

/* The operators of one thread in the usual step. */
struct lane {
    uint32_t first, count;
    int64_t start_ns;
};

static int compare_by_count(const void *x, const void *y, const void *context)
{
    const struct lane *a = x, *b = y;
    (void)context;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static void copy_places_to_signature(struct tp_signature *s, struct tp_summary_work *work,
                                     const struct tp_strings *texts)
{
    s->place_count = texts->count;
    s->places = tp_arena_array(work->arena, texts->count, sizeof *s->places);
    for (uint32_t i = 0; i < texts->count; i++)
        s->places[i] = tp_summary_intern_text(work, texts->items[i]);
}

static void copy_calls_to_signature(struct tp_summary_work *work, const struct item *items, struct tp_vec *lanes,
                                    const uint32_t *number)
{
    struct tp_signature *s = &work->out->signature;
    const struct lane *lane = lanes->data;
    tp_merge_sort(work->scratch, lanes->data, lanes->count, sizeof *lane, compare_by_count, NULL);
    s->lane_count = (uint32_t)lanes->count;
    s->lanes = tp_arena_array(work->arena, lanes->count + 1, sizeof *s->lanes);
    for (size_t l = 0; l < lanes->count; l++)
        s->lanes[l + 1] = s->lanes[l] + lane[l].count;
    s->call_count = s->lanes[lanes->count];
    s->calls = tp_arena_array(work->arena, s->call_count, sizeof *s->calls);
    for (size_t l = 0; l < lanes->count; l++)
        for (uint32_t i = 0; i < lane[l].count; i++) {
            const struct item *item = &items[lane[l].first + i];
            s->calls[s->lanes[l] + i] = (struct tp_count_call){number[item->key], item->depth, item->place};
        }
}

void tp_signature_calls_build(struct tp_summary_work *work, struct tp_count_keys *keys, const uint32_t *number,
                              uint32_t step)
{
    const struct tp_model *model = work->source->model;
    struct tp_count_places places;
    struct tp_vec items = TP_VEC(work->scratch, struct item), lanes = TP_VEC(work->scratch, struct lane);
    uint32_t known = tp_keys_count(&keys->keys);
    tp_count_places_init(&places, work);
    for (uint32_t t = 0; t < model->trace->thread_count; t++) {
        uint32_t first = (uint32_t)items.count;
        add_operators_of_thread(&places, keys, &items, t, &model->steps[step]);
        if (items.count > TP_MAX_SIGNATURE_CALLS || tp_keys_count(&keys->keys) > known)
            return; /* too many calls to store; the counts are still complete and show what changed */
        if (items.count > first)
            *(struct lane *)tp_vec_push(&lanes) =
                (struct lane){first, (uint32_t)items.count - first,
                              model->trace->events[TP_AT(&items, struct item, first)->event].ts_ns};
    }
    set_places_of_backward(&places, items.data, items.count);
    copy_calls_to_signature(work, items.data, &lanes, number);
    copy_places_to_signature(&work->out->signature, work, &places.texts);
}
