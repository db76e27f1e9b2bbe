/* Reads databases of nvprof and the NVIDIA Visual Profiler (.nvvp, .nvprof): the records of CUPTI, in tables that are
 * named after their kinds. Texts are in StringTable, calls have CUPTI's numbers instead of names, and an NVTX range is
 * two rows of markers with the same id. */
#include "webreport/trace/copy_class.h"
#include "webreport/trace/inputs/sqlite/producers.h"
#include "webreport/trace/inputs/sqlite/row_parts.h"
#include "writer/base/limits.h"
#include "writer/base/put.h"

#define TABLE(kind) "CUPTI_ACTIVITY_KIND_" kind

enum column {
    ROW_ID,
    VALUE,
    START,
    END,
    DEVICE,
    STREAM,
    CORRELATION,
    NAME,
    REGISTERS,
    GRID_X,
    GRID_Y,
    GRID_Z,
    BLOCK_X,
    BLOCK_Y,
    BLOCK_Z,
    STATIC_SHARED,
    DYNAMIC_SHARED,
    BYTES,
    COPY_KIND,
    SOURCE_KIND,
    TARGET_KIND,
    MEMORY_KIND,
    CALL_NUMBER,
    PROCESS,
    THREAD,
    FLAGS,
    TIME,
    MARKER,
    OBJECT,
    SM_COUNT,
    COMPUTE_MAJOR,
    COMPUTE_MINOR,
    TOTAL_MEMORY,
    COLUMNS
};

static const char *const columns[COLUMNS] = {
    [ROW_ID] = "_id_",
    [VALUE] = "value",
    [START] = "start",
    [END] = "end",
    [DEVICE] = "deviceId",
    [STREAM] = "streamId",
    [CORRELATION] = "correlationId",
    [NAME] = "name",
    [REGISTERS] = "registersPerThread",
    [GRID_X] = "gridX",
    [GRID_Y] = "gridY",
    [GRID_Z] = "gridZ",
    [BLOCK_X] = "blockX",
    [BLOCK_Y] = "blockY",
    [BLOCK_Z] = "blockZ",
    [STATIC_SHARED] = "staticSharedMemory",
    [DYNAMIC_SHARED] = "dynamicSharedMemory",
    [BYTES] = "bytes",
    [COPY_KIND] = "copyKind",
    [SOURCE_KIND] = "srcKind",
    [TARGET_KIND] = "dstKind",
    [MEMORY_KIND] = "memoryKind",
    [CALL_NUMBER] = "cbid",
    [PROCESS] = "processId",
    [THREAD] = "threadId",
    [FLAGS] = "flags",
    [TIME] = "timestamp",
    [MARKER] = "id",
    [OBJECT] = "objectId",
    [SM_COUNT] = "numMultiprocessors",
    [COMPUTE_MAJOR] = "computeCapabilityMajor",
    [COMPUTE_MINOR] = "computeCapabilityMinor",
    [TOTAL_MEMORY] = "globalMemorySize",
};

#define BIT(column) (UINT64_C(1) << (column))

/* The start of an NVTX range whose end has not been read. */
struct open_range {
    int64_t start_ns;
    uint32_t thread;
    struct tp_str text;
};

struct nvprof {
    struct tp_sink *sink;
    struct tp_row_events *events;
    struct tp_row_texts strings;
    struct tp_id_map open_ranges; /* id of a marker: index in ranges */
    struct tp_vec ranges;         /* elements: struct open_range */
    struct tp_id_map sm_counts;   /* id of a device: number of its SMs */
    struct tp_vec devices;        /* its properties, elements: struct tp_str */
    int64_t base_ns;              /* time 0 of the events: the earliest first time of a table, ns */
    uint64_t bad_device_rows, bad_calls, bad_markers, open_count, operations, operators, calls;
};

static bool is_nvprof(const struct tp_database *db)
{
    static const char *const tables[] = {TABLE("KERNEL"), TABLE("CONCURRENT_KERNEL"), TABLE("MEMCPY"), TABLE("RUNTIME"),
                                         TABLE("DRIVER")};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tp_database_has(db, tables[i]))
            return tp_database_has(db, "StringTable");
    return false;
}

