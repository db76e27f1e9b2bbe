/* Tests what limits a program recorded from outside: the part of the wall time that the headline names, the segments of
 * the running time, savings of findings, lanes of threads, and folded functions. Expected values are counted by hand.
 */
#include <string.h>

#include "webreport/document/charts/chart_lanes.h"
#include "webreport/document/words/program_words.h"
#include "webreport/measure/charts/calltree.h"
#include "webreport/measure/program/program_verdict.h"

#include "program_events.h" /* included last, because other headers use the names of its functions for parameters */

static void begin_next_program(void)
{
    tp_arena_release(&arena);
    tp_buf_clear(&text);
}

static unsigned headline_words(void)
{
    unsigned count = 0;
    for (size_t i = 0; i < view.headline.len; i++)
        count +=
            view.headline.ptr[i] != ' ' && view.headline.ptr[i] != '%' && (i == 0 || view.headline.ptr[i - 1] == ' ');
    return count;
}

/* Checks that the headline is one sentence of at most 24 words with a cause and an instruction, and that it has the
 * marked words. */
static void assert_headline_is_short(void)
{
    static char headline[512];
    snprintf(headline, sizeof headline, "%.*s", (int)view.headline.len, view.headline.ptr);
    if (headline_words() > 24 || !strstr(headline, ": ") || headline[strlen(headline) - 1] != '.')
        fail_msg("%u words: %s", headline_words(), headline);
    for (unsigned i = 0; i < 2 && view.marks[i].len; i++)
        assert_non_null(strstr(headline, view.marks[i].ptr));
}

static void headline_names_the_largest_avoidable_part(void **state)
{
    static const struct {
        const char *cause;
        enum tp_wait_cause part;
    } cases[] = {{"disk", TP_WAIT_DISK},
                 {"page fault", TP_WAIT_PAGE_FAULT},
                 {"socket", TP_WAIT_SOCKET},
                 {"terminal", TP_WAIT_TERMINAL},
                 {"sleep", TP_WAIT_SLEEP},
                 {"lock", TP_WAIT_LOCK},
                 {"kernel lock", TP_WAIT_KERNEL_LOCK},
                 {"file", TP_WAIT_FILE},
                 {"pipe", TP_WAIT_PIPE}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_blocked_state(1, 1, 0, 900000, cases[i].cause);
        write_running_state(1, 1, 900000, 1000000);
        build_program_view();
        assert_int_equal(view.answer.main, TP_WALL_WAITS + cases[i].part);
        assert_true(view.answer.is_avoidable[view.answer.main]);
        assert_int_equal(view.answer.second, TP_WALL_COUNT);
        assert_true(view.marks[0].len > 0 && !view.marks[1].len);
        assert_headline_is_short();
        begin_next_program();
    }
    write_running_state(1, 1, 0, 300000);
    state_of(1, 1, "ready", 300000, 1000000, "");
    build_program_view();
    assert_int_equal(view.answer.main, TP_WALL_READY);
    assert_false(view.answer.is_avoidable[TP_WALL_RUNNING]); /* the verdict is that the program waits for a CPU */
    /* the end of the instruction is left out, because a sentence has at most 24 words */
    assert_true(tp_str_equal(view.headline, TP_STR("The program is ready to run for 70 % of the time but gets no CPU: "
                                                   "run fewer jobs in parallel.")));
    begin_next_program();
    write_process(1, 0, 0, 1000000, 0);
    write_running_state(1, 1, 0, 300000);
    state_of(1, 1, "ready", 300000, 1000000, "");
    build_program_view();
    assert_true(tp_str_equal(view.headline, TP_STR("run is ready to run for 70 % of the time but gets no CPU: run "
                                                   "fewer jobs in parallel, or give it more CPUs.")));
}

static void two_parts_of_similar_length_are_both_named(void **state)
{
    (void)state;
    write_running_state(1, 1, 0, 390000);
    write_blocked_state(1, 1, 390000, 690000, "pipe");
    write_blocked_state(1, 1, 690000, 1000000, "child");
    build_program_view();
    assert_int_equal(view.answer.main, TP_WALL_RUNNING);
    assert_int_equal(view.answer.second, TP_WALL_WAITS + TP_WAIT_PIPE); /* a wait for a child is not avoidable */
    assert_true(tp_str_equal(view.marks[0], TP_STR("runs for 39 % of the time")));
    assert_true(tp_str_equal(view.marks[1], TP_STR("waits for a pipe for 30 %")));
    assert_headline_is_short();
    begin_next_program();
    write_running_state(1, 1, 0, 390000);
    write_blocked_state(1, 1, 390000, 640000, "pipe"); /* the running time is 1.56 times as long */
    write_blocked_state(1, 1, 640000, 1000000, "child");
    build_program_view();
    assert_int_equal(view.answer.second, TP_WALL_COUNT);
}

