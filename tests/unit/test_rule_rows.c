/* Tests the rows of the rules: ids, gains, and the functions that evaluate them. */
#include "webreport/measure/rules/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct tp_rule *const turns[] = {
#define TURN(id) &tp_rule_##id,
    TP_RULE_TURNS(TURN)
#undef TURN
};
enum { TURN_COUNT = sizeof turns / sizeof *turns };

static void each_row_matches_its_place_in_the_list(void **state)
{
    (void)state;
    static const char *const ids[] = {
#define ID(id) #id,
        TP_RULE_LIST(ID)
#undef ID
    };
    for (unsigned i = 0; i < TP_RULE_COUNT; i++) {
        assert_string_equal(tp_rule_at(i)->id, ids[i]);
        assert_int_equal(tp_rule_number(tp_rule_at(i)), i);
        /* each id occurs once, so the search finds the same rule */
        assert_ptr_equal(tp_rule_by_id(tp_str_of(ids[i])), tp_rule_at(i));
    }
    assert_null(tp_rule_by_id(TP_STR("A99")));
    assert_null(tp_rule_by_id(TP_STR("")));
}

static void each_row_has_texts_and_a_gain_in_range(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TP_RULE_COUNT; i++) {
        const struct tp_rule *rule = tp_rule_at(i);
        struct tp_rule_gain gain = tp_rule_measured_gain((enum tp_rule_id)i);
        assert_true(*rule->title && *rule->advice);
        assert_true(0 <= gain.low && gain.low <= gain.high && 0 < gain.high && gain.high <= 1);
        assert_true(gain.right <= gain.known);
        if (rule->rule_with_same_flaws)
            assert_non_null(tp_rule_by_id(tp_str_of(rule->rule_with_same_flaws)));
        assert_null(rule->thresholds[TP_RULE_THRESHOLDS - 1].key); /* the list of thresholds must end with an empty
                                                                    * entry */
    }
}

static unsigned count_rows_with_function(tp_rule_evaluate on_device, tp_rule_evaluate on_host, tp_rule_evaluate always)
{
    unsigned count = 0;
    for (unsigned i = 0; i < TURN_COUNT; i++)
        count += (on_device && turns[i]->on_device == on_device) || (on_host && turns[i]->on_host == on_host) ||
                 (always && turns[i]->always == always);
    return count;
}

static void each_function_of_a_row_runs_once(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TP_RULE_COUNT; i++) {
        const struct tp_rule *rule = tp_rule_at(i);
        unsigned device = count_rows_with_function(rule->on_device, NULL, NULL),
                 host = count_rows_with_function(NULL, rule->on_host, NULL),
                 always = count_rows_with_function(NULL, NULL, rule->always);
        if (device != (rule->on_device != NULL) || host != (rule->on_host != NULL) || always != (rule->always != NULL))
            fail_msg("TP_RULE_TURNS runs the functions of %s %u, %u and %u times", rule->id, device, host, always);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_matches_its_place_in_the_list),
        cmocka_unit_test(each_row_has_texts_and_a_gain_in_range),
        cmocka_unit_test(each_function_of_a_row_runs_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
