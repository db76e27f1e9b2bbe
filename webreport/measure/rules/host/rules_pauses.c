/* Finds pauses in programs without a device: times in which the main thread stopped by accident.
 *
 * A thread that loses its processor or waits for a page can stop anywhere. If a delay occurs in one step, but not at
 * the same place in other steps, the program's code does not cause the delay. On an undisturbed machine, the delay
 * would not occur. */
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/model/main_thread.h"
#include "webreport/model/operator_shapes.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

/* MOST: if there are more long times than this, they are not accidental, and the search returns no pauses */
enum { MIN_STEPS = 3, MOST = 4096, SHORT_PART = 5 };

void tp_walk_main_thread(struct tp_advisor *a, struct tp_intervals time, tp_stack_visit visit, void *context)
{
    struct tp_stack_walk walk = {.model = a->model, .arena = a->arena, .visit = visit, .context = context};
    struct tp_stack_slice *parts = tp_arena_array(a->arena, time.count, sizeof *parts);
    for (size_t i = 0; i < time.count; i++)
        parts[i] = (struct tp_stack_slice){time.items[i].a, time.items[i].b, 0};
    tp_stack_walk(&walk, a->model->host_main, parts, time.count);
}

/* a long time in which no event of the main thread starts or ends */
struct stretch {
    struct tp_interval time;
    uint32_t event; /* index of the innermost event around this time; TP_NO_ID: no event */
    /* name id of this event if it is a frame; otherwise TP_NO_ID, because names of steps contain numbers */
    uint32_t name;
    uint32_t step; /* index of the step in which the time starts */
};

struct stretches {
    const struct tp_model *model;
    int64_t least_ns;
    struct tp_vec items; /* elements: struct stretch, in order of time */
};

static void collect_unrecorded_stretch(void *context, const struct tp_stack_segment *segment)
{
    struct stretches *s = context;
    const struct tp_event *e = segment->event == TP_NO_ID ? NULL : &s->model->trace->events[segment->event];
    if (tp_sat_sub(segment->b, segment->a) < s->least_ns)
        return;
    *(struct stretch *)tp_vec_push(&s->items) = (struct stretch){{segment->a, segment->b},
                                                                 segment->event,
                                                                 e && tp_kind_is_frame(e->kind) ? e->name : TP_NO_ID,
                                                                 tp_step_of_host_time(s->model, segment->a)};
}

static struct tp_vec find_unrecorded_stretches(struct tp_advisor *a, struct tp_intervals time)
{
    struct stretches s = {a->model, (int64_t)(tp_rule_value(a, TP_RULE_H6, "pause_us") * 1000),
                          TP_VEC(a->arena, struct stretch)};
    tp_walk_main_thread(a, time, collect_unrecorded_stretch, &s);
    return s.items;
}

/* ---- between operators ---- */

/* Returns whether half of the steps contain a long time with the same name and at least half the length of `one`. If
 * so, the program causes these times. */
static bool is_repeated(const struct tp_advisor *a, const struct tp_vec *stretches, const struct stretch *one)
{
    uint32_t steps = 0, last = TP_NO_ID;
    for (size_t i = 0; i < stretches->count; i++) {
        const struct stretch *other = TP_AT(stretches, struct stretch, i);
        if (other->name != one->name || other->step == last ||
            other->time.b - other->time.a < (one->time.b - one->time.a) / 2)
            continue;
        last = other->step;
        steps++;
    }
    return 2 * steps >= a->model->used_count;
}

static void add_pauses_between(struct tp_advisor *a, struct tp_intervals between, struct tp_vec *pauses)
{
    struct tp_vec stretches = find_unrecorded_stretches(a, between);
    for (size_t i = 0; i < stretches.count && stretches.count <= MOST; i++) {
        const struct stretch *one = TP_AT(&stretches, struct stretch, i);
        if (!is_repeated(a, &stretches, one))
            tp_intervals_push(pauses, one->time.a, one->time.b);
    }
}

/* ---- in operators ---- */

/* Calls of one operator with one list of shapes. number: position of the last call among the group's calls in its
 * step. */
struct group {
    uint32_t step, number;
};

struct places {
    struct tp_advisor *a;
    /* groups: map from the pair (name, shapes) to the index in group_items; calls: map from the pair (group, number) to
     * the index in `lengths` */
    struct tp_id_map groups, calls;
    struct tp_id_map length_of_event; /* map from an event to the index in `lengths` */
    struct tp_vec group_items;        /* elements: struct group */
    struct tp_vec lengths;            /* lengths of one call in all steps, ns; elements: struct tp_vec of int64_t */
};

