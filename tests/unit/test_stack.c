/* Tests stacks as nodes of a trie. Texts are split at ";", except inside the names of frames in the trace. */
#include "webreport/trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct made {
    struct tp_arena arena;
    struct tp_strings texts, names, known;
    struct tp_stacks stacks;
};

static void init_stacks(struct made *m)
{
    tp_arena_init(&m->arena, 0);
    if (setjmp(m->arena.guard))
        fail();
    tp_strings_init(&m->texts, &m->arena, 0);
    tp_strings_init(&m->names, &m->arena, 0);
    tp_strings_init(&m->known, &m->arena, 0);
}

static void build_stacks(struct made *m)
{
    tp_stacks_build(&m->stacks, &m->texts, &m->names, &m->known, &m->arena);
}

/* Checks the frames of a node. wanted: expected frames, innermost first, each in brackets. */
static void assert_frames(const struct tp_stacks *stacks, uint32_t node, const char *wanted)
{
    char text[1024];
    int n = 0;
    text[0] = '\0';
    for (; node != TP_NO_ID; node = tp_stack_at(stacks, node).parent) {
        struct tp_str frame = tp_stack_frame_text(stacks, tp_stack_at(stacks, node).frame);
        n += snprintf(text + n, sizeof text - (size_t)n, "[%.*s]", (int)frame.len, frame.ptr);
    }
    assert_string_equal(text, wanted);
}

static void text_is_split_at_semicolons(void **state)
{
    static const char *const cases[][2] = {
        {"f", "[f]"},
        {"f;g", "[f][g]"},
        {";;f;;g;", "[f][g]"},
        {"run (1)/a.py(3): f; g ;", "[run (1)/a.py(3): f][ g ]"},
        {";", ""},
        {"", ""},
    };
    struct made m;
    (void)state;
    init_stacks(&m);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tp_strings_add(&m.texts, tp_str_of(cases[i][0]));
    build_stacks(&m);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_frames(&m.stacks, tp_stacks_node_of_text(&m.stacks, i), cases[i][1]);
    assert_int_equal(tp_stacks_node_of_text(&m.stacks, TP_NO_ID), TP_NO_ID);
    assert_int_equal(tp_stacks_node_of_text(&m.stacks, 5), TP_NO_ID);
    tp_arena_release(&m.arena);
}

static void known_frame_may_contain_semicolons(void **state)
{
    static const char *const cases[][2] = {
        {"a;b/c.py(1): f", "[a;b/c.py(1): f]"},
        {"g;a;b/c.py(1): f;h", "[g][a;b/c.py(1): f][h]"},
        {"a;b/c.py(1): f;a;b/c.py(1): f;", "[a;b/c.py(1): f][a;b/c.py(1): f]"},
        {"xa;b/c.py(1): f", "[xa][b/c.py(1): f]"}, /* no event has a frame with this folder, so the text is split */
        {"x;y;z;y;z", "[x;y;z][y;z]"},             /* of several possible frames, the longest one is used */
        {"y;z;x", "[y;z][x]"},
        /* this text has more ";" than a frame can contain */
        {"1;2;3;4;5;6;7;8;9", "[1][2][3][4][5][6][7][8][9]"},
        /* this is another file in the same folder */
        {"a;b/d.py(7): g;a;b/e/f.py(8): h;m", "[a;b/d.py(7): g][a;b/e/f.py(8): h][m]"},
        {"a;b/d;a;b/d.py: h", "[a][b/d][a][b/d.py: h]"}, /* these texts are not frames, so they are split */
        {"a;bc/d.py(7): g", "[a][bc/d.py(7): g]"},
        {"C:\\a;b\\c.py(1): f", "[C:\\a;b\\c.py(1): f]"},
    };
    struct made m;
    (void)state;
    init_stacks(&m);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tp_strings_add(&m.texts, tp_str_of(cases[i][0]));
    tp_stacks_add_known_frame(&m.known, TP_STR("a;b/c.py(1): f"));
    tp_stacks_add_known_frame(&m.known, TP_STR("x;y;z"));
    tp_stacks_add_known_frame(&m.known, TP_STR("y;z"));
    tp_stacks_add_known_frame(&m.known, TP_STR("1;2;3;4;5;6;7;8;9"));
    tp_stacks_add_known_frame(&m.known, TP_STR("C:\\a;b\\other.py(2): f"));
    tp_stacks_add_known_frame(&m.known, TP_STR("m.py(3): h"));
    tp_stacks_add_known_frame(&m.known, TP_STR(""));
    assert_int_equal(m.known.count, 5);
    build_stacks(&m);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_frames(&m.stacks, tp_stacks_node_of_text(&m.stacks, i), cases[i][1]);
    tp_arena_release(&m.arena);
}

