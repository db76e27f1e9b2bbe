/* Declares the state and the functions that the files of tp_inventory_find share. Internal to tensor_inventory*.c. */
#ifndef TP_WEBREPORT_TRACE_ARRAYS_TENSOR_INVENTORY_PARTS_H
#define TP_WEBREPORT_TRACE_ARRAYS_TENSOR_INVENTORY_PARTS_H

#include "webreport/trace/arrays/tensor_inventory.h"
#include "writer/base/buf.h"

struct tp_inventory_search {
    struct tp_arena *arena;
    const struct tp_inventory_options *options;
    struct tp_vec items; /* tensors found so far; elements: struct tp_tensor_item */
    uint32_t worker;     /* number of the worker whose tensors are being searched */
    uint32_t failed_count;
    bool hit_limit, is_of_trace;
};

/* Adds a tensor without a step, with the next position in the order, and returns it. Jumps to the arena's guard if
 * there are too many tensors. */
struct tp_tensor_item *tp_inventory_add(struct tp_inventory_search *search);
/* Reports an input that cannot be used, and counts it. */
void tp_inventory_report_failure(struct tp_inventory_search *search, const char *path, const struct tp_error *why);

/* Adds the tensors recorded in a trace. */
void tp_inventory_add_trace(struct tp_inventory_search *search, const char *path);
/* Adds the arrays of a .npy or .npz file. Reads any other file as a trace and adds its tensors. */
int tp_inventory_add_file(struct tp_inventory_search *search, const char *path, struct tp_error *err);
/* Adds the arrays in .npy and .npz files below a folder. Returns 0 or TP_EIO. */
int tp_inventory_add_folder(struct tp_inventory_search *search, const char *path, struct tp_error *err);

#endif
