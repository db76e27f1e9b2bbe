/* Reads GPU stages and counters of devices: see gpu_stages.h. Fields are those of Perfetto's messages
 * GpuRenderStageEvent and GpuCounterEvent. Names of stages and of their data are those of torch's CUPTI backend. */
#include "webreport/trace/inputs/perfetto/gpu_stages.h"

#include <stddef.h>
#include <stdio.h>

#include "webreport/trace/inputs/perfetto/interned_data.h"
#include "webreport/trace/json/number.h"
#include "writer/base/limits.h"
#include "writer/base/put.h"

/* Stages of torch, and the kind of their events (enum tp_kind). TP_KIND_NONE: nodes of graphs that do no work. Other
 * stages are kernels. */
static const struct {
    const char *stage;
    unsigned kind;
} stage_kinds[] = {{"Memcpy", TP_KIND_MEMCPY},
                   {"Memset", TP_KIND_MEMSET},
                   {"Annotation", TP_KIND_GPU_ANNOTATION},
                   {"EventRecord", TP_KIND_NONE},
                   {"HostNode", TP_KIND_NONE}};

enum { KEPT_EXTRAS = 16 };

/* A stage without its data. */
struct stage {
    uint64_t event_id, duration, device, queue_iid, stage_iid, name_iid, kernel_iid;
    uint64_t queue, stage;             /* numbers of the queue and the stage without interned data */
    bool has_queue_iid, has_stage;     /* has_stage: true if `stage` is set */
    struct tp_str extras[KEPT_EXTRAS]; /* data of the stage, messages */
    unsigned extra_count;              /* number of messages; those beyond KEPT_EXTRAS are not kept */
    struct tp_str name, launch, names; /* names: names of queues and stages by number */
    unsigned kind;                     /* enum tp_kind */
    /* found in the data of the stage */
    int64_t stream; /* TP_NULL_INT if the data has none */
    int64_t row;    /* row of an exported trace; TP_NULL_INT if the device and the stream give the row */
    bool has_device;
    bool has_correlation, has_direction, has_kinds, has_bytes, has_memory_kind, has_graph, has_occupancy, has_grid;
};

void tp_stages_init(struct tp_perfetto *p)
{
    static const char *const names[] = {[TP_EXTRA_STREAM] = "stream id",
                                        [TP_EXTRA_ROW] = TP_EXPORTED_ROW,
                                        [TP_EXTRA_DEVICE] = "device id",
                                        [TP_EXTRA_ARCH] = "arch"};
    tp_value_cache_init(&p->numbers, p->sink);
    for (int i = 0; i < TP_EXTRA_NAMES; i++)
        p->extra_names[i] = tp_interned_add_text(&p->interned, tp_str_of(names[i]));
}

/* Adds an argument whose number the decoder also needs as a text. */
static void add_repeated_int(struct tp_perfetto *p, enum tp_field field, int64_t number)
{
    const struct tp_builder_key key = {.field = (int)field, .is_profiler_arg = true};
    struct tp_cached_value *value = tp_value_cache_find(&p->numbers, (struct tp_str){(char *)&number, sizeof number});
    if (!value) {
        tp_builder_add_int(&p->builder, field, number);
        return;
    }
    if (!value->json.ptr) {
        char text[TP_PUT_INT];
        size_t size = (size_t)(tp_put_int(text, number) - text);
        tp_cached_value_set(&p->numbers, value, (struct tp_str){text, size}, true);
    }
    tp_builder_add_known_arg(&p->builder, &key, value->json, value->id);
}

/* ---- rows of streams ---- */

struct tp_stream_row *tp_stages_row(struct tp_perfetto *p, int64_t device, int64_t stream)
{
    const uint32_t key[] = {(uint32_t)device, (uint32_t)((uint64_t)device >> 32), (uint32_t)stream,
                            (uint32_t)((uint64_t)stream >> 32)};
    uint32_t id = tp_keys_add(&p->stream_keys, key);
    if (id == p->streams.count)
        *(struct tp_stream_row *)tp_vec_push(&p->streams) = (struct tp_stream_row){
            .pid_token = tp_tracks_token(p->sink, device), .tid_token = tp_tracks_token(p->sink, stream)};
    return TP_AT(&p->streams, struct tp_stream_row, id);
}

