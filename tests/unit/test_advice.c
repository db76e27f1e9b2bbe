/* Tests the advice for small programs: reasons of idle time, cost of a wait, memory at its peak, names and lines. */
#include "webreport/document/words/words.h"
#include "webreport/measure/result/advice.h"

#include "tests/unit/made_trace.h"

#include "webreport/model/build.h"
#include "writer/base/id_map.h"
#include "writer/base/sort.h"

#define HOST(cat, name, ts, dur, args)                                                                                 \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur         \
    ",\"args\":{" args "}}"
#define KERNEL(name, ts, dur, corr)                                                                                    \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" #ts ",\"dur\":" #dur          \
    ",\"args\":{\"device\":0,\"stream\":7,\"correlation\":" #corr "}}"
#define LAUNCH(ts, dur, corr) HOST("cuda_runtime", "cudaLaunchKernel", ts, dur, "\"correlation\":" #corr)
#define MEMORY(ts, address, bytes, total)                                                                              \
    "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"args\":{\"Device Type\":1,"  \
    "\"Device Id\":0,\"Addr\":" #address ",\"Bytes\":" #bytes ",\"Total Allocated\":" #total                           \
    ",\"Total Reserved\":100}}"

/* A trace and its advice. */
struct fixture {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_advice advice;
};

static void make_advice(struct fixture *f, const char *events, const struct tp_rule_overrides *overrides)
{
    make_model(&f->arena, &f->trace, &f->order, &f->model, "", events);
    tp_advice_build(&f->advice, &f->model, overrides, &f->arena);
    tp_fill_advice_texts(&f->advice, &f->model, &f->arena);
}

static bool is_text(struct tp_str text, const char *expected)
{
    return tp_str_equal(text, tp_str_of(expected));
}

static void gap_before_operation_is_split_at_its_launch(void **state)
{
    (void)state;
    struct fixture f;
    make_advice(&f,
                LAUNCH(0, 1, 1) "," LAUNCH(2, 1, 2) "," LAUNCH(40, 2, 3) "," KERNEL("a", 5, 5, 1) "," KERNEL(
                    "b", 20, 5, 2) "," KERNEL("c", 45, 5, 3) "," KERNEL("d", 60, 5, 99),
                NULL);
    assert_int_equal(f.advice.idle.device_count, 1);
    const struct tp_idle_device *d = &f.advice.idle.devices[0];
    assert_int_equal(d->idle.gap_count, 4);
    assert_int_equal(d->idle.part_ns[TP_IDLE_HOST], 15000);         /* time from the end of kernel b to the launch of
                                                                     * c */
    assert_int_equal(d->idle.part_ns[TP_IDLE_LAUNCH], 1000 + 2000); /* time during the launches of kernels a and c */
    assert_int_equal(d->idle.part_ns[TP_IDLE_QUEUE],
                     /* 4 us before kernel a, 3 us before c, and all 10 us before b, which was launched long before */
                     4000 + 10000 + 3000);
    assert_int_equal(d->idle.part_ns[TP_IDLE_UNKNOWN], 10000); /* time before kernel d, whose launch is missing from the
                                                                * trace */
    assert_int_equal(d->idle.part_ns[TP_IDLE_OUTSIDE], 0);
    assert_int_equal(d->busy_ns, 20000);
    assert_int_equal(d->flame_total_ns, 45000);
    assert_int_equal(d->without_launch_ns, 10000);
    tp_arena_release(&f.arena);
}

static void flame_graph_assigns_idle_time_to_the_host_stack(void **state)
{
    (void)state;
    struct fixture f;
    make_advice(&f,
                HOST("python_function", "train.py(3): step", 0, 100, "") "," HOST(
                    "cpu_op", "aten::add 0x7f", 20, 20,
                    "") "," LAUNCH(0, 1, 1) "," LAUNCH(50, 1, 2) "," KERNEL("a", 5, 5, 1) "," KERNEL("b", 60, 5, 2),
                NULL);
    const struct tp_idle_device *d = &f.advice.idle.devices[0];
    assert_int_equal(d->node_count, 4); /* nodes: root, frame, and the frame's operator and launch */
    /* the frame runs alone in these idle times: 1 to 5, 10 to 20, 40 to 50 and 51 to 60 us */
    assert_int_equal(d->nodes[1].self_ns, 33000);
    const struct tp_flame_node *op = &d->nodes[2];
    assert_true(is_text(op->text, "aten::add 0x*"));
    assert_int_equal(op->self_ns, 20000);
    assert_int_equal(op->depth, 2);
    assert_true(is_text(d->nodes[op->parent].text, "train.py(3): step"));
    assert_int_equal(d->nodes[op->parent].total_ns, 55000);
    assert_int_equal(d->by_line.row_count, 1);
    assert_true(is_text(tp_table_text(&d->by_line, TP_IDLE_LINE_LINE)[0], "train.py(3): step"));
    tp_arena_release(&f.arena);
}

