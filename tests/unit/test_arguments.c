/* Tests how a trace shows the arguments of ranges, and the work of devices that the program reports itself. */
#include <math.h>
#include <stdbool.h>

#include "tests/unit/recorded_text.h"

static int begin_argument_test(void **state)
{
    (void)state;
    return begin_text_recording();
}

static bool is_text_in_trace(const char *part)
{
    return strstr(text, part) != NULL;
}

static size_t count_text_in_trace(const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

static tracepress_name intern_name(const char *of)
{
    return tracepress_intern(of);
}

/* ---- ranges ---- */

static void range_kinds_are_written_as_names(void **state)
{
    (void)state;
    static const char *const words[] = {NULL, "compute", "input", "communication", "copy", "wait", "sync"};
    char part[64];
    for (int kind = TRACEPRESS_NONE; kind <= TRACEPRESS_SYNC + 1; kind++) {
        tracepress_begin_kind(intern_name("of a kind"), (enum tracepress_kind)kind);
        tracepress_end();
    }
    tracepress_stop();
    assert_int_equal(count_text_in_trace("\"name\":\"of a kind\""), TRACEPRESS_SYNC + 2);
    assert_int_equal(count_text_in_trace("\"kind\":"),
                     TRACEPRESS_SYNC); /* TRACEPRESS_NONE and unknown numbers write no kind */
    for (int kind = TRACEPRESS_COMPUTE; kind <= TRACEPRESS_SYNC; kind++) {
        snprintf(part, sizeof part, "\"kind\":\"%s\"", words[kind]);
        assert_int_equal(count_text_in_trace(part), 1);
    }
}

static void arguments_belong_to_the_open_range(void **state)
{
    (void)state;
    tracepress_arg_i64(intern_name("nowhere"), 1);
    tracepress_begin(intern_name("outer"));
    tracepress_begin_kind(intern_name("inner"), TRACEPRESS_INPUT);
    tracepress_arg_i64(intern_name("rows"), INT64_MIN);
    tracepress_arg_f64(intern_name("rate"), 0.5);
    tracepress_arg_f64(intern_name("no number"), (double)NAN);
    tracepress_arg_text(intern_name("file"), "a\"b\n</script>");
    tracepress_arg_text(intern_name("nothing"), NULL);
    tracepress_end();
    tracepress_arg_i64(intern_name("step"), 1);
    tracepress_arg_i64(intern_name("step"), 2);
    tracepress_end();
    tracepress_arg_i64(intern_name("nowhere"), 2);
    tracepress_stop();
    assert_true(is_text_in_trace("\"kind\":\"input\",\"rows\":-9223372036854775808,\"rate\":0.5,\"no number\":null,"
                                 "\"file\":\"a\\\"b\\n</script>\",\"nothing\":\"\""));
    assert_int_equal(count_text_in_trace("\"step\":"), 1);
    assert_true(is_text_in_trace("\"step\":2"));
    assert_false(is_text_in_trace("nowhere\":"));
}

static void operators_and_modules_have_arguments(void **state)
{
    (void)state;
    struct tracepress_operator call = TRACEPRESS_OPERATOR;
    call.flops = 8;
    tracepress_operator_begin(intern_name("matmul"), &call);
    tracepress_arg_text(intern_name("algorithm"), "split");
    tracepress_end();
    tracepress_module_begin(intern_name("Layer"));
    tracepress_arg_i64(intern_name("depth"), 3);
    tracepress_end();
    tracepress_stop();
    assert_int_equal(count_text_in_trace("\"algorithm\":\"split\""), 1);
    assert_int_equal(count_text_in_trace("\"depth\":3"), 1);
}

static void last_color_wins(void **state)
{
    (void)state;
    tracepress_begin(intern_name("painted"));
    tracepress_color(0x112233);
    tracepress_color(0xFF445566);
    tracepress_end();
    tracepress_stop();
    assert_int_equal(count_text_in_trace("\"color\":"), 1);
    assert_true(is_text_in_trace("\"color\":\"#445566\""));
}

static void reserved_names_are_not_overwritten(void **state)
{
    (void)state;
    tracepress_begin_kind(intern_name("mine"), TRACEPRESS_COPY);
    tracepress_arg_text(intern_name("kind"), "input");
    tracepress_arg_text(intern_name("color"), "red");
    tracepress_arg_i64(intern_name("External id"), 77);
    tracepress_end();
    tracepress_stop();
    assert_true(is_text_in_trace(
        "\"kind\":\"copy\",\"metadata kind\":\"input\",\"metadata color\":\"red\",\"user External id\":77"));
}

static void only_the_last_arguments_are_kept(void **state)
{
    (void)state;
    char key[16];
    tracepress_begin(intern_name("many"));
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "key %d", i);
        tracepress_arg_i64(intern_name(key), i);
    }
    tracepress_end();
    tracepress_stop();
    assert_int_equal(count_text_in_trace("\"key "), 24);
    assert_true(is_text_in_trace("\"key 76\":76"));
    assert_true(is_text_in_trace("\"key 99\":99"));
}

