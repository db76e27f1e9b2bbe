/* Tests CRC-32C with published check values. Both implementations must agree. */
#include "writer/base/crc32c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void crc32c_has_the_published_values(void **state)
{
    const unsigned char length[8] = {0x18};
    unsigned char zeros[32] = {0};
    (void)state;
    assert_int_equal(tp_crc32c("123456789", 9), 0xE3069283u);
    assert_int_equal(tp_crc32c_plain("123456789", 9), 0xE3069283u);
    assert_int_equal(tp_crc32c(zeros, sizeof zeros), 0x8A9136AAu); /* RFC 3720, B.4, gives this check value */
    assert_int_equal(tp_crc32c(NULL, 0), 0);
    assert_int_equal(tp_crc32c_masked(tp_crc32c(length, sizeof length)), 0x224B7FA3u);
}

static void crc32c_by_instruction_equals_by_table(void **state)
{
    unsigned char bytes[300];
    (void)state;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 181 + i / 7);
    for (unsigned first = 0; first < 9; first++)
        for (unsigned size = 0; size + first < sizeof bytes; size++)
            assert_int_equal(tp_crc32c(bytes + first, size), tp_crc32c_plain(bytes + first, size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc32c_has_the_published_values),
        cmocka_unit_test(crc32c_by_instruction_equals_by_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
