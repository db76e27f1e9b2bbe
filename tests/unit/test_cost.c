/* Tests the minimum work of calls against counts by hand, numbers from papers, and torch's own counter. */
#include "webreport/measure/work/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool find_cost(struct tp_cost *cost, const char *name, const char *dims, const char *types, const char *concrete)
{
    struct tp_op_call call = {tp_str_of(dims), tp_str_of(types), tp_str_of(concrete)};
    return tp_cost_of_call(cost, tp_str_of(name), &call, NULL);
}

#define HALF3 "[\"c10::Half\",\"c10::Half\",\"c10::Half\"]"

static void products_count_two_for_a_multiplication_and_an_addition(void **state)
{
    struct tp_cost cost;
    (void)state;
    assert_true(tp_cost_rules_are_valid());
    assert_true(find_cost(&cost, "aten::mm", "[[3,4],[4,5]]", "[\"float\",\"float\"]", ""));
    assert_int_equal(cost.flops, 2 * 3 * 4 * 5);
    assert_int_equal(cost.bytes, 4 * (3 * 4 + 4 * 5 + 3 * 5));
    assert_int_equal(cost.type, TP_NUMBER_FP32);
    assert_true(find_cost(&cost, "aten::addmm", "[[5],[3,4],[4,5]]", HALF3, ""));
    assert_int_equal(cost.bytes, 2 * (5 + 3 * 4 + 4 * 5 + 3 * 5));
    assert_int_equal(cost.type, TP_NUMBER_FP16);
    assert_true(find_cost(&cost, "aten::bmm", "[[7,3,4],[7,4,5]]", "[\"float\",\"float\"]", ""));
    assert_int_equal(cost.flops, 7 * 2 * 3 * 4 * 5);
    /* the inner sizes 4 and 5 do not match */
    assert_false(find_cost(&cost, "aten::mm", "[[3,4],[5,4]]", "[\"float\",\"float\"]", ""));
    assert_false(
        /* this operator has no cost of its own, because it calls aten::mm */
        find_cost(&cost, "aten::matmul", "[[3,4],[4,5]]", "[\"float\",\"float\"]", ""));
}

/* Tests the first convolution of ResNet, for which its authors count 118 million multiply-add operations. */
static void convolution_has_the_published_count(void **state)
{
    static const char dims[] = "[[1,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]";
    struct tp_cost cost;
    (void)state;
    assert_true(find_cost(&cost, "aten::convolution", dims, "[\"float\",\"float\"]",
                          "[\"\",\"\",\"\",\"[2, 2]\",\"[3, 3]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]"));
    assert_int_equal(cost.flops, 2 * 118013952LL);
    assert_int_equal(cost.bytes, 4 * (3 * 224 * 224 + 64 * 3 * 49 + 64 * 112 * 112));
    assert_false(find_cost(&cost, "aten::convolution", dims, "[\"float\",\"float\"]", "")); /* without the stride, the
                                                                                             * cost is unknown */
    /* the size of the output's gradient determines the stride */
    struct tp_op_call call = {tp_str_of(dims), TP_STR("[\"float\",\"float\"]"), TP_STR("")};
    struct tp_cost_hint hint = {.out = tp_shape_parse(TP_STR("[1,64,112,112]"))};
    assert_true(tp_cost_of_call(&cost, TP_STR("aten::convolution"), &call, &hint));
    assert_int_equal(cost.flops, 2 * 118013952LL);
}

static void convolution_backward_costs_the_same_per_gradient(void **state)
{
    static const char dims[] = "[[8,64,56,56],[8,64,56,56],[64,64,3,3],[],[],[],[],[],[],[],[]]";
    struct tp_cost cost;
    int64_t forward = 2LL * 8 * 64 * 64 * 9 * 56 * 56;
    (void)state;
    assert_true(find_cost(&cost, "aten::convolution_backward", dims, HALF3,
                          "[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"False\",\"\",\"\",\"[True, True, False]\"]"));
    assert_int_equal(cost.flops, 2 * forward);
    assert_true(find_cost(&cost, "aten::convolution_backward", dims, HALF3,
                          "[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"False\",\"\",\"\",\"[False, True, False]\"]"));
    assert_int_equal(cost.flops, forward);
}

