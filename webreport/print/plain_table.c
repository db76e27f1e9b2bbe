/* Tables for programs: see plain_table.h. */
#include "webreport/print/plain_table.h"

#include "writer/text/markdown_escape.h"

void tp_csv_text(struct tp_buf *out, struct tp_str text)
{
    tp_buf_putc(out, '"');
    if (text.len && text.ptr[0] && strchr("=+-@\t\r", text.ptr[0]))
        tp_buf_putc(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"')
            tp_buf_putc(out, '"');
        tp_buf_putc(out, text.ptr[i]);
    }
    tp_buf_putc(out, '"');
}

static bool is_text(const struct tp_table *table, unsigned column)
{
    return table->defs[column].type == TP_COLUMN_TEXT || table->defs[column].type == TP_COLUMN_JSON;
}

/* The cell as JSON prints it; absent ones are "null". */
static void put_number(struct tp_buf *out, const struct tp_table *table, unsigned column, size_t row)
{
    struct tp_json number;
    size_t start = out->size;
    tp_json_init(&number, out);
    tp_table_cell_json(table, column, row, &number);
    if (!out->failed && out->size - start == 4 && memcmp(out->data + start, "null", 4) == 0)
        out->data[out->size = start] = '\0';
}

void tp_plain_csv_head(struct tp_buf *out, const struct tp_column_def *defs, unsigned column_count)
{
    for (unsigned i = 0; i < column_count; i++)
        tp_buf_printf(out, "%s,", defs[i].name);
    tp_buf_puts(out, "profile\n");
}

void tp_plain_csv(struct tp_buf *out, const struct tp_table_slice *slice, struct tp_str profile)
{
    const struct tp_table *table = slice->table;
    for (size_t i = 0; i < slice->count; i++) {
        for (unsigned k = 0; k < table->column_count; k++) {
            if (!is_text(table, k))
                put_number(out, table, k, slice->order[i]);
            else if (tp_table_text(table, k)[slice->order[i]].ptr)
                tp_csv_text(out, tp_table_text(table, k)[slice->order[i]]);
            tp_buf_putc(out, ',');
        }
        tp_csv_text(out, profile);
        tp_buf_putc(out, '\n');
    }
}

void tp_plain_json(struct tp_json *json, const struct tp_table_slice *slice)
{
    tp_json_key(json, "rows");
    tp_json_array(json);
    for (size_t i = 0; i < slice->count; i++) {
        tp_json_object(json);
        tp_table_row_json(slice->table, slice->order[i], json);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
}

void tp_plain_markdown(struct tp_buf *out, const struct tp_table_slice *slice)
{
    const struct tp_table *table = slice->table;
    tp_buf_putc(out, '|');
    for (unsigned k = 0; k < table->column_count; k++)
        tp_buf_printf(out, " %s%s%s%s |", table->defs[k].title, *table->defs[k].unit ? " (" : "", table->defs[k].unit,
                      *table->defs[k].unit ? ")" : "");
    tp_buf_puts(out, "\n|");
    for (unsigned k = 0; k < table->column_count; k++)
        tp_buf_puts(out, is_text(table, k) ? ":--|" : "--:|");
    tp_buf_putc(out, '\n');
    for (size_t i = 0; i < slice->count; i++) {
        tp_buf_putc(out, '|');
        for (unsigned k = 0; k < table->column_count; k++) {
            tp_buf_putc(out, ' ');
            if (is_text(table, k))
                tp_markdown_escape(out, tp_table_text(table, k)[slice->order[i]]);
            else
                put_number(out, table, k, slice->order[i]);
            tp_buf_puts(out, " |");
        }
        tp_buf_putc(out, '\n');
    }
}
