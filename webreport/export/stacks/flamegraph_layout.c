/* Arranges the boxes of a flame graph: merges the stacks of both traces into one tree, and makes boxes from the tree.
 * See flamegraph.h. */
#include "webreport/export/stacks/flamegraph.h"
#include "webreport/trace/frame_pairs.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* a box is drawn if it takes at least 1 / MIN_SHARE of the width, which is a third of a pixel at 1200 pixels */

enum { MIN_SHARE = 3600 };

/* The merged tree of both traces. Node i is path i of `paths`; a parent has a smaller index than its children. */
struct tree {
    struct tp_flame *flame;
    struct tp_arena *arena;
    struct tp_keys paths; /* paths from the root to each node; key: (parent path, name) */
    struct tp_vec values; /* elements: struct value, one for each node */
    uint32_t count;
    /* for each node: its first callee; the next callee of the node's caller */
    uint32_t *first_child, *next_sibling;
    int64_t least; /* smallest value of a callee that gets a box */
};

struct value {
    int64_t self, total, base_value;
};

static struct value *value_of_node(const struct tree *tree, uint32_t node)
{
    return TP_AT(&tree->values, struct value, node);
}

/* Returns an array that maps each path of a trace to the index of its name in flame->names. If a function moved to
 * another line, the baseline uses its name in the trace. */
static uint32_t *number_names(struct tree *tree, const struct tp_folded *folded, bool is_baseline)
{
    uint32_t count = tp_keys_count(&folded->paths), *pairs = NULL;
    uint32_t *number = tp_arena_array(tree->arena, count, sizeof *number);
    struct tp_strings own;
    tp_strings_init(&own, tree->arena, 0);
    for (uint32_t i = 0; i < count; i++)
        number[i] = tp_strings_add(&own, tp_folded_frame_name(folded, i));
    if (is_baseline)
        pairs = tp_frame_pairs(&own, &tree->flame->names, tree->arena);
    for (uint32_t i = 0; i < count; i++)
        number[i] = pairs && pairs[number[i]] != TP_NO_ID ? pairs[number[i]]
                                                          : tp_strings_add(&tree->flame->names, own.items[number[i]]);
    return number;
}

/* Adds the stacks of one trace to the nodes of the tree. is_baseline: true adds to base_value, false to self. */
static void add_values_of_stacks(struct tree *tree, const struct tp_folded *folded, bool is_baseline)
{
    uint32_t count = tp_keys_count(&folded->paths);
    uint32_t *node_of = tp_arena_array(tree->arena, count, sizeof *node_of);
    const uint32_t *name_of = number_names(tree, folded, is_baseline);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t around = tp_keys_get(&folded->paths, i)[0];
        int64_t self = i < folded->values.count ? *TP_AT(&folded->values, int64_t, i) : 0;
        node_of[i] = tp_keys_pair(&tree->paths, around == TP_NO_ID ? TP_NO_ID : node_of[around], name_of[i]);
        while (tree->values.count < tp_keys_count(&tree->paths))
            tp_vec_push(&tree->values);
        struct value *value = value_of_node(tree, node_of[i]);
        if (self > 0 && is_baseline)
            value->base_value = tp_sat_add(value->base_value, self);
        else if (self > 0)
            value->self = tp_sat_add(value->self, self);
    }
}

/* Adds the values of callees to their callers, from the leaves up. `all` becomes box 0 and gets the sum of the
 * outermost functions. */
static void sum_callees(struct tree *tree, struct tp_flame_frame *all)
{
    struct tp_flame *flame = tree->flame;
    for (uint32_t i = tree->count; i-- > 0;) {
        struct value *value = value_of_node(tree, i);
        uint32_t around = tp_keys_get(&tree->paths, i)[0];
        value->total = tp_sat_add(value->total, value->self);
        int64_t *total = around == TP_NO_ID ? &all->value : &value_of_node(tree, around)->total;
        int64_t *before = around == TP_NO_ID ? &all->base_value : &value_of_node(tree, around)->base_value;
        *total = tp_sat_add(*total, value->total);
        *before = tp_sat_add(*before, value->base_value);
        flame->path_count += value->total > 0;
    }
    flame->base_value = all->base_value;
}

/* Returns the total baseline value of nodes that only the baseline has. The value of such a node already includes its
 * callees. */
static int64_t value_of_removed_nodes(const struct tree *tree)
{
    int64_t sum_gone = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        uint32_t around = tp_keys_get(&tree->paths, i)[0];
        if (value_of_node(tree, i)->total == 0 && (around == TP_NO_ID || value_of_node(tree, around)->total > 0))
            sum_gone = tp_sat_add(sum_gone, value_of_node(tree, i)->base_value);
    }
    return sum_gone;
}

static int compare_by_name(const void *context, uint32_t x, uint32_t y)
{
    const struct tree *tree = context;
    uint32_t i = tp_keys_get(&tree->paths, x)[1], k = tp_keys_get(&tree->paths, y)[1];
    return i == k ? 0 : tp_str_compare(tree->flame->names.items[i], tree->flame->names.items[k]);
}

