/* Prints documents as HTML. See html.h. */
#include "webreport/print/html.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "webreport/document/charts/chart.h"
#include "webreport/print/page_shell.h"
#include "webreport/print/print.h"
#include "webreport/print/template.h"
#include "writer/base/limits.h"
#include "writer/text/format.h"
#include "writer/text/marked_text.h"

/* ---- blocks as values for templates ---- */

/* State while the blocks of a document become members of the template data. Each list becomes a member of the same
 * name. */
struct filler {
    const struct tp_document *document;
    const struct tp_html_level *level;
    struct tp_arena *arena;
    struct tp_object *root, *part; /* part: object of the current section, or `root` before the first section */
    bool has_figure;               /* true: a figure was added, so that later notices come after the figures */
    struct tp_list *meta, *notices, *later_notices, *figures, *notes, *sections, *tables;
};

static void put_title(struct filler *f, const struct tp_title_block *title)
{
    tp_object_add_text(f->root, "title", title->text);
    tp_object_add_text(f->root, "id", title->id);
}

static void put_section(struct filler *f, const struct tp_section_block *section)
{
    f->part = tp_list_add_object(f->sections);
    f->tables = tp_object_add_list(f->part, "tables");
    tp_object_add_text(f->part, "section_id", section->id);
    tp_object_add_text(f->part, "section_title", section->title);
    tp_object_add_sentence(f->part, "lead", tp_str_of(section->lead ? section->lead : ""));
    tp_object_add_bool(f->part, "has_narrow_names", section->has_narrow_names);
}

static void put_verdict(struct filler *f, const struct tp_verdict_block *verdict)
{
    const char *tone = verdict->tone == TP_TONE_GOOD ? "good" : verdict->tone == TP_TONE_UNSURE ? "low" : "";
    tp_object_add_bool(f->root, "verdict", true);
    tp_object_add_text(f->root, "verdict_tag", verdict->class);
    tp_object_add_text(f->root, "verdict_tone", tone);
    /* start of the second cause in the headline, which is printed in a smaller font */
    const char *next = strstr(verdict->headline, " Next: ");
    size_t size = next ? (size_t)(next - verdict->headline) : strlen(verdict->headline);
    tp_object_add_sentence(f->root, "verdict_headline", (struct tp_str){verdict->headline, size});
    tp_object_add_sentence(f->root, "verdict_next", tp_str_of(next ? next + 1 : ""));
    tp_object_add_sentence(f->root, "verdict_text", tp_str_of(verdict->text));
}

static void put_notice(struct filler *f, const struct tp_notice_block *notice)
{
    struct tp_object *object = tp_list_add_object(f->has_figure ? f->later_notices : f->notices);
    struct tp_list *points = tp_object_add_list(object, "points");
    tp_object_add_text(object, "tone",
                       notice->tone == TP_TONE_BAD      ? "err"
                       : notice->tone == TP_TONE_UNSURE ? "info"
                                                        : "");
    tp_object_add_text(object, "head", notice->head);
    tp_object_add_text(object, "text", notice->text);
    tp_object_add_bool(object, "has_points", notice->point_count > 0);
    for (size_t i = 0; i < notice->point_count; i++)
        tp_object_add_text(tp_list_add_object(points), "point", notice->points[i]);
}

static void put_figure(struct filler *f, const struct tp_figure_block *figure)
{
    struct tp_object *object = tp_list_add_object(f->figures);
    f->has_figure = true;
    tp_object_add_bool(f->root, "has_figures", true);
    tp_object_add_text(object, "label", figure->label);
    tp_object_add_text(object, "value", figure->value);
    tp_object_add_text(object, "unit", figure->unit ? figure->unit : "");
    tp_object_add_sentence(object, "note", tp_str_of(figure->note ? figure->note : ""));
    tp_object_add_text(object, "definition", figure->definition ? figure->definition : "");
    tp_object_add_text(object, "tone",
                       figure->tone == TP_TONE_BAD    ? "bad"
                       : figure->tone == TP_TONE_WARN ? "warn"
                                                      : "");
    if (isnan(figure->meter))
        tp_object_add_text(object, "meter", "");
    else
        tp_chart_put_percent(object, "meter", figure->meter);
}