/* ---- processes ---- */

static int read_first_pid(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    (void)err;
    return tp_database_int(row, PROCESS, context);
}

/* Operations name no process, so the file is one part, named by the process of the first call. */
static int list_processes(struct tp_database *db, struct tp_vec *pids, struct tp_error *err)
{
    static const char *const tables[] = {TABLE("RUNTIME"), TABLE("DRIVER")};
    int64_t pid = 0;
    int code = TP_OK;
    for (size_t i = 0; i < 2 && code == TP_OK && !pid; i++) {
        const struct tp_database_shape shape = {tables[i], columns, BIT(PROCESS)};
        code = tp_database_scan(db, &shape, read_first_pid, &pid, err);
    }
    *(int64_t *)tp_vec_push(pids) = pid;
    return code < 0 ? code : TP_OK;
}

/* ---- texts, times and devices ---- */

static int read_string(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct nvprof *n = context;
    int64_t id;
    (void)err;
    if (tp_database_int(row, ROW_ID, &id))
        tp_row_texts_add(&n->strings, id, tp_database_text(row, VALUE));
    return TP_OK;
}

static struct tp_str string_of_row(const struct nvprof *n, const struct tp_database_row *row)
{
    return tp_row_texts_get(&n->strings, tp_database_int_or(row, NAME, TP_NULL_INT));
}

/* Lowers the base to the time of a table's first row, and ends the scan. */
static int read_first_time(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct nvprof *n = context;
    int64_t time_ns;
    (void)err;
    if ((tp_database_int(row, START, &time_ns) || tp_database_int(row, TIME, &time_ns)) && time_ns > 0)
        n->base_ns = time_ns < n->base_ns ? time_ns : n->base_ns;
    return 1;
}

/* Reads start and end of a row as times since base_ns. Returns false if they are no possible times. */
static bool read_span(const struct nvprof *n, const struct tp_database_row *row, int64_t span_ns[2])
{
    if (!tp_row_read_span(row, START, END, span_ns) || span_ns[0] <= 0)
        return false;
    span_ns[0] -= n->base_ns;
    span_ns[1] -= n->base_ns;
    return true;
}

static int read_device(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct nvprof *n = context;
    static const struct {
        enum column column;
        const char *key;
    } properties[] = {{SM_COUNT, "numSms"},
                      {COMPUTE_MAJOR, "computeMajor"},
                      {COMPUTE_MINOR, "computeMinor"},
                      {TOTAL_MEMORY, "totalGlobalMem"}};
    int64_t id, value, sm_count = tp_database_int_or(row, SM_COUNT, 0);
    struct tp_buf *text = &n->events->text;
    (void)err;
    if (!tp_database_int(row, MARKER, &id))
        return TP_OK;
    *tp_id_map_find_or_add(&n->sm_counts, (uint64_t)id) = sm_count > 0 && sm_count < INT32_MAX ? (uint32_t)sm_count : 0;
    tp_buf_clear(text);
    tp_buf_printf(text, "{\"id\":%lld,\"name\":", (long long)id);
    tp_put_string(text, string_of_row(n, row), TP_MAX_SHOWN_NAME_BYTES);
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (tp_database_int(row, properties[i].column, &value))
            tp_buf_printf(text, ",\"%s\":%lld", properties[i].key, (long long)value);
    tp_buf_puts(text, "}");
    struct tp_str json = tp_row_events_buffer_text(n->events);
    if (n->devices.count < TP_MAX_DATABASE_TABLES)
        *(struct tp_str *)tp_vec_push(&n->devices) =
            (struct tp_str){tp_arena_copy(n->devices.arena, json.ptr, json.len), json.len};
    return TP_OK;
}

/* ---- operations ---- */

