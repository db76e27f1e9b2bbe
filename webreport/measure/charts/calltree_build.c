/* Prunes the merged tree: nodes that are too small become "other", and a chain of frames with nearly equal time becomes
 * one node. Writes the kept nodes in depth-first order. */
#include "webreport/measure/charts/calltree.h"

#include <stdio.h>
#include <stdlib.h>

#include "webreport/measure/charts/calltree_merge.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

enum { PER_MILLE = 1000 };

struct pruning {
    const struct tp_merge *merge;
    const struct tp_calltree_options *options;
    struct tp_calltree *tree;
    struct tp_arena *arena;
    /* thresholds, ns; a node is kept if its device time reaches the first or its host time reaches the second */
    int64_t min_device_ns, min_host_ns;
    bool folds_functions;   /* true: chains of functions become one node, too, not only chains of frames */
    struct tp_vec stack;    /* nodes that are not written yet, the next one last; elements: struct pending */
    struct tp_vec children; /* children of the current node; elements: uint32_t */
};

/* A node that will be written below `parent`. node: index in the merged tree; TP_NO_ID for `other`, the sum of omitted
 * children. */
struct pending {
    uint32_t node, parent;
    struct tp_call other;
};

/* ---- choice of the kept nodes ---- */

static bool has_large_time(const struct pruning *p, int64_t device_ns, int64_t host_ns)
{
    return device_ns >= p->min_device_ns || host_ns >= p->min_host_ns;
}

static bool is_node_kept(const struct pruning *p, uint32_t index)
{
    const struct tp_merge_node *node = tp_merge_node(p->merge, index);
    return has_large_time(p, node->device_ns, node->host_ns);
}

/* Sets the thresholds min_device_ns and min_host_ns. They are usually a thousandth of the total device time and host
 * time. They are larger if more than max_nodes nodes would be kept. */
static void choose_threshold(struct pruning *p, uint32_t max_nodes)
{
    const struct tp_merge_node *root = tp_merge_node(p->merge, 0);
    for (int64_t part = PER_MILLE; part > 1; part -= part / 5 + 1) {
        uint64_t count = 0;
        p->min_device_ns = root->device_ns / part + 1;
        p->min_host_ns = root->host_ns / part + 1;
        for (uint32_t i = 0; i < p->merge->nodes.count; i++)
            count += is_node_kept(p, i);
        if (count <= max_nodes)
            return;
    }
}

static const struct tp_label *node_label(const struct pruning *p, uint32_t node)
{
    return TP_AT(&p->merge->labels, struct tp_label, tp_merge_node(p->merge, node)->label);
}

/* Returns whether a node can be part of a chain: a frame, or in a program also a function. A program is no part if
 * there are several programs. */
static bool can_fold(const struct pruning *p, uint32_t index)
{
    unsigned kind = node_label(p, index)->kind;
    const struct tp_merge_node *node = tp_merge_node(p->merge, index);
    bool is_only_program = kind == TP_CALL_PHASE && node->parent != TP_NO_ID && node->next_sibling == TP_NO_ID &&
                           tp_merge_node(p->merge, node->parent)->first_child == index;
    return kind == TP_CALL_FRAME || (p->folds_functions && (is_only_program || kind > TP_CALL_PHASE));
}

/* Returns the child frame that has at least 98 % of the device time and of the host time of a frame; TP_NO_ID without
 * such a child. */
static uint32_t find_child_with_nearly_all_time(const struct pruning *p, uint32_t index)
{
    const struct tp_merge_node *node = tp_merge_node(p->merge, index);
    if (!can_fold(p, index))
        return TP_NO_ID;
    for (uint32_t c = node->first_child; c != TP_NO_ID; c = tp_merge_node(p->merge, c)->next_sibling) {
        const struct tp_merge_node *below = tp_merge_node(p->merge, c);
        bool takes_device = (__int128)below->device_ns * 100 >= (__int128)node->device_ns * 98;
        bool takes_host = (__int128)below->host_ns * 100 >= (__int128)node->host_ns * 98;
        if (takes_device && takes_host && can_fold(p, c))
            return c;
    }
    return TP_NO_ID;
}

