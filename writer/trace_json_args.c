/* Writes the arguments of an event, with a table of keys and a table of functions by type: see trace_json.h. */
#include "writer/trace_json_part.h"

#define KEY(text) TP_STR("\"" text "\":")

static const struct tp_str keys[TP_OUT_KEY_COUNT] = {
    [TP_OUT_EXTERNAL_ID] = KEY("External id"),
    [TP_OUT_RECORD_FUNCTION_ID] = KEY("Record function id"),
    [TP_OUT_SEQUENCE_NUMBER] = KEY("Sequence number"),
    [TP_OUT_FWD_THREAD_ID] = KEY("Fwd thread id"),
    [TP_OUT_CONCRETE_INPUTS] = KEY("Concrete Inputs"),
    [TP_OUT_INPUT_DIMS] = KEY("Input Dims"),
    [TP_OUT_INPUT_TYPE] = KEY("Input type"),
    [TP_OUT_INPUT_STRIDES] = KEY("Input Strides"),
    [TP_OUT_CALL_STACK] = KEY("Call stack"),
    [TP_OUT_MODULE_HIERARCHY] = KEY("Module Hierarchy"),
    [TP_OUT_FLOPS] = KEY("flops"),
    [TP_OUT_BYTES] = KEY("bytes"),
    [TP_OUT_PYTHON_ID] = KEY("Python id"),
    [TP_OUT_PYTHON_PARENT_ID] = KEY("Python parent id"),
    [TP_OUT_PYTHON_MODULE_ID] = KEY("Python module id"),
    [TP_OUT_PYTHON_THREAD] = KEY("Python thread"),
    [TP_OUT_FINISHED] = KEY("finished"),
    [TP_OUT_CBID] = KEY("cbid"),
    [TP_OUT_CORRELATION] = KEY("correlation"),
    [TP_OUT_DEVICE] = KEY("device"),
    [TP_OUT_CONTEXT] = KEY("context"),
    [TP_OUT_STREAM] = KEY("stream"),
    [TP_OUT_QUEUED] = KEY("queued"),
    [TP_OUT_REGISTERS] = KEY("registers per thread"),
    [TP_OUT_SHARED_MEMORY] = KEY("shared memory"),
    [TP_OUT_BLOCKS_PER_SM] = KEY("blocks per SM"),
    [TP_OUT_WARPS_PER_SM] = KEY("warps per SM"),
    [TP_OUT_GRID] = KEY("grid"),
    [TP_OUT_BLOCK] = KEY("block"),
    [TP_OUT_OCCUPANCY] = KEY("est. achieved occupancy %"),
    [TP_OUT_BANDWIDTH] = KEY("memory bandwidth (GB/s)"),
    [TP_OUT_GRAPH_ID] = KEY("graph id"),
    [TP_OUT_GRAPH_NODE_ID] = KEY("graph node id"),
    [TP_OUT_SYNC_KIND] = KEY("cuda_sync_kind"),
    [TP_OUT_WAIT_STREAM] = KEY("wait_on_stream"),
    [TP_OUT_WAIT_CORRELATION] = KEY("wait_on_cuda_event_record_corr_id"),
    [TP_OUT_WAIT_EVENT] = KEY("wait_on_cuda_event_id"),
    [TP_OUT_COLLECTIVE] = KEY("Collective name"),
    [TP_OUT_DTYPE] = KEY("dtype"),
    [TP_OUT_IN_COUNT] = KEY("In msg nelems"),
    [TP_OUT_OUT_COUNT] = KEY("Out msg nelems"),
    [TP_OUT_GROUP_SIZE] = KEY("Group size"),
    [TP_OUT_GROUP_NAME] = KEY("Process Group Name"),
    [TP_OUT_GROUP_DESCRIPTION] = KEY("Process Group Description"),
    [TP_OUT_GROUP_RANKS] = KEY("Process Group Ranks"),
    [TP_OUT_GROUP_SEQUENCE] = KEY("Seq"),
    [TP_OUT_CPU_NS] = KEY("cpu ns"),
    /* only the writer itself uses the key "Ev Idx"; an argument with TP_OUT_NAMED has its own name */
    [TP_OUT_NAMED] = KEY("Ev Idx"),
};

