/* Converts annotations to JSON: see annotations.h. Fields are those of Perfetto's message DebugAnnotation.
 *
 * Nested values are written with a stack of TP_ANNOTATION_LEVELS entries. torch writes an empty list or an empty object
 * as an annotation without a value, and null as the text "null". */
#include "webreport/trace/inputs/perfetto/annotations.h"

#include <math.h>

#include "webreport/trace/inputs/perfetto/wire.h"
#include "writer/base/limits.h"
#include "writer/base/put.h"

enum field {
    FIELD_NAME_IID = 1,
    FIELD_BOOL = 2,
    FIELD_UINT = 3,
    FIELD_INT = 4,
    FIELD_DOUBLE = 5,
    FIELD_STRING = 6,
    FIELD_POINTER = 7,
    FIELD_JSON = 9,
    FIELD_NAME = 10,
    FIELD_DICT = 11,
    FIELD_ARRAY = 12,
    FIELD_STRING_IID = 17
};

/* Name and value of one annotation. */
struct annotation {
    struct tp_str name;         /* ptr NULL if the name is missing or interned */
    uint64_t name_iid;          /* 0 if the name is not interned */
    struct tp_wire_field value; /* last field with a value; number 0 if the annotation has no value */
};

/* Returns true if the field is a value of the type that its number requires. */
static bool is_value(const struct tp_wire_field *field)
{
    switch (field->number) {
    case FIELD_BOOL:
    case FIELD_UINT:
    case FIELD_INT:
    case FIELD_POINTER:
    case FIELD_STRING_IID:
        return field->type == TP_WIRE_NUMBER;
    case FIELD_DOUBLE:
        return field->type == TP_WIRE_FIXED64;
    case FIELD_STRING:
    case FIELD_JSON:
    case FIELD_DICT:
    case FIELD_ARRAY:
        return field->type == TP_WIRE_BYTES;
    default:
        return false;
    }
}

/* Reads an annotation that has an interned name and then a number, as most annotations have. Returns false for others.
 */
static bool read_short_annotation(struct tp_str message, struct annotation *annotation)
{
    enum { NAME_TAG = FIELD_NAME_IID << 3 };
    const unsigned char *at = (const unsigned char *)message.ptr;
    if (message.len < 4 || at[0] != NAME_TAG || at[1] >= 0x80)
        return false;
    unsigned tag = at[2];
    struct tp_wire wire = {.at = at + 3, .end = at + message.len};
    if (tag < FIELD_BOOL << 3 || tag > FIELD_INT << 3 || (tag & 7) != TP_WIRE_NUMBER ||
        !tp_wire_read_number(&wire, &annotation->value.value) || wire.at != wire.end)
        return false;
    annotation->name_iid = at[1];
    annotation->value.number = tag >> 3;
    annotation->value.type = TP_WIRE_NUMBER;
    return true;
}

static bool read_annotation(struct tp_str message, struct annotation *annotation)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    *annotation = (struct annotation){0};
    if (read_short_annotation(message, annotation))
        return true;
    while (tp_wire_next(&wire, &field)) {
        if (tp_wire_is(&field, FIELD_NAME_IID, TP_WIRE_NUMBER))
            annotation->name_iid = field.value;
        else if (tp_wire_is(&field, FIELD_NAME, TP_WIRE_BYTES))
            annotation->name = field.bytes;
        else if (is_value(&field))
            annotation->value = field;
    }
    return !wire.is_broken;
}

bool tp_annotations_text(struct tp_str message, struct tp_str *text)
{
    struct annotation annotation;
    if (!read_annotation(message, &annotation) ||
        (annotation.value.number != FIELD_STRING && annotation.value.number != FIELD_JSON))
        return false;
    *text = annotation.value.bytes;
    return true;
}

