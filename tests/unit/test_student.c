/* Tests Student's distribution against published tables (Fisher and Yates; Abramowitz and Stegun, table 26.10) and
 * against closed forms. */
#include "writer/base/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.12g, wanted %.12g", value, wanted);
}

static void quantiles_equal_published_tables(void **state)
{
    static const struct {
        double freedom, at_80, at_975, at_995;
    } table[] = {
        {1, 1.37638, 12.70620, 63.65674}, {2, 1.06066, 4.30265, 9.92484},   {3, 0.97847, 3.18245, 5.84091},
        {4, 0.94096, 2.77645, 4.60409},   {5, 0.91954, 2.57058, 4.03214},   {6, 0.90570, 2.44691, 3.70743},
        {7, 0.89603, 2.36462, 3.49948},   {8, 0.88889, 2.30600, 3.35539},   {9, 0.88340, 2.26216, 3.24984},
        {10, 0.87906, 2.22814, 3.16927},  {12, 0.87261, 2.17881, 3.05454},  {15, 0.86624, 2.13145, 2.94671},
        {20, 0.85996, 2.08596, 2.84534},  {30, 0.85377, 2.04227, 2.75000},  {60, 0.84765, 2.00030, 2.66028},
        {120, 0.84463, 1.97993, 2.61742}, {1e9, 0.84162, 1.95996, 2.57583},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_near(tp_student_quantile(0.8, table[i].freedom), table[i].at_80, 1e-4);
        assert_near(tp_student_quantile(0.975, table[i].freedom), table[i].at_975, 1e-4);
        assert_near(tp_student_quantile(0.995, table[i].freedom), table[i].at_995, 1e-4);
    }
}

/* Tests quantiles for one and two degrees of freedom: tan(pi (p - 1/2)) (Cauchy), and 2 (p - 1/2) / sqrt(2 p (1 -
 * p)). */
static void quantiles_equal_closed_forms(void **state)
{
    (void)state;
    for (double p = 0.51; p < 0.9999; p += 0.0107) {
        double one = tan(acos(-1) * (p - 0.5)), two = 2 * (p - 0.5) / sqrt(2 * p * (1 - p));
        assert_near(tp_student_quantile(p, 1), one, 1e-10 * one);
        assert_near(tp_student_quantile(p, 2), two, 1e-10 * two);
    }
}

static void tails_are_the_inverse_of_quantiles(void **state)
{
    (void)state;
    assert_near(tp_student_tail_probability(0, 3), 1, 0);
    for (double freedom = 0.7; freedom < 400; freedom *= 1.7)
        for (double p = 0.6; p < 0.99999; p += (1 - p) / 3) {
            double t = tp_student_quantile(p, freedom);
            assert_near(tp_student_tail_probability(t, freedom), 2 * (1 - p), 1e-10);
            assert_near(tp_student_tail_probability(-t, freedom), 2 * (1 - p), 1e-10);
            assert_near(tp_student_quantile(1 - p, freedom), -t, 1e-9 * t);
        }
}

static void quantiles_rise_with_p_and_fall_with_freedom(void **state)
{
    (void)state;
    for (double freedom = 1; freedom < 300; freedom += 0.37) {
        double before = 0;
        assert_true(tp_student_quantile(0.995, freedom) > tp_student_quantile(0.995, freedom + 0.37));
        for (double p = 0.55; p < 1; p += 0.05) {
            double t = tp_student_quantile(p, freedom);
            assert_true(t > before);
            before = t;
        }
    }
    assert_true(isnan(tp_student_quantile(1, 5)) && isnan(tp_student_quantile(0.5, 0)));
    assert_true(tp_student_quantile(1 - 1e-9, 0.7) > 1e8); /* the tails are heavy, but quantiles stay finite */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_equal_published_tables),
        cmocka_unit_test(quantiles_equal_closed_forms),
        cmocka_unit_test(tails_are_the_inverse_of_quantiles),
        cmocka_unit_test(quantiles_rise_with_p_and_fall_with_freedom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
