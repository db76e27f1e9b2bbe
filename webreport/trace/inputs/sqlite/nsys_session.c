/* Reads the small tables of an export of Nsight Systems: texts, kinds, processes, devices and the start of the session.
 * See nsys.h. */
#include "webreport/trace/inputs/sqlite/nsys.h"
#include "writer/base/limits.h"
#include "writer/base/put.h"

const char *const tp_nsys_columns[TP_NSYS_COLUMNS] = {
    [TP_NSYS_START] = "start",
    [TP_NSYS_END] = "end",
    [TP_NSYS_DEVICE] = "deviceId",
    [TP_NSYS_CONTEXT] = "contextId",
    [TP_NSYS_STREAM] = "streamId",
    [TP_NSYS_CORRELATION] = "correlationId",
    [TP_NSYS_GLOBAL_PID] = "globalPid",
    [TP_NSYS_GRAPH_NODE] = "graphNodeId",
    [TP_NSYS_GRAPH] = "graphId",
    [TP_NSYS_DEMANGLED_NAME] = "demangledName",
    [TP_NSYS_SHORT_NAME] = "shortName",
    [TP_NSYS_MANGLED_NAME] = "mangledName",
    [TP_NSYS_REGISTERS] = "registersPerThread",
    [TP_NSYS_GRID_X] = "gridX",
    [TP_NSYS_GRID_Y] = "gridY",
    [TP_NSYS_GRID_Z] = "gridZ",
    [TP_NSYS_BLOCK_X] = "blockX",
    [TP_NSYS_BLOCK_Y] = "blockY",
    [TP_NSYS_BLOCK_Z] = "blockZ",
    [TP_NSYS_STATIC_SHARED] = "staticSharedMemory",
    [TP_NSYS_DYNAMIC_SHARED] = "dynamicSharedMemory",
    [TP_NSYS_BYTES] = "bytes",
    [TP_NSYS_COPY_KIND] = "copyKind",
    [TP_NSYS_SOURCE_KIND] = "srcKind",
    [TP_NSYS_TARGET_KIND] = "dstKind",
    [TP_NSYS_MEMORY_KIND] = "memKind",
    [TP_NSYS_SYNC_TYPE] = "syncType",
    [TP_NSYS_GLOBAL_TID] = "globalTid",
    [TP_NSYS_NAME_ID] = "nameId",
    [TP_NSYS_EVENT_TYPE] = "eventType",
    [TP_NSYS_TEXT] = "text",
    [TP_NSYS_TEXT_ID] = "textId",
    [TP_NSYS_DOMAIN] = "domainId",
    [TP_NSYS_PAYLOAD] = "binaryData",
};

/* ---- columns of the small tables ---- */

enum small_column {
    ID,
    VALUE,
    NAME,
    LABEL,
    GLOBAL_PID,
    GLOBAL_TID,
    NAME_ID,
    UTC_NS,
    GPU_ID,
    CUDA_ID,
    PID,
    FIRST_PROPERTY,
    TOTAL_MEMORY = FIRST_PROPERTY,
    COMPUTE_MAJOR,
    COMPUTE_MINOR,
    MOST_THREADS_PER_BLOCK,
    REGISTERS_PER_BLOCK,
    THREADS_PER_WARP,
    SHARED_PER_BLOCK,
    SM_COUNT,
    REGISTERS_PER_SM,
    SHARED_PER_BLOCK_OPTIN,
    SHARED_PER_SM,
    LAST_PROPERTY = SHARED_PER_SM,
    WARPS_PER_SM,
    SMALL_COLUMNS
};

static const char *const small_columns[SMALL_COLUMNS] = {
    [ID] = "id",
    [VALUE] = "value",
    [NAME] = "name",
    [LABEL] = "label",
    [GLOBAL_PID] = "globalPid",
    [GLOBAL_TID] = "globalTid",
    [NAME_ID] = "nameId",
    [UTC_NS] = "utcEpochNs",
    [GPU_ID] = "gpuId",
    [CUDA_ID] = "cudaId",
    [PID] = "pid",
    [TOTAL_MEMORY] = "totalMemory",
    [COMPUTE_MAJOR] = "computeMajor",
    [COMPUTE_MINOR] = "computeMinor",
    [MOST_THREADS_PER_BLOCK] = "maxThreadsPerBlock",
    [REGISTERS_PER_BLOCK] = "maxRegistersPerBlock",
    [THREADS_PER_WARP] = "threadsPerWarp",
    [SHARED_PER_BLOCK] = "maxShmemPerBlock",
    [SM_COUNT] = "smCount",
    [REGISTERS_PER_SM] = "maxRegistersPerSm",
    [SHARED_PER_BLOCK_OPTIN] = "maxShmemPerBlockOptin",
    [SHARED_PER_SM] = "maxShmemPerSm",
    [WARPS_PER_SM] = "maxWarpsPerSm",
};

