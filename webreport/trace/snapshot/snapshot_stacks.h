/* Stores the distinct call stacks of a snapshot as a tree, in which a stack is a node, and its parent is the stack of
 * the callers. Stack 0 is the empty stack. */
#ifndef TP_WEBREPORT_TRACE_SNAPSHOT_SNAPSHOT_STACKS_H
#define TP_WEBREPORT_TRACE_SNAPSHOT_SNAPSHOT_STACKS_H

#include <stdint.h>

#include "writer/base/keys.h"

/* One frame: texts are ids in tp_snapshot.texts. */
struct tp_snapshot_frame {
    int64_t line; /* 0 for frames of C++ */
    uint32_t file, name;
    uint32_t fx_node;  /* name of a node of torch.fx (fx_node_name); the id of "" if none */
    uint32_t fx_trace; /* stack of the code that torch.fx traced (fx_original_trace); the id of "" if none */
};

struct tp_snapshot_stacks {
    struct tp_keys frames; /* distinct frames; a key is a struct tp_snapshot_frame */
    struct tp_keys nodes;  /* pairs (parent stack, frame); stack id = 1 + number of the pair */
};

void tp_snapshot_stacks_init(struct tp_snapshot_stacks *stacks, struct tp_arena *arena);

uint32_t tp_snapshot_stacks_add_frame(struct tp_snapshot_stacks *stacks, const struct tp_snapshot_frame *frame);

/* Returns the stack in which `frame` was called by the stack `parent`. */
static inline uint32_t tp_snapshot_stacks_add(struct tp_snapshot_stacks *stacks, uint32_t parent, uint32_t frame)
{
    return 1 + tp_keys_pair(&stacks->nodes, parent, frame);
}

/* Returns the number of stacks, including the empty stack. */
static inline uint32_t tp_snapshot_stacks_count(const struct tp_snapshot_stacks *stacks)
{
    return 1 + tp_keys_count(&stacks->nodes);
}

/* Return the innermost frame and the stack of its callers. stack: not 0. */
static inline uint32_t tp_snapshot_stacks_parent(const struct tp_snapshot_stacks *stacks, uint32_t stack)
{
    return tp_keys_get(&stacks->nodes, stack - 1)[0];
}
struct tp_snapshot_frame tp_snapshot_stacks_frame(const struct tp_snapshot_stacks *stacks, uint32_t stack);

#endif
