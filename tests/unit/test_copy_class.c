/* Tests direction and memory of copies, from names and from arguments: section 2 of docs/definitions.md. */
#include "webreport/trace/copy_class.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void names_of_all_producers_give_a_direction(void **state)
{
    static const struct {
        const char *name;
        enum tp_copy_direction direction;
    } cases[] = {{"Memcpy HtoD (Pageable -> Device)", TP_COPY_HTOD},
                 {"Memcpy HtoD (Host -> Device)", TP_COPY_HTOD},
                 {"CopyHostToDevice", TP_COPY_HTOD},
                 {"memcpy_h2d", TP_COPY_HTOD},
                 {"zeCommandListAppendMemoryCopy(M2D)", TP_COPY_HTOD},
                 {"CopyDeviceToHost", TP_COPY_DTOH},
                 {"zeCommandListAppendMemoryCopy(D2M)", TP_COPY_DTOH},
                 {"Memcpy DtoD (Device -> Device)", TP_COPY_DTOD},
                 {"Memcpy PtoP (Device -> Device)", TP_COPY_PTOP},
                 {"Memcpy HtoH (Pinned -> Pageable)", TP_COPY_OTHER},
                 {"Memcpy", TP_COPY_UNKNOWN},
                 {"MemcpyAsync", TP_COPY_UNKNOWN},
                 {"MEMCPY_ASYNC", TP_COPY_UNKNOWN},
                 {"", TP_COPY_UNKNOWN}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (tp_copy_direction_of_name(tp_str_of(cases[i].name)) != cases[i].direction)
            fail_msg("%s", cases[i].name);
}

static void expect_name(const char *kind, const char *source, const char *target, const char *expected)
{
    struct tp_buf name;
    tp_buf_init(&name, 0);
    assert_int_equal(tp_copy_name_from_args(&name, tp_str_of(kind), tp_str_of(source), tp_str_of(target)),
                     expected != NULL);
    assert_true(
        tp_str_equal((struct tp_str){name.data ? name.data : "", name.size}, tp_str_of(expected ? expected : "")));
    tp_buf_release(&name);
}

static void arguments_are_words_or_numbers_of_cupti(void **state)
{
    (void)state;
    expect_name("\"HtoD\"", "\"pageable\"", "\"device\"", "Memcpy HtoD (Pageable -> Device)");
    expect_name("2", "3", "2", "Memcpy DtoH (Device -> Pinned)");
    expect_name("9", "1", "\"managed_static\"", "Memcpy HtoH (Pageable -> Managed Static)");
    expect_name("\"DtoD\"", "", "99", "Memcpy DtoD (Unknown -> Unknown)");
}

static void arguments_without_a_direction_give_no_name(void **state)
{
    (void)state;
    expect_name("0", "\"pageable\"", "\"device\"", NULL);
    expect_name("17", "1", "3", NULL);
    expect_name("null", "1", "3", NULL);
    expect_name("\"\"", "1", "3", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_all_producers_give_a_direction),
        cmocka_unit_test(arguments_are_words_or_numbers_of_cupti),
        cmocka_unit_test(arguments_without_a_direction_give_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