/* Keys of deviceProperties in traces of torch.profiler, by column. */
static const char *const property_keys[SMALL_COLUMNS] = {
    [TOTAL_MEMORY] = "totalGlobalMem",
    [COMPUTE_MAJOR] = "computeMajor",
    [COMPUTE_MINOR] = "computeMinor",
    [MOST_THREADS_PER_BLOCK] = "maxThreadsPerBlock",
    [REGISTERS_PER_BLOCK] = "regsPerBlock",
    [THREADS_PER_WARP] = "warpSize",
    [SHARED_PER_BLOCK] = "sharedMemPerBlock",
    [SM_COUNT] = "numSms",
    [REGISTERS_PER_SM] = "regsPerMultiprocessor",
    [SHARED_PER_BLOCK_OPTIN] = "sharedMemPerBlockOptin",
    [SHARED_PER_SM] = "sharedMemPerMultiprocessor",
};

#define BIT(column) (UINT64_C(1) << (column))

/* ---- texts ---- */

/* Adds a text to nsys->strings. Returns its index. */
static uint32_t add_string(struct tp_nsys *nsys, struct tp_str text)
{
    struct tp_nsys_string *string = tp_vec_push(&nsys->strings);
    *string =
        (struct tp_nsys_string){{tp_arena_copy(nsys->scratch, text.ptr, text.len), text.len}, TP_NO_ID, TP_NO_ID, 0};
    return (uint32_t)nsys->strings.count - 1;
}

static int read_string(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct tp_nsys *nsys = context;
    struct tp_str text = tp_database_text(row, VALUE);
    int64_t id;
    (void)err;
    if (text.ptr && tp_database_int(row, ID, &id))
        *tp_id_map_find_or_add(&nsys->string_index, (uint64_t)id) = add_string(nsys, text);
    return TP_OK;
}

struct tp_str tp_nsys_text(const struct tp_nsys *nsys, const struct tp_database_row *row, unsigned column,
                           uint32_t *string)
{
    int64_t id;
    *string = tp_database_int(row, column, &id) ? tp_id_map_get(&nsys->string_index, (uint64_t)id) : TP_NO_ID;
    /* a column of texts contains numbers of texts too, or, in files made by hand, the text itself */
    return *string == TP_NO_ID ? tp_database_text(row, column)
                               : TP_AT(&nsys->strings, struct tp_nsys_string, *string)->text;
}

/* ---- names and kinds ---- */

static struct tp_str copy_text(struct tp_nsys *nsys, struct tp_str text)
{
    return text.ptr ? (struct tp_str){tp_arena_copy(nsys->scratch, text.ptr, text.len), text.len} : text;
}

static int read_export_fact(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct tp_nsys *nsys = context;
    struct tp_str name = tp_database_text(row, NAME);
    const struct {
        const char *name;
        struct tp_str *text;
    } facts[] = {{"EXPORT_PRODUCT_VERSION", &nsys->product},
                 {"EXPORT_SCHEMA_VERSION", &nsys->schema},
                 {"DEVICE_DISPLAY_NAME", &nsys->host},
                 {"CUDA_GRAPH_TRACE_OPTIONS:MODE", &nsys->graph_mode}};
    (void)err;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (!facts[i].text->ptr && tp_str_equal(name, tp_str_of(facts[i].name)))
            *facts[i].text = copy_text(nsys, tp_database_text(row, VALUE));
    return TP_OK;
}

static int read_memory_kind(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct tp_nsys *nsys = context;
    struct tp_str label = tp_database_text(row, LABEL);
    int64_t id = tp_database_int_or(row, ID, -1);
    (void)err;
    if (id >= 0 && id < (int64_t)(sizeof nsys->memory_kinds / sizeof *nsys->memory_kinds) && label.ptr)
        nsys->memory_kinds[id] = copy_text(nsys, label);
    return TP_OK;
}

static int read_process(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct tp_nsys *nsys = context;
    struct tp_str name = tp_database_text(row, NAME);
    int64_t id;
    (void)err;
    if (tp_database_int(row, GLOBAL_PID, &id) && name.len && tp_nsys_pid(id) == nsys->pid)
        *tp_id_map_find_or_add(&nsys->process_names, (uint64_t)nsys->pid) = add_string(nsys, name);
    return TP_OK;
}

