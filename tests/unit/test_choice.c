/* Tests the choice of recorded ranks and of recorded windows of time. */
#include "collector/choice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/tracepress.h"

static void ranks_are_chosen_by_number_range_or_stride(void **state)
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
        if (tp_choice_of_rank(cases[i].list, cases[i].rank) != cases[i].choice)
            fail_msg("%s of %u", cases[i].list, cases[i].rank);
}

static void window_text_gives_period_and_length(void **state)
{
    static const struct {
        const char *text;
        uint64_t period_ns, length_ns; /* expected values; both 0: the text must be refused */
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
    const uint64_t minute = UINT64_C(1763750400) * 1000000000; /* a time at which a minute begins, ns since the epoch */
    (void)state;
    assert_true(tp_choice_is_window_open(&window, minute));
    assert_true(tp_choice_is_window_open(&window, minute + 4999999999));
    assert_false(tp_choice_is_window_open(&window, minute + 5000000000));
    assert_false(tp_choice_is_window_open(&window, minute - 1));
    assert_true(tp_choice_is_window_open(&window, minute + 60000000000));
    assert_true(tp_choice_is_window_open(&none, minute - 1));
}

static void next_edge_is_the_start_or_end_of_a_window(void **state)
{
    const struct tp_choice_window window = {60000000000, 5000000000}, whole = {2000000000, 2000000000};
    const uint64_t minute = UINT64_C(1763750400) * 1000000000;
    static const struct {
        uint64_t at, edge; /* at: time since the start of a minute, ns; edge: next start or end of a window on the same
                            * clock, ns */
    } cases[] = {
        {0, 5000000000},
        {4999999999, 5000000000},
        {5000000000, 60000000000},
        {59999999999, 60000000000},
        {60000000000, 65000000000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t edge = tp_choice_next_edge_ns(&window, minute + cases[i].at);
        assert_int_equal(edge - minute, cases[i].edge);
        assert_int_not_equal(tp_choice_is_window_open(&window, edge - 1), tp_choice_is_window_open(&window, edge));
    }
    assert_int_equal(tp_choice_next_edge_ns(&whole, minute + 1), minute + 2000000000);
}

/* ---- ranks and windows in running recordings ---- */

static void count_handler_calls(const struct tracepress_trace *trace, void *context)
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

static void excluded_ranks_record_nothing(void **state)
{
    unsigned handled = 0;
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    (void)state;
    options.handler = count_handler_calls;
    options.context = &handled;
    options.directory = "/tmp";
    setenv("TRACEPRESS_RANKS", "1-3", 1);
    for (unsigned rank = 0; rank < 5; rank++) {
        char text[] = {(char)('0' + rank), '\0'};
        setenv("RANK", text, 1);
        /* succeeds for all ranks, so that the program notices no difference */
        assert_int_equal(tracepress_start(&options), 0);
        assert_int_equal(is_recording(), rank >= 1 && rank <= 3);
        tracepress_step();
        assert_int_equal(tracepress_step_num(), 1);
        tracepress_stop();
    }
    assert_int_equal(handled, 3);
    unsetenv("RANK");
    tracepress_start(&options); /* the rank is unknown without RANK, so the process records */
    assert_true(is_recording());
    tracepress_stop();
    unsetenv("TRACEPRESS_RANKS");
}

static void steps_that_begin_in_a_window_are_recorded(void **state)
{
    enum { PERIOD = 40000000, LENGTH = 20000000, STEPS = 120 };
    const struct tp_choice_window window = {PERIOD, LENGTH};
    const struct timespec pause = {0, 2000000};
    unsigned handled = 0, inside = 0, outside = 0;
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    (void)state;
    options.handler = count_handler_calls;
    options.context = &handled;
    options.directory = "/tmp";
    setenv("TRACEPRESS_WINDOW", "40ms:20ms", 1);
    assert_int_equal(tracepress_start(&options), 0);
    for (int i = 0; i < STEPS; i++) {
        nanosleep(&pause, NULL);
        uint64_t before = realtime_ns();
        tracepress_step();
        uint64_t after = realtime_ns();
        bool was = tp_choice_is_window_open(&window, before), is = tp_choice_is_window_open(&window, after);
        if (was != is || after - before >= LENGTH)
            continue; /* steps close to an edge of a window and delayed steps are skipped, because their window is
                       * unknown */
        assert_int_equal(is_recording(), is);
        inside += is;
        outside += !is;
    }
    tracepress_stop();
    unsetenv("TRACEPRESS_WINDOW");
    assert_true(inside > 0 && outside > 0);
    assert_true(handled > 1); /* each window is a separate recording */
}

/* ---- windows of programs without steps ---- */

enum { PERIOD_MS = 200, LENGTH_MS = 100, NS_PER_MS = 1000000 };

static const struct tp_choice_window windows = {(uint64_t)PERIOD_MS * NS_PER_MS, (uint64_t)LENGTH_MS *NS_PER_MS};

static void wait_2_ms(void)
{
    const struct timespec pause = {0, 2 * NS_PER_MS};
    nanosleep(&pause, NULL);
}

/* Returns whether no edge of a window is near this time. The tolerance is large, because the machine can be busy. */
static bool is_far_from_window_edges(uint64_t ns)
{
    const uint64_t margin = 40ull * NS_PER_MS;
    return tp_choice_next_edge_ns(&windows, ns) - ns > margin &&
           tp_choice_is_window_open(&windows, ns - margin) == tp_choice_is_window_open(&windows, ns);
}

struct looks {
    unsigned right, wrong, open, closed;
};

/* Checks every 2 ms, for this number of periods, whether recording is on. Returns the counts of right and wrong
 * results. */
static struct looks count_window_checks(unsigned periods)
{
    struct looks looks = {0};
    uint64_t end = realtime_ns() + periods * windows.period_ns;
    for (uint64_t before = realtime_ns(); before < end; before = realtime_ns()) {
        bool is = is_recording(), should_be = tp_choice_is_window_open(&windows, before);
        uint64_t after = realtime_ns();
        if (is_far_from_window_edges(before) && after - before < NS_PER_MS) {
            looks.right += is == should_be;
            looks.wrong += is != should_be;
            looks.open += is;
            looks.closed += !is;
        }
        TRACEPRESS_SCOPE("look"); /* writes a record, so that a spool exists */
        wait_2_ms();
    }
    return looks;
}

static bool are_window_checks_correct(const struct looks *looks)
{
    return looks->open > 0 && looks->closed > 0 && looks->wrong * 4 <= looks->right;
}

static void start_with_windows(unsigned *handled)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.handler = count_handler_calls;
    options.context = handled;
    options.directory = "/tmp";
    setenv("TRACEPRESS_WINDOW", "200ms:100ms", 1);
    assert_int_equal(tracepress_start(&options), 0);
}

static void recording_is_on_only_within_windows(void **state)
{
    unsigned handled = 0;
    (void)state;
    start_with_windows(&handled);
    struct looks looks = count_window_checks(4);
    tracepress_stop();
    unsetenv("TRACEPRESS_WINDOW");
    if (!are_window_checks_correct(&looks))
        fail_msg("%u right, %u wrong, %u open, %u closed", looks.right, looks.wrong, looks.open, looks.closed);
    assert_in_range(handled, 2, 6); /* each window is a separate recording */
    assert_false(is_recording());
}

static void first_step_switches_to_windows_by_step(void **state)
{
    unsigned handled = 0;
    (void)state;
    start_with_windows(&handled);
    tracepress_step();
    bool was = is_recording();
    for (uint64_t end = realtime_ns() + 2 * windows.period_ns; realtime_ns() < end; wait_2_ms())
        assert_int_equal(is_recording(), was);
    tracepress_stop();
    unsetenv("TRACEPRESS_WINDOW");
}

static void start_and_stop_work_at_any_time(void **state)
{
    unsigned handled = 0;
    (void)state;
    for (unsigned i = 0; i < 150; i++) {
        start_with_windows(&handled);
        TRACEPRESS_SCOPE("short");
        if (i % 3 == 0)
            wait_2_ms();
        if (i % 7 == 0)
            tracepress_step();
        tracepress_stop();
        assert_false(is_recording());
    }
    unsetenv("TRACEPRESS_WINDOW");
}

static unsigned restarts;

static void stop_and_restart(const struct tracepress_trace *trace, void *context)
{
    (void)trace;
    if (__atomic_fetch_add(&restarts, 1, __ATOMIC_SEQ_CST) > 0)
        return;
    tracepress_stop();
    tracepress_start(context);
}

static void handler_may_stop_its_recording(void **state)
{
    static struct tracepress_options options = TRACEPRESS_OPTIONS;
    (void)state;
    options.handler = stop_and_restart;
    options.context = &options;
    options.directory = "/tmp";
    setenv("TRACEPRESS_WINDOW", "200ms:100ms", 1);
    assert_int_equal(tracepress_start(&options), 0);
    for (int i = 0; i < 5000 && !__atomic_load_n(&restarts, __ATOMIC_SEQ_CST); i++) {
        TRACEPRESS_SCOPE("until then");
        wait_2_ms();
    }
    struct looks looks = count_window_checks(3);
    tracepress_stop();
    unsetenv("TRACEPRESS_WINDOW");
    assert_true(are_window_checks_correct(&looks)); /* the started process also records only in windows */
    assert_true(restarts > 1);
    assert_false(is_recording());
}

#ifndef __SANITIZE_THREAD__ /* under TSan, the child of a program with threads cannot start threads */
static void child_process_has_the_same_windows(void **state)
{
    unsigned handled = 0;
    int status = -1;
    (void)state;
    start_with_windows(&handled);
    while (!is_recording())
        wait_2_ms();
    {
        TRACEPRESS_SCOPE("parent");
    }
    pid_t child = fork(); /* forks in the middle of a window */
    if (child == 0) {
        struct looks looks = count_window_checks(3);
        tracepress_stop();
        _exit(are_window_checks_correct(&looks) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    tracepress_stop();
    unsetenv("TRACEPRESS_WINDOW");
    assert_int_equal(status, 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_chosen_by_number_range_or_stride),
        cmocka_unit_test(window_text_gives_period_and_length),
        cmocka_unit_test(windows_begin_at_multiples_of_the_period),
        cmocka_unit_test(next_edge_is_the_start_or_end_of_a_window),
        cmocka_unit_test(excluded_ranks_record_nothing),
        cmocka_unit_test(steps_that_begin_in_a_window_are_recorded),
        cmocka_unit_test(recording_is_on_only_within_windows),
        cmocka_unit_test(first_step_switches_to_windows_by_step),
        cmocka_unit_test(start_and_stop_work_at_any_time),
        cmocka_unit_test(handler_may_stop_its_recording),
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test(child_process_has_the_same_windows),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
