/* Finds calls that ranks wait in, and which ranks are missing there: see flight_decision.h.
 *
 * A rank that has an older entry of the group, or whose recorder has overwritten nothing, never entered a call that its
 * dump lacks, because the recorder loses the oldest calls first. */
#include "webreport/measure/flight/flight_decision.h"
#include "writer/base/sort.h"

/* The state of one instance. All vectors have elements uint32_t. */
struct state {
    struct tp_flight_decision *d;
    const struct tp_flight_instance *instance;
    const struct tp_flight_group_of_ranks *group;
    struct tp_vec waiting, failed, done, not_joined, unsure, behind;
    bool has_failed_ranks, has_missing_dump;
};

static void add(struct tp_vec *ranks, uint32_t rank)
{
    *(uint32_t *)tp_vec_push(ranks) = rank;
}

/* ---- missing ranks ---- */

/* Classifies a rank of the group that has no entry of the call. */
static void classify_missing(struct state *s, uint32_t number)
{
    const struct tp_flight_job *job = s->d->job;
    uint32_t index = job->rank_index[number];
    if (index == TP_NO_ID) {
        s->has_missing_dump = true;
        add(&s->unsure, number);
        return;
    }
    const struct tp_flight_rank *rank = tp_flight_rank_at(job, index);
    uint32_t at = tp_id_map_get(&job->reached_of, tp_id_pair(s->instance->group, index));
    const struct tp_flight_reached none = {-1, -1};
    const struct tp_flight_reached *reached =
        at == TP_NO_ID ? &none : TP_AT(&job->reached, struct tp_flight_reached, at);
    if (!rank->call_count && rank->leaves_calls_out)
        add(&s->unsure, number);
    /* the number of a call can be unknown, which is -1; then nobody counts as missing */
    else if (reached->last > s->instance->sequence || reached->enqueued >= s->instance->sequence)
        add(&s->done, number);
    else if (at != TP_NO_ID || !rank->overwritten)
        add(&s->not_joined, number);
    else
        add(&s->unsure, number);
}

static void find_missing(struct state *s)
{
    const struct tp_flight_job *job = s->d->job;
    uint32_t k = 0;
    for (uint32_t i = 0; i < s->group->rank_count; i++) {
        uint32_t rank = s->group->ranks[i];
        while (k < s->instance->count && tp_flight_rank_number(job, job->joined[s->instance->first + k]) < rank)
            k++;
        if (k == s->instance->count || tp_flight_rank_number(job, job->joined[s->instance->first + k]) != rank)
            classify_missing(s, rank);
    }
}

/* ---- ranks in the call ---- */

/* Returns whether a collective cannot end before all its ranks have entered it. */
static bool needs_all_ranks(struct tp_str op)
{
    static const char *const starts[] = {"allreduce",   "all_reduce",     "allgather",       "all_gather", "_allgather",
                                         "_all_gather", "reduce_scatter", "_reduce_scatter", "barrier",    "alltoall",
                                         "all_to_all",  "allto_all",      "all_toall",       NULL};
    return tp_str_starts_with_one_of(op, starts);
}

/* Adds the ranks that have an entry. With gives_up, ranks without states that retired the call gave up waiting. */
static void classify_joined(struct state *s, bool gives_up)
{
    const struct tp_flight_job *job = s->d->job;
    for (uint32_t i = 0; i < s->instance->count; i++) {
        const struct tp_flight_entry *entry = job->joined[s->instance->first + i];
        uint32_t rank = tp_flight_rank_number(job, entry);
        bool has_failed =
            gives_up && entry->is_done && !entry->knows_state && needs_all_ranks(tp_flight_text(job, entry->call.op));
        if (has_failed)
            add(&s->failed, rank);
        add(entry->is_done && !has_failed ? &s->done : &s->waiting, rank);
    }
}

static bool is_state(const struct tp_flight_job *job, const struct tp_flight_entry *entry, const char *state)
{
    return tp_str_equal(tp_flight_text(job, entry->call.state), tp_str_of(state));
}

static bool is_head(const struct tp_flight_job *job, const struct tp_flight_entry *entry)
{
    return tp_flight_rank_at(job, entry->rank)->head == entry;
}

static bool waits(const struct state *s, const struct tp_flight_entry *entry)
{
    struct tp_flight_ranks waiting = tp_flight_ranks_of(&s->waiting);
    return tp_flight_ranks_contain(&waiting, tp_flight_rank_number(s->d->job, entry));
}

/* Finds ranks whose GPU has not begun the call although the GPU of another rank has. */
static void find_behind(struct state *s)
{
    const struct tp_flight_job *job = s->d->job;
    bool has_started = false;
    for (uint32_t i = 0; i < s->instance->count; i++) {
        const struct tp_flight_entry *entry = job->joined[s->instance->first + i];
        has_started |= waits(s, entry) && is_state(job, entry, "started");
    }
    for (uint32_t i = 0; has_started && i < s->instance->count; i++) {
        const struct tp_flight_entry *entry = job->joined[s->instance->first + i];
        if (waits(s, entry) && entry->knows_state && is_state(job, entry, "scheduled") && is_head(job, entry))
            add(&s->behind, tp_flight_rank_number(job, entry));
    }
}

