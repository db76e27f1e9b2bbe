/* Presents a trace as tables: see export_rows.h. */
#include "webreport/export/rows/export_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "webreport/export/chrome/chrome.h"
#include "webreport/export/rows/compiled_rows.h"
#include "webreport/export/rows/counter_rows.h"
#include "webreport/export/rows/operation_rows.h"
#include "webreport/export/rows/program_rows.h"
#include "webreport/export/rows/snapshot_rows.h"
#include "webreport/export/rows/view_rows.h"
#include "webreport/export/rows/what_if_rows.h"
#include "webreport/measure/work/work_rules.h"
#include "writer/base/saturate.h"

#define INT TP_ROWS_INT
#define REAL TP_ROWS_REAL
#define TEXT TP_ROWS_TEXT

/* ---- cells ---- */

static void add_int_cell(struct tp_rows_cell **cell, int64_t value)
{
    (*cell)++->integer = value;
}

static void add_text_cell(struct tp_rows_cell **cell, struct tp_str text)
{
    (*cell)++->text = text;
}

/* Adds a cell with the text that has this id in `texts`; null for TP_NO_ID. */
static void add_text_cell_by_id(struct tp_rows_cell **cell, const struct tp_strings *texts, uint32_t id)
{
    add_text_cell(cell, id == TP_NO_ID ? (struct tp_str){NULL, 0} : tp_strings_get(texts, id));
}

/* Adds a cell with the number whose JSON text has this id in `texts`; null if the text is not an integer. */
static void add_number_cell(struct tp_rows_cell **cell, const struct tp_strings *texts, uint32_t id)
{
    struct tp_str text = tp_strings_get(texts, id);
    int64_t number = 0;
    for (size_t i = 0; i < text.len && number != TP_NULL_INT; i++) {
        bool is_digit = text.ptr[i] >= '0' && text.ptr[i] <= '9';
        if (!is_digit || __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, text.ptr[i] - '0', &number))
            number = TP_NULL_INT;
    }
    add_int_cell(cell, text.len ? number : TP_NULL_INT);
}

/* Adds a cell with the id of an event, which is its index; null for TP_NO_ID. */
static void add_event_cells(struct tp_rows_cell **cell, uint32_t event)
{
    add_int_cell(cell, event == TP_NO_ID ? TP_NULL_INT : (int64_t)event);
}

static void add_operator_cells(struct tp_rows_cell **cell, const struct tp_rows *rows, uint32_t op)
{
    add_event_cells(cell, op == TP_NO_ID ? TP_NO_ID : rows->model->operators.event[op]);
}

static void add_time_cells(struct tp_rows_cell **cell, const struct tp_rows *rows, const struct tp_event *e)
{
    add_int_cell(cell, tp_sat_sub(e->ts_ns, rows->first_ns));
    add_int_cell(cell, e->dur_ns);
}

/* Adds a cell with the index of the step that contains ts_ns; null outside steps. Steps are sorted and do not
 * overlap. */
static void add_step_cell(struct tp_rows_cell **cell, const struct tp_rows *rows, int64_t ts_ns)
{
    const struct tp_model *model = rows->model;
    uint32_t low = 0, high = model->step_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (model->steps[middle].start_ns <= ts_ns)
            low = middle + 1;
        else
            high = middle;
    }
    add_int_cell(cell, low > 0 && ts_ns < model->steps[low - 1].end_ns ? (int64_t)low - 1 : TP_NULL_INT);
}

static void add_module_cell(struct tp_rows_cell **cell, const struct tp_rows *rows, const uint32_t *module_of,
                            uint32_t i)
{
    uint32_t module = module_of ? module_of[i] : TP_NO_ID;
    add_text_cell(cell, module == TP_NO_ID
                            ? (struct tp_str){NULL, 0}
                            : tp_trace_event_name(rows->model->trace,
                                                  &rows->model->trace->events[rows->model->modules.event[module]]));
}

/* ---- events ---- */

