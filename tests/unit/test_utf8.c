/* Tests the boundaries of characters in well-formed text and in random bytes. */
#include "writer/base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void cut_keeps_complete_characters(void **state)
{
    const char *text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z"; /* characters of 1, 2, 3, 4 and 1 bytes */
    static const size_t kept[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
    (void)state;
    for (size_t most = 0; most < sizeof kept / sizeof *kept; most++)
        assert_int_equal(tp_utf8_fitting_bytes(text, strlen(text), most), kept[most]);
}

static void invalid_bytes_are_cut(void **state)
{
    (void)state;
    /* a cut moves back at most four bytes, the length of the longest character */
    assert_int_equal(tp_utf8_fitting_bytes("\x80\x80\x80\x80\x80\x80\x80\x80", 8, 7), 4);
    assert_int_equal(tp_utf8_fitting_bytes("\x80\x80\x80", 3, 2), 0);
    assert_int_equal(tp_utf8_fitting_bytes(NULL, 0, 0), 0);
}

static void characters_are_counted_by_their_first_bytes(void **state)
{
    (void)state;
    assert_int_equal(tp_utf8_count("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z", 11), 5);
    assert_int_equal(tp_utf8_count(NULL, 0), 0);
}

static void characters_are_read_as_written(void **state)
{
    char bytes[4];
    (void)state;
    for (uint32_t character = 0; character <= 0x10FFFF; character++) {
        bool is_surrogate = character >= 0xD800 && character < 0xE000;
        int length = (int)tp_utf8_put(bytes, character);
        assert_int_equal(tp_utf8_length(bytes, sizeof bytes), length);
        assert_int_equal(tp_utf8_get(bytes, length), is_surrogate ? 0xFFFD : character);
    }
}

/* Puts each byte at each place of texts of several lengths. */
static void control_characters_are_found_at_every_place(void **state)
{
    char text[70];
    (void)state;
    assert_false(tp_utf8_has_control(NULL, 0));
    for (size_t size = 1; size <= sizeof text; size += size < 20 ? 1 : 7)
        for (size_t place = 0; place < size; place++)
            for (int c = 0; c < 256; c++) {
                memset(text, 'a', size);
                text[place] = (char)c;
                bool is_control = c < ' ' && !strchr("\t\n\r", c + !c);
                assert_int_equal(tp_utf8_has_control(text, size), is_control);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_are_found_at_every_place),
        cmocka_unit_test(cut_keeps_complete_characters),
        cmocka_unit_test(invalid_bytes_are_cut),
        cmocka_unit_test(characters_are_read_as_written),
        cmocka_unit_test(characters_are_counted_by_their_first_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
