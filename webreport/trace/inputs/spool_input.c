/* Reads spools: see spool_input.h. The conversion of a spool passes each record to functions of this file. These
 * functions deliver the record to the sink in the same way as the decoder of JSON.
 *
 * An error in the sink jumps to the arena's guard. Such a jump would leak the conversion's files and memory, so each
 * record is delivered under a separate guard, and the error is raised again at the end. */
#include "webreport/trace/inputs/spool_input.h"

#include <math.h>

#include "webreport/trace/argument_lines.h"
#include "webreport/trace/json/number.h"
#include "webreport/trace/json/profiler_args.h"
#include "webreport/trace/json/scan.h"
#include "writer/base/error.h"
#include "writer/base/put.h"
#include "writer/spool/spool_trace.h"

struct input {
    struct tp_sink *sink;
    struct tp_trace_out *out;                            /* formats argument values as JSON */
    struct tp_scan scan;                                 /* finds the field of an argument's key */
    const struct tp_trace_record *record;                /* the record that is being delivered */
    const struct tp_trace_out_arg *args[TP_FIELD_COUNT]; /* arguments of the record by field; NULL if absent */
    bool has_own_args;        /* true if the program gave an argument, known from a key that no profiler writes */
    struct tp_buf key, lines; /* allocated with malloc, freed at the end */
    int code;                 /* error code of the arena, which stops the delivery; 0 if none exists */
};

/* ---- arguments of a record ---- */

static bool has_argument(const struct input *in, enum tp_field field)
{
    return in->args[field] != NULL;
}

/* Returns true if an earlier argument of the record has the same name as argument `at`. Only the first argument of a
 * name is delivered. */
static bool is_repeated_argument(const struct tp_trace_record *record, size_t at)
{
    const struct tp_trace_out_arg *args = record->args;
    for (size_t i = 0; i < at && args[at].key == TP_OUT_NAMED; i++)
        if (args[i].key == TP_OUT_NAMED && tp_str_equal(args[i].name, args[at].name))
            return true;
    return false;
}

/* Returns the key of an argument. The text is valid until the next call. */
static struct tp_str key_of_argument(struct input *in, const struct tp_trace_out_arg *arg)
{
    struct tp_str key = tp_trace_out_key_text(in->out, arg);
    tp_buf_clear(&in->key);
    tp_buf_add(&in->key, key.ptr, key.len);
    if (in->key.failed)
        tp_arena_fail(in->sink->trace->arena, TP_ENOMEM);
    return (struct tp_str){in->key.data ? in->key.data : "", in->key.size};
}

static void index_arguments_by_field(struct input *in)
{
    const struct tp_trace_record *record = in->record;
    memset(in->args, 0, sizeof in->args);
    in->has_own_args = false;
    for (size_t i = 0; i < record->arg_count; i++) {
        if (is_repeated_argument(record, i))
            continue;
        struct tp_str key = key_of_argument(in, &record->args[i]);
        int field = tp_scan_argument_field(&in->scan, key);
        if (field >= 0)
            in->args[field] = &record->args[i];
        in->has_own_args = in->has_own_args || !tp_scan_is_profiler_arg(key);
    }
}

static struct tp_str field_text(struct input *in, enum tp_field field)
{
    return has_argument(in, field) ? tp_trace_out_value_text(in->out, in->args[field]) : TP_STR("");
}

static bool has_argument_value(struct input *in, enum tp_field field)
{
    return has_argument(in, field) && !tp_str_equal(field_text(in, field), TP_STR("null"));
}

static int64_t field_integer(struct input *in, enum tp_field field)
{
    int64_t value;
    if (!has_argument(in, field))
        return TP_NULL_INT;
    if (in->args[field]->type == TP_OUT_INT)
        return in->args[field]->value.integer;
    return tp_number_parse_int(field_text(in, field), &value) == TP_NUMBER_OK ? value : TP_NULL_INT;
}

static double field_real(struct input *in, enum tp_field field)
{
    return has_argument_value(in, field) ? tp_number_parse_real(field_text(in, field)) : NAN;
}

static int64_t field_billionths(struct input *in, enum tp_field field)
{
    int64_t value;
    return has_argument(in, field) && tp_number_parse_billionths(field_text(in, field), &value) == TP_NUMBER_OK
               ? value
               : TP_NULL_INT;
}

