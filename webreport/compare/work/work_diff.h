/* The work of two runs compared: which operators, copies, waits, shapes and types of a step are others, and where.
 *
 * Counts are exact, so there is no statistics here: a key whose count is not the same in nearly all steps of a side is
 * set aside. The difference of the two multisets says what changed; the operators of one usual step a side are aligned
 * only to name and place it (docs/definitions.md, section 22). */
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
    TP_WORK_CHANGE_REPLACED,  /* operators at the place of others */
    TP_WORK_CHANGE_ALGORITHM, /* other kernels of an operator that did not change */
    TP_WORK_CHANGE_OTHER_COPY,
    TP_WORK_CHANGE_KERNELS, /* of no operator */
    TP_WORK_CHANGE_COPIES,
    TP_WORK_CHANGE_LOADER,
    TP_WORK_CHANGE_WAIT, /* a call that waits for the device */
    TP_WORK_CHANGE_LAUNCHES,
    TP_WORK_CHANGE_ALLOCATIONS,
    TP_WORK_CHANGE_KEPT,     /* blocks that nobody gives back */
    TP_WORK_CHANGE_FUNCTION, /* of the user, inside of the data loader: called more or less, or slower or faster */
    TP_WORK_CHANGE_KINDS
};

/* Which limit of a budget a change counts for. */
enum tp_work_rule {
    TP_WORK_ADDED,
    TP_WORK_COPIED,
    TP_WORK_WAITS,
    TP_WORK_TYPES,
    TP_WORK_SHAPES,
    TP_WORK_KEPT,
    TP_WORK_LOADED, /* no gate: a time among them may be the machine's */
    TP_WORK_RULES
};

struct tp_work_change {
    enum tp_work_change_kind kind;
    struct tp_str name;             /* operator, kernel, call .. */
    struct tp_str detail[TP_SIDES]; /* changed: before and after; renamed: the name before; else dims and types */
    struct tp_str dims;             /* of other kernels or copies: shapes of their operator; else "" */
    struct tp_str place;            /* as in the signature; "" */
    int64_t delta;                  /* more of it in a step of NEW; 0: changed, renamed */
    int64_t bytes;                  /* of blocks that nobody gives back: more of them in a step of NEW; else 0 */
    double ratio;                   /* of a function: what its call takes in NEW over what it takes in BASE; else 0 */
    uint32_t times;                 /* equal changes in a step */
    bool is_gated;                  /* a limit counts the change: something was added or changed */
    bool is_consequence;            /* backward of a change that is reported itself */
    struct tp_str around[2];        /* operators before and after it where no place is known; "" */
    uint32_t call;                  /* its number among the calls of its side's signature, plus 1; 0: not known */
    uint32_t was;                   /* of a renamed operator: the call that it replaces, as `call` */
    /* number nth, from 0, of so many calls of its name in each pass of the function; 0, 0 */
    uint32_t nth, calls;
    uint32_t group;                 /* number of a group of operators that replace each other, from 1; 0: no group */
    int64_t group_ns[TP_SIDES];     /* time a step of the group, or of the operator with other kernels; 0, 0: it is not
                                       known to be slower */
    bool is_host;                   /* group_ns is the own time of operators on the host */
    int32_t line;                   /* of the place, once it was found in the source; 0: it is the line of the def */
};

/* An operator of a group of operators that replace each other. */
struct tp_work_member {
    uint32_t group;        /* from 1 */
    int side;              /* TP_BASE: it went, TP_NEW: it came */
    struct tp_str name, dims;
    double part;           /* of all calls of this name and these shapes in a step, the share that is in the group */
    double calls;          /* in the group, in a step; of outermost operators alone */
};

struct tp_work_diff {
    bool is_known;                  /* both sides have counts */
    bool is_same;                   /* their steps do the same, as far as it is told */
    bool is_bare;                   /* by names alone: shapes of one side are not known, or of other inputs */
    bool knows_kept;                /* both sides know what nobody gives back */
    bool is_told;                   /* the sequences were aligned; else changes have no place of their own */
    struct tp_work_change *changes; /* as they come in a step, then copies, kernels, loader, waits, launches, memory */
    uint32_t count;
    uint32_t varying_count; /* keys that were set aside */
    struct tp_work_member *members; /* by group */
    uint32_t member_count, group_count;
};

/* Compares two signatures in `arena` (guard set by the caller). is_bare: names alone. */
void tp_work_diff_build(struct tp_work_diff *diff, const struct tp_signature *base, const struct tp_signature *other,
                        bool is_bare, struct tp_arena *arena);

/* Outermost calls a step of a side of a group; of the backward pass only where the group has no others. */
double tp_work_group_calls(const struct tp_work_diff *diff, uint32_t group, int side);

/* "added .item(): the host waits for the value", "removed copy", "changed shape" .. Static. */
const char *tp_work_change_text(const struct tp_work_change *change);

/* "count.added" .. */
const char *tp_work_rule_name(enum tp_work_rule rule);
enum tp_work_rule tp_work_rule_of(const struct tp_work_change *change);

/* Whether a limit of that rule counts the change. */
bool tp_work_counts_for(const struct tp_work_change *change, enum tp_work_rule rule);

/* How many of a rule came or changed. */
int64_t tp_work_diff_count(const struct tp_work_diff *diff, enum tp_work_rule rule);

/* Calls of an operator in a step of the signature; -1: it has no counts. */
int64_t tp_signature_calls_of(const struct tp_signature *signature, struct tp_str name);

#endif
