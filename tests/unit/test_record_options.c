/* Tests the options of `record`, their effect on the program, and LD_PRELOAD. */
#include "webreport/cli/record_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_WORDS = 16 };

static struct tp_record_options options;
static struct tp_error err;
static char **program;

/* Parses a command line whose words are separated by spaces. */
static int parse_command_line(const char *line)
{
    static char text[512], *words[MAX_WORDS + 1];
    int count = 0;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word && count < MAX_WORDS; word = strtok(NULL, " "))
        words[count++] = word;
    words[count] = NULL;
    err = (struct tp_error){0};
    return tp_record_parse_options(&options, count, words, &program, &err);
}

static void running_process_replaces_a_program(void **state)
{
    (void)state;
    assert_int_equal(parse_command_line("-p 42 --duration 2"), 0);
    assert_int_equal(options.attached, 42);
    assert_int_equal(options.kineto.duration_ms, 2000);
    static const char *const wrong[] = {"-p 0",          "-p -3",         "-p 4x",
                                        "-p 9999999999", "-p 42 -- prog", "-p 42 --source io"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(parse_command_line(wrong[i]), TP_EUSAGE);
    assert_int_equal(parse_command_line("-- prog"), 0);
    assert_int_equal(options.attached, 0);
}

static void words_after_dashes_belong_to_the_program(void **state)
{
    (void)state;
    assert_int_equal(parse_command_line("-o there --report -- prog --quiet -- -o x"), 0);
    assert_string_equal(options.out, "there");
    assert_true(options.report);
    assert_false(options.common.quiet);
    assert_string_equal(program[0], "prog");
    assert_string_equal(program[2], "--");
    assert_null(program[5]);
}

static void defaults_match_the_help_text(void **state)
{
    char words[TP_RECORD_WORDS];
    (void)state;
    assert_int_equal(parse_command_line("-- prog"), 0);
    assert_string_equal(options.out, "runs");
    assert_string_equal(tp_record_source_setting_text(&options, false, words, sizeof words), "default,");
    assert_string_equal(tp_record_torch_setting_text(&options, words, sizeof words),
                        "duration_ms=0 skip_first=0 wait=1 warmup=1 active=3 repeat=1 shapes=1 stack=0 memory=1 "
                        "flops=0 modules=0 steps_only=0");
}

static void each_wrong_use_is_reported(void **state)
{
    static const struct {
        const char *line, *said;
    } cases[] = {
        {"", "name a program"},
        {"--", "name a program"},
        {"prog", "write -- before"},
        {"--nothing -- prog", "nothing"},
        {"-o", "output"},
        {"--active 0 -- prog", "at least 1"},
        {"--active -1 -- prog", "not a number of steps"},
        {"--wait 1x -- prog", "not a number of steps"},
        {"--repeat 99999999999999999999 -- prog", "not a number of steps"},
        {"--duration 0 -- prog", "not a number of seconds"},
        {"--duration nan -- prog", "not a number of seconds"},
        {"--duration 1e9 -- prog", "not a number of seconds"},
        {"--duration 2 --skip 3 -- prog", "exclude each other"},
        {"--torch-options shapes,colour -- prog", "colour"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(parse_command_line(cases[i].line), TP_EUSAGE);
        if (!strstr(err.text, cases[i].said))
            fail_msg("\"%s\": %s", cases[i].line, err.text);
    }
}

static void steps_and_seconds_reach_the_program(void **state)
{
    char words[TP_RECORD_WORDS];
    (void)state;
    assert_int_equal(
        parse_command_line("--skip 5 --wait 0 --warmup 2 --active 4 --repeat 0 --torch-options stack,none -- p"), 0);
    assert_string_equal(tp_record_torch_setting_text(&options, words, sizeof words),
                        "duration_ms=0 skip_first=5 wait=0 warmup=2 active=4 repeat=0 shapes=0 stack=1 memory=0 "
                        "flops=0 modules=0 steps_only=0");
    assert_int_equal(parse_command_line("--duration 1.5s --source kineto -- p"), 0);
    assert_int_equal(options.kineto.duration_ms, 1500);
    assert_non_null(strstr(tp_record_torch_setting_text(&options, words, sizeof words), "steps_only=1"));
}

static void sources_are_named_by_the_table(void **state)
{
    static const struct tp_source_rows rows = {.rows = {{.name = "null"}, {.name = "sample"}}, .count = 2};
    char words[TP_RECORD_WORDS];
    (void)state;
    assert_int_equal(parse_command_line("--source sample=500,null --source default --no-source null -- p"), 0);
    assert_int_equal(tp_record_check_names(&options, &rows, &err), 0);
    assert_true(tp_record_wants_source(&options, "sample"));
    assert_false(tp_record_wants_source(&options, "null"));
    assert_false(tp_record_wants_source(&options, "sampl"));
    assert_string_equal(tp_record_source_setting_text(&options, false, words, sizeof words),
                        "sample=500,null,default,-null,");
    assert_false(tp_record_has_outside(&(struct tp_record_options){.summary_only = true}));
    assert_true(tp_record_has_outside(&options));
    assert_string_equal(tp_record_source_setting_text(&options, true, words, sizeof words),
                        "sample=500,null,default,-null,");
    assert_int_equal(parse_command_line("--no-source locks -- p"), 0);
    assert_string_equal(tp_record_source_setting_text(&options, true, words, sizeof words), "default,-locks,-sample,");
    assert_int_equal(parse_command_line("--no-source outside -- p"), 0);
    assert_false(tp_record_has_outside(&options));
    assert_int_equal(parse_command_line("--source memory -- p"), 0);
    assert_false(tp_record_has_outside(&options));
    assert_int_equal(parse_command_line("--source samples -- p"), 0);
    assert_int_equal(tp_record_check_names(&options, &rows, &err), TP_EUSAGE);
    assert_non_null(strstr(err.text, "samples"));
    assert_int_equal(parse_command_line("--no-source nul -- p"), 0);
    assert_int_equal(tp_record_check_names(&options, &rows, &err), TP_EUSAGE);
}

static void library_is_preloaded_first_except_with_sanitizers(void **state)
{
    static const struct {
        const char *before, *after;
    } cases[] = {
        {NULL, "/x/ours.so"},
        {"", "/x/ours.so"},
        {"libjemalloc.so", "/x/ours.so:libjemalloc.so"},
        {"/usr/lib/libasan.so.8", "/usr/lib/libasan.so.8:/x/ours.so"},
        {"libasan.so:libubsan.so libm.so", "libasan.so:libubsan.so:/x/ours.so:libm.so"},
        {"libm.so:/x/ours.so:libc.so", "/x/ours.so:libm.so:libc.so"},
        {"libm.so:libasan.so", "/x/ours.so:libm.so:libasan.so"},
        {"/libasan.d/libm.so", "/x/ours.so:/libasan.d/libm.so"},
    };
    char value[256], little[16];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].before)
            setenv("LD_PRELOAD", cases[i].before, 1);
        else
            unsetenv("LD_PRELOAD");
        assert_int_equal(tp_library_make_preload_value(value, sizeof value, "/x/ours.so"), 0);
        assert_string_equal(value, cases[i].after);
    }
    assert_int_equal(tp_library_make_preload_value(little, sizeof little, "/x/ours.so"), TP_ELIMIT);
    unsetenv("LD_PRELOAD");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_process_replaces_a_program),
        cmocka_unit_test(words_after_dashes_belong_to_the_program),
        cmocka_unit_test(defaults_match_the_help_text),
        cmocka_unit_test(each_wrong_use_is_reported),
        cmocka_unit_test(steps_and_seconds_reach_the_program),
        cmocka_unit_test(sources_are_named_by_the_table),
        cmocka_unit_test(library_is_preloaded_first_except_with_sanitizers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
