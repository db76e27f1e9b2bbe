/* Reads members of dicts and checks their types: see snapshot_walk.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "webreport/trace/snapshot/snapshot_walk.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"

int tp_snapshot_refuse(struct tp_snapshot_walk *walk, const struct tp_snapshot_place *place, const char *format, ...)
{
    char where[96], inner[48] = "", text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (place->inner)
        snprintf(inner, sizeof inner, "%s[%zu]", place->inner, place->inner_index);
    if (place->index == SIZE_MAX)
        snprintf(where, sizeof where, "%s", place->list);
    else
        snprintf(where, sizeof where, "%s[%zu]%s", place->list, place->index, inner);
    return tp_error_set(walk->err, TP_EFORMAT, 0, "%s%s", where, text);
}

int tp_snapshot_refuse_devices(const struct tp_snapshot_walk *walk)
{
    return tp_error_set(walk->err, TP_ELIMIT, 0, "the snapshot has more than %u devices", TP_MAX_SNAPSHOT_DEVICES);
}

int tp_snapshot_visit(struct tp_snapshot_walk *walk, uint64_t count, const struct tp_snapshot_place *place)
{
    walk->visited += count;
    if (walk->visited <= walk->budget)
        return TP_OK;
    return tp_error_set(
        walk->err, TP_EFORMAT, 0,
        "the same lists are referred to so often that the file would unfold to more than %llu values (%s[%zu])",
        (unsigned long long)walk->budget, place->list, place->index);
}

/* Reduces a dict to the members that the reader looks up. A file can refer to a dict with a million members a million
 * times, so each search must be short. */
static void shorten(struct tp_snapshot_walk *walk, struct tp_pickle_dict *dict)
{
    struct tp_arena *arena = walk->pickle->arena;
    struct tp_pickle_shape *shape = tp_arena_alloc(arena, sizeof *shape + TP_KEY_COUNT * sizeof *shape->keys);
    struct tp_pickle_row *row = tp_arena_alloc(arena, sizeof *row + TP_KEY_COUNT * sizeof *row->values);
    for (unsigned i = 0; i < TP_KEY_COUNT; i++) {
        const tp_pickle_value *value = walk->keys[i] == TP_NO_ID ? NULL : tp_pickle_get(dict, walk->keys[i]);
        if (!value)
            continue;
        row->values[shape->count] = *value;
        shape->keys[shape->count++] = walk->keys[i];
    }
    row->shape = shape;
    dict->row = row;
    dict->is_short = true;
}

const tp_pickle_value *tp_snapshot_find(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict,
                                        enum tp_snapshot_key key)
{
    enum { SHORT_ROW = 64 };
    if (walk->keys[key] == TP_NO_ID)
        return NULL;
    if (!dict->is_short && dict->row && (dict->row->previous || dict->row->shape->count > SHORT_ROW))
        shorten(walk, (struct tp_pickle_dict *)dict);
    return tp_pickle_get(dict, walk->keys[key]);
}

/* The names of the keys that messages can contain. */
static const char *key_name(enum tp_snapshot_key key)
{
    switch (key) {
    case TP_KEY_SEGMENTS:
        return "segments";
    case TP_KEY_DEVICE_TRACES:
        return "device_traces";
    case TP_KEY_DEVICE:
        return "device";
    case TP_KEY_ADDRESS:
        return "address";
    case TP_KEY_TOTAL_SIZE:
        return "total_size";
    case TP_KEY_STREAM:
        return "stream";
    case TP_KEY_BLOCKS:
        return "blocks";
    case TP_KEY_SIZE:
        return "size";
    case TP_KEY_STATE:
        return "state";
    case TP_KEY_REQUESTED_SIZE:
        return "requested_size";
    case TP_KEY_ACTION:
        return "action";
    case TP_KEY_ADDR:
        return "addr";
    default:
        return "device_free";
    }
}

/* Refuses a member of another type. value: NULL for a missing member. */
static int refuse_type(struct tp_snapshot_walk *walk, const struct tp_snapshot_place *place, enum tp_snapshot_key key,
                       const tp_pickle_value *value, const char *wanted)
{
    return tp_snapshot_refuse(walk, place, ".%s is %s, not %s", key_name(key),
                              value ? tp_pickle_type_name(*value) : "missing", wanted);
}

int tp_snapshot_get_size(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict, enum tp_snapshot_key key,
                         const struct tp_snapshot_place *place, bool must, uint64_t *out)
{
    const tp_pickle_value *value = tp_snapshot_find(walk, dict, key);
    bool is_unsigned;
    if (!value && !must)
        return TP_OK;
    /* a negative number is the upper half of the unsigned range, so its bits are the number */
    return value && tp_pickle_int(*value, out, &is_unsigned) ? TP_OK : refuse_type(walk, place, key, value, "int");
}

int tp_snapshot_get_int(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict, enum tp_snapshot_key key,
                        const struct tp_snapshot_place *place, int64_t *out)
{
    uint64_t bits = (uint64_t)*out;
    int code = tp_snapshot_get_size(walk, dict, key, place, false, &bits);
    *out = (int64_t)bits;
    return code;
}

