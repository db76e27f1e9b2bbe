/* Tests the steps of serving engines: their names, and their times, which are counted by hand. */
#include <math.h>

#include "tests/unit/made_trace.h"
#include "webreport/measure/serving/serving_view.h"

#define NONE TP_NULL_INT

static void names_of_engines_are_read(void **state)
{
    static const struct {
        const char *name;
        enum tp_serving_phase phase;
        int64_t requests, tokens, prefill_tokens, decode_tokens;
    } known[] = {
        {"execute_context_2(512)_generation_30(30)", TP_SERVING_MIXED, 32, 542, 512, 30},
        {"execute_context_1(96_9216)_generation_0(0)", TP_SERVING_PREFILL, 1, 96, 96, 0},
        {"execute_context_0(0)_generation_8(8_8)", TP_SERVING_DECODE, 8, 8, 0, 8},
        {"execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)", TP_SERVING_DECODE, 32, 32,
         0, 32},
        {"execute_new_0_cached_16", TP_SERVING_DECODE, 16, NONE, 0, NONE},
        {"step[DECODE bs=7]", TP_SERVING_DECODE, 7, 7, NONE, 7},
        {"step[EXTEND bs=15 toks=15360 extra]", TP_SERVING_PREFILL, 15, 15360, 15360, NONE},
        {"step[IDLE]", TP_SERVING_IDLE, NONE, NONE, NONE, NONE},
        {"step[TARGET_VERIFY bs=4 toks=20]", TP_SERVING_VERIFY, 4, 20, NONE, NONE},
        {"[Executor] _forward_step 7: 2 ctx reqs, 512 ctx tokens, 30 gen reqs", TP_SERVING_MIXED, 32, 542, 512, 30},
        {"[Executor] _forward_step 7: 0 ctx reqs, 30 gen reqs", TP_SERVING_DECODE, 30, 30, 0, 30},
        {"capture_16_FULL_x", TP_SERVING_CAPTURE, 16, NONE, NONE, NONE},
        {"execute_diffusion_4_1024x768", TP_SERVING_DIFFUSION, 4, NONE, NONE, NONE},
    };
    static const char *const others[] = {"",
                                         "step",
                                         "step[",
                                         "step[]",
                                         "step[DECODE",
                                         "step[DECODEX]",
                                         "step[DECODE]x",
                                         "execute_context_(1)_generation_0(0)",
                                         "execute_context_1(1)_generation_0(0)x",
                                         "execute_new_1_cached_",
                                         "[Executor] _forward_step 7: 2 ctx reqs, gen reqs",
                                         "capture_x_FULL",
                                         "execute_diffusion_1_2x",
                                         "execute_diffusion_1_2x3 "};
    struct tp_serving_mark mark;
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!tp_serving_mark_read(&mark, tp_str_of(known[i].name)) || mark.phase != known[i].phase)
            fail_msg("%s", known[i].name);
        assert_int_equal(mark.numbers[TP_SERVING_REQUESTS], known[i].requests);
        assert_int_equal(mark.numbers[TP_SERVING_TOKENS], known[i].tokens);
        assert_int_equal(mark.numbers[TP_SERVING_PREFILL_TOKENS], known[i].prefill_tokens);
        assert_int_equal(mark.numbers[TP_SERVING_DECODE_TOKENS], known[i].decode_tokens);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (tp_serving_mark_read(&mark, tp_str_of(others[i])))
            fail_msg("%s", others[i]);
    assert_true(tp_serving_mark_read(&mark, TP_STR("step[DECODE bs=99999999999999999999999]")));
    assert_true(mark.numbers[TP_SERVING_REQUESTS] > 0);
}

#define HOST(cat, name, ts, dur, args)                                                                                 \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur         \
    ",\"args\":{" args "}}"
#define STEP(name, ts, dur) HOST("user_annotation", name, ts, dur, "") ","
#define LAUNCH(name, ts, id) HOST("cuda_runtime", name, ts, 1, "\"correlation\":" #id) ","
#define KERNEL(name, ts, dur, id)                                                                                      \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" #ts ",\"dur\":" #dur          \
    ",\"args\":{\"device\":0,\"stream\":7,\"correlation\":" #id "}}"

struct made {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_work_kinds kinds;
    struct tp_work_units units;
    struct tp_serving_view view;
};

static void make_serving(struct made *m, const char *events)
{
    make_model(&m->arena, &m->trace, &m->order, &m->model,
               "\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H100 80GB HBM3\"}],", events);
    tp_work_kinds_build(&m->kinds, &m->model, &m->arena);
    tp_work_units_build(&m->units, &m->kinds, NULL, &m->arena);
    tp_serving_build(&m->view, &m->kinds, &m->units, &m->arena);
}

static int64_t table_number(const struct made *m, unsigned column, size_t row)
{
    return tp_table_int(&m->view.steps, column)[row];
}

/* Writes two decode steps with one graph each, and a prefill step. Kernels of the second step start before the kernels
 * of the first step end. */
