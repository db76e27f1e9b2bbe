/* Tests the reader, from bytes in memory to events: text layouts, repairs, counts, and learned keys against the plain
 * scanner. */
#include "webreport/trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "webreport/trace/learned_keys.h"

#define A "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":5}"
#define B "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":2,\"ts\":20.5,\"dur\":1.25}"

struct reading {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_error err;
    int code;
};

static void read_trace_of_bytes(struct reading *r, const void *bytes, size_t size, bool is_strict)
{
    struct tp_trace_options options = {.is_strict = is_strict};
    memset(r, 0, sizeof *r);
    tp_arena_init(&r->arena, 0);
    if (setjmp(r->arena.guard))
        fail_msg("left through the guard");
    r->code = tp_trace_read_bytes(&r->trace, &r->arena, bytes, size, &options, &r->err);
}

static void read_trace_of_text(struct reading *r, const char *text)
{
    read_trace_of_bytes(r, text, strlen(text), false);
}

static void both_document_shapes_are_read(void **state)
{
    static const char *const texts[] = {
        "[" A "," B "]",
        "[" A "," B,
        "{\"traceEvents\":[" A "," B "]}",
        "{\"a\":{\"traceEvents\":[1]},\"traceEvents\" : [ " A " ,\n" B " ] , \"baseTimeNanoseconds\": 7}",
        "\xEF\xBB\xBF{\"traceEvents\":[" A "],\"traceEvents\":[" B "]}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct reading r;
        read_trace_of_text(&r, texts[i]);
        assert_int_equal(r.code, 0);
        assert_int_equal(r.trace.event_count, 2);
        assert_int_equal(r.trace.events[1].ts_ns, 20500);
        assert_int_equal(r.trace.events[1].dur_ns, 1250);
        assert_false(r.trace.reading.is_truncated);
        tp_arena_release(&r.arena);
    }
}

static void invalid_trace_is_refused_with_a_reason(void **state)
{
    static const char *const texts[] = {"",
                                        "   ",
                                        "42",
                                        "{}",
                                        "[]",
                                        "{\"traceEvents\":{}}",
                                        "// c\n",
                                        "\x1f\x8b",
                                        "\xff\xfe[\0]",
                                        "[[[[[[[[",
                                        "{\"traceEvents\":[1,null]}"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct reading r;
        read_trace_of_text(&r, texts[i]);
        assert_int_equal(r.code, TP_EFORMAT);
        assert_true(r.err.text[0] != '\0');
        tp_arena_release(&r.arena);
    }
}

static void broken_event_loses_only_itself(void **state)
{
    static const struct {
        const char *text;
        enum tp_notice notice;
        unsigned events;
    } cases[] = {
        {"[" A ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"say \"x\" y\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1}," B
         "]",
         TP_NOTICE_EVENT_REPAIRED, 3},
        {"[" A ",{\"ph\":\"X\",tid\":0,\"ts\":1}," B "]", TP_NOTICE_EVENT_SKIPPED, 2},
        {"[" A "," B ",]", TP_NOTICE_TRAILING_COMMA, 2},
        {"{\"traceEvents\":[" A "," B ",{\"ph\":\"X\",\"na", TP_NOTICE_ENDS_EARLY, 2},
        {"[" A ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"n\",\"ts\":1,\"dur\":-3}," B "]",
         TP_NOTICE_NEGATIVE_DURATION, 3},
        {"[" A ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"C:\\dir\",\"ts\":1,\"dur\":3}," B "]", TP_NOTICE_ESCAPE,
         3},
        {"[" A ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"\xFF\",\"ts\":1,\"dur\":3}," B "]", TP_NOTICE_UTF8, 3},
        {"[" A ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"n\",\"ts\":1,\"args\":{\"v\":-inf}}," B "]",
         TP_NOTICE_NOT_A_NUMBER, 3},
        {"{\"k\":\"a\"b\",\n" /* this member is split over two lines */
         "\"displayTimeUnit\": \"ms\", \"pad\": "
         "\"0123456789012345678901234567890123456789012345678901234567890123456789"
         "01234567890123456789012345678901234567890123456789\",\n\"traceEvents\":[" A "," B "]}",
         TP_NOTICE_HEADER, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reading r;
        read_trace_of_text(&r, cases[i].text);
        assert_int_equal(r.code, 0);
        assert_int_equal(r.trace.event_count, cases[i].events);
        assert_int_equal(r.trace.reading.notices[cases[i].notice], 1);
        tp_arena_release(&r.arena);
        read_trace_of_bytes(&r, cases[i].text, strlen(cases[i].text), true);
        assert_int_equal(r.code, TP_EFORMAT);
        tp_arena_release(&r.arena);
    }
}

static void rows_are_canonical_and_named(void **state)
{
    struct reading r;
    char text[8192], *at = text;
    (void)state;
    at += sprintf(at, "[");
    /* Many threads get their names before the first event, so the list of threads grows early. */
    for (int i = 0; i < 40; i++)
        at += sprintf(at, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":%d,\"args\":{\"name\":\"t%d\"}},",
                      i, i);
    sprintf(at,
            "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":\"1\",\"tid\":\"stream 7 \",\"ts\":1,\"dur\":1},"
            "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":1,\"tid\":7,\"ts\":1,\"dur\":1},"
            "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1,\"dur\":1}]");
    read_trace_of_text(&r, text);
    assert_int_equal(r.code, 0);
    assert_int_equal(r.trace.thread_count, 41);
    assert_int_equal(r.trace.events[0].thread, r.trace.events[1].thread);
    assert_int_equal(r.trace.threads[r.trace.events[0].thread].tid.number, 7);
    assert_memory_equal(r.trace.threads[39].name.ptr, "t39", 3);
    assert_true(r.trace.threads[r.trace.events[2].thread].pid.is_text);
    tp_arena_release(&r.arena);
}

static size_t deflate_gzip(const char *text, size_t size, unsigned char *out, size_t capacity)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, 0), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)size;
    z.next_out = out;
    z.avail_out = (uInt)capacity;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

