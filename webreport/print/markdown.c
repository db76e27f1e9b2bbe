/* Prints a document as Markdown. See print.h. */
#include "webreport/print/print.h"

#include <stdio.h>

#include "writer/base/limits.h"
#include "writer/text/format.h"
#include "writer/text/markdown_escape.h"
#include "writer/text/marked_text.h"
#include "writer/text/terminal.h"

enum { ROWS_MOST = 20, PLACES_MOST = 10, LAST_LINE = 64, END_BYTES = 96 };

struct printer {
    struct tp_buf *out;
    struct tp_arena *arena;
    size_t end;      /* largest size of `out`, bytes; 0: no limit */
    size_t start;    /* index in `out` of the start of the current line */
    size_t left_out; /* number of lines omitted so far */
    bool is_full;    /* true: a line of this block did not fit, and all its later lines are omitted */
};

/* ---- lines that are written completely or not at all ---- */

static void begin_block(struct printer *p)
{
    p->start = p->out->size;
}

static void finish_block(struct printer *p)
{
    bool has_room = !p->end || p->out->size <= p->end;
    if (p->out->failed || (has_room && !p->is_full))
        return;
    p->is_full = true;
    p->left_out++;
    p->out->size = p->start;
    p->out->data[p->start] = '\0';
}

/* Writes a text. Escapes "|" if the line starts with "|", because such a line is a table row. */
static void put_str(const struct printer *p, struct tp_str text)
{
    bool is_cell = p->out->size > p->start && p->out->data[p->start] == '|';
    if (text.len)
        (is_cell ? tp_markdown_cell : tp_markdown_escape)(p->out, text);
}

static void put_text(const struct printer *p, const char *text)
{
    put_str(p, tp_str_of(text));
}

static void put_cell(const struct printer *p, const char *text)
{
    tp_buf_puts(p->out, " ");
    put_text(p, text);
    tp_buf_puts(p->out, " |");
}

static void put_omitted_count(struct printer *p, size_t count, const char *what)
{
    begin_block(p);
    if (count)
        tp_buf_printf(p->out, "\nand %zu more%s\n", count, what);
    finish_block(p);
}

static void put_line(struct printer *p, const char *before, const char *text, const char *behind)
{
    begin_block(p);
    tp_buf_puts(p->out, before);
    put_text(p, text);
    tp_buf_puts(p->out, behind);
    finish_block(p);
}

/* ---- findings ---- */

/* Writes a cell if the table of findings has the column. head: heading of the column, or NULL. */
static void put_amount(const struct printer *p, const char *head, const char *text)
{
    if (head)
        put_cell(p, text ? text : "\xe2\x80\x93");
}

/* Writes the title of a finding as a cell. Code in the title becomes a code span. */
static void put_title_cell(const struct printer *p, const struct tp_finding_block *finding)
{
    struct tp_marked_walk walk = {.rest = finding->marked_title};
    struct tp_marked_run run;
    if (!finding->marked_title) {
        put_cell(p, finding->title);
        return;
    }
    tp_buf_puts(p->out, " ");
    while (tp_marked_next_run(&walk, &run))
        (run.is_code ? tp_markdown_code_in_cell : tp_markdown_cell)(p->out, run.text);
    tp_buf_puts(p->out, " |");
}

static void put_finding(struct printer *p, const struct tp_findings_block *list, const struct tp_finding_block *finding)
{
    char concerned[96];
    const char *change = finding->change;
    if (change && !finding->value && finding->scope) { /* without a gain, shows the share of the affected time */
        snprintf(concerned, sizeof concerned, "%s %s", change, finding->scope);
        change = concerned;
    }
    begin_block(p);
    tp_buf_puts(p->out, "|");
    put_cell(p, finding->status);
    put_amount(p, list->id_title, finding->id);
    put_title_cell(p, finding);
    put_amount(p, list->base_title, finding->base);
    put_amount(p, list->value_title, finding->value);
    put_amount(p, list->change_title, change);
    tp_buf_puts(p->out, " ");
    for (unsigned i = 0; i < TP_REASONS && finding->reasons[i]; i++) {
        tp_buf_puts(p->out, i ? "; " : "");
        put_text(p, finding->reasons[i]);
    }
    if (finding->advice) {
        tp_buf_puts(p->out, !finding->reasons[0]                                    ? ""
                            : p->out->size && p->out->data[p->out->size - 1] == '.' ? " "
                                                                                    : ". ");
        put_text(p, finding->advice);
    }
    tp_buf_puts(p->out, " |\n");
    finish_block(p);
}

