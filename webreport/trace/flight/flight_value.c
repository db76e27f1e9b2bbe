/* Reads values of pickles and of JSON in one form: see flight_value.h. */
#include "webreport/trace/flight/flight_value.h"

#include <errno.h>
#include <stdlib.h>

#include "webreport/trace/json/clean.h"
#include "webreport/trace/json/number.h"
#include "webreport/trace/json/value.h"

static const char *const key_texts[TP_FLIGHT_KEY_COUNT] = {"version",
                                                           "entries",
                                                           "pg_config",
                                                           "pg_status",
                                                           "name",
                                                           "desc",
                                                           "ranks",
                                                           "last_enqueued_collective",
                                                           "frames",
                                                           "filename",
                                                           "line",
                                                           "record_id",
                                                           "pg_id",
                                                           "process_group",
                                                           "collective_seq_id",
                                                           "p2p_seq_id",
                                                           "seq_id",
                                                           "profiling_name",
                                                           "time_created_ns",
                                                           "duration_ms",
                                                           "input_sizes",
                                                           "output_sizes",
                                                           "input_dtypes",
                                                           "output_dtypes",
                                                           "state",
                                                           "retired",
                                                           "is_p2p"};

void tp_flight_source_init(struct tp_flight_source *source, const struct tp_pickle *pickle, struct tp_arena *scratch,
                           uint64_t budget)
{
    *source = (struct tp_flight_source){.pickle = pickle, .scratch = scratch, .budget = budget};
    tp_strings_init(&source->keys, scratch, 0);
    for (unsigned i = 0; i < TP_FLIGHT_KEY_COUNT; i++)
        tp_strings_add(&source->keys, tp_str_of(key_texts[i]));
    if (!pickle)
        return;
    source->key_of_text = tp_arena_alloc(scratch, pickle->texts->count);
    for (unsigned i = 0; i < TP_FLIGHT_KEY_COUNT; i++) {
        uint32_t text = tp_strings_find(pickle->texts, tp_str_of(key_texts[i]));
        if (text != TP_NO_ID)
            source->key_of_text[text] = (uint8_t)(i + 1);
    }
}

/* ---- pickles ---- */

struct tp_flight_value tp_flight_value_of_pickle(const struct tp_flight_source *source, tp_pickle_value value)
{
    struct tp_flight_value out = {.pickle = value};
    uint64_t bits;
    bool is_unsigned;
    switch (tp_pickle_tag(value)) {
    case TP_PICKLE_TEXT:
        out.kind = TP_FLIGHT_TEXT;
        out.text = tp_strings_get(source->pickle->texts, tp_pickle_text_id(value));
        break;
    case TP_PICKLE_LIST:
    case TP_PICKLE_TUPLE:
        out.kind = TP_FLIGHT_LIST;
        out.is_tuple = tp_pickle_tag(value) == TP_PICKLE_TUPLE;
        break;
    case TP_PICKLE_DICT:
        out.kind = TP_FLIGHT_DICT;
        break;
    case TP_PICKLE_REAL:
        out.kind = TP_FLIGHT_REAL;
        memcpy(&out.real, tp_pickle_node(value), sizeof out.real);
        break;
    case TP_PICKLE_CONST:
        out.kind = value == tp_pickle_const(TP_PICKLE_NONE) ? TP_FLIGHT_NOTHING : TP_FLIGHT_BOOL;
        out.integer = value == tp_pickle_const(TP_PICKLE_TRUE);
        break;
    default:
        tp_pickle_int(value, &bits, &is_unsigned);
        out.kind = is_unsigned ? TP_FLIGHT_REAL : TP_FLIGHT_INT;
        out.integer = (int64_t)bits;
        out.real = (double)bits;
    }
    return out;
}

static void fill_from_pickle(struct tp_flight_members *members, struct tp_flight_source *source,
                             const struct tp_pickle_dict *dict)
{
    for (const struct tp_pickle_row *row = dict->row; row; row = row->previous) {
        source->visited += row->shape->count;
        if (tp_flight_is_over_budget(source))
            return;
        for (uint32_t i = row->shape->count; i-- > 0;) { /* newest first: the last of equal keys counts */
            unsigned key = source->key_of_text[row->shape->keys[i]];
            if (!key || members->has >> (key - 1) & 1)
                continue;
            members->at[key - 1] = tp_flight_value_of_pickle(source, row->values[i]);
            members->has |= 1u << (key - 1);
        }
    }
}

/* ---- JSON ---- */

static struct tp_flight_value text_of_json(const struct tp_flight_source *source, struct tp_str token)
{
    struct tp_flight_value out = {.kind = TP_FLIGHT_TEXT, .text = {token.ptr + 1, token.len - 2}};
    if (!tp_clean_is_plain(out.text))
        out.text = tp_value_text(source->scratch, token);
    return out;
}

