/* torch's _build_table: see key_table.h. Where it is odd (values of FLOPs and source swap columns), so is this. */
#include "webreport/print/key_table.h"

#include <math.h>
#include <stdio.h>

#include "writer/base/utf8.h"
#include "writer/text/terminal.h"

enum { MAX_COLUMNS = 20, COLUMN_WIDTH = 12 };

struct column {
    char title[32];
    size_t width;
    bool is_left;
};

struct printer {
    struct tp_buf *out;
    const struct tp_key_averages *averages;
    const struct tp_key_table_options *options;
    struct column columns[MAX_COLUMNS];
    unsigned column_count;
    bool has_device_time, has_device_memory, has_shapes, has_stack;
    const char *flops_unit; /* NULL: no such column */
    double flops_scale, cpu_us, device_us;
};

/* ---- numbers: _format_time and its like of torch/autograd/profiler_util.py ---- */

void tp_key_text_time(char text[TP_KEY_TEXT], double us, enum tp_key_time_unit unit)
{
    const double second = 1000.0 * 1000.0, millisecond = 1000.0;
    if (unit == TP_KEY_UNIT_AUTO)
        unit = us >= second ? TP_KEY_UNIT_S : us >= millisecond ? TP_KEY_UNIT_MS : TP_KEY_UNIT_US;
    if (unit == TP_KEY_UNIT_S)
        snprintf(text, TP_KEY_TEXT, "%.3fs", us / second);
    else if (unit == TP_KEY_UNIT_MS)
        snprintf(text, TP_KEY_TEXT, "%.3fms", us / millisecond);
    else
        snprintf(text, TP_KEY_TEXT, "%.3fus", us);
}

void tp_key_text_share(char text[TP_KEY_TEXT], double us, double total_us)
{
    if (total_us == 0)
        snprintf(text, TP_KEY_TEXT, "NaN");
    else
        snprintf(text, TP_KEY_TEXT, "%.2f%%", us * 100.0 / total_us);
}

void tp_key_text_memory(char text[TP_KEY_TEXT], int64_t bytes, enum tp_torch_rules rules)
{
    static const struct {
        int64_t bytes;
        const char *text[2];
    } units[] = {{1 << 30, {"GB", "Gb"}}, {1 << 20, {"MB", "Mb"}}, {1 << 10, {"KB", "Kb"}}};
    bool is_old = rules == TP_TORCH_2_6;
    uint64_t size = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (size >= (uint64_t)units[i].bytes) {
            snprintf(text, TP_KEY_TEXT, "%.2f %s", (double)bytes / (double)units[i].bytes, units[i].text[is_old]);
            return;
        }
    snprintf(text, TP_KEY_TEXT, "%lld %s", (long long)bytes, is_old ? "b" : "B");
}

const char *tp_key_flops_unit(const struct tp_key_averages *averages, double *scale)
{
    static const char *const units[] = {"FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs"};
    enum { LAST = sizeof units / sizeof *units - 1 };
    int64_t smallest = 0;
    for (uint32_t i = 0; i < averages->count; i++) {
        int64_t flops = averages->rows[i].flops;
        if (flops > 0 && (smallest == 0 || flops < smallest))
            smallest = flops;
    }
    if (smallest == 0)
        return NULL;
    double power = log10((double)smallest) / 3;
    power = power < 0 ? 0 : power > LAST ? LAST : power;
    *scale = pow(10, floor(power) * -3.0);
    return units[(int)power];
}

/* ---- text by characters ---- */

static size_t length(struct tp_str text)
{
    return tp_utf8_count(text.ptr, text.len);
}

/* Bytes of the first `count` characters. */
static size_t prefix(struct tp_str text, size_t count)
{
    size_t i = 0;
    for (; i < text.len; i++)
        if (!tp_utf8_is_inside(text.ptr[i]) && count-- == 0)
            break;
    return i;
}

static void put_many(struct tp_buf *out, char c, size_t count)
{
    if (tp_buf_reserve(out, count) < 0)
        return;
    for (size_t i = 0; i < count; i++)
        tp_buf_putc(out, c);
}

/* ---- cells ---- */

/* One cell of column `index`: the text, an ellipsis before or behind it. */
struct cell {
    struct tp_str before, text, behind;
};

static void put_cell(struct printer *p, unsigned index, const struct cell *cell)
{
    const struct column *column = &p->columns[index];
    size_t size = length(cell->before) + length(cell->text) + length(cell->behind);
    size_t blanks = size < column->width ? column->width - size : 0;
    if (!column->is_left)
        put_many(p->out, ' ', blanks);
    tp_terminal_put(p->out, cell->before, SIZE_MAX);
    tp_terminal_put(p->out, cell->text, SIZE_MAX);
    tp_terminal_put(p->out, cell->behind, SIZE_MAX);
    if (column->is_left)
        put_many(p->out, ' ', blanks);
    tp_buf_puts(p->out, "  ");
}

static void put_text(struct printer *p, unsigned index, const char *text)
{
    struct cell cell = {.text = tp_str_of(text)};
    put_cell(p, index, &cell);
}