static void steps_include_the_work_launched_in_them(void **state)
{
    struct made m;
    (void)state;
    make_serving(&m, STEP("step[DECODE bs=3]", 0, 100) STEP("execute_context_0(0)_generation_3(3)", 1, 90)
                         LAUNCH("cudaGraphLaunch", 10, 1) STEP("step[DECODE bs=4]", 150, 50)
                             LAUNCH("cudaGraphLaunch", 160, 2) LAUNCH("cudaLaunchKernel", 170, 3)
                                 STEP("step[EXTEND bs=1 toks=300]", 220, 80) LAUNCH("cudaLaunchKernel", 230, 4)
                                     KERNEL("gemm_a", 20, 30, 1) "," KERNEL("gemm_b", 60, 40, 1) "," KERNEL(
                                         "gemm_a", 180, 20, 2) "," KERNEL("flash_fwd_kernel", 195, 25,
                                                                          3) "," KERNEL("gemm_c", 240, 60, 4));
    assert_int_equal(m.view.steps.row_count, 3);
    assert_int_equal(table_number(&m, TP_SERVED_TIME, 0), 80000);
    assert_int_equal(table_number(&m, TP_SERVED_BUSY, 0), 70000);
    assert_int_equal(table_number(&m, TP_SERVED_QUEUED, 0), 9000);
    assert_int_equal(table_number(&m, TP_SERVED_GAP, 0), 50000);
    assert_int_equal(table_number(&m, TP_SERVED_GRAPHS, 0), 1);
    assert_int_equal(table_number(&m, TP_SERVED_GRAPH_OPERATIONS, 0), 2);
    /* only the inner range states the number of requests */
    assert_int_equal(table_number(&m, TP_SERVED_REQUESTS + TP_SERVING_PREFILL_REQUESTS, 0), 0);
    assert_int_equal(table_number(&m, TP_SERVED_TIME, 1), 40000);
    assert_int_equal(table_number(&m, TP_SERVED_BUSY, 1), 40000);
    assert_int_equal(table_number(&m, TP_SERVED_OPERATIONS, 1), 2);
    assert_int_equal(table_number(&m, TP_SERVED_GAP, 2), TP_NULL_INT);
    assert_int_equal(m.view.p50_ns[TP_SERVING_DECODE][2], 80000); /* the times are 40 and 80 us, of which the p50 is the
                                                                   * higher one */
    assert_int_equal(m.view.p90_ns[TP_SERVING_DECODE][2], 80000);
    assert_int_equal(m.view.p50_ns[TP_SERVING_DECODE][3], TP_NULL_INT);
    assert_int_equal(m.view.p50_ns[TP_SERVING_PREFILL][9], 60000);
    assert_float_equal(m.view.tokens_per_s[TP_SERVING_DECODE], 7 / 120e-6, 1e-3);
    assert_float_equal(m.view.tokens_per_s[TP_SERVING_PREFILL], 300 / 60e-6, 1e-3);
    assert_true(isnan(m.view.tokens_per_s[TP_SERVING_MIXED]));
    struct tp_str kinds = tp_table_text(&m.view.classes, TP_SERVING_CLASS_KINDS)[1];
    assert_true(tp_str_find(kinds, "gemm 78.3 %, attention 21.7 %") == 0);
    tp_arena_release(&m.arena);
}

static void a_step_without_device_work_has_no_time(void **state)
{
    struct made m;
    (void)state;
    make_serving(&m, STEP("step[IDLE]", 0, 10) STEP("step[DECODE bs=1]", 20, 10) LAUNCH("cudaLaunchKernel", 21, 1)
                         KERNEL("gemm", 30, 5, 1));
    assert_int_equal(m.view.steps.row_count, 2);
    assert_int_equal(table_number(&m, TP_SERVED_TIME, 0), TP_NULL_INT);
    assert_int_equal(m.view.classes.row_count, 1);
    tp_arena_release(&m.arena);
    make_serving(&m, STEP("train", 0, 10) LAUNCH("cudaLaunchKernel", 1, 1) KERNEL("gemm", 3, 5, 1));
    assert_false(m.view.is_present);
    tp_arena_release(&m.arena);
}

#define PRODUCT(ts, id)                                                                                                \
    HOST("cpu_op", "aten::mm", ts, 3,                                                                                  \
         "\"Input Dims\":[[64,4096],[4096,8192]],\"Input type\":[\"c10::BFloat16\",\"c10::BFloat16\"]")                \
    "," LAUNCH("cudaLaunchKernel", ts, id)

/* Tests decode steps that replay a graph without shapes. The size of the weights is known from the shapes of the
 * prefill. */
static void minimum_step_time_is_reading_the_weights(void **state)
{
    struct made m;
    (void)state;
    make_serving(&m, STEP("step[EXTEND bs=1 toks=64]", 0, 50) PRODUCT(10, 1) PRODUCT(20, 2)
                         STEP("step[DECODE bs=1]", 100, 50) LAUNCH("cudaGraphLaunch", 110, 3)
                             KERNEL("gemm", 15, 60, 1) "," KERNEL("gemm", 80, 15, 2) "," KERNEL("gemm", 120, 100, 3));
    const int64_t bytes = 2 * 4096 * 8192 * 2;
    assert_int_equal(m.view.weight_bytes, bytes);
    assert_int_equal(m.view.weight_read_ns, llround((double)bytes / 3350));
    assert_int_equal(m.view.classes.row_count, 2);
    assert_float_equal(tp_table_real(&m.view.classes, TP_SERVING_CLASS_OF_BOUND)[1], 100 * 134217728 / 3350.0 / 100000,
                       1e-3); /* share of the 100 us of a decode step, percent */
    tp_arena_release(&m.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_engines_are_read),
                                       cmocka_unit_test(steps_include_the_work_launched_in_them),
                                       cmocka_unit_test(minimum_step_time_is_reading_the_weights),
                                       cmocka_unit_test(a_step_without_device_work_has_no_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
