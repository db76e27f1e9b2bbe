/* Writes device operations as GPU stages. See perfetto_export.h. Fields are those of Perfetto's message
 * GpuRenderStageEvent; names of stages and of their data are those that torch's CUPTI backend writes, and in addition
 * the kinds of copies. */
#include <stdio.h>

#include "webreport/export/perfetto/annotation_writer.h"
#include "webreport/export/perfetto/perfetto_arguments.h"
#include "webreport/trace/copy_class.h"
#include "webreport/trace/inputs/perfetto/exported_facts.h"
#include "webreport/trace/json/value.h"
#include "writer/base/put.h"

/* Names of the stages of each kind. */
static const char *const stage_names[TP_KIND_COUNT] = {[TP_KIND_KERNEL] = "Kernel",
                                                       [TP_KIND_MEMCPY] = "Memcpy",
                                                       [TP_KIND_MEMSET] = "Memset",
                                                       [TP_KIND_GPU_ANNOTATION] = "Annotation"};

/* A stage and its place. */
struct stage {
    const struct tp_event *event;
    const struct tp_thread *row;
    const struct tp_device_detail *device; /* NULL for annotations */
    const struct tp_device_setup *setup;   /* NULL for annotations */
    int64_t gpu, stream;
    bool is_row_implied; /* true if the device and the stream give the row */
};

static struct stage find_stage(const struct tp_pexport *x, uint32_t index)
{
    const struct tp_trace *trace = x->trace;
    struct stage stage = {.event = &trace->events[index]};
    stage.row = &trace->threads[stage.event->thread];
    bool has_detail = tp_kind_is_device(stage.event->kind) && stage.event->detail != TP_NO_ID;
    stage.device = has_detail ? &trace->devices[stage.event->detail] : NULL;
    stage.setup = has_detail ? tp_device_setup(trace, stage.event->detail) : NULL;
    int64_t pid = stage.row->pid.is_text ? TP_NULL_INT : stage.row->pid.number;
    int64_t tid = stage.row->tid.is_text ? TP_NULL_INT : stage.row->tid.number;
    stage.gpu = stage.setup && stage.setup->device != TP_NULL_INT ? stage.setup->device : pid;
    stage.stream = stage.setup && stage.setup->stream != TP_NULL_INT ? stage.setup->stream : tid;
    if (stage.gpu < 0 || stage.gpu > INT32_MAX)
        stage.gpu = 0;
    if (stage.stream < 0)
        stage.stream = 0;
    stage.is_row_implied = stage.gpu == pid && stage.stream == tid;
    return stage;
}

/* ---- data of a stage ---- */

/* Writes a number in units of 1e-9 with nine decimals. */
static void put_billionths(struct tp_pexport *x, const char *key, int64_t value)
{
    char text[48];
    if (value == TP_NULL_INT)
        return;
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    int n = snprintf(text, sizeof text, "%s%llu.%09llu", value < 0 ? "-" : "", (unsigned long long)(size / 1000000000),
                     (unsigned long long)(size % 1000000000));
    tp_stage_text(x->writer, key, (struct tp_str){text, (size_t)n});
}

/* Finds the parts of the name of a copy: "Memcpy HtoD (Pinned -> Device)". Returns false for other names. */
static bool split_copy_name(struct tp_str name, struct tp_str parts[3])
{
    static const char *const between[] = {"Memcpy ", " (", " -> ", ")"};
    for (int i = 0; i < 4; i++) {
        ptrdiff_t at = tp_str_find(name, between[i]);
        if (at < 0 || (i == 0 && at != 0))
            return false;
        if (i > 0)
            parts[i - 1] = (struct tp_str){name.ptr, (size_t)at};
        name = (struct tp_str){name.ptr + at + strlen(between[i]), name.len - (size_t)at - strlen(between[i])};
    }
    return name.len == 0;
}

