/* Infers the steps of a recording without markers from repetitions on the main thread (docs/definitions.md, section 5).
 * Repetitions are calls of a module, backward passes, or a sequence of operators. The number of passes over the events
 * is fixed. */
#include <stdio.h>

#include "webreport/model/loop_body.h"
#include "webreport/model/numbers.h"
#include "webreport/model/steps_parts.h"
#include "webreport/trace/frame.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

enum {
    MIN_REPEATS = 3, /* minimum number of repetitions of a loop */
    MAX_ANCHORS = 8, /* maximum number of names that are tried as anchors for each source */
    /* two iterations agree if they share at least this percentage of the longer iteration's items */
    AGREE_PERCENT = 80,
    FEW_OTHERS = 10,    /* at most one iteration in this number may differ from the typical iteration */
    FEW_OTHERS_BARE = 4 /* same as FEW_OTHERS, for loops without a backward pass, which cannot accumulate gradients */
};

/* Counts of items by name. A name is a name id of the trace, or the number for backward passes. */
struct loop_names {
    uint32_t *count, *first; /* for each name: number of items with the name, and index of the first such item */
    /* for each name: number of items in the typical iteration, and number in the iteration that is compared with it */
    uint32_t *typical, *seen;
    uint32_t size;
};

/* A loop. Each iteration starts with an item that has a certain name. This item is the anchor of the iteration.
 * Iteration i consists of the items start[i] to start[i + 1] - 1. A step starts `shift` items before its anchor, where
 * the body of the loop starts. */
struct loop {
    const struct tp_loop_item *items;
    uint32_t item_count;
    uint32_t *start, count;
    uint32_t *differs,
        different_iteration_count; /* indexes of the iterations that differ from the typical iteration, ascending */
    uint32_t typical_first, typical_length;
    uint32_t shift;
    uint32_t passes; /* number of iterations that form one step */
    bool is_last_whole;
};

/* ---- iterations of a loop ---- */

static uint32_t iteration_end(const struct loop *loop, uint32_t i)
{
    return i + 1 < loop->count ? loop->start[i + 1] : loop->item_count;
}

static int64_t iteration_hash(const struct loop *loop, uint32_t i)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (uint32_t k = loop->start[i]; k < iteration_end(loop, i); k++)
        hash = (hash ^ loop->items[k].name) * UINT64_C(1099511628211);
    return (int64_t)hash;
}

/* Finds the most frequent sequence of names among the iterations. Ignores the last iteration, whose end is unknown.
 * The first iteration with this sequence becomes the typical iteration. */
static void find_typical_iteration(struct loop *loop, struct tp_arena *arena)
{
    uint32_t count = loop->count - 1, best = 0, best_size = 0;
    struct tp_keyed *keys = tp_arena_array(arena, count, sizeof *keys);
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct tp_keyed){iteration_hash(loop, i), i, i};
    tp_sort_keyed(keys, count, arena);
    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && keys[next].key == keys[i].key;)
            next++;
        if (next - i > best_size || (next - i == best_size && keys[i].item < best)) {
            best = keys[i].item;
            best_size = next - i;
        }
    }
    loop->typical_first = loop->start[best];
    loop->typical_length = iteration_end(loop, best) - loop->start[best];
    tp_arena_free_item(arena, keys, count * sizeof *keys);
}

static uint32_t typical_name(const struct loop *loop, uint32_t k)
{
    return loop->items[loop->typical_first + k].name;
}

/* Moves the start of each step to the start of the loop's body. Items before the first anchor that equal the end of
 * the typical iteration belong to the first step. Sets is_last_whole if the last step has all items of the typical
 * iteration. */
static void find_start_of_loop_body(struct loop *loop)
{
    uint32_t length = loop->typical_length, last = loop->start[loop->count - 1], found = 0;
    loop->shift = 0;
    while (loop->shift + 1 < length && loop->shift < loop->start[0] &&
           loop->items[loop->start[0] - 1 - loop->shift].name == typical_name(loop, length - 1 - loop->shift))
        loop->shift++;
    while (found < length && last + found < loop->item_count &&
           loop->items[last + found].name == typical_name(loop, found))
        found++;
    loop->is_last_whole = found >= length - loop->shift;
}

