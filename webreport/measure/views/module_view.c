/* Implements module_view.h: merges module calls by path and writes the tree in pre-order. */
#include "webreport/measure/views/module_view.h"

#include "webreport/measure/views/module_backward.h"
#include "writer/base/ratio.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

static const struct tp_column_def module_defs[TP_MODULE_COLUMNS] = {
    {"name", "Module", "", "Class of the module object.", TP_COLUMN_TEXT},
    {"module_id", "Id", "", "Number that PyTorch gave the module object.", TP_COLUMN_INT},
    {"occurrences", "Calls", "", "Number of calls of the module at this position of the tree.", TP_COLUMN_INT},
    {"operators", "{Operators}", "", "{Calls of operators} directly in the module, outside of its child modules.",
     TP_COLUMN_INT},
    {"host_total_time_us", "CPU total", "us", "Host time of the module's calls.", TP_COLUMN_NS},
    {"host_self_time_us", "CPU self", "us",
     "Host time of the module's calls without the time of child modules and {operators}.", TP_COLUMN_NS},
    {"device_total_time_us", "{GPU} total", "us",
     "Time of the device work that the module and its child modules launched.", TP_COLUMN_NS},
    {"device_self_time_us", "{GPU} self", "us",
     "Time of the device work that the module itself launched, without its child modules.", TP_COLUMN_NS},
    {"flame_value_us", "Per call", "us",
     "Mean {GPU} total per call, or mean CPU total per call if the module has no device time.", TP_COLUMN_REAL},
    {"backward_calls", "Backward calls", "", "Number of autograd nodes of the module's forward {operators}.",
     TP_COLUMN_INT},
    {"backward_host_total_time_us", "Backward CPU total", "us",
     "Host time of the autograd nodes of the module and its child modules.", TP_COLUMN_NS},
    {"backward_host_self_time_us", "Backward CPU self", "us",
     "Host time of the autograd nodes of the module's own {operators}.", TP_COLUMN_NS},
    {"backward_device_total_time_us", "Backward {GPU} total", "us",
     "Device time of the autograd nodes of the module and its child modules.", TP_COLUMN_NS},
    {"backward_device_self_time_us", "Backward {GPU} self", "us",
     "Device time of the autograd nodes of the module's own {operators}.", TP_COLUMN_NS},
};

/* counts and times of one module call; times in ns */
struct call {
    int64_t operators, host_self, device_self, device_total;
    struct tp_backward_sum backward_self, backward_total;
};

/* a path in the tree of modules, identified by parent path, name and module id; times in ns */
struct path {
    uint32_t parent, first_child, last_child, next_sibling, child_count;
    uint32_t name;
    int64_t module_id, occurrences, operators, host_total, host_self, device_total, device_self;
    struct tp_backward_sum backward_self, backward_total;
};

struct builder {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct call *calls;  /* counts and times of each call, indexed by module call */
    struct tp_vec paths; /* elements: struct path, in the order of their first calls */
};

static const struct tp_event *module_event(const struct builder *b, uint32_t m)
{
    return &b->model->trace->events[b->model->modules.event[m]];
}

/* ---- calls ---- */

/* Returns whether an operator's time is added to its module. Excludes operators inside another operator of the same
 * module. */
static bool is_outermost_of_module(const struct tp_operators *ops, uint32_t op)
{
    uint32_t parent = ops->parent[op];
    return ops->module[op] != TP_NO_ID && (parent == TP_NO_ID || ops->module[parent] != ops->module[op]);
}

static void subtract_covered_time(struct builder *b, int64_t *covered_end, uint32_t m, int64_t a, int64_t end)
{
    int64_t limit = b->model->modules.clipped_end_ns[m];
    end = end < limit ? end : limit;
    a = a > covered_end[m] ? a : covered_end[m];
    if (end > a) {
        b->calls[m].host_self -= end - a;
        covered_end[m] = end;
    }
}

/* Counts the operators of each call that is_outermost_of_module accepts. Returns the number of these operators and of
 * the child modules. */
static size_t count_pieces(struct builder *b)
{
    const struct tp_modules *modules = &b->model->modules;
    const struct tp_operators *ops = &b->model->operators;
    size_t count = 0;
    for (uint32_t m = 0; m < modules->count; m++)
        count += modules->parent[m] != TP_NO_ID;
    for (uint32_t i = 0; i < ops->count; i++)
        if (is_outermost_of_module(ops, i)) {
            b->calls[ops->module[i]].operators++;
            count++;
        }
    return count;
}

