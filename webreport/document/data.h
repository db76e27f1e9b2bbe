/* Values for templates and JSON: texts, numbers, booleans, lists and objects, each in one small struct tp_data.
 *
 * Lists and objects are read through functions, so that a table of 100,000 rows needs no tree of values. The builder
 * below makes lists and objects in an arena; another struct tp_data_source can compute them on demand. Values are
 * borrowed and must live until rendering ends. */
#ifndef TP_WEBREPORT_DOCUMENT_DATA_H
#define TP_WEBREPORT_DOCUMENT_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/buf.h"
#include "writer/base/str.h"
#include "writer/base/table.h"

enum tp_data_kind {
    TP_DATA_NONE, /* no value: a template prints nothing and hides a section */
    TP_DATA_TEXT, /* a text; hides a section if the text is empty */
    TP_DATA_INT,  /* an integer; shows a section even if it is 0 */
    TP_DATA_BOOL,
    TP_DATA_PRINTED, /* a text that print() of the source appends on demand; always shows a section */
    TP_DATA_LIST,    /* a list; hides a section if the list is empty */
    TP_DATA_OBJECT,
    /* the following kinds are for JSON; a template prints nothing for them but shows their sections */
    TP_DATA_REAL,    /* a double; JSON has null for NaN and infinity */
    TP_DATA_NS,      /* a time in nanoseconds, written to JSON in microseconds */
    TP_DATA_TABLE,   /* a table, written to JSON as a list of rows */
    TP_DATA_WRITTEN, /* JSON that write() of the source appends */
};

struct tp_data {
    enum tp_data_kind kind;
    const struct tp_data_source *source; /* functions of the value, for the kinds PRINTED, LIST and OBJECT */
    const void
        *self; /* TEXT: pointer to the bytes; TABLE: pointer to a struct tp_table; other kinds: defined by the source */
    /* INT, BOOL, NS: value. REAL: bits of the double. TEXT: length in bytes. LIST: number of items. Other kinds:
     * defined by the source */
    int64_t number;
    size_t place; /* defined by the source, for example the index of a row */
};

/* The functions of one kind of list, object or printed value. Functions that the kind does not need may be NULL. */
struct tp_data_source {
    /* Sets *out to the member `name` of an object. Returns false if the object lacks it. */
    bool (*member)(const struct tp_data *object, struct tp_str name, struct tp_data *out);
    /* Sets *out to item number `index` of a list. `index` is less than the number of items. */
    void (*item)(const struct tp_data *list, size_t index, struct tp_data *out);
    /* appends the text of a PRINTED value without escaping it */
    void (*print)(const struct tp_data *value, struct tp_buf *out);
    /* Writes the JSON of a WRITTEN value. */
    void (*write)(const struct tp_data *value, struct tp_json *json);
};

static inline struct tp_data tp_data_str(struct tp_str text)
{
    return (struct tp_data){.kind = TP_DATA_TEXT, .self = text.ptr, .number = (int64_t)text.len};
}

static inline struct tp_data tp_data_text(const char *text)
{
    return tp_data_str(tp_str_of(text));
}

static inline struct tp_data tp_data_int(int64_t value)
{
    return (struct tp_data){.kind = TP_DATA_INT, .number = value};
}

static inline struct tp_data tp_data_bool(bool value)
{
    return (struct tp_data){.kind = TP_DATA_BOOL, .number = value};
}

/* Returns whether a template shows a section with this value. */
bool tp_data_is_true(const struct tp_data *value);

/* ---- builder; names are borrowed, usually string literals; a member replaces an earlier one of the same name ---- */

struct tp_member {
    struct tp_str name;
    struct tp_data value; /* for a list, the number of items is read later, because the list can still grow */
};

struct tp_object {
    struct tp_vec members; /* elements: struct tp_member */
};

struct tp_list {
    struct tp_vec items; /* elements: struct tp_data */
};

struct tp_object *tp_object_new(struct tp_arena *arena);
struct tp_list *tp_list_new(struct tp_arena *arena);
struct tp_data tp_data_of_object(const struct tp_object *object);
/* Returns a list as a value with its current number of items. Add all items before this call. */
struct tp_data tp_data_of_list(const struct tp_list *list);

void tp_object_add_value(struct tp_object *object, const char *name, struct tp_data value);
/* Adds a text member. The text is borrowed. */
void tp_object_add_str(struct tp_object *object, const char *name, struct tp_str text);
/* Adds a text member. The text is borrowed; NULL adds an absent value. */
void tp_object_add_text(struct tp_object *object, const char *name, const char *text);
/* Adds a sentence for a page, in which a line never breaks between a number and its unit. The text is copied; a text
 * with ptr NULL adds "". */
void tp_object_add_sentence(struct tp_object *object, const char *name, struct tp_str text);
/* Adds a text that is formatted as by printf and stored in the arena. */
void tp_object_add_formatted(struct tp_object *object, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds marked text (writer/text/marked_text.h) as a list of runs. Each run is an object with the members text, is_code
 * and is_bold. The text is borrowed. */
void tp_object_add_rich_text(struct tp_object *object, const char *name, const char *marked);
void tp_object_add_int(struct tp_object *object, const char *name, int64_t value);
void tp_object_add_bool(struct tp_object *object, const char *name, bool value);
/* Add values for JSON. TP_NULL_INT and numbers that are not finite become null. Tables are borrowed. */
void tp_object_add_int_or_null(struct tp_object *object, const char *name, int64_t value);
void tp_object_add_ns(struct tp_object *object, const char *name, int64_t ns);
void tp_object_add_real(struct tp_object *object, const char *name, double value);
void tp_object_add_table(struct tp_object *object, const char *name, const struct tp_table *table);
void tp_object_add_null(struct tp_object *object, const char *name);
/* Add a new empty object or list as a member, and return it for the caller to fill. */
struct tp_object *tp_object_add_object(struct tp_object *object, const char *name);
struct tp_list *tp_object_add_list(struct tp_object *object, const char *name);

void tp_list_add(struct tp_list *list, struct tp_data value);
/* Appends a new empty object to a list, and returns it. */
struct tp_object *tp_list_add_object(struct tp_list *list);

#endif