static int read_thread(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct tp_nsys *nsys = context;
    uint32_t string;
    int64_t id;
    struct tp_str name = tp_nsys_text(nsys, row, NAME_ID, &string);
    (void)err;
    if (tp_database_int(row, GLOBAL_TID, &id) && name.len && tp_nsys_pid(id) == nsys->pid)
        *tp_id_map_find_or_add(&nsys->thread_names, (uint64_t)id) =
            string == TP_NO_ID ? add_string(nsys, name) : string;
    return TP_OK;
}

/* ---- devices ---- */

/* Writes the properties of a device as an object of deviceProperties. */
static void write_gpu(struct tp_buf *out, const struct tp_database_row *row, int64_t id)
{
    int64_t value, threads;
    tp_buf_printf(out, "{\"id\":%lld,\"name\":", (long long)id);
    tp_put_string(out, tp_database_text(row, NAME), TP_MAX_SHOWN_NAME_BYTES);
    for (unsigned c = FIRST_PROPERTY; c <= LAST_PROPERTY; c++)
        if (tp_database_int(row, c, &value))
            tp_buf_printf(out, ",\"%s\":%lld", property_keys[c], (long long)value);
    if (tp_database_int(row, WARPS_PER_SM, &value) && tp_database_int(row, THREADS_PER_WARP, &threads) && value > 0 &&
        threads > 0 && value < INT32_MAX && threads < INT32_MAX)
        tp_buf_printf(out, ",\"maxThreadsPerMultiprocessor\":%lld", (long long)(value * threads));
    tp_buf_puts(out, "}");
}

static int read_gpu(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct tp_nsys *nsys = context;
    struct tp_nsys_gpu gpu = {.sm_count = tp_database_int_or(row, SM_COUNT, 0)};
    struct tp_buf json;
    (void)err;
    if (!tp_database_int(row, ID, &gpu.id) || nsys->gpus.count == TP_MAX_DATABASE_DEVICES)
        return TP_OK;
    tp_buf_init(&json, 0);
    write_gpu(&json, row, gpu.id);
    gpu.json = tp_buf_move(&json, nsys->scratch);
    for (size_t i = 0; i < nsys->gpus.count; i++) /* the last row of a device is used */
        if (TP_AT(&nsys->gpus, struct tp_nsys_gpu, i)->id == gpu.id) {
            *TP_AT(&nsys->gpus, struct tp_nsys_gpu, i) = gpu;
            return TP_OK;
        }
    *(struct tp_nsys_gpu *)tp_vec_push(&nsys->gpus) = gpu;
    return TP_OK;
}

static int read_cuda_device(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct tp_nsys *nsys = context;
    int64_t gpu, device, pid;
    (void)err;
    if (tp_database_int(row, GPU_ID, &gpu) && tp_database_int(row, CUDA_ID, &device) &&
        tp_database_int(row, PID, &pid) && pid == nsys->pid && gpu >= 0 && gpu < UINT32_MAX)
        *tp_id_map_find_or_add(&nsys->gpu_of_device, (uint64_t)device) = (uint32_t)gpu;
    return TP_OK;
}

/* ---- times ---- */

static int read_session_start(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    int64_t *utc_ns = context;
    (void)err;
    return tp_database_int(row, UTC_NS, utc_ns);
}

static int read_first_start(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    int64_t *first_ns = context, start_ns;
    (void)err;
    if (tp_database_int(row, TP_NSYS_START, &start_ns) && start_ns < *first_ns)
        *first_ns = start_ns;
    return 1;
}

/* Finds the base of all times. Times count from the start of the session. With the option --ts-normalize of nsys they
 * count from 1970. */
static int find_time_base(struct tp_nsys *nsys, struct tp_error *err)
{
    static const char *const tables[] = {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS",
                                         "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"};
    const int64_t least_wall_ns = 100000000000000000;
    int64_t utc_ns = TP_NULL_INT, first_ns = INT64_MAX;
    const struct tp_database_shape session = {"TARGET_INFO_SESSION_START_TIME", small_columns, BIT(UTC_NS)};
    int code = tp_database_scan(nsys->db, &session, read_session_start, &utc_ns, err);
    for (size_t i = 0; code == TP_OK && i < sizeof tables / sizeof *tables; i++) {
        const struct tp_database_shape shape = {tables[i], tp_nsys_columns, TP_NSYS_BIT(START)};
        code = tp_database_scan(nsys->db, &shape, read_first_start, &first_ns, err);
    }
    bool is_wall = first_ns != INT64_MAX && first_ns > least_wall_ns;
    if (utc_ns != TP_NULL_INT && (!is_wall || utc_ns <= first_ns))
        nsys->base_ns = utc_ns;
    else
        nsys->base_ns = is_wall ? first_ns : 0;
    nsys->shift_ns = is_wall ? nsys->base_ns : 0;
    return code;
}

