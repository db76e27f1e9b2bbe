/* Implements serving_operators.h. */
#include "webreport/measure/serving/serving_operators.h"

#include "webreport/model/device_origin.h"
#include "webreport/trace/json/value.h"
#include "writer/base/ratio.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

enum { KEY_CLASS, KEY_NAME, KEY_SHAPES, KEY_LINE, KEY_IS_CAPTURED, KEY_WIDTH, MOST_ROWS_OF_CLASS = 10 };

static const struct tp_column_def defs[TP_SERVING_OPERATOR_COLUMNS] = {
    {"class", "Class", "", "Class of the steps.", TP_COLUMN_TEXT},
    {"name", "{Operator}", "",
     "Innermost {operator} around the call that launched the work; for the work of a graph, around the call that the "
     "graph captured. Empty: no {operator} is known.",
     TP_COLUMN_TEXT},
    {"shapes", "Shapes", "", "Shapes of the inputs of the {operator}; empty if unknown.", TP_COLUMN_TEXT},
    {"line", "Line", "", "Source line of this call; empty if unknown.", TP_COLUMN_TEXT},
    {"source", "Source", "",
     "Source of {operator}, shapes and line: from the capture trace, or from the launch of the work.", TP_COLUMN_TEXT},
    {"operations", "Operations", "", "Mean number of device operations in a step of the class.", TP_COLUMN_REAL},
    {"step_us", "Time per step", "us", "Mean time of these operations in a step of the class.", TP_COLUMN_NS},
    {"share_percent", "Of device time", "%",
     "Share of the durations of all device operations in the steps of the class.", TP_COLUMN_REAL},
};

struct sum {
    int64_t ns, count;
};

void tp_serving_operators_init(struct tp_serving_operators *operators, const struct tp_model *model,
                               struct tp_arena *arena)
{
    *operators = (struct tp_serving_operators){.model = model, .arena = arena, .sums = TP_VEC(arena, struct sum)};
    tp_strings_init(&operators->lines, arena, 0);
    tp_keys_init(&operators->keys, arena, KEY_WIDTH);
}

void tp_serving_operators_add(struct tp_serving_operators *operators, uint32_t class, uint32_t device)
{
    const struct tp_model *model = operators->model;
    struct tp_device_origin origin = tp_device_origin(model, device, operators->arena);
    const struct tp_event *op = origin.op == TP_NO_ID ? NULL : tp_operator_work_event(model, origin.op);
    uint32_t key[KEY_WIDTH] = {[KEY_CLASS] = class,
                               [KEY_NAME] = op ? op->name : TP_NO_ID,
                               [KEY_SHAPES] = origin.dims.len ? model->trace->hosts[op->detail].dims : TP_NO_ID,
                               [KEY_LINE] = origin.line.len ? tp_strings_add(&operators->lines, origin.line) : TP_NO_ID,
                               [KEY_IS_CAPTURED] = origin.captured != NULL};
    uint32_t id = tp_keys_add(&operators->keys, key);
    if (id == operators->sums.count)
        *(struct sum *)tp_vec_push(&operators->sums) = (struct sum){0, 0};
    struct sum *sum = TP_AT(&operators->sums, struct sum, id);
    sum->ns = tp_sat_add(sum->ns, tp_device_event(model, device)->dur_ns);
    sum->count++;
    operators->has_captured |= origin.captured != NULL;
}

static int compare_rows(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_serving_operators *operators = context;
    const uint32_t *a = tp_keys_get(&operators->keys, x), *b = tp_keys_get(&operators->keys, y);
    const struct sum *p = TP_AT(&operators->sums, struct sum, x), *q = TP_AT(&operators->sums, struct sum, y);
    if (a[KEY_CLASS] != b[KEY_CLASS])
        return a[KEY_CLASS] < b[KEY_CLASS] ? -1 : 1;
    if (p->ns != q->ns)
        return p->ns > q->ns ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Keeps the first rows of each class. rows: all rows, sorted. Returns the number of kept rows. */
static uint32_t keep_first_rows(const struct tp_serving_operators *operators, uint32_t *rows, uint32_t count)
{
    uint32_t kept = 0, class = TP_NO_ID, of_class = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = tp_keys_get(&operators->keys, rows[i])[KEY_CLASS];
        of_class = own == class ? of_class + 1 : 0;
        class = own;
        if (of_class < MOST_ROWS_OF_CLASS)
            rows[kept++] = rows[i];
    }
    return kept;
}

