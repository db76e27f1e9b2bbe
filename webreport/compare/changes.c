/* What changed from row to row: see changes.h. */
#include "webreport/compare/changes.h"

#include <math.h>

#include "webreport/measure/wording.h"

const char *tp_change_verdict_name(enum tp_change_verdict verdict)
{
    static const char *const names[TP_CHANGE_VERDICTS] = {"neutral", "improved", "regressed", "inconclusive"};
    return names[verdict];
}

enum tp_change_verdict tp_bounds_verdict(const struct tp_bounds *interval, double floor)
{
    if (interval->low > floor)
        return TP_CHANGE_REGRESSED;
    return interval->high < -floor ? TP_CHANGE_IMPROVED : TP_CHANGE_NEUTRAL;
}

/* A side of a match, its members added up. */
struct total {
    struct tp_moments ns, calls, typical;
    bool is_count_constant;
};

static void add_moments(struct tp_moments *sum, const struct tp_moments *more)
{
    sum->count = more->count;
    sum->mean += more->mean;
    sum->error_square += more->error_square;
    if (more->freedom > 0 && (sum->freedom <= 0 || more->freedom < sum->freedom))
        sum->freedom = more->freedom;
}

static struct total total_of(const struct tp_sides *sides, const struct tp_match *match, int side)
{
    bool is_one = sides->side[side].step_count < 2; /* what is not there in one step may be in the next */
    struct total total = {.is_count_constant = !is_one};
    for (uint32_t i = 0; i < match->member_count[side]; i++) {
        const struct tp_side_row *row = tp_sides_row(sides, side, match->members[side][i]);
        total.is_count_constant &= row->is_count_constant;
        add_moments(&total.ns, &row->ns);
        add_moments(&total.calls, &row->calls);
        add_moments(&total.typical, &row->typical);
    }
    if (match->member_count[side] == 0 && is_one)
        total.ns.error_square = total.calls.error_square = total.typical.error_square = NAN;
    return total; /* without members: none at all, beyond doubt */
}

static int64_t whole_ns(double ns)
{
    return isnan(ns) ? 0 : ns >= 9e18 ? INT64_MAX : ns <= -9e18 ? -INT64_MAX : (int64_t)llround(ns);
}

static void split_change(struct tp_change *change)
{
    double base_call = change->call_ns[TP_BASE], more_calls = change->calls[TP_NEW] - change->calls[TP_BASE];
    double by_count = change->ns[TP_NEW] - change->ns[TP_BASE];
    change->change_ns = whole_ns(by_count);
    if (change->calls[TP_NEW] > 0 && change->calls[TP_BASE] > 0)
        by_count = more_calls * base_call;
    change->by_count_ns = whole_ns(by_count);
    if (__builtin_sub_overflow(change->change_ns, change->by_count_ns, &change->by_time_ns)) {
        change->by_count_ns = change->change_ns; /* a hostile trace: sums at the ends of int64 */
        change->by_time_ns = 0;
    }
}

static bool is_count_changed(const struct total totals[TP_SIDES], double confidence)
{
    const struct total *base = &totals[TP_BASE], *new_side = &totals[TP_NEW];
    if (base->calls.mean == new_side->calls.mean)
        return false;
    if (base->is_count_constant && new_side->is_count_constant)
        return true;
    struct tp_bounds interval = tp_welch_difference(&base->calls, &new_side->calls, confidence);
    return tp_bounds_verdict(&interval, 0) != TP_CHANGE_NEUTRAL;
}

/* Sets of memory come and go with the algorithms of a library: they count by their time. */
static bool counts_alone(const struct tp_identity *identity)
{
    return identity->kind == TP_SUMMARY_SYNC ||
           (identity->kind == TP_SUMMARY_COPY && tp_str_find(identity->name, "Memset") < 0);
}

static enum tp_change_verdict by_sign(double difference)
{
    return difference > 0 ? TP_CHANGE_REGRESSED : difference < 0 ? TP_CHANGE_IMPROVED : TP_CHANGE_NEUTRAL;
}

/* base_ns, step_ns: of a typical step of BASE. */
static enum tp_change_verdict judge(const struct tp_change *change, double floor, double base_ns, double step_ns)
{
    double beyond = floor * base_ns;
    enum tp_change_verdict verdict = tp_bounds_verdict(&change->interval, beyond);
    if (change->is_count_change && counts_alone(&change->identity))
        return by_sign(change->calls[TP_NEW] - change->calls[TP_BASE]);
    if (!(fabs(change->interval.estimate) >= TP_CHANGE_LEAST_SHARE * step_ns) ||
        fabs(change->interval.estimate) <= beyond)
        return TP_CHANGE_NEUTRAL;
    if (!isnan(change->interval.low))
        return verdict;
    return change->is_count_change ? by_sign(change->interval.estimate) : TP_CHANGE_INCONCLUSIVE;
}

/* A kernel under another name in every step, which matters. */
static bool is_replaced(const struct tp_change *change, const struct total totals[TP_SIDES], double step_ns)
{
    enum tp_match_kind kind = change->match->kind;
    return (kind == TP_MATCH_RENAMED || kind == TP_MATCH_FUSED || kind == TP_MATCH_SPLIT) &&
           totals[TP_BASE].is_count_constant && totals[TP_NEW].is_count_constant &&
           fmax(change->ns[TP_BASE], change->ns[TP_NEW]) >= TP_CHANGE_LEAST_SHARE * step_ns;
}