static void put_findings_head(struct printer *p, const struct tp_findings_block *list)
{
    const char *const amounts[] = {list->base_title, list->value_title, list->change_title};
    begin_block(p);
    tp_buf_puts(p->out, "| |");
    if (list->id_title)
        put_cell(p, list->id_title);
    put_cell(p, list->title_column_title);
    for (unsigned i = 0; i < sizeof amounts / sizeof *amounts; i++)
        if (amounts[i])
            put_cell(p, amounts[i]);
    tp_buf_printf(p->out, " %s |\n|---|---|%s", list->reason_title ? list->reason_title : "",
                  list->id_title ? "---|" : "");
    for (unsigned i = 0; i < sizeof amounts / sizeof *amounts; i++)
        tp_buf_puts(p->out, amounts[i] ? "--:|" : "");
    tp_buf_puts(p->out, "---|\n");
    finish_block(p);
}

/* Writes a location as a list item, such as "- train.py(88): step: DESCRIPTION" or "- B1 at 12.3 ms, train.py(88):
 * step: EVENT". */
static void put_place(struct printer *p, const struct tp_finding_block *finding, const struct tp_place_block *place,
                      bool is_first)
{
    tp_buf_puts(p->out, is_first ? "\n- " : "- ");
    if (place->at)
        tp_buf_printf(p->out, "%s at %s%s", finding->id ? finding->id : "", place->at,
                      place->file_line.len ? ", " : ": ");
    put_str(p, place->file_line);
    if (tp_str_equal(place->file_line, place->text)) /* omits the text, because it only repeats file_line */
        return;
    tp_buf_puts(p->out, place->file_line.len ? ": " : "");
    put_str(p, place->text);
}

static void put_places(struct printer *p, const struct tp_findings_block *list)
{
    size_t left = PLACES_MOST;
    for (size_t i = 0; i < list->count; i++)
        for (uint32_t k = 0; k < list->items[i].place_count && left; k++, left--) {
            begin_block(p);
            put_place(p, &list->items[i], &list->items[i].places[k], left == PLACES_MOST);
            tp_buf_puts(p->out, "\n");
            finish_block(p);
        }
}

static void put_findings(struct printer *p, const struct tp_findings_block *list)
{
    size_t shown = list->open_count < ROWS_MOST ? list->open_count : ROWS_MOST;
    if (!shown && list->none)
        put_line(p, "", list->none, "\n");
    if (shown)
        put_findings_head(p, list);
    for (size_t i = 0; i < shown; i++) {
        put_finding(p, list, &list->items[i]);
        for (uint32_t k = 0; k < list->items[i].remedy_count; k++)
            put_finding(p, list, &list->items[i].remedies[k]);
    }
    if (list->note)
        put_line(p, "\n", list->note, "\n");
    put_places(p, list);
    put_omitted_count(p, list->open_count - shown, "");
}

/* ---- tables ---- */

static bool is_markdown_column(const struct tp_shown_table *table, unsigned column)
{
    return !(table->columns[column].flags & TP_SHOWN_WIDE) && table->columns[column].format != TP_SHOW_BAR;
}

static void put_table(struct printer *p, struct tp_shown_table *table)
{
    size_t shown =
        table->short_row_count && table->short_row_count < table->row_count ? table->short_row_count : table->row_count;
    tp_shown_table_measure(table);
    begin_block(p);
    tp_buf_puts(p->out, "|");
    put_cell(p, tp_speech_text(table->speech, table->name_title, table->arena));
    for (unsigned i = 0; i < table->column_count; i++)
        if (is_markdown_column(table, i))
            put_cell(p, tp_shown_column_title(table, i));
    tp_buf_puts(p->out, "\n|---|");
    for (unsigned i = 0; i < table->column_count; i++)
        if (is_markdown_column(table, i))
            tp_buf_puts(p->out, tp_shown_is_text_column(table, i) ? "---|" : "--:|");
    tp_buf_puts(p->out, "\n");
    finish_block(p);
    for (size_t row = 0; row < shown; row++) {
        begin_block(p);
        tp_buf_puts(p->out, "| ");
        put_str(p, table->rows[row].prefix);
        put_str(p, table->rows[row].short_name.ptr ? table->rows[row].short_name : table->rows[row].name);
        tp_buf_puts(p->out, " |");
        for (unsigned i = 0; i < table->column_count; i++)
            if (is_markdown_column(table, i)) {
                tp_buf_puts(p->out, " ");
                put_str(p, tp_shown_cell_text(table, i, row));
                tp_buf_puts(p->out, " |");
            }
        tp_buf_puts(p->out, "\n");
        finish_block(p);
    }
    put_omitted_count(p, table->table->row_count - shown, " rows");
}

