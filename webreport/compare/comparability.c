/* Compares the properties ("facts") of the runs on two sides. See comparability.h. */
#include "webreport/compare/comparability.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "webreport/trace/input_facts.h"
#include "writer/base/utf8.h"
#include "writer/text/format.h"

#define OF_INPUT (TP_UNKNOWN_OPERATORS | TP_UNKNOWN_SHAPES)

/* The class of each fact (property of a run) in summaries (summary_facts.c). Facts that are not in this table are
 * results. */
static const struct rule {
    const char *name, *absent; /* absent: value of the fact on a side that lacks it; NULL if that value is unknown */
    enum tp_fact_class class;
    bool is_computed_from_rows; /* true: the fact's value is computed from the rows that both sides have */
    uint32_t data;              /* kinds of data that the fact needs, as bits of enum tp_unknown */
} rules[] = {
    {"gpu", NULL, TP_FACT_DEFINING, false, TP_UNKNOWN_DEVICE_PROPERTIES},
    {"gpu.vendor", NULL, TP_FACT_DEFINING, false, TP_UNKNOWN_DEVICE_PROPERTIES},
    {"gpu.count", NULL, TP_FACT_DEFINING, false, TP_UNKNOWN_DEVICE_PROPERTIES},
    /* depends only on the GPU model, which the fact `gpu` already compares */
    {"gpu.compute_capability", NULL, TP_FACT_ENVIRONMENT, false, 0},
    {"world_size", "1", TP_FACT_DEFINING, false, TP_UNKNOWN_RANKS},
    {"input", NULL, TP_FACT_DEFINING, false, OF_INPUT},
    {"batch_size", NULL, TP_FACT_DEFINING, false, OF_INPUT},
    {"dtype", NULL, TP_FACT_DEFINING, false, OF_INPUT | TP_UNKNOWN_DTYPES},
    {"step.marker", NULL, TP_FACT_DEFINING, false, 0},
    {"with_stack", NULL, TP_FACT_RECORDING, false, 0},
    {"profile_memory", NULL, TP_FACT_RECORDING, false, 0},
    {"record_shapes", NULL, TP_FACT_RECORDING, false, 0},
    {"with_modules", NULL, TP_FACT_RECORDING, false, 0},
    {"with_flops", NULL, TP_FACT_RECORDING, false, 0},
    {"host", NULL, TP_FACT_ENVIRONMENT, false, 0}, /* runs on different hosts vary more but are comparable */
    {"framework", NULL, TP_FACT_ENVIRONMENT, false, 0},
    {"cuda.runtime", NULL, TP_FACT_ENVIRONMENT, false, 0},
    {"cuda.driver", NULL, TP_FACT_ENVIRONMENT, false, 0},
    {"operators.shapes", NULL, TP_FACT_RESULT, true, 0},
    {"operators.dtypes", NULL, TP_FACT_RESULT, true, 0},
    {"step.count", NULL, TP_FACT_RESULT, true, 0},
};
enum { RULES = sizeof rules / sizeof *rules };

enum { COMMON_PERCENT = 90, MAX_VALUES = 4 };

const char *tp_fact_verdict_name(enum tp_fact_verdict verdict)
{
    static const char *const names[] = {"same", "differs", "unknown"};
    return names[verdict];
}

const char *tp_fact_class_name(enum tp_fact_class class)
{
    static const char *const names[TP_FACT_CLASSES] = {"defining", "recording", "environment", "result"};
    return names[class];
}

const char *tp_workload_name(enum tp_workload workload)
{
    static const char *const names[] = {"same", "unknown", "other"};
    return names[workload];
}

static const struct rule *find_rule_of_fact(struct tp_str name)
{
    static const struct rule other = {"", NULL, TP_FACT_RESULT, false, 0};
    for (unsigned i = 0; i < RULES; i++)
        if (tp_str_equal(name, tp_str_of(rules[i].name)))
            return &rules[i];
    return &other;
}