/* Writes the kinds of a copy if they give its name back. Returns false otherwise. */
static bool put_copy_kinds(struct tp_pexport *x, struct tp_str name)
{
    struct tp_buf made;
    struct tp_str parts[3], tokens[3];
    char text[3][64];
    if (!split_copy_name(name, parts))
        return false;
    for (int i = 0; i < 3; i++) {
        int n =
            snprintf(text[i], sizeof text[i], "\"%.*s\"", (int)(parts[i].len < 60 ? parts[i].len : 60), parts[i].ptr);
        for (int k = 0; i > 0 && k < n; k++) /* torch writes memory kinds as device_static */
            text[i][k] = text[i][k] == ' ' ? '_' : text[i][k];
        tokens[i] = (struct tp_str){text[i], (size_t)n};
    }
    tp_buf_init(&made, 0);
    bool is_same = tp_copy_name_from_args(&made, tokens[0], tokens[1], tokens[2]) && !made.failed &&
                   tp_str_equal((struct tp_str){made.data, made.size}, name);
    tp_buf_release(&made);
    if (!is_same)
        return false;
    tp_stage_json(x->writer, "copy kind", tokens[0]);
    tp_stage_json(x->writer, "src kind", tokens[1]);
    tp_stage_json(x->writer, "dst kind", tokens[2]);
    return true;
}

/* Writes the memory kind of a memory set if it gives the name back. Returns false otherwise. */
static bool put_memory_kind(struct tp_pexport *x, struct tp_str name)
{
    enum { KINDS = 8 };
    bool is_same = false;
    for (int kind = 0; kind < KINDS && !is_same; kind++) {
        struct tp_buf made;
        char digit = (char)('0' + kind);
        tp_buf_init(&made, 0);
        is_same = tp_set_name_from_args(&made, (struct tp_str){&digit, 1}) && !made.failed &&
                  tp_str_equal((struct tp_str){made.data, made.size}, name);
        tp_buf_release(&made);
        if (is_same)
            tp_stage_int(x->writer, "memory kind", kind);
    }
    return is_same;
}

static void put_data(struct tp_pexport *x, const struct stage *stage)
{
    const struct tp_device_setup *setup = stage->setup;
    if (!stage->is_row_implied && x->is_alone)
        tp_argument_int(x, TP_IN_STAGE, TP_EXPORTED_ROW, stage->event->thread);
    if (!setup)
        return;
    tp_argument_int(x, TP_IN_STAGE, "device id", setup->device);
    tp_argument_value(x, TP_IN_STAGE, "stream id", setup->stream_value);
    tp_argument_int(x, TP_IN_STAGE, "correlation", stage->device->correlation);
    tp_argument_int(x, TP_IN_STAGE, "External id", stage->device->external_id);
    tp_argument_int(x, TP_IN_STAGE, "bytes", setup->bytes);
    put_billionths(x, "memory bandwidth (GB/s)", setup->bandwidth_e9);
    tp_argument_int(x, TP_IN_STAGE, "graph id", setup->graph_id);
    tp_argument_value(x, TP_IN_STAGE, "shared memory", setup->shared_memory);
    put_billionths(x, "blocks per SM", setup->blocks_per_sm_e9);
    put_billionths(x, "est. achieved occupancy %", setup->occupancy_pct_e9);
    tp_argument_comm(x, TP_IN_STAGE, stage->device->comm);
    if (tp_event_declared_kind(stage->event) != TP_RANGE_NONE && stage->device->comm == TP_NO_ID)
        tp_argument_text(x, TP_IN_STAGE, "kind", tp_range_kind_text(tp_event_declared_kind(stage->event)));
}

/* ---- launch of a kernel ---- */

/* Writes the three numbers of a grid or block. Returns false if the value is no list of three numbers. */
static bool put_dimensions(struct tp_buf *out, uint32_t field, struct tp_str json)
{
    struct tp_str item;
    int64_t sizes[3] = {0};
    size_t at = 0, count = 0;
    while (count < 3 && tp_value_next(json, &at, NULL, &item))
        sizes[count++] = tp_value_int(item);
    if (count < 3 || sizes[0] < 0 || sizes[1] < 0 || sizes[2] < 0)
        return false;
    size_t dimensions = tp_field_begin(out, field);
    for (uint32_t i = 0; i < 3; i++)
        tp_field_number(out, i + 1, (uint64_t)sizes[i]);
    tp_field_end(out, dimensions);
    return true;
}

