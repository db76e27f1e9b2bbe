/* Tests the counters of devices: statistics, the energy of a step, and the rule about a low clock. */
#include "made_trace.h"

#include <math.h>

#include "webreport/measure/views/counter_view.h"

#define COUNTER(device, name, ts, value)                                                                               \
    "{\"ph\":\"C\",\"pid\":\"GPU " #device " Counters\",\"name\":\"" name "\",\"ts\":" #ts ",\"args\":{\"\":" #value   \
    "}}"
/* two steps of 100 us, each with a kernel */
#define STEP(number, ts)                                                                                               \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#" #number "\",\"pid\":9,\"tid\":9,\"ts\":" #ts  \
    ",\"dur\":100},{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":" #ts                    \
    ",\"dur\":90,\"args\":{\"device\":0,\"stream\":7}}"
#define STEPS STEP(1, 100) "," STEP(2, 200)

struct made {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_counter_view view;
};

static void make_view(struct made *m, const char *header, const char *events)
{
    make_model(&m->arena, &m->trace, &m->order, &m->model, header, events);
    tp_counter_view_build(&m->view, &m->model, &m->arena);
}

static double real_cell(const struct made *m, unsigned column, size_t row)
{
    return tp_table_real(&m->view.counters, column)[row];
}

static void counters_are_sorted_by_device_and_name(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, "",
              STEPS "," COUNTER(1, "B", 150, 4) "," COUNTER(0, "B", 150, 3) "," COUNTER(0, "A", 150,
                                                                                        1) "," COUNTER(0, "B", 120, 5));
    assert_int_equal(m.view.counters.row_count, 3);
    assert_true(tp_str_equal(tp_table_text(&m.view.counters, TP_DEVICE_COUNTER_NAME)[0], TP_STR("A")));
    assert_int_equal(tp_table_int(&m.view.counters, TP_DEVICE_COUNTER_SAMPLES)[1], 2);
    assert_true(real_cell(&m, TP_DEVICE_COUNTER_MIN, 1) == 3);
    assert_true(real_cell(&m, TP_DEVICE_COUNTER_MEAN, 1) == 4);
    assert_true(real_cell(&m, TP_DEVICE_COUNTER_MAX, 1) == 5);
    assert_int_equal(tp_table_int(&m.view.counters, TP_DEVICE_COUNTER_DEVICE)[2], 1);
    /* the samples of a row are in order of time, also if the file has another order */
    assert_int_equal(m.trace.input.counters[m.view.samples[m.view.first_samples[1]]].ts_ns, 120000);
    assert_int_equal(tp_counter_view_find(&m.view, 1, "B"), 2);
    assert_true(tp_counter_view_find(&m.view, 1, "A") == SIZE_MAX);
    tp_arena_release(&m.arena);
}

/* 300 W for 100 us, then 500 W for 100 us are 0.08 J, which two steps share. */
static void energy_is_the_integral_of_the_power(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, "",
              STEPS "," COUNTER(0, "Power (W)", 50, 300) "," COUNTER(0, "Power (W)", 200,
                                                                     500) "," COUNTER(0, "Power (W)", 300, 1));
    assert_true(fabs(m.view.energy_per_step_j - 0.04) < 1e-12);
    tp_arena_release(&m.arena);
}

static void energy_is_unknown_if_the_samples_cover_too_little(void **state)
{
    static const char *const samples[] = {
        STEPS "," COUNTER(0, "Power (W)", 50, 300) "," COUNTER(0, "Power (W)", 250, 300),
        STEPS "," COUNTER(0, "Power (W)", 50, 300), STEPS "," COUNTER(0, "SM Clock (MHz)", 50, 300),
        STEPS
        "," COUNTER(0, "Power (W)", 50, 300) "," COUNTER(0, "Power (W)", 300, 300) "," COUNTER(1, "Power (W)", 50, 1)};
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct made m;
        make_view(&m, "", samples[i]);
        assert_true(m.view.is_present);
        assert_true(isnan(m.view.energy_per_step_j));
        tp_arena_release(&m.arena);
    }
}

static void statistics_of_a_converter_are_rows(void **state)
{
    struct made m;
    (void)state;
    make_view(&m,
              "\"tracepress_input\":{\"counters\":[{\"device\":0,\"name\":\"B\",\"samples\":2,\"min\":1,\"mean\":2,"
              "\"max\":3},{\"device\":0,\"name\":\"A\",\"samples\":4,\"min\":1,\"mean\":2,\"max\":3}]},",
              STEPS);
    assert_int_equal(m.view.counters.row_count, 2);
    assert_int_equal(tp_table_int(&m.view.counters, TP_DEVICE_COUNTER_SAMPLES)[0], 4);
    assert_true(tp_counter_view_find(&m.view, 0, "A") == SIZE_MAX);
    assert_true(isnan(m.view.energy_per_step_j));
    tp_arena_release(&m.arena);
}

static void trace_without_counters_has_no_view(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, "", STEPS);
    assert_false(m.view.is_present);
    tp_arena_release(&m.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_are_sorted_by_device_and_name),
        cmocka_unit_test(energy_is_the_integral_of_the_power),
        cmocka_unit_test(energy_is_unknown_if_the_samples_cover_too_little),
        cmocka_unit_test(statistics_of_a_converter_are_rows),
        cmocka_unit_test(trace_without_counters_has_no_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
