/* Delivers the device operations and synchronisations of an export of Nsight Systems: see nsys.h. */
#include "webreport/trace/inputs/sqlite/nsys.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"

#define COMMON                                                                                                         \
    (TP_NSYS_BIT(START) | TP_NSYS_BIT(END) | TP_NSYS_BIT(DEVICE) | TP_NSYS_BIT(CONTEXT) | TP_NSYS_BIT(STREAM) |        \
     TP_NSYS_BIT(CORRELATION) | TP_NSYS_BIT(GLOBAL_PID) | TP_NSYS_BIT(GRAPH_NODE) | TP_NSYS_BIT(GRAPH))

/* ---- columns that all device tables have ---- */

/* Reads the columns that all device tables have. Returns 1 if the row belongs to the process and is valid, 0 if not, or
 * a negative code. Counts invalid rows. */
static int read_common(struct tp_nsys *nsys, const struct tp_database_row *row, struct tp_nsys_device_row *out,
                       struct tp_error *err)
{
    uint64_t *defect = tp_nsys_read_device_row(nsys, row, out);
    if (out->pid == TP_NULL_INT && nsys->owner_pid == TP_NULL_INT) {
        int code = tp_nsys_find_owner(nsys->db, &nsys->owner_pid, nsys->scratch, err);
        if (code < 0)
            return code;
    }
    if ((out->pid == TP_NULL_INT ? nsys->owner_pid : out->pid) != nsys->pid)
        return 0;
    if (defect)
        ++*defect;
    return !defect;
}

/* ---- operations ---- */

/* Returns the properties of a GPU; NULL if the file has none. */
static struct tp_nsys_gpu *find_gpu(struct tp_nsys *nsys, int64_t id)
{
    for (size_t i = 0; i < nsys->gpus.count; i++)
        if (TP_AT(&nsys->gpus, struct tp_nsys_gpu, i)->id == id)
            return TP_AT(&nsys->gpus, struct tp_nsys_gpu, i);
    return NULL;
}

static int64_t gpu_of_device(const struct tp_nsys *nsys, int64_t device)
{
    uint32_t gpu = tp_id_map_get(&nsys->gpu_of_device, (uint64_t)device);
    return gpu == TP_NO_ID ? device : (int64_t)gpu;
}

static int64_t graph_of_row(const struct tp_database_row *row)
{
    int64_t node = tp_database_int_or(row, TP_NSYS_GRAPH_NODE, 0), graph = tp_database_int_or(row, TP_NSYS_GRAPH, 0);
    if (node) /* the upper half of the number of a node is its graph */
        return node >> 32 ? node >> 32 : graph;
    return graph ? graph : TP_NULL_INT;
}

/* Delivers an operation that has its name, and the columns of its own kind. */
static void deliver(struct tp_nsys *nsys, const struct tp_database_row *row, const struct tp_nsys_device_row *common,
                    struct tp_row_device *operation)
{
    struct tp_nsys_gpu *gpu;
    operation->start_ns = common->start_ns;
    operation->end_ns = common->end_ns;
    operation->device = gpu_of_device(nsys, common->device);
    operation->stream = common->stream;
    operation->correlation = tp_database_int_or(row, TP_NSYS_CORRELATION, 0);
    operation->graph_id = graph_of_row(row);
    gpu = find_gpu(nsys, operation->device);
    if (gpu) {
        gpu->is_used = true;
        operation->sm_count = gpu->sm_count;
    } else {
        tp_sink_add_unknown(nsys->sink, TP_UNKNOWN_DEVICE_PROPERTIES);
    }
    nsys->device_first_ns = common->start_ns < nsys->device_first_ns ? common->start_ns : nsys->device_first_ns;
    nsys->device_last_ns = common->end_ns > nsys->device_last_ns ? common->end_ns : nsys->device_last_ns;
    tp_row_events_add_device(nsys->events, operation);
}

static struct tp_row_device start_operation(enum tp_row_cat cat)
{
    return (struct tp_row_device){.cat = cat,
                                  .bytes = TP_NULL_INT,
                                  .grid = {TP_NULL_INT},
                                  .block = {TP_NULL_INT},
                                  .registers = TP_NULL_INT,
                                  .shared_memory = TP_NULL_INT};
}

/* Reads three columns. Sets all three to TP_NULL_INT if one is absent. */
static void read_triple(const struct tp_database_row *row, unsigned first, int64_t triple[3])
{
    bool has_all = true;
    for (unsigned i = 0; i < 3; i++)
        has_all = tp_database_int(row, first + i, &triple[i]) && has_all;
    for (unsigned i = 0; i < 3 && !has_all; i++)
        triple[i] = TP_NULL_INT;
}

