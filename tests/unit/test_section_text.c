/* Tests names as the page shows them: truncated, redacted, linked, shortened. */
#include "webreport/document/name_text.h"
#include "webreport/document/section.h"
#include "webreport/document/words/argument_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <stdint.h>

#include "writer/base/limits.h"
#include "writer/text/markdown_escape.h"
#include "writer/text/terminal.h"

static struct tp_arena arena;

static int set_up(void **state)
{
    (void)state;
    tp_arena_init(&arena, 0);
    return setjmp(arena.guard);
}

static int tear_down(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    return 0;
}

static void assert_str(struct tp_str text, const char *wanted)
{
    assert_int_equal(text.len, strlen(wanted));
    assert_memory_equal(text.ptr, wanted, text.len);
}

static void long_names_are_truncated_at_a_character(void **state)
{
    struct tp_naming naming = {.arena = &arena};
    char text[600];
    struct tp_str shown;

    (void)state;
    for (size_t i = 0; i < sizeof(text); i += 2)
        memcpy(text + i, "\xc3\xa4", 2);
    shown = tp_shown_text(&naming, (struct tp_str){text, sizeof(text)});
    assert_true(shown.len <= TP_MAX_SHOWN_NAME_BYTES);
    assert_memory_equal(shown.ptr + shown.len - 3, "\xe2\x80\xa6", 3);
    assert_int_equal((shown.len - 3) % 2, 0);
}

static void redaction_hides_folders_and_the_host(void **state)
{
    struct tp_naming naming = {.arena = &arena, .redact = true, .host = TP_STR("node7")};

    (void)state;
    assert_str(tp_shown_text(&naming, TP_STR("/home/ann/secret/train.py(12): step")),
               "\xe2\x80\xa6/train.py(12): step");
    assert_str(
        tp_shown_text(&naming, TP_STR("/home/ann/env/lib/python3.9/site-packages/torch/nn/functional.py(9): relu")),
        "\xe2\x80\xa6/torch/nn/functional.py(9): relu");
    assert_str(tp_shown_text(&naming, TP_STR("C:\\Users\\ann\\train.py(3): f")), "\xe2\x80\xa6/train.py(3): f");
    assert_str(tp_shown_text(&naming, TP_STR("node7_4242")), "host_4242");
    assert_str(tp_shown_text(&naming, TP_STR("aten::add")), "aten::add");
    assert_str(tp_shown_text(&naming, TP_STR("train.py(4): a/b")), "train.py(4): a/b");
    assert_str(tp_shown_text(&naming, TP_STR("/home/ann/run (1)/secret/train.py(3): f")),
               "\xe2\x80\xa6/train.py(3): f");
    assert_str(tp_shown_text(&naming, TP_STR("/home/ann/run [2]: x/a;b/train.py(3)")), "\xe2\x80\xa6/train.py(3)");
    assert_str(tp_shown_text(&naming, TP_STR("wait at /home/ann/my runs/train.py(3): f")),
               "wait at \xe2\x80\xa6/train.py(3): f");
    assert_str(tp_shown_text(&naming, TP_STR("train.py(3): f /home/ann/x y")), "train.py(3): f \xe2\x80\xa6/x y");
}

static void redaction_removes_the_host_of_worker_names(void **state)
{
    (void)state;
    assert_str(tp_worker_host(TP_STR("node7.example.org_4242")), "node7.example.org");
    assert_str(tp_worker_host(TP_STR("node7.example.org_4242_tracepress")), "node7.example.org");
    assert_str(tp_worker_host(TP_STR("node7.example.org_4242_helper")), "node7.example.org");
    assert_str(tp_worker_host(TP_STR("worker0")), "");
    assert_str(tp_worker_host(TP_STR("rank_12")), "");
}

static const char *place_text(const char *text)
{
    struct tp_frame frame;
    assert_true(tp_frame_parse_place(&frame, tp_str_of(text)));
    return tp_place_text(&arena, &frame);
}