static void call_without_types_has_no_cost(void **state)
{
    static const char *const without[] = {
        "", "[]", "[\"\",\"\"]", "[\"float\"]", "[\"float\",\"\"]", "[\"float\",\"Scalar\"]"};
    struct tp_cost cost;
    (void)state;
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        struct tp_op_call call = {TP_STR("[[64,64],[64,64]]"), tp_str_of(without[i]), TP_STR("")};
        assert_false(tp_cost_of_call(&cost, TP_STR("aten::mm"), &call, NULL));
        assert_false(tp_cost_of_call(&cost, TP_STR("aten::add"), &call, NULL));
        assert_false(tp_cost_of_call(&cost, TP_STR("triton_poi_fused_add_0"), &call, NULL));
        assert_true(tp_cost_lacks_types(&call));
    }
    assert_false(find_cost(&cost, "aten::cat", "[[[4,4],[4,4]],[]]", "[\"TensorList\",\"Scalar\"]", ""));
    assert_false(find_cost(&cost, "aten::cat", "[[[4,4],[4,4]],[]]", "[[\"float\"],\"Scalar\"]", ""));
    assert_true(find_cost(&cost, "aten::cat", "[[[4,4],[4,4]],[]]", "[[\"float\",\"float\"],\"Scalar\"]", ""));
    struct tp_op_call scalars = {TP_STR("[[],[]]"), TP_STR("[\"\",\"Scalar\"]"), TP_STR("")};
    assert_false(tp_cost_lacks_types(&scalars));
    struct tp_op_call untyped = {TP_STR("[[4,8],[8,16]]"), TP_STR(""), TP_STR("")};
    struct tp_op_call typed = {TP_STR("[[4,8],[8,16]]"), TP_STR("[\"float\",\"float\"]"), TP_STR("")};
    assert_int_equal(tp_cost_flops_without_types(TP_STR("aten::mm"), &untyped, NULL), 2 * 4 * 8 * 16);
    assert_int_equal(tp_cost_flops_without_types(TP_STR("aten::add"), &untyped, NULL), 0);
    assert_int_equal(tp_cost_flops_without_types(TP_STR("aten::mm"), &typed, NULL), 0);
    assert_int_equal(tp_cost_flops_without_types(TP_STR("aten::mm"), &scalars, NULL), 0);
}

static void causal_attention_costs_half(void **state)
{
    static const char dims[] = "[[2,8,1024,64],[2,8,1024,64],[2,8,1024,64],[],[]]";
    struct tp_cost cost;
    int64_t all = 2LL * 2 * 2 * 8 * 1024 * 1024 * 64;
    (void)state;
    assert_true(find_cost(&cost, "aten::_scaled_dot_product_flash_attention", dims, HALF3,
                          "[\"\",\"\",\"\",\"0.\",\"False\"]"));
    assert_int_equal(cost.flops, all);
    assert_int_equal(cost.flops_without_masked, all);
    assert_int_equal(cost.bytes, 2 * 4 * 2 * 8 * 1024 * 64);
    assert_true(
        find_cost(&cost, "aten::_scaled_dot_product_flash_attention", dims, HALF3, "[\"\",\"\",\"\",\"0.\",\"True\"]"));
    assert_int_equal(cost.flops, all);
    /* causal attention computes one half of the scores, and half of the diagonal */
    assert_int_equal(cost.flops_without_masked, all / 2 + all / 2 / 1024);
    assert_false(find_cost(&cost, "aten::_scaled_dot_product_attention_math", dims, HALF3, ""));
}

