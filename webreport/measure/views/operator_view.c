/* Implements operator_view.h: turns groups of operators into sorted tables. */
#include "webreport/measure/views/operator_view.h"

#include "webreport/measure/views/operator_groups.h"
#include "writer/base/limits.h"
#include "writer/base/ratio.h"
#include "writer/base/sort.h"

#define NUMBER_COLUMNS                                                                                                 \
    {"calls", "Calls", "", "Number of calls, including nested calls.", TP_COLUMN_INT},                                 \
        {"device_self_time_us", "{GPU} self", "us",                                                                    \
         "Time of the device work that the calls themselves launched, not through inner {operators}.", TP_COLUMN_NS},  \
        {"device_total_time_us", "{GPU} total", "us",                                                                  \
         "Device time of the calls and of the {operators} inside them. Recursive calls count once.", TP_COLUMN_NS},    \
        {"host_self_time_us", "CPU self", "us",                                                                        \
         "Host time of the calls without the {operators} and runtime calls inside them.", TP_COLUMN_NS},               \
        {"host_total_time_us", "CPU total", "us",                                                                      \
         "Host time of the calls, including everything inside them. Recursive calls count once.", TP_COLUMN_NS},       \
        {"tensor_core_eligible", "TC eligible", "", "yes if a call could use tensor cores.", TP_COLUMN_BOOL},          \
        {"tensor_core_self_ratio", "TC self", "ratio",                                                                 \
         "Share of the {GPU} self time in kernels that use tensor cores.", TP_COLUMN_REAL},                            \
    {                                                                                                                  \
        "tensor_core_total_ratio", "TC total", "ratio",                                                                \
            "Share of the {GPU} total time in kernels that use tensor cores.", TP_COLUMN_REAL                          \
    }

#define STACK_FLAG                                                                                                     \
    {                                                                                                                  \
        "has_call_stack", "Stacks", "", "yes if call stacks were recorded.", TP_COLUMN_BOOL                            \
    }

static const struct tp_column_def name_defs[] = {
    {"name", "{Operator}", "", "Name of the {operator}.", TP_COLUMN_TEXT}, NUMBER_COLUMNS, STACK_FLAG};
static const struct tp_column_def shape_defs[] = {
    {"name", "{Operator}", "", "Name of the {operator}.", TP_COLUMN_TEXT},
    {"input_shape", "Input shape", "", "Shapes of the inputs; [] for an input that is not a tensor.", TP_COLUMN_TEXT},
    NUMBER_COLUMNS,
    STACK_FLAG};
static const struct tp_column_def stack_defs[] = {
    {"call_stack", "Call stack", "", "Python call stack of the call, innermost frame first, separated by semicolons.",
     TP_COLUMN_TEXT},
    NUMBER_COLUMNS};

/* ---- order ---- */

struct order {
    const struct tp_model *model;
    const struct tp_op_grouping *grouping;
    const struct tp_op_group *groups;
    /* for each group: rank of the section to which the group belongs; NULL if the table has no sections */
    const uint32_t *section;
    bool by_device;
};

/* Orders groups by device self time, then host self time (both descending), then name, shape and stack. Without device
 * events, orders by host self time first. */
static int compare_groups(const void *context, uint32_t i, uint32_t j)
{
    const struct order *order = context;
    const struct tp_op_group *x = &order->groups[i], *y = &order->groups[j];
    const struct tp_strings *shapes = &order->grouping->shapes;
    if (order->section && order->section[i] != order->section[j])
        return order->section[i] < order->section[j] ? -1 : 1;
    int64_t x1 = order->by_device ? x->device_self : x->host_self,
            y1 = order->by_device ? y->device_self : y->host_self;
    int64_t x2 = order->by_device ? x->host_self : x->device_self,
            y2 = order->by_device ? y->host_self : y->device_self;
    if (x1 != y1)
        return x1 > y1 ? -1 : 1;
    if (x2 != y2)
        return x2 > y2 ? -1 : 1;
    if (x->name != y->name)
        return tp_str_compare(order->model->trace->names.items[x->name], order->model->trace->names.items[y->name]);
    if (x->shape != y->shape)
        return tp_str_compare(tp_strings_get(shapes, x->shape), tp_strings_get(shapes, y->shape));
    return tp_stack_compare(order->model->trace->stacks, x->stack, y->stack);
}

