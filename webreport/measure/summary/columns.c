/* Writes structs to columns and reads them back, controlled by tables. See columns.h. */
#include "webreport/measure/summary/columns.h"

#include <math.h>
#include <protobuf-c/protobuf-c.h>
#include <string.h>

/* A value of any type, as stored in a member of a struct or in an item of a column. */
union value {
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    uint8_t u8;
    double real;
    float short_real;
    bool is_true;
    protobuf_c_boolean flag;
    struct tp_str text;
    ProtobufCBinaryData bytes;
};

/* Copies one value. The frequent sizes are constants, for which the compiler needs no call of memcpy. */
static inline void copy_value(void *to, const void *from, size_t size)
{
    if (size == sizeof(uint64_t))
        memcpy(to, from, sizeof(uint64_t));
    else if (size == sizeof(uint32_t))
        memcpy(to, from, sizeof(uint32_t));
    else
        memcpy(to, from, size);
}

/* ---- columns of a message ---- */

/* Returns the address of the items of a column; for a single value, the address of the value. */
static char *column_items(const void *message, const struct tp_column *column)
{
    char *items = (char *)(uintptr_t)message + column->at;
    if (column->count_at != TP_COLUMN_IS_ALONE)
        memcpy(&items, items, sizeof items);
    return items;
}

static size_t column_length(const void *message, const struct tp_column *column)
{
    size_t length;
    if (column->count_at == TP_COLUMN_IS_ALONE)
        return 1;
    memcpy(&length, (const char *)message + column->count_at, sizeof length);
    return length;
}

size_t tp_columns_length(const struct tp_column_list *list, const void *message)
{
    return column_length(message, &list->columns[0]);
}

bool tp_columns_have_equal_length(const struct tp_column_list *list, const void *message)
{
    for (unsigned i = 1; i < list->count; i++)
        if (column_length(message, &list->columns[i]) != column_length(message, &list->columns[0]))
            return false;
    return true;
}

/* ---- parts ---- */

static size_t length_of_nested_list(const struct tp_column_parts *parts, const char *item)
{
    uint32_t count;
    if (parts->fixed_array_length)
        return parts->fixed_array_length;
    memcpy(&count, item + parts->count_at, sizeof count);
    return count;
}

static const char *first_item_of_nested_list(const struct tp_column_parts *parts, const char *item)
{
    const char *first = item + parts->at;
    if (!parts->fixed_array_length)
        memcpy(&first, first, sizeof first);
    return first;
}

/* ---- optional lists ---- */

static union value usual_value_of_member(const struct tp_column *column)
{
    union value value = {0};
    if (column->size == sizeof value.i64)
        value.i64 = column->usual;
    else if (column->size == sizeof value.u32)
        value.u32 = (uint32_t)column->usual;
    else
        value.u8 = (uint8_t)column->usual;
    return value;
}

static bool have_usual_values(const struct tp_column_list *list, const char *items, size_t count)
{
    for (unsigned i = 0; i < list->count; i++) {
        const struct tp_column *column = &list->columns[i];
        union value usual = usual_value_of_member(column);
        for (size_t k = 0; k < count; k++)
            if (memcmp(items + k * list->item_size + column->offset, &usual, column->size))
                return false;
    }
    return true;
}

static void set_usual_values(const struct tp_column_list *list, char *items, size_t count)
{
    for (unsigned i = 0; i < list->count; i++) {
        const struct tp_column *column = &list->columns[i];
        union value usual = usual_value_of_member(column);
        for (size_t k = 0; k < count; k++)
            memcpy(items + k * list->item_size + column->offset, &usual, column->size);
    }
}

/* ---- writing ---- */

/* Returns 1 + the index of the text in the message's list of texts; 0 for an empty text. */
static uint32_t text_number(struct tp_strings *texts, struct tp_str text)
{
    return text.len ? tp_strings_add(texts, text) + 1 : 0;
}

/* Returns the column item that stores a member. before: value of the same member in the previous struct; 0 if there is
 * no previous struct. */
static union value encode_member_value(const struct tp_column *column, union value from, union value before,
                                       struct tp_strings *texts)
{
    union value to = {0};
    switch (column->code) {
    case TP_CODE_TEXT:
        to.u32 = text_number(texts, from.text);
        break;
    case TP_CODE_TEXT_OR_NULL:
        to.u32 = from.text.ptr ? text_number(texts, from.text) + 1 : 0;
        break;
    case TP_CODE_BYTES:
        /* the cast drops const: protobuf-c only reads these bytes */
        to.bytes = (ProtobufCBinaryData){from.text.len, (uint8_t *)(uintptr_t)from.text.ptr};
        break;
    case TP_CODE_INT:
    case TP_CODE_AMOUNT:
    case TP_CODE_BITS:
        to.u64 = from.u64;
        break;
    case TP_CODE_DELTA:
        to.u64 = from.u64 - before.u64;
        break;
    case TP_CODE_COUNT:
        to.u32 = from.u32;
        break;
    case TP_CODE_RISING:
        to.u32 = from.u32 - before.u32;
        break;
    case TP_CODE_ID:
        to.u32 = from.u32 + 1;
        break;
    case TP_CODE_BYTE:
        to.u32 = from.u8;
        break;
    case TP_CODE_REAL:
        to.real = isnan(from.real) ? (double)NAN : from.real;
        break;
    case TP_CODE_SHORT_REAL:
        to.short_real = (float)from.real;
        break;
    case TP_CODE_FLAG:
        to.flag = from.is_true;
        break;
    }
    return to;
}