/* Returns the data of a table, with at most as many rows as the level of detail allows. Does not change `table`. */
static struct tp_data table_data_within_limits(const struct filler *f, const struct tp_shown_table *table)
{
    struct tp_shown_table *shown = tp_arena_alloc(f->arena, sizeof *shown);
    *shown = *table;
    shown->row_count = f->level->rows < table->row_count ? f->level->rows : table->row_count;
    if (!shown->open_count || f->level->open_rows < shown->open_count)
        shown->open_count = f->level->open_rows;
    return tp_shown_table_data(shown);
}

/* ---- findings ---- */

static const char *copy_with_capital_letter(struct tp_arena *arena, const char *text)
{
    char *copy = tp_arena_copy(arena, text, strlen(text));
    copy[0] = (char)toupper((unsigned char)copy[0]);
    return copy;
}

/* Adds the title of a finding as runs. A title without marks may contain names of a trace and is one run. */
static void put_title_runs(struct tp_arena *arena, struct tp_object *item, const struct tp_finding_block *finding)
{
    struct tp_str plain = tp_marked_argument(arena, tp_str_of(finding->title));
    const char *marked = finding->marked_title;
    tp_object_add_rich_text(item, "title_runs", marked ? marked : tp_arena_copy(arena, plain.ptr, plain.len));
}

static void put_remedies(struct tp_arena *arena, struct tp_object *item, const struct tp_finding_block *finding)
{
    struct tp_list *list = tp_object_add_list(item, "remedies");
    for (uint32_t i = 0; i < finding->remedy_count; i++) {
        const struct tp_finding_block *remedy = &finding->remedies[i];
        struct tp_object *object = tp_list_add_object(list);
        tp_object_add_text(object, "remedy_rule", remedy->id);
        put_title_runs(arena, object, remedy);
        tp_object_add_text(object, "remedy_advice", remedy->advice);
        tp_object_add_text(object, "remedy_detail", remedy->reasons[0] ? remedy->reasons[0] : "");
    }
}

static void put_evidence(struct tp_object *item, const struct tp_finding_block *finding)
{
    struct tp_list *list = tp_object_add_list(item, "evidence");
    tp_object_add_bool(item, "has_evidence", finding->place_count > 0);
    for (uint32_t i = 0; i < finding->place_count; i++) {
        struct tp_object *event = tp_list_add_object(list);
        tp_object_add_text(event, "at", finding->places[i].at);
        tp_object_add_text(event, "at_ns", finding->places[i].at_ns ? finding->places[i].at_ns : "");
        tp_object_add_str(event, "event", finding->places[i].text);
        tp_object_add_str(event, "place", finding->places[i].file_line);
        tp_object_add_text(event, "place_href", finding->places[i].href);
    }
}

static void put_finding(struct filler *f, struct tp_list *list, const struct tp_finding_block *finding)
{
    struct tp_object *item = tp_list_add_object(list);
    tp_object_add_text(item, "severity", finding->status);
    tp_object_add_text(item, "severity_text", copy_with_capital_letter(f->arena, finding->status));
    put_title_runs(f->arena, item, finding);
    tp_object_add_text(item, "impact", finding->value ? finding->value : "");
    tp_object_add_text(item, "impact_share", finding->change ? finding->change : "");
    tp_object_add_text(item, "scope", finding->scope ? finding->scope : "");
    tp_object_add_text(item, "why", finding->reasons[0] ? finding->reasons[0] : "");
    tp_object_add_text(item, "advice", finding->advice);
    tp_object_add_text(item, "doc_url", finding->link ? finding->link : "");
    tp_object_add_text(item, "proof", finding->proof);
    put_remedies(f->arena, item, finding);
    put_evidence(item, finding);
}

/* Adds a table to the current section. Before the first section, adds the table to the first screen and sets
 * has_tables. */
static void put_table(struct filler *f, const struct tp_shown_table *table)
{
    if (f->part == f->root)
        tp_object_add_bool(f->root, "has_tables", true);
    tp_list_add(f->tables, table_data_within_limits(f, table));
}

static void put_findings(struct filler *f, const struct tp_findings_block *findings)
{
    if (findings->table) {
        put_table(f, findings->table);
        return;
    }
    if (!findings->count && !findings->none)
        return;
    struct tp_list *list = tp_object_add_list(f->root, "findings");
    tp_object_add_bool(f->root, "has_findings", true);
    tp_object_add_text(f->root, "findings_head", findings->remark ? findings->remark : "");
    tp_object_add_text(f->root, "findings_note", findings->note);
    tp_object_add_text(f->root, "findings_none", findings->count ? NULL : findings->none);
    for (size_t i = 0; i < findings->shown; i++)
        put_finding(f, list, &findings->items[i]);
}

