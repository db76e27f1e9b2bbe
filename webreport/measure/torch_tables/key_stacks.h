/* Call stacks of torch's event list, as lists of frames with the innermost frame first. A list has the frames of
 * "Call stack" without torch's own frames. A backward operator has the stack of its forward operator
 * (EventList._set_backward_stacktraces). */
#ifndef TP_WEBREPORT_MEASURE_TORCH_TABLES_KEY_STACKS_H
#define TP_WEBREPORT_MEASURE_TORCH_TABLES_KEY_STACKS_H

#include "webreport/model/policy_torch.h"

struct tp_frame_list {
    uint32_t first, count; /* the list is frames[first] to frames[first + count - 1] */
};

struct tp_key_stacks {
    const struct tp_stacks *trie; /* stacks of the trace */
    struct tp_vec frames;         /* elements: uint32_t, frame ids of `trie` */
    struct tp_vec lists;          /* elements: struct tp_frame_list; list 0 is empty */
    uint32_t *list_of;            /* for each item: index in `lists` */
};

/* Builds the stacks in `arena` (guard set by the caller). */
void tp_key_stacks_build(struct tp_key_stacks *stacks, const struct tp_torch *torch, struct tp_arena *arena);

static inline struct tp_frame_list tp_key_stack(const struct tp_key_stacks *stacks, uint32_t item)
{
    return *TP_AT(&stacks->lists, struct tp_frame_list, stacks->list_of[item]);
}

/* Returns the text of the frame with index `at` in `frames`. */
static inline struct tp_str tp_key_frame_text(const struct tp_key_stacks *stacks, uint32_t at)
{
    return tp_stack_frame_text(stacks->trie, *TP_AT(&stacks->frames, uint32_t, at));
}

#endif
