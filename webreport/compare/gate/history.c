/* Orders stored runs and analyses their levels. See history.h. */
#include "webreport/compare/gate/history.h"

#include <math.h>
#include <string.h>

#include "webreport/compare/sides.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

#define LEAST_NOISE 0.002 /* smallest relative noise between runs, even if some neighboring runs are equal */
static const int64_t NS_PER_S = 1000000000;
enum { LEVELS_FROM = 4, WANDERS_FROM = 8, SETTLED_RUNS = 2 };

static int compare_by_label(const void *x, const void *y, const void *context)
{
    const struct tp_history_run *a = x, *b = y;
    (void)context;
    return tp_str_compare(a->label, b->label);
}

/* Returns the time by which runs are ordered, ns since the epoch: the time of the commit, else the start of the run.
 * The commit can be older than the run. */
static int64_t start_time_of_run(const struct tp_history_run *run)
{
    return run->decision.committed_s ? run->decision.committed_s * NS_PER_S : run->items->start_ns;
}

static int compare_by_time(const void *x, const void *y, const void *context)
{
    const struct tp_history_run *a = x, *b = y;
    int64_t p = start_time_of_run(a), q = start_time_of_run(b);
    (void)context;
    if (p == q) {
        p = a->items->start_ns;
        q = b->items->start_ns;
    }
    return (p > q) - (p < q);
}

void tp_history_sort(struct tp_history_run *runs, size_t count, struct tp_arena *arena)
{
    bool has_times = true;
    for (size_t i = 0; i < count; i++)
        has_times &= tp_text_of_date(arena, start_time_of_run(&runs[i])) != NULL;
    tp_merge_sort(arena, runs, count, sizeof *runs, compare_by_label, NULL);
    if (has_times)
        tp_merge_sort(arena, runs, count, sizeof *runs, compare_by_time, NULL);
}

/* ---- the accepted level ---- */

size_t tp_history_first_accepted_run(const struct tp_history_run *runs, size_t count)
{
    size_t from = 0;
    for (size_t i = 0; i < count; i++)
        if (runs[i].decision.is_accepted)
            from = i;
    return from;
}

size_t *tp_history_accepted_runs(size_t *accepted_count, const struct tp_history_run *runs, size_t count,
                                 struct tp_arena *arena)
{
    size_t *accepted = tp_arena_array(arena, TP_ACCEPTED_RUNS, sizeof *accepted);
    *accepted_count = 0;
    for (size_t i = tp_history_first_accepted_run(runs, count); i < count && *accepted_count < TP_ACCEPTED_RUNS; i++)
        if (runs[i].decision.is_accepted || !runs[i].decision.is_failed)
            accepted[(*accepted_count)++] = i;
    return accepted;
}

/* ---- levels ---- */

/* Returns the level of a run. For a run of several processes, returns the mean of their levels. */
static double level_of_quantity(const struct tp_history_run *run, enum tp_bench_quantity quantity,
                                struct tp_arena *arena)
{
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; i < run->count; i++) {
        double level = tp_bench_level(&run->items[i], quantity, arena);
        sum += isnan(level) ? 0 : level;
        known += !isnan(level);
    }
    return known ? sum / (double)known : NAN;
}

/* The known levels, each with the index of its run. */
struct known {
    double *levels;
    size_t *runs, count;
};

static struct known collect_known_levels(const struct tp_level_series *s, size_t count, struct tp_arena *arena)
{
    struct known known = {tp_arena_array(arena, count, sizeof *known.levels),
                          tp_arena_array(arena, count, sizeof *known.runs), 0};
    for (size_t i = 0; i < count; i++)
        if (!isnan(s->levels[i])) {
            known.levels[known.count] = s->levels[i];
            known.runs[known.count++] = i;
        }
    return known;
}

static double median_of_runs(const struct known *known, size_t from, size_t to, struct tp_arena *arena)
{
    double *copy = tp_arena_array(arena, to - from, sizeof *copy);
    memcpy(copy, known->levels + from, (to - from) * sizeof *copy);
    double middle = tp_median(copy, to - from);
    tp_arena_free_item(arena, copy, (to - from) * sizeof *copy);
    return middle;
}

/* Returns the exact position of the change near `at`, between `begin` and `end`. Moves the position by up to
 * SETTLED_RUNS, so that each neighboring run belongs to the closer level. */
static size_t find_exact_change_position(const struct known *known, size_t begin, size_t at, size_t end,
                                         struct tp_arena *arena)
{
    double before = median_of_runs(known, begin, at, arena), after = median_of_runs(known, at, end, arena);
    size_t moves = 0;
    for (; moves < SETTLED_RUNS && at + 1 < end; moves++, at++)
        if (fabs(known->levels[at] - before) >= fabs(known->levels[at] - after))
            break;
    for (; moves < SETTLED_RUNS && at > begin + 1; moves++, at--)
        if (fabs(known->levels[at - 1] - after) >= fabs(known->levels[at - 1] - before))
            break;
    return at;
}

/* Removes levels of a single run and changes within the noise. Returns the number of remaining levels. A single run
 * next to a change may look like a separate level, because the partition uses winsorized levels. */
static size_t remove_spurious_levels(size_t *starts, size_t count, const struct known *known, double sd,
                                     struct tp_arena *arena)
{
    size_t kept = 1;
    for (size_t i = 1; i < count; i++) {
        size_t end = i + 1 < count ? starts[i + 1] : known->count;
        size_t at = find_exact_change_position(known, starts[kept - 1], starts[i], end, arena);
        if (kept > 1 && at < starts[kept - 1] + 2)
            kept--; /* removes the previous level, which is only the transition from the level before it */
        double change = median_of_runs(known, at, end, arena) - median_of_runs(known, starts[kept - 1], at, arena);
        if (end >= at + 2 && fabs(change) > 1.5 * sd)
            starts[kept++] = at;
    }
    return kept;
}

