/* Tests the table of kernels by duration with numbers that were counted by hand. */
#include "made_trace.h"

#include "webreport/measure/views/kernel_durations.h"

/* Times in us. */
#define CALL(id, dur)                                                                                                  \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":9,\"tid\":9,\"ts\":" #id             \
    "00,\"dur\":" #dur ",\"args\":{\"correlation\":" #id "}}"
#define WORK(category, id, ts, dur)                                                                                    \
    "{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":" #ts ",\"dur\":" #dur           \
    ",\"args\":{\"device\":0,\"stream\":7,\"correlation\":" #id "}}"
#define KERNEL(id, ts, dur) WORK("kernel", id, ts, dur)

struct made {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_table table;
};

static void make_table(struct made *m, const char *events)
{
    make_model(&m->arena, &m->trace, &m->order, &m->model, "", events);
    tp_kernel_durations_build(&m->table, &m->model, &m->arena);
}

/* Kernels of 1.999, 2, 9.999, 10 and 5,000 us, and a copy. The first two have calls of 3 and 4 us; the call of the next
 * two launches both, so its 50 us do not count. */
static void rows_include_their_lower_limit(void **state)
{
    struct made m;
    (void)state;
    make_table(
        &m, CALL(1, 3) "," CALL(2, 4) "," CALL(3, 50) "," KERNEL(1, 1000, 1.999) "," KERNEL(2, 1100, 2) "," KERNEL(
                3, 1200, 9.999) "," KERNEL(3, 1300, 10) "," KERNEL(4, 1400, 5000) "," WORK("gpu_memcpy", 5, 7000, 1));
    static const int64_t kernels[] = {0, 1, 1, 1, 1, 0, 0, 0, 1};
    static const int64_t time_ns[] = {0, 1999, 2000, 9999, 10000, 0, 0, 0, 5000000};
    static const int64_t call_ns[] = {0, 3000, 4000, 0, 0, 0, 0, 0, 0};
    assert_int_equal(m.table.row_count, 9);
    for (size_t row = 0; row < 9; row++) {
        assert_int_equal(tp_table_int(&m.table, TP_DURATION_KERNELS)[row], kernels[row]);
        assert_int_equal(tp_table_int(&m.table, TP_DURATION_TIME)[row], time_ns[row]);
        assert_int_equal(tp_table_int(&m.table, TP_DURATION_CALLS)[row], call_ns[row]);
    }
    struct tp_kernel_durations small = tp_kernel_durations_below(&m.table, 10000);
    assert_int_equal(small.kernel_count, 3);
    assert_int_equal(small.time_ns, 13998);
    assert_int_equal(small.call_ns, 7000);
    assert_int_equal(tp_kernel_durations_below(&m.table, INT64_MAX).kernel_count, 5);
    tp_arena_release(&m.arena);
}

static void table_is_empty_without_kernels(void **state)
{
    struct made m;
    (void)state;
    make_table(&m, WORK("gpu_memcpy", 5, 7000, 1));
    assert_int_equal(m.table.row_count, 0);
    assert_int_equal(tp_kernel_durations_below(&m.table, INT64_MAX).kernel_count, 0);
    tp_arena_release(&m.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_include_their_lower_limit),
                                       cmocka_unit_test(table_is_empty_without_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
