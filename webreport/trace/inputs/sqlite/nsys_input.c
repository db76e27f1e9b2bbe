/* Reads one process of an export of Nsight Systems, and reports what the file cannot show: see nsys.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "webreport/trace/inputs/sqlite/nsys.h"
#include "webreport/trace/inputs/sqlite/producers.h"
#include "writer/base/limits.h"
#include "writer/base/put.h"
#include "writer/text/format.h"

/* ---- notes ---- */

__attribute__((format(printf, 2, 3))) static void add_note(struct tp_nsys *nsys, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (size > 0)
        tp_sink_add_note(nsys->sink,
                         (struct tp_str){text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1});
}

static int count_row(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    uint64_t *count = context;
    (void)row;
    (void)err;
    ++*count;
    return TP_OK;
}

/* Counts the rows of tables that the reader does not use. The counts are of all processes. */
static int note_unread_tables(struct tp_nsys *nsys, struct tp_error *err)
{
    enum { START, ID, TABLE_COLUMNS };
    static const char *const columns[TABLE_COLUMNS] = {[START] = "start", [ID] = "id"};
    static const struct {
        const char *table, *what;
    } tables[] = {{"SCHED_EVENTS", "changes of the CPU scheduler"},
                  {"CUDNN_EVENTS", "calls of cuDNN"},
                  {"CUBLAS_EVENTS", "calls of cuBLAS"},
                  {"PROFILER_OVERHEAD", "records of the profiler's own time"},
                  {"SAMPLING_CALLCHAINS", "frames of CPU samples"}};
    size_t unread = sizeof tables / sizeof *tables - tp_database_has(nsys->db, TP_NSYS_SAMPLE_TABLE);
    if (nsys->switch_stacks)
        add_note(nsys, "%s stacks at switches of the CPU scheduler are not read",
                 tp_text_of_count(nsys->scratch, (int64_t)nsys->switch_stacks));
    for (size_t i = 0; i < unread; i++) {
        const struct tp_database_shape shape = {tables[i].table, columns, 1 << START | 1 << ID};
        uint64_t count = 0;
        int code = tp_database_scan(nsys->db, &shape, count_row, &count, err);
        if (code < 0)
            return code;
        if (count)
            add_note(nsys, "%s %s are not read", tp_text_of_count(nsys->scratch, (int64_t)count), tables[i].what);
    }
    return TP_OK;
}

/* Adds a warning or an error of the recorder as a note. */
static int note_diagnostic(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    enum { SEVERITY, TEXT, LEAST_SEVERITY = 2, MOST_BYTES = 200 };
    struct tp_str text = tp_database_text(row, TEXT);
    (void)err;
    if (tp_database_int_or(row, SEVERITY, 0) >= LEAST_SEVERITY && text.len)
        add_note(context, "Nsight Systems warned: %.*s", (int)(text.len < MOST_BYTES ? text.len : MOST_BYTES),
                 text.ptr);
    return TP_OK;
}

/* ---- facts ---- */

/* Reports kinds of operations that calls started and that the file does not contain. */
static void report_missing_operations(struct tp_nsys *nsys)
{
    const struct {
        uint64_t calls, rows;
        const char *table;
        const char *what;
        enum tp_unknown unknown;
    } kinds[] = {
        {nsys->launches, nsys->row_counts[TP_NSYS_KERNELS] + nsys->row_counts[TP_NSYS_GRAPHS],
         "CUPTI_ACTIVITY_KIND_KERNEL", "kernels", TP_UNKNOWN_KERNELS},
        {nsys->copies, nsys->row_counts[TP_NSYS_COPIES], "CUPTI_ACTIVITY_KIND_MEMCPY", "copies", TP_UNKNOWN_COPIES},
        {nsys->sets, nsys->row_counts[TP_NSYS_SETS], "CUPTI_ACTIVITY_KIND_MEMSET", "sets", TP_UNKNOWN_SETS}};
    bool has_device = nsys->device_first_ns <= nsys->device_last_ns;
    bool has_work = nsys->launches + nsys->copies + nsys->sets > 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool is_absent = !tp_database_has(nsys->db, kinds[i].table);
        if (kinds[i].rows)
            continue;
        if (kinds[i].calls || (!has_device && has_work) || (is_absent && !nsys->calls))
            tp_sink_add_unknown(nsys->sink, kinds[i].unknown);
        if (kinds[i].calls)
            add_note(nsys, "%s calls for %s, and no %s %s", tp_text_of_count(nsys->scratch, (int64_t)kinds[i].calls),
                     kinds[i].what, is_absent ? "table" : "row in", kinds[i].table);
    }
}