/* Reads the columns that all operations have. Returns false, and counts the row, if its times are impossible. */
static bool start_operation(struct nvprof *n, const struct tp_database_row *row, enum tp_row_cat cat,
                            struct tp_row_device *operation)
{
    int64_t span_ns[2];
    if (!read_span(n, row, span_ns)) {
        n->bad_device_rows++;
        return false;
    }
    *operation = tp_row_start_operation(cat, span_ns);
    operation->device = tp_database_int_or(row, DEVICE, 0);
    operation->stream = tp_database_int_or(row, STREAM, 0);
    operation->correlation = tp_database_int_or(row, CORRELATION, 0);
    uint32_t sm_count = tp_id_map_get(&n->sm_counts, (uint64_t)operation->device);
    operation->sm_count = sm_count == TP_NO_ID ? 0 : sm_count;
    if (!operation->sm_count)
        tp_sink_add_unknown(n->sink, TP_UNKNOWN_DEVICE_PROPERTIES);
    n->operations++;
    return true;
}

static int read_kernel(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct nvprof *n = context;
    struct tp_row_device kernel;
    (void)err;
    if (!start_operation(n, row, TP_ROW_KERNEL, &kernel))
        return TP_OK;
    struct tp_str name = string_of_row(n, row);
    kernel.name = tp_row_events_name(n->events, name.len ? name : TP_STR("[unnamed kernel]"));
    kernel.registers = tp_database_int_or(row, REGISTERS, TP_NULL_INT);
    kernel.shared_memory = tp_database_int_or(row, STATIC_SHARED, 0) + tp_database_int_or(row, DYNAMIC_SHARED, 0);
    for (unsigned i = 0; i < 3; i++) {
        kernel.grid[i] = tp_database_int_or(row, GRID_X + i, TP_NULL_INT);
        kernel.block[i] = tp_database_int_or(row, BLOCK_X + i, TP_NULL_INT);
        if (kernel.grid[i] == TP_NULL_INT || kernel.block[i] == TP_NULL_INT)
            tp_sink_add_unknown(n->sink, TP_UNKNOWN_GRID);
    }
    tp_row_events_add_device(n->events, &kernel);
    return TP_OK;
}

/* Writes a column as a number, or nothing if it is absent. */
static struct tp_str column_token(const struct tp_database_row *row, unsigned column, char digits[TP_PUT_INT])
{
    int64_t value;
    bool is_known = tp_database_int(row, column, &value) && value > 0;
    return (struct tp_str){digits, is_known ? (size_t)(tp_put_int(digits, value) - digits) : 0};
}

static int read_copy(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct nvprof *n = context;
    struct tp_row_device copy;
    char kind[TP_PUT_INT], source[TP_PUT_INT], target[TP_PUT_INT];
    (void)err;
    if (!start_operation(n, row, TP_ROW_COPY, &copy))
        return TP_OK;
    struct tp_str ends[] = {column_token(row, SOURCE_KIND, source), column_token(row, TARGET_KIND, target)};
    tp_buf_clear(&n->events->text);
    if (!tp_copy_name_from_args(&n->events->text, column_token(row, COPY_KIND, kind), ends[0], ends[1])) {
        tp_buf_puts(&n->events->text, "Memcpy");
        tp_sink_add_unknown(n->sink, TP_UNKNOWN_COPY_DIRECTION);
    }
    if (!ends[0].len || !ends[1].len)
        tp_sink_add_unknown(n->sink, TP_UNKNOWN_COPY_MEMORY_KIND);
    copy.name = tp_row_events_buffer_name(n->events);
    if (!tp_database_int(row, BYTES, &copy.bytes))
        tp_sink_add_unknown(n->sink, TP_UNKNOWN_COPY_BYTES);
    tp_row_events_add_device(n->events, &copy);
    return TP_OK;
}

static int read_set(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct nvprof *n = context;
    struct tp_row_device set;
    char kind[TP_PUT_INT];
    (void)err;
    if (!start_operation(n, row, TP_ROW_SET, &set))
        return TP_OK;
    tp_buf_clear(&n->events->text);
    if (!tp_set_name_from_args(&n->events->text, column_token(row, MEMORY_KIND, kind)))
        tp_buf_puts(&n->events->text, "Memset (Unknown)");
    set.name = tp_row_events_buffer_name(n->events);
    tp_database_int(row, BYTES, &set.bytes);
    tp_row_events_add_device(n->events, &set);
    return TP_OK;
}

