/* Values for templates: the builder's objects and lists, and the adapter over tables. See data.h. */
#include "webreport/render/data.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

struct tp_member {
    struct tp_str name;
    struct tp_data value; /* the count of a list is read again at each lookup: it may have grown */
};

bool tp_data_is_true(const struct tp_data *value)
{
    switch (value->kind) {
    case TP_DATA_NONE:
        return false;
    case TP_DATA_TEXT:
    case TP_DATA_LIST:
    case TP_DATA_BOOL:
        return value->number != 0;
    case TP_DATA_INT:
    case TP_DATA_PRINTED:
    case TP_DATA_OBJECT:
        break;
    }
    return true;
}

/* ---- builder ---- */

static const struct tp_data_source built;

static bool built_member(const struct tp_data *data, struct tp_str name, struct tp_data *out)
{
    const struct tp_object *object = data->self;
    for (size_t i = object->members.count; i-- > 0;) {
        const struct tp_member *member = TP_AT(&object->members, struct tp_member, i);
        if (!tp_str_equal(member->name, name))
            continue;
        *out = member->value;
        if (out->source == &built && out->kind == TP_DATA_LIST)
            *out = tp_data_of_list(out->self);
        return true;
    }
    return false;
}

static void built_item(const struct tp_data *data, size_t index, struct tp_data *out)
{
    const struct tp_list *list = data->self;
    *out = *TP_AT(&list->items, struct tp_data, index);
}

static const struct tp_data_source built = {.member = built_member, .item = built_item};

struct tp_object *tp_object_new(struct tp_arena *arena)
{
    struct tp_object *object = tp_arena_alloc(arena, sizeof *object);
    object->members = TP_VEC(arena, struct tp_member);
    return object;
}

struct tp_list *tp_list_new(struct tp_arena *arena)
{
    struct tp_list *list = tp_arena_alloc(arena, sizeof *list);
    list->items = TP_VEC(arena, struct tp_data);
    return list;
}

struct tp_data tp_data_of_object(const struct tp_object *object)
{
    return (struct tp_data){.kind = TP_DATA_OBJECT, .source = &built, .self = object};
}

struct tp_data tp_data_of_list(const struct tp_list *list)
{
    return (struct tp_data){.kind = TP_DATA_LIST, .source = &built, .self = list, .number = (int64_t)list->items.count};
}

void tp_object_put(struct tp_object *object, const char *name, struct tp_data value)
{
    struct tp_member *member = tp_vec_push(&object->members);
    member->name = tp_str_of(name);
    member->value = value;
}

void tp_object_str(struct tp_object *object, const char *name, struct tp_str text)
{
    tp_object_put(object, name, tp_data_str(text));
}

void tp_object_text(struct tp_object *object, const char *name, const char *text)
{
    tp_object_put(object, name, text ? tp_data_text(text) : (struct tp_data){.kind = TP_DATA_NONE});
}

