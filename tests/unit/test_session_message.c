/* Tests the limited number of messages of the library. A minor message must not suppress a major one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/session.h"

static void major_message_follows_a_minor_one(void **state)
{
    char said[400] = "";
    int ends[2], before = dup(STDERR_FILENO);
    (void)state;
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    tp_session_print_message(TP_SEVERITY_DETAIL, "first part", "why");
    tp_session_print_message(TP_SEVERITY_DETAIL, "second part", NULL);
    tp_session_print_message(TP_SEVERITY_RECORDING, "all", NULL);
    tp_session_print_message(TP_SEVERITY_TRACE, "trace", NULL);
    tp_session_print_message(TP_SEVERITY_RECORDING, "all again", NULL);
    dup2(before, STDERR_FILENO);
    close(before);
    close(ends[1]);
    assert_true(read(ends[0], said, sizeof said - 1) > 0);
    close(ends[0]);
    assert_string_equal(said, "tracepress: first part: why\ntracepress: all\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(major_message_follows_a_minor_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
