/* The comparison as text for a terminal, as JSON and as Markdown: see precision.h. */
#include "webreport/print/precision_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "writer/base/json_out.h"
#include "writer/text/markdown_escape.h"
#include "writer/text/terminal.h"

enum { MARKDOWN_ROWS = 200, MAX_TEXT = 60 };

/* ---- cells ---- */

/* What statistics prove is a bound. */
static void put_bound(const struct tp_table *table, unsigned column, size_t row, struct tp_buf *out)
{
    bool is_least = column == TP_PRECISION_MAX_ABS || column == TP_PRECISION_MAX_REL || column == TP_PRECISION_RMSE ||
                    column == TP_PRECISION_MISMATCHES || column == TP_PRECISION_MISMATCH_SHARE;
    if (tp_str_equal(tp_table_text(table, TP_PRECISION_COMPARED_BY)[row], TP_STR("statistics")))
        tp_buf_puts(out, is_least ? "\u2265" : column == TP_PRECISION_COSINE ? "\u2264" : "");
}

void tp_precision_cell(const struct tp_table *table, unsigned column, size_t row, struct tp_buf *out)
{
    int64_t whole;
    double real;
    struct tp_str text;
    switch (table->defs[column].type) {
    case TP_COLUMN_INT:
        whole = tp_table_int(table, column)[row];
        if (whole == TP_NULL_INT) {
            tp_buf_puts(out, "-");
            return;
        }
        put_bound(table, column, row, out);
        tp_buf_int(out, whole);
        return;
    case TP_COLUMN_REAL:
        real = tp_table_real(table, column)[row];
        if (isnan(real)) {
            tp_buf_puts(out, "-");
            return;
        }
        put_bound(table, column, row, out);
        tp_buf_printf(out, column == TP_PRECISION_COSINE ? "%.7g" : "%.4g", real);
        return;
    case TP_COLUMN_BOOL:
        tp_buf_puts(out, tp_table_bool(table, column)[row] ? "yes" : "no");
        return;
    default:
        text = tp_table_text(table, column)[row];
        if (text.ptr)
            tp_buf_add(out, text.ptr, text.len);
        else
            tp_buf_puts(out, "-");
    }
}

/* What both runs have, or "a -> b". */
static void put_both(struct tp_buf *out, const struct tp_table *table, unsigned base, unsigned new, size_t row)
{
    struct tp_buf texts[2];
    for (unsigned i = 0; i < 2; i++) {
        tp_buf_init(&texts[i], 0);
        tp_precision_cell(table, i ? new : base, row, &texts[i]);
    }
    bool is_same =
        texts[0].size == texts[1].size && (!texts[0].size || memcmp(texts[0].data, texts[1].data, texts[0].size) == 0);
    tp_buf_add(out, texts[0].data, texts[0].size);
    if (!is_same) {
        tp_buf_puts(out, " -> ");
        tp_buf_add(out, texts[1].data, texts[1].size);
    }
    for (unsigned i = 0; i < 2; i++)
        tp_buf_release(&texts[i]);
}

struct shown {
    const char *title;
    unsigned base, new; /* equal: one column */
};

static const struct shown shown[] = {
    {"Tensor", TP_PRECISION_NAME, TP_PRECISION_NAME},
    {"Step", TP_PRECISION_STEP, TP_PRECISION_STEP},
    {"Verdict", TP_PRECISION_VERDICT, TP_PRECISION_VERDICT},
    {"Type", TP_PRECISION_BASE_DTYPE, TP_PRECISION_NEW_DTYPE},
    {"Shape", TP_PRECISION_BASE_SHAPE, TP_PRECISION_NEW_SHAPE},
    {"Max abs", TP_PRECISION_MAX_ABS, TP_PRECISION_MAX_ABS},
    {"Max rel", TP_PRECISION_MAX_REL, TP_PRECISION_MAX_REL},
    {"RMSE", TP_PRECISION_RMSE, TP_PRECISION_RMSE},
    {"Cosine", TP_PRECISION_COSINE, TP_PRECISION_COSINE},
    {"Mismatches", TP_PRECISION_MISMATCHES, TP_PRECISION_MISMATCHES},
    {"Elements", TP_PRECISION_ELEMENTS, TP_PRECISION_ELEMENTS},
    {"NaN", TP_PRECISION_BASE_NANS, TP_PRECISION_NEW_NANS},
    {"Inf", TP_PRECISION_BASE_INFS, TP_PRECISION_NEW_INFS},
    {"Reason", TP_PRECISION_WHY, TP_PRECISION_WHY},
};
enum { SHOWN = sizeof shown / sizeof *shown };

static bool is_text(unsigned column)
{
    return column == 0 || (column >= 2 && column <= 4) || column == SHOWN - 1;
}

static void put_cell(struct tp_buf *out, const struct tp_table *table, unsigned column, size_t row)
{
    if (shown[column].base == shown[column].new)
        tp_precision_cell(table, shown[column].base, row, out);
    else
        put_both(out, table, shown[column].base, shown[column].new, row);
}

