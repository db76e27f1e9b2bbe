/* Rule H6: Python code between operators of the main thread, by line. */
#include "webreport/measure/rules_cpu.h"
#include "webreport/model/main_thread.h"

struct python_lines {
    const struct tp_advisor *a;
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
    struct tp_interval piece = {segment->a, segment->b};
    line->ns = tp_sat_add(line->ns, tp_less_recording(p->a, (struct tp_intervals){&piece, 1}));
}

static struct tp_vec find_lines(struct tp_advisor *a, struct tp_intervals time)
{
    struct python_lines p = {.a = a};
    tp_id_map_init(&p.ids, a->arena);
    p.lines = TP_VEC(a->arena, struct tp_line_time);
    tp_walk_main(a, time, collect_line, &p);
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
    c.time = tp_intervals_minus(a->arena, c.time, a->cpu->pauses);
    double least_percent = tp_rule_value(a, TP_RULE_H6, "min_pct");
    bool is_spread = tp_set_percent(a, c.time) >= least_percent;
    if (!a->cpu->count)
        return;
    if (!is_spread && !tp_cpu_python_stretch(a, c.time, tp_rule_value(a, TP_RULE_H6, "stretch_pct"), &c)) {
        is_spread = tp_cpu_percent_without_pauses(a, c.time) >= least_percent;
        if (!is_spread)
            return;
    }
    struct tp_vec lines = find_lines(a, c.time);
    for (size_t i = 0; i < lines.count; i++) {
        struct tp_line_time *line = TP_AT(&lines, struct tp_line_time, i);
        if (line->event != TP_NO_ID)
            tp_picks_append(&c.picks, line->event);
    }
    bool has_frames = a->model->kind_count[TP_KIND_FRAME] || a->model->kind_count[TP_KIND_MODULE];
    c.lower = has_frames && is_spread ? 1 : 0; /* recording stacks makes Python slower */
    c.detail = tp_line_times_text(a, lines.data, lines.count, SHOWN_LINES, "");
    tp_advisor_add(a, &c);
}
