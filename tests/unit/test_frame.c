/* Tests texts of frames from torch, the collector and the findings, with all kinds of folder names. */
#include "webreport/trace/frame.h"

#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_text(struct tp_str found, const char *wanted)
{
    if (!wanted) {
        assert_null(found.ptr);
        return;
    }
    if (!tp_str_equal(found, tp_str_of(wanted)))
        print_message("%.*s instead of %s\n", (int)found.len, found.ptr, wanted);
    assert_true(tp_str_equal(found, tp_str_of(wanted)));
}

/* ---- texts of the form "path(line): function" ---- */

static void text_is_split_at_its_last_line_number(void **state)
{
    static const struct {
        const char *text, *path, *function;
        int32_t line;
        bool is_python;
    } cases[] = {
        {"train.py(12): step", "train.py", "step", 12, true},
        {"/home/u/run (1)/train.py(12): step", "/home/u/run (1)/train.py", "step", 12, true},
        {"/home/u/run [2]: x/train.py(12): step", "/home/u/run [2]: x/train.py", "step", 12, true},
        {"/home/u/run (2): x/train.py(12): step", "/home/u/run (2): x/train.py", "step", 12, true},
        {"/a.py(3): b/train.py(12): <listcomp>", "/a.py(3): b/train.py", "<listcomp>", 12, true},
        {"C:\\my runs (3)\\train.py(7): main", "C:\\my runs (3)\\train.py", "main", 7, true},
        {"<frozen importlib._bootstrap>(1007): _find_and_load", "<frozen importlib._bootstrap>", "_find_and_load", 1007,
         false},
        {"<string>(2): __init__", "<string>", "__init__", 2, false},
        {"src/train.c(42): forward_layer", "src/train.c", "forward_layer", 42, false},
        {"run (2): x/train.c(42): layer<int>(int)", "run (2): x/train.c", "layer<int>(int)", 42, false},
        {"model.pyx(-1): forward", "model.pyx", "forward", -1, true},
        {"model.py(11-13): forward", "model.py", "forward", 11, true},
        {"(1-): a.c(2-3): f", "(1-): a.c", "f", 2, false},
        /* the path ends at ".py", so the second line number belongs to the function */
        {"train.py(3): a(4): b", "train.py", "a(4): b", 3, true},
        {"a;b.py(3): ", "a;b.py", "", 3, true},
        {"(1): (-1): ", "(1): ", "", -1, false},
        {"a\nb.py(3): f\ng", "a\nb.py", "f\ng", 3, true},
        {"big.py(99999999999999999999): f", "big.py", "f", INT32_MAX, true},
        {"big.py(-99999999999999999999): f", "big.py", "f", -INT32_MAX, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tp_frame frame;
        assert_true(tp_frame_parse(&frame, tp_str_of(cases[i].text)));
        assert_text(frame.path, cases[i].path);
        assert_text(frame.function, cases[i].function);
        assert_int_equal(frame.line, cases[i].line);
        assert_int_equal(frame.is_python, cases[i].is_python);
    }
}

static void other_texts_are_no_frames(void **state)
{
    static const char *const texts[] = {"",
                                        "aten::add",
                                        "nn.Module: Linear_12",
                                        "<built-in method to of Tensor object at 0x7f12>",
                                        "(3): f",
                                        "a(): f",
                                        "a(x3): f",
                                        "+0x12 [libc.so.6]",
                                        "a.py(3):f",
                                        "a.py(3)",
                                        "a.py(3) : f",
                                        "f(int)::g(long): other",
                                        "a(-): f",
                                        "a(--3): f",
                                        "): ",
                                        "a(3): "};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tp_frame frame;
        bool is_last = i + 1 == sizeof texts / sizeof *texts; /* only the last text is a frame */
        assert_int_equal(tp_frame_parse(&frame, tp_str_of(texts[i])), is_last);
        assert_int_equal(frame.path.len > 0, is_last);
    }
}

static void place_without_function_is_accepted(void **state)
{
    struct tp_frame frame;
    (void)state;
    assert_true(tp_frame_parse_place(&frame, TP_STR("run (1)/train.py(12)")));
    assert_text(frame.path, "run (1)/train.py");
    assert_int_equal(frame.line, 12);
    assert_null(frame.function.ptr);
    assert_true(tp_frame_parse_place(&frame, TP_STR("train.py(12): f")));
    assert_text(frame.function, "f");
    assert_false(tp_frame_parse_place(&frame, TP_STR("train.py")));
    assert_false(tp_frame_parse_place(&frame, TP_STR("(12)")));
    assert_false(tp_frame_parse_place(&frame, TP_STR("")));
}