static struct tp_str keep_text(struct tp_perfetto *p, const char *text)
{
    return tp_sink_text_by_id(p->sink, tp_sink_intern_text(p->sink, &p->sink->texts, tp_str_of(text)));
}

/* Names a device and a stream as torch does. */
static void name_stream(struct tp_perfetto *p, struct tp_stream_row *row, int64_t device, int64_t stream)
{
    enum { FIRST_DEVICE = 5000000 }; /* sort index of device 0 in torch's files: devices follow all processes */
    const struct tp_row_id pid = {.number = device}, tid = {.number = stream};
    char text[64];
    uint32_t thread = tp_sink_add_thread(p->sink, &pid, &tid);
    struct tp_process *process = tp_sink_add_process(p->sink, &pid);
    snprintf(text, sizeof text, "GPU %lld", (long long)device);
    process->labels = keep_text(p, text);
    process->name = keep_text(p, "python");
    process->sort_index = device < INT64_MAX - FIRST_DEVICE ? device + FIRST_DEVICE : device;
    snprintf(text, sizeof text, "stream %lld ", (long long)stream);
    tp_sink_set_thread_name(p->sink, thread, keep_text(p, text));
    row->is_named = true;
}

void tp_stages_place(struct tp_perfetto *p, int64_t device, int64_t stream, struct tp_built_event *built)
{
    struct tp_stream_row *row = tp_stages_row(p, device, stream);
    add_repeated_int(p, TP_ARG_STREAM, stream);
    if (!row->is_named && !p->is_own)
        name_stream(p, row, device, stream);
    built->pid = row->pid_token;
    built->tid = row->tid_token;
}

/* ---- data of a stage ---- */

/* Returns the integer in a text; TP_NULL_INT for other texts. */
static int64_t integer_of_text(struct tp_str text)
{
    int64_t number;
    return text.len && tp_number_parse_int(text, &number) == TP_NUMBER_OK ? number : TP_NULL_INT;
}

/* Reads a text of at most 18 digits that JSON accepts as a number. Returns false for other texts. */
static bool read_short_integer(struct tp_str text, int64_t *number)
{
    enum { MOST_DIGITS = 18 };
    size_t at = 0;
    if (!text.len || text.len > MOST_DIGITS || (text.len > 1 && *text.ptr == '0'))
        return false;
    for (*number = 0; at < text.len && tp_is_digit(text.ptr[at]); at++)
        *number = *number * 10 + (text.ptr[at] - '0');
    return at == text.len;
}

/* Returns true for a number in JSON without sign and exponent, such as 0.25. */
static bool is_plain_decimal(struct tp_str text)
{
    size_t at = 0, point;
    while (at < text.len && tp_is_digit(text.ptr[at]))
        at++;
    point = at++;
    if (!point || at >= text.len || text.ptr[point] != '.' || (point > 1 && *text.ptr == '0'))
        return false;
    while (at < text.len && tp_is_digit(text.ptr[at]))
        at++;
    return at == text.len;
}

/* Adds a value of the stage's data as an argument. Numbers, lists, objects and quoted strings stay JSON; other texts
 * become strings. */
static void add_value(struct tp_perfetto *p, const struct tp_builder_key *key, struct tp_str value)
{
    struct tp_buf *tokens = &p->builder.tokens;
    int64_t number;
    if (read_short_integer(value, &number)) {
        tp_builder_add_number(&p->builder, key, number);
        return;
    }
    size_t from = tp_builder_value_start(&p->builder);
    bool may_be_json = value.len && strchr("-0123456789[{\"", *value.ptr);
    if (is_plain_decimal(value) || (may_be_json && tp_put_is_json(value, TP_ANNOTATION_LEVELS)))
        tp_buf_add(tokens, value.ptr, value.len);
    else
        tp_put_string(tokens, value, TP_MAX_NAME_BYTES);
    tp_builder_add_arg(&p->builder, key, from);
}

