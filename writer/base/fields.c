/* Writes structs as JSON by tables that describe their fields. See fields.h. */
#include "writer/base/fields.h"

#include <string.h>

static void put_record(const struct tp_fields *fields, const struct tp_record *record, struct tp_json *json);
static void put_members(const struct tp_fields *fields, const struct tp_record *record, struct tp_json *json);

static const void *member_at(const struct tp_record *record, uint32_t offset)
{
    return (const char *)record->at + offset;
}

/* Value of a struct member. storage selects the member of the union. */
union stored {
    int64_t i64;
    uint64_t u64;
    int32_t i32;
    uint32_t u32;
    uint8_t u8;
    bool is_true;
    double real;
    const char *text;
    struct tp_str str;
};

static const size_t sizes[] = {
    [TP_STORED_I64] = sizeof(int64_t),       [TP_STORED_U64] = sizeof(uint64_t),
    [TP_STORED_I32] = sizeof(int32_t),       [TP_STORED_U32] = sizeof(uint32_t),
    [TP_STORED_U8] = sizeof(uint8_t),        [TP_STORED_BOOL] = sizeof(bool),
    [TP_STORED_REAL] = sizeof(double),       [TP_STORED_TEXT] = sizeof(const char *),
    [TP_STORED_STR] = sizeof(struct tp_str),
};

static int64_t load_int(const void *member, enum tp_storage storage)
{
    union stored value;
    memcpy(&value, member, sizes[storage]);
    switch (storage) {
    case TP_STORED_U32:
        return value.u32;
    case TP_STORED_I32:
        return value.i32;
    case TP_STORED_U8:
        return value.u8;
    case TP_STORED_BOOL:
        return value.is_true;
    case TP_STORED_U64:
        return (int64_t)value.u64;
    default:
        return value.i64;
    }
}

/* Reads a number, text, bool or table from a member of a struct. */
static struct tp_json_value load_member(const void *member, enum tp_json_type type, enum tp_storage storage)
{
    union stored value;
    if (storage == TP_STORED_TABLE)
        return (struct tp_json_value){.type = type, .table = member};
    memcpy(&value, member, sizes[storage]);
    switch (storage) {
    case TP_STORED_REAL:
        return tp_json_value_real(value.real);
    case TP_STORED_TEXT:
        return tp_json_value_text(value.text);
    case TP_STORED_STR:
        return tp_json_value_str(value.str);
    default:
        if (storage == TP_STORED_U64 && type == TP_AS_INT && value.i64 < 0 && value.i64 != TP_NULL_INT)
            type = TP_AS_UNSIGNED;
        return (struct tp_json_value){.type = type, .integer = load_int(member, storage)};
    }
}

static void put_cells(const struct tp_table *table, struct tp_json *json)
{
    tp_json_array(json);
    for (size_t row = 0; row < table->row_count; row++) {
        tp_json_array(json);
        for (unsigned column = 0; column < table->column_count; column++)
            tp_table_cell_json(table, column, row, json);
        tp_json_array_end(json);
    }
    tp_json_array_end(json);
}

static void put_columns(const struct tp_table *table, struct tp_json *json)
{
    tp_json_array(json);
    for (unsigned column = 0; column < table->column_count; column++)
        tp_json_text(json, table->defs[column].name);
    tp_json_array_end(json);
}

static void put_items(const struct tp_json_value *value, struct tp_json *json);

/* Writes a text that the value's function computes. If memory for the text is short, sets out->failed, because the
 * output would be incomplete. */
static void put_computed_text(const struct tp_json_value *value, struct tp_json *json)
{
    struct tp_buf room;
    tp_buf_init(&room, 0);
    if (tp_buf_reserve(&room, value->length) == 0)
        room.size = value->write(&value->record, room.data, value->length);
    else if (!json->out->failed)
        json->out->failed = room.failed;
    tp_json_str(json, (struct tp_str){room.data ? room.data : "", room.size});
    tp_buf_release(&room);
}

static void put_value(const struct tp_json_value *value, struct tp_json *json)
{
    switch (value->type) {
    case TP_AS_INT:
        value->integer == TP_NULL_INT ? tp_json_null(json) : tp_json_int(json, value->integer);
        break;
    case TP_AS_UNSIGNED:
        tp_json_uint(json, (uint64_t)value->integer);
        break;
    case TP_AS_US:
        value->integer == TP_NULL_INT ? tp_json_null(json) : tp_json_us(json, value->integer);
        break;
    case TP_AS_BOOL:
        tp_json_bool(json, value->integer != 0);
        break;
    case TP_AS_REAL:
        tp_json_real(json, value->real);
        break;
    case TP_AS_TEXT:
    case TP_AS_WORD:
        tp_json_str(json, value->text);
        break;
    case TP_AS_JSON:
        tp_json_raw(json, value->text);
        break;
    case TP_AS_TABLE:
        tp_table_json(value->table, json);
        break;
    case TP_AS_CELLS:
        put_cells(value->table, json);
        break;
    case TP_AS_COLUMNS:
        put_columns(value->table, json);
        break;
    case TP_AS_CELL:
        tp_table_cell_json(value->table, value->column, value->record.index, json);
        break;
    case TP_AS_WRITTEN:
        put_computed_text(value, json);
        break;
    case TP_AS_RECORD:
        put_record(value->fields, &value->record, json);
        break;
    case TP_AS_LIST:
    case TP_AS_MAP:
        put_items(value, json);
        break;
    default:
        tp_json_null(json);
        break;
    }
}