static const struct tp_rows_column event_columns[] = {
    {"event_id", INT, "id of the event; other tables refer to the event by this id", true},
    {"category", TEXT,
     "category of the event, such as cpu_op, user_annotation, cuda_runtime, kernel or python_function", true},
    {"name", TEXT, "name of the event as recorded", true},
    {"process", TEXT, "process or device to which the event belongs", false},
    {"thread", TEXT, "thread or stream to which the event belongs", false},
    {"thread_name", TEXT, "name of the thread", false},
    {"start_ns", INT, "start of the event, nanoseconds since the first event", true},
    {"duration_ns", INT, "duration of the event, nanoseconds", false},
    {"step", INT, "number of the step in which the event starts; null outside of all steps", false},
};

static uint32_t event_count(const struct tp_rows *rows)
{
    return rows->model->trace->event_count;
}

static void fill_event(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_trace *trace = rows->model->trace;
    const struct tp_event *e = &trace->events[row];
    enum tp_trace_out_category category;
    struct tp_str text = tp_chrome_category(trace, e, &category);
    add_int_cell(&cell, row);
    add_text_cell(&cell, text.len ? text : TP_STR("Trace"));
    add_text_cell(&cell, tp_trace_event_name(trace, e));
    add_text_cell(&cell, rows->processes[e->thread]);
    add_text_cell(&cell, rows->threads[e->thread]);
    add_text_cell(&cell, trace->threads[e->thread].name);
    add_time_cells(&cell, rows, e);
    add_step_cell(&cell, rows, e->ts_ns);
}

/* ---- kernels ---- */

static const struct tp_rows_column kernel_columns[] = {
    {"event_id", INT, "id of the device operation in the table 'events'", true},
    {"kind", TEXT, "kind of the device operation: kernel, gpu_memcpy or gpu_memset", false},
    {"name", TEXT, "name of the event as recorded", true},
    {"device", INT, "number of the device", false},
    {"stream", INT, "number of the stream", false},
    {"start_ns", INT, "start of the device operation, nanoseconds since the first event", true},
    {"duration_ns", INT, "duration of the device operation, nanoseconds", false},
    {"bytes", INT, "number of bytes that the copy moved or the memset wrote", false},
    {"correlation", INT, "correlation id that the device operation shares with its launch call", false},
    {"launch_event_id", INT, "id of the event of the call that launched the device operation", true},
    {"operator_event_id", INT, "id of the event of the innermost operator around the launch", true},
    {"module", TEXT, "name of the innermost module call around the launch", false},
    {"grid", TEXT, "number of blocks in each dimension of the grid, [x,y,z]", false},
    {"block", TEXT, "number of threads in each dimension of a block, [x,y,z]", false},
    {"registers_per_thread", INT, "number of registers per thread", false},
    {"shared_memory_bytes", INT, "shared memory per block, bytes", false},
    {"occupancy_pct", REAL, "estimated achieved occupancy, percent", false},
    {"work", TEXT, "kind of work, such as gemm, attention or elementwise", false},
    {"flops", INT,
     "floating-point operations of the operator call, in the row of the call's longest kernel; null: unknown", false},
    {"least_bytes", INT,
     "least number of bytes that the operator call reads and writes, in the row of the call's longest kernel; null: "
     "unknown",
     false},
    {"step", INT, "number of the step in which the event starts; null outside of all steps", false},
};

static uint32_t kernel_count(const struct tp_rows *rows)
{
    return rows->model->devices.count;
}

/* Adds the cells for the kind of work, FLOPs and bytes. If a call started several device operations, only the main one
 * gets the FLOPs and bytes. */
