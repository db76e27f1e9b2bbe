/* Matches the tensors of two runs and decides the verdict on each pair. See precision.h. */
#include "webreport/compare/tensors/precision.h"

#include <math.h>
#include <stdio.h>

#include "webreport/compare/tensors/array_bounds.h"

static const struct tp_column_def columns[TP_PRECISION_COLUMNS] = {
    {"name", "Tensor", "", "Name of the tensor in both runs.", TP_COLUMN_TEXT},
    {"step", "Step", "", "Step in which the tensor was recorded.", TP_COLUMN_INT},
    {"worker", "Worker", "", "Index of the worker in its run.", TP_COLUMN_INT},
    {"repeat", "Repeat", "", "Index of the tensor among the tensors with the same name in the same step.",
     TP_COLUMN_INT},
    {"verdict", "Verdict", "",
     "Result: equal, close (within the thresholds), differs, dtype (the types differ), same or close statistics, shape "
     "(the shapes differ), or the reason why the tensor was not compared.",
     TP_COLUMN_TEXT},
    {"compared_by", "Compared by", "",
     "What was compared: values, or statistics if a run recorded no values. If statistics were compared, errors and "
     "mismatches are lower bounds, and the cosine is an upper bound.",
     TP_COLUMN_TEXT},
    {"is_divergent", "Divergent", "",
     "yes if the tensor differs by more than the thresholds, has another type or shape, or exists in only one run.",
     TP_COLUMN_BOOL},
    {"base_dtype", "Type, base", "", "Type of the tensor's elements in BASE.", TP_COLUMN_TEXT},
    {"new_dtype", "Type, new", "", "Type of the tensor's elements in NEW.", TP_COLUMN_TEXT},
    {"base_shape", "Shape, base", "", "Dimensions of the tensor in BASE.", TP_COLUMN_JSON},
    {"new_shape", "Shape, new", "", "Dimensions of the tensor in NEW.", TP_COLUMN_JSON},
    {"elements", "Elements", "", "Number of elements of the tensor.", TP_COLUMN_INT},
    {"max_abs_error", "Max abs error", "", "Largest |new - base| over the pairs of finite elements.", TP_COLUMN_REAL},
    {"max_rel_error", "Max rel error", "",
     "Largest |new - base| / |base| over the pairs of finite elements with base not 0.", TP_COLUMN_REAL},
    {"rmse", "RMSE", "", "Square root of the mean of (new - base) squared over the pairs of finite elements.",
     TP_COLUMN_REAL},
    {"cosine_similarity", "Cosine", "",
     "Cosine similarity: sum of new * base, divided by the product of both norms, over the pairs of finite elements.",
     TP_COLUMN_REAL},
    {"mismatches", "Mismatches", "",
     "Number of pairs with |new - base| > atol + rtol |base|, or with different values that are not both finite.",
     TP_COLUMN_INT},
    {"mismatch_ratio", "Mismatch", "ratio", "Number of mismatches divided by the number of elements.", TP_COLUMN_REAL},
    {"base_nans", "NaN, base", "", "Elements of BASE that are NaN.", TP_COLUMN_INT},
    {"new_nans", "NaN, new", "", "Elements of NEW that are NaN.", TP_COLUMN_INT},
    {"base_infs", "Inf, base", "", "Elements of BASE that are infinite.", TP_COLUMN_INT},
    {"new_infs", "Inf, new", "", "Elements of NEW that are infinite.", TP_COLUMN_INT},
    {"worst_index", "Worst at", "", "Indices of the first element with the largest absolute error.", TP_COLUMN_JSON},
    {"base_at_worst", "Base at worst", "", "Value in BASE of the element with the largest absolute error.",
     TP_COLUMN_REAL},
    {"new_at_worst", "New at worst", "", "Value in NEW of the element with the largest absolute error.",
     TP_COLUMN_REAL},
    {"mismatch_index", "First mismatch", "", "Indices of the first mismatch in the order of the file.", TP_COLUMN_JSON},
    {"why", "Reason", "", "Reason why the tensor was not compared, or the exceeded threshold.", TP_COLUMN_TEXT},
};

static const char *const verdict_names[TP_VERDICT_COUNT] = {
    "equal", "close",        "differs",     "dtype",     "same statistics", "close statistics",
    "shape", "only in base", "only in new", "no values", "unreadable"};

const char *tp_verdict_name(enum tp_verdict verdict)
{
    return verdict_names[verdict];
}

/* ---- cells ---- */

struct row {
    struct tp_precision *precision;
    struct tp_arena *arena;
    size_t number;
};

static void set_text_cell(const struct row *row, enum tp_precision_column column, struct tp_str text)
{
    tp_table_text(&row->precision->table, column)[row->number] = text;
}