static void report_dropped_rows(struct tp_nsys *nsys)
{
    const struct {
        const char *what;
        uint64_t count;
        unsigned needs;
    } rows[] = {{"device rows", nsys->bad_device_rows, TP_NEED_DEVICE},
                {"device rows without times or device", nsys->bad_device_times, TP_NEED_DEVICE},
                {"kernels without a name", nsys->nameless_kernels, 0},
                {"API rows", nsys->bad_calls, TP_NEED_RUNTIME},
                {"API rows without a name", nsys->nameless_calls, TP_NEED_RUNTIME},
                {"NVTX rows", nsys->bad_ranges, TP_NEED_HOST},
                {"NVTX ranges without an end", nsys->open_ranges, TP_NEED_HOST},
                {"calls of the operating system", nsys->bad_os_calls, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].count)
            tp_sink_count_dropped(nsys->sink, rows[i].what, rows[i].count, rows[i].needs);
}

int tp_nsys_report_facts(struct tp_nsys *nsys, struct tp_error *err)
{
    static const char *const diagnostic_columns[] = {"severity", "text"};
    const struct tp_database_shape diagnostics = {"DIAGNOSTIC_EVENT", diagnostic_columns, 3};
    struct tp_sink *sink = nsys->sink;
    uint32_t unknown =
        TP_UNKNOWN_ALLOCATOR | TP_UNKNOWN_STACKS | TP_UNKNOWN_OCCUPANCY | TP_UNKNOWN_DTYPES | TP_UNKNOWN_FORWARD_LINKS;
    unknown |= nsys->has_rank ? 0 : TP_UNKNOWN_RANKS;
    unknown |= nsys->operators ? 0 : TP_UNKNOWN_OPERATORS;
    unknown |= nsys->shapes ? 0 : TP_UNKNOWN_SHAPES;
    unknown |= nsys->calls ? 0 : TP_UNKNOWN_RUNTIME_CALLS;
    tp_sink_add_unknown(sink, unknown);
    report_missing_operations(nsys);
    if (nsys->row_counts[TP_NSYS_GRAPHS])
        add_note(nsys, "CUDA graphs were traced as one piece each; record with --cuda-graph-trace=node");
    if (nsys->missing_places)
        add_note(nsys, "device rows without a device or stream count for device 0 and stream 0");
    report_dropped_rows(nsys);
    int code = tp_database_scan(nsys->db, &diagnostics, note_diagnostic, nsys, err);
    return code < 0 ? code : note_unread_tables(nsys, err);
}

/* ---- the whole process ---- */

static int compare_gpus(const void *x, const void *y)
{
    const struct tp_nsys_gpu *a = x, *b = y;
    return (a->id > b->id) - (a->id < b->id);
}

static void add_members(struct tp_nsys *nsys)
{
    struct tp_buf *text = &nsys->events->text;
    tp_buf_clear(text);
    tp_buf_putc(text, '[');
    if (nsys->gpus.count)
        qsort(nsys->gpus.data, nsys->gpus.count, sizeof(struct tp_nsys_gpu), compare_gpus);
    for (size_t i = 0; i < nsys->gpus.count; i++) {
        const struct tp_nsys_gpu *gpu = TP_AT(&nsys->gpus, struct tp_nsys_gpu, i);
        if (gpu->is_used)
            tp_buf_printf(text, "%s%s", text->size > 1 ? "," : "", gpu->json);
    }
    tp_buf_putc(text, ']');
    tp_row_events_add_members(nsys->events, nsys->base_ns, tp_row_events_buffer_text(nsys->events));
    tp_buf_clear(text);
    tp_put_string(text, nsys->host.ptr ? nsys->host : TP_STR("?"), TP_MAX_SHOWN_NAME_BYTES);
    tp_sink_add_member(nsys->sink, TP_STR("host_name"), tp_row_events_buffer_text(nsys->events));
}

