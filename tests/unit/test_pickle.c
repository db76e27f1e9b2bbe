/* Tests the reader of pickles, opcode by opcode. The bytes follow pickletools of CPython 3.14. */
#include "webreport/trace/pickle/pickle.h"

#include <string.h>

#include "tests/unit/one_arena.h"

#include "writer/base/json_out.h"

/* A pickle that is being read. */
struct reading {
    struct tp_strings texts;
    struct tp_pickle pickle;
    struct tp_error err;
    int code;
};

static void read_bytes(struct reading *reading, const void *bytes, size_t size)
{
    const struct tp_feed_options options = {.max_input_bytes = 1 << 24, .skips_hash = true};
    struct tp_pickle_input input = {0};
    *reading = (struct reading){.pickle = {.arena = &arena, .texts = &reading->texts}};
    tp_strings_init(&reading->texts, &arena, 0);
    assert_int_equal(tp_feed_open_bytes(&input.feed, bytes, size, &options, &reading->err), TP_OK);
    reading->code = tp_pickle_read(&reading->pickle, &input, &reading->err);
    tp_feed_close(input.feed);
}

/* Reads a literal of C without its final NUL. */
#define READ(reading, literal) read_bytes(reading, literal, sizeof literal - 1)

/* Checks the value of a pickle, as JSON. */
static void check_value(const char *bytes, size_t size, const char *wanted)
{
    struct reading reading;
    struct tp_buf text;
    struct tp_json json;
    read_bytes(&reading, bytes, size);
    assert_string_equal(reading.err.text, "");
    assert_int_equal(reading.code, TP_OK);
    tp_buf_init(&text, 0);
    tp_json_init(&json, &text);
    tp_pickle_write_json(&reading.pickle, reading.pickle.root, &json);
    assert_string_equal(text.data, wanted);
    tp_buf_release(&text);
}
#define VALUE(literal, wanted) check_value(literal, sizeof literal - 1, wanted)

/* Checks that a pickle is refused. wanted: a part of the message. */
static void check_refusal(const char *bytes, size_t size, int code, const char *wanted)
{
    struct reading reading;
    read_bytes(&reading, bytes, size);
    assert_int_equal(reading.code, code);
    if (!strstr(reading.err.text, wanted))
        fail_msg("'%s' does not contain '%s'", reading.err.text, wanted);
}
#define REFUSED(literal, wanted) check_refusal(literal, sizeof literal - 1, TP_EFORMAT, wanted)
#define CUT(literal, wanted) check_refusal(literal, sizeof literal - 1, TP_ETRUNCATED, wanted)

static void numbers_are_read(void **state)
{
    GUARD;
    VALUE("\x80\x02K\xff.", "255");
    VALUE("\x80\x02M\xff\xff.", "65535");
    VALUE("\x80\x02J\xff\xff\xff\xff.", "-1");
    VALUE("\x80\x02\x8a\x00.", "0");
    VALUE("\x80\x02\x8a\x01\xff.", "-1");
    VALUE("\x80\x02\x8a\x02\x00\x80.", "-32768");
    VALUE("\x80\x02\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f.", "9223372036854775807");
    VALUE("\x80\x02\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80.", "-9223372036854775808");
    VALUE("\x80\x02\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00.", "18446744073709551615");
    VALUE("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\xff.", "-9223372036854775808");
    VALUE("\x80\x02\x8b\x02\x00\x00\x00\x01\x01.", "257");
    VALUE("\x80\x02\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x0f.", "1152921504606846975"); /* 2^60 - 1: a small number */
    VALUE("\x80\x02\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x10.", "1152921504606846976"); /* 2^60 */
    VALUE("\x80\x02G\x3f\xf8\x00\x00\x00\x00\x00\x00.", "1.5");
}

static void large_numbers_are_refused(void **state)
{
    GUARD;
    REFUSED("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.", "a number at byte 2 does not fit into 64 bits");
    REFUSED("\x80\x02\x8a\x09\xff\xff\xff\xff\xff\xff\xff\x7f\xff.", "does not fit into 64 bits");
    REFUSED("\x80\x02\x8a\x0a", "a number of 10 bytes");
    REFUSED("\x80\x02\x8b\xff\xff\xff\xff", "a number of -1 bytes");
    CUT("\x80\x02\x8a\x08\x01\x02", "inside of a value");
}