/* ---- all small tables ---- */

int tp_nsys_read_session(struct tp_nsys *nsys, struct tp_error *err)
{
    static const char *const kinds[] = {"Pageable", "Pinned",        "Device",         "Array",
                                        "Managed",  "Device Static", "Managed Static", "Unknown"};
    static const struct {
        const char *table;
        uint64_t columns;
        tp_database_use *use;
    } tables[] = {{"META_DATA_EXPORT", BIT(NAME) | BIT(VALUE), read_export_fact},
                  {"EXPORT_META_DATA", BIT(NAME) | BIT(VALUE), read_export_fact},
                  {"META_DATA_CAPTURE", BIT(NAME) | BIT(VALUE), read_export_fact},
                  {"StringIds", BIT(ID) | BIT(VALUE), read_string},
                  {"ENUM_CUDA_MEM_KIND", BIT(ID) | BIT(LABEL), read_memory_kind},
                  {"PROCESSES", BIT(GLOBAL_PID) | BIT(NAME), read_process},
                  {"ThreadNames", BIT(GLOBAL_TID) | BIT(NAME_ID), read_thread},
                  {"TARGET_INFO_GPU", BIT(ID) | BIT(NAME) | (BIT(WARPS_PER_SM + 1) - BIT(FIRST_PROPERTY)), read_gpu},
                  {"TARGET_INFO_CUDA_DEVICE", BIT(GPU_ID) | BIT(CUDA_ID) | BIT(PID), read_cuda_device}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        nsys->memory_kinds[i] = tp_str_of(kinds[i]);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct tp_database_shape shape = {tables[i].table, small_columns, tables[i].columns};
        int code = tp_database_scan(nsys->db, &shape, tables[i].use, nsys, err);
        if (code < 0)
            return code;
    }
    return find_time_base(nsys, err);
}

uint32_t tp_nsys_thread(struct tp_nsys *nsys, int64_t global_tid)
{
    if (global_tid == nsys->last_global_tid)
        return nsys->last_thread;
    uint32_t process = tp_id_map_get(&nsys->process_names, (uint64_t)nsys->pid);
    uint32_t thread = tp_id_map_get(&nsys->thread_names, (uint64_t)global_tid);
    const struct tp_nsys_string *strings = nsys->strings.data;
    const struct tp_str none = {NULL, 0};
    nsys->last_global_tid = global_tid;
    nsys->last_thread = tp_row_events_thread(nsys->events, nsys->pid, tp_nsys_tid(global_tid),
                                             process == TP_NO_ID ? none : strings[process].text,
                                             thread == TP_NO_ID ? none : strings[thread].text);
    return nsys->last_thread;
}

/* Reads the number of a device or stream. A row without a value has the number 0, because nsys writes both numbers in
 * every row, and only tables that other tools made or cut lack them. Returns false for a value that is no number. */
static bool read_place(struct tp_nsys *nsys, const struct tp_database_row *row, unsigned column, int64_t *number)
{
    if (tp_database_int(row, column, number))
        return true;
    bool is_missing = !tp_database_text(row, column).ptr && !tp_database_bytes(row, column).ptr;
    *number = 0;
    nsys->missing_places += is_missing;
    return is_missing;
}

uint64_t *tp_nsys_read_device_row(struct tp_nsys *nsys, const struct tp_database_row *row,
                                  struct tp_nsys_device_row *out)
{
    enum { NO_DEVICE = 0x7FFFFFFF }; /* CUPTI's number for a device that it does not know */
    int64_t global_pid;
    *out = (struct tp_nsys_device_row){.pid = TP_NULL_INT};
    if (tp_database_int(row, TP_NSYS_GLOBAL_PID, &global_pid))
        out->pid = tp_nsys_pid(global_pid);
    bool is_valid =
        tp_database_int(row, TP_NSYS_START, &out->start_ns) && tp_database_int(row, TP_NSYS_END, &out->end_ns) &&
        read_place(nsys, row, TP_NSYS_DEVICE, &out->device) && read_place(nsys, row, TP_NSYS_STREAM, &out->stream);
    if (!is_valid || out->end_ns < out->start_ns || out->start_ns < 0 || out->end_ns > TP_MAX_TIME_NS)
        return &nsys->bad_device_rows;
    if ((out->start_ns == 0 && out->end_ns == 0) || out->device == NO_DEVICE)
        return &nsys->bad_device_times;
    out->start_ns -= nsys->shift_ns;
    out->end_ns -= nsys->shift_ns;
    return NULL;
}
