/* false_alarms COUNT TRACE: COUNT comparisons of a run with itself: both sides are steps drawn from the trace with
 * replacement. Prints how often anything was reported, and exits 1 when that was more than once in a hundred. */
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

static int64_t *drawn(struct tp_arena *arena, const int64_t *values, const uint32_t *steps, uint32_t count)
{
    int64_t *copy = values ? tp_arena_array(arena, count, sizeof *copy) : NULL;
    for (uint32_t i = 0; values && i < count; i++)
        copy[i] = values[steps[i]];
    return copy;
}

/* The run as it would have been with other steps. */
static struct tp_summary resampled(const struct tp_summary *run, struct tp_random *random, struct tp_arena *arena)
{
    struct tp_summary copy = *run;
    uint32_t *steps = tp_arena_array(arena, run->step_count, sizeof *steps);
    copy.steps = tp_arena_array(arena, run->step_count, sizeof *copy.steps);
    copy.rows = tp_arena_array(arena, run->row_count, sizeof *copy.rows);
    for (uint32_t i = 0; i < run->step_count; i++) {
        steps[i] = tp_random_below(random, run->step_count);
        copy.steps[i] = run->steps[steps[i]];
    }
    for (uint32_t i = 0; i < run->row_count; i++) {
        copy.rows[i] = run->rows[i];
        copy.rows[i].by_step_ns = drawn(arena, run->rows[i].by_step_ns, steps, run->step_count);
        copy.rows[i].by_step_count = drawn(arena, run->rows[i].by_step_count, steps, run->step_count);
    }
    return copy;
}

/* 1: something was reported. */
static int compare_resampled(const struct tp_summary *run, struct tp_random *random, bool *is_step)
{
    static const struct tp_calltree *const no_trees[TP_SIDES];
    struct tp_arena arena;
    struct tp_compare compare;
    struct tp_compare_options options = {0};
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        exit(2);
    struct tp_summary base = resampled(run, random, &arena), new_side = resampled(run, random, &arena);
    struct tp_side_input inputs[TP_SIDES] = {{"base", &base, 1, true}, {"new", &new_side, 1, true}};
    tp_compare_build(&compare, inputs, no_trees, &options, &arena);
    bool is_told = compare.verdict == TP_CHANGE_IMPROVED || compare.verdict == TP_CHANGE_REGRESSED;
    int found = is_told || compare.changes.cause_count > 0;
    *is_step = is_told && compare.step_verdict == compare.verdict;
    for (uint32_t i = 0; found && getenv("SAY") && i < compare.changes.count; i++)
        if (compare.changes.items[i].is_reported)
            printf("  %s: %.*s\n", tp_change_verdict_name(compare.changes.items[i].verdict),
                   (int)compare.changes.items[i].identity.name.len, compare.changes.items[i].identity.name.ptr);
    tp_arena_release(&arena);
    return found;
}

/* Returns the number of alarms. */
static int repeat(const struct tp_summary *run, int count)
{
    struct tp_random random = {2026};
    int alarms = 0, of_steps = 0;
    for (int i = 0; i < count; i++) {
        bool is_step;
        alarms += compare_resampled(run, &random, &is_step);
        of_steps += is_step;
    }
    printf("%d false alarms in %d comparisons of a run of %u steps with itself: %.2f %% (%d by the step's time)\n",
           alarms, count, run->step_count, 100.0 * alarms / count, of_steps);
    return alarms;
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
    int alarms = repeat(&run, count);
    tp_arena_release(&arena);
    return alarms * 100 > count;
}
