/* Decoding of events: see decode.h. The order of the checks is that of the two executable definitions, because their
 * counters (ignored, without_ts, skipped by reason ..) are part of the output. */
#include "webreport/trace/decode.h"

#include <math.h>

#include "webreport/trace/kinds.h"
#include "webreport/trace/number.h"
#include "webreport/trace/rows.h"
#include "writer/base/limits.h"

void tp_decoder_init(struct tp_decoder *d, struct tp_trace *trace)
{
    struct tp_arena *arena = trace->arena;
    struct tp_history *history = tp_arena_alloc(arena, sizeof *history);
    memset(d, 0, sizeof *d);
    d->trace = trace;
    tp_buf_init(&d->scratch, 0);
    tp_buf_init(&d->row_key, 0);
    tp_strings_init(&trace->names, arena, 0);
    tp_strings_init(&trace->cats, arena, 0);
    tp_strings_init(&trace->stacks, arena, 0);
    tp_strings_init(&trace->values, arena, 0);
    tp_strings_init(&d->row_texts, arena, 0);
    tp_strings_init(&d->row_canonical, arena, 0);
    tp_strings_init(&d->process_canonical, arena, 0);
    tp_lexicon_init(&d->names, &trace->names, history, &d->scratch, false, TP_MAX_NAME_BYTES);
    tp_lexicon_init(&d->cats, &trace->cats, history, &d->scratch, false, TP_MAX_NAME_BYTES);
    tp_lexicon_init(&d->stacks, &trace->stacks, history, &d->scratch, false, TP_MAX_EVENT_BYTES);
    tp_lexicon_init(&d->values, &trace->values, history, &d->scratch, true, TP_MAX_EVENT_BYTES);
    d->events = TP_VEC(arena, struct tp_event);
    d->hosts = TP_VEC(arena, struct tp_host_detail);
    d->launches = TP_VEC(arena, struct tp_launch_detail);
    d->devices = TP_VEC(arena, struct tp_device_detail);
    d->modules = TP_VEC(arena, struct tp_module_detail);
    d->comms = TP_VEC(arena, struct tp_comm_detail);
    d->others = TP_VEC(arena, struct tp_other_detail);
    d->concretes = TP_VEC(arena, struct tp_concrete);
    d->memory = TP_VEC(arena, struct tp_memory);
    d->counters = TP_VEC(arena, struct tp_counter);
    d->flows = TP_VEC(arena, struct tp_flow);
    d->samples = TP_VEC(arena, struct tp_sample);
    d->tensors = TP_VEC(arena, struct tp_tensor_record);
    d->threads = TP_VEC(arena, struct tp_thread);
    d->processes = TP_VEC(arena, struct tp_process);
    d->cat_meanings = TP_VEC(arena, struct tp_cat_meaning);
    d->name_meanings = TP_VEC(arena, uint8_t);
    d->row_thread = TP_VEC(arena, uint32_t);
}

void tp_decoder_teach(struct tp_decoder *d, struct tp_layout *layout)
{
    static const uint8_t values[] = {TP_ARG_INPUT_DIMS, TP_ARG_INPUT_DIMS_OLD, TP_ARG_INPUT_TYPE,
                                     TP_ARG_GRID,       TP_ARG_BLOCK,          TP_ARG_COLLECTIVE,
                                     TP_ARG_DTYPE,      TP_ARG_GROUP_NAME,     TP_ARG_GROUP_DESCRIPTION};
    tp_layout_expect(layout, TP_FIELD_CAT, &d->cats);
    tp_layout_expect(layout, TP_FIELD_NAME, &d->names);
    tp_layout_expect(layout, TP_ARG_CALL_STACK, &d->stacks);
    for (size_t i = 0; i < sizeof values; i++)
        tp_layout_expect(layout, values[i], &d->values);
}

void tp_decoder_release(struct tp_decoder *d)
{
    tp_buf_release(&d->scratch);
    tp_buf_release(&d->row_key);
}