/* ---- comparison of iterations with the typical iteration ---- */

static void count_typical_names(const struct loop *loop, struct loop_names *names, bool is_cleared)
{
    for (uint32_t k = 0; k < loop->typical_length; k++)
        names->typical[typical_name(loop, k)] = is_cleared ? 0 : names->typical[typical_name(loop, k)] + 1;
}

/* Returns true if iteration i and the typical iteration share at least AGREE_PERCENT of the items of the longer
 * iteration. */
static bool is_like_typical_iteration(const struct loop *loop, struct loop_names *names, uint32_t i)
{
    uint32_t length = iteration_end(loop, i) - loop->start[i], common = 0;
    for (uint32_t k = loop->start[i]; k < iteration_end(loop, i); k++) {
        uint32_t name = loop->items[k].name;
        common += names->seen[name]++ < names->typical[name];
    }
    for (uint32_t k = loop->start[i]; k < iteration_end(loop, i); k++)
        names->seen[loop->items[k].name] = 0;
    uint32_t longer = length > loop->typical_length ? length : loop->typical_length;
    return (uint64_t)common * 100 >= (uint64_t)longer * AGREE_PERCENT;
}

/* Lists the iterations that differ from the typical iteration. Ignores the first iteration, which often prepares more,
 * and the last iteration, which find_start_of_loop_body has compared. */
static void find_different_iterations(struct loop *loop, struct loop_names *names)
{
    loop->different_iteration_count = 0;
    count_typical_names(loop, names, false);
    for (uint32_t i = 1; i + 1 < loop->count; i++)
        if (!is_like_typical_iteration(loop, names, i))
            loop->differs[loop->different_iteration_count++] = i;
    count_typical_names(loop, names, true);
}

static bool has_backward(const struct loop *loop, const struct loop_names *names)
{
    for (uint32_t k = 0; k < loop->typical_length; k++)
        if (typical_name(loop, k) == names->size - 1)
            return true;
    return false;
}

/* Joins every k consecutive iterations to one iteration if exactly every k-th iteration has more work, as with gradient
 * accumulation. Returns true if enough joined iterations remain. */
static bool join_accumulation_rounds(struct loop *loop)
{
    const uint32_t *differs = loop->differs;
    if (loop->different_iteration_count < MIN_REPEATS - 1)
        return false;
    uint32_t every = differs[1] - differs[0], last = differs[loop->different_iteration_count - 1], count = 0;
    for (uint32_t i = 1; i < loop->different_iteration_count; i++)
        if (differs[i] - differs[i - 1] != every)
            return false;
    if (every < 2 || differs[0] >= every || loop->count - 1 - last > every)
        return false;
    for (uint32_t i = (differs[0] + 1) % every; i < loop->count; i += every)
        loop->start[count++] = loop->start[i];
    loop->count = count;
    loop->passes = every;
    return count >= MIN_REPEATS;
}

static bool find_iterations_of_loop(struct loop *loop, struct loop_names *names, struct tp_arena *arena)
{
    find_typical_iteration(loop, arena);
    find_start_of_loop_body(loop);
    find_different_iterations(loop, names);
    if (!loop->different_iteration_count)
        return true;
    bool accumulates = has_backward(loop, names);
    if (accumulates && loop->passes == 1 && join_accumulation_rounds(loop)) {
        find_typical_iteration(loop, arena);
        find_start_of_loop_body(loop);
        find_different_iterations(loop, names);
    }
    uint64_t few = accumulates ? FEW_OTHERS : FEW_OTHERS_BARE;
    return loop->different_iteration_count * few <= loop->count;
}

/* ---- anchors of loops ---- */

/* Returns true for a recurrent cell of torch, which is called once for each element of a sequence. */
static bool is_recurrent_cell(struct tp_str module)
{
    static const char *const cells[] = {"GRUCell", "LSTMCell", "RNNCell", NULL};
    return tp_str_is_one_of(tp_frame_module_class(module), cells);
}