static bool has_known_input_sizes(const struct tp_model *model, const struct tp_event *e)
{
    struct tp_str dims = tp_strings_get(&model->trace->values, model->trace->hosts[e->detail].dims);
    return !(e->flags & TP_EVENT_OLD_DIMS) && tp_shape_input(dims, 0).is_known;
}

static uint64_t key_of_equal_calls(const struct tp_model *model, const struct tp_event *e)
{
    return tp_id_pair(e->name, has_known_input_sizes(model, e) ? model->trace->hosts[e->detail].dims : TP_NO_ID);
}

static void list_groups(struct places *p, const struct tp_vec *stretches)
{
    for (size_t i = 0; i < stretches->count; i++) {
        const struct stretch *one = TP_AT(stretches, struct stretch, i);
        if (one->event == TP_NO_ID || p->a->model->trace->events[one->event].kind != TP_KIND_OPERATOR)
            continue;
        uint32_t *id =
            tp_id_map_find_or_add(&p->groups, key_of_equal_calls(p->a->model, &p->a->model->trace->events[one->event]));
        if (*id != TP_NO_ID)
            continue;
        *id = (uint32_t)p->group_items.count;
        *(struct group *)tp_vec_push(&p->group_items) = (struct group){TP_NO_ID, 0};
    }
}

static void add_call_to_group(struct places *p, uint32_t group, uint32_t event)
{
    const struct tp_event *e = &p->a->model->trace->events[event];
    struct group *g = TP_AT(&p->group_items, struct group, group);
    uint32_t step = tp_step_of_host_time(p->a->model, e->ts_ns);
    g->number = step == g->step ? g->number + 1 : 0;
    g->step = step;
    uint32_t *id = tp_id_map_find_or_add(&p->calls, tp_id_pair(group, g->number));
    if (*id == TP_NO_ID) {
        *id = (uint32_t)p->lengths.count;
        *(struct tp_vec *)tp_vec_push(&p->lengths) = TP_VEC(p->a->arena, int64_t);
    }
    *(int64_t *)tp_vec_push(TP_AT(&p->lengths, struct tp_vec, *id)) = e->dur_ns;
    *tp_id_map_find_or_add(&p->length_of_event, event) = *id;
}

static struct places group_calls_with_pauses(struct tp_advisor *a, const struct tp_vec *stretches)
{
    struct places p = {.a = a};
    p.group_items = TP_VEC(a->arena, struct group);
    p.lengths = TP_VEC(a->arena, struct tp_vec);
    tp_id_map_init(&p.groups, a->arena);
    tp_id_map_init(&p.calls, a->arena);
    tp_id_map_init(&p.length_of_event, a->arena);
    list_groups(&p, stretches);
    for (uint32_t i = 0; i < a->cpu->count && p.group_items.count; i++) {
        const struct tp_event *e = tp_operator_event(a->model, a->cpu->ops[i]);
        const uint32_t *group = tp_id_map_find(&p.groups, key_of_equal_calls(a->model, e));
        if (group)
            add_call_to_group(&p, *group, a->model->operators.event[a->cpu->ops[i]]);
    }
    return p;
}

/* Adds the end of a long time as a pause: the part that exceeds the same call in other steps. The call must be short in
 * more than half of the steps. A short call uses little memory, so new pages, whose cost is the program's own, cannot
 * explain the time. */
static void add_pause_in_call(const struct places *p, const struct stretch *one, int64_t short_ns,
                              struct tp_vec *pauses)
{
    const uint32_t *place = one->event == TP_NO_ID ? NULL : tp_id_map_find(&p->length_of_event, one->event);
    if (!place)
        return;
    const struct tp_vec *lengths = TP_AT(&p->lengths, struct tp_vec, *place);
    uint32_t short_count = 0;
    for (size_t i = 0; i < lengths->count; i++)
        short_count += *TP_AT(lengths, int64_t, i) < short_ns;
    if (2 * short_count > p->a->model->used_count && 2 * short_count > lengths->count)
        tp_intervals_push(pauses, one->time.a + tp_lower_median(lengths->data, lengths->count), one->time.b);
}

/* Returns the times in which other threads run operators, which may compete for processors (rule H4), or
 * collectives. */
static struct tp_intervals working_times_of_other_threads(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    for (uint32_t i = 0; i < model->order->host_count; i++) {
        const struct tp_event *e = &model->trace->events[model->order->host[i]];
        if (e->kind == TP_KIND_OPERATOR && (e->thread != model->host_main || tp_is_collective(model, e)))
            tp_intervals_push(&time, e->ts_ns, tp_event_end(e));
    }
    return tp_intervals_from_vec(&time);
}

