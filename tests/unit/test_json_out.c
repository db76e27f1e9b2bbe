/* Tests the JSON writer: commas, escapes, exact microseconds, shortest decimals. */
#include "writer/base/json_out.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct tp_buf out;
static struct tp_json json;

static int open_buffer(void **state)
{
    (void)state;
    tp_buf_init(&out, 0);
    tp_json_init(&json, &out);
    return 0;
}

static int release_buffer(void **state)
{
    (void)state;
    tp_buf_release(&out);
    return 0;
}

static void json_puts_commas_between_members_and_items(void **state)
{
    (void)state;
    tp_json_object(&json);
    tp_json_member_int(&json, "a", 1);
    tp_json_key(&json, "b");
    tp_json_array(&json);
    tp_json_bool(&json, true);
    tp_json_null(&json);
    tp_json_array_end(&json);
    tp_json_member_text(&json, "c", NULL);
    tp_json_object_end(&json);
    assert_string_equal(out.data, "{\"a\":1,\"b\":[true,null],\"c\":null}");
}

static void json_escapes_what_json_forbids(void **state)
{
    (void)state;
    tp_json_str(&json, (struct tp_str){"\"\\\n\x01\x7f\xe2\x80\xa8", 8});
    assert_string_equal(out.data, "\"\\\"\\\\\\n\\u0001\x7f\xe2\x80\xa8\"");
}

static void json_in_html_does_not_close_its_element(void **state)
{
    (void)state;
    json.is_html_safe = true;
    tp_json_text(&json, "</script>&\xe2\x80\xa8\xe2\x80\xa9\xe2\x82\xac");
    assert_string_equal(out.data, "\"\\u003c/script\\u003e\\u0026\\u2028\\u2029\xe2\x82\xac\"");
}

static void json_times_are_exact_decimals(void **state)
{
    (void)state;
    tp_json_array(&json);
    tp_json_us(&json, 12000);
    tp_json_us(&json, 12500);
    tp_json_us(&json, 3);
    tp_json_us(&json, -1);
    tp_json_us(&json, INT64_MIN);
    tp_json_us(&json, 1712192331000123456);
    tp_json_array_end(&json);
    assert_string_equal(out.data, "[12,12.5,0.003,-0.001,-9223372036854775.808,1712192331000123.456]");
}

static void json_reals_read_back_equal_and_stay_reals(void **state)
{
    (void)state;
    tp_json_array(&json);
    tp_json_real(&json, 0.1);
    tp_json_real(&json, 1.0 / 3);
    tp_json_real(&json, 2);
    tp_json_real(&json, 1e300);
    tp_json_real(&json, NAN);
    tp_json_real(&json, INFINITY);
    tp_json_array_end(&json);
    assert_string_equal(out.data, "[0.1,0.3333333333333333,2.0,1e+300,null,null]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(json_puts_commas_between_members_and_items, open_buffer, release_buffer),
        cmocka_unit_test_setup_teardown(json_escapes_what_json_forbids, open_buffer, release_buffer),
        cmocka_unit_test_setup_teardown(json_in_html_does_not_close_its_element, open_buffer, release_buffer),
        cmocka_unit_test_setup_teardown(json_times_are_exact_decimals, open_buffer, release_buffer),
        cmocka_unit_test_setup_teardown(json_reals_read_back_equal_and_stay_reals, open_buffer, release_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
