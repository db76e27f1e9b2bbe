/* Compares the calls that the ranks of a collective made: see flight_decision.h. */
#include "webreport/measure/flight/flight_decision.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

enum { FOLLOWERS = 4 }; /* calls after a mismatch that must agree if a rank left out one call */

/* Calls with one signature. */
struct side {
    uint32_t signature;
    struct tp_vec ranks; /* elements: uint32_t */
    struct tp_vec calls; /* calls of these ranks; elements: const struct tp_flight_entry * */
};

/* The comparison of one instance. */
struct comparison {
    struct tp_flight_decision *d;
    const struct tp_flight_instance *instance;
    uint32_t instance_index;
    struct side *sides; /* in the order of their lowest rank */
    uint32_t side_count;
    const struct side *reference; /* largest side; the side of the lowest rank if it is undecided */
    bool is_undecided, has_waiting;
};

/* ---- sides ---- */

static void add_to_side(struct comparison *c, struct tp_vec *sides, const struct tp_flight_entry *entry)
{
    struct tp_flight_job *job = c->d->job;
    uint32_t *slot = &c->d->slot_of_signature[entry->signature];
    if (*slot == TP_NO_ID) {
        *slot = (uint32_t)sides->count;
        *(struct side *)tp_vec_push(sides) = (struct side){entry->signature, TP_VEC(job->arena, uint32_t),
                                                           TP_VEC(job->arena, const struct tp_flight_entry *)};
    }
    struct side *side = TP_AT(sides, struct side, *slot);
    *(uint32_t *)tp_vec_push(&side->ranks) = tp_flight_rank_number(job, entry);
    *(const struct tp_flight_entry **)tp_vec_push(&side->calls) = entry;
}

static void find_sides(struct comparison *c)
{
    const struct tp_flight_job *job = c->d->job;
    struct tp_vec sides = TP_VEC(job->arena, struct side);
    for (uint32_t i = 0; i < c->instance->count; i++) {
        const struct tp_flight_entry *entry = job->joined[c->instance->first + i];
        add_to_side(c, &sides, entry);
        c->has_waiting |= !entry->is_done;
    }
    c->sides = sides.data;
    c->side_count = (uint32_t)sides.count;
    for (uint32_t i = 0; i < c->side_count; i++)
        c->d->slot_of_signature[c->sides[i].signature] = TP_NO_ID;
}

static void find_reference(struct comparison *c)
{
    c->reference = &c->sides[0];
    for (uint32_t i = 1; i < c->side_count; i++)
        if (c->sides[i].ranks.count > c->reference->ranks.count)
            c->reference = &c->sides[i];
    for (uint32_t i = 0; i < c->side_count; i++)
        c->is_undecided |= &c->sides[i] != c->reference && c->sides[i].ranks.count == c->reference->ranks.count;
    if (c->is_undecided)
        c->reference = &c->sides[0];
}

static enum tp_flight_why kind_of(const struct comparison *c, const struct side *side)
{
    const struct tp_flight_signature *a = tp_flight_signature_at(c->d->job, side->signature);
    const struct tp_flight_signature *b = tp_flight_signature_at(c->d->job, c->reference->signature);
    if (a->op != b->op)
        return TP_FLIGHT_WHY_TYPE_MISMATCH;
    bool same_size = a->elements == b->elements && a->parts == b->parts;
    return same_size ? TP_FLIGHT_WHY_DTYPE_MISMATCH : TP_FLIGHT_WHY_SIZE_MISMATCH;
}

static int compare_numbers(const void *x, const void *y, const void *context)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    (void)context;
    return (a > b) - (a < b);
}

/* Returns the ranks of all sides except one, ascending. */
static struct tp_flight_ranks ranks_outside(const struct comparison *c, const struct side *side)
{
    struct tp_vec ranks = TP_VEC(c->d->job->arena, uint32_t);
    for (uint32_t i = 0; i < c->side_count; i++)
        for (size_t k = 0; &c->sides[i] != side && k < c->sides[i].ranks.count; k++)
            *(uint32_t *)tp_vec_push(&ranks) = *TP_AT(&c->sides[i].ranks, uint32_t, k);
    tp_merge_sort(c->d->job->arena, ranks.data, ranks.count, sizeof(uint32_t), compare_numbers, NULL);
    return tp_flight_ranks_of(&ranks);
}

/* ---- a call left out, or one too many ---- */

/* Signatures of the calls of a rank from a number in the group on; TP_NO_ID after the last one. */
struct run {
    uint32_t signatures[FOLLOWERS];
};

static const struct tp_flight_entry *find_call(const struct tp_flight_decision *d, uint32_t group, int64_t sequence,
                                               uint32_t rank_index)
{
    const struct tp_flight_job *job = d->job;
    struct {
        int64_t sequence;
        uint64_t group;
    } key = {sequence, group};
    uint32_t id = tp_strings_find(&job->instance_keys, (struct tp_str){(const char *)&key, sizeof key});
    if (id == TP_NO_ID)
        return NULL;
    return tp_flight_call_of(job, tp_flight_instance_at(job, job->instance_of_key[id]), rank_index);
}