static void texts_are_read(void **state)
{
    GUARD;
    VALUE("\x80\x04\x8c\x02"
          "ab.",
          "\"ab\"");
    VALUE("\x80\x04X\x02\x00\x00\x00"
          "ab.",
          "\"ab\"");
    VALUE("\x80\x04\x8d\x02\x00\x00\x00\x00\x00\x00\x00"
          "ab.",
          "\"ab\"");
    VALUE("\x80\x04\x8c\x00.", "\"\"");
    VALUE("\x80\x04\x8c\x03"
          "a\xff"
          "b.",
          "\"a\xEF\xBF\xBD"
          "b\"");
    CUT("\x80\x04\x8c\x05"
        "ab.",
        "inside of a value");
    CUT("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", "inside of a value");
}

static void containers_are_read(void **state)
{
    GUARD;
    VALUE("\x80\x02].", "[]");
    VALUE("\x80\x02]K\x01"
          "a.",
          "[1]");
    VALUE("\x80\x02](K\x01K\x02"
          "eK\x03"
          "a.",
          "[1,2,3]");
    VALUE("\x80\x02](e.", "[]");
    VALUE("\x80\x02).", "[]");
    VALUE("\x80\x02K\x01\x85.", "[1]");
    VALUE("\x80\x02K\x01K\x02\x86.", "[1,2]");
    VALUE("\x80\x02K\x01K\x02K\x03\x87.", "[1,2,3]");
    VALUE("\x80\x02(K\x01K\x02K\x03K\x04t.", "[1,2,3,4]");
    VALUE("\x80\x02}.", "{}");
    VALUE("\x80\x04}\x8c\x01"
          "aK\x01s.",
          "{\"a\":1}");
    VALUE("\x80\x04}(\x8c\x01"
          "a\x88\x8c\x01"
          "b\x89\x8c\x01"
          "cNu.",
          "{\"a\":true,\"b\":false,\"c\":null}");
}

static void the_memo_returns_values(void **state)
{
    GUARD;
    VALUE("\x80\x04](K\x07\x94h\x00h\x00"
          "e.",
          "[7,7,7]");
    VALUE("\x80\x02](K\x07q\x00h\x00"
          "e.",
          "[7,7]");
    VALUE("\x80\x02](K\x07r\x01\x00\x00\x00j\x01\x00\x00\x00"
          "e.",
          "[7,7]");
    VALUE("\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\xffK\x01.", "1"); /* a frame with a wrong length */
    REFUSED("\x80\x02h\x00.", "byte 2 refers to a value that was not written");
    REFUSED("\x80\x02K\x01r\xff\xff\xff\xff.", "numbers a value out of order");
    REFUSED("\x80\x04\x94.", "takes a value that is not there");
}

static void the_last_of_equal_keys_counts(void **state)
{
    GUARD;
    struct reading reading;
    READ(&reading, "\x80\x04}(\x8c\x01"
                   "a\x94K\x01h\x00K\x02u\x8c\x01"
                   "bK\x03sh\x00K\x04s.");
    assert_int_equal(reading.code, TP_OK);
    const struct tp_pickle_dict *dict = tp_pickle_node(reading.pickle.root);
    uint32_t a = tp_strings_find(&reading.texts, tp_str_of("a")), b = tp_strings_find(&reading.texts, tp_str_of("b"));
    assert_int_equal(tp_pickle_small_int(*tp_pickle_get(dict, a)), 4);
    assert_int_equal(tp_pickle_small_int(*tp_pickle_get(dict, b)), 3);
    assert_null(tp_pickle_get(dict, TP_NO_ID));
}

static void equal_lists_of_a_stack_share_memory(void **state)
{
    GUARD;
    struct reading reading;
    struct tp_pickle_walk walk;
    tp_pickle_value first, second, other;
    READ(&reading, "\x80\x04](](K\x01K\x02"
                   "e](K\x01K\x02"
                   "e](K\x02K\x01"
                   "ee.");
    assert_int_equal(reading.code, TP_OK);
    tp_pickle_walk_begin(&walk, tp_pickle_node(reading.pickle.root));
    assert_true(tp_pickle_walk_next(&walk, &first) && tp_pickle_walk_next(&walk, &second) &&
                tp_pickle_walk_next(&walk, &other) && !tp_pickle_walk_next(&walk, &(tp_pickle_value){0}));
    const struct tp_pickle_list *a = tp_pickle_node(first), *b = tp_pickle_node(second), *c = tp_pickle_node(other);
    assert_ptr_equal(a->first, b->first);
    assert_ptr_not_equal(a->first, c->first);
}

