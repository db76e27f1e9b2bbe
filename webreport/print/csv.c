/* Prints the rows of a document as CSV. See print.h. */
#include "webreport/print/print.h"

#include "writer/text/csv_cell.h"
#include "writer/text/terminal.h"

static void write_column_names(struct tp_buf *out, const struct tp_rows_block *rows)
{
    for (unsigned i = 0; i < rows->table->column_count; i++)
        tp_buf_printf(out, "%s,", rows->table->defs[i].name);
    tp_buf_printf(out, "%s\n", rows->extra_column_name);
}

static void write_csv_cell(struct tp_buf *out, const struct tp_table *table, unsigned column, size_t row)
{
    enum tp_column_type type = table->defs[column].type;
    if (type != TP_COLUMN_TEXT && type != TP_COLUMN_JSON)
        tp_table_cell_text(table, column, row, out);
    else if (tp_table_text(table, column)[row].ptr)
        tp_csv_put_text(out, tp_table_text(table, column)[row]);
    tp_buf_putc(out, ',');
}

static void write_csv_rows(struct tp_buf *out, const struct tp_rows_block *rows)
{
    for (size_t row = 0; row < rows->table->row_count; row++) {
        for (unsigned i = 0; i < rows->table->column_count; i++)
            write_csv_cell(out, rows->table, i, row);
        tp_csv_put_text(out, rows->last);
        tp_buf_putc(out, '\n');
    }
}

int tp_print_csv(struct tp_buf *out, const struct tp_document *document, const struct tp_print_options *options,
                 struct tp_error *err)
{
    size_t start = out->size;
    (void)err;
    for (size_t i = 0; i < document->blocks.count; i++) {
        const struct tp_block *block = tp_document_block_at(document, i);
        if (block->kind != TP_BLOCK_ROWS || !(block->places & TP_IN_CSV))
            continue;
        if (!options->omits_column_names)
            write_column_names(out, &block->rows);
        write_csv_rows(out, &block->rows);
    }
    if (!out->failed && out->size > start)
        tp_terminal_clean_lines(out->data + start, out->size - start);
    tp_terminal_disable_appended(out, start);
    return TP_OK;
}