/* ---- the open call ---- */

static enum tp_flight_why find_why(const struct state *s, bool is_unfit, bool all_are_heads)
{
    bool is_alone = !s->group->is_known && s->group->rank_count == 1;
    if (s->not_joined.count)
        return TP_FLIGHT_WHY_NOT_JOINED;
    if (s->has_missing_dump)
        return TP_FLIGHT_WHY_NO_DUMP;
    if (s->unsure.count || is_alone)
        return TP_FLIGHT_WHY_UNSURE;
    if (is_unfit)
        return TP_FLIGHT_WHY_MISMATCH;
    if (s->behind.count && !s->done.count)
        return TP_FLIGHT_WHY_GPU_BEHIND;
    if (s->done.count)
        return TP_FLIGHT_WHY_PARTIAL;
    return all_are_heads ? TP_FLIGHT_WHY_STUCK_INSIDE : TP_FLIGHT_WHY_QUEUED;
}

/* A text with the number of ranks that have it. */
struct counted {
    struct tp_str text;
    uint32_t id;
    int64_t count;
};

static int compare_counts(const void *x, const void *y, const void *context)
{
    const struct counted *a = x, *b = y;
    (void)context;
    return (a->count < b->count) - (a->count > b->count);
}

/* Counts a text, in the order of first appearance. seen: text id -> index in `list`. */
static void count_text(struct tp_vec *list, struct tp_id_map *seen, uint32_t id, struct tp_str text)
{
    uint32_t *index = tp_id_map_find_or_add(seen, id);
    if (*index == TP_NO_ID) {
        *index = (uint32_t)list->count;
        *(struct counted *)tp_vec_push(list) = (struct counted){text, id, 0};
    }
    TP_AT(list, struct counted, *index)->count++;
}

static struct tp_vec sort_counted(struct tp_vec list)
{
    tp_merge_sort(list.arena, list.data, list.count, sizeof(struct counted), compare_counts, NULL);
    return list;
}

static void set_lines(const struct state *s, struct tp_flight_open *open)
{
    struct tp_flight_job *job = s->d->job;
    struct tp_vec lines = TP_VEC(job->arena, struct counted);
    struct tp_id_map seen;
    tp_id_map_init(&seen, job->arena);
    for (uint32_t i = 0; i < s->instance->count; i++) {
        const struct tp_flight_entry *entry = job->joined[s->instance->first + i];
        uint32_t line = job->line_of_stack[entry->call.stack];
        if (waits(s, entry))
            count_text(&lines, &seen, line, tp_flight_text(job, line));
    }
    lines = sort_counted(lines);
    open->line_count = lines.count < TP_FLIGHT_LINES ? lines.count : TP_FLIGHT_LINES;
    open->lines = tp_arena_array(job->arena, TP_FLIGHT_LINES, sizeof *open->lines);
    open->line_ranks = tp_arena_array(job->arena, TP_FLIGHT_LINES, sizeof *open->line_ranks);
    for (uint64_t i = 0; i < open->line_count; i++) {
        open->lines[i] = TP_AT(&lines, struct counted, i)->text;
        open->line_ranks[i] = TP_AT(&lines, struct counted, i)->count;
    }
}

/* Returns the operation that most ranks called. */
static struct tp_str common_op(const struct state *s)
{
    struct tp_flight_job *job = s->d->job;
    struct tp_vec ops = TP_VEC(job->arena, struct counted);
    struct tp_id_map seen;
    tp_id_map_init(&seen, job->arena);
    for (uint32_t i = 0; i < s->instance->count; i++) {
        uint32_t op = job->joined[s->instance->first + i]->call.op;
        count_text(&ops, &seen, op, tp_flight_text(job, op));
    }
    ops = sort_counted(ops);
    return TP_AT(&ops, struct counted, 0)->text;
}

/* Sets what the waiting ranks have in common. Returns whether the call is the first one of each of them. */
static bool set_waiting(const struct state *s, struct tp_flight_open *open)
{
    const struct tp_flight_job *job = s->d->job;
    struct tp_flight_ranks failed = tp_flight_ranks_of(&s->failed);
    uint64_t head_count = 0;
    open->since_ns = INT64_MAX;
    open->stack = TP_NO_ID;
    for (uint32_t i = 0; i < s->instance->count; i++) {
        const struct tp_flight_entry *entry = job->joined[s->instance->first + i];
        if (!waits(s, entry))
            continue;
        open->since_ns = entry->call.time_ns < open->since_ns ? entry->call.time_ns : open->since_ns;
        open->has_timed_out |= entry->has_timed_out;
        open->stack = open->stack == TP_NO_ID ? entry->call.stack : open->stack;
        head_count += is_head(job, entry);
        open->head_count += is_head(job, entry) || tp_flight_ranks_contain(&failed, tp_flight_rank_number(job, entry));
    }
    return head_count == s->waiting.count;
}