static uint32_t *sort_groups(const struct order *order, uint32_t count, struct tp_arena *arena)
{
    uint32_t *rows = tp_arena_array(arena, count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = i;
    tp_sort_rows(rows, count, compare_groups, order, arena);
    return rows;
}

/* ---- tables ---- */

/* Fills the columns with numbers in a row. shift: 1 if the table has a column of input shapes before these columns,
 * otherwise 0. */
static void fill_numbers(struct tp_table *table, size_t row, unsigned shift, const struct tp_op_group *group)
{
    tp_table_int(table, TP_OP_CALLS + shift)[row] = group->calls;
    tp_table_int(table, TP_OP_DEVICE_SELF + shift)[row] = group->device_self;
    tp_table_int(table, TP_OP_DEVICE_TOTAL + shift)[row] = group->device_total;
    tp_table_int(table, TP_OP_HOST_SELF + shift)[row] = group->host_self;
    tp_table_int(table, TP_OP_HOST_TOTAL + shift)[row] = group->host_total;
    tp_table_bool(table, TP_OP_TC_ELIGIBLE + shift)[row] = group->is_eligible;
    tp_table_real(table, TP_OP_TC_SELF + shift)[row] = tp_ratio(group->tensor_core_self, group->device_self);
    tp_table_real(table, TP_OP_TC_TOTAL + shift)[row] = tp_ratio(group->tensor_core_total, group->device_total);
}

/* Returns the key of the section to which a group belongs: NAME, or NAME###SHAPE. */
static struct tp_str section_key(const struct order *order, const struct tp_op_group *group, struct tp_arena *arena)
{
    struct tp_str name = order->model->trace->names.items[group->name];
    if (group->shape == TP_NO_ID)
        return name;
    struct tp_str shape = order->grouping->shapes.items[group->shape];
    char *text = tp_arena_alloc(arena, name.len + 3 + shape.len + 1);
    if (name.len)
        memcpy(text, name.ptr, name.len);
    memcpy(text + name.len, "###", 3);
    memcpy(text + name.len + 3, shape.ptr, shape.len);
    return (struct tp_str){text, name.len + 3 + shape.len};
}

static int compare_texts(const void *context, uint32_t i, uint32_t j)
{
    const struct tp_strings *texts = context;
    return tp_str_compare(texts->items[i], texts->items[j]);
}

/* Ranks the sections of a stack table by their keys. Returns, for each group, the rank of its section. Fills `keys`
 * with the distinct keys. */
static uint32_t *sort_sections(struct order *order, uint32_t count, struct tp_strings *keys, uint32_t **sorted,
                               struct tp_arena *arena)
{
    uint32_t *section = tp_arena_array(arena, count, sizeof *section);
    struct tp_keys seen; /* pairs (name, shape) that already have a key */
    struct tp_vec key_of = TP_VEC(arena, uint32_t);
    tp_strings_init(keys, arena, 0);
    tp_keys_init(&seen, arena, 2);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = tp_keys_pair(&seen, order->groups[i].name, order->groups[i].shape);
        if (id == key_of.count) {
            uint32_t key = tp_strings_add(keys, section_key(order, &order->groups[i], arena));
            *(uint32_t *)tp_vec_push(&key_of) = key;
        }
        section[i] = *TP_AT(&key_of, uint32_t, id);
    }
    uint32_t *rank = tp_arena_array(arena, keys->count, sizeof *rank);
    *sorted = tp_arena_array(arena, keys->count, sizeof **sorted);
    for (uint32_t k = 0; k < keys->count; k++)
        (*sorted)[k] = k;
    tp_sort_rows(*sorted, keys->count, compare_texts, keys, arena);
    for (uint32_t k = 0; k < keys->count; k++)
        rank[(*sorted)[k]] = k;
    for (uint32_t i = 0; i < count; i++)
        section[i] = rank[section[i]];
    return section;
}

static void build_stacks(struct tp_stack_table *out, struct order order, const struct tp_op_groups *groups,
                         const char *name, struct tp_arena *arena)
{
    struct tp_strings keys;
    uint32_t *sorted;
    out->stacks = order.model->trace->stacks;
    tp_table_init(&out->table, arena, name, stack_defs, TP_OP_HAS_STACK, groups->count);
    out->table.title = "Call stacks";
    if (!groups->count)
        return;
    order.groups = groups->items;
    order.section = sort_sections(&order, groups->count, &keys, &sorted, arena);
    uint32_t *rows = sort_groups(&order, groups->count, arena);
    out->stack = tp_arena_array(arena, groups->count, sizeof *out->stack);
    out->groups = tp_arena_array(arena, keys.count, sizeof *out->groups);
    out->group_count = keys.count;
    for (uint32_t row = 0; row < groups->count; row++) {
        struct tp_stack_group *section = &out->groups[order.section[rows[row]]];
        if (!section->count++)
            section->first = row;
        out->stack[row] = groups->items[rows[row]].stack;
        fill_numbers(&out->table, row, 0, &groups->items[rows[row]]);
    }
    for (uint32_t k = 0; k < keys.count; k++)
        out->groups[k].key = keys.items[sorted[k]];
}