/* ---- calls ---- */

/* A call of the runtime or the driver, and the number that CUPTI gives it (CUpti_runtime_api_trace_cbid and
 * CUpti_driver_api_trace_cbid). */
struct call_name {
    uint16_t number;
    const char *name;
};

static const struct call_name runtime_calls[] = {{13, "cudaLaunch"},
                                                 {20, "cudaMalloc"},
                                                 {22, "cudaFree"},
                                                 {25, "cudaMallocHost"},
                                                 {26, "cudaFreeHost"},
                                                 {27, "cudaHostAlloc"},
                                                 {31, "cudaMemcpy"},
                                                 {41, "cudaMemcpyAsync"},
                                                 {44, "cudaMemcpy2DAsync"},
                                                 {49, "cudaMemset"},
                                                 {51, "cudaMemsetAsync"},
                                                 {126, "cudaThreadSynchronize"},
                                                 {131, "cudaStreamSynchronize"},
                                                 {135, "cudaEventRecord"},
                                                 {137, "cudaEventSynchronize"},
                                                 {138, "cudaEventQuery"},
                                                 {147, "cudaStreamWaitEvent"},
                                                 {161, "cudaMemcpyPeerAsync"},
                                                 {165, "cudaDeviceSynchronize"},
                                                 {211, "cudaLaunchKernel"},
                                                 {269, "cudaLaunchCooperativeKernel"},
                                                 {311, "cudaGraphLaunch"}};
static const struct call_name driver_calls[] = {{17, "cuCtxSynchronize"},
                                                {119, "cuEventRecord"},
                                                {121, "cuEventSynchronize"},
                                                {126, "cuStreamSynchronize"},
                                                {216, "cuMemsetD8Async"},
                                                {220, "cuMemsetD32Async"},
                                                {243, "cuMemAlloc"},
                                                {245, "cuMemFree"},
                                                {276, "cuMemcpyHtoD"},
                                                {277, "cuMemcpyHtoDAsync"},
                                                {278, "cuMemcpyDtoH"},
                                                {279, "cuMemcpyDtoHAsync"},
                                                {280, "cuMemcpyDtoD"},
                                                {281, "cuMemcpyDtoDAsync"},
                                                {295, "cuStreamWaitEvent"},
                                                {307, "cuLaunchKernel"},
                                                {477, "cuLaunchCooperativeKernel"},
                                                {514, "cuGraphLaunch"}};

/* Returns the id in names of a call; "cbid_N" for a number that is not in the list. */
static uint32_t name_of_call(struct nvprof *n, const struct call_name *calls, size_t count, int64_t number)
{
    for (size_t i = 0; i < count; i++)
        if (calls[i].number == number)
            return tp_row_events_name(n->events, tp_str_of(calls[i].name));
    tp_buf_clear(&n->events->text);
    tp_buf_printf(&n->events->text, "cbid_%lld", (long long)number);
    return tp_row_events_buffer_name(n->events);
}

static uint32_t host_thread(struct nvprof *n, int64_t pid, int64_t tid)
{
    const struct tp_str none = {NULL, 0};
    return tp_row_events_thread(n->events, pid, (int64_t)((uint64_t)tid & UINT32_MAX), none, none);
}

static int read_call(struct nvprof *n, const struct tp_database_row *row, enum tp_row_cat cat)
{
    const struct call_name *calls = cat == TP_ROW_DRIVER ? driver_calls : runtime_calls;
    size_t count = cat == TP_ROW_DRIVER ? sizeof driver_calls / sizeof *driver_calls
                                        : sizeof runtime_calls / sizeof *runtime_calls;
    int64_t span_ns[2];
    if (!read_span(n, row, span_ns)) {
        n->bad_calls++;
        return TP_OK;
    }
    n->calls++;
    uint32_t thread = host_thread(n, tp_database_int_or(row, PROCESS, 0), tp_database_int_or(row, THREAD, 0));
    tp_row_events_add_call(n->events, cat, name_of_call(n, calls, count, tp_database_int_or(row, CALL_NUMBER, 0)),
                           thread, span_ns, tp_database_int_or(row, CORRELATION, 0));
    return TP_OK;
}