static struct tp_str copy_text(struct tp_arena *arena, const char *text)
{
    size_t len = strlen(text);
    return (struct tp_str){tp_arena_copy(arena, text, len), len};
}

/* ---- values of facts on one side ---- */

/* Returns the value of the fact in the runs of the side. Different values are joined in order of first appearance. */
static struct tp_str fact_value_of_side(const struct tp_side *side, struct tp_str name, struct tp_arena *arena)
{
    struct tp_str values[MAX_VALUES];
    unsigned count = 0;
    size_t size = 0;
    for (uint32_t r = 0; r < side->input->run_count; r++) {
        struct tp_str value = tp_summary_fact_value(&side->input->runs[r], name);
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

/* Returns whether any run of the side has the fact, even without a value. */
static bool has_fact(const struct tp_side *side, struct tp_str name)
{
    for (uint32_t r = 0; r < side->input->run_count; r++)
        for (uint32_t i = 0; i < side->input->runs[r].fact_count; i++)
            if (tp_str_equal(side->input->runs[r].facts[i].name, name))
                return true;
    return false;
}

static enum tp_fact_verdict compare_fact_values(const struct tp_str values[TP_SIDES])
{
    if (!values[TP_BASE].len || !values[TP_NEW].len)
        return TP_FACT_UNKNOWN;
    return tp_str_equal(values[TP_BASE], values[TP_NEW]) ? TP_FACT_SAME : TP_FACT_DIFFERS;
}

/* ---- operator rows that both sides have ---- */

/* A property of operator rows that two runs must share. */
enum aspect { ASPECT_SHAPE, ASPECT_DTYPE };

static struct tp_str text_of_aspect(const struct tp_identity *identity, enum aspect aspect)
{
    return aspect == ASPECT_SHAPE ? identity->shape : identity->dtype;
}

/* Returns the kind of rows to compare: device operators if both sides have them, else host operators. Host operators
 * are the second choice because the operators of a data loader process images of many shapes. */
static enum tp_summary_kind compared_kind(const struct tp_sides *sides)
{
    bool has_device[TP_SIDES] = {false};
    for (uint32_t i = 0; i < sides->identity_count; i++)
        for (int s = 0; s < TP_SIDES; s++)
            has_device[s] |=
                tp_sides_identity(sides, i).kind == TP_SUMMARY_OPERATOR_DEVICE && tp_sides_row(sides, s, i)->exists;
    return has_device[TP_BASE] && has_device[TP_NEW] ? TP_SUMMARY_OPERATOR_DEVICE : TP_SUMMARY_OPERATOR_HOST;
}

/* Returns the share of time in calls whose shapes (or types) occur on both sides, on the side where this share is
 * smaller. Only operators that both sides call are compared. Returns NaN if no operator has shapes. */
static double common_time_share(const struct tp_sides *sides, enum aspect aspect)
{
    enum tp_summary_kind kind = compared_kind(sides);
    struct tp_arena *arena = sides->arena;
    struct tp_keys names, pairs;
    /* for each name, and each pair of name and aspect: bit s is set if side s has the name or pair */
    uint8_t *name_on, *pair_on;
    double share = NAN;
    tp_keys_init(&names, arena, 1);
    tp_keys_init(&pairs, arena, 2);
    name_on = tp_arena_array(arena, sides->identity_count, 1);
    pair_on = tp_arena_array(arena, sides->identity_count, 1);
    /* pass 0 finds the names and pairs of each side; pass 1 sums the times of BASE, and pass 2 those of NEW */
    for (int pass = 0; pass <= TP_SIDES; pass++) {
        double all = 0, common = 0;
        for (uint32_t i = 0; i < sides->identity_count; i++) {
            const uint32_t *key = tp_keys_get(&sides->keys, i);
            struct tp_identity identity = tp_sides_identity(sides, i);
            if (identity.kind != kind || !text_of_aspect(&identity, aspect).len)
                continue;
            uint32_t name = tp_keys_add(&names, &key[1]);
            uint32_t pair = tp_keys_pair(&pairs, name, aspect == ASPECT_SHAPE ? key[3] : key[4]);
            for (int s = 0; pass == 0 && s < TP_SIDES; s++)
                if (tp_sides_row(sides, s, i)->exists) {
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

static void init_fact_pair(struct tp_fact_pair *fact, const char *name)
{
    *fact = (struct tp_fact_pair){tp_str_of(name), {TP_STR(""), TP_STR("")}, TP_FACT_UNKNOWN, TP_FACT_RESULT};
    fact->class = find_rule_of_fact(fact->name)->class;
}

static void add_common_time_share(struct tp_comparability *c, const struct tp_sides *sides, const char *name,
                                  enum aspect aspect)
{
    struct tp_fact_pair *fact = &c->facts[c->fact_count++];
    double percent = 100 * common_time_share(sides, aspect);
    init_fact_pair(fact, name);
    if (isnan(percent))
        return;
    const char *text = tp_text_of_fixed(sides->arena, floor(percent), 0);
    fact->values[TP_BASE] = fact->values[TP_NEW] = tp_str_of(tp_text_printf(sides->arena, "%s %% in common", text));
    fact->verdict = percent >= COMMON_PERCENT ? TP_FACT_SAME : TP_FACT_DIFFERS;
}

/* Adds the fact "step.count". The sides differ if one of them has more than twice as many steps per run. */
static void add_step_count_fact(struct tp_comparability *c, const struct tp_sides *sides)
{
    struct tp_fact_pair *fact = &c->facts[c->fact_count++];
    double of_run[TP_SIDES];
    init_fact_pair(fact, "step.count");
    for (int s = 0; s < TP_SIDES; s++) {
        uint32_t runs = sides->side[s].input->run_count;
        char text[48];
        of_run[s] = (double)sides->side[s].step_count / (runs ? runs : 1);
        int size = snprintf(text, sizeof text, "%zu", sides->side[s].step_count);
        if (runs > 1)
            snprintf(text + size, sizeof text - (size_t)size, " in %u runs", runs);
        fact->values[s] = copy_text(sides->arena, text);
    }
    fact->verdict =
        of_run[TP_BASE] <= 2 * of_run[TP_NEW] && of_run[TP_NEW] <= 2 * of_run[TP_BASE] ? TP_FACT_SAME : TP_FACT_DIFFERS;
}

/* ---- all ---- */

/* Collects the names of all facts of both sides, each once. Returns their number. */
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

/* Returns the text after the first dimension of a shape, such as "3, 8]" for "[16, 3, 8]". */
static struct tp_str skip_first_size(struct tp_str shape)
{
    ptrdiff_t at = tp_str_find(shape, ", ");
    return at < 0 ? shape : (struct tp_str){shape.ptr + at, shape.len - (size_t)at};
}

/* Updates the verdict on the workload (same, other or unknown) with one fact. */
static void add_fact_to_workload(struct tp_comparability *c, const struct tp_fact_pair *fact, bool has_fact)
{
    bool is_half_known = fact->verdict == TP_FACT_UNKNOWN && has_fact && (fact->values[0].len || fact->values[1].len);
    enum tp_workload workload = fact->verdict == TP_FACT_DIFFERS ? TP_WORKLOAD_OTHER
                                : is_half_known                  ? TP_WORKLOAD_UNKNOWN
                                                                 : TP_WORKLOAD_SAME;
    bool is_input = tp_str_equal(fact->name, TP_STR("input"));
    c->counts[fact->verdict]++;
    c->has_other_recorder_options |= fact->class == TP_FACT_RECORDING && fact->verdict == TP_FACT_DIFFERS;
    if (fact->class != TP_FACT_DEFINING || workload == TP_WORKLOAD_SAME)
        return;
    c->workload = workload > c->workload ? workload : c->workload;
    if (is_input && workload == TP_WORKLOAD_OTHER) {
        c->has_other_input_shape = true;
        c->differs_only_in_batch_size =
            tp_str_equal(skip_first_size(fact->values[TP_BASE]), skip_first_size(fact->values[TP_NEW]));
    } else if (workload == TP_WORKLOAD_OTHER && !tp_str_equal(fact->name, TP_STR("batch_size"))) {
        c->is_other_input_alone = false;
    }
}

void tp_comparability_build(struct tp_comparability *c, const struct tp_sides *sides)
{
    struct tp_strings names;
    size_t count = find_names(&names, sides);
    *c = (struct tp_comparability){.facts = tp_arena_array(sides->arena, count + 3, sizeof *c->facts),
                                   .is_other_input_alone = true};
    for (uint32_t i = 0; i < names.count; i++) {
        const struct rule *rule = find_rule_of_fact(names.items[i]);
        bool is_in_both = true;
        if (rule->is_computed_from_rows)
            continue;
        struct tp_fact_pair *fact = &c->facts[c->fact_count++];
        fact->name = names.items[i];
        fact->class = rule->class;
        for (int s = 0; s < TP_SIDES; s++) {
            fact->values[s] = fact_value_of_side(&sides->side[s], fact->name, sides->arena);
            is_in_both &= has_fact(&sides->side[s], fact->name);
        }
        bool is_left_out = rule->data & sides->left_out;
        for (int s = 0; s < TP_SIDES && rule->absent && !is_left_out; s++)
            if (!fact->values[s].len && fact->values[TP_SIDES - 1 - s].len)
                fact->values[s] = tp_str_of(rule->absent);
        fact->verdict = compare_fact_values(fact->values);
        /* two profilers may find such a fact in different events, so that a missing one is no evidence */
        is_left_out |= sides->has_two_profilers && rule->data;
        add_fact_to_workload(c, fact, is_in_both && !is_left_out);
    }
    add_common_time_share(c, sides, "operators.shapes", ASPECT_SHAPE);
    add_common_time_share(c, sides, "operators.dtypes", ASPECT_DTYPE);
    add_step_count_fact(c, sides);
    for (uint32_t i = c->fact_count - 3; i < c->fact_count; i++)
        c->counts[c->facts[i].verdict]++;
    c->is_not_comparable = c->workload != TP_WORKLOAD_SAME;
    c->is_other_input_alone &= c->has_other_input_shape;
}

/* Returns the differing facts of a class as text. For the defining class, the text includes facts that only one side
 * has. */
static const char *differing_facts_text(const struct tp_comparability *c, enum tp_fact_class class,
                                        struct tp_arena *arena)
{
    enum { MOST = 60 };
    const char *text = "";
    for (uint32_t i = 0; i < c->fact_count; i++) {
        const struct tp_fact_pair *f = &c->facts[i];
        bool is_half =
            class == TP_FACT_DEFINING && f->verdict == TP_FACT_UNKNOWN && (f->values[0].len || f->values[1].len);
        if (f->class != class || (f->verdict != TP_FACT_DIFFERS && !is_half))
            continue;
        struct tp_str shown[TP_SIDES];
        for (int s = 0; s < TP_SIDES; s++) {
            shown[s] = f->values[s].len ? f->values[s] : TP_STR("unknown");
            shown[s].len = tp_utf8_fitting_bytes(shown[s].ptr, shown[s].len, MOST);
        }
        text = tp_text_printf(arena, "%s%s%.*s %.*s \xe2\x86\x92 %.*s", text, *text ? ", " : "", (int)f->name.len,
                              f->name.ptr, (int)shown[TP_BASE].len, shown[TP_BASE].ptr, (int)shown[TP_NEW].len,
                              shown[TP_NEW].ptr);
    }
    return text;
}

const char *tp_comparability_text(const struct tp_comparability *c, struct tp_arena *arena)
{
    return differing_facts_text(c, TP_FACT_DEFINING, arena);
}

const char *tp_comparability_recording_text(const struct tp_comparability *c, struct tp_arena *arena)
{
    return differing_facts_text(c, TP_FACT_RECORDING, arena);
}
