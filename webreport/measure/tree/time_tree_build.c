/* Implements time_tree.h: builds the tree of a device's time from its parts. */
#include "webreport/measure/tree/time_tree.h"

#include "webreport/measure/tree/time_parts.h"
#include "webreport/model/numbers.h"
#include "writer/base/ratio.h"
#include "writer/base/sort.h"

/* units shorter than this, ns, are limited by the latency of their start if their least time is much shorter */
static const int64_t SHORT_NS = 10000;

const char *tp_bound_text(enum tp_bound bound)
{
    static const char *const texts[TP_BOUND_COUNT] = {NULL, "compute", "memory", "latency"};
    return texts[bound];
}

/* ---- device work ---- */

static void add_own_time(void *context, uint32_t device, int64_t ns)
{
    struct tp_time_builder *maker = context;
    tp_time_add_time(maker, maker->leaves[device], ns);
}

/* Returns whether an operation starts in the analysed steps. *near: position of the last search
 * (tp_intervals_contain_near). */
static bool does_operation_begin_in_window(const struct tp_model *model, uint32_t device, size_t *near)
{
    return tp_intervals_contain_near(model->window, tp_device_event(model, device)->ts_ns, near);
}

/* Finds the leaf of each operation, and counts the operations of each leaf. */
static void count_operations(struct tp_time_builder *maker)
{
    struct tp_time_places places;
    size_t near = 0;
    tp_time_places_init(&places, maker);
    for (uint32_t i = 0; i < maker->gpu->count; i++) {
        uint32_t device = maker->gpu->events[i];
        maker->leaves[device] = tp_time_find_leaf(&places, device);
        if (!does_operation_begin_in_window(maker->model, device, &near))
            continue;
        struct tp_time_draft *draft = tp_time_draft(maker, maker->leaves[device]);
        draft->calls++;
        draft->kernel_ns = tp_sat_add(draft->kernel_ns, tp_device_event(maker->model, device)->dur_ns);
    }
    tp_time_places_release(&places);
}

/* Returns the shortest possible time of a unit of work at the peak rates of its device, ns; -1 if unknown. Sets *bound
 * to the rate that limits the unit. */
static double least_time_ns(const struct tp_time_builder *maker, const struct tp_work_unit *unit, enum tp_bound *bound)
{
    const struct tp_peaks *peaks = maker->tree->peaks;
    if (!peaks)
        return -1;
    struct tp_work_floor floor = tp_work_floor_of_unit(maker->model, maker->units, unit, peaks);
    double compute = floor.compute_ns, memory = floor.memory_ns;
    if (compute < 0)
        return -1;
    double least = compute > memory ? compute : memory;
    *bound = unit->ns < SHORT_NS && least < 0.25 * (double)unit->ns ? TP_BOUND_LATENCY
             : compute >= memory                                    ? TP_BOUND_COMPUTE
                                                                    : TP_BOUND_MEMORY;
    return least;
}

static void add_minimum_times_of_units(struct tp_time_builder *maker)
{
    size_t near = 0;
    for (uint32_t i = 0; i < maker->units->count; i++) {
        const struct tp_work_unit *unit = &maker->units->items[i];
        const struct tp_cost *cost = &maker->units->costs[unit->cost];
        if (&maker->model->gpus[maker->model->devices.gpu[unit->main]] != maker->gpu ||
            !does_operation_begin_in_window(maker->model, unit->main, &near))
            continue;
        struct tp_time_draft *draft = tp_time_draft(maker, maker->leaves[unit->main]);
        draft->flops = tp_sat_add(draft->flops, cost->flops);
        draft->bytes = tp_sat_add(draft->bytes, cost->bytes);
        draft->costed_ns = tp_sat_add(draft->costed_ns, unit->ns);
        enum tp_bound bound = TP_BOUND_NONE;
        double least = least_time_ns(maker, unit, &bound);
        if (least < 0)
            continue;
        draft->floor_ns += least < (double)unit->ns ? least : (double)unit->ns;
        draft->floored_ns = tp_sat_add(draft->floored_ns, unit->ns);
        draft->bound_ns[bound] = tp_sat_add(draft->bound_ns[bound], unit->ns);
    }
}

/* ---- sums and order ---- */