static bool may_begin_iteration(const struct tp_model *model, enum tp_step_marker source, uint32_t name)
{
    uint32_t backward = tp_loop_backward_name(model);
    if (source == TP_MARKER_BACKWARD || name == backward)
        return source == TP_MARKER_BACKWARD && name == backward;
    uint64_t marks = model->marks[name];
    return source == TP_MARKER_MODULES
               ? (marks & TP_MARK_MODULE) != 0 && !is_recurrent_cell(model->trace->names.items[name])
               : !(marks & (TP_MARK_MODULE | TP_MARK_DATA_OP | TP_MARK_LOADER));
}

/* Returns the name that follows `last` in the order in which names are tried as anchors: rare names before frequent
 * names. Equally frequent names are in the order in which they first occur. Returns TP_NO_ID if there is no further
 * name. last: TP_NO_ID for the first name. */
static uint32_t find_next_anchor(const struct tp_model *model, const struct loop_names *names,
                                 enum tp_step_marker source, uint32_t last)
{
    uint32_t best = TP_NO_ID;
    for (uint32_t i = 0; i < names->size; i++) {
        if (names->count[i] < MIN_REPEATS || !may_begin_iteration(model, source, i))
            continue;
        bool is_later = last == TP_NO_ID || names->count[i] > names->count[last] ||
                        (names->count[i] == names->count[last] && names->first[i] > names->first[last]);
        bool is_better = best == TP_NO_ID || names->count[i] < names->count[best] ||
                         (names->count[i] == names->count[best] && names->first[i] < names->first[best]);
        if (is_later && is_better)
            best = i;
    }
    return best;
}

static void count_names_of_items(const struct tp_loop_items *items, struct loop_names *names)
{
    memset(names->count, 0, names->size * sizeof *names->count);
    for (uint32_t k = items->count; k-- > 0;) {
        names->count[items->items[k].name]++;
        names->first[items->items[k].name] = k;
    }
}

static void find_anchors_of_name(struct loop *loop, const struct tp_loop_items *items, uint32_t name)
{
    *loop = (struct loop){
        .items = items->items, .item_count = items->count, .start = loop->start, .differs = loop->differs, .passes = 1};
    for (uint32_t k = 0; k < items->count; k++)
        if (items->items[k].name == name)
            loop->start[loop->count++] = k;
}

/* ---- sequences of operators ---- */

static bool is_data_operator(const struct tp_model *model, const struct tp_loop_item *item)
{
    return item->name != tp_loop_backward_name(model) && model->marks[item->name] & TP_MARK_DATA_OP;
}

static uint32_t last_iteration_length(const struct loop *loop)
{
    return loop->typical_length - loop->shift;
}

/* Returns true if all items outside of the loop are operators that make, copy or read tensors. The layers of one call
 * repeat as well, but other operators come before or after them. */
static bool is_all_work_inside_loop(const struct tp_model *model, const struct loop *loop)
{
    uint32_t first = loop->start[0] - loop->shift;
    uint32_t end = loop->start[loop->count - 1] + last_iteration_length(loop);
    for (uint32_t k = 0; k < first; k++)
        if (!is_data_operator(model, &loop->items[k]))
            return false;
    for (uint32_t k = end; k < loop->item_count; k++)
        if (!is_data_operator(model, &loop->items[k]))
            return false;
    return loop->is_last_whole;
}

static struct tp_loop_body make_loop_body(const struct loop *loop)
{
    return (struct tp_loop_body){.items = loop->items,
                                 .start = loop->start,
                                 .count = loop->count,
                                 .shift = loop->shift,
                                 .first = loop->typical_first - loop->shift,
                                 .length = loop->typical_length,
                                 .end = loop->start[loop->count - 1] + last_iteration_length(loop),
                                 .item_count = loop->item_count};
}

/* ---- steps of a loop ---- */

static const struct tp_loop_item *first_item_of_step(const struct loop *loop, uint32_t step)
{
    return &loop->items[loop->start[step] - loop->shift];
}

/* Excludes the last step if the pauses between steps are long, because the pause after the last step is not recorded.
 * Otherwise, a last step without its pause would make the mean step more than 5 % too short. */