static void wait_costs_only_the_idle_time_after_it(void **state)
{
    (void)state;
    struct fixture f;
    make_advice(&f,
                LAUNCH(0, 1, 1) "," HOST("cuda_runtime", "cudaDeviceSynchronize", 5, 45,
                                         "") "," LAUNCH(52, 1, 2) "," KERNEL("a", 5, 45, 1) "," KERNEL("b", 60, 5, 2),
                NULL);
    const struct tp_sync_table *s = &f.advice.syncs;
    assert_int_equal(s->count, 1);
    assert_int_equal(s->host_wait_ns, 45000);
    assert_int_equal(s->cost_ns, 10000);
    assert_true(is_text(tp_table_text(&s->rows, TP_SYNC_API)[0], "cudaDeviceSynchronize"));
    assert_true(is_text(tp_table_text(&s->rows, TP_SYNC_KIND)[0], "sync"));
    tp_arena_release(&f.arena);
}

static void wait_belongs_to_no_line_that_ended_before(void **state)
{
    (void)state;
    struct fixture f;
    make_advice(&f,
                HOST("python_function", "run.py(3): first", 0, 10,
                     "") "," HOST("python_function", "torch/x.py(1): late", 5, 50,
                                  "") "," HOST("cuda_runtime", "cudaDeviceSynchronize", 20, 5,
                                               "") "," LAUNCH(1, 1, 1) "," KERNEL("a", 5, 45, 1),
                NULL);
    const struct tp_sync_table *s = &f.advice.syncs;
    assert_int_equal(s->count, 1);
    assert_true(is_text(tp_table_text(&s->rows, TP_SYNC_LINE)[0], ""));
    tp_arena_release(&f.arena);
}

static void wait_outside_of_steps_is_counted_separately(void **state)
{
    (void)state;
    struct fixture f;
    make_advice(&f,
                HOST("user_annotation", "ProfilerStep#1", 0, 40, "") "," LAUNCH(1, 1, 1) "," KERNEL(
                    "a", 2, 5, 1) "," HOST("cuda_runtime", "cudaStreamSynchronize", 10, 5,
                                           "") "," HOST("cuda_runtime", "cudaStreamSynchronize", 50, 5, ""),
                NULL);
    const struct tp_sync_table *s = &f.advice.syncs;
    assert_int_equal(s->count, 1);
    assert_int_equal(s->host_wait_ns, 5000);
    assert_int_equal(s->outside_step_count, 1);
    tp_arena_release(&f.arena);
}

static void unfinished_step_is_left_out(void **state)
{
    (void)state;
    struct fixture f;
    make_advice(&f,
                HOST("user_annotation", "ProfilerStep#1", 0, 10,
                     "") "," HOST("user_annotation", "ProfilerStep#2", 10, 10,
                                  "") "," HOST("user_annotation", "ProfilerStep#3", 20, 3, "\"finished\":false"),
                NULL);
    assert_int_equal(f.model.step_count, 3);
    assert_int_equal(tp_unused_step_count(&f.model, TP_STEP_UNFINISHED), 1);
    assert_int_equal(f.advice.recommendations.step_count, 2);
    assert_int_equal(f.advice.recommendations.window_ns, 20000);
    tp_arena_release(&f.arena);
}

