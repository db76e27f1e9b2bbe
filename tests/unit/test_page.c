/* Tests the page and the digest of a small trace: completeness, limits, redaction of private data, and equal output for
 * equal input. */
#include "webreport/model/build.h"
#include "webreport/print/report_page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "webreport/document/report/sections.h"
#include "webreport/document/words/words.h"
#include "webreport/print/print.h"
#include "writer/base/limits.h"

static const char TRACE[] =
    "{\"deviceProperties\":[{\"id\":0,\"name\":\"Test "
    "<GPU>\",\"totalGlobalMem\":1073741824,\"numSms\":4}],\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":1,\"tid\":1,\"ts\":1000,\"dur\":"
    "1000},"
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#2\",\"pid\":1,\"tid\":1,\"ts\":2000,\"dur\":"
    "1000},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::<script>\",\"pid\":1,\"tid\":1,\"ts\":1010,\"dur\":100,"
    "\"args\":{\"Call stack\":\"/home/ann/project/train.py(12): step;/home/ann/project/main.py(3): main\"}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":1020,\"dur\":5,"
    "\"args\":{\"correlation\":1}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"void gemm<float>(int)\",\"pid\":0,\"tid\":7,\"ts\":1100,\"dur\":400,"
    "\"args\":{\"correlation\":1,\"device\":0,\"stream\":7}},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":2020,\"dur\":5,"
    "\"args\":{\"correlation\":2}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"void gemm<float>(int)\",\"pid\":0,\"tid\":7,\"ts\":2100,\"dur\":400,"
    "\"args\":{\"correlation\":2,\"device\":0,\"stream\":7}}]}";

/* A trace, its analysis, and the view that the page shows. */
struct fixture {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_views views;
    struct tp_advice advice;
    struct tp_profile profile;
};

static struct fixture fixture;

static int set_up(void **state)
{
    struct fixture *f = &fixture;

    (void)state;
    tp_arena_init(&f->arena, 0);
    if (setjmp(f->arena.guard))
        return -1;
    if (tp_trace_read_bytes(&f->trace, &f->arena, TRACE, sizeof(TRACE) - 1, &(struct tp_trace_options){0}, NULL))
        return -1;
    tp_order_build(&f->order, &f->trace, &f->arena);
    tp_model_build(&f->model, &f->trace, &f->order, &f->arena);
    tp_views_build(&f->views, &f->model, &f->arena);
    tp_advice_build(&f->advice, &f->model, NULL, &f->arena);
    tp_fill_advice_texts(&f->advice, &f->model, &f->arena);
    f->profile = (struct tp_profile){.run = TP_STR("run"),
                                     .worker = TP_STR("secrethost_77"),
                                     .span = TP_NULL_INT,
                                     .file = TP_STR("secrethost_77.pt.trace.json"),
                                     .trace = &f->trace,
                                     .order = &f->order,
                                     .model = &f->model,
                                     .views = &f->views,
                                     .advice = &f->advice};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tp_arena_release(&fixture.arena);
    return 0;
}

/* Returns a page with `count` copies of the profile. */
static struct tp_page *make_page(const struct tp_page_options *options, size_t count, struct tp_page_files *files)
{
    struct tp_page *page;

