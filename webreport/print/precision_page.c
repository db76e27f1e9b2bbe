/* The comparison as a page: see precision.h. The shell is the report's. */
#include "webreport/print/page_shell.h"
#include "webreport/print/precision_print.h"
#include "webreport/print/template.h"

enum { PAGE_ROWS = 5000 };

static const unsigned shown[] = {TP_PRECISION_STEP,          TP_PRECISION_VERDICT,      TP_PRECISION_COMPARED_BY,
                                 TP_PRECISION_BASE_DTYPE,    TP_PRECISION_NEW_DTYPE,    TP_PRECISION_BASE_SHAPE,
                                 TP_PRECISION_NEW_SHAPE,     TP_PRECISION_MAX_ABS,      TP_PRECISION_MAX_REL,
                                 TP_PRECISION_RMSE,          TP_PRECISION_COSINE,       TP_PRECISION_MISMATCHES,
                                 TP_PRECISION_ELEMENTS,      TP_PRECISION_BASE_NANS,    TP_PRECISION_NEW_NANS,
                                 TP_PRECISION_BASE_INFS,     TP_PRECISION_NEW_INFS,     TP_PRECISION_WORST,
                                 TP_PRECISION_BASE_AT_WORST, TP_PRECISION_NEW_AT_WORST, TP_PRECISION_WHY};
enum { SHOWN = sizeof shown / sizeof *shown };

struct page {
    const struct tp_precision *precision;
    const char *templates_dir;
    struct tp_buf *out;
    struct tp_arena *arena;
    struct tp_assets assets;
    struct tp_templates templates;
    struct tp_html html;
    struct tp_buf text, fragment;
};

static bool is_text(const struct tp_table *table, unsigned column)
{
    return table->defs[column].type == TP_COLUMN_TEXT || table->defs[column].type == TP_COLUMN_JSON;
}

/* What was printed into the page's buffer, in the arena; the buffer is empty again. */
static struct tp_str taken(struct page *page)
{
    if (page->text.failed)
        tp_arena_fail(page->arena, page->text.failed);
    struct tp_str text = {tp_arena_copy(page->arena, page->text.data ? page->text.data : "", page->text.size),
                          page->text.size};
    tp_buf_clear(&page->text);
    return text;
}

static void put_columns(struct page *page, struct tp_object *root)
{
    const struct tp_table *table = &page->precision->table;
    struct tp_list *columns = tp_object_list(root, "columns");
    for (unsigned i = 0; i < SHOWN; i++) {
        struct tp_object *column = tp_list_object(columns);
        tp_object_text(column, "column_title", table->defs[shown[i]].title);
        tp_object_text(column, "column_definition", table->defs[shown[i]].definition);
        tp_object_bool(column, "column_is_text", is_text(table, shown[i]));
    }
}

static void put_row(struct page *page, struct tp_list *rows, size_t number)
{
    const struct tp_table *table = &page->precision->table;
    struct tp_object *row = tp_list_object(rows);
    tp_object_str(row, "row_name", tp_table_text(table, TP_PRECISION_NAME)[number]);
    tp_object_bool(row, "row_is_first", number == page->precision->first_divergent);
    struct tp_list *cells = tp_object_list(row, "cells");
    for (unsigned i = 0; i < SHOWN; i++) {
        struct tp_object *cell = tp_list_object(cells);
        tp_precision_cell(table, shown[i], number, &page->text);
        tp_object_str(cell, "cell_text", taken(page));
        tp_object_bool(cell, "cell_is_text", is_text(table, shown[i]));
    }
}

static void put_rows(struct page *page, struct tp_object *root)
{
    const struct tp_precision *p = page->precision;
    struct tp_list *rows = tp_object_list(root, "rows");
    bool shows_all = p->table.row_count <= PAGE_ROWS;
    size_t count = 0;
    for (size_t row = 0; row < p->table.row_count && count < PAGE_ROWS; row++)
        if (shows_all || tp_table_bool(&p->table, TP_PRECISION_IS_DIVERGENT)[row]) {
            put_row(page, rows, row);
            count++;
        }
    if (!shows_all)
        tp_object_printf(root, "table_cut", "%zu of %zu tensors: the first that diverge. The JSON has all of them.",
                         count, p->table.row_count);
}

static int render(void *context, struct tp_error *err)
{
    struct page *page = context;
    struct tp_object *content = tp_object_new(page->arena), *root = tp_object_new(page->arena);
    tp_assets_init(&page->assets, page->arena, page->templates_dir);
    tp_templates_init(&page->templates, page->arena, tp_assets_load, &page->assets);
    int code = tp_html_build(&page->html, &page->assets, false, err);
    if (code)
        return code;
    tp_object_text(content, "base", page->precision->base_name);
    tp_object_text(content, "new", page->precision->new_name);
    tp_precision_summary(&page->text, page->precision);
    tp_object_str(content, "summary", taken(page));
    tp_precision_first(&page->text, page->precision);
    tp_object_str(content, "first", taken(page));
    put_columns(page, content);
    put_rows(page, content);
    code = tp_template_render(&page->templates, "precision", tp_data_of_object(content), &page->fragment, err);
    if (code)
        return code;
    tp_html_put(&page->html, root);
    tp_object_text(root, "version", TP_VERSION);
    tp_object_text(root, "page_title", "Precision");
    tp_object_str(tp_list_object(tp_object_list(root, "parts")), "fragments",
                  (struct tp_str){page->fragment.data ? page->fragment.data : "", page->fragment.size});
    return tp_template_render(&page->templates, "report", tp_data_of_object(root), page->out, err);
}

int tp_precision_page(struct tp_buf *out, const struct tp_precision *precision, const char *templates_dir,
                      struct tp_arena *arena, struct tp_error *err)
{
    struct page *page = tp_arena_alloc(arena, sizeof *page);
    page->out = out;
    page->templates_dir = templates_dir;
    page->precision = precision;
    page->arena = arena;
    tp_buf_init(&page->text, 0);
    tp_buf_init(&page->fragment, 0);
    int code = tp_arena_run(arena, render, page, err);
    tp_buf_release(&page->text);
    tp_buf_release(&page->fragment);
    tp_arena_pass_on(arena);
    return code;
}