void tp_decoder_note(struct tp_decoder *d, enum tp_notice notice, uint64_t offset)
{
    struct tp_reading *reading = &d->trace->reading;
    if (reading->notices[notice]++ == 0)
        reading->notice_offset[notice] = offset;
}

/* ---- one event's pieces -------------------------------------------------------------------------------------------
 */

/* What the functions below share about the element at hand. */
struct element {
    const struct tp_spans *spans;
    uint64_t offset;
    uint32_t ordinal;
    struct tp_cat_meaning cat;
    uint32_t cat_id, name_id;
    unsigned name;
    bool has_name;
    char ph; /* '\0': missing or not one letter */
};

static bool is_null(struct tp_str token)
{
    return token.len == 4 && memcmp(token.ptr, "null", 4) == 0;
}

static struct tp_str span(const struct tp_spans *spans, enum tp_field field)
{
    return tp_spans_has(spans, field) ? spans->field[field] : (struct tp_str){"", 0};
}

/* An argument that is there and not null. */
static bool has_value(const struct tp_spans *spans, enum tp_field field)
{
    return tp_spans_has(spans, field) && !is_null(spans->field[field]);
}

static void note_flags(struct tp_decoder *d, const struct element *e, unsigned flags)
{
    static const struct {
        unsigned flag;
        enum tp_notice notice;
    } map[] = {{TP_CLEAN_CONTROL, TP_NOTICE_CONTROL}, {TP_CLEAN_UTF8, TP_NOTICE_UTF8},
               {TP_CLEAN_ESCAPE, TP_NOTICE_ESCAPE},   {TP_CLEAN_CUT, TP_NOTICE_NAME_CUT},
               {TP_CLEAN_DEPTH, TP_NOTICE_DEPTH},     {TP_CLEAN_SYNTAX, TP_NOTICE_EVENT_REPAIRED}};
    for (size_t i = 0; flags && i < sizeof map / sizeof *map; i++)
        if (flags & map[i].flag)
            tp_decoder_note(d, map[i].notice, e->offset);
}

static uint32_t intern(struct tp_decoder *d, const struct element *e, struct tp_lexicon *lexicon, struct tp_str raw)
{
    const struct tp_word *word = tp_lexicon_add(lexicon, raw);
    if (word->flags)
        note_flags(d, e, word->flags);
    return word->id;
}

/* As intern, for the token of a field; contents: of the string, without its quotes. */
static uint32_t intern_field(struct tp_decoder *d, const struct element *e, struct tp_lexicon *lexicon,
                             enum tp_field field, struct tp_str contents)
{
    return e->spans->known >> field & 1 ? e->spans->text_id[field] : intern(d, e, lexicon, contents);
}

static struct tp_str unquoted(struct tp_str token)
{
    return (struct tp_str){token.ptr + 1, token.len - 2};
}

static bool is_string(struct tp_str token)
{
    return token.len >= 2 && token.ptr[0] == '"';
}

/* Id of a value argument; TP_NO_ID when absent or null. */
static uint32_t arg_value(struct tp_decoder *d, const struct element *e, enum tp_field field)
{
    return has_value(e->spans, field) ? intern_field(d, e, &d->values, field, e->spans->field[field]) : TP_NO_ID;
}

static int64_t arg_int(struct tp_decoder *d, const struct element *e, enum tp_field field)
{
    int64_t value;
    if (!tp_spans_has(e->spans, field))
        return TP_NULL_INT;
    enum tp_number_status status = tp_number_int(e->spans->field[field], &value);
    if (status == TP_NUMBER_RANGE)
        tp_decoder_note(d, TP_NOTICE_ID_RANGE, e->offset);
    return status == TP_NUMBER_OK ? value : TP_NULL_INT;
}

