/* Makes the document of compared tensors. See precision_document.h. */
#include "webreport/document/commands/precision_document.h"

#include <math.h>
#include <stdio.h>

#include "webreport/document/commands/precision_map.h"
#include "webreport/document/name_text.h"
#include "writer/text/format.h"

enum { PAGE_ROWS = 5000, MARKDOWN_ROWS = 200, OPEN_ROWS = 60 };

/* ---- cells ---- */

/* Returns "≥" or "≤" for a number that is only a lower or upper bound, because the runs were compared by statistics;
 * else "". */
static const char *sign_of_bound(const struct tp_table *table, unsigned column, size_t row)
{
    bool is_least = column == TP_PRECISION_MAX_ABS || column == TP_PRECISION_MAX_REL || column == TP_PRECISION_RMSE ||
                    column == TP_PRECISION_MISMATCHES || column == TP_PRECISION_MISMATCH_SHARE;
    if (!tp_str_equal(tp_table_text(table, TP_PRECISION_COMPARED_BY)[row], TP_STR("statistics")))
        return "";
    return is_least ? "\u2265" : column == TP_PRECISION_COSINE ? "\u2264" : "";
}

/* Returns the text of a cell for readers: four digits for real numbers, "-" for null, and "≥" or "≤" before a bound. */
static struct tp_str cell_text(struct tp_arena *arena, const struct tp_table *table, unsigned column, size_t row)
{
    const char *bound = sign_of_bound(table, column, row);
    int64_t whole;
    double real;
    struct tp_str text;
    switch (table->defs[column].type) {
    case TP_COLUMN_INT:
        whole = tp_table_int(table, column)[row];
        return whole == TP_NULL_INT ? TP_STR("-") : tp_str_of(tp_text_printf(arena, "%s%lld", bound, (long long)whole));
    case TP_COLUMN_REAL:
        real = tp_table_real(table, column)[row];
        if (isnan(real))
            return TP_STR("-");
        return tp_str_of(column == TP_PRECISION_COSINE ? tp_text_printf(arena, "%s%.7g", bound, real)
                                                       : tp_text_printf(arena, "%s%.4g", bound, real));
    case TP_COLUMN_BOOL:
        return tp_table_bool(table, column)[row] ? TP_STR("yes") : TP_STR("no");
    default:
        text = tp_table_text(table, column)[row];
        return text.ptr ? text : TP_STR("-");
    }
}

/* Returns one text if both runs have the same value, else "base -> new". */
static struct tp_str values_of_both_runs_text(struct tp_arena *arena, const struct tp_table *table,
                                              const unsigned columns[2], size_t row)
{
    struct tp_str base = cell_text(arena, table, columns[0], row), new_text = cell_text(arena, table, columns[1], row);
    if (tp_str_equal(base, new_text))
        return base;
    return tp_str_of(tp_text_printf(arena, "%.*s -> %.*s", (int)base.len, base.ptr, (int)new_text.len, new_text.ptr));
}

/* ---- the table ---- */

static const unsigned pairs[TP_MAX_OWN_TEXTS][2] = {{TP_PRECISION_BASE_DTYPE, TP_PRECISION_NEW_DTYPE},
                                                    {TP_PRECISION_BASE_SHAPE, TP_PRECISION_NEW_SHAPE},
                                                    {TP_PRECISION_BASE_NANS, TP_PRECISION_NEW_NANS},
                                                    {TP_PRECISION_BASE_INFS, TP_PRECISION_NEW_INFS}};

/* A column with the values of both runs */
#define PAIR(own, title)                                                                                               \
    {                                                                                                                  \
        TP_SHOW_OWN_TEXT, own, title, 0, 0, false, 0                                                                   \
    }
#define COLUMN(column)                                                                                                 \
    {                                                                                                                  \
        TP_SHOW_PRINTED, column, NULL, 0, 0, false, 0                                                                  \
    }

/* Columns in order of importance: first the results, then the properties of both runs' tensors. A narrow screen shows
 * only the first columns. Pages show the other values of a row when the reader opens it. */