/* Follows a chain of frames in which each frame has nearly all the time of its caller. Returns the last frame. Sets
 * *shown to the innermost module of the chain; without a module, to its innermost frame. */
static uint32_t find_chain_end(const struct pruning *p, uint32_t index, uint32_t *shown)
{
    bool has_module = false;
    *shown = index;
    for (uint32_t next = index; next != TP_NO_ID; next = find_child_with_nearly_all_time(p, index)) {
        index = next;
        bool is_module = node_label(p, index)->is_module;
        if (is_module || !has_module)
            *shown = index;
        has_module |= is_module;
    }
    return index;
}

/* ---- layout ---- */

static int compare_by_size(const void *a, const void *b, const void *context)
{
    const struct pruning *p = context;
    const struct tp_merge_node *x = tp_merge_node(p->merge, *(const uint32_t *)a);
    const struct tp_merge_node *y = tp_merge_node(p->merge, *(const uint32_t *)b);
    if (x->device_ns != y->device_ns)
        return x->device_ns < y->device_ns ? 1 : -1;
    if (x->host_ns != y->host_ns)
        return x->host_ns < y->host_ns ? 1 : -1;
    int order = tp_str_compare(node_label(p, *(const uint32_t *)a)->text, node_label(p, *(const uint32_t *)b)->text);
    return order ? order : (x->label < y->label ? -1 : x->label > y->label);
}

static void add_to_omitted_children(struct tp_call *other, const struct tp_merge_node *node)
{
    other->host_ns = tp_sat_add(other->host_ns, node->host_ns);
    other->device_ns = tp_sat_add(other->device_ns, node->device_ns);
    other->bytes = tp_sat_add(other->bytes, node->bytes);
    other->call_count++; /* the name of "other" shows call_count as the number of omitted nodes */
}

/* Pushes the children of a node on the stack: the largest on top, the sum of the omitted children at the bottom. */
static void push_children_of_node(struct pruning *p, uint32_t node, uint32_t place)
{
    struct tp_call other = {.kind = TP_CALL_OTHER};
    p->children.count = 0;
    for (uint32_t c = tp_merge_node(p->merge, node)->first_child; c != TP_NO_ID;
         c = tp_merge_node(p->merge, c)->next_sibling) {
        if (is_node_kept(p, c))
            *(uint32_t *)tp_vec_push(&p->children) = c;
        else
            add_to_omitted_children(&other, tp_merge_node(p->merge, c));
    }
    uint32_t *items = p->children.data;
    if (p->children.count > 1)
        tp_merge_sort(p->arena, items, p->children.count, sizeof *items, compare_by_size, p);
    if (has_large_time(p, other.device_ns, other.host_ns))
        *(struct pending *)tp_vec_push(&p->stack) = (struct pending){TP_NO_ID, place, other};
    for (size_t i = p->children.count; i-- > 0;)
        *(struct pending *)tp_vec_push(&p->stack) = (struct pending){.node = items[i], .parent = place};
}

static struct tp_call make_call_of_omitted_children(const struct pruning *p, const struct pending *pending)
{
    char name[48];
    struct tp_call call = pending->other;
    int size = snprintf(name, sizeof name, "%llu smaller", (unsigned long long)call.call_count);
    call.name = (struct tp_str){tp_arena_copy(p->arena, name, (size_t)size), (size_t)size};
    call.call_count = 0;
    return call;
}

static struct tp_call make_call_of_node(const struct pruning *p, uint32_t index)
{
    const struct tp_merge_node *node = tp_merge_node(p->merge, index);
    const struct tp_label *label = node_label(p, index);
    struct tp_call call = {.name = label->text,
                           .frame = label->frame,
                           .host_ns = node->host_ns,
                           .device_ns = node->device_ns,
                           .bytes = node->bytes,
                           .call_count = node->call_count,
                           .kind = label->kind};
    bool is_kernel = call.kind == TP_CALL_KERNEL && p->options->show_kernel;
    if (p->options->show)
        call.name = (is_kernel ? p->options->show_kernel : p->options->show)(p->options->context, call.name);
    return call;
}

