/* Compares the user's functions in the data loader. See work_loader.h.
 *
 * Numbers of calls are exact. The time of a call is compared relative to the speed of the machine. This speed is the
 * median change of the operators' shortest calls in the same runs. All operators have equal weight, because a shared
 * core affects short operators like Python functions, unlike large matrix products. The method was tested with four
 * PyTorch programs that shared two cores with up to twelve other programs. In 360 pairs of equal runs, corrected times
 * differed by a factor of up to 1.44. In 168 later pairs of equal runs, no time differed by the smallest reported
 * factor. */
#include "webreport/compare/two/work_loader.h"

#include <math.h>

#include "webreport/compare/work/work_parts.h"
#include "webreport/trace/frame.h"
#include "webreport/trace/frame_pairs.h"
#include "writer/base/limits.h"
#include "writer/base/stats.h"

static const double MIN_RATIO = 1.45; /* smallest factor between two times that is reported */
static const double LOW_PART = 0.1;   /* quantile of the times of short calls, as in signature_loader.c */
/* smallest reported change of time, as a share of the time of all loader functions in BASE */
static const double LEAST_SHARE = 0.1;
/* smallest reported change by number of calls, as a share like LEAST_SHARE; it is smaller because numbers of calls are
 * exact */
static const double LEAST_CALLED = 0.02;
/* LEAST_CALLS: smallest number of calls of a function in a run. LEAST_ROWS: smallest number of operators that two runs
 * share */
enum { LEAST_CALLS = 8, LEAST_ROWS = 5 };

/* The newest runs of a side, newest first. */
struct runs {
    const struct tp_summary *items[TP_WORK_RUNS];
    /* for each run: logarithm of the operators' times relative to the newest run of BASE, which measures the speed of
     * the machine */
    double machine[TP_WORK_RUNS];
    uint32_t count;
};

static const struct tp_summary_row *find_equal_row(const struct tp_summary *run, const struct tp_summary_row *like)
{
    for (uint32_t i = 0; i < run->row_count; i++) {
        const struct tp_summary_row *row = &run->rows[i];
        if (row->kind == like->kind && tp_str_equal(row->name, like->name) && tp_str_equal(row->shape, like->shape) &&
            tp_str_equal(row->dtype, like->dtype))
            return row;
    }
    return NULL;
}

/* Returns the logarithm of the operators' times in `run` relative to `reference`. Returns NaN if the runs share too
 * few operators. */
static double machine_speed_logarithm(const struct tp_summary *run, const struct tp_summary *reference,
                                      struct tp_arena *arena)
{
    struct tp_weighted *items = tp_arena_array(arena, (size_t)reference->row_count + 1, sizeof *items);
    size_t count = 0;
    for (uint32_t i = 0; i < reference->row_count; i++) {
        const struct tp_summary_row *was = &reference->rows[i];
        const struct tp_summary_row *is = was->kind == TP_SUMMARY_OPERATOR_HOST ? find_equal_row(run, was) : NULL;
        if (!is || was->time.count < LEAST_CALLS || is->time.count < LEAST_CALLS)
            continue;
        double before = tp_sketch_quantile(&was->time, LOW_PART), now = tp_sketch_quantile(&is->time, LOW_PART);
        if (before > 0 && now > 0)
            items[count++] = (struct tp_weighted){log(now / before), 1};
    }
    return count < LEAST_ROWS ? NAN : tp_weighted_median(items, count, arena);
}

static void collect_newest_runs(struct runs *runs, const struct tp_side_input *side, const struct tp_summary *reference,
                                struct tp_arena *arena)
{
    runs->count = 0;
    for (uint32_t i = side->run_count; i-- > 0 && runs->count < TP_WORK_RUNS;) {
        const struct tp_summary *run = &side->runs[i];
        if (!run->signature.function_count || (runs->count && run->key.rank != runs->items[0]->key.rank))
            continue;
        runs->machine[runs->count] = machine_speed_logarithm(run, reference ? reference : run, arena);
        runs->items[runs->count++] = run;
        reference = reference ? reference : run;
    }
}

static const struct tp_count_function *find_function(const struct tp_signature *s, struct tp_str place)
{
    for (uint32_t i = 0; i < s->function_count; i++)
        if (tp_str_equal(s->functions[i].place, place))
            return &s->functions[i];
    return NULL;
}

/* A function in all runs of a side. calls: calls per step; -1 if the number is not exact or differs between runs.
 * low_ns: median time of short calls, corrected for the speed of the machine; NaN if unknown. */
struct agreed {
    double calls, low_ns;
};