/* Writes a cell of a worded table. cell: text of the cell. */
static void put_worded_cell(const struct printer *p, const struct tp_worded_column *column, const struct tp_buf *cell)
{
    tp_buf_putc(p->out, ' ');
    if (column->is_number)
        tp_buf_add(p->out, cell->data, cell->size);
    else
        put_str(p, (struct tp_str){cell->data, cell->size});
    tp_buf_puts(p->out, " |");
}

static void put_worded(struct printer *p, const struct tp_worded_table *table)
{
    struct tp_buf cell;
    tp_buf_init(&cell, 0);
    begin_block(p);
    tp_buf_putc(p->out, '|');
    for (unsigned i = 0; i < table->column_count; i++)
        tp_buf_printf(p->out, " %s |", table->columns[i].title);
    tp_buf_puts(p->out, "\n|");
    for (unsigned i = 0; i < table->column_count; i++)
        tp_buf_puts(p->out, table->columns[i].is_left ? ":--|" : "--:|");
    tp_buf_putc(p->out, '\n');
    finish_block(p);
    for (size_t row = 0; row < table->row_count; row++) {
        begin_block(p);
        tp_buf_putc(p->out, '|');
        for (unsigned i = 0; i < table->column_count; i++) {
            tp_buf_clear(&cell);
            table->cell(table, row, i, &cell);
            put_worded_cell(p, &table->columns[i], &cell);
        }
        tp_buf_putc(p->out, '\n');
        finish_block(p);
    }
    p->out->failed = p->out->failed ? p->out->failed : cell.failed;
    tp_buf_release(&cell);
}

/* ---- blocks of all kinds ---- */

static void put_verdict(struct printer *p, const struct tp_document *document, const struct tp_verdict_block *verdict)
{
    tp_buf_puts(p->out, "**");
    put_text(p, tp_verdict_block_line(document, verdict));
    tp_buf_puts(p->out, "**");
    if (*verdict->text) {
        tp_buf_puts(p->out, "  \n");
        put_text(p, verdict->text);
    }
    tp_buf_puts(p->out, "\n");
}

static void put_notice(struct printer *p, const struct tp_notice_block *notice)
{
    bool has_text = *notice->text != '\0';
    put_line(p, "**", tp_text_printf(p->arena, "%s%s", notice->head, has_text ? "." : ""), has_text ? "** " : "**\n");
    if (has_text)
        put_line(p, "", notice->text, "\n");
    for (size_t i = 0; i < notice->point_count; i++)
        put_line(p, i ? "- " : "\n- ", notice->points[i], "\n");
}

static void put_figure(struct printer *p, const struct tp_figure_block *figure)
{
    bool has_unit = figure->unit && *figure->unit, has_note = figure->note && *figure->note;
    put_line(p, "- ",
             tp_text_printf(p->arena, "%s: %s%s%s%s%s", figure->label, figure->value, has_unit ? " " : "",
                            has_unit ? figure->unit : "", has_note ? ", " : "", has_note ? figure->note : ""),
             "\n");
}

static bool is_list_item(const struct tp_block *block)
{
    return block->kind == TP_BLOCK_FACT || block->kind == TP_BLOCK_POINT || block->kind == TP_BLOCK_FIGURE;
}

static void put_block(struct printer *p, const struct tp_document *document, const struct tp_block *block)
{
    switch (block->kind) {
    case TP_BLOCK_TITLE:
        put_line(p, "## ", block->title.text, "\n");
        break;
    case TP_BLOCK_SECTION:
        put_line(p, "### ", block->section.title, "\n");
        break;
    case TP_BLOCK_HEADING:
        put_line(p, "### ", block->text, "\n");
        break;
    case TP_BLOCK_NOTE:
        put_line(p, "", block->text, "\n");
        break;
    case TP_BLOCK_FACT:
        put_line(p, "- ", tp_fact_block_line(document, block), "\n");
        break;
    case TP_BLOCK_POINT:
        put_line(p, "- ", block->text, "\n");
        break;
    case TP_BLOCK_FIGURE:
        put_figure(p, &block->figure);
        break;
    case TP_BLOCK_NOTICE:
        put_notice(p, &block->notice);
        break;
    case TP_BLOCK_VERDICT:
        begin_block(p);
        put_verdict(p, document, &block->verdict);
        finish_block(p);
        break;
    case TP_BLOCK_TABLE:
        put_table(p, block->table);
        break;
    case TP_BLOCK_FINDINGS:
        put_findings(p, &block->findings);
        break;
    case TP_BLOCK_CHART:
        if (block->chart.table)
            put_table(p, block->chart.table);
        break;
    case TP_BLOCK_LINES:
    case TP_BLOCK_ROWS:
        break;
    case TP_BLOCK_WORDED:
        put_worded(p, block->worded);
        break;
    }
}