static int64_t external_id(struct tp_decoder *d, const struct element *e)
{
    return arg_int(d, e, has_value(e->spans, TP_ARG_EXTERNAL_ID_OLD) ? TP_ARG_EXTERNAL_ID_OLD : TP_ARG_EXTERNAL_ID);
}

static uint32_t comm_detail(struct tp_decoder *d, const struct element *e)
{
    const uint64_t keys = 1ull << TP_ARG_COLLECTIVE | 1ull << TP_ARG_DTYPE | 1ull << TP_ARG_IN_COUNT |
                          1ull << TP_ARG_OUT_COUNT | 1ull << TP_ARG_GROUP_SIZE | 1ull << TP_ARG_GROUP_NAME |
                          1ull << TP_ARG_GROUP_DESCRIPTION;
    if (!(e->spans->has & keys))
        return TP_NO_ID;
    struct tp_comm_detail *comm = tp_vec_push(&d->comms);
    comm->collective = arg_value(d, e, TP_ARG_COLLECTIVE);
    comm->dtype = arg_value(d, e, TP_ARG_DTYPE);
    comm->group_size = arg_value(d, e, TP_ARG_GROUP_SIZE);
    comm->group_name = arg_value(d, e, TP_ARG_GROUP_NAME);
    comm->group_description = arg_value(d, e, TP_ARG_GROUP_DESCRIPTION);
    comm->in_count = arg_int(d, e, TP_ARG_IN_COUNT);
    comm->out_count = arg_int(d, e, TP_ARG_OUT_COUNT);
    comm->sequence = arg_int(d, e, TP_ARG_COMM_SEQUENCE);
    return (uint32_t)d->comms.count - 1;
}

/* "Call stack" counts when something but ; and blanks is in it. */
static uint32_t call_stack(struct tp_decoder *d, const struct element *e)
{
    struct tp_str token = span(e->spans, TP_ARG_CALL_STACK);
    for (size_t i = 1; is_string(token) && i < token.len - 1; i++)
        if (token.ptr[i] != ';' && token.ptr[i] != ' ')
            return intern_field(d, e, &d->stacks, TP_ARG_CALL_STACK, unquoted(token));
    return TP_NO_ID;
}

static uint32_t host_detail(struct tp_decoder *d, const struct element *e, struct tp_event *event)
{
    bool is_old = !has_value(e->spans, TP_ARG_INPUT_DIMS);
    struct tp_host_detail *host = tp_vec_push(&d->hosts);
    host->external_id = external_id(d, e);
    host->sequence = arg_int(d, e, TP_ARG_SEQUENCE);
    host->forward_thread = arg_int(d, e, TP_ARG_FORWARD_THREAD);
    host->dims = arg_value(d, e, is_old ? TP_ARG_INPUT_DIMS_OLD : TP_ARG_INPUT_DIMS);
    host->types = arg_value(d, e, TP_ARG_INPUT_TYPE);
    host->stack = call_stack(d, e);
    host->comm = comm_detail(d, e);
    if (tp_spans_has(e->spans, TP_ARG_CORRELATION))
        arg_int(d, e, TP_ARG_CORRELATION); /* links nothing here; an absurd one is still told */
    if (is_old && host->dims != TP_NO_ID)
        event->flags |= TP_EVENT_OLD_DIMS;
    if ((e->name & TP_NAME_CONVOLUTION) && has_value(e->spans, TP_ARG_CONCRETE_INPUTS))
        *(struct tp_concrete *)tp_vec_push(&d->concretes) =
            (struct tp_concrete){(uint32_t)d->hosts.count - 1, arg_value(d, e, TP_ARG_CONCRETE_INPUTS)};
    return (uint32_t)d->hosts.count - 1;
}

static uint32_t launch_detail(struct tp_decoder *d, const struct element *e)
{
    struct tp_launch_detail *launch = tp_vec_push(&d->launches);
    launch->external_id = external_id(d, e);
    launch->correlation = arg_int(d, e, TP_ARG_CORRELATION);
    return (uint32_t)d->launches.count - 1;
}

