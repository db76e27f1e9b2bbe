/* Builds the report page: an index, one fragment per profile, and the HTML document around the fragments. See
 * report_page.h. */
#include "webreport/print/report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/document/commands/history_document.h"
#include "webreport/document/report/page_index.h"
#include "webreport/document/report/program_document.h"
#include "webreport/document/report/sections.h"
#include "webreport/print/html.h"
#include "webreport/print/page_sections.h"
#include "webreport/print/page_shell.h"
#include "writer/base/limits.h"
#include "writer/text/assets.h"

enum {
    SHELL_BYTES = 16384, /* estimated size of the document without style, script and fragments, bytes */
    RANKS_BYTES = 8192,  /* estimated size of the section that compares ranks, and of each rank in it, bytes */
    RANK_BYTES = 1800,
    MAX_RANKS_SHOWN = 256,
    OVERVIEW_BYTES = 28672 /* estimated size of the shortest form of a profile, bytes */
};

struct tp_page {
    /* arena: memory of the page; scratch: memory of one profile, released after each profile */
    struct tp_arena arena, scratch;
    struct tp_arena large_arena; /* memory of one profile for the thread that builds the large sections */
    struct tp_page_options options;
    struct tp_assets assets;
    struct tp_templates templates;
    struct tp_html html;
    bool has_programs; /* true: the page has the style and script for programs recorded from outside */
    struct tp_buf ranks, profiles, index, extra; /* fragments of the page; extra: sections that belong to no profile */
    struct tp_buf about;                         /* end of the page of a single profile: the section about the report */
    struct tp_buf document;                      /* the HTML document, without the fragments */
    size_t fragments_offset;                     /* position in `document` where the fragments are inserted */
    struct {
        const char *target, *label;
    } extras[TP_PAGE_SECTIONS];
    unsigned extra_count;
    size_t reserved; /* part of the size limit that is reserved for sections that are added later, bytes */
    struct tp_page_index entries;
    size_t expected;                /* number of profiles, including failed ones */
    struct tp_page_limits limits;   /* limits of the level of detail for the current profile */
    struct tp_large_sections ahead; /* built in advance by tp_page_start_profile, at the most detailed level */
    size_t ahead_nodes;             /* largest number of call tree nodes in `ahead` */
    bool has_ahead;
};

static const char *copy_text(struct tp_arena *arena, const char *text)
{
    return text ? tp_arena_copy(arena, text, strlen(text)) : NULL;
}

/* Arguments of the functions that add a profile, an input, ranks or a section to a page. */
struct addition {
    struct tp_page *page;
    const struct tp_page_options *options;
    const struct tp_profile *profile;
    const struct tp_distributed *distributed;
    struct tp_str worker, file;
    const char *why;            /* reason why an input failed; NULL otherwise */
    const char *target, *label; /* id and label of the section in `data` */
    struct tp_data data;
    const struct tp_history_run *history;
    size_t history_count;
};

static int open_page_in_guard(void *context, struct tp_error *err)
{
    struct tp_page *page = ((struct addition *)context)->page;
    const struct tp_page_options *options = ((struct addition *)context)->options;
    int code = tp_source_url_check(options->source_url, err);
    if (code)
        return code;
    page->options = *options;
    page->options.source_url = copy_text(&page->arena, options->source_url);
    page->options.templates_dir = copy_text(&page->arena, options->templates_dir);
    if (!page->options.max_bytes)
        page->options.max_bytes = TP_MAX_PAGE_BYTES;
    tp_assets_init(&page->assets, &page->arena, page->options.templates_dir);
    tp_templates_init(&page->templates, &page->arena, tp_assets_load, &page->assets);
    tp_page_index_init(&page->entries, &page->arena);
    return tp_html_build(&page->html, &page->assets,
                         options->writes_separate_assets ? TP_HTML_SEPARATE : TP_HTML_INLINE, err);
}

int tp_page_open(struct tp_page **out, const struct tp_page_options *options, size_t profile_count,
                 struct tp_error *err)
{
    struct tp_page *page = calloc(1, sizeof(*page));
    int code;
    *out = NULL;
    if (!page)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    tp_arena_init(&page->arena, 0);
    page->expected = profile_count ? profile_count : 1;
    code = tp_arena_run(&page->arena, open_page_in_guard, &(struct addition){.page = page, .options = options}, err);
    if (code) {
        tp_page_release(page);
        return code;
    }
    *out = page;
    return 0;
}

