/* Fills the outputs of a report. See report_outputs.h. */
#include "webreport/print/report_outputs.h"

#include <string.h>

#include "webreport/document/commands/compare_document.h"
#include "webreport/document/job/job_wording.h"
#include "webreport/document/job/rank_findings.h"
#include "webreport/document/report/sections.h"
#include "webreport/document/snapshot/snapshot_document.h"
#include "webreport/measure/ranks/distributed.h"
#include "webreport/measure/ranks/worker_host.h"
#include "webreport/print/html.h"
#include "writer/base/fs.h"
#include "writer/base/limits.h"

/* Opens a file in the folder of the page. html: path of the page. */
static int open_in_page_folder(struct tp_outfile **file, const char *html, const char *name, struct tp_error *err)
{
    char path[4096];
    const char *slash = strrchr(html, '/');
    size_t folder = slash ? (size_t)(slash - html) + 1 : 0;
    if (folder + strlen(name) >= sizeof path)
        return tp_error_set(err, TP_EUSAGE, 0, "the path of the report is too long");
    memcpy(path, html, folder);
    memcpy(path + folder, name, strlen(name) + 1);
    return tp_outfile_open(file, path, err);
}

static int open_html_page(struct tp_outputs *o, size_t profile_count, struct tp_error *err)
{
    const char *html = o->options->html;
    bool is_separate = o->options->page.writes_separate_assets;
    if (!html)
        return TP_OK;
    if (is_separate && strcmp(html, "-") == 0)
        return tp_error_set(err, TP_EUSAGE, 0,
                            "--assets=separate needs -o FILE, because it writes report.css and "
                            "report.js next to FILE");
    int code = tp_page_open(&o->page, &o->options->page, profile_count, err);
    code = code < 0 ? code : tp_outfile_open(&o->html_file, html, err);
    if (code == TP_OK && is_separate)
        code = open_in_page_folder(&o->css_file, html, "report.css", err);
    if (code == TP_OK && is_separate)
        code = open_in_page_folder(&o->js_file, html, "report.js", err);
    return code;
}

static int open_outputs(void *context, size_t profile_count, size_t reported_count, struct tp_error *err)
{
    struct tp_outputs *o = context;
    const struct tp_outputs_options *options = o->options;
    int code = TP_OK;
    tp_buf_init(&o->json_text, 0);
    tp_buf_init(&o->run_findings, 0);
    tp_buf_init(&o->run_jobs, 0);
    tp_json_init(&o->json, &o->json_text);
    if (options->json)
        code = tp_outfile_open(&o->json_file, options->json, err);
    if (code == TP_OK && options->markdown)
        code = tp_outfile_open(&o->markdown_file, options->markdown, err);
    if (code == TP_OK && options->markdown) {
        tp_digest_init(&o->digest, reported_count);
        o->has_markdown = true;
    }
    if (code == TP_OK)
        code = open_html_page(o, profile_count, err);
    tp_json_object(&o->json);
    tp_json_member_text(&o->json, "schema", "tracepress-views");
    tp_json_member_int(&o->json, "schema_version", 2);
    tp_json_key(&o->json, "runs");
    tp_json_array(&o->json);
    return code;
}

/* Writes the collected JSON text to its file, or discards the text if JSON was not requested. */
static int flush_json(struct tp_outputs *o, struct tp_error *err)
{
    int code = TP_OK;
    if (o->json_text.failed)
        code = tp_error_set(err, o->json_text.failed, 0, "out of memory");
    else if (o->json_file)
        code = tp_outfile_write(o->json_file, o->json_text.data, o->json_text.size, err);
    tp_buf_clear(&o->json_text);
    return code;
}

static int add_history(void *context, const struct tp_history_run *runs, size_t count, struct tp_error *err)
{
    struct tp_outputs *o = context;
    return o->page ? tp_page_add_history(o->page, runs, count, err) : TP_OK;
}

