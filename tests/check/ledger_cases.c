/* ledger_cases [exact]: computes statistics for cases from standard input. Each line has the name of a function and its
 * numbers. A list begins with its length. Prints a line of results per case with all digits, which
 * tests/oracle/check_ledger.py compares. With `exact`, uses the constants of the product instead of those of the
 * executable definition. */
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

static double number(void)
{
    char word[64];
    if (scanf("%63s", word) != 1) {
        fprintf(stderr, "a number is missing\n");
        exit(2);
    }
    return strtod(word, NULL);
}

static size_t count(void)
{
    return (size_t)number();
}

static double *list(size_t *length)
{
    *length = count();
    double *items = tp_arena_array(&arena, *length, sizeof *items);
    for (size_t i = 0; i < *length; i++)
        items[i] = number();
    return items;
}

static struct tp_levels levels(void)
{
    struct tp_levels all;
    all.items = list(&all.count);
    return all;
}

static struct tp_run_noise noise(void)
{
    double sd = number();
    return (struct tp_run_noise){sd, number(), 0};
}

static void put(double value)
{
    printf(" %.17g", value);
}

static void put_change(const struct tp_run_change *c)
{
    const double all[] = {c->estimate,   c->low, c->high,     c->detectable,
                          c->half_width, c->p,   c->noise.sd, c->noise.freedom};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        put(all[i]);
}

/* ---- functions, named as in the input ---- */

static void quantile(void)
{
    double p = number();
    put(tp_student_quantile(p, number()));
}

static void tails(void)
{
    double t = number();
    put(tp_student_tails(t, number()));
}

static void level(void)
{
    size_t length;
    double *values = list(&length);
    struct tp_run_level of = tp_run_level_of(values, length);
    put(of.level);
    put(of.cv);
}

static void warm_up(void)
{
    size_t length;
    double *steps = list(&length);
    put((double)tp_warm_up_count(steps, length, &arena));
}

static void prior(void)
{
    size_t length;
    enum tp_quantity quantity = (enum tp_quantity)count();
    bool is_same_host = number() > 0;
    double *cvs = list(&length);
    struct tp_run_noise of = tp_run_noise_prior(quantity, cvs, length, is_same_host);
    put(of.sd);
    put(of.freedom);
}

static void pooled(void)
{
    struct tp_run_noise guess = noise();
    size_t length = count();
    struct tp_levels *groups = tp_arena_array(&arena, length, sizeof *groups);
    for (size_t i = 0; i < length; i++)
        groups[i] = levels();
    struct tp_run_noise of = tp_run_noise_pooled(groups, length, &guess, estimator, &arena);
    put(of.sd);
    put(of.freedom);
}

static void compare(void)
{
    struct tp_run_context context = {.prior = noise(), .estimator = estimator};
    struct tp_levels base = levels(), new_side = levels(), *more;
    context.more_count = count();
    context.more = more = tp_arena_array(&arena, context.more_count, sizeof *more);
    for (size_t i = 0; i < context.more_count; i++)
        more[i] = levels();
    struct tp_run_change change = tp_run_change_of(&base, &new_side, &context, &arena);
    put_change(&change);
}

static void paired(void)
{
    size_t length;
    double *differences = list(&length);
    struct tp_run_change change = tp_run_change_paired(differences, length);
    put_change(&change);
}

static void limit(void)
{
    struct tp_run_change change = {.low = number()};
    change.high = number();
    put((double)tp_run_change_limit(&change, number()));
}

static void needed(void)
{
    struct tp_run_noise of = noise();
    double most = number();
    put(tp_runs_needed(&of, most, count()));
}

static void fit(void)
{
    size_t length;
    double freedom = number();
    double *sds = list(&length);
    struct tp_run_noise of = tp_row_noise_fit(sds, length, freedom);
    put(of.sd);
    put(of.freedom);
}

static void shift(void)
{
    size_t length = count();
    struct tp_weighted *items = tp_arena_array(&arena, length, sizeof *items);
    for (size_t i = 0; i < length; i++) {
        items[i].value = number();
        items[i].weight = number();
    }
    put(tp_weighted_median(items, length, &arena));
}

static void kept(size_t (*function)(bool *, const double *, size_t, double, struct tp_arena *))
{
    size_t length;
    double rate = number();
    double *p = list(&length);
    bool *is_kept = tp_arena_array(&arena, length, sizeof *is_kept);
    put((double)function(is_kept, p, length, rate, &arena));
    for (size_t i = 0; i < length; i++)
        put(is_kept[i]);
}

static void holm(void)
{
    kept(tp_holm);
}

static void bh(void)
{
    kept(tp_benjamini_hochberg);
}

static void rows(void)
{
    size_t length = count(), base = count(), new_side = count(), size;
    struct tp_row_levels *all = tp_arena_array(&arena, length, sizeof *all);
    for (size_t i = 0; i < length; i++) {
        all[i].share = number();
        all[i].base_cv = number();
        all[i].new_cv = number();
        all[i].base = list(&size);
        all[i].new_side = list(&size);
    }
    struct tp_row_judgement j = tp_rows_judge(all, length, (const size_t[]){base, new_side}, TP_ROW_DOUBT, false, &arena);
    put(j.shift);
    for (size_t i = 0; j.rows && i < length; i++) {
        put(j.rows[i].estimate);
        put(j.rows[i].p);
        put(j.rows[i].is_sure);
        put(j.rows[i].is_listed);
    }
}

static void series(void)
{
    struct tp_levels history = levels();
    put(tp_level_history_noise(&history, &arena));
}

static void changes(void)
{
    size_t length;
    double sd = number();
    struct tp_levels history = levels();
    size_t *starts = tp_level_history_changes(&length, &history, sd, &arena);
    for (size_t i = 0; i < length; i++)
        put((double)starts[i]);
}

static void accepted(void)
{
    struct tp_run_context guess = {.prior = noise(), .estimator = estimator};
    struct tp_levels history = levels(), anchor = levels(), new_side = levels();
    struct tp_run_change change = tp_level_history_change(&history, &anchor, &new_side, &guess, &arena);
    put_change(&change);
}

static void loaded(void)
{
    size_t length;
    double ratio = number();
    double *history = list(&length);
    put(tp_run_was_machine_busy(ratio, history, length));
}

static const struct {
    const char *name;
    void (*run)(void);
} functions[] = {
    {"warm_up", warm_up},   {"quantile", quantile},
    {"tails", tails},       {"level", level},
    {"prior", prior},       {"pooled", pooled},
    {"compare", compare},   {"paired", paired},
    {"limit", limit},       {"fit", fit},
    {"needed", needed},     {"shift", shift},
    {"holm", holm},         {"bh", bh},
    {"rows", rows},         {"series", series},
    {"changes", changes},   {"loaded", loaded},
    {"accepted", accepted},
};

static void (*function_of(const char *name))(void)
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
        run_case(function_of(name));
    return 0;
}