static void write_nodes(struct pruning *p)
{
    struct tp_vec calls = TP_VEC(p->arena, struct tp_call);
    *(struct pending *)tp_vec_push(&p->stack) = (struct pending){.node = 0, .parent = TP_NO_ID};
    while (p->stack.count) {
        struct pending next = *TP_AT(&p->stack, struct pending, --p->stack.count);
        uint32_t place = (uint32_t)calls.count, node = next.node, shown = node;
        if (node != TP_NO_ID)
            node = find_chain_end(p, node, &shown);
        struct tp_call *call = tp_vec_push(&calls);
        *call = node == TP_NO_ID ? make_call_of_omitted_children(p, &next) : make_call_of_node(p, shown);
        call->parent = next.parent;
        call->depth = next.parent == TP_NO_ID ? 0 : (uint16_t)(TP_AT(&calls, struct tp_call, next.parent)->depth + 1);
        if (node != TP_NO_ID)
            push_children_of_node(p, node, place);
    }
    p->tree->calls = calls.data;
    p->tree->count = (uint32_t)calls.count;
    for (uint32_t i = p->tree->count; i-- > 0;) {
        struct tp_call *call = &p->tree->calls[i];
        if (call->subtree_end <= i)
            call->subtree_end = i + 1;
        if (call->parent != TP_NO_ID && p->tree->calls[call->parent].subtree_end < call->subtree_end)
            p->tree->calls[call->parent].subtree_end = call->subtree_end;
    }
}

static void remove_small_calls(struct tp_calltree *tree, struct tp_merge *merge,
                               const struct tp_calltree_options *options, bool folds_functions, struct tp_arena *arena)
{
    tp_merge_sum_subtrees(merge);
    const struct tp_merge_node *root = tp_merge_node(merge, 0);
    *tree = (struct tp_calltree){
        .merged_count = merge->nodes.count, .is_cut = merge->is_cut, .has_device = root->device_ns > 0};
    if (root->device_ns <= 0 && root->host_ns <= 0)
        return;
    struct pruning pruning = {
        .merge = merge, .options = options, .tree = tree, .arena = arena, .folds_functions = folds_functions};
    pruning.stack = TP_VEC(arena, struct pending);
    pruning.children = TP_VEC(arena, uint32_t);
    choose_threshold(&pruning, options->max_nodes);
    write_nodes(&pruning);
    tp_arena_free_item(arena, merge->nodes.data, merge->nodes.capacity * sizeof(struct tp_merge_node));
}

void tp_calltree_build(struct tp_calltree *tree, const struct tp_model *model,
                       const struct tp_calltree_options *options, struct tp_arena *arena)
{
    struct tp_merge merge;
    tp_merge_build(&merge, model, arena);
    remove_small_calls(tree, &merge, options, false, arena);
}

void tp_calltree_build_from_samples(struct tp_calltree *tree, const struct tp_model *model,
                                    const struct tp_calltree_options *options, struct tp_arena *arena)
{
    struct tp_merge merge;
    tp_merge_add_samples(&merge, model, arena);
    remove_small_calls(tree, &merge, options, false, arena);
    tree->has_samples = true;
    tree->is_untimed = model->trace->input.has_untimed_samples;
}

void tp_calltree_build_from_program(struct tp_calltree *tree, const struct tp_model *model,
                                    const struct tp_program_view *view, const struct tp_calltree_options *options,
                                    struct tp_arena *arena)
{
    struct tp_merge merge;
    tp_merge_init(&merge, model, arena);
    uint32_t longest_stack = tp_merge_add_program(&merge, view, NULL, arena);
    remove_small_calls(tree, &merge, options, true, arena);
    tree->has_samples = tree->is_program = true;
    tree->longest_stack = longest_stack;
}