/* trim_path: the end of a path, with an ellipsis for what was before. */
static struct cell source_cell(struct tp_str path, size_t width)
{
    struct cell cell = {.text = path};
    size_t size = length(path);
    if (size <= width)
        return cell;
    bool has_ellipsis = width > 3;
    size_t cut = prefix(path, size - width + (has_ellipsis ? 3 : 0));
    cell.before = has_ellipsis ? TP_STR("...") : TP_STR("");
    cell.text = (struct tp_str){path.ptr + cut, path.len - cut};
    return cell;
}

static struct cell name_cell(const struct printer *p, struct tp_str name)
{
    struct cell cell = {.text = name};
    size_t width = p->options->max_name_width;
    if (width && length(name) + 3 >= width) {
        cell.text.len = prefix(name, width > 3 ? width - 3 : 0);
        cell.behind = TP_STR("...");
    }
    return cell;
}

/* ---- columns ---- */

/* title: "@" stands for `name`. */
static void add_column(struct printer *p, const char *title, const char *name, size_t width)
{
    struct column *column = &p->columns[p->column_count++];
    const char *at = strchr(title, '@');
    int before = at ? (int)(at - title) : (int)strlen(title);
    snprintf(column->title, sizeof column->title, "%.*s%s%s", before, title, at ? name : "", at ? at + 1 : "");
    column->width = width;
}

static size_t at_most(size_t width, size_t limit)
{
    return limit && limit < width ? limit : width;
}

static struct tp_str frame(const struct printer *p, const struct tp_key_row *row, uint32_t i)
{
    return tp_frame_text(&p->averages->stacks, row->stack.first + i);
}

/* What the rows ask for. */
static void measure(struct printer *p, size_t *name, size_t *shapes, size_t *source)
{
    for (uint32_t i = 0; i < p->averages->count; i++) {
        const struct tp_key_row *row = &p->averages->rows[i];
        size_t n = length(row->key) + 4, s = length(row->shapes) + 4;
        *name = n > *name ? n : *name;
        *shapes = s > *shapes ? s : *shapes;
        p->has_shapes |= row->shapes.len > 2; /* more than [] */
        p->has_stack |= row->stack.count > 0;
        p->has_device_time |= row->self_device.us > 0;
        p->has_device_memory |= row->self_device_bytes > 0;
        for (uint32_t k = 0; k < row->stack.count; k++) {
            size_t f = length(frame(p, row, k)) + 4;
            *source = f > *source ? f : *source;
        }
    }
}

static void make_columns(struct printer *p)
{
    const struct tp_key_table_options *o = p->options;
    const char *device = p->averages->torch.device;
    size_t name = 0, shapes = 0, source = 0;
    measure(p, &name, &shapes, &source);
    p->has_device_time &= device != NULL;
    p->has_device_memory &= device != NULL && p->averages->has_memory;
    add_column(p, "Name", "", at_most(name, o->max_name_width));
    static const char *const cpu[] = {"Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"};
    for (size_t i = 0; i < sizeof cpu / sizeof *cpu; i++)
        add_column(p, cpu[i], "", COLUMN_WIDTH);
    static const char *const times[] = {"Self @", "Self @ %", "@ total", "@ time avg"};
    for (size_t i = 0; p->has_device_time && i < sizeof times / sizeof *times; i++)
        add_column(p, times[i], device, COLUMN_WIDTH);
    static const char *const memory[] = {"@ Mem", "Self @ Mem"};
    for (size_t i = 0; p->averages->has_memory && i < 2; i++)
        add_column(p, memory[i], "CPU", COLUMN_WIDTH);
    for (size_t i = 0; p->has_device_memory && i < 2; i++)
        add_column(p, memory[i], device, COLUMN_WIDTH);
    add_column(p, "# of Calls", "", COLUMN_WIDTH);
    if (p->has_shapes)
        add_column(p, "Input Shapes", "", at_most(shapes, o->max_shapes_width));
    if (p->has_stack) {
        add_column(p, "Source Location", "", at_most(source, o->max_source_width));
        p->columns[p->column_count - 1].is_left = true;
    }
    if (p->averages->has_flops || o->has_flops)
        p->flops_unit = tp_key_flops_unit(p->averages, &p->flops_scale);
    if (p->flops_unit)
        add_column(p, "Total @", p->flops_unit, COLUMN_WIDTH);
}

/* ---- lines ---- */

static void put_rule(struct printer *p)
{
    for (unsigned i = 0; i < p->column_count; i++) {
        put_many(p->out, '-', p->columns[i].width);
        tp_buf_puts(p->out, "  ");
    }
    tp_buf_putc(p->out, '\n');
}

static void put_banner(struct printer *p, const char *text)
{
    size_t width = 0;
    for (unsigned i = 0; i < p->column_count; i++)
        width += p->columns[i].width + 2;
    put_many(p->out, '=', width - 2);
    tp_buf_putc(p->out, '\n');
    tp_buf_puts(p->out, text);
    tp_buf_putc(p->out, '\n');
}

static void put_time(struct printer *p, unsigned index, double us)
{
    char text[TP_KEY_TEXT];
    tp_key_text_time(text, us, p->options->time_unit);
    put_text(p, index, text);
}