/* Reads the name of an architecture, such as sm_90. Its last digit is the minor version. */
static void read_arch(struct tp_perfetto *p, int64_t device, struct tp_str text)
{
    int64_t number = tp_str_starts(text, "sm_") ? integer_of_text((struct tp_str){text.ptr + 3, text.len - 3}) : -1;
    if (number < 10 || number >= 1000)
        return;
    for (size_t i = 0; i < p->archs.count; i++)
        if (TP_AT(&p->archs, struct tp_perfetto_arch, i)->device == device)
            return;
    if (p->archs.count < TP_MAX_PERFETTO_DEVICES)
        *(struct tp_perfetto_arch *)tp_vec_push(&p->archs) =
            (struct tp_perfetto_arch){device, (unsigned)(number / 10), (unsigned)(number % 10)};
}

/* Notes data that decides how complete the trace is. */
static void note_field(struct stage *stage, int field)
{
    stage->has_correlation |= field == TP_ARG_CORRELATION;
    stage->has_bytes |= field == TP_ARG_BYTES;
    stage->has_graph |= field == TP_ARG_GRAPH_ID;
    stage->has_occupancy |= field == TP_ARG_OCCUPANCY;
    stage->has_direction |= stage->kind == TP_KIND_MEMCPY && field == TP_ARG_COPY_KIND;
    stage->has_kinds |= stage->kind == TP_KIND_MEMCPY && field == TP_ARG_SOURCE_KIND;
    stage->has_memory_kind |= field == TP_ARG_MEMORY_KIND;
}

/* Reads one entry of the stage's data: a name and a value, both texts. */
static bool read_extra(struct tp_perfetto *p, struct stage *stage, struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    struct tp_str name = TP_STR(""), value = TP_STR("");
    while (tp_wire_next(&wire, &field)) {
        if (tp_wire_is(&field, 1, TP_WIRE_BYTES))
            name = field.bytes;
        else if (tp_wire_is(&field, 2, TP_WIRE_BYTES))
            value = field.bytes;
    }
    if (wire.is_broken)
        return false;
    uint32_t text = tp_interned_add_next(&p->interned, name);
    if (text == p->extra_names[TP_EXTRA_STREAM])
        stage->stream = integer_of_text(value);
    else if (p->is_own && text == p->extra_names[TP_EXTRA_ROW])
        stage->row = integer_of_text(value);
    stage->has_device |= text == p->extra_names[TP_EXTRA_DEVICE];
    if (text == p->extra_names[TP_EXTRA_ARCH])
        read_arch(p, (int64_t)stage->device, value);
    struct tp_builder_key key = tp_annotations_key(&p->interned, &p->builder, text);
    bool is_row = key.field == TP_ARG_DEVICE || key.field == TP_ARG_STREAM;
    if (!is_row && (key.field >= 0 || (p->builder.wants_args_text && p->is_own)))
        add_value(p, &key, value);
    note_field(stage, key.field);
    return true;
}

/* Adds the size of a grid or block: [x,y,z]. Missing numbers are 1. */
static bool add_dimensions(struct tp_perfetto *p, enum tp_field field, struct tp_str message)
{
    uint64_t size[3] = {1, 1, 1};
    const struct tp_wire_number wanted[] = {{1, &size[0]}, {2, &size[1]}, {3, &size[2]}};
    const struct tp_builder_key key = {.field = (int)field, .is_profiler_arg = true};
    struct tp_cached_value *cached = tp_value_cache_find(&p->dimensions, message), own = {.json = {NULL, 0}};
    struct tp_cached_value *value = cached ? cached : &own;
    if (!value->json.ptr) {
        char text[3 * TP_PUT_INT + 4], *at = text;
        if (!tp_wire_read_numbers(message, wanted, 3))
            return false;
        for (unsigned i = 0; i < 3; i++) {
            *at++ = i ? ',' : '[';
            at = tp_put_uint(at, size[i]);
        }
        *at++ = ']';
        tp_cached_value_set(&p->dimensions, value, (struct tp_str){text, (size_t)(at - text)}, true);
    }
    tp_builder_add_known_arg(&p->builder, &key, value->json, value->id);
    return true;
}

