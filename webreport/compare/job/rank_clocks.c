/* Aligns the clocks of ranks by collectives, and finds late arrivals on the common clock.
 *
 * All ranks leave a blocking collective together. The offset between two ranks is therefore the median difference
 * between the ends of their common collectives. Offsets spread from the first rank of a component, group by group; each
 * rank gets its offset once. The residual is the difference that remains between the ends of collectives on a rank and
 * on the other ranks of its groups. Times of different hosts are never compared without an offset, because their clocks
 * may differ by hours. */
#include "webreport/compare/job/job_parts.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

/* Parts of the names of blocking collectives, in lower case. Rooted and point-to-point calls are not blocking,
 * because their ranks leave at different times. */
static const char *const blocking[] = {"all_reduce",    "allreduce",  "all_gather", "allgather", "reduce_scatter",
                                       "reducescatter", "all_to_all", "alltoall",   "barrier"};

bool tp_job_is_blocking(struct tp_str name)
{
    for (size_t i = 0; i < sizeof blocking / sizeof *blocking; i++)
        if (tp_str_find_ignore_case(name, blocking[i]) >= 0)
            return true;
    return false;
}

/* Returns whether a blocking collective can align clocks. At least two different ranks must have taken part, with at
 * most one call per rank of the group. More calls mean that two groups have the same name. */
static bool is_joint(const struct tp_job *job, const struct tp_job_instance *instance)
{
    int64_t size = tp_job_group_at(job, instance->group)->size;
    return instance->rank_count >= 2 && (size == TP_NULL_INT || instance->member_count <= size) &&
           tp_job_is_blocking(tp_strings_get(&job->texts, instance->name));
}

struct aligner {
    struct tp_job *job;
    bool *is_joint;      /* for each instance: whether the collective can align clocks */
    uint32_t *call_rank; /* for each call: index of its rank */
    bool *is_done;       /* for each group: whether its ranks are aligned */
    uint32_t *queue;
    uint32_t queued;
};

/* The end of a collective on an aligned rank minus its end on another rank, ns. */
struct difference {
    uint32_t rank;
    int64_t ns;
};

static int compare_by_rank(const void *x, const void *y, const void *context)
{
    const struct difference *a = x, *b = y;
    (void)context;
    return a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank) : (a->ns > b->ns) - (a->ns < b->ns);
}

/* A call of the aligned rank in a group that is not aligned yet. */
struct own_call {
    int64_t group_size;
    uint32_t group, call;
};

/* Orders groups by size, largest first. Large groups reach other ranks in fewer steps, so that errors add up less. */
static int compare_by_group(const void *x, const void *y, const void *context)
{
    const struct own_call *a = x, *b = y;
    (void)context;
    if (a->group_size != b->group_size)
        return (a->group_size < b->group_size) - (a->group_size > b->group_size);
    return (a->group > b->group) - (a->group < b->group);
}

/* Collects the difference between the end of `call` and the end of each other member that has no offset yet. */
static void collect_end_differences(const struct aligner *a, uint32_t call, struct tp_vec *found)
{
    const struct tp_job *job = a->job;
    const struct tp_job_call *own = tp_job_call_at(job, call);
    const struct tp_job_instance *instance = tp_job_instance_at(job, own->instance);
    for (uint32_t m = 0; m < instance->member_count; m++) {
        uint32_t member = job->members[instance->first_member + m], other = a->call_rank[member];
        if (tp_job_rank_at(job, other)->component == TP_NO_ID)
            *(struct difference *)tp_vec_push(found) =
                (struct difference){other, tp_sat_sub(own->end_ns, tp_job_call_at(job, member)->end_ns)};
    }
}

/* Sets the offset of each rank in `found` to the median of its differences, and adds the rank to the queue. */
static void set_offsets_and_enqueue_ranks(struct aligner *a, const struct tp_job_rank *rank, struct tp_vec *found)
{
    tp_merge_sort(a->job->arena, found->data, found->count, sizeof(struct difference), compare_by_rank, NULL);
    for (size_t first = 0, end; first < found->count; first = end) {
        uint32_t index = TP_AT(found, struct difference, first)->rank;
        struct tp_job_rank *other = tp_job_rank_at(a->job, index);
        for (end = first + 1; end < found->count && TP_AT(found, struct difference, end)->rank == index;)
            end++;
        int64_t median = TP_AT(found, struct difference, first + (end - first - 1) / 2)->ns;
        other->offset_ns = tp_sat_add(rank->offset_ns, median);
        other->component = rank->component;
        a->queue[a->queued++] = index;
    }
}