/* Returns whether the trace has the shapes of operands. Without shapes, it is unknown which calls do equal work. Tests
 * all operators, because operators inside a backward node have shapes too. */
static bool has_sizes(const struct tp_advisor *a)
{
    bool is_any = false;
    for (uint32_t i = 0; i < a->cpu->count && !is_any; i++)
        is_any = has_known_input_sizes(a->model, tp_operator_event(a->model, a->cpu->ops[i]));
    return is_any;
}

static void add_pauses_within(struct tp_advisor *a, struct tp_intervals between, struct tp_vec *pauses)
{
    struct tp_intervals time = tp_intervals_difference(a->arena, a->model->window, between);
    time = tp_intervals_difference(a->arena, tp_intervals_difference(a->arena, time, a->cpu->loading),
                                   working_times_of_other_threads(a));
    struct tp_vec stretches = find_unrecorded_stretches(a, time);
    struct places places = group_calls_with_pauses(a, &stretches);
    int64_t short_ns = (int64_t)(tp_rule_value(a, TP_RULE_H6, "pause_us") * 1000 / SHORT_PART);
    for (size_t i = 0; i < stretches.count; i++)
        add_pause_in_call(&places, TP_AT(&stretches, struct stretch, i), short_ns, pauses);
}

struct tp_intervals tp_cpu_find_pauses(struct tp_advisor *a)
{
    struct tp_vec pauses = TP_VEC(a->arena, struct tp_interval);
    if (a->model->used_count < MIN_STEPS || !(tp_rule_value(a, TP_RULE_H6, "pause_us") > 0))
        return (struct tp_intervals){NULL, 0};
    struct tp_intervals between = tp_main_thread_unrecorded(a->model, a->cpu->loading, a->arena);
    add_pauses_between(a, between, &pauses);
    if (has_sizes(a))
        add_pauses_within(a, between, &pauses);
    return tp_intervals_intersection(a->arena, tp_intervals_from_vec(&pauses), a->model->window);
}

double tp_cpu_pause_free_percent(struct tp_advisor *a, struct tp_intervals set)
{
    if (!a->cpu->pauses.count)
        return tp_analysed_set_percent(a, set);
    struct tp_intervals rest = tp_intervals_difference(a->arena, a->model->window, a->cpu->pauses);
    struct tp_intervals part = tp_intervals_intersection(a->arena, set, rest);
    return tp_percent(tp_set_without_recording_ns(a, part), tp_ns_max(1, tp_set_without_recording_ns(a, rest)));
}

struct tp_intervals tp_cpu_claimable_time(struct tp_advisor *a, struct tp_intervals set)
{
    struct tp_intervals in_pauses = tp_intervals_intersection(a->arena, set, a->cpu->pauses);
    if (!in_pauses.count)
        return set;
    double share = tp_cpu_pause_free_percent(a, set) / 100;
    struct tp_intervals busy = tp_intervals_difference(a->arena, set, a->cpu->pauses);
    int64_t left_ns = (int64_t)(share * (double)a->judged_ns) - tp_set_without_recording_ns(a, busy);
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    tp_intervals_append(&time, busy);
    for (size_t i = 0; i < in_pauses.count && left_ns > 0; i++) {
        struct tp_interval pause = in_pauses.items[i];
        pause.b = tp_ns_min(pause.b, tp_sat_add(pause.a, left_ns));
        tp_intervals_push(&time, pause.a, pause.b);
        left_ns -= pause.b - pause.a;
    }
    return tp_intervals_from_vec(&time);
}

void tp_cpu_lower_gain_of_pauses(struct tp_advisor *a, struct tp_candidate *c, const char *least)
{
    double share = tp_analysed_set_percent(a, c->time), without = tp_cpu_pause_free_percent(a, c->time);
    int64_t pauses_ns = tp_intervals_intersection_length(c->time, a->cpu->pauses);
    if (!pauses_ns || without >= share)
        return;
    c->has_lower_bound = true;
    c->low = tp_rule_measured_gain(c->rule).low * without / share;
    c->lower = without < tp_rule_value(a, c->rule, least) ? 1 : 0;
    double percent = tp_percent(pauses_ns, tp_intervals_length(c->time));
    c->details = tp_detail_join(a->arena, c->details, TP_DETAIL(a, TP_DETAIL_PAUSES, TP_OF_PERCENT(percent)));
}