static void put_share(struct printer *p, unsigned index, double us, double total_us)
{
    char text[TP_KEY_TEXT];
    tp_key_text_share(text, us, total_us);
    put_text(p, index, text);
}

static void put_memory(struct printer *p, unsigned index, int64_t bytes)
{
    char text[TP_KEY_TEXT];
    tp_key_text_memory(text, bytes, p->averages->torch.rules);
    put_text(p, index, text);
}

static double mean(double us, int64_t count)
{
    return count ? us / (double)count : 0;
}

static unsigned put_numbers(struct printer *p, const struct tp_key_row *row)
{
    char text[TP_KEY_TEXT];
    unsigned at = 1;
    put_share(p, at++, row->self_cpu.us, p->cpu_us);
    put_time(p, at++, row->self_cpu.us);
    if (row->is_async)
        put_text(p, at++, "0");
    else
        put_share(p, at++, row->cpu.us, p->cpu_us);
    put_time(p, at++, row->cpu.us);
    put_time(p, at++, mean(row->cpu.us, row->count));
    if (p->has_device_time) {
        put_time(p, at++, row->self_device.us);
        put_share(p, at++, row->self_device.us, p->device_us);
        put_time(p, at++, row->device.us);
        put_time(p, at++, mean(row->device.us, row->count));
    }
    if (p->averages->has_memory) {
        put_memory(p, at++, row->cpu_bytes);
        put_memory(p, at++, row->self_cpu_bytes);
    }
    if (p->has_device_memory) {
        put_memory(p, at++, row->device_bytes);
        put_memory(p, at++, row->self_device_bytes);
    }
    snprintf(text, sizeof text, "%lld", (long long)row->count);
    put_text(p, at++, text);
    return at;
}

/* Lines for the frames after the first, and an empty one. */
static void put_frames(struct printer *p, const struct tp_key_row *row, size_t width)
{
    unsigned last = p->column_count - 1;
    for (uint32_t k = 1; k < row->stack.count + 1 + (row->stack.count == 0); k++) {
        bool is_frame = k < row->stack.count;
        struct cell cell = is_frame ? source_cell(frame(p, row, k), width) : (struct cell){.text = TP_STR("")};
        for (unsigned i = 0; i < last; i++)
            put_text(p, i, "");
        put_cell(p, last, &cell);
        tp_buf_putc(p->out, '\n');
    }
}

static void put_row(struct printer *p, const struct tp_key_row *row)
{
    struct cell cell = name_cell(p, row->key);
    char text[TP_KEY_TEXT];
    size_t width = 0;
    put_cell(p, 0, &cell);
    unsigned at = put_numbers(p, row);
    if (p->has_shapes) {
        cell = (struct cell){.text = {row->shapes.ptr, prefix(row->shapes, p->columns[at].width)}};
        put_cell(p, at++, &cell);
    }
    if (p->has_stack)
        width = p->columns[at].width;
    if (p->flops_unit) {
        if (row->flops > 0)
            snprintf(text, sizeof text, "%8.3f", (double)row->flops * p->flops_scale);
        put_text(p, at++, row->flops > 0 ? text : "--");
    }
    if (p->has_stack) {
        cell = row->stack.count ? source_cell(frame(p, row, 0), width) : (struct cell){.text = TP_STR("")};
        put_cell(p, at++, &cell);
    }
    tp_buf_putc(p->out, '\n');
    if (p->has_stack)
        put_frames(p, row, width);
}

static void put_total(struct printer *p, const char *device, double us)
{
    char text[TP_KEY_TEXT];
    tp_key_text_time(text, us, p->options->time_unit);
    tp_buf_printf(p->out, "Self %s time total: %s\n", device, text);
}

void tp_key_table_text(struct tp_buf *out, const struct tp_key_averages *averages, const uint32_t *order,
                       const struct tp_key_table_options *options)
{
    struct printer p = {.out = out, .averages = averages, .options = options};
    int64_t shown = 0;
    if (averages->count == 0)
        return;
    make_columns(&p);
    for (uint32_t i = 0; i < averages->count; i++) { /* in the order shown: sums of doubles depend on it */
        const struct tp_key_row *row = &averages->rows[order[i]];
        p.cpu_us += row->self_cpu.us;
        if (tp_key_row_adds_device(averages, row))
            p.device_us += row->self_device.us;
    }
    if (options->header)
        put_banner(&p, options->header);
    if (options->top_level_events_only)
        put_banner(&p, "This report only display top-level ops statistics");
    put_rule(&p);
    for (unsigned i = 0; i < p.column_count; i++)
        put_text(&p, i, p.columns[i].title);
    tp_buf_putc(out, '\n');
    put_rule(&p);
    for (uint32_t i = 0; i < averages->count; i++)
        if (tp_key_is_shown(&averages->rows[order[i]], options, shown)) {
            put_row(&p, &averages->rows[order[i]]);
            shown++;
        }
    put_rule(&p);
    put_total(&p, "CPU", p.cpu_us);
    if (p.has_device_time)
        put_total(&p, averages->torch.device, p.device_us);
}