void tp_object_printf(struct tp_object *object, const char *name, const char *format, ...)
{
    char small[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    size_t size = length > 0 ? (size_t)length : 0;
    char *text = tp_arena_alloc(object->members.arena, size + 1);
    if (size < sizeof small) {
        memcpy(text, small, size);
    } else {
        va_start(arguments, format);
        vsnprintf(text, size + 1, format, arguments);
        va_end(arguments);
    }
    tp_object_str(object, name, (struct tp_str){text, size});
}

void tp_object_int(struct tp_object *object, const char *name, int64_t value)
{
    tp_object_put(object, name, tp_data_int(value));
}

void tp_object_bool(struct tp_object *object, const char *name, bool value)
{
    tp_object_put(object, name, tp_data_bool(value));
}

struct tp_object *tp_object_object(struct tp_object *object, const char *name)
{
    struct tp_object *child = tp_object_new(object->members.arena);
    tp_object_put(object, name, tp_data_of_object(child));
    return child;
}

struct tp_list *tp_object_list(struct tp_object *object, const char *name)
{
    struct tp_list *child = tp_list_new(object->members.arena);
    tp_object_put(object, name, tp_data_of_list(child));
    return child;
}

void tp_list_add(struct tp_list *list, struct tp_data value)
{
    *(struct tp_data *)tp_vec_push(&list->items) = value;
}

struct tp_object *tp_list_object(struct tp_list *list)
{
    struct tp_object *child = tp_object_new(list->items.arena);
    tp_list_add(list, tp_data_of_object(child));
    return child;
}

/* ---- tables ---- */

static const struct tp_data_source of_rows, of_cells, of_columns;

static bool is_null(const struct tp_table *table, unsigned column, size_t row)
{
    switch (table->defs[column].type) {
    case TP_COLUMN_TEXT:
    case TP_COLUMN_JSON:
        return !tp_table_text(table, column)[row].ptr;
    case TP_COLUMN_INT:
    case TP_COLUMN_NS:
    case TP_COLUMN_BYTES:
        return tp_table_int(table, column)[row] == TP_NULL_INT;
    case TP_COLUMN_REAL:
        return isnan(tp_table_real(table, column)[row]);
    case TP_COLUMN_BOOL:
        break;
    }
    return false;
}

static void cell(const struct tp_data_table *adapter, unsigned column, size_t row, struct tp_data *out)
{
    const struct tp_table *table = adapter->table;
    enum tp_column_type type = table->defs[column].type;
    if (is_null(table, column, row))
        *out = (struct tp_data){.kind = TP_DATA_NONE};
    else if (type == TP_COLUMN_TEXT || type == TP_COLUMN_JSON)
        *out = tp_data_str(tp_table_text(table, column)[row]);
    else if (type == TP_COLUMN_BOOL)
        *out = tp_data_bool(tp_table_bool(table, column)[row]);
    else if (!adapter->format && (type == TP_COLUMN_INT || type == TP_COLUMN_BYTES))
        *out = tp_data_int(tp_table_int(table, column)[row]);
    else
        *out = (struct tp_data){
            .kind = TP_DATA_PRINTED, .source = &of_cells, .self = adapter, .number = column, .place = row};
}

static void cell_print(const struct tp_data *value, struct tp_buf *out)
{
    const struct tp_data_table *adapter = value->self;
    size_t row = value->place;
    unsigned column = (unsigned)value->number;
    if (adapter->format) {
        adapter->format(adapter->table, column, row, out);
        return;
    }
    struct tp_json json;
    tp_json_init(&json, out);
    tp_table_cell_json(adapter->table, column, row, &json);
}

static void row_cell(const struct tp_data *list, size_t index, struct tp_data *out)
{
    cell(list->self, (unsigned)index, list->place, out);
}

static bool row_member(const struct tp_data *row, struct tp_str name, struct tp_data *out)
{
    const struct tp_data_table *adapter = row->self;
    const struct tp_table *table = adapter->table;
    for (unsigned c = 0; c < table->column_count; c++) {
        if (tp_str_equal(tp_str_of(table->defs[c].name), name)) {
            cell(adapter, c, row->place, out);
            return true;
        }
    }
    if (!tp_str_equal(name, TP_STR("cells")))
        return false;
    *out = (struct tp_data){
        .kind = TP_DATA_LIST, .source = &of_cells, .self = adapter, .number = table->column_count, .place = row->place};
    return true;
}

static void rows_item(const struct tp_data *list, size_t index, struct tp_data *out)
{
    *out = (struct tp_data){.kind = TP_DATA_OBJECT, .source = &of_rows, .self = list->self, .place = index};
}

static bool column_member(const struct tp_data *column, struct tp_str name, struct tp_data *out)
{
    const struct tp_column_def *def = column->self;
    if (tp_str_equal(name, TP_STR("name")))
        *out = tp_data_text(def->name);
    else if (tp_str_equal(name, TP_STR("title")))
        *out = tp_data_text(def->title);
    else if (tp_str_equal(name, TP_STR("unit")))
        *out = tp_data_text(def->unit);
    else if (tp_str_equal(name, TP_STR("definition")))
        *out = tp_data_text(def->definition);
    else if (tp_str_equal(name, TP_STR("is_text")))
        *out = tp_data_bool(def->type == TP_COLUMN_TEXT || def->type == TP_COLUMN_JSON);
    else
        return false;
    return true;
}

static void columns_item(const struct tp_data *list, size_t index, struct tp_data *out)
{
    const struct tp_data_table *adapter = list->self;
    *out = (struct tp_data){.kind = TP_DATA_OBJECT, .source = &of_columns, .self = &adapter->table->defs[index]};
}

static const struct tp_data_source of_rows = {.member = row_member, .item = rows_item};
static const struct tp_data_source of_cells = {.item = row_cell, .print = cell_print};
static const struct tp_data_source of_columns = {.member = column_member, .item = columns_item};

struct tp_data tp_data_of_table(const struct tp_data_table *table)
{
    return (struct tp_data){
        .kind = TP_DATA_LIST, .source = &of_rows, .self = table, .number = (int64_t)table->table->row_count};
}

struct tp_data tp_data_of_columns(const struct tp_data_table *table)
{
    return (struct tp_data){
        .kind = TP_DATA_LIST, .source = &of_columns, .self = table, .number = table->table->column_count};
}
