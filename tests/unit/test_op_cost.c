/* Tests the FLOPs and bytes of operators against counts by hand. */
#include "webreport/measure/work/operator_cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "writer/base/table.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void costs_equal_counts_by_hand(void **state)
{
    static const struct {
        const char *name, *dims, *types, *concrete;
        int64_t flops, bytes;
    } cases[] = {
        /* Product of 3 x 4 and 4 x 5 matrices: 15 sums of 4 products; 12 + 20 + 15 floats. */
        {"aten::mm", "[[3,4],[4,5]]", "[\"float\",\"float\"]", "", 120, 188},
        {"aten::addmm", "[[5],[3,4],[4,5],[],[]]", "[\"float\",\"float\",\"float\",\"Scalar\",\"Scalar\"]", "", 120,
         208},
        {"aten::bmm", "[[2,3,4],[2,4,5]]", "[\"c10::Half\",\"c10::Half\"]", "", 240, 188},
        {"aten::matmul", "[[7,1,3,4],[2,4,5]]", "[\"double\",\"double\"]", "", 1680, 2672},
        {"aten::matmul", "[[4],[4]]", "[\"float\",\"float\"]", "", 8, 36},
        {"aten::linear", "[[2,3,4],[5,4],[5]]", "[\"float\",\"float\",\"float\"]", "", 240, 316},
        {"aten::mv", "[[3,4],[4]]", "[\"float\",\"float\"]", "", 24, 76},
        /* Convolution of 2 images with 3 channels by 8 kernels of 3 x 3 x 3, with outputs of 12 x 12. */
        {"aten::conv2d", "[[2,3,12,12],[8,3,3,3],[8],[],[],[],[]]",
         "[\"float\",\"float\",\"float\",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\"]",
         "[\"\",\"\",\"\",\"[1, 1]\",\"[1, 1]\",\"[1, 1]\",\"1\"]", 2 * 2 * 144 * 8 * 27, 4 * (864 + 216 + 8 + 2304)},
        /* Two groups and a stride of 2: outputs of 5 x 5 from 16 kernels of 4 x 3 x 3. */
        {"aten::mkldnn_convolution", "[[2,8,12,12],[16,4,3,3],[16],[],[],[],[]]",
         "[\"float\",\"float\",\"float\",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\"]",
         "[\"\",\"\",\"\",\"[0, 0]\",\"[2, 2]\",\"[1, 1]\",\"2\"]", 2 * 2 * 25 * 16 * 36, 4 * (2304 + 576 + 16 + 800)},
        {"aten::convolution_backward", "[[2,16,5,5],[2,8,12,12],[16,4,3,3],[],[],[],[],[],[],[],[]]",
         "[\"float\",\"float\",\"float\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"]",
         "[\"\",\"\",\"\",\"[16]\",\"[2, 2]\",\"[0, 0]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"2\",\"[True, True, True]\"]",
         2 * 2 * 2 * 25 * 16 * 36, 4 * (800 + 2304 + 576)},
        /* Attention: two products for each of 2 x 4 heads, with 6 queries and 7 keys of width 8. */
        {"aten::scaled_dot_product_attention", "[[2,4,6,8],[2,4,7,8],[2,4,7,8],[]]",
         "[\"float\",\"float\",\"float\",\"\"]", "", 2 * 2 * 8 * 6 * 7 * 8, 4 * 8 * 8 * (6 + 7 + 7 + 6)},
        {"aten::add", "[[3,1],[1,4],[]]", "[\"float\",\"float\",\"Scalar\"]", "", 12, 76},
        {"aten::mul", "[[3,4],[]]", "[\"float\",\"double\"]", "", 12, 104},
        {"aten::copy_", "[[3],[3],[]]", "[\"float\",\"double\",\"Scalar\"]", "", 0, 48},
        {"aten::_softmax", "[[2,10],[],[]]", "[\"float\",\"Scalar\",\"Scalar\"]", "", 100, 160},
        {"aten::native_layer_norm", "[[2,10],[],[10],[10],[]]", "[\"float\",\"\",\"float\",\"float\",\"Scalar\"]", "",
         160, 240},
        /* Embedding: 6 row numbers; each row of 16 floats is read and written. */
        {"aten::embedding", "[[1000,16],[2,3],[],[],[]]", "[\"float\",\"long int\",\"Scalar\",\"Scalar\",\"Scalar\"]",
         "", 0, 48 + 2 * 6 * 16 * 4},
        {"aten::mm", "[[3,4],[4,5]]", "[\"what\",\"float\"]", "", 120, TP_NULL_INT},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tp_op_call call = {tp_str_of(cases[i].dims), tp_str_of(cases[i].types), tp_str_of(cases[i].concrete)};
        struct tp_op_cost cost;
        const struct tp_op_rule *rule = tp_op_rule_by_name(tp_str_of(cases[i].name));
        assert_non_null(rule);
        assert_true(tp_op_cost(&cost, rule, &call));
        if (cost.flops != cases[i].flops || cost.bytes != cases[i].bytes)
            fail_msg("%s %s: %lld operations, %lld bytes", cases[i].name, cases[i].dims, (long long)cost.flops,
                     (long long)cost.bytes);
    }
}

static void invalid_shapes_have_no_cost(void **state)
{
    static const char *const cases[][3] = {
        {"aten::mm", "[[3,4],[5,5]]", ""},
        {"aten::mm", "[]", ""},
        {"aten::mm", "null", ""},
        {"aten::mm", "[[-3,4],[4,5]]", ""},
        {"aten::linear", "[[3,4],[5,5]]", ""},
        {"aten::conv2d", "[[2,3,12,12],[8,3,3,3]]", ""},
        {"aten::conv2d", "[[2,3,12,12],[8,3,3,3]]", "[\"\",\"\",\"\",\"[0, 0]\",\"[1, 1]\",\"[1, 1]\",\"1\"]"},
        {"aten::convolution", "[[2,3,12,12],[8,3,3,3]]",
         "[\"\",\"\",\"\",\"[1, 1]\",\"[1, 1]\",\"[1, 1]\",\"True\",\"[0, 0]\",\"1\"]"},
        {"aten::add", "[[3,2],[4,2]]", ""},
        {"aten::embedding", "[[3],[2]]", ""},
        {"aten::scaled_dot_product_attention", "[[2,4,6,8],[2,4,7,9],[2,4,7,8]]", ""},
        {"aten::add", "[[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],[1]]", ""},
    };
    (void)state;
    assert_null(tp_op_rule_by_name(TP_STR("aten::what")));
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tp_op_call call = {tp_str_of(cases[i][1]), {"", 0}, tp_str_of(cases[i][2])};
        struct tp_op_cost cost;
        if (tp_op_cost(&cost, tp_op_rule_by_name(tp_str_of(cases[i][0])), &call))
            fail_msg("%s %s has a cost", cases[i][0], cases[i][1]);
    }
}

static void huge_sizes_saturate(void **state)
{
    struct tp_op_call call = {TP_STR("[[9000000000000000000,9000000000000000000],[9000000000000000000,2]]"),
                              TP_STR("[\"float\",\"float\"]"), TP_STR("")};
    struct tp_op_cost cost;
    (void)state;
    assert_true(tp_op_cost(&cost, tp_op_rule_by_name(TP_STR("aten::mm")), &call));
    assert_true(cost.flops == INT64_MAX && cost.bytes == INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_equal_counts_by_hand),
        cmocka_unit_test(invalid_shapes_have_no_cost),
        cmocka_unit_test(huge_sizes_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