static void instants_have_texts(void **state)
{
    (void)state;
    tracepress_instant_text(intern_name("loss"), "rose <b>");
    tracepress_instant_text(intern_name("loss"), NULL);
    tracepress_instant(intern_name("loss"));
    tracepress_stop();
    assert_int_equal(count_text_in_trace("\"name\":\"loss\""), 3);
    assert_int_equal(count_text_in_trace("\"args\":{\"text\":\"rose <b>\"}"), 1);
    assert_int_equal(count_text_in_trace("\"text\":"), 1);
}

/* ---- work on devices ---- */

static void work_becomes_kernels_of_a_device(void **state)
{
    (void)state;
    enum { WORKS = 1000 };
    tracepress_lane_id queue = tracepress_lane("npu/queue 1", TRACEPRESS_COMPUTE);
    tracepress_lane_id copies = tracepress_lane("npu/copies", TRACEPRESS_COPY);
    tracepress_lane_id other = tracepress_lane("dsp", TRACEPRESS_WAIT);
    assert_int_equal(queue, tracepress_lane("npu/queue 1", TRACEPRESS_COMPUTE));
    assert_int_not_equal(queue, tracepress_lane("npu/queue 1", TRACEPRESS_COPY));
    int64_t start = tracepress_now();
    /* waits until the reported work is over, because programs must report only completed work */
    while (tracepress_now() < start + 4 * WORKS)
        ;
    for (int i = 0; i < WORKS; i++)
        tracepress_complete(queue, intern_name("conv"), start + i * 4, start + i * 4 + 3, NULL);
    struct tracepress_work work = TRACEPRESS_WORK;
    struct tracepress_argument bytes = {intern_name("bytes"), TRACEPRESS_I64, 4096, 0, NULL};
    work.arguments = &bytes;
    work.argument_count = 1;
    work.color = 0xABCDEF;
    tracepress_complete(copies, intern_name("to npu"), start, start + 100, &work);
    tracepress_complete(other, intern_name("idle"), start, start + 100, NULL);
    work.kind = TRACEPRESS_COMMUNICATION;
    tracepress_complete(queue, intern_name("all-reduce"), start, start + 1, &work);
    tracepress_complete(0, intern_name("lost"), start, start + 1, NULL);
    tracepress_stop();
    assert_int_equal(count_text_in_trace("\"cat\":\"kernel\",\"name\":\"conv\",\"pid\":0"), WORKS);
    assert_int_equal(count_text_in_trace("\"dur\":0.003,\"args\":{\"device\":0,\"stream\":"), WORKS);
    assert_true(is_text_in_trace("\"deviceProperties\":[{\"id\":0,\"name\":\"npu\"},\n{\"id\":1,\"name\":\"dsp\"}]"));
    assert_true(is_text_in_trace("\"cat\":\"gpu_memcpy\",\"name\":\"to npu\",\"pid\":0"));
    assert_true(is_text_in_trace("\"kind\":\"copy\",\"color\":\"#ABCDEF\",\"bytes\":4096"));
    assert_true(is_text_in_trace("\"cat\":\"gpu_user_annotation\",\"name\":\"idle\",\"pid\":1"));
    assert_true(is_text_in_trace("\"kind\":\"communication\""));
    assert_false(is_text_in_trace("lost"));
}