void tp_page_release(struct tp_page *page)
{
    if (!page)
        return;
    tp_buf_release(&page->ranks);
    tp_buf_release(&page->profiles);
    tp_buf_release(&page->index);
    tp_buf_release(&page->extra);
    tp_buf_release(&page->about);
    tp_buf_release(&page->document);
    tp_arena_release(&page->scratch);
    tp_arena_release(&page->large_arena);
    tp_arena_release(&page->arena);
    free(page);
}

/* ---- one profile ---- */

/* Returns the largest size of the next profile, bytes: an equal share of the remaining space, but at least the size of
 * an overview. With too many profiles, the page shows only the first ones, and the index lists the others. */
static size_t next_profile_bytes(const struct tp_page *page)
{
    size_t ranks = page->expected < MAX_RANKS_SHOWN ? page->expected : MAX_RANKS_SHOWN, reserve, even, free_bytes;
    size_t left = page->expected > page->entries.entries.count ? page->expected - page->entries.entries.count : 1;
    size_t used = SHELL_BYTES + page->html.css.len + page->html.js.len + page->ranks.size + page->extra.size +
                  page->reserved + page->profiles.size + tp_page_index_estimated_bytes(&page->entries, page->expected);

    if (page->expected > 1) { /* reserves space for the comparison of ranks, which is added last */
        reserve = RANKS_BYTES + ranks * RANK_BYTES;
        used += reserve < page->options.max_bytes / 8 ? reserve : page->options.max_bytes / 8;
    }
    if (used >= page->options.max_bytes)
        return 0;
    free_bytes = page->options.max_bytes - used;
    even = free_bytes / left;
    if (even >= OVERVIEW_BYTES)
        return even;
    return free_bytes < OVERVIEW_BYTES ? free_bytes : OVERVIEW_BYTES;
}

static void init_section(struct tp_section *section, const struct tp_page *page, struct tp_arena *arena,
                         const struct tp_profile *profile)
{
    tp_section_init(section, arena, profile,
                    &(struct tp_section_options){page->options.redact, page->options.source_url,
                                                 .is_one_of_many = page->expected > 1});
}

/* Adds the sections of a profile to the template data in `root`. */
static void put_sections(struct tp_page *page, const struct tp_section *section, struct tp_page_entry *entry,
                         struct tp_object *root)
{
    struct tp_large_sections large = page->ahead; /* empty if no sections were built in advance */
    large.is_built = page->has_ahead && page->ahead_nodes == section->limits->tree_nodes;
    page->has_ahead = false; /* sections built in advance are used only for the first level of detail */
    tp_page_sections_put(root, entry, section, &large, &page->large_arena);
}

static int render_profile(struct tp_page *page, const struct tp_section *section, struct tp_page_entry *entry,
                          struct tp_buf *out, struct tp_error *err)
{
    struct tp_object *root = tp_object_new(section->arena);
    bool is_many = section->is_one_of_many;
    tp_object_add_text(root, "p", is_many ? entry->prefix : "");
    tp_object_add_bool(root, "is_one_of_many", is_many);
    tp_object_add_bool(root, "is_open", page->entries.shown_count == 0);
    tp_object_add_text(root, "title", section->title);
    tp_object_add_str(root, "run", tp_shown_text(&section->naming, section->profile->run));
    tp_object_add_text(root, "summary", is_many ? tp_page_index_summary(entry, section->arena) : "");
    tp_page_index_put_link(&page->entries, root, section, next_profile_bytes(page) >= OVERVIEW_BYTES);
    put_sections(page, section, entry, root);
    int code = tp_template_render(&page->templates, "profile", tp_data_of_object(root), out, err);
    if (code || is_many)
        return code;
    page->about.size = 0;
    return tp_template_render(&page->templates, "profile_end", tp_data_of_object(root), &page->about, err);
}

static void set_profile_limits(struct tp_page *page, unsigned level, size_t share)
{
    tp_page_limits_fill(&page->limits, level, share, page->options.timeline);
}

/* Renders the profile at the most detailed level that fits. If no level fits, only the index lists the profile. */
static int fit_profile(struct tp_page *page, struct tp_section *section, struct tp_page_entry *entry,
                       struct tp_error *err)
{
    size_t share = next_profile_bytes(page), before = page->profiles.size;
    section->limits = &page->limits;
    for (unsigned level = 0; level < tp_page_level_count(); level++) {
        set_profile_limits(page, level, share);
        section->left_out = tp_page_level_text(level);
        int code = render_profile(page, section, entry, &page->profiles, err);
        if (code)
            return code;
        if (page->profiles.size - before + page->about.size <= share) {
            entry->is_shown = true;
            return 0;
        }
        page->profiles.size = before;
        page->profiles.data[before] = 0;
        page->about.size = 0;
    }
    return 0;
}