static void program_without_avoidable_time_is_said_to_wait(void **state)
{
    (void)state;
    write_blocked_state(1, 1, 0, 950000, "poll");
    write_running_state(1, 1, 950000, 1000000);
    build_program_view();
    assert_int_equal(view.answer.main, TP_WALL_WAITS + TP_WAIT_POLL);
    for (unsigned part = 0; part < TP_WALL_COUNT; part++)
        assert_false(view.answer.is_avoidable[part]);
    assert_headline_is_short();
    begin_next_program();
    write_blocked_state(1, 1, 0, 950000, "child"); /* the running time of 5 % does not matter */
    write_running_state(1, 1, 950000, 1000000);
    build_program_view();
    assert_int_equal(view.answer.main, TP_WALL_WAITS + TP_WAIT_CHILD);
    assert_false(view.answer.is_avoidable[TP_WALL_RUNNING]);
    assert_headline_is_short();
    begin_next_program();
    write_running_state(1, 1, 0, 50000);
    build_program_view();
    assert_int_equal(view.answer.main, TP_WALL_COUNT);
    assert_int_equal(view.marks[0].len, 0);
    assert_headline_is_short();
}

static void too_many_threads_are_named(void **state)
{
    (void)state;
    for (int thread = 1; thread <= 4; thread++) { /* one CPU: one thread runs while three threads are ready */
        for (int i = 0; i < 40; i++)
            state_of(1, thread, i % 4 == thread - 1 ? "running" : "ready", i * 10000, i * 10000 + 10000, "");
    }
    build_program_view();
    assert_int_equal(view.rule, TP_PROGRAM_WAITS_FOR_CPU);
    assert_true(view.answer.has_too_many_threads);
    assert_int_equal(view.answer.main, TP_WALL_RUNNING);
    assert_headline_is_short();
    /* a machine with more CPUs shortens the running time by an unknown amount */
    assert_int_equal(find_program_finding(TP_PROGRAM_FINDS_READY)->part, TP_WALL_RUNNING);
    assert_true(find_program_finding(TP_PROGRAM_FINDS_READY)->saving_ns == TP_NULL_INT);
}

static void running_time_is_split_by_function(void **state)
{
    (void)state;
    write_running_state(1, 1, 0, 1000000);
    for (int i = 0; i < 100; i++)
        write_cpu_sample(1, 1, i * 10000,
                         i < 50   ? "hot [x];main [x];"
                         : i < 80 ? "warm [x];main [x];"
                         : i < 97 ? "third [x];main [x];"
                                  : "main [x];");
    build_program_view();
    assert_int_equal(view.answer.segment_count, 3);
    assert_true(
        tp_str_equal(tp_program_function_at(&view.functions, view.answer.segments[0].function)->name, TP_STR("hot")));
    assert_true(view.answer.segments[0].ns == 500000000);
    assert_true(view.answer.segments[1].ns == 300000000);
    assert_int_equal(view.answer.segments[2].function, TP_NO_ID);
    assert_true(view.answer.segments[2].ns == 200000000);
    assert_true(find_program_finding(TP_PROGRAM_FINDS_FUNCTION)->saving_ns == 500000000);
    assert_int_equal(find_program_finding(TP_PROGRAM_FINDS_FUNCTION)->part, TP_WALL_RUNNING);
}

static void saving_of_a_lock_is_the_wait_of_one_thread(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) { /* two threads hold the lock alternately; thread 1 waits 120 ms, thread 2 80 ms */
        int length_us = i % 2 ? 12000 : 8000, at_us = i / 2 * 20000 + (i % 2 ? 8000 : 0);
        write_running_state(1, 1 + i % 2, at_us, at_us + length_us);
        write_blocked_state(1, 2 - i % 2, at_us, at_us + length_us, "lock");
    }
    build_program_view();
    const struct tp_program_finding *lock = find_program_finding(TP_PROGRAM_FINDS_LOCK);
    assert_non_null(lock);
    assert_true(lock->time_ns == 200000000);
    assert_true(lock->saving_ns == 120000000);
    assert_int_equal(lock->part, TP_WALL_WAITS + TP_WAIT_LOCK);
    assert_int_equal(lock->spans.count, 1); /* one thread waits at each time */
    assert_true(tp_intervals_length(lock->spans) == 200000000);
}