void tp_annotations_init(struct tp_annotations *a, struct tp_interned *interned, struct tp_sink *sink)
{
    static const char *const names[TP_WATCHED_COUNT] = {[TP_WATCHED_SYNC] = "cuda_sync_kind",
                                                        [TP_WATCHED_THREAD] = "thread",
                                                        [TP_WATCHED_CORRELATION] = "corr_id",
                                                        [TP_WATCHED_BYTES] = "copy_bytes",
                                                        [TP_WATCHED_SOURCE] = "src_agent"};
    *a = (struct tp_annotations){.interned = interned, .sink = sink};
    tp_value_cache_init(&a->nested, sink);
    for (int i = 0; i < TP_WATCHED_COUNT; i++)
        a->watched[i].name = tp_interned_add_text(interned, tp_str_of(names[i]));
}

/* ---- names ---- */

static uint32_t name_of(struct tp_interned *interned, const struct tp_sequence *sequence,
                        const struct annotation *annotation)
{
    if (annotation->name.ptr)
        return tp_interned_add_next(interned, annotation->name);
    return tp_interned_get(interned, sequence, TP_INTERNED_ANNOTATION_NAMES, annotation->name_iid);
}

uint32_t tp_annotations_name(struct tp_interned *interned, const struct tp_sequence *sequence, struct tp_str message)
{
    struct annotation annotation;
    return read_annotation(message, &annotation) ? name_of(interned, sequence, &annotation) : TP_NO_ID;
}

struct tp_builder_key tp_annotations_key(struct tp_interned *interned, const struct tp_builder *builder, uint32_t text)
{
    if (text == TP_NO_ID)
        return (struct tp_builder_key){.text = TP_STR(""), .field = -1};
    struct tp_interned_text *details = tp_interned_details(interned, text);
    if (!details->has_key)
        details->key = tp_builder_key(builder, tp_interned_text(interned, text));
    details->has_key = true;
    return details->key;
}

/* ---- values ---- */

/* Appends a text as a JSON string; "null" becomes null. */
static void append_text(struct tp_buf *out, struct tp_str text)
{
    if (tp_str_equal(text, TP_STR("null")))
        tp_buf_puts(out, "null");
    else
        tp_put_string(out, text, TP_MAX_EVENT_BYTES);
}

/* Appends the text of field legacy_json_value, or the text as a string if it is no JSON. */
static void append_json(struct tp_buf *out, struct tp_str text)
{
    if (tp_put_is_json(text, TP_ANNOTATION_LEVELS))
        tp_buf_add(out, text.ptr, text.len);
    else
        append_text(out, text);
}

static void append_uint(struct tp_buf *out, uint64_t value)
{
    char *at = tp_put_at(out, TP_PUT_INT);
    if (at)
        tp_put_finish(out, tp_put_uint(at, value));
}

static void append_real(struct tp_buf *out, double value)
{
    char *at = tp_put_at(out, TP_PUT_REAL);
    if (at)
        tp_put_finish(out, tp_put_real(at, value));
}

/* Appends a value that is neither an object nor a list. */
static void append_scalar(struct tp_annotations *a, struct tp_buf *out, const struct tp_sequence *sequence,
                          const struct tp_wire_field *value)
{
    switch (value->number) {
    case FIELD_BOOL:
        tp_buf_puts(out, value->value ? "true" : "false");
        break;
    case FIELD_UINT:
    case FIELD_POINTER:
        append_uint(out, value->value);
        break;
    case FIELD_INT:
        tp_buf_int(out, (int64_t)value->value);
        break;
    case FIELD_DOUBLE:
        append_real(out, tp_wire_real(value));
        break;
    case FIELD_STRING:
        append_text(out, value->bytes);
        break;
    case FIELD_JSON:
        append_json(out, value->bytes);
        break;
    case FIELD_STRING_IID: {
        uint32_t text = tp_interned_get(a->interned, sequence, TP_INTERNED_STRINGS, value->value);
        a->has_iids = true;
        if (text == TP_NO_ID)
            tp_buf_puts(out, "null");
        else
            append_text(out, tp_interned_text(a->interned, text));
        break;
    }
    default:
        tp_buf_puts(out, "[]"); /* an annotation without a value */
    }
}

