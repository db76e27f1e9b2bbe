/* Reads rocpd, the database of rocprofv3: see row_parts.h.
 *
 * Each process has one set of tables "rocpd_NAME_GUID". The tables "rocpd_NAME" of other tools have no GUID. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "webreport/trace/inputs/sqlite/producers.h"
#include "webreport/trace/inputs/sqlite/row_parts.h"
#include "writer/base/limits.h"
#include "writer/base/put.h"

enum column {
    ID,
    STRING,
    TYPE,
    TYPE_INDEX,
    NAME,
    PRODUCT_NAME,
    PID,
    TID,
    DISPLAY_NAME,
    KERNEL_NAME,
    VECTOR_REGISTERS,
    CATEGORY_ID,
    STACK_ID,
    CORRELATION_ID,
    AGENT_ID,
    KERNEL_ID,
    QUEUE_ID,
    STREAM_ID,
    START,
    END,
    GROUP_X,
    GROUP_Y,
    GROUP_Z,
    GRID_X,
    GRID_Y,
    GRID_Z,
    GROUP_SEGMENT,
    EVENT_ID,
    REGION_NAME_ID,
    NAME_ID,
    TARGET_AGENT,
    SOURCE_AGENT,
    SIZE,
    COLUMNS
};

static const char *const columns[COLUMNS] = {
    [ID] = "id",
    [STRING] = "string",
    [TYPE] = "type",
    [TYPE_INDEX] = "type_index",
    [NAME] = "name",
    [PRODUCT_NAME] = "product_name",
    [PID] = "pid",
    [TID] = "tid",
    [DISPLAY_NAME] = "display_name",
    [KERNEL_NAME] = "kernel_name",
    [VECTOR_REGISTERS] = "arch_vgpr_count",
    [CATEGORY_ID] = "category_id",
    [STACK_ID] = "stack_id",
    [CORRELATION_ID] = "correlation_id",
    [AGENT_ID] = "agent_id",
    [KERNEL_ID] = "kernel_id",
    [QUEUE_ID] = "queue_id",
    [STREAM_ID] = "stream_id",
    [START] = "start",
    [END] = "end",
    [GROUP_X] = "workgroup_size_x",
    [GROUP_Y] = "workgroup_size_y",
    [GROUP_Z] = "workgroup_size_z",
    [GRID_X] = "grid_size_x",
    [GRID_Y] = "grid_size_y",
    [GRID_Z] = "grid_size_z",
    [GROUP_SEGMENT] = "group_segment_size",
    [EVENT_ID] = "event_id",
    [REGION_NAME_ID] = "region_name_id",
    [NAME_ID] = "name_id",
    [TARGET_AGENT] = "dst_agent_id",
    [SOURCE_AGENT] = "src_agent_id",
    [SIZE] = "size",
};

#define BIT(column) (UINT64_C(1) << (column))

struct agent {
    int64_t id, index; /* index: number of the device among the devices of its type */
    bool is_gpu, is_used;
    const char *name;
};

struct event {
    int64_t correlation, category;
};

struct rocpd {
    struct tp_database *db;
    struct tp_sink *sink;
    struct tp_row_events *events;
    struct tp_str guid; /* end of the names of the tables, with its underscore; may be empty */
    int64_t pid;
    struct tp_row_texts strings, symbols;
    struct tp_id_map registers;          /* kernel_id: registers per thread */
    struct tp_id_map processes, threads; /* numbers in the database: pid, tid */
    struct tp_vec agents;                /* elements: struct agent */
    struct tp_id_map event_index;
    struct tp_vec event_list; /* elements: struct event */
    uint64_t bad_device_rows, bad_host_rows, operators, operations, calls;
};

/* ---- sets of tables ---- */

/* Returns the end of a table's name from the GUID on; empty if the name has no GUID. */
static struct tp_str guid_of_table(struct tp_str name)
{
    enum { GUID_BYTES = 37 }; /* "_00003fdc_92cb_72cb_9169_c7e541b1fcdf" */
    static const uint8_t marks[] = {0, 9, 14, 19, 24};
    if (name.len <= GUID_BYTES)
        return TP_STR("");
    struct tp_str end = {name.ptr + name.len - GUID_BYTES, GUID_BYTES};
    for (size_t i = 0, mark = 0; i < GUID_BYTES; i++) {
        bool is_mark = mark < sizeof marks && marks[mark] == i;
        mark += is_mark;
        if (is_mark ? end.ptr[i] != '_' : !isxdigit((unsigned char)end.ptr[i]))
            return TP_STR("");
    }
    return end;
}