static void sum_subtrees(struct tp_time_builder *maker)
{
    for (uint32_t i = (uint32_t)maker->drafts.count; i-- > 1;) {
        const struct tp_time_draft *from = tp_time_draft(maker, i);
        struct tp_time_draft *into = tp_time_draft(maker, from->parent);
        into->time_ns = tp_sat_add(into->time_ns, from->time_ns);
        into->calls += from->calls;
        into->kernel_ns = tp_sat_add(into->kernel_ns, from->kernel_ns);
        into->flops = tp_sat_add(into->flops, from->flops);
        into->bytes = tp_sat_add(into->bytes, from->bytes);
        into->costed_ns = tp_sat_add(into->costed_ns, from->costed_ns);
        into->floored_ns = tp_sat_add(into->floored_ns, from->floored_ns);
        into->floor_ns += from->floor_ns;
        for (unsigned b = 0; b < TP_BOUND_COUNT; b++)
            into->bound_ns[b] = tp_sat_add(into->bound_ns[b], from->bound_ns[b]);
    }
}

/* Orders nodes by parent, then by time (longest first), then by text. */
static int compare_nodes(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_time_builder *maker = context;
    const struct tp_time_draft *a = TP_AT(&maker->drafts, struct tp_time_draft, x),
                               *b = TP_AT(&maker->drafts, struct tp_time_draft, y);
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    if (a->time_ns != b->time_ns)
        return a->time_ns > b->time_ns ? -1 : 1;
    return tp_str_compare(maker->texts.items[a->text], maker->texts.items[b->text]);
}

static struct tp_time_node make_node(const struct tp_time_builder *maker, const struct tp_time_draft *draft)
{
    struct tp_time_node node = {.text = maker->texts.items[draft->text],
                                .reason = draft->reason,
                                .time_ns = draft->time_ns,
                                .calls = draft->calls,
                                .kernel_ns = draft->kernel_ns,
                                .flops = draft->flops,
                                .bytes = draft->bytes,
                                .costed_ns = draft->costed_ns,
                                .floored_ns = draft->floored_ns,
                                .floor_ns = draft->floor_ns};
    for (unsigned b = 1; b < TP_BOUND_COUNT; b++)
        if (draft->bound_ns[b] > draft->bound_ns[node.bound])
            node.bound = (uint8_t)b;
    return node;
}

/* The children of each node, sorted. */
struct children {
    uint32_t *sorted, *first; /* children of node i: sorted[first[i] .. first[i + 1]) */
};

static struct children sort_children(const struct tp_time_builder *maker)
{
    uint32_t count = (uint32_t)maker->drafts.count;
    struct children children = {tp_arena_array(maker->arena, count, sizeof(uint32_t)),
                                tp_arena_array(maker->arena, (size_t)count + 1, sizeof(uint32_t))};
    for (uint32_t i = 1; i < count; i++) {
        children.sorted[i - 1] = i;
        children.first[TP_AT(&maker->drafts, struct tp_time_draft, i)->parent + 1]++;
    }
    tp_sort_rows(children.sorted, count - 1, compare_nodes, maker, maker->arena);
    for (uint32_t i = 1; i <= count; i++)
        children.first[i] += children.first[i - 1];
    return children;
}

/* Adds the nodes below `draft` that have time or operations in the analysed steps. parent: index of the node of
 * `draft`. The length of a path limits the recursion. */
static void add_children_of_draft(const struct tp_time_builder *maker, const struct children *children, uint32_t draft,
                                  uint32_t parent)
{
    struct tp_time_tree *tree = maker->tree;
    for (uint32_t i = children->first[draft]; i < children->first[draft + 1]; i++) {
        uint32_t child = children->sorted[i], at = tree->node_count;
        const struct tp_time_draft *from = TP_AT(&maker->drafts, struct tp_time_draft, child);
        if (!from->time_ns && !from->calls)
            continue;
        tree->node_count++;
        tree->nodes[at] = make_node(maker, from);
        tree->nodes[at].parent = parent;
        tree->nodes[at].depth = tree->nodes[parent].depth + 1;
        add_children_of_draft(maker, children, child, at);
    }
}

static void sort_nodes_of_tree(struct tp_time_builder *maker)
{
    struct tp_time_tree *tree = maker->tree;
    struct children children = sort_children(maker);
    tree->nodes = tp_arena_array(maker->arena, maker->drafts.count, sizeof *tree->nodes);
    tree->nodes[0] = make_node(maker, tp_time_draft(maker, 0));
    tree->nodes[0].parent = TP_NO_ID;
    tree->node_count = 1;
    add_children_of_draft(maker, &children, 0, 0);
}

/* ---- devices ---- */

