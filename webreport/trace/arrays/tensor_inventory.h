/* Finds the tensors of one run: those recorded in its traces, or the .npy and .npz files of a folder.
 *
 * A tensor is identified by its name, its step, its worker (by position, since names of workers contain hosts and
 * processes), and its number among the tensors equal in all of these. Everything is in one arena. */
#ifndef TP_WEBREPORT_TRACE_ARRAYS_TENSOR_INVENTORY_H
#define TP_WEBREPORT_TRACE_ARRAYS_TENSOR_INVENTORY_H

#include "webreport/trace/arrays/array.h"
#include "writer/tensor.h"

struct tp_tensor_item {
    struct tp_str name;
    int64_t step; /* TP_NULL_INT: none */
    uint32_t worker, repeat;
    uint32_t order; /* order of execution within step and worker; for files the order of discovery */
    struct tp_array_place place;
    const char *why;            /* why there are no values to compare: "not kept" ..; NULL: there are values */
    struct tp_str dtype, shape; /* as in the trace, shape as JSON; ptr NULL: unknown */
    bool is_bfloat16;           /* two-byte elements are bfloat16 bits */
    bool has_stats;             /* the trace has the following statistics */
    struct tp_tensor_stats stats;
};

struct tp_inventory {
    struct tp_tensor_item *items; /* in order of step, worker, execution */
    uint32_t count;
    bool is_of_trace;
};

struct tp_inventory_options {
    uint64_t max_input_bytes; /* limit of a trace's text, and of an archive's content; 0: TP_MAX_INPUT_BYTES */
    bool is_bfloat16;         /* uint16 arrays whose type no trace records are bfloat16 bits */
    bool is_strict;
    const char *include; /* pattern for folders: see struct tp_run_search */
    void *context;       /* argument of say */
    /* Reports an input that cannot be used, and why. */
    void (*say)(void *context, const char *path, const struct tp_error *why);
};

/* Finds the tensors of `path`: a trace of any name, a .npy, a .npz, or a folder. If the traces of a folder record
 * tensors, these are the tensors; else all of its .npy and .npz files are: the last folder of the path whose name is a
 * number ("12", "step_12") is the step, folders called *.tensors are workers, the other parts are the name, with %XX
 * decoded. The name of an archive's member is that of the archive and its own; if `path` is the archive, only its own.
 * `arena`: guard set by the caller. Returns 0; TP_ENOTFOUND without a usable input; TP_ELIMIT. */
int tp_inventory_find(struct tp_inventory *inventory, struct tp_arena *arena, const char *path,
                      const struct tp_inventory_options *options, struct tp_error *err);

/* Returns for each tensor of `b` the index of the same tensor in `a`, or TP_NO_ID; in the arena. */
uint32_t *tp_inventory_match(const struct tp_inventory *a, const struct tp_inventory *b, struct tp_arena *arena);

#endif