/* Returns true if a table has dispatches. *guid: end of its name. */
static bool has_dispatches(struct tp_str name, struct tp_str *guid)
{
    *guid = guid_of_table(name);
    name.len -= guid->len;
    return tp_str_equal(name, TP_STR("rocpd_kernel_dispatch"));
}

static bool is_rocpd(const struct tp_database *db)
{
    struct tp_str guid;
    for (uint32_t i = 0; i < tp_database_table_count(db); i++)
        if (has_dispatches(tp_database_table(db, i), &guid))
            return true;
    return false;
}

static int scan(struct rocpd *r, const char *table, uint64_t wanted, tp_database_use *use, struct tp_error *err)
{
    char name[96];
    snprintf(name, sizeof name, "rocpd_%s%.*s", table, (int)r->guid.len, r->guid.ptr);
    const struct tp_database_shape shape = {name, columns, wanted};
    return tp_database_scan(r->db, &shape, use, r, err);
}

static int read_first_pid(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct rocpd *r = context;
    (void)err;
    r->pid = tp_database_int_or(row, PID, 0);
    return 1;
}

static int count_operation(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct rocpd *r = context;
    (void)row;
    (void)err;
    r->operations = 1;
    return 1;
}

/* Appends the process of each set of tables that has a row of a kernel, copy or region. */
static int list_processes(struct tp_database *db, struct tp_vec *pids, struct tp_error *err)
{
    static const char *const tables[] = {"kernel_dispatch", "memory_copy", "region"};
    for (uint32_t i = 0; i < tp_database_table_count(db); i++) {
        struct rocpd r = {.db = db};
        if (!has_dispatches(tp_database_table(db, i), &r.guid))
            continue;
        int code = scan(&r, "info_process", BIT(PID), read_first_pid, err);
        for (size_t t = 0; code == TP_OK && !r.operations && t < sizeof tables / sizeof *tables; t++)
            code = scan(&r, tables[t], BIT(START), count_operation, err);
        if (code < 0)
            return code;
        if (r.operations)
            *(int64_t *)tp_vec_push(pids) = r.pid;
    }
    return TP_OK;
}

/* ---- small tables ---- */

static int read_string(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct rocpd *r = context;
    int64_t id;
    (void)err;
    if (tp_database_int(row, ID, &id))
        tp_row_texts_add(&r->strings, id, tp_database_text(row, STRING));
    return TP_OK;
}

static int read_agent(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct rocpd *r = context;
    struct agent agent = {.index = tp_database_int_or(row, TYPE_INDEX, 0)};
    struct tp_str name = tp_database_text(row, PRODUCT_NAME);
    (void)err;
    if (!tp_database_int(row, ID, &agent.id) || r->agents.count == TP_MAX_DATABASE_DEVICES)
        return TP_OK;
    agent.is_gpu = tp_str_equal(tp_database_text(row, TYPE), TP_STR("GPU"));
    name = name.len ? name : tp_database_text(row, NAME);
    agent.name = tp_arena_copy(r->agents.arena, name.len ? name.ptr : "", name.len);
    *(struct agent *)tp_vec_push(&r->agents) = agent;
    return TP_OK;
}

static int read_number(struct tp_id_map *map, const struct tp_database_row *row, unsigned column)
{
    int64_t id, number;
    if (tp_database_int(row, ID, &id) && tp_database_int(row, column, &number) && number >= 0 && number < UINT32_MAX)
        *tp_id_map_find_or_add(map, (uint64_t)id) = (uint32_t)number;
    return TP_OK;
}

static int read_process(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct rocpd *r = context;
    (void)err;
    return read_number(&r->processes, row, PID);
}

static int read_thread(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct rocpd *r = context;
    (void)err;
    return read_number(&r->threads, row, TID);
}

static int read_symbol(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct rocpd *r = context;
    struct tp_str name = tp_database_text(row, DISPLAY_NAME);
    int64_t id;
    (void)err;
    if (!tp_database_int(row, ID, &id))
        return TP_OK;
    tp_row_texts_add(&r->symbols, id, name.len ? name : tp_database_text(row, KERNEL_NAME));
    return read_number(&r->registers, row, VECTOR_REGISTERS);
}