/* Reads an argument of a launch. Only the number of registers is needed. */
static bool read_launch_argument(struct tp_perfetto *p, const struct tp_sequence *sequence, struct tp_str message)
{
    struct tp_str name;
    int64_t value = TP_NULL_INT;
    bool is_good = tp_interned_data_read_argument(&p->interned, sequence, message, &name, &value);
    if (value != TP_NULL_INT && tp_str_equal(name, TP_STR("registers_per_thread")))
        add_repeated_int(p, TP_ARG_REGISTERS, value);
    return is_good;
}

/* Adds what the interned data of a kernel says about all its launches. The launch itself may say it again. */
static void add_kernel_data(struct tp_perfetto *p, const struct tp_sequence *sequence, const struct stage *stage)
{
    uint32_t text = tp_interned_get(&p->interned, sequence, TP_INTERNED_KERNELS, stage->kernel_iid);
    if (text == TP_NO_ID)
        return;
    const struct tp_interned_text *details = tp_interned_details(&p->interned, text);
    if (details->registers != TP_NULL_INT)
        tp_builder_add_int(&p->builder, TP_ARG_REGISTERS, details->registers);
    if (details->arch != TP_NO_ID)
        read_arch(p, (int64_t)stage->device, tp_interned_text(&p->interned, details->arch));
}

static bool read_launch(struct tp_perfetto *p, const struct tp_sequence *sequence, struct stage *stage)
{
    struct tp_wire wire = tp_wire_of(stage->launch);
    struct tp_wire_field field;
    while (tp_wire_next(&wire, &field)) {
        bool is_good = true;
        if (tp_wire_is(&field, 1, TP_WIRE_BYTES))
            is_good = stage->has_grid = add_dimensions(p, TP_ARG_GRID, field.bytes);
        else if (tp_wire_is(&field, 2, TP_WIRE_BYTES))
            is_good = add_dimensions(p, TP_ARG_BLOCK, field.bytes);
        else if (tp_wire_is(&field, 3, TP_WIRE_BYTES))
            is_good = read_launch_argument(p, sequence, field.bytes);
        if (!is_good)
            return false;
    }
    return !wire.is_broken;
}

/* ---- stages ---- */

/* Returns the place for a number field of a stage; NULL for numbers that are not needed. */
static uint64_t *number_of_stage(struct stage *stage, uint32_t field)
{
    switch (field) {
    case 1:
        return &stage->event_id;
    case 2:
        return &stage->duration;
    case 3:
        return &stage->queue;
    case 4:
        stage->has_stage = true;
        return &stage->stage;
    case 11:
        return &stage->device;
    case 13:
        stage->has_queue_iid = true;
        return &stage->queue_iid;
    case 14:
        return &stage->stage_iid;
    case 19:
        return &stage->kernel_iid;
    case 20:
        return &stage->name_iid;
    default:
        return NULL;
    }
}

/* Reads the fields of a stage, without its data. */
static bool read_stage(struct stage *stage, struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    memset(stage, 0, offsetof(struct stage, extras));
    memset(&stage->extra_count, 0, sizeof *stage - offsetof(struct stage, extra_count));
    stage->stream = stage->row = TP_NULL_INT;
    while (tp_wire_next(&wire, &field)) {
        uint64_t *number = field.type == TP_WIRE_NUMBER ? number_of_stage(stage, field.number) : NULL;
        if (number)
            *number = field.value;
        else if (tp_wire_is(&field, 6, TP_WIRE_BYTES) && stage->extra_count++ < KEPT_EXTRAS)
            stage->extras[stage->extra_count - 1] = field.bytes;
        else if (tp_wire_is(&field, 7, TP_WIRE_BYTES))
            stage->names = field.bytes;
        else if (tp_wire_is(&field, 17, TP_WIRE_BYTES))
            stage->name = field.bytes;
        else if (tp_wire_is(&field, 21, TP_WIRE_BYTES))
            stage->launch = field.bytes;
    }
    return !wire.is_broken;
}