static int64_t arg_e9(const struct element *e, enum tp_field field)
{
    int64_t value;
    return tp_spans_has(e->spans, field) && tp_number_e9(e->spans->field[field], &value) == TP_NUMBER_OK ? value
                                                                                                         : TP_NULL_INT;
}

static uint32_t device_detail(struct tp_decoder *d, const struct element *e)
{
    struct tp_device_detail *device = tp_vec_push(&d->devices);
    device->external_id = external_id(d, e);
    device->correlation = arg_int(d, e, TP_ARG_CORRELATION);
    device->bytes = arg_int(d, e, TP_ARG_BYTES);
    device->device = arg_int(d, e, TP_ARG_DEVICE);
    device->stream = arg_int(d, e, TP_ARG_STREAM);
    device->graph_id = arg_int(d, e, TP_ARG_GRAPH_ID);
    device->blocks_per_sm_e9 = arg_e9(e, TP_ARG_BLOCKS_PER_SM);
    device->occupancy_pct_e9 = arg_e9(e, TP_ARG_OCCUPANCY);
    device->blocks_per_sm =
        tp_spans_has(e->spans, TP_ARG_BLOCKS_PER_SM) ? tp_number_real(e->spans->field[TP_ARG_BLOCKS_PER_SM]) : NAN;
    device->stream_value = arg_value(d, e, TP_ARG_STREAM);
    device->grid = arg_value(d, e, TP_ARG_GRID);
    device->block = arg_value(d, e, TP_ARG_BLOCK);
    device->registers = arg_value(d, e, TP_ARG_REGISTERS);
    device->shared_memory = arg_value(d, e, TP_ARG_SHARED_MEMORY);
    device->comm = comm_detail(d, e);
    return (uint32_t)d->devices.count - 1;
}

static uint32_t module_detail(struct tp_decoder *d, const struct element *e)
{
    struct tp_module_detail *module = tp_vec_push(&d->modules);
    module->module_id = arg_int(d, e, TP_ARG_MODULE_ID);
    module->stack = d->keeps_frame_stacks ? call_stack(d, e) : TP_NO_ID;
    return (uint32_t)d->modules.count - 1;
}

