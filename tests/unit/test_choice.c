/* Which ranks record, and when. */
#include "collector/choice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "collector/tracepress.h"

static void ranks_are_numbers_ranges_and_every_nth(void **state)
{
    static const struct {
        const char *list;
        uint32_t rank;
        enum tp_choice choice;
    } cases[] = {
        {NULL, 5, TP_CHOICE_YES},
        {"", 5, TP_CHOICE_YES},
        {"0,7", 7, TP_CHOICE_YES},
        {"0,7", 1, TP_CHOICE_NO},
        {"0,7,%64", 128, TP_CHOICE_YES},
        {"0,7,%64", 65, TP_CHOICE_NO},
        {"%64", 0, TP_CHOICE_YES},
        {"8-15", 8, TP_CHOICE_YES},
        {"8-15", 15, TP_CHOICE_YES},
        {"8-15", 16, TP_CHOICE_NO},
        {"4294967295", 4294967295u, TP_CHOICE_YES},
        {"0,", 0, TP_CHOICE_UNCLEAR},
        {",0", 0, TP_CHOICE_UNCLEAR},
        {"a", 0, TP_CHOICE_UNCLEAR},
        {"%0", 0, TP_CHOICE_UNCLEAR},
        {"%", 0, TP_CHOICE_UNCLEAR},
        {"9-3", 4, TP_CHOICE_UNCLEAR},
        {"3-", 4, TP_CHOICE_UNCLEAR},
        {"0 7", 0, TP_CHOICE_UNCLEAR},
        {"99999999999", 1, TP_CHOICE_UNCLEAR},
        {"-1", 1, TP_CHOICE_UNCLEAR},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (tp_choice_rank(cases[i].list, cases[i].rank) != cases[i].choice)
            fail_msg("%s of %u", cases[i].list, cases[i].rank);
}

static void windows_have_a_period_and_a_length(void **state)
{
    static const struct {
        const char *text;
        uint64_t period_ns, length_ns; /* 0: refused */
    } cases[] = {
        {"60s:5s", 60000000000, 5000000000},
        {"60:5", 60000000000, 5000000000},
        {"1m:500ms", 60000000000, 500000000},
        {"2s:2s", 2000000000, 2000000000},
        {"5s:6s", 0, 0},
        {"5s", 0, 0},
        {"5s:", 0, 0},
        {":5s", 0, 0},
        {"0s:0s", 0, 0},
        {"5h:1h", 0, 0},
        {"5s:1s ", 0, 0},
        {"-5s:1s", 0, 0},
        {"5.5s:1s", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tp_choice_window window;
        bool is_read = tp_choice_window_read(&window, cases[i].text);
        if (is_read != (cases[i].period_ns != 0) || window.period_ns != cases[i].period_ns ||
            window.length_ns != cases[i].length_ns)
            fail_msg("%s", cases[i].text);
    }
}

static void windows_begin_at_multiples_of_the_period(void **state)
{
    const struct tp_choice_window window = {60000000000, 5000000000}, none = {0, 0};
    const uint64_t minute = UINT64_C(1763750400) * 1000000000; /* a full one */
    (void)state;
    assert_true(tp_choice_is_open(&window, minute));
    assert_true(tp_choice_is_open(&window, minute + 4999999999));
    assert_false(tp_choice_is_open(&window, minute + 5000000000));
    assert_false(tp_choice_is_open(&window, minute - 1));
    assert_true(tp_choice_is_open(&window, minute + 60000000000));
    assert_true(tp_choice_is_open(&none, minute - 1));
}

/* ---- in a recording ---- */

static void count(const struct tracepress_trace *trace, void *context)
{
    (void)trace;
    ++*(unsigned *)context;
}

static bool is_recording(void)
{
    return __atomic_load_n(&tracepress_recording_, __ATOMIC_SEQ_CST) != 0;
}

static uint64_t realtime_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void ranks_that_are_left_out_record_nothing(void **state)
{
    unsigned handled = 0;
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    (void)state;
    options.handler = count;
    options.context = &handled;
    options.directory = "/tmp";
    setenv("TRACEPRESS_RANKS", "1-3", 1);
    for (unsigned rank = 0; rank < 5; rank++) {
        char text[] = {(char)('0' + rank), '\0'};
        setenv("RANK", text, 1);
        assert_int_equal(tracepress_start(&options), 0); /* the program sees no difference */
        assert_int_equal(is_recording(), rank >= 1 && rank <= 3);
        tracepress_step();
        assert_int_equal(tracepress_step_num(), 1);
        tracepress_stop();
    }
    assert_int_equal(handled, 3);
    unsetenv("RANK");
    tracepress_start(&options); /* nobody knows which rank it is */
    assert_true(is_recording());
    tracepress_stop();
    unsetenv("TRACEPRESS_RANKS");
}

static void steps_are_recorded_that_begin_in_a_window(void **state)
{
    enum { PERIOD = 40000000, LENGTH = 20000000, STEPS = 120 };
    const struct tp_choice_window window = {PERIOD, LENGTH};
    const struct timespec pause = {0, 2000000};
    unsigned handled = 0, inside = 0, outside = 0;
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    (void)state;
    options.handler = count;
    options.context = &handled;
    options.directory = "/tmp";
    setenv("TRACEPRESS_WINDOW", "40ms:20ms", 1);
    assert_int_equal(tracepress_start(&options), 0);
    for (int i = 0; i < STEPS; i++) {
        nanosleep(&pause, NULL);
        uint64_t before = realtime_ns();
        tracepress_step();
        uint64_t after = realtime_ns();
        bool was = tp_choice_is_open(&window, before), is = tp_choice_is_open(&window, after);
        if (was != is || after - before >= LENGTH)
            continue; /* on the border, or held up: nobody knows when in it the step began */
        assert_int_equal(is_recording(), is);
        inside += is;
        outside += !is;
    }
    tracepress_stop();
    unsetenv("TRACEPRESS_WINDOW");
    assert_true(inside > 0 && outside > 0);
    assert_true(handled > 1); /* each window was a recording */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_numbers_ranges_and_every_nth),
        cmocka_unit_test(windows_have_a_period_and_a_length),
        cmocka_unit_test(windows_begin_at_multiples_of_the_period),
        cmocka_unit_test(ranks_that_are_left_out_record_nothing),
        cmocka_unit_test(steps_are_recorded_that_begin_in_a_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