/* Reads the names of stages that have their position as their number. Returns false if a message is broken. */
static bool read_stage_names(struct tp_perfetto *p, struct tp_str message)
{
    enum { FIELD_STAGE = 3, FIELD_NAME = 1 };
    struct tp_wire wire = tp_wire_of(message), stage;
    struct tp_wire_field field, member;
    while (tp_wire_next(&wire, &field)) {
        struct tp_str name = TP_STR("");
        if (!tp_wire_is(&field, FIELD_STAGE, TP_WIRE_BYTES))
            continue;
        for (stage = tp_wire_of(field.bytes); tp_wire_next(&stage, &member);)
            if (tp_wire_is(&member, FIELD_NAME, TP_WIRE_BYTES))
                name = member.bytes;
        if (stage.is_broken)
            return false;
        *(uint32_t *)tp_vec_push(&p->old_stages) = tp_interned_add_text(&p->interned, name);
    }
    return !wire.is_broken;
}

static unsigned kind_of_stage(struct tp_str name)
{
    for (size_t i = 0; i < sizeof stage_kinds / sizeof *stage_kinds; i++)
        if (tp_str_equal(name, tp_str_of(stage_kinds[i].stage)))
            return stage_kinds[i].kind;
    return TP_KIND_KERNEL;
}

/* Returns the number of a stream in the name of its queue, such as "[0007] stream 7"; TP_NULL_INT for other names. */
static int64_t stream_of_queue(struct tp_str name)
{
    int64_t number = 0;
    size_t at = 1;
    if (!name.len || *name.ptr != '[')
        return TP_NULL_INT;
    for (; at < name.len && tp_is_digit(name.ptr[at]) && number < INT32_MAX; at++)
        number = number * 10 + (name.ptr[at] - '0');
    return at > 1 && at + 1 < name.len && name.ptr[at] == ']' && name.ptr[at + 1] == ' ' ? number : TP_NULL_INT;
}

static struct tp_str text_of_iid(const struct tp_perfetto *p, const struct tp_sequence *sequence,
                                 enum tp_interned_table table, uint64_t iid)
{
    return tp_interned_text(&p->interned, tp_interned_get(&p->interned, sequence, table, iid));
}

/* Returns the name of the kind of a stage, which is interned or numbered; empty if unknown. */
static struct tp_str name_of_kind(const struct tp_perfetto *p, const struct tp_sequence *sequence,
                                  const struct stage *stage)
{
    if (!stage->stage_iid && stage->stage < p->old_stages.count)
        return tp_interned_text(&p->interned, *TP_AT(&p->old_stages, uint32_t, stage->stage));
    return text_of_iid(p, sequence, TP_INTERNED_STAGES, stage->stage_iid);
}

/* Returns the name of a stage's event as the number of an interned text. */
static uint32_t name_of_stage(struct tp_perfetto *p, const struct tp_sequence *sequence, const struct stage *stage)
{
    uint32_t text = TP_NO_ID;
    if (stage->name.len)
        return tp_interned_add_text(&p->interned, stage->name);
    if (stage->name_iid)
        text = tp_interned_get(&p->interned, sequence, TP_INTERNED_NAMES, stage->name_iid);
    if (text == TP_NO_ID && stage->kernel_iid)
        text = tp_interned_get(&p->interned, sequence, TP_INTERNED_KERNELS, stage->kernel_iid);
    if (text != TP_NO_ID)
        return text;
    char number[48];
    struct tp_str kind = name_of_kind(p, sequence, stage);
    snprintf(number, sizeof number, "render stage(%llu)", (unsigned long long)stage->stage);
    if (stage->kind == TP_KIND_MEMCPY)
        kind = TP_STR("Memcpy");
    else if (stage->kind == TP_KIND_MEMSET)
        kind = TP_STR("Memset (Unknown)");
    else if (stage->kind == TP_KIND_GPU_ANNOTATION)
        kind = TP_STR("");
    else if (!kind.len)
        kind = stage->has_stage ? tp_str_of(number) : TP_STR("[unnamed stage]");
    return tp_interned_add_text(&p->interned, kind);
}

