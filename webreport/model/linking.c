/* Links device operations to the operators that own them (D2), and computes the device times of operators.
 *
 * The correlation of an operation leads to a runtime or driver call. The owner is the innermost operator around the
 * start of this call, or the operator just next to the call that an External id names. Without a call, the owner is the
 * operator with the External id of the operation. This id must differ from the correlation. Exactly one operator must
 * have the id, and this operator must start before the operation. */
#include "webreport/model/stages.h"
#include "writer/base/renumber.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* Launches grouped by correlation, and sorted by time in each group. */
struct launch_index {
    struct tp_ids ids;
    uint32_t *first; /* for each correlation: index of its first launch in `items`; ids.count + 1 entries */
    uint32_t *items;
    size_t item_count;
};

static const struct tp_launch_detail *launch_detail(const struct tp_model *model, uint32_t launch)
{
    return &model->trace->launches[tp_launch_event(model, launch)->detail];
}

static const struct tp_device_detail *device_detail(const struct tp_model *model, uint32_t device)
{
    return &model->trace->devices[tp_device_event(model, device)->detail];
}

/* Returns the correlation of a launch; TP_NULL_INT if the launch has none. context: the model. */
static int64_t launch_correlation(const void *context, uint32_t launch)
{
    int64_t id = launch_detail(context, launch)->correlation;
    return id > 0 ? id : TP_NULL_INT;
}

/* Sorts the launches with equal correlations by (start, position in the file). Most correlations have only one
 * launch. */
static void sort_launches(const struct tp_model *model, uint32_t *items, size_t count)
{
    struct tp_keyed few[8], *sorted = count <= 8 ? few : tp_arena_array(model->arena, count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] =
            (struct tp_keyed){tp_launch_event(model, items[i])->ts_ns, model->launches.event[items[i]], items[i]};
    tp_sort_keyed(sorted, count, model->arena);
    for (size_t i = 0; i < count; i++)
        items[i] = sorted[i].item;
    if (sorted != few)
        tp_arena_free_item(model->arena, sorted, count * sizeof *sorted);
}

static void index_launches(struct launch_index *index, const struct tp_model *model)
{
    struct tp_arena *arena = model->arena;
    memset(index, 0, sizeof *index);
    index->item_count = tp_ids_init_for_items(&index->ids, arena, model->launches.count, launch_correlation, model);
    uint32_t *first = index->first = tp_arena_array(arena, index->item_count + 2, sizeof *first);
    index->items = tp_arena_array(arena, index->item_count, sizeof *index->items);
    for (uint32_t i = 0; i < model->launches.count; i++) {
        int64_t id = launch_correlation(model, i);
        if (id != TP_NULL_INT)
            first[tp_ids_add(&index->ids, id) + 2]++;
    }
    for (uint32_t k = 0; k < index->ids.count; k++)
        first[k + 2] += first[k + 1];
    for (uint32_t i = 0; i < model->launches.count; i++) {
        int64_t id = launch_correlation(model, i);
        if (id != TP_NULL_INT) /* after the loop, first[id + 1] is the start of group id + 1 */
            index->items[first[tp_ids_find(&index->ids, id) + 1]++] = i;
    }
    for (uint32_t k = 0; k < index->ids.count; k++)
        if (first[k + 1] - first[k] > 1)
            sort_launches(model, index->items + first[k], first[k + 1] - first[k]);
}

static void free_launch_index(struct launch_index *index, struct tp_arena *arena)
{
    tp_arena_free_item(arena, index->items, index->item_count * sizeof *index->items);
    tp_arena_free_item(arena, index->first, (index->item_count + 2) * sizeof *index->first);
    tp_ids_release(&index->ids, arena);
}

/* Returns the last launch with this correlation that starts at or before the time `at`, ns. If there is no such launch,
 * returns the first launch with this correlation, or TP_NO_ID. */
static uint32_t find_launch(const struct launch_index *index, const struct tp_model *model, int64_t correlation,
                            int64_t at)
{
    uint32_t id = correlation > 0 ? tp_ids_find(&index->ids, correlation) : TP_NO_ID;
    if (id == TP_NO_ID)
        return TP_NO_ID;
    uint32_t lo = index->first[id], hi = index->first[id + 1];
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (tp_launch_event(model, index->items[mid])->ts_ns <= at)
            lo = mid;
        else
            hi = mid;
    }
    return index->items[lo];
}

