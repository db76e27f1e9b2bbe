/* Counts the work of one usual step of a run, and lists the operators of this step in order.
 *
 * Counts are the same in each run, while times vary. Two runs of one program have equal signatures. The difference of
 * two signatures names the operator and the line that changed (webreport/compare/work/work_diff.h). A count is the most
 * common count over the steady steps (docs/definitions.md, section 22). Texts are copies in the summary's arena. */
#ifndef TP_WEBREPORT_MEASURE_SUMMARY_SIGNATURE_H
#define TP_WEBREPORT_MEASURE_SUMMARY_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Kinds of counted work. The values are fixed, because files contain them. */
enum tp_count_kind {
    TP_COUNT_OPERATOR, /* a call of an operator; texts: operator name, shapes and types of its inputs */
    TP_COUNT_LOADER,   /* a call of an operator inside a range of the data loader */
    /* a copy or set on a device; name and dims: the operator that launched the copy; detail: name of the copy or set */
    TP_COUNT_COPY,
    TP_COUNT_WAIT,   /* a call that waits for the device; name: API call; dims: name of the outermost operator */
    TP_COUNT_KERNEL, /* a kernel; name and dims: the operator that launched the kernel; detail: name of the kernel */
    TP_COUNT_LAUNCH, /* a call that launches a single kernel or a graph */
    TP_COUNT_ALLOCATION, /* an allocation in the memory records; name: type of the device, such as "device 0" */
    TP_COUNT_KINDS
};

struct tp_count_key {
    /* detail: input types of an operator, or name of a kernel or copy; "": no detail */
    struct tp_str name, dims, detail;
    int64_t count; /* number per step that is most common among the steady steps */
    uint8_t kind;  /* value of enum tp_count_kind */
    bool is_exact; /* true: at least 90 % of the steady steps, or all but one, have this count */
};

/* An operator of the usual step. */
struct tp_count_call {
    /* key: index in `keys`; depth: nesting depth of the operator; place: index in `places` */
    uint32_t key, depth, place;
};

/* Memory blocks of one owner that are allocated in a step and not freed before the recording stops. */
struct tp_count_kept {
    /* operator: outermost operator at the allocation; place: place of this operator in the program; "": unknown */
    struct tp_str operator, place;
    int64_t blocks, bytes; /* blocks: most common number of blocks per step; bytes: mean number of bytes per step */
    bool is_exact; /* true: nearly every step leaves this number of blocks unfreed, and no block was freed late */
};

/* A user function that runs inside the data loader. */
struct tp_count_function {
    struct tp_str place; /* text such as "train.py(12): transform" */
    /* calls: most common number of calls per step; low_ns: own time of a fast call, ns (the tenth percentile, which
     * delays on a loaded machine hardly affect) */
    int64_t calls, low_ns;
    uint32_t seen; /* number of calls in all steady steps */
    bool is_exact; /* true if nearly every step has this number of calls */
};

struct tp_signature {
    /* hash of all keys, of their counts and of `kept`, including keys that the length limit removed; 0: no steps, or an
     * old file */
    uint64_t hash;
    uint32_t steady_count;     /* number of steps that the counts cover */
    struct tp_count_key *keys; /* different keys, sorted by kind, name, dims, detail */
    uint32_t key_count;
    /* places[0] is "" (unknown place); the others are texts such as "train.py(12): step" or module paths such as
     * "Net_0/Linear_1" */
    struct tp_str *places;
    uint32_t place_count;
    /* operators outside the data loader, grouped by thread, each thread in its order of execution */
    struct tp_count_call *calls;
    uint32_t call_count;
    /* lane_count + 1 entries, the longest thread first. The calls of thread i are calls[lanes[i]] to calls[lanes[i + 1]
     * - 1] */
    uint32_t *lanes;
    uint32_t lane_count;
    bool is_cut;                /* true: there were too many keys; the last keys and all calls are left out */
    struct tp_count_kept *kept; /* sorted by operator, then place */
    uint32_t kept_count;
    struct tp_count_function *functions; /* sorted by place; empty if the trace has no stacks */
    uint32_t function_count;
    bool are_unfreed_blocks_known; /* true: the trace shows that all blocks except those in `kept` were freed */
};

/* Computes the hash of the signature again after the texts of its keys changed. The signature must be complete (not
 * is_cut), because a cut signature lacks keys. */
void tp_signature_update_hash(struct tp_signature *signature);

/* Compares two keys by kind, name, dims, detail. Returns <0, 0 or >0. */
int tp_count_key_compare(const struct tp_count_key *a, const struct tp_count_key *b);

/* Returns the text in the form that keys have: a text that is too long is shortened and ends in a hash. The result is
 * the same for a text that was already shortened for a row. If the result differs from `text`, it is in `arena`. */
struct tp_str tp_count_shorten_text(struct tp_str text, struct tp_arena *arena);

/* Returns the word for a kind, such as "operator" or "loader". */
const char *tp_count_kind_text(enum tp_count_kind kind);

/* Returns whether the name belongs to an operator of the backward pass, whose work follows from the forward pass. */
bool tp_count_is_backward(struct tp_str name);

#endif