static struct run run_of(const struct comparison *c, uint32_t rank, int64_t shift)
{
    struct run run;
    unsigned count = 0;
    for (unsigned i = 0; i < FOLLOWERS; i++)
        run.signatures[i] = TP_NO_ID;
    for (unsigned i = 0; i < FOLLOWERS; i++) {
        int64_t sequence;
        if (__builtin_add_overflow(c->instance->sequence, shift + i, &sequence))
            break;
        const struct tp_flight_entry *entry =
            find_call(c->d, c->instance->group, sequence, c->d->job->rank_index[rank]);
        if (entry)
            run.signatures[count++] = entry->signature;
    }
    return run;
}

/* Returns whether one run is the beginning of the other, and neither is empty. */
static bool agree(const struct run *a, const struct run *b)
{
    for (unsigned i = 0; i < FOLLOWERS; i++) {
        if (a->signatures[i] == TP_NO_ID || b->signatures[i] == TP_NO_ID)
            return i > 0;
        if (a->signatures[i] != b->signatures[i])
            return false;
    }
    return true;
}

static int compare_runs(const void *x, const void *y, const void *context)
{
    (void)context;
    return memcmp(x, y, sizeof(struct run));
}

/* Lists the distinct runs of the ranks of the largest side. */
static struct tp_vec distinct_runs(const struct comparison *c, int64_t shift)
{
    struct tp_arena *arena = c->d->job->arena;
    struct tp_vec runs = TP_VEC(arena, struct run);
    for (size_t i = 0; i < c->reference->ranks.count; i++)
        *(struct run *)tp_vec_push(&runs) = run_of(c, *TP_AT(&c->reference->ranks, uint32_t, i), shift);
    tp_merge_sort(arena, runs.data, runs.count, sizeof(struct run), compare_runs, NULL);
    size_t count = 0;
    for (size_t i = 0; i < runs.count; i++)
        if (!count || compare_runs(TP_AT(&runs, struct run, count - 1), TP_AT(&runs, struct run, i), NULL))
            *TP_AT(&runs, struct run, count++) = *TP_AT(&runs, struct run, i);
    runs.count = count < TP_MAX_FLIGHT_RUNS ? count : TP_MAX_FLIGHT_RUNS;
    return runs;
}

static bool agrees_with_one(const struct run *run, const struct tp_vec *others)
{
    for (size_t i = 0; i < others->count; i++)
        if (agree(run, TP_AT(others, struct run, i)))
            return true;
    return false;
}

static enum tp_flight_shift find_shift(const struct comparison *c, const struct tp_flight_ranks *wrong)
{
    enum tp_flight_shift shift = TP_FLIGHT_NO_SHIFT;
    struct tp_vec same = distinct_runs(c, 0), later = distinct_runs(c, 1);
    for (uint64_t i = 0; i < wrong->count && i < TP_MAX_FLIGHT_RUNS; i++) {
        struct run own = run_of(c, wrong->items[i], 0), own_later = run_of(c, wrong->items[i], 1);
        if (agrees_with_one(&own, &later))
            shift = TP_FLIGHT_LEFT_OUT;
        else if (agrees_with_one(&own_later, &same))
            shift = TP_FLIGHT_EXTRA;
    }
    return shift;
}

/* ---- results ---- */

static struct tp_flight_side make_side(struct tp_flight_job *job, const struct side *side)
{
    const struct tp_flight_signature *signature = tp_flight_signature_at(job, side->signature);
    uint32_t stack = (*TP_AT(&side->calls, const struct tp_flight_entry *, 0))->call.stack;
    struct tp_flight_side made = {.ranks = tp_flight_ranks_of(&side->ranks),
                                  .op = tp_flight_text(job, signature->op),
                                  .elements = {signature->elements},
                                  .element_count = signature->elements != TP_NULL_INT,
                                  .line = tp_flight_line(job, stack),
                                  .stack = stack};
    struct tp_vec types = tp_flight_list_types(job, signature->types);
    made.types = types.data;
    made.type_count = types.count;
    return made;
}

static int compare_sides(const void *x, const void *y, const void *context)
{
    const struct tp_flight_side *a = x, *b = y;
    (void)context;
    return (a->ranks.count < b->ranks.count) - (a->ranks.count > b->ranks.count);
}

