/* Reads the arguments of events from the trace file: see export_args.h. */
#include "webreport/export/rows/export_args.h"

#include "webreport/export/chrome/reread.h"
#include "webreport/trace/feed.h"
#include "webreport/trace/json/clean.h"
#include "webreport/trace/json/strict.h"
#include "writer/base/limits.h"

const struct tp_args_column tp_args_columns[3] = {
    {"event_id", "id of the event in the table 'events'"},
    {"key", "name of the argument as recorded"},
    {"value", "value of the argument: a number, a text, or JSON if the value is a list or an object"},
};

/* ---- the arguments of an event ---- */

void tp_args_init(struct tp_args *args)
{
    tp_scan_init(&args->scan);
    tp_buf_init(&args->key, 0);
    tp_buf_init(&args->text, 0);
}

void tp_args_release(struct tp_args *args)
{
    tp_buf_release(&args->key);
    tp_buf_release(&args->text);
}

void tp_args_begin(struct tp_args *args, struct tp_str text)
{
    args->scan.at = text.ptr;
    args->scan.end = text.ptr + text.len;
}

/* Decodes the escapes of a JSON string. A string without escapes, the usual case, is returned unchanged. */
static struct tp_str unescape_text(struct tp_buf *buf, struct tp_str content)
{
    if (tp_clean_is_plain(content))
        return content;
    tp_buf_clear(buf);
    tp_clean_string(buf, content, TP_MAX_EVENT_BYTES);
    return (struct tp_str){buf->size ? buf->data : "", buf->size};
}

bool tp_args_next(struct tp_args *args, struct tp_arg *arg)
{
    struct tp_str key, value;
    if (!tp_scan_member(&args->scan, &key, &value))
        return false;
    arg->key = unescape_text(&args->key, key);
    arg->is_text = value.ptr[0] == '"';
    if (arg->is_text)
        value = unescape_text(&args->text, (struct tp_str){value.ptr + 1, value.len - 2});
    arg->text = !arg->is_text && value.ptr[0] == 'n' ? (struct tp_str){NULL, 0} : value;
    return true;
}

/* ---- all events ---- */

struct walking {
    const struct tp_export *export;
    struct tp_arena *arena;
    uint32_t next; /* index of the next event in the trace; events are in the order of the file */
    struct tp_scan scan;
    struct tp_buf clean;
    tp_args_receiver *take;
    void *context;
};

/* Returns the value of the last member "args" that is an object; ptr NULL if the element has none. */
static struct tp_str event_args(struct walking *w, const struct tp_event_text *event)
{
    struct tp_str key, value, args = {NULL, 0};
    w->scan.at = event->text.ptr;
    w->scan.end = event->text.ptr + event->text.len;
    w->scan.is_lenient = event->is_repaired;
    while (tp_scan_member(&w->scan, &key, &value))
        if (tp_str_equal(key, TP_STR("args")) && value.ptr[0] == '{')
            args = value;
    return args;
}

static int visit_arguments_of_event(void *context, const struct tp_event_text *event, struct tp_error *err)
{
    struct walking *w = context;
    const struct tp_trace *trace = w->export->profile->trace;
    while (w->next < trace->event_count && trace->events[w->next].ordinal < event->ordinal)
        w->next++;
    if (!event->spans || w->next == trace->event_count || trace->events[w->next].ordinal != event->ordinal)
        return TP_OK;
    struct tp_str args = event_args(w, event);
    if (!args.ptr)
        return TP_OK;
    if (!tp_strict_is_json(args)) {
        tp_buf_clear(&w->clean);
        tp_clean_value(&w->clean, args);
        tp_feed_pad(&w->clean);
        if (w->clean.failed)
            return tp_error_set(err, w->clean.failed, 0, "out of memory");
        args = (struct tp_str){w->clean.data, w->clean.size};
    }
    return args.ptr[0] == '{' ? w->take(w->context, w->next, args, err) : TP_OK;
}

static int ignore_member(void *context, struct tp_str key, struct tp_str value, struct tp_error *err)
{
    (void)context, (void)key, (void)value, (void)err;
    return TP_OK;
}

static int begin_list(void *context, bool is_bare, struct tp_error *err)
{
    (void)context, (void)is_bare, (void)err;
    return TP_OK;
}

static int visit_all_events(void *context, struct tp_error *err)
{
    struct walking *w = context;
    const struct tp_visitor visitor = {
        .context = w, .member = ignore_member, .list = begin_list, .event = visit_arguments_of_event};
    int code = tp_export_reread_trace(w->export, w->arena, &visitor, err);
    return code == TP_EUNSUPPORTED ? TP_OK : code; /* only traces in JSON have the text of arguments */
}

int tp_args_visit_all(const struct tp_export *export, struct tp_arena *arena, tp_args_receiver *take, void *context,
                      struct tp_error *err)
{
    struct walking w = {.export = export, .arena = arena, .take = take, .context = context};
    tp_scan_init(&w.scan);
    tp_buf_init(&w.clean, 0);
    /* runs with a guard, so that `w.clean`, which is not in the arena, is released even after a failed allocation */

    int code = tp_arena_run(arena, visit_all_events, &w, err);
    tp_buf_release(&w.clean);
    return code;
}