/* Returns the id in `values` of an argument; TP_NO_ID if the argument is absent or null. */
static uint32_t value(struct input *in, enum tp_field field)
{
    return has_argument_value(in, field) ? tp_interner_add(&in->sink->values, field_text(in, field))->id : TP_NO_ID;
}

/* Returns the id of the argument "Call stack" in stack_texts; TP_NO_ID if it is absent or has only semicolons and
 * blanks. */
static uint32_t stack_id(struct input *in)
{
    const struct tp_trace_out_arg *arg = in->args[TP_ARG_CALL_STACK];
    struct tp_str text = arg && arg->type == TP_OUT_TEXT ? arg->value.text : TP_STR("");
    return tp_stack_has_frames(text) ? tp_sink_intern_text(in->sink, &in->sink->stacks, text) : TP_NO_ID;
}

static struct tp_argument_text argument_text(struct input *in)
{
    struct tp_argument_lines text = TP_ARGUMENT_LINES(&in->lines);
    tp_buf_clear(&in->lines);
    for (size_t i = 0; i < in->record->arg_count; i++) {
        const struct tp_trace_out_arg *arg = &in->record->args[i];
        if (is_repeated_argument(in->record, i))
            continue;
        struct tp_str key = key_of_argument(in, arg);
        tp_argument_lines_add(&text, key, tp_trace_out_value_text(in->out, arg));
    }
    return tp_argument_lines_intern(in->sink, &text);
}

static uint32_t row_of_thread(struct input *in)
{
    const struct tp_row_id pid = {.number = in->record->pid}, tid = {.number = in->record->tid};
    return tp_sink_add_thread(in->sink, &pid, &tid);
}

/* ---- delivery of complete events ---- */

static uint32_t add_comm_detail(struct input *in)
{
    static const enum tp_field fields[] = {TP_ARG_COLLECTIVE,        TP_ARG_DTYPE,      TP_ARG_IN_COUNT,
                                           TP_ARG_OUT_COUNT,         TP_ARG_GROUP_SIZE, TP_ARG_GROUP_NAME,
                                           TP_ARG_GROUP_DESCRIPTION, TP_ARG_GROUP_RANKS};
    struct tp_comm_detail comm;
    bool has_some = false;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        has_some = has_some || has_argument(in, fields[i]);
    if (!has_some)
        return TP_NO_ID;
    comm.collective = value(in, TP_ARG_COLLECTIVE);
    comm.dtype = value(in, TP_ARG_DTYPE);
    comm.group_size = value(in, TP_ARG_GROUP_SIZE);
    comm.group_name = value(in, TP_ARG_GROUP_NAME);
    comm.group_description = value(in, TP_ARG_GROUP_DESCRIPTION);
    comm.group_ranks = value(in, TP_ARG_GROUP_RANKS);
    comm.in_count = field_integer(in, TP_ARG_IN_COUNT);
    comm.out_count = field_integer(in, TP_ARG_OUT_COUNT);
    comm.sequence = field_integer(in, TP_ARG_COMM_SEQUENCE);
    comm.peer = field_integer(in, TP_ARG_PEER);
    return tp_sink_add_comm(in->sink, &comm);
}

static uint32_t add_host_detail(struct input *in, unsigned name)
{
    struct tp_host_detail host = {.external_id = field_integer(in, TP_ARG_EXTERNAL_ID)};
    struct tp_host_rare more;
    host.dims = value(in, TP_ARG_INPUT_DIMS);
    host.types = value(in, TP_ARG_INPUT_TYPE);
    host.stack = stack_id(in);
    more.sequence = field_integer(in, TP_ARG_SEQUENCE);
    more.forward_thread = field_integer(in, TP_ARG_FORWARD_THREAD);
    more.comm = add_comm_detail(in);
    uint32_t detail = tp_sink_add_host(in->sink, host, &more);
    if (name & TP_NAME_VALUES && has_argument_value(in, TP_ARG_CONCRETE_INPUTS))
        tp_sink_add_concrete(in->sink, value(in, TP_ARG_CONCRETE_INPUTS));
    return detail;
}

