/* Tests tasks that start on one thread and end on another: known delays, pairs, overlaps, tasks without an end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/made_trace.h"
#include "webreport/measure/views/task_view.h"

static struct tp_buf text;
static struct tp_arena arena;
static struct tp_trace trace;
static struct tp_model model;
static struct tp_task_view view;

static int open_arena(void **state)
{
    (void)state;
    tp_buf_init(&text, 0);
    tp_buf_puts(&text,
                "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::add\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1}");
    return 0;
}

static int close_arena(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    tp_buf_release(&text);
    return 0;
}

static void write_task_end(char phase, const char *category, const char *name, const char *id, int tid, int64_t ns)
{
    tp_buf_printf(&text,
                  "%s{\"ph\":\"%c\",\"cat\":\"%s\",\"name\":\"%s\",\"id\":%s,\"pid\":1,\"tid\":%d,\"ts\":%lld.%03lld}",
                  text.size ? "," : "", phase, category, name, id, tid, (long long)(ns / 1000), (long long)(ns % 1000));
}

static void build_tasks(void)
{
    struct tp_order order;
    tp_buf_add(&text, "", 1);
    make_model(&arena, &trace, &order, &model, "", text.data);
    tp_task_view_build(&view, &model, &arena);
}

static int64_t table_cell(size_t row, unsigned column)
{
    return tp_table_int(&view.tasks, column)[row];
}

static bool is_task_named(size_t row, const char *name)
{
    return tp_str_equal(tp_table_text(&view.tasks, TP_TASK_NAME)[row], tp_str_of(name));
}

/* Starts 1,000 requests in random order, which take 1, 2 .. 1,000 us. So each quantile is known exactly. */
static void known_delays_give_exact_quantiles(void **state)
{
    int delays[1000], at;
    uint64_t drawn = 88172645463325252u;
    char id[24];
    (void)state;
    for (int i = 0; i < 1000; i++)
        delays[i] = i + 1;
    for (int i = 999; i > 0; i--) {
        drawn ^= drawn << 13, drawn ^= drawn >> 7, drawn ^= drawn << 17;
        at = (int)(drawn % (unsigned)(i + 1));
        int kept = delays[i];
        delays[i] = delays[at];
        delays[at] = kept;
    }
    for (int i = 0; i < 1000; i++) { /* one request starts every 2 ms, and another thread ends it */
        snprintf(id, sizeof id, "\"%d\"", i);
        write_task_end('b', "async_task", "request", id, 1, i * 2000000ll);
        write_task_end('e', "async_task", "request", id, 2, i * 2000000ll + delays[i] * 1000ll);
    }
    build_tasks();
    assert_true(view.is_present && view.count == 1000 && view.without_begin == 0 && view.tasks.row_count == 1);
    assert_int_equal(table_cell(0, TP_TASK_COUNT), 1000);
    assert_int_equal(table_cell(0, TP_TASK_TOTAL), 500500000);
    assert_int_equal(table_cell(0, TP_TASK_P50), 500000);
    assert_int_equal(table_cell(0, TP_TASK_P95), 950000);
    assert_int_equal(table_cell(0, TP_TASK_P99), 990000);
    assert_int_equal(table_cell(0, TP_TASK_MAX), 1000000);
    assert_int_equal(table_cell(0, TP_TASK_AT_ONCE), 1);
    assert_int_equal(table_cell(0, TP_TASK_OPEN), 0);
}

static void ends_are_paired_by_category_name_and_id(void **state)
{
    (void)state;
    write_task_end('b', "a", "x", "1", 1, 0);
    write_task_end('b', "b", "x", "1", 1, 10); /* no match, because the category differs */
    write_task_end('b', "a", "y", "1", 1, 20); /* no match, because the name differs */
    /* matches although the id is a text; the task that started last ends first */
    write_task_end('b', "a", "x", "\"1\"", 1, 30);
    write_task_end('e', "a", "x", "1", 2, 50);
    write_task_end('e', "a", "x", "1", 3, 100);
    write_task_end('e', "a", "y", "1", 3, 220);
    write_task_end('e', "a", "y", "1", 3, 300); /* this end has no start */
    write_task_end('e', "c", "x", "1", 3, 300);
    build_tasks();
    assert_int_equal(view.count, 4);
    assert_int_equal(view.without_begin, 2);
    assert_int_equal(view.tasks.row_count, 2);
    assert_true(is_task_named(0, "y") && is_task_named(1, "x"));
    assert_int_equal(table_cell(0, TP_TASK_TOTAL), 200);
    assert_int_equal(table_cell(1, TP_TASK_COUNT), 2);
    assert_int_equal(table_cell(1, TP_TASK_TOTAL), 20 + 100);
    assert_int_equal(table_cell(1, TP_TASK_P50), 20);
    assert_int_equal(table_cell(1, TP_TASK_MAX), 100);
    assert_int_equal(table_cell(1, TP_TASK_AT_ONCE), 3);
    assert_int_equal(table_cell(1, TP_TASK_OPEN), 1);
}

static void touching_tasks_do_not_overlap(void **state)
{
    (void)state;
    write_task_end('b', "a", "chain", "1", 1, 0);
    write_task_end('e', "a", "chain", "1", 1, 10);
    write_task_end('b', "a", "chain", "2", 1, 10);
    write_task_end('e', "a", "chain", "2", 1, 20);
    write_task_end('b', "a", "short", "3", 1, 30); /* a task that takes no time */
    write_task_end('e', "a", "short", "3", 1, 30);
    write_task_end('b', "a", "left", "4", 1, 40);
    write_task_end('b', "a", "left", "5", 1, 50);
    write_task_end('e', "a", "left", "5", 1, 50);
    write_task_end('b', "a", "left", "6", 1, 60);
    write_task_end('e', "a", "left", "6", 1, 60);
    build_tasks();
    assert_int_equal(view.tasks.row_count, 3);
    assert_true(is_task_named(0, "chain") && is_task_named(1, "left") && is_task_named(2, "short"));
    assert_int_equal(table_cell(0, TP_TASK_AT_ONCE), 1);
    assert_int_equal(table_cell(1, TP_TASK_AT_ONCE), 2);
    assert_int_equal(table_cell(1, TP_TASK_P50), 0);
    assert_int_equal(table_cell(1, TP_TASK_OPEN), 1);
    assert_int_equal(table_cell(2, TP_TASK_AT_ONCE), 1);
    assert_int_equal(table_cell(2, TP_TASK_MAX), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(known_delays_give_exact_quantiles, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(ends_are_paired_by_category_name_and_id, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(touching_tasks_do_not_overlap, open_arena, close_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
