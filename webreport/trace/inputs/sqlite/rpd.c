/* Reads rpd, the database of rocmProfileData: see row_parts.h. */
#include <stdio.h>
#include <stdlib.h>

#include "webreport/trace/inputs/sqlite/producers.h"
#include "webreport/trace/inputs/sqlite/row_parts.h"
#include "writer/base/limits.h"

enum column {
    ID,
    STRING,
    API_ID,
    OP_ID,
    API_PTR_ID,
    SIZE,
    KIND,
    GRID_X,
    GRID_Y,
    GRID_Z,
    GROUP_X,
    GROUP_Y,
    GROUP_Z,
    GPU_ID,
    QUEUE_ID,
    START,
    END,
    DESCRIPTION_ID,
    OP_TYPE_ID,
    PID,
    TID,
    API_NAME_ID,
    DEVICE_TYPE,
    DEVICE_ID,
    MONITOR_TYPE,
    VALUE,
    COLUMNS
};

static const char *const columns[COLUMNS] = {
    [ID] = "id",
    [STRING] = "string",
    [API_ID] = "api_id",
    [OP_ID] = "op_id",
    [API_PTR_ID] = "api_ptr_id",
    [SIZE] = "size",
    [KIND] = "kind",
    [GRID_X] = "gridX",
    [GRID_Y] = "gridY",
    [GRID_Z] = "gridZ",
    [GROUP_X] = "workgroupX",
    [GROUP_Y] = "workgroupY",
    [GROUP_Z] = "workgroupZ",
    [GPU_ID] = "gpuId",
    [QUEUE_ID] = "queueId",
    [START] = "start",
    [END] = "end",
    [DESCRIPTION_ID] = "description_id",
    [OP_TYPE_ID] = "opType_id",
    [PID] = "pid",
    [TID] = "tid",
    [API_NAME_ID] = "apiName_id",
    [DEVICE_TYPE] = "deviceType",
    [DEVICE_ID] = "deviceId",
    [MONITOR_TYPE] = "monitorType",
    [VALUE] = "value",
};

#define BIT(column) (UINT64_C(1) << (column))

/* What a call passed to a copy or a kernel. */
struct call {
    int64_t bytes, kind; /* of a copy; TP_NULL_INT if absent */
    int64_t grid[3], block[3];
    bool is_kernel;
};

struct rpd {
    struct tp_database *db;
    struct tp_sink *sink;
    struct tp_row_events *events;
    struct tp_row_texts strings;
    struct tp_id_map call_of_operation; /* op_id: api_id, if it has 32 bits */
    struct tp_id_map call_index;        /* api_ptr_id: index in calls */
    struct tp_vec calls;                /* elements: struct call */
    uint64_t bad_device_rows, bad_calls, operations, operators, runtime_calls;
};

static bool is_rpd(const struct tp_database *db)
{
    return tp_database_has(db, "rocpd_op") && tp_database_has(db, "rocpd_api");
}

/* ---- processes ---- */

static int read_first_pid(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    (void)err;
    return tp_database_int(row, PID, context);
}

/* A file has the calls of all processes, and its operations name none. So the file is one part, named by the first
 * process. */
static int list_processes(struct tp_database *db, struct tp_vec *pids, struct tp_error *err)
{
    const struct tp_database_shape shape = {"rocpd_api", columns, BIT(PID)};
    int64_t pid = 0;
    int code = tp_database_scan(db, &shape, read_first_pid, &pid, err);
    *(int64_t *)tp_vec_push(pids) = pid;
    return code;
}

/* ---- small tables ---- */

static int read_string(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct rpd *r = context;
    int64_t id;
    (void)err;
    if (tp_database_int(row, ID, &id))
        tp_row_texts_add(&r->strings, id, tp_database_text(row, STRING));
    return TP_OK;
}

static int read_link(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct rpd *r = context;
    int64_t operation, call;
    (void)err;
    if (tp_database_int(row, OP_ID, &operation) && tp_database_int(row, API_ID, &call) && call >= 0 &&
        call < UINT32_MAX)
        *tp_id_map_find_or_add(&r->call_of_operation, (uint64_t)operation) = (uint32_t)call;
    return TP_OK;
}

/* Returns the entry of the call that a row names, which is added if it is missing; NULL without a call. */
static struct call *call_of_row(struct rpd *r, const struct tp_database_row *row)
{
    int64_t id;
    if (!tp_database_int(row, API_PTR_ID, &id))
        return NULL;
    uint32_t *index = tp_id_map_find_or_add(&r->call_index, (uint64_t)id);
    if (*index == TP_NO_ID) {
        *index = (uint32_t)r->calls.count;
        *(struct call *)tp_vec_push(&r->calls) = (struct call){.bytes = TP_NULL_INT, .kind = TP_NULL_INT};
    }
    return TP_AT(&r->calls, struct call, *index);
}