static void memory_at_the_peak_names_its_operator(void **state)
{
    (void)state;
    struct fixture f;
    make_advice(&f,
                HOST("cpu_op", "outer", 0, 20, "") "," HOST("cpu_op", "inner", 1, 5, "") "," MEMORY(
                    2, 16, 30, 40) "," MEMORY(10, 32, 20, 60) "," MEMORY(30, 48, 20, 80) "," MEMORY(31, 16, -30, 50),
                NULL);
    assert_int_equal(f.advice.memory.device_count, 1);
    const struct tp_memory_device *m = &f.advice.memory.devices[0];
    assert_int_equal(m->peak_allocated_bytes, 80);
    assert_int_equal(m->preexisting_bytes, 10);
    assert_int_equal(m->live_by_op.row_count, 2);
    assert_true(is_text(tp_table_text(&m->live_by_op, TP_LIVE_NAME)[0], "outer"));
    assert_int_equal(tp_table_int(&m->live_by_op, TP_LIVE_BYTES)[0], 50);
    assert_true(is_text(tp_table_text(&m->live_by_op, TP_LIVE_NAME)[1], ""));
    tp_arena_release(&f.arena);
}

static void thresholds_can_be_changed(void **state)
{
    (void)state;
    struct fixture f;
    struct tp_rule_overrides overrides = {0};
    struct tp_error err;
    const char *events = LAUNCH(0, 1, 1) "," LAUNCH(20, 1, 2) "," KERNEL("a", 5, 62, 1) "," KERNEL("b", 96, 5, 2);
    make_advice(&f, events, NULL);
    assert_int_equal(f.advice.recommendations.finding_count, 0);
    tp_arena_release(&f.arena);
    assert_int_equal(tp_rules_override(&overrides, "C13.min_pct=1", &err), 0);
    assert_int_equal(tp_rules_override(&overrides, "C1.speedup.8.0=4", &err), 0);
    assert_int_equal(tp_rules_override(&overrides, "A4.min_ptc=1", &err), TP_EUSAGE);
    assert_string_equal(err.text, "--rule: rule A4 has no threshold min_ptc; known: min_pct single_us");
    assert_int_equal(tp_rules_override(&overrides, "Z9.x=1", &err), TP_EUSAGE);
    static const char *const wrong[] = {"A4",
                                        "A4.min_pct",
                                        "A4.min_pct=",
                                        "A4.min_pct=x",
                                        "A4.min_pct=-1",
                                        "A4.min_pct=nan",
                                        "H2.max_period=2.5",
                                        "H2.max_period=1000",
                                        "C1.speedup.8.0=0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(tp_rules_override(&overrides, wrong[i], &err), TP_EUSAGE);
}

static int compare_by_tens(const void *x, const void *y, const void *context)
{
    (void)context;
    return *(const int *)x / 10 - *(const int *)y / 10;
}

static void merge_sort_keeps_equal_items_in_order(void **state)
{
    (void)state;
    int items[] = {31, 12, 30, 11, 19, 5, 33, 10};
    static const int expected[] = {5, 12, 11, 19, 10, 31, 30, 33};
    struct tp_arena arena;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_merge_sort(&arena, items, 8, sizeof *items, compare_by_tens, NULL);
    assert_memory_equal(items, expected, sizeof items);
    tp_arena_release(&arena);
}

static void id_map_finds_stored_ids(void **state)
{
    (void)state;
    struct tp_arena arena;
    struct tp_id_map map;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_id_map_init(&map, &arena);
    assert_null(tp_id_map_find(&map, 0));
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t *value = tp_id_map_find_or_add(&map, (uint64_t)i << 40);
        assert_int_equal(*value, TP_NO_ID);
        *value = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(*tp_id_map_find(&map, (uint64_t)i << 40), i);
    assert_null(tp_id_map_find(&map, 7));
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gap_before_operation_is_split_at_its_launch),
        cmocka_unit_test(flame_graph_assigns_idle_time_to_the_host_stack),
        cmocka_unit_test(wait_costs_only_the_idle_time_after_it),
        cmocka_unit_test(wait_belongs_to_no_line_that_ended_before),
        cmocka_unit_test(wait_outside_of_steps_is_counted_separately),
        cmocka_unit_test(unfinished_step_is_left_out),
        cmocka_unit_test(memory_at_the_peak_names_its_operator),
        cmocka_unit_test(thresholds_can_be_changed),
        cmocka_unit_test(merge_sort_keeps_equal_items_in_order),
        cmocka_unit_test(id_map_finds_stored_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