static void operators_that_only_move_have_only_bytes(void **state)
{
    struct tp_cost cost;
    (void)state;
    assert_true(find_cost(&cost, "aten::add", "[[128,64],[64],[]]", "[\"float\",\"float\",\"Scalar\"]", ""));
    assert_int_equal(cost.flops, 0);
    assert_int_equal(cost.bytes, 4 * (128 * 64 + 64 + 128 * 64));
    assert_true(find_cost(&cost, "aten::gt", "[[128,64],[]]", "[\"float\",\"Scalar\"]", ""));
    assert_int_equal(cost.bytes, 4 * 128 * 64 + 128 * 64); /* a boolean takes one byte */
    assert_true(find_cost(&cost, "aten::copy_", "[[128,64],[128,64],[]]", "[\"c10::Half\",\"float\",\"Scalar\"]", ""));
    assert_int_equal(cost.bytes, 6 * 128 * 64);
    assert_true(find_cost(&cost, "aten::_foreach_add_", "[[[10],[20]],[[10],[20]],[]]",
                          "[[\"float\",\"float\"],[\"float\",\"float\"],\"Scalar\"]", ""));
    assert_int_equal(cost.bytes, 4 * 3 * 30);
    assert_true(find_cost(&cost, "aten::embedding", "[[50000,512],[4,128]]", "[\"float\",\"long int\"]", ""));
    /* an embedding reads only the requested rows of its table */
    assert_int_equal(cost.bytes, 8 * 4 * 128 + 2 * 4 * 128 * 512 * 4);
    assert_false(find_cost(&cost, "aten::view", "[[128,64],[]]", "[\"float\",\"Scalar\"]", ""));
    assert_false(find_cost(&cost, "my::operator", "[[128,64]]", "[\"float\"]", ""));
}

static void hostile_arguments_have_no_cost(void **state)
{
    static char many[4096] = "[[1]";
    struct tp_cost cost;
    (void)state;
    for (int i = 0; i < 200; i++)
        strcat(many, ",[2]");
    strcat(many, "]");
    assert_false(find_cost(&cost, "aten::add", many, "[]", ""));
    assert_false(find_cost(&cost, "aten::mm", "[[-3,4],[4,5]]", "[]", ""));
    assert_false(find_cost(&cost, "aten::mm", "[[4611686018427387904,2],[2,4611686018427387904]]", "[]", ""));
    assert_false(find_cost(&cost, "aten::mm", "[[1048576,1048576,1048576],[1048576,1048576]]", "[]", ""));
    assert_false(find_cost(&cost, "aten::mm", "", "", ""));
    assert_false(find_cost(&cost, "aten::mm", "{\"a\":1}", "7", "null"));
    assert_false(find_cost(&cost, "aten::convolution", "[[1],[1]]", "[]", "[\"\",\"\",\"\",\"[1]\",\"[1]\",\"[1]\"]"));
    assert_false(find_cost(&cost, "aten::convolution", "[[1,1,8],[1,1,3]]", "[]",
                           "[\"\",\"\",\"\",\"[0]\",\"[1]\",\"[1]\",\"False\",\"[0]\",\"1\"]")); /* the stride in these
                                                                                                  * arguments is 0 */
    /* Products of these sizes exceed int64, and the number of heads is 0. */
    find_cost(&cost, "aten::_scaled_dot_product_flash_attention",
              "[[1,0,72057594037927935,64],[1,0,72057594037927935,64],[1,0,72057594037927935,64]]", "[]",
              "[\"\",\"\",\"\",\"0.\",\"True\"]");
    find_cost(&cost, "aten::cudnn_convolution_transpose", "[[1,1,8],[1,1,72057594037927935]]", "[]",
              "[\"\",\"\",\"[1]\",\"[9223372036854775807]\",\"[1]\",\"[9223372036854775807]\",\"1\"]");
    assert_false(find_cost(&cost, "aten::_flash_attention_forward", "[[0,0,0,0],[0,0,0,0],[0,0,0,0]]", "[]",
                           "[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"True\"]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_count_two_for_a_multiplication_and_an_addition),
        cmocka_unit_test(convolution_has_the_published_count),
        cmocka_unit_test(convolution_backward_costs_the_same_per_gradient),
        cmocka_unit_test(call_without_types_has_no_cost),
        cmocka_unit_test(causal_attention_costs_half),
        cmocka_unit_test(operators_that_only_move_have_only_bytes),
        cmocka_unit_test(hostile_arguments_have_no_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