static int read_event(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct rocpd *r = context;
    struct event event = {tp_database_int_or(row, STACK_ID, 0), tp_database_int_or(row, CATEGORY_ID, TP_NULL_INT)};
    int64_t id;
    (void)err;
    if (!tp_database_int(row, ID, &id))
        return TP_OK;
    if (!event.correlation)
        event.correlation = tp_database_int_or(row, CORRELATION_ID, 0);
    *tp_id_map_find_or_add(&r->event_index, (uint64_t)id) = (uint32_t)r->event_list.count;
    *(struct event *)tp_vec_push(&r->event_list) = event;
    return TP_OK;
}

/* Returns the event of a row; NULL if it is missing. */
static const struct event *event_of_row(const struct rocpd *r, const struct tp_database_row *row)
{
    int64_t id;
    uint32_t index = tp_database_int(row, EVENT_ID, &id) ? tp_id_map_get(&r->event_index, (uint64_t)id) : TP_NO_ID;
    return index == TP_NO_ID ? NULL : TP_AT(&r->event_list, struct event, index);
}

static int64_t correlation_of_row(const struct rocpd *r, const struct tp_database_row *row)
{
    const struct event *event = event_of_row(r, row);
    return event ? event->correlation : 0;
}

/* ---- operations and calls ---- */

/* Returns the agent that a column names; NULL if it is missing. */
static struct agent *agent_of_row(struct rocpd *r, const struct tp_database_row *row, unsigned column)
{
    int64_t id;
    for (size_t i = 0; tp_database_int(row, column, &id) && i < r->agents.count; i++)
        if (TP_AT(&r->agents, struct agent, i)->id == id)
            return TP_AT(&r->agents, struct agent, i);
    return NULL;
}

static int64_t stream_of_row(const struct tp_database_row *row)
{
    int64_t stream = tp_database_int_or(row, STREAM_ID, 0);
    return stream ? stream : tp_database_int_or(row, QUEUE_ID, 0);
}

static uint32_t kernel_name(struct rocpd *r, const struct tp_database_row *row)
{
    struct tp_str name = tp_row_texts_get(&r->symbols, tp_database_int_or(row, KERNEL_ID, TP_NULL_INT));
    if (!name.len)
        name = tp_row_texts_get(&r->strings, tp_database_int_or(row, REGION_NAME_ID, TP_NULL_INT));
    return tp_row_events_name(r->events, name.len ? name : TP_STR("[unnamed kernel]"));
}

static int read_kernel(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct rocpd *r = context;
    int64_t span_ns[2];
    (void)err;
    if (!tp_row_read_span(row, START, END, span_ns)) {
        r->bad_device_rows++;
        return TP_OK;
    }
    struct agent *agent = agent_of_row(r, row, AGENT_ID);
    struct tp_row_device kernel = tp_row_start_operation(TP_ROW_KERNEL, span_ns);
    kernel.name = kernel_name(r, row);
    kernel.device = agent ? agent->index : 0;
    kernel.stream = stream_of_row(row);
    kernel.correlation = correlation_of_row(r, row);
    for (unsigned i = 0; i < 3; i++) {
        kernel.block[i] = tp_database_int_or(row, GROUP_X + i, 1);
        /* the grid counts work items, not blocks */
        kernel.grid[i] = tp_row_blocks(tp_database_int_or(row, GRID_X + i, 1), kernel.block[i]);
    }
    tp_database_int(row, GROUP_SEGMENT, &kernel.shared_memory);
    uint32_t registers = tp_id_map_get(&r->registers, (uint64_t)tp_database_int_or(row, KERNEL_ID, TP_NULL_INT));
    kernel.registers = registers == TP_NO_ID ? TP_NULL_INT : (int64_t)registers;
    if (agent)
        agent->is_used = true;
    r->operations++;
    tp_row_events_add_device(r->events, &kernel);
    return TP_OK;
}