int tp_snapshot_get_text(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict, enum tp_snapshot_key key,
                         const struct tp_snapshot_place *place, struct tp_str *out)
{
    const tp_pickle_value *value = tp_snapshot_find(walk, dict, key);
    if (!value || tp_pickle_tag(*value) != TP_PICKLE_TEXT)
        return refuse_type(walk, place, key, value, "str");
    *out = tp_strings_get(walk->pickle->texts, tp_pickle_text_id(*value));
    return TP_OK;
}

int tp_snapshot_get_list(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict, enum tp_snapshot_key key,
                         const struct tp_snapshot_place *place, bool must, const struct tp_pickle_list **out)
{
    const tp_pickle_value *value = tp_snapshot_find(walk, dict, key);
    if (!value && !must)
        return TP_OK;
    if (!value || tp_pickle_tag(*value) != TP_PICKLE_LIST)
        return refuse_type(walk, place, key, value, "a list");
    *out = tp_pickle_node(*value);
    return TP_OK;
}

struct tp_str tp_snapshot_optional_text(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict,
                                        enum tp_snapshot_key key)
{
    const tp_pickle_value *value = tp_snapshot_find(walk, dict, key);
    return value && tp_pickle_tag(*value) == TP_PICKLE_TEXT
               ? tp_strings_get(walk->pickle->texts, tp_pickle_text_id(*value))
               : (struct tp_str){"", 0};
}

static uint32_t text_id(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict, enum tp_snapshot_key key)
{
    const tp_pickle_value *value = tp_snapshot_find(walk, dict, key);
    return value && tp_pickle_tag(*value) == TP_PICKLE_TEXT ? tp_pickle_text_id(*value) : walk->snapshot->no_text;
}

uint32_t tp_snapshot_optional_name(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict,
                                   enum tp_snapshot_key key)
{
    uint32_t id = text_id(walk, dict, key);
    struct tp_str text = tp_strings_get(walk->pickle->texts, id);
    if (text.len <= TP_MAX_SNAPSHOT_NAME_BYTES)
        return id;
    text.len = tp_utf8_fitting_bytes(text.ptr, text.len, TP_MAX_SNAPSHOT_NAME_BYTES);
    return tp_strings_add(walk->pickle->texts, text);
}

/* ---- pools ---- */

static uint32_t add_pool(struct tp_snapshot *snapshot, int64_t first, int64_t second)
{
    for (uint32_t i = 0; i < snapshot->pools.count; i++) {
        const struct tp_snapshot_pool *pool = tp_snapshot_pool(snapshot, i);
        if (pool->first == first && pool->second == second)
            return i;
    }
    if (snapshot->pools.count >= TP_MAX_SNAPSHOT_POOLS)
        return 0;
    struct tp_snapshot_pool *pool = tp_vec_push(&snapshot->pools);
    *pool = (struct tp_snapshot_pool){first, second};
    return (uint32_t)snapshot->pools.count - 1;
}

uint32_t tp_snapshot_optional_pool(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict,
                                   enum tp_snapshot_key key)
{
    const tp_pickle_value *value = tp_snapshot_find(walk, dict, key);
    struct tp_pickle_walk items = {0};
    tp_pickle_value item;
    uint64_t pair[2];
    unsigned count = 0;
    bool is_unsigned, is_pair = value != NULL;
    if (is_pair && tp_pickle_tag(*value) == TP_PICKLE_LIST)
        tp_pickle_walk_begin(&items, tp_pickle_node(*value));
    else if (is_pair && tp_pickle_tag(*value) == TP_PICKLE_TUPLE)
        items.part = tp_pickle_node(*value);
    while (is_pair && tp_pickle_walk_next(&items, &item)) {
        is_pair = count < 2 && tp_pickle_tag(item) <= TP_PICKLE_BIG && tp_pickle_int(item, &pair[count], &is_unsigned);
        count++;
    }
    return is_pair && count == 2 ? add_pool(walk->snapshot, (int64_t)pair[0], (int64_t)pair[1]) : TP_NO_ID;
}

/* ---- stacks ---- */

/* Returns whether a member is missing or has the wanted tag. */
static bool has_tag(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict, enum tp_snapshot_key key,
                    enum tp_pickle_tag tag, enum tp_pickle_tag other)
{
    const tp_pickle_value *value = tp_snapshot_find(walk, dict, key);
    return !value || tp_pickle_tag(*value) == tag || tp_pickle_tag(*value) == other;
}

/* Returns the bytes of the texts of a frame. */
static uint64_t frame_bytes(const struct tp_snapshot_walk *walk, const struct tp_snapshot_frame *frame)
{
    const struct tp_strings *texts = walk->pickle->texts;
    return tp_strings_get(texts, frame->file).len + tp_strings_get(texts, frame->name).len +
           tp_strings_get(texts, frame->fx_node).len + tp_strings_get(texts, frame->fx_trace).len;
}