static void remove_last_iteration(struct loop *loop)
{
    int64_t gaps_ns = 0,
            all_ns = first_item_of_step(loop, loop->count - 1)->start_ns - first_item_of_step(loop, 0)->start_ns;
    for (uint32_t i = 1; i < loop->count; i++)
        gaps_ns = tp_sat_add(gaps_ns, tp_ns_max(0, tp_sat_sub(first_item_of_step(loop, i)->start_ns,
                                                              first_item_of_step(loop, i)[-1].end_ns)));
    if ((__int128)20 * gaps_ns > (__int128)all_ns * loop->count)
        loop->is_last_whole = false;
}

static int64_t loop_end_ns(const struct loop *loop)
{
    uint32_t last = loop->count - 1;
    return loop->is_last_whole ? loop->items[loop->start[last] + last_iteration_length(loop) - 1].end_ns
                               : first_item_of_step(loop, last)->start_ns;
}

/* Returns the end of the loop, including the device work that was launched during the loop, ns. */
static int64_t work_end_ns(const struct tp_model *model, const struct loop *loop)
{
    int64_t start_ns = first_item_of_step(loop, 0)->start_ns, end_ns = loop_end_ns(loop), last_ns = end_ns;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *launch = tp_launch_of_device(model, k);
        if (launch && launch->ts_ns >= start_ns && launch->ts_ns < end_ns)
            last_ns = tp_ns_max(last_ns, tp_event_end(tp_device_event(model, k)));
    }
    return last_ns;
}

/* Returns true if the loop and its device work cover at least half of the recording. */
static bool is_half_of_work_inside_loop(const struct tp_model *model, const struct loop *loop)
{
    int64_t all_ns = tp_sat_sub(model->last_ns, model->first_ns);
    int64_t loop_ns = tp_sat_sub(work_end_ns(model, loop), first_item_of_step(loop, 0)->start_ns);
    return loop_ns >= all_ns - loop_ns;
}

static void make_steps_of_loop(struct tp_model *model, const struct loop *loop, enum tp_step_marker source,
                               uint32_t name)
{
    uint32_t count = loop->count - !loop->is_last_whole;
    model->step_marker = source;
    model->step_source = source == TP_MARKER_BACKWARD ? TP_NO_ID : name;
    model->step_passes = loop->passes;
    model->repeat_count = 0;
    model->steps = tp_arena_array(model->arena, count, sizeof *model->steps);
    for (uint32_t i = 0; i < count; i++) {
        char digits[16];
        int n = snprintf(digits, sizeof digits, "%u", i);
        struct tp_str step = {tp_arena_copy(model->arena, digits, (size_t)n), (size_t)n};
        int64_t end = i + 1 < loop->count ? first_item_of_step(loop, i + 1)->start_ns : loop_end_ns(loop);
        tp_steps_add(model, step, first_item_of_step(loop, i)->start_ns, end, first_item_of_step(loop, i)->event);
    }
    for (uint32_t i = 0; i < loop->different_iteration_count; i++)
        model->steps[loop->differs[i]].left_out = TP_STEP_DIFFERENT;
}

/* Returns true if a sequence of operators may be a loop. Sets *is_sure to true if the sequence cannot be the layers of
 * one call. */
static bool may_sequence_be_loop(const struct tp_model *model, const struct loop *loop, bool *is_sure)
{
    struct tp_loop_body body = make_loop_body(loop);
    *is_sure = true;
    if (!is_all_work_inside_loop(model, loop) || !tp_loop_has_two_operators(&body))
        return false;
    *is_sure = tp_loop_has_independent_iterations(model, &body);
    return true;
}

/* Makes steps of a loop if its iterations agree and cover at least half of the recording. If the loop may be the layers
 * of one call, only records its name and number of repetitions. Returns true if steps were made. */
static bool infer_from_loop(struct tp_model *model, struct loop_names *names, struct loop *loop,
                            enum tp_step_marker source, uint32_t name)
{
    bool is_sure = true;
    if (!find_iterations_of_loop(loop, names, model->arena) ||
        (source == TP_MARKER_OPERATORS && !may_sequence_be_loop(model, loop, &is_sure)))
        return false;
    remove_last_iteration(loop);
    if (!is_half_of_work_inside_loop(model, loop))
        return false;
    if (is_sure) {
        make_steps_of_loop(model, loop, source, name);
    } else if (!model->repeat_count) {
        model->repeated_name = name;
        model->repeat_count = loop->count;
    }
    return is_sure;
}

