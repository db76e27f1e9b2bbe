/* Defines the state of reading one process of an export of Nsight Systems ("nsys export --type sqlite"). Internal to
 * the files nsys_*.c.
 *
 * The reader decides by the tables and columns that a file has, never by its version. Checked with the schemas 3.0.0
 * (2022.4), 3.1.2, 3.11.2, 3.20.3, 3.24.14 and 3.25.0 (2026.2) of Nsight Systems. */
#ifndef TP_WEBREPORT_TRACE_INPUTS_SQLITE_NSYS_H
#define TP_WEBREPORT_TRACE_INPUTS_SQLITE_NSYS_H

#include "webreport/trace/inputs/sqlite/database.h"
#include "webreport/trace/inputs/sqlite/row_events.h"
#include "webreport/trace/source.h"

/* All columns that the reader knows, in any table. */
enum tp_nsys_column {
    TP_NSYS_START,
    TP_NSYS_END,
    TP_NSYS_DEVICE,
    TP_NSYS_CONTEXT,
    TP_NSYS_STREAM,
    TP_NSYS_CORRELATION,
    TP_NSYS_GLOBAL_PID,
    TP_NSYS_GRAPH_NODE,
    TP_NSYS_GRAPH,
    TP_NSYS_DEMANGLED_NAME,
    TP_NSYS_SHORT_NAME,
    TP_NSYS_MANGLED_NAME,
    TP_NSYS_REGISTERS,
    TP_NSYS_GRID_X,
    TP_NSYS_GRID_Y,
    TP_NSYS_GRID_Z,
    TP_NSYS_BLOCK_X,
    TP_NSYS_BLOCK_Y,
    TP_NSYS_BLOCK_Z,
    TP_NSYS_STATIC_SHARED,
    TP_NSYS_DYNAMIC_SHARED,
    TP_NSYS_BYTES,
    TP_NSYS_COPY_KIND,
    TP_NSYS_SOURCE_KIND,
    TP_NSYS_TARGET_KIND,
    TP_NSYS_MEMORY_KIND,
    TP_NSYS_SYNC_TYPE,
    TP_NSYS_GLOBAL_TID,
    TP_NSYS_NAME_ID,
    TP_NSYS_EVENT_TYPE,
    TP_NSYS_TEXT,
    TP_NSYS_TEXT_ID,
    TP_NSYS_DOMAIN,
    TP_NSYS_PAYLOAD,
    TP_NSYS_COLUMNS
};
extern const char *const tp_nsys_columns[TP_NSYS_COLUMNS];

#define TP_NSYS_BIT(column) (UINT64_C(1) << TP_NSYS_##column)

/* A text of the table StringIds, and what was computed from it. */
struct tp_nsys_string {
    struct tp_str text;
    uint32_t name;      /* id in names of the text; TP_NO_ID until it is needed */
    uint32_t call_name; /* id in names of the text as the name of a call; TP_NO_ID until it is needed */
    uint8_t call_kind;  /* bits of enum tp_nsys_call */
};

/* The table of the calls of the runtime and the driver. */
#define TP_NSYS_RUNTIME_TABLE "CUPTI_ACTIVITY_KIND_RUNTIME"

/* The tables of calls of the operating system, and of CPU samples. */
#define TP_NSYS_OS_TABLE "OSRT_API"
#define TP_NSYS_SAMPLE_TABLE "COMPOSITE_EVENTS"

/* What a call of the runtime or driver starts, by its name. */
enum tp_nsys_call { TP_NSYS_LAUNCH = 1, TP_NSYS_COPY = 2, TP_NSYS_SET = 4, TP_NSYS_DRIVER = 8 };

enum tp_nsys_table { TP_NSYS_KERNELS, TP_NSYS_COPIES, TP_NSYS_SETS, TP_NSYS_GRAPHS, TP_NSYS_SYNCS, TP_NSYS_TABLES };

/* Properties of a device: a row of TARGET_INFO_GPU. */
struct tp_nsys_gpu {
    int64_t id, sm_count;
    const char *json;
    bool is_used;
};

struct tp_nsys {
    struct tp_database *db;
    struct tp_sink *sink;
    struct tp_arena *scratch;
    struct tp_row_events *events;
    int64_t pid;       /* the process to read */
    int64_t owner_pid; /* process of device rows without a process: the only one with calls, otherwise 0; TP_NULL_INT
                          until it is needed */
    int64_t base_ns;   /* wall clock time of time 0, ns since 1970; 0 if unknown */
    int64_t shift_ns;  /* subtracted from the times of the file, ns */