static int read_copy(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct rocpd *r = context;
    int64_t span_ns[2];
    (void)err;
    if (!tp_row_read_span(row, START, END, span_ns)) {
        r->bad_device_rows++;
        return TP_OK;
    }
    const struct agent *from = agent_of_row(r, row, SOURCE_AGENT), *to = agent_of_row(r, row, TARGET_AGENT);
    bool is_from_gpu = from && from->is_gpu, is_to_gpu = to && to->is_gpu;
    const struct agent *device = is_to_gpu ? to : from;
    const char *direction = is_to_gpu && !is_from_gpu   ? "HtoD"
                            : is_from_gpu && !is_to_gpu ? "DtoH"
                            : !is_from_gpu              ? "HtoH"
                            : from != to                ? "PtoP"
                                                        : "DtoD";
    struct tp_row_device copy = tp_row_start_operation(TP_ROW_COPY, span_ns);
    copy.name = tp_row_copy_name(r->events, direction);
    copy.device = device ? device->index : 0;
    copy.stream = stream_of_row(row);
    copy.correlation = correlation_of_row(r, row);
    copy.bytes = tp_database_int_or(row, SIZE, 0);
    r->operations++;
    tp_row_events_add_device(r->events, &copy);
    return TP_OK;
}

static int read_region(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct rocpd *r = context;
    const struct event *event = event_of_row(r, row);
    int64_t span_ns[2], pid = tp_database_int_or(row, PID, 0), tid = tp_database_int_or(row, TID, 0);
    (void)err;
    if (!tp_row_read_span(row, START, END, span_ns)) {
        r->bad_host_rows++;
        return TP_OK;
    }
    struct tp_str name = tp_row_texts_get(&r->strings, tp_database_int_or(row, NAME_ID, TP_NULL_INT));
    struct tp_str category = event ? tp_row_texts_get(&r->strings, event->category) : TP_STR("");
    uint32_t known_pid = tp_id_map_get(&r->processes, (uint64_t)pid);
    uint32_t known_tid = tp_id_map_get(&r->threads, (uint64_t)tid);
    name = name.len ? name : TP_STR("[unnamed region]");
    uint32_t thread = tp_row_events_thread(r->events, known_pid == TP_NO_ID ? pid : (int64_t)known_pid,
                                           known_tid == TP_NO_ID ? tid : (int64_t)known_tid, (struct tp_str){NULL, 0},
                                           (struct tp_str){NULL, 0});
    if (tp_str_find(category, "MARKER") >= 0) {
        r->operators += tp_row_add_marker(r->events, name, thread, span_ns);
    } else if (tp_str_starts(name, "hip")) {
        r->calls++;
        tp_row_events_add_call(r->events, TP_ROW_RUNTIME, tp_row_events_name(r->events, name), thread, span_ns,
                               event ? event->correlation : 0);
    } else {
        char what[80];
        snprintf(what, sizeof what, "regions of %.*s", (int)(category.len < 60 ? category.len : 60),
                 category.len ? category.ptr : "");
        tp_sink_count_dropped(r->sink, category.len ? what : "regions without a category", 1, 0);
    }
    return TP_OK;
}

/* ---- the whole process ---- */

static void add_facts(struct rocpd *r)
{
    struct tp_buf *text = &r->events->text;
    uint32_t unknown = TP_UNKNOWN_ALLOCATOR | TP_UNKNOWN_SHAPES | TP_UNKNOWN_STACKS | TP_UNKNOWN_OCCUPANCY |
                       TP_UNKNOWN_COPY_MEMORY_KIND | TP_UNKNOWN_DTYPES | TP_UNKNOWN_RANKS | TP_UNKNOWN_FORWARD_LINKS;
    unknown |= r->operators ? 0 : TP_UNKNOWN_OPERATORS;
    unknown |= r->calls ? 0 : TP_UNKNOWN_RUNTIME_CALLS;
    tp_sink_add_unknown(r->sink, unknown);
    tp_sink_set_producer(r->sink, TP_STR("rocprofv3 (rocpd)"));
    if (r->bad_device_rows)
        tp_sink_count_dropped(r->sink, "device rows", r->bad_device_rows, TP_NEED_DEVICE);
    if (r->bad_host_rows)
        tp_sink_count_dropped(r->sink, "host rows", r->bad_host_rows, TP_NEED_HOST | TP_NEED_RUNTIME);
    tp_buf_clear(text);
    tp_buf_putc(text, '[');
    for (size_t i = 0; i < r->agents.count; i++) {
        const struct agent *agent = TP_AT(&r->agents, struct agent, i);
        if (!agent->is_used)
            continue;
        tp_buf_printf(text, "%s{\"id\":%lld,\"name\":", text->size > 1 ? "," : "", (long long)agent->index);
        tp_put_string(text, tp_str_of(agent->name), TP_MAX_SHOWN_NAME_BYTES);
        tp_buf_puts(text, ",\"warpSize\":64}");
    }
    tp_buf_putc(text, ']');
    tp_row_events_add_members(r->events, 0, tp_row_events_buffer_text(r->events));
    tp_row_events_finish(r->events);
}

