/* Tests corrections for multiple tests against R 4 (p.adjust) and against general properties. */
#include "writer/base/multiplicity.h"

#include "tests/unit/one_arena.h"
#include "writer/base/stats.h"

static void results_equal_p_adjust_of_r(void **state)
{
    /* In R, p.adjust(p, "holm") gives 0.03 0.06 0.06 0.02, and "BH" gives 0.02 0.04 0.04 0.02. */
    const double p[] = {0.01, 0.04, 0.03, 0.005};
    bool kept[4];
    (void)state;
    if (setjmp(arena.guard))
        fail();
    assert_int_equal(tp_holm(kept, p, 4, 0.05, &arena), 2);
    assert_true(kept[0] && !kept[1] && !kept[2] && kept[3]);
    assert_int_equal(tp_holm(kept, p, 4, 0.029, &arena), 1);
    assert_true(!kept[0] && kept[3]);
    assert_int_equal(tp_benjamini_hochberg(kept, p, 4, 0.05, &arena), 4);
    assert_int_equal(tp_benjamini_hochberg(kept, p, 4, 0.03, &arena), 2);
    assert_true(kept[0] && !kept[1] && !kept[2] && kept[3]);
    assert_int_equal(tp_holm(kept, p, 0, 0.05, &arena), 0);
}

/* Tests that the order of the tests has no effect. Holm's correction rejects at most as many hypotheses as the
 * correction of Benjamini and Hochberg. If a p-value is rejected, all smaller p-values are, too. */
static void order_has_no_effect(void **state)
{
    enum { COUNT = 40 };
    struct tp_random random = {11};
    (void)state;
    if (setjmp(arena.guard))
        fail();
    for (int round = 0; round < 300; round++) {
        double p[COUNT], turned[COUNT];
        bool holm[COUNT], bh[COUNT], other[COUNT];
        for (int i = 0; i < COUNT; i++) {
            double unit = tp_random_unit(&random);
            turned[COUNT - 1 - i] = p[i] = tp_random_below(&random, 3) ? unit : unit * unit * 0.001;
        }
        tp_holm(holm, p, COUNT, 0.01, &arena);
        tp_benjamini_hochberg(bh, p, COUNT, 0.05, &arena);
        tp_holm(other, turned, COUNT, 0.01, &arena);
        for (int i = 0; i < COUNT; i++) {
            assert_true(holm[i] == other[COUNT - 1 - i] && holm[i] <= bh[i]);
            for (int k = 0; k < COUNT; k++)
                assert_true(p[i] > p[k] || holm[i] >= holm[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(results_equal_p_adjust_of_r, begin, end),
        cmocka_unit_test_setup_teardown(order_has_no_effect, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