static int read_runtime_call(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    (void)err;
    return read_call(context, row, TP_ROW_RUNTIME);
}

static int read_driver_call(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    (void)err;
    return read_call(context, row, TP_ROW_DRIVER);
}

/* ---- NVTX ranges ---- */

/* Returns a little-endian number of `size` bytes at the start of `bytes`, which has that many. */
static int64_t little_endian(const char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = size; i-- > 0;)
        value = value << 8 | (unsigned char)bytes[i];
    return (int64_t)value;
}

/* Returns the thread of a marker: its object is the process in 4 bytes and the thread in 8. */
static uint32_t thread_of_marker(struct nvprof *n, const struct tp_database_row *row)
{
    struct tp_str object = tp_database_bytes(row, OBJECT);
    int64_t pid = object.len >= 4 ? little_endian(object.ptr, 4) : 0;
    return host_thread(n, pid, object.len >= 12 ? little_endian(object.ptr + 4, 8) : 0);
}

static void close_range(struct nvprof *n, int64_t id, int64_t end_ns)
{
    uint32_t *index = tp_id_map_find_or_add(&n->open_ranges, (uint64_t)id);
    if (*index == TP_NO_ID || TP_AT(&n->ranges, struct open_range, *index)->start_ns > end_ns) {
        n->bad_markers++;
        return;
    }
    const struct open_range *range = TP_AT(&n->ranges, struct open_range, *index);
    const int64_t span_ns[2] = {range->start_ns, end_ns};
    n->operators += tp_row_add_marker(n->events, range->text, range->thread, span_ns);
    *index = TP_NO_ID;
    n->open_count--;
}

static int read_marker(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    enum { STARTS = 2, ENDS = 4 }; /* CUpti_ActivityFlag */
    struct nvprof *n = context;
    int64_t id, time_ns, flags = tp_database_int_or(row, FLAGS, 0);
    (void)err;
    if (!(flags & (STARTS | ENDS)))
        return TP_OK; /* a single point in time */
    if (!tp_database_int(row, MARKER, &id) || !tp_database_int(row, TIME, &time_ns) || time_ns <= 0) {
        n->bad_markers++;
        return TP_OK;
    }
    time_ns -= n->base_ns;
    if (flags & ENDS) {
        close_range(n, id, time_ns);
        return TP_OK;
    }
    n->open_count++;
    *tp_id_map_find_or_add(&n->open_ranges, (uint64_t)id) = (uint32_t)n->ranges.count;
    *(struct open_range *)tp_vec_push(&n->ranges) =
        (struct open_range){time_ns, thread_of_marker(n, row), string_of_row(n, row)};
    return TP_OK;
}

/* ---- the whole file ---- */