/* Computes the host self time of each call: the call's length minus the union of its child modules and of the operators
 * that is_outermost_of_module accepts. Visits the calls in order of start. */
static void compute_host_self_times(struct builder *b)
{
    const struct tp_modules *modules = &b->model->modules;
    const struct tp_operators *ops = &b->model->operators;
    size_t count = 0, capacity = count_pieces(b);
    struct tp_keyed *pieces = tp_arena_array(b->arena, capacity, sizeof *pieces);
    int64_t *covered_end = tp_arena_array(b->arena, modules->count, sizeof *covered_end);
    for (uint32_t m = 0; m < modules->count; m++) {
        covered_end[m] = module_event(b, m)->ts_ns;
        b->calls[m].host_self = modules->clipped_end_ns[m] - covered_end[m];
        if (modules->parent[m] != TP_NO_ID)
            pieces[count++] = (struct tp_keyed){module_event(b, m)->ts_ns, 0, m};
    }
    for (uint32_t i = 0; i < ops->count; i++)
        if (is_outermost_of_module(ops, i))
            pieces[count++] = (struct tp_keyed){tp_operator_event(b->model, i)->ts_ns, 1, i};
    tp_sort_keyed(pieces, count, b->arena);
    for (size_t i = 0; i < count; i++) {
        uint32_t item = pieces[i].item;
        if (pieces[i].tie == 0)
            subtract_covered_time(b, covered_end, modules->parent[item], pieces[i].key, modules->clipped_end_ns[item]);
        else
            subtract_covered_time(b, covered_end, ops->module[item], pieces[i].key, tp_operator_end(b->model, item));
    }
    tp_arena_free_item(b->arena, pieces, capacity * sizeof *pieces);
    tp_arena_free_item(b->arena, covered_end, modules->count * sizeof *covered_end);
}

static void add_backward(struct tp_backward_sum *to, const struct tp_backward_sum *x)
{
    to->calls += x->calls;
    to->host_ns = tp_sat_add(to->host_ns, x->host_ns);
    to->device_ns = tp_sat_add(to->device_ns, x->device_ns);
}

static void find_device_times(struct builder *b)
{
    const struct tp_devices *devices = &b->model->devices;
    for (uint32_t k = 0; k < devices->count; k++)
        if (devices->module[k] != TP_NO_ID) {
            int64_t *self = &b->calls[devices->module[k]].device_self;
            *self = tp_sat_add(*self, tp_device_event(b->model, k)->dur_ns);
        }
}

static void find_backward(struct builder *b)
{
    uint32_t count = b->model->modules.count;
    struct tp_backward_sum *sums = tp_arena_array(b->arena, count, sizeof *sums);
    tp_module_backward_build(sums, b->model, b->arena);
    for (uint32_t m = 0; m < count; m++)
        b->calls[m].backward_self = sums[m];
    tp_arena_free_item(b->arena, sums, count * sizeof *sums);
}

/* Adds the counts and times of each call to its parent. A child must have a greater index than its parent. */
static void sum_calls_of_subtrees(struct builder *b)
{
    const struct tp_modules *modules = &b->model->modules;
    for (uint32_t m = modules->count; m-- > 0;) {
        struct call *call = &b->calls[m];
        call->device_total = tp_sat_add(call->device_total, call->device_self);
        add_backward(&call->backward_total, &call->backward_self);
        if (modules->parent[m] == TP_NO_ID)
            continue;
        struct call *parent = &b->calls[modules->parent[m]];
        parent->device_total = tp_sat_add(parent->device_total, call->device_total);
        add_backward(&parent->backward_total, &call->backward_total);
    }
}

/* ---- paths ---- */

static void add_call_to_path(struct builder *b, struct path *path, uint32_t m)
{
    const struct call *call = &b->calls[m];
    path->occurrences++;
    path->operators += call->operators;
    path->host_total = tp_sat_add(path->host_total, module_event(b, m)->dur_ns);
    path->host_self = tp_sat_add(path->host_self, call->host_self);
    path->device_total = tp_sat_add(path->device_total, call->device_total);
    path->device_self = tp_sat_add(path->device_self, call->device_self);
    add_backward(&path->backward_self, &call->backward_self);
    add_backward(&path->backward_total, &call->backward_total);
}

