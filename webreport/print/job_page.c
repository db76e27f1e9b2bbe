/* The page of one or more jobs: see job_print.h. The shell is the report's. */
#include "webreport/document/job_sections_parts.h"
#include "webreport/print/job_print.h"
#include "webreport/print/page_shell.h"
#include "webreport/print/template.h"
#include "writer/base/limits.h"
#include "writer/text/format.h"

/* From all to the least. */
static const struct tp_job_page_limits levels[] = {
    {200, 16, true}, {60, 10, true}, {20, 5, true}, {10, 3, false}, {3, 1, false}};
enum { LEVELS = sizeof levels / sizeof *levels };

static const struct {
    const char *id, *label;
} links[] = {{"job", "Overview"},          {"heat", "Ranks and steps"},    {"ranks", "Worst ranks"},
             {"groups", "Groups"},         {"collectives", "Collectives"}, {"links", "Links"},
             {"rank-findings", "Findings"}};

struct page {
    const struct tp_jobs *jobs;
    const struct tp_page_options *options;
    struct tp_page_files *files;
    struct tp_arena *arena;
    struct tp_assets assets;
    struct tp_templates templates;
    struct tp_html html;
    struct tp_buf fragment, document;
};

static const char *prefix_of(const struct page *page, size_t job)
{
    return page->jobs->count > 1 ? tp_text_printf(page->arena, "j%zu-", job + 1) : "";
}

static int render_job(struct page *page, size_t number, const struct tp_job_page_limits *limits, struct tp_error *err)
{
    struct tp_job_page part = {
        .jobs = page->jobs,
        .job = &page->jobs->items[number],
        .arena = page->arena,
        .naming = {.arena = page->arena, .redact = page->options->redact, .source_url = page->options->source_url},
        .limits = limits};
    struct tp_object *root = tp_object_new(page->arena);
    if (page->options->redact && part.job->ranks.count)
        part.naming.host = tp_worker_host(tp_job_rank_at(part.job, 0)->key.worker);
    tp_object_text(root, "p", prefix_of(page, number));
    tp_job_page_put_overview(&part, root);
    tp_job_page_put_heat(&part, root);
    tp_job_page_put_tables(&part, root);
    return tp_template_render(&page->templates, "job", tp_data_of_object(root), &page->fragment, err);
}

static bool has_text(const struct tp_buf *buf, const char *text)
{
    return buf->data && strstr(buf->data, text);
}

/* One job: its sections. Several: each by its name. */
static void put_links(const struct page *page, struct tp_object *root)
{
    struct tp_list *list = tp_object_list(root, "links");
    for (size_t i = 0; i < page->jobs->count && page->jobs->count > 1; i++) {
        const struct tp_job *job = &page->jobs->items[i];
        struct tp_object *link = tp_list_object(list);
        struct tp_str name = tp_text_cut(page->arena, job->name, 32);
        tp_object_printf(link, "target", "%sjob", prefix_of(page, i));
        if (job->span == TP_NULL_INT)
            tp_object_printf(link, "label", "Job %.*s", (int)name.len, name.ptr);
        else
            tp_object_printf(link, "label", "Job %.*s span %lld", (int)name.len, name.ptr, (long long)job->span);
    }
    for (size_t i = 0; i < sizeof links / sizeof *links && page->jobs->count == 1; i++) {
        if (!has_text(&page->fragment, tp_text_printf(page->arena, "<section id=\"%s\"", links[i].id)))
            continue;
        struct tp_object *link = tp_list_object(list);
        tp_object_text(link, "target", links[i].id);
        tp_object_text(link, "label", links[i].label);
    }
}

static int render(struct page *page, const struct tp_job_page_limits *limits, struct tp_error *err)
{
    struct tp_object *root = tp_object_new(page->arena);
    int code = 0;
    tp_buf_clear(&page->fragment);
    tp_buf_clear(&page->document);
    for (size_t i = 0; i < page->jobs->count && code == 0; i++)
        code = render_job(page, i, limits, err);
    if (code)
        return code;
    tp_html_put(&page->html, root);
    tp_object_text(root, "version", TP_VERSION);
    tp_object_text(root, "page_title", "Job");
    put_links(page, root);
    tp_object_str(tp_list_object(tp_object_list(root, "parts")), "fragments",
                  (struct tp_str){page->fragment.data ? page->fragment.data : "", page->fragment.size});
    code = tp_template_render(&page->templates, "report", tp_data_of_object(root), &page->document, err);
    return code                                             ? code
           : page->fragment.failed || page->document.failed ? tp_error_set(err, TP_ENOMEM, 0, "out of memory")
                                                            : TP_OK;
}

/* The richest level that fits. */
static int compose(void *context, struct tp_error *err)
{
    struct page *page = context;
    struct tp_page_files *files = page->files;
    size_t most = page->options->max_bytes ? page->options->max_bytes : TP_MAX_PAGE_BYTES;
    int code = tp_source_url_check(page->options->source_url, err);
    tp_assets_init(&page->assets, page->arena, page->options->templates_dir);
    tp_templates_init(&page->templates, page->arena, tp_assets_load, &page->assets);
    code = code ? code : tp_html_build(&page->html, &page->assets, page->options->separate_assets, err);
    for (unsigned level = 0; code == TP_OK && level < LEVELS; level++) {
        code = render(page, &levels[level], err);
        if (code < 0 || page->document.size <= most)
            break;
    }
    if (code < 0)
        return code;
    if (page->document.size > most)
        return tp_error_set(err, TP_ELIMIT, 0, "the shortest page has %zu bytes, more than --max-size",
                            page->document.size);
    *files = (struct tp_page_files){
        .html = {tp_arena_copy(page->arena, page->document.data, page->document.size), page->document.size}};
    if (page->html.is_separate) {
        files->css = page->html.css;
        files->js = page->html.js;
    }
    return TP_OK;
}

int tp_jobs_page(struct tp_page_files *files, const struct tp_jobs *jobs, const struct tp_page_options *options,
                 struct tp_arena *arena, struct tp_error *err)
{
    struct page *page = tp_arena_alloc(arena, sizeof *page);
    page->files = files;
    page->jobs = jobs;
    page->options = options;
    page->arena = arena;
    *files = (struct tp_page_files){{"", 0}, {"", 0}, {"", 0}};
    int code = tp_arena_run(arena, compose, page, err);
    tp_buf_release(&page->fragment);
    tp_buf_release(&page->document);
    tp_arena_pass_on(arena);
    return code;
}
