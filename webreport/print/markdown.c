/* A document as Markdown: see markdown.h. */
#include "webreport/print/markdown.h"

#include "writer/text/format.h"
#include "writer/text/markdown_escape.h"

enum { ROWS_MOST = 20, PLACES_MOST = 10 };

struct printer {
    struct tp_buf *out;
    struct tp_arena *arena;
    size_t end;      /* of the room; 0: none */
    size_t start;    /* of the line that is being written */
    size_t left_out; /* lines */
    bool is_full;    /* a line of this block did not fit: the others are left out, too */
};

/* ---- lines that go in whole or not at all ---- */

static void begin(struct printer *p)
{
    p->start = p->out->size;
}

static void finish(struct printer *p)
{
    bool has_room = !p->end || p->out->size <= p->end;
    if (p->out->failed || (has_room && !p->is_full))
        return;
    p->is_full = true;
    p->left_out++;
    p->out->size = p->start;
    p->out->data[p->start] = '\0';
}

static void put(const struct printer *p, const char *text)
{
    tp_markdown_escape(p->out, tp_str_of(text));
}

static void put_str(const struct printer *p, struct tp_str text)
{
    tp_markdown_escape(p->out, (struct tp_str){text.ptr ? text.ptr : "", text.len});
}

static void put_cell(const struct printer *p, const char *text)
{
    tp_buf_puts(p->out, " ");
    put(p, text);
    tp_buf_puts(p->out, " |");
}

static void put_more(struct printer *p, size_t count, const char *what)
{
    begin(p);
    if (count)
        tp_buf_printf(p->out, "\nand %zu more%s\n", count, what);
    finish(p);
}

/* ---- findings ---- */

/* A cell where the list has that column. */
static void put_amount(const struct printer *p, const char *head, const char *text)
{
    if (head)
        put_cell(p, text ? text : "\xe2\x80\x93");
}

static void put_finding(struct printer *p, const struct tp_findings_block *list, const struct tp_finding_block *finding)
{
    begin(p);
    tp_buf_puts(p->out, "|");
    put_cell(p, finding->status);
    put_cell(p, finding->title);
    put_amount(p, list->base_head, finding->base);
    put_amount(p, list->value_head, finding->value);
    put_amount(p, list->change_head, finding->change);
    tp_buf_puts(p->out, " ");
    for (unsigned i = 0; i < TP_REASONS && finding->reasons[i]; i++) {
        tp_buf_puts(p->out, i ? "; " : "");
        put(p, finding->reasons[i]);
    }
    tp_buf_puts(p->out, " |\n");
    finish(p);
}

static void put_findings_head(struct printer *p, const struct tp_findings_block *list)
{
    const char *const amounts[] = {list->base_head, list->value_head, list->change_head};
    begin(p);
    tp_buf_printf(p->out, "| | %s |", list->title_head);
    for (unsigned i = 0; i < sizeof amounts / sizeof *amounts; i++)
        if (amounts[i])
            put_cell(p, amounts[i]);
    tp_buf_printf(p->out, " %s |\n|---|---|", list->reason_head ? list->reason_head : "");
    for (unsigned i = 0; i < sizeof amounts / sizeof *amounts; i++)
        tp_buf_puts(p->out, amounts[i] ? "--:|" : "");
    tp_buf_puts(p->out, "---|\n");
    finish(p);
}

static void put_places(struct printer *p, const struct tp_findings_block *list)
{
    size_t left = PLACES_MOST;
    for (size_t i = 0; i < list->count; i++)
        for (uint32_t k = 0; k < list->items[i].place_count && left; k++, left--) {
            begin(p);
            tp_buf_puts(p->out, left == PLACES_MOST ? "\n- " : "- ");
            put_str(p, list->items[i].places[k].file_line);
            tp_buf_puts(p->out, list->items[i].places[k].file_line.len ? ": " : "");
            put_str(p, list->items[i].places[k].text);
            tp_buf_puts(p->out, "\n");
            finish(p);
        }
}

static void put_findings(struct printer *p, const struct tp_findings_block *list)
{
    size_t shown = list->open_count < ROWS_MOST ? list->open_count : ROWS_MOST;
    if (shown)
        put_findings_head(p, list);
    for (size_t i = 0; i < shown; i++)
        put_finding(p, list, &list->items[i]);
    put_places(p, list);
    put_more(p, list->open_count - shown, "");
}

