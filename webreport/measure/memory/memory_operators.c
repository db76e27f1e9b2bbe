/* Sums allocated and released bytes by operator. "Self" is the sum of an operator's own records. "All" also includes
 * the records of the operators below it and counts recursive calls once (docs/definitions.md, section 10; section 17,
 * D6 and D9).
 *
 * For a device, the code visits only operators with records and their ancestors. Ancestors have smaller indexes, so one
 * pass from the end of the sorted list sums the records of each subtree. */
#include "webreport/measure/memory/memory_records.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* limit of devices with a table by operator; further devices have empty tables */
enum { MOST_DEVICES = 1024 };

static const struct tp_column_def op_defs[TP_MEMORY_OP_COLUMNS] = {
    {"operator", "{Operator}", "", "Name of the {operator}.", TP_COLUMN_TEXT},
    {"calls", "Calls", "", "Number of {calls of the operator}.", TP_COLUMN_INT},
    {"size_increase_bytes", "Size increase", "bytes",
     "Bytes allocated minus bytes released by the {operator} and by the {operators} that it calls.", TP_COLUMN_BYTES},
    {"self_size_increase_bytes", "Self size increase", "bytes",
     "Bytes allocated minus bytes released by the {operator} itself.", TP_COLUMN_BYTES},
    {"allocation_count", "Allocations", "",
     "Number of allocations by the {operator} and by the {operators} that it calls.", TP_COLUMN_INT},
    {"self_allocation_count", "Self allocations", "", "Number of allocations by the {operator} itself.", TP_COLUMN_INT},
    {"allocation_size_bytes", "Allocated", "bytes",
     "Bytes allocated by the {operator} and by the {operators} that it calls.", TP_COLUMN_BYTES},
    {"self_allocation_size_bytes", "Self allocated", "bytes", "Bytes allocated by the {operator} itself.",
     TP_COLUMN_BYTES},
};

struct amount {
    int64_t increase, count, size;
};

struct row {
    uint32_t name;
    struct amount self, all;
};

struct summing {
    struct tp_memory_records *records;
    int64_t *calls; /* for each name id: number of calls */
    /* for each operator: operator that gets its records in the folded table; TP_NO_ID: the operator itself */
    uint32_t *folded_into;
    uint32_t *visited_index; /* for each operator: index in `visited` + 1; 0: not visited */
    struct visited *visited; /* visited operators, in the order in which the walk over the records finds them */
    uint32_t visited_count;
    uint32_t *row_of_name; /* for each name: index of the row + 1; 0: no visited operator has this name */
    struct tp_vec rows;    /* rows of the table; elements: struct row */
};

/* An operator that has records, or contains an operator with records. all: at first only the operator's own amount;
 * sum_operators_by_name adds the operators below. */
struct visited {
    uint32_t op;
    struct amount all;
};

static void add_amount(struct amount *to, const struct amount *x)
{
    to->increase = tp_sat_add(to->increase, x->increase);
    to->count += x->count;
    to->size = tp_sat_add(to->size, x->size);
}

static bool is_zero_amount(const struct amount *x)
{
    return !x->increase && !x->count && !x->size;
}

/* Finds the operator that gets the records of each operator in the folded table. For an allocation helper such as
 * aten::empty, this is the nearest ancestor that is not a helper, or TP_NO_ID without such an ancestor. */
static void find_operators_in_folded_table(struct summing *s)
{
    const struct tp_model *model = s->records->model;
    const struct tp_operators *ops = &model->operators;
    s->folded_into = tp_arena_array(s->records->arena, ops->count, sizeof *s->folded_into);
    for (uint32_t i = 0; i < ops->count; i++) {
        bool is_helper = model->marks[tp_operator_event(model, i)->name] & TP_MARK_ALLOCATION_HELPER;
        s->folded_into[i] = !is_helper ? i : ops->parent[i] == TP_NO_ID ? TP_NO_ID : s->folded_into[ops->parent[i]];
    }
}

static int compare_by_operator(const void *context, uint32_t x, uint32_t y)
{
    const struct visited *visited = context;
    return (visited[x].op > visited[y].op) - (visited[x].op < visited[y].op);
}

static struct visited *visited_entry_of_operator(const struct summing *s, uint32_t op)
{
    return &s->visited[s->visited_index[op] - 1];
}