static void list_kinds(const struct comparison *c, struct tp_flight_mismatch *mismatch)
{
    static const enum tp_flight_why order[] = {TP_FLIGHT_WHY_DTYPE_MISMATCH, TP_FLIGHT_WHY_SIZE_MISMATCH,
                                               TP_FLIGHT_WHY_TYPE_MISMATCH};
    mismatch->kinds = tp_arena_array(c->d->job->arena, 3, sizeof *mismatch->kinds);
    for (unsigned k = 0; k < 3; k++) {
        bool is_there = false;
        for (uint32_t i = 0; i < c->side_count; i++)
            is_there |= &c->sides[i] != c->reference && kind_of(c, &c->sides[i]) == order[k];
        if (is_there)
            mismatch->kinds[mismatch->kind_count++] = tp_str_of(tp_flight_why_text(order[k]));
    }
}

static void add_mismatch(const struct comparison *c, const struct tp_flight_ranks *wrong)
{
    struct tp_flight_decision *d = c->d;
    struct tp_flight_job *job = d->job;
    const struct tp_flight_group_of_ranks *group = tp_flight_group_at(job, c->instance->group);
    if (d->mismatch_total++ >= TP_FLIGHT_MOST_CULPRITS)
        return;
    struct tp_flight_mismatch *mismatch = tp_vec_push(&d->mismatches);
    *mismatch = (struct tp_flight_mismatch){.group = tp_flight_text(job, group->name),
                                            .description = tp_flight_text(job, group->description),
                                            .sequence = c->instance->sequence,
                                            .is_undecided = c->is_undecided,
                                            .instance = c->instance_index,
                                            .is_open = c->has_waiting,
                                            .side_count = c->side_count};
    list_kinds(c, mismatch);
    mismatch->sides = tp_arena_array(job->arena, c->side_count, sizeof *mismatch->sides);
    for (uint32_t i = 0; i < c->side_count; i++)
        mismatch->sides[i] = make_side(job, &c->sides[i]);
    tp_merge_sort(job->arena, mismatch->sides, c->side_count, sizeof *mismatch->sides, compare_sides, NULL);
    if (c->is_undecided)
        return;
    mismatch->culprits = *wrong;
    mismatch->shift = (uint8_t)find_shift(c, wrong);
}

/* Makes the waiting ranks of a side wait for the ranks of a set. */
static void add_waits_of_side(const struct comparison *c, const struct side *side, uint32_t set)
{
    for (size_t i = 0; i < side->calls.count; i++) {
        const struct tp_flight_entry *entry = *TP_AT(&side->calls, const struct tp_flight_entry *, i);
        if (!entry->is_done)
            tp_flight_add_wait(c->d, entry, set);
    }
}

/* Makes the waiting ranks wait for the ranks whose calls do not fit theirs. If it is undecided, those are all other
 * sides; beyond TP_MAX_FLIGHT_SIDES sides, all other ranks. */
static void add_waits(const struct comparison *c, const struct tp_flight_ranks *wrong)
{
    uint32_t common = TP_NO_ID;
    for (uint32_t i = 0; i < c->side_count; i++) {
        bool is_own = c->is_undecided && i < TP_MAX_FLIGHT_SIDES;
        if (!is_own && common == TP_NO_ID)
            common = tp_flight_add_set(c->d, c->is_undecided ? ranks_outside(c, NULL) : *wrong);
        add_waits_of_side(c, &c->sides[i], is_own ? tp_flight_add_set(c->d, ranks_outside(c, &c->sides[i])) : common);
    }
}

static void blame(const struct comparison *c)
{
    struct tp_flight_decision *d = c->d;
    for (uint32_t i = 0; i < c->side_count; i++) {
        enum tp_flight_why why = kind_of(c, &c->sides[i]);
        for (size_t k = 0; &c->sides[i] != c->reference && k < c->sides[i].ranks.count; k++) {
            uint32_t rank = *TP_AT(&c->sides[i].ranks, uint32_t, k);
            struct tp_flight_reason *reason = &d->reasons[rank];
            d->is_wrong[rank] = true;
            if (!reason->is_set || reason->why < TP_FLIGHT_WHY_TYPE_MISMATCH)
                *reason = (struct tp_flight_reason){true, (uint8_t)why, c->instance->group, c->instance->sequence};
        }
    }
}

static bool has_one_signature(const struct tp_flight_job *job, const struct tp_flight_instance *instance)
{
    uint32_t i = 1;
    while (i < instance->count &&
           job->joined[instance->first + i]->signature == job->joined[instance->first]->signature)
        i++;
    return i >= instance->count;
}

struct tp_flight_ranks tp_flight_compare_calls(struct tp_flight_decision *d, uint32_t instance)
{
    struct comparison c = {.d = d, .instance = tp_flight_instance_at(d->job, instance), .instance_index = instance};
    if (has_one_signature(d->job, c.instance))
        return (struct tp_flight_ranks){NULL, 0};
    find_sides(&c);
    find_reference(&c);
    struct tp_flight_ranks wrong = ranks_outside(&c, c.reference);
    add_mismatch(&c, &wrong);
    add_waits(&c, &wrong);
    if (!c.is_undecided && c.has_waiting)
        blame(&c);
    return wrong;
}