static uint32_t other_detail(struct tp_decoder *d, const struct element *e)
{
    struct tp_other_detail *other = tp_vec_push(&d->others);
    struct tp_str id = span(e->spans, TP_ARG_EXTERNAL_ID);
    if (tp_number_int(id, &other->external_id) != TP_NUMBER_OK) /* not told: no number of the report needs it */
        other->external_id = TP_NULL_INT;
    other->cat = e->cat_id;
    return (uint32_t)d->others.count - 1;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------
 */

static uint32_t thread_of(struct tp_decoder *d, const struct element *e)
{
    return tp_rows_thread(d, span(e->spans, TP_FIELD_PID), span(e->spans, TP_FIELD_TID));
}

static void decode_flow(struct tp_decoder *d, const struct element *e)
{
    struct tp_flow flow = {.is_start = e->ph == 's'};
    if (!has_value(e->spans, TP_FIELD_ID) || tp_number_time(span(e->spans, TP_FIELD_TS), &flow.ts_ns) == TP_NUMBER_NONE)
        return;
    struct tp_str id = e->spans->field[TP_FIELD_ID];
    flow.id = intern(d, e, &d->stacks, is_string(id) ? unquoted(id) : id);
    flow.thread = thread_of(d, e);
    *(struct tp_flow *)tp_vec_push(&d->flows) = flow;
}

/* Other tools' events of this phase have another category and are counted only. */
static void decode_sample(struct tp_decoder *d, const struct element *e)
{
    struct tp_sample sample = {0};
    if (tp_number_time(span(e->spans, TP_FIELD_TS), &sample.ts_ns) != TP_NUMBER_OK)
        return;
    sample.cpu_ns = arg_int(d, e, TP_ARG_CPU_NS);
    if (sample.cpu_ns < 0) /* also when there is none */
        return;
    sample.stack = call_stack(d, e);
    sample.thread = thread_of(d, e);
    *(struct tp_sample *)tp_vec_push(&d->samples) = sample;
}

static void decode_memory(struct tp_decoder *d, const struct element *e, bool in_views, bool in_advice)
{
    struct tp_reading *reading = &d->trace->reading;
    struct tp_memory record = {0};
    enum tp_number_status status = tp_number_time(span(e->spans, TP_FIELD_TS), &record.ts_ns);
    bool is_oom = e->name & TP_NAME_OUT_OF_MEMORY;
    if (status != TP_NUMBER_OK) {
        reading->without_ts += in_views;
        reading->skipped[TP_SKIP_NO_TIME] += in_advice;
        tp_decoder_note(d, status == TP_NUMBER_RANGE ? TP_NOTICE_TIME_RANGE : TP_NOTICE_EVENT_SKIPPED, e->offset);
        return;
    }
    record.bytes = arg_int(d, e, TP_ARG_MEMORY_BYTES);
    if (in_advice && !is_oom && record.bytes == TP_NULL_INT) {
        reading->skipped[TP_SKIP_MEMORY_WITHOUT_BYTES]++;
        in_advice = false;
    }
    reading->driver += in_views && e->cat.is_driver;
    reading->read_memory += in_advice && !is_oom;
    reading->read_out_of_memory += in_advice && is_oom;
    if (!in_views && !in_advice)
        return;
    record.device_type = arg_int(d, e, TP_ARG_DEVICE_TYPE);
    record.device_id = arg_int(d, e, TP_ARG_DEVICE_ID);
    record.address = arg_int(d, e, TP_ARG_ADDRESS);
    record.total_allocated = arg_int(d, e, TP_ARG_TOTAL_ALLOCATED);
    record.total_reserved = arg_int(d, e, TP_ARG_TOTAL_RESERVED);
    record.thread = thread_of(d, e);
    record.ordinal = e->ordinal;
    record.flags = (is_oom ? TP_MEMORY_OUT_OF_MEMORY : 0) | (in_views ? TP_MEMORY_IN_VIEWS : 0) |
                   (in_advice ? TP_MEMORY_IN_ADVICE : 0);
    *(struct tp_memory *)tp_vec_push(&d->memory) = record;
}

static void decode_counter(struct tp_decoder *d, const struct element *e)
{
    struct tp_counter counter = {.name = e->name_id};
    if (!e->has_name || !has_value(e->spans, TP_ARG_VALUE) ||
        tp_number_time(span(e->spans, TP_FIELD_TS), &counter.ts_ns) != TP_NUMBER_OK)
        return;
    counter.value = tp_number_real(e->spans->field[TP_ARG_VALUE]);
    *(struct tp_counter *)tp_vec_push(&d->counters) = counter;
}

static void decode_tensor(struct tp_decoder *d, const struct element *e)
{
    struct tp_tensor_record tensor = {.name = e->name_id, .ordinal = e->ordinal};
    if (!e->has_name || tp_number_time(span(e->spans, TP_FIELD_TS), &tensor.ts_ns) != TP_NUMBER_OK)
        return;
    tensor.step = arg_int(d, e, TP_ARG_STEP);
    tensor.dtype = arg_value(d, e, TP_ARG_DTYPE);
    tensor.shape = arg_value(d, e, TP_ARG_SHAPE);
    tensor.file = arg_value(d, e, TP_ARG_FILE);
    tensor.values = arg_value(d, e, TP_ARG_VALUES);
    *(struct tp_tensor_record *)tp_vec_push(&d->tensors) = tensor;
}

/* The advice's part of the decision: its role, or TP_KIND_NONE and a counted reason. */
static uint8_t decide_role(struct tp_decoder *d, const struct element *e, enum tp_number_status ts,
                           enum tp_number_status dur)
{
    struct tp_reading *reading = &d->trace->reading;
    uint8_t role = e->cat.role;
    if (!e->has_name) {
        reading->skipped[TP_SKIP_NO_NAME]++;
        return TP_KIND_NONE;
    }
    if (ts != TP_NUMBER_OK || (tp_spans_has(e->spans, TP_FIELD_DUR) && dur != TP_NUMBER_OK)) {
        reading->skipped[TP_SKIP_NO_TIME]++;
        return TP_KIND_NONE;
    }
    return role;
}

/* Clamps a negative duration and counts what is odd about it; *role may lose its place. */
static void decide_duration(struct tp_decoder *d, const struct element *e, struct tp_event *event,
                            enum tp_number_status status)
{
    struct tp_reading *reading = &d->trace->reading;
    bool in_views = event->kind != TP_KIND_NONE;
    if (status == TP_NUMBER_NONE) {
        event->dur_ns = 0;
        reading->without_dur += in_views;
        return;
    }
    if (status == TP_NUMBER_RANGE)
        tp_decoder_note(d, TP_NOTICE_TIME_RANGE, e->offset);
    if (event->dur_ns < 0) {
        reading->negative_dur += in_views;
        tp_decoder_note(d, TP_NOTICE_NEGATIVE_DURATION, e->offset);
        event->dur_ns = 0;
    }
}

static uint32_t decode_detail(struct tp_decoder *d, const struct element *e, struct tp_event *event)
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
        return d->keeps_frame_stacks ? call_stack(d, e) : TP_NO_ID;
    case TP_KIND_NONE:
        return event->role == TP_KIND_OTHER ? other_detail(d, e) : TP_NO_ID;
    default:
        return TP_NO_ID;
    }
}

