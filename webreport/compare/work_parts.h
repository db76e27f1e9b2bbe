/* What the files that compare the work of two runs share: see work_diff.h. */
#ifndef TP_WEBREPORT_COMPARE_WORK_PARTS_H
#define TP_WEBREPORT_COMPARE_WORK_PARTS_H

#include "webreport/compare/work_diff.h"

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