/* ---- sentences ---- */

void tp_precision_summary(struct tp_buf *out, const struct tp_precision *p)
{
    tp_buf_printf(out, "%u of %u tensors compared, %u diverge:", p->compared_count, (unsigned)p->table.row_count,
                  p->divergent_count);
    const char *before = " ";
    for (enum tp_verdict i = 0; i < TP_VERDICT_COUNT; i++)
        if (p->verdicts[i]) {
            tp_buf_printf(out, "%s%u %s", before, p->verdicts[i], tp_verdict_name(i));
            before = ", ";
        }
}

void tp_precision_first(struct tp_buf *out, const struct tp_precision *p)
{
    const struct tp_table *t = &p->table;
    size_t row = p->first_divergent;
    if (p->first_divergent == TP_NO_ID)
        return;
    tp_precision_cell(t, TP_PRECISION_NAME, row, out);
    if (tp_table_int(t, TP_PRECISION_STEP)[row] != TP_NULL_INT)
        tp_buf_printf(out, ", step %lld", (long long)tp_table_int(t, TP_PRECISION_STEP)[row]);
    tp_buf_puts(out, " (");
    tp_precision_cell(t, TP_PRECISION_VERDICT, row, out);
    tp_buf_puts(out, ")");
    bool has_place = tp_table_text(t, TP_PRECISION_WORST)[row].ptr != NULL;
    if (isnan(tp_table_real(t, TP_PRECISION_MAX_ABS)[row]))
        return;
    tp_buf_puts(out, ": largest error ");
    tp_precision_cell(t, TP_PRECISION_MAX_ABS, row, out);
    if (!has_place)
        return;
    tp_buf_puts(out, " at ");
    tp_precision_cell(t, TP_PRECISION_WORST, row, out);
    tp_buf_printf(out, ", %.9g in base, %.9g in new", tp_table_real(t, TP_PRECISION_BASE_AT_WORST)[row],
                  tp_table_real(t, TP_PRECISION_NEW_AT_WORST)[row]);
}

/* ---- text ---- */

static void put_line(struct tp_buf *out, const char *label, const struct tp_buf *text)
{
    tp_buf_puts(out, label);
    tp_terminal_put(out, (struct tp_str){text->data, text->size}, SIZE_MAX);
    tp_buf_putc(out, '\n');
}

static bool is_shown(const struct tp_precision *p, size_t row, bool shows_all)
{
    return shows_all || tp_table_bool(&p->table, TP_PRECISION_IS_DIVERGENT)[row];
}

/* A cell cut to MAX_TEXT characters in `cell`, which is cleared first. */
static size_t fill_cell(struct tp_buf *cell, struct tp_buf *scratch, const struct tp_table *table, unsigned column,
                        size_t row)
{
    tp_buf_clear(cell);
    tp_buf_clear(scratch);
    put_cell(scratch, table, column, row);
    return tp_terminal_put(cell, (struct tp_str){scratch->data, scratch->size}, MAX_TEXT);
}

static void put_rows(struct tp_buf *out, const struct tp_precision *p, bool shows_all, int64_t row_limit)
{
    struct tp_buf cell, scratch;
    size_t widths[SHOWN];
    tp_buf_init(&cell, 0);
    tp_buf_init(&scratch, 0);
    for (unsigned i = 0; i < SHOWN; i++)
        widths[i] = strlen(shown[i].title);
    for (int is_printing = 0; is_printing < 2; is_printing++) {
        int64_t left = row_limit;
        for (unsigned i = 0; is_printing && i < SHOWN; i++)
            tp_buf_printf(out, "%*s%s",
                          i + 1 == SHOWN ? 0
                          : is_text(i)   ? -(int)widths[i]
                                         : (int)widths[i],
                          shown[i].title, i + 1 < SHOWN ? "  " : "\n");
        for (size_t row = 0; row < p->table.row_count && left != 0; row++) {
            if (!is_shown(p, row, shows_all))
                continue;
            left--;
            for (unsigned i = 0; i < SHOWN; i++) {
                size_t width = fill_cell(&cell, &scratch, &p->table, i, row);
                widths[i] = width > widths[i] ? width : widths[i];
                if (!is_printing)
                    continue;
                int pad = (int)(widths[i] - width);
                tp_buf_printf(out, "%*s", is_text(i) ? 0 : pad, "");
                tp_buf_add(out, cell.data, cell.size);
                tp_buf_printf(out, "%*s", is_text(i) && i + 1 < SHOWN ? pad : 0, "");
                tp_buf_puts(out, i + 1 < SHOWN ? "  " : "\n");
            }
        }
    }
    tp_buf_release(&cell);
    tp_buf_release(&scratch);
}