/* Returns the operator that gets a record; TP_NO_ID if no operator was running. folds: true for the folded table. */
static uint32_t find_operator_of_record(const struct summing *s, const struct tp_memory_record *record, bool folds)
{
    uint32_t op = record->owner;
    return op != TP_NO_ID && folds && s->folded_into[op] != TP_NO_ID ? s->folded_into[op] : op;
}

static struct row *find_or_add_row(struct summing *s, uint32_t op)
{
    uint32_t name = tp_operator_event(s->records->model, op)->name, *row = &s->row_of_name[name];
    if (!*row) {
        *(struct row *)tp_vec_push(&s->rows) = (struct row){.name = name};
        *row = (uint32_t)s->rows.count;
    }
    return TP_AT(&s->rows, struct row, *row - 1);
}

/* Collects the operators of the device's records and their ancestors, and adds each record to its operator. A first
 * pass counts the operators, because a growing vector needs three times the memory. */
static void collect_operators_of_records(struct summing *s, uint32_t device, bool folds)
{
    struct tp_memory_records *records = s->records;
    const struct tp_operators *ops = &records->model->operators;
    uint32_t first = records->first_of_device[device],
             end = device < MOST_DEVICES ? records->first_of_device[device + 1] : 0;
    for (uint32_t i = first; i < end; i++)
        for (uint32_t up = find_operator_of_record(s, &records->items[records->by_device[i]], folds);
             up != TP_NO_ID && !s->visited_index[up]; up = ops->parent[up])
            s->visited_index[up] = ++s->visited_count;
    s->visited = tp_arena_array(records->arena, s->visited_count, sizeof *s->visited);
    for (uint32_t i = first; i < end; i++) {
        const struct tp_memory_record *record = &records->items[records->by_device[i]];
        uint32_t op = find_operator_of_record(s, record, folds);
        for (uint32_t up = op; up != TP_NO_ID && visited_entry_of_operator(s, up)->op != up; up = ops->parent[up])
            visited_entry_of_operator(s, up)->op = up;
        if (op == TP_NO_ID)
            continue;
        int64_t bytes = tp_memory_bytes(records, record);
        add_amount(&visited_entry_of_operator(s, op)->all, &(struct amount){bytes, bytes > 0, bytes > 0 ? bytes : 0});
    }
}

/* Returns the visited operators in ascending order, so that callers precede callees. Sorts the list if it is short;
 * otherwise scans all operators. */
static uint32_t *sort_visited(const struct summing *s)
{
    struct tp_arena *arena = s->records->arena;
    uint32_t ops = s->records->model->operators.count, count = s->visited_count, next = 0;
    uint32_t *sorted = tp_arena_array(arena, count, sizeof *sorted);
    if (count < ops / 16) {
        for (uint32_t i = 0; i < count; i++)
            sorted[i] = i;
        tp_sort_rows(sorted, count, compare_by_operator, s->visited, arena);
        return sorted;
    }
    for (uint32_t op = 0; op < ops; op++)
        if (s->visited_index[op])
            sorted[next++] = s->visited_index[op] - 1;
    return sorted;
}

/* Makes one row per name from the visited operators. First adds each operator's own amount. Then adds amounts that
 * include the operators below; children come before their parents. */
static void sum_operators_by_name(struct summing *s)
{
    const struct tp_operators *ops = &s->records->model->operators;
    uint32_t *sorted = sort_visited(s);
    for (size_t i = s->visited_count; i-- > 0;)
        add_amount(&find_or_add_row(s, s->visited[sorted[i]].op)->self, &s->visited[sorted[i]].all);
    for (size_t i = s->visited_count; i-- > 0;) {
        struct visited *visited = &s->visited[sorted[i]];
        uint32_t parent = ops->parent[visited->op];
        if (parent != TP_NO_ID)
            add_amount(&visited_entry_of_operator(s, parent)->all, &visited->all);
        if (ops->flags[visited->op] & TP_OPERATOR_OUTERMOST)
            add_amount(&find_or_add_row(s, visited->op)->all, &visited->all);
    }
    tp_arena_free_item(s->records->arena, sorted, s->visited_count * sizeof *sorted);
}

