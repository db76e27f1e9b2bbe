/* Chooses the steps that a report replays if a trace has too many activities: see part_choice.h. */
#include "webreport/what_if/part_choice.h"

#include "writer/base/stats.h"

enum {
    NODES_OF_LAUNCH = 2, /* a graph has a node for the launching call, and a node for the time before it */
    PARTS_OF_MOST = 4    /* a part has at most 1 / PARTS_OF_MOST of the activities that a report replays as a whole */
};

static bool has_operations(const struct tp_model *model, uint32_t launch)
{
    return model->launches.first_device_operation[launch] != TP_NO_ID;
}

uint64_t tp_replay_activities(const struct tp_model *model)
{
    uint64_t count = model->devices.count;
    for (uint32_t i = 0; i < model->launches.count; i++)
        count += has_operations(model, i) ? NODES_OF_LAUNCH : 0;
    return count;
}

/* Returns the number of activities of each step. */
static uint64_t *count_by_step(const struct tp_model *model, struct tp_arena *arena)
{
    uint64_t *counts = tp_arena_array(arena, model->step_count, sizeof *counts);
    for (uint32_t i = 0; i < model->launches.count; i++)
        if (model->launches.step[i] < model->step_count && has_operations(model, i))
            counts[model->launches.step[i]] += NODES_OF_LAUNCH;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        uint32_t launch = model->devices.launch[k];
        if (launch != TP_NO_ID && model->launches.step[launch] < model->step_count)
            counts[model->launches.step[launch]]++;
    }
    return counts;
}

static int64_t length_of(const struct tp_step *step)
{
    return step->end_ns - step->start_ns;
}

/* Returns the index of the first analysed step whose length is the median; of two medians, the smaller one. */
static uint32_t median_step(const struct tp_model *model, struct tp_arena *arena)
{
    int64_t *lengths = tp_arena_array(arena, model->used_count, sizeof *lengths);
    uint32_t count = 0, found = 0;
    for (uint32_t i = 0; i < model->step_count; i++)
        if (tp_step_is_used(&model->steps[i]))
            lengths[count++] = length_of(&model->steps[i]);
    int64_t median = tp_lower_median(lengths, count);
    while (!tp_step_is_used(&model->steps[found]) || length_of(&model->steps[found]) != median)
        found++;
    tp_arena_free_item(arena, lengths, model->used_count * sizeof *lengths);
    return found;
}

bool tp_replay_choose_steps(struct tp_chosen_steps *chosen, const struct tp_model *model, uint64_t most,
                            struct tp_arena *arena)
{
    if (!model->used_count || !model->launches.step || model->step_marker == TP_MARKER_WINDOW)
        return false;
    uint64_t *counts = count_by_step(model, arena), sum;
    uint32_t first = median_step(model, arena), last = first;
    bool can_grow_later = true, can_grow_earlier = true;
    for (sum = counts[first]; can_grow_later || can_grow_earlier;) {
        can_grow_later = can_grow_later && last + 1 < model->step_count && tp_step_is_used(&model->steps[last + 1]) &&
                         sum + counts[last + 1] <= most / PARTS_OF_MOST;
        sum += can_grow_later ? counts[++last] : 0;
        can_grow_earlier = can_grow_earlier && first > 0 && tp_step_is_used(&model->steps[first - 1]) &&
                           sum + counts[first - 1] <= most / PARTS_OF_MOST;
        sum += can_grow_earlier ? counts[--first] : 0;
    }
    if (first == last && first > 0) /* a single step needs the one before it as its lead-in */
        sum += counts[--first];
    tp_arena_free_item(arena, counts, model->step_count * sizeof *counts);
    *chosen = (struct tp_chosen_steps){first, last};
    return sum && sum <= most;
}
