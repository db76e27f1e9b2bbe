/* Decodes the arguments that join graph kernels with captured calls, and the hashes of generated kernels: see
 * capture_arguments.h. Few events have them, so the text of the event is scanned a second time. */
#include "webreport/trace/decode_parts.h"

/* Returns the id of a name given as a JSON string; TP_NO_ID for other values. */
static uint32_t intern_name(struct tp_decoder *d, const struct tp_element *e, struct tp_str value)
{
    if (!tp_token_is_string(value) || value.len == 2)
        return TP_NO_ID;
    uint32_t id = tp_element_intern(d, e, &d->sink->names, tp_token_contents(value));
    tp_sink_classify_new_names(d->sink);
    return id;
}

static uint32_t intern_value(struct tp_decoder *d, const struct tp_element *e, struct tp_str value)
{
    return tp_token_is_null(value) ? TP_NO_ID : tp_element_intern(d, e, &d->sink->values, value);
}

/* Stores an argument of a call or an operator. */
static void read_host_argument(struct tp_decoder *d, const struct tp_element *e, struct tp_str key, struct tp_str value,
                               struct tp_capture_argument *found)
{
    if (tp_str_equal(key, TP_STR("kernel_hash")))
        found->hash = intern_value(d, e, value);
    else if (!d->sink->wants_captures)
        return;
    else if (tp_str_equal(key, TP_STR("kernel")) ||
             (tp_str_equal(key, TP_STR("kernel_name")) && found->kernel == TP_NO_ID))
        found->kernel = intern_name(d, e, value);
    else if (tp_str_equal(key, TP_STR("grid")))
        found->grid = intern_value(d, e, value);
    else if (tp_str_equal(key, TP_STR("block")))
        found->block = intern_value(d, e, value);
    else if (tp_str_equal(key, TP_STR("kernel_file")))
        found->file = intern_value(d, e, value);
}

const char *const tp_scope_names[TP_SCOPE_NAMES] = {"str", "name", "fqn"};

/* Stores an argument of a device operation. rank: position of the stored name of a scope in tp_scope_names. */
static void read_device_argument(struct tp_decoder *d, const struct tp_element *e, struct tp_str key,
                                 struct tp_str value, struct tp_capture_argument *found, unsigned *rank)
{
    int64_t node;
    if (tp_str_equal(key, TP_STR("graph node id")) && tp_number_parse_int(value, &node) == TP_NUMBER_OK && node)
        found->node = node;
    else if (tp_str_equal(key, TP_STR("annotation")))
        found->annotation = intern_value(d, e, value);
    for (unsigned i = 0; i < *rank; i++)
        if (tp_str_equal(key, tp_str_of(tp_scope_names[i]))) {
            found->scope = intern_value(d, e, value);
            *rank = i;
        }
}

void tp_decode_capture_arguments(struct tp_decoder *d, const struct tp_element *e, unsigned kind)
{
    unsigned rank = TP_SCOPE_NAMES;
    struct tp_capture_argument found = {.annotation = TP_NO_ID,
                                        .scope = TP_NO_ID,
                                        .kernel = TP_NO_ID,
                                        .grid = TP_NO_ID,
                                        .block = TP_NO_ID,
                                        .file = TP_NO_ID,
                                        .hash = TP_NO_ID,
                                        .node = TP_NULL_INT};
    bool is_host = kind == TP_KIND_RUNTIME || kind == TP_KIND_OPERATOR;
    if (!is_host && !tp_kind_is_device(kind))
        return;
    struct tp_str args = tp_element_args_text(e->text), key, value;
    struct tp_scan scan = tp_scan_members(args);
    while (tp_scan_member(&scan, &key, &value))
        if (is_host)
            read_host_argument(d, e, key, value, &found);
        else
            read_device_argument(d, e, key, value, &found, &rank);
    if (found.node == TP_NULL_INT)
        found.annotation = found.scope = TP_NO_ID; /* only kernels of graphs have annotations */
    tp_sink_add_capture_argument(d->sink, &found);
}