static int start_profile(void *context, struct tp_error *err)
{
    struct tp_page *page = ((struct addition *)context)->page;
    struct tp_large_sections *ahead = &page->ahead;
    (void)err;
    *ahead = (struct tp_large_sections){0};
    init_section(&ahead->section, page, &page->large_arena, ((struct addition *)context)->profile);
    ahead->section.limits = &page->limits;
    set_profile_limits(page, 0, next_profile_bytes(page));
    tp_large_sections_build(ahead);
    tp_arena_return_free_pages(&page->large_arena);
    page->ahead_nodes = page->limits.tree_nodes;
    /* after a failure, tp_page_add_profile repeats the work and reports the error */
    page->has_ahead = page->large_arena.code == 0;
    return 0;
}

void tp_page_start_profile(struct tp_page *page, const struct tp_profile *profile)
{
    tp_arena_release(&page->large_arena);
    tp_arena_init(&page->large_arena, 0);
    page->large_arena.avoids_huge_pages = true;
    page->has_ahead = false;
    tp_arena_run(&page->large_arena, start_profile, &(struct addition){.page = page, .profile = profile}, NULL);
}

static int add_profile(void *context, struct tp_error *err)
{
    struct tp_page *page = ((struct addition *)context)->page;
    const struct tp_profile *profile = ((struct addition *)context)->profile;
    struct tp_section section;
    struct tp_page_entry *entry = tp_page_index_add(&page->entries);
    int code = 0;
    init_section(&section, page, &page->scratch, profile);
    tp_page_index_set_run_name(&page->entries, &section.naming, profile->run);
    tp_page_index_fill(entry, &page->arena, &section);
    if (tp_section_is_program(&section))
        code = tp_html_build_with_programs(&page->html, &page->assets, page->expected == 1, err);
    if (!code)
        code = fit_profile(page, &section, entry, err);
    page->entries.shown_count += entry->is_shown;
    return code;
}

int tp_page_add_profile(struct tp_page *page, const struct tp_profile *profile, struct tp_error *err)
{
    int code;
    tp_arena_init(&page->scratch, 0);
    page->scratch.avoids_huge_pages = true;
    if (!page->has_ahead) {
        tp_arena_release(&page->large_arena);
        tp_arena_init(&page->large_arena, 0);
        page->large_arena.avoids_huge_pages = true;
    }
    code = tp_arena_run_both(&page->scratch, &page->arena, add_profile,
                             &(struct addition){.page = page, .profile = profile}, err);
    tp_arena_release(&page->scratch);
    tp_arena_release(&page->large_arena);
    page->has_ahead = false;
    return code;
}

static int add_failed(void *context, struct tp_error *err)
{
    const struct addition *failed = context;
    struct tp_page *page = failed->page;
    struct tp_naming naming = {.arena = &page->arena, .redact = page->options.redact};
    (void)err;
    if (naming.redact)
        naming.host = tp_worker_host(failed->worker);
    tp_page_index_add_failed(&page->entries, &naming, failed->worker, failed->file, failed->why);
    return 0;
}

int tp_page_add_failed(struct tp_page *page, struct tp_str run, struct tp_str worker, struct tp_str file,
                       const char *why, struct tp_error *err)
{
    struct addition failed = {.page = page, .worker = worker, .file = file, .why = why};
    (void)run;
    return tp_arena_run(&page->arena, add_failed, &failed, err);
}

/* Fills the findings of the slowest rank, with its name. Returns false if they are unknown. */
static bool find_findings_of_slowest_rank(const struct tp_page *page, struct tp_findings_block *findings,
                                          const struct tp_naming *naming, const struct tp_distributed *view)
{
    struct tp_str worker = view->ranks[tp_ranks_slowest(naming, view)]->worker;
    const struct tp_page_entry *entry = tp_page_index_find(&page->entries, worker, view->span);
    if (!entry || !entry->findings)
        return false;
    struct tp_str name = tp_shown_text(naming, worker);
    *findings = *entry->findings;
    findings->note = tp_text_printf(naming->arena, "on %.*s, the slowest rank%s%s", (int)name.len, name.ptr,
                                    findings->note ? ": " : "", findings->note ? findings->note : "");
    return true;
}