static void findings_of_the_main_part_come_first(void **state)
{
    (void)state;
    write_running_state(1, 1, 0, 300000);
    state_of(1, 1, "ready", 300000, 800000, "");
    write_blocked_state(1, 1, 800000, 1000000, "disk");
    for (int i = 0; i < 30; i++)
        write_cpu_sample(1, 1, i * 10000, "hot [x];");
    build_program_view();
    assert_int_equal(view.finding_count, 3);
    assert_int_equal(view.findings[0].kind, TP_PROGRAM_FINDS_READY);    /* 500 ms, the part of the headline */
    assert_int_equal(view.findings[1].kind, TP_PROGRAM_FINDS_FUNCTION); /* 300 ms */
    assert_int_equal(view.findings[2].kind, TP_PROGRAM_FINDS_DISK);     /* 200 ms */
    assert_true(view.findings[0].saving_ns == 500000000 && view.findings[2].saving_ns == 200000000);
}

static void names_of_the_c_library_lose_their_processor(void **state)
{
    static const char *const names[][2] = {{"__memcmp_evex_movbe", "memcmp"},
                                           {"__memmove_avx512_unaligned_erms", "memmove"},
                                           {"__GI___strcoll_l", "strcoll_l"},
                                           {"__GI_strlen", "strlen"},
                                           {"__libc_start_main", "__libc_start_main"},
                                           {"my_avx_kernel", "my_avx_kernel"},
                                           {"__", "__"}};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(tp_str_equal(tp_program_short_function_name(tp_str_of(names[i][0])), tp_str_of(names[i][1])));
}

/* ---- lanes ---- */

static void lane_shows_states_as_areas(void **state)
{
    struct tp_lane_areas lane;
    (void)state;
    write_running_state(1, 1, 0, 500000);
    state_of(1, 1, "ready", 500000, 625000, "");
    write_blocked_state(1, 1, 625000, 1000000, "disk");
    write_running_state(1, 2, 500000, 1000000);
    build_program_view();
    tp_lane_areas_fill(&lane, &arena, &view.tree, 0, 4);
    assert_int_equal(lane.count, 3);
    assert_int_equal(lane.areas[0].look, TP_LOOK_GPU); /* runs in the columns 0 and 1 */
    assert_true(tp_str_equal(lane.areas[0].path, TP_STR("M0 0h2v100h-2z")));
    assert_int_equal(lane.areas[1].look, TP_LOOK_COPY); /* half of column 2 at the bottom, and column 3 */
    assert_true(tp_str_equal(lane.areas[1].path, TP_STR("M2 50h1v50h-1zM3 0h1v100h-1z")));
    assert_int_equal(lane.areas[2].look, TP_LOOK_LAUNCH); /* half of column 2 at the top */
    assert_true(tp_str_equal(lane.areas[2].path, TP_STR("M2 0h1v50h-1z")));
    tp_lane_areas_fill(&lane, &arena, &view.tree, 1, 4);
    assert_int_equal(lane.count, 1);
    assert_true(tp_str_equal(lane.areas[0].path, TP_STR("M2 0h2v100h-2z"))); /* nothing before the thread's start */
}

/* ---- folded functions ---- */

static void flame_folds_recursion_and_functions_that_only_call(void **state)
{
    const struct tp_model model = {.trace = &trace};
    struct tp_calltree tree;
    (void)state;
    write_running_state(1, 1, 0, 1000000);
    for (int i = 0; i < 20; i++)
        write_cpu_sample(1, 1, i * 1000,
                         i < 10 ? "leaf [x];pass [x];sort [x];sort [x];sort [x];main [x];start [x];"
                                : "sort [x];sort [x];main [x];start [x];");
    build_program_view();
    tp_calltree_build_from_program(&tree, &model, &view, &(struct tp_calltree_options){.max_nodes = 100}, &arena);
    assert_int_equal(tree.longest_stack, 7);
    assert_int_equal(tree.count, 3); /* the root, "sort" for start, main and sort, and "leaf" for pass and leaf */
    assert_true(tp_str_equal(tree.calls[1].name, TP_STR("sort")) && tree.calls[1].call_count == 20);
    assert_true(tp_str_equal(tree.calls[2].name, TP_STR("leaf")) && tree.calls[2].host_ns == 500000000);
    assert_int_equal(tree.calls[2].parent, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_event_text, end_event_text)
    const struct CMUnitTest tests[] = {TEST(headline_names_the_largest_avoidable_part),
                                       TEST(two_parts_of_similar_length_are_both_named),
                                       TEST(program_without_avoidable_time_is_said_to_wait),
                                       TEST(too_many_threads_are_named),
                                       TEST(running_time_is_split_by_function),
                                       TEST(saving_of_a_lock_is_the_wait_of_one_thread),
                                       TEST(findings_of_the_main_part_come_first),
                                       TEST(names_of_the_c_library_lose_their_processor),
                                       TEST(lane_shows_states_as_areas),
                                       TEST(flame_folds_recursion_and_functions_that_only_call)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
