/* Decoding, details: what events of a kind have beside what all have. See decode.h. */
#include "webreport/trace/decode_parts.h"

static int64_t external_id(struct tp_decoder *d, const struct tp_element *e)
{
    return tp_element_int(
        d, e, tp_span_has_value(e->spans, TP_ARG_EXTERNAL_ID_OLD) ? TP_ARG_EXTERNAL_ID_OLD : TP_ARG_EXTERNAL_ID);
}

static uint32_t comm_detail(struct tp_decoder *d, const struct tp_element *e)
{
    const uint64_t keys = 1ull << TP_ARG_COLLECTIVE | 1ull << TP_ARG_DTYPE | 1ull << TP_ARG_IN_COUNT |
                          1ull << TP_ARG_OUT_COUNT | 1ull << TP_ARG_GROUP_SIZE | 1ull << TP_ARG_GROUP_NAME |
                          1ull << TP_ARG_GROUP_DESCRIPTION | 1ull << TP_ARG_GROUP_RANKS;
    if (!(e->spans->has & keys))
        return TP_NO_ID;
    struct tp_comm_detail *comm = tp_vec_push(&d->comms);
    comm->collective = tp_element_value(d, e, TP_ARG_COLLECTIVE);
    comm->dtype = tp_element_value(d, e, TP_ARG_DTYPE);
    comm->group_size = tp_element_value(d, e, TP_ARG_GROUP_SIZE);
    comm->group_name = tp_element_value(d, e, TP_ARG_GROUP_NAME);
    comm->group_description = tp_element_value(d, e, TP_ARG_GROUP_DESCRIPTION);
    comm->group_ranks = tp_element_value(d, e, TP_ARG_GROUP_RANKS);
    comm->in_count = tp_element_int(d, e, TP_ARG_IN_COUNT);
    comm->out_count = tp_element_int(d, e, TP_ARG_OUT_COUNT);
    comm->sequence = tp_element_int(d, e, TP_ARG_COMM_SEQUENCE);
    comm->peer = tp_element_int(d, e, TP_ARG_PEER);
    return (uint32_t)d->comms.count - 1;
}

static uint32_t host_more(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_host_more more = {tp_element_int(d, e, TP_ARG_SEQUENCE), tp_element_int(d, e, TP_ARG_FORWARD_THREAD),
                                comm_detail(d, e)};
    if (more.sequence == TP_NULL_INT && more.forward_thread == TP_NULL_INT && more.comm == TP_NO_ID)
        return TP_NO_ID;
    *(struct tp_host_more *)tp_vec_push(&d->host_more) = more;
    return (uint32_t)d->host_more.count - 1;
}

static uint32_t host_detail(struct tp_decoder *d, const struct tp_element *e, struct tp_event *event)
{
    bool is_old = !tp_span_has_value(e->spans, TP_ARG_INPUT_DIMS);
    struct tp_host_detail *host = tp_vec_push(&d->hosts);
    host->external_id = external_id(d, e);
    host->dims = tp_element_value(d, e, is_old ? TP_ARG_INPUT_DIMS_OLD : TP_ARG_INPUT_DIMS);
    host->types = tp_element_value(d, e, TP_ARG_INPUT_TYPE);
    host->stack = tp_element_stack(d, e);
    host->more = host_more(d, e);
    if (tp_spans_has(e->spans, TP_ARG_CORRELATION))
        tp_element_int(d, e, TP_ARG_CORRELATION); /* links nothing here; an absurd one is still shown */
    if (is_old && host->dims != TP_NO_ID)
        event->flags |= TP_EVENT_OLD_DIMS;
    if ((e->name & TP_NAME_VALUES) && tp_span_has_value(e->spans, TP_ARG_CONCRETE_INPUTS))
        *(struct tp_concrete *)tp_vec_push(&d->concretes) =
            (struct tp_concrete){(uint32_t)d->hosts.count - 1, tp_element_value(d, e, TP_ARG_CONCRETE_INPUTS)};
    return (uint32_t)d->hosts.count - 1;
}

static uint32_t launch_detail(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_launch_detail *launch = tp_vec_push(&d->launches);
    launch->external_id = external_id(d, e);
    launch->correlation = tp_element_int(d, e, TP_ARG_CORRELATION);
    return (uint32_t)d->launches.count - 1;
}

