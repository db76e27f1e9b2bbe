/* Prints a document for a terminal. See print.h. */
#include "webreport/print/print.h"

#include <string.h>

#include "writer/base/utf8.h"
#include "writer/text/format.h"
#include "writer/text/terminal.h"

enum {
    INDENT = 13, /* number of blanks before the texts of a finding */
    TITLE = 43,  /* width of a finding's title if its value is on the same line, characters */
    VALUE = 11,  /* width of a finding's value, characters */
    CHANGE = 12,
    NAME_LEAST = 24, /* smallest width of names in a table that is narrowed to fit the terminal, characters */
    TEXT_LEAST = 12, /* smallest width of other texts in such a table, characters */
    CELL_MOST = 60,
    DEPTH_MOST = 12, /* deepest level of a tree that is indented further; each level adds two blanks */
};

struct printer {
    struct tp_buf *out;
    struct tp_arena *arena;
    const struct tp_print_options *options;
};

static size_t limit_row_count(const struct printer *p, size_t count)
{
    const int64_t *limit = p->options->row_limit;
    return limit && *limit >= 0 && (uint64_t)*limit < count ? (size_t)*limit : count;
}

/* ---- findings ---- */

static void write_status(const struct printer *p, const struct tp_finding_block *finding)
{
    static const char *const colours[] = {[TP_TONE_GOOD] = "\033[32m",
                                          [TP_TONE_WARN] = "\033[33m",
                                          [TP_TONE_UNSURE] = "\033[35m",
                                          [TP_TONE_BAD] = "\033[1;31m"};
    bool has_color = p->options->has_color && finding->tone != TP_TONE_PLAIN;
    size_t width = tp_terminal_width(tp_str_of(finding->status));
    tp_buf_puts(p->out, has_color ? colours[finding->tone] : "");
    tp_terminal_put(p->out, tp_str_of(finding->status), SIZE_MAX);
    tp_buf_puts(p->out, has_color ? "\033[0m" : "");
    tp_terminal_pad(p->out, width < INDENT ? INDENT - width : 1);
}

/* Writes a text. A text wider than `width` ends with "…". */
static void put_shortened(const struct printer *p, const char *text, size_t width)
{
    bool is_cut = tp_terminal_width(tp_str_of(text)) > width;
    tp_terminal_put(p->out, tp_str_of(text), is_cut ? width - 1 : width);
    tp_buf_puts(p->out, is_cut ? "\xe2\x80\xa6" : "");
}

static void write_line(const struct printer *p, const char *text)
{
    tp_terminal_pad(p->out, INDENT);
    put_shortened(p, text, TP_TERMINAL_WIDTH - INDENT);
    tp_buf_putc(p->out, '\n');
}

/* Writes the title of a finding. Value and change follow on the same line, or on the next line if the title is long. */
static void put_title(const struct printer *p, const struct tp_finding_block *finding)
{
    bool is_long = tp_terminal_width(tp_str_of(finding->title)) > TITLE;
    if (finding->amounts) {
        put_shortened(p, finding->title, TP_TERMINAL_WIDTH - INDENT);
        tp_buf_putc(p->out, '\n');
        return;
    }
    if (is_long) {
        put_shortened(p, finding->title, TP_TERMINAL_WIDTH - INDENT);
        tp_buf_putc(p->out, '\n');
        tp_terminal_pad(p->out, INDENT + TITLE);
    } else {
        tp_terminal_put_left(p->out, finding->title, TITLE);
    }
    tp_terminal_put_right(p->out, finding->value ? finding->value : "-", VALUE);
    if (finding->change)
        tp_terminal_put_right(p->out, finding->change, CHANGE);
    tp_buf_putc(p->out, '\n');
}

/* Returns whether the next finding has the same status and reason. If so, only the last of such findings shows the
 * reason. */
static bool next_has_same_reason(const struct tp_finding_block *finding, const struct tp_finding_block *next)
{
    return next && !finding->amounts && !finding->place_count && finding->reasons[0] && next->reasons[0] &&
           !finding->reasons[1] && !next->reasons[1] && !strcmp(finding->reasons[0], next->reasons[0]) &&
           !strcmp(finding->status, next->status);
}