static void places_in_libraries_show_the_package(void **state)
{
    (void)state;
    assert_string_equal(place_text("/home/ann/train.py(12): step"), "train.py:12");
    assert_string_equal(place_text("C:\\ann\\train.py(12): step"), "train.py:12");
    assert_string_equal(place_text("src/train.py(0)"), "train.py");
    assert_string_equal(place_text("vllm/engine.py(7): run"), "vllm/engine.py:7");
    assert_string_equal(place_text("vllm/v1/core/engine.py(7): run"), "vllm/\xe2\x80\xa6/engine.py:7");
    assert_string_equal(place_text("/x/site-packages/mine/a/b.py(7): run"), "mine/\xe2\x80\xa6/b.py:7");
    assert_string_equal(place_text("/x/site-packages/mine.py(7): run"), "mine.py:7");
    assert_string_equal(place_text("torch/nn/functional.py(7): relu"), "functional.py:7");
    assert_str(tp_line_last_part(TP_STR("src/train.py(12): step")), "train.py(12): step");
    assert_str(tp_line_last_part(TP_STR("vllm/v1/engine.py(7): run")), "vllm/v1/engine.py(7): run");
}

static void source_lines_become_links(void **state)
{
    struct tp_naming naming = {.arena = &arena, .source_url = "https://host/blob/main/{path}#L{line}"};

    (void)state;
    assert_string_equal(tp_source_link(&naming, TP_STR("/src/my model.py(12): forward")),
                        "https://host/blob/main/src/my%20model.py#L12");
    assert_string_equal(tp_source_link(&naming, TP_STR("a.py(7)")), "https://host/blob/main/a.py#L7");
    assert_string_equal(tp_source_link(&naming, TP_STR("run (2): x/a.py(7): f")),
                        "https://host/blob/main/run%20%282%29:%20x/a.py#L7");
    assert_null(tp_source_link(&naming, TP_STR("a.py(-1): f")));
    assert_null(tp_source_link(&naming, TP_STR("aten::add")));
    assert_null(tp_source_link(&naming, TP_STR("<string>(1): f")));
    assert_null(tp_source_link(&naming, TP_STR("")));
    naming.source_url = "vscode://file{path}:{line}";
    assert_string_equal(tp_source_link(&naming, TP_STR("/src/\"><b>.py(1): f")),
                        "vscode://file/src/%22%3E%3Cb%3E.py:1");
    assert_int_equal(tp_source_url_check("javascript:alert({path})", NULL), TP_EUSAGE);
    assert_int_equal(tp_source_url_check("https://host/", NULL), TP_EUSAGE);
    assert_int_equal(tp_source_url_check("https://host/{path}", NULL), 0);
}

static void frame_is_not_shortened_like_a_kernel(void **state)
{
    (void)state;
    assert_str(tp_kernel_short_name(&arena, TP_STR("/home/u/run (1)/train.py(88): step")),
               "/home/u/run (1)/train.py(88): step");
    assert_str(tp_kernel_short_name(&arena, TP_STR("/env/site-packages/run (1)/m.py(3): f")), "run (1)/m.py(3): f");
}

static void kernel_names_lose_arguments_and_noise(void **state)
{
    (void)state;
    assert_str(tp_kernel_short_name(&arena, TP_STR("void cudnn::detail::some_engine<float, 512, false>(int, int)")),
               "cudnn::some_engine");
    assert_str(tp_kernel_short_name(&arena, TP_STR("void at::native::(anonymous namespace)::some_pool<float>(int)")),
               "some_pool");
    assert_str(tp_kernel_short_name(&arena, TP_STR("Memcpy HtoD (Pageable -> Device)")), "Copy to the GPU, pageable");
    assert_str(tp_kernel_short_name(&arena, TP_STR("Memcpy XtoY (Pageable -> Device)")),
               "Memcpy XtoY (Pageable -> Device)");
    assert_str(tp_kernel_short_name(&arena, TP_STR("void ")), "void ");
}

static const char *kernel_short_name(const char *name)
{
    struct tp_str text = tp_kernel_short_name(&arena, tp_str_of(name));
    return tp_arena_copy(&arena, text.ptr, text.len);
}

