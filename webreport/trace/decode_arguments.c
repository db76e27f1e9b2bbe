/* Decodes the arguments that the program itself gave to ranges and moments: see decode.h. Few events have such
 * arguments, so only their texts are scanned a second time. */
#include "webreport/trace/decode_parts.h"

#include "webreport/trace/argument_lines.h"

struct tp_str tp_element_args_text(struct tp_str text)
{
    struct tp_scan scan = tp_scan_members(text);
    struct tp_str key, value, args = {NULL, 0};
    while (tp_scan_member(&scan, &key, &value))
        if (tp_str_equal(key, TP_STR("args")))
            args = value.ptr[0] == '{' ? value : (struct tp_str){NULL, 0};
    return args;
}

static struct tp_argument_text read_argument_text(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_str args = tp_element_args_text(e->text), key, value;
    struct tp_scan scan = tp_scan_members(args);
    struct tp_argument_lines lines = TP_ARGUMENT_LINES(&d->argument_text);
    tp_buf_clear(&d->argument_text);
    while (tp_scan_member(&scan, &key, &value))
        tp_argument_lines_add(&lines, key, value);
    return tp_argument_lines_intern(d->sink, &lines);
}

void tp_decode_arguments(struct tp_decoder *d, const struct tp_element *e)
{
    tp_sink_add_argument(d->sink, read_argument_text(d, e));
}

void tp_decode_moment(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_moment moment = {.name = e->name_id, .text = {TP_NO_ID, TP_NO_ID}};
    if (!e->has_name || tp_element_time(d, e, TP_FIELD_TS, &moment.ts_ns) != TP_NUMBER_OK)
        return;
    moment.thread = tp_element_thread(d, e);
    if (e->spans->has_own_args)
        moment.text = read_argument_text(d, e);
    tp_sink_add_moment(d->sink, &moment);
}