/* Writes a finding. next: the following finding; NULL after the last one. */
static void put_finding(const struct printer *p, const struct tp_finding_block *finding,
                        const struct tp_finding_block *next)
{
    write_status(p, finding);
    put_title(p, finding);
    if (finding->amounts)
        write_line(p, finding->amounts);
    for (unsigned i = 0; i < TP_REASONS && finding->reasons[i] && !next_has_same_reason(finding, next); i++)
        tp_terminal_put_wrapped(p->out, finding->reasons[i], INDENT);
    for (uint32_t i = 0; i < finding->place_count; i++) {
        const struct tp_place_block *place = &finding->places[i];
        tp_terminal_put_wrapped(p->out,
                                tp_text_printf(p->arena, "%.*s%s%.*s", (int)place->file_line.len, place->file_line.ptr,
                                               place->file_line.len ? ": " : "", (int)place->text.len, place->text.ptr),
                                INDENT);
    }
}

static void put_omitted_count(const struct printer *p, size_t shown, size_t count, const char *what, const char *more)
{
    if (shown < count)
        tp_buf_printf(p->out, "(%zu of %zu %s%s)\n", shown, count, what, more ? more : "");
}

/* Writes a paragraph after a blank line. */
static void put_paragraph(const struct printer *p, const char *text)
{
    tp_buf_puts(p->out, p->out->size ? "\n" : "");
    tp_terminal_put_wrapped(p->out, text, 0);
}

static void put_findings(const struct printer *p, const struct tp_findings_block *findings)
{
    size_t shown = limit_row_count(p, findings->shown);
    if (!findings->count && findings->none)
        put_paragraph(p, findings->none);
    if (findings->count && findings->heading)
        tp_buf_printf(p->out, "\n%s\n", findings->heading);
    for (size_t i = 0; i < shown; i++)
        put_finding(p, &findings->items[i], i + 1 < shown ? &findings->items[i + 1] : NULL);
    put_omitted_count(p, shown, findings->count, "rows", findings->more);
}

/* ---- tables ---- */

enum { COLUMNS_MOST = TP_MAX_SHOWN_COLUMNS + 1 }; /* 1 + maximum, because column 0 is the name of the row */

static bool is_text_column(const struct tp_shown_table *table, unsigned column)
{
    return column == 0 ||
           (!(table->columns[column - 1].flags & TP_SHOWN_WIDE) && table->columns[column - 1].format != TP_SHOW_BAR);
}

static bool is_left(const struct tp_shown_table *table, unsigned column)
{
    return column == 0 || tp_shown_is_text_column(table, column - 1);
}

static struct tp_str text_of_shown_cell(const struct tp_shown_table *table, unsigned column, size_t row)
{
    const struct tp_shown_row *shown = &table->rows[row];
    struct tp_str name = shown->short_name.ptr ? shown->short_name : shown->name, prefix = shown->prefix;
    unsigned depth = table->rows[row].depth < DEPTH_MOST ? table->rows[row].depth : DEPTH_MOST;
    if (column)
        return tp_shown_cell_text(table, column - 1, row);
    return prefix.len || depth ? tp_str_of(tp_text_printf(table->arena, "%*s%.*s%.*s", 2 * (int)depth, "",
                                                          (int)prefix.len, prefix.ptr, (int)name.len, name.ptr))
                               : name;
}

static unsigned last_column(const struct tp_shown_table *table)
{
    unsigned last = 0;
    for (unsigned i = 0; i <= table->column_count; i++)
        last = is_text_column(table, i) ? i : last;
    return last;
}

static void write_cell(struct tp_buf *out, struct tp_str text, size_t width, bool is_at_left, bool is_last)
{
    size_t used = tp_terminal_width(text);
    bool is_cut = used > width;
    size_t pad = used < width ? width - used : 0;
    tp_terminal_pad(out, is_at_left ? 0 : pad);
    tp_terminal_put(out, text, is_cut ? width - 1 : width);
    tp_buf_puts(out, is_cut ? "\xe2\x80\xa6" : "");
    tp_terminal_pad(out, is_at_left && !is_last ? pad : 0);
    tp_buf_puts(out, is_last ? "\n" : "  ");
}

static const char *column_title(const struct tp_shown_table *table, unsigned column)
{
    return column ? tp_shown_column_title(table, column - 1)
                  : tp_speech_text(table->speech, table->name_title, table->arena);
}

/* Narrows text columns, always the widest one, until a line fits in the terminal. If this is impossible, leaves all
 * widths unchanged. */
static void narrow_columns_to_fit(size_t widths[COLUMNS_MOST], const struct tp_shown_table *table)
{
    size_t all = 0, kept[COLUMNS_MOST];
    memcpy(kept, widths, sizeof kept);
    for (unsigned i = 0; i <= table->column_count; i++)
        all += is_text_column(table, i) ? widths[i] + (i > 0) * 2 : 0;
    while (all > TP_TERMINAL_WIDTH) {
        unsigned widest = COLUMNS_MOST;
        for (unsigned i = 0; i <= table->column_count; i++)
            if (is_text_column(table, i) && is_left(table, i) && widths[i] > (i ? TEXT_LEAST : NAME_LEAST) &&
                (widest == COLUMNS_MOST || widths[i] > widths[widest]))
                widest = i;
        if (widest == COLUMNS_MOST) {
            memcpy(widths, kept, sizeof kept);
            return;
        }
        widths[widest]--;
        all--;
    }
}

