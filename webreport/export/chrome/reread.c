/* Reads a trace again: see reread.h. */
#include "webreport/export/chrome/reread.h"

#include <string.h>

/* Wraps a visitor and stores its result, because a failure of the visitor (such as a full disk) is not a fault of the
 * input. */
struct watched {
    const struct tp_visitor *visitor;
    int code; /* result of the visitor; negative if it failed */
};

static int forward_member(void *context, struct tp_str key, struct tp_str value, struct tp_error *err)
{
    struct watched *w = context;
    return w->code = w->visitor->member(w->visitor->context, key, value, err);
}

static int forward_list(void *context, bool is_bare, struct tp_error *err)
{
    struct watched *w = context;
    return w->code = w->visitor->list(w->visitor->context, is_bare, err);
}

static int forward_event(void *context, const struct tp_event_text *event, struct tp_error *err)
{
    struct watched *w = context;
    return w->code = w->visitor->event(w->visitor->context, event, err);
}

/* Visits the file. If the file is not a trace or cannot be opened, returns TP_ENOTFOUND, which marks an unusable
 * input. */
static int visit_events_of_file(const struct tp_export *export, struct tp_arena *arena,
                                const struct tp_trace_options *read, const struct tp_visitor *visitor,
                                struct tp_reading *reading, struct tp_error *err)
{
    struct watched watched = {.visitor = visitor};
    const struct tp_visitor watch = {
        .context = &watched, .member = forward_member, .list = forward_list, .event = forward_event};
    int code = tp_trace_visit(export->path, arena, read, &watch, reading, err);
    return watched.code >= 0 && (code == TP_EIO || code == TP_EFORMAT) ? TP_ENOTFOUND : code;
}

int tp_export_reread_trace(const struct tp_export *export, struct tp_arena *arena, const struct tp_visitor *visitor,
                           struct tp_error *err)
{
    const struct tp_reading *first = export->reading;
    struct tp_reading second;
    int code = visit_events_of_file(export, arena, export->read, visitor, &second, err);
    if (code < 0)
        return code;
    bool is_same = first->text_bytes == second.text_bytes &&
                   (export->is_part || first->element_count == second.element_count) &&
                   strcmp(first->file_sha256, second.file_sha256) == 0;
    /* is_same is false if another program replaced the file, or is still writing to it */
    return is_same ? TP_OK : tp_error_set(err, TP_ENOTFOUND, 0, "the file changed while it was read");
}

int tp_export_read_trace(const struct tp_export *export, struct tp_arena *arena, const struct tp_visitor *visitor,
                         struct tp_error *err)
{
    struct tp_trace_options read = *export->read;
    read.skips_hash = true;
    return visit_events_of_file(export, arena, &read, visitor, export->reading, err);
}
