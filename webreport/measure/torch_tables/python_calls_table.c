/* Sorts calls, writes the names of functions and makes the table of calls. See python_calls.h. Keys and names are as
 * in CPython's Lib/pstats.py. */
#include <math.h>

#include "webreport/measure/torch_tables/python_calls.h"
#include "writer/base/sort.h"

/* ---- names ---- */

void tp_calls_put_name(struct tp_buf *out, const struct tp_call_row *row)
{
    struct tp_str name = row->name;
    if (!tp_str_equal(row->file, TP_STR("~")) || row->line) {
        tp_buf_add(out, row->file.ptr, row->file.len);
        tp_buf_printf(out, ":%lld(", (long long)row->line);
        tp_buf_add(out, name.ptr, name.len);
        tp_buf_putc(out, ')');
        return;
    }
    bool is_marked = name.len >= 2 && name.ptr[0] == '<' && name.ptr[name.len - 1] == '>';
    tp_buf_puts(out, is_marked ? "{" : "");
    tp_buf_add(out, name.ptr + is_marked, name.len - (is_marked ? 2 : 0));
    tp_buf_puts(out, is_marked ? "}" : "");
}

/* ---- order ---- */

enum field { BY_NONE, BY_CALLS, BY_PRIMITIVE, BY_OWN, BY_TOTAL, BY_NAME };

static const struct {
    const char *key, *title;
    enum field field;
} orders[] = {{"none", NULL, BY_NONE},
              {"ncalls", "call count", BY_CALLS},
              {"calls", "call count", BY_CALLS},
              {"pcalls", "primitive call count", BY_PRIMITIVE},
              {"tottime", "internal time", BY_OWN},
              {"time", "internal time", BY_OWN},
              {"cumtime", "cumulative time", BY_TOTAL},
              {"cumulative", "cumulative time", BY_TOTAL},
              {"stdname", "standard name", BY_NAME}};
enum { ORDERS = sizeof orders / sizeof *orders };

static size_t order_index_of_key(const char *key)
{
    size_t i = 0;
    while (i < ORDERS && strcmp(orders[i].key, key ? key : "none") != 0)
        i++;
    return i;
}

bool tp_calls_can_sort(const char *key)
{
    return order_index_of_key(key) < ORDERS;
}

struct sorting {
    const struct tp_calls *calls;
    const struct tp_str *names;
    enum field field;
};

static int64_t sum_field(const struct tp_call_sum *sum, enum field field)
{
    return field == BY_CALLS       ? sum->call_count
           : field == BY_PRIMITIVE ? sum->primitive_count
           : field == BY_OWN       ? sum->own_ns
                                   : sum->total_ns;
}

/* Orders numbers in descending and names in ascending order. Equal rows keep their order. */
static int compare_rows(const void *x, const void *y, const void *context)
{
    const struct sorting *s = context;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    if (s->field == BY_NAME)
        return tp_str_compare(s->names[a], s->names[b]);
    int64_t m = sum_field(&s->calls->rows[a].sum, s->field), n = sum_field(&s->calls->rows[b].sum, s->field);
    return (m < n) - (m > n);
}

const char *tp_calls_order_title(const char *key)
{
    size_t i = order_index_of_key(key);
    return i < ORDERS ? orders[i].title : NULL;
}

static struct tp_str make_name(struct tp_arena *arena, struct tp_buf *scratch, const struct tp_call_row *row)
{
    tp_buf_clear(scratch);
    tp_calls_put_name(scratch, row);
    if (scratch->failed)
        return row->name;
    return (struct tp_str){tp_arena_copy(arena, scratch->data, scratch->size), scratch->size};
}

struct naming {
    const struct tp_calls *calls;
    struct tp_arena *arena;
    struct tp_buf scratch;
    struct tp_str *names;
};

