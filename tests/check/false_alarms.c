/* false_alarms COUNT TRACE: comparisons of a program with itself, COUNT for each noise and number of runs. A run has
 * the steps of the trace, and a level of its own in each row, in all device rows, in all host rows and in the step, as
 * far apart as the line says; its steps vary as much about that. Prints how often anything was told, and exits 1 when
 * that was in more than one of a hundred; a history of ten and one run, where three totals are judged with 99 % each:
 * in more than four, or called slower in more than two. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/compare/compare.h"
#include "webreport/measure/summary_build.h"
#include "webreport/session/trace_analysis.h"

static void load(struct tp_summary *summary, struct tp_arena *arena, const char *path)
{
    struct tp_analysis analysis, *volatile a = &analysis;
    struct tp_trace_options options = {.single_thread = true};
    struct tp_error err = {0};
    tp_analysis_open(&analysis, NULL);
    if (setjmp(analysis.arena.guard)) {
        fprintf(stderr, "%s: no memory\n", path);
        exit(2);
    }
    if (tp_trace_read(&a->trace, &a->arena, path, &options, &err) != TP_OK) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        exit(2);
    }
    tp_analysis_build(a, NULL, NULL);
    struct tp_summary_source source = {.key = {.rank = TP_NULL_INT, .world_size = TP_NULL_INT, .span = TP_NULL_INT},
                                       .trace = &a->trace,
                                       .order = &a->order,
                                       .model = &a->model,
                                       .views = &a->views,
                                       .advice = &a->advice};
    tp_summary_build(summary, &source, arena);
    tp_analysis_close(a);
}

/* Standard deviations between runs, and between the steps of a run: of the wall time and the host's rows, of all device
 * rows alike, of each row. */
struct noise {
    double host, device, row;
};

static double normal(struct tp_random *random)
{
    return sqrt(-2 * log(1 - tp_random_unit(random))) * cos(2 * acos(-1) * tp_random_unit(random));
}

static bool is_of_device(enum tp_summary_kind kind)
{
    return kind == TP_SUMMARY_OPERATOR_DEVICE || kind == TP_SUMMARY_KERNEL || kind == TP_SUMMARY_COPY ||
           kind == TP_SUMMARY_MODULE_DEVICE;
}

static void scale(int64_t *ns, double factor)
{
    if (*ns != TP_NULL_INT)
        *ns = llround(factor * (double)*ns);
}

/* factors: of each step; noise: of the row itself. */
static int64_t *drawn(struct tp_arena *arena, const int64_t *values, const double *factors, uint32_t count,
                      double noise, struct tp_random *random)
{
    int64_t *copy = values ? tp_arena_array(arena, count, sizeof *copy) : NULL;
    double own = exp(noise * normal(random));
    for (uint32_t i = 0; values && i < count; i++)
        copy[i] = llround(own * exp(noise * normal(random)) * factors[i] * (double)values[i]);
    return copy;
}

static double *factors_of(struct tp_arena *arena, uint32_t count, double noise, struct tp_random *random)
{
    double *factors = tp_arena_array(arena, count, sizeof *factors), level = noise * normal(random);
    for (uint32_t i = 0; i < count; i++)
        factors[i] = exp(level + noise * normal(random));
    return factors;
}

/* Another run of the program. */
static struct tp_summary another(const struct tp_summary *run, const struct noise *noise, struct tp_random *random,
                                 struct tp_arena *arena)
{
    struct tp_summary copy = *run;
    const double *host = factors_of(arena, run->step_count, noise->host, random);
    const double *device = factors_of(arena, run->step_count, noise->device, random);
    copy.steps = tp_arena_array(arena, run->step_count, sizeof *copy.steps);
    copy.rows = tp_arena_array(arena, run->row_count, sizeof *copy.rows);
    for (uint32_t i = 0; i < run->step_count; i++) {
        copy.steps[i] = run->steps[i];
        scale(&copy.steps[i].total_ns, host[i]);
        for (int part = 0; part < TP_PART_COUNT; part++)
            scale(&copy.steps[i].part_ns[part], part == TP_PART_DEVICE_SUM ? device[i] : host[i]);
    }
    for (uint32_t i = 0; i < run->row_count; i++) {
        const struct tp_summary_row *row = &run->rows[i];
        copy.rows[i] = *row;
        copy.rows[i].by_step_ns =
            drawn(arena, row->by_step_ns, is_of_device(row->kind) ? device : host, run->step_count, noise->row, random);
    }
    return copy;
}