static void add_cost_cells(struct tp_rows_cell **cell, const struct tp_rows *rows, uint32_t device)
{
    const struct tp_work_unit *unit = tp_work_unit_of(&rows->units, device);
    const struct tp_cost *cost = unit && unit->main == device ? &rows->units.costs[unit->cost] : NULL;
    add_text_cell(cell, tp_str_of(tp_work_text(rows->kinds.of_device[device])));
    int64_t untyped = rows->units.untyped_flops_of_device ? rows->units.untyped_flops_of_device[device] : 0;
    add_int_cell(cell, cost ? cost->flops_without_masked : untyped ? untyped : TP_NULL_INT);
    add_int_cell(cell, cost ? cost->bytes : TP_NULL_INT);
}

static void fill_kernel(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_model *model = rows->model;
    const struct tp_trace *trace = model->trace;
    const struct tp_event *e = tp_device_event(model, row);
    const struct tp_device_setup *d = tp_device_setup(trace, e->detail);
    enum tp_trace_out_category category;
    uint32_t launch = model->devices.launch[row];
    add_event_cells(&cell, model->devices.event[row]);
    add_text_cell(&cell, tp_chrome_category(trace, e, &category));
    add_text_cell(&cell, tp_trace_event_name(trace, e));
    add_int_cell(&cell, d->device);
    add_int_cell(&cell, d->stream);
    add_time_cells(&cell, rows, e);
    add_int_cell(&cell, d->bytes);
    add_int_cell(&cell, trace->devices[e->detail].correlation);
    add_event_cells(&cell, launch == TP_NO_ID ? TP_NO_ID : model->launches.event[launch]);
    add_operator_cells(&cell, rows, model->devices.owner[row]);
    add_module_cell(&cell, rows, model->devices.module, row);
    add_text_cell_by_id(&cell, &trace->values, d->grid);
    add_text_cell_by_id(&cell, &trace->values, d->block);
    add_number_cell(&cell, &trace->values, d->registers);
    add_number_cell(&cell, &trace->values, d->shared_memory);
    cell++->real = d->occupancy_pct_e9 == TP_NULL_INT ? NAN : (double)d->occupancy_pct_e9 / 1e9;
    add_cost_cells(&cell, rows, row);
    add_step_cell(&cell, rows, e->ts_ns);
}

/* ---- operators ---- */

static const struct tp_rows_column operator_columns[] = {
    {"event_id", INT, "id of the operator call in the table 'events'", true},
    {"parent_event_id", INT, "id of the event of the operator around this operator", true},
    {"name", TEXT, "name of the event as recorded", true},
    {"thread", TEXT, "number of the thread", false},
    {"start_ns", INT, "start of the operator call, nanoseconds since the first event", false},
    {"duration_ns", INT, "duration of the operator call, nanoseconds", false},
    {"self_ns", INT, "duration of the operator without its inner operators and runtime calls, nanoseconds", false},
    {"device_self_ns", INT, "time of the device work that the operator itself launched, nanoseconds", false},
    {"device_total_ns", INT, "time of the device work that the operator and its inner operators launched, nanoseconds",
     false},
    {"is_finished", INT, "0: the operator was still open when the recording ended; 1: the operator ended before",
     false},
    {"module", TEXT, "name of the innermost module call around the operator", false},
    {"external_id", INT, "external id of the operator as recorded", false},
    {"sequence_number", INT, "number that a forward operator shares with its backward operator", false},
    {"input_dims", TEXT, "shapes of the inputs, as JSON", false},
    {"input_types", TEXT, "types of the inputs, as JSON", false},
    {"call_stack", TEXT, "call stack as recorded, innermost frame first", false},
    {"step", INT, "number of the step in which the event starts; null outside of all steps", false},
};

static uint32_t operator_count(const struct tp_rows *rows)
{
    return rows->model->operators.count;
}

