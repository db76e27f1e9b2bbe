/* What templates and JSON see: texts, numbers, booleans, lists and objects behind one small value, struct tp_data.
 *
 * Lists and objects answer through functions, so 10^5 table rows need no tree of values. Two ways to make them: the
 * builder below (objects and lists composed by hand in an arena), or an own struct tp_data_source. Values are borrowed:
 * what they point to must live until the rendering ends. */
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
    TP_DATA_NONE, /* absent: prints nothing, false in a section */
    TP_DATA_TEXT, /* false in a section when empty */
    TP_DATA_INT,  /* always true in a section, also 0 */
    TP_DATA_BOOL,
    TP_DATA_PRINTED, /* a text that its source prints when asked; always true in a section */
    TP_DATA_LIST,    /* false in a section when empty */
    TP_DATA_OBJECT,
    /* for JSON alone; templates print nothing and show their sections */
    TP_DATA_REAL,    /* NaN and infinity are null */
    TP_DATA_NS,      /* nanoseconds, written as microseconds */
    TP_DATA_TABLE,   /* a list of rows */
    TP_DATA_WRITTEN, /* by its source */
};

struct tp_data {
    enum tp_data_kind kind;
    const struct tp_data_source *source; /* of PRINTED, LIST, OBJECT */
    const void *self;                    /* TEXT: bytes. TABLE: struct tp_table. Else the source's own */
    int64_t number; /* INT, BOOL, NS: value. REAL: its bits. TEXT: length. LIST: item count. Else the source's own */
    size_t place;   /* the source's own, for instance a row */
};

/* How lists, objects and printed values of one origin answer. Functions a kind does not need may be NULL. */
struct tp_data_source {
    /* Member `name` of an object; false when it has none. */
    bool (*member)(const struct tp_data *object, struct tp_str name, struct tp_data *out);
    /* Item `index` (below the count) of a list. */
    void (*item)(const struct tp_data *list, size_t index, struct tp_data *out);
    /* Appends the text of a PRINTED value, unescaped. */
    void (*print)(const struct tp_data *value, struct tp_buf *out);
    /* Writes a WRITTEN value. */
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

/* Whether a section of this value is shown. */
bool tp_data_is_true(const struct tp_data *value);

/* ---- builder: names are borrowed (string literals), later members hide earlier ones of the same name ---- */

struct tp_member {
    struct tp_str name;
    struct tp_data value; /* the count of a list is read again at each lookup: it may have grown */
};

struct tp_object {
    struct tp_vec members; /* struct tp_member */
};

struct tp_list {
    struct tp_vec items; /* struct tp_data */
};

struct tp_object *tp_object_new(struct tp_arena *arena);
struct tp_list *tp_list_new(struct tp_arena *arena);
struct tp_data tp_data_of_object(const struct tp_object *object);
/* Take it when the list is complete: the count is copied. */
struct tp_data tp_data_of_list(const struct tp_list *list);

void tp_object_put(struct tp_object *object, const char *name, struct tp_data value);
/* The text is borrowed. */
void tp_object_str(struct tp_object *object, const char *name, struct tp_str text);
/* The text is borrowed; NULL makes the member absent. */
void tp_object_text(struct tp_object *object, const char *name, const char *text);
/* A sentence of ours for a page: a number and its unit stay on one line. Kept in the arena; without a pointer, empty.
 */
void tp_object_sentence(struct tp_object *object, const char *name, struct tp_str text);
/* The formatted text is kept in the arena. */
void tp_object_printf(struct tp_object *object, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tp_object_int(struct tp_object *object, const char *name, int64_t value);
void tp_object_bool(struct tp_object *object, const char *name, bool value);
/* For JSON. TP_NULL_INT is null; so is a real number that is not finite. The table is borrowed. */
void tp_object_whole(struct tp_object *object, const char *name, int64_t value);
void tp_object_ns(struct tp_object *object, const char *name, int64_t ns);
void tp_object_real(struct tp_object *object, const char *name, double value);
void tp_object_table(struct tp_object *object, const char *name, const struct tp_table *table);
void tp_object_null(struct tp_object *object, const char *name);
/* A new empty object or list as a member; fill it afterwards. */
struct tp_object *tp_object_object(struct tp_object *object, const char *name);
struct tp_list *tp_object_list(struct tp_object *object, const char *name);

void tp_list_add(struct tp_list *list, struct tp_data value);
/* A new empty object as the last item. */
struct tp_object *tp_list_object(struct tp_list *list);

#endif