static void lines_of_one_function_are_known(void **state)
{
    static const struct {
        const char *a, *b;
        bool is_same;
    } cases[] = {
        {"run (1)/train.py(12): step", "run (1)/train.py(14): step", true},
        {"train.py(12): step", "train.py(12): stop", false},
        {"run (1)/train.py(12): step", "run (2)/train.py(12): step", false},
        {"train.py(12)", "train.py(13)", true},
        {"train.py(12)", "train.py(12): ", true},
        {"aten::add", "aten::add", true},
        {"aten::add", "aten::mm", false},
        {"", "", true},
        {"", "train.py(12): step", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(tp_frame_same_function(tp_str_of(cases[i].a), tp_str_of(cases[i].b)), cases[i].is_same);
}

/* ---- random texts ---- */

static uint32_t state_of_random = 20;

static uint32_t random_below(uint32_t n)
{
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (state_of_random >> 8) % n;
}

/* Parts from which the test builds texts that are hard to parse. */
static const char *const bits[] = {"(",  ")",   ": ",   "):", "(1)", "(12): ", "[2]: x",   "/",
                                   "\\", ".py", ".pyx", "-",  "7",   "a",      " ",        ";",
                                   "<",  ">",   "\n",   ".",  "C:",  "run",    "\xC3\xA4", "(-3): "};

static size_t append_text(char *text, size_t n, const char *bit)
{
    size_t size = strlen(bit);
    memcpy(text + n, bit, size + 1);
    return n + size;
}

static size_t random_text(char *text, size_t n, unsigned most)
{
    text[n] = '\0';
    for (unsigned left = random_below(most + 1); left > 0; left--)
        n = append_text(text, n, bits[random_below(sizeof bits / sizeof *bits)]);
    return n;
}

static void joined_frames_are_split_again(void **state)
{
    static const char *const endings[] = {".py", ".pyx", ".c", ">", ""};
    (void)state;
    for (unsigned round = 0; round < 200000; round++) {
        char text[512];
        struct tp_frame frame;
        int32_t line = (int32_t)random_below(100000) - 5;
        bool is_python = random_below(3) > 0;
        size_t path = append_text(text, append_text(text, 0, "d"), "/");
        path = append_text(text, random_text(text, path, 10),
                           is_python ? endings[random_below(2)] : endings[2 + random_below(3)]);
        /* true if the path could also end at this ".py", so that the text can be split in two ways */
        bool contains_python = !is_python && strstr(text, ".py");
        size_t function = path + (size_t)sprintf(text + path, "(%d): ", (int)line);
        struct tp_str whole = {text, random_text(text, function, 4)};
        if (contains_python || strstr(text + function, "): ")) /* the text also has two ways to split it if the
                                                                * function's name contains a line number */
            continue;
        assert_true(tp_frame_parse(&frame, whole));
        assert_ptr_equal(frame.path.ptr, text);
        assert_int_equal(frame.path.len, path);
        assert_int_equal(frame.line, line);
        assert_ptr_equal(frame.function.ptr, text + function);
        assert_int_equal(frame.function.len, whole.len - function);
        assert_int_equal(frame.is_python, is_python);
    }
}

static void parser_equals_regular_expression(void **state)
{
    regex_t python, other;
    regmatch_t parts[4];
    unsigned found = 0;
    (void)state;
    assert_int_equal(regcomp(&python, "^(.+\\.pyx?)\\((-?[0-9]+)\\): (.*)$", REG_EXTENDED), 0);
    assert_int_equal(regcomp(&other, "^(.+)\\((-?[0-9]+)\\): (.*)$", REG_EXTENDED), 0);
    for (unsigned round = 0; round < 100000; round++) {
        char text[512];
        struct tp_frame frame;
        struct tp_str whole = {text, random_text(text, 0, 14)};
        bool is_python = regexec(&python, text, 4, parts, 0) == 0;
        bool is_frame = is_python || regexec(&other, text, 4, parts, 0) == 0;
        assert_int_equal(tp_frame_parse(&frame, whole), is_frame);
        assert_int_equal(frame.is_python, is_python);
        if (!is_frame)
            continue;
        found++;
        assert_int_equal(frame.path.len, parts[1].rm_eo);
        assert_int_equal(frame.line, atoi(text + parts[2].rm_so));
        assert_int_equal(frame.function.ptr - text, parts[3].rm_so);
        assert_int_equal(frame.function.len, (size_t)parts[3].rm_eo - (size_t)parts[3].rm_so);
    }
    regfree(&python);
    regfree(&other);
    assert_true(found > 10000);
}

/* ---- labels ---- */

static void parts_of_frames_point_into_the_text(void **state)
{
    (void)state;
    assert_text(tp_frame_short_name(TP_STR("/env/lib/python3.7/site-packages/torch/nn/functional.py(9): relu")),
                "torch/nn/functional.py(9): relu");
    assert_text(tp_frame_short_name(TP_STR("/usr/lib/python3.11/threading.py(9): run")), "threading.py(9): run");
    assert_text(tp_frame_short_name(TP_STR("/usr/lib/python3")), "/usr/lib/python3");
    assert_text(tp_frame_function_name(TP_STR("run (1)/train.py(1): f(2): g")), "f(2): g");
    assert_text(tp_frame_function_name(TP_STR("run (1)")), NULL);
    assert_text(tp_frame_module_name(TP_STR("nn.Module: Linear_0")), "Linear_0");
    assert_text(tp_frame_module_name(TP_STR("nn.Module: ")), "");
    assert_text(tp_frame_module_name(TP_STR("nn.Module:Linear")), "nn.Module:Linear");
}

static void run_with_arena(void (*test)(struct tp_arena *))
{
    struct tp_arena arena;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    test(&arena);
    tp_arena_release(&arena);
}

static void check_labels(struct tp_arena *arena)
{
    static const char *const cases[][3] = {
        /* a text, its label, and the text without addresses */
        {"ProfilerStep#7", "ProfilerStep*", "ProfilerStep#7"},
        {"a 0x7fFe b at 0x12", "a 0x* b at 0x*", "a 0x7fFe b"},
        {"<method of X object at 0x7f12ab>", "<method of X object at 0x*>", "<method of X object>"},
        {"0x0x1 0xg at 0x", "0x*x1 0xg at 0x", "0x0x1 0xg at 0x"},
        {"aten::add", "aten::add", "aten::add"},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_text(tp_frame_label(arena, tp_str_of(cases[i][0])), cases[i][1]);
        assert_text(tp_frame_without_address(arena, tp_str_of(cases[i][0])), cases[i][2]);
    }
}

static void labels_have_no_addresses(void **state)
{
    (void)state;
    run_with_arena(check_labels);
}

static void check_names(struct tp_arena *arena)
{
    struct tp_strings names;
    struct tp_frames frames;
    tp_strings_init(&names, arena, 0);
    uint32_t first = tp_strings_add(&names, TP_STR("ProfilerStep#1")), star = tp_strings_add(&names, TP_STR("a 0x*"));
    uint32_t second = tp_strings_add(&names, TP_STR("ProfilerStep#2")), hex = tp_strings_add(&names, TP_STR("a 0x7f"));
    uint32_t near = tp_strings_add(&names, TP_STR("/a/site-packages/m.py(1): f"));
    uint32_t far = tp_strings_add(&names, TP_STR("/b/site-packages/m.py(1): f"));
    tp_frames_build(&frames, &names, arena);
    assert_int_equal(tp_frames_label(&frames, first), tp_frames_label(&frames, second));
    assert_text(tp_frames_label_text(&frames, tp_frames_label(&frames, first)), "ProfilerStep*");
    /* equal labels have equal ids */
    assert_int_equal(tp_frames_label(&frames, star), tp_frames_label(&frames, hex));
    assert_text(tp_frames_label_text(&frames, tp_frames_label(&frames, hex)), "a 0x*");
    assert_text(tp_frames_label_text(&frames, frames.no_event), "[no host event]");
    assert_int_equal(tp_frames_line(&frames, near), tp_frames_line(&frames, far));
    assert_text(tp_frames_line_text(&frames, tp_frames_line(&frames, far)), "m.py(1): f");
    assert_int_equal(tp_frames_line(&frames, star), TP_NO_ID);
}

static void equal_names_of_a_trace_share_a_number(void **state)
{
    (void)state;
    run_with_arena(check_names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_split_at_its_last_line_number),
        cmocka_unit_test(other_texts_are_no_frames),
        cmocka_unit_test(place_without_function_is_accepted),
        cmocka_unit_test(lines_of_one_function_are_known),
        cmocka_unit_test(joined_frames_are_split_again),
        cmocka_unit_test(parser_equals_regular_expression),
        cmocka_unit_test(labels_have_no_addresses),
        cmocka_unit_test(parts_of_frames_point_into_the_text),
        cmocka_unit_test(equal_names_of_a_trace_share_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
