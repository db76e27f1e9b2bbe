/* Tests how ranks are found in merged traces: labels, arguments, and processes with the same correlations. */
#include "webreport/trace/rank_split.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/one_arena.h"
#include "webreport/trace/event_search.h"

#define CALL(pid, id)                                                                                                  \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":" pid                                \
    ",\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{\"correlation\":" id "}},"
#define KERNEL(pid, id)                                                                                                \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":" pid                                                     \
    ",\"tid\":7,\"ts\":5,\"dur\":9,\"args\":{\"correlation\":" id ",\"device\":0,\"stream\":7}},"
#define OPERATOR(pid, args)                                                                                            \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":" pid                                              \
    ",\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{" args "}},"

/* Finds the parts of a trace with these events. */
static int find(struct tp_vec *parts, const char *events, struct tp_error *err)
{
    static char text[1 << 17];
    struct tp_trace_options options = {.single_thread = true, .lists_ranks = true};
    struct tp_trace *trace = tp_arena_alloc(&arena, sizeof *trace);
    int size = snprintf(text, sizeof text, "{\"traceEvents\":[%s{\"ph\":\"M\"}]}", events);
    assert_int_equal(tp_trace_read_bytes(trace, &arena, text, (size_t)size, &options, NULL), TP_OK);
    *parts = TP_VEC(&arena, struct tp_input_part);
    return tp_rank_split_find(parts, trace, err);
}

static const struct tp_input_part *part(const struct tp_vec *parts, size_t i)
{
    return TP_AT(parts, struct tp_input_part, i);
}

static void labels_make_a_part_each(void **state)
{
    struct tp_vec parts;
    GUARD;
    assert_int_equal(find(&parts, OPERATOR("\"[TP0] 4\"", "") OPERATOR("\"[TP1] 4\"", ""), NULL), TP_OK);
    assert_int_equal(parts.count, 2);
    assert_true(tp_str_equal(part(&parts, 1)->name, TP_STR("TP1")));
    assert_true(tp_str_equal(part(&parts, 1)->rows->label, TP_STR("[TP1]")));
    assert_int_equal(find(&parts, OPERATOR("\"[TP0] 4\"", "") OPERATOR("\"[TP0] 5\"", ""), NULL), TP_OK);
    assert_int_equal(parts.count, 0);
}

static void ranks_in_arguments_need_nearly_all_slices(void **state)
{
    struct tp_vec parts;
    GUARD;
    assert_int_equal(find(&parts, OPERATOR("4", "\"rank\":2") OPERATOR("1004", "\"rank\": 7"), NULL), TP_OK);
    assert_int_equal(parts.count, 2);
    assert_int_equal(part(&parts, 1)->number, 7);
    assert_int_equal(part(&parts, 1)->rows->world_size, 2);
    assert_int_equal(part(&parts, 1)->rows->pids[0], 1004);
    assert_int_equal(find(&parts, OPERATOR("4", "\"rank\":2") OPERATOR("1004", "\"rank\":7") OPERATOR("5", ""), NULL),
                     TP_OK);
    assert_int_equal(parts.count, 0);
}

/* Returns calls of the processes 40 and 50 with the correlations 1 to `count`, and kernels of both on `devices`
 * devices. */
static const char *calls_of_two_processes(int count, int devices)
{
    static char text[1 << 15];
    int size = 0;
    for (int i = 1; i <= count; i++) {
        size += snprintf(text + size, sizeof text - (size_t)size, CALL("40", "%d") CALL("50", "%d"), i, i);
        for (int device = 0; device < devices; device++)
            size += snprintf(text + size, sizeof text - (size_t)size, KERNEL("%d", "%d"), device, i);
    }
    return text;
}

static void processes_share_correlations(void **state)
{
    char text[1 << 16];
    struct tp_vec parts;
    GUARD;
    /* correlation 99 shows that device 1 belongs to process 40 */
    snprintf(text, sizeof text, "%s" CALL("40", "99") KERNEL("1", "99"), calls_of_two_processes(10, 2));
    assert_int_equal(find(&parts, text, NULL), TP_OK);
    assert_int_equal(parts.count, 2);
    assert_int_equal(part(&parts, 0)->rows->pids[0], 1);
    assert_int_equal(part(&parts, 0)->rows->pids[1], 40);
    assert_int_equal(part(&parts, 1)->rows->pids[0], 0);
    assert_int_equal(part(&parts, 1)->rows->pids[1], 50);
    assert_int_equal(find(&parts, calls_of_two_processes(9, 2), NULL), TP_OK);
    assert_int_equal(parts.count, 0);
}

static void devices_without_an_owner_are_refused(void **state)
{
    struct tp_vec parts;
    struct tp_error err = {0};
    GUARD;
    assert_int_equal(find(&parts, calls_of_two_processes(10, 1), &err), TP_EFORMAT);
    assert_non_null(strstr(err.text, "several processes launch with the same correlation ids"));
}

static void events_are_found_in_a_part_of_a_text(void **state)
{
    static const char text[] = "\"x\": 1}}, {\"pid\" : -12 , \"args\": {\"rank\":3}},\n{\"pid\":5";
    const char *end = text + sizeof text - 1, *first = tp_search_next_event(text, end), *second;
    (void)state;
    second = tp_search_next_event(first, end);
    assert_true(tp_str_equal(tp_search_value(first, second, "\"pid\""), TP_STR("-12")));
    assert_true(tp_str_equal(tp_search_value(first, second, "\"rank\""), TP_STR("3")));
    assert_int_equal(tp_search_value(first, second, "\"ts\"").len, 0);
    assert_true(tp_str_starts((struct tp_str){second, 3}, "{\"p"));
    assert_ptr_equal(tp_search_next_event(second, end), end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(labels_make_a_part_each, begin, end),
        cmocka_unit_test_setup_teardown(ranks_in_arguments_need_nearly_all_slices, begin, end),
        cmocka_unit_test_setup_teardown(processes_share_correlations, begin, end),
        cmocka_unit_test_setup_teardown(devices_without_an_owner_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(events_are_found_in_a_part_of_a_text, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