static struct path *module_path_at(const struct builder *b, uint32_t path)
{
    return TP_AT(&b->paths, struct path, path);
}

static void add_new_path(struct builder *b, uint32_t parent, uint32_t name, int64_t module_id)
{
    uint32_t id = (uint32_t)b->paths.count;
    struct path *path = tp_vec_push(&b->paths);
    *path = (struct path){.parent = parent, .name = name, .module_id = module_id};
    path->first_child = path->last_child = path->next_sibling = TP_NO_ID;
    if (parent == TP_NO_ID)
        return;
    struct path *above = module_path_at(b, parent);
    if (above->last_child == TP_NO_ID)
        above->first_child = id;
    else
        module_path_at(b, above->last_child)->next_sibling = id;
    above->last_child = id;
    above->child_count++;
}

/* Returns the module calls of all threads in order of time, each parent before its children. */
static uint32_t *sort_calls(const struct builder *b)
{
    const struct tp_modules *modules = &b->model->modules;
    uint32_t *events = tp_arena_array(b->arena, modules->count, sizeof *events);
    uint32_t *calls = tp_arena_array(b->arena, modules->count, sizeof *calls);
    struct tp_keyed *by_event = tp_arena_array(b->arena, modules->count, sizeof *by_event);
    for (uint32_t m = 0; m < modules->count; m++) {
        events[m] = modules->event[m];
        by_event[m] = (struct tp_keyed){modules->event[m], 0, m};
    }
    tp_order_sort(b->model->trace, events, modules->count, b->arena);
    tp_sort_keyed(by_event, modules->count, b->arena);
    for (uint32_t i = 0; i < modules->count; i++) { /* turns the sorted events into indexes of module calls */
        uint32_t lo = 0, hi = modules->count;
        while (lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (by_event[mid].key < events[i])
                lo = mid + 1;
            else
                hi = mid;
        }
        calls[i] = by_event[lo].item;
    }
    return calls;
}

static void merge_calls_by_path(struct builder *b)
{
    const struct tp_modules *modules = &b->model->modules;
    uint32_t *order = sort_calls(b), *path_of = tp_arena_array(b->arena, modules->count, sizeof *path_of);
    struct tp_keys keys;
    b->paths = TP_VEC(b->arena, struct path);
    tp_keys_init(&keys, b->arena, 4);
    for (uint32_t i = 0; i < modules->count; i++) {
        uint32_t m = order[i], parent = modules->parent[m] == TP_NO_ID ? TP_NO_ID : path_of[modules->parent[m]];
        const struct tp_event *e = module_event(b, m);
        int64_t module_id = b->model->trace->modules[e->detail].module_id;
        uint32_t key[4] = {parent, e->name, (uint32_t)module_id, (uint32_t)((uint64_t)module_id >> 32)};
        path_of[m] = tp_keys_add(&keys, key);
        if (path_of[m] == b->paths.count)
            add_new_path(b, parent, e->name, module_id);
        add_call_to_path(b, module_path_at(b, path_of[m]), m);
    }
}

/* ---- table ---- */

static void fill_row(struct tp_module_view *view, const struct builder *b, size_t row, const struct path *path)
{
    struct tp_table *table = &view->table;
    tp_table_text(table, TP_MODULE_NAME)[row] = tp_frame_module_name(b->model->trace->names.items[path->name]);
    tp_table_int(table, TP_MODULE_ID)[row] = path->module_id;
    tp_table_int(table, TP_MODULE_OCCURRENCES)[row] = path->occurrences;
    tp_table_int(table, TP_MODULE_OPERATORS)[row] = path->operators;
    tp_table_int(table, TP_MODULE_HOST_TOTAL)[row] = path->host_total;
    tp_table_int(table, TP_MODULE_HOST_SELF)[row] = path->host_self;
    tp_table_int(table, TP_MODULE_DEVICE_TOTAL)[row] = path->device_total;
    tp_table_int(table, TP_MODULE_DEVICE_SELF)[row] = path->device_self;
    tp_table_real(table, TP_MODULE_FLAME)[row] =
        tp_mean_us(path->device_total > 0 ? path->device_total : path->host_total, (uint64_t)path->occurrences);
    tp_table_int(table, TP_MODULE_BACKWARD_CALLS)[row] = path->backward_total.calls;
    tp_table_int(table, TP_MODULE_BACKWARD_HOST_TOTAL)[row] = path->backward_total.host_ns;
    tp_table_int(table, TP_MODULE_BACKWARD_HOST_SELF)[row] = path->backward_self.host_ns;
    tp_table_int(table, TP_MODULE_BACKWARD_DEVICE_TOTAL)[row] = path->backward_total.device_ns;
    tp_table_int(table, TP_MODULE_BACKWARD_DEVICE_SELF)[row] = path->backward_self.device_ns;
    view->child_count[row] = path->child_count;
}