static void work_outside_of_the_recording_is_clipped(void **state)
{
    (void)state;
    tracepress_lane_id lane = tracepress_lane("npu", TRACEPRESS_NONE);
    int64_t now = tracepress_now();
    tracepress_complete(lane, intern_name("of the past"), INT64_MIN, now - 3600000000000, NULL);
    tracepress_complete(lane, intern_name("of the future"), now + 3600000000000, INT64_MAX, NULL);
    tracepress_complete(lane, intern_name("without end"), now, INT64_MAX, NULL);
    tracepress_complete(lane, intern_name("turned round"), now, now - 1000, NULL);
    tracepress_complete(lane, intern_name("of all times"), INT64_MIN, INT64_MAX, NULL);
    tracepress_stop();
    assert_false(is_text_in_trace("of the past"));
    assert_false(is_text_in_trace("of the future"));
    assert_true(is_text_in_trace("\"without end\""));
    assert_true(is_text_in_trace("\"of all times\""));
    const char *moment = strstr(text, "\"turned round\"");
    assert_non_null(moment);
    assert_non_null(strstr(moment, "\"dur\":0"));
    assert_int_equal(count_text_in_trace("\"dur\":-"), 0);
}

static void overlapping_work_gets_separate_rows(void **state)
{
    (void)state;
    tracepress_lane_id lane = tracepress_lane("npu/queue", TRACEPRESS_COMPUTE);
    tracepress_lane_id next = tracepress_lane("npu/next", TRACEPRESS_COMPUTE);
    int64_t start = tracepress_now();
    while (tracepress_now() < start + 3000)
        ;
    tracepress_complete(lane, intern_name("first"), start, start + 2000, NULL);
    tracepress_complete(lane, intern_name("second"), start + 1000, start + 3000, NULL);
    tracepress_complete(lane, intern_name("third"), start + 2000, start + 3000, NULL);
    tracepress_complete(next, intern_name("fourth"), start, start + 1000, NULL);
    tracepress_stop();
    assert_true(is_text_in_trace("\"name\":\"first\",\"pid\":0,\"tid\":0"));
    assert_true(is_text_in_trace("\"name\":\"second\",\"pid\":0,\"tid\":1"));
    assert_true(is_text_in_trace("\"name\":\"third\",\"pid\":0,\"tid\":0"));
    assert_true(is_text_in_trace("\"name\":\"fourth\",\"pid\":0,\"tid\":2"));
    assert_true(is_text_in_trace("{\"name\":\"npu/queue (2)\"}"));
    assert_true(is_text_in_trace("{\"name\":\"npu/next\"}"));
}

static void devices_beyond_the_maximum_are_left_out(void **state)
{
    (void)state;
    char device[32];
    int64_t now = tracepress_now();
    for (int i = 0; i < 70; i++) {
        snprintf(device, sizeof device, "device %d/queue", i);
        tracepress_complete(tracepress_lane(device, TRACEPRESS_COMPUTE), intern_name("work"), now, now + 1, NULL);
    }
    tracepress_stop();
    assert_int_equal(count_text_in_trace("\"name\":\"work\""), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(range_kinds_are_written_as_names, begin_argument_test, end_text_recording),
        cmocka_unit_test_setup_teardown(arguments_belong_to_the_open_range, begin_argument_test, end_text_recording),
        cmocka_unit_test_setup_teardown(operators_and_modules_have_arguments, begin_argument_test, end_text_recording),
        cmocka_unit_test_setup_teardown(last_color_wins, begin_argument_test, end_text_recording),
        cmocka_unit_test_setup_teardown(reserved_names_are_not_overwritten, begin_argument_test, end_text_recording),
        cmocka_unit_test_setup_teardown(only_the_last_arguments_are_kept, begin_argument_test, end_text_recording),
        cmocka_unit_test_setup_teardown(instants_have_texts, begin_argument_test, end_text_recording),
        cmocka_unit_test_setup_teardown(work_becomes_kernels_of_a_device, begin_argument_test, end_text_recording),
        cmocka_unit_test_setup_teardown(work_outside_of_the_recording_is_clipped, begin_argument_test,
                                        end_text_recording),
        cmocka_unit_test_setup_teardown(overlapping_work_gets_separate_rows, begin_argument_test, end_text_recording),
        cmocka_unit_test_setup_teardown(devices_beyond_the_maximum_are_left_out, begin_argument_test,
                                        end_text_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
