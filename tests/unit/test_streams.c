/* Tests the streams: queue length, launch delays and idle time, with numbers that were counted by hand. */
#include "made_trace.h"

#include <math.h>

#include "webreport/measure/streams/stream_view.h"
#include "writer/base/limits.h"

/* Times in us. A call on the host, and work on a stream of device 0. id: correlation of both. */
#define CALL(id, ts, dur)                                                                                              \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":9,\"tid\":9,\"ts\":" #ts             \
    ",\"dur\":" #dur ",\"args\":{\"correlation\":" #id "}}"
#define GRAPH(id, ts, dur)                                                                                             \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaGraphLaunch\",\"pid\":9,\"tid\":9,\"ts\":" #ts              \
    ",\"dur\":" #dur ",\"args\":{\"correlation\":" #id "}}"
#define WORK(category, id, stream, ts, dur)                                                                            \
    "{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"k\",\"pid\":0,\"tid\":" #stream ",\"ts\":" #ts ",\"dur\":" #dur \
    ",\"args\":{\"device\":0,\"stream\":" #stream ",\"correlation\":" #id "}}"
#define KERNEL(id, stream, ts, dur) WORK("kernel", id, stream, ts, dur)
#define COPY(id, stream, ts, dur) WORK("gpu_memcpy", id, stream, ts, dur)

struct made {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_stream_view view;
};

static void make_view(struct made *m, const char *events)
{
    make_model(&m->arena, &m->trace, &m->order, &m->model, "", events);
    tp_stream_view_build(&m->view, &m->model, &m->arena);
}

static int64_t cell(const struct made *m, unsigned column, size_t row)
{
    return tp_table_int(&m->view.streams, column)[row];
}

static int64_t delay(const struct made *m, unsigned column, size_t row)
{
    return tp_table_int(&m->view.delays.by_kind, column)[row];
}

/* Calls at 0, 10 and 20 us, starts at 30, 40 and 60 us: the length is 1, 2, 3, 2, 1, 0. The time-weighted mean is
 * (10 * 1 + 10 * 2 + 10 * 3 + 10 * 2 + 20 * 1) / 60 = 100 / 60. */
static void queue_counts_launches_until_they_start(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, CALL(1, 0, 5) "," CALL(2, 10, 5) "," CALL(3, 20, 5) "," KERNEL(1, 7, 30, 5) "," KERNEL(
                      2, 7, 40, 5) "," KERNEL(3, 7, 60, 5));
    assert_int_equal(m.view.streams.row_count, 1);
    assert_int_equal(cell(&m, TP_STREAM_NUMBER, 0), 7);
    assert_int_equal(cell(&m, TP_STREAM_OPERATIONS, 0), 3);
    assert_int_equal(cell(&m, TP_STREAM_CHANGES, 0), 6);
    assert_true(fabs(tp_table_real(&m.view.streams, TP_STREAM_MEAN_QUEUE)[0] - 100.0 / 60) < 1e-12);
    assert_true(fabs(tp_table_real(&m.view.streams, TP_STREAM_MEAN_AT_CHANGES)[0] - 9.0 / 6) < 1e-12);
    assert_int_equal(cell(&m, TP_STREAM_MEDIAN_QUEUE, 0), 1); /* of 0 1 1 2 2 3 */
    assert_int_equal(cell(&m, TP_STREAM_P75_QUEUE, 0), 2);
    assert_int_equal(cell(&m, TP_STREAM_MAX_QUEUE, 0), 3);
    assert_int_equal(cell(&m, TP_STREAM_MIN_QUEUE, 0), 0);
    assert_int_equal(cell(&m, TP_STREAM_NEAR_MAX, 0), 10000);
    tp_arena_release(&m.arena);
}

/* A launch at the time of a start precedes the start, so the length reaches 2. */
static void launch_precedes_start_at_the_same_time(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, CALL(1, 0, 5) "," KERNEL(1, 7, 10, 5) "," CALL(2, 10, 5) "," KERNEL(2, 7, 20, 5));
    assert_int_equal(cell(&m, TP_STREAM_MAX_QUEUE, 0), 2);
    assert_int_equal(cell(&m, TP_STREAM_MIN_QUEUE, 0), 0);
    tp_arena_release(&m.arena);
}

