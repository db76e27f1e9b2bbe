/* Writes calls of Python functions as Lib/pstats.py of CPython prints them, and the table of operators. The table of
 * operators shows counts of operations in powers of 1000 and bytes in powers of 1024. See table_parts.h. */
#include <math.h>
#include <stdio.h>

#include "webreport/document/tables/table_parts.h"
#include "writer/base/utf8.h"
#include "writer/text/terminal.h"

/* ---- Python functions ---- */

enum { NCALLS, TOTTIME, TOTTIME_PERCALL, CUMTIME, CUMTIME_PERCALL, FUNCTION, CALL_COLUMNS };

static const struct tp_worded_column call_columns[CALL_COLUMNS] = {
    {"ncalls", 9, false, true},  {"tottime", 8, false, true}, {"percall", 8, false, true},
    {"cumtime", 8, false, true}, {"percall", 8, false, true}, {"filename:lineno(function)", 0, true, false},
};

static double ns_to_seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

static void put_call_cell(const struct tp_worded_table *worded, size_t at, unsigned column, struct tp_buf *out)
{
    const struct tp_profile_table *table = worded->context;
    const struct tp_call_row *row = &table->calls->rows[table->shown[at]];
    const struct tp_call_sum *sum = &row->sum;
    const double times[] = {[TOTTIME] = ns_to_seconds(sum->own_ns),
                            [TOTTIME_PERCALL] = ns_to_seconds(sum->own_ns) / (double)sum->call_count,
                            [CUMTIME] = ns_to_seconds(sum->total_ns),
                            [CUMTIME_PERCALL] = ns_to_seconds(sum->total_ns) / (double)sum->primitive_count};
    size_t start = out->size;
    if (column == FUNCTION) {
        tp_calls_put_name(out, row);
        if (!out->failed)
            tp_terminal_clean(out->data + start, out->size - start);
    } else if (column != NCALLS) {
        tp_buf_printf(out, "%.3f", times[column]);
    } else if (sum->call_count != sum->primitive_count) {
        tp_buf_printf(out, "%lld/%lld", (long long)sum->call_count, (long long)sum->primitive_count);
    } else {
        tp_buf_printf(out, "%lld", (long long)sum->call_count);
    }
}

static const char *calls_sum_text(const struct tp_calls *calls, struct tp_arena *arena)
{
    int64_t call_count = 0, primitive_count = 0;
    double total = 0;
    for (uint32_t i = 0; i < calls->count; i++) {
        call_count += calls->rows[i].sum.call_count;
        primitive_count += calls->rows[i].sum.primitive_count;
        total += ns_to_seconds(calls->rows[i].sum.own_ns);
    }
    const char *primitive = call_count == primitive_count
                                ? ""
                                : tp_text_printf(arena, "(%lld primitive calls) ", (long long)primitive_count);
    return tp_text_printf(arena, "%9s%lld function calls %sin %.3f seconds\n\n", "", (long long)call_count, primitive,
                          total);
}

void tp_calls_put(struct tp_document *document, const struct tp_profile_table *table)
{
    const struct tp_calls *calls = table->calls;
    struct tp_arena *arena = document->arena;
    const char *title = tp_calls_order_title(table->sort_by);
    struct tp_worded_table *worded = tp_arena_alloc(arena, sizeof *worded);
    tp_document_add_text_lines(document, calls_sum_text(calls, arena));
    tp_document_add_text_lines(document, title ? tp_text_printf(arena, "   Ordered by: %s\n", title)
                                               : "   Random listing order was used\n");
    if (table->shown_count < calls->count)
        tp_document_add_text_lines(
            document, tp_text_printf(arena, "   List reduced from %u to %lld due to restriction <%lld>\n", calls->count,
                                     (long long)table->row_limit, (long long)table->row_limit));
    tp_document_add_text_lines(document, "\n");
    if (!table->shown_count)
        return;
    *worded = (struct tp_worded_table){.columns = call_columns,
                                       .column_count = CALL_COLUMNS,
                                       .row_count = table->shown_count,
                                       .gap = 1,
                                       .cell = put_call_cell,
                                       .context = table};
    tp_document_add_worded_table(document, worded);
    tp_document_add_text_lines(document, "\n\n");
}

/* ---- operators ---- */

enum { ROOM = 64, MAX_TEXT = 48 };

static void write_amount(char text[ROOM], double value, double base, const char *unit)
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

static void write_time(char text[ROOM], int64_t ns)
{
    snprintf(text, ROOM,
             ns >= 1000000000 ? "%.3f s"
             : ns >= 1000000  ? "%.3f ms"
                              : "%.3f us",
             ns >= 1000000000 ? (double)ns / 1e9
             : ns >= 1000000  ? (double)ns / 1e6
                              : (double)ns / 1e3);
}

