/* Merges the call trees of both sides. See difftree.h. */
#include "webreport/compare/two/difftree.h"

#include <math.h>

#include "webreport/trace/frame_pairs.h"
#include "writer/base/sort.h"

/* A node of the merged tree. Nodes are in the order of first appearance, so that a parent comes before its children. */
struct node {
    double ns[TP_SIDES], calls[TP_SIDES];
    uint32_t parent, name;
    /* indexes of nodes, set by link_nodes_by_size; children are sorted by size, largest first */
    uint32_t first_child, next_sibling;
    uint8_t kind;
};

struct merge {
    struct tp_arena *arena;
    struct tp_strings names;
    struct tp_keys edges; /* keys (parent + 1, name, kind); the index of a key is also the index of its node */
    struct tp_vec nodes;  /* elements: struct node */
    struct tp_strings frames[TP_SIDES];
    uint32_t *frame_pairs;       /* pairs of frames of both sides, made by tp_frame_pairs */
    uint32_t *name_of_new_frame; /* for each frame of NEW: index in `names` of its name */
};

static struct node *merge_node_at(const struct merge *merge, uint32_t node)
{
    return TP_AT(&merge->nodes, struct node, node);
}

/* ---- frames ---- */

static void collect_frames_of_tree(struct merge *merge, const struct tp_calltree *tree, int side)
{
    for (uint32_t i = 0; i < tree->count; i++)
        if (tree->calls[i].frame.len)
            tp_strings_add(&merge->frames[side], tree->calls[i].frame);
}

static void name_frames(struct merge *merge, const struct tp_calltree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++)
        if (tree->calls[i].frame.len)
            merge->name_of_new_frame[tp_strings_find(&merge->frames[TP_NEW], tree->calls[i].frame)] =
                tp_strings_add(&merge->names, tree->calls[i].name);
}

/* Pairs the frames of both sides, for all trees. */
static void pair_frames(struct merge *merge, const struct tp_sides *sides,
                        const struct tp_calltree *const trees[TP_SIDES])
{
    for (int s = 0; s < TP_SIDES; s++) {
        tp_strings_init(&merge->frames[s], merge->arena, 0);
        for (uint32_t r = 0; r < sides->side[s].input->run_count; r++)
            collect_frames_of_tree(merge, &trees[s][r], s);
    }
    merge->frame_pairs = tp_frame_pairs(&merge->frames[TP_BASE], &merge->frames[TP_NEW], merge->arena);
    merge->name_of_new_frame = tp_arena_array(merge->arena, merge->frames[TP_NEW].count, sizeof(uint32_t));
    for (uint32_t r = 0; r < sides->side[TP_NEW].input->run_count; r++)
        name_frames(merge, &trees[TP_NEW][r]);
}

/* Returns the id of the name of a call. names: new names of generated kernels in the run of the call; may be NULL. */
static uint32_t call_name_id(struct merge *merge, const struct tp_call *call, int side,
                             const struct tp_numbered_names *names)
{
    if (names && (call->kind == TP_CALL_OPERATOR || call->kind == TP_CALL_KERNEL))
        return tp_strings_add(&merge->names, tp_numbered_new_name(names, call->name));
    uint32_t frame =
        side == TP_BASE && call->frame.len ? tp_strings_find(&merge->frames[TP_BASE], call->frame) : TP_NO_ID;
    uint32_t as_new = frame == TP_NO_ID ? TP_NO_ID : merge->frame_pairs[frame];
    return as_new == TP_NO_ID ? tp_strings_add(&merge->names, call->name) : merge->name_of_new_frame[as_new];
}

/* ---- nodes ---- */

/* The tree of one run. */
struct run_tree {
    const struct tp_calltree *tree;
    const struct tp_numbered_names *names; /* new names of generated kernels; NULL without new names */
    int side;
    double per_step; /* 1 / number of steps of the side */
};

static void add_calls_of_tree(struct merge *merge, const struct run_tree *run, bool has_device)
{
    const struct tp_calltree *tree = run->tree;
    int side = run->side;
    uint32_t *node_of = tp_arena_array(merge->arena, tree->count, sizeof *node_of);
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct tp_call *call = &tree->calls[i];
        uint32_t above = call->parent == TP_NO_ID ? 0 : node_of[call->parent] + 1;
        uint32_t key[3] = {above, call_name_id(merge, call, side, run->names), call->kind};
        uint32_t node = tp_keys_add(&merge->edges, key);
        if (node == merge->nodes.count)
            *(struct node *)tp_vec_push(&merge->nodes) =
                (struct node){.parent = above ? above - 1 : TP_NO_ID, .name = key[1], .kind = call->kind};
        struct node *own = merge_node_at(merge, node);
        own->ns[side] += (double)(has_device ? call->device_ns : call->host_ns) * run->per_step;
        own->calls[side] += (double)call->call_count * run->per_step;
        node_of[i] = node;
    }
}

static double node_size_ns(const struct node *node)
{
    return fmax(node->ns[TP_BASE], node->ns[TP_NEW]);
}