/* Measures the texts of the call stacks and subtracts their lengths from *rest_bytes. Omits texts that do not fit,
 * because a short trace with deep stacks could have gigabytes of text. Returns the number of omitted texts. */
static uint64_t find_stack_texts_that_fit(struct tp_stack_table *table, uint64_t *rest_bytes, struct tp_arena *arena)
{
    uint64_t left_out = 0;
    table->text_bytes = tp_arena_array(arena, table->table.row_count, sizeof *table->text_bytes);
    for (size_t row = 0; row < table->table.row_count; row++) {
        uint64_t length = tp_stack_length(table->stacks, table->stack[row]);
        bool fits = length <= *rest_bytes;
        *rest_bytes -= fits ? length : 0;
        table->text_bytes[row] = fits ? length : TP_STACK_LEFT_OUT;
        left_out += !fits;
    }
    return left_out;
}

/* Returns the index of the section with this key; TP_NO_ID: no such section. */
static uint32_t find_section_by_key(const struct tp_stack_table *table, struct tp_str key)
{
    uint32_t lo = 0, hi = table->group_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        int order = tp_str_compare(table->groups[mid].key, key);
        if (order == 0)
            return mid;
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return TP_NO_ID;
}

/* Builds the table by_name, or the table by_shape if shift is 1. Returns, for each row, the index of the row's section
 * in `stacks`. */
static uint32_t *build_table(struct tp_table *table, struct order order, const struct tp_op_groups *groups,
                             unsigned shift, const struct tp_stack_table *stacks, struct tp_arena *arena)
{
    order.groups = groups->items;
    order.section = NULL;
    uint32_t *rows = sort_groups(&order, groups->count, arena);
    uint32_t *sections = tp_arena_array(arena, groups->count, sizeof *sections);
    tp_table_init(table, arena, shift ? "by_name_and_input_shape" : "by_name", shift ? shape_defs : name_defs,
                  TP_OP_COLUMNS + shift, groups->count);
    table->title = shift ? "Operators by input shape" : "Operators";
    for (uint32_t row = 0; row < groups->count; row++) {
        const struct tp_op_group *group = &groups->items[rows[row]];
        tp_table_text(table, TP_OP_NAME)[row] = order.model->trace->names.items[group->name];
        if (shift)
            tp_table_text(table, TP_OP_SHAPE)[row] = order.grouping->shapes.items[group->shape];
        fill_numbers(table, row, shift, group);
        sections[row] = stacks->group_count ? find_section_by_key(stacks, section_key(&order, group, arena)) : TP_NO_ID;
        tp_table_bool(table, TP_OP_HAS_STACK + shift)[row] = sections[row] != TP_NO_ID;
    }
    return sections;
}

/* Fills all members of the view except the tables. */
static void fill_view_without_tables(struct tp_operator_view *view, const struct tp_model *model,
                                     const struct order *order, struct tp_arena *arena)
{
    *view = (struct tp_operator_view){.arena = arena,
                                      .sorted_by_device = order->by_device,
                                      .unlinked_device_events = model->devices.unlinked_count,
                                      .unlinked_device_time_ns = model->devices.unlinked_time_ns,
                                      .unlinked_kernel_time_ns = model->devices.unlinked_kernel_time_ns,
                                      .launches_outside_operators = model->launches.launched_outside_operator_count};
}

void tp_operator_view_build(struct tp_operator_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_op_grouping *grouping = tp_arena_alloc(arena, sizeof *grouping);
    struct order order = {.model = model, .grouping = grouping, .by_device = model->devices.count > 0};
    uint64_t rest_bytes = model->trace->reading.text_bytes * TP_MAX_STACK_TEXT_RATIO + TP_STACK_TEXT_GRACE_BYTES;
    fill_view_without_tables(view, model, &order, arena);
    tp_op_grouping_build(grouping, model, arena);
    build_stacks(&view->stacks_by_name, order, &grouping->by_name_and_stack, "call_stacks_by_name", arena);
    build_stacks(&view->stacks_by_shape, order, &grouping->by_shape_and_stack, "call_stacks_by_name_and_input_shape",
                 arena);
    view->stacks_left_out = find_stack_texts_that_fit(&view->stacks_by_name, &rest_bytes, arena);
    view->stacks_left_out += find_stack_texts_that_fit(&view->stacks_by_shape, &rest_bytes, arena);
    view->stack_group_by_name_row =
        build_table(&view->by_name, order, &grouping->by_name, 0, &view->stacks_by_name, arena);
    view->stack_group_by_shape_row =
        build_table(&view->by_shape, order, &grouping->by_shape, 1, &view->stacks_by_shape, arena);
}

