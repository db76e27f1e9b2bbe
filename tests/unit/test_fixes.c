/* Tests prices of fixes by replay (webreport/what_if/fix.h) on traces whose replays are computed by hand, and the order
 * of findings with prices. */
#include "webreport/measure/result/priced_changes.h"
#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/rules/rules_order.h"

#include "small_findings.h" /* included last, because other headers use the names of its variables for parameters */

enum { US = 1000, MOST_FIXES = 3 };

static struct tp_fix_price prices[MOST_FIXES];
static struct tp_fix_total total;
static struct tp_what_if_view view;

/* Chooses the order in `context`. */
static void use_order(void *context, const struct tp_fix_price *alone, uint32_t *chosen)
{
    const uint32_t *wanted = context;
    (void)alone;
    for (uint32_t i = 0; i < MOST_FIXES && wanted[i] != TP_NO_ID; i++)
        chosen[i] = wanted[i];
}

/* Prices fixes in this order. */
static void price(const struct tp_fix *items, uint32_t count, uint32_t *in_order)
{
    const struct tp_fix_question question = {items, count, use_order, in_order, prices, &total};
    const struct tp_asked_changes asked = {.fixes = &question};
    memset(prices, 0, sizeof prices);
    assert_int_equal(tp_changes_price(&view, &model, &asked, &arena, NULL), 0);
    assert_int_equal(view.withheld, 0);
}

static void assert_price(uint32_t fix, int64_t alone_us, int64_t more_us, int64_t step_us)
{
    assert_int_equal(prices[fix].alone_low_ns, alone_us * US);
    assert_int_equal(prices[fix].alone_high_ns, alone_us * US);
    assert_int_equal(prices[fix].low_ns, more_us * US);
    assert_int_equal(prices[fix].high_ns, more_us * US);
    assert_int_equal(prices[fix].step_ns, step_us * US);
}

/* Writes a step in which kernel b runs right after kernel a. */
static void write_two_kernels(void)
{
    step(1, 0, 100);
    write_launch(1, 2, 1), write_kernel("a", 4, 400, 1);
    write_launch(5, 2, 2), write_kernel("b", 404, 200, 2);
    build_trace();
}

/* Writes a step that waits for kernel a before it launches kernel b. */
static void write_wait_between_kernels(void)
{
    step(1, 0, 430);
    write_launch(1, 2, 1), write_kernel("a", 4, 400, 1);
    call("cudaDeviceSynchronize", 5, 400, 2);
    write_launch(410, 2, 3), write_kernel("b", 413, 100, 3);
    build_trace();
}

static struct tp_fix fix_of_operation(struct tp_fix_item *item)
{
    return (struct tp_fix){.operations = item, .operation_count = 1, .low = TP_FIX_WHOLE, .high = TP_FIX_WHOLE};
}

/* Prices three fixes in this order: 0 halves kernel a, 1 removes a, and 2 halves kernel b. */
static void price_three_fixes(uint32_t *in_order)
{
    struct tp_fix_item half_a = {0, 500000}, all_a = {0, TP_FIX_WHOLE}, half_b = {1, 500000};
    const struct tp_fix fixes[] = {fix_of_operation(&half_a), fix_of_operation(&all_a), fix_of_operation(&half_b)};
    write_two_kernels();
    price(fixes, 3, in_order);
}

static void gains_after_earlier_fixes_add_up(void **state)
{
    (void)state;
    price_three_fixes((uint32_t[]){0, 1, 2});
    /* without a, b starts 3 us after its call at 5 us, the usual latency of a launch */
    assert_price(0, 200, 200, 404);
    assert_price(1, 396, 196, 208);
    assert_price(2, 100, 100, 108);
    assert_int_equal(total.high_ns, 496 * US);
    assert_int_equal(total.step_ns, 108 * US);
    assert_int_equal(prices[0].counted_ns + prices[1].counted_ns + prices[2].counted_ns, total.high_ns);
    assert_int_equal(prices[1].then, TP_GROUP_COMPUTE);
}

static void fix_without_further_effect_is_gone_with_an_earlier_one(void **state)
{
    (void)state;
    price_three_fixes((uint32_t[]){2, 1, 0});
    assert_price(0, 200, 0, 108);
    assert_int_equal(prices[0].gone_with, 1);
    assert_int_equal(prices[1].gone_with, TP_NO_ID);
    assert_int_equal(prices[2].gone_with, TP_NO_ID);
}

/* Tests that a fix removes from the least to the greatest share of its parts. */
static void shares_of_a_fix_are_a_range(void **state)
{
    (void)state;
    struct tp_fix_item all_a = {0, TP_FIX_WHOLE};
    struct tp_fix fix = fix_of_operation(&all_a);
    fix.low = 250000, fix.high = 750000;
    write_two_kernels();
    price(&fix, 1, (uint32_t[]){0, TP_NO_ID, TP_NO_ID});
    assert_int_equal(prices[0].alone_low_ns, 100 * US);
    assert_int_equal(prices[0].alone_high_ns, 300 * US);
    assert_int_equal(prices[0].step_ns, 304 * US);
}

