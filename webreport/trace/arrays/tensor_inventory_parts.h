/* Declares the state and functions that the files of tp_inventory_find share. Internal to the inventory. */
#ifndef TP_WEBREPORT_TRACE_ARRAYS_TENSOR_INVENTORY_PARTS_H
#define TP_WEBREPORT_TRACE_ARRAYS_TENSOR_INVENTORY_PARTS_H

#include "webreport/trace/arrays/tensor_inventory.h"
#include "writer/base/buf.h"

struct tp_inventory_search {
    struct tp_arena *arena;
    const struct tp_inventory_options *options;
    struct tp_vec items; /* found tensors as struct tp_tensor_item */
    uint32_t worker;     /* worker of the tensors that are currently searched */
    uint32_t failed_count;
    bool hit_limit, is_of_trace;
};

/* Adds an item without a step, with the next position in the order. Jumps to the arena's guard if there are too many
 * items. */
struct tp_tensor_item *tp_inventory_add(struct tp_inventory_search *search);
/* Counts and reports an input that cannot be used. */
void tp_inventory_report(struct tp_inventory_search *search, const char *path, const struct tp_error *why);

/* Adds the tensors recorded in a trace. */
void tp_inventory_trace(struct tp_inventory_search *search, const char *path);
/* Adds the tensors of a .npy file, a .npz file, or otherwise of a trace. */
int tp_inventory_file(struct tp_inventory_search *search, const char *path, struct tp_error *err);
/* Adds the .npy and .npz files below a folder. Returns 0 or TP_EIO. */
int tp_inventory_folder(struct tp_inventory_search *search, const char *path, struct tp_error *err);

#endif
