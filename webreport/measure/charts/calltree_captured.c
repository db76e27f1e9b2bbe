/* Implements calltree_captured.h. */
#include "webreport/measure/charts/calltree_captured.h"

#include "webreport/model/capture/captured_stack.h"
#include "webreport/model/device_origin.h"

void tp_captured_tree_init(struct tp_captured_tree *tree, struct tp_merge *merge)
{
    struct tp_arena *arena = merge->arena;
    *tree = (struct tp_captured_tree){.merge = merge};
    if (!merge->model->joined)
        return;
    tp_strings_init(&tree->texts, arena, 0);
    tp_keys_init(&tree->entries, arena, 2);
    tp_keys_init(&tree->known, arena, 2);
    tree->labels = TP_VEC(arena, uint32_t);
    tree->nodes = TP_VEC(arena, uint32_t);
    tree->frames = TP_VEC(arena, struct tp_captured_frame);
    tree->mark = tp_merge_add_label(merge, TP_STR("[" TP_FROM_CAPTURE "]"), TP_CALL_PHASE);
}

static uint32_t make_label(struct tp_merge *merge, const struct tp_captured_frame *frame)
{
    if (frame->kind == TP_KIND_MODULE)
        return tp_merge_module_label(merge, frame->text);
    if (frame->kind == TP_KIND_FRAME)
        return tp_merge_add_frame_label(merge, frame->text);
    return tp_merge_add_label(merge, frame->text, frame->kind == TP_KIND_OPERATOR ? TP_CALL_OPERATOR : TP_CALL_PHASE);
}

static uint32_t label_of_frame(struct tp_captured_tree *tree, const struct tp_captured_frame *frame)
{
    uint32_t id = tp_keys_pair(&tree->entries, frame->kind, tp_strings_add(&tree->texts, frame->text));
    if (id == tree->labels.count) {
        uint32_t label = make_label(tree->merge, frame);
        *(uint32_t *)tp_vec_push(&tree->labels) = label;
    }
    return *TP_AT(&tree->labels, uint32_t, id);
}

static uint32_t add_stack(struct tp_captured_tree *tree, uint32_t launch, uint32_t device)
{
    uint32_t node = tp_merge_find_or_add_child(tree->merge, launch, tree->mark);
    tp_captured_stack(tree->merge->model, device, &tree->frames);
    for (size_t i = 0; i < tree->frames.count; i++) {
        uint32_t label = label_of_frame(tree, TP_AT(&tree->frames, struct tp_captured_frame, i));
        if (label != TP_MERGE_SKIPPED)
            node = tp_merge_find_or_add_child(tree->merge, node, label);
    }
    return node;
}

uint32_t tp_captured_tree_descend(struct tp_captured_tree *tree, uint32_t launch, uint32_t device)
{
    const struct tp_joined_row *row = tp_joined_row_of(tree->merge->model, device);
    if (!row)
        return launch;
    if (row->call == TP_NO_ID)
        return add_stack(tree, launch, device);
    uint32_t id = tp_keys_pair(&tree->known, launch, row->call);
    if (id == tree->nodes.count) {
        uint32_t node = add_stack(tree, launch, device);
        *(uint32_t *)tp_vec_push(&tree->nodes) = node;
    }
    return *TP_AT(&tree->nodes, uint32_t, id);
}
