/* Tests cursors: a cursor is valid for its own question about the same file, and for no other. */
#include "webreport/ask/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "webreport/ask/ask_input.h"

/* Writes a cursor for the item `offset` of a question, and returns its text in `room`. */
static struct tp_str cursor_of(char room[80], const char *id, const char *question, int64_t offset)
{
    struct tp_ask_call call = {.input_id = id, .old_input_id = ""};
    struct tp_cursor_key key;
    tp_buf_init(&call.answer, 0);
    assert_int_equal(tp_cursor_read(&key, &call, tp_str_of(question)), TP_ASK_ANSWERED);
    tp_call_begin(&call);
    tp_cursor_write(&call, &key, offset);
    const char *begin = strstr(call.answer.data, "next_cursor\":\"") + 14;
    size_t size = (size_t)(strchr(begin, '"') - begin);
    assert_true(size < 80);
    memcpy(room, begin, size);
    tp_buf_release(&call.answer);
    return (struct tp_str){room, size};
}

static enum tp_ask_code code_of(struct tp_str cursor, const char *id, const char *old_id, const char *question)
{
    struct tp_ask_call call = {.input_id = id, .old_input_id = old_id};
    struct tp_cursor_key key;
    call.text[TP_ASK_CURSOR] = cursor;
    enum tp_ask_code code = tp_cursor_read(&key, &call, tp_str_of(question));
    if (code == TP_ASK_ANSWERED && cursor.ptr)
        assert_int_equal(key.offset, 41);
    return code;
}

static void a_cursor_belongs_to_one_question_and_file(void **state)
{
    char room[80];
    struct tp_str cursor = cursor_of(room, "0123456789ab", "rows kernels", 41);
    (void)state;
    assert_int_equal(code_of(cursor, "0123456789ab", "", "rows kernels"), TP_ASK_ANSWERED);
    assert_int_equal(code_of(cursor, "0123456789ab", "", "rows events"), TP_ASK_STALE_CURSOR);
    assert_int_equal(code_of(cursor, "0123456789ac", "", "rows kernels"), TP_ASK_STALE_CURSOR);
    assert_int_equal(code_of(cursor, "0123456789ac", "0123456789ab", "rows kernels"), TP_ASK_CHANGED);
    assert_int_equal(code_of((struct tp_str){NULL, 0}, "0123456789ab", "", "rows kernels"), TP_ASK_ANSWERED);
}

static void a_cursor_belongs_to_one_process_of_the_file(void **state)
{
    char room[80];
    struct tp_ask_input first = {.process = "1"}, second = {.process = "2"};
    struct tp_ask_call call = {.input_id = "0123456789ab", .old_input_id = "", .input = &first};
    struct tp_cursor_key key;
    (void)state;
    call.text[TP_ASK_CURSOR] = cursor_of(room, "0123456789ab", "rows kernels", 41);
    assert_int_equal(tp_cursor_read(&key, &call, tp_str_of("rows kernels")), TP_ASK_STALE_CURSOR);
    call.text[TP_ASK_CURSOR] = (struct tp_str){NULL, 0};
    assert_int_equal(tp_cursor_read(&key, &call, tp_str_of("rows kernels")), TP_ASK_ANSWERED);
    char of_first[13];
    memcpy(of_first, key.hash, sizeof of_first);
    call.input = &second;
    assert_int_equal(tp_cursor_read(&key, &call, tp_str_of("rows kernels")), TP_ASK_ANSWERED);
    assert_string_not_equal(key.hash, of_first);
}

static void other_texts_are_no_cursors(void **state)
{
    static const char *const texts[] = {
        "AAAA", "",         "====",
        "!",    "LTE6YWJj", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTo",
        "NDE6", "NDE",      "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(code_of(tp_str_of(texts[i]), "0123456789ab", "", "rows kernels"), TP_ASK_STALE_CURSOR);
}

static void every_changed_character_of_the_hash_is_seen(void **state)
{
    char room[80];
    struct tp_str cursor = cursor_of(room, "0123456789ab", "rows kernels", 41);
    (void)state;
    for (size_t i = 4; i < cursor.len; i++) { /* the first four characters are the offset */
        char before = room[i];
        room[i] = before == 'Q' ? 'R' : 'Q';
        assert_int_equal(code_of(cursor, "0123456789ab", "", "rows kernels"), TP_ASK_STALE_CURSOR);
        room[i] = before;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cursor_belongs_to_one_question_and_file),
        cmocka_unit_test(a_cursor_belongs_to_one_process_of_the_file),
        cmocka_unit_test(other_texts_are_no_cursors),
        cmocka_unit_test(every_changed_character_of_the_hash_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
