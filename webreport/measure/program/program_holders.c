/* Guesses which thread owns a lock that others wait for. See program_holders.h and docs/definitions.md, section 23. */
#include "webreport/measure/program/program_holders.h"

#include "webreport/measure/program/program_waits.h"
#include "writer/base/key_sums.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

/* A wait for a lock whose cause was recorded, not estimated. */
struct lock_wait {
    /* piece: index in the tree of the thread slice that is the wait; thread: index in the tree of the waiting thread */
    uint32_t piece, thread;
    uint32_t holder; /* thread that likely held the lock; TP_NO_ID: unknown */
    int64_t length_ns;
};

struct finding {
    struct tp_program_view *view;
    int64_t *ran_ns;         /* for each slice: running time of its thread in all earlier slices */
    struct tp_vec waits;     /* elements: struct lock_wait */
    struct tp_key_sums held; /* sum of wait times for each pair (group, holder), ns */
    /* places: time for each pair (group, function); lines: time for each pair (index in `places`, line) */
    struct tp_key_sums places, lines;
    uint32_t steps_left;
};

/* ---- running time ---- */

/* Returns the last slice of a thread that begins before time_ns; TP_NO_ID if none exists. */
static uint32_t find_slice_before(const struct tp_process_tree *tree, const struct tp_tree_thread *thread,
                                  int64_t time_ns)
{
    uint32_t low = thread->first, high = thread->first + thread->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tree->slices[middle].begin_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low > thread->first ? low - 1 : TP_NO_ID;
}

static int64_t running_ns_until(const struct finding *f, uint32_t at, int64_t time_ns)
{
    if (at == TP_NO_ID)
        return 0;
    const struct tp_thread_slice *piece = &f->view->tree.slices[at];
    int64_t end_ns = piece->end_ns < time_ns ? piece->end_ns : time_ns;
    return f->ran_ns[at] + (piece->state == TP_STATE_RUNNING ? end_ns - piece->begin_ns : 0);
}

/* Returns the last time at which a thread ran during a wait. Returns the start of the wait if the thread did not run.
 * at: index of the thread's last slice that begins before the end of the wait. */
static int64_t last_running_time_during_wait(const struct tp_process_tree *tree, const struct tp_tree_thread *thread,
                                             uint32_t at, const struct tp_thread_slice *wait)
{
    for (; at != TP_NO_ID && at >= thread->first && tree->slices[at].end_ns > wait->begin_ns; at--) {
        const struct tp_thread_slice *piece = &tree->slices[at];
        if (piece->state == TP_STATE_RUNNING)
            return piece->end_ns < wait->end_ns ? piece->end_ns : wait->end_ns;
        if (at == thread->first)
            break;
    }
    return wait->begin_ns;
}

/* ---- owners of locks ---- */

static void count_running_time_of_slices(struct finding *f, struct tp_arena *arena)
{
    const struct tp_process_tree *tree = &f->view->tree;
    f->ran_ns = tp_arena_array(arena, (size_t)tree->slice_count + 1, sizeof *f->ran_ns);
    for (uint32_t t = 0; t < tree->thread_count; t++) {
        int64_t sum = 0;
        for (uint32_t i = tree->threads[t].first; i < tree->threads[t].first + tree->threads[t].count; i++) {
            f->ran_ns[i] = sum;
            if (tree->slices[i].state == TP_STATE_RUNNING)
                sum = tp_sat_add(sum, tree->slices[i].end_ns - tree->slices[i].begin_ns);
        }
    }
}

static void collect_lock_waits(struct finding *f)
{
    const struct tp_process_tree *tree = &f->view->tree;
    for (uint32_t t = 0; t < tree->thread_count; t++)
        for (uint32_t i = tree->threads[t].first; i < tree->threads[t].first + tree->threads[t].count; i++)
            if (tree->slices[i].state == TP_STATE_BLOCKED && tree->slices[i].cause == TP_WAIT_LOCK &&
                !tree->slices[i].is_estimated)
                *(struct lock_wait *)tp_vec_push(&f->waits) =
                    (struct lock_wait){i, t, TP_NO_ID, tree->slices[i].end_ns - tree->slices[i].begin_ns};
}

static int compare_by_length(const void *x, const void *y, const void *context)
{
    const struct lock_wait *a = x, *b = y;
    (void)context;
    return a->length_ns != b->length_ns ? (a->length_ns > b->length_ns ? -1 : 1) : a->piece < b->piece ? -1 : 1;
}

/* Returns the likely holder for a wait: the thread of the same process that ran longest during the wait. Returns
 * TP_NO_ID if another thread ran later during the wait. */
