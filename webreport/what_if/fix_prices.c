/* Prices fixes with replays: each fix alone, and each fix after those before it in the order. See fix_prices.h. */
#include "webreport/what_if/fix_prices.h"

#include "webreport/model/numbers.h"
#include "webreport/what_if/change_more.h"
#include "webreport/what_if/critical_path.h"
#include "webreport/what_if/replay_run.h"

#define BIT(x) (UINT64_C(1) << (x))

/* Replays of one choice of fixes under different assumptions. Each of them gives a gain. */
enum reading {
    READ_KEPT,
    READ_BARE,
    READ_PACED,
    READ_LEAST,       /* each fix removes its least share */
    READ_UNCONTENDED, /* kernels are as fast as without communication next to them */
    READINGS
};

/* The lanes of a choice of fixes; TP_NO_ID: no lane, because the gain is that of READ_KEPT. */
struct tp_choice_lanes {
    uint32_t of[READINGS];
};

/* The gains of a choice of fixes in the window, ns. */
struct gains {
    int64_t of[READINGS];
};

/* ---- lanes ---- */

/* Returns factors that set the parts of some kinds to 0. kinds: bits of enum tp_path_kind */
static struct tp_fraction *factors_without(const struct tp_fix_pricing *pricing, unsigned kinds)
{
    const struct tp_replay_graph *graph = &pricing->answering->graph;
    struct tp_fraction *factors =
        tp_arena_array(pricing->answering->temporary, (size_t)graph->label_count + 1, sizeof *factors);
    for (uint32_t i = 0; i < graph->label_count; i++)
        factors[i] = (struct tp_fraction){kinds >> graph->labels[i].kind & 1 ? 0 : 1, 1};
    return factors;
}

/* Makes the change of a choice of fixes. */
static struct tp_what_if_change *make_change(struct tp_fix_pricing *pricing, uint64_t chosen, bool is_least)
{
    struct tp_what_if_change *change = tp_arena_alloc(pricing->answering->temporary, sizeof *change);
    unsigned frees = 0; /* bit 0: input, bit 1: communication */
    bool is_prompt = false;
    for (uint32_t i = 0; i < pricing->question->count; i++) {
        const struct tp_fix *fix = &pricing->question->items[i];
        if (chosen & BIT(i))
            frees |= fix->frees_input | (fix->hides_communication && !is_least) << 1;
        is_prompt |= chosen & BIT(i) && fix->spares_host;
    }
    if (frees && !pricing->of_label[frees])
        pricing->of_label[frees] = factors_without(pricing, (frees & 1 ? 1u << TP_PATH_INPUT : 0) |
                                                                (frees & 2 ? 1u << TP_PATH_COMMUNICATION : 0));
    tp_change_init(change);
    change->of_label = pricing->of_label[frees];
    change->dropped = frees & 1 ? 1u << TP_EDGE_ARRIVAL : 0;
    /* without the work of the host, launches also have no delay */
    change->prompt = is_prompt && !is_least ? 1u << TP_EDGE_LAUNCH : 0;
    change->hides_communication = frees & 2;
    change->fixes = (struct tp_fix_choice){&pricing->fixes, chosen, is_least};
    return change;
}

/* Adds the lane READ_KEPT of a choice. */
static void add_kept(struct tp_fix_pricing *pricing, struct tp_vec *lanes, uint64_t chosen, struct tp_choice_lanes *of)
{
    memset(of->of, 0xFF, sizeof of->of);
    of->of[READ_KEPT] = tp_replay_lane_add(lanes, make_change(pricing, chosen, false), TP_REPLAY_KEPT);
}

/* Returns whether the least shares of the chosen fixes differ from their greatest shares. */
static bool has_least(const struct tp_fix_pricing *pricing, uint64_t chosen)
{
    bool is_any = false;
    for (uint32_t i = 0; i < pricing->question->count; i++)
        is_any |= chosen & BIT(i) &&
                  (pricing->question->items[i].low != pricing->question->items[i].high ||
                   pricing->question->items[i].spares_host || pricing->question->items[i].hides_communication);
    return is_any;
}

