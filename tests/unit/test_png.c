/* Tests PNG files. Decompressing them must give the same pixels, and sizes beyond the limit are refused. */
#include "writer/png.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "writer/base/error.h"

static unsigned read_big_endian(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    return (unsigned)u[0] << 24 | (unsigned)u[1] << 16 | (unsigned)u[2] << 8 | u[3];
}

static void png_inflates_to_the_same_pixels(void **state)
{
    static const uint8_t rgb[2 * 3 * 3] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0x12, 0x34, 0x56};
    struct tp_buf out;
    unsigned char rows[3 * (2 * 3 + 1)];
    uLongf size = sizeof rows;
    (void)state;
    tp_buf_init(&out, 0);
    tp_png_add(&out, rgb, 2, 3);
    assert_int_equal(out.failed, 0);
    assert_memory_equal(out.data, "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\2\0\0\0\3\x08\2\0\0\0", 29);
    assert_int_equal(read_big_endian(out.data + 29), crc32(0, (const Bytef *)out.data + 12, 17));
    unsigned packed = read_big_endian(out.data + 33);
    assert_memory_equal(out.data + 37, "IDAT", 4);
    assert_int_equal(uncompress(rows, &size, (const Bytef *)out.data + 41, packed), Z_OK);
    assert_int_equal(size, sizeof rows);
    for (unsigned y = 0; y < 3; y++) {
        assert_int_equal(rows[y * 7], 0);
        assert_memory_equal(rows + y * 7 + 1, rgb + y * 6, 6);
    }
    assert_memory_equal(out.data + 41 + packed + 4, "\0\0\0\0IEND\xae\x42\x60\x82", 12);
    tp_buf_release(&out);
}

static void png_refuses_sizes_beyond_the_limit(void **state)
{
    static const unsigned sizes[][2] = {{0, 8}, {8, 0}, {TP_PNG_MAX + 1, 1}, {1, TP_PNG_MAX + 1}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct tp_buf out;
        tp_buf_init(&out, 0);
        tp_png_add(&out, NULL, sizes[i][0], sizes[i][1]);
        assert_int_equal(out.failed, TP_ELIMIT);
        tp_buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_inflates_to_the_same_pixels),
        cmocka_unit_test(png_refuses_sizes_beyond_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
