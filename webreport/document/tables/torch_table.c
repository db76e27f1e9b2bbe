/* Writes tables as torch's _build_table does. See table_parts.h. The output repeats an error of _build_table: the
 * columns for FLOPs and source locations have each other's values. */
#include <math.h>
#include <stdio.h>

#include "webreport/document/tables/table_parts.h"
#include "writer/base/utf8.h"

/* ---- numbers: _format_time and similar functions of torch/autograd/profiler_util.py ---- */

void tp_key_format_time(char text[TP_KEY_TEXT], double us, enum tp_key_time_unit unit)
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

void tp_key_format_share(char text[TP_KEY_TEXT], double us, double total_us)
{
    if (total_us == 0)
        snprintf(text, TP_KEY_TEXT, "NaN");
    else
        snprintf(text, TP_KEY_TEXT, "%.2f%%", us * 100.0 / total_us);
}

void tp_key_format_memory(char text[TP_KEY_TEXT], int64_t bytes, enum tp_torch_rules rules)
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

/* ---- texts measured in characters ---- */

static size_t character_count(struct tp_str text)
{
    return tp_utf8_count(text.ptr, text.len);
}

/* Returns the length of the first `count` characters of a text, bytes. */
static size_t prefix_bytes(struct tp_str text, size_t count)
{
    size_t i = 0;
    for (; i < text.len; i++)
        if (!tp_utf8_is_continuation(text.ptr[i]) && count-- == 0)
            break;
    return i;
}

static void append_text(struct tp_buf *out, struct tp_str text)
{
    tp_buf_add(out, text.ptr, text.len);
}

/* ---- columns ---- */

enum column_kind {
    NAME,
    SELF_CPU_SHARE,
    SELF_CPU,
    CPU_SHARE,
    CPU,
    CPU_MEAN,
    SELF_DEVICE,
    SELF_DEVICE_SHARE,
    DEVICE,
    DEVICE_MEAN,
    CPU_MEMORY,
    SELF_CPU_MEMORY,
    DEVICE_MEMORY,
    SELF_DEVICE_MEMORY,
    CALLS,
    SHAPES,
    SOURCE,
    FLOPS,
    COLUMN_KINDS
};

enum { COLUMN_WIDTH = 12 };

/* A line of the printed table: the first line of a row, or a further frame of the row's stack. */
struct line {
    uint32_t row, frame; /* frame: index in the row's stack; 0 for the first line of the row */
};

struct torch_table {
    struct tp_worded_table worded; /* the printed table; the members below define its columns and cells */
    const struct tp_key_averages *averages;
    const struct tp_table_style *style;
    struct tp_worded_column columns[COLUMN_KINDS];
    enum column_kind kinds[COLUMN_KINDS];
    unsigned count;
    struct line *lines;
    size_t source_width;
    bool has_device_time, has_device_memory, has_shapes, has_stack;
    const char *flops_unit; /* unit of FLOPs; NULL if the column is absent */
    double flops_scale, cpu_us, device_us;
};

/* Adds a column. title: `name` replaces its "@". */
static void add_torch_column(struct torch_table *t, struct tp_arena *arena, enum column_kind column_kind,
                             const char *title, const char *name)
{
    const char *at = strchr(title, '@');
    int before = at ? (int)(at - title) : (int)strlen(title);
    t->kinds[t->count] = column_kind;
    t->columns[t->count++] = (struct tp_worded_column){
        .title = tp_text_printf(arena, "%.*s%s%s", before, title, at ? name : "", at ? at + 1 : ""),
        .width = COLUMN_WIDTH};
}

static size_t limited_width(size_t width, size_t limit)
{
    return limit && limit < width ? limit : width;
}

static struct tp_str stack_frame_text(const struct torch_table *t, const struct tp_key_row *row, uint32_t i)
{
    return tp_key_frame_text(&t->averages->stacks, row->stack.first + i);
}

/* Finds the width of each column, and which columns have values. */
static void find_widths(struct torch_table *t, size_t *name, size_t *shapes, size_t *source)
{
    for (uint32_t i = 0; i < t->averages->count; i++) {
        const struct tp_key_row *row = &t->averages->rows[i];
        size_t n = character_count(row->key) + 4, s = character_count(row->shapes) + 4;
        *name = n > *name ? n : *name;
        *shapes = s > *shapes ? s : *shapes;
        t->has_shapes |= row->shapes.len > 2; /* the text "[]" has no shapes */
        t->has_stack |= row->stack.count > 0;
        t->has_device_time |= row->self_device.us > 0;
        t->has_device_memory |= row->self_device_bytes > 0;
        for (uint32_t k = 0; k < row->stack.count; k++) {
            size_t f = character_count(stack_frame_text(t, row, k)) + 4;
            *source = f > *source ? f : *source;
        }
    }
}