static void put_int(struct tp_trace_out *out, const struct tp_trace_out_arg *arg)
{
    char *at = tp_put_at(&out->text, TP_PUT_INT);
    if (at)
        tp_put_finish(&out->text, tp_put_int(at, arg->value.integer));
}

static void put_real(struct tp_trace_out *out, const struct tp_trace_out_arg *arg)
{
    char *at = tp_put_at(&out->text, TP_PUT_REAL);
    if (at)
        tp_put_finish(&out->text, tp_put_real(at, arg->value.real));
}

static void put_bool(struct tp_trace_out *out, const struct tp_trace_out_arg *arg)
{
    tp_buf_puts(&out->text, arg->value.is_true ? "true" : "false");
}

static void put_text(struct tp_trace_out *out, const struct tp_trace_out_arg *arg)
{
    tp_trace_out_string(out, arg->value.text, TP_MAX_OUT_TEXT_BYTES);
}

static void put_texts(struct tp_trace_out *out, const struct tp_trace_out_arg *arg)
{
    tp_put_char(&out->text, '[');
    for (size_t i = 0; i < arg->value.texts.count && !out->text.failed; i++) {
        if (i)
            tp_put_char(&out->text, ',');
        tp_trace_out_string(out, arg->value.texts.items[i], TP_MAX_OUT_TEXT_BYTES);
    }
    tp_put_char(&out->text, ']');
}

static void put_list(struct tp_trace_out *out, struct tp_trace_out_ints list)
{
    size_t most = list.count <= TP_MAX_OUT_TEXT_BYTES ? list.count : TP_MAX_OUT_TEXT_BYTES;
    char *at = tp_put_at(&out->text, most * (TP_PUT_INT + 1) + 2);
    if (!at)
        return;
    *at++ = '[';
    for (size_t i = 0; i < most; i++) {
        if (i)
            *at++ = ',';
        at = tp_put_int(at, list.items[i]);
    }
    *at++ = ']';
    out->stats.cut_count += most < list.count;
    tp_put_finish(&out->text, at);
}

static void put_ints(struct tp_trace_out *out, const struct tp_trace_out_arg *arg)
{
    put_list(out, arg->value.ints);
}

static void put_shapes(struct tp_trace_out *out, const struct tp_trace_out_arg *arg)
{
    tp_put_char(&out->text, '[');
    for (size_t i = 0; i < arg->value.shapes.count && !out->text.failed; i++) {
        if (i)
            tp_put_char(&out->text, ',');
        put_list(out, arg->value.shapes.items[i]);
    }
    tp_put_char(&out->text, ']');
}

static void put_json(struct tp_trace_out *out, const struct tp_trace_out_arg *arg)
{
    tp_trace_out_json(out, arg->value.text);
}

static void (*const put_value[])(struct tp_trace_out *, const struct tp_trace_out_arg *) = {
    [TP_OUT_INT] = put_int,     [TP_OUT_REAL] = put_real, [TP_OUT_BOOL] = put_bool,     [TP_OUT_TEXT] = put_text,
    [TP_OUT_TEXTS] = put_texts, [TP_OUT_INTS] = put_ints, [TP_OUT_SHAPES] = put_shapes, [TP_OUT_JSON] = put_json,
};

void tp_trace_out_json(struct tp_trace_out *out, struct tp_str text)
{
    if (text.len > TP_MAX_HEADER_BYTES || !tp_put_is_json(text, TP_MAX_DEPTH / 2)) {
        tp_trace_out_string(out, text, TP_MAX_OUT_TEXT_BYTES);
        return;
    }
    /* removes line breaks, which occur in valid JSON only between tokens */
    for (size_t from = 0, i = 0; i <= text.len; i++) {
        if (i < text.len && text.ptr[i] != '\n' && text.ptr[i] != '\r')
            continue;
        tp_buf_add(&out->text, text.ptr + from, i - from);
        from = i + 1;
    }
}