/* Tests operations without a meaning in wrappers, and other names whose meaning is not certain. */
static void uncertain_kernels_keep_their_last_parts(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"void at::native::vectorized_elementwise_kernel<4, fbgemm_gpu::_float_to_hfp8_gpu(at::Tensor const&, long, "
         "long)::{lambda(float)#1}, at::detail::Array<char*, 2> >(int, at::detail::Array<char*, 2>)",
         "vectorized_elementwise _float_to_hfp8_gpu<float> x4"},
        {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, _private_ops<float, float>, unsigned int, "
         "float, 4> >(int)",
         "reduce _private_ops<float>"},
        {"_ZN7ck_tile6kentryILi2ENS_4FmhaINS_4PipeINS_8sequenceIJLi128ELi64ELi32EEEEEEEEJiPfEEEvDpT1_",
         "ck_tile Fmha<Pipe> 128x64x32"},
        {"_ZN5aiter9norm_quanIDF16bLi64ELb1EEEvPT_", "aiter::norm_quan"},
        {"void fbgemm_gpu::permute_2D_lengths_kernel<int>(int, int)", "fbgemm_gpu::permute_2D_lengths_kernel"},
        {"void a::b::c::work<float, 3>(int)", "c::work"},
        {"triton_poi_fusion_native_layer_norm_native_layer_norm_backward_add_mul_div_silu_sigmoid_sub_where_view_clone_"
         "expand_unsqueeze_17",
         "triton_poi_fusion_native_layer_norm_native_layer_norm_\xe2\x80\xa6_clone_expand_unsqueeze_17"},
        {"_ZN2ck6kernelINS_5GridI", "_ZN2ck6kernelINS_5GridI"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_string_equal(kernel_short_name(pairs[i][0]), pairs[i][1]);
}

/* Tests kernels with the same short name. Each shows how its full name differs from the names of the others. */
static void rows_with_equal_short_names_show_differences(void **state)
{
    (void)state;
    struct tp_naming naming = {.arena = &arena};
    static const char *const names[] = {"void f<g<1, 2, 3> >(int)", "void f<g<1, 2, 4> >(int)",
                                        "void f<g<7, 2, 3> >(int)", "void f<g<7, 2, 3> >(int)", "other"};
    struct tp_shown_row rows[5] = {0};
    struct tp_str texts[5];
    for (size_t i = 0; i < 5; i++) {
        texts[i] = tp_str_of(names[i]);
        rows[i].name = i < 4 ? TP_STR("f") : TP_STR("other");
    }
    tp_shown_rows_distinguish_names(&naming, rows, texts, NULL, 5);
    assert_str(rows[0].name, "f (1, 3)");
    assert_str(rows[1].name, "f (1, 4)");
    /* rows of the same kernel keep the same name */
    assert_str(rows[2].name, "f (7, 3)");
    assert_str(rows[3].name, "f (7, 3)");
    assert_str(rows[4].name, "other");
}

static void long_paths_keep_their_end(void **state)
{
    (void)state;
    struct tp_naming naming = {.arena = &arena};
    char text[512];
    memset(text, 'd', sizeof text);
    for (size_t i = 0; i < 400; i += 8)
        text[i] = '/';
    strcpy(text + 400, "/models/attention.py(12): forward");
    struct tp_str shown = tp_shown_text(&naming, tp_str_of(text));
    assert_true(shown.len <= TP_MAX_SHOWN_NAME_BYTES);
    assert_true(tp_str_starts(shown, "\xe2\x80\xa6/"));
    assert_true(tp_str_ends(shown, "/models/attention.py(12): forward"));
}

