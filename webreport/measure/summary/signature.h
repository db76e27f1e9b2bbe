/* The work of one usual step of a run: the count of each kind of work, and the operators in their order.
 *
 *
 * Counts are exact where times are not: two runs of one program have equal signatures, and the difference of two
 * signatures names the operator and the line that changed (webreport/compare/work/work_diff.h). A count is the most
 * common one over the steady steps; definitions: docs/definitions.md, section 22. Texts are copies in the summary's
 * arena. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SIGNATURE_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* What a key counts. Numbers are fixed, because files contain them. */
enum tp_count_kind {
    TP_COUNT_OPERATOR, /* name; dims and types of its inputs */
    TP_COUNT_LOADER,   /* an operator inside a range of the data loader */
    /* a copy or set on a device. name, dims: of the operator it counts for; detail: of the operation itself */
    TP_COUNT_COPY,
    TP_COUNT_WAIT,     /* a call that waits for the device. name: the call; dims: outermost operator around it */
    TP_COUNT_KERNEL,   /* a kernel; texts like those of a copy */
    TP_COUNT_LAUNCH,   /* launches of single kernels or of a graph: number of calls */
    TP_COUNT_ALLOCATION, /* memory records that allocate. name: "device 0", the type of the device */
    TP_COUNT_KINDS
};

struct tp_count_key {
    struct tp_str name, dims, detail; /* detail: types of an operator, name of a kernel or copy; "": none */
    int64_t count;                    /* in the most common step */
    uint8_t kind;                     /* enum tp_count_kind */
    bool is_exact;                    /* 90 % of the steady steps, or all but one, have this count */
};

/* An operator of the usual step. */
struct tp_count_call {
    uint32_t key, depth, place; /* indexes in keys and places */
};

/* Blocks that a step allocates and that are not freed before the recording ends, by their owner. */
struct tp_count_kept {
    struct tp_str operator, place; /* outermost operator and place of the allocation; "": none */
    int64_t blocks, bytes;         /* per step: most common number of blocks, mean bytes */
    bool is_exact;                 /* nearly every step keeps this number, and no block was freed late */
};

/* A function of the user that runs inside of the data loader. */
struct tp_count_function {
    struct tp_str place;   /* "train.py(12): transform" */
    /* per step: most common number; own time of a call, the tenth percentile of all calls: a loaded machine delays some
     * calls, but hardly all of them */
    int64_t calls, low_ns;
    uint32_t seen;         /* calls in all steady steps */
    bool is_exact;         /* nearly every step has this number of calls */
};

struct tp_signature {
    uint64_t hash; /* of all keys and counts, including those left out, and of `kept`; 0: no steps, or an old file */
    uint32_t steady_count;     /* number of steps that the counts cover */
    struct tp_count_key *keys; /* by kind, name, dims, detail; each once */
    uint32_t key_count;
    struct tp_str *places; /* [0] is "": unknown. Others: "train.py(12): step", or a path of modules "Net_0/Linear_1" */
    uint32_t place_count;
    struct tp_count_call *calls; /* operators outside of the loader, thread after thread, each in its order */
    uint32_t call_count;
    uint32_t *lanes; /* lane_count + 1 entries: thread i has calls lanes[i] to lanes[i + 1] - 1; longest thread first */
    uint32_t lane_count;
    bool is_cut; /* too many keys: the last ones in their order are left out, and all calls */
    struct tp_count_kept *kept; /* by operator, place */
    uint32_t kept_count;
    struct tp_count_function *functions; /* by place; empty without stacks */
    uint32_t function_count;
    bool knows_kept; /* blocks have addresses, and there are enough steps: blocks not in `kept` were freed */
};

/* Computes the hash again after changes of key texts. Not for a cut signature, which lacks keys. */
void tp_signature_rehash(struct tp_signature *signature);

/* Compares keys in the order of a signature: by kind, name, dims, detail; <0, 0, >0. */
int tp_count_key_compare(const struct tp_count_key *a, const struct tp_count_key *b);

/* Returns a text in the form that keys have: a long text is cut and ends in a hash, with the same result if it was cut
 * before, with its hash, at more bytes. In `arena` if it differs from the input. */
struct tp_str tp_count_cut(struct tp_str text, struct tp_arena *arena);

/* Returns "operator", "loader" .. */
const char *tp_count_kind_text(enum tp_count_kind kind);

/* Returns whether an operator is a node of the backward pass: its work follows from the work of the forward pass. */
bool tp_count_is_backward(struct tp_str name);

#endif
