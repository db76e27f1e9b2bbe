/* Tests option tables: spellings, operands between options, and a clear message for each mistake. */
#include "webreport/session/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct options {
    const char *output;
    uint64_t size;
    struct tp_opt_list rules;
    int color;
    bool quiet;
    const char *user;
};

static const struct tp_opt table[] = {
    {"output", 'o', TP_OPT_PATH, offsetof(struct options, output), NULL},
    {"size", 0, TP_OPT_SIZE, offsetof(struct options, size), NULL},
    {"rule", 0, TP_OPT_LIST, offsetof(struct options, rules), NULL},
    {"color", 0, TP_OPT_CHOICE, offsetof(struct options, color), "auto|always|never"},
    {"user", 0, TP_OPT_OPTIONAL_TEXT, offsetof(struct options, user), NULL},
    {"quiet", 'q', TP_OPT_FLAG, offsetof(struct options, quiet), NULL},
    {NULL, 0, 0, 0, NULL},
};

static struct options options;
static struct tp_error err;
static size_t operand_count;
static char *argv_now[16];

/* Parses a command line whose words are separated by spaces. */
static int parse_command_line(const char *line)
{
    static char text[256];
    int argc = 0;
    memset(&options, 0, sizeof options);
    memset(&err, 0, sizeof err);
    strcpy(text, line);
    for (char *rest = text, *word; (word = strsep(&rest, " ")) != NULL;)
        if (*word)
            argv_now[argc++] = word;
    return tp_opt_parse(table, &options, argc, argv_now, &operand_count, &err);
}

static void optional_value_is_part_of_the_same_word(void **state)
{
    (void)state;
    assert_int_equal(parse_command_line("--user --quiet a.json"), 0);
    assert_string_equal(options.user, "");
    assert_true(options.quiet);
    assert_int_equal(parse_command_line("--user a.json"), 0);
    assert_string_equal(options.user, "");
    assert_int_equal(operand_count, 1);
    assert_int_equal(parse_command_line("--user=nobody a.json"), 0);
    assert_string_equal(options.user, "nobody");
    assert_int_equal(parse_command_line("a.json"), 0);
    assert_null(options.user);
}

static void options_may_come_between_operands(void **state)
{
    (void)state;
    assert_int_equal(parse_command_line("a.json -o x.html b.json --quiet --size=5M --color never c.json"), 0);
    assert_int_equal(operand_count, 3);
    assert_string_equal(argv_now[2], "c.json");
    assert_string_equal(options.output, "x.html");
    assert_true(options.quiet);
    assert_true(options.size == 5u << 20);
    assert_int_equal(options.color, 2);
}

static void backslash_in_a_path_is_kept(void **state)
{
    (void)state;
    assert_int_equal(parse_command_line("a\\b.json -o c\\d.html"), 0);
    assert_string_equal(argv_now[0], "a\\b.json");
    assert_string_equal(options.output, "c\\d.html");
}

static void two_dashes_end_the_options(void **state)
{
    (void)state;
    assert_int_equal(parse_command_line("-- -o --quiet"), 0);
    assert_int_equal(operand_count, 2);
    assert_false(options.quiet);
}

static void a_single_dash_is_an_operand(void **state)
{
    (void)state;
    assert_int_equal(parse_command_line("- -o -"), 0);
    assert_int_equal(operand_count, 1);
    assert_string_equal(options.output, "-");
}

static void lists_collect_in_order(void **state)
{
    (void)state;
    assert_int_equal(parse_command_line("--rule A.x=1 --rule=B.y=2"), 0);
    assert_int_equal(options.rules.count, 2);
    assert_string_equal(options.rules.items[1], "B.y=2");
}

static void wrong_option_is_named(void **state)
{
    static const char *const lines[][2] = {{"--frobnicate", "frobnicate"},
                                           {"-x", "x"},
                                           {"-o", "o"},
                                           {"--size=5X", "5X"},
                                           {"--size=-1", "-1"},
                                           {"--color=b", "auto"},
                                           {"--quiet=1", "quiet"},
                                           {"--size=99999999999G", "size"}};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_int_equal(parse_command_line(lines[i][0]), TP_EUSAGE);
        assert_non_null(strstr(err.text, lines[i][1]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optional_value_is_part_of_the_same_word),
        cmocka_unit_test(options_may_come_between_operands),
        cmocka_unit_test(backslash_in_a_path_is_kept),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(a_single_dash_is_an_operand),
        cmocka_unit_test(lists_collect_in_order),
        cmocka_unit_test(wrong_option_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
