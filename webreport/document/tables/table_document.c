/* Makes the document of a table. Selects the text for the kind of table, and adds the rows for scripts. See
 * table_document.h. */
#include "webreport/document/tables/table_document.h"

#include "writer/text/format.h"
#include "writer/text/terminal.h"

/* ---- text ---- */

static void put_table_as_text(struct tp_document *document, const struct tp_profile_table *table,
                              const struct tp_table_style *style)
{
    if (table->is_one_of_many) {
        char *file = tp_arena_copy(document->arena, table->file.ptr, table->file.len);
        tp_terminal_clean(file, table->file.len);
        tp_document_add_text_lines(document, tp_text_printf(document->arena, "%s\n", file));
    }
    if (table->averages)
        tp_torch_table_put(document, table, style);
    else if (table->operators)
        tp_operator_calls_put(document, table);
    else if (table->program)
        tp_program_table_put(document, table);
    else
        tp_calls_put(document, table);
}

/* ---- Markdown ---- */

static void write_plain_cell(const struct tp_worded_table *worded, size_t row, unsigned column, struct tp_buf *out)
{
    tp_table_cell_text(worded->context, column, row, out);
}

/* Adds a table with every column. */
static void put_table_with_all_columns(struct tp_document *document, const struct tp_table *rows)
{
    struct tp_arena *arena = document->arena;
    struct tp_worded_table *worded = tp_arena_alloc(arena, sizeof *worded);
    struct tp_worded_column *columns = tp_arena_array(arena, rows->column_count, sizeof *columns);
    for (unsigned i = 0; i < rows->column_count; i++) {
        const struct tp_column_def *def = &rows->defs[i];
        bool is_text = def->type == TP_COLUMN_TEXT || def->type == TP_COLUMN_JSON;
        const char *title = tp_speech_text((struct tp_speech){0}, def->title, arena);
        columns[i] =
            (struct tp_worded_column){.title = *def->unit ? tp_text_printf(arena, "%s (%s)", title, def->unit) : title,
                                      .is_left = is_text,
                                      .is_number = !is_text};
    }
    *worded = (struct tp_worded_table){.columns = columns,
                                       .column_count = rows->column_count,
                                       .row_count = rows->row_count,
                                       .cell = write_plain_cell,
                                       .context = rows};
    tp_document_add_worded_table(document, worded);
}

static void put_table_as_markdown(struct tp_document *document, const struct tp_profile_table *table,
                                  const struct tp_table_style *style, const struct tp_table *rows)
{
    if (table->is_one_of_many)
        tp_document_add_heading(document,
                                tp_text_printf(document->arena, "%.*s", (int)table->label.len, table->label.ptr));
    if (table->averages)
        tp_torch_table_put_short(document, table, style);
    else
        put_table_with_all_columns(document, rows);
}

/* ---- the record ---- */

/* Rows of torch's key_averages as JSON. A row omits members without a value; a stack is a list. */
struct key_rows {
    const struct tp_profile_table *table;
    const struct tp_table *rows;
};

static void write_key_row(const struct key_rows *keys, size_t at, struct tp_json *json)
{
    const struct tp_key_averages *averages = keys->table->averages;
    const struct tp_key_row *row = &averages->rows[keys->table->shown[at]];
    tp_json_object(json);
    for (unsigned i = 0; i < TP_KEY_COLUMN_SHAPES; i++) {
        tp_json_key(json, keys->rows->defs[i].name);
        tp_table_cell_json(keys->rows, i, at, json);
    }
    if (row->shapes.ptr)
        tp_json_member_str(json, "input_shapes", row->shapes);
    if (row->stack.count) {
        tp_json_key(json, "stack");
        tp_json_array(json);
        for (uint32_t k = 0; k < row->stack.count; k++)
            tp_json_str(json, tp_key_frame_text(&averages->stacks, row->stack.first + k));
        tp_json_array_end(json);
    }
    tp_json_object_end(json);
}

static void write_key_rows(const struct tp_data *value, struct tp_json *json)
{
    const struct key_rows *keys = value->self;
    tp_json_array(json);
    for (size_t i = 0; i < keys->table->shown_count; i++)
        write_key_row(keys, i, json);
    tp_json_array_end(json);
}

static const struct tp_data_source KEY_ROWS = {.write = write_key_rows};

static void add_keys_to_record(struct tp_document *document, const struct tp_profile_table *table,
                               const struct tp_table *rows)
{
    struct tp_object *record = document->record;
    struct key_rows *keys = tp_arena_alloc(document->arena, sizeof *keys);
    int64_t cpu_ns, device_ns;
    *keys = (struct key_rows){table, rows};
    tp_key_averages_sum(table->averages, &cpu_ns, &device_ns);
    tp_object_add_text(record, "device", table->averages->torch.device);
    tp_object_add_ns(record, "self_cpu_total_us", cpu_ns);
    tp_object_add_ns(record, "self_device_total_us", device_ns);
    tp_object_add_int(record, "row_count", table->averages->count);
    tp_object_add_value(record, "rows", (struct tp_data){.kind = TP_DATA_WRITTEN, .source = &KEY_ROWS, .self = keys});
}

static void add_operators_to_record(struct tp_object *record, const struct tp_operator_calls *calls)
{
    tp_object_add_bool(record, "is_device_time", calls->is_device);
    tp_object_add_int(record, "call_count", calls->call_count);
    tp_object_add_ns(record, "self_time_us", calls->time_ns);
    tp_object_add_ns(record, "self_time_with_computation_us", calls->known_computation_ns);
    tp_object_add_ns(record, "copy_time_us", calls->copy_ns);
    tp_object_add_int(record, "copy_count", calls->copy_count);
}

static void fill_record(struct tp_document *document, const struct tp_profile_table *table, const struct tp_table *rows)
{
    struct tp_object *record = document->record;
    tp_object_add_str(record, "profile", table->label);
    tp_object_add_str(record, "file", table->file);
    if (table->averages) {
        add_keys_to_record(document, table, rows);
        return;
    }
    if (table->operators)
        add_operators_to_record(record, table->operators);
    tp_object_add_table(record, "rows", rows);
}

/* ---- the whole document ---- */

void tp_table_document(struct tp_document *document, const struct tp_profile_table *table,
                       const struct tp_table_style *style, unsigned places, struct tp_arena *arena)
{
    const struct tp_table *rows = places & ~(unsigned)TP_IN_TEXT ? tp_profile_table_rows(table, arena) : NULL;
    tp_document_init(document, "Table", arena);
    document->places = TP_IN_TEXT;
    if (places & TP_IN_TEXT)
        put_table_as_text(document, table, style);
    document->places = TP_IN_MARKDOWN;
    if (places & TP_IN_MARKDOWN)
        put_table_as_markdown(document, table, style, rows);
    document->places = TP_IN_CSV;
    if (places & TP_IN_CSV)
        tp_document_add_rows_block(document, &(struct tp_rows_block){rows, "profile", table->label});
    if (places & TP_IN_RECORD)
        fill_record(document, table, rows);
}
