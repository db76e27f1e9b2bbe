/* Tests the suggestion "did you mean": the known word that is nearest to a mistyped word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "writer/text/nearest.h"

/* Returns the command nearest to a word, or "" if no command is near. */
static struct tp_str nearest_command(const char *word)
{
    static const char *const commands[] = {"report", "record", "recover", "table", "diff", "csv"};
    struct tp_nearest search = tp_nearest_start(tp_str_of(word));
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        tp_nearest_compare(&search, tp_str_of(commands[i]));
    return search.found;
}

static void mistyped_word_finds_the_nearest(void **state)
{
    static const char *const rows[][2] = {{"reprot", "report"},  {"Report", "report"}, {"recod", "record"},
                                          {"recovr", "recover"}, {"rec", "record"},    {"tables", "table"},
                                          {"diff-runs", "diff"}, {"cvs", "csv"},       {"reportx", "report"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!tp_str_equal(nearest_command(rows[i][0]), tp_str_of(rows[i][1])))
            fail_msg("%s found %.*s", rows[i][0], (int)nearest_command(rows[i][0]).len,
                     nearest_command(rows[i][0]).ptr);
}

static void unrelated_word_finds_nothing(void **state)
{
    char longer[64];
    static const char *const rows[] = {"", "x", "xyz", "frobnicate", "--", "\xff\xfe\xfd\xfc"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(nearest_command(rows[i]).len, 0);
    memset(longer, 'r', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(nearest_command(longer).len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistyped_word_finds_the_nearest),
        cmocka_unit_test(unrelated_word_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
