/* Decodes the arguments that only events of some kinds have: see decode.h. */
#include "webreport/trace/decode_parts.h"

static int64_t read_external_id(struct tp_decoder *d, const struct tp_element *e)
{
    return tp_element_int(
        d, e, tp_span_has_value(e->spans, TP_ARG_EXTERNAL_ID_OLD) ? TP_ARG_EXTERNAL_ID_OLD : TP_ARG_EXTERNAL_ID);
}

static uint32_t add_comm_detail(struct tp_decoder *d, const struct tp_element *e)
{
    const uint64_t keys = 1ull << TP_ARG_COLLECTIVE | 1ull << TP_ARG_DTYPE | 1ull << TP_ARG_IN_COUNT |
                          1ull << TP_ARG_OUT_COUNT | 1ull << TP_ARG_GROUP_SIZE | 1ull << TP_ARG_GROUP_NAME |
                          1ull << TP_ARG_GROUP_DESCRIPTION | 1ull << TP_ARG_GROUP_RANKS;
    if (!(e->spans->has & keys))
        return TP_NO_ID;
    struct tp_comm_detail comm;
    comm.collective = tp_element_value(d, e, TP_ARG_COLLECTIVE);
    comm.dtype = tp_element_value(d, e, TP_ARG_DTYPE);
    comm.group_size = tp_element_value(d, e, TP_ARG_GROUP_SIZE);
    comm.group_name = tp_element_value(d, e, TP_ARG_GROUP_NAME);
    comm.group_description = tp_element_value(d, e, TP_ARG_GROUP_DESCRIPTION);
    comm.group_ranks = tp_element_value(d, e, TP_ARG_GROUP_RANKS);
    comm.in_count = tp_element_int(d, e, TP_ARG_IN_COUNT);
    comm.out_count = tp_element_int(d, e, TP_ARG_OUT_COUNT);
    comm.sequence = tp_element_int(d, e, TP_ARG_COMM_SEQUENCE);
    comm.peer = tp_element_int(d, e, TP_ARG_PEER);
    return tp_sink_add_comm(d->sink, &comm);
}

static uint32_t add_host_detail(struct tp_decoder *d, const struct tp_element *e, struct tp_event *event)
{
    bool is_old = !tp_span_has_value(e->spans, TP_ARG_INPUT_DIMS);
    struct tp_host_detail host = {.external_id = read_external_id(d, e)};
    struct tp_host_rare more;
    host.dims = tp_element_value(d, e, is_old ? TP_ARG_INPUT_DIMS_OLD : TP_ARG_INPUT_DIMS);
    host.types = tp_element_value(d, e, TP_ARG_INPUT_TYPE);
    host.stack = tp_element_stack(d, e);
    more.sequence = tp_element_int(d, e, TP_ARG_SEQUENCE);
    more.forward_thread = tp_element_int(d, e, TP_ARG_FORWARD_THREAD);
    more.comm = add_comm_detail(d, e);
    uint32_t detail = tp_sink_add_host(d->sink, host, &more);
    if (tp_spans_has(e->spans, TP_ARG_CORRELATION))
        /* the value is unused; the call only counts a correlation that is out of range */
        tp_element_int(d, e, TP_ARG_CORRELATION);
    if (is_old && host.dims != TP_NO_ID)
        event->flags |= TP_EVENT_OLD_DIMS;
    if ((e->name & TP_NAME_VALUES) && tp_span_has_value(e->spans, TP_ARG_CONCRETE_INPUTS))
        tp_sink_add_concrete(d->sink, tp_element_value(d, e, TP_ARG_CONCRETE_INPUTS));
    return detail;
}

static uint32_t add_launch_detail(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_launch_detail launch = {.external_id = read_external_id(d, e)};
    launch.correlation = tp_element_int(d, e, TP_ARG_CORRELATION);
    return tp_sink_add_launch(d->sink, &launch);
}

static int64_t read_billionths(const struct tp_element *e, enum tp_field field)
{
    int64_t value;
    return tp_spans_has(e->spans, field) && tp_number_parse_billionths(e->spans->field[field], &value) == TP_NUMBER_OK
               ? value
               : TP_NULL_INT;
}

