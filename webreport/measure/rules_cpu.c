/* Rules of programs without device: loader (H1), optimizer (H3), small operators (H5), Python (H6), copies (H7),
 * exposed communication (H8). The loop (H2) and the crowd (H4) have files of their own. */
#include "webreport/measure/rules_cpu.h"

#include "writer/base/sort.h"

double tp_set_percent(const struct tp_advisor *a, struct tp_intervals set)
{
    return tp_window_percent(a, tp_intervals_meet_length(set, a->host->windows));
}

static bool is_loader(const struct tp_advisor *a, const struct tp_event *e)
{
    return a->host->marks[e->name] & TP_NAME_LOADER &&
           (tp_old_role(e) == TP_KIND_ANNOTATION || tp_old_role(e) == TP_KIND_OPERATOR);
}

static void find_loading(struct tp_advisor *a, struct tp_cpu_program *cpu)
{
    struct tp_vec pieces = TP_VEC(a->arena, struct tp_interval);
    for (uint32_t i = 0; i < cpu->count; i++) {
        const struct tp_event *e = tp_host_event(a->host, cpu->list[i]);
        if (is_loader(a, e))
            tp_intervals_push(&pieces, e->ts_ns, tp_event_end(e));
    }
    cpu->loading = tp_intervals_meet(a->arena, tp_intervals_of(&pieces), a->host->windows);
}

/* Is `at` in the set? Times ascend from call to call, *next being the place reached. */
static bool is_in(struct tp_intervals set, size_t *next, int64_t at)
{
    while (*next < set.count && set.items[*next].b <= at)
        ++*next;
    return *next < set.count && set.items[*next].a <= at;
}

static void place_events(struct tp_advisor *a, struct tp_cpu_program *cpu)
{
    const struct tp_host *host = a->host;
    size_t window = 0, loader = 0;
    for (uint32_t i = 0; i < cpu->count; i++) {
        uint32_t id = cpu->list[i], parent = host->parent[id];
        const struct tp_event *e = tp_host_event(host, id);
        uint8_t bits = is_in(host->windows, &window, e->ts_ns) ? TP_CPU_IN_WINDOW : 0;
        bits |= is_in(cpu->loading, &loader, e->ts_ns) ? TP_CPU_IN_LOADER : 0;
        cpu->owner[id] = parent;
        if (parent != TP_NO_ID) {
            const struct tp_event *above = tp_host_event(host, parent);
            bits |= cpu->bits[parent] & (TP_CPU_UNDER_OP | TP_CPU_UNDER_COPY);
            bits |= tp_old_role(above) == TP_KIND_OPERATOR ? TP_CPU_UNDER_OP : 0;
            bits |= host->marks[above->name] & TP_NAME_COPY_OPS ? TP_CPU_UNDER_COPY : 0;
            if (tp_old_role(above) == TP_KIND_FRAME)
                cpu->owner[id] = cpu->owner[parent];
        }
        cpu->bits[id] |= bits;
        if (tp_old_role(e) != TP_KIND_OPERATOR)
            continue;
        cpu->op_count += bits & TP_CPU_IN_WINDOW;
        if (cpu->owner[id] != TP_NO_ID)
            cpu->bits[cpu->owner[id]] |= TP_CPU_HAS_OPS;
    }
}

void tp_rules_prepare_cpu(struct tp_advisor *a)
{
    const struct tp_host *host = a->host;
    struct tp_cpu_program *cpu = a->cpu = tp_arena_alloc(a->arena, sizeof *cpu);
    uint32_t first = host->thread_first[host->main_thread];
    cpu->list = host->list + first;
    cpu->count = host->thread_first[host->main_thread + 1] - first;
    cpu->bits = tp_arena_array(a->arena, host->trace->event_count, 1);
    cpu->owner = tp_arena_array(a->arena, host->trace->event_count, sizeof *cpu->owner);
    find_loading(a, cpu);
    place_events(a, cpu);
}

/* Has the event all of the bits `with` and none of `without`? */
static bool has_bits(const struct tp_cpu_program *cpu, uint32_t event, unsigned with, unsigned without)
{
    return (cpu->bits[event] & (with | without)) == with;
}

/* ---- H1 ---- */