/* Allocates the columns of a list, with `count` zeroed items. */
static void allocate_columns(const struct tp_column_list *list, struct tp_column_writer *writer, size_t count)
{
    for (unsigned i = 0; i < list->count; i++) {
        const struct tp_column *column = &list->columns[i];
        if (column->count_at == TP_COLUMN_IS_ALONE)
            continue;
        void *items = tp_arena_array(writer->arena, count, column->width);
        memcpy((char *)writer->to + column->count_at, &count, sizeof count);
        memcpy((char *)writer->to + column->at, &items, sizeof items);
    }
}

/* Writes a struct as item `at` of the columns. is_first: the struct is the first one of its array. */
static void write_struct_as_item(const struct tp_column_list *list, struct tp_column_writer *writer, size_t at,
                                 const char *item, bool is_first)
{
    for (unsigned i = 0; i < list->count; i++) {
        const struct tp_column *column = &list->columns[i];
        const char *member = item + column->offset;
        union value value = {0}, before = {0};
        copy_value(&value, member, column->size);
        if (!is_first)
            copy_value(&before, member - list->item_size, column->size);
        value = encode_member_value(column, value, before, &writer->texts);
        copy_value(column_items(writer->to, column) + at * column->width, &value, column->width);
    }
}

static void write_nested_lists(const struct tp_column_list *list, struct tp_column_writer *writer, const char *items,
                               size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += length_of_nested_list(list->parts, items + i * list->item_size);
    allocate_columns(list->parts->list, writer, total);
}

void tp_columns_write(const struct tp_column_list *list, struct tp_column_writer *writer, const void *items,
                      size_t count)
{
    const struct tp_column_parts *parts = list->parts;
    size_t part = 0;
    if (list->is_optional && have_usual_values(list, items, count))
        count = 0;
    allocate_columns(list, writer, count);
    if (parts)
        write_nested_lists(list, writer, items, count);
    for (size_t i = 0; i < count; i++) {
        const char *item = (const char *)items + i * list->item_size;
        write_struct_as_item(list, writer, i, item, i == 0);
        for (size_t k = 0; parts && k < length_of_nested_list(parts, item); k++)
            write_struct_as_item(parts->list, writer, part++,
                                 first_item_of_nested_list(parts, item) + k * parts->list->item_size, k == 0);
    }
}

/* ---- reading ---- */

static struct tp_str text_by_number(struct tp_column_reader *reader, uint32_t number)
{
    reader->is_bad |= number > reader->text_count;
    return number && number <= reader->text_count ? reader->texts[number - 1] : TP_STR("");
}

static uint32_t checked_count(struct tp_column_reader *reader, uint32_t value, uint32_t most)
{
    reader->is_bad |= value > most;
    return value;
}

/* Returns the value of the member in the previous struct plus `difference`. A difference of 0 is valid only for the
 * first struct. */
static uint32_t checked_sum(struct tp_column_reader *reader, uint32_t difference, const union value *before,
                            uint32_t most)
{
    uint64_t value = (uint64_t)difference + (before ? before->u32 : 0);
    reader->is_bad |= value > most || (before && difference == 0);
    return (uint32_t)value;
}

/* Returns the value of a member that a column item stores. before: value of the same member in the previous struct;
 * NULL if there is no previous struct. */
static inline __attribute__((always_inline)) union value decode_value(const struct tp_column *column,
                                                                      enum tp_column_code code, union value from,
                                                                      const union value *before,
                                                                      struct tp_column_reader *reader)
{
    union value to = {0};
    switch (code) {
    case TP_CODE_TEXT:
        to.text = text_by_number(reader, from.u32);
        break;
    case TP_CODE_TEXT_OR_NULL:
        to.text = from.u32 ? text_by_number(reader, from.u32 - 1) : (struct tp_str){NULL, 0};
        break;
    case TP_CODE_BYTES:
        to.text = (struct tp_str){(const char *)from.bytes.data, from.bytes.len};
        break;
    case TP_CODE_INT:
    case TP_CODE_BITS:
        to.u64 = from.u64;
        break;
    case TP_CODE_AMOUNT:
        to.i64 = tp_column_checked_int64(reader, from.u64);
        break;
    case TP_CODE_DELTA:
        to.u64 = from.u64 + (before ? before->u64 : 0);
        break;
    case TP_CODE_COUNT:
        to.u32 = checked_count(reader, from.u32, column->most);
        break;
    case TP_CODE_RISING:
        to.u32 = checked_sum(reader, from.u32, before, column->most);
        break;
    case TP_CODE_ID:
        to.u32 = from.u32 - 1;
        break;
    case TP_CODE_BYTE:
        to.u8 = (uint8_t)checked_count(reader, from.u32, column->most);
        break;
    case TP_CODE_REAL:
        to.real = from.real;
        break;
    case TP_CODE_SHORT_REAL:
        to.real = from.short_real;
        break;
    case TP_CODE_FLAG:
        to.is_true = from.flag;
        break;
    }
    return to;
}