/* ---- blocks of all kinds ---- */

static void put_block(struct filler *f, const struct tp_block *block)
{
    bool is_below = f->part != f->root;
    switch (block->kind) {
    case TP_BLOCK_TITLE:
        put_title(f, &block->title);
        break;
    case TP_BLOCK_SECTION:
        put_section(f, &block->section);
        break;
    case TP_BLOCK_VERDICT:
        put_verdict(f, &block->verdict);
        break;
    case TP_BLOCK_NOTICE:
        put_notice(f, &block->notice);
        break;
    case TP_BLOCK_FIGURE:
        put_figure(f, &block->figure);
        break;
    case TP_BLOCK_FACT:
        tp_object_add_text(tp_list_add_object(f->meta), "text", tp_fact_block_line(f->document, block));
        break;
    case TP_BLOCK_HEADING:
    case TP_BLOCK_POINT:
    case TP_BLOCK_NOTE:
        tp_object_add_sentence(tp_list_add_object(f->notes), "text", tp_str_of(block->text));
        break;
    case TP_BLOCK_TABLE:
        if (f->level->rows || !is_below)
            put_table(f, block->table);
        break;
    case TP_BLOCK_FINDINGS:
        put_findings(f, &block->findings);
        break;
    case TP_BLOCK_CHART:
        if (f->level->has_charts || !is_below)
            tp_object_add_value(f->part, block->chart.name, block->chart.data);
        break;
    case TP_BLOCK_LINES:
    case TP_BLOCK_WORDED:
    case TP_BLOCK_ROWS:
        break;
    }
}

void tp_html_put_blocks(struct tp_object *root, const struct tp_document *document, size_t first, size_t end,
                        const struct tp_html_level *level)
{
    struct filler f = {.document = document,
                       .level = level,
                       .arena = document->arena,
                       .root = root,
                       .part = root,
                       .meta = tp_object_add_list(root, "meta"),
                       .notices = tp_object_add_list(root, "notices"),
                       .later_notices = tp_object_add_list(root, "later_notices"),
                       .figures = tp_object_add_list(root, "figures"),
                       .notes = tp_object_add_list(root, "notes"),
                       .tables = tp_object_add_list(root, "tables"),
                       .sections = tp_object_add_list(root, "sections")};
    for (size_t i = first; i < end; i++)
        if (tp_document_block_at(document, i)->places & TP_IN_PAGES)
            put_block(&f, tp_document_block_at(document, i));
}

struct tp_data tp_html_part(const struct tp_document *document, const char *prefix, size_t max_bytes)
{
    /* ROW_BYTES: estimated size of one row in all tables of the part together, bytes */
    enum { ROW_BYTES = 10000, MOST_ROWS = 200, OPEN_ROWS = 60 };
    size_t rows = max_bytes / ROW_BYTES < MOST_ROWS ? max_bytes / ROW_BYTES : MOST_ROWS;
    struct tp_object *root = tp_object_new(document->arena);
    tp_object_add_text(root, "p", prefix);
    tp_object_add_bool(root, "is_part", true);
    tp_html_put_blocks(root, document, 0, document->blocks.count, &(struct tp_html_level){rows, OPEN_ROWS, true});
    return tp_data_of_object(root);
}

/* ---- a document as a separate page ---- */

/* Levels of detail, most detailed first. */
static const struct tp_html_level levels[] = {{SIZE_MAX, 60, true}, {100, 16, true}, {30, 10, true},
                                              {10, 5, false},       {3, 1, false},   {0, 1, false}};
enum { LEVELS = sizeof levels / sizeof *levels };

struct page {
    const struct tp_document *document;
    const struct tp_print_options *options;
    struct tp_buf *out;
    struct tp_assets assets;
    struct tp_templates templates;
    struct tp_html html;
    struct tp_buf fragment;
};

/* Returns the index of the first block after a page. title: index of the page's title block. */
static size_t end_of_document_page(const struct tp_document *document, size_t title)
{
    size_t end = title + 1;
    while (end < document->blocks.count && tp_document_block_at(document, end)->kind != TP_BLOCK_TITLE)
        end++;
    return end;
}