static uint32_t add_device_detail(struct input *in)
{
    struct tp_device_detail device = {field_integer(in, TP_ARG_EXTERNAL_ID), field_integer(in, TP_ARG_CORRELATION), 0,
                                      0};
    struct tp_device_setup setup = {0};
    setup.bytes = field_integer(in, TP_ARG_BYTES);
    setup.device = field_integer(in, TP_ARG_DEVICE);
    setup.stream = field_integer(in, TP_ARG_STREAM);
    setup.graph_id = field_integer(in, TP_ARG_GRAPH_ID);
    setup.blocks_per_sm_e9 = field_billionths(in, TP_ARG_BLOCKS_PER_SM);
    setup.occupancy_pct_e9 = field_billionths(in, TP_ARG_OCCUPANCY);
    setup.bandwidth_e9 = field_billionths(in, TP_ARG_BANDWIDTH);
    setup.stream_value = value(in, TP_ARG_STREAM);
    setup.grid = value(in, TP_ARG_GRID);
    setup.block = value(in, TP_ARG_BLOCK);
    setup.registers = value(in, TP_ARG_REGISTERS);
    setup.shared_memory = value(in, TP_ARG_SHARED_MEMORY);
    device.comm = add_comm_detail(in);
    return tp_sink_add_device(in->sink, device, &setup);
}

static uint32_t add_detail(struct input *in, const struct tp_sink_slice *slice)
{
    struct tp_sink *sink = in->sink;
    switch (slice->event.kind) {
    case TP_KIND_OPERATOR:
    case TP_KIND_ANNOTATION:
        return add_host_detail(in, tp_sink_name_meaning(sink, slice->event.name));
    case TP_KIND_RUNTIME:
        return tp_sink_add_launch(
            sink, &(struct tp_launch_detail){field_integer(in, TP_ARG_EXTERNAL_ID), slice->correlation});
    case TP_KIND_KERNEL:
    case TP_KIND_MEMCPY:
    case TP_KIND_MEMSET:
        return add_device_detail(in);
    case TP_KIND_MODULE:
        return tp_sink_add_module(sink, &(struct tp_module_detail){field_integer(in, TP_ARG_MODULE_ID),
                                                                   sink->keeps_frame_stacks ? stack_id(in) : TP_NO_ID});
    case TP_KIND_FRAME:
        return sink->keeps_frame_stacks ? stack_id(in) : TP_NO_ID;
    case TP_KIND_OTHER:
        return tp_sink_add_other(
            sink, &(struct tp_other_detail){field_integer(in, TP_ARG_EXTERNAL_ID), slice->cat, TP_NO_ID});
    default:
        return TP_NO_ID;
    }
}

/* Returns the range kind that the argument "kind" of the record names; TP_RANGE_NONE without this argument. */
static enum tp_range_kind declared_range_kind(struct input *in)
{
    struct tp_str text = field_text(in, TP_ARG_KIND);
    return text.len >= 2 && *text.ptr == '"' ? tp_range_kind_by_text((struct tp_str){text.ptr + 1, text.len - 2})
                                             : TP_RANGE_NONE;
}

static unsigned event_flags(struct input *in, unsigned kind_flags)
{
    const struct tp_trace_out_arg *finished = in->args[TP_ARG_FINISHED];
    unsigned flags = kind_flags | (has_argument(in, TP_ARG_INPUT_DIMS) ? TP_EVENT_HAS_INPUT_DIMS : 0);
    return finished && finished->type == TP_OUT_BOOL && !finished->value.is_true ? flags | TP_EVENT_UNFINISHED : flags;
}

/* Counts a record whose category is unknown. */
static void count_record_of_unknown_cat(struct input *in, uint32_t cat)
{
    struct tp_reading *reading = &in->sink->trace->reading;
    reading->misspelled_cats += tp_sink_cat_meaning(in->sink, cat)->is_misspelled;
    tp_sink_count_skipped(in->sink, TP_SKIP_UNKNOWN_CATEGORY);
    tp_sink_count_unknown_category(in->sink, cat, in->record->dur_ns);
}

