/* Whether two sides may be compared: see comparability.h. */
#include "webreport/compare/comparability.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writer/text/format.h"

/* How facts of the summaries (summary_facts.c) are judged. What is not named here is shown and costs DEFAULT_WEIGHT. */
static const struct rule {
    const char *name;
    double tolerance; /* above 0: numbers that differ by at most this are the same */
    unsigned weight;
    bool is_by_rows; /* judged below, from what both sides have in common */
} rules[] = {
    {"gpu", 0, 60, false},
    {"gpu.count", 0, 60, false},
    {"gpu.compute_capability", 0, 20, false},
    {"world_size", 0, 60, false},
    {"batch_size", 0, 60, false},
    {"operators.shapes", 0, 60, true},
    {"operators.dtypes", 0, 20, true},
    {"dtype", 0, 20, false},
    {"step.marker", 0, 55, false},
    {"step.count", 0, 10, true},
    {"graph.share_pct", 10, 15, false},
    {"with_stack", 0, 15, false},
    {"profile_memory", 0, 10, false},
    {"record_shapes", 0, 5, false},
    {"with_modules", 0, 5, false},
    {"with_flops", 0, 5, false},
    {"framework", 0, 5, false},
    {"cuda.runtime", 0, 5, false},
    {"cuda.driver", 0, 5, false},
    {"host", 0, 0, false}, /* runs of another host differ more from each other, and are compared all the same */
};
enum { RULES = sizeof rules / sizeof *rules, DEFAULT_WEIGHT = 5 };

enum { COMMON_PERCENT = 90, MAX_VALUES = 4 };

const char *tp_fact_verdict_name(enum tp_fact_verdict verdict)
{
    static const char *const names[] = {"same", "differs", "unknown"};
    return names[verdict];
}

static const struct rule *rule_of(struct tp_str name)
{
    static const struct rule other = {"", 0, DEFAULT_WEIGHT, false};
    for (unsigned i = 0; i < RULES; i++)
        if (tp_str_equal(name, tp_str_of(rules[i].name)))
            return &rules[i];
    return &other;
}

static struct tp_str text_of(struct tp_arena *arena, const char *text)
{
    size_t len = strlen(text);
    return (struct tp_str){tp_arena_copy(arena, text, len), len};
}

/* ---- values of a side ---- */

static struct tp_str value_in(const struct tp_summary *run, struct tp_str name)
{
    for (uint32_t i = 0; i < run->fact_count; i++)
        if (tp_str_equal(run->facts[i].name, name))
            return run->facts[i].value;
    return TP_STR("");
}

/* The value of all runs, or the different ones joined, in order of first appearance. */
static struct tp_str value_of(const struct tp_side *side, struct tp_str name, struct tp_arena *arena)
{
    struct tp_str values[MAX_VALUES];
    unsigned count = 0;
    size_t size = 0;
    for (uint32_t r = 0; r < side->input->run_count; r++) {
        struct tp_str value = value_in(&side->input->runs[r], name);
        bool is_known = value.len == 0;
        for (unsigned i = 0; i < count; i++)
            is_known |= tp_str_equal(values[i], value);
        if (is_known || count == MAX_VALUES)
            continue;
        values[count++] = value;
        size += value.len + 3;
    }
    if (count == 0)
        return TP_STR("");
    if (count == 1)
        return values[0];
    char *text = tp_arena_alloc(arena, size), *at = text;
    for (unsigned i = 0; i < count; i++) {
        memcpy(at, " | ", i ? 3 : 0);
        at += i ? 3 : 0;
        memcpy(at, values[i].ptr, values[i].len);
        at += values[i].len;
    }
    return (struct tp_str){text, (size_t)(at - text)};
}

static bool read_number(struct tp_str text, double *out)
{
    char copy[64], *end;
    if (text.len == 0 || text.len >= sizeof copy)
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = 0;
    *out = strtod(copy, &end);
    return end != copy && isfinite(*out);
}