static uint32_t add_device_detail(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_device_detail device = {.external_id = read_external_id(d, e)};
    struct tp_device_setup setup = {0};
    device.correlation = tp_element_int(d, e, TP_ARG_CORRELATION);
    setup.bytes = tp_element_int(d, e, TP_ARG_BYTES);
    setup.device = tp_element_int(d, e, TP_ARG_DEVICE);
    /* torch's CUPTI backend may overwrite "stream" with another number and keep the real one in "original_stream" */
    enum tp_field stream = tp_spans_has(e->spans, TP_ARG_ORIGINAL_STREAM) ? TP_ARG_ORIGINAL_STREAM : TP_ARG_STREAM;
    setup.stream = tp_element_int(d, e, stream);
    setup.graph_id = tp_element_int(d, e, TP_ARG_GRAPH_ID);
    setup.blocks_per_sm_e9 = read_billionths(e, TP_ARG_BLOCKS_PER_SM);
    setup.occupancy_pct_e9 = read_billionths(e, TP_ARG_OCCUPANCY);
    setup.bandwidth_e9 = read_billionths(e, TP_ARG_BANDWIDTH);
    setup.stream_value = tp_element_value(d, e, stream);
    setup.grid = tp_element_value(d, e, TP_ARG_GRID);
    setup.block = tp_element_value(d, e, TP_ARG_BLOCK);
    setup.registers = tp_element_value(d, e, TP_ARG_REGISTERS);
    setup.shared_memory = tp_element_value(d, e, TP_ARG_SHARED_MEMORY);
    device.comm = add_comm_detail(d, e);
    return tp_sink_add_device(d->sink, device, &setup);
}

static uint32_t add_module_detail(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_module_detail module = {.module_id = tp_element_int(d, e, TP_ARG_MODULE_ID)};
    module.stack = d->sink->keeps_frame_stacks ? tp_element_stack(d, e) : TP_NO_ID;
    return tp_sink_add_module(d->sink, &module);
}

/* Returns a number that the tables of the report do not need. So an unreadable number is not counted as an error. */
static int64_t read_spare_number(struct tp_decoder *d, const struct tp_element *e, enum tp_field field)
{
    int64_t number;
    return tp_element_parse_int(d, e, field, &number) == TP_NUMBER_OK ? number : TP_NULL_INT;
}

/* Adds the record of a wait. Without an argument for its kind, the name of the event is the kind. */
static uint32_t add_sync_record(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_str kind = tp_span_text(e->spans, TP_ARG_SYNC_KIND);
    struct tp_str text =
        tp_token_is_string(kind) ? tp_token_contents(kind) : tp_strings_get(&d->trace->names, e->name_id);
    struct tp_sync_record sync = {.correlation = read_spare_number(d, e, TP_ARG_CORRELATION)};
    sync.device = read_spare_number(d, e, TP_ARG_DEVICE);
    sync.stream = read_spare_number(d, e, TP_ARG_STREAM);
    sync.event_stream = read_spare_number(d, e, TP_ARG_WAIT_STREAM);
    sync.event_record = read_spare_number(d, e, TP_ARG_WAIT_RECORD);
    sync.orders_streams = tp_str_equal(text, TP_STR("Stream Wait Event"));
    return tp_sink_add_sync(d->sink, &sync);
}

static uint32_t add_other_detail(struct tp_decoder *d, const struct tp_element *e)
{
    bool is_sync = tp_str_equal(tp_strings_get(&d->trace->cats, e->cat_id), TP_STR("cuda_sync"));
    struct tp_other_detail other = {.external_id = read_spare_number(d, e, TP_ARG_EXTERNAL_ID),
                                    .cat = e->cat_id,
                                    .sync = is_sync ? add_sync_record(d, e) : TP_NO_ID};
    return tp_sink_add_other(d->sink, &other);
}

uint32_t tp_decode_detail(struct tp_decoder *d, const struct tp_element *e, struct tp_event *event)
{
    switch (event->kind) {
    case TP_KIND_OPERATOR:
    case TP_KIND_ANNOTATION:
        return add_host_detail(d, e, event);
    case TP_KIND_RUNTIME:
        return add_launch_detail(d, e);
    case TP_KIND_KERNEL:
    case TP_KIND_MEMCPY:
    case TP_KIND_MEMSET:
        return add_device_detail(d, e);
    case TP_KIND_MODULE:
        return add_module_detail(d, e);
    case TP_KIND_FRAME:
        return d->sink->keeps_frame_stacks ? tp_element_stack(d, e) : TP_NO_ID;
    case TP_KIND_OTHER:
        return add_other_detail(d, e);
    default:
        return TP_NO_ID;
    }
}