static void deliver_complete_event(struct input *in)
{
    const struct tp_trace_record *record = in->record;
    struct tp_sink *sink = in->sink;
    struct tp_sink_slice slice = {.event = {.name = tp_sink_intern_text(sink, &sink->names, record->name),
                                            .ordinal = (uint32_t)record->ordinal,
                                            .ts_ns = record->ts_ns,
                                            .dur_ns = record->dur_ns},
                                  .cat = tp_sink_intern_text(sink, &sink->cats, record->cat)};
    unsigned flags = 0, kind = tp_sink_event_kind(tp_sink_cat_meaning(sink, slice.cat),
                                                  tp_sink_name_meaning(sink, slice.event.name),
                                                  has_argument_value(in, TP_ARG_MODULE_ID), &flags);
    if (record->number != TP_NULL_INT)
        tp_sink_add_recorder_number(sink, record->number);
    if (kind == TP_KIND_NONE) {
        count_record_of_unknown_cat(in, slice.cat);
        return;
    }
    sink->trace->reading.with_decimals += 2; /* counts the start and the duration, because a spool records both times
                                                exactly */
    slice.event.kind = kind & 15;
    slice.declared_kind = declared_range_kind(in);
    slice.is_communication = has_argument(in, TP_ARG_COLLECTIVE) || has_argument(in, TP_ARG_GROUP_NAME) ||
                             has_argument(in, TP_ARG_GROUP_DESCRIPTION) || has_argument(in, TP_ARG_GROUP_SIZE);
    slice.has_number = record->number != TP_NULL_INT;
    slice.has_correlation = has_argument(in, TP_ARG_CORRELATION);
    slice.correlation = field_integer(in, TP_ARG_CORRELATION);
    slice.event.flags = event_flags(in, flags) & 15;
    slice.event.thread = row_of_thread(in);
    slice.event.detail = add_detail(in, &slice);
    bool is_work = tp_kind_is_device(kind) && !slice.has_correlation;
    if (sink->wants_arguments && in->has_own_args && (kind == TP_KIND_ANNOTATION || is_work))
        tp_sink_add_argument(sink, argument_text(in));
    tp_sink_slice(sink, &slice);
}

/* ---- delivery of records at one point in time ---- */

static void deliver_memory_record(struct input *in)
{
    const struct tp_trace_out_memory *from = in->record->memory;
    struct tp_sink_memory memory = {
        .record = {.ts_ns = in->record->ts_ns, .bytes = from->bytes, .ordinal = (uint32_t)in->record->ordinal},
        .more = {from->address, from->total_allocated_bytes, from->total_reserved_bytes},
        .place = {from->device_type, from->device_id},
        .stack = TP_NO_ID,
        .has_number = true};
    struct tp_str frames = from->call_stack.ptr ? from->call_stack : TP_STR("");
    /* adds the name so that names get the same ids as from a trace file */
    tp_sink_intern_text(in->sink, &in->sink->names, in->record->name);
    tp_sink_add_recorder_number(in->sink, in->record->number);
    if (tp_stack_has_frames(frames))
        memory.stack = tp_sink_intern_text(in->sink, &in->sink->stacks, frames);
    memory.record.thread = row_of_thread(in);
    memory.record.flags = from->is_out_of_memory ? TP_MEMORY_OUT_OF_MEMORY : 0;
    tp_sink_memory(in->sink, &memory);
}

/* Reads the statistics of a tensor. Returns true if all counts are present and agree with each other. */
static bool read_statistics(struct input *in, struct tp_tensor_stats *s)
{
    const struct {
        enum tp_field field;
        uint64_t *count;
    } counts[] = {{TP_ARG_COUNT, &s->count},
                  {TP_ARG_ZEROS, &s->zero_count},
                  {TP_ARG_NANS, &s->nan_count},
                  {TP_ARG_INFS, &s->inf_count}};
    s->min = field_real(in, TP_ARG_MIN);
    s->max = field_real(in, TP_ARG_MAX);
    s->mean = field_real(in, TP_ARG_MEAN);
    s->std = field_real(in, TP_ARG_STD);
    s->l2 = field_real(in, TP_ARG_L2);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        int64_t count = field_integer(in, counts[i].field);
        *counts[i].count = (uint64_t)count;
        if (count < 0)
            return false;
    }
    return tp_tensor_stats_are_possible(s);
}

static void deliver_tensor_record(struct input *in, uint32_t name)
{
    struct tp_tensor_record tensor = {
        .ts_ns = in->record->ts_ns, .name = name, .ordinal = (uint32_t)in->record->ordinal};
    tensor.step = field_integer(in, TP_ARG_STEP);
    tensor.dtype = value(in, TP_ARG_DTYPE);
    tensor.shape = value(in, TP_ARG_SHAPE);
    tensor.file = value(in, TP_ARG_FILE);
    tensor.values = value(in, TP_ARG_VALUES);
    tensor.has_stats = read_statistics(in, &tensor.stats);
    tp_sink_add_tensor(in->sink, &tensor);
}