/* ---- External ids, used for device operations without a launch ---- */

struct external_index {
    struct tp_ids ids;
    uint32_t *op;    /* for each id: first operator that has the id */
    uint32_t *count; /* for each id: number of operators that have the id */
    bool is_built;
};

/* Returns the External id of an operator; TP_NULL_INT if the operator has none. context: the model. */
static int64_t operator_external_id(const void *context, uint32_t op)
{
    const struct tp_model *model = context;
    int64_t id = model->trace->hosts[tp_operator_event(model, op)->detail].external_id;
    return id == 0 ? TP_NULL_INT : id;
}

static void index_operators(struct external_index *index, const struct tp_model *model)
{
    tp_ids_init_for_items(&index->ids, model->arena, model->operators.count, operator_external_id, model);
    index->op = tp_arena_array(model->arena, model->operators.count, sizeof *index->op);
    index->count = tp_arena_array(model->arena, model->operators.count, sizeof *index->count);
    for (uint32_t i = 0; i < model->operators.count; i++) {
        int64_t value = operator_external_id(model, i);
        if (value == TP_NULL_INT)
            continue;
        uint32_t id = tp_ids_add(&index->ids, value);
        if (index->count[id]++ == 0)
            index->op[id] = i;
    }
    index->is_built = true;
}

/* Returns the operator with an External id; TP_NO_ID if no operator or several operators have the id. */
static uint32_t only_operator_with_id(struct external_index *index, const struct tp_model *model, int64_t external_id)
{
    if (!index->is_built)
        index_operators(index, model);
    uint32_t id = tp_ids_find(&index->ids, external_id);
    return id == TP_NO_ID || index->count[id] != 1 ? TP_NO_ID : index->op[id];
}

static uint32_t operator_by_external_id(struct external_index *index, const struct tp_model *model, uint32_t device)
{
    const struct tp_device_detail *detail = device_detail(model, device);
    if (detail->external_id == TP_NULL_INT || detail->external_id == 0 || detail->external_id == detail->correlation)
        return TP_NO_ID;
    uint32_t op = only_operator_with_id(index, model, detail->external_id);
    bool is_earlier = op != TP_NO_ID && tp_operator_event(model, op)->ts_ns <= tp_device_event(model, device)->ts_ns;
    return is_earlier ? op : TP_NO_ID;
}

static void free_external_id_index(struct external_index *index, const struct tp_model *model)
{
    if (!index->is_built)
        return;
    tp_arena_free_item(model->arena, index->op, model->operators.count * sizeof *index->op);
    tp_arena_free_item(model->arena, index->count, model->operators.count * sizeof *index->count);
    tp_ids_release(&index->ids, model->arena);
}

/* Returns the operator that the External id of an operation names, if the operation's call has no External id and
 * starts just outside this operator. Returns TP_NO_ID if there is no such operator. around: operator of the call;
 * TP_NO_ID: none. */
static uint32_t near_operator_by_external_id(struct external_index *external, const struct tp_model *model,
                                             uint32_t device, uint32_t launch)
{
    int64_t id = device_detail(model, device)->external_id, of_call = launch_detail(model, launch)->external_id;
    uint32_t around = model->launches.op[launch];
    if (id == TP_NULL_INT || id == 0 || (of_call != TP_NULL_INT && of_call != 0) ||
        (around != TP_NO_ID && operator_external_id(model, around) == TP_NULL_INT))
        return TP_NO_ID;
    uint32_t op = only_operator_with_id(external, model, id);
    bool is_near = op < model->operators.finished_count &&
                   !tp_model_is_graph_launch(model, tp_launch_event(model, launch)) &&
                   tp_model_is_near_operator(model, tp_launch_event(model, launch), op, around);
    return is_near ? op : TP_NO_ID;
}

/* ---- linking of device operations ---- */

