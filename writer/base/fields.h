/* Tables that describe how the members of a struct are written as JSON, and what they mean.
 *
 * A record type has one static table with a row for each member of its JSON object: name, type, where the value is
 * stored or the function that computes it, and a definition for the documentation. tp_fields_json writes every record
 * type by its table. An int64_t that is TP_NULL_INT, a real that is NaN and a text that is NULL are written as null, as
 * in tables of rows (table.h). */
#ifndef TP_WRITER_BASE_FIELDS_H
#define TP_WRITER_BASE_FIELDS_H

#include "writer/base/table.h"

struct tp_fields;
struct tp_item;

/* The struct that is being written. */
struct tp_record {
    const void *at;         /* address of the struct */
    const void *owner;      /* struct that contains this one; NULL for the outermost struct */
    size_t index;           /* index of the struct in its list, or its row in a table; 0 otherwise */
    struct tp_arena *arena; /* memory for computed texts; NULL if no field needs it */
};

/* Fills `item` with the item at *cursor and advances the cursor, which is 0 for the first item. Returns false after the
 * last item. */
typedef bool tp_next_item(const struct tp_record *record, size_t *cursor, struct tp_item *item);

enum tp_json_type {
    TP_AS_INT,
    TP_AS_US, /* nanoseconds, written as microseconds */
    TP_AS_REAL,
    TP_AS_BOOL,
    TP_AS_TEXT,
    TP_AS_WORD,     /* an enumeration, written as text */
    TP_AS_TABLE,    /* a table; each row is an object */
    TP_AS_CELLS,    /* a table; each row is an array of cells */
    TP_AS_COLUMNS,  /* names of the columns of a table */
    TP_AS_ROW,      /* cells of one table row, written as members of the record; the field has no name */
    TP_AS_RECORD,   /* an object described by another table of fields */
    TP_AS_RECORDS,  /* an array of records */
    TP_AS_EACH_ROW, /* an array with one record for each row of a table */
    TP_AS_ARRAY,    /* an array of numbers or texts */
    TP_AS_LIST,     /* an array whose items a function computes one by one */
    TP_AS_MAP,      /* an object whose keys and values a function computes one by one */
    TP_AS_JSON,     /* a text that is already JSON */
    TP_AS_CELL,     /* one cell of a table; this and the following types are only for computed values */
    TP_AS_WRITTEN,  /* a text that a function writes on demand, so that long texts need no memory */
    TP_AS_NULL,
    TP_AS_UNSIGNED, /* an integer above INT64_MAX, such as an address */
    TP_AS_ABSENT,   /* the JSON object omits the member */
};

/* C type of the stored member. */
enum tp_storage {
    TP_STORED_I64,
    TP_STORED_U64,
    TP_STORED_I32,
    TP_STORED_U32,
    TP_STORED_U8,
    TP_STORED_BOOL,
    TP_STORED_REAL,
    TP_STORED_TEXT, /* stored as const char * */
    TP_STORED_STR,
    TP_STORED_TABLE,
};

/* A computed value. */
struct tp_json_value {
    enum tp_json_type type;
    union {
        int64_t integer; /* INT, NS and BOOL: the value */
        double real;
        struct tp_str text;           /* TEXT, WORD and JSON: the value */
        const struct tp_table *table; /* TABLE, CELLS and CELL: the table */
        const struct tp_fields *fields;
        tp_next_item *next; /* LIST and MAP: function that returns the items one by one */
        /* WRITTEN: function that writes the text and returns its length, bytes */
        size_t (*write)(const struct tp_record *record, char *room, size_t size);
    };
    union {
        unsigned column; /* CELL: index of the column */
        size_t length;   /* WRITTEN: largest length of the text, bytes */
    };
    struct tp_record record; /* RECORD, LIST, MAP and WRITTEN: the record; CELL: record.index is the row */
};

/* An item of a list or a map. */
struct tp_item {
    struct tp_str key; /* MAP: key of the item; may point into `room` */
    char room[64];
    struct tp_json_value value; /* value of the item; an item of type ABSENT is omitted */
};