static void deliver_instant(struct input *in)
{
    struct tp_sink *sink = in->sink;
    uint32_t name = tp_sink_intern_text(sink, &sink->names, in->record->name);
    if (tp_str_equal(in->record->cat, TP_STR("tensor"))) {
        deliver_tensor_record(in, name);
    } else if (sink->wants_arguments && tp_str_equal(in->record->cat, TP_STR("user_annotation"))) {
        struct tp_moment moment = {in->record->ts_ns, name, row_of_thread(in), {TP_NO_ID, TP_NO_ID}};
        if (in->has_own_args)
            moment.text = argument_text(in);
        tp_sink_add_moment(sink, &moment);
    }
    if (tp_sink_name_meaning(sink, name) & TP_NAME_WINDOW_END) {
        sink->trace->reading.has_window_end = true;
        sink->trace->reading.window_end_ns = in->record->ts_ns;
    }
}

/* Returns the id in `texts` of a number, stored as a text of digits. */
static uint32_t intern_number(struct input *in, int64_t number)
{
    char digits[TP_PUT_INT], *end = tp_put_int(digits, number);
    return tp_sink_intern_text(in->sink, &in->sink->texts, (struct tp_str){digits, (size_t)(end - digits)});
}

static void deliver_task_end(struct input *in)
{
    struct tp_sink *sink = in->sink;
    struct tp_task_end end = {.ts_ns = in->record->ts_ns, .is_begin = in->record->phase == 'b'};
    end.name = tp_sink_intern_text(sink, &sink->names, in->record->name);
    end.category = tp_sink_intern_text(sink, &sink->cats, in->record->cat);
    end.id = intern_number(in, in->record->id);
    tp_sink_add_task_end(sink, &end);
}

static void deliver_sample(struct input *in)
{
    struct tp_sample sample = {.ts_ns = in->record->ts_ns, .cpu_ns = field_integer(in, TP_ARG_CPU_NS)};
    const struct tp_trace_out_arg *frames = in->args[TP_ARG_CALL_STACK];
    if (!tp_str_equal(in->record->cat, TP_STR("cpu_sample")) || sample.cpu_ns < 0)
        return;
    sample.stack = has_argument(in, TP_ARG_RECORDING)
                       ? tp_sink_intern_recording_stack(in->sink, frames ? frames->value.text : TP_STR(""))
                       : stack_id(in);
    sample.thread = row_of_thread(in);
    tp_sink_add_sample(in->sink, &sample);
}

static void deliver_counter(struct input *in)
{
    const struct tp_trace_record *record = in->record;
    struct tp_counter counter = {.ts_ns = record->ts_ns};
    bool has_some = false;
    counter.name = tp_sink_intern_text(in->sink, &in->sink->names, record->name);
    for (size_t i = 0; i < record->value_count; i++) {
        if (!isfinite(record->values[i].value) ||
            tp_scan_argument_field(&in->scan, record->values[i].name) != TP_ARG_VALUE)
            continue;
        counter.value = record->values[i].value;
        has_some = true;
    }
    if (has_some)
        tp_sink_add_counter(in->sink, &counter);
}

/* Delivers the start or the end of a link. Returns true if the trace stores the link. Links between calls and device
 * operations are only counted. */
static bool deliver_flow(struct input *in)
{
    enum { FIRST_DEPENDENCY_BIT = 40 }; /* numbers of links between nodes of a graph start at 2^40 */
    struct tp_sink *sink = in->sink;
    const struct tp_cat_meaning *cat =
        tp_sink_cat_meaning(sink, tp_sink_intern_text(sink, &sink->cats, in->record->cat));
    bool is_start = in->record->phase == 's';
    if (cat->is_device_link && in->record->id < INT64_C(1) << FIRST_DEPENDENCY_BIT)
        tp_sink_add_device_link(sink, is_start, in->record->id, in->record->ts_ns);
    if (!cat->is_link)
        return false;
    struct tp_flow flow = {.ts_ns = in->record->ts_ns, .is_start = is_start};
    flow.id = intern_number(in, in->record->id);
    flow.thread = row_of_thread(in);
    tp_sink_add_flow(sink, &flow);
    return true;
}

