/* Declares state and functions that the files for comparing the work of two runs share. See work_diff.h. */
#ifndef TP_WEBREPORT_COMPARE_WORK_WORK_PARTS_H
#define TP_WEBREPORT_COMPARE_WORK_WORK_PARTS_H

#include "webreport/compare/work/work_diff.h"

/* A key of the work with its counts on both sides. Keys of the two sides are paired if their texts are equal. */
struct tp_work_pair {
    struct tp_count_key key; /* kind and texts of the key; its member `count` is not used */
    int64_t count[TP_SIDES];
    /* true: the count is the same in nearly all steps of the side, or the side lacks the key */
    bool is_exact[TP_SIDES];
    /* true: the count is unknown, because one side stored only the first keys in sorted order, and this key comes
     * later */
    bool is_beyond_stored_keys;
    int64_t delta; /* count of NEW minus count of BASE; 0 if the counts are equal or ignored */
};

static inline bool tp_work_is_ignored(const struct tp_work_pair *pair)
{
    return pair->is_beyond_stored_keys || !pair->is_exact[TP_BASE] || !pair->is_exact[TP_NEW];
}

/* State of the comparison of two signatures. */
struct tp_work_compared {
    struct tp_arena *arena;
    const struct tp_signature *side[TP_SIDES];
    struct tp_work_pair *pairs; /* pairs of keys, sorted by kind, name, dims, detail */
    uint32_t pair_count;
    uint32_t *pair_of_key[TP_SIDES]; /* for each key of the side: index of its pair */
    struct tp_vec changes;           /* elements: struct tp_work_change */
    struct tp_vec calls;             /* elements: struct tp_work_group_call */
    /* elements: struct tp_work_group_call; calls within groups that wait for a value on the host */
    struct tp_vec waits;
    uint32_t group_count;
};

/* A call of an operator that belongs to a group. */
struct tp_work_group_call {
    /* group: number of the group; pair: index in `pairs`; place: index in the places of the side's signature */
    uint32_t group, pair, place;
    uint8_t side;
    bool is_outermost;
};

/* Names and locates the changed operators by aligning sequences of operators. Returns false if a side has no sequence.
 */
bool tp_work_match_calls(struct tp_work_compared *c);

/* Names the changed operators by their counts. Also sets the places that a sequence shows. */
void tp_work_add_unplaced_counts(struct tp_work_compared *c);

/* Returns whether two operators take the same tensors. Element 0 is the list of shapes, element 1 the list of types. */
bool tp_work_has_same_tensors(const struct tp_str old[2], const struct tp_str now[2]);

/* Excludes added operators from limits if they replace removed operators that cost more, or a larger number of removed
 * operators. */
void tp_work_exclude_replacements(struct tp_work_change *changes, size_t count);

/* If there are many changes with the same name and place, merges them into one, so that a new optimizer is listed by
 * operator names without shapes. */
void tp_work_merge_by_name(struct tp_work_diff *diff);

/* Makes a group of the changes with index `first` or higher, which are at one place in the step. The group must have
 * removed and added operators. If all changes are renames, each renamed operator becomes a separate group. */
void tp_work_group_by_place(struct tp_work_compared *c, size_t first);

/* Makes a group of one renamed operator. was: 1 + index in BASE of the call with the old name. */
void tp_work_group_renamed_call(struct tp_work_compared *c, struct tp_work_change *change, uint32_t was);

/* Joins groups that share operators. Makes one change of each group, except for groups that consist only of a
 * rename. */
void tp_work_replace_groups_by_changes(struct tp_work_compared *c, struct tp_work_diff *diff);

/* Returns whether `operator` is one of the new operators in a group of operators that replace others. */
bool tp_work_is_replacement(const struct tp_work_diff *diff, const struct tp_count_key *operator);

/* Turns a removed and an added operator with equal tensors at the same place into a rename. The alignment can separate
 * the two operators if their neighbors are equal. */
void tp_work_join_renamed_operators(struct tp_work_compared *c);

/* Sets is_exact of each entry of kept blocks in `s` to false if `other`, another run of the side, has a different
 * number of these blocks. */
void tp_work_mark_differing_memory(struct tp_signature *s, const struct tp_signature *other, struct tp_arena *arena);

/* Adds changes in the number of blocks per step that are not freed, by operator and function. */
void tp_work_add_unfreed_memory(struct tp_work_compared *c);

/* Returns the kind of change that an operator with this name causes, such as .item() or copy. */
enum tp_work_change_kind tp_work_kind_of_operator(struct tp_str name);

#endif