/* Adds the columns of source location and FLOPs. As in torch, the titles have this order and the values have the
 * reverse order. */
static void add_last_columns(struct torch_table *t, struct tp_arena *arena, size_t source)
{
    const struct tp_table_style *o = t->style;
    unsigned first = t->count;
    if (t->has_stack) {
        add_torch_column(t, arena, SOURCE, "Source Location", "");
        t->columns[first].width = t->source_width = limited_width(source, o->max_source_width);
        t->columns[first].is_left = true;
    }
    if (t->averages->has_flops || o->has_flops)
        t->flops_unit = tp_key_flops_unit(t->averages, &t->flops_scale);
    if (t->flops_unit)
        add_torch_column(t, arena, FLOPS, "Total @", t->flops_unit);
    if (t->has_stack && t->flops_unit) {
        t->kinds[first] = FLOPS;
        t->kinds[first + 1] = SOURCE;
    }
}

static void make_columns(struct torch_table *t, struct tp_arena *arena)
{
    const char *device = t->averages->torch.device;
    size_t name = 0, shapes = 0, source = 0;
    find_widths(t, &name, &shapes, &source);
    t->has_device_time &= device != NULL;
    t->has_device_memory &= device != NULL && t->averages->has_memory;
    add_torch_column(t, arena, NAME, "Name", "");
    t->columns[0].width = limited_width(name, t->style->max_name_width);
    static const char *const cpu[] = {"Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"};
    for (unsigned i = 0; i < sizeof cpu / sizeof *cpu; i++)
        add_torch_column(t, arena, SELF_CPU_SHARE + i, cpu[i], "");
    static const char *const times[] = {"Self @", "Self @ %", "@ total", "@ time avg"};
    for (unsigned i = 0; t->has_device_time && i < sizeof times / sizeof *times; i++)
        add_torch_column(t, arena, SELF_DEVICE + i, times[i], device);
    static const char *const memory[] = {"@ Mem", "Self @ Mem"};
    for (unsigned i = 0; t->averages->has_memory && i < 2; i++)
        add_torch_column(t, arena, CPU_MEMORY + i, memory[i], "CPU");
    for (unsigned i = 0; t->has_device_memory && i < 2; i++)
        add_torch_column(t, arena, DEVICE_MEMORY + i, memory[i], device);
    add_torch_column(t, arena, CALLS, "# of Calls", "");
    if (t->has_shapes) {
        add_torch_column(t, arena, SHAPES, "Input Shapes", "");
        t->columns[t->count - 1].width = limited_width(shapes, t->style->max_shapes_width);
    }
    add_last_columns(t, arena, source);
}

/* ---- cells ---- */

/* Writes an ellipsis and the last characters of a path, as torch's trim_path does. */
static void put_source(struct tp_buf *out, struct tp_str path, size_t width)
{
    size_t size = character_count(path);
    if (size <= width) {
        append_text(out, path);
        return;
    }
    bool has_ellipsis = width > 3;
    size_t cut = prefix_bytes(path, size - width + (has_ellipsis ? 3 : 0));
    tp_buf_puts(out, has_ellipsis ? "..." : "");
    append_text(out, (struct tp_str){path.ptr + cut, path.len - cut});
}

static void put_name(struct tp_buf *out, struct tp_str name, size_t width)
{
    bool is_cut = width && character_count(name) + 3 >= width;
    if (is_cut)
        name.len = prefix_bytes(name, width > 3 ? width - 3 : 0);
    append_text(out, name);
    tp_buf_puts(out, is_cut ? "..." : "");
}

static double mean_us(double us, int64_t count)
{
    return count ? us / (double)count : 0;
}

static void write_share(char text[TP_KEY_TEXT], const struct torch_table *t, const struct tp_key_row *row,
                        enum column_kind column_kind)
{
    if (column_kind == CPU_SHARE && row->is_async)
        snprintf(text, TP_KEY_TEXT, "0");
    else if (column_kind == SELF_DEVICE_SHARE)
        tp_key_format_share(text, row->self_device.us, t->device_us);
    else
        tp_key_format_share(text, column_kind == CPU_SHARE ? row->cpu.us : row->self_cpu.us, t->cpu_us);
}