/* Resets the sums before the next table. */
static void clear_sums(struct summing *s)
{
    for (uint32_t i = 0; i < s->visited_count; i++)
        s->visited_index[s->visited[i].op] = 0;
    for (size_t i = 0; i < s->rows.count; i++)
        s->row_of_name[TP_AT(&s->rows, struct row, i)->name] = 0;
    tp_arena_free_item(s->records->arena, s->visited, s->visited_count * sizeof *s->visited);
    s->visited_count = 0;
    s->rows.count = 0;
}

struct order {
    const struct row *rows;
    const struct tp_strings *names;
};

/* Orders rows by self increase and self allocation size (both descending), then by name. */
static int compare_rows(const void *context, uint32_t i, uint32_t j)
{
    const struct order *order = context;
    const struct row *x = &order->rows[i], *y = &order->rows[j];
    if (x->self.increase != y->self.increase)
        return x->self.increase > y->self.increase ? -1 : 1;
    if (x->self.size != y->self.size)
        return x->self.size > y->self.size ? -1 : 1;
    return tp_str_compare(order->names->items[x->name], order->names->items[y->name]);
}

static void build_table(struct summing *s, struct tp_table *table, uint32_t device, bool folds)
{
    const struct tp_strings *names = &s->records->model->trace->names;
    struct tp_arena *arena = s->records->arena;
    collect_operators_of_records(s, device, folds);
    sum_operators_by_name(s);
    const struct row *rows = s->rows.data;
    struct order order = {rows, names};
    uint32_t *sorted = tp_arena_array(arena, s->rows.count, sizeof *sorted), count = 0;
    for (uint32_t i = 0; i < s->rows.count; i++)
        if (!is_zero_amount(&rows[i].self) || !is_zero_amount(&rows[i].all))
            sorted[count++] = i;
    tp_sort_rows(sorted, count, compare_rows, &order, arena);
    tp_table_init(table, arena, folds ? "operator_stats_folded" : "operator_stats", op_defs, TP_MEMORY_OP_COLUMNS,
                  count);
    table->title =
        folds ? "Memory by operator; aten::empty and similar operators count for their callers" : "Memory by operator";
    for (uint32_t i = 0; i < count; i++) {
        const struct row *row = &rows[sorted[i]];
        tp_table_text(table, TP_MEMORY_OP_NAME)[i] = names->items[row->name];
        tp_table_int(table, TP_MEMORY_OP_CALLS)[i] = s->calls[row->name];
        tp_table_int(table, TP_MEMORY_OP_INCREASE)[i] = row->all.increase;
        tp_table_int(table, TP_MEMORY_OP_SELF_INCREASE)[i] = row->self.increase;
        tp_table_int(table, TP_MEMORY_OP_COUNT)[i] = row->all.count;
        tp_table_int(table, TP_MEMORY_OP_SELF_COUNT)[i] = row->self.count;
        tp_table_int(table, TP_MEMORY_OP_SIZE)[i] = row->all.size;
        tp_table_int(table, TP_MEMORY_OP_SELF_SIZE)[i] = row->self.size;
    }
    clear_sums(s);
}

void tp_memory_ops_build(struct tp_memory_records *records)
{
    const struct tp_model *model = records->model;
    struct tp_arena *arena = records->arena;
    struct summing s = {.records = records, .rows = TP_VEC(arena, struct row)};
    size_t ops = model->operators.count, names = model->trace->names.count;
    s.calls = tp_arena_array(arena, names, sizeof *s.calls);
    s.visited_index = tp_arena_array(arena, ops, sizeof *s.visited_index);
    s.row_of_name = tp_arena_array(arena, names, sizeof *s.row_of_name);
    for (uint32_t i = 0; i < ops; i++)
        s.calls[tp_operator_event(model, i)->name]++;
    find_operators_in_folded_table(&s);
    for (uint32_t d = 0; d < records->device_count; d++) {
        build_table(&s, &records->devices[d].operators, d, false);
        build_table(&s, &records->devices[d].operators_folded, d, true);
    }
    tp_arena_free_item(arena, s.calls, names * sizeof *s.calls);
    tp_arena_free_item(arena, s.visited_index, ops * sizeof *s.visited_index);
    tp_arena_free_item(arena, s.row_of_name, names * sizeof *s.row_of_name);
    tp_arena_free_item(arena, s.folded_into, ops * sizeof *s.folded_into);
}
