/* Tables of columns: each row says which member of a struct a field of a protobuf message stores, and how.
 *
 * A list of structs is stored as columns, which are packed fields of the same length. A record is one struct, stored as
 * single fields. Packing, unpacking and the check of lengths read the same table, so that a new field of a summary is
 * one row in summary_columns.c. The interpreter knows offsets in messages, but no message. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_COLUMNS_H
#define TP_WEBREPORT_MEASURE_SUMMARY_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/keys.h"

/* The way in which a column stores a member. Rows of a table check the types of both when they are compiled. */
enum tp_column_code {
    TP_CODE_TEXT,         /* 1 + number of a text; 0: the text is empty */
    TP_CODE_TEXT_OR_NULL, /* 2 + number of a text; 1: the text is empty; 0: no text */
    TP_CODE_BYTES,        /* the bytes of a text; after reading they belong to the message */
    TP_CODE_INT,          /* int64_t as it is */
    TP_CODE_DELTA,        /* int64_t, as difference to the previous struct; differences wrap around */
    TP_CODE_AMOUNT,       /* int64_t that is not negative */
    TP_CODE_BITS,         /* uint64_t as it is */
    TP_CODE_COUNT,        /* uint32_t or an enumeration, at most `most` */
    TP_CODE_RISING,       /* uint32_t above the one of the previous struct, at most `most`; stored as the difference */
    TP_CODE_ID,           /* index + 1; 0: TP_NO_ID */
    TP_CODE_BYTE,         /* uint8_t, at most `most` */
    TP_CODE_REAL,         /* double; each NaN is written with the same bits */
    TP_CODE_SHORT_REAL,   /* double, stored as float */
    TP_CODE_FLAG,         /* bool */
};

#define TP_COLUMN_IS_ALONE SIZE_MAX /* value of count_at: the field is a single value */

struct tp_column {
    size_t count_at, at; /* offsets in the message: of the number of items, and of the pointer to the items */
    size_t width;        /* size of an item of the column, bytes */
    size_t offset, size; /* offset and size of the member in the struct, bytes */
    enum tp_column_code code;
    uint32_t most;
    int64_t usual; /* value of the member if an optional list is absent */
};

/* The items that each struct of a list has: an array in the struct, or a pointer to an array. */
struct tp_column_parts {
    const struct tp_column_list *list; /* the columns have the parts of all structs, one struct after the other */
    size_t at;                         /* offset of the array or the pointer in the struct */
    size_t count_at;                   /* offset of the number of parts (uint32_t) in the struct */
    uint32_t fixed_count;              /* number of parts of an array in the struct; 0: `at` is a pointer */
};

struct tp_column_list {
    const struct tp_column *columns;
    unsigned count;
    size_t item_size;                    /* size of the struct, bytes */
    const struct tp_column_parts *parts; /* NULL: the structs have no parts */
    bool is_optional;                    /* the columns are absent if all members have their usual values */
};

/* A message that is being filled. */
struct tp_column_writer {
    void *to;                /* the message */
    struct tp_strings texts; /* the texts of the message */
    struct tp_arena *arena;  /* memory of the columns; its guard is set */
};

/* A message that is being read. */
struct tp_column_reader {
    const void *from;         /* the message; the columns of each list have equal lengths */
    struct tp_arena *arena;   /* memory for results */
    struct tp_arena *scratch; /* memory for temporary structs */
    struct tp_str *texts;     /* array of text_count texts */
    size_t text_count;
    bool is_bad; /* the data contradicts itself; the result must not be used */
};

/* Returns an amount. A value beyond int64 sets reader->is_bad. */
static inline int64_t tp_column_amount(struct tp_column_reader *reader, uint64_t value)
{
    reader->is_bad |= value > INT64_MAX;
    return (int64_t)(value & INT64_MAX);
}

/* Makes the columns of a list and writes `count` structs with their parts. The list may be a record: then count is
 * 1. */
void tp_columns_write(const struct tp_column_list *list, struct tp_column_writer *writer, const void *items,
                      size_t count);

/* Reads a list into an array of structs in reader->arena; *count receives its length. Members without a column are 0.
 * Impossible values set reader->is_bad. */
void *tp_columns_read(const struct tp_column_list *list, struct tp_column_reader *reader, uint32_t *count);

/* Reads a list like tp_columns_read, into reader->scratch. Parts that a pointer refers to are in reader->arena. */
void *tp_columns_read_scratch(const struct tp_column_list *list, struct tp_column_reader *reader, uint32_t *count);

/* Reads a record, or the members that an optional list stores of `count` structs, into existing structs. Another length
 * of the list sets reader->is_bad. */
void tp_columns_fill(const struct tp_column_list *list, struct tp_column_reader *reader, void *items, size_t count);

/* Returns the number of items of a list. */
size_t tp_columns_length(const struct tp_column_list *list, const void *message);

/* Returns whether the columns of the list have equal lengths. */
bool tp_columns_are_even(const struct tp_column_list *list, const void *message);

#endif