    assert_int_equal(tp_page_open(&page, options, count, NULL), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(tp_page_add_profile(page, &fixture.profile, NULL), 0);
    assert_int_equal(tp_page_finish(page, files, NULL), 0);
    return page;
}

static bool is_text_in_page(const struct tp_page_files *files, const char *needle)
{
    bool is_found = false;
    for (size_t i = 0; i < TP_PAGE_PARTS; i++)
        is_found |= tp_str_find(files->html[i], needle) >= 0;
    return is_found;
}

static void document_equals_its_parts(void **state)
{
    struct tp_page_files files;
    struct tp_page *page = make_page(&(struct tp_page_options){0}, 2, &files);
    struct tp_str first = files.html[0], last = files.html[TP_PAGE_PARTS - 1];
    size_t bytes = 0;

    (void)state;
    for (size_t i = 0; i < TP_PAGE_PARTS; i++)
        bytes += files.html[i].len;
    assert_int_equal(bytes, files.html_bytes);
    assert_true(tp_str_starts(first, "<!DOCTYPE html>") && tp_str_ends(first, "<main id=\"main\">\n"));
    assert_true(tp_str_starts(last, "\n<noscript>") && tp_str_ends(last, "</html>\n"));
    tp_page_release(page);
}

static void page_has_sections_for_existing_data(void **state)
{
    struct tp_page_files files;
    struct tp_page *page = make_page(&(struct tp_page_options){0}, 1, &files);

    (void)state;
    assert_true(is_text_in_page(&files, "id=\"overview\""));
    assert_true(is_text_in_page(&files, "id=\"operators\""));
    assert_true(is_text_in_page(&files, "id=\"kernels\""));
    assert_false(is_text_in_page(&files, "id=\"memory\""));
    assert_true(is_text_in_page(&files, "Recording options that were off: record_shapes, with_stack, profile_memory."));
    assert_true(is_text_in_page(&files, "&lt;script&gt;"));
    assert_false(is_text_in_page(&files, "aten::<script>"));
    assert_true(is_text_in_page(&files, "train.py(12): step"));
    tp_page_release(page);
}

static void equal_input_makes_equal_bytes(void **state)
{
    struct tp_page_files a, b;
    struct tp_page *first = make_page(&(struct tp_page_options){0}, 2, &a),
                   *second = make_page(&(struct tp_page_options){0}, 2, &b);

    (void)state;
    for (size_t i = 0; i < TP_PAGE_PARTS; i++)
        assert_true(tp_str_equal(a.html[i], b.html[i]));
    tp_page_release(first);
    tp_page_release(second);
}

static void redacted_page_names_no_host_and_no_folder(void **state)
{
    struct tp_page_files files;
    struct tp_page *page = make_page(&(struct tp_page_options){.redact = true}, 2, &files);

    (void)state;
    assert_false(is_text_in_page(&files, "secrethost"));
    assert_false(is_text_in_page(&files, "/home/ann"));
    assert_true(is_text_in_page(&files, "/train.py(12): step"));
    tp_page_release(page);
}

static void source_lines_link_to_the_given_address(void **state)
{
    struct tp_page_files files;
    struct tp_page *page = make_page(&(struct tp_page_options){.source_url = "vscode://file{path}:{line}"}, 1, &files);

    (void)state;
    assert_true(is_text_in_page(&files, "href=\"vscode://file/home/ann/project/train.py:12\""));
    tp_page_release(page);
    assert_int_equal(tp_page_open(&page, &(struct tp_page_options){.source_url = "javascript:{path}"}, 1, NULL),
                     TP_EUSAGE);
    assert_null(page);
}

static void page_fits_its_maximum_size_and_reports_it(void **state)
{
    struct tp_page_files all, small;
    struct tp_page *whole = make_page(&(struct tp_page_options){0}, 40, &all), *page;
    size_t ceiling = all.html_bytes / 3;

    (void)state;
    page = make_page(&(struct tp_page_options){.max_bytes = ceiling}, 40, &small);
    assert_true(small.html_bytes <= ceiling);
    assert_true(is_text_in_page(&small, "A larger --max-size"));
    tp_page_release(whole);
    tp_page_release(page);
    assert_int_equal(tp_page_open(&page, &(struct tp_page_options){.max_bytes = 1000}, 1, NULL), 0);
    assert_int_equal(tp_page_finish(page, &small, NULL), TP_ELIMIT);
    tp_page_release(page);
}

static void failed_input_is_named(void **state)
{
    struct tp_page_files files;
    struct tp_page *page;

    (void)state;
    assert_int_equal(tp_page_open(&page, &(struct tp_page_options){0}, 2, NULL), 0);
    assert_int_equal(tp_page_add_profile(page, &fixture.profile, NULL), 0);
    assert_int_equal(tp_page_add_failed(page, TP_STR("run"), TP_STR("w"), TP_STR("bad<file"), "not a trace", NULL), 0);
    assert_int_equal(tp_page_finish(page, &files, NULL), 0);
    assert_true(is_text_in_page(&files, "bad&lt;file: not a trace"));
    assert_true(is_text_in_page(&files, "1 input could not be used"));
    tp_page_release(page);
}

static void separate_assets_leave_no_inline_code(void **state)
{
    struct tp_page_files files;
    struct tp_page *page = make_page(&(struct tp_page_options){.writes_separate_assets = true}, 1, &files);

    (void)state;
    assert_false(is_text_in_page(&files, "<style"));
    assert_true(files.css.len && files.js.len);
    tp_page_release(page);
}

/* Fills a digest with `count` documents of the same trace and a failed input. Each document is a single line or
 * complete. */
static void fill_digest(struct tp_digest *digest, struct tp_arena *memory, size_t count)
{
    struct tp_naming naming = {.arena = memory};
    struct tp_document document;
    struct tp_page_limits limits;
    struct tp_section section;

    tp_page_limits_fill(&limits, 0, TP_MAX_MARKDOWN_BYTES, TP_TIMELINE_LONGEST);
    tp_digest_init(digest, count);
    for (size_t i = 0; i + 1 < count; i++) {
        tp_section_init(&section, memory, &fixture.profile,
                        &(struct tp_section_options){.redact = true, .is_one_of_many = count > 1});
        section.limits = &limits;
        (count > 4 ? tp_document_add_profile_line : tp_report_document)(&document, &section);
        tp_digest_add(digest, &document);
    }
    tp_document_add_failed_input(&document, &naming, TP_STR("bad"), "not a trace");
    tp_digest_add(digest, &document);
}

static void digest_is_small_and_contains_the_verdict(void **state)
{
    struct tp_digest digest;
    struct tp_arena memory;
    struct tp_str text;

    (void)state;
    tp_arena_init(&memory, 0);
    assert_int_equal(setjmp(memory.guard), 0);
    for (size_t count = 2; count <= 80; count += 26) {
        fill_digest(&digest, &memory, count);
        text = tp_digest_finish(&digest);
        assert_true(text.len && text.len <= TP_MAX_MARKDOWN_BYTES);
        assert_true(tp_str_find(text, count == 2 ? "Step time: " : "per step") >= 0);
        assert_true(tp_str_find(text, count == 80 ? "left out" : "Not usable: bad: not a trace") >= 0);
        assert_true(tp_str_find(text, "secrethost") < 0);
        tp_digest_release(&digest);
    }
    tp_arena_release(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_has_sections_for_existing_data),
        cmocka_unit_test(document_equals_its_parts),
        cmocka_unit_test(equal_input_makes_equal_bytes),
        cmocka_unit_test(redacted_page_names_no_host_and_no_folder),
        cmocka_unit_test(source_lines_link_to_the_given_address),
        cmocka_unit_test(page_fits_its_maximum_size_and_reports_it),
        cmocka_unit_test(failed_input_is_named),
        cmocka_unit_test(separate_assets_leave_no_inline_code),
        cmocka_unit_test(digest_is_small_and_contains_the_verdict),
    };

    return cmocka_run_group_tests_name("page", tests, set_up, tear_down);
}
