/* What the files that compare the work of two runs share: see work_diff.h. */
#ifndef TP_WEBREPORT_COMPARE_WORK_WORK_PARTS_H
#define TP_WEBREPORT_COMPARE_WORK_WORK_PARTS_H

#include "webreport/compare/work/work_diff.h"

/* A key of either side: what both count, by equal texts. */
struct tp_work_pair {
    struct tp_count_key key; /* texts and kind; its count is not used */
    int64_t count[TP_SIDES];
    bool is_exact[TP_SIDES]; /* also where the side does not have it */
    bool is_behind;          /* behind the last key that a side with too many has kept: nothing is known of it */
    int64_t delta;           /* 0: equal, or set aside */
};

static inline bool tp_work_is_set_aside(const struct tp_work_pair *pair)
{
    return pair->is_behind || !pair->is_exact[TP_BASE] || !pair->is_exact[TP_NEW];
}

/* A comparison on its way. */
struct tp_work_compared {
    struct tp_arena *arena;
    const struct tp_signature *side[TP_SIDES];
    struct tp_work_pair *pairs; /* by kind, name, dims, detail */
    uint32_t pair_count;
    uint32_t *pair_of[TP_SIDES]; /* by key of the side */
    struct tp_vec changes;       /* struct tp_work_change */
    struct tp_vec calls;         /* struct tp_work_group_call */
    struct tp_vec waits;         /* struct tp_work_group_call: waits of the host inside of operators of groups */
    uint32_t group_count;
};

/* A call of an operator of a group. */
struct tp_work_group_call {
    uint32_t group, pair, place; /* place: index in the places of the side */
    uint8_t side;
    bool is_outermost;
};

/* Names what changed among the operators, from their sequences; false: a side has none. */
bool tp_work_name_calls(struct tp_work_compared *c);

/* The same from the counts alone; places where a sequence tells one. */
void tp_work_name_counts(struct tp_work_compared *c);

/* Whether two lists of shapes and of types, [0] and [1], have the same tensors. */
bool tp_work_takes_the_same(const struct tp_str old[2], const struct tp_str now[2]);

/* Marks operators that came in place of costlier or more ones that went: no limit counts them. */
void tp_work_allow_net(struct tp_work_change *changes, size_t count);

/* Of many changes, adds up those of one name and place: another optimizer is told in lines by name, not by shape. */
void tp_work_merge_by_name(struct tp_work_diff *diff);

/* Puts the changes from number `first` on, which are of one place in the step, into a group when some of them went and
 * some came. Each renamed operator is a group by itself when nothing else of the place changed. */
void tp_work_group_place(struct tp_work_compared *c, size_t first);

/* Puts a renamed operator into a group of its own. was: its call in BASE, plus 1. */
void tp_work_group_renamed(struct tp_work_compared *c, struct tp_work_change *change, uint32_t was);

/* Joins groups that share operators, and makes one change of each group that is no plain rename. */
void tp_work_close_groups(struct tp_work_compared *c, struct tp_work_diff *diff);

/* Whether an operator that came replaces others. */
bool tp_work_is_replacement(const struct tp_work_diff *diff, const struct tp_count_key *operator);

/* Joins an operator that went and one that came at the same place with equal tensors: it was renamed. Equal neighbours
 * can lead the alignment to put both apart. */
void tp_work_join_renamed(struct tp_work_compared *c);

/* What another run of the side does not keep as often as `s` is not exact in `s` from then on. */
void tp_work_agree_kept(struct tp_signature *s, const struct tp_signature *other, struct tp_arena *arena);

/* Adds what is kept more or less in a step, by operator and function. */
void tp_work_add_kept(struct tp_work_compared *c);

/* Adds functions of the data loader that are called more or less, or take another time. */
void tp_work_add_functions(struct tp_work_diff *diff, const struct tp_side_input *const sides[TP_SIDES],
                           struct tp_arena *arena);

/* What an operator is as a change: .item(), copy .. */
enum tp_work_change_kind tp_work_kind_of(struct tp_str name);

#endif
