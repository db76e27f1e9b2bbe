/* Tables of fields: each says how the members of a struct are written as JSON, and what they mean.
 *
 * A record type has one static table with a row for each member of its JSON object: name, type, where the value is
 * stored or the function that computes it, and a definition for the documentation. tp_fields_json reads the table; no
 * record type has a writer of its own. An int64_t that is TP_NULL_INT, a real that is NaN and a text that is NULL are
 * null, as in tables of rows (table.h). */
#ifndef TP_WRITER_BASE_FIELDS_H
#define TP_WRITER_BASE_FIELDS_H

#include "writer/base/table.h"

struct tp_fields;
struct tp_item;

/* The record that is being written. */
struct tp_record {
    const void *at;         /* the struct */
    const void *owner;      /* the struct of the record that contains it; NULL at the top */
    size_t index;           /* position in a list or row of a table; 0 elsewhere */
    struct tp_arena *arena; /* for computed texts; NULL where no field needs it */
};

/* Gives the item at *cursor, which is 0 for the first one, and moves the cursor to the next item. Returns false after
 * the last item. */
typedef bool tp_next_item(const struct tp_record *record, size_t *cursor, struct tp_item *item);

enum tp_json_type {
    TP_AS_INT,
    TP_AS_US, /* nanoseconds, written as microseconds */
    TP_AS_REAL,
    TP_AS_BOOL,
    TP_AS_TEXT,
    TP_AS_WORD,     /* an enumeration, written as a word */
    TP_AS_TABLE,    /* rows as objects */
    TP_AS_CELLS,    /* rows as arrays of cells */
    TP_AS_COLUMNS,  /* names of the columns of a table */
    TP_AS_ROW,      /* cells of one row as members of the record itself; the field has no name */
    TP_AS_RECORD,   /* an object with fields of its own */
    TP_AS_RECORDS,  /* an array of records */
    TP_AS_EACH_ROW, /* an array with one record for each row of a table */
    TP_AS_ARRAY,    /* an array of numbers or texts */
    TP_AS_LIST,     /* an array of computed items */
    TP_AS_MAP,      /* an object of computed items with computed keys */
    TP_AS_JSON,     /* a text that is JSON already */
    TP_AS_CELL,     /* only of computed values, as all that follow: one cell of a table */
    TP_AS_WRITTEN,  /* a text that a function writes, so that long texts are not kept in memory */
    TP_AS_NULL,
    TP_AS_ABSENT, /* the member is left out */
};

/* How a member is stored. */
enum tp_storage {
    TP_STORED_I64,
    TP_STORED_U64,
    TP_STORED_I32,
    TP_STORED_U32,
    TP_STORED_U8,
    TP_STORED_BOOL,
    TP_STORED_REAL,
    TP_STORED_TEXT, /* const char * */
    TP_STORED_STR,
    TP_STORED_TABLE,
};

/* A computed value. */
struct tp_json_value {
    enum tp_json_type type;
    union {
        int64_t integer; /* INT, NS, BOOL */
        double real;
        struct tp_str text;           /* TEXT, WORD, JSON */
        const struct tp_table *table; /* TABLE, CELLS, CELL */
        const struct tp_fields *fields;
        tp_next_item *next;                                                       /* LIST, MAP */
        size_t (*write)(const struct tp_record *record, char *room, size_t size); /* WRITTEN; returns the length */
    };
    union {
        unsigned column; /* CELL */
        size_t length;   /* WRITTEN: bytes of the text */
    };
    struct tp_record record; /* RECORD, LIST, MAP, WRITTEN; its index is the row of a CELL */
};

/* An item of a list or a map. */
struct tp_item {
    struct tp_str key; /* of a map; it may point into `room` */
    char room[64];
    struct tp_json_value value; /* ABSENT: the item is left out */
};

