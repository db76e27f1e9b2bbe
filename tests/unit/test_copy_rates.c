/* Tests the rates of copies with numbers that were counted by hand. */
#include "made_trace.h"

#include <math.h>
#include <stdio.h>

#include "webreport/measure/views/kernel_view.h"

/* A copy that starts at `ts` us and lasts `dur` us. more: further arguments, each with a comma before it. */
#define COPY(name, ts, dur, more)                                                                                      \
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" #ts ",\"dur\":" #dur      \
    ",\"args\":{\"device\":0,\"stream\":7" more "}}"

struct made {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_kernel_view view;
};

static void make_view(struct made *m, const char *events)
{
    make_model(&m->arena, &m->trace, &m->order, &m->model, "", events);
    tp_kernel_view_build_by_name(&m->view, &m->model, &m->arena);
}

static double rate(const struct made *m, unsigned column)
{
    return tp_table_real(&m->view.copies, column)[0];
}

/* 3,000 bytes at the recorded 2 GB/s take 1.5 us, whatever the duration is; 8,000 bytes in 2 us have 4 GB/s; the third
 * copy has no number of bytes. Together: 11,000 bytes in 3.5 us. */
static void recorded_bandwidth_precedes_the_duration(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, COPY("c", 0, 1, ",\"bytes\":3000,\"memory bandwidth (GB/s)\":2.0") "," COPY(
                      "c", 10, 2, ",\"bytes\":8000") "," COPY("c", 20, 100, ""));
    assert_int_equal(m.view.copies.row_count, 1);
    assert_true(fabs(rate(&m, TP_COPY_RATE) - 11000 / 3500.0) < 1e-12);
    assert_true(fabs(rate(&m, TP_COPY_RATE_P50) - 2) < 1e-12);
    assert_true(fabs(rate(&m, TP_COPY_RATE_P99) - 4) < 1e-12);
    assert_true(fabs(rate(&m, TP_COPY_RATE_MAX) - 4) < 1e-12);
    tp_arena_release(&m.arena);
}

/* A bandwidth of 0 or below is no bandwidth. A duration of 0 counts as 1 ns. */
static void broken_bandwidths_are_ignored(void **state)
{
    static const char *const bandwidths[] = {"0", "-3", "\"x\"", "1e300", "null"};
    (void)state;
    for (size_t i = 0; i < sizeof bandwidths / sizeof *bandwidths; i++) {
        struct made m;
        char event[400];
        snprintf(event, sizeof event,
                 "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"c\",\"pid\":0,\"tid\":7,\"ts\":0,\"dur\":0,\"args\":{"
                 "\"device\":0,\"stream\":7,\"bytes\":6,\"memory bandwidth (GB/s)\":%s}}",
                 bandwidths[i]);
        make_view(&m, event);
        assert_true(rate(&m, TP_COPY_RATE) == 6);
        assert_true(rate(&m, TP_COPY_RATE_MAX) == 6);
        tp_arena_release(&m.arena);
    }
}

static void rates_are_null_without_bytes_and_zero_for_zero_bytes(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, COPY("c", 0, 1, ",\"memory bandwidth (GB/s)\":2.0"));
    for (unsigned column = TP_COPY_RATE; column <= TP_COPY_RATE_MAX; column++)
        assert_true(isnan(rate(&m, column)));
    tp_arena_release(&m.arena);
    make_view(&m, COPY("c", 0, 1, ",\"bytes\":0"));
    for (unsigned column = TP_COPY_RATE; column <= TP_COPY_RATE_MAX; column++)
        assert_true(rate(&m, column) == 0);
    tp_arena_release(&m.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_bandwidth_precedes_the_duration),
                                       cmocka_unit_test(broken_bandwidths_are_ignored),
                                       cmocka_unit_test(rates_are_null_without_bytes_and_zero_for_zero_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