static void begin_json_of_run(void *context, struct tp_str name)
{
    struct tp_outputs *o = context;
    tp_json_object(&o->json);
    tp_json_member_str(&o->json, "run_name", name);
    tp_json_key(&o->json, "profiles");
    tp_json_array(&o->json);
}

static void begin_json_of_profile(struct tp_outputs *o, const struct tp_profile *named, const char *status)
{
    tp_json_object(&o->json);
    tp_json_member_str(&o->json, "worker", named->worker);
    if (named->span == TP_NULL_INT)
        tp_json_member_null(&o->json, "span");
    else
        tp_json_member_int(&o->json, "span", named->span);
    tp_json_member_str(&o->json, "file", named->file);
    if (named->is_helper)
        tp_json_member_bool(&o->json, "is_helper", true);
    tp_json_member_text(&o->json, "status", status);
}

/* ---- the digest ---- */

/* Data for adding a profile or a failed input to the digest. */
struct digest_addition {
    struct tp_outputs *outputs;
    const struct tp_profile *profile; /* profile to add; for a failed input, only the names are set */
    const char *why;                  /* reason why the input failed; NULL for a profile */
    struct tp_arena arena;
};

static int make_digest_part(void *context, struct tp_error *err)
{
    enum { DETAILED_PROFILES = 4 };
    struct digest_addition *digest_addition = context;
    struct tp_digest *digest = &digest_addition->outputs->digest;
    bool redact = digest_addition->outputs->options->page.redact;
    struct tp_document document;
    struct tp_page_limits limits;
    struct tp_section section;
    (void)err;
    if (digest_addition->why) {
        struct tp_naming naming = {.arena = &digest_addition->arena, .redact = redact};
        tp_document_add_failed_input(&document, &naming, digest_addition->profile->file, digest_addition->why);
    } else {
        tp_page_limits_fill(&limits, 0, TP_MAX_MARKDOWN_BYTES, TP_TIMELINE_LONGEST);
        limits.evidence = 1;
        tp_section_init(&section, &digest_addition->arena, digest_addition->profile,
                        &(struct tp_section_options){.redact = redact, .is_one_of_many = digest->expected > 1});
        section.limits = &limits;
        (digest->expected > DETAILED_PROFILES ? tp_document_add_profile_line : tp_report_document)(&document, &section);
    }
    tp_digest_add(digest, &document);
    return TP_OK;
}

static int add_to_digest(struct tp_outputs *o, const struct tp_profile *profile, const char *why, struct tp_error *err)
{
    struct digest_addition digest_addition = {.outputs = o, .profile = profile, .why = why};
    tp_arena_init(&digest_addition.arena, 0);
    int code = tp_arena_run(&digest_addition.arena, make_digest_part, &digest_addition, err);
    tp_arena_release(&digest_addition.arena);
    return code;
}

/* ---- profiles ---- */

static void start_page_profile(void *context, const struct tp_profile *profile)
{
    struct tp_outputs *o = context;
    if (o->page)
        tp_page_start_profile(o->page, profile);
}

/* Returns the class and headline of a profile's verdict as one line, in the words of the page. */
static const char *verdict_line(void *context, const struct tp_profile *profile, struct tp_arena *arena)
{
    struct tp_naming naming = {.arena = arena};
    struct tp_verdict_block verdict = tp_section_verdict_block(&naming, profile);
    (void)context;
    return tp_text_printf(arena, "%s: %s", verdict.class, verdict.headline);
}

static int add_profile(void *context, const struct tp_profile *profile, struct tp_error *err)
{
    struct tp_outputs *o = context;
    int code = TP_OK;
    if (o->json_file) {
        begin_json_of_profile(o, profile, "ok");
        tp_fields_members_json(&tp_profile_fields, profile, profile->trace->arena, &o->json);
        tp_json_object_end(&o->json);
        code = flush_json(o, err);
    }
    if (code == TP_OK && o->page)
        code = tp_page_add_profile(o->page, profile, err);
    if (code == TP_OK && o->has_markdown && !profile->is_silent)
        code = add_to_digest(o, profile, NULL, err);
    return code;
}

