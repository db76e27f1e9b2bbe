/* Rules of CPU programs about what a step works on: a model called sample by sample (H18), a batch too small for its
 * model (H19), steps of unequal work (H20). */
#include "webreport/measure/rules_cpu.h"
#include "webreport/model/operator_shapes.h"
#include "writer/base/stats.h"

enum { MIN_CALLS = 4, SMALL_BATCH = 4, USUAL_BATCH = 32, MIN_STEPS = 3 };

static struct tp_shape shape_of(const struct tp_model *model, uint32_t op, unsigned argument)
{
    const struct tp_event *e = tp_operator_event(model, op);
    return tp_shape_input(tp_strings_get(&model->trace->values, model->trace->hosts[e->detail].dims), argument);
}

/* Rows of the first operand of a product of matrices that runs forward; 0: it is none, or nobody knows. */
static int64_t rows_of(const struct tp_model *model, uint32_t op)
{
    static const char *const names[] = {"aten::mm", "aten::addmm"};
    struct tp_str name = tp_trace_name(model->trace, tp_operator_event(model, op));
    for (unsigned i = 0; i < 2; i++) {
        if (!tp_str_equal(name, tp_str_of(names[i])))
            continue;
        struct tp_shape shape = shape_of(model, op, i);
        return shape.is_known && shape.rank == 2 ? shape.sizes[0] : 0;
    }
    return 0;
}

/* ---- sample by sample (H18) ---- */

/* Calls of the outermost modules on the main thread within W. */
struct calls {
    struct tp_advisor *a;
    uint32_t *of_name; /* by name: number of calls */
    uint32_t name;     /* that is called most */
};

static bool is_counted(const struct calls *c, uint32_t module)
{
    const struct tp_model *model = c->a->model;
    uint32_t event = model->modules.event[module];
    return model->modules.parent[module] == TP_NO_ID && tp_in_window(c->a, event) &&
           model->trace->events[event].thread == model->host_main &&
           !tp_intervals_contain(c->a->cpu->loading, model->trace->events[event].ts_ns);
}

static void count_calls(struct calls *c)
{
    const struct tp_model *model = c->a->model;
    c->of_name = tp_arena_array(c->a->arena, model->trace->names.count, sizeof *c->of_name);
    c->name = TP_NO_ID;
    for (uint32_t m = 0; m < model->modules.count; m++) {
        uint32_t name = model->trace->events[model->modules.event[m]].name;
        if (is_counted(c, m) && (++c->of_name[name] > (c->name == TP_NO_ID ? 0 : c->of_name[c->name])))
            c->name = name;
    }
}

/* The calls of the module but the first of each step, and what computes in them for one sample. */
static bool find_repeated(const struct calls *c, struct tp_vec *repeated, struct tp_picks *picks)
{
    const struct tp_model *model = c->a->model;
    uint32_t last_step = TP_NO_ID;
    for (uint32_t m = 0; m < model->modules.count; m++) {
        const struct tp_event *e = &model->trace->events[model->modules.event[m]];
        if (e->name != c->name || !is_counted(c, m))
            continue;
        uint32_t step = tp_step_of_host(model, e->ts_ns);
        if (step == last_step)
            tp_intervals_push(repeated, e->ts_ns, tp_event_end(e));
        last_step = step;
        tp_picks_longest(picks, model, model->modules.event[m]);
    }
    return repeated->count > 0;
}

/* Do all products in these times have one row? */
static bool is_one_sample(const struct tp_advisor *a, struct tp_intervals time)
{
    bool is_any = false;
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        uint32_t op = a->cpu->ops[i];
        int64_t rows = tp_intervals_contain(time, tp_operator_event(a->model, op)->ts_ns) ? rows_of(a->model, op) : 0;
        if (rows > 1)
            return false;
        is_any |= rows == 1;
    }
    return is_any;
}

static bool find_samples(struct tp_advisor *a)
{
    struct calls calls = {.a = a};
    struct tp_candidate c = {.rule = TP_RULE_H18, .has_ceiling = true};
    struct tp_vec repeated = TP_VEC(a->arena, struct tp_interval);
    if (a->model->step_marker == TP_MARKER_WINDOW) /* calls may be those of many steps */
        return false;
    count_calls(&calls);
    if (calls.name == TP_NO_ID || calls.of_name[calls.name] < MIN_CALLS * a->model->used_count ||
        !find_repeated(&calls, &repeated, &c.picks))
        return false;
    struct tp_intervals time = tp_intervals_of(&repeated);
    if (!is_one_sample(a, time))
        return false;
    c.time = tp_cpu_with_backward(a, time);
    c.detail =
        tp_advisor_text(a, "%u calls of one sample in each step", calls.of_name[calls.name] / a->model->used_count);
    return tp_set_percent(a, c.time) >= tp_rule_value(a, TP_RULE_H18, "min_pct") && tp_advisor_add(a, &c);
}