static void fill_operator(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_model *model = rows->model;
    const struct tp_trace *trace = model->trace;
    const struct tp_operators *ops = &model->operators;
    const struct tp_event *e = tp_operator_event(model, row);
    const struct tp_host_detail *d = &trace->hosts[e->detail];
    add_event_cells(&cell, ops->event[row]);
    add_operator_cells(&cell, rows, ops->parent[row]);
    add_text_cell(&cell, tp_trace_event_name(trace, e));
    add_text_cell(&cell, rows->threads[e->thread]);
    add_time_cells(&cell, rows, e);
    add_int_cell(&cell, tp_narrow_get(&ops->host_self, row));
    add_int_cell(&cell, tp_narrow_get(&ops->device_self, row));
    add_int_cell(&cell, tp_narrow_get(&ops->device_total, row));
    add_int_cell(&cell, !(ops->flags[row] & TP_OPERATOR_UNFINISHED));
    add_module_cell(&cell, rows, ops->module, row);
    add_int_cell(&cell, d->external_id);
    add_int_cell(&cell, tp_host_rare(trace, d).sequence);
    add_text_cell_by_id(&cell, &trace->values, d->dims);
    add_text_cell_by_id(&cell, &trace->values, d->types);
    add_text_cell_by_id(&cell, &trace->stack_texts, d->stack);
    add_step_cell(&cell, rows, e->ts_ns);
}

/* ---- steps ---- */

static const struct tp_rows_column step_columns[] = {
    {"step", INT, "number of the step, from 0; other tables refer to the step by this number", true},
    {"name", TEXT, "name of the step's marker", false},
    {"start_ns", INT, "start of the step, nanoseconds since the first event", false},
    {"end_ns", INT, "end of the step including its device work, nanoseconds since the first event", false},
    {"host_start_ns", INT, "start of the step's marker on the host, nanoseconds since the first event", false},
    {"host_end_ns", INT, "end of the step's marker on the host, nanoseconds since the first event", false},
    {"used", INT,
     "0: the report leaves the step out of its statistics, for example as warm-up or unfinished; 1: analysed step",
     false},
};

static uint32_t step_count(const struct tp_rows *rows)
{
    return rows->model->step_count;
}

static void fill_step(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_step *step = &rows->model->steps[row];
    add_int_cell(&cell, row);
    add_text_cell(&cell, step->name);
    add_int_cell(&cell, tp_sat_sub(step->start_ns, rows->first_ns));
    add_int_cell(&cell, tp_sat_sub(step->end_ns, rows->first_ns));
    add_int_cell(&cell, tp_sat_sub(step->host_start_ns, rows->first_ns));
    add_int_cell(&cell, tp_sat_sub(step->host_end_ns, rows->first_ns));
    add_int_cell(&cell, tp_step_is_used(step));
}

/* ---- memory ---- */

static const struct tp_rows_column memory_columns[] = {
    {"record_id", INT, "number of the memory record, in order of time", true},
    {"time_ns", INT, "time of the memory record, nanoseconds since the first event", true},
    {"device", TEXT, "device of the memory, such as CPU or GPU0", false},
    {"bytes", INT, "number of allocated bytes; negative: number of released bytes", false},
    {"address", INT, "address of the memory block", true},
    {"total_allocated_bytes", INT, "total of allocated bytes after this record, as the allocator reports it", false},
    {"total_reserved_bytes", INT, "total of bytes reserved from the driver after this record", false},
    {"is_out_of_memory", INT, "1: the allocation failed", false},
    {"thread", TEXT, "number of the thread", false},
    {"operator_event_id", INT, "id of the event of the innermost operator at the time of the record", true},
    {"step", INT, "number of the step that contains the memory record; null outside of all steps", false},
};

static uint32_t memory_count(const struct tp_rows *rows)
{
    return rows->memory.count;
}

static void fill_memory(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_memory_record *record = &rows->memory.items[row];
    const struct tp_memory *raw = tp_memory_trace_record(&rows->memory, record);
    const struct tp_memory_rare *more = tp_memory_rare(rows->model->trace, raw);
    add_int_cell(&cell, row);
    add_int_cell(&cell, tp_sat_sub(raw->ts_ns, rows->first_ns));
    add_text_cell(&cell, rows->memory.devices[record->device].name);
    add_int_cell(&cell, raw->bytes);
    add_int_cell(&cell, more->address);
    add_int_cell(&cell, more->total_allocated);
    add_int_cell(&cell, more->total_reserved);
    add_int_cell(&cell, (raw->flags & TP_MEMORY_OUT_OF_MEMORY) != 0);
    add_text_cell(&cell, rows->threads[raw->thread]);
    add_operator_cells(&cell, rows, record->owner);
    add_step_cell(&cell, rows, raw->ts_ns);
}

