/* Fills the table of ranges from their sums: see range_table.h. */
#include "webreport/measure/views/range_table.h"

#include <math.h>

#include "webreport/model/numbers.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

#define REST "(rest)"

const struct tp_column_def tp_range_time_columns[TP_RANGE_TIME_COLUMNS] = {
    {"name", "Range", "", "Name of the range or module.", TP_COLUMN_TEXT},
    {"kind", "Kind", "",
     "Kind of the range: an annotation of the program, a call of a module, or an annotation of kernels of a graph.",
     TP_COLUMN_WORD},
    {"calls", "Calls", "", "Number of ranges with this name.", TP_COLUMN_INT},
    {"threads", "Threads", "", "Number of threads that have such a range.", TP_COLUMN_INT},
    {"host_us", "CPU total", "us", "Host time of the ranges. A range inside a range with the same name adds no time.",
     TP_COLUMN_NS},
    {"host_self_us", "CPU self", "us", "Host time of the ranges without the ranges of this kind directly inside.",
     TP_COLUMN_NS},
    {"forward_us", "Forward", "us", "Time of the device work that was launched inside the ranges.", TP_COLUMN_NS},
    {"backward_us", "Backward", "us",
     "Time of the device work that was launched outside the ranges, by the backward pass of their {operators}.",
     TP_COLUMN_NS},
    {"device_us", "{GPU} total", "us",
     "Forward plus backward time. Nested ranges share device work, so the rows do not add up to 100 %.", TP_COLUMN_NS},
    {"busy_us", "Busy", "us", "Time in which at least one {GPU} runs work of the ranges.", TP_COLUMN_NS},
    {"self_us", "{GPU} self", "us",
     "Time of the device work whose innermost range has this name. The rows add up to all work inside of ranges.",
     TP_COLUMN_NS},
    {"captured_us", "Captured", "us", "Time of the work that a capture trace assigns to the range.", TP_COLUMN_NS},
    {"operations", "Operations", "", "Number of device operations of the ranges, forward and backward.", TP_COLUMN_INT},
    {"percent", "Share", "%", "{GPU} total as a share of the time of all device work.", TP_COLUMN_REAL},
    {"host_per_step_us", "CPU per step", "us", "CPU total within the analysed steps, divided by their number.",
     TP_COLUMN_NS},
    {"device_per_step_us", "{GPU} per step", "us", "{GPU} total in the analysed steps, divided by their number.",
     TP_COLUMN_NS}};

static int64_t device_time(const struct tp_range_row *row)
{
    return row->forward_ns == TP_NULL_INT ? TP_NULL_INT : tp_sat_add(row->forward_ns, row->backward_ns);
}

static struct tp_str row_name(const struct tp_model *model, const struct tp_range_row *row)
{
    if (row->text.ptr)
        return row->text;
    return row->label == TP_NO_ID ? TP_STR(REST) : tp_frames_label_text(&model->trace->frames, row->label);
}

static int compare_rows(const void *x, const void *y, const void *context)
{
    const struct tp_range_row *a = x, *b = y;
    int64_t device_a = device_time(a), device_b = device_time(b);
    if (device_a != device_b)
        return device_a > device_b ? -1 : 1;
    if (a->host_ns != b->host_ns)
        return a->host_ns > b->host_ns ? -1 : 1;
    int order = tp_str_compare(row_name(context, a), row_name(context, b));
    return order ? order : (a->kind > b->kind) - (a->kind < b->kind);
}