static enum tp_fact_verdict judge(const struct tp_str values[TP_SIDES], double tolerance)
{
    double numbers[TP_SIDES];
    if (!values[TP_BASE].len || !values[TP_NEW].len)
        return TP_FACT_UNKNOWN;
    if (tp_str_equal(values[TP_BASE], values[TP_NEW]))
        return TP_FACT_SAME;
    if (tolerance > 0 && read_number(values[TP_BASE], &numbers[0]) && read_number(values[TP_NEW], &numbers[1]) &&
        fabs(numbers[0] - numbers[1]) <= tolerance)
        return TP_FACT_SAME;
    return TP_FACT_DIFFERS;
}

/* ---- what the rows tell ---- */

/* A part of an identity that two runs must have in common. */
enum aspect { ASPECT_SHAPE, ASPECT_DTYPE };

static struct tp_str aspect_of(const struct tp_identity *identity, enum aspect aspect)
{
    return aspect == ASPECT_SHAPE ? identity->shape : identity->dtype;
}

/* What devices work on, where both sides have some: the data loader's images have a shape of their own each. */
static enum tp_summary_kind telling_kind(const struct tp_sides *sides)
{
    bool has_device[TP_SIDES] = {false};
    for (uint32_t i = 0; i < sides->identity_count; i++)
        for (int s = 0; s < TP_SIDES; s++)
            has_device[s] |=
                tp_sides_identity(sides, i).kind == TP_SUMMARY_OPERATOR_DEVICE && tp_sides_row(sides, s, i)->is_there;
    return has_device[TP_BASE] && has_device[TP_NEW] ? TP_SUMMARY_OPERATOR_DEVICE : TP_SUMMARY_OPERATOR_HOST;
}

/* Of the calls of operators that both sides have, the share whose shapes (or types) the other side has as well: the
 * lesser of both directions, weighted by time. NaN: no operator tells. */
static double share_in_common(const struct tp_sides *sides, enum aspect aspect)
{
    enum tp_summary_kind kind = telling_kind(sides);
    struct tp_arena *arena = sides->arena;
    struct tp_keys names, pairs;
    uint8_t *name_on, *pair_on; /* bit per side */
    double share = NAN;
    tp_keys_init(&names, arena, 1);
    tp_keys_init(&pairs, arena, 2);
    name_on = tp_arena_array(arena, sides->identity_count, 1);
    pair_on = tp_arena_array(arena, sides->identity_count, 1);
    for (int pass = 0; pass <= TP_SIDES; pass++) { /* pass 0 finds who has what; then a pass per side */
        double all = 0, common = 0;
        for (uint32_t i = 0; i < sides->identity_count; i++) {
            const uint32_t *key = tp_keys_get(&sides->keys, i);
            struct tp_identity identity = tp_sides_identity(sides, i);
            if (identity.kind != kind || !aspect_of(&identity, aspect).len)
                continue;
            uint32_t name = tp_keys_add(&names, &key[1]);
            uint32_t pair = tp_keys_pair(&pairs, name, aspect == ASPECT_SHAPE ? key[3] : key[4]);
            for (int s = 0; pass == 0 && s < TP_SIDES; s++)
                if (tp_sides_row(sides, s, i)->is_there) {
                    name_on[name] |= (uint8_t)(1u << s);
                    pair_on[pair] |= (uint8_t)(1u << s);
                }
            if (pass == 0 || name_on[name] != 3)
                continue;
            double time = tp_sides_row(sides, pass - 1, i)->ns;
            all += time;
            common += pair_on[pair] == 3 ? time : 0;
        }
        if (pass > 0 && all > 0)
            share = isnan(share) ? common / all : fmin(share, common / all);
    }
    return share;
}

static void start_fact(struct tp_fact_pair *fact, const char *name)
{
    *fact = (struct tp_fact_pair){tp_str_of(name), {TP_STR(""), TP_STR("")}, TP_FACT_UNKNOWN, 0};
    fact->weight = rule_of(fact->name)->weight;
}