static uint32_t find_likely_holder(struct finding *f, const struct lock_wait *wait)
{
    const struct tp_process_tree *tree = &f->view->tree;
    const struct tp_thread_slice *piece = &tree->slices[wait->piece];
    uint32_t process = tree->threads[wait->thread].process, first = wait->thread, found = TP_NO_ID;
    int64_t most_ns = 0, its_last_ns = 0, last_ns = piece->begin_ns;
    while (first && tree->threads[first - 1].process == process)
        first--;
    for (uint32_t t = first; t < tree->thread_count && tree->threads[t].process == process && f->steps_left; t++) {
        const struct tp_tree_thread *thread = &tree->threads[t];
        if (t == wait->thread || thread->end_ns <= piece->begin_ns || thread->begin_ns >= piece->end_ns)
            continue;
        f->steps_left--;
        uint32_t at = find_slice_before(tree, thread, piece->end_ns);
        int64_t ran_ns = running_ns_until(f, at, piece->end_ns) -
                         running_ns_until(f, find_slice_before(tree, thread, piece->begin_ns), piece->begin_ns);
        int64_t end_ns = ran_ns > 0 ? last_running_time_during_wait(tree, thread, at, piece) : piece->begin_ns;
        last_ns = end_ns > last_ns ? end_ns : last_ns;
        if (ran_ns <= most_ns)
            continue;
        found = t;
        most_ns = ran_ns;
        its_last_ns = end_ns;
    }
    return found != TP_NO_ID && its_last_ns == last_ns ? found : TP_NO_ID;
}

/* Chooses the holder of each group: the thread that is the holder for the longest time, if that time is at least
 * half of the group's examined wait time. */
static void choose_holders_of_groups(struct finding *f, const int64_t *asked_ns)
{
    struct tp_program_waits *waits = &f->view->waits;
    for (uint32_t i = 0; i < tp_keys_count(&f->held.keys); i++) {
        const uint32_t *key = tp_keys_get(&f->held.keys, i);
        struct tp_wait_group *group = &waits->groups[key[0]];
        int64_t ns = tp_key_sums_at(&f->held, i);
        if (ns < asked_ns[key[0]] - ns || (group->holder != TP_NO_ID && ns <= group->held_ns))
            continue;
        group->holder = key[1];
        group->held_ns = ns;
    }
}

/* ---- functions in which the holder was during the wait ---- */

static void add_place(struct finding *f, uint32_t group, struct tp_program_place place, int64_t ns)
{
    if (place.function == TP_NO_ID)
        return;
    tp_key_sums_add(&f->places, group, place.function, ns);
    tp_key_sums_add(&f->lines, tp_keys_find(&f->places.keys, (uint32_t[]){group, place.function}), (uint32_t)place.line,
                    ns);
}

/* Returns the indexes of all samples, sorted by time. */
static struct tp_keyed *samples_by_time(const struct tp_process_tree *tree, struct tp_arena *arena)
{
    const struct tp_trace *trace = tree->trace;
    struct tp_keyed *samples = tp_arena_array(arena, (size_t)trace->sample_count + 1, sizeof *samples);
    for (uint32_t i = 0; i < trace->sample_count; i++)
        samples[i] = (struct tp_keyed){trace->samples[i].ts_ns, i, i};
    tp_sort_keyed(samples, trace->sample_count, arena);
    return samples;
}

static void add_samples(struct finding *f, const struct tp_keyed *samples, const struct lock_wait *wait, uint32_t group)
{
    const struct tp_process_tree *tree = &f->view->tree;
    const struct tp_thread_slice *piece = &tree->slices[wait->piece];
    uint32_t low = 0, high = tree->trace->sample_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (samples[middle].key < piece->begin_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < tree->trace->sample_count && samples[low].key < piece->end_ns && f->steps_left;
         low++, f->steps_left--) {
        const struct tp_sample *sample = &tree->trace->samples[samples[low].item];
        if (sample->thread != tree->threads[wait->holder].row)
            continue;
        tp_program_functions_of_stack(&f->view->functions, sample->stack);
        add_place(f, group, tp_program_functions_place(&f->view->functions),
                  tree->weight_of_sample_ns[samples[low].item]);
    }
}

