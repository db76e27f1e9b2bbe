/* Tests filters of operator calls by names, patterns and types of inputs. */
#include "webreport/measure/torch_tables/operator_filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool is_name_found(const char *pattern, struct tp_str name)
{
    struct tp_operator_filter filter = {.pattern = pattern};
    regex_t compiled;
    assert_null(tp_operator_pattern_error(pattern));
    assert_int_equal(regcomp(&compiled, pattern, REG_EXTENDED), 0);
    bool found = tp_operator_filter_accepts_name(&filter, &compiled, name);
    regfree(&compiled);
    return found;
}

static void patterns_match_anywhere_in_a_name(void **state)
{
    (void)state;
    assert_true(is_name_found("conv|mm$", TP_STR("aten::addmm")));
    assert_true(is_name_found("conv|mm$", TP_STR("aten::conv2d")));
    assert_false(is_name_found("conv|mm$", TP_STR("aten::mm_out")));
    assert_true(is_name_found("^aten::m+$", TP_STR("aten::mm")));
    assert_true(
        is_name_found("b$", ((struct tp_str){"a\0b and more", 3}))); /* the text after the NUL does not matter */
    assert_false(is_name_found("more", ((struct tp_str){"a\0b and more", 3})));
    assert_true(is_name_found("", TP_STR("x")));
}

static void unbounded_patterns_are_refused(void **state)
{
    char longest[300];
    (void)state;
    memset(longest, 'a', sizeof longest);
    longest[257] = '\0';
    assert_non_null(tp_operator_pattern_error(longest));
    longest[256] = '\0';
    assert_null(tp_operator_pattern_error(longest));
    assert_non_null(tp_operator_pattern_error("a{1,255}{1,255}"));
    assert_non_null(tp_operator_pattern_error("(a*)*\\1"));
    assert_non_null(tp_operator_pattern_error("("));
    assert_non_null(tp_operator_pattern_error("[z-"));
    /* the pattern means a backslash followed by 1, which is not a back-reference */
    assert_null(tp_operator_pattern_error("a\\\\1"));
    assert_null(tp_operator_pattern_error("\\."));
}

static void types_are_known_by_both_names(void **state)
{
    static const struct {
        const char *dtype, *types;
        bool is_wanted;
    } cases[] = {
        {"float32", "[\"float\",\"\"]", true},
        {"float32", "[\"double\",\"c10::Half\"]", false},
        {"bfloat16", "[\"\",\"c10::BFloat16\"]", true},
        {"int64", "[\"long int\"]", true},
        {"long int", "[\"long int\"]", true},
        {"int64", "[\"long\"]", true},
        {"int32", "[\"long int\"]", false},
        {"float", "[\"float\"]", true},
        {"float32", "[]", false},
        {"float32", "", false},
        {"float32", "\"float\"", false},
        {"float32", "[7,null,[\"float\"]]", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tp_operator_filter filter = {.input_dtype = cases[i].dtype};
        assert_int_equal(tp_operator_filter_accepts_inputs(&filter, tp_str_of(cases[i].types)), cases[i].is_wanted);
    }
    assert_true(tp_operator_filter_accepts_inputs(&(struct tp_operator_filter){0}, TP_STR("")));
}

static void names_match_with_and_without_namespace(void **state)
{
    const char *const types[] = {"mm", "aten::add_"};
    struct tp_operator_filter filter = {.types = types, .type_count = 2};
    (void)state;
    assert_true(tp_operator_filter_accepts_name(&filter, NULL, TP_STR("aten::mm")));
    assert_true(tp_operator_filter_accepts_name(&filter, NULL, TP_STR("aten::add_")));
    assert_false(tp_operator_filter_accepts_name(&filter, NULL, TP_STR("aten::addmm")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_anywhere_in_a_name),
        cmocka_unit_test(unbounded_patterns_are_refused),
        cmocka_unit_test(types_are_known_by_both_names),
        cmocka_unit_test(names_match_with_and_without_namespace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
