/* Compares the work of two runs: which operators, copies, waits, shapes and types of a step differ, and where.
 *
 * Counts are exact and need no statistics. A key is ignored if its count is not the same in nearly all steps of a side.
 * The changes are the differences between the counts of the keys on both sides. The operators of one typical step per
 * side are aligned to name and locate these changes (docs/definitions.md, section 22). */
#ifndef TP_WEBREPORT_COMPARE_WORK_WORK_DIFF_H
#define TP_WEBREPORT_COMPARE_WORK_WORK_DIFF_H

#include "webreport/compare/sides.h"

enum tp_work_change_kind {
    TP_WORK_CHANGE_ITEM,       /* aten::item, by which the host waits for a value */
    TP_WORK_CHANGE_COPY,       /* aten::clone, aten::contiguous or aten::copy_ */
    TP_WORK_CHANGE_CAST,       /* aten::to or aten::_to_copy */
    TP_WORK_CHANGE_HOST_WAIT,  /* aten::nonzero or aten::is_nonzero */
    TP_WORK_CHANGE_ALLOCATION, /* an operator that allocates, such as empty or zeros */
    TP_WORK_CHANGE_OPERATOR,   /* any other operator */
    TP_WORK_CHANGE_SHAPE,
    TP_WORK_CHANGE_TYPE,
    TP_WORK_CHANGE_RENAMED,
    TP_WORK_CHANGE_REPLACED,  /* a group of operators that replaces other operators */
    TP_WORK_CHANGE_ALGORITHM, /* an unchanged operator launches other kernels than before */
    TP_WORK_CHANGE_OTHER_COPY,
    TP_WORK_CHANGE_KERNELS, /* added or removed kernels without an operator */
    TP_WORK_CHANGE_COPIES,
    TP_WORK_CHANGE_LOADER,
    TP_WORK_CHANGE_WAIT, /* added or removed calls that wait for the device */
    TP_WORK_CHANGE_LAUNCHES,
    TP_WORK_CHANGE_ALLOCATIONS,
    TP_WORK_CHANGE_UNFREED_MEMORY, /* memory blocks that a step allocates and does not free */
    TP_WORK_CHANGE_FUNCTION,       /* a user function in the data loader whose number of calls or time changed */
    TP_WORK_CHANGE_KINDS
};

/* Rules of a budget. Each rule counts one kind of changes in the work. */
enum tp_work_rule {
    TP_WORK_ADDED_OPERATORS,
    TP_WORK_COPIES,
    TP_WORK_WAITS,
    TP_WORK_TYPES,
    TP_WORK_SHAPES,
    TP_WORK_UNFREED_MEMORY,
    /* functions of the data loader; budget limits ignore them, because the machine can change their time */
    TP_WORK_LOADER_FUNCTIONS,
    TP_WORK_RULES
};

struct tp_work_change {
    enum tp_work_change_kind kind;
    struct tp_str name; /* name of the operator, kernel, call or function */
    /* in BASE and NEW: shapes or types if these changed, names for a rename; otherwise [0] shapes and [1] types */
    struct tp_str detail[TP_SIDES];
    struct tp_str dims;  /* for changed kernels or copies: shapes of their operator; else "" */
    struct tp_str place; /* function or module, in the form that the signature uses; "" if unknown */
    int64_t delta;  /* calls per step in NEW minus calls per step in BASE; 0 if only shapes, types or names changed */
    int64_t bytes;  /* for blocks that are not freed: bytes per step in NEW minus bytes per step in BASE; else 0 */
    double ratio;   /* for functions: time of a call in NEW divided by the time in BASE; else 0 */
    uint32_t times; /* number of equal changes per step that are merged into this change */
    bool is_counted_by_limit; /* true: budget limits include the change in their count */
    bool is_consequence;      /* true: a change of the backward pass that another reported change explains */
    /* names of the operators before and after the change if the place of the change is unknown; otherwise "" */
    struct tp_str around[2];
    uint32_t call; /* 1 + index of the call in the signature of its side; 0 if unknown */
    /* for renamed operators: 1 + index of the replaced call in the signature of BASE; 0 if unknown */
    uint32_t replaced_call_index;
    /* each pass of the function has `calls` calls with this name, and the change is call number `nth` (from 0); both
     * are 0 if unknown */
    uint32_t nth, calls;
    /* number (from 1) of the group of operators that replace each other; 0 without a group */
    uint32_t group;
    /* time per step, ns, of the group, or of the operator with other kernels; both are 0 unless NEW is known to be
     * slower */
    int64_t group_ns[TP_SIDES];
    bool is_host; /* true: group_ns is the operators' own host time; false: device time */
    /* source line of the change; 0 if unknown, and `place` then has the line of the function */
    int32_t line;
};

/* A member of a group of operators that replace each other. */
struct tp_work_member {
    uint32_t group; /* number of the group (from 1) */
    int side;       /* TP_BASE for a removed operator, TP_NEW for an added one */
    struct tp_str name, dims;
    double part;  /* share (0 to 1) of all calls with this name and these shapes that belong to the group */
    double calls; /* calls per step as an outermost operator of the group */
};

struct tp_work_diff {
    bool is_known;       /* true: both sides have counts of work */
    bool is_same;        /* true: the steps of both sides do the same work, as far as the counts show */
    bool has_names_only; /* true: only names were compared, because a side lacks shapes or the inputs differ */
    bool are_unfreed_blocks_known; /* true: both sides recorded the memory blocks that are not freed */
    /* true: the sequences of operators were aligned; false: changes have no exact place */
    bool is_aligned;
    /* changes of operators in the order of the step, then changes of copies, kernels, loader, waits, launches and
     * memory */
    struct tp_work_change *changes;
    uint32_t count;
    uint32_t varying_key_count;     /* number of keys that were ignored because their counts vary */
    struct tp_work_member *members; /* members of all groups, sorted by group */
    uint32_t member_count, group_count;
};

/* Returns the number of outermost calls per step on one side of a group. Calls of the backward pass are included only
 * if the group has no other calls. */
double tp_work_group_calls(const struct tp_work_diff *diff, uint32_t group, int side);

/* Returns the kind of the change as text, such as "added .item()" or "removed copy".
 * The text is static. */
const char *tp_work_change_text(const struct tp_work_change *change);

/* Returns the name of the rule, such as "count.added". The text is static. */
const char *tp_work_rule_name(enum tp_work_rule rule);
enum tp_work_rule tp_work_rule_of_change(const struct tp_work_change *change);

/* Returns whether a limit with this rule includes the change in its count. */
bool tp_work_change_has_rule(const struct tp_work_change *change, enum tp_work_rule rule);

/* Returns the number of added or changed items per step that a limit with this rule counts. */
int64_t tp_work_diff_count(const struct tp_work_diff *diff, enum tp_work_rule rule);

/* Returns the calls per step of an operator; -1 if the signature has no counts. */
int64_t tp_signature_operator_calls(const struct tp_signature *signature, struct tp_str name);

#endif
