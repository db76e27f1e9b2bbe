/* Tests messages of clients: which lines are requests, notifications or faults. */
#include "webreport/ask/protocol/rpc_message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "writer/base/limits.h"

struct reading {
    struct tp_arena arena;
    struct tp_buf compact, line;
    struct tp_message message;
};

static int read_line(void *context, struct tp_error *err)
{
    struct reading *r = context;
    (void)err;
    tp_message_read(&r->message, (struct tp_str){r->line.data, r->line.size}, &r->compact, &r->arena);
    return 0;
}

static const struct tp_message *read_text(struct reading *r, const char *text)
{
    tp_buf_clear(&r->line);
    tp_buf_puts(&r->line, text);
    tp_arena_clear(&r->arena);
    assert_int_equal(tp_arena_run(&r->arena, read_line, r, NULL), 0);
    return &r->message;
}

static int open_reading(void **state)
{
    static struct reading reading;
    reading = (struct reading){0};
    tp_arena_init(&reading.arena, 0);
    tp_buf_init(&reading.compact, 0);
    tp_buf_init(&reading.line, 0);
    *state = &reading;
    return 0;
}

static int close_reading(void **state)
{
    struct reading *r = *state;
    tp_buf_release(&r->line);
    tp_buf_release(&r->compact);
    tp_arena_release(&r->arena);
    return 0;
}

static void a_request_has_id_method_and_parameters(void **state)
{
    const struct tp_message *m = read_text(
        *state, " { \"jsonrpc\" : \"2.0\", \"id\" : \"a\\u0062\", \"method\": \"ping\", \"params\": { \"x\" : 1 } }");
    assert_int_equal(m->error, 0);
    assert_false(m->is_notification);
    assert_true(tp_str_equal(m->id, TP_STR("\"ab\"")));
    assert_true(tp_str_equal(m->method, TP_STR("ping")));
    assert_true(tp_str_equal(m->parameters, TP_STR("{\"x\":1}")));
}

static void a_message_without_id_is_a_notification(void **state)
{
    const struct tp_message *m = read_text(*state, "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}");
    assert_true(m->is_notification);
    assert_null(m->parameters.ptr);
}

static void lines_that_are_no_json(void **state)
{
    static const char *const texts[] = {"",    "{",        "{not json",   "[1,]",      "{\"a\":1} x",
                                        "nul", "\"\xff\"", "\"\\ud800\"", "{\"a\":01}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(read_text(*state, texts[i])->error, TP_MESSAGE_NO_JSON);
}

static void json_that_is_no_message(void **state)
{
    static const char *const texts[] = {"[]",
                                        "1",
                                        "{}",
                                        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
                                        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
                                        "{\"jsonrpc\":\"2.0\",\"id\":1}",
                                        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
                                        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
                                        "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}",
                                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}",
                                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(read_text(*state, texts[i])->error, TP_MESSAGE_INVALID);
    const struct tp_message *m = read_text(*state, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}");
    assert_int_equal(m->error, TP_MESSAGE_BAD_PARAMETERS);
}

static void depth_is_limited(void **state)
{
    char text[2 * TP_MAX_ASK_DEPTH + 4];
    for (unsigned depth = TP_MAX_ASK_DEPTH; depth <= TP_MAX_ASK_DEPTH + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        text[2 * depth] = '\0';
        assert_int_equal(read_text(*state, text)->error,
                         depth > TP_MAX_ASK_DEPTH ? TP_MESSAGE_NO_JSON : TP_MESSAGE_INVALID);
    }
    assert_int_equal(
        read_text(*state, "{\"a\":\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"\"}")
            ->error,
        TP_MESSAGE_INVALID);
}

static void long_ids_are_refused(void **state)
{
    char text[TP_MAX_ASK_ID_BYTES + 100] = "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":\"";
    size_t size = strlen(text);
    memset(text + size, 'x', TP_MAX_ASK_ID_BYTES);
    strcpy(text + size + TP_MAX_ASK_ID_BYTES, "\"}");
    const struct tp_message *m = read_text(*state, text);
    assert_int_equal(m->error, TP_MESSAGE_INVALID);
    assert_true(tp_str_equal(m->id, TP_STR("null")));
    m = read_text(*state, "{\"jsonrpc\":\"2.0\",\"id\":123456789012345678901234567890,\"method\":\"ping\"}");
    assert_int_equal(m->error, 0);
    assert_true(tp_str_equal(m->id, TP_STR("123456789012345678901234567890")));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, open_reading, close_reading)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_request_has_id_method_and_parameters),
        TEST(a_message_without_id_is_a_notification),
        TEST(lines_that_are_no_json),
        TEST(json_that_is_no_message),
        TEST(depth_is_limited),
        TEST(long_ids_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