/* Links the callees of each node in the order of their names. Returns the first outermost function. */
static uint32_t link_nodes_by_name(struct tree *tree)
{
    uint32_t *order = tp_arena_array(tree->arena, tree->count, sizeof *order), root = TP_NO_ID;
    tree->first_child = tp_arena_array(tree->arena, tree->count, sizeof *order);
    tree->next_sibling = tp_arena_array(tree->arena, tree->count, sizeof *order);
    for (uint32_t i = 0; i < tree->count; i++) {
        order[i] = i;
        tree->first_child[i] = TP_NO_ID;
    }
    tp_sort_rows(order, tree->count, compare_by_name, tree, tree->arena);
    for (uint32_t i = tree->count; i-- > 0;) {
        uint32_t around = tp_keys_get(&tree->paths, order[i])[0];
        uint32_t *first = around == TP_NO_ID ? &root : &tree->first_child[around];
        tree->next_sibling[order[i]] = *first;
        *first = order[i];
    }
    return root;
}

/* Chooses tree->least, the smallest value of a callee that gets a box, so that the number of boxes is within the limit.
 * Returns the number of boxes. */
static uint32_t choose_smallest_drawn_value(struct tree *tree, int64_t all)
{
    uint32_t count;
    tree->least = all / MIN_SHARE + 1;
    do {
        count = 0;
        for (uint32_t i = 0; i < tree->count; i++)
            count += value_of_node(tree, i)->total >= tree->least;
        if (count > TP_MAX_FLAME_FRAMES)
            tree->least += tree->least / 4 + 1;
    } while (count > TP_MAX_FLAME_FRAMES);
    return count;
}

static void append_box(struct tree *tree, const struct tp_flame_frame *frame)
{
    struct tp_flame *flame = tree->flame;
    flame->frames[flame->count++] = *frame;
    if (frame->depth >= flame->depth)
        flame->depth = frame->depth + 1;
    int64_t step = tp_sat_sub(frame->value, frame->base_value);
    step = step < 0 ? -step : step;
    if (frame->depth > 0 && step > flame->largest_difference)
        flame->largest_difference = step;
}

/* Adds boxes for the callees in the list that begins with `node`, and one box for all small callees. start: position of
 * the first box. open: receives the node of each box. */
static void place_boxes(struct tree *tree, uint32_t node, int64_t start, uint32_t depth, struct tp_vec *open)
{
    struct tp_flame_frame rest = {.name = TP_NO_ID, .depth = depth};
    for (; node != TP_NO_ID; node = tree->next_sibling[node]) {
        const struct value *value = value_of_node(tree, node);
        if (value->total >= tree->least) {
            append_box(tree, &(struct tp_flame_frame){.name = tp_keys_get(&tree->paths, node)[1],
                                                      .depth = depth,
                                                      .start = start,
                                                      .value = value->total,
                                                      .self = value->self,
                                                      .base_value = value->base_value});
            *(uint32_t *)tp_vec_push(open) = node;
            start = tp_sat_add(start, value->total);
        } else if (value->total > 0) {
            rest.merged++;
            rest.value = tp_sat_add(rest.value, value->total);
            rest.base_value = tp_sat_add(rest.base_value, value->base_value);
        }
    }
    rest.start = start;
    if (rest.value >= tree->least) {
        append_box(tree, &rest);
        *(uint32_t *)tp_vec_push(open) = TP_NO_ID;
    }
}

void tp_flame_build(struct tp_flame *flame, const struct tp_folded *folded, const struct tp_folded *baseline,
                    struct tp_arena *arena)
{
    struct tree tree = {.flame = flame, .arena = arena, .values = TP_VEC(arena, struct value)};
    struct tp_flame_frame all = {.name = TP_NO_ID};
    struct tp_vec open = TP_VEC(arena, uint32_t); /* elements: uint32_t; element i is the node of box i + 1 */
    *flame = (struct tp_flame){.metric = folded->metric, .has_baseline = baseline != NULL};
    tp_strings_init(&flame->names, arena, 0);
    tp_keys_init(&tree.paths, arena, 2);
    add_values_of_stacks(&tree, folded, false);
    if (baseline)
        add_values_of_stacks(&tree, baseline, true);
    tree.count = tp_keys_count(&tree.paths);
    sum_callees(&tree, &all);
    flame->removed_value = value_of_removed_nodes(&tree);
    uint32_t first = link_nodes_by_name(&tree), boxes = choose_smallest_drawn_value(&tree, all.value);
    /* room for two boxes per node: one for the node, and one for its small callees */
    flame->frames = tp_arena_array(arena, (size_t)boxes * 2 + 2, sizeof *flame->frames);
    append_box(&tree, &all);
    place_boxes(&tree, first, 0, 1, &open);
    /* places the boxes row by row; place_boxes appends to `open` */
    for (uint32_t i = 0; i < open.count; i++) {
        uint32_t node = *TP_AT(&open, uint32_t, i);
        const struct tp_flame_frame *frame = &flame->frames[i + 1];
        if (node != TP_NO_ID)
            place_boxes(&tree, tree.first_child[node], frame->start, frame->depth + 1, &open);
    }
}