/* A complete event (ph X) that is no memory record of either vocabulary. */
static void decode_complete(struct tp_decoder *d, const struct element *e, bool in_advice)
{
    struct tp_reading *reading = &d->trace->reading;
    struct tp_event event = {.kind = e->cat.kind, .name = e->name_id, .ordinal = e->ordinal};
    enum tp_number_status ts = tp_number_time(span(e->spans, TP_FIELD_TS), &event.ts_ns);
    enum tp_number_status dur = tp_number_time(span(e->spans, TP_FIELD_DUR), &event.dur_ns);
    if (dur == TP_NUMBER_NONE)
        event.dur_ns = 0;
    event.role = in_advice ? decide_role(d, e, ts, dur) : (uint8_t)TP_KIND_NONE;
    bool has_time = in_advice && e->has_name && ts == TP_NUMBER_OK &&
                    (dur == TP_NUMBER_OK || !tp_spans_has(e->spans, TP_FIELD_DUR));
    reading->clamped_durations += has_time && event.dur_ns < 0;
    if (has_time && event.role == TP_KIND_NONE)
        reading->skipped[TP_SKIP_UNKNOWN_CATEGORY]++;
    if (event.kind == TP_KIND_NONE)
        reading->ignored++;
    else if (ts != TP_NUMBER_OK)
        reading->without_ts++;
    if (ts != TP_NUMBER_OK) {
        tp_decoder_note(d, ts == TP_NUMBER_RANGE ? TP_NOTICE_TIME_RANGE : TP_NOTICE_EVENT_SKIPPED, e->offset);
        return;
    }
    decide_duration(d, e, &event, dur);
    if (event.role == TP_KIND_OPERATOR && e->cat.may_be_region && (e->name & TP_NAME_REGION_ROLE))
        event.role = TP_KIND_ANNOTATION;
    if (event.kind == TP_KIND_OPERATOR && (e->name & TP_NAME_REGION))
        event.kind = TP_KIND_ANNOTATION;
    if (event.kind == TP_KIND_FRAME && has_value(e->spans, TP_ARG_MODULE_ID))
        event.kind = TP_KIND_MODULE;
    reading->driver += event.kind != TP_KIND_NONE && e->cat.is_driver;
    reading->read[event.role] += event.role != TP_KIND_NONE;
    reading->other_device_events += event.role == TP_KIND_OTHER && e->cat.is_other_device;
    if (event.kind == TP_KIND_NONE && event.role == TP_KIND_NONE)
        return;
    struct tp_str finished = span(e->spans, TP_ARG_FINISHED);
    if (finished.len == 5 && memcmp(finished.ptr, "false", 5) == 0)
        event.flags |= TP_EVENT_UNFINISHED;
    if (tp_spans_has(e->spans, TP_ARG_INPUT_DIMS) || tp_spans_has(e->spans, TP_ARG_INPUT_DIMS_OLD))
        event.flags |= TP_EVENT_HAS_INPUT_DIMS;
    event.thread = thread_of(d, e);
    event.detail = decode_detail(d, e, &event);
    *(struct tp_event *)tp_vec_push(&d->events) = event;
}