static const struct tp_shown_column columns[] = {COLUMN(TP_PRECISION_STEP),
                                                 COLUMN(TP_PRECISION_VERDICT),
                                                 COLUMN(TP_PRECISION_MAX_ABS),
                                                 COLUMN(TP_PRECISION_MAX_REL),
                                                 COLUMN(TP_PRECISION_RMSE),
                                                 COLUMN(TP_PRECISION_COSINE),
                                                 COLUMN(TP_PRECISION_MISMATCHES),
                                                 COLUMN(TP_PRECISION_ELEMENTS),
                                                 PAIR(2, "NaN"),
                                                 PAIR(3, "Inf"),
                                                 PAIR(0, "Type"),
                                                 PAIR(1, "Shape"),
                                                 COLUMN(TP_PRECISION_WHY)};

/* Returns the values that appear when the reader opens a row. */
static struct tp_data make_row_details(struct tp_arena *arena, const struct tp_table *table, size_t row)
{
    static const unsigned more[] = {TP_PRECISION_COMPARED_BY, TP_PRECISION_WORST, TP_PRECISION_BASE_AT_WORST,
                                    TP_PRECISION_NEW_AT_WORST};
    struct tp_object *object = tp_object_new(arena);
    struct tp_list *blocks = tp_object_add_list(object, "blocks");
    for (unsigned i = 0; i < sizeof more / sizeof *more; i++) {
        struct tp_str text = cell_text(arena, table, more[i], row);
        if (tp_str_equal(text, TP_STR("-")))
            continue;
        struct tp_object *block = tp_list_add_object(blocks);
        tp_object_add_text(block, "block_title", table->defs[more[i]].title);
        tp_object_add_str(block, "full", text);
    }
    return tp_data_of_object(object);
}

static struct tp_shown_table *make_shown_table(const struct tp_table *table, struct tp_arena *arena, size_t max_rows)
{
    struct tp_naming naming = {.arena = arena};
    struct tp_shown_table *shown =
        tp_shown_table_new(arena, table, columns, sizeof columns / sizeof *columns, max_rows);
    for (unsigned own = 0; own < TP_MAX_OWN_TEXTS; own++) {
        struct tp_str *texts = tp_arena_array(arena, shown->row_count, sizeof *texts);
        for (size_t row = 0; row < shown->row_count; row++)
            texts[row] = values_of_both_runs_text(arena, table, pairs[own], row);
        shown->own_texts[own] = texts;
    }
    for (size_t row = 0; row < shown->row_count; row++) {
        shown->rows[row].name = tp_shown_text(&naming, tp_table_text(table, TP_PRECISION_NAME)[row]);
        if (row < OPEN_ROWS)
            shown->rows[row].more = make_row_details(arena, table, row);
    }
    shown->name = "precision";
    shown->noun = "tensors";
    shown->name_title = table->defs[TP_PRECISION_NAME].title;
    shown->caption = "Tensors of both runs";
    shown->print = cell_text;
    return shown;
}

/* Returns the divergent rows: first those with new NaN or Inf, then the others, both in order of execution. */
static const struct tp_table *copy_divergent_rows(const struct tp_precision *p, struct tp_arena *arena)
{
    size_t *rows = tp_arena_array(arena, p->divergent_count, sizeof *rows), count = 0;
    for (int is_nan = 1; is_nan >= 0; is_nan--)
        for (size_t row = 0; row < p->table.row_count; row++)
            if (tp_table_bool(&p->table, TP_PRECISION_IS_DIVERGENT)[row] &&
                tp_precision_has_new_nan(&p->table, row) == is_nan)
                rows[count++] = row;
    return tp_table_copy_rows(arena, &p->table, rows, count);
}

static void put_section(struct tp_document *document, const char *id, const char *label, const char *title,
                        const char *lead)
{
    tp_document_add_section(document,
                            &(struct tp_section_block){.id = id, .label = label, .title = title, .lead = lead});
}

/* Adds the table of tensors for each output, with as many rows as fit in the output. shows_all: terminals list all
 * tensors. */