/* Builds the table in pre-order without recursion. After each path comes its first child. After a path without children
 * comes the next sibling of the path, or the next sibling of its nearest ancestor that has one. */
static void build_table(struct tp_module_view *view, const struct builder *b)
{
    size_t count = b->paths.count, row = 0;
    uint32_t *row_of = tp_arena_array(b->arena, count, sizeof *row_of);
    tp_table_init(&view->table, b->arena, "modules", module_defs, TP_MODULE_COLUMNS, count);
    view->table.title = "Modules";
    view->parent = tp_arena_array(b->arena, count, sizeof *view->parent);
    view->depth = tp_arena_array(b->arena, count, sizeof *view->depth);
    view->child_count = tp_arena_array(b->arena, count, sizeof *view->child_count);
    for (uint32_t top = 0; top < count; top++) {
        if (module_path_at(b, top)->parent != TP_NO_ID)
            continue;
        for (uint32_t at = top; at != TP_NO_ID; row++) {
            const struct path *path = module_path_at(b, at);
            uint32_t parent = path->parent == TP_NO_ID ? TP_NO_ID : row_of[path->parent];
            row_of[at] = (uint32_t)row;
            view->parent[row] = parent;
            view->depth[row] = parent == TP_NO_ID ? 0 : view->depth[parent] + 1;
            fill_row(view, b, row, path);
            if (path->first_child != TP_NO_ID) {
                at = path->first_child;
                continue;
            }
            while (at != TP_NO_ID && module_path_at(b, at)->next_sibling == TP_NO_ID)
                at = module_path_at(b, at)->parent;
            at = at == TP_NO_ID ? TP_NO_ID : module_path_at(b, at)->next_sibling;
        }
    }
}

void tp_module_view_build(struct tp_module_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    struct builder b = {.model = model, .arena = arena};
    memset(view, 0, sizeof *view);
    view->is_present = model->modules.count > 0;
    if (!view->is_present)
        return;
    b.calls = tp_arena_array(arena, model->modules.count, sizeof *b.calls);
    compute_host_self_times(&b);
    find_device_times(&b);
    find_backward(&b);
    sum_calls_of_subtrees(&b);
    merge_calls_by_path(&b);
    build_table(view, &b);
    tp_arena_free_item(arena, b.calls, model->modules.count * sizeof *b.calls);
}

/* ---- fields ---- */

/* Maximum depth of modules in JSON. Readers limit the depth: Python reads about 1000 brackets, and each module needs
 * two. JSON omits deeper modules, but the totals of their ancestors include them. */
enum { MAX_JSON_DEPTH = 200 };

static bool next_child(const struct tp_record *record, size_t *cursor, struct tp_item *item);

#define F struct tp_module_view
static const struct tp_json_field module_fields[] = {
    {NULL, TP_ROW(F, table, 0, 0)},
    {"children", TP_LIST(next_child, &tp_module_fields),
     TP_DEFINITION("modules that this module calls; each has the same members as this module")},
};
#undef F
const struct tp_fields tp_module_fields = TP_FIELDS("A module", module_fields);

/* Returns the row at *cursor if its depth is `depth`, and moves the cursor past the row's descendants. */
static bool next_row(const struct tp_module_view *view, uint32_t depth, size_t *cursor, struct tp_item *item)
{
    size_t row = *cursor;
    if (depth >= MAX_JSON_DEPTH || row >= view->table.row_count || view->depth[row] != depth)
        return false;
    item->value = tp_json_value_record(&tp_module_fields, (struct tp_record){.at = view, .index = row});
    while (++*cursor < view->table.row_count && view->depth[*cursor] > depth)
        ;
    return true;
}

static bool next_child(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_module_view *view = record->at;
    if (!*cursor)
        *cursor = record->index + 1;
    return next_row(view, view->depth[record->index] + 1, cursor, item);
}

bool tp_module_view_next(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    return next_row(record->at, 0, cursor, item);
}