static size_t title_count(const struct tp_document *document)
{
    size_t count = 0;
    for (size_t i = 0; i < document->blocks.count; i++)
        count += tp_document_block_at(document, i)->kind == TP_BLOCK_TITLE;
    return count;
}

static void add_link(struct tp_list *links, const char *prefix, const char *target, const char *label)
{
    struct tp_object *link = tp_list_add_object(links);
    tp_object_add_formatted(link, "target", "%s%s", prefix, target);
    tp_object_add_text(link, "label", label);
}

/* Adds the links of the navigation: to the sections if the document is a single page, else to the pages. */
static void put_links(struct tp_list *links, const struct tp_document *document, size_t first, size_t end,
                      const char *prefix)
{
    const struct tp_title_block *title = &tp_document_block_at(document, first)->title;
    add_link(links, prefix, title->id, title->label);
    for (size_t i = first + 1; i < end && !*prefix; i++) {
        const struct tp_block *block = tp_document_block_at(document, i);
        if (block->kind == TP_BLOCK_SECTION && (block->places & TP_IN_PAGES) && block->section.label)
            add_link(links, prefix, block->section.id, block->section.label);
    }
}

static int render_page(struct page *page, const struct tp_html_level *level, struct tp_error *err)
{
    const struct tp_document *document = page->document;
    struct tp_object *shell = tp_object_new(document->arena);
    struct tp_list *links = tp_object_add_list(shell, "links");
    bool is_many = title_count(document) > 1;
    int code = TP_OK;
    tp_buf_clear(&page->fragment);
    tp_buf_clear(page->out);
    for (size_t first = 0, end, number = 1; code == TP_OK && first < document->blocks.count; first = end, number++) {
        struct tp_object *root = tp_object_new(document->arena);
        const char *prefix = is_many ? tp_text_printf(document->arena, "j%zu-", number) : "";
        end = end_of_document_page(document, first);
        tp_object_add_text(root, "p", prefix);
        tp_html_put_blocks(root, document, first, end, level);
        put_links(links, document, first, end, prefix);
        code = tp_template_render(&page->templates, "document", tp_data_of_object(root), &page->fragment, err);
    }
    if (code)
        return code;
    tp_html_put_shell(&page->html, shell);
    tp_object_add_text(shell, "version", TP_VERSION);
    tp_object_add_text(shell, "page_title", document->name);
    tp_object_add_str(shell, "fragments",
                      (struct tp_str){page->fragment.data ? page->fragment.data : "", page->fragment.size});
    return tp_template_render(&page->templates, "report", tp_data_of_object(shell), page->out, err);
}

static void put_text(struct tp_buf *out, struct tp_str text)
{
    tp_buf_add(out, text.ptr, text.len);
}

/* Renders the document at the most detailed level that fits in the size limit. */
static int render_within_limit(void *context, struct tp_error *err)
{
    struct page *page = context;
    const struct tp_print_options *options = page->options;
    struct tp_arena *arena = page->document->arena;
    size_t most = options->max_bytes ? options->max_bytes : TP_MAX_PAGE_BYTES;
    tp_assets_init(&page->assets, arena, options->templates_dir);
    tp_templates_init(&page->templates, arena, tp_assets_load, &page->assets);
    enum tp_html_assets where = options->css ? TP_HTML_SEPARATE : TP_HTML_INLINE_DOCUMENT;
    int code = tp_html_build(&page->html, &page->assets, where, err);
    for (unsigned level = 0; code == TP_OK && level < LEVELS; level++) {
        code = render_page(page, &levels[level], err);
        if (code < 0 || page->out->failed || page->out->size <= most)
            break;
    }
    if (code < 0)
        return code;
    if (page->out->failed || page->fragment.failed)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    if (page->out->size > most)
        return tp_error_set(err, TP_ELIMIT, 0, "the smallest possible page has %zu bytes, more than --max-size",
                            page->out->size);
    if (options->css) {
        put_text(options->css, page->html.css);
        put_text(options->js, page->html.js);
    }
    return TP_OK;
}

int tp_print_html(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options,
                  struct tp_error *err)
{
    struct page *page = tp_arena_alloc(document->arena, sizeof *page);
    page->document = document;
    page->options = options;
    page->out = out;
    int code = tp_arena_run(document->arena, render_within_limit, page, err);
    tp_buf_release(&page->fragment);
    tp_arena_fail_with_stored_code(document->arena);
    return code;
}