static void gzip_damage_keeps_earlier_events(void **state)
{
    enum { EVENTS = 3000, CAPACITY = EVENTS * 100 };
    char *text = malloc(CAPACITY), *at = text;
    unsigned char *gz = malloc(CAPACITY);
    struct reading r;
    (void)state;
    at += sprintf(at, "[");
    for (int i = 0; i < EVENTS; i++)
        at +=
            sprintf(at, "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"n%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1}",
                    i ? "," : "", i % 7, i);
    at += sprintf(at, "]");
    size_t size = deflate_gzip(text, (size_t)(at - text), gz, CAPACITY);
    read_trace_of_bytes(&r, gz, size, true);
    assert_int_equal(r.trace.event_count, EVENTS);
    tp_arena_release(&r.arena);
    read_trace_of_bytes(&r, gz, size / 2, false);
    assert_true(r.trace.event_count > 500 && r.trace.event_count < EVENTS);
    assert_int_equal(r.trace.reading.notices[TP_NOTICE_GZIP_TRUNCATED], 1);
    tp_arena_release(&r.arena);
    read_trace_of_bytes(&r, gz, size - 4, false);
    assert_int_equal(r.trace.event_count, EVENTS);
    assert_int_equal(r.trace.reading.notices[TP_NOTICE_GZIP_TRUNCATED], 1);
    tp_arena_release(&r.arena);
    gz[size - 6] ^= 1;
    read_trace_of_bytes(&r, gz, size, false);
    assert_int_equal(r.trace.event_count, EVENTS);
    assert_int_equal(r.trace.reading.notices[TP_NOTICE_GZIP_CHECKSUM], 1);
    tp_arena_release(&r.arena);
    free(text);
    free(gz);
}

/* Returns the next number of a fixed sequence of small numbers. */
static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

/* Parts of event texts: members and separators. */
static const char *const pieces[] = {"{",
                                     "}",
                                     "\"ph\": \"X\"",
                                     ", ",
                                     ",\n",
                                     "\"cat\":\"kernel\"",
                                     "\"name\": \"a\\\"b\"",
                                     "\"ts\": 1.5",
                                     "\"dur\":",
                                     "12",
                                     "-3e2",
                                     "\"args\": {",
                                     "\"External id\": 7",
                                     "\"x\": [1, {\"y\": \"]\"}]",
                                     "\"v\": inf",
                                     "\"finished\": false",
                                     "\"s\": \"\"",
                                     "\"name\": \"b\"",
                                     "\"name\": \"caf\xc3\xa9 \\u00e9\"",
                                     "\"name\": [\"b\"]",
                                     "\"cat\": \"kernel\"",
                                     "\"cat\": 7",
                                     "\"Input Dims\": [[1, 2], [\"]\"]]",
                                     "\"Input Dims\": [[1, 2]]",
                                     "\"Input Dims\": \"[]\"",
                                     " ",
                                     "\"correlation\": 9",
                                     "}}"};