static void put_cells(const struct printer *p, const struct tp_shown_table *table, const struct tp_str *cells,
                      const size_t widths[COLUMNS_MOST])
{
    unsigned last = last_column(table);
    for (unsigned i = 0; i <= last; i++)
        if (is_text_column(table, i))
            write_cell(p->out, cells[i], widths[i], is_left(table, i), i == last);
}

static void put_table(const struct printer *p, struct tp_shown_table *table, size_t shown, const char *more)
{
    /* count: number of lines, including the line of titles */
    size_t widths[COLUMNS_MOST] = {0}, count = shown + 1;
    struct tp_str *cells = tp_arena_array(p->arena, count * COLUMNS_MOST, sizeof *cells);
    tp_shown_table_measure(table);
    if (table->heading)
        tp_buf_printf(p->out, "\n%s\n", table->heading);
    else if (p->out->size)
        tp_buf_putc(p->out, '\n');
    for (size_t line = 0; line < count; line++)
        for (unsigned i = 0; i <= table->column_count; i++) {
            struct tp_str *cell = &cells[line * COLUMNS_MOST + i];
            if (!is_text_column(table, i))
                continue;
            *cell = line ? text_of_shown_cell(table, i, line - 1) : tp_str_of(column_title(table, i));
            size_t width = tp_terminal_width(*cell);
            width = width < CELL_MOST ? width : CELL_MOST;
            widths[i] = width > widths[i] ? width : widths[i];
        }
    narrow_columns_to_fit(widths, table);
    for (size_t line = 0; shown && line < count; line++)
        put_cells(p, table, &cells[line * COLUMNS_MOST], widths);
    put_omitted_count(p, shown, table->table->row_count, "rows", more);
}

/* ---- tables with their own layout ---- */

/* State while a worded table is printed: text of the current cell, and widths of the columns. */
struct layout {
    const struct tp_worded_table *table;
    struct tp_buf cell, *out;
    size_t *widths;
};

static struct tp_str worded_cell(struct layout *l, size_t row, unsigned column)
{
    tp_buf_clear(&l->cell);
    l->table->cell(l->table, row, column, &l->cell);
    return (struct tp_str){l->cell.data ? l->cell.data : "", l->cell.size};
}

static size_t character_count(struct tp_str text)
{
    return tp_utf8_count(text.ptr, text.len);
}

static void measure_worded_columns(struct layout *l)
{
    const struct tp_worded_table *table = l->table;
    for (unsigned i = 0; i < table->column_count; i++) {
        size_t title = character_count(tp_str_of(table->columns[i].title));
        l->widths[i] = table->columns[i].width;
        if (table->is_measured && title > l->widths[i])
            l->widths[i] = title;
        for (size_t row = 0; table->is_measured && row < table->row_count; row++) {
            size_t width = character_count(worded_cell(l, row, i));
            l->widths[i] = width > l->widths[i] ? width : l->widths[i];
        }
    }
}

static void put_worded_cell(struct layout *l, unsigned column, struct tp_str text)
{
    const struct tp_worded_table *table = l->table;
    bool is_last = column + 1 == table->column_count, is_left = table->columns[column].is_left;
    size_t used = character_count(text), pad = used < l->widths[column] ? l->widths[column] - used : 0;
    tp_terminal_pad(l->out, is_left ? 0 : pad);
    tp_terminal_put(l->out, text, SIZE_MAX);
    tp_terminal_pad(l->out, is_left && (!is_last || table->is_padded) ? pad : 0);
    tp_terminal_pad(l->out, !is_last || table->is_padded ? table->gap : 0);
    tp_buf_puts(l->out, is_last ? "\n" : "");
}

static void write_rule_line(struct layout *l)
{
    for (unsigned i = 0; l->table->has_rules && i < l->table->column_count; i++) {
        size_t start = l->out->size;
        tp_terminal_pad(l->out, l->widths[i]);
        if (!l->out->failed)
            memset(l->out->data + start, '-', l->out->size - start);
        tp_terminal_pad(l->out, l->table->gap);
    }
    tp_buf_puts(l->out, l->table->has_rules ? "\n" : "");
}