static void put_tables(struct tp_document *document, const struct tp_precision *p, bool shows_all)
{
    struct tp_arena *arena = document->arena;
    bool has_room = p->table.row_count <= PAGE_ROWS;
    const struct tp_table *divergent = copy_divergent_rows(p, arena);
    struct tp_shown_table *few = make_shown_table(divergent, arena, SIZE_MAX);
    struct tp_shown_table *all = has_room || shows_all ? make_shown_table(&p->table, arena, SIZE_MAX) : NULL;
    struct tp_shown_table *page = has_room ? few : make_shown_table(divergent, arena, PAGE_ROWS);
    few->short_row_count = MARKDOWN_ROWS;
    few->name = "divergent";
    few->caption = "Tensors that diverge";
    if (!has_room)
        page->note =
            tp_text_printf(arena, "The table shows %zu of %zu tensors that diverge. The JSON lists all %zu tensors.",
                           page->row_count, divergent->row_count, p->table.row_count);
    document->places = TP_IN_TEXT;
    if (shows_all ? p->table.row_count : divergent->row_count)
        tp_document_add_table(document, shows_all ? all : few, "; --row-limit -1 shows all");
    document->places = TP_IN_MARKDOWN;
    if (divergent->row_count)
        tp_document_add_table(document, few, NULL);
    document->places = TP_IN_PAGES;
    if (divergent->row_count) {
        put_section(
            document, "diverging", "Diverging", "Tensors that diverge",
            "Tensors with NaN or Inf that base does not have come first. The others follow in order of execution.");
        tp_document_add_table(document, page, NULL);
    }
    if (has_room) {
        put_section(document, "tensors", "Tensors", "All tensors, in order of execution", NULL);
        tp_document_add_table(document, all, NULL);
    }
}

/* ---- sentences ---- */

static const char *summary_text(const struct tp_precision *p, struct tp_arena *arena)
{
    const char *text = tp_text_printf(
        arena, "%u of %s %s compared, and %u %s. Results of all tensors:", p->compared_count,
        tp_text_of_counted_noun(arena, (int64_t)p->table.row_count, "tensor", "tensors"),
        p->compared_count == 1 ? "was" : "were", p->divergent_count, p->divergent_count == 1 ? "diverges" : "diverge");
    const char *before = " ";
    for (enum tp_verdict i = 0; i < TP_VERDICT_COUNT; i++)
        if (p->verdicts[i]) {
            bool is_kind = i == TP_VERDICT_DTYPE || i == TP_VERDICT_SHAPE; /* their names are only nouns */
            text = tp_text_printf(arena, "%s%s%u %s%s", text, before, p->verdicts[i], is_kind ? "other " : "",
                                  tp_verdict_name(i));
            before = ", ";
        }
    return tp_text_printf(arena, "%s.", text);
}

/* Returns the name and step of a tensor, such as "attention.out, step 3". */
static const char *place_text(const struct tp_table *t, size_t row, struct tp_arena *arena)
{
    struct tp_str name = cell_text(arena, t, TP_PRECISION_NAME, row);
    int64_t step = tp_table_int(t, TP_PRECISION_STEP)[row];
    if (step == TP_NULL_INT)
        return tp_text_printf(arena, "%.*s", (int)name.len, name.ptr);
    return tp_text_printf(arena, "%.*s, step %lld", (int)name.len, name.ptr, (long long)step);
}

/* Returns a sentence about the first divergent tensor; NULL if no tensor diverges. */
static const char *first_divergent_text(const struct tp_precision *p, struct tp_arena *arena)
{
    const struct tp_table *t = &p->table;
    size_t row = p->first_divergent;
    if (p->first_divergent == TP_NO_ID)
        return NULL;
    struct tp_str verdict = cell_text(arena, t, TP_PRECISION_VERDICT, row);
    const char *text = tp_text_printf(arena, "%s (%.*s)", place_text(t, row, arena), (int)verdict.len, verdict.ptr);
    if (isnan(tp_table_real(t, TP_PRECISION_MAX_ABS)[row]))
        return text;
    struct tp_str error = cell_text(arena, t, TP_PRECISION_MAX_ABS, row);
    text = tp_text_printf(arena, "%s: largest error %.*s", text, (int)error.len, error.ptr);
    struct tp_str place = tp_table_text(t, TP_PRECISION_WORST)[row];
    if (!place.ptr)
        return text;
    return tp_text_printf(arena, "%s at index %.*s (%.9g in base, %.9g in new)", text, (int)place.len, place.ptr,
                          tp_table_real(t, TP_PRECISION_BASE_AT_WORST)[row],
                          tp_table_real(t, TP_PRECISION_NEW_AT_WORST)[row]);
}

