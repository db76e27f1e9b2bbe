/* Prints documents as HTML. See html.h. */
#include "webreport/print/html.h"

#include <math.h>
#include <string.h>

#include "webreport/document/charts/chart.h"
#include "webreport/document/section.h"
#include "webreport/document/table_page.h"
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
    struct tp_object *half;        /* last section, if it is the first of two in a row; otherwise NULL */
    struct tp_list *meta, *notices, *later_notices, *figures, *notes, *sections, *tables;
};

static void put_title(struct filler *f, const struct tp_block *block)
{
    tp_object_add_text(f->root, "title", block->title.text);
    tp_object_add_text(f->root, "id", block->title.id);
    tp_object_add_text(f->root, "fold", block->fold ? block->fold : "");
}

static void put_section(struct filler *f, const struct tp_section_block *section)
{
    bool is_second = section->is_half && f->half;
    if (f->half && !is_second)
        tp_object_add_bool(f->half, "closes_row", true);
    f->part = tp_list_add_object(f->sections);
    f->tables = tp_object_add_list(f->part, "tables");
    f->notes = tp_object_add_list(f->part, "section_notes");
    f->meta = tp_object_add_list(f->part, "facts");
    f->half = section->is_half && !is_second ? f->part : NULL;
    tp_object_add_bool(f->part, "is_half", section->is_half);
    tp_object_add_bool(f->part, "opens_row", section->is_half && !is_second);
    tp_object_add_bool(f->part, "is_folded", section->is_folded);
    if (is_second)
        tp_object_add_bool(f->part, "closes_row", true);
    tp_object_add_text(f->part, "section_id", section->id);
    tp_object_add_text(f->part, "section_title", section->title);
    tp_object_add_sentence(f->part, "lead", tp_str_of(section->lead ? section->lead : ""));
}

/* Appends the text from `at` to `end` as runs. Text between two backticks is code. look: color of marked words, or
 * NULL. */
static void put_runs(struct tp_list *runs, const char *at, const char *end, const char *look)
{
    bool is_code = false;
    while (at < end) {
        const char *tick = memchr(at, '`', (size_t)(end - at));
        const char *close = tick && !is_code ? memchr(tick + 1, '`', (size_t)(end - tick - 1)) : tick;
        const char *stop = close ? tick : end; /* a single backtick is a letter */
        if (stop > at) {
            struct tp_object *run = tp_list_add_object(runs);
            tp_object_add_sentence(run, "text", (struct tp_str){at, (size_t)(stop - at)});
            tp_object_add_bool(run, "is_code", is_code);
            tp_object_add_text(run, "mark", look ? look : "");
        }
        is_code = close ? !is_code : is_code;
        at = close ? stop + 1 : stop;
    }
}