static int add_failed(void *context, const struct tp_profile *named, const char *why, struct tp_error *err)
{
    struct tp_outputs *o = context;
    int code = TP_OK;
    begin_json_of_profile(o, named, "failed");
    tp_json_member_text(&o->json, "error", why);
    tp_json_object_end(&o->json);
    if (o->page)
        code = tp_page_add_failed(o->page, named->run, named->worker, named->file, why, err);
    if (code == TP_OK && o->has_markdown)
        code = add_to_digest(o, named, why, err);
    return code;
}

static void end_profiles(void *context)
{
    struct tp_outputs *o = context;
    tp_json_array_end(&o->json);
    tp_json_key(&o->json, "distributed");
    tp_json_array(&o->json);
}

/* Data for adding the findings between ranks to the JSON output. */
struct run_findings {
    struct tp_outputs *outputs;
    const struct tp_distributed *view;
    struct tp_arena arena;
};

static int build_rank_findings(void *context, struct tp_error *err)
{
    struct run_findings *findings = context;
    struct tp_outputs *o = findings->outputs;
    struct tp_rank_findings found;
    struct tp_json json;
    (void)err;
    tp_rank_findings_find(&found, findings->view, &findings->arena);
    if (!(found.percent > 0) || (o->run_findings.size && found.percent <= o->run_findings_percent))
        return TP_OK;
    o->run_findings_percent = found.percent;
    tp_buf_clear(&o->run_findings);
    tp_json_init(&json, &o->run_findings);
    tp_json_array(&json);
    for (unsigned i = 0; i < found.count; i++)
        tp_fields_json(&tp_finding_fields, &found.items[i], NULL, &json);
    tp_json_array_end(&json);
    return TP_OK;
}

/* Stores the findings between the ranks of a recording as JSON, if they cost more than the stored findings of the run's
 * earlier recordings. The stored findings are written after the last recording of the run. */
static int store_rank_findings(struct tp_outputs *o, const struct tp_distributed *view, struct tp_error *err)
{
    struct run_findings findings = {.outputs = o, .view = view};
    tp_arena_init(&findings.arena, 0);
    int code = tp_arena_run(&findings.arena, build_rank_findings, &findings, err);
    tp_arena_release(&findings.arena);
    return code;
}

/* Data for adding the ranks of a recording, treated as a job, to the digest and the JSON output. */
struct ranks_job {
    struct tp_outputs *outputs;
    const struct tp_distributed *view;
    struct tp_arena arena;
};

static int add_ranks(void *context, struct tp_error *err)
{
    struct ranks_job *ranks = context;
    struct tp_outputs *o = ranks->outputs;
    struct tp_naming naming = {.arena = &ranks->arena, .redact = o->options->page.redact};
    struct tp_document document;
    struct tp_json json;
    (void)err;
    if (naming.redact && ranks->view->rank_count)
        naming.host = tp_worker_host(ranks->view->ranks[0]->worker);
    tp_job_ranks_document(&document, &naming, ranks->view->job);
    if (o->has_markdown)
        tp_digest_insert_first(&o->digest, &document);
    if (!o->json_file)
        return TP_OK;
    tp_buf_putc(&o->run_jobs, o->run_jobs.size ? ',' : '[');
    tp_json_init(&json, &o->run_jobs);
    tp_json_write_object(&json, document.record);
    return TP_OK;
}

static int add_job_outputs(struct tp_outputs *o, const struct tp_distributed *view, struct tp_error *err)
{
    struct ranks_job ranks = {.outputs = o, .view = view};
    tp_arena_init(&ranks.arena, 0);
    int code = tp_arena_run(&ranks.arena, add_ranks, &ranks, err);
    tp_arena_release(&ranks.arena);
    return code;
}

