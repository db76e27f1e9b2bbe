/* Tests the counters of devices: statistics, the energy of a step, and the rule about a low clock. */
#include "made_trace.h"

#include <math.h>

#include "webreport/measure/views/counter_walk.h"

#define COUNTER(device, name, ts, value)                                                                               \
    "{\"ph\":\"C\",\"pid\":\"GPU " #device " Counters\",\"name\":\"" name "\",\"ts\":" #ts ",\"args\":{\"\":" #value   \
    "}}"
/* two steps of 100 us, each with a kernel */
#define STEP(number, ts)                                                                                               \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#" #number "\",\"pid\":9,\"tid\":9,\"ts\":" #ts  \
    ",\"dur\":100},{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":" #ts                    \
    ",\"dur\":90,\"args\":{\"device\":0,\"stream\":7}}"
#define STEPS STEP(1, 100) "," STEP(2, 200)
/* samples of device 0 */
#define MHZ(ts, value) "," COUNTER(0, "SM Clock (MHz)", ts, value)
#define W(ts, value) "," COUNTER(0, "Power (W)", ts, value)
#define C(ts, value) "," COUNTER(0, "Temperature (C)", ts, value)

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
    struct tp_counter_walk walk = tp_counter_walk_start(&m.view, &m.model, 0, "B");
    assert_int_equal(walk.end - walk.at, 2);
    assert_true(tp_counter_walk_highest(&walk) == 5 && isnan(tp_counter_walk_value(&walk, 119999)));
    assert_true(tp_counter_walk_value(&walk, 120000) == 5 && tp_counter_walk_value(&walk, 150000) == 3);
    walk = tp_counter_walk_start(&m.view, &m.model, 1, "A");
    assert_true(walk.at == walk.end && isnan(tp_counter_walk_highest(&walk)));
    tp_arena_release(&m.arena);
}

/* The power rises from 400 W to 500 W within the first step, and falls to 300 W within the second one: 0.045 + 0.04 J,
 * which two steps share. */
static void energy_is_the_integral_of_the_power(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, "", STEPS W(0, 300) W(200, 500) W(300, 300));
    assert_true(fabs(m.view.energy_per_step_j - 0.0425) < 1e-12);
    assert_false(m.view.energy_is_at_least);
    /* sensors do not resolve such short steps */
    assert_int_equal(m.view.steps.row_count, 2);
    assert_true(isnan(tp_table_real(&m.view.steps, TP_COUNTER_STEP_ENERGY)[0]));
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

/* Samples until 290 us cover 95 % of the steps. */
static void energy_is_a_lower_bound_if_samples_miss_a_part(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, "", STEPS "," COUNTER(0, "Power (W)", 100, 200) "," COUNTER(0, "Power (W)", 290, 200));
    assert_true(fabs(m.view.energy_per_step_j - 0.019) < 1e-12);
    assert_true(m.view.energy_is_at_least);
    tp_arena_release(&m.arena);
}

/* Steps of 3 s. The samples of the second one are more than a second apart at its end. */
static void long_steps_have_an_energy_unless_samples_are_missing(void **state)
{
#define LONG(number, ts)                                                                                               \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#" #number "\",\"pid\":9,\"tid\":9,\"ts\":" #ts  \
    ",\"dur\":3000000}"
#define WATTS(ts, value) COUNTER(0, "Power (W)", ts, value)
    struct made m;
    (void)state;
    make_view(
        &m, "",
        LONG(1, 0) "," LONG(2, 3000000) "," WATTS(0, 100) "," WATTS(1000000, 200) "," WATTS(2000000, 200) "," WATTS(
            3000000, 400) "," WATTS(4000000, 400) "," WATTS(5000000, 400) "," WATTS(6000001, 400));
    const double *joules = tp_table_real(&m.view.steps, TP_COUNTER_STEP_ENERGY);
    assert_true(fabs(joules[0] - 650) < 1e-9);
    assert_true(fabs(tp_table_real(&m.view.steps, TP_COUNTER_STEP_WATTS)[0] - 650 / 3.0) < 1e-9);
    assert_true(isnan(joules[1]));
    /* two thirds of the second step are known, so five sixths of all steps: too little */
    assert_true(isnan(m.view.energy_per_step_j) && !m.view.energy_is_at_least);
    tp_arena_release(&m.arena);
}