static void put_verdict(struct filler *f, const struct tp_verdict_block *verdict)
{
    struct tp_list *runs = tp_object_add_list(f->root, "headline");
    const char *at = verdict->headline, *end = at + strlen(at);
    tp_object_add_bool(f->root, "verdict", true);
    for (unsigned i = 0; i < verdict->mark_count; i++) {
        const struct tp_headline_mark *mark = &verdict->marks[i];
        put_runs(runs, at, verdict->headline + mark->start, NULL);
        at = verdict->headline + mark->start + mark->size;
        put_runs(runs, verdict->headline + mark->start, at, mark->look);
    }
    put_runs(runs, at, end, NULL);
    tp_object_add_sentence(f->root, "why", tp_str_of(verdict->text));
    tp_object_add_bool(f->root, "has_limit", verdict->limit != NULL);
    if (verdict->limit)
        tp_object_add_rich_text(f->root, "limit", verdict->limit);
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

/* Adds a figure. A figure without a value is left out. */
static void put_figure(struct filler *f, const struct tp_figure_block *figure)
{
    if (!*figure->value || strcmp(figure->value, "\xe2\x80\x93") == 0)
        return;
    struct tp_object *object = tp_list_add_object(f->figures);
    const char *unit = figure->unit ? figure->unit : "", *note = figure->note ? figure->note : "";
    bool is_continued = strncmp(note, "of ", 3) == 0 || strncmp(note, "per ", 4) == 0 || strcmp(note, "estimated") == 0;
    f->has_figure = true;
    tp_object_add_bool(f->root, "has_figures", true);
    tp_object_add_text(object, "label", figure->label);
    tp_object_add_text(object, "value", figure->value);
    tp_object_add_sentence(
        object, "note",
        tp_str_of(tp_text_printf(f->arena, "%s%s%s", unit, *unit && *note ? is_continued ? " " : ", " : "", note)));
    tp_object_add_text(object, "definition", figure->definition ? figure->definition : "");
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

/* Returns whether the evidence already names the file and line of the first place. */
static bool is_place_named(struct tp_arena *arena, const struct tp_finding_block *finding)
{
    struct tp_str place = finding->places[0].file_line;
    size_t start = place.len;
    while (start && place.ptr[start - 1] != '/')
        start--;
    const char *end = memchr(place.ptr + start, ')', place.len - start);
    struct tp_str line = {place.ptr + start, end ? (size_t)(end + 1 - place.ptr) - start : place.len - start};
    char *text = tp_arena_copy(arena, line.ptr, line.len);
    return finding->reasons[0] && strstr(finding->reasons[0], text);
}

/* Adds a finding to one of the lists of the template "actions". */
static void put_finding(struct tp_list *list, const struct tp_finding_block *finding, size_t number)
{
    struct tp_object *item = tp_list_add_object(list);
    struct tp_arena *arena = list->items.arena;
    bool has_place = finding->place_count && finding->places[0].file_line.len && !is_place_named(arena, finding);
    put_title_runs(arena, item, finding);
    tp_object_add_formatted(item, "number", "%zu", number);
    tp_object_add_text(item, "look", finding->look ? finding->look : "none");
    tp_object_add_text(item, "marks", finding->marks ? finding->marks : "");
    tp_object_add_text(item, "saving", finding->saving ? finding->saving : finding->value ? finding->value : "");
    const char *share = finding->saving_share ? finding->saving_share : finding->change;
    tp_object_add_text(item, "saving_share", share ? share : "");
    tp_object_add_text(item, "then", finding->then ? finding->then : "");
    tp_object_add_bool(item, "has_bar", finding->high_percent > 0);
    tp_chart_put_percent(item, "low", finding->low_percent);
    tp_chart_put_percent(item, "high", finding->high_percent);
    const char *why = finding->short_reason ? finding->short_reason : finding->reasons[0];
    tp_object_add_sentence(item, "why", tp_str_of(why ? why : ""));
    tp_object_add_sentence(item, "more_why", tp_str_of(finding->more_reason ? finding->more_reason : ""));
    tp_object_add_str(item, "place", has_place ? finding->places[0].file_line : TP_STR(""));
    tp_object_add_text(item, "place_href", has_place && finding->places[0].href ? finding->places[0].href : "");
    tp_object_add_text(item, "advice", finding->advice ? finding->advice : "");
    tp_object_add_text(item, "doc_url", finding->link ? finding->link : "");
    tp_object_add_text(item, "proof", finding->proof ? finding->proof : "");
    put_remedies(arena, item, finding);
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
    enum { OPEN_ITEMS = 3 };
    struct tp_list *list = tp_object_add_list(f->root, "findings"), *more = tp_object_add_list(f->root, "more");
    struct tp_list *sure = tp_object_add_list(f->root, "sure"), *small = tp_object_add_list(f->root, "small");
    size_t number = 0, small_count = 0;
    for (size_t i = 0; i < findings->shown; i++) {
        const struct tp_finding_block *item = &findings->items[i];
        if (item->is_small) {
            put_finding(small, item, ++small_count);
            continue;
        }
        number++;
        put_finding(findings->more_title && number > OPEN_ITEMS ? more : list, item, number);
        put_finding(sure, item, number);
    }
    bool has_savings = false, has_replays = false;
    for (size_t i = 0; i < findings->shown; i++) {
        has_savings |= findings->items[i].high_percent > 0;
        has_replays |= findings->items[i].then != NULL;
    }
    tp_object_add_bool(f->root, "has_savings", has_savings);
    tp_object_add_bool(f->root, "has_replays", has_replays);
    bool has_marks = false;
    for (size_t i = 0; i < findings->shown; i++)
        has_marks |= findings->items[i].marks != NULL;
    tp_object_add_bool(f->root, "has_marks", has_marks);
    tp_object_add_bool(f->root, "has_findings", true);
    tp_object_add_text(f->root, "actions_title", findings->heading ? findings->heading : "");
    tp_object_add_text(f->root, "findings_note", findings->note ? findings->note : "");
    tp_object_add_text(f->root, "findings_none", number ? NULL : findings->none);
    tp_object_add_bool(f->root, "has_more", findings->more_title && number > OPEN_ITEMS);
    tp_object_add_text(f->root, "more_title", findings->more_title ? findings->more_title : "");
    tp_object_add_bool(f->root, "has_small", small_count > 0);
    tp_object_add_bool(f->root, "has_rest", number || small_count);
}

/* ---- blocks of all kinds ---- */

static void put_block(struct filler *f, const struct tp_block *block)
{
    bool is_below = f->part != f->root;
    switch (block->kind) {
    case TP_BLOCK_TITLE:
        put_title(f, block);
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
        if (is_below) {
            tp_list_add_fact(f->meta, block->term, block->text);
            tp_object_add_bool(f->part, "has_facts", true);
        } else {
            tp_object_add_text(tp_list_add_object(f->meta), "text", tp_fact_block_line(f->document, block));
        }
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
    if (f.half)
        tp_object_add_bool(f.half, "closes_row", true);
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
        tp_object_add_bool(root, "is_named", is_many); /* sections of several pages have equal titles */
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
