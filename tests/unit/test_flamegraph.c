/* Tests flame graphs: positions of boxes, merged boxes, changes against a baseline, texts in SVG. */
#include "webreport/export/stacks/flamegraph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "webreport/export/svg.h"
#include "writer/base/limits.h"

#define SAMPLE(ns, stack)                                                                                              \
    "{\"ph\":\"P\",\"cat\":\"cpu_sample\",\"name\":\"x\",\"pid\":1,\"tid\":7,\"ts\":5,\"args\":{\"cpu ns\":" ns        \
    ",\"Call stack\":\"" stack "\"}}"

/* Reads the events and folds the stacks of their samples. */
static void build_folded_samples(struct tp_folded *folded, struct tp_arena *arena, const char *events)
{
    size_t size = strlen(events) + 64;
    char *text = tp_arena_alloc(arena, size);
    struct tp_trace *trace = tp_arena_alloc(arena, sizeof *trace);
    struct tp_trace_options options = {.single_thread = true};
    int n = snprintf(text, size, "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"ts\":1},%s]}",
                     events);
    assert_int_equal(tp_trace_read_bytes(trace, arena, text, (size_t)n, &options, NULL), 0);
    tp_folded_build(folded, trace, tp_folded_metric("samples-cpu"), TP_TORCH_2_13, arena);
}

static const struct tp_flame_frame *find_frame(const struct tp_flame *flame, const char *name, uint32_t depth)
{
    for (uint32_t i = 0; i < flame->count; i++)
        if (flame->frames[i].depth == depth && !flame->frames[i].merged && depth > 0 &&
            tp_str_equal(tp_strings_get(&flame->names, flame->frames[i].name), tp_str_of(name)))
            return &flame->frames[i];
    fail_msg("no frame %s at depth %u", name, depth);
    return NULL;
}

static void boxes_are_below_their_callers(void **state)
{
    struct tp_arena arena;
    struct tp_folded folded;
    struct tp_flame flame;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    build_folded_samples(&folded, &arena,
                         SAMPLE("60", "b;main;") "," SAMPLE("30", "a;main;") "," SAMPLE("10", "main;"));
    tp_flame_build(&flame, &folded, NULL, &arena);
    assert_int_equal(flame.count, 5); /* the boxes are: all, thread, main, a, b */
    assert_int_equal(flame.depth, 4);
    assert_int_equal(flame.frames[0].value, 100);
    assert_int_equal(find_frame(&flame, "main", 2)->self, 10);
    assert_int_equal(find_frame(&flame, "a", 3)->start,
                     0); /* boxes are sorted by name, so a comes before the larger b */
    assert_int_equal(find_frame(&flame, "a", 3)->value, 30);
    assert_int_equal(find_frame(&flame, "b", 3)->start, 30);
    tp_arena_release(&arena);
}

static void small_callees_share_a_box(void **state)
{
    struct tp_arena arena;
    struct tp_folded folded;
    struct tp_flame flame;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    build_folded_samples(
        &folded, &arena,
        SAMPLE("99000", "big;") "," SAMPLE("20", "s1;") "," SAMPLE("20", "s2;") "," SAMPLE("1", "big;t;"));
    tp_flame_build(&flame, &folded, NULL, &arena);
    const struct tp_flame_frame *last = &flame.frames[flame.count - 1];
    assert_int_equal(flame.count, 4); /* the boxes are: all, thread, big, and one for the small functions */
    assert_int_equal(last->merged, 3);
    assert_int_equal(last->value, 41);
    assert_int_equal(last->start, 99000);
    tp_arena_release(&arena);
}

static void baseline_is_compared_by_call_path(void **state)
{
    struct tp_arena arena;
    struct tp_folded now, before;
    struct tp_flame flame;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    build_folded_samples(&now, &arena, SAMPLE("60", "b;main;") "," SAMPLE("30", "a;main;"));
    build_folded_samples(&before, &arena,
                         SAMPLE("20", "b;main;") "," SAMPLE("5", "gone;main;") "," SAMPLE("4", "b;other;"));
    tp_flame_build(&flame, &now, &before, &arena);
    assert_int_equal(flame.base_value, 29);
    /* the removed time is 5 of "gone;main", and 4 of "other" with its child b */
    assert_int_equal(flame.removed_value, 9);
    assert_int_equal(find_frame(&flame, "b", 3)->base_value, 20);
    assert_int_equal(find_frame(&flame, "a", 3)->base_value, 0);
    assert_int_equal(find_frame(&flame, "main", 2)->base_value, 25);
    assert_int_equal(flame.largest_difference, 65); /* the value of main grew from 25 to 90 */
    tp_arena_release(&arena);
}

static void absurd_times_stay_inside_the_picture(void **state)
{
    struct tp_arena arena;
    struct tp_folded folded;
    struct tp_flame flame;
    struct tp_buf svg;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    build_folded_samples(
        &folded, &arena,
        SAMPLE("9223372036854775807", "a;") "," SAMPLE("9223372036854775807", "b;") "," SAMPLE("0", "c;"));
    tp_flame_build(&flame, &folded, NULL, &arena);
    assert_int_equal(flame.frames[0].value, INT64_MAX);
    tp_buf_init(&svg, 0);
    tp_flame_write_svg(&svg, &flame, TP_STR("t"), &arena);
    assert_int_equal(svg.failed, 0);
    assert_non_null(strstr(svg.data, "width=\"1180.00\""));
    assert_null(strstr(svg.data, "width=\"-"));
    tp_buf_release(&svg);
    tp_arena_release(&arena);
}

static void assert_text(const char *text, size_t columns, const char *want)
{
    struct tp_buf out;
    tp_buf_init(&out, 0);
    tp_buf_puts(&out, "");
    tp_svg_put_text_within(&out, tp_str_of(text), columns);
    assert_string_equal(out.data ? out.data : "", want);
    tp_buf_release(&out);
}

static void texts_are_cut_between_characters(void **state)
{
    (void)state;
    assert_text("abcdef", 6, "abcdef");
    assert_text("abcdef", 5, "abcd\u2026");
    assert_text("abcdef", 2, "");
    assert_text("\u00e4\u00e4\u00e4\u00e4", 3, "\u00e4\u00e4\u2026");
    assert_text("\u4e2d\u4e2d\u4e2d", 5, "\u4e2d\u4e2d\u2026"); /* each of these characters takes two columns */
    assert_text("<a\tb\n&]]>", 20, "&lt;a b &amp;]]&gt;");
    assert_text("\xff\xef\xbf\xbf\x01", 20, "\ufffd\ufffd\ufffd"); /* U+FFFD replaces characters that XML forbids */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_below_their_callers),     cmocka_unit_test(small_callees_share_a_box),
        cmocka_unit_test(baseline_is_compared_by_call_path), cmocka_unit_test(absurd_times_stay_inside_the_picture),
        cmocka_unit_test(texts_are_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
