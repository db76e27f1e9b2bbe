/* Tests that calls are counted as by cProfile: recursion, callers, names, and the bytes of the file. */
#include "webreport/document/tables/table_document.h"
#include "webreport/export/stacks/pstats.h"
#include "webreport/print/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FRAME(name, ts, dur)                                                                                           \
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur \
    ",\"args\":{}},"

static struct tp_arena arena;
static struct tp_calls calls;

static void build_calls_of_trace(const char *events)
{
    char *json = NULL;
    struct tp_trace *trace = tp_arena_alloc(&arena, sizeof *trace);
    assert_true(asprintf(&json, "{\"traceEvents\":[%s{\"ph\":\"M\"}]}", events) > 0);
    assert_int_equal(tp_trace_read_bytes(trace, &arena, json, strlen(json), NULL, NULL), TP_OK);
    free(json);
    tp_calls_build(&calls, trace, &arena);
}

static const struct tp_call_sum *find_sum_of_function(const char *name)
{
    for (uint32_t i = 0; i < calls.count; i++)
        if (tp_str_equal(calls.rows[i].name, tp_str_of(name)))
            return &calls.rows[i].sum;
    fail_msg("no function %s", name);
    return NULL;
}

static void assert_call_sum(const struct tp_call_sum *sum, int64_t call_count, int64_t primitive_count, int64_t own_ns,
                            int64_t total_ns)
{
    assert_int_equal(sum->call_count, call_count);
    assert_int_equal(sum->primitive_count, primitive_count);
    assert_int_equal(sum->own_ns, own_ns);
    assert_int_equal(sum->total_ns, total_ns);
}

/* Function f calls itself twice, and the innermost call of f calls g. The call count of f is "3/1". The total time of f
 * is the time of its outermost call. */
static const char recursion[] = FRAME("a.py(3): f", 10, 100) FRAME("a.py(3): f", 20, 60) FRAME("a.py(3): f", 30, 40)
    FRAME("b.py(7): g", 40, 10) FRAME("b.py(7): g", 120, 5);

static void recursive_calls_are_counted_separately(void **state)
{
    (void)state;
    build_calls_of_trace(recursion);
    assert_call_sum(find_sum_of_function("f"), 3, 1, 90000, 100000);
    assert_call_sum(find_sum_of_function("g"), 2, 2, 15000, 15000);
    assert_int_equal(tp_keys_count(&calls.pairs), 2);
    assert_call_sum(TP_AT(&calls.pair_sums, struct tp_call_sum, 0), 2, 1, 50000,
                    60000); /* sum of the calls from f to f */
    assert_call_sum(TP_AT(&calls.pair_sums, struct tp_call_sum, 1), 1, 1, 10000,
                    10000); /* sum of the calls from f to g */
}

static void names_are_split_and_lose_addresses(void **state)
{
    struct tp_buf out;
    (void)state;
    build_calls_of_trace(FRAME("run (2): x/y (1).py(12): <lambda>", 0, 1)
                             FRAME("<built-in method add_ of Tensor object at 0x7fa0>", 2, 1)
                                 FRAME("<built-in method add_ of Tensor object at 0x7fb8>", 4, 1)
                                     FRAME("nn.Module: Linear_0", 6, 1) FRAME("odd(): x", 8, 1));
    static const char *const wanted[] = {"run (2): x/y (1).py:12(<lambda>)", "{built-in method add_ of Tensor object}",
                                         "nn.Module: Linear_0", "odd(): x"};
    assert_int_equal(calls.count, 4);
    tp_buf_init(&out, 0);
    for (uint32_t i = 0; i < calls.count; i++) {
        tp_buf_clear(&out);
        tp_calls_put_name(&out, &calls.rows[i]);
        assert_string_equal(out.data, wanted[i]);
    }
    assert_int_equal(calls.rows[1].sum.call_count, 2);
    tp_buf_release(&out);
}

static void text_table_equals_output_of_pstats(void **state)
{
    static const char wanted[] = "         5 function calls (3 primitive calls) in 0.000 seconds\n\n"
                                 "   Ordered by: call count\n"
                                 "   List reduced from 2 to 1 due to restriction <1>\n\n"
                                 "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
                                 "      3/1    0.000    0.000    0.000    0.000 a.py:3(f)\n\n\n";
    struct tp_buf out;
    (void)state;
    build_calls_of_trace(recursion);
    tp_buf_init(&out, 0);
    const uint32_t *order = tp_calls_sort(&calls, "ncalls", &arena);
    const struct tp_profile_table table = {.kind = TP_TABLE_FUNCTIONS,
                                           .calls = &calls,
                                           .sort_by = "ncalls",
                                           .order = order,
                                           .shown = order,
                                           .shown_count = 1,
                                           .row_limit = 1};
    struct tp_document document;
    tp_table_document(&document, &table, &TP_TABLE_STYLE, TP_IN_TEXT, &arena);
    tp_print_text(&out, &document, &(struct tp_print_options){0}, NULL);
    assert_string_equal(out.data, wanted);
    tp_buf_release(&out);
    assert_null(tp_calls_sort(&calls, "size", &arena));
}

static void file_is_valid_marshal_data(void **state)
{
    static const unsigned char wanted[] = "{(\3\0\0\0u\4\0\0\0a.pyi\3\0\0\0u\1\0\0\0f"
                                          "(\5\0\0\0i\1\0\0\0i\1\0\0\0g\0\0\0\0\0\0\xe0\x3fg\0\0\0\0\0\0\xe0\x3f{00";
    struct tp_buf out;
    (void)state;
    build_calls_of_trace(FRAME("a.py(3): f", 0, 500000));
    tp_buf_init(&out, 0);
    tp_calls_write_pstats(&out, &calls);
    assert_int_equal(out.size, sizeof wanted - 1);
    assert_memory_equal(out.data, wanted, out.size);
    tp_buf_release(&out);
}

static int open_arena(void **state)
{
    (void)state;
    tp_arena_init(&arena, 0);
    return setjmp(arena.guard);
}

static int close_arena(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(recursive_calls_are_counted_separately, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(names_are_split_and_lose_addresses, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(text_table_equals_output_of_pstats, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(file_is_valid_marshal_data, open_arena, close_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