/* Copies a text, cut to MAX_TEXT bytes between two characters. Control characters become "?". */
static void write_text(char text[ROOM], struct tp_str value)
{
    size_t size = tp_utf8_fitting_bytes(value.ptr, value.len, MAX_TEXT);
    if (size)
        memcpy(text, value.ptr, size);
    tp_terminal_clean(text, size);
    snprintf(text + size, ROOM - size, "%s", size < value.len ? "..." : "");
    if (!value.ptr)
        snprintf(text, ROOM, "N/A");
}

static void write_operator_cell(char text[ROOM], const struct tp_table *t, unsigned column, size_t row)
{
    switch (column) {
    case TP_OPERATOR_NAME:
    case TP_OPERATOR_IN_SHAPES:
    case TP_OPERATOR_OUT_SHAPES:
    case TP_OPERATOR_FAMILY:
        write_text(text, tp_table_text(t, column)[row]);
        return;
    case TP_OPERATOR_TIME:
    case TP_OPERATOR_CUMULATIVE:
    case TP_OPERATOR_TOTAL_TIME:
        write_time(text, tp_table_int(t, column)[row]);
        return;
    case TP_OPERATOR_TIME_SHARE:
    case TP_OPERATOR_CUMULATIVE_SHARE:
        snprintf(text, ROOM, "%.2f%%", tp_table_real(t, column)[row]);
        return;
    case TP_OPERATOR_COMPUTATION:
        write_amount(text, tp_table_real(t, column)[row], 1000, "FLO");
        return;
    case TP_OPERATOR_FLOPS:
        write_amount(text, tp_table_real(t, column)[row], 1000, "FLOPS");
        return;
    case TP_OPERATOR_MEMORY:
        write_amount(text, tp_table_real(t, column)[row], 1024, "B");
        return;
    case TP_OPERATOR_BANDWIDTH:
        write_amount(text, tp_table_real(t, column)[row], 1024, "B/s");
        return;
    default:
        snprintf(text, ROOM, "%lld", (long long)tp_table_int(t, column)[row]);
    }
}

static void put_operator_cell(const struct tp_worded_table *worded, size_t row, unsigned column, struct tp_buf *out)
{
    char text[ROOM];
    write_operator_cell(text, worded->context, column, row);
    tp_buf_puts(out, text);
}

static const char *operators_sum_text(const struct tp_operator_calls *calls, struct tp_arena *arena)
{
    char all[ROOM], mean[ROOM];
    const char *known = "", *copies = "";
    write_time(all, calls->time_ns);
    if (calls->time_ns > 0)
        known = tp_text_printf(arena, "; %.1f%% of it in calls whose computation is known",
                               100 * (double)calls->known_computation_ns / (double)calls->time_ns);
    const char *text = tp_text_printf(arena, "%s self time of %u operator calls: %s%s\n",
                                      calls->is_device ? "device" : "CPU", calls->call_count, all, known);
    if (calls->is_copy_time_shown) {
        write_time(all, calls->copy_ns);
        write_time(mean, calls->copy_count ? calls->copy_ns / calls->copy_count : 0);
        copies = tp_text_printf(arena, "copy time: %s in %u copies, %s each\n", all, calls->copy_count, mean);
    }
    return tp_text_printf(arena, "%s%s\n", text, copies);
}

void tp_operator_calls_put(struct tp_document *document, const struct tp_profile_table *table)
{
    enum { COLUMNS = TP_OPERATOR_FAMILY + 1 };
    const struct tp_operator_calls *calls = table->operators;
    struct tp_arena *arena = document->arena;
    struct tp_worded_table *worded = tp_arena_alloc(arena, sizeof *worded);
    struct tp_worded_column *columns = tp_arena_array(arena, COLUMNS, sizeof *columns);
    for (unsigned i = 0; i < COLUMNS; i++)
        columns[i] = (struct tp_worded_column){
            .title = tp_speech_text((struct tp_speech){0}, tp_operator_columns[i].title, arena),
            .is_left = tp_operator_columns[i].type == TP_COLUMN_TEXT};
    *worded = (struct tp_worded_table){.columns = columns,
                                       .column_count = COLUMNS,
                                       .row_count = calls->table.row_count,
                                       .gap = 2,
                                       .is_measured = true,
                                       .cell = put_operator_cell,
                                       .context = &calls->table};
    tp_document_add_text_lines(document, operators_sum_text(calls, arena));
    tp_document_add_worded_table(document, worded);
}