/* ---- links ---- */

static const struct tp_rows_column link_columns[] = {
    {"kind", TEXT,
     "launch: from a call to the device operation that it launched; backward: from a forward to its backward operator",
     false},
    {"from_event_id", INT, "id of the event at which the link starts", true},
    {"to_event_id", INT, "id of the event at which the link ends", true},
};

static uint32_t link_count(const struct tp_rows *rows)
{
    return rows->links.count;
}

static void fill_link(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_link *link = &rows->links.items[row];
    add_text_cell(&cell, tp_str_of(tp_link_name(link->kind)));
    add_event_cells(&cell, link->from);
    add_event_cells(&cell, link->to);
}

/* ---- tasks ---- */

static const struct tp_rows_column task_columns[] = {
    {"name", TEXT, "name that the program gave the tasks", true},
    {"count", INT, "number of tasks that began and ended during the recording", false},
    {"total_ns", INT, "sum of the durations of the tasks that ended, nanoseconds; simultaneous tasks are all added",
     false},
    {"p50_ns", INT, "median duration of the tasks that ended, nanoseconds (nearest rank)", false},
    {"p95_ns", INT, "duration that 95 % of the tasks that ended do not exceed, nanoseconds (nearest rank)", false},
    {"p99_ns", INT, "duration that 99 % of the tasks that ended do not exceed, nanoseconds (nearest rank)", false},
    {"max_ns", INT, "duration of the longest task that ended, nanoseconds", false},
    {"most_at_once", INT, "largest number of tasks with this name that were open at the same time", false},
    {"open", INT, "number of tasks that were still open when the recording ended", false},
};

static uint32_t task_count(const struct tp_rows *rows)
{
    return (uint32_t)rows->tasks.tasks.row_count;
}

static void fill_task(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_table *tasks = &rows->tasks.tasks;
    add_text_cell(&cell, tp_table_text(tasks, TP_TASK_NAME)[row]);
    for (unsigned column = TP_TASK_COUNT; column < TP_TASK_COLUMNS; column++)
        add_int_cell(&cell, tp_table_int(tasks, column)[row]);
}

/* ---- ranges ---- */

static const struct tp_rows_column range_columns[] = {
    {"name", TEXT, "name of the range or module", true},
    {"kind", TEXT, "annotation or module; null for the sum of the ranges that have no own row", false},
    {"calls", INT, "number of ranges with this name", false},
    {"threads", INT, "number of threads that have such a range", false},
    {"host_ns", INT, "host time of the ranges, nanoseconds; a range inside a range with the same name adds no time",
     false},
    {"host_self_ns", INT, "host time of the ranges without the ranges of this kind directly inside, nanoseconds",
     false},
    {"forward_ns", INT, "time of the device work that was launched inside the ranges, nanoseconds", false},
    {"backward_ns", INT,
     "time of the device work of the backward pass of the ranges that was launched outside them, nanoseconds", false},
    {"device_ns", INT, "forward_ns plus backward_ns; nested ranges share device work", false},
    {"busy_ns", INT, "time in which at least one device runs work of the ranges, nanoseconds", false},
    {"self_ns", INT, "time of the device work whose innermost range has this name, nanoseconds", false},
    {"captured_ns", INT, "time of the work that a capture trace assigns to the range, nanoseconds", false},
    {"operations", INT, "number of device operations of the ranges, forward and backward", false},
    {"percent", REAL, "device_ns as a share of the time of all device work, percent", false},
    {"host_per_step_ns", INT, "host time in the analysed steps divided by their number, nanoseconds", false},
    {"device_per_step_ns", INT, "device time in the analysed steps divided by their number, nanoseconds", false},
};

