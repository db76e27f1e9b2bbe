/* State and functions shared by the files that compare the work of two runs: see work_diff.h. */
#ifndef TP_WEBREPORT_COMPARE_WORK_WORK_PARTS_H
#define TP_WEBREPORT_COMPARE_WORK_WORK_PARTS_H

#include "webreport/compare/work/work_diff.h"

/* A key with its counts on both sides; keys correspond by equal texts. */
struct tp_work_pair {
    struct tp_count_key key; /* its count is not used */
    int64_t count[TP_SIDES];
    bool is_exact[TP_SIDES]; /* true as well if the side lacks the key */
    /* sorted after the last key that a side with too many keys has kept, so its count is unknown */
    bool is_behind;
    int64_t delta;           /* NEW minus BASE; 0 if equal or ignored */
};

static inline bool tp_work_is_set_aside(const struct tp_work_pair *pair)
{
    return pair->is_behind || !pair->is_exact[TP_BASE] || !pair->is_exact[TP_NEW];
}

/* State of a comparison. */
struct tp_work_compared {
    struct tp_arena *arena;
    const struct tp_signature *side[TP_SIDES];
    struct tp_work_pair *pairs; /* by kind, name, dims, detail */
    uint32_t pair_count;
    uint32_t *pair_of[TP_SIDES]; /* by key of the side */
    struct tp_vec changes;       /* struct tp_work_change */
    struct tp_vec calls;         /* struct tp_work_group_call */
    struct tp_vec waits;         /* struct tp_work_group_call: host waits inside operators of groups */
    uint32_t group_count;
};

/* A call of an operator of a group. */
struct tp_work_group_call {
    uint32_t group, pair, place; /* place: index in the places of the side */
    uint8_t side;
    bool is_outermost;
};

/* Names the changed operators from the sequences. Returns false if a side has no sequence. */
bool tp_work_name_calls(struct tp_work_compared *c);

/* Names the changed operators from the counts; adds places if a sequence shows them. */
void tp_work_name_counts(struct tp_work_compared *c);

/* Returns whether two lists of shapes [0] and types [1] have the same tensors. */
bool tp_work_takes_the_same(const struct tp_str old[2], const struct tp_str now[2]);

/* Marks operators that replace costlier or more operators; no limit counts them. */
void tp_work_allow_net(struct tp_work_change *changes, size_t count);

/* Sums changes with the same name and place if there are many, so that another optimizer is listed by name, not by
 * shape. */
void tp_work_merge_by_name(struct tp_work_diff *diff);

/* Makes a group of the changes from number `first` on, which belong to one place in the step, if it has both removed
 * and added operators. If only renames changed the place, each renamed operator is a group. */
void tp_work_group_place(struct tp_work_compared *c, size_t first);

/* Makes a group of a renamed operator. was: its call in BASE, plus 1. */
void tp_work_group_renamed(struct tp_work_compared *c, struct tp_work_change *change, uint32_t was);

/* Joins groups that share operators, and makes one change of each group that is not just a rename. */
void tp_work_close_groups(struct tp_work_compared *c, struct tp_work_diff *diff);

/* Returns whether an added operator replaces others. */
bool tp_work_is_replacement(const struct tp_work_diff *diff, const struct tp_count_key *operator);

/* Joins a removed and an added operator with equal tensors at the same place to a rename. Equal neighbours can make the
 * alignment separate them. */
void tp_work_join_renamed(struct tp_work_compared *c);

/* Marks the kept blocks of `s` as not exact if another run of the side keeps them another number of times. */
void tp_work_agree_kept(struct tp_signature *s, const struct tp_signature *other, struct tp_arena *arena);

/* Adds changes of kept blocks per step, by operator and function. */
void tp_work_add_kept(struct tp_work_compared *c);

/* Returns the kind of change of an operator by its name: .item(), copy .. */
enum tp_work_change_kind tp_work_kind_of(struct tp_str name);

#endif
