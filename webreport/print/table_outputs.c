/* Writes tables to a file. See table_outputs.h. */
#include "webreport/print/table_outputs.h"

#include "webreport/print/print.h"
#include "writer/base/fs.h"

static int write_pending_text(struct tp_table_outputs *o, struct tp_error *err)
{
    int code = o->text.failed ? tp_error_set(err, o->text.failed, 0, "out of memory")
                              : tp_outfile_write(o->file, o->text.data ? o->text.data : "", o->text.size, err);
    tp_buf_clear(&o->text);
    return code;
}

static int begin_output(struct tp_table_outputs *o, struct tp_error *err)
{
    tp_buf_init(&o->text, 0);
    int code = tp_outfile_open(&o->file, o->path, err);
    if (code < 0 || o->format != TP_TABLE_JSON)
        return code;
    tp_json_init(&o->json, &o->text);
    tp_json_object(&o->json);
    tp_json_member_text(&o->json, "schema", "tracepress-table");
    tp_json_member_int(&o->json, "schema_version", 1);
    tp_json_key(&o->json, "profiles");
    tp_json_array(&o->json);
    return TP_OK;
}

int tp_table_outputs_add(void *context, const struct tp_profile_table *table, struct tp_arena *arena,
                         struct tp_error *err)
{
    static const struct {
        unsigned place;
        tp_print *print;
    } formats[] = {[TP_TABLE_TEXT] = {TP_IN_TEXT, tp_print_text},
                   [TP_TABLE_CSV] = {TP_IN_CSV, tp_print_csv},
                   [TP_TABLE_JSON] = {TP_IN_RECORD, NULL},
                   [TP_TABLE_MARKDOWN] = {TP_IN_MARKDOWN, tp_print_markdown}};
    struct tp_table_outputs *o = context;
    struct tp_print_options options = {.omits_column_names = o->count > 0};
    struct tp_document document;
    int code = o->file ? TP_OK : begin_output(o, err);
    if (code < 0)
        return code;
    tp_table_document(&document, table, &o->style, formats[o->format].place, arena);
    if (o->count && (o->format == TP_TABLE_TEXT || o->format == TP_TABLE_MARKDOWN))
        tp_buf_putc(&o->text, '\n');
    if (formats[o->format].print)
        code = formats[o->format].print(&o->text, &document, &options, err);
    else
        tp_json_write_object(&o->json, document.record);
    o->count++;
    return code < 0 ? code : write_pending_text(o, err);
}

int tp_table_outputs_commit(struct tp_table_outputs *o, struct tp_error *err)
{
    if (!o->file)
        return TP_OK;
    if (o->format == TP_TABLE_JSON) {
        tp_json_array_end(&o->json);
        tp_json_object_end(&o->json);
        tp_buf_putc(&o->text, '\n');
    }
    int code = write_pending_text(o, err);
    return code < 0 ? code : tp_outfile_commit(&o->file, err);
}

void tp_table_outputs_close(struct tp_table_outputs *o)
{
    tp_outfile_discard(&o->file);
    tp_buf_release(&o->text);
}

int tp_print_key_averages(struct tp_buf *out, const struct tp_profile_table *table, struct tp_arena *arena,
                          struct tp_error *err)
{
    static const struct tp_print_options options = {0};
    struct tp_table_style style = TP_TABLE_STYLE;
    struct tp_document document;
    tp_table_document(&document, table, &style, TP_IN_TEXT, arena);
    return tp_print_text(out, &document, &options, err);
}