static void wrong_operands_are_refused(void **state)
{
    GUARD;
    REFUSED("\x80\x02"
            "e.",
            "byte 2 takes a value that is not there");
    REFUSED("\x80\x02(e.", "appends to something that is no list");
    REFUSED("\x80\x02}(K\x01"
            "e.",
            "appends to something that is no list");
    REFUSED("\x80\x02](\x8c\x01"
            "aK\x01u.",
            "sets items of something that is no dict");
    REFUSED("\x80\x02}(K\x01K\x02u.", "a key at byte 8 is no text");
    REFUSED("\x80\x04}(\x8c\x01"
            "au.",
            "sets a key without a value");
    REFUSED("\x80\x02K\x01\x86.", "takes a value that is not there");
    REFUSED("\x80\x02K\x01K\x02.", "the pickle ends at byte 6 with 2 values open");
    REFUSED("\x80\x02(K\x01.", "values open");
    REFUSED("\x80\x02.", "with 0 values open");
    REFUSED("\x80\x02](](a.", "with 1 values open");
}

static void code_is_refused_by_name(void **state)
{
    GUARD;
    REFUSED("\x80\x02"
            "cposix\nsystem\n.",
            "'posix.system' (byte 2, opcode GLOBAL)");
    REFUSED("\x80\x04\x8c\x05posix\x8c\x06system\x93.", "'posix.system' (byte 17, opcode STACK_GLOBAL)");
    static const char opcodes[] = {'R', 'b', 'i', 'o', '\x81', '\x92', '\x82', '\x83', '\x84', 'P', 'Q', '\x93'};
    for (size_t i = 0; i < sizeof opcodes; i++) {
        const char bytes[] = {'\x80', 4, ')', ')', opcodes[i], '.'};
        check_refusal(bytes, sizeof bytes, TP_EFORMAT, "memory snapshots have no code, and none is run");
    }
}

static void all_other_opcodes_are_refused(void **state)
{
    GUARD;
    static const char known[] = "hj\x94(u}])easSt\x85\x86\x87qr.KMJ\x8a\x8b\x8cX\x8dGN\x88\x89\x80\x95"
                                "Rcbio\x93\x81\x92\x82\x83\x84PQ";
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const char bytes[] = {'\x80', 4, ')', (char)opcode, '1', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '.'};
        struct reading reading;
        if (opcode && memchr(known, (int)opcode, sizeof known - 1) && opcode != 'S')
            continue;
        read_bytes(&reading, bytes, sizeof bytes);
        assert_int_equal(reading.code, TP_EFORMAT);
        assert_non_null(strstr(reading.err.text, "at byte 3 does not occur in memory snapshots"));
    }
}

static void the_frame_of_the_file_is_checked(void **state)
{
    GUARD;
    REFUSED("", "the file is empty");
    REFUSED("\x80", "the file has only one byte");
    REFUSED("(dp0\n.", "this is no pickle of protocol 2 or later (it begins with '(dp0')");
    REFUSED("\x80\x01N.", "pickle protocol 1 is not known");
    REFUSED("\x80\x06N.", "pickle protocol 6 is not known");
    REFUSED("\x80\x02N\x80\x02N.", "a second pickle begins at byte 3");
    REFUSED("\x80\x02N.\x80\x02N.", "4 bytes follow the end of the pickle at byte 4");
    VALUE("\x80\x02N.\0\0\0", "null");
    CUT("\x80\x02N", "without the end of the pickle");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_are_read, begin, end),
        cmocka_unit_test_setup_teardown(large_numbers_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(texts_are_read, begin, end),
        cmocka_unit_test_setup_teardown(containers_are_read, begin, end),
        cmocka_unit_test_setup_teardown(the_memo_returns_values, begin, end),
        cmocka_unit_test_setup_teardown(the_last_of_equal_keys_counts, begin, end),
        cmocka_unit_test_setup_teardown(equal_lists_of_a_stack_share_memory, begin, end),
        cmocka_unit_test_setup_teardown(wrong_operands_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(code_is_refused_by_name, begin, end),
        cmocka_unit_test_setup_teardown(all_other_opcodes_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(the_frame_of_the_file_is_checked, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
