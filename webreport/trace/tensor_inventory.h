/* The tensors of one run: what its traces say was recorded, or the .npy and .npz files of a folder.
 *
 * A tensor is known by its name, its step, the worker it is of (by position, since names of workers hold hosts and
 * processes), and which of those equal in all that it is. Everything lives in one arena. */
#ifndef TP_WEBREPORT_TRACE_TENSOR_INVENTORY_H
#define TP_WEBREPORT_TRACE_TENSOR_INVENTORY_H

#include "webreport/trace/array.h"
#include "writer/tensor.h"

struct tp_tensor_item {
    struct tp_str name;
    int64_t step; /* TP_NULL_INT: none */
    uint32_t worker, repeat;
    uint32_t order; /* of execution within step and worker; of discovery for files */
    struct tp_array_place place;
    const char *why;            /* there are no values to compare: "not kept" ..; NULL: there are */
    struct tp_str dtype, shape; /* as a trace says them, shape as JSON; ptr NULL: unknown */
    bool is_bfloat16;           /* two-byte elements are its bits */
    bool has_stats;             /* a trace tells: */
    struct tp_tensor_stats stats;
};

struct tp_inventory {
    struct tp_tensor_item *items; /* in order of step, worker, execution */
    uint32_t count;
    bool is_of_trace;
};

struct tp_inventory_options {
    uint64_t max_input_bytes; /* of a trace's text, and of what an archive holds; 0: TP_MAX_INPUT_BYTES */
    bool is_bfloat16;         /* uint16 arrays that no trace tells about are bfloat16's bits */
    bool is_strict;
    const char *include; /* of folders: see struct tp_run_search */
    void *context;       /* for say */
    /* An input that cannot be used, and why. */
    void (*say)(void *context, const char *path, const struct tp_error *why);
};

/* Finds the tensors of `path`: a trace of any name, a .npy, a .npz, or a folder. A folder with traces that tell of
 * tensors is taken at their word; else all of its .npy and .npz files are tensors: the last folder on the way whose
 * name is a number ("12", "step_12") is the step, folders called *.tensors are workers, the rest is the name, with %XX
 * decoded. An archive's members are called after it and themselves; in an archive that is named itself, after
 * themselves. `arena`: guard set by the caller. Returns 0; TP_ENOTFOUND for nothing usable; TP_ELIMIT. */
int tp_inventory_find(struct tp_inventory *inventory, struct tp_arena *arena, const char *path,
                      const struct tp_inventory_options *options, struct tp_error *err);

/* For each of `b` the place of the same tensor in `a`, or TP_NO_ID; in the arena. */
uint32_t *tp_inventory_match(const struct tp_inventory *a, const struct tp_inventory *b, struct tp_arena *arena);

#endif