static bool is_block_shown(const struct tp_block *block)
{
    bool is_empty = (block->kind == TP_BLOCK_CHART && !block->chart.table) ||
                    (block->kind == TP_BLOCK_FINDINGS && !block->findings.open_count && !block->findings.none);
    return (block->places & TP_IN_MARKDOWN) && !is_empty;
}

/* Returns the largest size that `out` may have after the next block, bytes. Every block except the last leaves a third
 * of the space to later blocks. */
static size_t block_size_limit(const struct printer *p, size_t end, bool is_last)
{
    size_t size = p->out->size;
    return !end || is_last ? end : size < end ? end - (end - size) / 3 : size;
}

int tp_print_markdown(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options,
                      struct tp_error *err)
{
    struct printer p = {.out = out, .arena = document->arena};
    const struct tp_block *before = NULL;
    size_t count = document->blocks.count, last = options->left_out ? 0 : LAST_LINE;
    size_t end = options->end > last ? options->end - last : !!options->end, start = out->size;
    (void)err;
    while (count && !is_block_shown(tp_document_block_at(document, count - 1)))
        count--;
    for (size_t i = 0; i < count; i++) {
        const struct tp_block *block = tp_document_block_at(document, i);
        if (!is_block_shown(block))
            continue;
        p.is_full = false;
        p.end = block_size_limit(&p, end, i + 1 == count);
        if (before && !(is_list_item(block) && is_list_item(before)) && !out->failed &&
            (!p.end || out->size + 1 < p.end))
            tp_buf_putc(out, '\n');
        put_block(&p, document, block);
        before = block;
    }
    if (options->left_out)
        *options->left_out += p.left_out;
    else if (p.left_out && (!options->end || out->size + LAST_LINE <= options->end))
        tp_buf_printf(out, "\n%zu %s left out.\n", p.left_out, p.left_out == 1 ? "line" : "lines");
    tp_terminal_disable_appended(out, start);
    return TP_OK;
}

/* ---- several documents ---- */

void tp_digest_init(struct tp_digest *digest, size_t expected)
{
    *digest = (struct tp_digest){.expected = expected ? expected : 1};
    tp_buf_init(&digest->out, 0);
}

void tp_digest_add(struct tp_digest *digest, const struct tp_document *document)
{
    size_t most = TP_MAX_MARKDOWN_BYTES - END_BYTES, size = digest->out.size;
    size_t left = digest->expected > digest->count ? digest->expected - digest->count : 1;
    const struct tp_block *first = document->blocks.count ? tp_document_block_at(document, 0) : NULL;
    digest->count++;
    if (size && first && !is_list_item(first) && size < most)
        tp_buf_putc(&digest->out, '\n');
    size = digest->out.size;
    tp_print_markdown(&digest->out, document,
                      &(struct tp_print_options){.end = size < most ? size + (most - size) / left : size,
                                                 .left_out = &digest->left_out},
                      NULL);
}

void tp_digest_insert_first(struct tp_digest *digest, const struct tp_document *document)
{
    const size_t most = TP_MAX_MARKDOWN_BYTES - END_BYTES;
    const char *lines = digest->out.data;
    size_t size = digest->out.size;
    struct tp_buf out;
    tp_buf_init(&out, 0);
    tp_print_markdown(&out, document, &(struct tp_print_options){.end = most / 2, .left_out = &digest->left_out}, NULL);
    if (size)
        tp_buf_putc(&out, '\n');
    while (size && size + out.size > most) {
        size_t end = size - 1; /* end of the last line that fits */
        for (size = end; size && lines[size - 1] != '\n';)
            size--;
        digest->left_out += end > size;
    }
    tp_buf_add(&out, lines, size);
    tp_buf_release(&digest->out);
    digest->out = out;
}

struct tp_str tp_digest_finish(struct tp_digest *digest)
{
    if (digest->left_out)
        tp_buf_printf(&digest->out, "\n%zu %s left out. report.html and the output of --json have all numbers.\n",
                      digest->left_out, digest->left_out == 1 ? "line" : "lines");
    return digest->out.failed || !digest->out.data ? (struct tp_str){"", 0}
                                                   : (struct tp_str){digest->out.data, digest->out.size};
}

void tp_digest_release(struct tp_digest *digest)
{
    tp_buf_release(&digest->out);
}