/* Joins the rows from index `first` on to one row "(rest)". Unknown times stay unknown. */
static void join_rest(struct tp_range_row *rows, size_t first, size_t count)
{
    struct tp_range_row *rest = &rows[first];
    for (size_t i = first + 1; i < count; i++) {
        const struct tp_range_row *row = &rows[i];
        rest->calls += row->calls;
        rest->host_ns = tp_sat_add(rest->host_ns, row->host_ns);
        rest->host_self_ns = tp_sat_add(rest->host_self_ns, row->host_self_ns);
        rest->host_step_ns = tp_sat_add(rest->host_step_ns, row->host_step_ns);
        rest->self_ns = tp_sat_add(rest->self_ns, row->self_ns);
        rest->captured_ns = tp_sat_add(rest->captured_ns, row->captured_ns);
        if (rest->forward_ns == TP_NULL_INT || row->forward_ns == TP_NULL_INT) {
            rest->forward_ns = rest->backward_ns = rest->operations = rest->device_step_ns = TP_NULL_INT;
            continue;
        }
        rest->forward_ns = tp_sat_add(rest->forward_ns, row->forward_ns);
        rest->backward_ns = tp_sat_add(rest->backward_ns, row->backward_ns);
        rest->device_step_ns = tp_sat_add(rest->device_step_ns, row->device_step_ns);
        rest->operations += row->operations;
    }
    rest->label = TP_NO_ID;
    rest->text = (struct tp_str){NULL, 0};
    rest->kind = TP_KIND_NONE;
    rest->threads = rest->busy_ns = TP_NULL_INT;
}

static int64_t per_step(const struct tp_model *model, int64_t ns)
{
    return model->used_count && ns != TP_NULL_INT ? ns / model->used_count : TP_NULL_INT;
}

static void fill_row(struct tp_table *table, size_t at, const struct tp_range_row *row, const struct tp_model *model)
{
    static const char *const kinds[TP_KIND_COUNT] = {[TP_KIND_ANNOTATION] = "annotation",
                                                     [TP_KIND_MODULE] = "module",
                                                     [TP_KIND_GPU_ANNOTATION] = "graph annotation"};
    int64_t device = device_time(row);
    const int64_t numbers[TP_RANGE_TIME_COLUMNS] = {
        [TP_RANGE_TIME_CALLS] = row->calls,
        [TP_RANGE_TIME_THREADS] = row->threads,
        [TP_RANGE_TIME_HOST] = row->host_ns,
        [TP_RANGE_TIME_HOST_SELF] = row->host_self_ns,
        [TP_RANGE_TIME_FORWARD] = row->forward_ns,
        [TP_RANGE_TIME_BACKWARD] = row->backward_ns,
        [TP_RANGE_TIME_DEVICE] = device,
        [TP_RANGE_TIME_BUSY] = row->busy_ns,
        [TP_RANGE_TIME_SELF] = row->self_ns,
        [TP_RANGE_TIME_CAPTURED] = row->captured_ns,
        [TP_RANGE_TIME_OPERATIONS] = row->operations,
        [TP_RANGE_TIME_HOST_PER_STEP] = per_step(model, row->host_step_ns),
        [TP_RANGE_TIME_DEVICE_PER_STEP] = per_step(model, row->device_step_ns),
    };
    tp_table_text(table, TP_RANGE_TIME_NAME)[at] = row_name(model, row);
    tp_table_text(table, TP_RANGE_TIME_KIND)[at] =
        kinds[row->kind] ? tp_str_of(kinds[row->kind]) : (struct tp_str){NULL, 0};
    for (unsigned column = TP_RANGE_TIME_CALLS; column < TP_RANGE_TIME_COLUMNS; column++)
        if (column != TP_RANGE_TIME_PERCENT)
            tp_table_int(table, column)[at] = numbers[column];
    tp_table_real(table, TP_RANGE_TIME_PERCENT)[at] =
        device == TP_NULL_INT ? NAN : tp_percent(device, model->devices.time_ns);
}

bool tp_range_table_fill(struct tp_table *table, struct tp_range_row *rows, size_t count, const struct tp_model *model,
                         struct tp_arena *arena)
{
    bool has_device_time = false;
    if (count)
        tp_merge_sort(arena, rows, count, sizeof *rows, compare_rows, model);
    if (count > TP_MAX_RANGE_ROWS) {
        join_rest(rows, TP_MAX_RANGE_ROWS - 1, count);
        count = TP_MAX_RANGE_ROWS;
    }
    tp_table_init(table, arena, "ranges", tp_range_time_columns, TP_RANGE_TIME_COLUMNS, count);
    table->title = "Ranges with device time";
    for (size_t i = 0; i < count; i++) {
        has_device_time |= rows[i].kind != TP_KIND_MODULE && !rows[i].is_step && device_time(&rows[i]) > 0;
        fill_row(table, i, &rows[i], model);
    }
    return has_device_time;
}