static void put_launch(struct tp_pexport *x, const struct tp_device_setup *setup)
{
    enum { LAUNCH = 21, GRID = 1, BLOCK = 2, ARGUMENT = 3 };
    const struct tp_strings *values = &x->trace->values;
    struct tp_buf *out = &x->writer->body;
    int64_t registers =
        setup->registers == TP_NO_ID ? TP_NULL_INT : tp_value_int(tp_strings_get(values, setup->registers));
    if (setup->grid == TP_NO_ID && setup->block == TP_NO_ID && registers == TP_NULL_INT)
        return;
    size_t launch = tp_field_begin(out, LAUNCH);
    if (setup->grid != TP_NO_ID)
        put_dimensions(out, GRID, tp_strings_get(values, setup->grid));
    if (setup->block != TP_NO_ID)
        put_dimensions(out, BLOCK, tp_strings_get(values, setup->block));
    if (registers != TP_NULL_INT) {
        uint64_t name = tp_packet_text(x->writer, TP_PACKET_ARGUMENTS, TP_STR("registers_per_thread"));
        size_t argument = tp_field_begin(out, ARGUMENT);
        tp_field_number(out, 1, name);
        tp_field_number(out, 4, (uint64_t)registers);
        tp_field_end(out, argument);
    }
    tp_field_end(out, launch);
}

/* ---- stages ---- */

static uint64_t number_of_queue(struct tp_pexport *x, const struct stage *stage)
{
    char name[160], description[80];
    int n = snprintf(name, sizeof name, "[%04lld] stream %lld", (long long)stage->stream, (long long)stage->stream);
    int d = snprintf(description, sizeof description, "GPU %lld", (long long)stage->gpu);
    if (!x->is_alone)
        n = snprintf(name, sizeof name, "[%04lld] stream %lld of %.80s, GPU %lld", (long long)stage->stream,
                     (long long)stage->stream, x->export->worker, (long long)stage->gpu);
    return tp_packet_queue(x->writer, (struct tp_str){name, (size_t)n}, (struct tp_str){description, (size_t)d});
}

void tp_pexport_stage(struct tp_pexport *x, const struct tp_edge *edge)
{
    enum { EVENT_ID = 1, DURATION = 2, GPU = 11, QUEUE = 13, STAGE = 14, NAME_IID = 20 };
    struct stage stage = find_stage(x, edge->item);
    struct tp_str name = tp_trace_event_name(x->trace, stage.event);
    struct tp_buf *out = &x->writer->body;
    unsigned kind = stage.event->kind;
    tp_packet_begin(x->writer);
    size_t message = tp_field_begin(out, TP_PACKET_STAGE);
    tp_field_number(out, EVENT_ID, tp_pexport_stage_id(x, edge->item));
    tp_field_number(out, DURATION, (uint64_t)stage.event->dur_ns);
    tp_field_number(out, GPU, (uint64_t)(stage.gpu + (int64_t)x->rank_index * TP_PEXPORT_DEVICES));
    tp_field_number(out, QUEUE, number_of_queue(x, &stage));
    tp_field_number(out, STAGE, tp_packet_text(x->writer, TP_PACKET_STAGES, tp_str_of(stage_names[kind])));
    bool has_name = kind == TP_KIND_MEMCPY   ? !put_copy_kinds(x, name)
                    : kind == TP_KIND_MEMSET ? !put_memory_kind(x, name)
                                             : true;
    if (has_name)
        tp_field_number(out, NAME_IID, tp_packet_text(x->writer, TP_PACKET_NAMES, name));
    if (kind == TP_KIND_KERNEL && stage.setup)
        put_launch(x, stage.setup);
    put_data(x, &stage);
    tp_field_end(out, message);
    tp_packet_end(x->writer, edge->ts_ns);
}