static int64_t arg_e9(const struct tp_element *e, enum tp_field field)
{
    int64_t value;
    return tp_spans_has(e->spans, field) && tp_number_e9(e->spans->field[field], &value) == TP_NUMBER_OK ? value
                                                                                                         : TP_NULL_INT;
}

/* Number of a setup. A program does the same again in the same order: the one that followed the setup before, last
 * time, is tried first. */
static uint32_t number_of_setup(struct tp_decoder *d, const struct tp_device_setup *setup)
{
    uint32_t key[sizeof *setup / sizeof(uint32_t)], none = TP_NO_ID, id;
    uint32_t *after = d->last_setup == TP_NO_ID ? &none : TP_AT(&d->setup_after, uint32_t, d->last_setup);
    memcpy(key, setup, sizeof key);
    if (*after != TP_NO_ID && memcmp(tp_keys_get(&d->setups, *after), key, sizeof key) == 0)
        return d->last_setup = *after;
    *after = id = tp_keys_add(&d->setups, key);
    if (id == d->setup_after.count)
        *(uint32_t *)tp_vec_push(&d->setup_after) = TP_NO_ID;
    return d->last_setup = id;
}

static uint32_t device_detail(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_device_detail *device = tp_vec_push(&d->devices);
    struct tp_device_setup setup = {0};
    device->external_id = external_id(d, e);
    device->correlation = tp_element_int(d, e, TP_ARG_CORRELATION);
    setup.bytes = tp_element_int(d, e, TP_ARG_BYTES);
    setup.device = tp_element_int(d, e, TP_ARG_DEVICE);
    /* a lane resolver of torch's CUPTI backend writes its own number into "stream" */
    enum tp_field stream = tp_spans_has(e->spans, TP_ARG_ORIGINAL_STREAM) ? TP_ARG_ORIGINAL_STREAM : TP_ARG_STREAM;
    setup.stream = tp_element_int(d, e, stream);
    setup.graph_id = tp_element_int(d, e, TP_ARG_GRAPH_ID);
    setup.blocks_per_sm_e9 = arg_e9(e, TP_ARG_BLOCKS_PER_SM);
    setup.occupancy_pct_e9 = arg_e9(e, TP_ARG_OCCUPANCY);
    setup.stream_value = tp_element_value(d, e, stream);
    setup.grid = tp_element_value(d, e, TP_ARG_GRID);
    setup.block = tp_element_value(d, e, TP_ARG_BLOCK);
    setup.registers = tp_element_value(d, e, TP_ARG_REGISTERS);
    setup.shared_memory = tp_element_value(d, e, TP_ARG_SHARED_MEMORY);
    device->setup = number_of_setup(d, &setup);
    device->comm = comm_detail(d, e);
    return (uint32_t)d->devices.count - 1;
}

static uint32_t module_detail(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_module_detail *module = tp_vec_push(&d->modules);
    module->module_id = tp_element_int(d, e, TP_ARG_MODULE_ID);
    module->stack = d->keeps_frame_stacks ? tp_element_stack(d, e) : TP_NO_ID;
    return (uint32_t)d->modules.count - 1;
}

static uint32_t other_detail(struct tp_decoder *d, const struct tp_element *e)
{
    struct tp_other_detail *other = tp_vec_push(&d->others);
    struct tp_str id = tp_span_of(e->spans, TP_ARG_EXTERNAL_ID);
    if (tp_number_int(id, &other->external_id) != TP_NUMBER_OK) /* not counted as bad: no number of the report needs it */
        other->external_id = TP_NULL_INT;
    other->cat = e->cat_id;
    return (uint32_t)d->others.count - 1;
}

uint32_t tp_decode_detail(struct tp_decoder *d, const struct tp_element *e, struct tp_event *event)
{
    switch (event->kind) {
    case TP_KIND_OPERATOR:
    case TP_KIND_ANNOTATION:
        return host_detail(d, e, event);
    case TP_KIND_RUNTIME:
        return launch_detail(d, e);
    case TP_KIND_KERNEL:
    case TP_KIND_MEMCPY:
    case TP_KIND_MEMSET:
        return device_detail(d, e);
    case TP_KIND_MODULE:
        return module_detail(d, e);
    case TP_KIND_FRAME:
        return d->keeps_frame_stacks ? tp_element_stack(d, e) : TP_NO_ID;
    case TP_KIND_OTHER:
        return other_detail(d, e);
    default:
        return TP_NO_ID;
    }
}