void tp_operator_view_build_by_name(struct tp_operator_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_op_grouping *grouping = tp_arena_alloc(arena, sizeof *grouping);
    struct order order = {.model = model, .grouping = grouping, .by_device = model->devices.count > 0};
    fill_view_without_tables(view, model, &order, arena);
    tp_op_grouping_build_names(grouping, model, arena);
    view->stack_group_by_name_row =
        build_table(&view->by_name, order, &grouping->by_name, 0, &view->stacks_by_name, arena);
}

/* ---- fields ---- */

static size_t write_stack(const struct tp_record *record, char *room, size_t size)
{
    const struct tp_stack_table *table = record->at;
    return tp_stack_write(table->stacks, table->stack[record->index], room, size);
}

static struct tp_json_value call_stack_value(const struct tp_record *record)
{
    const struct tp_stack_table *table = record->at;
    uint64_t bytes = table->text_bytes[record->index];
    if (bytes == TP_STACK_LEFT_OUT)
        return tp_json_value_null();
    return tp_json_value_computed_text(write_stack, bytes, *record);
}

static const struct tp_json_field stack_fields[] = {
    {"call_stack", TP_COMPUTED(TP_AS_TEXT, call_stack_value),
     TP_DEFINITION("frames, innermost first; null if the total size of all call stacks exceeds a limit")},
    {NULL, TP_ROW(struct tp_stack_table, table, TP_OP_CALLS, 0)},
};
static const struct tp_fields stack_row = TP_FIELDS("Calls of an operator from one stack", stack_fields);

/* Writes one stack per call. record->index: index of the group of stacks. */
static bool next_stack(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_stack_table *table = record->at;
    const struct tp_stack_group *group = &table->groups[record->index];
    if (*cursor >= group->count)
        return false;
    item->value =
        tp_json_value_record(&stack_row, (struct tp_record){.at = table, .index = group->first + (*cursor)++});
    return true;
}

static bool next_group(const struct tp_stack_table *table, size_t *cursor, struct tp_item *item)
{
    if (*cursor >= table->group_count)
        return false;
    item->key = table->groups[*cursor].key;
    item->value = tp_json_value_list(next_stack, (struct tp_record){.at = table, .index = (*cursor)++});
    return true;
}

static bool next_by_name(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_operator_view *view = record->at;
    return next_group(&view->stacks_by_name, cursor, item);
}

static bool next_by_shape(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_operator_view *view = record->at;
    return next_group(&view->stacks_by_shape, cursor, item);
}

static struct tp_json_value sort_key_value(const struct tp_record *record)
{
    const struct tp_operator_view *view = record->at;
    return tp_json_value_text(view->sorted_by_device ? "device_self_time_us" : "host_self_time_us");
}

#define F struct tp_operator_view
static const struct tp_json_field unlinked_fields[] = {
    {"device_events", TP_PLAIN(F, unlinked_device_events),
     TP_DEFINITION("number of device events without an operator")},
    {"device_time_us", TP_US(F, unlinked_device_time_ns),
     TP_DEFINITION("sum of the durations of the device events without an operator")},
    {"kernel_time_us", TP_US(F, unlinked_kernel_time_ns),
     TP_DEFINITION("sum of the durations of the kernels without an operator")},
    {"launches_outside_operators", TP_PLAIN(F, launches_outside_operators),
     TP_DEFINITION("number of runtime and driver calls while no operator ran")},
};
static const struct tp_fields unlinked = TP_FIELDS("Device work without an operator", unlinked_fields);

static const struct tp_json_field fields[] = {
    {"sorted_by", TP_COMPUTED(TP_AS_TEXT, sort_key_value),
     TP_DEFINITION("name of the column by which the tables are sorted")},
    {"by_name", TP_PLAIN(F, by_name), TP_DEFINITION("operators by name")},
    {"by_name_and_input_shape", TP_PLAIN(F, by_shape), TP_DEFINITION("operators by name and shapes of their inputs")},
    {"call_stacks_by_name", TP_MAP(next_by_name, &stack_row),
     TP_DEFINITION("call stacks of each operator; the key is the name of the operator")},
    {"call_stacks_by_name_and_input_shape", TP_MAP(next_by_shape, &stack_row),
     TP_DEFINITION("call stacks of each operator and input shape; the key is NAME###SHAPE")},
    {"call_stacks_left_out", TP_PLAIN(F, stacks_left_out),
     TP_DEFINITION("number of call stacks that are null because the total size of all call stacks has a limit")},
    {"unlinked", TP_PART(&unlinked), TP_DEFINITION("device work without an operator")},
};
#undef F

const struct tp_fields tp_operator_view_fields = TP_FIELDS("Operators", fields);