static void set_int_cell(const struct row *row, enum tp_precision_column column, int64_t value)
{
    tp_table_int(&row->precision->table, column)[row->number] = value;
}

static void set_real_cell(const struct row *row, enum tp_precision_column column, double value)
{
    tp_table_real(&row->precision->table, column)[row->number] = value;
}

static struct tp_str copy_text(struct tp_arena *arena, const char *text)
{
    size_t size = strlen(text);
    return (struct tp_str){tp_arena_copy(arena, text, size), size};
}

/* Returns a list of numbers as text, such as "[2,3]". */
static struct tp_str numbers_as_list_text(struct tp_arena *arena, const int64_t *numbers, uint32_t count)
{
    enum { ROOM = 22 }; /* largest length of a number and a comma, bytes */
    size_t size = 0, room = (size_t)count * ROOM + 3;
    char *text = tp_arena_alloc(arena, room);
    text[size++] = '[';
    for (uint32_t i = 0; i < count; i++)
        size += (size_t)snprintf(text + size, room - size, "%s%lld", i ? "," : "", (long long)numbers[i]);
    text[size++] = ']';
    return (struct tp_str){text, size};
}

static struct tp_str element_index_text(struct tp_arena *arena, const struct tp_npy *npy, uint64_t place)
{
    int64_t index[TP_NPY_MAX_DIMS];
    if (!npy || place == UINT64_MAX)
        return (struct tp_str){NULL, 0};
    for (uint32_t i = npy->rank; i-- > 0;) {
        index[i] = (int64_t)(place % (uint64_t)npy->dims[i]);
        place /= (uint64_t)npy->dims[i];
    }
    return numbers_as_list_text(arena, index, npy->rank);
}

static void init_comparison_row(const struct row *row, const struct tp_tensor_item *item)
{
    static const enum tp_precision_column ints[] = {TP_PRECISION_ELEMENTS,  TP_PRECISION_MISMATCHES,
                                                    TP_PRECISION_BASE_NANS, TP_PRECISION_NEW_NANS,
                                                    TP_PRECISION_BASE_INFS, TP_PRECISION_NEW_INFS};
    static const enum tp_precision_column reals[] = {
        TP_PRECISION_MAX_ABS,        TP_PRECISION_MAX_REL,       TP_PRECISION_RMSE,        TP_PRECISION_COSINE,
        TP_PRECISION_MISMATCH_SHARE, TP_PRECISION_BASE_AT_WORST, TP_PRECISION_NEW_AT_WORST};
    set_text_cell(row, TP_PRECISION_NAME, item->name);
    set_int_cell(row, TP_PRECISION_STEP, item->step);
    set_int_cell(row, TP_PRECISION_WORKER, item->worker);
    set_int_cell(row, TP_PRECISION_REPEAT, item->repeat);
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        set_int_cell(row, ints[i], TP_NULL_INT);
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        set_real_cell(row, reals[i], NAN);
}

/* Fills the columns of one side from the header of the tensor's file, or from the trace if there is no file. */
static void set_side_columns(const struct row *row, bool is_new, const struct tp_tensor_item *item,
                             const struct tp_npy *npy)
{
    bool has_head = npy && npy->data_offset;
    struct tp_str dtype = has_head && npy->type ? tp_str_of(tp_npy_type_name(npy->type))
                          : has_head            ? copy_text(row->arena, npy->descr)
                                                : item->dtype;
    set_text_cell(row, is_new ? TP_PRECISION_NEW_DTYPE : TP_PRECISION_BASE_DTYPE, dtype);
    set_text_cell(row, is_new ? TP_PRECISION_NEW_SHAPE : TP_PRECISION_BASE_SHAPE,
                  has_head ? numbers_as_list_text(row->arena, npy->dims, npy->rank) : item->shape);
}

