/* Describes how structs are stored in protobuf messages. Each row of a table maps one member of a struct to one field
 * of a message.
 *
 * A list of structs is stored as columns, which are packed fields of the same length. A record is one struct, stored
 * as single fields. Packing, unpacking and the check of lengths read the same table, so that a new field of a
 * summary is one row in summary_columns.c. The functions here use only the offsets in the tables and work for any
 * message. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_COLUMNS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/keys.h"

/* The encodings of a member in a column. The compiler checks that the types of the member and the column fit. */
enum tp_column_code {
    TP_CODE_TEXT,         /* 1 + index of a text in the message's texts; 0: the text is empty */
    TP_CODE_TEXT_OR_NULL, /* 2 + index of a text in the message's texts; 1: the text is empty; 0: no text */
    TP_CODE_BYTES,        /* the bytes of a text; after reading, the message owns these bytes */
    TP_CODE_INT,          /* int64_t, stored unchanged */
    TP_CODE_DELTA,        /* int64_t, stored as the difference to the previous struct; differences wrap around */
    TP_CODE_AMOUNT,       /* int64_t that is at least 0 */
    TP_CODE_BITS,         /* uint64_t, stored unchanged */
    TP_CODE_COUNT,        /* uint32_t or an enumeration; largest valid value: the column's `most` */
    /* uint32_t that increases from struct to struct, at most `most`; stored as the difference to the previous struct */
    TP_CODE_RISING,
    TP_CODE_ID,         /* uint32_t index, stored as index + 1; TP_NO_ID is stored as 0 */
    TP_CODE_BYTE,       /* uint8_t; largest valid value: the column's `most` */
    TP_CODE_REAL,       /* double; each NaN is written with the same bits */
    TP_CODE_SHORT_REAL, /* double, stored as float */
    TP_CODE_FLAG,       /* bool */
};

#define TP_COLUMN_IS_ALONE SIZE_MAX /* special value of count_at for a field that contains a single value */

struct tp_column {
    /* offsets in the message, bytes. count_at: offset of the item count; at: offset of the pointer to the items */
    size_t count_at, at;
    size_t width;        /* size of one item of the column, bytes */
    size_t offset, size; /* offset: offset of the member in the struct, bytes; size: size of the member, bytes */
    enum tp_column_code code;
    uint32_t most;
    int64_t usual; /* value of the member if the columns of an optional list are absent */
};

/* The parts of a struct in a list: an array inside the struct, or an array that the struct points to. */
struct tp_column_parts {
    /* columns of the parts: the parts of the first struct, then of the second struct, and so on */
    const struct tp_column_list *list;
    size_t at;       /* offset in the struct of the array of parts, or of the pointer to the array, bytes */
    size_t count_at; /* offset in the struct of the number of parts (uint32_t), bytes */
    /* length of an array inside the struct; 0: the struct contains a pointer to the array */
    uint32_t fixed_array_length;
};

struct tp_column_list {
    const struct tp_column *columns;
    unsigned count;
    size_t item_size;                    /* size of the struct, bytes */
    const struct tp_column_parts *parts; /* parts of the structs; NULL: the structs have no parts */
    bool is_optional;                    /* true: the columns are absent if all members have their usual values */
};

/* A message that is being filled. */
struct tp_column_writer {
    void *to;                /* the protobuf message */
    struct tp_strings texts; /* texts of the message; columns store indexes of these texts */
    struct tp_arena *arena;  /* memory of the columns; the caller sets the arena's guard */
};

/* A message that is being read. */
struct tp_column_reader {
    const void *from;         /* the protobuf message; the columns of each list have equal lengths */
    struct tp_arena *arena;   /* memory for results */
    struct tp_arena *scratch; /* memory for temporary structs */
    struct tp_str *texts;     /* texts of the message; length: text_count */
    size_t text_count;
    bool is_bad; /* true: the data contradicts itself, so the result must not be used */
};

/* Returns `value` as int64_t. Sets reader->is_bad if the value exceeds INT64_MAX. */
static inline int64_t tp_column_checked_int64(struct tp_column_reader *reader, uint64_t value)
{
    reader->is_bad |= value > INT64_MAX;
    return (int64_t)(value & INT64_MAX);
}

/* Makes the columns of a list and writes `count` structs with their parts. For a record, `count` is 1. */
void tp_columns_write(const struct tp_column_list *list, struct tp_column_writer *writer, const void *items,
                      size_t count);

/* Reads a list into an array of structs in reader->arena; *count receives the length of the array. Members without a
 * column are 0. Impossible values set reader->is_bad. */
void *tp_columns_read(const struct tp_column_list *list, struct tp_column_reader *reader, uint32_t *count);

/* Reads a list like tp_columns_read, into reader->scratch. Parts that a pointer refers to are in reader->arena. */
void *tp_columns_read_scratch(const struct tp_column_list *list, struct tp_column_reader *reader, uint32_t *count);

/* Reads columns into existing structs: the members of a record, or the members that an optional list stores for `count`
 * structs. Sets reader->is_bad if the list has another length. */
void tp_columns_fill(const struct tp_column_list *list, struct tp_column_reader *reader, void *items, size_t count);

/* Returns the number of items of a list. */
size_t tp_columns_length(const struct tp_column_list *list, const void *message);

/* Returns whether the columns of the list have equal lengths. */
bool tp_columns_have_equal_length(const struct tp_column_list *list, const void *message);

#endif