/* Refuses a file whose long texts are referred to so often that the results would not fit into memory. */
static int refuse_long_texts(struct tp_snapshot_walk *walk, const char *what)
{
    return tp_error_set(walk->err, TP_ELIMIT, 0,
                        "the texts of the %s are so long that they would unfold to more than %u bytes per byte of the "
                        "file",
                        what, *what == 'f' ? TP_MAX_SNAPSHOT_FRAMES_PER_BYTE : TP_MAX_SNAPSHOT_STACKS_PER_BYTE);
}

/* Sets *frame to the id of a frame. The mark of a dict is 1 + the id of its frame. */
static int get_frame(struct tp_snapshot_walk *walk, struct tp_pickle_dict *dict, const struct tp_snapshot_place *place,
                     uint64_t index, uint32_t *frame)
{
    const tp_pickle_value *line = tp_snapshot_find(walk, dict, TP_KEY_LINE);
    struct tp_snapshot_frame f = {0};
    bool is_unsigned;
    if (!dict->mark) {
        if (!has_tag(walk, dict, TP_KEY_FILENAME, TP_PICKLE_TEXT, TP_PICKLE_TEXT) ||
            !has_tag(walk, dict, TP_KEY_NAME, TP_PICKLE_TEXT, TP_PICKLE_TEXT) ||
            !has_tag(walk, dict, TP_KEY_LINE, TP_PICKLE_INT, TP_PICKLE_BIG))
            return tp_snapshot_refuse(walk, place, ".frames[%llu] has a filename, line or name of another type",
                                      (unsigned long long)index);
        if (line)
            tp_pickle_int(*line, (uint64_t *)&f.line, &is_unsigned);
        f.file = text_id(walk, dict, TP_KEY_FILENAME);
        f.name = text_id(walk, dict, TP_KEY_NAME);
        f.fx_node = text_id(walk, dict, TP_KEY_FX_NODE);
        f.fx_trace = text_id(walk, dict, TP_KEY_FX_TRACE);
        walk->frame_bytes += frame_bytes(walk, &f);
        if (walk->frame_bytes > TP_MAX_SNAPSHOT_FRAMES_BYTES + walk->budget * TP_MAX_SNAPSHOT_FRAMES_PER_BYTE)
            return refuse_long_texts(walk, "frames");
        dict->mark = 1 + tp_snapshot_stacks_add_frame(&walk->snapshot->stacks, &f);
    }
    *frame = dict->mark - 1;
    return TP_OK;
}

/* Finds the stack of a list of frames, innermost first. frames: room for the ids of list->count frames. */
static int add_stack(struct tp_snapshot_walk *walk, const struct tp_pickle_list *list,
                     const struct tp_snapshot_place *place, uint32_t *stack)
{
    struct tp_vec frames = TP_VEC(walk->pickle->arena, uint32_t);
    struct tp_pickle_walk items;
    tp_pickle_value item;
    uint64_t count = 0;
    tp_pickle_walk_begin(&items, list);
    while (tp_pickle_walk_next(&items, &item)) {
        if (tp_pickle_tag(item) != TP_PICKLE_DICT)
            return tp_snapshot_refuse(walk, place, ".frames[%llu] is no dict", (unsigned long long)count);
        uint32_t *frame = tp_vec_push(&frames);
        int code = get_frame(walk, tp_pickle_node(item), place, count++, frame);
        if (code < 0)
            return code;
        struct tp_snapshot_frame f;
        memcpy(&f, tp_keys_get(&walk->snapshot->stacks.frames, *frame), sizeof f);
        walk->stack_bytes += frame_bytes(walk, &f);
    }
    if (walk->stack_bytes > TP_MAX_SNAPSHOT_STACKS_BYTES + walk->budget * TP_MAX_SNAPSHOT_STACKS_PER_BYTE)
        return refuse_long_texts(walk, "call stacks");
    *stack = 0;
    while (count-- > 0)
        *stack = tp_snapshot_stacks_add(&walk->snapshot->stacks, *stack, *TP_AT(&frames, uint32_t, count));
    return TP_OK;
}

int tp_snapshot_get_stack(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict,
                          const struct tp_snapshot_place *place, uint32_t *stack)
{
    const tp_pickle_value *value = tp_snapshot_find(walk, dict, TP_KEY_FRAMES);
    *stack = 0;
    if (!value || *value == tp_pickle_const(TP_PICKLE_NONE))
        return TP_OK;
    if (tp_pickle_tag(*value) != TP_PICKLE_LIST)
        return tp_snapshot_refuse(walk, place, ".frames is no list");
    struct tp_pickle_list *list = tp_pickle_node(*value);
    if (!list->count)
        return TP_OK;
    /* the mark of a list, and of a part that is a whole list, is 1 + the id of its stack */
    if (!list->mark) {
        bool is_one_part = !list->others;
        int code = TP_OK;
        walk->new_frames += list->count;
        if (is_one_part && list->first->mark)
            *stack = list->first->mark - 1;
        else
            code = add_stack(walk, list, place, stack);
        if (code < 0)
            return code;
        list->mark = *stack + 1;
        if (is_one_part)
            list->first->mark = list->mark;
    }
    *stack = list->mark - 1;
    return TP_OK;
}
