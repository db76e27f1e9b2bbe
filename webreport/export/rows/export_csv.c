/* Writes export --to csv: one CSV file for each table of export_rows.h, and one for the table args. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "webreport/export/export_formats.h"
#include "webreport/export/rows/export_args.h"
#include "webreport/export/rows/export_rows.h"
#include "webreport/export/rows/snapshot_rows.h"
#include "webreport/export/whole_file.h"
#include "writer/base/fs.h"
#include "writer/base/put.h"
#include "writer/text/csv_cell.h"

enum { CHUNK = 1 << 16 };

static void put_cell(struct tp_buf *out, const struct tp_rows_column *column, const struct tp_rows_cell *cell)
{
    if (column->type == TP_ROWS_INT && cell->integer != TP_NULL_INT)
        tp_buf_int(out, cell->integer);
    else if (column->type == TP_ROWS_REAL && !isnan(cell->real))
        tp_buf_printf(out, "%.9g", cell->real);
    else if (column->type == TP_ROWS_TEXT && cell->text.ptr)
        tp_csv_put_text(out, cell->text);
}

static void put_row(struct tp_buf *out, const struct tp_rows_table *table, const struct tp_rows *rows, uint32_t row)
{
    struct tp_rows_cell cells[TP_ROWS_MAX_COLUMNS];
    table->fill(rows, row, cells);
    for (unsigned c = 0; c < table->column_count; c++) {
        if (c)
            tp_put_char(out, ',');
        put_cell(out, &table->columns[c], &cells[c]);
    }
    tp_buf_puts(out, "\r\n");
}

/* Writes `text` to the file and then empties `text`, if it has at least `least` bytes. Returns 0 or the code of the
 * failed write. */
static int flush_text(struct tp_outfile *file, struct tp_buf *text, size_t least, struct tp_error *err)
{
    if (text->failed)
        return tp_error_set(err, text->failed, 0, "out of memory");
    if (text->size < least)
        return TP_OK;
    int code = tp_outfile_write(file, text->data, text->size, err);
    tp_buf_clear(text);
    return code;
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
    for (uint32_t row = 0; code == TP_OK && (row < count || text.size || text.failed); row++) {
        if (row < count)
            put_row(&text, table, rows, row);
        code = flush_text(file, &text, row + 1 >= count ? 0 : CHUNK, err);
    }
    tp_buf_release(&text);
    return code;
}

/* ---- arguments ---- */

struct args_file {
    const struct tp_export *export;
    struct tp_outfile *file;
    struct tp_buf text;
    struct tp_args args;
    struct tp_arena arena;
    pthread_t thread;
    struct tp_error err;
    int code;
};

static int write_arguments_of_event(void *context, uint32_t event, struct tp_str args, struct tp_error *err)
{
    struct args_file *a = context;
    struct tp_arg arg;
    tp_args_begin(&a->args, args);
    while (tp_args_next(&a->args, &arg)) {
        char *at = tp_put_at(&a->text, TP_PUT_INT + 1);
        if (at)
            tp_put_finish(&a->text, TP_PUT_TEXT(tp_put_int(at, event), ","));
        tp_csv_put_text(&a->text, arg.key);
        tp_put_char(&a->text, ',');
        bool is_bare = !arg.is_text && (arg.text.len == 0 || (arg.text.ptr[0] != '[' && arg.text.ptr[0] != '{'));
        if (is_bare)
            tp_buf_add(&a->text, arg.text.ptr, arg.text.len);
        else
            tp_csv_put_text(&a->text, arg.text);
        tp_buf_puts(&a->text, "\r\n");
    }
    return flush_text(a->file, &a->text, CHUNK, err);
}

static void *write_args(void *argument)
{
    struct args_file *a = argument;
    for (size_t i = 0; i < 3; i++)
        tp_buf_printf(&a->text, "%s%s", i ? "," : "", tp_args_columns[i].name);
    tp_buf_puts(&a->text, "\r\n");
    a->code = tp_args_visit_all(a->export, &a->arena, write_arguments_of_event, a, &a->err);
    if (a->code == TP_OK)
        a->code = flush_text(a->file, &a->text, 0, &a->err);
    return NULL;
}

/* Starts a second thread that writes the file of arguments. The thread reads only the trace file, so that it can run
 * while the other tables are written. Sets *has_thread to true if the thread runs; else writes the file in this
 * thread. */
static void begin_args(struct args_file *a, bool *has_thread)
{
    tp_buf_init(&a->text, 0);
    tp_args_init(&a->args);
    tp_arena_init(&a->arena, 0);
    *has_thread = pthread_create(&a->thread, NULL, write_args, a) == 0;
    if (!*has_thread)
        write_args(a);
}

static void end_args(struct args_file *a, bool has_thread)
{
    if (has_thread)
        pthread_join(a->thread, NULL);
    tp_arena_release(&a->arena);
    tp_args_release(&a->args);
    tp_buf_release(&a->text);
}

/* ---- files ---- */

static int open_table_file(struct tp_outfile **file, const struct tp_export *export, const char *table,
                           struct tp_error *err)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s.%s.csv", export->folder, export->worker, table);
    if (n < 0 || (size_t)n >= sizeof path)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the path is too long", export->folder);
    return tp_outfile_open(file, path, err);
}

static int close_table_file(struct tp_outfile *file, int code, struct tp_error *err)
{
    if (code == TP_OK)
        return tp_outfile_commit(&file, err);
    tp_outfile_discard(&file);
    return code;
}

static int write_table(const struct tp_export *export, const struct tp_rows *rows, const struct tp_rows_table *table,
                       struct tp_error *err)
{
    struct tp_outfile *file;
    int code = open_table_file(&file, export, table->name, err);
    return code < 0 ? code : close_table_file(file, write_rows(file, table, rows, err), err);
}

struct tables {
    const struct tp_export *export;
    struct tp_rows rows;
};

static int write_tables(void *context, struct tp_error *err)
{
    const struct tables *tables = context;
    int code = TP_OK;
    const struct tp_rows_table *table;
    for (unsigned i = 0; code == TP_OK && (table = tp_rows_table(&tables->rows, i)); i++)
        code = write_table(tables->export, &tables->rows, table, err);
    return code;
}

/* Writes the tables of a trace, and the table of arguments in a second thread. */
static int write_tables_and_arguments(struct tables *tables, struct tp_error *err)
{
    const struct tp_export *export = tables->export;
    struct args_file args = {.export = export};
    bool has_thread;
    int code = open_table_file(&args.file, export, "args", err);
    if (code < 0)
        return code;
    begin_args(&args, &has_thread);
    /* runs with a guard, so that the second thread is joined even after a failed allocation */

    code = tp_arena_run(export->arena, write_tables, tables, err);
    end_args(&args, has_thread);
    if (code == TP_OK && args.code < 0)
        tp_error_set(err, args.err.code, args.err.offset, "%s", args.err.text);
    return close_table_file(args.file, code < 0 ? code : args.code, err);
}

int tp_export_csv(const struct tp_export *export, struct tp_error *err)
{
    struct tables tables = {.export = export};
    int code;
    char written[4096];
    if (export->snapshot) {
        tp_snapshot_rows_build(&tables.rows, export->snapshot, export->arena);
        code = write_tables(&tables, err);
    } else {
        tp_rows_build(&tables.rows, export->profile->model, export->arena);
        code = write_tables_and_arguments(&tables, err);
    }
    snprintf(written, sizeof written, "%s/%s.*.csv", export->folder, export->worker);
    return tp_export_note_written_path(export, written, code);
}
