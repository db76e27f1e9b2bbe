/* Rule H2: a Python loop that takes a tensor apart, seen as sibling operators whose names repeat in a short period. */
#include "webreport/measure/rules_cpu.h"

enum { MAX_PERIOD = 64 };

/* Operators of the windows outside the loader, grouped by owner, in key order. */
struct siblings {
    uint32_t *events;
    uint32_t count;
};

/* Search of one group for repetitions. run_end[p]: first position from which names p apart differ. */
struct search {
    struct tp_advisor *a;
    struct tp_vec *time;
    struct tp_picks *picks;
    uint32_t max_period, min_repeats;
    int64_t run_end[MAX_PERIOD + 1];
};

static uint32_t owner_slot(const struct tp_cpu_program *cpu, uint32_t event)
{
    return cpu->owner[event] + 1; /* 0: no owner */
}

static bool counts(const struct tp_advisor *a, uint32_t event)
{
    unsigned bits = a->cpu->bits[event] & (TP_CPU_IN_WINDOW | TP_CPU_IN_LOADER);
    return tp_old_role(tp_host_event(a->host, event)) == TP_KIND_OPERATOR && bits == TP_CPU_IN_WINDOW;
}

static uint32_t name_at(const struct search *s, const struct siblings *group, int64_t i)
{
    return tp_host_event(s->a->host, group->events[i])->name;
}

/* How often the names from j on repeat with period p: each run of equal names is walked once per period. */
static int64_t repeats_at(struct search *s, const struct siblings *group, int64_t j, uint32_t p)
{
    int64_t *end = &s->run_end[p];
    if (*end < j) {
        *end = j;
        while (*end + p < group->count && name_at(s, group, *end) == name_at(s, group, *end + p))
            ++*end;
    }
    return 1 + (*end - j) / p;
}

/* Takes the smallest period that repeats often enough; returns how many operators it covers, 0 for none. */
static int64_t find_repetition(struct search *s, const struct siblings *group, int64_t j)
{
    for (uint32_t p = 1; p <= s->max_period && j + p < group->count; p++) {
        int64_t repeats = repeats_at(s, group, j, p);
        if (repeats < s->min_repeats)
            continue;
        const struct tp_event *from = tp_host_event(s->a->host, group->events[j + p]);
        const struct tp_event *to = tp_host_event(s->a->host, group->events[j + repeats * p - 1]);
        tp_intervals_push(s->time, from->ts_ns, tp_event_end(to));
        tp_picks_rank(s->picks, s->a, 0, group->events[j], group->events[j]);
        return repeats * p;
    }
    return 0;
}

static void search_group(struct search *s, const struct siblings *group)
{
    for (uint32_t p = 0; p <= MAX_PERIOD; p++)
        s->run_end[p] = -1;
    for (int64_t j = 0; j < group->count;) {
        int64_t covered = 0;
        if (tp_host_marks(s->a->host, group->events[j]) & TP_NAME_INDEX_OP)
            covered = find_repetition(s, group, j);
        j += covered ? covered : 1;
    }
}

void tp_rule_cpu_loop(struct tp_advisor *a)
{
    const struct tp_cpu_program *cpu = a->cpu;
    size_t slots = (size_t)a->host->trace->event_count + 3;
    struct tp_candidate c = {.rule = TP_RULE_H2, .has_ceiling = true};
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    struct search search = {.a = a, .time = &time, .picks = &c.picks};
    search.max_period = (uint32_t)tp_rule_value(a, TP_RULE_H2, "max_period");
    search.min_repeats = (uint32_t)fmin(fmax(2, tp_rule_value(a, TP_RULE_H2, "min_repeats")), 1e9);
    uint32_t *first = tp_arena_array(a->arena, slots, sizeof *first);
    uint32_t *sorted = tp_arena_array(a->arena, cpu->count, sizeof *sorted);
    for (uint32_t i = 0; i < cpu->count; i++)
        if (counts(a, cpu->list[i]))
            first[owner_slot(cpu, cpu->list[i]) + 2]++;
    for (size_t i = 1; i < slots; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < cpu->count; i++)
        if (counts(a, cpu->list[i]))
            sorted[first[owner_slot(cpu, cpu->list[i]) + 1]++] = cpu->list[i];
    for (size_t i = 0; i + 2 < slots; i++) {
        struct siblings group = {sorted + first[i], first[i + 1] - first[i]};
        if (group.count >= search.min_repeats)
            search_group(&search, &group);
    }
    tp_arena_drop(a->arena, first, slots * sizeof *first);
    tp_arena_drop(a->arena, sorted, cpu->count * sizeof *sorted);
    c.time = tp_intervals_of(&time);
    if (tp_set_percent(a, c.time) >= tp_rule_value(a, TP_RULE_H2, "min_pct"))
        tp_advisor_add(a, &c);
}