/* A list or an object whose members are being written. */
struct level {
    struct tp_wire members;
    uint32_t field; /* FIELD_DICT or FIELD_ARRAY */
    bool has_member;
};

/* Opens a list or an object. Its members are all fields of `message` with the number of the value. */
static void open_level(struct level *level, struct tp_buf *out, struct tp_str message, uint32_t field)
{
    *level = (struct level){.members = tp_wire_of(message), .field = field};
    tp_buf_putc(out, field == FIELD_DICT ? '{' : '[');
}

/* Finds the next member of a list or object. */
static bool next_member(struct level *level, struct tp_wire_field *member)
{
    while (tp_wire_next(&level->members, member))
        if (tp_wire_is(member, level->field, TP_WIRE_BYTES))
            return true;
    return false;
}

static void append_member_name(struct tp_annotations *a, struct tp_buf *out, const struct tp_sequence *sequence,
                               const struct annotation *annotation)
{
    uint32_t name = name_of(a->interned, sequence, annotation);
    a->has_iids |= !annotation->name.ptr;
    tp_put_string(out, name == TP_NO_ID ? TP_STR("") : tp_interned_text(a->interned, name), TP_MAX_NAME_BYTES);
    tp_buf_putc(out, ':');
}

/* Appends a list or an object with all levels below it. Returns false if a message is broken. */
static bool append_nested(struct tp_annotations *a, struct tp_buf *out, const struct tp_sequence *sequence,
                          struct tp_str message, uint32_t field)
{
    struct level levels[TP_ANNOTATION_LEVELS];
    unsigned depth = 1;
    struct annotation annotation;
    struct tp_wire_field member;
    bool is_too_deep = false;
    open_level(&levels[0], out, message, field);
    while (depth > 0 && !out->failed) {
        struct level *level = &levels[depth - 1];
        if (!next_member(level, &member)) {
            tp_buf_putc(out, level->field == FIELD_DICT ? '}' : ']');
            depth--;
            continue;
        }
        if (!read_annotation(member.bytes, &annotation))
            return false;
        tp_buf_puts(out, level->has_member ? "," : "");
        level->has_member = true;
        if (level->field == FIELD_DICT)
            append_member_name(a, out, sequence, &annotation);
        bool is_nested = annotation.value.number == FIELD_DICT || annotation.value.number == FIELD_ARRAY;
        if (!is_nested) {
            append_scalar(a, out, sequence, &annotation.value);
        } else if (depth < TP_ANNOTATION_LEVELS) {
            open_level(&levels[depth++], out, member.bytes, annotation.value.number);
        } else {
            tp_buf_puts(out, "\"[too deep]\"");
            is_too_deep = true;
        }
    }
    a->too_deep_count += is_too_deep;
    return true;
}

/* Adds an interned text as an argument, without writing it again. Returns false if the text is missing. */
static bool add_interned_text(struct tp_annotations *a, struct tp_builder *builder, const struct tp_sequence *sequence,
                              const struct tp_builder_key *key, uint64_t iid)
{
    uint32_t text = tp_interned_get(a->interned, sequence, TP_INTERNED_STRINGS, iid);
    if (text == TP_NO_ID)
        return false;
    struct tp_interned_text *details = tp_interned_details(a->interned, text);
    bool is_stack = key->field == TP_ARG_CALL_STACK;
    uint32_t *id = is_stack ? &details->stack : &details->value;
    if (!details->json.ptr) {
        size_t from = builder->tokens.size;
        append_text(&builder->tokens, tp_interned_text(a->interned, text));
        tp_buf_add(&builder->tokens, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 15);
        if (builder->tokens.failed)
            return false;
        size_t size = builder->tokens.size - from;
        details->json =
            (struct tp_str){tp_arena_copy(a->sink->trace->arena, builder->tokens.data + from, size), size - 15};
        builder->tokens.size = from;
    }
    bool is_string = details->json.ptr[0] == '"';
    struct tp_str content = {details->json.ptr + 1, details->json.len - 2 * (size_t)is_string};
    if (*id == TP_NO_ID && is_string && is_stack && tp_stack_has_frames(content))
        *id = tp_interner_add(&a->sink->stacks, content)->id;
    else if (*id == TP_NO_ID && is_string && !is_stack)
        *id = tp_interner_add(&a->sink->values, details->json)->id;
    tp_builder_add_known_arg(builder, key, details->json, *id);
    return true;
}