static void add_share(struct tp_comparability *c, const struct tp_sides *sides, const char *name, enum aspect aspect)
{
    struct tp_fact_pair *fact = &c->facts[c->fact_count++];
    double percent = 100 * share_in_common(sides, aspect);
    start_fact(fact, name);
    if (isnan(percent))
        return;
    const char *text = tp_text_of_fixed(sides->arena, floor(percent), 0);
    fact->values[TP_BASE] = fact->values[TP_NEW] = tp_str_of(tp_text_printf(sides->arena, "%s %% in common", text));
    fact->verdict = percent >= COMMON_PERCENT ? TP_FACT_SAME : TP_FACT_DIFFERS;
}

/* Steps of a run: more runs of a side are more samples of the same. */
static void add_steps(struct tp_comparability *c, const struct tp_sides *sides)
{
    struct tp_fact_pair *fact = &c->facts[c->fact_count++];
    double of_run[TP_SIDES];
    start_fact(fact, "step.count");
    for (int s = 0; s < TP_SIDES; s++) {
        uint32_t runs = sides->side[s].input->run_count;
        char text[48];
        of_run[s] = (double)sides->side[s].step_count / (runs ? runs : 1);
        int size = snprintf(text, sizeof text, "%zu", sides->side[s].step_count);
        if (runs > 1)
            snprintf(text + size, sizeof text - (size_t)size, " in %u runs", runs);
        fact->values[s] = text_of(sides->arena, text);
    }
    fact->verdict =
        of_run[TP_BASE] <= 2 * of_run[TP_NEW] && of_run[TP_NEW] <= 2 * of_run[TP_BASE] ? TP_FACT_SAME : TP_FACT_DIFFERS;
}

/* ---- all ---- */

/* Names of both sides' facts, each once. */
static size_t find_names(struct tp_strings *names, const struct tp_sides *sides)
{
    tp_strings_init(names, sides->arena, 0);
    for (int s = 0; s < TP_SIDES; s++)
        for (uint32_t r = 0; r < sides->side[s].input->run_count; r++) {
            const struct tp_summary *run = &sides->side[s].input->runs[r];
            for (uint32_t i = 0; i < run->fact_count; i++)
                tp_strings_add(names, run->facts[i].name);
        }
    return names->count;
}

void tp_comparability_build(struct tp_comparability *c, const struct tp_sides *sides)
{
    struct tp_strings names;
    size_t count = find_names(&names, sides);
    double lost = 0;
    *c = (struct tp_comparability){.facts = tp_arena_array(sides->arena, count + 3, sizeof *c->facts)};
    for (uint32_t i = 0; i < names.count; i++) {
        const struct rule *rule = rule_of(names.items[i]);
        if (rule->is_by_rows)
            continue;
        struct tp_fact_pair *fact = &c->facts[c->fact_count++];
        fact->name = names.items[i];
        fact->weight = rule->weight;
        for (int s = 0; s < TP_SIDES; s++)
            fact->values[s] = value_of(&sides->side[s], fact->name, sides->arena);
        fact->verdict = judge(fact->values, rule->tolerance);
    }
    add_share(c, sides, "operators.shapes", ASPECT_SHAPE);
    add_share(c, sides, "operators.dtypes", ASPECT_DTYPE);
    add_steps(c, sides);
    for (uint32_t i = 0; i < c->fact_count; i++) {
        const struct tp_fact_pair *fact = &c->facts[i];
        bool is_half_known = fact->verdict == TP_FACT_UNKNOWN && (fact->values[0].len || fact->values[1].len);
        c->counts[fact->verdict]++;
        lost += fact->verdict == TP_FACT_DIFFERS ? fact->weight : is_half_known ? fact->weight / 4.0 : 0;
    }
    c->score = lost < 100 ? (unsigned)(100 - lost) : 0;
    c->is_low = c->score < TP_COMPARABLE_FROM;
}
