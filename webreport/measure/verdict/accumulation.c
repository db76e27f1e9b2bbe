/* Implements accumulation.h: finds gradient accumulation. */
#include "webreport/measure/verdict/accumulation.h"

#include "webreport/model/main_thread.h"
#include "writer/base/stats.h"

/* Marks each step in which an event with one of these marks begins. is_main_alone: true to search only the events of
 * the main thread. */
static void mark_steps_with_marked_events(const struct tp_model *model, uint64_t marks, bool is_main_alone,
                                          bool *is_marked)
{
    const struct tp_order *order = model->order;
    uint32_t near = 0;
    uint32_t first = is_main_alone ? order->thread_first[model->host_main] : 0;
    uint32_t end = is_main_alone ? order->thread_first[model->host_main + 1] : order->host_count;
    for (uint32_t i = first; i < end; i++) {
        const struct tp_event *e = &model->trace->events[order->host[i]];
        if (!(model->marks[e->name] & marks))
            continue;
        uint32_t step = tp_step_of_host_time_near(model, e->ts_ns, &near);
        if (step < model->step_count)
            is_marked[step] = true;
    }
}

static uint32_t count_marked_used_steps(const struct tp_model *model, const bool *is_marked)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < model->step_count; s++)
        count += tp_step_is_used(&model->steps[s]) && is_marked[s];
    return count;
}

/* Fills the number of micro-steps per optimizer step: the median distance between two updates. With only one update,
 * the number is at least the number of steps on the longer side of the update. */
static void find_micro_steps_per_update(const struct tp_model *model, struct tp_accumulation *found,
                                        struct tp_arena *arena)
{
    int64_t *distances = tp_arena_array(arena, model->step_count + 1, sizeof *distances);
    uint32_t count = 0, at = 0, before = 0, after = 0;
    bool has_last = false;
    for (uint32_t s = 0; s < model->step_count; s++) {
        if (!tp_step_is_used(&model->steps[s]))
            continue;
        at++;
        if (!found->updates[s])
            continue;
        if (has_last)
            distances[count++] = at;
        else
            before = at;
        has_last = true;
        at = 0;
    }
    after = at;
    found->is_lower_bound = count == 0;
    found->micro_steps_per_step = count            ? (uint32_t)tp_lower_median(distances, count)
                                  : before > after ? before
                                                   : after + 1;
    if (found->micro_steps_per_step < 2)
        found->micro_steps_per_step = 0;
}

struct tp_accumulation tp_accumulation_find(const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_accumulation found = {0};
    bool is_marked = model->step_marker != TP_MARKER_WINDOW && model->step_marker != TP_MARKER_OPTIMIZER;
    if (!is_marked || model->used_count < 2 || model->host_main == TP_NO_ID ||
        !tp_any_name_has_marks(model, TP_MARK_OPTIMIZER_STEP) || !tp_any_name_has_marks(model, TP_MARK_BACKWARD_NODE))
        return found;
    bool *updates = tp_arena_array(arena, model->step_count, sizeof *updates);
    mark_steps_with_marked_events(model, TP_MARK_OPTIMIZER_STEP, true, updates);
    uint32_t updating = count_marked_used_steps(model, updates);
    if (!updating || 2 * updating > model->used_count)
        return found;
    bool *zeroes = tp_arena_array(arena, model->step_count, sizeof *zeroes);
    mark_steps_with_marked_events(model, TP_MARK_ZERO_GRAD, true, zeroes);
    /* every step sets gradients to zero, so no gradient accumulates; updates were skipped */
    if (count_marked_used_steps(model, zeroes) == model->used_count)
        return found;
    bool *has_backward = tp_arena_array(arena, model->step_count, sizeof *has_backward);
    mark_steps_with_marked_events(model, TP_MARK_BACKWARD_NODE, false, has_backward);
    if (count_marked_used_steps(model, has_backward) < model->used_count)
        return found;
    found.updates = updates;
    find_micro_steps_per_update(model, &found, arena);
    return found;
}