/* Adds the other lanes of a choice that has the lane READ_KEPT. */
static void add_others(struct tp_fix_pricing *pricing, struct tp_vec *lanes, uint64_t chosen,
                       struct tp_choice_lanes *of)
{
    struct tp_answering *a = pricing->answering;
    const struct tp_what_if_change *change = TP_AT(lanes, struct tp_replay_lane, of->of[READ_KEPT])->change;
    of->of[READ_BARE] = tp_replay_lane_add(lanes, change, TP_REPLAY_BARE);
    if (a->has_arrivals)
        of->of[READ_PACED] = tp_replay_lane_add(lanes, change, TP_REPLAY_PACED);
    if (has_least(pricing, chosen))
        of->of[READ_LEAST] = tp_replay_lane_add(lanes, make_change(pricing, chosen, true), TP_REPLAY_KEPT);
    if (change->hides_communication) {
        struct tp_what_if_change *other = tp_arena_alloc(a->temporary, sizeof *other);
        *other = *change;
        if (pricing->uncontended)
            other->of_node = pricing->uncontended;
        else
            tp_change_uncontended(other, change, &a->graph, a->temporary);
        pricing->uncontended = other->of_node;
        of->of[READ_UNCONTENDED] = tp_replay_lane_add(lanes, other, TP_REPLAY_KEPT);
    }
}

/* ---- gains ---- */

static struct gains gains_of(const struct tp_fix_pricing *pricing, const struct tp_replay_lane *lanes,
                             const struct tp_choice_lanes *of)
{
    const struct tp_answering *a = pricing->answering;
    struct gains gains;
    for (unsigned r = 0; r < READINGS; r++) {
        uint32_t lane = of->of[r] == TP_NO_ID ? of->of[READ_KEPT] : of->of[r];
        int64_t whole = lanes[lane].mode == TP_REPLAY_BARE ? a->bare_ns : a->model->window_ns;
        gains.of[r] = tp_sat_sub(whole, lanes[lane].ns);
    }
    return gains;
}

static int64_t least_of(const struct gains *gains)
{
    int64_t least = gains->of[0];
    for (unsigned r = 1; r < READINGS; r++)
        least = tp_ns_min(least, gains->of[r]);
    return tp_ns_max(0, least);
}

static int64_t greatest_of(const struct gains *gains)
{
    int64_t greatest = gains->of[0];
    for (unsigned r = 1; r < READINGS; r++)
        greatest = tp_ns_max(greatest, gains->of[r]);
    return tp_ns_max(0, greatest);
}

/* Returns the gains that `more` has in addition to `before`. */
static struct gains additional(const struct gains *more, const struct gains *before)
{
    struct gains gains;
    for (unsigned r = 0; r < READINGS; r++)
        gains.of[r] = tp_sat_sub(more->of[r], before->of[r]);
    return gains;
}

static int64_t per_step(const struct tp_fix_pricing *pricing, int64_t ns)
{
    return tp_answer_per_step(pricing->answering, ns);
}

/* Returns whether a gain in the window, ns, has an effect. */
static bool has_effect(const struct tp_fix_pricing *pricing, int64_t ns)
{
    return tp_percent(ns, pricing->answering->model->window_ns) >= TP_FIX_LEAST_PERCENT;
}

/* ---- fixes one after another ---- */

/* Runs lanes of which the first `paths` have a path. */
static struct tp_what_if_replay run(const struct tp_fix_pricing *pricing, struct tp_vec *lanes, uint32_t paths)
{
    struct tp_what_if_replay replay = {.frame = &pricing->answering->frame,
                                       .lanes = lanes->data,
                                       .lane_count = (uint32_t)lanes->count,
                                       .path_count = paths};
    for (uint32_t i = 0; i < paths; i++)
        replay.lanes[i].wants_path = true;
    tp_what_if_replay_run(&replay, pricing->answering->temporary);
    return replay;
}

/* Sets what limits the step after the fix of a lane with this path. */
static void set_limit(const struct tp_fix_pricing *pricing, const struct tp_replay_lane *lane,
                      const struct tp_path_sums *sums, struct tp_fix_price *price)
{
    price->step_ns = per_step(pricing, lane->ns);
    price->then = tp_path_limit(sums);
    price->then_percent = tp_percent(sums->group_ns[price->then], lane->ns);
}

/* Finds what a fix without an effect is gone with: replays it after each shorter part of the order. at: position of the
 * fix in the order; total: gains of the fixes up to each position */
static void find_gone_with(struct tp_fix_pricing *pricing, const uint32_t *order, uint32_t at,
                           const struct gains *total)
{
    struct tp_vec lanes = TP_VEC(pricing->answering->temporary, struct tp_replay_lane);
    struct tp_choice_lanes *of = tp_arena_array(pricing->answering->temporary, at, sizeof *of);
    uint64_t chosen = 0;
    for (uint32_t i = 0; i < at; i++) {
        chosen |= BIT(order[i]);
        add_kept(pricing, &lanes, chosen | BIT(order[at]), &of[i]);
        add_others(pricing, &lanes, chosen | BIT(order[at]), &of[i]);
    }
    struct tp_what_if_replay replay = run(pricing, &lanes, 0);
    for (uint32_t i = 0; i < at; i++) {
        struct gains with = gains_of(pricing, replay.lanes, &of[i]), more = additional(&with, &total[i]);
        if (has_effect(pricing, greatest_of(&more)))
            continue;
        pricing->question->prices[order[at]].gone_with = order[i];
        break;
    }
    tp_replay_release(&replay, pricing->answering->temporary);
}