/* ---- small batch (H19) ---- */

/* Matrix work whose operands do not say what a batch is. */
static bool is_other_product(struct tp_str name)
{
    static const char *const names[] = {"aten::convolution", "aten::bmm", "aten::baddbmm"};
    bool is_any = tp_str_starts(name, "aten::_scaled_dot_product");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_any |= tp_str_equal(name, tp_str_of(names[i]));
    return is_any;
}

static void find_small_batch(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    struct tp_candidate c = {.rule = TP_RULE_H19, .has_ceiling = true};
    int64_t all = 0, small = 0, most = 0;
    bool is_training = false;
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        uint32_t op = a->cpu->ops[i];
        int64_t rows = rows_of(model, op);
        is_training |= tp_cpu_is_backward(model, op);
        const struct tp_event *e = tp_operator_event(model, op);
        struct tp_str name = tp_trace_name(model->trace, e);
        bool is_forward = rows && tp_str_equal(name, TP_STR("aten::addmm"));
        if ((!is_forward && !is_other_product(name)) || tp_cpu_is_loading(a, op))
            continue;
        all = tp_sat_add(all, e->dur_ns);
        if (!is_forward || rows > SMALL_BATCH)
            continue;
        small = tp_sat_add(small, e->dur_ns);
        most = tp_ns_max(most, rows);
        tp_picks_longest(&c.picks, model, model->operators.event[op]);
    }
    if (!is_training || !small || small < all - all / 5 ||
        tp_window_percent(a, small) < tp_rule_value(a, TP_RULE_H19, "min_pct"))
        return;
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    for (size_t i = 0; i < model->window.count; i++) {
        struct tp_interval step = model->window.items[i];
        tp_intervals_push(&time, step.a, step.b - tp_ns_scaled(step.b - step.a, most, USUAL_BATCH));
    }
    c.time = tp_intervals_minus(a->arena, tp_intervals_of(&time), a->cpu->loading);
    c.detail = tp_advisor_text(a, "%lld rows in the products; at most this part of the time of a sample, with %d",
                               (long long)most, USUAL_BATCH);
    tp_advisor_add(a, &c);
}

/* ---- unequal steps (H20) ---- */

/* Elements that the products of a step have, as a measure of its work. */
static void add_work(const struct tp_model *model, int64_t *work, uint32_t op)
{
    uint32_t step = tp_step_of_host(model, tp_operator_event(model, op)->ts_ns);
    struct tp_shape shape = shape_of(model, op, rows_of(model, op) ? 0 : 1);
    if (step < model->step_count && model->marks[tp_operator_event(model, op)->name] & TP_MARK_ELIGIBLE &&
        shape.is_known)
        work[step] = tp_ns_max(work[step], tp_shape_product(&shape));
}

static void find_unequal_steps(struct tp_advisor *a)
{
    const struct tp_model *model = a->model;
    struct tp_candidate c = {.rule = TP_RULE_H20, .is_forced = true, .severity = TP_SEVERITY_MEDIUM, .share = NAN};
    int64_t *work = tp_arena_array(a->arena, model->step_count, sizeof *work);
    int64_t *lengths = tp_arena_array(a->arena, model->used_count, sizeof *lengths);
    uint32_t count = 0, longest = 0, shortest = TP_NO_ID;
    for (uint32_t i = 0; i < a->cpu->count; i++)
        add_work(model, work, a->cpu->ops[i]);
    for (uint32_t s = 0; s < model->step_count; s++) {
        if (!tp_step_is_used(&model->steps[s]))
            continue;
        lengths[count++] = model->steps[s].end_ns - model->steps[s].start_ns;
        longest = shortest == TP_NO_ID || work[s] > work[longest] ? s : longest;
        shortest = shortest == TP_NO_ID || work[s] < work[shortest] ? s : shortest;
    }
    if (count < MIN_STEPS || work[shortest] <= 0 || work[longest] < 2 * work[shortest])
        return;
    int64_t median = tp_lower_median(lengths, count);
    int64_t most = model->steps[longest].end_ns - model->steps[longest].start_ns;
    if ((double)most < tp_rule_value(a, TP_RULE_H20, "min_ratio") * (double)median ||
        model->steps[longest].event == TP_NO_ID)
        return;
    tp_picks_append(&c.picks, model->steps[longest].event);
    c.detail = tp_advisor_text(a, "the largest product of a step has %.1f times the elements of the smallest step's",
                               (double)work[longest] / (double)work[shortest]);
    tp_advisor_add(a, &c);
}

void tp_rule_cpu_batch(struct tp_advisor *a)
{
    if (!find_samples(a))
        find_small_batch(a);
    find_unequal_steps(a);
}