/* Returns whether a caller's key is a key of the format, or could be mistaken for a key that the writer has renamed. */
static bool is_reserved_key(struct tp_str name)
{
    if (tp_str_starts(name, "user "))
        return true;
    for (size_t i = 0; i < TP_OUT_KEY_COUNT; i++)
        if (keys[i].len == name.len + 3 && memcmp(keys[i].ptr + 1, name.ptr, name.len) == 0)
            return true;
    return false;
}

static bool is_repeated_name(const struct tp_trace_out_arg *args, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (args[i].key == TP_OUT_NAMED && tp_str_equal(args[i].name, args[at].name))
            return true;
    return false;
}

static void put_key(struct tp_buf *text, struct tp_str key, bool needs_comma)
{
    char *at = tp_put_at(text, key.len + 1);
    if (!at)
        return;
    if (needs_comma)
        *at++ = ',';
    tp_put_finish(text, tp_put_bytes(at, key.ptr, key.len));
}

static void put_name(struct tp_trace_out *out, struct tp_str name, bool needs_comma)
{
    char both[sizeof "user " + 255];
    if (needs_comma)
        tp_put_char(&out->text, ',');
    if (name.len < 256 && name.ptr && is_reserved_key(name)) {
        memcpy(both, "user ", 5);
        memcpy(both + 5, name.ptr, name.len);
        name = (struct tp_str){both, name.len + 5};
    }
    tp_trace_out_string(out, name, TP_MAX_NAME_BYTES);
    tp_put_char(&out->text, ':');
}

void tp_trace_out_args(struct tp_trace_out *out, const struct tp_trace_out_arg *args, size_t count, bool has_index)
{
    struct tp_buf *text = &out->text;
    bool needs_comma = false;
    if (!count && !has_index)
        return;
    TP_OUT_PUTS(out, ",\"args\":{");
    for (size_t i = 0; i < count && i < TP_MAX_OUT_ARGS && !text->failed; i++) {
        bool is_named = args[i].key == TP_OUT_NAMED;
        if ((unsigned)args[i].key >= TP_OUT_KEY_COUNT || (is_named && is_repeated_name(args, i)))
            continue;
        if (is_named)
            put_name(out, args[i].name, needs_comma);
        else
            put_key(text, keys[args[i].key], needs_comma);
        needs_comma = true;
        put_value[args[i].type](out, &args[i]);
    }
    if (has_index) {
        char *at = tp_put_at(text, 16 + TP_PUT_INT);
        if (!at)
            return;
        if (needs_comma)
            *at++ = ',';
        at = TP_PUT_TEXT(at, "\"Ev Idx\":");
        tp_put_finish(text, tp_put_uint(at, out->event_index));
    }
    tp_put_char(text, '}');
}

/* ---- for a receiver ---- */

/* Returns the text in out->text, followed by TP_OUT_PAD zero bytes, so that a scanner may read beyond the end of the
 * text. */
static struct tp_str text_with_readable_padding(struct tp_trace_out *out)
{
    size_t size = out->text.size;
    char *pad = tp_put_at(&out->text, TP_OUT_PAD);
    if (!pad) {
        out->failed = TP_ENOMEM;
        return TP_STR("");
    }
    memset(pad, 0, TP_OUT_PAD);
    return (struct tp_str){out->text.data, size};
}

struct tp_str tp_trace_out_value_text(struct tp_trace_out *out, const struct tp_trace_out_arg *arg)
{
    tp_buf_clear(&out->text);
    put_value[arg->type](out, arg);
    return text_with_readable_padding(out);
}

struct tp_str tp_trace_out_key_text(struct tp_trace_out *out, const struct tp_trace_out_arg *arg)
{
    /* bytes around a key: two quotes and a colon */
    enum { QUOTES = 3 };
    tp_buf_clear(&out->text);
    if (arg->key == TP_OUT_NAMED)
        put_name(out, arg->name, false);
    else
        put_key(&out->text, keys[arg->key], false);
    struct tp_str text = text_with_readable_padding(out);
    return text.len < QUOTES ? TP_STR("") : (struct tp_str){text.ptr + 1, text.len - QUOTES};
}
