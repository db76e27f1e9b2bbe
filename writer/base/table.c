/* Allocates tables and writes them as JSON: see table.h. */
#include "writer/base/table.h"

#include <assert.h>

static const size_t cell_size[] = {
    [TP_COLUMN_TEXT] = sizeof(struct tp_str), [TP_COLUMN_INT] = sizeof(int64_t),
    [TP_COLUMN_NS] = sizeof(int64_t),         [TP_COLUMN_BYTES] = sizeof(int64_t),
    [TP_COLUMN_REAL] = sizeof(double),        [TP_COLUMN_BOOL] = sizeof(uint8_t),
    [TP_COLUMN_WORD] = sizeof(struct tp_str), [TP_COLUMN_JSON] = sizeof(struct tp_str),
};

void tp_table_init(struct tp_table *table, struct tp_arena *arena, const char *name, const struct tp_column_def *defs,
                   unsigned column_count, size_t row_count)
{
    assert(column_count <= TP_MAX_COLUMNS);
    memset(table, 0, sizeof *table);
    table->name = name;
    table->defs = defs;
    table->column_count = column_count;
    table->row_count = row_count;
    for (unsigned i = 0; i < column_count; i++)
        table->cells[i] = tp_arena_array(arena, row_count, cell_size[defs[i].type]);
}

static void put_int_or_null(struct tp_json *json, int64_t value, bool is_time)
{
    if (value == TP_NULL_INT)
        tp_json_null(json);
    else if (is_time)
        tp_json_us(json, value);
    else
        tp_json_int(json, value);
}

void tp_table_cell_json(const struct tp_table *table, unsigned column, size_t row, struct tp_json *json)
{
    struct tp_str text;
    switch (table->defs[column].type) {
    case TP_COLUMN_TEXT:
    case TP_COLUMN_WORD:
        tp_json_str(json, tp_table_text(table, column)[row]);
        break;
    case TP_COLUMN_INT:
    case TP_COLUMN_BYTES:
    case TP_COLUMN_NS:
        put_int_or_null(json, tp_table_int(table, column)[row], table->defs[column].type == TP_COLUMN_NS);
        break;
    case TP_COLUMN_REAL:
        tp_json_real(json, tp_table_real(table, column)[row]);
        break;
    case TP_COLUMN_BOOL:
        tp_json_bool(json, tp_table_bool(table, column)[row] != 0);
        break;
    case TP_COLUMN_JSON:
        text = tp_table_text(table, column)[row];
        tp_json_raw(json, text.ptr ? text : TP_STR("null"));
        break;
    }
}

void tp_table_cell_text(const struct tp_table *table, unsigned column, size_t row, struct tp_buf *out)
{
    enum tp_column_type type = table->defs[column].type;
    struct tp_json json;
    size_t start = out->size;
    if (type == TP_COLUMN_TEXT || type == TP_COLUMN_WORD || type == TP_COLUMN_JSON) {
        tp_buf_add(out, tp_table_text(table, column)[row].ptr, tp_table_text(table, column)[row].len);
        return;
    }
    tp_json_init(&json, out);
    tp_table_cell_json(table, column, row, &json);
    if (!out->failed && out->size - start == 4 && memcmp(out->data + start, "null", 4) == 0)
        out->data[out->size = start] = '\0';
}

void tp_table_row_json(const struct tp_table *table, size_t row, struct tp_json *json)
{
    for (unsigned i = 0; i < table->column_count; i++) {
        tp_json_key(json, table->defs[i].name);
        tp_table_cell_json(table, i, row, json);
    }
}

void tp_table_json(const struct tp_table *table, struct tp_json *json)
{
    tp_json_array(json);
    for (size_t row = 0; row < table->row_count; row++) {
        tp_json_object(json);
        tp_table_row_json(table, row, json);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
}
