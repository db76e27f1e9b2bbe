/* Reads pickled values, and writes them as JSON: see pickle.h. */
#include <string.h>

#include "webreport/trace/pickle/pickle.h"
#include "writer/base/json_out.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

const tp_pickle_value *tp_pickle_get(const struct tp_pickle_dict *dict, uint32_t key)
{
    for (const struct tp_pickle_row *row = dict->row; row; row = row->previous)
        for (uint32_t i = row->shape->count; i-- > 0;) /* the last of equal keys counts */
            if (row->shape->keys[i] == key)
                return &row->values[i];
    return NULL;
}

bool tp_pickle_int(tp_pickle_value value, uint64_t *bits, bool *is_unsigned)
{
    *is_unsigned = false;
    switch (tp_pickle_tag(value)) {
    case TP_PICKLE_INT:
        *bits = (uint64_t)tp_pickle_small_int(value);
        return true;
    case TP_PICKLE_BIG: {
        const struct tp_pickle_big *big = tp_pickle_node(value);
        *bits = big->bits;
        *is_unsigned = big->is_unsigned;
        return true;
    }
    case TP_PICKLE_CONST:
        *bits = value == tp_pickle_const(TP_PICKLE_TRUE);
        return value != tp_pickle_const(TP_PICKLE_NONE);
    default:
        return false;
    }
}

const char *tp_pickle_type_name(tp_pickle_value value)
{
    static const char *const names[] = {"int", "int", "float", "str", "list", "dict", "tuple"};
    enum tp_pickle_tag tag = tp_pickle_tag(value);
    if (tag == TP_PICKLE_CONST)
        return value == tp_pickle_const(TP_PICKLE_NONE) ? "NoneType" : "bool";
    return names[tag];
}

void tp_pickle_walk_begin(struct tp_pickle_walk *walk, const struct tp_pickle_list *list)
{
    *walk = (struct tp_pickle_walk){.part = list->first, .next = list->others};
}

bool tp_pickle_walk_next(struct tp_pickle_walk *walk, tp_pickle_value *value)
{
    while (walk->part && walk->index == walk->part->count) {
        walk->part = walk->next ? walk->next->part : NULL;
        walk->next = walk->next ? walk->next->next : NULL;
        walk->index = 0;
    }
    if (!walk->part)
        return false;
    *value = walk->part->items[walk->index++];
    return true;
}

static void write_simple(const struct tp_pickle *pickle, tp_pickle_value value, struct tp_json *json)
{
    uint64_t bits;
    bool is_unsigned;
    double real;
    switch (tp_pickle_tag(value)) {
    case TP_PICKLE_TEXT:
        tp_json_str(json, tp_strings_get(pickle->texts, tp_pickle_text_id(value)));
        return;
    case TP_PICKLE_REAL:
        memcpy(&real, tp_pickle_node(value), sizeof real);
        tp_json_real(json, real);
        return;
    case TP_PICKLE_CONST:
        if (value == tp_pickle_const(TP_PICKLE_NONE))
            tp_json_null(json);
        else
            tp_json_bool(json, value == tp_pickle_const(TP_PICKLE_TRUE));
        return;
    default:
        if (!tp_pickle_int(value, &bits, &is_unsigned))
            tp_json_null(json);
        else if (is_unsigned)
            tp_json_uint(json, bits);
        else
            tp_json_int(json, (int64_t)bits);
    }
}

static void write_items(const struct tp_pickle *pickle, tp_pickle_value value, struct tp_json *json)
{
    struct tp_pickle_walk walk = {0};
    tp_pickle_value item;
    if (tp_pickle_tag(value) == TP_PICKLE_LIST)
        tp_pickle_walk_begin(&walk, tp_pickle_node(value));
    else
        walk.part = tp_pickle_node(value);
    tp_json_array(json);
    while (!json->out->failed && tp_pickle_walk_next(&walk, &item))
        write_simple(pickle, item, json);
    tp_json_array_end(json);
}

/* Writes the members that the file added to a dict last. */
static void write_members(const struct tp_pickle *pickle, const struct tp_pickle_dict *dict, struct tp_json *json)
{
    const struct tp_pickle_row *row = dict->row;
    tp_json_object(json);
    for (uint32_t i = 0; row && i < row->shape->count && !json->out->failed; i++) {
        tp_json_key_str(json, tp_strings_get(pickle->texts, row->shape->keys[i]));
        write_simple(pickle, row->values[i], json);
    }
    tp_json_object_end(json);
}

void tp_pickle_write_json(const struct tp_pickle *pickle, tp_pickle_value value, struct tp_json *json)
{
    enum tp_pickle_tag tag = tp_pickle_tag(value);
    if (tag == TP_PICKLE_LIST || tag == TP_PICKLE_TUPLE)
        write_items(pickle, value, json);
    else if (tag == TP_PICKLE_DICT)
        write_members(pickle, tp_pickle_node(value), json);
    else
        write_simple(pickle, value, json);
}