static void queue_is_below_zero_if_clocks_differ(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, CALL(1, 10, 5) "," KERNEL(1, 7, 4, 2) "," CALL(2, 30, 5) "," KERNEL(2, 7, 60, 5));
    assert_int_equal(cell(&m, TP_STREAM_MIN_QUEUE, 0), -1);
    assert_int_equal(cell(&m, TP_STREAM_MAX_QUEUE, 0), 1);
    assert_int_equal(delay(&m, TP_DELAY_P50, 0), 0); /* an earlier start is no delay */
    assert_int_equal(delay(&m, TP_DELAY_MAX, 0), 25000);
    tp_arena_release(&m.arena);
}

/* Of the three kernels of a graph, only the first one that starts is an item of the queue. */
static void graph_is_one_item_of_the_queue(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, GRAPH(1, 0, 10) "," KERNEL(1, 7, 15, 5) "," KERNEL(1, 7, 20, 5) "," KERNEL(1, 8, 25, 5));
    assert_int_equal(cell(&m, TP_STREAM_CHANGES, 0), 2);
    assert_int_equal(cell(&m, TP_STREAM_OPERATIONS, 0), 2);
    assert_int_equal(cell(&m, TP_STREAM_CHANGES, 1), TP_NULL_INT);
    assert_true(isnan(tp_table_real(&m.view.streams, TP_STREAM_MEAN_QUEUE)[1]));
    assert_int_equal(m.view.delays.by_kind.row_count, 2);
    assert_true(tp_str_equal(tp_table_text(&m.view.delays.by_kind, TP_DELAY_KIND)[1], TP_STR("graph")));
    assert_int_equal(delay(&m, TP_DELAY_P50, 1), 5000);
    assert_int_equal(delay(&m, TP_DELAY_SHORT, 1), TP_NULL_INT);
    assert_int_equal(delay(&m, TP_DELAY_SHORT, 0), 0);
    tp_arena_release(&m.arena);
}

/* Delays of kernels: 1, 3 and 995 us; of the copy: 25 us. The row of all kinds is first. */
static void delays_are_by_kind(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, CALL(1, 0, 9) "," KERNEL(1, 7, 10, 2) "," CALL(2, 20, 7) "," KERNEL(2, 7, 30, 20) "," CALL(
                      3, 40, 5) "," COPY(3, 7, 70, 5) "," CALL(4, 100, 5) "," KERNEL(4, 7, 1100, 4));
    assert_int_equal(m.view.delays.by_kind.row_count, 3);
    assert_int_equal(delay(&m, TP_DELAY_OPERATIONS, 0), 4);
    assert_int_equal(delay(&m, TP_DELAY_P50, 0), 3000); /* of 1, 3, 25, 995: the lower of the middle values */
    assert_int_equal(delay(&m, TP_DELAY_MAX, 0), 995000);
    assert_int_equal(delay(&m, TP_DELAY_SHORT, 0), 2);
    assert_int_equal(delay(&m, TP_DELAY_P50, 1), 3000);
    assert_int_equal(delay(&m, TP_DELAY_P90, 1), 995000);
    assert_int_equal(delay(&m, TP_DELAY_SHORT, 1), 2);
    assert_int_equal(delay(&m, TP_DELAY_P50, 2), 25000);
    assert_int_equal(delay(&m, TP_DELAY_SHORT, 2), 0);
    static const int64_t by_decade[] = {0, 2, 1, 1, 0, 0, 0, 0};
    assert_int_equal(m.view.delays.decades.row_count, 8);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(tp_table_int(&m.view.delays.decades, TP_DECADE_OPERATIONS)[i], by_decade[i]);
    tp_arena_release(&m.arena);
}

/* Gaps: 10 to 20 us with the next call at 15 us (host); 25 to 54 us, launched before (short); 60 to 90 us, launched
 * before (other). The kernel from 50 us on ends later than the next one begins, which leaves no gap. */
