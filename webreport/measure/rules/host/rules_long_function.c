/* Finds Python time in a single function of the project, in steps with little other Python time. Rule H6 uses a higher
 * threshold for Python time that is spread over the step. */
#include "webreport/measure/rules/host/rules_cpu.h"

/* MOST_CALLS: most calls per step. LEAST_PERCENT: least percentage of Python time in a call. LEAST_PART: calls shorter
 * than 1 / LEAST_PART of a step are ignored. */
enum { MOST_CALLS = 2, LEAST_PERCENT = 75, LEAST_PART = 50 };

/* calls of one function, except calls that call a module */
struct function {
    uint32_t calls;
    struct tp_vec time; /* times of the calls; elements: struct tp_interval */
    int64_t python_ns;
    uint32_t longest;       /* index of the event of the longest call */
    bool is_before_modules; /* true if no module of the step ran before any of these calls */
};

struct stretches {
    struct tp_advisor *a;
    struct tp_intervals python;
    struct tp_vec modules; /* starts of modules on the main thread, in order of time; elements: int64_t */
    struct tp_id_map ids;  /* map from name id of a function to index in `functions` */
    struct tp_vec functions;
};

static void list_modules(struct stretches *s)
{
    const struct tp_model *model = s->a->model;
    for (uint32_t i = model->order->thread_first[model->host_main];
         i < model->order->thread_first[model->host_main + 1]; i++) {
        const struct tp_event *e = &model->trace->events[model->order->host[i]];
        if (e->kind == TP_KIND_MODULE)
            *(int64_t *)tp_vec_push(&s->modules) = e->ts_ns;
    }
}

static bool is_before_modules(const struct stretches *s, const struct tp_event *e)
{
    const struct tp_model *model = s->a->model;
    uint32_t step = tp_step_of_host_time(model, e->ts_ns);
    return s->modules.count && step < model->step_count &&
           !tp_has_time_within(&s->modules, model->steps[step].start_ns, e->ts_ns);
}

static void add_call(struct stretches *s, uint32_t event)
{
    const struct tp_event *e = &s->a->model->trace->events[event];
    uint32_t *id = tp_id_map_find_or_add(&s->ids, e->name);
    if (*id == TP_NO_ID) {
        *id = (uint32_t)s->functions.count;
        *(struct function *)tp_vec_push(&s->functions) =
            (struct function){0, TP_VEC(s->a->arena, struct tp_interval), 0, event, true};
    }
    struct function *f = TP_AT(&s->functions, struct function, *id);
    f->calls++;
    f->python_ns = tp_sat_add(f->python_ns, tp_intervals_length_within(s->python, e->ts_ns, tp_event_end(e)));
    f->is_before_modules &= is_before_modules(s, e);
    tp_intervals_push(&f->time, e->ts_ns, tp_event_end(e));
    if (e->dur_ns > s->a->model->trace->events[f->longest].dur_ns)
        f->longest = event;
}

/* Lists long calls of project functions within the window of analysed steps that call no module. Of nested calls, lists
 * only the outermost. */
static void list_functions(struct stretches *s)
{
    const struct tp_model *model = s->a->model;
    int64_t least_ns = s->a->judged_ns / model->used_count / LEAST_PART, done = INT64_MIN;
    for (uint32_t i = model->order->thread_first[model->host_main];
         i < model->order->thread_first[model->host_main + 1]; i++) {
        uint32_t event = model->order->host[i];
        const struct tp_event *e = &model->trace->events[event];
        if (!tp_event_is_line(model->trace, e) || e->ts_ns < done || e->dur_ns < least_ns ||
            !tp_event_is_in_window(s->a, event) || tp_has_time_within(&s->modules, e->ts_ns, tp_event_end(e)) ||
            tp_percent(tp_intervals_length_within(s->python, e->ts_ns, tp_event_end(e)),
                       e->dur_ns - tp_intervals_length_within(s->a->cpu->pauses, e->ts_ns, tp_event_end(e))) <
                LEAST_PERCENT)
            continue;
        add_call(s, event);
        done = tp_event_end(e);
    }
}

bool tp_cpu_find_long_function(struct tp_advisor *a, struct tp_intervals python, double least_percent,
                               struct tp_candidate *c)
{
    struct stretches s = {.a = a, .python = python};
    const struct function *most = NULL;
    s.modules = TP_VEC(a->arena, int64_t);
    s.functions = TP_VEC(a->arena, struct function);
    tp_id_map_init(&s.ids, a->arena);
    list_modules(&s);
    list_functions(&s);
    for (size_t i = 0; i < s.functions.count; i++) {
        const struct function *f = TP_AT(&s.functions, struct function, i);
        if (f->calls <= MOST_CALLS * a->model->used_count && (!most || f->python_ns > most->python_ns))
            most = f;
    }
    if (!most || 2 * most->python_ns < tp_intervals_length(python))
        return false;
    struct tp_vec calls = most->time;
    struct tp_intervals time = tp_intervals_intersection(a->arena, tp_intervals_from_vec(&calls), python);
    if (tp_cpu_pause_free_percent(a, time) < least_percent)
        return false;
    c->time = time;
    c->cause = most->is_before_modules ? "input.preprocess" : NULL;
    tp_picks_append_event(&c->picks, most->longest);
    return true;
}