static void build_tree(struct tp_time_builder *maker)
{
    size_t size = maker->model->devices.count * sizeof *maker->leaves;
    tp_strings_init(&maker->texts, maker->arena, 0);
    tp_id_map_init(&maker->children, maker->arena);
    maker->drafts = TP_VEC(maker->arena, struct tp_time_draft);
    *(struct tp_time_draft *)tp_vec_push(&maker->drafts) =
        (struct tp_time_draft){.parent = TP_NO_ID, .text = tp_strings_add(&maker->texts, TP_STR("window"))};
    maker->leaves = tp_arena_alloc(maker->arena, size);
    count_operations(maker);
    tp_time_visit_owners(maker, add_own_time, maker);
    add_minimum_times_of_units(maker);
    tp_arena_free_item(maker->arena, maker->leaves, size);
    tp_time_add_idle(maker);
    sum_subtrees(maker);
    sort_nodes_of_tree(maker);
}

static int64_t device_work_ns(const struct tp_model *model, uint32_t gpu)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < model->gpus[gpu].count; i++)
        sum = tp_sat_add(sum, tp_device_event(model, model->gpus[gpu].events[i])->dur_ns);
    return sum;
}

/* Orders devices by work, most work first. context: work by device, ns. */
static int compare_by_work(const void *context, uint32_t x, uint32_t y)
{
    const int64_t *work = context;
    if (work[x] != work[y])
        return work[x] > work[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

void tp_time_trees_build(struct tp_time_trees *trees, const struct tp_work_kinds *kinds,
                         const struct tp_work_units *units, const struct tp_idle_view *idle, struct tp_arena *arena)
{
    const struct tp_model *model = kinds->model;
    uint32_t count = model->gpu_count < TP_IDLE_FLAME_DEVICES ? model->gpu_count : TP_IDLE_FLAME_DEVICES;
    uint32_t *rows = tp_arena_array(arena, count, sizeof *rows);
    int64_t *work = tp_arena_array(arena, count, sizeof *work);
    *trees = (struct tp_time_trees){0};
    if (!model->window_ns)
        return;
    trees->items = tp_arena_array(arena, count, sizeof *trees->items);
    for (uint32_t g = 0; g < count; g++) {
        rows[g] = g;
        work[g] = device_work_ns(model, g);
    }
    tp_sort_rows(rows, count, compare_by_work, work, arena);
    for (uint32_t i = 0; i < count; i++) {
        struct tp_time_tree *tree = &trees->items[trees->count++];
        struct tp_time_builder maker = {.model = model,
                                        .kinds = kinds,
                                        .units = units,
                                        .gpu = &model->gpus[rows[i]],
                                        .idle = &idle->devices[rows[i]],
                                        .tree = tree,
                                        .arena = arena};
        tree->device = maker.gpu->id;
        tree->device_name = units->device_names[rows[i]];
        tree->peaks = units->peaks[rows[i]];
        build_tree(&maker);
    }
}

/* ---- fields ---- */

/* Returns the share of a node in its tree. record->owner is the tree. */
static struct tp_json_value share_value(const struct tp_record *record)
{
    const struct tp_time_node *node = record->at;
    const struct tp_time_tree *tree = record->owner;
    return tp_json_value_real(tp_ratio(node->time_ns, tree->nodes[0].time_ns));
}

static struct tp_json_value tflops_value(const struct tp_record *record)
{
    const struct tp_time_node *node = record->at;
    return tp_json_value_real(tp_ratio(node->flops, (__int128)node->costed_ns * 1000));
}

static struct tp_json_value gb_per_s_value(const struct tp_record *record)
{
    const struct tp_time_node *node = record->at;
    return tp_json_value_real(tp_ratio(node->bytes, node->costed_ns));
}

static struct tp_json_value headroom_value(const struct tp_record *record)
{
    const struct tp_time_node *node = record->at;
    return tp_json_value_real((double)node->floored_ns - node->floor_ns);
}

static bool next_child(const struct tp_record *record, size_t *cursor, struct tp_item *item);
static const struct tp_fields node_type;

static struct tp_json_value children(const struct tp_record *record)
{
    const struct tp_time_tree *tree = record->owner;
    size_t next = record->index + 1;
    if (next >= tree->node_count || tree->nodes[next].parent != record->index)
        return tp_json_value_absent();
    return tp_json_value_list(next_child, *record);
}

#define F struct tp_time_node
static const struct tp_json_field node_fields[] = {
    {"name", TP_PLAIN(F, text), TP_DEFINITION("name of this part of the time")},
    {"time_ns", TP_PLAIN(F, time_ns),
     TP_DEFINITION("time in the analysed steps, in nanoseconds; the times of the children add up to this time")},
    {"share", TP_COMPUTED(TP_AS_REAL, share_value), TP_DEFINITION("share of the step time, from 0 to 1")},
    {"calls", TP_PLAIN(F, calls), TP_ONLY_IF(F, calls),
     TP_DEFINITION("number of device operations of this part that begin in the analysed steps")},
    {"kernel_ns", TP_PLAIN(F, kernel_ns), TP_ONLY_IF(F, calls),
     TP_DEFINITION("sum of the durations of the device operations of this part that begin in the analysed steps, in "
                   "nanoseconds")},
    {"flops", TP_PLAIN(F, flops), TP_ONLY_IF(F, costed_ns),
     TP_DEFINITION("number of floating-point operations of the operator calls whose shapes and types are known")},
    {"tflops", TP_COMPUTED(TP_AS_REAL, tflops_value), TP_ONLY_IF(F, costed_ns),
     TP_DEFINITION("flops divided by costed_ns, in 10^12 operations per second")},
    {"bytes", TP_PLAIN(F, bytes), TP_ONLY_IF(F, costed_ns),
     TP_DEFINITION("least number of bytes that the operator calls with known shapes and types read and write")},
    {"gbs", TP_COMPUTED(TP_AS_REAL, gb_per_s_value), TP_ONLY_IF(F, costed_ns),
     TP_DEFINITION("bytes divided by costed_ns, in 10^9 bytes per second")},
    {"costed_ns", TP_PLAIN(F, costed_ns), TP_ONLY_IF(F, costed_ns),
     TP_DEFINITION("kernel time of the operator calls whose shapes and types are known, in nanoseconds")},
    {"floor_ns", TP_PLAIN(F, floor_ns), TP_ONLY_IF(F, floored_ns),
     TP_DEFINITION("shortest possible time of the operator calls with known shapes and types at the peak rates of the "
                   "device, in nanoseconds")},
    {"headroom_ns", TP_COMPUTED(TP_AS_REAL, headroom_value), TP_ONLY_IF(F, floored_ns),
     TP_DEFINITION("kernel time minus shortest possible time (floor_ns) of the operator calls for which both are "
                   "known, in nanoseconds")},
    {"bound", TP_WORD(F, bound, tp_bound_text), TP_ONLY_IF(F, floored_ns),
     TP_DEFINITION("limit of most of the kernel time: rate of operations (compute), rate of memory (memory) or start "
                   "of short kernels (latency)")},
    {"children", TP_COMPUTED(TP_AS_LIST, children), .fields = &node_type,
     TP_DEFINITION("parts of this time; each has the same members")},
};
#undef F
static const struct tp_fields node_type = TP_FIELDS("A node of the tree of time", node_fields);

static bool next_child(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_time_tree *tree = record->owner;
    size_t at = *cursor ? *cursor : record->index + 1, next = at + 1;
    if (at >= tree->node_count || tree->nodes[at].parent != record->index)
        return false;
    item->value = tp_json_value_record(&node_type, (struct tp_record){&tree->nodes[at], tree, at, NULL});
    while (next < tree->node_count && tree->nodes[next].depth > tree->nodes[at].depth)
        next++;
    *cursor = next;
    return true;
}

static struct tp_json_value top_value(const struct tp_record *record)
{
    const struct tp_time_tree *tree = record->at;
    return tp_json_value_record(&node_type, (struct tp_record){&tree->nodes[0], tree, 0, NULL});
}

static struct tp_json_value peaks_name(const struct tp_record *record)
{
    const struct tp_time_tree *tree = record->at;
    return tp_json_value_text(tree->peaks ? tree->peaks->device : NULL);
}

static struct tp_json_value peaks_are_measured(const struct tp_record *record)
{
    const struct tp_time_tree *tree = record->at;
    return tp_json_value_bool(tree->peaks && tree->peaks->is_measured);
}

#define F struct tp_time_tree
static const struct tp_json_field fields[] = {
    {"device", TP_PLAIN(F, device), TP_DEFINITION("index of the device")},
    {"device_name", TP_PLAIN(F, device_name), TP_DEFINITION("name of the device; empty: unknown")},
    {"peaks", TP_COMPUTED(TP_AS_TEXT, peaks_name),
     TP_DEFINITION("name of the device whose peak rates are used; null: no peak rates are known")},
    {"peaks_are_measured", TP_COMPUTED(TP_AS_BOOL, peaks_are_measured),
     TP_DEFINITION("true if the peak rates were measured instead of published")},
    {"latency_ns", TP_PLAIN(F, latency_ns),
     TP_DEFINITION(
         "median time from the end of a launch to the start of its operation on an idle device, in nanoseconds")},
    {"held_ns", TP_PLAIN(F, held_ns),
     TP_DEFINITION("idle time in which the device may have run work that is not recorded, in nanoseconds")},
    {"tree", TP_COMPUTED(TP_AS_RECORD, top_value), .fields = &node_type,
     TP_DEFINITION("time of the analysed steps, divided into parts")},
};
#undef F

const struct tp_fields tp_time_tree_fields = TP_FIELDS("Tree of a device's time", fields);
