/* Stores distinct call stacks: see snapshot_stacks.h. */
#include "webreport/trace/snapshot/snapshot_stacks.h"

#include <string.h>

enum { FRAME_WORDS = sizeof(struct tp_snapshot_frame) / sizeof(uint32_t) };

void tp_snapshot_stacks_init(struct tp_snapshot_stacks *stacks, struct tp_arena *arena)
{
    tp_keys_init(&stacks->frames, arena, FRAME_WORDS);
    tp_keys_init(&stacks->nodes, arena, 2);
}

uint32_t tp_snapshot_stacks_add_frame(struct tp_snapshot_stacks *stacks, const struct tp_snapshot_frame *frame)
{
    uint32_t key[FRAME_WORDS];
    memcpy(key, frame, sizeof key);
    return tp_keys_add(&stacks->frames, key);
}

struct tp_snapshot_frame tp_snapshot_stacks_frame(const struct tp_snapshot_stacks *stacks, uint32_t stack)
{
    struct tp_snapshot_frame frame;
    uint32_t number = tp_keys_get(&stacks->nodes, stack - 1)[1];
    memcpy(&frame, tp_keys_get(&stacks->frames, number), sizeof frame);
    return frame;
}
