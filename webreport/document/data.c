/* Builds objects and lists for templates and JSON. See data.h. */
#include "webreport/document/data.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "writer/text/marked_text.h"

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
    case TP_DATA_REAL:
    case TP_DATA_NS:
    case TP_DATA_TABLE:
    case TP_DATA_WRITTEN:
        break;
    }
    return true;
}

/* ---- builder ---- */

static const struct tp_data_source built;

static bool find_built_member(const struct tp_data *data, struct tp_str name, struct tp_data *out)
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

static void get_item_of_built_list(const struct tp_data *data, size_t index, struct tp_data *out)
{
    const struct tp_list *list = data->self;
    *out = *TP_AT(&list->items, struct tp_data, index);
}

static const struct tp_data_source built = {.member = find_built_member, .item = get_item_of_built_list};

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

void tp_object_add_value(struct tp_object *object, const char *name, struct tp_data value)
{
    struct tp_member *member = tp_vec_push(&object->members);
    member->name = tp_str_of(name);
    member->value = value;
}

void tp_object_add_str(struct tp_object *object, const char *name, struct tp_str text)
{
    tp_object_add_value(object, name, tp_data_str(text));
}

void tp_object_add_text(struct tp_object *object, const char *name, const char *text)
{
    tp_object_add_value(object, name, text ? tp_data_text(text) : (struct tp_data){.kind = TP_DATA_NONE});
}

/* Returns the length of the unit at the start of `text`, bytes; 0 if the text does not start with a unit. */
static size_t length_of_unit_name(const char *text, const char *end)
{
    static const char *const units[] = {"%", "ns", "\u00b5s", "ms", "s", "min", "B", "KiB", "MiB", "GiB", "TiB"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t size = strlen(units[i]);
        if ((size_t)(end - text) >= size && memcmp(text, units[i], size) == 0 &&
            (text + size == end || !isalnum((unsigned char)text[size])))
            return size;
    }
    return 0;
}

void tp_object_add_sentence(struct tp_object *object, const char *name, struct tp_str text)
{
    static const char no_break[] = "\u00a0";
    struct tp_vec out = TP_VEC(object->members.arena, char);
    const char *end = text.ptr + text.len;
    for (const char *at = text.ptr; at < end; at++) {
        bool is_joined =
            at > text.ptr && *at == ' ' && isdigit((unsigned char)at[-1]) && length_of_unit_name(at + 1, end);
        for (const char *c = is_joined ? no_break : ""; *c; c++)
            *(char *)tp_vec_push(&out) = *c;
        if (!is_joined)
            *(char *)tp_vec_push(&out) = *at;
    }
    tp_object_add_str(object, name, (struct tp_str){out.data, out.count});
}

void tp_object_add_formatted(struct tp_object *object, const char *name, const char *format, ...)
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
    tp_object_add_str(object, name, (struct tp_str){text, size});
}

void tp_object_add_rich_text(struct tp_object *object, const char *name, const char *marked)
{
    struct tp_list *list = tp_object_add_list(object, name);
    struct tp_marked_walk walk = {.rest = marked};
    struct tp_marked_run run;
    while (tp_marked_next_run(&walk, &run)) {
        struct tp_object *item = tp_list_add_object(list);
        tp_object_add_str(item, "text", run.text);
        tp_object_add_bool(item, "is_code", run.is_code);
        tp_object_add_bool(item, "is_bold", run.is_bold);
    }
}

void tp_object_add_int(struct tp_object *object, const char *name, int64_t value)
{
    tp_object_add_value(object, name, tp_data_int(value));
}

void tp_object_add_bool(struct tp_object *object, const char *name, bool value)
{
    tp_object_add_value(object, name, tp_data_bool(value));
}

void tp_object_add_null(struct tp_object *object, const char *name)
{
    tp_object_add_value(object, name, (struct tp_data){.kind = TP_DATA_NONE});
}

void tp_object_add_int_or_null(struct tp_object *object, const char *name, int64_t value)
{
    if (value == TP_NULL_INT)
        tp_object_add_null(object, name);
    else
        tp_object_add_int(object, name, value);
}

void tp_object_add_ns(struct tp_object *object, const char *name, int64_t ns)
{
    if (ns == TP_NULL_INT)
        tp_object_add_null(object, name);
    else
        tp_object_add_value(object, name, (struct tp_data){.kind = TP_DATA_NS, .number = ns});
}

void tp_object_add_real(struct tp_object *object, const char *name, double value)
{
    struct tp_data data = {.kind = TP_DATA_REAL};
    memcpy(&data.number, &value, sizeof value);
    tp_object_add_value(object, name, data);
}

void tp_object_add_table(struct tp_object *object, const char *name, const struct tp_table *table)
{
    tp_object_add_value(object, name, (struct tp_data){.kind = TP_DATA_TABLE, .self = table});
}

struct tp_object *tp_object_add_object(struct tp_object *object, const char *name)
{
    struct tp_object *child = tp_object_new(object->members.arena);
    tp_object_add_value(object, name, tp_data_of_object(child));
    return child;
}

struct tp_list *tp_object_add_list(struct tp_object *object, const char *name)
{
    struct tp_list *child = tp_list_new(object->members.arena);
    tp_object_add_value(object, name, tp_data_of_list(child));
    return child;
}

void tp_list_add(struct tp_list *list, struct tp_data value)
{
    *(struct tp_data *)tp_vec_push(&list->items) = value;
}

struct tp_object *tp_list_add_object(struct tp_list *list)
{
    struct tp_object *child = tp_object_new(list->items.arena);
    tp_list_add(list, tp_data_of_object(child));
    return child;
}
