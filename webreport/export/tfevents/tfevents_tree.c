/* Adds the Graphs tab: operators and phases of a step, with equal callers merged. Kernels are not nodes; the node that
 * called them gets their time. Python frames are omitted. */
#include "webreport/export/tfevents/tfevents_run.h"

#include "webreport/measure/charts/calltree_merge.h"
#include "writer/base/limits.h"

/* place that is not a node: the step itself, or a Python frame directly in the step */

enum { IN_STEP = TP_NO_ID - 1 };

struct tree {
    const struct tp_tf_run *run;
    struct tp_merge merge;
    struct tp_keys paths; /* keys (parent node, name id); the index of a key is also the index of its node */
    struct tp_strings names;
    struct tp_vec nodes; /* nodes of the graph; elements: struct tp_tf_node */
    struct tp_vec last;  /* elements: uint32_t; for each node, index of its newest child */
    uint32_t newest_top_node;
    uint32_t *depth;
};

/* Returns a name in which "::" becomes "." and each character other than letters, digits, "-" and "." becomes "_". */
static struct tp_str clean_name(struct tp_arena *arena, struct tp_str name)
{
    enum { MOST_BYTES = 80 };
    char *out = tp_arena_alloc(arena, MOST_BYTES + 1);
    size_t size = 0;
    for (size_t i = 0; i < name.len && size < MOST_BYTES; i++) {
        char c = name.ptr[i];
        bool is_plain = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '.' || c == '-';
        if (c == ':' && i + 1 < name.len && name.ptr[i + 1] == ':')
            c = '.', i++;
        else if (!is_plain)
            c = '_';
        if (c == '_' && size == 0) /* TensorBoard does not allow an underscore as the first character */
            c = '.';
        out[size++] = c;
    }
    if (size == 0)
        out[size++] = '.';
    return (struct tp_str){out, size};
}

static uint32_t *last_child(struct tree *tree, uint32_t parent)
{
    return parent == TP_NO_ID ? &tree->newest_top_node : TP_AT(&tree->last, uint32_t, parent);
}

/* Returns the child of `parent` with this name; adds the child if it is new. Returns `parent` itself if a new child
 * would exceed the limit of nodes or depth. */
static uint32_t find_or_add_child(struct tree *tree, uint32_t parent, struct tp_str name)
{
    struct tp_arena *arena = tree->run->export->arena;
    uint32_t id = tp_strings_add(&tree->names, clean_name(arena, name));
    uint32_t known = tp_keys_find(&tree->paths, (uint32_t[]){parent, id});
    uint32_t depth = parent == TP_NO_ID ? 0 : tree->depth[parent] + 1;
    if (known != TP_NO_ID)
        return known;
    if (tree->nodes.count >= TP_MAX_GRAPH_NODES || depth >= TP_MAX_GRAPH_DEPTH)
        return parent;
    known = tp_keys_pair(&tree->paths, parent, id);
    struct tp_str clean = tp_strings_get(&tree->names, id);
    struct tp_tf_node *node = tp_vec_push(&tree->nodes);
    *node = (struct tp_tf_node){.name = tp_arena_copy(arena, clean.ptr, clean.len), .parent = parent};
    node->op = node->name;
    node->previous_sibling = *last_child(tree, parent);
    *(uint32_t *)tp_vec_push(&tree->last) = TP_NO_ID;
    *last_child(tree, parent) = known;
    tree->depth[known] = depth;
    return known;
}

/* Returns whether a node of the call tree is a step. The graph has no nodes for steps, so that it opens with the phases
 * of a step. */
static bool is_step_node(const struct tp_merge_node *merged, const struct tp_label *label)
{
    return merged->parent == 0 && label->kind == TP_CALL_PHASE && tp_str_equal(label->text, TP_STR(TP_MERGE_STEP));
}

/* Returns the node at a place, or NULL for a place outside the steps. IN_STEP: returns the node "outside of
 * operators". */
