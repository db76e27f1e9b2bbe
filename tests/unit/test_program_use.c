/* Tests which kind of program a trace comes from, with one trace per kind of evidence. */
#include "tests/unit/made_trace.h"
#include "webreport/measure/program/program_use.h"

#define RANGE(cat, name)                                                                                               \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":9,\"args\":{}}"
#define OPERATOR RANGE("cpu_op", "aten::mm")
#define DEVICE                                                                                                         \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":3,\"dur\":2,\"args\":{\"device\":"  \
    "0,"                                                                                                               \
    "\"stream\":7,\"correlation\":1}}"

static void first_matching_kind_is_reported_with_evidence(void **state)
{
    static const struct {
        const char *events, *kind, *evidence;
    } cases[] = {
        {OPERATOR "," RANGE("cpu_op", "vllm::unified_attention"), "serving", "vllm::unified_attention"},
        {RANGE("python_function", "diffusers/models/unet.py(7): forward") "," OPERATOR, "diffusion",
         "diffusers/models/unet.py(7): forward"},
        {RANGE("user_annotation", "[param|pytorch.model|0]") "," RANGE("user_annotation", "Optimizer.step#SGD.step"),
         "benchmark", "[param|pytorch.model|0]"},
        {OPERATOR "," RANGE("user_annotation", "Optimizer.step#SGD.step"), "training", "Optimizer.step#SGD.step"},
        {OPERATOR "," RANGE("cpu_op", "autograd::engine::evaluate_function: MmBackward0") "," DEVICE, "training",
         "autograd::engine::evaluate_function: MmBackward0"},
        {OPERATOR "," DEVICE, "inference", NULL},
        {DEVICE, "device_only", NULL},
        {OPERATOR, "cpu", NULL},
    };
    struct tp_serving_view none;
    (void)state;
    tp_serving_init_empty(&none);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tp_arena arena;
        struct tp_trace trace;
        struct tp_order order;
        struct tp_model model;
        make_model(&arena, &trace, &order, &model, "", cases[i].events);
        struct tp_program_use use = tp_program_use_find(&model, &none);
        assert_string_equal(tp_program_use_text(use.of), cases[i].kind);
        assert_int_equal(use.evidence.ptr != NULL, cases[i].evidence != NULL);
        if (cases[i].evidence)
            assert_true(tp_str_equal(use.evidence, tp_str_of(cases[i].evidence)));
        tp_arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_matching_kind_is_reported_with_evidence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