static uint32_t find_event(const char *name)
{
    for (uint32_t i = 0; i < trace.event_count; i++)
        if (tp_str_equal(tp_trace_event_name(&trace, &trace.events[i]), tp_str_of(name)))
            return i;
    fail_msg("no event %s", name);
    return TP_NO_ID;
}

static void call_without_its_time_does_not_wait(void **state)
{
    (void)state;
    write_wait_between_kernels();
    struct tp_fix_item wait = {find_event("cudaDeviceSynchronize"), TP_FIX_WHOLE};
    const struct tp_fix fix = {.calls = &wait, .call_count = 1, .low = TP_FIX_WHOLE, .high = TP_FIX_WHOLE};
    price(&fix, 1, (uint32_t[]){0, TP_NO_ID, TP_NO_ID});
    /* b is launched while a runs, and starts when a ends, at 404 instead of 413 us */
    assert_int_equal(prices[0].step_ns, 504 * US);
    assert_int_equal(prices[0].alone_high_ns, 9 * US);
}

/* Tests a host that limits the step. At least, its work within 200 to 300 us goes; at most, all but that before 100 us.
 */
static void work_of_the_host_goes_at_least_within_its_times(void **state)
{
    (void)state;
    step(1, 0, 500);
    write_host_event("cpu_op", "aten::add", 0, 500);
    write_launch(500, 2, 1), write_kernel("a", 503, 10, 1);
    build_trace();
    struct tp_interval host = {model.first_ns + 200 * US, model.first_ns + 300 * US};
    struct tp_interval kept = {model.first_ns, model.first_ns + 100 * US};
    const struct tp_fix fix = {
        .host = {&host, 1}, .kept = {&kept, 1}, .spares_host = true, .low = TP_FIX_WHOLE, .high = TP_FIX_WHOLE};
    price(&fix, 1, (uint32_t[]){0, TP_NO_ID, TP_NO_ID});
    assert_int_equal(prices[0].alone_low_ns, 100 * US);
    /* the step is 500 us of the host; the launch after it is in no step */
    assert_int_equal(prices[0].alone_high_ns, 400 * US);
}

/* Tests that a change marks the operations that it shortens, and the calls that no longer wait. */
static void change_marks_what_it_shortens(void **state)
{
    (void)state;
    write_wait_between_kernels();
    const struct tp_str texts[] = {TP_STR("kernel:b=1/2"), TP_STR("wait:cudaDeviceSynchronize")};
    const struct tp_asked_changes asked = {.texts = texts, .count = 2, .wants_times = true};
    assert_int_equal(tp_changes_price(&view, &model, &asked, &arena, NULL), 0);
    const struct tp_intervals *kernel = &view.answers[0].times, *wait = &view.answers[1].times;
    assert_int_equal(kernel->count, 1);
    assert_int_equal(kernel->items[0].a - model.first_ns, 413 * US);
    assert_int_equal(kernel->items[0].b - model.first_ns, 513 * US);
    assert_int_equal(wait->count, 1);
    assert_int_equal(wait->items[0].a - model.first_ns, 5 * US);
    assert_int_equal(wait->items[0].b - model.first_ns, 405 * US);
}

static struct tp_finding finding(enum tp_rule_id rule, double low, double high, bool is_priced)
{
    struct tp_finding f = tp_finding_make_for_run(rule, high);
    f.confidence = TP_CONFIDENCE_HIGH;
    f.low_percent = f.sure_percent = low;
    f.high_percent = high;
    f.sort_weight = (low + high) / 2;
    f.is_priced = is_priced;
    return f;
}

/* Tests the order by the sure gain. The finding of the verdict moves up if the ranges overlap. */
static void sure_gain_orders_findings(void **state)
{
    (void)state;
    struct tp_finding found[] = {finding(TP_RULE_C16, 0.1, 40, true), finding(TP_RULE_A4, 12, 13, true),
                                 finding(TP_RULE_B4, 0, 30, false), finding(TP_RULE_C10, 4, 5, true)};
    tp_findings_sort_priced(&arena, found, 4, TP_CLASS_SYNC_BOUND);
    assert_string_equal(found[0].rule->id, "A4");
    assert_string_equal(found[1].rule->id, "B4");
    assert_string_equal(found[2].rule->id, "C10");
    assert_string_equal(found[3].rule->id, "C16");
    tp_findings_sort_priced(&arena, found, 4, TP_CLASS_COPY_BOUND);
    assert_string_equal(found[0].rule->id, "B4");
    assert_string_equal(found[1].rule->id, "A4");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_trace_test, end_event_text)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        CASE(gains_after_earlier_fixes_add_up),
        CASE(fix_without_further_effect_is_gone_with_an_earlier_one),
        CASE(shares_of_a_fix_are_a_range),
        CASE(call_without_its_time_does_not_wait),
        CASE(work_of_the_host_goes_at_least_within_its_times),
        CASE(change_marks_what_it_shortens),
        CASE(sure_gain_orders_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
