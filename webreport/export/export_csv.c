/* A trace as CSV files, one per table of export_rows.h: export --to csv. */
#include <math.h>
#include <stdio.h>

#include "webreport/export/export_formats.h"
#include "webreport/export/export_rows.h"
#include "writer/base/fs.h"
#include "writer/text/csv_cell.h"

enum { CHUNK = 1 << 16 };

static void put_cell(struct tp_buf *out, const struct tp_rows_column *column, const struct tp_rows_cell *cell)
{
    if (column->type == TP_ROWS_INT && cell->integer != TP_NULL_INT)
        tp_buf_int(out, cell->integer);
    else if (column->type == TP_ROWS_REAL && !isnan(cell->real))
        tp_buf_printf(out, "%.9g", cell->real);
    else if (column->type == TP_ROWS_TEXT && cell->text.ptr)
        tp_csv_text(out, cell->text);
}

static void put_row(struct tp_buf *out, const struct tp_rows_table *table, const struct tp_rows *rows, uint32_t row)
{
    struct tp_rows_cell cells[TP_ROWS_MAX_COLUMNS];
    table->fill(rows, row, cells);
    for (unsigned c = 0; c < table->column_count; c++) {
        if (c)
            tp_buf_putc(out, ',');
        put_cell(out, &table->columns[c], &cells[c]);
    }
    tp_buf_puts(out, "\r\n");
}

static int write_rows(struct tp_outfile *file, const struct tp_rows_table *table, const struct tp_rows *rows,
                      struct tp_error *err)
{
    struct tp_buf text;
    int code = TP_OK;
    uint32_t count = table->count(rows);
    tp_buf_init(&text, 0);
    for (unsigned c = 0; c < table->column_count; c++)
        tp_buf_printf(&text, "%s%s", c ? "," : "", table->columns[c].name);
    tp_buf_puts(&text, "\r\n");
    for (uint32_t row = 0; code == TP_OK && (row < count || text.size); row++) {
        if (row < count)
            put_row(&text, table, rows, row);
        if (text.failed)
            code = tp_error_set(err, text.failed, 0, "out of memory");
        else if (text.size >= CHUNK || row + 1 >= count) {
            code = tp_outfile_write(file, text.data, text.size, err);
            tp_buf_clear(&text);
        }
    }
    tp_buf_release(&text);
    return code;
}

static int write_table(const struct tp_export *export, const struct tp_rows *rows, const struct tp_rows_table *table,
                       struct tp_error *err)
{
    struct tp_outfile *file;
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s.%s.csv", export->folder, export->worker, table->name);
    if (n < 0 || (size_t)n >= sizeof path)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the path is too long", export->folder);
    int code = tp_outfile_open(&file, path, err);
    if (code < 0)
        return code;
    code = write_rows(file, table, rows, err);
    if (code == TP_OK)
        return tp_outfile_commit(&file, err);
    tp_outfile_discard(&file);
    return code;
}

int tp_export_csv(const struct tp_export *export, struct tp_error *err)
{
    struct tp_rows rows;
    int code = TP_OK;
    tp_rows_build(&rows, export->profile->model, export->arena);
    for (const struct tp_rows_table *table = tp_rows_tables; table->name && code == TP_OK; table++)
        code = write_table(export, &rows, table, err);
    return code;
}
