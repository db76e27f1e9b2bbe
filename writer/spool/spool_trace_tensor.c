/* Writes tensors and timing events of a spool as instants of the trace: see spool_trace.c. */
#include "writer/spool/spool_trace_part.h"
#include "writer/tensor.h"

struct args {
    struct tp_trace_out_arg items[16]; /* room for the arguments of a tensor; a tensor has 14 */
    size_t count;
};

static struct tp_trace_out_arg *append_argument(struct args *args, enum tp_trace_out_type type, struct tp_str name)
{
    struct tp_trace_out_arg *arg = &args->items[args->count++];
    *arg = (struct tp_trace_out_arg){.key = TP_OUT_NAMED, .type = type, .name = name};
    return arg;
}

static void add_int(struct args *args, struct tp_str name, uint64_t value)
{
    append_argument(args, TP_OUT_INT, name)->value.integer = (int64_t)value;
}

static void add_text(struct args *args, struct tp_str name, struct tp_str value)
{
    append_argument(args, TP_OUT_TEXT, name)->value.text = value;
}

static void write_instant(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid,
                          struct tp_str category, const struct args *args)
{
    const struct tp_trace_out_event event = {.category = TP_OUT_OTHER,
                                             .other_category = category,
                                             .name = tp_spool_trace_name(c, record),
                                             .pid = (int64_t)c->file->head.pid,
                                             .tid = (int64_t)tid,
                                             .ts_ns = tp_spool_trace_time_ns(c, record),
                                             .args = args->items,
                                             .arg_count = args->count};
    tp_trace_out_instant(c->out, &event);
}

/* ---- tensors ---- */

static void add_statistics(struct args *args, const struct tp_spool_tensor *tensor)
{
    const struct {
        struct tp_str name;
        double value;
    } reals[] = {{TP_STR("min"), tensor->min},
                 {TP_STR("max"), tensor->max},
                 {TP_STR("mean"), tensor->mean},
                 {TP_STR("std"), tensor->std},
                 {TP_STR("l2"), tensor->l2}};
    add_int(args, TP_STR("count"), tensor->count);
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        append_argument(args, TP_OUT_REAL, reals[i].name)->value.real = reals[i].value;
    add_int(args, TP_STR("zeros"), tensor->zero_count);
    add_int(args, TP_STR("nans"), tensor->nan_count);
    add_int(args, TP_STR("infs"), tensor->inf_count);
}

static void add_values(struct args *args, const struct tp_spool_tensor *tensor, const struct tp_spool_record *record)
{
    const char *end = tp_spool_payload(record) + (size_t)record->slots * TP_SPOOL_SLOT;
    if (tensor->values == TP_SPOOL_VALUES_FAILED)
        add_text(args, TP_STR("values"), TP_STR("not kept"));
    if (tensor->values != TP_SPOOL_VALUES_FILE)
        return;
    size_t padded = (size_t)(record->text + TP_SPOOL_SLOT - 1) / TP_SPOOL_SLOT * TP_SPOOL_SLOT;
    add_text(args, TP_STR("file"), (struct tp_str){end - padded, record->text});
    if (!tp_dtype_is_numpy(tensor->dtype))
        add_text(args, TP_STR("values"), TP_STR("bits as uint16"));
}

void tp_spool_write_tensor(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    struct args args = {.count = 0};
    struct tp_spool_tensor tensor;
    int64_t dims[TP_SPOOL_MAX_RANK];
    memcpy(&tensor, tp_spool_payload(record), sizeof tensor);
    size_t rank = tensor.rank, left = (size_t)record->slots * TP_SPOOL_SLOT - sizeof tensor;
    if (rank > TP_SPOOL_MAX_RANK || left < rank * sizeof *dims) {
        c->result->event_count--;
        c->result->broken_count++;
        return;
    }
    memcpy(dims, tp_spool_payload(record) + sizeof tensor, rank * sizeof *dims);
    args.items[args.count++] = tp_trace_out_text_arg(TP_OUT_DTYPE, tp_str_of(tp_dtype_name(tensor.dtype)));
    append_argument(&args, TP_OUT_INTS, TP_STR("shape"))->value.ints = (struct tp_trace_out_ints){dims, rank};
    add_int(&args, TP_STR("step"), tensor.step);
    add_statistics(&args, &tensor);
    add_values(&args, &tensor, record);
    write_instant(c, record, tid, TP_STR("tensor"), &args);
}

/* ---- timing events ---- */

void tp_spool_write_event(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint64_t tid)
{
    struct args args = {.count = 0};
    struct tp_spool_event timing;
    memcpy(&timing, tp_spool_payload(record), sizeof timing);
    add_int(&args, TP_STR("event"), timing.number);
    add_text(&args, TP_STR("device_type"), timing.device_type == TP_OUT_DEVICE_CPU ? TP_STR("cpu") : TP_STR("cuda"));
    if (timing.device_type != TP_OUT_DEVICE_CPU)
        add_int(&args, TP_STR("cuda_stream"), timing.stream);
    write_instant(c, record, tid, TP_STR("timing_event"), &args);
}