static int compare_by_size(const void *context, uint32_t x, uint32_t y)
{
    const struct merge *merge = context;
    const struct node *a = merge_node_at(merge, x), *b = merge_node_at(merge, y);
    double p = node_size_ns(a), q = node_size_ns(b);
    if (p != q)
        return p > q ? -1 : 1;
    if (a->name != b->name)
        return tp_str_compare(merge->names.items[a->name], merge->names.items[b->name]);
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static void link_nodes_by_size(struct merge *merge)
{
    uint32_t count = (uint32_t)merge->nodes.count, *order = tp_arena_array(merge->arena, count, sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        merge_node_at(merge, i)->first_child = merge_node_at(merge, i)->next_sibling = TP_NO_ID;
    }
    tp_sort_rows(order, count, compare_by_size, merge, merge->arena);
    for (uint32_t i = count; i-- > 0;) {
        struct node *node = merge_node_at(merge, order[i]);
        if (node->parent == TP_NO_ID)
            continue;
        node->next_sibling = merge_node_at(merge, node->parent)->first_child;
        merge_node_at(merge, node->parent)->first_child = order[i];
    }
}

static void append_call_of_node(struct tp_difftree *tree, const struct merge *merge, uint32_t node, uint32_t parent)
{
    const struct node *own = merge_node_at(merge, node);
    struct tp_diffcall *call = &tree->calls[tree->count];
    *call = (struct tp_diffcall){.name = merge->names.items[own->name],
                                 .ns = {own->ns[TP_BASE], own->ns[TP_NEW]},
                                 .calls = {own->calls[TP_BASE], own->calls[TP_NEW]},
                                 .parent = parent,
                                 .kind = own->kind};
    if (parent != TP_NO_ID) {
        call->depth = (uint16_t)(tree->calls[parent].depth + 1);
        tree->largest = fmax(tree->largest, fabs(own->ns[TP_NEW] - own->ns[TP_BASE]));
    }
    tree->count++;
}

/* Fills the calls of the result in depth-first order, starting at node 0. */
static void append_calls_in_order(struct tp_difftree *tree, struct merge *merge)
{
    struct open {
        uint32_t next, call; /* next: child to visit next; call: index of the node in the result */
    };
    struct tp_vec open = TP_VEC(merge->arena, struct open);
    append_call_of_node(tree, merge, 0, TP_NO_ID);
    *(struct open *)tp_vec_push(&open) = (struct open){merge_node_at(merge, 0)->first_child, 0};
    while (open.count) {
        struct open *top = TP_AT(&open, struct open, open.count - 1);
        uint32_t node = top->next, parent = top->call;
        if (node == TP_NO_ID) {
            tree->calls[parent].subtree_end = tree->count;
            open.count--;
            continue;
        }
        top->next = merge_node_at(merge, node)->next_sibling;
        append_call_of_node(tree, merge, node, parent);
        *(struct open *)tp_vec_push(&open) = (struct open){merge_node_at(merge, node)->first_child, tree->count - 1};
    }
}

/* Returns whether every tree has device times. If not, host times are compared. */
static bool do_all_trees_have_device_times(const struct tp_sides *sides,
                                           const struct tp_calltree *const trees[TP_SIDES])
{
    for (int s = 0; s < TP_SIDES; s++)
        for (uint32_t r = 0; r < sides->side[s].input->run_count; r++)
            if (trees[s][r].count && !trees[s][r].has_device)
                return false;
    return true;
}

void tp_difftree_build(struct tp_difftree *tree, const struct tp_sides *sides,
                       const struct tp_calltree *const trees[TP_SIDES], const struct tp_numbered_runs *renamed,
                       struct tp_arena *arena)
{
    struct merge merge = {.arena = arena, .nodes = TP_VEC(arena, struct node)};
    *tree = (struct tp_difftree){0};
    if (!trees[TP_BASE] || !trees[TP_NEW])
        return;
    tree->has_device = do_all_trees_have_device_times(sides, trees);
    tp_strings_init(&merge.names, arena, 0);
    tp_keys_init(&merge.edges, arena, 3);
    pair_frames(&merge, sides, trees);
    for (int s = 0; s < TP_SIDES; s++) {
        double steps = (double)sides->side[s].recorded_step_count;
        for (uint32_t r = 0; r < sides->side[s].input->run_count; r++) {
            const struct run_tree run = {&trees[s][r], renamed->runs[s] ? renamed->runs[s][r] : NULL, s,
                                         1 / (steps > 0 ? steps : 1)};
            add_calls_of_tree(&merge, &run, tree->has_device);
        }
    }
    if (merge.nodes.count == 0)
        return;
    link_nodes_by_size(&merge);
    tree->calls = tp_arena_array(arena, merge.nodes.count, sizeof *tree->calls);
    append_calls_in_order(tree, &merge);
}

void tp_calltree_copy(struct tp_calltree *kept, const struct tp_calltree *tree, struct tp_arena *arena)
{
    struct tp_strings names, frames;
    *kept = *tree;
    kept->calls = tp_arena_array(arena, tree->count, sizeof *kept->calls);
    tp_strings_init(&names, arena, 0);
    tp_strings_init(&frames, arena, 0);
    for (uint32_t i = 0; i < tree->count; i++) {
        kept->calls[i] = tree->calls[i];
        kept->calls[i].frame = tp_strings_get(&frames, tp_strings_add(&frames, tree->calls[i].frame));
        kept->calls[i].name = tp_strings_get(&names, tp_strings_add(&names, tree->calls[i].name));
    }
}
