/* Tests how limits of CPU time are measured in the control group of a process and in its parent groups, for cgroup
 * versions 1 and 2. */
#include "collector/outside/processes/throttling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/tmp/throttling.XXXXXX";

static void write_group_file(const char *group, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, group);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/cpu.stat", root, group);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_groups(void **state)
{
    (void)state;
    if (!mkdtemp(root))
        return -1;
    write_group_file("a", "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 70\n");
    write_group_file("a/b", "nr_throttled 1\nthrottled_usec 5\n");
    write_group_file("cpu,cpuacct", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
    write_group_file("cpu,cpuacct/a", "nr_periods 9\nnr_throttled 2\nthrottled_time 4000\n");
    write_group_file("odd", "nr_throttled 2\nthrottled_usec 9223372036854775807\n");
    return 0;
}

static int remove_groups(void **state)
{
    static const char *const groups[] = {"a/b", "a", "cpu,cpuacct/a", "cpu,cpuacct", "odd"};
    char path[256];
    (void)state;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        snprintf(path, sizeof path, "%s/%s/cpu.stat", root, groups[i]);
        unlink(path);
        snprintf(path, sizeof path, "%s/%s", root, groups[i]);
        rmdir(path);
    }
    return rmdir(root);
}

static void nested_groups_are_added_up(void **state)
{
    struct tp_throttling found;
    (void)state;
    assert_true(tp_throttling_sum_groups(&found, "0::/a/b\n", root) && found.time_ns == 75000 &&
                found.period_count == 4);
    assert_true(tp_throttling_sum_groups(&found, "5:memory:/a\n4:cpu,cpuacct:/a/gone\n1:name=systemd:/a", root));
    assert_true(found.time_ns == 4000 && found.period_count == 2);
    assert_true(tp_throttling_sum_groups(&found, "0::/a/\n", root) && found.period_count == 3);
}

static void missing_files_give_unknown(void **state)
{
    static const char *const texts[] = {"",           "\n",      "0",     "0::", "0::/", "0::/none", "3:cpuacct:/a",
                                        "0::/a/../a", "0::/odd", ":::::", "0::a"};
    struct tp_throttling found;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(tp_throttling_sum_groups(&found, texts[i], root));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nested_groups_are_added_up),
                                       cmocka_unit_test(missing_files_give_unknown)};
    return cmocka_run_group_tests(tests, make_groups, remove_groups);
}
