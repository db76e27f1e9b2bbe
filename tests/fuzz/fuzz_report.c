/* Writes the whole report of arbitrary bytes, as a trace: views, advice, ranks, page and digest. The JSON must be
 * valid, the page must contain no markup from the trace, and the digest must not exceed its maximum size. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/made_profile.h"
#include "webreport/document/report/sections.h"
#include "webreport/measure/ranks/distributed.h"
#include "webreport/print/print.h"
#include "webreport/print/report_page.h"
#include "webreport/session/trace_analysis.h"
#include "webreport/trace/json/strict.h"
#include "writer/base/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void abort_unless(bool good)
{
    if (!good)
        abort();
}

static bool is_json(const struct tp_buf *text)
{
    struct tp_strict strict;
    tp_strict_init(&strict);
    return tp_strict_feed(&strict, text->data, text->size, NULL) == 0 && tp_strict_end(&strict, NULL) == 0;
}

static void write_json(const struct tp_analysis *a, const struct tp_distributed *ranks, struct tp_buf *text)
{
    struct tp_json json;
    tp_json_init(&json, text);
    tp_json_object(&json);
    tp_fields_members_json(&tp_views_fields, &a->views, NULL, &json);
    tp_fields_members_json(&tp_advice_fields, &a->advice, NULL, &json);
    if (ranks->is_present) {
        tp_json_key(&json, "distributed");
        tp_fields_json(&tp_distributed_fields, ranks, NULL, &json);
    }
    tp_json_object_end(&json);
    abort_unless(text->failed || is_json(text));
}

/* Writes the digest. Running out of arena memory jumps to the guard, which the caller has set. */
static void write_digest(const struct tp_profile *profile, struct tp_arena *arena)
{
    struct tp_document document;
    struct tp_page_limits limits;
    struct tp_section section;
    struct tp_digest digest;
    tp_page_limits_fill(&limits, 0, TP_MAX_MARKDOWN_BYTES, TP_TIMELINE_LONGEST);
    tp_section_init(&section, arena, profile, &(struct tp_section_options){0});
    section.limits = &limits;
    tp_report_document(&document, &section);
    tp_digest_init(&digest, 1);
    tp_digest_add(&digest, &document);
    abort_unless(tp_digest_finish(&digest).len <= TP_MAX_MARKDOWN_BYTES);
    tp_digest_release(&digest);
}

static void render_page(const struct tp_profile *profile, const struct tp_distributed *ranks)
{
    struct tp_page_options options = {.max_bytes = 400000, .redact = profile->file.len % 2};
    struct tp_page_files files;
    struct tp_page *page = NULL;
    abort_unless(tp_page_open(&page, &options, 1, NULL) == 0);
    abort_unless(tp_page_add_profile(page, profile, NULL) == 0);
    abort_unless(tp_page_add_distributed(page, profile->run, ranks, NULL) == 0);
    if (tp_page_finish(page, &files, NULL) == 0)
        abort_unless(files.html_bytes <= options.max_bytes);
    for (size_t i = 0; i < TP_PAGE_PARTS; i++)
        abort_unless(tp_str_find(files.html[i], "<script>alert") < 0);
    tp_page_release(page);
}

static void write_all_reports(struct tp_analysis *a, struct tp_buf *text)
{
    struct tp_rank_summary ranks[2];
    struct tp_distributed view;
    struct tp_profile profile = make_profile_of_analysis(a);
    tp_analysis_build(a, NULL, NULL);
    tp_rank_summary_build(&ranks[0], TP_STR("w0"), &a->model, &a->views.overview, &a->arena);
    tp_rank_summary_build(&ranks[1], TP_STR("w1"), &a->model, &a->views.overview, &a->arena);
    tp_distributed_build(&view, 1, ranks, 2, &a->arena);
    write_json(a, &view, text);
    render_page(&profile, &view);
    write_digest(&profile, &a->arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_analysis analysis;
    struct tp_trace_options options = {.single_thread = true, .max_input_bytes = 16u << 20, .wants_arguments = true};
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_analysis_open(&analysis, NULL);
    if (setjmp(analysis.arena.guard) == 0 &&
        tp_trace_read_bytes(&analysis.trace, &analysis.arena, data, size, &options, NULL) == 0)
        write_all_reports(&analysis, &text);
    tp_analysis_close(&analysis);
    tp_buf_release(&text);
    return 0;
}