static int read_tables(struct nvprof *n, struct tp_database *db, struct tp_error *err)
{
    const uint64_t span = BIT(START) | BIT(END), operation = span | BIT(DEVICE) | BIT(STREAM) | BIT(CORRELATION);
    const uint64_t kernel = operation | BIT(NAME) | (BIT(DYNAMIC_SHARED + 1) - BIT(REGISTERS));
    const uint64_t copy = operation | BIT(BYTES) | BIT(COPY_KIND) | BIT(SOURCE_KIND) | BIT(TARGET_KIND);
    const uint64_t call = span | BIT(CALL_NUMBER) | BIT(PROCESS) | BIT(THREAD) | BIT(CORRELATION);
    const struct {
        const char *table;
        uint64_t columns;
        tp_database_use *use;
    } tables[] = {{"StringTable", BIT(ROW_ID) | BIT(VALUE), read_string},
                  {TABLE("DEVICE"), BIT(MARKER) | BIT(NAME) | (BIT(TOTAL_MEMORY + 1) - BIT(SM_COUNT)), read_device},
                  {TABLE("RUNTIME"), call, read_runtime_call},
                  {TABLE("DRIVER"), call, read_driver_call},
                  {TABLE("MARKER"), BIT(FLAGS) | BIT(TIME) | BIT(MARKER) | BIT(OBJECT) | BIT(NAME), read_marker},
                  {TABLE("KERNEL"), kernel, read_kernel},
                  {TABLE("CONCURRENT_KERNEL"), kernel, read_kernel},
                  {TABLE("MEMCPY"), copy, read_copy},
                  {TABLE("MEMCPY2"), copy, read_copy},
                  {TABLE("MEMSET"), operation | BIT(BYTES) | BIT(MEMORY_KIND), read_set}};
    const size_t count = sizeof tables / sizeof *tables;
    int code = TP_OK;
    n->base_ns = INT64_MAX;
    for (size_t i = 0; code >= 0 && i < count; i++) {
        const struct tp_database_shape shape = {tables[i].table, columns, tables[i].columns & (BIT(START) | BIT(TIME))};
        code = shape.columns ? tp_database_scan(db, &shape, read_first_time, n, err) : TP_OK;
    }
    for (size_t i = 0; code >= 0 && i < count; i++) {
        const struct tp_database_shape shape = {tables[i].table, columns, tables[i].columns};
        code = tp_database_scan(db, &shape, tables[i].use, n, err);
    }
    return code;
}

static void add_members(struct nvprof *n)
{
    struct tp_buf *text = &n->events->text;
    tp_buf_clear(text);
    for (size_t i = 0; i < n->devices.count; i++) {
        const struct tp_str *device = TP_AT(&n->devices, struct tp_str, i);
        tp_buf_printf(text, "%s%.*s", i ? "," : "[", (int)device->len, device->ptr);
    }
    tp_buf_puts(text, n->devices.count ? "]" : "[]");
    /* times from 1973 on are those of the wall clock */
    tp_row_events_add_members(n->events, n->base_ns > INT64_C(100000000000000000) ? n->base_ns : 0,
                              tp_row_events_buffer_text(n->events));
}

static void add_facts(struct nvprof *n)
{
    const struct {
        const char *what;
        uint64_t count;
        unsigned needs;
    } dropped[] = {{"device rows", n->bad_device_rows, TP_NEED_DEVICE},
                   {"API rows", n->bad_calls, TP_NEED_RUNTIME},
                   {"NVTX markers", n->bad_markers + n->open_count, TP_NEED_HOST}};
    tp_sink_set_producer(n->sink, TP_STR("nvprof"));
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
        if (dropped[i].count)
            tp_sink_count_dropped(n->sink, dropped[i].what, dropped[i].count, dropped[i].needs);
    add_members(n);
    tp_row_events_finish(n->events);
}

static int read_database(struct tp_database *db, struct tp_source *source, struct tp_row_events *events, int64_t pid)
{
    struct tp_arena *scratch = events->scratch;
    struct nvprof n = {.sink = source->sink,
                       .events = events,
                       .ranges = TP_VEC(scratch, struct open_range),
                       .devices = TP_VEC(scratch, struct tp_str)};
    (void)pid;
    tp_row_texts_init(&n.strings, scratch);
    tp_id_map_init(&n.open_ranges, scratch);
    tp_id_map_init(&n.sm_counts, scratch);
    int code = read_tables(&n, db, source->err);
    if (code < 0)
        return code;
    if (!n.operations)
        return tp_error_set(source->err, TP_EFORMAT, 0, "%s", tp_nvprof_producer.refusal);
    add_facts(&n);
    return TP_OK;
}

const struct tp_database_producer tp_nvprof_producer = {
    is_nvprof, list_processes, read_database,
    "is a database of nvprof without a device operation: record on a GPU, without --profile-from-start off"};