static int read_copy_call(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct call *call = call_of_row(context, row);
    (void)err;
    if (!call)
        return TP_OK;
    tp_database_int(row, SIZE, &call->bytes);
    tp_database_int(row, KIND, &call->kind);
    return TP_OK;
}

static int read_kernel_call(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct call *call = call_of_row(context, row);
    (void)err;
    for (unsigned i = 0; call && i < 3; i++) {
        call->is_kernel = true;
        call->block[i] = tp_database_int_or(row, GROUP_X + i, 1);
        call->grid[i] = tp_row_blocks(tp_database_int_or(row, GRID_X + i, 1), call->block[i]);
    }
    return TP_OK;
}

/* ---- operations ---- */

static const char *copy_direction(struct tp_str type, const struct call *call)
{
    static const char *const names[] = {"CopyHostToDevice", "CopyDeviceToHost", "CopyDeviceToDevice"};
    static const char *const directions[] = {"HtoD", "DtoH", "DtoD"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tp_str_equal(type, tp_str_of(names[i])) || (call && call->kind == (int64_t)i + 1))
            return directions[i];
    return NULL;
}

static void deliver_copy(struct rpd *r, struct tp_row_device *copy, struct tp_str type, const struct call *call)
{
    const char *direction = copy_direction(type, call);
    copy->cat = TP_ROW_COPY;
    copy->name = tp_row_copy_name(r->events, direction);
    copy->bytes = call ? call->bytes : TP_NULL_INT;
    tp_sink_add_unknown(r->sink, (direction ? 0u : TP_UNKNOWN_COPY_DIRECTION) |
                                     (copy->bytes == TP_NULL_INT ? TP_UNKNOWN_COPY_BYTES : 0u));
    tp_row_events_add_device(r->events, copy);
}

static void deliver_kernel(struct rpd *r, struct tp_row_device *kernel, struct tp_str name, const struct call *call)
{
    kernel->name = tp_row_events_name(r->events, name);
    if (call && call->is_kernel) {
        memcpy(kernel->grid, call->grid, sizeof call->grid);
        memcpy(kernel->block, call->block, sizeof call->block);
    } else {
        tp_sink_add_unknown(r->sink, TP_UNKNOWN_GRID);
    }
    tp_row_events_add_device(r->events, kernel);
}

static int read_operation(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    static const char *const kernels[] = {"Kernel", "Task", NULL};
    struct rpd *r = context;
    int64_t span_ns[2], id = tp_database_int_or(row, ID, TP_NULL_INT);
    (void)err;
    if (!tp_row_read_span(row, START, END, span_ns)) {
        r->bad_device_rows++;
        return TP_OK;
    }
    uint32_t api = tp_id_map_get(&r->call_of_operation, (uint64_t)id);
    uint32_t index = api == TP_NO_ID ? TP_NO_ID : tp_id_map_get(&r->call_index, api);
    const struct call *call = index == TP_NO_ID ? NULL : TP_AT(&r->calls, struct call, index);
    struct tp_str type = tp_row_texts_get(&r->strings, tp_database_int_or(row, OP_TYPE_ID, TP_NULL_INT));
    struct tp_str name = tp_row_texts_get(&r->strings, tp_database_int_or(row, DESCRIPTION_ID, TP_NULL_INT));
    struct tp_row_device operation = tp_row_start_operation(TP_ROW_KERNEL, span_ns);
    operation.device = tp_database_int_or(row, GPU_ID, 0);
    operation.stream = tp_database_int_or(row, QUEUE_ID, 0);
    operation.correlation = api == TP_NO_ID ? 0 : (int64_t)api;
    r->operations++;
    if (tp_str_starts(type, "Copy")) {
        deliver_copy(r, &operation, type, call);
    } else if (tp_str_starts(type, "FillBuffer")) {
        operation.cat = TP_ROW_SET;
        operation.name = tp_row_events_name(r->events, TP_STR("Memset (Device)"));
        tp_row_events_add_device(r->events, &operation);
    } else if (tp_str_starts_with_one_of(type, kernels)) {
        deliver_kernel(r, &operation, name.len ? name : type, call);
    } else {
        char what[80];
        r->operations--;
        snprintf(what, sizeof what, "op %.*s", (int)(type.len < 60 ? type.len : 60), type.ptr);
        tp_sink_count_dropped(r->sink, what, 1, 0);
    }
    return TP_OK;
}

/* ---- calls and counters ---- */

static int read_call(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct rpd *r = context;
    const struct tp_str none = {NULL, 0};
    int64_t span_ns[2];
    (void)err;
    if (!tp_row_read_span(row, START, END, span_ns)) {
        r->bad_calls++;
        return TP_OK;
    }
    struct tp_str name = tp_row_texts_get(&r->strings, tp_database_int_or(row, API_NAME_ID, TP_NULL_INT));
    uint32_t thread =
        tp_row_events_thread(r->events, tp_database_int_or(row, PID, 0), tp_database_int_or(row, TID, 0), none, none);
    if (!tp_str_starts(name, "hip")) {
        r->operators += tp_row_add_marker(r->events, name, thread, span_ns);
        return TP_OK;
    }
    r->runtime_calls++;
    tp_row_events_add_call(r->events, TP_ROW_RUNTIME, tp_row_events_name(r->events, name), thread, span_ns,
                           tp_database_int_or(row, ID, 0));
    return TP_OK;
}

