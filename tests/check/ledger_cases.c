/* ledger_cases [exact]: computes statistics for cases from standard input. Each line has the name of a function and its
 * numbers. A list begins with its length. Prints a line of results per case with all digits, which
 * tests/oracle/check_ledger.py compares. With `exact`, uses the constants of tracepress instead of the constants of the
 * reference implementation in Python. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/compare/noise/level_history.h"
#include "webreport/compare/two/row_judge.h"
#include "writer/base/multiplicity.h"
#include "writer/base/stats.h"
#include "writer/base/student.h"

static struct tp_arena arena;
static enum tp_estimator estimator;

static double read_number(void)
{
    char word[64];
    if (scanf("%63s", word) != 1) {
        fprintf(stderr, "a number is missing\n");
        exit(2);
    }
    return strtod(word, NULL);
}

static size_t read_count(void)
{
    return (size_t)read_number();
}

static double *read_list(size_t *length)
{
    *length = read_count();
    double *items = tp_arena_array(&arena, *length, sizeof *items);
    for (size_t i = 0; i < *length; i++)
        items[i] = read_number();
    return items;
}

static struct tp_levels read_levels(void)
{
    struct tp_levels all;
    all.items = read_list(&all.count);
    return all;
}

static struct tp_run_noise read_run_noise(void)
{
    double sd = read_number();
    return (struct tp_run_noise){sd, read_number(), 0};
}

static void print_number(double value)
{
    printf(" %.17g", value);
}

static void print_change(const struct tp_run_change *c)
{
    const double all[] = {c->estimate,   c->low, c->high,     c->detectable,
                          c->half_width, c->p,   c->noise.sd, c->noise.freedom};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        print_number(all[i]);
}

/* ---- functions with the names that the input uses ---- */

static void print_quantile(void)
{
    double p = read_number();
    print_number(tp_student_quantile(p, read_number()));
}

static void print_student_tail(void)
{
    double t = read_number();
    print_number(tp_student_tail_probability(t, read_number()));
}

static void print_run_level(void)
{
    size_t length;
    double *values = read_list(&length);
    struct tp_run_level of = tp_run_level_of_steps(values, length);
    print_number(of.level);
    print_number(of.cv);
}

static void print_warm_up(void)
{
    size_t length;
    double *steps = read_list(&length);
    print_number((double)tp_warm_up_count(steps, length, &arena));
}

static void print_prior_noise(void)
{
    size_t length;
    enum tp_quantity quantity = (enum tp_quantity)read_count();
    bool is_same_host = read_number() > 0;
    double *cvs = read_list(&length);
    struct tp_run_noise of = tp_run_noise_prior_estimate(quantity, cvs, length, is_same_host);
    print_number(of.sd);
    print_number(of.freedom);
}

static void print_pooled_noise(void)
{
    struct tp_run_noise guess = read_run_noise();
    size_t length = read_count();
    struct tp_levels *groups = tp_arena_array(&arena, length, sizeof *groups);
    for (size_t i = 0; i < length; i++)
        groups[i] = read_levels();
    struct tp_run_noise of = tp_run_noise_pool_groups(groups, length, &guess, estimator, &arena);
    print_number(of.sd);
    print_number(of.freedom);
}

static void print_change_between(void)
{
    struct tp_run_context context = {.prior = read_run_noise(), .estimator = estimator};
    struct tp_levels base = read_levels(), new_side = read_levels(), *more;
    context.other_run_group_count = read_count();
    context.more = more = tp_arena_array(&arena, context.other_run_group_count, sizeof *more);
    for (size_t i = 0; i < context.other_run_group_count; i++)
        more[i] = read_levels();
    struct tp_run_change change = tp_run_change_of_sides(&base, &new_side, &context, &arena);
    print_change(&change);
}

static void print_paired_change(void)
{
    size_t length;
    double *differences = read_list(&length);
    struct tp_run_change change = tp_run_change_of_pairs(differences, length);
    print_change(&change);
}

static void print_limit_verdict(void)
{
    struct tp_run_change change = {.low = read_number()};
    change.high = read_number();
    print_number((double)tp_run_change_limit_verdict(&change, read_number()));
}

static void print_needed_runs(void)
{
    struct tp_run_noise of = read_run_noise();
    double most = read_number();
    print_number(tp_runs_needed(&of, most, read_count()));
}