static int make_all_names_guarded(void *context, struct tp_error *err)
{
    struct naming *n = context;
    (void)err;
    for (uint32_t i = 0; i < n->calls->count; i++)
        n->names[i] = make_name(n->arena, &n->scratch, &n->calls->rows[i]);
    return TP_OK;
}

/* Returns the names of all rows in the form of pstats. */
static struct tp_str *make_names(const struct tp_calls *calls, struct tp_arena *arena)
{
    struct naming naming = {.calls = calls, .arena = arena};
    naming.names = tp_arena_array(arena, calls->count, sizeof *naming.names);
    tp_buf_init(&naming.scratch, 0);
    tp_arena_run(arena, make_all_names_guarded, &naming, NULL);
    tp_buf_release(&naming.scratch);
    tp_arena_fail_with_stored_code(arena);
    return naming.names;
}

uint32_t *tp_calls_sort(const struct tp_calls *calls, const char *key, struct tp_arena *arena)
{
    size_t i = order_index_of_key(key);
    if (i == ORDERS)
        return NULL;
    struct sorting sorting = {.calls = calls, .field = orders[i].field};
    uint32_t *order = tp_arena_array(arena, calls->count, sizeof *order);
    for (uint32_t row = 0; row < calls->count; row++)
        order[row] = row;
    if (sorting.field == BY_NAME)
        sorting.names = make_names(calls, arena);
    if (sorting.field != BY_NONE)
        tp_merge_sort(arena, order, calls->count, sizeof *order, compare_rows, &sorting);
    return order;
}

/* ---- table ---- */

const struct tp_column_def tp_calls_columns[TP_CALLS_COLUMNS] = {
    {"function", "Function", "", "Name of the function.", TP_COLUMN_TEXT},
    {"file", "File", "", "File of the function; ~ for built-in functions.", TP_COLUMN_TEXT},
    {"line", "Line", "", "First line of the function.", TP_COLUMN_INT},
    {"ncalls", "Calls", "", "Number of calls, including recursive calls.", TP_COLUMN_INT},
    {"primitive_calls", "Primitive calls", "", "Number of calls that are not inside another call of the same function.",
     TP_COLUMN_INT},
    {"tottime_us", "Own", "us", "Time in the function itself, outside of the functions that it calls.", TP_COLUMN_NS},
    {"tottime_per_call_us", "Own per call", "us", "Own time of the function divided by the number of calls.",
     TP_COLUMN_NS},
    {"cumtime_us", "Total", "us",
     "Time in the function and in the functions that it calls; the time of recursive calls counts once.", TP_COLUMN_NS},
    {"cumtime_per_call_us", "Total per call", "us", "Total time divided by the number of primitive calls.",
     TP_COLUMN_NS},
};

static int64_t mean_ns(int64_t ns, int64_t count)
{
    return count ? (int64_t)llround((double)ns / (double)count) : 0;
}

struct tp_table *tp_calls_table(const struct tp_calls *calls, const uint32_t *rows, size_t count,
                                struct tp_arena *arena)
{
    struct tp_table *table = tp_arena_alloc(arena, sizeof *table);
    tp_table_init(table, arena, "functions", tp_calls_columns, TP_CALLS_COLUMNS, count);
    for (size_t i = 0; i < count; i++) {
        const struct tp_call_row *row = &calls->rows[rows[i]];
        const int64_t numbers[] = {row->line,
                                   row->sum.call_count,
                                   row->sum.primitive_count,
                                   row->sum.own_ns,
                                   mean_ns(row->sum.own_ns, row->sum.call_count),
                                   row->sum.total_ns,
                                   mean_ns(row->sum.total_ns, row->sum.primitive_count)};
        tp_table_text(table, 0)[i] = row->name;
        tp_table_text(table, 1)[i] = row->file;
        for (unsigned k = 0; k < sizeof numbers / sizeof *numbers; k++)
            tp_table_int(table, k + 2)[i] = numbers[k];
    }
    return table;
}