static int read_monitor(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct rpd *r = context;
    struct tp_str name = tp_database_text(row, MONITOR_TYPE), text = tp_database_text(row, VALUE);
    struct tp_device_counter counter = {.device = tp_database_int_or(row, DEVICE_ID, 0)};
    char number[32] = "";
    char *end = number;
    int64_t whole;
    (void)err;
    if (!name.len || !tp_database_int(row, START, &counter.ts_ns))
        return TP_OK;
    if (text.ptr && text.len < sizeof number)
        memcpy(number, text.ptr, text.len);
    counter.value = strtod(number, &end);
    if (end == number && tp_database_int(row, VALUE, &whole))
        counter.value = (double)whole;
    else if (end == number)
        return TP_OK;
    counter.name = tp_sink_intern_text(r->sink, &r->sink->texts, name);
    tp_sink_add_device_counter(r->sink, &counter);
    return TP_OK;
}

/* ---- the whole file ---- */

static void add_facts(struct rpd *r)
{
    uint32_t unknown = TP_UNKNOWN_ALLOCATOR | TP_UNKNOWN_SHAPES | TP_UNKNOWN_STACKS | TP_UNKNOWN_OCCUPANCY |
                       TP_UNKNOWN_COPY_MEMORY_KIND | TP_UNKNOWN_DTYPES | TP_UNKNOWN_RANKS | TP_UNKNOWN_FORWARD_LINKS |
                       TP_UNKNOWN_DEVICE_PROPERTIES;
    unknown |= r->operators ? 0 : TP_UNKNOWN_OPERATORS;
    unknown |= r->runtime_calls ? 0 : TP_UNKNOWN_RUNTIME_CALLS;
    tp_sink_add_unknown(r->sink, unknown);
    tp_sink_set_producer(r->sink, TP_STR("rocmProfileData (rpd)"));
    if (r->bad_device_rows)
        tp_sink_count_dropped(r->sink, "device rows", r->bad_device_rows, TP_NEED_DEVICE);
    if (r->bad_calls)
        tp_sink_count_dropped(r->sink, "API rows", r->bad_calls, TP_NEED_RUNTIME);
    tp_row_events_add_members(r->events, 0, TP_STR("[]"));
    tp_row_events_finish(r->events);
}

static int read_tables(struct rpd *r, struct tp_error *err)
{
    static const struct {
        const char *table;
        uint64_t columns;
        tp_database_use *use;
    } tables[] = {
        {"rocpd_string", BIT(ID) | BIT(STRING), read_string},
        {"rocpd_api_ops", BIT(API_ID) | BIT(OP_ID), read_link},
        {"rocpd_copyapi", BIT(API_PTR_ID) | BIT(SIZE) | BIT(KIND), read_copy_call},
        {"rocpd_kernelapi", BIT(API_PTR_ID) | (BIT(GROUP_Z + 1) - BIT(GRID_X)), read_kernel_call},
        {"rocpd_op",
         BIT(ID) | BIT(GPU_ID) | BIT(QUEUE_ID) | BIT(START) | BIT(END) | BIT(DESCRIPTION_ID) | BIT(OP_TYPE_ID),
         read_operation},
        {"rocpd_api", BIT(ID) | BIT(PID) | BIT(TID) | BIT(START) | BIT(END) | BIT(API_NAME_ID), read_call},
        {"rocpd_monitor", BIT(DEVICE_ID) | BIT(MONITOR_TYPE) | BIT(START) | BIT(VALUE), read_monitor}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct tp_database_shape shape = {tables[i].table, columns, tables[i].columns};
        int code = tp_database_scan(r->db, &shape, tables[i].use, r, err);
        if (code < 0)
            return code;
    }
    return TP_OK;
}

static int read_database(struct tp_database *db, struct tp_source *source, struct tp_row_events *events, int64_t pid)
{
    struct tp_arena *scratch = events->scratch;
    struct rpd r = {.db = db, .sink = source->sink, .events = events, .calls = TP_VEC(scratch, struct call)};
    (void)pid;
    tp_row_texts_init(&r.strings, scratch);
    tp_id_map_init(&r.call_of_operation, scratch);
    tp_id_map_init(&r.call_index, scratch);
    int code = read_tables(&r, source->err);
    if (code < 0)
        return code;
    if (!r.operations)
        return tp_error_set(source->err, TP_EFORMAT, 0, "%s", tp_rpd_producer.refusal);
    add_facts(&r);
    return TP_OK;
}

const struct tp_database_producer tp_rpd_producer = {
    is_rpd, list_processes, read_database,
    "is a rocmProfileData file without a device operation: record with runTracer.sh"};
