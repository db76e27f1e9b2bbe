/* Makes memory snapshots for tests. Include cmocka's headers and one_arena.h first. Each test program includes this
 * file once, so everything is static. */
#ifndef TP_TESTS_UNIT_MADE_SNAPSHOT_H
#define TP_TESTS_UNIT_MADE_SNAPSHOT_H

#include "webreport/trace/snapshot/snapshot.h"

#define MIB (1ull << 20)
#define BASE 0x7F0000000000ull

enum { MOST_EVENTS = 64, MOST_BLOCKS = 16 };

struct made_snapshot {
    struct tp_snapshot snapshot;
    struct tp_snapshot_trace trace;
    struct tp_snapshot_event events[MOST_EVENTS];
};

static inline void make_snapshot(struct made_snapshot *made)
{
    *made = (struct made_snapshot){.snapshot = {.arena = &arena,
                                                .pools = TP_VEC(&arena, struct tp_snapshot_pool),
                                                .segments = TP_VEC(&arena, struct tp_snapshot_segment),
                                                .annotations = TP_VEC(&arena, struct tp_snapshot_annotation),
                                                .settings = {.max_split_bytes = -1, .json = "{}"}}};
    tp_vec_push(&made->snapshot.pools);
    tp_strings_init(&made->snapshot.texts, &arena, 0);
    made->snapshot.no_text = tp_strings_add(&made->snapshot.texts, (struct tp_str){"", 0});
    tp_snapshot_stacks_init(&made->snapshot.stacks, &arena);
    made->trace.events = made->events;
    made->snapshot.traces = &made->trace;
    made->snapshot.trace_count = 1;
}

/* Adds a segment of device 0 without blocks. */
static inline struct tp_snapshot_segment *add_segment(struct made_snapshot *made, uint64_t address, uint64_t size)
{
    struct tp_snapshot_segment *segment = tp_vec_push(&made->snapshot.segments);
    *segment = (struct tp_snapshot_segment){.address = address,
                                            .size = size,
                                            .is_small = size <= 2 * MIB,
                                            .blocks = tp_arena_array(&arena, MOST_BLOCKS, sizeof *segment->blocks)};
    return segment;
}

/* Adds a block after the last block of the segment. */
static inline void add_block(struct tp_snapshot_segment *segment, uint64_t size, enum tp_block_state state,
                             uint64_t requested)
{
    uint64_t address = segment->address;
    for (size_t i = 0; i < segment->block_count; i++)
        address += segment->blocks[i].size;
    segment->blocks[segment->block_count++] =
        (struct tp_snapshot_block){.address = address, .size = size, .requested = requested, .state = (uint8_t)state};
}

static inline struct tp_snapshot_event *add_event(struct made_snapshot *made, enum tp_snapshot_action action,
                                                  uint64_t address, uint64_t size)
{
    struct tp_snapshot_event *event = &made->events[made->trace.count++];
    *event = (struct tp_snapshot_event){.address = address,
                                        .size = size,
                                        .time_us = 1000 + 10 * (int64_t)made->trace.count,
                                        .metadata = made->snapshot.no_text,
                                        .category = made->snapshot.no_text,
                                        .action = action};
    return event;
}

static inline void add_free(struct made_snapshot *made, uint64_t address, uint64_t size)
{
    add_event(made, TP_ACTION_FREE_REQUESTED, address, size);
    add_event(made, TP_ACTION_FREE_COMPLETED, address, size);
}

/* Adds the caller of a stack, or its innermost frame. Returns the stack in which the frame was called by `parent`. */
static inline uint32_t add_frame(struct made_snapshot *made, uint32_t parent, const char *file, int64_t line,
                                 const char *name)
{
    struct tp_strings *texts = &made->snapshot.texts;
    const struct tp_snapshot_frame frame = {.line = line,
                                            .file = tp_strings_add(texts, tp_str_of(file)),
                                            .name = tp_strings_add(texts, tp_str_of(name)),
                                            .fx_node = made->snapshot.no_text,
                                            .fx_trace = made->snapshot.no_text};
    uint32_t number = tp_snapshot_stacks_add_frame(&made->snapshot.stacks, &frame);
    return tp_snapshot_stacks_add(&made->snapshot.stacks, parent, number);
}

#endif