struct tp_json_field {
    const char *name; /* NULL: members of a ROW or RECORD become members of this record */
    enum tp_json_type type;
    enum tp_storage storage;
    uint32_t offset;
    struct tp_json_value (*compute)(const struct tp_record *record); /* instead of storage and offset */
    const char *(*word)(unsigned value);
    tp_next_item *next;
    const struct tp_fields *fields; /* of RECORD, RECORDS, EACH_ROW; of the items of LIST and MAP that are records */
    bool is_same_record;            /* RECORD: an object of members of this record */
    bool is_pointer;                /* RECORDS and ARRAY: the items are elsewhere */
    uint32_t count_offset, stride;  /* RECORDS and ARRAY */
    enum tp_storage count_storage;
    uint32_t first, count; /* of ROW: the columns; a count of 0 means all from the first one */
    uint32_t flag;         /* 1 + offset of a bool or number, or 0 */
    enum tp_storage flag_storage;
    bool is_null_without_flag; /* null where the flag is false or 0; otherwise the member is left out */
    const char *definition;
};

struct tp_fields {
    const char *name; /* as documentation names the record */
    const struct tp_json_field *items;
    unsigned count;
    uint32_t flag; /* 1 + offset of a bool that is false if the record is null, or 0 */
};

#define TP_FIELDS(title, rows)                                                                                         \
    {                                                                                                                  \
        .name = (title), .items = (rows), .count = sizeof(rows) / sizeof *(rows)                                       \
    }

/* ---- rows of a table of fields: `type` is the struct, `member` its member ---- */

#define TP_OFFSET(type, member) ((uint32_t)offsetof(type, member))
#define TP_STORAGE(value)                                                                                              \
    _Generic((value),                                                                                                  \
        int64_t: TP_STORED_I64,                                                                                        \
        uint64_t: TP_STORED_U64,                                                                                       \
        int32_t: TP_STORED_I32,                                                                                        \
        uint32_t: TP_STORED_U32,                                                                                       \
        uint8_t: TP_STORED_U8,                                                                                         \
        bool: TP_STORED_BOOL,                                                                                          \
        double: TP_STORED_REAL,                                                                                        \
        const char *: TP_STORED_TEXT,                                                                                  \
        struct tp_str: TP_STORED_STR,                                                                                  \
        struct tp_table: TP_STORED_TABLE)
#define TP_MEMBER(type, member) ((type *)0)->member
#define TP_AT_MEMBER(type, member) .storage = TP_STORAGE(TP_MEMBER(type, member)), .offset = TP_OFFSET(type, member)
#define TP_ITEMS_AT(type_, member, count_member)                                                                       \
    .offset = TP_OFFSET(type_, member), .count_offset = TP_OFFSET(type_, count_member),                                \
    .count_storage = TP_STORAGE(TP_MEMBER(type_, count_member)), .stride = sizeof *TP_MEMBER(type_, member),           \
    .is_pointer =                                                                                                      \
        __builtin_types_compatible_p(__typeof__(TP_MEMBER(type_, member)), __typeof__(&TP_MEMBER(type_, member)[0]))

/* A number, text, bool or table as it is stored. */
#define TP_PLAIN(type_, member)                                                                                        \
    .type = _Generic(TP_MEMBER(type_, member),                                                                         \
        bool: TP_AS_BOOL,                                                                                           \
        double: TP_AS_REAL,                                                                                         \
        const char *: TP_AS_TEXT,                                                                                   \
        struct tp_str: TP_AS_TEXT,                                                                                  \
        struct tp_table: TP_AS_TABLE,                                                                               \
        default: TP_AS_INT),                                                                                        \
    TP_AT_MEMBER(type_, member)
#define TP_US(type_, member) .type = TP_AS_US, TP_AT_MEMBER(type_, member)
#define TP_WORD(type_, member, function) .type = TP_AS_WORD, TP_AT_MEMBER(type_, member), .word = (function)
#define TP_CELLS(type_, member) .type = TP_AS_CELLS, TP_AT_MEMBER(type_, member)
#define TP_COLUMNS(type_, member) .type = TP_AS_COLUMNS, TP_AT_MEMBER(type_, member)
/* Columns of the row of the record's index; number 0: all from `first_` on. */
#define TP_ROW(type_, member, first_, number)                                                                          \
    .type = TP_AS_ROW, TP_AT_MEMBER(type_, member), .first = (first_), .count = (number)
