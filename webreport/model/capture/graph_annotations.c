/* Reads annotations of graph kernels: see graph_annotations.h. */
#include "webreport/model/capture/graph_annotations.h"

#include "webreport/model/capture/parts.h"
#include "webreport/trace/json/clean.h"
#include "webreport/trace/json/value.h"
#include "writer/base/id_map.h"
#include "writer/base/utf8.h"

enum { MOST_BYTES = 256 };

struct label {
    size_t size;
    char bytes[MOST_BYTES];
};

/* Appends a scope to the label, after a slash. Cuts labels that are too long. */
static void append_scope(struct label *label, struct tp_str scope)
{
    size_t left = sizeof label->bytes - label->size;
    if (label->size && left)
        label->bytes[label->size++] = '/', left--;
    size_t size = tp_utf8_fitting_bytes(scope.ptr, scope.len, left);
    memcpy(label->bytes + label->size, scope.ptr, size);
    label->size += size;
}

/* Appends one entry of an annotation: a text, or the name of an object. */
static void append_entry(struct label *label, struct tp_str json, struct tp_arena *arena)
{
    if (!tp_value_starts_with(json, '{')) {
        append_scope(label, tp_value_text(arena, json));
        return;
    }
    struct tp_str name = {NULL, 0};
    for (unsigned i = 0; i < TP_SCOPE_NAMES && !name.ptr; i++)
        name = tp_value_member(json, tp_scope_names[i]);
    if (name.ptr)
        append_scope(label, tp_value_text(arena, name));
}

/* Returns a text without the white space between values if it is a list or an object; otherwise the text itself. */
static struct tp_str compact_json(struct tp_str text, struct tp_arena *arena)
{
    struct tp_buf out;
    if (!tp_value_starts_with(text, '[') && !tp_value_starts_with(text, '{'))
        return text;
    tp_buf_init(&out, 0);
    tp_clean_value(&out, text);
    int failed = out.failed;
    struct tp_str compact = {failed ? NULL : tp_arena_copy(arena, out.data ? out.data : "", out.size), out.size};
    tp_buf_release(&out);
    if (failed)
        tp_arena_fail(arena, failed);
    return compact;
}

/* Appends an annotation: a text, or a list or object, which may be written as a text. */
static void append_annotation(struct label *label, struct tp_str json, struct tp_arena *arena)
{
    struct tp_str text = json, item;
    if (tp_value_starts_with(json, '"'))
        text = compact_json(tp_value_text(arena, json), arena);
    if (!tp_value_starts_with(text, '[')) {
        append_entry(label, tp_value_starts_with(text, '{') ? text : json, arena);
        return;
    }
    for (size_t at = 0; tp_value_next(text, &at, NULL, &item);)
        append_entry(label, item, arena);
}

/* Returns the arguments of an annotated device operation; NULL without an annotation. */
static const struct tp_capture_argument *find_annotation(const struct tp_model *model, uint32_t device)
{
    const struct tp_trace *trace = model->trace;
    const struct tp_capture_argument *found =
        trace->capture.argument_count ? tp_capture_argument_of(trace, model->devices.event[device]) : NULL;
    return found && (found->annotation != TP_NO_ID || found->scope != TP_NO_ID) ? found : NULL;
}

uint64_t tp_graph_annotation_number(const struct tp_model *model, uint32_t device)
{
    const struct tp_capture_argument *found = find_annotation(model, device);
    return found ? tp_id_pair(found->annotation + 1, found->scope + 1) : 0; /* TP_NO_ID + 1 is 0 */
}

struct tp_str tp_graph_annotation(const struct tp_model *model, uint32_t device, struct tp_arena *arena)
{
    const struct tp_trace *trace = model->trace;
    const struct tp_capture_argument *found = find_annotation(model, device);
    struct label label = {.size = 0};
    if (!found)
        return (struct tp_str){NULL, 0};
    if (found->annotation != TP_NO_ID)
        append_annotation(&label, tp_strings_get(&trace->values, found->annotation), arena);
    if (found->scope != TP_NO_ID)
        append_scope(&label, tp_value_text(arena, tp_strings_get(&trace->values, found->scope)));
    return label.size ? (struct tp_str){tp_arena_copy(arena, label.bytes, label.size), label.size}
                      : (struct tp_str){NULL, 0};
}