static void link_operation_to_launch(struct tp_model *model, uint32_t k, const struct launch_index *launches,
                                     struct external_index *external)
{
    struct tp_devices *devices = &model->devices;
    const struct tp_event *e = tp_device_event(model, k);
    uint32_t launch = find_launch(launches, model, device_detail(model, k)->correlation, e->ts_ns), owner,
             module = TP_NO_ID;
    if (launch != TP_NO_ID) {
        uint32_t near = near_operator_by_external_id(external, model, k, launch);
        owner = near == TP_NO_ID ? model->launches.op[launch] : near;
        devices->launched_outside_count += owner == TP_NO_ID;
        if (devices->module)
            module = model->launches.module[launch];
        if (devices->module && near != TP_NO_ID)
            module = model->operators.module[near];
    } else {
        devices->without_launch_count++;
        owner = operator_by_external_id(external, model, k);
        devices->linked_by_external_id_count += owner != TP_NO_ID;
        if (devices->module && owner != TP_NO_ID)
            module = model->operators.module[owner];
    }
    devices->launch[k] = launch;
    devices->owner[k] = owner;
    if (devices->module)
        devices->module[k] = module;
}

static void sum_device_times(struct tp_model *model)
{
    struct tp_devices *devices = &model->devices;
    for (uint32_t k = 0; k < devices->count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        bool is_kernel = e->kind == TP_KIND_KERNEL, is_unlinked = devices->owner[k] == TP_NO_ID;
        devices->time_ns = tp_sat_add(devices->time_ns, e->dur_ns);
        devices->unlinked_count += is_unlinked;
        if (is_kernel)
            devices->kernel_time_ns = tp_sat_add(devices->kernel_time_ns, e->dur_ns);
        if (is_unlinked)
            devices->unlinked_time_ns = tp_sat_add(devices->unlinked_time_ns, e->dur_ns);
        if (is_unlinked && is_kernel)
            devices->unlinked_kernel_time_ns = tp_sat_add(devices->unlinked_kernel_time_ns, e->dur_ns);
    }
}

/* Links the device operations of each launch to a list, in order of start. */
static void link_operations_of_launches(struct tp_model *model)
{
    struct tp_devices *devices = &model->devices;
    struct tp_launches *launches = &model->launches;
    launches->first_device_operation =
        tp_arena_array(model->arena, launches->count, sizeof *launches->first_device_operation);
    devices->next_in_launch = tp_arena_array(model->arena, devices->count, sizeof *devices->next_in_launch);
    for (uint32_t i = 0; i < launches->count; i++)
        launches->first_device_operation[i] = TP_NO_ID;
    for (uint32_t k = devices->count; k-- > 0;) {
        uint32_t launch = devices->launch[k];
        devices->next_in_launch[k] = launch == TP_NO_ID ? TP_NO_ID : launches->first_device_operation[launch];
        if (launch != TP_NO_ID)
            launches->first_device_operation[launch] = k;
    }
}

void tp_model_link_devices(struct tp_model *model)
{
    struct tp_devices *devices = &model->devices;
    struct launch_index launches;
    struct external_index external = {0};
    devices->count = model->order->device_count;
    devices->event = model->order->device;
    if (!devices->count) {
        link_operations_of_launches(model);
        return;
    }
    devices->launch = tp_arena_array(model->arena, devices->count, sizeof *devices->launch);
    devices->owner = tp_arena_array(model->arena, devices->count, sizeof *devices->owner);
    if (model->modules.count)
        devices->module = tp_arena_array(model->arena, devices->count, sizeof *devices->module);
    index_launches(&launches, model);
    for (uint32_t k = 0; k < devices->count; k++)
        link_operation_to_launch(model, k, &launches, &external);
    free_launch_index(&launches, model->arena);
    free_external_id_index(&external, model);
    link_operations_of_launches(model);
    sum_device_times(model);
}

/* ---- device times of operators ---- */

/* Device times of operators while they are computed, ns. self: time of the operations that the operator owns; total:
 * this time, plus the time of the operations of all operators below it. */
struct device_times {
    int64_t *self, *total;
};

