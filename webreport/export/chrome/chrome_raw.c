/* Copies a trace, or a part of a trace, for export --to chrome. The selected elements keep their bytes and their order;
 * only text that is not JSON is repaired (raw_text.h). The trace in memory decides which elements are selected, and a
 * second pass over the file provides their text. */
#include "webreport/export/chrome/raw_filter.h"
#include "webreport/export/chrome/raw_flows.h"
#include "webreport/export/chrome/raw_text.h"
#include "webreport/export/chrome/reread.h"
#include "webreport/export/export_formats.h"
#include "writer/base/limits.h"
#include "writer/base/pack.h"

struct passing {
    const struct tp_export *export;
    struct tp_raw_filter filter;
    struct tp_raw_flows flows;
    enum tp_export_need needs;
    bool selects_part;
    struct tp_pack *pack;
    struct tp_buf text; /* text of the output that is not written yet */
    /* members of the trace after the first list of events; they are written last, because the file may contain further
     * lists of events */
    struct tp_buf behind;
    bool has_member, has_list, is_bare, has_element;
    bool is_usable; /* true: the output contains an event, and not only names of rows */
};

/* Writes the text if it fills a block. Returns 0, or a negative code that stops the reading because the output
 * failed. */
static int flush_unless_failed(struct passing *p, struct tp_error *err)
{
    int code = p->text.failed ? p->text.failed : p->behind.failed;
    if (code < 0)
        return tp_error_set(err, code, 0, code == TP_ELIMIT ? "a limit was reached" : "out of memory");
    if (p->text.size < TP_PACK_BLOCK)
        return TP_OK;
    tp_pack_write(p->pack, &p->text);
    /* the failure stops the reading without an error; tp_pack_close reports the error later */
    return tp_pack_error_code(p->pack);
}

static int copy_member(void *context, struct tp_str key, struct tp_str value, struct tp_error *err)
{
    struct passing *p = context;
    struct tp_buf *out = p->has_list ? &p->behind : &p->text;
    tp_buf_puts(out, p->has_list || p->has_member ? ",\n" : "{\n");
    p->has_member = true;
    tp_raw_text_put_member(out, key, value);
    return flush_unless_failed(p, err);
}

static int begin_list_of_events(void *context, bool is_bare, struct tp_error *err)
{
    struct passing *p = context;
    if (!p->has_list)
        tp_buf_puts(&p->text, is_bare ? "[" : p->has_member ? ",\n\"traceEvents\":[" : "{\n\"traceEvents\":[");
    p->has_list = true;
    p->is_bare = is_bare;
    return flush_unless_failed(p, err);
}

static void put_event(struct passing *p, const struct tp_event_text *event)
{
    size_t start = p->text.size;
    tp_buf_puts(&p->text, p->has_element ? ",\n" : "\n");
    if (tp_raw_text_put(&p->text, event))
        p->has_element = true;
    else
        p->text.size = start;
}

static int copy_event(void *context, const struct tp_event_text *event, struct tp_error *err)
{
    struct passing *p = context;
    struct tp_str first;
    p->is_usable |= event->spans && !tp_raw_filter_is_row_name(event);
    if (p->selects_part) {
        if (!tp_raw_filter_keeps(&p->filter, event))
            return TP_OK;
        if (tp_raw_flows_is_flow_element(event)) {
            if (!tp_raw_flows_add(&p->flows, event, &first))
                return TP_OK;
            if (first.len)
                put_event(p, &(struct tp_event_text){.text = first});
        }
    }
    put_event(p, event);
    return flush_unless_failed(p, err);
}

static int copy_trace(void *context, struct tp_error *err)
{
    struct passing *p = context;
    const struct tp_visitor visitor = {
        .context = p, .member = copy_member, .list = begin_list_of_events, .event = copy_event};
    bool is_first = p->needs == TP_EXPORT_NEEDS_NOTHING;
    int code = (is_first ? tp_export_read_trace : tp_export_reread_trace)(p->export, p->export->arena, &visitor, err);
    if (code < 0)
        return code == TP_EUNSUPPORTED ? TP_ENOTFOUND : code;
    if (!p->is_usable)
        return tp_error_set(err, TP_ENOTFOUND, 0, "nothing to export: no event in it");
    tp_buf_puts(&p->text, "\n]");
    tp_buf_add(&p->text, p->behind.data, p->behind.size);
    tp_buf_puts(&p->text, p->is_bare ? "\n" : "\n}\n");
    return flush_unless_failed(p, err);
}

static int write_file(struct passing *p, const char *path, struct tp_error *err)
{
    struct tp_pack_options options = {.is_gzip = true, .comment = TP_EXPORT_MARK};
    int code = tp_pack_open(&p->pack, path, &options, err);
    if (code < 0)
        return code;
    tp_buf_init(&p->text, 0);
    tp_buf_init(&p->behind, TP_MAX_TRAILING_MEMBER_BYTES);
    code = tp_arena_run(p->export->arena, copy_trace, p, err);
    bool is_full = tp_pack_error_code(p->pack) < 0;
    if (code == TP_OK)
        tp_pack_write(p->pack, &p->text);
    tp_buf_release(&p->text);
    tp_buf_release(&p->behind);
    if (code == TP_OK || is_full)
        return tp_pack_close(&p->pack, err);
    tp_pack_discard(&p->pack);
    return code;
}

enum tp_export_need tp_export_chrome_needs(const struct tp_export *export)
{
    if (export->is_slim || (export->filter && export->filter->has_steps))
        return TP_EXPORT_NEEDS_MODEL;
    bool takes_part = export->filter && tp_filter_selects_part(export->filter);
    return takes_part || export->read->is_strict ? TP_EXPORT_NEEDS_TRACE : TP_EXPORT_NEEDS_NOTHING;
}

static int find_part_for_filter(struct passing *p, struct tp_error *err)
{
    const struct tp_export *export = p->export;
    const struct tp_trace *trace = export->profile->trace;
    struct tp_model only = {.trace = trace, .arena = export->arena};
    struct tp_filter_trace kept;
    const struct tp_model *model = export->filter->has_steps ? export->profile->model : &only;
    int code = tp_filter_apply(&kept, export->filter, model, tp_filter_first_ns(trace), err);
    if (code < 0)
        return code;
    tp_raw_filter_init(&p->filter, &kept, trace, export->arena);
    if (export->filter->has_steps)
        tp_raw_filter_add_launched(&p->filter, model);
    tp_raw_flows_init(&p->flows, export->arena);
    return TP_OK;
}

int tp_export_chrome_raw(const struct tp_export *export, const char *path, struct tp_error *err)
{
    struct passing *p = tp_arena_alloc(export->arena, sizeof *p);
    if (export->is_part)
        return tp_error_set(err, TP_ENOTFOUND, 0,
                            "is a file of several ranks, and this format copies whole files: choose another format, or "
                            "--slim");
    p->export = export;
    p->needs = tp_export_chrome_needs(export);
    p->selects_part = export->filter && tp_filter_selects_part(export->filter);
    int code = p->selects_part ? find_part_for_filter(p, err) : TP_OK;
    if (code == TP_OK)
        code = write_file(p, path, err);
    if (p->selects_part)
        tp_raw_filter_release(&p->filter);
    return code;
}
