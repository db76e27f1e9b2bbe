/* Pictures: boxes and letters stay on the canvas; the PNG file inflates to the same pixels. */
#include "writer/canvas.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "writer/base/error.h"

static unsigned count_ink(const struct tp_canvas *canvas)
{
    unsigned count = 0;
    for (size_t i = 0; i < (size_t)canvas->width * canvas->height; i++)
        count += canvas->rgb[i * 3] != 0xFF;
    return count;
}

static void canvas_clips_what_lies_outside(void **state)
{
    struct tp_canvas canvas;
    (void)state;
    assert_int_equal(tp_canvas_init(&canvas, 10, 8), TP_OK);
    tp_canvas_fill(&canvas, (struct tp_box){-5, -5, 7, 7}, 0);
    assert_int_equal(count_ink(&canvas), 4);
    tp_canvas_fill(&canvas, (struct tp_box){8, 7, 100, 100}, 0);
    assert_int_equal(count_ink(&canvas), 6);
    tp_canvas_fill(&canvas, (struct tp_box){4, 4, -3, 2}, 0);
    tp_canvas_text(&canvas, -100, -100, 3, 0, "text");
    assert_int_equal(count_ink(&canvas), 6);
    tp_canvas_release(&canvas);
    assert_int_equal(tp_canvas_init(&canvas, 0, 8), TP_ELIMIT);
    assert_int_equal(tp_canvas_init(&canvas, 8, TP_CANVAS_MAX + 1), TP_ELIMIT);
    tp_canvas_release(&canvas);
}

/* Ink of a row of pixels, in whole pixels of black. */
static double ink_of_row(const struct tp_canvas *canvas, unsigned row)
{
    double ink = 0;
    for (size_t x = 0; x < canvas->width; x++)
        ink += (255 - canvas->rgb[(row * canvas->width + x) * 3]) / 255.0;
    return ink;
}

static void canvas_letters_are_round_strokes(void **state)
{
    struct tp_canvas canvas;
    (void)state;
    assert_int_equal(tp_canvas_init(&canvas, 80, 80), TP_OK);
    tp_canvas_text(&canvas, 0, 0, 10, 0, "-"); /* five dots in a row: one bar, its rows equally long but at the ends */
    for (unsigned row = 0; row < 80; row++)
        assert_true(row / 10 == 3 || ink_of_row(&canvas, row) == 0);
    assert_true(ink_of_row(&canvas, 35) > 47 && ink_of_row(&canvas, 35) < 50);
    assert_true(ink_of_row(&canvas, 31) > 40 && ink_of_row(&canvas, 31) < ink_of_row(&canvas, 35));
    assert_int_equal(canvas.rgb[(35 * 80 + 25) * 3], 0);
    tp_canvas_fill(&canvas, (struct tp_box){0, 0, 80, 80}, 0xFFFFFF);
    tp_canvas_text(&canvas, 0, 0, 10, 0x808080, "/"); /* a slope has no stairs: as much ink in each row of its middle */
    for (unsigned row = 20; row < 50; row++)
        assert_true(ink_of_row(&canvas, row) > 0.9 * ink_of_row(&canvas, 25) &&
                    ink_of_row(&canvas, row) < 1.1 * ink_of_row(&canvas, 25));
    tp_canvas_text(&canvas, 60, 0, 10, 0, "\xff\n "); /* what is beyond the edge is left out */
    assert_int_equal(tp_canvas_text_width("abc", 3), 54);
    tp_canvas_release(&canvas);
}

static unsigned be(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    return (unsigned)u[0] << 24 | (unsigned)u[1] << 16 | (unsigned)u[2] << 8 | u[3];
}

static void canvas_png_holds_the_pixels(void **state)
{
    struct tp_canvas canvas;
    struct tp_buf out;
    unsigned char rows[3 * (2 * 3 + 1)];
    uLongf size = sizeof rows;
    (void)state;
    tp_buf_init(&out, 0);
    assert_int_equal(tp_canvas_init(&canvas, 2, 3), TP_OK);
    tp_canvas_fill(&canvas, (struct tp_box){1, 2, 1, 1}, 0x123456);
    tp_canvas_png(&canvas, &out);
    assert_int_equal(out.failed, 0);
    assert_memory_equal(out.data, "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\2\0\0\0\3\x08\2\0\0\0", 29);
    assert_int_equal(be(out.data + 29), crc32(0, (const Bytef *)out.data + 12, 17));
    unsigned packed = be(out.data + 33);
    assert_memory_equal(out.data + 37, "IDAT", 4);
    assert_int_equal(uncompress(rows, &size, (const Bytef *)out.data + 41, packed), Z_OK);
    assert_int_equal(size, sizeof rows);
    assert_memory_equal(rows + 14, "\0\xff\xff\xff\x12\x34\x56", 7);
    assert_memory_equal(out.data + 41 + packed + 4, "\0\0\0\0IEND\xae\x42\x60\x82", 12);
    tp_canvas_release(&canvas);
    tp_buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canvas_clips_what_lies_outside),
        cmocka_unit_test(canvas_letters_are_round_strokes),
        cmocka_unit_test(canvas_png_holds_the_pixels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