void tp_precision_text(struct tp_buf *out, const struct tp_precision *p, bool shows_all, int64_t row_limit)
{
    struct tp_buf line;
    size_t count = shows_all ? p->table.row_count : p->divergent_count;
    tp_buf_init(&line, 0);
    tp_precision_summary(&line, p);
    put_line(out, "", &line);
    tp_buf_clear(&line);
    tp_precision_first(&line, p);
    if (line.size)
        put_line(out, "first divergent: ", &line);
    tp_buf_release(&line);
    if (count == 0)
        return;
    tp_buf_putc(out, '\n');
    put_rows(out, p, shows_all, row_limit);
    if (row_limit >= 0 && (uint64_t)row_limit < count)
        tp_buf_printf(out, "(%lld of %zu rows; --row-limit -1 shows all)\n", (long long)row_limit, count);
}

/* ---- JSON ---- */

static void put_limit(struct tp_json *json, const char *key, double value)
{
    tp_json_member_real(json, key, value);
}

static void put_options(struct tp_json *json, const struct tp_precision_options *options)
{
    tp_json_key(json, "thresholds");
    tp_json_object(json);
    put_limit(json, "rtol", options->tolerance.rtol);
    put_limit(json, "atol", options->tolerance.atol);
    put_limit(json, "max_abs_error", options->limits.max_abs);
    put_limit(json, "max_rel_error", options->limits.max_rel);
    put_limit(json, "max_rmse", options->limits.max_rmse);
    put_limit(json, "min_cosine_similarity", options->limits.min_cosine);
    put_limit(json, "max_mismatch_ratio", options->limits.max_mismatch_share);
    tp_json_member_bool(json, "ignores_dtype", options->ignores_dtype);
    tp_json_member_bool(json, "allows_missing", options->allows_missing);
    tp_json_object_end(json);
}

static void put_summary(struct tp_json *json, const struct tp_precision *p)
{
    tp_json_key(json, "summary");
    tp_json_object(json);
    tp_json_member_int(json, "base_tensors", p->base_count);
    tp_json_member_int(json, "new_tensors", p->new_count);
    tp_json_member_int(json, "compared", p->compared_count);
    tp_json_member_int(json, "divergent", p->divergent_count);
    tp_json_key(json, "verdicts");
    tp_json_object(json);
    for (enum tp_verdict i = 0; i < TP_VERDICT_COUNT; i++)
        tp_json_member_int(json, tp_verdict_name(i), p->verdicts[i]);
    tp_json_object_end(json);
    tp_json_key(json, "first_divergent"); /* position in tensors */
    if (p->first_divergent == TP_NO_ID)
        tp_json_null(json);
    else
        tp_json_int(json, p->first_divergent);
    tp_json_object_end(json);
}

void tp_precision_json(struct tp_buf *out, const struct tp_precision *p)
{
    struct tp_json json;
    tp_json_init(&json, out);
    tp_json_object(&json);
    tp_json_member_text(&json, "schema", "tracepress-precision");
    tp_json_member_int(&json, "schema_version", 1);
    tp_json_member_text(&json, "base", p->base_name);
    tp_json_member_text(&json, "new", p->new_name);
    put_options(&json, &p->options);
    put_summary(&json, p);
    tp_json_key(&json, "tensors");
    tp_table_json(&p->table, &json);
    tp_json_object_end(&json);
    tp_buf_putc(out, '\n');
}

/* ---- Markdown ---- */

static void put_markdown(struct tp_buf *out, struct tp_buf *text)
{
    tp_markdown_escape(out, (struct tp_str){text->data ? text->data : "", text->size});
    tp_buf_clear(text);
}

void tp_precision_markdown(struct tp_buf *out, const struct tp_precision *p)
{
    struct tp_buf text;
    int64_t left = MARKDOWN_ROWS;
    tp_buf_init(&text, 0);
    tp_buf_puts(out, "### Precision\n\n");
    tp_precision_summary(&text, p);
    put_markdown(out, &text);
    tp_buf_puts(out, ".\n\n");
    tp_precision_first(&text, p);
    if (text.size) {
        tp_buf_puts(out, "First divergent: ");
        put_markdown(out, &text);
        tp_buf_puts(out, ".\n\n");
    }
    for (unsigned i = 0; p->divergent_count && i < 2 * SHOWN; i++)
        if (i < SHOWN)
            tp_buf_printf(out, "%s%s |%s", i ? " " : "| ", shown[i].title, i + 1 < SHOWN ? "" : "\n");
        else
            tp_buf_printf(out, "%s%s|%s", i == SHOWN ? "|" : "",
                          is_text(i - SHOWN) ? " --- " : " ---: ", i + 1 < 2 * SHOWN ? "" : "\n");
    for (size_t row = 0; row < p->table.row_count && left; row++) {
        if (!is_shown(p, row, false))
            continue;
        left--;
        for (unsigned i = 0; i < SHOWN; i++) {
            tp_buf_puts(out, i ? " " : "| ");
            put_cell(&text, &p->table, i, row);
            put_markdown(out, &text);
            tp_buf_puts(out, i + 1 < SHOWN ? " |" : " |\n");
        }
    }
    if (p->divergent_count > MARKDOWN_ROWS)
        tp_buf_printf(out, "\n%u more tensors diverge.\n", p->divergent_count - MARKDOWN_ROWS);
    tp_buf_release(&text);
}
