/* Tests what an input cannot show: the words for it, the member "tracepress_input", and data that no event has. */
#include "made_trace.h"

#include "webreport/measure/metrics/metrics.h"
#include "webreport/measure/rules/rules.h"
#include "webreport/measure/rules/unknown_data.h"
#include "webreport/trace/evidence.h"

#define MEMBER(text) "\"tracepress_input\":" text ","
#define KERNEL(args)                                                                                                   \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":2,\"args\":{\"device\":0,"   \
    "\"stream\":7" args "}}"
#define OPERATOR(args)                                                                                                 \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":9,\"tid\":9,\"ts\":1,\"dur\":2,\"args\":{" args "}}"

static void each_kind_is_found_by_its_name_and_its_text(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TP_UNKNOWN_KINDS; i++) {
        enum tp_unknown unknown = (enum tp_unknown)(1u << i);
        assert_int_equal(tp_unknown_by_word(tp_str_of(tp_unknown_name(unknown))), unknown);
        assert_int_equal(tp_unknown_by_word(tp_str_of(tp_unknown_text(unknown))), unknown);
    }
    assert_int_equal(tp_unknown_by_word(TP_STR("input shapes")), TP_UNKNOWN_SHAPES);
    assert_int_equal(tp_unknown_by_word(TP_STR("sm_count")), TP_UNKNOWN_DEVICE_PROPERTIES);
    assert_int_equal(tp_unknown_by_word(TP_STR("device activity")),
                     TP_UNKNOWN_KERNELS | TP_UNKNOWN_COPIES | TP_UNKNOWN_SETS);
    assert_int_equal(tp_unknown_by_word(TP_STR("")), 0);
    assert_int_equal(tp_unknown_by_word(TP_STR("kernel")), 0);
}

static void member_fills_the_facts(void **state)
{
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_input_evidence evidence;
    (void)state;
    make_trace(
        &arena, &trace,
        MEMBER("{\"producer\":\"Profiler 1\",\"missing\":[\"sets\",7],\"notes\":[\"a\",\"a\",1],\"dropped\":"
               "{\"device rows\":3,\"CANN calls\":8,\"x\":-1},\"counters\":[{\"device\":1,\"name\":\"Power (W)\","
               "\"time_ns\":5,\"value\":2.5},{\"device\":1,\"name\":\"Power (W)\",\"samples\":2}]}"),
        KERNEL(""));
    const struct tp_input_facts *facts = &trace.input;
    assert_true(tp_str_equal(facts->producer, TP_STR("Profiler 1")));
    assert_true(facts->unknown & TP_UNKNOWN_SETS && facts->unknown & TP_UNKNOWN_GRID &&
                facts->unknown & TP_UNKNOWN_OPERATORS && !(facts->unknown & TP_UNKNOWN_COPIES));
    assert_int_equal(facts->note_count, 1);
    assert_int_equal(facts->dropped_count, 2);
    assert_int_equal(facts->counter_count, 1);
    assert_int_equal(facts->counters[0].device, 1);
    tp_evidence_build(&evidence, &trace, &arena);
    assert_int_equal(evidence.lost[TP_LOST_DEVICE_ROWS], 3);
    assert_int_equal(tp_evidence_unmet_needs(&evidence), TP_NEED_DEVICE);
    assert_string_equal(tp_evidence_reason(&evidence, TP_NEED_DEVICE, &arena),
                        "the reader dropped 3 rows of the device");
    tp_arena_release(&arena);
}

static void member_of_another_type_is_ignored(void **state)
{
    static const char *const members[] = {MEMBER("[]"), MEMBER("7"),
                                          MEMBER("{\"producer\":1,\"missing\":{},\"notes\":\"n\","
                                                 "\"dropped\":[1],\"counters\":{\"a\":1}}")};
    (void)state;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct tp_arena arena;
        struct tp_trace trace;
        make_trace(&arena, &trace, members[i], KERNEL(""));
        assert_null(trace.input.producer.ptr);
        assert_int_equal(trace.input.unknown, 0);
        assert_int_equal(trace.input.note_count + trace.input.dropped_count + trace.input.counter_count, 0);
        tp_arena_release(&arena);
    }
}

static uint32_t unknown_in(const char *header, const char *events)
{
    struct tp_arena arena;
    struct tp_trace trace;
    make_trace(&arena, &trace, header, events);
    uint32_t unknown = trace.input.unknown;
    tp_arena_release(&arena);
    return unknown;
}

static void types_are_unknown_only_if_shapes_have_none(void **state)
{
    (void)state;
    assert_int_equal(unknown_in("", OPERATOR("\"Input Dims\":[[2,2]]")), TP_UNKNOWN_DTYPES);
    assert_int_equal(unknown_in("", OPERATOR("\"Input Dims\":[[2,2]],\"Input type\":[\"float\"]")), 0);
    assert_int_equal(unknown_in("", OPERATOR("")), 0);
}