    struct tp_id_map string_index; /* id in StringIds: index in strings */
    struct tp_vec strings;         /* elements: struct tp_nsys_string */
    struct tp_str memory_kinds[16];
    struct tp_vec gpus;             /* elements: struct tp_nsys_gpu */
    struct tp_id_map gpu_of_device; /* CUDA's number of a device in this process: id of its GPU */
    struct tp_id_map process_names; /* pid: index in strings */
    struct tp_id_map thread_names;  /* globalTid: index in strings */
    struct tp_str product, schema, host, graph_mode;

    uint64_t row_counts[TP_NSYS_TABLES]; /* rows of this process, by table */
    uint64_t launches, copies, sets;     /* calls of this process that start kernels, copies and sets */
    uint64_t calls, operators, shapes, ranges;
    bool has_rank;                           /* true if payloads of NCCL show the rank of the process */
    int64_t device_first_ns, device_last_ns; /* first start and last end of device operations, ns */
    int64_t last_global_tid;                 /* globalTid of last_thread; TP_NULL_INT before the first row */
    uint32_t last_thread;
    uint64_t bad_device_rows, bad_device_times, nameless_kernels, bad_calls, nameless_calls, bad_ranges, open_ranges,
        bad_os_calls;
    uint64_t missing_places;                /* numbers of devices and streams that the device rows lack */
    uint64_t switch_stacks;                 /* stacks at switches of the CPU scheduler, which are no samples */
    const struct tp_trace_options *options; /* may be NULL */
};

/* A row of a device table that is valid. */
struct tp_nsys_device_row {
    int64_t start_ns, end_ns, device, stream, pid;
};

static inline int64_t tp_nsys_pid(int64_t global_id)
{
    return global_id >> 24 & 0xFFFFFF;
}

static inline int64_t tp_nsys_tid(int64_t global_id)
{
    return global_id & 0xFFFFFF;
}

/* Reads the tables of texts, kinds, processes and devices, and the base of all times. Returns the codes of
 * tp_database_scan. */
int tp_nsys_read_session(struct tp_nsys *nsys, struct tp_error *err);

/* Returns the text that a column names: the number of a text, or the text itself. *string: index in nsys->strings, or
 * TP_NO_ID. ptr NULL if the column names no text. */
struct tp_str tp_nsys_text(const struct tp_nsys *nsys, const struct tp_database_row *row, unsigned column,
                           uint32_t *string);

/* Returns the thread of a globalTid of this process. */
uint32_t tp_nsys_thread(struct tp_nsys *nsys, int64_t global_tid);

/* Reads the columns that all device tables have. Returns NULL if the row is valid, otherwise the counter of its
 * defect. */
uint64_t *tp_nsys_read_device_row(struct tp_nsys *nsys, const struct tp_database_row *row,
                                  struct tp_nsys_device_row *out);

/* Sets *pid to the only process with calls; 0 if several or none have calls. arena: for temporary data. */
int tp_nsys_find_owner(struct tp_database *db, int64_t *pid, struct tp_arena *arena, struct tp_error *err);

/* Deliver the rows of the device tables, the calls, the ranges, the calls of the operating system and the CPU samples.
 * Return the codes of tp_database_scan. */
int tp_nsys_read_devices(struct tp_nsys *nsys, struct tp_error *err);
int tp_nsys_read_syncs(struct tp_nsys *nsys, struct tp_error *err);
int tp_nsys_read_calls(struct tp_nsys *nsys, struct tp_error *err);
int tp_nsys_read_ranges(struct tp_nsys *nsys, struct tp_error *err);
int tp_nsys_read_os_calls(struct tp_nsys *nsys, struct tp_error *err);
int tp_nsys_read_samples(struct tp_nsys *nsys, struct tp_error *err);

/* Reports what the file cannot show, notes and dropped rows to the sink. */
int tp_nsys_report_facts(struct tp_nsys *nsys, struct tp_error *err);

/* Appends the processes with device operations to `pids` (elements: int64_t), in the order of their first rows; if none
 * has any, the process with most calls and ranges. Returns the codes of tp_database_scan. */
int tp_nsys_list_processes(struct tp_database *db, struct tp_vec *pids, struct tp_error *err);

#endif