/* Returns the first row whose tensor has NaN or Inf in the new run but not in the base; TP_NO_ID if there is no such
 * row. */
static uint32_t first_row_with_nan(const struct tp_precision *p)
{
    for (size_t row = 0; row < p->table.row_count; row++)
        if (tp_precision_has_new_nan(&p->table, row))
            return (uint32_t)row;
    return TP_NO_ID;
}

/* Returns a sentence about the first tensor with new NaN or Inf; NULL if there is no such tensor. */
static const char *first_nan_text(const struct tp_precision *p, struct tp_arena *arena)
{
    const struct tp_table *t = &p->table;
    uint32_t row = first_row_with_nan(p);
    if (row == TP_NO_ID)
        return NULL;
    int64_t nans = tp_table_int(t, TP_PRECISION_NEW_NANS)[row], infs = tp_table_int(t, TP_PRECISION_NEW_INFS)[row];
    int64_t base_nans = tp_table_int(t, TP_PRECISION_BASE_NANS)[row];
    bool is_nan = nans > base_nans;
    return tp_text_printf(
        arena, "%s: %s of %s elements %s in new, %s in base", place_text(t, row, arena),
        tp_text_of_count(arena, is_nan ? nans : infs),
        tp_text_of_count(arena, tp_table_int(t, TP_PRECISION_ELEMENTS)[row]),
        tp_text_printf(arena, "%s %s", (is_nan ? nans : infs) == 1 ? "is" : "are", is_nan ? "NaN" : "infinite"),
        tp_text_of_count(arena, is_nan ? base_nans : tp_table_int(t, TP_PRECISION_BASE_INFS)[row]));
}

/* Returns the first divergent tensor for the headline, without the place of its largest error. */
static const char *first_divergent_name(const struct tp_precision *p, struct tp_arena *arena)
{
    struct tp_str verdict = cell_text(arena, &p->table, TP_PRECISION_VERDICT, p->first_divergent);
    return tp_text_printf(arena, "%s (%.*s)", place_text(&p->table, p->first_divergent, arena), (int)verdict.len,
                          verdict.ptr);
}

static void put_verdict(struct tp_document *document, const struct tp_precision *p, const char *first)
{
    struct tp_arena *arena = document->arena;
    const char *nan = first_nan_text(p, arena);
    struct tp_verdict_block verdict = {
        .tone = TP_TONE_GOOD, .class = "Equal", .headline = "No tensor differs.", .text = ""};
    if (!p->compared_count && !p->divergent_count) {
        verdict.tone = TP_TONE_UNSURE;
        verdict.class = "Not compared";
        verdict.headline = "There are no values to compare.";
    } else if (p->verdicts[TP_VERDICT_CLOSE] || p->verdicts[TP_VERDICT_CLOSE_STATISTICS]) {
        verdict.class = "Close";
        verdict.headline = "All differences are within the thresholds.";
    }
    if (first) {
        verdict.tone = TP_TONE_BAD;
        verdict.class = nan ? "NaN" : "Diverges";
        verdict.headline =
            nan ? tp_text_printf(arena, "The first tensor with new NaN or Inf is %s.", nan)
                : tp_text_printf(arena, "The first tensor that diverges is %s.", first_divergent_name(p, arena));
        verdict.text = tp_text_printf(arena, "In order of execution, the first tensor that diverges is %s.", first);
    }
    tp_document_add_verdict(document, &verdict);
}

static void put_count_figure(struct tp_document *document, const char *label, uint32_t count, const char *note)
{
    tp_document_add_figure(
        document, &(struct tp_figure_block){
                      .label = label, .value = tp_text_of_count(document->arena, count), .note = note, .meter = NAN});
}

