/* Finds out what the recorded events lack: see snapshot_parts.h. */
#include "webreport/measure/snapshot/snapshot_parts.h"

const char *tp_window_cut_text(unsigned cut)
{
    static const char *const names[] = {"no history", "state only", "yes", "unknown", "no sign"};
    return names[cut];
}

/* Returns whether an event of a completed free precedes all events of requested frees, near the start. The request was
 * then dropped, because the ring of events was full. */
static bool begins_with_completion(const struct tp_replay *replay)
{
    enum { FIRST_EVENTS = 64 };
    for (size_t i = 0; i < replay->event_count && i < FIRST_EVENTS; i++) {
        if (replay->events[i].action == TP_ACTION_FREE_REQUESTED)
            return false;
        if (replay->events[i].action == TP_ACTION_FREE_COMPLETED && replay->has_requests)
            return true;
    }
    return false;
}

static void count_older_blocks(const struct tp_snapshot_device *device, struct tp_snapshot_window *window)
{
    for (uint32_t i = 0; i < device->replay.start_count; i++) {
        const struct tp_allocator_block *block = tp_replay_block(&device->replay, i);
        window->older_blocks++;
        window->older_bytes += block->size;
        window->older_freed_blocks += block->free_requested != TP_NO_EVENT;
    }
}

/* Counts the blocks that are live at the end and older than the events. Returns whether a live block has a stack. */
static bool count_live_blocks(const struct tp_snapshot_device *device, struct tp_snapshot_window *window)
{
    bool has_stack = false;
    for (size_t i = 0; i < device->end_block_count; i++) {
        const struct tp_allocator_block *block = &device->end_blocks[i];
        if (block->free_requested != TP_NO_EVENT)
            continue;
        has_stack |= block->stack != 0;
        if (block->allocated >= 0)
            continue;
        window->older_live_blocks++;
        window->older_live_bytes += block->size;
        if (block->stack) {
            window->lost_alloc_blocks++;
            window->lost_alloc_bytes += block->size;
        }
    }
    return has_stack;
}

static void list_unrecorded(const struct tp_replay *replay, struct tp_snapshot_window *window)
{
    static const enum tp_snapshot_action actions[] = {TP_ACTION_ALLOC, TP_ACTION_FREE_REQUESTED,
                                                      TP_ACTION_FREE_COMPLETED};
    uint64_t all = 0;
    for (unsigned i = 0; i < 3; i++)
        all += replay->action_counts[actions[i]];
    for (unsigned i = 0; i < 3 && all; i++)
        if (!replay->action_counts[actions[i]])
            window->unrecorded[window->unrecorded_count++] = tp_snapshot_action_text(actions[i]);
}

void tp_snapshot_measure_window(struct tp_snapshot_device *device)
{
    struct tp_snapshot_window *window = &device->window;
    const struct tp_replay *replay = &device->replay;
    count_older_blocks(device, window);
    bool has_stack = count_live_blocks(device, window);
    list_unrecorded(replay, window);
    if (replay->event_count <= 1 && has_stack)
        window->cut = TP_WINDOW_STATE_ONLY;
    else if (!replay->event_count)
        window->cut = TP_WINDOW_NO_HISTORY;
    else if (window->lost_alloc_blocks || begins_with_completion(replay))
        window->cut = TP_WINDOW_CUT;
    else
        window->cut = window->older_blocks ? TP_WINDOW_UNKNOWN : TP_WINDOW_WHOLE;
}
