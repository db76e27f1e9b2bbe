/* Makes the table of key_averages for other programs. See profile_table.h. Microseconds in this table are exact,
 * unlike torch's sums of doubles. */
#include <math.h>

#include "webreport/measure/torch_tables/profile_table.h"
#include "writer/base/buf.h"

const struct tp_column_def tp_key_columns[TP_KEY_COLUMNS] = {
    {"name", "Name", "", "{Operator}, module, source line, category or kernel that the row is about.", TP_COLUMN_TEXT},
    {"kind", "Kind", "", "cpu for work on the host; for device work the type of the device, such as cuda.",
     TP_COLUMN_WORD},
    {"is_annotation", "Annotation", "", "true if the row is a range that the program marked.", TP_COLUMN_BOOL},
    {"is_async", "Async", "", "true if the calls end on another thread than the thread on which they start.",
     TP_COLUMN_BOOL},
    {"calls", "Calls", "", "Number of calls.", TP_COLUMN_INT},
    {"self_cpu_us", "Self CPU", "us", "Host time of the calls, excluding the calls inside them.", TP_COLUMN_NS},
    {"cpu_us", "CPU total", "us", "Host time of the calls, including the calls inside them.", TP_COLUMN_NS},
    {"cpu_per_call_us", "CPU time avg", "us", "CPU total divided by the number of calls.", TP_COLUMN_NS},
    {"self_device_us", "Self device", "us", "Time of the device work that the calls launched themselves.",
     TP_COLUMN_NS},
    {"device_us", "Device total", "us", "Time of the device work that the calls and the calls inside them launched.",
     TP_COLUMN_NS},
    {"device_per_call_us", "Device time avg", "us", "Device total divided by the number of calls.", TP_COLUMN_NS},
    {"cpu_memory_bytes", "CPU Mem", "bytes",
     "Host memory allocated minus host memory released by the calls, including the calls inside them.",
     TP_COLUMN_BYTES},
    {"self_cpu_memory_bytes", "Self CPU Mem", "bytes",
     "Host memory allocated minus host memory released by the calls, without the calls inside them.", TP_COLUMN_BYTES},
    {"device_memory_bytes", "Device Mem", "bytes",
     "Device memory allocated minus device memory released by the calls, including the calls inside them.",
     TP_COLUMN_BYTES},
    {"self_device_memory_bytes", "Self device Mem", "bytes",
     "Device memory allocated minus device memory released by the calls, without the calls inside them.",
     TP_COLUMN_BYTES},
    {"flops", "FLOPs", "", "Number of floating-point operations according to PyTorch.", TP_COLUMN_INT},
    {"input_shapes", "Input shapes", "", "Shapes of the inputs, if the rows are grouped by shape.", TP_COLUMN_TEXT},
    {"stack", "Stack", "", "Call stack, innermost frame first, if the rows are grouped by stack.", TP_COLUMN_TEXT},
};

static const char *device_kind(const struct tp_key_averages *averages, const struct tp_key_row *row)
{
    static const char *const devices[][2] = {{"CUDA", "cuda"}, {"XPU", "xpu"}, {"MTIA", "mtia"}};
    for (size_t i = 0; row->is_device && i < sizeof devices / sizeof *devices; i++)
        if (averages->torch.device && strcmp(averages->torch.device, devices[i][0]) == 0)
            return devices[i][1];
    return row->is_device ? "device" : "cpu";
}

/* Returns the frames of a row as texts of the trace, joined by ";". */
static struct tp_str join_frames(const struct tp_key_averages *averages, const struct tp_key_row *row,
                                 struct tp_arena *arena)
{
    size_t size = 0;
    if (!row->stack.count)
        return (struct tp_str){NULL, 0};
    for (uint32_t i = 0; i < row->stack.count; i++)
        size += tp_key_frame_text(&averages->stacks, row->stack.first + i).len + (i > 0);
    char *text = tp_arena_alloc(arena, size + 1), *at = text;
    for (uint32_t i = 0; i < row->stack.count; i++) {
        struct tp_str frame = tp_key_frame_text(&averages->stacks, row->stack.first + i);
        if (i)
            *at++ = ';';
        if (frame.len)
            memcpy(at, frame.ptr, frame.len);
        at += frame.len;
    }
    return (struct tp_str){text, size};
}

static int64_t mean_ns(int64_t ns, int64_t count)
{
    return count ? (int64_t)llround((double)ns / (double)count) : 0;
}

static void fill_row(struct tp_table *table, size_t at, const struct tp_key_row *row)
{
    const int64_t numbers[] = {row->count,
                               row->self_cpu.ns,
                               row->cpu.ns,
                               mean_ns(row->cpu.ns, row->count),
                               row->self_device.ns,
                               row->device.ns,
                               mean_ns(row->device.ns, row->count),
                               row->cpu_bytes,
                               row->self_cpu_bytes,
                               row->device_bytes,
                               row->self_device_bytes,
                               row->flops};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        tp_table_int(table, TP_KEY_NUMBERS + i)[at] = numbers[i];
}

struct tp_table *tp_key_averages_table(const struct tp_key_averages *averages, const uint32_t *rows, size_t count,
                                       struct tp_arena *arena)
{
    struct tp_table *table = tp_arena_alloc(arena, sizeof *table);
    tp_table_init(table, arena, "key_averages", tp_key_columns, TP_KEY_COLUMNS, count);
    for (size_t i = 0; i < count; i++) {
        const struct tp_key_row *row = &averages->rows[rows[i]];
        tp_table_text(table, TP_KEY_COLUMN_NAME)[i] = row->key;
        tp_table_text(table, TP_KEY_COLUMN_KIND)[i] = tp_str_of(device_kind(averages, row));
        tp_table_bool(table, TP_KEY_COLUMN_ANNOTATION)[i] = row->is_annotation;
        tp_table_bool(table, TP_KEY_COLUMN_ASYNC)[i] = row->is_async;
        fill_row(table, i, row);
        tp_table_text(table, TP_KEY_COLUMN_SHAPES)[i] = row->shapes;
        tp_table_text(table, TP_KEY_COLUMN_STACK)[i] = join_frames(averages, row, arena);
    }
    return table;
}

/* Adds up the times of all rows, including rows that are not shown. */
void tp_key_averages_sum(const struct tp_key_averages *averages, int64_t *cpu_ns, int64_t *device_ns)
{
    __int128 host = 0, device = 0;
    for (uint32_t i = 0; i < averages->count; i++) {
        const struct tp_key_row *row = &averages->rows[i];
        host += row->self_cpu.ns;
        device += tp_key_row_adds_device(averages, row) ? row->self_device.ns : 0;
    }
    *cpu_ns = host > INT64_MAX ? INT64_MAX : (int64_t)host;
    *device_ns = device > INT64_MAX ? INT64_MAX : (int64_t)device;
}