/* Fills the columns of the difference. npy: header of an array, for its shape; NULL if statistics were compared. */
static void set_difference_columns(const struct row *row, const struct tp_difference *d, const struct tp_npy *npy)
{
    set_int_cell(row, TP_PRECISION_ELEMENTS, (int64_t)d->count);
    set_int_cell(row, TP_PRECISION_MISMATCHES, (int64_t)d->mismatch_count);
    set_int_cell(row, TP_PRECISION_BASE_NANS, (int64_t)d->base_nan_count);
    set_int_cell(row, TP_PRECISION_NEW_NANS, (int64_t)d->new_nan_count);
    set_int_cell(row, TP_PRECISION_BASE_INFS, (int64_t)d->base_inf_count);
    set_int_cell(row, TP_PRECISION_NEW_INFS, (int64_t)d->new_inf_count);
    set_real_cell(row, TP_PRECISION_MAX_ABS, d->max_abs);
    set_real_cell(row, TP_PRECISION_MAX_REL, d->max_rel);
    set_real_cell(row, TP_PRECISION_RMSE, d->rmse);
    set_real_cell(row, TP_PRECISION_COSINE, d->cosine);
    set_real_cell(row, TP_PRECISION_MISMATCH_SHARE, d->count ? (double)d->mismatch_count / (double)d->count : 0);
    set_real_cell(row, TP_PRECISION_BASE_AT_WORST, d->base_at_worst);
    set_real_cell(row, TP_PRECISION_NEW_AT_WORST, d->new_at_worst);
    set_text_cell(row, TP_PRECISION_WORST, element_index_text(row->arena, npy, d->worst));
    set_text_cell(row, TP_PRECISION_FIRST_MISMATCH, element_index_text(row->arena, npy, d->first_mismatch));
    set_text_cell(row, TP_PRECISION_COMPARED_BY, npy ? TP_STR("values") : TP_STR("statistics"));
}

/* ---- verdicts ---- */

static bool is_divergent(const struct tp_precision_options *options, enum tp_verdict verdict)
{
    switch (verdict) {
    case TP_VERDICT_EQUAL:
    case TP_VERDICT_CLOSE:
    case TP_VERDICT_SAME_STATISTICS:
    case TP_VERDICT_CLOSE_STATISTICS:
    case TP_VERDICT_NO_VALUES:
        return false;
    case TP_VERDICT_DTYPE:
        return !options->ignores_dtype;
    case TP_VERDICT_ONLY_BASE:
    case TP_VERDICT_ONLY_NEW:
        return !options->allows_missing;
    default:
        return true;
    }
}

static void set_verdict(const struct row *row, enum tp_verdict verdict, const char *why)
{
    struct tp_precision *p = row->precision;
    bool diverges = is_divergent(&p->options, verdict);
    set_text_cell(row, TP_PRECISION_VERDICT, tp_str_of(verdict_names[verdict]));
    if (why)
        set_text_cell(row, TP_PRECISION_WHY, copy_text(row->arena, why));
    tp_table_bool(&p->table, TP_PRECISION_IS_DIVERGENT)[row->number] = diverges;
    p->verdicts[verdict]++;
    p->compared_count += tp_table_text(&p->table, TP_PRECISION_COMPARED_BY)[row->number].ptr != NULL;
    p->divergent_count += diverges;
    if (diverges && p->first_divergent == TP_NO_ID)
        p->first_divergent = (uint32_t)row->number;
}

/* Returns the first exceeded threshold as text, or NULL. Unknown values, such as the cosine of zeros, exceed no
 * threshold. */
static const char *exceeded_threshold_text(const struct tp_precision_limits *limits, const struct tp_difference *d)
{
    const struct {
        const char *name;
        double value, limit;
    } checks[] = {
        {"mismatches", d->count ? (double)d->mismatch_count / (double)d->count : 0, limits->max_mismatch_share},
        {"absolute error", d->max_abs, limits->max_abs},
        {"relative error", d->max_rel, limits->max_rel},
        {"RMSE", d->rmse, limits->max_rmse},
        {"cosine similarity", -d->cosine, -limits->min_cosine}};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (checks[i].value > checks[i].limit)
            return checks[i].name;
    return NULL;
}

static bool are_tensors_equal(const struct tp_difference *d)
{
    return d->mismatch_count == 0 && !(d->max_abs > 0);
}

static bool has_same_known_shape(const struct tp_tensor_item *a, const struct tp_tensor_item *b)
{
    return !a->shape.ptr || !b->shape.ptr || tp_str_equal(a->shape, b->shape);
}

static bool has_same_known_dtype(const struct tp_tensor_item *a, const struct tp_tensor_item *b)
{
    return !a->dtype.ptr || !b->dtype.ptr || tp_str_equal(a->dtype, b->dtype);
}

/* Decides the verdict on a pair of tensors from the statistics of both. */
static void compare_statistics(const struct row *row, const struct tp_tensor_item *base,
                               const struct tp_tensor_item *new)
{
    struct tp_difference d;
    struct tp_tolerance tolerance = tp_tolerance_between(
        &row->precision->options.tolerance, tp_npy_type_by_name(base->dtype), tp_npy_type_by_name(new->dtype));
    bool is_same = tp_statistics_compare(&d, &base->stats, &new->stats, &tolerance);
    const char *why = exceeded_threshold_text(&row->precision->options.limits, &d);
    set_difference_columns(row, &d, NULL);
    set_verdict(row,
                why                                ? TP_VERDICT_DIFFERS
                : !has_same_known_dtype(base, new) ? TP_VERDICT_DTYPE
                : is_same                          ? TP_VERDICT_SAME_STATISTICS
                                                   : TP_VERDICT_CLOSE_STATISTICS,
                why);
}

