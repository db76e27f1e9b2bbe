/* Writes ranges of a spool as slices of the trace: see spool_trace.c. */
#include "writer/spool/spool_trace_part.h"

/* Names of the values of enum tracepress_dtype, as in torch's "Input type". */
static const char *const dtype_names[] = {
    "",          "float", "double",   "c10::Half", "c10::BFloat16", "signed char", "unsigned char",
    "short int", "int",   "long int", "bool",      "Scalar"};

enum { DTYPES = sizeof dtype_names / sizeof *dtype_names, MAX_ARGS = TP_SPOOL_MARK_ARGS + 4 };

/* ---- operators ---- */

struct inputs {
    struct tp_trace_out_ints shapes[TP_SPOOL_MAX_INPUTS];
    struct tp_str types[TP_SPOOL_MAX_INPUTS];
    uint32_t count;
};

/* Reads at most `wanted` inputs that follow the operator's head. Reads fewer if the payload ends. */
static void read_operator_inputs(struct inputs *inputs, const struct tp_spool_record *record, uint32_t wanted)
{
    const char *at = tp_spool_payload(record) + sizeof(struct tp_spool_operator);
    const char *end = tp_spool_payload(record) + (size_t)record->slots * TP_SPOOL_SLOT;
    inputs->count = 0;
    while (inputs->count < wanted && inputs->count < TP_SPOOL_MAX_INPUTS && end - at >= TP_SPOOL_SLOT) {
        struct tp_spool_input head;
        memcpy(&head, at, sizeof head);
        at += TP_SPOOL_SLOT;
        if (head.rank > TP_SPOOL_MAX_RANK || (size_t)(end - at) < head.rank * sizeof(int64_t))
            return;
        const char *type = dtype_names[head.dtype < DTYPES ? head.dtype : 0];
        inputs->shapes[inputs->count].items = (const int64_t *)(const void *)at;
        inputs->shapes[inputs->count].count = head.rank;
        inputs->types[inputs->count++] = tp_str_of(type);
        at += (size_t)((head.rank + 1) / 2) * TP_SPOOL_SLOT;
    }
}

static void store_operator_for_arrow(struct tp_spool_conversion *c, const struct tp_spool_operator *op,
                                     const struct tp_spool_range *range, uint64_t tid)
{
    if (op->sequence != INT64_MIN)
        *(struct tp_spool_arrow *)tp_vec_push(&c->arrows) =
            (struct tp_spool_arrow){op->sequence, range->start_ns, tid, op->is_backward != 0};
}

/* Appends the arguments of an operator to `n` arguments and returns the new count. inputs: memory for the lists to
 * which the arguments point. */
static size_t add_operator_args(struct tp_spool_conversion *c, const struct tp_spool_range *range, uint64_t tid,
                                struct inputs *inputs, struct tp_trace_out_arg *args, size_t n)
{
    struct tp_spool_operator op;
    if ((size_t)range->record->slots * TP_SPOOL_SLOT < sizeof op)
        return n;
    memcpy(&op, tp_spool_payload(range->record), sizeof op);
    read_operator_inputs(inputs, range->record, op.input_count);
    if (op.sequence != INT64_MIN) {
        args[n++] = tp_trace_out_int_arg(TP_OUT_SEQUENCE_NUMBER, op.sequence);
        /* tested, because the thread id comes from the program and may have any value */
        bool has_thread = op.is_backward && op.forward_tid > 0;
        args[n++] = tp_trace_out_int_arg(TP_OUT_FWD_THREAD_ID, has_thread ? op.forward_tid : 0);
    }
    if (c->file->head.flags & TP_SPOOL_SHAPES && inputs->count) {
        args[n++] = tp_trace_out_shapes_arg(TP_OUT_INPUT_DIMS, inputs->shapes, inputs->count);
        args[n++] = tp_trace_out_texts_arg(TP_OUT_INPUT_TYPE, inputs->types, inputs->count);
    }
    if (c->file->head.flags & TP_SPOOL_FLOPS && op.flops != INT64_MIN)
        args[n++] = tp_trace_out_int_arg(TP_OUT_FLOPS, op.flops);
    if (op.bytes != INT64_MIN)
        args[n++] = tp_trace_out_int_arg(TP_OUT_BYTES, op.bytes);
    store_operator_for_arrow(c, &op, range, tid);
    return n;
}