static struct agreed function_calls_equal_in_runs(const struct runs *runs, struct tp_str place)
{
    struct agreed out = {-1, NAN};
    double low[TP_WORK_RUNS];
    size_t count = 0;
    for (uint32_t r = 0; r < runs->count; r++) {
        const struct tp_count_function *function = find_function(&runs->items[r]->signature, place);
        double calls = !function ? 0 : function->is_exact ? (double)function->calls : -1;
        out.calls = r && calls != out.calls ? -1 : calls;
        if (out.calls < 0)
            return out;
        if (function && function->seen >= LEAST_CALLS && !isnan(runs->machine[r]))
            low[count++] = (double)function->low_ns / exp(runs->machine[r]);
    }
    out.low_ns = count ? tp_median(low, count) : NAN;
    return out;
}

static struct tp_work_change *add_function_change(struct tp_work_diff *diff, struct tp_str place, double delta,
                                                  double ratio)
{
    struct tp_work_change *change = &diff->changes[diff->count++];
    *change = (struct tp_work_change){.kind = TP_WORK_CHANGE_FUNCTION,
                                      .name = tp_frame_function_name(place),
                                      .detail = {TP_STR(""), TP_STR("")},
                                      .place = place,
                                      .delta = (int64_t)delta,
                                      .ratio = ratio,
                                      .times = 1};
    return change;
}

/* Compares one function. was, is: places of the function in BASE and in NEW. all_ns: time of all loader functions in
 * BASE. */
static void compare_function(struct tp_work_diff *diff, const struct runs runs[TP_SIDES], struct tp_str was,
                             struct tp_str is, double all_ns)
{
    struct agreed base = function_calls_equal_in_runs(&runs[TP_BASE], was),
                  now = function_calls_equal_in_runs(&runs[TP_NEW], is);
    if (base.calls < 0 || now.calls < 0 || diff->count >= TP_MAX_WORK_CHANGES)
        return;
    double low = isnan(base.low_ns) ? now.low_ns : base.low_ns;
    if (base.calls != now.calls && fabs(now.calls - base.calls) * low >= LEAST_CALLED * all_ns)
        add_function_change(diff, is, now.calls - base.calls, 0);
    else if (base.calls == now.calls && base.low_ns > 0 &&
             fabs(now.low_ns - base.low_ns) * base.calls >= LEAST_SHARE * all_ns &&
             fabs(log(now.low_ns / base.low_ns)) > log(MIN_RATIO))
        add_function_change(diff, is, 0, now.low_ns / base.low_ns);
}

void tp_work_add_functions(struct tp_work_diff *diff, const struct tp_side_input *const sides[TP_SIDES],
                           struct tp_arena *arena)
{
    struct runs runs[TP_SIDES];
    struct tp_strings places[TP_SIDES];
    double all_ns = 0;
    collect_newest_runs(&runs[TP_BASE], sides[TP_BASE], NULL, arena);
    collect_newest_runs(&runs[TP_NEW], sides[TP_NEW], runs[TP_BASE].count ? runs[TP_BASE].items[0] : NULL, arena);
    if (!diff->is_known || !runs[TP_BASE].count || !runs[TP_NEW].count)
        return;
    for (int s = 0; s < TP_SIDES; s++) {
        const struct tp_signature *signature = &runs[s].items[0]->signature;
        tp_strings_init(&places[s], arena, 0);
        for (uint32_t i = 0; i < signature->function_count; i++)
            tp_strings_add(&places[s], signature->functions[i].place);
    }
    const struct tp_signature *base = &runs[TP_BASE].items[0]->signature;
    for (uint32_t i = 0; i < base->function_count; i++)
        all_ns += (double)base->functions[i].low_ns * (double)base->functions[i].calls;
    const uint32_t *pairs = tp_frame_pairs(&places[TP_BASE], &places[TP_NEW], arena);
    struct tp_work_change *changes =
        tp_arena_array(arena, (size_t)diff->count + places[TP_NEW].count + 1, sizeof *changes);
    if (diff->count)
        memcpy(changes, diff->changes, diff->count * sizeof *changes);
    diff->changes = changes;
    /* uses texts of the summaries, because a change may outlive the arena of the lists */
    const struct tp_count_function *was_list = base->functions, *is_list = runs[TP_NEW].items[0]->signature.functions;
    for (uint32_t i = 0; i < places[TP_NEW].count; i++) {
        uint32_t was = 0;
        while (was < places[TP_BASE].count && pairs[was] != i)
            was++;
        compare_function(diff, runs, was < places[TP_BASE].count ? was_list[was].place : TP_STR(""), is_list[i].place,
                         all_ns);
    }
}
