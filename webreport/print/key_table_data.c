/* Rows for programs and pages: see key_table.h. Microseconds here are exact, not torch's sums of doubles. */
#include "webreport/print/key_table.h"

#include <math.h>

#include "webreport/print/plain_table.h"
#include "writer/base/utf8.h"
#include "writer/text/csv.h"
#include "writer/text/markdown_escape.h"

/* ---- the numbers of a row ---- */

enum unit { UNIT_US, UNIT_MEAN_US, UNIT_COUNT };

static int64_t self_cpu(const struct tp_key_row *row)
{
    return row->self_cpu.ns;
}
static int64_t cpu(const struct tp_key_row *row)
{
    return row->cpu.ns;
}
static int64_t self_device(const struct tp_key_row *row)
{
    return row->self_device.ns;
}
static int64_t device(const struct tp_key_row *row)
{
    return row->device.ns;
}
static int64_t calls(const struct tp_key_row *row)
{
    return row->count;
}
static int64_t cpu_bytes(const struct tp_key_row *row)
{
    return row->cpu_bytes;
}
static int64_t self_cpu_bytes(const struct tp_key_row *row)
{
    return row->self_cpu_bytes;
}
static int64_t device_bytes(const struct tp_key_row *row)
{
    return row->device_bytes;
}
static int64_t self_device_bytes(const struct tp_key_row *row)
{
    return row->self_device_bytes;
}
static int64_t flops(const struct tp_key_row *row)
{
    return row->flops;
}

/* Columns of numbers; names are part of the interface. */
static const struct {
    const char *name;
    int64_t (*value)(const struct tp_key_row *row);
    enum unit unit;
} numbers[] = {{"calls", calls, UNIT_COUNT},
               {"self_cpu_us", self_cpu, UNIT_US},
               {"cpu_us", cpu, UNIT_US},
               {"cpu_per_call_us", cpu, UNIT_MEAN_US},
               {"self_device_us", self_device, UNIT_US},
               {"device_us", device, UNIT_US},
               {"device_per_call_us", device, UNIT_MEAN_US},
               {"cpu_memory_bytes", cpu_bytes, UNIT_COUNT},
               {"self_cpu_memory_bytes", self_cpu_bytes, UNIT_COUNT},
               {"device_memory_bytes", device_bytes, UNIT_COUNT},
               {"self_device_memory_bytes", self_device_bytes, UNIT_COUNT},
               {"flops", flops, UNIT_COUNT}};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static void put_number(struct tp_json *json, const struct tp_key_row *row, size_t i)
{
    int64_t value = numbers[i].value(row);
    if (numbers[i].unit == UNIT_US)
        tp_json_us(json, value);
    else if (numbers[i].unit == UNIT_COUNT)
        tp_json_int(json, value);
    else
        tp_json_us(json, row->count ? (int64_t)llround((double)value / (double)row->count) : 0);
}

static const char *kind_of(const struct tp_key_averages *averages, const struct tp_key_row *row)
{
    static const char *const devices[][2] = {{"CUDA", "cuda"}, {"XPU", "xpu"}, {"MTIA", "mtia"}};
    for (size_t i = 0; row->is_device && i < sizeof devices / sizeof *devices; i++)
        if (averages->torch.device && strcmp(averages->torch.device, devices[i][0]) == 0)
            return devices[i][1];
    return row->is_device ? "device" : "cpu";
}

/* ---- CSV ---- */

/* The frames of a row, innermost first, joined by ";" as the trace has them. */
static struct tp_str join_frames(struct tp_buf *scratch, const struct tp_key_averages *averages,
                                 const struct tp_key_row *row)
{
    tp_buf_clear(scratch);
    for (uint32_t i = 0; i < row->stack.count; i++) {
        struct tp_str frame = tp_frame_text(&averages->stacks, row->stack.first + i);
        tp_buf_add(scratch, frame.ptr, frame.len);
        if (i + 1 < row->stack.count)
            tp_buf_putc(scratch, ';');
    }
    return (struct tp_str){scratch->size ? scratch->data : "", scratch->size};
}

void tp_key_table_csv_head(struct tp_buf *out)
{
    tp_buf_puts(out, "name,kind,is_annotation,is_async");
    for (size_t i = 0; i < NUMBERS; i++) {
        tp_buf_putc(out, ',');
        tp_buf_puts(out, numbers[i].name);
    }
    tp_buf_puts(out, ",input_shapes,stack,profile\n");
}

static void put_csv_row(struct tp_buf *out, const struct tp_key_averages *averages, const struct tp_key_row *row,
                        struct tp_str profile)
{
    struct tp_buf frames;
    tp_csv_text(out, row->key);
    tp_buf_printf(out, ",%s,%s,%s", kind_of(averages, row), row->is_annotation ? "true" : "false",
                  row->is_async ? "true" : "false");
    for (size_t i = 0; i < NUMBERS; i++) {
        struct tp_json number;
        tp_json_init(&number, out);
        tp_buf_putc(out, ',');
        put_number(&number, row, i);
    }
    tp_buf_putc(out, ',');
    if (row->shapes.ptr)
        tp_csv_text(out, row->shapes);
    tp_buf_putc(out, ',');
    if (row->stack.count) {
        tp_buf_init(&frames, 0);
        tp_csv_text(out, join_frames(&frames, averages, row));
        out->failed = out->failed ? out->failed : frames.failed;
        tp_buf_release(&frames);
    }
    tp_buf_putc(out, ',');
    tp_csv_text(out, profile);
    tp_buf_putc(out, '\n');
}