void tp_rule_cpu_loader(struct tp_advisor *a)
{
    const struct tp_cpu_program *cpu = a->cpu;
    struct tp_candidate c = {.rule = TP_RULE_H1, .has_ceiling = true, .time = cpu->loading};
    if (!(tp_set_percent(a, cpu->loading) > tp_rule_value(a, TP_RULE_H1, "min_pct")))
        return;
    for (uint32_t i = 0; i < cpu->count; i++) {
        const struct tp_event *e = tp_host_event(a->host, cpu->list[i]);
        if (!is_loader(a, e) || !(cpu->bits[cpu->list[i]] & TP_CPU_IN_WINDOW))
            continue;
        tp_picks_rank(&c.picks, a, e->dur_ns, cpu->list[i], cpu->list[i]);
        if (a->host->marks[e->name] & TP_NAME_SINGLE_PROCESS)
            c.detail = TP_STR("loaded in the training process (num_workers=0)");
    }
    tp_advisor_add(a, &c);
}

/* ---- H3 ---- */

/* Starts of fused operators in the windows, ascending. */
static struct tp_vec find_fused(const struct tp_advisor *a)
{
    const struct tp_cpu_program *cpu = a->cpu;
    struct tp_vec starts = TP_VEC(a->arena, int64_t);
    for (uint32_t i = 0; i < cpu->count; i++) {
        const struct tp_event *e = tp_host_event(a->host, cpu->list[i]);
        if (tp_old_role(e) == TP_KIND_OPERATOR && a->host->marks[e->name] & TP_NAME_FUSED &&
            cpu->bits[cpu->list[i]] & TP_CPU_IN_WINDOW)
            *(int64_t *)tp_vec_push(&starts) = e->ts_ns;
    }
    return starts;
}

static bool has_start_within(const struct tp_vec *starts, int64_t a, int64_t b)
{
    size_t lo = 0, hi = starts->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (*TP_AT(starts, int64_t, mid) < a)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < starts->count && *TP_AT(starts, int64_t, lo) < b;
}

/* Optimizer steps of the windows in which nothing is fused. */
static struct tp_vec find_optimizers(const struct tp_advisor *a)
{
    const struct tp_cpu_program *cpu = a->cpu;
    struct tp_vec fused = find_fused(a), steps = TP_VEC(a->arena, uint32_t);
    for (uint32_t i = 0; i < cpu->count; i++) {
        const struct tp_event *e = tp_host_event(a->host, cpu->list[i]);
        uint64_t marks = a->host->marks[e->name];
        if (tp_old_role(e) == TP_KIND_ANNOTATION && marks & TP_NAME_OPTIMIZER_STEP && !(marks & TP_NAME_FUSED) &&
            cpu->bits[cpu->list[i]] & TP_CPU_IN_WINDOW && !has_start_within(&fused, e->ts_ns, tp_event_end(e)))
            *(uint32_t *)tp_vec_push(&steps) = cpu->list[i];
    }
    return steps;
}

/* Operators without operators inside, within a set: how many, and how many different ones. */
static void count_leaves(const struct tp_advisor *a, struct tp_intervals set, int64_t *calls, int64_t *names)
{
    const struct tp_cpu_program *cpu = a->cpu;
    uint8_t *is_seen = tp_arena_array(a->arena, a->host->trace->names.count, 1);
    size_t next = 0;
    for (uint32_t i = 0; i < cpu->count; i++) {
        const struct tp_event *e = tp_host_event(a->host, cpu->list[i]);
        if (tp_old_role(e) != TP_KIND_OPERATOR || !has_bits(cpu, cpu->list[i], TP_CPU_IN_WINDOW, TP_CPU_HAS_OPS) ||
            !is_in(set, &next, e->ts_ns))
            continue;
        ++*calls;
        *names += !is_seen[e->name];
        is_seen[e->name] = 1;
    }
    tp_arena_drop(a->arena, is_seen, a->host->trace->names.count);
}