static void markdown_shows_names_unchanged(void **state)
{
    static const char *const rows[][3] = {
        /* a text, how it looks in a sentence, and how it looks in a table cell (NULL: the same) */
        {"plain words, 5 %, aten::add", "plain words, 5 %, aten::add", NULL},
        {"<b> [h](i) & ~", "`<b>` \\[h\\](i) &amp; \\~", NULL},
        {"@octocat (@org/team), a@b.c", "`@octocat` (`@org/team`), `a@b.c`", NULL},
        {"#1 o/r#12. GH-7 gh-8", "`#1` `o/r#12`. `GH-7` `gh-8`", NULL},
        {"http://g www.h.i ftp://j mailto:k@l", "`http://g` `www.h.i` `ftp://j` `mailto:k@l`", NULL},
        {"[click](https://g)", "\\[`click](https://g)`", NULL},
        {":tada: std::vector :x: a::b", "`:tada:` std::vector `:x:` a::b", NULL},
        {"deadbeef1 1234567 defaced", "`deadbeef1` 1234567 defaced", NULL},
        {"$x$ conv_2d **bold**", "`$x$` `conv_2d` `**bold**`", NULL},
        {"a`b ``c`` `", "``a`b`` ``` ``c`` ``` \\`", NULL},
        {"x|y a\\|b", "`x|y` `a\\|b`", "`x\\|y` `a\\\\|b`"},
        {"1. list", "`1.` list", "1. list"},
        {"- list", "`-` list", "- list"},
        {"===", "`===`", "==="},
        {"a\nb\tc\x7f", "a b c ", NULL},
        {"/home/me/My #1 Files/a_b.py(3): run", "`/home/me/My #1 Files/a_b.py(3)`: run", NULL},
        {"C:\\Users\\My Name\\a b.py", "`C:\\Users\\My Name\\a b.py`", NULL},
        {"see (~/My Data/@set 2.json), then", "see (`~/My Data/@set 2.json`), then", NULL},
        {"/a b/c d", "/a b/c d", NULL},
        {"/a_b and /c_d", "`/a_b` and `/c_d`", NULL},
        {"/a_b, x/y", "`/a_b`, x/y", NULL},
        {"and/or #1", "and/or `#1`", NULL},
    };
    struct tp_buf buf;

    (void)state;
    tp_buf_init(&buf, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tp_buf_clear(&buf);
        tp_markdown_escape(&buf, tp_str_of(rows[i][0]));
        assert_string_equal(buf.data, rows[i][1]);
        tp_buf_clear(&buf);
        tp_markdown_cell(&buf, tp_str_of(rows[i][0]));
        assert_string_equal(buf.data, rows[i][2] ? rows[i][2] : rows[i][1]);
    }
    tp_buf_clear(&buf);
    tp_markdown_escape(&buf, TP_STR("\xc2\x9b"
                                    "1m\xe2\x80\xae"
                                    "b\xe2\x81\xa9\x1b[0m\xc3\xa9"));
    assert_string_equal(buf.data, " 1m\\\\u202eb\\\\u2069 \\[0m\xc3\xa9");
    tp_buf_release(&buf);
}

/* Tests texts with ESC and U+009B, which both start a terminal command, and with bidirectional controls, which can
 * reverse a line. */
static void terminals_get_no_commands(void **state)
{
    char clean[] = "a\x1b[1m\xc2\x9b"
                   "2J\xe2\x80\xae\xc3\xa9\xf8\x80z";
    struct tp_buf buf;

    (void)state;
    tp_buf_init(&buf, 0);
    assert_int_equal(tp_terminal_put(&buf, tp_str_of(clean), SIZE_MAX), 13);
    assert_string_equal(buf.data, "a?[1m?2J?\xc3\xa9??z");
    assert_int_equal(tp_terminal_width(tp_str_of(clean)), 13);
    tp_buf_clear(&buf);
    assert_int_equal(tp_terminal_put(&buf, tp_str_of(clean), 3), 3);
    assert_string_equal(buf.data, "a?[");
    tp_terminal_clean(clean, sizeof clean - 1);
    assert_string_equal(clean, "a?[1m??2J???\xc3\xa9??z");
    tp_buf_release(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_names_are_truncated_at_a_character),
        cmocka_unit_test(redaction_hides_folders_and_the_host),
        cmocka_unit_test(redaction_removes_the_host_of_worker_names),
        cmocka_unit_test(places_in_libraries_show_the_package),
        cmocka_unit_test(source_lines_become_links),
        cmocka_unit_test(frame_is_not_shortened_like_a_kernel),
        cmocka_unit_test(kernel_names_lose_arguments_and_noise),
        cmocka_unit_test(uncertain_kernels_keep_their_last_parts),
        cmocka_unit_test(rows_with_equal_short_names_show_differences),
        cmocka_unit_test(long_paths_keep_their_end),
        cmocka_unit_test(markdown_shows_names_unchanged),
        cmocka_unit_test(terminals_get_no_commands),
    };

    return cmocka_run_group_tests_name("section_text", tests, set_up, tear_down);
}