static void gaps_are_host_short_or_other(void **state)
{
    struct made m;
    (void)state;
    make_view(
        &m,
        CALL(1, 0, 1) "," KERNEL(1, 7, 5, 5) "," CALL(2, 15, 1) "," KERNEL(2, 7, 20, 5) "," CALL(3, 17, 1) "," KERNEL(
            3, 7, 54, 6) "," CALL(4, 18, 1) "," KERNEL(4, 7, 56, 2) "," CALL(5, 19, 1) "," KERNEL(5, 7, 90, 1));
    assert_int_equal(cell(&m, TP_STREAM_IDLE_HOST, 0), 10000);
    assert_int_equal(cell(&m, TP_STREAM_IDLE_SHORT, 0), 29000);
    assert_int_equal(cell(&m, TP_STREAM_IDLE_OTHER, 0), 30000);
    tp_arena_release(&m.arena);
}

static void streams_are_sorted_and_may_lack_launches(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, KERNEL(1, 20, 0, 5) "," KERNEL(2, 3, 1, 5) "," KERNEL(3, 20, 100, 5));
    assert_int_equal(m.view.streams.row_count, 2);
    assert_int_equal(cell(&m, TP_STREAM_NUMBER, 0), 3);
    assert_int_equal(cell(&m, TP_STREAM_NUMBER, 1), 20);
    assert_int_equal(cell(&m, TP_STREAM_IDLE_OTHER, 1), 95000);
    assert_int_equal(m.view.delays.by_kind.row_count, 0);
    assert_int_equal(m.view.delays.decades.row_count, 0);
    tp_arena_release(&m.arena);
}

static void view_is_absent_without_devices_and_with_too_many_streams(void **state)
{
    struct made m;
    struct tp_buf events;
    (void)state;
    make_view(&m, CALL(1, 0, 1));
    assert_false(m.view.is_present);
    tp_arena_release(&m.arena);
    tp_buf_init(&events, 0);
    for (unsigned i = 0; i <= TP_MAX_STREAM_ROWS; i++)
        tp_buf_printf(&events,
                      "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":%u,\"ts\":%u,\"dur\":1,"
                      "\"args\":{\"device\":0,\"stream\":%u}}",
                      i ? "," : "", i, i, i);
    make_view(&m, events.data);
    assert_false(m.view.is_present);
    tp_arena_release(&m.arena);
    tp_buf_release(&events);
}

/* The value of a part is a mean over time: 3 for all of the first part; 3 and 1 for a half of the second part each. */
static void curve_has_means_of_parts(void **state)
{
    struct tp_part_curve curve;
    struct tp_model model = {.first_ns = 0, .last_ns = TP_CURVE_PARTS * 10};
    (void)state;
    tp_part_curve_init(&curve, &model);
    assert_int_equal(curve.part_ns, 10);
    tp_part_curve_add_interval(&curve, 0, 15, 3);
    tp_part_curve_add_interval(&curve, 15, 20, 1);
    assert_true(curve.sum[0] / curve.weight[0] == 3);
    assert_true(curve.sum[1] / curve.weight[1] == 2);
    assert_true(curve.weight[2] == 0);
    tp_part_curve_add(&curve, INT64_MAX, 7);
    tp_part_curve_add(&curve, INT64_MIN + 1, 5);
    assert_true(curve.sum[TP_CURVE_PARTS - 1] == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue_counts_launches_until_they_start),
        cmocka_unit_test(launch_precedes_start_at_the_same_time),
        cmocka_unit_test(queue_is_below_zero_if_clocks_differ),
        cmocka_unit_test(graph_is_one_item_of_the_queue),
        cmocka_unit_test(delays_are_by_kind),
        cmocka_unit_test(gaps_are_host_short_or_other),
        cmocka_unit_test(streams_are_sorted_and_may_lack_launches),
        cmocka_unit_test(view_is_absent_without_devices_and_with_too_many_streams),
        cmocka_unit_test(curve_has_means_of_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