static void put_figures(struct tp_document *document, const struct tp_precision *p)
{
    uint32_t equal = p->verdicts[TP_VERDICT_EQUAL], close = p->verdicts[TP_VERDICT_CLOSE];
    put_count_figure(
        document, "Compared", p->compared_count,
        tp_text_printf(document->arena, "of %s",
                       tp_text_of_counted_noun(document->arena, (int64_t)p->table.row_count, "tensor", "tensors")));
    put_count_figure(document, "Diverge", p->divergent_count, "");
    put_count_figure(document, "Equal", equal, "");
    if (close)
        put_count_figure(document, "Close", close, "within the thresholds");
}

/* ---- the record ---- */

static void add_options_to_record(struct tp_object *record, const struct tp_precision_options *options)
{
    struct tp_object *thresholds = tp_object_add_object(record, "thresholds");
    tp_object_add_real(thresholds, "rtol", options->tolerance.rtol);
    tp_object_add_real(thresholds, "atol", options->tolerance.atol);
    tp_object_add_real(thresholds, "max_abs_error", options->limits.max_abs);
    tp_object_add_real(thresholds, "max_rel_error", options->limits.max_rel);
    tp_object_add_real(thresholds, "max_rmse", options->limits.max_rmse);
    tp_object_add_real(thresholds, "min_cosine_similarity", options->limits.min_cosine);
    tp_object_add_real(thresholds, "max_mismatch_ratio", options->limits.max_mismatch_share);
    tp_object_add_bool(thresholds, "ignores_dtype", options->ignores_dtype);
    tp_object_add_bool(thresholds, "allows_missing", options->allows_missing);
}

static void fill_precision_record(struct tp_object *record, const struct tp_precision *p)
{
    tp_object_add_text(record, "schema", "tracepress-precision");
    tp_object_add_int(record, "schema_version", 1);
    tp_object_add_text(record, "base", p->base_name);
    tp_object_add_text(record, "new", p->new_name);
    add_options_to_record(record, &p->options);
    struct tp_object *summary = tp_object_add_object(record, "summary");
    tp_object_add_int(summary, "base_tensors", p->base_count);
    tp_object_add_int(summary, "new_tensors", p->new_count);
    tp_object_add_int(summary, "compared", p->compared_count);
    tp_object_add_int(summary, "divergent", p->divergent_count);
    struct tp_object *verdicts = tp_object_add_object(summary, "verdicts");
    for (enum tp_verdict i = 0; i < TP_VERDICT_COUNT; i++)
        tp_object_add_int(verdicts, tp_verdict_name(i), p->verdicts[i]);
    /* first_divergent: index in the list `tensors` */
    tp_object_add_int_or_null(summary, "first_divergent",
                              p->first_divergent == TP_NO_ID ? TP_NULL_INT : p->first_divergent);
    uint32_t nan = first_row_with_nan(p);
    tp_object_add_int_or_null(summary, "first_nan", nan == TP_NO_ID ? TP_NULL_INT : nan);
    tp_object_add_table(record, "tensors", &p->table);
}

void tp_precision_document(struct tp_document *document, const struct tp_precision *precision, bool shows_all,
                           struct tp_arena *arena)
{
    const char *first = first_divergent_text(precision, arena), *nan = first_nan_text(precision, arena);
    tp_document_init(document, "Precision", arena);
    fill_precision_record(document->record, precision);
    document->places = TP_IN_PAGES | TP_IN_MARKDOWN; /* terminals are excluded, because they show no title */
    tp_document_add_title(document, &(struct tp_title_block){tp_text_printf(arena, "Precision: %s against %s",
                                                                            precision->new_name, precision->base_name),
                                                             "precision", "Verdict"});
    document->places = TP_IN_PAGES;
    put_verdict(document, precision, first);
    put_figures(document, precision);
    document->places = TP_IN_TEXT | TP_IN_MARKDOWN;
    tp_document_add_note(document, summary_text(precision, arena));
    if (nan)
        tp_document_add_fact(document, "first NaN or Inf", nan);
    if (first)
        tp_document_add_fact(document, "first divergent", first);
    document->places = TP_IN_PAGES;
    struct tp_data map = tp_precision_map_data(precision, arena);
    if (map.kind != TP_DATA_NONE) {
        put_section(document, "map", "Map", "Tensors and steps",
                    "Rows are tensors in order of execution, columns are steps.");
        tp_document_add_chart(document, "tensor_map", map, NULL);
    }
    put_tables(document, precision, shows_all);
}