/* Aligns the ranks that share a group with the given rank. calls, found: scratch memory. */
static void align_ranks_with_common_group(struct aligner *a, uint32_t rank_index, struct tp_vec *calls,
                                          struct tp_vec *found)
{
    const struct tp_job_rank *rank = tp_job_rank_at(a->job, rank_index);
    calls->count = 0;
    for (uint32_t c = rank->first_call; c < rank->first_call + rank->call_count; c++) {
        uint32_t instance = tp_job_call_at(a->job, c)->instance;
        uint32_t group = tp_job_instance_at(a->job, instance)->group;
        if (a->is_joint[instance] && !a->is_done[group])
            *(struct own_call *)tp_vec_push(calls) =
                (struct own_call){tp_job_group_at(a->job, group)->ranks.count, group, c};
    }
    tp_merge_sort(a->job->arena, calls->data, calls->count, sizeof(struct own_call), compare_by_group, NULL);
    for (size_t i = 0; i < calls->count;) {
        uint32_t group = TP_AT(calls, struct own_call, i)->group;
        a->is_done[group] = true;
        found->count = 0;
        for (; i < calls->count && TP_AT(calls, struct own_call, i)->group == group; i++)
            collect_end_differences(a, TP_AT(calls, struct own_call, i)->call, found);
        set_offsets_and_enqueue_ranks(a, rank, found);
    }
}

static bool has_call_that_aligns_clocks(const struct aligner *a, const struct tp_job_rank *rank)
{
    for (uint32_t c = rank->first_call; c < rank->first_call + rank->call_count; c++)
        if (a->is_joint[tp_job_call_at(a->job, c)->instance])
            return true;
    return false;
}

static void find_clock_offsets(struct aligner *a)
{
    struct tp_vec found = TP_VEC(a->job->arena, struct difference), calls = TP_VEC(a->job->arena, struct own_call);
    a->queue = tp_arena_array(a->job->arena, a->job->ranks.count, sizeof *a->queue);
    for (uint32_t first = 0; first < a->job->ranks.count; first++) {
        struct tp_job_rank *rank = tp_job_rank_at(a->job, first);
        if (rank->component != TP_NO_ID || !has_call_that_aligns_clocks(a, rank))
            continue;
        uint32_t next = a->queued;
        rank->component = a->job->aligned_set_count++;
        a->queue[a->queued++] = first;
        for (; next < a->queued; next++)
            align_ranks_with_common_group(a, a->queue[next], &calls, &found);
    }
    tp_arena_free_item(a->job->arena, found.data, found.capacity * sizeof(struct difference));
}

static int64_t aligned_ns(const struct aligner *a, uint32_t call, int64_t ns)
{
    return tp_sat_add(ns, tp_job_rank_at(a->job, a->call_rank[call])->offset_ns);
}

static int64_t absolute_difference_ns(int64_t x, int64_t y)
{
    int64_t ns = tp_sat_sub(x, y);
    return ns < 0 ? tp_sat_sub(0, ns) : ns;
}

/* Fills `off`: for each call, its end minus the median end of its collective, ns. ends: scratch memory for one
 * number per call. */
static void find_distances_from_median_end(struct aligner *a, int64_t *off, int64_t *ends)
{
    struct tp_job *job = a->job;
    for (size_t i = 0; i < job->instances.count; i++) {
        const struct tp_job_instance *instance = tp_job_instance_at(job, i);
        const uint32_t *members = job->members + instance->first_member;
        if (!a->is_joint[i])
            continue;
        job->aligning_collective_count++;
        for (uint32_t m = 0; m < instance->member_count; m++)
            ends[m] = off[members[m]] = aligned_ns(a, members[m], tp_job_call_at(job, members[m])->end_ns);
        tp_sort_integers(ends, instance->member_count);
        int64_t middle = tp_sorted_integer_median(ends, instance->member_count);
        for (uint32_t m = 0; m < instance->member_count; m++)
            off[members[m]] = absolute_difference_ns(off[members[m]], middle);
    }
}

static void find_remaining_clock_errors(struct aligner *a)
{
    struct tp_job *job = a->job;
    int64_t *off = tp_arena_array(job->arena, job->calls.count, sizeof *off);
    int64_t *scratch = tp_arena_array(job->arena, job->calls.count, sizeof *scratch);
    int64_t *residuals = tp_arena_array(job->arena, job->ranks.count, sizeof *residuals);
    size_t aligned_count = 0;
    find_distances_from_median_end(a, off, scratch);
    for (size_t r = 0; r < job->ranks.count; r++) {
        struct tp_job_rank *rank = tp_job_rank_at(job, r);
        size_t count = 0;
        for (uint32_t c = rank->first_call; c < rank->first_call + rank->call_count; c++)
            if (a->is_joint[tp_job_call_at(job, c)->instance])
                scratch[count++] = off[c];
        rank->residual_ns = tp_lower_median(scratch, count);
        if (count)
            residuals[aligned_count++] = rank->residual_ns;
        if (rank->residual_ns > job->largest_residual_ns)
            job->largest_residual_ns = rank->residual_ns;
    }
    job->residual_ns = tp_lower_median(residuals, aligned_count);
    tp_arena_free_item(job->arena, off, job->calls.count * sizeof *off);
    tp_arena_free_item(job->arena, scratch, job->calls.count * sizeof *scratch);
}