static int add_distributed(void *context, struct tp_error *err)
{
    struct tp_page *page = ((struct addition *)context)->page;
    const struct tp_distributed *view = ((struct addition *)context)->distributed;
    struct tp_naming naming = {
        .arena = &page->scratch, .redact = page->options.redact, .source_url = page->options.source_url};
    struct tp_object *root = tp_object_new(&page->scratch);
    struct tp_data data;
    if (naming.redact && view->rank_count)
        naming.host = tp_worker_host(view->ranks[0]->worker);
    data = tp_section_distributed(&page->scratch, &naming, view, tp_page_index_joined_speech(&page->entries));
    /* the ranks are compared only if there are at least two */
    if (data.kind == TP_DATA_NONE || (page->expected > 1 && view->rank_count < 2))
        return 0;
    tp_object_add_value(root, "distributed", data);
    if (view->rank_count > 1) {
        struct tp_document document;
        struct tp_findings_block findings;
        bool has_findings = find_findings_of_slowest_rank(page, &findings, &naming, view);
        tp_ranks_document(&document, &naming, view, has_findings ? &findings : NULL);
        tp_object_add_value(
            root, "answer",
            tp_html_part(&document, tp_text_printf(&page->scratch, "job%u-", page->entries.span_count + 1), SIZE_MAX));
    }
    tp_object_add_text(
        root, "p", page->entries.span_count++ ? tp_text_printf(&page->scratch, "d%u-", page->entries.span_count) : "");
    return tp_template_render(&page->templates, "ranks", tp_data_of_object(root), &page->ranks, err);
}

int tp_page_add_distributed(struct tp_page *page, struct tp_str run, const struct tp_distributed *view,
                            struct tp_error *err)
{
    int code;
    (void)run;
    if (!view->is_present)
        return 0;
    tp_arena_init(&page->scratch, 0);
    page->scratch.avoids_huge_pages = true;
    code = tp_arena_run_both(&page->scratch, &page->arena, add_distributed,
                             &(struct addition){.page = page, .distributed = view}, err);
    tp_arena_release(&page->scratch);
    return code;
}

static int add_section(void *context, struct tp_error *err)
{
    const struct addition *added = context;
    struct tp_page *page = added->page;
    page->extras[page->extra_count].target = copy_text(&page->arena, added->target);
    page->extras[page->extra_count++].label = copy_text(&page->arena, added->label);
    return tp_template_render(&page->templates, "document", added->data, &page->extra, err);
}

int tp_page_add_section(struct tp_page *page, const char *target, const char *label, struct tp_data data,
                        struct tp_error *err)
{
    if (data.kind == TP_DATA_NONE || page->extra_count == TP_PAGE_SECTIONS)
        return 0;
    return tp_arena_run(&page->arena, add_section,
                        &(struct addition){.page = page, .target = target, .label = label, .data = data}, err);
}

static int add_history(void *context, struct tp_error *err)
{
    const struct addition *added = context;
    struct tp_document document;
    tp_history_document(&document, added->history, added->history_count, &added->page->arena);
    return tp_page_add_section(added->page, "history", "History", tp_html_part(&document, "", SIZE_MAX), err);
}

int tp_page_add_history(struct tp_page *page, const struct tp_history_run *runs, size_t count, struct tp_error *err)
{
    struct addition addition = {.page = page, .history = runs, .history_count = count};
    if (!count)
        return 0;
    return tp_arena_run(&page->arena, add_history, &addition, err);
}

size_t tp_page_reserve_section_bytes(struct tp_page *page)
{
    page->reserved += page->options.max_bytes / 8;
    return page->options.max_bytes / 8;
}

/* ---- the document ---- */

static void add_link(struct tp_list *links, struct tp_str target, struct tp_str label)
{
    struct tp_object *link = tp_list_add_object(links);
    tp_object_add_str(link, "target", target);
    tp_object_add_str(link, "label", label);
}

/* Adds the links to the sections of a single profile. is_last: only to the sections that end the page; otherwise to all
 * others. */
static void add_links_to_sections(struct tp_page *page, struct tp_list *links, const struct tp_page_entry *entry,
                                  bool is_last)
{
    for (unsigned s = 0; s < entry->section_count; s++)
        if (tp_page_section_is_last(entry->sections[s]) == is_last)
            add_link(links, tp_str_of(tp_page_section_name(entry->sections[s])),
                     tp_str_of(tp_speech_text(entry->speech, tp_page_section_label(entry->sections[s]), &page->arena)));
}