/* ---- one element --------------------------------------------------------------------------------------------------
 */

static void read_cat(struct tp_decoder *d, struct element *e)
{
    struct tp_str token = span(e->spans, TP_FIELD_CAT);
    e->cat_id = intern_field(d, e, &d->cats, TP_FIELD_CAT, is_string(token) ? unquoted(token) : TP_STR(""));
    while (d->cat_meanings.count < d->trace->cats.count) {
        struct tp_str cat = tp_strings_get(&d->trace->cats, (uint32_t)d->cat_meanings.count);
        *(struct tp_cat_meaning *)tp_vec_push(&d->cat_meanings) = tp_kinds_of_cat(cat);
    }
    e->cat = *TP_AT(&d->cat_meanings, struct tp_cat_meaning, e->cat_id);
}

static void read_name(struct tp_decoder *d, struct element *e)
{
    struct tp_str token = span(e->spans, TP_FIELD_NAME);
    e->has_name = is_string(token);
    e->name_id = intern_field(d, e, &d->names, TP_FIELD_NAME, e->has_name ? unquoted(token) : TP_STR(""));
    while (d->name_meanings.count < d->trace->names.count) {
        struct tp_str name = tp_strings_get(&d->trace->names, (uint32_t)d->name_meanings.count);
        *(uint8_t *)tp_vec_push(&d->name_meanings) = (uint8_t)tp_kinds_of_name(name);
    }
    e->name = *TP_AT(&d->name_meanings, uint8_t, e->name_id);
}

static void count_phase(struct tp_decoder *d, const struct element *e)
{
    struct tp_reading *reading = &d->trace->reading;
    if (e->ph && strchr("MsftiIRCBEbenPNOD", e->ph))
        reading->skipped_phase[(unsigned char)e->ph & 127]++;
    else
        reading->skipped[TP_SKIP_PHASE_UNKNOWN]++;
    if (!e->ph)
        tp_decoder_note(d, TP_NOTICE_EVENT_SKIPPED, e->offset);
    d->begin_events += e->ph == 'B';
    d->end_events += e->ph == 'E';
}