static struct tp_tf_node *graph_node_of_place(struct tree *tree, uint32_t place)
{
    if (place == IN_STEP)
        place = find_or_add_child(tree, TP_NO_ID, TP_STR("outside of operators"));
    return place == TP_NO_ID ? NULL : TP_AT(&tree->nodes, struct tp_tf_node, place);
}

/* Adds the cost of a call tree node, without its children, to a node of the graph. Costs are per step. */
static void add_cost(struct tp_tf_node *node, int64_t device_ns, int64_t host_ns, int64_t bytes, double steps)
{
    node->device_us_per_step += (double)device_ns / 1000 / steps;
    node->bytes_per_step += (double)bytes / steps;
    if (host_ns > 0)
        node->host_us_per_step += (double)host_ns / 1000 / steps;
}

/* Fills the graph from the nodes of the call tree. In this tree, parents come before children, and the time of a node
 * includes its children. */
static void fill_tree_of_operators(struct tree *tree)
{
    struct tp_arena *arena = tree->run->export->arena;
    uint32_t count = (uint32_t)tree->merge.nodes.count;
    uint32_t *place = tp_arena_array(arena, count, sizeof *place);
    /* for each node of the call tree: its innermost Python frame; empty if it has no frame */
    struct tp_str *site = tp_arena_array(arena, count, sizeof *site);
    double steps = tree->run->export->profile->model->step_count;
    int64_t *device_ns = tp_arena_array(arena, count, sizeof *device_ns);
    int64_t *bytes = tp_arena_array(arena, count, sizeof *bytes);
    for (uint32_t i = 0; i < count; i++) {
        device_ns[i] = tp_merge_node(&tree->merge, i)->device_ns;
        bytes[i] = tp_merge_node(&tree->merge, i)->bytes;
    }
    /* fills child_host_ns; also adds children to device_ns and bytes, so that the loop above saved their values */
    tp_merge_sum_subtrees(&tree->merge);
    place[0] = TP_NO_ID;
    for (uint32_t i = 1; i < count; i++) {
        const struct tp_merge_node *merged = tp_merge_node(&tree->merge, i);
        const struct tp_label *label = TP_AT(&tree->merge.labels, struct tp_label, merged->label);
        uint32_t parent = place[merged->parent], above = parent == IN_STEP ? TP_NO_ID : parent;
        bool is_shown = label->kind == TP_CALL_OPERATOR || label->kind == TP_CALL_PHASE;
        place[i] = is_step_node(merged, label) ? IN_STEP
                   : is_shown                  ? find_or_add_child(tree, above, label->text)
                                               : parent;
        site[i] = label->kind == TP_CALL_FRAME && !label->is_module ? label->text : site[merged->parent];
        struct tp_tf_node *node = graph_node_of_place(tree, place[i]);
        if (!node)
            continue;
        add_cost(node, device_ns[i], merged->host_ns - merged->child_host_ns, bytes[i], steps);
        if (place[i] == IN_STEP)
            continue;
        if (is_shown && !node->site && site[i].len)
            node->site = tp_arena_copy(arena, site[i].ptr, site[i].len);
        if (is_shown && place[i] != above)
            node->calls_per_step += (double)merged->call_count / steps;
    }
}

void tp_tf_add_graph(const struct tp_tf_run *run)
{
    struct tp_arena *arena = run->export->arena;
    struct tree tree = {.run = run, .nodes = TP_VEC(arena, struct tp_tf_node), .last = TP_VEC(arena, uint32_t)};
    tree.newest_top_node = TP_NO_ID;
    tree.depth = tp_arena_array(arena, TP_MAX_GRAPH_NODES, sizeof *tree.depth);
    tp_keys_init(&tree.paths, arena, 2);
    tp_strings_init(&tree.names, arena, 0);
    tp_merge_build(&tree.merge, run->export->profile->model, arena);
    fill_tree_of_operators(&tree);
    tp_tfevents_put_graph(run->events, run->last, tree.nodes.data, (uint32_t)tree.nodes.count, arena);
}