static void cuspy_is_recognised_by_each_sign(void **state)
{
    static const char *const events[] = {
        KERNEL(",\"channel_type\":1,\"queued\":0"),
        "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":2,\"args\":{"
        "\"copy kind\":\"HtoD\"}}",
        "{\"ph\":\"X\",\"cat\":\"gpu_memset\",\"name\":\"Memset\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":2,\"args\":{"
        "\"memory kind\":3}}",
        "{\"ph\":\"X\",\"cat\":\"graph_host_node\",\"name\":\"n\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":0}," KERNEL(""),
        "{\"ph\":\"C\",\"name\":\"Power (W)\",\"pid\":\"GPU 0 Counters\",\"ts\":1,\"args\":{\"\":3.5}}," KERNEL("")};
    (void)state;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        struct tp_arena arena;
        struct tp_trace trace;
        make_trace(&arena, &trace, "", events[i]);
        assert_true(tp_str_starts(trace.input.producer, "PyTorch, Cuspy"));
        assert_true(trace.input.is_of_torch_profiler);
        tp_arena_release(&arena);
    }
    assert_int_equal(unknown_in("", KERNEL("")), 0);
    assert_true(unknown_in("", "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy\",\"pid\":0,\"tid\":7,\"ts\":1,"
                               "\"dur\":2,\"args\":{\"copy kind\":0}}") &
                TP_UNKNOWN_COPY_DIRECTION);
}

static void blocks_per_sm_follow_from_the_grid(void **state)
{
    struct tp_arena arena;
    struct tp_trace trace;
    (void)state;
    make_trace(&arena, &trace, "\"deviceProperties\":[{\"id\":0,\"numSms\":4}],",
               KERNEL(",\"channel_type\":1,\"grid\":[3,2,1],\"block\":[64,1,1]"));
    assert_int_equal(tp_device_setup(&trace, trace.events[0].detail)->blocks_per_sm_e9, 1500000000);
    tp_arena_release(&arena);
    make_trace(&arena, &trace, "\"deviceProperties\":[{\"id\":0,\"numSms\":4}],", KERNEL(",\"grid\":[3,2,1]"));
    assert_int_equal(tp_device_setup(&trace, trace.events[0].detail)->blocks_per_sm_e9, TP_NULL_INT);
    tp_arena_release(&arena);
}

static void counters_of_devices_have_device_and_name(void **state)
{
    struct tp_arena arena;
    struct tp_trace trace;
    (void)state;
    make_trace(
        &arena, &trace, "",
        "{\"ph\":\"C\",\"name\":\"SM Clock (MHz)\",\"pid\":\"GPU 12 Counters\",\"ts\":1.5,\"args\":{\"\":1980}},"
        "{\"ph\":\"C\",\"name\":\"SM Clock (MHz)\",\"pid\":\"GPU x Counters\",\"ts\":1,\"args\":{\"\":1}}," KERNEL(""));
    assert_int_equal(trace.input.counter_count, 1);
    assert_int_equal(trace.input.counters[0].device, 12);
    assert_int_equal(trace.input.counters[0].ts_ns, 1500);
    assert_true(trace.input.counters[0].value == 1980);
    tp_arena_release(&arena);
}

static void metrics_and_rules_know_what_they_need(void **state)
{
    (void)state;
    assert_true(tp_unknown_needs_of_metric("h2d.bytes") & TP_UNKNOWN_COPY_DIRECTION);
    assert_true(tp_unknown_needs_of_metric("sets.per_step") & TP_UNKNOWN_SETS);
    assert_int_equal(tp_unknown_needs_of_metric("sets.per_step") & TP_UNKNOWN_COPIES, 0);
    assert_true(tp_unknown_needs_of_metric("kernels.per_step") & TP_UNKNOWN_STEPS);
    assert_int_equal(tp_unknown_needs_of_metric("trace.events"), 0);
    assert_true(tp_unknown_needs_of_rule("D1") & TP_UNKNOWN_ALLOCATOR);
    assert_int_equal(tp_unknown_needs_of_rule("D"), 0);
    assert_int_equal(tp_unknown_affected_needs(TP_UNKNOWN_COPIES), TP_NEED_DEVICE);
    assert_int_equal(tp_unknown_affected_needs(TP_UNKNOWN_OCCUPANCY), 0);
}

/* Every kind of data must be needed by a metric or a rule, and every name in the table must exist. */
static void each_kind_has_a_metric_or_a_rule(void **state)
{
    uint32_t needed = 0;
    (void)state;
    for (unsigned i = 0; i < TP_METRIC_COUNT; i++)
        needed |= tp_unknown_needs_of_metric(tp_metrics[i].name);
    for (unsigned i = 0; i < TP_RULE_COUNT; i++)
        needed |= tp_unknown_needs_of_rule(tp_rule_at(i)->id);
    assert_int_equal(needed | TP_UNKNOWN_FORWARD_LINKS, TP_UNKNOWN_ALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_found_by_its_name_and_its_text),
        cmocka_unit_test(member_fills_the_facts),
        cmocka_unit_test(member_of_another_type_is_ignored),
        cmocka_unit_test(types_are_unknown_only_if_shapes_have_none),
        cmocka_unit_test(cuspy_is_recognised_by_each_sign),
        cmocka_unit_test(blocks_per_sm_follow_from_the_grid),
        cmocka_unit_test(counters_of_devices_have_device_and_name),
        cmocka_unit_test(metrics_and_rules_know_what_they_need),
        cmocka_unit_test(each_kind_has_a_metric_or_a_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
