/* Input shapes as torch prints them: the text of the list in Python, with [] for lists of tensors. */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_KEY_SHAPES_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_KEY_SHAPES_H

#include "webreport/model/policy_torch.h"
#include "writer/base/keys.h"

struct tp_key_shapes {
    struct tp_arena *arena;
    struct tp_strings texts;
    struct tp_keys pairs;  /* keys (dims, types); each distinct pair once */
    struct tp_vec text_of; /* for each key of `pairs`: id of the text; elements: uint32_t */
};

void tp_key_shapes_init(struct tp_key_shapes *shapes, struct tp_arena *arena);

/* Returns the id of the text of an item's shapes. An item without shapes has the text "[]". */
uint32_t tp_key_shape_id(struct tp_key_shapes *shapes, const struct tp_torch *torch, uint32_t item);

#endif