static struct tp_flight_value number_of_json(struct tp_str token)
{
    struct tp_flight_value out = {.kind = TP_FLIGHT_REAL};
    char digits[32], *end;
    if (token.len >= sizeof digits) {
        out.real = tp_number_parse_real(token);
        return out;
    }
    memcpy(digits, token.ptr, token.len);
    digits[token.len] = '\0';
    errno = 0;
    out.integer = strtoll(digits, &end, 10);
    if (*end == '\0' && errno == 0)
        out.kind = TP_FLIGHT_INT;
    else
        out.real = tp_number_parse_real(token);
    return out;
}

struct tp_flight_value tp_flight_value_of_json(const struct tp_flight_source *source, struct tp_str json)
{
    char first = json.len ? json.ptr[0] : 'n';
    switch (first) {
    case '"':
        return text_of_json(source, json);
    case '[':
        return (struct tp_flight_value){.kind = TP_FLIGHT_LIST, .text = json};
    case '{':
        return (struct tp_flight_value){.kind = TP_FLIGHT_DICT, .text = json};
    case 't':
    case 'f':
        return (struct tp_flight_value){.kind = TP_FLIGHT_BOOL, .integer = first == 't'};
    case 'n':
        return (struct tp_flight_value){.kind = TP_FLIGHT_NOTHING};
    default:
        return number_of_json(json);
    }
}

static void fill_from_json(struct tp_flight_members *members, struct tp_flight_source *source, struct tp_str json)
{
    struct tp_str key, item;
    for (size_t at = 0; tp_value_next(json, &at, &key, &item);) {
        if (++source->visited > source->budget)
            return;
        uint32_t id = tp_strings_find(&source->keys, text_of_json(source, key).text);
        if (id == TP_NO_ID)
            continue;
        members->at[id] = tp_flight_value_of_json(source, item);
        members->has |= 1u << id;
    }
}

/* ---- both ---- */

void tp_flight_members_fill(struct tp_flight_members *members, struct tp_flight_source *source,
                            const struct tp_flight_value *dict)
{
    members->has = 0;
    if (dict->kind == TP_FLIGHT_DICT && source->pickle)
        fill_from_pickle(members, source, tp_pickle_node(dict->pickle));
    else if (dict->kind == TP_FLIGHT_DICT)
        fill_from_json(members, source, dict->text);
}

/* Lists the rows of a dict, oldest first. */
static void list_rows(struct tp_flight_walk *walk, const struct tp_pickle_dict *dict)
{
    for (const struct tp_pickle_row *row = dict->row; row && !tp_flight_is_over_budget(walk->source);
         row = row->previous) {
        walk->row_count++;
        walk->source->visited++;
    }
    walk->rows = tp_arena_array(walk->source->scratch, walk->row_count, sizeof(const struct tp_pickle_row *));
    const struct tp_pickle_row *row = dict->row;
    for (uint32_t i = walk->row_count; i-- > 0; row = row->previous)
        walk->rows[i] = row;
}

void tp_flight_walk_begin(struct tp_flight_walk *walk, struct tp_flight_source *source,
                          const struct tp_flight_value *container)
{
    *walk = (struct tp_flight_walk){.source = source, .container = *container};
    if (!source->pickle)
        return;
    if (container->kind == TP_FLIGHT_LIST && container->is_tuple)
        walk->items.part = tp_pickle_node(container->pickle);
    else if (container->kind == TP_FLIGHT_LIST)
        tp_pickle_walk_begin(&walk->items, tp_pickle_node(container->pickle));
    else if (container->kind == TP_FLIGHT_DICT)
        list_rows(walk, tp_pickle_node(container->pickle));
}

static bool next_of_pickle(struct tp_flight_walk *walk, struct tp_str *key, struct tp_flight_value *item)
{
    tp_pickle_value value;
    if (walk->container.kind == TP_FLIGHT_LIST) {
        if (!tp_pickle_walk_next(&walk->items, &value))
            return false;
        *item = tp_flight_value_of_pickle(walk->source, value);
        return true;
    }
    while (walk->row < walk->row_count && walk->column == walk->rows[walk->row]->shape->count) {
        walk->row++;
        walk->column = 0;
    }
    if (walk->row == walk->row_count)
        return false;
    const struct tp_pickle_row *row = walk->rows[walk->row];
    if (key)
        *key = tp_strings_get(walk->source->pickle->texts, row->shape->keys[walk->column]);
    *item = tp_flight_value_of_pickle(walk->source, row->values[walk->column++]);
    return true;
}

static bool next_of_json(struct tp_flight_walk *walk, struct tp_str *key, struct tp_flight_value *item)
{
    struct tp_str name, value;
    if (!tp_value_next(walk->container.text, &walk->at, &name, &value))
        return false;
    if (key && walk->container.kind == TP_FLIGHT_DICT)
        *key = text_of_json(walk->source, name).text;
    *item = tp_flight_value_of_json(walk->source, value);
    return true;
}

bool tp_flight_walk_next(struct tp_flight_walk *walk, struct tp_str *key, struct tp_flight_value *item)
{
    bool is_container = walk->container.kind == TP_FLIGHT_LIST || walk->container.kind == TP_FLIGHT_DICT;
    if (!is_container || ++walk->source->visited > walk->source->budget)
        return false;
    return walk->source->pickle ? next_of_pickle(walk, key, item) : next_of_json(walk, key, item);
}