/* Counts what a stage does not show. */
static void count_stage(struct tp_perfetto *p, const struct stage *stage, bool has_name)
{
    bool is_kernel = stage->kind == TP_KIND_KERNEL, is_copy = stage->kind == TP_KIND_MEMCPY;
    p->stage_count++;
    p->kernel_count += is_kernel;
    p->kernels_without_grid += is_kernel && !stage->has_grid;
    p->kernels_with_occupancy += is_kernel && stage->has_occupancy;
    p->graph_kernel_count += is_kernel && stage->has_graph;
    p->copies_without_direction += is_copy && !has_name && !stage->has_direction;
    p->copies_without_kinds += is_copy && !has_name && !stage->has_kinds;
    p->copies_without_bytes += is_copy && !stage->has_bytes;
}

/* Adds all data of a stage to the element that is being built. Returns false if a message is broken. */
static bool add_data(struct tp_perfetto *p, const struct tp_sequence *sequence, struct stage *stage,
                     struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(stage->extra_count > KEPT_EXTRAS ? message : TP_STR(""));
    struct tp_wire_field field;
    for (unsigned i = 0; i < stage->extra_count && stage->extra_count <= KEPT_EXTRAS; i++)
        if (!read_extra(p, stage, stage->extras[i]))
            return false;
    while (tp_wire_next(&wire, &field))
        if (tp_wire_is(&field, 6, TP_WIRE_BYTES) && !read_extra(p, stage, field.bytes))
            return false;
    if (stage->kind == TP_KIND_KERNEL && stage->kernel_iid)
        add_kernel_data(p, sequence, stage);
    if (stage->kind == TP_KIND_KERNEL && stage->launch.ptr && !read_launch(p, sequence, stage))
        return false;
    if (!stage->has_correlation && !p->is_own)
        tp_builder_add_int(&p->builder, TP_ARG_CORRELATION, p->is_torch ? 0 : tp_perfetto_submission(stage->event_id));
    return true;
}

/* Sets the process and the thread of a stage's event: its device and stream, or the row of the exported trace. */
static void set_row(struct tp_perfetto *p, struct tp_built_event *built, const struct stage *stage)
{
    if (stage->row >= 0 && (uint64_t)stage->row < p->tracks.rows.count) {
        const struct tp_exported_row *exported = TP_AT(&p->tracks.rows, struct tp_exported_row, stage->row);
        built->pid = exported->pid;
        built->tid = exported->tid;
        return;
    }
    int64_t device = (int64_t)stage->device;
    struct tp_stream_row *row = tp_stages_row(p, device, stage->stream);
    if (!row->is_named && !p->is_own)
        name_stream(p, row, device, stage->stream);
    built->pid = row->pid_token;
    built->tid = row->tid_token;
}

bool tp_stages_read(struct tp_perfetto *p, struct tp_sequence *sequence, const struct tp_packet *packet)
{
    struct stage stage;
    struct tp_built_event built = {.offset = p->offset};
    if (!read_stage(&stage, packet->stage) || (stage.names.ptr && !read_stage_names(p, stage.names)))
        return false;
    if (stage.names.ptr && !stage.duration)
        return true; /* a packet with names alone has no time */
    if (!tp_perfetto_time(p, sequence, packet, &built.ts_ns))
        return true;
    stage.kind = kind_of_stage(name_of_kind(p, sequence, &stage));
    if (stage.kind == TP_KIND_NONE) {
        p->dropped[TP_DROP_GRAPH_NODES]++;
        p->stage_count++;
        return true;
    }
    tp_builder_begin(&p->builder, 'X');
    if (stage.kind != TP_KIND_GPU_ANNOTATION && !add_data(p, sequence, &stage, packet->stage))
        return false;
    int64_t device = (int64_t)stage.device;
    bool has_stream = stage.stream != TP_NULL_INT;
    if (stage.stream == TP_NULL_INT)
        stage.stream = stream_of_queue(text_of_iid(p, sequence, TP_INTERNED_STAGES, stage.queue_iid));
    if (stage.stream == TP_NULL_INT)
        stage.stream = (int64_t)((stage.has_queue_iid ? stage.queue_iid : stage.queue) & INT32_MAX);
    if (!p->is_own || stage.has_device)
        tp_builder_add_int(&p->builder, TP_ARG_DEVICE, device);
    if (!p->is_own || has_stream)
        add_repeated_int(p, TP_ARG_STREAM, stage.stream);
    set_row(p, &built, &stage);
    built.dur_ns = stage.duration < TP_MAX_TIME_NS ? (int64_t)stage.duration : TP_MAX_TIME_NS;
    built.name = tp_perfetto_name(p, name_of_stage(p, sequence, &stage));
    built.cat = tp_perfetto_category_of_text(p, tp_kind_category_name(stage.kind));
    tp_builder_deliver(&p->builder, &built);
    tp_perfetto_extend(p, built.ts_ns, (int64_t)((uint64_t)built.ts_ns + (uint64_t)built.dur_ns));
    count_stage(p, &stage, stage.name.len || stage.name_iid);
    return true;
}