static uint32_t kernel_name(struct tp_nsys *nsys, const struct tp_database_row *row)
{
    static const unsigned columns[] = {TP_NSYS_DEMANGLED_NAME, TP_NSYS_SHORT_NAME, TP_NSYS_MANGLED_NAME};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        uint32_t string;
        struct tp_str text = tp_nsys_text(nsys, row, columns[i], &string);
        if (!text.len)
            continue;
        if (string == TP_NO_ID)
            return tp_row_events_name(nsys->events, text);
        struct tp_nsys_string *known = TP_AT(&nsys->strings, struct tp_nsys_string, string);
        return tp_row_events_known_name(nsys->events, text, &known->name);
    }
    nsys->nameless_kernels++;
    return tp_row_events_name(nsys->events, TP_STR("[unnamed kernel]"));
}

static int read_kernel(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct tp_nsys *nsys = context;
    struct tp_nsys_device_row common;
    struct tp_row_device kernel = start_operation(TP_ROW_KERNEL);
    int64_t fixed, dynamic;
    int code = read_common(nsys, row, &common, err);
    if (code <= 0)
        return code;
    kernel.name = kernel_name(nsys, row);
    read_triple(row, TP_NSYS_GRID_X, kernel.grid);
    read_triple(row, TP_NSYS_BLOCK_X, kernel.block);
    tp_database_int(row, TP_NSYS_REGISTERS, &kernel.registers);
    if (tp_database_int(row, TP_NSYS_STATIC_SHARED, &fixed) && tp_database_int(row, TP_NSYS_DYNAMIC_SHARED, &dynamic))
        kernel.shared_memory = tp_sat_add(fixed, dynamic);
    if (kernel.grid[0] == TP_NULL_INT || kernel.block[0] == TP_NULL_INT)
        tp_sink_add_unknown(nsys->sink, TP_UNKNOWN_GRID);
    deliver(nsys, row, &common, &kernel);
    nsys->row_counts[TP_NSYS_KERNELS]++;
    return TP_OK;
}

/* Returns the name of a kind of memory; ptr NULL if the file does not show it. */
static struct tp_str memory_kind(const struct tp_nsys *nsys, const struct tp_database_row *row, unsigned column)
{
    int64_t kind = tp_database_int_or(row, column, -1);
    bool is_known = kind >= 0 && kind < (int64_t)(sizeof nsys->memory_kinds / sizeof *nsys->memory_kinds);
    return is_known ? nsys->memory_kinds[kind] : (struct tp_str){NULL, 0};
}

static uint32_t copy_name(struct tp_nsys *nsys, const struct tp_database_row *row)
{
    /* directions by copyKind; from 11 on, pages of unified memory move, and their kinds of memory are implied */
    static const char *const directions[] = {NULL,   "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD",
                                             "DtoA", "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"};
    static const char *const moves[][2] = {{"Managed", "Device"}, {"Device", "Managed"}, {"Device", "Device"}};
    enum { KINDS = sizeof directions / sizeof *directions, FIRST_MOVE = 11 };
    int64_t kind = tp_database_int_or(row, TP_NSYS_COPY_KIND, 0);
    struct tp_str ends[2] = {memory_kind(nsys, row, TP_NSYS_SOURCE_KIND), memory_kind(nsys, row, TP_NSYS_TARGET_KIND)};
    struct tp_buf *name = &nsys->events->text;
    if (kind <= 0 || kind >= KINDS) {
        tp_sink_add_unknown(nsys->sink, TP_UNKNOWN_COPY_DIRECTION | TP_UNKNOWN_COPY_MEMORY_KIND);
        return tp_row_events_name(nsys->events, TP_STR("Memcpy"));
    }
    for (unsigned i = 0; i < 2; i++) {
        if (kind >= FIRST_MOVE)
            ends[i] = tp_str_of(moves[kind - FIRST_MOVE][i]);
        if (!ends[i].ptr || tp_str_equal(ends[i], nsys->memory_kinds[7]))
            tp_sink_add_unknown(nsys->sink, TP_UNKNOWN_COPY_MEMORY_KIND);
        if (!ends[i].ptr)
            ends[i] = TP_STR("Unknown");
    }
    tp_buf_clear(name);
    tp_row_events_write_copy_name(name, directions[kind], ends[0], ends[1]);
    return tp_row_events_buffer_name(nsys->events);
}

static int read_copy(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct tp_nsys *nsys = context;
    struct tp_nsys_device_row common;
    struct tp_row_device copy = start_operation(TP_ROW_COPY);
    int code = read_common(nsys, row, &common, err);
    if (code <= 0)
        return code;
    copy.name = copy_name(nsys, row);
    if (!tp_database_int(row, TP_NSYS_BYTES, &copy.bytes))
        tp_sink_add_unknown(nsys->sink, TP_UNKNOWN_COPY_BYTES);
    deliver(nsys, row, &common, &copy);
    nsys->row_counts[TP_NSYS_COPIES]++;
    return TP_OK;
}

