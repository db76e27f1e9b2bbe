/* Tests the byte buffer: growth, the maximum, and the sticky failure. */
#include "writer/base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "writer/base/error.h"

static void buf_ends_with_nul_and_grows(void **state)
{
    struct tp_buf buf;
    (void)state;
    tp_buf_init(&buf, 0);
    for (int i = 0; i < 1000; i++)
        tp_buf_printf(&buf, "%d,", i);
    assert_int_equal(buf.size, 3890);
    assert_int_equal(buf.data[buf.size], 0);
    tp_buf_release(&buf);
}

static void buf_beyond_its_maximum_fails_permanently(void **state)
{
    struct tp_buf buf;
    (void)state;
    tp_buf_init(&buf, 5);
    tp_buf_puts(&buf, "12345");
    tp_buf_putc(&buf, '6');
    assert_int_equal(buf.failed, TP_ELIMIT);
    tp_buf_puts(&buf, "");
    assert_int_equal(buf.size, 5);
    tp_buf_clear(&buf);
    tp_buf_puts(&buf, "ok");
    assert_string_equal(buf.data, "ok");
    tp_buf_release(&buf);
}

static void buf_prints_the_smallest_integer(void **state)
{
    struct tp_buf buf;
    (void)state;
    tp_buf_init(&buf, 0);
    tp_buf_int(&buf, INT64_MIN);
    assert_string_equal(buf.data, "-9223372036854775808");
    tp_buf_release(&buf);
}

static void buf_prints_texts_longer_than_its_scratch(void **state)
{
    struct tp_buf buf;
    (void)state;
    tp_buf_init(&buf, 0);
    tp_buf_printf(&buf, "%2000d", 7);
    assert_int_equal(buf.size, 2000);
    assert_int_equal(buf.data[1999], '7');
    tp_buf_release(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buf_ends_with_nul_and_grows),
        cmocka_unit_test(buf_beyond_its_maximum_fails_permanently),
        cmocka_unit_test(buf_prints_the_smallest_integer),
        cmocka_unit_test(buf_prints_texts_longer_than_its_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