static bool infer_from_source(struct tp_model *model, const struct tp_loop_items *items, struct loop_names *names,
                              struct loop *loop, enum tp_step_marker source)
{
    uint32_t name = TP_NO_ID;
    for (unsigned tries = 0; tries < MAX_ANCHORS; tries++) {
        name = find_next_anchor(model, names, source, name);
        if (name == TP_NO_ID)
            return false;
        find_anchors_of_name(loop, items, name);
        if (infer_from_loop(model, names, loop, source, name))
            return true;
    }
    return false;
}

/* Finds the shortest sequence that the items repeat, for loops in which every operator runs more than once per
 * iteration. Ignores data operators before the first and after the last other item. Returns true if the sequence
 * repeats often enough. */
static bool find_repeated_period(const struct tp_model *model, const struct tp_loop_items *items, struct loop *loop)
{
    uint32_t first = 0, end = items->count, *border = loop->start, matched = 0;
    while (first < end && is_data_operator(model, &items->items[first]))
        first++;
    while (end > first && is_data_operator(model, &items->items[end - 1]))
        end--;
    if (first == end)
        return false;
    const struct tp_loop_item *from = &items->items[first];
    /* border[i]: length of the longest sequence, shorter than i + 1, that is both at the start and at the end of the
     * first i + 1 items */
    border[0] = 0;
    for (uint32_t i = 1; i < end - first; i++) {
        while (matched && from[i].name != from[matched].name)
            matched = border[matched - 1];
        matched += from[i].name == from[matched].name;
        border[i] = matched;
    }
    uint32_t period = end - first - matched;
    find_anchors_of_name(loop, items, TP_NO_ID);
    for (uint32_t k = first; k < end; k += period)
        loop->start[loop->count++] = k;
    return loop->count >= MIN_REPEATS;
}

/* Tries all kinds of repetitions. has_ranges: true to treat user ranges as items. */
static void infer_from_items(struct tp_model *model, bool has_ranges)
{
    static const enum tp_step_marker sources[] = {TP_MARKER_MODULES, TP_MARKER_BACKWARD, TP_MARKER_OPERATORS};
    struct tp_arena *arena = model->arena;
    struct tp_loop_items items = tp_loop_items_collect(model, has_ranges, arena);
    struct loop_names names = {.size = model->trace->names.count + 1};
    uint32_t *numbers = tp_arena_array(arena, (size_t)4 * names.size, sizeof *numbers);
    struct loop loop = {.start = tp_arena_array(arena, items.count, sizeof *loop.start),
                        .differs = tp_arena_array(arena, items.count, sizeof *loop.differs)};
    names.count = numbers;
    names.first = numbers + names.size;
    names.typical = numbers + (size_t)2 * names.size;
    names.seen = numbers + (size_t)3 * names.size;
    memset(numbers, 0, (size_t)4 * names.size * sizeof *numbers);
    count_names_of_items(&items, &names);
    for (unsigned s = has_ranges ? 2 : 0; s < sizeof sources / sizeof *sources && !model->step_count; s++)
        infer_from_source(model, &items, &names, &loop, sources[s]);
    if (!model->step_count && find_repeated_period(model, &items, &loop))
        infer_from_loop(model, &names, &loop, TP_MARKER_OPERATORS, loop.items[loop.start[0]].name);
    tp_arena_free_item(arena, loop.differs, items.count * sizeof *loop.differs);
    tp_arena_free_item(arena, loop.start, items.count * sizeof *loop.start);
    tp_arena_free_item(arena, numbers, (size_t)4 * names.size * sizeof *numbers);
}

struct tp_str tp_step_source_name(const struct tp_model *model)
{
    if (model->step_marker == TP_MARKER_BACKWARD)
        return TP_STR("backward");
    struct tp_str name = model->trace->names.items[model->step_source];
    return model->step_marker == TP_MARKER_MODULES ? tp_frame_module_class(name) : name;
}

void tp_steps_infer(struct tp_model *model)
{
    if (model->host_main == TP_NO_ID)
        return;
    infer_from_items(model, false);
    if (!model->step_count)
        infer_from_items(model, true);
}
