/* Finds the tensors of one run: those recorded in its traces, or those in the .npy and .npz files of a folder.
 *
 * Name, step, worker and repeat number identify a tensor. The repeat number counts tensors that are equal in the other
 * three. Workers are compared by position, because worker names contain host names and process ids. All memory is from
 * one arena. */
#ifndef TP_WEBREPORT_TRACE_ARRAYS_TENSOR_INVENTORY_H
#define TP_WEBREPORT_TRACE_ARRAYS_TENSOR_INVENTORY_H

#include "webreport/trace/arrays/array.h"
#include "writer/tensor.h"

struct tp_tensor_item {
    struct tp_str name;
    int64_t step; /* step number; TP_NULL_INT if the tensor has no step */
    uint32_t worker, repeat;
    /* position in the order of execution within step and worker; for files, in the order in which they were found */
    uint32_t order;
    struct tp_array_place place;
    /* reason why there are no values to compare, such as "values were not kept"; NULL if there are values */
    const char *why;
    struct tp_str dtype, shape; /* type and shape (JSON) as in the trace; ptr NULL if unknown */
    bool is_bfloat16;           /* true if elements of two bytes are bfloat16 numbers */
    bool has_stats;             /* true if the trace has statistics of the tensor, stored in `stats` */
    struct tp_tensor_stats stats;
};

struct tp_inventory {
    struct tp_tensor_item *items; /* tensors sorted by step, worker and order of execution */
    uint32_t count;
    bool is_of_trace;
};

struct tp_inventory_options {
    /* maximum size of a trace's text and of an archive's contents, bytes; 0 for TP_MAX_INPUT_BYTES */
    uint64_t max_input_bytes;
    bool is_bfloat16; /* true: uint16 arrays contain bfloat16 numbers unless a trace records their type */
    bool is_strict;
    const char *include; /* pattern for the names of files in folders: see struct tp_run_search */
    void *context;       /* first argument of `say` */
    /* Called for each input that cannot be used, with the reason. */
    void (*say)(void *context, const char *path, const struct tp_error *why);
};

/* Finds the tensors of `path`: a trace (with any file name), a .npy, a .npz, or a folder. Returns the tensors that the
 * traces of a folder record. If none exist, returns the arrays in all .npy and .npz files of the folder.
 *
 * The path of a file identifies its tensor. The last folder with a number as its name ("12", "step_12") is the step,
 * and a folder *.tensors is the worker. The other parts are the name, with %XX decoded. An array in an archive has the
 * archive's name followed by its own; if `path` is the archive, only its own.
 *
 * Allocates from `arena`, whose guard must be set. Returns 0, TP_ENOTFOUND if no input is usable, or TP_ELIMIT. */
int tp_inventory_find(struct tp_inventory *inventory, struct tp_arena *arena, const char *path,
                      const struct tp_inventory_options *options, struct tp_error *err);

/* Returns an array, allocated in `arena`, with one element for each tensor of `b`: the index of the same tensor in `a`,
 * or TP_NO_ID. */
uint32_t *tp_inventory_match(const struct tp_inventory *a, const struct tp_inventory *b, struct tp_arena *arena);

#endif
