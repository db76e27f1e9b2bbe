/* The table of operators for a terminal: see plain_table.h. Amounts of operations are base 1000, of bytes 1024. */
#include <math.h>
#include <stdio.h>

#include "webreport/print/plain_table.h"
#include "writer/base/utf8.h"
#include "writer/text/terminal.h"

enum { ROOM = 64, MAX_TEXT = 48 };

static void print_amount(char text[ROOM], double value, double base, const char *unit)
{
    static const char *const prefixes[] = {"", "K", "M", "G", "T", "P", "E"};
    unsigned i = 0;
    if (isnan(value)) {
        snprintf(text, ROOM, "N/A");
        return;
    }
    while (fabs(value) >= base && i + 1 < sizeof prefixes / sizeof *prefixes) {
        value /= base;
        i++;
    }
    snprintf(text, ROOM, i ? "%.2f %s%s%s" : "%.0f %s%s%s", value, prefixes[i], i && base == 1024 ? "i" : "", unit);
}

static void print_time(char text[ROOM], int64_t ns)
{
    snprintf(text, ROOM,
             ns >= 1000000000 ? "%.3f s"
             : ns >= 1000000  ? "%.3f ms"
                              : "%.3f us",
             ns >= 1000000000 ? (double)ns / 1e9
             : ns >= 1000000  ? (double)ns / 1e6
                              : (double)ns / 1e3);
}

/* A text cut to MAX_TEXT bytes at the border of a character, what a terminal might obey as "?". */
static void print_text(char text[ROOM], struct tp_str value)
{
    size_t size = tp_utf8_cut(value.ptr, value.len, MAX_TEXT);
    if (size)
        memcpy(text, value.ptr, size);
    tp_terminal_clean(text, size);
    snprintf(text + size, ROOM - size, "%s", size < value.len ? "..." : "");
    if (!value.ptr)
        snprintf(text, ROOM, "N/A");
}

static void print_cell(char text[ROOM], const struct tp_table *t, unsigned column, size_t row)
{
    switch (column) {
    case TP_OPERATOR_NAME:
    case TP_OPERATOR_IN_SHAPES:
    case TP_OPERATOR_OUT_SHAPES:
    case TP_OPERATOR_FAMILY:
        print_text(text, tp_table_text(t, column)[row]);
        return;
    case TP_OPERATOR_TIME:
    case TP_OPERATOR_CUMULATIVE:
    case TP_OPERATOR_TOTAL_TIME:
        print_time(text, tp_table_int(t, column)[row]);
        return;
    case TP_OPERATOR_TIME_SHARE:
    case TP_OPERATOR_CUMULATIVE_SHARE:
        snprintf(text, ROOM, "%.2f%%", tp_table_real(t, column)[row]);
        return;
    case TP_OPERATOR_COMPUTATION:
        print_amount(text, tp_table_real(t, column)[row], 1000, "FLO");
        return;
    case TP_OPERATOR_FLOPS:
        print_amount(text, tp_table_real(t, column)[row], 1000, "FLOPS");
        return;
    case TP_OPERATOR_MEMORY:
        print_amount(text, tp_table_real(t, column)[row], 1024, "B");
        return;
    case TP_OPERATOR_BANDWIDTH:
        print_amount(text, tp_table_real(t, column)[row], 1024, "B/s");
        return;
    default:
        snprintf(text, ROOM, "%lld", (long long)tp_table_int(t, column)[row]);
    }
}

static bool is_left(unsigned column)
{
    return tp_operator_columns[column].type == TP_COLUMN_TEXT;
}

static int width_of(const char *text)
{
    return (int)tp_utf8_count(text, strlen(text));
}

static void put(struct tp_buf *out, const char *text, int width, bool is_at_left, bool is_last)
{
    int pad = width - width_of(text);
    tp_buf_printf(out, "%*s%s%*s%s", is_at_left ? 0 : pad, "", text, is_at_left && !is_last ? pad : 0, "",
                  is_last ? "\n" : "  ");
}

static void put_copies(struct tp_buf *out, const struct tp_operator_calls *calls)
{
    char all[ROOM], mean[ROOM];
    print_time(all, calls->copy_ns);
    print_time(mean, calls->copy_count ? calls->copy_ns / calls->copy_count : 0);
    tp_buf_printf(out, "copy time: %s in %u copies, %s each\n", all, calls->copy_count, mean);
}

void tp_operator_calls_text(struct tp_buf *out, const struct tp_operator_calls *calls)
{
    const struct tp_table *t = &calls->table;
    const enum tp_operator_column last = TP_OPERATOR_FAMILY;
    int widths[TP_OPERATOR_COLUMNS];
    char text[ROOM];
    print_time(text, calls->time_ns);
    tp_buf_printf(out, "%s self time of %u operator calls: %s", calls->is_device ? "device" : "CPU", calls->call_count,
                  text);
    if (calls->time_ns > 0)
        tp_buf_printf(out, "; %.1f%% of it in calls whose computation is known",
                      100 * (double)calls->covered_ns / (double)calls->time_ns);
    tp_buf_puts(out, "\n");
    if (calls->tells_copies)
        put_copies(out, calls);
    tp_buf_puts(out, "\n");
    for (unsigned i = 0; i <= last; i++) {
        widths[i] = width_of(tp_operator_columns[i].title);
        for (size_t row = 0; row < t->row_count; row++) {
            print_cell(text, t, i, row);
            widths[i] = width_of(text) > widths[i] ? width_of(text) : widths[i];
        }
    }
    for (unsigned i = 0; i <= last; i++)
        put(out, tp_operator_columns[i].title, widths[i], is_left(i), i == last);
    for (size_t row = 0; row < t->row_count; row++)
        for (unsigned i = 0; i <= last; i++) {
            print_cell(text, t, i, row);
            put(out, text, widths[i], is_left(i), i == last);
        }
}
