/* Gives the slices of a cleaned trace the categories and arguments that current versions of torch write. See
 * chrome.h. */
#include "webreport/export/chrome/chrome.h"

/* Category of each kind of event in the output, named as in tp_trace_out. */
static const struct {
    const char *text;
    enum tp_trace_out_category category;
} CATEGORIES[TP_KIND_COUNT] = {
    [TP_KIND_OPERATOR] = {"cpu_op", TP_OUT_CPU_OP},
    [TP_KIND_ANNOTATION] = {"user_annotation", TP_OUT_USER_ANNOTATION},
    [TP_KIND_RUNTIME] = {"cuda_runtime", TP_OUT_CUDA_RUNTIME},
    [TP_KIND_FRAME] = {"python_function", TP_OUT_PYTHON_FUNCTION},
    [TP_KIND_MODULE] = {"python_function", TP_OUT_PYTHON_FUNCTION},
    [TP_KIND_KERNEL] = {"kernel", TP_OUT_KERNEL},
    [TP_KIND_MEMCPY] = {"gpu_memcpy", TP_OUT_GPU_MEMCPY},
    [TP_KIND_MEMSET] = {"gpu_memset", TP_OUT_GPU_MEMSET},
    [TP_KIND_GPU_ANNOTATION] = {"gpu_user_annotation", TP_OUT_GPU_USER_ANNOTATION},
    [TP_KIND_SPAN] = {"Trace", TP_OUT_OTHER},
    [TP_KIND_OVERHEAD] = {"overhead", TP_OUT_OVERHEAD},
};

struct tp_str tp_chrome_category(const struct tp_trace *trace, const struct tp_event *event,
                                 enum tp_trace_out_category *category)
{
    struct tp_str name = tp_trace_event_name(trace, event);
    unsigned kind = event->kind;
    if (kind == TP_KIND_SPAN && tp_str_starts(name, "PyTorch Profiler"))
        return (struct tp_str){"", 0}; /* omits the span of the recording, because the writer adds its own span */
    *category = TP_OUT_OTHER;
    if (kind == TP_KIND_RUNTIME && event->variant)
        return tp_strings_get(&trace->cats, trace->foreign_call_cats[event->variant] - 1);
    if (kind == TP_KIND_RUNTIME && name.len > 2 && tp_str_starts(name, "cu") && name.ptr[2] >= 'A' &&
        name.ptr[2] <= 'Z') {
        *category = TP_OUT_CUDA_DRIVER;
        return TP_STR("cuda_driver");
    }
    if (CATEGORIES[kind].text) {
        *category = CATEGORIES[kind].category;
        return tp_str_of(CATEGORIES[kind].text);
    }
    return kind == TP_KIND_OTHER && event->detail != TP_NO_ID
               ? tp_strings_get(&trace->cats, trace->others[event->detail].cat)
               : TP_STR("other");
}

const char *tp_chrome_category_of_kind(unsigned kind)
{
    return kind < TP_KIND_COUNT ? CATEGORIES[kind].text : NULL;
}

/* ---- arguments ---- */

struct args {
    struct tp_trace_out_arg *items;
    size_t count;
};

static void add_int(struct args *args, enum tp_trace_out_key key, int64_t value)
{
    if (value != TP_NULL_INT)
        args->items[args->count++] = tp_trace_out_int_arg(key, value);
}

static void add_json(struct args *args, const struct tp_strings *texts, enum tp_trace_out_key key, uint32_t id)
{
    if (id == TP_NO_ID)
        return;
    args->items[args->count] = tp_trace_out_text_arg(key, tp_strings_get(texts, id));
    args->items[args->count++].type = TP_OUT_JSON;
}

static void add_host(struct args *args, const struct tp_trace *trace, const struct tp_host_detail *host)
{
    struct tp_host_rare more = tp_host_rare(trace, host);
    add_int(args, TP_OUT_EXTERNAL_ID, host->external_id);
    add_int(args, TP_OUT_SEQUENCE_NUMBER, more.sequence);
    add_int(args, TP_OUT_FWD_THREAD_ID, more.forward_thread);
    add_json(args, &trace->values, TP_OUT_INPUT_DIMS, host->dims);
    add_json(args, &trace->values, TP_OUT_INPUT_TYPE, host->types);
    if (host->stack != TP_NO_ID)
        args->items[args->count++] =
            tp_trace_out_text_arg(TP_OUT_CALL_STACK, tp_strings_get(&trace->stack_texts, host->stack));
}

static void add_device(struct args *args, const struct tp_trace *trace, const struct tp_device_detail *device)
{
    const struct tp_device_setup *setup = &trace->setups[device->setup];
    add_int(args, TP_OUT_EXTERNAL_ID, device->external_id);
    add_int(args, TP_OUT_CORRELATION, device->correlation);
    add_int(args, TP_OUT_DEVICE, setup->device);
    add_json(args, &trace->values, TP_OUT_STREAM, setup->stream_value);
    add_int(args, TP_OUT_BYTES, setup->bytes);
    add_int(args, TP_OUT_GRAPH_ID, setup->graph_id);
    add_json(args, &trace->values, TP_OUT_REGISTERS, setup->registers);
    add_json(args, &trace->values, TP_OUT_SHARED_MEMORY, setup->shared_memory);
    add_json(args, &trace->values, TP_OUT_GRID, setup->grid);
    add_json(args, &trace->values, TP_OUT_BLOCK, setup->block);
    if (setup->occupancy_pct_e9 != TP_NULL_INT)
        args->items[args->count++] = tp_trace_out_real_arg(TP_OUT_OCCUPANCY, (double)setup->occupancy_pct_e9 / 1e9);
}

size_t tp_chrome_fill_args(const struct tp_trace *trace, const struct tp_event *event, struct tp_trace_out_arg *args)
{
    struct args list = {args, 0};
    if (event->detail == TP_NO_ID)
        return 0;
    switch (event->kind) {
    case TP_KIND_OPERATOR:
    case TP_KIND_ANNOTATION:
        add_host(&list, trace, &trace->hosts[event->detail]);
        break;
    case TP_KIND_RUNTIME:
        add_int(&list, TP_OUT_EXTERNAL_ID, trace->launches[event->detail].external_id);
        add_int(&list, TP_OUT_CORRELATION, trace->launches[event->detail].correlation);
        break;
    case TP_KIND_KERNEL:
    case TP_KIND_MEMCPY:
    case TP_KIND_MEMSET:
        add_device(&list, trace, &trace->devices[event->detail]);
        break;
    case TP_KIND_MODULE:
        add_int(&list, TP_OUT_PYTHON_MODULE_ID, trace->modules[event->detail].module_id);
        break;
    default:
        break;
    }
    return list.count;
}