/* ---- counters of devices ---- */

static void deliver_gpu_counter(struct tp_perfetto *p, struct tp_device_counter counter, uint64_t id, uint32_t name)
{
    char text[48];
    if (name == TP_NO_ID) {
        snprintf(text, sizeof text, "counter %llu", (unsigned long long)id);
        counter.name = tp_sink_intern_text(p->sink, &p->sink->texts, tp_str_of(text));
    } else {
        counter.name = tp_sink_intern_text(p->sink, &p->sink->texts, tp_interned_text(&p->interned, name));
    }
    tp_sink_add_device_counter(p->sink, &counter);
    p->counter_count++;
}

/* Reads one value of a counter. */
static bool read_gpu_counter(struct tp_perfetto *p, const struct tp_sequence *sequence, uint64_t description,
                             struct tp_device_counter *counter, struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    uint64_t id = 0;
    counter->value = 0;
    while (tp_wire_next(&wire, &field)) {
        if (tp_wire_is(&field, 1, TP_WIRE_NUMBER))
            id = field.value;
        else if (tp_wire_is(&field, 2, TP_WIRE_NUMBER))
            counter->value = (double)(int64_t)field.value;
        else if (tp_wire_is(&field, 3, TP_WIRE_FIXED64))
            counter->value = tp_wire_real(&field);
    }
    if (wire.is_broken)
        return false;
    deliver_gpu_counter(p, *counter, id, tp_interned_counter(&p->interned, sequence, description, id));
    return true;
}

bool tp_stages_read_counters(struct tp_perfetto *p, struct tp_sequence *sequence, const struct tp_packet *packet)
{
    struct tp_wire wire = tp_wire_of(packet->counter);
    struct tp_wire_field field;
    struct tp_device_counter counter = {0};
    uint64_t description = 0, device = 0;
    bool has_values = false;
    const struct tp_wire_number wanted[] = {{4, &description}, {3, &device}};
    if (!tp_wire_read_numbers(packet->counter, wanted, 2))
        return false;
    while (tp_wire_next(&wire, &field)) {
        has_values |= tp_wire_is(&field, 2, TP_WIRE_BYTES);
        if (tp_wire_is(&field, 1, TP_WIRE_BYTES) &&
            !tp_interned_data_read_counters(&p->interned, sequence, description, device, field.bytes))
            return false;
    }
    if (!has_values || !tp_perfetto_time(p, sequence, packet, &counter.ts_ns))
        return true; /* a packet with names alone needs no time */
    int64_t described = tp_interned_device(&p->interned, sequence, description);
    counter.device = described == TP_NULL_INT ? (int64_t)device : described;
    wire = tp_wire_of(packet->counter);
    while (tp_wire_next(&wire, &field))
        if (tp_wire_is(&field, 2, TP_WIRE_BYTES) && !read_gpu_counter(p, sequence, description, &counter, field.bytes))
            return false;
    return true;
}