static void write_time(char text[TP_KEY_TEXT], const struct torch_table *t, const struct tp_key_row *row,
                       enum column_kind column_kind)
{
    double us = column_kind == SELF_CPU      ? row->self_cpu.us
                : column_kind == CPU         ? row->cpu.us
                : column_kind == CPU_MEAN    ? mean_us(row->cpu.us, row->count)
                : column_kind == SELF_DEVICE ? row->self_device.us
                : column_kind == DEVICE      ? row->device.us
                                             : mean_us(row->device.us, row->count);
    tp_key_format_time(text, us, t->style->time_unit);
}

static void write_memory(char text[TP_KEY_TEXT], const struct torch_table *t, const struct tp_key_row *row,
                         enum column_kind column_kind)
{
    int64_t bytes = column_kind == CPU_MEMORY        ? row->cpu_bytes
                    : column_kind == SELF_CPU_MEMORY ? row->self_cpu_bytes
                    : column_kind == DEVICE_MEMORY   ? row->device_bytes
                                                     : row->self_device_bytes;
    tp_key_format_memory(text, bytes, t->averages->torch.rules);
}

static void put_number(const struct torch_table *t, const struct tp_key_row *row, enum column_kind column_kind,
                       struct tp_buf *out)
{
    char text[TP_KEY_TEXT];
    switch (column_kind) {
    case SELF_CPU_SHARE:
    case CPU_SHARE:
    case SELF_DEVICE_SHARE:
        write_share(text, t, row, column_kind);
        break;
    case CPU_MEMORY:
    case SELF_CPU_MEMORY:
    case DEVICE_MEMORY:
    case SELF_DEVICE_MEMORY:
        write_memory(text, t, row, column_kind);
        break;
    case CALLS:
        snprintf(text, sizeof text, "%lld", (long long)row->count);
        break;
    case FLOPS:
        if (row->flops > 0)
            snprintf(text, sizeof text, "%8.3f", (double)row->flops * t->flops_scale);
        else
            snprintf(text, sizeof text, "--");
        break;
    default:
        write_time(text, t, row, column_kind);
    }
    tp_buf_puts(out, text);
}

static void write_torch_cell(const struct tp_worded_table *worded, size_t at, unsigned column, struct tp_buf *out)
{
    const struct torch_table *t = worded->context;
    const struct line *line = &t->lines[at];
    const struct tp_key_row *row = &t->averages->rows[line->row];
    enum column_kind column_kind = t->kinds[column];
    if (column_kind == SOURCE) {
        if (line->frame < row->stack.count)
            put_source(out, stack_frame_text(t, row, line->frame), t->source_width);
    } else if (line->frame) {
        return;
    } else if (column_kind == NAME) {
        put_name(out, row->key, t->style->max_name_width);
    } else if (column_kind == SHAPES) {
        append_text(out, (struct tp_str){row->shapes.ptr, prefix_bytes(row->shapes, t->columns[column].width)});
    } else {
        put_number(t, row, column_kind, out);
    }
}

/* ---- the whole table ---- */

/* Makes the lines of the table. After each row come the further frames of its stack and an empty line. */
static void make_table_lines(struct torch_table *t, const struct tp_profile_table *table, struct tp_arena *arena)
{
    size_t count = table->shown_count, at = 0;
    for (size_t i = 0; t->has_stack && i < table->shown_count; i++) {
        uint32_t frames = t->averages->rows[table->shown[i]].stack.count;
        count += frames ? frames : 1;
    }
    t->lines = tp_arena_array(arena, count, sizeof *t->lines);
    for (size_t i = 0; i < table->shown_count; i++) {
        uint32_t frames = t->averages->rows[table->shown[i]].stack.count, below = frames ? frames : 1;
        for (uint32_t k = 0; k <= (t->has_stack ? below : 0); k++)
            t->lines[at++] = (struct line){table->shown[i], k};
    }
    t->worded.row_count = at;
}

static void put_banner_line(struct tp_document *document, const struct torch_table *t, const char *text)
{
    size_t width = 0, size = strlen(text);
    for (unsigned i = 0; i < t->count; i++)
        width += t->columns[i].width + 2;
    width -= 2;
    char *lines = tp_arena_alloc(document->arena, width + size + 3);
    memset(lines, '=', width);
    lines[width] = '\n';
    memcpy(lines + width + 1, text, size);
    lines[width + 1 + size] = '\n';
    tp_document_add_text_lines(document, lines);
}