static int compare_agents(const void *x, const void *y)
{
    const struct agent *a = x, *b = y;
    return (a->index > b->index) - (a->index < b->index);
}

static int read_tables(struct rocpd *r, struct tp_error *err)
{
    static const struct {
        const char *table;
        uint64_t columns;
        tp_database_use *use;
    } tables[] = {
        {"string", BIT(ID) | BIT(STRING), read_string},
        {"info_agent", BIT(ID) | BIT(TYPE) | BIT(TYPE_INDEX) | BIT(NAME) | BIT(PRODUCT_NAME), read_agent},
        {"info_process", BIT(ID) | BIT(PID), read_process},
        {"info_thread", BIT(ID) | BIT(TID), read_thread},
        {"info_kernel_symbol", BIT(ID) | BIT(DISPLAY_NAME) | BIT(KERNEL_NAME) | BIT(VECTOR_REGISTERS), read_symbol},
        {"event", BIT(ID) | BIT(CATEGORY_ID) | BIT(STACK_ID) | BIT(CORRELATION_ID), read_event},
        {"kernel_dispatch",
         BIT(AGENT_ID) | BIT(KERNEL_ID) | BIT(QUEUE_ID) | BIT(STREAM_ID) | BIT(START) | BIT(END) |
             (BIT(REGION_NAME_ID + 1) - BIT(GROUP_X)),
         read_kernel},
        {"memory_copy",
         BIT(START) | BIT(END) | BIT(TARGET_AGENT) | BIT(SOURCE_AGENT) | BIT(SIZE) | BIT(QUEUE_ID) | BIT(STREAM_ID) |
             BIT(EVENT_ID),
         read_copy},
        {"region", BIT(PID) | BIT(TID) | BIT(START) | BIT(END) | BIT(NAME_ID) | BIT(EVENT_ID), read_region}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        int code = scan(r, tables[i].table, tables[i].columns, tables[i].use, err);
        if (code < 0)
            return code;
    }
    return TP_OK;
}

/* Finds the set of tables of a process. Returns false if the file has none. */
static int find_tables(struct rocpd *r, int64_t pid, struct tp_error *err)
{
    for (uint32_t i = 0; i < tp_database_table_count(r->db); i++) {
        if (!has_dispatches(tp_database_table(r->db, i), &r->guid))
            continue;
        r->pid = 0;
        int code = scan(r, "info_process", BIT(PID), read_first_pid, err);
        if (code < 0 || r->pid == pid)
            return code;
    }
    return tp_error_set(err, TP_EFORMAT, 0, "no process %lld in this file", (long long)pid);
}

static int read_database(struct tp_database *db, struct tp_source *source, struct tp_row_events *events, int64_t pid)
{
    struct tp_arena *scratch = events->scratch;
    struct rocpd r = {.db = db,
                      .sink = source->sink,
                      .events = events,
                      .agents = TP_VEC(scratch, struct agent),
                      .event_list = TP_VEC(scratch, struct event)};
    tp_row_texts_init(&r.strings, scratch);
    tp_row_texts_init(&r.symbols, scratch);
    tp_id_map_init(&r.registers, scratch);
    tp_id_map_init(&r.processes, scratch);
    tp_id_map_init(&r.threads, scratch);
    tp_id_map_init(&r.event_index, scratch);
    int code = find_tables(&r, pid, source->err);
    if (code == TP_OK)
        code = read_tables(&r, source->err);
    if (code < 0)
        return code;
    if (r.agents.count)
        qsort(r.agents.data, r.agents.count, sizeof(struct agent), compare_agents);
    add_facts(&r);
    return TP_OK;
}

const struct tp_database_producer tp_rocpd_producer = {
    is_rocpd, list_processes, read_database,
    "is a rocprofv3 database without kernel dispatches: record with --kernel-trace --hip-trace"};