void tp_rule_cpu_optimizer(struct tp_advisor *a)
{
    struct tp_vec steps = find_optimizers(a), pieces = TP_VEC(a->arena, struct tp_interval);
    struct tp_candidate c = {.rule = TP_RULE_H3, .has_ceiling = true};
    int64_t calls = 0, names = 0, count = (int64_t)steps.count;
    for (int64_t i = 0; i < count; i++) {
        uint32_t id = *TP_AT(&steps, uint32_t, i);
        const struct tp_event *e = tp_host_event(a->host, id);
        tp_intervals_push(&pieces, e->ts_ns, tp_event_end(e));
        tp_picks_rank(&c.picks, a, e->dur_ns, id, id);
    }
    if (!count)
        return;
    count_leaves(a, tp_intervals_of(&pieces), &calls, &names);
    if (calls < count || (double)calls < tp_rule_value(a, TP_RULE_H3, "min_calls") * (double)count)
        return;
    int64_t per_step = calls / count;
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    for (int64_t i = 0; i < count; i++) {
        const struct tp_event *e = tp_host_event(a->host, *TP_AT(&steps, uint32_t, i));
        int64_t needed = tp_ns_scaled(e->dur_ns, tp_ns_min(names, per_step), per_step);
        tp_intervals_push(&time, e->ts_ns + needed, tp_event_end(e));
    }
    c.time = tp_intervals_of(&time);
    if (tp_set_percent(a, c.time) < tp_rule_value(a, TP_RULE_H3, "min_pct"))
        return;
    c.detail = tp_advisor_text(a, "%lld operator calls per optimizer step, %lld different operators",
                               (long long)per_step, (long long)names);
    tp_advisor_add(a, &c);
}

/* ---- H5 ---- */

void tp_rule_cpu_small(struct tp_advisor *a)
{
    const struct tp_cpu_program *cpu = a->cpu;
    struct tp_candidate c = {.rule = TP_RULE_H5, .has_ceiling = true};
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    double small_us = tp_rule_value(a, TP_RULE_H5, "small_us");
    int64_t all = 0;
    for (uint32_t i = 0; i < cpu->count; i++) {
        const struct tp_event *e = tp_host_event(a->host, cpu->list[i]);
        if (tp_old_role(e) != TP_KIND_OPERATOR ||
            !has_bits(cpu, cpu->list[i], TP_CPU_IN_WINDOW, TP_CPU_UNDER_OP | TP_CPU_IN_LOADER))
            continue;
        all++;
        if ((double)e->dur_ns >= small_us * 1000)
            continue;
        tp_intervals_push(&time, e->ts_ns, tp_event_end(e));
        tp_picks_rank(&c.picks, a, e->dur_ns, cpu->list[i], cpu->list[i]);
    }
    if ((double)c.picks.total < tp_rule_value(a, TP_RULE_H5, "min_per_step") * a->host->step_count ||
        tp_percent(c.picks.total, all) < tp_rule_value(a, TP_RULE_H5, "min_count_pct"))
        return;
    c.time = tp_intervals_of(&time);
    if (tp_set_percent(a, c.time) < tp_rule_value(a, TP_RULE_H5, "min_pct"))
        return;
    c.detail = tp_advisor_text(a, "%lld of %lld outermost operator calls are shorter than %g us",
                               (long long)c.picks.total, (long long)all, small_us);
    tp_advisor_add(a, &c);
}

/* ---- H6 ---- */

/* Times in which the program computes, calls the runtime, loads or communicates. */
static struct tp_intervals find_busy(struct tp_advisor *a)
{
    const struct tp_host *host = a->host;
    struct tp_vec pieces = TP_VEC(a->arena, struct tp_interval);
    for (uint32_t i = 0; i < host->list_count; i++) {
        const struct tp_event *e = tp_host_event(host, host->list[i]);
        bool is_main = e->thread == host->main_thread;
        bool is_busy = tp_old_role(e) == TP_KIND_OPERATOR || (is_main && tp_old_role(e) == TP_KIND_RUNTIME) ||
                       (!is_main && tp_old_role(e) == TP_KIND_ANNOTATION && host->marks[e->name] & TP_NAME_COLLECTIVE);
        if (is_busy)
            tp_intervals_push(&pieces, e->ts_ns, tp_event_end(e));
    }
    for (size_t i = 0; i < a->cpu->loading.count; i++)
        tp_intervals_push(&pieces, a->cpu->loading.items[i].a, a->cpu->loading.items[i].b);
    return tp_intervals_of(&pieces);
}

struct python_lines {
    struct tp_id_map ids;
    struct tp_vec lines; /* struct tp_line_time */
};

static void collect_line(void *context, const struct tp_host_stack_segment *segment)
{
    struct python_lines *p = context;
    uint32_t *id = tp_id_map_put(&p->ids, tp_id_pair(segment->fold.kind, segment->fold.text));
    if (*id == TP_NO_ID) {
        *id = (uint32_t)p->lines.count;
        *(struct tp_line_time *)tp_vec_push(&p->lines) =
            (struct tp_line_time){.fold = segment->fold, .event = segment->event};
    }
    struct tp_line_time *line = TP_AT(&p->lines, struct tp_line_time, *id);
    line->ns = tp_ns_plus(line->ns, tp_ns_minus(segment->b, segment->a));
}