/* Learned keys, with the two interners that the reader also uses. */
struct learning {
    struct tp_arena arena;
    struct tp_learned_keys layout;
    struct tp_strings texts, values;
    struct tp_interner strings, tokens;
    struct tp_buf scratch;
    uint64_t known_count;
};

static void start_learning_keys(struct learning *l)
{
    struct tp_history *history = tp_arena_alloc(&l->arena, sizeof *history);
    l->known_count = 0;
    tp_buf_init(&l->scratch, 0);
    tp_strings_init(&l->texts, &l->arena, 0);
    tp_strings_init(&l->values, &l->arena, 0);
    tp_interner_init(&l->strings, &l->texts, history, &l->scratch, false, 1000);
    tp_interner_init(&l->tokens, &l->values, history, &l->scratch, true, 1000);
    tp_learned_keys_init(&l->layout, &l->arena);
    tp_learned_keys_set_interner(&l->layout, TP_FIELD_CAT, &l->strings);
    tp_learned_keys_set_interner(&l->layout, TP_FIELD_NAME, &l->strings);
    tp_learned_keys_set_interner(&l->layout, TP_ARG_INPUT_DIMS, &l->tokens);
}

static void make_event(char *text, unsigned *seed)
{
    strcpy(text, "{");
    for (unsigned i = next_random(seed) % 9; i > 0; i--) {
        strcat(text, pieces[next_random(seed) % (sizeof pieces / sizeof *pieces)]);
        if (next_random(seed) % 3)
            strcat(text, ", ");
    }
    strcat(text, next_random(seed) % 2 ? "\"tid\": 4}" : "}}");
}

static void compare_spans(struct learning *l, const struct tp_spans *learned, const struct tp_spans *plain)
{
    uint64_t seen = ~(1ull << TP_FIELD_ARGS);
    assert_int_equal(learned->has & seen, plain->has & seen);
    assert_int_equal(learned->known & ~plain->has, 0);
    for (unsigned f = 0; f < TP_FIELD_COUNT; f++) {
        struct tp_str token = plain->field[f];
        if (f == TP_FIELD_ARGS || !tp_spans_has(plain, f))
            continue;
        assert_ptr_equal(learned->field[f].ptr, token.ptr);
        assert_int_equal(learned->field[f].len, token.len);
        if (!(learned->known >> f & 1))
            continue;
        struct tp_str contents = {token.ptr + 1, token.len - 2};
        const struct tp_word *word =
            f == TP_ARG_INPUT_DIMS ? tp_interner_add(&l->tokens, token) : tp_interner_add(&l->strings, contents);
        assert_int_equal(learned->text_id[f], word->id);
        l->known_count++;
    }
}

static void learned_keys_equal_the_plain_scanner(void **state)
{
    struct learning l;
    struct tp_scan scan;
    unsigned seed = 1;
    (void)state;
    tp_arena_init(&l.arena, 0);
    if (setjmp(l.arena.guard))
        fail();
    start_learning_keys(&l);
    tp_scan_init(&scan);
    for (int round = 0; round < 30000; round++) {
        char text[1024 + 64];
        struct tp_spans learned, plain;
        make_event(text, &seed);
        scan.at = text;
        scan.end = text + strlen(text);
        enum tp_scan_status a = tp_learned_keys_scan_event(&l.layout, &scan, &learned);
        const char *stop = scan.at;
        scan.at = text;
        enum tp_scan_status b = tp_scan_event(&scan, &plain);
        assert_int_equal(a, b);
        if (a != TP_SCAN_OK)
            continue;
        assert_ptr_equal(stop, scan.at);
        compare_spans(&l, &learned, &plain);
    }
    assert_true(l.layout.hits > 500);
    assert_true(l.known_count > 100);
    tp_buf_release(&l.scratch);
    tp_arena_release(&l.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_document_shapes_are_read),    cmocka_unit_test(invalid_trace_is_refused_with_a_reason),
        cmocka_unit_test(broken_event_loses_only_itself),   cmocka_unit_test(rows_are_canonical_and_named),
        cmocka_unit_test(gzip_damage_keeps_earlier_events), cmocka_unit_test(learned_keys_equal_the_plain_scanner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