#define TP_EACH_ROW(type_, member, table_of_fields)                                                                    \
    .type = TP_AS_EACH_ROW, TP_AT_MEMBER(type_, member), .fields = (table_of_fields)
/* A struct inside the record. */
#define TP_RECORD(type_, member, table_of_fields)                                                                      \
    .type = TP_AS_RECORD, .offset = TP_OFFSET(type_, member), .fields = (table_of_fields)
/* An object whose members are of this record. */
#define TP_PART(table_of_fields) .type = TP_AS_RECORD, .is_same_record = true, .fields = (table_of_fields)
#define TP_RECORDS(type_, member, count_member, table_of_fields)                                                       \
    .type = TP_AS_RECORDS, TP_ITEMS_AT(type_, member, count_member), .fields = (table_of_fields)
#define TP_ARRAY(type_, member, count_member)                                                                          \
    .type = TP_AS_ARRAY, TP_ITEMS_AT(type_, member, count_member), .storage = TP_STORAGE(TP_MEMBER(type_, member)[0])
#define TP_COMPUTED(type_, function) .type = (type_), .compute = (function)
#define TP_LIST(next_, table_of_fields) .type = TP_AS_LIST, .next = (next_), .fields = (table_of_fields)
#define TP_MAP(next_, table_of_fields) .type = TP_AS_MAP, .next = (next_), .fields = (table_of_fields)

/* The member is left out, or null, where the bool is false or the number is 0. */
#define TP_ONLY_IF(type, member)                                                                                       \
    .flag = 1 + TP_OFFSET(type, member), .flag_storage = TP_STORAGE(TP_MEMBER(type, member))
#define TP_NULL_UNLESS(type, member) TP_ONLY_IF(type, member), .is_null_without_flag = true

/* ---- computed values ---- */

static inline struct tp_json_value tp_as_null(void)
{
    return (struct tp_json_value){.type = TP_AS_NULL};
}
static inline struct tp_json_value tp_as_absent(void)
{
    return (struct tp_json_value){.type = TP_AS_ABSENT};
}
static inline struct tp_json_value tp_as_int(int64_t value)
{
    return (struct tp_json_value){.type = TP_AS_INT, .integer = value};
}
static inline struct tp_json_value tp_as_us(int64_t ns)
{
    return (struct tp_json_value){.type = TP_AS_US, .integer = ns};
}
static inline struct tp_json_value tp_as_bool(bool value)
{
    return (struct tp_json_value){.type = TP_AS_BOOL, .integer = value};
}
static inline struct tp_json_value tp_as_real(double value)
{
    return (struct tp_json_value){.type = TP_AS_REAL, .real = value};
}
static inline struct tp_json_value tp_as_str(struct tp_str text)
{
    return (struct tp_json_value){.type = TP_AS_TEXT, .text = text};
}
static inline struct tp_json_value tp_as_text(const char *text)
{
    return tp_as_str(text ? tp_str_of(text) : (struct tp_str){NULL, 0});
}
static inline struct tp_json_value tp_as_table(const struct tp_table *table)
{
    return (struct tp_json_value){.type = TP_AS_TABLE, .table = table};
}
static inline struct tp_json_value tp_as_record(const struct tp_fields *fields, struct tp_record record)
{
    return (struct tp_json_value){.type = TP_AS_RECORD, .fields = fields, .record = record};
}

/* ---- writing ---- */

/* Writes the struct at `record` as an object. arena: for fields that compute texts; may be NULL where there is none. */
void tp_fields_json(const struct tp_fields *fields, const void *record, struct tp_arena *arena, struct tp_json *json);

/* Writes its members into the open object. */
void tp_fields_members_json(const struct tp_fields *fields, const void *record, struct tp_arena *arena,
                            struct tp_json *json);

#endif