enum { TOLD = 1, SLOWER = 2 };

static int compare_runs(const struct tp_summary *run, const uint32_t counts[TP_SIDES], const struct noise *noise,
                        struct tp_random *random)
{
    static const struct tp_calltree *const no_trees[TP_SIDES];
    struct tp_arena arena;
    struct tp_compare compare;
    struct tp_compare_options options = {0};
    struct tp_side_input inputs[TP_SIDES] = {{"base", NULL, counts[TP_BASE], true},
                                             {"new", NULL, counts[TP_NEW], true}};
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        exit(2);
    for (int side = 0; side < TP_SIDES; side++) {
        struct tp_summary *runs = tp_arena_array(&arena, counts[side], sizeof *runs);
        for (uint32_t i = 0; i < counts[side]; i++)
            runs[i] = another(run, noise, random, &arena);
        inputs[side].runs = runs;
    }
    tp_compare_build(&compare, inputs, no_trees, &options, &arena);
    bool is_told = compare.verdict != TP_CHANGE_NEUTRAL || compare.regressed_count + compare.improved_count > 0;
    int found = (is_told ? TOLD : 0) | (tp_compare_is_worse(&compare) ? SLOWER : 0);
    for (enum tp_quantity q = 0; found && getenv("SAY") && q < TP_QUANTITIES; q++)
        if (compare.totals[q].verdict != TP_CHANGE_NEUTRAL)
            printf("  %s: %s\n", tp_change_verdict_name(compare.totals[q].verdict), tp_quantity_name(q));
    for (uint32_t i = 0; found && getenv("SAY") && i < compare.changes.count; i++)
        if (compare.changes.items[i].is_reported)
            printf("  %s: %.*s\n", tp_change_verdict_name(compare.changes.items[i].verdict),
                   (int)compare.changes.items[i].identity.name.len, compare.changes.items[i].identity.name.ptr);
    tp_arena_release(&arena);
    return found;
}

/* Whether there were too many alarms. */
static bool repeat(const struct tp_summary *run, const uint32_t counts[TP_SIDES], const struct noise *noise, int count)
{
    struct tp_random random = {2026};
    int told = 0, slower = 0;
    for (int i = 0; i < count; i++) {
        int found = compare_runs(run, counts, noise, &random);
        told += !!(found & TOLD);
        slower += !!(found & SLOWER);
    }
    bool is_history = counts[TP_BASE] > 3,
         is_bad = is_history ? slower * 200 > 5 * count || told * 100 > 5 * count : told * 100 > count;
    printf("runs %4.1f %% (kernels %.1f %%, rows %.1f %%), %2u + %u: %5.2f %% of %d told, %5.2f %% slower%s\n",
           100 * noise->host, 100 * noise->device, 100 * noise->row, counts[TP_BASE], counts[TP_NEW],
           100.0 * told / count, count, 100.0 * slower / count, is_bad ? "  BAD" : "");
    return is_bad;
}

static bool repeat_all(const struct tp_summary *run, int count)
{
    static const struct noise noises[] = {
        {0.003, 0.0006, 0.0003}, {0.015, 0.002, 0.001}, {0.02, 0.003, 0.003}, {0.05, 0.003, 0.003}};
    static const uint32_t counts[][TP_SIDES] = {{1, 1}, {3, 3}, {10, 1}};
    bool is_bad = false;
    for (size_t n = 0; n < sizeof noises / sizeof *noises; n++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            is_bad |= repeat(run, counts[i], &noises[n], count);
    return is_bad;
}

int main(int argc, char **argv)
{
    struct tp_arena arena;
    struct tp_summary run;
    int count = argc == 3 ? atoi(argv[1]) : 0;
    if (count <= 0) {
        fprintf(stderr, "usage: false_alarms COUNT TRACE\n");
        return 2;
    }
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        return 2;
    load(&run, &arena, argv[2]);
    bool is_bad = repeat_all(&run, count);
    tp_arena_release(&arena);
    return is_bad;
}