static uint32_t range_count(const struct tp_rows *rows)
{
    return (uint32_t)rows->ranges.table.row_count;
}

static void fill_range(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    tp_rows_fill_from_table(cell, &rows->ranges.table, row);
}

/* ---- calls of the operating system, and samples without times ---- */

static const struct tp_rows_column os_call_columns[] = {
    {"name", TEXT, "name of the function", true},
    {"thread", TEXT, "number of the thread", true},
    {"thread_name", TEXT, "name of the thread", false},
    {"start_ns", INT, "start of the call, nanoseconds since the first event", true},
    {"duration_ns", INT, "duration of the call, nanoseconds", false},
    {"step", INT, "number of the step in which the call starts; null outside of all steps", false},
};

static uint32_t os_call_count(const struct tp_rows *rows)
{
    return rows->model->trace->input.os_call_count;
}

static void fill_os_call(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_trace *trace = rows->model->trace;
    const struct tp_os_call *call = &trace->input.os_calls[row];
    add_text_cell_by_id(&cell, &trace->texts, call->name);
    add_text_cell(&cell, rows->threads[call->thread]);
    add_text_cell(&cell, trace->threads[call->thread].name);
    add_int_cell(&cell, tp_sat_sub(call->ts_ns, rows->first_ns));
    add_int_cell(&cell, call->dur_ns);
    add_step_cell(&cell, rows, call->ts_ns);
}

static const struct tp_rows_column sample_columns[] = {
    {"sample_id", INT, "number of the sample, in the order of the recording", true},
    {"time_ns", INT, "time of the sample, nanoseconds since the first event", true},
    {"thread", TEXT, "number of the thread", true},
    {"thread_name", TEXT, "name of the thread", false},
    {"call_stack", TEXT, "functions of the stack, innermost first; null if unknown", false},
    {"step", INT, "number of the step that contains the sample; null outside of all steps", false},
};

static uint32_t sample_count(const struct tp_rows *rows)
{
    return rows->model->trace->input.has_untimed_samples ? rows->model->trace->sample_count : 0;
}

static void fill_sample(const struct tp_rows *rows, uint32_t row, struct tp_rows_cell *cell)
{
    const struct tp_trace *trace = rows->model->trace;
    const struct tp_sample *sample = &trace->samples[row];
    add_int_cell(&cell, row);
    add_int_cell(&cell, tp_sat_sub(sample->ts_ns, rows->first_ns));
    add_text_cell(&cell, rows->threads[sample->thread]);
    add_text_cell(&cell, trace->threads[sample->thread].name);
    add_text_cell_by_id(&cell, &trace->stack_texts, sample->stack);
    add_step_cell(&cell, rows, sample->ts_ns);
}

/* ---- tables ---- */

#define COLUMNS(list) (list), sizeof(list) / sizeof *(list)

static const struct tp_rows_table tables[] = {
    {"events", "events of the trace that have a duration", COLUMNS(event_columns), event_count, fill_event},
    {"kernels", "device operations: kernels, copies and memsets", COLUMNS(kernel_columns), kernel_count, fill_kernel},
    {"operators", "calls of operators on the host", COLUMNS(operator_columns), operator_count, fill_operator},
    {"steps", "steps; the whole trace is one step if no steps are found", COLUMNS(step_columns), step_count, fill_step},
    {"memory", "allocations and releases of memory", COLUMNS(memory_columns), memory_count, fill_memory},
    {"links", "pairs of events that belong together, such as a launch call and its kernel", COLUMNS(link_columns),
     link_count, fill_link},
    {"tasks", "tasks by name; a task may end on another thread than it began on", COLUMNS(task_columns), task_count,
     fill_task},
};
enum { TABLES = sizeof tables / sizeof *tables };