void tp_key_table_csv(struct tp_buf *out, const struct tp_key_averages *averages, const uint32_t *order,
                      const struct tp_key_table_options *options, struct tp_str profile)
{
    int64_t shown = 0;
    for (uint32_t i = 0; i < averages->count; i++)
        if (tp_key_is_shown(&averages->rows[order[i]], options, shown)) {
            put_csv_row(out, averages, &averages->rows[order[i]], profile);
            shown++;
        }
}

/* ---- JSON ---- */

/* Sums of the self times of all rows, shown or not. */
static void sum(const struct tp_key_averages *averages, int64_t *cpu_ns, int64_t *device_ns)
{
    __int128 host = 0, device_sum = 0;
    for (uint32_t i = 0; i < averages->count; i++) {
        const struct tp_key_row *row = &averages->rows[i];
        host += row->self_cpu.ns;
        device_sum += tp_key_row_adds_device(averages, row) ? row->self_device.ns : 0;
    }
    *cpu_ns = host > INT64_MAX ? INT64_MAX : (int64_t)host;
    *device_ns = device_sum > INT64_MAX ? INT64_MAX : (int64_t)device_sum;
}

static void put_json_row(struct tp_json *json, const struct tp_key_averages *averages, const struct tp_key_row *row)
{
    tp_json_object(json);
    tp_json_member_str(json, "name", row->key);
    tp_json_member_text(json, "kind", kind_of(averages, row));
    tp_json_member_bool(json, "is_annotation", row->is_annotation);
    tp_json_member_bool(json, "is_async", row->is_async);
    for (size_t i = 0; i < NUMBERS; i++) {
        tp_json_key(json, numbers[i].name);
        put_number(json, row, i);
    }
    if (row->shapes.ptr)
        tp_json_member_str(json, "input_shapes", row->shapes);
    if (row->stack.count) {
        tp_json_key(json, "stack");
        tp_json_array(json);
        for (uint32_t k = 0; k < row->stack.count; k++)
            tp_json_str(json, tp_frame_text(&averages->stacks, row->stack.first + k));
        tp_json_array_end(json);
    }
    tp_json_object_end(json);
}

void tp_key_table_json(struct tp_json *json, const struct tp_key_averages *averages, const uint32_t *order,
                       const struct tp_key_table_options *options)
{
    int64_t cpu_ns, device_ns, shown = 0;
    sum(averages, &cpu_ns, &device_ns);
    tp_json_member_text(json, "device", averages->torch.device);
    tp_json_member_us(json, "self_cpu_total_us", cpu_ns);
    tp_json_member_us(json, "self_device_total_us", device_ns);
    tp_json_member_int(json, "row_count", averages->count);
    tp_json_key(json, "rows");
    tp_json_array(json);
    for (uint32_t i = 0; i < averages->count; i++)
        if (tp_key_is_shown(&averages->rows[order[i]], options, shown)) {
            put_json_row(json, averages, &averages->rows[order[i]]);
            shown++;
        }
    tp_json_array_end(json);
}

/* ---- Markdown ---- */

enum { MARKDOWN_NAME = 256 };

static void put_markdown_row(struct tp_buf *out, const struct tp_key_averages *averages, const struct tp_key_row *row,
                             enum tp_key_time_unit unit)
{
    const double times[] = {row->self_cpu.us, row->cpu.us, row->self_device.us, row->device.us};
    char text[TP_KEY_TEXT];
    struct tp_str name = row->key;
    name.len = tp_utf8_cut(name.ptr, name.len, MARKDOWN_NAME);
    tp_buf_puts(out, "| ");
    tp_markdown_escape(out, name);
    if (row->shapes.ptr) {
        tp_buf_puts(out, " | ");
        tp_markdown_escape(out, row->shapes);
    }
    tp_buf_printf(out, " | %lld", (long long)row->count);
    for (size_t i = 0; i < (averages->torch.device ? 4 : 2); i++) {
        tp_key_text_time(text, times[i], unit);
        tp_buf_printf(out, " | %s", text);
    }
    if (averages->has_memory) {
        tp_key_text_memory(text, row->self_cpu_bytes, averages->torch.rules);
        tp_buf_printf(out, " | %s", text);
    }
    tp_buf_puts(out, " |\n");
}

void tp_key_table_markdown(struct tp_buf *out, const struct tp_key_averages *averages, const uint32_t *order,
                           const struct tp_key_table_options *options)
{
    const char *dev = averages->torch.device;
    bool has_shapes = averages->count && averages->rows[0].shapes.ptr;
    unsigned columns = 3 + (has_shapes ? 1 : 0) + (dev ? 2 : 0) + (averages->has_memory ? 1 : 0);
    int64_t shown = 0;
    tp_buf_printf(out, "| Name |%s Calls | Self CPU | CPU total |", has_shapes ? " Input shapes |" : "");
    if (dev)
        tp_buf_printf(out, " Self %s | %s total |", dev, dev);
    tp_buf_printf(out, "%s\n|:--|", averages->has_memory ? " Self CPU Mem |" : "");
    for (unsigned i = 0; i < columns; i++)
        tp_buf_puts(out, "--:|");
    tp_buf_putc(out, '\n');
    for (uint32_t i = 0; i < averages->count; i++)
        if (tp_key_is_shown(&averages->rows[order[i]], options, shown)) {
            put_markdown_row(out, averages, &averages->rows[order[i]], options->time_unit);
            shown++;
        }
}