/* ---- ranges ---- */

static const struct {
    enum tp_trace_out_category category;
    const char *prefix;
} forms[TP_SPOOL_KINDS] = {
    [TP_SPOOL_SCOPE] = {TP_OUT_USER_ANNOTATION, ""},     [TP_SPOOL_KIND_SCOPE] = {TP_OUT_USER_ANNOTATION, ""},
    [TP_SPOOL_OPERATOR] = {TP_OUT_CPU_OP, ""},           [TP_SPOOL_MODULE] = {TP_OUT_PYTHON_FUNCTION, "nn.Module: "},
    [TP_SPOOL_MARK_PUSH] = {TP_OUT_USER_ANNOTATION, ""},
};

static struct tp_str join_prefix_and_name(struct tp_spool_conversion *c, const char *prefix, struct tp_str name)
{
    size_t n = strlen(prefix);
    if (!n)
        return name;
    char *text = tp_arena_alloc(c->arena, n + name.len + 1);
    memcpy(text, prefix, n);
    memcpy(text + n, name.ptr, name.len);
    return (struct tp_str){text, n + name.len};
}

void tp_spool_write_range(struct tp_spool_conversion *c, struct tp_spool_range *range, uint64_t tid)
{
    const struct tp_spool_record *record = range->record;
    struct tp_trace_out_arg args[MAX_ARGS];
    struct inputs inputs;
    size_t n = 0;
    if (record->kind == TP_SPOOL_STEP) {
        tp_trace_out_step(c->out, record->name, (int64_t)c->file->head.pid, (int64_t)tid, range->start_ns,
                          range->dur_ns);
        return;
    }
    if (c->file->head.flags & TP_SPOOL_NO_CPU)
        return;
    if (record->kind >= TP_SPOOL_FUNCTION) {
        tp_spool_write_native(c, range, tid);
        return;
    }
    if (record->kind == TP_SPOOL_MODULE) {
        args[n++] = tp_trace_out_int_arg(TP_OUT_PYTHON_MODULE_ID, 0);
    } else {
        range->external_id = ++c->next_id;
        args[n++] = tp_trace_out_int_arg(TP_OUT_EXTERNAL_ID, range->external_id);
        args[n++] = tp_trace_out_int_arg(TP_OUT_RECORD_FUNCTION_ID, 0);
    }
    if (record->kind == TP_SPOOL_OPERATOR)
        n = add_operator_args(c, range, tid, &inputs, args, n);
    if (record->kind == TP_SPOOL_MARK_PUSH) {
        n += tp_spool_fill_mark_args(c, record, range->fact, args + n);
    } else {
        n = record->kind == TP_SPOOL_KIND_SCOPE ? tp_spool_add_kind_arg(record->text, args, n) : n;
        n = tp_spool_add_fact_args(c, range->fact, args, n);
    }
    struct tp_str stack = tp_spool_call_stack(c, range->stack);
    if (stack.ptr)
        args[n++] = tp_trace_out_text_arg(TP_OUT_CALL_STACK, stack);
    if (range->is_open)
        args[n++] = tp_trace_out_bool_arg(TP_OUT_FINISHED, false);
    const struct tp_trace_out_event event = {
        .category = forms[record->kind].category,
        .name = join_prefix_and_name(c, forms[record->kind].prefix, tp_spool_trace_name(c, record)),
        .pid = (int64_t)c->file->head.pid,
        .tid = (int64_t)tid,
        .ts_ns = range->start_ns,
        .dur_ns = range->dur_ns,
        .args = args,
        .arg_count = n};
    tp_trace_out_complete(c->out, &event);
}