static void print_row_noise_fit(void)
{
    size_t length;
    double freedom = read_number();
    double *sds = read_list(&length);
    struct tp_run_noise of = tp_row_noise_estimate(sds, length, freedom);
    print_number(of.sd);
    print_number(of.freedom);
}

static void print_weighted_median(void)
{
    size_t length = read_count();
    struct tp_weighted *items = tp_arena_array(&arena, length, sizeof *items);
    for (size_t i = 0; i < length; i++) {
        items[i].value = read_number();
        items[i].weight = read_number();
    }
    print_number(tp_weighted_median(items, length, &arena));
}

static void print_kept_hypotheses(size_t (*function)(bool *, const double *, size_t, double, struct tp_arena *))
{
    size_t length;
    double rate = read_number();
    double *p = read_list(&length);
    bool *is_kept = tp_arena_array(&arena, length, sizeof *is_kept);
    print_number((double)function(is_kept, p, length, rate, &arena));
    for (size_t i = 0; i < length; i++)
        print_number(is_kept[i]);
}

static void print_holm_results(void)
{
    print_kept_hypotheses(tp_holm);
}

static void print_benjamini_hochberg_results(void)
{
    print_kept_hypotheses(tp_benjamini_hochberg);
}

static void print_row_verdicts(void)
{
    size_t length = read_count(), base = read_count(), new_side = read_count(), size;
    struct tp_row_levels *all = tp_arena_array(&arena, length, sizeof *all);
    for (size_t i = 0; i < length; i++) {
        all[i].share = read_number();
        all[i].base_step_variation = read_number();
        all[i].new_step_variation = read_number();
        all[i].base = read_list(&size);
        all[i].new_side = read_list(&size);
    }
    struct tp_row_judgement j =
        tp_rows_judge(all, length, (const size_t[]){base, new_side}, TP_ROW_ERROR_CHANCE, false, &arena);
    print_number(j.shift);
    for (size_t i = 0; j.rows && i < length; i++) {
        print_number(j.rows[i].estimate);
        print_number(j.rows[i].p);
        print_number(j.rows[i].is_sure);
        print_number(j.rows[i].is_listed);
    }
}

static void print_history_noise(void)
{
    struct tp_levels history = read_levels();
    print_number(tp_level_history_noise(&history, &arena));
}

static void print_history_changes(void)
{
    size_t length;
    double sd = read_number();
    struct tp_levels history = read_levels();
    size_t *starts = tp_level_history_changes(&length, &history, sd, &arena);
    for (size_t i = 0; i < length; i++)
        print_number((double)starts[i]);
}

static void print_change_from_accepted(void)
{
    struct tp_run_context guess = {.prior = read_run_noise(), .estimator = estimator};
    struct tp_levels history = read_levels(), anchor = read_levels(), new_side = read_levels();
    struct tp_run_change change = tp_level_history_change(&history, &anchor, &new_side, &guess, &arena);
    print_change(&change);
}

static void print_was_machine_busy(void)
{
    size_t length;
    double ratio = read_number();
    double *history = read_list(&length);
    print_number(tp_run_was_machine_busy(ratio, history, length));
}

static const struct {
    const char *name;
    void (*run)(void);
} functions[] = {
    {"warm_up", print_warm_up},
    {"quantile", print_quantile},
    {"tails", print_student_tail},
    {"level", print_run_level},
    {"prior", print_prior_noise},
    {"pooled", print_pooled_noise},
    {"compare", print_change_between},
    {"paired", print_paired_change},
    {"limit", print_limit_verdict},
    {"fit", print_row_noise_fit},
    {"needed", print_needed_runs},
    {"shift", print_weighted_median},
    {"holm", print_holm_results},
    {"bh", print_benjamini_hochberg_results},
    {"rows", print_row_verdicts},
    {"series", print_history_noise},
    {"changes", print_history_changes},
    {"loaded", print_was_machine_busy},
    {"accepted", print_change_from_accepted},
};

static void (*find_case_function(const char *name))(void)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].run;
    fprintf(stderr, "no function is called %s\n", name);
    exit(2);
}

static void run_case(void (*function)(void))
{
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        exit(2);
    function();
    printf("\n");
    tp_arena_release(&arena);
}

int main(int argc, char **argv)
{
    char name[64];
    estimator = argc > 1 && strcmp(argv[1], "exact") == 0 ? TP_ESTIMATOR_EXACT : TP_ESTIMATOR_PLAIN;
    while (scanf("%63s", name) == 1)
        run_case(find_case_function(name));
    return 0;
}