static void set_producer(struct tp_nsys *nsys)
{
    enum { MOST = 40 };
    const struct tp_str unknown = TP_STR("?");
    struct tp_str product = nsys->product.ptr ? nsys->product : unknown;
    struct tp_str schema = nsys->schema.ptr ? nsys->schema : unknown;
    struct tp_buf *text = &nsys->events->text;
    tp_buf_clear(text);
    tp_buf_printf(text, "Nsight Systems %.*s, sqlite schema %.*s", (int)(product.len < MOST ? product.len : MOST),
                  product.ptr, (int)(schema.len < MOST ? schema.len : MOST), schema.ptr);
    tp_sink_set_producer(nsys->sink, tp_row_events_buffer_text(nsys->events));
}

static int read_process(struct tp_nsys *nsys, struct tp_error *err)
{
    int code = tp_nsys_read_session(nsys, err);
    if (code == TP_OK)
        code = tp_nsys_read_devices(nsys, err);
    if (code == TP_OK)
        code = tp_nsys_read_calls(nsys, err);
    if (code == TP_OK)
        code = tp_nsys_read_ranges(nsys, err);
    if (code == TP_OK)
        code = tp_nsys_read_syncs(nsys, err);
    if (code == TP_OK)
        code = tp_nsys_read_os_calls(nsys, err);
    if (code == TP_OK)
        code = tp_nsys_read_samples(nsys, err);
    if (code == TP_OK)
        code = tp_nsys_report_facts(nsys, err);
    if (code < 0)
        return code;
    add_members(nsys);
    set_producer(nsys);
    tp_row_events_finish(nsys->events);
    return TP_OK;
}

static int read_nsys(struct tp_database *db, struct tp_source *source, struct tp_row_events *events, int64_t pid)
{
    struct tp_arena *scratch = events->scratch;
    struct tp_nsys *nsys = tp_arena_alloc(scratch, sizeof *nsys);
    *nsys = (struct tp_nsys){.db = db,
                             .sink = source->sink,
                             .scratch = scratch,
                             .pid = pid,
                             .owner_pid = TP_NULL_INT,
                             .strings = TP_VEC(scratch, struct tp_nsys_string),
                             .gpus = TP_VEC(scratch, struct tp_nsys_gpu),
                             .device_first_ns = INT64_MAX,
                             .device_last_ns = INT64_MIN,
                             .last_global_tid = TP_NULL_INT,
                             .options = source->options};
    nsys->events = events;
    tp_id_map_init(&nsys->string_index, scratch);
    tp_id_map_init(&nsys->gpu_of_device, scratch);
    tp_id_map_init(&nsys->process_names, scratch);
    tp_id_map_init(&nsys->thread_names, scratch);
    return read_process(nsys, source->err);
}

/* ---- the row in the list of producers ---- */

static bool has_table_that_begins(const struct tp_database *db, const char *const *begins)
{
    for (uint32_t i = 0; i < tp_database_table_count(db); i++)
        if (tp_str_starts_with_one_of(tp_database_table(db, i), begins))
            return true;
    return false;
}

static bool is_nsys(const struct tp_database *db)
{
    static const char *const begins[] = {"CUPTI_ACTIVITY_KIND_",
                                         "NVTX_EVENTS",
                                         "META_DATA_EXPORT",
                                         "EXPORT_META_DATA",
                                         "TARGET_INFO_",
                                         "OSRT_API",
                                         NULL};
    return tp_database_has(db, "StringIds") && has_table_that_begins(db, begins);
}

const struct tp_database_producer tp_nsys_producer = {
    is_nsys, tp_nsys_list_processes, read_nsys,
    "is an Nsight Systems export without CUDA rows: record with --trace=cuda,nvtx"};