static void fill(struct tp_change *change, const struct tp_sides *sides, const struct tp_match *match,
                 struct total totals[TP_SIDES])
{
    *change = (struct tp_change){.match = match, .cause = TP_NO_ID};
    change->identity = tp_sides_identity(sides, tp_match_identity(match));
    for (int s = 0; s < TP_SIDES; s++) {
        totals[s] = total_of(sides, match, s);
        change->calls[s] = totals[s].calls.mean;
        change->ns[s] = totals[s].ns.mean;
        change->call_ns[s] = change->calls[s] > 0 ? change->ns[s] / change->calls[s] : NAN;
    }
    change->share = (change->ns[TP_NEW] - change->ns[TP_BASE]) / sides->side[TP_BASE].total.mean;
    split_change(change);
}

/* Rows that could be reported at all. */
static uint32_t count_tested(const struct tp_sides *sides, const struct tp_matches *matches)
{
    double least = TP_CHANGE_LEAST_SHARE * sides->side[TP_BASE].total.mean;
    uint32_t count = 0;
    for (uint32_t i = 0; i < matches->count; i++) {
        struct tp_change change;
        struct total totals[TP_SIDES];
        fill(&change, sides, &matches->items[i], totals);
        count += counts_alone(&change.identity) || !(fmax(change.ns[TP_BASE], change.ns[TP_NEW]) < least);
    }
    return count;
}

static void mark(struct tp_change *change, const struct tp_change_limits *limits, bool is_replaced_kernel)
{
    change->is_reported =
        change->verdict == TP_CHANGE_IMPROVED || change->verdict == TP_CHANGE_REGRESSED || is_replaced_kernel;
    if (limits->is_inconclusive && change->verdict != TP_CHANGE_NEUTRAL)
        change->verdict = TP_CHANGE_INCONCLUSIVE;
}

/* Data loading is no row of its own: it is what no operator, kernel or copy explains. Its doubt is shared by the parts
 * of the step, not by all rows. */
static void add_data_loading(struct tp_changes *changes, const struct tp_sides *sides,
                             const struct tp_change_limits *limits)
{
    static const struct tp_match none = {.kind = TP_MATCH_SAME};
    const struct tp_moments *base = &sides->side[TP_BASE].parts[TP_PART_DATALOADER];
    const struct tp_moments *new_side = &sides->side[TP_NEW].parts[TP_PART_DATALOADER];
    struct tp_change *change = &changes->items[changes->count++];
    *change = (struct tp_change){.match = &none,
                                 .identity = {TP_SUMMARY_KIND_COUNT,
                                              tp_str_of(tp_phrase(TP_PHRASE_INPUT, tp_sides_producer(sides))),
                                              TP_STR(""), TP_STR(""), TP_STR("")},
                                 .calls = {NAN, NAN},
                                 .ns = {base->mean, new_side->mean},
                                 .call_ns = {NAN, NAN},
                                 .cause = TP_NO_ID};
    change->share = (new_side->mean - base->mean) / sides->side[TP_BASE].total.mean;
    change->by_time_ns = change->change_ns = whole_ns(new_side->mean - base->mean);
    base = &sides->side[TP_BASE].typical_parts[TP_PART_DATALOADER];
    new_side = &sides->side[TP_NEW].typical_parts[TP_PART_DATALOADER];
    change->interval = tp_welch_difference(base, new_side, 1 - (1 - TP_CHANGE_CONFIDENCE) / TP_PART_OTHER);
    change->verdict = judge(change, limits->floor, base->mean, sides->side[TP_BASE].typical_total.mean);
    mark(change, limits, false);
}

void tp_changes_build(struct tp_changes *changes, const struct tp_sides *sides, const struct tp_matches *matches,
                      const struct tp_change_limits *limits)
{
    uint32_t tested = count_tested(sides, matches);
    *changes =
        (struct tp_changes){.items = tp_arena_array(sides->arena, (size_t)matches->count + 1, sizeof *changes->items),
                            .count = matches->count,
                            .tested_count = tested,
                            .confidence = 1 - (1 - TP_CHANGE_CONFIDENCE) / (tested ? tested : 1)};
    for (uint32_t i = 0; i < matches->count; i++) {
        struct tp_change *change = &changes->items[i];
        struct total totals[TP_SIDES];
        fill(change, sides, &matches->items[i], totals);
        change->interval = tp_welch_difference(&totals[TP_BASE].typical, &totals[TP_NEW].typical, changes->confidence);
        change->is_count_change = is_count_changed(totals, changes->confidence);
        change->verdict =
            judge(change, limits->floor, totals[TP_BASE].typical.mean, sides->side[TP_BASE].typical_total.mean);
        mark(change, limits, is_replaced(change, totals, sides->side[TP_BASE].total.mean));
    }
    if (!isnan(sides->side[TP_BASE].parts[TP_PART_DATALOADER].mean) &&
        !isnan(sides->side[TP_NEW].parts[TP_PART_DATALOADER].mean))
        add_data_loading(changes, sides, limits);
    tp_changes_explain(changes);
}