static void put_total_line(struct tp_document *document, const struct torch_table *t, const char *device, double us)
{
    char text[TP_KEY_TEXT];
    tp_key_format_time(text, us, t->style->time_unit);
    tp_document_add_text_lines(document, tp_text_printf(document->arena, "Self %s time total: %s\n", device, text));
}

static void find_totals(struct torch_table *t, const struct tp_profile_table *table)
{
    /* adds in the order of the displayed rows, because rounding errors depend on the order */
    for (uint32_t i = 0; i < t->averages->count; i++) {
        const struct tp_key_row *row = &t->averages->rows[table->order[i]];
        t->cpu_us += row->self_cpu.us;
        if (tp_key_row_adds_device(t->averages, row))
            t->device_us += row->self_device.us;
    }
}

void tp_torch_table_put(struct tp_document *document, const struct tp_profile_table *table,
                        const struct tp_table_style *style)
{
    const struct tp_key_averages *averages = table->averages;
    struct torch_table *t = tp_arena_alloc(document->arena, sizeof *t);
    if (averages->count == 0)
        return;
    *t = (struct torch_table){.averages = averages, .style = style};
    make_columns(t, document->arena);
    find_totals(t, table);
    t->worded = (struct tp_worded_table){.columns = t->columns,
                                         .column_count = t->count,
                                         .gap = 2,
                                         .has_rules = true,
                                         .is_padded = true,
                                         .cell = write_torch_cell,
                                         .context = t};
    make_table_lines(t, table, document->arena);
    if (style->header)
        put_banner_line(document, t, style->header);
    if (table->top_level_events_only)
        put_banner_line(document, t, "This report only display top-level ops statistics");
    tp_document_add_worded_table(document, &t->worded);
    put_total_line(document, t, "CPU", t->cpu_us);
    if (t->has_device_time)
        put_total_line(document, t, averages->torch.device, t->device_us);
}

/* ---- short table for Markdown ---- */

enum { SHORT_NAME = 256 };

static void write_short_cell(const struct tp_worded_table *worded, size_t at, unsigned column, struct tp_buf *out)
{
    const struct torch_table *t = worded->context;
    const struct tp_key_row *row = &t->averages->rows[t->lines[at].row];
    enum column_kind column_kind = t->kinds[column];
    if (column_kind == NAME)
        append_text(out, (struct tp_str){row->key.ptr, tp_utf8_fitting_bytes(row->key.ptr, row->key.len, SHORT_NAME)});
    else if (column_kind == SHAPES)
        append_text(out, row->shapes);
    else
        put_number(t, row, column_kind, out);
}

void tp_torch_table_put_short(struct tp_document *document, const struct tp_profile_table *table,
                              const struct tp_table_style *style)
{
    const struct tp_key_averages *averages = table->averages;
    struct tp_arena *arena = document->arena;
    const char *device = averages->torch.device;
    struct torch_table *t = tp_arena_alloc(arena, sizeof *t);
    *t = (struct torch_table){.averages = averages, .style = style};
    add_torch_column(t, arena, NAME, "Name", "");
    t->columns[0].is_left = true;
    if (averages->count && averages->rows[0].shapes.ptr)
        add_torch_column(t, arena, SHAPES, "Input shapes", "");
    add_torch_column(t, arena, CALLS, "Calls", "");
    add_torch_column(t, arena, SELF_CPU, "Self CPU", "");
    add_torch_column(t, arena, CPU, "CPU total", "");
    if (device) {
        add_torch_column(t, arena, SELF_DEVICE, "Self @", device);
        add_torch_column(t, arena, DEVICE, "@ total", device);
    }
    if (averages->has_memory)
        add_torch_column(t, arena, SELF_CPU_MEMORY, "Self CPU Mem", "");
    for (unsigned i = 0; i < t->count; i++)
        t->columns[i].is_number = t->kinds[i] != NAME && t->kinds[i] != SHAPES;
    t->worded = (struct tp_worded_table){
        .columns = t->columns, .column_count = t->count, .cell = write_short_cell, .context = t};
    make_table_lines(t, table, arena);
    tp_document_add_worded_table(document, &t->worded);
}