/* ---- delivery of rows and top-level members ---- */

static void deliver_row_name(struct input *in)
{
    const struct tp_trace_record *record = in->record;
    const struct tp_row_id pid = {.number = record->pid};
    struct tp_str text = TP_STR("");
    if (record->text.ptr && !tp_str_equal(record->name, TP_STR("thread_name")))
        text = tp_sink_text_by_id(in->sink, tp_sink_intern_text(in->sink, &in->sink->texts, record->text));
    if (tp_str_equal(record->name, TP_STR("thread_name"))) {
        uint32_t row = row_of_thread(in);
        uint32_t name = tp_sink_intern_text(in->sink, &in->sink->texts, record->text);
        tp_sink_set_thread_name(in->sink, row, tp_sink_text_by_id(in->sink, name));
    } else if (tp_str_equal(record->name, TP_STR("process_name"))) {
        tp_sink_add_process(in->sink, &pid)->name = text;
    } else if (tp_str_equal(record->name, TP_STR("process_labels"))) {
        tp_sink_add_process(in->sink, &pid)->labels = text;
    } else if (tp_str_equal(record->name, TP_STR("process_sort_index"))) {
        tp_sink_add_process(in->sink, &pid)->sort_index = record->sort_index;
    }
}

/* Delivers a record to the sink. Returns false if the record is only counted by its phase. */
static bool deliver_record(struct input *in)
{
    switch (in->record->phase) {
    case 'X':
        deliver_complete_event(in);
        return true;
    case 'i':
        if (!in->record->memory) {
            deliver_instant(in);
            return false;
        }
        deliver_memory_record(in);
        return true;
    case 's':
    case 'f':
        return deliver_flow(in);
    case 'P':
        deliver_sample(in);
        return false;
    case 'C':
        deliver_counter(in);
        return false;
    case 'M':
        deliver_row_name(in);
        return false;
    default:
        deliver_task_end(in);
        return false;
    }
}

/* ---- functions that the conversion of a spool calls ---- */

static int deliver_record_guarded(void *context, struct tp_error *err)
{
    struct input *in = context;
    (void)err;
    index_arguments_by_field(in);
    if (!deliver_record(in))
        in->sink->trace->reading.skipped_by_phase[(unsigned char)in->record->phase & 127]++;
    in->sink->trace->reading.element_count = in->record->ordinal + 1;
    return TP_OK;
}

static void handle_record(void *context, struct tp_trace_out *out, const struct tp_trace_record *record)
{
    struct input *in = context;
    in->out = out;
    in->record = record;
    if (in->code == TP_OK)
        in->code = tp_arena_run(in->sink->trace->arena, deliver_record_guarded, in, NULL);
}

/* Arguments for delivering the top-level members of a trace with a guard. */
struct head {
    struct input *in;
    struct tp_str text;
};

static int deliver_members(void *context, struct tp_error *err)
{
    const struct head *head = context;
    struct tp_scan scan = tp_scan_members(head->text);
    struct tp_str key, value;
    (void)err;
    while (tp_scan_member(&scan, &key, &value))
        tp_sink_add_member(head->in->sink, key, value);
    return TP_OK;
}

static void handle_spool_head(void *context, struct tp_str text)
{
    struct input *in = context;
    in->code = tp_arena_run(in->sink->trace->arena, deliver_members, &(struct head){in, text}, NULL);
}

int tp_spool_input_read(struct tp_source *source)
{
    struct input in = {.sink = source->sink};
    struct tp_trace_receiver receiver = {.context = &in, .head = handle_spool_head, .record = handle_record};
    source->is_binary = true;
    tp_scan_init(&in.scan);
    tp_buf_init(&in.key, 0);
    tp_buf_init(&in.lines, 0);
    int code = tp_spool_deliver(source->path, &receiver, NULL, source->err);
    tp_buf_release(&in.key);
    tp_buf_release(&in.lines);
    tp_arena_fail_with_stored_code(source->sink->trace->arena);
    if (code == TP_OK)
        code = tp_source_drain(source);
    if (code == TP_OK)
        source->sink->trace->reading.has_end = true;
    tp_source_store_feed_report(source, source->at);
    return code;
}