static int read_set(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct tp_nsys *nsys = context;
    struct tp_nsys_device_row common;
    struct tp_row_device set = start_operation(TP_ROW_SET);
    int code = read_common(nsys, row, &common, err);
    if (code <= 0)
        return code;
    struct tp_str kind = memory_kind(nsys, row, TP_NSYS_MEMORY_KIND);
    tp_buf_clear(&nsys->events->text);
    tp_row_events_write_set_name(&nsys->events->text, kind.ptr ? kind : TP_STR("Unknown"));
    set.name = tp_row_events_buffer_name(nsys->events);
    tp_database_int(row, TP_NSYS_BYTES, &set.bytes);
    deliver(nsys, row, &common, &set);
    nsys->row_counts[TP_NSYS_SETS]++;
    return TP_OK;
}

/* Delivers a CUDA graph that nsys recorded as one piece, as one kernel. */
static int read_graph(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct tp_nsys *nsys = context;
    struct tp_nsys_device_row common;
    struct tp_row_device graph = start_operation(TP_ROW_KERNEL);
    int code = read_common(nsys, row, &common, err);
    if (code <= 0)
        return code;
    tp_buf_clear(&nsys->events->text);
    tp_buf_printf(&nsys->events->text, "[CUDA graph %lld]", (long long)tp_database_int_or(row, TP_NSYS_GRAPH, 0));
    graph.name = tp_row_events_buffer_name(nsys->events);
    tp_sink_add_unknown(nsys->sink, TP_UNKNOWN_GRAPH_KERNELS);
    deliver(nsys, row, &common, &graph);
    nsys->row_counts[TP_NSYS_GRAPHS]++;
    return TP_OK;
}

int tp_nsys_read_devices(struct tp_nsys *nsys, struct tp_error *err)
{
    static const struct {
        const char *table;
        uint64_t columns;
        tp_database_use *use;
    } tables[] = {
        {"CUPTI_ACTIVITY_KIND_KERNEL",
         COMMON | (TP_NSYS_BIT(DYNAMIC_SHARED) * 2 - TP_NSYS_BIT(DEMANGLED_NAME)), /* all columns of kernels */
         read_kernel},
        {"CUPTI_ACTIVITY_KIND_MEMCPY",
         COMMON | TP_NSYS_BIT(BYTES) | TP_NSYS_BIT(COPY_KIND) | TP_NSYS_BIT(SOURCE_KIND) | TP_NSYS_BIT(TARGET_KIND),
         read_copy},
        {"CUPTI_ACTIVITY_KIND_MEMSET", COMMON | TP_NSYS_BIT(BYTES) | TP_NSYS_BIT(MEMORY_KIND), read_set},
        {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", COMMON, read_graph},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct tp_database_shape shape = {tables[i].table, tp_nsys_columns, tables[i].columns};
        int code = tp_database_scan(nsys->db, &shape, tables[i].use, nsys, err);
        if (code < 0)
            return code;
    }
    return TP_OK;
}

/* ---- synchronisations ---- */

static int read_sync(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    static const char *const names[] = {"Unknown Sync", "Event Sync", "Stream Wait Event", "Stream Sync",
                                        "Context Sync"};
    enum { NAMES = sizeof names / sizeof *names };
    const int64_t whole_device = UINT32_MAX; /* number of the stream of a wait for the whole device */
    struct tp_nsys *nsys = context;
    struct tp_nsys_device_row common;
    int code = read_common(nsys, row, &common, err);
    if (code <= 0)
        return code;
    int64_t type = tp_database_int_or(row, TP_NSYS_SYNC_TYPE, 0);
    const int64_t span_ns[2] = {common.start_ns, common.end_ns};
    tp_row_events_add_wait(nsys->events, names[type > 0 && type < NAMES ? type : 0], gpu_of_device(nsys, common.device),
                           common.stream == whole_device ? -1 : common.stream, span_ns,
                           tp_database_int_or(row, TP_NSYS_CORRELATION, 0));
    nsys->row_counts[TP_NSYS_SYNCS]++;
    return TP_OK;
}

int tp_nsys_read_syncs(struct tp_nsys *nsys, struct tp_error *err)
{
    const struct tp_database_shape shape = {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", tp_nsys_columns,
                                            COMMON | TP_NSYS_BIT(SYNC_TYPE)};
    return tp_database_scan(nsys->db, &shape, read_sync, nsys, err);
}
