/* Compares the work of two runs: which operators, copies, waits, shapes and types of a step differ, and where.
 * Counts are exact and need no statistics; a key whose count is not the same in nearly all steps of a side is ignored.
 * The difference of the two multisets shows the changes. The operators of one typical step per side are aligned only to
 * name and locate them (docs/definitions.md, section 22). */
#ifndef TP_WEBREPORT_COMPARE_WORK_WORK_DIFF_H
#define TP_WEBREPORT_COMPARE_WORK_WORK_DIFF_H

#include "webreport/compare/sides.h"

enum tp_work_change_kind {
    TP_WORK_CHANGE_ITEM,       /* aten::item: the host waits for the value */
    TP_WORK_CHANGE_COPY,       /* clone, contiguous, copy_ */
    TP_WORK_CHANGE_CAST,       /* to, _to_copy */
    TP_WORK_CHANGE_HOST_WAIT,  /* nonzero, is_nonzero */
    TP_WORK_CHANGE_ALLOCATION, /* empty, zeros .. */
    TP_WORK_CHANGE_OPERATOR,   /* any other operator */
    TP_WORK_CHANGE_SHAPE,
    TP_WORK_CHANGE_TYPE,
    TP_WORK_CHANGE_RENAMED,
    TP_WORK_CHANGE_REPLACED,  /* operators in place of others */
    TP_WORK_CHANGE_ALGORITHM, /* other kernels of an operator that did not change */
    TP_WORK_CHANGE_OTHER_COPY,
    TP_WORK_CHANGE_KERNELS, /* kernels without an operator */
    TP_WORK_CHANGE_COPIES,
    TP_WORK_CHANGE_LOADER,
    TP_WORK_CHANGE_WAIT, /* a call that waits for the device */
    TP_WORK_CHANGE_LAUNCHES,
    TP_WORK_CHANGE_ALLOCATIONS,
    TP_WORK_CHANGE_KEPT,     /* blocks that are not freed */
    TP_WORK_CHANGE_FUNCTION, /* user function in the data loader with another number of calls or another time */
    TP_WORK_CHANGE_KINDS
};

/* Limit of a budget that counts a change. */
enum tp_work_rule {
    TP_WORK_ADDED,
    TP_WORK_COPIED,
    TP_WORK_WAITS,
    TP_WORK_TYPES,
    TP_WORK_SHAPES,
    TP_WORK_KEPT,
    TP_WORK_LOADED, /* not gated, because a changed time may come from the machine */
    TP_WORK_RULES
};

struct tp_work_change {
    enum tp_work_change_kind kind;
    struct tp_str name;             /* operator, kernel, call .. */
    struct tp_str detail[TP_SIDES]; /* if changed: before and after; if renamed: the old name; else dims and types */
    struct tp_str dims;             /* shapes of the operator of other kernels or copies, else "" */
    struct tp_str place;            /* function or module as in the signature, or "" */
    int64_t delta;                  /* additional calls per step of NEW; 0 if changed or renamed */
    int64_t bytes;                  /* additional bytes per step of NEW in blocks that are not freed, else 0 */
    double ratio;                   /* time of a function's call in NEW divided by that in BASE, else 0 */
    uint32_t times;                 /* number of equal changes per step */
    bool is_gated;                  /* a limit counts the change: something was added or changed */
    bool is_consequence;            /* backward of a change that is reported itself */
    struct tp_str around[2];        /* operators before and after the change if its place is unknown, else "" */
    uint32_t call;                  /* index in the calls of its side's signature plus 1; 0 if unknown */
    uint32_t was;                   /* call that a renamed operator replaces, counted like `call` */
    /* it is call `nth` (from 0) of `calls` calls of its name in each pass of the function; 0, 0 if unknown */
    uint32_t nth, calls;
    uint32_t group;                 /* number from 1 of its group of operators that replace each other, or 0 */
    /* time per step of the group, or of the operator with other kernels; 0, 0 if it is not known to be slower */
    int64_t group_ns[TP_SIDES];
    bool is_host;                   /* group_ns is the operators' own host time */
    /* line of the change once it was found in the source, else 0 (the place has the line of the def) */
    int32_t line;
};

/* An operator of a group of operators that replace each other. */
struct tp_work_member {
    uint32_t group;        /* from 1 */
    int side;              /* TP_BASE if it was removed, TP_NEW if it was added */
    struct tp_str name, dims;
    double part;           /* share of the calls of this name and these shapes that belongs to the group */
    double calls;          /* calls per step in the group; of outermost operators only */
};

struct tp_work_diff {
    bool is_known;                  /* both sides have counts */
    bool is_same;                   /* the steps of both sides do the same work, as far as known */
    bool is_bare;                   /* only names are compared, because a side lacks shapes or has other inputs */
    bool knows_kept;                /* both sides know the blocks that are not freed */
    bool is_told;                   /* the sequences were aligned; if false, changes have no place of their own */
    /* operators in the order of the step, then copies, kernels, loader, waits, launches, memory */
    struct tp_work_change *changes;
    uint32_t count;
    uint32_t varying_count; /* keys that were ignored because their count varies */
    struct tp_work_member *members; /* by group */
    uint32_t member_count, group_count;
};

/* Returns the outermost calls per step of one side of a group; calls of the backward pass count only if the group has
 * no others. */
double tp_work_group_calls(const struct tp_work_diff *diff, uint32_t group, int side);

/* Returns "added .item(): the host waits for the value", "removed copy", "changed shape" .. Static. */
const char *tp_work_change_text(const struct tp_work_change *change);

/* Returns "count.added" .. Static. */
const char *tp_work_rule_name(enum tp_work_rule rule);
enum tp_work_rule tp_work_rule_of(const struct tp_work_change *change);

/* Returns whether a limit of the rule counts the change. */
bool tp_work_counts_for(const struct tp_work_change *change, enum tp_work_rule rule);

/* Returns the number of added or changed items that the rule counts. */
int64_t tp_work_diff_count(const struct tp_work_diff *diff, enum tp_work_rule rule);

/* Returns the calls of an operator per step of the signature, or -1 if it has no counts. */
int64_t tp_signature_calls_of(const struct tp_signature *signature, struct tp_str name);

#endif
