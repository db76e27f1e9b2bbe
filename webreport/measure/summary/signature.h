/* The work of one usual step of a run: how often it does what, and its operators in their order.
 *
 * Counts are exact where times are not: two runs of one program have equal signatures, and the difference of two
 * signatures names the operator and the line that changed (webreport/compare/work/work_diff.h). A count is the commonest one
 * over the steady steps; definitions: docs/definitions.md, section 22. Texts are copies in the summary's arena. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SIGNATURE_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* What a key counts. Numbers stay: files have them. */
enum tp_count_kind {
    TP_COUNT_OPERATOR, /* name; dims and types of its inputs */
    TP_COUNT_LOADER,   /* the same inside a range of the data loader */
    TP_COUNT_COPY,     /* a copy or set on a device. name, dims: those of the operator it counts for; detail: its own */
    TP_COUNT_WAIT,     /* a call that waits for the device. name: the call; dims: outermost operator around it */
    TP_COUNT_KERNEL,   /* as a copy */
    TP_COUNT_LAUNCH,   /* kernels that were launched one by one, or a graph of them: number of calls */
    TP_COUNT_ALLOCATION, /* memory records that take memory. name: "device 0", the type of the device */
    TP_COUNT_KINDS
};

struct tp_count_key {
    struct tp_str name, dims, detail; /* detail: types of an operator, name of a kernel or copy; "" where none */
    int64_t count;                    /* in the commonest step */
    uint8_t kind;                     /* enum tp_count_kind */
    bool is_exact;                    /* 90 % of the steady steps, or all but one, have this count */
};

/* An operator of the usual step. */
struct tp_count_call {
    uint32_t key, depth, place; /* indexes in keys and places */
};

/* Blocks that a step allocates and nobody gives back before the recording ends, by who allocated them. */
struct tp_count_kept {
    struct tp_str operator, place; /* outermost operator and place of the allocation; "" where none */
    int64_t blocks, bytes;         /* a step: commonest number of blocks, mean bytes */
    bool is_exact;                 /* nearly every step keeps so many, and none was given back late */
};

/* A function of the user that runs inside of the data loader. */
struct tp_count_function {
    struct tp_str place;   /* "train.py(12): transform" */
    int64_t calls, low_ns; /* a step: commonest number; own time of a call, the tenth percentile of all: a loaded machine
                              holds up some calls, and hardly all of them */
    uint32_t seen;         /* calls in all steady steps */
    bool is_exact;         /* nearly every step has so many calls */
};

struct tp_signature {
    uint64_t hash; /* of all keys and counts, those left out and `kept` too; 0: the run has no steps, or is too old a file */
    uint32_t steady_count;     /* steps that counts are about */
    struct tp_count_key *keys; /* by kind, name, dims, detail; each once */
    uint32_t key_count;
    struct tp_str *places; /* [0] is "": unknown. Else "train.py(12): step", or a path of modules "Net_0/Linear_1" */
    uint32_t place_count;
    struct tp_count_call *calls; /* operators outside of the loader, one thread behind the other, each in its order */
    uint32_t call_count;
    uint32_t *lanes; /* lane_count + 1 entries: thread i has calls lanes[i] .. lanes[i + 1]; the one with most first */
    uint32_t lane_count;
    bool is_cut; /* more keys than are kept: the last ones in their order are left out, and all calls */
    struct tp_count_kept *kept; /* by operator, place */
    uint32_t kept_count;
    struct tp_count_function *functions; /* by place; none without stacks */
    uint32_t function_count;
    bool knows_kept; /* blocks have addresses, and there are steps enough: what is not in `kept` was given back */
};

/* Computes the hash again, after the texts of keys have changed. Not of a cut signature: it lacks keys. */
void tp_signature_rehash(struct tp_signature *signature);

/* The order of keys in a signature: by kind, name, dims, detail; <0, 0, >0. */
int tp_count_key_compare(const struct tp_count_key *a, const struct tp_count_key *b);

/* A text as keys have it: a long one is cut and ends in a hash, also when it was cut elsewhere, with its hash, at more
 * bytes. In `arena` where it is another text. */
struct tp_str tp_count_cut(struct tp_str text, struct tp_arena *arena);

/* "operator", "loader" .. */
const char *tp_count_kind_text(enum tp_count_kind kind);

/* Whether an operator is a node of the backward pass: what it does follows from what the forward pass does. */
bool tp_count_is_backward(struct tp_str name);

#endif