/* Writes the items of a list or a map. */
static void put_items(const struct tp_json_value *value, struct tp_json *json)
{
    struct tp_item item;
    bool is_map = value->type == TP_AS_MAP;
    is_map ? tp_json_object(json) : tp_json_array(json);
    for (size_t cursor = 0; value->next(&value->record, &cursor, &item);) {
        if (item.value.type == TP_AS_ABSENT)
            continue;
        if (is_map)
            tp_json_key_str(json, item.key);
        put_value(&item.value, json);
    }
    is_map ? tp_json_object_end(json) : tp_json_array_end(json);
}

/* Writes a member that is an array of values or of records. */
static void put_array(const struct tp_json_field *field, const struct tp_record *record, struct tp_json *json)
{
    const char *at = member_at(record, field->offset);
    size_t count = (size_t)load_int(member_at(record, field->count_offset), field->count_storage);
    if (field->is_pointer)
        at = *(const char *const *)at;
    tp_json_array(json);
    for (size_t i = 0; i < count; i++, at += field->stride) {
        if (field->type == TP_AS_RECORDS) {
            put_record(field->fields, &(struct tp_record){at, record->at, i, record->arena}, json);
        } else {
            struct tp_json_value value = load_member(at, TP_AS_INT, field->storage);
            put_value(&value, json);
        }
    }
    tp_json_array_end(json);
}

/* Writes an array that has one record for each row of a table. */
static void put_records_of_rows(const struct tp_json_field *field, const struct tp_record *record, struct tp_json *json)
{
    const struct tp_table *table = member_at(record, field->offset);
    struct tp_record row = *record;
    tp_json_array(json);
    for (row.index = 0; row.index < table->row_count; row.index++)
        put_record(field->fields, &row, json);
    tp_json_array_end(json);
}

/* Writes cells of one table row as members of the record. record->index selects the row. */
static void put_row(const struct tp_json_field *field, const struct tp_record *record, struct tp_json *json)
{
    const struct tp_table *table = member_at(record, field->offset);
    unsigned end = field->count ? field->first + field->count : table->column_count;
    for (unsigned column = field->first; column < end; column++) {
        tp_json_key(json, table->defs[column].name);
        tp_table_cell_json(table, column, record->index, json);
    }
}

static struct tp_json_value field_value(const struct tp_json_field *field, const struct tp_record *record)
{
    const char *at = member_at(record, field->offset);
    if (field->compute)
        return field->compute(record);
    if (field->type == TP_AS_WORD)
        return tp_json_value_text(field->word((unsigned)load_int(member_at(record, field->offset), field->storage)));
    if (field->type == TP_AS_LIST || field->type == TP_AS_MAP)
        return (struct tp_json_value){.type = field->type, .next = field->next, .record = *record};
    if (field->type == TP_AS_RECORD)
        return tp_json_value_record(field->fields, field->is_object_of_same_record
                                                       ? *record
                                                       : (struct tp_record){at, record->at, 0, record->arena});
    return load_member(at, field->type, field->storage);
}

static void put_field(const struct tp_json_field *field, const struct tp_record *record, struct tp_json *json)
{
    bool is_known = !field->flag || load_int(member_at(record, field->flag - 1), field->flag_storage);
    if (!is_known && !field->is_null_without_flag)
        return;
    if (field->type == TP_AS_ROW) {
        put_row(field, record, json);
        return;
    }
    struct tp_json_value value = {.type = TP_AS_NULL};
    bool is_array = field->type == TP_AS_ARRAY || field->type == TP_AS_RECORDS;
    if (is_known && !is_array && field->type != TP_AS_EACH_ROW)
        value = field_value(field, record);
    if (value.type == TP_AS_ABSENT)
        return;
    if (!field->name) {
        put_members(value.fields, &value.record, json);
        return;
    }
    tp_json_key(json, field->name);
    if (!is_known)
        tp_json_null(json);
    else if (is_array)
        put_array(field, record, json);
    else if (field->type == TP_AS_EACH_ROW)
        put_records_of_rows(field, record, json);
    else
        put_value(&value, json);
}

static void put_members(const struct tp_fields *fields, const struct tp_record *record, struct tp_json *json)
{
    for (unsigned i = 0; i < fields->count; i++)
        put_field(&fields->items[i], record, json);
}

static void put_record(const struct tp_fields *fields, const struct tp_record *record, struct tp_json *json)
{
    if (fields->flag && !load_int(member_at(record, fields->flag - 1), TP_STORED_BOOL)) {
        tp_json_null(json);
        return;
    }
    tp_json_object(json);
    put_members(fields, record, json);
    tp_json_object_end(json);
}

void tp_fields_json(const struct tp_fields *fields, const void *record, struct tp_arena *arena, struct tp_json *json)
{
    put_record(fields, &(struct tp_record){.at = record, .arena = arena}, json);
}

void tp_fields_text(const struct tp_fields *fields, const void *record, struct tp_arena *arena, struct tp_buf *out)
{
    struct tp_json json;
    tp_json_init(&json, out);
    tp_fields_json(fields, record, arena, &json);
}

void tp_fields_members_json(const struct tp_fields *fields, const void *record, struct tp_arena *arena,
                            struct tp_json *json)
{
    put_members(fields, &(struct tp_record){.at = record, .arena = arena}, json);
}