/* Prices each fix after those before it in the order. */
static void price_in_order(struct tp_fix_pricing *pricing, const uint32_t *order, const struct gains *alone)
{
    struct tp_arena *arena = pricing->answering->temporary;
    uint32_t count = pricing->question->count;
    struct tp_vec lanes = TP_VEC(arena, struct tp_replay_lane);
    struct tp_choice_lanes *of = tp_arena_array(arena, count, sizeof *of);
    struct gains *total = tp_arena_array(arena, count, sizeof *total), none = {{0}};
    int64_t greatest = 0;
    uint64_t chosen = 0;
    for (uint32_t i = 0; i < count; i++)
        add_kept(pricing, &lanes, chosen |= BIT(order[i]), &of[i]);
    for (uint32_t i = chosen = 0; i < count; i++)
        add_others(pricing, &lanes, chosen |= BIT(order[i]), &of[i]);
    struct tp_what_if_replay replay = run(pricing, &lanes, count);
    struct tp_path_sums *sums = tp_arena_array(arena, count, sizeof *sums);
    tp_critical_path_sums(&replay, sums, arena);
    for (uint32_t i = 0; i < count; i++) {
        struct tp_fix_price *price = &pricing->question->prices[order[i]];
        total[i] = gains_of(pricing, replay.lanes, &of[i]);
        struct gains more = additional(&total[i], i ? &total[i - 1] : &none);
        int64_t most = tp_ns_max(greatest, greatest_of(&total[i]));
        price->low_ns = per_step(pricing, least_of(&more));
        price->high_ns = per_step(pricing, greatest_of(&more));
        price->counted_ns = per_step(pricing, most) - per_step(pricing, greatest);
        greatest = most;
        set_limit(pricing, &replay.lanes[i], &sums[i], price);
    }
    const struct tp_fix_price *last = &pricing->question->prices[order[count - 1]];
    *pricing->question->total = (struct tp_fix_total){per_step(pricing, least_of(&total[count - 1])),
                                                      per_step(pricing, greatest_of(&total[count - 1])), last->step_ns,
                                                      last->then, last->then_percent};
    tp_replay_release(&replay, arena);
    for (uint32_t i = 1; i < count; i++) {
        struct gains more = additional(&total[i], &total[i - 1]);
        if (has_effect(pricing, greatest_of(&alone[order[i]])) && !has_effect(pricing, greatest_of(&more)))
            find_gone_with(pricing, order, i, total);
    }
}

void tp_fix_prices_begin(struct tp_fix_pricing *pricing, struct tp_answering *answering,
                         const struct tp_fix_question *question, struct tp_vec *lanes)
{
    *pricing = (struct tp_fix_pricing){.answering = answering, .question = question};
    tp_fixes_build(&pricing->fixes, question->items, question->count, &answering->graph, answering->temporary);
    pricing->alone = tp_arena_array(answering->temporary, question->count, sizeof *pricing->alone);
    for (uint32_t i = 0; i < question->count; i++) {
        add_kept(pricing, lanes, BIT(i), &pricing->alone[i]);
        add_others(pricing, lanes, BIT(i), &pricing->alone[i]);
    }
}

void tp_fix_prices_finish(struct tp_fix_pricing *pricing, const struct tp_replay_lane *lanes)
{
    const struct tp_fix_question *question = pricing->question;
    struct tp_arena *arena = pricing->answering->temporary;
    struct gains *alone = tp_arena_array(arena, question->count, sizeof *alone);
    uint32_t *order = tp_arena_array(arena, question->count, sizeof *order);
    for (uint32_t i = 0; i < question->count; i++) {
        alone[i] = gains_of(pricing, lanes, &pricing->alone[i]);
        question->prices[i] = (struct tp_fix_price){.low = question->items[i].low,
                                                    .high = question->items[i].high,
                                                    .alone_low_ns = per_step(pricing, least_of(&alone[i])),
                                                    .alone_high_ns = per_step(pricing, greatest_of(&alone[i])),
                                                    .gone_with = TP_NO_ID};
    }
    question->choose_order(question->context, question->prices, order);
    price_in_order(pricing, order, alone);
}