/* The time that the other ranks of a group waited for one rank, ns: mean over these ranks, sum over all steps. */
struct blamed {
    uint32_t rank;
    double waited_ns;
};

/* Finds the rank that arrives last at a collective, and adds the mean wait of the others to that rank's sum in
 * `blamed`. Does nothing if the rank is later than the second-last rank by no more than its residual. keys: index in
 * `blamed` by rank and group. */
static void add_wait_for_last(struct aligner *a, const struct tp_job_instance *instance, struct tp_keys *keys,
                              struct tp_vec *blamed)
{
    const struct tp_job *job = a->job;
    const uint32_t *members = job->members + instance->first_member;
    int64_t last_ns = INT64_MIN, second_ns = INT64_MIN;
    uint32_t last = 0;
    double waited_ns = 0;
    for (uint32_t m = 0; m < instance->member_count; m++) {
        int64_t arrival = aligned_ns(a, members[m], tp_job_call_at(job, members[m])->arrival_ns);
        tp_job_rank_at(job, a->call_rank[members[m]])->aligning_call_count++;
        if (arrival > last_ns) {
            second_ns = last_ns;
            last_ns = arrival;
            last = members[m];
        } else if (arrival > second_ns) {
            second_ns = arrival;
        }
    }
    struct tp_job_rank *rank = tp_job_rank_at(job, a->call_rank[last]);
    if (tp_sat_sub(last_ns, second_ns) <= rank->residual_ns)
        return;
    for (uint32_t m = 0; m < instance->member_count; m++)
        waited_ns +=
            (double)tp_sat_sub(last_ns, aligned_ns(a, members[m], tp_job_call_at(job, members[m])->arrival_ns));
    rank->last_arrival_count++;
    uint32_t id = tp_keys_pair(keys, a->call_rank[last], instance->group);
    if (id == blamed->count)
        *(struct blamed *)tp_vec_push(blamed) = (struct blamed){.rank = a->call_rank[last]};
    TP_AT(blamed, struct blamed, id)->waited_ns += waited_ns / (instance->member_count - 1.0);
}

/* Finds the wait that each rank caused. A rank that is late in one group delays its members in the next group. Waits in
 * different groups are thus one delay, and only the longest wait is used. */
static void find_caused_waits(struct aligner *a)
{
    struct tp_vec blamed = TP_VEC(a->job->arena, struct blamed);
    struct tp_keys keys;
    tp_keys_init(&keys, a->job->arena, 2);
    for (size_t i = 0; i < a->job->instances.count; i++)
        if (a->is_joint[i])
            add_wait_for_last(a, tp_job_instance_at(a->job, i), &keys, &blamed);
    for (size_t i = 0; i < blamed.count; i++) {
        const struct blamed *item = TP_AT(&blamed, struct blamed, i);
        struct tp_job_rank *rank = tp_job_rank_at(a->job, item->rank);
        double per_step = item->waited_ns / (rank->recorded_step_count ? rank->recorded_step_count : 1);
        int64_t ns = per_step < 4e18 ? (int64_t)per_step : INT64_MAX;
        rank->caused_wait_ns = ns > rank->caused_wait_ns ? ns : rank->caused_wait_ns;
    }
}

void tp_job_align_clocks(struct tp_job *job)
{
    struct aligner a = {.job = job};
    a.is_joint = tp_arena_array(job->arena, job->instances.count, sizeof *a.is_joint);
    for (size_t i = 0; i < job->instances.count; i++)
        a.is_joint[i] = is_joint(job, tp_job_instance_at(job, i));
    a.call_rank = tp_arena_array(job->arena, job->calls.count, sizeof *a.call_rank);
    for (uint32_t r = 0; r < job->ranks.count; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        for (uint32_t c = rank->first_call; c < rank->first_call + rank->call_count; c++)
            a.call_rank[c] = r;
    }
    a.is_done = tp_arena_array(job->arena, job->groups.count, sizeof *a.is_done);
    find_clock_offsets(&a);
    find_remaining_clock_errors(&a);
    find_caused_waits(&a);
    tp_arena_free_item(job->arena, a.call_rank, job->calls.count * sizeof *a.call_rank);
}