static struct device_times make_zero_device_times(const struct tp_model *model)
{
    struct device_times times;
    times.self = tp_arena_array(model->arena, model->operators.count, sizeof *times.self);
    times.total = tp_arena_array(model->arena, model->operators.count, sizeof *times.total);
    return times;
}

/* Adds the times of children to their parents. Visits the operators backward, because children have higher indexes than
 * parents. */
static void add_child_times(const struct tp_model *model, const struct device_times *times)
{
    const struct tp_operators *ops = &model->operators;
    for (uint32_t i = ops->count; i-- > 0;) {
        uint32_t parent = ops->parent[i];
        times->total[i] = tp_sat_add(times->total[i], times->self[i]);
        if (parent != TP_NO_ID)
            times->total[parent] = tp_sat_add(times->total[parent], times->total[i]);
    }
}

static void find_device_times(struct tp_model *model)
{
    struct tp_operators *ops = &model->operators;
    struct device_times times = make_zero_device_times(model);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        uint32_t owner = model->devices.owner[k];
        if (owner != TP_NO_ID)
            times.self[owner] = tp_sat_add(times.self[owner], tp_device_event(model, k)->dur_ns);
    }
    add_child_times(model, &times);
    tp_narrow_init(&ops->device_self, times.self, ops->count, model->arena);
    tp_narrow_init(&ops->device_total, times.total, ops->count, model->arena);
}

static bool uses_tensor_cores(const struct tp_model *model, const struct tp_event *e)
{
    return e->kind == TP_KIND_KERNEL && (model->marks[e->name] & TP_MARK_TC_YES);
}

static void find_tensor_core_times(struct tp_model *model)
{
    struct tp_operators *ops = &model->operators;
    for (uint32_t k = 0; k < model->devices.count && !ops->has_tensor_cores; k++)
        ops->has_tensor_cores = uses_tensor_cores(model, tp_device_event(model, k));
    if (!ops->has_tensor_cores)
        return;
    struct device_times times = make_zero_device_times(model);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        uint32_t owner = model->devices.owner[k];
        if (owner != TP_NO_ID && uses_tensor_cores(model, e))
            times.self[owner] = tp_sat_add(times.self[owner], e->dur_ns);
    }
    add_child_times(model, &times);
    tp_narrow_init(&ops->tensor_core_self, times.self, ops->count, model->arena);
    tp_narrow_init(&ops->tensor_core_total, times.total, ops->count, model->arena);
}

static void mark_eligible_operators(struct tp_model *model)
{
    struct tp_operators *ops = &model->operators;
    for (uint32_t i = ops->count; i-- > 0;) {
        bool owns_tensor_cores = ops->has_tensor_cores && tp_narrow_get(&ops->tensor_core_self, i) > 0;
        if (owns_tensor_cores || (ops->flags[i] & TP_OPERATOR_ELIGIBLE_CHILD) ||
            (model->marks[tp_operator_event(model, i)->name] & TP_MARK_ELIGIBLE))
            ops->flags[i] |= TP_OPERATOR_ELIGIBLE;
        if (ops->parent[i] != TP_NO_ID && ops->flags[i] & TP_OPERATOR_ELIGIBLE)
            ops->flags[ops->parent[i]] |= TP_OPERATOR_ELIGIBLE_CHILD;
    }
}

static void mark_outermost_operators(struct tp_model *model)
{
    struct tp_operators *ops = &model->operators;
    /* for each name: number of enclosing operators with the name */
    uint32_t *open = tp_arena_array(model->arena, model->trace->names.count, sizeof *open);
    uint32_t above = TP_NO_ID;
    for (uint32_t i = 0; i < ops->count; i++) {
        for (; above != TP_NO_ID && ops->subtree_end[above] <= i; above = ops->parent[above])
            open[tp_operator_event(model, above)->name]--;
        if (open[tp_operator_event(model, i)->name]++ == 0)
            ops->flags[i] |= TP_OPERATOR_OUTERMOST;
        above = i;
    }
    tp_arena_free_item(model->arena, open, model->trace->names.count * sizeof *open);
}

void tp_model_compute_operator_times(struct tp_model *model)
{
    find_device_times(model);
    find_tensor_core_times(model);
    mark_eligible_operators(model);
    mark_outermost_operators(model);
}