static int add_distributed(void *context, struct tp_str run, const struct tp_distributed *view, struct tp_error *err)
{
    struct tp_outputs *o = context;
    if (!view->is_present)
        return TP_OK;
    if (o->json_file) {
        tp_fields_json(&tp_distributed_fields, view, NULL, &o->json);
        int code = store_rank_findings(o, view, err);
        if (code)
            return code;
    }
    if (view->job) {
        int code = add_job_outputs(o, view, err);
        if (code)
            return code;
    }
    return o->page ? tp_page_add_distributed(o->page, run, view, err) : TP_OK;
}

static int end_json_of_run(void *context, struct tp_error *err)
{
    struct tp_outputs *o = context;
    tp_json_array_end(&o->json);
    if (o->run_findings.size) {
        tp_json_key(&o->json, "recommendations");
        tp_json_object(&o->json);
        tp_json_key(&o->json, "findings");
        tp_json_raw(&o->json, (struct tp_str){o->run_findings.data, o->run_findings.size});
        tp_json_object_end(&o->json);
        tp_buf_clear(&o->run_findings);
    }
    if (o->run_jobs.size) {
        tp_buf_putc(&o->run_jobs, ']');
        tp_json_key(&o->json, "job");
        tp_json_raw(&o->json, (struct tp_str){o->run_jobs.data, o->run_jobs.size});
        tp_buf_clear(&o->run_jobs);
    }
    tp_json_object_end(&o->json);
    return flush_json(o, err);
}

static void reserve_comparison_bytes(void *context)
{
    struct tp_outputs *o = context;
    o->reserved_bytes = o->page ? tp_page_reserve_section_bytes(o->page) : 0;
}

static int add_comparison(void *context, const struct tp_compare *compare, struct tp_error *err)
{
    enum { MOST_ROWS = 100 };
    struct tp_outputs *o = context;
    struct tp_naming naming = {
        .arena = compare->arena, .redact = o->options->page.redact, .source_url = o->options->page.source_url};
    tp_compare_document(&o->comparison,
                        &(struct tp_compare_shown){.compare = compare, .naming = &naming, .max_rows = MOST_ROWS});
    o->has_comparison = true;
    return o->page ? tp_page_add_section(o->page, "diff", "Baseline",
                                         tp_html_part(&o->comparison, "", o->reserved_bytes), err)
                   : TP_OK;
}

static int add_snapshot(void *context, const struct tp_joined_snapshot *joined, struct tp_error *err)
{
    struct tp_outputs *o = context;
    uint64_t count = joined->result ? joined->result->device_count : 0, shown = count > 1 ? count : 1;
    int code = TP_OK;
    o->snapshot = joined;
    for (uint64_t i = 0; i < shown && code == TP_OK; i++) {
        struct tp_document *document = &o->snapshot_document, other;
        struct tp_arena *arena = joined->arena;
        document = i ? &other : document;
        tp_joined_snapshot_document(document, joined, i, o->options->page.redact, arena);
        const char *prefix = tp_text_printf(arena, "snap%llu-", (unsigned long long)i);
        if (o->page)
            code = tp_page_add_section(
                o->page, tp_text_printf(arena, "%smemory", prefix),
                i ? tp_text_printf(arena, "Memory of GPU %lld", (long long)joined->result->devices[i].device)
                  : "Memory snapshot",
                tp_html_part(document, prefix, o->reserved_bytes), err);
    }
    return code;
}

static int write_and_commit(struct tp_outfile **file, struct tp_str text, struct tp_error *err)
{
    int code = tp_outfile_write(*file, text.ptr, text.len, err);
    return code < 0 ? code : tp_outfile_commit(file, err);
}

static int commit_page(struct tp_outputs *o, const struct tp_page_files *files, struct tp_error *err)
{
    int code = TP_OK;
    for (size_t i = 0; i < TP_PAGE_PARTS && code == TP_OK; i++)
        code = tp_outfile_write(o->html_file, files->html[i].ptr, files->html[i].len, err);
    return code < 0 ? code : tp_outfile_commit(&o->html_file, err);
}

