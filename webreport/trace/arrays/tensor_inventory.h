/* Finds the tensors of one run: tensors recorded in its traces, or the .npy and .npz files of a folder.
 *
 * A tensor is identified by its name, its step, its worker, and its number among otherwise equal tensors. Workers are
 * compared by position, because their names contain hosts and processes. Everything is in one arena. */
#ifndef TP_WEBREPORT_TRACE_ARRAYS_TENSOR_INVENTORY_H
#define TP_WEBREPORT_TRACE_ARRAYS_TENSOR_INVENTORY_H

#include "webreport/trace/arrays/array.h"
#include "writer/tensor.h"

struct tp_tensor_item {
    struct tp_str name;
    int64_t step; /* TP_NULL_INT if the tensor has no step */
    uint32_t worker, repeat;
    /* position in the order of execution within step and worker; for files, in the order of discovery */
    uint32_t order;
    struct tp_array_place place;
    /* reason why there are no values to compare, such as "not kept"; NULL if there are values */
    const char *why;
    struct tp_str dtype, shape; /* type and shape (JSON) as in the trace; ptr NULL: unknown */
    bool is_bfloat16;           /* two-byte elements are bfloat16 bits */
    bool has_stats;             /* true if the trace has the statistics in the members below */
    struct tp_tensor_stats stats;
};

struct tp_inventory {
    struct tp_tensor_item *items; /* sorted by step, worker and order of execution */
    uint32_t count;
    bool is_of_trace;
};

struct tp_inventory_options {
    /* most bytes of a trace's text and of an archive's content; 0: TP_MAX_INPUT_BYTES */
    uint64_t max_input_bytes;
    bool is_bfloat16; /* true: uint16 arrays whose type no trace records contain bfloat16 bits */
    bool is_strict;
    const char *include; /* pattern for names in folders: see struct tp_run_search */
    void *context;       /* argument for `say` */
    /* Reports an input that cannot be used, and the reason. */
    void (*say)(void *context, const char *path, const struct tp_error *why);
};

/* Finds the tensors of `path`: a trace of any name, a .npy, a .npz, or a folder. If the traces of a folder record
 * tensors, these tensors are returned. Otherwise all .npy and .npz files of the folder are returned.
 *
 * A file's path gives its identity. The last folder whose name is a number ("12", "step_12") is the step, and a folder
 * called *.tensors is the worker. The other parts are the name, with %XX decoded. A member of an archive has the name
 * of the archive followed by its own name; if `path` is the archive, only its own name.
 *
 * `arena`: its guard must be set. Returns 0, TP_ENOTFOUND without a usable input, or TP_ELIMIT. */
int tp_inventory_find(struct tp_inventory *inventory, struct tp_arena *arena, const char *path,
                      const struct tp_inventory_options *options, struct tp_error *err);

/* Returns, for each tensor of `b`, the index of the same tensor in `a`, or TP_NO_ID. The result is in `arena`. */
uint32_t *tp_inventory_match(const struct tp_inventory *a, const struct tp_inventory *b, struct tp_arena *arena);

#endif