struct tp_json_field {
    const char *name; /* name in JSON; NULL if the members of a ROW or RECORD become members of this record */
    enum tp_json_type type;
    enum tp_storage storage;
    uint32_t offset;
    /* computes the value; NULL if the value is stored at `offset` */
    struct tp_json_value (*compute)(const struct tp_record *record);
    const char *(*word)(unsigned value);
    tp_next_item *next;
    /* RECORD, RECORDS and EACH_ROW: table of the record's fields; LIST and MAP: table of each item's fields */
    const struct tp_fields *fields;
    bool is_object_of_same_record; /* RECORD only: the nested object has members that are stored in the same struct */
    bool is_pointer;               /* RECORDS and ARRAY only: the member is a pointer to the items */
    /* RECORDS and ARRAY only: offset of the number of items, and size of an item, bytes */
    uint32_t count_offset, stride;
    enum tp_storage count_storage;
    /* ROW only: first column and number of columns; count 0 means all columns from `first` on */
    uint32_t first, count;
    uint32_t flag; /* 1 + offset of a bool or number in the struct; the field is written only if this bool or number is
                      not 0. Value 0: the field is always written */
    enum tp_storage flag_storage;
    /* true: a field that is not written because of `flag` becomes null; false: it is omitted */
    bool is_null_without_flag;
    bool is_optional;       /* texts only: the value may be null or missing, which Python reads as None */
    const char *definition; /* NULL unless the table was compiled with TP_KEEP_DEFINITIONS; see TP_DEFINITION */
};

struct tp_fields {
    const char *name; /* name of the record in the documentation */
    const struct tp_json_field *items;
    unsigned count;
    uint32_t flag; /* 1 + offset of a bool in the struct; if this bool is false, the whole record is written as null.
                      Value 0: the record is never null */
};

#define TP_FIELDS(title, rows)                                                                                         \
    {                                                                                                                  \
        .name = (title), .items = (rows), .count = sizeof(rows) / sizeof *(rows)                                       \
    }

/* ---- macros for a row of a table of fields: `type` is the struct, `member` one of its members ---- */

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

/* Describes a stored number, text, bool or table. */
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
/* Describes `number` cells, from column `first_` on, of the table row that the record's index selects. number 0: all
 * columns from `first_` on. */
#define TP_ROW(type_, member, first_, number)                                                                          \
    .type = TP_AS_ROW, TP_AT_MEMBER(type_, member), .first = (first_), .count = (number)
#define TP_EACH_ROW(type_, member, table_of_fields)                                                                    \
    .type = TP_AS_EACH_ROW, TP_AT_MEMBER(type_, member), .fields = (table_of_fields)
/* Describes a nested struct, written as an object. */
#define TP_RECORD(type_, member, table_of_fields)                                                                      \
    .type = TP_AS_RECORD, .offset = TP_OFFSET(type_, member), .fields = (table_of_fields)
/* Describes a nested JSON object whose members are stored in the same struct. */
#define TP_PART(table_of_fields) .type = TP_AS_RECORD, .is_object_of_same_record = true, .fields = (table_of_fields)
#define TP_RECORDS(type_, member, count_member, table_of_fields)                                                       \
    .type = TP_AS_RECORDS, TP_ITEMS_AT(type_, member, count_member), .fields = (table_of_fields)
#define TP_ARRAY(type_, member, count_member)                                                                          \
    .type = TP_AS_ARRAY, TP_ITEMS_AT(type_, member, count_member), .storage = TP_STORAGE(TP_MEMBER(type_, member)[0])
#define TP_COMPUTED(type_, function) .type = (type_), .compute = (function)
#define TP_LIST(next_, table_of_fields) .type = TP_AS_LIST, .next = (next_), .fields = (table_of_fields)
#define TP_MAP(next_, table_of_fields) .type = TP_AS_MAP, .next = (next_), .fields = (table_of_fields)

/* Gives the field its definition, a literal text. Only the documentation has definitions: the Makefile compiles the
 * tables with TP_KEEP_DEFINITIONS for json_fields, and without it for all programs that users get, which therefore
 * lack these texts. */
#ifdef TP_KEEP_DEFINITIONS
#define TP_DEFINITION(text) .definition = (text)
#else
#define TP_DEFINITION(text) .definition = NULL
#endif

