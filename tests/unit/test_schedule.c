/* Tests the schedule as a table with a letter per step: "." none, "w" warm-up, "r" record, "s" record and save. */
#include "collector/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void every_step_has_its_action(void **state)
{
    static const struct {
        struct tracepress_schedule schedule;
        const char *actions;
    } cases[] = {
        {{0, 0, 0, 0, 0}, "rrrrrr"},       {{0, 0, 0, 1, 0}, "ssssss"},       {{0, 1, 1, 2, 0}, ".wrs.wrs.wrs"},
        {{2, 1, 1, 2, 1}, "...wrs......"}, {{1, 0, 2, 1, 2}, ".wwswws....."}, {{0, 3, 0, 1, 2}, "...s...s...."},
    };
    static const char letters[] = {'.', 'w', 'r', 's'};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t step = 0; cases[i].actions[step]; step++)
            if (letters[tp_schedule_action(&cases[i].schedule, step)] != cases[i].actions[step])
                fail_msg("case %zu, step %d", i, (int)step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_step_has_its_action)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