static struct tp_vec find_lines(struct tp_advisor *a, struct tp_intervals time)
{
    struct python_lines p;
    tp_id_map_init(&p.ids, a->arena);
    p.lines = TP_VEC(a->arena, struct tp_line_time);
    struct tp_host_stack_walk walk = {.host = a->host, .visit = collect_line, .context = &p};
    struct tp_host_stack_piece *pieces = tp_arena_array(a->arena, time.count, sizeof *pieces);
    for (size_t i = 0; i < time.count; i++)
        pieces[i] = (struct tp_host_stack_piece){time.items[i].a, time.items[i].b, 0};
    tp_host_stack_walk(&walk, a->host->main_thread, pieces, time.count);
    tp_line_times_sort(a, p.lines.data, p.lines.count);
    return p.lines;
}

void tp_rule_cpu_python(struct tp_advisor *a)
{
    enum { SHOWN_LINES = 5 };
    struct tp_candidate c = {.rule = TP_RULE_H6, .has_ceiling = true};
    c.time = tp_intervals_minus(a->arena, a->host->windows, find_busy(a));
    double share = tp_window_percent(a, tp_intervals_length(c.time));
    if (share < tp_rule_value(a, TP_RULE_H6, "min_pct") || !a->cpu->op_count)
        return;
    struct tp_vec lines = find_lines(a, c.time);
    for (size_t i = 0; i < lines.count; i++) {
        uint32_t event = TP_AT(&lines, struct tp_line_time, i)->event;
        if (event != TP_NO_ID)
            tp_picks_append(&c.picks, a, event, event);
    }
    c.lower = a->host->has_python ? 1 : 0; /* recording stacks makes Python slower */
    c.detail = tp_line_times_text(a, lines.data, lines.count, SHOWN_LINES, "");
    tp_advisor_add(a, &c);
}

/* ---- H7 ---- */

void tp_rule_cpu_copies(struct tp_advisor *a)
{
    const struct tp_cpu_program *cpu = a->cpu;
    struct tp_candidate c = {.rule = TP_RULE_H7, .has_ceiling = true};
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    for (uint32_t i = 0; i < cpu->count; i++) {
        const struct tp_event *e = tp_host_event(a->host, cpu->list[i]);
        if (tp_old_role(e) != TP_KIND_OPERATOR || !(a->host->marks[e->name] & TP_NAME_COPY_OPS) ||
            !has_bits(cpu, cpu->list[i], TP_CPU_IN_WINDOW, TP_CPU_IN_LOADER))
            continue;
        tp_intervals_push(&time, e->ts_ns, tp_event_end(e));
        if (!(cpu->bits[cpu->list[i]] & TP_CPU_UNDER_COPY))
            tp_picks_rank(&c.picks, a, e->dur_ns, cpu->list[i], cpu->list[i]);
    }
    c.time = tp_intervals_of(&time);
    if (tp_set_percent(a, c.time) >= tp_rule_value(a, TP_RULE_H7, "min_pct"))
        tp_advisor_add(a, &c);
}

/* ---- H8 ---- */

void tp_rule_cpu_communication(struct tp_advisor *a)
{
    const struct tp_host *host = a->host;
    struct tp_candidate c = {.rule = TP_RULE_H8, .has_ceiling = true};
    struct tp_vec waiting = TP_VEC(a->arena, struct tp_interval), compute = waiting;
    for (uint32_t i = 0; i < host->list_count; i++) {
        const struct tp_event *e = tp_host_event(host, host->list[i]);
        uint64_t marks = host->marks[e->name];
        if (tp_old_role(e) == TP_KIND_OPERATOR && !(marks & TP_NAME_C10D))
            tp_intervals_push(&compute, e->ts_ns, tp_event_end(e));
        if (tp_old_role(e) != TP_KIND_ANNOTATION || !(marks & TP_NAME_COLLECTIVE))
            continue;
        tp_intervals_push(&waiting, e->ts_ns, tp_event_end(e));
        if (tp_in_windows(a, e->ts_ns))
            tp_picks_rank(&c.picks, a, e->dur_ns, host->list[i], host->list[i]);
    }
    if (!waiting.count)
        return;
    c.time = tp_intervals_minus(a->arena, tp_intervals_of(&waiting), tp_intervals_of(&compute));
    if (tp_set_percent(a, c.time) > tp_rule_value(a, TP_RULE_H8, "min_pct"))
        tp_advisor_add(a, &c);
}