static void find_level_changes(struct tp_level_series *s, const struct known *known, double sd, struct tp_arena *arena)
{
    const struct tp_levels levels = {known->levels, known->count};
    size_t count = 1, *starts = tp_level_history_changes(&count, &levels, sd, arena);
    count = remove_spurious_levels(starts, count, known, sd, arena);
    s->steps = tp_arena_array(arena, count, sizeof *s->steps);
    for (size_t i = 0; i < count; i++) {
        size_t end = i + 1 < count ? starts[i + 1] : known->count;
        double own = known->count ? median_of_runs(known, starts[i], end, arena) : NAN;
        for (size_t k = starts[i]; k < end; k++)
            s->is_outlier[known->runs[k]] = end - starts[i] >= 4 && fabs(known->levels[k] - own) > 3.5 * sd;
        if (i == 0)
            continue;
        double before = median_of_runs(known, starts[i - 1], starts[i], arena);
        s->steps[s->step_count++] =
            (struct tp_level_step){known->runs[starts[i] - 1], known->runs[starts[i]], expm1(own - before)};
    }
}

/* Returns the autocorrelation of neighboring runs. Each level is taken relative to the median of its own partition,
 * so that a lasting change alone has no effect. */
static double compute_autocorrelation(const struct tp_level_series *s, const struct known *known,
                                      struct tp_arena *arena)
{
    double *rest = tp_arena_array(arena, known->count + 1, sizeof *rest), products = 0, squares = 0;
    size_t from = 0;
    for (size_t i = 0; i <= s->step_count; i++) {
        size_t to = known->count;
        for (size_t k = from; k < known->count && i < s->step_count; k++)
            if (known->runs[k] == s->steps[i].after)
                to = k;
        double middle = to > from ? median_of_runs(known, from, to, arena) : 0;
        for (size_t k = from; k < to; k++)
            rest[k] = known->levels[k] - middle;
        from = to;
    }
    for (size_t k = 0; k < known->count; k++) {
        squares += rest[k] * rest[k];
        products += k ? rest[k] * rest[k - 1] : 0;
    }
    return known->count < WANDERS_FROM || !(squares > 0) ? NAN : products / squares;
}

/* Compares the newest run with the accepted runs, without the newest run itself. Computes no change for wall clock with
 * few runs, because a busy machine resembles a slower program. */
static void compare_newest_run(struct tp_level_series *s, const struct tp_history_run *runs, size_t count,
                               const struct known *known, struct tp_arena *arena)
{
    size_t accepted_count, *accepted = tp_history_accepted_runs(&accepted_count, runs, count, arena), level_count = 0;
    double *levels = tp_arena_array(arena, accepted_count, sizeof *levels);
    for (size_t i = 0; i < accepted_count; i++)
        if (!isnan(s->levels[accepted[i]]) && (accepted[i] + 1 < count || accepted_count == 1))
            levels[level_count++] = s->levels[accepted[i]];
    s->accepted = level_count ? tp_sum(levels, level_count) / (double)level_count : NAN;
    bool is_wall_clock = isnan(level_of_quantity(&runs[count - 1], TP_BENCH_KERNELS, arena));
    if (!level_count || !known->count || known->runs[known->count - 1] + 1 != count ||
        (accepted_count == 1 && accepted[0] + 1 == count) || (is_wall_clock && level_count + 1 < TP_VERDICT_RUNS))
        return;
    enum tp_quantity like = s->quantity == TP_BENCH_STEP      ? TP_QUANTITY_STEP
                            : s->quantity == TP_BENCH_KERNELS ? TP_QUANTITY_KERNELS
                                                              : TP_QUANTITY_HOST_OPS;
    double *cvs = tp_arena_array(arena, known->count, sizeof *cvs);
    for (size_t i = 0; i < known->count; i++) {
        double cv = tp_bench_step_variation(runs[known->runs[i]].items, s->quantity, arena);
        cvs[i] = isnan(cv) ? 0 : cv;
    }
    const struct tp_run_context known_noise = {.prior = tp_run_noise_prior_estimate(like, cvs, known->count, false)};
    const struct tp_levels history = {known->levels, known->count - 1}, base = {levels, level_count},
                           newest = {&known->levels[known->count - 1], 1};
    s->newest = tp_level_history_change(&history, &base, &newest, &known_noise, arena);
}

void tp_history_find_levels(struct tp_level_series series[TP_LEVEL_SERIES], const struct tp_history_run *runs,
                            size_t count, struct tp_arena *arena)
{
    for (int q = 0; q < TP_LEVEL_SERIES; q++) {
        struct tp_level_series *s = &series[q];
        *s = (struct tp_level_series){.quantity = (enum tp_bench_quantity)q,
                                      .levels = tp_arena_array(arena, count, sizeof *s->levels),
                                      .is_outlier = tp_arena_array(arena, count, sizeof *s->is_outlier),
                                      .accepted = NAN,
                                      .autocorrelation = NAN};
        for (size_t i = 0; i < count; i++)
            s->levels[i] = level_of_quantity(&runs[i], s->quantity, arena);
        struct known known = collect_known_levels(s, count, arena);
        const struct tp_levels levels = {known.levels, known.count};
        double sd = fmax(tp_level_history_noise(&levels, arena), LEAST_NOISE);
        s->known_count = known.count;
        if (known.count >= LEVELS_FROM)
            find_level_changes(s, &known, sd, arena);
        s->autocorrelation = compute_autocorrelation(s, &known, arena);
        compare_newest_run(s, runs, count, &known, arena);
    }
}