/* Tables that exist only if they have rows. */
static const struct tp_rows_table rare_tables[] = {
    {"ranges", "host time and device time of annotations and modules by name", COLUMNS(range_columns), range_count,
     fill_range},
    {"os_calls", "calls of the operating system", COLUMNS(os_call_columns), os_call_count, fill_os_call},
    {"samples", "samples of running threads", COLUMNS(sample_columns), sample_count, fill_sample},
};
enum { RARE_TABLES = sizeof rare_tables / sizeof *rare_tables };
_Static_assert(sizeof range_columns / sizeof *range_columns == TP_RANGE_TIME_COLUMNS,
               "each column of ranges is exported");

const struct tp_rows_table *tp_rows_table(const struct tp_rows *rows, unsigned index)
{
    if (rows->snapshot)
        return tp_snapshot_rows_tables[index].name ? &tp_snapshot_rows_tables[index] : NULL;
    if (index < TABLES)
        return &tables[index];
    if (index == TABLES)
        return &tp_operation_rows_table;
    index -= TABLES + 1;
    for (unsigned i = 0; i < RARE_TABLES; i++)
        if (rare_tables[i].count(rows) && index-- == 0)
            return &rare_tables[i];
    for (const struct tp_rows_table *table = tp_counter_rows_tables; table->name; table++)
        if (table->count(rows) && index-- == 0)
            return table;
    for (const struct tp_rows_table *table = tp_what_if_rows_tables; table->name; table++)
        if (table->count(rows) && index-- == 0)
            return table;
    for (const struct tp_rows_table *table = tp_view_rows_tables; table->name; table++)
        if (table->count(rows) && index-- == 0)
            return table;
    if (rows->compiled.is_present && index-- == 0)
        return &tp_compiled_rows_table;
    const struct tp_rows_table *table = rows->program ? &tp_program_rows_tables[index] : NULL;
    return table && table->name ? table : NULL;
}

static struct tp_str row_text(struct tp_arena *arena, const struct tp_row_id *id)
{
    char number[32];
    if (id->is_text)
        return id->text;
    int n = snprintf(number, sizeof number, "%" PRId64, id->number);
    return (struct tp_str){tp_arena_copy(arena, number, (size_t)n), (size_t)n};
}

void tp_rows_build(struct tp_rows *rows, const struct tp_model *model, struct tp_arena *arena)
{
    uint32_t threads = model->trace->thread_count;
    *rows = (struct tp_rows){.model = model, .arena = arena, .first_ns = model->first_ns};
    if (model->trace->state_count)
        rows->program = tp_program_rows_new(model->trace, arena);
    /* a trace without events has only states of threads, whose times are relative to the start of the program */
    if (rows->program && !model->event_count)
        rows->first_ns = rows->program->sampled.view.tree.begin_ns;
    tp_links_build(&rows->links, model, arena);
    tp_memory_records_build(&rows->memory, model, arena);
    tp_task_view_build(&rows->tasks, model, arena);
    tp_range_times_build(&rows->ranges, model, arena);
    tp_compiled_view_build(&rows->compiled, model, arena);
    tp_stream_view_build(&rows->streams, model, arena);
    tp_kernel_durations_build(&rows->kernel_durations, model, arena);
    tp_kernel_view_build_by_name(&rows->kernels, model, arena);
    tp_counter_view_build(&rows->counters, model, arena);
    if (model->event_count)
        tp_changes_price(&rows->what_if, model, &(struct tp_asked_changes){.count = 0}, arena, NULL);
    tp_work_kinds_build(&rows->kinds, model, arena);
    tp_work_units_build(&rows->units, &rows->kinds, NULL, arena);
    rows->threads = tp_arena_array(arena, threads, sizeof *rows->threads);
    rows->processes = tp_arena_array(arena, threads, sizeof *rows->processes);
    for (uint32_t i = 0; i < threads; i++) {
        rows->threads[i] = row_text(arena, &model->trace->threads[i].tid);
        rows->processes[i] = row_text(arena, &model->trace->threads[i].pid);
    }
}