static void fill_row(struct tp_table *table, size_t row, const struct tp_serving_operators *operators, uint32_t id,
                     const struct tp_serving_operator_class *class)
{
    const struct tp_trace *trace = operators->model->trace;
    const uint32_t *key = tp_keys_get(&operators->keys, id);
    const struct sum *sum = TP_AT(&operators->sums, struct sum, id);
    struct tp_str dims = tp_strings_get(&trace->values, key[KEY_SHAPES]), none = TP_STR("");
    tp_table_text(table, TP_SERVING_OPERATOR_CLASS)[row] = class->name;
    tp_table_text(table, TP_SERVING_OPERATOR_NAME)[row] = tp_strings_get(&trace->names, key[KEY_NAME]);
    tp_table_text(table, TP_SERVING_OPERATOR_SHAPES)[row] =
        dims.len ? tp_value_python_text(operators->arena, dims) : none;
    tp_table_text(table, TP_SERVING_OPERATOR_LINE)[row] = tp_strings_get(&operators->lines, key[KEY_LINE]);
    tp_table_text(table, TP_SERVING_OPERATOR_SOURCE)[row] =
        key[KEY_IS_CAPTURED] ? TP_STR(TP_FROM_CAPTURE) : TP_STR("from the launch");
    tp_table_real(table, TP_SERVING_OPERATOR_OPERATIONS)[row] = (double)sum->count / (double)class->step_count;
    tp_table_int(table, TP_SERVING_OPERATOR_TIME)[row] = sum->ns / class->step_count;
}

/* Fills the share of each row: its time as a share of all rows of its class, including the rows that are not kept. */
static void fill_shares(struct tp_table *table, const struct tp_serving_operators *operators, const uint32_t *rows,
                        uint32_t class_count)
{
    int64_t *class_ns = tp_arena_array(operators->arena, class_count, sizeof *class_ns);
    for (uint32_t i = 0; i < tp_keys_count(&operators->keys); i++) {
        int64_t *ns = &class_ns[tp_keys_get(&operators->keys, i)[KEY_CLASS]];
        *ns = tp_sat_add(*ns, TP_AT(&operators->sums, struct sum, i)->ns);
    }
    for (size_t row = 0; row < table->row_count; row++)
        tp_table_real(table, TP_SERVING_OPERATOR_SHARE)[row] =
            100 * tp_ratio(TP_AT(&operators->sums, struct sum, rows[row])->ns,
                           class_ns[tp_keys_get(&operators->keys, rows[row])[KEY_CLASS]]);
}

void tp_serving_operators_fill(struct tp_table *table, const struct tp_serving_operators *operators,
                               const struct tp_serving_operator_class *classes)
{
    uint32_t count = tp_keys_count(&operators->keys), class_count = 0;
    uint32_t *rows = tp_arena_array(operators->arena, count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t class = tp_keys_get(&operators->keys, i)[KEY_CLASS];
        class_count = class >= class_count ? class + 1 : class_count;
        rows[i] = i;
    }
    tp_sort_rows(rows, count, compare_rows, operators, operators->arena);
    uint32_t kept = keep_first_rows(operators, rows, count);
    tp_table_init(table, operators->arena, "serving_operators", defs, TP_SERVING_OPERATOR_COLUMNS, kept);
    table->title = "{Operators} of the classes of steps";
    for (uint32_t row = 0; row < kept; row++)
        fill_row(table, row, operators, rows[row], &classes[tp_keys_get(&operators->keys, rows[row])[KEY_CLASS]]);
    fill_shares(table, operators, rows, class_count);
}
