/* Tests how elements of a trace are copied as text. Valid JSON stays unchanged, other text is repaired, and both ends
 * of each arrow are copied. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "webreport/export/chrome/raw_flows.h"
#include "webreport/export/chrome/raw_text.h"

static char window[1024];

static struct tp_event_text scan_element(struct tp_spans *spans, const char *text, bool is_repaired)
{
    struct tp_scan scan;
    memset(window, 0, sizeof window);
    memcpy(window, text, strlen(text));
    tp_scan_init(&scan);
    scan.at = window;
    scan.end = window + strlen(text);
    scan.is_lenient = is_repaired;
    assert_int_equal(tp_scan_event(&scan, spans), TP_SCAN_OK);
    return (struct tp_event_text){.text = {window, strlen(text)}, .spans = spans, .is_repaired = is_repaired};
}

static void assert_raw_text(const char *text, bool is_repaired, const char *wanted)
{
    struct tp_buf out;
    struct tp_spans spans;
    struct tp_event_text event = scan_element(&spans, text, is_repaired);
    tp_buf_init(&out, 0);
    tp_buf_puts(&out, "[");
    assert_int_equal(tp_raw_text_put(&out, &event), wanted != NULL);
    assert_string_equal(out.data + 1, wanted ? wanted : "");
    tp_buf_release(&out);
}

static void valid_json_stays_unchanged(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{ \"ph\":\"X\" ,\n\t\"ts\": 1.50e3, \"id\": 123456789012345678901234567890, \"dur\":-0.0}",
        "{\"name\":\"\\u0041\\/\xC3\xA9\", \"args\": {\"a\" : [ 1, 2.10 ], \"a\":null}}",
    };
    for (size_t i = 0; i < 2; i++)
        assert_raw_text(texts[i], false, texts[i]);
}

static void invalid_json_is_repaired_in_place(void **state)
{
    (void)state;
    assert_raw_text("{\"ph\": \"X\", \"args\": {\"blocks per SM\": inf, \"kept\": 1.50}}", false,
                    "{\"ph\": \"X\", \"args\": {\"blocks per SM\": null, \"kept\": 1.50}}");
    assert_raw_text("{\"ph\":\"X\", \"name\":\"a\xFF\"}", false, "{\"ph\":\"X\", \"name\":\"a\xEF\xBF\xBD\"}");
    assert_raw_text("{\"ph\":\"X\", \"name\":\"say \"this\" now\", \"ts\": 01}", true,
                    "{\"ph\":\"X\", \"name\":\"say \\\"this\\\" now\", \"ts\": null}");
    assert_raw_text("{\"ph\":\"X\", \"dur\": 2, }", false, "{\"ph\":\"X\",\"dur\":2}");
    assert_raw_text("{\"ph\":\"X\", \"args\": {\"x\": [1,,2]}}", false, "{\"ph\":\"X\", \"args\": {\"x\": null}}");
}

static void members_keep_their_text(void **state)
{
    struct tp_buf out;
    (void)state;
    tp_buf_init(&out, 0);
    tp_raw_text_put_member(&out, TP_STR("distributedInfo"), TP_STR("{ \"rank\" : 0 }"));
    tp_raw_text_put_member(&out, TP_STR("a\xFF"), TP_STR("nan"));
    assert_string_equal(out.data, "\"distributedInfo\":{ \"rank\" : 0 }\"a\xEF\xBF\xBD\":null");
    tp_buf_release(&out);
}

static bool add_arrow_end(struct tp_raw_flows *flows, const char *text, const char *first)
{
    struct tp_spans spans;
    struct tp_str waited;
    struct tp_event_text event = scan_element(&spans, text, false);
    assert_true(tp_raw_flows_is_flow_element(&event));
    bool is_taken = tp_raw_flows_add(flows, &event, &waited);
    assert_int_equal(waited.len, strlen(first));
    assert_memory_equal(waited.ptr, first, waited.len);
    return is_taken;
}

#define FLOW(ph, cat, id) "{\"ph\":\"" ph "\",\"cat\":\"" cat "\",\"id\":" id "}"

static void arrow_is_written_when_both_ends_are_known(void **state)
{
    struct tp_arena arena;
    struct tp_raw_flows flows;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    tp_raw_flows_init(&flows, &arena);
    assert_false(add_arrow_end(&flows, FLOW("s", "ac2g", "7"), ""));
    assert_false(add_arrow_end(&flows, FLOW("f", "fwdbwd", "7"), "")); /* no match, because the category differs */
    assert_false(add_arrow_end(&flows, FLOW("f", "ac2g", "8"), ""));
    assert_true(add_arrow_end(&flows, FLOW("f", "ac2g", "\"7\""), FLOW("s", "ac2g", "7")));
    assert_true(add_arrow_end(&flows, FLOW("f", "ac2g", "7"), "")); /* matches again, because one graph launch has
                                                                     * arrows to many kernels */
    assert_true(add_arrow_end(&flows, FLOW("s", "ac2g", "8"), FLOW("f", "ac2g", "8")));
    assert_false(add_arrow_end(&flows, FLOW("s", "ac2g", "9"), "")); /* reuses the slot of a matched arrow */
    assert_int_equal(flows.waiting.count, 3);
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_json_stays_unchanged),
        cmocka_unit_test(invalid_json_is_repaired_in_place),
        cmocka_unit_test(members_keep_their_text),
        cmocka_unit_test(arrow_is_written_when_both_ends_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
