/* Rule H6: Python code between operators of the main thread, by line. */
#include "webreport/measure/rules_cpu.h"
#include "webreport/model/main_thread.h"

/* Calls visit for what the main thread's stack is in these times. */
static void walk_main(struct tp_advisor *a, struct tp_intervals time, tp_stack_visit visit, void *context)
{
    struct tp_stack_walk walk = {.model = a->model, .arena = a->arena, .visit = visit, .context = context};
    struct tp_stack_piece *pieces = tp_arena_array(a->arena, time.count, sizeof *pieces);
    for (size_t i = 0; i < time.count; i++)
        pieces[i] = (struct tp_stack_piece){time.items[i].a, time.items[i].b, 0};
    tp_stack_walk(&walk, a->model->host_main, pieces, time.count);
}

/* ---- pauses ---- */

/* A long time in which no event of the main thread begins or ends. */
struct stretch {
    struct tp_interval time;
    uint32_t name; /* of the innermost event, when it is a frame; else TP_NO_ID: names of steps have numbers */
    uint32_t step; /* that it begins in */
};

struct stretches {
    const struct tp_model *model;
    int64_t least_ns;
    struct tp_vec items; /* struct stretch, in order of time */
};

static void collect_stretch(void *context, const struct tp_stack_segment *segment)
{
    struct stretches *s = context;
    const struct tp_event *e = segment->event == TP_NO_ID ? NULL : &s->model->trace->events[segment->event];
    if (tp_sat_sub(segment->b, segment->a) < s->least_ns)
        return;
    *(struct stretch *)tp_vec_push(&s->items) = (struct stretch){{segment->a, segment->b},
                                                                 e && tp_kind_is_frame(e->kind) ? e->name : TP_NO_ID,
                                                                 tp_step_of_host(s->model, segment->a)};
}

/* Do half of the steps have such a stretch, of the same name and half as long? Then the program makes it. */
static bool is_repeated(const struct stretches *s, const struct stretch *one)
{
    uint32_t steps = 0, last = TP_NO_ID;
    for (size_t i = 0; i < s->items.count; i++) {
        const struct stretch *other = TP_AT(&s->items, struct stretch, i);
        if (other->name != one->name || other->step == last ||
            other->time.b - other->time.a < (one->time.b - one->time.a) / 2)
            continue;
        last = other->step;
        steps++;
    }
    return 2 * steps >= s->model->used_count;
}

/* A thread that loses its processor, or waits for a page, stands still anywhere: what one step has and the others do
 * not have at that place is no code of the program's. */
static struct tp_intervals without_pauses(struct tp_advisor *a, struct tp_intervals time)
{
    enum { MIN_STEPS = 3, MOST = 4096 }; /* with so many, they are no accident */
    struct stretches s = {a->model, (int64_t)(tp_rule_value(a, TP_RULE_H6, "pause_us") * 1000),
                          TP_VEC(a->arena, struct stretch)};
    struct tp_vec pauses = TP_VEC(a->arena, struct tp_interval);
    if (a->model->used_count < MIN_STEPS)
        return time;
    walk_main(a, time, collect_stretch, &s);
    for (size_t i = 0; i < s.items.count && s.items.count <= MOST; i++) {
        const struct stretch *one = TP_AT(&s.items, struct stretch, i);
        if (!is_repeated(&s, one))
            tp_intervals_push(&pauses, one->time.a, one->time.b);
    }
    return tp_intervals_minus(a->arena, time, tp_intervals_of(&pauses));
}

/* ---- lines ---- */

struct python_lines {
    struct tp_id_map ids;
    struct tp_vec lines; /* struct tp_line_time */
};

static void collect_line(void *context, const struct tp_stack_segment *segment)
{
    struct python_lines *p = context;
    uint32_t *id = tp_id_map_put(&p->ids, tp_id_pair(segment->fold.kind, segment->fold.text));
    if (*id == TP_NO_ID) {
        *id = (uint32_t)p->lines.count;
        *(struct tp_line_time *)tp_vec_push(&p->lines) =
            (struct tp_line_time){.fold = segment->fold, .event = segment->event};
    }
    struct tp_line_time *line = TP_AT(&p->lines, struct tp_line_time, *id);
    line->ns = tp_sat_add(line->ns, tp_sat_sub(segment->b, segment->a));
}

static struct tp_vec find_lines(struct tp_advisor *a, struct tp_intervals time)
{
    struct python_lines p;
    tp_id_map_init(&p.ids, a->arena);
    p.lines = TP_VEC(a->arena, struct tp_line_time);
    walk_main(a, time, collect_line, &p);
    tp_line_times_sort(a, p.lines.data, p.lines.count);
    return p.lines;
}

void tp_rule_cpu_python(struct tp_advisor *a)
{
    enum { SHOWN_LINES = 5 };
    struct tp_candidate c = {.rule = TP_RULE_H6, .has_ceiling = true};
    if (tp_cpu_lacks_record(a, TP_RULE_H6))
        return;
    c.time = tp_cpu_without_claimed(a, tp_main_between(a->model, a->cpu->loading, a->arena));
    if (tp_rule_value(a, TP_RULE_H6, "pause_us") > 0)
        c.time = without_pauses(a, c.time);
    bool is_spread = tp_set_percent(a, c.time) >= tp_rule_value(a, TP_RULE_H6, "min_pct");
    if (!a->cpu->count ||
        (!is_spread && !tp_cpu_python_stretch(a, c.time, tp_rule_value(a, TP_RULE_H6, "stretch_pct"), &c)))
        return;
    struct tp_vec lines = find_lines(a, c.time);
    int64_t recorded_ns = tp_intervals_length(c.time), judged_ns = tp_less_recording(a, c.time);
    for (size_t i = 0; i < lines.count; i++) {
        struct tp_line_time *line = TP_AT(&lines, struct tp_line_time, i);
        line->ns = tp_ns_scaled(line->ns, judged_ns, recorded_ns); /* each line bears its part of what recording cost */
        if (line->event != TP_NO_ID)
            tp_picks_append(&c.picks, line->event);
    }
    bool has_frames = a->model->kind_count[TP_KIND_FRAME] || a->model->kind_count[TP_KIND_MODULE];
    c.lower = has_frames && is_spread ? 1 : 0; /* recording stacks makes Python slower */
    c.detail = tp_line_times_text(a, lines.data, lines.count, SHOWN_LINES, "");
    tp_advisor_add(a, &c);
}