/* ---- tables ---- */

static bool is_column(const struct tp_shown_table *table, unsigned column)
{
    return !(table->columns[column].flags & TP_SHOWN_WIDE) && table->columns[column].format != TP_SHOW_BAR;
}

static void put_table(struct printer *p, const struct tp_shown_table *table)
{
    begin(p);
    tp_buf_puts(p->out, "|");
    put_cell(p, table->name_title);
    for (unsigned i = 0; i < table->column_count; i++)
        if (is_column(table, i))
            put_cell(p, tp_shown_title(table, i));
    tp_buf_puts(p->out, "\n|---|");
    for (unsigned i = 0; i < table->column_count; i++)
        if (is_column(table, i))
            tp_buf_puts(p->out, tp_shown_is_text(table, i) ? "---|" : "--:|");
    tp_buf_puts(p->out, "\n");
    finish(p);
    for (size_t row = 0; row < table->row_count; row++) {
        begin(p);
        tp_buf_puts(p->out, "| ");
        put_str(p, table->rows[row].prefix);
        put_str(p, table->rows[row].name);
        tp_buf_puts(p->out, " |");
        for (unsigned i = 0; i < table->column_count; i++)
            if (is_column(table, i)) {
                tp_buf_puts(p->out, " ");
                put_str(p, tp_shown_cell(table, i, row));
                tp_buf_puts(p->out, " |");
            }
        tp_buf_puts(p->out, "\n");
        finish(p);
    }
    put_more(p, table->table->row_count - table->row_count, " rows");
}

/* ---- all ---- */

static void put_verdict(struct printer *p, const struct tp_verdict_block *verdict)
{
    tp_buf_puts(p->out, "**");
    put(p, verdict->class);
    tp_buf_puts(p->out, ": ");
    put(p, verdict->headline);
    tp_buf_puts(p->out, "**");
    if (*verdict->text) {
        tp_buf_puts(p->out, "  \n");
        put(p, verdict->text);
    }
    tp_buf_puts(p->out, "\n");
}

static void put_text_block(struct printer *p, const struct tp_block *block)
{
    tp_buf_puts(p->out, block->kind == TP_BLOCK_HEADING ? "### " : block->kind == TP_BLOCK_NOTE ? "" : "- ");
    if (block->kind == TP_BLOCK_FACT) {
        put(p, block->term);
        tp_buf_puts(p->out, ": ");
    }
    put(p, block->text);
    tp_buf_puts(p->out, "\n");
}

static bool is_item(const struct tp_block *block)
{
    return block->kind == TP_BLOCK_FACT || block->kind == TP_BLOCK_POINT;
}

static void put_block(struct printer *p, const struct tp_block *block)
{
    switch (block->kind) {
    case TP_BLOCK_TABLE:
        put_table(p, block->table);
        return;
    case TP_BLOCK_FINDINGS:
        put_findings(p, &block->findings);
        return;
    case TP_BLOCK_VERDICT:
        begin(p);
        put_verdict(p, &block->verdict);
        break;
    default:
        begin(p);
        put_text_block(p, block);
    }
    finish(p);
}

/* Blocks other than the last leave a third of the room to those behind them. */
static size_t room_end(const struct printer *p, size_t end, bool is_last)
{
    size_t size = p->out->size;
    return !end || is_last ? end : size < end ? end - (end - size) / 3 : size;
}

void tp_print_markdown(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options)
{
    struct printer p = {.out = out, .arena = document->arena};
    size_t count = document->blocks.count;
    for (size_t i = 0; i < count; i++) {
        const struct tp_block *block = tp_document_at(document, i);
        p.is_full = false;
        p.end = room_end(&p, options->end, i + 1 == count);
        if (i && !(is_item(block) && is_item(tp_document_at(document, i - 1))) && !out->failed &&
            (!p.end || out->size + 1 < p.end))
            tp_buf_putc(out, '\n');
        put_block(&p, block);
    }
    if (options->left_out)
        *options->left_out += p.left_out;
}