static void equal_stacks_share_a_node(void **state)
{
    struct made m;
    (void)state;
    init_stacks(&m);
    uint32_t first = tp_strings_add(&m.texts, TP_STR("f at 0x12;g;main")),
             second = tp_strings_add(&m.texts, TP_STR("f at 0x34;g;main;"));
    uint32_t plain = tp_strings_add(&m.texts, TP_STR("f;g;main")), outer = tp_strings_add(&m.texts, TP_STR("g;main"));
    uint32_t main_name = tp_strings_add(&m.names, TP_STR("main")), g = tp_strings_add(&m.names, TP_STR("g at 0xab"));
    build_stacks(&m);
    assert_int_not_equal(tp_stacks_node_of_text(&m.stacks, first), tp_stacks_node_of_text(&m.stacks, second));
    assert_int_equal(tp_stacks_without_addresses(&m.stacks, first), tp_stacks_without_addresses(&m.stacks, second));
    assert_int_equal(tp_stacks_without_addresses(&m.stacks, first), tp_stacks_node_of_text(&m.stacks, plain));
    assert_int_equal(tp_stack_at(&m.stacks, tp_stacks_without_addresses(&m.stacks, first)).parent,
                     tp_stacks_node_of_text(&m.stacks, outer));
    uint32_t node = tp_stacks_add_call(&m.stacks, tp_stacks_add_call(&m.stacks, TP_NO_ID, main_name), g);
    /* the stack from the nested events equals the stack from the argument */
    assert_int_equal(node, tp_stacks_node_of_text(&m.stacks, outer));
    struct tp_vec frames = TP_VEC(&m.arena, uint32_t);
    tp_stack_frames(&m.stacks, tp_stacks_node_of_text(&m.stacks, plain), 2, &frames);
    assert_int_equal(frames.count, 2);
    assert_true(tp_str_equal(tp_stack_frame_text(&m.stacks, *TP_AT(&frames, uint32_t, 0)), TP_STR("main")));
    assert_true(tp_str_equal(tp_stack_frame_text(&m.stacks, *TP_AT(&frames, uint32_t, 1)), TP_STR("g")));
    tp_arena_release(&m.arena);
}

static int order_sign(int order)
{
    return (order > 0) - (order < 0);
}

/* Compares all pairs of stacks with up to three of these frames. Equality and order must match those of the joined
 * texts. */
static void nodes_compare_like_their_texts(void **state)
{
    static const char *const frames[] = {"", "a", "a;b", "b", "a:", "ab"};
    enum { FRAMES = 6, STACKS = 1 + FRAMES + FRAMES * FRAMES + FRAMES * FRAMES * FRAMES };
    struct made m;
    uint32_t nodes[STACKS] = {TP_NO_ID};
    char texts[STACKS][32] = {""};
    size_t count = 1;
    (void)state;
    init_stacks(&m);
    for (size_t i = 0; i < FRAMES; i++)
        tp_strings_add(&m.names, tp_str_of(frames[i]));
    build_stacks(&m);
    for (size_t from = 0, to; count < STACKS; from = to)
        for (to = count; from < to; from++)
            for (uint32_t f = 0; f < FRAMES; f++, count++) {
                nodes[count] = tp_stacks_add_call(&m.stacks, nodes[from], f);
                snprintf(texts[count], sizeof texts[count], "%s%s%s", frames[f], nodes[from] == TP_NO_ID ? "" : ";",
                         texts[from]);
            }
    for (size_t i = 0; i < count; i++) {
        char text[40];
        assert_int_equal(tp_stack_length(&m.stacks, nodes[i]), strlen(texts[i]));
        assert_int_equal(tp_stack_is_empty(&m.stacks, nodes[i]), !texts[i][0]);
        assert_int_equal(tp_stack_write(&m.stacks, nodes[i], text, sizeof text), strlen(texts[i]));
        assert_memory_equal(text, texts[i], strlen(texts[i]));
        assert_int_equal(tp_stack_write(&m.stacks, nodes[i], text, 2), strlen(texts[i]) < 2 ? strlen(texts[i]) : 2);
        for (size_t k = 0; k < count; k++)
            assert_int_equal(order_sign(tp_stack_compare(&m.stacks, nodes[i], nodes[k])),
                             order_sign(strcmp(texts[i], texts[k])));
    }
    tp_arena_release(&m.arena);
}

/* Tests a folder whose name contains ";", and an event that names a frame in this folder. The argument of the operator
 * and the nested events must then give the same stack. */
static void event_names_identify_frames_with_semicolons(void **state)
{
    static const char text[] =
        "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,"
        "\"args\":{\"Call stack\":\"/a;b/m.py(3): f;main.py(9): run;\"}},{\"ph\":\"X\",\"cat\":\"python_function\","
        "\"name\":\"/a;b/m.py(3): f\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":2,\"args\":{\"Python id\":1}},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"main.py(9): run;\",\"pid\":0,\"tid\":7,\"ts\":5,\"dur\":2}]}";
    struct tp_trace_options options = {.single_thread = true};
    struct tp_trace trace;
    struct tp_arena arena;
    (void)state;
    tp_arena_init(&arena, 0);
    assert_int_equal(tp_trace_read_bytes(&trace, &arena, text, sizeof text - 1, &options, NULL), 0);
    assert_frames(trace.stacks, tp_stacks_node_of_text(trace.stacks, trace.hosts[0].stack),
                  "[/a;b/m.py(3): f][main.py(9): run]");
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_split_at_semicolons),
        cmocka_unit_test(known_frame_may_contain_semicolons),
        cmocka_unit_test(equal_stacks_share_a_node),
        cmocka_unit_test(nodes_compare_like_their_texts),
        cmocka_unit_test(event_names_identify_frames_with_semicolons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