/* Adds the links of the navigation: to the sections of a single profile, or to the index, ranks and first profiles. */
static void write_links_of_page(struct tp_page *page, struct tp_object *root)
{
    struct tp_list *links = tp_object_add_list(root, "links");
    struct tp_page_entry *entries = page->entries.entries.data;
    unsigned named = 0;
    if (page->ranks.size && page->expected > 1)
        add_link(links, TP_STR("distributed"), TP_STR("Ranks"));
    if (page->index.size)
        add_link(links, TP_STR("index"), TP_STR("Profiles"));
    for (size_t i = 0; i < page->entries.entries.count; i++) {
        if (!entries[i].is_shown)
            continue;
        if (page->expected <= 1)
            add_links_to_sections(page, links, &entries[i], false);
        else if (named++ < 12)
            add_link(links, tp_str_of(tp_text_printf(&page->arena, "%soverview", entries[i].prefix)),
                     tp_text_shorten(&page->arena, tp_page_index_label(&page->entries, i), 32));
    }
    if (page->ranks.size && page->expected <= 1)
        add_link(links, TP_STR("distributed"), TP_STR("Distributed"));
    for (unsigned i = 0; i < page->extra_count; i++)
        add_link(links, tp_str_of(page->extras[i].target), tp_str_of(page->extras[i].label));
    for (size_t i = 0; i < page->entries.entries.count && page->expected <= 1; i++)
        if (entries[i].is_shown)
            add_links_to_sections(page, links, &entries[i], true);
}

/* Stores the position in the document where the fragments are inserted, so that no fragment is copied. */
static void store_position_of_placeholder(const struct tp_data *value, struct tp_buf *out)
{
    *(size_t *)(uintptr_t)value->self = out->size;
}

static struct tp_str buffer_text(const struct tp_buf *buf)
{
    return (struct tp_str){buf->size ? buf->data : "", buf->size};
}

static int finish_page_in_guard(void *context, struct tp_error *err)
{
    struct tp_page *page = context;
    struct tp_object *root = tp_object_new(&page->arena), *index_root = tp_object_new(&page->arena);
    struct tp_data index = tp_page_index_data(&page->entries, page->expected, page->options.max_bytes);
    static const struct tp_data_source fragments = {.print = store_position_of_placeholder};
    int code;
    if (index.kind != TP_DATA_NONE) {
        tp_object_add_value(index_root, "index", index);
        code = tp_template_render(&page->templates, "index", tp_data_of_object(index_root), &page->index, err);
        if (code)
            return code;
    }
    tp_html_put_shell(&page->html, root);
    tp_object_add_text(root, "version", TP_VERSION);
    tp_object_add_str(root, "page_title", tp_page_index_title(&page->entries));
    write_links_of_page(page, root);
    tp_object_add_value(
        root, "fragments",
        (struct tp_data){.kind = TP_DATA_PRINTED, .source = &fragments, .self = &page->fragments_offset});
    /* reserves the final size, because growing the buffer would copy its content */
    tp_buf_reserve(&page->document, page->html.css.len + page->html.js.len + SHELL_BYTES);
    return tp_template_render(&page->templates, "report", tp_data_of_object(root), &page->document, err);
}

int tp_page_finish(struct tp_page *page, struct tp_page_files *files, struct tp_error *err)
{
    int code;
    *files = (struct tp_page_files){.css = {"", 0}, .js = {"", 0}};
    code = tp_arena_run(&page->arena, finish_page_in_guard, page, err);
    if (code)
        return code;
    if (page->document.failed)
        return tp_error_set(err, page->document.failed, 0, "out of memory");
    struct tp_str shell = buffer_text(&page->document);
    bool has_many = page->expected > 1, has_answer = has_many && page->ranks.size && !page->entries.failed_count;
    files->html[0] = (struct tp_str){shell.ptr, page->fragments_offset};
    files->html[1] = buffer_text(has_answer ? &page->ranks : &page->index);
    files->html[2] = buffer_text(has_answer ? &page->index : has_many ? &page->ranks : &page->profiles);
    files->html[3] = buffer_text(has_many ? &page->profiles : &page->ranks);
    files->html[4] = buffer_text(&page->extra);
    files->html[5] = buffer_text(&page->about);
    files->html[6] = (struct tp_str){shell.ptr + page->fragments_offset, shell.len - page->fragments_offset};
    for (size_t i = 0; i < TP_PAGE_PARTS; i++)
        files->html_bytes += files->html[i].len;
    if (page->html.is_separate) {
        files->css = page->html.css;
        files->js = page->html.js;
    }
    if (files->html_bytes > page->options.max_bytes)
        return tp_error_set(err, TP_ELIMIT, 0, "the smallest possible page has %zu bytes, more than --max-size",
                            files->html_bytes);
    return 0;
}