/* In the first step, the clock is low from 150 us on, and the kernel runs until 190 us. Its reasons are the power until
 * 170 us, and then heat. In the second step, it is low at full power, and the temperature is lower. */
static const char low_clock[] = STEPS MHZ(100, 2000) MHZ(150, 1899) MHZ(170, 1800) MHZ(200, 1900) MHZ(250, 1000)
    MHZ(300, 1000) W(100, 700) W(160, 600) W(240, 686) C(160, 85) C(210, 84);

static void low_clock_has_reasons(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, "", low_clock);
    const struct tp_table *steps = &m.view.steps;
    static const unsigned columns[3] = {TP_COUNTER_STEP_LOW_CLOCK, TP_COUNTER_STEP_POWER_LIMIT,
                                        TP_COUNTER_STEP_HEAT_LIMIT};
    static const int64_t expected[2][3] = {{40000, 20000, 20000}, {40000, 40000, 0}};
    assert_int_equal(steps->row_count, 2);
    for (int row = 0; row < 2; row++)
        for (int i = 0; i < 3; i++)
            assert_int_equal(tp_table_int(steps, columns[i])[row], expected[row][i]);
    assert_true(fabs(tp_table_real(steps, TP_COUNTER_STEP_HIGH_CLOCK)[0] - 500 / 9.0) < 1e-9);
    tp_arena_release(&m.arena);
}

static void steps_without_work_or_samples_have_no_clock(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, "", STEPS "," COUNTER(1, "SM Clock (MHz)", 100, 2000) "," COUNTER(1, "SM Clock (MHz)", 300, 1000));
    assert_int_equal(m.view.steps.row_count, 2);
    assert_true(isnan(tp_table_real(&m.view.steps, TP_COUNTER_STEP_HIGH_CLOCK)[1]));
    assert_true(tp_table_int(&m.view.steps, TP_COUNTER_STEP_LOW_CLOCK)[1] == TP_NULL_INT);
    tp_arena_release(&m.arena);
    make_view(&m, "", STEPS "," COUNTER(0, "SM Clock (MHz)", 0, 2000) "," COUNTER(0, "SM Clock (MHz)", 1000001, 1000));
    assert_true(isnan(tp_table_real(&m.view.steps, TP_COUNTER_STEP_HIGH_CLOCK)[0]));
    assert_true(tp_table_int(&m.view.steps, TP_COUNTER_STEP_POWER_LIMIT)[0] == TP_NULL_INT);
    tp_arena_release(&m.arena);
}

/* A power below 0 is no power, so nothing is known between 150 us and 300 us. */
static void negative_power_is_unknown(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, "", STEPS W(0, 100) W(150, 100) W(200, -1) W(300, 100) W(400, 100));
    assert_true(isnan(m.view.energy_per_step_j));
    assert_false(m.view.energy_is_at_least);
    tp_arena_release(&m.arena);
}

static void samples_without_a_number_are_dropped(void **state)
{
    struct made m;
    (void)state;
    make_view(&m, "", STEPS W(0, 100) W(150, NaN) W(200, Infinity) W(300, 100));
    assert_int_equal(m.trace.input.counter_count, 2);
    assert_int_equal(m.trace.input.dropped_count, 1);
    assert_int_equal(m.trace.input.dropped[0].count, 2);
    assert_true(fabs(m.view.energy_per_step_j - 0.01) < 1e-12);
    tp_arena_release(&m.arena);
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
    assert_int_equal(tp_counter_walk_start(&m.view, &m.model, 0, "A").end, 0);
    assert_int_equal(m.view.steps.row_count, 0);
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
        cmocka_unit_test(energy_is_a_lower_bound_if_samples_miss_a_part),
        cmocka_unit_test(long_steps_have_an_energy_unless_samples_are_missing),
        cmocka_unit_test(low_clock_has_reasons),
        cmocka_unit_test(steps_without_work_or_samples_have_no_clock),
        cmocka_unit_test(negative_power_is_unknown),
        cmocka_unit_test(samples_without_a_number_are_dropped),
        cmocka_unit_test(statistics_of_a_converter_are_rows),
        cmocka_unit_test(trace_without_counters_has_no_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