/* Adds a list or an object as an argument, from the cache if the same bytes were written before. Returns false if a
 * message is broken. */
static bool add_nested(struct tp_annotations *a, struct tp_builder *builder, const struct tp_sequence *sequence,
                       const struct tp_builder_key *key, struct tp_str message, uint32_t field)
{
    bool is_interned =
        key->field == TP_ARG_INPUT_DIMS || key->field == TP_ARG_INPUT_TYPE || key->field == TP_ARG_INPUT_DIMS_OLD;
    struct tp_cached_value *cached = key->field >= 0 ? tp_value_cache_find(&a->nested, message) : NULL;
    if (cached && cached->json.ptr &&
        (cached->generation == TP_NO_ID ||
         (cached->generation == sequence->generation && cached->version == a->interned->version))) {
        tp_builder_add_known_arg(builder, key, cached->json, cached->id);
        return true;
    }
    size_t from = tp_builder_value_start(builder);
    uint64_t too_deep = a->too_deep_count;
    a->has_iids = false;
    if (!append_nested(a, &builder->tokens, sequence, message, field))
        return false;
    if (!cached || builder->tokens.failed || a->too_deep_count != too_deep) {
        tp_builder_add_arg(builder, key, from);
        return true;
    }
    tp_cached_value_set(&a->nested, cached, (struct tp_str){builder->tokens.data + from, builder->tokens.size - from},
                        is_interned);
    builder->tokens.size = from;
    cached->generation = a->has_iids ? sequence->generation : TP_NO_ID;
    cached->version = a->interned->version;
    tp_builder_add_known_arg(builder, key, cached->json, cached->id);
    return true;
}

bool tp_annotations_add(struct tp_annotations *a, struct tp_builder *builder, const struct tp_sequence *sequence,
                        struct tp_str message)
{
    struct annotation annotation;
    if (!read_annotation(message, &annotation))
        return false;
    uint32_t name = name_of(a->interned, sequence, &annotation), field = annotation.value.number;
    const struct tp_builder_key key = tp_annotations_key(a->interned, builder, name);
    for (int i = 0; i < TP_WATCHED_COUNT && name <= a->watched[TP_WATCHED_COUNT - 1].name; i++)
        if (name == a->watched[i].name) {
            a->watched[i].is_there = true;
            a->watched[i].value = annotation.value.value;
            a->watched[i].text = annotation.value.bytes;
        }
    bool is_needed = key.field >= 0 || (builder->wants_args_text && !key.is_profiler_arg);
    if (!is_needed)
        return true;
    if (field == FIELD_STRING_IID && add_interned_text(a, builder, sequence, &key, annotation.value.value))
        return true;
    uint64_t value = annotation.value.value;
    if (field == FIELD_INT || (field == FIELD_UINT && value <= INT64_MAX)) {
        tp_builder_add_number(builder, &key, (int64_t)value);
        return true;
    }
    if (field == FIELD_DICT || field == FIELD_ARRAY)
        return add_nested(a, builder, sequence, &key, message, field);
    size_t from = tp_builder_value_start(builder);
    append_scalar(a, &builder->tokens, sequence, &annotation.value);
    tp_builder_add_arg(builder, &key, from);
    return true;
}