/* Decides the verdict on a pair of tensors from their records in the trace, because one side has no values. */
static void set_verdict_without_arrays(const struct row *row, const struct tp_tensor_item *base,
                                       const struct tp_tensor_item *new)
{
    bool has_stats = base->has_stats && new->has_stats;
    set_side_columns(row, false, base, NULL);
    set_side_columns(row, true, new, NULL);
    if (!has_same_known_shape(base, new) || (has_stats && base->stats.count != new->stats.count))
        set_verdict(row, TP_VERDICT_SHAPE, NULL);
    else if (has_stats)
        compare_statistics(row, base, new);
    else if (!has_same_known_dtype(base, new))
        set_verdict(row, TP_VERDICT_DTYPE, NULL);
    else
        set_verdict(row, TP_VERDICT_NO_VALUES, base->why ? base->why : new->why);
}

static void compare_tensor_pair(const struct row *row, const struct tp_tensor_item *base,
                                const struct tp_tensor_item *new)
{
    struct tp_difference d;
    struct tp_npy heads[2];
    struct tp_error err = {0};
    struct tp_array_pair pair = {base->place, new->place, base->is_bfloat16, new->is_bfloat16};
    bool is_new;
    int code = tp_compare(&d, heads, &pair, &row->precision->options.tolerance, &is_new, &err);
    set_side_columns(row, false, base, &heads[0]);
    set_side_columns(row, true, new, &heads[1]);
    if (code == TP_EUSAGE) {
        set_verdict(row, TP_VERDICT_SHAPE, NULL);
        return;
    }
    if (code == TP_ENOMEM)
        tp_arena_fail(row->arena, code);
    if (code < 0) {
        char why[sizeof err.text + 16];
        snprintf(why, sizeof why, "%s: %s", is_new ? "new" : "base", err.text);
        set_verdict(row, TP_VERDICT_UNREADABLE, why);
        return;
    }
    const char *why = exceeded_threshold_text(&row->precision->options.limits, &d);
    set_difference_columns(row, &d, &heads[0]);
    set_verdict(row,
                why                              ? TP_VERDICT_DIFFERS
                : heads[0].type != heads[1].type ? TP_VERDICT_DTYPE
                : are_tensors_equal(&d)          ? TP_VERDICT_EQUAL
                                                 : TP_VERDICT_CLOSE,
                why);
}

/* ---- all ---- */

static void add_row_of_base_tensor(const struct row *row, const struct tp_tensor_item *base,
                                   const struct tp_tensor_item *new)
{
    init_comparison_row(row, base);
    if (!new) {
        set_side_columns(row, false, base, NULL);
        set_verdict(row, TP_VERDICT_ONLY_BASE, NULL);
    } else if (base->why || new->why) {
        set_verdict_without_arrays(row, base, new);
    } else {
        compare_tensor_pair(row, base, new);
    }
}

void tp_precision_build(struct tp_precision *p, const struct tp_inventory *base, const struct tp_inventory *new,
                        const struct tp_precision_options *options, struct tp_arena *arena)
{
    const uint32_t *base_of = tp_inventory_match(base, new, arena);
    uint32_t *new_of = tp_arena_array(arena, base->count, sizeof *new_of);
    uint32_t only_new = 0;
    for (uint32_t i = 0; i < base->count; i++)
        new_of[i] = TP_NO_ID;
    for (uint32_t i = 0; i < new->count; i++) {
        only_new += base_of[i] == TP_NO_ID;
        if (base_of[i] != TP_NO_ID)
            new_of[base_of[i]] = i;
    }
    p->base_count = base->count;
    p->new_count = new->count;
    p->options = *options;
    p->first_divergent = TP_NO_ID;
    tp_table_init(&p->table, arena, "tensors", columns, TP_PRECISION_COLUMNS, (size_t)base->count + only_new);
    struct row row = {.precision = p, .arena = arena};
    for (uint32_t i = 0; i < base->count; i++, row.number++) {
        if (options->progress)
            options->progress(options->context, i + 1, base->count, base->items[i].name);
        add_row_of_base_tensor(&row, &base->items[i], new_of[i] == TP_NO_ID ? NULL : &new->items[new_of[i]]);
    }
    for (uint32_t i = 0; i < new->count; i++) {
        if (base_of[i] != TP_NO_ID)
            continue;
        init_comparison_row(&row, &new->items[i]);
        set_side_columns(&row, true, &new->items[i], NULL);
        set_verdict(&row, TP_VERDICT_ONLY_NEW, NULL);
        row.number++;
    }
}
