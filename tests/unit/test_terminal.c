/* Tests that texts cannot control logs or terminals. Harmless texts stay unchanged. */
#include "writer/text/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_commands_disabled(const char *text, const char *want)
{
    char got[256];
    snprintf(got, sizeof got, "%s", text);
    tp_terminal_disable_commands(got, strlen(got));
    assert_string_equal(got, want);
}

static void log_commands_are_disabled(void **state)
{
    (void)state;
    assert_commands_disabled("::error file=a::b\n  ::set-output name=x::y\r\t::debug::z",
                             "?:error file=a::b\n  ?:set-output name=x::y\r\t?:debug::z");
    assert_commands_disabled("a ##[error]b ##vso[task.x]c ##teamcity[d]", "a #?[error]b #?vso[task.x]c #?teamcity[d]");
    assert_commands_disabled("###VSO[x", "##?VSO[x");
    assert_commands_disabled("\xC2\xA0\xE2\x80\x83\xE3\x80\x80 ::error::x",
                             "\xC2\xA0\xE2\x80\x83\xE3\x80\x80 ?:error::x");
    assert_commands_disabled("\n\n::x", "\n\n?:x");
}

static void harmless_names_stay_unchanged(void **state)
{
    static const char *const names[] = {"aten::mm",
                                        "at::native::(anonymous namespace)::f",
                                        "# heading",
                                        "## [x]",
                                        "##",
                                        "##abc",
                                        "::",
                                        ":: x",
                                        "x ::error::y",
                                        "a#b[0]",
                                        "",
                                        "\n",
                                        "::1 localhost"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_commands_disabled(names[i], names[i]);
}

/* Cleans random texts. The result must contain no control characters, and cleaning it again must change nothing. */
static void random_texts_are_safe(void **state)
{
    static const char *const parts[] = {":", "::", "#", "##", "[", "vso", "e", " ", "\n", "\r", "\xE3\x80\x80", "\t"};
    unsigned seed = 1;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        char text[128] = "", again[128];
        for (int k = 0; k < 12; k++)
            strcat(text, parts[(seed = seed * 1103515245 + 12345) >> 16 & 0x7FFF ? (seed >> 16) % 12 : 0]);
        tp_terminal_disable_commands(text, strlen(text));
        strcpy(again, text);
        tp_terminal_disable_commands(again, strlen(again));
        assert_string_equal(again, text);
        assert_null(strstr(text, "##["));
        assert_null(strstr(text, "##vso["));
        assert_null(strstr(text, "\n::e"));
        assert_null(strstr(text, "\n \t::e"));
    }
}

static void terminal_shows_controls_as_questions(void **state)
{
    char text[] = "a\x1b[2J\xE2\x80\xAE\xD8\x9C\xE2\x80\x8F\xC2\x9B\xff\xC3\xA9";
    (void)state;
    tp_terminal_clean(text, strlen(text));
    char lines[] = "\x1b\ta\n\n\r\x07";
    tp_terminal_clean_lines(lines, strlen(lines));
    assert_string_equal(lines, "?\ta\n\n\r?");
    assert_string_equal(text, "a?[2J??????????\?\xC3\xA9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_commands_are_disabled),
        cmocka_unit_test(harmless_names_stay_unchanged),
        cmocka_unit_test(random_texts_are_safe),
        cmocka_unit_test(terminal_shows_controls_as_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