/* The field is omitted if `member`, a bool or number, is 0. With TP_NULL_UNLESS, the field is null instead. */
#define TP_ONLY_IF(type, member)                                                                                       \
    .flag = 1 + TP_OFFSET(type, member), .flag_storage = TP_STORAGE(TP_MEMBER(type, member))
#define TP_NULL_UNLESS(type, member) TP_ONLY_IF(type, member), .is_null_without_flag = true

/* ---- functions that return a computed value ---- */

static inline struct tp_json_value tp_json_value_null(void)
{
    return (struct tp_json_value){.type = TP_AS_NULL};
}
static inline struct tp_json_value tp_json_value_absent(void)
{
    return (struct tp_json_value){.type = TP_AS_ABSENT};
}
static inline struct tp_json_value tp_json_value_int(int64_t value)
{
    return (struct tp_json_value){.type = TP_AS_INT, .integer = value};
}
static inline struct tp_json_value tp_json_value_us(int64_t ns)
{
    return (struct tp_json_value){.type = TP_AS_US, .integer = ns};
}
static inline struct tp_json_value tp_json_value_bool(bool value)
{
    return (struct tp_json_value){.type = TP_AS_BOOL, .integer = value};
}
static inline struct tp_json_value tp_json_value_real(double value)
{
    return (struct tp_json_value){.type = TP_AS_REAL, .real = value};
}
static inline struct tp_json_value tp_json_value_str(struct tp_str text)
{
    return (struct tp_json_value){.type = TP_AS_TEXT, .text = text};
}
static inline struct tp_json_value tp_json_value_text(const char *text)
{
    return tp_json_value_str(text ? tp_str_of(text) : (struct tp_str){NULL, 0});
}
static inline struct tp_json_value tp_json_value_table(const struct tp_table *table)
{
    return (struct tp_json_value){.type = TP_AS_TABLE, .table = table};
}
static inline struct tp_json_value tp_json_value_cells(const struct tp_table *table)
{
    return (struct tp_json_value){.type = TP_AS_CELLS, .table = table};
}
static inline struct tp_json_value tp_json_value_columns(const struct tp_table *table)
{
    return (struct tp_json_value){.type = TP_AS_COLUMNS, .table = table};
}
static inline struct tp_json_value tp_json_value_raw(struct tp_str json)
{
    return (struct tp_json_value){.type = TP_AS_JSON, .text = json};
}
/* Returns a value whose text `write` computes when the record is output. bytes: maximum length of the text. */
static inline struct tp_json_value tp_json_value_computed_text(size_t (*write)(const struct tp_record *record,
                                                                               char *room, size_t size),
                                                               size_t bytes, struct tp_record record)
{
    return (struct tp_json_value){.type = TP_AS_WRITTEN, .write = write, .length = bytes, .record = record};
}
static inline struct tp_json_value tp_json_value_list(tp_next_item *next, struct tp_record record)
{
    return (struct tp_json_value){.type = TP_AS_LIST, .next = next, .record = record};
}
static inline struct tp_json_value tp_json_value_map(tp_next_item *next, struct tp_record record)
{
    return (struct tp_json_value){.type = TP_AS_MAP, .next = next, .record = record};
}
static inline struct tp_json_value tp_json_value_record(const struct tp_fields *fields, struct tp_record record)
{
    return (struct tp_json_value){.type = TP_AS_RECORD, .fields = fields, .record = record};
}

/* ---- writing ---- */

/* Writes the struct at `record` as a JSON object. arena: memory for fields that compute texts; may be NULL if no field
 * does. */
void tp_fields_json(const struct tp_fields *fields, const void *record, struct tp_arena *arena, struct tp_json *json);

/* Appends the struct at `record` as a JSON object to `out`, which stores a failure in out->failed. arena: as for
 * tp_fields_json. */
void tp_fields_text(const struct tp_fields *fields, const void *record, struct tp_arena *arena, struct tp_buf *out);

/* Writes the members of the struct at `record` into the JSON object that is already open. */
void tp_fields_members_json(const struct tp_fields *fields, const void *record, struct tp_arena *arena,
                            struct tp_json *json);

#endif
