/* Tests that the verdict of a summary uses the same words as the page. */
#include "webreport/document/report/sections.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct tp_arena arena;

static struct tp_verdict_block make_verdict_words(const char *class, const char *headline, bool redact)
{
    struct tp_naming naming = {.arena = &arena, .redact = redact, .host = {"node7", 5}};
    return tp_stored_verdict_block(&naming, tp_str_of(class), tp_str_of(headline));
}

static int check_stored_verdict(void *context, struct tp_error *err)
{
    static const char gap[] = "GPU 0 waits for the host in one gap of 62.0 % of the step time. During the longest gap, "
                              "the host mostly ran /home/jane doe/run (1)/train.py(88): step.";
    /* headlines in summaries of earlier versions */
    static const char stall[] = "One gap is 62.0 % of the step time: GPU 0 waits for the host, most of it at "
                                "/home/jane doe/run (1)/train.py(88): step.";
    static const char outside[] =
        "GPU 0 has no recorded work before its first or after its last operation for 50.0 % of "
        "the step time (the host ran /home/jane doe/node7/a b.py(3): f); it computes for 1.0 %.";
    (void)context;
    (void)err;
    assert_string_equal(make_verdict_words("launch-bound", "GPU 0 waits.", false).class, "Launch-bound");
    assert_string_equal(make_verdict_words("launch-bound", "GPU 0 waits.", true).headline, "GPU 0 waits.");
    assert_string_equal(make_verdict_words("cpu", "Operators take 1.0 %.", true).class, "CPU only");
    assert_int_equal(make_verdict_words("compute-bound", "", false).tone, TP_TONE_GOOD);
    assert_string_equal(make_verdict_words("of-tomorrow", "New.", false).class, "of-tomorrow");
    assert_string_equal(make_verdict_words("stall", gap, false).headline, gap);
    assert_string_equal(make_verdict_words("stall", gap, true).headline,
                        "GPU 0 waits for the host in one gap of 62.0 % of the step time. During the longest gap, the "
                        "host mostly ran \xe2\x80\xa6/train.py(88): step.");
    assert_string_equal(make_verdict_words("stall", stall, false).headline, stall);
    assert_string_equal(make_verdict_words("stall", stall, true).headline,
                        "One gap is 62.0 % of the step time: GPU 0 waits for the host, most of it at "
                        "\xe2\x80\xa6/train.py(88): step.");
    assert_string_equal(
        make_verdict_words("not-shown", outside, true).headline,
        "GPU 0 has no recorded work before its first or after its last operation for 50.0 % of the step time "
        "(the host ran \xe2\x80\xa6/a b.py(3): f); it computes for 1.0 %.");
    return TP_OK;
}

static void stored_verdict_has_words_and_hides_lines(void **state)
{
    (void)state;
    tp_arena_init(&arena, 0);
    assert_int_equal(tp_arena_run(&arena, check_stored_verdict, NULL, NULL), TP_OK);
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stored_verdict_has_words_and_hides_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