static void write_worded_rows(struct layout *l)
{
    const struct tp_worded_table *table = l->table;
    measure_worded_columns(l);
    write_rule_line(l);
    for (unsigned i = 0; i < table->column_count; i++)
        put_worded_cell(l, i, tp_str_of(table->columns[i].title));
    write_rule_line(l);
    for (size_t row = 0; row < table->row_count; row++)
        for (unsigned i = 0; i < table->column_count; i++)
            put_worded_cell(l, i, worded_cell(l, row, i));
    write_rule_line(l);
}

static void put_worded_table(const struct printer *p, const struct tp_worded_table *table)
{
    struct layout layout = {.table = table, .out = p->out};
    layout.widths = tp_arena_array(p->arena, table->column_count, sizeof *layout.widths);
    tp_buf_init(&layout.cell, 0);
    write_worded_rows(&layout);
    p->out->failed = p->out->failed ? p->out->failed : layout.cell.failed;
    tp_buf_release(&layout.cell);
}

/* ---- blocks of all kinds ---- */

static void put_notice(const struct printer *p, const struct tp_notice_block *notice)
{
    put_paragraph(p, notice->head);
    tp_terminal_put_wrapped(p->out, notice->text, 2);
    for (size_t i = 0; i < notice->point_count; i++)
        tp_terminal_put_wrapped(p->out, notice->points[i], 2);
}

static void put_figure(const struct printer *p, const struct tp_figure_block *figure)
{
    bool has_unit = figure->unit && *figure->unit, has_note = figure->note && *figure->note;
    tp_terminal_put_wrapped(p->out,
                            tp_text_printf(p->arena, "%s: %s%s%s%s%s", figure->label, figure->value,
                                           has_unit ? " " : "", has_unit ? figure->unit : "", has_note ? ", " : "",
                                           has_note ? figure->note : ""),
                            0);
}

/* Returns whether the first block of the section is a table with its own heading. */
static bool has_heading(const struct tp_document *document, size_t section)
{
    const struct tp_block *next =
        section + 1 < document->blocks.count ? tp_document_block_at(document, section + 1) : NULL;
    return next && next->kind == TP_BLOCK_TABLE && next->table->heading;
}

static void put_block(const struct printer *p, const struct tp_document *document, size_t index)
{
    const struct tp_block *block = tp_document_block_at(document, index);
    switch (block->kind) {
    case TP_BLOCK_TITLE:
        put_paragraph(p, block->title.text);
        break;
    case TP_BLOCK_SECTION:
        if (!has_heading(document, index))
            put_paragraph(p, block->section.title);
        break;
    case TP_BLOCK_HEADING:
    case TP_BLOCK_NOTE:
        put_paragraph(p, block->text);
        break;
    case TP_BLOCK_VERDICT:
        tp_terminal_put_wrapped(p->out, tp_verdict_block_line(document, &block->verdict), 0);
        if (*block->verdict.text)
            tp_terminal_put_wrapped(p->out, block->verdict.text, 0);
        break;
    case TP_BLOCK_NOTICE:
        put_notice(p, &block->notice);
        break;
    case TP_BLOCK_FIGURE:
        put_figure(p, &block->figure);
        break;
    case TP_BLOCK_FACT:
        tp_terminal_put_wrapped(p->out, tp_fact_block_line(document, block), 0);
        break;
    case TP_BLOCK_POINT:
        tp_terminal_put_wrapped(p->out, block->text, 2);
        break;
    case TP_BLOCK_TABLE:
        put_table(p, block->table, limit_row_count(p, block->table->row_count), block->more);
        break;
    case TP_BLOCK_FINDINGS:
        put_findings(p, &block->findings);
        break;
    case TP_BLOCK_CHART:
        if (block->chart.table)
            put_table(p, block->chart.table, block->chart.table->row_count, NULL);
        break;
    case TP_BLOCK_LINES:
        tp_buf_puts(p->out, block->text);
        break;
    case TP_BLOCK_WORDED:
        put_worded_table(p, block->worded);
        break;
    case TP_BLOCK_ROWS:
        break;
    }
}

int tp_print_text(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options,
                  struct tp_error *err)
{
    struct printer p = {out, document->arena, options};
    unsigned places = options->has_details ? TP_IN_TEXT | TP_IN_DETAILED_TEXT : TP_IN_TEXT;
    size_t start = out->size;
    (void)err;
    for (size_t i = 0; i < document->blocks.count; i++)
        if (tp_document_block_at(document, i)->places & places)
            put_block(&p, document, i);
    tp_terminal_disable_appended(out, start);
    return TP_OK;
}