/* Appends a document, such as the comparison with a baseline as `diff --markdown` prints it. end: see
 * tp_print_options. */
static void append_markdown(struct tp_buf *text, const struct tp_document *document, size_t end, struct tp_error *err)
{
    struct tp_buf part;
    tp_buf_init(&part, 0);
    tp_print_markdown(&part, document, &(struct tp_print_options){.end = end}, err);
    tp_buf_putc(text, '\n');
    tp_buf_add(text, part.data, part.size);
    text->failed = text->failed ? text->failed : part.failed;
    tp_buf_release(&part);
}

/* Writes the digest, followed by the comparison with a baseline and by the memory snapshot if there are any. */
static int commit_markdown(struct tp_outputs *o, struct tp_error *err)
{
    struct tp_buf text;
    struct tp_str digest = tp_digest_finish(&o->digest);
    tp_buf_init(&text, 0);
    tp_buf_add(&text, digest.ptr, digest.len);
    if (o->has_comparison)
        append_markdown(&text, &o->comparison, 0, err);
    if (o->snapshot)
        append_markdown(&text, &o->snapshot_document, TP_MAX_MARKDOWN_BYTES, err);
    int code = text.failed ? tp_error_set(err, text.failed, 0, "out of memory")
                           : write_and_commit(&o->markdown_file, (struct tp_str){text.data, text.size}, err);
    tp_buf_release(&text);
    return code;
}

static int commit_outputs(void *context, struct tp_error *err)
{
    struct tp_outputs *o = context;
    struct tp_page_files files = {0};
    int code = o->page ? tp_page_finish(o->page, &files, err) : TP_OK;
    tp_json_array_end(&o->json);
    if (o->has_comparison) {
        tp_json_key(&o->json, "comparison");
        tp_json_write_object(&o->json, o->comparison.record);
    }
    if (o->snapshot) {
        tp_json_key(&o->json, "memory_snapshot");
        tp_joined_snapshot_json(o->snapshot, o->snapshot->arena, &o->json);
    }
    tp_json_object_end(&o->json);
    tp_buf_putc(&o->json_text, '\n');
    code = code < 0 ? code : flush_json(o, err);
    if (code == TP_OK && o->json_file)
        code = tp_outfile_commit(&o->json_file, err);
    if (code == TP_OK && o->has_markdown)
        code = commit_markdown(o, err);
    if (code == TP_OK && o->css_file)
        code = write_and_commit(&o->css_file, files.css, err);
    if (code == TP_OK && o->js_file)
        code = write_and_commit(&o->js_file, files.js, err);
    if (code == TP_OK && o->html_file)
        code = commit_page(o, &files, err);
    return code;
}

const struct tp_report_receiver tp_outputs_receiver = {.open = open_outputs,
                                                       .history = add_history,
                                                       .reserve = reserve_comparison_bytes,
                                                       .begin_run = begin_json_of_run,
                                                       .start_profile = start_page_profile,
                                                       .line = verdict_line,
                                                       .profile = add_profile,
                                                       .failed = add_failed,
                                                       .end_profiles = end_profiles,
                                                       .distributed = add_distributed,
                                                       .end_run = end_json_of_run,
                                                       .comparison = add_comparison,
                                                       .snapshot = add_snapshot,
                                                       .commit = commit_outputs};

void tp_outputs_close(struct tp_outputs *o)
{
    tp_outfile_discard(&o->html_file);
    tp_outfile_discard(&o->css_file);
    tp_outfile_discard(&o->js_file);
    tp_outfile_discard(&o->json_file);
    tp_outfile_discard(&o->markdown_file);
    tp_page_release(o->page);
    o->page = NULL;
    if (o->has_markdown)
        tp_digest_release(&o->digest);
    o->has_markdown = false;
    tp_buf_release(&o->json_text);
    tp_buf_release(&o->run_findings);
    tp_buf_release(&o->run_jobs);
}
