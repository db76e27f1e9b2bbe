/* Names as the page shows them: cut, redacted, linked, shortened. */
#include "webreport/document/name_text.h"

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

static void long_names_are_cut_at_a_character(void **state)
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

static void worker_names_yield_their_host(void **state)
{
    (void)state;
    assert_str(tp_worker_host(TP_STR("node7.example.org_4242")), "node7.example.org");
    assert_str(tp_worker_host(TP_STR("node7.example.org_4242_tracepress")), "node7.example.org");
    assert_str(tp_worker_host(TP_STR("node7.example.org_4242_helper")), "node7.example.org");
    assert_str(tp_worker_host(TP_STR("worker0")), "");
    assert_str(tp_worker_host(TP_STR("rank_12")), "");
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

static void a_frame_is_no_kernel(void **state)
{
    (void)state;
    assert_str(tp_kernel_short_name(&arena, TP_STR("/home/u/run (1)/train.py(88): step")),
               "/home/u/run (1)/train.py(88): step");
    assert_str(tp_kernel_short_name(&arena, TP_STR("/env/site-packages/run (1)/m.py(3): f")), "run (1)/m.py(3): f");
}

static void kernel_names_lose_arguments_and_noise(void **state)
{
    (void)state;
    assert_str(tp_kernel_short_name(
                   &arena, TP_STR("void cudnn::detail::dgrad_engine<float, 512, false>(int, int, float const*)")),
               "cudnn::dgrad_engine<float, 512, false>");
    assert_str(tp_kernel_short_name(&arena, TP_STR("void at::native::(anonymous namespace)::max_pool<float>(int)")),
               "max_pool<float>");
    assert_str(tp_kernel_short_name(&arena, TP_STR("Memcpy HtoD (Pageable -> Device)")),
               "Memcpy HtoD (Pageable -> Device)");
    assert_str(tp_kernel_short_name(&arena, TP_STR("volta_sgemm_64x64_nt")), "volta_sgemm_64x64_nt");
    assert_str(tp_kernel_short_name(&arena, TP_STR("void ")), "void ");
}

static void markdown_shows_names_as_they_are(void **state)
{
    struct tp_buf buf;

    (void)state;
    tp_buf_init(&buf, 0);
    tp_markdown_escape(&buf, TP_STR("a|b<c>&`d`_e_ @f http://g\n[h](i)"));
    assert_string_equal(buf.data, "a\\|b&lt;c&gt;&amp;\\`d\\`\\_e\\_ &#64;f http&#58;//g \\[h\\](i)");
    tp_buf_clear(&buf);
    tp_markdown_escape(&buf, TP_STR("\xc2\x9b"
                                    "1m\xe2\x80\xae"
                                    "b\xe2\x81\xa9\x1b[0m\xc3\xa9"));
    assert_string_equal(buf.data, " 1m\\\\u202eb\\\\u2069 \\[0m\xc3\xa9");
    tp_buf_release(&buf);
}

/* ESC and U+009B both begin a command; the bidirectional controls turn a line around. */
static void terminals_are_told_nothing_they_obey(void **state)
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
        cmocka_unit_test(long_names_are_cut_at_a_character),
        cmocka_unit_test(redaction_hides_folders_and_the_host),
        cmocka_unit_test(worker_names_yield_their_host),
        cmocka_unit_test(source_lines_become_links),
        cmocka_unit_test(a_frame_is_no_kernel),
        cmocka_unit_test(kernel_names_lose_arguments_and_noise),
        cmocka_unit_test(markdown_shows_names_as_they_are),
        cmocka_unit_test(terminals_are_told_nothing_they_obey),
    };

    return cmocka_run_group_tests_name("section_text", tests, set_up, tear_down);
}