/* The structs that are read: `count` structs of `size` bytes each, stored from position `first` of the columns on. */
struct structs {
    char *items;
    size_t size, first, count;
};

/* Reads one member of the structs from its column. code: the column's code, a constant at each call, so that the
 * compiler makes one loop for each frequent code. */
static inline __attribute__((always_inline)) void decode_column(const struct tp_column *column,
                                                                enum tp_column_code code,
                                                                struct tp_column_reader *reader,
                                                                const struct structs *structs)
{
    /* the columns and members of these codes have 8 bytes, which the tables check */
    bool is_long = code == TP_CODE_INT || code == TP_CODE_DELTA;
    size_t width = is_long ? sizeof(uint64_t) : column->width, size = is_long ? sizeof(uint64_t) : column->size;
    const char *from = column_items(reader->from, column) + structs->first * width;
    char *to = structs->items + column->offset;
    union value before = {0};
    for (size_t k = 0; k < structs->count; k++, from += width, to += structs->size) {
        union value value = {0};
        copy_value(&value, from, width);
        before = decode_value(column, code, value, k ? &before : NULL, reader);
        copy_value(to, &before, size);
    }
}

/* Reads `count` items from position `first` of the columns into structs. */
static void decode_items(const struct tp_column_list *list, struct tp_column_reader *reader, size_t first, size_t count,
                         char *items)
{
    const struct structs structs = {items, list->item_size, first, count};
    if (!count) /* an empty column has no items to point to */
        return;
    for (const struct tp_column *column = list->columns; column < list->columns + list->count; column++) {
        switch (column->code) {
        case TP_CODE_INT:
        case TP_CODE_BITS:
            decode_column(column, TP_CODE_INT, reader, &structs);
            break;
        case TP_CODE_DELTA:
            decode_column(column, TP_CODE_DELTA, reader, &structs);
            break;
        case TP_CODE_COUNT:
            decode_column(column, TP_CODE_COUNT, reader, &structs);
            break;
        default:
            decode_column(column, column->code, reader, &structs);
        }
    }
}

/* Reads the nested lists (parts) of each struct in `items`. */
static void decode_nested_lists(const struct tp_column_list *list, struct tp_column_reader *reader, char *items,
                                size_t count)
{
    const struct tp_column_parts *parts = list->parts;
    size_t total = tp_columns_length(parts->list, reader->from), size = parts->list->item_size, at = 0;
    char *all = parts->fixed_array_length ? NULL : tp_arena_array(reader->arena, total, size);
    for (size_t i = 0; i < count; i++) {
        char *item = items + i * list->item_size, *to = item + parts->at;
        size_t own = length_of_nested_list(parts, item);
        reader->is_bad |= own > total - at;
        if (reader->is_bad)
            return;
        if (!parts->fixed_array_length) {
            char *own_parts = all + at * size;
            memcpy(to, &own_parts, sizeof own_parts);
            to = own_parts;
        }
        decode_items(parts->list, reader, at, own, to);
        at += own;
    }
    reader->is_bad |= at != total;
}

static void *read_items_into_arena(struct tp_arena *arena, const struct tp_column_list *list,
                                   struct tp_column_reader *reader, uint32_t *count)
{
    size_t length = tp_columns_length(list, reader->from);
    char *items = tp_arena_array(arena, length, list->item_size);
    *count = (uint32_t)length;
    decode_items(list, reader, 0, length, items);
    if (list->parts)
        decode_nested_lists(list, reader, items, length);
    return items;
}

void *tp_columns_read(const struct tp_column_list *list, struct tp_column_reader *reader, uint32_t *count)
{
    return read_items_into_arena(reader->arena, list, reader, count);
}

void *tp_columns_read_scratch(const struct tp_column_list *list, struct tp_column_reader *reader, uint32_t *count)
{
    return read_items_into_arena(reader->scratch, list, reader, count);
}

void tp_columns_fill(const struct tp_column_list *list, struct tp_column_reader *reader, void *items, size_t count)
{
    size_t length = tp_columns_length(list, reader->from);
    if (list->is_optional && length == 0) {
        set_usual_values(list, items, count);
        return;
    }
    reader->is_bad |= length != count;
    if (!reader->is_bad)
        decode_items(list, reader, 0, count, items);
}