void tp_decoder_event(struct tp_decoder *d, const struct tp_spans *spans, uint32_t ordinal, uint64_t offset)
{
    struct element e = {.spans = spans, .offset = offset, .ordinal = ordinal};
    struct tp_str ph = span(spans, TP_FIELD_PH);
    e.ph = ph.len == 3 && ph.ptr[0] == '"' && ph.ptr[1] > 0 ? ph.ptr[1] : '\0';
    if (spans->has_bare_word)
        tp_decoder_note(d, TP_NOTICE_NOT_A_NUMBER, offset);
    if (spans->is_deep)
        tp_decoder_note(d, TP_NOTICE_DEPTH, offset);
    if (e.ph == 'M') {
        count_phase(d, &e);
        tp_rows_metadata(d, spans);
        return;
    }
    if (e.ph == 'P') {
        struct tp_str cat = span(spans, TP_FIELD_CAT);
        count_phase(d, &e);
        if (tp_str_equal(cat, TP_STR("\"cpu_sample\"")))
            decode_sample(d, &e);
        return;
    }
    if (e.ph == 's' || e.ph == 'f' || e.ph == 't') { /* most flows are ac2g, which nobody reads */
        read_cat(d, &e);
        count_phase(d, &e);
        if (e.cat.is_link && e.ph != 't')
            decode_flow(d, &e);
        return;
    }
    read_name(d, &e);
    bool is_record = e.has_name && e.name & (TP_NAME_MEMORY | TP_NAME_OUT_OF_MEMORY);
    bool in_views =
        is_record && (e.ph == 'i' || e.ph == 'I' || (e.ph == 'X' && tp_spans_has(spans, TP_ARG_MEMORY_BYTES)));
    bool in_advice = is_record && (e.ph == 'i' || e.ph == 'I' || e.ph == 'X' || e.ph == 'R');
    if (in_views || in_advice || e.ph == 'X')
        read_cat(d, &e);
    if (in_views || in_advice)
        decode_memory(d, &e, in_views, in_advice);
    else if (e.ph != 'X')
        count_phase(d, &e);
    if (e.ph == 'C')
        decode_counter(d, &e);
    if (e.ph == 'i' && tp_str_equal(span(spans, TP_FIELD_CAT), TP_STR("\"tensor\"")))
        decode_tensor(d, &e);
    if (e.ph == 'X' && !in_views)
        decode_complete(d, &e, !in_advice);
}

void tp_decoder_finish(struct tp_decoder *d)
{
    struct tp_trace *trace = d->trace;
    struct tp_vec *kept[] = {&d->events,    &d->hosts,  &d->launches, &d->devices, &d->modules, &d->comms,   &d->others,
                             &d->concretes, &d->memory, &d->counters, &d->flows,   &d->samples, &d->tensors, NULL};
    for (struct tp_vec **vec = kept; *vec; vec++)
        tp_vec_fit(*vec);
    trace->events = d->events.data;
    trace->event_count = (uint32_t)d->events.count;
    trace->hosts = d->hosts.data;
    trace->host_count = (uint32_t)d->hosts.count;
    trace->launches = d->launches.data;
    trace->launch_count = (uint32_t)d->launches.count;
    trace->devices = d->devices.data;
    trace->device_count = (uint32_t)d->devices.count;
    trace->modules = d->modules.data;
    trace->module_count = (uint32_t)d->modules.count;
    trace->comms = d->comms.data;
    trace->comm_count = (uint32_t)d->comms.count;
    trace->others = d->others.data;
    trace->other_count = (uint32_t)d->others.count;
    trace->concretes = d->concretes.data;
    trace->concrete_count = (uint32_t)d->concretes.count;
    trace->memory = d->memory.data;
    trace->memory_count = (uint32_t)d->memory.count;
    trace->counters = d->counters.data;
    trace->counter_count = (uint32_t)d->counters.count;
    trace->flows = d->flows.data;
    trace->flow_count = (uint32_t)d->flows.count;
    trace->samples = d->samples.data;
    trace->sample_count = (uint32_t)d->samples.count;
    trace->tensors = d->tensors.data;
    trace->tensor_count = (uint32_t)d->tensors.count;
    trace->threads = d->threads.data;
    trace->thread_count = (uint32_t)d->threads.count;
    trace->processes = d->processes.data;
    trace->process_count = (uint32_t)d->processes.count;
    if (d->begin_events || d->end_events)
        trace->reading.notices[TP_NOTICE_UNBALANCED] = d->begin_events + d->end_events;
}