/* Adds the places where the holder itself waited; used for a holder without samples. */
static void add_waits_of_holder(struct finding *f, const struct lock_wait *wait, uint32_t group)
{
    const struct tp_process_tree *tree = &f->view->tree;
    const struct tp_thread_slice *piece = &tree->slices[wait->piece];
    const struct tp_tree_thread *holder = &tree->threads[wait->holder];
    uint32_t at = find_slice_before(tree, holder, piece->end_ns);
    for (; at != TP_NO_ID && at + 1 > holder->first && tree->slices[at].end_ns > piece->begin_ns && f->steps_left;
         at--) {
        const struct tp_thread_slice *own = &tree->slices[at];
        f->steps_left--;
        if (own->state == TP_STATE_BLOCKED) {
            tp_program_functions_of_stack(&f->view->functions, own->stack);
            int64_t begin_ns = own->begin_ns > piece->begin_ns ? own->begin_ns : piece->begin_ns;
            int64_t end_ns = own->end_ns < piece->end_ns ? own->end_ns : piece->end_ns;
            add_place(f, group, tp_program_functions_place(&f->view->functions), end_ns - begin_ns);
        }
        if (at == holder->first)
            break;
    }
}

static void choose_places_of_holders(struct finding *f)
{
    struct tp_program_waits *waits = &f->view->waits;
    for (uint32_t i = 0; i < tp_keys_count(&f->places.keys); i++) {
        const uint32_t *key = tp_keys_get(&f->places.keys, i);
        struct tp_wait_group *group = &waits->groups[key[0]];
        uint32_t known = group->holder_function != TP_NO_ID
                             ? tp_keys_find(&f->places.keys, (uint32_t[]){key[0], group->holder_function})
                             : TP_NO_ID;
        if (known == TP_NO_ID || tp_key_sums_at(&f->places, i) > tp_key_sums_at(&f->places, known))
            group->holder_function = key[1];
    }
    for (uint32_t i = 0; i < tp_keys_count(&f->lines.keys); i++) {
        const uint32_t *key = tp_keys_get(&f->lines.keys, i), *place = tp_keys_get(&f->places.keys, key[0]);
        struct tp_wait_group *group = &waits->groups[place[0]];
        uint32_t known = tp_keys_find(&f->lines.keys, (uint32_t[]){key[0], (uint32_t)group->holder_line});
        if (group->holder_function == place[1] &&
            (known == TP_NO_ID || tp_key_sums_at(&f->lines, i) > tp_key_sums_at(&f->lines, known)))
            group->holder_line = (int32_t)key[1];
    }
}

static void find_places_of_holders(struct finding *f, const struct tp_keyed *samples, bool are_waits)
{
    const struct lock_wait *waits = f->waits.data;
    for (size_t i = 0; i < f->waits.count; i++) {
        uint32_t number = f->view->waits.group_by_slice[waits[i].piece];
        const struct tp_wait_group *group = &f->view->waits.groups[number];
        if (waits[i].holder == TP_NO_ID || waits[i].holder != group->holder ||
            (are_waits && group->holder_function != TP_NO_ID))
            continue;
        if (are_waits)
            add_waits_of_holder(f, &waits[i], number);
        else
            add_samples(f, samples, &waits[i], number);
    }
    choose_places_of_holders(f);
}

void tp_program_holders_build(struct tp_program_view *view, struct tp_arena *arena)
{
    struct finding f = {.view = view, .waits = TP_VEC(arena, struct lock_wait), .steps_left = TP_MAX_HOLDER_STEPS};
    int64_t *asked_ns = tp_arena_array(arena, (size_t)view->waits.count + 1, sizeof *asked_ns);
    tp_key_sums_init(&f.held, arena);
    tp_key_sums_init(&f.places, arena);
    tp_key_sums_init(&f.lines, arena);
    collect_lock_waits(&f);
    if (!f.waits.count)
        return;
    count_running_time_of_slices(&f, arena);
    tp_merge_sort(arena, f.waits.data, f.waits.count, sizeof(struct lock_wait), compare_by_length, NULL);
    for (size_t i = 0; i < f.waits.count && f.steps_left; i++) {
        struct lock_wait *wait = TP_AT(&f.waits, struct lock_wait, i);
        uint32_t group = view->waits.group_by_slice[wait->piece];
        wait->holder = find_likely_holder(&f, wait);
        asked_ns[group] = tp_sat_add(asked_ns[group], wait->length_ns);
        if (wait->holder != TP_NO_ID)
            tp_key_sums_add(&f.held, group, wait->holder, wait->length_ns);
    }
    choose_holders_of_groups(&f, asked_ns);
    f.steps_left = TP_MAX_HOLDER_STEPS;
    find_places_of_holders(&f, samples_by_time(&view->tree, arena), false);
    find_places_of_holders(&f, NULL, true);
}