static void add_open(struct state *s, bool is_unfit)
{
    struct tp_flight_job *job = s->d->job;
    struct tp_flight_open *open = tp_vec_push(&s->d->open);
    *open = (struct tp_flight_open){.group = tp_flight_text(job, s->group->name),
                                    .description = tp_flight_text(job, s->group->description),
                                    .op = common_op(s),
                                    .rank_count = s->group->rank_count,
                                    .ranks_are_known = s->group->is_known,
                                    .sequence = s->instance->sequence,
                                    .waiting = tp_flight_ranks_of(&s->waiting),
                                    .failed = tp_flight_ranks_of(&s->failed),
                                    .done = tp_flight_ranks_of(&s->done),
                                    .not_joined = tp_flight_ranks_of(&s->not_joined),
                                    .unsure = tp_flight_ranks_of(&s->unsure),
                                    .behind = tp_flight_ranks_of(&s->behind),
                                    .group_index = s->instance->group,
                                    .instance = job->instance_of_key[s->instance->key]};
    open->why = (uint8_t)find_why(s, is_unfit, set_waiting(s, open));
    set_lines(s, open);
}

static int compare_numbers(const void *x, const void *y, const void *context)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    (void)context;
    return (a > b) - (a < b);
}

/* Makes the waiting ranks wait for the missing ones, and stores why. */
static void blame(struct state *s, const struct tp_flight_open *open)
{
    struct tp_flight_decision *d = s->d;
    struct tp_flight_job *job = d->job;
    struct tp_vec ranks = TP_VEC(job->arena, uint32_t);
    const struct tp_vec *const lists[] = {&s->not_joined, &s->unsure, &s->behind};
    bool is_behind = open->why == TP_FLIGHT_WHY_GPU_BEHIND;
    for (unsigned i = 0; i < (is_behind ? 3 : 2); i++)
        for (size_t k = 0; k < lists[i]->count; k++)
            add(&ranks, *TP_AT(lists[i], uint32_t, k));
    tp_merge_sort(job->arena, ranks.data, ranks.count, sizeof(uint32_t), compare_numbers, NULL);
    uint32_t set = tp_flight_add_set(d, tp_flight_ranks_of(&ranks));
    for (uint32_t i = 0; i < s->instance->count; i++) {
        const struct tp_flight_entry *entry = job->joined[s->instance->first + i];
        if (waits(s, entry))
            tp_flight_add_wait(d, entry, set);
    }
    for (size_t i = 0; i < ranks.count; i++) {
        uint32_t rank = *TP_AT(&ranks, uint32_t, i);
        enum tp_flight_why why = job->rank_index[rank] == TP_NO_ID                  ? TP_FLIGHT_WHY_NO_DUMP
                                 : tp_flight_ranks_contain(&open->not_joined, rank) ? TP_FLIGHT_WHY_NOT_JOINED
                                 : tp_flight_ranks_contain(&open->unsure, rank)     ? TP_FLIGHT_WHY_UNSURE
                                                                                    : TP_FLIGHT_WHY_GPU_BEHIND;
        tp_flight_set_reason(d, rank, why, s->instance->group, s->instance->sequence);
    }
}

/* Returns whether a rank waits in the call, and sets *all_know_states. */
static bool has_waiting_rank(const struct state *s, bool *all_know_states)
{
    bool has_one = false;
    *all_know_states = true;
    for (uint32_t i = 0; i < s->instance->count; i++) {
        const struct tp_flight_entry *entry = s->d->job->joined[s->instance->first + i];
        has_one |= !entry->is_done;
        *all_know_states &= entry->knows_state;
    }
    return has_one;
}

void tp_flight_find_open_call(struct tp_flight_decision *d, uint32_t instance, const struct tp_flight_ranks *unfit)
{
    struct tp_arena *arena = d->job->arena;
    struct state s = {.d = d, .instance = tp_flight_instance_at(d->job, instance)};
    struct tp_vec *const lists[] = {&s.waiting, &s.failed, &s.done, &s.not_joined, &s.unsure, &s.behind};
    bool all_know_states;
    bool has_waiting = has_waiting_rank(&s, &all_know_states);
    s.group = tp_flight_group_at(d->job, s.instance->group);
    if (!has_waiting && (all_know_states || s.instance->count == s.group->rank_count))
        return;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        *lists[i] = TP_VEC(arena, uint32_t);
    find_missing(&s);
    classify_joined(&s, s.not_joined.count || (has_waiting && s.has_missing_dump));
    if (!s.waiting.count)
        return;
    tp_merge_sort(arena, s.done.data, s.done.count, sizeof(uint32_t), compare_numbers, NULL);
    find_behind(&s);
    add_open(&s, unfit->count > 0);
    blame(&s, TP_AT(&d->open, struct tp_flight_open, d->open.count - 1));
}
